#define LM_DW 2
#define LM_KERNELS lm_sparse_kernels_plain
#include "sparse/kernel_product.h"
