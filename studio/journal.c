// journal.c: see journal.h.
#include "journal.h"

#include "folder.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOURNAL_MAX ((size_t)512 << 20)
#define REACHED_INTERVAL 24 // frames

struct journal
{
	char folder[PATH_CAPACITY];
	char path[PATH_CAPACITY], before[PATH_CAPACITY];
	FILE* file;   // NULL: nothing to lose yet
	json_t* head; // that is written with the first line
	double synced;
};

journal* journal_create(const char* folder, const char* scene_path)
{
	journal* j = calloc(1, sizeof *j);
	char stem[256], name[300];
	if (j == NULL)
		return NULL;
	path_stem(scene_path, stem, sizeof stem);
	snprintf(name, sizeof name, "%s.journal", stem);
	bool good = path_join(folder, ".limber-live", j->folder, sizeof j->folder) &&
	            path_join(j->folder, name, j->path, sizeof j->path);
	snprintf(name, sizeof name, "%s.before", stem);
	if (!good || !path_join(j->folder, name, j->before, sizeof j->before))
	{
		free(j);
		return NULL;
	}
	if (file_exists(j->path))
		rename(j->path, j->before);
	return j;
}

static void close_file(journal* j)
{
	if (j->file != NULL)
		fclose(j->file);
	j->file = NULL;
}

void journal_destroy(journal* j)
{
	if (j == NULL)
		return;
	close_file(j);
	json_decref(j->head);
	free(j);
}

// ---- writing ----

static void put(journal* j, json_t* line)
{
	char* text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17));
	if (text != NULL)
		fprintf(j->file, "%s\n", text);
	free(text);
}

static bool open_file(journal* j)
{
	if (j->file != NULL)
		return true;
	if (j->head == NULL || !folder_make(j->folder))
		return false;
	j->file = fopen(j->path, "we");
	if (j->file == NULL)
		return false;
	put(j, j->head);
	return true;
}

// To the disk, at most once in a second.
static void flush(journal* j)
{
	double now = lm_clock_seconds();
	fflush(j->file);
	if (now - j->synced < 1)
		return;
	j->synced = now;
	fdatasync(fileno(j->file));
}

static void append(journal* j, json_t* line)
{
	if (line != NULL && open_file(j))
	{
		put(j, line);
		flush(j);
	}
	json_decref(line);
}

void journal_begin(journal* j, const lm_scene* scene, lm_simd simd, const char* path, const char* text)
{
	if (j == NULL)
		return;
	char fingerprint[17];
	snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, scene->fingerprint);
	close_file(j);
	unlink(j->path);
	json_decref(j->head);
	j->head =
		json_pack("{s:i,s:s,s:s,s:s,s:f,s:o}", "journal", 1, "path", path, "scene", fingerprint, "simd",
	              lm_simd_name(simd), "fps", scene->fps, "document", text != NULL ? json_string(text) : json_null());
	if (text != NULL && open_file(j))
		flush(j);
}

static void note_command(journal* j, const lm_world* world, const lm_command* command, bool planned)
{
	char* text = j != NULL ? lm_command_text(world, command) : NULL;
	json_t* line = text != NULL ? json_loads(text, 0, NULL) : NULL;
	lm_host host = lm_host_default();
	lm_text_free(&host, text);
	if (line != NULL)
		json_object_set_new(line, "frame", json_integer(lm_world_frame(world)));
	if (line != NULL && planned)
		json_object_set_new(line, "planned", json_true());
	if (j != NULL)
		append(j, line);
}

void journal_command(journal* j, const lm_world* world, const lm_command* command)
{
	note_command(j, world, command, false);
}

void journal_plan(journal* j, const lm_world* world, const lm_command* command)
{
	note_command(j, world, command, true);
}

void journal_cut(journal* j, int64_t frame)
{
	if (j != NULL && j->file != NULL)
		append(j, json_pack("{s:I}", "cut", (json_int_t)frame));
}

void journal_unplan(journal* j, int32_t count)
{
	if (j != NULL && j->file != NULL)
		append(j, json_pack("{s:i}", "unplan", count));
}

void journal_frame(journal* j, int64_t frame)
{
	if (j != NULL && j->file != NULL && frame % REACHED_INTERVAL == 0)
		append(j, json_pack("{s:I}", "reached", (json_int_t)frame));
}

// ---- what an earlier run left ----

static json_t* read_lines(const char* path)
{
	size_t size;
	char* text = file_read(path, JOURNAL_MAX, &size);
	json_t* lines = text != NULL ? json_array() : NULL;
	for (char* line = text; line != NULL && *line != 0;)
	{
		char* end = strchr(line, '\n');
		if (end == NULL)
			break; // torn
		*end = 0;
		json_t* json = json_loads(line, 0, NULL);
		if (!json_is_object(json))
		{
			json_decref(json);
			break; // what follows damage is not trusted
		}
		json_array_append_new(lines, json);
		line = end + 1;
	}
	free(text);
	if (json_integer_value(json_object_get(json_array_get(lines, 0), "journal")) == 1)
		return lines;
	json_decref(lines);
	return NULL;
}

json_t* journal_read_before(const journal* j)
{
	return j != NULL ? read_lines(j->before) : NULL;
}

json_t* journal_read_newest(const char* folder, char* stem, size_t capacity)
{
	char hidden[PATH_CAPACITY], path[PATH_CAPACITY], newest[PATH_CAPACITY] = "";
	int64_t latest = 0;
	DIR* entries = path_join(folder, ".limber-live", hidden, sizeof hidden) ? opendir(hidden) : NULL;
	for (struct dirent* e; entries != NULL && (e = readdir(entries)) != NULL;)
	{
		bool named = name_has_ending(e->d_name, ".journal") || name_has_ending(e->d_name, ".before");
		if (!named || !path_join(hidden, e->d_name, path, sizeof path) || file_time(path) <= latest)
			continue;
		latest = file_time(path);
		snprintf(newest, sizeof newest, "%s", path);
	}
	if (entries != NULL)
		closedir(entries);
	path_stem(newest, stem, capacity);
	return newest[0] != 0 ? read_lines(newest) : NULL;
}

void journal_drop_before(journal* j)
{
	if (j != NULL)
		unlink(j->before);
}
