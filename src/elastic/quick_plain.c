#include "elastic/quick_kernel.h"

const lm_quick_kernels lm_quick_kernels_plain = { measure, energy, add_gradient, add_stiffness };
