// Colliders as triangles around the cloth, and whether everything is clear.
#include "base/alloc.h"
#include "base/error.h"
#include "contact/collider_surface.h"
#include "math/quat.h"
#include "mesh/intersect.h"
#include "track/body.h"

#include <string.h>

#define PLANE_EXTENT 100 // times the size of the cloth

static lm_status make_meshes(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	cloth->obstacles = LM_NEW(&cloth->host, def->collider_count, lm_track_obstacle);
	if (cloth->obstacles == NULL)
		return lm_fail_memory(error);
	cloth->collider_count = def->collider_count;
	int64_t next = cloth->n;
	for (int32_t i = 0; i < def->collider_count; ++i)
	{
		lm_track_obstacle* obstacle = &cloth->obstacles[i];
		lm_status status =
			lm_collider_surface(&def->colliders[i], PLANE_EXTENT * cloth->size, &cloth->host, &obstacle->mesh, error);
		if (status != LM_OK)
			return status;
		obstacle->first_vertex = (int32_t)next;
		next += obstacle->mesh->vertex_count;
		if (next > INT32_MAX / 4)
			return lm_fail(error, LM_BAD_INPUT, "cloth and colliders have %lld vertices together, which is too many",
			               (long long)next);
	}
	cloth->obstacle_vertices = (int32_t)(next - cloth->n);
	return LM_OK;
}

// Triangles of the cloth first, then those of the obstacles.
static lm_status join_triangles(lm_track* cloth, lm_error* error)
{
	int64_t count = cloth->mesh->triangle_count;
	for (int32_t i = 0; i < cloth->collider_count; ++i)
		count += cloth->obstacles[i].mesh->triangle_count;
	cloth->triangles = LM_NEW(&cloth->host, 3 * count, int32_t);
	if (cloth->triangles == NULL)
		return lm_fail_memory(error);
	cloth->triangle_count = (int32_t)count;
	int64_t at = 3 * (int64_t)cloth->mesh->triangle_count;
	memcpy(cloth->triangles, cloth->mesh->triangles, (size_t)at * sizeof(int32_t));
	for (int32_t i = 0; i < cloth->collider_count; ++i)
	{
		const lm_track_obstacle* obstacle = &cloth->obstacles[i];
		for (int64_t k = 0; k < 3 * (int64_t)obstacle->mesh->triangle_count; ++k)
			cloth->triangles[at++] = obstacle->first_vertex + obstacle->mesh->triangles[k];
	}
	return LM_OK;
}

// The clearance's own rest shape, for the fading of edges: lengths are all that counts, so frames do not matter.
static lm_status make_clearance(lm_track* cloth, lm_error* error)
{
	int64_t all = (int64_t)cloth->n + cloth->obstacle_vertices;
	double* rest = LM_NEW(&cloth->host, 3 * all, double);
	if (rest == NULL)
		return lm_fail_memory(error);
	memcpy(rest, cloth->mesh->positions, 3 * (size_t)cloth->n * sizeof *rest);
	for (int32_t i = 0; i < cloth->collider_count; ++i)
	{
		const lm_track_obstacle* obstacle = &cloth->obstacles[i];
		memcpy(rest + 3 * (int64_t)obstacle->first_vertex, obstacle->mesh->positions,
		       3 * (size_t)obstacle->mesh->vertex_count * sizeof *rest);
	}
	lm_clearance_shape shape = { .vertex_count = (int32_t)all,
		                         .free = cloth->n,
		                         .rest = rest,
		                         .triangle_count = cloth->triangle_count,
		                         .triangles = cloth->triangles,
		                         .ignore_self = !cloth->settings.self_contact };
	lm_status status = lm_clearance_create(&shape, &cloth->host, &cloth->clearance, error);
	lm_free(&cloth->host, rest);
	return status;
}

lm_status lm_track_make_obstacles(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	lm_status status = lm_colliders_create(def->colliders, def->collider_count, &cloth->host, &cloth->colliders, error);
	if (status == LM_OK)
		status = make_meshes(cloth, def, error);
	if (status == LM_OK)
		status = join_triangles(cloth, error);
	if (status == LM_OK)
		status = make_clearance(cloth, error);
	return status;
}

void lm_track_place_obstacles(const lm_track* cloth, double time, double* positions)
{
	lm_colliders_set_time(cloth->colliders, time);
	for (int32_t i = 0; i < cloth->collider_count; ++i)
	{
		const lm_track_obstacle* obstacle = &cloth->obstacles[i];
		double p[3], q[4];
		lm_colliders_placement(cloth->colliders, i, p, q);
		lm_quat turn = { q[0], q[1], q[2], q[3] };
		for (int32_t v = 0; v < obstacle->mesh->vertex_count; ++v)
		{
			lm_vec3 at = lm_add(lm_v3_at(p, 0), lm_quat_rotate(turn, lm_v3_at(obstacle->mesh->positions, v)));
			lm_v3_store(positions, (int64_t)(obstacle->first_vertex - cloth->n) + v, at);
		}
	}
}

// ---- clear? ------------------------------------------------------------------------------------------------------

static lm_status count_crossings(const lm_track* cloth, const double* x, lm_triangle_pair* first, int64_t* count,
                                 lm_error* error)
{
	int32_t own = cloth->mesh->triangle_count;
	lm_bvh tree = { 0 }, others = { 0 };
	lm_status status = lm_bvh_create(cloth->triangles, own, 3, x, &cloth->host, &tree, error);
	if (status == LM_OK)
		status = lm_bvh_create(cloth->triangles + 3 * (int64_t)own, cloth->triangle_count - own, 3, x, &cloth->host,
		                       &others, error);
	if (status == LM_OK)
	{
		*count = cloth->settings.self_contact ? lm_mesh_count_intersections(&tree, first, 1) : 0;
		int64_t own_count = *count;
		*count += lm_meshes_count_intersections(&tree, &others, own_count == 0 ? first : NULL, 1);
		if (own_count == 0)
			first->second += own;
	}
	lm_bvh_release(&tree), lm_bvh_release(&others);
	return status;
}

lm_status lm_track_check_clear(const lm_track* cloth, const double* x, const char* what, lm_error* error)
{
	int64_t count = 0;
	lm_triangle_pair first = { 0, 0 };
	lm_status status = count_crossings(cloth, x, &first, &count, error);
	if (status != LM_OK || count == 0)
		return status;
	bool itself = first.second < cloth->mesh->triangle_count;
	status = lm_fail(error, LM_BAD_INPUT,
	                 "%s crosses %s in %lld pairs of triangles, the first at triangle %d; it must be free of crossings",
	                 what, itself ? "itself" : "a collider", (long long)count, first.first);
	if (error != NULL)
		error->element = first.first;
	return status;
}

int64_t lm_track_intersections(const lm_track* cloth)
{
	int64_t count = -1;
	lm_triangle_pair first = { 0, 0 };
	return count_crossings(cloth, cloth->x, &first, &count, NULL) == LM_OK ? count : -1;
}
