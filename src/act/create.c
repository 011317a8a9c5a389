// create.c: from a definition to a body.
#include "act/check.h"
#include "act/equation.h"
#include "act/goals.h"
#include "act/optimize.h"
#include "act/settings.h"
#include "act/touches.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/machine.h"

#include <math.h>
#include <string.h>

lm_act_def lm_act_def_default(void)
{
	lm_act_def def = { .kind = LM_ACT_SOLID, .density = 1, .control = LM_ACT_PASSIVE, .cage_vertices = 8 };
	lm_table_defaults(&lm_act_settings_table, &def.settings);
	return def;
}

void lm_act_destroy(lm_act* body)
{
	if (body == NULL)
		return;
	lm_host host = body->host;
	lm_act_optimizer_destroy(body->optimizer);
	lm_act_equation_destroy(body->physics, &host);
	lm_act_rest_release(&body->rest, &host);
	lm_elastic_destroy(body->elastic);
	lm_mesh_destroy(body->mesh);
	lm_act_goals_release(&body->goals, &host);
	void* const owned[] = { body->masses,
		                    body->x,
		                    body->v,
		                    body->p,
		                    body->X,
		                    body->y,
		                    body->pinned,
		                    body->pin_targets,
		                    body->drag_targets,
		                    body->drag_strengths };
	for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
		lm_free(&host, owned[k]);
	lm_free(&host, body);
}

static lm_elastic_kind elastic_kind(lm_act_kind kind)
{
	switch (kind)
	{
		case LM_ACT_CURVE2: return LM_ELASTIC_CURVE2;
		case LM_ACT_SOLID2: return LM_ELASTIC_SOLID2;
		case LM_ACT_SHELL: return LM_ELASTIC_SHELL3;
		case LM_ACT_SOLID: return LM_ELASTIC_SOLID3_EDGES;
		default: return LM_ELASTIC_SOLID3_GREEN;
	}
}

// x, y (and z) of all vertices, as the unknowns lie.
static void pack(const lm_act* body, const double* positions, double* unknowns)
{
	for (int64_t v = 0; v < body->vertex_count; ++v)
		for (int k = 0; k < body->dimension; ++k)
			unknowns[v * body->dimension + k] = positions[3 * v + k];
}

static lm_status make_elastic(lm_act* body, const lm_act_def* def, lm_error* error)
{
	const lm_mesh* mesh = def->mesh;
	lm_elastic_shape shape = { .kind = elastic_kind(def->kind),
		                       .incompatible = def->control == LM_ACT_EXAMPLES,
		                       .vertex_count = mesh->vertex_count,
		                       .model = def->model };
	switch (lm_elastic_corners(shape.kind))
	{
		case 2: shape.element_count = mesh->edge_count, shape.elements = mesh->edges; break;
		case 3: shape.element_count = mesh->triangle_count, shape.elements = mesh->triangles; break;
		default: shape.element_count = mesh->tet_count, shape.elements = mesh->tets;
	}
	double* positions = LM_NEW(&body->host, body->unknowns, double);
	if (positions == NULL)
		return lm_fail_memory(error);
	pack(body, mesh->positions, positions);
	shape.positions = positions;
	lm_status status = lm_elastic_create(&shape, &body->host, &body->elastic, error);
	lm_free(&body->host, positions);
	return status;
}

#define TAKE(pointer, items) (((pointer) = lm_alloc(host, (size_t)(items), sizeof *(pointer))) != NULL)

static bool allocate(lm_act* body)
{
	const lm_host* host = &body->host;
	size_t vertices = (size_t)body->vertex_count, unknowns = (size_t)body->unknowns;
	return TAKE(body->x, unknowns) && TAKE(body->v, unknowns) && TAKE(body->y, unknowns) &&
	       TAKE(body->pinned, vertices) && TAKE(body->pin_targets, unknowns) && TAKE(body->drag_targets, unknowns) &&
	       TAKE(body->drag_strengths, vertices) && TAKE(body->masses, vertices) &&
	       TAKE(body->p, body->rest.parameters) && TAKE(body->X, body->rest.rest_unknowns);
}

static lm_status weigh(lm_act* body, const lm_act_def* def, lm_error* error)
{
	const double* shares = lm_elastic_get(body->elastic).shares;
	for (int32_t v = 0; v < body->vertex_count; ++v)
	{
		body->masses[v] = def->masses != NULL ? def->masses[v] : def->density * shares[v];
		body->mass += body->masses[v];
		if (shares[v] > 0)
			continue;
		return lm_fail_element(error, v, "vertex %d belongs to no element and would have no mass; remove it", v);
	}
	return LM_OK;
}

static lm_status build(lm_act* body, const lm_act_def* def, lm_error* error)
{
	body->mesh = lm_mesh_copy(def->mesh, &body->host);
	if (body->mesh == NULL)
		return lm_fail_memory(error);
	lm_status status = make_elastic(body, def, error);
	if (status == LM_OK)
		status = lm_act_rest_create(def, body->elastic, &body->host, &body->rest, error);
	if (status != LM_OK)
		return status;
	if (!allocate(body))
		return lm_fail_memory(error);
	status = weigh(body, def, error);
	if (status != LM_OK)
		return status;
	pack(body, def->start != NULL ? def->start : def->mesh->positions, body->x);
	if (def->start_velocities != NULL)
		pack(body, def->start_velocities, body->v);
	memcpy(body->y, body->x, (size_t)body->unknowns * sizeof *body->y);
	lm_act_rest_shape(&body->rest, body->p, body->X);
	status = lm_act_equation_create(body, &body->physics, error);
	if (status == LM_OK && def->contacts != NULL)
		status = lm_act_touches_carry(body, def, error);
	if (status == LM_OK && body->rest.parameters > 0)
		status = lm_act_optimizer_create(body, &body->optimizer, error);
	return status;
}

lm_status lm_act_create(const lm_act_def* def, const lm_host* host, lm_act** body, lm_error* error)
{
	lm_status status = lm_act_check_def(def, error);
	if (status == LM_OK)
		status = lm_simd_check(host->simd, error);
	if (status != LM_OK)
		return status;
	lm_act* made = LM_NEW(host, 1, lm_act);
	if (made == NULL)
		return lm_fail_memory(error);
	made->host = *host;
	made->kind = def->kind;
	made->model = def->model;
	made->dimension = lm_elastic_dimension(elastic_kind(def->kind));
	made->vertex_count = def->mesh->vertex_count;
	made->unknowns = made->vertex_count * made->dimension;
	made->settings = def->settings;
	made->rest_cost = made->damping_share = 1;
	made->id = -1;
	made->size = lm_mesh_longest_side(def->mesh);
	status = build(made, def, error);
	if (status == LM_OK)
		*body = made;
	else
		lm_act_destroy(made);
	return status;
}
