// run.c: a whole run: frames into a cache, checkpoints beside it, resuming from them.
//
// A checkpoint of frame k is written after frame k is safely in the cache, so whatever moment a run is cut off at, the
// cache holds at least the frames that the checkpoint needs.
#include "base/alloc.h"
#include "base/error.h"
#include "world/number_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

lm_run_settings lm_run_settings_default(void)
{
	return (lm_run_settings){ .checkpoint_interval = 24 };
}

typedef struct run
{
	lm_world* world;
	const lm_run_settings* settings;
	lm_cache_object* objects;
	const double** positions;
	char* checkpoint;     // path
	char scene[PATH_MAX]; // absolute path, so that pictures can be made from any folder
	lm_cache_writer* writer;
	lm_number_file numbers;
} run;

static lm_cache_info describe(run* r)
{
	lm_world* world = r->world;
	for (int32_t i = 0; i < world->display_count; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		r->objects[i] = (lm_cache_object){
			.name = view.name,
			.color = { view.color[0], view.color[1], view.color[2] },
			.vertex_count = view.vertex_count,
			.triangle_count = view.triangle_count,
			.triangles = view.triangles,
			.face_count = view.face_count,
			.face_starts = view.face_starts,
			.face_vertices = view.face_vertices,
			.fixed = view.fixed,
			.fixed_positions = view.fixed ? view.positions : NULL,
		};
	}
	if (realpath(world->scene->path, r->scene) == NULL) // a scene that was never a file, or has gone
		snprintf(r->scene, sizeof r->scene, "%s", world->scene->path);
	return (lm_cache_info){ .scene = r->scene,
		                    .fps = world->scene->fps,
		                    .fingerprint = world->scene->fingerprint,
		                    .object_count = world->display_count,
		                    .objects = r->objects };
}

static lm_status write_frame(run* r, lm_error* error)
{
	for (int32_t i = 0; i < r->world->display_count; ++i)
		r->positions[i] = lm_world_surface(r->world, i).positions;
	return lm_cache_write_frame(r->writer, r->positions, error);
}

static lm_status open_cache(run* r, int64_t* first_frame, lm_error* error)
{
	const lm_host* host = &r->world->host;
	lm_cache_info info = describe(r);
	if (r->settings->resume && access(r->checkpoint, F_OK) == 0)
	{
		lm_status status = lm_world_load(r->world, r->checkpoint, error);
		*first_frame = r->world->frame;
		if (status != LM_OK)
			return status;
		return lm_cache_append(r->settings->cache_path, &info, r->world->frame + 1, host, &r->writer, error);
	}
	if (r->settings->resume)
		lm_log(host, LM_LOG_INFO, "there is no checkpoint %s: starting from the beginning", r->checkpoint);
	lm_status status = lm_cache_create(r->settings->cache_path, &info, host, &r->writer, error);
	if (status != LM_OK)
		return status; // the checkpoint may belong to a run that is going on
	// a checkpoint of an older run must not be taken for one of the new cache
	if (unlink(r->checkpoint) != 0 && access(r->checkpoint, F_OK) == 0)
		return lm_fail_at(error, LM_IO_FAILED, r->checkpoint, "", "cannot be removed, and belongs to an older run");
	status = lm_world_prepare(r->world, error); // the first frame shows what preparing has made
	return status == LM_OK ? write_frame(r, error) : status;
}

static bool is_interrupted(const run* r)
{
	return r->settings->interrupted != NULL && *r->settings->interrupted != 0;
}

static lm_status step_frames(run* r, int64_t last, lm_run_report* report, lm_error* error)
{
	lm_world* world = r->world;
	int64_t interval = r->settings->checkpoint_interval;
	lm_status status = lm_world_prepare(world, error);
	while (status == LM_OK && world->frame < last && !report->interrupted)
	{
		if (r->settings->take != NULL)
			status = lm_take_play(r->settings->take, world, error);
		if (status == LM_OK)
			status = lm_world_step(world, error);
		if (status == LM_OK)
			status = write_frame(r, error);
		if (status == LM_OK)
			status = lm_number_file_add(&r->numbers, world, error);
		if (status == LM_OK && r->settings->take != NULL && report->differs_from < 0 &&
		    !lm_take_agrees(r->settings->take, world))
			report->differs_from = world->frame;
		report->interrupted =
			!lm_progress(&world->host, "simulating", (double)world->frame / (double)last) || is_interrupted(r);
		bool due = interval > 0 && world->frame % interval == 0;
		if (status == LM_OK && (due || report->interrupted || world->frame >= last))
			status = lm_world_save(world, r->checkpoint, error);
	}
	return status;
}

static lm_status run_world(run* r, lm_run_report* report, lm_error* error)
{
	const lm_world* world = r->world;
	double seconds = r->settings->seconds > 0 ? r->settings->seconds : world->scene->seconds;
	int64_t last = (int64_t)ceil(seconds * world->scene->fps - 1e-9);
	lm_status status = open_cache(r, &report->first_frame, error);
	if (status == LM_OK && r->settings->numbers_path != NULL)
		status = lm_number_file_open(&r->numbers, world, r->settings->numbers_path, report->first_frame > 0, error);
	if (status == LM_OK)
		status = step_frames(r, last, report, error);
	lm_status written = lm_number_file_close(&r->numbers, status == LM_OK, status == LM_OK ? error : NULL);
	status = status == LM_OK ? written : status;
	if (r->writer != NULL)
	{
		lm_status closed = lm_cache_writer_close(r->writer, status == LM_OK ? error : NULL);
		status = status == LM_OK ? closed : status;
	}
	report->frames = world->frame + 1;
	return status;
}

lm_status lm_world_run(lm_world* world, const lm_run_settings* settings, lm_run_report* report, lm_error* error)
{
	double start = lm_clock_seconds();
	lm_run_report ignored;
	report = report != NULL ? report : &ignored;
	*report = (lm_run_report){ .differs_from = -1 };
	const lm_host* host = &world->host;
	static const char ending[] = ".checkpoint";
	size_t length = strlen(settings->cache_path);
	run r = { .world = world, .settings = settings };
	r.objects = LM_NEW(host, world->display_count, lm_cache_object);
	r.positions = LM_NEW(host, world->display_count, const double*);
	r.checkpoint = LM_NEW(host, length + sizeof ending, char);
	lm_status status = LM_OK;
	if (r.objects == NULL || r.positions == NULL || r.checkpoint == NULL)
		status = lm_fail_memory(error);
	else
	{
		snprintf(r.checkpoint, length + sizeof ending, "%s%s", settings->cache_path, ending);
		status = run_world(&r, report, error);
	}
	lm_free(host, r.objects);
	lm_free(host, r.positions);
	lm_free(host, r.checkpoint);
	report->wall_seconds = lm_clock_seconds() - start;
	return status;
}
