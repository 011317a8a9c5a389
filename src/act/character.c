// character.c: settings of a character from its size, mass and gravity, and the body with its pilot.
//
// With height H, mass M, volume v of the inside and gravity g, lengths scale with H, speeds with sqrt(g H), energies
// with M g H. Goals are squared speeds, so that what rest shapes cost (the regularisers) scales with g H whatever the
// mass:
//     stretch, volume              500 M g H / v                 the body sags by a few per cent of its height
//     rest_stretch, rest_volume    0.815 g H / v                 what decides between stiff legs and weak ones
//     parameter_weight             1.02e-3 g / H, change_weight 0.3 of it
//     contact stiffness            11000 M g / H over all points of the sole; smoothing 0.002 H, slack 0.001 H
//     damping                      0.031 sqrt(H / g)
// Thin legs: both stiffnesses times sqrt(max(1, lean / 0.02 H)), where lean is how far the centre would move aside if
// its weight pulled there, soles being held: linear elasticity of the rest shape. Without the root thin legs hardly
// move: at a lean of 0.3 H (15 times as stiff) a robot walked backwards, at 4 times it walks, at 8 too slowly.
#include "limber/act_character.h"

#include "act/pilot/pilot.h"
#include "base/alloc.h"
#include "base/error.h"
#include "elastic/elastic.h"
#include "math/vec.h"
#include "sparse/cholesky.h"

#include <math.h>

static const double stretch = 500, rest_stretch = 0.815; // in the units above
static const double lean_allowed = 0.02;
static const double parameter = 1.02e-3, change = 0.3;
static const double contact = 11000, least_points = 12, smoothing = 0.002, slack = 0.001;
static const double damping = 0.0313; // of sqrt(H / g)
static const double held = 1e6;       // times the largest diagonal: as good as fixed

enum
{
	iterations = 15 // with 6 thin legs give way; the mean stays below 4
};

typedef struct figure
{
	double height, volume;
} figure;

static figure measure(const lm_fitted* fit)
{
	double low[3], high[3];
	lm_mesh_bounds(fit->mesh->positions, fit->mesh->vertex_count, low, high);
	figure f = { .height = high[1] - low[1] };
	for (int32_t v = 0; v < fit->mesh->vertex_count; ++v)
		f.volume += fit->volumes[v];
	return f;
}

// ---- thin legs

// u = K^-1 f with the sole held, f the mean by volume along an axis; the mean of u along it. K: of stiffness 1.
static double give_way(lm_cholesky* cholesky, const lm_fitted* fit, double volume, int axis, double* u)
{
	int32_t count = fit->mesh->vertex_count;
	double moved = 0;
	for (int64_t i = 0; i < 3 * (int64_t)count; ++i)
		u[i] = i % 3 == axis ? fit->volumes[i / 3] / volume : 0;
	if (!lm_cholesky_solve(cholesky, 1, u, u))
		return 0;
	for (int32_t v = 0; v < count; ++v)
		moved += fit->volumes[v] / volume * u[3 * (int64_t)v + axis];
	return moved;
}

// How far the centre moves along x or z, whichever is farther, under a force of 1 N at a stiffness of 1 N/m^2.
static lm_status find_lean(const lm_fitted* fit, double volume, const lm_host* host, double* lean, lm_error* error)
{
	const lm_mesh* mesh = fit->mesh;
	lm_elastic_shape shape = { .kind = LM_ELASTIC_SOLID3_EDGES,
		                       .vertex_count = mesh->vertex_count,
		                       .positions = mesh->positions,
		                       .element_count = mesh->tet_count,
		                       .elements = mesh->tets };
	lm_elastic* elastic = NULL;
	lm_cholesky* cholesky = NULL;
	lm_status status = lm_elastic_create(&shape, host, &elastic, error);
	if (status != LM_OK)
		return status;
	const lm_pattern* pattern = lm_elastic_get(elastic).pattern;
	double* values = LM_NEW(host, pattern->entries, double);
	double* u = LM_NEW(host, 3 * (size_t)mesh->vertex_count, double);
	status = values && u ? lm_cholesky_create(pattern, LM_CHOLESKY_LL, host, &cholesky, error) : lm_fail_memory(error);
	if (status == LM_OK)
	{
		lm_elastic_material unit = { .stretch = 1, .volume = 1 };
		lm_elastic_state rest = { .material = &unit, .X = mesh->positions, .x = mesh->positions };
		lm_elastic_add_stiffness(elastic, &rest, true, 1, pattern, 0, values);
		double largest = 0;
		for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i)
			largest = fmax(largest, values[pattern->diagonal[i]]);
		const lm_group* sole = &mesh->groups[lm_mesh_find_group(mesh, "sole")];
		for (int32_t k = 0; k < sole->count; ++k)
			for (int c = 0; c < 3; ++c)
				values[pattern->diagonal[3 * (int64_t)sole->vertices[k] + c]] += held * largest;
		bool solved = lm_cholesky_factorize(cholesky, values, 1e-9 * largest).status == LM_FACTOR_OK;
		for (int axis = 0; axis < 3 && solved; axis += 2)
			*lean = fmax(*lean, give_way(cholesky, fit, volume, axis, u));
	}
	lm_free(host, values);
	lm_free(host, u);
	lm_cholesky_destroy(cholesky);
	lm_elastic_destroy(elastic);
	return status;
}

// ---- settings

lm_status lm_character_settings(const lm_fitted* fit, double mass, const double gravity[3], const lm_host* host,
                                lm_act_settings* settings, lm_error* error)
{
	figure f = measure(fit);
	double g = fmax(-gravity[1], LM_ACT_GRAVITY_TO_WALK), lean = 0;
	lm_status status = find_lean(fit, f.volume, host, &lean, error);
	if (status != LM_OK)
		return status;
	*settings = lm_act_def_default().settings;
	const lm_group* sole = &fit->mesh->groups[lm_mesh_find_group(fit->mesh, "sole")];
	double stiffness = stretch * mass * g * f.height / f.volume, rest = rest_stretch * g * f.height / f.volume;
	double thin = sqrt(fmax(1, mass * g * lean / (stiffness * lean_allowed * f.height)));
	settings->material.stretch = settings->material.volume = thin * stiffness;
	settings->rest_material.stretch = settings->rest_material.volume = thin * rest;
	settings->parameter_weight = parameter * g / f.height;
	settings->change_weight = change * settings->parameter_weight;
	settings->contact_stiffness = contact * mass * g / f.height / fmax(sole->count, least_points);
	settings->contact_smoothing = smoothing * f.height;
	settings->friction_slack = slack * f.height;
	settings->damping = damping * sqrt(f.height / g);
	settings->most_iterations = iterations;
	for (int c = 0; c < 3; ++c)
		settings->gravity[c] = gravity[c];
	return LM_OK;
}

double lm_character_step(const lm_fitted* fit, double gravity)
{
	return 0.0627 * sqrt(measure(fit).height / fmax(gravity, LM_ACT_GRAVITY_TO_WALK));
}

// ---- the body

static lm_status make_body(const lm_fitted* fit, const lm_act_def* given, const lm_host* host, lm_act** body,
                           lm_error* error)
{
	lm_act_def def = *given;
	double mass = 0;
	double* masses = LM_NEW(host, fit->mesh->vertex_count, double);
	if (masses == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < fit->mesh->vertex_count; ++v)
		mass += masses[v] = given->density * fit->volumes[v];
	def.kind = LM_ACT_SOLID;
	def.mesh = fit->mesh;
	def.control = LM_ACT_FULL;
	def.masses = masses;
	def.contacts = fit->contacts;
	lm_status status = lm_character_settings(fit, mass, given->settings.gravity, host, &def.settings, error);
	if (status == LM_OK)
		status = lm_act_create(&def, host, body, error);
	lm_free(host, masses);
	return status;
}

static lm_status make_pilot(const lm_fitted* fit, lm_act* body, const lm_host* host, lm_act_pilot** pilot,
                            lm_error* error)
{
	lm_status status = lm_act_pilot_create(body, host, pilot, error);
	if (status != LM_OK)
		return status;
	lm_act_pilot_set_character(*pilot);
	for (int32_t f = 0; status == LM_OK && f < fit->foot_count; ++f)
	{
		const lm_group* group = &fit->mesh->groups[lm_mesh_find_group(fit->mesh, fit->feet[f])];
		status = lm_act_pilot_set_foot(*pilot, f, group->vertices, group->count, error);
	}
	const lm_group* trunk = &fit->mesh->groups[lm_mesh_find_group(fit->mesh, "trunk")];
	if (status == LM_OK)
		status = lm_act_pilot_set_trunk(*pilot, trunk->vertices, trunk->count, error);
	if (status != LM_OK)
		lm_act_pilot_destroy(*pilot);
	return status;
}

lm_status lm_character_create(const lm_fitted* fit, const lm_act_def* def, const lm_host* host, lm_act** body,
                              lm_act_pilot** pilot, lm_error* error)
{
	lm_status status = make_body(fit, def, host, body, error);
	if (status != LM_OK)
		return status;
	status = make_pilot(fit, *body, host, pilot, error);
	if (status != LM_OK)
		lm_act_destroy(*body);
	return status;
}
