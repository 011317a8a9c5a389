// scenes.c: scenes of the gallery, as rows need them.
#include "scenes.h"

#include "fine_cylinder.h"

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

bool bench_refine(lm_scene_object* object, lm_error* error)
{
	double low[3], high[3];
	lm_mesh_bounds(object->mesh->positions, object->mesh->vertex_count, low, high);
	lm_mesh* mesh = fine_cylinder(33, 92, 0.5 * (high[0] - low[0]), high[1] - low[1]);
	lm_mesh* pose = mesh ? fine_corkscrew(mesh, high[1] - low[1]) : NULL;
	if (!pose)
	{
		lm_mesh_destroy(mesh);
		return bench_no_memory(error);
	}
	lm_mesh_destroy(object->mesh);
	lm_mesh_destroy(object->match->examples[0].mesh);
	object->mesh = mesh;
	object->match->examples[0].mesh = pose;
	return true;
}
