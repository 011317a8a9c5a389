// read_collider.c: colliders: each shape with what it needs, at rest or on keys.
#include "base/alloc.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

// What a shape has and the others have not.
static void check_part(lm_reader* reader, const char* key, bool needed, bool given, const char* shape)
{
	if (needed && !given)
		lm_problem_key(reader, key, "is missing, must be given for a %s", shape);
	else if (!needed && given)
		lm_problem_key(reader, key, "is given, but a %s has none", shape);
}

static void check_shape(lm_reader* reader, const lm_read_collider* read)
{
	static const char* const names[] = { "plane", "sphere", "box", "capsule", "mesh" };
	lm_shape shape = read->collider.def.shape;
	if (!lm_is_chosen((int)shape))
		return;
	const char* name = names[shape];
	check_part(reader, "radius", shape == LM_SHAPE_SPHERE || shape == LM_SHAPE_CAPSULE, read->radius_given, name);
	check_part(reader, "half", shape == LM_SHAPE_BOX, read->half_given, name);
	check_part(reader, "half_length", shape == LM_SHAPE_CAPSULE, read->half_length_given, name);
	check_part(reader, "mesh", shape == LM_SHAPE_MESH, read->mesh_given, name);
	check_part(reader, "scale", shape == LM_SHAPE_MESH && read->scale_given, read->scale_given, name);
}

// One key where it stands, or those given, with the collider's own place for what they leave out.
static lm_placement_key* read_keys(lm_reader* reader, const lm_read_collider* read, lm_scene* scene, int32_t* count)
{
	*count = read->key_count > 0 ? read->key_count : 1;
	lm_placement_key* keys = lm_scene_memory(scene, (size_t)*count, sizeof *keys);
	if (keys == NULL)
	{
		lm_reader_no_memory(reader);
		*count = 0;
		return NULL;
	}
	size_t mark = lm_reader_enter(reader, "keys");
	for (int32_t i = 0; i < *count; ++i)
	{
		const lm_read_placement* key = read->key_count > 0 ? &read->keys[i] : NULL;
		if (key != NULL)
			keys[i] = key->key;
		if (key == NULL || !key->position_given)
			memcpy(keys[i].position, read->position, sizeof read->position);
		if (key == NULL || !key->rotation_given)
			memcpy(keys[i].rotation, read->rotation, sizeof read->rotation);
		if (i > 0 && keys[i].time <= keys[i - 1].time)
		{
			size_t item = lm_reader_enter_item(reader, i);
			lm_problem_key(reader, "time", "is %.10g after %.10g: times must ascend", keys[i].time, keys[i - 1].time);
			lm_reader_leave(reader, item);
		}
	}
	lm_reader_leave(reader, mark);
	return keys;
}

void lm_read_collider_into(lm_reader* reader, const lm_read_collider* read, int32_t index, lm_scene* scene)
{
	char name[32];
	snprintf(name, sizeof name, "collider%d", index);
	lm_scene_collider* collider = lm_scene_add_collider(scene, read->name != NULL ? read->name : name);
	if (collider == NULL)
	{
		lm_reader_no_memory(reader);
		return;
	}
	char* kept = collider->name;
	*collider = read->collider;
	collider->name = kept;
	check_shape(reader, read);
	if (read->mesh != NULL && collider->def.shape == LM_SHAPE_MESH)
		collider->def.mesh = lm_read_triangles(reader, "mesh", read->mesh, read->scale, true, "a collider needs some");
	collider->def.keys = read_keys(reader, read, scene, &collider->def.key_count);
}
