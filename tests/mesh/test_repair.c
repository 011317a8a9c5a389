// Surfaces as they are found: doubled and loose vertices, triangles without area or twice there; and the way back.
#include "test.h"

#include "limber/mesh.h"

static lm_host host;

// Two squares of two triangles each side by side, whose seam (x = 1) is doubled; then what is asked for.
enum
{
	SEAM = 8
};

static lm_mesh* squares(const lm_host* h, int32_t vertices, int32_t triangles)
{
	static const double corners[SEAM][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 }, { 1, 0, 1 },
		                                     { 1, 0, 0 }, { 2, 0, 0 }, { 1, 0, 1 }, { 2, 0, 1 } };
	static const int32_t own[12] = { 0, 2, 1, 1, 2, 3, 4, 6, 5, 5, 6, 7 };
	lm_mesh* mesh = lm_mesh_create(h, SEAM + vertices, 4 + triangles, 0);
	if (mesh == NULL)
		return NULL;
	memcpy(mesh->positions, corners, sizeof corners);
	memcpy(mesh->triangles, own, sizeof own);
	return mesh;
}

static void good_ones_are_left_alone(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh* mesh = squares(&host, 0, 0);
	for (int32_t v = 4; v < SEAM; ++v)
		mesh->positions[3 * v] += 0.001; // close, but apart
	lm_repair* repair = (lm_repair*)&error;
	assert_int_equal(lm_mesh_repair(mesh, &host, &repair, &error), LM_OK);
	assert_null(repair);
	lm_mesh_destroy(mesh);
}

static void all_faults_at_once(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh* mesh = squares(&host, 3, 4);
	double loose[9] = { 0.25, 3, 0.25, 0.5, 0, 0, 5, 5, 5 };
	memcpy(mesh->positions + 3 * SEAM, loose, sizeof loose);
	// of three on a line, one vertex twice, two of the same place, and the first one again, turned round
	int32_t more[12] = { 0, 9, 1, 2, 2, 3, 1, 4, 6, 1, 2, 0 };
	memcpy(mesh->triangles + 12, more, sizeof more);
	assert_int_equal(lm_mesh_set_group(mesh, "right", (int32_t[]){ 4, 5, 6, 7, 8 }, 5, &error), LM_OK);
	lm_repair* repair;
	assert_int_equal(lm_mesh_repair(mesh, &host, &repair, &error), LM_OK);
	assert_non_null(repair);
	assert_int_equal(repair->doubled.count, 2);
	assert_int_equal(repair->doubled.items[0], 4);
	assert_int_equal(repair->doubled.items[1], 6);
	assert_int_equal(repair->flat.count, 3);
	assert_int_equal(repair->flat.items[0], 4);
	assert_int_equal(repair->repeated.count, 1);
	assert_int_equal(repair->repeated.items[0], 7);
	assert_int_equal(repair->loose.count, 3);
	assert_int_equal(repair->loose.items[1], 9);
	assert_int_equal(repair->mesh->vertex_count, 6);
	assert_int_equal(repair->mesh->triangle_count, 4);
	assert_int_equal(lm_mesh_check(repair->mesh, "", &error), LM_OK);
	lm_mesh_facts facts;
	assert_int_equal(lm_mesh_get_facts(repair->mesh, &host, &facts, &error), LM_OK);
	assert_int_equal(facts.components, 1);
	assert_near(facts.area, 2, 1e-12);
	const lm_group* right = &repair->mesh->groups[lm_mesh_find_group(repair->mesh, "right")];
	assert_int_equal(right->count, 4); // the seam's vertices, too; the loose one is not there
	lm_repair_destroy(repair);
	lm_mesh_destroy(mesh);
}

// All vertices come back: doubled ones at their place, loose ones on the surface.
static void the_way_back(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh* mesh = squares(&host, 1, 0);
	memcpy(mesh->positions + 3 * SEAM, (const double[3]){ 0.25, 3, 0.25 }, 3 * sizeof(double));
	lm_repair* repair;
	assert_int_equal(lm_mesh_repair(mesh, &host, &repair, &error), LM_OK);
	double back[3 * (SEAM + 1)];
	for (int32_t v = 0; v < repair->mesh->vertex_count; ++v)
		repair->mesh->positions[3 * v + 1] += 7; // moved
	lm_binding_apply(repair->binding, repair->mesh->positions, 1, back);
	for (int32_t v = 0; v < SEAM; ++v)
		for (int c = 0; c < 3; ++c)
			assert_true(back[3 * v + c] == mesh->positions[3 * v + c] + (c == 1 ? 7 : 0)); // exactly
	assert_near(back[3 * SEAM], 0.25, 1e-6);
	assert_near(back[3 * SEAM + 1], 7, 1e-6);
	for (int32_t v = 0; v < repair->mesh->vertex_count; ++v)
		assert_int_equal(repair->place[repair->kept[v]], v);
	lm_repair_destroy(repair);
	lm_mesh_destroy(mesh);
}

static void nothing_left(void** state)
{
	(void)state;
	lm_error error;
	lm_mesh* mesh = lm_mesh_create(&host, 3, 1, 0);
	memcpy(mesh->triangles, (const int32_t[]){ 0, 1, 2 }, 3 * sizeof(int32_t));
	lm_repair* repair = NULL;
	assert_int_equal(lm_mesh_repair(mesh, &host, &repair, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "none has an area"));
	mesh->triangles[1] = 17;
	assert_int_equal(lm_mesh_repair(mesh, &host, &repair, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "names vertex 17"));
	assert_null(repair);
	lm_mesh_destroy(mesh);
}

static void every_allocation_may_fail(void** state)
{
	(void)state;
	for (int64_t fail_at = 1;; ++fail_at)
	{
		test_memory memory = { .fail_at = 0 };
		lm_host narrow = test_host(&memory);
		lm_error error;
		lm_mesh* mesh = squares(&narrow, 1, 0);
		memory.requests = 0, memory.fail_at = fail_at;
		lm_repair* repair = NULL;
		lm_status status = lm_mesh_repair(mesh, &narrow, &repair, &error);
		assert_true(status == LM_OK || (status == LM_NO_MEMORY && repair == NULL));
		lm_repair_destroy(repair);
		lm_mesh_destroy(mesh);
		assert_int_equal(memory.held, 0);
		if (status == LM_OK)
			break;
	}
}

int main(void)
{
	host = lm_host_default();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_ones_are_left_alone),
		cmocka_unit_test(all_faults_at_once),
		cmocka_unit_test(the_way_back),
		cmocka_unit_test(nothing_left),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
