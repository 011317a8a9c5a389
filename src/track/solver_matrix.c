// The matrix of a step: its pattern, which follows the contacts, its numbers, and solves; see solver.h.
//
//     K = [H + tau M / h^2, C^T; C, -D]
//
// is quasi-definite where H is positive definite on what the constraints leave free, and then has as many negative
// eigenvalues as it has constraints, whatever D > 0: L D L^T without pivoting exists and shows it.
#include "base/alloc.h"
#include "base/error.h"
#include "track/solver_parts.h"

#include <stdlib.h>
#include <string.h>

// ---- pattern -----------------------------------------------------------------------------------------------------

static const lm_close_pair* find_room(const lm_track_solver* s, const lm_close_pair* pair)
{
	if (s->pattern_pair_count == 0)
		return NULL;
	return bsearch(pair, s->pattern_pairs, (size_t)s->pattern_pair_count, sizeof *pair, lm_close_pair_compare);
}

static lm_close_pair pair_of(const lm_track_friction_pair* friction)
{
	lm_close_pair pair = { .kind = friction->kind };
	memcpy(pair.v, friction->v, sizeof pair.v);
	return pair;
}

static bool has_room(const lm_track_solver* s, const lm_track_problem* p)
{
	if (s->pattern == NULL)
		return false;
	int32_t count = p->clearance != NULL ? lm_clearance_pair_count(p->clearance) : 0;
	for (int32_t i = 0; i < count; ++i)
		if (find_room(s, &lm_clearance_pairs(p->clearance)[i]) == NULL)
			return false;
	for (int32_t i = 0; i < s->friction_count; ++i)
	{
		lm_close_pair pair = pair_of(&s->friction_pairs[i]);
		if (find_room(s, &pair) == NULL)
			return false;
	}
	return true;
}

void lm_track_release_pattern(lm_track_solver* s)
{
	lm_cholesky_destroy(s->ldl), s->ldl = NULL;
	lm_pattern_destroy(s->pattern), s->pattern = NULL;
	lm_free(&s->host, s->pattern_pairs), s->pattern_pairs = NULL;
	s->pattern_pair_count = 0;
}

// Index lists of a pattern, needed only while it is made.
typedef struct draft
{
	int32_t *pairs, *couplings, *rows;
	int64_t coupling_count;
	lm_element_list* lists; // triangles and hinges of each part, then the above
	int32_t* elements;      // the vertices of these triangles and hinges
} draft;

// Triangles and hinges of the parts, as the problem numbers their vertices.
static bool draft_parts(const lm_track_solver* s, const lm_track_problem* p, draft* d)
{
	int64_t numbers = 0, at = 0;
	for (int32_t k = 0; k < p->part_count; ++k)
		numbers += 3 * (int64_t)p->parts[k].cloth->triangle_count + 4 * (int64_t)p->parts[k].cloth->hinge_count;
	d->lists = LM_NEW(&s->host, 2 * (int64_t)p->part_count + 3, lm_element_list);
	d->elements = LM_NEW(&s->host, numbers, int32_t);
	if (d->lists == NULL || d->elements == NULL)
		return false;
	for (int32_t k = 0; k < p->part_count; ++k)
	{
		lm_element_list* own = d->lists + 2 * (int64_t)k;
		lm_cloth_lists(p->parts[k].cloth, own);
		for (int i = 0; i < 2; ++i)
		{
			int64_t count = own[i].count * own[i].size;
			for (int64_t e = 0; e < count; ++e)
				d->elements[at + e] = p->parts[k].first + own[i].index[e];
			own[i].index = d->elements + at;
			at += count;
		}
	}
	return true;
}

static bool fill_draft(const lm_track_solver* s, const lm_track_problem* p, const lm_close_pair* pairs,
                       int32_t pair_count, draft* d)
{
	const lm_rows* C = p->C;
	d->coupling_count = C != NULL ? C->start[C->count] : 0;
	d->pairs = LM_NEW(&s->host, 4 * (int64_t)pair_count, int32_t);
	d->couplings = LM_NEW(&s->host, 6 * d->coupling_count, int32_t);
	d->rows = LM_NEW(&s->host, s->rows, int32_t);
	if (d->pairs == NULL || d->couplings == NULL || d->rows == NULL || !draft_parts(s, p, d))
		return false;
	for (int64_t i = 0; i < 4 * (int64_t)pair_count; ++i)
	{
		int32_t v = pairs[i / 4].v[i % 4];
		d->pairs[i] = v < s->n ? v : -1;
	}
	for (int32_t r = 0; r < s->rows; ++r)
	{
		d->rows[r] = s->n + r;
		for (int64_t k = 3 * C->start[r]; k < 3 * C->start[r + 1]; ++k) // x with x, y with y, z with z
		{
			d->couplings[2 * k] = 3 * (s->n + r) + (int32_t)(k % 3);
			d->couplings[2 * k + 1] = 3 * C->index[k / 3] + (int32_t)(k % 3);
		}
	}
	return true;
}

static void release_draft(const lm_track_solver* s, draft* d)
{
	lm_free(&s->host, d->pairs), lm_free(&s->host, d->couplings), lm_free(&s->host, d->rows);
	lm_free(&s->host, d->lists), lm_free(&s->host, d->elements);
}

static lm_status pattern_of(lm_track_solver* s, const lm_track_problem* p, const draft* d, int32_t pair_count,
                            lm_cholesky_kind kind, lm_pattern** pattern, lm_cholesky** ldl, lm_error* error)
{
	int parts = 2 * p->part_count;
	lm_element_list* others = d->lists + parts;
	others[0] = (lm_element_list){ .count = pair_count, .index = d->pairs, .size = 4, .block = 3 };
	others[1] = (lm_element_list){ .count = 3 * d->coupling_count, .index = d->couplings, .size = 2, .block = 1 };
	others[2] = (lm_element_list){ .count = s->rows, .index = d->rows, .size = 1, .block = 3 };
	s->first_pair = 0;
	for (int i = 0; i < parts; ++i)
		s->first_pair += d->lists[i].count;
	s->first_coupling = s->first_pair + others[0].count;
	s->first_row = s->first_coupling + others[1].count;
	int64_t unknowns = 3 * ((int64_t)s->n + s->rows);
	lm_status status = lm_pattern_create(unknowns, true, d->lists, parts + 3, &s->host, pattern, error);
	if (status != LM_OK)
		return status;
	(*pattern)->block_size = 3;
	// a constraint's own pivot is next to nothing: more than single precision could bear
	(*pattern)->first_late = kind == LM_CHOLESKY_LDL_SINGLE ? 3 * s->n : 0;
	status = lm_cholesky_create(*pattern, kind, &s->host, ldl, error);
	if (status == LM_OK && kind == LM_CHOLESKY_LDL && lm_cholesky_expect_saddle(*ldl, 3 * (int64_t)s->n) != LM_OK)
		return lm_fail_memory(error);
	return status;
}

lm_status lm_track_make_pattern(lm_track_solver* s, const lm_track_problem* p, const lm_close_pair* pairs,
                                int32_t pair_count, lm_cholesky_kind kind, lm_pattern** pattern, lm_cholesky** ldl,
                                lm_error* error)
{
	draft d = { 0 };
	lm_status status = fill_draft(s, p, pairs, pair_count, &d)
	                       ? pattern_of(s, p, &d, pair_count, kind, pattern, ldl, error)
	                       : lm_fail_memory(error);
	release_draft(s, &d);
	return status;
}

// Room for numbers grows by half more than is needed, so that it soon stays.
static lm_status make_numbers(lm_track_solver* s, lm_error* error)
{
	int64_t needed = s->pattern->local_count > s->pattern->entries ? s->pattern->local_count : s->pattern->entries;
	if (needed <= s->pattern_capacity)
		return LM_OK;
	lm_free(&s->host, s->locals), lm_free(&s->host, s->values);
	s->pattern_capacity = needed + needed / 2;
	s->locals = LM_NEW(&s->host, s->pattern_capacity, double);
	s->values = LM_NEW(&s->host, s->pattern_capacity, double);
	if (s->locals != NULL && s->values != NULL)
		return LM_OK;
	s->pattern_capacity = 0;
	return lm_fail_memory(error);
}

// Those that the clearance has found, and those that have friction but have come apart, sorted.
static lm_status keep_pairs(lm_track_solver* s, const lm_track_problem* p, lm_error* error)
{
	int32_t found = p->clearance != NULL ? lm_clearance_pair_count(p->clearance) : 0;
	lm_close_pair* pairs = LM_NEW(&s->host, (int64_t)found + s->friction_count, lm_close_pair);
	if (pairs == NULL)
		return lm_fail_memory(error);
	if (found > 0)
		memcpy(pairs, lm_clearance_pairs(p->clearance), (size_t)found * sizeof *pairs);
	s->pattern_pairs = pairs, s->pattern_pair_count = found;
	int32_t all = found;
	for (int32_t i = 0; i < s->friction_count; ++i)
	{
		pairs[all] = pair_of(&s->friction_pairs[i]);
		all += find_room(s, &pairs[all]) == NULL;
	}
	s->pattern_pair_count = all;
	qsort(pairs, (size_t)all, sizeof *pairs, lm_close_pair_compare);
	return LM_OK;
}

lm_status lm_track_fit_pattern(lm_track_solver* s, const lm_track_problem* p, const double* x, int threads,
                               int* analyses, lm_error* error)
{
	if (has_room(s, p))
		return LM_OK;
	++*analyses;
	lm_track_release_pattern(s);
	lm_status status = LM_OK;
	if (p->clearance != NULL)
		status = lm_clearance_find(p->clearance, x, LM_TRACK_MARGIN * p->reach, threads, error);
	if (status == LM_OK)
		status = keep_pairs(s, p, error);
	if (status == LM_OK)
		status = lm_track_make_pattern(s, p, s->pattern_pairs, s->pattern_pair_count, LM_CHOLESKY_LDL, &s->pattern,
		                               &s->ldl, error);
	if (status == LM_OK)
		status = make_numbers(s, error);
	if (status == LM_OK && p->clearance != NULL)
		status = lm_clearance_find(p->clearance, x, p->reach, threads, error);
	if (status != LM_OK)
		lm_track_release_pattern(s);
	return status;
}

// ---- numbers -----------------------------------------------------------------------------------------------------

static double* local_of(const lm_track_solver* s, int64_t element)
{
	return s->locals + s->pattern->local_start[element];
}

static lm_status add_pairs(lm_track_solver* s, const lm_track_problem* p, const double* x, int threads, lm_error* error)
{
	int32_t count = p->clearance != NULL ? lm_clearance_pair_count(p->clearance) : 0;
	if (count > s->pair_capacity)
	{
		lm_free(&s->host, s->pair_locals);
		s->pair_capacity = count + count / 2;
		s->pair_locals = LM_NEW(&s->host, 144 * s->pair_capacity, double);
		if (s->pair_locals == NULL)
		{
			s->pair_capacity = 0;
			return lm_fail_memory(error);
		}
	}
	if (count > 0)
		lm_clearance_derivatives(p->clearance, x, p->reach, p->barrier, threads, s->gradient, s->pair_locals);
	for (int32_t i = 0; i < count; ++i)
	{
		const lm_close_pair* room = find_room(s, &lm_clearance_pairs(p->clearance)[i]);
		memcpy(local_of(s, s->first_pair + (room - s->pattern_pairs)), s->pair_locals + 144 * (int64_t)i,
		       144 * sizeof(double));
	}
	return LM_OK;
}

// Couplings [0 c; c 0] of rows that are on, three for each number of C, and -D.
static void add_rows(lm_track_solver* s, const lm_track_problem* p)
{
	for (int32_t r = 0; r < s->rows; ++r)
	{
		bool on = lm_track_row_is_on(p, r);
		double* coupling = local_of(s, s->first_coupling + 3 * p->C->start[r]);
		for (int64_t k = 3 * p->C->start[r]; k < 3 * p->C->start[r + 1]; ++k, coupling += 4)
			coupling[1] = coupling[2] = on ? p->C->value[k / 3] : 0;
		double* block = local_of(s, s->first_row + r);
		for (int i = 0; i < 9; ++i)
			block[i] = on ? -s->D[9 * (int64_t)r + i] : -(i % 4 == 0);
	}
}

lm_status lm_track_assemble(lm_track_solver* s, const lm_track_problem* p, const double* x, int threads,
                            lm_error* error)
{
	int64_t pairs = s->pattern->local_start[s->first_pair]; // those before are all set
	memset(s->locals + pairs, 0, (size_t)(s->pattern->local_count - pairs) * sizeof(double));
	lm_track_start_gradient(s, p, x);
	int64_t element = 0;
	for (int32_t k = 0; k < p->part_count; ++k)
	{
		const lm_track_part* part = &p->parts[k];
		int64_t first = 3 * (int64_t)part->first;
		lm_cloth_law laws[2];
		lm_cloth_derivatives(laws, lm_track_laws(part, p->h, laws), x + first, threads, s->gradient + first,
		                     local_of(s, element));
		element += (int64_t)part->cloth->triangle_count + part->cloth->hinge_count;
	}
	lm_status status = add_pairs(s, p, x, threads, error);
	for (int32_t i = 0; i < s->friction_count; ++i)
	{
		lm_close_pair pair = pair_of(&s->friction_pairs[i]);
		lm_track_friction_hessian(&s->friction_pairs[i], x, s->start, p->slack,
		                          local_of(s, s->first_pair + (find_room(s, &pair) - s->pattern_pairs)));
	}
	add_rows(s, p);
	lm_pattern_gather(s->pattern, s->locals, threads, s->values);
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		s->values[s->pattern->diagonal[i]] += p->masses[i / 3] / (p->h * p->h);
	return status;
}

static void shift(lm_track_solver* s, const lm_track_problem* p, double tau)
{
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		s->values[s->pattern->diagonal[i]] += tau * p->masses[i / 3] / (p->h * p->h);
}

bool lm_track_factorize(lm_track_solver* s, const lm_track_problem* p, double tau)
{
	shift(s, p, tau);
	lm_factor_report report = lm_cholesky_factorize(s->ldl, s->values, 0);
	bool good = report.status == LM_FACTOR_OK && report.negative == 3 * (int64_t)s->rows;
	if (!good)
		shift(s, p, -tau);
	return good;
}

// residual = right - K' solution, K' with D scaled by `exactly`.
static double remaining(lm_track_solver* s, double exactly)
{
	int64_t vertices = 3 * (int64_t)s->n, all = vertices + 3 * (int64_t)s->rows;
	lm_pattern_multiply(s->pattern, s->values, s->solution, s->product);
	for (int64_t i = vertices; i < all; ++i) // D is block diagonal
	{
		int64_t row = (i - vertices) / 3, k = (i - vertices) % 3;
		for (int j = 0; j < 3; ++j)
			s->product[i] += (1 - exactly) * s->D[9 * row + 3 * k + j] * s->solution[vertices + 3 * row + j];
	}
	double largest = 0;
	for (int64_t i = 0; i < all; ++i)
	{
		s->residual[i] = s->right[i] - s->product[i];
		largest = fabs(s->residual[i]) > largest ? fabs(s->residual[i]) : largest;
	}
	return largest;
}

// Relative accuracy of a direction; the next iteration corrects the rest.
static const double accuracy = 1e-9;

bool lm_track_refined_solve(lm_track_solver* s, double exactly)
{
	int64_t all = 3 * ((int64_t)s->n + s->rows);
	double first = 0;
	for (int64_t i = 0; i < all; ++i)
	{
		s->solution[i] = 0, s->residual[i] = s->right[i];
		first = fabs(s->right[i]) > first ? fabs(s->right[i]) : first;
	}
	double before = first;
	for (int round = 0; round < 6 && before > accuracy * first; ++round)
	{
		if (!lm_cholesky_solve(s->ldl, 1, s->residual, s->residual))
			return false;
		for (int64_t i = 0; i < all; ++i)
			s->solution[i] += s->residual[i];
		double after = remaining(s, exactly);
		if (!isfinite(after))
			return false;
		if (after > 0.5 * before && round > 0)
			break;
		before = after;
	}
	return true;
}
