// read.c: getters of a body.
#include "act/equation.h"
#include "act/settings.h"

#include <math.h>
#include <string.h>

int32_t lm_act_vertex_count(const lm_act* body)
{
	return body->vertex_count;
}

int32_t lm_act_dimension(const lm_act* body)
{
	return body->dimension;
}

int32_t lm_act_parameter_count(const lm_act* body)
{
	return body->rest.parameters;
}

static void unpack(const lm_act* body, const double* unknowns, double* positions)
{
	for (int64_t v = 0; v < body->vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
			positions[3 * v + k] = k < body->dimension ? unknowns[v * body->dimension + k] : 0;
}

void lm_act_positions(const lm_act* body, double* positions)
{
	unpack(body, body->x, positions);
}

void lm_act_velocities(const lm_act* body, double* velocities)
{
	unpack(body, body->v, velocities);
}

const double* lm_act_masses(const lm_act* body)
{
	return body->masses;
}

double lm_act_mass(const lm_act* body)
{
	return body->mass;
}

double lm_act_kinetic_energy(const lm_act* body)
{
	double sum = 0;
	for (int32_t i = 0; i < body->unknowns; ++i)
		sum += 0.5 * body->masses[i / body->dimension] * body->v[i] * body->v[i];
	return sum;
}

double lm_act_elastic_energy(const lm_act* body)
{
	lm_elastic_material material = lm_act_elastic_material(&body->settings.material);
	return lm_elastic_energy(body->elastic, &(lm_elastic_state){ .material = &material, .X = body->X, .x = body->x });
}

double lm_act_rest_distance(const lm_act* body)
{
	double sum = 0;
	int32_t count = body->rest.rest_unknowns;
	for (int32_t i = 0; i < count; ++i)
		sum += (body->X[i] - body->rest.X0[i]) * (body->X[i] - body->rest.X0[i]);
	return sqrt(sum * body->dimension / fmax(count, 1));
}

double lm_act_parameter_norm(const lm_act* body)
{
	double sum = 0;
	for (int32_t i = 0; i < body->rest.parameters; ++i)
		sum += body->p[i] * body->p[i];
	return sqrt(sum);
}

void lm_act_center(const lm_act* body, double center[3])
{
	for (int k = 0; k < 3; ++k)
	{
		double sum = 0;
		for (int64_t v = 0; k < body->dimension && v < body->vertex_count; ++v)
			sum += body->masses[v] * body->x[v * body->dimension + k];
		center[k] = sum / body->mass;
	}
}

void lm_act_parameters(const lm_act* body, double* p)
{
	const int32_t* order = body->rest.order; // groups lie together inside
	for (int32_t i = 0; i < body->rest.parameters; ++i)
		p[order != NULL ? order[i] : i] = body->p[i];
}

// The mean of the corners that stand for a vertex.
static void mean_corners(const lm_act* body, const lm_elastic_view* view, double* positions)
{
	int d = body->dimension;
	int32_t* counts = body->physics->slot_counts;
	memset(positions, 0, 3 * (size_t)body->vertex_count * sizeof *positions);
	for (int32_t s = 0; s < view->rest_slots; ++s)
		for (int k = 0; k < d; ++k)
			positions[3 * (int64_t)view->rest_vertices[s] + k] +=
				body->X[(int64_t)s * d + k] / counts[view->rest_vertices[s]];
}

void lm_act_rest_positions(const lm_act* body, double* positions)
{
	lm_elastic_view view = lm_elastic_get(body->elastic);
	if (view.incompatible)
		mean_corners(body, &view, positions);
	else
		unpack(body, body->X, positions);
}

const lm_mesh* lm_act_cage(const lm_act* body)
{
	return body->rest.cage;
}

lm_act_report lm_act_get_report(const lm_act* body)
{
	return body->report;
}

void lm_act_profile(lm_act* body, bool on)
{
	body->profile = on;
}

lm_act_settings lm_act_get_settings(const lm_act* body)
{
	return body->settings;
}

void lm_act_set_rest_cost(lm_act* body, double share)
{
	body->rest_cost = share;
}

void lm_act_set_damping_share(lm_act* body, double share)
{
	body->damping_share = share;
}

lm_status lm_act_set_settings(lm_act* body, const lm_act_settings* settings, lm_error* error)
{
	lm_status status = lm_table_check(&lm_act_settings_table, settings, error);
	if (status == LM_OK)
		body->settings = *settings;
	return status;
}
