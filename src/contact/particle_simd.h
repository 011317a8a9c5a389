// particle_simd.h: LM_LANES particles at once against one convex collider that they met from outside.
//
// Let d and n be distance and normal at the end of the path, d' and n' at its start, and s = d - n.path the height of
// the beginning over the plane on the solid that n stands on, all in the frame of the moving collider. The signed
// distance of a convex solid is a convex function, so that (but for rounding) these cases are decided:
//   d' < 0:         it began inside, and only the nearest way out counts;
//   d >= thickness: it touches nothing if s >= 0 (the plane lies between) or n'.path >= 0 (it only moved away);
//   d < thickness:  the nearest way out is back where it came from, if the surface where it went in faces the same side
//                   as n. Of balls and capsules it does with s >= 0 or n.n' > 1/2; of boxes with s >= 0, but once
//                   inside only if it came through that same face.
// All other cases are left: those near several colliders, or meshes, or after the push near another collider.
#ifndef LM_CONTACT_PARTICLE_SIMD_H
#define LM_CONTACT_PARTICLE_SIMD_H

#define LM_LANES 4
#include "contact/particle_near.h"
#include "contact/particle_path.h"
#include "contact/respond.h"
#include "contact/shape_lanes.h"

// Up to LM_LANES particles. The last one stands for those that are missing.
typedef struct group
{
	int count;
	int64_t which[LM_LANES];
} group;

LM_INLINE lanes coordinate(const float* from, const int64_t place[LM_LANES])
{
	return (lanes){ from[place[0]], from[place[1]], from[place[2]], from[place[3]] };
}

LM_INLINE lanes3 gather(const float* from, const group* g)
{
	int64_t place[LM_LANES];
	for (int l = 0; l < LM_LANES; ++l)
		place[l] = lm_particle_place(g->which[l], 0);
	return (lanes3){ coordinate(from, place), coordinate(from + LM_PARTICLE_BLOCK, place),
		             coordinate(from + 2 * LM_PARTICLE_BLOCK, place) };
}

LM_INLINE void scatter(float* to, const group* g, unsigned which, lanes3 values)
{
	for (int l = 0; l < g->count; ++l)
		if (which >> l & 1)
		{
			float* at = to + lm_particle_place(g->which[l], 0);
			at[0] = (float)values.x[l], at[LM_PARTICLE_BLOCK] = (float)values.y[l];
			at[2 * LM_PARTICLE_BLOCK] = (float)values.z[l];
		}
}

// Of one coordinate: between the two faces across it, or it is the one along the normal.
LM_INLINE lane_mask over_side(double half, lanes normal, lanes from, lanes tolerance)
{
	return less(magnitude(from), half - tolerance) | less(all_lanes(0), magnitude(normal));
}

// Whether a path from there into the box must pass the face with this normal.
LM_INLINE lane_mask over_face(lm_vec3 half, lanes3 normal, lanes3 from, lanes tolerance)
{
	return over_side(half.x, normal.x, from.x, tolerance) & over_side(half.y, normal.y, from.y, tolerance) &
	       over_side(half.z, normal.z, from.z, tolerance);
}

// Whether the two ends of the path (in the frame of the solid) decide the contact.
LM_INLINE lane_mask is_simple(const lm_solid* solid, lanes3 from, lanes3 to, const lanes_distance* end,
                              lane_mask touching, lanes tolerance)
{
	lanes_distance began = solid_distance(solid, from);
	lanes3 path = difference(to, from);
	lane_mask above = at_most(-tolerance, end->distance - dot_of(end->normal, path)), same_side;
	if (solid->shape == LM_SHAPE_BOX)
		same_side =
			above & (at_most(all_lanes(0), end->distance) | over_face(solid->half, end->normal, from, tolerance));
	else
		same_side = above | less(all_lanes(0.5), dot_of(began.normal, end->normal));
	lane_mask leaving = at_most(all_lanes(0), dot_of(began.normal, path));
	return less(began.distance, -tolerance) | (touching & same_side) | (~touching & (above | leaving));
}

// What the path of a group meets: the lanes that touch, for which *at is the place. Those of *unsure are left to the
// general path.
LM_INLINE lane_mask meet(const lm_mover* m, const path_lanes* path, double thickness, contact_lanes* at,
                         lane_mask* unsure)
{
	const lm_solid* solid = &m->item->solid;
	lanes3 arm = difference(path->to, all_lanes3(m->now.position));
	lanes3 to = transposed_times(&m->now.R, arm);
	lanes_distance end = solid_distance(solid, to);
	lane_mask touching = less(end.distance, all_lanes(thickness)), sure = ~(lane_mask){ 0 };
	if (solid->shape != LM_SHAPE_PLANE)
	{
		lanes3 from = transposed_times(&m->before.R, difference(path->from, all_lanes3(m->before.position)));
		sure = is_simple(solid, from, to, &end, touching, rounding(path->to));
	}
	at->depth = thickness - end.distance;
	at->normal = times(&m->now.R, end.normal);
	at->surface = add_scaled(arm, -end.distance, at->normal);
	*unsure = ~sure;
	return touching & sure;
}

// Whether the path comes near any collider but m.
LM_INLINE lane_mask near_others(const lm_particle_job* job, const lm_mover* m, const path_lanes* path)
{
	lane_mask near = { 0 };
	for (int32_t c = 0; c < job->colliders->count; ++c)
		if (&job->movers[c] != m)
			near |= comes_near(&job->movers[c], path);
	return near;
}

// The bits of the lanes that are left for the general path.
static unsigned push_group(const lm_particle_job* job, const lm_mover* m, const group* g)
{
	const lm_particles* particles = job->particles;
	lanes3 v = gather(particles->v, g);
	path_lanes path = { .to = gather(particles->x, g) };
	path.from = add_scaled(path.to, all_lanes(-job->h), v);
	contact_lanes at;
	lane_mask unsure, touching = meet(m, &path, particles->thickness, &at, &unsure);
	if (!bits_of_lanes(touching | unsure))
		return 0;
	response_lanes change = respond(&m->law, &m->now, &at, v);
	v = sum_of(v, change.v);
	path.to = sum_of(path.to, change.x);
	const lanes too_large = all_lanes(1e60); // less than the square of what overflows; and NaN is not less
	unsure |= touching & (near_others(job, m, &path) | ~less(dot_of(path.to, path.to) + dot_of(v, v), too_large));
	unsigned pushed = bits_of_lanes(touching & ~unsure);
	scatter(particles->x, g, pushed, path.to);
	scatter(particles->v, g, pushed, v);
	return bits_of_lanes(unsure);
}

// The moving ones of a set, and after them the last again for the lanes of a group that are missing.
static int list_particles(const lm_particles* particles, int64_t begin, int64_t end, const lm_chunk_set* set,
                          int64_t which[LM_PARTICLE_CHUNK + LM_LANES])
{
	int count = 0;
	for (int word = 0; word < LM_PARTICLE_CHUNK / 64; ++word)
		for (uint64_t bits = set->bits[word]; bits; bits &= bits - 1)
		{
			int64_t i = begin + 64 * word + __builtin_ctzll(bits);
			if (i < end && particles->inverse_mass[i] != 0)
				which[count++] = i;
		}
	for (int l = 0; l < LM_LANES && count > 0; ++l)
		which[count + l] = which[count - 1];
	return count;
}

static void push_set(const lm_particle_job* job, const lm_mover* m, int64_t begin, int64_t end, const lm_chunk_set* set,
                     lm_chunk_set* left)
{
	int64_t which[LM_PARTICLE_CHUNK + LM_LANES];
	int count = list_particles(job->particles, begin, end, set, which);
	for (int k = 0; k < count; k += LM_LANES)
	{
		group g = { .count = count - k < LM_LANES ? count - k : LM_LANES };
		memcpy(g.which, which + k, sizeof g.which);
		unsigned unsure = push_group(job, m, &g);
		for (int l = 0; unsure >> l != 0; ++l)
			if (unsure >> l & 1)
				left->bits[(g.which[l] - begin) / 64] |= (uint64_t)1 << (g.which[l] - begin) % 64;
	}
}

static void push_simd(const lm_particle_job* job, int64_t begin, int64_t end, lm_chunk_set* left)
{
	chunk_boxes chunk;
	bound_chunk(job->particles, (float)job->h, begin, end, &chunk);
	lm_chunk_set near[LM_MOVERS], seen = { 0 }, set;
	const lm_mover* movers[LM_MOVERS];
	lm_mover room;
	int count = 0;
	for (int32_t c = 0; c < job->colliders->count; ++c)
	{
		const lm_mover* m = lm_mover_of(job, c, &room);
		if (!chunk_near(m, &chunk, &set))
			continue;
		bool hard = m->item->solid.shape == LM_SHAPE_MESH || job->colliders->count > LM_MOVERS;
		for (int word = 0; word < LM_PARTICLE_CHUNK / 64; ++word)
		{
			left->bits[word] |= set.bits[word] & (hard ? UINT64_MAX : seen.bits[word]);
			seen.bits[word] |= set.bits[word];
		}
		if (!hard)
			movers[count] = m, near[count++] = set;
	}
	const lm_chunk_set several = *left;
	for (int k = 0; k < count; ++k)
	{
		for (int word = 0; word < LM_PARTICLE_CHUNK / 64; ++word)
			near[k].bits[word] &= ~several.bits[word];
		push_set(job, movers[k], begin, end, &near[k], left);
	}
}

#endif
