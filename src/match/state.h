// state.h: everything about a body that changes, for checkpoints and hashes.
#ifndef LM_MATCH_STATE_H
#define LM_MATCH_STATE_H

#include "limber/match.h"

#include "base/blob.h"

void lm_match_save(const lm_match* body, lm_blob* blob);

// Into a body created from the same definition. LM_BAD_INPUT when the blob is of another one or too short, and the body
// is as it was; also when a value is not what it may be, and the body is of no use until a good state is loaded.
lm_status lm_match_load(lm_match* body, lm_blob* blob, lm_error* error);

// What touches the body in all steps until it is told anew: a wrench (force in N, torque about the centre of mass in
// N m) and a squeeze (touched.c; N m: xx yy zz xy xz yz); NULL: nothing. Not part of the state.
void lm_match_set_touched(lm_match* body, const double wrench[6], const double squeeze[6]);

// The same for cloth, besides.
void lm_match_set_pushed(lm_match* body, const double wrench[6], const double squeeze[6]);

// Among the bodies of lm_match_collide: its id, and by id which it does not touch (must live as long as the body),
// NULL: it touches all.
void lm_match_set_touch(lm_match* body, int32_t id, const bool* apart);

// What others have to know of a body that they touch: masses of the vertices (kg), and the factor 1 .. 2 by which it
// moves less under an even force in a step of h than its mass says, because of its inner steps.
void lm_match_masses(const lm_match* body, double* masses);
double lm_match_inertia(const lm_match* body, double h);
double lm_match_modulus(const lm_match* body); // over the density, m^2/s^2

// How a body moves: speed of the centre of mass relative to something, spin (rad/s), and root mean square of the rest,
// by which it deforms.
typedef struct lm_match_speeds
{
	double centre, spin, inner;
} lm_match_speeds;
lm_match_speeds lm_match_measure_speeds(const lm_match* body, const double velocity[3]);
// After a step in which something touched it that moves with `velocity`: takes away what is faster than these; counted
// as calmed.
void lm_match_calm(lm_match* body, const double velocity[3], const lm_match_speeds* most);

#endif
