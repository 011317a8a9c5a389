#include "sparse/kernel.h"

#include "base/machine.h"

const lm_sparse_kernels* lm_sparse_find_kernels(lm_simd simd)
{
#if defined(LM_X86)
	if (lm_simd_allows(simd, LM_SIMD_AVX2))
		return &lm_sparse_kernels_avx2;
#endif
	(void)simd;
	return &lm_sparse_kernels_plain;
}
