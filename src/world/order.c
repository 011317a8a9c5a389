// order.c: objects in the order in which they are stepped: engine by engine, and there leaders before followers.
#include "base/alloc.h"
#include "base/error.h"
#include "world/world.h"

static const char* leader_name(const lm_object* object)
{
	return object->engine->leader_name != NULL ? object->engine->leader_name(object) : "";
}

// How many objects lead the object, directly or through others; -1 for a cycle.
static int32_t count_leaders(const lm_world* world, const lm_object* object)
{
	int32_t count = 0;
	for (const lm_object* leader = object->leader; leader != NULL; leader = leader->leader)
		if (++count > world->object_count)
			return -1;
	return count;
}

static lm_status find_leaders(lm_world* world, lm_error* error)
{
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_object* object = world->objects[i].object;
		const char* name = leader_name(object);
		int32_t leader = name[0] != 0 ? lm_world_find_object(world, name) : i;
		if (name[0] != 0 && (leader < 0 || leader == i))
			return lm_fail(error, LM_BAD_INPUT, "object \"%s\": \"%s\" cannot lead it", object->description->name,
			               name);
		object->leader = name[0] != 0 ? world->objects[leader].object : NULL;
	}
	for (int32_t i = 0; i < world->object_count; ++i)
		if (count_leaders(world, world->objects[i].object) < 0)
			return lm_fail(error, LM_BAD_INPUT, "object \"%s\" is led by itself, through others",
			               world->objects[i].object->description->name);
	return LM_OK;
}

// Objects of the engine that have `leaders` leaders, appended to the order.
static int32_t append(lm_world* world, const lm_engine* engine, int32_t leaders, int32_t count)
{
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_object* object = world->objects[i].object;
		if (object->engine == engine && count_leaders(world, object) == leaders)
			world->order[count++] = object;
	}
	return count;
}

lm_status lm_world_find_order(lm_world* world, lm_error* error)
{
	world->order = LM_NEW(&world->host, world->object_count, lm_object*);
	world->starts = LM_NEW(&world->host, lm_engine_count() + 1, int32_t);
	if (world->order == NULL || world->starts == NULL)
		return lm_fail_memory(error);
	lm_status status = find_leaders(world, error);
	if (status != LM_OK)
		return status;
	int32_t most = 0, count = 0;
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		int32_t leaders = count_leaders(world, world->objects[i].object);
		most = leaders > most ? leaders : most;
	}
	for (int32_t e = 0; e < lm_engine_count(); ++e)
	{
		for (int32_t leaders = 0; leaders <= most; ++leaders)
			count = append(world, lm_engine_at(e), leaders, count);
		world->starts[e + 1] = count;
	}
	return LM_OK;
}
