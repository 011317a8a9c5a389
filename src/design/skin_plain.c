#define LM_KERNEL lm_design_skin_kernel_plain
#include "design/skin_kernel.h"
