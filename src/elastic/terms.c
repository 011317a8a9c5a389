#include "elastic/terms.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

lm_status lm_term_set_create(const lm_measure* measure, lm_stiffness_kind stiffness, bool green, int32_t count,
                             bool incompatible, const lm_host* host, lm_term_set* set, lm_error* error)
{
	int64_t corners = (int64_t)count * measure->corners;
	lm_term_set made = { .measure = measure, .stiffness = stiffness, .green = green, .count = count };
	made.vertices = LM_NEW(host, corners, int32_t);
	made.slots = incompatible ? LM_NEW(host, corners, int32_t) : made.vertices;
	made.factors = LM_NEW(host, count, double);
	made.initial = LM_NEW(host, (int64_t)count * measure->count, double);
	*set = made; // the owner releases it, complete or not
	if (!made.vertices || !made.slots || !made.factors || !made.initial)
		return lm_fail_memory(error);
	return LM_OK;
}

lm_status lm_term_set_create_own(const lm_elastic_model* model, int32_t count, bool incompatible, const lm_host* host,
                                 lm_term_set* set, lm_error* error)
{
	const lm_measure* size = model->dimension == 2 ? &lm_measure_area : &lm_measure_volume;
	lm_status status = lm_term_set_create(size, LM_STIFFNESS_STRETCH, false, count, incompatible, host, set, error);
	if (status != LM_OK)
		return status;
	set->model = model;
	set->numbers = LM_NEW(host, (int64_t)count * lm_own_count(model), double);
	return set->numbers != NULL ? LM_OK : lm_fail_memory(error);
}

void lm_term_set_release(lm_term_set* set, const lm_host* host)
{
	if (set->slots != set->vertices)
		lm_free(host, set->slots);
	lm_free(host, set->vertices);
	lm_free(host, set->factors);
	lm_free(host, set->initial);
	lm_free(host, set->numbers);
	lm_free(host, set->colour_starts);
	*set = (lm_term_set){ 0 };
}

void lm_term_set_measure(lm_term_set* set, const double* positions)
{
	int k = set->measure->corners, d = set->measure->dimension;
	for (int64_t t = 0; t < set->count; ++t)
	{
		double x[LM_MEASURE_SIZE];
		for (int i = 0; i < k; ++i)
			memcpy(x + i * d, positions + (int64_t)set->vertices[t * k + i] * d, (size_t)d * sizeof *x);
		set->measure->value(x, set->initial + t * set->measure->count);
		if (set->model != NULL)
			lm_own_numbers(set->model, x, set->numbers + t * lm_own_count(set->model));
	}
}

// Greedy: each colour takes, in their order, the remaining terms that touch no vertex it has already. order: the terms
// sorted by colour. last: per vertex the last colour that used it, from 1.
static int32_t colour(const lm_term_set* set, int32_t* remaining, int32_t* last, int32_t* order, int32_t* starts)
{
	int k = set->measure->corners;
	int32_t left = set->count, placed = 0, colours = 0;
	for (int32_t t = 0; t < set->count; ++t)
		remaining[t] = t;
	while (left > 0)
	{
		starts[colours++] = placed;
		int32_t kept = 0;
		for (int32_t r = 0; r < left; ++r)
		{
			const int32_t* v = set->vertices + (int64_t)remaining[r] * k;
			bool clear = true;
			for (int i = 0; i < k; ++i)
				clear &= last[v[i]] != colours;
			if (!clear)
			{
				remaining[kept++] = remaining[r];
				continue;
			}
			for (int i = 0; i < k; ++i)
				last[v[i]] = colours;
			order[placed++] = remaining[r];
		}
		left = kept;
	}
	starts[colours] = placed;
	return colours;
}

// items[i] := items[order[i]], `width` bytes each.
static void reorder(const int32_t* order, int32_t count, size_t width, void* items, char* scratch)
{
	for (int32_t i = 0; i < count; ++i)
		memcpy(scratch + (size_t)i * width, (char*)items + (size_t)order[i] * width, width);
	memcpy(items, scratch, (size_t)count * width);
}

static void sort_by(const int32_t* order, lm_term_set* set, void* scratch)
{
	size_t corners = (size_t)set->measure->corners;
	reorder(order, set->count, corners * sizeof *set->vertices, set->vertices, scratch);
	if (set->slots != set->vertices)
		reorder(order, set->count, corners * sizeof *set->slots, set->slots, scratch);
	reorder(order, set->count, sizeof *set->factors, set->factors, scratch);
	reorder(order, set->count, (size_t)set->measure->count * sizeof *set->initial, set->initial, scratch);
	if (set->model != NULL)
		reorder(order, set->count, (size_t)lm_own_count(set->model) * sizeof *set->numbers, set->numbers, scratch);
}

lm_status lm_term_set_colour(lm_term_set* set, int32_t vertex_count, const lm_host* host, lm_error* error)
{
	int32_t* remaining = LM_NEW(host, set->count, int32_t);
	int32_t* order = LM_NEW(host, set->count, int32_t);
	int32_t* last = LM_NEW(host, vertex_count, int32_t);
	double* scratch = LM_NEW(host, (int64_t)set->count * LM_MEASURE_ROWS, double);
	set->colour_starts = LM_NEW(host, (int64_t)set->count + 1, int32_t);
	bool enough = remaining && order && last && scratch && set->colour_starts;
	if (enough)
	{
		set->colour_count = colour(set, remaining, last, order, set->colour_starts);
		sort_by(order, set, scratch);
	}
	lm_free(host, remaining);
	lm_free(host, order);
	lm_free(host, last);
	lm_free(host, scratch);
	return enough ? LM_OK : lm_fail_memory(error);
}
