// session_recover.c: what an earlier run of the studio left in its journal is offered, and brought back: the scene as it
// was edited, and the performance up to its last command.
#include "session_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct left_over
{
	const char* document; // NULL: the scene's file
	int64_t reached;
	json_t *head, *commands; // commands: a list, those that were cut are gone
	size_t planned;          // the first of them: keys of designed objects
} left_over;

// Those of before this frame stay, and what is planned.
static void cut(left_over* l, int64_t frame)
{
	for (size_t i = json_array_size(l->commands); i-- > l->planned;)
		if (json_integer_value(json_object_get(json_array_get(l->commands, i), "frame")) >= frame)
			json_array_remove(l->commands, i);
}

static void unplan(left_over* l, int64_t count)
{
	for (; count > 0 && l->planned > 0; --count)
		json_array_remove(l->commands, --l->planned);
}

static void add(left_over* l, json_t* line)
{
	int64_t frame = json_integer_value(json_object_get(line, "frame"));
	l->reached = frame > l->reached ? frame : l->reached;
	if (json_object_get(line, "planned") == NULL)
	{
		json_array_append(l->commands, line);
		return;
	}
	json_object_del(line, "planned");
	json_array_insert(l->commands, l->planned++, line);
}

static left_over read_lines(json_t* lines)
{
	left_over l = { .head = json_array_get(lines, 0), .commands = json_array() };
	l.document = json_string_value(json_object_get(l.head, "document"));
	for (size_t i = 1; i < json_array_size(lines); ++i)
	{
		json_t* line = json_array_get(lines, i);
		const json_t *cut_at = json_object_get(line, "cut"), *reached = json_object_get(line, "reached");
		const json_t* taken_back = json_object_get(line, "unplan");
		if (cut_at != NULL)
			cut(&l, l.reached = json_integer_value(cut_at));
		else if (taken_back != NULL)
			unplan(&l, json_integer_value(taken_back));
		else if (reached != NULL)
			l.reached = json_integer_value(reached);
		else if (json_object_get(line, "do") != NULL)
			add(&l, line);
	}
	return l;
}

void session_offer_recovery(session* s)
{
	json_t* lines = journal_read_before(s->log);
	json_decref(s->recover);
	s->recover = NULL;
	if (lines == NULL)
		return;
	left_over l = read_lines(lines);
	char text[256];
	size_t commands = json_array_size(l.commands);
	snprintf(text, sizeof text, "An earlier session left %s%s%s.", l.document != NULL ? "a changed scene" : "",
	         l.document != NULL && commands > 0 ? " and " : "", commands > 0 ? "a performance" : "");
	if (l.document != NULL || commands > 0)
		s->recover =
			json_pack("{s:s,s:I,s:I}", "text", text, "frames", (json_int_t)l.reached, "commands", (json_int_t)commands);
	else
		journal_drop_before(s->log);
	json_decref(l.commands);
	json_decref(lines);
}

// By which name a page opens the file, or what has its stem where that was never written; NULL: it is gone.
static json_t* name_to_open(const session* s, const char* path, const char* stem)
{
	char name[256], file_stem[256];
	if (path != NULL && gallery_name(s->shown_gallery, path, name, sizeof name))
		return json_string(name);
	json_t *files = gallery_files(s->folder), *file, *found = NULL;
	size_t i;
	json_array_foreach(files, i, file)
	{
		path_stem(json_string_value(file), file_stem, sizeof file_stem);
		if (strcmp(file_stem, stem) == 0 && (found == NULL || name_has_ending(json_string_value(file), ".json")))
			found = file;
	}
	json_t* result = found != NULL ? json_copy(found) : NULL;
	json_decref(files);
	if (result == NULL && gallery_name(s->shown_gallery, stem, name, sizeof name))
		return json_string(name);
	return result;
}

json_t* session_left_behind(const session* s)
{
	char stem[256];
	json_t* lines = s->opened == 0 ? journal_read_newest(s->folder, stem, sizeof stem) : NULL;
	if (lines == NULL)
		return NULL;
	left_over l = read_lines(lines);
	json_t* name = NULL;
	if (l.document != NULL || json_array_size(l.commands) > 0)
		name = name_to_open(s, json_string_value(json_object_get(l.head, "path")), stem);
	json_decref(l.commands);
	json_decref(lines);
	return name;
}

// The commands as a file that takes are read from.
static bool write_take(const left_over* l, const char* path)
{
	FILE* file = fopen(path, "we");
	if (file == NULL)
		return false;
	json_t* head = json_pack("{s:i,s:O,s:O,s:O}", "take", 1, "scene", json_object_get(l->head, "scene"), "simd",
	                         json_object_get(l->head, "simd"), "fps", json_object_get(l->head, "fps"));
	bool good = head != NULL && json_dumpf(head, file, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0;
	json_decref(head);
	for (size_t i = 0; good && i < json_array_size(l->commands); ++i)
	{
		fputc('\n', file);
		good = json_dumpf(json_array_get(l->commands, i), file, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0;
	}
	return (fclose(file) == 0) & good;
}

static bool bring_back(session* s, const left_over* l, char* error, size_t capacity)
{
	const char* path = json_string_value(json_object_get(l->head, "path"));
	char take_path[PATH_CAPACITY];
	document* d = s->scene_document;
	if (l->document != NULL)
	{
		char* copy = path != NULL ? strdup(path) : NULL;
		if (copy == NULL || !document_replace(d, l->document))
			return free(copy), session_refuse(error, capacity, "the journal is damaged");
		free(d->path);
		d->path = copy;
		d->foreign = false;
		if (!session_make_world(s, error, capacity))
			return false;
	}
	if (json_array_size(l->commands) == 0)
		return true;
	if (!folder_make(s->folder) || !path_fresh(s->folder, "recovered", ".take", take_path, sizeof take_path) ||
	    !write_take(l, take_path))
		return session_refuse(error, capacity, "%s: cannot be written", s->folder);
	if (!session_load_take(s, take_path, error, capacity))
		return false; // the file stays: nothing is lost
	s->newest = l->reached > s->newest ? l->reached : s->newest;
	s->takes_changed = true;
	return true;
}

bool session_do_recover(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	json_t* lines = s->recover != NULL ? journal_read_before(s->log) : NULL;
	if (lines == NULL)
		return session_refuse(error, capacity, "there is nothing to bring back");
	left_over l = read_lines(lines);
	bool good = !json_is_true(json_object_get(json, "yes")) || bring_back(s, &l, error, capacity);
	json_decref(l.commands);
	json_decref(lines);
	json_decref(s->recover);
	s->recover = NULL;
	if (good)
		journal_drop_before(s->log);
	s->playing = false;
	session_greet(s);
	return good;
}
