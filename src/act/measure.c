#include "act/measure.h"

#include "act/equation.h"

#include <math.h>
#include <string.h>

// Sum of forces and torques about a point of the body, and the largest force on a vertex.
typedef struct sums
{
	double force[3], torque[3], largest;
} sums;

static sums sum_forces(const lm_act* body, const double* y, const double* f)
{
	sums s = { 0 };
	int d = body->dimension;
	double centre[3] = { 0 };
	for (int64_t v = 0; v < body->vertex_count; ++v)
		for (int k = 0; k < d; ++k)
			centre[k] += body->masses[v] / body->mass * y[v * d + k];
	for (int64_t v = 0; v < body->vertex_count; ++v)
	{
		double r[3] = { 0 }, g[3] = { 0 };
		for (int k = 0; k < d; ++k)
			r[k] = y[v * d + k] - centre[k], g[k] = f[v * d + k];
		for (int k = 0; k < 3; ++k)
		{
			s.force[k] += g[k];
			s.torque[k] += r[(k + 1) % 3] * g[(k + 2) % 3] - r[(k + 2) % 3] * g[(k + 1) % 3];
		}
		s.largest = fmax(s.largest, hypot(hypot(g[0], g[1]), g[2]));
	}
	return s;
}

// Internal forces have neither sum nor torque. A body that hangs in the air without strain has only rounding for
// forces; so nothing smaller than the mean weight of a vertex is divided by.
static void measure_internal(lm_act* body)
{
	double* f = body->physics->residual;
	memset(f, 0, (size_t)body->unknowns * sizeof *f);
	lm_act_equation_add_internal(body, body->X, body->y, f);
	sums s = sum_forces(body, body->y, f);
	const double* g = body->settings.gravity;
	double weight = body->mass * fmax(1, hypot(hypot(g[0], g[1]), g[2]));
	double unit = fmax(s.largest, weight / body->vertex_count);
	double force = hypot(hypot(s.force[0], s.force[1]), s.force[2]) / unit;
	double torque = hypot(hypot(s.torque[0], s.torque[1]), s.torque[2]) / (unit * body->size);
	body->report.internal_force_max = fmax(body->report.internal_force_max, force);
	body->report.internal_torque_max = fmax(body->report.internal_torque_max, torque);
}

void lm_act_measure_step(lm_act* body, double residual)
{
	lm_act_report* r = &body->report;
	r->physics_residual = residual;
	r->physics_residual_max = fmax(r->physics_residual_max, residual);
	measure_internal(body);
}
