// pairs.c: which bodies and which of their points can meet, found anew in every step; pushing is left to push.c.
#include "contact/pairs.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "contact/push.h"

#include <assert.h>
#include <stdlib.h>

#define GRAIN 64

typedef struct interval
{
	double begin, end; // of a body's box along x
	int32_t body;
} interval;

typedef struct candidate
{
	int32_t a, b, sample;
	bool found;
} candidate;

typedef struct lm_list
{
	void* items;
	size_t capacity;
} lm_list;

struct lm_contact_pairs
{
	lm_host host;
	lm_list boxes, intervals, moved, speeds, body_pairs, candidates, contacts, states;
	int64_t body_pair_count, candidate_count, contact_count;
};

// What one resolve works on.
typedef struct task
{
	lm_contact_pairs* pairs;
	lm_contact_body* const* bodies;
	const lm_particles* particles;
	int32_t count;
	double h;
	int threads;
	lm_box* boxes;
	bool* moved;      // bodies that are near something
	double* speeds;   // largest of each body; only where there are sheets
	bool sheets;      // whether some body is one
	double thickness; // the largest
} task;

typedef struct body_pair
{
	int32_t a, b;
} body_pair;

lm_status lm_contact_pairs_create(const lm_host* host, lm_contact_pairs** pairs, lm_error* error)
{
	assert(host && pairs);
	lm_contact_pairs* made = LM_NEW(host, 1, lm_contact_pairs);
	if (!made)
		return lm_fail_memory(error);
	made->host = *host;
	*pairs = made;
	return LM_OK;
}

void lm_contact_pairs_destroy(lm_contact_pairs* pairs)
{
	if (!pairs)
		return;
	lm_host host = pairs->host;
	lm_list* lists[] = { &pairs->boxes,      &pairs->intervals,  &pairs->moved,    &pairs->speeds,
		                 &pairs->body_pairs, &pairs->candidates, &pairs->contacts, &pairs->states };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
		lm_free(&host, lists[i]->items);
	lm_free(&host, pairs);
}

static void* room(lm_contact_pairs* pairs, lm_list* list, int64_t count, size_t size)
{
	return lm_grow(&pairs->host, &list->items, &list->capacity, count > 0 ? (size_t)count : 1, size) ? list->items
	                                                                                                 : NULL;
}

// ---- which bodies

static double pair_thickness(const task* work, int32_t a, int32_t b)
{
	return fmax(work->particles[a].thickness, work->particles[b].thickness);
}

// How far two bodies can have come through each other in this step; only needed for sheets.
static double pair_reach(const task* work, int32_t a, int32_t b)
{
	bool sheet = work->bodies[a]->tet_count == 0 || work->bodies[b]->tet_count == 0;
	return sheet ? work->h * (work->speeds[a] + work->speeds[b]) : 0;
}

static double pair_margin(const task* work, int32_t a, int32_t b)
{
	double skin = LM_SHEET_SKIN * fmax(work->bodies[a]->spacing, work->bodies[b]->spacing);
	return fmax(pair_thickness(work, a, b), skin) + pair_reach(work, a, b);
}

static double largest_speed(const lm_contact_body* body, const lm_particles* particles)
{
	double square = 0;
	for (int32_t i = 0; i < body->surface_count; ++i)
	{
		lm_vec3 v = lm_particle_at(particles->v, body->surface[i]);
		double s = lm_dot(v, v);
		square = s > square ? s : square;
	}
	return sqrt(square);
}

static void measure_bodies(void* context, int64_t begin, int64_t end)
{
	task* work = context;
	for (int64_t i = begin; i < end; ++i)
	{
		work->boxes[i] = lm_contact_body_box(work->bodies[i], &work->particles[i]);
		work->speeds[i] = work->sheets ? largest_speed(work->bodies[i], &work->particles[i]) : 0;
	}
}

static void move_bodies(void* context, int64_t begin, int64_t end)
{
	task* work = context;
	for (int64_t i = begin; i < end; ++i)
		if (work->moved[i])
			lm_contact_body_move(work->bodies[i], &work->particles[i], work->sheets || work->thickness > 0, work->h);
}

static int compare_intervals(const void* a, const void* b)
{
	const interval *l = a, *r = b;
	if (l->begin != r->begin)
		return l->begin < r->begin ? -1 : 1;
	return l->body < r->body ? -1 : l->body > r->body;
}

static bool add_couple(task* work, int32_t a, int32_t b)
{
	body_pair* body_pairs =
		room(work->pairs, &work->pairs->body_pairs, work->pairs->body_pair_count + 1, sizeof *body_pairs);
	if (!body_pairs)
		return false;
	body_pairs[work->pairs->body_pair_count++] = (body_pair){ a, b };
	work->moved[a] = work->moved[b] = true;
	return true;
}

static lm_box inflate(lm_box box, double margin)
{
	lm_vec3 m = { margin, margin, margin };
	return (lm_box){ lm_sub(box.low, m), lm_add(box.high, m) };
}

static int compare_body_pairs(const void* a, const void* b)
{
	const body_pair *l = a, *r = b;
	if (l->a != r->a)
		return l->a < r->a ? -1 : 1;
	return l->b < r->b ? -1 : l->b > r->b;
}

static bool keep_apart(const lm_particles* a, const lm_particles* b)
{
	return (a->apart != NULL && a->apart[b->id]) || (b->apart != NULL && b->apart[a->id]);
}

// Broad phase: sweep and prune along x; bodies that have no finite particle have an empty box and meet nothing.
static bool find_couples(task* work, interval* intervals, const bool* self)
{
	double skin = work->thickness, speed = 0;
	for (int32_t i = 0; i < work->count; ++i)
	{
		skin = fmax(skin, LM_SHEET_SKIN * work->bodies[i]->spacing);
		speed = fmax(speed, work->speeds[i]);
	}
	double margin = skin + 2 * work->h * speed; // no pair has a larger one
	for (int32_t i = 0; i < work->count; ++i)
		intervals[i] = (interval){ work->boxes[i].low.x, work->boxes[i].high.x, i };
	qsort(intervals, (size_t)work->count, sizeof *intervals, compare_intervals);
	work->pairs->body_pair_count = 0;
	for (int32_t i = 0; i < work->count; ++i)
	{
		int32_t first = intervals[i].body;
		for (int32_t j = i + 1; j < work->count && intervals[j].begin <= intervals[i].end + margin; ++j)
		{
			int32_t second = intervals[j].body, a = first < second ? first : second,
					b = first < second ? second : first;
			lm_box wide = inflate(work->boxes[a], pair_margin(work, a, b));
			bool meet = !keep_apart(&work->particles[a], &work->particles[b]) && lm_box_overlaps(wide, work->boxes[b]);
			if (meet && !add_couple(work, a, b))
				return false;
		}
		if (self && self[first] && !add_couple(work, first, first))
			return false;
	}
	body_pair* body_pairs = work->pairs->body_pairs.items;
	if (work->pairs->body_pair_count >
	    1) // so that the order of the contacts depends on the bodies, not on where they are
		qsort(body_pairs, (size_t)work->pairs->body_pair_count, sizeof *body_pairs, compare_body_pairs);
	return true;
}

// ---- which points

static bool holds(const lm_box* box, lm_vec3 p)
{
	return p.x >= box->low.x && p.x <= box->high.x && p.y >= box->low.y && p.y <= box->high.y && p.z >= box->low.z &&
	       p.z <= box->high.z;
}

static bool list_candidates(task* work, int32_t a, int32_t b)
{
	const lm_contact_body* body = work->bodies[a];
	lm_contact_pairs* pairs = work->pairs;
	candidate* list = room(pairs, &pairs->candidates, pairs->candidate_count + body->sample_count, sizeof *list);
	if (!list)
		return false;
	lm_box wide = inflate(work->boxes[b], pair_margin(work, a, b));
	for (int32_t s = 0; s < body->sample_count; ++s)
		if (a == b || holds(&wide, lm_contact_sample_position(body, &body->samples[s])))
			list[pairs->candidate_count++] = (candidate){ a, b, s, false };
	return true;
}

typedef struct search
{
	const task* work;
	candidate* candidates;
	lm_body_contact* contacts; // one for each candidate
} search;

static void search_range(void* context, int64_t begin, int64_t end)
{
	const search* job = context;
	const task* work = job->work;
	for (int64_t i = begin; i < end; ++i)
	{
		candidate* c = &job->candidates[i];
		lm_body_contact* contact = &job->contacts[i];
		lm_body_contact_query query = { .a = work->bodies[c->a],
			                            .b = work->bodies[c->b],
			                            .sample = c->sample,
			                            .thickness = pair_thickness(work, c->a, c->b),
			                            .reach = pair_reach(work, c->a, c->b),
			                            .last_face = -1 };
		c->found = lm_body_contact_find(&query, contact);
		contact->a = c->a, contact->b = c->b;
	}
}

static bool find_contacts(task* work)
{
	lm_contact_pairs* pairs = work->pairs;
	pairs->candidate_count = pairs->contact_count = 0;
	const body_pair* body_pairs = pairs->body_pairs.items;
	for (int64_t i = 0; i < pairs->body_pair_count; ++i)
	{
		body_pair c = body_pairs[i];
		if (!list_candidates(work, c.a, c.b) || (c.a != c.b && !list_candidates(work, c.b, c.a)))
			return false;
	}
	lm_body_contact* contacts = room(pairs, &pairs->contacts, pairs->candidate_count, sizeof *contacts);
	if (!contacts)
		return false;
	search job = { work, pairs->candidates.items, contacts };
	lm_parallel_for(work->threads, pairs->candidate_count, GRAIN, search_range, &job);
	for (int64_t i = 0; i < pairs->candidate_count; ++i)
		if (job.candidates[i].found)
			contacts[pairs->contact_count++] = contacts[i];
	return true;
}

// ---- all together

static bool prepare(task* work)
{
	lm_contact_pairs* pairs = work->pairs;
	work->boxes = room(pairs, &pairs->boxes, work->count, sizeof(lm_box));
	work->moved = room(pairs, &pairs->moved, work->count, sizeof(bool));
	work->speeds = room(pairs, &pairs->speeds, work->count, sizeof(double));
	if (!work->boxes || !work->moved || !work->speeds)
		return false;
	for (int32_t i = 0; i < work->count; ++i)
	{
		assert(work->particles[i].count == work->bodies[i]->vertex_count);
		work->moved[i] = false;
		work->sheets |= work->bodies[i]->tet_count == 0;
		work->thickness = fmax(work->thickness, work->particles[i].thickness);
	}
	return true;
}

lm_status lm_contact_pairs_resolve(lm_contact_pairs* pairs, lm_contact_body* const* bodies,
                                   const lm_particles* particles, const bool* self, int32_t count, double h,
                                   int threads, double* deepest, lm_error* error)
{
	assert(pairs && bodies && particles && count >= 0 && h > 0);
	for (int32_t i = 0; deepest && i < count; ++i)
		deepest[i] = 0;
	if (count == 0)
		return LM_OK;
	task work = {
		.pairs = pairs, .bodies = bodies, .particles = particles, .count = count, .h = h, .threads = threads
	};
	interval* intervals = room(pairs, &pairs->intervals, count, sizeof *intervals);
	if (!intervals || !prepare(&work))
		return lm_fail_memory(error);
	lm_parallel_for(threads, count, 1, measure_bodies, &work);
	if (!find_couples(&work, intervals, self))
		return lm_fail_memory(error);
	if (pairs->body_pair_count == 0)
		return LM_OK;
	lm_parallel_for(threads, count, 1, move_bodies, &work);
	if (!find_contacts(&work))
		return lm_fail_memory(error);
	lm_push_state* states = room(pairs, &pairs->states, pairs->contact_count, sizeof *states);
	if (!states)
		return lm_fail_memory(error);
	lm_push push = { pairs->contacts.items, states, pairs->contact_count, bodies, particles, h };
	lm_push_apart(&push, deepest);
	return LM_OK;
}

lm_pairs_work lm_contact_pairs_work(const lm_contact_pairs* pairs)
{
	return (lm_pairs_work){ pairs->body_pair_count, pairs->candidate_count, pairs->contact_count };
}
