#include "render/camera_path.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static const double least_share = 1.0 / 3; // of the picture, that a camera which holds still must fill
static const double followed_share = 0.5;  // that what is followed fills at its largest
static const double calm = 0.4;            // s: deviation of the Gaussian that smooths the path

static double distance_of(const lm_camera* camera)
{
	return lm_distance(lm_v3_at(camera->eye, 0), lm_v3_at(camera->target, 0));
}

static lm_fit start_fit(const lm_camera_path* path)
{
	return lm_fit_start(path->wanted.direction, path->wanted.fov > 0 ? path->wanted.fov : 35, path->aspect);
}

lm_status lm_camera_path_begin(lm_camera_path* path, const lm_scene_camera* wanted, double aspect, int64_t frame_count,
                               const lm_host* host, lm_error* error)
{
	*path = (lm_camera_path){
		.host = *host, .wanted = *wanted, .aspect = aspect, .frame_count = frame_count, .moving = lm_fit_no_bounds()
	};
	path->whole = start_fit(path);
	path->middles = LM_NEW(host, 3 * (size_t)frame_count, double);
	return path->middles != NULL ? LM_OK : lm_fail_memory(error);
}

void lm_camera_path_release(lm_camera_path* path)
{
	lm_free(&path->host, path->middles);
	path->middles = NULL;
}

void lm_camera_path_add(lm_camera_path* path, int64_t frame, const lm_fit_thing* things, int32_t count)
{
	lm_fit_add_moving(&path->whole, things, count, &path->moving);
	lm_fit alone = start_fit(path);
	lm_fit_bounds around = lm_fit_no_bounds();
	lm_fit_add_moving(&alone, things, count, &around);
	double* middle = path->middles + 3 * frame;
	if (alone.count == 0) // nothing moves, or nothing of it can be seen: as before
	{
		if (frame > 0)
			memcpy(middle, middle - 3, 3 * sizeof *middle);
		return;
	}
	lm_v3_store(middle, 0, lm_scale(0.5, lm_add(around.low, around.high)));
	lm_camera camera = lm_fit_camera(&alone, 1);
	path->distance = fmax(path->distance, distance_of(&camera));
}

// One coordinate by a Gaussian; beyond the ends it is as at the ends.
static void smooth(const double* from, double* to, int64_t count, double deviation)
{
	int64_t reach = (int64_t)ceil(3 * deviation);
	for (int64_t i = 0; i < count; ++i)
	{
		double sum = 0, weights = 0;
		for (int64_t k = -reach; k <= reach; ++k)
		{
			int64_t j = i + k < 0 ? 0 : i + k >= count ? count - 1 : i + k;
			double t = (double)k / deviation, weight = exp(-0.5 * t * t);
			sum += weight * from[3 * j];
			weights += weight;
		}
		to[3 * i] = sum / weights;
	}
}

// What moves too fast for a calm camera stays in the picture all the same.
static void keep_near(const double* middles, double* smoothed, int64_t count, double room)
{
	for (int64_t i = 0; i < count; ++i)
	{
		lm_vec3 middle = lm_v3_at(middles, (int32_t)i), behind = lm_sub(lm_v3_at(smoothed, (int32_t)i), middle);
		double share = room / fmax(lm_length(behind), room);
		lm_v3_store(smoothed, (int32_t)i, lm_add_scaled(middle, share, behind));
	}
}

static bool smooth_middles(lm_camera_path* path, double fps, double room)
{
	double* smoothed = LM_NEW(&path->host, 3 * (size_t)path->frame_count, double);
	if (smoothed == NULL)
		return false;
	double deviation = fmin(fmax(calm * fps, 1e-3), (double)path->frame_count);
	for (int c = 0; c < 3; ++c)
		smooth(path->middles + c, smoothed + c, path->frame_count, deviation);
	keep_near(path->middles, smoothed, path->frame_count, room);
	lm_free(&path->host, path->middles);
	path->middles = smoothed;
	return true;
}

void lm_camera_path_finish(lm_camera_path* path, const lm_fit_thing* things, int32_t count, double fps)
{
	lm_fit_add_still(&path->whole, things, count, path->moving);
	path->camera = lm_fit_camera(&path->whole, path->wanted.zoom);
	lm_camera all = lm_fit_camera(&path->whole, 1);
	if (!path->wanted.follow || !(path->distance < least_share * distance_of(&all)))
		return;
	double zoom = path->wanted.zoom > 1e-3 && path->wanted.zoom < 1e3 ? path->wanted.zoom : 1;
	double away = path->distance / (followed_share * zoom);
	if (!smooth_middles(path, fps, 0.3 * away * path->whole.view.tangent))
		return; // without memory for it a camera that holds still is good enough
	path->follows = true;
	lm_vec3 target = lm_v3_at(path->middles, 0);
	lm_v3_store(path->camera.target, 0, target);
	lm_v3_store(path->camera.eye, 0, lm_add_scaled(target, -away, path->whole.view.forward));
}

lm_camera lm_camera_path_at(const lm_camera_path* path, int64_t frame)
{
	lm_camera camera = path->camera;
	if (!path->follows)
		return camera;
	for (int c = 0; c < 3; ++c)
	{
		double way = path->middles[3 * frame + c] - path->middles[c];
		camera.eye[c] += way;
		camera.target[c] += way;
	}
	return camera;
}
