// characters.h: one trial of a character, judged by measured criteria.
#ifndef BENCH_CHARACTERS_H
#define BENCH_CHARACTERS_H

#include "limber/act_character.h"

// A mesh made ready: 1 m high, upright along y, facing along x, its lowest point at y = 0.
typedef struct figure
{
	char name[80];
	lm_mesh* surface;
	lm_fitted* fit;
	double gap; // of the lowest shown point at rest, as share of the height; found by the first trial of `stand`
	bool gap_known;
} figure;

typedef enum ground_kind
{
	GROUND_LEVEL,
	GROUND_SLOPE,
	GROUND_STAIRS, // of 5 % of the height
	GROUND_ROUGH   // by 1 % of the height
} ground_kind;

typedef struct ground_shape
{
	ground_kind kind;
	double angle; // rad, of a slope; above 0 it goes up
} ground_shape;
bool ground_create(const ground_shape* g, lm_colliders** colliders, lm_error* error);
double ground_height(const ground_shape* g, double x, double z);

typedef enum trial_kind
{
	TRIAL_STAND,
	TRIAL_PUSH,
	TRIAL_GETUP,
	TRIAL_GO,
	TRIAL_HOP,
	TRIAL_WALK,
	TRIAL_USUAL,               // those before are tried unless others are named
	TRIAL_SLOPE = TRIAL_USUAL, // 5 degrees, up and down
	TRIAL_STEEP,               // 12 degrees
	TRIAL_STAIRS,
	TRIAL_ROUGH,
	TRIAL_STOP, // goes, stops, goes on, stops
	TRIAL_TURN, // on the spot, by a quarter and back by a half
	TRIAL_BACK,
	TRIAL_SIDE,
	TRIAL_PLACE,
	TRIAL_TROT,
	TRIAL_KINDS
} trial_kind;

extern const char* const trial_names[TRIAL_KINDS];

// What is measured; lengths in heights, times in seconds.
typedef struct trial_result
{
	bool pass;
	double way, wanted, aside, drift, tilt, slip, slide, gap, steps, hops, fell_at, up_for, s_per_s, late_frames;
} trial_result;

// variant: of pushes the direction (0 .. 3), of getting up how it lies (0 belly, 1 back, 2 side); start: 0 as it is,
// else a varied one; step: s. trace: prints a line every so many steps; 0: none.
bool run_trial(figure* f, trial_kind kind, int variant, int start, double step, int trace, trial_result* result,
               lm_error* error);
bool trial_needs_feet(trial_kind kind);
int trial_variants(trial_kind kind);

// limber-bench characters ...; returns the exit code.
int bench_characters(int count, char** arguments);

#endif
