#define LM_KERNELS lm_design_drag_kernels_plain
#include "design/drag_metric_kernel.h"
