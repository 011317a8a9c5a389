#include "track/state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "track/body.h"

#include <string.h>

#define LM_TRACK_STATE UINT64_C(0x316b6361727473c6) // first bytes of a cloth in a checkpoint

#define PARTS 10

static void list_parts(const lm_track* cloth, lm_bytes parts[PARTS])
{
	lm_track* c = (lm_track*)cloth; // the list is also used for loading
	size_t n = (size_t)c->n, all = n + (size_t)c->obstacle_vertices, hinges = (size_t)c->cloth->hinge_count;
	const lm_bytes list[PARTS] = {
		lm_doubles(c->x, 3 * all),
		lm_doubles(c->v, 3 * n),
		lm_doubles(c->surface_ends, 3 * (size_t)c->obstacle_vertices),
		lm_doubles((double*)c->cloth->rest, 5 * (size_t)c->cloth->triangle_count), // areas and matrices
		lm_doubles(c->cloth->rest_angles, hinges),
		lm_doubles_in(c->cloth->stiffness, hinges, 0, LM_STATE_LARGEST),
		lm_doubles_in(c->cloth->lengths, hinges, 0, LM_STATE_LARGEST),
		lm_doubles_in(c->cloth->areas, hinges, 0, LM_STATE_LARGEST),
		lm_doubles_in(c->shares, (size_t)c->constraint_count, 0, LM_STATE_LARGEST),
		lm_bools(&c->guided, 1),
	};
	memcpy(parts, list, sizeof list);
}

// Targets and multipliers of the constraints, and what is held.
static uint64_t hash_rows(const lm_track* cloth, uint64_t hash)
{
	size_t numbers = 3 * (size_t)cloth->constraint_count * sizeof(double);
	hash = lm_hash(hash, cloth->multipliers, numbers);
	hash = lm_hash(hash, cloth->targets, numbers);
	for (int32_t i = 0; i < cloth->held_count; ++i)
	{
		hash = lm_hash(hash, &cloth->held[i].vertex, sizeof cloth->held[i].vertex);
		hash = lm_hash(hash, cloth->held[i].position, sizeof cloth->held[i].position);
	}
	return hash;
}

uint64_t lm_track_hash(const lm_track* cloth)
{
	lm_bytes parts[PARTS];
	list_parts(cloth, parts);
	uint64_t hash = lm_bytes_hash(parts, PARTS, LM_HASH_START);
	return hash_rows(cloth, hash);
}

void lm_track_keep_pattern(lm_track* cloth, bool on)
{
	cloth->keep_pattern = on;
}

void lm_track_save(const lm_track* cloth, lm_blob* blob)
{
	uint64_t head[5] = { LM_TRACK_STATE, (uint64_t)cloth->n, (uint64_t)cloth->obstacle_vertices,
		                 (uint64_t)cloth->constraint_count, (uint64_t)cloth->held_count };
	lm_blob_put(blob, head, sizeof head);
	lm_bytes parts[PARTS];
	list_parts(cloth, parts);
	lm_bytes_put(parts, PARTS, blob);
	size_t numbers = 3 * (size_t)cloth->constraint_count * sizeof(double);
	lm_blob_put(blob, cloth->targets, numbers);
	lm_blob_put(blob, cloth->multipliers, numbers);
	uint64_t held_rows = cloth->rows_current ? (uint64_t)cloth->held_count : 0; // pins that have multipliers yet
	lm_blob_put(blob, &held_rows, sizeof held_rows);
	lm_blob_put(blob, cloth->multipliers + 3 * (size_t)cloth->constraint_count, 3 * (size_t)held_rows * sizeof(double));
	for (int32_t i = 0; i < cloth->held_count; ++i)
	{
		lm_blob_put(blob, &cloth->held[i].vertex, sizeof cloth->held[i].vertex);
		lm_blob_put(blob, cloth->held[i].position, sizeof cloth->held[i].position);
	}
	bool tangled = cloth->tangle != NULL;
	lm_blob_put(blob, &tangled, sizeof tangled);
	lm_blob_put(blob, &cloth->double_steps, sizeof cloth->double_steps);
	lm_blob_put(blob, &cloth->report, sizeof cloth->report);
	lm_blob_put(blob, &cloth->settings, sizeof cloth->settings);
}

static bool fits(const lm_track* cloth, lm_blob* blob, uint64_t* held)
{
	uint64_t head[5];
	size_t begin = blob->cursor, left = blob->size - blob->cursor;
	lm_bytes parts[PARTS];
	list_parts(cloth, parts);
	size_t bytes = sizeof head + lm_bytes_count(parts, PARTS) + 6 * (size_t)cloth->constraint_count * sizeof(double) +
	               sizeof(uint64_t) + sizeof(bool) + sizeof cloth->double_steps + sizeof cloth->report +
	               sizeof cloth->settings;
	if (blob->failed || left < bytes)
		return false;
	lm_blob_get(blob, head, sizeof head);
	blob->cursor = begin;
	*held = head[4];
	return head[0] == LM_TRACK_STATE && head[1] == (uint64_t)cloth->n &&
	       head[2] == (uint64_t)cloth->obstacle_vertices && head[3] == (uint64_t)cloth->constraint_count &&
	       head[4] <= (uint64_t)cloth->n && left - bytes >= head[4] * (sizeof(int32_t) + 3 * sizeof(double));
}

// Room for everything that is held in the checkpoint, before anything is changed.
static lm_status make_room(lm_track* cloth, uint64_t held, lm_error* error)
{
	if (lm_grow(&cloth->host, (void**)&cloth->held, &cloth->held_capacity, (size_t)held + 1, sizeof *cloth->held))
		return LM_OK;
	return lm_fail_memory(error);
}

// What a run has counted and measured.
static bool is_report_sound(lm_track_report* r)
{
	const lm_bytes parts[] = {
		lm_ints_in(&r->iterations, 1, 0, INT32_MAX),
		lm_ints_in(&r->factorizations, 1, 0, INT32_MAX),
		lm_ints_in(&r->analyses, 1, 0, INT32_MAX),
		lm_bools(&r->converged, 1),
		lm_doubles(&r->residual, 1),
		lm_ints_in(&r->gave_way, 1, 0, INT32_MAX),
		lm_ints_in(&r->pairs, 1, 0, INT32_MAX),
		lm_doubles(&r->smallest_gap, 1),
		lm_doubles(&r->missed, 1),
		lm_doubles(&r->missed_most, 1),
		lm_ints_in(&r->inner_steps, 1, 0, INT32_MAX),
		lm_doubles(&r->target_way, 1),
		lm_doubles(&r->collider_lag, 1),
		lm_ints_in(&r->pinched, 1, 0, INT32_MAX),
		lm_bools(&r->stalled, 1),
		lm_counts(&r->steps, 1),
		lm_counts(&r->iterations_sum, 1),
		lm_counts(&r->factorizations_sum, 1),
		lm_counts(&r->converged_steps, 1),
		lm_counts(&r->exact_steps, 1),
		lm_counts(&r->constraints_sum, 1),
		lm_counts(&r->gave_way_sum, 1),
		lm_doubles(&r->residual_max, 1),
		lm_doubles(&r->missed_sum, 1),
		lm_doubles(&r->missed_max, 1),
		lm_counts(&r->stalled_steps, 1),
		lm_doubles(&r->plastic, 1),
		lm_counts(&r->tangled, 1),
	};
	return lm_bytes_sound(parts, sizeof parts / sizeof *parts);
}

// Settings come from the file in one piece: the bool is looked at as a byte first.
static bool are_settings_sound(lm_track_settings* s)
{
	return lm_bytes_sound((lm_bytes[]){ lm_bools(&s->self_contact, 1), lm_bools(&s->bounded, 1) }, 2) &&
	       lm_track_check_settings(s, NULL) == LM_OK;
}

static bool load_held(lm_track* cloth, int32_t count, lm_blob* blob)
{
	bool good = true;
	for (int32_t i = 0; i < count; ++i)
	{
		lm_blob_get(blob, &cloth->held[i].vertex, sizeof cloth->held[i].vertex);
		lm_blob_get(blob, cloth->held[i].position, sizeof cloth->held[i].position);
		good &= cloth->held[i].vertex >= 0 && cloth->held[i].vertex < cloth->n;
		good &= lm_bytes_sound((lm_bytes[]){ lm_doubles(cloth->held[i].position, 3) }, 1);
	}
	cloth->held_count = good ? count : 0;
	return good;
}

lm_status lm_track_load(lm_track* cloth, lm_blob* blob, lm_error* error)
{
	uint64_t held, held_rows, head[5];
	if (!fits(cloth, blob, &held))
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint does not belong to this cloth, or is cut short");
	lm_status status = make_room(cloth, held, error);
	if (status != LM_OK)
		return status;
	lm_blob_get(blob, head, sizeof head);
	lm_bytes parts[PARTS];
	list_parts(cloth, parts);
	lm_bytes_get(parts, PARTS, blob);
	size_t numbers = 3 * (size_t)cloth->constraint_count;
	lm_bytes_get((lm_bytes[]){ lm_doubles(cloth->targets, numbers), lm_doubles(cloth->multipliers, numbers) }, 2, blob);
	lm_blob_get(blob, &held_rows, sizeof held_rows);
	size_t multipliers_at = blob->cursor, held_bytes = 3 * (size_t)held_rows * sizeof(double);
	if (held_rows > held || held_bytes > blob->size - blob->cursor)
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint is damaged");
	blob->cursor += held_bytes;
	if (!load_held(cloth, (int32_t)held, blob))
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint is damaged");
	lm_track_settings settings;
	bool tangled;
	lm_bytes_get((lm_bytes[]){ lm_bools(&tangled, 1), lm_ints_in(&cloth->double_steps, 1, 0, INT32_MAX) }, 2, blob);
	lm_blob_get(blob, &cloth->report, sizeof cloth->report);
	lm_blob_get(blob, &settings, sizeof settings);
	if (blob->failed || !is_report_sound(&cloth->report) || !are_settings_sound(&settings))
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint is damaged");
	cloth->settings = settings;
	memcpy(cloth->obstacle_targets, cloth->x + 3 * (int64_t)cloth->n,
	       3 * (size_t)cloth->obstacle_vertices * sizeof(double));
	cloth->rows_current = false;
	lm_track_drop_tangle(cloth);
	status = tangled ? lm_track_make_tangle(cloth, error) : LM_OK;
	if (status == LM_OK)
		status = lm_track_join_rows(cloth, error);
	if (status == LM_OK)
	{
		size_t end = blob->cursor;
		blob->cursor = multipliers_at;
		lm_bytes_get((lm_bytes[]){ lm_doubles(cloth->multipliers + numbers, 3 * (size_t)held_rows) }, 1, blob);
		blob->cursor = end;
	}
	return blob->failed ? lm_fail(error, LM_BAD_INPUT, "the checkpoint is damaged") : status;
}
