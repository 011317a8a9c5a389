// particles.c: contact of particles with colliders: the colliders as they moved, and the particles in chunks.
#include "contact/particles.h"

#include "base/parallel.h"
#include "contact/particle_job.h"

#include <assert.h>
#include <string.h>

// A little more than x.
static float above(double x)
{
	return (float)(x + 1e-6 * fabs(x) + 1e-9);
}

static void set_near(lm_mover* m)
{
	lm_vec3 n = lm_column(m->now.R, 1);
	m->reach = above(m->margin + lm_dot(n, m->now.position));
	for (int k = 0; k < 3; ++k)
	{
		m->n[k] = (float)(&n.x)[k];
		m->near_low[k] = -above(-(&m->low.x)[k]), m->near_high[k] = above((&m->high.x)[k]);
	}
}

lm_mover lm_prepare_mover(const lm_particle_job* job, const lm_collider* item)
{
	const lm_particles* particles = job->particles;
	lm_vec3 origin = lm_v3_at(particles->origin, 0), low, high;
	lm_mover m = { .item = item, .now = item->now, .margin = particles->thickness + 1e-6 };
	m.before = item->now;
	if (item->key_count > 1 && item->solid.shape != LM_SHAPE_PLANE)
		m.before = lm_placement_at(item->keys, item->key_count, job->colliders->time - job->h);
	m.now.position = lm_sub(m.now.position, origin), m.before.position = lm_sub(m.before.position, origin);
	lm_solid_world_bounds(&item->solid, &m.before, &low, &high);
	if (item->solid.surface)
		m.margin += lm_surface_skin(item->solid.surface);
	lm_vec3 margin = { m.margin, m.margin, m.margin };
	m.low = lm_sub(lm_min3(lm_sub(item->low, origin), low), margin);
	m.high = lm_add(lm_max3(lm_sub(item->high, origin), high), margin);
	m.law = (lm_contact_law){ .h = job->h,
		                      .friction = sqrt(particles->friction * item->friction),
		                      .restitution = fmax(particles->restitution, item->restitution),
		                      .calm_speed = lm_contact_calm_speed(job->h) };
	set_near(&m);
	return m;
}

static void resolve_chunk(void* context, int64_t begin, int64_t end)
{
	lm_particle_job* job = context;
	lm_chunk_set left = { 0 };
	if (job->push_easy)
		job->push_easy(job, begin, end, &left);
	else
		memset(&left, -1, sizeof left);
	for (int word = 0; word < LM_PARTICLE_CHUNK / 64; ++word)
		for (uint64_t bits = left.bits[word]; bits; bits &= bits - 1)
		{
			int64_t i = begin + 64 * word + __builtin_ctzll(bits);
			if (i < end)
				lm_push_carefully(job, i);
		}
}

void lm_contact_colliders_by(lm_push_easy* push_easy, const lm_colliders* colliders, const lm_particles* particles,
                             double h, int threads, double* deepest)
{
	assert(particles && h > 0);
	if (deepest)
		*deepest = 0;
	if (!colliders || colliders->count == 0)
		return;
	lm_particle_job job; // the movers are many and mostly not needed
	job.colliders = colliders, job.particles = particles, job.h = h, job.push_easy = push_easy;
	atomic_init(&job.deepest, 0);
	for (int32_t c = 0; c < colliders->count && c < LM_MOVERS; ++c)
		job.movers[c] = lm_prepare_mover(&job, &colliders->items[c]);
	lm_parallel_for(threads, particles->count, LM_PARTICLE_CHUNK, resolve_chunk, &job);
	if (deepest)
	{
		uint64_t bits = atomic_load(&job.deepest);
		memcpy(deepest, &bits, sizeof bits);
	}
}

void lm_contact_colliders(const lm_colliders* colliders, const lm_particles* particles, double h, int threads,
                          double* deepest)
{
	lm_contact_colliders_by(lm_find_push_easy(), colliders, particles, h, threads, deepest);
}
