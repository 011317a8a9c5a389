// feet.h: feet and trunk of a character: where they are, what they hold, and the rows that move them.
#ifndef LM_ACT_PILOT_FEET_H
#define LM_ACT_PILOT_FEET_H

#include "act/pilot/pilot.h"
#include "act/pilot/polygon.h"
#include "math/vec.h"

// Along (0) and across (1) a heading.
typedef struct lm_heading_frame
{
	double axes[2][3];
} lm_heading_frame;

lm_heading_frame lm_heading_axes(double heading);
double lm_dot_ground(const double a[3], const double b[3]); // of x and z

int32_t lm_pilot_foot_count(const lm_act_pilot* pilot);
lm_vec3 lm_pilot_foot_place(const lm_act_pilot* pilot, int foot);         // mean by mass
double lm_pilot_foot_half(const lm_act_pilot* pilot, int foot, int axis); // half its extent at rest, x or z
void lm_pilot_sole_hull(const lm_act_pilot* pilot, double ground, lm_polygon* result); // of what is near the ground

// The height of the ground that it feels, smoothed; known: there is one from before.
double lm_pilot_feel_ground(const lm_act_pilot* pilot, bool known, double ground);

typedef struct lm_foot_aim
{
	double position[3], velocity[3];
	double heading;
} lm_foot_aim;

// The foot's place, level and facing along its heading, and every vertex of its sole at its height: it neither curls
// nor hollows.
void lm_pilot_aim_foot(lm_act_pilot* pilot, int foot, const lm_foot_aim* aim, double weight);
// Every vertex of what is lowest in the rest shape at the height of the ground, so that it does not curl.
void lm_pilot_aim_sole(lm_act_pilot* pilot, double ground, double weight);
// The corners of where that is now.
void lm_pilot_sole_box(const lm_act_pilot* pilot, double low[3], double high[3]);
// Upright, and facing along a heading.
void lm_pilot_aim_trunk(lm_act_pilot* pilot, double heading, double weight);

#endif
