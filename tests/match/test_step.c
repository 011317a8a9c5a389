// How a body moves: free flight, oscillation, coming back to rest, examples.
#include "shapes.h"

#include "math/vec.h"

typedef struct momentum
{
	lm_vec3 linear, angular;
	double speed; // sum of m |v|, m |x| |v|
	double spin;
} momentum;

static momentum measure(const lm_match* body, const double* masses)
{
	int n = lm_match_vertex_count(body);
	double *x = malloc((size_t)n * 24), *v = malloc((size_t)n * 24), centre[3];
	lm_match_positions(body, x);
	lm_match_velocities(body, v);
	lm_match_center(body, centre);
	momentum sum = { 0 };
	for (int i = 0; i < n; ++i)
	{
		lm_vec3 xi = lm_sub(lm_v3_at(x, i), lm_v3_at(centre, 0)), vi = lm_v3_at(v, i);
		sum.linear = lm_add_scaled(sum.linear, masses[i], vi);
		sum.angular = lm_add_scaled(sum.angular, masses[i], lm_cross(xi, vi));
		sum.speed += masses[i] * sqrt(lm_dot(vi, vi));
		sum.spin += masses[i] * sqrt(lm_dot(xi, xi) * lm_dot(vi, vi));
	}
	free(x);
	free(v);
	return sum;
}

// A twisted, tumbling start without gravity: matching changes no momentum, whatever the examples do.
static void test_free_flight_keeps_momentum(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 3, 9, 2, 0.1, 0.1, 0.1);
	int n = mesh->vertex_count;
	double *masses = malloc((size_t)n * 8), *velocities = malloc((size_t)n * 24);
	uint64_t seed = 7;
	for (int i = 0; i < n; ++i)
	{
		masses[i] = 1 + 0.5 * test_random(&seed);
		lm_vec3 spin = lm_cross(lm_v3(3, 1, -5), lm_v3_at(mesh->positions, i));
		lm_v3_store(velocities, i,
		            lm_add(lm_add(spin, lm_v3(1, 2, 3)), lm_v3(test_random(&seed), 0, test_random(&seed))));
	}
	double* example = twisted(mesh, 1.5);
	double* start = twisted(mesh, -2);
	const double* examples[] = { example };
	lm_match_def def = lm_match_def_default();
	def.mesh = mesh, def.example_count = 1, def.examples = examples, def.masses = masses;
	def.start = start, def.start_velocities = velocities;
	memset(def.settings.gravity, 0, sizeof def.settings.gravity);
	for (int locality = LM_MATCH_GLOBAL; locality <= LM_MATCH_EACH; locality += 2)
	{
		def.locality = locality;
		lm_match* body = make_body(&def, &host);
		momentum before = measure(body, masses);
		for (int k = 0; k < 120; ++k)
			lm_match_step(body, 1.0 / 60, NULL, k / 60.0);
		momentum after = measure(body, masses);
		lm_vec3 dp = lm_sub(after.linear, before.linear), dl = lm_sub(after.angular, before.angular);
		assert_near(sqrt(lm_dot(dp, dp)), 0, 1e-5 * before.speed);
		assert_near(sqrt(lm_dot(dl, dl)), 0, 1e-3 * before.spin);
		lm_match_destroy(body);
	}
	free(masses);
	free(velocities);
	free(example);
	free(start);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_flight_keeps_momentum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
