// facts.c: properties of a mesh for `limber info`, among them the usual defects of surfaces.
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "mesh/topology.h"

#include <assert.h>
#include <string.h>

// ---- edges of the surface

// The two ends of half-edge k = 3 triangle + corner, which runs from that corner to the next.
static void ends_of(const int32_t* triangles, int64_t k, int32_t* from, int32_t* to)
{
	*from = triangles[k];
	*to = triangles[k % 3 == 2 ? k - 2 : k + 1];
}

// One stable counting-sort pass of half-edges by their lower (or higher) end. counts: vertex_count + 1.
static void sort_half_edges(const int32_t* triangles, int64_t count, int32_t vertex_count, bool by_higher,
                            const int64_t* from_order, int64_t* to_order, int64_t* counts)
{
	memset(counts, 0, ((size_t)vertex_count + 1) * sizeof *counts);
	int32_t a, b;
	for (int64_t k = 0; k < count; ++k)
	{
		ends_of(triangles, k, &a, &b);
		++counts[((a < b) == by_higher ? b : a) + 1];
	}
	for (int32_t v = 0; v < vertex_count; ++v)
		counts[v + 1] += counts[v];
	for (int64_t k = 0; k < count; ++k)
	{
		ends_of(triangles, from_order[k], &a, &b);
		to_order[counts[(a < b) == by_higher ? b : a]++] = from_order[k];
	}
}

static int64_t find_root(int64_t* parents, int64_t i)
{
	while (parents[i] != i)
	{
		parents[i] = parents[parents[i]];
		i = parents[i];
	}
	return i;
}

// The lower root wins, so that the order of joining does not matter.
static void join(int64_t* parents, int64_t i, int64_t j)
{
	i = find_root(parents, i);
	j = find_root(parents, j);
	if (i < j)
		parents[j] = i;
	else
		parents[i] = j;
}

// The corner of half-edge k's triangle that lies at vertex v, one of the half-edge's ends.
static int64_t corner_at(const int32_t* triangles, int64_t k, int32_t v)
{
	return triangles[k] == v ? k : k % 3 == 2 ? k - 2 : k + 1;
}

// Counts kinds of edges; joins corners of triangles that share an edge at their vertex.
static void walk_edges(const int32_t* triangles, int64_t count, const int64_t* order, int64_t* parents,
                       lm_mesh_facts* facts)
{
	facts->closed = count > 0;
	for (int64_t k = 0; k < count;)
	{
		int32_t a, b, c, d;
		int64_t balance = 0, end = k;
		ends_of(triangles, order[k], &a, &b);
		for (; end < count; ++end)
		{
			ends_of(triangles, order[end], &c, &d);
			if (!((c == a && d == b) || (c == b && d == a)))
				break;
			balance += c == a ? 1 : -1;
			join(parents, corner_at(triangles, order[k], a), corner_at(triangles, order[end], a));
			join(parents, corner_at(triangles, order[k], b), corner_at(triangles, order[end], b));
		}
		facts->open_edges += end - k == 1;
		facts->crowded_edges += end - k > 2;
		facts->flipped_edges += end - k == 2 && balance != 0;
		facts->closed = facts->closed && balance == 0;
		k = end;
	}
}

// Vertices with more than one root among their corners. fans: vertex_count, zeroed.
static int32_t count_pinched(const int32_t* triangles, int64_t count, const int64_t* parents, int64_t* fans)
{
	int32_t pinched = 0;
	for (int64_t k = 0; k < count; ++k)
		if (parents[k] == k)
			pinched += ++fans[triangles[k]] == 2;
	return pinched;
}

static lm_status study_edges(const int32_t* triangles, int32_t triangle_count, int32_t vertex_count,
                             const lm_host* host, lm_mesh_facts* facts, lm_error* error)
{
	int64_t count = 3 * (int64_t)triangle_count;
	int64_t* order = LM_NEW(host, count, int64_t);
	int64_t* other = LM_NEW(host, count, int64_t);
	int64_t* counts = LM_NEW(host, (size_t)vertex_count + 1, int64_t);
	bool room = order != NULL && other != NULL && counts != NULL;
	if (room)
	{
		for (int64_t k = 0; k < count; ++k)
			order[k] = k;
		sort_half_edges(triangles, count, vertex_count, true, order, other, counts);
		sort_half_edges(triangles, count, vertex_count, false, other, order, counts);
		int64_t* parents = other;
		for (int64_t k = 0; k < count; ++k)
			parents[k] = k;
		walk_edges(triangles, count, order, parents, facts);
		memset(counts, 0, (size_t)vertex_count * sizeof *counts);
		facts->pinched_vertices = count_pinched(triangles, count, parents, counts);
		facts->manifold = facts->crowded_edges == 0 && facts->pinched_vertices == 0;
	}
	lm_free(host, order);
	lm_free(host, other);
	lm_free(host, counts);
	return room ? LM_OK : lm_fail_memory(error);
}

// ---- pieces

static lm_status study_pieces(const lm_mesh* mesh, const lm_host* host, lm_mesh_facts* facts, lm_error* error)
{
	lm_adjacency neighbours;
	lm_status status = lm_topology_neighbours(mesh, host, &neighbours, error);
	if (status != LM_OK)
		return status;
	int32_t* stack = LM_NEW(host, mesh->vertex_count, int32_t);
	int32_t* component = LM_NEW(host, mesh->vertex_count, int32_t);
	bool room = stack != NULL && component != NULL;
	if (room)
	{
		for (int32_t v = 0; v < mesh->vertex_count; ++v)
			facts->loose_vertices += neighbours.starts[v] == neighbours.starts[v + 1];
		facts->components = lm_topology_components(&neighbours, stack, component) - facts->loose_vertices;
	}
	lm_free(host, stack);
	lm_free(host, component);
	lm_adjacency_release(&neighbours, host);
	return room ? LM_OK : lm_fail_memory(error);
}

// ---- measures

static void measure_edge(double length, lm_mesh_facts* facts)
{
	facts->min_edge = fmin(facts->min_edge, length);
	facts->max_edge = fmax(facts->max_edge, length);
}

static void measure_triangles(const lm_mesh* mesh, const int32_t* triangles, int32_t count, lm_mesh_facts* facts)
{
	lm_vec3 middle = lm_v3(0.5 * facts->low[0] + 0.5 * facts->high[0], 0.5 * facts->low[1] + 0.5 * facts->high[1],
	                       0.5 * facts->low[2] + 0.5 * facts->high[2]);
	double enclosed = 0;
	for (int32_t t = 0; t < count; ++t)
	{
		lm_vec3 x[3];
		for (int i = 0; i < 3; ++i)
			x[i] = lm_sub(lm_v3_at(mesh->positions, triangles[3 * (int64_t)t + i]), middle);
		lm_vec3 normal = lm_cross(lm_sub(x[1], x[0]), lm_sub(x[2], x[0]));
		facts->area += 0.5 * lm_length(normal);
		enclosed += lm_dot(x[0], normal) / 6;
		for (int i = 0; i < 3; ++i)
			measure_edge(lm_distance(x[i], x[(i + 1) % 3]), facts);
	}
	if (mesh->tet_count == 0 && facts->closed)
		facts->volume = enclosed;
}

// Between the two faces that meet in the edge p q, in degrees; r and s are their other corners.
static double dihedral_angle(lm_vec3 p, lm_vec3 q, lm_vec3 r, lm_vec3 s)
{
	lm_vec3 edge = lm_normalize_or(lm_sub(q, p), lm_v3(1, 0, 0));
	lm_vec3 a = lm_cross(edge, lm_sub(r, p)), b = lm_cross(edge, lm_sub(s, p));
	return atan2(lm_length(lm_cross(a, b)), lm_dot(a, b)) * (180 / LM_PI);
}

static void measure_tets(const lm_mesh* mesh, lm_mesh_facts* facts)
{
	static const int edges[6][4] = { { 0, 1, 2, 3 }, { 0, 2, 1, 3 }, { 0, 3, 1, 2 },
		                             { 1, 2, 0, 3 }, { 1, 3, 0, 2 }, { 2, 3, 0, 1 } };
	facts->min_dihedral = mesh->tet_count > 0 ? 180 : 0;
	for (int32_t t = 0; t < mesh->tet_count; ++t)
	{
		lm_vec3 x[4];
		for (int i = 0; i < 4; ++i)
			x[i] = lm_v3_at(mesh->positions, mesh->tets[4 * (int64_t)t + i]);
		lm_vec3 normal = lm_cross(lm_sub(x[1], x[0]), lm_sub(x[2], x[0]));
		facts->volume += lm_dot(normal, lm_sub(x[3], x[0])) / 6;
		for (int e = 0; e < 6; ++e)
		{
			const int* i = edges[e];
			facts->min_dihedral = fmin(facts->min_dihedral, dihedral_angle(x[i[0]], x[i[1]], x[i[2]], x[i[3]]));
			measure_edge(lm_distance(x[i[0]], x[i[1]]), facts);
		}
	}
}

static void measure_edges(const lm_mesh* mesh, lm_mesh_facts* facts)
{
	for (int32_t e = 0; e < mesh->edge_count; ++e)
	{
		const int32_t* ends = mesh->edges + 2 * (int64_t)e;
		double length = lm_distance(lm_v3_at(mesh->positions, ends[0]), lm_v3_at(mesh->positions, ends[1]));
		facts->length += length;
		measure_edge(length, facts);
	}
}

lm_status lm_mesh_get_facts(const lm_mesh* mesh, const lm_host* host, lm_mesh_facts* facts, lm_error* error)
{
	assert(mesh != NULL && host != NULL && facts != NULL);
	lm_mesh_facts found = { .min_edge = INFINITY };
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, found.low, found.high);
	int32_t *boundary = NULL, count = mesh->triangle_count;
	lm_status status = LM_OK;
	if (count == 0 && mesh->tet_count > 0)
		status = lm_topology_boundary(mesh, host, &boundary, &count, error);
	if (status != LM_OK)
		return status;
	const int32_t* triangles = boundary != NULL ? boundary : mesh->triangles;
	found.surface_triangles = count;
	status = study_edges(triangles, count, mesh->vertex_count, host, &found, error);
	if (status == LM_OK)
		status = study_pieces(mesh, host, &found, error);
	measure_triangles(mesh, triangles, count, &found);
	measure_tets(mesh, &found);
	measure_edges(mesh, &found);
	lm_free(host, boundary);
	if (status != LM_OK)
		return status;
	found.min_edge = isfinite(found.min_edge) ? found.min_edge : 0;
	*facts = found;
	return LM_OK;
}
