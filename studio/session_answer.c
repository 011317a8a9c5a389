// session_answer.c: finds who handles what a page asks for, and says what went wrong.
#include "session_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Keys of a message beside "do" and "seq", with # before those that are numbers; NULL: commands, which are checked against
// the library's own tables.
static const struct
{
	const char* name;
	bool needs_world;
	session_handler handle;
	const char* keys;
} table[] = {
	{ "grab", true, session_do_command, NULL },
	{ "pin", true, session_do_command, NULL },
	{ "move", true, session_do_command, NULL },
	{ "release", true, session_do_command, NULL },
	{ "push", true, session_do_command, NULL },
	{ "example", true, session_do_command, NULL },
	{ "set", true, session_do_command, NULL },
	{ "command", true, session_do_command, NULL },
	{ "free", true, session_do_command, NULL },
	{ "key", true, session_do_command, NULL },
	{ "remove_key", true, session_do_command, NULL },
	{ "move_key", true, session_do_command, NULL },
	{ "key_handle", true, session_do_command, NULL },
	{ "remove_key_handle", true, session_do_command, NULL },
	{ "play", true, session_do_play, "" },
	{ "pause", true, session_do_pause, "" },
	{ "step", true, session_do_step, "#frames" },
	{ "rewind", true, session_do_rewind, "#frame" },
	{ "speed", true, session_do_speed, "#value" },
	{ "record", true, session_do_record, "on" },
	{ "take", true, session_do_take, "name" },
	{ "keep", true, session_do_keep, "as name overwrite camera" },
	{ "cancel", false, session_do_cancel, "#job" },
	{ "open", false, session_do_open, "scene" },
	{ "close", false, session_do_close, "" },
	{ "reload", true, session_do_reload, "" },
	{ "edit", true, session_do_edit, "path value" },
	{ "edits", true, session_do_edits, "edits label" },
	{ "add", true, session_do_add, "object collider" },
	{ "copy", true, session_do_copy, "path" },
	{ "remove", true, session_do_remove, "path" },
	{ "write", true, session_do_write, "" },
	{ "save", true, session_do_save, "name overwrite" },
	{ "undo", true, session_do_undo, "" },
	{ "redo", true, session_do_redo, "" },
	{ "show", false, session_do_show, "overlay colors lines" },
	{ "recover", true, session_do_recover, "yes" },
	{ "pose", true, session_do_pose, "object on from" },
	{ "handle", true, session_do_handle, "#id #triangle at hard kind #radius #weight" },
	{ "handle_move", true, session_do_handle_move, "#id to rotation" },
	{ "handle_remove", true, session_do_handle_remove, "#id" },
	{ "volume", true, session_do_volume, "on" },
	{ "pose_undo", true, session_do_pose_undo, "" },
	{ "pose_reset", true, session_do_pose_reset, "" },
	{ "keep_pose", true, session_do_keep_pose, "name as #time" },
	{ "paint", true, session_do_paint, "object group vertices values end" },
	{ "paint_open", true, session_do_paint_open, "object group" },
	{ "paint_use", true, session_do_paint_use, "object group as" },
};

// ---- sentences ----

bool session_refuse(char* error, size_t capacity, const char* format, ...)
{
	va_list values;
	va_start(values, format);
	vsnprintf(error, capacity, format, values);
	va_end(values);
	return false;
}

bool session_fail(const lm_error* found, char* error, size_t capacity)
{
	lm_error_format(found, error, capacity);
	return false;
}

void session_send(session* s, int client, json_t* json)
{
	char* dumped = json != NULL ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
	json_decref(json);
	if (dumped != NULL)
		outlet_send(s->out, client, message_of_text(dumped));
	free(dumped);
}

void session_tell(session* s, int client, const char* level, const char* text, json_t* seq, const char* file)
{
	json_t* json = json_pack("{s:s,s:s,s:s}", "kind", "told", "level", level, "text", text);
	if (seq != NULL)
		json_object_set(json, "seq", seq);
	if (file != NULL)
		json_object_set_new(json, "file", json_string(file));
	session_send(s, client, json);
}

// ---- values of a message ----

const char* session_text(const json_t* json, const char* key)
{
	const char* text = json_string_value(json_object_get(json, key));
	return text != NULL ? text : "";
}

double session_number(const json_t* json, const char* key, double usual)
{
	const json_t* value = json_object_get(json, key);
	return json_is_number(value) ? json_number_value(value) : usual;
}

// ---- the answer ----

// How many letters have to be changed, added or left out (Levenshtein 1966); many: words are too long.
static int distance(const char* a, const char* b)
{
	int row[40];
	int length = (int)strlen(b);
	if (length >= 40)
		return 99;
	for (int k = 0; k <= length; ++k)
		row[k] = k;
	for (int i = 1; a[i - 1] != 0; ++i)
	{
		int before = row[0]; // of the last row
		row[0] = i;
		for (int k = 1; k <= length; ++k)
		{
			int change = before + (a[i - 1] != b[k - 1]);
			before = row[k];
			int aside = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
			row[k] = change < aside ? change : aside;
		}
	}
	return row[length];
}

// The word of the list that is nearest to `wanted`, "" when none is near.
static const char* nearest(const char* wanted, const char* const* words, int count)
{
	int least = strlen(wanted) > 4 ? 3 : 2;
	const char* found = "";
	for (int i = 0; i < count; ++i)
		if (distance(wanted, words[i]) < least)
			least = distance(wanted, words[i]), found = words[i];
	return found;
}

#define KEYS_MAX 12

static bool check_key(const char* what, const char* key, const json_t* value, const char* keys, char* error,
                      size_t capacity)
{
	char copy[128];
	const char* words[KEYS_MAX];
	int count = 0;
	snprintf(copy, sizeof copy, "%s", keys);
	char* rest = NULL;
	for (char* word = strtok_r(copy, " ", &rest); word != NULL && count < KEYS_MAX; word = strtok_r(NULL, " ", &rest))
	{
		bool number = word[0] == '#';
		words[count] = word + number;
		if (strcmp(key, words[count++]) != 0)
			continue;
		return !number || json_is_number(value) || session_refuse(error, capacity, "%s: must be a number", key);
	}
	const char* near = nearest(key, words, count);
	return session_refuse(error, capacity, "%s: \"%s\" has no such key%s%s%s", key, what,
	                      near[0] != 0 ? "; did you mean \"" : "", near, near[0] != 0 ? "\"?" : "");
}

static bool check_keys(json_t* json, const char* what, const char* keys, char* error, size_t capacity)
{
	const char* key;
	json_t* value;
	json_object_foreach(json, key, value) if (strcmp(key, "do") != 0 &&
	                                          !check_key(what, key, value, keys, error, capacity)) return false;
	return true;
}

static bool handle(session* s, int client, json_t* json, const char* what, char* error, size_t capacity)
{
	enum
	{
		COUNT = sizeof table / sizeof table[0]
	};
	const char* names[COUNT];
	for (int i = 0; i < COUNT; ++i)
	{
		names[i] = table[i].name;
		if (strcmp(table[i].name, what) != 0)
			continue;
		if (table[i].needs_world && s->world == NULL)
			return session_refuse(error, capacity, "no scene is open");
		return (table[i].keys == NULL || check_keys(json, what, table[i].keys, error, capacity)) &&
		       table[i].handle(s, client, json, error, capacity);
	}
	const char* near = nearest(what, names, COUNT);
	return session_refuse(error, capacity, "there is no \"%.40s\" to do%s%s%s", what,
	                      near[0] != 0 ? "; did you mean \"" : "", near, near[0] != 0 ? "\"?" : "");
}

void session_answer(session* s, int client, json_t* json)
{
	char error[1024] = "";
	const char* what = session_text(json, "do");
	if (strcmp(what, "(left)") == 0)
		session_release_client(s, client);
	else if (strcmp(what, "(joined)") == 0 && s->world == NULL)
		gallery_tell_all(s->shown_gallery, s->out, client);
	else if (strcmp(what, "(joined)") == 0)
		session_show_colors(s);
	else
	{
		json_t* seq = json_incref(json_object_get(json, "seq"));
		json_object_del(json, "seq");
		if (!handle(s, client, json, what, error, sizeof error))
			session_tell(s, client, "error", error, seq, NULL);
		else if (json_is_integer(seq))
			s->newest_command = (uint32_t)json_integer_value(seq);
		json_decref(seq);
	}
	s->state_changed = true;
}
