// session_command.c: what a hand or a key tells the world; every word of it goes into the take.
#include "session_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(void** items, size_t* capacity, size_t count, size_t size)
{
	if (count < *capacity)
		return true;
	size_t wanted = 2 * count + 16;
	void* grown = realloc(*items, wanted * size);
	if (grown == NULL)
		return false;
	*items = grown;
	*capacity = wanted;
	return true;
}

// ---- notes ----

static void note_mark(session* s, const lm_command* command, const char* what)
{
	void* marks = s->marks;
	if (command->kind == LM_COMMAND_MOVE || !grow(&marks, &s->mark_capacity, s->mark_count, sizeof(mark)))
		return;
	s->marks = marks;
	mark* m = &s->marks[s->mark_count++];
	m->frame = lm_world_frame(s->world);
	const char* behaviour = command->kind == LM_COMMAND_DO ? lm_world_behaviour(s->world, command->object) : NULL;
	snprintf(m->label, sizeof m->label, "%s", behaviour != NULL ? behaviour : what);
}

static handle_note* find_note(session* s, int32_t id)
{
	for (size_t i = 0; i < s->handle_count; ++i)
		if (s->handles[i].id == id)
			return &s->handles[i];
	return NULL;
}

static void note_handle(session* s, int client, const lm_command* command)
{
	handle_note* note = find_note(s, command->id);
	void* handles = s->handles;
	if (command->kind == LM_COMMAND_RELEASE && note != NULL)
		note->client = -1;
	if (command->kind != LM_COMMAND_GRAB && command->kind != LM_COMMAND_PIN)
		return;
	if (note == NULL && grow(&handles, &s->handle_capacity, s->handle_count, sizeof *note))
	{
		s->handles = handles;
		note = &s->handles[s->handle_count++];
	}
	if (note != NULL)
		*note = (handle_note){ command->id, client, command->kind == LM_COMMAND_PIN };
}

void session_note_touched(session* s, const lm_command* command)
{
	size_t i = 0;
	while (i < s->touched_count &&
	       (s->touched[i].object != command->object || strcmp(s->touched[i].key, command->key) != 0))
		++i;
	void* touched = s->touched;
	if (i == s->touched_count && !grow(&touched, &s->touched_capacity, s->touched_count, sizeof *s->touched))
		return;
	s->touched = touched;
	s->touched_count += i == s->touched_count;
	touched_setting* t = &s->touched[i];
	t->object = command->object;
	snprintf(t->key, sizeof t->key, "%s", command->key);
	memcpy(t->last, command->value, sizeof t->last);
}

void session_forget_told(session* s)
{
	s->handle_count = s->mark_count = s->touched_count = 0;
}

// {"bear": {"beta": 0.9}}: the settings that were changed, as they are now.
json_t* session_touched(session* s)
{
	json_t* all = json_object();
	for (size_t i = 0; i < s->touched_count; ++i)
	{
		double value[4];
		const touched_setting* t = &s->touched[i];
		int32_t width = lm_world_setting(s->world, t->object, t->key, value);
		const char* name = s->scene->objects[t->object].name;
		json_t* object = json_object_get(all, name);
		if (object == NULL)
			json_object_set_new(all, name, object = json_object());
		json_t* list = json_array();
		for (int32_t k = 0; k < width; ++k)
			json_array_append_new(list, json_real(value[k]));
		json_object_set(object, t->key, width == 1 ? json_array_get(list, 0) : list);
		json_decref(list);
	}
	return all;
}

// ---- commands ----

// Pages choose ids of their own; the world needs one for each.
static bool make_id_unique(int client, json_t* json, char* error, size_t capacity)
{
	const json_t* id = json_object_get(json, "id");
	json_int_t own = json_integer_value(id);
	if (id == NULL)
		return true;
	if (!json_is_integer(id) || own < 0 || own >= CLIENT_IDS)
		return session_refuse(error, capacity, "id must be a whole number between 0 and %d", CLIENT_IDS - 1);
	json_object_set_new(json, "id", json_integer((json_int_t)(client % 90000) * CLIENT_IDS + own));
	return true;
}

// With the page's own number of it.
static bool has_handle(session* s, const lm_command* command, char* error, size_t capacity)
{
	int32_t object;
	double place[3], target[3];
	return (command->kind != LM_COMMAND_MOVE && command->kind != LM_COMMAND_RELEASE) ||
	       lm_world_handle(s->world, command->id, &object, place, target) ||
	       session_refuse(error, capacity, "there is no grab or pin %d", command->id % CLIENT_IDS);
}

static bool parse(session* s, json_t* json, lm_command* command, char* error, size_t capacity)
{
	char* text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
	lm_error found = { .message = "out of memory" };
	bool good = text != NULL && lm_command_parse(s->world, text, strlen(text), command, &found) == LM_OK;
	free(text);
	return good || session_fail(&found, error, capacity);
}

bool session_do_command(session* s, int client, json_t* json, char* error, size_t capacity)
{
	lm_command command;
	char what[32];
	double before[4] = { 0 };
	snprintf(what, sizeof what, "%s", session_text(json, "do"));
	if (!make_id_unique(client, json, error, capacity) || !parse(s, json, &command, error, capacity) ||
	    !has_handle(s, &command, error, capacity))
		return false;
	if (session_plans(s, &command))
	{
		if (!session_plan(s, &command, 1, error, capacity))
			return false;
		session_note_plan(s, &command, 1, what);
		return true;
	}
	int32_t width =
		command.kind == LM_COMMAND_SET ? lm_world_setting(s->world, command.object, command.key, before) : 0;
	if (!session_tell_world(s, client, &command, error, capacity))
		return false;
	note_mark(s, &command, what);
	note_handle(s, client, &command);
	if (command.kind == LM_COMMAND_SET)
	{
		session_note_touched(s, &command);
		session_note_setting(s, &command, before, width);
	}
	return true;
}

void session_release_client(session* s, int client)
{
	char ignored[512];
	for (size_t i = 0; s->world != NULL && i < s->handle_count; ++i)
	{
		if (s->handles[i].client != client || s->handles[i].pinned)
			continue;
		lm_command release = lm_command_default(LM_COMMAND_RELEASE);
		release.id = s->handles[i].id;
		s->handles[i].client = -1;
		int32_t object;
		double place[3], target[3];
		if (lm_world_handle(s->world, release.id, &object, place, target))
			session_tell_world(s, client, &release, ignored, sizeof ignored);
	}
}
