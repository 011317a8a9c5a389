// kernel.c: which of the kernels a level allows.
#include "match/body.h"

#include "base/machine.h"

const lm_match_kernels* lm_match_find_kernels(lm_simd simd)
{
#if defined(LM_X86)
	if (lm_simd_allows(simd, LM_SIMD_AVX512))
		return &lm_match_kernels_avx512;
	if (lm_simd_allows(simd, LM_SIMD_AVX2))
		return &lm_match_kernels_avx2;
#endif
	(void)simd;
	return &lm_match_kernels_plain;
}
