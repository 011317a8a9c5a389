// troupe.c: the characters of `act` that live in space.
#include "make.h"

bool lm_make_troupe(make_output* output)
{
	return lm_make_roller(output) && lm_make_cups(output) && lm_make_jack(output) && lm_make_card(output) &&
	       lm_make_crusty(output) && lm_make_cheesy(output);
}
