// Posing by hand: handles on patches, steps, undo, and poses that engines take.
#include "test.h"

#include "world/worlds.h"

// A ball of 6 x (4^levels) x 2 triangles or so: an octahedron, subdivided and made round.
static lm_mesh* make_ball(const lm_host* host, int levels)
{
	lm_mesh* mesh = lm_mesh_create(host, 6, 8, 0);
	for (int k = 0; k < 6; ++k)
		mesh->positions[3 * k + k / 2] = k % 2 ? -1 : 1;
	for (int t = 0; t < 8; ++t)
	{
		int32_t c[3] = { t & 1, 2 + (t >> 1 & 1), 4 + (t >> 2) };
		bool odd = (t & 1) ^ (t >> 1 & 1) ^ (t >> 2);
		mesh->triangles[3 * t] = c[0], mesh->triangles[3 * t + 1] = c[odd ? 2 : 1];
		mesh->triangles[3 * t + 2] = c[odd ? 1 : 2];
	}
	lm_mesh* fine;
	lm_error error;
	lm_binding* map = NULL;
	if (lm_mesh_subdivide(mesh, levels, LM_SUBDIVIDE_LINEAR, host, &fine, &map, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_binding_destroy(map);
	lm_mesh_destroy(mesh);
	for (int32_t v = 0; v < fine->vertex_count; ++v)
	{
		double* x = fine->positions + 3 * (size_t)v;
		double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
		for (int c = 0; c < 3; ++c)
			x[c] /= length;
	}
	return fine;
}

// The triangle whose middle is farthest along an axis.
static int32_t farthest(const lm_pose_session* session, int axis, double sign)
{
	const int32_t* t = lm_pose_session_triangles(session);
	const double* x = lm_pose_session_positions(session);
	int32_t best = 0;
	double most = -INFINITY;
	for (int32_t i = 0; i < lm_pose_session_triangle_count(session); ++i)
	{
		double sum = 0;
		for (int c = 0; c < 3; ++c)
			sum += sign * x[3 * t[3 * i + c] + axis];
		if (sum > most)
			most = sum, best = i;
	}
	return best;
}

static void put(lm_pose_session* session, int32_t id, int axis, double sign, bool hard)
{
	lm_pose_grip grip = lm_pose_grip_default();
	lm_error error;
	grip.id = id, grip.triangle = farthest(session, axis, sign), grip.hard = hard, grip.radius = 0.3;
	for (int c = 0; c < 3; ++c)
		grip.place[c] = 1.0 / 3;
	if (lm_pose_session_put(session, &grip, &error) != LM_OK)
		fail_msg("%s", error.message);
}

static void move(lm_pose_session* session, int32_t id, double x, double y, double z, const double* rotation)
{
	lm_error error;
	if (lm_pose_session_move(session, id, (double[3]){ x, y, z }, rotation, &error) != LM_OK)
		fail_msg("%s", error.message);
}

static lm_pose_session* begin_ball(void)
{
	lm_host host = lm_host_default();
	lm_mesh* ball = make_ball(&host, 3);
	lm_pose_session* session;
	lm_error error;
	if (lm_pose_session_create_mesh(ball, &host, &session, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_mesh_destroy(ball);
	return session;
}

static double volume_of(const lm_pose_session* session)
{
	const int32_t* t = lm_pose_session_triangles(session);
	const double* x = lm_pose_session_positions(session);
	double volume = 0;
	for (int32_t i = 0; i < lm_pose_session_triangle_count(session); ++i)
	{
		const double *a = x + 3 * t[3 * i], *b = x + 3 * t[3 * i + 1], *c = x + 3 * t[3 * i + 2];
		volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
		           a[2] * (b[0] * c[1] - b[1] * c[0])) /
		          6;
	}
	return volume;
}

// Pulled apart, the ball follows both hands; hard handles are met closely, and its volume stays.
static void the_surface_follows_the_hands(void** state)
{
	(void)state;
	lm_pose_session* session = begin_ball();
	double rest = volume_of(session);
	put(session, 1, 0, 1, true), put(session, 2, 0, -1, true);
	lm_pose_report report = lm_pose_session_step(session);
	assert_near(report.handle_error, 0, 1e-9); // nothing was moved
	lm_pose_handle handle = lm_pose_session_handle(session, 0);
	for (int k = 1; k <= 20; ++k)
	{
		move(session, 1, handle.to[0] + 0.025 * k, handle.to[1], handle.to[2], NULL);
		report = lm_pose_session_step(session);
		assert_true(isfinite(report.energy) && report.least_volume > 0);
	}
	report = lm_pose_session_settle(session);
	lm_pose_handle after = lm_pose_session_handle(session, 0);
	assert_near(after.at[0], handle.at[0] + 0.5, 0.02);
	assert_near(lm_pose_session_handle(session, 1).at[0], -handle.at[0], 0.02);
	assert_near(volume_of(session) / rest, 1, 0.05);
	// without the volume term it becomes larger
	assert_int_equal(lm_pose_session_set_volume(session, false, NULL), LM_OK);
	lm_pose_session_settle(session);
	assert_true(volume_of(session) > 1.1 * rest);
	lm_pose_session_destroy(session);
	lm_pose_session_destroy(NULL);
}

// A turned handle turns the surface at it: both hands by 90 degrees turn all of it.
static void handles_turn(void** state)
{
	(void)state;
	lm_pose_session* session = begin_ball();
	put(session, 1, 0, 1, false), put(session, 2, 0, -1, false);
	const double quarter[4] = { sqrt(0.5), sqrt(0.5), 0, 0 }; // about x
	int32_t v = lm_pose_session_triangles(session)[3 * (size_t)farthest(session, 1, 1)];
	for (int i = 0; i < 2; ++i)
	{
		lm_pose_handle handle = lm_pose_session_handle(session, i);
		move(session, handle.id, handle.to[0], handle.to[1], handle.to[2], quarter);
	}
	for (int k = 0; k < 3; ++k)
		lm_pose_session_settle(session);
	const double* x = lm_pose_session_positions(session) + 3 * (size_t)v;
	assert_true(x[2] > 0.9 && fabs(x[1]) < 0.3); // y became z
	lm_pose_session_destroy(session);
}

static void what_was_done_is_taken_back(void** state)
{
	(void)state;
	lm_pose_session* session = begin_ball();
	lm_error error;
	assert_false(lm_pose_session_can_undo(session));
	assert_int_equal(lm_pose_session_undo(session, &error), LM_BAD_INPUT);
	size_t bytes = 3 * (size_t)lm_pose_session_vertex_count(session) * sizeof(double);
	double *start = malloc(bytes), *pulled = malloc(bytes);
	memcpy(start, lm_pose_session_positions(session), bytes);
	put(session, 1, 0, 1, false), put(session, 2, 0, -1, false);
	for (int k = 1; k <= 5; ++k)
		move(session, 1, 1 + 0.1 * k, 0, 0, NULL), lm_pose_session_step(session);
	memcpy(pulled, lm_pose_session_positions(session), bytes);
	assert_int_equal(lm_pose_session_remove(session, 2, &error), LM_OK);
	assert_int_equal(lm_pose_session_handle_count(session), 1);
	lm_pose_session_settle(session);
	assert_int_equal(lm_pose_session_undo(session, &error), LM_OK);
	assert_int_equal(lm_pose_session_handle_count(session), 2);
	assert_memory_equal(lm_pose_session_positions(session), pulled, bytes);
	assert_int_equal(lm_pose_session_undo(session, &error), LM_OK); // all moves at once
	assert_memory_equal(lm_pose_session_positions(session), start, bytes);
	assert_int_equal(lm_pose_session_reset(session, &error), LM_OK);
	assert_int_equal(lm_pose_session_handle_count(session), 0);
	for (int k = 0; k < 3; ++k)
		assert_int_equal(lm_pose_session_undo(session, &error), LM_OK);
	assert_false(lm_pose_session_can_undo(session));
	assert_int_equal(lm_pose_session_handle_count(session), 0);
	for (int k = 0; k < 300; ++k) // the oldest are forgotten
		assert_int_equal(lm_pose_session_set_volume(session, k % 2 != 0, &error), LM_OK);
	free(start), free(pulled);
	lm_pose_session_destroy(session);
}

// ---- poses of objects ----

static lm_pose_session* begin(lm_world* world, lm_pose_start start)
{
	lm_pose_session* session;
	lm_error error;
	if (lm_pose_session_create(world, BLOCK, start, &session, &error) != LM_OK)
		fail_msg("%s", error.message);
	return session;
}

// The session shows the object where it is, and its result is a pose of the object's mesh, near its rest shape.
static void objects_are_posed_where_they_are(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, BLOCK + 1);
	lm_command push = grab_top(world, LM_COMMAND_PUSH, BLOCK, 0);
	push.place[0] = 1, push.place[1] = push.place[2] = 0, push.radius = 0.11, push.to[0] = 0.6, push.to[1] = 1;
	tell(world, &push);
	step(world, 40);
	lm_world_surface_view view = lm_world_surface(world, BLOCK);
	lm_pose_session* session = begin(world, LM_POSE_NOW);
	assert_int_equal(lm_pose_session_vertex_count(session), view.vertex_count);
	assert_int_equal(lm_pose_session_triangle_count(session), view.triangle_count);
	for (int64_t i = 0; i < 3 * (int64_t)view.vertex_count; ++i)
		assert_near(lm_pose_session_positions(session)[i], view.positions[i], 1e-6);
	lm_mesh* pose;
	assert_int_equal(lm_pose_session_mesh(session, &pose, NULL), LM_OK);
	lm_host host = lm_host_default();
	lm_mesh* rest = test_block(&host, 3, 3, 3, 0.1);
	assert_int_equal(pose->vertex_count, rest->vertex_count);
	for (int64_t i = 0; i < 3 * (int64_t)rest->vertex_count; ++i) // the pushed block flew and turned far away
		assert_near(pose->positions[i], rest->positions[i], 0.12);
	lm_mesh_destroy(pose), lm_mesh_destroy(rest);
	lm_pose_session_destroy(session);
	session = begin(world, LM_POSE_REST);
	assert_near(lm_pose_session_positions(session)[1], 0.5, 1e-6);
	lm_pose_session_destroy(session);
	lm_world_destroy(world);
}

// Whatever the hand asks for: the pose of a body in the plane lies in it, with the body's own vertices.
static void flat_bodies_stay_in_the_plane(void** state)
{
	(void)state;
	static const lm_pose_start starts[] = { LM_POSE_REST, LM_POSE_NOW };
	lm_world* world = make_world(1, 100, PARTS);
	step(world, 10);
	lm_error error;
	for (int k = 0; k < 2; ++k)
	{
		lm_pose_session* session;
		if (lm_pose_session_create(world, ACTOR, starts[k], &session, &error) != LM_OK)
			fail_msg("%s", error.message);
		put(session, 1, 0, 1, true), put(session, 2, 0, -1, true);
		lm_mesh *before, *after;
		assert_int_equal(lm_pose_session_mesh(session, &before, NULL), LM_OK);
		lm_pose_handle hand = lm_pose_session_handle(session, 0);
		move(session, 1, hand.at[0] + 0.05, hand.at[1] + 0.1, hand.at[2] + 3, (double[4]){ 0.9, 0.3, 0.3, 0.1 });
		assert_true(lm_pose_session_settle(session).handle_error < 1e-3);
		assert_int_equal(lm_pose_session_mesh(session, &after, NULL), LM_OK);
		assert_int_equal(2 * after->vertex_count, lm_pose_session_vertex_count(session)); // a plate's front and back
		double highest = 0;
		for (int32_t v = 0; v < after->vertex_count; ++v)
		{
			assert_near(after->positions[3 * v + 2], 0, 0);
			highest = fmax(highest, after->positions[3 * v + 1] - before->positions[3 * v + 1]);
		}
		assert_true(highest > 0.05 && highest < 0.2);
		lm_mesh_destroy(before), lm_mesh_destroy(after);
		lm_pose_session_destroy(session);
	}
	lm_world_destroy(world);
}

static void what_cannot_be_posed_is_refused(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	lm_pose_session* session = NULL;
	lm_error error;
	static const char* const words[] = { [CLOTH] = "is cloth", "there is no object 3" };
	for (int32_t i = CLOTH; i <= PARTS; ++i)
	{
		assert_int_equal(lm_pose_session_create(world, i, LM_POSE_REST, &session, &error), LM_BAD_INPUT);
		assert_non_null(strstr(error.message, words[i]));
	}
	session = begin(world, LM_POSE_REST);
	lm_pose_grip good = lm_pose_grip_default();
	good.place[0] = 1;
#define REFUSED(change, text)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		lm_pose_grip grip = good;                                                                                      \
		change;                                                                                                        \
		assert_int_equal(lm_pose_session_put(session, &grip, &error), LM_BAD_INPUT);                                   \
		assert_non_null(strstr(error.message, text));                                                                  \
	} while (0)
	REFUSED(grip.triangle = -1, "is not on the surface");
	REFUSED(grip.triangle = 1000000, "is not on the surface");
	REFUSED(grip.place[1] = 1, "must be barycentric");
	REFUSED(grip.place[0] = NAN, "must be barycentric");
	REFUSED(grip.radius = -1, "the radius is -1");
	REFUSED(grip.weight = NAN, "the weight is");
	assert_int_equal(lm_pose_session_put(session, &good, &error), LM_OK);
	REFUSED((void)0, "there is a handle 0 already");
	double nowhere[3] = { NAN, 0, 0 }, zero[4] = { 0 };
	assert_int_equal(lm_pose_session_move(session, 0, nowhere, NULL, &error), LM_BAD_INPUT);
	assert_int_equal(lm_pose_session_move(session, 0, zero, zero, &error), LM_BAD_INPUT);
	assert_int_equal(lm_pose_session_move(session, 7, zero, NULL, &error), LM_BAD_INPUT);
	assert_int_equal(lm_pose_session_remove(session, 7, &error), LM_BAD_INPUT);
	lm_pose_session_destroy(session);
	lm_world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_surface_follows_the_hands), cmocka_unit_test(handles_turn),
		cmocka_unit_test(what_was_done_is_taken_back),   cmocka_unit_test(objects_are_posed_where_they_are),
		cmocka_unit_test(flat_bodies_stay_in_the_plane), cmocka_unit_test(what_cannot_be_posed_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
