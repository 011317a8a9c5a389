// guest.h: a body of another engine in the step of those it touches.
//
// What touches a guest has to know, while its own step is being solved, how the guest gives way: else what rests on it
// shakes, and what is light is thrown. So a small body takes the guest's place in the step, its proxy: as good as
// rigid, with the guest's mass and inertia.
//
// Let y~ be where the guest will be at the end of the step if its usual wrench f~ (force and torque) acts on it: its
// owner finds out by a trial. The proxy's displacement u, by which the guest's points move to y~ + u(y~), obeys
//
//     M u / h^2 + stiff = f - f~ + (what guests of its kind and colliders do to it, less the same at u = 0)
//
// so that u = 0 when f = f~: whatever the proxy lacks is no error at rest. The proxy is four points of a quarter of the
// mass at (+a +b +c), (+a -b -c), (-a +b -c), (-a -b +c) from the centre of mass, along the principal axes of y~, a^2,
// b^2, c^2 being its second moments along them: as affine a body as the guest, with the same inertia. The guest's
// points are affine combinations of the four. M is twice the mass, or what the inner steps of the guest make of it:
// under an even force a body that takes many small steps goes only half as far as in one implicit step.
//
// The guest is given the wrench f of the solution, for the whole of it as if it were rigid: momentum is exchanged
// exactly, and no vertex of a soft guest is thrown. How touches deform it comes besides and may lag, as it has no
// momentum: the usual squeeze, the symmetric part of the sum of (p - c) f^T over the touches.
//
// Guests of different kinds exchange forces here, too, also where no body of `act` is about.
//
// A step: fill `start`, `trial` and what is below them; lm_act_step_guests; the owner moves the guest by `wrench` and
// `squeeze`; its true positions go into `now`; lm_act_step_end.
#ifndef LM_ACT_GUEST_H
#define LM_ACT_GUEST_H

#include "act/body.h"
#include "base/blob.h"
#include "contact/touches.h"

typedef struct lm_act_guest
{
	lm_host host;
	int32_t id;   // names it in the memories of touches: not one of the bodies of `act`
	int32_t kind; // its engine: what guests of one kind do to each other is their owner's matter
	int32_t count;
	double mass, size;
	double* masses;              // count
	const bool *apart, *without; // by id and by collider: what it does not touch; the owner's, NULL: it touches all
	lm_contact_body* shape;
	lm_act* proxy;
	lm_vec3 centre;  // of mass, of the trial
	lm_mat3 inverse; // of the matrix with columns X_1 - X_0, X_2 - X_0, X_3 - X_0

	// state
	lm_touch_memory memory;
	double usual[6];   // f~: force, N, and torque about the centre of mass, N m
	double squeeze[6]; // N m, the usual one: xx yy zz xy xz yz
	double met;        // m/s: the speed that it met what touches it with, as far as it can bounce by it; of its owner

	// of a step, filled by the owner
	double* start;                                           // count x 3: x_n
	double* trial;                                           // count x 3: y~
	double inertia;                                          // 1 .. 2, times the mass
	bool held;                                               // what is under it keeps it from falling
	double stiffness, smoothing, slack, friction, thickness; // as in lm_touch_body

	// results
	double wrench[6];   // f
	double velocity[3]; // of what touches it, mean by normal force
	double pressed;     // sum of the normal forces, N
	double squeezed[6]; // by f
	double* now;        // count x 3: y~ + u; then where it really went
} lm_act_guest;

// mesh: rest shape; masses: kg, above 0.
lm_status lm_act_guest_create(const lm_mesh* mesh, const double* masses, int32_t id, const lm_host* host,
                              lm_act_guest** guest, lm_error* error);
void lm_act_guest_destroy(lm_act_guest* guest);

// usual += share (wrench - usual), and likewise the squeeze
void lm_act_guest_follow(lm_act_guest* guest, double share);
// Nothing touches it any more.
void lm_act_guest_leave(lm_act_guest* guest);

uint64_t lm_act_guest_hash(const lm_act_guest* guest, uint64_t hash);
void lm_act_guest_save(const lm_act_guest* guest, lm_blob* blob);
lm_status lm_act_guest_load(lm_act_guest* guest, lm_blob* blob, lm_error* error);

// Whether a body of `act` that it pushes in this direction stands on it: it is under the body, and would not give way
// much, being held or no lighter.
bool lm_act_guest_carries(const lm_act_guest* guest, const lm_act* body, lm_vec3 push);

// As lm_act_step, with guests; lm_act_step_end, with the same bodies and guests, ends the step.
lm_status lm_act_step_guests(lm_act* const* bodies, int32_t count, lm_act_guest* const* guests, int32_t guest_count,
                             double h, lm_colliders* colliders, double time, lm_error* error);
void lm_act_step_end(lm_act* const* bodies, int32_t count, lm_act_guest* const* guests, int32_t guest_count,
                     lm_colliders* colliders);

// Names a body in the memories of touches, from step to step; before, its place in the list does. apart, without: which
// bodies (by id) and which colliders it does not touch, NULL: it touches all; they must live as long as the body.
void lm_act_set_touch(lm_act* body, int32_t id, const bool* apart, const bool* without);

// ---- for islands.c

lm_status lm_act_guest_begin(lm_act_guest* guest, double h, lm_error* error);
// A touch as the proxies see it; NULL: the side is none of a guest.
lm_spring_touch lm_act_guest_map(const lm_spring_touch* touch, const lm_act_guest* a, const lm_act_guest* b);
// Makes u = 0 the solution under f~, `others` (at the four points) being what its kind and colliders do there.
void lm_act_guest_balance(lm_act_guest* guest, const double others[12]);
void lm_act_guest_move(lm_act_guest* guest); // now, from the proxy's y
// Adds a force at a place of the trial to the wrench and the squeeze; velocity: of what presses there, by `normal`.
void lm_act_guest_add_force(lm_act_guest* guest, lm_vec3 at, lm_vec3 f, lm_vec3 velocity, double normal);

#endif
