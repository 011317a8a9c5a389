// pilot.c: creating and destroying pilots, and their state.
#include "act/pilot/pilot.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"

#include <assert.h>

// The rest shape about its centre of mass, and how high it is.
static void keep_reference(lm_act_pilot* pilot)
{
	double low[3], high[3], mass = 0;
	lm_vec3 center = { 0 };
	lm_act_rest_positions(pilot->body, pilot->reference);
	lm_mesh_bounds(pilot->reference, pilot->vertex_count, low, high);
	for (int32_t i = 0; i < pilot->vertex_count; ++i)
	{
		mass += pilot->masses[i];
		center = lm_add_scaled(center, pilot->masses[i], lm_v3_at(pilot->reference, i));
	}
	center = lm_scale(1 / mass, center);
	for (int32_t i = 0; i < pilot->vertex_count; ++i)
		lm_v3_store(pilot->reference, i, lm_sub(lm_v3_at(pilot->reference, i), center));
	pilot->stance = center.y - low[1];
	pilot->height = high[1] - low[1];
}

// Vertices of the rest shape within 3 % of its height of the lowest one; no memory: false.
static bool find_sole(lm_act_pilot* pilot)
{
	double limit = 0.03 * pilot->height - pilot->stance;
	for (int32_t i = 0; i < pilot->vertex_count; ++i)
		pilot->sole.count += pilot->reference[3 * (int64_t)i + 1] <= limit;
	lm_foot* parts[3] = { &pilot->sole, &pilot->ends[0], &pilot->ends[1] };
	for (int k = 0; k < 3; ++k)
		parts[k]->vertices = LM_NEW(&pilot->host, pilot->sole.count, int32_t);
	if (pilot->sole.vertices == NULL || pilot->ends[0].vertices == NULL || pilot->ends[1].vertices == NULL)
		return false;
	for (int32_t i = 0, k = 0; i < pilot->vertex_count; ++i)
		if (pilot->reference[3 * (int64_t)i + 1] <= limit)
			pilot->sole.vertices[k++] = i;
	return true;
}

lm_status lm_act_pilot_create(lm_act* body, const lm_host* host, lm_act_pilot** result, lm_error* error)
{
	assert(body != NULL && host != NULL && result != NULL);
	lm_act_pilot* pilot = LM_NEW(host, 1, lm_act_pilot);
	if (pilot == NULL)
		return lm_fail_memory(error);
	pilot->host = *host;
	pilot->body = body;
	pilot->dimension = lm_act_dimension(body);
	pilot->vertex_count = lm_act_vertex_count(body);
	pilot->masses = lm_act_masses(body);
	size_t numbers = 3 * (size_t)pilot->vertex_count;
	pilot->reference = LM_NEW(host, numbers, double);
	pilot->positions = LM_NEW(host, numbers, double);
	pilot->velocities = LM_NEW(host, numbers, double);
	pilot->forces = LM_NEW(host, pilot->vertex_count, double);
	pilot->all = LM_NEW(host, pilot->vertex_count, int32_t);
	if (pilot->all == NULL || pilot->reference == NULL || pilot->positions == NULL || pilot->velocities == NULL ||
	    pilot->forces == NULL)
	{
		lm_act_pilot_destroy(pilot);
		return lm_fail_memory(error);
	}
	for (int32_t v = 0; v < pilot->vertex_count; ++v)
		pilot->all[v] = v;
	keep_reference(pilot);
	if (!find_sole(pilot))
	{
		lm_act_pilot_destroy(pilot);
		return lm_fail_memory(error);
	}
	lm_act_pilot_begin(pilot, 0.02);
	*result = pilot;
	return LM_OK;
}

void lm_act_pilot_destroy(lm_act_pilot* pilot)
{
	if (pilot == NULL)
		return;
	lm_host host = pilot->host;
	for (int32_t f = 0; f < LM_ACT_FEET_MAX; ++f)
		lm_free(&host, pilot->feet[f].vertices);
	lm_free(&host, pilot->trunk.vertices);
	lm_free(&host, pilot->sole.vertices);
	lm_free(&host, pilot->ends[0].vertices);
	lm_free(&host, pilot->ends[1].vertices);
	lm_free(&host, pilot->reference);
	lm_free(&host, pilot->positions);
	lm_free(&host, pilot->velocities);
	lm_free(&host, pilot->forces);
	lm_free(&host, pilot->all);
	lm_free(&host, pilot->rows);
	lm_free(&host, pilot->vertices);
	lm_free(&host, pilot->coefficients);
	lm_free(&host, pilot->goals);
	lm_free(&host, pilot);
}

const lm_act_motion* lm_act_pilot_motion(const lm_act_pilot* pilot)
{
	return &pilot->motion;
}

double lm_act_pilot_stance(const lm_act_pilot* pilot)
{
	return pilot->stance;
}

double lm_act_pilot_height(const lm_act_pilot* pilot)
{
	return pilot->height;
}

double lm_act_pilot_gravity(const lm_act_pilot* pilot)
{
	return pilot->gravity;
}

// ---- recording ----

static lm_status set_part(lm_act_pilot* pilot, const char* what, const int32_t* vertices, int32_t count, lm_foot* part,
                          lm_error* error)
{
	for (int32_t k = 0; k < count; ++k)
		if (vertices[k] < 0 || vertices[k] >= pilot->vertex_count)
			return lm_fail(error, LM_BAD_INPUT, "%s names vertex %d, but the body has %d, counted from 0", what,
			               vertices[k], pilot->vertex_count);
	int32_t* copy = lm_copy(&pilot->host, vertices, (size_t)count, sizeof *copy);
	if (copy == NULL)
		return lm_fail_memory(error);
	lm_free(&pilot->host, part->vertices);
	*part = (lm_foot){ count, copy };
	return LM_OK;
}

lm_status lm_act_pilot_set_foot(lm_act_pilot* pilot, int32_t foot, const int32_t* vertices, int32_t count,
                                lm_error* error)
{
	assert(foot >= 0 && foot < LM_ACT_FEET_MAX && count >= 0);
	return set_part(pilot, "a foot", vertices, count, &pilot->feet[foot], error);
}

lm_status lm_act_pilot_set_trunk(lm_act_pilot* pilot, const int32_t* vertices, int32_t count, lm_error* error)
{
	return set_part(pilot, "the trunk", vertices, count, &pilot->trunk, error);
}

static lm_foot_now measure_foot(const lm_act_pilot* pilot, const lm_foot* foot)
{
	lm_foot_now now = { .low = INFINITY };
	lm_vec3 mean = { 0 };
	for (int32_t k = 0; k < foot->count; ++k)
	{
		lm_vec3 x = lm_v3_at(pilot->positions, foot->vertices[k]);
		mean = lm_add_scaled(mean, 1.0 / foot->count, x);
		now.low = fmin(now.low, x.y);
		now.touching |= pilot->forces[foot->vertices[k]] > 0;
	}
	lm_v3_store(now.place, 0, mean);
	return now;
}

void lm_act_pilot_record(lm_act_pilot* pilot, double h)
{
	lm_pilot_measure(pilot);
	lm_foot_now feet[LM_ACT_FEET_MAX];
	int32_t count = 0;
	while (count < LM_ACT_FEET_MAX && pilot->feet[count].count > 0)
	{
		feet[count] = measure_foot(pilot, &pilot->feet[count]);
		count++;
	}
	lm_record_step(&pilot->record, &pilot->motion, feet, count, lm_pilot_lies(pilot), pilot->height,
	               lm_pilot_beat(pilot), h);
}

lm_act_record lm_act_pilot_get_record(const lm_act_pilot* pilot)
{
	return pilot->record.record;
}

// ---- checkpoints ----

void lm_act_pilot_save(const lm_act_pilot* pilot, lm_blob* blob)
{
	lm_blob_put(blob, &pilot->step, sizeof pilot->step);
	lm_blob_put(blob, &pilot->stand, sizeof pilot->stand);
	lm_blob_put(blob, &pilot->crawl, sizeof pilot->crawl);
	for (int e = 0; e < 2; ++e)
	{
		lm_blob_put(blob, &pilot->ends[e].count, sizeof pilot->ends[e].count);
		lm_blob_put(blob, pilot->ends[e].vertices, sizeof(int32_t) * (size_t)pilot->sole.count);
	}
	lm_blob_put(blob, &pilot->hop, sizeof pilot->hop);
	lm_blob_put(blob, &pilot->walk, sizeof pilot->walk);
	lm_blob_put(blob, &pilot->space_walk, sizeof pilot->space_walk);
	lm_blob_put(blob, &pilot->stride, sizeof pilot->stride);
	lm_blob_put(blob, &pilot->amble, sizeof pilot->amble);
	lm_blob_put(blob, &pilot->fall, sizeof pilot->fall);
	lm_blob_put(blob, &pilot->record, sizeof pilot->record);
}

bool lm_act_pilot_load(lm_act_pilot* pilot, lm_blob* blob)
{
	lm_blob_get(blob, &pilot->step, sizeof pilot->step);
	lm_blob_get(blob, &pilot->stand, sizeof pilot->stand);
	lm_blob_get(blob, &pilot->crawl, sizeof pilot->crawl);
	for (int e = 0; e < 2; ++e)
	{
		lm_blob_get(blob, &pilot->ends[e].count, sizeof pilot->ends[e].count);
		lm_blob_get(blob, pilot->ends[e].vertices, sizeof(int32_t) * (size_t)pilot->sole.count);
	}
	lm_blob_get(blob, &pilot->hop, sizeof pilot->hop);
	lm_blob_get(blob, &pilot->walk, sizeof pilot->walk);
	lm_blob_get(blob, &pilot->space_walk, sizeof pilot->space_walk);
	lm_blob_get(blob, &pilot->stride, sizeof pilot->stride);
	lm_blob_get(blob, &pilot->amble, sizeof pilot->amble);
	lm_blob_get(blob, &pilot->fall, sizeof pilot->fall);
	lm_blob_get(blob, &pilot->record, sizeof pilot->record);
	return !blob->failed && lm_pilot_is_sound(pilot);
}
