// subdivide.c: triangle meshes refined level by level, with the map from the coarse vertices to the fine ones.
//
// Each triangle becomes four. Linear: new vertices are the middles of edges. Loop (1987, with the weights of Warren
// 1995): inside, a new vertex is 3/8 of its edge's ends and 1/8 of the two vertices across, and an old one keeps
// 1 - n b of itself and takes b of each of its n neighbours, b = 3 / (8 n), 3/16 for n = 3; on a border, middles of
// edges, and 3/4 of an old vertex and 1/8 of each of its two neighbours there. Edges with more than two triangles count
// as border, and vertices with another number of border edges than 0 or 2 stay where they are.
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/mesh.h"
#include "mesh/half_edge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Sparse rows: row i is weight[start[i] ..] at point[start[i] ..].
typedef struct rows
{
	int32_t count;
	int64_t* start;
	int32_t* point;
	double* weight;
} rows;

static bool take_rows(lm_arena* memory, int64_t count, int64_t numbers, rows* r)
{
	*r = (rows){ (int32_t)count, LM_TAKE(memory, (size_t)count + 1, int64_t), LM_TAKE(memory, (size_t)numbers, int32_t),
		         LM_TAKE(memory, (size_t)numbers, double) };
	return r->start != NULL && r->point != NULL && r->weight != NULL;
}

static void put(rows* r, int32_t row, int32_t point, double weight)
{
	int64_t at = r->start[row + 1]++;
	r->point[at] = point, r->weight[at] = weight;
}

// The shape at one level.
typedef struct level
{
	int32_t vertex_count, triangle_count;
	int32_t* triangles;
	int32_t (*parents)[2]; // of each vertex: the ends of its edge, or twice itself one level up
} level;

// ---- one level ----------------------------------------------------------------------------------------------------

// Neighbours of a vertex that count for it: all of them inside, those along the border there.
typedef struct ring
{
	int32_t edges, border;
} ring;

static void count_rings(const lm_half_edge* sides, int64_t count, ring* rings)
{
	for (int64_t i = 0, next; i < count; i = next)
	{
		next = lm_half_edges_end(sides, count, i);
		for (int k = 0; k < 2; ++k)
		{
			ring* r = &rings[k == 0 ? sides[i].low : sides[i].high];
			++r->edges;
			r->border += next - i != 2;
		}
	}
}

// Weight of each neighbour of an old vertex; along the border or not.
static double neighbour_weight(const ring* r, bool along_border, lm_subdivision scheme)
{
	if (scheme == LM_SUBDIVIDE_LINEAR || (r->border != 0 && r->border != 2))
		return 0;
	if (r->border == 2)
		return along_border ? 0.125 : 0;
	return r->edges == 3 ? 3.0 / 16 : 3.0 / (8 * r->edges);
}

// Rows of the old vertices: room for each is 1 + edges.
static void fill_old(const lm_half_edge* sides, int64_t count, const ring* rings, lm_subdivision scheme, int32_t n,
                     rows* r)
{
	int64_t at = 0;
	for (int32_t v = 0; v < n; ++v)
	{
		int64_t room = 1 + rings[v].edges;
		r->start[v] = at; // where row v begins; put() counts up the next one's, which is set when v + 1 comes
		r->point[at] = v, r->weight[at] = 1;
		for (int64_t k = 1; k < room; ++k)
			r->point[at + k] = -1;
		at += room;
	}
	for (int64_t i = 0, next; i < count; i = next)
	{
		next = lm_half_edges_end(sides, count, i);
		for (int k = 0; k < 2; ++k)
		{
			int32_t v = k == 0 ? sides[i].low : sides[i].high, other = k == 0 ? sides[i].high : sides[i].low;
			double w = neighbour_weight(&rings[v], next - i != 2, scheme);
			int64_t slot = r->start[v];
			while (r->point[slot] >= 0)
				++slot;
			r->point[slot] = other, r->weight[slot] = w;
			r->weight[r->start[v]] -= w;
		}
	}
	r->start[n] = at;
}

// Row of the new vertex on the edge whose sides are those from begin to end.
static void fill_new(const level* from, const lm_half_edge* sides, int64_t begin, int64_t end, lm_subdivision scheme,
                     int32_t row, rows* r)
{
	bool inside = end - begin == 2 && scheme == LM_SUBDIVIDE_LOOP;
	r->start[row + 1] = r->start[row];
	put(r, row, sides[begin].low, inside ? 0.375 : 0.5);
	put(r, row, sides[begin].high, inside ? 0.375 : 0.5);
	for (int64_t k = begin; inside && k < end; ++k)
		put(r, row, from->triangles[3 * (int64_t)sides[k].triangle + (sides[k].corner + 2) % 3], 0.125); // across
}

// middles[3 t + c]: the new vertex on the side from corner c of triangle t.
static void split(const level* from, const int32_t* middles, level* to)
{
	for (int32_t t = 0; t < from->triangle_count; ++t)
	{
		const int32_t *v = from->triangles + 3 * (int64_t)t, *m = middles + 3 * (int64_t)t;
		const int32_t parts[12] = { v[0], m[0], m[2], m[0], v[1], m[1], m[2], m[1], v[2], m[0], m[1], m[2] };
		memcpy(to->triangles + 12 * (int64_t)t, parts, sizeof parts);
	}
}

static bool refine(const level* from, lm_subdivision scheme, lm_arena* memory, level* to, rows* map)
{
	int64_t side_count = 3 * (int64_t)from->triangle_count, edge_count = 0;
	int32_t n = from->vertex_count;
	lm_half_edge* sides = LM_TAKE(memory, (size_t)side_count, lm_half_edge);
	int32_t* middles = LM_TAKE(memory, (size_t)side_count, int32_t);
	ring* rings = LM_TAKE(memory, (size_t)n, ring);
	if (sides == NULL || middles == NULL || rings == NULL)
		return false;
	memset(rings, 0, (size_t)n * sizeof *rings);
	lm_half_edges_list(from->triangles, from->triangle_count, sides);
	count_rings(sides, side_count, rings);
	for (int64_t i = 0; i < side_count; i = lm_half_edges_end(sides, side_count, i))
		++edge_count;
	to->vertex_count = (int32_t)(n + edge_count), to->triangle_count = 4 * from->triangle_count;
	to->triangles = LM_TAKE(memory, 3 * (size_t)to->triangle_count, int32_t);
	to->parents = lm_arena_take(memory, (size_t)to->vertex_count, sizeof *to->parents);
	if (to->triangles == NULL || to->parents == NULL ||
	    !take_rows(memory, to->vertex_count, n + 2 * edge_count + 4 * edge_count, map))
		return false;
	fill_old(sides, side_count, rings, scheme, n, map);
	for (int32_t v = 0; v < n; ++v)
		to->parents[v][0] = to->parents[v][1] = v;
	int32_t next = n;
	for (int64_t i = 0, end; i < side_count; i = end, ++next)
	{
		end = lm_half_edges_end(sides, side_count, i);
		for (int64_t k = i; k < end; ++k)
			middles[3 * (int64_t)sides[k].triangle + sides[k].corner] = next;
		fill_new(from, sides, i, end, scheme, next, map);
		to->parents[next][0] = sides[i].low, to->parents[next][1] = sides[i].high;
	}
	split(from, middles, to);
	return true;
}

// ---- all levels ----------------------------------------------------------------------------------------------------

static int by_value(const void* a, const void* b)
{
	int32_t p = *(const int32_t*)a, q = *(const int32_t*)b;
	return (p > q) - (p < q);
}

// fine * before, row by row; sums and marks have one number per coarse vertex, sums zeroed, marks -1.
static bool multiply(const rows* fine, const rows* before, double* sums, int32_t* marks, int32_t* found,
                     lm_arena* memory, rows* product)
{
	int64_t most = 0;
	for (int32_t i = 0; i < fine->count; ++i)
		for (int64_t k = fine->start[i]; k < fine->start[i + 1]; ++k)
			most += before->start[fine->point[k] + 1] - before->start[fine->point[k]];
	if (!take_rows(memory, fine->count, most, product))
		return false;
	product->start[0] = 0;
	for (int32_t i = 0; i < fine->count; ++i)
	{
		int32_t count = 0;
		for (int64_t k = fine->start[i]; k < fine->start[i + 1]; ++k)
			for (int64_t l = before->start[fine->point[k]];
			     fine->weight[k] != 0 && l < before->start[fine->point[k] + 1]; ++l)
			{
				int32_t p = before->point[l];
				if (marks[p] != i)
					marks[p] = i, found[count++] = p, sums[p] = 0;
				sums[p] += fine->weight[k] * before->weight[l];
			}
		qsort(found, (size_t)count, sizeof *found, by_value);
		product->start[i + 1] = product->start[i];
		for (int32_t k = 0; k < count; ++k)
			put(product, i, found[k], sums[found[k]]);
	}
	return true;
}

// The identity, as the map before the first level.
static bool begin(const lm_mesh* coarse, lm_arena* memory, rows* map)
{
	if (!take_rows(memory, coarse->vertex_count, coarse->vertex_count, map))
		return false;
	map->start[0] = 0;
	for (int32_t v = 0; v < coarse->vertex_count; ++v)
	{
		map->start[v + 1] = map->start[v];
		put(map, v, v, 1);
	}
	return true;
}

// A vertex in the middle of an edge has the mean weight of its ends.
static lm_status carry_weights(const lm_mesh* coarse, const lm_group* group, const level* levels, int32_t count,
                               double* weights, lm_mesh* fine, lm_error* error)
{
	memcpy(weights, group->weights, (size_t)coarse->vertex_count * sizeof *weights);
	for (int32_t l = 1; l <= count; ++l)
		for (int32_t v = levels[l - 1].vertex_count; v < levels[l].vertex_count; ++v)
			weights[v] = (weights[levels[l].parents[v][0]] + weights[levels[l].parents[v][1]]) / 2;
	return lm_mesh_paint_group(fine, group->name, weights, error);
}

// A vertex in the middle of an edge is in the groups of both ends.
static lm_status carry_groups(const lm_mesh* coarse, const level* levels, int32_t count, lm_arena* memory,
                              lm_mesh* fine, lm_error* error)
{
	bool* in = LM_TAKE(memory, (size_t)fine->vertex_count, bool);
	int32_t* list = LM_TAKE(memory, (size_t)fine->vertex_count, int32_t);
	double* weights = LM_TAKE(memory, (size_t)fine->vertex_count, double);
	if (in == NULL || list == NULL || weights == NULL)
		return lm_fail_memory(error);
	lm_status status = LM_OK;
	for (int32_t g = 0; status == LM_OK && g < coarse->group_count; ++g)
	{
		if (coarse->groups[g].weights != NULL)
		{
			status = carry_weights(coarse, &coarse->groups[g], levels, count, weights, fine, error);
			continue;
		}
		memset(in, 0, (size_t)fine->vertex_count * sizeof *in);
		for (int32_t k = 0; k < coarse->groups[g].count; ++k)
			in[coarse->groups[g].vertices[k]] = true;
		for (int32_t l = 1; l <= count; ++l)
			for (int32_t v = levels[l - 1].vertex_count; v < levels[l].vertex_count; ++v)
				in[v] = in[levels[l].parents[v][0]] && in[levels[l].parents[v][1]];
		int32_t members = 0;
		for (int32_t v = 0; v < fine->vertex_count; ++v)
			if (in[v])
				list[members++] = v;
		status = lm_mesh_set_group(fine, coarse->groups[g].name, list, members, error);
	}
	return status;
}

static lm_status finish(const lm_mesh* coarse, const level* levels, int32_t count, const rows* map, const lm_host* host,
                        lm_arena* memory, lm_mesh** fine, lm_binding** result, lm_error* error)
{
	const level* last = &levels[count];
	lm_mesh* mesh = lm_mesh_create(host, last->vertex_count, last->triangle_count, 0);
	if (mesh == NULL)
		return lm_fail_memory(error);
	memcpy(mesh->triangles, last->triangles, 3 * (size_t)last->triangle_count * sizeof(int32_t));
	lm_binding* binding = NULL;
	lm_binding_view view = { map->count, coarse->vertex_count, map->start, map->point, map->weight };
	lm_status status = lm_binding_create_rows(&view, host, &binding, error);
	if (status == LM_OK)
	{
		lm_binding_apply(binding, coarse->positions, 1, mesh->positions);
		status = carry_groups(coarse, levels, count, memory, mesh, error);
	}
	if (status != LM_OK)
	{
		lm_mesh_destroy(mesh);
		lm_binding_destroy(binding);
		return status;
	}
	*fine = mesh, *result = binding;
	return LM_OK;
}

#define LEVELS_MAX 8
#define TRIANGLES_MAX (INT32_MAX / 64)

lm_status lm_mesh_subdivide(const lm_mesh* coarse, int32_t count, lm_subdivision scheme, const lm_host* host,
                            lm_mesh** fine, lm_binding** map, lm_error* error)
{
	assert(coarse != NULL && host != NULL && fine != NULL && map != NULL);
	if (count < 0 || count > LEVELS_MAX || (int64_t)coarse->triangle_count << 2 * count > TRIANGLES_MAX)
		return lm_fail(error, LM_BAD_INPUT, "%d levels of subdivision are too many for %d triangles", count,
		               coarse->triangle_count);
	lm_arena memory;
	lm_arena_init(&memory, host);
	level levels[LEVELS_MAX + 1] = { { coarse->vertex_count, coarse->triangle_count, coarse->triangles, NULL } };
	double* sums = LM_TAKE(&memory, (size_t)coarse->vertex_count, double);
	int32_t* marks = LM_TAKE(&memory, (size_t)coarse->vertex_count, int32_t);
	int32_t* found = LM_TAKE(&memory, (size_t)coarse->vertex_count, int32_t);
	rows all;
	bool good = sums != NULL && marks != NULL && found != NULL && begin(coarse, &memory, &all);
	for (int32_t l = 1; good && l <= count; ++l)
	{
		rows step, product;
		memset(marks, 0xff, (size_t)coarse->vertex_count * sizeof *marks);
		good = refine(&levels[l - 1], scheme, &memory, &levels[l], &step) &&
		       multiply(&step, &all, sums, marks, found, &memory, &product);
		if (good)
			all = product;
	}
	lm_status status =
		good ? finish(coarse, levels, count, &all, host, &memory, fine, map, error) : lm_fail_memory(error);
	lm_arena_release(&memory);
	return status;
}
