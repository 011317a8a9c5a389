// session_keep.c: what was performed is kept: as a take, or, in the background, as a scene to be edited, as cache, video or
// picture.
#include "session_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A name of the page, or one made of the scene's.
static bool choose_stem(session* s, const json_t* json, char* stem, size_t size, char* error, size_t capacity)
{
	const char* name = session_text(json, "name");
	if (name[0] != 0 && (!name_is_safe(name) || strchr(name, '.') != NULL))
		return session_refuse(error, capacity, "\"%.60s\": a name has letters, digits and dashes only", name);
	if (name[0] != 0)
		snprintf(stem, size, "%s", name);
	else
		path_stem(s->scene_document->path, stem, size);
	return true;
}

// Where a file is to go, in the studio's folder. Without a name of the page's own a free one is found.
static bool choose_path(session* s, const json_t* json, const char* ending, char* path, char* error, size_t capacity)
{
	char stem[256], name[300];
	bool named = session_text(json, "name")[0] != 0;
	if (!choose_stem(s, json, stem, sizeof stem, error, capacity))
		return false;
	if (!folder_make(s->folder))
		return session_refuse(error, capacity, "%s: the folder cannot be made: %s", s->folder, strerror(errno));
	snprintf(name, sizeof name, "%s%s", stem, ending);
	if (!(named ? path_join(s->folder, name, path, PATH_CAPACITY)
	            : path_fresh(s->folder, stem, ending, path, PATH_CAPACITY)))
		return session_refuse(error, capacity, "the name is too long");
	if (named && file_exists(path) && !json_is_true(json_object_get(json, "overwrite")))
		return session_refuse(error, capacity, "%s is there already; choose another name, or say overwrite", path);
	return true;
}

static bool write_take(session* s, const char* path, char* error, size_t capacity)
{
	lm_error found;
	if (s->take == NULL)
		return session_refuse(error, capacity, "out of memory");
	if (lm_world_frame(s->world) == s->newest)
		lm_take_mark(s->take, s->world, &found);
	return lm_take_write(s->take, s->world, path, &found) == LM_OK || session_fail(&found, error, capacity);
}

// A take can only be repeated with the scene that it was made with: one that is not on the disk is saved, too.
static bool keep_take(session* s, int client, const json_t* json, char* error, size_t capacity)
{
	char path[PATH_CAPACITY];
	if (s->scene_document->dirty && !session_save(s, "", !file_exists(s->scene_document->path), error, capacity))
		return false;
	if (!choose_path(s, json, ".take", path, error, capacity) || !write_take(s, path, error, capacity))
		return false;
	s->takes_changed = true;
	session_tell(s, client, "saved", path, NULL, path_name(path));
	return true;
}

static bool read_camera(const json_t* json, lm_camera* camera)
{
	const json_t *eye = json_object_get(json, "eye"), *target = json_object_get(json, "target");
	bool good = json_array_size(eye) == 3 && json_array_size(target) == 3;
	for (size_t c = 0; good && c < 3; ++c)
	{
		camera->eye[c] = json_number_value(json_array_get(eye, c));
		camera->target[c] = json_number_value(json_array_get(target, c));
	}
	camera->fov = session_number(json, "fov", 40);
	return good && camera->fov >= 1 && camera->fov <= 150;
}

static bool order_job(session* s, int client, const json_t* json, job_kind kind, char* error, size_t capacity)
{
	static const char* const endings[JOB_KINDS] = { ".lmc", ".pc2", ".mdd", ".mp4", ".png", ".json" };
	lm_error found;
	job_order* order = calloc(1, sizeof *order);
	if (order == NULL)
		return session_refuse(error, capacity, "out of memory");
	*order = (job_order){ .kind = kind, .client = client, .frames = s->newest };
	if (kind == JOB_PICTURE)
		order->frames = lm_world_frame(s->world);
	order->has_camera = read_camera(json_object_get(json, "camera"), &order->camera);
	bool good = choose_path(s, json, endings[kind], order->path, error, capacity);
	if (good && kind == JOB_VIDEO && lm_video_check(order->path, &found) != LM_OK)
		good = session_fail(&found, error, capacity);
	snprintf(order->scene_path, sizeof order->scene_path, "%s", s->scene_document->path);
	snprintf(order->take_path, sizeof order->take_path, "%.4000s.part.take", order->path);
	good = good && write_take(s, order->take_path, error, capacity);
	if (good)
	{
		order->scene_text = strdup(s->scene_document->text);
		good = (order->scene_text != NULL && jobs_add(s->work, order)) ||
		       session_refuse(error, capacity, "too much is being written already; wait for it, or cancel it");
		if (!good)
			unlink(order->take_path);
	}
	free(order);
	return good;
}

bool session_do_keep(session* s, int client, json_t* json, char* error, size_t capacity)
{
	const char* as = session_text(json, "as");
	if (strcmp(as, "take") == 0)
		return keep_take(s, client, json, error, capacity);
	for (int kind = 0; kind < JOB_KINDS; ++kind)
		if (strcmp(as, job_names[kind]) == 0)
			return order_job(s, client, json, (job_kind)kind, error, capacity);
	return session_refuse(error, capacity, "as is \"%.30s\", must be take, scene, cache, pc2, mdd, video or picture",
	                      as);
}

bool session_do_cancel(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	int id = (int)session_number(json, "job", -1);
	return jobs_cancel(s->work, id) || session_refuse(error, capacity, "there is no job %d", id);
}

void session_collect_jobs(session* s)
{
	job_result result;
	while (jobs_finished(s->work, &result))
	{
		const char* name = path_name(result.path);
		char text[2048];
		snprintf(text, sizeof text, "%s: %s", name, result.error);
		session_tell(s, EVERYBODY, result.good ? "saved" : "error", result.good ? result.path : text, NULL, name);
		s->state_changed = true;
	}
}
