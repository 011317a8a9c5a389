// elastic.c: energy, forces and stiffness of elastic.h. With f_k the columns of F, E = F^T F - I and c_k the columns of
// its cofactor matrix (c_0 = f_1 x f_2, ...):
//
//   psi = |E|^2:   dpsi/df_k   = 4 sum_l E_kl f_l
//                  d2psi       : A_lk = 4 (delta_lk F F^T + f_k f_l^T + E_lk I)
//   b(J):          db/df_k     = b' c_k
//                  d2b         : A_lk = b'' c_l c_k^T + b' d2J_lk
//                  d2J_01 = -[f_2]x,   d2J_12 = -[f_0]x,   d2J_20 = -[f_1]x
//
// and the nodes' blocks are H_ab = V sum_kl G_ak G_bl A_kl with G_a = grad Phi_a.
#include "design/elastic.h"

#include "base/machine.h"

#include <string.h>

static const lm_design_elastic_kernels* kernels_of(const lm_design_model* m)
{
#if defined(LM_X86)
	if (lm_simd_allows(m->host.simd, LM_SIMD_AVX2))
		return &lm_design_elastic_kernels_avx2;
#endif
	(void)m;
	return &lm_design_elastic_kernels_plain;
}

double lm_design_elastic(const lm_design_model* m, lm_design_stiffness s, const double* y, double scale,
                         double* gradient)
{
	double least;
	return lm_design_elastic_and_volume(m, s, y, scale, gradient, &least);
}

double lm_design_elastic_and_volume(const lm_design_model* m, lm_design_stiffness s, const double* y, double scale,
                                    double* gradient, double* least)
{
	double forces[4 * LM_DESIGN_MOST_NODES]; // in fours, for vectors
	if (gradient == NULL)
		return kernels_of(m)->energy(m, s, y, scale, NULL, least);
	memset(forces, 0, 4 * (size_t)m->node_count * sizeof *forces);
	double energy = kernels_of(m)->energy(m, s, y, scale, forces, least);
	for (int32_t i = 0; i < m->node_count; ++i)
		for (int k = 0; k < 3; ++k)
			gradient[3 * i + k] += forces[4 * i + k];
	return energy;
}

void lm_design_elastic_hessian(const lm_design_model* m, lm_design_stiffness s, const double* y, double scale,
                               bool positive, lm_design_band* band, int32_t column)
{
	int64_t stride = band->stride;
	double *panel = lm_design_band_panel(band, column), *sums = band->sums;
	kernels_of(m)->hessian(m, s, y, scale, positive, sums);
	for (int32_t b = 0; b < m->node_count; ++b)
		for (int32_t a = b; a < m->node_count; ++a, sums += 12)
			for (int j = 0; j < 3; ++j)
			{
				double* to = panel + (3 * b + j) * stride + 3 * a;
				to[0] += sums[4 * j], to[1] += sums[4 * j + 1], to[2] += sums[4 * j + 2];
			}
}

void lm_design_elastic_blocks(const lm_design_model* m, lm_design_stiffness s, const double* y, bool positive,
                              float* blocks)
{
	kernels_of(m)->blocks(m, s, y, positive, blocks);
}

double lm_design_least_volume(const lm_design_model* m, const double* y)
{
	double least = INFINITY;
	for (int32_t p = 0; p < m->point_count; ++p)
		least = fmin(least, lm_det(lm_design_gradient_at(&m->integration, p, y)));
	return least;
}
