// Patterns against dense assembly and dense products: mixed elements, pinned and repeated indices, all thread counts.
#include "test.h"

#include "matrices.h"

#define N 20

// A mixture: triples and pairs of unknowns with holes, then vertices in blocks of 2.
static const int32_t mixed_start[] = { 0, 3, 5, 6, 6, 10 };
static const int32_t mixed_index[] = { 4, 0, 9, 19, 2, 7, 3, -1, 3, 11 };
static const int32_t block_index[] = { 0, 5, 8, -1, 9, 0 };
static const lm_element_list mixed_lists[] = {
	{ .count = 5, .index = mixed_index, .start = mixed_start, .block = 1 },
	{ .count = 3, .index = block_index, .size = 2, .block = 2 },
};

static lm_pattern* mixed_pattern(bool symmetric)
{
	lm_host host = lm_host_default();
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(N, symmetric, mixed_lists, 2, &host, &A, NULL), LM_OK);
	return A;
}

static int unknowns_of(int l, int64_t e, int32_t* unknowns)
{
	const lm_element_list* list = &mixed_lists[l];
	int first = list->start ? list->start[e] : (int)(list->size * e), count = 0;
	int end = list->start ? list->start[e + 1] : first + list->size;
	for (int i = first; i < end; ++i)
		for (int c = 0; c < list->block; ++c)
			unknowns[count++] = list->index[i] < 0 ? -1 : list->index[i] * list->block + c;
	return count;
}

// Random locals, symmetric if wanted, and their plain dense sum.
static void mixed_numbers(const lm_pattern* A, bool symmetric, double* locals, double dense[N][N])
{
	uint64_t seed = 3;
	int64_t element = 0;
	memset(dense, 0, N * sizeof *dense);
	for (int l = 0; l < 2; ++l)
		for (int64_t e = 0; e < mixed_lists[l].count; ++e, ++element)
		{
			int32_t u[16];
			int w = unknowns_of(l, e, u);
			assert_int_equal(A->local_start[element + 1] - A->local_start[element], w * w);
			double* local = locals + A->local_start[element];
			for (int i = 0; i < w; ++i)
				for (int j = 0; j < w; ++j)
				{
					local[i * w + j] = symmetric && j < i ? local[j * w + i] : test_random(&seed);
					if (u[i] >= 0 && u[j] >= 0)
						dense[u[i]][u[j]] += local[i * w + j];
				}
		}
}

static void test_assembly(void** state)
{
	(void)state;
	for (int symmetric = 0; symmetric < 2; ++symmetric)
	{
		lm_pattern* A = mixed_pattern(symmetric);
		double locals[512], dense[N][N], values[512], scattered[512] = { 0 };
		assert_in_range(A->local_count, 1, 512);
		mixed_numbers(A, symmetric, locals, dense);
		lm_pattern_gather(A, locals, 1, values);
		for (int64_t e = 0; e < A->element_count; ++e)
			lm_pattern_scatter(A, e, locals + A->local_start[e], scattered);
		assert_memory_equal(values, scattered, (size_t)A->entries * sizeof(double));
		for (int i = 0; i < N; ++i)
			for (int j = 0; j < N; ++j)
			{
				int64_t at = lm_pattern_find(A, i, j);
				assert_near(at < 0 ? 0 : values[at], dense[i][j], 1e-15);
			}
		for (int j = 0; j < N; ++j)
		{
			assert_int_equal(A->diagonal[j], lm_pattern_find(A, j, j));
			for (int k = A->start[j]; k + 1 < A->start[j + 1]; ++k)
				assert_true(A->row[k] < A->row[k + 1]);
			for (int k = A->start[j]; k < A->start[j + 1]; ++k)
				assert_true(!symmetric || A->row[k] <= j);
		}
		lm_pattern_destroy(A);
	}
}

static void test_products(void** state)
{
	(void)state;
	for (int symmetric = 0; symmetric < 2; ++symmetric)
	{
		lm_pattern* A = mixed_pattern(symmetric);
		double locals[512], dense[N][N], values[512], d[N], diagonal[N], y[2 * N], yt[N], both[3 * N], product[3 * N];
		mixed_numbers(A, symmetric, locals, dense);
		lm_pattern_gather(A, locals, 1, values);
		double* x = test_vector(2 * N, 5);
		for (int i = 0; i < N; ++i)
			d[i] = i, dense[i][i] += 0.5 * i + 2;
		lm_pattern_add_diagonal(A, 0.5, d, values);
		lm_pattern_add_diagonal(A, 2, NULL, values);
		lm_pattern_diagonal(A, values, diagonal);
		lm_pattern_multiply(A, values, x, y);
		lm_pattern_multiply(A, values, x + N, y + N);
		for (int i = 0; i < N; ++i) // the same two columns, row by row
			both[3 * i] = x[i], both[3 * i + 1] = x[N + i], product[3 * i + 2] = 77;
		lm_pattern_multiply_rows(A, values, 2, both, 3, product);
		lm_pattern_multiply_transposed(A, values, x, yt);
		double form = 0;
		for (int i = 0; i < N; ++i)
		{
			double row = 0, second = 0, column = 0;
			for (int j = 0; j < N; ++j)
			{
				row += dense[i][j] * x[j], second += dense[i][j] * x[N + j], column += dense[j][i] * x[j];
				form += x[i] * dense[i][j] * x[N + j];
			}
			assert_near(y[i], row, 1e-14);
			assert_near(y[N + i], second, 1e-14);
			assert_near(yt[i], column, 1e-14);
			assert_near(product[3 * i], row, 1e-14);
			assert_near(product[3 * i + 1], second, 1e-14);
			assert_true(product[3 * i + 2] == 77);
			assert_near(diagonal[i], dense[i][i], 1e-14);
		}
		assert_near(lm_pattern_form(A, values, x, x + N), form, 1e-13);
		free(x);
		lm_pattern_destroy(A);
	}
}

static void test_threads(void** state)
{
	(void)state;
	test_grid grid = test_grid_create(9, true);
	double* scattered = calloc((size_t)grid.pattern->entries, sizeof(double));
	for (int64_t e = 0; e < grid.list.count; ++e)
		lm_pattern_scatter(grid.pattern, e, grid.locals + e * 576, scattered);
	for (int threads = 1; threads <= 5; ++threads)
	{
		lm_pattern_gather(grid.pattern, grid.locals, threads, grid.values);
		assert_memory_equal(grid.values, scattered, (size_t)grid.pattern->entries * sizeof(double));
	}
	free(scattered);
	test_grid_destroy(&grid);
}

static void test_bad_and_empty(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_pattern* A = NULL;
	assert_int_equal(lm_pattern_create(N - 1, true, mixed_lists, 2, &host, &A, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "index 19, but 18 is the last one"));
	assert_int_equal(lm_pattern_create(INT64_C(1) << 40, true, NULL, 0, &host, &A, &error), LM_BAD_INPUT);
	int32_t* huge = calloc(50000, sizeof *huge);
	lm_element_list wide = { .count = 1, .index = huge, .size = 50000, .block = 1 };
	assert_int_equal(lm_pattern_create(1, true, &wide, 1, &host, &A, &error), LM_BAD_INPUT);
	free(huge);
	assert_null(A);
	assert_int_equal(lm_pattern_create(0, true, NULL, 0, &host, &A, &error), LM_OK);
	assert_int_equal(A->entries, 0);
	lm_pattern_destroy(A);
	assert_int_equal(lm_pattern_create(4, false, NULL, 0, &host, &A, &error), LM_OK);
	assert_int_equal(A->entries, 4); // the diagonal
	lm_pattern_destroy(A);
	lm_pattern_destroy(NULL);
}

static void test_memory_fails(void** state)
{
	(void)state;
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_pattern* A = NULL;
		lm_status status = lm_pattern_create(N, true, mixed_lists, 2, &host, &A, NULL);
		if (status == LM_OK)
			lm_pattern_destroy(A);
		else
			assert_int_equal(status, LM_NO_MEMORY);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
		{
			assert_true(fail_at > 10);
			break;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_assembly),      cmocka_unit_test(test_products),     cmocka_unit_test(test_threads),
		cmocka_unit_test(test_bad_and_empty), cmocka_unit_test(test_memory_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
