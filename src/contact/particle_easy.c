// particle_easy.c: which of the ways to push out particles this machine can run.
#include "contact/particle_job.h"

#include "base/machine.h"

lm_push_easy* lm_find_push_easy(void)
{
#if defined(LM_X86)
	if (lm_machine_has_avx2())
		return lm_push_easy_avx2;
#endif
	return lm_push_easy_plain;
}
