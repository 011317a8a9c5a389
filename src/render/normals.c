// normals.c: the normal at corner c of triangle t,
//
//     n(c) = sum_f  s(c, f) angle(f) n_f / |...|
//
// over the triangles f of the fan around c's vertex; angle(f) is f's angle there (so that a diagonal more or less does
// not matter), n_f its normal, and s(c, f) the smoothness of the way from t to f: the product, over the edges that are
// crossed, of a factor that is 1 for dihedral angles up to 35 degrees and 0 from 45 degrees on. Of the two ways round
// a closed fan the smoother counts. The factor is continuous in the positions, so no crease pops up from one frame of
// an animation to the next, and it needs no memory of earlier frames.
#include "render/normals.h"

#include "base/parallel.h"

// Triangles of a fan that are looked at on either side. Wider fans exist at the poles of spheres and the tips of cones;
// there the far side is left out.
#define REACH 64

typedef struct normal_job
{
	lm_geometry* geometry;
	bool flat;
} normal_job;

static float edge_smoothness(const lm_geometry* geometry, int32_t corner_a, int32_t corner_b)
{
	lm_f3 a = lm_f3_at(geometry->face_normals, corner_a / 3);
	lm_f3 b = lm_f3_at(geometry->face_normals, corner_b / 3);
	if (lm_f3_dot(a, a) == 0 || lm_f3_dot(b, b) == 0)
		return 1; // a sliver has no angle to its neighbours: treat it as flat
	const float cos_35 = 0.81915204f, cos_45 = 0.70710678f;
	return lm_smooth_step(cos_45, cos_35, lm_f3_dot(a, b));
}

// angle(f) n_f at a corner.
static lm_f3 weighted_normal(const lm_geometry* geometry, int32_t corner)
{
	const int32_t* triangles = geometry->triangles;
	lm_f3 p = lm_f3_at(geometry->positions, triangles[corner]);
	lm_f3 zero = { 0, 0, 0 };
	lm_f3 a = lm_f3_normalize_or(lm_f3_sub(lm_f3_at(geometry->positions, triangles[lm_next_corner(corner)]), p), zero);
	lm_f3 b =
		lm_f3_normalize_or(lm_f3_sub(lm_f3_at(geometry->positions, triangles[lm_previous_corner(corner)]), p), zero);
	float angle = acosf(lm_min(lm_max(lm_f3_dot(a, b), -1), 1));
	return lm_f3_scale(angle, lm_f3_at(geometry->face_normals, corner / 3));
}

// The corner at the same vertex in the next triangle round, one way or the other; -1 at a border.
static int32_t step_round(const lm_geometry* geometry, int32_t corner, bool forward)
{
	if (forward)
	{
		int32_t twin = geometry->twins[corner];
		return twin < 0 ? -1 : lm_next_corner(twin);
	}
	return geometry->twins[lm_previous_corner(corner)];
}

// Corners of the fan with their smoothness, walking away from start. Returns how many; *closed when it came round.
static int walk(const lm_geometry* geometry, int32_t start, bool forward, int32_t corners[REACH],
                float smoothness[REACH], bool* closed)
{
	*closed = false;
	float product = 1;
	int count = 0;
	for (int32_t at = start; count < REACH;)
	{
		int32_t next = step_round(geometry, at, forward);
		*closed = next == start;
		if (next < 0 || next == start)
			break;
		product *= edge_smoothness(geometry, at, next);
		corners[count] = next;
		smoothness[count++] = product;
		at = next;
	}
	return count;
}

static lm_f3 smooth_normal(const lm_geometry* geometry, int32_t corner)
{
	int32_t corners[2][REACH];
	float smoothness[2][REACH];
	bool closed;
	int ahead = walk(geometry, corner, true, corners[0], smoothness[0], &closed);
	int back = walk(geometry, corner, false, corners[1], smoothness[1], &closed);
	lm_f3 sum = weighted_normal(geometry, corner);
	for (int i = 0; i < ahead; ++i)
	{
		float s = smoothness[0][i];
		if (closed) // the way back passes the same corners in the opposite order
			s = lm_max(s, smoothness[1][ahead - 1 - i]);
		if (s > 0)
			sum = lm_f3_add_scaled(sum, s, weighted_normal(geometry, corners[0][i]));
	}
	for (int i = 0; i < back && !closed; ++i)
		if (smoothness[1][i] > 0)
			sum = lm_f3_add_scaled(sum, smoothness[1][i], weighted_normal(geometry, corners[1][i]));
	return lm_f3_normalize_or(sum, lm_f3_at(geometry->face_normals, corner / 3));
}

static void make_normals(void* context, int64_t begin, int64_t end)
{
	const normal_job* job = context;
	lm_geometry* geometry = job->geometry;
	for (int64_t corner = 3 * begin; corner < 3 * end; ++corner)
		lm_f3_store(geometry->corner_normals, corner,
		            job->flat ? lm_f3_at(geometry->face_normals, corner / 3)
		                      : smooth_normal(geometry, (int32_t)corner));
}

void lm_make_corner_normals(lm_geometry* geometry, bool flat)
{
	normal_job job = { geometry, flat };
	lm_parallel_for(geometry->host.threads, geometry->triangle_count, 1024, make_normals, &job);
}
