// Colliders as triangles around the cloth, and whether everything is clear.
#include "base/alloc.h"
#include "base/error.h"
#include "contact/collider_surface.h"
#include "contact/colliders.h"
#include "math/quat.h"
#include "mesh/intersect.h"
#include "track/body.h"

#include <assert.h>
#include <string.h>

#define PLANE_EXTENT 100 // times the size of the cloth

// Only where they are is asked of them: shapes are the obstacles', and so is what deforms them.
static lm_status make_colliders(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	lm_status status = lm_colliders_create(def->colliders, def->collider_count, &cloth->host, &cloth->colliders, error);
	for (int32_t i = 0; status == LM_OK && i < def->collider_count; ++i)
		cloth->colliders->items[i].frames.count = 0;
	return status;
}

static lm_status add_obstacle(lm_track* cloth, int32_t collider, int64_t* next, lm_error* error)
{
	lm_track_obstacle* obstacle = &cloth->obstacles[cloth->obstacle_count++];
	obstacle->collider = collider, obstacle->first_vertex = (int32_t)*next;
	*next += obstacle->mesh->vertex_count;
	if (*next > INT32_MAX / 4)
		return lm_fail(error, LM_BAD_INPUT, "cloth and colliders have %lld vertices together, which is too many",
		               (long long)*next);
	return LM_OK;
}

static lm_status copy_surface(lm_track* cloth, const lm_mesh* surface, int32_t index, lm_mesh** copy, lm_error* error)
{
	if (surface == NULL || surface->triangle_count == 0)
		return lm_fail(error, LM_BAD_INPUT, "surface %d has no triangles", index);
	lm_status status = lm_mesh_check(surface, "", error);
	if (status != LM_OK)
		return status;
	*copy = lm_mesh_copy(surface, &cloth->host);
	return *copy != NULL ? LM_OK : lm_fail_memory(error);
}

static lm_status make_meshes(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	cloth->obstacles = LM_NEW(&cloth->host, (int64_t)def->collider_count + def->surface_count, lm_track_obstacle);
	if (cloth->obstacles == NULL)
		return lm_fail_memory(error);
	cloth->collider_count = def->collider_count;
	int64_t next = cloth->n;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < def->collider_count + def->surface_count; ++i)
	{
		int32_t surface = i - def->collider_count;
		lm_mesh** mesh = &cloth->obstacles[i].mesh;
		status = surface < 0
		             ? lm_collider_surface(&def->colliders[i], PLANE_EXTENT * cloth->size, &cloth->host, mesh, error)
		             : copy_surface(cloth, def->surfaces[surface], surface, mesh, error);
		if (status == LM_OK)
			status = add_obstacle(cloth, surface < 0 ? i : -1, &next, error);
		if (status == LM_OK && surface < 0)
			cloth->obstacles[i].frames = def->colliders[i].frames;
	}
	cloth->obstacle_vertices = (int32_t)(next - cloth->n);
	return status;
}

// Triangles of the cloth first, then those of the obstacles.
static lm_status join_triangles(lm_track* cloth, lm_error* error)
{
	int64_t count = cloth->mesh->triangle_count;
	for (int32_t i = 0; i < cloth->obstacle_count; ++i)
		count += cloth->obstacles[i].mesh->triangle_count;
	cloth->triangles = LM_NEW(&cloth->host, 3 * count, int32_t);
	if (cloth->triangles == NULL)
		return lm_fail_memory(error);
	cloth->triangle_count = (int32_t)count;
	int64_t at = 3 * (int64_t)cloth->mesh->triangle_count;
	memcpy(cloth->triangles, cloth->mesh->triangles, (size_t)at * sizeof(int32_t));
	for (int32_t i = 0; i < cloth->obstacle_count; ++i)
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
	for (int32_t i = 0; i < cloth->obstacle_count; ++i)
	{
		const lm_track_obstacle* obstacle = &cloth->obstacles[i];
		memcpy(rest + 3 * (int64_t)obstacle->first_vertex, obstacle->mesh->positions,
		       3 * (size_t)obstacle->mesh->vertex_count * sizeof *rest);
	}
	lm_clearance_shape shape = { .vertex_count = (int32_t)all,
		                         .free = cloth->n,
		                         .rest = rest,
		                         .rests_apart = true,
		                         .triangle_count = cloth->triangle_count,
		                         .triangles = cloth->triangles,
		                         .ignore_self = !cloth->settings.self_contact };
	lm_status status = lm_clearance_create(&shape, &cloth->host, &cloth->clearance, error);
	lm_free(&cloth->host, rest);
	return status;
}

static double* ends_of(const lm_track* cloth, const lm_track_obstacle* obstacle)
{
	return cloth->surface_ends + 3 * (int64_t)(obstacle->first_vertex - cloth->n);
}

static lm_status make_ends(lm_track* cloth, lm_error* error)
{
	int64_t surfaces = cloth->obstacle_count - cloth->collider_count;
	cloth->surface_ends = LM_NEW(&cloth->host, 3 * (int64_t)cloth->obstacle_vertices, double);
	cloth->given = LM_NEW(&cloth->host, surfaces + 1, lm_track_given);
	cloth->partners = LM_NEW(&cloth->host, surfaces + 1, lm_track_partner);
	cloth->touching = LM_NEW(&cloth->host, cloth->n, int32_t);
	if (cloth->surface_ends == NULL || cloth->given == NULL || cloth->partners == NULL || cloth->touching == NULL)
		return lm_fail_memory(error);
	for (int32_t i = cloth->collider_count; i < cloth->obstacle_count; ++i)
	{
		const lm_mesh* mesh = cloth->obstacles[i].mesh;
		memcpy(ends_of(cloth, &cloth->obstacles[i]), mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
	}
	return LM_OK;
}

lm_status lm_track_make_obstacles(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	lm_status status = make_colliders(cloth, def, error);
	if (status == LM_OK)
		status = make_meshes(cloth, def, error);
	if (status == LM_OK)
		status = join_triangles(cloth, error);
	if (status == LM_OK)
		status = make_ends(cloth, error);
	if (status == LM_OK)
		status = make_clearance(cloth, error);
	return status;
}

// ---- places ------------------------------------------------------------------------------------------------------

static void place_collider(const lm_track* cloth, const lm_track_obstacle* obstacle, double time, double* positions)
{
	double p[3], q[4];
	if (obstacle->frames.count > 0)
		lm_collider_frames_at(&obstacle->frames, obstacle->mesh->vertex_count, time, obstacle->mesh->positions, NULL);
	lm_colliders_placement(cloth->colliders, obstacle->collider, p, q);
	lm_quat turn = { q[0], q[1], q[2], q[3] };
	for (int32_t v = 0; v < obstacle->mesh->vertex_count; ++v)
		lm_v3_store(positions, v, lm_add(lm_v3_at(p, 0), lm_quat_rotate(turn, lm_v3_at(obstacle->mesh->positions, v))));
}

void lm_track_place_obstacles(const lm_track* cloth, double time, double share, double* positions)
{
	lm_colliders_set_time(cloth->colliders, time);
	for (int32_t i = 0; i < cloth->obstacle_count; ++i)
	{
		const lm_track_obstacle* obstacle = &cloth->obstacles[i];
		double* own = positions + 3 * (int64_t)(obstacle->first_vertex - cloth->n);
		const double *from = cloth->origin + 3 * (int64_t)obstacle->first_vertex, *to = ends_of(cloth, obstacle);
		if (obstacle->collider >= 0)
			place_collider(cloth, obstacle, time, own);
		else
			for (int64_t k = 0; k < 3 * (int64_t)obstacle->mesh->vertex_count; ++k)
				own[k] = share < 1 ? from[k] + share * (to[k] - from[k]) : to[k];
	}
}

lm_status lm_track_move_surface(lm_track* cloth, int32_t surface, const double* positions, lm_error* error)
{
	assert(surface >= 0 && surface < cloth->obstacle_count - cloth->collider_count);
	const lm_track_obstacle* obstacle = &cloth->obstacles[cloth->collider_count + surface];
	lm_status status = lm_track_check_numbers(positions, obstacle->mesh->vertex_count, "a surface", error);
	if (status == LM_OK)
		memcpy(ends_of(cloth, obstacle), positions, 3 * (size_t)obstacle->mesh->vertex_count * sizeof(double));
	return status;
}

// ---- tangles -----------------------------------------------------------------------------------------------------

lm_status lm_track_make_tangle(lm_track* cloth, lm_error* error)
{
	lm_track_drop_tangle(cloth);
	return lm_tangle_create(cloth->mesh, cloth->n + cloth->obstacle_vertices, cloth->x, &cloth->host, &cloth->tangle,
	                        error);
}

void lm_track_drop_tangle(lm_track* cloth)
{
	if (cloth->tangle != NULL)
		lm_clearance_let_through(cloth->clearance, NULL);
	lm_tangle_destroy(cloth->tangle);
	cloth->tangle = NULL;
}

int64_t lm_track_tangled(const lm_track* cloth, int32_t* triangles, int64_t most)
{
	const lm_tangle* t = cloth->tangle;
	for (int64_t k = 0; t != NULL && k < t->count && k < t->capacity && k < most; ++k)
		triangles[2 * k] = t->pairs[k].first, triangles[2 * k + 1] = t->pairs[k].second;
	return t != NULL ? t->count : 0;
}

// ---- clear? ------------------------------------------------------------------------------------------------------

static lm_status count_crossings(const lm_track* cloth, const double* x, bool itself, lm_triangle_pair* first,
                                 int64_t* count, lm_error* error)
{
	int32_t own = cloth->mesh->triangle_count;
	lm_bvh tree = { 0 }, others = { 0 };
	lm_status status = lm_bvh_create(cloth->triangles, own, 3, x, &cloth->host, &tree, error);
	if (status == LM_OK)
		status = lm_bvh_create(cloth->triangles + 3 * (int64_t)own, cloth->triangle_count - own, 3, x, &cloth->host,
		                       &others, error);
	if (status == LM_OK)
	{
		*count = itself ? lm_mesh_count_intersections(&tree, first, 1) : 0;
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
	bool itself = cloth->tangle == NULL && cloth->settings.self_contact; // else it may cross itself
	lm_status status = count_crossings(cloth, x, itself, &first, &count, error);
	if (status != LM_OK || count == 0)
		return status;
	itself = first.second < cloth->mesh->triangle_count;
	status = lm_fail(error, LM_BAD_INPUT,
	                 "%s crosses %s in %lld pairs of triangles, the first at triangle %d; it must be free of crossings",
	                 what, itself ? "itself" : "a collider", (long long)count, first.first);
	if (error != NULL)
		error->element = first.first;
	return status;
}

int64_t lm_track_intersections(const lm_track* cloth)
{
	// against colliders where they are shown, which is not where they are if they were held back
	int64_t count = -1;
	lm_triangle_pair first = { 0, 0 };
	size_t own = 3 * (size_t)cloth->n * sizeof(double), others = 3 * (size_t)cloth->obstacle_vertices * sizeof(double);
	memcpy(cloth->before, cloth->x, own);
	memcpy(cloth->before + 3 * (int64_t)cloth->n, cloth->obstacle_targets, others);
	bool itself = cloth->settings.self_contact;
	return count_crossings(cloth, cloth->before, itself, &first, &count, NULL) == LM_OK ? count : -1;
}
