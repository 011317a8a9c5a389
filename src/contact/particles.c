// particles.c: the response of particles to colliders of infinite mass.
//
// With n the outward normal, u the surface velocity, w = v - u, depth c >= 0 and mu = sqrt(mu_a mu_b):
//   w_n' = -e w_n  if -w_n > calm speed, else 0        for approaching w_n < 0
//   j    = max(w_n' - w_n, c / h)                       normal impulse per mass
//   w_t' = w_t max(0, 1 - mu j / |w_t|)                 Coulomb
//   x'   = x + c n + h (w_t' - w_t)
// The last term undoes the sliding of this step: x was moved with the velocity before friction, and without it a
// particle on a slope would creep by g h^2 per step however large mu is.
#include "contact/particles.h"

#include "base/parallel.h"
#include "contact/colliders.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define CHUNK 256
#define LANES 4 // particles that are tested at once
#define MOVERS 32
#define SWEEPS 4 // over the colliders, for particles that touch several

// Four floats at once, written as such: with NaN and signed zeros to respect compilers leave comparisons scalar. What
// is not a number, in the first place, is passed over.
typedef float four __attribute__((vector_size(16)));

static inline four least4(four a, four b)
{
#if defined(__SSE2__)
	return (four)_mm_min_ps((__m128)a, (__m128)b);
#else
	return (four){ a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1], a[2] < b[2] ? a[2] : b[2],
		           a[3] < b[3] ? a[3] : b[3] };
#endif
}

static inline four most4(four a, four b)
{
#if defined(__SSE2__)
	return (four)_mm_max_ps((__m128)a, (__m128)b);
#else
	return -least4(-a, -b);
#endif
}

// Bit k is set where a comparison holds in lane k.
typedef int32_t four_bits __attribute__((vector_size(16)));

static inline unsigned bits_of(four_bits mask)
{
#if defined(__SSE2__)
	return (unsigned)_mm_movemask_ps((__m128)mask);
#else
	return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}

static inline four all4(float a)
{
	return (four){ a, a, a, a };
}

// A collider as it moved over the step.
typedef struct mover
{
	const lm_collider* item;
	lm_placement before; // at the start of the step; now: item->now
	lm_vec3 low, high;   // box around both, with all margins
	double margin;
	double friction; // with these particles
	// The same relative to the particles' origin, in single precision and a little wider, to pass over what is far: a
	// box, and for planes the points with n.x < reach.
	float near_low[3], near_high[3], n[3], reach;
} mover;

typedef struct job
{
	const lm_colliders* colliders;
	const lm_particles* particles;
	double h;
	mover movers[MOVERS];     // the first colliders; others are prepared when they are asked for
	_Atomic uint64_t deepest; // bits of a double >= 0, which order as the numbers do; a maximum has no order to keep
} job;

static lm_vec3 world_position(const lm_particles* particles, int64_t i)
{
	const float* x = particles->x + 4 * i;
	return lm_v3(particles->origin[0] + x[0], particles->origin[1] + x[1], particles->origin[2] + x[2]);
}

// Boxes of the ways x - h v .. x of LANES particles, relative to the origin, by coordinate.
typedef struct ways
{
	four low[3], high[3];
} ways;

// Rows become columns.
static inline void transpose(four a[4])
{
	four low01 = __builtin_shufflevector(a[0], a[1], 0, 4, 1, 5),
		 high01 = __builtin_shufflevector(a[0], a[1], 2, 6, 3, 7);
	four low23 = __builtin_shufflevector(a[2], a[3], 0, 4, 1, 5),
		 high23 = __builtin_shufflevector(a[2], a[3], 2, 6, 3, 7);
	a[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5), a[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
	a[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
	a[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

// Of the `count` particles from `first` on; the last stands for those that are missing.
static inline ways bound_ways(const lm_particles* particles, float h, int64_t first, int64_t count)
{
	four x[4], v[4];
	ways boxes;
	for (int64_t k = 0; k < LANES; ++k)
	{
		int64_t i = first + (k < count ? k : count - 1);
		memcpy(&x[k], particles->x + 4 * i, sizeof x[k]);
		memcpy(&v[k], particles->v + 4 * i, sizeof v[k]);
	}
	transpose(x);
	transpose(v);
	for (int k = 0; k < 3; ++k)
	{
		four from = x[k] - h * v[k];
		boxes.low[k] = least4(from, x[k]), boxes.high[k] = most4(from, x[k]);
	}
	return boxes;
}

// A little more than x.
static float above(double x)
{
	return (float)(x + 1e-6 * fabs(x) + 1e-9);
}

static void set_near(const double origin[3], mover* m)
{
	const double *low = &m->low.x, *high = &m->high.x;
	double reach = m->margin;
	lm_vec3 n = lm_column(m->item->now.R, 1), at = m->item->now.position;
	for (int k = 0; k < 3; ++k)
	{
		m->n[k] = (float)(&n.x)[k];
		reach += (&n.x)[k] * ((&at.x)[k] - origin[k]);
		m->near_low[k] = -above(origin[k] - low[k]), m->near_high[k] = above(high[k] - origin[k]);
	}
	m->reach = above(reach);
}

static mover prepare_mover(const job* work, const lm_collider* item)
{
	mover result = { .item = item, .before = item->now, .low = item->low, .high = item->high };
	if (item->key_count > 1 && item->solid.shape != LM_SHAPE_PLANE)
	{
		lm_vec3 low, high;
		result.before = lm_placement_at(item->keys, item->key_count, work->colliders->time - work->h);
		lm_solid_world_bounds(&item->solid, &result.before, &low, &high);
		result.low = lm_min3(result.low, low), result.high = lm_max3(result.high, high);
	}
	result.friction = sqrt(work->particles->friction * item->friction);
	result.margin = work->particles->thickness + 1e-6;
	if (item->solid.surface)
		result.margin += lm_surface_skin(item->solid.surface);
	lm_vec3 margin = { result.margin, result.margin, result.margin };
	result.low = lm_sub(result.low, margin), result.high = lm_add(result.high, margin);
	set_near(work->particles->origin, &result);
	return result;
}

// `room` is for those that have none in the job.
static const mover* mover_of(const job* work, int32_t c, mover* room)
{
	if (c < MOVERS)
		return &work->movers[c];
	*room = prepare_mover(work, &work->colliders->items[c]);
	return room;
}

// Planes count only where they are now: a half-space has no far side to come back from.
static double height_over_plane(const lm_collider* item, lm_vec3 point)
{
	return lm_dot(lm_column(item->now.R, 1), lm_sub(point, item->now.position));
}

// Which lanes may be near the collider. What is not a number is not.
static inline unsigned lanes_near(const mover* m, const ways* boxes)
{
	if (m->item->solid.shape != LM_SHAPE_PLANE)
	{
		four_bits near = { -1, -1, -1, -1 };
		for (int k = 0; k < 3; ++k)
			near &= (boxes->low[k] <= all4(m->near_high[k])) & (boxes->high[k] >= all4(m->near_low[k]));
		return bits_of(near);
	}
	four height = { 0 }, size = { 0 };
	for (int k = 0; k < 3; ++k)
	{
		four lowest = m->n[k] > 0 ? boxes->low[k] : boxes->high[k];
		height += m->n[k] * lowest;
		size += most4(lowest, -lowest);
	}
	return bits_of(height - 1e-6f * size < all4(m->reach));
}

// fmax is a call, since it has to mind what is not a number.
static double larger(double a, double b)
{
	return a > b ? a : b;
}

// Rounding of a particle's coordinates, as a distance: single precision in its own, double in the world's.
static double rounding(const float* x)
{
	return 4e-7 * larger(fabs((double)x[0]), larger(fabs((double)x[1]), fabs((double)x[2]))) + 1e-9;
}

typedef struct hit
{
	double depth;   // how far to move along the normal, > 0
	lm_vec3 normal; // world
	lm_vec3 at;     // world, on the surface
} hit;

typedef struct way
{
	lm_vec3 from, to; // in the frame of the collider, before and now
	double tolerance; // of both
} way;

static bool touch_solid(const lm_solid* solid, const way* path, double thickness, double* depth, lm_vec3* normal)
{
	lm_solid_distance end = lm_solid_query(solid, path->to, thickness);
	bool inside = end.found && end.distance < thickness;
	if (inside)
		*depth = thickness - end.distance, *normal = end.normal;

	// A start on the surface, but for rounding, counts as outside.
	lm_vec3 from = path->from;
	lm_solid_distance start = lm_solid_query(solid, from, path->tolerance);
	if (start.found && start.distance < -path->tolerance)
		return inside; // it began inside: the nearest way out is all there is to say
	if (start.found)
		from = lm_add_scaled(from, path->tolerance - start.distance, start.normal);
	lm_solid_entry entry = lm_solid_enter(solid, from, path->to);
	if (!entry.found || (inside && lm_dot(entry.normal, *normal) > 0))
		return inside;
	// Back to the plane through the point of entry, keeping the motion along it.
	double below = lm_dot(lm_sub(path->to, from), entry.normal) * (1 - entry.fraction);
	*depth = thickness - below, *normal = entry.normal;
	return *depth > 0;
}

// A sheet has no inside: the particle stays on the side where it was, at least `thickness` away.
static bool touch_sheet(const lm_solid* solid, const way* path, double thickness, double* depth, lm_vec3* normal)
{
	lm_solid_entry entry = lm_solid_enter(solid, path->from, path->to);
	if (entry.found)
	{
		double below = lm_dot(lm_sub(path->to, path->from), entry.normal) * (1 - entry.fraction);
		*depth = thickness - below, *normal = entry.normal;
		return true;
	}
	lm_solid_distance end = lm_solid_query(solid, path->to, thickness);
	if (!end.found || !(end.distance < thickness))
		return false;
	*depth = thickness - end.distance, *normal = end.normal;
	return true;
}

// A half-space needs no frame of its own.
static bool touch_plane(const lm_collider* item, lm_vec3 to, double thickness, hit* result)
{
	double height = height_over_plane(item, to);
	if (!(height < thickness))
		return false;
	result->depth = thickness - height;
	result->normal = lm_column(item->now.R, 1);
	result->at = lm_add_scaled(to, -height, result->normal);
	return true;
}

static bool find_hit(const mover* m, lm_vec3 from, lm_vec3 to, double tolerance, double thickness, hit* result)
{
	const lm_collider* item = m->item;
	if (item->solid.shape == LM_SHAPE_PLANE)
		return touch_plane(item, to, thickness, result);
	way path = { lm_placement_to_local(&m->before, from), lm_placement_to_local(&item->now, to), tolerance };
	lm_vec3 normal;
	double depth;
	bool sheet = lm_solid_is_sheet(&item->solid);
	// A sheet cannot tell its sides apart within rounding, so that it always has some thickness.
	double skin = sheet ? fmax(thickness, fmax(8 * tolerance, lm_surface_skin(item->solid.surface))) : thickness;
	if (!(sheet ? touch_sheet : touch_solid)(&item->solid, &path, skin, &depth, &normal))
		return false;
	result->depth = depth;
	result->normal = lm_mul_v(item->now.R, normal);
	result->at = lm_add_scaled(to, depth - skin, result->normal);
	return true;
}

static void respond(const mover* m, const lm_particles* particles, const hit* contact, double h, float* x, float* v)
{
	const lm_collider* item = m->item;
	lm_vec3 n = contact->normal, velocity = { v[0], v[1], v[2] };
	lm_vec3 w = lm_sub(velocity, lm_placement_velocity(&item->now, contact->at));
	double along = lm_dot(w, n), gained = 0;
	if (along < 0)
	{
		double bounce = larger(particles->restitution, item->restitution);
		gained = -along > lm_contact_calm_speed(h) ? -(1 + bounce) * along : -along;
	}
	lm_vec3 sliding = lm_add_scaled(w, -along, n);
	double speed = lm_length(sliding), limit = m->friction * larger(gained, contact->depth / h);
	double kept = speed > limit ? 1 - limit / speed : 0;
	lm_vec3 braked = lm_scale(kept - 1, sliding);
	lm_vec3 velocity_change = lm_add_scaled(braked, gained, n);
	lm_vec3 position_change = lm_add_scaled(lm_scale(h, braked), contact->depth, n);
	if (!lm_finite(velocity_change) || !lm_finite(position_change))
		return;
	x[0] = (float)(x[0] + position_change.x), v[0] = (float)(v[0] + velocity_change.x);
	x[1] = (float)(x[1] + position_change.y), v[1] = (float)(v[1] + velocity_change.y);
	x[2] = (float)(x[2] + position_change.z), v[2] = (float)(v[2] + velocity_change.z);
}

// A particle on its way.
typedef struct walker
{
	int64_t i;
	lm_vec3 from; // where it was before the step
	bool touched;
} walker;

// One collider against a particle; true when it was moved by more than rounding.
static bool push_out(const job* work, const mover* m, walker* at)
{
	const lm_particles* particles = work->particles;
	lm_vec3 to = world_position(particles, at->i);
	if (!lm_finite(to))
		return false;
	hit contact;
	float* x = particles->x + 4 * at->i;
	double tolerance = rounding(x);
	if (!find_hit(m, at->from, to, tolerance, particles->thickness, &contact))
		return false;
	respond(m, particles, &contact, work->h, x, particles->v + 4 * at->i);
	at->touched = true;
	return contact.depth > tolerance;
}

// Whether a particle that was pushed out of a collider may still be in one: out of a single convex one it is.
static bool in_doubt(const job* work, const ways* box)
{
	int near = 0;
	mover room;
	for (int32_t c = 0; c < work->colliders->count && near < 2; ++c)
	{
		const mover* m = mover_of(work, c, &room);
		if (lanes_near(m, box))
			near += m->item->solid.shape == LM_SHAPE_MESH ? 2 : 1;
	}
	return near > 1;
}

static void measure_rest(job* work, int64_t i)
{
	double point[3], deepest;
	lm_v3_store(point, 0, world_position(work->particles, i));
	deepest = larger(0, -lm_colliders_query(work->colliders, point, 0).distance);
	uint64_t bits, seen = atomic_load(&work->deepest);
	memcpy(&bits, &deepest, sizeof bits);
	while (bits > seen && !atomic_compare_exchange_weak(&work->deepest, &seen, bits))
		;
}

// The box of the way only grows: what was pushed by one collider may have come to another.
static void resolve_particle(job* work, int64_t i)
{
	const float* v = work->particles->v + 4 * i;
	lm_vec3 velocity = { v[0], v[1], v[2] };
	walker at = { i, lm_add_scaled(world_position(work->particles, i), -work->h, velocity), false };
	if (work->particles->inverse_mass[i] == 0 || !lm_finite(at.from))
		return;
	ways box = bound_ways(work->particles, (float)work->h, i, 1);
	bool again = true, doubt = true;
	mover room;
	for (int sweep = 0; again && doubt && sweep < SWEEPS; ++sweep)
	{
		again = false;
		for (int32_t c = 0; c < work->colliders->count; ++c)
		{
			const mover* m = mover_of(work, c, &room);
			if (lanes_near(m, &box))
				again |= push_out(work, m, &at);
		}
		if (!at.touched)
			return;
		ways now = bound_ways(work->particles, (float)work->h, i, 1);
		for (int k = 0; k < 3; ++k)
			box.low[k] = least4(now.low[k], box.low[k]), box.high[k] = most4(now.high[k], box.high[k]);
		doubt = in_doubt(work, &box);
	}
	if (doubt)
		measure_rest(work, i);
}

// The lanes of all boxes as one.
static ways join_boxes(const ways* boxes, int count)
{
	const four endless = all4(INFINITY);
	ways all = { { endless, endless, endless }, { -endless, -endless, -endless } };
	for (int b = 0; b < count; ++b)
		for (int k = 0; k < 3; ++k)
			all.low[k] = least4(boxes[b].low[k], all.low[k]), all.high[k] = most4(boxes[b].high[k], all.high[k]);
	for (int k = 0; k < 3; ++k)
		for (int l = 1; l < LANES; ++l)
		{
			all.low[k] = least4(all4(all.low[k][l]), all.low[k]);
			all.high[k] = most4(all4(all.high[k][l]), all.high[k]);
		}
	return all;
}

// Most chunks are far from all colliders, and of the others most particles.
static void resolve_chunk(void* context, int64_t begin, int64_t end)
{
	job* work = context;
	ways boxes[CHUNK / LANES];
	unsigned near[CHUNK / LANES] = { 0 };
	int count = 0;
	for (int64_t i = begin; i < end; i += LANES)
		boxes[count++] = bound_ways(work->particles, (float)work->h, i, end - i);
	ways whole = join_boxes(boxes, count);
	mover room;
	bool any = false;
	for (int32_t c = 0; c < work->colliders->count; ++c)
	{
		const mover* m = mover_of(work, c, &room);
		if (!(lanes_near(m, &whole) & 1))
			continue;
		any = true;
		for (int b = 0; b < count; ++b)
			near[b] |= lanes_near(m, &boxes[b]);
	}
	for (int b = 0; any && b < count; ++b)
		for (int64_t lane = 0; near[b] >> lane != 0; ++lane)
			if (near[b] >> lane & 1 && begin + b * LANES + lane < end)
				resolve_particle(work, begin + b * LANES + lane);
}

void lm_contact_colliders(const lm_colliders* colliders, const lm_particles* particles, double h, int threads,
                          double* deepest)
{
	assert(particles && h > 0);
	if (deepest)
		*deepest = 0;
	if (!colliders || colliders->count == 0)
		return;
	job work = { .colliders = colliders, .particles = particles, .h = h };
	atomic_init(&work.deepest, 0);
	for (int32_t c = 0; c < colliders->count && c < MOVERS; ++c)
		work.movers[c] = prepare_mover(&work, &colliders->items[c]);
	lm_parallel_for(threads, particles->count, CHUNK, resolve_chunk, &work);
	if (deepest)
	{
		uint64_t bits = atomic_load(&work.deepest);
		memcpy(deepest, &bits, sizeof bits);
	}
}
