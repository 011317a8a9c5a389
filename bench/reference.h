// reference.h: example-based shape matching as Koyama et al. (2012) write it down, in plain scalar C: what limber's
// `match` is measured against. Simple, not slow: everything that is constant is computed once, sums are made in one
// pass, and the polar decomposition starts from the last step's eigenvectors.
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include "limber/limber.h"

typedef struct reference_def
{
	const lm_mesh* mesh;      // rest shape; tetrahedra give the regions
	const double* start;      // vertex_count x 3, NULL: the rest shape
	const double* velocities; // vertex_count x 3, NULL: zero
	int32_t example_count;
	const double* const* examples; // vertex_count x 3 each
	const int32_t* groups;         // of each region, NULL: one group of all
	int32_t group_count;
	double alpha, beta, h, drag; // of Eq. 4 and Sec. 4.2; drag in 1/s
	double gravity[3];
	double density, friction;
} reference_def;

typedef struct reference reference;

reference* reference_create(const reference_def* def); // NULL when out of memory
void reference_destroy(reference* body);

// What particles touch. Planes, spheres, boxes and capsules are tested in line; only what is inside of one, or may be
// inside of a mesh, comes from limber, where and how fast it is pushed out.
#define REFERENCE_COLLIDERS 64
typedef struct reference_colliders
{
	const lm_colliders* all;
	const lm_collider_def* defs;
	int32_t count;
	struct
	{
		double position[3], axes[9]; // row by row: its x, y and z
	} places[REFERENCE_COLLIDERS];
} reference_colliders;

// Where they are at the time that was set last; count of defs and colliders, at most REFERENCE_COLLIDERS.
void reference_place(reference_colliders* places, const lm_colliders* colliders, const lm_collider_def* defs);

// One time step, Eq. 1-7. colliders may be NULL, and are where they are: nothing moves them.
void reference_step(reference* body, const reference_colliders* colliders);

void reference_restart(reference* body, const double* positions, const double* velocities); // vertex_count x 3 each
void reference_pin(reference* body, int32_t vertex);                                        // held where it is now
const double* reference_positions(const reference* body);
const double* reference_weights(const reference* body, int32_t group); // example_count
#endif
