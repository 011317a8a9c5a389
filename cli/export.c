// export.c: a cache as video, picture, point cache or meshes.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lm_status no_memory(lm_error* error)
{
	*error = (lm_error){ .status = LM_NO_MEMORY, .message = "out of memory", .element = -1 };
	return LM_NO_MEMORY;
}

static lm_status bad_path(const char* path, lm_error* error)
{
	*error = (lm_error){ .status = LM_BAD_INPUT, .message = "the name of the file is too long", .element = -1 };
	snprintf(error->file, sizeof error->file, "%s", path);
	return LM_BAD_INPUT;
}

// Says how far it is; false, with an error, when it shall end.
static bool go_on(const lm_host* host, int64_t frame, int64_t frames, lm_error* error)
{
	if (host->progress == NULL || host->progress("writing", (double)frame / (double)frames, host->progress_context))
		return true;
	*error = (lm_error){ .status = LM_CANCELLED, .message = "cancelled while it was written", .element = -1 };
	return false;
}

static lm_status export_points(lm_cache* cache, int32_t object, const char* path, const lm_host* host, lm_error* error)
{
	const lm_cache_info* info = lm_cache_get_info(cache);
	int64_t frames = lm_cache_frame_count(cache);
	int32_t count = info->objects[object].vertex_count;
	double* positions = malloc(3 * sizeof(double) * (size_t)(count + 1));
	if (positions == NULL)
		return no_memory(error);
	lm_points_writer* writer = NULL;
	lm_status status = lm_points_writer_open(path, count, (int32_t)frames, info->fps, host, &writer, error);
	for (int64_t f = 0; status == LM_OK && f < frames; ++f)
	{
		status = go_on(host, f, frames, error) ? lm_cache_read(cache, f, object, positions, error) : LM_CANCELLED;
		if (status == LM_OK)
			status = lm_points_writer_frame(writer, positions, error);
	}
	if (status == LM_OK)
		status = lm_points_writer_close(writer, error);
	else
		lm_points_writer_abandon(writer);
	free(positions);
	return status;
}

// Every frame when the name has {frame}, else the last one.
static lm_status export_meshes(lm_cache* cache, int32_t object, const char* pattern, const lm_host* host,
                               lm_error* error)
{
	const lm_cache_object* o = &lm_cache_get_info(cache)->objects[object];
	lm_mesh* mesh = lm_mesh_create(host, o->vertex_count, 0, 0);
	if (mesh == NULL)
		return no_memory(error);
	// a view of the cache's topology: lent to the mesh while it is written
	lm_mesh view = *mesh;
	view.triangle_count = o->triangle_count, view.triangles = (int32_t*)o->triangles;
	view.face_count = o->face_count, view.face_starts = (int32_t*)o->face_starts;
	view.face_vertices = (int32_t*)o->face_vertices;
	int64_t frames = lm_cache_frame_count(cache);
	int64_t first = strstr(pattern, "{frame}") != NULL ? 0 : frames - 1;
	lm_status status = LM_OK;
	for (int64_t f = first; status == LM_OK && f < frames; ++f)
	{
		char path[4096];
		status = go_on(host, f, frames, error) ? lm_cache_read(cache, f, object, view.positions, error) : LM_CANCELLED;
		if (status == LM_OK && !expand_path(pattern, o->name, f, path, sizeof path))
			status = bad_path(pattern, error);
		if (status == LM_OK)
			status = lm_mesh_write(path, &view, NULL, error);
	}
	lm_mesh_destroy(mesh);
	return status;
}

static bool is_surface(const char* path)
{
	return path_ends(path, ".obj") || path_ends(path, ".ply") || path_ends(path, ".stl");
}

lm_status export_cache(lm_cache* cache, const lm_film_settings* film, int32_t object_count, const char* pattern,
                       const lm_host* host, lm_error* error)
{
	if (is_film(pattern))
		return lm_film(cache, film, pattern, host, error);
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < object_count; ++i)
	{
		char path[4096];
		if (!is_points(pattern))
			status = export_meshes(cache, i, pattern, host, error);
		else if (!expand_path(pattern, lm_cache_get_info(cache)->objects[i].name, 0, path, sizeof path))
			status = bad_path(pattern, error);
		else
			status = export_points(cache, i, path, host, error);
	}
	return status;
}

// From below: texts are longer than the numbers that they hold.
uint64_t output_bytes(lm_world* world, const char* pattern, int64_t frames)
{
	uint64_t bytes = 0;
	bool points = is_points(pattern), surface = is_surface(pattern);
	for (int32_t i = 0; i < lm_world_object_count(world) && (points || surface); ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		bytes += path_ends(pattern, ".stl") ? 50 * (uint64_t)view.triangle_count : 12 * (uint64_t)view.vertex_count;
	}
	return points || strstr(pattern, "{frame}") != NULL ? bytes * (uint64_t)frames : bytes;
}

int check_output(const char* verb, const char* path, int32_t object_count)
{
	bool surface = is_surface(path);
	if (!is_film(path) && !is_points(path) && !surface && !path_ends(path, ".lmc"))
		return usage_error(verb,
		                   "%s: unknown ending; videos are .mp4 .webm .gif, pictures .png, point caches .pc2 .mdd, "
		                   "meshes .obj .ply .stl, run caches .lmc",
		                   path);
	bool per_object = is_points(path) || surface;
	if (per_object && object_count > 1 && strstr(path, "{object}") == NULL)
		return usage_error(verb,
		                   "%s: the scene has %d objects: put {object} into the name, one file is written for each",
		                   path, object_count);
	if (is_film(path) && strstr(path, "{object}") != NULL)
		return usage_error(verb, "%s: pictures show all objects together; {object} is for meshes and point caches",
		                   path);
	if (is_film(path) && !path_ends(path, ".png") && strstr(path, "{frame}") != NULL)
		return usage_error(verb, "%s: a video holds all frames; {frame} is for pictures and meshes", path);
	return check_writable(path);
}
