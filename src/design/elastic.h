// elastic.h: what a deformation costs (Adams et al. 2009, Eq. 12, 13):
//
//   E(y) = sum_q V_q ( strain |F^T F - I|^2 + volume b(det F) ),   F_q = sum_i y_i grad Phi_i(x_q)^T.
//
// Departures: integrated at points of its own, not at the nodes; and b(J) = (J - 1)^2 / J, which equals the paper's
// (J - 1)^2 near 1 but grows without bound as a point is crushed. Below J = 1/10 it goes on as its own parabola, so
// that everything is finite everywhere, inverted input included.
#ifndef LM_DESIGN_ELASTIC_H
#define LM_DESIGN_ELASTIC_H

#include "design/band.h"
#include "design/model.h"

typedef struct lm_design_stiffness
{
	double strain, volume;
} lm_design_stiffness;

// Of nodes at y (node_count x 3, own coordinates); gradient, when not NULL, is added to.
double lm_design_elastic(const lm_design_model* model, lm_design_stiffness stiffness, const double* y, double scale,
                         double* gradient);

// The same, and the smallest det F (or 1 if that is smaller).
double lm_design_elastic_and_volume(const lm_design_model* model, lm_design_stiffness stiffness, const double* y,
                                    double scale, double* gradient, double* least);

// Adds scale times the second derivative to the lower triangle of a diagonal block. positive: so much of it is left
// out (the curvature of the determinant), or added (to the stress of compression), that it is never negative.
void lm_design_elastic_hessian(const lm_design_model* model, lm_design_stiffness stiffness, const double* y,
                               double scale, bool positive, lm_design_band* band, int32_t column);

// The same in floats, for a metric: for each pair of nodes a >= b, by b, the columns of their block in fours, and four
// numbers more.
#define LM_ELASTIC_BLOCK 16
static inline int64_t lm_design_block(int64_t nodes, int64_t b, int64_t a)
{
	return b * nodes - b * (b + 1) / 2 + a;
}
void lm_design_elastic_blocks(const lm_design_model* model, lm_design_stiffness stiffness, const double* y,
                              bool positive, float* blocks);

// The loops, as this machine can do them best.
typedef struct lm_design_elastic_kernels
{
	// forces (four numbers per node, or NULL) are added to; *least is the smallest det F, or 1 if that is smaller.
	double (*energy)(const lm_design_model* model, lm_design_stiffness stiffness, const double* y, double scale,
	                 double* forces, double* least);
	// Into sums: the block of each pair of nodes a >= b, by b, its columns in fours.
	void (*hessian)(const lm_design_model* model, lm_design_stiffness stiffness, const double* y, double scale,
	                bool positive, double* sums);
	void (*blocks)(const lm_design_model* model, lm_design_stiffness stiffness, const double* y, bool positive,
	               float* blocks);
} lm_design_elastic_kernels;

extern const lm_design_elastic_kernels lm_design_elastic_kernels_plain, lm_design_elastic_kernels_avx2;

// Smallest det F over the points of integration.
double lm_design_least_volume(const lm_design_model* model, const double* y);

// F at an entry range of rows.
static inline lm_mat3 lm_design_gradient_at(const lm_design_rows* rows, int32_t p, const double* y)
{
	lm_mat3 F = { 0 };
	for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
	{
		const double *g = rows->grad[e], *x = y + 3 * (int64_t)rows->node[e];
		for (int i = 0; i < 3; ++i)
			for (int k = 0; k < 3; ++k)
				F.m[i][k] += x[i] * g[k];
	}
	return F;
}

#endif
