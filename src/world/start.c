// start.c: warnings about the start: bodies inside colliders, which are pushed out in the first frame. The usual cause
// is a model whose up is another axis, or one whose origin is its middle.
#include "base/error.h"
#include "scene/scene.h"
#include "world/world.h"

#define NOTICEABLE 0.05 // of the size

static lm_touch find_deepest(const lm_world_object* object)
{
	lm_touch deepest = { .collider = -1, .distance = 0 };
	int32_t count = object->object->engine->facts(object->object).point_count;
	for (int32_t k = 0; k < count; ++k)
	{
		lm_touch touch = lm_colliders_query(object->object->colliders, object->points + 3 * (size_t)k, 0);
		if (touch.collider >= 0 && touch.distance < deepest.distance)
			deepest = touch;
	}
	return deepest;
}

void lm_world_warn_of_start(lm_world* world)
{
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		const lm_world_object* object = &world->objects[i];
		const lm_engine* engine = object->object->engine;
		if (!engine->pushed_out)
			continue;
		engine->points(object->object, object->points);
		lm_touch touch = find_deepest(object);
		double depth = -touch.distance;
		const lm_scene_collider* collider =
			touch.collider >= 0 ? lm_scene_collider_of(world->scene, object->object->description, touch.collider)
								: NULL;
		if (collider == NULL || !(depth > NOTICEABLE * object->size)) // those inside designed objects: lm_world_pairs
			continue;
		const double* n = touch.normal;
		lm_log(&world->host, LM_LOG_WARNING,
		       "%s: objects[%d]: \"%s\" begins %.3g m inside the collider \"%s\", which will push it out: move it by "
		       "[%.3g, %.3g, %.3g]",
		       world->scene->path, i, world->scene->objects[i].name, depth, collider->name, depth * n[0] + 0.0,
		       depth * n[1] + 0.0, depth * n[2] + 0.0);
	}
}
