// kernel.c: which of the kernels this machine can run.
#include "match/body.h"

#include "base/machine.h"
const lm_match_kernels* lm_match_find_kernels(lm_simd simd)
{
#if defined(LM_X86)
	bool avx2 = lm_machine_has_avx2();
	bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	              __builtin_cpu_supports("avx512dq");
	if (avx512 && (simd == LM_SIMD_AUTO || simd == LM_SIMD_AVX512))
		return &lm_match_kernels_avx512;
	if (avx2 && (simd == LM_SIMD_AUTO || simd == LM_SIMD_AVX2))
		return &lm_match_kernels_avx2;
#endif
	return simd == LM_SIMD_AUTO || simd == LM_SIMD_PLAIN ? &lm_match_kernels_plain : NULL;
}
