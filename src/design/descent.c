// descent.c: see descent.h.
#include "design/descent.h"

#include <math.h>
#include <string.h>

double lm_design_descent_dot(int64_t n, const double* a, const double* b)
{
	double sum[4] = { 0 };
	int64_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (int k = 0; k < 4; ++k)
			sum[k] += a[i + k] * b[i + k];
	for (; i < n; ++i)
		sum[0] += a[i] * b[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add(int64_t n, double c, const double* a, double* b)
{
	for (int64_t i = 0; i < n; ++i)
		b[i] += c * a[i];
}

void lm_design_descent_direction(const lm_design_descent_problem* p, const lm_design_descent_memory* m, const double* g,
                                 double* q, double* d)
{
	double alpha[LM_DESCENT_MEMORY];
	memcpy(q, g, (size_t)p->n * sizeof *q);
	for (int k = m->count - 1; k >= 0; --k)
	{
		int at = (m->first + k) % LM_DESCENT_MEMORY;
		alpha[k] = m->rho[at] * lm_design_descent_dot(p->n, m->s + at * p->n, q);
		add(p->n, -alpha[k], m->y + at * p->n, q);
	}
	p->apply(p->context, q, d);
	for (int k = 0; k < m->count; ++k)
	{
		int at = (m->first + k) % LM_DESCENT_MEMORY;
		double beta = m->rho[at] * lm_design_descent_dot(p->n, m->y + at * p->n, d);
		add(p->n, alpha[k] - beta, m->s + at * p->n, d);
	}
}

void lm_design_descent_remember(lm_design_descent_memory* m, int64_t n, double step, const double* d, const double* g,
                                const double* next)
{
	int at = (m->first + m->count) % LM_DESCENT_MEMORY;
	double *s = m->s + at * n, *y = m->y + at * n;
	if (m->count == LM_DESCENT_MEMORY)
		m->first = (m->first + 1) % LM_DESCENT_MEMORY, m->count -= 1;
	for (int64_t i = 0; i < n; ++i)
		s[i] = -step * d[i], y[i] = next[i] - g[i];
	double sy = lm_design_descent_dot(n, s, y);
	if (!(sy > 1e-12 * sqrt(lm_design_descent_dot(n, s, s) * lm_design_descent_dot(n, y, y))))
		return;
	m->rho[at] = 1 / sy;
	m->count += 1;
}

// Armijo's condition by halving, with the parabola through what is known. Returns the step, or 0; `next` and *energy
// are those of the step.
static double line_search(const lm_design_descent_problem* p, const double* x, const double* d, double slope,
                          double longest, double* trial, double* next, double* energy, int32_t* evaluations)
{
	double most = 0, start = *energy;
	for (int64_t i = 0; i < p->n; ++i)
		most = fmax(most, fabs(d[i]));
	double step = longest > 0 && most > longest ? longest / most : 1;
	for (int round = 0; round < 30; ++round)
	{
		memcpy(trial, x, (size_t)p->n * sizeof *trial);
		add(p->n, -step, d, trial);
		double value = p->energy(p->context, trial, next);
		*evaluations += 1;
		if (isfinite(value) && value <= start - 1e-4 * step * slope)
		{
			*energy = value;
			return step;
		}
		double best = isfinite(value) ? slope * step * step / (2 * (value - start + slope * step)) : 0;
		step = fmax(0.1 * step, fmin(0.5 * step, best));
	}
	return 0;
}

lm_design_descent_report lm_design_descent_solve(const lm_design_descent_problem* p,
                                                 const lm_design_descent_settings* settings, double* x, double* work)
{
	int64_t n = p->n;
	lm_design_descent_memory m = { .s = work, .y = work + LM_DESCENT_MEMORY * n };
	double *g = work + 2 * LM_DESCENT_MEMORY * n, *next = g + n, *d = next + n, *q = d + n, *trial = q + n;
	lm_design_descent_report r = { 0 };
	double energy = r.start = p->energy(p->context, x, g);
	r.evaluations = 1;
	int32_t age = settings->ready ? 0 : settings->refresh;
	int small = 0;
	bool there = true; // the last evaluation was at x
	while (isfinite(energy) && r.iterations < settings->most_iterations && !r.converged)
	{
		bool fresh = age >= settings->refresh;
		if (fresh)
		{
			if (!p->refresh(p->context, x))
				break;
			m.count = 0, age = 0;
			r.refreshes += 1;
		}
		lm_design_descent_direction(p, &m, g, q, d);
		double slope = lm_design_descent_dot(n, g, d),
			   enough = settings->tolerance * fmax(fabs(energy), settings->floor);
		if (slope >= 0 && slope < enough)
		{
			r.converged = true;
			break;
		}
		double before = energy;
		double step =
			slope > 0 ? line_search(p, x, d, slope, settings->longest, trial, next, &energy, &r.evaluations) : 0;
		there = slope > 0 ? step > 0 : there;
		if (step == 0)
		{
			if (fresh)
				break; // the limit of rounding
			age = settings->refresh;
			continue;
		}
		lm_design_descent_remember(&m, n, step, d, g, next);
		memcpy(x, trial, (size_t)n * sizeof *x);
		memcpy(g, next, (size_t)n * sizeof *g);
		r.iterations += 1;
		age += 1;
		small = before - energy < 0.3 * enough ? small + 1 : 0;
		r.converged = small >= 3;
		if (p->go_on != NULL && !p->go_on(p->context, energy))
		{
			r.cancelled = true;
			break;
		}
	}
	r.energy = there ? energy : p->energy(p->context, x, g); // leaves the context at x
	return r;
}
