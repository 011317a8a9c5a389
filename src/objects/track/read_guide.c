// read_guide.c: the animation that leads a `track` object: point caches, rows of meshes, other objects.
#include "base/error.h"
#include "base/file.h"
#include "math/vec.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRAMES_MAX 100000

// ---- what all frames must be ----

// Vertices that the guide may have: those of its own mesh, or of the object's, subdivided or not.
static bool check_count(lm_reader* reader, const lm_read_body* body, const lm_scene_guide* guide)
{
	if (guide->mesh != NULL && guide->vertex_count != guide->mesh->vertex_count)
		lm_problem_key(reader, "file", "has %d vertices, its mesh has %d: both must be the same mesh",
		               guide->vertex_count, guide->mesh->vertex_count);
	else if (guide->mesh != NULL || body->mesh == NULL || guide->vertex_count == body->mesh->vertex_count)
		return true;
	else if (body->map != NULL && guide->vertex_count == lm_binding_get(body->map).point_count)
		return true;
	else if (body->map != NULL)
		lm_problem_key(reader, "file",
		               "has %d vertices, the mesh has %d and %d when subdivided: it must have one of these",
		               guide->vertex_count, lm_binding_get(body->map).point_count, body->mesh->vertex_count);
	else
		lm_problem_key(
			reader, "file",
			"has %d vertices, the object's mesh has %d: they must be equal, or the guide needs a mesh of its "
			"own",
			guide->vertex_count, body->mesh->vertex_count);
	return false;
}

static void check_positions(lm_reader* reader, const lm_scene_guide* guide)
{
	int64_t numbers = 3 * (int64_t)guide->vertex_count;
	for (int64_t i = 0; i < numbers * guide->frame_count; ++i)
		if (!(fabs(guide->frames[i]) <= LM_KEY_LIMIT))
		{
			lm_problem_key(reader, "file", "has vertex %lld at %g m in frame %lld, must be within %g m",
			               (long long)(i % numbers / 3), guide->frames[i], (long long)(i / numbers), LM_KEY_LIMIT);
			return;
		}
}

// Times of the file's own must ascend without gaps.
static void check_times(lm_reader* reader, const lm_scene_guide* guide)
{
	double usual = (guide->times[guide->frame_count - 1] - guide->times[0]) / fmax(1, guide->frame_count - 1);
	for (int32_t k = 1; k < guide->frame_count; ++k)
	{
		double step = guide->times[k] - guide->times[k - 1];
		if (!(step > 0))
			lm_problem_key(reader, "file", "has frame %d at %g s after %g s: times must ascend; or give fps", k,
			               guide->times[k], guide->times[k - 1]);
		else if (step > 3 * usual && guide->frame_count > 3)
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

static void read_cache(lm_reader* reader, const lm_read_guide* read, const char* path, double scale,
                       lm_scene_guide* guide)
{
	const lm_scene_files* files = reader->sources->files;
	lm_scene_frames frames;
	lm_error error;
	lm_status status = files->read_points(files->context, path, &reader->host, &frames, &error);
	if (status != LM_OK)
	{
		lm_problem_from(reader, "file", &error);
		return;
	}
	guide->frame_count = frames.frame_count, guide->vertex_count = frames.vertex_count;
	guide->times = frames.times, guide->frames = frames.positions;
	for (int64_t i = 0; i < 3 * (int64_t)frames.vertex_count * frames.frame_count; ++i)
		guide->frames[i] *= scale;
	if (files->hash(files->context, path, &reader->sources->fingerprint, &error) != LM_OK)
		lm_problem_from(reader, "file", &error);
	if (frames.frame_count == 0)
		lm_problem_key(reader, "file", "has no frames, must have at least one");
	else if (frames.timed && !read->fps_given)
		check_times(reader, guide);
	for (int32_t k = 0; k < frames.frame_count; ++k)
		guide->times[k] = frames.timed && !read->fps_given ? guide->times[k] : k / read->fps;
	for (int32_t k = frames.frame_count - 1; k >= 0; --k)
		guide->times[k] -= guide->times[0];
}

// ---- rows of meshes ----

// "walk-{frame}.obj" with four digits or more, as limber itself writes them.
static bool name_of_frame(const char* pattern, int32_t frame, char* name, size_t capacity)
{
	const char* place = strstr(pattern, "{frame}");
	int length = snprintf(name, capacity, "%.*s%04d%s", (int)(place - pattern), pattern, frame, place + 7);
	return length >= 0 && (size_t)length < capacity;
}

static lm_mesh* read_frame(lm_reader* reader, const lm_read_guide* read, int32_t number, double scale)
{
	char name[4096];
	if (!name_of_frame(read->file, number, name, sizeof name))
	{
		lm_problem_key(reader, "file", "is too long a name");
		return NULL;
	}
	return lm_read_mesh(reader, "file", name, scale); // says which file is missing
}

static bool allocate_frames(lm_reader* reader, lm_scene* scene, int32_t count, int32_t vertices, lm_scene_guide* guide)
{
	guide->times = lm_scene_memory(scene, (size_t)count, sizeof(double));
	guide->frames = lm_scene_memory(scene, (size_t)count, 3 * (size_t)vertices * sizeof(double));
	if (guide->times == NULL || guide->frames == NULL)
	{
		lm_reader_no_memory(reader);
		return false;
	}
	guide->frame_count = count, guide->vertex_count = vertices;
	return true;
}

static void read_row(lm_reader* reader, const lm_read_body* body, const lm_read_guide* read, lm_scene_guide* guide)
{
	if (!read->last_given || read->last < read->first)
	{
		lm_problem_key(reader, "last",
		               read->last_given ? "is %d, must not be before the first frame %d"
		                                : "is missing, must be the number of the last frame",
		               read->last, read->first);
		return;
	}
	int32_t count = read->last - read->first + 1;
	if (count > FRAMES_MAX)
	{
		lm_problem_key(reader, "last", "makes %d frames, at most %d are possible", count, FRAMES_MAX);
		return;
	}
	for (int32_t k = 0; k < count && reader->status == LM_OK; ++k)
	{
		lm_mesh* mesh = read_frame(reader, read, read->first + k, body->scale);
		bool good = mesh != NULL && (k > 0 || allocate_frames(reader, body->scene, count, mesh->vertex_count, guide));
		if (good && mesh->vertex_count != guide->vertex_count)
		{
			lm_problem_key(reader, "file",
			               "has %d vertices in frame %d and %d before: all must be the same mesh, moved",
			               mesh->vertex_count, read->first + k, guide->vertex_count);
			good = false;
		}
		if (good)
		{
			size_t numbers = 3 * (size_t)guide->vertex_count;
			memcpy(guide->frames + numbers * (size_t)k, mesh->positions, numbers * sizeof(double));
			guide->times[k] = k / read->fps;
		}
		lm_mesh_destroy(mesh);
		if (!good)
		{
			guide->frame_count = 0;
			return;
		}
	}
}

// ---- the guide ----

static void read_file(lm_reader* reader, const lm_read_body* body, const lm_read_guide* given, lm_scene_guide* guide)
{
	lm_read_guide read = *given;
	const char* path = lm_reader_beside(reader, read.file);
	if (path == NULL)
		return;
	lm_read_text(reader, body->scene, &guide->path, path);
	if (!read.fps_given)
		read.fps = body->scene->fps;
	if (strstr(read.file, "{frame}") != NULL)
		read_row(reader, body, &read, guide);
	else if (lm_same_ending(read.file, "pc2") || lm_same_ending(read.file, "mdd"))
		read_cache(reader, &read, path, body->scale, guide);
	else
		lm_problem_key(reader, "file", "is \"%.60s\", must be a point cache (.pc2, .mdd) or meshes with {frame}",
		               read.file);
	if (guide->frame_count > 0 && check_count(reader, body, guide))
		check_positions(reader, guide);
}

void lm_read_guide_into(lm_reader* reader, const lm_read_body* body, const lm_read_guide* read, lm_scene_guide* guide)
{
	guide->start = read->guide.start, guide->speed = read->guide.speed;
	memcpy(guide->offset, read->guide.offset, sizeof guide->offset);
	if (read->file_given == read->object_given)
	{
		lm_problem(reader, "has %s, must have one of them",
		           read->file_given ? "both file and object" : "neither file nor object");
		return;
	}
	if (read->object_given)
	{
		if (read->object != NULL)
			lm_read_text(reader, body->scene, &guide->object, read->object);
		if (read->mesh_given)
			lm_problem_key(reader, "mesh", "is given, but a guide that is an object has its own");
		return;
	}
	if (read->mesh != NULL)
		guide->mesh = lm_read_mesh(reader, "mesh", read->mesh, body->scale);
	if (read->file != NULL)
		read_file(reader, body, read, guide);
}

// ---- guides that are objects ----

static int32_t find_object(const lm_scene* scene, const char* name)
{
	for (int32_t i = 0; i < scene->object_count; ++i)
		if (strcmp(scene->objects[i].name, name) == 0)
			return i;
	return -1;
}

// Whether following the guides from object i ever comes back to it.
static bool in_circle(const lm_scene* scene, int32_t i)
{
	int32_t at = i;
	for (int32_t k = 0; k < scene->object_count; ++k)
	{
		const lm_scene_track* track = scene->objects[at].track;
		at = track != NULL && track->guide.object != NULL && track->guide.object[0] != 0
		         ? find_object(scene, track->guide.object)
		         : -1;
		if (at < 0 || at == i)
			break;
	}
	return at == i;
}

static bool check_object(lm_reader* reader, const lm_scene* scene, int32_t i, int32_t leader)
{
	const lm_scene_object *object = &scene->objects[i], *guide = leader >= 0 ? &scene->objects[leader] : NULL;
	if (guide == NULL)
		lm_problem_key(reader, "object", "is \"%.60s\", but the scene has no such object", object->track->guide.object);
	else if (in_circle(scene, i))
		lm_problem_key(reader, "object", "is \"%.60s\", which is itself led by \"%.60s\"; somebody must lead",
		               guide->name, object->name);
	else if (guide->substeps % object->substeps != 0)
		lm_problem_key(reader, "object", "takes %d substeps, must take a multiple of the %d of what it leads",
		               guide->substeps, object->substeps);
	else
		return guide->mesh != NULL && object->mesh != NULL;
	return false;
}

// The counterpart of a painted region: a group of the guide's mesh.
static void match_paint(lm_reader* reader, lm_scene* scene, const lm_mesh* mesh, const char* name,
                        lm_scene_paint* paint)
{
	if (name == NULL) // it has none, and that is told already
		return;
	int32_t found = lm_mesh_find_group(mesh, name);
	const lm_group* group = found >= 0 ? &mesh->groups[found] : NULL;
	if (group == NULL || group->count == 0)
	{
		lm_problem(reader, "is \"%.60s\", but the guide's mesh has no such group to match it", name);
		return;
	}
	paint->guide_vertices = lm_scene_memory(scene, (size_t)group->count, sizeof(int32_t));
	paint->guide_values = lm_scene_memory(scene, (size_t)group->count, sizeof(double));
	if (paint->guide_vertices == NULL || paint->guide_values == NULL)
	{
		lm_reader_no_memory(reader);
		return;
	}
	paint->guide_count = group->count;
	for (int32_t k = 0; k < group->count; ++k)
		paint->guide_vertices[k] = group->vertices[k], paint->guide_values[k] = 1;
}

static void match_paints(lm_reader* reader, const lm_read_track* read, lm_scene* scene, const lm_mesh* mesh,
                         lm_scene_track* track)
{
	if (track->paint_count == 0 || track->hats || track->regions > 0)
	{
		lm_problem_key(reader, "guide",
		               "is another mesh of %d vertices: all regions must be painted, on both meshes, by groups of the "
		               "same name",
		               mesh->vertex_count);
		return;
	}
	size_t mark = lm_reader_enter(reader, "paint");
	for (int32_t k = 0; k < track->paint_count; ++k)
	{
		const char* own = read->paint[k].guide_group;
		size_t item = lm_reader_enter_item(reader, k),
			   key = lm_reader_enter(reader, own != NULL ? "guide_group" : "group");
		match_paint(reader, scene, mesh, own != NULL ? own : track->paint[k].group, &track->paint[k]);
		lm_reader_leave(reader, key), lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

static void read_between(lm_reader* reader, const lm_read_track* read, lm_scene* scene, int32_t i)
{
	lm_scene_object* object = &scene->objects[i];
	lm_scene_track* track = object->track;
	const lm_mesh* mesh = track->guide.mesh;
	if (track->guide.object[0] != 0)
	{
		int32_t leader = find_object(scene, track->guide.object);
		size_t mark = lm_reader_enter(reader, "guide");
		mesh = check_object(reader, scene, i, leader) ? scene->objects[leader].mesh : NULL;
		lm_reader_leave(reader, mark);
		if (mesh == NULL || mesh->vertex_count == object->mesh->vertex_count ||
		    (track->map != NULL && mesh->vertex_count == track->coarse_count))
			return;
	}
	if (mesh != NULL)
		match_paints(reader, read, scene, mesh, track);
}

void lm_read_guides_between(lm_reader* reader, const lm_read_scene* read, lm_scene* scene)
{
	size_t mark = lm_reader_enter(reader, "objects");
	for (int32_t i = 0; i < scene->object_count && i < read->object_count; ++i)
	{
		if (scene->objects[i].track == NULL || scene->objects[i].track->guide.object == NULL)
			continue;
		size_t item = lm_reader_enter_item(reader, i);
		lm_reader_enter(reader, "track");
		read_between(reader, &read->objects[i].track, scene, i);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}
