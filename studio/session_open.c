// session_open.c: a scene, or a mesh, becomes a world that pages see.
#include "session_inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENE_MAX ((size_t)64 << 20)

// ---- greeting ----

static void set_text(json_t* json, const char* key, const char* text)
{
	json_object_set_new(json, key, json_string(text));
}

static void describe_scene(session* s, json_t* hello)
{
	json_t* scene = json_object_get(hello, "scene");
	set_text(scene, "file", s->scene_document->path);
	set_text(scene, "folder", s->folder);
	json_object_set_new(scene, "opened", json_integer(s->opened));
	json_object_set_new(scene, "copy", json_boolean(s->scene_document->foreign));
	json_object_set(hello, "document", s->scene_document->json);
	json_object_set_new(hello, "takes", session_list_takes(s));
}

static json_t* make_hello(session* s)
{
	char* text = s->world != NULL ? lm_world_describe(s->world) : NULL;
	json_t* hello = text != NULL ? json_loads(text, 0, NULL) : json_object();
	lm_text_free(&s->host, text);
	set_text(hello, "kind", "hello");
	set_text(hello, "version", lm_version());
	set_text(hello, "mode", s->world != NULL ? "scene" : "gallery");
	if (s->world != NULL)
		describe_scene(s, hello);
	else
	{
		json_object_set_new(hello, "gallery", gallery_list(s->shown_gallery));
		json_object_set_new(hello, "left", session_left_behind(s));
	}
	json_object_set_new(hello, "files", gallery_files(s->folder));
	json_object_set_new(hello, "recover", s->recover != NULL ? json_incref(s->recover) : json_null());
	return hello;
}

void session_greet(session* s)
{
	json_t* hello = make_hello(s);
	char* dumped = json_dumps(hello, JSON_COMPACT);
	json_decref(hello);
	message* first = dumped != NULL ? message_of_text(dumped) : NULL;
	free(dumped);
	frame_override shown_pose = session_pose_override(s);
	bool shown = s->world != NULL;
	++s->generation;
	message* topology = shown ? topology_message(s->world, s->generation) : NULL;
	message* frame = shown ? frame_message(s->world, true, &shown_pose, s->generation, s->newest_command) : NULL;
	outlet_greet(s->out, first, topology, frame);
	session_show_colors(s);
	session_show_state(s, true);
}

// ---- the world ----

// The first few problems of a scene, a line each.
static bool tell_problems(lm_problems* problems, char* error, size_t capacity)
{
	size_t used = 0;
	error[0] = 0;
	for (int32_t i = 0; i < problems->count && i < 5 && used < capacity; ++i)
	{
		char line[1024];
		lm_error_format(&problems->items[i], line, sizeof line);
		used += (size_t)snprintf(error + used, capacity - used, "%s%s", i > 0 ? "\n" : "", line);
	}
	if (problems->count == 0)
		snprintf(error, capacity, "the scene was not read to its end");
	lm_problems_release(problems);
	return false;
}

static void start_again(session* s)
{
	lm_error ignored;
	history_clear(s->past);
	lm_take_destroy(s->take);
	s->take = NULL;
	if (lm_take_create(s->world, &s->take, &ignored) != LM_OK)
		s->take = NULL;
	s->newest = 0;
	s->recording = false;
	session_forget_told(s);
	session_end_pose(s);
	session_end_stroke(s);
	session_pace(s);
}

bool session_make_world(session* s, char* error, size_t capacity)
{
	lm_scene* scene;
	lm_world* world;
	lm_problems problems = { 0 };
	lm_error found;
	const document* d = s->scene_document;
	if (lm_scene_read_text(d->path, d->text, strlen(d->text), &s->host, &scene, &problems) != LM_OK)
		return tell_problems(&problems, error, capacity);
	if (lm_world_create(scene, &s->host, &world, &found) != LM_OK)
	{
		lm_scene_destroy(scene);
		return session_fail(&found, error, capacity);
	}
	lm_world_destroy(s->world);
	lm_scene_destroy(s->scene);
	s->world = world;
	s->scene = scene;
	start_again(s);
	journal_begin(s->log, scene, s->host.simd, d->path, d->dirty ? d->text : NULL);
	session_greet(s);
	session_prepare(s);
	session_plan_again(s);
	return true;
}

// ---- documents ----

// Where files go while this scene or mesh is open.
static void find_folder(const session* s, const char* path, bool foreign, char* folder, size_t capacity)
{
	if (s->settings.into != NULL)
		snprintf(folder, capacity, "%s", s->settings.into);
	else if (foreign || path == NULL)
		snprintf(folder, capacity, "limber-live");
	else
		path_folder(path, folder, capacity);
}

void session_choose_folder(session* s, const char* path, bool foreign)
{
	pthread_mutex_lock(&s->folder_lock);
	find_folder(s, path, foreign, s->folder, sizeof s->folder);
	pthread_mutex_unlock(&s->folder_lock);
}

static bool lies_below(const char* path, const char* folder)
{
	char a[PATH_MAX], b[PATH_MAX];
	if (folder == NULL || realpath(path, a) == NULL || realpath(folder, b) == NULL)
		return false;
	size_t length = strlen(b);
	return strncmp(a, b, length) == 0 && a[length] == '/';
}

// A document that has not been written yet, of a text that lies beside a mesh. It is made as it will lie in the studio's
// folder: takes belong to the text, and the one that is saved with them must be the same. Takes the text over.
static document* document_beside(const session* s, const char* mesh_path, bool foreign, char* text, char* error,
                                 size_t capacity)
{
	char beside[PATH_CAPACITY], folder[PATH_CAPACITY], stem[256], path[PATH_CAPACITY], mesh[PATH_CAPACITY];
	path_folder(mesh_path, beside, sizeof beside);
	path_stem(mesh_path, stem, sizeof stem);
	find_folder(s, mesh_path, foreign, folder, sizeof folder);
	const char* name = path_name(mesh_path);
	const char* files[] = { mesh };
	bool good = text != NULL && path_join(beside, name, mesh, sizeof mesh) &&
	            path_join(beside, "scene.json", path, sizeof path) && folder_make(folder);
	char* moved = good ? document_moved(text, path, folder, files, 1) : NULL;
	free(text);
	if (moved == NULL || !path_fresh(folder, stem, ".json", path, sizeof path))
		return free(moved), session_refuse(error, capacity, "%s: the folder cannot be made", folder), NULL;
	document* d = document_create(path, moved, false, error, capacity);
	if (d != NULL)
		d->dirty = true;
	return d;
}

// The mesh as a character that stands on the ground.
static document* document_of_figure(const session* s, const char* path, bool foreign, char* error, size_t capacity)
{
	char stem[256];
	path_stem(path, stem, sizeof stem);
	const char* file = path_name(path);
	json_t* scene =
		json_pack("{s:i,s:i,s:[{s:s,s:s,s:s}],s:[{s:s,s:s,s:s,s:i,s:{s:b,s:[{s:s}]}}]}", "limber", 1, "fps", 30,
	              "colliders", "name", "ground", "shape", "plane", "color", "#d9cbb5", "objects", "name", stem,
	              "engine", "act", "mesh", file, "height", 1, "act", "character", true, "commands", "do", "stand");
	char* text = scene != NULL ? document_print(scene) : NULL;
	json_decref(scene);
	return document_beside(s, path, foreign, text, error, capacity);
}

// And as a soft body.
static document* document_of_mesh(const session* s, const char* path, bool foreign, char* error, size_t capacity)
{
	lm_error found;
	char* made = lm_scene_text_for_mesh(path, &s->host, &found);
	if (made == NULL)
		return session_fail(&found, error, capacity), NULL;
	char* text = strdup(made);
	lm_text_free(&s->host, made);
	return document_beside(s, path, foreign, text, error, capacity);
}

static document* read_document(const char* path, bool foreign, char* error, size_t capacity)
{
	size_t size;
	char* text = file_read(path, SCENE_MAX, &size);
	if (text == NULL)
		return session_refuse(error, capacity, "%s: cannot be read", path), NULL;
	return document_create(path, text, foreign, error, capacity);
}

// Takes the document over, whose file was last changed at `time`, as far as the document knows. On failure what was open
// stays open.
static bool open_document(session* s, document* opened, int64_t time, const char* path, bool foreign, char* error,
                          size_t capacity)
{
	document* before = s->scene_document;
	journal* log_before = s->log;
	char folder_before[PATH_CAPACITY];
	if (opened == NULL)
		return false;
	snprintf(folder_before, sizeof folder_before, "%s", s->folder);
	session_choose_folder(s, path, foreign);
	s->scene_document = opened;
	++s->opened;
	session_forget_plan(s);
	s->log = journal_create(s->folder, path);
	session_offer_recovery(s);
	if (!session_make_world(s, error, capacity))
	{
		document_destroy(opened);
		journal_destroy(s->log);
		s->scene_document = before;
		--s->opened;
		s->log = log_before;
		pthread_mutex_lock(&s->folder_lock);
		snprintf(s->folder, sizeof s->folder, "%s", folder_before);
		pthread_mutex_unlock(&s->folder_lock);
		return false;
	}
	document_destroy(before);
	journal_destroy(log_before);
	session_forget_undo(s);
	s->file_time = time;
	s->playing = true;
	return true;
}

// One that was made of the mesh at `path`.
static bool open_made(session* s, document* made, const char* path, bool foreign, char* error, size_t capacity)
{
	return open_document(s, made, made != NULL ? file_time(made->path) : 0, path, foreign, error, capacity);
}

bool session_open(session* s, const char* path, bool foreign, char* error, size_t capacity)
{
	foreign |= lies_below(path, s->settings.gallery);
	if (!lm_mesh_can_read(path))
	{
		int64_t time = file_time(path); // before it is read: it may be written meanwhile
		return open_document(s, read_document(path, foreign, error, capacity), time, path, foreign, error, capacity);
	}
	document* figure = document_of_figure(s, path, foreign, error, capacity);
	return open_made(s, figure, path, foreign, error, capacity) ||
	       open_made(s, document_of_mesh(s, path, foreign, error, capacity), path, foreign, error, capacity);
}

void session_close(session* s)
{
	session_end_pose(s);
	session_end_stroke(s);
	history_clear(s->past);
	session_forget_told(s);
	session_forget_undo(s);
	session_forget_plan(s);
	lm_take_destroy(s->take);
	lm_world_destroy(s->world);
	lm_scene_destroy(s->scene);
	document_destroy(s->scene_document);
	journal_destroy(s->log);
	json_decref(s->recover);
	s->take = NULL, s->world = NULL, s->scene = NULL, s->scene_document = NULL, s->log = NULL, s->recover = NULL;
	s->playing = s->recording = false;
	session_choose_folder(s, NULL, true);
}

// ---- what pages ask for ----

bool session_do_open(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	char path[PATH_CAPACITY];
	const char* name = session_text(json, "scene");
	if (gallery_find(s->shown_gallery, name, path, sizeof path))
		return session_open(s, path, true, error, capacity);
	if (!name_is_safe(name) || !path_join(s->folder, name, path, sizeof path) || !file_exists(path))
		return session_refuse(error, capacity, "there is no scene \"%.80s\", neither in the gallery nor in %s", name,
		                      s->folder);
	return session_open(s, path, false, error, capacity);
}

bool session_do_close(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client, (void)json, (void)error, (void)capacity;
	session_close(s);
	session_greet(s);
	gallery_draw_pictures(s->shown_gallery);
	return true;
}

bool session_do_reload(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client, (void)json;
	char path[PATH_CAPACITY];
	snprintf(path, sizeof path, "%s", s->scene_document->path);
	if (!file_exists(path)) // not written yet: as it is
		return session_make_world(s, error, capacity);
	bool played = s->playing;
	bool good = session_open(s, path, s->scene_document->foreign, error, capacity);
	s->playing = played;
	return good;
}

void session_look_at_file(session* s)
{
	double now = lm_clock_seconds();
	if (s->scene_document == NULL || now - s->file_check_time < 1)
		return;
	s->file_check_time = now;
	int64_t time = file_time(s->scene_document->path);
	if (time == 0 || time == s->file_time)
		return;
	s->file_time = time;
	char error[1024];
	if (s->scene_document->dirty)
		session_tell(s, EVERYBODY, "note",
		             "The scene's file has changed. What was changed here is kept; reload drops it.", NULL, NULL);
	else if (!session_do_reload(s, EVERYBODY, NULL, error, sizeof error))
		session_tell(s, EVERYBODY, "error", error, NULL, NULL);
	else
		session_tell(s, EVERYBODY, "note", "The scene's file has changed: it starts again.", NULL, NULL);
}
