#include "track/tangle.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"

#include <string.h>

#define RINGS 2

// ---- what crosses ------------------------------------------------------------------------------------------------

// Marks neighbours of what is marked; they become so when the round is over.
static void grow(lm_tangle* t)
{
	for (int32_t v = 0; v < t->neighbours.count; ++v)
	{
		t->weights[v] = t->marked[v];
		for (int64_t k = t->neighbours.starts[v]; k < t->neighbours.starts[v + 1]; ++k)
			t->weights[v] += t->marked[t->neighbours.items[k]];
	}
	for (int32_t v = 0; v < t->neighbours.count; ++v)
		t->marked[v] = t->weights[v] > 0;
}

void lm_tangle_find(lm_tangle* t, const double* x)
{
	lm_bvh_refit(&t->tree, x);
	t->count = lm_mesh_count_intersections(&t->tree, t->pairs, t->capacity);
	memset(t->marked, 0, (size_t)t->vertex_count * sizeof *t->marked);
	for (int64_t i = 0; i < t->count && i < t->capacity; ++i)
		for (int k = 0; k < 3; ++k)
		{
			t->marked[t->triangles[3 * (int64_t)t->pairs[i].first + k]] = true;
			t->marked[t->triangles[3 * (int64_t)t->pairs[i].second + k]] = true;
		}
	for (int ring = 0; t->count > 0 && ring < RINGS; ++ring)
		grow(t);
}

// ---- coming apart ------------------------------------------------------------------------------------------------

// Where the edge from p to q meets the plane of the triangle, as a share of the edge and weights of the corners; false
// when it does not pierce it.
static bool pierces(lm_vec3 p, lm_vec3 q, const lm_vec3 b[3], double* share, double weights[3])
{
	lm_vec3 u = lm_sub(b[1], b[0]), w = lm_sub(b[2], b[0]), n = lm_cross(u, w), d = lm_sub(q, p);
	double across = lm_dot(n, d), area = lm_dot(n, n);
	if (!(fabs(across) > 1e-12 * sqrt(area) * lm_length(d)))
		return false;
	*share = lm_dot(n, lm_sub(b[0], p)) / across;
	lm_vec3 r = lm_sub(lm_add_scaled(p, *share, d), b[0]);
	weights[1] = lm_dot(n, lm_cross(r, w)) / area, weights[2] = lm_dot(n, lm_cross(u, r)) / area;
	weights[0] = 1 - weights[1] - weights[2];
	return *share >= 0 && *share <= 1 && weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0;
}

static void move(lm_tangle* t, int32_t vertex, double weight, lm_vec3 way)
{
	lm_v3_store(t->moves, vertex, lm_add_scaled(lm_v3_at(t->moves, vertex), weight, way));
	t->weights[vertex] += weight;
}

// The edge of triangle a from its corner i, and triangle b. The other face of the edge does the same.
static void part_edge(lm_tangle* t, const double* x, const int32_t a[3], int i, const int32_t b[3])
{
	lm_vec3 p = lm_v3_at(x, a[i]), q = lm_v3_at(x, a[(i + 1) % 3]), r = lm_v3_at(x, a[(i + 2) % 3]);
	const lm_vec3 corners[3] = { lm_v3_at(x, b[0]), lm_v3_at(x, b[1]), lm_v3_at(x, b[2]) };
	double share, weights[3];
	if (!pierces(p, q, corners, &share, weights))
		return;
	lm_vec3 E = lm_normalize_or(lm_sub(q, p), lm_v3(0, 0, 0));
	lm_vec3 N =
		lm_normalize_or(lm_cross(lm_sub(corners[1], corners[0]), lm_sub(corners[2], corners[0])), lm_v3(0, 0, 0));
	lm_vec3 own = lm_cross(lm_sub(q, p), lm_sub(r, p)), R = lm_normalize_or(lm_cross(N, own), lm_v3(0, 0, 0));
	lm_vec3 inward = lm_add_scaled(lm_sub(r, p), -lm_dot(lm_sub(r, p), E), E);
	if (lm_dot(R, inward) < 0)
		R = lm_scale(-1, R);
	lm_vec3 G = lm_add_scaled(R, -lm_dot(E, R) / lm_dot(E, N), N);
	G = lm_normalize_or(G, lm_v3(0, 0, 0));
	move(t, a[i], 1 - share, G), move(t, a[(i + 1) % 3], share, G);
	for (int k = 0; k < 3; ++k)
		move(t, b[k], weights[k], lm_scale(-1, G));
}

void lm_tangle_part(lm_tangle* t, const double* x, double step, double* y)
{
	memset(t->moves, 0, 3 * (size_t)t->vertex_count * sizeof(double));
	memset(t->weights, 0, (size_t)t->vertex_count * sizeof(double));
	for (int64_t k = 0; k < t->count && k < t->capacity; ++k)
	{
		const int32_t* a = t->triangles + 3 * (int64_t)t->pairs[k].first;
		const int32_t* b = t->triangles + 3 * (int64_t)t->pairs[k].second;
		for (int i = 0; i < 3; ++i)
			part_edge(t, x, a, i, b), part_edge(t, x, b, i, a);
	}
	for (int32_t v = 0; v < t->neighbours.count; ++v)
		if (t->weights[v] > 0)
			lm_v3_store(y, v, lm_add_scaled(lm_v3_at(y, v), step / fmax(1, t->weights[v]), lm_v3_at(t->moves, v)));
}

// ---- creation ----------------------------------------------------------------------------------------------------

static lm_status fill(lm_tangle* t, const lm_mesh* cloth, const double* x, lm_error* error)
{
	lm_status status = lm_bvh_create(cloth->triangles, cloth->triangle_count, 3, x, &t->host, &t->tree, error);
	if (status != LM_OK)
		return status;
	t->count = lm_mesh_count_intersections(&t->tree, NULL, 0);
	if (t->count == 0)
		return LM_OK;
	t->capacity = 4 * t->count + 4096;
	t->pairs = LM_NEW(&t->host, t->capacity, lm_triangle_pair);
	t->marked = LM_NEW(&t->host, t->vertex_count, bool);
	t->moves = LM_NEW(&t->host, 3 * (int64_t)t->vertex_count, double);
	t->weights = LM_NEW(&t->host, t->vertex_count, double);
	if (t->pairs == NULL || t->marked == NULL || t->moves == NULL || t->weights == NULL)
		return lm_fail_memory(error);
	lm_mesh_count_intersections(&t->tree, t->pairs, t->capacity);
	return lm_topology_neighbours(cloth, &t->host, &t->neighbours, error);
}

lm_status lm_tangle_create(const lm_mesh* cloth, int32_t vertex_count, const double* x, const lm_host* host,
                           lm_tangle** result, lm_error* error)
{
	lm_tangle* t = LM_NEW(host, 1, lm_tangle);
	if (t == NULL)
		return lm_fail_memory(error);
	t->host = *host, t->vertex_count = vertex_count, t->triangles = cloth->triangles;
	lm_status status = fill(t, cloth, x, error);
	*result = status == LM_OK && t->count > 0 ? t : NULL;
	if (*result == NULL)
		lm_tangle_destroy(t);
	return status;
}

void lm_tangle_destroy(lm_tangle* t)
{
	if (t == NULL)
		return;
	lm_host host = t->host;
	lm_bvh_release(&t->tree);
	lm_adjacency_release(&t->neighbours, &host);
	lm_free(&host, t->pairs), lm_free(&host, t->marked), lm_free(&host, t->moves), lm_free(&host, t->weights);
	lm_free(&host, t);
}
