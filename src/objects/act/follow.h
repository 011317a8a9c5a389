// follow.h: an object of `act` performs the motion of another one, or of a file, by its own strength.
//
// The surface that is shown is cut into parts. With g the mean of a part less that of the whole surface, p and v the
// same of the guide at the end of the step and its velocity, the rows of the part are
//     weight ((g - p) / tau + (g' - v))
// that is, what is behind comes up within the time tau, which grows with `softness`. The whole is left to the command
// that the object has, `stand` unless said: a body that has to be where its guide is, too, cannot keep its balance.
#ifndef LM_OBJECTS_ACT_FOLLOW_H
#define LM_OBJECTS_ACT_FOLLOW_H

#include "limber/act_pilot.h"
#include "scene/engine.h"

typedef struct lm_act_follow
{
	const lm_object* object;
	int32_t vertex_count; // of the guide
	int32_t part_count;   // 0: it follows nothing
	int32_t* starts;      // part_count + 1, in `vertices`
	int32_t* vertices;    // of the guide, part by part
	int32_t* row_starts;  // part_count + 1, in `points`
	int32_t* points;      // simulated ones, with their weights, whose sum the mean of a part is
	double* weights;
	double* positions; // vertex_count x 3, scratch
	double* targets;   // part_count x 3, at the end of the step
	double* now;       // simulated points, scratch
	double size;       // of the body

	// state: distances of parts from the guide, relative to the size of the body
	double sum, most; // of the root mean squares of all steps; of any part, both without that of the whole
	int64_t steps;
} lm_act_follow;

// Its memory is the object's.
lm_status lm_act_follow_init(lm_act_follow* follow, lm_object* object, lm_error* error);
// The rows of the step that is due.
void lm_act_follow_aim(lm_act_follow* follow, lm_act_pilot* pilot);
// After the step.
void lm_act_follow_measure(lm_act_follow* follow, const lm_act* body);

void lm_act_follow_save(const lm_act_follow* follow, lm_blob* blob);
bool lm_act_follow_load(lm_act_follow* follow, lm_blob* blob); // false: damaged

// resolve_follow.c
void lm_act_resolve_follow(lm_reader* reader, const lm_scene_body* body, lm_scene_act* act);
void lm_act_check_follow(lm_reader* reader, const lm_scene* scene, const lm_scene_object* object);
static inline bool lm_act_follows(const lm_scene_act* act)
{
	return act->follow.object[0] != 0 || act->follow.frame_count > 0;
}

#endif
