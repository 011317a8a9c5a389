// pairs.c: what is to be said about pairs of objects before the first frame: which cannot touch, and which begin inside
// each other.
#include "base/alloc.h"
#include "base/error.h"
#include "mesh/intersect.h"
#include "objects/objects.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define DEEP 1e-2     // of the smaller one's size: a point that is deeper begins inside
#define CROSSING 1e-6 // of the smaller one's size: triangles that reach through each other by more do not only touch

static bool is_flat(const lm_world* world, int32_t i)
{
	lm_act* body = lm_object_act(world->objects[i].object);
	return body != NULL && lm_act_dimension(body) == 2;
}

static bool keep_apart(const lm_world* world, int32_t a, int32_t b)
{
	const lm_object *first = world->objects[a].object, *second = world->objects[b].object;
	bool said = (first->apart != NULL && first->apart[b]) || (second->apart != NULL && second->apart[a]);
	bool led = first->leader == second || second->leader == first;
	bool hidden = world->displays[a].mesh->triangle_count == 0 || world->displays[b].mesh->triangle_count == 0;
	return said || led || hidden || (first->engine == &lm_engine_track && second->engine == &lm_engine_track);
}

static bool boxes_overlap(lm_world* world, int32_t a, int32_t b)
{
	double low[2][3], high[2][3];
	const int32_t pair[2] = { a, b };
	for (int side = 0; side < 2; ++side)
	{
		lm_world_surface_view view = lm_world_surface(world, pair[side]);
		lm_mesh_bounds(view.positions, view.vertex_count, low[side], high[side]);
	}
	bool overlap = true;
	for (int k = 0; k < 3; ++k)
		overlap = overlap && low[0][k] <= high[1][k] && low[1][k] <= high[0][k];
	return overlap;
}

// ---- points of one in the other

static double depth_of(const lm_colliders* solid, const double point[3])
{
	lm_touch touch = lm_colliders_query(solid, point, 0);
	return touch.collider >= 0 ? -touch.distance : 0;
}

// How deep the simulated points of a, and the middles of its triangles, are in the surface of b, at most; 0: none is.
static lm_status find_depth(const lm_world* world, int32_t a, int32_t b, double* depth, lm_error* error)
{
	const lm_placement_key here = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_MESH, def.mesh = world->displays[b].mesh, def.key_count = 1, def.keys = &here;
	lm_colliders* solid;
	lm_status status = lm_colliders_create(&def, 1, &world->host, &solid, error);
	if (status != LM_OK)
		return status;
	const lm_world_object* object = &world->objects[a];
	int32_t count = object->object->engine->facts(object->object).point_count;
	for (int32_t v = 0; v < count; ++v)
		*depth = fmax(*depth, depth_of(solid, object->points + 3 * (int64_t)v));
	const lm_mesh* mesh = world->displays[a].mesh;
	for (int64_t t = 0; t < mesh->triangle_count && !is_flat(world, a); ++t)
	{
		double middle[3] = { 0 };
		for (int k = 0; k < 9; ++k)
			middle[k % 3] += mesh->positions[3 * (int64_t)mesh->triangles[3 * t + k / 3] + k % 3] / 3;
		*depth = fmax(*depth, depth_of(solid, middle));
	}
	lm_colliders_destroy(solid);
	return LM_OK;
}

// ---- surfaces that cross

// How far the corners of t reach to both sides of the plane of s.
static double reach_through(const lm_mesh* t_mesh, int32_t t, const lm_mesh* s_mesh, int32_t s)
{
	lm_vec3 p[3];
	for (int k = 0; k < 3; ++k)
		p[k] = lm_v3_at(s_mesh->positions, s_mesh->triangles[3 * (int64_t)s + k]);
	lm_vec3 n = lm_normalize_or(lm_cross(lm_sub(p[1], p[0]), lm_sub(p[2], p[0])), lm_v3(0, 0, 0));
	double least = 0, most = 0;
	for (int k = 0; k < 3; ++k)
	{
		lm_vec3 q = lm_v3_at(t_mesh->positions, t_mesh->triangles[3 * (int64_t)t + k]);
		double d = lm_dot(n, lm_sub(q, p[0]));
		least = fmin(least, d), most = fmax(most, d);
	}
	return fmin(-least, most);
}

static lm_status list_crossings(const lm_bvh* one, const lm_bvh* two, const lm_host* host, lm_triangle_pair** pairs,
                                int64_t* count, lm_error* error)
{
	*count = lm_meshes_count_intersections(one, two, NULL, 0);
	*pairs = LM_NEW(host, *count, lm_triangle_pair);
	if (*pairs == NULL)
		return lm_fail_memory(error);
	lm_meshes_count_intersections(one, two, *pairs, *count);
	return LM_OK;
}

static lm_status find_crossing(const lm_world* world, int32_t a, int32_t b, double least, bool* crossing,
                               lm_error* error)
{
	const lm_mesh *one = world->displays[a].mesh, *two = world->displays[b].mesh;
	lm_bvh trees[2];
	memset(trees, 0, sizeof trees);
	lm_triangle_pair* pairs = NULL;
	int64_t count = 0;
	const lm_host* host = &world->host;
	lm_status status = lm_bvh_create(one->triangles, one->triangle_count, 3, one->positions, host, &trees[0], error);
	if (status == LM_OK)
		status = lm_bvh_create(two->triangles, two->triangle_count, 3, two->positions, host, &trees[1], error);
	if (status == LM_OK)
		status = list_crossings(&trees[0], &trees[1], host, &pairs, &count, error);
	for (int64_t k = 0; status == LM_OK && k < count && !*crossing; ++k)
		*crossing = reach_through(one, pairs[k].first, two, pairs[k].second) > least &&
		            reach_through(two, pairs[k].second, one, pairs[k].first) > least;
	lm_free(host, pairs);
	lm_bvh_release(&trees[0]), lm_bvh_release(&trees[1]);
	return status;
}

// ---- all pairs

static lm_status look_inside(lm_world* world, lm_world_pair* pair, lm_error* error)
{
	if (!boxes_overlap(world, pair->a, pair->b))
		return LM_OK;
	double size = fmin(world->objects[pair->a].size, world->objects[pair->b].size), depth = 0;
	lm_status status = find_depth(world, pair->a, pair->b, &depth, error);
	if (status == LM_OK)
		status = find_depth(world, pair->b, pair->a, &depth, error);
	bool flat = is_flat(world, pair->a);
	if (depth > DEEP * size)
		pair->inside = true, pair->depth = flat ? 0 : depth; // what is shown of flat ones is thinner than they are wide
	else if (status == LM_OK && !flat)
		status = find_crossing(world, pair->a, pair->b, CROSSING * size, &pair->inside, error);
	return status;
}

lm_status lm_world_pairs(lm_world* world, lm_world_pair* pairs, int64_t capacity, int64_t* count, lm_error* error)
{
	*count = 0;
	lm_status status = LM_OK;
	for (int32_t a = 0; a < world->object_count; ++a)
		for (int32_t b = a + 1; b < world->object_count && status == LM_OK; ++b)
		{
			lm_world_pair pair = { .a = a, .b = b };
			if (keep_apart(world, a, b))
				continue;
			if (is_flat(world, a) != is_flat(world, b))
				pair.reason = "one moves in the plane, the other in space";
			else
				status = look_inside(world, &pair, error);
			if (!pair.inside && pair.reason == NULL)
				continue;
			if (*count < capacity)
				pairs[*count] = pair;
			++*count;
		}
	return status;
}
