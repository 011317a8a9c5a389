// fronts_single.h: fronts of floats, for those that also know fronts of doubles; see fronts.h and real.h.
#ifndef LM_SPARSE_FRONTS_SINGLE_H
#define LM_SPARSE_FRONTS_SINGLE_H

#include "sparse/factor.h"
#include "sparse/pattern.h"

typedef struct lm_fronts_single lm_fronts_single;

lm_status lm_fronts_create_single(const lm_pattern* pattern, const int32_t* order, const int32_t* counts,
                                  bool is_signed, const lm_host* host, lm_fronts_single** fronts);
void lm_fronts_destroy_single(lm_fronts_single* fronts);
lm_factor_report lm_fronts_factorize_single(lm_fronts_single* fronts, const double* values, double shift);
void lm_fronts_solve_single(lm_fronts_single* fronts, int64_t count, const double* B, double* X);
void lm_fronts_get_info_single(const lm_fronts_single* fronts, int64_t* entries, int32_t* tasks);

#endif
