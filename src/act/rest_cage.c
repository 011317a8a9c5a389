// rest_cage.c: rest shapes moved by the vertices of a cage with harmonic coordinates (Coros et al. 2012, Sec. 4.1).
#include "act/rest.h"

#include "base/error.h"

lm_status lm_act_rest_add_cage(const lm_act_def* def, const lm_elastic_view* view, const lm_host* host,
                               lm_act_rest* rest, lm_error* error)
{
	(void)def, (void)view, (void)host, (void)rest;
	return lm_fail(error, LM_UNSUPPORTED, "cages are not built yet");
}
