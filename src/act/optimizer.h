// optimizer.h: the inside of the optimiser, shared by optimize*.c.
//
// In one step it minimises over p (Eq. 5), with y(p) the end of the step that the physics makes of the rest shape X(p),
//
//     f(p, y) = 1/2 |r(y)|^2 + R(p)   subject to   c(X(p), y) = 0,
//     r(y) = J y - t                  the goals (goals.h), J with a scaled row per goal,
//     R(p) = W_reg(X_0, X(p)) + w_p/2 |p|^2 + w_c/2 |p - p_n|^2   (regular.c).
//
// Letters as in Sec. 6: D = dc/dy, E = dc/dp = (d2W/dx dX) L, lambda the multiplier, S = dy/dp = -D^-1 E (the paper's
// -F), A = J S how goals change with p, K the reduced Hessian.
#ifndef LM_ACT_OPTIMIZER_H
#define LM_ACT_OPTIMIZER_H

#include "act/body.h"

// A point on the way.
typedef struct lm_act_point
{
	double* p;        // [m]
	double* X;        // [rest unknowns] X(p)
	double* y;        // [n]
	double* c;        // [n]
	double* r;        // [goals]
	double goals;     // |r|^2 / 2
	double regular;   // R(p)
	double violation; // |c|_1
	double smallest;  // of the rest shape's elements (rest.h)
} lm_act_point;

// What a step's time is spent on, where a profile is wanted: seconds since the optimiser was made.
typedef struct lm_act_spent
{
	double start;  // the physics of the start
	double model;  // factorising D, and the quadratic model
	double search; // trial points
	double close;  // the physics of what was found
} lm_act_spent;

// Products write columns in fours.
#define LM_ACT_STRIDE(m) (((int64_t)(m) + 3) / 4 * 4)

typedef struct lm_act_sparse lm_act_sparse; // optimize_sparse.c

struct lm_act_optimizer
{
	lm_host host;
	lm_act_spent spent;
	int32_t n, m, rest_n; // unknowns, parameters, rest unknowns
	int32_t goal_capacity;
	double *scale, *goal; // [goals] of the step: J and t
	double* p_n;          // [m] of the last step

	lm_act_point now, trial, start, best;

	// the model at `now`
	double* factors;       // of d2W/dx dX, from which E comes
	double* E;             // [n x m] row by row; only by parameters
	double* S;             // [n x m] dy/dp row by row; a few numbers more, which the product's fours touch
	double* Z;             // [goals x n] rows of J D^-1
	double* A;             // [goals x m] row by row
	double* lambda;        // [n]
	double* gradient;      // [m] reduced
	double* K;             // [m x m]
	double* exact;         // [m x m] of the exact Hessian, beside K of Gauss and Newton
	double* factor;        // [m x m]
	double* negative;      // [m x LM_ACT_STRIDE(m)] a product's negative
	lm_act_sparse* sparse; // full control of larger bodies: in place of E, S, K and all that has m^2 numbers; else NULL
	bool positive;         // K is known to be positive definite, and `factor` is its factor
	double* slope;         // [m] dR/dp
	double *dp, *dy;       // the step
	double* linear;        // [m] of the QP
	double gamma;          // of the merit
	bool plain;            // Gauss and Newton's Hessian, even if settings.exact
	bool by_parameters;    // S is there, and dy holds D^-1 c until the step is complete

	double* values;      // [entries of the rest pattern or of the pattern]
	double* rest_vector; // [rest unknowns]
	double* reduced;     // scratch: n x m, or what lm_act_rest_reduce wants
	double* other;       // [max(n, goals)]
	int32_t factorizations;
	// Whether there is a factorisation of D, and what the last y -= D^-1 c with it has made of |c|: small when D is
	// still nearly that of the present point.
	bool factorized, fresh; // fresh: at the present point
	double contraction;
};

static inline double lm_act_point_value(const lm_act_point* point)
{
	return point->goals + point->regular;
}

// ---- regularisers (regular.c)

double lm_act_regular_value(lm_act* body, const double* p, const double* X);
void lm_act_regular_gradient(lm_act* body, const double* p, const double* X, double* gradient);
// H += d2R/dp2. convex: every term of the elastic potential made positive semidefinite.
void lm_act_regular_add_hessian(lm_act* body, const double* X, bool convex, double* H);

// The elastic part of d2R/dX2, convex, in the pattern of the rest shape.
void lm_act_regular_values(lm_act* body, const double* X, double* values);

// ---- the model's step for full control (optimize_sparse.c)

#define LM_ACT_SPARSE_FROM 200 // parameters: fewer are as fast densely, and can have the exact Hessian
lm_status lm_act_sparse_create(lm_act* body, const lm_host* host, lm_act_sparse** result, lm_error* error);
void lm_act_sparse_destroy(lm_act_sparse* sparse, const lm_host* host);
bool lm_act_sparse_reserve(lm_act_sparse* sparse, const lm_host* host, int32_t goals, int32_t m);
// With A, `other` and the gradient of R there: completes the gradient and factorises. False: cannot be factorised.
bool lm_act_sparse_build(lm_act* body);
double lm_act_sparse_step(lm_act* body); // as lm_act_model_step

// ---- the model (optimize_model.c)

// c and all values of a point from its p, X and y; the second all but c, the third only the goals.
void lm_act_point_evaluate(lm_act* body, lm_act_point* point);
void lm_act_point_measure(lm_act* body, lm_act_point* point);
void lm_act_point_aim(lm_act* body, lm_act_point* point);

// Factorises D at a point; false when it is singular.
bool lm_act_model_factorize(lm_act* body, const lm_act_point* point);
// Fills in gradient and K at `now`, with the D of there or nearly so; false when D is singular.
bool lm_act_model_build(lm_act* body);
// The parameters' step dp by the model, within their range; returns the predicted decrease of f.
double lm_act_model_step(lm_act* body);

// What the physics of one point may take. What that does not bring about is refused or left to the forward solve that
// follows every step of control.
#define LM_ACT_TRIAL_ITERATIONS 20
#define LM_ACT_TRIAL_FACTORIZATIONS 40

// ---- the search (optimize_search.c)

// Moves `now` along (dp, dy) to a point with a lower merit; false when there is none, and `now` is as it was.
bool lm_act_search(lm_act* body);

// y -= D^-1 c with the last factorisation, as long as that shrinks c quickly; only y, c and the violation of the point
// change. Returns what is left of c relative to the weight.
double lm_act_polish(lm_act* body, lm_act_point* point, double tolerance);

#endif
