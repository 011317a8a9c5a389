// machine.h: which kernels of those that were compiled for several machines (cmake/vectors.cmake) are used.
#ifndef LM_BASE_MACHINE_H
#define LM_BASE_MACHINE_H

#include "limber/base.h"

// Whether kernels of `level` may be used where `asked` is the host's choice.
bool lm_simd_allows(lm_simd asked, lm_simd level);

// LM_UNSUPPORTED when this machine or build lacks the level.
lm_status lm_simd_check(lm_simd simd, lm_error* error);

#endif
