#include "solve/line_search.h"

#include <math.h>

lm_line_result lm_line_search(const lm_line* line, lm_line_fn* merit, void* context)
{
	int trials = 0;
	for (double step = line->first, next; step >= line->shortest && step > 0; step = next)
	{
		double value = merit(context, step);
		++trials;
		if (isfinite(value) && value <= line->value + line->armijo * step * line->slope)
			return (lm_line_result){ step, value, trials };
		// The lowest point of the parabola with the value and slope at 0 and the value at step.
		double bend = value - line->value - line->slope * step;
		next = isfinite(bend) && bend > 0 ? -0.5 * line->slope * step * (step / bend) : 0.1 * step;
		next = fmin(fmax(next, 0.1 * step), 0.5 * step);
	}
	return (lm_line_result){ 0, line->value, trials };
}
