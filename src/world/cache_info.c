// cache_info.c: what the cache of a run says about a world, and how much room a run needs.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "io/cache_format.h"
#include "world/world.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

lm_cache_info lm_world_cache_info(lm_world* world, lm_cache_object* objects, char scene[PATH_MAX])
{
	for (int32_t i = 0; i < world->display_count; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		objects[i] = (lm_cache_object){
			.name = view.name,
			.color = { view.color[0], view.color[1], view.color[2] },
			.vertex_count = view.vertex_count,
			.triangle_count = view.triangle_count,
			.triangles = view.triangles,
			.face_count = view.face_count,
			.face_starts = view.face_starts,
			.face_vertices = view.face_vertices,
			.fixed = view.fixed,
			.fixed_positions = view.fixed ? view.positions : NULL,
		};
	}
	if (strcmp(world->scene->path, "-") == 0) // cannot be read again
		scene[0] = 0;
	else if (realpath(world->scene->path, scene) == NULL) // a scene that was never a file, or has gone
		snprintf(scene, PATH_MAX, "%s", world->scene->path);
	return (lm_cache_info){ .scene = scene,
		                    .fps = world->scene->fps,
		                    .fingerprint = world->scene->fingerprint,
		                    .object_count = world->display_count,
		                    .objects = objects };
}

int64_t lm_world_frames_of(const lm_world* world, double seconds)
{
	double length = seconds > 0 ? seconds : world->scene->seconds;
	return (int64_t)ceil(length * world->scene->fps - 1e-9);
}

lm_status lm_world_run_bytes(lm_world* world, double seconds, uint64_t* bytes, lm_error* error)
{
	char scene[PATH_MAX];
	lm_cache_object* objects = LM_NEW(&world->host, world->display_count, lm_cache_object);
	if (objects == NULL)
		return lm_fail_memory(error);
	lm_cache_info info = lm_world_cache_info(world, objects, scene);
	lm_blob header;
	lm_blob_init(&header, &world->host);
	lm_status status = lm_cache_encode_header(&info, scene, &header, error);
	*bytes = header.size + (uint64_t)(lm_world_frames_of(world, seconds) + 1) * lm_cache_frame_bytes(&info);
	lm_blob_release(&header);
	lm_free(&world->host, objects);
	return status;
}

// The newest checkpoint, the one before and the next one may be there at the same time.
static lm_status checkpoint_bytes(const lm_world* world, uint64_t* bytes, lm_error* error)
{
	lm_snapshot* snapshot;
	lm_status status = lm_world_snapshot(world, &snapshot, error);
	if (status != LM_OK)
		return status;
	*bytes = 3 * lm_snapshot_bytes(snapshot);
	lm_snapshot_destroy(snapshot);
	return LM_OK;
}

lm_status lm_world_check_room(lm_world* world, const char* path, double seconds, lm_error* error)
{
	uint64_t needed = 0, checkpoints = 0, room = lm_room(path);
	lm_status status = lm_world_run_bytes(world, seconds, &needed, error);
	if (status == LM_OK)
		status = checkpoint_bytes(world, &checkpoints, error);
	struct stat there; // what is continued or replaced
	if (room != UINT64_MAX && stat(path, &there) == 0 && S_ISREG(there.st_mode))
		room += (uint64_t)there.st_size;
	if (status != LM_OK || needed + checkpoints <= room)
		return status;
	char wanted[32], left[32];
	lm_bytes_text(needed + checkpoints, wanted);
	lm_bytes_text(room, left);
	return lm_fail_at(error, LM_IO_FAILED, path, "",
	                  "the run needs %s for its %lld frames, and there is room for %s only: make room, choose another "
	                  "folder, or simulate less of it",
	                  wanted, (long long)lm_world_frames_of(world, seconds) + 1, left);
}
