// resolve_follow.c: what an object of `act` performs: a file, or an object of `design`.
#include "objects/act/act.h"
#include "scene/keys.h"

#include <string.h>

#define GIVEN(field) LM_GIVEN(lm_follow_table, follow, field)

static int32_t shown_count(const lm_scene_object* object)
{
	return (object->surface != NULL ? object->surface : object->mesh)->vertex_count;
}

static void read_file(lm_reader* reader, const lm_scene_body* body, lm_scene_follow* follow)
{
	const lm_animation_file file = { .name = follow->file,
		                             .first = follow->first,
		                             .last = follow->last,
		                             .last_given = GIVEN(last),
		                             .fps = GIVEN(fps) ? follow->fps : body->scene->fps,
		                             .fps_given = GIVEN(fps),
		                             .scale = body->frame.used ? 1 : body->scale };
	lm_animation animation = { 0 };
	lm_read_animation(reader, &file, &animation);
	if (animation.frame_count > 0)
		lm_read_check_animation(reader, &animation);
	lm_transform_apply(&body->frame, animation.frames, (int64_t)animation.frame_count * animation.vertex_count);
	follow->frame_count = animation.frame_count, follow->vertex_count = animation.vertex_count;
	follow->times = animation.times, follow->frames = animation.frames;
}

void lm_act_resolve_follow(lm_reader* reader, const lm_scene_body* body, lm_scene_act* act)
{
	lm_scene_follow* follow = &act->follow;
	bool file = GIVEN(file), object = GIVEN(object);
	size_t mark = lm_reader_enter(reader, "follow");
	if (file && object)
		lm_problem(reader, "has both file and object, must have one of them");
	if (!file && !object && follow->given != 0)
		lm_problem(reader, "has neither file nor object, must have one of them");
	if ((file || object) && act->control == LM_ACT_PASSIVE)
		lm_problem(reader, "is given, but the body is passive: it needs control, or to be a character");
	if ((file || object) && act->kind == LM_ACT_CURVE2)
		lm_problem(reader, "is given, but a curve cannot follow");
	for (int32_t g = 0; body->mesh != NULL && g < follow->group_count; ++g)
		if (lm_mesh_find_group(body->mesh, follow->groups[g]) < 0)
			lm_problem_key(reader, "groups", "names \"%.60s\", but the mesh has no such vertex group",
			               follow->groups[g]);
	if (file && !object)
		read_file(reader, body, follow);
	if (file && object)
		follow->object = "";
	lm_reader_leave(reader, mark);
}

static const lm_scene_object* find_object(const lm_scene* scene, const char* name)
{
	for (int32_t i = 0; i < scene->object_count; ++i)
		if (strcmp(scene->objects[i].name, name) == 0)
			return &scene->objects[i];
	return NULL;
}

void lm_act_check_follow(lm_reader* reader, const lm_scene* scene, const lm_scene_object* object)
{
	const lm_scene_follow* follow = &object->act->follow;
	if (!lm_act_follows(object->act) || object->mesh == NULL)
		return;
	size_t mark = lm_reader_enter(reader, "act");
	lm_reader_enter(reader, "follow");
	const lm_scene_object* leader = follow->object[0] != 0 ? find_object(scene, follow->object) : NULL;
	int32_t shown = shown_count(object), count = follow->vertex_count;
	if (follow->object[0] != 0 && leader == NULL)
		lm_problem_key(reader, "object", "is \"%.60s\", but the scene has no such object", follow->object);
	else if (leader != NULL && strcmp(leader->engine, "design") != 0)
		lm_problem_key(reader, "object", "is \"%.60s\", an object of `%s`, must be one of `design`", leader->name,
		               leader->engine);
	else if (leader == NULL || leader->mesh != NULL)
	{
		count = leader != NULL ? leader->mesh->vertex_count : count;
		if (count != shown)
			lm_problem_key(reader, leader != NULL ? "object" : "file",
			               "has %d vertices, the object's surface has %d: both must be the same mesh", count, shown);
	}
	lm_reader_leave(reader, mark);
}
