// kernel_avx512.c: the kernels for machines with AVX-512 (F, VL, DQ).
#define LM_W 16

#include "match/kernel_goals.h"
#include "match/kernel_maps.h"
#include "match/kernel_regions.h"
#include "match/kernel_weights.h"

const lm_match_kernels lm_match_kernels_avx512 = { predict, moments, weights_each, maps, goals };
