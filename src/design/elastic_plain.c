#define LM_KERNELS lm_elastic_kernels_plain
#include "design/elastic_kernel.h"
