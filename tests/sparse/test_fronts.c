// Our own factorisation: its kernels against plain loops, its results for odd trees, its memory.
#include "test.h"

#include "cholmod_twin.h"
#include "matrices.h"
#include "sparse/cholesky.h"
#include "sparse/dense.h"
#include "sparse/fronts.h"

#define MOST 40   // of rows and columns, tried one by one
#define LARGE 112 // of products that are packed

typedef enum product_kind
{
	SUBTRACT,
	SUBTRACT_LOWER,
	NEGATE_LOWER
} product_kind;

static void check_product(const lm_sparse_kernels* kernels, int rows, int columns, int inner, product_kind what,
                          bool plain_b, const double* sign)
{
	bool lower = what != SUBTRACT;
	static double A[(LARGE + 4) * 300], B[LARGE * 300], C[(LARGE + 4) * LARGE], expected[(LARGE + 4) * LARGE];
	uint64_t seed = (uint64_t)(rows * 10000 + columns * 100 + inner);
	int64_t stride = LARGE + 4;
	for (int i = 0; i < stride * (inner + 1); ++i)
		A[i] = test_random(&seed);
	for (int i = 0; i < (plain_b ? 300 * columns : LARGE * inner); ++i)
		B[i] = test_random(&seed);
	for (int i = 0; i < stride * LARGE; ++i)
		expected[i] = C[i] = test_random(&seed);
	lm_product p = { rows, columns, inner, A, stride, B, plain_b ? 1 : LARGE, plain_b ? 300 : 1, C, stride, sign };
	for (int j = 0; j < columns; ++j)
		for (int i = 0; i < rows; ++i)
		{
			double* sum = &expected[j * stride + i];
			*sum = what == NEGATE_LOWER && i >= j ? 0 : *sum;
			for (int k = 0; k < inner; ++k)
				*sum -= (sign ? sign[k] : 1) * A[k * stride + i] * B[k * p.b_inner + j * p.b_column];
		}
	(what == SUBTRACT         ? kernels->subtract
	 : what == SUBTRACT_LOWER ? kernels->subtract_lower
	                          : kernels->negate_lower)(&p);
	for (int j = 0; j < LARGE; ++j)
		for (int i = 0; i < stride; ++i)
		{
			bool meant = j < columns && i < rows && !(lower && i < j), allowed = i >= rows && i < (rows + 3) / 4 * 4;
			allowed = j < columns && (allowed || (lower && i < j));
			if (meant || !allowed) // outside, nothing has changed
				assert_near(C[j * stride + i], expected[j * stride + i], 1e-12);
		}
}

static void test_kernels(void** state)
{
	(void)state;
	const lm_sparse_kernels* all[2] = { &lm_sparse_kernels_plain, lm_sparse_find_kernels(LM_SIMD_AUTO) };
	for (int k = 0; k < 2; ++k)
		for (int rows = 1; rows <= MOST; rows += rows < 17 ? 1 : 7)
			for (int columns = 1; columns <= rows; columns += columns < 6 ? 1 : 3)
				for (int inner = 0; inner <= 290; inner = inner < 3 ? inner + 1 : inner * 3)
				{
					check_product(all[k], rows, columns, inner, SUBTRACT_LOWER, false, NULL);
					check_product(all[k], rows, columns, inner, NEGATE_LOWER, false, NULL);
					check_product(all[k], rows, columns, inner, SUBTRACT, false, NULL);
					check_product(all[k], columns, rows, inner, SUBTRACT, true, NULL);
				}
}

// Products large enough to be packed, and small ones with signs, which are packed, too.
static void test_packed(void** state)
{
	(void)state;
	const lm_sparse_kernels* all[2] = { &lm_sparse_kernels_plain, lm_sparse_find_kernels(LM_SIMD_AUTO) };
	const int sizes[][3] = { { 48, 24, 48 },   { 49, 27, 127 }, { 100, 99, 129 }, { 112, 98, 280 },
		                     { 110, 110, 64 }, { 5, 3, 2 },     { 30, 30, 0 },    { 13, 13, 140 } };
	double sign[300];
	for (int i = 0; i < 300; ++i)
		sign[i] = i % 3 == 1 ? -1 : 1;
	for (int k = 0; k < 2; ++k)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
			for (int flip = 0; flip < 2; ++flip)
			{
				const int* size = sizes[i];
				check_product(all[k], size[0], size[1], size[2], SUBTRACT_LOWER, false, flip ? sign : NULL);
				check_product(all[k], size[0], size[1], size[2], NEGATE_LOWER, false, flip ? sign : NULL);
				check_product(all[k], size[0], size[1], size[2], SUBTRACT, false, flip ? sign : NULL);
				check_product(all[k], size[0], size[1], size[2], SUBTRACT, true, flip ? sign : NULL);
			}
}

static void test_runs(void** state)
{
	(void)state;
	const lm_sparse_kernels* all[2] = { &lm_sparse_kernels_plain, lm_sparse_find_kernels(LM_SIMD_AUTO) };
	const int32_t place[] = { 1, 2, 3, 4, 5, 6, 9, 11, 12, 13 }, run[] = { 6, 5, 4, 3, 2, 1, 1, 3, 2, 1 };
	double* from = test_vector(10, 5);
	for (int k = 0; k < 2; ++k)
		for (int first = 0; first < 10; ++first)
		{
			double to[15] = { 0 };
			all[k]->add_runs(10 - first, place + first, run + first, from + first, to);
			for (int i = first; i < 10; ++i)
				to[place[i]] -= from[i];
			for (int i = 0; i < 15; ++i)
				assert_near(to[i], 0, 0);
		}
	free(from);
}

// The entries of the columns of the factor, by eliminating densely.
static void count_columns(const lm_pattern* A, const int32_t* order, int32_t* counts)
{
	int32_t n = A->n, place[64];
	bool full[64][64] = { 0 };
	for (int32_t k = 0; k < n; ++k)
		place[order[k]] = k;
	for (int32_t j = 0; j < n; ++j)
		for (int32_t k = A->start[j]; k < A->start[j + 1]; ++k)
			full[place[j]][place[A->row[k]]] = full[place[A->row[k]]][place[j]] = true;
	for (int32_t k = 0; k < n; ++k)
	{
		counts[k] = 0;
		for (int32_t i = k; i < n; ++i)
		{
			counts[k] += full[i][k];
			for (int32_t j = k + 1; j < n; ++j)
				full[i][j] |= full[i][k] && full[k][j];
		}
	}
}

static lm_pattern* pairs_pattern(int32_t n, const int32_t* pairs, int count)
{
	lm_host host = lm_host_default();
	lm_element_list list = { .count = count, .index = pairs, .size = 2, .block = 1 };
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(n, true, &list, 1, &host, &A, NULL), LM_OK);
	return A;
}

// Factorises a random matrix on the given graph and order, or expects that to be declined.
static void check_graph(int32_t n, const int32_t* pairs, int count, const int32_t* order, lm_status expected)
{
	lm_pattern* A = pairs_pattern(n, pairs, count);
	lm_host host = lm_host_default();
	int32_t counts[64];
	count_columns(A, order, counts);
	lm_fronts* fronts = NULL;
	assert_int_equal(lm_fronts_create(A, order, counts, false, &host, &fronts), expected);
	double values[500], b[64 * 5], x[64 * 5], back[64];
	uint64_t seed = 8;
	for (int64_t k = 0; k < A->entries; ++k)
		values[k] = test_random(&seed);
	lm_pattern_add_diagonal(A, 20, NULL, values);
	for (int i = 0; i < 5 * n; ++i)
		b[i] = test_random(&seed);
	for (int right_sides = 1; right_sides <= 5 && expected == LM_OK; right_sides += 4)
	{
		assert_int_equal(lm_fronts_factorize(fronts, values, 0).status, LM_FACTOR_OK);
		lm_fronts_solve(fronts, right_sides, b, x);
		for (int r = 0; r < right_sides; ++r)
		{
			lm_pattern_multiply(A, values, x + r * n, back);
			for (int i = 0; i < n; ++i)
				assert_near(back[i], b[r * n + i], 1e-13);
		}
	}
	if (expected == LM_OK)
	{
		counts[n - 1] += 1; // a wrong count is noticed
		lm_fronts* wrong = NULL;
		assert_int_not_equal(lm_fronts_create(A, order, counts, false, &host, &wrong), LM_OK);
		assert_null(wrong);
	}
	lm_fronts_destroy(fronts);
	lm_pattern_destroy(A);
}

static void test_trees(void** state)
{
	(void)state;
	int32_t natural[64], backwards[64], chain[126], star[126];
	for (int32_t i = 0; i < 64; ++i)
	{
		natural[i] = i, backwards[i] = 63 - i;
		if (i < 63)
			chain[2 * i] = i, chain[2 * i + 1] = i + 1, star[2 * i] = 63, star[2 * i + 1] = i;
	}
	check_graph(64, chain, 63, natural, LM_OK);
	check_graph(64, chain, 63, backwards, LM_OK);
	check_graph(64, star, 63, natural, LM_OK);
	check_graph(64, star, 20, natural, LM_OK); // a forest
	check_graph(64, NULL, 0, natural, LM_OK);
	// Fronts 0 and 1 have parents 40 and 41, the wrong way round for a stack, with much beside to keep them apart.
	int32_t crossed[200];
	int count = 0;
	for (int32_t i = 0; i < 40; ++i)
		crossed[count++] = i, crossed[count++] = i % 2 ? 50 : 60;
	int32_t order[64];
	memcpy(order, natural, sizeof order);
	check_graph(64, crossed, count / 2, order, LM_UNSUPPORTED);
}

static void test_memory_fails(void** state)
{
	(void)state;
	test_grid grid = test_grid_create(3, true);
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_cholesky* cholesky = NULL;
		lm_cholesky_kind kind = LM_CHOLESKY_LDL;
		lm_status status = lm_cholesky_create(grid.pattern, kind, &host, &cholesky, NULL);
		if (status == LM_OK)
			status = lm_cholesky_expect_saddle(cholesky, grid.n);
		if (status == LM_OK)
		{
			int64_t requests = memory.requests;
			double* x = test_vector(40 * grid.n, 1);
			assert_int_equal(lm_cholesky_factorize(cholesky, grid.values, 0).status, LM_FACTOR_OK);
			assert_true(lm_cholesky_solve(cholesky, 40, x, x));
			assert_int_equal(memory.requests, requests); // none per factorisation or solve
			free(x);
		}
		else
			assert_int_equal(status, LM_NO_MEMORY);
		lm_cholesky_destroy(cholesky);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
		{
			assert_true(fail_at > 20);
			break;
		}
	}
	test_grid_destroy(&grid);
}

// CHOLMOD agrees, one by one and many together, ordered by unknowns and by vertices, for a matrix large enough for
// fronts of every size.
static void test_agreement(void** state)
{
	(void)state;
	test_grid grid = test_grid_create(9, true);
	lm_host host = lm_host_default();
	double *b = test_vector(35 * grid.n, 3), *x[3];
	for (int i = 0; i < 3; ++i)
	{
		lm_cholesky* cholesky = NULL;
		if (i == 0)
		{
			x[0] = calloc((size_t)(35 * grid.n), sizeof(double));
			assert_true(cholmod_twin_solve(grid.pattern, grid.values, 0.5, 35, b, x[0]));
			continue;
		}
		grid.pattern->block_size = i == 2 ? 3 : 1;
		assert_int_equal(lm_cholesky_create(grid.pattern, LM_CHOLESKY_LL, &host, &cholesky, NULL), LM_OK);
		assert_int_equal(lm_cholesky_factorize(cholesky, grid.values, 0.5).status, LM_FACTOR_OK);
		x[i] = calloc((size_t)(35 * grid.n), sizeof(double));
		if (i == 1)
			assert_true(lm_cholesky_solve(cholesky, 35, b, x[i]));
		for (int r = 0; r < 35 && i == 2; ++r)
			assert_true(lm_cholesky_solve(cholesky, 1, b + r * grid.n, x[i] + r * grid.n));
		lm_cholesky_destroy(cholesky);
	}
	double size = test_largest(35 * grid.n, x[0]);
	for (int i = 0; i < 35 * grid.n; ++i)
	{
		assert_near(x[1][i], x[0][i], 1e-12 * size);
		assert_near(x[2][i], x[0][i], 1e-12 * size);
	}
	free(b), free(x[0]), free(x[1]), free(x[2]);
	test_grid_destroy(&grid);
}

#define SIDE 9

static lm_cholesky* make(const test_grid* grid, lm_cholesky_kind kind, const lm_host* host)
{
	lm_cholesky* cholesky = NULL;
	assert_int_equal(lm_cholesky_create(grid->pattern, kind, host, &cholesky, NULL), LM_OK);
	assert_true(lm_cholesky_get_info(cholesky).tasks >= 3); // the case that is meant
	return cholesky;
}

// The same bits, whatever the number of threads: definite and indefinite matrices, one right side and several.
static void test_threads(void** state)
{
	(void)state;
	test_grid grid = test_grid_create(SIDE, true);
	int64_t n = grid.n, numbers = 6 * n;
	double *b = test_vector(numbers, 3), *x = malloc((size_t)numbers * sizeof *x), *first = NULL,
		   back[3 * SIDE * SIDE * SIDE];
	for (int indefinite = 0; indefinite < 2; ++indefinite)
	{
		for (int64_t i = 0; i < n && indefinite; ++i)
			grid.values[grid.pattern->diagonal[i]] -= i % 4 == 1 ? 90 : 0;
		first = malloc((size_t)numbers * sizeof *first);
		for (int threads = 1; threads <= 16; threads *= threads < 4 ? 2 : 4) // more than tasks, too
		{
			test_memory memory = { 0 };
			lm_host host = test_host(&memory);
			host.threads = threads;
			lm_cholesky* cholesky = make(&grid, indefinite ? LM_CHOLESKY_LDL : LM_CHOLESKY_LL, &host);
			int64_t requests = memory.requests;
			double* to = threads == 1 ? first : x;
			lm_factor_report report = lm_cholesky_factorize(cholesky, grid.values, 0);
			assert_int_equal(report.status, LM_FACTOR_OK);
			assert_true(indefinite ? report.negative > n / 8 && report.negative < n / 2 : report.negative == 0);
			assert_true(lm_cholesky_solve(cholesky, 1, b, to) && lm_cholesky_solve(cholesky, 5, b + n, to + n));
			if (threads > 1)
				assert_memory_equal(x, first, (size_t)numbers * sizeof *x);
			assert_int_equal(memory.requests, requests); // none per factorisation or solve
			lm_cholesky_destroy(cholesky);
			assert_int_equal(memory.held, 0);
		}
		for (int r = 0; r < 6; r += 5)
		{
			lm_pattern_multiply(grid.pattern, grid.values, first + r * n, back);
			for (int64_t i = 0; i < n; ++i)
				assert_near(back[i], b[r * n + i], 1e-7);
		}
		free(first);
	}
	free(b), free(x);
	test_grid_destroy(&grid);
}

// A front below another that is tall enough for strips of rows (which a second one below it has joined), all that
// threads can share shared. Fronts are dense: the columns of the factor have as many entries as the matrix.
static void test_shared_fronts(void** state)
{
	(void)state;
	enum
	{
		LEAF = 70,
		ROOT = 330,
		N = 2 * LEAF + ROOT
	};
	int32_t both[2 * (LEAF + ROOT)], order[N], counts[N];
	for (int32_t i = 0; i < N; ++i)
	{
		order[i] = i, counts[i] = i < LEAF ? LEAF - i + ROOT : i < 2 * LEAF ? 2 * LEAF - i + ROOT : N - i;
		for (int leaf = 0; leaf < 2; ++leaf)
			if (i >= 2 * LEAF || i / LEAF == leaf)
				both[leaf * (LEAF + ROOT) + (i >= 2 * LEAF ? i - LEAF : i % LEAF)] = i;
	}
	lm_element_list list = { .count = 2, .index = both, .size = LEAF + ROOT, .block = 1 };
	lm_host host = lm_host_default();
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(N, true, &list, 1, &host, &A, NULL), LM_OK);
	double *values = test_vector(A->entries, 4), *b = test_vector(6 * N, 5), x[3][6 * N], back[N];
	for (int32_t i = 0; i < N; ++i)
		values[A->diagonal[i]] += i % 5 == 2 ? -60 : 60;
	for (int k = 0; k < 3; ++k)
	{
		host.threads = 1 << k;
		lm_fronts* fronts = NULL;
		assert_int_equal(lm_fronts_create(A, order, counts, true, &host, &fronts), LM_OK);
		assert_int_equal(fronts->count, 2);
		fronts->worth_sharing = 0, fronts->wide = fronts->worth_solving = 0;
		assert_true(lm_fronts_plan(fronts));
		assert_int_equal(lm_fronts_factorize(fronts, values, 0.5).status, LM_FACTOR_OK);
		lm_fronts_solve(fronts, 1, b, x[k]), lm_fronts_solve(fronts, 5, b + N, x[k] + N);
		assert_memory_equal(x[k], x[0], sizeof x[k]);
		lm_fronts_destroy(fronts);
	}
	lm_pattern_add_diagonal(A, 0.5, NULL, values);
	for (int r = 0; r < 6; r += 5)
	{
		lm_pattern_multiply(A, values, x[0] + r * N, back);
		for (int32_t i = 0; i < N; ++i)
			assert_near(back[i], b[r * N + i], 1e-10);
	}
	free(values), free(b);
	lm_pattern_destroy(A);
}

// K = [H C^T; C -D] with random numbers, H often indefinite: factorising gives up where there are more negative
// eigenvalues than constraints, and only there.
static void test_saddle(void** state)
{
	(void)state;
	enum
	{
		VERTICES = 40,
		CONSTRAINTS = 5,
		N = 3 * (VERTICES + CONSTRAINTS)
	};
	int32_t pairs[2 * (2 * VERTICES + 4 * CONSTRAINTS + CONSTRAINTS)];
	int count = 0, good = 0, bad = 0;
	for (int32_t i = 0; i < VERTICES; ++i)
		for (int32_t k = 1; k <= 6; k += 5)
			pairs[count++] = i, pairs[count++] = (i + k) % VERTICES;
	for (int32_t i = 0; i < 4 * CONSTRAINTS; ++i)
		pairs[count++] = VERTICES + i / 4, pairs[count++] = i * 2;
	lm_element_list list = { .count = count / 2, .index = pairs, .size = 2, .block = 3 };
	lm_host host = lm_host_default();
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(N, true, &list, 1, &host, &A, NULL), LM_OK);
	A->block_size = 3;
	lm_cholesky *plain = NULL, *expecting = NULL;
	assert_int_equal(lm_cholesky_create(A, LM_CHOLESKY_LDL, &host, &plain, NULL), LM_OK);
	assert_int_equal(lm_cholesky_create(A, LM_CHOLESKY_LDL, &host, &expecting, NULL), LM_OK);
	assert_int_equal(lm_cholesky_expect_saddle(expecting, 3 * VERTICES), LM_OK);
	for (uint64_t seed = 1; seed <= 200; ++seed)
	{
		double* values = test_vector(A->entries, seed);
		uint64_t other = seed;
		for (int32_t j = 0; j < N; ++j)
			for (int32_t k = A->start[j]; k < A->start[j + 1]; ++k)
				values[k] *= j < 3 * VERTICES ? 0.3 : A->row[k] < 3 * VERTICES ? 1 : 0.01; // D is nearly diagonal
		for (int32_t j = 0; j < N; ++j)
			values[A->diagonal[j]] = j >= 3 * VERTICES ? -0.1 : j == 3 * (int)(seed % 20) ? 9 * test_random(&other) : 3;
		lm_factor_report full = lm_cholesky_factorize(plain, values, 0);
		lm_factor_report early = lm_cholesky_factorize(expecting, values, 0);
		assert_int_equal(full.status, LM_FACTOR_OK);
		assert_true(full.negative >= 3 * CONSTRAINTS);
		bool is_saddle = full.negative == 3 * CONSTRAINTS;
		assert_int_equal(early.status, is_saddle ? LM_FACTOR_OK : LM_FACTOR_NO_SADDLE);
		good += is_saddle, bad += !is_saddle;
		free(values);
	}
	assert_true(good > 20 && bad > 20);
	lm_cholesky_destroy(plain), lm_cholesky_destroy(expecting);
	lm_pattern_destroy(A);
}

// Where several tasks fail, the same one is reported; and the next factorisation is none the worse.
static void test_threads_fail(void** state)
{
	(void)state;
	test_grid grid = test_grid_create(SIDE, true);
	int64_t column = -1;
	for (int threads = 1; threads <= 4; threads *= 2)
	{
		lm_host host = lm_host_default();
		host.threads = threads;
		lm_cholesky* cholesky = make(&grid, LM_CHOLESKY_LL, &host);
		for (int round = 0; round < 2; ++round)
		{
			for (int64_t i = 5; i < grid.n; i += 97)
				grid.values[grid.pattern->diagonal[i]] -= 1000;
			lm_factor_report report = lm_cholesky_factorize(cholesky, grid.values, 0);
			assert_int_equal(report.status, LM_FACTOR_NOT_POSITIVE);
			assert_true(report.column >= 0 && (column < 0 || report.column == column));
			column = report.column;
			for (int64_t i = 5; i < grid.n; i += 97)
				grid.values[grid.pattern->diagonal[i]] += 1000;
		}
		assert_int_equal(lm_cholesky_factorize(cholesky, grid.values, 0).status, LM_FACTOR_OK);
		lm_cholesky_destroy(cholesky);
	}
	test_grid_destroy(&grid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),       cmocka_unit_test(test_runs),         cmocka_unit_test(test_trees),
		cmocka_unit_test(test_memory_fails),  cmocka_unit_test(test_agreement),    cmocka_unit_test(test_packed),
		cmocka_unit_test(test_threads),       cmocka_unit_test(test_threads_fail), cmocka_unit_test(test_saddle),
		cmocka_unit_test(test_shared_fronts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
