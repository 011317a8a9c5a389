// live.c: see live.h.
#include "objects/live.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

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
static bool holds(const lm_object* object, const lm_live_handle* handle)
{
	return handle->pinned || object->engine->drag == NULL;
}

void lm_live_remove(lm_object* object, lm_live_handle* handle)
{
	lm_live* live = object->live;
	for (int32_t k = 0; k < handle->count; ++k)
		if (holds(object, handle))
			object->engine->unpin(object, handle->vertices[k]);
		else
			object->engine->drag(object, handle->vertices[k], (double[3]){ 0 }, 0);
	free_handle(&object->host, handle);
	*handle = live->handles[--live->handle_count];
}

// ---- playing ----

lm_status lm_live_play(lm_object* object, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; i < object->live->handle_count; ++i)
	{
		const lm_live_handle* handle = &object->live->handles[i];
		for (int32_t k = 0; status == LM_OK && k < handle->count; ++k)
		{
			// the same arithmetic as that of keys in a scene, so that a written timeline gives the same bits
			double times[2] = { object->frame_start, object->frame_end }, values[6], target[3];
			for (int c = 0; c < 3; ++c)
			{
				values[c] = handle->from[c] + handle->offsets[3 * k + c];
				values[3 + c] = handle->to[c] + handle->offsets[3 * k + c];
			}
			lm_keyed_at(&(lm_keyed){ 2, times, values }, 3, object->time + object->h, target);
			if (holds(object, handle))
				status = object->engine->pin(object, handle->vertices[k], target, error);
			else
				object->engine->drag(object, handle->vertices[k], target, handle->stiffness * handle->weights[k]);
		}
	}
	return status;
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
	int32_t head[3] = { handle->id, handle->pinned, handle->count };
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

// A command without its padding.
typedef struct packed_command
{
	double numbers[22];
} packed_command;

static packed_command pack(const lm_act_command* c)
{
	return (packed_command){ { (double)c->behaviour,
		                       c->velocity[0],
		                       c->velocity[1],
		                       c->velocity[2],
		                       c->has_place,
		                       c->place[0],
		                       c->place[1],
		                       c->place[2],
		                       c->speed,
		                       c->up,
		                       c->crouch_seconds,
		                       c->squat,
		                       c->lean,
		                       c->land_seconds,
		                       c->step_seconds,
		                       c->lift,
		                       c->width,
		                       c->turn,
		                       c->weight,
		                       c->height_weight,
		                       c->balance_weight } };
}

static lm_act_command unpack(const packed_command* p)
{
	const double* n = p->numbers;
	return (lm_act_command){ .behaviour = (lm_act_behaviour)n[0],
		                     .velocity = { n[1], n[2], n[3] },
		                     .has_place = n[4] != 0,
		                     .place = { n[5], n[6], n[7] },
		                     .speed = n[8],
		                     .up = n[9],
		                     .crouch_seconds = n[10],
		                     .squat = n[11],
		                     .lean = n[12],
		                     .land_seconds = n[13],
		                     .step_seconds = n[14],
		                     .lift = n[15],
		                     .width = n[16],
		                     .turn = n[17],
		                     .weight = n[18],
		                     .height_weight = n[19],
		                     .balance_weight = n[20] };
}

void lm_live_save(const lm_object* object, lm_blob* blob)
{
	const lm_live* live = object->live;
	int32_t head[4] = { live->handle_count, live->example_count, live->commanded, live->was_commanded };
	packed_command command = pack(&live->command);
	lm_blob_put(blob, head, sizeof head);
	lm_blob_put(blob, live->strengths, (size_t)live->example_count * sizeof *live->strengths);
	lm_blob_put(blob, &command, sizeof command);
	for (int32_t i = 0; i < live->handle_count; ++i)
		put_handle(&live->handles[i], blob);
}

static bool is_told(const lm_live* live)
{
	bool told = live->handle_count > 0 || live->was_commanded;
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

static bool is_finite(const double* numbers, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		if (!isfinite(numbers[i]))
			return false;
	return true;
}

static lm_status get_handle(lm_object* object, lm_blob* blob, int32_t point_count, lm_error* error)
{
	int32_t head[3];
	double numbers[7];
	lm_blob_get(blob, head, sizeof head);
	lm_blob_get(blob, numbers, sizeof numbers);
	if (head[2] < 1 || head[2] > point_count || (head[1] != 0 && head[1] != 1) || !is_finite(numbers, 7))
		return lm_fail(error, LM_BAD_INPUT, "the saved handles are damaged");
	lm_live_handle* handle = lm_live_add(object, head[2]);
	if (handle == NULL)
		return lm_fail_memory(error);
	size_t count = (size_t)head[2];
	handle->id = head[0], handle->pinned = head[1] == 1, handle->stiffness = numbers[0];
	memcpy(handle->from, numbers + 1, sizeof handle->from);
	memcpy(handle->to, numbers + 4, sizeof handle->to);
	lm_blob_get(blob, handle->vertices, count * sizeof *handle->vertices);
	lm_blob_get(blob, handle->weights, count * sizeof *handle->weights);
	lm_blob_get(blob, handle->offsets, 3 * count * sizeof *handle->offsets);
	bool good = is_finite(handle->weights, count) && is_finite(handle->offsets, 3 * count);
	for (size_t k = 0; k < count; ++k)
		good &= handle->vertices[k] >= 0 && handle->vertices[k] < point_count;
	return good ? LM_OK : lm_fail(error, LM_BAD_INPUT, "the saved handles are damaged");
}

// The engine has its own memory of what is pinned and pulled, and has been loaded before.
lm_status lm_live_load(lm_object* object, lm_blob* blob, lm_error* error)
{
	lm_live* live = object->live;
	int32_t head[4];
	packed_command command;
	lm_blob_get(blob, head, sizeof head);
	if (head[0] < 0 || head[1] != live->example_count || head[2] >> 1 != 0 || head[3] >> 1 != 0)
		return lm_fail(error, LM_BAD_INPUT, "the saved commands are damaged");
	lm_blob_get(blob, live->strengths, (size_t)live->example_count * sizeof *live->strengths);
	lm_blob_get(blob, &command, sizeof command);
	bool known = command.numbers[0] >= LM_ACT_GO && command.numbers[0] <= LM_ACT_JUMP;
	if (!is_finite(command.numbers, 21) || !known)
		return lm_fail(error, LM_BAD_INPUT, "the saved command is damaged");
	for (int32_t k = 0; k < live->example_count; ++k)
		if (!isnan(live->strengths[k]) && !(live->strengths[k] >= 0 && live->strengths[k] <= 1))
			return lm_fail(error, LM_BAD_INPUT, "the saved strengths are damaged");
	live->commanded = head[2] == 1, live->was_commanded = head[3] == 1;
	live->command = unpack(&command);
	clear(object);
	int32_t points = object->engine->facts(object).point_count;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < head[0]; ++i)
		status = blob->failed ? lm_fail(error, LM_BAD_INPUT, "the saved handles are damaged")
		                      : get_handle(object, blob, points, error);
	return status;
}
