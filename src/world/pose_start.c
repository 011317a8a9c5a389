// pose_start.c: the surface that a posing session begins with, in the coordinates of the object's mesh.
//
// Poses are compared with the rest shape, so the shape of the moment is brought to it as a rigid body would be: turned
// by the rotation closest to sum (x - c) (x0 - c0)^T over the vertices, and moved.
#include "base/alloc.h"
#include "base/error.h"
#include "math/svd.h"
#include "world/plate.h"
#include "world/pose.h"

#include <string.h>

static lm_vec3 middle_of(const double* positions, int32_t count)
{
	lm_vec3 sum = { 0 };
	for (int32_t i = 0; i < count; ++i)
		sum = lm_add_scaled(sum, 1.0 / count, lm_v3_at(positions, i));
	return sum;
}

// shown = rotation (rest - from) + to, as well as can be.
static void find_placement(lm_pose_surface* surface, const double* shown)
{
	const double* rest = surface->mesh->positions;
	int32_t count = surface->mesh->vertex_count;
	surface->from = middle_of(rest, count), surface->to = middle_of(shown, count);
	lm_mat3 A = { 0 };
	for (int32_t v = 0; v < count; ++v)
	{
		lm_vec3 x = lm_sub(lm_v3_at(shown, v), surface->to), x0 = lm_sub(lm_v3_at(rest, v), surface->from);
		double a[3] = { x.x, x.y, x.z }, b[3] = { x0.x, x0.y, x0.z };
		for (int i = 0; i < 3; ++i)
			for (int k = 0; k < 3; ++k)
				A.m[i][k] += a[i] * b[k];
	}
	surface->rotation = lm_quat_from_matrix(lm_polar3(A).R);
}

static void bring_back(const lm_pose_surface* surface, const double* shown, int32_t count, double* own)
{
	lm_quat back = lm_quat_conjugate(surface->rotation);
	for (int32_t v = 0; v < count; ++v)
		lm_v3_store(own, v, lm_add(surface->from, lm_quat_rotate(back, lm_sub(lm_v3_at(shown, v), surface->to))));
}

static lm_status check(const lm_world* world, int32_t object, lm_error* error)
{
	const lm_scene_object* description = &world->scene->objects[object];
	if (description->track != NULL)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" is cloth, which has no poses; grab it while it moves",
		               description->name);
	return LM_OK;
}

// The surface of a body in the plane is the plate or ribbon around its rest shape; poses are made of its own vertices.
static lm_status copy_flat(const lm_world* world, int32_t object, lm_pose_surface* surface, lm_error* error)
{
	const lm_world_display* display = &world->displays[object];
	const lm_scene_object* description = &world->scene->objects[object];
	const lm_mesh* shown = description->surface != NULL ? description->surface : description->mesh;
	surface->flat = true;
	surface->mesh = lm_mesh_copy(display->mesh, &world->host);
	surface->body = lm_mesh_copy(description->mesh, &world->host);
	if (surface->mesh == NULL || surface->body == NULL)
		return lm_fail_memory(error);
	if (display->ribbon != NULL)
		lm_ribbon_move(display->ribbon, shown->positions, surface->mesh->positions);
	else
		lm_plate_move(shown->positions, shown->vertex_count, display->thickness, surface->mesh->positions);
	return LM_OK;
}

static lm_status copy_solid(const lm_world* world, int32_t object, lm_pose_surface* surface, lm_error* error)
{
	const lm_scene_object* description = &world->scene->objects[object];
	bool own_vertices = description->surface == NULL || description->surface_file[0] == 0;
	surface->mesh = lm_mesh_copy(description->surface != NULL ? description->surface : description->mesh, &world->host);
	surface->body = own_vertices ? NULL : lm_mesh_copy(description->mesh, &world->host);
	if (surface->mesh == NULL || (!own_vertices && surface->body == NULL))
		return lm_fail_memory(error);
	return surface->mesh->triangle_count == 0 ? lm_mesh_extract_surface(surface->mesh, error) : LM_OK;
}

static void start_from_now(lm_world* world, int32_t object, lm_pose_surface* surface)
{
	lm_world_object* own = &world->objects[object];
	lm_world_update_display(world, object);
	const double* now = world->displays[object].mesh->positions;
	find_placement(surface, now);
	bring_back(surface, now, surface->mesh->vertex_count, surface->mesh->positions);
	own->object->engine->points(own->object, own->points);
	if (surface->body != NULL)
		bring_back(surface, own->points, surface->body->vertex_count, surface->body->positions);
}

lm_status lm_pose_surface_of(lm_world* world, int32_t object, lm_pose_start start, lm_pose_surface* surface,
                             lm_error* error)
{
	if (object < 0 || object >= world->object_count)
		return lm_fail(error, LM_BAD_INPUT, "there is no object %d: the world has %d, counted from 0", object,
		               world->object_count);
	const lm_scene_object* description = &world->scene->objects[object];
	const lm_world_display* display = &world->displays[object];
	const double* q = description->rotation;
	surface->scale = description->scale > 0 ? description->scale : 1;
	surface->rotation = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	surface->to = lm_v3_at(description->position, 0);
	lm_status status = check(world, object, error);
	if (status == LM_OK)
		status = display->ribbon != NULL || display->flat != NULL ? copy_flat(world, object, surface, error)
		                                                          : copy_solid(world, object, surface, error);
	if (status == LM_OK && start == LM_POSE_NOW)
		start_from_now(world, object, surface);
	return status;
}
