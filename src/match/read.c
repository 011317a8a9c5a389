// read.c: what can be asked of a body, in the caller's order of vertices.
#include "base/hash.h"
#include "match/body.h"
#include "match/settings.h"
#include "match/state.h"

#include <assert.h>

int32_t lm_match_vertex_count(const lm_match* body)
{
	return body->count;
}

void lm_match_positions(const lm_match* body, double* positions)
{
	for (int64_t i = 0; i < body->count; ++i)
		for (int k = 0; k < 3; ++k)
			positions[3 * (int64_t)body->to_user[i] + k] = body->origin[k] + (double)body->x[lm_particle_place(i, k)];
}

void lm_match_velocities(const lm_match* body, double* velocities)
{
	for (int64_t i = 0; i < body->count; ++i)
		for (int k = 0; k < 3; ++k)
			velocities[3 * (int64_t)body->to_user[i] + k] = (double)body->v[lm_particle_place(i, k)];
}

const float* lm_match_floats(const lm_match* body, double origin[3])
{
	for (int64_t i = 0; i < body->count; ++i)
		for (int k = 0; k < 3; ++k)
			body->user_floats[4 * (int64_t)body->to_user[i] + k] = body->x[lm_particle_place(i, k)];
	for (int k = 0; k < 3; ++k)
		origin[k] = body->origin[k];
	return body->user_floats;
}

int32_t lm_match_weight_rows(const lm_match* body)
{
	return body->rows;
}

void lm_match_weights(const lm_match* body, int32_t row, double* weights)
{
	assert(row >= 0 && row < body->rows);
	int n = body->example_count;
	double sum = 0;
	int64_t r = body->locality == LM_MATCH_EACH ? body->to_inner[row] : row;
	for (int k = 0; k < n; ++k)
	{
		weights[k + 1] = body->locality == LM_MATCH_EACH
		                     ? (double)body->region_weights[(r / LM_LANES * n + k) * LM_LANES + r % LM_LANES]
		                     : body->weights[r * n + k];
		sum += weights[k + 1];
	}
	weights[0] = sum < 1 ? 1 - sum : 0;
}

int32_t lm_match_weight_row(const lm_match* body, int32_t vertex)
{
	assert(vertex >= 0 && vertex < body->count);
	switch (body->locality)
	{
		case LM_MATCH_GROUPS: return body->region_group[body->to_inner[vertex]];
		case LM_MATCH_EACH: return vertex;
		case LM_MATCH_GLOBAL: break;
	}
	return 0;
}

int32_t lm_match_region(const lm_match* body, int32_t vertex, int32_t* members)
{
	assert(vertex >= 0 && vertex < body->count);
	int32_t r = body->to_inner[vertex], size = lm_match_ring_size(body, r);
	for (int32_t k = 0; members != NULL && k < size; ++k)
	{
		int32_t member = body->to_user[lm_match_member(body, r, k)], at = k;
		for (; at > 0 && members[at - 1] > member; --at)
			members[at] = members[at - 1];
		members[at] = member;
	}
	return size;
}

double lm_match_mass(const lm_match* body)
{
	return body->total_mass;
}

double lm_match_kinetic_energy(const lm_match* body)
{
	double sum = 0;
	for (int64_t i = 0; i < body->count; ++i)
	{
		double squares = 0;
		for (int k = 0; k < 3; ++k)
		{
			double v = (double)body->v[lm_particle_place(i, k)];
			squares += v * v;
		}
		sum += 0.5 * (double)body->mass[i] * squares;
	}
	return sum;
}

void lm_match_center(const lm_match* body, double center[3])
{
	double sum[3] = { 0 };
	for (int64_t i = 0; i < body->count; ++i)
		for (int k = 0; k < 3; ++k)
			sum[k] += (double)body->mass[i] * (double)body->x[lm_particle_place(i, k)];
	for (int k = 0; k < 3; ++k)
		center[k] = body->origin[k] + sum[k] / body->total_mass;
}

lm_match_report lm_match_get_report(const lm_match* body)
{
	return body->report;
}

void lm_match_measure_contact(lm_match* body, bool on)
{
	body->measures_contact = on;
}

void lm_match_profile(lm_match* body, bool on)
{
	body->profile = on;
}

lm_match_settings lm_match_get_settings(const lm_match* body)
{
	return body->settings;
}

lm_status lm_match_set_settings(lm_match* body, const lm_match_settings* settings, lm_error* error)
{
	lm_status status = lm_table_check(&lm_match_settings_table, settings, error);
	if (status == LM_OK)
		body->settings = *settings;
	return status;
}

void lm_match_masses(const lm_match* body, double* masses)
{
	for (int32_t i = 0; i < body->count; ++i)
		masses[body->to_user[i]] = (double)body->mass[i];
}
