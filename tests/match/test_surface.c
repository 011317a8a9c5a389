// Contact at points of a shown surface, in place of the vertices that carry it.
#include "shapes.h"

enum
{
	SIDES = 16
};

// A ball of radius r about the middle of a cube of side 1, as shown; the cube stands out all around it.
static lm_mesh* make_ball(const lm_host* host, double r)
{
	lm_mesh* ball = lm_mesh_create(host, (SIDES - 1) * 2 * SIDES + 2, 4 * SIDES * (SIDES - 1), 0);
	int32_t last = ball->vertex_count - 1, *t = ball->triangles;
	for (int32_t v = 0; v <= last; ++v)
	{
		int ring = v == 0 ? 0 : v == last ? SIDES : 1 + (v - 1) / (2 * SIDES);
		double a = 3.14159265358979 * ring / SIDES, b = 3.14159265358979 * (v - 1) / SIDES;
		double x[3] = { sin(a) * cos(b), cos(a), sin(a) * sin(b) };
		for (int c = 0; c < 3; ++c)
			ball->positions[3 * v + c] = 0.5 + r * x[c];
	}
	for (int ring = 0; ring < SIDES; ++ring)
		for (int k = 0; k < 2 * SIDES; ++k)
		{
			int next = (k + 1) % (2 * SIDES);
			int32_t a = ring == 0 ? 0 : 1 + (ring - 1) * 2 * SIDES + k, b = 1 + (ring - 1) * 2 * SIDES + next;
			int32_t c = ring == SIDES - 1 ? last : 1 + ring * 2 * SIDES + k, d = 1 + ring * 2 * SIDES + next;
			if (ring > 0)
				t[0] = a, t[1] = b, t[2] = ring == SIDES - 1 ? last : d, t += 3;
			if (ring < SIDES - 1)
				t[0] = a, t[1] = d, t[2] = c, t += 3;
		}
	return ball;
}

typedef struct drop
{
	lm_mesh *mesh, *ball;
	lm_binding *binding, *contacts;
	lm_match* body;
	lm_colliders* ground;
	double low; // of the ball at the end
} drop;

// The ball falls by 0.1 on the ground at y = 0, with this friction and drag, for some steps of 1/60 s.
static drop let_fall(lm_host* host, double friction, double drag, double sideways, int steps)
{
	drop d = { .mesh = grid_mesh(host, 4, 4, 4, 0.25, 0.25, 0.25), .ball = make_ball(host, 0.4) };
	lm_match_def def = lm_match_def_default();
	lm_collider_def ground = lm_collider_def_default();
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	int32_t count = d.mesh->vertex_count;
	double *start = malloc((size_t)count * 24), *v = calloc((size_t)count, 24);
	for (int32_t k = 0; k < 3 * count; ++k)
		start[k] = d.mesh->positions[k], v[k] = k % 3 == 0 ? sideways : 0;
	assert_int_equal(lm_binding_create(d.mesh, d.ball->positions, d.ball->vertex_count, host, &d.binding, NULL), LM_OK);
	assert_int_equal(lm_contact_points_create(d.ball, d.binding, host, &d.contacts, NULL), LM_OK);
	def.mesh = d.mesh, def.contacts = d.contacts, def.start = start, def.start_velocities = v;
	def.settings.sag = 0.001, def.settings.damping = 0.5, def.settings.friction = friction;
	def.settings.drag = drag;
	d.body = make_body(&def, host);
	ground.keys = &key, ground.key_count = 1, ground.shape = LM_SHAPE_PLANE, ground.friction = friction;
	assert_int_equal(lm_colliders_create(&ground, 1, host, &d.ground, NULL), LM_OK);
	for (int step = 0; step < steps; ++step)
		lm_match_step(d.body, 1.0 / 60, d.ground, step / 60.0);
	lm_match_positions(d.body, start);
	d.low = INFINITY;
	double* all = malloc((size_t)d.ball->vertex_count * 24);
	lm_binding_apply(d.binding, start, 1, all);
	for (int32_t k = 0; k < d.ball->vertex_count; ++k)
		d.low = fmin(d.low, all[3 * k + 1]);
	free(all);
	free(start);
	free(v);
	return d;
}

static void release(drop* d)
{
	lm_match_destroy(d->body);
	lm_colliders_destroy(d->ground);
	lm_binding_destroy(d->contacts);
	lm_binding_destroy(d->binding);
	lm_mesh_destroy(d->ball);
	lm_mesh_destroy(d->mesh);
}

// By its vertices it would lie on the cube: 0.1 above the ground.
static void the_surface_lies_on_the_ground(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	drop d = let_fall(&host, 0.5, 4, 0, 240);
	assert_near(d.low, 0, 0.004);
	assert_true(lm_match_get_report(d.body).max_penetration < 0.02);
	// it rolls a little, and does not tremble
	assert_true(lm_match_kinetic_energy(d.body) < 1e-4 * lm_match_mass(d.body));
	release(&d);
}

// Without friction the ground gives nothing along it, and takes nothing: impulses at points become no others.
static void momentum_is_that_of_the_impulses(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	drop d = let_fall(&host, 0, 0, 0.3, 60);
	double center[3];
	lm_match_center(d.body, center);
	assert_near(center[0], 0.5 + 0.3 * 1.0, 1e-3);
	assert_near(center[2], 0.5, 1e-3);
	release(&d);
}

static void threads_and_kernels_agree(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	drop one = let_fall(&host, 0.5, 0, 0.3, 60);
	uint64_t hash = lm_match_hash(one.body);
	double center[3], other[3];
	lm_match_center(one.body, center);
	release(&one);
	host.threads = 4;
	drop four = let_fall(&host, 0.5, 0, 0.3, 60);
	assert_true(lm_match_hash(four.body) == hash);
	release(&four);
	host.simd = LM_SIMD_PLAIN;
	drop plain = let_fall(&host, 0.5, 0, 0.3, 60);
	lm_match_center(plain.body, other);
	for (int c = 0; c < 3; ++c)
		assert_near(other[c], center[c], 2e-3);
	release(&plain);
}

static void points_that_are_no_means_are_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 1, 1, 1, 1, 1, 1);
	int64_t starts[2] = { 0, 2 };
	int32_t points[2] = { 0, 1 };
	double weights[2] = { 0.5, 0.6 };
	lm_binding_view rows = { 1, mesh->vertex_count, starts, points, weights };
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh;
	for (int wrong = 0; wrong < 3; ++wrong)
	{
		lm_binding* contacts;
		lm_match* body;
		lm_error error = { 0 };
		weights[1] = wrong == 0 ? 0.6 : 0.5, points[1] = wrong == 1 ? 99 : 1;
		rows.point_count = mesh->vertex_count + (wrong == 2);
		assert_int_equal(lm_binding_create_rows(&rows, &host, &contacts, NULL), LM_OK);
		def.contacts = contacts;
		assert_int_equal(lm_match_create(&def, &host, &body, &error), LM_BAD_INPUT);
		assert_non_null(strstr(error.message, "contact"));
		lm_binding_destroy(contacts);
	}
	lm_mesh_destroy(mesh);
}

static void every_allocation_may_fail(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_mesh *mesh = grid_mesh(&plain, 1, 1, 1, 1, 1, 1), *ball = make_ball(&plain, 0.4);
	lm_binding* binding;
	assert_int_equal(lm_binding_create(mesh, ball->positions, ball->vertex_count, &plain, &binding, NULL), LM_OK);
	lm_status status = LM_NO_MEMORY;
	for (int64_t fail_at = 1; status != LM_OK; ++fail_at)
	{
		test_memory memory = { .fail_at = fail_at };
		lm_host host = test_host(&memory);
		lm_match_def def = lm_match_def_default();
		lm_binding* contacts = NULL;
		lm_match* body = NULL;
		lm_error error = { 0 };
		status = lm_contact_points_create(ball, binding, &host, &contacts, &error);
		def.mesh = mesh, def.contacts = contacts;
		if (status == LM_OK)
			status = lm_match_create(&def, &host, &body, &error);
		lm_match_destroy(body);
		lm_binding_destroy(contacts);
		assert_int_equal(memory.held, 0);
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
		assert_true(fail_at < 2000);
	}
	lm_binding_destroy(binding);
	lm_mesh_destroy(ball);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_surface_lies_on_the_ground), cmocka_unit_test(momentum_is_that_of_the_impulses),
		cmocka_unit_test(threads_and_kernels_agree),      cmocka_unit_test(points_that_are_no_means_are_refused),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
