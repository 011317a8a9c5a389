#define LM_SINGLE
#include "sparse/kernel_plain.c"
