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
#define GROUP 8 // particles that are passed over together when they are far from a collider
#define GROUPS (CHUNK / GROUP)
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
	return -least4(-a, -b);
}

// Whether a comparison holds in all four.
typedef int32_t four_bits __attribute__((vector_size(16)));

static inline bool all_of(four_bits mask)
{
#if defined(__SSE2__)
	return _mm_movemask_ps((__m128)mask) == 15;
#else
	return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
#endif
}

// A collider as it moved over the step.
typedef struct mover
{
	const lm_collider* item;
	lm_placement before; // at the start of the step; now: item->now
	lm_vec3 low, high;   // box around both, with all margins
	double margin;
	// The same relative to the particles' origin, in single precision and a little wider, to pass over what is far: a
	// box, and for planes the points with n.x < reach.
	four near_low, near_high, n;
	float reach;
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

// The box of a chunk's ways x - h v .. x, relative to the origin.
typedef struct chunk_box
{
	four low, high;
} chunk_box;

static chunk_box bound_ways(const lm_particles* particles, double h, int64_t begin, int64_t end)
{
	float step = (float)h;
	four low = { INFINITY, INFINITY, INFINITY, INFINITY }, high = -low;
	for (int64_t i = begin; i < end; ++i)
	{
		four x, v;
		memcpy(&x, particles->x + 4 * i, sizeof x);
		memcpy(&v, particles->v + 4 * i, sizeof v);
		four from = x - step * v;
		low = least4(least4(from, x), low);
		high = most4(most4(from, x), high);
	}
	return (chunk_box){ low, high };
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
	m->near_high = (four){ INFINITY, INFINITY, INFINITY, INFINITY }, m->near_low = -m->near_high;
	m->n = (four){ 0 };
	lm_vec3 n = lm_column(m->item->now.R, 1), at = m->item->now.position;
	for (int k = 0; k < 3; ++k)
	{
		m->n[k] = (float)(&n.x)[k];
		reach += (&n.x)[k] * ((&at.x)[k] - origin[k]);
		if (m->item->solid.shape == LM_SHAPE_PLANE)
			continue;
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
	result.margin = work->particles->thickness + 1e-6;
	if (item->solid.surface)
		result.margin += lm_surface_skin(item->solid.surface);
	lm_vec3 margin = { result.margin, result.margin, result.margin };
	result.low = lm_sub(result.low, margin), result.high = lm_add(result.high, margin);
	set_near(work->particles->origin, &result);
	return result;
}

static mover mover_of(const job* work, int32_t c)
{
	return c < MOVERS ? work->movers[c] : prepare_mover(work, &work->colliders->items[c]);
}

static bool boxes_meet(const mover* m, lm_vec3 low, lm_vec3 high)
{
	return low.x <= m->high.x && high.x >= m->low.x && low.y <= m->high.y && high.y >= m->low.y && low.z <= m->high.z &&
	       high.z >= m->low.z;
}

// Planes count only where they are now: a half-space has no far side to come back from.
static double height_over_plane(const lm_collider* item, lm_vec3 point)
{
	return lm_dot(lm_column(item->now.R, 1), lm_sub(point, item->now.position));
}

// Whether something of this box may be near the collider.
static bool box_near(const mover* m, four low, four high)
{
	if (m->item->solid.shape != LM_SHAPE_PLANE)
		return all_of((low <= m->near_high) & (high >= m->near_low));
	four lowest = least4(m->n * low, m->n * high);
	float height = lowest[0] + lowest[1] + lowest[2];
	four size = most4(most4(low, -low), most4(high, -high));
	return height - 1e-6f * (size[0] + size[1] + size[2]) < m->reach;
}

static bool chunk_near(const chunk_box* box, const mover* m)
{
	return box_near(m, box->low, box->high);
}

static bool particle_near(const mover* m, lm_vec3 from, lm_vec3 to)
{
	if (m->item->solid.shape == LM_SHAPE_PLANE)
		return height_over_plane(m->item, to) < m->margin;
	return boxes_meet(m, lm_min3(from, to), lm_max3(from, to));
}

// Rounding of a particle's coordinates, as a distance: single precision in its own, double in the world's.
static double rounding(const float* x)
{
	double largest = fmax(fabs((double)x[0]), fmax(fabs((double)x[1]), fabs((double)x[2])));
	return 4e-7 * largest + 1e-9;
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

static void respond(const lm_collider* item, const lm_particles* particles, const hit* contact, double h, float* x,
                    float* v)
{
	lm_vec3 n = contact->normal, velocity = { v[0], v[1], v[2] };
	lm_vec3 w = lm_sub(velocity, lm_placement_velocity(&item->now, contact->at));
	double along = lm_dot(w, n), gained = 0;
	if (along < 0)
	{
		double bounce = fmax(particles->restitution, item->restitution);
		gained = -along > lm_contact_calm_speed(h) ? -(1 + bounce) * along : -along;
	}
	lm_vec3 sliding = lm_add_scaled(w, -along, n);
	double speed = lm_length(sliding),
		   limit = sqrt(particles->friction * item->friction) * fmax(gained, contact->depth / h);
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

typedef struct chunk
{
	int64_t begin, end;
	chunk_box box, groups[GROUPS]; // of all, and of each GROUP
	bool prepared[CHUNK], touched[CHUNK];
	lm_vec3 starts[CHUNK]; // where the particles were before the step, if they are prepared
} chunk;

// Called before a particle is moved for the first time.
static void prepare(const job* work, chunk* part, int64_t i)
{
	const float* v = work->particles->v + 4 * i;
	lm_vec3 velocity = { v[0], v[1], v[2] };
	if (!part->prepared[i - part->begin])
		part->starts[i - part->begin] = lm_add_scaled(world_position(work->particles, i), -work->h, velocity);
	part->prepared[i - part->begin] = true;
}

// Whether a particle on its way may be near the collider.
static bool way_near(const job* work, const mover* m, int64_t i)
{
	four x, v;
	memcpy(&x, work->particles->x + 4 * i, sizeof x);
	memcpy(&v, work->particles->v + 4 * i, sizeof v);
	four from = x - (float)work->h * v;
	return box_near(m, least4(from, x), most4(from, x));
}

// One collider against a particle; true when it was moved by more than rounding.
static bool push_out(const job* work, const mover* m, chunk* part, int64_t i)
{
	const lm_particles* particles = work->particles;
	prepare(work, part, i);
	lm_vec3 from = part->starts[i - part->begin], to = world_position(particles, i);
	if (particles->inverse_mass[i] == 0 || !particle_near(m, from, to) || !lm_finite(from) || !lm_finite(to))
		return false;
	hit contact;
	float* x = particles->x + 4 * i;
	double tolerance = rounding(x);
	if (!find_hit(m, from, to, tolerance, particles->thickness, &contact))
		return false;
	respond(m->item, particles, &contact, work->h, x, particles->v + 4 * i);
	part->touched[i - part->begin] = true;
	return contact.depth > tolerance;
}

// One collider against a chunk; true when something was moved by more than rounding.
static bool sweep_collider(const job* work, const mover* m, chunk* part)
{
	bool moved = false;
	for (int group = 0; part->begin + group * GROUP < part->end; ++group)
	{
		if (!chunk_near(&part->groups[group], m))
			continue;
		int64_t begin = part->begin + group * GROUP, end = begin + GROUP < part->end ? begin + GROUP : part->end;
		for (int64_t i = begin; i < end; ++i)
			if (way_near(work, m, i))
				moved |= push_out(work, m, part, i);
	}
	return moved;
}

// Whether particles of the group that were pushed out of a collider may still be in one: out of a single convex one
// they are.
static bool still_in_doubt(const job* work, const chunk* part, int group)
{
	int64_t begin = part->begin + group * GROUP, end = begin + GROUP < part->end ? begin + GROUP : part->end;
	bool touched = false;
	for (int64_t i = begin; i < end; ++i)
		touched = touched || part->touched[i - part->begin];
	int near = 0;
	chunk_box box = touched ? bound_ways(work->particles, work->h, begin, end) : part->box;
	for (int32_t c = 0; touched && c < work->colliders->count; ++c)
	{
		mover m = mover_of(work, c);
		if (chunk_near(&box, &m))
			near += m.item->solid.shape == LM_SHAPE_MESH ? 2 : 1;
	}
	return near > 1;
}

static void measure_rest(job* work, const chunk* part)
{
	double deepest = 0;
	for (int group = 0; part->begin + group * GROUP < part->end; ++group)
	{
		if (!still_in_doubt(work, part, group))
			continue;
		int64_t begin = part->begin + group * GROUP, end = begin + GROUP < part->end ? begin + GROUP : part->end;
		for (int64_t i = begin; i < end; ++i)
		{
			if (!part->touched[i - part->begin])
				continue;
			double point[3];
			lm_v3_store(point, 0, world_position(work->particles, i));
			deepest = fmax(deepest, -lm_colliders_query(work->colliders, point, 0).distance);
		}
	}
	uint64_t bits, seen = atomic_load(&work->deepest);
	memcpy(&bits, &deepest, sizeof bits);
	while (bits > seen && !atomic_compare_exchange_weak(&work->deepest, &seen, bits))
		;
}

static void extend(chunk_box* box, const chunk_box* other)
{
	box->low = least4(other->low, box->low), box->high = most4(other->high, box->high);
}

// Boxes of the groups, and of all. Those that are there already only grow: what was pushed by one collider may have
// come to another.
static void bound_chunk(const job* work, chunk* part, bool first)
{
	for (int group = 0; part->begin + group * GROUP < part->end; ++group)
	{
		int64_t begin = part->begin + group * GROUP, end = begin + GROUP < part->end ? begin + GROUP : part->end;
		chunk_box box = bound_ways(work->particles, work->h, begin, end);
		if (first)
			part->groups[group] = box;
		else
			extend(&part->groups[group], &box);
		if (first && group == 0)
			part->box = box;
		extend(&part->box, &part->groups[group]);
	}
}

static void resolve_chunk(void* context, int64_t begin, int64_t end)
{
	job* work = context;
	chunk part;
	part.begin = begin, part.end = end;
	bound_chunk(work, &part, true);
	bool prepared = false;
	for (int sweep = 0; sweep < SWEEPS; ++sweep)
	{
		int32_t near = 0, hollow = 0; // one push may not be enough for these
		bool again = false;
		for (int32_t c = 0; c < work->colliders->count; ++c)
		{
			mover m = mover_of(work, c);
			if (!chunk_near(&part.box, &m))
				continue;
			if (!prepared)
				memset(part.prepared, 0, sizeof part.prepared), memset(part.touched, 0, sizeof part.touched);
			prepared = true;
			++near, hollow += m.item->solid.shape == LM_SHAPE_MESH;
			again |= sweep_collider(work, &m, &part);
		}
		if (!again || near + hollow < 2)
			break;
		bound_chunk(work, &part, false);
	}
	if (prepared)
		measure_rest(work, &part);
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
