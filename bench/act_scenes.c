// act_scenes.c: characters of `act`: seconds of computation for one second of animation, one thread, with the settings
// of the gallery's scenes, beside Table 1 of Coros et al. (2012).
//
// A scene, or one object of it alone, is run several times. Every run does exactly the same work: the time of a frame
// is the least that it took in any run, and the row is the sum of these over the frames. How it splits into choosing
// rest shapes (control) and the steps of the physics (forward) is measured in a run of its own.
#include "bench.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REPEATS 3
#define MAX_FRAMES 512

typedef struct scene_case
{
	const char* scene;  // below gallery/
	const char* object; // NULL: all
	double seconds;     // simulated, from the start
	double paper;       // s per s, Table 1
} scene_case;

static const scene_case sphere = { "act/sphere.json", NULL, 4, 2.6 };
static const scene_case teacup_small = { "act/teacups.json", "small", 3, 5.64 };
static const scene_case teacup_large = { "act/teacups.json", "large", 3, 16.5 };
static const scene_case cross = { "act/cross.json", NULL, 3, 21.7 };
static const scene_case ace_1 = { "act/ace-1.json", NULL, 3, 9.2 };
static const scene_case castle_1 = { "act/castle-1.json", NULL, 4, 1.1 };
static const scene_case castle_2 = { "act/castle-2.json", NULL, 4, 0.57 };
static const scene_case pirate = { "act/pirate.json", NULL, 4, 3.16 };
// Table 1 gives ranges for letters, 0.8-2.1 (S, G), 0.8-0.9 (I, P), 0.8-1.9 (A, R, H): the least of each.
static const scene_case letter_s = { "act/letters.json", "S", 6, 0.8 };
static const scene_case letter_i = { "act/letters.json", "I", 6, 0.8 };
static const scene_case letter_g = { "act/letters.json", "G1", 6, 0.8 };
static const scene_case letter_r = { "act/letters.json", "R", 6, 0.8 };
static const scene_case letter_a = { "act/letters.json", "A", 6, 0.8 };
static const scene_case letter_p = { "act/letters.json", "P", 8, 0.8 };
static const scene_case letter_h = { "act/letters.json", "H", 8, 0.8 };
static const scene_case crusty_1 = { "act/crusty-1.json", NULL, 4, 7.8 };
static const scene_case crusty_2 = { "act/crusty-2.json", NULL, 4, 9.8 };
static const scene_case cheesy = { "act/cheesy.json", "cheesy", 4, 8.6 };
static const scene_case grape = { "act/cheesy.json", "grape-1", 3, 0 }; // no figure in the paper
static const scene_case ace_2 = { "act/ace-2.json", NULL, 3, 14.1 };

// Sums over the bodies.
typedef struct facts
{
	int32_t unknowns, parameters;
	double iterations, control, forward;
} facts;

static facts facts_of(lm_world* world)
{
	facts all = { 0 };
	for (int32_t i = 0; i < lm_world_object_count(world); ++i)
	{
		const lm_act* body = lm_world_act(world, i);
		lm_act_report report = lm_act_get_report(body);
		all.unknowns += lm_act_dimension(body) * lm_act_vertex_count(body);
		all.parameters += lm_act_parameter_count(body);
		all.iterations +=
			report.controlled_steps > 0 ? (double)report.iterations_sum / (double)report.controlled_steps : 0;
		all.control += report.seconds_control;
		all.forward += report.seconds_forward;
	}
	return all;
}

static bool run_once(lm_scene* scene, const scene_case* what, int frames, bool profile, double* seconds, facts* found,
                     lm_error* error)
{
	lm_host host = lm_host_default();
	host.threads = 1;
	lm_world* world = NULL;
	int32_t all = scene->object_count;
	if (what->object)
		scene->object_count = 1;
	bool done = lm_world_create(scene, &host, &world, error) == LM_OK;
	scene->object_count = all;
	for (int32_t i = 0; done && profile && i < lm_world_object_count(world); ++i)
		lm_act_profile(lm_world_act(world, i), true);
	for (int f = 0; done && f < frames; ++f)
	{
		double start = lm_clock_seconds();
		done = lm_world_step(world, error) == LM_OK;
		seconds[f] = fmin(seconds[f], lm_clock_seconds() - start);
	}
	if (done)
		*found = facts_of(world);
	lm_world_destroy(world);
	return done;
}

static bool run_scene(const bench* b, bench_row* row, lm_error* error)
{
	const scene_case* what = b->data;
	double least[MAX_FRAMES], profiled[MAX_FRAMES];
	lm_scene* scene = bench_read_scene(what->scene, error);
	if (!scene)
		return false;
	int frames = (int)fmin(MAX_FRAMES, lround(what->seconds * scene->fps));
	for (int f = 0; f < frames; ++f)
		least[f] = profiled[f] = INFINITY;
	facts found = { 0 };
	bench_drop_surfaces(scene);
	bool done = !what->object || bench_put_first(scene, what->object, error);
	for (int k = 0; done && k < REPEATS; ++k)
		done = run_once(scene, what, frames, false, least, &found, error);
	done = done && run_once(scene, what, frames, true, profiled, &found, error);
	double simulated = frames / scene->fps;
	for (int f = 0; done && f < frames; ++f)
		row->value += least[f] / simulated;
	row->unit = "s per s of animation";
	row->paper = what->paper;
	row->part_count = 2;
	row->parts[0].name = "control", row->parts[0].value = found.control / simulated;
	row->parts[1].name = "forward", row->parts[1].value = found.forward / simulated;
	snprintf(row->size, sizeof row->size, "%d unknowns, %d parameters, h %g s, %.1f iterations per step",
	         found.unknowns, found.parameters, 1 / (scene->fps * scene->objects[0].substeps), found.iterations);
	lm_scene_destroy(scene);
	return done;
}

const bench lm_bench_act_scenes[] = {
	{ "act/sphere", run_scene, &sphere },
	{ "act/teacup-small", run_scene, &teacup_small },
	{ "act/teacup-large", run_scene, &teacup_large },
	{ "act/cross", run_scene, &cross },
	{ "act/ace-1", run_scene, &ace_1 },
	{ "act/ace-2", run_scene, &ace_2 },
	{ "act/castle-1", run_scene, &castle_1 },
	{ "act/castle-2", run_scene, &castle_2 },
	{ "act/pirate", run_scene, &pirate },
	{ "act/letter-s", run_scene, &letter_s },
	{ "act/letter-i", run_scene, &letter_i },
	{ "act/letter-g", run_scene, &letter_g },
	{ "act/letter-r", run_scene, &letter_r },
	{ "act/letter-a", run_scene, &letter_a },
	{ "act/letter-p", run_scene, &letter_p },
	{ "act/letter-h", run_scene, &letter_h },
	{ "act/crusty-1", run_scene, &crusty_1 },
	{ "act/crusty-2", run_scene, &crusty_2 },
	{ "act/cheesy", run_scene, &cheesy },
	{ "act/grape", run_scene, &grape },
	{ 0 },
};
