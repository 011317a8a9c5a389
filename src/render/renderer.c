// renderer.c: settings, Embree's scene, and the order of things for one picture.
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "render/shot.h"
#include "world/fit.h"

#include <assert.h>
#include <string.h>

struct lm_renderer
{
	lm_host host;
	lm_render_settings settings;
	lm_light light;
	RTCDevice device;
	lm_texel* texels; // of a band and the rows around it
	int32_t band;     // rows
	uint8_t* srgb_table;
	lm_geometry* geometries;
	size_t geometry_capacity;
};

lm_render_settings lm_render_settings_default(void)
{
	return (lm_render_settings){ .width = 960,
		                         .height = 540,
		                         .samples = 4,
		                         .occlusion = 4,
		                         .background = { 0.66f, 0.72f, 0.78f },
		                         .light = { -0.55, 1, 0.35 } };
}

// Rows of a picture that are drawn at once: about half a million pixels, which is a picture of the usual size, and less
// than a second of work.
static int32_t band_of(const lm_render_settings* settings)
{
	int32_t tiles = (1 << 19) / settings->width / LM_TILE;
	return (tiles > 1 ? tiles : 1) * LM_TILE;
}

static lm_status check_settings(const lm_render_settings* settings, lm_error* error)
{
	const lm_render_settings* s = settings;
	if (s->width < 1 || s->height < 1 || s->width > 16384 || s->height > 16384)
		return lm_fail(error, LM_BAD_INPUT, "a picture of %d x %d pixels cannot be drawn; use 1 to 16384 each way",
		               s->width, s->height);
	if (s->samples != 1 && s->samples != 4 && s->samples != 9 && s->samples != 16)
		return lm_fail(error, LM_BAD_INPUT, "%d samples per pixel; it must be 1, 4, 9 or 16", s->samples);
	if (s->occlusion < 0 || s->occlusion > 64)
		return lm_fail(error, LM_BAD_INPUT, "%d occlusion rays per sample; it must be 0 to 64", s->occlusion);
	for (int k = 0; k < 3; ++k)
		if (!(s->background[k] >= 0 && s->background[k] <= 1))
			return lm_fail(error, LM_BAD_INPUT, "the background has a channel of %g; it must be 0 to 1",
			               (double)s->background[k]);
	double length = lm_length(lm_v3_at(s->light, 0));
	if (!(length > 1e-9 && length < 1e9))
		return lm_fail(error, LM_BAD_INPUT,
		               "the direction to the light has length %g; a direction like (-0.55, 1, 0.35) would do", length);
	return LM_OK;
}

// The last error of Embree, as a status.
static lm_status embree_status(RTCDevice device, lm_error* error)
{
	enum RTCError code = rtcGetDeviceError(device);
	if (code == RTC_ERROR_NONE)
		return LM_OK;
	if (code == RTC_ERROR_OUT_OF_MEMORY)
		return lm_fail_memory(error);
	return lm_fail(error, LM_UNSUPPORTED, "Embree cannot work on this machine (its error %d)", (int)code);
}

lm_status lm_renderer_create(const lm_render_settings* settings, const lm_host* host, lm_renderer** renderer,
                             lm_error* error)
{
	assert(settings != NULL && host != NULL && renderer != NULL);
	lm_status status = check_settings(settings, error);
	if (status != LM_OK)
		return status;
	lm_renderer* made = LM_NEW(host, 1, lm_renderer);
	if (made == NULL)
		return lm_fail_memory(error);
	made->host = *host;
	made->settings = *settings;
	made->band = band_of(settings);
	int32_t rows = made->band + LM_ROWS_ABOVE + LM_ROWS_BELOW;
	rows = rows < settings->height ? rows : settings->height;
	made->texels = LM_NEW(host, (size_t)settings->width * (size_t)rows, lm_texel);
	made->srgb_table = LM_NEW(host, LM_SRGB_STEPS, uint8_t);
	if (!lm_light_init(&made->light, settings, host) || made->texels == NULL || made->srgb_table == NULL)
	{
		lm_renderer_destroy(made);
		return lm_fail_memory(error);
	}
	lm_make_srgb_table(made->srgb_table);
	made->device = rtcNewDevice("threads=1,set_affinity=0");
	if (made->device == NULL)
	{
		status = embree_status(NULL, error);
		lm_renderer_destroy(made);
		return status != LM_OK ? status : lm_fail(error, LM_UNSUPPORTED, "Embree cannot start on this machine");
	}
	*renderer = made;
	return LM_OK;
}

void lm_renderer_destroy(lm_renderer* renderer)
{
	if (renderer == NULL)
		return;
	lm_host host = renderer->host;
	for (size_t i = 0; i < renderer->geometry_capacity; ++i)
		if (renderer->geometries[i].host.allocator.allocate != NULL)
			lm_geometry_release(&renderer->geometries[i]);
	lm_free(&host, renderer->geometries);
	lm_light_release(&renderer->light);
	lm_free(&host, renderer->texels);
	lm_free(&host, renderer->srgb_table);
	if (renderer->device != NULL)
		rtcReleaseDevice(renderer->device);
	lm_free(&host, renderer);
}

// The distance at which the picture's subject is: the camera's target, unless that is nearer than everything or
// farther than everything that is drawn (grounds aside).
static double subject_distance(const lm_view* view, const lm_surface* surfaces, int32_t count)
{
	lm_vec3 low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };
	for (int32_t i = 0; i < count; ++i)
		for (int32_t v = 0; !surfaces[i].checker && v < surfaces[i].vertex_count; ++v)
		{
			lm_vec3 p = lm_sub(lm_v3_at(surfaces[i].positions, v), view->eye);
			if (!lm_finite(p))
				continue;
			low = lm_min3(low, p);
			high = lm_max3(high, p);
		}
	if (!(low.x <= high.x))
		return view->distance;
	lm_vec3 zero = { 0, 0, 0 };
	double near = lm_length(lm_max3(zero, lm_max3(low, lm_scale(-1, high))));
	double far = lm_length(lm_max3(lm_scale(-1, low), high));
	double distance = fmin(fmax(view->distance, near), far);
	return distance > 1e-100 && distance < 1e100 ? distance : view->distance;
}

static void aim(lm_shot* shot, const lm_view* view, double aspect)
{
	shot->right = lm_f3_make((float)view->right.x, (float)view->right.y, (float)view->right.z);
	shot->up = lm_f3_make((float)view->up.x, (float)view->up.y, (float)view->up.z);
	shot->forward = lm_f3_make((float)view->forward.x, (float)view->forward.y, (float)view->forward.z);
	shot->tangent_y = (float)view->tangent;
	shot->tangent_x = (float)(view->tangent * aspect);
	shot->pixel = 2 * shot->tangent_y / (float)shot->height;
	for (int s = 0; s < shot->samples; ++s)
	{
		// Hammersley points: no two samples of a pixel share a row or a column.
		double reversed = 0, digit = 0.5;
		for (int bits = s; bits > 0; bits >>= 1, digit *= 0.5)
			reversed += (bits & 1) * digit;
		shot->offsets[s][0] = (float)((s + 0.5) / shot->samples);
		shot->offsets[s][1] = (float)fmin(reversed + 0.5 / shot->samples, 0.999);
	}
}

static lm_status update_geometries(lm_renderer* renderer, const lm_surface* surfaces, int32_t count,
                                   const lm_space* space, lm_error* error)
{
	void* memory = renderer->geometries;
	if (!lm_grow(&renderer->host, &memory, &renderer->geometry_capacity, (size_t)count, sizeof(lm_geometry)))
		return lm_fail_memory(error);
	renderer->geometries = memory;
	for (int32_t i = 0; i < count; ++i)
	{
		lm_geometry* geometry = &renderer->geometries[i];
		if (geometry->host.allocator.allocate == NULL)
			lm_geometry_init(geometry, &renderer->host);
		lm_status status = lm_geometry_update(geometry, &surfaces[i], i, space, error);
		if (status != LM_OK)
			return status;
	}
	return LM_OK;
}

// A fresh hierarchy for every picture: what a ray meets then depends on this picture alone, not on those drawn before.
static lm_status build_scene(lm_renderer* renderer, int32_t count, RTCScene* scene, lm_error* error)
{
	RTCDevice device = renderer->device;
	RTCScene made = rtcNewScene(device);
	for (int32_t i = 0; made != NULL && i < count; ++i)
	{
		const lm_geometry* g = &renderer->geometries[i];
		if (g->triangle_count == 0)
			continue;
		RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
		if (geometry == NULL)
			break;
		rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, g->positions, 0, 12,
		                           (size_t)g->vertex_count);
		rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, g->indices, 0, 12,
		                           (size_t)g->triangle_count);
		rtcCommitGeometry(geometry);
		rtcAttachGeometryByID(made, geometry, (unsigned)i);
		rtcReleaseGeometry(geometry);
	}
	if (made != NULL)
	{
		rtcSetSceneFlags(made, RTC_SCENE_FLAG_ROBUST);
		rtcCommitScene(made);
	}
	lm_status status = embree_status(device, error);
	if (status == LM_OK && made == NULL)
		status = lm_fail_memory(error);
	if (status != LM_OK && made != NULL)
		rtcReleaseScene(made);
	else
		*scene = made;
	return status;
}

// Both passes, band by band. The last rows of a band are seen by the next one, which therefore keeps their texels.
static lm_status draw_bands(lm_renderer* renderer, lm_shot* shot, uint8_t* rgb, lm_error* error)
{
	int32_t height = shot->height, drawn = 0;
	for (int32_t begin = 0; begin < height; begin += renderer->band)
	{
		if (begin > 0 && !lm_progress(&renderer->host, "rendering", (double)drawn / height))
			return lm_fail(error, LM_CANCELLED, "cancelled after %d of %d rows of a picture", drawn, height);
		int32_t end = height - begin < renderer->band ? height : begin + renderer->band;
		int32_t ready = end < height ? end - LM_ROWS_BELOW : height;
		lm_trace(shot, begin, end);
		lm_resolve(shot, renderer->settings.background, renderer->srgb_table, drawn, ready, rgb);
		drawn = ready;
		int32_t kept = ready - LM_ROWS_ABOVE;
		if (end < height)
			memmove(shot->texels, lm_texels_of_row(shot, kept),
			        (size_t)(end - kept) * (size_t)shot->width * sizeof *shot->texels);
		shot->first_row = kept;
	}
	return LM_OK;
}

lm_status lm_renderer_draw(lm_renderer* renderer, const lm_surface* surfaces, int32_t count, const lm_camera* camera,
                           lm_picture* picture, lm_error* error)
{
	assert(renderer != NULL && camera != NULL && picture != NULL && count >= 0 && (count == 0 || surfaces != NULL));
	const lm_render_settings* settings = &renderer->settings;
	if (picture->rgb != NULL && (picture->width != settings->width || picture->height != settings->height))
		return lm_fail(error, LM_BAD_INPUT, "the picture has %d x %d pixels, but the renderer is set to %d x %d",
		               picture->width, picture->height, settings->width, settings->height);
	lm_view view = lm_view_of(camera);
	double distance = subject_distance(&view, surfaces, count);
	lm_shot shot = { .width = settings->width,
		             .height = settings->height,
		             .samples = settings->samples,
		             .light = &renderer->light,
		             .space = { .eye = view.eye, .unit = distance, .focus = view.forward },
		             .surfaces = surfaces,
		             .count = count,
		             .texels = renderer->texels,
		             .threads = renderer->host.threads };
	aim(&shot, &view, (double)settings->width / settings->height);
	lm_status status = update_geometries(renderer, surfaces, count, &shot.space, error);
	if (status == LM_OK)
		status = build_scene(renderer, count, &shot.scene, error);
	if (status == LM_OK && picture->rgb == NULL)
		status = lm_picture_create(settings->width, settings->height, &renderer->host, picture, error);
	if (status == LM_OK)
	{
		shot.geometries = renderer->geometries;
		status = draw_bands(renderer, &shot, picture->rgb, error);
	}
	if (shot.scene != NULL)
		rtcReleaseScene(shot.scene);
	return status;
}
