// files.c: the files that a scene names: found beside it, read, and added to its fingerprint in the order of reading.
#include "scene/files.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "format/syntax.h"
#include "io/point_frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_TEXT ((size_t)64 << 20)

static lm_status read_mesh(void* context, const char* path, const lm_host* host, lm_mesh** mesh, lm_error* error)
{
	(void)context;
	return lm_mesh_read(path, host, mesh, error);
}

static lm_status read_text(void* context, const char* path, const lm_host* host, unsigned char** data, size_t* size,
                           lm_error* error)
{
	(void)context;
	return lm_file_read(host, path, LARGEST_TEXT, data, size, error);
}

static bool exists(void* context, const char* path)
{
	(void)context;
	struct stat facts;
	return stat(path, &facts) == 0;
}

static lm_status read_points(void* context, const char* path, const lm_host* host, lm_point_frames* frames,
                             lm_error* error)
{
	(void)context;
	return lm_point_frames_read(path, host, frames, error);
}

// A TetGen mesh is two files: both count.
static lm_status hash_files(void* context, const char* path, uint64_t* hash, lm_error* error)
{
	(void)context;
	lm_status status = lm_file_hash(path, hash, error);
	bool node = lm_same_ending(path, "node"), ele = lm_same_ending(path, "ele");
	size_t length = strlen(path);
	char other[4096];
	if (status != LM_OK || !(node || ele) || length + 2 > sizeof other)
		return status;
	size_t stem = (size_t)(lm_path_ending(path) - path);
	snprintf(other, sizeof other, "%.*s%s", (int)stem, path, node ? "ele" : "node");
	return lm_file_hash(other, hash, error);
}

lm_scene_files lm_scene_files_real(void)
{
	return (lm_scene_files){ .read_mesh = read_mesh,
		                     .read_text = read_text,
		                     .read_points = read_points,
		                     .exists = exists,
		                     .hash = hash_files,
		                     .make_fitted = lm_fitted_create,
		                     .make_lattice = lm_lattice_create };
}

const char* lm_reader_beside(lm_reader* reader, const char* name)
{
	char* path = lm_path_beside(&reader->host, reader->file, name);
	char* kept = path != NULL ? lm_reader_take(reader, strlen(path) + 1, 1) : NULL;
	lm_reader_file* file = kept != NULL ? lm_reader_take(reader, 1, sizeof *file) : NULL;
	if (file != NULL)
	{
		strcpy(kept, path);
		*file = (lm_reader_file){ kept, reader->sources->named };
		reader->sources->named = file;
		++reader->sources->named_count;
	}
	else
		lm_reader_no_memory(reader);
	lm_free(&reader->host, path);
	return file != NULL ? kept : NULL;
}

void lm_read_file_names(lm_reader* reader, lm_scene* scene)
{
	int32_t i = reader->sources->named_count;
	scene->files = lm_reader_keep(reader, (size_t)i, sizeof *scene->files);
	if (scene->files == NULL)
		return;
	scene->file_count = i;
	for (const lm_reader_file* file = reader->sources->named; i > 0 && file != NULL; file = file->before)
		scene->files[--i] = lm_reader_keep_text(reader, file->path);
}

json_t* lm_read_json(lm_reader* reader, const char* key, const char* name)
{
	const char* path = lm_reader_beside(reader, name);
	if (path == NULL)
		return NULL;
	unsigned char* data;
	size_t size;
	lm_error error;
	if (reader->sources->files->read_text(reader->sources->files->context, path, &reader->host, &data, &size, &error) !=
	    LM_OK)
	{
		lm_problem_from(reader, key, &error);
		return NULL;
	}
	reader->sources->fingerprint = lm_hash(reader->sources->fingerprint, data, size);
	json_t* root = lm_json_parse(path, data, size, &error);
	lm_free(&reader->host, data);
	if (root == NULL)
		lm_problem_from(reader, key, &error);
	return root;
}

static lm_status scale_positions(lm_mesh* mesh, double scale, const char* path, lm_error* error)
{
	for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i)
	{
		mesh->positions[i] *= scale;
		if (!(fabs(mesh->positions[i]) <= LM_KEY_LIMIT))
			return lm_fail_at(error, LM_BAD_INPUT, path, "", "vertex %lld is at %g m, must be within %g m",
			                  (long long)(i / 3), mesh->positions[i], LM_KEY_LIMIT);
	}
	return LM_OK;
}

lm_mesh* lm_read_mesh(lm_reader* reader, const char* key, const char* name, double scale)
{
	const char* path = lm_reader_beside(reader, name);
	if (path == NULL)
		return NULL;
	lm_mesh* mesh = NULL;
	lm_error error;
	const lm_scene_files* files = reader->sources->files;
	lm_status status = files->read_mesh(files->context, path, &reader->host, &mesh, &error);
	if (status == LM_OK)
		status = files->hash(files->context, path, &reader->sources->fingerprint, &error);
	if (status == LM_OK && mesh->vertex_count == 0)
		status = lm_fail_at(&error, LM_BAD_INPUT, path, "", "has no vertices");
	if (status == LM_OK)
		status = scale_positions(mesh, scale, path, &error);
	if (status == LM_OK)
		return mesh;
	lm_mesh_destroy(mesh);
	lm_problem_from(reader, key, &error);
	return NULL;
}

lm_mesh* lm_read_triangles(lm_reader* reader, const char* key, const char* name, double scale, bool around_tets,
                           const char* need)
{
	lm_mesh* mesh = lm_read_mesh(reader, key, name, scale);
	if (mesh == NULL)
		return NULL;
	lm_error error;
	lm_status status = lm_mesh_check(mesh, name, &error);
	if (status == LM_OK && around_tets)
		status = lm_mesh_extract_surface(mesh, &error);
	if (status != LM_OK)
		lm_problem_from(reader, key, &error);
	else if (mesh->triangle_count == 0)
		lm_problem_key(reader, key, "has no triangles, %s", need);
	else
		return mesh;
	lm_mesh_destroy(mesh);
	return NULL;
}
