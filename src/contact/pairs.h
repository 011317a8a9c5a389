// pairs.h: contact of soft bodies made of particles with each other and with themselves.
#ifndef LM_CONTACT_PAIRS_H
#define LM_CONTACT_PAIRS_H

#include "contact/particles.h"
#include "limber/mesh.h"

// The shape of a body, made once from its rest mesh: surface, points to test, and trees for finding them. Bodies with
// tetrahedra are solid, bodies with triangles only are sheets with two sides.
typedef struct lm_contact_body lm_contact_body;

// A mesh that fails lm_mesh_check, or has neither tetrahedra nor triangles, is LM_BAD_INPUT.
lm_status lm_contact_body_create(const lm_mesh* rest, const lm_host* host, lm_contact_body** body, lm_error* error);
// Points carried by the body's vertices, at most four of one tetrahedron each: they meet colliders in an implicit step
// (touches.h) in place of the vertices.
lm_status lm_contact_body_carry(lm_contact_body* body, const lm_binding_view* rows, lm_error* error);
void lm_contact_body_destroy(lm_contact_body* body);

// Scratch that grows and is used again; no allocation once it has seen the largest number of contacts.
typedef struct lm_contact_pairs lm_contact_pairs;

lm_status lm_contact_pairs_create(const lm_host* host, lm_contact_pairs** pairs, lm_error* error);
void lm_contact_pairs_destroy(lm_contact_pairs* pairs);

// Moves the particles of the bodies apart and applies contact and friction between them; body i has particles[i], in
// the order of its rest vertices, and also meets itself where self[i]. They have just moved from x - h v to x. Linear
// and angular momentum are kept, but for pinned particles. thickness: the larger of the two is kept between two bodies.
// deepest[i] (deepest may be NULL) is the largest penetration of body i that is left. Same bits for any number of
// threads. On failure nothing has been moved.
lm_status lm_contact_pairs_resolve(lm_contact_pairs* pairs, lm_contact_body* const* bodies,
                                   const lm_particles* particles, const bool* self, int32_t count, double h,
                                   int threads, double* deepest, lm_error* error);

// How much the last resolve looked at: pairs of bodies whose boxes overlap, samples of one near the other, and
// contacts.
typedef struct lm_pairs_work
{
	int64_t body_pairs, candidates, contacts;
} lm_pairs_work;

lm_pairs_work lm_contact_pairs_work(const lm_contact_pairs* pairs);

#endif
