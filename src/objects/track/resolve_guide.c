// resolve_guide.c: the animation that leads a `track` object: a file, or another object.
#include "math/quat.h"
#include "objects/track/track.h"

#include <string.h>

// ---- files ----

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

// By the guide's own rotation, and then as the mesh of the object.
static void turn_positions(const lm_scene_body* body, const lm_scene_guide* guide, double* positions, int64_t count)
{
	const double* r = guide->rotation;
	lm_quat turn = lm_quat_normalize((lm_quat){ r[0], r[1], r[2], r[3] });
	for (int64_t v = 0; LM_GIVEN(lm_track_guide_table, guide, rotation) && v < count; ++v)
		lm_v3_store(positions, v, lm_quat_rotate(turn, lm_v3_at(positions, v)));
	lm_transform_apply(&body->frame, positions, count);
}

static void turn_frames(const lm_scene_body* body, const lm_scene_guide* guide)
{
	turn_positions(body, guide, guide->frames, (int64_t)guide->frame_count * guide->vertex_count);
}

static void read_file(lm_reader* reader, const lm_scene_body* body, lm_scene_guide* guide)
{
	bool fps_given = LM_GIVEN(lm_track_guide_table, guide, fps);
	if (!fps_given)
		guide->fps = body->scene->fps;
	const lm_animation_file file = { .name = guide->file,
		                             .first = guide->first,
		                             .last = guide->last,
		                             .last_given = LM_GIVEN(lm_track_guide_table, guide, last),
		                             .fps = guide->fps,
		                             .fps_given = fps_given,
		                             .scale = body->scale * guide->scale };
	lm_animation animation = { 0 };
	lm_read_animation(reader, &file, &animation);
	if (guide->mesh == NULL)
		lm_read_repair_frames(body, animation.frames, animation.frame_count, &animation.vertex_count);
	guide->frame_count = animation.frame_count, guide->vertex_count = animation.vertex_count;
	guide->times = animation.times, guide->frames = animation.frames;
	turn_frames(body, guide);
	if (guide->frame_count > 0 && check_count(reader, body, guide))
		lm_read_check_animation(reader, &animation);
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
	if (file && LM_GIVEN(lm_track_guide_table, guide, bind))
		lm_problem_key(reader, "bind", "is given, but only a guide that is an object can be worn on");
	if (object && LM_GIVEN(lm_track_guide_table, guide, mesh_file))
		lm_problem_key(reader, "mesh", "is given, but a guide that is an object has its own");
	if (file && guide->mesh_file[0] != 0)
		guide->mesh = lm_read_mesh(reader, "mesh", guide->mesh_file, body->scale * guide->scale);
	if (guide->mesh != NULL)
		turn_positions(body, guide, guide->mesh->positions, guide->mesh->vertex_count);
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
		bool bound = track->guide.bind != LM_GUIDE_VERTICES;
		if (mesh != NULL && bound && !lm_track_can_wear(leader))
			lm_problem_key(reader, "bind", "is given, but \"%.60s\" is %s", leader->name,
			               strcmp(leader->engine, "track") == 0 ? "cloth itself: it leads vertex by vertex"
			                                                    : "flat: only a body in space can wear cloth");
		lm_reader_leave(reader, mark);
		if (mesh == NULL || bound || mesh->vertex_count == object->mesh->vertex_count ||
		    (track->map != NULL && mesh->vertex_count == track->coarse_count))
			return;
	}
	if (mesh != NULL)
		match_paints(reader, mesh, track);
}

void lm_track_resolve_between(lm_reader* reader, lm_scene* scene)
{
	lm_track_settle_substeps(reader, scene);
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
