#include "sparse/kernel.h"

const lm_sparse_kernels* lm_sparse_find_kernels(void)
{
#if defined(LM_X86)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &lm_sparse_kernels_avx2;
#endif
	return &lm_sparse_kernels_plain;
}
