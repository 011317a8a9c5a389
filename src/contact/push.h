// push.h: moving bodies apart where they meet, and the impulses between them.
#ifndef LM_CONTACT_PUSH_H
#define LM_CONTACT_PUSH_H

#include "contact/body_contact.h"

// What is known of a contact while it is being solved.
typedef struct lm_push_state
{
	double mass;       // felt along the normal: 1 / sum of weight^2 / m; 0 when all are pinned
	double share_a[2]; // weight / m
	double share_b[4];
	lm_vec3 origins;          // of a less that of b
	double apart;             // n . (p_a - p_b) to reach
	double push;              // position impulse so far, kg m, >= 0
	double bounce;            // velocity of separation to leave with, >= 0
	double impulse;           // normal impulse so far, kg m/s, >= 0
	lm_vec3 friction_impulse; // so far
	double friction;          // coefficient
} lm_push_state;

typedef struct lm_push
{
	const lm_body_contact* contacts;
	lm_push_state* states; // one for each
	int64_t count;
	lm_contact_body* const* bodies;
	const lm_particles* particles;
	double h;
} lm_push;

// Resolves all contacts, in their order. deepest (may be NULL): for each body, raised to the depth that is left.
void lm_push_apart(const lm_push* push, double* deepest);

#endif
