// frequency.c: the slowest free vibration of a model: the smallest lambda > 0 of K u = lambda M u, by inverse
// iteration on K + shift M, with what moves and turns the body as a whole (lambda = 0) taken out.
#include "base/alloc.h"
#include "base/error.h"
#include "design/simulate.h"

#include <string.h>

void lm_design_mass(const lm_design_model* m, double* M)
{
	const lm_design_rows* rows = &m->integration;
	size_t n = (size_t)m->node_count;
	memset(M, 0, n * n * sizeof *M);
	for (int32_t q = 0; q < m->point_count; ++q)
		for (int64_t a = rows->start[q]; a < rows->start[q + 1]; ++a)
			for (int64_t b = rows->start[q]; b < rows->start[q + 1]; ++b)
				M[(size_t)rows->node[a] * n + (size_t)rows->node[b]] += m->volumes[q] * rows->phi[a] * rows->phi[b];
}

// Mu = M u for vectors of three numbers per node.
static void times_mass(int32_t n, const double* M, const double* u, double* Mu)
{
	for (int32_t i = 0; i < n; ++i)
	{
		lm_vec3 sum = { 0, 0, 0 };
		for (int32_t j = 0; j < n; ++j)
			sum = lm_add_scaled(sum, M[(size_t)i * (size_t)n + (size_t)j], lm_v3_at(u, j));
		lm_v3_store(Mu, i, sum);
	}
}

static double dot(int32_t n, const double* a, const double* b)
{
	double sum = 0;
	for (int32_t i = 0; i < n; ++i)
		sum += a[i] * b[i];
	return sum;
}

typedef struct vibration
{
	int32_t n; // nodes
	double* M;
	double *rigid, *rigid_mass; // six motions as a whole, orthonormal in M, and M times each
	double *u, *Mu, *next;
} vibration;

static void take_out_rigid(const vibration* w, double* u, int count)
{
	for (int k = 0; k < count; ++k)
	{
		double along = dot(3 * w->n, u, w->rigid_mass + (size_t)(3 * w->n * k));
		for (int32_t i = 0; i < 3 * w->n; ++i)
			u[i] -= along * w->rigid[3 * w->n * k + i];
	}
}

// Scales u so that u M u = 1; leaves Mu. False when there is nothing left of it.
static bool make_unit(const vibration* w, double* u, double* Mu)
{
	times_mass(w->n, w->M, u, Mu);
	double size = sqrt(dot(3 * w->n, u, Mu));
	if (!(size > 1e-12))
		return false;
	for (int32_t i = 0; i < 3 * w->n; ++i)
		u[i] /= size, Mu[i] /= size;
	return true;
}

static void find_rigid(vibration* w, const lm_design_model* m)
{
	for (int k = 0; k < 6; ++k)
	{
		double *u = w->rigid + (size_t)(3 * w->n * k), *Mu = w->rigid_mass + (size_t)(3 * w->n * k);
		for (int32_t i = 0; i < w->n; ++i)
		{
			lm_vec3 e = lm_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), r = lm_sub(lm_v3_at(m->nodes, i), m->middle);
			lm_v3_store(u, i, k < 3 ? e : lm_cross(e, r));
		}
		take_out_rigid(w, u, k);
		make_unit(w, u, Mu);
	}
}

static double iterate(vibration* w, const lm_design_model* m, lm_design_stiffness s, lm_design_band* band)
{
	double trace = 0, mass = 0, lambda = 0;
	lm_design_band_clear(band);
	lm_design_elastic_hessian(m, s, m->nodes, 1, false, band, 0);
	double* K = lm_design_band_panel(band, 0);
	for (int32_t i = 0; i < 3 * w->n; ++i)
		trace += K[i * band->stride + i], mass += w->M[(size_t)(i / 3) * (size_t)(w->n + 1)];
	double shift = 1e-6 * trace / mass;
	for (int32_t i = 0; i < w->n; ++i)
		for (int32_t j = 0; j <= i; ++j)
			for (int d = 0; d < 3; ++d)
				K[(3 * j + d) * band->stride + 3 * i + d] += shift * w->M[(size_t)i * (size_t)w->n + (size_t)j];
	if (!lm_design_band_factorize(band, 0))
		return 0;
	for (int32_t i = 0; i < 3 * w->n; ++i)
		w->u[i] = sin(1.0 + 7.3 * i); // anything that is not orthogonal to what is sought
	take_out_rigid(w, w->u, 6);
	if (!make_unit(w, w->u, w->Mu))
		return 0;
	for (int round = 0; round < 40; ++round)
	{
		lm_design_band_solve(band, w->Mu, w->next);
		double inverse = dot(3 * w->n, w->Mu, w->next); // Rayleigh's quotient of (K + shift M)^-1
		memcpy(w->u, w->next, 3 * (size_t)w->n * sizeof(double));
		take_out_rigid(w, w->u, 6);
		if (!make_unit(w, w->u, w->Mu) || !(inverse > 0))
			return 0;
		double found = fmax(1 / inverse - shift, 0);
		bool same = fabs(found - lambda) < 1e-4 * found;
		lambda = found;
		if (same)
			break;
	}
	return lambda;
}

lm_status lm_design_slowest(const lm_design_model* m, lm_design_stiffness stiffness, const lm_host* host,
                            double* square, lm_error* error)
{
	size_t n = (size_t)m->node_count;
	vibration w = { .n = m->node_count, .M = LM_NEW(host, n * n, double), .u = LM_NEW(host, 3 * n * 15, double) };
	lm_design_band band = { 0 };
	bool room = w.M != NULL && w.u != NULL && lm_design_band_resize(&band, host, 3 * m->node_count, 0, 1);
	if (room)
	{
		w.Mu = w.u + 3 * n, w.next = w.Mu + 3 * n, w.rigid = w.next + 3 * n, w.rigid_mass = w.rigid + 18 * n;
		lm_design_mass(m, w.M);
		find_rigid(&w, m);
		*square = iterate(&w, m, stiffness, &band);
	}
	lm_design_band_release(&band);
	lm_free(host, w.M);
	lm_free(host, w.u);
	return room ? LM_OK : lm_fail_memory(error);
}
