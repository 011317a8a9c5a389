// soft.h: soft bodies for the tests of contact between bodies: particles under global shape matching (Mueller et al.
// 2005), which is enough to be stiff and knows nothing of the engine that contact is for.
#ifndef LIMBER_TEST_SOFT_H
#define LIMBER_TEST_SOFT_H

#include "shapes.h"

#include "contact/pairs.h"
#include "contact/particles.h"
#include "math/svd.h"

typedef struct soft
{
	lm_mesh* mesh;
	lm_contact_body* body;
	float *x, *v, *inverse_mass;
	lm_particles view;
} soft;

// Takes the mesh over.
static inline soft make_soft(lm_mesh* mesh, double mass)
{
	lm_host host = lm_host_default();
	soft s = { .mesh = mesh };
	lm_error error;
	if (lm_contact_body_create(mesh, &host, &s.body, &error) != LM_OK)
	{
		print_error("%s\n", error.message);
		fail();
	}
	size_t n = (size_t)mesh->vertex_count;
	size_t numbers = lm_particle_numbers(mesh->vertex_count);
	s.x = calloc(numbers, sizeof(float)), s.v = calloc(numbers, sizeof(float));
	s.inverse_mass = calloc(n, sizeof(float));
	for (size_t i = 0; i < n; ++i)
	{
		for (int k = 0; k < 3; ++k)
			s.x[lm_particle_place((int64_t)i, k)] = (float)mesh->positions[3 * i + k];
		s.inverse_mass[i] = (float)((double)n / mass);
	}
	s.view = (lm_particles){
		.count = mesh->vertex_count, .x = s.x, .v = s.v, .inverse_mass = s.inverse_mass, .friction = 0.5
	};
	return s;
}

static inline void free_soft(soft* s)
{
	lm_contact_body_destroy(s->body);
	lm_mesh_destroy(s->mesh);
	free(s->x);
	free(s->v);
	free(s->inverse_mass);
}

static inline lm_vec3 soft_mean(const soft* s, const float* values)
{
	lm_vec3 sum = { 0, 0, 0 };
	for (int32_t i = 0; i < s->view.count; ++i)
		sum = lm_add(sum, lm_particle_at(values, i));
	return lm_scale(1.0 / s->view.count, sum);
}

static inline void soft_throw(soft* s, double vx, double vy, double vz)
{
	for (int32_t i = 0; i < s->view.count; ++i)
		s->v[lm_particle_place(i, 0)] = (float)vx, s->v[lm_particle_place(i, 1)] = (float)vy,
								  s->v[lm_particle_place(i, 2)] = (float)vz;
}

static inline void soft_shift(soft* s, double x, double y, double z)
{
	for (int32_t i = 0; i < s->view.count; ++i)
		s->x[lm_particle_place(i, 0)] += (float)x, s->x[lm_particle_place(i, 1)] += (float)y,
			s->x[lm_particle_place(i, 2)] += (float)z;
}

// v += h g, towards the goals of shape matching by alpha, x += h v.
static inline void soft_step(soft* s, double h, double gravity, double alpha)
{
	int32_t n = s->view.count;
	s->view.gravity = fabs(gravity);
	for (int32_t i = 0; i < n; ++i)
		if (s->inverse_mass[i] > 0)
			s->v[lm_particle_place(i, 1)] -= (float)(h * gravity);
	lm_vec3 rest_center = { 0, 0, 0 }, center = { 0, 0, 0 };
	for (int32_t i = 0; i < n; ++i)
	{
		rest_center = lm_add_scaled(rest_center, 1.0 / n, lm_v3_at(s->mesh->positions, i));
		center = lm_add_scaled(center, 1.0 / n, lm_add_scaled(lm_particle_at(s->x, i), h, lm_particle_at(s->v, i)));
	}
	lm_mat3 A = { 0 };
	for (int32_t i = 0; i < n; ++i)
		lm_add_outer(&A, 1, lm_sub(lm_add_scaled(lm_particle_at(s->x, i), h, lm_particle_at(s->v, i)), center),
		             lm_sub(lm_v3_at(s->mesh->positions, i), rest_center));
	lm_mat3 R = lm_polar3(A).R;
	for (int32_t i = 0; i < n; ++i)
	{
		if (s->inverse_mass[i] == 0)
			continue;
		lm_vec3 goal = lm_add(center, lm_mul_v(R, lm_sub(lm_v3_at(s->mesh->positions, i), rest_center)));
		lm_vec3 free_end = lm_add_scaled(lm_particle_at(s->x, i), h, lm_particle_at(s->v, i));
		lm_vec3 v = lm_add_scaled(lm_particle_at(s->v, i), alpha / h, lm_sub(goal, free_end));
		s->v[lm_particle_place(i, 0)] = (float)v.x, s->v[lm_particle_place(i, 1)] = (float)v.y,
								  s->v[lm_particle_place(i, 2)] = (float)v.z;
		for (int k = 0; k < 3; ++k)
			s->x[lm_particle_place(i, k)] += (float)h * s->v[lm_particle_place(i, k)];
	}
}

typedef struct momentum
{
	lm_vec3 linear, angular;
	double energy;
} momentum;

static inline momentum soft_momentum(const soft* s, int count, const float* const* positions)
{
	momentum m = { 0 };
	for (int k = 0; k < count; ++k)
		for (int32_t i = 0; i < s[k].view.count; ++i)
		{
			double mass = s[k].inverse_mass[i] > 0 ? 1.0 / s[k].inverse_mass[i] : 0;
			lm_vec3 v = lm_particle_at(s[k].v, i), x = lm_particle_at(positions ? positions[k] : s[k].x, i);
			x = lm_add(x, lm_v3_at(s[k].view.origin, 0));
			m.linear = lm_add_scaled(m.linear, mass, v);
			m.angular = lm_add_scaled(m.angular, mass, lm_cross(x, v));
			m.energy += 0.5 * mass * lm_dot(v, v);
		}
	return m;
}

static inline void soft_resolve(lm_contact_pairs* pairs, soft* s, int count, bool self, double h, int threads,
                                double* deepest)
{
	lm_contact_body* bodies[32];
	lm_particles views[32];
	bool selves[32];
	for (int k = 0; k < count; ++k)
		bodies[k] = s[k].body, views[k] = s[k].view, selves[k] = self;
	lm_error error;
	assert_int_equal(lm_contact_pairs_resolve(pairs, bodies, views, selves, count, h, threads, deepest, &error), LM_OK);
}

#endif
