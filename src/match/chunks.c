// chunks.c: the regions of a chunk see only the chunk's own particles and a rim around them. Each chunk numbers these
// `locals` for itself, own particles first; the members of its regions are local numbers. The step then works on small
// tables that stay in the cache, with coordinates relative to the middle of the chunk, which single precision can hold.
#include "base/error.h"
#include "match/body.h"

#include <string.h>

typedef struct builder
{
	lm_match* body;
	const lm_adjacency* rings;
	int32_t* local_of; // per particle, -1: not seen in this chunk
	size_t local_capacity;
	int64_t local_count;
} builder;

static bool see(builder* b, int32_t particle, int64_t first)
{
	if (b->local_of[particle] >= 0)
		return true;
	if (!lm_grow(&b->body->host, (void**)&b->body->locals, &b->local_capacity, (size_t)b->local_count + 2,
	             sizeof(int32_t)))
		return false;
	b->body->locals[b->local_count] = particle;
	b->local_of[particle] = (int32_t)(b->local_count - first);
	++b->local_count;
	return true;
}

static int64_t ring_begin(const builder* b, int64_t region)
{
	return b->rings->starts[b->body->to_user[region]];
}

static int64_t ring_end(const builder* b, int64_t region)
{
	return b->rings->starts[b->body->to_user[region] + 1];
}

// Numbers the locals of one chunk and writes the members of its regions. Lists are filled up with a local that weighs
// nothing, so that LM_AT_ONCE members can be taken at a time.
static bool build_chunk(builder* b, int32_t chunk)
{
	lm_match* body = b->body;
	int64_t first = b->local_count, begin = (int64_t)chunk * LM_CHUNK, end = begin + LM_CHUNK;
	int64_t last = end < body->count ? end : body->count;
	for (int64_t r = begin; r < last; ++r)
		if (!see(b, (int32_t)r, first))
			return false;
	for (int64_t r = begin; r < last; ++r)
		for (int64_t k = ring_begin(b, r); k < ring_end(b, r); ++k)
			if (!see(b, body->to_inner[b->rings->items[k]], first))
				return false;
	int32_t nobody = (int32_t)(b->local_count - first);
	for (int64_t r = begin; r < last; ++r)
	{
		int32_t* member = body->members + body->starts[r];
		for (int64_t k = ring_begin(b, r); k < ring_end(b, r); ++k)
			*member++ = LM_PLACE * b->local_of[body->to_inner[b->rings->items[k]]];
		while ((member - body->members) % LM_AT_ONCE != 0)
			*member++ = LM_PLACE * nobody;
		body->starts[r + 1] = (int32_t)(member - body->members);
	}
	for (int64_t k = first; k < b->local_count; ++k)
		b->local_of[body->locals[k]] = -1;
	body->locals[b->local_count++] = body->blocks * LM_LANES; // nobody: the particle behind the last
	body->local_starts[chunk + 1] = b->local_count;
	return true;
}

lm_status lm_match_build_chunks(lm_match* body, const lm_adjacency* rings, lm_error* error)
{
	const lm_host* host = &body->host;
	int64_t members = rings->starts[body->count] + (LM_AT_ONCE - 1) * (int64_t)body->count;
	if (members > INT32_MAX || body->count > INT32_MAX / LM_RECORD - 1)
		return lm_fail(error, LM_BAD_INPUT, "the regions have %lld members in all; a smaller ring is needed",
		               (long long)rings->starts[body->count]);
	builder b = { .body = body, .rings = rings, .local_of = LM_NEW(host, body->count, int32_t) };
	body->members = LM_NEW(host, members, int32_t);
	body->local_starts = LM_NEW(host, body->chunks + 1, int64_t);
	bool built = b.local_of != NULL && body->members != NULL && body->local_starts != NULL;
	for (int32_t i = 0; built && i < body->count; ++i)
		b.local_of[i] = -1;
	for (int32_t chunk = 0; built && chunk < body->chunks; ++chunk)
		built = build_chunk(&b, chunk);
	for (int64_t i = body->count; built && i < (int64_t)body->blocks * LM_LANES; ++i)
		body->starts[i + 1] = body->starts[i];
	built = built && (body->local_weights = LM_NEW(host, 4 * b.local_count, float)) != NULL;
	lm_free(host, b.local_of);
	return built ? LM_OK : lm_fail_memory(error);
}

// Middle of the chunk at rest, the particle that stands for it, and the locals' m~ (X - middle, 1).
void lm_match_weigh_chunk(lm_match* body, int32_t chunk)
{
	int64_t begin = (int64_t)chunk * LM_CHUNK, end = begin + LM_CHUNK < body->count ? begin + LM_CHUNK : body->count;
	lm_vec3 middle = { 0 };
	for (int64_t i = begin; i < end; ++i)
		middle = lm_add_scaled(middle, 1.0 / (double)(end - begin), lm_match_rest_position(body, (int32_t)i));
	double nearest = INFINITY;
	for (int64_t i = begin; i < end; ++i)
	{
		lm_vec3 d = lm_sub(lm_match_rest_position(body, (int32_t)i), middle);
		if (lm_dot(d, d) < nearest)
			nearest = lm_dot(d, d), body->chunk_middle[chunk] = (int32_t)i;
	}
	lm_v3_store(body->chunk_rest, chunk, middle);
	for (int64_t k = body->local_starts[chunk]; k < body->local_starts[chunk + 1] - 1; ++k)
	{
		double m = body->rest_moment[4 * (int64_t)body->locals[k] + 3];
		lm_vec3 X = lm_sub(lm_match_rest_position(body, body->locals[k]), middle);
		const double weights[4] = { m * X.x, m * X.y, m * X.z, m };
		for (int j = 0; j < 4; ++j)
			body->local_weights[4 * k + j] = (float)weights[j];
	}
}
