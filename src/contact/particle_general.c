// particle_general.c: one particle against all colliders, whatever they are and wherever it came from.
#define LM_LANES 1
#include "contact/particle_path.h"
#include "contact/respond.h"

#include <string.h>

#define SWEEPS 4 // over the colliders, for particles that touch several

typedef struct hit
{
	double depth;   // how far to move along the normal, > 0
	lm_vec3 normal; // world
	lm_vec3 at;     // on the surface, from the position of the collider, in the axes of the world
} hit;

typedef struct local_way
{
	lm_vec3 from, to; // in the frame of the collider, before and now
	double tolerance; // of both
} local_way;

static bool touch_solid(const lm_solid* solid, const local_way* path, double thickness, double* depth, lm_vec3* normal)
{
	lm_solid_distance end = lm_solid_query(solid, path->to, thickness);
	bool inside = end.found && end.distance < thickness;
	if (inside)
		*depth = thickness - end.distance, *normal = end.normal;

	// A start on the surface, but for rounding, counts as outside.
	lm_vec3 from = path->from;
	lm_solid_distance start = lm_solid_query(solid, from, path->tolerance);
	if (start.found && start.distance < -path->tolerance)
		return inside; // it began inside: only the nearest way out counts
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
static bool touch_sheet(const lm_solid* solid, const local_way* path, double thickness, double* depth, lm_vec3* normal)
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

static bool find_hit(const lm_mover* m, const path_lanes* world, double tolerance, double thickness, hit* result)
{
	const lm_solid* solid = &m->item->solid;
	lm_vec3 arm = lm_sub(world->to, m->now.position);
	if (solid->shape == LM_SHAPE_PLANE) // a half-space needs no frame of its own
	{
		double height = height_over_plane(m, world->to);
		result->depth = thickness - height;
		result->normal = lm_column(m->now.R, 1);
		result->at = lm_add_scaled(arm, -height, result->normal);
		return height < thickness;
	}
	local_way path = { lm_placement_to_local(&m->before, world->from), lm_placement_to_local(&m->now, world->to),
		               tolerance };
	lm_vec3 normal;
	double depth;
	bool sheet = lm_solid_is_sheet(solid);
	// Within rounding the side of a sheet is undetermined, so that it always has some thickness.
	double skin = sheet ? fmax(thickness, fmax(8 * tolerance, lm_contact_surface_skin(solid->surface))) : thickness;
	if (!(sheet ? touch_sheet : touch_solid)(solid, &path, skin, &depth, &normal))
		return false;
	result->depth = depth;
	result->normal = lm_mul_v(m->now.R, normal);
	result->at = lm_add_scaled(arm, depth - skin, result->normal);
	return true;
}

static void add_to(float* values, int64_t i, lm_vec3 change)
{
	for (int k = 0; k < 3; ++k)
	{
		float* value = values + lm_particle_place(i, k);
		*value = (float)(*value + lm_v3_get(change, k));
	}
}

// One collider against the i-th particle. *moved becomes true when that was by more than rounding.
static bool push_out(const lm_particle_job* job, const lm_mover* m, int64_t i, path_lanes* path, bool* moved)
{
	const lm_particles* particles = job->particles;
	double tolerance = rounding(path->to);
	hit found;
	if (!comes_near(m, path) || !find_hit(m, path, tolerance, particles->thickness, &found))
		return false;
	contact_lanes at = { found.depth, found.normal, found.at };
	lm_placement now = m->now;
	now.linear = lm_add(now.linear, lm_mul_v(now.R, lm_solid_speed(&m->item->solid, lm_tmul_v(now.R, found.at))));
	response_lanes change = respond(&m->law, &now, &at, lm_particle_at(particles->v, i));
	if (lm_finite(change.x) && lm_finite(change.v))
	{
		add_to(particles->x, i, change.x);
		add_to(particles->v, i, change.v);
		path->to = lm_particle_at(particles->x, i);
	}
	*moved |= found.depth > tolerance;
	return true;
}

// Whether a particle that was pushed out of a collider may still be in one: out of a single convex one it is.
static bool in_doubt(const lm_particle_job* job, const path_lanes* path)
{
	int near = 0;
	lm_mover room;
	for (int32_t c = 0; c < job->colliders->count && near < 2; ++c)
	{
		const lm_mover* m = lm_mover_of(job, c, &room);
		if (comes_near(m, path))
			near += m->item->solid.shape == LM_SHAPE_MESH ? 2 : 1;
	}
	return near > 1;
}

static void measure_rest(lm_particle_job* job, lm_vec3 x)
{
	const double* origin = job->particles->origin;
	const double point[3] = { origin[0] + x.x, origin[1] + x.y, origin[2] + x.z };
	double deepest = larger(-lm_colliders_query(job->colliders, point, 0).distance, 0);
	uint64_t bits, seen = atomic_load(&job->deepest);
	memcpy(&bits, &deepest, sizeof bits);
	while (bits > seen && !atomic_compare_exchange_weak(&job->deepest, &seen, bits))
		;
}

void lm_push_general(lm_particle_job* job, int64_t i)
{
	path_lanes path = { .to = lm_particle_at(job->particles->x, i) };
	path.from = lm_add_scaled(path.to, -job->h, lm_particle_at(job->particles->v, i));
	if (job->particles->inverse_mass[i] == 0 || !lm_finite(path.from) || !lm_finite(path.to))
		return;
	bool touched = false, again = true, doubt = true;
	lm_mover room;
	for (int sweep = 0; again && doubt && sweep < SWEEPS; ++sweep)
	{
		again = false;
		for (int32_t c = 0; c < job->colliders->count; ++c)
			touched |= push_out(job, lm_mover_of(job, c, &room), i, &path, &again);
		if (!touched)
			return;
		doubt = in_doubt(job, &path);
	}
	if (doubt)
		measure_rest(job, path.to);
}
