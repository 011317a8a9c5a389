// take.h: the inside of a take, and what its commands did, for the files that play it and write it as a scene.
#ifndef LM_WORLD_TAKE_H
#define LM_WORLD_TAKE_H

#include "base/arena.h"
#include "world/world.h"

typedef struct lm_take_entry
{
	int64_t frame; // a command: before it is stepped; a hash: once so many frames have been stepped
	bool is_hash;
	uint64_t hash; // of what moves
	lm_command command;
} lm_take_entry;

struct lm_take
{
	lm_host host;
	uint64_t fingerprint, build; // of the scene, and of the limber that recorded it
	lm_simd simd;
	double fps;
	size_t count, capacity;
	lm_take_entry* entries; // by frame
	size_t planned;         // the first of them: keys and handles at the first frame
};

// The first entry of this frame or a later one.
size_t lm_take_find(const lm_take* take, int64_t frame);
// Gives a world the entry *i, and those after it that belong together with it; *i: the next.
lm_status lm_take_give(const lm_take* take, size_t* i, lm_world* world, lm_error* error);

// ---- what the commands did (take_deeds.c) ----

// A grab or pin: where it was at the end of each frame.
typedef struct lm_take_hold
{
	int32_t object, id;
	bool pinned;
	int32_t count;
	int32_t* vertices;
	double *weights, *offsets;
	double stiffness;
	int64_t first, last; // frames; last -1: never released
	size_t key_count, capacity;
	double* places; // [key_count x 3] at the beginning of frame `first` and of those after it
} lm_take_hold;

typedef struct lm_take_push
{
	int32_t object;
	int64_t frame;
	int32_t count;
	int32_t* vertices;
	double impulse[3];
} lm_take_push;

// A setting (by its number in the engine's table) or the strength of an example, from a frame on.
typedef struct lm_take_change
{
	int32_t object;
	bool strength;
	int32_t number;
	int64_t frame;
	bool freed; // it follows the timeline again
	double value[4];
} lm_take_change;

typedef struct lm_take_behaviour
{
	int32_t object;
	int64_t first, last; // frames; last -1: until the end
	lm_act_command command;
} lm_take_behaviour;

typedef struct lm_take_deeds
{
	lm_arena memory;
	int64_t frames;
	int64_t planned; // the last frame at which keys or handles of `design` were changed; -1: never
	size_t hold_count, hold_capacity, push_count, push_capacity, change_count, change_capacity;
	size_t behaviour_count, behaviour_capacity;
	lm_take_hold* holds;
	lm_take_push* pushes;
	lm_take_change* changes;
	lm_take_behaviour* behaviours;
} lm_take_deeds;

// Repeats the take in a world at its first frame, and notes what its commands do. LM_BAD_INPUT when it differs from
// what was recorded. Release deeds->memory also after an error.
lm_status lm_take_perform(const lm_take* take, lm_world* world, lm_take_deeds* deeds, lm_error* error);

// ---- keys (take_keys.c) ----

// A value over time, as the scene has it.
typedef struct lm_take_original
{
	int32_t width;
	bool held;            // whole numbers and flags: until the next key
	const lm_keyed* keys; // NULL: constant
	double constant[4];
} lm_take_original;

// When a value is looked up: at the beginning or at the end of each step of an object.
typedef struct lm_take_steps
{
	double fps;
	int32_t substeps;
	bool at_end;
} lm_take_steps;

// The value as the scene and then the changes have it, in keys that give the same numbers whenever it is looked up.
// Changes are of this value alone, by frame. False when out of memory.
bool lm_take_make_keys(const lm_take_original* original, const lm_take_steps* steps, const lm_take_change* changes,
                       size_t count, lm_arena* memory, lm_keyed* keys);

#endif
