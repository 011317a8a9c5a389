#include "render/reel.h"

#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <string.h>

static lm_status read_frame(lm_reel* reel, int64_t frame, lm_error* error)
{
	for (int32_t i = 0; i < reel->info->object_count; ++i)
	{
		if (reel->positions[i] == NULL)
			continue;
		lm_status status = lm_cache_read(reel->cache, frame, i, reel->positions[i], error);
		if (status != LM_OK)
			return status;
	}
	return LM_OK;
}

static lm_status make_surfaces(lm_reel* reel, lm_error* error)
{
	const lm_cache_info* info = reel->info;
	reel->surfaces = LM_NEW(&reel->host, info->object_count, lm_surface);
	reel->positions = LM_NEW(&reel->host, info->object_count, double*);
	reel->things = LM_NEW(&reel->host, info->object_count, lm_fit_thing);
	if (reel->surfaces == NULL || reel->positions == NULL || reel->things == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < info->object_count; ++i)
	{
		const lm_cache_object* object = &info->objects[i];
		if (!object->fixed)
		{
			reel->positions[i] = LM_NEW(&reel->host, 3 * (size_t)object->vertex_count, double);
			if (reel->positions[i] == NULL)
				return lm_fail_memory(error);
		}
		reel->surfaces[i] = (lm_surface){ .vertex_count = object->vertex_count,
			                              .positions = object->fixed ? object->fixed_positions : reel->positions[i],
			                              .triangle_count = object->triangle_count,
			                              .triangles = object->triangles,
			                              .color = { object->color[0], object->color[1], object->color[2] } };
		reel->things[i] = (lm_fit_thing){ .name = object->name,
			                              .vertex_count = object->vertex_count,
			                              .triangle_count = object->triangle_count,
			                              .positions = reel->surfaces[i].positions,
			                              .fixed = object->fixed };
	}
	return LM_OK;
}

// Grounds get a checkerboard. The first frame must be loaded.
static void find_grounds(lm_reel* reel)
{
	lm_fit_find_grounds(reel->things, reel->info->object_count);
	for (int32_t i = 0; i < reel->info->object_count; ++i)
		reel->surfaces[i].checker = reel->things[i].ground;
}

// The picture contains all positions of moving objects.
static lm_status fit_camera(lm_reel* reel, const lm_scene_camera* camera, double aspect, lm_error* error)
{
	lm_fit fit = lm_fit_start(camera->direction, camera->fov > 0 ? camera->fov : 35, aspect);
	lm_fit_bounds moving = lm_fit_no_bounds();
	for (int64_t frame = 0; frame < reel->frame_count; ++frame)
	{
		lm_status status = read_frame(reel, frame, error);
		if (status != LM_OK)
			return status;
		if (frame % 16 == 0 && !lm_progress(&reel->host, "rendering", 0))
			return lm_fail(error, LM_CANCELLED, "cancelled before the first picture");
		lm_fit_add_moving(&fit, reel->things, reel->info->object_count, &moving);
	}
	lm_fit_add_still(&fit, reel->things, reel->info->object_count, moving);
	reel->camera = lm_fit_camera(&fit, camera->zoom);
	return LM_OK;
}

static lm_status place_camera(lm_reel* reel, const lm_scene_camera* camera, double aspect, lm_error* error)
{
	if (camera->automatic)
		return fit_camera(reel, camera, aspect, error);
	reel->camera = (lm_camera){ .up = { 0, 1, 0 }, .fov = camera->fov > 0 ? camera->fov : 35 };
	memcpy(reel->camera.eye, camera->eye, sizeof camera->eye);
	memcpy(reel->camera.target, camera->target, sizeof camera->target);
	return LM_OK;
}

static bool report_part(const char* what, double done, void* context)
{
	(void)what; // drawing and writing take turns: one name, and so one bar, for both
	const lm_reel* reel = context;
	return lm_progress(&reel->host, "rendering", reel->from + (reel->to - reel->from) * done);
}

lm_status lm_reel_go_on(lm_reel* reel, double done, double next, int64_t total, lm_error* error)
{
	reel->from = done / (double)total;
	reel->to = next / (double)total;
	if (report_part("", 0, reel))
		return LM_OK;
	return lm_fail(error, LM_CANCELLED, "cancelled after %" PRId64 " of %" PRId64 " pictures", (int64_t)done, total);
}

lm_status lm_reel_open(lm_reel* reel, lm_cache* cache, const lm_film_settings* settings, int32_t width, int32_t height,
                       const lm_host* host, lm_error* error)
{
	*reel = (lm_reel){ .host = *host, .cache = cache, .inner = *host };
	reel->inner.progress = report_part;
	reel->inner.progress_context = reel;
	reel->info = lm_cache_get_info(cache);
	reel->frame_count = lm_cache_frame_count(cache);
	lm_render_settings render = settings->render;
	render.width = width;
	render.height = height;
	lm_status status = lm_renderer_create(&render, &reel->inner, &reel->renderer, error);
	if (status == LM_OK)
		status = make_surfaces(reel, error);
	if (status == LM_OK)
		status = read_frame(reel, 0, error);
	if (status == LM_OK)
	{
		find_grounds(reel);
		status = place_camera(reel, &settings->camera, (double)width / height, error);
	}
	if (status != LM_OK)
		lm_reel_close(reel);
	return status;
}

void lm_reel_close(lm_reel* reel)
{
	for (int32_t i = 0; reel->positions != NULL && i < reel->info->object_count; ++i)
		lm_free(&reel->host, reel->positions[i]);
	lm_free(&reel->host, reel->positions);
	lm_free(&reel->host, reel->things);
	lm_free(&reel->host, reel->surfaces);
	lm_renderer_destroy(reel->renderer);
	lm_picture_release(&reel->picture);
	*reel = (lm_reel){ .host = reel->host };
}

lm_status lm_reel_draw(lm_reel* reel, int64_t frame, lm_error* error)
{
	lm_status status = read_frame(reel, frame, error);
	if (status == LM_OK)
		status = lm_renderer_draw(reel->renderer, reel->surfaces, reel->info->object_count, &reel->camera,
		                          &reel->picture, error);
	return status;
}
