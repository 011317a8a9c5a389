// feet.h: feet and trunk of a character: where they are, what they hold, and the rows that move them.
#ifndef LM_ACT_PILOT_FEET_H
#define LM_ACT_PILOT_FEET_H

#include "act/pilot/pilot.h"
#include "math/polygon.h"
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
// Of what is near the ground; felt: as below.
void lm_pilot_sole_hull(const lm_act_pilot* pilot, double felt, lm_polygon* result);

// turn.c: whether a command says where to face.
bool lm_walk_faces(const lm_act_walk* walk);
// Whether it has to step for that alone; what stands waits until it is further off.
bool lm_walk_must_turn(const lm_act_walk* walk, double heading, bool standing);
// How far it turns within some seconds.
double lm_walk_turn(const lm_act_pilot* pilot, const lm_act_walk* walk, double heading, double seconds);

// ground.c: the height of the ground that it sees at (x, z); 0 where it has no eyes.
double lm_pilot_see(const lm_act_pilot* pilot, double x, double z);
// How much higher than that it feels the ground, smoothed; known: there is one from before.
double lm_pilot_feel_ground(const lm_act_pilot* pilot, bool known, double before);

// The ground that is seen under a foot: the plane nearest to it.
typedef struct lm_foothold
{
	double height;   // under the foot's place
	double slope[2]; // along x and z
	double edge;     // the highest edge under its sole
} lm_foothold;
lm_foothold lm_pilot_foothold(const lm_act_pilot* pilot, int foot, const double place[3], double heading);
// The same, or where that is at the edge of a stair, the nearest one without. Returns how far along the heading that
// is, within a range about 0.
double lm_pilot_find_foothold(const lm_act_pilot* pilot, int foot, const double place[3], double heading,
                              const double range[2], lm_foothold* hold);

// The height of a foot, and its rate, at a share u of its swing from one height to another: it rises early and sinks
// late, so that it clears the edge of a stair, and is lifted by `lift` beside that.
void lm_swing_height(double from, double to, double lift, double u, double* height, double* rate);
// The share of its way over the ground; rise: to where it lands, in heights. Where it rises it sets off late, where it
// sinks it is there early.
void lm_swing_way(double rise, double u, double* share, double* rate);

typedef struct lm_foot_aim
{
	double position[3], velocity[3];
	double heading;
	double slope[2]; // of its sole, along x and z
} lm_foot_aim;

// The foot's place, lying as the slope and facing along its heading, and every vertex of its sole in that plane: it
// neither curls nor hollows.
void lm_pilot_aim_foot(lm_act_pilot* pilot, int foot, const lm_foot_aim* aim, double weight);
// Every vertex of what is lowest in the rest shape at the height of the ground, so that it does not curl.
void lm_pilot_aim_sole(lm_act_pilot* pilot, double ground, double weight);
// The corners of where that is now.
void lm_pilot_sole_box(const lm_act_pilot* pilot, double low[3], double high[3]);
// How the trunk is held: facing along a heading, its front raised and its right side lowered by angles.
typedef struct lm_trunk_aim
{
	double heading, pitch, roll;
} lm_trunk_aim;
void lm_pilot_aim_trunk(lm_act_pilot* pilot, const lm_trunk_aim* aim, double weight);

#endif
