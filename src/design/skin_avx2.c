#define LM_KERNEL lm_design_skin_kernel_avx2
#include "design/skin_kernel.h"
