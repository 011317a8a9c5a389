// test_make.c: limber-gallery-make: its meshes are sound, have the particle counts of the paper and come out the same
// every time.
#include "test.h"

#include "limber/io.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAKER LIMBER_BUILD "/limber-gallery-make"
#define FIRST LIMBER_BUILD "/test_gallery/deeper/first"
#define SECOND LIMBER_BUILD "/test_gallery/deeper/second"

static int run(const char* arguments)
{
	char command[2048];
	snprintf(command, sizeof command, MAKER " %s >/dev/null 2>&1", arguments);
	int status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int set_up(void** state)
{
	(void)state;
	return run(FIRST);
}

static lm_mesh* read_made(const char* name)
{
	char path[2048];
	snprintf(path, sizeof path, FIRST "/%s", name);
	lm_host host = lm_host_default();
	lm_mesh* mesh = NULL;
	lm_error error = { 0 };
	if (lm_mesh_read(path, &host, &mesh, &error) != LM_OK)
		fail_msg("%s: %s", path, error.message);
	if (lm_mesh_check(mesh, path, &error) != LM_OK)
		fail_msg("%s: %s", path, error.message);
	return mesh;
}

static void counts_are_those_of_the_paper(void** state)
{
	(void)state;
	static const struct
	{
		const char* name;
		int32_t least, most;
	} bodies[] = { { "cuboid.msh", 225, 225 },   { "bar.msh", 225, 225 },       { "cylinder.msh", 2025, 2025 },
		           { "car.msh", 192, 192 },      { "teddy.msh", 1255, 1305 },   { "sphere.msh", 70, 94 },
		           { "cup-small.msh", 76, 125 }, { "cup-middle.msh", 76, 125 }, { "cup-large.msh", 76, 125 },
		           { "cross.msh", 320, 432 },    { "crusty.msh", 33, 43 } };
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
	{
		lm_mesh* mesh = read_made(bodies[i].name);
		assert_in_range(mesh->vertex_count, bodies[i].least, bodies[i].most);
		assert_true(mesh->tet_count > 0);
		lm_mesh_destroy(mesh);
	}
}

// The reader turns round tetrahedra that are inside out: a pose that folds over would come back with other tetrahedra.
static void poses_fit_their_bodies(void** state)
{
	(void)state;
	static const char* const poses[][5] = {
		{ "cuboid.msh", "cuboid-twist.msh", "cuboid-curl.msh", "cuboid-s.msh", NULL },
		{ "bar.msh", "bar-curl.msh", NULL },
		{ "cylinder.msh", "cylinder-bellows.msh", "cylinder-corkscrew.msh", "cylinder-snake.msh",
		  "cylinder-hourglass.msh" },
		{ "car.msh", "car-pleated.msh", "car-arched.msh", "car-wrung.msh", NULL },
		{ "teddy.msh", "teddy-cheering.msh", "teddy-hugging.msh", NULL },
	};
	for (size_t i = 0; i < sizeof poses / sizeof poses[0]; i++)
	{
		lm_mesh* body = read_made(poses[i][0]);
		for (size_t k = 1; k < 5 && poses[i][k]; k++)
		{
			lm_mesh* pose = read_made(poses[i][k]);
			assert_int_equal(pose->vertex_count, body->vertex_count);
			assert_int_equal(pose->tet_count, body->tet_count);
			assert_memory_equal(pose->tets, body->tets, sizeof *body->tets * 4 * (size_t)body->tet_count);
			assert_memory_not_equal(pose->positions, body->positions,
			                        sizeof *body->positions * 3 * (size_t)body->vertex_count);
			lm_mesh_destroy(pose);
		}
		lm_mesh_destroy(body);
	}
}

static int compare_edges(const void* a, const void* b)
{
	return memcmp(a, b, 2 * sizeof(int32_t));
}

// Closed, and facing outwards: every directed edge has its opposite exactly once, and the volume is positive.
static void surfaces_are_closed(void** state)
{
	(void)state;
	static const char* const names[] = { "cuboid-surface.ply",    "bar-surface.ply",        "cylinder-surface.ply",
		                                 "car-surface.ply",       "teddy-surface.ply",      "sphere-surface.ply",
		                                 "cup-small-surface.ply", "cup-middle-surface.ply", "cup-large-surface.ply",
		                                 "cross-surface.ply",     "crusty-surface.ply" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
	{
		lm_mesh* mesh = read_made(names[i]);
		size_t count = 3 * (size_t)mesh->triangle_count;
		int32_t(*there)[2] = malloc(sizeof *there * count), (*back)[2] = malloc(sizeof *back * count);
		assert_true(there && back);
		double volume = 0;
		for (size_t c = 0; c < count; c++)
		{
			int32_t from = mesh->triangles[c], to = mesh->triangles[c % 3 == 2 ? c - 2 : c + 1];
			there[c][0] = back[c][1] = from;
			there[c][1] = back[c][0] = to;
			const double *p = mesh->positions + 3 * from, *q = mesh->positions + 3 * to;
			const double* r = mesh->positions + 3 * mesh->triangles[c - c % 3 + (c + 2) % 3];
			volume += (p[1] * q[2] - p[2] * q[1]) * r[0] + (p[2] * q[0] - p[0] * q[2]) * r[1] +
			          (p[0] * q[1] - p[1] * q[0]) * r[2];
		}
		qsort(there, count, sizeof *there, compare_edges);
		qsort(back, count, sizeof *back, compare_edges);
		assert_memory_equal(there, back, count * sizeof *there);
		for (size_t c = 1; c < count; c++)
			assert_true(compare_edges(there[c - 1], there[c]) != 0);
		assert_true(volume > 0);
		assert_true(mesh->vertex_count > 5000);
		free(there);
		free(back);
		lm_mesh_destroy(mesh);
	}
}

static double area(const lm_mesh* mesh, const double* positions, int32_t t)
{
	const int32_t* c = mesh->triangles + 3 * t;
	const double *p = positions + 3 * c[0], *q = positions + 3 * c[1], *r = positions + 3 * c[2];
	return ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / 2;
}

// Bodies of act in the plane: counter-clockwise triangles, those of poses too, that cover what they should.
static void flat_bodies_are_sound(void** state)
{
	(void)state;
	static const struct
	{
		const char* name;
		int32_t vertices, triangles;
		double least, most; // area
	} bodies[] = {
		{ "i.obj", 29, 32, 0.3599, 0.3601 },      { "i-bent.obj", 29, 32, 0.3, 0.42 },
		{ "i-compressed.obj", 29, 32, 0.2, 0.4 }, { "i-surface.obj", 0, 0, 0.35, 0.37 },
		{ "disc.obj", 25, 32, 0.76, 0.785 },      { "disc-surface.obj", 0, 0, 0.7, 0.78 },
	};
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
	{
		lm_mesh* mesh = read_made(bodies[i].name);
		double sum = 0;
		for (int32_t t = 0; t < mesh->triangle_count; t++)
		{
			assert_true(area(mesh, mesh->positions, t) > 0);
			sum += area(mesh, mesh->positions, t);
		}
		for (int32_t v = 0; v < mesh->vertex_count; v++)
			assert_true(mesh->positions[3 * v + 2] == 0);
		assert_true(sum > bodies[i].least && sum < bodies[i].most);
		if (bodies[i].vertices > 0)
		{
			assert_int_equal(mesh->vertex_count, bodies[i].vertices);
			assert_int_equal(mesh->triangle_count, bodies[i].triangles);
		}
		lm_mesh_destroy(mesh);
	}
	lm_mesh* hoop = read_made("hoop.obj");
	assert_int_equal(hoop->edge_count, 24);
	lm_mesh_destroy(hoop);
}

static void every_run_makes_the_same(void** state)
{
	(void)state;
	assert_int_equal(run(SECOND), 0);
	assert_int_equal(WEXITSTATUS(system("diff -r " FIRST " " SECOND)), 0);
	DIR* directory = opendir(SECOND);
	assert_non_null(directory);
	int files = 0;
	for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory))
		files += entry->d_name[0] != '.';
	closedir(directory);
	assert_true(files >= 20);
}

static void mistakes_are_reported(void** state)
{
	(void)state;
	assert_int_equal(run(""), 2);
	assert_int_equal(run("--help"), 2);
	assert_int_equal(run("one two"), 2);
	assert_int_equal(run("/dev/null/nowhere"), 1);
	assert_int_equal(run("/dev/null"), 1); // there, but no directory
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_the_paper), cmocka_unit_test(poses_fit_their_bodies),
		cmocka_unit_test(surfaces_are_closed),           cmocka_unit_test(flat_bodies_are_sound),
		cmocka_unit_test(every_run_makes_the_same),      cmocka_unit_test(mistakes_are_reported),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
