#define LM_KERNELS lm_design_elastic_kernels_plain
#include "design/elastic_kernel.h"
