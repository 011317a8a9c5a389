#include "render/reel.h"

#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static lm_status read_into(lm_reel* reel, int64_t frame, double** positions, lm_error* error)
{
	for (int32_t i = 0; i < reel->info->object_count; ++i)
	{
		if (positions[i] == NULL)
			continue;
		lm_status status = lm_cache_read(reel->cache, frame, i, positions[i], error);
		if (status != LM_OK)
			return status;
	}
	return LM_OK;
}

static lm_status read_frame(lm_reel* reel, int64_t frame, lm_error* error)
{
	return read_into(reel, frame, reel->positions, error);
}

static lm_status make_surfaces(lm_reel* reel, lm_error* error)
{
	const lm_cache_info* info = reel->info;
	reel->surfaces = LM_NEW(&reel->host, info->object_count, lm_surface);
	reel->positions = LM_NEW(&reel->host, info->object_count, double*);
	reel->things = LM_NEW(&reel->host, info->object_count, lm_fit_thing);
	reel->next = LM_NEW(&reel->host, info->object_count, double*);
	if (reel->surfaces == NULL || reel->positions == NULL || reel->things == NULL || reel->next == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < info->object_count; ++i)
	{
		const lm_cache_object* object = &info->objects[i];
		if (!object->fixed)
		{
			reel->positions[i] = LM_NEW(&reel->host, 3 * (size_t)object->vertex_count, double);
			if (reel->blur > 1)
				reel->next[i] = LM_NEW(&reel->host, 3 * (size_t)object->vertex_count, double);
			if (reel->positions[i] == NULL || (reel->blur > 1 && reel->next[i] == NULL))
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

static lm_status fit_camera(lm_reel* reel, const lm_scene_camera* camera, double aspect, lm_error* error)
{
	int32_t count = reel->info->object_count;
	lm_status status = lm_camera_path_begin(&reel->path, camera, aspect, reel->frame_count, &reel->host, error);
	for (int64_t frame = 0; status == LM_OK && frame < reel->frame_count; ++frame)
	{
		status = read_frame(reel, frame, error);
		if (status != LM_OK)
			return status;
		if (frame % 16 == 0 && !lm_progress(&reel->host, "rendering", 0))
			return lm_fail(error, LM_CANCELLED, "cancelled before the first picture");
		lm_camera_path_add(&reel->path, frame, reel->things, count);
	}
	if (status != LM_OK)
		return status;
	lm_camera_path_finish(&reel->path, reel->things, count, reel->info->fps > 0 ? reel->info->fps : 24);
	reel->camera = lm_camera_path_at(&reel->path, 0);
	return LM_OK;
}

static lm_status place_camera(lm_reel* reel, const lm_scene_camera* camera, double aspect, lm_error* error)
{
	reel->automatic = camera->automatic;
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

// What is beside: a reel of its own, which gets its camera from the first.
static lm_status open_beside(lm_reel* reel, const lm_film_settings* settings, lm_error* error)
{
	lm_film_settings own = *settings;
	own.beside = NULL;
	own.camera.automatic = false; // none of its own is looked for
	reel->beside = LM_NEW(&reel->host, 1, lm_reel);
	if (reel->beside == NULL)
		return lm_fail_memory(error);
	lm_status status =
		lm_reel_open(reel->beside, settings->beside, &own, reel->width, reel->height, &reel->inner, error);
	if (status != LM_OK)
		lm_free(&reel->host, reel->beside), reel->beside = NULL;
	return status;
}

lm_status lm_reel_open(lm_reel* reel, lm_cache* cache, const lm_film_settings* settings, int32_t width, int32_t height,
                       const lm_host* host, lm_error* error)
{
	*reel = (lm_reel){
		.host = *host, .cache = cache, .inner = *host, .width = width, .height = height, .blur = settings->blur
	};
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
	if (status == LM_OK && settings->beside != NULL)
		status = open_beside(reel, settings, error);
	if (status != LM_OK)
		lm_reel_close(reel);
	return status;
}

int32_t lm_reel_width(const lm_reel* reel)
{
	return reel->beside != NULL ? 2 * reel->width : reel->width;
}

void lm_reel_close(lm_reel* reel)
{
	if (reel->beside != NULL)
		lm_reel_close(reel->beside);
	lm_free(&reel->host, reel->beside);
	for (int32_t i = 0; reel->positions != NULL && reel->next != NULL && i < reel->info->object_count; ++i)
	{
		lm_free(&reel->host, reel->positions[i]);
		lm_free(&reel->host, reel->next[i]);
	}
	lm_free(&reel->host, reel->positions);
	lm_free(&reel->host, reel->next);
	lm_free(&reel->host, reel->things);
	lm_free(&reel->host, reel->surfaces);
	lm_camera_path_release(&reel->path);
	lm_renderer_destroy(reel->renderer);
	lm_picture_release(&reel->picture);
	*reel = (lm_reel){ .host = reel->host };
}

// ---- drawing ----

static lm_status draw_moment(lm_reel* reel, lm_error* error)
{
	return lm_renderer_draw(reel->renderer, reel->surfaces, reel->info->object_count, &reel->camera, &reel->picture,
	                        error);
}

// Moves everything by `share` of what is left of the way to the next frame.
static void approach(lm_reel* reel, double share)
{
	for (int32_t i = 0; i < reel->info->object_count; ++i)
		for (size_t k = 0; reel->next[i] != NULL && k < 3 * (size_t)reel->info->objects[i].vertex_count; ++k)
			reel->positions[i][k] += share * (reel->next[i][k] - reel->positions[i][k]);
}

static float to_linear(uint8_t value)
{
	float v = (float)value / 255;
	return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static uint8_t to_srgb(float v)
{
	float s = v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
	return (uint8_t)(fminf(fmaxf(s, 0), 1) * 255 + 0.5f);
}

// The average, of light, of `blur` moments in the time for which a shutter of 180 degrees is open: half a frame.
static lm_status draw_blurred(lm_reel* reel, int64_t frame, lm_error* error)
{
	int64_t last = reel->frame_count - 1;
	size_t count = 3 * (size_t)reel->width * (size_t)reel->height;
	float* sum = LM_NEW(&reel->host, count, float);
	float linear[256];
	for (int v = 0; v < 256; ++v)
		linear[v] = to_linear((uint8_t)v);
	lm_status status =
		sum == NULL ? lm_fail_memory(error) : read_into(reel, frame < last ? frame + 1 : last, reel->next, error);
	for (int32_t k = 0; status == LM_OK && k < reel->blur; ++k)
	{
		double at = 0.5 * k / reel->blur, step = 0.5 / reel->blur; // of the way to the next frame
		status = draw_moment(reel, error);
		for (size_t i = 0; status == LM_OK && i < count; ++i)
			sum[i] += linear[reel->picture.rgb[i]];
		approach(reel, step / (1 - at));
	}
	for (size_t i = 0; status == LM_OK && i < count; ++i)
		reel->picture.rgb[i] = to_srgb(sum[i] / (float)reel->blur);
	lm_free(&reel->host, sum);
	return status;
}

// Both pictures in one, in place of the first.
static lm_status join(lm_reel* reel, lm_error* error)
{
	lm_picture both = { 0 };
	const lm_picture* parts[2] = { &reel->picture, &reel->beside->picture };
	lm_status status = lm_picture_create(lm_reel_width(reel), reel->height, &reel->inner, &both, error);
	if (status != LM_OK)
		return status;
	size_t row = 3 * (size_t)reel->width;
	for (size_t y = 0; y < (size_t)reel->height; ++y)
		for (size_t p = 0; p < 2; ++p)
			memcpy(both.rgb + (2 * y + p) * row, parts[p]->rgb + y * row, row);
	lm_picture_release(&reel->picture);
	reel->picture = both;
	return LM_OK;
}

// What is beside at the same time; it stays at its end when it is shorter.
static lm_status draw_beside(lm_reel* reel, int64_t frame, lm_error* error)
{
	lm_reel* beside = reel->beside;
	double own = reel->info->fps > 0 ? reel->info->fps : 24, other = beside->info->fps > 0 ? beside->info->fps : 24;
	int64_t there = llround((double)frame / own * other);
	beside->camera = reel->camera;
	lm_status status = lm_reel_draw(beside, there < beside->frame_count ? there : beside->frame_count - 1, error);
	return status == LM_OK ? join(reel, error) : status;
}

lm_status lm_reel_draw(lm_reel* reel, int64_t frame, lm_error* error)
{
	lm_status status = read_frame(reel, frame, error);
	if (reel->automatic)
		reel->camera = lm_camera_path_at(&reel->path, frame);
	if (reel->picture.width != reel->width)
		lm_picture_release(&reel->picture); // the last one had something beside it
	if (status == LM_OK)
		status = reel->blur > 1 ? draw_blurred(reel, frame, error) : draw_moment(reel, error);
	return status == LM_OK && reel->beside != NULL ? draw_beside(reel, frame, error) : status;
}
