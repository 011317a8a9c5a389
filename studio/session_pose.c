// session_pose.c: pose mode (Adams et al. 2009, Sec. 5). The world stands still, handles are put on the surface of one
// object and dragged, and each move of the hand is one posing step. The pose is kept as an example of `match` or `act`,
// or as a key of `design`, and the scene starts again with it.
#include "session_inside.h"

#include "limber/pose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pose_mode
{
	int32_t object;
	lm_pose_session* posed;
	lm_pose_report report;
	bool settled;
};

void session_end_pose(session* s)
{
	if (s->pose == NULL)
		return;
	lm_pose_session_destroy(s->pose->posed);
	free(s->pose);
	s->pose = NULL;
}

frame_override session_pose_override(session* s)
{
	if (s->pose == NULL)
		return (frame_override){ .surface = -1 };
	return (frame_override){ s->pose->object, lm_pose_session_positions(s->pose->posed) };
}

// ---- what pages see of it ----

static json_t* vector(const double v[3])
{
	return json_pack("[f,f,f]", v[0], v[1], v[2]);
}

static void show_pose(session* s)
{
	const struct pose_mode* p = s->pose;
	json_t* handles = json_array();
	for (int32_t i = 0; i < lm_pose_session_handle_count(p->posed); ++i)
	{
		lm_pose_handle h = lm_pose_session_handle(p->posed, i);
		json_array_append_new(handles, json_pack("{s:i,s:o,s:o,s:b}", "id", h.id, "at", vector(h.at), "to",
		                                         vector(h.to), "hard", h.hard));
	}
	session_send(s, EVERYBODY,
	             json_pack("{s:s,s:s,s:o,s:f,s:f,s:b}", "kind", "pose", "object", s->scene->objects[p->object].name,
	                       "handles", handles, "ms", 1000 * p->report.seconds, "energy", p->report.energy, "undo",
	                       lm_pose_session_can_undo(p->posed)));
	session_show_frame(s);
}

static void take_step(session* s)
{
	double before = s->pose->report.energy;
	s->pose->report = lm_pose_session_step(s->pose->posed);
	double change = before - s->pose->report.energy;
	s->pose->settled = s->pose->report.converged || (change >= 0 && change <= 1e-6 * before);
	show_pose(s);
}

bool session_go_on_posing(session* s)
{
	if (s->pose == NULL || s->pose->settled)
		return false;
	take_step(s);
	return true;
}

// After each change of the handles. Results of the library come in as they are.
static bool follow(session* s, lm_status status, const lm_error* found, char* error, size_t capacity)
{
	if (status != LM_OK)
		return session_fail(found, error, capacity);
	take_step(s);
	s->pose->settled = false;
	return true;
}

static bool needs_pose(session* s, char* error, size_t capacity)
{
	return s->pose != NULL || session_refuse(error, capacity, "no pose is being made");
}

// ---- what pages ask for ----

bool session_do_pose(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	lm_error found;
	session_end_pose(s);
	if (json_is_false(json_object_get(json, "on")))
	{
		session_show_frame(s);
		return true;
	}
	int32_t object = lm_world_find_object(s->world, session_text(json, "object"));
	if (object < 0)
		return session_refuse(error, capacity, "there is no object \"%.60s\"", session_text(json, "object"));
	lm_pose_start from = strcmp(session_text(json, "from"), "now") == 0 ? LM_POSE_NOW : LM_POSE_REST;
	struct pose_mode* p = calloc(1, sizeof *p);
	if (p == NULL)
		return session_refuse(error, capacity, "out of memory");
	lm_status status = lm_pose_session_create(s->world, object, from, &p->posed, &found);
	s->busy[0] = 0;
	if (status != LM_OK)
	{
		free(p);
		return session_fail(&found, error, capacity);
	}
	p->object = object;
	p->settled = true;
	s->pose = p;
	s->playing = false;
	show_pose(s);
	return true;
}

static bool read_numbers(const json_t* json, const char* key, double* values, size_t count)
{
	const json_t* list = json_object_get(json, key);
	bool good = json_array_size(list) == count;
	for (size_t i = 0; good && i < count; ++i)
	{
		good = json_is_number(json_array_get(list, i));
		values[i] = json_number_value(json_array_get(list, i));
	}
	return good;
}

bool session_do_handle(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	lm_error found;
	lm_pose_grip grip = lm_pose_grip_default();
	if (!needs_pose(s, error, capacity))
		return false;
	if (!read_numbers(json, "at", grip.place, 3))
		return session_refuse(error, capacity, "at must be a list of 3 numbers");
	grip.id = (int32_t)session_number(json, "id", 0);
	grip.triangle = (int32_t)session_number(json, "triangle", -1);
	grip.radius = session_number(json, "radius", grip.radius);
	grip.weight = session_number(json, "weight", grip.weight);
	grip.hard = json_is_true(json_object_get(json, "hard"));
	return follow(s, lm_pose_session_put(s->pose->posed, &grip, &found), &found, error, capacity);
}

bool session_do_handle_move(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	lm_error found;
	double to[3], rotation[4];
	if (!needs_pose(s, error, capacity))
		return false;
	if (!read_numbers(json, "to", to, 3))
		return session_refuse(error, capacity, "to must be a list of 3 numbers");
	bool turned = json_object_get(json, "rotation") != NULL;
	if (turned && !read_numbers(json, "rotation", rotation, 4))
		return session_refuse(error, capacity, "rotation must be a list of 4 numbers");
	int32_t id = (int32_t)session_number(json, "id", 0);
	return follow(s, lm_pose_session_move(s->pose->posed, id, to, turned ? rotation : NULL, &found), &found, error,
	              capacity);
}

bool session_do_handle_remove(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	lm_error found;
	int32_t id = (int32_t)session_number(json, "id", 0);
	return needs_pose(s, error, capacity) &&
	       follow(s, lm_pose_session_remove(s->pose->posed, id, &found), &found, error, capacity);
}

bool session_do_volume(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	lm_error found;
	bool on = json_is_true(json_object_get(json, "on"));
	return needs_pose(s, error, capacity) &&
	       follow(s, lm_pose_session_set_volume(s->pose->posed, on, &found), &found, error, capacity);
}

bool session_do_pose_undo(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client, (void)json;
	lm_error found;
	return needs_pose(s, error, capacity) &&
	       follow(s, lm_pose_session_undo(s->pose->posed, &found), &found, error, capacity);
}

bool session_do_pose_reset(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client, (void)json;
	lm_error found;
	return needs_pose(s, error, capacity) &&
	       follow(s, lm_pose_session_reset(s->pose->posed, &found), &found, error, capacity);
}

// ---- keeping it ----

// Writes the pose beside the scene; `file` gets its name there.
static bool write_pose(session* s, const char* name, char* file, size_t size, char* error, size_t capacity)
{
	char path[PATH_CAPACITY];
	lm_mesh* mesh;
	lm_error found;
	lm_pose_session_settle(s->pose->posed);
	if (lm_pose_session_mesh(s->pose->posed, &mesh, &found) != LM_OK)
		return session_fail(&found, error, capacity);
	const char* ending = mesh->tet_count > 0 ? ".msh" : mesh->triangle_count > 0 ? ".ply" : ".obj"; // .obj: a curve
	bool named = folder_make(s->folder) && path_fresh(s->folder, name, ending, path, sizeof path);
	lm_status status = named ? lm_mesh_write(path, mesh, NULL, &found) : LM_IO_FAILED;
	lm_mesh_destroy(mesh);
	if (!named)
		return session_refuse(error, capacity, "%s: the folder cannot be made: %s", s->folder, strerror(errno));
	if (status != LM_OK)
		return session_fail(&found, error, capacity);
	snprintf(file, size, "%s", path_name(path));
	return true;
}

static bool keep_example(session* s, const char* name, char* file, size_t size, char* error, size_t capacity)
{
	char label[100];
	int32_t i = s->pose->object;
	if (!session_bring_home(s, error, capacity) || !write_pose(s, name, file, size, error, capacity))
		return false;
	const char* engine = s->scene->objects[i].engine;
	const json_t* object = json_array_get(json_object_get(s->scene_document->json, "objects"), (size_t)i);
	size_t count = json_array_size(json_object_get(json_object_get(object, engine), "examples"));
	json_t* edits =
		json_pack("[{s:[s,i,s,s,I],s:s}]", "path", "objects", i, engine, "examples", (json_int_t)count, "value", file);
	snprintf(label, sizeof label, "pose %.80s", name);
	bool good = session_edit(s, edits, label, error, capacity);
	json_decref(edits);
	return good;
}

// A key where the playhead is; the motion is found again, and shown where it was.
static bool keep_key(session* s, double time, bool via, char* error, size_t capacity)
{
	lm_pose_session_settle(s->pose->posed);
	int32_t count = lm_pose_session_commands(s->pose->posed, time, via, NULL, 0);
	lm_command* commands = calloc((size_t)count + 1, sizeof *commands);
	if (count == 0 || commands == NULL)
	{
		free(commands);
		return session_refuse(error, capacity, "out of memory");
	}
	lm_pose_session_commands(s->pose->posed, time, via, commands, count);
	bool good = session_plan(s, commands, count, error, capacity);
	if (good)
	{
		session_note_plan(s, commands, count, via ? "via pose" : "key");
		session_end_pose(s);
		session_greet(s);
	}
	free(commands);
	return good;
}

bool session_do_keep_pose(session* s, int client, json_t* json, char* error, size_t capacity)
{
	const char *name = session_text(json, "name"), *as = session_text(json, "as");
	char file[300], text[400];
	if (!needs_pose(s, error, capacity))
		return false;
	const char* engine = s->scene->objects[s->pose->object].engine;
	bool key = strcmp(as, "key") == 0 || strcmp(as, "via") == 0;
	if (!key && strcmp(as, "example") != 0)
		return session_refuse(error, capacity, "as is \"%.30s\", must be example, key or via", as);
	if (key != (strcmp(engine, "design") == 0))
		return session_refuse(error, capacity, "objects of %s keep poses as %s", engine, key ? "examples" : "keys");
	if (key)
	{
		double time = session_number(json, "time", lm_world_time(s->world));
		if (!keep_key(s, time, strcmp(as, "via") == 0, error, capacity))
			return false;
		session_tell(s, client, "note",
		             "The motion goes through the pose now. Keep the take, or write it to the scene.", NULL, NULL);
		return true;
	}
	if (!name_is_safe(name) || strchr(name, '.') != NULL)
		return session_refuse(error, capacity, "\"%.60s\": a name has letters, digits and dashes only", name);
	if (!keep_example(s, name, file, sizeof file, error, capacity))
		return false;
	snprintf(text, sizeof text, "The pose is an example of the scene now, in %s.", file);
	session_tell(s, client, "saved", text, NULL, file);
	return true;
}
