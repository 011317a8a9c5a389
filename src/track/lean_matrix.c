// The matrix of a lean step: blocks between vertices that share an element, each summed from its elements in a fixed
// order; see lean.h.
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "track/lean.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 512 // per chunk

// ---- creation ----------------------------------------------------------------------------------------------------

static int compare_terms(const void* one, const void* two)
{
	const lm_lean_term *a = one, *b = two;
	const int32_t p[4] = { a->column, a->row, a->element, a->corner_row };
	const int32_t q[4] = { b->column, b->row, b->element, b->corner_row };
	for (int i = 0; i < 4; ++i)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

// The upper blocks of each element.
static int64_t list_terms(const int32_t* vertices, int64_t elements, int corners, int32_t first_vertex,
                          int64_t first_element, lm_lean_term* terms)
{
	int64_t count = 0;
	for (int64_t e = 0; e < elements; ++e)
	{
		const int32_t* v = vertices + corners * e;
		for (int8_t i = 0; i < corners; ++i)
			for (int8_t j = 0; j < corners; ++j)
				if (v[i] <= v[j])
					terms[count++] =
						(lm_lean_term){ first_vertex + v[i], first_vertex + v[j], (int32_t)(first_element + e), i, j };
	}
	return count;
}

static int64_t list_all_terms(const lm_track_lean* lean, const lm_track_problem* p)
{
	int64_t count = 0, triangle = 0, hinge = lean->triangle_count;
	for (int32_t k = 0; k < p->part_count; ++k)
	{
		const lm_cloth* cloth = p->parts[k].cloth;
		int32_t first = p->parts[k].first;
		count += list_terms(cloth->triangles, cloth->triangle_count, 3, first, triangle, lean->terms + count);
		count += list_terms(cloth->hinges, cloth->hinge_count, 4, first, hinge, lean->terms + count);
		triangle += cloth->triangle_count, hinge += cloth->hinge_count;
	}
	return count;
}

static lm_status make_blocks(lm_track_solver* s, const lm_track_problem* p, lm_error* error)
{
	lm_track_lean* lean = s->lean;
	int64_t most = 6 * lean->triangle_count + 10 * lean->hinge_count;
	lean->terms = LM_NEW(&s->host, most, lm_lean_term);
	lean->first_of_column = LM_NEW(&s->host, (int64_t)s->n + 1, int32_t);
	if (lean->terms == NULL || lean->first_of_column == NULL)
		return lm_fail_memory(error);
	int64_t count = list_all_terms(lean, p);
	qsort(lean->terms, (size_t)count, sizeof *lean->terms, compare_terms);
	for (int64_t k = 0; k < count; ++k)
		lean->block_count += k == 0 || lean->terms[k].row != lean->terms[k - 1].row ||
		                     lean->terms[k].column != lean->terms[k - 1].column;
	lean->blocks = LM_NEW(&s->host, (int64_t)lean->block_count + 1, lm_lean_block);
	if (lean->blocks == NULL)
		return lm_fail_memory(error);
	int32_t b = -1;
	for (int64_t k = 0; k < count; ++k)
	{
		const lm_lean_term* term = &lean->terms[k];
		if (b >= 0 && lean->blocks[b].row == term->row && lean->blocks[b].column == term->column)
			continue;
		lm_lean_block* block = &lean->blocks[++b];
		*block = (lm_lean_block){ .row = term->row, .column = term->column, .first_term = (int32_t)k };
		for (int c = 0; c < 3; ++c)
			block->places[c] =
				(int32_t)lm_pattern_find(lean->pattern, 3 * (int64_t)term->row, 3 * (int64_t)term->column + c);
		++lean->first_of_column[term->column + 1];
	}
	lean->blocks[lean->block_count].first_term = (int32_t)count;
	for (int32_t v = 0; v < s->n; ++v)
		lean->first_of_column[v + 1] += lean->first_of_column[v];
	return LM_OK;
}

static lm_status find_row_places(lm_track_solver* s, const lm_rows* C, lm_error* error)
{
	lm_track_lean* lean = s->lean;
	int64_t numbers = C != NULL ? C->start[C->count] : 0;
	lean->coupling_places = LM_NEW(&s->host, 3 * numbers, int32_t);
	lean->row_places = LM_NEW(&s->host, 6 * (int64_t)s->rows, int32_t);
	if (lean->coupling_places == NULL || lean->row_places == NULL)
		return lm_fail_memory(error);
	for (int32_t r = 0; r < s->rows; ++r)
	{
		int64_t first = 3 * ((int64_t)s->n + r);
		for (int64_t k = 3 * C->start[r]; k < 3 * C->start[r + 1]; ++k)
			lean->coupling_places[k] =
				(int32_t)lm_pattern_find(lean->pattern, 3 * (int64_t)C->index[k / 3] + k % 3, first + k % 3);
		int32_t* place = lean->row_places + 6 * (int64_t)r;
		for (int b = 0; b < 3; ++b)
			for (int a = 0; a <= b; ++a)
				*place++ = (int32_t)lm_pattern_find(lean->pattern, first + a, first + b);
	}
	return LM_OK;
}

static lm_status allocate(lm_track_solver* s, lm_error* error)
{
	lm_track_lean* lean = s->lean;
	int64_t unknowns = 3 * ((int64_t)s->n + s->rows);
	lean->values = LM_NEW(&s->host, lean->pattern->entries, double);
	lean->z = LM_NEW(&s->host, unknowns, double);
	lean->d = LM_NEW(&s->host, unknowns, double);
	lean->guess = LM_NEW(&s->host, unknowns, double);
	lean->stiffness.triangles = LM_NEW(&s->host, LM_CLOTH_TRIANGLE_NUMBERS * lean->triangle_count, double);
	lean->stiffness.hinges = LM_NEW(&s->host, LM_CLOTH_HINGE_NUMBERS * lean->hinge_count, double);
	bool enough = lean->values != NULL && lean->z != NULL && lean->d != NULL && lean->guess != NULL &&
	              lean->stiffness.triangles != NULL && lean->stiffness.hinges != NULL;
	return enough ? LM_OK : lm_fail_memory(error);
}

lm_status lm_lean_create(lm_track_solver* s, const lm_track_problem* p, lm_error* error)
{
	if (s->lean != NULL)
		return LM_OK;
	s->lean = LM_NEW(&s->host, 1, lm_track_lean);
	if (s->lean == NULL)
		return lm_fail_memory(error);
	for (int32_t k = 0; k < p->part_count; ++k)
	{
		s->lean->triangle_count += p->parts[k].cloth->triangle_count;
		s->lean->hinge_count += p->parts[k].cloth->hinge_count;
	}
	lm_status status =
		lm_track_make_pattern(s, p, NULL, 0, LM_CHOLESKY_LDL_SINGLE, &s->lean->pattern, &s->lean->single, error);
	if (status == LM_OK)
		status = make_blocks(s, p, error);
	if (status == LM_OK)
		status = find_row_places(s, p->C, error);
	if (status == LM_OK)
		status = allocate(s, error);
	if (status != LM_OK)
		lm_lean_destroy(s->lean, &s->host), s->lean = NULL;
	return status;
}

lm_status lm_lean_use_double(lm_track_solver* s, bool on, lm_error* error)
{
	lm_track_lean* lean = s->lean;
	lm_status status = LM_OK;
	if (on && lean->fine == NULL)
		status = lm_cholesky_create(lean->pattern, LM_CHOLESKY_LDL, &s->host, &lean->fine, error);
	lean->ldl = on ? lean->fine : lean->single;
	return status;
}

void lm_lean_destroy(lm_track_lean* lean, const lm_host* host)
{
	if (lean == NULL)
		return;
	lm_cholesky_destroy(lean->single), lm_cholesky_destroy(lean->fine);
	lm_pattern_destroy(lean->pattern);
	void* all[] = { lean->values,
		            lean->stiffness.triangles,
		            lean->stiffness.hinges,
		            lean->blocks,
		            lean->first_of_column,
		            lean->terms,
		            lean->coupling_places,
		            lean->row_places,
		            lean->contacts,
		            lean->z,
		            lean->d,
		            lean->guess };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(host, all[i]);
	lm_free(host, lean);
}

const lm_lean_block* lm_lean_find_block(const lm_track_lean* lean, int32_t row, int32_t column)
{
	int32_t low = lean->first_of_column[column], high = lean->first_of_column[column + 1] - 1;
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;
		if (lean->blocks[middle].row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return &lean->blocks[low];
}

// ---- numbers -----------------------------------------------------------------------------------------------------

typedef struct summing
{
	const lm_track_solver* s;
	const lm_track_problem* p;
} summing;

// A triangle has the blocks of its corners i <= j.
static void add_triangle(const double* stiffness, int i, int j, double sum[9])
{
	static const int8_t number[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
	const double* K = stiffness + 9 * number[i][j];
	for (int a = 0; a < 3; ++a)
		for (int b = 0; b < 3; ++b)
			sum[3 * a + b] += i <= j ? K[3 * a + b] : K[3 * b + a];
}

static void add_hinge(const double* stiffness, int i, int j, double sum[9])
{
	const double *u = stiffness + 1 + 3 * i, *v = stiffness + 1 + 3 * j;
	for (int a = 0; a < 3; ++a)
		for (int b = 0; b < 3; ++b)
			sum[3 * a + b] += stiffness[0] * u[a] * v[b];
}

static void sum_blocks(void* context, int64_t begin, int64_t end)
{
	const summing* w = context;
	const lm_track_lean* lean = w->s->lean;
	int64_t triangles = lean->triangle_count;
	for (int64_t k = begin; k < end; ++k)
	{
		const lm_lean_block* block = &lean->blocks[k];
		double sum[9] = { 0 }, inertia = w->p->masses[block->row] / (w->p->h * w->p->h);
		for (int32_t t = block->first_term; t < block[1].first_term; ++t)
		{
			const lm_lean_term* term = &lean->terms[t];
			if (term->element < triangles)
				add_triangle(lean->stiffness.triangles + LM_CLOTH_TRIANGLE_NUMBERS * (int64_t)term->element,
				             term->corner_row, term->corner_column, sum);
			else
				add_hinge(lean->stiffness.hinges + LM_CLOTH_HINGE_NUMBERS * (term->element - triangles),
				          term->corner_row, term->corner_column, sum);
		}
		bool diagonal = block->row == block->column;
		for (int b = 0; b < 3; ++b)
			for (int a = 0; a < (diagonal ? b + 1 : 3); ++a)
				lean->values[block->places[b] + a] = sum[3 * a + b] + (diagonal && a == b ? inertia : 0);
	}
}

// C of rows that are on, and -D.
static void set_rows(lm_track_solver* s, const lm_track_problem* p)
{
	lm_track_lean* lean = s->lean;
	for (int32_t r = 0; r < s->rows; ++r)
	{
		bool on = lm_track_row_is_on(p, r);
		for (int64_t k = 3 * p->C->start[r]; k < 3 * p->C->start[r + 1]; ++k)
			lean->values[lean->coupling_places[k]] = on ? p->C->value[k / 3] : 0;
		const double* D = s->D + 9 * (int64_t)r;
		const int32_t* place = lean->row_places + 6 * (int64_t)r;
		for (int b = 0; b < 3; ++b)
			for (int a = 0; a <= b; ++a)
				lean->values[*place++] = on ? -D[3 * a + b] : -(a == b);
	}
}

lm_status lm_lean_assemble(lm_track_solver* s, const lm_track_problem* p, const double* x, bool clamped, int threads,
                           lm_error* error)
{
	lm_track_start_gradient(s, p, x);
	lm_cloth_stiffness stiffness = s->lean->stiffness;
	stiffness.clamped = clamped;
	for (int32_t k = 0; k < p->part_count; ++k)
	{
		const lm_track_part* part = &p->parts[k];
		int64_t first = 3 * (int64_t)part->first;
		lm_cloth_law laws[2];
		lm_cloth_linearize(laws, lm_track_laws(part, p->h, laws), x + first, threads, s->gradient + first, &stiffness);
		stiffness.triangles += LM_CLOTH_TRIANGLE_NUMBERS * (int64_t)part->cloth->triangle_count;
		stiffness.hinges += LM_CLOTH_HINGE_NUMBERS * (int64_t)part->cloth->hinge_count;
	}
	lm_status status = lm_lean_find_contacts(s, p, x, error);
	if (status != LM_OK)
		return status;
	lm_parallel_for(threads, s->lean->block_count, BLOCKS, sum_blocks, &(summing){ s, p });
	set_rows(s, p);
	lm_lean_add_contacts(s);
	return LM_OK;
}
