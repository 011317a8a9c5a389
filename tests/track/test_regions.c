// Averages against direct integration, dependent and empty regions, clusters of meshes at rest and in motion.
#include "test.h"
#include "track/clusters.h"
#include "track/rows.h"

enum
{
	side = 13,
	vertices = side * side,
	triangles = 2 * (side - 1) * (side - 1)
};

static double X[3 * vertices];
static int32_t T[3 * triangles];

static int make(void** state)
{
	(void)state;
	int32_t* t = T;
	for (int v = 0; v < vertices; ++v)
		X[3 * v] = v % side, X[3 * v + 1] = 0, X[3 * v + 2] = v / side;
	for (int j = 0; j + 1 < side; ++j)
		for (int i = 0; i + 1 < side; ++i)
		{
			int32_t a = j * side + i, b = a + 1, c = a + side, d = c + 1;
			const int32_t two[6] = { a, d, b, a, c, d };
			memcpy(t, two, sizeof two), t += 6;
		}
	return 0;
}

// The integral of f(x) x over the triangles, f and x linear on each, by the three-point rule that is exact for it.
static void integrate(const double* f, double mean[3])
{
	double total = 0;
	memset(mean, 0, 3 * sizeof *mean);
	for (int t = 0; t < triangles; ++t)
		for (int i = 0; i < 3; ++i)
		{
			int32_t a = T[3 * t + i], b = T[3 * t + (i + 1) % 3];
			double weight = (f[a] + f[b]) / 2; // at the middle of the edge; all triangles have the same area
			total += weight;
			for (int c = 0; c < 3; ++c)
				mean[c] += weight * (X[3 * a + c] + X[3 * b + c]) / 2;
		}
	for (int c = 0; c < 3; ++c)
		mean[c] /= total;
}

static void averages_are_integrals(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	int32_t region[vertices];
	for (int v = 0; v < vertices; ++v)
		region[v] = v % side < 5 ? 0 : (v / side < 4 ? 1 : -1);
	lm_rows S = { 0 }, C = { 0 };
	assert_int_equal(lm_rows_of_regions(region, vertices, 2, &host, &S, NULL), LM_OK);
	S.value[3] = 0.25; // not only zeros and ones
	assert_int_equal(lm_rows_average(&S, X, vertices, T, triangles, &host, &C, NULL), LM_OK);
	double b[6];
	lm_rows_apply(&C, X, b);
	for (int i = 0; i < 2; ++i)
	{
		double f[vertices] = { 0 }, mean[3], sum = 0;
		for (int64_t k = S.start[i]; k < S.start[i + 1]; ++k)
			f[S.index[k]] = S.value[k];
		integrate(f, mean);
		for (int c = 0; c < 3; ++c)
			assert_near(b[3 * i + c], mean[c], 1e-12);
		for (int64_t k = C.start[i]; k < C.start[i + 1]; ++k)
		{
			sum += C.value[k];
			assert_true(k == C.start[i] || C.index[k] > C.index[k - 1]);
		}
		assert_near(sum, 1, 1e-14);
	}
	lm_rows_release(&S, &host), lm_rows_release(&C, &host);
}

static void bad_regions(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	int32_t region[vertices];
	for (int v = 0; v < vertices; ++v)
		region[v] = v < 40 ? 0 : 2; // region 1 is empty
	lm_rows S = { 0 }, C = { 0 };
	assert_int_equal(lm_rows_of_regions(region, vertices, 3, &host, &S, NULL), LM_OK);
	assert_int_equal(lm_rows_average(&S, X, vertices, T, triangles, &host, &C, &error), LM_BAD_INPUT);
	assert_int_equal(error.element, 1);
	assert_non_null(strstr(error.message, "empty"));
	lm_rows_release(&S, &host);
	// the third is the sum of the two before
	int64_t start[4] = { 0, 2, 4, 8 };
	int32_t index[8] = { 0, 1, 20, 21, 0, 1, 20, 21 };
	double value[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	S = (lm_rows){ 3, start, index, value };
	assert_int_equal(lm_rows_average(&S, X, vertices, T, triangles, &host, &C, &error), LM_OK);
	assert_int_equal(lm_rows_check_independent(&C, vertices, &host, &error), LM_BAD_INPUT);
	assert_int_equal(error.element, 2);
	C.count = 2;
	assert_int_equal(lm_rows_check_independent(&C, vertices, &host, &error), LM_OK);
	C.count = 3;
	lm_rows_release(&C, &host);
	value[2] = NAN;
	assert_int_equal(lm_rows_average(&S, X, vertices, T, triangles, &host, &C, &error), LM_BAD_INPUT);
}

// Every vertex once, regions of about the same size, connected.
static void clusters_cover(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_clusters_settings settings = lm_clusters_settings_default();
	settings.compact = 1;
	const double* frames[1] = { X };
	int32_t region[vertices], again[vertices], count, sizes[16] = { 0 };
	settings.regions = 9;
	assert_int_equal(lm_clusters_find(frames, 1, vertices, T, triangles, &settings, &host, region, &count, NULL),
	                 LM_OK);
	assert_int_equal(count, 9);
	for (int v = 0; v < vertices; ++v)
	{
		assert_true(region[v] >= 0 && region[v] < count);
		++sizes[region[v]];
	}
	for (int r = 0; r < count; ++r)
		assert_true(sizes[r] > vertices / 27 && sizes[r] < vertices / 4);
	assert_int_equal(lm_clusters_find(frames, 1, vertices, T, triangles, &settings, &host, again, &count, NULL), LM_OK);
	assert_memory_equal(region, again, sizeof region);
	settings.regions = 100000; // as many as there are triangles, joined to no fewer than three vertices
	assert_int_equal(lm_clusters_find(frames, 1, vertices, T, triangles, &settings, &host, region, &count, NULL),
	                 LM_OK);
	assert_true(count >= 1 && count <= vertices);
}

// A sheet that folds in the middle in another frame: with the animation the seam lies on the fold.
static void animation_moves_the_seam(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	double folded[3 * vertices];
	const int fold = 4; // of 12 columns: not where halves would meet
	for (int v = 0; v < vertices; ++v)
	{
		memcpy(folded + 3 * v, X + 3 * v, 3 * sizeof(double));
		if (v % side > fold)
			folded[3 * v] = fold, folded[3 * v + 1] = v % side - fold;
	}
	const double* frames[2] = { X, folded };
	lm_clusters_settings settings = lm_clusters_settings_default();
	settings.regions = 2, settings.compact = 0.02;
	int32_t region[vertices], count;
	assert_int_equal(lm_clusters_find(frames, 2, vertices, T, triangles, &settings, &host, region, &count, NULL),
	                 LM_OK);
	assert_int_equal(count, 2);
	int wrong = 0;
	for (int v = 0; v < vertices; ++v)
		if (v % side != fold)
			wrong += (region[v] == region[0]) != (v % side < fold);
	assert_int_equal(wrong, 0);
}

// Denser regions on the left half.
static void density_varies(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	double density[vertices];
	for (int v = 0; v < vertices; ++v)
		density[v] = v % side < side / 2 ? 8 : 1;
	lm_clusters_settings settings = lm_clusters_settings_default();
	settings.regions = 16, settings.compact = 1, settings.density = density;
	const double* frames[1] = { X };
	int32_t region[vertices], count, left[16] = { 0 }, right[16] = { 0 };
	assert_int_equal(lm_clusters_find(frames, 1, vertices, T, triangles, &settings, &host, region, &count, NULL),
	                 LM_OK);
	for (int v = 0; v < vertices; ++v)
		++(v % side < side / 2 ? left : right)[region[v]];
	int more_left = 0, more_right = 0;
	for (int r = 0; r < count; ++r)
		more_left += left[r] > right[r], more_right += right[r] > left[r];
	assert_true(more_left >= 1.5 * more_right);
}

static void bad_settings_and_memory(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_clusters_settings settings = lm_clusters_settings_default();
	const double* frames[1] = { X };
	int32_t region[vertices], count;
	settings.regions = 0;
	assert_int_equal(lm_clusters_find(frames, 1, vertices, T, triangles, &settings, &host, region, &count, NULL),
	                 LM_BAD_INPUT);
	settings = lm_clusters_settings_default(), settings.compact = NAN;
	assert_int_equal(lm_clusters_find(frames, 1, vertices, T, triangles, &settings, &host, region, &count, NULL),
	                 LM_BAD_INPUT);
	settings = lm_clusters_settings_default();
	for (int64_t fail = 1;; ++fail)
	{
		memory = (test_memory){ .fail_at = fail };
		lm_status status = lm_clusters_find(frames, 1, vertices, T, triangles, &settings, &host, region, &count, NULL);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
			break;
		assert_int_equal(status, LM_NO_MEMORY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(averages_are_integrals), cmocka_unit_test(bad_regions),
		cmocka_unit_test(clusters_cover),         cmocka_unit_test(animation_moves_the_seam),
		cmocka_unit_test(density_varies),         cmocka_unit_test(bad_settings_and_memory),
	};
	return cmocka_run_group_tests(tests, make, NULL);
}
