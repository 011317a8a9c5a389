// display.c: what there is to see of a world: surfaces bound to simulated points, and colliders as triangles.
#include "base/alloc.h"
#include "base/error.h"
#include "contact/colliders.h"
#include "math/quat.h"
#include "objects/shown.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// How thick plates and how wide ribbons are, as a share of the body's size.
static const double plate_share = 0.1, ribbon_share = 0.15;

// Binds the shown triangles of a body in the plane, and shows them as a plate.
static lm_status display_plate(lm_world* world, const lm_scene_object* description, double size,
                               lm_world_display* display, lm_error* error)
{
	const lm_host* host = &world->host;
	const lm_mesh* shown = description->surface != NULL ? description->surface : description->mesh;
	display->thickness = plate_share * size;
	display->flat = LM_NEW(host, 3 * (size_t)shown->vertex_count, double);
	if (display->flat == NULL)
		return lm_fail_memory(error);
	lm_status status = lm_plate_create(shown, display->thickness, host, &display->mesh, error);
	if (status != LM_OK)
		return status;
	if (description->surface == NULL)
		return lm_binding_create_identity(shown->vertex_count, host, &display->binding, error);
	return lm_binding_create(description->mesh, shown->positions, shown->vertex_count, host, &display->binding, error);
}

static lm_status display_object(lm_world* world, const lm_scene_object* description, double size,
                                lm_world_display* display, lm_error* error)
{
	const lm_host* host = &world->host;
	display->engine = lm_engine_find(description->engine)->name;
	if (description->act != NULL && description->act->kind == LM_ACT_SOLID2)
		return display_plate(world, description, size, display, error);
	if (description->act != NULL && description->act->kind == LM_ACT_CURVE2)
		return lm_ribbon_create(description->mesh, ribbon_share * size, host, &display->ribbon, &display->mesh, error);
	return lm_shown_create(description, host, &display->mesh, &display->binding, error);
}

// A skin is shown instead of its body (objects/track/wear.h): no triangles of that are.
static bool is_hidden(const lm_scene* scene, const lm_scene_object* object)
{
	bool hidden = false;
	for (int32_t i = 0; i < scene->object_count; ++i)
	{
		const lm_scene_track* track = scene->objects[i].track;
		hidden = hidden || (track != NULL && track->guide.bind == LM_GUIDE_SKIN &&
		                    strcmp(track->guide.object, object->name) == 0);
	}
	return hidden;
}

static lm_status display_collider(lm_world* world, const lm_scene_collider* description, double extent,
                                  lm_world_display* display, lm_error* error)
{
	lm_status status = lm_collider_surface(&description->def, extent, &world->host, &display->mesh, error);
	if (status != LM_OK)
		return status;
	display->engine = "collider";
	display->fixed = description->def.key_count <= 1 && description->def.frames.count == 0;
	display->rest =
		lm_copy(&world->host, display->mesh->positions, 3 * (size_t)display->mesh->vertex_count, sizeof(double));
	return display->rest != NULL ? LM_OK : lm_fail_memory(error);
}

static void name_display(const char* name, const float color[3], lm_world_display* display)
{
	display->frame = -1;
	display->collider = -1;
	display->name = name;
	display->color = color;
}

// Planes are shown as large squares: many times the span of all objects.
static double plane_extent(const lm_world* world)
{
	double extent = 1;
	for (int32_t i = 0; i < world->object_count; ++i)
		for (int c = 0; c < 3; ++c)
			extent = fmax(extent, fabs(world->objects[i].start_center[c]) + world->objects[i].size);
	return 60 * extent;
}

lm_status lm_world_create_displays(lm_world* world, lm_error* error)
{
	const lm_scene* scene = world->scene;
	world->displays =
		LM_NEW(&world->host, (size_t)scene->object_count + (size_t)scene->collider_count, lm_world_display);
	if (world->displays == NULL)
		return lm_fail_memory(error);
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < scene->object_count; ++i)
	{
		lm_world_display* display = &world->displays[world->display_count++];
		name_display(scene->objects[i].name, scene->objects[i].color, display);
		status = display_object(world, &scene->objects[i], world->objects[i].size, display, error);
		if (status == LM_OK && is_hidden(scene, &scene->objects[i]))
			display->mesh->triangle_count = display->mesh->face_count = 0;
	}
	double extent = plane_extent(world);
	for (int32_t i = 0; status == LM_OK && i < scene->collider_count; ++i)
	{
		if (!scene->colliders[i].visible)
			continue;
		lm_world_display* display = &world->displays[world->display_count++];
		name_display(scene->colliders[i].name, scene->colliders[i].color, display);
		display->collider = i;
		status = display_collider(world, &scene->colliders[i], extent, display, error);
	}
	lm_colliders_set_time(world->colliders, 0);
	return status;
}

void lm_world_destroy_displays(lm_world* world)
{
	for (int32_t i = 0; i < world->display_count; ++i)
	{
		lm_world_display* display = &world->displays[i];
		lm_free(&world->host, display->rest);
		lm_free(&world->host, display->flat);
		lm_ribbon_destroy(display->ribbon);
		lm_mesh_destroy(display->mesh);
		lm_binding_destroy(display->binding);
	}
	lm_free(&world->host, world->displays);
}

static void move_collider(const lm_world* world, lm_world_display* display)
{
	double p[3], q[4];
	const lm_collider_frames* frames = &world->scene->colliders[display->collider].def.frames;
	if (frames->count > 0)
		lm_collider_frames_at(frames, display->mesh->vertex_count, lm_world_time(world), display->rest, NULL);
	lm_colliders_placement(world->colliders, display->collider, p, q);
	lm_mat3 R = lm_quat_matrix((lm_quat){ q[0], q[1], q[2], q[3] });
	for (int32_t v = 0; v < display->mesh->vertex_count; ++v)
		lm_v3_store(display->mesh->positions, v, lm_add(lm_v3_at(p, 0), lm_mul_v(R, lm_v3_at(display->rest, v))));
}

void lm_world_carry(const lm_world* world, const lm_world_display* display, const double* values, double* shown)
{
	if (display->ribbon != NULL)
	{
		lm_ribbon_carry(display->ribbon, values, shown);
		return;
	}
	lm_binding_apply(display->binding, values, world->host.threads, shown);
	size_t half = 3 * (size_t)display->mesh->vertex_count / 2;
	if (display->flat != NULL) // the back of a plate is bound as its front
		memcpy(shown + half, shown, half * sizeof *shown);
}

void lm_world_update_display(lm_world* world, int32_t i)
{
	lm_world_display* display = &world->displays[i];
	if (display->frame == world->frame || (display->fixed && display->frame >= 0))
		return;
	display->frame = world->frame;
	if (display->collider >= 0)
	{
		move_collider(world, display);
		return;
	}
	lm_world_object* object = &world->objects[i];
	object->object->engine->points(object->object, object->points);
	double* shown = display->mesh->positions;
	if (display->ribbon != NULL)
		lm_ribbon_move(display->ribbon, object->points, shown);
	else
		lm_binding_apply(display->binding, object->points, world->host.threads, display->flat ? display->flat : shown);
	if (display->flat != NULL)
		lm_plate_move(display->flat, display->mesh->vertex_count / 2, display->thickness, shown);
	for (int64_t k = 0; k < 3 * (int64_t)display->mesh->vertex_count; ++k)
		object->finite = object->finite && isfinite(display->mesh->positions[k]);
}

int32_t lm_world_surface_count(const lm_world* world)
{
	return world->display_count;
}

lm_world_surface_view lm_world_surface(lm_world* world, int32_t i)
{
	lm_world_update_display(world, i);
	const lm_world_display* display = &world->displays[i];
	const lm_mesh* mesh = display->mesh;
	return (lm_world_surface_view){
		.name = display->name,
		.engine = display->engine,
		.color = { display->color[0], display->color[1], display->color[2] },
		.vertex_count = mesh->vertex_count,
		.positions = mesh->positions,
		.triangle_count = mesh->triangle_count,
		.triangles = mesh->triangles,
		.face_count = mesh->face_count,
		.face_starts = mesh->face_starts,
		.face_vertices = mesh->face_vertices,
		.fixed = display->fixed,
	};
}
