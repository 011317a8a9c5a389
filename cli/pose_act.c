// pose_act.c: limber pose --model act: a pose of a character of a scene, held by handles, at the equilibrium of its own
// material: what its example poses are made of.
//
// The handles go to their places in steps, each of which is settled before the next: an equilibrium is the nearest
// minimum of the energy, and far from one there are others.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANDLE_STEPS 10

// The object of that name, or the only one of act. -1 after saying why there is none.
static int32_t find_character(const lm_scene* scene, const char* name)
{
	int32_t found = -1, count = 0;
	for (int32_t i = 0; i < scene->object_count; ++i)
		if (name != NULL ? strcmp(scene->objects[i].name, name) == 0 : strcmp(scene->objects[i].engine, "act") == 0)
			found = i, ++count;
	if (count == 0 || strcmp(scene->objects[found].engine, "act") != 0)
		return usage_error("pose", "%s: has no object %s%s", scene->path, name != NULL ? name : "of the engine act",
		                   count > 0 ? " of the engine act" : ""),
		       -1;
	if (count > 1)
		return usage_error("pose", "%s: has %d characters: say which with --object NAME", scene->path, count), -1;
	const lm_scene_object* object = &scene->objects[found];
	if (object->height > 0 || object->up != 0 || object->forward != 0 || object->place != 0)
		return usage_error("pose", "%s: \"%s\" has height, up, forward or place: poses are made of an object without",
		                   scene->path, object->name),
		       -1;
	return found;
}

// Where its files have it, alone, with nothing that pulls.
static lm_status make_world(lm_scene* scene, int32_t i, const lm_host* host, lm_world** world, lm_error* error)
{
	lm_scene_object* object = &scene->objects[i];
	scene->collider_count = 0;
	object->pin_count = object->drag_count = object->push_count = 0;
	object->start_pose = NULL, object->start_file = "";
	for (int d = 0; d < 3; ++d)
		object->position[d] = object->velocity[d] = object->angular_velocity[d] = 0;
	memcpy(object->rotation, (double[4]){ 1, 0, 0, 0 }, sizeof object->rotation);
	return lm_world_create(scene, host, world, error);
}

static lm_status settle(lm_act* body, const lm_mesh* mesh, const lm_scene_handle* handles, int32_t count,
                        lm_act_static_report* report, lm_error* error)
{
	lm_act_settings settings = lm_act_get_settings(body);
	memset(settings.gravity, 0, sizeof settings.gravity);
	lm_status status = lm_act_set_settings(body, &settings, error);
	for (int step = 1; step <= HANDLE_STEPS && status == LM_OK; ++step)
	{
		for (int32_t i = 0; i < count; ++i)
			for (int32_t k = 0; k < handles[i].count; ++k)
			{
				double place[3];
				int32_t v = handles[i].vertices[k];
				lm_handle_place(&handles[i], mesh, (double)step / HANDLE_STEPS, mesh->positions + 3 * (size_t)v, place);
				lm_act_pin(body, v, place);
			}
		status = lm_act_settle(body, NULL, report, error);
	}
	return status;
}

// What its file has: the detailed surface, or else the simulated mesh, in the units of the file.
static lm_status write_pose(lm_world* world, int32_t i, const lm_scene_object* object, const char* out, lm_error* error)
{
	const lm_mesh* mesh = object->surface != NULL ? object->surface : object->mesh;
	size_t count = 3 * (size_t)mesh->vertex_count;
	double* positions = malloc(sizeof *positions * (count + 1));
	if (positions == NULL)
		return *error = (lm_error){ .status = LM_NO_MEMORY, .message = "out of memory", .element = -1 }, LM_NO_MEMORY;
	if (object->surface != NULL)
		memcpy(positions, lm_world_surface(world, i).positions, count * sizeof *positions);
	else
		lm_act_positions(lm_world_act(world, i), positions);
	for (size_t k = 0; k < count; ++k)
		positions[k] /= object->scale;
	lm_status status = lm_mesh_write(out, mesh, positions, error);
	free(positions);
	return status;
}

static int pose_object(lm_scene* scene, int32_t i, const char* file, const char* out, const lm_host* host)
{
	lm_scene_handle* handles = NULL;
	int32_t count = 0;
	lm_world* world = NULL;
	lm_error error = { 0 };
	lm_problems problems = { .host = *host };
	lm_act_static_report report = { 0 };
	const lm_scene_object* object = &scene->objects[i];
	int code = EXIT_GOOD;
	if (lm_handles_read(file, object->mesh, host, &handles, &count, NULL, &problems) != LM_OK)
		code = report_problems(&problems);
	else if (make_world(scene, i, host, &world, &error) != LM_OK ||
	         settle(lm_world_act(world, i), object->mesh, handles, count, &report, &error) != LM_OK ||
	         write_pose(world, i, object, out, &error) != LM_OK)
		code = report_error(&error);
	end_progress();
	if (code == EXIT_GOOD)
		printf("%s: \"%s\" at %.3g J, %.3g N left after %d iterations%s\n", out, object->name, report.energy,
		       report.residual, report.iterations,
		       report.converged ? "" : "; no equilibrium: the handles ask for too much");
	lm_world_destroy(world);
	lm_problems_release(&problems);
	lm_handles_free(host, handles, count);
	return code;
}

int pose_character(const char* path, const char* name, const char* file, const char* out, const lm_host* host)
{
	lm_scene* scene;
	int code = read_scene(path, host, &scene);
	if (code != EXIT_GOOD)
		return code;
	int32_t i = find_character(scene, name);
	if (i < 0)
		code = EXIT_BAD_INPUT;
	else if (is_input(scene, out))
		code = usage_error("pose", "%s: is part of the scene and would be written over; choose another name", out);
	else
		code = pose_object(scene, i, file, out, host);
	lm_scene_destroy(scene);
	return code;
}
