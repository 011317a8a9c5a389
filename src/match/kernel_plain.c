// kernel_plain.c: the kernels for what the compiler may use anywhere.
#define LM_W 4

#include "match/kernel_goals.h"
#include "match/kernel_maps.h"
#include "match/kernel_regions.h"
#include "match/kernel_weights.h"

const lm_match_kernels lm_match_kernels_plain = { predict, moments, weights_each, maps, goals };
