// session_edit.c: changes of the scene itself. The document is the truth: every edit makes the world anew from it, and
// one that the scene's checks refuse is taken back. Edits and live settings share one list of undo. What was performed
// before an edit is kept as a take, and live settings stay as they are.
#include "session_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the list of undo ----

static void release(undo_step* step)
{
	free(step->before);
	free(step->after);
	free(step->plan);
	*step = (undo_step){ 0 };
}

void session_forget_undo(session* s)
{
	for (int i = 0; i < s->undo_count + s->redo_count; ++i)
		release(&s->undo[i]);
	s->undo_count = s->redo_count = 0;
}

// Room for a new step: what could be redone is gone, and the oldest when there are too many.
static undo_step* add_step(session* s, const char* label)
{
	for (int i = 0; i < s->redo_count; ++i)
		release(&s->undo[s->undo_count + i]);
	s->redo_count = 0;
	if (s->undo_count == UNDO_MAX)
	{
		release(&s->undo[0]);
		memmove(s->undo, s->undo + 1, (UNDO_MAX - 1) * sizeof s->undo[0]);
		s->undo[--s->undo_count] = (undo_step){ 0 };
	}
	undo_step* step = &s->undo[s->undo_count++];
	*step = (undo_step){ 0 };
	snprintf(step->label, sizeof step->label, "%s", label);
	return step;
}

// A slider that is dragged makes one step, not a hundred.
void session_note_setting(session* s, const lm_command* command, const double from[4], int32_t width)
{
	undo_step* last = s->undo_count > 0 && s->redo_count == 0 ? &s->undo[s->undo_count - 1] : NULL;
	bool same = last != NULL && last->before == NULL && last->plan == NULL && last->object == command->object &&
	            strcmp(last->key, command->key) == 0;
	if (!same)
	{
		last = add_step(s, command->key);
		last->object = command->object;
		last->width = width;
		snprintf(last->key, sizeof last->key, "%s", command->key);
		memcpy(last->from, from, sizeof last->from);
	}
	memcpy(last->to, command->value, sizeof last->to);
}

// A handle that is dragged, likewise, for whoever takes it back.
void session_note_plan(session* s, const lm_command* commands, int32_t count, const char* label)
{
	lm_command* copy = malloc(((size_t)count + 1) * sizeof *copy);
	if (copy == NULL)
		return;
	undo_step* step = add_step(s, label);
	memcpy(copy, commands, (size_t)count * sizeof *copy);
	step->plan = copy, step->plan_count = count;
}

static bool set_again(session* s, const undo_step* step, const double value[4], char* error, size_t capacity)
{
	lm_command command = lm_command_default(LM_COMMAND_SET);
	command.object = step->object;
	snprintf(command.key, sizeof command.key, "%s", step->key);
	memcpy(command.value, value, sizeof command.value);
	if (!session_tell_world(s, EVERYBODY, &command, error, capacity))
		return false;
	session_note_touched(s, &command);
	return true;
}

// ---- the world anew ----

// Settings alone are no performance.
static bool has_performance(const session* s)
{
	bool has = false;
	for (size_t i = 0; i < s->mark_count; ++i)
		has |= strcmp(s->marks[i].label, "set") != 0 && strcmp(s->marks[i].label, "free") != 0;
	return has && s->newest > 0;
}

// Into a file of its own; "" when there is nothing to keep.
static void keep_performance(session* s, char* path, size_t capacity)
{
	char stem[256], name[300], error[512];
	path[0] = 0;
	if (!has_performance(s))
		return;
	path_stem(s->scene_document->path, stem, sizeof stem);
	snprintf(name, sizeof name, "%s-take", stem);
	if (!session_save_take(s, name, false, path, capacity, error, sizeof error))
		path[0] = 0;
}

// A setting that was told live, by the name of its object: the new world counts them anew.
typedef struct live_setting
{
	char name[96];
	touched_setting setting;
} live_setting;

static live_setting* list_live_settings(const session* s)
{
	live_setting* list = calloc(s->touched_count + 1, sizeof *list);
	for (size_t i = 0; list != NULL && i < s->touched_count; ++i)
	{
		list[i].setting = s->touched[i];
		snprintf(list[i].name, sizeof list[i].name, "%s", s->scene->objects[s->touched[i].object].name);
	}
	return list;
}

// They are told again, where the new world has the same object.
static void tell_settings_again(session* s, const live_setting* list, size_t count)
{
	char ignored[512];
	for (size_t i = 0; list != NULL && i < count; ++i)
	{
		lm_command command = lm_command_default(LM_COMMAND_SET);
		command.object = lm_world_find_object(s->world, list[i].name);
		snprintf(command.key, sizeof command.key, "%s", list[i].setting.key);
		memcpy(command.value, list[i].setting.last, sizeof command.value);
		if (command.object >= 0 && session_tell_world(s, EVERYBODY, &command, ignored, sizeof ignored))
			session_note_touched(s, &command);
	}
}

static bool make_world(session* s, char* error, size_t capacity)
{
	char path[PATH_CAPACITY], text[PATH_CAPACITY + 100];
	size_t count = s->touched_count;
	live_setting* settings = list_live_settings(s);
	keep_performance(s, path, sizeof path);
	bool good = session_make_world(s, error, capacity);
	if (good)
		tell_settings_again(s, settings, count);
	else if (path[0] != 0)
		unlink(path);
	free(settings);
	snprintf(text, sizeof text, "The performance so far is kept as %s: Takes plays it, once the scene is as it was.",
	         path_name(path));
	if (good && path[0] != 0)
		session_tell(s, EVERYBODY, "note", text, NULL, NULL);
	return good;
}

static bool apply_text(session* s, const char* text, char* error, size_t capacity)
{
	return document_replace(s->scene_document, text) && make_world(s, error, capacity);
}

// The step, done (again) or taken back.
static bool apply_step(session* s, const undo_step* step, bool back, char* error, size_t capacity)
{
	const char* text = back ? step->before : step->after;
	if (text == NULL && step->plan != NULL)
		return back ? session_unplan(s, step->plan_count, error, capacity)
		            : session_plan(s, step->plan, step->plan_count, error, capacity);
	if (text == NULL)
		return set_again(s, step, back ? step->from : step->to, error, capacity);
	if (step->plan != NULL && !session_put_plan(s, step->plan, back ? step->plan_count : 0))
		return session_refuse(error, capacity, "out of memory");
	return apply_text(s, text, error, capacity);
}

bool session_do_undo(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client, (void)json;
	if (s->undo_count == 0)
		return session_refuse(error, capacity, "there is nothing to undo");
	undo_step* step = &s->undo[s->undo_count - 1];
	if (!apply_step(s, step, true, error, capacity))
		return false;
	--s->undo_count, ++s->redo_count;
	return true;
}

bool session_do_redo(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client, (void)json;
	if (s->redo_count == 0)
		return session_refuse(error, capacity, "there is nothing to redo");
	undo_step* step = &s->undo[s->undo_count];
	if (!apply_step(s, step, false, error, capacity))
		return false;
	++s->undo_count, --s->redo_count;
	return true;
}

// ---- edits ----

bool session_bring_home(session* s, char* error, size_t capacity)
{
	char folder[PATH_CAPACITY];
	document* d = s->scene_document;
	path_folder(d->path, folder, sizeof folder);
	if (!d->foreign && (s->settings.into == NULL || path_is_same(folder, s->folder)))
		return true;
	if (!document_move(d, s->folder, s->scene->files, s->scene->file_count))
		return session_refuse(error, capacity, "%s: the folder cannot be made: %s", s->folder, strerror(errno));
	s->file_time = 0;
	return true;
}

static bool apply_edits(session* s, json_t* edits, char* error, size_t capacity)
{
	bool good = json_array_size(edits) > 0 || session_refuse(error, capacity, "there are no edits");
	for (size_t i = 0; good && i < json_array_size(edits); ++i)
	{
		json_t* edit = json_array_get(edits, i);
		good = document_edit(s->scene_document, json_object_get(edit, "path"), json_object_get(edit, "value"), error,
		                     capacity);
	}
	return good && make_world(s, error, capacity);
}

bool session_edit(session* s, json_t* edits, const char* label, char* error, size_t capacity)
{
	char sentence[1024];
	if (!session_bring_home(s, error, capacity))
		return false;
	char* before = strdup(s->scene_document->text);
	bool dirty = s->scene_document->dirty, played = s->playing;
	if (before == NULL)
		return session_refuse(error, capacity, "out of memory");
	if (!apply_edits(s, edits, sentence, sizeof sentence))
	{
		document_replace(s->scene_document, before);
		s->scene_document->dirty = dirty;
		free(before);
		return session_refuse(error, capacity, "%s", sentence);
	}
	s->playing = played;
	undo_step* step = add_step(s, label);
	step->before = before;
	step->after = strdup(s->scene_document->text);
	return true;
}

bool session_do_edit(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	json_t* path = json_object_get(json, "path");
	const char* last = json_string_value(json_array_get(path, json_array_size(path) - (json_array_size(path) > 0)));
	json_t* edits = json_pack("[O]", json);
	bool good = session_edit(s, edits, last != NULL ? last : "edit", error, capacity);
	json_decref(edits);
	return good;
}

bool session_do_edits(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	const char* label = session_text(json, "label");
	return session_edit(s, json_object_get(json, "edits"), label[0] != 0 ? label : "edit", error, capacity);
}

// ---- into the scene, and to the disk ----

// Keys that commands have put become those of the document, which then needs no commands for them.
static bool write_keys(session* s, char* error, size_t capacity)
{
	char* text = NULL;
	lm_error found;
	document* d = s->scene_document;
	if (!session_bring_home(s, error, capacity))
		return false;
	if (lm_world_keys_scene(s->world, d->text, strlen(d->text), &text, &found) != LM_OK)
		return session_fail(&found, error, capacity);
	char *before = strdup(d->text), *after = strdup(text);
	lm_text_free(&s->host, text);
	int32_t count = s->plan_count;
	lm_command* plan = s->plan;
	s->plan = NULL, s->plan_count = 0;
	if (before == NULL || after == NULL || !apply_text(s, after, error, capacity))
	{
		s->plan = plan, s->plan_count = count;
		free(before);
		free(after);
		return false;
	}
	d->dirty = true;
	undo_step* step = add_step(s, "write keys");
	step->before = before, step->after = after, step->plan = plan, step->plan_count = count;
	return true;
}

// As told last, whatever frame is shown.
static json_t* last_told(session* s, const touched_setting* t)
{
	double now[4];
	int32_t width = lm_world_setting(s->world, t->object, t->key, now);
	if (width <= 1)
		return json_real(t->last[0]);
	json_t* list = json_array();
	for (int32_t k = 0; k < width; ++k)
		json_array_append_new(list, json_real(t->last[k]));
	return list;
}

// Live values of settings become those of the document.
bool session_do_write(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)json;
	json_t* edits = json_array();
	for (size_t i = 0; i < s->touched_count; ++i)
	{
		const touched_setting* t = &s->touched[i];
		json_array_append_new(edits, json_pack("{s:[s,i,s,s],s:o}", "path", "objects", t->object,
		                                       s->scene->objects[t->object].engine, t->key, "value", last_told(s, t)));
	}
	bool any = json_array_size(edits) > 0, keys = s->plan_count > 0;
	bool good = any || keys || session_refuse(error, capacity, "no setting and no key was changed");
	if (good && keys)
		good = write_keys(s, error, capacity);
	size_t touched = s->touched_count;
	s->touched_count = 0; // the scene has them now
	if (good && any)
		good = session_edit(s, edits, "write settings", error, capacity);
	if (!good)
		s->touched_count = touched;
	json_decref(edits);
	if (good)
		session_tell(s, client, "note", "What was changed is part of the scene now.", NULL, NULL);
	return good;
}

bool session_save(session* s, const char* name, bool overwrite, char* error, size_t capacity)
{
	document* d = s->scene_document;
	char path[PATH_CAPACITY], stem[256];
	if (name[0] != 0 && (!name_is_safe(name) || strchr(name, '.') != NULL))
		return session_refuse(error, capacity, "\"%.60s\": a name has letters, digits and dashes only", name);
	if (!session_bring_home(s, error, capacity))
		return false;
	path_stem(d->path, stem, sizeof stem);
	snprintf(path, sizeof path, "%s", d->path);
	if (name[0] != 0)
	{
		char file[300];
		snprintf(file, sizeof file, "%s.json", name);
		path_join(s->folder, file, path, sizeof path);
	}
	bool own = strcmp(path, d->path) == 0 && s->file_time == 0; // made here, and not on the disk before
	if (file_exists(path) && !overwrite && !own)
		return session_refuse(error, capacity, "%s is there already; save under another name, or say overwrite", path);
	if (!folder_make(s->folder) || !file_write(path, d->text, strlen(d->text)))
		return session_refuse(error, capacity, "%s: cannot be written: %s", path, strerror(errno));
	char* copy = strdup(path);
	if (copy != NULL)
	{
		free(d->path);
		d->path = copy;
	}
	d->dirty = false;
	s->file_time = file_time(path);
	session_greet(s);
	return true;
}

bool session_do_save(session* s, int client, json_t* json, char* error, size_t capacity)
{
	const char* name = session_text(json, "name");
	if (!session_save(s, name, json_is_true(json_object_get(json, "overwrite")), error, capacity))
		return false;
	session_tell(s, client, "saved", s->scene_document->path, NULL, path_name(s->scene_document->path));
	return true;
}
