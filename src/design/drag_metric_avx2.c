#define LM_KERNELS lm_design_drag_kernels_avx2
#include "design/drag_metric_kernel.h"
