// Lattices around surfaces of every kind, and the test of triangles against tetrahedra that they stand on.
#include "test.h"

#include "mesh/shapes.h"

#include "mesh/bvh.h"
#include "mesh/closest.h"
#include "mesh/topology.h"
#include "mesh/triangle_tet.h"

static lm_mesh* lattice_of_size(const lm_mesh* surface, double size)
{
	lm_host host = lm_host_default();
	lm_lattice_settings settings = lm_lattice_settings_default();
	lm_error error = { 0 };
	settings.size = size;
	lm_mesh* lattice = NULL;
	if (lm_lattice_create(surface, &settings, &host, &lattice, &error) != LM_OK)
		fail_msg("%s", error.message);
	return lattice;
}

// Every vertex in use, no two in one place, edges and angles of the body-centred lattice, all of `surface` covered.
static void expect_sound(const lm_mesh* lattice, const lm_mesh* surface, double size)
{
	lm_host host = lm_host_default();
	lm_error error;
	if (lm_mesh_check(lattice, "lattice", &error) != LM_OK)
		fail_msg("%s", error.message);
	assert_true(lattice->tet_count > 0);
	unsigned char* used = calloc((size_t)lattice->vertex_count, 1);
	for (int t = 0; t < lattice->tet_count; ++t)
	{
		lm_vec3 x[4];
		for (int i = 0; i < 4; ++i)
		{
			used[lattice->tets[4 * t + i]] = 1;
			x[i] = lm_v3_at(lattice->positions, lattice->tets[4 * t + i]);
		}
		assert_near(shape_tet_volume(lattice, t) / pow(size, 3), 1.0 / 12, 1e-9);
		int square = 0, sixty = 0;
		for (int i = 0; i < 4; ++i)
			for (int j = i + 1; j < 4; ++j)
			{
				int k = (i + 1) % 4 == j ? (j + 1) % 4 : (i + 1) % 4, l = 6 - i - j - k;
				lm_vec3 e = lm_sub(x[j], x[i]);
				lm_vec3 n1 = lm_cross(e, lm_sub(x[k], x[i])), n2 = lm_cross(e, lm_sub(x[l], x[i]));
				double cosine = lm_dot(n1, n2) / (lm_length(n1) * lm_length(n2)), length = lm_length(e) / size;
				square += fabs(cosine) < 1e-6 && fabs(length - 1) < 1e-6;
				sixty += fabs(cosine - 0.5) < 1e-6 && fabs(length - sqrt(0.75)) < 1e-6;
			}
		assert_int_equal(square, 2);
		assert_int_equal(sixty, 4);
	}
	for (int v = 0; v < lattice->vertex_count; ++v)
		assert_int_equal(used[v], 1);
	free(used);
	lm_bvh bvh;
	assert_int_equal(lm_bvh_create(lattice->tets, lattice->tet_count, 4, lattice->positions, &host, &bvh, NULL), LM_OK);
	uint64_t seed = 31;
	for (int k = 0; k < 3 * surface->triangle_count; ++k)
	{
		lm_vec3 p = lm_v3_at(surface->positions, surface->triangles[k]);
		if (k % 3 == 0) // and a point in the middle of the triangle somewhere
		{
			lm_vec3 q = lm_v3_at(surface->positions, surface->triangles[k + 1]);
			lm_vec3 r = lm_v3_at(surface->positions, surface->triangles[k + 2]);
			double s = 0.5 + 0.5 * test_random(&seed), t = 0.5 + 0.5 * test_random(&seed);
			assert_true(lm_bvh_containing_tet(&bvh, lm_lerp(p, lm_lerp(q, r, s), t), 1e-9, NULL) >= 0);
		}
		assert_true(lm_bvh_containing_tet(&bvh, p, 1e-9, NULL) >= 0);
	}
	lm_bvh_release(&bvh);
}

static void sphere_is_covered_and_filled(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_vec3 centre = lm_v3(5, -3, 2);
	lm_mesh* sphere = shape_sphere(&host, 20, centre, 1, -1);
	const double sizes[3] = { 0.9, 0.31, 0.12 };
	for (int i = 0; i < 3; ++i)
	{
		double h = sizes[i];
		lm_mesh* lattice = lattice_of_size(sphere, h);
		expect_sound(lattice, sphere, h);
		lm_bvh bvh;
		assert_int_equal(lm_bvh_create(lattice->tets, lattice->tet_count, 4, lattice->positions, &host, &bvh, NULL),
		                 LM_OK);
		uint64_t seed = 1;
		for (int k = 0; k < 2000; ++k)
		{
			lm_vec3 d = lm_v3(2 * test_random(&seed), 2 * test_random(&seed), 2 * test_random(&seed));
			bool covered = lm_bvh_containing_tet(&bvh, lm_add(centre, d), 1e-9, NULL) >= 0;
			assert_true(covered || lm_length(d) > 0.98);   // no hole inside
			assert_true(!covered || lm_length(d) < 1 + h); // and not fatter than it must be
		}
		lm_bvh_release(&bvh);
		lm_mesh_destroy(lattice);
	}
	lm_mesh_destroy(sphere);
}

// Every tetrahedron is there for a reason: no other rule would keep it.
static void nothing_is_kept_in_vain(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* sphere = shape_sphere(&host, 14, lm_v3(0, 0, 0), 1, -1);
	lm_mesh* lattice = lattice_of_size(sphere, 0.25);
	int full = 0;
	for (int t = 0; t < lattice->tet_count; ++t)
	{
		lm_vec3 x[4];
		double nearest = INFINITY;
		bool touched = false;
		for (int i = 0; i < 4; ++i)
		{
			x[i] = lm_v3_at(lattice->positions, lattice->tets[4 * t + i]);
			nearest = fmin(nearest, lm_length(x[i]));
		}
		for (int s = 0; !touched && s < sphere->triangle_count; ++s)
		{
			lm_vec3 triangle[3];
			for (int i = 0; i < 3; ++i)
				triangle[i] = lm_v3_at(sphere->positions, sphere->triangles[3 * s + i]);
			touched = lm_triangle_touches_tet(triangle, x, 1e-8);
		}
		assert_true(touched || nearest < 1);
		full += !touched;
	}
	assert_true(full > lattice->tet_count / 5);
	lm_mesh_destroy(lattice);
	lm_mesh_destroy(sphere);
}

static void budgets_are_met(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* sphere = shape_sphere(&host, 10, lm_v3(0, 0, 0), 0.01, -1);
	lm_mesh* block = shape_block(&host, 9, 2, 1);
	assert_int_equal(lm_mesh_extract_surface(block, &error), LM_OK);
	const int32_t wanted[8] = { 8, 20, 60, 150, 500, 1000, 3000, 10000 };
	for (int i = 0; i < 16; ++i)
	{
		const lm_mesh* surface = i % 2 ? sphere : block;
		lm_lattice_settings settings = lm_lattice_settings_default();
		settings.vertices = wanted[i / 2];
		lm_mesh* lattice;
		assert_int_equal(lm_lattice_create(surface, &settings, &host, &lattice, &error), LM_OK);
		double ratio = (double)lattice->vertex_count / wanted[i / 2];
		if (wanted[i / 2] >= 60 ? ratio < 0.9 || ratio > 1.106 : ratio < 0.7 || ratio > 1.4)
			fail_msg("%d vertices instead of %d", lattice->vertex_count, wanted[i / 2]);
		const int32_t* e = lattice->tets; // the two centres are first: their distance is the size
		double size = lm_distance(lm_v3_at(lattice->positions, e[0]), lm_v3_at(lattice->positions, e[1]));
		if (wanted[i / 2] <= 1000)
			expect_sound(lattice, surface, size);
		lm_mesh_destroy(lattice);
	}
	assert_int_equal(lm_lattice_settings_default().vertices, 500);
	lm_mesh_destroy(sphere);
	lm_mesh_destroy(block);
}

static void open_overlapping_and_wild_surfaces(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* bowl = shape_sphere(&host, 24, lm_v3(0, 0, 0), 1, -0.7); // a hole at the bottom: still mostly inside
	lm_mesh* lattice = lattice_of_size(bowl, 0.2);
	expect_sound(lattice, bowl, 0.2);
	assert_true(shape_tets_volume(lattice) > 4.0); // filled (4/3 pi), not a shell of about 3
	lm_mesh_destroy(lattice);
	lm_mesh* ball = shape_sphere(&host, 9, lm_v3(0.6, 0.1, 0), 0.8, -1);
	lm_mesh* both = shape_join(&host, bowl, ball);
	lattice = lattice_of_size(both, 0.2);
	expect_sound(lattice, both, 0.2);
	lm_mesh_destroy(lattice);
	lm_mesh* soup = shape_soup(&host, 30, 40, 6); // non-manifold, self-intersecting, open
	lattice = lattice_of_size(soup, 0.3);
	expect_sound(lattice, soup, 0.3);
	lm_mesh_destroy(lattice);
	for (int i = 0; i < 30; ++i) // some of it degenerate
		lm_v3_store(soup->positions, i, i % 3 ? lm_v3(0.1 * i, 0.2 * i, 0) : lm_v3(1, 1, 1));
	lattice = lattice_of_size(soup, 0.3);
	expect_sound(lattice, soup, 0.3);
	lm_mesh_destroy(lattice);
	lm_mesh_destroy(soup);
	lm_mesh_destroy(both);
	lm_mesh_destroy(ball);
	lm_mesh_destroy(bowl);
}

static void sheets_needles_and_specks(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* sheet = lm_mesh_create(&host, 4, 2, 0);
	const double xyz[12] = { 0, 0, 0, 3, 0, 0, 3, 2, 0, 0, 2, 0 };
	memcpy(sheet->positions, xyz, sizeof xyz);
	memcpy(sheet->triangles, (int32_t[]){ 0, 1, 2, 0, 2, 3 }, 6 * sizeof(int32_t));
	lm_mesh* lattice = lattice_of_size(sheet, 0.25);
	expect_sound(lattice, sheet, 0.25);
	lm_mesh_destroy(lattice);
	lm_lattice_settings settings = lm_lattice_settings_default();
	assert_int_equal(lm_lattice_create(sheet, &settings, &host, &lattice, &error), LM_OK);
	assert_true(abs(lattice->vertex_count - 500) <= 50);
	lm_mesh_destroy(lattice);
	for (int v = 0; v < 4; ++v) // a slanted line: area zero
		lm_v3_store(sheet->positions, v, lm_v3(v, 0.5 * v, -v));
	lattice = lattice_of_size(sheet, 0.25);
	expect_sound(lattice, sheet, 0.25);
	lm_mesh_destroy(lattice);
	assert_int_equal(lm_lattice_create(sheet, &settings, &host, &lattice, &error), LM_OK);
	assert_true(abs(lattice->vertex_count - 500) <= 50);
	lm_mesh_destroy(lattice);
	lm_mesh_destroy(sheet);
	// a big ball and a speck far from it: both are kept, as two components
	lm_mesh* ball = shape_sphere(&host, 10, lm_v3(0, 0, 0), 1, -1);
	lm_mesh* speck = shape_sphere(&host, 3, lm_v3(4, 1, 2), 0.01, -1);
	lm_mesh* both = shape_join(&host, ball, speck);
	lattice = lattice_of_size(both, 0.4);
	expect_sound(lattice, both, 0.4);
	lm_adjacency neighbours;
	assert_int_equal(lm_topology_neighbours(lattice, &host, &neighbours, &error), LM_OK);
	int32_t* component = calloc((size_t)lattice->vertex_count, 2 * sizeof(int32_t));
	assert_int_equal(lm_topology_components(&neighbours, component, component + lattice->vertex_count), 2);
	free(component);
	lm_adjacency_release(&neighbours, &host);
	lm_mesh_destroy(lattice);
	lm_mesh_destroy(ball);
	lm_mesh_destroy(speck);
	lm_mesh_destroy(both);
}

static void tiny_huge_and_distant_surfaces(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const double scales[3] = { 1e-12, 1e12, 1 };
	for (int i = 0; i < 3; ++i)
	{
		lm_vec3 centre = i == 2 ? lm_v3(1e5, -2e5, 3e4) : lm_v3(0, 0, 0);
		lm_mesh* sphere = shape_sphere(&host, 8, centre, scales[i], -1);
		lm_mesh* lattice = lattice_of_size(sphere, 0.5 * scales[i]);
		expect_sound(lattice, sphere, 0.5 * scales[i]);
		lm_mesh_destroy(lattice);
		lm_mesh_destroy(sphere);
	}
}

static void threads_and_repeats_change_no_bit(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* sphere = shape_sphere(&host, 12, lm_v3(0.1, 0.2, 0.3), 1, -0.4);
	lm_mesh* reference = lattice_of_size(sphere, 0.13);
	lm_lattice_settings settings = lm_lattice_settings_default();
	settings.size = 0.13;
	for (host.threads = 1; host.threads <= 4; ++host.threads)
	{
		lm_mesh* lattice;
		assert_int_equal(lm_lattice_create(sphere, &settings, &host, &lattice, NULL), LM_OK);
		assert_int_equal(lattice->vertex_count, reference->vertex_count);
		assert_int_equal(lattice->tet_count, reference->tet_count);
		assert_memory_equal(lattice->positions, reference->positions, 24 * (size_t)lattice->vertex_count);
		assert_memory_equal(lattice->tets, reference->tets, 16 * (size_t)lattice->tet_count);
		lm_mesh_destroy(lattice);
	}
	// order: the corners of a tetrahedron are near each other in memory
	double apart = 0;
	for (int t = 0; t < reference->tet_count; ++t)
		apart += abs(reference->tets[4 * t] - reference->tets[4 * t + 1]);
	assert_true(apart / reference->tet_count < 0.1 * reference->vertex_count);
	lm_mesh_destroy(reference);
	lm_mesh_destroy(sphere);
}

static void count_warnings(lm_log_level level, const char* message, void* context)
{
	assert_int_equal(level, LM_LOG_WARNING);
	assert_non_null(strstr(message, "faces inwards"));
	++*(int*)context;
}

// An artist's surface with all normals inwards gets the same lattice as the right one, and a word about it.
static void inward_surfaces_are_filled_too(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* sphere = shape_sphere(&host, 12, lm_v3(5, 5, 5), 1, -0.6);
	lm_mesh* reference = lattice_of_size(sphere, 0.2);
	for (int t = 0; t < sphere->triangle_count; ++t)
	{
		int32_t swap = sphere->triangles[3 * t];
		sphere->triangles[3 * t] = sphere->triangles[3 * t + 2];
		sphere->triangles[3 * t + 2] = swap;
	}
	int warnings = 0;
	host.log = count_warnings;
	host.log_context = &warnings;
	lm_lattice_settings settings = lm_lattice_settings_default();
	settings.size = 0.2;
	lm_mesh* lattice;
	assert_int_equal(lm_lattice_create(sphere, &settings, &host, &lattice, NULL), LM_OK);
	assert_int_equal(warnings, 1);
	assert_int_equal(lattice->vertex_count, reference->vertex_count);
	assert_memory_equal(lattice->tets, reference->tets, 16 * (size_t)reference->tet_count);
	lm_mesh_destroy(lattice);
	lm_mesh_destroy(reference);
	lm_mesh_destroy(sphere);
}

// The lattice sits symmetrically around a symmetric surface.
static void symmetric_surfaces_get_symmetric_lattices(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* sphere = shape_sphere(&host, 8, lm_v3(0, 0, 0), 1, -1);
	lm_mesh* lattice = lattice_of_size(sphere, 0.35);
	for (int v = 0; v < lattice->vertex_count; ++v)
	{
		bool mirrored = false;
		lm_vec3 x = lm_v3_at(lattice->positions, v);
		for (int w = 0; !mirrored && w < lattice->vertex_count; ++w)
			mirrored = lm_distance(lm_v3(-x.x, x.y, x.z), lm_v3_at(lattice->positions, w)) < 1e-12;
		assert_true(mirrored);
	}
	lm_mesh_destroy(lattice);
	lm_mesh_destroy(sphere);
}

static void expect_refused(const lm_mesh* surface, lm_lattice_settings settings, const char* words)
{
	lm_host host = lm_host_default();
	lm_mesh* lattice = NULL;
	lm_error error;
	assert_int_equal(lm_lattice_create(surface, &settings, &host, &lattice, &error), LM_BAD_INPUT);
	assert_null(lattice);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void bad_input_is_named(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_lattice_settings plain = lm_lattice_settings_default(), s = plain;
	lm_mesh* sphere = shape_sphere(&host, 6, lm_v3(0, 0, 0), 1, -1);
	const double sizes[4] = { -1, NAN, INFINITY, 1e40 };
	for (int i = 0; i < 4; ++i)
	{
		s.size = sizes[i];
		expect_refused(sphere, s, "not a length");
	}
	s.size = 1e-4;
	expect_refused(sphere, s, "10 million vertices; use 0.0");
	s.size = 5e-324;
	expect_refused(sphere, s, ""); // too close together for doubles, or too many: either way refused
	s = plain;
	s.vertices = 7;
	expect_refused(sphere, s, "give 8 to");
	s.vertices = 10000001;
	expect_refused(sphere, s, "give 8 to");
	s = plain;
	s.inside = NAN;
	expect_refused(sphere, s, "0.5 is usual");
	int32_t count = sphere->triangle_count;
	sphere->triangle_count = 0;
	expect_refused(sphere, plain, "no triangles");
	sphere->triangle_count = count;
	int32_t corner = sphere->triangles[5];
	sphere->triangles[5] = sphere->vertex_count;
	expect_refused(sphere, plain, "triangle 1 names vertex");
	sphere->triangles[5] = corner;
	double x = sphere->positions[4];
	sphere->positions[4] = NAN;
	expect_refused(sphere, plain, "vertex 1 of the surface is not finite");
	sphere->positions[4] = x;
	for (int v = 0; v < sphere->vertex_count; ++v)
		sphere->positions[3 * v] += 1e12;
	expect_refused(sphere, plain, "move the surface closer");
	for (int i = 0; i < 3 * sphere->vertex_count; ++i)
		sphere->positions[i] = 0.3;
	expect_refused(sphere, plain, "single point");
	lm_mesh_destroy(sphere);
}

// A refusal proposes a size that works (10 million vertices are 40 / size^3) and is not far from the finest that does.
static void proposed_size_is_sensible(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_mesh* bar = shape_block(&host, 40, 1, 1);
	assert_int_equal(lm_mesh_extract_surface(bar, &error), LM_OK);
	lm_lattice_settings settings = lm_lattice_settings_default();
	settings.size = 1e-3;
	lm_mesh* lattice = NULL;
	assert_int_equal(lm_lattice_create(bar, &settings, &host, &lattice, &error), LM_BAD_INPUT);
	const char* use = strstr(error.message, "use ");
	assert_non_null(use);
	double proposed = strtod(use + 4, NULL);
	assert_true(2 * 40 / pow(proposed, 3) < 1e7 && 2 * 40 / pow(proposed, 3) > 4e6);
	lm_mesh_destroy(bar);
}

static bool stop(const char* what, double done, void* context)
{
	(void)what;
	assert_true(done >= 0 && done <= 1);
	return --*(int*)context > 0;
}

static void search_can_be_cancelled(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* sphere = shape_sphere(&host, 6, lm_v3(0, 0, 0), 1, -1);
	int calls = 1;
	host.progress = stop;
	host.progress_context = &calls;
	lm_lattice_settings settings = lm_lattice_settings_default();
	lm_mesh* lattice = NULL;
	assert_int_equal(lm_lattice_create(sphere, &settings, &host, &lattice, NULL), LM_CANCELLED);
	assert_null(lattice);
	lm_mesh_destroy(sphere);
}

static void failing_memory_leaks_nothing(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh* sphere = shape_sphere(&plain, 5, lm_v3(0, 0, 0), 1, -1);
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_lattice_settings settings = lm_lattice_settings_default();
		settings.vertices = 60;
		lm_error error;
		lm_mesh* lattice = NULL;
		lm_status status = lm_lattice_create(sphere, &settings, &host, &lattice, &error);
		lm_mesh_destroy(lattice);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
		{
			assert_true(fail_at > 20);
			break;
		}
		assert_int_equal(status, LM_NO_MEMORY);
		assert_null(lattice);
	}
	lm_mesh_destroy(sphere);
}

// Against sampling: when a sample of the triangle lies in the tetrahedron they touch; when the test says apart, the
// closest samples are apart.
static void triangles_against_tets(void** state)
{
	(void)state;
	uint64_t seed = 17;
	int touching = 0, apart = 0;
	for (int round = 0; round < 3000; ++round)
	{
		lm_vec3 triangle[3], tet[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.5, -0.5, -0.5 }, { 0.5, 0.5, -0.5 } };
		lm_vec3 shift = lm_v3(0.5 + test_random(&seed), test_random(&seed), test_random(&seed));
		for (int i = 0; i < 3; ++i)
			triangle[i] = lm_add(shift, lm_v3(test_random(&seed), test_random(&seed), test_random(&seed)));
		if (round % 4 == 0)
			triangle[2] = lm_lerp(triangle[0], triangle[1], test_random(&seed));
		bool sampled = false;
		double nearest2 = INFINITY;
		for (int i = 0; i <= 40; ++i)
			for (int j = 0; i + j <= 40; ++j)
			{
				lm_vec3 p = lm_add_scaled(lm_scale(i / 40.0, triangle[0]), j / 40.0, triangle[1]);
				double w[4];
				double distance2 = lm_closest_on_tet(lm_add_scaled(p, (40 - i - j) / 40.0, triangle[2]), tet, w);
				sampled = sampled || distance2 == 0;
				nearest2 = fmin(nearest2, distance2);
			}
		bool found = lm_triangle_touches_tet(triangle, tet, 0);
		assert_true(found || !sampled);
		assert_true(!found || sqrt(nearest2) < 0.08); // the samples are up to 2.8 / 40 apart
		assert_true(found || nearest2 < 0.01 || !lm_triangle_touches_tet(triangle, tet, 0.01));
		assert_true(lm_triangle_touches_tet(triangle, tet, sqrt(nearest2) + 1e-12)); // slack only ever adds
		touching += found;
		apart += !found;
	}
	assert_true(touching > 300 && apart > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(triangles_against_tets),
		cmocka_unit_test(sphere_is_covered_and_filled),
		cmocka_unit_test(nothing_is_kept_in_vain),
		cmocka_unit_test(budgets_are_met),
		cmocka_unit_test(open_overlapping_and_wild_surfaces),
		cmocka_unit_test(sheets_needles_and_specks),
		cmocka_unit_test(tiny_huge_and_distant_surfaces),
		cmocka_unit_test(threads_and_repeats_change_no_bit),
		cmocka_unit_test(inward_surfaces_are_filled_too),
		cmocka_unit_test(symmetric_surfaces_get_symmetric_lattices),
		cmocka_unit_test(bad_input_is_named),
		cmocka_unit_test(proposed_size_is_sensible),
		cmocka_unit_test(search_can_be_cancelled),
		cmocka_unit_test(failing_memory_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
