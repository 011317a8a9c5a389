// touch_find.h: the touches of one point.
#ifndef LM_CONTACT_TOUCH_FIND_H
#define LM_CONTACT_TOUCH_FIND_H

#include "contact/body.h"
#include "contact/touches.h"

// A point that is near something.
typedef struct lm_touch_candidate
{
	int32_t a, sample; // beyond the samples of a: a corner of the collider
	int32_t b;         // body; -1: the collider
	int32_t collider;  // -1: the body
	int32_t corner;    // of the collider; -1: a sample of a
	int32_t found;     // touches
} lm_touch_candidate;

// What the search knows; bodies are where they are now.
typedef struct lm_touch_search
{
	const lm_touch_step* step;
	const lm_placement* before; // of each collider, at the start of the step
	const double* motions;      // of each body: how far its points move at most
	const double* depths;       // of each body: how deep its points were at most
} lm_touch_search;

#define LM_TOUCHES_PER_CANDIDATE LM_FEATURES_PER_COLLIDER

// Distances beyond which nothing is looked for: of a point of body a to a collider, or to body b.
double lm_touch_reach(const lm_touch_search* search, int32_t a, int32_t b);

// Boxes farther apart than this have nothing to do with each other.
static inline double lm_touch_margin(const lm_touch_search* search, int32_t a, int32_t b)
{
	return lm_touch_reach(search, a, b) + search->depths[a];
}

// Fills touches, at most LM_TOUCHES_PER_CANDIDATE; returns how many.
int32_t lm_touch_find(const lm_touch_search* search, const lm_touch_candidate* candidate, lm_spring_touch* touches);

#endif
