#define LM_REGISTER 32
#include "sparse/kernel_panel.h"

const lm_sparse_kernels lm_sparse_kernels_avx2 = { subtract,       subtract_lower, negate_lower, add_runs,
	                                               finish_columns, follow_columns, solve_down,   solve_up,
	                                               multiply_down,  multiply_up };
