// Steps along a direction: how far contact lets it go, and the line search; see solver.h.
#include "math/vec.h"
#include "track/solver_parts.h"

#include <string.h>

static const double armijo = 1e-4, shortest = 1e-6;

double lm_track_longest_move(const lm_track_run* r, const double* d)
{
	double most = 0;
	for (int64_t v = 0; v < r->s->n; ++v)
		most = fmax(most, sqrt(d[3 * v] * d[3 * v] + d[3 * v + 1] * d[3 * v + 1] + d[3 * v + 2] * d[3 * v + 2]));
	return most;
}

// Slope of the merit along the direction.
static double slope(const lm_track_run* r)
{
	double sum = 0;
	for (int64_t i = 0; i < 3 * (int64_t)r->s->n; ++i)
		sum += r->s->gradient[i] * r->s->solution[i];
	return sum + lm_track_row_slope(r);
}

static void take(lm_track_run* r, double fraction, double* to)
{
	lm_track_solver* s = r->s;
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		to[i] = r->x[i] + fraction * s->displacement[i];
	for (int64_t i = 3 * (int64_t)s->n; i < 3 * ((int64_t)s->n + s->obstacles); ++i)
		to[i] = r->x[i];
}

lm_status lm_track_find_pairs(lm_track_run* r, const double* x)
{
	return r->p->clearance != NULL ? lm_clearance_find(r->p->clearance, x, r->p->reach, r->limits->threads, r->error)
	                               : LM_OK;
}

// Candidates last while nothing is farther from the displacement than this, of the reach.
static const double search_slack = 0.3;

lm_status lm_track_limit_step(lm_track_run* r, double longest, const lm_ccd_settings* settings, double* fraction)
{
	*fraction = longest;
	if (r->p->clearance == NULL)
		return LM_OK;
	return lm_clearance_step(r->p->clearance, r->x, r->s->displacement, longest, r->search_reach,
	                         search_slack * r->p->reach, settings, r->limits->threads, fraction, r->error);
}

// Backtracking line search from the longest safe step. *taken is 0 when it fails.
lm_status lm_track_search_line(lm_track_run* r, double first, double* taken)
{
	lm_track_solver* s = r->s;
	if (!r->energy_known)
		r->energy = lm_track_energy(s, r->p, r->x, r->limits->threads);
	r->energy_known = true;
	double merit = r->energy + lm_track_row_merit(r, s->c), down = slope(r);
	double noise = 1e-13 * (fabs(merit) + 1e-30);
	*taken = 0;
	for (double fraction = first; fraction > shortest * first; fraction /= 2)
	{
		take(r, fraction, s->trial);
		lm_status status = lm_track_find_pairs(r, s->trial);
		if (status != LM_OK)
			return status;
		lm_track_measure_rows(r, s->trial, s->c_trial);
		double energy = lm_track_energy(s, r->p, s->trial, r->limits->threads);
		if (energy + lm_track_row_merit(r, s->c_trial) <= merit + armijo * fraction * down + noise)
		{
			r->energy = energy;
			memcpy(r->x, s->trial, 3 * (size_t)(s->n + s->obstacles) * sizeof(double));
			*taken = fraction;
			return LM_OK;
		}
	}
	return lm_track_find_pairs(r, r->x); // as it was
}

// What a step leaves of the cloth's own gaps, of the reach: the next step has room then, whatever this one did.
static const double floor_own = 0.3;

// The Newton direction as a displacement of all vertices, limited to the longest move, and the fraction that contact
// allows.
lm_status lm_track_cut_displacement(lm_track_run* r, double* fraction)
{
	lm_track_solver* s = r->s;
	double move = lm_track_longest_move(r, s->solution),
		   cut = move > r->limits->longest ? r->limits->longest / move : 1;
	memset(s->displacement, 0, 3 * (size_t)(s->n + s->obstacles) * sizeof(double));
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		s->displacement[i] = s->solution[i];
	lm_ccd_settings settings = lm_ccd_settings_default();
	settings.floor = floor_own * r->p->reach;
	return lm_track_limit_step(r, cut, &settings, fraction);
}
