// check.c: what a cloth can be made of: every problem in one sentence that also says what would be right.
#include "base/error.h"
#include "track/body.h"
#include "track/settings.h"

lm_status lm_track_check_numbers(const double* numbers, int32_t count, const char* what, lm_error* error)
{
	for (int64_t i = 0; numbers != NULL && i < 3 * (int64_t)count; ++i)
		if (!lm_within(numbers[i], -1e12, 1e12))
			return lm_fail_element(error, i / 3, "%s: %g at %lld; it must be a number between -1e12 and 1e12", what,
			                       numbers[i], (long long)(i / 3));
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
	return lm_table_check(&lm_track_settings_table, s, error);
}
