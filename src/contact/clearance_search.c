// Which pairs are close, and how far everything may move; see clearance.h.
//
// A search lists candidates: all pairs that can come closer than `reach` while the vertices are within `slack` of a
// path from + s path (0 <= s <= 1, the same for all), whatever translation all of them share. A pair at the distance D
// approaches by no more than its vertices move relative to each other, so that those with
//
//     D >= reach + approach + 2 slack
//
// are left out. The candidates serve until a vertex leaves the path by more than slack; then a new search is made. With
// m_i how far vertex i is from where the path began, the distance of a pair is at least D - m_i - m_j, which tells for
// most candidates that they are far without measuring them. What is found does not depend on which search found it.
//
// Pairs of the cloth with itself and with obstacles are searched apart: obstacles that move concern only the latter.
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "contact/clearance_parts.h"
#include "contact/gap.h"

#include <math.h>
#include <string.h>

#define PARTS LM_CLEARANCE_PARTS
#define BOXES 1024 // per chunk

static const double rounding = 1e-6; // of the reach

static void gather(const double* x, const int32_t v[4], lm_vec3 at[4])
{
	for (int i = 0; i < 4; ++i)
		at[i] = lm_v3_at(x, v[i]);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

// ---- boxes -------------------------------------------------------------------------------------------------------

// Boxes of a list of primitives over the path, larger by `inflate`, relative to an origin nearby.
typedef struct boxing
{
	const lm_candidates* candidates;
	const lm_primitives* p;
	lm_box_blocks* blocks;
	lm_vec3 origin;
	double inflate;
} boxing;

static void make_boxes(void* context, int64_t begin, int64_t end)
{
	const boxing* b = context;
	lm_vec3 r = lm_v3(b->inflate, b->inflate, b->inflate);
	for (int64_t place = begin; place < end; ++place)
	{
		const int32_t* v = b->p->vertices + (int64_t)b->p->corners * b->blocks->items[place];
		lm_box box = lm_box_empty();
		for (int k = 0; k < b->p->corners; ++k)
		{
			lm_vec3 first = lm_sub(lm_v3_at(b->candidates->from, v[k]), b->origin);
			lm_vec3 last = lm_add(first, lm_v3_at(b->candidates->path, v[k]));
			box = lm_box_join(box, lm_box_join((lm_box){ first, first }, (lm_box){ last, last }));
		}
		lm_box_blocks_set(b->blocks, (int32_t)place, (lm_box){ lm_sub(box.low, r), lm_add(box.high, r) });
	}
}

// Boxes of things that are farther apart than reach and twice the slack do not overlap.
static void update_boxes(lm_clearance* c, const lm_candidates* s, int threads)
{
	double far = s->reach * (1 + rounding) + 2 * s->slack;
	lm_vec3 origin = lm_v3_at(s->from, 0);
	boxing all[] = {
		{ s, &c->points, &c->points.free, origin, 0 },          { s, &c->triangles, &c->triangles.free, origin, far },
		{ s, &c->edges, &c->edges.free, origin, far / 2 },      { s, &c->points, &c->points.fixed, origin, 0 },
		{ s, &c->triangles, &c->triangles.fixed, origin, far }, { s, &c->edges, &c->edges.fixed, origin, far / 2 }
	};
	for (int i = 0; i < (s->among_free ? 3 : 6); ++i)
	{
		lm_parallel_for(threads, all[i].blocks->count, BOXES, make_boxes, &all[i]);
		lm_box_blocks_fit(all[i].blocks);
	}
}

// ---- candidates --------------------------------------------------------------------------------------------------

typedef struct visit
{
	const lm_clearance* c;
	const lm_candidates* s;
	lm_barrier_kind kind;
	lm_candidate_list* list;
} visit;

// The four vertices of a pair; false when they have one in common, none is free, or they do not touch.
static bool corners_of(const lm_clearance* c, lm_barrier_kind kind, int32_t one, int32_t two, int32_t v[4])
{
	if (kind == LM_BARRIER_POINT_TRIANGLE)
	{
		v[0] = c->points.vertices[one];
		memcpy(v + 1, c->triangles.vertices + 3 * (int64_t)two, 3 * sizeof *v);
		if (v[0] == v[1] || v[0] == v[2] || v[0] == v[3])
			return false;
	}
	else
	{
		int32_t low = one < two ? one : two, high = one < two ? two : one;
		memcpy(v, c->edges.vertices + 2 * (int64_t)low, 2 * sizeof *v);
		memcpy(v + 2, c->edges.vertices + 2 * (int64_t)high, 2 * sizeof *v);
		if (v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3])
			return false;
	}
	// the first vertex is of one side, the last of the other
	const bool* through = c->let_through;
	bool same_body = c->bodies == NULL || c->bodies[v[0]] == c->bodies[v[3]];
	if (c->bodies != NULL && c->apart[(int64_t)c->body_count * c->bodies[v[0]] + c->bodies[v[3]]])
		return false;
	if (through != NULL && same_body && through[v[0]] && through[v[1]] && through[v[2]] && through[v[3]])
		return false;
	int movable = (v[0] < c->free) + (v[1] < c->free) + (v[2] < c->free) + (v[3] < c->free);
	return movable > 0 && !(c->ignore_self && movable == 4);
}

// Whether both are farther apart than `near` along the line between their middles: quicker than their distance, and
// enough for most that are next to each other in a surface. With d from the middle of one to that of the other, what
// lies between them along d is, times |d|, |d|^2 less half of what each edge extends along d; or the least of the
// corners.
static bool are_apart(lm_barrier_kind kind, const lm_vec3 x[4], double near)
{
	if (kind == LM_BARRIER_EDGE_EDGE)
	{
		lm_vec3 u = lm_sub(x[1], x[0]), v = lm_sub(x[3], x[2]);
		lm_vec3 d = lm_sub(lm_add_scaled(x[2], 0.5, v), lm_add_scaled(x[0], 0.5, u));
		double dd = lm_dot(d, d), between = dd - 0.5 * (fabs(lm_dot(d, u)) + fabs(lm_dot(d, v)));
		return between > 0 && between * between >= near * near * dd;
	}
	lm_vec3 a = lm_sub(x[1], x[0]), b = lm_sub(x[2], x[0]), c = lm_sub(x[3], x[0]);
	lm_vec3 d = lm_scale(1.0 / 3, lm_add(a, lm_add(b, c)));
	double between = smaller(lm_dot(d, a), smaller(lm_dot(d, b), lm_dot(d, c)));
	return between > 0 && between * between >= near * near * lm_dot(d, d);
}

// INFINITY where it counts for nothing, as that is not below reach.
static double rest_distance(const lm_clearance* c, lm_barrier_kind kind, const int32_t v[4], double reach)
{
	bool same_body = c->bodies == NULL || c->bodies[v[0]] == c->bodies[v[3]];
	if (c->rest == NULL || !same_body || v[0] >= c->free || v[3] >= c->free)
		return INFINITY;
	lm_vec3 x[4];
	gather(c->rest, v, x);
	return are_apart(kind, x, reach) ? INFINITY : lm_barrier_gap(kind, x).D;
}

static bool make_room(const lm_host* host, lm_candidate_list* list)
{
	if (list->count < list->capacity)
		return true;
	int64_t capacity = 2 * list->capacity + 256;
	lm_candidate* items = LM_NEW(host, capacity, lm_candidate);
	if (items == NULL)
		return false;
	if (list->count > 0)
		memcpy(items, list->items, (size_t)list->count * sizeof *items);
	lm_free(host, list->items);
	list->items = items, list->capacity = capacity;
	return true;
}

static void add_candidate(void* context, int32_t one, int32_t two)
{
	const visit* w = context;
	lm_candidate candidate = { .pair.kind = w->kind };
	if (!corners_of(w->c, w->kind, one, two, candidate.pair.v))
		return;
	lm_vec3 x[4], path[4];
	gather(w->s->from, candidate.pair.v, x), gather(w->s->path, candidate.pair.v, path);
	double near = (w->s->reach * (1 + rounding) + 2 * w->s->slack + lm_ccd_approach(w->kind, path)) * (1 + 1e-9);
	if (are_apart(w->kind, x, near))
		return;
	candidate.D = lm_barrier_gap(w->kind, x).D;
	if (candidate.D >= near)
		return;
	if (w->kind == LM_BARRIER_EDGE_EDGE)
		candidate.pair.fade = 1e-3 * w->c->fades[one] * w->c->fades[two];
	candidate.pair.rest = rest_distance(w->c, w->kind, candidate.pair.v, w->s->reach);
	if (make_room(&w->c->host, w->list))
		w->list->items[w->list->count++] = candidate;
	else
		w->list->full = true;
}

typedef struct search
{
	const lm_clearance* c;
	lm_candidates* s;
} search;

static void search_parts(void* context, int64_t begin, int64_t end)
{
	const search* a = context;
	const lm_clearance* c = a->c;
	for (int64_t k = begin; k < end; ++k)
	{
		int32_t part = (int32_t)k;
		visit w = { .c = c, .s = a->s, .kind = LM_BARRIER_POINT_TRIANGLE, .list = &a->s->lists[part] };
		lm_simd simd = c->host.simd;
		w.list->count = 0, w.list->full = false;
		if (a->s->among_free)
		{
			lm_box_blocks_pairs(&c->points.free, &c->triangles.free, part, PARTS, simd, add_candidate, &w);
			w.kind = LM_BARRIER_EDGE_EDGE;
			lm_box_blocks_pairs(&c->edges.free, &c->edges.free, part, PARTS, simd, add_candidate, &w);
			continue;
		}
		lm_box_blocks_pairs(&c->points.free, &c->triangles.fixed, part, PARTS, simd, add_candidate, &w);
		lm_box_blocks_pairs(&c->points.fixed, &c->triangles.free, part, PARTS, simd, add_candidate, &w);
		w.kind = LM_BARRIER_EDGE_EDGE;
		lm_box_blocks_pairs(&c->edges.free, &c->edges.fixed, part, PARTS, simd, add_candidate, &w);
	}
}

// Where vertices go: x + far displacement (NULL: they stay).
typedef struct motion
{
	const double *x, *displacement;
	double far;
} motion;

static lm_vec3 displacement_of(const motion* m, int32_t v)
{
	return m->displacement != NULL ? lm_scale(m->far, lm_v3_at(m->displacement, v)) : lm_v3(0, 0, 0);
}

// A displacement that is common to all brings nothing closer: the mean one of the free vertices is left out.
static void set_path(const lm_clearance* c, lm_candidates* s, const motion* m)
{
	memcpy(s->from, m->x, 3 * (size_t)s->vertex_count * sizeof(double));
	lm_vec3 mean = lm_v3(0, 0, 0);
	for (int32_t v = 0; v < c->free; ++v)
		mean = lm_add_scaled(mean, 1.0 / c->free, displacement_of(m, v));
	for (int32_t v = 0; v < s->vertex_count; ++v)
		lm_v3_store(s->path, v, lm_sub(displacement_of(m, v), mean));
}

static lm_status find_candidates(lm_clearance* c, lm_candidates* s, const motion* m, double reach, double slack,
                                 int threads, lm_error* error)
{
	s->known = false, s->reach = reach, s->slack = slack;
	set_path(c, s, m);
	update_boxes(c, s, threads);
	lm_parallel_for(threads, PARTS, 1, search_parts, &(search){ c, s });
	++c->searches;
	for (int i = 0; i < PARTS; ++i)
		if (s->lists[i].full)
			return lm_fail_memory(error);
	s->known = true;
	return LM_OK;
}

// ---- whether they suffice ----------------------------------------------------------------------------------------

// The place of a vertex relative to where the path begins.
static lm_vec3 move_of(const lm_candidates* s, const motion* m, int32_t v)
{
	return lm_add(lm_sub(lm_v3_at(m->x, v), lm_v3_at(s->from, v)), displacement_of(m, v));
}

// How far vertices are from where the path begins when the motion is over, without what all of them share; the larger
// of that and what was there, when `more`. False when one is off the path.
static bool measure_moves(const lm_clearance* c, lm_candidates* s, const motion* m, bool more)
{
	lm_vec3 shift = lm_v3(0, 0, 0);
	for (int32_t v = 0; v < c->free; ++v)
		shift = lm_add_scaled(shift, 1.0 / c->free, move_of(s, m, v));
	double along = 0, all = 1e-300, off = 0;
	for (int32_t v = 0; v < s->vertex_count; ++v)
	{
		lm_vec3 path = lm_v3_at(s->path, v), move = lm_sub(move_of(s, m, v), shift);
		along += lm_dot(move, path), all += lm_dot(path, path);
		double length = lm_length(move);
		s->moved[v] = more ? larger(s->moved[v], length) : length;
	}
	double fraction = fmin(1, fmax(0, along / all));
	for (int32_t v = 0; v < s->vertex_count; ++v)
	{
		lm_vec3 left = lm_add_scaled(lm_sub(move_of(s, m, v), shift), -fraction, lm_v3_at(s->path, v));
		off = larger(off, lm_dot(left, left));
	}
	return off <= s->slack * s->slack;
}

// Whether the candidates suffice from where a motion begins to where it ends. Measures both.
static bool covers(const lm_clearance* c, lm_candidates* s, const motion* m, double reach)
{
	const motion begin = { m->x, NULL, 0 };
	if (!s->known || reach > s->reach || !measure_moves(c, s, &begin, false))
		return false;
	return m->displacement == NULL || measure_moves(c, s, m, true);
}

static lm_status cover(lm_clearance* c, const motion* m, double reach, double slack, int threads, lm_error* error)
{
	lm_candidates* all[] = { &c->own, &c->others };
	lm_status status = LM_OK;
	for (int i = 0; status == LM_OK && i < 2; ++i)
		if (!covers(c, all[i], m, reach))
		{
			status = find_candidates(c, all[i], m, reach, slack, threads, error);
			covers(c, all[i], m, reach);
		}
	return status;
}

// The distance of a candidate at the places that were measured is at least this.
static double least_distance(const lm_candidates* s, const lm_candidate* candidate)
{
	const int32_t* v = candidate->pair.v;
	const double* m = s->moved;
	double far = candidate->pair.kind == LM_BARRIER_EDGE_EDGE ? larger(m[v[0]], m[v[1]]) + larger(m[v[2]], m[v[3]])
	                                                          : m[v[0]] + larger(m[v[1]], larger(m[v[2]], m[v[3]]));
	return candidate->D - far * (1 + 1e-12) - rounding * s->reach;
}

// ---- close pairs -------------------------------------------------------------------------------------------------

static bool grow(const lm_host* host, lm_pair_list* list, int64_t needed)
{
	if (needed <= list->capacity)
		return true;
	int64_t capacity = needed + needed / 2 + 64;
	lm_close_pair* items = capacity < INT32_MAX ? LM_NEW(host, capacity, lm_close_pair) : NULL;
	if (items == NULL)
		return false;
	if (list->count > 0)
		memcpy(items, list->items, (size_t)list->count * sizeof *items);
	lm_free(host, list->items);
	list->items = items, list->capacity = (int32_t)capacity;
	return true;
}

typedef struct look
{
	lm_clearance* c;
	const double* x;
	double reach;
} look;

// Parts of pairs with itself first, then of those with others.
static void find_parts(void* context, int64_t begin, int64_t end)
{
	const look* l = context;
	for (int64_t part = begin; part < end; ++part)
	{
		const lm_candidates* s = part < PARTS ? &l->c->own : &l->c->others;
		const lm_candidate_list* from = &s->lists[part % PARTS];
		lm_pair_list* to = &l->c->parts[part];
		to->count = 0, to->full = false;
		for (int64_t i = 0; i < from->count && !to->full; ++i)
		{
			const lm_candidate* candidate = &from->items[i];
			if (least_distance(s, candidate) >= l->reach)
				continue;
			lm_vec3 x[4];
			gather(l->x, candidate->pair.v, x);
			if (!(lm_barrier_gap(candidate->pair.kind, x).D < lm_close_pair_reach(&candidate->pair, l->reach)))
				continue;
			to->full = !grow(&l->c->host, to, (int64_t)to->count + 1);
			if (!to->full)
				to->items[to->count++] = candidate->pair;
		}
	}
}

// All parts in one list.
static lm_status join(lm_clearance* c, lm_error* error)
{
	int64_t total = 0;
	bool full = false;
	for (int i = 0; i < 2 * PARTS; ++i)
		total += c->parts[i].count, full = full || c->parts[i].full;
	c->pairs.count = 0;
	int32_t before = c->pairs.capacity;
	if (full || !grow(&c->host, &c->pairs, total))
		return lm_fail_memory(error);
	if (c->pairs.capacity > before && !lm_clearance_room_for_pairs(c))
		return lm_fail_memory(error);
	for (int i = 0; i < 2 * PARTS; ++i)
		if (c->parts[i].count > 0)
		{
			memcpy(c->pairs.items + c->pairs.count, c->parts[i].items,
			       (size_t)c->parts[i].count * sizeof(lm_close_pair));
			c->pairs.count += c->parts[i].count;
		}
	return LM_OK;
}

lm_status lm_clearance_find(lm_clearance* c, const double* x, double reach, int threads, lm_error* error)
{
	size_t bytes = 3 * (size_t)c->vertex_count * sizeof *x;
	if (c->found_reach == reach && memcmp(c->found_at, x, bytes) == 0)
		return LM_OK;
	c->found_reach = 0;
	lm_status status = cover(c, &(motion){ x, NULL, 0 }, reach, 0, threads, error);
	if (status == LM_OK)
	{
		lm_parallel_for(threads, 2 * PARTS, 1, find_parts, &(look){ c, x, reach });
		status = join(c, error);
	}
	if (status == LM_OK)
		memcpy(c->found_at, x, bytes), c->found_reach = reach;
	return status;
}

// ---- steps -------------------------------------------------------------------------------------------------------

typedef struct limit
{
	const lm_clearance* c;
	const double *x, *displacement;
	double longest, reach;
	const lm_ccd_settings* settings;
	double steps[2 * PARTS];
} limit;

static void limit_parts(void* context, int64_t begin, int64_t end)
{
	limit* l = context;
	for (int64_t part = begin; part < end; ++part)
	{
		const lm_candidates* s = part < PARTS ? &l->c->own : &l->c->others;
		const lm_candidate_list* list = &s->lists[part % PARTS];
		double step = l->longest;
		for (int64_t i = 0; i < list->count && step > 0; ++i)
		{
			const lm_candidate* candidate = &list->items[i];
			if (least_distance(s, candidate) >= l->reach)
				continue;
			lm_vec3 x[4], displacement[4];
			gather(l->x, candidate->pair.v, x), gather(l->displacement, candidate->pair.v, displacement);
			lm_ccd_settings settings = *l->settings;
			settings.near = lm_close_pair_reach(&candidate->pair, l->reach);
			settings.floor *= settings.near / l->reach;
			step = lm_ccd(candidate->pair.kind, x, displacement, step, &settings);
		}
		l->steps[part] = step;
	}
}

lm_status lm_clearance_step(lm_clearance* c, const double* x, const double* displacement, double longest, double reach,
                            double slack, const lm_ccd_settings* settings, int threads, double* fraction,
                            lm_error* error)
{
	*fraction = 0;
	lm_status status = cover(c, &(motion){ x, displacement, longest }, reach, slack, threads, error);
	if (status != LM_OK)
		return status;
	limit l = { c, x, displacement, longest, reach, settings, { 0 } };
	lm_parallel_for(threads, 2 * PARTS, 1, limit_parts, &l);
	*fraction = longest;
	for (int i = 0; i < 2 * PARTS; ++i)
		*fraction = l.steps[i] < *fraction ? l.steps[i] : *fraction;
	return LM_OK;
}
