// Standing, crawling and rolling, in the plane and in space.
#include "test.h"

#include "act/pilot/pilot.h"
#include "limber/contact.h"
#include "math/vec.h"
#include "scenes.h"

// A body on the ground with its pilot.
typedef struct stage
{
	lm_host host;
	lm_act* body;
	lm_act_pilot* pilot;
	lm_colliders* colliders;
	int32_t steps;
	bool left_ground; // ever, after the first moments
} stage;

static stage open_stage(lm_act_kind kind, lm_mesh* mesh, lm_act_control control)
{
	stage s = { .host = lm_host_default() };
	lm_act_def def = lm_act_def_default();
	def.kind = kind, def.mesh = mesh, def.control = control;
	lm_collider_def ground = lm_collider_def_default();
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	ground.key_count = 1, ground.keys = &key, ground.friction = 0.8;
	lm_error error;
	if (lm_act_create(&def, &s.host, &s.body, &error) != LM_OK)
		fail_msg("%s", error.message);
	assert_int_equal(lm_colliders_create(&ground, 1, &s.host, &s.colliders, NULL), LM_OK);
	assert_int_equal(lm_act_pilot_create(s.body, &s.host, &s.pilot, NULL), LM_OK);
	lm_mesh_destroy(mesh);
	return s;
}

static void close_stage(stage* s)
{
	lm_colliders_destroy(s->colliders);
	lm_act_pilot_destroy(s->pilot);
	lm_act_destroy(s->body);
}

// Ends a step that lm_act_pilot_begin has begun.
static void advance(stage* s)
{
	assert_int_equal(lm_act_pilot_commit(s->pilot, NULL), LM_OK);
	assert_int_equal(lm_act_step(&s->body, 1, 0.02, s->colliders, 0.02 * s->steps, NULL), LM_OK);
	lm_act_pilot_record(s->pilot, 0.02);
	s->left_ground |= s->steps > 10 && lm_act_pilot_motion(s->pilot)->touching == 0;
	s->steps++;
}

// place: that it shall be over, or NULL.
static void stand(stage* s, int steps, const double* place)
{
	lm_act_stand how = lm_act_stand_default();
	how.has_place = place != NULL;
	for (int k = 0; place && k < 3; ++k)
		how.place[k] = place[k];
	for (int k = 0; k < steps; ++k)
	{
		lm_act_pilot_begin(s->pilot, 0.02);
		lm_act_pilot_stand(s->pilot, &how);
		advance(s);
	}
}

static void crawl(stage* s, int steps, double x, double z)
{
	lm_act_crawl how = lm_act_crawl_default();
	how.velocity[0] = x, how.velocity[2] = z;
	for (int k = 0; k < steps; ++k)
	{
		lm_act_pilot_begin(s->pilot, 0.02);
		lm_act_pilot_crawl(s->pilot, &how);
		advance(s);
	}
}

static void roll(stage* s, int steps, double x, double z)
{
	lm_act_roll how = lm_act_roll_default();
	how.velocity[0] = x, how.velocity[2] = z;
	for (int k = 0; k < steps; ++k)
	{
		lm_act_pilot_begin(s->pilot, 0.02);
		lm_act_pilot_roll(s->pilot, &how);
		advance(s);
	}
}

// An arch: two feet, one wider than the other, so that its centre is not in the middle between them.
static lm_mesh* arch(const lm_host* host)
{
	lm_mesh* mesh = scene_rectangle(host, 5, 3, 0.2);
	int32_t kept = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		double x = 0, y = 0;
		for (int k = 0; k < 3; ++k)
			x += mesh->positions[3 * mesh->triangles[3 * t + k]] / 3,
				y += mesh->positions[3 * mesh->triangles[3 * t + k] + 1] / 3;
		if (y < 0.2 && x > 0.4 && x < 0.8)
			continue;
		memmove(mesh->triangles + 3 * kept++, mesh->triangles + 3 * t, 3 * sizeof(int32_t));
	}
	lm_mesh* result = lm_mesh_create(host, mesh->vertex_count - 1, kept, 0);
	// the vertex between the feet belongs to none of the triangles that are left
	int32_t gone = 3;
	for (int32_t v = 0, to = 0; v < mesh->vertex_count; ++v)
		if (v != gone)
			memcpy(result->positions + 3 * to++, mesh->positions + 3 * v, 3 * sizeof(double));
	for (int32_t k = 0; k < 3 * kept; ++k)
		result->triangles[k] = mesh->triangles[k] - (mesh->triangles[k] > gone);
	lm_mesh_destroy(mesh);
	return result;
}

// A tall rectangle turns over once, forwards or backwards, in the air, and stands upright again.
static void somersaults_land_upright(void** state)
{
	(void)state;
	for (int way = -1; way <= 1; way += 2)
	{
		lm_host host = lm_host_default();
		stage s = open_stage(LM_ACT_SOLID2, scene_rectangle(&host, 2, 5, 0.25), LM_ACT_FULL);
		lm_act_command command = lm_act_command_default(LM_ACT_SOMERSAULT);
		double turned = 0, last = 0, flown = 0;
		command.turns = way, command.squat = 0.7;
		stand(&s, 15, NULL);
		for (int k = 0; k < 150; ++k)
		{
			lm_act_pilot_begin(s.pilot, 0.02);
			lm_act_pilot_do(s.pilot, &command);
			advance(&s);
			const lm_act_motion* motion = lm_act_pilot_motion(s.pilot);
			turned += remainder(-motion->tilt[2] - last, 2 * LM_PI);
			last = -motion->tilt[2];
			flown += motion->touching == 0 ? 0.02 : 0;
		}
		assert_near(turned, way * 2 * LM_PI, 0.3);
		assert_true(flown > 0.5 && lm_act_pilot_stands(s.pilot));
		close_stage(&s);
	}
}

static void what_stands_stays(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	stage s = open_stage(LM_ACT_SOLID2, arch(&host), LM_ACT_FULL);
	assert_false(lm_act_pilot_stands(s.pilot));
	stand(&s, 100, NULL);
	assert_true(lm_act_pilot_stands(s.pilot));
	lm_act_record record = lm_act_pilot_get_record(s.pilot);
	assert_true(fabs(record.end[0] - record.start[0]) < 0.02);
	assert_true(record.tilt_max < 0.05);
	assert_int_equal(record.hops, 0);
	const lm_act_motion* motion = lm_act_pilot_motion(s.pilot);
	assert_true(hypot(motion->velocity[0], motion->velocity[1]) < 1e-3);
	// pushed to one side it comes back to where it stood, and to rest
	int32_t all[64];
	int32_t count = lm_act_vertex_count(s.body);
	for (int32_t v = 0; v < count; ++v)
		all[v] = v;
	lm_act_push(s.body, all, count, (double[3]){ 0.3 * lm_act_mass(s.body), 0, 0 });
	stand(&s, 120, NULL);
	assert_true(fabs(motion->center[0] - record.end[0]) < 0.05);
	assert_true(hypot(motion->velocity[0], motion->velocity[1]) < 5e-3);
	// it leans over to a place, and no further than its feet allow
	double aside = motion->center[0] + 0.1;
	stand(&s, 100, (double[3]){ aside, 0, 0 });
	assert_true(fabs(motion->center[0] - aside) < 0.02);
	stand(&s, 100, (double[3]){ aside + 5, 0, 0 });
	assert_true(motion->center[0] > aside && motion->center[0] < motion->support_high[0]);
	assert_true(lm_act_pilot_get_record(s.pilot).tilt_max < 0.5);
	// after a pause it stands where it is then
	lm_act_pilot_begin(s.pilot, 0.02);
	lm_act_pilot_begin(s.pilot, 0.02);
	assert_false(lm_act_pilot_stands(s.pilot));
	close_stage(&s);
}

static void a_block_crawls_and_turns_round(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	stage s = open_stage(LM_ACT_SOLID2, scene_rectangle(&host, 3, 2, 0.2), LM_ACT_FULL);
	const lm_act_motion* motion = lm_act_pilot_motion(s.pilot);
	double start = motion->center[0];
	crawl(&s, 150, 0.15, 0);
	double turned = motion->center[0];
	crawl(&s, 150, -0.15, 0);
	printf("crawled %.3f m to the right, %.3f m to the left\n", turned - start, turned - motion->center[0]);
	assert_true(turned - start > 0.3 && turned - start < 0.5);
	assert_true(turned - motion->center[0] > 0.3 && turned - motion->center[0] < 0.5);
	assert_false(s.left_ground);
	assert_true(lm_act_pilot_get_record(s.pilot).tilt_max < 0.2);
	close_stage(&s);
}

static void a_block_crawls_in_space(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	stage s = open_stage(LM_ACT_SOLID, test_block(&host, 2, 1, 2, 0.25), LM_ACT_FULL);
	const lm_act_motion* motion = lm_act_pilot_motion(s.pilot);
	double x = motion->center[0], z = motion->center[2];
	crawl(&s, 100, 0, -0.12);
	printf("crawled %.3f m ahead, %.3f m to the side\n", z - motion->center[2], motion->center[0] - x);
	assert_true(z - motion->center[2] > 0.12 && z - motion->center[2] < 0.36);
	assert_true(fabs(motion->center[0] - x) < 0.03);
	assert_false(s.left_ground);
	close_stage(&s);
}

// What stands on a single vertex has no ends to move; it gets `go` instead.
static void a_point_does_not_crawl(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	stage s = open_stage(LM_ACT_CURVE2, scene_ring(&host, 8, 0.3), LM_ACT_FULL);
	lm_act_crawl how = lm_act_crawl_default();
	how.velocity[0] = 0.2;
	lm_act_pilot_begin(s.pilot, 0.02);
	lm_act_pilot_crawl(s.pilot, &how);
	assert_int_equal(s.pilot->row_count, 2);
	assert_near(s.pilot->rows[0].target.velocity, 0.2, 0);
	advance(&s);
	close_stage(&s);
}

static void a_hoop_rolls(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	stage s = open_stage(LM_ACT_CURVE2, scene_ring(&host, 24, 0.3), LM_ACT_FULL);
	const lm_act_motion* motion = lm_act_pilot_motion(s.pilot);
	double start = motion->center[0], turned = 0, last = 0;
	for (int k = 0; k < 120; ++k)
	{
		roll(&s, 1, 0.5, 0);
		turned += remainder(motion->tilt[2] - last, 2 * 3.14159265358979323846);
		last = motion->tilt[2];
	}
	double way = motion->center[0] - start;
	printf("rolled %.3f m, turned by %.3f rad\n", way, turned);
	assert_true(way > 0.8 && way < 1.4);
	assert_true(fabs(-turned * 0.3 / way - 1) < 0.15);
	close_stage(&s);
}

// An octahedron with every face cut in four, blown up to a ball of radius 0.3, and its middle.
static lm_mesh* ball(const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, 19, 0, 32);
	int32_t number[27], count = 1, *tet = mesh->tets;
	for (int k = 0; k < 27; ++k)
	{
		double p[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 }, size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
		number[k] = size > 0.5 && size < 1.5 ? count : -1;
		for (int c = 0; c < 3 && number[k] >= 0; ++c)
			mesh->positions[3 * count + c] = 0.3 * p[c] / size + (c == 1 ? 0.3 : 0);
		count += number[k] >= 0;
	}
	mesh->positions[1] = 0.3;
	for (int o = 0; o < 8; ++o)
	{
		int x = o & 1 ? 1 : -1, y = o & 2 ? 3 : -3, z = o & 4 ? 9 : -9;
		int32_t a = number[13 + x], b = number[13 + y], c = number[13 + z];
		int32_t ab = number[13 + x + y], bc = number[13 + y + z], ca = number[13 + z + x];
		int32_t list[4][3] = { { a, ab, ca }, { ab, b, bc }, { ca, bc, c }, { ab, bc, ca } };
		bool flip = ((o ^ o >> 1 ^ o >> 2) & 1) != 0;
		for (int k = 0; k < 4; ++k)
		{
			*tet++ = 0, *tet++ = list[k][flip ? 0 : 1];
			*tet++ = list[k][flip ? 1 : 0], *tet++ = list[k][2];
		}
	}
	return mesh;
}

static void a_ball_rolls_anywhere(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	stage s = open_stage(LM_ACT_SOLID, ball(&host), LM_ACT_FULL);
	const lm_act_motion* motion = lm_act_pilot_motion(s.pilot);
	roll(&s, 100, 0.3, 0.4);
	printf("rolled %.3f m and %.3f m, spinning by %.2f %.2f %.2f\n", motion->center[0], motion->center[2],
	       motion->spin[0], motion->spin[1], motion->spin[2]);
	assert_true(motion->center[0] > 0.3 && motion->center[2] > 0.4);
	// about the axis up x v
	assert_true(motion->spin[0] > 0.5 && motion->spin[2] < -0.4);
	close_stage(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(somersaults_land_upright),       cmocka_unit_test(what_stands_stays),
		cmocka_unit_test(a_block_crawls_and_turns_round), cmocka_unit_test(a_block_crawls_in_space),
		cmocka_unit_test(a_point_does_not_crawl),         cmocka_unit_test(a_hoop_rolls),
		cmocka_unit_test(a_ball_rolls_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
