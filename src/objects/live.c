// live.c: see live.h.
#include "objects/live.h"

#include "act/pilot/behaviours.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "objects/timeline.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- making and freeing ----

lm_status lm_live_create(lm_object* object, lm_error* error)
{
	object->live = LM_NEW(&object->host, 1, lm_live);
	if (object->live == NULL)
		return lm_fail_memory(error);
	int32_t count = object->engine->facts(object).example_count;
	object->live->strengths = LM_NEW(&object->host, count, double);
	if (object->live->strengths == NULL)
		return lm_fail_memory(error);
	const lm_table* table = object->engine->live_table;
	object->live->settings = lm_alloc(&object->host, 1, LM_SETTINGS_MOST);
	if (object->live->settings == NULL)
		return lm_fail_memory(error);
	assert(table == NULL || (table->size <= LM_SETTINGS_MOST && lm_table_count(table) <= 64));
	if (table != NULL)
		object->engine->get_settings(object, object->live->settings);
	object->live->example_count = count;
	for (int32_t k = 0; k < count; ++k)
		object->live->strengths[k] = NAN;
	return LM_OK;
}

static void free_handle(const lm_host* host, lm_live_handle* handle)
{
	lm_free(host, handle->vertices);
	lm_free(host, handle->weights);
	lm_free(host, handle->offsets);
}

static void clear(lm_object* object)
{
	lm_live* live = object->live;
	for (int32_t i = 0; i < live->handle_count; ++i)
		free_handle(&object->host, &live->handles[i]);
	lm_free(&object->host, live->handles);
	live->handles = NULL;
	live->handle_count = 0;
}

void lm_live_destroy(lm_object* object)
{
	if (object->live == NULL)
		return;
	clear(object);
	lm_free(&object->host, object->live->strengths);
	lm_free(&object->host, object->live->settings);
	lm_free(&object->host, object->live);
}

lm_live_handle* lm_live_add(lm_object* object, int32_t count)
{
	lm_live* live = object->live;
	const lm_host* host = &object->host;
	lm_live_handle made = { .count = count,
		                    .vertices = LM_NEW(host, count, int32_t),
		                    .weights = LM_NEW(host, count, double),
		                    .offsets = LM_NEW(host, 3 * (size_t)count, double) };
	lm_live_handle* handles = LM_NEW(host, live->handle_count + 1, lm_live_handle);
	if (made.vertices == NULL || made.weights == NULL || made.offsets == NULL || handles == NULL)
	{
		free_handle(host, &made);
		lm_free(host, handles);
		return NULL;
	}
	if (live->handle_count > 0)
		memcpy(handles, live->handles, (size_t)live->handle_count * sizeof *handles);
	lm_free(host, live->handles);
	live->handles = handles;
	handles[live->handle_count] = made;
	return &handles[live->handle_count++];
}

lm_live_handle* lm_live_find(const lm_object* object, int32_t id)
{
	for (int32_t i = 0; i < object->live->handle_count; ++i)
		if (object->live->handles[i].id == id)
			return &object->live->handles[i];
	return NULL;
}

// Cloth is pulled by constraints, as it is pinned: they give way rather than let it cross anything.
bool lm_live_holds(const lm_object* object, const lm_live_handle* handle)
{
	return handle->pinned || object->engine->drag == NULL;
}

void lm_live_remove(lm_object* object, lm_live_handle* handle)
{
	lm_live* live = object->live;
	for (int32_t k = 0; handle->in_use && k < handle->count; ++k)
		if (lm_live_holds(object, handle))
			object->engine->unpin(object, handle->vertices[k]);
		else
			object->engine->drag(object, handle->vertices[k], (double[3]){ 0 }, 0);
	free_handle(&object->host, handle);
	--live->handle_count;
	for (lm_live_handle* at = handle; at < live->handles + live->handle_count; ++at) // the others keep their order
		at[0] = at[1];
}

// ---- playing ----

// Where a handle is at the end of the step, by the same arithmetic as that of keys in a scene, so that a written
// timeline gives the same bits.
static lm_hold place_handle(lm_object* object, lm_live_handle* handle, double place[3])
{
	double times[2] = { object->frame_start, object->frame_end }, values[6];
	memcpy(values, handle->from, sizeof handle->from);
	memcpy(values + 3, handle->to, sizeof handle->to);
	lm_keyed_at(&(lm_keyed){ 2, times, values }, 3, lm_object_step_end(object), place);
	handle->in_use = true;
	return (lm_hold){ handle->count, handle->vertices, handle->weights, handle->offsets };
}

lm_status lm_live_pin(lm_object* object, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < object->live->handle_count; ++i)
	{
		lm_live_handle* handle = &object->live->handles[i];
		double place[3];
		if (!lm_live_holds(object, handle))
			continue;
		lm_hold hold = place_handle(object, handle, place);
		status = lm_hold_pin(object, &hold, place, NULL, error);
	}
	return status;
}

void lm_live_drag(lm_object* object)
{
	for (int32_t i = 0; i < object->live->handle_count; ++i)
	{
		lm_live_handle* handle = &object->live->handles[i];
		double place[3];
		if (lm_live_holds(object, handle))
			continue;
		lm_hold hold = place_handle(object, handle, place);
		lm_hold_drag(object, &hold, place, handle->stiffness, NULL);
	}
}

double lm_live_strength(const lm_object* object, int32_t example, double timeline)
{
	double strength = object->live->strengths[example];
	return isnan(strength) ? timeline : strength;
}

void lm_live_end_frame(lm_object* object)
{
	for (int32_t i = 0; i < object->live->handle_count; ++i)
		memcpy(object->live->handles[i].from, object->live->handles[i].to, sizeof object->live->handles[i].from);
}

// ---- state ----

// Field by field: padding is not state.
static void put_handle(const lm_live_handle* handle, lm_blob* blob)
{
	int32_t head[4] = { handle->id, handle->pinned, handle->count, handle->in_use };
	double numbers[7] = { handle->stiffness };
	memcpy(numbers + 1, handle->from, sizeof handle->from);
	memcpy(numbers + 4, handle->to, sizeof handle->to);
	size_t count = (size_t)handle->count;
	lm_blob_put(blob, head, sizeof head);
	lm_blob_put(blob, numbers, sizeof numbers);
	lm_blob_put(blob, handle->vertices, count * sizeof *handle->vertices);
	lm_blob_put(blob, handle->weights, count * sizeof *handle->weights);
	lm_blob_put(blob, handle->offsets, 3 * count * sizeof *handle->offsets);
}

// The numbers of a command, without its padding: the velocity and what its table lists. Returns how many parts.
static int list_numbers(lm_act_command* command, lm_bytes parts[1 + LM_KEYS_MAX])
{
	int32_t count = lm_table_count(&lm_act_command_table);
	parts[0] = lm_doubles(command->velocity, 3);
	for (int32_t i = 0; i < count; ++i)
	{
		lm_key key = lm_table_key(&lm_act_command_table, i);
		size_t numbers = key.kind == LM_KEY_VECTOR ? (size_t)key.width : 1;
		parts[1 + i] = lm_doubles((double*)((char*)command + key.offset), numbers);
	}
	return 1 + count;
}

static void put_command(lm_act_command command, lm_blob* blob)
{
	int32_t head[2] = { (int32_t)command.behaviour, command.has_place };
	lm_bytes parts[1 + LM_KEYS_MAX];
	lm_blob_put(blob, head, sizeof head);
	lm_bytes_put(parts, list_numbers(&command, parts), blob);
}

void lm_live_save(const lm_object* object, lm_blob* blob)
{
	const lm_live* live = object->live;
	int32_t head[4] = { live->handle_count, live->example_count, live->commanded, live->was_commanded };
	lm_blob_put(blob, head, sizeof head);
	lm_blob_put(blob, &live->told_settings, sizeof live->told_settings);
	lm_blob_put(blob, live->strengths, (size_t)live->example_count * sizeof *live->strengths);
	put_command(live->command, blob);
	for (int32_t i = 0; i < live->handle_count; ++i)
		put_handle(&live->handles[i], blob);
}

static bool is_told(const lm_live* live)
{
	bool told = live->handle_count > 0 || live->was_commanded || live->told_settings != 0;
	for (int32_t k = 0; k < live->example_count; ++k)
		told |= !isnan(live->strengths[k]);
	return told;
}

uint64_t lm_live_hash(const lm_object* object, uint64_t hash)
{
	if (!is_told(object->live))
		return hash;
	lm_blob blob;
	lm_blob_init(&blob, &object->host);
	lm_live_save(object, &blob);
	hash = lm_hash(hash, blob.data, blob.size);
	lm_blob_release(&blob);
	return hash;
}

// False where it is damaged.
static bool get_command(lm_blob* blob, lm_act_command* command)
{
	int32_t head[2];
	lm_bytes parts[1 + LM_KEYS_MAX];
	int count = list_numbers(command, parts);
	lm_blob_get(blob, head, sizeof head);
	lm_bytes_get(parts, count, blob);
	command->behaviour = (lm_act_behaviour)head[0], command->has_place = head[1] == 1;
	return !blob->failed && head[0] >= LM_ACT_GO && head[0] <= LM_ACT_SOMERSAULT && head[1] >> 1 == 0;
}

static lm_status get_handle(lm_object* object, lm_blob* blob, int32_t point_count, lm_error* error)
{
	int32_t head[4];
	double numbers[7];
	lm_blob_get(blob, head, sizeof head);
	lm_bytes_get((lm_bytes[]){ lm_doubles_in(numbers, 1, 0, LM_STATE_LARGEST), lm_doubles(numbers + 1, 6) }, 2, blob);
	if (head[2] < 1 || head[2] > point_count || head[1] >> 1 != 0 || head[3] >> 1 != 0 || blob->failed)
		return lm_fail(error, LM_BAD_INPUT, "the saved handles are damaged");
	lm_live_handle* handle = lm_live_add(object, head[2]);
	if (handle == NULL)
		return lm_fail_memory(error);
	size_t count = (size_t)head[2];
	handle->id = head[0], handle->pinned = head[1] == 1, handle->in_use = head[3] == 1, handle->stiffness = numbers[0];
	memcpy(handle->from, numbers + 1, sizeof handle->from);
	memcpy(handle->to, numbers + 4, sizeof handle->to);
	const lm_bytes parts[3] = { lm_ints_in(handle->vertices, count, 0, point_count - 1),
		                        lm_doubles_in(handle->weights, count, 0, 1), lm_doubles(handle->offsets, 3 * count) };
	lm_bytes_get(parts, 3, blob);
	return blob->failed ? lm_fail(error, LM_BAD_INPUT, "the saved handles are damaged") : LM_OK;
}

// The engine has its own memory of what is pinned and pulled, and has been loaded before.
lm_status lm_live_load(lm_object* object, lm_blob* blob, lm_error* error)
{
	lm_live* live = object->live;
	int32_t head[4];
	lm_act_command command = { 0 };
	lm_blob_get(blob, head, sizeof head);
	if (head[0] < 0 || head[1] != live->example_count || head[2] >> 1 != 0 || head[3] >> 1 != 0)
		return lm_fail(error, LM_BAD_INPUT, "the saved commands are damaged");
	lm_blob_get(blob, &live->told_settings, sizeof live->told_settings);
	lm_blob_get(blob, live->strengths, (size_t)live->example_count * sizeof *live->strengths);
	bool has_command = head[2] != 0 || head[3] != 0;
	if (!get_command(blob, &command) ||
	    (has_command && lm_table_check(&lm_act_command_table, &command, &(lm_error){ 0 }) != LM_OK))
		return lm_fail(error, LM_BAD_INPUT, "the saved command is damaged");
	for (int32_t k = 0; k < live->example_count; ++k)
		if (!isnan(live->strengths[k]) && !(live->strengths[k] >= 0 && live->strengths[k] <= 1))
			return lm_fail(error, LM_BAD_INPUT, "the saved strengths are damaged");
	live->commanded = head[2] == 1, live->was_commanded = head[3] == 1;
	live->command = command;
	clear(object);
	int32_t points = object->engine->facts(object).point_count;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < head[0]; ++i)
		status = blob->failed ? lm_fail(error, LM_BAD_INPUT, "the saved handles are damaged")
		                      : get_handle(object, blob, points, error);
	return status;
}
