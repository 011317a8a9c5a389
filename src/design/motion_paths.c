// motion_paths.c: first ways around obstacles and each other, before bodies deform.
//
// Penalties alone leave bodies straddling an obstacle, or all of them stuck in the middle. So first each body only
// moves as a whole: every free frame has three unknowns, its shift. The points of the surface keep off the obstacles,
// and for each other bodies are spheres, small at first (0.6 of their radius, then 0.85, then 1). Perfect symmetry is
// broken by a shift of a thousandth, different for every body, the same in every run; and everybody starts on the right
// side of his way, as in traffic: what relative ways two bodies have, they are then moved across it, not along.
#include "design/motion_pairs.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "design/motion_keys.h"

#include <string.h>

// Holds the points of a body at a moment, own coordinates.
typedef struct ball
{
	lm_vec3 center;
	double radius;
} ball;

typedef struct paths
{
	lm_design_motion* motion;
	double spheres; // their share of the radius
	double margin;
	int64_t n;
	int64_t* offset;  // of the shifts of each body
	bool** moves;     // [body][frame] whether a frame may be shifted
	lm_vec3** center; // [body][frame] of the nodes
	double** points;  // [body] of the moments: points before the shift; NULL without obstacles
	ball** balls;     // beside points
	lm_vec3* ways;    // [moment x body] centres of spheres before the shift, world
	lm_vec3* forces;  // beside ways
	lm_vec3* scratch; // likewise
	int32_t* order;   // likewise
	double* energies; // [moment]
	lm_design_band* metric;
} paths;

static double* shift_of(const paths* p, int32_t body, const double* x, int32_t frame)
{
	int32_t slot = p->motion->bodies[body].slot[frame];
	return slot < 0 || !p->moves[body][frame] ? NULL : (double*)x + p->offset[body] + 3 * (int64_t)slot;
}

static lm_vec3 shift_at(const paths* p, int32_t body, const lm_design_instant* in, const double* x)
{
	lm_vec3 shift = { 0, 0, 0 };
	for (int k = 0; k < in->count; ++k)
	{
		const double* d = shift_of(p, body, x, in->frame[k]);
		if (d != NULL)
			shift = lm_add_scaled(shift, in->w[k], lm_v3_at(d, 0));
	}
	return shift;
}

static void spread(const paths* p, int32_t body, const lm_design_instant* in, lm_vec3 force, double* g)
{
	for (int k = 0; k < in->count; ++k)
	{
		double* d = shift_of(p, body, g, in->frame[k]);
		if (d != NULL)
			lm_v3_store(d, 0, lm_add_scaled(lm_v3_at(d, 0), in->w[k], force));
	}
}

static bool second_difference(const lm_design_timeline* t, int32_t j, double a[3], double* tau)
{
	if (j < 1 || j + 1 >= t->count || t->frames[j].broken)
		return false;
	double before = t->frames[j].time - t->frames[j - 1].time, after = t->frames[j + 1].time - t->frames[j].time;
	a[0] = 2 / (before * (before + after)), a[2] = 2 / (after * (before + after)), a[1] = -a[0] - a[2];
	*tau = 0.5 * (before + after);
	return true;
}

static double smoothness(const paths* p, int32_t b, const double* x, double* g)
{
	const lm_design_motion_body* body = &p->motion->bodies[b];
	double energy = 0;
	for (int32_t j = 1; j + 1 < body->timeline.count; ++j)
	{
		double a[3], tau;
		if (!second_difference(&body->timeline, j, a, &tau))
			continue;
		lm_vec3 r = { 0, 0, 0 };
		for (int k = 0; k < 3; ++k)
		{
			const double* d = shift_of(p, b, x, j - 1 + k);
			r = lm_add_scaled(r, a[k], p->center[b][j - 1 + k]);
			if (d != NULL)
				r = lm_add_scaled(r, a[k], lm_v3_at(d, 0));
		}
		double weight = p->motion->settings.acceleration * tau;
		energy += weight * lm_dot(r, r);
		for (int k = 0; k < 3; ++k)
		{
			double* d = shift_of(p, b, g, j - 1 + k);
			if (d != NULL)
				lm_v3_store(d, 0, lm_add_scaled(lm_v3_at(d, 0), 2 * weight * a[k], r));
		}
	}
	return energy;
}

// The colliders that a body at a moment may touch; none when it cannot be moved then, for nothing would come of it.
static void find_near(const paths* p, int32_t b, int32_t s, lm_vec3 shift, lm_design_motion_near* near)
{
	const lm_design_motion* motion = p->motion;
	const lm_design_motion_body* body = &motion->bodies[b];
	const lm_design_instant* in = &body->moments[s].instant;
	const lm_obstacle* around = body->obstacles + (int64_t)s * motion->colliders->count;
	lm_vec3 world = lm_add_scaled(body->center, body->size, lm_add(p->balls[b][s].center, shift));
	double reach = body->size * (p->balls[b][s].radius + p->margin);
	bool moves = false;
	for (int k = 0; k < in->count; ++k)
		moves |= in->w[k] != 0 && body->slot[in->frame[k]] >= 0 && p->moves[b][in->frame[k]];
	near->count = 0;
	for (int32_t c = 0; moves && c < motion->colliders->count && near->count < LM_DESIGN_MOST_COLLIDERS; ++c)
	{
		lm_solid_distance d = lm_solid_query(&around[c].solid, lm_placement_to_local(&around[c].at, world), reach);
		if (d.found && d.distance < reach)
			near->collider[near->count++] = c;
	}
}

static double obstacles(const paths* p, int32_t b, const double* x, double* g)
{
	const lm_design_motion* motion = p->motion;
	const lm_design_motion_body* body = &motion->bodies[b];
	double energy = 0;
	for (int32_t s = 0; s < body->moment_count; ++s)
	{
		const lm_design_motion_moment* moment = &body->moments[s];
		const lm_obstacle* around = body->obstacles + (int64_t)s * motion->colliders->count;
		const double* points = p->points[b] + 3 * (int64_t)s * body->points->count;
		lm_vec3 shift = shift_at(p, b, &moment->instant, x), force = { 0, 0, 0 };
		lm_design_motion_near near;
		find_near(p, b, s, shift, &near);
		for (int32_t k = 0; near.count > 0 && k < body->points->count; k += 2) // half of them do for a way
		{
			lm_vec3 normal = { 0, 0, 0 };
			double depth = p->margin - lm_design_motion_obstacle_distance(
										   body, around, &near, lm_add(lm_v3_at(points, k), shift), p->margin, &normal);
			if (!(depth > 0))
				continue;
			double weight = 0.1 * motion->settings.obstacles * moment->tau;
			energy += weight * depth * depth;
			force = lm_add_scaled(force, -2 * weight * depth, normal);
		}
		spread(p, b, &moment->instant, force, g);
	}
	return energy;
}

// Two bodies whose spheres overlap at a moment.
typedef struct bump
{
	int32_t a, b;
	double depth; // world
	lm_vec3 normal;
} bump;

typedef void bump_fn(const paths* p, int32_t moment, const bump* bump, void* context);

// All overlaps at a moment, by sweeping along x. scratch: order of the bodies.
static void visit_bumps(const paths* p, const double* x, int32_t s, lm_vec3* ways, int32_t* order, bump_fn* visit,
                        void* context)
{
	const lm_design_motion* motion = p->motion;
	const lm_design_instant* instants = motion->pairs->instants + (int64_t)s * motion->count;
	double largest = 0;
	for (int32_t b = 0; b < motion->count; ++b)
	{
		const lm_design_motion_body* body = &motion->bodies[b];
		largest = fmax(largest, body->radius * body->size);
		ways[b] = lm_add_scaled(p->ways[(int64_t)s * motion->count + b], body->size, shift_at(p, b, &instants[b], x));
		int32_t at = b;
		for (; at > 0 && ways[order[at - 1]].x > ways[b].x; --at)
			order[at] = order[at - 1];
		order[at] = b;
	}
	for (int32_t k = 0; k < motion->count; ++k)
		for (int32_t l = k + 1; l < motion->count; ++l)
		{
			if (ways[order[l]].x - ways[order[k]].x >= 2 * p->spheres * largest)
				break;
			bump found = { .a = order[k] < order[l] ? order[k] : order[l],
				           .b = order[k] < order[l] ? order[l] : order[k] };
			const lm_design_motion_body *first = &motion->bodies[found.a], *second = &motion->bodies[found.b];
			double apart = p->spheres * (first->radius * first->size + second->radius * second->size);
			lm_vec3 r = lm_sub(ways[found.a], ways[found.b]);
			double time = (double)s / (motion->pairs->moment_count - 1);
			if (lm_dot(r, r) >= apart * apart || !lm_design_motion_is_there(first, time) ||
			    !lm_design_motion_is_there(second, time))
				continue;
			found.depth = apart - lm_length(r);
			found.normal = lm_normalize_or(r, lm_v3(0, 1, 0));
			visit(p, s, &found, context);
		}
}

// Spheres are as stiff as is needed to be left a little in each other; stiffer, they would only be harder to solve for.
static double bump_weight(const paths* p, const bump* k)
{
	return 1e4 * p->motion->settings.acceleration * p->motion->pairs->tau /
	       (p->motion->bodies[k->a].size * p->motion->bodies[k->b].size);
}

static void push(const paths* p, int32_t s, const bump* k, void* context)
{
	double weight = bump_weight(p, k);
	lm_vec3* forces = p->forces + (int64_t)s * p->motion->count;
	(void)context;
	p->energies[s] += weight * k->depth * k->depth;
	forces[k->a] = lm_add_scaled(forces[k->a], -2 * weight * k->depth * p->motion->bodies[k->a].size, k->normal);
	forces[k->b] = lm_add_scaled(forces[k->b], 2 * weight * k->depth * p->motion->bodies[k->b].size, k->normal);
}

typedef struct push_job
{
	const paths* p;
	const double* x;
	double* g;
} push_job;

static void push_moments(void* context, int64_t begin, int64_t end)
{
	const push_job* job = context;
	const paths* p = job->p;
	for (int64_t s = begin; s < end; ++s)
	{
		int64_t at = s * p->motion->count;
		p->energies[s] = 0;
		memset(p->forces + at, 0, (size_t)p->motion->count * sizeof *p->forces);
		visit_bumps(p, job->x, (int32_t)s, p->scratch + at, p->order + at, push, NULL);
	}
}

static void spread_forces(void* context, int64_t begin, int64_t end)
{
	const push_job* job = context;
	const lm_design_motion* motion = job->p->motion;
	for (int64_t b = begin; b < end; ++b)
		for (int32_t s = 0; s < motion->pairs->moment_count; ++s)
		{
			int64_t at = (int64_t)s * motion->count + b;
			lm_vec3 force = job->p->forces[at];
			if (force.x != 0 || force.y != 0 || force.z != 0)
				spread(job->p, (int32_t)b, &motion->pairs->instants[at], force, job->g);
		}
}

static double spheres(const paths* p, const double* x, double* g)
{
	const lm_design_motion* motion = p->motion;
	push_job job = { p, x, g };
	lm_parallel_for(motion->host.threads, motion->pairs->moment_count, 8, push_moments, &job);
	lm_parallel_for(motion->host.threads, motion->count, 8, spread_forces, &job);
	double energy = 0;
	for (int32_t s = 0; s < motion->pairs->moment_count; ++s)
		energy += p->energies[s];
	return energy;
}

static double energy_of(void* context, const double* x, double* g)
{
	const paths* p = context;
	double energy = 0;
	memset(g, 0, (size_t)p->n * sizeof *g);
	for (int32_t b = 0; b < p->motion->count; ++b)
	{
		energy += smoothness(p, b, x, g);
		if (p->points[b] != NULL)
			energy += obstacles(p, b, x, g);
	}
	return p->motion->pairs != NULL ? energy + spheres(p, x, g) : energy;
}

static void add_smoothness(const paths* p, int32_t b)
{
	const lm_design_motion_body* body = &p->motion->bodies[b];
	lm_design_band* band = &p->metric[b];
	for (int32_t j = 1; j + 1 < body->timeline.count; ++j)
	{
		double a[3], tau;
		if (!second_difference(&body->timeline, j, a, &tau))
			continue;
		for (int k = 0; k < 3; ++k)
			for (int l = k; l < 3; ++l)
			{
				int32_t column = body->slot[j - 1 + k], row = body->slot[j - 1 + l];
				double value = 2 * p->motion->settings.acceleration * tau * a[k] * a[l];
				for (int i = 0; column >= 0 && row >= 0 && i < 3; ++i)
					lm_design_band_block(band, column, row - column)[i * band->stride + i] += value;
			}
	}
}

// Both sides of a bump move, so that each counts twice; of the frames around the moment each for itself.
static void stiffen(const paths* p, int32_t s, const bump* k, void* context)
{
	const lm_design_motion* motion = p->motion;
	const double n[3] = { k->normal.x, k->normal.y, k->normal.z };
	(void)context;
	for (int side = 0; side < 2; ++side)
	{
		int32_t b = side ? k->b : k->a;
		const lm_design_motion_body* body = &motion->bodies[b];
		const lm_design_instant* in = &motion->pairs->instants[(int64_t)s * motion->count + b];
		for (int w = 0; w < in->count; ++w)
		{
			int32_t slot = body->slot[in->frame[w]];
			if (slot < 0)
				continue;
			double* block = lm_design_band_block(&p->metric[b], slot, 0);
			double value = 4 * bump_weight(p, k) * body->size * body->size * fabs(in->w[w]);
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j <= i; ++j)
					block[j * p->metric[b].stride + i] += value * n[i] * n[j];
		}
	}
}

static bool refresh(void* context, const double* x)
{
	paths* p = context;
	const lm_design_motion* motion = p->motion;
	for (int32_t b = 0; b < motion->count; ++b)
		if (motion->bodies[b].free_count > 0)
		{
			lm_design_band_clear(&p->metric[b]);
			add_smoothness(p, b);
		}
	for (int32_t s = 0; motion->pairs != NULL && s < motion->pairs->moment_count; ++s)
		visit_bumps(p, x, s, p->scratch, p->order, stiffen, NULL);
	for (int32_t b = 0; b < motion->count; ++b)
	{
		// obstacles, without asking which: about as stiff as one sphere in another
		const lm_design_motion_body* body = &motion->bodies[b];
		double obstacle = p->points[b] != NULL ? motion->settings.objects / (4.0 * body->timeline.count) : 1e-6;
		if (body->free_count > 0 && !lm_design_band_factorize(&p->metric[b], obstacle))
			return false;
	}
	return true;
}

static void apply(void* context, const double* g, double* d)
{
	paths* p = context;
	for (int32_t b = 0; b < p->motion->count; ++b)
		if (p->motion->bodies[b].free_count > 0)
			lm_design_band_solve(&p->metric[b], g + p->offset[b], d + p->offset[b]);
}

// ---- making -----------------------------------------------------------------------------------------------------

static bool fill_body(paths* p, int32_t b)
{
	lm_design_motion* motion = p->motion;
	lm_design_motion_body* body = &motion->bodies[b];
	const lm_host* host = &motion->host;
	int32_t frames = body->timeline.count;
	p->moves[b] = LM_NEW(host, frames, bool);
	p->center[b] = LM_NEW(host, frames, lm_vec3);
	if (p->moves[b] == NULL || p->center[b] == NULL)
		return false;
	for (int32_t j = 0; j < frames; ++j)
	{
		const lm_design_frame* frame = &body->timeline.frames[j];
		p->moves[b][j] = !frame->fixed;
		for (int32_t i = 0; i < body->node_count; ++i)
		{
			p->moves[b][j] = p->moves[b][j] && !frame->pinned[i];
			p->center[b][j] = lm_add_scaled(p->center[b][j], 1.0 / body->node_count, lm_v3_at(frame->y, i));
		}
	}
	p->offset[b + 1] = p->offset[b] + 3 * (int64_t)body->free_count;
	if (body->free_count > 0 && !lm_design_band_resize(&p->metric[b], host, 3, 2, body->free_count))
		return false;
	if (body->moment_count == 0)
		return true;
	p->points[b] = LM_NEW(host, 3 * (size_t)body->moment_count * (size_t)body->points->count, double);
	p->balls[b] = LM_NEW(host, body->moment_count, ball);
	for (int32_t s = 0; p->points[b] != NULL && p->balls[b] != NULL && s < body->moment_count; ++s)
	{
		ball* around = &p->balls[b][s];
		lm_design_timeline_nodes(&body->timeline, &body->moments[s].instant, body->scratch, NULL);
		for (int32_t k = 0; k < body->points->count; ++k)
		{
			lm_vec3 x = { 0, 0, 0 };
			for (int64_t e = body->points->start[k]; e < body->points->start[k + 1]; ++e)
				x = lm_add_scaled(x, body->points->phi[e], lm_v3_at(body->scratch, body->points->node[e]));
			lm_v3_store(p->points[b], (int64_t)s * body->points->count + k, x);
			around->center = lm_add_scaled(around->center, 1.0 / body->points->count, x);
		}
		for (int32_t k = 0; k < body->points->count; ++k)
			around->radius =
				fmax(around->radius,
			         lm_distance(around->center, lm_v3_at(p->points[b], (int64_t)s * body->points->count + k)));
	}
	return p->points[b] != NULL && p->balls[b] != NULL;
}

static bool fill_ways(paths* p)
{
	const lm_design_motion* motion = p->motion;
	const lm_design_motion_pairs* pairs = motion->pairs;
	if (pairs == NULL)
		return true;
	size_t places = (size_t)pairs->moment_count * (size_t)motion->count;
	p->ways = LM_NEW(&motion->host, places, lm_vec3);
	p->forces = LM_NEW(&motion->host, places, lm_vec3);
	p->scratch = LM_NEW(&motion->host, places, lm_vec3);
	p->order = LM_NEW(&motion->host, places, int32_t);
	p->energies = LM_NEW(&motion->host, pairs->moment_count, double);
	if (p->ways == NULL || p->forces == NULL || p->scratch == NULL || p->order == NULL || p->energies == NULL)
		return false;
	for (int32_t s = 0; s < pairs->moment_count; ++s)
		for (int32_t b = 0; b < motion->count; ++b)
		{
			lm_design_motion_body* body = &motion->bodies[b];
			lm_vec3 middle = { 0, 0, 0 };
			lm_design_timeline_nodes(&body->timeline, &pairs->instants[(int64_t)s * motion->count + b], body->scratch,
			                         NULL);
			for (int32_t i = 0; i < body->node_count; ++i)
				middle = lm_add_scaled(middle, 1.0 / body->node_count, lm_v3_at(body->scratch, i));
			p->ways[(int64_t)s * motion->count + b] = lm_add_scaled(body->center, body->size, middle);
		}
	return true;
}

// Numbers in [-1, 1] that depend on nothing but the index.
static double noise(int64_t index)
{
	uint64_t z = (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15) + 1;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

// Two directions across the way from a body's first to its last frame: the one nearest to up, and the one beside.
static void find_sides(const paths* p, int32_t b, lm_vec3 side[2])
{
	const lm_design_timeline* t = &p->motion->bodies[b].timeline;
	lm_vec3 way = lm_normalize_or(lm_sub(p->center[b][t->count - 1], p->center[b][0]), lm_v3(1, 0, 0));
	lm_vec3 up = fabs(way.y) < 0.9 ? lm_v3(0, 1, 0) : lm_v3(1, 0, 0);
	side[1] = lm_normalize_or(lm_cross(way, up), lm_v3(0, 0, 1));
	side[0] = lm_cross(side[1], way);
}

// Tries detours of a body from where x is; returns the energy of the best, which x then is.
static double try_detours(paths* p, const lm_design_descent_problem* problem, int32_t b, double energy, double* x,
                          double* work)
{
	const lm_design_motion_body* body = &p->motion->bodies[b];
	const lm_host* host = &p->motion->host;
	lm_design_descent_settings settings = { .most_iterations = 40, .refresh = 1000, .tolerance = 1e-3, .floor = 1e-3 };
	double* kept = lm_copy(host, x, (size_t)p->n, sizeof *x);
	double* start = lm_copy(host, x, (size_t)p->n, sizeof *x);
	lm_vec3 side[2];
	find_sides(p, b, side);
	for (int k = 0; kept != NULL && start != NULL && k < 8; ++k) // without memory there are no detours
	{
		double far = (k / 4 ? 1.6 : 0.8) * (k % 2 ? -1 : 1);
		memcpy(x, start, (size_t)p->n * sizeof *x);
		for (int32_t j = 0; j < body->timeline.count; ++j)
		{
			double* d = shift_of(p, b, x, j);
			if (d != NULL)
				lm_v3_store(d, 0, lm_scale(far * sin(LM_PI * body->timeline.frames[j].time), side[k / 2 % 2]));
		}
		double found = lm_design_descent_solve(problem, &settings, x, work).energy;
		if (found < 0.9 * energy)
		{
			energy = found;
			memcpy(kept, x, (size_t)p->n * sizeof *x);
		}
	}
	if (kept != NULL && start != NULL)
		memcpy(x, kept, (size_t)p->n * sizeof *x);
	lm_free(host, kept);
	lm_free(host, start);
	return energy;
}

// Where a body begins to look: a thousandth off its way, and where there are others on the right side of it, in
// proportion to its length, so that all who would meet in the middle go around each other there.
static void start_way(const paths* p, int32_t b, double* x)
{
	const lm_design_motion_body* body = &p->motion->bodies[b];
	const lm_design_timeline* t = &body->timeline;
	lm_vec3 side[2], off = { noise(3 * (int64_t)b), noise(3 * (int64_t)b + 1), noise(3 * (int64_t)b + 2) };
	find_sides(p, b, side);
	double far = p->motion->pairs != NULL ? 0.3 * lm_distance(p->center[b][t->count - 1], p->center[b][0]) : 0;
	for (int32_t j = 0; j < t->count; ++j)
	{
		double* d = shift_of(p, b, x, j);
		if (d != NULL)
			lm_v3_store(d, 0, lm_add_scaled(lm_scale(1e-3, off), far * sin(LM_PI * t->frames[j].time), side[1]));
	}
}

static void find_ways(paths* p, double* x, double* work)
{
	lm_design_descent_problem problem = {
		.context = p, .n = p->n, .energy = energy_of, .refresh = refresh, .apply = apply
	};
	bool many = p->motion->pairs != NULL;
	lm_design_descent_settings settings = { .most_iterations = many ? 240 : 80,
		                                    .refresh = many ? 12 : 1000,
		                                    .tolerance = 1e-3,
		                                    .longest = many ? 0.5 : 0,
		                                    .floor = 1e-4 };
	static const double sizes[3] = { 0.6, 0.85, 1 };
	double energy = 0;
	for (int32_t b = 0; b < p->motion->count; ++b)
		start_way(p, b, x);
	for (int round = p->motion->pairs != NULL ? 0 : 2; round < 3; ++round)
	{
		p->spheres = sizes[round];
		energy = lm_design_descent_solve(&problem, &settings, x, work).energy;
	}
	for (int32_t b = 0; b < p->motion->count; ++b)
		if (p->points[b] != NULL && p->offset[b + 1] > p->offset[b] && obstacles(p, b, x, work) > 1e-3)
			energy = try_detours(p, &problem, b, energy, x, work);
	for (int32_t b = 0; b < p->motion->count; ++b)
	{
		lm_design_motion_body* body = &p->motion->bodies[b];
		for (int32_t j = 0; j < body->timeline.count; ++j)
		{
			const double* d = shift_of(p, b, x, j);
			for (int32_t i = 0; d != NULL && i < body->node_count; ++i)
				lm_v3_store(body->timeline.frames[j].y, i,
				            lm_add(lm_v3_at(body->timeline.frames[j].y, i), lm_v3_at(d, 0)));
		}
	}
}

lm_status lm_design_motion_find_paths(lm_design_motion* motion, lm_error* error)
{
	const lm_host* host = &motion->host;
	size_t count = (size_t)motion->count;
	paths p = { .motion = motion, .margin = 0.5 * motion->settings.margin + 0.03 };
	p.offset = LM_NEW(host, count + 1, int64_t);
	p.moves = LM_NEW(host, count, bool*);
	p.center = LM_NEW(host, count, lm_vec3*);
	p.points = LM_NEW(host, count, double*);
	p.balls = LM_NEW(host, count, ball*);
	p.metric = LM_NEW(host, count, lm_design_band);
	bool good = p.offset && p.moves && p.center && p.points && p.balls && p.metric;
	for (int32_t b = 0; good && b < motion->count; ++b)
		good = fill_body(&p, b);
	p.n = good ? p.offset[motion->count] : 0;
	double* x = LM_NEW(host, p.n, double);
	double* work = LM_NEW(host, lm_design_descent_work(p.n), double);
	good = good && x != NULL && work != NULL && fill_ways(&p);
	if (good && p.n > 0)
		find_ways(&p, x, work);
	for (int32_t b = 0; p.moves && p.center && p.points && p.balls && p.metric && b < motion->count; ++b)
	{
		lm_free(host, p.moves[b]);
		lm_free(host, p.center[b]);
		lm_free(host, p.points[b]);
		lm_free(host, p.balls[b]);
		lm_design_band_release(&p.metric[b]);
	}
	lm_free(host, x);
	lm_free(host, work);
	lm_free(host, p.ways);
	lm_free(host, p.forces);
	lm_free(host, p.scratch);
	lm_free(host, p.order);
	lm_free(host, p.energies);
	lm_free(host, p.offset);
	lm_free(host, p.moves);
	lm_free(host, p.center);
	lm_free(host, p.points);
	lm_free(host, p.balls);
	lm_free(host, p.metric);
	return good ? LM_OK : lm_fail_memory(error);
}
