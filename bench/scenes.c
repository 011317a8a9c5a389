// scenes.c: scenes of the gallery, as rows need them.
#include "scenes.h"

#include <stdio.h>
#include <string.h>

bool bench_no_memory(lm_error* error)
{
	*error = (lm_error){ .status = LM_NO_MEMORY, .message = "out of memory", .element = -1 };
	return false;
}

lm_scene* bench_read_scene(const char* name, lm_error* error)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/gallery/%s", LIMBER_SOURCE, name);
	lm_host host = lm_host_default();
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	if (lm_scene_read(path, &host, &scene, &problems) != LM_OK && problems.count > 0)
		*error = problems.items[0];
	lm_problems_release(&problems);
	return scene;
}

bool bench_put_first(lm_scene* scene, const char* name, lm_error* error)
{
	int32_t chosen = 0;
	while (chosen < scene->object_count && strcmp(scene->objects[chosen].name, name) != 0)
		++chosen;
	if (chosen == scene->object_count)
	{
		*error = (lm_error){ .status = LM_BAD_INPUT, .element = -1 };
		snprintf(error->message, sizeof error->message, "the scene has no object named %s", name);
		return false;
	}
	lm_scene_object object = scene->objects[chosen];
	scene->objects[chosen] = scene->objects[0];
	scene->objects[0] = object;
	return true;
}

void bench_drop_surfaces(lm_scene* scene)
{
	for (int32_t i = 0; i < scene->object_count; ++i)
	{
		lm_mesh_destroy(scene->objects[i].surface);
		scene->objects[i].surface = NULL;
	}
}
