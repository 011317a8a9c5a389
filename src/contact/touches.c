// touches.c: which points of which bodies are near what, found anew in every step, and the lists of their touches.
#include "contact/touches.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "contact/corners.h"
#include "contact/touch_find.h"

#include <assert.h>
#include <string.h>

#define GRAIN 32
// Touches of bodies stand when their normals differ by less than this cosine and their gaps by less than this share of
// the smoothing.
#define SAME_NORMAL 0.98
#define SAME_GAP 0.1

typedef struct list
{
	void* items;
	size_t capacity;
} list;

struct lm_touches
{
	lm_host host;
	list boxes, motions, depths, before, swept, near, candidates, slots, lists[2];
	int64_t candidate_count;
	int64_t counts[2];
	int current; // which of the lists is in use
};

lm_status lm_touches_create(const lm_host* host, lm_touches** touches, lm_error* error)
{
	assert(host && touches);
	lm_touches* made = LM_NEW(host, 1, lm_touches);
	if (!made)
		return lm_fail_memory(error);
	made->host = *host;
	*touches = made;
	return LM_OK;
}

void lm_touches_destroy(lm_touches* touches)
{
	if (!touches)
		return;
	lm_host host = touches->host;
	list* all[] = { &touches->boxes, &touches->motions,    &touches->depths, &touches->before,   &touches->near,
		            &touches->swept, &touches->candidates, &touches->slots,  &touches->lists[0], &touches->lists[1] };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]->items);
	lm_free(&host, touches);
}

const lm_spring_touch* lm_touches_list(const lm_touches* touches, int64_t* count)
{
	*count = touches->counts[touches->current];
	return touches->lists[touches->current].items;
}

static void* room(lm_touches* touches, list* in, int64_t count, size_t size)
{
	return lm_grow(&touches->host, &in->items, &in->capacity, count > 0 ? (size_t)count : 1, size) ? in->items : NULL;
}

// ---- moving the bodies

typedef struct task
{
	lm_touches* touches;
	const lm_touch_step* step;
	lm_box* boxes;        // around the ways of the bodies
	double* motions;      // of their fastest points
	double* depths;       // of their deepest points in the last step
	lm_placement* before; // of the colliders
	lm_box* swept;        // boxes around them before and now
	bool* near;           // of one body: which colliders, then which bodies it may touch
} task;

static void move_bodies(void* context, int64_t begin, int64_t end)
{
	task* work = context;
	for (int64_t i = begin; i < end; ++i)
	{
		const lm_touch_body* body = &work->step->bodies[i];
		lm_contact_body* shape = body->shape;
		lm_contact_body_place(shape, body->start, body->now);
		lm_box box = lm_box_empty();
		double motion2 = 0;
		for (int32_t k = 0; k < shape->surface_count; ++k)
		{
			lm_vec3 x = lm_v3_at(shape->now, shape->surface[k]), y = lm_v3_at(shape->before, shape->surface[k]);
			box = lm_box_join(lm_box_join(box, (lm_box){ x, x }), (lm_box){ y, y });
			motion2 = lm_larger(motion2, lm_dot(lm_sub(x, y), lm_sub(x, y)));
		}
		for (int32_t k = 0; k < shape->carried_count; ++k)
		{
			lm_vec3 x = lm_contact_carried_position(&shape->carried[k], shape->now);
			lm_vec3 y = lm_contact_carried_position(&shape->carried[k], shape->before);
			box = lm_box_join(lm_box_join(box, (lm_box){ x, x }), (lm_box){ y, y });
			motion2 = lm_larger(motion2, lm_dot(lm_sub(x, y), lm_sub(x, y)));
		}
		work->boxes[i] = box, work->motions[i] = sqrt(motion2), work->depths[i] = 0;
		for (int32_t k = 0; k < body->memory->count; ++k)
			work->depths[i] = lm_larger(work->depths[i], -body->memory->records[k].gap);
	}
}

static bool prepare(task* work)
{
	lm_touches* touches = work->touches;
	const lm_touch_step* step = work->step;
	int32_t colliders = step->colliders ? step->colliders->count : 0;
	work->boxes = room(touches, &touches->boxes, step->count, sizeof *work->boxes);
	work->motions = room(touches, &touches->motions, step->count, sizeof *work->motions);
	work->depths = room(touches, &touches->depths, step->count, sizeof *work->depths);
	work->before = room(touches, &touches->before, colliders, sizeof *work->before);
	work->swept = room(touches, &touches->swept, colliders, sizeof *work->swept);
	work->near = room(touches, &touches->near, (int64_t)colliders + step->count, sizeof *work->near);
	if (!work->boxes || !work->motions || !work->depths || !work->before || !work->swept || !work->near)
		return false;
	for (int32_t i = 0; i < colliders; ++i)
	{
		const lm_collider* item = &step->colliders->items[i];
		work->before[i] = lm_placement_at(item->keys, item->key_count, step->colliders->time - step->h);
		lm_vec3 low, high;
		lm_solid_world_bounds(&item->solid, &work->before[i], &low, &high);
		if (item->off)
			low = item->low, high = item->high;
		work->swept[i] = lm_box_join((lm_box){ item->low, item->high }, (lm_box){ low, high });
	}
	lm_parallel_for(step->threads, step->count, 1, move_bodies, work);
	return true;
}

// ---- candidates

static lm_box inflate(lm_box box, double margin)
{
	lm_vec3 m = { margin, margin, margin };
	return (lm_box){ lm_sub(box.low, m), lm_add(box.high, m) };
}

// Whether something in the box can touch the collider.
static bool near_collider(const task* work, int32_t i, lm_box box)
{
	const lm_collider* item = &work->step->colliders->items[i];
	if (item->solid.shape == LM_SHAPE_PLANE)
	{
		lm_vec3 n = lm_mul_v(item->now.R, lm_v3(0, 1, 0)), o = item->now.position;
		double low = n.x * ((n.x > 0 ? box.low.x : box.high.x) - o.x) +
		             n.y * ((n.y > 0 ? box.low.y : box.high.y) - o.y) +
		             n.z * ((n.z > 0 ? box.low.z : box.high.z) - o.z);
		return low <= 0;
	}
	return lm_box_overlaps(box, work->swept[i]);
}

static bool keep_apart(const lm_touch_body* a, const lm_touch_body* b)
{
	return (a->apart != NULL && a->apart[b->id]) || (b->apart != NULL && b->apart[a->id]);
}

// Which colliders and bodies the points of body a may touch.
static bool find_near(const task* work, const lm_touch_search* search, int32_t a)
{
	const lm_touch_step* step = work->step;
	int32_t colliders = step->colliders ? step->colliders->count : 0;
	bool any = false, focused = step->focus < 0 || step->focus == a;
	const bool* without = step->bodies[a].without;
	for (int32_t i = 0; i < colliders; ++i)
		any |= work->near[i] = focused && !(without != NULL && without[i]) &&
		                       near_collider(work, i, inflate(work->boxes[a], lm_touch_margin(search, a, -1)));
	for (int32_t b = 0; b < step->count; ++b)
		any |= work->near[colliders + b] =
			b != a && (focused || step->focus == b) && !keep_apart(&step->bodies[a], &step->bodies[b]) &&
			step->bodies[a].shape->dimension == step->bodies[b].shape->dimension &&
			lm_box_overlaps(inflate(work->boxes[a], lm_touch_margin(search, a, b)), work->boxes[b]);
	return any;
}

// The way of a sample from the start to now.
static lm_box sample_box(const lm_contact_body* body, const lm_contact_sample* sample)
{
	lm_vec3 p = lm_contact_sample_position(body, sample);
	lm_vec3 q = lm_contact_sample_position_before(body, sample);
	return (lm_box){ lm_min3(p, q), lm_max3(p, q) };
}

static lm_touch_candidate* add_candidate(lm_touches* touches, lm_touch_candidate candidate)
{
	int64_t count = touches->candidate_count;
	lm_touch_candidate* all = room(touches, &touches->candidates, count + 1, sizeof *all);
	if (!all)
		return NULL;
	all[touches->candidate_count++] = candidate;
	return all;
}

// Corners of colliders in the box around the body, numbered behind its samples and carried points: all corners of all
// colliders count.
static bool list_corners(task* work, const lm_touch_search* search, int32_t a)
{
	const lm_touch_step* step = work->step;
	const lm_contact_body* body = step->bodies[a].shape;
	lm_box box = inflate(work->boxes[a], lm_touch_margin(search, a, -1));
	int32_t number = body->sample_count + body->carried_count;
	for (int32_t i = 0; step->colliders && i < step->colliders->count; ++i)
	{
		const lm_collider* item = &step->colliders->items[i];
		int32_t count = lm_collider_corner_count(item, body->dimension);
		for (int32_t k = 0; work->near[i] && k < count; ++k)
		{
			lm_corner corner;
			if (!lm_collider_corner(item, body->dimension, k, &corner))
				continue;
			lm_vec3 p = lm_placement_to_world(&item->now, corner.at);
			if (lm_box_overlaps(inflate((lm_box){ p, p }, corner.radius), box) &&
			    !add_candidate(work->touches, (lm_touch_candidate){ a, number + k, -1, i, k, 0 }))
				return false;
		}
		number += count;
	}
	return true;
}

// Carried points, numbered behind the samples.
static bool list_carried(task* work, const lm_touch_search* search, int32_t a)
{
	const lm_touch_step* step = work->step;
	const lm_contact_body* body = step->bodies[a].shape;
	for (int32_t k = 0; k < body->carried_count; ++k)
	{
		lm_vec3 p = lm_contact_carried_position(&body->carried[k], body->now);
		lm_vec3 q = lm_contact_carried_position(&body->carried[k], body->before);
		lm_box way = inflate((lm_box){ lm_min3(p, q), lm_max3(p, q) }, lm_touch_margin(search, a, -1));
		for (int32_t i = 0; step->colliders && i < step->colliders->count; ++i)
			if (work->near[i] && near_collider(work, i, way) &&
			    !add_candidate(work->touches, (lm_touch_candidate){ a, body->sample_count + k, -1, i, -1, 0 }))
				return false;
	}
	return true;
}

static bool list_candidates(task* work, const lm_touch_search* search, int32_t a)
{
	const lm_touch_step* step = work->step;
	const lm_contact_body* body = step->bodies[a].shape;
	int32_t colliders = step->colliders ? step->colliders->count : 0;
	if (!find_near(work, search, a))
		return true;
	for (int32_t s = 0; s < body->sample_count; ++s)
	{
		const lm_contact_sample* sample = &body->samples[s];
		lm_box way = sample_box(body, sample);
		for (int32_t i = 0; i < colliders; ++i) // points of edges are there for bodies only
			if (work->near[i] && body->carried_count == 0 && sample->weight[1] == 0 &&
			    near_collider(work, i, inflate(way, lm_touch_margin(search, a, -1))) &&
			    !add_candidate(work->touches, (lm_touch_candidate){ a, s, -1, i, -1, 0 }))
				return false;
		for (int32_t b = 0; b < step->count; ++b)
			if (work->near[colliders + b] &&
			    lm_box_overlaps(inflate(way, lm_touch_margin(search, a, b)), work->boxes[b]) &&
			    !add_candidate(work->touches, (lm_touch_candidate){ a, s, b, -1, -1, 0 }))
				return false;
	}
	return list_carried(work, search, a) && list_corners(work, search, a);
}

// ---- touches

typedef struct search_job
{
	const lm_touch_search* search;
	lm_touch_candidate* candidates;
	lm_spring_touch* slots; // LM_TOUCHES_PER_CANDIDATE for each
} search_job;

static void search_range(void* context, int64_t begin, int64_t end)
{
	const search_job* job = context;
	for (int64_t i = begin; i < end; ++i)
		job->candidates[i].found =
			lm_touch_find(job->search, &job->candidates[i], job->slots + LM_TOUCHES_PER_CANDIDATE * i);
}

// Room for all touches in the memories of the bodies, so that the end of the step cannot fail.
static bool reserve_memory(const lm_touch_step* step, const lm_spring_touch* all, int64_t count)
{
	for (int64_t begin = 0, end; begin < count; begin = end)
	{
		for (end = begin; end < count && all[end].a == all[begin].a;)
			++end;
		lm_touch_memory* memory = step->bodies[all[begin].a].memory;
		void* records = memory->records;
		bool grown =
			lm_grow(&memory->host, &records, &memory->capacity, (size_t)(end - begin), sizeof *memory->records);
		memory->records = records;
		if (!grown)
			return false;
	}
	return true;
}

// Fills the list that is not in use.
static bool find_touches(task* work, int64_t* count)
{
	lm_touches* touches = work->touches;
	lm_touch_search search = { work->step, work->before, work->motions, work->depths };
	touches->candidate_count = 0;
	for (int32_t a = 0; a < work->step->count; ++a)
		if (!list_candidates(work, &search, a))
			return false;
	search_job job = { .search = &search, .candidates = touches->candidates.items };
	job.slots = room(touches, &touches->slots, LM_TOUCHES_PER_CANDIDATE * touches->candidate_count, sizeof *job.slots);
	if (!job.slots)
		return false;
	lm_parallel_for(work->step->threads, touches->candidate_count, GRAIN, search_range, &job);
	*count = 0;
	for (int64_t i = 0; i < touches->candidate_count; ++i)
		*count += job.candidates[i].found;
	lm_spring_touch* all = room(touches, &touches->lists[1 - touches->current], *count, sizeof *all);
	if (!all)
		return false;
	*count = 0;
	for (int64_t i = 0; i < touches->candidate_count; ++i)
		for (int32_t k = 0; k < job.candidates[i].found; ++k)
			all[(*count)++] = job.slots[LM_TOUCHES_PER_CANDIDATE * i + k];
	return reserve_memory(work->step, all, *count);
}

static void take_over(lm_touches* touches, int64_t count)
{
	touches->current = 1 - touches->current;
	touches->counts[touches->current] = count;
}

lm_status lm_touches_begin(lm_touches* touches, const lm_touch_step* step, lm_error* error)
{
	assert(step->count >= 0 && step->h > 0);
	task work = { .touches = touches, .step = step };
	int64_t count;
	touches->counts[touches->current] = 0;
	if (!prepare(&work) || !find_touches(&work, &count))
		return lm_fail_memory(error);
	take_over(touches, count);
	return LM_OK;
}

// ---- at the solution

static lm_vec3 point_now(const lm_touch_step* step, const lm_spring_touch* touch)
{
	return lm_touch_point(touch, step->bodies[touch->a].now, touch->b < 0 ? NULL : step->bodies[touch->b].now);
}

static double gap_now(const lm_touch_step* step, const lm_spring_touch* touch)
{
	return lm_feature_distance(&touch->spring.feature, point_now(step, touch), NULL, NULL);
}

// By the point and what it touches: the order of the lists.
static int compare_touches(const lm_spring_touch* l, const lm_spring_touch* r)
{
	int32_t x[4] = { l->a, l->sample, l->b, l->spring.feature.collider };
	int32_t y[4] = { r->a, r->sample, r->b, r->spring.feature.collider };
	for (int k = 0; k < 4; ++k)
		if (x[k] != y[k])
			return x[k] < y[k] ? -1 : 1;
	return 0;
}

static bool same_touch(const lm_touch_step* step, const lm_spring_touch* l, const lm_spring_touch* r)
{
	if (l->face < 0)
		return lm_feature_same(&l->spring.feature, &r->spring.feature, point_now(step, l), l->spring.smoothing);
	return lm_dot(l->spring.normal, r->spring.normal) > SAME_NORMAL &&
	       fabs(gap_now(step, l) - gap_now(step, r)) < SAME_GAP * l->spring.smoothing;
}

// Whether every touch of `all` that pushes has its equal among `others`.
static bool covered(const lm_touch_step* step, const lm_spring_touch* all, int64_t count, const lm_spring_touch* others,
                    int64_t other_count)
{
	int64_t first = 0;
	for (int64_t i = 0; i < count; ++i)
	{
		while (first < other_count && compare_touches(&others[first], &all[i]) < 0)
			++first;
		if (gap_now(step, &all[i]) >= all[i].spring.smoothing)
			continue;
		bool found = false;
		for (int64_t k = first; !found && k < other_count && compare_touches(&others[k], &all[i]) == 0; ++k)
			found = same_touch(step, &all[i], &others[k]);
		if (!found)
			return false;
	}
	return true;
}

lm_status lm_touches_again(lm_touches* touches, const lm_touch_step* step, bool* changed, lm_error* error)
{
	task work = { .touches = touches, .step = step };
	int64_t fresh_count, count;
	*changed = false;
	if (!prepare(&work) || !find_touches(&work, &fresh_count))
		return lm_fail_memory(error);
	const lm_spring_touch *all = lm_touches_list(touches, &count), *fresh = touches->lists[1 - touches->current].items;
	if (covered(step, all, count, fresh, fresh_count) && covered(step, fresh, fresh_count, all, count))
		return LM_OK;
	take_over(touches, fresh_count);
	*changed = true;
	return LM_OK;
}

static lm_touch_record record_of(const lm_touch_step* step, const lm_spring_touch* touch, lm_vec3 q, double gap)
{
	const lm_feature* feature = &touch->spring.feature;
	bool corner = touch->b < 0 && touch->face >= 0;
	lm_touch_record record = { .sample = touch->sample,
		                       .collider = feature->collider,
		                       .other = touch->b < 0 ? -1 : step->bodies[touch->b].id,
		                       .feature = corner ? touch->face : feature->id,
		                       .side = feature->side,
		                       .gap = gap };
	lm_vec3 anchor = lm_spring_slide(&touch->spring, q);
	if (touch->b >= 0)
		anchor = lm_sub(q, anchor);
	else
	{
		const lm_placement* now = &step->colliders->items[feature->collider].now;
		anchor = corner ? lm_tmul_v(now->R, lm_sub(q, anchor)) : lm_placement_to_local(now, anchor);
	}
	lm_v3_store(record.anchor, 0, anchor);
	return record;
}

void lm_touches_end(lm_touches* touches, const lm_touch_step* step)
{
	assert(step->focus < 0);
	int64_t count;
	const lm_spring_touch* all = lm_touches_list(touches, &count);
	for (int32_t i = 0; i < step->count; ++i)
		step->bodies[i].memory->count = 0;
	for (int64_t i = 0; i < count; ++i)
	{
		lm_vec3 q = point_now(step, &all[i]);
		double gap = lm_feature_distance(&all[i].spring.feature, q, NULL, NULL);
		lm_touch_memory* memory = step->bodies[all[i].a].memory;
		if (gap < all[i].spring.smoothing)
			memory->records[memory->count++] = record_of(step, &all[i], q, gap);
	}
}

// ---- islands

static int32_t root_of(int32_t* parent, int32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

int32_t lm_touches_islands(const lm_touches* touches, int32_t body_count, int32_t* island)
{
	int64_t count;
	const lm_spring_touch* all = lm_touches_list(touches, &count);
	for (int32_t i = 0; i < body_count; ++i)
		island[i] = i;
	for (int64_t i = 0; i < count; ++i)
	{
		if (all[i].b < 0)
			continue;
		int32_t a = root_of(island, all[i].a), b = root_of(island, all[i].b);
		island[a > b ? a : b] = a > b ? b : a; // the lowest body is the root
	}
	for (int32_t i = 0; i < body_count; ++i)
		island[i] = root_of(island, i);
	int32_t numbers = 0;
	for (int32_t i = 0; i < body_count; ++i) // roots come before their trees
		island[i] = island[i] == i ? numbers++ : island[island[i]];
	return numbers;
}
