// take_deeds.c: repeats a take, and notes what its commands do to which vertices and numbers, frame by frame.
#include "base/error.h"
#include "objects/live.h"
#include "objects/settings.h"
#include "world/take.h"

#include <inttypes.h>
#include <string.h>

// Room for one more at the end of a list, zeroed; NULL when out of memory. The list moves when it grows.
static void* extend(lm_arena* memory, void* list, size_t* count, size_t* capacity, size_t size)
{
	char** items = list;
	if (*count == *capacity)
	{
		size_t more = 2 * *capacity + 8;
		char* grown = lm_arena_take(memory, more, size);
		if (grown == NULL)
			return NULL;
		if (*count > 0)
			memcpy(grown, *items, *count * size);
		*items = grown, *capacity = more;
	}
	return memset(*items + (*count)++ * size, 0, size);
}

#define EXTEND(deeds, list, counted)                                                                                   \
	extend(&(deeds)->memory, (void*)&(deeds)->list, &(deeds)->counted##_count, &(deeds)->counted##_capacity,           \
	       sizeof *(deeds)->list)

static void* keep(lm_arena* memory, const void* data, size_t count, size_t size)
{
	void* copy = lm_arena_take(memory, count, size);
	return copy != NULL ? memcpy(copy, data, count * size) : NULL;
}

// ---- holds ----

static bool add_place(lm_take_deeds* deeds, lm_take_hold* hold, const double place[3])
{
	double* room = extend(&deeds->memory, (void*)&hold->places, &hold->key_count, &hold->capacity, 3 * sizeof *place);
	if (room != NULL)
		memcpy(room, place, 3 * sizeof *place);
	return room != NULL;
}

static bool begin_hold(lm_take_deeds* deeds, const lm_world* world, const lm_command* command)
{
	const lm_object* object = world->objects[command->object].object;
	const lm_live_handle* handle = lm_live_find(object, command->id);
	lm_take_hold* hold = EXTEND(deeds, holds, hold);
	if (hold == NULL)
		return false;
	size_t count = (size_t)handle->count;
	*hold = (lm_take_hold){ .object = command->object,
		                    .id = command->id,
		                    .pinned = lm_live_holds(object, handle),
		                    .count = handle->count,
		                    .vertices = keep(&deeds->memory, handle->vertices, count, sizeof *handle->vertices),
		                    .weights = keep(&deeds->memory, handle->weights, count, sizeof *handle->weights),
		                    .offsets = keep(&deeds->memory, handle->offsets, 3 * count, sizeof *handle->offsets),
		                    .stiffness = handle->stiffness,
		                    .first = world->frame,
		                    .last = -1 };
	return hold->vertices != NULL && hold->weights != NULL && hold->offsets != NULL &&
	       add_place(deeds, hold, handle->from);
}

static void end_hold(lm_take_deeds* deeds, const lm_world* world, int32_t id)
{
	for (size_t i = 0; i < deeds->hold_count; ++i)
		if (deeds->holds[i].id == id && deeds->holds[i].last < 0)
			deeds->holds[i].last = world->frame;
}

// Where all that are held have arrived, after a frame.
static bool follow_holds(lm_take_deeds* deeds, const lm_world* world)
{
	bool good = true;
	for (size_t i = 0; good && i < deeds->hold_count; ++i)
	{
		lm_take_hold* hold = &deeds->holds[i];
		if (hold->last < 0)
			good = add_place(deeds, hold, lm_live_find(world->objects[hold->object].object, hold->id)->to);
	}
	return good;
}

// ---- the other kinds ----

// Before it is done: the patch is that of where the body is now.
static lm_status add_push(lm_take_deeds* deeds, lm_world* world, const lm_command* command, lm_error* error)
{
	lm_patch patch;
	lm_take_push* push = EXTEND(deeds, pushes, push);
	if (push == NULL)
		return lm_fail_memory(error);
	*push = (lm_take_push){ .object = command->object, .frame = world->frame };
	memcpy(push->impulse, command->to, sizeof push->impulse);
	lm_status status = lm_world_find_patch(world, command->object, command->triangle, command->place, command->radius,
	                                       &deeds->memory, &patch, error);
	if (status == LM_OK)
		push->count = patch.count, push->vertices = patch.vertices;
	return status;
}

static bool add_change(lm_take_deeds* deeds, const lm_world* world, const lm_command* command)
{
	lm_take_change* change = EXTEND(deeds, changes, change);
	if (change == NULL)
		return false;
	const lm_object* object = world->objects[command->object].object;
	bool setting = command->kind == LM_COMMAND_SET || command->key[0] != 0;
	change->object = command->object;
	change->frame = world->frame;
	change->strength = !setting || command->kind == LM_COMMAND_EXAMPLE;
	change->freed = command->kind == LM_COMMAND_FREE;
	change->number = change->strength ? command->example : lm_settings_find(object, command->key, NULL);
	if (change->strength)
		change->value[0] = command->strength;
	else
		memcpy(change->value, command->value, sizeof change->value);
	return true;
}

static bool add_behaviour(lm_take_deeds* deeds, const lm_world* world, const lm_command* command)
{
	for (size_t i = 0; i < deeds->behaviour_count; ++i)
		if (deeds->behaviours[i].object == command->object && deeds->behaviours[i].last < 0)
			deeds->behaviours[i].last = world->frame;
	if (command->kind == LM_COMMAND_FREE)
		return true;
	lm_take_behaviour* behaviour = EXTEND(deeds, behaviours, behaviour);
	if (behaviour == NULL)
		return false;
	*behaviour =
		(lm_take_behaviour){ command->object, world->frame, -1, world->objects[command->object].object->live->command };
	return true;
}

// ---- all of it ----

static lm_status perform(lm_take_deeds* deeds, lm_world* world, const lm_command* command, lm_error* error)
{
	lm_status status = command->kind == LM_COMMAND_PUSH ? add_push(deeds, world, command, error) : LM_OK;
	if (status == LM_OK)
		status = lm_world_command(world, command, error);
	if (status != LM_OK)
		return status;
	bool good = true;
	switch (command->kind)
	{
		case LM_COMMAND_GRAB:
		case LM_COMMAND_PIN: good = begin_hold(deeds, world, command); break;
		case LM_COMMAND_RELEASE: end_hold(deeds, world, command->id); break;
		case LM_COMMAND_MOVE:
		case LM_COMMAND_PUSH: break;
		case LM_COMMAND_EXAMPLE:
		case LM_COMMAND_SET: good = add_change(deeds, world, command); break;
		case LM_COMMAND_DO: good = add_behaviour(deeds, world, command); break;
		case LM_COMMAND_KEY:
		case LM_COMMAND_REMOVE_KEY:
		case LM_COMMAND_HANDLE:
		case LM_COMMAND_REMOVE_HANDLE:
		case LM_COMMAND_MOVE_KEY: break; // read from the world at the end
		case LM_COMMAND_FREE:
			good = command->key[0] != 0 || command->example >= 0 ? add_change(deeds, world, command)
			                                                     : add_behaviour(deeds, world, command);
			break;
	}
	return good ? LM_OK : lm_fail_memory(error);
}

lm_status lm_take_perform(const lm_take* take, lm_world* world, lm_take_deeds* deeds, lm_error* error)
{
	*deeds = (lm_take_deeds){ .frames = lm_take_frames(take), .planned = -1 };
	lm_arena_init(&deeds->memory, &world->host);
	lm_status status = lm_take_fits(take, world, error);
	if (status == LM_OK && world->frame != 0)
		return lm_fail(error, LM_BAD_INPUT, "the world is at frame %" PRId64 ", must be at its first", world->frame);
	size_t next = 0;
	while (status == LM_OK && world->frame < deeds->frames)
	{
		while (status == LM_OK && next < take->count && take->entries[next].frame == world->frame)
		{
			const lm_take_entry* entry = &take->entries[next];
			bool plans = !entry->is_hash && lm_command_plans(world, &entry->command);
			if (plans)
				deeds->planned = world->frame;
			if (entry->is_hash || plans)
				status = lm_take_give(take, &next, world, error);
			else
				status = perform(deeds, world, &take->entries[next++].command, error);
		}
		if (status == LM_OK)
			status = lm_world_step(world, error);
		if (status == LM_OK && !lm_take_agrees(take, world))
			return lm_fail(error, LM_BAD_INPUT, "the take does not repeat here: it differs from frame %" PRId64 "%s",
			               world->frame, lm_take_is_ours(take) ? "" : "; another build of limber has recorded it");
		if (status == LM_OK && !follow_holds(deeds, world))
			status = lm_fail_memory(error);
		if (!lm_progress(&world->host, "repeating the take", (double)world->frame / (double)deeds->frames))
			return lm_fail(error, LM_CANCELLED, "repeating the take was cancelled");
	}
	return status;
}
