// handles.c: see handles.h; and files of handles for `limber pose`.
#include "objects/design/handles.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "format/syntax.h"
#include "math/quat.h"
#include "scene/files.h"

#include <stdio.h>
#include <string.h>

void lm_read_handle_into(lm_reader* reader, const lm_read_body* body, const lm_read_handle* read,
                         lm_scene_handle* handle)
{
	*handle = read->handle;
	handle->count = 0, handle->vertices = NULL;
	int given = read->group_given + read->vertices_given + read->near_given;
	if (given != 1)
		lm_problem(reader, "must have one of group, vertices and near");
	else if (read->by_given && read->handle.has_to)
		lm_problem(reader, "has both by and to, must have one of them");
	else if (read->near_given && body->mesh != NULL)
	{
		handle->vertices = lm_scene_memory(body->scene, 1, sizeof *handle->vertices);
		if (handle->vertices == NULL)
			lm_reader_no_memory(reader);
		else
			handle->vertices[0] = lm_read_nearest_vertex(body->mesh, read->near), handle->count = 1;
	}
	else if (!read->near_given)
	{
		lm_read_selection selection = { read->group, read->group_given, read->vertices_given, read->count,
			                            read->vertices };
		handle->vertices = lm_read_vertices(reader, body, &selection, &handle->count);
	}
}

static void read_handles(lm_reader* reader, const lm_read_body* body, const lm_read_handles* read,
                         lm_scene_handle* handles)
{
	size_t mark = lm_reader_enter(reader, "handles");
	for (int32_t i = 0; i < read->handle_count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		lm_read_handle_into(reader, body, &read->handles[i], &handles[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

static lm_scene_handle* read_all(lm_reader* reader, const lm_mesh* mesh, int32_t* count, lm_pose_settings* settings)
{
	lm_read_handles read = { 0 };
	lm_table_defaults(&lm_handles_table, &read);
	lm_fill(reader, &lm_handles_table, reader->root, &read);
	lm_scene* scene = reader->status == LM_OK ? lm_scene_create(&reader->host) : NULL; // only lends its memory
	lm_scene_handle* handles = LM_NEW(&reader->host, read.handle_count, lm_scene_handle);
	if (scene == NULL || handles == NULL)
		lm_reader_no_memory(reader);
	else if (reader->problems->count == 0)
	{
		lm_read_body body = { .scene = scene, .scale = 1, .mesh = (lm_mesh*)mesh };
		read_handles(reader, &body, &read, handles);
	}
	lm_scene_destroy(scene);
	*count = read.handle_count;
	if (settings != NULL)
		*settings = read.settings;
	return handles;
}

lm_status lm_handles_read(const char* path, const lm_mesh* mesh, const lm_host* host, lm_scene_handle** result,
                          int32_t* count, lm_pose_settings* settings, lm_problems* problems)
{
	unsigned char* data;
	size_t size;
	lm_error error;
	lm_scene_files files = lm_scene_files_real();
	lm_scene_sources sources = { .files = &files };
	*problems = (lm_problems){ .host = *host };
	lm_reader reader = { .host = *host, .file = path, .sources = &sources, .problems = problems };
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
	lm_scene_handle* handles = NULL;
	int32_t found = 0;
	if (!json_is_object(reader.root))
		lm_problem(&reader, "must be an object {\"handles\": [...]}");
	else
		handles = read_all(&reader, mesh, &found, settings);
	json_decref(reader.root);
	lm_arena_release(&reader.arena);
	status = reader.status != LM_OK ? reader.status : problems->count > 0 ? LM_BAD_INPUT : LM_OK;
	if (status != LM_OK)
	{
		lm_handles_free(host, handles, found);
		return status;
	}
	*result = handles, *count = found;
	return LM_OK;
}

void lm_handles_free(const lm_host* host, lm_scene_handle* handles, int32_t count)
{
	for (int32_t i = 0; handles != NULL && i < count; ++i)
		lm_free(host, handles[i].vertices);
	lm_free(host, handles);
}

// Each vertex turned about the handle's middle and moved.
static void find_targets(const lm_scene_handle* handle, const lm_mesh* mesh, double* targets)
{
	const double* q = handle->rotation;
	lm_quat turn = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	lm_vec3 middle = { 0, 0, 0 };
	for (int32_t k = 0; k < handle->count; ++k)
		middle = lm_add_scaled(middle, 1.0 / handle->count, lm_v3_at(mesh->positions, handle->vertices[k]));
	lm_vec3 to = handle->has_to ? lm_v3_at(handle->to, 0) : lm_add(middle, lm_v3_at(handle->by, 0));
	for (int32_t k = 0; k < handle->count; ++k)
	{
		lm_vec3 arm = lm_sub(lm_v3_at(mesh->positions, handle->vertices[k]), middle);
		lm_v3_store(targets, k, lm_add(to, lm_quat_rotate(turn, arm)));
	}
}

lm_status lm_handles_apply(const lm_scene_handle* handles, int32_t count, const lm_mesh* mesh, const lm_host* host,
                           lm_pose* pose, lm_error* error)
{
	int64_t total = 0, at = 0;
	for (int32_t i = 0; i < count; ++i)
		total += handles[i].count;
	double* targets = LM_NEW(host, 3 * (size_t)total, double);
	lm_pose_handle* made = LM_NEW(host, count, lm_pose_handle);
	lm_status status = targets != NULL && made != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		find_targets(&handles[i], mesh, targets + 3 * at);
		made[i] = (lm_pose_handle){ .count = handles[i].count,
			                        .vertices = handles[i].vertices,
			                        .targets = targets + 3 * at,
			                        .weight = handles[i].weight };
		at += handles[i].count;
	}
	if (status == LM_OK)
		status = lm_pose_set_handles(pose, made, count, error);
	lm_free(host, targets);
	lm_free(host, made);
	return status;
}
