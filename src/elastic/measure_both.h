// measure_both.h: a measure whose value, gradient and constant Hessian are written for any dimension, as the table of
// functions that it is in one of them. The gradient is linear in x, so H u is the gradient at u.
#ifndef LM_ELASTIC_MEASURE_BOTH_H
#define LM_ELASTIC_MEASURE_BOTH_H

#include "elastic/measure.h"

// name: lm_measure_..; d: 2 or 3; the file has value(d, x, q), gradient(d, x, J) and hessian(d, c, A).
#define LM_MEASURE_IN(name, d, corner_count, number_count)                                                             \
	static void value##d(const double* x, double* q)                                                                   \
	{                                                                                                                  \
		value(d, x, q);                                                                                                \
	}                                                                                                                  \
	static void gradient##d(const double* x, double* J)                                                                \
	{                                                                                                                  \
		gradient(d, x, J);                                                                                             \
	}                                                                                                                  \
	static void hessian##d(const double* x, const double* c, double* A)                                                \
	{                                                                                                                  \
		(void)x;                                                                                                       \
		hessian(d, c, A);                                                                                              \
	}                                                                                                                  \
	static void product##d(const double* x, const double* u, double* R)                                                \
	{                                                                                                                  \
		(void)x;                                                                                                       \
		gradient(d, u, R);                                                                                             \
	}                                                                                                                  \
	const lm_measure name = { .dimension = d,                                                                          \
		                      .corners = corner_count,                                                                 \
		                      .size = corner_count * d,                                                                \
		                      .count = number_count,                                                                   \
		                      .value = value##d,                                                                       \
		                      .gradient = gradient##d,                                                                 \
		                      .hessian = hessian##d,                                                                   \
		                      .product = product##d }

#endif
