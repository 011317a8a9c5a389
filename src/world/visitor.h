// visitor.h: a body of `match`, or of `design` while it is simulated, that can be a guest in a step of others
// (act/guest.h).
#ifndef LM_WORLD_VISITOR_H
#define LM_WORLD_VISITOR_H

#include "act/guest.h"
#include "match/state.h"
#include "objects/design/guest.h"

typedef struct lm_visitor
{
	lm_object* object;
	lm_act_guest* guest;      // NULL: the object can be none
	lm_match* match;          // either this
	lm_design_object* design; // or this
	lm_blob before;           // its state while it is tried
	bool near;                // a body of another engine, in this frame
	lm_match_speeds speeds;   // before a step, against what touches it
	double size;
} lm_visitor;

lm_status lm_visitor_create(lm_visitor* visitor, lm_object* object, int32_t id, lm_error* error);
void lm_visitor_destroy(lm_visitor* visitor);

// Whether it moves by itself now: what is designed does not.
bool lm_visitor_is_there(const lm_visitor* visitor);
// Where its points are and how fast, into guest->start and guest->now. Returns the friction.
void lm_visitor_measure(const lm_visitor* visitor);
void lm_visitor_gravity(const lm_visitor* visitor, double gravity[3]);
double lm_visitor_friction(const lm_visitor* visitor);
double lm_visitor_thickness(const lm_visitor* visitor);

// Where they would be after a step of h under their usual forces: `trial`, from `start`. All of them as they were.
lm_status lm_visitors_try(lm_visitor* const* near, int32_t count, double h, double time, lm_error* error);

// Its step is taken under the wrench of its guest, limited to what it can stand; then `now` is where it has come.
void lm_visitor_touch(lm_visitor* visitor, double h);
void lm_visitor_leave(lm_visitor* visitor, double h);

#endif
