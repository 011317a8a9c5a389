// world.c: what contact between engines costs: scenes of gallery/together, milliseconds per frame, one thread, beside
// the same scene whose bodies of `act` touch nothing. All runs do the same work: the time of a frame is the least that
// it took in any of them, and the row is their mean over the frames.
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
	double away; // m, by which what is not of `act` is moved out of reach
} world_case;

static const world_case kick = { "together/kick.json", 100, 0 };
static const world_case rain = { "together/rain.json", 50, 0 };
static const world_case out_of_reach = { "together/kick.json", 40, 20 };

static bool run_once(const world_case* what, bool touching, double* seconds, lm_error* error)
{
	lm_scene* scene = bench_read_scene(what->scene, error);
	if (scene == NULL)
		return false;
	for (int32_t i = 0; i < scene->object_count; ++i)
	{
		lm_scene_object* object = &scene->objects[i];
		bool act = strcmp(object->engine, "act") == 0;
		object->touch_off = act && !touching;
		object->position[2] += act ? 0 : what->away;
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
	row->unit = "ms per frame", row->reference_name = "without contact between engines";
	for (int f = 0; f < what->frames; ++f)
	{
		row->value += 1000 * with[f] / what->frames;
		row->reference += 1000 * without[f] / what->frames;
	}
	snprintf(row->size, sizeof row->size, "%s, %d frames", what->scene, what->frames);
	return true;
}

const bench lm_bench_world[] = {
	{ "world/kick", run, &kick },
	{ "world/rain", run, &rain },
	{ "world/out_of_reach", run, &out_of_reach },
	{ 0 },
};
