// Energy, force and stiffness of a thin shell; see cloth.h.
#include "track/cloth.h"

#include "base/parallel.h"
#include "elastic/measure.h"
#include "elastic/psd.h"
#include "math/vec.h"

#include <string.h>

// ---- membrane ----------------------------------------------------------------------------------------------------

typedef struct membrane
{
	double lambda, mu;
} membrane;

static membrane lame(const lm_cloth_material* m)
{
	return (membrane){ m->stretch * m->poisson / (1 - m->poisson * m->poisson), m->stretch / (2 * (1 + m->poisson)) };
}

// F (3 x 2) as its columns, E and the stress S = lambda tr(E) I + 2 mu E, both symmetric: 00, 01, 11.
typedef struct strained
{
	lm_vec3 F[2];
	double E[3], S[3];
} strained;

static strained strain(const lm_cloth* cloth, membrane m, int32_t t, const double* x)
{
	const int32_t* v = cloth->triangles + 3 * (int64_t)t;
	const lm_cloth_triangle* rest = &cloth->rest[t];
	lm_vec3 a = lm_v3_at(x, v[0]), u = lm_sub(lm_v3_at(x, v[1]), a), w = lm_sub(lm_v3_at(x, v[2]), a);
	strained s;
	for (int k = 0; k < 2; ++k)
		s.F[k] = lm_add_scaled(lm_scale(rest->B[0][k], u), rest->B[1][k], w);
	s.E[0] = (lm_dot(s.F[0], s.F[0]) - 1) / 2, s.E[2] = (lm_dot(s.F[1], s.F[1]) - 1) / 2;
	s.E[1] = lm_dot(s.F[0], s.F[1]) / 2;
	double trace = m.lambda * (s.E[0] + s.E[2]);
	s.S[0] = trace + 2 * m.mu * s.E[0], s.S[1] = 2 * m.mu * s.E[1], s.S[2] = trace + 2 * m.mu * s.E[2];
	return s;
}

static double triangle_energy(const lm_cloth* cloth, membrane m, int32_t t, const double* x)
{
	strained s = strain(cloth, m, t, x);
	double trace = s.E[0] + s.E[2], squares = s.E[0] * s.E[0] + 2 * s.E[1] * s.E[1] + s.E[2] * s.E[2];
	return cloth->rest[t].area * (m.lambda / 2 * trace * trace + m.mu * squares);
}

// Gradients b_a of the three hat functions in the plane at rest: those of corners 1 and 2 are the rows of B.
static void hat_gradients(const lm_cloth_triangle* rest, double b[3][2])
{
	for (int k = 0; k < 2; ++k)
		b[1][k] = rest->B[0][k], b[2][k] = rest->B[1][k], b[0][k] = -b[1][k] - b[2][k];
}

// dW/dx_a = A F S b_a
static void triangle_gradient(const lm_cloth* cloth, membrane m, int32_t t, const double* x, lm_vec3 g[3])
{
	strained s = strain(cloth, m, t, x);
	double b[3][2], area = cloth->rest[t].area;
	hat_gradients(&cloth->rest[t], b);
	for (int a = 0; a < 3; ++a)
	{
		double p = s.S[0] * b[a][0] + s.S[1] * b[a][1], q = s.S[1] * b[a][0] + s.S[2] * b[a][1];
		g[a] = lm_add(lm_scale(area * p, s.F[0]), lm_scale(area * q, s.F[1]));
	}
}

// d2W/dx_a dx_b = A ((b_a . S b_b) I + lambda (F b_a)(F b_b)^T + mu ((b_a . b_b) F F^T + (F b_b)(F b_a)^T))
static void triangle_stiffness(const lm_cloth* cloth, membrane m, int32_t t, const double* x, double H[81])
{
	strained s = strain(cloth, m, t, x);
	double b[3][2], area = cloth->rest[t].area;
	hat_gradients(&cloth->rest[t], b);
	lm_vec3 Fb[3];
	lm_mat3 FF = { { { 0 } } };
	for (int a = 0; a < 3; ++a)
		Fb[a] = lm_add(lm_scale(b[a][0], s.F[0]), lm_scale(b[a][1], s.F[1]));
	lm_add_outer(&FF, 1, s.F[0], s.F[0]);
	lm_add_outer(&FF, 1, s.F[1], s.F[1]);
	for (int p = 0; p < 3; ++p)
		for (int q = 0; q < 3; ++q)
		{
			double stress =
				b[p][0] * (s.S[0] * b[q][0] + s.S[1] * b[q][1]) + b[p][1] * (s.S[1] * b[q][0] + s.S[2] * b[q][1]);
			double inner = b[p][0] * b[q][0] + b[p][1] * b[q][1];
			lm_mat3 K = { { { stress, 0, 0 }, { 0, stress, 0 }, { 0, 0, stress } } };
			lm_add_outer(&K, m.lambda, Fb[p], Fb[q]);
			lm_add_outer(&K, m.mu, Fb[q], Fb[p]);
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					H[9 * (3 * p + i) + 3 * q + j] = area * (K.m[i][j] + m.mu * inner * FF.m[i][j]);
		}
}

// ---- bending -----------------------------------------------------------------------------------------------------

static void hinge_corners(const lm_cloth* cloth, int32_t e, const double* x, double local[12])
{
	const int32_t* v = cloth->hinges + 4 * (int64_t)e;
	for (int i = 0; i < 4; ++i)
		memcpy(local + 3 * i, x + 3 * (int64_t)v[i], 3 * sizeof *x);
}

double lm_cloth_angle(const lm_cloth* cloth, int32_t hinge, const double* x)
{
	double local[12], angle;
	hinge_corners(cloth, hinge, x, local);
	lm_measure_hinge.value(local, &angle);
	return angle;
}

// W = k/2 (theta - Theta)^2: k, and the difference, which is taken around the shorter way
static double hinge_weight(const lm_cloth* cloth, const lm_cloth_material* m, int32_t e)
{
	return 6 * m->bend * cloth->stiffness[e] * cloth->lengths[e] * cloth->lengths[e] / cloth->areas[e];
}

static double hinge_bend(const lm_cloth* cloth, int32_t e, const double local[12])
{
	double angle;
	lm_measure_hinge.value(local, &angle);
	return remainder(angle - cloth->rest_angles[e], 2 * 3.14159265358979323846);
}

static void hinge_gradient(const lm_cloth* cloth, const lm_cloth_material* m, int32_t e, const double* x, double g[12])
{
	double local[12];
	hinge_corners(cloth, e, x, local);
	lm_measure_hinge.gradient(local, g);
	double force = hinge_weight(cloth, m, e) * hinge_bend(cloth, e, local);
	for (int i = 0; i < 12; ++i)
		g[i] *= force;
}

static void hinge_stiffness(const lm_cloth* cloth, const lm_cloth_material* m, int32_t e, const double* x,
                            double H[144])
{
	double local[12], g[12], k = hinge_weight(cloth, m, e);
	hinge_corners(cloth, e, x, local);
	lm_measure_hinge.gradient(local, g);
	double force = k * hinge_bend(cloth, e, local);
	for (int i = 0; i < 144; ++i)
		H[i] = k * g[i / 12] * g[i % 12];
	if (force != 0)
		lm_measure_hinge.hessian(local, &force, H);
}

// ---- all terms ---------------------------------------------------------------------------------------------------

typedef struct sweep
{
	const lm_cloth* cloth;
	const lm_cloth_material* material;
	const double* x;
	bool convex;
	double* locals;
} sweep;

static void sum_energies(void* context, int64_t begin, int64_t end)
{
	sweep* s = context;
	const lm_cloth* cloth = s->cloth;
	membrane m = lame(s->material);
	double sum = 0;
	for (int64_t i = begin; i < end; ++i)
		if (i < cloth->triangle_count)
			sum += triangle_energy(cloth, m, (int32_t)i, s->x);
		else
		{
			int32_t e = (int32_t)(i - cloth->triangle_count);
			double local[12];
			hinge_corners(cloth, e, s->x, local);
			double bend = hinge_bend(cloth, e, local);
			sum += hinge_weight(cloth, s->material, e) / 2 * bend * bend;
		}
	cloth->partials[begin / LM_CLOTH_GRAIN] = sum;
}

double lm_cloth_energy(const lm_cloth* cloth, const lm_cloth_material* material, const double* x, int threads)
{
	sweep s = { .cloth = cloth, .material = material, .x = x };
	int64_t count = (int64_t)cloth->triangle_count + cloth->hinge_count;
	lm_parallel_for(threads, count, LM_CLOTH_GRAIN, sum_energies, &s);
	double sum = 0;
	for (int64_t i = 0; i < lm_chunk_count(count, LM_CLOTH_GRAIN); ++i)
		sum += cloth->partials[i];
	return sum;
}

void lm_cloth_add_gradient(const lm_cloth* cloth, const lm_cloth_material* material, const double* x, double* gradient)
{
	membrane m = lame(material);
	for (int32_t t = 0; t < cloth->triangle_count; ++t)
	{
		lm_vec3 g[3];
		triangle_gradient(cloth, m, t, x, g);
		for (int a = 0; a < 3; ++a)
		{
			int32_t v = cloth->triangles[3 * (int64_t)t + a];
			lm_v3_store(gradient, v, lm_add(lm_v3_at(gradient, v), g[a]));
		}
	}
	for (int32_t e = 0; e < cloth->hinge_count; ++e)
	{
		double g[12];
		hinge_gradient(cloth, material, e, x, g);
		for (int i = 0; i < 12; ++i)
			gradient[3 * (int64_t)cloth->hinges[4 * (int64_t)e + i / 3] + i % 3] += g[i];
	}
}

static void fill_locals(void* context, int64_t begin, int64_t end)
{
	sweep* s = context;
	const lm_cloth* cloth = s->cloth;
	membrane m = lame(s->material);
	for (int64_t i = begin; i < end; ++i)
	{
		bool is_triangle = i < cloth->triangle_count;
		double* local = s->locals + cloth->pattern->local_start[i];
		if (is_triangle)
			triangle_stiffness(cloth, m, (int32_t)i, s->x, local);
		else
			hinge_stiffness(cloth, s->material, (int32_t)(i - cloth->triangle_count), s->x, local);
		if (s->convex)
			lm_psd_project(is_triangle ? 3 : 4, 3, local);
	}
}

void lm_cloth_stiffness(const lm_cloth* cloth, const lm_cloth_material* material, const double* x, bool convex,
                        int threads, double* locals)
{
	sweep s = { .cloth = cloth, .material = material, .x = x, .convex = convex, .locals = locals };
	lm_parallel_for(threads, (int64_t)cloth->triangle_count + cloth->hinge_count, LM_CLOTH_GRAIN, fill_locals, &s);
}
