// bench.h: rows of measurements: what was measured, in which unit, against what, and the parts it is made of.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "limber/world.h"

#define BENCH_PARTS 4

typedef struct bench_row
{
	double value; // best of several repeats
	const char* unit;
	char size[160];             // what was measured, in words
	double paper;               // the figure of the paper's table; 0: none
	const char* reference_name; // NULL: none
	double reference;           // its best, from the same process, repeats interleaved with ours
	double compared;            // ours, measured as the reference is; 0: that is `value`
	double exponent;            // of growth with the size; 0: not measured
	int part_count;             // the split of `value`, from a run of its own because measuring it costs time
	struct
	{
		const char* name;
		double value;
	} parts[BENCH_PARTS];
} bench_row;

typedef struct bench
{
	const char* name;
	// False after a failure, with the reason in *error.
	bool (*run)(const struct bench* bench, bench_row* row, lm_error* error);
	const void* data; // what the run function needs to know
} bench;

// One list per engine, ended by an entry without a name.
extern const bench lm_bench_match[];
extern const bench lm_bench_match_martin[];
extern const bench lm_bench_match_limits[];
extern const bench lm_bench_design[];
extern const bench lm_bench_track[];
extern const bench lm_bench_live[];
extern const bench lm_bench_live_rows[];
extern const bench lm_bench_act_forward[];
extern const bench lm_bench_act_scenes[];
extern const bench lm_bench_world[];
extern const bench lm_bench_sparse[];
extern const bench lm_bench_act_step[]; // only where IPOPT is

#endif
