// create.c: making a cloth from its definition.
#include "base/alloc.h"
#include "base/error.h"
#include "base/machine.h"
#include "math/vec.h"
#include "track/body.h"
#include "track/settings.h"

#include <string.h>

lm_track_def lm_track_def_default(void)
{
	lm_track_def def = { .density = LM_TRACK_DENSITY, .compact = LM_TRACK_COMPACT };
	lm_table_defaults(&lm_track_settings_table, &def.settings);
	return def;
}

static double mean_edge_of(const lm_mesh* mesh)
{
	double sum = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
		for (int i = 0; i < 3; ++i)
		{
			const int32_t* v = mesh->triangles + 3 * (int64_t)t;
			sum += lm_distance(lm_v3_at(mesh->positions, v[i]), lm_v3_at(mesh->positions, v[(i + 1) % 3]));
		}
	return sum / (3.0 * mesh->triangle_count);
}

double lm_track_thickness(const lm_track_settings* settings, const lm_mesh* mesh)
{
	return settings->thickness > 0 ? settings->thickness : 0.2 * mean_edge_of(mesh);
}

static lm_status measure(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	if (!(def->density >= 1e-12 && def->density <= 1e12))
		return lm_fail(error, LM_BAD_INPUT, "the density is %g kg/m^2; it must be above 0 and at most 1e12",
		               def->density);
	if (def->mesh == NULL || def->mesh->triangle_count == 0)
		return lm_fail(error, LM_BAD_INPUT, "the mesh has no triangles: cloth is a surface");
	lm_status status = lm_mesh_check(def->mesh, "", error);
	if (status != LM_OK)
		return status;
	cloth->n = def->mesh->vertex_count;
	cloth->mesh = lm_mesh_copy(def->mesh, &cloth->host);
	if (cloth->mesh == NULL)
		return lm_fail_memory(error);
	double low[3], high[3];
	lm_mesh_bounds(cloth->mesh->positions, cloth->n, low, high);
	cloth->size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
	cloth->mean_edge = mean_edge_of(cloth->mesh);
	return LM_OK;
}

// Vertices that no triangle uses would fall for ever: they get the mass of a small one, and stay out of contact.
static lm_status weigh(lm_track* cloth, double density, lm_error* error)
{
	cloth->masses = LM_NEW(&cloth->host, cloth->n, double);
	if (cloth->masses == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < cloth->n; ++v)
	{
		double area = cloth->cloth->vertex_areas[v];
		if (!(area > 0))
			return lm_fail_element(error, v, "vertex %d belongs to no triangle; remove it", v);
		cloth->masses[v] = density * area;
		cloth->mass += cloth->masses[v];
	}
	return LM_OK;
}

static void choose_defaults(lm_track* cloth)
{
	lm_track_settings* s = &cloth->settings;
	double gravity = lm_length(lm_v3_at(s->gravity, 0));
	s->thickness = lm_track_thickness(s, cloth->mesh);
	if (s->strength == 0)
		s->strength = 100 * cloth->mass * fmax(gravity, 1);
}

static lm_status make_state(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	int64_t all = (int64_t)cloth->n + cloth->obstacle_vertices;
	cloth->x = LM_NEW(&cloth->host, 3 * all, double);
	cloth->before = LM_NEW(&cloth->host, 3 * all, double);
	cloth->v = LM_NEW(&cloth->host, 3 * (int64_t)cloth->n, double);
	cloth->y = LM_NEW(&cloth->host, 3 * (int64_t)cloth->n, double);
	cloth->origin = LM_NEW(&cloth->host, 3 * all, double);
	cloth->origin_v = LM_NEW(&cloth->host, 3 * (int64_t)cloth->n, double);
	cloth->obstacle_targets = LM_NEW(&cloth->host, 3 * (int64_t)cloth->obstacle_vertices, double);
	if (cloth->x == NULL || cloth->before == NULL || cloth->v == NULL || cloth->y == NULL || cloth->origin == NULL ||
	    cloth->origin_v == NULL || cloth->obstacle_targets == NULL)
		return lm_fail_memory(error);
	const double* start = def->start != NULL ? def->start : cloth->mesh->positions;
	for (int64_t i = 0; i < 3 * (int64_t)cloth->n; ++i)
	{
		if (!isfinite(start[i]))
			return lm_fail(error, LM_BAD_INPUT, "the start has a coordinate that is no number at vertex %lld",
			               (long long)(i / 3));
		cloth->x[i] = start[i];
	}
	lm_track_place_obstacles(cloth, 0, 1, cloth->obstacle_targets);
	memcpy(cloth->x + 3 * (int64_t)cloth->n, cloth->obstacle_targets,
	       3 * (size_t)cloth->obstacle_vertices * sizeof(double));
	if (def->untangle && def->settings.self_contact)
	{
		lm_status status = lm_track_make_tangle(cloth, error);
		if (status != LM_OK)
			return status;
	}
	return lm_track_check_clear(cloth, cloth->x, def->start != NULL ? "the start" : "the undeformed shape", error);
}

static lm_status build(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	lm_status status = lm_track_check_settings(&def->settings, error);
	if (status == LM_OK)
		status = measure(cloth, def, error);
	if (status == LM_OK)
		status = lm_track_check_thickness(&def->settings, cloth->mean_edge, error);
	const lm_mesh* mesh = cloth->mesh;
	for (int i = 0; status == LM_OK && i < 2; ++i)
		status = lm_cloth_create(mesh->positions, cloth->n, mesh->triangles, mesh->triangle_count, &cloth->host,
		                         i == 0 ? &cloth->cloth : &cloth->damper, error);
	if (status == LM_OK)
		status = weigh(cloth, def->density, error);
	if (status == LM_OK)
	{
		choose_defaults(cloth);
		status = lm_track_make_obstacles(cloth, def, error);
	}
	if (status == LM_OK)
		status = make_state(cloth, def, error);
	if (status == LM_OK)
		status = lm_track_make_constraints(cloth, def, error);
	if (status == LM_OK)
		status = lm_track_join_rows(cloth, error);
	if (status == LM_OK)
		status = lm_track_make_alone(cloth, error);
	return status;
}

lm_status lm_track_create(const lm_track_def* def, const lm_host* host, lm_track** result, lm_error* error)
{
	lm_status status = lm_simd_check(host->simd, error);
	if (status != LM_OK)
		return status;
	lm_track* cloth = LM_NEW(host, 1, lm_track);
	if (cloth == NULL)
		return lm_fail_memory(error);
	cloth->host = *host, cloth->settings = def->settings;
	status = build(cloth, def, error);
	if (status == LM_OK)
		*result = cloth;
	else
		lm_track_destroy(cloth);
	return status;
}

void lm_track_destroy(lm_track* cloth)
{
	if (cloth == NULL)
		return;
	lm_host host = cloth->host;
	lm_track_together_destroy(cloth->alone);
	lm_track_solver_destroy(cloth->solver);
	lm_tangle_destroy(cloth->tangle);
	lm_clearance_destroy(cloth->clearance);
	lm_cloth_destroy(cloth->cloth), lm_cloth_destroy(cloth->damper);
	lm_colliders_destroy(cloth->colliders);
	for (int32_t i = 0; cloth->obstacles != NULL && i < cloth->obstacle_count; ++i)
		lm_mesh_destroy(cloth->obstacles[i].mesh);
	lm_mesh_destroy(cloth->mesh);
	lm_rows* rows[] = { &cloth->averages, &cloth->guide_averages, &cloth->functions, &cloth->rows };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
		lm_rows_release(rows[i], &host);
	void* all[] = { cloth->masses,
		            cloth->obstacles,
		            cloth->obstacle_targets,
		            cloth->triangles,
		            cloth->shares,
		            cloth->held,
		            cloth->targets,
		            cloth->strengths,
		            cloth->multipliers,
		            cloth->x,
		            cloth->v,
		            cloth->y,
		            cloth->before,
		            cloth->origin,
		            cloth->origin_v,
		            cloth->aims,
		            cloth->last_targets,
		            cloth->kept_multipliers,
		            cloth->inner_multipliers,
		            cloth->start_targets,
		            cloth->surface_ends,
		            cloth->given,
		            cloth->partners,
		            cloth->touching };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]);
	lm_free(&host, cloth);
}
