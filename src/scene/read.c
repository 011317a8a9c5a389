// read.c: a scene file as a whole: its syntax, what belongs to no object, and the way through both stages (reader.h).
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "format/syntax.h"
#include "math/vec.h"
#include "scene/engine.h"
#include "scene/files.h"
#include "scene/scene.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define LARGEST_FILE ((size_t)64 << 20)

// ---- syntax ----

static bool parse(lm_reader* reader, const char* data, size_t size)
{
	lm_error error;
	reader->root = lm_json_parse(reader->file, data, size, &error);
	if (reader->root != NULL)
		return true;
	if (error.status == LM_NO_MEMORY)
		lm_reader_no_memory(reader);
	snprintf(reader->path, sizeof reader->path, "%s", error.where);
	if (error.status != LM_NO_MEMORY)
		lm_problem(reader, "%s", error.message);
	return false;
}

// ---- the scene ----

// "folder/box.json" -> "box"
static void name_from_path(const char* path, char* name, size_t capacity)
{
	const char* slash = strrchr(path, '/');
	snprintf(name, capacity, "%s", slash != NULL ? slash + 1 : path);
	char* dot = strrchr(name, '.');
	if (dot != NULL && dot != name)
		*dot = 0;
}

static void check_camera(lm_reader* reader, lm_scene_camera* camera)
{
	size_t mark = lm_reader_enter(reader, "camera");
	bool eye = LM_GIVEN(lm_camera_table, camera, eye), target = LM_GIVEN(lm_camera_table, camera, target);
	if (eye != target)
		lm_problem_key(reader, eye ? "target" : "eye", "is missing, must be given together with %s",
		               eye ? "eye" : "target");
	else if (eye && lm_distance(lm_v3_at(camera->eye, 0), lm_v3_at(camera->target, 0)) == 0)
		lm_problem_key(reader, "target", "is where the eye is, must be somewhere else");
	const double* d = camera->direction;
	if (LM_GIVEN(lm_camera_table, camera, direction) && d[0] == 0 && d[1] == 0 && d[2] == 0)
		lm_problem_key(reader, "direction", "is [0, 0, 0], must point somewhere");
	camera->automatic = !eye;
	lm_reader_leave(reader, mark);
}

// Whether a name can be the name of a file, as {object} makes it.
static void check_name(lm_reader* reader, const char* name)
{
	bool good = name[0] != 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	for (const char* c = name; *c != 0; ++c)
		good &= *c != '/' && (unsigned char)*c >= ' ';
	if (!good)
		lm_problem_key(reader, "name", "is \"%.60s\", must be fit for the name of a file, without slashes", name);
}

static void check_names(lm_reader* reader, const char* list, const char* const* names, int32_t count)
{
	size_t mark = lm_reader_enter(reader, list);
	for (int32_t i = 0; i < count; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		check_name(reader, names[i]);
		lm_reader_leave(reader, item);
	}
	for (int32_t j = 1; j < count; ++j)
	{
		for (int32_t i = 0; i < j; ++i)
		{
			if (strcmp(names[i], names[j]) != 0)
				continue;
			size_t item = lm_reader_enter_item(reader, j);
			lm_problem_key(reader, "name", "is \"%.60s\", as that of %s[%d]; no two may be alike", names[j], list, i);
			lm_reader_leave(reader, item);
			break;
		}
	}
	lm_reader_leave(reader, mark);
}

static void check_all_names(lm_reader* reader, const lm_scene* scene)
{
	int32_t count = scene->object_count > scene->collider_count ? scene->object_count : scene->collider_count;
	const char** names = lm_reader_take(reader, (size_t)count, sizeof *names);
	if (names == NULL)
		return;
	for (int32_t i = 0; i < scene->collider_count; ++i)
		names[i] = scene->colliders[i].name;
	check_names(reader, "colliders", names, scene->collider_count);
	for (int32_t i = 0; i < scene->object_count; ++i)
		names[i] = scene->objects[i].name;
	check_names(reader, "objects", names, scene->object_count);
}

static void read_objects(lm_reader* reader, lm_scene* scene)
{
	int32_t count = scene->object_count;
	size_t mark = lm_reader_enter(reader, "objects");
	for (int32_t i = 0; i < count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		lm_read_object(reader, scene, i);
		lm_reader_leave(reader, item);
		if (!lm_progress(&reader->host, "reading", count < 100 ? LM_PROGRESS_UNKNOWN : (i + 1.0) / count))
			reader->status = LM_CANCELLED;
	}
	lm_reader_leave(reader, mark);
}

// Objects that `touch` of item i names exist.
static void check_touch(lm_reader* reader, const lm_scene* scene, int32_t i, const char* const* names, int32_t count)
{
	size_t item = lm_reader_enter_item(reader, i), list = lm_reader_enter(reader, "touch");
	for (int32_t k = 0; k < count; ++k)
	{
		bool found = false;
		for (int32_t j = 0; j < scene->object_count; ++j)
			found = found || strcmp(scene->objects[j].name, names[k]) == 0;
		if (found)
			continue;
		size_t name = lm_reader_enter_item(reader, k);
		lm_problem(reader, "is \"%.60s\", but the scene has no such object", names[k]);
		lm_reader_leave(reader, name);
	}
	lm_reader_leave(reader, list);
	lm_reader_leave(reader, item);
}

static void check_all_touch(lm_reader* reader, const lm_scene* scene)
{
	size_t mark = lm_reader_enter(reader, "objects");
	for (int32_t i = 0; i < scene->object_count; ++i)
		check_touch(reader, scene, i, scene->objects[i].touch, scene->objects[i].touch_count);
	lm_reader_leave(reader, mark);
	mark = lm_reader_enter(reader, "colliders");
	for (int32_t i = 0; i < scene->collider_count; ++i)
		check_touch(reader, scene, i, scene->colliders[i].touch, scene->colliders[i].touch_count);
	lm_reader_leave(reader, mark);
}

static void check_fields(lm_reader* reader, const lm_scene* scene)
{
	size_t mark = lm_reader_enter(reader, "fields");
	for (int32_t i = 0; i < scene->field_count; ++i)
	{
		const lm_scene_field* field = &scene->fields[i];
		size_t item = lm_reader_enter_item(reader, i);
		lm_error error;
		bool wind = field->def.kind == LM_FIELD_WIND;
		if (lm_field_check(&field->def, &error) != LM_OK)
			lm_problem(reader, "%s", error.message);
		else if (wind && !LM_GIVEN(lm_field_table, field, velocity))
			lm_problem(reader, "has no velocity, must have one: a wind blows");
		else if (!wind && LM_GIVEN(lm_field_table, field, velocity))
			lm_problem_key(reader, "velocity", "is given, but goes with wind; give strength");
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

static void read_scene(lm_reader* reader, lm_scene* scene)
{
	char stem[256];
	name_from_path(reader->file, stem, sizeof stem);
	if (!LM_GIVEN(lm_scene_table, scene, name))
		scene->name = lm_reader_keep_text(reader, stem);
	scene->path = lm_reader_keep_text(reader, reader->file);
	check_camera(reader, &scene->camera);
	check_fields(reader, scene);
	size_t mark = lm_reader_enter(reader, "colliders");
	for (int32_t i = 0; i < scene->collider_count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		lm_read_collider(reader, scene, &scene->colliders[i], i);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
	read_objects(reader, scene);
	if (reader->status != LM_OK)
		return;
	check_all_names(reader, scene);
	check_all_touch(reader, scene);
	for (int32_t e = 0; e < lm_engine_count(); ++e)
		if (lm_engine_at(e)->resolve_between != NULL)
			lm_engine_at(e)->resolve_between(reader, scene);
	lm_read_file_names(reader, scene);
	if (reader->status == LM_OK && reader->problems->count == 0)
		lm_read_starts(reader, scene);
}

lm_status lm_scene_parse(const char* path, const void* data, size_t size, const lm_scene_files* files,
                         const lm_host* host, lm_scene** scene, lm_problems* problems)
{
	lm_problems discarded = { 0 };
	lm_problems* found = problems != NULL ? problems : &discarded;
	*found = (lm_problems){ .host = *host };
	lm_scene_files real = lm_scene_files_real();
	lm_scene_sources sources = { .files = files != NULL ? files : &real };
	lm_reader reader = { .host = *host, .file = path, .sources = &sources, .problems = found };
	lm_arena_init(&reader.arena, host);
	sources.fingerprint = lm_hash(LM_HASH_START, data, size);
	lm_scene* result = lm_scene_create(host);
	if (result == NULL)
		lm_reader_no_memory(&reader);
	else if (parse(&reader, data, size))
	{
		lm_warnings_listen(&result->store->warnings, &reader.host);
		reader.memory = &result->store->arena;
		lm_fill(&reader, &lm_scene_table, reader.root, result);
		if (reader.status == LM_OK)
			read_scene(&reader, result);
		lm_problems_sort(found, reader.root);
	}
	lm_status status = reader.status != LM_OK ? reader.status : found->count > 0 ? LM_BAD_INPUT : LM_OK;
	json_decref(reader.root);
	lm_arena_release(&reader.arena);
	lm_problems_release(&discarded);
	if (status == LM_OK)
	{
		result->fingerprint = sources.fingerprint;
		*scene = result;
	}
	else
		lm_scene_destroy(result);
	return status;
}

static void report(lm_problems* problems, const lm_host* host, const lm_error* error)
{
	if (problems == NULL)
		return;
	*problems = (lm_problems){ .host = *host, .items = LM_NEW(host, 1, lm_error) };
	if (problems->items != NULL)
		problems->items[problems->count++] = *error;
}

lm_status lm_scene_read(const char* path, const lm_host* host, lm_scene** scene, lm_problems* problems)
{
	assert(path != NULL && host != NULL && scene != NULL);
	unsigned char* data;
	size_t size;
	lm_error error;
	lm_status status = lm_file_read(host, path, LARGEST_FILE, &data, &size, &error);
	if (status != LM_OK)
		return report(problems, host, &error), status;
	status = lm_scene_parse(path, data, size, NULL, host, scene, problems);
	lm_free(host, data);
	return status;
}

lm_status lm_scene_read_text(const char* path, const char* text, size_t size, const lm_host* host, lm_scene** scene,
                             lm_problems* problems)
{
	assert(path != NULL && text != NULL && host != NULL && scene != NULL);
	if (size <= LARGEST_FILE)
		return lm_scene_parse(path, text, size, NULL, host, scene, problems);
	lm_error error;
	lm_fail_at(&error, LM_BAD_INPUT, path, "", "is longer than %zu bytes", LARGEST_FILE);
	return report(problems, host, &error), LM_BAD_INPUT;
}
