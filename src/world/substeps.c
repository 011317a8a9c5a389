// substeps.c: in how many steps a frame goes for objects that step together.
//
// Bodies of `act` touch within their steps, and so do cloths, so that they take as many as the one that needs most.
// What is led steps with its leader, or takes some of the leader's steps at a time: it finds the leader where its own
// step ends. Where counts do not fit, they grow, never beyond the largest of those that are connected.
#include "base/error.h"
#include "objects/objects.h"
#include "objects/track/layers.h"
#include "scene/scene.h"
#include "world/world.h"

// The smallest divisor of `count` that is at least `least`; `least` when that is larger than `count`.
static int32_t divisor(int32_t count, int32_t least)
{
	while (least < count && count % least != 0)
		++least;
	return least;
}

static bool raise(int32_t* substeps, int32_t to)
{
	bool more = to > *substeps;
	*substeps = more ? to : *substeps;
	return more;
}

static bool is_actor(const lm_world* world, int32_t i)
{
	return lm_object_act(world->objects[i].object) != NULL;
}

static bool share_among_actors(lm_world* world)
{
	int32_t most = 0;
	bool more = false;
	for (int32_t i = 0; i < world->object_count; ++i)
		if (is_actor(world, i))
			raise(&most, world->objects[i].substeps);
	for (int32_t i = 0; i < world->object_count; ++i)
		more |= is_actor(world, i) && raise(&world->objects[i].substeps, most);
	return more;
}

// Cloths that may touch, and what leads them.
static bool share_with_cloth(lm_world* world, int32_t i)
{
	lm_world_object* own = &world->objects[i];
	bool more = false;
	for (int32_t j = 0; j < world->object_count; ++j)
	{
		lm_world_object* other = &world->objects[j];
		if (lm_track_layers_touch(own->object, other->object))
			more |= raise(&own->substeps, other->substeps);
		if (other->object == own->object->leader)
		{
			more |= raise(&own->substeps, divisor(other->substeps, own->substeps));
			more |= raise(&other->substeps, own->substeps);
		}
	}
	return more;
}

void lm_world_share_substeps(lm_world* world)
{
	bool more = true;
	while (more)
	{
		more = share_among_actors(world);
		for (int32_t i = 0; i < world->object_count && world->has_cloth; ++i)
			if (world->objects[i].object->engine == &lm_engine_track)
				more |= share_with_cloth(world, i);
	}
}

void lm_world_choose_substeps(lm_world* world)
{
	const lm_scene* scene = world->scene;
	for (int32_t i = 0; i < world->object_count; ++i)
		world->objects[i].substeps = scene->objects[i].substeps;
	lm_world_share_substeps(world);
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_world_object* own = &world->objects[i];
		own->usual_substeps = own->most_substeps = own->substeps;
		if (own->substeps != scene->objects[i].substeps && LM_GIVEN(lm_object_table, &scene->objects[i], substeps))
			lm_log(&world->host, LM_LOG_INFO,
			       "%s: objects[%d]: \"%s\" takes %d steps per frame, not %d, as those do that it steps with",
			       scene->path, i, scene->objects[i].name, own->substeps, scene->objects[i].substeps);
	}
}
