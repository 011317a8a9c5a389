// check.h: is an initial shape one that a body can be made of?
#ifndef LM_ELASTIC_CHECK_H
#define LM_ELASTIC_CHECK_H

#include "elastic/elastic.h"

lm_status lm_elastic_check_shape(const lm_elastic_shape* shape, lm_error* error);

#endif
