// Point-sampled surfaces: points with normals become discs, which are posed and moved as any surface is (Sec. 4.3).
#include "test.h"

#include "limber/design.h"
#include "limber/io.h"
#include "math/vec.h"

#include <unistd.h>

enum
{
	POINTS = 900
};

// Even points of an ellipsoid and its normals.
static lm_mesh* ellipsoid(const lm_host* host, double* normals)
{
	lm_mesh* mesh = lm_mesh_create(host, POINTS, 0, 0);
	for (int i = 0; i < POINTS; ++i)
	{
		double z = 1 - 2 * (i + 0.5) / POINTS, turn = 2.399963229728653 * i, r = sqrt(1 - z * z);
		lm_vec3 n = lm_v3(r * cos(turn), r * sin(turn), z);
		lm_v3_store(mesh->positions, i, lm_v3(0.3 * n.x, 0.5 * n.y, 0.4 * n.z));
		lm_v3_store(normals, i, lm_normalize_or(lm_v3(n.x / 0.3, n.y / 0.5, n.z / 0.4), lm_v3(0, 1, 0)));
	}
	return mesh;
}

static void discs_lie_across_the_normals(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	double normals[3 * POINTS], area = 0;
	lm_mesh *points = ellipsoid(&host, normals), *discs = NULL;
	const int32_t some[] = { 5, 7 };
	lm_error error;
	assert_int_equal(lm_mesh_set_group(points, "some", some, 2, &error), LM_OK);
	assert_int_equal(lm_mesh_discs(points, normals, &discs, &error), LM_OK);
	assert_int_equal(discs->vertex_count, 7 * POINTS);
	assert_int_equal(discs->groups[lm_mesh_find_group(discs, "some")].count, 14);
	assert_int_equal(lm_mesh_check(discs, "discs", &error), LM_OK);
	for (int i = 0; i < 3 * POINTS; ++i)
		assert_near(discs->positions[i], points->positions[i], 0);
	for (int t = 0; t < discs->triangle_count; ++t)
	{
		const int32_t* c = discs->triangles + 3 * t;
		lm_vec3 a = lm_v3_at(discs->positions, c[0]), b = lm_sub(lm_v3_at(discs->positions, c[1]), a);
		lm_vec3 twice = lm_cross(b, lm_sub(lm_v3_at(discs->positions, c[2]), a));
		assert_near(lm_dot(twice, lm_v3_at(normals, c[0])), lm_length(twice), 1e-9 * lm_length(twice));
		area += lm_length(twice) / 2;
	}
	assert_near(area, 1.5 * 2.0, 0.4); // the ellipsoid has 2.0 m^2
	// all in one place, which has no neighbourhood
	for (int i = 0; i < 3 * POINTS; ++i)
		points->positions[i] = 1;
	lm_mesh_destroy(discs);
	assert_int_equal(lm_mesh_discs(points, normals, &discs, &error), LM_OK);
	for (int i = 0; i < 3 * discs->vertex_count; ++i)
		assert_true(isfinite(discs->positions[i]));
	lm_mesh_destroy(discs);
	lm_mesh_destroy(points);
}

// Nodes moved by an affine map move points by that map, and normals by its inverse transpose: Eq. 7.
static void points_and_normals_are_moved(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	double normals[3 * POINTS], nodes[3 * 64];
	lm_mesh *points = ellipsoid(&host, normals), *discs = NULL;
	lm_error error;
	assert_int_equal(lm_mesh_discs(points, normals, &discs, &error), LM_OK);
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = discs, def.nodes = 30, def.voxels = 4000;
	lm_design_model* model = NULL;
	if (lm_design_model_create(&def, &host, &model, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_mat3 A = { { { 1.2, 0.3, 0 }, { -0.1, 0.8, 0.2 }, { 0.1, 0, 1.1 } } }, inverse;
	assert_true(lm_invert(A, &inverse));
	lm_design_model_nodes(model, nodes);
	for (int i = 0; i < lm_design_model_node_count(model); ++i)
		lm_v3_store(nodes, i, lm_add(lm_mul_v(A, lm_v3_at(nodes, i)), lm_v3(1, 2, 3)));
	double *x = malloc(24 * (size_t)discs->vertex_count), *n = malloc(24 * (size_t)discs->vertex_count);
	lm_design_surface(model, nodes, 1, x, n);
	for (int i = 0; i < POINTS; ++i)
	{
		lm_vec3 moved = lm_add(lm_mul_v(A, lm_v3_at(points->positions, i)), lm_v3(1, 2, 3));
		lm_vec3 normal = lm_normalize_or(lm_tmul_v(inverse, lm_v3_at(normals, i)), lm_v3(0, 1, 0));
		assert_near(lm_distance(moved, lm_v3_at(x, i)), 0, 1e-9);
		assert_near(lm_distance(normal, lm_v3_at(n, i)), 0, 1e-6);
	}
	free(x);
	free(n);
	lm_design_model_destroy(model);
	lm_mesh_destroy(discs);
	lm_mesh_destroy(points);
}

static lm_status read_text(const char* text, lm_mesh** mesh, lm_error* error)
{
	char path[] = "/tmp/limber-points-XXXXXX.ply";
	int descriptor = mkstemps(path, 4);
	assert_true(descriptor >= 0);
	assert_true(write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
	close(descriptor);
	lm_host host = lm_host_default();
	lm_status status = lm_mesh_read(path, &host, mesh, error);
	unlink(path);
	return status;
}

#define HEAD "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define NORMALS "property float nx\nproperty float ny\nproperty float nz\n"

static void files_of_points_are_read(void** state)
{
	(void)state;
	lm_mesh* mesh = NULL;
	lm_error error;
	static const char with[] = HEAD NORMALS "end_header\n0 0 0 0 0 1\n1 0 0 0 0 2\n0 1 0 0 0 0\n";
	assert_int_equal(read_text(with, &mesh, &error), LM_OK);
	assert_int_equal(mesh->vertex_count, 21);
	assert_int_equal(mesh->triangle_count, 18);
	lm_mesh_destroy(mesh);
	static const char without[] = HEAD "end_header\n0 0 0\n1 0 0\n0 1 0\n";
	assert_int_equal(read_text(without, &mesh, &error), LM_OK);
	assert_int_equal(mesh->vertex_count, 3);
	lm_mesh_destroy(mesh);
	static const char faces[] = HEAD NORMALS "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
											 "0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n";
	assert_int_equal(read_text(faces, &mesh, &error), LM_OK);
	assert_int_equal(mesh->vertex_count, 3);
	assert_int_equal(mesh->triangle_count, 1);
	lm_mesh_destroy(mesh);
	static const char bad[] = HEAD NORMALS "end_header\n0 0 0 0 0 1\n1 0 0 0 nan 1\n0 1 0 0 0 1\n";
	assert_int_equal(read_text(bad, &mesh, &error), LM_BAD_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(discs_lie_across_the_normals),
		cmocka_unit_test(points_and_normals_are_moved),
		cmocka_unit_test(files_of_points_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
