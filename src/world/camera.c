// camera.c: where pictures of a world are taken from. The renderer fits its camera around all frames of a run; here
// there is the first one only.
#include "base/alloc.h"
#include "base/error.h"
#include "limber/view.h"
#include "world/fit.h"
#include "world/world.h"

#include <string.h>

static lm_camera fit(const lm_world* world, lm_fit_thing* things)
{
	const lm_scene* scene = world->scene;
	lm_fit fit = lm_fit_start(scene->camera.direction, scene->camera.fov > 0 ? scene->camera.fov : 35,
	                          (double)scene->size[0] / (double)scene->size[1]);
	lm_fit_bounds moving = lm_fit_no_bounds();
	lm_fit_find_grounds(things, world->display_count);
	lm_fit_add_moving(&fit, things, world->display_count, &moving);
	lm_fit_add_still(&fit, things, world->display_count, moving);
	return lm_fit_camera(&fit, scene->camera.zoom);
}

lm_status lm_world_place_camera(lm_world* world, lm_error* error)
{
	const lm_scene_camera* camera = &world->scene->camera;
	world->camera = (lm_camera){ .up = { 0, 1, 0 }, .fov = camera->fov > 0 ? camera->fov : 35 };
	memcpy(world->camera.eye, camera->eye, sizeof camera->eye);
	memcpy(world->camera.target, camera->target, sizeof camera->target);
	if (!camera->automatic)
		return LM_OK;
	lm_fit_thing* things = LM_NEW(&world->host, world->display_count, lm_fit_thing);
	if (things == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < world->display_count; ++i)
	{
		lm_world_display* display = &world->displays[i];
		lm_world_update_display(world, i);
		display->frame = display->fixed ? display->frame : -1; // programs may still change the start
		things[i] = (lm_fit_thing){ .name = display->name,
			                        .vertex_count = display->mesh->vertex_count,
			                        .triangle_count = display->mesh->triangle_count,
			                        .positions = display->mesh->positions,
			                        .fixed = display->fixed };
	}
	world->camera = fit(world, things);
	lm_free(&world->host, things);
	return LM_OK;
}

lm_camera lm_world_camera(const lm_world* world)
{
	return world->camera;
}
