// Reading a cloth, and directing it between steps.
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "track/body.h"

#include <assert.h>
#include <string.h>

int32_t lm_track_vertex_count(const lm_track* cloth)
{
	return cloth->n;
}

int32_t lm_track_constraint_count(const lm_track* cloth)
{
	return cloth->constraint_count;
}

void lm_track_positions(const lm_track* cloth, double* positions)
{
	memcpy(positions, cloth->x, 3 * (size_t)cloth->n * sizeof(double));
}

void lm_track_velocities(const lm_track* cloth, double* velocities)
{
	memcpy(velocities, cloth->v, 3 * (size_t)cloth->n * sizeof(double));
}

double lm_track_mass(const lm_track* cloth)
{
	return cloth->mass;
}

const double* lm_track_masses(const lm_track* cloth)
{
	return cloth->masses;
}

double lm_track_kinetic_energy(const lm_track* cloth)
{
	double sum = 0;
	for (int64_t i = 0; i < 3 * (int64_t)cloth->n; ++i)
		sum += 0.5 * cloth->masses[i / 3] * cloth->v[i] * cloth->v[i];
	return sum;
}

double lm_track_elastic_energy(const lm_track* cloth)
{
	const lm_track_settings* s = &cloth->settings;
	lm_cloth_law law = { cloth->cloth, { s->stretch, s->poisson, s->bend, s->strain_limit } };
	return lm_cloth_energy(&law, 1, cloth->x, cloth->host.threads);
}

double lm_track_largest_stretch(const lm_track* cloth)
{
	return lm_cloth_largest_stretch(cloth->cloth, cloth->x);
}

void lm_track_center(const lm_track* cloth, double center[3])
{
	lm_vec3 sum = lm_v3(0, 0, 0);
	for (int32_t v = 0; v < cloth->n; ++v)
		sum = lm_add_scaled(sum, cloth->masses[v] / cloth->mass, lm_v3_at(cloth->x, v));
	lm_v3_store(center, 0, sum);
}

// Value of function r at vertex v; none: 0.
static double value_at(const lm_rows* functions, int32_t r, int32_t v)
{
	double value = 0;
	for (int64_t k = r >= 0 ? functions->start[r] : 0; r >= 0 && k < functions->start[r + 1]; ++k)
		value = functions->index[k] == v ? functions->value[k] : value;
	return value;
}

// The lowest of the largest: later ones must be strictly larger.
void lm_track_regions(const lm_track* cloth, int32_t* regions)
{
	const lm_rows* functions = &cloth->functions;
	for (int32_t v = 0; v < cloth->n; ++v)
		regions[v] = -1;
	for (int32_t r = 0; r < functions->count; ++r)
		for (int64_t k = functions->start[r]; k < functions->start[r + 1]; ++k)
		{
			int32_t v = functions->index[k];
			if (functions->value[k] > value_at(functions, regions[v], v))
				regions[v] = r;
		}
}

void lm_track_region_shares(const lm_track* cloth, const int32_t* regions, double* shares)
{
	const lm_rows* functions = &cloth->functions;
	memset(shares, 0, (size_t)cloth->n * sizeof *shares);
	for (int32_t r = 0; r < functions->count; ++r)
	{
		double largest = 0;
		for (int64_t k = functions->start[r]; k < functions->start[r + 1]; ++k)
			largest = fmax(largest, functions->value[k]);
		for (int64_t k = functions->start[r]; k < functions->start[r + 1]; ++k)
			if (regions[functions->index[k]] == r && largest > 0)
				shares[functions->index[k]] = functions->value[k] / largest;
	}
}

lm_track_report lm_track_get_report(const lm_track* cloth)
{
	return cloth->report;
}

lm_track_settings lm_track_get_settings(const lm_track* cloth)
{
	return cloth->settings;
}

// ---- directing ---------------------------------------------------------------------------------------------------

lm_status lm_track_set_settings(lm_track* cloth, const lm_track_settings* settings, lm_error* error)
{
	lm_status status = lm_track_check_settings(settings, error);
	if (status == LM_OK)
		status = lm_track_check_thickness(settings, cloth->mean_edge, error);
	if (status != LM_OK)
		return status;
	if (settings->self_contact != cloth->settings.self_contact)
		return lm_fail(error, LM_BAD_INPUT, "self_contact is chosen when a cloth is created and cannot change");
	lm_track_settings before = cloth->settings;
	cloth->settings = *settings;
	if (settings->thickness == 0)
		cloth->settings.thickness = before.thickness;
	if (settings->strength == 0)
		cloth->settings.strength = before.strength;
	return LM_OK;
}

void lm_track_set_constraint(lm_track* cloth, int32_t constraint, double share)
{
	assert(constraint >= 0 && constraint < cloth->constraint_count && share >= 0);
	cloth->shares[constraint] = share;
}

lm_status lm_track_pin(lm_track* cloth, int32_t vertex, const double position[3], lm_error* error)
{
	if (vertex < 0 || vertex >= cloth->n)
		return lm_fail(error, LM_BAD_INPUT, "vertex %d cannot be held: the cloth has %d vertices", vertex, cloth->n);
	lm_status status = lm_track_check_numbers(position, 1, "the place where a vertex is held", error);
	if (status != LM_OK)
		return status;
	int32_t i = 0;
	while (i < cloth->held_count && cloth->held[i].vertex != vertex)
		++i;
	if (i == cloth->held_count)
	{
		if (!lm_grow(&cloth->host, (void**)&cloth->held, &cloth->held_capacity, (size_t)i + 1, sizeof *cloth->held))
			return lm_fail_memory(error);
		++cloth->held_count;
		cloth->held[i].vertex = vertex;
		cloth->rows_current = false;
	}
	memcpy(cloth->held[i].position, position, sizeof cloth->held[i].position);
	return LM_OK;
}

void lm_track_unpin(lm_track* cloth, int32_t vertex)
{
	for (int32_t i = 0; i < cloth->held_count; ++i)
		if (cloth->held[i].vertex == vertex)
		{
			memmove(cloth->held + i, cloth->held + i + 1, (size_t)(cloth->held_count - i - 1) * sizeof *cloth->held);
			--cloth->held_count;
			cloth->rows_current = false;
			return;
		}
}

lm_status lm_track_push(lm_track* cloth, const int32_t* vertices, int32_t count, const double impulse[3],
                        lm_error* error)
{
	lm_status status = lm_track_check_numbers(impulse, 1, "an impulse", error);
	double mass = 0;
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
	{
		if (vertices[k] < 0 || vertices[k] >= cloth->n)
			return lm_fail(error, LM_BAD_INPUT, "vertex %d cannot be pushed: the cloth has %d vertices", vertices[k],
			               cloth->n);
		mass += cloth->masses[vertices[k]];
	}
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
		for (int c = 0; c < 3; ++c)
			cloth->v[3 * (int64_t)vertices[k] + c] += impulse[c] / mass;
	return status;
}

lm_status lm_track_set_undeformed(lm_track* cloth, const double* positions, lm_error* error)
{
	for (int64_t i = 0; i < 3 * (int64_t)cloth->n; ++i)
		if (!isfinite(positions[i]))
			return lm_fail(error, LM_BAD_INPUT,
			               "the undeformed shape has a coordinate that is no number at vertex %lld",
			               (long long)(i / 3));
	if (lm_cloth_set_rest(cloth->cloth, positions))
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT, "the undeformed shape has a triangle without area");
}

lm_status lm_track_set_positions(lm_track* cloth, const double* positions, const double* velocities, lm_error* error)
{
	size_t bytes = 3 * (size_t)cloth->n * sizeof(double);
	lm_status numbers = lm_track_check_numbers(positions, cloth->n, "the new positions", error);
	if (numbers == LM_OK)
		numbers = lm_track_check_numbers(velocities, cloth->n, "the new velocities", error);
	if (numbers != LM_OK)
		return numbers;
	if (positions != NULL)
	{
		memcpy(cloth->before, cloth->x, bytes + 3 * (size_t)cloth->obstacle_vertices * sizeof(double));
		memcpy(cloth->before, positions, bytes);
		lm_status status = lm_track_check_clear(cloth, cloth->before, "the new positions", error);
		if (status != LM_OK)
			return status;
		memcpy(cloth->x, positions, bytes);
	}
	if (velocities != NULL)
		memcpy(cloth->v, velocities, bytes);
	return LM_OK;
}
