// document.c: see document.h.
#include "document.h"

#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

document* document_create(const char* path, char* text, bool foreign, char* error, size_t capacity)
{
	json_error_t found;
	json_t* json = json_loads(text, 0, &found);
	document* d = json_is_object(json) ? calloc(1, sizeof *d) : NULL;
	char* copy = strdup(path);
	if (d == NULL || copy == NULL)
	{
		if (json == NULL)
			snprintf(error, capacity, "%s: line %d: %s", path, found.line, found.text);
		else
			snprintf(error, capacity, "%s: must be a JSON object, {...}", path);
		json_decref(json);
		free(d);
		free(copy);
		free(text);
		return NULL;
	}
	*d = (document){ .path = copy, .text = text, .json = json, .foreign = foreign };
	return d;
}

void document_destroy(document* d)
{
	if (d == NULL)
		return;
	json_decref(d->json);
	free(d->text);
	free(d->path);
	free(d);
}

// ---- edits ----

static json_t* child(json_t* parent, const json_t* step)
{
	if (json_is_string(step))
		return json_object_get(parent, json_string_value(step));
	return json_array_get(parent, (size_t)json_integer_value(step));
}

json_t* document_get(const document* d, json_t* path)
{
	json_t* at = d->json;
	for (size_t i = 0; at != NULL && i < json_array_size(path); ++i)
		at = child(at, json_array_get(path, i));
	return at;
}

static bool put(json_t* parent, const json_t* step, json_t* value)
{
	size_t i = (size_t)json_integer_value(step);
	if (json_is_string(step) && value != NULL)
		return json_object_set(parent, json_string_value(step), value) == 0;
	if (json_is_string(step))
		return json_is_object(parent) && (json_object_del(parent, json_string_value(step)), true);
	if (!json_is_array(parent) || json_integer_value(step) < 0 || i > json_array_size(parent))
		return false;
	if (value == NULL)
		return json_array_remove(parent, i) == 0;
	return i == json_array_size(parent) ? json_array_append(parent, value) == 0 : json_array_set(parent, i, value) == 0;
}

static bool is_path(const json_t* path)
{
	bool good = json_array_size(path) > 0 && json_array_size(path) <= 16;
	for (size_t i = 0; i < json_array_size(path); ++i)
		good &= json_is_string(json_array_get(path, i)) || json_is_integer(json_array_get(path, i));
	return good;
}

static bool refresh(document* d)
{
	char* text = document_print(d->json);
	if (text == NULL)
		return false;
	free(d->text);
	d->text = text;
	d->dirty = true;
	return true;
}

bool document_edit(document* d, json_t* path, json_t* value, char* error, size_t capacity)
{
	snprintf(error, capacity, "the scene has no such place");
	if (!is_path(path))
		return false;
	json_t* at = d->json;
	size_t last = json_array_size(path) - 1;
	for (size_t i = 0; i < last; ++i)
	{
		json_t* step = json_array_get(path, i);
		json_t* next = child(at, step);
		if (next == NULL && value != NULL)
		{
			json_t* made = json_is_string(json_array_get(path, i + 1)) ? json_object() : json_array();
			next = put(at, step, made) ? made : NULL;
			json_decref(made);
		}
		if (next == NULL)
			return false;
		at = next;
	}
	return put(at, json_array_get(path, last), value) && refresh(d);
}

bool document_replace(document* d, const char* text)
{
	json_t* json = json_loads(text, 0, NULL);
	char* copy = strdup(text);
	if (!json_is_object(json) || copy == NULL)
	{
		json_decref(json);
		free(copy);
		return false;
	}
	json_decref(d->json);
	free(d->text);
	d->json = json;
	d->text = copy;
	d->dirty = true;
	return true;
}

// ---- moving to another folder ----

typedef struct move
{
	const char *from, *to; // folders
	const char* const* files;
	int file_count;
} move;

// Names with {frame} stand for many files: the folder decides.
static bool is_named(const move* m, const char* path)
{
	const char* frame = strstr(path, "{frame");
	bool found = false;
	for (int i = 0; i < m->file_count; ++i)
		found |=
			frame != NULL ? strncmp(m->files[i], path, (size_t)(frame - path)) == 0 : strcmp(m->files[i], path) == 0;
	return found;
}

static json_t* moved_text(const move* m, const char* text)
{
	char path[PATH_CAPACITY], folder[PATH_CAPACITY], relative[PATH_CAPACITY], whole[2 * PATH_CAPACITY];
	if (text[0] == '/' || !path_join(m->from, text, path, sizeof path) || !is_named(m, path))
		return NULL;
	path_folder(path, folder, sizeof folder);
	const char* name = path_name(path);
	if (!path_relative(m->to, folder, relative, sizeof relative))
		return NULL;
	snprintf(whole, sizeof whole, "%s/%s", relative, name);
	return json_string(strcmp(relative, ".") == 0 ? name : whole);
}

static json_t* moved(const move* m, json_t* json)
{
	if (json_is_string(json))
	{
		json_t* text = moved_text(m, json_string_value(json));
		return text != NULL ? text : json_incref(json);
	}
	if (json_is_array(json))
	{
		json_t* list = json_array();
		for (size_t i = 0; i < json_array_size(json); ++i)
			json_array_append_new(list, moved(m, json_array_get(json, i)));
		return list;
	}
	if (!json_is_object(json))
		return json_incref(json);
	json_t* object = json_object();
	const char* key;
	json_t* value;
	json_object_foreach(json, key, value) json_object_set_new(object, key, moved(m, value));
	return object;
}

bool document_move(document* d, const char* folder, const char* const* files, int file_count)
{
	char from[PATH_CAPACITY], stem[256], path[PATH_CAPACITY];
	path_folder(d->path, from, sizeof from);
	path_stem(d->path, stem, sizeof stem);
	if (!folder_make(folder) || !path_fresh(folder, stem, ".json", path, sizeof path))
		return false;
	move m = { from, folder, files, file_count };
	json_t* json = moved(&m, d->json);
	char* copy = strdup(path);
	if (json == NULL || copy == NULL)
	{
		json_decref(json);
		free(copy);
		return false;
	}
	json_decref(d->json);
	free(d->path);
	d->json = json;
	d->path = copy;
	d->foreign = false;
	return refresh(d);
}

char* document_moved(const char* text, const char* path, const char* folder, const char* const* files, int file_count)
{
	char from[PATH_CAPACITY];
	path_folder(path, from, sizeof from);
	if (path_is_same(from, folder))
		return strdup(text);
	json_t* json = json_loads(text, 0, NULL);
	move m = { from, folder, files, file_count };
	json_t* changed = json != NULL ? moved(&m, json) : NULL;
	char* printed = changed != NULL ? document_print(changed) : NULL;
	json_decref(changed);
	json_decref(json);
	return printed;
}
