// rows.c: a numbering in which the particles of a row follow each other. Lattices, extruded and swept meshes consist of
// straight rows of vertices; whatever order they came in, the most common direction of their edges tells the rows, and
// then the k-th members of neighbouring regions are neighbours too, which runs.c makes use of.
#include "match/body.h"

#include <string.h>

#define LM_SAMPLES 8       // vertices whose edges are tried as directions
#define LM_DIRECTIONS 256  // tried at most
#define LM_EDGES 20000     // looked at for each, about
#define LM_STRAIGHT 0.9999 // cosine squared of edges that count as parallel

typedef struct mesh_view
{
	const double* positions;
	const lm_adjacency* rings;
} mesh_view;

static lm_vec3 edge_of(const mesh_view* mesh, int32_t a, int32_t b)
{
	return lm_sub(lm_v3_at(mesh->positions, b), lm_v3_at(mesh->positions, a));
}

static bool parallel(lm_vec3 edge, lm_vec3 direction)
{
	double along = lm_dot(edge, direction), size = lm_dot(edge, edge);
	return size > 0 && along * along > LM_STRAIGHT * size;
}

static int list_directions(const mesh_view* mesh, lm_vec3 directions[LM_DIRECTIONS])
{
	int count = 0;
	for (int64_t s = 0; s < LM_SAMPLES; ++s)
	{
		int32_t v = (int32_t)((2 * s + 1) * mesh->rings->count / (2 * LM_SAMPLES));
		for (int64_t k = mesh->rings->starts[v]; k < mesh->rings->starts[v + 1] && count < LM_DIRECTIONS; ++k)
		{
			lm_vec3 edge = edge_of(mesh, v, mesh->rings->items[k]);
			double length = lm_length(edge);
			bool known = !(length > 0);
			for (int d = 0; !known && d < count; ++d)
				known = parallel(edge, directions[d]);
			if (!known)
				directions[count++] = lm_scale(1 / length, edge);
		}
	}
	return count;
}

static lm_vec3 commonest_direction(const mesh_view* mesh)
{
	lm_vec3 directions[LM_DIRECTIONS] = { { 1, 0, 0 } };
	int count = list_directions(mesh, directions);
	int64_t found[LM_DIRECTIONS] = { 0 }, most = 0;
	int64_t edges = mesh->rings->starts[mesh->rings->count], stride = edges / LM_EDGES + 1;
	for (int32_t v = 0; v < mesh->rings->count; v += (int32_t)stride)
		for (int64_t k = mesh->rings->starts[v]; k < mesh->rings->starts[v + 1]; ++k)
			for (int d = 0; d < count; ++d)
				found[d] += parallel(edge_of(mesh, v, mesh->rings->items[k]), directions[d]);
	for (int d = 1; d < count; ++d)
		most = found[d] > found[most] ? d : most;
	return directions[most];
}

// The nearest vertex of the ring straight ahead, -1: none.
static int32_t find_next(const mesh_view* mesh, int32_t v, lm_vec3 direction)
{
	int32_t next = -1;
	double nearest = INFINITY;
	for (int64_t k = mesh->rings->starts[v]; k < mesh->rings->starts[v + 1]; ++k)
	{
		lm_vec3 edge = edge_of(mesh, v, mesh->rings->items[k]);
		double length = lm_dot(edge, direction);
		if (parallel(edge, direction) && length > 0 && length < nearest)
			nearest = length, next = mesh->rings->items[k];
	}
	return next;
}

bool lm_match_order_rows(const double* positions, const lm_adjacency* rings, const lm_host* host, int32_t* to_user)
{
	mesh_view mesh = { positions, rings };
	int32_t count = rings->count, done = 0;
	int32_t *next = LM_NEW(host, count, int32_t), *before = LM_NEW(host, count, int32_t);
	bool room = next != NULL && before != NULL;
	for (int32_t v = 0; room && v < count; ++v)
		next[v] = before[v] = -1;
	lm_vec3 direction = commonest_direction(&mesh);
	for (int32_t v = 0; room && v < count; ++v)
	{
		int32_t w = find_next(&mesh, v, direction);
		if (w >= 0 && before[w] < 0)
			next[v] = w, before[w] = v;
	}
	// A row starts at a particle that follows no other; what follows is strictly ahead, so there are no cycles.
	for (int32_t head = 0; room && head < count; ++head)
		for (int32_t v = before[head] < 0 ? head : -1; v >= 0; v = next[v])
			to_user[done++] = v;
	lm_free(host, next);
	lm_free(host, before);
	return room;
}
