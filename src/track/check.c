// What a cloth can be made of: every problem in one sentence that also says what would be right.
#include "base/error.h"
#include "track/body.h"

#include <math.h>

static bool within(double value, double low, double high)
{
	return value >= low && value <= high; // false for what is not a number
}

static lm_status check_material(const lm_track_settings* s, lm_error* error)
{
	if (!within(s->stretch, 1e-9, 1e12))
		return lm_fail(error, LM_BAD_INPUT, "the stiffness against stretching is %g N/m; it must be above 0",
		               s->stretch);
	if (!within(s->poisson, -0.9, 0.9))
		return lm_fail(error, LM_BAD_INPUT, "Poisson's ratio is %g; it must lie between -0.9 and 0.9", s->poisson);
	if (!within(s->bend, 0, 1e12))
		return lm_fail(error, LM_BAD_INPUT, "the stiffness against bending is %g N m; it must not be negative",
		               s->bend);
	if (!within(s->damping, 0, 1e3))
		return lm_fail(error, LM_BAD_INPUT, "the damping is %g s; it must lie between 0 and 1000", s->damping);
	if (!(s->yield > 0) || (s->yield > 1e9 && isfinite(s->yield)))
		return lm_fail(error, LM_BAD_INPUT,
		               "the yield curvature is %g per metre; it must be above 0 and at most 1e9, or infinite: never",
		               s->yield);
	if (!within(s->hardening, -1e6, 1e6))
		return lm_fail(error, LM_BAD_INPUT, "the hardening is %g m; it must lie between -1e6 and 1e6", s->hardening);
	return LM_OK;
}

static lm_status check_forces(const lm_track_settings* s, lm_error* error)
{
	for (int k = 0; k < 3; ++k)
		if (!within(s->gravity[k], -1e6, 1e6) || !within(s->wind[k], -1e4, 1e4))
			return lm_fail(error, LM_BAD_INPUT,
			               "gravity or wind has a component of %g or %g; gravity may have 1e6 m/s^2, wind 1e4 m/s",
			               s->gravity[k], s->wind[k]);
	if (!within(s->air_drag, 0, 1e6))
		return lm_fail(error, LM_BAD_INPUT, "the drag of the air is %g kg/m^3; it must not be negative", s->air_drag);
	if (!within(s->friction, 0, 1e3))
		return lm_fail(error, LM_BAD_INPUT, "the friction is %g; it must lie between 0 and 1000", s->friction);
	return LM_OK;
}

lm_status lm_track_check_numbers(const double* numbers, int32_t count, const char* what, lm_error* error)
{
	for (int64_t i = 0; numbers != NULL && i < 3 * (int64_t)count; ++i)
		if (!within(numbers[i], -1e12, 1e12))
		{
			lm_status status =
				lm_fail(error, LM_BAD_INPUT, "%s: %g at %lld; it must be a number between -1e12 and 1e12", what,
			            numbers[i], (long long)(i / 3));
			if (error != NULL)
				error->element = i / 3;
			return status;
		}
	return LM_OK;
}

// A cloth thicker than its edges are long touches itself everywhere, at rest and with all its pairs.
lm_status lm_track_check_thickness(const lm_track_settings* s, double mean_edge, lm_error* error)
{
	if (!s->self_contact || s->thickness <= mean_edge)
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT,
	               "the thickness is %g m; cloth that touches itself must be thinner than its edges are long, %.3g m",
	               s->thickness, mean_edge);
}

lm_status lm_track_check_settings(const lm_track_settings* s, lm_error* error)
{
	lm_status status = check_material(s, error);
	if (status == LM_OK)
		status = check_forces(s, error);
	if (status != LM_OK)
		return status;
	if (!within(s->friction_slack, 1e-12, 1e6))
		return lm_fail(error, LM_BAD_INPUT, "the slack of friction is %g m; it must be above 0", s->friction_slack);
	if (!within(s->thickness, 0, 1e6))
		return lm_fail(error, LM_BAD_INPUT, "the thickness is %g m; it must be above 0 (0 chooses it)", s->thickness);
	if (!within(s->strength, 0, 1e15))
		return lm_fail(error, LM_BAD_INPUT, "the strength of constraints is %g N; it must be above 0 (0 chooses it)",
		               s->strength);
	if (!within(s->tolerance, 0, 1e6))
		return lm_fail(error, LM_BAD_INPUT, "the tolerance is %g m; it must be above 0 (0 chooses it)", s->tolerance);
	if (s->most_iterations < 1 || s->most_iterations > 10000)
		return lm_fail(error, LM_BAD_INPUT, "at most %d iterations per step; it must lie between 1 and 10000",
		               s->most_iterations);
	return LM_OK;
}
