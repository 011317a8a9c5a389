#include "sparse/cholesky.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sparse/fronts.h"

#include <assert.h>
#include <math.h>
#if !LIMBER_GPL
#define NSUPERNODAL // declares nothing that is under the GPL
#define NMATRIXOPS
#define NMODIFY
#endif
#include <cholmod.h>

struct lm_cholesky
{
	lm_host host;
	const lm_pattern* pattern;
	lm_cholesky_kind kind;
	bool factorized;
	lm_fronts* fronts; // NULL: CHOLMOD factorises
	cholmod_common common;
	cholmod_factor* factor;         // NULL with fronts
	cholmod_dense *work_Y, *work_E; // of cholmod_solve2
};

static cholmod_sparse view_of(const lm_pattern* pattern, const double* values)
{
	return (cholmod_sparse){ .nrow = (size_t)pattern->n,
		                     .ncol = (size_t)pattern->n,
		                     .nzmax = (size_t)pattern->entries,
		                     .p = pattern->start,
		                     .i = pattern->row,
		                     .x = (void*)values, // read only
		                     .stype = 1,         // the upper triangle
		                     .itype = CHOLMOD_INT,
		                     .xtype = values ? CHOLMOD_REAL : CHOLMOD_PATTERN,
		                     .dtype = CHOLMOD_DOUBLE,
		                     .sorted = 1,
		                     .packed = 1 };
}

static void configure(cholmod_common* common, lm_cholesky_kind kind)
{
	cholmod_start(common);
	common->print = 0;
	common->error_handler = NULL;
	common->quick_return_if_not_posdef = true;
	common->final_asis = false;
	common->final_ll = kind != LM_CHOLESKY_SIMPLICIAL_LDL;
	common->final_super = true;
	common->final_pack = false; // keeps the layout, so that the next factorisation finds it
	common->final_monotonic = true;
	common->supernodal = kind == LM_CHOLESKY_SUPERNODAL && LIMBER_GPL ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
}

// The graph of groups of unknowns that keep together: the upper triangle without its diagonal.
static cholmod_sparse* make_group_graph(const lm_pattern* A, cholmod_common* common)
{
	int32_t d = A->together, n = A->n / d;
	size_t room = (size_t)n;
	cholmod_sparse* graph = cholmod_allocate_sparse(room, room, (size_t)A->entries, 0, 1, 1, CHOLMOD_PATTERN, common);
	int* last = cholmod_calloc(room, sizeof *last, common); // group + 1 that last had an entry in a row
	for (int32_t j = 0, at = 0; graph && last && j < n; ++j)
	{
		int *start = graph->p, *row = graph->i;
		for (int32_t k = A->start[j * d]; k < A->start[j * d + d]; ++k)
		{
			int32_t i = A->row[k] / d;
			if (i != j && last[i] != j + 1)
				row[at++] = i, last[i] = j + 1;
		}
		start[j + 1] = at;
	}
	if (!last)
		cholmod_free_sparse(&graph, common);
	cholmod_free(room, sizeof *last, last, common);
	return graph;
}

// Minimum degree and, where that leaves much to do, nested dissection, if it is better: what CHOLMOD does of its own
// accord, but by the operations and entries of unknowns.
static cholmod_factor* order_groups(cholmod_sparse* graph, double unknowns, cholmod_common* common)
{
	common->nmethods = 1, common->method[0].ordering = CHOLMOD_AMD;
	cholmod_factor* order = cholmod_analyze(graph, common);
	double operations = common->fl, entries = common->lnz;
	if (!order || unknowns * operations < 500 * entries || entries < 5 * common->anz)
		return order;
	common->method[0].ordering = CHOLMOD_METIS;
	cholmod_factor* dissection = cholmod_analyze(graph, common);
	cholmod_factor** worse = dissection && common->fl < operations ? &order : &dissection;
	cholmod_factor* better = worse == &order ? dissection : order;
	cholmod_free_factor(worse, common);
	return better;
}

// An order for groups is found faster than one for unknowns, and is better where not all unknowns of a group have the
// same neighbours: constraints couple x with x, y with y, z with z.
static cholmod_factor* analyze_groups(const lm_pattern* pattern, cholmod_sparse* A, cholmod_common* common)
{
	int32_t d = pattern->together;
	cholmod_sparse* graph = make_group_graph(pattern, common);
	cholmod_factor* groups = graph ? order_groups(graph, d, common) : NULL;
	int* order = groups ? cholmod_malloc((size_t)pattern->n, sizeof *order, common) : NULL;
	for (int32_t k = 0; order && k < pattern->n; ++k)
		order[k] = ((const int*)groups->Perm)[k / d] * d + k % d;
	common->nmethods = 1, common->method[0].ordering = CHOLMOD_GIVEN;
	cholmod_factor* factor = order ? cholmod_analyze_p(A, order, NULL, 0, common) : NULL;
	cholmod_free((size_t)pattern->n, sizeof *order, order, common);
	cholmod_free_factor(&groups, common), cholmod_free_sparse(&graph, common);
	return factor;
}

// Analyses for the given kind. What CHOLMOD found is all that fronts need of it.
static lm_status analyze(lm_cholesky* c, lm_cholesky_kind kind)
{
	c->kind = kind;
	configure(&c->common, kind);
	cholmod_sparse A = view_of(c->pattern, NULL);
	c->factor = c->pattern->together > 1 ? analyze_groups(c->pattern, &A, &c->common) : cholmod_analyze(&A, &c->common);
	if (!c->factor)
		return c->common.status == CHOLMOD_TOO_LARGE ? LM_BAD_INPUT : LM_NO_MEMORY;
	bool is_signed = kind == LM_CHOLESKY_LDL;
	if (kind != LM_CHOLESKY_FRONTS && !is_signed)
		return LM_OK;
	lm_status status =
		lm_fronts_create(c->pattern, c->factor->Perm, c->factor->ColCount, is_signed, &c->host, &c->fronts);
	cholmod_free_factor(&c->factor, &c->common);
	if (status != LM_UNSUPPORTED)
		return status;
	cholmod_finish(&c->common);
	return analyze(c, is_signed ? LM_CHOLESKY_SIMPLICIAL_LDL : LM_CHOLESKY_SIMPLICIAL);
}

lm_status lm_cholesky_create(const lm_pattern* pattern, lm_cholesky_kind kind, const lm_host* host,
                             lm_cholesky** cholesky, lm_error* error)
{
	assert(pattern->symmetric);
	lm_cholesky* c = LM_NEW(host, 1, lm_cholesky);
	if (!c)
		return lm_fail_memory(error);
	c->host = *host, c->pattern = pattern;
	lm_status status = analyze(c, kind == LM_CHOLESKY_AUTO ? LM_CHOLESKY_FRONTS : kind);
	if (status == LM_OK)
	{
		*cholesky = c;
		return LM_OK;
	}
	lm_cholesky_destroy(c);
	if (status == LM_NO_MEMORY)
		return lm_fail_memory(error);
	return lm_fail(error, LM_BAD_INPUT, "the factor of a matrix with %d unknowns is too large: use a coarser mesh",
	               pattern->n);
}

void lm_cholesky_destroy(lm_cholesky* cholesky)
{
	if (!cholesky)
		return;
	lm_fronts_destroy(cholesky->fronts);
	cholmod_free_factor(&cholesky->factor, &cholesky->common);
	cholmod_free_dense(&cholesky->work_Y, &cholesky->common);
	cholmod_free_dense(&cholesky->work_E, &cholesky->common);
	cholmod_finish(&cholesky->common);
	lm_host host = cholesky->host;
	lm_free(&host, cholesky);
}

lm_status lm_cholesky_expect_saddle(lm_cholesky* cholesky, int64_t first_negative)
{
	return cholesky->fronts ? lm_fronts_expect_saddle(cholesky->fronts, (int32_t)first_negative) : LM_OK;
}

// The first column with a number that is not finite, or -1.
static int64_t first_not_finite(const lm_pattern* pattern, const double* values)
{
	for (int32_t j = 0; j < pattern->n; ++j)
		for (int32_t k = pattern->start[j]; k < pattern->start[j + 1]; ++k)
			if (!isfinite(values[k]))
				return j;
	return -1;
}

// Pivots of L D L^T: the diagonal, first of each column. Returns a column with a pivot that is zero or not finite, or
// -1.
static int64_t inspect_ldl(const cholmod_factor* factor, lm_factor_report* report)
{
	const int *p = factor->p, *order = factor->Perm;
	const double* x = factor->x;
	double smallest = INFINITY, largest = 0;
	report->negative = 0;
	for (size_t k = 0; k < factor->n; ++k)
	{
		double d = x[p[k]];
		if (d == 0 || !isfinite(d))
			return order ? order[k] : (int64_t)k;
		report->negative += d < 0;
		smallest = fmin(smallest, fabs(d)), largest = fmax(largest, fabs(d));
	}
	report->rcond = largest > 0 ? smallest / largest : 1;
	return -1;
}

// An infinity or NaN always reaches a pivot: there is no need to look for it before something went wrong.
static lm_factor_report failed(const lm_cholesky* cholesky, const double* values, lm_factor_status status,
                               int64_t column)
{
	int64_t not_finite = first_not_finite(cholesky->pattern, values);
	if (not_finite >= 0)
		status = LM_FACTOR_NOT_FINITE, column = not_finite;
	return (lm_factor_report){ .status = status, .column = column };
}

static lm_factor_report factorize_cholmod(lm_cholesky* cholesky, const double* values, double shift)
{
	cholmod_factor* factor = cholesky->factor;
	cholmod_common* common = &cholesky->common;
	cholmod_sparse A = view_of(cholesky->pattern, values);
	double beta[2] = { shift, 0 };
	bool done = cholmod_factorize_p(&A, beta, NULL, 0, factor, common);
	int status = common->status; // right away: whatever is called next sets it anew
	if (!done || status < CHOLMOD_OK)
		return (lm_factor_report){ .status = LM_FACTOR_NO_MEMORY, .column = -1 };

	bool ldl = cholesky->kind == LM_CHOLESKY_SIMPLICIAL_LDL;
	lm_factor_report report = { .status = LM_FACTOR_OK, .column = -1 };
	if (factor->minor < factor->n)
	{
		int64_t column = factor->Perm ? ((const int*)factor->Perm)[factor->minor] : (int64_t)factor->minor;
		return failed(cholesky, values, ldl ? LM_FACTOR_SINGULAR : LM_FACTOR_NOT_POSITIVE, column);
	}
	if (ldl)
	{
		int64_t column = inspect_ldl(factor, &report);
		if (column >= 0)
			return failed(cholesky, values, LM_FACTOR_SINGULAR, column);
	}
	else
	{
		report.rcond = factor->n == 0 ? 1 : cholmod_rcond(factor, common);
		if (!(report.rcond > 0)) // overflow on the way, somewhere
			return failed(cholesky, values, LM_FACTOR_NOT_FINITE, -1);
	}
	cholesky->factorized = true;
	return report;
}

static lm_factor_report factorize_fronts(lm_cholesky* cholesky, const double* values, double shift)
{
	lm_factor_report report = lm_fronts_factorize(cholesky->fronts, values, shift);
	if (report.status == LM_FACTOR_OK && !(report.rcond > 0)) // overflow on the way, somewhere
		report.status = LM_FACTOR_NOT_FINITE;
	if (report.status == LM_FACTOR_NO_SADDLE)
		return report;
	if (report.status != LM_FACTOR_OK)
		return failed(cholesky, values, report.status, report.column);
	cholesky->factorized = true;
	return report;
}

lm_factor_report lm_cholesky_factorize(lm_cholesky* cholesky, const double* values, double shift)
{
	cholesky->factorized = false;
	if (!isfinite(shift))
		return failed(cholesky, values, LM_FACTOR_NOT_FINITE, -1);
	return (cholesky->fronts ? factorize_fronts : factorize_cholmod)(cholesky, values, shift);
}
static cholmod_dense columns_of(int64_t n, int64_t count, const double* x)
{
	return (cholmod_dense){ .nrow = (size_t)n,
		                    .ncol = (size_t)count,
		                    .nzmax = (size_t)(n * count),
		                    .d = (size_t)n,
		                    .x = (void*)x,
		                    .xtype = CHOLMOD_REAL,
		                    .dtype = CHOLMOD_DOUBLE };
}

bool lm_cholesky_solve(lm_cholesky* cholesky, int64_t count, const double* B, double* X)
{
	if (!cholesky->factorized)
		return false;
	if (count == 0 || cholesky->pattern->n == 0)
		return true;
	if (cholesky->fronts)
	{
		lm_fronts_solve(cholesky->fronts, count, B, X);
		return true;
	}
	// CHOLMOD writes into a result that is large enough where it lies: here, into the caller's array.
	cholmod_dense b = columns_of(cholesky->pattern->n, count, B), x = columns_of(cholesky->pattern->n, count, X);
	cholmod_dense* result = &x;
	bool solved = cholmod_solve2(CHOLMOD_A, cholesky->factor, &b, NULL, &result, NULL, &cholesky->work_Y,
	                             &cholesky->work_E, &cholesky->common);
	assert(result == &x);
	return solved;
}

int64_t lm_cholesky_size(const lm_cholesky* cholesky)
{
	return cholesky->pattern->n;
}

lm_cholesky_info lm_cholesky_get_info(const lm_cholesky* cholesky)
{
	const cholmod_factor* factor = cholesky->factor;
	lm_cholesky_info info = { .kind = cholesky->kind,
		                      .bytes = (int64_t)cholesky->common.memory_inuse,
		                      .allocations = (int64_t)cholesky->common.malloc_count };
	if (cholesky->fronts)
		info.factor_entries = cholesky->fronts->panel[cholesky->fronts->count], info.tasks = cholesky->fronts->tasks;
	else
		info.factor_entries = (int64_t)(factor->is_super ? factor->xsize : factor->nzmax);
	if (factor && info.kind == LM_CHOLESKY_SUPERNODAL && !factor->is_super)
		info.kind = LM_CHOLESKY_SIMPLICIAL;
	return info;
}
