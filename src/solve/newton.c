#include "solve/newton.h"

#include "solve/line_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double armijo = 1e-4;

typedef struct newton
{
	const lm_newton_problem* problem;
	const lm_newton_settings* settings;
	lm_newton_report report;
	double* x;
	double *g, *d, *trial, *trial_g; // -d is the search direction
	double slope;                    // of the merit along -d
} newton;

lm_newton_settings lm_newton_settings_default(void)
{
	return (lm_newton_settings){ .tolerance = 1e-8,
		                         .most_iterations = 50,
		                         .first_shift = 1e-3,
		                         .most_shift = 1e12,
		                         .longest_step = INFINITY,
		                         .noise = 1e-12 };
}

static double largest(int64_t n, const double* a)
{
	double size = 0;
	for (int64_t i = 0; i < n; ++i)
		size = isnan(a[i]) ? INFINITY : fmax(size, fabs(a[i]));
	return size;
}

static double dot(int64_t n, const double* a, const double* b)
{
	double sum = 0;
	for (int64_t i = 0; i < n; ++i)
		sum += a[i] * b[i];
	return sum;
}

// |a|, without overflow of squares.
static double length(int64_t n, const double* a)
{
	double size = largest(n, a), sum = 0;
	if (size == 0 || !isfinite(size))
		return size;
	for (int64_t i = 0; i < n; ++i)
		sum += a[i] / size * (a[i] / size);
	return size * sqrt(sum);
}

// What is compared with the tolerance; infinite where g is not finite.
static double residual_of(const newton* s, const double* g)
{
	double size = largest(s->problem->n, g);
	if (!isfinite(size) || !s->problem->norm)
		return size;
	double norm = s->problem->norm(s->problem->context, g);
	return isfinite(norm) ? norm : INFINITY;
}

// The merit at x - step d, which is left in trial; for roots with the residual in trial_g.
static double merit_at(void* context, double step)
{
	newton* s = context;
	const lm_newton_problem* p = s->problem;
	for (int64_t i = 0; i < p->n; ++i)
		s->trial[i] = s->x[i] - step * s->d[i];
	++s->report.evaluations;
	if (p->value)
		return p->value(p->context, s->trial);
	p->gradient(p->context, s->trial, s->trial_g);
	return length(p->n, s->trial_g);
}

// With (H + shift) d = g: minimising, the slope along -d is -g.d. For |g| it is -g.H d / |g| = -(|g|^2 - shift g.d) /
// |g|.
static bool is_descent_direction(newton* s, double shift)
{
	int64_t n = s->problem->n;
	double size = length(n, s->d), length_g = length(n, s->g);
	if (!isfinite(size) || size == 0 || length_g == 0)
		return false;
	double along = dot(n, s->g, s->d);
	s->slope = s->problem->value ? -along : -(length_g - shift * (along / length_g));
	double least = s->problem->value ? 1e-14 * length_g * size : 1e-3 * length_g;
	return isfinite(s->slope) && -s->slope > least;
}

static bool direction_with(newton* s, double shift)
{
	const lm_newton_problem* p = s->problem;
	++s->report.factorizations;
	return p->factorize(p->context, s->x, shift) && p->solve(p->context, s->g, s->d) && is_descent_direction(s, shift);
}

static double next_shift(const newton* s, double shift)
{
	double last = s->report.shift, first = s->settings->first_shift;
	if (shift == 0)
		return fmax(first, last / 4);
	return shift * (last > 0 ? 4 : 16); // never needed one before: its size is not known yet
}

// The longest step to be tried.
static double first_step(const newton* s)
{
	const lm_newton_problem* p = s->problem;
	double step = 1, size = largest(p->n, s->d);
	if (p->longest)
		step = fmin(1, p->longest(p->context, s->x, s->d));
	return size * step > s->settings->longest_step ? s->settings->longest_step / size : step;
}

// Whether the trial point has a finite gradient, which is left in trial_g.
static bool gradient_is_finite(newton* s, double* residual)
{
	const lm_newton_problem* p = s->problem;
	if (p->value)
		p->gradient(p->context, s->trial, s->trial_g);
	*residual = residual_of(s, s->trial_g);
	return isfinite(*residual);
}

static void move_to_trial(newton* s, double value, double residual)
{
	size_t bytes = (size_t)s->problem->n * sizeof(double);
	memcpy(s->x, s->trial, bytes);
	memcpy(s->g, s->trial_g, bytes);
	s->report.value = value, s->report.residual = residual;
}

// Whether the predicted decrease is not above the rounding of the value.
static bool is_in_noise(const newton* s, double step)
{
	return s->problem->value && -s->slope * step <= 1e3 * s->settings->noise * fabs(s->report.value);
}

// Where the value is all rounding, a full step is accepted if it halves the gradient.
static bool step_in_noise(newton* s, double step)
{
	double value = merit_at(s, step), residual;
	if (!isfinite(value) || value > s->report.value + s->settings->noise * fabs(s->report.value) ||
	    !gradient_is_finite(s, &residual) || residual > 0.5 * s->report.residual)
		return false;
	move_to_trial(s, value, residual);
	return true;
}

static bool take_step(newton* s)
{
	double step = first_step(s);
	// Shorter steps are lost in rounding.
	double shortest = 0.1 * DBL_EPSILON * fmin(1, step);
	if (!(step > 0))
		return false;
	if (is_in_noise(s, step) && step_in_noise(s, step))
		return true;
	lm_line line = { s->report.value, s->slope, step, armijo, shortest };
	for (;;)
	{
		lm_line_result result = lm_line_search(&line, merit_at, s);
		double residual;
		// Without a decrease the loop might not end.
		if (result.step == 0 || !(result.value < s->report.value))
			return false;
		if (gradient_is_finite(s, &residual))
		{
			move_to_trial(s, result.value, residual);
			return true;
		}
		line.first = 0.25 * result.step;
	}
}

// One iteration: the smallest shift whose direction gives a lower point. Where the line search fails along a descent
// direction, rounding is the likely cause: only a few more shifts are tried.
static bool improve(newton* s)
{
	int failures = 0;
	for (double shift = 0; shift <= s->settings->most_shift && failures < 4; shift = next_shift(s, shift))
	{
		if (!direction_with(s, shift))
			continue;
		if (take_step(s))
		{
			s->report.shift = shift;
			return true;
		}
		failures += is_in_noise(s, 1) ? 4 : 1;
	}
	return false;
}

static lm_newton_report finish(newton* s, lm_newton_outcome outcome)
{
	s->report.outcome = outcome;
	return s->report;
}

lm_newton_report lm_newton_solve(const lm_newton_problem* problem, const lm_newton_settings* settings, double* x,
                                 double* work)
{
	int64_t n = problem->n;
	newton s = { .problem = problem, .settings = settings, .x = x };
	s.g = work, s.d = work + n, s.trial = work + 2 * n, s.trial_g = work + 3 * n;
	memset(s.d, 0, (size_t)n * sizeof(double));
	double value = merit_at(&s, 0), residual;
	if (!isfinite(largest(n, x)) || !isfinite(value) || !gradient_is_finite(&s, &residual))
	{
		s.report.residual = s.report.value = INFINITY;
		return finish(&s, LM_NEWTON_BAD_START);
	}
	move_to_trial(&s, value, residual);
	while (s.report.residual > settings->tolerance)
	{
		if (s.report.iterations == settings->most_iterations)
			return finish(&s, LM_NEWTON_BUDGET);
		if (!improve(&s))
			return finish(&s, LM_NEWTON_STALLED);
		++s.report.iterations;
	}
	return finish(&s, LM_NEWTON_CONVERGED);
}
