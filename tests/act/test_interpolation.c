// test_interpolation.c: Fig. 4 and 5 of Coros et al. 2012: incompatible interpolation between two poses, made
// compatible by a static solve, against interpolation in strain space.
//
// Solids: a straight and a twisted bar, 100 weights a, against Martin et al. 2011: the shape with the least
// sum |E(x) - ((1-a) E_0 + a E_1)|^2 V, E the Green strain relative to the straight bar.
// Shells: a straight and a helically twisted tube against Froehlich and Botsch 2011: the shape whose squared lengths
// and angles come closest to the interpolated lengths and angles, weighted as our shells are.
#include "test.h"

#include "bodies.h"

#include "act/body.h"
#include "elastic/body.h"
#include "elastic/law.h"
#include "elastic/measure.h"
#include "limber/act.h"
#include "math/svd.h"
#include "solve/newton.h"
#include "sparse/cholesky.h"

#define MOST 1024

// ---- minimising a sum of terms k/2 |q(x) - target|^2 by Gauss and Newton, for the references

typedef struct fit
{
	const lm_measure* measure[2];
	int count[2];
	int32_t* corners[2];
	double *target[2], *weight[2]; // of the law: weight of a term; Gram: K of it, 6 x 6
	int vertices;
	lm_pattern* pattern;
	lm_cholesky* cholesky;
	double *values, *gradient;
} fit;

static void gather(const lm_measure* m, const int32_t* v, const double* x, double* local)
{
	for (int i = 0; i < m->size; ++i)
		local[i] = x[3 * v[i / 3] + i % 3];
}

// K D of a term, and its energy.
static double force_of(const fit* f, int s, int t, const double* local, double* KD)
{
	const lm_measure* m = f->measure[s];
	double q[6], D[6], sum = 0;
	m->value(local, q);
	for (int a = 0; a < m->count; ++a)
	{
		D[a] = q[a] - f->target[s][t * m->count + a];
		if (m->angle)
			D[a] = remainder(D[a], 6.283185307179586);
	}
	for (int a = 0; a < m->count; ++a)
	{
		KD[a] = 0;
		for (int b = 0; b < m->count; ++b)
			KD[a] += f->weight[s][(t * m->count + a) * m->count + b] * D[b];
		sum += KD[a] * D[a] / 2;
	}
	return sum;
}

static double energy(const fit* f, const double* x)
{
	double sum = 0, local[12], KD[6];
	for (int s = 0; s < 2; ++s)
		for (int t = 0; t < f->count[s]; ++t)
		{
			gather(f->measure[s], f->corners[s] + f->measure[s]->corners * t, x, local);
			sum += force_of(f, s, t, local, KD);
		}
	return sum;
}

static void assemble(fit* f, const double* x)
{
	int64_t element = 0;
	memset(f->values, 0, (size_t)f->pattern->entries * sizeof *f->values);
	memset(f->gradient, 0, 3 * (size_t)f->vertices * sizeof *f->gradient);
	for (int s = 0; s < 2; ++s)
		for (int t = 0; t < f->count[s]; ++t, ++element)
		{
			const lm_measure* m = f->measure[s];
			const int32_t* v = f->corners[s] + m->corners * t;
			double local[12], KD[6], J[72], A[144] = { 0 };
			int n = m->size, c = m->count;
			gather(m, v, x, local);
			force_of(f, s, t, local, KD);
			m->gradient(local, J);
			for (int i = 0; i < n; ++i)
				for (int a = 0; a < c; ++a)
				{
					f->gradient[3 * v[i / 3] + i % 3] += J[a * n + i] * KD[a];
					for (int j = 0; j < n; ++j)
						for (int b = 0; b < c; ++b)
							A[i * n + j] += J[a * n + i] * f->weight[s][(t * c + a) * c + b] * J[b * n + j];
				}
			lm_pattern_scatter(f->pattern, element, A, f->values);
		}
}

// Improves x until nothing moves; rigid motions are held by a small shift.
static void minimise(fit* f, double* x)
{
	double step[3 * MOST], trial[3 * MOST], shift = 1e-7;
	int n = 3 * f->vertices;
	for (int k = 0; k < 200; ++k)
	{
		assemble(f, x);
		double now = energy(f, x), largest = 0, alpha = 1;
		assert_int_equal(lm_cholesky_factorize(f->cholesky, f->values, shift).status, LM_FACTOR_OK);
		assert_true(lm_cholesky_solve(f->cholesky, 1, f->gradient, step));
		for (; alpha > 1e-6; alpha /= 2)
		{
			for (int i = 0; i < n; ++i)
				trial[i] = x[i] - alpha * step[i];
			if (energy(f, trial) <= now)
				break;
		}
		for (int i = 0; i < n; ++i)
			largest = fmax(largest, fabs(alpha * step[i]));
		if (alpha <= 1e-6 || largest < 1e-8)
			return;
		memcpy(x, trial, (size_t)n * sizeof *x);
	}
}

static void finish(fit* f)
{
	lm_host host = lm_host_default();
	lm_element_list lists[2];
	for (int s = 0; s < 2; ++s)
		lists[s] = (lm_element_list){ f->count[s], f->corners[s], NULL, f->measure[s]->corners, 3 };
	assert_int_equal(lm_pattern_create(3 * f->vertices, true, lists, 2, &host, &f->pattern, NULL), LM_OK);
	assert_int_equal(lm_cholesky_create(f->pattern, LM_CHOLESKY_LL, &host, &f->cholesky, NULL), LM_OK);
	f->values = calloc((size_t)f->pattern->entries, sizeof *f->values);
	f->gradient = calloc(3 * (size_t)f->vertices, sizeof *f->gradient);
}

static void release(fit* f)
{
	for (int s = 0; s < 2; ++s)
	{
		free(f->corners[s]);
		free(f->target[s]);
		free(f->weight[s]);
	}
	lm_cholesky_destroy(f->cholesky);
	lm_pattern_destroy(f->pattern);
	free(f->values);
	free(f->gradient);
}

// Largest distance of two shapes, the second moved rigidly upon the first as well as can be.
static double distance(int n, const double* a, const double* b)
{
	lm_vec3 ca = { 0, 0, 0 }, cb = ca;
	for (int v = 0; v < n; ++v)
		ca = lm_add_scaled(ca, 1.0 / n, lm_v3_at(a, v)), cb = lm_add_scaled(cb, 1.0 / n, lm_v3_at(b, v));
	lm_mat3 A = { 0 };
	for (int v = 0; v < n; ++v)
		lm_add_outer(&A, 1, lm_sub(lm_v3_at(a, v), ca), lm_sub(lm_v3_at(b, v), cb));
	lm_mat3 R = lm_polar3(A).R;
	double largest = 0;
	for (int v = 0; v < n; ++v)
		largest = fmax(largest, lm_distance(lm_sub(lm_v3_at(a, v), ca), lm_mul_v(R, lm_sub(lm_v3_at(b, v), cb))));
	return largest;
}

// Our shape at weight a, from the last one.
static void ours(lm_act* body, double a)
{
	lm_act_static_report report;
	lm_act_set_parameters(body, &a);
	assert_int_equal(lm_act_settle(body, NULL, &report, NULL), LM_OK);
}

static lm_act* interpolating(const lm_host* host, lm_act_kind kind, const lm_mesh* mesh, const double* pose)
{
	lm_act_def def = lm_act_def_default();
	lm_act* body = NULL;
	def.kind = kind, def.mesh = mesh, def.control = LM_ACT_EXAMPLES;
	def.example_count = 1, def.examples = &pose;
	memset(def.settings.gravity, 0, sizeof def.settings.gravity);
	def.settings.material = (lm_act_material){ 1000, 1, 0 };
	assert_int_equal(lm_act_create(&def, host, &body, NULL), LM_OK);
	for (int i = 0; i < 1; ++i) // one vertex is held: where the body is does not matter
		lm_act_pin(body, 0, mesh->positions);
	return body;
}

// ---- Fig. 4

// Turns about the z axis, by `turns` over the length.
static void twist(const lm_mesh* mesh, double length, double turns, double cx, double cy, double* pose)
{
	for (int v = 0; v < mesh->vertex_count; ++v)
	{
		const double* x = mesh->positions + 3 * v;
		double angle = 6.283185307179586 * turns * x[2] / length, u = x[0] - cx, w = x[1] - cy;
		pose[3 * v] = cx + u * cos(angle) - w * sin(angle);
		pose[3 * v + 1] = cy + u * sin(angle) + w * cos(angle);
		pose[3 * v + 2] = x[2];
	}
}

// |E - E_a|^2 V / 2 with E = S^-T (g(x) - g(X)) S^-1 / 2: K of the law at the straight bar, target the interpolated
// Gram matrix.
static void fit_green(const lm_mesh* mesh, fit* f)
{
	*f = (fit){ .measure = { &lm_measure_gram3, &lm_measure_gram3 }, .vertices = mesh->vertex_count };
	int n = f->count[0] = mesh->tet_count;
	f->corners[0] = malloc(sizeof(int32_t) * 4 * (size_t)n);
	memcpy(f->corners[0], mesh->tets, sizeof(int32_t) * 4 * (size_t)n);
	f->target[0] = calloc(6 * (size_t)n, sizeof(double));
	f->weight[0] = calloc(36 * (size_t)n, sizeof(double));
	for (int t = 0; t < n; ++t)
	{
		double local[12], G[6], zero[6] = { 0 }, volume;
		gather(&lm_measure_gram3, mesh->tets + 4 * t, mesh->positions, local);
		lm_measure_gram3.value(local, G);
		lm_measure_volume.value(local, &volume);
		lm_law law = { 6, volume, zero };
		lm_law_K(&law, G, f->weight[0] + 36 * t);
	}
	finish(f);
}

static void bars_twist_alike(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = test_block(&host, 2, 2, 10, 0.1);
	int n = mesh->vertex_count;
	double pose[3 * MOST], x[3 * MOST], reference[3 * MOST], worst = 0;
	twist(mesh, 1.0, 0.5, 0.1, 0.1, pose);
	lm_act* body = interpolating(&host, LM_ACT_SOLID_GREEN, mesh, pose);
	fit f;
	fit_green(mesh, &f);
	memcpy(reference, mesh->positions, 3 * (size_t)n * sizeof *x);
	for (int k = 0; k < 100; ++k)
	{
		double a = k / 99.0, local[12], G0[6], G1[6];
		for (int t = 0; t < mesh->tet_count; ++t)
		{
			gather(&lm_measure_gram3, mesh->tets + 4 * t, mesh->positions, local);
			lm_measure_gram3.value(local, G0);
			gather(&lm_measure_gram3, mesh->tets + 4 * t, pose, local);
			lm_measure_gram3.value(local, G1);
			for (int c = 0; c < 6; ++c)
				f.target[0][6 * t + c] = (1 - a) * G0[c] + a * G1[c];
		}
		minimise(&f, reference);
		ours(body, a);
		lm_act_positions(body, x);
		worst = fmax(worst, distance(n, reference, x)); // the bar is 1 m long
	}
	printf("straight and twisted bar, 100 weights: largest distance %.2f %% of the length\n", 100 * worst);
	assert_true(worst < 0.01);
	release(&f);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

// ---- Fig. 5

#define AROUND 8
#define ALONG 20

// A tube along z, open at its ends.
static lm_mesh* tube(const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, AROUND * (ALONG + 1), 2 * AROUND * ALONG, 0);
	int32_t* t = mesh->triangles;
	for (int k = 0; k <= ALONG; ++k)
		for (int i = 0; i < AROUND; ++i)
		{
			double angle = 6.283185307179586 * i / AROUND, *x = mesh->positions + 3 * (k * AROUND + i);
			x[0] = 0.1 * cos(angle), x[1] = 0.1 * sin(angle), x[2] = (double)k / ALONG;
			int a = k * AROUND + i, b = k * AROUND + (i + 1) % AROUND, c = a + AROUND, d = b + AROUND;
			if (k < ALONG)
				*t++ = a, *t++ = b, *t++ = d, *t++ = a, *t++ = d, *t++ = c;
		}
	return mesh;
}

// The same around a helix of half a turn, as long as the tube, with the helix's own frame.
static void wind(const lm_mesh* mesh, double* pose)
{
	const double radius = 0.2, turn = 3.141592653589793, rise = sqrt(1 - radius * radius * turn * turn);
	for (int v = 0; v < mesh->vertex_count; ++v)
	{
		const double* x = mesh->positions + 3 * v;
		double s = turn * x[2], c = cos(s), n = sin(s);
		lm_vec3 along = lm_v3(-radius * turn * n, radius * turn * c, rise), out = lm_v3(c, n, 0);
		lm_vec3 side = lm_cross(along, out), at = lm_v3(radius * c, radius * n, rise * x[2]);
		at = lm_add_scaled(lm_add_scaled(at, x[0], out), x[1], side);
		lm_v3_store(pose, v, at);
	}
}

// Lengths and angles with the weights that our shell has.
static void fit_shell(const lm_act* body, fit* f)
{
	*f = (fit){ .measure = { &lm_measure_length3, &lm_measure_hinge }, .vertices = body->vertex_count };
	for (int s = 0; s < 2; ++s)
	{
		const lm_term_set* set = &body->elastic->sets[s];
		size_t n = (size_t)(f->count[s] = set->count), corners = (size_t)set->measure->corners;
		f->corners[s] = malloc(sizeof(int32_t) * corners * n);
		memcpy(f->corners[s], set->vertices, sizeof(int32_t) * corners * n);
		f->target[s] = calloc(n, sizeof(double));
		f->weight[s] = calloc(n, sizeof(double));
		double stiffness = s == 0 ? body->settings.material.stretch : body->settings.material.bend;
		for (size_t t = 0; t < n; ++t)
			f->weight[s][t] = stiffness * set->factors[t];
	}
	finish(f);
}

static void tubes_wind_alike(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = tube(&host);
	int n = mesh->vertex_count;
	double pose[3 * MOST], x[3 * MOST], reference[3 * MOST], worst = 0, stretch = 0;
	wind(mesh, pose);
	lm_act* body = interpolating(&host, LM_ACT_SHELL, mesh, pose);
	fit f;
	fit_shell(body, &f);
	memcpy(reference, mesh->positions, 3 * (size_t)n * sizeof *x);
	for (int k = 0; k <= 20; ++k)
	{
		double a = k / 20.0, local[12], q[2];
		for (int s = 0; s < 2; ++s)
			for (int t = 0; t < f.count[s]; ++t)
			{
				const int32_t* v = f.corners[s] + f.measure[s]->corners * t;
				gather(f.measure[s], v, mesh->positions, local), f.measure[s]->value(local, q);
				gather(f.measure[s], v, pose, local), f.measure[s]->value(local, q + 1);
				double l = s == 0 ? (1 - a) * sqrt(q[0]) + a * sqrt(q[1]) : (1 - a) * q[0] + a * q[1];
				f.target[s][t] = s == 0 ? l * l : l;
			}
		minimise(&f, reference);
		ours(body, a);
		lm_act_positions(body, x);
		worst = fmax(worst, distance(n, reference, x)); // the tube is 1 m long
		for (int t = 0; t < f.count[0]; ++t)
		{
			gather(f.measure[0], f.corners[0] + 2 * t, x, local), f.measure[0]->value(local, q);
			stretch = fmax(stretch, fabs(sqrt(q[0] / f.target[0][t]) - 1));
		}
	}
	printf(
		"straight and wound tube, 21 weights: largest distance %.2f %% of the length, edges off by at most %.2f %%\n",
		100 * worst, 100 * stretch);
	assert_true(worst < 0.05);
	release(&f);
	lm_act_destroy(body);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bars_twist_alike), cmocka_unit_test(tubes_wind_alike) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
