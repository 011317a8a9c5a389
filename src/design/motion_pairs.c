// motion_pairs.c: see motion_pairs.h.
//
//   E = objects sum_s tau_s sum max(0, margin - d_b(f_b^-1(f_a(x))))^2
//
// over points x on the surface of a, for all pairs of bodies (a, b) that meet. The inverse X = f_b^-1(p) is exact, by
// Newton's method, so that energy and gradient are smooth:
//   dd = grad d . F(X)^-1 ( df_a(x) - sum_k Phi_k(X) dy_k ).
#include "design/motion_pairs.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

// ---- memory -----------------------------------------------------------------------------------------------------

static void release_meeting(lm_design_pair_contacts* contacts, const lm_host* host)
{
	lm_free(host, contacts->touches);
	lm_free(host, contacts->node);
	lm_free(host, contacts->phi);
}

void lm_design_motion_pairs_release(lm_design_motion* motion)
{
	lm_design_motion_pairs* p = motion->pairs;
	const lm_host* host = &motion->host;
	if (p == NULL)
		return;
	for (int32_t s = 0; p->moment_contacts != NULL && s < p->moment_count; ++s)
		release_meeting(&p->moment_contacts[s], host);
	lm_free(host, p->moment_contacts);
	lm_free(host, p->instants);
	lm_free(host, p->first);
	lm_free(host, p->z);
	lm_free(host, p->gradient);
	lm_free(host, p->touched);
	lm_free(host, p->strides);
	lm_free(host, p);
	motion->pairs = NULL;
}

static lm_vec3 middle_of(const lm_design_motion_body* body, const lm_design_frame* frame)
{
	lm_vec3 c = { 0, 0, 0 };
	for (int32_t i = 0; i < body->node_count; ++i)
		c = lm_add_scaled(c, 1.0 / body->node_count, lm_v3_at(frame->y, i));
	return c;
}

static lm_vec3 middle_at(const lm_design_motion_body* body, const lm_design_instant* in)
{
	lm_vec3 c = in->e; // what rotations add has no mean
	for (int k = 0; k < in->count; ++k)
		c = lm_add_scaled(c, in->w[k], middle_of(body, &body->timeline.frames[in->frame[k]]));
	return lm_add_scaled(body->center, body->size, c);
}

static const double quarter = 0.25; // of a body

// So many that from one to the next no two bodies pass by more than a quarter of a body: what they do to each other in
// between, they then see. No fewer than obstacles have, and no more than four times as many.
static int32_t count_moments(const lm_design_motion* motion)
{
	double fastest = 0;
	int32_t frames = 2;
	for (int32_t b = 0; b < motion->count; ++b)
	{
		const lm_design_motion_body* body = &motion->bodies[b];
		const lm_design_timeline* t = &body->timeline;
		frames = t->count > frames ? t->count : frames;
		for (int32_t j = 0; j + 1 < t->count; ++j)
			fastest = fmax(fastest, lm_distance(middle_of(body, &t->frames[j]), middle_of(body, &t->frames[j + 1])) /
			                            (t->frames[j + 1].time - t->frames[j].time));
	}
	double least = (frames - 1) * (LM_DESIGN_BETWEEN + 1), wanted = ceil(2 * fastest / quarter);
	return (int32_t)fmin(fmax(wanted, least), 4 * least) + 1;
}

// How far two bodies pass by each other from moment to moment; at most, of five moments of a window.
static double passing(const lm_design_motion* motion, const lm_vec3* middles, int32_t a, int32_t b)
{
	double most = 0, size = fmin(motion->bodies[a].size, motion->bodies[b].size);
	for (int k = 0; k < 4; ++k)
	{
		const lm_vec3 *now = middles + k * motion->count, *then = now + motion->count;
		most = fmax(most, lm_distance(lm_sub(now[a], now[b]), lm_sub(then[a], then[b])));
	}
	return most / (size * (LM_DESIGN_WINDOW / 4));
}

// Pairs that pass slowly are looked at less often, as long as they move by no more than a quarter of a body meanwhile.
static lm_status take_turns(lm_design_motion* motion, lm_error* error)
{
	lm_design_motion_pairs* p = motion->pairs;
	size_t count = (size_t)motion->count;
	int32_t windows = p->moment_count / LM_DESIGN_WINDOW + 1;
	p->strides = LM_NEW(&motion->host, (size_t)windows * count * count, uint8_t);
	lm_vec3* middles = LM_NEW(&motion->host, 5 * count, lm_vec3);
	for (int32_t w = 0; p->strides != NULL && middles != NULL && w < windows; ++w)
	{
		for (int32_t k = 0; k < 5; ++k)
			for (int32_t b = 0; b < motion->count; ++b)
			{
				int32_t s = w * LM_DESIGN_WINDOW + k * LM_DESIGN_WINDOW / 4;
				s = s < p->moment_count ? s : p->moment_count - 1;
				middles[k * motion->count + b] =
					middle_at(&motion->bodies[b], &p->instants[(int64_t)s * motion->count + b]);
			}
		uint8_t* strides = p->strides + (size_t)w * count * count;
		for (int32_t a = 0; a < motion->count; ++a)
			for (int32_t b = 0; b < motion->count; ++b)
			{
				double far = passing(motion, middles, a, b);
				int stride = 1;
				while (stride < LM_DESIGN_WINDOW && 2 * stride * far <= quarter)
					stride *= 2;
				strides[(size_t)a * count + (size_t)b] = (uint8_t)stride;
			}
	}
	lm_free(&motion->host, middles);
	return p->strides != NULL && middles != NULL ? LM_OK : lm_fail_memory(error);
}

lm_status lm_design_motion_pairs_prepare(lm_design_motion* motion, lm_error* error)
{
	const lm_host* host = &motion->host;
	lm_design_motion_pairs_release(motion);
	lm_design_motion_pairs* p = motion->pairs = LM_NEW(host, 1, lm_design_motion_pairs);
	if (p == NULL)
		return lm_fail_memory(error);
	p->moment_count = count_moments(motion);
	p->margin = motion->settings.margin;
	for (int32_t b = 0; b < motion->count; ++b)
		p->margin = fmin(p->margin, LM_OUTLINE_SEEN * motion->bodies[b].timeline.model->grid.h);
	p->tau = 1.0 / p->moment_count;
	p->first = LM_NEW(host, (size_t)motion->count + 1, int64_t);
	p->instants = LM_NEW(host, (size_t)p->moment_count * (size_t)motion->count, lm_design_instant);
	p->moment_contacts = LM_NEW(host, p->moment_count, lm_design_pair_contacts);
	if (p->first == NULL || p->instants == NULL || p->moment_contacts == NULL)
		return lm_fail_memory(error);
	for (int32_t b = 0; b < motion->count; ++b)
		p->first[b + 1] = p->first[b] + 3 * (int64_t)motion->bodies[b].node_count;
	size_t numbers = (size_t)p->first[motion->count] * (size_t)p->moment_count;
	p->z = LM_NEW(host, numbers, double);
	p->gradient = LM_NEW(host, numbers, double);
	p->touched = LM_NEW(host, (size_t)p->moment_count * (size_t)motion->count, uint8_t);
	if (p->z == NULL || p->gradient == NULL || p->touched == NULL)
		return lm_fail_memory(error);
	for (int32_t s = 0; s < p->moment_count; ++s)
		for (int32_t b = 0; b < motion->count; ++b)
			p->instants[(size_t)s * (size_t)motion->count + (size_t)b] =
				lm_design_timeline_at(&motion->bodies[b].timeline, (double)s / (p->moment_count - 1));
	return take_turns(motion, error);
}

// ---- energy -----------------------------------------------------------------------------------------------------

static void pull(double* g, lm_vec3 force)
{
	g[0] += force.x, g[1] += force.y, g[2] += force.z;
}

static double press(const lm_design_motion* motion, const lm_design_pair_contacts* contacts,
                    const lm_design_pair_contact* t, double weight, double* gradient)
{
	const lm_design_motion_body *a = &motion->bodies[t->a], *b = &motion->bodies[t->b];
	const lm_design_rows* points = a->points;
	double *ga = gradient + motion->pairs->first[t->a], *gb = gradient + motion->pairs->first[t->b];
	lm_vec3 force = lm_scale(-2 * weight * t->depth, t->normal); // by own lengths of b
	for (int64_t e = points->start[t->point]; e < points->start[t->point + 1]; ++e)
		pull(ga + 3 * (int64_t)points->node[e], lm_scale(points->phi[e] * a->size / b->size, force));
	for (size_t e = t->first; e < t->first + (size_t)t->count; ++e)
		pull(gb + 3 * (int64_t)contacts->node[e], lm_scale(-contacts->phi[e], force));
	return weight * t->depth * t->depth;
}

// However many points a surface has, it presses as if there were four for each node.
static double weight_of(const lm_design_motion* motion, const lm_design_pair_contact* t)
{
	const lm_design_motion_body* a = &motion->bodies[t->a];
	return motion->objects * motion->pairs->tau * t->share * fmin(1, 4.0 * a->node_count / a->points->count);
}

static void mark_touched(const lm_design_motion* motion, const lm_design_pair_contacts* contacts, uint8_t* touched,
                         double* gradient)
{
	const int64_t* first = motion->pairs->first;
	memset(touched, 0, (size_t)motion->count);
	for (size_t k = 0; k < contacts->count; ++k)
		touched[contacts->touches[k].a] = touched[contacts->touches[k].b] = 1;
	for (int32_t b = 0; b < motion->count; ++b)
		if (touched[b])
			memset(gradient + first[b], 0, (size_t)(first[b + 1] - first[b]) * sizeof *gradient);
}

static void evaluate_moments(void* context, int64_t begin, int64_t end)
{
	lm_design_motion* motion = context;
	lm_design_motion_pairs* p = motion->pairs;
	int64_t numbers = p->first[motion->count];
	for (int64_t s = begin; s < end; ++s)
	{
		double *z = p->z + s * numbers, *g = p->gradient + s * numbers;
		lm_design_pair_contacts* contacts = &p->moment_contacts[s];
		for (int32_t b = 0; b < motion->count; ++b)
			lm_design_timeline_nodes(&motion->bodies[b].timeline, &p->instants[s * motion->count + b], z + p->first[b],
			                         NULL);
		lm_design_motion_turns turns = { p->strides + s / LM_DESIGN_WINDOW * motion->count * motion->count,
			                             (int32_t)s };
		if (!lm_design_find_some_pair_contacts(motion, (double)s / (p->moment_count - 1), z, p->margin, &turns,
		                                       contacts))
			motion->pairs_failed = true;
		mark_touched(motion, contacts, p->touched + s * motion->count, g);
		contacts->energy = 0;
		for (size_t k = 0; k < contacts->count; ++k)
			contacts->energy +=
				press(motion, contacts, &contacts->touches[k], weight_of(motion, &contacts->touches[k]), g);
	}
}

typedef struct gather_job
{
	lm_design_motion* motion;
	double* gradient;
} gather_job;

static void gather_bodies(void* context, int64_t begin, int64_t end)
{
	const gather_job* w = context;
	const lm_design_motion* motion = w->motion;
	const lm_design_motion_pairs* p = motion->pairs;
	for (int64_t b = begin; b < end; ++b)
	{
		const lm_design_motion_body* body = &motion->bodies[b];
		int64_t n = 3 * (int64_t)body->node_count;
		for (int32_t s = 0; s < p->moment_count; ++s)
		{
			const lm_design_instant* in = &p->instants[(int64_t)s * motion->count + b];
			const double* gz = p->gradient + (int64_t)s * p->first[motion->count] + p->first[b];
			for (int k = 0; k < in->count && p->touched[(int64_t)s * motion->count + b]; ++k)
			{
				int32_t slot = body->slot[in->frame[k]];
				double* g = w->gradient + body->offset + (int64_t)slot * n;
				for (int32_t i = 0; slot >= 0 && i < body->node_count; ++i)
					if (!lm_design_timeline_holds(&body->timeline, in->interval,
					                              i)) // what is held does not follow the frames
						lm_v3_store(g, i, lm_add_scaled(lm_v3_at(g, i), in->w[k], lm_v3_at(gz, i)));
			}
		}
	}
}

double lm_design_motion_pairs_energy(lm_design_motion* motion, double* gradient)
{
	lm_design_motion_pairs* p = motion->pairs;
	gather_job w = { motion, gradient };
	lm_parallel_for(motion->host.threads, p->moment_count, 1, evaluate_moments, motion);
	lm_parallel_for(motion->host.threads, motion->count, 1, gather_bodies, &w);
	double energy = 0;
	for (int32_t s = 0; s < p->moment_count; ++s)
		energy += p->moment_contacts[s].energy;
	return energy;
}

// ---- metric -----------------------------------------------------------------------------------------------------

static void add_outer(const lm_design_motion_body* body, int32_t slot, const int32_t* node, const double* phi,
                      int64_t count, double weight, lm_vec3 n)
{
	double u[3] = { n.x, n.y, n.z };
	int64_t stride = body->metric.stride;
	double* K = lm_design_band_block(&body->metric, slot, 0);
	for (int64_t b = 0; b < count; ++b)
		for (int64_t a = b; a < count; ++a)
		{
			double* at = K + 3 * (int64_t)node[b] * stride + 3 * (int64_t)node[a];
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					at[j * stride + i] += weight * phi[a] * phi[b] * u[i] * u[j];
		}
}

void lm_design_motion_pairs_metric(const lm_design_motion* motion, int32_t b)
{
	const lm_design_motion_pairs* p = motion->pairs;
	const lm_design_motion_body* body = &motion->bodies[b];
	for (int32_t s = 0; s < p->moment_count; ++s)
		for (size_t k = 0; p->touched[(int64_t)s * motion->count + b] && k < p->moment_contacts[s].count; ++k)
		{
			const lm_design_pair_contact* t = &p->moment_contacts[s].touches[k];
			if (t->a != b && t->b != b)
				continue;
			const lm_design_rows* rows = body->points;
			const int32_t* node =
				t->a == b ? rows->node + rows->start[t->point] : p->moment_contacts[s].node + t->first;
			const double* phi = t->a == b ? rows->phi + rows->start[t->point] : p->moment_contacts[s].phi + t->first;
			int64_t count = t->a == b ? rows->start[t->point + 1] - rows->start[t->point] : t->count;
			double scale = t->a == b ? body->size / motion->bodies[t->b].size : 1;
			const lm_design_instant* in = &p->instants[(int64_t)s * motion->count + b];
			for (int w = 0; w < in->count; ++w)
			{
				int32_t slot = body->slot[in->frame[w]];
				if (slot >= 0 && fabs(in->w[w]) > 0.02) // twice: both sides of the touch move
					add_outer(body, slot, node, phi, count, 4 * weight_of(motion, t) * fabs(in->w[w]) * scale * scale,
					          t->normal);
			}
		}
}

// ---- the check --------------------------------------------------------------------------------------------------

enum
{
	MOMENTS_OF_CHUNK = 8
};

typedef struct check_job
{
	lm_design_motion* motion;
	int64_t steps;
	double* depth; // [chunk x body]
	bool* failed;  // [chunk]
} check_job;

static bool check_moment(const lm_design_motion* motion, double time, double* z, lm_design_pair_contacts* contacts,
                         double* depth)
{
	for (int32_t b = 0; b < motion->count; ++b)
	{
		lm_design_instant in = lm_design_timeline_at(&motion->bodies[b].timeline, time);
		lm_design_timeline_nodes(&motion->bodies[b].timeline, &in, z + motion->pairs->first[b], NULL);
	}
	if (!lm_design_motion_find_depths(motion, time, z, contacts))
		return false;
	for (size_t k = 0; k < contacts->count; ++k)
	{
		const lm_design_pair_contact* t = &contacts->touches[k];
		double ratio = motion->bodies[t->b].size / motion->bodies[t->a].size;
		depth[t->a] = fmax(depth[t->a], t->depth * ratio);
		depth[t->b] = fmax(depth[t->b], t->depth);
	}
	return true;
}

static void check_chunk(void* context, int64_t begin, int64_t end)
{
	const check_job* job = context;
	const lm_design_motion* motion = job->motion;
	int64_t chunk = begin / MOMENTS_OF_CHUNK;
	lm_design_pair_contacts contacts = { 0 };
	double* z = LM_NEW(&motion->host, motion->pairs->first[motion->count], double);
	bool fine = z != NULL;
	for (int64_t k = begin; fine && k < end; ++k)
		fine = check_moment(motion, (double)k / (double)job->steps, z, &contacts, job->depth + chunk * motion->count);
	job->failed[chunk] = !fine;
	release_meeting(&contacts, &motion->host);
	lm_free(&motion->host, z);
}

lm_status lm_design_motion_pairs_check(lm_design_motion* motion, int64_t steps, lm_error* error)
{
	const lm_host* host = &motion->host;
	int64_t chunks = lm_chunk_count(steps + 1, MOMENTS_OF_CHUNK);
	check_job job = { motion, steps, LM_NEW(host, chunks * motion->count, double), LM_NEW(host, chunks, bool) };
	bool fine = job.depth != NULL && job.failed != NULL;
	if (fine)
		lm_parallel_for(host->threads, steps + 1, MOMENTS_OF_CHUNK, check_chunk, &job);
	for (int64_t c = 0; fine && c < chunks; ++c)
		fine = !job.failed[c];
	for (int32_t b = 0; fine && b < motion->count; ++b)
		for (int64_t c = 0; c < chunks; ++c)
			motion->bodies[b].pair_depth = fmax(motion->bodies[b].pair_depth, job.depth[c * motion->count + b]);
	lm_free(host, job.depth);
	lm_free(host, job.failed);
	return fine ? LM_OK : lm_fail_memory(error);
}
