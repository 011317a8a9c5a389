#include "match/state.h"

#include "base/error.h"
#include "base/hash.h"
#include "match/body.h"
#include "match/settings.h"

#include <string.h>

#define LM_MATCH_STATE UINT64_C(0x316863746d6d696c) // first bytes of a body in a checkpoint

#define LM_PARTS 12
#define LM_SETTINGS 13

static void list_parts(const lm_match* body, lm_bytes parts[LM_PARTS])
{
	size_t lanes = (size_t)body->blocks * LM_LANES, n = (size_t)body->example_count;
	bool each = body->locality == LM_MATCH_EACH;
	lm_match* b = (lm_match*)body; // the list is also used for loading
	const lm_bytes all[LM_PARTS] = {
		lm_doubles(b->origin, 3),
		lm_floats(b->x, lanes * 3),
		lm_floats(b->v, lanes * 3),
		lm_floats_in(b->rotation, lanes * 4, -1.01, 1.01),
		{ &b->whole, sizeof b->whole, LM_BYTES_DOUBLE, -LM_STATE_LARGEST, LM_STATE_LARGEST }, // all of it doubles
		lm_floats_in(b->body_rotation, 4, -1.01, 1.01),
		lm_doubles_in(b->strengths, n, 0, 1),
		lm_doubles_in(b->weights, each ? 0 : (size_t)b->rows * n, -1, 2),
		lm_floats_in(b->region_weights, each ? lanes * n : 0, -1, 2),
		lm_floats(b->pass.blend_all, n),
		lm_ints_in(&b->near_steps, 1, 0, LM_NEAR_STEPS),
		lm_floats(b->blend, b->locality != LM_MATCH_GLOBAL ? lanes * n : 0),
	};
	memcpy(parts, all, sizeof all);
}

// Field by field, as padding is not state.
static void put_settings(const lm_match_settings* s, double values[LM_SETTINGS])
{
	const double all[LM_SETTINGS] = { s->frequency,    s->damping,    s->drag,     s->beta,        s->gravity[0],
		                              s->gravity[1],   s->gravity[2], s->friction, s->restitution, s->thickness,
		                              s->self_contact, s->sag,        s->alpha };
	memcpy(values, all, sizeof all);
}

static void get_settings(const double values[LM_SETTINGS], lm_match_settings* s)
{
	*s = (lm_match_settings){ .frequency = values[0],
		                      .damping = values[1],
		                      .drag = values[2],
		                      .beta = values[3],
		                      .gravity = { values[4], values[5], values[6] },
		                      .friction = values[7],
		                      .restitution = values[8],
		                      .thickness = values[9],
		                      .self_contact = values[10] != 0,
		                      .sag = values[11],
		                      .alpha = values[12] };
}

// What a run has counted and measured.
static bool is_report_sound(lm_match_report* r)
{
	const lm_bytes parts[] = {
		lm_counts(&r->steps, 1),
		lm_ints_in(&r->region_count, 1, 0, INT32_MAX),
		lm_ints_in(&r->example_count, 1, 0, INT32_MAX),
		lm_doubles(&r->weights_min, 1),
		lm_doubles(&r->weights_sum_max, 1),
		lm_doubles(&r->max_penetration, 1),
		lm_counts(&r->recovered, 1),
		lm_counts(&r->calmed, 1),
		lm_doubles(&r->contact_force, 1),
		lm_doubles(&r->touch_force, 1),
		lm_doubles(&r->seconds_matching, 1),
		lm_doubles(&r->seconds_projection, 1),
	};
	return lm_bytes_sound(parts, sizeof parts / sizeof *parts);
}

static void put_handle(const lm_match_handle* handle, double values[9])
{
	values[0] = handle->vertex, values[1] = handle->pinned, values[2] = handle->strength;
	memcpy(values + 3, handle->position, sizeof handle->position);
	memcpy(values + 6, handle->target, sizeof handle->target);
}

uint64_t lm_match_hash(const lm_match* body)
{
	lm_bytes parts[LM_PARTS];
	list_parts(body, parts);
	uint64_t hash = lm_bytes_hash(parts, LM_PARTS, LM_HASH_START);
	for (int32_t k = 0; k < body->handle_count; ++k)
	{
		double values[9];
		put_handle(&body->handles[k], values);
		hash = lm_hash(hash, values, sizeof values);
	}
	return hash;
}

void lm_match_save(const lm_match* body, lm_blob* blob)
{
	uint64_t head[3] = { LM_MATCH_STATE, (uint64_t)body->count, (uint64_t)body->example_count };
	lm_blob_put(blob, head, sizeof head);
	double settings[LM_SETTINGS];
	put_settings(&body->settings, settings);
	lm_blob_put(blob, settings, sizeof settings);
	lm_bytes parts[LM_PARTS];
	list_parts(body, parts);
	lm_bytes_put(parts, LM_PARTS, blob);
	lm_blob_put(blob, &body->report, sizeof body->report);
	uint64_t handles = (uint64_t)body->handle_count;
	lm_blob_put(blob, &handles, sizeof handles);
	for (int32_t k = 0; k < body->handle_count; ++k)
	{
		double values[9];
		put_handle(&body->handles[k], values);
		lm_blob_put(blob, values, sizeof values);
	}
}

// Whether the rest of the blob holds a state of this body; leaves the cursor where it was.
static bool fits(const lm_match* body, lm_blob* blob)
{
	uint64_t head[3], handles;
	size_t begin = blob->cursor, left = blob->size - blob->cursor;
	lm_bytes parts[LM_PARTS];
	list_parts(body, parts);
	size_t bytes = sizeof head + LM_SETTINGS * sizeof(double) + lm_bytes_count(parts, LM_PARTS) + sizeof body->report;
	if (blob->failed || left < bytes + sizeof handles)
		return false;
	lm_blob_get(blob, head, sizeof head);
	blob->cursor = begin + bytes;
	lm_blob_get(blob, &handles, sizeof handles);
	blob->cursor = begin;
	return head[0] == LM_MATCH_STATE && head[1] == (uint64_t)body->count && head[2] == (uint64_t)body->example_count &&
	       handles <= (uint64_t)body->count && left - bytes - sizeof handles >= handles * 9 * sizeof(double);
}

static bool load_handles(lm_match* body, lm_blob* blob)
{
	for (int32_t i = 0; i < body->count; ++i)
	{
		body->handle_of[i] = -1;
		body->inverse_mass[i] = 1 / body->mass[i];
	}
	uint64_t handles;
	lm_blob_get(blob, &handles, sizeof handles);
	body->handle_count = 0;
	for (uint64_t k = 0; k < handles; ++k)
	{
		double values[9];
		lm_blob_get(blob, values, sizeof values);
		bool sound = lm_bytes_sound((lm_bytes[]){ lm_doubles(values, 9) }, 1);
		if (!sound || !(values[0] >= 0 && values[0] < body->count) || body->handle_of[(int32_t)values[0]] >= 0)
			return false;
		lm_match_handle* handle = &body->handles[body->handle_count];
		*handle = (lm_match_handle){ .vertex = (int32_t)values[0], .pinned = values[1] != 0, .strength = values[2] };
		memcpy(handle->position, values + 3, sizeof handle->position);
		memcpy(handle->target, values + 6, sizeof handle->target);
		body->handle_of[handle->vertex] = body->handle_count++;
		if (handle->pinned)
			body->inverse_mass[handle->vertex] = 0;
	}
	return true;
}

lm_status lm_match_load(lm_match* body, lm_blob* blob, lm_error* error)
{
	if (!fits(body, blob))
		return lm_fail(
			error, LM_BAD_INPUT,
			"the saved state is not one of this body; it must come from a body with the same mesh and examples");
	uint64_t head[3];
	double settings[LM_SETTINGS];
	lm_blob_get(blob, head, sizeof head);
	lm_blob_get(blob, settings, sizeof settings);
	get_settings(settings, &body->settings);
	lm_bytes parts[LM_PARTS];
	list_parts(body, parts);
	lm_bytes_get(parts, LM_PARTS, blob);
	lm_blob_get(blob, &body->report, sizeof body->report);
	body->pending = (lm_match_pending){ 0 };
	if (!load_handles(body, blob) || blob->failed || !is_report_sound(&body->report) ||
	    lm_table_check(&lm_match_settings_table, &body->settings, NULL) != LM_OK)
		return lm_fail(error, LM_BAD_INPUT, "the saved state is damaged; start the run again without resuming");
	lm_match_settle_rotations(body);
	return LM_OK;
}
