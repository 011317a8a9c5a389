// match_limits.c: what a step of `match` could take at best on this machine. Each row takes the body of another row and
// measures two things that its steps cannot do without:
//
// memory   all that a step has to read of a particle read once, one byte after the other, and what it has to write
//          written. Sums over rings count as one look at each particle: more would be the fault of the caches.
// loads    the vector loads of the sums over rings (kernel_runs.h), at the places in cache lines that the runs have,
//          all from the nearest cache, and added up.
//
// The value is the larger one: both can go on at once. Rotations, contact and all else come on top.
#include "bench.h"
#include "match/body.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 7
#define SUMS 9 // at once, in registers

static const bool coarse = false, fine = true;

// Bytes per particle; n examples, of which `poses` are poses: all or none.
static double bytes_read(const lm_match* body, double n, double poses)
{
	double stretches = n - poses;
	double predict = 12 + 12 + 4, fields = 12 + 12 * poses, regions = 28 + 16 + 4 * n + 28 * poses + 24 * stretches;
	double maps = 16 + 12 + 12 + 12 * (n + 1) + 28 * poses + 24 * stretches, goals = 16 + 12 * poses + 24 + 4;
	double contact = 24, runs = 2 * sizeof(lm_match_run) * (double)body->run_count / body->count;
	return predict + fields + regions + maps + goals + contact + runs;
}

static double bytes_written(double n)
{
	return 12 + 16 + 12 + 4 + 12 * (n + 1) + 24; // m~ x^, rotation, centre, volume, turns, x and v
}

static double time_memory(uint64_t* memory, size_t read, size_t written)
{
	double start = lm_clock_seconds();
	uint64_t sum = 0;
	for (size_t i = 0; i < read / 8; ++i)
		sum ^= memory[i];
	for (size_t i = 0; i < written / 8; ++i)
		memory[i] ^= 0x5555;
	double seconds = lm_clock_seconds() - start;
	memory[0] ^= sum & 1; // so that nothing is left out
	return seconds;
}

#if defined(__x86_64__)
typedef float eight __attribute__((vector_size(32)));
typedef float eight_anywhere __attribute__((vector_size(32), aligned(4)));

// `sums` loads from each run of a list, added up in as many registers.
__attribute__((target("avx2"), always_inline)) static inline eight load_some(const lm_match* body, const float* rows,
                                                                             int sums)
{
	eight sum[SUMS] = { { 0 } };
	for (int64_t r = 0; r < body->run_count; ++r)
	{
		const float* at = rows + body->runs[r].place % 16;
		for (int k = 0; k < sums; ++k)
			sum[k] += *(const eight_anywhere*)(at + 32 * k);
	}
	for (int k = 1; k < sums; ++k)
		sum[0] += sum[k];
	return sum[0];
}

__attribute__((target("avx2"))) static double time_loads(const lm_match* body, const float* rows, int count)
{
	double start = lm_clock_seconds();
	volatile float kept = 0;
	for (; count >= SUMS; count -= SUMS)
		kept = kept + load_some(body, rows, SUMS)[0];
	for (; count >= 3; count -= 3)
		kept = kept + load_some(body, rows, 3)[0];
	return lm_clock_seconds() - start;
}
#endif

static bool measure(const lm_match* body, bench_row* row, lm_error* error)
{
	double n = body->example_count, poses = body->poses != NULL ? n : 0;
	double reading = bytes_read(body, n, poses), writing = bytes_written(n);
	size_t read = (size_t)(reading * body->count), written = (size_t)(writing * body->count);
	uint64_t* memory = calloc(read / 8 + 1, 8);
	float rows[32 * SUMS + 32] = { 0 };
	if (!memory)
		return bench_no_memory(error);
	double passes = INFINITY, loads = INFINITY;
	int per_run = (6 + LM_MAP) + (int)poses * (9 + LM_MATRIX); // 6: y and X
	for (int repeat = 0; repeat < REPEATS; ++repeat)
	{
		passes = fmin(passes, time_memory(memory, read, written));
#if defined(__x86_64__)
		if (__builtin_cpu_supports("avx2"))
			loads = fmin(loads, time_loads(body, rows, per_run));
#endif
	}
	free(memory);
	loads = isfinite(loads) ? loads : 0;
	row->value = 1e3 * fmax(passes, loads);
	snprintf(row->size, sizeof row->size, "%d particles, %.0f bytes and %.1f loads each", body->count,
	         reading + writing, per_run * (double)body->run_count / body->count);
	row->part_count = 2;
	row->parts[0].name = "memory", row->parts[0].value = 1e3 * passes;
	row->parts[1].name = "loads", row->parts[1].value = 1e3 * loads;
	return true;
}

static bool run_limit(const bench* b, bench_row* row, lm_error* error)
{
	lm_scene* scene = bench_read_scene("match/cylinders.json", error);
	lm_world* world = NULL;
	lm_host host = lm_host_default();
	bool done = scene && bench_put_first(scene, "corkscrew", error);
	if (done)
		bench_drop_surfaces(scene);
	if (done && *(const bool*)b->data)
		done = bench_refine(&scene->objects[0], error);
	if (done)
	{
		int32_t all = scene->object_count;
		scene->object_count = 1;
		done = lm_world_create(scene, &host, &world, error) == LM_OK;
		scene->object_count = all;
	}
	done = done && measure(lm_world_match(world, 0), row, error);
	lm_world_destroy(world);
	lm_scene_destroy(scene);
	return done;
}

const bench lm_bench_match_limits[] = {
	{ "match/limit-cylinder", run_limit, &coarse },
	{ "match/limit-100k", run_limit, &fine },
	{ NULL, NULL, NULL },
};
