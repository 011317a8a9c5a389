#include "sparse/cholesky.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sparse/fronts.h"
#include "sparse/fronts_single.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#define NSUPERNODAL // declares nothing that is under the GPL
#define NMATRIXOPS
#define NMODIFY
#include <cholmod.h>

struct lm_cholesky
{
	lm_host host;
	const lm_pattern* pattern;
	bool factorized;
	lm_fronts* fronts;
	lm_fronts_single* single; // instead of these
};

static cholmod_sparse view_of(const lm_pattern* pattern)
{
	return (cholmod_sparse){ .nrow = (size_t)pattern->n,
		                     .ncol = (size_t)pattern->n,
		                     .nzmax = (size_t)pattern->entries,
		                     .p = pattern->start,
		                     .i = pattern->row,
		                     .stype = 1, // the upper triangle
		                     .itype = CHOLMOD_INT,
		                     .xtype = CHOLMOD_PATTERN,
		                     .dtype = CHOLMOD_DOUBLE,
		                     .sorted = 1,
		                     .packed = 1 };
}

// The graph of the blocks of unknowns (block_size): the upper triangle without its diagonal.
static cholmod_sparse* make_group_graph(const lm_pattern* A, cholmod_common* common)
{
	int32_t d = A->block_size, n = A->n / d;
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
// accord, but by the operations and entries of unknowns, and sooner: a matrix is factorised many times.
static cholmod_factor* order_groups(cholmod_sparse* graph, double unknowns, cholmod_common* common)
{
	common->nmethods = 1, common->method[0].ordering = CHOLMOD_AMD;
	cholmod_factor* order = cholmod_analyze(graph, common);
	double operations = common->fl, entries = common->lnz;
	if (!order || unknowns * operations < 300 * entries || entries < 5 * common->anz)
		return order;
	common->method[0].ordering = CHOLMOD_METIS;
	cholmod_factor* dissection = cholmod_analyze(graph, common);
	cholmod_factor** worse = dissection && common->fl < operations ? &order : &dissection;
	cholmod_factor* better = worse == &order ? dissection : order;
	cholmod_free_factor(worse, common);
	return better;
}

static int compare_places(const void* one, const void* two)
{
	const int *a = one, *b = two;
	return (*a > *b) - (*a < *b);
}

// Where the middle one of those lies that late group j is coupled with, all of them before it; -1: there is none.
static int middle_place(const cholmod_sparse* graph, int32_t j, const int* place, int* places)
{
	const int *start = graph->p, *row = graph->i;
	int count = start[j + 1] - start[j];
	for (int k = 0; k < count; ++k)
		places[k] = place[row[start[j] + k]];
	qsort(places, (size_t)count, sizeof *places, compare_places);
	return count > 0 ? places[(count - 1) / 2] : -1;
}

// Groups from first_late on follow half of those that they are coupled with, at least. Less would do where all couple
// as strongly: it is the weak ones, eliminated alone, that leave a small pivot. waiting: the late group that follows
// each group; after: the one after each late group that follows the same; n numbers each, as place, places (scratch)
// and the result.
static void postpone(const cholmod_sparse* graph, int32_t first_late, const int* order, int* place, int* waiting,
                     int* after, int* places, int* result)
{
	int n = (int)graph->nrow, count = 0;
	for (int k = 0; k < n; ++k)
		place[order[k]] = k, waiting[k] = -1;
	for (int j = n - 1; j >= first_late; --j) // they are the last ones, coupled with others only
	{
		int middle = middle_place(graph, j, place, places);
		if (place[j] < middle)
			after[j] = waiting[middle], waiting[middle] = j, place[j] = -1;
	}
	for (int k = 0; k < n; ++k)
	{
		if (place[order[k]] >= 0)
			result[count++] = order[k];
		for (int j = waiting[k]; j >= 0; j = after[j])
			result[count++] = j;
	}
}

// An order for groups is found faster than one for unknowns, and is better where not all unknowns of a group have the
// same neighbours: constraints couple x with x, y with y, z with z.
static cholmod_factor* analyze_groups(const lm_pattern* pattern, cholmod_sparse* A, cholmod_common* common)
{
	int32_t d = pattern->block_size;
	cholmod_sparse* graph = make_group_graph(pattern, common);
	cholmod_factor* groups = graph ? order_groups(graph, d, common) : NULL;
	size_t count = (size_t)(pattern->n / d);
	int* order = groups ? cholmod_malloc((size_t)pattern->n, sizeof *order, common) : NULL;
	int* late = groups ? cholmod_malloc(5 * count, sizeof *late, common) : NULL;
	const int* found = groups ? groups->Perm : NULL;
	if (late && pattern->first_late > 0)
	{
		postpone(graph, pattern->first_late / d, found, late, late + count, late + 2 * count, late + 3 * count,
		         late + 4 * count);
		found = late + 4 * count;
	}
	for (int32_t k = 0; order && late && k < pattern->n; ++k)
		order[k] = found[k / d] * d + k % d;
	common->nmethods = 1, common->method[0].ordering = CHOLMOD_GIVEN;
	cholmod_factor* factor = order && late ? cholmod_analyze_p(A, order, NULL, 0, common) : NULL;
	cholmod_free((size_t)pattern->n, sizeof *order, order, common), cholmod_free(5 * count, sizeof *late, late, common);
	cholmod_free_factor(&groups, common), cholmod_free_sparse(&graph, common);
	return factor;
}

// Orders and counts, which is all that fronts need of CHOLMOD.
static lm_status analyze(lm_cholesky* c, lm_cholesky_kind kind)
{
	cholmod_common common;
	cholmod_start(&common);
	common.print = 0;
	common.supernodal = CHOLMOD_SIMPLICIAL; // nothing of the GPL
	cholmod_sparse A = view_of(c->pattern);
	cholmod_factor* order =
		c->pattern->block_size > 1 ? analyze_groups(c->pattern, &A, &common) : cholmod_analyze(&A, &common);
	lm_status status = common.status == CHOLMOD_TOO_LARGE ? LM_BAD_INPUT : LM_NO_MEMORY;
	if (order && kind == LM_CHOLESKY_LDL_SINGLE)
		status = lm_fronts_create_single(c->pattern, order->Perm, order->ColCount, true, &c->host, &c->single);
	else if (order)
		status =
			lm_fronts_create(c->pattern, order->Perm, order->ColCount, kind == LM_CHOLESKY_LDL, &c->host, &c->fronts);
	assert(status != LM_UNSUPPORTED); // CHOLMOD's orders are postorders
	cholmod_free_factor(&order, &common);
	cholmod_finish(&common);
	return status;
}

lm_status lm_cholesky_create(const lm_pattern* pattern, lm_cholesky_kind kind, const lm_host* host,
                             lm_cholesky** cholesky, lm_error* error)
{
	assert(pattern->symmetric);
	lm_cholesky* c = LM_NEW(host, 1, lm_cholesky);
	if (!c)
		return lm_fail_memory(error);
	c->host = *host, c->pattern = pattern;
	lm_status status = analyze(c, kind);
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
	lm_fronts_destroy(cholesky->fronts), lm_fronts_destroy_single(cholesky->single);
	lm_host host = cholesky->host;
	lm_free(&host, cholesky);
}

lm_status lm_cholesky_expect_saddle(lm_cholesky* cholesky, int64_t first_negative)
{
	assert(cholesky->fronts);
	return lm_fronts_expect_saddle(cholesky->fronts, (int32_t)first_negative);
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

// An infinity or NaN always reaches a pivot: there is no need to look for it before something went wrong.
static lm_factor_report failed(const lm_cholesky* cholesky, const double* values, lm_factor_status status,
                               int64_t column)
{
	int64_t not_finite = first_not_finite(cholesky->pattern, values);
	if (not_finite >= 0)
		status = LM_FACTOR_NOT_FINITE, column = not_finite;
	return (lm_factor_report){ .status = status, .column = column };
}

lm_factor_report lm_cholesky_factorize(lm_cholesky* cholesky, const double* values, double shift)
{
	cholesky->factorized = false;
	if (!isfinite(shift))
		return failed(cholesky, values, LM_FACTOR_NOT_FINITE, -1);
	lm_factor_report report = cholesky->single ? lm_fronts_factorize_single(cholesky->single, values, shift)
	                                           : lm_fronts_factorize(cholesky->fronts, values, shift);
	if (report.status == LM_FACTOR_OK && !(report.rcond > 0)) // overflow on the way, somewhere
		report.status = LM_FACTOR_NOT_FINITE;
	if (report.status == LM_FACTOR_NO_SADDLE)
		return report;
	if (report.status != LM_FACTOR_OK)
		return failed(cholesky, values, report.status, report.column);
	cholesky->factorized = true;
	return report;
}

bool lm_cholesky_solve(lm_cholesky* cholesky, int64_t count, const double* B, double* X)
{
	if (!cholesky->factorized)
		return false;
	if (count == 0 || cholesky->pattern->n == 0)
		return true;
	if (cholesky->single)
		lm_fronts_solve_single(cholesky->single, count, B, X);
	else
		lm_fronts_solve(cholesky->fronts, count, B, X);
	return true;
}

int64_t lm_cholesky_size(const lm_cholesky* cholesky)
{
	return cholesky->pattern->n;
}

lm_cholesky_info lm_cholesky_get_info(const lm_cholesky* cholesky)
{
	lm_cholesky_info info;
	if (cholesky->single)
		lm_fronts_get_info_single(cholesky->single, &info.factor_entries, &info.tasks);
	else
		lm_fronts_get_info(cholesky->fronts, &info.factor_entries, &info.tasks);
	return info;
}
