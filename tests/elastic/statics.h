// statics.h: equilibrium of a body with pinned vertices under dead loads, and its lowest frequency: for the tests of
// refinement.
#ifndef LIMBER_TEST_ELASTIC_STATICS_H
#define LIMBER_TEST_ELASTIC_STATICS_H

#include "test.h"

#include "elastic/elastic.h"
#include "solve/newton.h"
#include "sparse/cholesky.h"

typedef struct statics
{
	lm_elastic* body;
	lm_elastic_view view;
	lm_elastic_material material;
	double* X;    // the initial shape, also the rest shape
	double* x;    // the shape in equilibrium
	double* load; // force per unknown
	bool* pinned; // per vertex
	int32_t* moved[2];
	lm_pattern* pattern;
	lm_cholesky* cholesky;
	double *values, *work;
} statics;

static inline double statics_value(void* context, const double* x)
{
	statics* s = context;
	double W = lm_elastic_energy(s->body, &(lm_elastic_state){ .material = &s->material, .X = s->X, .x = x });
	for (int32_t i = 0; i < s->view.unknowns; ++i)
		W -= s->load[i] * x[i];
	return W;
}

static inline void statics_gradient(void* context, const double* x, double* g)
{
	statics* s = context;
	for (int32_t i = 0; i < s->view.unknowns; ++i)
		g[i] = -s->load[i];
	lm_elastic_add_gradient(s->body, &(lm_elastic_state){ .material = &s->material, .X = s->X, .x = x }, 1, g);
	for (int32_t i = 0; i < s->view.unknowns; ++i)
		if (s->pinned[i / s->view.dimension])
			g[i] = 0;
}

static inline bool statics_factorize(void* context, const double* x, double shift)
{
	statics* s = context;
	memset(s->values, 0, (size_t)s->pattern->entries * sizeof *s->values);
	lm_elastic_add_stiffness(s->body, &(lm_elastic_state){ .material = &s->material, .X = s->X, .x = x }, false, 1,
	                         s->pattern, 0, s->values);
	for (int32_t i = 0; i < s->view.unknowns; ++i)
		if (s->pinned[i / s->view.dimension])
			s->values[s->pattern->diagonal[i]] = 1;
	return lm_cholesky_factorize(s->cholesky, s->values, shift).status == LM_FACTOR_OK;
}

static inline bool statics_solve(void* context, const double* g, double* d)
{
	return lm_cholesky_solve(((statics*)context)->cholesky, 1, g, d);
}

// pinned says which vertices stay; the load is gravity along -y (2D) or -z (3D), weight per length, area or volume.
static inline statics statics_create(const lm_elastic_shape* shape, lm_elastic_material material,
                                     bool (*pinned)(const double* p), double weight)
{
	lm_host host = lm_host_default();
	lm_error error = { 0 };
	statics s = { .material = material };
	if (lm_elastic_create(shape, &host, &s.body, &error) != LM_OK)
		fail_msg("%s", error.message);
	s.view = lm_elastic_get(s.body);
	size_t n = (size_t)s.view.unknowns;
	int d = s.view.dimension;
	s.X = calloc(n, sizeof *s.X), s.x = calloc(n, sizeof *s.x), s.load = calloc(n, sizeof *s.load);
	s.work = calloc((size_t)lm_newton_work((int64_t)n), sizeof *s.work);
	s.pinned = calloc((size_t)s.view.vertex_count, sizeof *s.pinned);
	memcpy(s.X, shape->positions, n * sizeof *s.X);
	memcpy(s.x, shape->positions, n * sizeof *s.x);
	for (int32_t v = 0; v < s.view.vertex_count; ++v)
	{
		s.pinned[v] = pinned(shape->positions + v * d);
		s.load[v * d + d - 1] = -weight * s.view.shares[v];
	}
	lm_element_list lists[2];
	lm_elastic_lists(s.body, false, lists);
	for (int k = 0; k < 2; ++k)
	{
		int64_t count = lists[k].count * lists[k].size;
		s.moved[k] = calloc((size_t)count + 1, sizeof *s.moved[k]);
		for (int64_t i = 0; i < count; ++i)
			s.moved[k][i] = s.pinned[lists[k].index[i]] ? -1 : lists[k].index[i];
		lists[k].index = s.moved[k];
	}
	assert_int_equal(lm_pattern_create((int64_t)n, true, lists, 2, &host, &s.pattern, &error), LM_OK);
	assert_int_equal(lm_cholesky_create(s.pattern, LM_CHOLESKY_LL, &host, &s.cholesky, &error), LM_OK);
	s.values = calloc((size_t)s.pattern->entries, sizeof *s.values);
	return s;
}

static inline void statics_equilibrate(statics* s)
{
	lm_newton_problem problem = {
		s, s->view.unknowns, statics_value, statics_gradient, statics_factorize, statics_solve, NULL, NULL
	};
	lm_newton_settings settings = lm_newton_settings_default();
	settings.tolerance = 1e-9;
	lm_newton_report report = lm_newton_solve(&problem, &settings, s->x, s->work);
	if (report.residual > 1e-6)
		fail_msg("no equilibrium: residual %g after %d iterations", report.residual, report.iterations);
}

// The lowest angular frequency about the rest shape for a density per length, area or volume: inverse iteration with
// the lumped masses.
static inline double statics_frequency(statics* s, double density)
{
	int32_t n = s->view.unknowns, d = s->view.dimension;
	double *u = s->work, *v = s->work + n, omega2 = 0;
	assert_true(statics_factorize(s, s->X, 0));
	for (int32_t i = 0; i < n; ++i)
		u[i] = s->pinned[i / d] ? 0 : 1 + 0.1 * (i % 7);
	for (int k = 0; k < 60; ++k)
	{
		double norm = 0, energy = 0;
		for (int32_t i = 0; i < n; ++i)
			v[i] = s->pinned[i / d] ? 0 : density * s->view.shares[i / d] * u[i];
		memcpy(u, v, (size_t)n * sizeof *u);
		lm_cholesky_solve(s->cholesky, 1, u, u);
		for (int32_t i = 0; i < n; ++i)
		{
			energy += u[i] * v[i];
			norm += s->pinned[i / d] ? 0 : density * s->view.shares[i / d] * u[i] * u[i];
		}
		omega2 = energy / norm;
		for (int32_t i = 0; i < n; ++i)
			u[i] /= sqrt(norm);
	}
	return sqrt(omega2);
}

static inline void statics_destroy(statics* s)
{
	lm_cholesky_destroy(s->cholesky);
	lm_pattern_destroy(s->pattern);
	lm_elastic_destroy(s->body);
	void* all[] = { s->X, s->x, s->load, s->pinned, s->moved[0], s->moved[1], s->values, s->work };
	for (int i = 0; i < 8; ++i)
		free(all[i]);
}

#endif
