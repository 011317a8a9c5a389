// Features of colliders: they are where the colliders are, point out of them, and stay smooth where those are not.
#include "shapes.h"

#include "contact/features.h"

static lm_feature_query query_at(double x, double y, double z, double reach)
{
	return (lm_feature_query){ .point = { x, y, z }, .reach = reach, .rounding = 0.0025 };
}

static lm_collider_def def_of(lm_shape shape)
{
	lm_collider_def def = lm_collider_def_default();
	def.shape = shape, def.radius = 0.3, def.half_length = 0.4;
	def.half[0] = 0.5, def.half[1] = 0.4, def.half[2] = 0.3;
	return def;
}

static lm_placement_key turned_key(void)
{
	return (lm_placement_key){ 0, { 0.2, -0.1, 0.3 }, { 0.8, 0.3, -0.2, 0.4 } };
}

// Near the surface, the nearest feature has the distance and the normal of the collider itself.
static void features_agree_with_distances(void** state)
{
	(void)state;
	lm_placement_key key = turned_key();
	uint64_t seed = 3;
	lm_mesh* mesh = box_mesh(0.5, 0.4, 0.3);
	for (int shape = LM_SHAPE_PLANE; shape <= LM_SHAPE_MESH; ++shape)
	{
		lm_collider_def def = def_of((lm_shape)shape);
		def.mesh = mesh;
		lm_colliders* colliders = one_collider(def, &key, 1);
		int found = 0;
		for (int i = 0; i < 4000; ++i)
		{
			double p[3] = { test_random(&seed), test_random(&seed), test_random(&seed) };
			lm_touch touch = lm_colliders_query(colliders, p, 0.2);
			lm_feature_query query = query_at(p[0], p[1], p[2], 0.2);
			query.rounding = 0;
			lm_feature features[4];
			int32_t count = lm_colliders_features(colliders, &query, 4, features);
			if (touch.collider < 0)
			{
				assert_int_equal(count, 0);
				continue;
			}
			assert_true(count >= 1);
			++found;
			lm_vec3 n = lm_feature_normal(&features[0], query.point);
			double d = lm_feature_distance(&features[0], query.point, NULL, NULL);
			assert_near(d, touch.distance, 1e-5);
			assert_near(lm_dot(n, lm_v3_at(touch.normal, 0)), 1, 1e-6);
			assert_int_equal(features[0].collider, 0);
		}
		assert_true(found > 50);
		lm_colliders_destroy(colliders);
	}
	lm_mesh_destroy(mesh);
}

// Along a way around a box the distance to the feature chosen at each point and its gradient have no jumps.
static void rounded_boxes_are_smooth_from_piece_to_piece(void** state)
{
	(void)state;
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_colliders* colliders = one_collider(def_of(LM_SHAPE_BOX), &key, 1);
	double last = NAN;
	lm_vec3 last_normal = { 0, 0, 0 };
	bool seen[3] = { false, false, false };
	for (int i = 0; i <= 6000; ++i)
	{
		double t = 1e-6 * i; // from above the top, over the edge and the corner
		lm_feature_query query = query_at(0.4975 - 0.002 + t, 0.402, 0.2975 - 0.002 + t * 0.9, 0.1);
		lm_feature feature;
		assert_int_equal(lm_colliders_features(colliders, &query, 1, &feature), 1);
		seen[feature.kind] = true;
		lm_vec3 n;
		double d = lm_feature_distance(&feature, query.point, &n, NULL);
		if (i > 0)
		{
			assert_near(d, last, 3e-6);
			assert_true(lm_distance(n, last_normal) < 2e-3);
		}
		last = d, last_normal = n;
	}
	assert_true(seen[LM_FEATURE_PLANE] && seen[LM_FEATURE_LINE] && seen[LM_FEATURE_POINT]);
	lm_colliders_destroy(colliders);
}

static void deep_points_of_a_box_meet_the_nearest_face(void** state)
{
	(void)state;
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_colliders* colliders = one_collider(def_of(LM_SHAPE_BOX), &key, 1);
	lm_feature feature;
	lm_feature_query query = query_at(0.1, -0.35, 0.05, 0.1);
	assert_int_equal(lm_colliders_features(colliders, &query, 1, &feature), 1);
	assert_int_equal(feature.kind, LM_FEATURE_PLANE);
	assert_near(feature.axis.y, -1, 1e-12);
	assert_near(lm_feature_distance(&feature, query.point, NULL, NULL), -0.05, 1e-12);
	lm_colliders_destroy(colliders);
}

static void centres_of_balls_have_a_way_out(void** state)
{
	(void)state;
	lm_placement_key key = key_at(0, 1, 2, 3);
	for (int shape = 0; shape < 2; ++shape)
	{
		lm_colliders* colliders = one_collider(def_of(shape == 0 ? LM_SHAPE_SPHERE : LM_SHAPE_CAPSULE), &key, 1);
		lm_feature feature;
		lm_feature_query query = query_at(1, 2, 3, 0.1);
		assert_int_equal(lm_colliders_features(colliders, &query, 1, &feature), 1);
		lm_vec3 n;
		assert_near(lm_feature_distance(&feature, query.point, &n, NULL), -0.3, 1e-9);
		assert_near(lm_length(n), 1, 1e-12);
		lm_colliders_destroy(colliders);
	}
}

static void thin_boxes_are_not_passed_through(void** state)
{
	(void)state;
	lm_collider_def def = def_of(LM_SHAPE_BOX);
	def.half[1] = 0.005;
	lm_placement_key key = key_at(0, 0, 0, 0);
	lm_colliders* colliders = one_collider(def, &key, 1);
	lm_vec3 start = { 0.05, 0.03, 0 };
	for (int deep = 0; deep < 2; ++deep)
	{
		lm_feature_query query = query_at(0, deep == 0 ? -0.003 : -0.3, 0, 0.02); // in the lower half, and far beyond
		query.start = &start;
		lm_feature features[3];
		assert_int_equal(lm_colliders_features(colliders, &query, 3, features), 1);
		assert_near(features[0].axis.y, 1, 1e-12);
		assert_near(lm_feature_distance(&features[0], query.point, NULL, NULL), query.point.y - 0.005, 1e-12);
	}
	lm_colliders_destroy(colliders);
}

// A plate rushes upwards through a point that hardly moves: the point's way is that relative to the plate.
static void moving_colliders_take_points_along(void** state)
{
	(void)state;
	lm_collider_def def = def_of(LM_SHAPE_BOX);
	def.half[1] = 0.005;
	lm_placement_key keys[2] = { key_at(0, 0, 0, 0), key_at(1, 0, 10, 0) };
	lm_colliders* colliders = one_collider(def, keys, 2);
	lm_colliders_set_time(colliders, 0.51);
	lm_placement before = lm_placement_at(keys, 2, 0.5); // at y = 5; now at 5.1
	lm_vec3 start = { 0, 5.02, 0 };
	lm_feature_query query = query_at(0, 5.02, 0, 0.02);
	query.start = &start, query.before = &before;
	lm_feature features[3];
	assert_int_equal(lm_colliders_features(colliders, &query, 3, features), 1);
	assert_near(features[0].axis.y, 1, 1e-12);
	assert_near(lm_feature_distance(&features[0], query.point, NULL, NULL), 5.02 - 5.105, 1e-9);
	lm_colliders_destroy(colliders);
}

// ---- meshes

// An L: floor at y = 0 for x < 0, wall at x = 0 up to y = 1; the solid is below and to the right. Extruded along z.
static lm_mesh* corner_mesh(void)
{
	static const double outline[6][2] = { { -1, 0 }, { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, -1 }, { -1, -1 } };
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, 12, 20, 0);
	for (int v = 0; v < 12; ++v)
	{
		mesh->positions[3 * v] = outline[v % 6][0], mesh->positions[3 * v + 1] = outline[v % 6][1];
		mesh->positions[3 * v + 2] = v < 6 ? -1 : 1;
	}
	int32_t* t = mesh->triangles;
	for (int i = 0; i < 6; ++i)
	{
		int32_t a = i, b = (i + 1) % 6, quad[6] = { a, a + 6, b + 6, a, b + 6, b };
		memcpy(t, quad, sizeof quad), t += 6;
	}
	static const int32_t cap[4][3] = { { 0, 1, 5 }, { 1, 4, 5 }, { 1, 2, 4 }, { 2, 3, 4 } };
	for (int i = 0; i < 4; ++i)
		for (int end = 0; end < 2; ++end, t += 3)
			for (int k = 0; k < 3; ++k)
				t[k] = end == 0 ? cap[i][k] : cap[i][2 - k] + 6;
	return mesh;
}

static lm_colliders* mesh_collider(const lm_mesh* mesh)
{
	lm_collider_def def = lm_collider_def_default();
	def.shape = LM_SHAPE_MESH, def.mesh = mesh;
	lm_placement_key key = key_at(0, 0, 0, 0);
	return one_collider(def, &key, 1);
}

static bool has_normal(const lm_feature* features, int32_t count, double x, double y)
{
	for (int32_t i = 0; i < count; ++i)
		if (features[i].kind == LM_FEATURE_PLANE && fabs(features[i].axis.x - x) + fabs(features[i].axis.y - y) < 1e-9)
			return true;
	return false;
}

static void concave_spots_are_several_planes(void** state)
{
	(void)state;
	lm_mesh* mesh = corner_mesh();
	lm_colliders* colliders = mesh_collider(mesh);
	assert_true(lm_contact_surface_closed(colliders->items[0].solid.surface));
	// in front of both walls, behind one, behind the other, behind both
	static const double points[4][2] = { { -0.01, 0.015 }, { -0.01, -0.004 }, { 0.003, 0.015 }, { 0.003, -0.004 } };
	for (int i = 0; i < 4; ++i)
	{
		lm_feature features[4];
		lm_feature_query query = query_at(points[i][0], points[i][1], 0.1, 0.02);
		int32_t count = lm_colliders_features(colliders, &query, 4, features);
		assert_int_equal(count, 2);
		assert_true(has_normal(features, count, 0, 1));
		assert_true(has_normal(features, count, -1, 0));
	}
	lm_feature features[4];
	lm_feature_query query = query_at(-0.5, 0.01, 0.1, 0.02);
	assert_int_equal(lm_colliders_features(colliders, &query, 4, features), 1);
	lm_colliders_destroy(colliders);
	lm_mesh_destroy(mesh);
}

static void convex_edges_and_corners_are_lines_and_points(void** state)
{
	(void)state;
	lm_mesh* mesh = box_mesh(0.5, 0.4, 0.3);
	lm_colliders* colliders = mesh_collider(mesh);
	lm_feature features[3], other[3];
	lm_feature_query query = query_at(0.503, 0.404, 0.05, 0.02);
	assert_int_equal(lm_colliders_features(colliders, &query, 3, features), 1);
	assert_int_equal(features[0].kind, LM_FEATURE_LINE);
	assert_near(fabs(features[0].axis.z), 1, 1e-12);
	assert_near(lm_feature_distance(&features[0], query.point, NULL, NULL), 0.005, 1e-6);
	query.point.z = -0.2; // the same edge, wherever
	assert_int_equal(lm_colliders_features(colliders, &query, 3, other), 1);
	assert_true(lm_feature_same(&features[0], &other[0], query.point, 0.005));
	query = query_at(0.503, 0.404, 0.302, 0.02);
	assert_int_equal(lm_colliders_features(colliders, &query, 3, other), 1);
	assert_int_equal(other[0].kind, LM_FEATURE_POINT);
	assert_false(lm_feature_same(&features[0], &other[0], query.point, 0.005));
	// two triangles of one face are the same plane
	query = query_at(0.1, 0.404, -0.2, 0.02), lm_colliders_features(colliders, &query, 3, features);
	query = query_at(-0.1, 0.404, 0.2, 0.02), lm_colliders_features(colliders, &query, 3, other);
	assert_int_not_equal(features[0].id, other[0].id);
	assert_true(lm_feature_same(&features[0], &other[0], query.point, 0.005));
	lm_colliders_destroy(colliders);
	lm_mesh_destroy(mesh);
}

static void sheets_keep_the_side_a_point_came_from(void** state)
{
	(void)state;
	lm_mesh* mesh = sheet_mesh(4, 1);
	lm_colliders* colliders = mesh_collider(mesh);
	lm_feature features[3];
	for (int s = -1; s <= 1; s += 2)
	{
		lm_vec3 start = { 0.13, 0.02 * s, 0.07 };
		lm_feature_query query = query_at(0.12, -0.03 * s, 0.07, 0.01); // went through
		query.start = &start;
		assert_int_equal(lm_colliders_features(colliders, &query, 3, features), 1);
		assert_near(features[0].axis.y, s, 1e-12);
		int32_t side = features[0].side;
		assert_true(side == 1 || side == -1);
		// slowly, with stored sides
		lm_feature_side last = { 0, side, 0.001 };
		query = query_at(0.12, -0.002 * s, 0.07, 0.01);
		start = query.point;
		query.start = &start, query.side_count = 1, query.sides = &last;
		assert_int_equal(lm_colliders_features(colliders, &query, 3, features), 1);
		assert_near(features[0].axis.y, s, 1e-12);
		assert_near(lm_feature_distance(&features[0], query.point, NULL, NULL), -0.002, 1e-12);
		assert_int_equal(features[0].side, side);
		// without a stored side: the side where it is counts
		query.side_count = 0;
		assert_int_equal(lm_colliders_features(colliders, &query, 3, features), 1);
		assert_near(features[0].axis.y, -s, 1e-12);
	}
	lm_feature_query query = query_at(1.003, 0.004, 0.07, 0.01); // beyond the rim
	lm_feature_side last = { 0, -1, 0 };
	query.side_count = 1, query.sides = &last;
	assert_int_equal(lm_colliders_features(colliders, &query, 3, features), 1);
	assert_int_equal(features[0].kind, LM_FEATURE_LINE);
	assert_int_equal(features[0].side, 0);
	lm_colliders_destroy(colliders);
	lm_mesh_destroy(mesh);
}

// ---- the plane z = 0

static void check_flat(const lm_feature* feature, lm_vec3 p)
{
	lm_feature flat;
	assert_true(lm_feature_flatten(feature, p, &flat));
	lm_vec3 n;
	double d = lm_feature_distance(&flat, p, &n, NULL);
	assert_near(n.z, 0, 1e-12);
	assert_near(lm_length(n), 1, 1e-5);
	// the surface is d away within the plane
	lm_vec3 on = lm_add_scaled(p, -d, n);
	assert_near(lm_feature_distance(feature, on, NULL, NULL), 0, 1e-5);
}

static void sections_lie_in_the_plane(void** state)
{
	(void)state;
	lm_vec3 p = { 0.55, 0.45, 0 };
	check_flat(&(lm_feature){ .kind = LM_FEATURE_PLANE, .axis = { 0.6, 0.64, 0.48 }, .origin = { 0.1, 0.2, 0.3 } }, p);
	check_flat(&(lm_feature){ .kind = LM_FEATURE_POINT, .radius = 0.5, .core = 1e-4, .origin = { 0.1, 0.2, 0.3 } }, p);
	check_flat(&(lm_feature){ .kind = LM_FEATURE_LINE, .radius = 0.2, .core = 1e-4, .axis = { 0, 0, 1 } }, p);
	check_flat(
		&(lm_feature){ .kind = LM_FEATURE_LINE, .radius = 0.2, .core = 1e-5, .origin.z = 0.1, .axis = { 0, 1, 0 } }, p);
	lm_feature flat, lying = { .kind = LM_FEATURE_PLANE, .axis = { 0, 0, 1 } };
	assert_false(lm_feature_flatten(&lying, p, &flat));
	// a ball that does not reach the plane is met from afar
	lm_feature above = { .kind = LM_FEATURE_POINT, .radius = 0.1, .core = 1e-4, .origin = { 0, 0, 0.3 } };
	assert_true(lm_feature_flatten(&above, p, &flat));
	assert_true(lm_feature_distance(&flat, p, NULL, NULL) > 0);
}

static void nonsense_gives_nothing(void** state)
{
	(void)state;
	lm_mesh* mesh = corner_mesh();
	lm_colliders* colliders = mesh_collider(mesh);
	lm_feature features[4];
	lm_feature_query query = query_at(NAN, 0, 0, 0.1);
	assert_int_equal(lm_colliders_features(colliders, &query, 4, features), 0);
	query = query_at(1e30, -1e30, 0, 0.1);
	assert_int_equal(lm_colliders_features(colliders, &query, 4, features), 0);
	lm_vec3 start = { INFINITY, 0, 0 };
	query = query_at(-0.5, 0.01, 0, 0.1), query.start = &start;
	assert_int_equal(lm_colliders_features(colliders, &query, 4, features), 1);
	assert_int_equal(lm_colliders_features(colliders, &query, 0, features), 0);
	lm_colliders_destroy(colliders);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_agree_with_distances),
		cmocka_unit_test(rounded_boxes_are_smooth_from_piece_to_piece),
		cmocka_unit_test(deep_points_of_a_box_meet_the_nearest_face),
		cmocka_unit_test(centres_of_balls_have_a_way_out),
		cmocka_unit_test(thin_boxes_are_not_passed_through),
		cmocka_unit_test(moving_colliders_take_points_along),
		cmocka_unit_test(concave_spots_are_several_planes),
		cmocka_unit_test(convex_edges_and_corners_are_lines_and_points),
		cmocka_unit_test(sheets_keep_the_side_a_point_came_from),
		cmocka_unit_test(sections_lie_in_the_plane),
		cmocka_unit_test(nonsense_gives_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
