// shapes.h: small bodies of every kind for the tests, a little irregular so that nothing cancels by symmetry.
#ifndef LIMBER_TEST_ELASTIC_SHAPES_H
#define LIMBER_TEST_ELASTIC_SHAPES_H

#include "test.h"

#include "elastic/elastic.h"

#define KINDS 5
static const char* const kind_names[KINDS] = { "curve", "shell", "solid2", "solid3 by edges",
	                                           "solid3 by Green strain" };

typedef struct test_body
{
	lm_elastic* body;
	lm_elastic_view view;
	lm_elastic_material material;
	double *initial, *X, *x; // initial positions; a rest shape; a shape
} test_body;

typedef struct test_grid
{
	int32_t vertex_count, element_count;
	double positions[300];
	int32_t elements[600];
} test_grid;

// Five tetrahedra of a cube, alternating so that neighbours fit.
static inline void add_cube(test_grid* grid, const int32_t v[8], bool odd)
{
	static const int32_t tets[2][5][4] = {
		{ { 0, 1, 2, 4 }, { 3, 2, 1, 7 }, { 5, 4, 7, 1 }, { 6, 7, 4, 2 }, { 1, 2, 4, 7 } },
		{ { 1, 3, 0, 5 }, { 2, 0, 3, 6 }, { 4, 5, 6, 0 }, { 7, 6, 5, 3 }, { 0, 6, 5, 3 } }
	};
	for (int t = 0; t < 5; ++t)
		for (int i = 0; i < 4; ++i)
			grid->elements[4 * grid->element_count + 4 * t + i] = v[tets[odd][t][i]];
	for (int t = 0; t < 5; ++t)
	{
		int32_t* e = grid->elements + 4 * (grid->element_count + t);
		double p[3][3];
		for (int i = 0; i < 3; ++i)
			for (int c = 0; c < 3; ++c)
				p[i][c] = grid->positions[3 * e[i + 1] + c] - grid->positions[3 * e[0] + c];
		double volume = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
		                p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
		                p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
		if (volume < 0)
		{
			int32_t swap = e[2];
			e[2] = e[3], e[3] = swap;
		}
	}
	grid->element_count += 5;
}

static inline test_grid make_grid(lm_elastic_kind kind)
{
	test_grid grid = { 0 };
	uint64_t seed = 42;
	if (kind == LM_ELASTIC_CURVE2)
	{
		grid.vertex_count = 9; // six in a ring, three in a row
		for (int i = 0; i < 6; ++i)
		{
			grid.positions[2 * i] = cos(1.047 * i), grid.positions[2 * i + 1] = 0.8 * sin(1.047 * i);
			grid.elements[2 * i] = i % 2 ? (i + 1) % 6 : i, grid.elements[2 * i + 1] = i % 2 ? i : (i + 1) % 6;
		}
		for (int i = 6; i < 9; ++i)
			grid.positions[2 * i] = i - 4, grid.positions[2 * i + 1] = 0.1 * (i % 2);
		for (int i = 0; i < 4; ++i)
			grid.elements[12 + i] = (int32_t[]){ 6, 7, 8, 7 }[i];
		grid.element_count = 8;
	}
	else if (lm_elastic_corners(kind) == 3)
	{
		int d = lm_elastic_dimension(kind);
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 4; ++j)
			{
				double* p = grid.positions + d * grid.vertex_count++;
				p[0] = 0.5 * j, p[1] = 0.6 * i;
				if (d == 3)
					p[2] = 0.2 * sin(1.3 * j) + 0.1 * i * i;
			}
		for (int i = 0; i < 2; ++i)
			for (int j = 0; j < 3; ++j)
			{
				int32_t a = 4 * i + j, quad[6] = { a, a + 1, a + 5, a, a + 5, a + 4 };
				memcpy(grid.elements + 3 * grid.element_count, quad, sizeof quad);
				grid.element_count += 2;
			}
	}
	else
	{
		grid.vertex_count = 12;
		for (int i = 0; i < 12; ++i)
			grid.positions[3 * i] = i & 1, grid.positions[3 * i + 1] = i >> 1 & 1, grid.positions[3 * i + 2] = i >> 2;
	}
	for (int i = 0; i < grid.vertex_count * lm_elastic_dimension(kind); ++i)
		grid.positions[i] += 0.05 * test_random(&seed);
	if (lm_elastic_corners(kind) == 4)
	{
		add_cube(&grid, (int32_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 }, false);
		add_cube(&grid, (int32_t[]){ 4, 5, 6, 7, 8, 9, 10, 11 }, true);
	}
	return grid;
}

static inline lm_elastic_shape shape_of(const test_grid* grid, lm_elastic_kind kind, bool incompatible)
{
	return (lm_elastic_shape){ .kind = kind,
		                       .incompatible = incompatible,
		                       .vertex_count = grid->vertex_count,
		                       .positions = grid->positions,
		                       .element_count = grid->element_count,
		                       .elements = grid->elements };
}

// A body with a rest shape that differs from the initial one by `rest`, and a shape that differs from it by `amount`
// (for incompatible bodies the slots move on their own).
static inline test_body make_body(lm_elastic_kind kind, bool incompatible, double rest, double amount, uint64_t seed)
{
	test_grid grid = make_grid(kind);
	lm_elastic_shape shape = shape_of(&grid, kind, incompatible);
	lm_host host = lm_host_default();
	lm_error error = { 0 };
	test_body b = { .material = { 3, 0.7, 2 } };
	if (lm_elastic_create(&shape, &host, &b.body, &error) != LM_OK)
		fail_msg("%s", error.message);
	b.view = lm_elastic_get(b.body);
	b.initial = malloc((size_t)b.view.unknowns * sizeof(double));
	b.x = malloc((size_t)b.view.unknowns * sizeof(double));
	b.X = malloc((size_t)b.view.rest_unknowns * sizeof(double));
	memcpy(b.initial, grid.positions, (size_t)b.view.unknowns * sizeof(double));
	lm_elastic_gather_rest(b.body, b.initial, b.X);
	for (int i = 0; i < b.view.rest_unknowns; ++i)
		b.X[i] += rest * test_random(&seed);
	for (int i = 0; i < b.view.unknowns; ++i)
		b.x[i] = b.initial[i] + amount * test_random(&seed);
	return b;
}

static inline void free_body(test_body* b)
{
	lm_elastic_destroy(b->body);
	free(b->initial);
	free(b->x);
	free(b->X);
}

static inline lm_elastic_state state_of(const test_body* b)
{
	return (lm_elastic_state){ .material = &b->material, .X = b->X, .x = b->x };
}

static inline double* zeros(int64_t count)
{
	return calloc((size_t)count, sizeof(double));
}

// A symmetric matrix in a pattern as a dense one, row by row.
static inline double* dense_of(const lm_pattern* pattern, const double* values)
{
	double* A = zeros((int64_t)pattern->n * pattern->n);
	for (int32_t j = 0; j < pattern->n; ++j)
		for (int32_t k = pattern->start[j]; k < pattern->start[j + 1]; ++k)
			A[pattern->row[k] * pattern->n + j] = A[j * pattern->n + pattern->row[k]] = values[k];
	return A;
}

static inline double largest_of(const double* a, int64_t count)
{
	double most = 0;
	for (int64_t i = 0; i < count; ++i)
		most = fmax(most, fabs(a[i]));
	return most;
}

static inline double distance_of(const double* a, const double* b, int64_t count)
{
	double most = 0;
	for (int64_t i = 0; i < count; ++i)
		most = fmax(most, fabs(a[i] - b[i]));
	return most;
}

#endif
