// session_transport.c: playing, going back, recording, and the takes in the folder.
#include "session_inside.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAKE_MAX ((size_t)256 << 20) // bytes
#define TAKES_LISTED 100

bool session_do_play(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client, (void)json;
	if (s->pose != NULL)
		return session_refuse(error, capacity, "the world stands still while a pose is made");
	if (session_is_over(s) && !session_go_to(s, 0, error, capacity)) // again, from the beginning
		return false;
	s->playing = true;
	session_pace(s);
	return true;
}

bool session_do_pause(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client, (void)json, (void)error, (void)capacity;
	s->playing = false;
	return true;
}

bool session_do_step(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	double frames = session_number(json, "frames", 1);
	if (!(fabs(frames) >= 1 && fabs(frames) <= 1000))
		return session_refuse(error, capacity, "frames is %g, must be between 1 and 1000, or negative", frames);
	s->playing = false;
	if (frames < 0)
		return session_go_to(s, lm_world_frame(s->world) + (int64_t)frames, error, capacity);
	bool good = true;
	for (int64_t i = 0; good && i < (int64_t)frames && atomic_load(&s->stopping) == 0; ++i)
	{
		good = session_step(s, error, capacity);
		session_show_frame(s);
		session_show_state(s, false);
	}
	return good;
}

bool session_do_rewind(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	double frame = session_number(json, "frame", 0);
	if (!(frame >= 0 && frame <= 1e9))
		return session_refuse(error, capacity, "frame is %g, must be at least 0", frame);
	return session_go_to(s, (int64_t)frame, error, capacity);
}

bool session_do_speed(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	double speed = session_number(json, "value", 1);
	if (!(speed >= 1.0 / 64 && speed <= 64))
		return session_refuse(error, capacity, "the speed is %g, must be between 1/64 and 64", speed);
	s->speed = speed;
	session_pace(s);
	return true;
}

// ---- takes ----

bool session_save_take(session* s, const char* stem, bool overwrite, char* path, size_t path_capacity, char* error,
                       size_t capacity)
{
	char name[300];
	lm_error found;
	if (s->take == NULL)
		return session_refuse(error, capacity, "out of memory");
	snprintf(name, sizeof name, "%s.take", stem);
	bool named = folder_make(s->folder) && (overwrite ? path_join(s->folder, name, path, path_capacity)
	                                                  : path_fresh(s->folder, stem, ".take", path, path_capacity));
	if (!named)
		return session_refuse(error, capacity, "%s: the folder cannot be made: %s", s->folder, strerror(errno));
	if (lm_take_write(s->take, s->world, path, &found) != LM_OK)
		return session_fail(&found, error, capacity);
	s->takes_changed = true;
	return true;
}

bool session_do_record(session* s, int client, json_t* json, char* error, size_t capacity)
{
	bool on = json_is_true(json_object_get(json, "on"));
	char path[PATH_CAPACITY], stem[256], name[300];
	if (on == s->recording)
		return true;
	s->recording = on;
	if (on)
	{
		session_punch_in(s);
		s->playing = s->pose == NULL;
		return true;
	}
	lm_error ignored;
	if (s->take != NULL && lm_world_frame(s->world) == s->newest)
		lm_take_mark(s->take, s->world, &ignored);
	path_stem(s->scene_document->path, stem, sizeof stem);
	snprintf(name, sizeof name, "%s-take", stem);
	if (!session_save_take(s, name, false, path, sizeof path, error, capacity))
		return false;
	session_tell(s, client, "saved", path, NULL, path_name(path));
	return true;
}

// ---- reading them ----

typedef struct take_facts
{
	long long frames, commands;
	bool good;
} take_facts;

// Goes through the lines of a take; `each` may be NULL.
static take_facts scan_take(const char* path, void (*each)(session* s, json_t* line), session* s)
{
	take_facts facts = { 0 };
	size_t size;
	char* text = file_read(path, TAKE_MAX, &size);
	for (char* line = text; line != NULL && *line != 0;)
	{
		char* end = strchr(line, '\n');
		if (end != NULL)
			*end = 0;
		json_t* json = json_loads(line, 0, NULL);
		bool head = json_object_get(json, "take") != NULL;
		facts.good |= head;
		if (json_object_get(json, "do") != NULL)
			++facts.commands;
		long long frame = json_integer_value(json_object_get(json, "frame"));
		facts.frames = frame > facts.frames ? frame : facts.frames;
		if (each != NULL && !head)
			each(s, json);
		json_decref(json);
		line = end != NULL ? end + 1 : NULL;
	}
	free(text);
	return facts;
}

static int compare_names(const void* a, const void* b)
{
	return strcmp(*(char* const*)a, *(char* const*)b);
}

json_t* session_list_takes(session* s)
{
	json_t* list = json_array();
	DIR* folder = opendir(s->folder);
	char* names[TAKES_LISTED];
	int count = 0;
	for (struct dirent* entry; folder != NULL && count < TAKES_LISTED && (entry = readdir(folder)) != NULL;)
		if (name_has_ending(entry->d_name, ".take") && name_is_safe(entry->d_name))
			names[count++] = strdup(entry->d_name);
	if (folder != NULL)
		closedir(folder);
	qsort(names, (size_t)count, sizeof names[0], compare_names);
	for (int i = 0; i < count; ++i)
	{
		char path[PATH_CAPACITY];
		take_facts facts = { 0 };
		if (names[i] != NULL && path_join(s->folder, names[i], path, sizeof path))
			facts = scan_take(path, NULL, s);
		if (facts.good)
			json_array_append_new(list, json_pack("{s:s,s:I,s:I}", "name", names[i], "frames", (json_int_t)facts.frames,
			                                      "commands", (json_int_t)facts.commands));
		free(names[i]);
	}
	return list;
}

static void note_line(session* s, json_t* line)
{
	const char* what = session_text(line, "do");
	if (what[0] == 0 || strcmp(what, "move") == 0 || s->mark_count == s->mark_capacity)
		return;
	mark* m = &s->marks[s->mark_count++];
	const char* behaviour = session_text(line, "behaviour");
	m->frame = json_integer_value(json_object_get(line, "frame"));
	snprintf(m->label, sizeof m->label, "%s", behaviour[0] != 0 ? behaviour : what);
}

// The take in a file becomes the performance: from the first frame on the world follows it.
bool session_load_take(session* s, const char* path, char* error, size_t capacity)
{
	lm_take* take;
	lm_error found = { 0 };
	if (lm_take_read(path, s->world, &take, &found) != LM_OK)
		return session_fail(&found, error, capacity);
	if (lm_take_fits(take, s->world, &found) != LM_OK || !session_go_to(s, 0, error, capacity))
	{
		lm_take_destroy(take);
		return found.status != LM_OK ? session_fail(&found, error, capacity) : false;
	}
	session_forget_told(s);
	session_forget_plan(s); // it has its own
	take_facts facts = scan_take(path, NULL, s);
	mark* marks = realloc(s->marks, ((size_t)facts.commands + 1) * sizeof *marks);
	if (marks != NULL)
	{
		s->marks = marks;
		s->mark_capacity = (size_t)facts.commands + 1;
		scan_take(path, note_line, s);
	}
	lm_take_destroy(s->take);
	s->take = take;
	history_cut(s->past, 0);
	s->newest = lm_take_frames(take);
	return true;
}

bool session_do_take(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	char path[PATH_CAPACITY];
	const char* name = session_text(json, "name");
	if (!name_is_safe(name) || !name_has_ending(name, ".take") || !path_join(s->folder, name, path, sizeof path))
		return session_refuse(error, capacity, "there is no take \"%.80s\"", name);
	return session_load_take(s, path, error, capacity);
}
