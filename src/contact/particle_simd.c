// particle_simd.c: which of the ways to push out particles a level allows.
#include "contact/particle_job.h"

#include "base/machine.h"

lm_push_simd* lm_find_push_simd(lm_simd simd)
{
#if defined(LM_X86)
	if (lm_simd_allows(simd, LM_SIMD_AVX2))
		return lm_push_simd_avx2;
#endif
	(void)simd;
	return lm_push_simd_plain;
}
