#include "sparse/kernel.h"

#include "sparse/dense.h"

const lm_sparse_kernels* lm_sparse_find_kernels(void)
{
#if defined(LM_X86)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &lm_sparse_kernels_avx2;
#endif
	return &lm_sparse_kernels_plain;
}

void lm_dense_inner_products(int64_t n, int64_t p, const double* X, int64_t q, const double* Y, double* K)
{
	lm_sparse_find_kernels()->inner_products(n, p, X, q, Y, K);
}
