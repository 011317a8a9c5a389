// prestrain.c: see prestrain.h. With f_k the columns of F and c_k those of its cofactor matrix,
//   d(B : C)/df_k = 2 sum_l B_kl f_l,   dJ/df_k = c_k.
#include "design/prestrain.h"

#include <math.h>

// As in elastic.c: below a tenth the barrier goes on as its parabola.
static double barrier_slope(double J)
{
	double K = fmax(J, 0.1);
	return 1 - 1 / (K * K) + 2 * (J - K) / (K * K * K);
}

double lm_design_prestrain_energy(const lm_design_model* m, lm_design_stiffness s, const lm_design_prestrain* prestrain,
                                  const double* y, double scale, double* gradient)
{
	const lm_design_rows* rows = &m->integration;
	double total = 0;
	for (int32_t p = 0; p < m->point_count; ++p)
	{
		const lm_design_prestrain* r = &prestrain[p];
		double V = scale * m->volumes[p], strain = 2 * s.strain * V, pull = s.volume * V * r->pull;
		lm_mat3 F = lm_design_gradient_at(rows, p, y);
		lm_vec3 f[3] = { lm_column(F, 0), lm_column(F, 1), lm_column(F, 2) };
		lm_vec3 c[3] = { lm_cross(f[1], f[2]), lm_cross(f[2], f[0]), lm_cross(f[0], f[1]) };
		const double B[3][3] = { { r->B[0], r->B[5], r->B[4] },
			                     { r->B[5], r->B[1], r->B[3] },
			                     { r->B[4], r->B[3], r->B[2] } };
		lm_vec3 P[3];
		double work = 0;
		for (int k = 0; k < 3; ++k)
		{
			lm_vec3 Bf = { 0, 0, 0 };
			for (int l = 0; l < 3; ++l)
				Bf = lm_add_scaled(Bf, B[k][l], f[l]);
			work += lm_dot(Bf, f[k]) - B[k][k];
			P[k] = lm_sub(lm_scale(-2 * strain, Bf), lm_scale(pull, c[k]));
		}
		total -= strain * work + pull * lm_dot(c[0], f[0]);
		for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
		{
			const double* g = rows->grad[e];
			double* to = gradient + 3 * (int64_t)rows->node[e];
			to[0] += g[0] * P[0].x + g[1] * P[1].x + g[2] * P[2].x;
			to[1] += g[0] * P[0].y + g[1] * P[1].y + g[2] * P[2].y;
			to[2] += g[0] * P[0].z + g[1] * P[1].z + g[2] * P[2].z;
		}
	}
	return total;
}

void lm_design_prestrain_of(const lm_design_model* m, const double* y, lm_design_prestrain* prestrain)
{
	for (int32_t p = 0; p < m->point_count; ++p)
	{
		lm_mat3 F = lm_design_gradient_at(&m->integration, p, y);
		lm_vec3 f[3] = { lm_column(F, 0), lm_column(F, 1), lm_column(F, 2) };
		prestrain[p] =
			(lm_design_prestrain){ .B = { lm_dot(f[0], f[0]) - 1, lm_dot(f[1], f[1]) - 1, lm_dot(f[2], f[2]) - 1,
			                              lm_dot(f[1], f[2]), lm_dot(f[2], f[0]), lm_dot(f[0], f[1]) },
			                       .pull = barrier_slope(lm_det(F)) };
	}
}
