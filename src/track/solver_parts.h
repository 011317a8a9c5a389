// solver_parts.h: the inside of lm_track_solver, shared by the files that evaluate, assemble and iterate.
#ifndef LM_TRACK_SOLVER_PARTS_H
#define LM_TRACK_SOLVER_PARTS_H

#include "track/solver.h"

// Friction of a pair, frozen for the step (lagged): the normal force F and the tangents at the start of the step. The
// part of the pair's motion across w is u = T^T sum c_i (x_i - x_i at the start), its energy mu F (sqrt(|u|^2 + eps^2)
// - eps).
typedef struct lm_track_friction_pair
{
	lm_barrier_kind kind;
	int32_t v[4]; // as the pair's
	double c[4];
	double T[2][3];
	double force; // mu F
} lm_track_friction_pair;

typedef struct lm_track_lean lm_track_lean; // lean.h

struct lm_track_solver
{
	lm_host host;
	int32_t n, obstacles, rows;

	// the matrix [H C^T; C -D]: vertices first, then rows, three unknowns each
	lm_pattern* pattern;
	lm_cholesky* ldl;
	int64_t first_pair, first_coupling, first_row; // elements
	lm_close_pair* pattern_pairs; // sorted: the pairs that the pattern has room for, those that have friction too
	int32_t pattern_pair_count;
	int64_t pattern_capacity; // of locals and values
	double *locals, *values;

	lm_track_friction_pair* friction_pairs;
	int32_t friction_count, friction_capacity;
	double* pair_locals;
	int64_t pair_capacity;

	double *start, *trial, *displacement;          // [3 (n + obstacles)]
	double* gradient;                              // the same
	double *c, *c_trial;                           // [3 rows]
	double *right, *solution, *residual, *product; // [3 (n + rows)]
	double* D;                                     // [9 rows] blocks of the matrix
	bool* loose;                                   // [rows] constraints that give way
	int8_t* loosened;                              // [rows] how often in this step
	lm_track_lean* lean;                           // NULL until it is needed
};

// A step while it is computed.
typedef struct lm_track_run
{
	lm_track_solver* s;
	const lm_track_problem* p;
	const lm_track_limits* limits;
	double* x;
	double search_reach; // how near pairs are searched for, m
	double* q;           // multipliers
	bool relaxed;        // second phase: constraints may give way
	double tau;          // shift to begin with, from what the last iteration needed
	bool shifted;
	double mu; // of the merit
	int short_steps;
	double before; // move of the last iteration, if it was a whole Newton step
	double energy; // at x, where it is known
	bool energy_known;
	double way;     // sum of the fractions that were taken
	bool whole;     // the last iteration factorised, and all of its direction was taken (lean steps)
	bool clamped;   // the matrix has clamped elements (lean steps)
	int given;      // times that regions gave way (lean steps)
	bool carry_now; // obstacles that cloth is in the way of carry it along in this iteration
	lm_track_solve_report report;
	lm_error* error;
} lm_track_run;

// solver_rows.c
void lm_track_measure_rows(const lm_track_run* r, const double* x, double* c); // c = C x - b, 0 where a row is off
double lm_track_row_merit(const lm_track_run* r, const double* c);
double lm_track_row_slope(const lm_track_run* r); // of that merit along s->solution, at s->c
void lm_track_set_row_blocks(lm_track_run* r);    // s->D
void lm_track_set_right(lm_track_run* r);         // s->right
void lm_track_update_multipliers(lm_track_run* r, double fraction);
void lm_track_update_mu(lm_track_run* r);
bool lm_track_rows_too_strong(const lm_track_run* r); // one that is held pulls more than it may
bool lm_track_exceeds_bound(const lm_track_run* r);   // likewise, and it never shall
void lm_track_give_way(lm_track_run* r);
// One by one (lean steps). Constraints give way that did at the start of the step; that pull more than they may; that
// touch something (how many). Those that pull with less than they may are held again.
void lm_track_loosen_missed(lm_track_run* r);
void lm_track_loosen_strong(lm_track_run* r);
int32_t lm_track_loosen_touching(lm_track_run* r);
void lm_track_hold_again(lm_track_run* r);
bool lm_track_rows_missed(lm_track_run* r, double limit); // one is farther away, although it could pull more

// solver_obstacles.c
void lm_track_set_obstacle_displacement(lm_track_run* r); // s->displacement: what is left of it
// Obstacles move towards their targets, as far as they do not come too near to the cloth, which stands still.
lm_status lm_track_push_obstacles(lm_track_run* r);
// At the end of a step, where not all have arrived: each by itself, so that one without room does not hold back others.
lm_status lm_track_push_each(lm_track_run* r);
// All of them, with the cloth moving along, s->solution being its direction for obstacles that arrive. Returns the
// fraction of the way that was taken.
lm_status lm_track_carry(lm_track_run* r, double* taken);
// s->right -= H_co d: what obstacles that go all the way d push the cloth with.
void lm_track_add_carrying(lm_track_run* r);

// solver.c
lm_status lm_track_begin_run(lm_track_run* r);   // obstacles, pairs and friction at the start
lm_status lm_track_go_on(const lm_track_run* r); // LM_CANCELLED when the host wants so
void lm_track_finish_report(lm_track_run* r);

// solver_step.c
double lm_track_longest_move(const lm_track_run* r, const double* displacement); // of a vertex of the cloth
// Close pairs at x.
lm_status lm_track_find_pairs(lm_track_run* r, const double* x);
// The longest fraction of s->displacement that contact allows, up to longest.
lm_status lm_track_limit_step(lm_track_run* r, double longest, const lm_ccd_settings* settings, double* fraction);
// s->solution as a displacement of all vertices, limited to the longest move, and the fraction that contact allows.
lm_status lm_track_cut_displacement(lm_track_run* r, double* fraction);
// Backtracks from the fraction `first` of s->displacement. *taken is 0 when nothing is better than staying.
lm_status lm_track_search_line(lm_track_run* r, double first, double* taken);

// solver_energy.c
double lm_track_energy(const lm_track_solver* s, const lm_track_problem* p, const double* x, int threads);
// s->gradient of inertia and friction.
void lm_track_start_gradient(lm_track_solver* s, const lm_track_problem* p, const double* x);
// Friction of the pairs that the clearance has found at x, where the step starts.
lm_status lm_track_find_friction_pairs(lm_track_solver* s, const lm_track_problem* p, const double* x, lm_error* error);
// Its gradient at its four vertices.
void lm_track_friction_slope(const lm_track_friction_pair* friction, const double* x, const double* start, double slack,
                             double slope[12]);
// P of its Hessian c_i c_j P.
void lm_track_friction_block(const lm_track_friction_pair* friction, const double* x, const double* start, double slack,
                             double P[3][3]);
// Added to H.
void lm_track_friction_hessian(const lm_track_friction_pair* friction, const double* x, const double* start,
                               double slack, double H[144]);

// solver_matrix.c
// Pairs this much farther away than the barrier reaches get room in the pattern, so that it lasts.
#define LM_TRACK_MARGIN 1.3
// Makes the pattern anew when it has no room for a pair that the clearance has found.
lm_status lm_track_fit_pattern(lm_track_solver* s, const lm_track_problem* p, const double* x, int threads,
                               int* analyses, lm_error* error);
void lm_track_release_pattern(lm_track_solver* s);
// Of elements, pairs and rows; where the elements of pairs, couplings and rows begin is in s.
lm_status lm_track_make_pattern(lm_track_solver* s, const lm_track_problem* p, const lm_close_pair* pairs,
                                int32_t pair_count, lm_cholesky_kind kind, lm_pattern** pattern, lm_cholesky** ldl,
                                lm_error* error);
// The matrix, and s->gradient.
lm_status lm_track_assemble(lm_track_solver* s, const lm_track_problem* p, const double* x, int threads,
                            lm_error* error);
// Factorises with tau M / h^2 added to H. True when the inertia is that of a minimum.
bool lm_track_factorize(lm_track_solver* s, const lm_track_problem* p, double tau);
// Solves for s->right into s->solution, refined against the matrix with D scaled by `exactly` (0: hard constraints).
bool lm_track_refined_solve(lm_track_solver* s, double exactly);

// Elasticity and, where there is any, damping, whose strain is the strain of the step. Returns how many.
static inline int lm_track_laws(const lm_track_part* part, double h, lm_cloth_law laws[2])
{
	laws[0] = (lm_cloth_law){ part->cloth, part->material };
	if (part->damper == NULL)
		return 1;
	laws[1] = (lm_cloth_law){ part->damper, part->material };
	laws[1].material.stretch *= part->damping / h, laws[1].material.bend *= part->damping / h;
	laws[1].material.strain_limit = 0;
	return 2;
}

static inline bool lm_track_row_is_on(const lm_track_problem* p, int32_t row)
{
	return p->strength[row] > 0;
}

#endif
