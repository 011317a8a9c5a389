// collide.c: contact, as src/contact resolves it for particles.
#include "contact/particles.h"
#include "match/body.h"

static lm_particles view(lm_match* body)
{
	const lm_match_settings* settings = &body->settings;
	return (lm_particles){ .count = body->count,
		                   .x = body->x,
		                   .v = body->v,
		                   .inverse_mass = body->inverse_mass,
		                   .origin = { body->origin[0], body->origin[1], body->origin[2] },
		                   .friction = settings->friction,
		                   .restitution = settings->restitution,
		                   .thickness = settings->thickness };
}

void lm_match_touch(lm_match* body, double h, lm_colliders* colliders, double time)
{
	if (colliders == NULL || lm_colliders_count(colliders) == 0)
		return;
	lm_colliders_set_time(colliders, time);
	lm_particles particles = view(body);
	double deepest = 0;
	lm_contact_colliders(colliders, &particles, h, body->threads, &deepest);
	if (deepest > body->report.max_penetration)
		body->report.max_penetration = deepest;
}

lm_status lm_match_collide(lm_match* const* bodies, int32_t count, double h, lm_error* error)
{
	(void)bodies, (void)count, (void)h, (void)error; // follows when the contact of bodies is in main
	return LM_OK;
}
