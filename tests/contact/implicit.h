// implicit.h: a small implicit engine for the tests of touches: point masses of a body all joined by springs, implicit
// Euler, a dense Newton method over all bodies at once. It knows nothing of the engine that touches are for.
#ifndef LIMBER_TEST_IMPLICIT_H
#define LIMBER_TEST_IMPLICIT_H

#include "shapes.h"

#include "contact/body.h"
#include "contact/touches.h"
#include "sparse/dense.h"

enum
{
	most_bodies = 8,
	most_unknowns = 160
};

typedef struct world
{
	int dimension, count, unknowns, threads;
	double h, gravity[3], elastic, damping;
	lm_colliders* colliders;
	double time;
	lm_touches* touches;
	lm_touch_memory memories[most_bodies];
	lm_touch_body bodies[most_bodies];
	int32_t vertices[most_bodies];
	int first[most_bodies];     // unknown
	double mass[most_bodies];   // of each vertex; infinite (0) when held
	double rest[most_unknowns]; // positions at rest
	double x[most_unknowns], v[most_unknowns], y[most_unknowns], predicted[most_unknowns];
	// of the last step
	int iterations, rounds;
	double residual, deepest, cone;
} world;

static inline world world_of(int dimension, double h)
{
	world w = { .dimension = dimension, .h = h, .gravity = { 0, -9.81, 0 }, .elastic = 1e4, .threads = 1 };
	lm_host host = lm_host_default();
	lm_error error;
	assert_int_equal(lm_touches_create(&host, &w.touches, &error), LM_OK);
	return w;
}

static inline void free_world(world* w)
{
	lm_touches_destroy(w->touches);
	for (int i = 0; i < w->count; ++i)
	{
		lm_contact_body_destroy(w->bodies[i].shape);
		lm_touch_memory_release(&w->memories[i]);
	}
	lm_colliders_destroy(w->colliders);
}

// Takes the shape over. positions: dimension numbers per vertex.
static inline int add_body(world* w, lm_contact_body* shape, int32_t vertices, const double* positions, double mass)
{
	int i = w->count++, n = vertices * w->dimension;
	lm_host host = lm_host_default();
	lm_touch_memory_init(&w->memories[i], &host);
	assert_true(w->unknowns + n <= most_unknowns);
	w->first[i] = w->unknowns, w->vertices[i] = vertices, w->mass[i] = mass / vertices;
	for (int k = 0; k < n; ++k)
		w->x[w->unknowns + k] = w->rest[w->unknowns + k] = positions[k];
	w->unknowns += n;
	w->bodies[i] = (lm_touch_body){
		.shape = shape, .id = i, .stiffness = 2000, .smoothing = 0.005, .slack = 0.001, .friction = 0.8
	};
	return i;
}

// A rectangle of nx x ny squares of two triangles each, lowest corner at (x, y).
static inline int add_rectangle(world* w, int nx, int ny, double size, double x, double y, double mass)
{
	double positions[64];
	int32_t triangles[96], v = 0, t = 0;
	for (int j = 0; j <= ny; ++j)
		for (int i = 0; i <= nx; ++i)
			positions[v++] = x + i * size, positions[v++] = y + j * size;
	for (int j = 0; j < ny; ++j)
		for (int i = 0; i < nx; ++i)
		{
			int32_t a = j * (nx + 1) + i, c = a + nx + 1, corners[6] = { a, a + 1, c + 1, a, c + 1, c };
			memcpy(triangles + t, corners, sizeof corners), t += 6;
		}
	lm_host host = lm_host_default();
	lm_contact_body* shape;
	lm_error error;
	assert_int_equal(lm_contact_body_create_flat(v / 2, positions, t / 3, 3, triangles, &host, &shape, &error), LM_OK);
	return add_body(w, shape, v / 2, positions, mass);
}

static inline int add_curve(world* w, int count, const double* positions, bool closed, double mass)
{
	int32_t edges[64];
	int edge_count = closed ? count : count - 1;
	for (int e = 0; e < edge_count; ++e)
		edges[2 * e] = e, edges[2 * e + 1] = (e + 1) % count;
	lm_host host = lm_host_default();
	lm_contact_body* shape;
	lm_error error;
	assert_int_equal(lm_contact_body_create_flat(count, positions, edge_count, 2, edges, &host, &shape, &error), LM_OK);
	return add_body(w, shape, count, positions, mass);
}

static inline int add_mesh(world* w, lm_mesh* mesh, double mass)
{
	lm_host host = lm_host_default();
	lm_contact_body* shape;
	lm_error error;
	assert_int_equal(lm_contact_body_create(mesh, &host, &shape, &error), LM_OK);
	int i = add_body(w, shape, mesh->vertex_count, mesh->positions, mass);
	lm_mesh_destroy(mesh);
	return i;
}

static inline void shift_body(world* w, int i, double x, double y, double z)
{
	double by[3] = { x, y, z };
	for (int k = 0; k < w->vertices[i] * w->dimension; ++k)
		w->x[w->first[i] + k] += by[k % w->dimension];
}

static inline void throw_body(world* w, int i, double x, double y, double z)
{
	double by[3] = { x, y, z };
	for (int k = 0; k < w->vertices[i] * w->dimension; ++k)
		w->v[w->first[i] + k] = by[k % w->dimension];
}

// ---- the equation M (y - y^) / h^2 + dW/dx - f = 0

// Springs between all vertices of a body, k/2 (l - L)^2; J may be NULL.
static inline void add_elastic(const world* w, int i, const double* y, double* c, double* J)
{
	int d = w->dimension, n = w->unknowns;
	for (int a = 0; a < w->vertices[i]; ++a)
		for (int b = a + 1; b < w->vertices[i]; ++b)
		{
			int ia = w->first[i] + d * a, ib = w->first[i] + d * b;
			double e[3], rest2 = 0, l2 = 0;
			for (int k = 0; k < d; ++k)
			{
				e[k] = y[ib + k] - y[ia + k], l2 += e[k] * e[k];
				rest2 += (w->rest[ib + k] - w->rest[ia + k]) * (w->rest[ib + k] - w->rest[ia + k]);
			}
			double l = sqrt(l2), pull = w->elastic * (l - sqrt(rest2));
			for (int k = 0; k < d; ++k)
			{
				c[ib + k] += pull * e[k] / l, c[ia + k] -= pull * e[k] / l;
				for (int m = 0; J && m < d; ++m)
				{
					double s = fmax(pull / l, 0) * ((k == m) - e[k] * e[m] / l2) + w->elastic * e[k] * e[m] / l2;
					J[(ib + k) * n + ib + m] += s, J[(ia + k) * n + ia + m] += s;
					J[(ib + k) * n + ia + m] -= s, J[(ia + k) * n + ib + m] -= s;
				}
			}
		}
}

static inline double at3(lm_vec3 a, int k)
{
	return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static inline int touch_unknown(const world* w, const lm_spring_touch* t, int i)
{
	return w->first[i < t->own ? t->a : t->b] + w->dimension * t->vertex[i];
}

static inline lm_vec3 touch_at(const world* w, const lm_spring_touch* t, const double* y)
{
	return lm_touch_point(t, y + w->first[t->a], t->b < 0 ? NULL : y + w->first[t->b]);
}

static inline void add_touches(const world* w, const double* y, double* c, double* J)
{
	int64_t count;
	int d = w->dimension, n = w->unknowns;
	const lm_spring_touch* all = lm_touches_list(w->touches, &count);
	for (int64_t k = 0; k < count; ++k)
	{
		const lm_spring_touch* t = &all[k];
		lm_spring_force force;
		lm_spring_evaluate(&t->spring, touch_at(w, t, y), &force);
		for (int i = 0; i < t->count; ++i)
			for (int p = 0; p < d; ++p)
			{
				int row = touch_unknown(w, t, i) + p;
				c[row] -= t->weight[i] * at3(force.f, p);
				for (int j = 0; J && j < t->count; ++j)
					for (int q = 0; q < d; ++q)
						J[row * n + touch_unknown(w, t, j) + q] +=
							t->weight[i] * t->weight[j] * (force.A.m[p][q] + at3(force.U, p) * at3(force.V, q));
			}
	}
}

static inline double equation(const world* w, const double* y, double* c, double* J)
{
	int n = w->unknowns;
	memset(c, 0, sizeof(double) * (size_t)n);
	if (J)
		memset(J, 0, sizeof(double) * (size_t)(n * n));
	for (int i = 0; i < w->count; ++i)
		add_elastic(w, i, y, c, J);
	add_touches(w, y, c, J);
	double norm = 0;
	for (int i = 0; i < w->count; ++i)
		for (int k = 0; k < w->vertices[i] * w->dimension; ++k)
		{
			int at = w->first[i] + k;
			double inertia = w->mass[i] / (w->h * w->h);
			c[at] += inertia * (y[at] - w->predicted[at]);
			if (J)
				J[at * n + at] += inertia;
			if (w->mass[i] == 0) // held
			{
				c[at] = 0;
				for (int j = 0; J && j < n; ++j)
					J[at * n + j] = j == at;
			}
			norm += c[at] * c[at];
		}
	return sqrt(norm);
}

static inline void newton(world* w)
{
	static double J[most_unknowns * most_unknowns];
	double c[most_unknowns], trial[most_unknowns], unused[most_unknowns];
	int32_t pivots[most_unknowns];
	int n = w->unknowns;
	for (int round = 0; round < 60; ++round, ++w->iterations)
	{
		w->residual = equation(w, w->y, c, J);
		if (w->residual < 1e-11)
			return;
		lm_dense_lu(n, J, pivots);
		lm_dense_lu_solve(n, J, pivots, 1, c);
		double step = 1, norm = INFINITY;
		for (int k = 0; k < 20 && !(norm < w->residual); ++k, step /= 2)
		{
			for (int i = 0; i < n; ++i)
				trial[i] = w->y[i] - step * c[i];
			norm = equation(w, trial, unused, NULL);
		}
		if (!(norm < w->residual))
			return;
		memcpy(w->y, trial, sizeof trial);
	}
}

static inline lm_touch_step step_at(world* w, const double* now)
{
	for (int i = 0; i < w->count; ++i)
	{
		w->bodies[i].start = w->x + w->first[i], w->bodies[i].now = now + w->first[i];
		w->bodies[i].memory = &w->memories[i];
	}
	return (lm_touch_step){
		.bodies = w->bodies, .count = w->count, .colliders = w->colliders, .h = w->h, .focus = -1, .threads = w->threads
	};
}

static inline void measure(world* w)
{
	int64_t count;
	const lm_spring_touch* all = lm_touches_list(w->touches, &count);
	w->deepest = 0, w->cone = 0;
	for (int64_t k = 0; k < count; ++k)
	{
		lm_spring_force force;
		lm_spring_evaluate(&all[k].spring, touch_at(w, &all[k], w->y), &force);
		w->deepest = fmax(w->deepest, -force.distance);
		if (force.normal > 0)
			w->cone = fmax(w->cone, lm_length(force.friction) / force.normal);
	}
}

static inline void step_world(world* w)
{
	lm_error error;
	w->time += w->h, w->iterations = 0;
	if (w->colliders)
		lm_colliders_set_time(w->colliders, w->time);
	for (int i = 0; i < w->count; ++i)
		for (int k = 0; k < w->vertices[i] * w->dimension; ++k)
		{
			int at = w->first[i] + k;
			double g = w->mass[i] > 0 ? w->gravity[k % w->dimension] : 0;
			w->predicted[at] = w->x[at] + w->h * ((1 - w->damping) * w->v[at] + w->h * g);
		}
	memcpy(w->y, w->predicted, sizeof w->y);
	lm_touch_step step = step_at(w, w->predicted);
	assert_int_equal(lm_touches_begin(w->touches, &step, &error), LM_OK);
	newton(w);
	bool changed = true;
	for (w->rounds = 0; w->rounds < 3 && changed; ++w->rounds)
	{
		step = step_at(w, w->y);
		assert_int_equal(lm_touches_again(w->touches, &step, &changed, &error), LM_OK);
		if (changed)
			newton(w);
	}
	step = step_at(w, w->y);
	lm_touches_end(w->touches, &step);
	measure(w);
	for (int k = 0; k < w->unknowns; ++k)
		w->v[k] = (w->y[k] - w->x[k]) / w->h, w->x[k] = w->y[k];
}

static inline lm_vec3 mean_of(const world* w, int i, const double* values)
{
	double sum[3] = { 0, 0, 0 };
	for (int k = 0; k < w->vertices[i] * w->dimension; ++k)
		sum[k % w->dimension] += values[w->first[i] + k] / w->vertices[i];
	return lm_v3(sum[0], sum[1], sum[2]);
}

#endif
