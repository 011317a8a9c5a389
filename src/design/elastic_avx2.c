#define LM_KERNELS lm_design_elastic_kernels_avx2
#include "design/elastic_kernel.h"
