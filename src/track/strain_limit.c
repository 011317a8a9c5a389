#include "track/strain_limit.h"

#include <math.h>

bool lm_strain_limit_reach(const double E[3], double limit, double stretch, lm_strain_limit* reached)
{
	if (!(limit > 0))
		return false;
	double e = limit + limit * limit / 2, middle = (E[0] + E[2]) / 2, half = (E[0] - E[2]) / 2;
	double radius = sqrt(half * half + E[1] * E[1]);
	if (!(middle + radius > e))
		return false;
	double angle = radius > 0 ? atan2(E[1], half) / 2 : 0, c = cos(angle), s = sin(angle);
	double K = LM_STRAIN_LIMIT_STIFFNESS * stretch, one = K * (middle + radius - e),
		   two = K * fmax(0, middle - radius - e);
	double between = two > 0 ? K : one / (2 * radius); // two is 0 here, so that E_1 and E_2 differ
	*reached = (lm_strain_limit){ { { c, s }, { -s, c } }, { one, two }, { K, two > 0 ? K : 0, between / 2 }, K };
	return true;
}

double lm_strain_limit_energy(const lm_strain_limit* r)
{
	return (r->w[0] * r->w[0] + r->w[1] * r->w[1]) / (2 * r->K);
}

void lm_strain_limit_stress(const lm_strain_limit* r, double S[3])
{
	for (int i = 0; i < 2; ++i)
	{
		S[0] += r->w[i] * r->n[i][0] * r->n[i][0];
		S[1] += r->w[i] * r->n[i][0] * r->n[i][1];
		S[2] += r->w[i] * r->n[i][1] * r->n[i][1];
	}
}

// dE_i / dx = (b . n_i) F n_i and d(2 E_12) / dx = (b . n_1) F n_2 + (b . n_2) F n_1
static void strain_gradients(const lm_strain_limit* r, const double b[2], const lm_vec3 Fn[2], lm_vec3 gradients[3])
{
	double p = b[0] * r->n[0][0] + b[1] * r->n[0][1], q = b[0] * r->n[1][0] + b[1] * r->n[1][1];
	gradients[0] = lm_scale(p, Fn[0]);
	gradients[1] = lm_scale(q, Fn[1]);
	gradients[2] = lm_add_scaled(lm_scale(p, Fn[1]), q, Fn[0]);
}

void lm_strain_limit_stiffness(const lm_strain_limit* r, double area, const double b[2], const double c[2],
                               const lm_vec3 F[2], double K[3][3])
{
	lm_vec3 Fn[2], u[3], v[3];
	for (int i = 0; i < 2; ++i)
		Fn[i] = lm_add_scaled(lm_scale(r->n[i][0], F[0]), r->n[i][1], F[1]);
	strain_gradients(r, b, Fn, u);
	strain_gradients(r, c, Fn, v);
	for (int k = 0; k < 3; ++k)
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				K[i][j] += area * r->D[k] * lm_v3_get(u[k], i) * lm_v3_get(v[k], j);
}
