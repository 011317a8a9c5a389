// run.c: a whole run: frames into a cache, checkpoints beside it, resuming from them.
//
// A checkpoint of frame k is written after frame k is in the cache, so whatever moment a run is killed at, the cache
// holds at least the frames that the checkpoint needs. A power cut may lose what the disk has not been told to keep:
// every few seconds the cache and then a checkpoint are kept for sure, and the last such checkpoint stays beside the
// newest one.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "io/cache_file.h"
#include "world/number_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lm_run_settings lm_run_settings_default(void)
{
	return (lm_run_settings){ .checkpoint_interval = 24, .checkpoint_seconds = 5 };
}

typedef struct run
{
	lm_world* world;
	const lm_run_settings* settings;
	lm_cache_object* objects;
	const double** positions;
	char *checkpoint, *before; // paths of the newest checkpoint, and of the last one that was kept for sure
	bool sure;                 // whether the newest was, too
	double saved_at, sure_at;  // when, by the clock
	char scene[PATH_MAX];      // absolute path, so that pictures can be made from any folder
	lm_cache_writer* writer;
	lm_number_file numbers;
} run;

static lm_status write_frame(run* r, lm_error* error)
{
	for (int32_t i = 0; i < r->world->display_count; ++i)
		r->positions[i] = lm_world_surface(r->world, i).positions;
	return lm_cache_write_frame(r->writer, r->positions, error);
}

static bool is_empty(const char* path)
{
	struct stat facts;
	return stat(path, &facts) != 0 || facts.st_size == 0;
}

// Goes on from the newest checkpoint whose frames are all in the cache. *going: whether there is one.
static lm_status resume(run* r, const lm_cache_info* info, bool* going, lm_error* error)
{
	const lm_host* host = &r->world->host;
	const char *paths[2] = { r->checkpoint, r->before }, *cache = r->settings->cache_path;
	lm_checkpoint_state states[2];
	int64_t at[2] = { 0, 0 }, frames = 0;
	for (int i = 0; i < 2; ++i)
		states[i] = lm_checkpoint_look(paths[i], host, &at[i]);
	if (states[0] == LM_CHECKPOINT_MISSING && states[1] == LM_CHECKPOINT_MISSING)
	{
		lm_log(host, LM_LOG_INFO, "there is no checkpoint %s: starting from the beginning", r->checkpoint);
		return LM_OK;
	}
	lm_status status = is_empty(cache) ? LM_OK : lm_cache_reopen(cache, info, host, &frames, &r->writer, error);
	for (int i = 0; i < 2 && status == LM_OK && !*going; ++i)
		if (states[i] == LM_CHECKPOINT_FOREIGN || (states[i] == LM_CHECKPOINT_WHOLE && at[i] < frames))
		{
			status = lm_world_load(r->world, paths[i], error);
			*going = status == LM_OK;
			r->sure = i == 0 && states[1] == LM_CHECKPOINT_MISSING; // as a run leaves it that has ended well
		}
	char from[64] = "starting from the beginning";
	if (*going)
		snprintf(from, sizeof from, "going on after frame %lld", (long long)r->world->frame);
	if (status == LM_OK && states[0] != LM_CHECKPOINT_WHOLE)
		lm_log(host, LM_LOG_INFO, "the checkpoint %s is %s: %s", r->checkpoint,
		       states[0] == LM_CHECKPOINT_TORN ? "not whole, as after a power cut" : "missing", from);
	else if (status == LM_OK && at[0] >= frames)
		lm_log(host, LM_LOG_INFO, "%s has only %lld whole frames, as after a power cut: %s", cache, (long long)frames,
		       from);
	return status == LM_OK && *going ? lm_cache_cut(r->writer, r->world->frame + 1, error) : status;
}

static lm_status open_cache(run* r, int64_t* first_frame, lm_error* error)
{
	const lm_host* host = &r->world->host;
	lm_cache_info info = lm_world_cache_info(r->world, r->objects, r->scene);
	bool going = false;
	lm_status status = r->settings->resume ? resume(r, &info, &going, error) : LM_OK;
	*first_frame = r->world->frame;
	if (status != LM_OK || going)
		return status;
	lm_cache_writer_close(r->writer, NULL);
	r->writer = NULL;
	status = lm_cache_create(r->settings->cache_path, &info, host, &r->writer, error);
	if (status != LM_OK)
		return status; // the checkpoint may belong to a run that is going on
	// a checkpoint of an older run must not be taken for one of the new cache
	unlink(r->before);
	unlink(r->checkpoint);
	if (access(r->checkpoint, F_OK) == 0 || access(r->before, F_OK) == 0)
		return lm_fail_at(error, LM_IO_FAILED, r->checkpoint, "", "cannot be removed, and belongs to an older run");
	lm_sync_folder_of(r->checkpoint);           // nor come back by a power cut
	status = lm_world_prepare(r->world, error); // the first frame shows what preparing has made
	return status == LM_OK ? write_frame(r, error) : status;
}

// Whether it is kept for sure depends on the time: telling the disk so may take longer than many frames. `last`: of the
// run; then no other checkpoint is needed any more.
static lm_status save(run* r, bool last, lm_error* error)
{
	double now = lm_clock_seconds();
	bool sure = last || now - r->sure_at >= r->settings->checkpoint_seconds;
	lm_status status = lm_number_file_save(&r->numbers, error);
	if (status == LM_OK && sure)
		status = lm_cache_sync(r->writer, error);
	if (status != LM_OK)
		return status;
	if (r->sure && rename(r->checkpoint, r->before) == 0) // should that fail, there is none before
		lm_sync_folder_of(r->before);                     // or a power cut could leave the next one alone
	status = lm_checkpoint_write(r->world, r->checkpoint, sure, error);
	if (status == LM_OK && last)
		unlink(r->before);
	r->sure = sure && status == LM_OK;
	r->saved_at = lm_clock_seconds();
	if (sure)
		r->sure_at = r->saved_at;
	return status;
}

static bool is_interrupted(const run* r)
{
	return r->settings->interrupted != NULL && *r->settings->interrupted != 0;
}

// How long the last frame took, and how many regions of cloth gave way in it.
static bool tell_progress(const run* r, int64_t last)
{
	lm_world* world = r->world;
	char what[128];
	double regions = 0, gave_way = 0;
	for (int32_t i = 0; i < lm_world_object_count(world); ++i)
	{
		const lm_track* cloth = lm_world_track(world, i);
		if (cloth != NULL)
			regions += lm_track_constraint_count(cloth), gave_way += lm_track_get_report(cloth).gave_way;
	}
	int length = snprintf(what, sizeof what, "simulating\t%.2g s per frame", world->frame_seconds);
	if (gave_way > 0 && regions > 0)
		snprintf(what + length, sizeof what - (size_t)length, ", %.3g %% of regions gave way",
		         100 * fmin(1, gave_way / regions)); // pins give way, too
	return lm_progress(&world->host, what, (double)world->frame / (double)last);
}

static lm_status step_frames(run* r, int64_t last, lm_run_report* report, lm_error* error)
{
	lm_world* world = r->world;
	int64_t interval = r->settings->checkpoint_interval;
	lm_status status = lm_world_prepare(world, error);
	r->saved_at = r->sure_at = lm_clock_seconds();
	while (status == LM_OK && world->frame < last && !report->interrupted)
	{
		if (r->settings->take != NULL)
			status = lm_take_play(r->settings->take, world, error);
		if (status == LM_OK)
			status = lm_world_step(world, error);
		if (status ==
		    LM_CANCELLED) // within a frame: what is kept is the last checkpoint, of the frame before if that took long
		{
			report->interrupted = true;
			return LM_OK;
		}
		if (status == LM_OK)
			status = write_frame(r, error);
		if (status == LM_OK)
			status = lm_number_file_add(&r->numbers, world, error);
		if (status == LM_OK && r->settings->take != NULL && report->differs_from < 0 &&
		    !lm_take_agrees(r->settings->take, world))
			report->differs_from = world->frame;
		report->interrupted = !tell_progress(r, last) || is_interrupted(r);
		bool due = (interval > 0 && world->frame % interval == 0) || world->frame_seconds > 0.5 ||
		           lm_clock_seconds() - r->saved_at >= r->settings->checkpoint_seconds;
		bool ends = report->interrupted || world->frame >= last;
		if (status == LM_OK && (due || ends))
			status = save(r, ends, error);
	}
	return status;
}

static lm_status run_world(run* r, lm_run_report* report, lm_error* error)
{
	const lm_world* world = r->world;
	int64_t last = lm_world_frames_of(world, r->settings->seconds);
	lm_status status = lm_world_check_room(r->world, r->settings->cache_path, r->settings->seconds, error);
	if (status == LM_OK)
		status = open_cache(r, &report->first_frame, error);
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
	static const char ending[] = ".checkpoint", older[] = ".checkpoint" LM_CHECKPOINT_BEFORE;
	size_t length = strlen(settings->cache_path);
	run r = { .world = world, .settings = settings };
	r.objects = LM_NEW(host, world->display_count, lm_cache_object);
	r.positions = LM_NEW(host, world->display_count, const double*);
	r.checkpoint = LM_NEW(host, length + sizeof ending, char);
	r.before = LM_NEW(host, length + sizeof older, char);
	lm_status status = LM_OK;
	if (r.objects == NULL || r.positions == NULL || r.checkpoint == NULL || r.before == NULL)
		status = lm_fail_memory(error);
	else
	{
		snprintf(r.checkpoint, length + sizeof ending, "%s%s", settings->cache_path, ending);
		snprintf(r.before, length + sizeof older, "%s%s", settings->cache_path, older);
		lm_remove_leftovers(settings->cache_path);
		if (settings->numbers_path != NULL)
			lm_remove_leftovers(settings->numbers_path);
		status = run_world(&r, report, error);
	}
	lm_free(host, r.objects);
	lm_free(host, r.positions);
	lm_free(host, r.checkpoint);
	lm_free(host, r.before);
	report->wall_seconds = lm_clock_seconds() - start;
	return status;
}
