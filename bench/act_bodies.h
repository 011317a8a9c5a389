// act_bodies.h: characters of the sizes of the paper's Table 1, and goals that set them going: for benchmarks of
// control steps and for the test that compares control steps with IPOPT's.
#ifndef BENCH_ACT_BODIES_H
#define BENCH_ACT_BODIES_H

#include "limber/act.h"

typedef enum act_character
{
	ACT_CASTLE,        // 2D solid, 142 unknowns, cage of 11 vertices
	ACT_CARD,          // shell, 231, cage of 14
	ACT_BLOCK,         // 3D solid, 246, cage of 8
	ACT_CROSS,         // 3D solid, 1128, six examples, one per leg
	ACT_LETTER,        // 2D solid, 54, full control
	ACT_OUTLINE,       // curve, 64, cage of 11
	ACT_OUTLINE_POSES, // the same, examples
	ACT_OUTLINE_FULL,
	ACT_LETTER_POSES, // the letter, bent and compressed
	ACT_CARD_POSES,   // the card, curled
	ACT_BLOCK_GREEN,  // the block by Green strain, cage
	ACT_BLOCK_FULL,   // a small block, full control
	ACT_CHARACTERS
} act_character;

const char* act_character_name(act_character which);

#define ACT_STEP 0.02 // seconds

lm_status act_character_create(act_character which, const lm_host* host, lm_act** body, lm_error* error);

// The ground, y = 0.
lm_status act_ground_create(const lm_host* host, lm_colliders** ground, lm_error* error);

// Goals of hopping along x, or of creeping where examples only stretch legs.
lm_status act_character_goals(lm_act* body, act_character which, double time, lm_error* error);

#endif
