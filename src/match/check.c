// check.c: what a body can be made of. Every problem in one sentence that also says what would be right.
#include "base/error.h"
#include "match/body.h"
#include "match/settings.h"

#include <math.h>
#include <stdio.h>

// All coordinates are numbers below 1e12 m; `what` names the array.
static lm_status check_numbers(const double* values, int32_t count, const char* what, lm_error* error)
{
	for (int64_t i = 0; values != NULL && i < 3 * (int64_t)count; ++i)
		if (!lm_within(values[i], -1e12, 1e12))
			return lm_fail_element(error, i / 3,
			                       "%s: vertex %lld has the coordinate %g; it must be a number between -1e12 and 1e12",
			                       what, (long long)(i / 3), values[i]);
	return LM_OK;
}

static lm_status check_elements(const int32_t* elements, int64_t count, int corners, int32_t vertex_count,
                                const char* what, lm_error* error)
{
	for (int64_t i = 0; i < count * corners; ++i)
		if (elements[i] < 0 || elements[i] >= vertex_count)
			return lm_fail_element(error, i / corners, "%s %lld names vertex %d; there are %d vertices, from 0", what,
			                       (long long)(i / corners), elements[i], vertex_count);
	return LM_OK;
}

static lm_status check_mesh(const lm_mesh* mesh, lm_error* error)
{
	if (mesh == NULL || mesh->vertex_count < 1)
		return lm_fail(error, LM_BAD_INPUT,
		               "the mesh has no vertices; a body needs at least one tetrahedron or triangle");
	if (mesh->tet_count < 1 && mesh->triangle_count < 1)
		return lm_fail(error, LM_BAD_INPUT, "the mesh has only points; a body needs tetrahedra or triangles");
	lm_status status = check_numbers(mesh->positions, mesh->vertex_count, "rest shape", error);
	if (status == LM_OK)
		status = check_elements(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, "tetrahedron", error);
	if (status == LM_OK)
		status = check_elements(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count, "triangle", error);
	return status;
}

static lm_status check_examples(const lm_match_def* def, lm_error* error)
{
	if (def->example_count < 0 || def->example_count > LM_EXAMPLES)
		return lm_fail(error, LM_BAD_INPUT, "there are %d examples; a body takes 0 to %d", def->example_count,
		               LM_EXAMPLES);
	for (int k = 0; k < def->example_count; ++k)
	{
		char what[32];
		snprintf(what, sizeof what, "example %d", k);
		if (def->examples == NULL || def->examples[k] == NULL)
			return lm_fail(error, LM_BAD_INPUT, "%s is NULL; it must be the positions of all vertices", what);
		lm_status status = check_numbers(def->examples[k], def->mesh->vertex_count, what, error);
		if (status != LM_OK)
			return status;
	}
	if ((int)def->locality < LM_MATCH_GLOBAL || (int)def->locality > LM_MATCH_EACH)
		return lm_fail(error, LM_BAD_INPUT, "locality %d does not exist; there are 0 to 2", (int)def->locality);
	if ((int)def->method < LM_MATCH_OURS || (int)def->method > LM_MATCH_PAPER)
		return lm_fail(error, LM_BAD_INPUT, "method %d does not exist; there are 0 and 1", (int)def->method);
	if (def->locality != LM_MATCH_GROUPS)
		return LM_OK;
	if (def->group_count < 1 || def->group_count > 4096 || def->region_groups == NULL)
		return lm_fail(error, LM_BAD_INPUT, "there are %d groups of regions; examples per group need 1 to 4096 groups",
		               def->region_groups == NULL ? 0 : def->group_count);
	for (int32_t i = 0; i < def->mesh->vertex_count; ++i)
		if (def->region_groups[i] < 0 || def->region_groups[i] >= def->group_count)
			return lm_fail_element(error, i, "vertex %d is in group %d; there are %d groups, from 0", i,
			                       def->region_groups[i], def->group_count);
	return LM_OK;
}

static lm_status check_sets(const lm_match_def* def, lm_error* error)
{
	if (def->set_count < 0 || def->set_count > 4096 || (def->set_count > 0 && def->sets == NULL))
		return lm_fail(error, LM_BAD_INPUT, "there are %d sets of vertices; a body takes 0 to 4096", def->set_count);
	int64_t members = 0;
	for (int32_t s = 0; s < def->set_count; ++s)
	{
		const lm_match_set* set = &def->sets[s];
		for (int32_t k = 0; k < set->count; ++k)
			if (set->vertices[k] < 0 || set->vertices[k] >= def->mesh->vertex_count)
				return lm_fail(error, LM_BAD_INPUT, "set %d names vertex %d; there are %d vertices, from 0", s,
				               set->vertices[k], def->mesh->vertex_count);
		members += (int64_t)set->count * set->count;
		if (set->count < 0 || members > LM_MATCH_MEMBERS)
			return lm_fail(
				error, LM_BAD_INPUT,
				"set %d has %d vertices; the squares of the sizes of all sets must not add up to more than %d", s,
				set->count, LM_MATCH_MEMBERS);
	}
	return LM_OK;
}

static lm_status check_contacts(const lm_match_def* def, lm_error* error)
{
	if (def->contacts == NULL)
		return LM_OK;
	lm_binding_view rows = lm_binding_get(def->contacts);
	if (rows.point_count != def->mesh->vertex_count)
		return lm_fail(error, LM_BAD_INPUT, "the points of contact are carried by %d vertices; the mesh has %d",
		               rows.point_count, def->mesh->vertex_count);
	for (int32_t k = 0; k < rows.vertex_count; ++k)
	{
		double sum = 0;
		bool good = true;
		for (int64_t e = rows.starts[k]; e < rows.starts[k + 1]; ++e)
		{
			good = good && rows.points[e] >= 0 && rows.points[e] < rows.point_count &&
			       lm_within(rows.weights[e], -1e6, 1e6);
			sum += rows.weights[e];
		}
		if (!good || !lm_within(sum, 1 - 1e-3, 1 + 1e-3))
			return lm_fail_element(error, k, "point of contact %d is no mean of vertices; its weights must add up to 1",
			                       k);
	}
	return LM_OK;
}

lm_status lm_match_check_def(const lm_match_def* def, lm_error* error)
{
	lm_status status = check_mesh(def->mesh, error);
	if (status == LM_OK)
		status = check_examples(def, error);
	if (status == LM_OK)
		status = check_numbers(def->start, def->mesh->vertex_count, "start", error);
	if (status == LM_OK)
		status = check_numbers(def->start_velocities, def->mesh->vertex_count, "start velocities", error);
	if (status == LM_OK)
		status = lm_table_check(&lm_match_settings_table, &def->settings, error);
	if (status != LM_OK)
		return status;
	if (def->ring < (def->set_count > 0 ? 0 : 1) || def->ring > 8)
		return lm_fail(error, LM_BAD_INPUT, "the ring is %d; it must lie between %d and 8", def->ring,
		               def->set_count > 0 ? 0 : 1);
	status = check_sets(def, error);
	if (status == LM_OK)
		status = check_contacts(def, error);
	if (status != LM_OK)
		return status;
	if (!lm_within(def->density, 1e-12, 1e12))
		return lm_fail(error, LM_BAD_INPUT, "the density is %g; it must be above 0", def->density);
	for (int32_t i = 0; def->masses != NULL && i < def->mesh->vertex_count; ++i)
		if (!lm_within(def->masses[i], 1e-30, 1e30))
			return lm_fail_element(error, i, "vertex %d has the mass %g kg; it must be above 0", i, def->masses[i]);
	return LM_OK;
}
