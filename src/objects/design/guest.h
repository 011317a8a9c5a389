// guest.h: a designed object while it is simulated, as what touches it sees it: a body that gives way. Hands hold it,
// too.
#ifndef LM_OBJECTS_DESIGN_GUEST_H
#define LM_OBJECTS_DESIGN_GUEST_H

#include "objects/design/design.h"

// Points that are carried by the nodes: those of a mesh of tetrahedra that follows the surface, with its mass.
struct lm_design_guest
{
	lm_host host;
	lm_mesh* mesh;  // at rest, metres
	double* masses; // kg
	lm_design_rows rows;
};

// For an object that is simulated at some time; makes its model unless it has one.
lm_status lm_design_make_guest(lm_design_object* object, lm_error* error);
void lm_design_guest_destroy(lm_design_guest* guest);

// Whether it is simulated in the step that comes next.
bool lm_design_is_free(const lm_design_object* object);
double lm_design_mass_of(const lm_design_object* object);           // kg; 0: it is never simulated
double lm_design_modulus(const lm_design_object* object);           // over the density, m^2/s^2, as lm_match_modulus
double lm_design_inertia(const lm_design_object* object, double h); // as lm_match_inertia

// Of the points of the guest at a time, which for those that are free is that of the simulation. velocities may be
// NULL.
void lm_design_guest_points(const lm_design_object* object, double time, double* positions, double* velocities);
// Of its centre of mass, relative to something that moves with a velocity.
double lm_design_speed_against(const lm_design_object* object, const double velocity[3]);

// After a step in which something touched it that moves with a velocity: takes away what is faster than `most`.
void lm_design_calm(lm_design_object* object, const double velocity[3], double most);

// What acts in its next steps; NULL: nothing. Not part of the state.
void lm_design_set_touched(lm_design_object* object, const double wrench[6], const double squeeze[6]);
void lm_design_set_pushed(lm_design_object* object, const double wrench[6], const double squeeze[6]);
// All of it, told to the simulation.
void lm_design_apply_loads(lm_design_object* object);
// Nobody holds it any more.
void lm_design_let_go(lm_design_object* object);

// ---- for the table of the engine

bool lm_design_can_be_held(const lm_object* base);
lm_status lm_design_pin(lm_object* base, int32_t vertex, const double position[3], lm_error* error);
void lm_design_unpin(lm_object* base, int32_t vertex);
void lm_design_drag(lm_object* base, int32_t vertex, const double target[3], double strength);
void lm_design_push(lm_object* base, const int32_t* vertices, int32_t count, const double impulse[3]);
double lm_design_mass_at(const lm_object* base, const int32_t* vertices, int32_t count);
void lm_design_velocities(const lm_object* base, double* velocities);

#endif
