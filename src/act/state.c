#include "act/state.h"

#include "act/equation.h"
#include "act/settings.h"
#include "base/error.h"
#include "base/hash.h"

#include <string.h>

#define LM_ACT_STATE UINT64_C(0x3174636172626d6c) // first bytes of a body in a checkpoint

#define LM_PARTS 8

static void list_parts(const lm_act* body, lm_bytes parts[LM_PARTS])
{
	size_t vertices = (size_t)body->vertex_count, unknowns = (size_t)body->unknowns;
	lm_act* b = (lm_act*)body; // the list is also used for loading
	const lm_bytes all[LM_PARTS] = {
		lm_doubles(b->x, unknowns),
		lm_doubles(b->v, unknowns),
		lm_doubles(b->p, (size_t)b->rest.parameters),
		lm_bools(b->pinned, vertices),
		lm_doubles(b->pin_targets, unknowns),
		lm_doubles(b->drag_targets, unknowns),
		lm_doubles_in(b->drag_strengths, vertices, 0, LM_STATE_LARGEST),
		lm_doubles(b->physics->normal_forces, vertices),
	};
	memcpy(parts, all, sizeof all);
}

// Field by field, as padding is not state.
#define LM_SETTINGS 21

static void put_settings(const lm_act_settings* s, double values[LM_SETTINGS])
{
	const double all[LM_SETTINGS] = {
		s->material.stretch,
		s->material.bend,
		s->material.volume,
		s->damping,
		s->gravity[0],
		s->gravity[1],
		s->gravity[2],
		s->contact_stiffness,
		s->contact_smoothing,
		s->friction,
		s->friction_slack,
		s->rest_material.stretch,
		s->rest_material.bend,
		s->rest_material.volume,
		s->parameter_weight,
		s->change_weight,
		s->smallest_rest,
		s->most_iterations,
		s->tolerance,
		s->exact,
		s->starts,
	};
	memcpy(values, all, sizeof all);
}

static lm_act_settings get_settings(const double v[LM_SETTINGS])
{
	return (lm_act_settings){ .material = { v[0], v[1], v[2] },
		                      .damping = v[3],
		                      .gravity = { v[4], v[5], v[6] },
		                      .contact_stiffness = v[7],
		                      .contact_smoothing = v[8],
		                      .friction = v[9],
		                      .friction_slack = v[10],
		                      .rest_material = { v[11], v[12], v[13] },
		                      .parameter_weight = v[14],
		                      .change_weight = v[15],
		                      .smallest_rest = v[16],
		                      .most_iterations = (int32_t)v[17],
		                      .tolerance = v[18],
		                      .exact = v[19] != 0,
		                      .starts = (int32_t)v[20] };
}

// Before they are converted.
static bool are_settings_sound(double v[LM_SETTINGS])
{
	bool whole = v[17] >= 0 && v[17] <= 1e6 && v[20] >= 0 && v[20] <= 1e6 && (v[19] == 0 || v[19] == 1);
	if (!whole || !lm_bytes_sound((lm_bytes[]){ lm_doubles(v, LM_SETTINGS) }, 1))
		return false;
	lm_act_settings settings = get_settings(v);
	return lm_table_check(&lm_act_settings_table, &settings, NULL) == LM_OK;
}

// What a run has counted and measured.
static bool is_report_sound(lm_act_report* r)
{
	int32_t outcome = (int32_t)r->outcome;
	const lm_bytes parts[] = {
		lm_ints_in(&outcome, 1, LM_ACT_CONVERGED, LM_ACT_KEPT),
		lm_ints_in(&r->iterations, 1, 0, INT32_MAX),
		lm_ints_in(&r->factorizations, 1, 0, INT32_MAX),
		lm_doubles(&r->objective_start, 1),
		lm_doubles(&r->objective, 1),
		lm_doubles(&r->goal_part, 1),
		lm_doubles(&r->physics_residual, 1),
		lm_ints_in(&r->touching, 1, 0, INT32_MAX),
		lm_counts(&r->steps, 1),
		lm_counts(&r->controlled_steps, 1),
		lm_counts(&r->converged_steps, 1),
		lm_counts(&r->iterations_sum, 1),
		lm_counts(&r->factorizations_sum, 1),
		lm_doubles(&r->goal_squares, 1),
		lm_doubles(&r->internal_force_max, 1),
		lm_doubles(&r->internal_torque_max, 1),
		lm_doubles(&r->physics_residual_max, 1),
		lm_doubles(&r->max_penetration, 1),
		lm_doubles(&r->tangential_impulse, 1),
		lm_doubles(&r->outside_cone, 1),
		lm_doubles(&r->seconds_control, 1),
		lm_doubles(&r->seconds_forward, 1),
	};
	return lm_bytes_sound(parts, sizeof parts / sizeof *parts);
}

uint64_t lm_act_hash(const lm_act* body)
{
	lm_bytes parts[LM_PARTS];
	list_parts(body, parts);
	uint64_t hash = lm_bytes_hash(parts, LM_PARTS, LM_HASH_START);
	return lm_act_equation_hash(body, hash);
}

void lm_act_save(const lm_act* body, lm_blob* blob)
{
	uint64_t head[3] = { LM_ACT_STATE, (uint64_t)body->unknowns, (uint64_t)body->rest.parameters };
	lm_blob_put(blob, head, sizeof head);
	double settings[LM_SETTINGS];
	put_settings(&body->settings, settings);
	lm_blob_put(blob, settings, sizeof settings);
	lm_bytes parts[LM_PARTS];
	list_parts(body, parts);
	lm_bytes_put(parts, LM_PARTS, blob);
	lm_blob_put(blob, &body->report, sizeof body->report);
	lm_act_equation_save(body, blob);
}

static size_t plain_bytes(const lm_act* body)
{
	lm_bytes parts[LM_PARTS];
	list_parts(body, parts);
	return 3 * sizeof(uint64_t) + LM_SETTINGS * sizeof(double) + lm_bytes_count(parts, LM_PARTS) + sizeof body->report;
}

// Whether the rest of the blob begins with a state of this body; leaves the cursor where it was.
static bool fits(const lm_act* body, lm_blob* blob)
{
	uint64_t head[3];
	size_t begin = blob->cursor;
	if (blob->failed || blob->size - blob->cursor < plain_bytes(body))
		return false;
	lm_blob_get(blob, head, sizeof head);
	blob->cursor = begin;
	return head[0] == LM_ACT_STATE && head[1] == (uint64_t)body->unknowns && head[2] == (uint64_t)body->rest.parameters;
}

lm_status lm_act_load(lm_act* body, lm_blob* blob, lm_error* error)
{
	if (!fits(body, blob))
		return lm_fail(error, LM_BAD_INPUT,
		               "the saved state is not one of this body; it must come from a body with the same mesh and "
		               "control");
	// What can fail comes first, although it lies behind.
	size_t begin = blob->cursor;
	blob->cursor = begin + plain_bytes(body);
	lm_status status = lm_act_equation_load(body, blob, error);
	size_t end = blob->cursor;
	blob->cursor = begin;
	if (status != LM_OK)
		return status;
	uint64_t head[3];
	double settings[LM_SETTINGS];
	lm_blob_get(blob, head, sizeof head);
	lm_blob_get(blob, settings, sizeof settings);
	lm_bytes parts[LM_PARTS];
	list_parts(body, parts);
	lm_bytes_get(parts, LM_PARTS, blob);
	lm_blob_get(blob, &body->report, sizeof body->report);
	if (blob->failed || !are_settings_sound(settings) || !is_report_sound(&body->report))
		return lm_fail(error, LM_BAD_INPUT, "the saved state is damaged; start the run again without resuming");
	body->settings = get_settings(settings);
	lm_act_rest_shape(&body->rest, body->p, body->X);
	blob->cursor = end;
	return LM_OK;
}
