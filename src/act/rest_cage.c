// rest_cage.c: rest shapes moved by the vertices of a cage (Coros et al. 2012, Sec. 4.1; harmonic coordinates, Joshi et
// al. 2007):
//
//     X_i = X_0,i + sum_j h_ij p_j,   h_ij the harmonic coordinate of cage vertex j at X_0,i
//
// p_j is how far cage vertex j has moved, `dimension` numbers each, so that L is h with every number times an identity.
#include "act/rest.h"

#include "base/alloc.h"
#include "base/error.h"

// The cage as the mesh module wants it, from a polygon (2D) or a triangle surface.
static lm_status from_mesh(const lm_mesh* mesh, int d, const lm_host* host, lm_cage** result, lm_error* error)
{
	int32_t count = mesh->vertex_count, facets = d == 2 ? count : mesh->triangle_count;
	lm_cage* cage = lm_cage_create(host, d, count, facets);
	if (!cage)
		return lm_fail_memory(error);
	for (int64_t v = 0; v < count; ++v)
		for (int i = 0; i < d; ++i)
			cage->positions[v * d + i] = mesh->positions[3 * v + i];
	for (int32_t f = 0; f < facets; ++f)
		for (int i = 0; i < d; ++i)
			cage->facets[(int64_t)f * d + i] = d == 2 ? (f + i) % count : mesh->triangles[3 * (int64_t)f + i];
	lm_status status = lm_cage_check(cage, error);
	if (status == LM_OK)
		*result = cage;
	else
		lm_cage_destroy(cage);
	return status;
}

// The same as a mesh, for callers.
static lm_mesh* to_mesh(const lm_cage* cage, const lm_host* host)
{
	int d = cage->dimension;
	lm_mesh* mesh = lm_mesh_create(host, cage->vertex_count, d == 3 ? cage->facet_count : 0, 0);
	for (int64_t v = 0; mesh && v < cage->vertex_count; ++v)
		for (int i = 0; i < d; ++i)
			mesh->positions[3 * v + i] = cage->positions[v * d + i];
	for (int64_t k = 0; mesh && k < 3 * (int64_t)mesh->triangle_count; ++k)
		mesh->triangles[k] = cage->facets[k];
	return mesh;
}

static lm_status around(const lm_act_def* def, const lm_elastic_view* view, const double* X0, const lm_host* host,
                        lm_cage** cage, lm_error* error)
{
	const lm_mesh* mesh = def->mesh;
	lm_cage_body body = { .dimension = view->dimension,
		                  .vertex_count = view->vertex_count,
		                  .positions = X0,
		                  .corners = lm_elastic_corners(view->kind) };
	switch (body.corners)
	{
		case 2: body.element_count = mesh->edge_count, body.elements = mesh->edges; break;
		case 3: body.element_count = mesh->triangle_count, body.elements = mesh->triangles; break;
		default: body.element_count = mesh->tet_count, body.elements = mesh->tets;
	}
	lm_cage_settings settings = lm_cage_settings_default();
	settings.vertices = def->cage_vertices;
	return lm_cage_create_around(&body, &settings, host, cage, error);
}

// L from the coordinates.
static lm_status fill(const lm_cage* cage, const lm_elastic_view* view, const lm_host* host, lm_act_rest* rest,
                      lm_error* error)
{
	int d = view->dimension;
	int64_t count = cage->vertex_count, m = count * d;
	lm_cage_weights_settings settings = lm_cage_weights_settings_default();
	double* weights = LM_NEW(host, view->vertex_count * count, double);
	rest->L = LM_NEW(host, rest->rest_unknowns * m, double);
	lm_status status = !weights || !rest->L
	                       ? lm_fail_memory(error)
	                       : lm_cage_weights(cage, rest->X0, view->vertex_count, &settings, host, weights, error);
	for (int64_t v = 0; status == LM_OK && v < view->vertex_count; ++v)
		for (int64_t j = 0; j < count; ++j)
			for (int i = 0; i < d; ++i)
				rest->L[(v * d + i) * m + j * d + i] = weights[v * count + j];
	rest->parameters = (int32_t)m;
	rest->weights = weights;
	return status;
}

lm_status lm_act_rest_add_cage(const lm_act_def* def, const lm_elastic_view* view, const lm_host* host,
                               lm_act_rest* rest, lm_error* error)
{
	lm_cage* cage = NULL;
	lm_status status = def->cage ? from_mesh(def->cage, view->dimension, host, &cage, error)
	                             : around(def, view, rest->X0, host, &cage, error);
	if (status == LM_OK)
		status = fill(cage, view, host, rest, error);
	if (status == LM_OK)
	{
		rest->cage = to_mesh(cage, host);
		status = rest->cage ? LM_OK : lm_fail_memory(error);
	}
	lm_cage_destroy(cage);
	return status;
}
