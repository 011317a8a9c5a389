// fronts.h: Cholesky factorisation by dense fronts (the multifrontal method: Duff and Reid 1983; Liu 1992).
//
// Columns that are eliminated one after another and have (nearly) the same rows form a front of k columns and m further
// rows. Its dense panel, (k + m) x k, sums the matrix entries and the updates of its children (extend-add), is
// factorised, and passes an m x m update to its parent in the elimination tree:
//
//     panel = [A11; A21] + children,   L11 L11^T = A11,   L21 = A21 L11^-T,   update = children - L21 L21^T
//
// Updates lie on two stacks, fronts and their children on different ones, so that a front can write its own while its
// children's are still there and none has to be moved.
//
// Subtrees are tasks for several threads, each of which has stacks of its own; above them, in the top, threads work
// together on one front after the other, each on some of its columns or rows (fronts_tasks.c). What is done, and in
// which order numbers are added, does not depend on the number of threads.
//
// Signed fronts make L J L^T with J = diag(+-1) instead, without pivoting: that exists for every quasi-definite matrix
// (positive definite in some unknowns, negative definite in the others), whatever the order, and for nearly every
// other.
//
// All the arithmetic is in products of dense blocks. Panels lie column by column, update matrices too; of both only the
// lower triangle means something.
#ifndef LM_SPARSE_FRONTS_H
#define LM_SPARSE_FRONTS_H

#include "sparse/factor.h"
#include "sparse/kernel.h"
#include "sparse/pattern.h"

#define LM_FRONTS_WIDTH 32 // most right sides that are solved for together

// How the fronts of a task went.
typedef struct lm_front_outcome
{
	int32_t front;            // that could not be eliminated, or -1
	int64_t column;           // of it; -1: it cannot be part of the saddle point that is expected
	double smallest, largest; // pivots
} lm_front_outcome;

// Kinds of work that threads share; of `count` tasks each.
typedef enum lm_front_work
{
	LM_FRONT_TASKS,      // all below the top
	LM_FRONT_ALL,        // fronts `front` .. `end` - 1 of the sequence, one after the other
	LM_FRONT_CLEAR,      // columns of a panel
	LM_FRONT_ENTER,      // the matrix
	LM_FRONT_EXTEND_ADD, // from children, into columns of a panel
	LM_FRONT_BLOCK,      // a wide block, its strips and what is right of it
	LM_FRONT_STRIPS,
	LM_FRONT_PARTS,
	LM_FRONT_UPDATE, // columns of the update
	LM_FRONT_CHECK,  // whether it can be part of a saddle point
	LM_FRONT_DOWN,   // L21 of a wide front, in solves
	LM_FRONT_UP
} lm_front_work;

typedef struct lm_front_step
{
	lm_front_work what;
	int32_t front, end; // end: of the sequence, or where a block begins
} lm_front_step;

typedef struct lm_front_plan
{
	int64_t steps, capacity;
	lm_front_step* step;
	int64_t* first; // [steps + 1] first task of each
} lm_front_plan;

typedef struct lm_fronts
{
	lm_host host;
	const lm_pattern* pattern;
	const lm_sparse_kernels* kernels;
	int32_t n, count;
	int32_t* order;           // [n] the unknown that is eliminated k-th
	int32_t* first;           // [count + 1] first column of each front
	int32_t* parent;          // [count] or -1
	int32_t *child, *sibling; // [count] the last child of each front, and the child before each, or -1
	int64_t* row_start;       // [count + 1] into rows
	int32_t* rows;            // further rows of each front, ascending
	int32_t* relative;        // beside rows: the row's place in the parent's front
	int32_t* run;             // beside rows: how many rows from this one on lie side by side there
	int64_t* panel;           // [count + 1] into L
	int32_t* entry_start;     // [count + 1] entries of the pattern that each front takes in,
	int32_t* entry;           // [entries of the pattern] one front after another,
	int64_t* target;          // beside entry: and where in L they go

	bool is_signed;
	lm_real* sign; // [n] diagonal of J, in the order of elimination; signed only

	int32_t first_negative; // of the saddle point that is expected (fronts_saddle.c)
	int32_t* constraints;   // [count] how many a front and those below it eliminate; NULL: none is expected
	int32_t* negative;      // [count] and how many negative pivots they have
	int32_t* later;         // [most rows] for each thread

	double worth_sharing;  // operations of a front of the top from which on threads share it, and numbers of L21 from
	int64_t wide;          // which on they do in solves; tests lower them
	int64_t worth_solving; // numbers of L times right sides from which on several threads solve
	lm_front_plan plan, plan_down, plan_up;
	int64_t workers; // threads that may take a task: as many as may take part in a plan
	int32_t tasks;
	int32_t* task;              // [count] that a front belongs to; `tasks`: the top
	int32_t* sequence;          // [count] fronts by tasks, the top last
	int32_t* task_start;        // [tasks + 2] into sequence
	int32_t* touch_start;       // [tasks + 1] into touch
	int32_t* touch;             // columns of the top that a task adds to on the way down,
	int32_t* down;              // beside rows: the place in X that is added to, from n on that of a touch
	lm_front_outcome* outcomes; // [tasks + 1]

	lm_real* L;
	int64_t* update;   // [n] where each front's update begins: on the stacks of the thread that it is private to, or
	lm_real* shared;   // on those for the top and for what tasks hand to it
	lm_real* private_; // those of each thread
	int64_t shared_room, private_room;
	lm_real* X; // [(n + touches) * width] right sides in the order of elimination, interleaved
	lm_real* T; // [most rows * width] for each thread
	int64_t T_room, most_rows;
	bool (*is_saddle)(const struct lm_fronts* fronts, int32_t s, const lm_real* update, int worker); // see below
} lm_fronts;

// order is a postorder of the elimination tree, counts[k] the entries of column k of the factor: as CHOLMOD's analysis
// gives them. LM_UNSUPPORTED when order is not a postorder or sizes overflow.
lm_status lm_fronts_create(const lm_pattern* pattern, const int32_t* order, const int32_t* counts, bool is_signed,
                           const lm_host* host, lm_fronts** fronts);
void lm_fronts_destroy(lm_fronts* fronts);

// Not signed: LM_FACTOR_NOT_POSITIVE where a pivot is not; signed: LM_FACTOR_SINGULAR where one is zero.
lm_factor_report lm_fronts_factorize(lm_fronts* fronts, const double* values, double shift);

// Signed fronts: the matrix should have as many negative eigenvalues as there are unknowns from first_negative on. When
// it has more, factorisations stop early, with LM_FACTOR_NO_SADDLE.
#ifndef LM_SINGLE
lm_status lm_fronts_expect_saddle(lm_fronts* fronts, int32_t first_negative);
// While factorising it counts the negative pivots of front s (fronts->is_saddle), and says false if they are too many.
// update: passed to its parent.
#endif

void lm_fronts_solve(lm_fronts* fronts, int64_t count, const double* B, double* X);
// Numbers of the factor, and tasks.
void lm_fronts_get_info(const lm_fronts* fronts, int64_t* entries, int32_t* tasks);

// Of the tree (fronts_tree.c): parents of columns, and columns joined to fronts; returns the number of fronts.
void lm_fronts_column_parents(int32_t n, const int32_t* start, const int32_t* above, int32_t* parent,
                              int32_t* ancestor);
int32_t lm_fronts_join(int32_t n, const int32_t* parent, const int32_t* counts, int32_t* first, int64_t* entries);

#define LM_FRONTS_BLOCK 64   // columns of a wide block
#define LM_FRONTS_COLUMNS 96 // columns of a panel or update that one thread works on at a time
#define LM_FRONTS_ROWS 256   // rows of L21 that one thread works on at a time in solves,
#define LM_FRONTS_SOME 16    // and columns, on the way up

// Of one front (fronts_panel.c), block by block: the block's square, which returns the column whose pivot is not as it
// should be, or the block's end; strips of rows below it; and parts of the columns right of it. Then columns first ..
// end - 1 of the update that the panel makes.
int64_t lm_front_finish_block(const lm_fronts* f, int32_t s, int64_t first_column);
int64_t lm_front_strips(const lm_fronts* f, int32_t s, int64_t first_column);
void lm_front_finish_strip(const lm_fronts* f, int32_t s, int64_t first_column, int64_t strip);
int64_t lm_front_parts(const lm_fronts* f, int32_t s, int64_t first_column);
void lm_front_take_from_part(const lm_fronts* f, int32_t s, int64_t first_column, int64_t part);
void lm_front_make_update(const lm_fronts* f, int32_t s, int64_t first, int64_t end, lm_real* update);

// The steps that threads take together (fronts_plan.c); false when there is no memory.
bool lm_fronts_plan(lm_fronts* f);

// Of tasks (fronts_tasks.c), while building; false when there is no memory. mark, place and stack_index have n numbers.
bool lm_fronts_cut(lm_fronts* f);
bool lm_fronts_list_touches(lm_fronts* f, const int32_t* front_of, int32_t* mark, int32_t* place);
void lm_fronts_place_updates(lm_fronts* f, int32_t* stack_index);

static inline int64_t lm_front_columns(const lm_fronts* f, int32_t s)
{
	return f->first[s + 1] - f->first[s];
}

static inline int64_t lm_front_rows(const lm_fronts* f, int32_t s)
{
	return f->row_start[s + 1] - f->row_start[s];
}

// Whether a front's update is for its own task only.
static inline bool lm_front_is_private(const lm_fronts* f, int32_t s)
{
	return f->task[s] < f->tasks && f->parent[s] >= 0 && f->task[f->parent[s]] == f->task[s];
}

// Whether threads share a front of the top in solves.
static inline bool lm_front_is_wide(const lm_fronts* f, int32_t s)
{
	int64_t rows = lm_front_rows(f, s);
	return f->task[s] == f->tasks && rows > 0 && lm_front_columns(f, s) * rows >= f->wide;
}

// Room for a count of rows as kernels take them.
static inline int64_t lm_front_padded(int64_t rows)
{
	return (rows + LM_FRONTS_ROOM - 1) / LM_FRONTS_ROOM * LM_FRONTS_ROOM;
}

// Distance of a panel's columns.
static inline int64_t lm_front_stride(const lm_fronts* f, int32_t s)
{
	return lm_front_padded(lm_front_columns(f, s) + lm_front_rows(f, s));
}

#endif
