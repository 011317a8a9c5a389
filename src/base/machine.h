// machine.h: what this machine can compute with, for the files that choose between kernels (cmake/vectors.cmake, which
// defines LM_X86 for them).
#ifndef LM_BASE_MACHINE_H
#define LM_BASE_MACHINE_H

#if defined(LM_X86)
#include <stdbool.h>

static inline bool lm_machine_has_avx2(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#endif
