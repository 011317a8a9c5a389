// world.c: what contact between engines costs: scenes of gallery/together, milliseconds per frame, one thread, beside
// the same scene whose bodies of `act`, or cloths, touch nothing, or, of large bodies, stand beside the others. All
// runs do the same work: the time of a frame is the least that it took in any of them, and the row is their mean over
// the frames.
#include "bench.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REPEATS 3
#define MAX_FRAMES 256

typedef struct world_case
{
	const char* scene; // below gallery/
	int frames;
	double away;        // m, by which what is not of `act` is moved out of reach
	const char* engine; // whose objects touch nothing in the reference
	bool beside;        // they touch all, but are moved aside
	double from;        // s, that are not counted
	const char* text;   // of a scene that is none of the gallery, in its place
} world_case;

// A sheet that falls onto a ball, and lies on it from 0.2 s on.
static const char cloth_and_ball[] =
	"{ \"limber\": 1, \"name\": \"ball\", \"fps\": 25, \"seconds\": 2,"
	"  \"colliders\": [{ \"name\": \"ground\", \"shape\": \"plane\" }],"
	"  \"objects\": ["
	"    { \"name\": \"ball\", \"engine\": \"match\", \"mesh\": \"../assets/grape.msh\", \"position\": [0, 0.125, 0],"
	"      \"density\": 100, \"substeps\": 2, \"match\": { \"sag\": 0.01, \"thickness\": 0.01 } },"
	"    { \"name\": \"cloth\", \"engine\": \"track\", \"mesh\": \"../assets/sheet.obj\", \"scale\": 0.5,"
	"      \"position\": [0, 0.26, 0],"
	"      \"substeps\": 2, \"density\": 0.1, \"track\": { \"thickness\": 0.008 } }] }";

// Boxes of about 1331 vertices: one falls onto the other.
static const char match_under_act[] =
	"{ \"limber\": 1, \"name\": \"boxes\", \"fps\": 25, \"seconds\": 2,"
	"  \"colliders\": [{ \"name\": \"ground\", \"shape\": \"plane\" }],"
	"  \"objects\": ["
	"    { \"name\": \"lower\", \"engine\": \"match\", \"mesh\": \"../assets/crate.obj\", \"density\": 100,"
	"      \"lattice\": { \"vertices\": 1331 }, \"match\": { \"frequency\": 100 }, \"substeps\": 2 },"
	"    { \"name\": \"upper\", \"engine\": \"act\", \"mesh\": \"../assets/crate.obj\", \"density\": 100,"
	"      \"lattice\": { \"vertices\": 1331 }, \"act\": { \"stretch\": 2e5, \"volume\": 2e5 }, \"substeps\": 2, "
	"\"position\": [0.01, 1.02, 0.01] }] }";

static const char act_under_match[] =
	"{ \"limber\": 1, \"name\": \"boxes\", \"fps\": 25, \"seconds\": 2,"
	"  \"colliders\": [{ \"name\": \"ground\", \"shape\": \"plane\" }],"
	"  \"objects\": ["
	"    { \"name\": \"lower\", \"engine\": \"act\", \"mesh\": \"../assets/crate.obj\", \"density\": 100,"
	"      \"lattice\": { \"vertices\": 1331 }, \"act\": { \"stretch\": 2e5, \"volume\": 2e5 }, \"substeps\": 2 },"
	"    { \"name\": \"upper\", \"engine\": \"match\", \"mesh\": \"../assets/crate.obj\", \"density\": 100,"
	"      \"lattice\": { \"vertices\": 1331 }, \"match\": { \"frequency\": 100 }, \"substeps\": 2, \"position\": "
	"[0.01, 1.02, 0.01] }] }";

static const world_case kick = { "together/kick.json", 100, 0, "act", false, 0, NULL };
static const world_case rain = { "together/rain.json", 50, 0, "act", false, 0, NULL };
static const world_case out_of_reach = { "together/kick.json", 40, 20, "act", false, 0, NULL };
static const world_case cloth_on_match = { "together/ball.json", 24, 0, "track", false, 0.3, cloth_and_ball };
static const world_case cloth_on_act = { "together/cape.json", 24, 0, "track", false, 0.3, NULL };

static const world_case large_act = { "together/boxes.json", 25, 3, "act", true, 0.4, match_under_act };
static const world_case large_match = { "together/boxes.json", 25, 3, "act", true, 0.4, act_under_match };

static lm_scene* read_text(const world_case* what, lm_error* error)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/gallery/%s", LIMBER_SOURCE, what->scene);
	lm_host host = lm_host_default();
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	if (lm_scene_read_text(path, what->text, strlen(what->text), &host, &scene, &problems) != LM_OK &&
	    problems.count > 0)
		*error = problems.items[0];
	lm_problems_release(&problems);
	return scene;
}

static bool run_once(const world_case* what, bool touching, double* seconds, lm_error* error)
{
	lm_scene* scene = what->text == NULL ? bench_read_scene(what->scene, error) : read_text(what, error);
	if (scene == NULL)
		return false;
	for (int32_t i = 0; i < scene->object_count; ++i)
	{
		lm_scene_object* object = &scene->objects[i];
		bool own = strcmp(object->engine, what->engine) == 0;
		object->touch_off = own && !touching && !what->beside;
		object->position[2] += own || (what->beside && touching) ? 0 : what->away;
	}
	lm_host host = lm_host_default();
	host.threads = 1;
	lm_world* world = NULL;
	bool done = lm_world_create(scene, &host, &world, error) == LM_OK && lm_world_prepare(world, error) == LM_OK;
	for (int f = 0; done && f < what->frames; ++f)
	{
		double begin = lm_clock_seconds();
		done = lm_world_step(world, error) == LM_OK;
		seconds[f] = fmin(seconds[f], lm_clock_seconds() - begin);
	}
	lm_world_destroy(world);
	lm_scene_destroy(scene);
	return done;
}

static bool run(const bench* own, bench_row* row, lm_error* error)
{
	const world_case* what = own->data;
	double with[MAX_FRAMES], without[MAX_FRAMES];
	for (int f = 0; f < what->frames; ++f)
		with[f] = without[f] = INFINITY;
	for (int k = 0; k < REPEATS; ++k)
		if (!run_once(what, true, with, error) || !run_once(what, false, without, error))
			return false;
	row->unit = "ms per frame";
	row->reference_name = what->beside ? "beside each other" : "without contact between engines";
	int first = (int)(25 * what->from);
	for (int f = first; f < what->frames; ++f)
	{
		row->value += 1000 * with[f] / (what->frames - first);
		row->reference += 1000 * without[f] / (what->frames - first);
	}
	snprintf(row->size, sizeof row->size, "%s, %d frames", what->scene, what->frames);
	return true;
}

const bench lm_bench_world[] = {
	{ "world/kick", run, &kick },
	{ "world/rain", run, &rain },
	{ "world/out_of_reach", run, &out_of_reach },
	{ "world/large-on-match", run, &large_act },
	{ "world/large-on-act", run, &large_match },
	{ "world/cloth-on-match", run, &cloth_on_match },
	{ "world/cloth-on-act", run, &cloth_on_act },
	{ 0 },
};
