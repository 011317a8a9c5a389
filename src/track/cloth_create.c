// Making a cloth from triangles, and measuring its rest state; see cloth.h.
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "elastic/body.h"
#include "math/vec.h"
#include "track/cloth.h"

#include <string.h>

// A triangle whose height is below this share of its longest edge has no area.
static const double flat = 1e-10;

// ---- rest state --------------------------------------------------------------------------------------------------

// In its own plane the triangle has corners (0, 0), (a, 0), (b, c): the inverse of [a b; 0 c]. False when it is flat.
static bool measure_triangle(const double* X, const int32_t v[3], lm_cloth_triangle* rest)
{
	lm_vec3 origin = lm_v3_at(X, v[0]), u = lm_sub(lm_v3_at(X, v[1]), origin), w = lm_sub(lm_v3_at(X, v[2]), origin);
	double a = lm_length(u), twice = lm_length(lm_cross(u, w)),
		   longest = fmax(a, fmax(lm_length(w), lm_distance(u, w)));
	if (!(twice > flat * longest * longest) || !isfinite(twice))
		return false;
	double b = lm_dot(u, w) / a, c = twice / a;
	rest->area = twice / 2;
	rest->B[0][0] = 1 / a, rest->B[0][1] = -b / (a * c);
	rest->B[1][0] = 0, rest->B[1][1] = 1 / c;
	return true;
}

static bool measure_all(const lm_cloth* cloth, const double* X, int32_t* bad)
{
	lm_cloth_triangle unused;
	for (*bad = 0; *bad < cloth->triangle_count; ++*bad)
		if (!measure_triangle(X, cloth->triangles + 3 * (int64_t)*bad, &unused))
			return false;
	return true;
}

// X has been found good.
static void take_rest(lm_cloth* cloth, const double* X)
{
	memset(cloth->vertex_areas, 0, (size_t)cloth->vertex_count * sizeof(double));
	for (int32_t t = 0; t < cloth->triangle_count; ++t)
	{
		const int32_t* v = cloth->triangles + 3 * (int64_t)t;
		measure_triangle(X, v, &cloth->rest[t]);
		for (int i = 0; i < 3; ++i)
			cloth->vertex_areas[v[i]] += cloth->rest[t].area / 3;
	}
	for (int32_t e = 0; e < cloth->hinge_count; ++e)
	{
		const int32_t* v = cloth->hinges + 4 * (int64_t)e;
		lm_vec3 a = lm_v3_at(X, v[0]), edge = lm_sub(lm_v3_at(X, v[1]), a);
		cloth->lengths[e] = lm_length(edge);
		cloth->areas[e] = 0;
		for (int side = 2; side < 4; ++side)
			cloth->areas[e] += lm_length(lm_cross(edge, lm_sub(lm_v3_at(X, v[side]), a))) / 2;
		cloth->rest_angles[e] = lm_cloth_angle(cloth, e, X);
		cloth->stiffness[e] = 1;
	}
}

bool lm_cloth_set_rest(lm_cloth* cloth, const double* positions)
{
	int32_t bad;
	if (!measure_all(cloth, positions, &bad))
		return false;
	take_rest(cloth, positions);
	return true;
}

// ---- creation ----------------------------------------------------------------------------------------------------

static lm_status fail_at(int32_t triangle, lm_error* error, const char* what)
{
	return lm_fail_element(error, triangle, "triangle %d %s", triangle, what);
}

static lm_status check_triangles(int32_t vertex_count, const int32_t* triangles, int32_t count, lm_error* error)
{
	for (int32_t t = 0; t < count; ++t)
	{
		const int32_t* v = triangles + 3 * (int64_t)t;
		for (int i = 0; i < 3; ++i)
			if (v[i] < 0 || v[i] >= vertex_count)
				return fail_at(t, error, "names a vertex that does not exist");
		if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
			return fail_at(t, error, "names a vertex twice");
	}
	return LM_OK;
}

// Counts the pairs of triangles at an edge and, when hinges is not NULL, writes them. Where more than two meet, each is
// joined to the next in the order of the mesh.
static void find_hinges(const lm_shape_edge* edges, int64_t count, int32_t* hinges, int32_t* found)
{
	*found = 0;
	for (int64_t k = 0; k + 1 < count; ++k)
	{
		if (edges[k].low != edges[k + 1].low || edges[k].high != edges[k + 1].high)
			continue;
		const int32_t corners[4] = { edges[k].low, edges[k].high, edges[k].opposite, edges[k + 1].opposite };
		if (hinges != NULL)
			memcpy(hinges + 4 * (int64_t)*found, corners, sizeof corners);
		++*found;
	}
}

static lm_status fill_hinges(lm_cloth* cloth, const double* positions, lm_error* error)
{
	lm_elastic_shape shape = { .kind = LM_ELASTIC_SHELL3,
		                       .vertex_count = cloth->vertex_count,
		                       .positions = positions,
		                       .element_count = cloth->triangle_count,
		                       .elements = cloth->triangles };
	int64_t count;
	lm_shape_edge* edges = lm_shape_edges(&shape, &cloth->host, &count);
	if (edges == NULL)
		return lm_fail_memory(error);
	find_hinges(edges, count, NULL, &cloth->hinge_count);
	cloth->hinges = LM_NEW(&cloth->host, 4 * (int64_t)cloth->hinge_count, int32_t);
	if (cloth->hinges != NULL)
		find_hinges(edges, count, cloth->hinges, &cloth->hinge_count);
	lm_free(&cloth->host, edges);
	return cloth->hinges != NULL ? LM_OK : lm_fail_memory(error);
}

void lm_cloth_lists(const lm_cloth* cloth, lm_element_list lists[2])
{
	lists[0] = (lm_element_list){ .count = cloth->triangle_count, .index = cloth->triangles, .size = 3, .block = 3 };
	lists[1] = (lm_element_list){ .count = cloth->hinge_count, .index = cloth->hinges, .size = 4, .block = 3 };
}

// Corner i of triangle t is 3 t + i, corner i of hinge e is 3 triangle_count + 4 e + i.
static lm_status find_corners(lm_cloth* cloth, lm_error* error)
{
	int64_t of_triangles = 3 * (int64_t)cloth->triangle_count;
	int64_t count = of_triangles + 4 * (int64_t)cloth->hinge_count;
	if (count > INT32_MAX)
		return lm_fail(error, LM_BAD_INPUT, "the cloth has too many triangles: 100 million are the most");
	int32_t* vertices = LM_NEW(&cloth->host, count, int32_t);
	cloth->forces = LM_NEW(&cloth->host, 3 * count, double);
	lm_status status = LM_OK;
	if (vertices == NULL || cloth->forces == NULL)
		status = lm_fail_memory(error);
	else
	{
		memcpy(vertices, cloth->triangles, (size_t)of_triangles * sizeof *vertices);
		if (cloth->hinge_count > 0)
			memcpy(vertices + of_triangles, cloth->hinges, (size_t)(count - of_triangles) * sizeof *vertices);
		status = lm_topology_elements_of_vertices(vertices, (int32_t)count, 1, cloth->vertex_count, &cloth->host,
		                                          &cloth->corners, error);
	}
	lm_free(&cloth->host, vertices);
	return status;
}

static lm_status allocate(lm_cloth* cloth, lm_error* error)
{
	const lm_host* host = &cloth->host;
	int64_t terms = (int64_t)cloth->triangle_count + cloth->hinge_count;
	double** numbers[] = { &cloth->lengths, &cloth->areas, &cloth->rest_angles, &cloth->stiffness };
	bool enough = true;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
		enough = (*numbers[i] = LM_NEW(host, cloth->hinge_count, double)) != NULL && enough;
	cloth->rest = LM_NEW(host, cloth->triangle_count, lm_cloth_triangle);
	cloth->vertex_areas = LM_NEW(host, cloth->vertex_count, double);
	cloth->partials = LM_NEW(host, lm_chunk_count(terms, LM_CLOTH_GRAIN), double);
	if (!enough || cloth->rest == NULL || cloth->vertex_areas == NULL || cloth->partials == NULL)
		return lm_fail_memory(error);
	return find_corners(cloth, error);
}

static lm_status build(lm_cloth* cloth, const double* positions, lm_error* error)
{
	int32_t bad;
	if (!measure_all(cloth, positions, &bad))
		return fail_at(bad, error, "has no area in the undeformed shape; remove it or move its corners apart");
	lm_status status = fill_hinges(cloth, positions, error);
	if (status == LM_OK)
		status = allocate(cloth, error);
	if (status == LM_OK)
		take_rest(cloth, positions);
	return status;
}

lm_status lm_cloth_create(const double* positions, int32_t vertex_count, const int32_t* triangles, int32_t count,
                          const lm_host* host, lm_cloth** result, lm_error* error)
{
	lm_status status = check_triangles(vertex_count, triangles, count, error);
	if (status != LM_OK)
		return status;
	lm_cloth* cloth = LM_NEW(host, 1, lm_cloth);
	if (cloth == NULL)
		return lm_fail_memory(error);
	*cloth = (lm_cloth){ .host = *host, .vertex_count = vertex_count, .triangle_count = count };
	cloth->triangles = lm_copy(host, triangles, 3 * (size_t)count, sizeof *triangles);
	status = cloth->triangles != NULL ? build(cloth, positions, error) : lm_fail_memory(error);
	if (status == LM_OK)
		*result = cloth;
	else
		lm_cloth_destroy(cloth);
	return status;
}

void lm_cloth_destroy(lm_cloth* cloth)
{
	if (cloth == NULL)
		return;
	lm_host host = cloth->host;
	lm_adjacency_release(&cloth->corners, &host);
	void* all[] = { cloth->triangles,   cloth->hinges,    cloth->rest,         cloth->lengths, cloth->areas,
		            cloth->rest_angles, cloth->stiffness, cloth->vertex_areas, cloth->forces,  cloth->partials };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]);
	lm_free(&host, cloth);
}
