// mesh.c: the mesh itself: making, copying, checking, its named groups and its surface.
#include "limber/mesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "mesh/topology.h"

#include <assert.h>
#include <string.h>

// Products of three lengths must stay finite.
static const double largest_coordinate = 1e30;

// A tetrahedron counts as flat when six times its volume is below this share of its longest edge cubed. A regular one
// has 0.7; rounding of coordinates a kilometre from the origin disturbs a 1 cm one by 1e-11.
static const double flat_share = 1e-12;

lm_mesh* lm_mesh_create(const lm_host* host, int32_t vertex_count, int32_t triangle_count, int32_t tet_count)
{
	assert(host != NULL && vertex_count >= 0 && triangle_count >= 0 && tet_count >= 0);
	lm_mesh* mesh = LM_NEW(host, 1, lm_mesh);
	if (mesh == NULL)
		return NULL;
	mesh->host = *host;
	mesh->vertex_count = vertex_count;
	mesh->triangle_count = triangle_count;
	mesh->tet_count = tet_count;
	mesh->positions = LM_NEW(host, 3 * (size_t)vertex_count, double);
	mesh->triangles = LM_NEW(host, 3 * (size_t)triangle_count, int32_t);
	mesh->tets = LM_NEW(host, 4 * (size_t)tet_count, int32_t);
	if (mesh->positions == NULL || mesh->triangles == NULL || mesh->tets == NULL)
	{
		lm_mesh_destroy(mesh);
		return NULL;
	}
	return mesh;
}

static bool copy_faces(const lm_mesh* mesh, lm_mesh* copy)
{
	if (mesh->face_count == 0)
		return true;
	size_t corners = (size_t)mesh->face_starts[mesh->face_count];
	copy->face_starts = lm_copy(&copy->host, mesh->face_starts, (size_t)mesh->face_count + 1, sizeof(int32_t));
	copy->face_vertices = lm_copy(&copy->host, mesh->face_vertices, corners, sizeof(int32_t));
	copy->face_count = mesh->face_count;
	return copy->face_starts != NULL && copy->face_vertices != NULL;
}

static bool copy_edges(const lm_mesh* mesh, lm_mesh* copy)
{
	if (mesh->edge_count == 0)
		return true;
	copy->edges = lm_copy(&copy->host, mesh->edges, 2 * (size_t)mesh->edge_count, sizeof(int32_t));
	copy->edge_count = mesh->edge_count;
	return copy->edges != NULL;
}

static bool copy_groups(const lm_mesh* mesh, lm_mesh* copy)
{
	if (mesh->group_count == 0)
		return true;
	copy->groups = LM_NEW(&copy->host, mesh->group_count, lm_group);
	if (copy->groups == NULL)
		return false;
	copy->group_count = mesh->group_count;
	for (int32_t g = 0; g < mesh->group_count; ++g)
	{
		const lm_group* from = &mesh->groups[g];
		lm_group* to = &copy->groups[g];
		to->name = lm_copy_text(&copy->host, from->name);
		to->vertices = lm_copy(&copy->host, from->vertices, (size_t)from->count, sizeof(int32_t));
		to->count = from->count;
		if (from->weights != NULL)
			to->weights = lm_copy(&copy->host, from->weights, (size_t)mesh->vertex_count, sizeof(double));
		if (to->name == NULL || to->vertices == NULL || (from->weights != NULL && to->weights == NULL))
			return false;
	}
	return true;
}

static void copy_items(void* to, const void* from, size_t count, size_t size)
{
	if (count > 0)
		memcpy(to, from, count * size);
}

lm_mesh* lm_mesh_copy(const lm_mesh* mesh, const lm_host* host)
{
	assert(mesh != NULL && host != NULL);
	lm_mesh* copy = lm_mesh_create(host, mesh->vertex_count, mesh->triangle_count, mesh->tet_count);
	if (copy == NULL)
		return NULL;
	copy_items(copy->positions, mesh->positions, 3 * (size_t)mesh->vertex_count, sizeof(double));
	copy_items(copy->triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count, sizeof(int32_t));
	copy_items(copy->tets, mesh->tets, 4 * (size_t)mesh->tet_count, sizeof(int32_t));
	if (copy_faces(mesh, copy) && copy_edges(mesh, copy) && copy_groups(mesh, copy))
		return copy;
	lm_mesh_destroy(copy);
	return NULL;
}

void lm_mesh_destroy(lm_mesh* mesh)
{
	if (mesh == NULL)
		return;
	lm_host host = mesh->host;
	for (int32_t g = 0; g < mesh->group_count; ++g)
	{
		lm_free(&host, mesh->groups[g].name);
		lm_free(&host, mesh->groups[g].vertices);
		lm_free(&host, mesh->groups[g].weights);
	}
	lm_free(&host, mesh->groups);
	lm_free(&host, mesh->edges);
	lm_free(&host, mesh->face_starts);
	lm_free(&host, mesh->face_vertices);
	lm_free(&host, mesh->positions);
	lm_free(&host, mesh->triangles);
	lm_free(&host, mesh->tets);
	lm_free(&host, mesh);
}

int32_t lm_mesh_find_group(const lm_mesh* mesh, const char* name)
{
	assert(mesh != NULL && name != NULL);
	for (int32_t g = 0; g < mesh->group_count; ++g)
		if (strcmp(mesh->groups[g].name, name) == 0)
			return g;
	return -1;
}

// Room for one more group; the new one is zeroed and not yet counted.
static bool reserve_group(lm_mesh* mesh)
{
	lm_group* larger = LM_NEW(&mesh->host, mesh->group_count + 1, lm_group);
	if (larger == NULL)
		return false;
	copy_items(larger, mesh->groups, (size_t)mesh->group_count, sizeof(lm_group));
	lm_free(&mesh->host, mesh->groups);
	mesh->groups = larger;
	return true;
}

lm_status lm_mesh_set_group(lm_mesh* mesh, const char* name, const int32_t* vertices, int32_t count, lm_error* error)
{
	assert(mesh != NULL && name != NULL && count >= 0 && (vertices != NULL || count == 0));
	for (int32_t i = 0; i < count; ++i)
		if (vertices[i] < 0 || vertices[i] >= mesh->vertex_count)
			return lm_fail(error, LM_BAD_INPUT, "group \"%s\" names vertex %d, but the mesh has vertices 0 to %d", name,
			               vertices[i], mesh->vertex_count - 1);
	int32_t* list = lm_copy(&mesh->host, vertices, (size_t)count, sizeof(int32_t));
	int32_t g = lm_mesh_find_group(mesh, name);
	if (g >= 0 && list != NULL)
	{
		lm_free(&mesh->host, mesh->groups[g].vertices);
		lm_free(&mesh->host, mesh->groups[g].weights);
		mesh->groups[g] = (lm_group){ mesh->groups[g].name, count, list, NULL };
		return LM_OK;
	}
	char* copied_name = g < 0 ? lm_copy_text(&mesh->host, name) : NULL;
	if (list == NULL || copied_name == NULL || !reserve_group(mesh))
	{
		lm_free(&mesh->host, list);
		lm_free(&mesh->host, copied_name);
		return lm_fail_memory(error);
	}
	mesh->groups[mesh->group_count++] = (lm_group){ copied_name, count, list, NULL };
	return LM_OK;
}

lm_status lm_mesh_paint_group(lm_mesh* mesh, const char* name, const double* weights, lm_error* error)
{
	size_t n = (size_t)mesh->vertex_count;
	for (size_t v = 0; v < n; ++v)
		if (!isfinite(weights[v]))
			return lm_fail(error, LM_BAD_INPUT, "group \"%s\" has a weight at vertex %zu that is not a number", name,
			               v);
	int32_t *vertices = LM_NEW(&mesh->host, n, int32_t), count = 0;
	double* kept = LM_NEW(&mesh->host, n, double);
	for (size_t v = 0; vertices != NULL && kept != NULL && v < n; ++v)
	{
		kept[v] = fmin(fmax(weights[v], 0), 1);
		if (kept[v] >= 0.5)
			vertices[count++] = (int32_t)v;
	}
	lm_status status = vertices != NULL && kept != NULL ? lm_mesh_set_group(mesh, name, vertices, count, error)
	                                                    : lm_fail_memory(error);
	lm_free(&mesh->host, vertices);
	if (status == LM_OK)
		mesh->groups[lm_mesh_find_group(mesh, name)].weights = kept;
	else
		lm_free(&mesh->host, kept);
	return status;
}

// Called behind lm_fail_at: notes which element the sentence speaks of.
static lm_status at_element(lm_error* error, int64_t element)
{
	if (error != NULL)
		error->element = element;
	return LM_BAD_INPUT;
}

static lm_status check_positions(const lm_mesh* mesh, const char* file, lm_error* error)
{
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
		{
			double x = mesh->positions[3 * (int64_t)v + k];
			if (fabs(x) <= largest_coordinate)
				continue;
			lm_fail_at(error, LM_BAD_INPUT, file, "", "vertex %d has %c = %g; coordinates must be numbers up to %g", v,
			           "xyz"[k], x, largest_coordinate);
			return at_element(error, v);
		}
	return LM_OK;
}

// Elements of `corners` vertices each: indices in range, none twice in one element.
static lm_status check_elements(const int32_t* elements, int32_t count, int corners, const char* kind,
                                int32_t vertex_count, const char* file, lm_error* error)
{
	for (int32_t e = 0; e < count; ++e)
		for (int i = 0; i < corners; ++i)
		{
			const int32_t* element = elements + (int64_t)corners * e;
			if (element[i] < 0 || element[i] >= vertex_count)
			{
				lm_fail_at(error, LM_BAD_INPUT, file, "", "%s %d names vertex %d, but the mesh has %d vertices", kind,
				           e, element[i], vertex_count);
				return at_element(error, e);
			}
			for (int j = 0; j < i; ++j)
				if (element[i] == element[j])
				{
					lm_fail_at(error, LM_BAD_INPUT, file, "", "%s %d names vertex %d twice; its corners must differ",
					           kind, e, element[i]);
					return at_element(error, e);
				}
		}
	return LM_OK;
}

lm_status lm_mesh_set_edges(lm_mesh* mesh, const int32_t* edges, int32_t edge_count, lm_error* error)
{
	assert(mesh != NULL && edge_count >= 0 && (edges != NULL || edge_count == 0));
	lm_status status = check_elements(edges, edge_count, 2, "edge", mesh->vertex_count, "", error);
	if (status != LM_OK)
		return status;
	int32_t* list = lm_copy(&mesh->host, edges, 2 * (size_t)edge_count, sizeof(int32_t));
	if (list == NULL)
		return lm_fail_memory(error);
	lm_free(&mesh->host, mesh->edges);
	mesh->edges = list;
	mesh->edge_count = edge_count;
	return LM_OK;
}

static lm_status check_volumes(const lm_mesh* mesh, const char* file, lm_error* error)
{
	for (int32_t t = 0; t < mesh->tet_count; ++t)
	{
		const int32_t* tet = mesh->tets + 4 * (int64_t)t;
		lm_vec3 x[4];
		double longest = 0;
		for (int i = 0; i < 4; ++i)
		{
			x[i] = lm_v3_at(mesh->positions, tet[i]);
			for (int j = 0; j < i; ++j)
				longest = fmax(longest, lm_distance(x[i], x[j]));
		}
		// divided by the longest edge before the product, so that tiny and enormous ones neither under- nor overflow
		double s = longest > 0 ? 1 / longest : 0;
		lm_vec3 ab = lm_scale(s, lm_sub(x[1], x[0])), ac = lm_scale(s, lm_sub(x[2], x[0]));
		double volume = lm_dot(lm_cross(ab, ac), lm_scale(s, lm_sub(x[3], x[0])));
		if (volume > flat_share)
			continue;
		if (volume < -flat_share)
			lm_fail_at(error, LM_BAD_INPUT, file, "",
			           "tetrahedron %d is inside out; swap two of its vertices (%d %d %d %d)", t, tet[0], tet[1],
			           tet[2], tet[3]);
		else
			lm_fail_at(error, LM_BAD_INPUT, file, "",
			           "tetrahedron %d is flat; its vertices (%d %d %d %d) must span a volume", t, tet[0], tet[1],
			           tet[2], tet[3]);
		return at_element(error, t);
	}
	return LM_OK;
}

static lm_status check_faces(const lm_mesh* mesh, const char* file, lm_error* error)
{
	if (mesh->face_count == 0)
		return LM_OK;
	int64_t triangles = 0;
	if (mesh->face_starts[0] != 0)
		return lm_fail_at(error, LM_BAD_INPUT, file, "", "the first face starts at corner %d; it must start at 0",
		                  mesh->face_starts[0]);
	for (int32_t f = 0; f < mesh->face_count; ++f)
	{
		int64_t corners = (int64_t)mesh->face_starts[f + 1] - mesh->face_starts[f];
		if (corners < 3)
		{
			lm_fail_at(error, LM_BAD_INPUT, file, "", "face %d has %d corners; it needs at least three", f,
			           (int)corners);
			return at_element(error, f);
		}
		triangles += corners - 2;
	}
	if (triangles != mesh->triangle_count)
		return lm_fail_at(error, LM_BAD_INPUT, file, "", "the faces make %lld triangles, but the mesh has %d",
		                  (long long)triangles, mesh->triangle_count);
	for (int32_t k = 0; k < mesh->face_starts[mesh->face_count]; ++k)
		if (mesh->face_vertices[k] < 0 || mesh->face_vertices[k] >= mesh->vertex_count)
			return lm_fail_at(error, LM_BAD_INPUT, file, "", "a face names vertex %d, but the mesh has %d vertices",
			                  mesh->face_vertices[k], mesh->vertex_count);
	return LM_OK;
}

static lm_status check_groups(const lm_mesh* mesh, const char* file, lm_error* error)
{
	for (int32_t g = 0; g < mesh->group_count; ++g)
	{
		const lm_group* group = &mesh->groups[g];
		for (int32_t i = 0; i < group->count; ++i)
			if (group->vertices[i] < 0 || group->vertices[i] >= mesh->vertex_count)
				return lm_fail_at(error, LM_BAD_INPUT, file, "",
				                  "group \"%s\" names vertex %d, but the mesh has %d vertices", group->name,
				                  group->vertices[i], mesh->vertex_count);
	}
	return LM_OK;
}

lm_status lm_mesh_check(const lm_mesh* mesh, const char* file, lm_error* error)
{
	assert(mesh != NULL);
	file = file != NULL ? file : "";
	int32_t vertices = mesh->vertex_count;
	lm_status status = check_positions(mesh, file, error);
	if (status == LM_OK)
		status = check_elements(mesh->triangles, mesh->triangle_count, 3, "triangle", vertices, file, error);
	if (status == LM_OK)
		status = check_elements(mesh->tets, mesh->tet_count, 4, "tetrahedron", vertices, file, error);
	if (status == LM_OK)
		status = check_elements(mesh->edges, mesh->edge_count, 2, "edge", vertices, file, error);
	if (status == LM_OK)
		status = check_volumes(mesh, file, error);
	if (status == LM_OK)
		status = check_faces(mesh, file, error);
	return status == LM_OK ? check_groups(mesh, file, error) : status;
}

lm_status lm_mesh_extract_surface(lm_mesh* mesh, lm_error* error)
{
	assert(mesh != NULL);
	if (mesh->tet_count == 0)
		return LM_OK;
	int32_t* triangles;
	int32_t count;
	lm_status status = lm_topology_boundary(mesh, &mesh->host, &triangles, &count, error);
	if (status != LM_OK)
		return status;
	// the polygons were of the old triangles
	lm_free(&mesh->host, mesh->face_starts);
	lm_free(&mesh->host, mesh->face_vertices);
	lm_free(&mesh->host, mesh->triangles);
	mesh->face_count = 0;
	mesh->face_starts = mesh->face_vertices = NULL;
	mesh->triangles = triangles;
	mesh->triangle_count = count;
	return LM_OK;
}

void lm_mesh_bounds(const double* positions, int32_t vertex_count, double low[3], double high[3])
{
	assert(positions != NULL || vertex_count == 0);
	for (int k = 0; k < 3; ++k)
		low[k] = high[k] = vertex_count > 0 ? positions[k] : 0;
	for (int64_t v = 1; v < vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
		{
			low[k] = fmin(low[k], positions[3 * v + k]);
			high[k] = fmax(high[k], positions[3 * v + k]);
		}
}

double lm_mesh_longest_side(const lm_mesh* mesh)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

int32_t lm_mesh_nearest_vertex(const lm_mesh* mesh, const double point[3])
{
	int32_t best = 0;
	double least = INFINITY;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double distance = lm_distance(lm_v3_at(mesh->positions, v), lm_v3_at(point, 0));
		if (distance < least)
			least = distance, best = v;
	}
	return best;
}
