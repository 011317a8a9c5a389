// Energy, force and stiffness of a thin shell; see cloth.h.
#include "track/cloth.h"

#include "base/parallel.h"
#include "elastic/measure.h"
#include "math/vec.h"
#include "track/strain_limit.h"

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

// F (3 x 2) as its columns, E and the stress S = lambda tr(E) I + 2 mu E and that of the strain limit, where it is
// reached; E and S are symmetric: 00, 01, 11.
typedef struct strained
{
	lm_vec3 F[2];
	double E[3], S[3];
	bool is_beyond;
	lm_strain_limit limit;
} strained;

static strained strain(const lm_cloth_law* law, membrane m, int32_t t, const double* x)
{
	const lm_cloth* cloth = law->cloth;
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
	s.is_beyond = lm_strain_limit_reach(s.E, law->material.strain_limit, law->material.stretch, &s.limit);
	if (s.is_beyond)
		lm_strain_limit_stress(&s.limit, s.S);
	return s;
}

static double triangle_energy(const lm_cloth_law* law, int32_t t, const double* x)
{
	membrane m = lame(&law->material);
	strained s = strain(law, m, t, x);
	double trace = s.E[0] + s.E[2], squares = s.E[0] * s.E[0] + 2 * s.E[1] * s.E[1] + s.E[2] * s.E[2];
	double beyond = s.is_beyond ? lm_strain_limit_energy(&s.limit) : 0;
	return law->cloth->rest[t].area * (m.lambda / 2 * trace * trace + m.mu * squares + beyond);
}

double lm_cloth_largest_stretch(const lm_cloth* cloth, const double* x)
{
	double most = 0;
	for (int32_t t = 0; t < cloth->triangle_count; ++t)
	{
		strained s = strain(&(lm_cloth_law){ .cloth = cloth }, (membrane){ 0 }, t, x);
		double middle = (s.E[0] + s.E[2]) / 2, half = (s.E[0] - s.E[2]) / 2;
		most = fmax(most, sqrt(fmax(0, 1 + 2 * (middle + sqrt(half * half + s.E[1] * s.E[1])))) - 1);
	}
	return most;
}

// Gradients b_a of the three hat functions in the plane at rest: those of corners 1 and 2 are the rows of B.
static void hat_gradients(const lm_cloth_triangle* rest, double b[3][2])
{
	for (int k = 0; k < 2; ++k)
		b[1][k] = rest->B[0][k], b[2][k] = rest->B[1][k], b[0][k] = -b[1][k] - b[2][k];
}

// dW/dx_a = A F S b_a, added to g
static void add_triangle_gradient(const strained* s, double b[3][2], double area, double g[9])
{
	for (int a = 0; a < 3; ++a)
	{
		double p = s->S[0] * b[a][0] + s->S[1] * b[a][1], q = s->S[1] * b[a][0] + s->S[2] * b[a][1];
		lm_vec3 force = lm_add(lm_scale(area * p, s->F[0]), lm_scale(area * q, s->F[1]));
		g[3 * a] += force.x, g[3 * a + 1] += force.y, g[3 * a + 2] += force.z;
	}
}

// d2W/dx_a dx_b = A ((b_a . S b_b) I + lambda (F b_a)(F b_b)^T + mu ((b_a . b_b) F F^T + (F b_b)(F b_a)^T)), added to H
static void add_triangle_stiffness(const strained* s, membrane m, double b[3][2], double area, double H[81])
{
	lm_vec3 Fb[3];
	lm_mat3 FF = { { { 0 } } };
	for (int a = 0; a < 3; ++a)
		Fb[a] = lm_add(lm_scale(b[a][0], s->F[0]), lm_scale(b[a][1], s->F[1]));
	lm_add_outer(&FF, 1, s->F[0], s->F[0]);
	lm_add_outer(&FF, 1, s->F[1], s->F[1]);
	for (int p = 0; p < 3; ++p)
		for (int q = 0; q < 3; ++q)
		{
			double stress =
				b[p][0] * (s->S[0] * b[q][0] + s->S[1] * b[q][1]) + b[p][1] * (s->S[1] * b[q][0] + s->S[2] * b[q][1]);
			double inner = b[p][0] * b[q][0] + b[p][1] * b[q][1];
			lm_mat3 K = { { { stress, 0, 0 }, { 0, stress, 0 }, { 0, 0, stress } } };
			lm_add_outer(&K, m.lambda, Fb[p], Fb[q]);
			lm_add_outer(&K, m.mu, Fb[q], Fb[p]);
			if (s->is_beyond)
				lm_strain_limit_stiffness(&s->limit, 1, b[p], b[q], s->F, K.m);
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					H[9 * (3 * p + i) + 3 * q + j] += area * (K.m[i][j] + m.mu * inner * FF.m[i][j]);
		}
}

// S without its negative eigenvalues: these are m +- r, and (m + r) (I + [d S1; S1 -d] / r) / 2 is the part of the
// larger one, d half the difference of the diagonal.
static void clamp_stress(double S[3])
{
	double m = (S[0] + S[2]) / 2, d = (S[0] - S[2]) / 2, r = sqrt(d * d + S[1] * S[1]);
	if (m >= r)
		return;
	double k = m + r > 0 ? (m + r) / (2 * r) : 0;
	S[0] = k * (r + d), S[1] = k * S[1], S[2] = k * (r - d);
}

// The upper blocks of the same, with the stress of the strain given; added to K.
static void add_triangle_blocks(const strained* s, membrane m, double b[3][2], double area,
                                double K[LM_CLOTH_TRIANGLE_NUMBERS])
{
	lm_vec3 Fb[3];
	lm_mat3 FF = { { { 0 } } };
	for (int a = 0; a < 3; ++a)
		Fb[a] = lm_add(lm_scale(b[a][0], s->F[0]), lm_scale(b[a][1], s->F[1]));
	lm_add_outer(&FF, area * m.mu, s->F[0], s->F[0]);
	lm_add_outer(&FF, area * m.mu, s->F[1], s->F[1]);
	for (int p = 0; p < 3; ++p)
		for (int q = p; q < 3; ++q, K += 9)
		{
			double stress =
				b[p][0] * (s->S[0] * b[q][0] + s->S[1] * b[q][1]) + b[p][1] * (s->S[1] * b[q][0] + s->S[2] * b[q][1]);
			double inner = b[p][0] * b[q][0] + b[p][1] * b[q][1];
			const double u[3] = { Fb[p].x, Fb[p].y, Fb[p].z }, v[3] = { Fb[q].x, Fb[q].y, Fb[q].z };
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					K[3 * i + j] += inner * FF.m[i][j] + area * (m.lambda * u[i] * v[j] + m.mu * v[i] * u[j]);
			for (int i = 0; i < 3; ++i)
				K[4 * i] += area * stress;
			if (s->is_beyond)
				lm_strain_limit_stiffness(&s->limit, area, b[p], b[q], s->F, (double(*)[3])K);
		}
}

static void linearize_triangle(const lm_cloth_law* laws, int count, int32_t t, const double* x, bool clamped,
                               double g[9], double* K)
{
	memset(g, 0, 9 * sizeof *g);
	memset(K, 0, LM_CLOTH_TRIANGLE_NUMBERS * sizeof *K);
	for (int l = 0; l < count; ++l)
	{
		membrane m = lame(&laws[l].material);
		strained s = strain(&laws[l], m, t, x);
		double b[3][2], area = laws[l].cloth->rest[t].area;
		hat_gradients(&laws[l].cloth->rest[t], b);
		add_triangle_gradient(&s, b, area, g);
		if (clamped)
			clamp_stress(s.S);
		add_triangle_blocks(&s, m, b, area, K);
	}
}

// H may be NULL.
static void differentiate_triangle(const lm_cloth_law* laws, int count, int32_t t, const double* x, double g[9],
                                   double* H)
{
	memset(g, 0, 9 * sizeof *g);
	if (H != NULL)
		memset(H, 0, 81 * sizeof *H);
	for (int l = 0; l < count; ++l)
	{
		membrane m = lame(&laws[l].material);
		strained s = strain(&laws[l], m, t, x);
		double b[3][2], area = laws[l].cloth->rest[t].area;
		hat_gradients(&laws[l].cloth->rest[t], b);
		add_triangle_gradient(&s, b, area, g);
		if (H != NULL)
			add_triangle_stiffness(&s, m, b, area, H);
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
static double hinge_weight(const lm_cloth_law* law, int32_t e)
{
	const lm_cloth* cloth = law->cloth;
	return 6 * law->material.bend * cloth->stiffness[e] * cloth->lengths[e] * cloth->lengths[e] / cloth->areas[e];
}

static double hinge_bend(const lm_cloth_law* law, int32_t e, double angle)
{
	double bend = angle - law->cloth->rest_angles[e];
	return fabs(bend) <= LM_PI ? bend : remainder(bend, 2 * LM_PI);
}

static double hinge_energy(const lm_cloth_law* laws, int count, int32_t e, const double* x)
{
	double angle = lm_cloth_angle(laws[0].cloth, e, x), sum = 0;
	for (int l = 0; l < count; ++l)
	{
		double bend = hinge_bend(&laws[l], e, angle);
		sum += hinge_weight(&laws[l], e) / 2 * bend * bend;
	}
	return sum;
}

// dW = force dtheta with force = k (theta - Theta): laws differ in k and Theta only. Sums of k and of the forces.
static void load_hinge(const lm_cloth_law* laws, int count, int32_t e, double angle, double* k, double* force)
{
	*k = *force = 0;
	for (int l = 0; l < count; ++l)
	{
		double weight = hinge_weight(&laws[l], e);
		*k += weight, *force += weight * hinge_bend(&laws[l], e, angle);
	}
}

// d2W = k dtheta dtheta + k (theta - Theta) d2theta. H may be NULL.
static void differentiate_hinge(const lm_cloth_law* laws, int count, int32_t e, const double* x, double g[12],
                                double* H)
{
	double local[12], c, s, k, force;
	hinge_corners(laws[0].cloth, e, x, local);
	lm_hinge_first(local, &c, &s, g);
	load_hinge(laws, count, e, atan2(s, c), &k, &force);
	for (int i = 0; H != NULL && i < 144; ++i)
		H[i] = k * g[i / 12] * g[i % 12];
	if (H != NULL && force != 0)
		lm_measure_hinge.hessian(local, &force, H);
	for (int i = 0; i < 12; ++i)
		g[i] *= force;
}

static void linearize_hinge(const lm_cloth_law* laws, int count, int32_t e, const double* x, double g[12],
                            double K[LM_CLOTH_HINGE_NUMBERS])
{
	double local[12], c, s, force;
	hinge_corners(laws[0].cloth, e, x, local);
	lm_hinge_first(local, &c, &s, K + 1);
	load_hinge(laws, count, e, atan2(s, c), K, &force);
	for (int i = 0; i < 12; ++i)
		g[i] = force * K[i + 1];
}

// ---- all terms ---------------------------------------------------------------------------------------------------

typedef struct sweep
{
	const lm_cloth_law* laws;
	int count;
	const double* x;
	double *gradient, *locals;
	const lm_cloth_stiffness* stiffness;
} sweep;

static void sum_energies(void* context, int64_t begin, int64_t end)
{
	sweep* s = context;
	const lm_cloth* cloth = s->laws[0].cloth;
	double sum = 0;
	for (int64_t i = begin; i < end; ++i)
		if (i >= cloth->triangle_count)
			sum += hinge_energy(s->laws, s->count, (int32_t)(i - cloth->triangle_count), s->x);
		else
			for (int l = 0; l < s->count; ++l)
				sum += triangle_energy(&s->laws[l], (int32_t)i, s->x);
	cloth->partials[begin / LM_CLOTH_GRAIN] = sum;
}

double lm_cloth_energy(const lm_cloth_law* laws, int count, const double* x, int threads)
{
	const lm_cloth* cloth = laws[0].cloth;
	sweep s = { .laws = laws, .count = count, .x = x };
	int64_t terms = (int64_t)cloth->triangle_count + cloth->hinge_count;
	lm_parallel_for(threads, terms, LM_CLOTH_GRAIN, sum_energies, &s);
	double sum = 0;
	for (int64_t i = 0; i < lm_chunk_count(terms, LM_CLOTH_GRAIN); ++i)
		sum += cloth->partials[i];
	return sum;
}

static void differentiate(void* context, int64_t begin, int64_t end)
{
	sweep* s = context;
	const lm_cloth* cloth = s->laws[0].cloth;
	int64_t triangles = cloth->triangle_count;
	for (int64_t i = begin; i < end; ++i)
	{
		int64_t e = i - triangles; // the hinge
		if (e < 0)
			differentiate_triangle(s->laws, s->count, (int32_t)i, s->x, cloth->forces + 9 * i,
			                       s->locals != NULL ? s->locals + 81 * i : NULL);
		else
			differentiate_hinge(s->laws, s->count, (int32_t)e, s->x, cloth->forces + 9 * triangles + 12 * e,
			                    s->locals != NULL ? s->locals + 81 * triangles + 144 * e : NULL);
	}
}

static void add_forces(void* context, int64_t begin, int64_t end)
{
	sweep* s = context;
	const lm_cloth* cloth = s->laws[0].cloth;
	for (int64_t v = begin; v < end; ++v)
		for (int64_t k = cloth->corners.starts[v]; k < cloth->corners.starts[v + 1]; ++k)
			for (int i = 0; i < 3; ++i)
				s->gradient[3 * v + i] += cloth->forces[3 * (int64_t)cloth->corners.items[k] + i];
}

void lm_cloth_derivatives(const lm_cloth_law* laws, int count, const double* x, int threads, double* gradient,
                          double* locals)
{
	const lm_cloth* cloth = laws[0].cloth;
	sweep s = { .laws = laws, .count = count, .x = x, .gradient = gradient, .locals = locals };
	lm_parallel_for(threads, (int64_t)cloth->triangle_count + cloth->hinge_count, LM_CLOTH_GRAIN, differentiate, &s);
	lm_parallel_for(threads, cloth->vertex_count, LM_CLOTH_GRAIN, add_forces, &s);
}

static void linearize(void* context, int64_t begin, int64_t end)
{
	sweep* s = context;
	const lm_cloth* cloth = s->laws[0].cloth;
	int64_t triangles = cloth->triangle_count;
	for (int64_t i = begin; i < end; ++i)
	{
		int64_t e = i - triangles; // the hinge
		if (e < 0)
			linearize_triangle(s->laws, s->count, (int32_t)i, s->x, s->stiffness->clamped, cloth->forces + 9 * i,
			                   s->stiffness->triangles + LM_CLOTH_TRIANGLE_NUMBERS * i);
		else
			linearize_hinge(s->laws, s->count, (int32_t)e, s->x, cloth->forces + 9 * triangles + 12 * e,
			                s->stiffness->hinges + LM_CLOTH_HINGE_NUMBERS * e);
	}
}

void lm_cloth_linearize(const lm_cloth_law* laws, int count, const double* x, int threads, double* gradient,
                        const lm_cloth_stiffness* stiffness)
{
	const lm_cloth* cloth = laws[0].cloth;
	sweep s = { .laws = laws, .count = count, .x = x, .gradient = gradient, .stiffness = stiffness };
	lm_parallel_for(threads, (int64_t)cloth->triangle_count + cloth->hinge_count, LM_CLOTH_GRAIN, linearize, &s);
	lm_parallel_for(threads, cloth->vertex_count, LM_CLOTH_GRAIN, add_forces, &s);
}
