#define LM_SINGLE
#include "sparse/kernel_avx2.c"
