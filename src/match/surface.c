// surface.c: contact at points of a shown surface, carried by the particles.
//
// A point is p_k = sum_i w_ki x_i, its velocity likewise. What contact wants of each by itself, d_k (a displacement,
// and a change of velocity), becomes an impulse l_k at the point; particle i gets its share w_ki of it, so that the
// force and the torque on the body are those at the point:
//
//     x_i' = x_i + sum_k w_ki l_k / m_i,    p' = p + A l,    A_kj = sum_i w_ki w_ji / m_i.
//
// Points share particles, so that l_k = d_k / A_kk would push too far. With D_k = sum_j |A_kj| <= sum_i |w_ki| / m_i
// sum_j |w_ji|, over the points that touch, l_k = d_k / D_k never does (D - A is diagonally dominant), and what all
// points want alike they get at once. What is left is resolved in further rounds, by the same law of contact. Sums go
// in one order, whatever the threads.
#include "base/error.h"
#include "contact/particles.h"
#include "match/body.h"

#include <string.h>

static const double nothing = 1e-7; // of the size: what is less is not moved

enum
{
	most_rounds = 4
};

struct lm_match_surface
{
	int32_t count;
	int64_t* starts;      // of each point, count + 1
	int32_t* particles;   // in our order
	float* weights;       // sum 1
	float *x, *v;         // of the points, in blocks
	float *was_x, *was_v; // before a round
	float* inverse_mass;  // 1 for points that some particle can move
	int32_t* touching;    // numbers of points
	double* sums;         // per particle: of |w| over the points that touch
	double* moved;        // per particle 6: what x and v get
};

void lm_match_release_surface(lm_match* body)
{
	lm_match_surface* s = body->surface;
	if (s == NULL)
		return;
	void* const owned[] = { s->starts, s->particles,    s->weights,  s->x,    s->v,    s->was_x,
		                    s->was_v,  s->inverse_mass, s->touching, s->sums, s->moved };
	for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
		lm_free(&body->host, owned[k]);
	lm_free(&body->host, s);
	body->surface = NULL;
}

#define TAKE(pointer, items) (((pointer) = lm_alloc(&body->host, (size_t)(items), sizeof *(pointer))) != NULL)

lm_status lm_match_build_surface(lm_match* body, const lm_binding* contacts, lm_error* error)
{
	lm_binding_view rows = lm_binding_get(contacts);
	int64_t entries = rows.vertex_count > 0 ? rows.starts[rows.vertex_count] : 0;
	size_t numbers = lm_particle_numbers(rows.vertex_count);
	lm_match_surface* s;
	if (!TAKE(body->surface, 1))
		return lm_fail_memory(error);
	s = body->surface;
	s->count = rows.vertex_count;
	if (!TAKE(s->starts, rows.vertex_count + 1) || !TAKE(s->particles, entries) || !TAKE(s->weights, entries) ||
	    !TAKE(s->x, numbers) || !TAKE(s->v, numbers) || !TAKE(s->was_x, numbers) || !TAKE(s->was_v, numbers) ||
	    !TAKE(s->inverse_mass, numbers) || !TAKE(s->touching, rows.vertex_count) || !TAKE(s->sums, body->count) ||
	    !TAKE(s->moved, 6 * (size_t)body->count))
		return lm_fail_memory(error);
	memcpy(s->starts, rows.starts, ((size_t)rows.vertex_count + 1) * sizeof *s->starts);
	for (int64_t e = 0; e < entries; ++e)
		s->particles[e] = body->to_inner[rows.points[e]], s->weights[e] = (float)rows.weights[e];
	return LM_OK;
}

static void gather(const lm_match* body, lm_match_surface* s, int32_t k)
{
	float x[3] = { 0 }, v[3] = { 0 }, free = 0;
	for (int64_t e = s->starts[k]; e < s->starts[k + 1]; ++e)
	{
		int64_t at = lm_particle_place(s->particles[e], 0);
		float w = s->weights[e];
		for (int c = 0; c < 3; ++c)
		{
			x[c] += w * body->x[at + c * LM_PARTICLE_BLOCK];
			v[c] += w * body->v[at + c * LM_PARTICLE_BLOCK];
		}
		free += w * w * body->inverse_mass[s->particles[e]];
	}
	int64_t to = lm_particle_place(k, 0);
	for (int c = 0; c < 3; ++c)
	{
		s->x[to + c * LM_PARTICLE_BLOCK] = s->was_x[to + c * LM_PARTICLE_BLOCK] = x[c];
		s->v[to + c * LM_PARTICLE_BLOCK] = s->was_v[to + c * LM_PARTICLE_BLOCK] = v[c];
	}
	s->inverse_mass[k] = free > 0 ? 1 : 0;
}

static lm_vec3 moved_by(const float* now, const float* before, int32_t k)
{
	return lm_sub(lm_particle_at(now, k), lm_particle_at(before, k));
}

// The points that contact has moved, and how far it wants the farthest to go.
static int32_t list_touching(lm_match_surface* s, double* farthest)
{
	int32_t count = 0;
	*farthest = 0;
	for (int32_t k = 0; k < s->count; ++k)
	{
		lm_vec3 x = moved_by(s->x, s->was_x, k), v = moved_by(s->v, s->was_v, k);
		if (lm_dot(x, x) + lm_dot(v, v) > 0)
			s->touching[count++] = k, *farthest = fmax(*farthest, lm_length(x));
	}
	return count;
}

static void scatter(lm_match* body, lm_match_surface* s, int32_t touching)
{
	memset(s->sums, 0, (size_t)body->count * sizeof *s->sums);
	memset(s->moved, 0, 6 * (size_t)body->count * sizeof *s->moved);
	for (int32_t t = 0; t < touching; ++t)
		for (int64_t e = s->starts[s->touching[t]]; e < s->starts[s->touching[t] + 1]; ++e)
			s->sums[s->particles[e]] += fabs((double)s->weights[e]);
	for (int32_t t = 0; t < touching; ++t)
	{
		int32_t k = s->touching[t];
		double D = 0;
		for (int64_t e = s->starts[k]; e < s->starts[k + 1]; ++e)
		{
			int32_t i = s->particles[e];
			D += fabs((double)s->weights[e]) * s->sums[i] * (double)body->inverse_mass[i];
		}
		if (!(D > 0))
			continue;
		lm_vec3 x = moved_by(s->x, s->was_x, k), v = moved_by(s->v, s->was_v, k);
		for (int64_t e = s->starts[k]; e < s->starts[k + 1]; ++e)
		{
			int32_t i = s->particles[e];
			double share = (double)(s->weights[e] * body->inverse_mass[i]) / D;
			lm_v3_store(s->moved, 2 * (int64_t)i, lm_add_scaled(lm_v3_at(s->moved, 2 * (int64_t)i), share, x));
			lm_v3_store(s->moved, 2 * (int64_t)i + 1, lm_add_scaled(lm_v3_at(s->moved, 2 * (int64_t)i + 1), share, v));
		}
	}
	for (int32_t i = 0; i < body->count; ++i)
		for (int c = 0; c < 3 && s->sums[i] > 0; ++c)
		{
			body->x[lm_particle_place(i, c)] += (float)s->moved[6 * (int64_t)i + c];
			body->v[lm_particle_place(i, c)] += (float)s->moved[6 * (int64_t)i + 3 + c];
		}
}

double lm_match_touch_surface(lm_match* body, const lm_colliders* colliders, const lm_particles* view, double h)
{
	lm_match_surface* s = body->surface;
	lm_particles points = *view;
	double left = 0;
	int32_t touching = 0;
	points.count = s->count, points.x = s->x, points.v = s->v, points.inverse_mass = s->inverse_mass;
	for (int32_t k = 0; k < s->count; ++k)
		gather(body, s, k);
	for (int round = 0; round < most_rounds; ++round)
	{
		for (int32_t t = 0; t < touching; ++t) // the others have not moved, but for rounding
			gather(body, s, s->touching[t]);
		lm_contact_colliders(colliders, &points, h, body->threads, NULL);
		touching = list_touching(s, &left);
		if (touching == 0)
			return 0;
		if (round > 0 && left < nothing * body->size)
			return left;
		scatter(body, s, touching);
	}
	return left; // less, in truth: the last round has moved them
}
