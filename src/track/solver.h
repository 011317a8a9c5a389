// solver.h: one implicit step of a cloth under averaged constraints and contact, as a minimisation:
//
//     E(x) = |x - y|^2_M / (2 h^2) + W(x) + damping + friction + kappa sum b(D)      subject to   c = C x - b = 0
//
// y = x_n + h v_n + h^2 a. The paper takes a single Newton step (Sec. 4.3), which gains energy when cloth is stiff;
// this goes on to the minimum, with exact Hessians, and nothing ever crosses: steps are cut by continuous collision
// detection.
//
// Hard constraints first: Newton's method on the saddle point, merit E + mu |c|_1. Where contact prevents that they are
// relaxed: E + sum w (sqrt(|c_i|^2 + d^2) - d), whose forces cannot exceed w (exact penalty: a
// constraint that can be met within w is met).
#ifndef LM_TRACK_SOLVER_H
#define LM_TRACK_SOLVER_H

#include "contact/clearance.h"
#include "sparse/cholesky.h"
#include "track/cloth.h"
#include "track/rows.h"

// A cloth among those that are solved for together: its vertices are `first` and those that follow.
typedef struct lm_track_part
{
	const lm_cloth* cloth;
	lm_cloth_material material;
	int32_t first;
	// Strain rates cost damping times the stiffness: (damping / h) W with x_n as rest state; 0: none.
	const lm_cloth* damper; // at rest at x_n, or NULL
	double damping;         // s
	int32_t first_row, row_count;
	bool bounded; // its rows never pull more strongly than they may, also where no contact is in the way
} lm_track_part;

// What is minimised. Vectors have three numbers per vertex. Vertices 0 .. n - 1 are the cloths'; those behind are
// obstacles.
typedef struct lm_track_problem
{
	int32_t part_count;
	const lm_track_part* parts;
	const double* masses;    // [n] kg
	double h;                // s
	const double* y;         // [3 n]
	const double* obstacles; // [3 obstacle_count] where obstacles are at the end of the step
	int32_t obstacle_count;
	const int32_t* obstacle_starts; // [bodies + 1] the first vertex of each body among them
	int32_t obstacle_bodies;

	lm_clearance* clearance; // NULL: no contact
	double reach;            // d, m
	double barrier;          // kappa, N / m

	double friction;         // Coulomb coefficient among everything that touches
	const double* frictions; // [n] instead, where cloths differ, or NULL; of two the geometric mean
	double slack;            // eps: m of sliding below which friction grows

	const lm_rows* C;       // or NULL
	const double* b;        // [3 rows]
	const double* b_start;  // [3 rows] at the start of the step: what is not met there gave way; NULL: nothing did
	bool bounded;           // one of the parts is
	const double* strength; // [rows] w: the largest force of a constraint, N; <= 0: it is switched off

	// The matrix may keep the pattern, and so the order of elimination, of the last solve where it has room: quicker,
	// but the last digits then depend on what was before.
	bool keep_pattern;
	bool in_double; // lean steps: factors are not in single precision, which has failed lately
} lm_track_problem;

typedef struct lm_track_limits
{
	double tolerance;    // metres: converged when a whole Newton step moves nothing further, or would
	double constraint;   // metres: a constraint is met when |c| is not above
	int most_iterations; // default 100
	double longest;      // metres: no vertex goes further in an iteration
	int threads;
} lm_track_limits;

typedef enum lm_track_outcome
{
	LM_TRACK_CONVERGED,
	LM_TRACK_STALLED, // no step improves any more
	LM_TRACK_BUDGET
} lm_track_outcome;

// How far constraints are from met.
typedef struct lm_track_row_report
{
	double residual;     // largest |c_i| over constraints that are on, metres
	double met_residual; // the same over those that did not give way
	int32_t gave_way;    // constraints that are on and not met
	double missed;       // sum of their |c_i|, metres
} lm_track_row_report;

typedef struct lm_track_solve_report
{
	lm_track_outcome outcome;
	int iterations, factorizations, analyses;
	bool failed;    // of a lean step: it has to be done again by lm_track_solve
	bool in_double; // likewise: factors were, at least of its last iterations
	bool relaxed;   // the second phase, with soft constraints, was entered
	lm_track_row_report rows;
	double obstacles_left; // share of the displacement of obstacles that is left, 0 when all arrived
	bool stalled;          // it ended without having gone any way worth mentioning
	double smallest_gap;
	int32_t pairs;
	double step; // the last Newton step's largest move, metres
} lm_track_solve_report;

typedef struct lm_track_solver lm_track_solver;

lm_status lm_track_solver_create(int32_t vertex_count, int32_t obstacle_count, int32_t rows, const lm_host* host,
                                 lm_track_solver** solver, lm_error* error);
void lm_track_solver_destroy(lm_track_solver* solver);

// x: [3 (n + obstacles)], where everything is: the cloth at the end of the last step, obstacles too; it is clear of
// contact and stays so, whatever happens. multipliers: [3 rows], kept from step to step. Fails only for want of memory,
// x then being clear, too.
lm_status lm_track_solve(lm_track_solver* solver, const lm_track_problem* problem, const lm_track_limits* limits,
                         double* x, double* multipliers, lm_track_solve_report* report, lm_error* error);

// The same at a small part of the price, to a tolerance that is just visible (lean.h). x and multipliers are as before
// when it failed.
lm_status lm_track_solve_lean(lm_track_solver* solver, const lm_track_problem* problem, const lm_track_limits* limits,
                              double* x, double* multipliers, lm_track_solve_report* report, lm_error* error);

// Of some of the rows, after a solve.
lm_track_row_report lm_track_report_rows(const lm_track_solver* solver, const lm_track_problem* problem, int32_t first,
                                         int32_t count, double limit);

#endif
