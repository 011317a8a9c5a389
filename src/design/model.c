// model.c: making a model from a surface, and reading it.
#include "design/model.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/machine.h"
#include "design/settings.h"

#include <string.h>

lm_design_model_def lm_design_model_def_default(void)
{
	lm_design_model_def def;
	lm_table_defaults(&lm_design_model_table, &def);
	return def;
}

static lm_status check(const lm_design_model_def* def, lm_error* error)
{
	lm_status status = lm_table_check(&lm_design_model_table, def, error);
	if (status != LM_OK)
		return status;
	if (def->nodes_per_vertex > 0 && def->nodes_per_vertex < 4)
		return lm_fail(error, LM_BAD_INPUT, "the nodes per vertex are %d, must be 0 or at least 4",
		               def->nodes_per_vertex);
	if (def->surface == NULL || def->surface->triangle_count == 0)
		return lm_fail(error, LM_BAD_INPUT, "the mesh has no triangles, must be a surface");
	for (int32_t v = 0; def->density != NULL && v < def->surface->vertex_count; ++v)
		if (!(def->density[v] > 0 && def->density[v] <= 1e6))
			return lm_fail(error, LM_BAD_INPUT, "the density at vertex %d is %g, must be above 0 and at most 1e6", v,
			               def->density[v]);
	return lm_mesh_check(def->surface, "", error);
}

// A copy of the surface in own coordinates. Vertices that no triangle uses do not count for its size.
static lm_status take_surface(lm_design_model* m, const lm_mesh* surface, lm_error* error)
{
	m->surface = lm_mesh_copy(surface, &m->host);
	if (m->surface == NULL)
		return lm_fail_memory(error);
	lm_vec3 low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };
	for (int64_t c = 0; c < 3 * (int64_t)surface->triangle_count; ++c)
	{
		lm_vec3 x = lm_v3_at(surface->positions, surface->triangles[c]);
		low = lm_min3(low, x), high = lm_max3(high, x);
	}
	lm_vec3 side = lm_sub(high, low);
	m->center = lm_scale(0.5, lm_add(low, high));
	m->size = fmax(side.x, fmax(side.y, side.z));
	if (!(m->size > 0))
		return lm_fail(error, LM_BAD_INPUT, "the surface has no inside: all its vertices are in one place");
	if (!(m->size > 1e-100)) // or volumes and their inverses are no numbers; coordinates are at most 1e30
		return lm_fail(error, LM_BAD_INPUT, "the surface is %g long, which cannot be computed with: scale it", m->size);
	for (int32_t v = 0; v < surface->vertex_count; ++v)
	{
		lm_vec3 x = lm_scale(1 / m->size, lm_sub(lm_v3_at(surface->positions, v), m->center));
		// what no triangle uses may be anywhere; it moves with the nearest material
		lm_v3_store(m->surface->positions, v, lm_max3(lm_v3(-1, -1, -1), lm_min3(lm_v3(1, 1, 1), x)));
	}
	return LM_OK;
}

static lm_status fill(lm_design_model* m, const lm_design_model_def* def, lm_error* error)
{
	lm_status status = take_surface(m, def->surface, error);
	if (status == LM_OK)
		status = lm_design_grid_create(m->surface, def->voxels, &m->host, &m->grid, error);
	if (status == LM_OK)
		status = lm_design_place_nodes(m, def->nodes, def->radius / m->size, def->density, error);
	if (status == LM_OK)
		status = lm_design_place_points(m, def->points_per_node * m->node_count, error);
	if (status == LM_OK)
		status = lm_design_rows_create(m, m->points, m->point_count, true, &m->host, &m->integration, error);
	if (status == LM_OK)
		status = lm_design_rows_create(m, m->nodes, m->node_count, true, &m->host, &m->at_nodes, error);
	if (status == LM_OK)
		status = lm_design_skin_create(m, def->nodes_per_vertex, error);
	return status;
}

lm_status lm_design_model_create(const lm_design_model_def* def, const lm_host* host, lm_design_model** model,
                                 lm_error* error)
{
	lm_status status = check(def, error);
	if (status == LM_OK)
		status = lm_simd_check(host->simd, error);
	if (status != LM_OK)
		return status;
	lm_design_model* m = LM_NEW(host, 1, lm_design_model);
	if (m == NULL)
		return lm_fail_memory(error);
	m->host = *host;
	status = fill(m, def, error);
	if (status != LM_OK)
	{
		lm_design_model_destroy(m);
		return status;
	}
	*model = m;
	return LM_OK;
}

void lm_design_model_destroy(lm_design_model* m)
{
	if (m == NULL)
		return;
	const lm_host host = m->host;
	lm_design_skin_destroy(m);
	lm_design_rows_release(&m->integration, &host);
	lm_design_rows_release(&m->at_nodes, &host);
	m->grid.host = host;
	lm_design_grid_release(&m->grid);
	lm_mesh_destroy(m->surface);
	lm_free(&host, m->nodes);
	lm_free(&host, m->radii);
	lm_free(&host, m->distance);
	lm_free(&host, m->points);
	lm_free(&host, m->volumes);
	lm_free(&host, m);
}

int32_t lm_design_model_vertex_count(const lm_design_model* model)
{
	return model->surface->vertex_count;
}

int32_t lm_design_model_node_count(const lm_design_model* model)
{
	return model->node_count;
}

void lm_design_model_nodes(const lm_design_model* m, double* positions)
{
	for (int32_t i = 0; i < m->node_count; ++i)
		lm_v3_store(positions, i, lm_add_scaled(m->center, m->size, lm_v3_at(m->nodes, i)));
}

double lm_design_model_radius(const lm_design_model* model, int32_t node)
{
	return model->size * model->radii[node];
}

static lm_vec3 to_own(const lm_design_model* m, const double place[3])
{
	return lm_scale(1 / m->size, lm_sub(lm_v3_at(place, 0), m->center));
}

double lm_design_model_distance(const lm_design_model* m, int32_t node, const double place[3])
{
	int32_t slot = lm_design_grid_nearest_material(&m->grid, to_own(m, place));
	return slot < 0 ? INFINITY : m->size * m->distance[(size_t)slot * (size_t)m->node_count + (size_t)node];
}

int32_t lm_design_model_weights(const lm_design_model* m, const double place[3], int32_t* nodes, double* weights)
{
	lm_design_shape shape;
	lm_design_shape_at(m, to_own(m, place), &shape);
	memcpy(nodes, shape.node, (size_t)shape.count * sizeof *nodes);
	memcpy(weights, shape.phi, (size_t)shape.count * sizeof *weights);
	return shape.count;
}
