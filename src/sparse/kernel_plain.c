#define LM_REGISTER 16
#include "sparse/kernel_panel.h"

const lm_sparse_kernels lm_sparse_kernels_plain = { subtract,       subtract_lower, negate_lower, add_runs,
	                                                finish_columns, follow_columns, solve_down,   solve_up,
	                                                multiply_down,  multiply_up };
