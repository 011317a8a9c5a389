// session_show.c: what pages see of the world: frames, the state of the studio, marks, colours and lines.
#include "session_inside.h"

#include "limber/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static message* message_of_json(json_t* json)
{
	char* dumped = json != NULL ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
	message* m = dumped != NULL ? message_of_text(dumped) : NULL;
	free(dumped);
	json_decref(json);
	return m;
}

static json_t* numbers(const double* x, int64_t count)
{
	json_t* list = json_array();
	for (int64_t i = 0; i < count; ++i)
		json_array_append_new(list, isfinite(x[i]) ? json_real(x[i]) : json_real(0));
	return list;
}

// ---- marks of a frame ----

static json_t* list_handles(session* s)
{
	json_t* list = json_array();
	for (size_t i = 0; i < s->handle_count; ++i)
	{
		const handle_note* note = &s->handles[i];
		int32_t object;
		double place[3], target[3];
		if (!lm_world_handle(s->world, note->id, &object, place, target))
			continue;
		json_array_append_new(list, json_pack("{s:i,s:i,s:i,s:o,s:o,s:b}", "id", note->id % CLIENT_IDS, "client",
		                                      note->client, "object", object, "at", numbers(place, 3), "to",
		                                      numbers(target, 3), "pin", note->pinned));
	}
	return list;
}

static json_t* marks_of(session* s, int32_t object)
{
	lm_world_marks_view marks;
	lm_error ignored;
	if (lm_world_marks(s->world, object, &marks, &ignored) != LM_OK)
		return json_object();
	json_t* json = json_pack("{s:o,s:o,s:o}", "center", numbers(marks.center, 3), "contacts",
	                         numbers(marks.contacts, 3 * (int64_t)marks.contact_count), "support",
	                         numbers(marks.support, 3 * (int64_t)marks.support_count));
	json_object_set_new(json, "ground", marks.has_ground ? numbers(marks.ground, 3) : json_null());
	json_object_set_new(json, "goal", marks.has_goal ? numbers(marks.goal, 3) : json_null());
	json_t* feet = json_array();
	for (int32_t i = 0; i < marks.foot_count; ++i)
		json_array_append_new(feet, numbers(marks.feet + 3 * i, 3));
	json_object_set_new(json, "feet", feet);
	return json;
}

static message* overlay_message(session* s)
{
	json_t* objects = json_array();
	for (int32_t i = 0; i < lm_world_object_count(s->world); ++i)
		json_array_append_new(objects, marks_of(s, i));
	return message_of_json(json_pack("{s:s,s:I,s:o,s:o}", "kind", "overlay", "frame",
	                                 (json_int_t)lm_world_frame(s->world), "handles", list_handles(s), "objects",
	                                 objects));
}

// ---- lines and colours, on demand ----

static void send_lines(session* s, lm_world_line_kind kind)
{
	for (int32_t i = 0; i < lm_world_object_count(s->world); ++i)
	{
		lm_world_lines_view lines;
		lm_error ignored;
		if (lm_world_lines(s->world, i, kind, &lines, &ignored) == LM_OK && lines.count > 0)
			outlet_send(s->out, EVERYBODY, lines_message(s->world, i, kind, lines.ends, lines.count, s->generation));
	}
}

static void send_colors(session* s, int32_t surface)
{
	lm_world_colors_view colors;
	lm_error ignored;
	if (lm_world_colors(s->world, surface, s->colors, &colors, &ignored) != LM_OK)
		return;
	json_t* names = json_array();
	for (int32_t k = 0; k < colors.name_count; ++k)
	{
		const uint8_t* c = colors.name_rgb + 3 * k;
		json_array_append_new(names, json_pack("{s:s,s:[i,i,i]}", "name", colors.names[k], "rgb", c[0], c[1], c[2]));
	}
	session_send(
		s, EVERYBODY,
		json_pack("{s:s,s:i,s:s,s:o}", "kind", "colors", "surface", surface, "what", s->colors, "names", names));
	outlet_send(s->out, EVERYBODY, colors_message(s->world, surface, colors.rgb, colors.vertex_count, s->generation));
}

void session_show_colors(session* s)
{
	if (s->world == NULL)
		return;
	bool wanted = strcmp(s->colors, "none") != 0;
	for (int32_t i = 0; (wanted || s->colors_shown) && i < lm_world_object_count(s->world); ++i)
		send_colors(s, i);
	s->colors_shown = wanted;
}

// Colours that change with the motion, and lines, go with some of the frames: they are for looking, not for playing.
static void send_extras(session* s)
{
	bool changes = strcmp(s->colors, "weights") == 0 || strcmp(s->colors, "strain") == 0;
	if (lm_world_frame(s->world) % 3 != 0 && s->playing)
		return;
	if (changes)
		session_show_colors(s);
	if (s->lattice_shown)
		send_lines(s, LM_LINES_LATTICE);
	if (s->cage_shown)
		send_lines(s, LM_LINES_CAGE);
}

void session_show_frame(session* s)
{
	if (s->world == NULL)
		return;
	frame_override override = session_pose_override(s);
	message* frame = frame_message(s->world, false, &override, s->generation, s->newest_command);
	outlet_frame(s->out, frame, s->overlay ? overlay_message(s) : NULL);
	send_extras(s);
}

static bool has_line(const json_t* lines, const char* name)
{
	bool found = false;
	for (size_t i = 0; i < json_array_size(lines); ++i)
	{
		const char* text = json_string_value(json_array_get(lines, i));
		found |= text != NULL && strcmp(text, name) == 0;
	}
	return found;
}

static bool check_colors(session* s, const char* what, char* error, size_t capacity)
{
	lm_world_colors_view colors;
	lm_error found = { 0 };
	bool any = false;
	for (int32_t i = 0; !any && s->world != NULL && i < lm_world_object_count(s->world); ++i)
		any = lm_world_colors(s->world, i, what, &colors, &found) == LM_OK;
	return any || s->world == NULL || session_fail(&found, error, capacity);
}

bool session_do_show(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	const char* colors = session_text(json, "colors");
	const json_t* lines = json_object_get(json, "lines");
	s->overlay |= json_is_true(json_object_get(json, "overlay"));
	if (json_is_array(lines))
	{
		s->lattice_shown = has_line(lines, "lattice");
		s->cage_shown = has_line(lines, "cage");
	}
	if (colors[0] != 0)
	{
		if (strlen(colors) >= sizeof s->colors || !check_colors(s, colors, error, capacity))
			return false;
		snprintf(s->colors, sizeof s->colors, "%s", colors);
		session_show_colors(s);
	}
	session_show_frame(s);
	return true;
}

// ---- the state of the studio ----

static json_t* list_marks(const session* s)
{
	json_t* list = json_array();
	for (size_t i = 0; i < s->mark_count; ++i)
		json_array_append_new(list, json_pack("[I,s]", (json_int_t)s->marks[i].frame, s->marks[i].label));
	return list;
}

static void put_label(json_t* state, const char* key, const undo_step* step)
{
	json_object_set_new(state, key, step != NULL ? json_string(step->label) : json_null());
}

// Strengths that were told, and what characters do.
static void put_told(session* s, json_t* state)
{
	json_t *examples = json_object(), *doing = json_object();
	for (int32_t i = 0; i < s->scene->object_count; ++i)
	{
		const lm_scene_object* o = &s->scene->objects[i];
		const char* behaviour = lm_world_behaviour(s->world, i);
		int32_t count = o->match != NULL ? o->match->example_count : 0;
		json_t* list = json_array();
		for (int32_t k = 0; k < count; ++k)
		{
			double strength = lm_world_example(s->world, i, k);
			json_array_append_new(list, isnan(strength) ? json_null() : json_real(strength));
		}
		if (count > 0)
			json_object_set(examples, o->name, list);
		json_decref(list);
		if (behaviour != NULL)
			json_object_set_new(doing, o->name, json_string(behaviour));
	}
	json_object_set_new(state, "examples", examples);
	json_object_set_new(state, "doing", doing);
	json_object_set_new(state, "settings", session_touched(s));
	json_object_set_new(state, "keys", session_list_keys(s));
	json_object_set_new(state, "planned", json_integer(s->plan_count));
}

static void put_world(session* s, json_t* state)
{
	int64_t frame = lm_world_frame(s->world);
	json_object_set_new(state, "frame", json_integer(frame));
	json_object_set_new(state, "frames", json_integer(s->newest));
	json_object_set_new(state, "replaying", json_boolean(frame < s->newest));
	json_object_set_new(state, "dirty", json_boolean(s->scene_document->dirty));
	json_object_set_new(state, "file", json_string(s->scene_document->path));
	json_object_set_new(state, "pose", json_boolean(s->pose != NULL));
	json_object_set_new(state, "marks", list_marks(s));
	put_label(state, "undo", s->undo_count > 0 ? &s->undo[s->undo_count - 1] : NULL);
	put_label(state, "redo", s->redo_count > 0 ? &s->undo[s->undo_count] : NULL);
	if (s->busy[0] == 0) // while a step is under way nobody may look inside
		put_told(s, state);
}

void session_show_state(session* s, bool at_once)
{
	double now = lm_clock_seconds();
	if (!at_once && (!s->state_changed || now - s->state_time < 0.1))
		return;
	s->state_time = now;
	s->state_changed = false;
	json_t* state = json_pack("{s:s,s:b,s:f,s:b,s:f,s:f}", "kind", "state", "playing", s->playing, "speed", s->speed,
	                          "recording", s->recording, "real", s->real, "ms", 1000 * s->frame_seconds);
	json_object_set_new(state, "busy",
	                    s->busy[0] != 0 ? json_pack("{s:s,s:f}", "what", s->busy, "done", s->busy_done) : json_null());
	json_object_set_new(state, "jobs", jobs_list(s->work));
	if (s->world != NULL)
		put_world(s, state);
	if (s->takes_changed && s->world != NULL)
	{
		session_send(s, EVERYBODY, json_pack("{s:s,s:o}", "kind", "takes", "takes", session_list_takes(s)));
		s->takes_changed = false;
	}
	outlet_state(s->out, message_of_json(state));
}
