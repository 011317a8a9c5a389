#define LM_DW 4
#define LM_KERNELS lm_sparse_kernels_avx2
#include "sparse/kernel_product.h"
