// reaction.h: what a cloth gives to the surfaces that others move, while it steps.
//
// Newton's third law, from what the cloth itself has gained: over a step its velocities change by
//
//     sum m (x - y) / h = sum of the impulses of all that touches or holds it
//
// y = x_n + h v_n + h^2 a, whatever the solver has reached: elastic forces within the cloth have no sum. A cloth that
// nothing holds has lost exactly that to what it touches. How it is shared among these, and where, is read from the
// barrier and the friction of the pairs that touch, whose forces an unconverged step has wrong: their error is handed
// out in proportion to how strongly each is pressed.
//
// A cloth that a body leads gives that body all that others did not: what it presses with, and what its regions pull
// with. Where regions or pins hold it that lead nowhere, barrier and friction alone say what a surface gets. No surface
// gets more than the cloth has gained in magnitude, sum m |x - y| / h, and what holds it can give.
#ifndef LM_TRACK_REACTION_H
#define LM_TRACK_REACTION_H

#include "limber/track.h"

#define LM_TRACK_NO_LEADER (-1)

// To a surface, in a step.
typedef struct lm_track_given
{
	double impulse[3];   // N s
	double moment[3][3]; // N m s: sum of p j^T over the touches, j the impulse, p where
	double touching;     // kg: of the vertices that give it
	double lost;         // N s: that the limit took away
} lm_track_given;

// From the next step on it is found out. leader: the surface whose owner leads the cloth; the number of surfaces when
// it leads and is not touched; LM_TRACK_NO_LEADER.
void lm_track_give(lm_track* cloth, int32_t leader);

// A share of what was given in the last step is taken back: the vertices that touch the surface, all for a leader,
// change their velocities as a rigid body about `centre` would. Momentum is the same as before, cloth and given.
void lm_track_take_back(lm_track* cloth, int32_t surface, double share, const double centre[3]);

// In the last step; of the leader that is not touched, behind the surfaces.
const lm_track_given* lm_track_given_to(const lm_track* cloth, int32_t surface);

#endif
