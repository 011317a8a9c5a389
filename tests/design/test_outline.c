// What bodies know of each other before they look closer must never hide a touch.
#include "test.h"

#include "base/alloc.h"
#include "design/motion_pairs.h"
#include "design/shapes.h"
#include "mesh/bvh.h"
#include "mesh/winding.h"

#define NODES 20
#define BODIES 12

static lm_host host;
static lm_mesh* mesh;
static lm_design_model* model;
static lm_design_motion* motion;
static double z[BODIES * 3 * NODES];
static double* surfaces[BODIES]; // vertices of each, world
static uint64_t seed = 7;

static double uniform(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) * 0x1p-52 - 1;
}

static lm_vec3 random_vector(void)
{
	double x = uniform(), y = uniform(), w = uniform();
	return lm_v3(x, y, w);
}

static int set_up(void** state)
{
	(void)state;
	host = lm_host_default();
	mesh = test_cells((int[3]){ 4, 7, 4 }, 0.1, test_fill_all, &host);
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = mesh, def.nodes = NODES, def.voxels = 2000;
	if (lm_design_model_create(&def, &host, &model, NULL) != LM_OK)
		return 1;
	double rest[3 * NODES];
	lm_design_model_nodes(model, rest);
	lm_design_motion_key key = { .positions = rest };
	lm_design_motion_object objects[BODIES];
	for (int b = 0; b < BODIES; ++b)
	{
		objects[b] = lm_design_motion_object_default();
		objects[b].model = model, objects[b].keys = &key, objects[b].key_count = 1;
		surfaces[b] = malloc(3 * sizeof(double) * (size_t)mesh->vertex_count);
	}
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	return lm_design_motion_create(objects, BODIES, NULL, 0, &settings, &host, &motion, NULL) != LM_OK ||
	       lm_design_motion_pairs_prepare(motion, NULL) != LM_OK;
}

static int tear_down(void** state)
{
	(void)state;
	for (int b = 0; b < BODIES; ++b)
		free(surfaces[b]);
	lm_design_motion_destroy(motion);
	lm_design_model_destroy(model);
	lm_mesh_destroy(mesh);
	return 0;
}

// Bodies thrown into a box, turned and bent, some of them badly.
static void throw_bodies(double spread)
{
	for (int b = 0; b < BODIES; ++b)
	{
		double nodes[3 * NODES], bend = b % 3 == 0 ? 0 : 0.3 * uniform();
		lm_vec3 place = lm_scale(spread, random_vector()), axis = lm_normalize_or(random_vector(), lm_v3(0, 1, 0));
		lm_quat turn = lm_quat_axis_angle(axis, 3 * uniform());
		for (int i = 0; i < NODES; ++i)
		{
			lm_vec3 r = lm_sub(lm_v3_at(model->nodes, i), model->middle);
			r.x += bend * 4 * r.y * r.y, r.z += bend * r.x * r.y;
			lm_vec3 own = lm_add(place, lm_quat_rotate(turn, r));
			lm_v3_store(z + 3 * NODES * b, i, own);
			lm_v3_store(nodes, i, lm_add_scaled(model->center, model->size, own));
		}
		lm_design_surface(model, nodes, 1, surfaces[b], NULL);
	}
}

static double extreme(int b, lm_vec3 n)
{
	double most = -INFINITY;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		most = fmax(most, lm_dot(n, lm_v3_at(surfaces[b], v)));
	return most;
}

static void the_reach_is_an_upper_bound(void** state)
{
	(void)state;
	const lm_design_outline* o = motion->bodies[0].outline;
	for (int k = 0; k < 500; ++k)
	{
		lm_vec3 d = lm_scale(3, random_vector());
		double most = -INFINITY;
		for (int32_t v = 0; v < mesh->vertex_count; ++v)
			most = fmax(most, lm_dot(d, lm_sub(lm_v3_at(model->surface->positions, v), model->middle)));
		double reach = lm_design_outline_reach(o, d);
		assert_true(reach >= most - 1e-12);
		assert_true(reach < most + 0.12 * lm_length(d)); // and not much more
	}
	assert_near(lm_design_outline_reach(o, lm_v3(0, 0, 0)), 0, 0);
}

static void find_stances(lm_design_bounds bounds[BODIES])
{
	for (int b = 0; b < BODIES; ++b)
		lm_design_bounds_find(motion->bodies[b].outline, z + 3 * NODES * b, model->center, model->size, &bounds[b]);
}

static void stances_hold_what_they_promise(void** state)
{
	(void)state;
	lm_design_bounds bounds[BODIES];
	int apart = 0;
	for (int round = 0; round < 10; ++round)
	{
		throw_bodies(1.2);
		find_stances(bounds);
		for (int b = 0; b < BODIES; ++b)
			for (int32_t v = 0; v < mesh->vertex_count; ++v)
			{
				const lm_design_bounds* s = &bounds[b];
				lm_vec3 x = lm_v3_at(surfaces[b], v), r = lm_sub(lm_v3_at(model->surface->positions, v), model->middle);
				assert_true(lm_distance(x, lm_add(s->c, lm_mul_v(s->A, r))) <= s->off + 1e-9);
				assert_true(x.x >= s->low.x && x.y >= s->low.y && x.z >= s->low.z);
				assert_true(x.x <= s->high.x && x.y <= s->high.y && x.z <= s->high.z);
			}
		for (int a = 0; a < BODIES; ++a)
			for (int b = 0; b < BODIES; ++b)
			{
				lm_vec3 n;
				double begin;
				bool far = a != b && lm_design_bounds_apart(motion->bodies[a].outline, &bounds[a],
				                                            motion->bodies[b].outline, &bounds[b], 0.01, &n, &begin);
				if (a == b)
					continue;
				assert_true(begin <= -extreme(b, lm_scale(-1, n)) + 1e-9);
				assert_true(!far || extreme(a, n) + 0.01 < begin);
				apart += far;
			}
	}
	assert_true(apart > 300); // of 1320: it is worth asking
}

static void no_pair_is_missed(void** state)
{
	(void)state;
	lm_design_bounds bounds[BODIES];
	int32_t order[BODIES], pairs[BODIES * BODIES][2];
	for (int round = 0; round < 20; ++round)
	{
		throw_bodies(0.5 + 0.2 * round);
		find_stances(bounds);
		int64_t count = lm_design_bounds_pairs(bounds, BODIES, 0.05, order, pairs, BODIES * BODIES), at = 0;
		assert_int_equal(lm_design_bounds_pairs(bounds, BODIES, 0.05, order, NULL, 0), count);
		for (int32_t a = 0; a < BODIES; ++a)
			for (int32_t b = a + 1; b < BODIES; ++b)
			{
				const lm_design_bounds *p = &bounds[a], *q = &bounds[b];
				lm_vec3 gap = lm_max3(lm_sub(p->low, q->high), lm_sub(q->low, p->high));
				bool meet = fmax(gap.x, fmax(gap.y, gap.z)) <= 0.05;
				bool listed = at < count && pairs[at][0] == a && pairs[at][1] == b;
				assert_int_equal(meet, listed);
				at += listed;
			}
		assert_int_equal(at, count);
	}
}

static bool is_listed(const lm_design_pair_contacts* m, int32_t a, int32_t point, int32_t b)
{
	for (size_t k = 0; k < m->count; ++k)
		if (m->touches[k].a == a && m->touches[k].b == b && m->touches[k].point == point)
			return true;
	return false;
}

// Whatever the winding number of the deformed surface says is inside another body, the search finds.
static void no_point_inside_is_missed(void** state)
{
	(void)state;
	lm_design_pair_contacts contacts = { 0 };
	int inside = 0;
	for (int round = 0; round < 6; ++round)
	{
		throw_bodies(0.9);
		assert_true(lm_design_motion_find_depths(motion, 0.5, z, &contacts));
		for (int32_t b = 0; b < BODIES; ++b)
		{
			lm_bvh bvh;
			lm_winding winding;
			assert_int_equal(lm_bvh_create(mesh->triangles, mesh->triangle_count, 3, surfaces[b], &host, &bvh, NULL),
			                 LM_OK);
			assert_int_equal(lm_winding_create(&bvh, &winding, NULL), LM_OK);
			for (int32_t a = 0; a < BODIES; ++a)
				for (int32_t v = 0; a != b && v < mesh->vertex_count; ++v)
				{
					lm_vec3 x = lm_v3_at(surfaces[a], v);
					double depth = sqrt(lm_bvh_closest(&bvh, x, INFINITY).distance2);
					if (lm_winding_number(&winding, x, 2) < 0.5 || depth < 0.03 * model->size)
						continue; // the trilinear map differs by about this much where bodies are bent badly
					assert_true(is_listed(&contacts, a, v, b));
					++inside;
				}
			lm_winding_release(&winding);
			lm_bvh_release(&bvh);
		}
	}
	assert_true(inside > 100);
	lm_free(&host, contacts.touches);
	lm_free(&host, contacts.node);
	lm_free(&host, contacts.phi);
}

// The gradient of a contact takes the point to lie where b's nodes, by phi, have the place that was found for it: in
// bodies that are crumpled, too, where Newton's method for that place goes astray.
static void places_are_exact(void** state)
{
	(void)state;
	lm_design_pair_contacts contacts = { 0 };
	double worst = 0;
	size_t found = 0;
	for (int round = 0; round < 10; ++round)
	{
		throw_bodies(0.7);
		for (int i = 0; i < 3 * NODES * BODIES; ++i)
			z[i] += 0.1 * uniform();
		assert_true(lm_design_find_pair_contacts(motion, 0.5, z, 0.05, &contacts));
		for (size_t k = 0; k < contacts.count; ++k)
		{
			const lm_design_pair_contact* touch = &contacts.touches[k];
			const lm_design_rows* rows = motion->bodies[touch->a].outline->feelers.rows;
			lm_vec3 miss = { 0, 0, 0 };
			for (int64_t e = rows->start[touch->point]; e < rows->start[touch->point + 1]; ++e)
				miss = lm_add_scaled(miss, rows->phi[e], lm_v3_at(z + 3 * NODES * touch->a, rows->node[e]));
			for (size_t e = touch->first; e < touch->first + (size_t)touch->count; ++e)
				miss = lm_add_scaled(miss, -contacts.phi[e], lm_v3_at(z + 3 * NODES * touch->b, contacts.node[e]));
			worst = fmax(worst, lm_length(miss));
		}
		found += contacts.count;
	}
	assert_true(found > 1000);
	assert_true(worst < 1e-5);
	lm_free(&host, contacts.touches);
	lm_free(&host, contacts.node);
	lm_free(&host, contacts.phi);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reach_is_an_upper_bound),
		cmocka_unit_test(stances_hold_what_they_promise),
		cmocka_unit_test(no_pair_is_missed),
		cmocka_unit_test(no_point_inside_is_missed),
		cmocka_unit_test(places_are_exact),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
