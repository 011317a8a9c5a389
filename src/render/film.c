// film.c: a cache as one picture, many pictures, a video or a contact sheet, by the name of the file.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "render/reel.h"
#include "render/sheet.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char frame_mark[] = "{frame}";

lm_film_settings lm_film_settings_default(void)
{
	lm_film_settings settings = {
		.render = lm_render_settings_default(),
		.camera = { .automatic = true, .direction = { -0.5, -0.35, -1 }, .fov = 35, .zoom = 1, .follow = true },
		.sheet_count = 12,
		.frame = -1,
		.blur = 1,
	};
	settings.render.occlusion = 1; // nearly as good, as neighbouring pixels are averaged, and films have many frames
	return settings;
}

lm_film_settings lm_film_settings_of(const lm_scene* scene)
{
	assert(scene != NULL);
	lm_film_settings settings = lm_film_settings_default();
	settings.camera = scene->camera;
	memcpy(settings.render.background, scene->background, sizeof scene->background);
	settings.render.width = scene->size[0];
	settings.render.height = scene->size[1];
	return settings;
}

// Draws a frame and writes it as picture number `done` of `total`.
static lm_status write_picture(lm_reel* reel, int64_t frame, int64_t done, int64_t total, const char* path,
                               lm_error* error)
{
	lm_status status = lm_reel_go_on(reel, (double)done, (double)done + LM_DRAWN, total, error);
	if (status == LM_OK)
		status = lm_reel_draw(reel, frame, error);
	if (status == LM_OK)
		status = lm_reel_go_on(reel, (double)done + LM_DRAWN, (double)done + 1, total, error);
	return status == LM_OK ? lm_picture_write(&reel->picture, path, error) : status;
}

static lm_status write_one(lm_reel* reel, int64_t frame, const char* path, lm_error* error)
{
	if (frame < 0)
		frame = reel->frame_count / 2;
	return write_picture(reel, frame, 0, 1, path, error);
}

// path with the number of a frame, at least four digits, in every place of the mark.
static void put_number(const char* path, int64_t frame, char* text, size_t capacity)
{
	size_t length = 0;
	text[0] = 0;
	for (const char* next = path; *next != 0 && length + 1 < capacity;)
	{
		if (strncmp(next, frame_mark, sizeof frame_mark - 1) == 0)
		{
			int written = snprintf(text + length, capacity - length, "%04" PRId64, frame);
			length += (size_t)written < capacity - length ? (size_t)written : capacity - length - 1;
			next += sizeof frame_mark - 1;
			continue;
		}
		text[length++] = *next++;
		text[length] = 0;
	}
}

static lm_status write_all(lm_reel* reel, const char* path, lm_error* error)
{
	size_t capacity = 4 * strlen(path) + 32; // a mark of 7 letters becomes 19 digits at most
	char* name = LM_NEW(&reel->host, capacity, char);
	lm_status status = name != NULL ? LM_OK : lm_fail_memory(error);
	for (int64_t frame = 0; status == LM_OK && frame < reel->frame_count; ++frame)
	{
		put_number(path, frame, name, capacity);
		status = write_picture(reel, frame, frame, reel->frame_count, name, error);
	}
	lm_free(&reel->host, name);
	return status;
}

static lm_status write_video(lm_reel* reel, const char* path, lm_error* error)
{
	lm_video* video = NULL;
	double fps = reel->info->fps > 0 ? reel->info->fps : 24;
	lm_status status = lm_video_open(path, lm_reel_width(reel), reel->height, fps, &reel->inner, &video, error);
	int64_t count = reel->frame_count;
	for (int64_t frame = 0; status == LM_OK && frame < count; ++frame)
	{
		status = lm_reel_go_on(reel, (double)frame, (double)frame + LM_DRAWN, count, error);
		if (status == LM_OK)
			status = lm_reel_draw(reel, frame, error);
		if (status == LM_OK)
			status = lm_reel_go_on(reel, (double)frame + LM_DRAWN, (double)frame + 1, count, error);
		if (status == LM_OK)
			status = lm_video_frame(video, &reel->picture, error);
	}
	if (status == LM_OK)
		status = lm_reel_go_on(reel, (double)count, (double)count, count, error);
	if (status == LM_OK)
		return lm_video_close(video, error);
	lm_video_abandon(video);
	return status;
}

// Checks settings and path before any work is done.
static lm_status check_request(lm_cache* cache, const lm_film_settings* settings, const char* path, lm_error* error)
{
	bool picture = lm_same_ending(path, "png");
	bool numbered = strstr(path, frame_mark) != NULL;
	int64_t frames = lm_cache_frame_count(cache);
	if (!picture && !lm_same_ending(path, "mp4") && !lm_same_ending(path, "webm") && !lm_same_ending(path, "gif"))
		return lm_fail_at(
			error, LM_BAD_INPUT, path, "",
			"pictures are written as .png, videos as .mp4, .webm or .gif; the name ends with none of these");
	if (settings->sheet && (!picture || numbered))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "a contact sheet is one .png; give a name that ends so%s",
		                  numbered ? ", without {frame}" : "");
	if (numbered && !picture)
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "{frame} is for pictures; a video holds all frames in one file");
	if (settings->blur < 1 || settings->blur > 1000)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "a picture is the average of 1 to 1000 moments, not %d",
		                  settings->blur);
	if (settings->sheet && settings->beside != NULL)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "a contact sheet shows one run");
	if (settings->beside != NULL && lm_cache_frame_count(settings->beside) < 1)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "what shall be beside has no frame to draw");
	if (frames < 1)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the cache has no frame to draw; run the scene first");
	if (picture && !numbered && !settings->sheet && settings->frame >= frames)
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "frame %" PRId64 " does not exist: the cache has frames 0 to %" PRId64, settings->frame,
		                  frames - 1);
	return picture ? LM_OK : lm_video_check(path, error);
}

lm_status lm_film(lm_cache* cache, const lm_film_settings* settings, const char* path, const lm_host* host,
                  lm_error* error)
{
	assert(cache != NULL && settings != NULL && path != NULL && host != NULL);
	lm_status status = check_request(cache, settings, path, error);
	if (status != LM_OK)
		return status;
	if (settings->sheet)
		return lm_sheet(cache, settings, path, host, error);
	lm_reel reel;
	int32_t width = settings->render.width, height = settings->render.height;
	status = lm_reel_open(&reel, cache, settings, width, height, host, error);
	if (status != LM_OK)
		return status;
	if (!lm_same_ending(path, "png"))
		status = write_video(&reel, path, error);
	else if (strstr(path, frame_mark) != NULL)
		status = write_all(&reel, path, error);
	else
		status = write_one(&reel, settings->frame, path, error);
	lm_reel_close(&reel);
	return status;
}
