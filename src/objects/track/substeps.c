// substeps.c: steps of cloths that have to fit each other.
//
// Cloths that touch take their steps together, as many as the finest of them; what leads a cloth takes a multiple of
// its steps, so that the guide is known at the end of each. Numbers only grow, and those that would exceed what is
// possible stay as they are: whoever reads them refuses these.
#include "base/error.h"
#include "objects/track/track.h"
#include "scene/scene.h"

#include <string.h>

enum
{
	MOST_SUBSTEPS = 1000 // that a scene may have
};

// How many cloths lead it, directly or through others; -1 in a circle.
static int32_t depth_of(const lm_scene* scene, const lm_scene_object* object)
{
	int32_t depth = 0, steps = 0;
	for (const lm_scene_object* at = lm_track_leader(scene, object); at != NULL; at = lm_track_leader(scene, at))
	{
		depth += strcmp(at->engine, "track") == 0;
		if (++steps > scene->object_count)
			return -1;
	}
	return depth;
}

static bool lift(lm_scene_object* object, int32_t substeps)
{
	if (object->substeps >= substeps || substeps > MOST_SUBSTEPS)
		return false;
	object->substeps = substeps;
	return true;
}

static bool is_cloth(const lm_scene_object* object)
{
	return strcmp(object->engine, "track") == 0;
}

static bool settle(lm_scene* scene)
{
	bool any = false;
	for (int32_t i = 0; i < scene->object_count; ++i)
	{
		lm_scene_object* cloth = &scene->objects[i];
		if (!is_cloth(cloth) || cloth->substeps < 1)
			continue;
		lm_scene_object* leader = (lm_scene_object*)lm_track_leader(scene, cloth);
		if (leader != NULL && leader->substeps % cloth->substeps != 0)
			any |= lift(leader, (leader->substeps / cloth->substeps + 1) * cloth->substeps);
		for (int32_t j = 0; j < scene->object_count; ++j)
		{
			const lm_scene_object* other = &scene->objects[j];
			if (j != i && is_cloth(other) && lm_scene_may_touch(cloth, other) &&
			    depth_of(scene, cloth) == depth_of(scene, other))
				any |= lift(cloth, other->substeps);
		}
	}
	return any;
}

void lm_track_settle_substeps(lm_reader* reader, lm_scene* scene)
{
	int32_t* before = lm_reader_keep(reader, (size_t)scene->object_count, sizeof *before);
	for (int32_t i = 0; before != NULL && i < scene->object_count; ++i)
		before[i] = scene->objects[i].substeps;
	for (bool more = before != NULL; more;)
		more = settle(scene);
	for (int32_t i = 0; before != NULL && i < scene->object_count; ++i)
		if (scene->objects[i].substeps != before[i])
			lm_log(&reader->host, LM_LOG_WARNING,
			       "%s: \"%.60s\" takes %d substeps, not %d: as many as the cloths that it touches, or a multiple of "
			       "those of the cloth that it leads",
			       reader->file, scene->objects[i].name, scene->objects[i].substeps, before[i]);
}
