// Examples matched by stretch (LM_MATCH_STRETCH), which is what bench measures, against the formulas of docs/match.md
// written down plainly in double precision: Eq. 1 to 5 of the paper with our departures from it. Nothing here is the
// engine's: regions by searching the mesh, rotations by Newton's iteration for the polar factor, weights by trying all
// sets of active bounds.
#include "shapes.h"

#include "math/vec.h"

#define MOST 3 // examples

typedef struct plain
{
	const lm_match_def* def;
	int n;
	int *starts, *members; // of the regions
	double *mass, *effective;
	lm_vec3 *x, *v, *ahead, *goal;
	lm_vec3* q;                  // of each member of each region
	lm_mat3* L;                  // S_k - I of region r and example k at r * MOST + k
	double *weights, *blend;     // of region r and example k, likewise; blend is beta w
	lm_vec3 repair, repair_spin; // momentum that the last step leaked, to be given back
} plain;

// ---- small algebra ----

static lm_mat3 inverse_of(lm_mat3 a)
{
	lm_vec3 x = lm_column(a, 0), y = lm_column(a, 1), z = lm_column(a, 2);
	lm_vec3 rows[3] = { lm_cross(y, z), lm_cross(z, x), lm_cross(x, y) };
	double det = lm_dot(x, rows[0]);
	lm_mat3 r;
	for (int i = 0; i < 3; ++i)
		r.m[i][0] = rows[i].x / det, r.m[i][1] = rows[i].y / det, r.m[i][2] = rows[i].z / det;
	return r;
}

// R of A = R S, det A > 0: R <- (R + R^-T) / 2 until it stays.
static lm_mat3 rotation_of(lm_mat3 A)
{
	assert_true(lm_dot(lm_column(A, 0), lm_cross(lm_column(A, 1), lm_column(A, 2))) > 0);
	double change = 1;
	for (int round = 0; round < 60 && change > 1e-14; ++round)
	{
		lm_mat3 other = lm_transpose(inverse_of(A));
		change = 0;
		for (int k = 0; k < 9; ++k)
		{
			double* a = &A.m[k / 3][k % 3];
			double next = 0.5 * (*a + other.m[k / 3][k % 3]);
			change = fmax(change, fabs(next - *a)), *a = next;
		}
	}
	assert_true(change < 1e-9);
	return A;
}

// Gaussian elimination; matrix of n rows with one right side.
static void eliminate(int n, double a[MOST + 1][MOST + 2], double* x)
{
	for (int c = 0; c < n; ++c)
	{
		int best = c;
		for (int r = c; r < n; ++r)
			best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
		for (int k = 0; k <= n; ++k)
		{
			double kept = a[c][k];
			a[c][k] = a[best][k], a[best][k] = kept;
		}
		for (int r = 0; r < n; ++r)
			for (int k = n; r != c && k >= c; --k)
				a[r][k] -= a[r][c] / a[c][c] * a[c][k];
	}
	for (int c = 0; c < n; ++c)
		x[c] = a[c][n] / a[c][c];
}

// w >= 0, sum w <= 1 with the least w.Gw/2 - b.w: of all sets of weights that are not zero, with their sum 1 or free.
static void best_weights(int n, const double* G, const double* b, double* w)
{
	double least = 0, scale = 1e-300;
	memset(w, 0, (size_t)n * sizeof *w);
	for (int k = 0; k < n; ++k)
		scale += G[k * n + k];
	for (int set = 1; set < 1 << n; ++set)
		for (int full = 0; full < 2; ++full)
		{
			int list[MOST], used = 0;
			double a[MOST + 1][MOST + 2] = { 0 }, tried[MOST + 1], sum = 0, value = 0;
			for (int k = 0; k < n; ++k)
				if (set >> k & 1)
					list[used++] = k;
			int size = used + full;
			for (int i = 0; i < used; ++i)
			{
				for (int j = 0; j < used; ++j)
					a[i][j] = G[list[i] * n + list[j]] + (i == j ? 1e-12 * scale : 0);
				a[i][size] = b[list[i]];
				if (full)
					a[i][used] = a[used][i] = 1;
			}
			a[used][size] = full ? 1 : a[used][size];
			eliminate(size, a, tried);
			bool allowed = true;
			for (int i = 0; i < used; ++i)
			{
				allowed &= tried[i] >= -1e-12, sum += tried[i], value -= b[list[i]] * tried[i];
				for (int j = 0; j < used; ++j)
					value += 0.5 * tried[i] * tried[j] * G[list[i] * n + list[j]];
			}
			if (!allowed || sum > 1 + 1e-9 || value >= least)
				continue;
			least = value;
			memset(w, 0, (size_t)n * sizeof *w);
			for (int i = 0; i < used; ++i)
				w[list[i]] = tried[i];
		}
}

// ---- regions ----

static void find_regions(plain* p, const lm_mesh* mesh, int ring)
{
	size_t n = (size_t)p->n;
	int *distance = malloc(n * sizeof(int)), capacity = 0;
	p->starts = calloc(n + 1, sizeof(int));
	for (int r = 0; r < p->n; ++r)
	{
		for (int i = 0; i < p->n; ++i)
			distance[i] = i == r ? 0 : ring + 1;
		for (int round = 0; round < ring; ++round)
			for (int64_t t = 0; t < mesh->tet_count; ++t)
			{
				const int32_t* v = mesh->tets + 4 * t;
				for (int a = 0; a < 4; ++a)
					for (int b = 0; b < 4; ++b)
						distance[v[b]] = distance[v[a]] + 1 < distance[v[b]] ? distance[v[a]] + 1 : distance[v[b]];
			}
		p->starts[r + 1] = p->starts[r];
		for (int i = 0; i < p->n; ++i)
			if (distance[i] <= ring)
			{
				capacity = p->starts[r + 1] == capacity ? 2 * capacity + 64 : capacity;
				p->members = realloc(p->members, (size_t)capacity * sizeof(int));
				p->members[p->starts[r + 1]++] = i;
			}
	}
	free(distance);
}

static lm_vec3 centre_of(const plain* p, int r, const lm_vec3* x)
{
	lm_vec3 sum = { 0 };
	double mass = 0;
	for (int at = p->starts[r]; at < p->starts[r + 1]; ++at)
	{
		int i = p->members[at];
		mass += p->effective[i], sum = lm_add_scaled(sum, p->effective[i], x[i]);
	}
	return lm_scale(1 / mass, sum);
}

// M_r of a pose (Eq. 1).
static lm_mat3 moment_of(const plain* p, int r, const lm_vec3* x)
{
	lm_mat3 M = { 0 };
	lm_vec3 c = centre_of(p, r, x);
	for (int at = p->starts[r]; at < p->starts[r + 1]; ++at)
		lm_add_outer(&M, p->effective[p->members[at]], lm_sub(x[p->members[at]], c), p->q[at]);
	return M;
}

static void measure(plain* p, const lm_mesh* mesh)
{
	lm_vec3* pose = p->ahead; // not needed yet
	for (int i = 0; i < p->n; ++i)
		pose[i] = lm_v3_at(mesh->positions, i);
	for (int r = 0; r < p->n; ++r)
	{
		lm_vec3 c = centre_of(p, r, pose);
		for (int at = p->starts[r]; at < p->starts[r + 1]; ++at)
			p->q[at] = lm_sub(pose[p->members[at]], c);
	}
	lm_mat3* B = malloc((size_t)p->n * sizeof *B);
	for (int r = 0; r < p->n; ++r)
		B[r] = inverse_of(moment_of(p, r, pose));
	for (int k = 0; k < p->def->example_count; ++k)
	{
		for (int i = 0; i < p->n; ++i)
			pose[i] = lm_v3_at(p->def->examples[k], i);
		for (int r = 0; r < p->n; ++r)
		{
			lm_mat3 A = lm_mul(moment_of(p, r, pose), B[r]), *L = &p->L[r * MOST + k];
			*L = lm_mul(lm_transpose(rotation_of(A)), A);
			for (int j = 0; j < 3; ++j)
				L->m[j][j] -= 1;
		}
	}
	free(B);
}

static plain make_plain(const lm_match_def* def)
{
	plain p = { .def = def, .n = def->mesh->vertex_count };
	size_t n = (size_t)p.n;
	find_regions(&p, def->mesh, def->ring);
	p.mass = calloc(n, sizeof(double)), p.effective = calloc(n, sizeof(double));
	p.x = calloc(n, sizeof *p.x), p.v = calloc(n, sizeof *p.v);
	p.ahead = calloc(n, sizeof *p.x), p.goal = calloc(n, sizeof *p.x);
	p.q = calloc((size_t)p.starts[n], sizeof *p.q), p.L = calloc(n * MOST, sizeof *p.L);
	p.weights = calloc(n * MOST, sizeof(double)), p.blend = calloc(n * MOST, sizeof(double));
	for (int i = 0; i < p.n; ++i)
		p.mass[i] = def->masses[i], p.effective[i] = p.mass[i] / (p.starts[i + 1] - p.starts[i]);
	measure(&p, def->mesh);
	for (int i = 0; i < p.n; ++i)
		p.x[i] = lm_v3_at(def->start, i);
	return p;
}

static void free_plain(plain* p)
{
	free(p->starts), free(p->members), free(p->mass), free(p->effective), free(p->x), free(p->v), free(p->ahead);
	free(p->goal), free(p->q), free(p->L), free(p->weights), free(p->blend);
}

// ---- a step ----

static lm_mat3 wanted_stretch(const plain* p, int r)
{
	lm_mat3 S = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	for (int k = 0; k < p->def->example_count; ++k)
		for (int j = 0; j < 9; ++j)
			S.m[j / 3][j % 3] += p->blend[r * MOST + k] * p->L[r * MOST + k].m[j / 3][j % 3];
	return S;
}

// argmax tr(R^T M S~)
static lm_mat3 best_rotation(const plain* p, int r)
{
	return rotation_of(lm_mul(moment_of(p, r, p->ahead), wanted_stretch(p, r)));
}

// Weights of some regions together: with the least sum of m~ |R S~ q - p|^2 / 2.
static void project(plain* p, int first, int last)
{
	int n = p->def->example_count;
	double G[MOST * MOST] = { 0 }, b[MOST] = { 0 }, w[MOST];
	for (int r = first; r < last; ++r)
	{
		lm_vec3 c = centre_of(p, r, p->ahead);
		lm_mat3 R = best_rotation(p, r);
		for (int at = p->starts[r]; at < p->starts[r + 1]; ++at)
		{
			int i = p->members[at];
			lm_vec3 miss = lm_sub(lm_tmul_v(R, lm_sub(p->ahead[i], c)), p->q[at]);
			for (int k = 0; k < n; ++k)
			{
				lm_vec3 moved = lm_mul_v(p->L[r * MOST + k], p->q[at]);
				b[k] += p->effective[i] * lm_dot(moved, miss);
				for (int l = 0; l < n; ++l)
					G[k * n + l] += p->effective[i] * lm_dot(moved, lm_mul_v(p->L[r * MOST + l], p->q[at]));
			}
		}
	}
	best_weights(n, G, b, w);
	for (int r = first; r < last; ++r)
		memcpy(p->weights + r * MOST, w, (size_t)n * sizeof *w);
}

// Weights and the rotations they depend on, again while weights jump.
static void settle(plain* p)
{
	int n = p->def->example_count, all = p->def->locality == LM_MATCH_GLOBAL ? p->n : 1;
	double change = 1, *last = malloc((size_t)p->n * MOST * sizeof *last);
	for (int look = 0; look < 10 && change > 0.05; ++look)
	{
		memcpy(last, p->weights, (size_t)p->n * MOST * sizeof *last);
		for (int r = 0; r < p->n; r += all)
			project(p, r, r + all);
		change = 0;
		for (int r = 0; r < p->n; ++r) // of the first example, as the engine looks at it when each region is alone
			for (int k = 0; k < (all > 1 ? n : 1); ++k)
				change = fmax(change, fabs(p->weights[r * MOST + k] - last[r * MOST + k]));
		for (int k = 0; k < p->n * MOST; ++k)
			p->blend[k] = p->def->settings.beta * p->weights[k];
	}
	free(last);
}

typedef struct rigid
{
	lm_vec3 c, v;
	lm_mat3 inertia;
	lm_vec3 L;
	double mass;
} rigid;

static rigid motion_of(const plain* p)
{
	rigid m = { 0 };
	for (int i = 0; i < p->n; ++i)
	{
		m.mass += p->mass[i];
		m.c = lm_add_scaled(m.c, p->mass[i], p->x[i]), m.v = lm_add_scaled(m.v, p->mass[i], p->v[i]);
	}
	m.c = lm_scale(1 / m.mass, m.c), m.v = lm_scale(1 / m.mass, m.v);
	for (int i = 0; i < p->n; ++i)
	{
		lm_vec3 d = lm_sub(p->x[i], m.c);
		m.L = lm_add_scaled(m.L, p->mass[i], lm_cross(d, p->v[i]));
		for (int k = 0; k < 3; ++k)
			m.inertia.m[k][k] += p->mass[i] * lm_dot(d, d);
		lm_add_outer(&m.inertia, -p->mass[i], d, d);
	}
	return m;
}

static void plain_step(plain* p, double h)
{
	const lm_match_settings* settings = &p->def->settings;
	double wh = 2 * 3.14159265358979323846 * settings->frequency * h, alpha = wh * wh,
		   theta = 2 * settings->damping / wh;
	rigid m = motion_of(p);
	lm_mat3 back = inverse_of(m.inertia);
	lm_vec3 spin = lm_mul_v(back, m.L);
	for (int i = 0; i < p->n; ++i)
	{
		lm_vec3 carried = lm_add(m.v, lm_cross(spin, lm_sub(p->x[i], m.c)));
		p->ahead[i] = lm_add_scaled(p->x[i], theta * h, lm_sub(p->v[i], carried));
		p->goal[i] = lm_v3(0, 0, 0);
	}
	settle(p);
	for (int r = 0; r < p->n; ++r) // Eq. 3
	{
		lm_vec3 c = centre_of(p, r, p->ahead);
		lm_mat3 T = lm_mul(best_rotation(p, r), wanted_stretch(p, r));
		for (int at = p->starts[r]; at < p->starts[r + 1]; ++at)
		{
			int i = p->members[at];
			lm_vec3 goal = lm_add(c, lm_mul_v(T, p->q[at]));
			p->goal[i] = lm_add_scaled(p->goal[i], 1.0 / (p->starts[i + 1] - p->starts[i]), goal);
		}
	}
	lm_vec3 leak = { 0 }, sum = { 0 };
	for (int i = 0; i < p->n; ++i) // Eq. 4 and 5
	{
		lm_vec3 pull = lm_scale(alpha / h, lm_sub(p->goal[i], p->ahead[i])), d = lm_sub(p->x[i], m.c);
		leak = lm_add_scaled(leak, p->mass[i], lm_cross(d, pull));
		sum = lm_add_scaled(sum, p->mass[i] / m.mass, pull);
		p->v[i] = lm_add(lm_add(p->v[i], pull), lm_add(p->repair, lm_cross(p->repair_spin, d)));
		p->v[i] = lm_add_scaled(p->v[i], h, lm_v3_at(settings->gravity, 0));
		p->x[i] = lm_add_scaled(p->x[i], h, p->v[i]);
	}
	p->repair = lm_scale(-1, sum);
	p->repair_spin = lm_scale(-1, lm_mul_v(back, leak));
}

// ---- comparing ----

static void compare(lm_match_def def, lm_simd simd)
{
	lm_host host = lm_host_default();
	lm_match* body = NULL;
	host.simd = simd;
	assert_int_equal(lm_match_create(&def, &host, &body, NULL), LM_OK);
	plain p = make_plain(&def);
	double *x = malloc((size_t)p.n * 24), weights[MOST + 1];
	for (int step = 0; step < 8; ++step)
	{
		plain_step(&p, 1.0 / 120);
		lm_match_step(body, 1.0 / 120, NULL, 0);
		lm_match_positions(body, x);
		for (int i = 0; i < p.n; ++i)
			assert_near(lm_distance(p.x[i], lm_v3_at(x, i)), 0, 1e-4); // metres: the body is 0.9 m long
	}
	for (int row = 0; row < (def.locality == LM_MATCH_GLOBAL ? 1 : p.n); ++row)
	{
		lm_match_weights(body, row, weights);
		for (int k = 0; k < def.example_count; ++k)
			assert_near(weights[k + 1], p.weights[row * MOST + k], 4e-3);
	}
	free(x);
	free_plain(&p);
	lm_match_destroy(body);
}

static void test_stretches_are_those_of_the_paper(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	uint64_t seed = 5;
	for (int irregular = 0; irregular < 2; ++irregular)
	{
		lm_mesh* mesh = grid_mesh(&host, 3, 7, 2, 0.1, 0.12, 0.09);
		double* masses = malloc((size_t)mesh->vertex_count * sizeof *masses);
		for (int i = 0; i < 3 * mesh->vertex_count; ++i)
			mesh->positions[i] += irregular ? 0.015 * test_random(&seed) : 0;
		for (int i = 0; i < mesh->vertex_count; ++i)
			masses[i] = 1 + 0.5 * test_random(&seed);
		// a twist and a bend are not affine in the regions: they are matched by what is
		double *twist = twisted(mesh, 1.2), *tall = stretched(mesh, 1.3), *start = twisted(mesh, 0.7);
		double* bent = stretched(mesh, 1);
		for (int i = 0; i < mesh->vertex_count; ++i)
			start[3 * i + 1] *= 1.1, bent[3 * i] += 0.4 * bent[3 * i + 1] * bent[3 * i + 1];
		const double* examples[] = { twist, tall, bent };
		lm_match_def def = lm_match_def_default();
		def.settings.frequency = 10;
		def.mesh = mesh, def.start = start, def.masses = masses, def.examples = examples;
		def.descriptor = LM_MATCH_STRETCH;
		for (lm_simd simd = LM_SIMD_PLAIN; simd <= lm_simd_best(); ++simd)
			for (def.example_count = 1; def.example_count <= MOST; ++def.example_count)
				for (def.locality = LM_MATCH_GLOBAL; def.locality <= LM_MATCH_EACH; def.locality += 2)
					for (def.ring = 1; def.ring <= 2; ++def.ring)
						compare(def, simd);
		free(twist), free(tall), free(start), free(bent), free(masses);
		lm_mesh_destroy(mesh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_stretches_are_those_of_the_paper) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
