// track.c: rows of the `track` engine.
//
// Scenes: seconds of processor time per second of animation, on one thread, for the first moments of a scene of the
// gallery; the reference is the same with the exact solver.
//
// Constraints: before every frame a cloth without constraints is put where the tracked one is, with its velocities, and
// both take the frame; what is compared is the time of an iteration of Newton's method.
//
// Sheets: seconds of processor time per frame of a sheet of 2 m that falls on a ball, and of one whose guide folds it
// through itself, so that regions give way. With two threads against one it is the time that passes.
//
// Shells: milliseconds of processor time per step of a pleated curtain of 10,000 and 40,000 vertices that hangs and
// touches itself all along its pleats.
#include "bench.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PI 3.14159265358979323846

// ---- scenes ----

typedef struct track_case
{
	const char* scene;  // below gallery/
	const char* object; // the tracked one
	int32_t objects;    // of the scene that take part
	double seconds;     // from the start
} track_case;

static const track_case box = { "track/box.json", "box", 1, 1 };
static const track_case flag = { "track/flag.json", "tracked", 2, 0.5 };
static const track_case flag_preview = { "track/flag-preview.json", "preview", 1, 4 };
static const track_case bag_silk = { "track/bag-silk.json", "bag", 1, 0.4 };
static const track_case xavier = { "track/xavier.json", "xavier", 1, 0.125 };

static lm_scene_track* find_tracked(const lm_scene* scene, const char* name)
{
	for (int32_t i = 0; i < scene->object_count; ++i)
		if (strcmp(scene->objects[i].name, name) == 0)
			return scene->objects[i].track;
	return NULL;
}

// The world of a scene, with or without what leads the tracked object.
static lm_world* make_world(lm_scene* scene, const track_case* c, bool led, lm_error* error)
{
	lm_scene_track* track = find_tracked(scene, c->object);
	lm_scene_track before = *track;
	char no_leader[1] = "";
	if (!led)
	{
		track->guide.object = no_leader;
		track->guide.frame_count = track->guide.vertex_count = 0;
		track->paint_count = track->regions = 0;
		track->hats = false;
	}
	lm_host host = lm_host_default();
	host.threads = 1;
	lm_world* world = NULL;
	if (lm_world_create(scene, &host, &world, error) != LM_OK)
		world = NULL;
	*track = before;
	return world;
}

typedef struct race
{
	lm_world* worlds[2]; // led, and not
	lm_track* cloths[2];
	double *x, *v;
	double seconds[2];
	int64_t iterations[2];
} race;

// Of this process: what others do on the machine counts less.
static double processor_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool run_frame(race* r, lm_error* error)
{
	lm_track_positions(r->cloths[0], r->x);
	lm_track_velocities(r->cloths[0], r->v);
	if (lm_track_set_positions(r->cloths[1], r->x, r->v, error) != LM_OK)
		return false;
	for (int i = 0; i < 2; ++i)
	{
		int64_t before = lm_track_get_report(r->cloths[i]).iterations_sum;
		double start = processor_seconds();
		if (lm_world_step(r->worlds[i], error) != LM_OK)
			return false;
		r->seconds[i] += processor_seconds() - start;
		r->iterations[i] += lm_track_get_report(r->cloths[i]).iterations_sum - before;
	}
	return true;
}

static bool prepare_race(race* r, lm_scene* scene, const track_case* c, lm_error* error)
{
	for (int i = 0; i < 2; ++i)
	{
		r->worlds[i] = make_world(scene, c, i == 0, error);
		if (r->worlds[i] == NULL || lm_world_prepare(r->worlds[i], error) != LM_OK)
			return false;
		r->cloths[i] = lm_world_track(r->worlds[i], lm_world_find_object(r->worlds[i], c->object));
	}
	size_t numbers = 3 * (size_t)lm_track_vertex_count(r->cloths[0]);
	r->x = malloc(numbers * sizeof(double)), r->v = malloc(numbers * sizeof(double));
	return (r->x && r->v) || bench_no_memory(error);
}

static bool run_constraints(const bench* b, bench_row* row, lm_error* error)
{
	const track_case* c = b->data;
	lm_scene* scene = bench_read_scene(c->scene, error);
	if (!scene)
		return false;
	int32_t objects = scene->object_count;
	scene->object_count = c->objects; // as long as the worlds live
	race r = { 0 };
	int64_t frames = (int64_t)ceil(c->seconds * scene->fps - 1e-9);
	bool good = prepare_race(&r, scene, c, error);
	for (int64_t k = 0; good && k < frames; ++k)
		good = run_frame(&r, error);
	if (good)
	{
		double simulated = (double)frames / scene->fps;
		double led = r.seconds[0] / (double)r.iterations[0], free_ = r.seconds[1] / (double)r.iterations[1];
		row->value = r.seconds[0] / simulated;
		row->unit = "s per s of animation";
		row->reference_name = "the same cloth without constraints, as many iterations from the same states";
		row->reference = row->value * free_ / led;
		snprintf(row->size, sizeof row->size, "%d vertices, %d regions, first %g s, %.1f ms per iteration",
		         lm_track_vertex_count(r.cloths[0]), lm_track_constraint_count(r.cloths[0]), simulated, 1000 * led);
	}
	lm_world_destroy(r.worlds[0]), lm_world_destroy(r.worlds[1]);
	free(r.x), free(r.v);
	scene->object_count = objects;
	lm_scene_destroy(scene);
	return good;
}

// Seconds of processor time of the first frames.
static double time_scene(lm_scene* scene, const track_case* c, lm_track_method method, int64_t frames, bench_row* row,
                         lm_error* error)
{
	for (int32_t i = 0; i < scene->object_count; ++i)
		scene->objects[i].track->settings.solver = method;
	lm_world* world = make_world(scene, c, true, error);
	bool good = world != NULL && lm_world_prepare(world, error) == LM_OK;
	double begin = processor_seconds();
	for (int64_t k = 0; good && k < frames; ++k)
		good = lm_world_step(world, error) == LM_OK;
	double taken = processor_seconds() - begin;
	if (good && method == LM_TRACK_LEAN)
	{
		const lm_track* cloth = lm_world_track(world, lm_world_find_object(world, c->object));
		lm_track_report report = lm_track_get_report(cloth);
		snprintf(row->size, sizeof row->size, "%d vertices, %d regions, first %g s, %.1f iterations a step",
		         lm_track_vertex_count(cloth), lm_track_constraint_count(cloth), (double)frames / scene->fps,
		         (double)report.iterations_sum / (double)report.steps);
	}
	lm_world_destroy(world);
	return good ? taken : -1;
}

static bool run_scene(const bench* b, bench_row* row, lm_error* error)
{
	const track_case* c = b->data;
	lm_scene* scene = bench_read_scene(c->scene, error);
	if (!scene)
		return false;
	int32_t objects = scene->object_count;
	scene->object_count = c->objects; // as long as the worlds live
	int64_t frames = (int64_t)ceil(c->seconds * scene->fps - 1e-9);
	double simulated = (double)frames / scene->fps;
	double lean = time_scene(scene, c, LM_TRACK_LEAN, frames, row, error);
	double exact = lean > 0 ? time_scene(scene, c, LM_TRACK_EXACT, frames, row, error) : -1;
	row->value = lean / simulated, row->reference = exact / simulated;
	row->unit = "s per s of animation";
	row->reference_name = "the exact solver";
	scene->object_count = objects;
	lm_scene_destroy(scene);
	return exact > 0;
}

// ---- sheets ----

#define STEP (1.0 / 96) // four steps a frame

// n x n vertices, 2 m wide.
static lm_mesh* sheet(int32_t n, double y, const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, n * n, 2 * (n - 1) * (n - 1), 0);
	for (int32_t v = 0; mesh && v < n * n; ++v)
	{
		const double place[3] = { 2.0 * (v % n) / (n - 1) - 1, y, 2.0 * (v / n) / (n - 1) - 1 };
		memcpy(mesh->positions + 3 * (size_t)v, place, sizeof place);
	}
	for (int32_t j = 0, t = 0; mesh && j + 1 < n; ++j)
		for (int32_t i = 0; i + 1 < n; ++i, t += 6)
		{
			int32_t a = j * n + i, c = a + n;
			const int32_t even[6] = { a, c, c + 1, a, c + 1, a + 1 }, odd[6] = { a, c, a + 1, a + 1, c, c + 1 };
			memcpy(mesh->triangles + t, (i + j) % 2 ? odd : even, sizeof even);
		}
	return mesh;
}

// Folded through itself within a second.
static void fold(const lm_mesh* mesh, double time, double* guide)
{
	double angle = 3.6 * fmin(1, time);
	memcpy(guide, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *guide);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double *g = guide + 3 * (size_t)v, r = g[0];
		if (r > 0)
			g[0] = r * cos(angle), g[1] += r * sin(angle);
	}
}

// Processor time of steps from .. to - 1.
static double time_steps(lm_track* cloth, const lm_mesh* mesh, double* guide, int from, int to, lm_error* error)
{
	double taken = 0;
	for (int k = from; k < to; ++k)
	{
		if (guide)
			fold(mesh, (k + 1) * STEP, guide);
		double begin = processor_seconds();
		if (lm_track_step(cloth, STEP, guide, k * STEP, error) != LM_OK)
			return -1;
		taken += processor_seconds() - begin;
	}
	return taken;
}

typedef struct drape_case
{
	int32_t side;
	int frames;
	bool compared; // with the exact solver
} drape_case;

static double wall_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Seconds per frame, at least 0: of processor time or, with `wall`, as time passes.
static double time_drape(const drape_case* c, lm_track_method method, int threads, bool wall, lm_track_report* report,
                         lm_error* error)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_mesh* mesh = sheet(c->side, 0.75, &host);
	const lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def ball = lm_collider_def_default();
	ball.shape = LM_SHAPE_SPHERE, ball.radius = 0.5, ball.keys = &key, ball.key_count = 1;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.colliders = &ball, def.collider_count = 1;
	def.settings.thickness = 0.01, def.settings.solver = method;
	lm_track* cloth = NULL;
	double taken = -1;
	if ((mesh || bench_no_memory(error)) && lm_track_create(&def, &host, &cloth, error) == LM_OK)
	{
		double begin = wall_seconds();
		taken = time_steps(cloth, mesh, NULL, 0, 4 * c->frames, error) / c->frames;
		if (taken >= 0 && wall)
			taken = (wall_seconds() - begin) / c->frames;
	}
	if (taken >= 0)
		*report = lm_track_get_report(cloth);
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
	return taken;
}

static bool run_drape(const bench* b, bench_row* row, lm_error* error)
{
	const drape_case* c = b->data;
	lm_track_report report = { 0 }, unused;
	row->value = time_drape(c, LM_TRACK_LEAN, 1, false, &report, error);
	row->unit = "s per frame";
	snprintf(row->size, sizeof row->size, "%d vertices, %d frames, %.1f iterations a step", c->side * c->side,
	         c->frames, (double)report.iterations_sum / (double)report.steps);
	if (row->value <= 0 || !c->compared)
		return row->value > 0;
	row->reference_name = "the exact solver";
	row->reference = time_drape(c, LM_TRACK_EXACT, 1, false, &unused, error);
	return row->reference > 0;
}

// Two threads against one, as time passes: only on an idle machine does that mean anything.
static bool run_drape_threads(const bench* b, bench_row* row, lm_error* error)
{
	enum
	{
		repeats = 3
	};
	const drape_case* c = b->data;
	lm_track_report report = { 0 };
	for (int k = 0; k < repeats; ++k)
	{
		double two = time_drape(c, LM_TRACK_LEAN, 2, true, &report, error);
		double one = two > 0 ? time_drape(c, LM_TRACK_LEAN, 1, true, &report, error) : -1;
		if (one <= 0)
			return false;
		row->value = k > 0 ? fmin(row->value, two) : two, row->reference = k > 0 ? fmin(row->reference, one) : one;
	}
	row->unit = "s per frame", row->reference_name = "one thread";
	snprintf(row->size, sizeof row->size, "%d vertices, %d frames, two threads", c->side * c->side, c->frames);
	return true;
}

// Frames in which regions give way; the reference is a frame before the cloth touches itself.
static bool run_conflict(const bench* b, bench_row* row, lm_error* error)
{
	enum
	{
		free_frames = 16,
		contact_frames = 19,
		all_frames = 25
	};
	(void)b;
	lm_host host = lm_host_default();
	host.threads = 1;
	lm_mesh* mesh = sheet(40, 0, &host);
	double* guide = malloc(3 * 1600 * sizeof *guide);
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh, def.regions = 36;
	lm_track* cloth = NULL;
	bool good = (mesh && guide) || bench_no_memory(error);
	good = good && lm_track_create(&def, &host, &cloth, error) == LM_OK;
	double before = good ? time_steps(cloth, mesh, guide, 0, 4 * free_frames, error) : -1;
	good = before > 0 && time_steps(cloth, mesh, guide, 4 * free_frames, 4 * contact_frames, error) > 0;
	double conflict = good ? time_steps(cloth, mesh, guide, 4 * contact_frames, 4 * all_frames, error) : -1;
	if (conflict > 0)
	{
		lm_track_report report = lm_track_get_report(cloth);
		row->value = conflict / (all_frames - contact_frames), row->unit = "s per frame";
		row->reference = before / free_frames;
		row->reference_name = "the same cloth before it touches itself";
		snprintf(row->size, sizeof row->size,
		         "1600 vertices, %d pairs, %d of 36 regions gave way, %lld steps done again", report.pairs,
		         report.gave_way, (long long)report.exact_steps);
	}
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
	free(guide);
	return conflict > 0;
}

static const drape_case drape_1600 = { 40, 25, true }, drape_10k = { 100, 14, false };

// ---- shells ----

#define PLEAT 20 // edges

// A meander: its direction swings by +-swing over a pleat; point k of it.
static void meander(double swing, double edge, int32_t count, double* x, double* z)
{
	x[0] = z[0] = 0;
	for (int32_t k = 1; k < count; ++k)
	{
		double angle = swing * sin(2 * PI * (k - 0.5) / PLEAT);
		x[k] = x[k - 1] + edge * cos(angle), z[k] = z[k - 1] + edge * sin(angle);
	}
}

// Smallest distance of points of a meander that are not close along it.
static double closest(double swing)
{
	double x[3 * PLEAT], z[3 * PLEAT], least = 1e9;
	meander(swing, 1, 3 * PLEAT, x, z);
	for (int32_t i = 0; i < 3 * PLEAT; ++i)
		for (int32_t k = i + PLEAT / 4; k < 3 * PLEAT; ++k)
			least = fmin(least, hypot(x[i] - x[k], z[i] - z[k]));
	return least;
}

// n x n vertices, one metre wide if it were stretched out; neighbouring pleats come as close as 0.15 edges, within the
// reach of contact (0.2).
static lm_mesh* curtain(int32_t n, const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, n * n, 2 * (n - 1) * (n - 1), 0);
	double *x = malloc((size_t)n * sizeof *x), *z = malloc((size_t)n * sizeof *z);
	if (mesh && x && z)
	{
		double low = 0, high = 2.4, edge = 1.0 / (n - 1);
		for (int k = 0; k < 50; ++k)
			*(closest((low + high) / 2) > 0.15 ? &low : &high) = (low + high) / 2;
		meander(low, edge, n, x, z);
		for (int32_t v = 0; v < n * n; ++v)
		{
			const double place[3] = { x[v % n], -(v / n) * edge, z[v % n] };
			memcpy(mesh->positions + 3 * (size_t)v, place, sizeof place);
		}
		for (int32_t j = 0, t = 0; j + 1 < n; ++j)
			for (int32_t i = 0; i + 1 < n; ++i, t += 6)
			{
				int32_t a = j * n + i, c = a + n;
				const int32_t two[6] = { a, c, a + 1, a + 1, c, c + 1 };
				memcpy(mesh->triangles + t, two, sizeof two);
			}
	}
	free(x), free(z);
	return mesh;
}

// Milliseconds of the first step, in which the curtain begins to fall.
static double time_curtain(int32_t n, bench_row* row, lm_error* error)
{
	lm_host host = lm_host_default();
	host.threads = 1;
	lm_mesh* mesh = curtain(n, &host);
	lm_track* cloth = NULL;
	lm_track_def def = lm_track_def_default();
	def.mesh = mesh;
	bool good = mesh || bench_no_memory(error);
	good = good && lm_track_create(&def, &host, &cloth, error) == LM_OK;
	for (int32_t i = 0; good && i < n; i += PLEAT / 2) // hung up by its pleats
		good = lm_track_pin(cloth, i, mesh->positions + 3 * (size_t)i, error) == LM_OK;
	double begin = processor_seconds();
	good = good && lm_track_step(cloth, 1.0 / 96, NULL, 0, error) == LM_OK;
	double taken = 1000 * (processor_seconds() - begin);
	if (good)
	{
		lm_track_report report = lm_track_get_report(cloth);
		snprintf(row->size, sizeof row->size, "%d vertices, %d close pairs, %d iterations", n * n, report.pairs,
		         report.iterations);
	}
	lm_track_destroy(cloth), lm_mesh_destroy(mesh);
	return good ? taken : -1;
}

static bool run_shell(const bench* b, bench_row* row, lm_error* error)
{
	int32_t n = *(const int32_t*)b->data;
	bench_row small;
	double before = n > 100 ? time_curtain(n / 2, &small, error) : 0;
	row->value = before >= 0 ? time_curtain(n, row, error) : -1;
	row->unit = "ms per step";
	if (before > 0 && row->value > 0)
		row->exponent = log(row->value / before) / log(4);
	return row->value > 0;
}

static const int32_t side_10k = 100, side_40k = 200;

const bench lm_bench_track[] = { { "track/box", run_scene, &box },
	                             { "track/flag", run_scene, &flag },
	                             { "track/flag-preview", run_scene, &flag_preview },
	                             { "track/bag-silk", run_scene, &bag_silk },
	                             { "track/xavier", run_scene, &xavier },
	                             { "track/constraints", run_constraints, &xavier },
	                             { "track/drape-1600", run_drape, &drape_1600 },
	                             { "track/drape-10k", run_drape, &drape_10k },
	                             { "track/drape-10k-2t", run_drape_threads, &drape_10k },
	                             { "track/conflict", run_conflict, NULL },
	                             { "track/shell-10k", run_shell, &side_10k },
	                             { "track/shell-40k", run_shell, &side_40k },
	                             { 0 } };
