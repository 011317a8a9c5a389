#define LM_KERNELS lm_drag_kernels_plain
#include "design/drag_metric_kernel.h"
