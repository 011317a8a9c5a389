#include "elastic/quick.h"

#include "base/machine.h"

const lm_quick_kernels* lm_quick_find_kernels(lm_simd simd)
{
#if defined(LM_X86)
	if (lm_simd_allows(simd, LM_SIMD_AVX2))
		return &lm_quick_kernels_avx2;
#endif
	(void)simd;
	return &lm_quick_kernels_plain;
}

int lm_quick_numbers(const lm_term_set* set)
{
	const lm_measure* m = set->measure;
	if (set->model != NULL)
		return 0;
	if (m == &lm_measure_gram2)
		return 6; // G and M of law.h
	bool scalar = m == &lm_measure_length2 || m == &lm_measure_length3 || m == &lm_measure_area ||
	              m == &lm_measure_volume || m == &lm_measure_hinge;
	return scalar ? 1 : 0;
}
