// particle_job.h: one call of lm_contact_colliders, as the files that share the work see it.
//
// particles.c prepares the colliders and cuts the particles into chunks. Of a chunk, particle_simd.h finds what is near
// a collider, and pushes out several particles at once where the case is plain: near a single convex collider, which
// they met from outside. particle_general.c takes the others one by one. Both give the same but for rounding.
#ifndef LM_CONTACT_PARTICLE_JOB_H
#define LM_CONTACT_PARTICLE_JOB_H

#include "contact/colliders.h"
#include "contact/particles.h"

#include <stdatomic.h>

#define LM_PARTICLE_CHUNK 256
#define LM_MOVERS 32

// Of a collider with these particles.
typedef struct lm_contact_law
{
	double h;
	double friction;    // mu
	double restitution; // e
	double calm_speed;
} lm_contact_law;

// The points with low <= n.x <= high; a little wider in single precision.
typedef struct lm_slab
{
	lm_vec3 n;
	double low, high;
	float near_n[3], near_low, near_high;
} lm_slab;

// A collider as it moved over the step. Positions are relative to the particles' origin, as theirs are.
typedef struct lm_mover
{
	const lm_collider* item;
	lm_placement before, now; // at the start and the end of the step
	lm_vec3 low, high;        // box around both, with all margins
	double margin;
	lm_contact_law law;
	float near_low[3], near_high[3]; // the same, a little wider
	bool bounded;                    // by a box at all
	// It lies between these, too: of a plane one, with the half-space below it; three of what is turned and at rest.
	int slab_count;
	lm_slab slabs[3];
} lm_mover;

// A set of the particles of a chunk.
typedef struct lm_chunk_set
{
	uint64_t bits[LM_PARTICLE_CHUNK / 64];
} lm_chunk_set;

typedef struct lm_particle_job lm_particle_job;

// Pushes out the particles from begin on (a chunk of them) that are plain cases. Those that may touch something and are
// no plain cases are added to `left`.
typedef void lm_push_simd(const lm_particle_job* job, int64_t begin, int64_t end, lm_chunk_set* left);

struct lm_particle_job
{
	const lm_colliders* colliders;
	const lm_particles* particles;
	double h;
	lm_push_simd* push_simd;
	lm_mover movers[LM_MOVERS]; // the first colliders; others are prepared on demand
	_Atomic uint64_t deepest;   // bits of a double >= 0, which order as the numbers do; a maximum has no order to keep
};

void lm_prepare_mover(const lm_particle_job* job, const lm_collider* item, lm_mover* mover);

// `room` is for those that have none in the job.
static inline const lm_mover* lm_mover_of(const lm_particle_job* job, int32_t c, lm_mover* room)
{
	if (c < LM_MOVERS)
		return &job->movers[c];
	lm_prepare_mover(job, &job->colliders->items[c], room);
	return room;
}

// The widest that is not above this level, and those there are.
lm_push_simd* lm_find_push_simd(lm_simd simd);
lm_push_simd lm_push_simd_plain, lm_push_simd_avx2;

// As lm_contact_colliders, by the given way of pushing; NULL: every particle by lm_push_general.
void lm_contact_colliders_by(lm_push_simd* push_simd, const lm_colliders* colliders, const lm_particles* particles,
                             double h, int threads, double* deepest);

void lm_push_general(lm_particle_job* job, int64_t i);

#endif
