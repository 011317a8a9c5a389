// read_collider.c: colliders: each shape with what it needs, at rest or on keys.
#include "scene/keys.h"
#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

#define GIVEN(field) LM_GIVEN(lm_collider_table, collider, field)

// What a shape has and the others have not.
static void check_part(lm_reader* reader, const char* key, bool needed, bool given, const char* shape)
{
	if (needed && !given)
		lm_problem_key(reader, key, "is missing, must be given for a %s", shape);
	else if (!needed && given)
		lm_problem_key(reader, key, "is given, but a %s has none", shape);
}

static void check_shape(lm_reader* reader, const lm_scene_collider* collider)
{
	static const char* const names[] = { "plane", "sphere", "box", "capsule", "mesh" };
	lm_shape shape = collider->def.shape;
	if (!lm_is_chosen((int)shape))
		return;
	const char* name = names[shape];
	bool mesh = shape == LM_SHAPE_MESH, scale = GIVEN(scale), cache = GIVEN(cache);
	check_part(reader, "radius", shape == LM_SHAPE_SPHERE || shape == LM_SHAPE_CAPSULE, GIVEN(def.radius), name);
	check_part(reader, "half", shape == LM_SHAPE_BOX, GIVEN(def.half), name);
	check_part(reader, "half_length", shape == LM_SHAPE_CAPSULE, GIVEN(def.half_length), name);
	check_part(reader, "mesh", mesh, GIVEN(mesh_file), name);
	check_part(reader, "scale", mesh && scale, scale, name);
	check_part(reader, "cache", mesh && cache, cache, name);
}

// The frames of one that deforms, at times of the scene.
static void read_cache(lm_reader* reader, double fps, lm_scene_collider* collider)
{
	const lm_scene_collider_cache* cache = &collider->cache;
	const lm_mesh* mesh = collider->def.mesh;
	bool fps_given = LM_GIVEN(lm_collider_cache_table, cache, fps);
	const lm_animation_file file = { .name = cache->file,
		                             .first = cache->first,
		                             .last = cache->last,
		                             .last_given = LM_GIVEN(lm_collider_cache_table, cache, last),
		                             .fps = fps_given ? cache->fps : fps,
		                             .fps_given = fps_given,
		                             .scale = collider->scale };
	lm_animation animation = { 0 };
	lm_read_animation(reader, &file, &animation);
	if (animation.frame_count == 0 || mesh == NULL)
		return;
	if (animation.vertex_count != mesh->vertex_count)
	{
		lm_problem_key(reader, "file", "has %d vertices, the collider's mesh has %d: both must be the same mesh",
		               animation.vertex_count, mesh->vertex_count);
		return;
	}
	lm_read_check_animation(reader, &animation);
	for (int32_t k = 0; k < animation.frame_count; ++k)
		animation.times[k] = cache->start + animation.times[k] / cache->speed;
	collider->def.frames =
		(lm_collider_frames){ .count = animation.frame_count, .times = animation.times, .positions = animation.frames };
}

// One key where it stands, or those given, with the collider's own place for what they leave out.
static void make_keys(lm_reader* reader, lm_scene_collider* collider)
{
	int32_t count = collider->key_count > 0 ? collider->key_count : 1;
	lm_placement_key* keys = lm_reader_keep(reader, (size_t)count, sizeof *keys);
	if (keys == NULL)
		return;
	size_t mark = lm_reader_enter(reader, "keys");
	for (int32_t i = 0; i < count; ++i)
	{
		const lm_scene_placement* given = collider->key_count > 0 ? &collider->keys[i] : NULL;
		if (given != NULL)
			keys[i] = given->key;
		if (given == NULL || !LM_GIVEN(lm_placement_table, given, key.position))
			memcpy(keys[i].position, collider->position, sizeof collider->position);
		if (given == NULL || !LM_GIVEN(lm_placement_table, given, key.rotation))
			memcpy(keys[i].rotation, collider->rotation, sizeof collider->rotation);
		if (i > 0 && keys[i].time <= keys[i - 1].time)
		{
			size_t item = lm_reader_enter_item(reader, i);
			lm_problem_key(reader, "time", "is %.10g after %.10g: times must ascend", keys[i].time, keys[i - 1].time);
			lm_reader_leave(reader, item);
		}
	}
	lm_reader_leave(reader, mark);
	collider->def.keys = keys;
	collider->def.key_count = count;
}

void lm_read_collider(lm_reader* reader, const lm_scene* scene, lm_scene_collider* collider, int32_t index)
{
	char name[32];
	snprintf(name, sizeof name, "collider%d", index);
	if (collider->name[0] == 0)
		collider->name = lm_reader_keep_text(reader, name);
	check_shape(reader, collider);
	if (collider->mesh_file[0] != 0 && collider->def.shape == LM_SHAPE_MESH)
		collider->def.mesh =
			lm_read_triangles(reader, "mesh", collider->mesh_file, collider->scale, true, "a collider needs some");
	if (collider->cache.file[0] != 0 && collider->def.shape == LM_SHAPE_MESH)
	{
		size_t mark = lm_reader_enter(reader, "cache");
		read_cache(reader, scene->fps, collider);
		lm_reader_leave(reader, mark);
	}
	make_keys(reader, collider);
}
