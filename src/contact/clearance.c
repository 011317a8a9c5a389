// Close pairs and collision-free steps of a surface among obstacles; see clearance.h.
#include "contact/clearance.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "contact/gap.h"
#include "mesh/box_tree.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

#define PARTS 16  // of the search, each with a list of its own
#define GRAIN 128 // pairs per chunk

typedef struct pair_list
{
	int32_t count, capacity;
	lm_close_pair* items;
	bool full; // out of memory
} pair_list;

// Candidate pairs of a displacement, by number.
typedef struct candidate
{
	lm_barrier_kind kind;
	int32_t one, two;
} candidate;

typedef struct candidate_list
{
	int64_t count, capacity;
	candidate* items;
} candidate_list;

// Points, edges or triangles with their boxes.
typedef struct primitives
{
	int corners;
	int32_t count;
	int32_t* vertices; // count x corners
	lm_box* boxes;
	lm_box_tree tree;
} primitives;

struct lm_clearance
{
	lm_host host;
	int32_t vertex_count, free;
	bool ignore_self;
	primitives points, edges, triangles;
	double* fades; // [edges.count] squared lengths at rest
	pair_list parts[PARTS];
	pair_list pairs;
	candidate_list candidates[PARTS];
	bool sweep_known; // candidates are those of the last displacement
	double sweep_reach;
	double* forces; // [pairs.capacity x 12]
	double* partials;
	int64_t partial_capacity;
};

// ---- creation ----------------------------------------------------------------------------------------------------

// A displacement of the vertices, relative to a common displacement `along`.
typedef struct motion
{
	const double *x, *displacement; // NULL: nothing moves
	lm_vec3 along;
	double far;
} motion;

static lm_box box_at(const primitives* p, int32_t i, const motion* m)
{
	lm_box box = lm_box_empty();
	for (int k = 0; k < p->corners; ++k)
	{
		int32_t v = p->vertices[(int64_t)p->corners * i + k];
		lm_vec3 a = lm_v3_at(m->x, v);
		box = lm_box_join(box, (lm_box){ a, a });
		if (m->displacement == NULL)
			continue;
		lm_vec3 b = lm_add_scaled(a, m->far, lm_sub(lm_v3_at(m->displacement, v), m->along));
		box = lm_box_join(box, (lm_box){ b, b });
	}
	return box;
}

static lm_box inflated(lm_box box, double by)
{
	lm_vec3 r = lm_v3(by, by, by);
	return (lm_box){ lm_sub(box.low, r), lm_add(box.high, r) };
}

typedef struct boxing
{
	primitives* p;
	const motion* m;
	double inflate;
} boxing;

static void make_boxes(void* context, int64_t begin, int64_t end)
{
	const boxing* b = context;
	for (int64_t i = begin; i < end; ++i)
		b->p->boxes[i] = inflated(box_at(b->p, (int32_t)i, b->m), b->inflate);
}

// Boxes of things that are farther apart than reach do not overlap.
static void update(lm_clearance* c, const motion* m, double reach, int threads)
{
	const boxing all[] = { { &c->points, m, 0 }, { &c->triangles, m, reach }, { &c->edges, m, reach / 2 } };
	for (int i = 0; i < 3; ++i)
	{
		lm_parallel_for(threads, all[i].p->count, 1024, make_boxes, (void*)&all[i]);
		lm_box_tree_refit(&all[i].p->tree, all[i].p->boxes);
	}
}

static lm_status build(primitives* p, const double* x, const lm_host* host, lm_error* error)
{
	p->boxes = LM_NEW(host, p->count, lm_box);
	if (p->boxes == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < p->count; ++i)
		p->boxes[i] = box_at(p, i, &(motion){ .x = x });
	return lm_box_tree_create(p->boxes, p->count, host, &p->tree, error);
}

static void release(primitives* p, const lm_host* host)
{
	lm_box_tree_release(&p->tree);
	lm_free(host, p->vertices);
	lm_free(host, p->boxes);
}

// Vertices that triangles use, in order.
static lm_status find_points(lm_clearance* c, lm_error* error)
{
	bool* used = LM_NEW(&c->host, c->vertex_count, bool);
	c->points.vertices = LM_NEW(&c->host, c->vertex_count, int32_t);
	c->points.corners = 1;
	if (used == NULL || c->points.vertices == NULL)
	{
		lm_free(&c->host, used);
		return lm_fail_memory(error);
	}
	for (int64_t k = 0; k < 3 * (int64_t)c->triangles.count; ++k)
		used[c->triangles.vertices[k]] = true;
	for (int32_t v = 0; v < c->vertex_count; ++v)
		if (used[v])
			c->points.vertices[c->points.count++] = v;
	lm_free(&c->host, used);
	return LM_OK;
}

static lm_status find_edges(lm_clearance* c, lm_error* error)
{
	lm_mesh mesh = { .host = c->host,
		             .vertex_count = c->vertex_count,
		             .triangle_count = c->triangles.count,
		             .triangles = c->triangles.vertices };
	lm_adjacency neighbours = { 0 };
	lm_status status = lm_topology_neighbours(&mesh, &c->host, &neighbours, error);
	c->edges.corners = 2;
	if (status == LM_OK)
		status = lm_topology_edges(&neighbours, &c->host, &c->edges.vertices, &c->edges.count, error);
	lm_adjacency_release(&neighbours, &c->host);
	return status;
}

static lm_status fill(lm_clearance* c, const lm_clearance_shape* shape, lm_error* error)
{
	const lm_host* host = &c->host;
	c->triangles.corners = 3, c->triangles.count = shape->triangle_count;
	c->triangles.vertices = lm_copy(host, shape->triangles, 3 * (size_t)shape->triangle_count, sizeof(int32_t));
	if (c->triangles.vertices == NULL)
		return lm_fail_memory(error);
	lm_status status = find_points(c, error);
	if (status == LM_OK)
		status = find_edges(c, error);
	primitives* all[] = { &c->points, &c->edges, &c->triangles };
	for (int i = 0; status == LM_OK && i < 3; ++i)
		status = build(all[i], shape->rest, host, error);
	if (status != LM_OK)
		return status;
	c->fades = LM_NEW(host, c->edges.count, double);
	if (c->fades == NULL)
		return lm_fail_memory(error);
	for (int32_t e = 0; e < c->edges.count; ++e)
	{
		const int32_t* v = c->edges.vertices + 2 * (int64_t)e;
		lm_vec3 along = lm_sub(lm_v3_at(shape->rest, v[1]), lm_v3_at(shape->rest, v[0]));
		c->fades[e] = lm_dot(along, along);
	}
	return LM_OK;
}

lm_status lm_clearance_create(const lm_clearance_shape* shape, const lm_host* host, lm_clearance** clearance,
                              lm_error* error)
{
	lm_clearance* c = LM_NEW(host, 1, lm_clearance);
	if (c == NULL)
		return lm_fail_memory(error);
	c->host = *host, c->vertex_count = shape->vertex_count, c->free = shape->free, c->ignore_self = shape->ignore_self;
	lm_status status = fill(c, shape, error);
	if (status == LM_OK)
		*clearance = c;
	else
		lm_clearance_destroy(c);
	return status;
}

void lm_clearance_destroy(lm_clearance* clearance)
{
	if (clearance == NULL)
		return;
	lm_host host = clearance->host;
	release(&clearance->points, &host);
	release(&clearance->edges, &host);
	release(&clearance->triangles, &host);
	for (int i = 0; i < PARTS; ++i)
		lm_free(&host, clearance->parts[i].items), lm_free(&host, clearance->candidates[i].items);
	lm_free(&host, clearance->pairs.items);
	lm_free(&host, clearance->fades);
	lm_free(&host, clearance->forces);
	lm_free(&host, clearance->partials);
	lm_free(&host, clearance);
}

// ---- searching ---------------------------------------------------------------------------------------------------

// What a search does with candidate pairs: lists close ones, or limits the step.
typedef struct visit
{
	lm_clearance* c;
	const double *x, *displacement;
	double reach;
	lm_barrier_kind kind;
	pair_list* list;
	candidate_list* candidates; // or NULL, when there is no memory for them
	double step;
	const lm_ccd_settings* settings;
} visit;

// The four vertices of a pair; false when they have one in common or none is free.
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
	int movable = (v[0] < c->free) + (v[1] < c->free) + (v[2] < c->free) + (v[3] < c->free);
	return movable > 0 && !(c->ignore_self && movable == 4);
}

static void gather(const double* x, const int32_t v[4], lm_vec3 at[4])
{
	for (int i = 0; i < 4; ++i)
		at[i] = lm_v3_at(x, v[i]);
}

static double distance_of(lm_barrier_kind kind, const lm_vec3 x[4])
{
	return lm_barrier_gap(kind, x).D;
}

static bool grow(const lm_host* host, pair_list* list, int64_t needed)
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

static void list_close(void* context, int32_t one, int32_t two)
{
	visit* s = context;
	lm_close_pair pair = { .kind = s->kind };
	if (!corners_of(s->c, s->kind, one, two, pair.v))
		return;
	lm_vec3 at[4];
	gather(s->x, pair.v, at);
	if (!(distance_of(s->kind, at) < s->reach))
		return;
	if (s->kind == LM_BARRIER_EDGE_EDGE)
		pair.fade = 1e-3 * s->c->fades[one] * s->c->fades[two];
	if (!grow(&s->c->host, s->list, (int64_t)s->list->count + 1))
		s->list->full = true;
	else
		s->list->items[s->list->count++] = pair;
}

static void visit_pairs(visit* s, int32_t part, lm_box_pair_fn* function)
{
	lm_clearance* c = s->c;
	s->kind = LM_BARRIER_POINT_TRIANGLE;
	lm_box_tree_pairs(&c->points.tree, c->points.boxes, &c->triangles.tree, c->triangles.boxes, part, PARTS, function,
	                  s);
	s->kind = LM_BARRIER_EDGE_EDGE;
	lm_box_tree_pairs(&c->edges.tree, c->edges.boxes, &c->edges.tree, c->edges.boxes, part, PARTS, function, s);
}

static void find_parts(void* context, int64_t begin, int64_t end)
{
	for (int64_t part = begin; part < end; ++part)
	{
		visit s = *(visit*)context;
		s.list = &s.c->parts[part];
		s.list->count = 0, s.list->full = false;
		visit_pairs(&s, (int32_t)part, list_close);
	}
}

int lm_close_pair_compare(const void* one, const void* two)
{
	const lm_close_pair *a = one, *b = two;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	for (int i = 0; i < 4; ++i)
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i] ? -1 : 1;
	return 0;
}

// All parts in one list, sorted.
static lm_status join(lm_clearance* c, lm_error* error)
{
	int64_t total = 0;
	bool full = false;
	for (int i = 0; i < PARTS; ++i)
		total += c->parts[i].count, full = full || c->parts[i].full;
	c->pairs.count = 0;
	int32_t before = c->pairs.capacity;
	if (full || !grow(&c->host, &c->pairs, total))
		return lm_fail_memory(error);
	if (c->pairs.capacity > before)
	{
		lm_free(&c->host, c->forces), lm_free(&c->host, c->partials);
		c->forces = LM_NEW(&c->host, 12 * (int64_t)c->pairs.capacity, double);
		c->partials = LM_NEW(&c->host, lm_chunk_count(c->pairs.capacity, GRAIN), double);
		if (c->forces == NULL || c->partials == NULL)
		{
			c->pairs.capacity = 0; // try again next time
			lm_free(&c->host, c->pairs.items), lm_free(&c->host, c->forces), lm_free(&c->host, c->partials);
			c->pairs.items = NULL, c->forces = NULL, c->partials = NULL;
			return lm_fail_memory(error);
		}
	}
	for (int i = 0; i < PARTS; ++i)
		if (c->parts[i].count > 0)
		{
			memcpy(c->pairs.items + c->pairs.count, c->parts[i].items,
			       (size_t)c->parts[i].count * sizeof(lm_close_pair));
			c->pairs.count += c->parts[i].count;
		}
	if (c->pairs.count > 0)
		qsort(c->pairs.items, (size_t)c->pairs.count, sizeof(lm_close_pair), lm_close_pair_compare);
	return LM_OK;
}

lm_status lm_clearance_find(lm_clearance* c, const double* x, double reach, int threads, lm_error* error)
{
	update(c, &(motion){ .x = x }, reach, threads);
	visit s = { .c = c, .x = x, .reach = reach };
	lm_parallel_for(threads, PARTS, 1, find_parts, &s);
	return join(c, error);
}

void lm_clearance_narrow(lm_clearance* c, const double* x, double reach)
{
	int32_t kept = 0;
	for (int32_t i = 0; i < c->pairs.count; ++i)
	{
		lm_vec3 at[4];
		gather(x, c->pairs.items[i].v, at);
		if (distance_of(c->pairs.items[i].kind, at) < reach)
			c->pairs.items[kept++] = c->pairs.items[i];
	}
	c->pairs.count = kept;
}

int32_t lm_clearance_pair_count(const lm_clearance* clearance)
{
	return clearance->pairs.count;
}

const lm_close_pair* lm_clearance_pairs(const lm_clearance* clearance)
{
	return clearance->pairs.items;
}

// ---- steps -------------------------------------------------------------------------------------------------------

static void add_candidate(visit* s, int32_t one, int32_t two)
{
	candidate_list* list = s->candidates;
	if (list != NULL && list->count == list->capacity)
	{
		int64_t capacity = 2 * list->capacity + 256;
		candidate* items = LM_NEW(&s->c->host, capacity, candidate);
		if (items != NULL && list->count > 0)
			memcpy(items, list->items, (size_t)list->count * sizeof *items);
		if (items != NULL)
		{
			lm_free(&s->c->host, list->items);
			list->items = items, list->capacity = capacity;
		}
		else
			s->candidates = list = NULL;
	}
	if (list != NULL)
		list->items[list->count++] = (candidate){ s->kind, one, two };
}

static void limit_step(void* context, int32_t one, int32_t two)
{
	visit* s = context;
	int32_t v[4];
	if (!corners_of(s->c, s->kind, one, two, v))
		return;
	add_candidate(s, one, two);
	if (s->step <= 0)
		return;
	lm_vec3 at[4], displacement[4];
	gather(s->x, v, at), gather(s->displacement, v, displacement);
	s->step = lm_ccd(s->kind, at, displacement, s->step, s->settings);
}

typedef struct step_limits
{
	visit base;
	double steps[PARTS];
	bool known[PARTS];
} step_limits;

static void limit_parts(void* context, int64_t begin, int64_t end)
{
	step_limits* w = context;
	for (int64_t part = begin; part < end; ++part)
	{
		visit s = w->base;
		s.candidates = &s.c->candidates[part];
		s.candidates->count = 0;
		visit_pairs(&s, (int32_t)part, limit_step);
		w->steps[part] = s.step, w->known[part] = s.candidates != NULL;
	}
}

// A common displacement brings nothing closer: the mean one of the free vertices is left out of the boxes.
static lm_vec3 mean_displacement(const lm_clearance* c, const double* displacement)
{
	lm_vec3 sum = lm_v3(0, 0, 0);
	for (int32_t v = 0; v < c->free; ++v)
		sum = lm_add(sum, lm_v3_at(displacement, v));
	return c->free > 0 ? lm_scale(1.0 / c->free, sum) : sum;
}

double lm_clearance_step(lm_clearance* c, const double* x, const double* displacement, double longest, double reach,
                         const lm_ccd_settings* settings, int threads)
{
	// a little more than reach, for rounding
	motion m = { .x = x, .displacement = displacement, .along = mean_displacement(c, displacement), .far = longest };
	update(c, &m, reach * (1 + 1e-6), threads);
	step_limits w = { .base = { .c = c, .x = x, .displacement = displacement, .step = longest, .settings = settings } };
	lm_parallel_for(threads, PARTS, 1, limit_parts, &w);
	double step = longest;
	c->sweep_known = true, c->sweep_reach = reach;
	for (int i = 0; i < PARTS; ++i)
	{
		step = w.steps[i] < step ? w.steps[i] : step;
		c->sweep_known = c->sweep_known && w.known[i];
	}
	return step;
}

static void find_candidates(void* context, int64_t begin, int64_t end)
{
	for (int64_t part = begin; part < end; ++part)
	{
		visit s = *(visit*)context;
		s.list = &s.c->parts[part];
		s.list->count = 0, s.list->full = false;
		const candidate_list* list = &s.c->candidates[part];
		for (int64_t i = 0; i < list->count; ++i)
		{
			s.kind = list->items[i].kind;
			list_close(&s, list->items[i].one, list->items[i].two);
		}
	}
}

lm_status lm_clearance_find_on_path(lm_clearance* c, const double* x, int threads, lm_error* error)
{
	if (!c->sweep_known)
		return lm_clearance_find(c, x, c->sweep_reach, threads, error);
	visit s = { .c = c, .x = x, .reach = c->sweep_reach };
	lm_parallel_for(threads, PARTS, 1, find_candidates, &s);
	return join(c, error);
}

// ---- the barrier of all pairs --------------------------------------------------------------------------------------

typedef struct sweep
{
	const lm_clearance* c;
	const double* x;
	double reach, stiffness;
	double* locals;
} sweep;

static lm_barrier_pair barrier_of(const lm_close_pair* pair, double reach)
{
	return (lm_barrier_pair){ .kind = pair->kind, .reach = reach, .fade = pair->fade };
}

static void sum_energies(void* context, int64_t begin, int64_t end)
{
	sweep* s = context;
	double sum = 0;
	for (int64_t i = begin; i < end; ++i)
	{
		const lm_close_pair* pair = &s->c->pairs.items[i];
		lm_vec3 at[4];
		gather(s->x, pair->v, at);
		lm_barrier_pair barrier = barrier_of(pair, s->reach);
		sum += lm_barrier_energy(&barrier, at, NULL, NULL);
	}
	s->c->partials[begin / GRAIN] = sum;
}

double lm_clearance_energy(const lm_clearance* c, const double* x, double reach, double stiffness, int threads)
{
	sweep s = { .c = c, .x = x, .reach = reach };
	lm_parallel_for(threads, c->pairs.count, GRAIN, sum_energies, &s);
	double sum = 0;
	for (int64_t i = 0; i < lm_chunk_count(c->pairs.count, GRAIN); ++i)
		sum += c->partials[i];
	return stiffness * sum;
}

static void differentiate(void* context, int64_t begin, int64_t end)
{
	sweep* s = context;
	for (int64_t i = begin; i < end; ++i)
	{
		const lm_close_pair* pair = &s->c->pairs.items[i];
		lm_vec3 at[4];
		gather(s->x, pair->v, at);
		lm_barrier_pair barrier = barrier_of(pair, s->reach);
		double *g = s->c->forces + 12 * i, *H = s->locals != NULL ? s->locals + 144 * i : NULL;
		lm_barrier_energy(&barrier, at, g, H);
		for (int k = 0; k < 12; ++k)
			g[k] *= s->stiffness;
		for (int k = 0; H != NULL && k < 144; ++k)
			H[k] *= s->stiffness;
	}
}

void lm_clearance_derivatives(const lm_clearance* c, const double* x, double reach, double stiffness, int threads,
                              double* gradient, double* locals)
{
	sweep s = { .c = c, .x = x, .reach = reach, .stiffness = stiffness, .locals = locals };
	lm_parallel_for(threads, c->pairs.count, GRAIN, differentiate, &s);
	for (int64_t i = 0; i < 12 * (int64_t)c->pairs.count; ++i)
		gradient[3 * (int64_t)c->pairs.items[i / 12].v[i % 12 / 3] + i % 3] += c->forces[i];
}

double lm_clearance_smallest(const lm_clearance* c, const double* x, double reach)
{
	double smallest = reach;
	for (int32_t i = 0; i < c->pairs.count; ++i)
	{
		lm_vec3 at[4];
		gather(x, c->pairs.items[i].v, at);
		double D = distance_of(c->pairs.items[i].kind, at);
		smallest = D < smallest ? D : smallest;
	}
	return smallest;
}
