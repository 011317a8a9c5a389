// descent.h: L-BFGS in the metric of a factorised second derivative (J. Nocedal, S. Wright, Numerical Optimization,
// 2006, algorithm 7.4 with H_0 the solve of the metric): the metric knows the stiff directions in space and time, the
// memory learns what has changed since it was factorised. With few unknowns it takes as many iterations as Newton's
// method, but factorises once in many of them; and it needs no mixed derivatives between bodies.
#ifndef LM_DESIGN_DESCENT_H
#define LM_DESIGN_DESCENT_H

#include "limber/base.h"

typedef struct lm_design_descent_problem
{
	void* context;
	int64_t n;
	double (*energy)(void* context, const double* x, double* gradient);
	bool (*refresh)(void* context, const double* x);                 // factorises the metric at x
	void (*apply)(void* context, const double* gradient, double* d); // d = metric^-1 gradient
	bool (*go_on)(void* context, double energy);                     // false: cancel; may be NULL
} lm_design_descent_problem;

typedef struct lm_design_descent_settings
{
	int32_t most_iterations;
	int32_t refresh;  // iterations that a metric is good for
	double tolerance; // ends when the energy expected to be gained is less than this of what there is
	double longest;   // step of any unknown; 0: as long as it wants
	bool ready;       // there is a metric that is still good
	double floor;     // energies are compared as if there were at least this much
} lm_design_descent_settings;

typedef struct lm_design_descent_report
{
	bool converged, cancelled;
	int32_t iterations, evaluations, refreshes;
	double start, energy;
} lm_design_descent_report;

#define LM_DESCENT_MEMORY 12

// What the last steps taught, LM_DESCENT_MEMORY x n numbers each.
typedef struct lm_design_descent_memory
{
	int count, first; // of pairs, the oldest at first
	double* s;        // steps
	double* y;        // changes of the gradient
	double rho[LM_DESCENT_MEMORY];
} lm_design_descent_memory;

// d = H g by the two loops; q is scratch. x - d is where to go.
void lm_design_descent_direction(const lm_design_descent_problem* problem, const lm_design_descent_memory* memory,
                                 const double* g, double* q, double* d);
// Keeps the step x -> x - step d, from gradient g to next, when the energy curves upwards along it.
void lm_design_descent_remember(lm_design_descent_memory* memory, int64_t n, double step, const double* d,
                                const double* g, const double* next);

static inline int64_t lm_design_descent_work(int64_t n)
{
	return (2 * LM_DESCENT_MEMORY + 5) * n;
}

// Improves x; the energy never rises and x is always finite.
lm_design_descent_report lm_design_descent_solve(const lm_design_descent_problem* problem,
                                                 const lm_design_descent_settings* settings, double* x, double* work);

// a.b, in four sums.
double lm_design_descent_dot(int64_t n, const double* a, const double* b);

#endif
