// Models: material, distances within it, nodes, shape functions, surfaces.
#include "test.h"

#include "bodies.h"

#include "base/hash.h"
#include "design/elastic.h"
#include "design/march.h"
#include "design/model.h"
#include "design/shapes.h"
#include "design/skin.h"
#include "math/quat.h"

typedef struct fixture
{
	lm_host host;
	lm_mesh *bar_mesh, *fork_mesh;
	lm_design_model *bar, *fork;
} fixture;

static lm_design_model* make_model(const lm_mesh* mesh, int32_t nodes, int threads)
{
	lm_design_model_def def = lm_design_model_def_default();
	lm_host host = lm_host_default();
	lm_design_model* model = NULL;
	lm_error error;
	host.threads = threads;
	def.surface = mesh, def.nodes = nodes, def.voxels = 6000;
	if (lm_design_model_create(&def, &host, &model, &error) != LM_OK)
		print_error("%s\n", error.message);
	return model;
}

static int set_up(void** state)
{
	static fixture f;
	f.host = lm_host_default();
	f.bar_mesh = test_bar(&f.host), f.fork_mesh = test_fork(&f.host);
	f.bar = make_model(f.bar_mesh, 24, 1), f.fork = make_model(f.fork_mesh, 40, 1);
	*state = &f;
	return f.bar == NULL || f.fork == NULL;
}

static int tear_down(void** state)
{
	fixture* f = *state;
	lm_design_model_destroy(f->bar);
	lm_design_model_destroy(f->fork);
	lm_mesh_destroy(f->bar_mesh);
	lm_mesh_destroy(f->fork_mesh);
	return 0;
}

static lm_vec3 random_inside(const lm_design_model* m, uint64_t* seed)
{
	int32_t slot = (int32_t)((test_random(seed) + 1) / 2 * m->grid.material);
	lm_vec3 x = lm_design_grid_center(&m->grid, slot);
	double h = 0.5 * m->grid.h;
	return lm_add(x, lm_v3(h * test_random(seed), h * test_random(seed), h * test_random(seed)));
}

static void material_has_the_volume_of_the_surface(void** state)
{
	const lm_design_grid* g = &((fixture*)*state)->bar->grid;
	double volume = g->material * g->h * g->h * g->h; // longest side is 1
	assert_near(volume, 1.0 / 9, 0.01);
	for (int32_t s = 0; s < g->material; ++s)
	{
		lm_vec3 x = lm_design_grid_center(g, s);
		assert_true(fabs(x.x) < 0.5 / 3 + 1e-9 && fabs(x.y) < 0.5 + 1e-9 && fabs(x.z) < 0.5 / 3 + 1e-9);
	}
}

static void distances_in_a_convex_body_are_straight(void** state)
{
	const lm_design_model* m = ((fixture*)*state)->bar;
	double worst = 0, mean = 0;
	int64_t count = 0;
	for (int32_t s = 0; s < m->grid.material; ++s)
		for (int32_t i = 0; i < m->node_count; ++i)
		{
			double straight = lm_distance(lm_design_grid_center(&m->grid, s), lm_v3_at(m->nodes, i));
			double off = fabs(m->distance[(size_t)s * (size_t)m->node_count + (size_t)i] - straight);
			worst = fmax(worst, off), mean += off, ++count;
		}
	assert_true(mean / (double)count < 0.01 * 0.5);
	assert_true(worst < m->grid.h);
}

static void distances_go_around_a_gap(void** state)
{
	const fixture* f = *state;
	const double left[3] = { 0.35, 1.15, 0.15 }, right[3] = { 0.55, 1.15, 0.15 };
	for (int32_t i = 0; i < f->fork->node_count; ++i)
	{
		double to_left = lm_design_model_distance(f->fork, i, left);
		double to_right = lm_design_model_distance(f->fork, i, right);
		double nearer = fmin(to_left, to_right), farther = fmax(to_left, to_right);
		if (nearer < 0.3) // within one prong: the other is down and up again
			assert_true(farther > 1.3);
	}
}

// Paths join their nodes, stay in the material and are about as long as the distance says: down one prong, up the
// other.
static void paths_go_around_a_gap(void** state)
{
	const fixture* f = *state;
	const lm_design_model* m = f->fork;
	double points[3 * 1000], nodes[3 * 64];
	assert_true(m->node_count <= 64);
	lm_design_model_nodes(m, nodes);
	int around = 0;
	for (int32_t i = 0; i < m->node_count; ++i)
		for (int32_t j = 0; j < m->node_count; ++j)
		{
			double length = 0, wanted = lm_design_model_distance(m, i, nodes + 3 * j);
			int32_t count = lm_design_model_path(m, i, j, points, 1000);
			assert_true(count >= 2);
			assert_near(lm_distance(lm_v3_at(points, 0), lm_v3_at(nodes, j)), 0, 1e-12);
			assert_near(lm_distance(lm_v3_at(points, count - 1), lm_v3_at(nodes, i)), 0, 1e-12);
			for (int32_t k = 1; k < count; ++k)
			{
				lm_vec3 p = lm_v3_at(points, k);
				length += lm_distance(p, lm_v3_at(points, k - 1));
				assert_false(p.y > 0.5 && fabs(p.x - 0.45) < 0.02); // the middle of the gap
			}
			// steps along the axes are longer, by up to sqrt(3)
			assert_true(length > wanted - 3 * m->size * m->grid.h && length < 1.8 * wanted + 3 * m->size * m->grid.h);
			around += wanted > 1.3 * lm_distance(lm_v3_at(nodes, i), lm_v3_at(nodes, j));
		}
	assert_true(around > 0);
	assert_int_equal(lm_design_model_path(m, 0, m->node_count, points, 1000), 0);
	assert_int_equal(lm_design_model_path(m, 0, m->node_count - 1, points, 2), 0);
}

static void prongs_do_not_pull_each_other(void** state)
{
	const fixture* f = *state;
	const lm_design_model* m = f->fork;
	for (int32_t v = 0; v < m->surface->vertex_count; ++v)
	{
		lm_vec3 x = lm_v3_at(f->fork_mesh->positions, v);
		if (x.y < 0.95)
			continue;
		for (int64_t e = m->skin.start[v]; e < m->skin.start[v + 1]; ++e)
		{
			lm_vec3 node = lm_add_scaled(m->center, m->size, lm_v3_at(m->nodes, m->skin.node[e]));
			if (node.y > 0.75 && (node.x < 0.45) != (x.x < 0.45))
				assert_near(m->skin.phi[e], 0, 1e-12);
		}
	}
}

static void shape_functions_have_linear_precision(void** state)
{
	const fixture* f = *state;
	uint64_t seed = 1;
	for (int round = 0; round < 400; ++round)
	{
		const lm_design_model* m = round % 2 ? f->bar : f->fork;
		lm_vec3 x = random_inside(m, &seed), sum = { 0, 0, 0 };
		lm_mat3 F = { 0 };
		lm_design_shape s;
		double one = 0;
		lm_design_shape_at(m, x, &s);
		assert_true(s.count >= 4);
		for (int n = 0; n < s.count; ++n)
		{
			one += s.phi[n];
			sum = lm_add_scaled(sum, s.phi[n], lm_v3_at(m->nodes, s.node[n]));
			lm_add_outer(&F, 1, lm_v3_at(m->nodes, s.node[n]), lm_v3_at(s.grad[n], 0));
		}
		assert_near(one, 1, 1e-11);
		assert_near(lm_distance(sum, x), 0, 1e-11);
		for (int i = 0; i < 3; ++i)
			for (int k = 0; k < 3; ++k)
				assert_near(F.m[i][k], i == k, 1e-9);
	}
}

static double phi_of(const lm_design_shape* s, int32_t node)
{
	for (int n = 0; n < s->count; ++n)
		if (s->node[n] == node)
			return s->phi[n];
	return 0;
}

// A linear function is reproduced whatever the gradients of the weights, so each Phi_i is differenced on its own.
static void gradients_are_those_of_the_shape_functions(void** state)
{
	const lm_design_model* m = ((fixture*)*state)->bar;
	uint64_t seed = 2;
	double largest = 0;
	for (int round = 0; round < 200; ++round)
	{
		lm_vec3 x = random_inside(m, &seed);
		lm_design_shape s;
		lm_design_shape_at(m, x, &s);
		for (int k = 0; k < 3; ++k)
		{
			static lm_design_shape low, high;
			double e = 1e-6, step[3] = { 0 };
			step[k] = e;
			lm_design_shape_at(m, lm_sub(x, lm_v3_at(step, 0)), &low);
			lm_design_shape_at(m, lm_add(x, lm_v3_at(step, 0)), &high);
			for (int n = 0; n < s.count; ++n)
			{
				double difference = (phi_of(&high, s.node[n]) - phi_of(&low, s.node[n])) / (2 * e);
				assert_near(s.grad[n][k], difference, 1e-5);
				largest = fmax(largest, fabs(difference));
			}
		}
	}
	assert_true(largest > 1); // there was something to compare
}

// R x + t of the nodes is R x + t of the surface, normals too.
static void rigid_motions_carry_over(void** state)
{
	const fixture* f = *state;
	const lm_design_model* m = f->fork;
	int32_t count = m->surface->vertex_count;
	double nodes[3 * 64], *x = malloc(sizeof(double) * 6 * (size_t)count), *n = x + 3 * (size_t)count;
	float *fx = malloc(sizeof(float) * 6 * (size_t)count), *fn = fx + 3 * (size_t)count;
	lm_quat q = lm_quat_axis_angle(lm_v3(1, 2, 3), 2.5);
	lm_vec3 t = { 3, -2, 1 };
	lm_design_model_nodes(m, nodes);
	for (int32_t i = 0; i < m->node_count; ++i)
		lm_v3_store(nodes, i, lm_add(t, lm_quat_rotate(q, lm_v3_at(nodes, i))));
	lm_design_surface(m, nodes, 1, x, n);
	lm_design_surface_floats(m, nodes, 2, fx, fn);
	for (int32_t v = 0; v < count; ++v)
	{
		lm_vec3 y = lm_add(t, lm_quat_rotate(q, lm_v3_at(f->fork_mesh->positions, v)));
		lm_vec3 normal = { m->normals[3 * v], m->normals[3 * v + 1], m->normals[3 * v + 2] };
		normal = lm_quat_rotate(q, normal);
		assert_near(lm_distance(lm_v3_at(x, v), y), 0, 1e-11);
		assert_near(lm_distance(lm_v3_at(n, v), normal), 0, 1e-6);
		lm_vec3 single = { fx[3 * v], fx[3 * v + 1], fx[3 * v + 2] };
		lm_vec3 single_normal = { fn[3 * v], fn[3 * v + 1], fn[3 * v + 2] };
		assert_near(lm_distance(single, y), 0, 1e-5);
		assert_near(lm_distance(single_normal, normal), 0, 1e-4);
	}
	free(x);
	free(fx);
}

// Bent nodes: the kernels agree with each other and, keeping all nodes, with the exact surface; fewer nodes are near.
static void fast_surfaces_agree(void** state)
{
	const fixture* f = *state;
	lm_design_model_def def = lm_design_model_def_default();
	lm_host host = lm_host_default();
	def.surface = f->fork_mesh, def.nodes = 40, def.voxels = 6000, def.nodes_per_vertex = 8;
	lm_design_model* few;
	assert_int_equal(lm_design_model_create(&def, &host, &few, NULL), LM_OK);
	size_t count = (size_t)few->surface->vertex_count;
	double nodes[3 * 64], *x = malloc(sizeof(double) * 6 * count);
	float *all = malloc(sizeof(float) * 6 * count), *plain = malloc(sizeof(float) * 6 * count);
	lm_design_model_nodes(few, nodes);
	for (int32_t i = 0; i < few->node_count; ++i)
		nodes[3 * i] += 0.2 * nodes[3 * i + 1] * nodes[3 * i + 1];
	float table[8 * 64] = { 0 };
	for (int32_t i = 0; i < few->node_count; ++i)
		for (int d = 0; d < 8; ++d)
			table[8 * i + d] = d % 4 < 3 ? (float)nodes[3 * i + d % 4] : 0;
	lm_design_surface(few, nodes, 1, x, x + 3 * count);
	lm_design_surface_floats(f->fork, nodes, 1, all, all + 3 * count);
	lm_design_skin_kernel_plain(f->fork->fast, table, 0, (int64_t)count, plain, plain + 3 * count);
	for (size_t k = 0; k < 3 * count; ++k)
	{
		assert_near(all[k], x[k], 2e-6);
		assert_near(plain[k], all[k], 2e-6);
		assert_near(plain[3 * count + k], all[3 * count + k], 1e-4);
	}
	lm_design_surface_floats(few, nodes, 1, all, all + 3 * count);
	for (size_t k = 0; k < 3 * count; ++k)
		assert_near(all[k], x[k], 0.01);
	assert_int_equal(few->fast->width, 8);
	free(x);
	free(all);
	free(plain);
	lm_design_model_destroy(few);
}

// Counts of every remainder modulo the lanes of vectors, at every level.
static void kernels_agree_at_every_count(void** state)
{
	const fixture* f = *state;
	lm_design_model m = *f->fork; // of which the last points are left out
	double y[3 * LM_DESIGN_MOST_NODES];
	lm_design_model_nodes(f->fork, y);
	for (int32_t i = 0; i < m.node_count; ++i)
		y[3 * i] += 0.2 * y[3 * i + 1] * y[3 * i + 1];
	for (int32_t less = 0; less < 16; ++less)
	{
		double energies[4], least[4], gradients[4][3 * LM_DESIGN_MOST_NODES] = { 0 };
		m.point_count = f->fork->point_count - less;
		for (lm_simd simd = LM_SIMD_PLAIN; simd <= lm_simd_best(); ++simd)
		{
			m.host.simd = simd;
			energies[simd] =
				lm_design_elastic_and_volume(&m, (lm_design_stiffness){ 1, 2 }, y, 1, gradients[simd], &least[simd]);
			assert_near(energies[simd], energies[LM_SIMD_PLAIN], 1e-12 * energies[LM_SIMD_PLAIN]);
			assert_near(least[simd], lm_design_least_volume(&m, y), 1e-12);
			for (int32_t i = 0; i < 3 * m.node_count; ++i)
				assert_near(gradients[simd][i], gradients[LM_SIMD_PLAIN][i], 1e-10);
		}
	}
}

#if defined(LM_X86)
static void skins_agree_at_every_count(void** state)
{
	const fixture* f = *state;
	float table[8 * LM_DESIGN_MOST_NODES] = { 0 }, results[2][2][3 * 17];
	for (int32_t i = 0; i < f->fork->node_count; ++i)
		for (int d = 0; d < 8; ++d)
			table[8 * i + d] = d % 4 < 3 ? (float)f->fork->nodes[3 * i + d % 4] : 0;
	for (int64_t count = 1; count <= 16 && lm_simd_best() >= LM_SIMD_AVX2; ++count)
	{
		for (int k = 0; k < 3 * 17; ++k)
			results[0][0][k] = results[0][1][k] = results[1][0][k] = results[1][1][k] = 7;
		lm_design_skin_kernel_plain(f->fork->fast, table, 0, count, results[0][0], results[0][1]);
		lm_design_skin_kernel_avx2(f->fork->fast, table, 0, count, results[1][0], results[1][1]);
		for (int k = 0; k < 3 * 17; ++k)
		{
			assert_near(results[1][0][k], results[0][0][k], 2e-6);
			assert_near(results[1][1][k], results[0][1][k], 1e-4);
			if (k >= 3 * count)
				assert_true(results[0][0][k] == 7 && results[1][0][k] == 7);
		}
	}
}
#endif

static uint64_t model_hash(const lm_design_model* m)
{
	uint64_t hash = lm_hash(LM_HASH_START, m->nodes, 3 * (size_t)m->node_count * sizeof(double));
	hash = lm_hash(hash, m->volumes, (size_t)m->point_count * sizeof(double));
	return lm_hash(hash, m->skin.phi, (size_t)m->skin.start[m->skin.count] * sizeof(double));
}

static void threads_do_not_matter(void** state)
{
	const fixture* f = *state;
	for (int threads = 2; threads <= 4; threads += 2)
	{
		lm_design_model* m = make_model(f->fork_mesh, 40, threads);
		assert_true(model_hash(m) == model_hash(f->fork));
		lm_design_model_destroy(m);
	}
}

static void a_radius_gives_four_nodes_everywhere(void** state)
{
	const fixture* f = *state;
	lm_design_model_def def = lm_design_model_def_default();
	lm_host host = lm_host_default();
	lm_design_model* m;
	def.surface = f->bar_mesh, def.radius = 0.4, def.voxels = 3000;
	assert_int_equal(lm_design_model_create(&def, &host, &m, NULL), LM_OK);
	assert_in_range(m->node_count, 12, 200);
	for (int32_t s = 0; s < m->grid.material; ++s)
	{
		int seen = 0;
		for (int32_t i = 0; i < m->node_count; ++i)
			seen += m->size * m->distance[(size_t)s * (size_t)m->node_count + (size_t)i] <= 0.4;
		assert_true(seen >= 4);
	}
	lm_design_model_destroy(m);
}

// A cup without lid still has an inside; a loose piece is tied on.
static void open_and_loose_surfaces_work(void** state)
{
	const fixture* f = *state;
	lm_host host = lm_host_default();
	lm_mesh* open = lm_mesh_copy(f->bar_mesh, &host);
	int32_t kept = 0;
	for (int32_t t = 0; t < open->triangle_count; ++t)
	{
		const int32_t* c = open->triangles + 3 * t;
		double top =
			fmin(open->positions[3 * c[0] + 1], fmin(open->positions[3 * c[1] + 1], open->positions[3 * c[2] + 1]));
		if (top < 1.19)
			memmove(open->triangles + 3 * kept++, c, 3 * sizeof *c);
	}
	assert_true(kept < open->triangle_count);
	open->triangle_count = kept;
	lm_design_model* m = make_model(open, 20, 1);
	assert_non_null(m);
	assert_true(m->grid.material > 3000);
	lm_design_model_destroy(m);
	lm_mesh_destroy(open);

	lm_mesh* two = lm_mesh_create(&host, 2 * f->bar_mesh->vertex_count, 2 * f->bar_mesh->triangle_count, 0);
	for (int32_t v = 0; v < two->vertex_count; ++v)
		for (int d = 0; d < 3; ++d)
			two->positions[3 * v + d] = f->bar_mesh->positions[3 * (v % f->bar_mesh->vertex_count) + d] +
			                            (v >= f->bar_mesh->vertex_count && d == 0 ? 0.8 : 0);
	for (int32_t c = 0; c < 3 * two->triangle_count; ++c)
		two->triangles[c] = f->bar_mesh->triangles[c % (3 * f->bar_mesh->triangle_count)] +
		                    (c >= 3 * f->bar_mesh->triangle_count ? f->bar_mesh->vertex_count : 0);
	m = make_model(two, 30, 1);
	assert_non_null(m);
	for (int32_t s = 0; s < m->grid.material; ++s)
		assert_true(m->distance[(size_t)s * (size_t)m->node_count] < 100);
	lm_design_model_destroy(m);
	lm_mesh_destroy(two);
}

static void bad_input_is_told(void** state)
{
	const fixture* f = *state;
	lm_host host = lm_host_default();
	lm_design_model* m = NULL;
	lm_error error;
	lm_mesh* sheet = lm_mesh_create(&host, 4, 2, 0);
	const double corners[12] = { 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1 };
	const int32_t triangles[6] = { 0, 1, 2, 0, 2, 3 };
	memcpy(sheet->positions, corners, sizeof corners);
	memcpy(sheet->triangles, triangles, sizeof triangles);
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = sheet;
	assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "no inside"));
	memset(sheet->positions, 0, sizeof corners);
	assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
	sheet->triangle_count = 0;
	assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "no triangles"));
	lm_mesh_destroy(sheet);
	def.surface = f->bar_mesh;
	def.nodes = 3;
	assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
	def.nodes = 60, def.radius = NAN;
	assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
	def.radius = 1e-4; // more nodes than anybody wants: told at once, or, when the voxels leave doubts, after a while
	for (def.voxels = 16000; def.voxels >= 2000; def.voxels -= 14000)
	{
		assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
		assert_non_null(strstr(error.message, "larger"));
	}
	def = lm_design_model_def_default();
	def.surface = f->bar_mesh, def.voxels = 10;
	assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
	def.voxels = 16000, def.points_per_node = 0;
	assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
	def.points_per_node = 4, def.nodes_per_vertex = 3;
	assert_int_equal(lm_design_model_create(&def, &host, &m, &error), LM_BAD_INPUT);
	assert_null(m);
}

static void memory_may_run_out_anywhere(void** state)
{
	const fixture* f = *state;
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = f->bar_mesh, def.nodes = 6, def.voxels = 1000;
	lm_status status = LM_NO_MEMORY;
	for (int64_t fail = 1; status == LM_NO_MEMORY; ++fail)
	{
		test_memory memory = { .fail_at = fail };
		lm_host host = test_host(&memory);
		lm_design_model* m = NULL;
		status = lm_design_model_create(&def, &host, &m, NULL);
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
		lm_design_model_destroy(m);
		assert_int_equal(memory.held, 0);
	}
}

static bool refuse(const char* what, double done, void* context)
{
	(void)what, (void)done, (void)context;
	return false;
}

static void it_can_be_cancelled(void** state)
{
	lm_design_model_def def = lm_design_model_def_default();
	lm_host host = lm_host_default();
	lm_design_model* m;
	host.progress = refuse;
	def.surface = ((fixture*)*state)->bar_mesh, def.voxels = 1000;
	assert_int_equal(lm_design_model_create(&def, &host, &m, NULL), LM_CANCELLED);
}

// Nodes lie closer where the surface says so; their number stays.
static void nodes_follow_the_density(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_mesh* mesh = test_block(&host, 12, 4, 4, 0.1);
	lm_error error;
	assert_int_equal(lm_mesh_extract_surface(mesh, &error), LM_OK);
	double* density = malloc(sizeof *density * (size_t)mesh->vertex_count);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		density[v] = mesh->positions[3 * v] < 0.4 ? 8 : 1;
	int32_t dense[2];
	for (int k = 0; k < 2; ++k)
	{
		lm_design_model_def def = lm_design_model_def_default();
		def.surface = mesh, def.nodes = 60, def.voxels = 4000, def.density = k ? density : NULL;
		lm_design_model* model = NULL;
		double nodes[3 * 60];
		if (lm_design_model_create(&def, &host, &model, &error) != LM_OK)
			fail_msg("%s", error.message);
		assert_int_equal(lm_design_model_node_count(model), 60);
		lm_design_model_nodes(model, nodes);
		dense[k] = 0;
		for (int i = 0; i < 60; ++i)
			dense[k] += nodes[3 * i] < 0.4;
		lm_design_model_destroy(model);
	}
	assert_true(dense[0] < 30 && dense[1] >= 40); // a third of the volume, and eight times as many there: four fifths
	density[3] = 0;
	lm_design_model_def def = lm_design_model_def_default();
	lm_design_model* model = NULL;
	def.surface = mesh, def.density = density;
	assert_int_equal(lm_design_model_create(&def, &host, &model, &error), LM_BAD_INPUT);
	free(density);
	lm_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(material_has_the_volume_of_the_surface),
		cmocka_unit_test(distances_in_a_convex_body_are_straight),
		cmocka_unit_test(distances_go_around_a_gap),
		cmocka_unit_test(paths_go_around_a_gap),
		cmocka_unit_test(prongs_do_not_pull_each_other),
		cmocka_unit_test(shape_functions_have_linear_precision),
		cmocka_unit_test(gradients_are_those_of_the_shape_functions),
		cmocka_unit_test(rigid_motions_carry_over),
		cmocka_unit_test(fast_surfaces_agree),
		cmocka_unit_test(kernels_agree_at_every_count),
#if defined(LM_X86)
		cmocka_unit_test(skins_agree_at_every_count),
#endif
		cmocka_unit_test(threads_do_not_matter),
		cmocka_unit_test(a_radius_gives_four_nodes_everywhere),
		cmocka_unit_test(open_and_loose_surfaces_work),
		cmocka_unit_test(bad_input_is_told),
		cmocka_unit_test(memory_may_run_out_anywhere),
		cmocka_unit_test(it_can_be_cancelled),
		cmocka_unit_test(nodes_follow_the_density),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
