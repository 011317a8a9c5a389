// field.h: force fields: wind with gusts, attractors, vortices, turbulence. A field is a function of place and time
// alone, the same for cloth, bodies and characters, and for every number of threads.
//
// Wind, vortex and turbulence are flows of air of velocity u(x, t): what is in them is carried along,
//
//     dv = (1 - exp(-drag h)) w(x) (u(x, t) - v)
//
// which never overshoots, however long the step. An attractor accelerates towards its place: dv = h w(x) strength e,
// with e towards it, fading where it is nearer than a tenth of the radius (of a metre without one), so that nothing is
// shot through it. Both are the same for light and heavy things. w(x) is 1 / (1 + (r / radius)^2), r the distance from
// the place (for a vortex from its axis), or 1 everywhere.
#ifndef LIMBER_FIELD_H
#define LIMBER_FIELD_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef enum lm_field_kind
{
	LM_FIELD_WIND,       // blows with `velocity`
	LM_FIELD_ATTRACTOR,  // pulls to `position`, or pushes away: negative strength
	LM_FIELD_VORTEX,     // turns about the axis through `position` with the speed `strength` at one radius and beyond
	LM_FIELD_TURBULENCE, // eddies of `size` with the rms speed `strength`, free of sources
	LM_FIELD_KINDS
} lm_field_kind;

typedef struct lm_field
{
	lm_field_kind kind;
	double position[3];  // m
	double axis[3];      // of a vortex, any length but 0; default y
	double velocity[3];  // of wind, m/s
	double strength;     // m/s, or of an attractor m/s^2; default 1
	double radius;       // m, >= 0, default 0: no fading with the distance; a vortex then has a core of 1 m
	double drag;         // 1/s, >= 0, default 2: how fast things take on the air's velocity
	double gust;         // 0 .. 1, default 0: the share of a wind's velocity that comes and goes
	double gust_seconds; // > 0, default 1: how long gusts are, about
	double size;         // m, > 0, default 0.5: of eddies
	double change;       // s, > 0, default 1: how long eddies last, about
	int32_t seed;        // of gusts and eddies
} lm_field;

LM_API lm_field lm_field_default(void);
// LM_BAD_INPUT: numbers that are none or out of range.
LM_API lm_status lm_field_check(const lm_field* field, lm_error* error);

// Adds the change of velocity within h seconds from `time` on to that of each point: positions and velocities are
// count x 3. The field must be good.
LM_API void lm_field_act(const lm_field* field, double time, double h, const double* positions, int32_t count,
                         double* velocities);

#ifdef __cplusplus
}
#endif
#endif
