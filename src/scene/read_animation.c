// read_animation.c: frames of the vertices of a mesh: point caches, and rows of meshes.
#include "base/alloc.h"
#include "base/file.h"
#include "io/sequence.h"
#include "scene/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRAMES_MAX 100000

// ---- what all frames must be ----

void lm_read_check_animation(lm_reader* reader, const lm_animation* animation)
{
	int64_t numbers = 3 * (int64_t)animation->vertex_count;
	for (int64_t i = 0; i < numbers * animation->frame_count; ++i)
		if (!(fabs(animation->frames[i]) <= LM_KEY_LIMIT))
		{
			lm_problem_key(reader, "file", "has vertex %lld at %g m in frame %lld, must be within %g m",
			               (long long)(i % numbers / 3), animation->frames[i], (long long)(i / numbers), LM_KEY_LIMIT);
			return;
		}
}

// Times of the file's own must ascend without gaps.
static void check_times(lm_reader* reader, const lm_animation* animation)
{
	double usual =
		(animation->times[animation->frame_count - 1] - animation->times[0]) / fmax(1, animation->frame_count - 1);
	for (int32_t k = 1; k < animation->frame_count; ++k)
	{
		double step = animation->times[k] - animation->times[k - 1];
		if (!(step > 0))
			lm_problem_key(reader, "file", "has frame %d at %g s after %g s: times must ascend; or give fps", k,
			               animation->times[k], animation->times[k - 1]);
		else if (step > 3 * usual && animation->frame_count > 3)
			lm_problem_key(reader, "file",
			               "has a gap of %g s before frame %d, while a frame lasts %g s on average; fill it, or give "
			               "fps to play the frames evenly",
			               step, k, usual);
		else
			continue;
		return;
	}
}

// ---- caches ----

static bool allocate_frames(lm_reader* reader, int32_t count, int32_t vertices, lm_animation* animation)
{
	animation->times = lm_reader_keep(reader, (size_t)count, sizeof(double));
	animation->frames = lm_reader_keep(reader, (size_t)count, 3 * (size_t)vertices * sizeof(double));
	if (animation->times == NULL || animation->frames == NULL)
		return false;
	animation->frame_count = count, animation->vertex_count = vertices;
	return true;
}

static void take_frames(lm_reader* reader, const lm_point_frames* frames, const lm_animation_file* file,
                        lm_animation* animation)
{
	if (!allocate_frames(reader, frames->frame_count, frames->vertex_count, animation))
		return;
	for (int64_t i = 0; i < 3 * (int64_t)frames->vertex_count * frames->frame_count; ++i)
		animation->frames[i] = frames->positions[i] * file->scale;
	for (int32_t k = 0; k < frames->frame_count; ++k)
		animation->times[k] = frames->times[k];
	bool own_times = frames->timed && !file->fps_given;
	if (frames->frame_count == 0)
		lm_problem_key(reader, "file", "has no frames, must have at least one");
	else if (own_times)
		check_times(reader, animation);
	for (int32_t k = 0; k < frames->frame_count && !own_times; ++k)
		animation->times[k] = k / file->fps;
	for (int32_t k = frames->frame_count - 1; k >= 0; --k)
		animation->times[k] -= animation->times[0];
}

static void read_cache(lm_reader* reader, const char* path, const lm_animation_file* file, lm_animation* animation)
{
	const lm_scene_files* files = reader->sources->files;
	lm_point_frames frames;
	lm_error error;
	lm_status status = files->read_points(files->context, path, &reader->host, &frames, &error);
	if (status != LM_OK)
	{
		lm_problem_from(reader, "file", &error);
		return;
	}
	if (files->hash(files->context, path, &reader->sources->fingerprint, &error) != LM_OK)
		lm_problem_from(reader, "file", &error);
	take_frames(reader, &frames, file, animation);
	lm_free(&reader->host, frames.times);
	lm_free(&reader->host, frames.positions);
}

// ---- rows of meshes ----

typedef struct row_folder
{
	lm_reader* reader;
	const lm_scene_files* files;
} row_folder;

static bool has_file(void* context, const char* name)
{
	const row_folder* folder = context;
	char* path = lm_path_beside(&folder->reader->host, folder->reader->file, name);
	bool found = path != NULL && folder->files->exists(folder->files->context, path);
	if (path == NULL)
		lm_reader_no_memory(folder->reader);
	lm_free(&folder->reader->host, path);
	return found;
}

static lm_sequence find_sequence(lm_reader* reader, const lm_animation_file* file)
{
	row_folder folder = { reader, reader->sources->files };
	lm_sequence sequence = { .digits = 4, .first = file->first, .last = file->last };
	if (folder.files->exists != NULL)
		lm_sequence_find(file->name, FRAMES_MAX, !file->last_given, has_file, &folder, &sequence);
	else if (!file->last_given)
		sequence.last = sequence.first;
	return sequence;
}

static lm_mesh* read_frame(lm_reader* reader, const char* pattern, int digits, int32_t number, double scale)
{
	char name[4096];
	if (!lm_sequence_name(pattern, digits, number, name, sizeof name))
	{
		lm_problem_key(reader, "file", "is too long a name");
		return NULL;
	}
	return lm_read_mesh(reader, "file", name, scale); // says which file is missing
}

static void read_row(lm_reader* reader, const lm_animation_file* file, lm_animation* animation)
{
	lm_sequence r = find_sequence(reader, file);
	if (r.last < r.first)
	{
		lm_problem_key(reader, "last", "is %d, must not be before the first frame %d", r.last, r.first);
		return;
	}
	int32_t count = r.last - r.first + 1;
	if (count > FRAMES_MAX)
	{
		lm_problem_key(reader, "last", "makes %d frames, at most %d are possible", count, FRAMES_MAX);
		return;
	}
	for (int32_t k = 0; k < count && reader->status == LM_OK; ++k)
	{
		lm_mesh* mesh = read_frame(reader, file->name, r.digits, r.first + k, file->scale);
		bool good = mesh != NULL && (k > 0 || allocate_frames(reader, count, mesh->vertex_count, animation));
		if (good && mesh->vertex_count != animation->vertex_count)
		{
			lm_problem_key(reader, "file",
			               "has %d vertices in frame %d and %d before: all must be the same mesh, moved",
			               mesh->vertex_count, r.first + k, animation->vertex_count);
			good = false;
		}
		if (good)
		{
			size_t numbers = 3 * (size_t)animation->vertex_count;
			memcpy(animation->frames + numbers * (size_t)k, mesh->positions, numbers * sizeof(double));
			animation->times[k] = k / file->fps;
		}
		lm_mesh_destroy(mesh);
		if (!good)
		{
			animation->frame_count = 0;
			return;
		}
	}
}

// ---- either ----

void lm_read_animation(lm_reader* reader, const lm_animation_file* file, lm_animation* animation)
{
	const char* path = lm_reader_beside(reader, file->name);
	if (path == NULL)
		return;
	if (strstr(file->name, "{frame}") != NULL)
		read_row(reader, file, animation);
	else if (lm_same_ending(file->name, "pc2") || lm_same_ending(file->name, "mdd"))
		read_cache(reader, path, file, animation);
	else
		lm_problem_key(reader, "file", "is \"%.60s\", must be a point cache (.pc2, .mdd) or meshes with {frame}",
		               file->name);
}
