// resolve_guide.c: the animation that leads a `track` object: point caches, rows of meshes, other objects.
#include "base/alloc.h"
#include "base/file.h"
#include "objects/track/track.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRAMES_MAX 100000

// ---- what all frames must be ----

// Vertices that the guide may have: those of its own mesh, or of the object's, subdivided or not.
static bool check_count(lm_reader* reader, const lm_scene_body* body, const lm_scene_guide* guide)
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

static bool allocate_frames(lm_reader* reader, int32_t count, int32_t vertices, lm_scene_guide* guide)
{
	guide->times = lm_reader_keep(reader, (size_t)count, sizeof(double));
	guide->frames = lm_reader_keep(reader, (size_t)count, 3 * (size_t)vertices * sizeof(double));
	if (guide->times == NULL || guide->frames == NULL)
		return false;
	guide->frame_count = count, guide->vertex_count = vertices;
	return true;
}

static void take_frames(lm_reader* reader, const lm_scene_frames* frames, double scale, lm_scene_guide* guide)
{
	if (!allocate_frames(reader, frames->frame_count, frames->vertex_count, guide))
		return;
	for (int64_t i = 0; i < 3 * (int64_t)frames->vertex_count * frames->frame_count; ++i)
		guide->frames[i] = frames->positions[i] * scale;
	for (int32_t k = 0; k < frames->frame_count; ++k)
		guide->times[k] = frames->times[k];
	bool own_times = frames->timed && !LM_GIVEN(lm_track_guide_table, guide, fps);
	if (frames->frame_count == 0)
		lm_problem_key(reader, "file", "has no frames, must have at least one");
	else if (own_times)
		check_times(reader, guide);
	for (int32_t k = 0; k < frames->frame_count && !own_times; ++k)
		guide->times[k] = k / guide->fps;
	for (int32_t k = frames->frame_count - 1; k >= 0; --k)
		guide->times[k] -= guide->times[0];
}

static void read_cache(lm_reader* reader, const char* path, double scale, lm_scene_guide* guide)
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
	if (files->hash(files->context, path, &reader->sources->fingerprint, &error) != LM_OK)
		lm_problem_from(reader, "file", &error);
	take_frames(reader, &frames, scale, guide);
	lm_free(&reader->host, frames.times);
	lm_free(&reader->host, frames.positions);
}

// ---- rows of meshes ----

// "walk-{frame}.obj" with four digits or more, as limber itself writes them.
static bool name_of_frame(const char* pattern, int32_t frame, char* name, size_t capacity)
{
	const char* place = strstr(pattern, "{frame}");
	int length = snprintf(name, capacity, "%.*s%04d%s", (int)(place - pattern), pattern, frame, place + 7);
	return length >= 0 && (size_t)length < capacity;
}

static lm_mesh* read_frame(lm_reader* reader, const char* pattern, int32_t number, double scale)
{
	char name[4096];
	if (!name_of_frame(pattern, number, name, sizeof name))
	{
		lm_problem_key(reader, "file", "is too long a name");
		return NULL;
	}
	return lm_read_mesh(reader, "file", name, scale); // says which file is missing
}

static void read_row(lm_reader* reader, double scale, lm_scene_guide* guide)
{
	bool last_given = LM_GIVEN(lm_track_guide_table, guide, last);
	if (!last_given || guide->last < guide->first)
	{
		lm_problem_key(reader, "last",
		               last_given ? "is %d, must not be before the first frame %d"
		                          : "is missing, must be the number of the last frame",
		               guide->last, guide->first);
		return;
	}
	int32_t count = guide->last - guide->first + 1;
	if (count > FRAMES_MAX)
	{
		lm_problem_key(reader, "last", "makes %d frames, at most %d are possible", count, FRAMES_MAX);
		return;
	}
	for (int32_t k = 0; k < count && reader->status == LM_OK; ++k)
	{
		lm_mesh* mesh = read_frame(reader, guide->file, guide->first + k, scale);
		bool good = mesh != NULL && (k > 0 || allocate_frames(reader, count, mesh->vertex_count, guide));
		if (good && mesh->vertex_count != guide->vertex_count)
		{
			lm_problem_key(reader, "file",
			               "has %d vertices in frame %d and %d before: all must be the same mesh, moved",
			               mesh->vertex_count, guide->first + k, guide->vertex_count);
			good = false;
		}
		if (good)
		{
			size_t numbers = 3 * (size_t)guide->vertex_count;
			memcpy(guide->frames + numbers * (size_t)k, mesh->positions, numbers * sizeof(double));
			guide->times[k] = k / guide->fps;
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

static void read_file(lm_reader* reader, const lm_scene_body* body, lm_scene_guide* guide)
{
	const char* path = lm_reader_beside(reader, guide->file);
	if (path == NULL)
		return;
	if (!LM_GIVEN(lm_track_guide_table, guide, fps))
		guide->fps = body->scene->fps;
	if (strstr(guide->file, "{frame}") != NULL)
		read_row(reader, body->scale, guide);
	else if (lm_same_ending(guide->file, "pc2") || lm_same_ending(guide->file, "mdd"))
		read_cache(reader, path, body->scale, guide);
	else
		lm_problem_key(reader, "file", "is \"%.60s\", must be a point cache (.pc2, .mdd) or meshes with {frame}",
		               guide->file);
	if (guide->frame_count > 0 && check_count(reader, body, guide))
		check_positions(reader, guide);
}

void lm_track_resolve_guide(lm_reader* reader, const lm_scene_body* body, lm_scene_guide* guide)
{
	bool file = LM_GIVEN(lm_track_guide_table, guide, file), object = LM_GIVEN(lm_track_guide_table, guide, object);
	if (file == object)
	{
		lm_problem(reader, "has %s, must have one of them", file ? "both file and object" : "neither file nor object");
		guide->object = ""; // skip further checks of the leader
		return;
	}
	if (object && LM_GIVEN(lm_track_guide_table, guide, mesh_file))
		lm_problem_key(reader, "mesh", "is given, but a guide that is an object has its own");
	if (file && guide->mesh_file[0] != 0)
		guide->mesh = lm_read_mesh(reader, "mesh", guide->mesh_file, body->scale);
	if (file && guide->file[0] != 0)
		read_file(reader, body, guide);
}

// ---- guides that are objects ----

const lm_scene_object* lm_track_leader(const lm_scene* scene, const lm_scene_object* object)
{
	const char* name = object->track != NULL ? object->track->guide.object : "";
	for (int32_t i = 0; name[0] != 0 && i < scene->object_count; ++i)
		if (strcmp(scene->objects[i].name, name) == 0)
			return &scene->objects[i];
	return NULL;
}

// Whether following the guides from an object ever comes back to it.
static bool in_circle(const lm_scene* scene, const lm_scene_object* object)
{
	const lm_scene_object* at = lm_track_leader(scene, object);
	for (int32_t k = 1; k < scene->object_count && at != NULL && at != object; ++k)
		at = lm_track_leader(scene, at);
	return at == object;
}

static bool check_leader(lm_reader* reader, const lm_scene* scene, const lm_scene_object* object,
                         const lm_scene_object* leader)
{
	if (leader == NULL)
		lm_problem_key(reader, "object", "is \"%.60s\", but the scene has no such object", object->track->guide.object);
	else if (in_circle(scene, object))
		lm_problem_key(reader, "object", "is \"%.60s\", which is itself led by \"%.60s\"; somebody must lead",
		               leader->name, object->name);
	else if (leader->substeps % object->substeps != 0)
		lm_problem_key(reader, "object", "takes %d substeps, must take a multiple of the %d of what it leads",
		               leader->substeps, object->substeps);
	else
		return leader->mesh != NULL && object->mesh != NULL;
	return false;
}

// The counterpart of a painted region: a group of the guide's mesh.
static void match_paint(lm_reader* reader, const lm_mesh* mesh, const char* name, lm_scene_paint* paint)
{
	if (name[0] == 0) // reported already
		return;
	int32_t found = lm_mesh_find_group(mesh, name);
	const lm_group* group = found >= 0 ? &mesh->groups[found] : NULL;
	if (group != NULL && group->weights != NULL)
		lm_track_take_weights(reader, group->weights, mesh->vertex_count, &paint->guide_vertices, &paint->guide_values,
		                      &paint->guide_count);
	if (paint->guide_count > 0)
		return;
	if (group == NULL || group->count == 0)
	{
		lm_problem(reader, "is \"%.60s\", but the guide's mesh has no such group to match it", name);
		return;
	}
	paint->guide_vertices = lm_reader_keep(reader, (size_t)group->count, sizeof *paint->guide_vertices);
	paint->guide_values = lm_reader_keep(reader, (size_t)group->count, sizeof *paint->guide_values);
	if (paint->guide_vertices == NULL || paint->guide_values == NULL)
		return;
	paint->guide_count = group->count;
	for (int32_t k = 0; k < group->count; ++k)
		paint->guide_vertices[k] = group->vertices[k], paint->guide_values[k] = 1;
}

static void match_paints(lm_reader* reader, const lm_mesh* mesh, lm_scene_track* track)
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
		lm_scene_paint* paint = &track->paint[k];
		bool own = paint->guide_group[0] != 0;
		size_t item = lm_reader_enter_item(reader, k), key = lm_reader_enter(reader, own ? "guide_group" : "group");
		match_paint(reader, mesh, own ? paint->guide_group : paint->group, paint);
		lm_reader_leave(reader, key), lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

static void resolve_between(lm_reader* reader, const lm_scene* scene, lm_scene_object* object)
{
	lm_scene_track* track = object->track;
	const lm_mesh* mesh = track->guide.mesh;
	if (track->guide.object[0] != 0)
	{
		const lm_scene_object* leader = lm_track_leader(scene, object);
		size_t mark = lm_reader_enter(reader, "guide");
		mesh = check_leader(reader, scene, object, leader) ? leader->mesh : NULL;
		lm_reader_leave(reader, mark);
		if (mesh == NULL || mesh->vertex_count == object->mesh->vertex_count ||
		    (track->map != NULL && mesh->vertex_count == track->coarse_count))
			return;
	}
	if (mesh != NULL)
		match_paints(reader, mesh, track);
}

void lm_track_resolve_between(lm_reader* reader, lm_scene* scene)
{
	size_t mark = lm_reader_enter(reader, "objects");
	for (int32_t i = 0; i < scene->object_count && reader->status == LM_OK; ++i)
	{
		if (strcmp(scene->objects[i].engine, "track") != 0)
			continue;
		size_t item = lm_reader_enter_item(reader, i);
		lm_reader_enter(reader, "track");
		resolve_between(reader, scene, &scene->objects[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}
