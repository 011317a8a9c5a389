// How obstacles move against the cloth: how far in a step, how far they were held back, and where they pinch it.
#include "contact/gap.h"
#include "math/vec.h"
#include "track/body.h"

#include <string.h>

static lm_vec3 place_of(const double* positions, const lm_track* cloth, int32_t v)
{
	return lm_v3_at(positions, (int64_t)v - cloth->n);
}

// Box of the cloth while it goes on for h seconds, larger by twice its thickness.
static lm_box box_of_cloth(const lm_track* cloth, double h, lm_vec3* mean)
{
	lm_box box = lm_box_empty();
	*mean = lm_v3(0, 0, 0);
	for (int32_t v = 0; v < cloth->n; ++v)
	{
		lm_vec3 a = lm_v3_at(cloth->x, v), d = lm_scale(h, lm_v3_at(cloth->v, v)), b = lm_add(a, d);
		box = lm_box_join(box, lm_box_join((lm_box){ a, a }, (lm_box){ b, b }));
		*mean = lm_add_scaled(*mean, 1.0 / cloth->n, d);
	}
	double r = 2 * cloth->settings.thickness;
	return (lm_box){ lm_sub(box.low, lm_v3(r, r, r)), lm_add(box.high, lm_v3(r, r, r)) };
}

lm_box lm_track_box(const lm_track* cloth, double h)
{
	lm_vec3 mean;
	return box_of_cloth(cloth, h, &mean);
}

lm_box lm_track_swept_box(const lm_track* cloth)
{
	lm_box box = lm_box_empty();
	for (int32_t v = 0; v < cloth->n; ++v)
	{
		lm_vec3 a = lm_v3_at(cloth->origin, v), b = lm_v3_at(cloth->x, v);
		box = lm_box_join(box, lm_box_join((lm_box){ a, a }, (lm_box){ b, b }));
	}
	double r = cloth->settings.thickness;
	return (lm_box){ lm_sub(box.low, lm_v3(r, r, r)), lm_add(box.high, lm_v3(r, r, r)) };
}

static lm_vec3 corner_of(lm_box box, int i)
{
	return lm_v3(i & 1 ? box.high.x : box.low.x, i & 2 ? box.high.y : box.low.y, i & 4 ? box.high.z : box.low.z);
}

// The longest displacement d of a triangle near a box: at its corners or, where it is much larger than the box (the
// ground), at the points nearest to those of the box.
static double triangle_way(const lm_vec3 x[3], const lm_vec3 d[3], lm_box near, bool large)
{
	double most = 0;
	for (int i = 0; !large && i < 3; ++i)
		most = fmax(most, lm_length(d[i]));
	for (int i = 0; large && i < 8; ++i)
	{
		const lm_vec3 four[4] = { corner_of(near, i), x[0], x[1], x[2] };
		lm_gap gap = lm_gap_point_triangle(four);
		lm_vec3 at = lm_v3(0, 0, 0);
		for (int k = 0; k < 3; ++k)
			at = lm_add_scaled(at, -gap.c[k + 1], d[k]);
		most = fmax(most, lm_length(at));
	}
	return most;
}

static double way_of_obstacle(const lm_track* cloth, const lm_track_obstacle* obstacle, const double* ends, lm_box near,
                              lm_vec3 mean)
{
	double most = 0, size = lm_distance(near.low, near.high);
	for (int32_t t = 0; t < obstacle->mesh->triangle_count; ++t)
	{
		lm_vec3 x[3], d[3];
		lm_box box = lm_box_empty();
		for (int i = 0; i < 3; ++i)
		{
			int32_t v = obstacle->first_vertex + obstacle->mesh->triangles[3 * (int64_t)t + i];
			lm_vec3 end = place_of(ends, cloth, v);
			x[i] = lm_v3_at(cloth->x, v), d[i] = lm_sub(lm_sub(end, x[i]), mean);
			box = lm_box_join(box, lm_box_join((lm_box){ x[i], x[i] }, (lm_box){ end, end }));
		}
		if (lm_box_overlaps(box, near))
			most = fmax(most, triangle_way(x, d, near, lm_distance(box.low, box.high) > size));
	}
	return most;
}

static bool rests(const lm_track* cloth, const lm_track_obstacle* obstacle, const double* ends)
{
	return memcmp(cloth->x + 3 * (int64_t)obstacle->first_vertex,
	              ends + 3 * (int64_t)(obstacle->first_vertex - cloth->n),
	              3 * (size_t)obstacle->mesh->vertex_count * sizeof(double)) == 0;
}

double lm_track_obstacle_way(const lm_track* cloth, const double* ends, double h)
{
	lm_vec3 mean;
	lm_box near = box_of_cloth(cloth, h, &mean);
	double most = 0;
	for (int32_t i = 0; i < cloth->obstacle_count; ++i)
		if (!rests(cloth, &cloth->obstacles[i], ends))
			most = fmax(most, way_of_obstacle(cloth, &cloth->obstacles[i], ends, near, mean));
	return most;
}

double lm_track_obstacle_lag(const lm_track* cloth, const double* ends)
{
	double most = 0;
	for (int32_t v = cloth->n; v < cloth->n + cloth->obstacle_vertices; ++v)
		most = fmax(most, lm_distance(lm_v3_at(cloth->x, v), place_of(ends, cloth, v)));
	return most;
}

double lm_track_penetration(const lm_track* cloth, const lm_colliders* colliders, double most)
{
	double deepest = 0;
	for (int32_t v = 0; v < cloth->n; ++v)
		deepest = fmax(deepest, -lm_colliders_query(colliders, cloth->x + 3 * (int64_t)v, 0).distance);
	return fmin(deepest, most);
}

// ---- between two obstacles ---------------------------------------------------------------------------------------

// Normals n of the pairs of a vertex with obstacles: those after the first are compared with it.
static void note_normal(lm_vec3* normals, int32_t v, lm_vec3 n, bool* opposite)
{
	if (lm_dot(normals[v], normals[v]) == 0)
		normals[v] = n;
	else
		*opposite = *opposite || lm_dot(normals[v], n) < -0.3;
}

int32_t lm_track_count_pinched(const lm_track_together* t, int32_t m)
{
	const lm_track* cloth = t->cloths[m];
	int32_t first = t->first[m], all = t->first[t->count];
	const lm_close_pair* pairs = lm_clearance_pairs(t->clearance);
	lm_vec3* normals = (lm_vec3*)cloth->before; // scratch
	memset(normals, 0, (size_t)cloth->n * sizeof *normals);
	int32_t count = 0;
	for (int32_t i = 0; i < lm_clearance_pair_count(t->clearance); ++i)
	{
		lm_vec3 x[4];
		bool obstacle = false, opposite = false;
		for (int k = 0; k < 4; ++k)
			x[k] = lm_v3_at(t->x, pairs[i].v[k]), obstacle = obstacle || pairs[i].v[k] >= all;
		if (!obstacle)
			continue;
		lm_gap gap = lm_barrier_gap(pairs[i].kind, x);
		for (int k = 0; k < 4; ++k)
			if (pairs[i].v[k] >= first && pairs[i].v[k] < first + cloth->n && gap.c[k] != 0) // obstacle to cloth
				note_normal(normals, pairs[i].v[k] - first, lm_scale((gap.c[k] > 0 ? 1 : -1) / gap.D, gap.w),
				            &opposite);
		count += opposite;
	}
	return count;
}
