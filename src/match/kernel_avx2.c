// kernel_avx2.c: the kernels for machines with AVX2 and FMA.
#define LM_W 8

#include "match/kernel_goals.h"
#include "match/kernel_maps.h"
#include "match/kernel_regions.h"
#include "match/kernel_weights.h"

const lm_match_kernels lm_match_kernels_avx2 = { predict, moments, weights_each, maps, goals };
