// motion_pairs.c: see motion_pairs.h.
//
//   E = objects sum_s tau_s sum max(0, margin - d_b(f_b^-1(f_a(x))))^2
//
// over points x on the surface of a, for all pairs of bodies (a, b) whose spheres meet. The inverse X = f_b^-1(p) is
// first that of the affine map at the node of b nearest to the point; where that is near the surface, Newton's method
// makes it exact, so that energy and gradient are smooth:
//   dd = grad d . F(X)^-1 ( df_a(x) - sum_k Phi_k(X) dy_k ).
#include "design/motion_pairs.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

// ---- memory -----------------------------------------------------------------------------------------------------

static void release_meeting(lm_motion_meeting* meeting, const lm_host* host)
{
	lm_free(host, meeting->touches);
	lm_free(host, meeting->node);
	lm_free(host, meeting->phi);
}

void lm_motion_pairs_release(lm_motion* motion)
{
	lm_motion_pairs* p = motion->pairs;
	const lm_host* host = &motion->host;
	if (p == NULL)
		return;
	for (int32_t s = 0; p->meetings != NULL && s < p->moment_count; ++s)
		release_meeting(&p->meetings[s], host);
	release_meeting(&p->checking, host);
	lm_free(host, p->check_z);
	lm_free(host, p->meetings);
	lm_free(host, p->instants);
	lm_free(host, p->first);
	lm_free(host, p->z);
	lm_free(host, p->gradient);
	lm_free(host, p);
	motion->pairs = NULL;
}

lm_status lm_motion_pairs_prepare(lm_motion* motion, lm_error* error)
{
	const lm_host* host = &motion->host;
	int32_t frames = 2;
	lm_motion_pairs_release(motion);
	for (int32_t b = 0; b < motion->count; ++b)
		frames = motion->bodies[b].timeline.count > frames ? motion->bodies[b].timeline.count : frames;
	lm_motion_pairs* p = motion->pairs = LM_NEW(host, 1, lm_motion_pairs);
	if (p == NULL)
		return lm_fail_memory(error);
	p->moment_count = (frames - 1) * (LM_MOTION_BETWEEN + 1) + 1;
	p->tau = 1.0 / p->moment_count;
	p->first = LM_NEW(host, (size_t)motion->count + 1, int64_t);
	p->instants = LM_NEW(host, (size_t)p->moment_count * (size_t)motion->count, lm_instant);
	p->meetings = LM_NEW(host, p->moment_count, lm_motion_meeting);
	if (p->first == NULL || p->instants == NULL || p->meetings == NULL)
		return lm_fail_memory(error);
	for (int32_t b = 0; b < motion->count; ++b)
		p->first[b + 1] = p->first[b] + 3 * (int64_t)motion->bodies[b].node_count;
	size_t numbers = (size_t)p->first[motion->count] * (size_t)p->moment_count;
	p->z = LM_NEW(host, numbers, double);
	p->gradient = LM_NEW(host, numbers, double);
	p->check_z = LM_NEW(host, p->first[motion->count], double);
	if (p->z == NULL || p->gradient == NULL || p->check_z == NULL)
		return lm_fail_memory(error);
	for (int32_t s = 0; s < p->moment_count; ++s)
		for (int32_t b = 0; b < motion->count; ++b)
			p->instants[(size_t)s * (size_t)motion->count + (size_t)b] =
				lm_timeline_at(&motion->bodies[b].timeline, (double)s / (p->moment_count - 1));
	return LM_OK;
}

// ---- who meets whom ---------------------------------------------------------------------------------------------

typedef struct ball
{
	lm_vec3 center; // world
	double radius;
} ball;

static ball ball_of(const lm_motion_body* body, const double* z)
{
	lm_vec3 middle = { 0, 0, 0 };
	double radius = 0;
	for (int32_t i = 0; i < body->node_count; ++i)
		middle = lm_add_scaled(middle, 1.0 / body->node_count, lm_v3_at(z, i));
	for (int32_t i = 0; i < body->node_count; ++i)
		radius = fmax(radius, lm_distance(middle, lm_v3_at(z, i)));
	return (ball){ lm_add_scaled(body->center, body->size, middle), body->size * (1.1 * radius + 0.05) };
}

static bool invert(lm_mat3 F, lm_mat3* inverse)
{
	double det = lm_det(F);
	if (!(fabs(det) > 1e-6))
		return false;
	lm_vec3 a = lm_column(F, 0), b = lm_column(F, 1), c = lm_column(F, 2);
	lm_vec3 rows[3] = { lm_cross(b, c), lm_cross(c, a), lm_cross(a, b) };
	for (int i = 0; i < 3; ++i)
	{
		inverse->m[i][0] = rows[i].x / det;
		inverse->m[i][1] = rows[i].y / det;
		inverse->m[i][2] = rows[i].z / det;
	}
	return true;
}

// Where the nodes of b are (they need not be at y), for finding the nearest; and F^-1 there when asked for.
static lm_vec3 place_of(const lm_design_rows* rows, int32_t i, const double* z)
{
	lm_vec3 x = { 0, 0, 0 };
	for (int64_t e = rows->start[i]; e < rows->start[i + 1]; ++e)
		x = lm_add_scaled(x, rows->phi[e], lm_v3_at(z, rows->node[e]));
	return x;
}

typedef struct frame_of_b
{
	int32_t count;
	lm_vec3* place;   // of each node
	lm_mat3* inverse; // of F at each node
	bool* good;
} frame_of_b;

// The pre-image of a point by the affine map at the nearest node; false when there is none.
static bool guess(const lm_motion_body* b, const frame_of_b* f, lm_vec3 p, lm_vec3* X)
{
	int32_t nearest = -1;
	double best = INFINITY;
	for (int32_t i = 0; i < f->count; ++i)
	{
		lm_vec3 r = lm_sub(p, f->place[i]);
		double d = lm_dot(r, r);
		if (d < best && f->good[i])
			best = d, nearest = i;
	}
	if (nearest < 0)
		return false;
	*X = lm_add(lm_v3_at(b->timeline.model->nodes, nearest),
	            lm_mul_v(f->inverse[nearest], lm_sub(p, f->place[nearest])));
	return true;
}

// Newton's method for f_b(X) = p; leaves the shape functions and F^-1 of the result.
static bool improve(const lm_motion_body* b, const double* z, lm_vec3 p, lm_vec3* X, lm_design_shape* shape,
                    lm_mat3* inverse)
{
	for (int round = 0; round < 6; ++round)
	{
		lm_vec3 off = lm_scale(-1, p);
		lm_mat3 F = { 0 };
		if (!lm_design_field_shape(b->field, *X, shape))
			return false; // it left the voxels: outside
		for (int n = 0; n < shape->count; ++n)
		{
			lm_vec3 y = lm_v3_at(z, shape->node[n]);
			off = lm_add_scaled(off, shape->phi[n], y);
			lm_add_outer(&F, 1, y, lm_v3_at(shape->grad[n], 0));
		}
		if (!invert(F, inverse))
			return false;
		if (lm_length(off) < 1e-9)
			return true;
		lm_vec3 step = lm_mul_v(*inverse, off);
		double length = lm_length(step);
		*X = lm_add_scaled(*X, length > 0.1 ? -0.1 / length : -1, step);
	}
	return true;
}

static bool add_touch(const lm_host* host, lm_motion_meeting* m, const lm_motion_touch* touch,
                      const lm_design_shape* shape)
{
	size_t needed = m->entry_count + (size_t)shape->count;
	if (!lm_grow(host, (void**)&m->touches, &m->capacity, m->count + 1, sizeof *touch) ||
	    !lm_grow(host, (void**)&m->node, &m->node_capacity, needed, sizeof *m->node) ||
	    !lm_grow(host, (void**)&m->phi, &m->phi_capacity, needed, sizeof *m->phi))
		return false;
	memcpy(m->node + m->entry_count, shape->node, (size_t)shape->count * sizeof *m->node);
	memcpy(m->phi + m->entry_count, shape->phi, (size_t)shape->count * sizeof *m->phi);
	m->touches[m->count] = *touch;
	m->touches[m->count].first = m->entry_count;
	m->touches[m->count++].count = shape->count;
	m->entry_count = needed;
	return true;
}

// All points of a in b. z of all bodies; f is made when first needed.
static bool meet(const lm_motion* motion, int32_t a, int32_t b, const double* z, const ball* around_b, double margin,
                 const frame_of_b* f, lm_motion_meeting* meeting)
{
	const lm_motion_body *first = &motion->bodies[a], *second = &motion->bodies[b];
	const double* za = z + motion->pairs->first[a];
	for (int32_t p = 0; p < first->points->count; ++p)
	{
		lm_vec3 world = lm_add_scaled(first->center, first->size, place_of(first->points, p, za));
		if (lm_distance(world, around_b->center) > around_b->radius + margin * second->size)
			continue;
		lm_vec3 own = lm_scale(1 / second->size, lm_sub(world, second->center)), X, slope;
		lm_design_shape shape;
		lm_mat3 inverse;
		double distance;
		if (!guess(second, f, own, &X) || !lm_design_field_at(second->field, X, &distance, &slope) ||
		    distance > margin + 0.05 || !improve(second, z + motion->pairs->first[b], own, &X, &shape, &inverse) ||
		    !lm_design_field_at(second->field, X, &distance, &slope) || distance >= margin)
			continue;
		lm_motion_touch touch = {
			.a = a, .point = p, .b = b, .normal = lm_tmul_v(inverse, slope), .depth = margin - distance
		};
		if (!add_touch(&motion->host, meeting, &touch, &shape))
			return false;
	}
	return true;
}

static void fill_frame(const lm_motion_body* b, const double* z, frame_of_b* f)
{
	const lm_design_rows* rows = &b->timeline.model->at_nodes;
	f->count = b->node_count;
	for (int32_t i = 0; i < b->node_count; ++i)
	{
		f->place[i] = place_of(rows, i, z);
		f->good[i] = invert(lm_design_gradient_at(rows, i, z), &f->inverse[i]);
	}
}

bool lm_motion_find_touches(const lm_motion* motion, double time, const double* z, double margin,
                            lm_motion_meeting* meeting)
{
	lm_vec3 place[LM_DESIGN_MOST_NODES];
	lm_mat3 inverse[LM_DESIGN_MOST_NODES];
	bool good[LM_DESIGN_MOST_NODES];
	frame_of_b f = { 0, place, inverse, good };
	meeting->count = 0, meeting->entry_count = 0;
	ball* balls = LM_NEW(&motion->host, motion->count, ball);
	bool fine = balls != NULL;
	for (int32_t b = 0; fine && b < motion->count; ++b)
		balls[b] = ball_of(&motion->bodies[b], z + motion->pairs->first[b]);
	for (int32_t b = 0; fine && b < motion->count; ++b)
	{
		bool filled = false;
		for (int32_t a = 0; fine && a < motion->count; ++a)
		{
			double reach = balls[a].radius + balls[b].radius + margin * motion->bodies[b].size;
			if (a == b || lm_distance(balls[a].center, balls[b].center) > reach ||
			    !lm_motion_is_there(&motion->bodies[a], time) || !lm_motion_is_there(&motion->bodies[b], time))
				continue;
			if (!filled)
				fill_frame(&motion->bodies[b], z + motion->pairs->first[b], &f);
			filled = true;
			fine = meet(motion, a, b, z, &balls[b], margin, &f, meeting);
		}
	}
	lm_free(&motion->host, balls);
	return fine;
}

// ---- energy -----------------------------------------------------------------------------------------------------

static void pull(double* g, lm_vec3 force)
{
	g[0] += force.x, g[1] += force.y, g[2] += force.z;
}

static double press(const lm_motion* motion, const lm_motion_meeting* meeting, const lm_motion_touch* t, double weight,
                    double* gradient)
{
	const lm_motion_body *a = &motion->bodies[t->a], *b = &motion->bodies[t->b];
	const lm_design_rows* points = a->points;
	double *ga = gradient + motion->pairs->first[t->a], *gb = gradient + motion->pairs->first[t->b];
	lm_vec3 force = lm_scale(-2 * weight * t->depth, t->normal); // by own lengths of b
	for (int64_t e = points->start[t->point]; e < points->start[t->point + 1]; ++e)
		pull(ga + 3 * (int64_t)points->node[e], lm_scale(points->phi[e] * a->size / b->size, force));
	for (size_t e = t->first; e < t->first + (size_t)t->count; ++e)
		pull(gb + 3 * (int64_t)meeting->node[e], lm_scale(-meeting->phi[e], force));
	return weight * t->depth * t->depth;
}

static void evaluate_moments(void* context, int64_t begin, int64_t end)
{
	lm_motion* motion = context;
	lm_motion_pairs* p = motion->pairs;
	int64_t numbers = p->first[motion->count];
	for (int64_t s = begin; s < end; ++s)
	{
		double *z = p->z + s * numbers, *g = p->gradient + s * numbers;
		lm_motion_meeting* meeting = &p->meetings[s];
		for (int32_t b = 0; b < motion->count; ++b)
			lm_timeline_nodes(&motion->bodies[b].timeline, &p->instants[s * motion->count + b], z + p->first[b], NULL);
		memset(g, 0, (size_t)numbers * sizeof *g);
		if (!lm_motion_find_touches(motion, (double)s / (p->moment_count - 1), z, motion->settings.margin, meeting))
			motion->pairs_failed = true;
		meeting->energy = 0;
		for (size_t k = 0; k < meeting->count; ++k)
			meeting->energy += press(motion, meeting, &meeting->touches[k], motion->objects * p->tau, g);
	}
}

typedef struct gather_job
{
	lm_motion* motion;
	double* gradient;
} gather_job;

static void gather_bodies(void* context, int64_t begin, int64_t end)
{
	const gather_job* w = context;
	const lm_motion* motion = w->motion;
	const lm_motion_pairs* p = motion->pairs;
	for (int64_t b = begin; b < end; ++b)
	{
		const lm_motion_body* body = &motion->bodies[b];
		int64_t n = 3 * (int64_t)body->node_count;
		for (int32_t s = 0; s < p->moment_count; ++s)
		{
			const lm_instant* in = &p->instants[(int64_t)s * motion->count + b];
			const double* gz = p->gradient + (int64_t)s * p->first[motion->count] + p->first[b];
			for (int k = 0; k < in->count && p->meetings[s].count > 0; ++k)
			{
				int32_t slot = body->slot[in->frame[k]];
				double* g = w->gradient + body->offset + (int64_t)slot * n;
				for (int32_t i = 0; slot >= 0 && i < body->node_count; ++i)
					if (!lm_timeline_holds(&body->timeline, in->interval, i)) // what is held does not follow the frames
						lm_v3_store(g, i, lm_add_scaled(lm_v3_at(g, i), in->w[k], lm_v3_at(gz, i)));
			}
		}
	}
}

double lm_motion_pairs_energy(lm_motion* motion, double* gradient)
{
	lm_motion_pairs* p = motion->pairs;
	gather_job w = { motion, gradient };
	lm_parallel_for(motion->host.threads, p->moment_count, 1, evaluate_moments, motion);
	lm_parallel_for(motion->host.threads, motion->count, 1, gather_bodies, &w);
	double energy = 0;
	for (int32_t s = 0; s < p->moment_count; ++s)
		energy += p->meetings[s].energy;
	return energy;
}

// ---- metric -----------------------------------------------------------------------------------------------------

static void add_outer(const lm_motion_body* body, int32_t slot, const int32_t* node, const double* phi, int64_t count,
                      double weight, lm_vec3 n)
{
	double u[3] = { n.x, n.y, n.z };
	int64_t stride = body->metric.stride;
	double* K = lm_band_block(&body->metric, slot, 0);
	for (int64_t b = 0; b < count; ++b)
		for (int64_t a = b; a < count; ++a)
		{
			double* at = K + 3 * (int64_t)node[b] * stride + 3 * (int64_t)node[a];
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					at[j * stride + i] += weight * phi[a] * phi[b] * u[i] * u[j];
		}
}

void lm_motion_pairs_metric(const lm_motion* motion, int32_t b)
{
	const lm_motion_pairs* p = motion->pairs;
	const lm_motion_body* body = &motion->bodies[b];
	for (int32_t s = 0; s < p->moment_count; ++s)
		for (size_t k = 0; k < p->meetings[s].count; ++k)
		{
			const lm_motion_touch* t = &p->meetings[s].touches[k];
			if (t->a != b && t->b != b)
				continue;
			const lm_design_rows* rows = body->points;
			const int32_t* node = t->a == b ? rows->node + rows->start[t->point] : p->meetings[s].node + t->first;
			const double* phi = t->a == b ? rows->phi + rows->start[t->point] : p->meetings[s].phi + t->first;
			int64_t count = t->a == b ? rows->start[t->point + 1] - rows->start[t->point] : t->count;
			double scale = t->a == b ? body->size / motion->bodies[t->b].size : 1;
			const lm_instant* in = &p->instants[(int64_t)s * motion->count + b];
			for (int w = 0; w < in->count; ++w)
			{
				int32_t slot = body->slot[in->frame[w]];
				if (slot >= 0 && fabs(in->w[w]) > 0.02) // twice: both sides of the touch move
					add_outer(body, slot, node, phi, count,
					          4 * motion->objects * p->tau * fabs(in->w[w]) * scale * scale, t->normal);
			}
		}
}

// ---- the check --------------------------------------------------------------------------------------------------

void lm_motion_pairs_check(lm_motion* motion, double time)
{
	lm_motion_pairs* p = motion->pairs;
	for (int32_t b = 0; b < motion->count; ++b)
	{
		lm_instant in = lm_timeline_at(&motion->bodies[b].timeline, time);
		lm_timeline_nodes(&motion->bodies[b].timeline, &in, p->check_z + p->first[b], NULL);
	}
	motion->pairs_failed |= !lm_motion_find_touches(motion, time, p->check_z, 0, &p->checking);
	for (size_t k = 0; k < p->checking.count; ++k)
	{
		const lm_motion_touch* t = &p->checking.touches[k];
		lm_motion_body *a = &motion->bodies[t->a], *b = &motion->bodies[t->b];
		a->pair_depth = fmax(a->pair_depth, t->depth * b->size / a->size);
		b->pair_depth = fmax(b->pair_depth, t->depth);
	}
}
