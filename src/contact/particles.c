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
	for (int k = 0; k < 3; ++k)
		m->near_low[k] = -above(-lm_v3_get(m->low, k)), m->near_high[k] = above(lm_v3_get(m->high, k));
	m->bounded = m->item->solid.shape != LM_SHAPE_PLANE;
}

static void add_slab(lm_mover* m, lm_vec3 n, double low, double high)
{
	double at = lm_dot(n, m->now.position);
	lm_slab slab = { .n = n, .low = at + low - m->margin, .high = at + high + m->margin };
	slab.near_low = -above(-slab.low), slab.near_high = above(slab.high);
	for (int k = 0; k < 3; ++k)
		slab.near_n[k] = (float)lm_v3_get(n, k);
	m->slabs[m->slab_count++] = slab;
}

// A box around what is turned has much room in its corners.
static void set_slabs(lm_mover* m)
{
	lm_vec3 low, high;
	const lm_solid* solid = &m->item->solid;
	lm_quat q = m->now.rotation;
	m->slab_count = 0;
	if (solid->shape == LM_SHAPE_PLANE)
		add_slab(m, lm_column(m->now.R, 1), -INFINITY, 0);
	else if (m->item->key_count == 1 && (q.x != 0 || q.y != 0 || q.z != 0))
	{
		lm_solid_bounds(solid, &low, &high);
		for (int k = 0; k < 3; ++k)
			add_slab(m, lm_column(m->now.R, k), lm_v3_get(low, k), lm_v3_get(high, k));
	}
}

// Where it was at the start of the step, and the box around both.
static void look_back(const lm_particle_job* job, lm_vec3 origin, lm_mover* m)
{
	const lm_collider* item = m->item;
	m->before = m->now;
	if (item->key_count == 1 || item->solid.shape == LM_SHAPE_PLANE)
		return;
	lm_vec3 low, high;
	m->before = lm_placement_at(item->keys, item->key_count, job->colliders->time - job->h);
	m->before.position = lm_sub(m->before.position, origin);
	lm_solid_world_bounds(&item->solid, &m->before, &low, &high);
	m->low = lm_min3(m->low, low), m->high = lm_max3(m->high, high);
}

void lm_prepare_mover(const lm_particle_job* job, const lm_collider* item, lm_mover* m)
{
	const lm_particles* particles = job->particles;
	lm_vec3 origin = lm_v3_at(particles->origin, 0);
	m->item = item, m->now = item->now;
	m->now.position = lm_sub(m->now.position, origin);
	m->low = lm_sub(item->low, origin), m->high = lm_sub(item->high, origin);
	look_back(job, origin, m);
	m->margin = particles->thickness + 1e-6;
	if (item->solid.surface)
		m->margin += lm_contact_surface_skin(item->solid.surface);
	lm_vec3 margin = { m->margin, m->margin, m->margin };
	m->low = lm_sub(m->low, margin), m->high = lm_add(m->high, margin);
	m->law = (lm_contact_law){ .h = job->h,
		                       .friction = sqrt(particles->friction * item->friction),
		                       .restitution = fmax(particles->restitution, item->restitution),
		                       .calm_speed = lm_contact_calm_speed(particles->gravity, job->h) };
	set_near(m);
	set_slabs(m);
}

static void resolve_chunk(void* context, int64_t begin, int64_t end)
{
	lm_particle_job* job = context;
	lm_chunk_set left = { 0 };
	if (job->push_simd)
		job->push_simd(job, begin, end, &left);
	else
		memset(&left, -1, sizeof left);
	for (int word = 0; word < LM_PARTICLE_CHUNK / 64; ++word)
		for (uint64_t bits = left.bits[word]; bits; bits &= bits - 1)
		{
			int64_t i = begin + 64 * word + __builtin_ctzll(bits);
			if (i < end)
				lm_push_general(job, i);
		}
}

void lm_contact_colliders_by(lm_push_simd* push_simd, const lm_colliders* colliders, const lm_particles* particles,
                             double h, int threads, double* deepest)
{
	assert(particles && h > 0);
	if (deepest)
		*deepest = 0;
	if (!colliders || colliders->count == 0)
		return;
	lm_particle_job job; // the movers are many and mostly not needed
	job.colliders = colliders, job.particles = particles, job.h = h, job.push_simd = push_simd;
	atomic_init(&job.deepest, 0);
	for (int32_t c = 0; c < colliders->count && c < LM_MOVERS; ++c)
		lm_prepare_mover(&job, &colliders->items[c], &job.movers[c]);
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
	lm_simd simd = colliders != NULL ? colliders->host.simd : LM_SIMD_AUTO;
	lm_contact_colliders_by(lm_find_push_simd(simd), colliders, particles, h, threads, deepest);
}
