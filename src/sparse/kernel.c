#include "sparse/kernel.h"

#include "base/machine.h"
const lm_sparse_kernels* lm_sparse_find_kernels(void)
{
#if defined(LM_X86)
	if (lm_machine_has_avx2())
		return &lm_sparse_kernels_avx2;
#endif
	return &lm_sparse_kernels_plain;
}
