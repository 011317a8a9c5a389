// particles.h: contact of particles in single precision with colliders, as real-time engines want it.
#ifndef LM_CONTACT_PARTICLES_H
#define LM_CONTACT_PARTICLES_H

#include "limber/contact.h"
#include "math/vec.h"

// Vectors of particles lie in blocks: of LM_PARTICLE_BLOCK particles all x, then all y, then all z, as vector
// instructions like them. The last block is whole, too.
#define LM_PARTICLE_BLOCK 16

// Place of coordinate k of particle i.
static inline int64_t lm_particle_place(int64_t i, int k)
{
	uint64_t u = (uint64_t)i; // a shift and a mask
	return (int64_t)(u / LM_PARTICLE_BLOCK * (3 * LM_PARTICLE_BLOCK) + u % LM_PARTICLE_BLOCK) + k * LM_PARTICLE_BLOCK;
}

// Numbers in the blocks of so many particles.
static inline size_t lm_particle_numbers(int64_t count)
{
	return (size_t)(count + LM_PARTICLE_BLOCK - 1) / LM_PARTICLE_BLOCK * 3 * LM_PARTICLE_BLOCK;
}

static inline lm_vec3 lm_particle_at(const float* values, int64_t i)
{
	const float* at = values + lm_particle_place(i, 0);
	return lm_v3((double)at[0], (double)at[LM_PARTICLE_BLOCK], (double)at[2 * LM_PARTICLE_BLOCK]);
}

// A view of an engine's particles. They have just moved from x - h v to x.
typedef struct lm_particles
{
	int32_t count;
	float* x;                  // in blocks, offsets from origin
	float* v;                  // in blocks
	const float* inverse_mass; // 1 / kg; 0: pinned, never moved
	double origin[3];
	double friction;    // combined with the collider's by the geometric mean
	double restitution; // the larger of the two counts
	double thickness;   // metres, >= 0: contacts keep this distance
	double gravity;     // m/s^2, >= 0, in whatever direction: distinguishes resting contact from impact
	// Among bodies (pairs.h):
	int32_t id;
	const bool* apart; // by id: bodies that it does not touch; NULL: it touches all
} lm_particles;

// Pushes particles out of colliders where these are at the time last set:
// - position: to the surface (+ thickness); a particle that went through something thin comes back to the side it
//   came from (its way relative to the moving collider counts);
// - velocity: what approaches is taken away, or thrown back by restitution when faster than rest contact makes it;
//   the depth itself never becomes velocity;
// - friction: Coulomb, |tangential| <= mu * normal, with the normal impulse of the velocity or of the depth, whichever
//   is larger. What friction takes from the velocity it takes from the motion of this step too, so that things stick.
// *deepest (may be NULL) is the largest penetration left afterwards, in metres. Same bits for any number of threads.
void lm_contact_colliders(const lm_colliders* colliders, const lm_particles* particles, double h, int threads,
                          double* deepest);

// Approach slower than this does not bounce: what gravity gives a particle within two steps.
static inline double lm_contact_calm_speed(double gravity, double h)
{
	double two_steps = 2 * gravity * h;
	return two_steps > 0.1 ? two_steps : 0.1;
}

#endif
