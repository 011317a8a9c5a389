// sparse.c: our factorisations against those of libraries, at the sizes and with the patterns of act (bodies of
// tetrahedra), track (cloth with hinges, and with regions whose averages are constrained) and design (frames, each
// coupled with two more). A row is the time for new numbers in a known pattern: factorise, and solve once. Finding the
// order is not in it, on neither side.
//
// The reference is CHOLMOD's supernodal factorisation or, in rows `-mumps` and where the matrix is indefinite, MUMPS,
// both on one thread with the BLAS that is installed (tools/setup --test takes OpenBLAS). Solutions must fulfil the
// equations, all of them.
#include "bench.h"

#include "design/band.h"
#include "sparse/cholesky.h"

#include <cholmod.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef LIMBER_MUMPS
#include <dmumps_c.h>
#endif

#define REPEATS 7

typedef enum matrix_kind
{
	BODY,  // nx x ny x nz cubes of six tetrahedra
	CLOTH, // nx x ny vertices, nz x nz regions
	MOTION // nx unknowns of a frame, ny frames
} matrix_kind;

typedef struct sparse_case
{
	matrix_kind kind;
	int nx, ny, nz;
	bool mumps; // the reference; it is MUMPS for CLOTH in any case
} sparse_case;

typedef struct matrix
{
	lm_pattern* pattern;
	double *values, *b, *x;
	int32_t late; // constraints begin here; 0: there are none
} matrix;

// Of all solvers.
typedef struct times
{
	double ours, other, residual;
} times;

// ---- matrices ----

static double random_of(uint64_t* seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(int64_t)*seed / 9.3e18;
}

// Local matrices of rank two, positive semidefinite, for the elements before `end`; then b.
static void fill_random(matrix* A, int64_t end, double* locals)
{
	const lm_pattern* p = A->pattern;
	uint64_t seed = 1;
	for (int64_t e = 0; e < end; ++e)
	{
		int64_t count = p->local_start[e + 1] - p->local_start[e], w = (int64_t)(sqrt((double)count) + 0.5);
		double *local = locals + p->local_start[e], *v = A->x;
		for (int k = 0; k < 2; ++k)
		{
			for (int64_t i = 0; i < w; ++i)
				v[i] = random_of(&seed);
			for (int64_t i = 0; i < w * w; ++i)
				local[i] += v[i / w] * v[i % w];
		}
	}
	for (int32_t i = 0; i < p->n; ++i)
		A->b[i] = random_of(&seed);
}

static bool make_matrix(matrix* A, int64_t n, const lm_element_list* lists, int list_count, int block,
                        const lm_host* host, lm_error* error)
{
	if (lm_pattern_create(n, true, lists, list_count, host, &A->pattern, error) != LM_OK)
		return false;
	A->pattern->block_size = block;
	A->values = calloc((size_t)A->pattern->entries, sizeof *A->values);
	A->b = calloc((size_t)n, sizeof *A->b), A->x = calloc((size_t)n, sizeof *A->x);
	double* locals = calloc((size_t)A->pattern->local_count, sizeof *locals);
	fill_random(A, lists[0].count, locals);
	lm_pattern_gather(A->pattern, locals, 1, A->values);
	free(locals);
	for (int32_t i = 0; i < (A->late ? A->late : n); ++i)
		A->values[A->pattern->diagonal[i]] += 1;
	return true;
}

static bool make_body(matrix* A, const sparse_case* c, const lm_host* host, lm_error* error)
{
	const int stride[3] = { 1, c->nx + 1, (c->nx + 1) * (c->ny + 1) };
	int tets = 6 * c->nx * c->ny * c->nz, vertices = stride[2] * (c->nz + 1);
	int32_t* index = malloc(sizeof *index * 4 * (size_t)tets);
	static const int walks[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
	for (int t = 0; t < tets; ++t)
	{
		int cube = t / 6;
		index[4 * t] = cube % c->nx + cube / c->nx % c->ny * stride[1] + cube / c->nx / c->ny * stride[2];
		for (int k = 0; k < 3; ++k)
			index[4 * t + k + 1] = index[4 * t + k] + stride[walks[t % 6][k]];
	}
	const lm_element_list list = { .count = tets, .index = index, .size = 4, .block = 3 };
	bool good = make_matrix(A, 3 * (int64_t)vertices, &list, 1, 3, host, error);
	free(index);
	return good;
}

// The hinges of a grid of triangles: an edge and what is opposite of it, in both triangles.
static int list_hinges(int nx, int ny, int32_t* index)
{
	static const int hinges[3][4][2] = { { { 0, 0 }, { 1, 1 }, { 1, 0 }, { 0, 1 } },
		                                 { { 1, 0 }, { 1, 1 }, { 0, 0 }, { 2, 1 } },
		                                 { { 0, 1 }, { 1, 1 }, { 0, 0 }, { 1, 2 } } };
	int count = 0;
	for (int i = 0; i < 3 * nx * ny; ++i)
	{
		int x = i / 3 % nx, y = i / 3 / nx;
		bool inside = true;
		for (int k = 0; k < 4; ++k)
			inside = inside && x + hinges[i % 3][k][0] < nx && y + hinges[i % 3][k][1] < ny;
		for (int k = 0; inside && k < 4; ++k)
			index[4 * count + k] = x + hinges[i % 3][k][0] + (y + hinges[i % 3][k][1]) * nx;
		count += inside;
	}
	return count;
}

// [H C^T; C -D], as src/track/solver_matrix.c has it.
static bool make_cloth(matrix* A, const sparse_case* c, const lm_host* host, lm_error* error)
{
	int vertices = c->nx * c->ny, regions = c->nz * c->nz;
	int32_t* hinges = malloc(sizeof *hinges * 12 * (size_t)vertices);
	int32_t* couplings = malloc(sizeof *couplings * 6 * (size_t)vertices);
	for (int i = 0; i < 3 * vertices; ++i)
	{
		int x = i / 3 % c->nx, y = i / 3 / c->nx, region = x * c->nz / c->nx + y * c->nz / c->ny * c->nz;
		couplings[2 * i] = 3 * (vertices + region) + i % 3, couplings[2 * i + 1] = i;
	}
	const lm_element_list lists[2] = {
		{ .count = list_hinges(c->nx, c->ny, hinges), .index = hinges, .size = 4, .block = 3 },
		{ .count = 3 * (int64_t)vertices, .index = couplings, .size = 2, .block = 1 }
	};
	A->late = 3 * vertices;
	bool good = make_matrix(A, 3 * (int64_t)(vertices + regions), lists, 2, 3, host, error);
	for (int i = 0; good && i < 3 * vertices; ++i)
		A->values[lm_pattern_find(A->pattern, couplings[2 * i + 1], couplings[2 * i])] = (double)regions / vertices;
	for (int32_t i = A->late; good && i < A->pattern->n; ++i)
		A->values[A->pattern->diagonal[i]] = -1e-6;
	free(hinges), free(couplings);
	return good;
}

static bool make_motion(matrix* A, const sparse_case* c, const lm_host* host, lm_error* error)
{
	int width = 3 * c->nx, count = c->ny - 2;
	int32_t* index = malloc(sizeof *index * (size_t)(width * count));
	for (int i = 0; i < width * count; ++i)
		index[i] = i / width * c->nx + i % width;
	const lm_element_list list = { .count = count, .index = index, .size = width, .block = 1 };
	bool good = make_matrix(A, (int64_t)c->nx * c->ny, &list, 1, 1, host, error);
	free(index);
	return good;
}

static bool make(matrix* A, const sparse_case* c, const lm_host* host, lm_error* error)
{
	return (c->kind == BODY ? make_body : c->kind == CLOTH ? make_cloth : make_motion)(A, c, host, error);
}

static void release(matrix* A)
{
	lm_pattern_destroy(A->pattern);
	free(A->values), free(A->b), free(A->x);
}

// |A x - b| over |b|, of the largest numbers.
static double residual_of(const matrix* A, const double* x)
{
	double *y = calloc((size_t)A->pattern->n, sizeof *y), most = 0, largest = 0;
	lm_pattern_multiply(A->pattern, A->values, x, y);
	for (int32_t i = 0; i < A->pattern->n; ++i)
		most = fmax(most, fabs(y[i] - A->b[i])), largest = fmax(largest, fabs(A->b[i]));
	free(y);
	return most / largest;
}

// ---- solvers ----

typedef struct solvers
{
	lm_cholesky* cholesky; // ours; of motions
	lm_design_band band;
	cholmod_common common;
	cholmod_factor* factor;
#ifdef LIMBER_MUMPS
	DMUMPS_STRUC_C mumps;
	int *row, *column;
#endif
} solvers;

static bool by_fronts(solvers* s, const matrix* A, double* x)
{
	return lm_cholesky_factorize(s->cholesky, A->values, 0).status == LM_FACTOR_OK &&
	       lm_cholesky_solve(s->cholesky, 1, A->b, x);
}

// Copying the numbers into the band, as design sums them there itself, is not measured.
static void fill_band(solvers* s, const matrix* A)
{
	lm_design_band* band = &s->band;
	lm_design_band_clear(band);
	for (int32_t j = 0; j < A->pattern->n; ++j)
		for (int32_t k = A->pattern->start[j]; k < A->pattern->start[j + 1]; ++k)
		{
			// column j of the upper triangle is row j of the lower one
			int32_t i = A->pattern->row[k], column = i / band->size, below = j / band->size - column;
			double* block = lm_design_band_block(band, column, below);
			block[j % band->size + i % band->size * band->stride] = A->values[k];
		}
}

static bool by_band(solvers* s, const matrix* A, double* x)
{
	bool good = lm_design_band_factorize(&s->band, 0);
	lm_design_band_solve(&s->band, A->b, x);
	return good;
}

static cholmod_sparse view_of(const matrix* A)
{
	size_t n = (size_t)A->pattern->n;
	return (cholmod_sparse){ .nrow = n,
		                     .ncol = n,
		                     .nzmax = (size_t)A->pattern->entries,
		                     .p = A->pattern->start,
		                     .i = A->pattern->row,
		                     .x = A->values,
		                     .stype = 1, // the upper triangle
		                     .itype = CHOLMOD_INT,
		                     .xtype = CHOLMOD_REAL,
		                     .dtype = CHOLMOD_DOUBLE,
		                     .sorted = 1,
		                     .packed = 1 };
}

static bool by_cholmod(solvers* s, const matrix* A, double* x)
{
	cholmod_sparse view = view_of(A);
	size_t n = (size_t)A->pattern->n;
	cholmod_dense b = { .nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = A->b, .xtype = CHOLMOD_REAL };
	if (!cholmod_factorize(&view, s->factor, &s->common) || s->factor->minor != n)
		return false;
	cholmod_dense* solution = cholmod_solve(CHOLMOD_A, s->factor, &b, &s->common);
	if (solution != NULL)
		memcpy(x, solution->x, n * sizeof *x);
	bool good = solution != NULL;
	cholmod_free_dense(&solution, &s->common);
	return good;
}

#ifdef LIMBER_MUMPS
#define USE_COMM_WORLD (-987654)

static bool mumps_job(solvers* s, int job)
{
	s->mumps.job = job;
	dmumps_c(&s->mumps);
	return s->mumps.infog[0] >= 0;
}

// Order and symbolic factorisation.
static bool mumps_begin(solvers* s, const matrix* A)
{
	const lm_pattern* p = A->pattern;
	s->row = malloc(sizeof *s->row * (size_t)p->entries), s->column = malloc(sizeof *s->column * (size_t)p->entries);
	for (int32_t j = 0; j < p->n; ++j)
		for (int32_t k = p->start[j]; k < p->start[j + 1]; ++k)
			s->row[k] = p->row[k] + 1, s->column[k] = j + 1;
	s->mumps.par = 1, s->mumps.sym = A->late ? 2 : 1, s->mumps.comm_fortran = USE_COMM_WORLD;
	if (!mumps_job(s, -1))
		return false;
	for (int i = 0; i < 4; ++i)
		s->mumps.icntl[i] = i < 3 ? -1 : 0; // prints nothing
	s->mumps.icntl[13] = 100;               // room for pivoting, in %
	s->mumps.n = p->n, s->mumps.nnz = p->entries;
	s->mumps.irn = s->row, s->mumps.jcn = s->column, s->mumps.a = A->values;
	return mumps_job(s, 1);
}

static bool by_mumps(solvers* s, const matrix* A, double* x)
{
	memcpy(x, A->b, sizeof *x * (size_t)A->pattern->n);
	s->mumps.rhs = x;
	return mumps_job(s, 2) && mumps_job(s, 3);
}

static void mumps_end(solvers* s)
{
	mumps_job(s, -2);
	free(s->row), free(s->column);
}
#endif

// ---- rows ----

typedef bool (*solver)(solvers* s, const matrix* A, double* x);

static bool try_solver(solver solve, solvers* s, const matrix* A, double* least, double* residual)
{
	double start = lm_clock_seconds();
	bool good = solve(s, A, A->x);
	*least = fmin(*least, lm_clock_seconds() - start);
	*residual = good ? fmax(*residual, residual_of(A, A->x)) : INFINITY;
	return good && *residual < 1e-6;
}

// Both in turn. Either may have to begin anew each time.
static bool measure(const sparse_case* c, solvers* s, const matrix* A, solver other, times* t)
{
	bool good = true;
	for (int k = 0; good && k < REPEATS; ++k)
	{
		if (c->kind == MOTION)
			fill_band(s, A);
		good = try_solver(c->kind == MOTION ? by_band : by_fronts, s, A, &t->ours, &t->residual);
		if (good && other != NULL)
			good = try_solver(other, s, A, &t->other, &t->residual);
	}
	return good;
}

// The other side, ready; *other NULL where there is none.
static bool begin_other(const sparse_case* c, solvers* s, const matrix* A, solver* other)
{
	*other = NULL;
	if (!c->mumps && c->kind != CLOTH)
	{
		cholmod_sparse view = view_of(A);
		s->common.supernodal = CHOLMOD_SUPERNODAL;
		s->factor = cholmod_analyze(&view, &s->common);
		*other = by_cholmod;
		return s->factor != NULL;
	}
#ifdef LIMBER_MUMPS
	*other = by_mumps;
	return mumps_begin(s, A);
#else
	return true;
#endif
}

static bool begin_ours(const sparse_case* c, solvers* s, const matrix* A, const lm_host* host, lm_error* error)
{
	if (c->kind == MOTION)
		return lm_design_band_resize(&s->band, host, c->nx, 2, c->ny);
	lm_cholesky_kind kind = c->kind == CLOTH ? LM_CHOLESKY_LDL : LM_CHOLESKY_LL;
	return lm_cholesky_create(A->pattern, kind, host, &s->cholesky, error) == LM_OK;
}

static void end(solvers* s, solver other)
{
#ifdef LIMBER_MUMPS
	if (other == by_mumps)
		mumps_end(s);
#endif
	(void)other;
	lm_cholesky_destroy(s->cholesky);
	lm_design_band_release(&s->band);
	cholmod_free_factor(&s->factor, &s->common);
	cholmod_finish(&s->common);
}

static bool run(const bench* b, bench_row* row, lm_error* error)
{
	static const char* const kinds[] = { [BODY] = "a body's matrix, positive definite",
		                                 [CLOTH] = "a cloth's with regions, a saddle point",
		                                 [MOTION] = "a motion's, in blocks, positive definite" };
	const sparse_case* c = b->data;
	lm_host host = lm_host_default();
	matrix A = { 0 };
	solvers s = { 0 };
	solver other = NULL;
	times t = { INFINITY, INFINITY, 0 };
	cholmod_start(&s.common);
	bool good = make(&A, c, &host, error) && begin_ours(c, &s, &A, &host, error) && begin_other(c, &s, &A, &other) &&
	            measure(c, &s, &A, other, &t);
	if (!good && error->message[0] == 0)
		snprintf(error->message, sizeof error->message, "a solver failed, or is off by %g", t.residual);
	if (good)
	{
		row->value = 1e3 * t.ours, row->unit = "ms to factorise and solve";
		if (other != NULL)
			row->reference = 1e3 * t.other, row->reference_name = other == by_cholmod ? "CHOLMOD" : "MUMPS";
		snprintf(row->size, sizeof row->size, "%d unknowns, %lld entries: %s; residual %.1e%s%s", A.pattern->n,
		         (long long)A.pattern->entries, kinds[c->kind], t.residual, other ? "; beside " : "",
		         other ? row->reference_name : "");
	}
	end(&s, other);
	release(&A);
	return good;
}

// clang-format off
#define ROW(name, ...) { name, run, &(const sparse_case){ __VA_ARGS__ } }
// clang-format on

const bench lm_bench_sparse[] = { ROW("sparse/act-450", BODY, 4, 5, 4, false),
	                              ROW("sparse/act-1k", BODY, 6, 6, 6, false),
	                              ROW("sparse/act-3k", BODY, 9, 9, 9, false),
	                              ROW("sparse/act-30k", BODY, 20, 21, 21, false),
	                              ROW("sparse/act-450-mumps", BODY, 4, 5, 4, true),
	                              ROW("sparse/act-1k-mumps", BODY, 6, 6, 6, true),
	                              ROW("sparse/act-3k-mumps", BODY, 9, 9, 9, true),
	                              ROW("sparse/act-30k-mumps", BODY, 20, 21, 21, true),
	                              ROW("sparse/track-1600", CLOTH, 40, 40, 6, false),
	                              ROW("sparse/track-10k", CLOTH, 100, 100, 10, false),
	                              ROW("sparse/design-dodge", MOTION, 138, 18, 0, false),
	                              ROW("sparse/design-dodge-mumps", MOTION, 138, 18, 0, true),
	                              { NULL, NULL, NULL } };
