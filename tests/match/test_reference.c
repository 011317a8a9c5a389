// The fast path against a slow, plain one in double precision: the formulas of docs/match.md written down region by
// region.
#include "shapes.h"

#include "match/body.h"
#include "math/svd.h"
#include "solve/simplex_qp.h"

typedef struct plain
{
	const lm_match* body; // for topology, masses and rest regions only
	int n;
	lm_vec3 *x, *v, *ahead, *goal;
	lm_vec3 repair, repair_spin; // what matching has leaked of momentum in the last step
	const lm_match_def* def;
	int* starts;             // of the members of each region
	lm_vec3* offset;         // q of each member
	lm_vec3* moved[4];       // R_k^T (y^k - c^k) - q of each member
	double *weights, *blend; // of each region: w_k, and beta w_k of the last projection
} plain;

static int ring_of(const plain* p, int r, int k)
{
	return lm_match_member(p->body, r, k);
}

static double effective(const plain* p, int i)
{
	return p->body->rest_moment[4 * i + 3];
}

static lm_vec3 centre_of(const plain* p, int r, const lm_vec3* x)
{
	lm_vec3 sum = { 0 };
	double mass = 0;
	for (int k = 0; k < lm_match_ring_size(p->body, r); ++k)
	{
		int i = ring_of(p, r, k);
		mass += effective(p, i), sum = lm_add_scaled(sum, effective(p, i), x[i]);
	}
	return lm_scale(1 / mass, sum);
}

// The shape that region r is matched to, at its m-th member.
static lm_vec3 shape_of(const plain* p, int r, int m)
{
	int at = p->starts[r] + m, n = p->def->example_count;
	lm_vec3 shape = p->offset[at];
	for (int k = 0; k < n; ++k)
		shape = lm_add_scaled(shape, p->blend[r * n + k], p->moved[k][at]);
	return shape;
}

static lm_mat3 best_rotation(const plain* p, int r)
{
	lm_mat3 M = { 0 };
	lm_vec3 centre = centre_of(p, r, p->ahead);
	for (int m = 0; m < lm_match_ring_size(p->body, r); ++m)
	{
		int i = ring_of(p, r, m);
		lm_add_outer(&M, effective(p, i), lm_sub(p->ahead[i], centre), shape_of(p, r, m));
	}
	return lm_polar3(M).R;
}

// Weights of the regions from `first` to `last`, together: those for which their goals miss the particles least, member
// by member.
static void project(plain* p, int first, int last)
{
	int n = p->def->example_count;
	double G[16] = { 0 }, b[4] = { 0 }, w[4];
	for (int r = first; r < last; ++r)
	{
		lm_vec3 centre = centre_of(p, r, p->ahead);
		lm_mat3 R = best_rotation(p, r);
		for (int m = 0; m < lm_match_ring_size(p->body, r); ++m)
		{
			int i = ring_of(p, r, m), at = p->starts[r] + m;
			lm_vec3 miss = lm_sub(lm_tmul_v(R, lm_sub(p->ahead[i], centre)), p->offset[at]);
			for (int k = 0; k < n; ++k)
			{
				b[k] += effective(p, i) * lm_dot(p->moved[k][at], miss);
				for (int l = 0; l < n; ++l)
					G[k * n + l] += effective(p, i) * lm_dot(p->moved[k][at], p->moved[l][at]);
			}
		}
	}
	lm_simplex_qp(n, G, b, w);
	for (int r = first; r < last; ++r)
		for (int k = 0; k < n; ++k)
			p->weights[r * n + k] = w[k];
}

static void add_goals(plain* p, int r)
{
	lm_vec3 centre = centre_of(p, r, p->ahead);
	lm_mat3 R = best_rotation(p, r);
	for (int k = 0; k < lm_match_ring_size(p->body, r); ++k)
	{
		int i = ring_of(p, r, k);
		lm_vec3 goal = lm_add(centre, lm_mul_v(R, shape_of(p, r, k)));
		p->goal[i] = lm_add_scaled(p->goal[i], 1.0 / lm_match_ring_size(p->body, i), goal);
	}
}

// Weights and the rotations they depend on, again while weights jump.
static void settle(plain* p)
{
	bool global = p->def->locality == LM_MATCH_GLOBAL;
	int n = p->def->example_count;
	double change = n > 0 ? 1 : 0, *last = malloc((size_t)(p->n * n + 1) * sizeof(double));
	for (int look = 0; look < 10 && change > 0.05; ++look)
	{
		memcpy(last, p->weights, (size_t)(p->n * n) * sizeof(double));
		for (int r = 0; r < p->n; r = global ? p->n : r + 1)
			project(p, r, global ? p->n : r + 1);
		change = 0;
		for (int k = 0; k < p->n * n; k += global ? 1 : n)
			change = fmax(change, fabs(p->weights[k] - last[k]));
		for (int k = 0; k < p->n * n; ++k)
			p->blend[k] = p->def->settings.beta * p->weights[k];
	}
	free(last);
}

static lm_vec3 solve(lm_mat3 I, lm_vec3 L)
{
	lm_eigen axes = lm_eigen3(I);
	lm_vec3 along = lm_tmul_v(axes.V, L);
	return lm_mul_v(axes.V, lm_v3(along.x / axes.e.x, along.y / axes.e.y, along.z / axes.e.z));
}

static void plain_step(plain* p, double h)
{
	const lm_match_settings* settings = &p->def->settings;
	lm_match_oscillator o = lm_match_discretise(settings->frequency, settings->damping, h);
	// The rigid motion of the whole.
	lm_vec3 c = { 0 }, vc = { 0 }, L = { 0 };
	lm_mat3 I = { 0 };
	double mass = p->body->total_mass;
	for (int i = 0; i < p->n; ++i)
	{
		c = lm_add_scaled(c, (double)p->body->mass[i] / mass, p->x[i]);
		vc = lm_add_scaled(vc, (double)p->body->mass[i] / mass, p->v[i]);
	}
	for (int i = 0; i < p->n; ++i)
	{
		lm_vec3 d = lm_sub(p->x[i], c);
		double m = (double)p->body->mass[i];
		L = lm_add_scaled(L, m, lm_cross(d, p->v[i]));
		for (int k = 0; k < 3; ++k)
			I.m[k][k] += m * lm_dot(d, d);
		lm_add_outer(&I, -m, d, d);
	}
	lm_vec3 spin = solve(I, L);
	for (int i = 0; i < p->n; ++i)
	{
		lm_vec3 rigid = lm_add(vc, lm_cross(spin, lm_sub(p->x[i], c)));
		p->ahead[i] = lm_add_scaled(p->x[i], o.theta * h, lm_sub(p->v[i], rigid));
		p->goal[i] = lm_v3(0, 0, 0);
	}
	settle(p);
	for (int r = 0; r < p->n; ++r)
		add_goals(p, r);
	lm_vec3 leak = { 0 }, sum = { 0 };
	for (int i = 0; i < p->n; ++i)
	{
		lm_vec3 pull = lm_scale(o.alpha / h, lm_sub(p->goal[i], p->ahead[i])), d = lm_sub(p->x[i], c);
		leak = lm_add_scaled(leak, (double)p->body->mass[i], lm_cross(d, pull));
		sum = lm_add_scaled(sum, (double)p->body->mass[i] / mass, pull);
		p->v[i] = lm_add(lm_add(p->v[i], pull), lm_add(p->repair, lm_cross(p->repair_spin, d)));
		p->v[i] = lm_add_scaled(p->v[i], h, lm_v3_at(settings->gravity, 0));
		p->x[i] = lm_add_scaled(p->x[i], h, p->v[i]);
	}
	p->repair = lm_scale(-1, sum);
	p->repair_spin = lm_scale(-1, solve(I, leak));
}

// What example k does to the members of each region, in the region's own frame.
static void measure_moves(plain* p, int k, const lm_vec3* pose)
{
	double* positions = calloc(3 * (size_t)p->n, sizeof(double));
	for (int i = 0; i < p->n; ++i)
		lm_v3_store(positions, i, pose[i]);
	for (int r = 0; r < p->n; ++r)
	{
		lm_match_rest_region rest = lm_match_measure_region(p->body, r);
		lm_mat3 R = lm_match_measure_turn(p->body, r, &rest, positions);
		lm_vec3 centre = centre_of(p, r, pose);
		for (int at = p->starts[r]; at < p->starts[r + 1]; ++at)
		{
			lm_vec3 y = lm_tmul_v(R, lm_sub(pose[ring_of(p, r, at - p->starts[r])], centre));
			p->moved[k][at] = lm_sub(y, p->offset[at]);
		}
	}
	free(positions);
}

static plain make_plain(const lm_match* body, const lm_match_def* def)
{
	size_t n = (size_t)body->count;
	plain p = { .body = body, .n = body->count, .def = def };
	p.x = calloc(n, sizeof *p.x), p.v = calloc(n, sizeof *p.v);
	p.ahead = calloc(n, sizeof *p.x), p.goal = calloc(n, sizeof *p.x);
	p.weights = calloc(4 * n, sizeof(double)), p.blend = calloc(4 * n, sizeof(double));
	p.starts = calloc(n + 1, sizeof *p.starts);
	for (int r = 0; r < p.n; ++r)
		p.starts[r + 1] = p.starts[r] + lm_match_ring_size(body, r);
	p.offset = calloc((size_t)p.starts[n], sizeof *p.offset);
	for (int r = 0; r < p.n; ++r)
	{
		lm_vec3 rest = lm_match_measure_region(body, r).centre;
		for (int at = p.starts[r]; at < p.starts[r + 1]; ++at)
			p.offset[at] = lm_sub(lm_match_rest_position(body, lm_match_member(body, r, at - p.starts[r])), rest);
	}
	for (int k = 0; k < def->example_count; ++k)
	{
		p.moved[k] = calloc((size_t)p.starts[n], sizeof(lm_vec3));
		for (size_t i = 0; i < n; ++i)
			p.x[i] = lm_v3_at(def->examples[k], body->to_user[i]);
		measure_moves(&p, k, p.x);
	}
	for (size_t i = 0; i < n; ++i)
		p.x[i] = lm_v3_at(def->start, body->to_user[i]);
	return p;
}

static void free_plain(plain* p)
{
	for (int k = 0; k < 4; ++k)
		free(p->moved[k]);
	free(p->x), free(p->v), free(p->ahead), free(p->goal), free(p->blend), free(p->weights);
	free(p->starts), free(p->offset);
}

static void compare(lm_match_def def, lm_simd simd, bool by_runs)
{
	lm_host host = lm_host_default();
	host.simd = simd;
	lm_match* body = make_body(&def, &host);
	assert_true(body->by_runs);
	if (!by_runs)
		body->by_runs = false, body->wave_count = 0; // what it takes without is there always
	plain p = make_plain(body, &def);
	double* x = malloc((size_t)p.n * 24);
	for (int step = 0; step < 12; ++step)
	{
		plain_step(&p, 1.0 / 120);
		lm_match_step(body, 1.0 / 120, NULL, 0);
		lm_match_positions(body, x);
		for (int i = 0; i < p.n; ++i)
		{
			lm_vec3 d = lm_sub(p.x[i], lm_v3_at(x, body->to_user[i]));
			assert_near(sqrt(lm_dot(d, d)), 0, 1e-4 * body->size); // rotations are good to 1e-5, twelve times
		}
	}
	int row = def.locality == LM_MATCH_GLOBAL ? 0 : body->to_user[0];
	double weights[8];
	lm_match_weights(body, row, weights);
	for (int k = 0; k < def.example_count; ++k)
		assert_near(weights[k + 1], p.weights[k], 2e-3);
	free(x);
	free_plain(&p);
	lm_match_destroy(body);
}

// With sums over rings by runs, or member by member.
static void compare_all(bool by_runs)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = grid_mesh(&host, 3, 7, 2, 0.1, 0.12, 0.09);
	double *twist = twisted(mesh, 1.2), *tall = stretched(mesh, 1.3), *start = twisted(mesh, 0.7);
	double* leaning = stretched(mesh, 1);
	for (int i = 0; i < mesh->vertex_count; ++i)
		start[3 * i + 1] *= 1.1, leaning[3 * i] += 0.3 * leaning[3 * i + 2];
	const double *bent[] = { twist, tall, leaning }, *affine[] = { tall, leaning, leaning };
	lm_match_def def = lm_match_def_default();
	def.settings.frequency = 10;
	def.mesh = mesh, def.start = start;
	for (lm_simd simd = LM_SIMD_PLAIN; simd <= lm_simd_best(); ++simd)
		for (def.example_count = 0; def.example_count <= 3; ++def.example_count)
			for (def.locality = LM_MATCH_GLOBAL; def.locality <= LM_MATCH_EACH; def.locality += 2)
				for (def.ring = 1; def.ring <= 2; ++def.ring)
				{
					def.examples = bent, compare(def, simd, by_runs);
					def.examples = affine, compare(def, simd, by_runs);
				}
	free(twist), free(tall), free(start), free(leaning);
	lm_mesh_destroy(mesh);
}

static void test_fast_equals_plain(void** state)
{
	(void)state;
	compare_all(true);
}

static void test_fast_equals_plain_without_runs(void** state)
{
	(void)state;
	compare_all(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fast_equals_plain),
		cmocka_unit_test(test_fast_equals_plain_without_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
