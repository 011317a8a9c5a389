// jobs.c: see jobs.h.
#include "jobs.h"

#include "document.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 8

const char* const job_names[JOB_KINDS] = { "cache", "pc2", "mdd", "video", "picture", "scene" };

typedef enum job_stage
{
	JOB_FREE,
	JOB_WAITING,
	JOB_RUNNING,
	JOB_ENDED
} job_stage;

typedef struct job
{
	job_stage stage;
	int id;
	job_order order;
	job_result result;
	atomic_int cancelled;
	double done; // under the lock
	struct jobs* all;
} job;

struct jobs
{
	lm_host host;
	pthread_t thread;
	bool started;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool stopping;
	int next_id;
	job items[JOBS_MAX];
};

// ---- one job ----

static bool note_progress(const char* what, double done, void* context)
{
	(void)what;
	job* j = context;
	pthread_mutex_lock(&j->all->mutex);
	j->done = done < 0 ? j->done : done;
	pthread_mutex_unlock(&j->all->mutex);
	return atomic_load(&j->cancelled) == 0;
}

static lm_status export_points(lm_cache* cache, int32_t object, const char* path, const lm_host* host, lm_error* error)
{
	const lm_cache_info* info = lm_cache_get_info(cache);
	int64_t frames = lm_cache_frame_count(cache);
	int32_t count = info->objects[object].vertex_count;
	double* positions = malloc(3 * sizeof(double) * ((size_t)count + 1));
	lm_points_writer* writer = NULL;
	if (positions == NULL)
		return *error = (lm_error){ .status = LM_NO_MEMORY, .message = "out of memory" }, LM_NO_MEMORY;
	lm_status status = lm_points_writer_open(path, count, (int32_t)frames, info->fps, host, &writer, error);
	for (int64_t f = 0; status == LM_OK && f < frames; ++f)
	{
		status = lm_cache_read(cache, f, object, positions, error);
		if (status == LM_OK)
			status = lm_points_writer_frame(writer, positions, error);
	}
	if (status == LM_OK)
		status = lm_points_writer_close(writer, error);
	else
		lm_points_writer_abandon(writer);
	free(positions);
	return status;
}

// walk.pc2, or walk-NAME.pc2 when there are several objects.
static lm_status export_all_points(job* j, lm_cache* cache, int32_t object_count, const lm_host* host, lm_error* error)
{
	lm_status status = LM_OK;
	const char* ending = strrchr(j->order.path, '.');
	for (int32_t i = 0; status == LM_OK && i < object_count; ++i)
	{
		char path[PATH_CAPACITY + 160];
		const char* name = lm_cache_get_info(cache)->objects[i].name;
		if (object_count == 1)
			snprintf(path, sizeof path, "%s", j->order.path);
		else
			snprintf(path, sizeof path, "%.*s-%.120s%s", (int)(ending - j->order.path), j->order.path, name, ending);
		status = export_points(cache, i, path, host, error);
	}
	return status;
}

static lm_status export_result(job* j, const lm_scene* scene, const char* cache_path, const lm_host* host,
                               lm_error* error)
{
	lm_cache* cache;
	lm_status status = lm_cache_open(cache_path, host, &cache, error);
	if (status != LM_OK)
		return status;
	lm_film_settings film = lm_film_settings_of(scene);
	if (j->order.has_camera)
	{
		film.camera.automatic = false;
		memcpy(film.camera.eye, j->order.camera.eye, sizeof film.camera.eye);
		memcpy(film.camera.target, j->order.camera.target, sizeof film.camera.target);
		film.camera.fov = j->order.camera.fov;
	}
	film.frame = lm_cache_frame_count(cache) - 1;
	if (j->order.kind == JOB_VIDEO || j->order.kind == JOB_PICTURE)
		status = lm_film(cache, &film, j->order.path, host, error);
	else
		status = export_all_points(j, cache, scene->object_count, host, error);
	lm_cache_destroy(cache);
	return status;
}

static lm_status simulate(job* j, const lm_scene* scene, const char* cache_path, const lm_host* host, lm_error* error)
{
	lm_world* world;
	lm_take* take = NULL;
	lm_run_report report;
	lm_status status = lm_world_create(scene, host, &world, error);
	if (status != LM_OK)
		return status;
	if (j->order.take_path[0] != 0)
		status = lm_take_read(j->order.take_path, world, &take, error);
	lm_run_settings settings = lm_run_settings_default();
	settings.cache_path = cache_path;
	settings.seconds = (double)(j->order.frames > 0 ? j->order.frames : 1) / scene->fps;
	settings.take = take;
	if (status == LM_OK)
		status = lm_world_run(world, &settings, &report, error);
	if (status == LM_OK && report.interrupted)
		status = LM_CANCELLED;
	if (status == LM_OK && report.differs_from >= 0)
	{
		*error = (lm_error){ .status = LM_BAD_INPUT };
		snprintf(error->message, sizeof error->message, "the performance came out differently from frame %lld on",
		         (long long)report.differs_from);
		status = LM_BAD_INPUT;
	}
	lm_take_destroy(take);
	lm_world_destroy(world);
	return status;
}

// The scene as it would lie where the result goes, which may be another folder than its own.
static lm_status write_scene(const job* j, const lm_scene* scene, const char* text, lm_error* error)
{
	char folder[PATH_CAPACITY];
	path_folder(j->order.path, folder, sizeof folder);
	char* moved = document_moved(text, j->order.scene_path, folder, scene->files, scene->file_count);
	bool good = moved != NULL && file_write(j->order.path, moved, strlen(moved));
	if (!good)
	{
		*error = (lm_error){ .status = LM_IO_FAILED };
		snprintf(error->message, sizeof error->message, "cannot be written: %s",
		         moved != NULL ? strerror(errno) : "out of memory");
	}
	free(moved);
	return good ? LM_OK : LM_IO_FAILED;
}

// The take is repeated, which writes down what every command did.
static lm_status make_scene(const job* j, const lm_scene* scene, const lm_host* host, lm_error* error)
{
	lm_world* world;
	lm_take* take = NULL;
	char* text = NULL;
	const char* original = j->order.scene_text;
	lm_status status = lm_world_create(scene, host, &world, error);
	if (status != LM_OK)
		return status;
	status = lm_take_read(j->order.take_path, world, &take, error);
	if (status == LM_OK)
		status = lm_take_scene(take, world, original, strlen(original), 0, &text, error);
	if (status == LM_OK)
		status = write_scene(j, scene, text, error);
	lm_text_free(host, text);
	lm_take_destroy(take);
	lm_world_destroy(world);
	return status;
}

static void remove_cache(const char* path)
{
	char beside[PATH_CAPACITY + 64];
	unlink(path);
	snprintf(beside, sizeof beside, "%s.checkpoint", path);
	unlink(beside);
	snprintf(beside, sizeof beside, "%s.checkpoint.before", path);
	unlink(beside);
}

static lm_status simulate_and_export(job* j, const lm_scene* scene, const char* cache_path, const lm_host* host,
                                     lm_error* error)
{
	lm_status status = simulate(j, scene, cache_path, host, error);
	if (status == LM_OK && j->order.kind != JOB_CACHE)
		status = export_result(j, scene, cache_path, host, error);
	if (status != LM_OK || j->order.kind != JOB_CACHE)
		remove_cache(cache_path);
	return status;
}

static lm_status carry_out(job* j, lm_error* error)
{
	lm_host host = j->all->host;
	host.progress = note_progress;
	host.progress_context = j;
	lm_scene* scene;
	lm_problems problems = { 0 };
	char cache_path[PATH_CAPACITY + 32];
	snprintf(cache_path, sizeof cache_path, "%s%s", j->order.path, j->order.kind == JOB_CACHE ? "" : ".part.lmc");
	lm_status status = lm_scene_read_text(j->order.scene_path, j->order.scene_text, strlen(j->order.scene_text), &host,
	                                      &scene, &problems);
	if (status != LM_OK)
	{
		*error = problems.count > 0 ? problems.items[0] : (lm_error){ .status = status };
		lm_problems_release(&problems);
		return status;
	}
	if (j->order.kind == JOB_SCENE)
		status = make_scene(j, scene, &host, error);
	else
		status = simulate_and_export(j, scene, cache_path, &host, error);
	lm_scene_destroy(scene);
	return status;
}

static void finish(job* j, lm_status status, const lm_error* error)
{
	j->result = (job_result){ .client = j->order.client, .good = status == LM_OK };
	snprintf(j->result.path, sizeof j->result.path, "%s", j->order.path);
	if (status == LM_CANCELLED || atomic_load(&j->cancelled) != 0)
		snprintf(j->result.error, sizeof j->result.error, "cancelled; nothing was written");
	else if (status != LM_OK)
		lm_error_format(error, j->result.error, sizeof j->result.error);
	if (j->order.take_path[0] != 0)
		unlink(j->order.take_path);
	free(j->order.scene_text);
	j->order.scene_text = NULL;
}

// ---- the thread ----

static job* next_waiting(jobs* all)
{
	job* found = NULL;
	for (int i = 0; i < JOBS_MAX; ++i)
		if (all->items[i].stage == JOB_WAITING && (found == NULL || all->items[i].id < found->id))
			found = &all->items[i];
	return found;
}

static void* run(void* context)
{
	jobs* all = context;
	pthread_mutex_lock(&all->mutex);
	while (!all->stopping)
	{
		job* j = next_waiting(all);
		if (j == NULL)
		{
			pthread_cond_wait(&all->changed, &all->mutex);
			continue;
		}
		j->stage = JOB_RUNNING;
		pthread_mutex_unlock(&all->mutex);
		lm_error error = { 0 };
		lm_status status = atomic_load(&j->cancelled) != 0 ? LM_CANCELLED : carry_out(j, &error);
		pthread_mutex_lock(&all->mutex);
		finish(j, status, &error);
		j->stage = JOB_ENDED;
	}
	pthread_mutex_unlock(&all->mutex);
	return NULL;
}

jobs* jobs_create(const lm_host* host)
{
	jobs* all = calloc(1, sizeof *all);
	if (all == NULL)
		return NULL;
	all->host = *host;
	pthread_mutex_init(&all->mutex, NULL);
	pthread_cond_init(&all->changed, NULL);
	sigset_t every, before;
	sigfillset(&every);
	pthread_sigmask(SIG_BLOCK, &every, &before);
	all->started = pthread_create(&all->thread, NULL, run, all) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return all;
}

void jobs_cancel_all(jobs* all)
{
	pthread_mutex_lock(&all->mutex);
	for (int i = 0; i < JOBS_MAX; ++i)
		if (all->items[i].stage == JOB_WAITING || all->items[i].stage == JOB_RUNNING)
			atomic_store(&all->items[i].cancelled, 1);
	pthread_mutex_unlock(&all->mutex);
}

void jobs_destroy(jobs* all)
{
	if (all == NULL)
		return;
	jobs_cancel_all(all);
	pthread_mutex_lock(&all->mutex);
	all->stopping = true;
	pthread_cond_signal(&all->changed);
	pthread_mutex_unlock(&all->mutex);
	if (all->started)
		pthread_join(all->thread, NULL);
	for (int i = 0; i < JOBS_MAX; ++i)
		if (all->items[i].stage == JOB_WAITING)
			finish(&all->items[i], LM_CANCELLED, NULL);
	pthread_cond_destroy(&all->changed);
	pthread_mutex_destroy(&all->mutex);
	free(all);
}

bool jobs_add(jobs* all, job_order* order)
{
	pthread_mutex_lock(&all->mutex);
	job* place = NULL;
	for (int i = 0; i < JOBS_MAX && place == NULL; ++i)
		place = all->items[i].stage == JOB_FREE ? &all->items[i] : NULL;
	if (place != NULL)
	{
		*place = (job){ .stage = JOB_WAITING, .id = ++all->next_id, .order = *order, .all = all };
		pthread_cond_signal(&all->changed);
	}
	pthread_mutex_unlock(&all->mutex);
	if (place == NULL)
		free(order->scene_text);
	return place != NULL && all->started;
}

bool jobs_cancel(jobs* all, int id)
{
	bool found = false;
	pthread_mutex_lock(&all->mutex);
	for (int i = 0; i < JOBS_MAX; ++i)
		if (all->items[i].id == id && (all->items[i].stage == JOB_WAITING || all->items[i].stage == JOB_RUNNING))
		{
			atomic_store(&all->items[i].cancelled, 1);
			found = true;
		}
	pthread_mutex_unlock(&all->mutex);
	return found;
}

json_t* jobs_list(jobs* all)
{
	json_t* list = json_array();
	pthread_mutex_lock(&all->mutex);
	for (int i = 0; i < JOBS_MAX; ++i)
	{
		const job* j = &all->items[i];
		if (j->stage == JOB_WAITING || j->stage == JOB_RUNNING)
			json_array_append_new(list, json_pack("{s:i,s:s,s:s,s:f}", "id", j->id, "as", job_names[j->order.kind],
			                                      "name", path_name(j->order.path), "done", j->done));
	}
	pthread_mutex_unlock(&all->mutex);
	return list;
}

bool jobs_finished(jobs* all, job_result* result)
{
	bool found = false;
	pthread_mutex_lock(&all->mutex);
	for (int i = 0; i < JOBS_MAX && !found; ++i)
		if (all->items[i].stage == JOB_ENDED)
		{
			*result = all->items[i].result;
			all->items[i].stage = JOB_FREE;
			found = true;
		}
	pthread_mutex_unlock(&all->mutex);
	return found;
}
