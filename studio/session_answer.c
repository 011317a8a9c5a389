// session_answer.c: finds who handles what a page asks for, and says what went wrong.
#include "session_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct
{
	const char* name;
	bool needs_world;
	session_handler handle;
} table[] = {
	{ "grab", true, session_do_command },
	{ "pin", true, session_do_command },
	{ "move", true, session_do_command },
	{ "release", true, session_do_command },
	{ "push", true, session_do_command },
	{ "example", true, session_do_command },
	{ "set", true, session_do_command },
	{ "command", true, session_do_command },
	{ "free", true, session_do_command },
	{ "key", true, session_do_command },
	{ "remove_key", true, session_do_command },
	{ "move_key", true, session_do_command },
	{ "key_handle", true, session_do_command },
	{ "remove_key_handle", true, session_do_command },
	{ "play", true, session_do_play },
	{ "pause", true, session_do_pause },
	{ "step", true, session_do_step },
	{ "rewind", true, session_do_rewind },
	{ "speed", true, session_do_speed },
	{ "record", true, session_do_record },
	{ "take", true, session_do_take },
	{ "keep", true, session_do_keep },
	{ "cancel", false, session_do_cancel },
	{ "open", false, session_do_open },
	{ "close", false, session_do_close },
	{ "reload", true, session_do_reload },
	{ "edit", true, session_do_edit },
	{ "edits", true, session_do_edits },
	{ "add", true, session_do_add },
	{ "copy", true, session_do_copy },
	{ "remove", true, session_do_remove },
	{ "write", true, session_do_write },
	{ "save", true, session_do_save },
	{ "undo", true, session_do_undo },
	{ "redo", true, session_do_redo },
	{ "show", false, session_do_show },
	{ "recover", true, session_do_recover },
	{ "pose", true, session_do_pose },
	{ "handle", true, session_do_handle },
	{ "handle_move", true, session_do_handle_move },
	{ "handle_remove", true, session_do_handle_remove },
	{ "volume", true, session_do_volume },
	{ "pose_undo", true, session_do_pose_undo },
	{ "pose_reset", true, session_do_pose_reset },
	{ "keep_pose", true, session_do_keep_pose },
	{ "paint", true, session_do_paint },
	{ "paint_open", true, session_do_paint_open },
	{ "paint_use", true, session_do_paint_use },
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

static bool handle(session* s, int client, json_t* json, const char* what, char* error, size_t capacity)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
	{
		if (strcmp(table[i].name, what) != 0)
			continue;
		if (table[i].needs_world && s->world == NULL)
			return session_refuse(error, capacity, "no scene is open");
		return table[i].handle(s, client, json, error, capacity);
	}
	return session_refuse(error, capacity, "there is no \"%.40s\" to do", what);
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
