// newton.h: Newton's method with safeguards, over callbacks: minimises a function of n variables, or finds a root.
//
// Minimising (value given): directions d = -(H + shift I)^-1 g; the shift is zero where H is positive definite, and
// grows until the factorisation succeeds and d is a descent direction. Steps fulfil Armijo's condition. Where the
// decrease is below the rounding of the value, a step is accepted if it halves the gradient, so that tight tolerances
// are met.
//
// Root finding (value NULL): the same with the residual for g and its Jacobian for H; the merit is |g|, the shift comes
// in only when the Jacobian is singular or its line search fails.
//
// x only ever moves to points where everything is finite and the merit is lower: it is never worse than at the start,
// and never NaN. Callbacks may return what is not finite anywhere but at the start.
#ifndef LM_SOLVE_NEWTON_H
#define LM_SOLVE_NEWTON_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lm_newton_problem
{
	void* context;
	int64_t n;
	double (*value)(void* context, const double* x); // NULL to find a root of gradient
	void (*gradient)(void* context, const double* x, double* g);
	// Prepares solves with H(x) + shift I. False when it is singular or, minimising, not positive definite. An H that
	// the callback makes positive definite by itself is allowed, too: then it ignores the shift.
	bool (*factorize)(void* context, const double* x, double shift);
	// d = (H + shift I)^-1 g. False when it cannot.
	bool (*solve)(void* context, const double* g, double* d);
	// What is compared with the tolerance; NULL: the largest number of g.
	double (*norm)(void* context, const double* g);
	// The longest step in [0, 1] that may be tried from x along d (no element inverts, say); NULL: 1.
	double (*longest)(void* context, const double* x, const double* d);
} lm_newton_problem;

typedef struct lm_newton_settings
{
	double tolerance;    // converged when norm(g) is not above; default 1e-8
	int most_iterations; // default 50
	double first_shift;  // the first shift that is tried; about 1e-4 of H's diagonal is good; default 1e-3
	double most_shift;   // stalls beyond; default 1e12
	double longest_step; // no variable moves further in one iteration; default infinite
	double noise;        // rounding of the value, relative to its size; default 1e-12
} lm_newton_settings;

lm_newton_settings lm_newton_settings_default(void);

typedef enum lm_newton_outcome
{
	LM_NEWTON_CONVERGED,
	LM_NEWTON_STALLED,  // no step improves any more: often the limit of rounding
	LM_NEWTON_BUDGET,   // most_iterations are used up
	LM_NEWTON_BAD_START // value or gradient is not finite at the start; x is as it was
} lm_newton_outcome;

typedef struct lm_newton_report
{
	lm_newton_outcome outcome;
	int iterations;     // steps taken
	int evaluations;    // of the merit, trial points included
	int factorizations; // failed ones included
	double residual;    // norm(g) at x
	double value;       // merit at x: the value, or |g|
	double shift;       // of the last step
} lm_newton_report;

// Improves x. work holds lm_newton_work(n) numbers.
lm_newton_report lm_newton_solve(const lm_newton_problem* problem, const lm_newton_settings* settings, double* x,
                                 double* work);

static inline int64_t lm_newton_work(int64_t n)
{
	return 4 * n;
}

#endif
