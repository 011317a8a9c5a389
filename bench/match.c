// match.c: rows of the `match` engine. Each runs a scene of the gallery, or one object of it, with the scene's own
// settings and time step, against the plain implementation of the paper in reference.c on the same object. Rows of
// several threads are compared with nothing.
//
// A step is one shape-matching step of length h, as in the paper's Table 1: time of whole frames of the world, contact
// included, divided by the number of inner steps that the engine took.
//
// The scene is run several times, the engine and the reference in turn. Every run does exactly the same work, so that
// the time of a frame is the least that it took in any run, and the row is the sum of these over the frames: another
// program that runs for a moment does not change the result.
#include "bench.h"
#include "reference.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 20
#define REPEATS_FINE 8
#define MAX_FRAMES 1024
#define MAX_BODIES 64
#define REFERENCE_SECONDS 0.6 // enough of the reference in one run: its steps all cost the same
static const char reference_name[] = "plain scalar implementation of the paper (bench/reference.c)";
static const char reference_name_many[] =
	"plain scalar implementation of the paper (bench/reference.c), without contact among the bodies";

typedef struct match_case
{
	const char* scene;  // below gallery/
	const char* object; // NULL: all
	double seconds;     // simulated, from the start
	double paper;       // Table 1, ms per step; 0: none
	int threads;
	bool each;  // every region on its own instead of what the scene says
	bool fine;  // 100,000 particles instead of the scene's mesh
	bool free;  // nothing to touch, and turning: the time of the engine alone
	bool poses; // examples as poses, where the scene matches them by their stretches, as the paper and the reference do
} match_case;

#define CYLINDER .scene = "match/cylinders.json", .object = "corkscrew"
static const match_case cuboid_global = {
	.scene = "match/twist.json", .object = "", .seconds = 3, .paper = 0.33, .threads = 1
};
static const match_case cuboid_local = {
	.scene = "match/twist.json", .object = "", .seconds = 3, .paper = 0.40, .threads = 1, .each = true
};
static const match_case cylinder = { CYLINDER, .seconds = 2, .paper = 3.1, .threads = 1 };
static const match_case cylinder_local = { CYLINDER, .seconds = 2, .threads = 1, .each = true };
static const match_case cylinder_poses = { CYLINDER, .seconds = 2, .threads = 1, .poses = true };
static const match_case cylinder_free = { CYLINDER, .seconds = 1, .threads = 1, .free = true };
static const match_case teddy = { .scene = "match/teddy.json", .object = "", .seconds = 2, .paper = 2.2, .threads = 1 };
static const match_case car = {
	.scene = "match/cars.json", .object = "wrung", .seconds = 2, .paper = 0.27, .threads = 1
};
static const match_case slope = { .scene = "match/slope.json", .seconds = 3, .threads = 1 };
static const match_case fine_1t = { CYLINDER, .seconds = 0.3, .threads = 1, .fine = true };
static const match_case fine_2t = { CYLINDER, .seconds = 0.3, .threads = 2, .fine = true };
static const match_case fine_poses = { CYLINDER, .seconds = 0.3, .threads = 1, .fine = true, .poses = true };
static const match_case fine_free = { CYLINDER, .seconds = 0.2, .threads = 1, .fine = true, .free = true };

// ---- the scene ----

// Makes the wanted object the first (so that the others can be left out), and applies the other options of the case.
// Display surfaces are no part of a step.
static bool adapt(lm_scene* scene, const match_case* what, lm_error* error)
{
	if (what->object && *what->object && !bench_put_first(scene, what->object, error))
		return false;
	bench_drop_surfaces(scene);
	for (int32_t i = 0; what->each && i < scene->object_count; ++i)
		scene->objects[i].match->locality = LM_MATCH_EACH;
	for (int32_t i = 0; what->poses && i < scene->object_count; ++i)
		scene->objects[i].match->descriptor = LM_MATCH_POSE;
	if (what->free)
	{
		static const double turning[3] = { 4, 2, 3 }; // enough to bend the body
		memcpy(scene->objects[0].angular_velocity, turning, sizeof turning);
	}
	return !what->fine || bench_refine(&scene->objects[0], error);
}

static lm_world* create_world(lm_scene* scene, const match_case* what, lm_error* error)
{
	lm_host host = lm_host_default();
	host.threads = what->threads;
	lm_world* world = NULL;
	int32_t all = scene->object_count, colliders = scene->collider_count;
	if (what->object)
		scene->object_count = 1;
	if (what->free)
		scene->collider_count = 0;
	lm_world_create(scene, &host, &world, error);
	scene->object_count = all, scene->collider_count = colliders;
	return world;
}

static int frames_of(const lm_scene* scene, const match_case* what)
{
	return (int)fmin(MAX_FRAMES, lround(what->seconds * scene->fps));
}

// ---- ours ----

// The least time of each frame over the runs so far.
typedef struct timing
{
	int frames;
	int64_t steps; // of each body, in all frames
	double seconds[MAX_FRAMES];
} timing;

static void time_frame(timing* best, int frame, double start, bool first)
{
	double seconds = lm_clock_seconds() - start;
	best->seconds[frame] = first ? seconds : fmin(best->seconds[frame], seconds);
}

static double seconds_per_step(const timing* best)
{
	double sum = 0;
	for (int f = 0; f < best->frames; ++f)
		sum += best->seconds[f];
	return sum / (double)best->steps;
}

static bool time_world(lm_scene* scene, const match_case* what, bool first, timing* best, lm_error* error)
{
	lm_world* world = create_world(scene, what, error);
	if (!world)
		return false;
	bool done = true;
	best->frames = frames_of(scene, what);
	for (int f = 0; done && f < best->frames; ++f)
	{
		double start = lm_clock_seconds();
		done = lm_world_step(world, error) == LM_OK;
		time_frame(best, f, start, first);
	}
	best->steps = lm_match_get_report(lm_world_match(world, 0)).steps;
	lm_world_destroy(world);
	return done;
}

// Of all bodies since their creation.
static void sum_split(lm_world* world, double* matching, double* projection)
{
	*matching = *projection = 0;
	for (int32_t i = 0; i < lm_world_object_count(world); ++i)
	{
		lm_match_report report = lm_match_get_report(lm_world_match(world, i));
		*matching += report.seconds_matching, *projection += report.seconds_projection;
	}
}

// The paper's t_sm and t_proj, in runs of their own; the least of each frame.
static bool split_world(lm_scene* scene, const match_case* what, bool first, timing split[2], lm_error* error)
{
	lm_world* world = create_world(scene, what, error);
	if (!world)
		return false;
	for (int32_t i = 0; i < lm_world_object_count(world); ++i)
		lm_match_profile(lm_world_match(world, i), true);
	bool done = true;
	double last[2] = { 0, 0 }, now[2];
	for (int f = 0; done && f < frames_of(scene, what); ++f)
	{
		done = lm_world_step(world, error) == LM_OK;
		sum_split(world, &now[0], &now[1]);
		for (int k = 0; k < 2; ++k)
		{
			double seconds = now[k] - last[k];
			split[k].seconds[f] = first ? seconds : fmin(split[k].seconds[f], seconds);
			split[k].frames = f + 1, split[k].steps = lm_match_get_report(lm_world_match(world, 0)).steps;
			last[k] = now[k];
		}
	}
	lm_world_destroy(world);
	return done;
}

static double count_particles(const lm_scene* scene, const match_case* what)
{
	double particles = 0;
	for (int32_t i = 0; i < (what->object ? 1 : scene->object_count); ++i)
		particles += scene->objects[i].mesh->vertex_count;
	return particles;
}

static void describe(const lm_scene* scene, const match_case* what, const timing split[2], bench_row* row)
{
	double particles = count_particles(scene, what);
	snprintf(row->size, sizeof row->size, "%.0f particles, %.1f ns each, gallery/%s%s%s%s%s", particles,
	         1e6 * row->value / particles, what->scene, what->each ? ", every region on its own" : "",
	         what->poses ? ", examples as poses" : "", what->fine ? ", with a finer mesh" : "",
	         what->free ? ", free" : "");
	row->part_count = 2;
	row->parts[0].name = "shape matching";
	row->parts[1].name = "projection";
	for (int k = 0; k < 2; ++k)
		row->parts[k].value = 1e3 * seconds_per_step(&split[k]);
}

// ---- the reference ----

// Of each region: its own, or that of the vertex group it lies in, the others together in one more. NULL: one for all.
static int32_t* region_groups(const lm_scene_object* object, int32_t* count)
{
	const lm_scene_match* match = object->match;
	int32_t vertices = object->mesh->vertex_count;
	*count = 1;
	if (match->locality == LM_MATCH_GLOBAL)
		return NULL;
	int32_t* groups = malloc(sizeof *groups * (size_t)vertices);
	if (!groups)
		return NULL;
	*count = match->locality == LM_MATCH_EACH ? vertices : match->group_count + 1;
	for (int32_t v = 0; v < vertices; ++v)
		groups[v] = match->locality == LM_MATCH_EACH ? v : match->group_count;
	for (int32_t g = 0; match->locality == LM_MATCH_GROUPS && g < match->group_count; ++g)
	{
		int32_t found = lm_mesh_find_group(object->mesh, match->groups[g]);
		for (int32_t k = 0; found >= 0 && k < object->mesh->groups[found].count; ++k)
			groups[object->mesh->groups[found].vertices[k]] = g;
	}
	return groups;
}

// The same bodies and colliders for the reference, and where they start.
typedef struct plain
{
	int32_t count;
	reference* bodies[MAX_BODIES];
	double* starts[MAX_BODIES];     // vertex_count x 3
	double* velocities[MAX_BODIES]; // vertex_count x 3
	lm_colliders* colliders;
	lm_collider_def defs[REFERENCE_COLLIDERS];
	reference_colliders places;
} plain;

static reference* create_reference(const lm_scene* scene, const lm_scene_object* object, double h)
{
	const lm_scene_match* match = object->match;
	const double* examples[64];
	for (int32_t k = 0; k < match->example_count; ++k)
		examples[k] = match->examples[k].mesh->positions;
	// Eq. 4 as an oscillator of this frequency: a step of symplectic Euler with (omega h)^2 = 2 - 2 cos(2 pi f h)
	double turn = 2 * 3.14159265358979323846 * match->settings.frequency * h;
	reference_def def = { .mesh = object->mesh,
		                  .example_count = match->example_count,
		                  .examples = examples,
		                  .alpha = fmin(1, 2 - 2 * cos(turn)),
		                  .beta = match->settings.beta,
		                  .h = h,
		                  .drag = match->settings.drag + match->settings.damping * turn / h,
		                  .density = object->density,
		                  .friction = match->settings.friction };
	memcpy(def.gravity, scene->gravity, sizeof def.gravity);
	int32_t* groups = region_groups(object, &def.group_count);
	def.groups = groups;
	reference* result = groups || match->locality == LM_MATCH_GLOBAL ? reference_create(&def) : NULL;
	for (int32_t p = 0; result && p < object->pin_count; ++p)
		for (int32_t k = 0; k < object->pins[p].count; ++k)
			reference_pin(result, object->pins[p].vertices[k]);
	free(groups);
	return result;
}

static void destroy_plain(plain* p)
{
	for (int32_t i = 0; i < p->count; ++i)
	{
		reference_destroy(p->bodies[i]);
		free(p->starts[i]);
		free(p->velocities[i]);
	}
	lm_colliders_destroy(p->colliders);
}

static bool create_plain(lm_scene* scene, const match_case* what, double h, plain* p, lm_error* error)
{
	int32_t collider_count = what->free ? 0 : (int32_t)fmin(scene->collider_count, REFERENCE_COLLIDERS);
	for (int32_t i = 0; i < collider_count; ++i)
		p->defs[i] = scene->colliders[i].def;
	lm_host host = lm_host_default();
	if (lm_colliders_create(p->defs, collider_count, &host, &p->colliders, error) != LM_OK)
		return false;
	lm_world* world = create_world(scene, what, error); // knows where everything starts
	if (!world)
		return false;
	bool made = true;
	p->count = (int32_t)fmin(MAX_BODIES, lm_world_object_count(world));
	for (int32_t i = 0; made && i < p->count; ++i)
	{
		size_t bytes = 3 * (size_t)scene->objects[i].mesh->vertex_count * sizeof(double);
		p->starts[i] = malloc(bytes), p->velocities[i] = malloc(bytes);
		p->bodies[i] = create_reference(scene, &scene->objects[i], h);
		made = (p->starts[i] && p->velocities[i] && p->bodies[i]) || bench_no_memory(error);
		if (made)
		{
			lm_match_positions(lm_world_match(world, i), p->starts[i]);
			lm_match_velocities(lm_world_match(world, i), p->velocities[i]);
		}
	}
	lm_world_destroy(world);
	return made;
}

// As many steps per frame as the engine takes. The first run decides how many frames are enough.
static void time_plain(plain* p, const timing* ours, double h, bool first, timing* best)
{
	for (int32_t i = 0; i < p->count; ++i)
		reference_restart(p->bodies[i], p->starts[i], p->velocities[i]);
	if (first)
		best->frames = ours->frames;
	double begin = lm_clock_seconds();
	int64_t per_frame = ours->steps / ours->frames, step = 0;
	const reference_colliders* colliders = lm_colliders_count(p->colliders) ? &p->places : NULL;
	for (int f = 0; f < best->frames; ++f)
	{
		double start = lm_clock_seconds();
		for (int64_t s = 0; s < per_frame; ++s)
		{
			lm_colliders_set_time(p->colliders, h * (double)++step);
			reference_place(&p->places, p->colliders, p->defs);
			for (int32_t i = 0; i < p->count; ++i)
				reference_step(p->bodies[i], colliders);
		}
		time_frame(best, f, start, first);
		if (first && lm_clock_seconds() - begin > REFERENCE_SECONDS)
			best->frames = f + 1;
	}
	best->steps = per_frame * best->frames;
}

// ---- a row ----

static bool run_case(const bench* b, bench_row* row, lm_error* error)
{
	const match_case* what = b->data;
	lm_scene* scene = bench_read_scene(what->scene, error);
	if (!scene)
		return false;
	timing ours = { 0 }, theirs = { 0 }, split[2] = { { 0 }, { 0 } };
	plain plain_bodies = { 0 };
	double h = 0;
	bool done = adapt(scene, what, error);
	for (int repeat = 0; done && repeat < (what->fine ? REPEATS_FINE : REPEATS); ++repeat)
	{
		bool first = repeat == 0;
		done = time_world(scene, what, first, &ours, error);
		h = done ? ours.frames / scene->fps / (double)ours.steps : 0;
		if (done && first && what->threads == 1)
			done = create_plain(scene, what, h, &plain_bodies, error);
		if (done && what->threads == 1)
			time_plain(&plain_bodies, &ours, h, first, &theirs);
	}
	row->value = done ? 1e3 * seconds_per_step(&ours) : 0;
	for (int repeat = 0; done && repeat < (what->fine ? REPEATS_FINE : REPEATS); ++repeat)
		done = split_world(scene, what, repeat == 0, split, error);
	if (done)
		describe(scene, what, split, row);
	row->paper = what->paper;
	if (what->threads == 1) // the reference knows no other number
	{
		row->reference_name = what->object ? reference_name : reference_name_many;
		row->reference = done ? 1e3 * seconds_per_step(&theirs) : 0;
	}
	destroy_plain(&plain_bodies);
	lm_scene_destroy(scene);
	return done;
}

const bench lm_bench_match[] = {
	{ "match/cuboid-global", run_case, &cuboid_global },
	{ "match/cuboid-local", run_case, &cuboid_local },
	{ "match/cylinder", run_case, &cylinder },
	{ "match/cylinder-local", run_case, &cylinder_local },
	{ "match/cylinder-poses", run_case, &cylinder_poses },
	{ "match/cylinder-free", run_case, &cylinder_free },
	{ "match/teddy", run_case, &teddy },
	{ "match/car", run_case, &car },
	{ "match/slope", run_case, &slope },
	{ "match/cylinder-100k", run_case, &fine_1t },
	{ "match/cylinder-100k-2t", run_case, &fine_2t },
	{ "match/cylinder-100k-poses", run_case, &fine_poses },
	{ "match/cylinder-100k-free", run_case, &fine_free },
	{ NULL, NULL, NULL },
};
