// fit.c: a simulation mesh that fits a figure: the size of its cells for a number of vertices, and all of it together.
#include "mesh/fit.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>

static const double finest = 0.02;   // of the height: cubes are at most so large, so that thin legs are found
static const double coarsest = 80;   // cubes along the longest side are enough
static const double least_leg = 0.2; // of the height: legs are split at least up to here
static const double longest_leg = 0.6;
static const double trunk_from = 0.4; // of the height: what is above is the trunk

enum
{
	least_sub = 5, // cubes along a cell
	most_trials = 12
};

static const char* const two_feet[2] = { "left foot", "right foot" };
static const char* const four_feet[4] = { "left hind foot", "left fore foot", "right hind foot", "right fore foot" };

// ---- the grid

static double cube_limit(const lm_lattice_surface* s)
{
	return fmax(finest * (s->box.high.y - s->box.low.y), s->longest / coarsest);
}

// How many cells of this size along each axis, and cubes along a cell; false when these are too many.
static bool count_cells(const lm_lattice_surface* s, double cell, double cells[3], double* sub)
{
	lm_vec3 side = lm_sub(s->box.high, s->box.low);
	*sub = fmax(least_sub, ceil(cell / cube_limit(s) - 1e-9));
	cells[0] = 2 * fmax(ceil(side.x / 2 / cell - 1e-9), 1);
	cells[1] = fmax(ceil(side.y / cell - 1e-9), 1);
	cells[2] = 2 * fmax(ceil(side.z / 2 / cell - 1e-9), 1);
	return cells[0] * cells[1] * cells[2] * *sub * *sub * *sub <= LM_VOXELS_MOST;
}

// The grid of cells of this size around the surface: symmetric about its middle in x and z, and from its lowest point
// up.
static lm_status place_grid(const lm_lattice_surface* s, double cell, lm_fit_body* b, lm_error* error)
{
	lm_vec3 side = lm_sub(s->box.high, s->box.low), middle = lm_lerp(s->box.low, s->box.high, 0.5);
	lm_voxels* v = &b->voxels;
	double cells[3], sub;
	if (!count_cells(s, cell, cells, &sub))
		return lm_fail(error, LM_BAD_INPUT, "cells of %g m are too fine for a body of %g m; give fewer vertices", cell,
		               s->longest);
	b->sub = (int32_t)sub;
	b->ground = s->box.low.y;
	b->height = side.y;
	v->h = cell / sub;
	for (int c = 0; c < 3; ++c)
		v->n[c] = (int32_t)(cells[c] * sub);
	v->origin = lm_v3(middle.x - cells[0] / 2 * cell, s->box.low.y, middle.z - cells[2] / 2 * cell);
	return LM_OK;
}

static bool any_inside(const lm_voxels* v)
{
	for (int64_t k = 0; k < v->count; ++k)
		if (v->inside[k])
			return true;
	return false;
}

// A body of this cell size; from: a grid to look the inside up in, NULL: found anew.
static lm_status make_body(const lm_lattice_surface* s, double cell, bool legs, const lm_voxels* from,
                           const lm_host* host, lm_fit_body* b, lm_error* error)
{
	*b = (lm_fit_body){ .host = *host };
	lm_status status = place_grid(s, cell, b, error);
	if (status == LM_OK)
		status =
			from ? lm_voxels_resample(from, host, &b->voxels, error) : lm_voxels_create(s, host, &b->voxels, error);
	if (status == LM_OK && !any_inside(&b->voxels))
		status = lm_fail(error, LM_BAD_INPUT,
		                 "the surface has no inside that cells of %g m can fill; it is open, or too thin", cell);
	if (status == LM_OK)
		status = lm_voxels_join(&b->voxels, error);
	if (status == LM_OK)
	{
		lm_figure_view view = { s->mesh, &b->voxels, 2, b->height, (s->box.low.z + s->box.high.z) / 2 };
		status = lm_figure_find_feet(&view, &b->figure, error);
	}
	double least = b->figure.foot_count > 0 ? least_leg : 0;
	double split = fmin(fmax(b->figure.crotch, least * b->height), longest_leg * b->height);
	if (status == LM_OK)
		status = lm_fit_make_parts(b, legs && split > 0 ? split : -INFINITY, error);
	return status;
}

// ---- the size for a number of vertices

static lm_status count_vertices(const lm_lattice_surface* s, double cell, bool legs, const lm_voxels* from,
                                const lm_host* host, int32_t* count, lm_error* error)
{
	lm_fit_body b;
	lm_status status = make_body(s, cell, legs, from, host, &b, error);
	*count = status == LM_OK ? b.vertex_count : 0;
	lm_fit_release(&b);
	return status;
}

// The largest number of vertices up to the wanted one. Bisection between sizes that give too many and too few.
static lm_status find_size(const lm_lattice_surface* s, const lm_lattice_settings* settings, const lm_host* host,
                           double* cell, lm_error* error)
{
	lm_fit_body look = { .host = *host };
	double fine = cube_limit(s) / 2, coarse = s->longest;
	lm_status status = place_grid(s, least_sub * fmax(cube_limit(s), s->longest / 120), &look, error);
	if (status == LM_OK)
		status = lm_voxels_create(s, host, &look.voxels, error);
	*cell = 0;
	for (int trial = 0; status == LM_OK && trial < most_trials; ++trial)
	{
		double middle = sqrt(fine * coarse), cells[3], sub;
		int32_t count = 0;
		if (!count_cells(s, middle, cells, &sub))
		{
			fine = middle;
			continue;
		}
		status = lm_progress(host, "lattice", 0.9 * trial / most_trials)
		             ? count_vertices(s, middle, settings->legs, &look.voxels, host, &count, error)
		             : lm_fail(error, LM_CANCELLED, "cancelled while making the lattice");
		if (status == LM_OK && count > settings->vertices)
			fine = middle;
		else if (status == LM_OK)
			coarse = *cell = middle;
		if (status == LM_OK && count <= settings->vertices && count > 0.92 * settings->vertices)
			break;
	}
	lm_voxels_release(&look.voxels);
	if (status == LM_OK && *cell == 0)
		status = lm_fail(error, LM_BAD_INPUT, "the surface needs more than %d vertices; give more", settings->vertices);
	return status;
}

// ---- results

// Vertices on the ground that belong to a leg (0: to any), or those of the trunk; returns how many.
static int32_t list_sole(const lm_fit_body* b, uint8_t leg, int32_t* list)
{
	int32_t count = 0;
	for (int32_t v = 0; v < b->vertex_count; ++v)
	{
		bool own = leg == 0;
		for (int64_t k = b->starts[v]; k < b->starts[v + 1]; ++k)
			own |= b->parts[b->around[k]].leg == leg;
		if (b->sole[v] && own)
			list[count++] = v;
	}
	return count;
}

static int32_t list_trunk(const lm_fit_body* b, int32_t* list)
{
	int32_t count = 0;
	for (int32_t v = 0; v < b->vertex_count; ++v)
		if (b->positions[3 * (int64_t)v + 1] >= b->ground + trunk_from * b->height)
			list[count++] = v;
	return count;
}

// Feet that are flat enough to stand on, else a base.
static lm_status name_groups(const lm_fit_body* b, bool legs, int32_t* list, lm_fitted* fit, lm_error* error)
{
	lm_status status = LM_OK;
	fit->foot_count = legs ? b->figure.foot_count : 0;
	for (int32_t f = 0; f < fit->foot_count; ++f)
		if (list_sole(b, (uint8_t)(f + 1), list) < 3)
			fit->foot_count = 0;
	for (int32_t f = 0; status == LM_OK && f < fit->foot_count; ++f)
	{
		int32_t count = list_sole(b, (uint8_t)(f + 1), list);
		fit->feet[f] = fit->foot_count == 2 ? two_feet[f] : four_feet[f];
		status = lm_mesh_set_group(fit->mesh, fit->feet[f], list, count, error);
	}
	if (status == LM_OK)
		status = lm_mesh_set_group(fit->mesh, "sole", list, list_sole(b, 0, list), error);
	if (status == LM_OK)
		status = lm_mesh_set_group(fit->mesh, "trunk", list, list_trunk(b, list), error);
	return status;
}

static lm_status bind_surface(const lm_fit_body* b, const lm_lattice_surface* s, lm_fitted* fit, lm_error* error)
{
	size_t rows = (size_t)s->mesh->vertex_count;
	int64_t* starts = LM_NEW(&b->host, rows + 1, int64_t);
	int32_t* points = LM_NEW(&b->host, 4 * rows, int32_t);
	double* weights = LM_NEW(&b->host, 4 * rows, double);
	lm_status status = starts && points && weights ? LM_OK : lm_fail_memory(error);
	for (size_t v = 0; status == LM_OK && v <= rows; ++v)
		starts[v] = 4 * (int64_t)v;
	if (status == LM_OK)
		status = lm_fit_bind(b, s, points, weights, error);
	lm_binding_view view = { s->mesh->vertex_count, b->vertex_count, starts, points, weights };
	if (status == LM_OK)
		status = lm_binding_create_rows(&view, &b->host, &fit->binding, error);
	lm_free(&b->host, starts);
	lm_free(&b->host, points);
	lm_free(&b->host, weights);
	return status;
}

static lm_status take_results(const lm_fit_body* b, const lm_lattice_surface* s, bool legs, lm_fitted* fit,
                              lm_error* error)
{
	fit->mesh = lm_mesh_create(&b->host, b->vertex_count, 0, b->tet_count);
	fit->volumes = LM_NEW(&b->host, b->vertex_count, double);
	int32_t* list = LM_NEW(&b->host, b->vertex_count, int32_t);
	lm_status status = fit->mesh && fit->volumes && list ? LM_OK : lm_fail_memory(error);
	for (int64_t k = 0; status == LM_OK && k < 3 * (int64_t)b->vertex_count; ++k)
		fit->mesh->positions[k] = b->positions[k];
	for (int64_t k = 0; status == LM_OK && k < 4 * (int64_t)b->tet_count; ++k)
		fit->mesh->tets[k] = b->tets[k];
	if (status == LM_OK)
	{
		lm_fit_share_volume(b, fit->volumes);
		status = name_groups(b, legs, list, fit, error);
	}
	if (status == LM_OK)
		status = bind_surface(b, s, fit, error);
	if (status == LM_OK)
		status = lm_fit_choose_contacts(b, s->mesh, fit, error);
	lm_free(&b->host, list);
	return status;
}

void lm_fitted_destroy(lm_fitted* fit)
{
	if (fit == NULL)
		return;
	lm_host host = fit->host;
	lm_mesh_destroy(fit->mesh);
	lm_binding_destroy(fit->binding);
	lm_free(&host, fit->volumes);
	lm_binding_destroy(fit->contacts);
	lm_free(&host, fit);
}

lm_status lm_fitted_create(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
                           lm_fitted** result, lm_error* error)
{
	assert(surface != NULL && settings != NULL && host != NULL && result != NULL);
	lm_status status = lm_lattice_check_settings(settings, error);
	if (status != LM_OK)
		return status;
	lm_fitted* fit = LM_NEW(host, 1, lm_fitted);
	if (fit == NULL)
		return lm_fail_memory(error);
	fit->host = *host;
	lm_lattice_surface seen;
	lm_fit_body body = { .host = *host };
	double cell = settings->size;
	status = lm_lattice_surface_open(surface, settings->inside, host, &seen, error);
	if (status == LM_OK && cell == 0)
		status = find_size(&seen, settings, host, &cell, error);
	if (status == LM_OK)
		status = make_body(&seen, cell, settings->legs, NULL, host, &body, error);
	if (status == LM_OK)
		status = lm_fit_draw_in(&body, error);
	if (status == LM_OK)
		status = take_results(&body, &seen, settings->legs, fit, error);
	lm_fit_release(&body);
	lm_lattice_surface_close(&seen);
	if (status == LM_OK)
		*result = fit;
	else
		lm_fitted_destroy(fit);
	return status;
}
