// command.c: what a hand, a key or a program tells the objects of a world between two frames.
#include "act/pilot/behaviours.h"
#include "base/arena.h"
#include "base/error.h"
#include "math/vec.h"
#include "objects/live.h"
#include "objects/settings.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lm_command lm_command_default(lm_command_kind kind)
{
	return (lm_command){ .kind = kind,
		                 .frequency = 3,
		                 .example = -1,
		                 .act = lm_act_command_default(LM_ACT_STAND),
		                 .vertex = -1,
		                 .weight = 1 };
}

static const char* name_of(const lm_object* object)
{
	return object->description->name;
}

lm_status lm_command_check_vector(const double v[3], const char* what, lm_error* error)
{
	for (int c = 0; c < 3; ++c)
		if (!(fabs(v[c]) <= 1e9))
			return lm_fail(error, LM_BAD_INPUT, "%s has %c = %g, must be a number within 1e9", what, "xyz"[c], v[c]);
	return LM_OK;
}

// ---- patches of the surface ----

lm_status lm_command_check_place(const lm_world* world, const lm_command* command, lm_error* error)
{
	const lm_world_display* display = &world->displays[command->object];
	int32_t triangles = display->mesh->triangle_count;
	const double* b = command->place;
	if (command->triangle < 0 || command->triangle >= triangles)
		return lm_fail(error, LM_BAD_INPUT, "triangle %d is not on the surface, which has %d, counted from 0",
		               command->triangle, triangles);
	for (int c = 0; c < 3; ++c)
		if (!(b[c] >= -1e-6 && b[c] <= 1 + 1e-6))
			return lm_fail(error, LM_BAD_INPUT, "the place has the barycentric coordinate %g, must be between 0 and 1",
			               b[c]);
	if (!(fabs(b[0] + b[1] + b[2] - 1) < 1e-4))
		return lm_fail(error, LM_BAD_INPUT, "the barycentric coordinates of the place add up to %g, must be 1",
		               b[0] + b[1] + b[2]);
	if (!(command->radius >= 0 && command->radius <= 1e9))
		return lm_fail(error, LM_BAD_INPUT, "the radius is %g m, must be at least 0", command->radius);
	return LM_OK;
}

static lm_status make_handle(lm_object* object, const lm_command* command, const lm_patch* patch, const double* points,
                             lm_error* error)
{
	lm_live_handle* handle = lm_live_add(object, patch->count);
	if (handle == NULL)
		return lm_fail_memory(error);
	double speed = 2 * LM_PI * command->frequency;
	handle->id = command->id;
	handle->pinned = command->kind == LM_COMMAND_PIN;
	handle->stiffness = object->engine->facts(object).mass * speed * speed; // m (2 pi f)^2: alike for every mass
	memcpy(handle->vertices, patch->vertices, (size_t)patch->count * sizeof *patch->vertices);
	memcpy(handle->weights, patch->weights, (size_t)patch->count * sizeof *patch->weights);
	memcpy(handle->from, patch->place, sizeof handle->from);
	memcpy(handle->to, patch->place, sizeof handle->to);
	for (int32_t k = 0; k < patch->count; ++k)
		lm_v3_store(handle->offsets, k, lm_sub(lm_v3_at(points, patch->vertices[k]), lm_v3_at(patch->place, 0)));
	return LM_OK;
}

static lm_status use_patch(lm_world* world, const lm_command* command, lm_error* error)
{
	lm_world_object* own = &world->objects[command->object];
	lm_object* object = own->object;
	bool push = command->kind == LM_COMMAND_PUSH;
	bool can = object->engine->can_be_held == NULL || object->engine->can_be_held(object);
	if (!can || (push ? object->engine->push == NULL : object->engine->pin == NULL))
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": objects of %s cannot be %s: %s", name_of(object),
		               object->engine->name, push ? "pushed" : "grabbed", object->engine->instead);
	for (int32_t i = 0; !push && i < world->object_count; ++i)
		if (lm_live_find(world->objects[i].object, command->id) != NULL)
			return lm_fail(error, LM_BAD_INPUT, "there is a grab or pin %d already", command->id);
	if (!(command->frequency > 0 && command->frequency <= 1000))
		return lm_fail(error, LM_BAD_INPUT, "the frequency is %g Hz, must be above 0 and at most 1000",
		               command->frequency);
	lm_status status = lm_command_check_place(world, command, error);
	if (status == LM_OK && push)
		status = lm_command_check_vector(command->to, "the impulse", error);
	if (status != LM_OK)
		return status;
	lm_arena scratch;
	lm_arena_init(&scratch, &world->host);
	lm_patch patch;
	status = lm_world_find_patch(world, command->object, command->triangle, command->place, command->radius, &scratch,
	                             &patch, error);
	if (status == LM_OK && push)
		object->engine->push(object, patch.vertices, patch.count, command->to);
	else if (status == LM_OK)
		status = make_handle(object, command, &patch, own->points, error);
	lm_arena_release(&scratch);
	return status;
}

// ---- handles ----

static lm_live_handle* find_handle(const lm_world* world, int32_t id, int32_t* object)
{
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_live_handle* handle = lm_live_find(world->objects[i].object, id);
		if (handle != NULL)
		{
			*object = i;
			return handle;
		}
	}
	return NULL;
}

static lm_status use_handle(lm_world* world, const lm_command* command, lm_error* error)
{
	int32_t object;
	lm_live_handle* handle = find_handle(world, command->id, &object);
	if (handle == NULL)
		return lm_fail(error, LM_BAD_INPUT, "there is no grab or pin %d", command->id);
	lm_status status = LM_OK;
	if (command->kind == LM_COMMAND_RELEASE)
		lm_live_remove(world->objects[object].object, handle);
	else if ((status = lm_command_check_vector(command->to, "the target", error)) == LM_OK)
		memcpy(handle->to, command->to, sizeof handle->to);
	return status;
}

bool lm_world_handle(const lm_world* world, int32_t id, int32_t* object, double place[3], double target[3])
{
	const lm_live_handle* handle = find_handle(world, id, object);
	if (handle == NULL)
		return false;
	const lm_world_object* own = &world->objects[*object];
	own->object->engine->points(own->object, own->points);
	lm_vec3 sum = { 0 };
	for (int32_t k = 0; k < handle->count; ++k)
	{
		lm_vec3 x = lm_sub(lm_v3_at(own->points, handle->vertices[k]), lm_v3_at(handle->offsets, k));
		sum = lm_add_scaled(sum, handle->weights[k], x);
	}
	lm_v3_store(place, 0, sum);
	memcpy(target, handle->to, sizeof handle->to);
	return true;
}

// ---- settings ----

static lm_status set(lm_object* object, const lm_command* command, lm_error* error)
{
	char key[sizeof command->key + 1];
	snprintf(key, sizeof key, "%.*s", (int)sizeof command->key, command->key);
	int32_t number = lm_settings_find(object, key, error);
	if (number < 0)
		return LM_BAD_INPUT;
	return command->kind == LM_COMMAND_SET ? lm_settings_tell(object, number, command->value, error)
	                                       : lm_settings_free(object, number, error);
}

// ---- examples and behaviours ----

static lm_status check_example(const lm_object* object, int32_t example, lm_error* error)
{
	int32_t count = object->live->example_count;
	if (example >= 0 && example < count)
		return LM_OK;
	if (count == 0)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has no examples", name_of(object));
	return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has no example %d: it has %d, counted from 0",
	               name_of(object), example, count);
}

static lm_status blend(lm_object* object, const lm_command* command, lm_error* error)
{
	lm_status status = check_example(object, command->example, error);
	if (status == LM_OK && !(command->strength >= 0 && command->strength <= 1))
		status = lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": the strength is %g, must be between 0 and 1",
		                 name_of(object), command->strength);
	if (status == LM_OK)
		object->live->strengths[command->example] = command->strength;
	return status;
}

static lm_status carry_out(lm_object* object, const lm_act_command* act, lm_error* error)
{
	if (object->engine->check_command == NULL)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": objects of %s cannot be told to do anything",
		               name_of(object), object->engine->name);
	lm_status status = object->engine->check_command(object, act, error);
	if (status != LM_OK)
		return status;
	object->live->commanded = object->live->was_commanded = true;
	object->live->command = *act;
	object->live->command.has_place &= lm_act_behaviour_knows(act->behaviour, "to"); // as in scenes
	return LM_OK;
}

static lm_status free_again(lm_world* world, const lm_command* command, lm_error* error)
{
	lm_object* object = world->objects[command->object].object;
	int32_t example = command->example;
	if (example < 0 && object->engine->plan != NULL)
		return lm_world_plan(world, command, 1, error);
	if (example < 0)
	{
		object->live->commanded = false;
		return LM_OK;
	}
	lm_status status = check_example(object, example, error);
	if (status == LM_OK)
		object->live->strengths[example] = NAN;
	return status;
}

lm_status lm_world_command(lm_world* world, const lm_command* command, lm_error* error)
{
	bool by_id = command->kind == LM_COMMAND_MOVE || command->kind == LM_COMMAND_RELEASE;
	if (!by_id && (command->object < 0 || command->object >= world->object_count))
		return lm_fail(error, LM_BAD_INPUT, "there is no object %d: the world has %d, counted from 0", command->object,
		               world->object_count);
	lm_status status = lm_world_prepare(world, error);
	if (status != LM_OK)
		return status;
	lm_object* object = by_id ? NULL : world->objects[command->object].object;
	switch (command->kind)
	{
		case LM_COMMAND_GRAB:
		case LM_COMMAND_PIN:
		case LM_COMMAND_PUSH: return use_patch(world, command, error);
		case LM_COMMAND_MOVE:
		case LM_COMMAND_RELEASE: return use_handle(world, command, error);
		case LM_COMMAND_EXAMPLE: return blend(object, command, error);
		case LM_COMMAND_SET: return set(object, command, error);
		case LM_COMMAND_DO: return carry_out(object, &command->act, error);
		case LM_COMMAND_FREE:
			return command->key[0] != 0 ? set(object, command, error) : free_again(world, command, error);
		case LM_COMMAND_KEY:
		case LM_COMMAND_REMOVE_KEY:
		case LM_COMMAND_HANDLE:
		case LM_COMMAND_REMOVE_HANDLE:
		case LM_COMMAND_MOVE_KEY: return lm_world_plan(world, command, 1, error);
	}
	return lm_fail(error, LM_BAD_INPUT, "there is no command %d", (int)command->kind);
}
