// act_character.h: any figure becomes a character of `act`: a body that fits it (lm_fitted_create with settings.legs),
// settings by its size, mass and gravity, full control, and a pilot that knows its feet.
//
//   lm_lattice_settings lattice = lm_lattice_settings_default();
//   lattice.vertices = LM_CHARACTER_VERTICES, lattice.legs = true;
//   lm_fitted* fit;
//   if (lm_fitted_create(surface, &lattice, &host, &fit, &error) != LM_OK)
//       return error.status;
//   lm_act_def def = lm_act_def_default();
//   def.settings.gravity[1] = -9.81;
//   lm_act* body;
//   lm_act_pilot* pilot;
//   if (lm_character_create(fit, &def, &host, &body, &pilot, &error) != LM_OK)
//       return error.status;
//
// The figure stands upright along y and faces along x (lm_figure_facing tells where a file has it).
#ifndef LIMBER_ACT_CHARACTER_H
#define LIMBER_ACT_CHARACTER_H

#include "limber/act_pilot.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define LM_CHARACTER_VERTICES 150 // of its lattice: enough to walk, and few enough for real time on one thread

// Settings by which figures of every size, mass and gravity move alike in their own units: stiffness against its
// weight, regularisers against the speeds that it moves at, contact against its size. Thin legs are made stiffer, by
// how far the body would lean if its weight pulled sideways. mass: kg; gravity: m/s^2 that pulls it down.
LM_API lm_status lm_character_settings(const lm_fitted* fit, double mass, const double gravity[3], const lm_host* host,
                                       lm_act_settings* settings, lm_error* error);

// Step of the simulation that is short enough, s.
LM_API double lm_character_step(const lm_fitted* fit, double gravity);

// The body and its pilot. Of def, density, gravity, start and start_velocities are used; the rest is found. fit may be
// destroyed after.
LM_API lm_status lm_character_create(const lm_fitted* fit, const lm_act_def* def, const lm_host* host, lm_act** body,
                                     lm_act_pilot** pilot, lm_error* error);

#ifdef __cplusplus
}
#endif
#endif
