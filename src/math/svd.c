#include "math/svd.h"
