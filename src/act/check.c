#include "act/check.h"

#include "act/settings.h"
#include "base/error.h"

#include <math.h>

// All coordinates are numbers below 1e12, and z is 0 in the plane; `what` names the array, which may be NULL.
static lm_status check_numbers(const lm_act_def* def, const double* values, const char* what, lm_error* error)
{
	bool flat = def->kind == LM_ACT_CURVE2 || def->kind == LM_ACT_SOLID2;
	for (int32_t v = 0; values != NULL && v < def->mesh->vertex_count; ++v)
	{
		const double* at = values + 3 * (int64_t)v;
		for (int k = 0; k < 3; ++k)
			if (!lm_within(at[k], -1e12, 1e12))
				return lm_fail_element(error, v,
				                       "%s: vertex %d has %c = %g; it must be a number between -1e12 and 1e12", what, v,
				                       "xyz"[k], at[k]);
		if (flat && fabs(at[2]) > 1e-9 * (1 + fabs(at[0]) + fabs(at[1])))
			return lm_fail_element(error, v,
			                       "%s: vertex %d has z = %g; curves and solids of two dimensions lie in the plane "
			                       "z = 0",
			                       what, v, at[2]);
	}
	return LM_OK;
}

static lm_status check_mesh(const lm_act_def* def, lm_error* error)
{
	const lm_mesh* mesh = def->mesh;
	if (mesh == NULL || mesh->vertex_count < 1)
		return lm_fail(error, LM_BAD_INPUT, "the mesh has no vertices; a body needs some");
	lm_status status = check_numbers(def, mesh->positions, "rest shape", error);
	if (status != LM_OK)
		return status;
	switch (def->kind)
	{
		case LM_ACT_CURVE2:
			if (mesh->edge_count < 1)
				return lm_fail(error, LM_BAD_INPUT, "the mesh has no edges; a curve is made of edges");
			break;
		case LM_ACT_SOLID2:
		case LM_ACT_SHELL:
			if (mesh->triangle_count < 1)
				return lm_fail(error, LM_BAD_INPUT, "the mesh has no triangles; %s is made of triangles",
				               def->kind == LM_ACT_SHELL ? "a shell" : "a solid of two dimensions");
			break;
		case LM_ACT_SOLID:
		case LM_ACT_SOLID_GREEN:
			if (mesh->tet_count < 1)
				return lm_fail(error, LM_BAD_INPUT,
				               "the mesh has no tetrahedra; a solid is made of them, and "
				               "lm_lattice_create makes them");
			break;
		default: return lm_fail(error, LM_BAD_INPUT, "kind %d does not exist; there are 0 to 4", (int)def->kind);
	}
	return LM_OK;
}

static lm_status check_masses(const lm_act_def* def, lm_error* error)
{
	for (int32_t v = 0; def->masses != NULL && v < def->mesh->vertex_count; ++v)
		if (!lm_within(def->masses[v], 1e-30, 1e30))
			return lm_fail_element(error, v, "vertex %d has the mass %g; it must be above 0", v, def->masses[v]);
	return LM_OK;
}

static lm_status check_contacts(const lm_act_def* def, lm_error* error)
{
	if (def->contacts == NULL)
		return LM_OK;
	if (def->kind != LM_ACT_SOLID && def->kind != LM_ACT_SOLID_GREEN)
		return lm_fail(error, LM_BAD_INPUT, "contact points are given, but only solids can have them");
	lm_binding_view rows = lm_binding_get(def->contacts);
	if (rows.point_count != def->mesh->vertex_count)
		return lm_fail(error, LM_BAD_INPUT, "contact points are bound to %d vertices, but the mesh has %d",
		               rows.point_count, def->mesh->vertex_count);
	for (int32_t k = 0; k < rows.vertex_count; ++k)
		if (rows.starts[k + 1] - rows.starts[k] > 4)
			return lm_fail(error, LM_BAD_INPUT, "contact point %d is carried by more than four vertices", k);
	return LM_OK;
}

lm_status lm_act_check_def(const lm_act_def* def, lm_error* error)
{
	lm_status status = check_mesh(def, error);
	if (status == LM_OK)
		status = check_numbers(def, def->start, "start", error);
	if (status == LM_OK)
		status = check_numbers(def, def->start_velocities, "start velocities", error);
	if (status == LM_OK)
		status = lm_table_check(&lm_act_settings_table, &def->settings, error);
	if (status == LM_OK && !lm_within(def->density, 1e-12, 1e12))
		status = lm_fail(error, LM_BAD_INPUT, "the density is %g; it must be above 0 and at most 1e12", def->density);
	if (status == LM_OK)
		status = check_masses(def, error);
	if (status == LM_OK)
		status = check_contacts(def, error);
	if (status == LM_OK && (int)def->control > LM_ACT_EXAMPLES)
		status = lm_fail(error, LM_BAD_INPUT, "control %d does not exist; there are 0 to 3", (int)def->control);
	return status;
}
