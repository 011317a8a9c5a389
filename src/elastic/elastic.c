// elastic.c: making and describing bodies.
#include "elastic/elastic.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "elastic/body.h"
#include "elastic/check.h"

#include <assert.h>
#include <math.h>
#include <string.h>

lm_status lm_body_add_rest(lm_elastic* body, int32_t elements, int64_t slots, lm_error* error)
{
	if (!body->incompatible)
	{
		body->rest_slots = body->vertex_count;
		return LM_OK;
	}
	if (slots > INT32_MAX / 3)
		return lm_fail(error, LM_BAD_INPUT,
		               "the body is too large: its rest shape has %lld slots, at most %d are possible",
		               (long long)slots, INT32_MAX / 3);
	body->rest_slots = (int32_t)slots;
	body->rest_element_count = elements;
	body->rest_starts = LM_NEW(&body->host, (int64_t)elements + 1, int32_t);
	body->rest_vertices = LM_NEW(&body->host, slots, int32_t);
	return body->rest_starts && body->rest_vertices ? LM_OK : lm_fail_memory(error);
}

int lm_elastic_lists(const lm_elastic* body, bool rest, lm_element_list lists[2])
{
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		lists[s] = (lm_element_list){ .count = set->count,
			                          .index = rest ? set->slots : set->vertices,
			                          .size = set->measure->corners,
			                          .block = set->measure->dimension };
	}
	return body->set_count;
}

static lm_status make_pattern(const lm_elastic* body, bool rest, lm_pattern** pattern, lm_error* error)
{
	lm_element_list lists[LM_BODY_SETS];
	int count = lm_elastic_lists(body, rest, lists);
	int64_t unknowns = (int64_t)(rest ? body->rest_slots : body->vertex_count) * lm_elastic_dimension(body->kind);
	return lm_pattern_create(unknowns, true, lists, count, &body->host, pattern, error);
}

static lm_status make_partials(lm_elastic* body, lm_error* error)
{
	int64_t chunks = 0;
	for (int s = 0; s < body->set_count; ++s)
		for (int32_t c = 0; c < body->sets[s].colour_count; ++c)
			chunks +=
				lm_chunk_count(body->sets[s].colour_starts[c + 1] - body->sets[s].colour_starts[c], LM_BODY_GRAIN);
	body->partials = LM_NEW(&body->host, chunks, double);
	return body->partials ? LM_OK : lm_fail_memory(error);
}

static lm_status add_terms(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error)
{
	switch (shape->kind)
	{
		case LM_ELASTIC_CURVE2: return lm_potential_curve(shape, body, error);
		case LM_ELASTIC_SHELL3: return lm_potential_shell(shape, body, error);
		case LM_ELASTIC_SOLID2: return lm_potential_solid2(shape, body, error);
		default: return lm_potential_solid3(shape, body, error);
	}
}

static lm_status build(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error)
{
	body->shares = LM_NEW(&body->host, shape->vertex_count, double);
	lm_status status = body->shares ? add_terms(shape, body, error) : lm_fail_memory(error);
	for (int s = 0; status == LM_OK && s < body->set_count; ++s)
	{
		lm_term_set_measure(&body->sets[s], shape->positions);
		status = lm_term_set_colour(&body->sets[s], body->vertex_count, &body->host, error);
	}
	if (status == LM_OK)
		status = make_pattern(body, false, &body->pattern, error);
	if (status == LM_OK && body->incompatible)
		status = make_pattern(body, true, &body->own_rest_pattern, error);
	return status == LM_OK ? make_partials(body, error) : status;
}

lm_status lm_elastic_create(const lm_elastic_shape* shape, const lm_host* host, lm_elastic** result, lm_error* error)
{
	lm_status status = lm_elastic_check_shape(shape, error);
	if (status != LM_OK)
		return status;
	lm_elastic* body = LM_NEW(host, 1, lm_elastic);
	if (!body)
		return lm_fail_memory(error);
	body->host = *host;
	body->kind = shape->kind;
	body->incompatible = shape->incompatible;
	body->vertex_count = shape->vertex_count;
	status = build(shape, body, error);
	if (status == LM_OK)
		*result = body;
	else
		lm_elastic_destroy(body);
	return status;
}

void lm_elastic_destroy(lm_elastic* body)
{
	if (!body)
		return;
	lm_host host = body->host;
	for (int s = 0; s < body->set_count; ++s)
		lm_term_set_release(&body->sets[s], &host);
	lm_pattern_destroy(body->pattern);
	lm_pattern_destroy(body->own_rest_pattern);
	lm_free(&host, body->rest_starts);
	lm_free(&host, body->rest_vertices);
	lm_free(&host, body->shares);
	lm_free(&host, body->partials);
	lm_free(&host, body);
}

lm_elastic_view lm_elastic_get(const lm_elastic* body)
{
	int d = lm_elastic_dimension(body->kind);
	return (lm_elastic_view){ .kind = body->kind,
		                      .incompatible = body->incompatible,
		                      .dimension = d,
		                      .vertex_count = body->vertex_count,
		                      .unknowns = body->vertex_count * d,
		                      .rest_unknowns = body->rest_slots * d,
		                      .pattern = body->pattern,
		                      .rest_pattern = body->incompatible ? body->own_rest_pattern : body->pattern,
		                      .rest_slots = body->rest_slots,
		                      .rest_element_count = body->rest_element_count,
		                      .rest_starts = body->rest_starts,
		                      .rest_vertices = body->rest_vertices,
		                      .shares = body->shares };
}

void lm_elastic_gather_rest(const lm_elastic* body, const double* positions, double* X)
{
	size_t d = (size_t)lm_elastic_dimension(body->kind);
	if (!body->incompatible)
	{
		memcpy(X, positions, (size_t)body->vertex_count * d * sizeof *X);
		return;
	}
	for (int32_t s = 0; s < body->rest_slots; ++s)
		memcpy(X + (size_t)s * d, positions + (size_t)body->rest_vertices[s] * d, d * sizeof *X);
}

double lm_elastic_smallest_rest(const lm_elastic* body, const double* X)
{
	double smallest = INFINITY;
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		int k = set->measure->corners, d = set->measure->dimension;
		for (int64_t t = 0; !set->measure->angle && !set->green && t < set->count; ++t)
		{
			double x[LM_MEASURE_SIZE], q;
			for (int i = 0; i < k; ++i)
				memcpy(x + i * d, X + (int64_t)set->slots[t * k + i] * d, (size_t)d * sizeof *x);
			set->measure->value(x, &q);
			q /= set->initial[t];
			smallest = fmin(smallest, k == 2 ? sqrt(q) : q);
		}
	}
	return smallest;
}
