// handles.c: handles as the keys of `design` have them, and files of handles for `limber pose`.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "design/settings.h"
#include "format/syntax.h"
#include "math/quat.h"
#include "objects/design/design.h"
#include "scene/files.h"

#include <stdio.h>
#include <string.h>

// ---- their vertices ---------------------------------------------------------------------------------------------

static void resolve_handle(lm_reader* reader, const lm_scene_body* body, lm_scene_handle* handle)
{
	bool group = LM_GIVEN(lm_design_handle_table, handle, group);
	bool listed = LM_GIVEN(lm_design_handle_table, handle, vertices);
	bool near = LM_GIVEN(lm_design_handle_table, handle, near);
	handle->has_to = LM_GIVEN(lm_design_handle_table, handle, to);
	if (group + listed + near != 1)
		lm_problem(reader, "must have one of group, vertices and near");
	else if (handle->has_to && LM_GIVEN(lm_design_handle_table, handle, by))
		lm_problem(reader, "has both by and to, must have one of them");
	else if (listed || handle->group[0] != 0)
		lm_read_vertices(reader, body, handle->group, listed, &handle->vertices, &handle->count);
	else if (near && body->mesh != NULL)
	{
		handle->vertices = lm_reader_keep(reader, 1, sizeof *handle->vertices);
		if (handle->vertices != NULL)
			handle->vertices[0] = lm_mesh_nearest_vertex(body->mesh, handle->near), handle->count = 1;
	}
}

void lm_design_resolve_handles(lm_reader* reader, const lm_scene_body* body, lm_scene_handle* handles, int32_t count)
{
	size_t mark = lm_reader_enter(reader, "handles");
	for (int32_t i = 0; i < count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		resolve_handle(reader, body, &handles[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

// ---- files of handles -------------------------------------------------------------------------------------------

typedef struct handles_file
{
	lm_design_pose_settings settings;
	int32_t handle_count;
	lm_scene_handle* handles;
} handles_file;

static void file_defaults(void* item)
{
	((handles_file*)item)->settings = lm_design_pose_settings_default();
}

static const lm_key file_keys[] = {
	{ "handles", LM_KEY_LIST, LM_KEY_REQUIRED, .low = 1, .high = 10000, LM_AT(handles_file, handles),
	  LM_COUNT_AT(handles_file, handle_count), .table = &lm_design_handle_table, .help = "What is held and moved." },
	{ "weight", LM_DESIGN_POSE_HANDLES, LM_AT(handles_file, settings.handles) },
	{ "strain", LM_DESIGN_POSE_STRAIN, LM_AT(handles_file, settings.strain) },
	{ "volume", LM_DESIGN_POSE_VOLUME, LM_AT(handles_file, settings.volume) },
};

static const lm_table file_table = {
	.name = "handles",
	.article = "a file of",
	.help = "Handles for `limber pose`.",
	.size = sizeof(handles_file),
	.defaults = file_defaults,
	LM_KEYS(file_keys),
};

// The handles and then their vertices in one piece of memory.
static lm_scene_handle* copy_handles(lm_reader* reader, const lm_scene_handle* handles, int32_t count)
{
	size_t size = (size_t)count * sizeof *handles;
	for (int32_t i = 0; i < count; ++i)
		size += (size_t)handles[i].count * sizeof *handles[i].vertices;
	lm_scene_handle* copy = lm_alloc(&reader->host, 1, size);
	if (copy == NULL)
	{
		lm_reader_no_memory(reader);
		return NULL;
	}
	memcpy(copy, handles, (size_t)count * sizeof *handles);
	int32_t* vertices = (int32_t*)(copy + count);
	for (int32_t i = 0; i < count; ++i)
	{
		memcpy(vertices, handles[i].vertices, (size_t)handles[i].count * sizeof *vertices);
		copy[i].group = "", copy[i].vertices = vertices;
		vertices += handles[i].count;
	}
	return copy;
}

static lm_scene_handle* read_file(lm_reader* reader, const lm_mesh* mesh, int32_t* count,
                                  lm_design_pose_settings* settings)
{
	handles_file read;
	lm_scene_body body = { .scale = 1, .mesh = (lm_mesh*)mesh }; // which nobody changes
	lm_table_defaults(&file_table, &read);
	if (json_is_object(reader->root))
		lm_fill(reader, &file_table, reader->root, &read);
	else
		lm_problem(reader, "must be an object {\"handles\": [...]}");
	if (reader->problems->count == 0)
		lm_design_resolve_handles(reader, &body, read.handles, read.handle_count);
	if (reader->problems->count > 0 || reader->status != LM_OK)
		return NULL;
	*count = read.handle_count;
	if (settings != NULL)
		*settings = read.settings;
	return copy_handles(reader, read.handles, read.handle_count);
}

lm_status lm_handles_read(const char* path, const lm_mesh* mesh, const lm_host* host, lm_scene_handle** result,
                          int32_t* count, lm_design_pose_settings* settings, lm_problems* problems)
{
	unsigned char* data;
	size_t size;
	lm_error error;
	*problems = (lm_problems){ .host = *host };
	lm_reader reader = { .host = *host, .file = path, .memory = &reader.arena, .problems = problems };
	lm_status status = lm_file_read(host, path, (size_t)1 << 26, &data, &size, &error);
	if (status == LM_OK)
	{
		reader.root = lm_json_parse(path, data, size, &error);
		lm_free(host, data);
	}
	if (reader.root == NULL)
	{
		snprintf(reader.path, sizeof reader.path, "%s", error.where);
		lm_problem(&reader, "%s", error.message);
		return error.status;
	}
	lm_arena_init(&reader.arena, host);
	lm_scene_handle* handles = read_file(&reader, mesh, count, settings);
	json_decref(reader.root);
	lm_arena_release(&reader.arena);
	if (handles == NULL)
		return reader.status != LM_OK ? reader.status : LM_BAD_INPUT;
	*result = handles;
	return LM_OK;
}

void lm_handles_free(const lm_host* host, lm_scene_handle* handles, int32_t count)
{
	(void)count; // the vertices are in the same piece of memory
	lm_free(host, handles);
}

// ---- posing ------------------------------------------------------------------------------------------------------

static lm_vec3 middle_of(const lm_scene_handle* handle, const lm_mesh* mesh)
{
	lm_vec3 middle = { 0, 0, 0 };
	for (int32_t k = 0; k < handle->count; ++k)
		middle = lm_add_scaled(middle, 1.0 / handle->count, lm_v3_at(mesh->positions, handle->vertices[k]));
	return middle;
}

// Turned about the handle's middle and moved.
static lm_vec3 carry(const lm_scene_handle* handle, lm_vec3 middle, double share, lm_vec3 point)
{
	const double* q = handle->rotation;
	lm_quat turn = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	if (share < 1)
		turn = lm_quat_slerp((lm_quat){ 1, 0, 0, 0 }, turn, share);
	lm_vec3 by = handle->has_to ? lm_sub(lm_v3_at(handle->to, 0), middle) : lm_v3_at(handle->by, 0);
	return lm_add(lm_add_scaled(middle, share, by), lm_quat_rotate(turn, lm_sub(point, middle)));
}

void lm_handle_place(const lm_scene_handle* handle, const lm_mesh* mesh, double share, const double point[3],
                     double place[3])
{
	lm_v3_store(place, 0, carry(handle, middle_of(handle, mesh), share, lm_v3_at(point, 0)));
}

static void find_targets(const lm_scene_handle* handle, const lm_mesh* mesh, double* targets)
{
	lm_vec3 middle = middle_of(handle, mesh);
	for (int32_t k = 0; k < handle->count; ++k)
		lm_v3_store(targets, k, carry(handle, middle, 1, lm_v3_at(mesh->positions, handle->vertices[k])));
}

lm_status lm_handles_apply(const lm_scene_handle* handles, int32_t count, const lm_mesh* mesh, const lm_host* host,
                           lm_design_pose* pose, lm_error* error)
{
	int64_t total = 0, at = 0;
	for (int32_t i = 0; i < count; ++i)
		total += handles[i].count;
	double* targets = LM_NEW(host, 3 * (size_t)total, double);
	lm_design_pose_handle* made = LM_NEW(host, count, lm_design_pose_handle);
	lm_status status = targets != NULL && made != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		find_targets(&handles[i], mesh, targets + 3 * at);
		made[i] = (lm_design_pose_handle){ .count = handles[i].count,
			                               .vertices = handles[i].vertices,
			                               .targets = targets + 3 * at,
			                               .weight = handles[i].weight };
		at += handles[i].count;
	}
	if (status == LM_OK)
		status = lm_design_pose_set_handles(pose, made, count, error);
	lm_free(host, targets);
	lm_free(host, made);
	return status;
}
