// match_martin.c: the twisting cuboid of Koyama et al., Fig. 10, by `match` and by the method that they compare
// themselves with (martin.c): the same mesh, example, pins, gravity and stiffness, until just before it is let go.
#include "match_martin.h"
#include "bench.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SECONDS 3.0
#define STEPS 2 // of the reference in a frame of 1/30 s; ours takes 8
#define REST 0.05
#define FRAMES 12 // of the reference that are measured: they all cost about the same
#define REPEATS 5

// Young's modulus of the body, rho (2 pi f)^2 s^2, s^2 the mean second moment of its regions along an axis
// (src/match/oscillator.c); all vertices weighing alike.
static double modulus(const lm_match* body, const lm_mesh* mesh, double density)
{
	double moments = 0, w = 6.283185307179586 * lm_match_frequency(body);
	int32_t* members = malloc(sizeof *members * (size_t)mesh->vertex_count);
	for (int32_t v = 0; members && v < mesh->vertex_count; ++v)
	{
		int32_t count = lm_match_region(body, v, members);
		double mean[3] = { 0 }, square = 0;
		for (int32_t k = 0; k < count; ++k)
			for (int d = 0; d < 3; ++d)
				mean[d] += mesh->positions[3 * members[k] + d] / count;
		for (int32_t k = 0; k < count; ++k)
			for (int d = 0; d < 3; ++d)
				square += pow(mesh->positions[3 * members[k] + d] - mean[d], 2) / count;
		moments += square / 3 / mesh->vertex_count;
	}
	free(members);
	return density * w * w * moments;
}

martin* match_martin_create(const lm_scene* scene, const lm_match* body)
{
	const lm_scene_object* object = &scene->objects[0];
	martin_def def = { .mesh = object->mesh,
		               .example = object->match->examples[0].mesh->positions,
		               .young = modulus(body, object->mesh, object->density),
		               .rest = REST,
		               .density = object->density,
		               .drag = object->match->settings.drag,
		               .gravity = { scene->gravity[0], scene->gravity[1], scene->gravity[2] } };
	martin* made = martin_create(&def);
	for (int32_t p = 0; made && p < object->pin_count; ++p)
		for (int32_t k = 0; k < object->pins[p].count; ++k)
			martin_pin(made, object->pins[p].vertices[k]);
	return made;
}

static double time_ours(lm_scene* scene, const lm_host* host, lm_error* error)
{
	lm_world* world = NULL;
	if (lm_world_create(scene, host, &world, error) != LM_OK)
		return -1;
	int frames = (int)lround(SECONDS * scene->fps);
	double start = lm_clock_seconds();
	for (int f = 0; f < frames; ++f)
		if (lm_world_step(world, error) != LM_OK)
			frames = 0;
	double seconds = lm_clock_seconds() - start;
	lm_world_destroy(world);
	return frames > 0 ? 1e3 * seconds / frames : -1;
}

// The least of each frame over the repeats, and the mean of these: ms per frame.
static double time_theirs(const lm_scene* scene, const lm_match* body, int64_t* solves)
{
	double least[FRAMES], sum = 0;
	for (int repeat = 0; repeat < REPEATS; ++repeat)
	{
		martin* other = match_martin_create(scene, body);
		if (!other)
			return -1;
		for (int f = 0; f < FRAMES; ++f)
		{
			double start = lm_clock_seconds();
			for (int s = 0; s < STEPS; ++s)
				martin_step(other, 1 / (scene->fps * STEPS));
			double seconds = lm_clock_seconds() - start;
			least[f] = repeat == 0 ? seconds : fmin(least[f], seconds);
		}
		*solves = martin_solves(other);
		martin_destroy(other);
	}
	for (int f = 0; f < FRAMES; ++f)
		sum += least[f];
	return 1e3 * sum / FRAMES;
}

static bool run_martin(const bench* b, bench_row* row, lm_error* error)
{
	(void)b;
	lm_scene* scene = bench_read_scene("match/twist.json", error);
	if (!scene)
		return false;
	bench_drop_surfaces(scene);
	lm_host host = lm_host_default();
	host.threads = 1;
	lm_world* world = NULL;
	int64_t solves = 0;
	bool done = lm_world_create(scene, &host, &world, error) == LM_OK;
	row->value = INFINITY;
	for (int repeat = 0; done && repeat < 10 * REPEATS; ++repeat)
	{
		double ours = time_ours(scene, &host, error);
		row->value = fmin(row->value, ours);
		done = ours > 0;
	}
	row->reference = done ? time_theirs(scene, lm_world_match(world, 0), &solves) : 0;
	done = done && (row->reference > 0 || bench_no_memory(error));
	row->unit = "ms per 1/30 s";
	row->reference_name = "Martin et al. 2011 (bench/martin.c)";
	snprintf(row->size, sizeof row->size,
	         "225 particles, gallery/match/twist.json; the reference in steps of 1/60 s, %.1f linear systems each",
	         (double)solves / (FRAMES * STEPS));
	lm_world_destroy(world);
	lm_scene_destroy(scene);
	return done;
}

const bench lm_bench_match_martin[] = {
	{ "match/martin", run_martin, NULL },
	{ NULL, NULL, NULL },
};
