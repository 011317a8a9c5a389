#include "base/machine.h"

#include "base/error.h"

#include <string.h>

lm_simd lm_simd_best(void)
{
#if defined(LM_X86)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		               __builtin_cpu_supports("avx512dq")
		           ? LM_SIMD_AVX512
		           : LM_SIMD_AVX2;
#endif
	return LM_SIMD_PLAIN;
}

bool lm_simd_allows(lm_simd asked, lm_simd level)
{
	return level <= lm_simd_best() && (asked == LM_SIMD_AUTO || level <= asked);
}

const char* lm_simd_name(lm_simd simd)
{
	switch (simd)
	{
		case LM_SIMD_AUTO: return "auto";
		case LM_SIMD_PLAIN: return "plain";
		case LM_SIMD_AVX2: return "avx2";
		case LM_SIMD_AVX512: return "avx512";
	}
	return "unknown";
}

lm_status lm_simd_check(lm_simd simd, lm_error* error)
{
	if (simd < LM_SIMD_AUTO || simd > LM_SIMD_AVX512)
		return lm_fail(error, LM_BAD_INPUT, "%d is no SIMD level", (int)simd);
	if (simd > lm_simd_best())
		return lm_fail(error, LM_UNSUPPORTED, "the SIMD level %s is not there on this machine or in this build; %s is",
		               lm_simd_name(simd), lm_simd_name(lm_simd_best()));
	return LM_OK;
}

lm_status lm_simd_find(const char* name, lm_simd* simd, lm_error* error)
{
	for (lm_simd level = LM_SIMD_AUTO; level <= LM_SIMD_AVX512; ++level)
		if (strcmp(name, lm_simd_name(level)) == 0)
		{
			lm_status status = lm_simd_check(level, error);
			if (status == LM_OK)
				*simd = level;
			return status;
		}
	return lm_fail(error, LM_BAD_INPUT, "%s is no SIMD level; there are: plain, avx2, avx512, and auto for the widest",
	               name);
}
