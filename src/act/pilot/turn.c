// turn.c: where a character that walks turns to: where it shall face, or where it goes.
#include "act/pilot/feet.h"

#include <math.h>

static const double usual_turn = 1;                  // rad/s at 1 m and 9.81 m/s^2
static const double far_off = 0.15, near_off = 0.03; // rad

bool lm_walk_faces(const lm_act_walk* walk)
{
	return walk->face[0] != 0 || walk->face[2] != 0;
}

static double off_heading(const double direction[3], double heading)
{
	return remainder(atan2(-direction[2], direction[0]) - heading, 2 * LM_PI);
}

bool lm_walk_must_turn(const lm_act_walk* walk, double heading, bool standing)
{
	return lm_walk_faces(walk) && fabs(off_heading(walk->face, heading)) > (standing ? far_off : near_off);
}

double lm_walk_turn(const lm_act_pilot* pilot, const lm_act_walk* walk, double heading, double seconds)
{
	bool faces = lm_walk_faces(walk), goes = walk->velocity[0] != 0 || walk->velocity[2] != 0;
	double rate = walk->turn > 0 ? walk->turn : faces ? usual_turn / lm_pilot_beat(pilot) : 0, most = rate * seconds;
	double wanted = faces ? off_heading(walk->face, heading) : goes ? off_heading(walk->velocity, heading) : 0;
	return fmin(fmax(wanted, -most), most);
}
