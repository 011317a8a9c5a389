// session_paint.c: painted groups (Bergou et al. 2007, Sec. 4.1). A stroke comes in as values at vertices of the shown
// surface; when it ends it is written to a file of its own beside the scene, the scene names that file, and the world is
// made anew, so that feet, pins and regions answer at once. A file for each stroke: so undo brings the old paint back.
#include "session_inside.h"

#include "limber/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct paint_stroke
{
	int32_t object;
	char group[64];
	int32_t count;
	double values[]; // of the vertices of the shown surface
};

void session_end_stroke(session* s)
{
	free(s->stroke);
	s->stroke = NULL;
}

static bool find_object(session* s, const json_t* json, int32_t* object, char* error, size_t capacity)
{
	const char* name = session_text(json, "object");
	*object = lm_world_find_object(s->world, name);
	return *object >= 0 || session_refuse(error, capacity, "there is no object \"%.60s\"", name);
}

// ---- strokes ----

// Scenes may call a group anything: "left foot".
static bool is_group_name(const char* name)
{
	size_t length = strlen(name);
	bool good = length > 0 && length < sizeof((struct paint_stroke*)0)->group;
	for (const char* c = name; *c != 0; ++c)
		good &= (unsigned char)*c >= ' ' && *c != 127 && *c != '/';
	return good;
}

// The same as a part of a file's name: "left-foot".
static void name_as_file(const char* name, char* file, size_t capacity)
{
	size_t used = 0;
	for (const char* c = name; *c != 0 && used + 1 < capacity; ++c)
	{
		char one[2] = { *c, 0 };
		file[used++] = name_is_safe(one) ? *c : '-';
	}
	file[used] = 0;
}

// Begins with the group as it is: a second stroke adds to the first.
static bool begin_stroke(session* s, int32_t object, const char* group, char* error, size_t capacity)
{
	if (s->stroke != NULL && s->stroke->object == object && strcmp(s->stroke->group, group) == 0)
		return true;
	session_end_stroke(s);
	int32_t count = lm_world_surface(s->world, object).vertex_count;
	if (!is_group_name(group))
		return session_refuse(error, capacity, "\"%.60s\": the name of a group has 1 to 63 characters, no slash",
		                      group);
	s->stroke = calloc(1, sizeof *s->stroke + (size_t)count * sizeof(double));
	if (s->stroke == NULL)
		return session_refuse(error, capacity, "out of memory");
	lm_error ignored;
	s->stroke->object = object;
	s->stroke->count = count;
	snprintf(s->stroke->group, sizeof s->stroke->group, "%s", group);
	if (lm_paint_of_group(s->world, object, group, s->stroke->values, &ignored) != LM_OK)
		memset(s->stroke->values, 0, (size_t)count * sizeof(double));
	return true;
}

static bool add_values(struct paint_stroke* stroke, const json_t* vertices, const json_t* values, char* error,
                       size_t capacity)
{
	if (json_array_size(vertices) != json_array_size(values))
		return session_refuse(error, capacity, "a stroke needs as many values as vertices");
	for (size_t i = 0; i < json_array_size(vertices); ++i)
	{
		json_int_t v = json_integer_value(json_array_get(vertices, i));
		double x = json_number_value(json_array_get(values, i));
		if (v < 0 || v >= stroke->count)
			return session_refuse(error, capacity, "vertex %lld is not on the surface, which has %d", (long long)v,
			                      stroke->count);
		stroke->values[v] = fmin(fmax(x, 0), 1);
	}
	return true;
}

static bool write_stroke(session* s, char* error, size_t capacity)
{
	struct paint_stroke* stroke = s->stroke;
	char stem[256], path[PATH_CAPACITY], label[96], object[64], group[64];
	lm_error found;
	if (!session_bring_home(s, error, capacity))
		return false;
	name_as_file(s->scene->objects[stroke->object].name, object, sizeof object);
	name_as_file(stroke->group, group, sizeof group);
	snprintf(stem, sizeof stem, "%s-%s", object, group);
	if (!folder_make(s->folder) || !path_fresh(s->folder, stem, ".paint.json", path, sizeof path))
		return session_refuse(error, capacity, "%s: the folder cannot be made", s->folder);
	if (lm_paint_write(s->world, stroke->object, path, stroke->group, stroke->values, &found) != LM_OK)
		return session_fail(&found, error, capacity);
	json_t* edits = json_pack("[{s:[s,i,s,s],s:{s:s}}]", "path", "objects", stroke->object, "groups", stroke->group,
	                          "value", "weights", path_name(path));
	snprintf(label, sizeof label, "paint %s", stroke->group);
	bool good = session_edit(s, edits, label, error, capacity);
	json_decref(edits);
	return good;
}

bool session_do_paint(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	int32_t object;
	if (!find_object(s, json, &object, error, capacity) ||
	    !begin_stroke(s, object, session_text(json, "group"), error, capacity) ||
	    !add_values(s->stroke, json_object_get(json, "vertices"), json_object_get(json, "values"), error, capacity))
		return false;
	if (!json_is_true(json_object_get(json, "end")))
		return true;
	bool good = write_stroke(s, error, capacity);
	session_end_stroke(s);
	return good;
}

// The values of a group, so that a brush goes on from what is there.
bool session_do_paint_open(session* s, int client, json_t* json, char* error, size_t capacity)
{
	int32_t object;
	const char* group = session_text(json, "group");
	if (!find_object(s, json, &object, error, capacity))
		return false;
	session_end_stroke(s);
	if (!begin_stroke(s, object, group, error, capacity))
		return false;
	json_t *vertices = json_array(), *values = json_array();
	for (int32_t v = 0; v < s->stroke->count; ++v)
		if (s->stroke->values[v] > 0)
		{
			json_array_append_new(vertices, json_integer(v));
			json_array_append_new(values, json_real(s->stroke->values[v]));
		}
	json_t* answer = json_pack("{s:s,s:s,s:s,s:o,s:o}", "kind", "weights", "object", session_text(json, "object"),
	                           "group", group, "vertices", vertices, "values", values);
	session_send(s, client, answer);
	session_end_stroke(s);
	return true;
}

// ---- what a group is used for ----

// Lists of a scene's object that name groups; where items are objects, by their key "group".
static const struct
{
	const char *use, *part, *list;
	bool objects;
} uses[] = {
	{ "feet", "act", "feet", false },
	{ "groups", "match", "groups", false },
	{ "regions", "track", "paint", false },
	{ "pins", NULL, "pins", true },
};

static bool names(const json_t* item, const char* group)
{
	const char* text = json_is_object(item) ? session_text(item, "group") : json_string_value(item);
	return text != NULL && strcmp(text, group) == 0;
}

// The list without the group, and with it at its end when it is wanted. NULL: nothing changes.
static json_t* changed_list(const json_t* list, const char* group, bool objects, bool wanted)
{
	json_t* changed = json_array();
	bool was = false;
	for (size_t i = 0; i < json_array_size(list); ++i)
	{
		json_t* item = json_array_get(list, i);
		was |= names(item, group);
		if (wanted || !names(item, group))
			json_array_append(changed, item);
	}
	if (wanted && !was)
		json_array_append_new(changed, objects ? json_pack("{s:s}", "group", group) : json_string(group));
	if (wanted != was)
		return changed;
	json_decref(changed);
	return NULL;
}

// Adds the edit that makes `list` of an object hold the group, or not.
static void edit_list(json_t* edits, const json_t* object, int32_t i, size_t use, const char* group, bool wanted)
{
	const json_t* part = uses[use].part != NULL ? json_object_get(object, uses[use].part) : object;
	json_t* list = changed_list(json_object_get(part, uses[use].list), group, uses[use].objects, wanted);
	if (list == NULL)
		return;
	json_t* path = json_pack("[s,i]", "objects", i);
	if (uses[use].part != NULL)
		json_array_append_new(path, json_string(uses[use].part));
	json_array_append_new(path, json_string(uses[use].list));
	json_t* edit = json_pack("{s:o}", "path", path);
	if (json_array_size(list) > 0)
		json_object_set(edit, "value", list);
	json_decref(list);
	json_array_append_new(edits, edit);
}

static void edit_trunk(json_t* edits, const json_t* object, int32_t i, const char* group, bool wanted)
{
	bool was = strcmp(session_text(json_object_get(object, "act"), "trunk"), group) == 0;
	if (wanted == was)
		return;
	json_t* edit = json_pack("{s:[s,i,s,s]}", "path", "objects", i, "act", "trunk");
	if (wanted)
		json_object_set_new(edit, "value", json_string(group));
	json_array_append_new(edits, edit);
}

bool session_do_paint_use(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	int32_t i;
	const char *group = session_text(json, "group"), *as = session_text(json, "as");
	if (!find_object(s, json, &i, error, capacity))
		return false;
	const json_t* object = json_array_get(json_object_get(s->scene_document->json, "objects"), (size_t)i);
	json_t* edits = json_array();
	bool known = strcmp(as, "none") == 0 || strcmp(as, "trunk") == 0;
	for (size_t use = 0; use < sizeof uses / sizeof uses[0]; ++use)
	{
		known |= strcmp(as, uses[use].use) == 0;
		edit_list(edits, object, i, use, group, strcmp(as, uses[use].use) == 0);
	}
	edit_trunk(edits, object, i, group, strcmp(as, "trunk") == 0);
	char label[96];
	snprintf(label, sizeof label, "%s: %.40s", group, as);
	bool good = true;
	if (!known)
		good =
			session_refuse(error, capacity, "as is \"%.30s\", must be feet, trunk, pins, groups, regions or none", as);
	else if (json_array_size(edits) > 0)
		good = session_edit(s, edits, label, error, capacity);
	json_decref(edits);
	return good;
}
