// read_paint.c: paint (limber/view.h): weights at the vertices of a mesh that an artist sees, carried to the vertices
// that are simulated.
//
// A simulated vertex takes the weight of the nearest painted vertex, along the lattice (mesh/wrap.h), so that paint on
// one leg does not reach the other. A spot that is smaller than a cell of the lattice would be lost: then the simulated
// vertex nearest to each of its vertices has it.
#include "mesh/wrap.h"
#include "scene/reader.h"

#include <string.h>

static const double in_group = 0.5; // from this weight on a vertex is in a group (lm_mesh_paint_group)

// ---- carrying ----

void lm_read_bind_surface(lm_reader* reader, lm_scene_body* body, const lm_mesh* surface)
{
	lm_error error;
	int32_t* nearest = lm_reader_take(reader, (size_t)body->mesh->vertex_count, sizeof *nearest);
	if (nearest == NULL)
		return;
	if (lm_wrap_nearest(body->mesh, surface, &reader->host, nearest, &error) == LM_OK)
		body->surface = surface, body->surface_nearest = nearest;
	else
		lm_problem_from(reader, "surface", &error);
}

static bool any_in(const double* weights, int32_t count)
{
	for (int32_t v = 0; v < count; ++v)
		if (weights[v] >= in_group)
			return true;
	return false;
}

void lm_read_carry(const lm_scene_body* body, const lm_mesh* painted, const int32_t* nearest, const double* weights,
                   double* carried)
{
	const lm_mesh* mesh = body->mesh;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		carried[v] = weights[nearest[v]];
	if (any_in(carried, mesh->vertex_count))
		return;
	for (int32_t i = 0; i < painted->vertex_count; ++i)
	{
		if (weights[i] < in_group)
			continue;
		int32_t v = lm_mesh_nearest_vertex(mesh, painted->positions + 3 * (int64_t)i);
		carried[v] = weights[i] > carried[v] ? weights[i] : carried[v];
	}
}

static void refine(const lm_binding* map, const double* weights, double* fine)
{
	lm_binding_view view = lm_binding_get(map);
	for (int32_t v = 0; v < view.vertex_count; ++v)
		for (int64_t k = view.starts[v]; k < view.starts[v + 1]; ++k)
			fine[v] += view.weights[k] * weights[view.points[k]];
}

// ---- files ----

// The list of a name, as numbers; NULL, and a problem at the key, where there is none.
static double* read_list(lm_reader* reader, const char* key, const json_t* root, const char* name, double high,
                         size_t* count)
{
	json_t* list = json_object_get(root, name);
	*count = json_array_size(list);
	if (!json_is_array(list) || *count == 0)
	{
		lm_problem_key(reader, key, "has no list \"%.60s\" of numbers, one per vertex", name);
		return NULL;
	}
	double* values = lm_reader_take(reader, *count, sizeof *values);
	for (size_t v = 0; values != NULL && v < *count; ++v)
	{
		json_t* number = json_array_get(list, v);
		values[v] = json_number_value(number);
		if (json_is_number(number) && values[v] >= 0 && values[v] <= high)
			continue;
		lm_problem_key(reader, key, "has \"%.60s\" with no number between 0 and %g at vertex %zu", name, high, v);
		return NULL;
	}
	return values;
}

static void wrong_count(lm_reader* reader, const lm_scene_body* body, const char* key, const char* name, size_t count)
{
	int32_t seen = body->surface != NULL  ? body->surface->vertex_count
	               : body->repair != NULL ? body->repair->vertex_count
	               : body->skin != NULL   ? body->skin->vertex_count
	                                      : body->mesh->vertex_count;
	lm_problem_key(reader, key, "has \"%.60s\" with %zu numbers, must have %d, one for each vertex", name, count, seen);
}

double* lm_read_weights(lm_reader* reader, const lm_scene_body* body, const char* key, const char* file,
                        const char* name, double high, const lm_mesh** painted, const double** original)
{
	json_t* root = lm_read_json(reader, key, file);
	if (root == NULL || body->mesh == NULL)
	{
		json_decref(root);
		return NULL;
	}
	size_t count = 0, simulated = (size_t)body->mesh->vertex_count;
	double* values = read_list(reader, key, root, name, high, &count);
	double* carried = values != NULL ? lm_reader_take(reader, simulated, sizeof *carried) : NULL;
	json_decref(root);
	if (carried == NULL)
		return NULL;
	*painted = NULL, *original = values;
	if (body->repair != NULL && count == (size_t)body->repair->vertex_count)
	{
		double* own = lm_reader_take(reader, count, sizeof *own);
		if (own == NULL)
			return NULL;
		memcpy(own, values, count * sizeof *own);
		*painted = body->map == NULL ? body->found : NULL, *original = own;
		lm_read_repair_values(body, values, &count);
	}
	if (body->surface != NULL && count == (size_t)body->surface->vertex_count)
		lm_read_carry(body, *painted = body->surface, body->surface_nearest, values, carried);
	else if (body->skin != NULL && count == (size_t)body->skin->vertex_count)
		lm_read_carry(body, *painted = body->skin, body->nearest, values, carried);
	else if (count == simulated)
		memcpy(carried, values, simulated * sizeof *carried);
	else if (body->map != NULL && count == (size_t)lm_binding_get(body->map).point_count)
		refine(body->map, values, carried);
	else
	{
		wrong_count(reader, body, key, name, count);
		return NULL;
	}
	return carried;
}
