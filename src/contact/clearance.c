// A surface among obstacles, and the barrier of its close pairs; see clearance.h.
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "contact/clearance_parts.h"
#include "contact/gap.h"
#include "mesh/topology.h"

#include <string.h>

#define GRAIN 128 // pairs per chunk

static double distance_of(lm_barrier_kind kind, const lm_vec3 x[4])
{
	return lm_barrier_gap(kind, x).D;
}

static void gather(const double* x, const int32_t v[4], lm_vec3 at[4])
{
	for (int i = 0; i < 4; ++i)
		at[i] = lm_v3_at(x, v[i]);
}

// ---- creation ----------------------------------------------------------------------------------------------------

static void release(lm_primitives* p, const lm_host* host)
{
	lm_free(host, p->vertices);
	lm_box_blocks_release(&p->free), lm_box_blocks_release(&p->fixed);
}

static lm_box box_at(const lm_primitives* p, int32_t i, const double* x)
{
	lm_box box = lm_box_empty();
	for (int k = 0; k < p->corners; ++k)
	{
		lm_vec3 a = lm_v3_at(x, p->vertices[(int64_t)p->corners * i + k]);
		box = lm_box_join(box, (lm_box){ a, a });
	}
	return box;
}

static bool has_free_vertex(const lm_clearance* c, const lm_primitives* p, int32_t i)
{
	bool any = false;
	for (int k = 0; k < p->corners; ++k)
		any = any || p->vertices[(int64_t)p->corners * i + k] < c->free;
	return any;
}

// Blocks of those with a free vertex, and of those without.
static lm_status make_blocks(const lm_clearance* c, lm_primitives* p, const double* x, lm_error* error)
{
	const lm_host* host = &c->host;
	lm_box* boxes = LM_NEW(host, p->count, lm_box);
	int32_t *items = LM_NEW(host, p->count, int32_t), count = 0;
	lm_status status = boxes != NULL && items != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < p->count; ++i)
		boxes[i] = box_at(p, i, x);
	for (int fixed = 0; status == LM_OK && fixed < 2; ++fixed)
	{
		count = 0;
		for (int32_t i = 0; i < p->count; ++i)
			if (has_free_vertex(c, p, i) == (fixed == 0))
				items[count++] = i;
		status = lm_box_blocks_create(items, count, boxes, host, fixed ? &p->fixed : &p->free, error);
	}
	lm_free(host, boxes), lm_free(host, items);
	return status;
}

static lm_status make_candidates(const lm_clearance* c, lm_candidates* s, int32_t vertex_count, bool none,
                                 lm_error* error)
{
	s->vertex_count = vertex_count;
	s->from = LM_NEW(&c->host, 3 * (int64_t)vertex_count, double);
	s->path = LM_NEW(&c->host, 3 * (int64_t)vertex_count, double);
	s->moved = LM_NEW(&c->host, vertex_count, double);
	if (none)
		s->known = true, s->reach = s->slack = INFINITY;
	return s->from != NULL && s->path != NULL && s->moved != NULL ? LM_OK : lm_fail_memory(error);
}

static void release_candidates(lm_candidates* s, const lm_host* host)
{
	lm_free(host, s->from), lm_free(host, s->path), lm_free(host, s->moved);
	for (int i = 0; i < LM_CLEARANCE_PARTS; ++i)
		lm_free(host, s->lists[i].items);
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
	if (shape->bodies != NULL)
	{
		size_t bodies = (size_t)shape->body_count;
		c->body_count = shape->body_count;
		c->bodies = lm_copy(host, shape->bodies, (size_t)shape->vertex_count, sizeof *c->bodies);
		c->apart = lm_copy(host, shape->apart, bodies * bodies, sizeof *c->apart);
		if (c->bodies == NULL || c->apart == NULL)
			return lm_fail_memory(error);
	}
	c->triangles.corners = 3, c->triangles.count = shape->triangle_count;
	c->triangles.vertices = lm_copy(host, shape->triangles, 3 * (size_t)shape->triangle_count, sizeof(int32_t));
	if (c->triangles.vertices == NULL)
		return lm_fail_memory(error);
	lm_status status = find_points(c, error);
	if (status == LM_OK)
		status = find_edges(c, error);
	lm_primitives* all[] = { &c->points, &c->edges, &c->triangles };
	for (int i = 0; status == LM_OK && i < 3; ++i)
		status = make_blocks(c, all[i], shape->rest, error);
	if (status == LM_OK)
		status = make_candidates(c, &c->own, c->free, c->ignore_self, error);
	if (status == LM_OK)
		status = make_candidates(c, &c->others, c->vertex_count, c->points.fixed.count == 0, error);
	if (status != LM_OK)
		return status;
	c->own.among_free = true;
	c->found_at = LM_NEW(host, 3 * (int64_t)c->vertex_count, double);
	c->fades = LM_NEW(host, c->edges.count, double);
	if (c->found_at == NULL || c->fades == NULL)
		return lm_fail_memory(error);
	for (int32_t e = 0; e < c->edges.count; ++e)
	{
		const int32_t* v = c->edges.vertices + 2 * (int64_t)e;
		lm_vec3 along = lm_sub(lm_v3_at(shape->rest, v[1]), lm_v3_at(shape->rest, v[0]));
		c->fades[e] = lm_dot(along, along);
	}
	if (!shape->rests_apart)
		return LM_OK;
	c->rest = lm_copy(host, shape->rest, 3 * (size_t)c->free, sizeof *c->rest);
	return c->rest != NULL ? LM_OK : lm_fail_memory(error);
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
	release_candidates(&clearance->own, &host);
	release_candidates(&clearance->others, &host);
	for (int i = 0; i < 2 * LM_CLEARANCE_PARTS; ++i)
		lm_free(&host, clearance->parts[i].items);
	lm_free(&host, clearance->bodies);
	lm_free(&host, clearance->apart);
	lm_free(&host, clearance->found_at);
	lm_free(&host, clearance->pairs.items);
	lm_free(&host, clearance->fades);
	lm_free(&host, clearance->rest);
	lm_free(&host, clearance->forces);
	lm_free(&host, clearance->partials);
	lm_free(&host, clearance);
}

void lm_clearance_let_through(lm_clearance* c, const bool* marked)
{
	c->let_through = marked;
	c->found_reach = 0;
	c->own.known = c->ignore_self, c->others.known = c->points.fixed.count == 0;
}

// ---- pairs -------------------------------------------------------------------------------------------------------

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

int32_t lm_clearance_pair_count(const lm_clearance* clearance)
{
	return clearance->pairs.count;
}

const lm_close_pair* lm_clearance_pairs(const lm_clearance* clearance)
{
	return clearance->pairs.items;
}

int64_t lm_clearance_searches(const lm_clearance* clearance)
{
	return clearance->searches;
}

bool lm_clearance_room_for_pairs(lm_clearance* c)
{
	lm_free(&c->host, c->forces), lm_free(&c->host, c->partials);
	c->forces = LM_NEW(&c->host, 12 * (int64_t)c->pairs.capacity, double);
	c->partials = LM_NEW(&c->host, lm_chunk_count(c->pairs.capacity, GRAIN), double);
	if (c->forces != NULL && c->partials != NULL)
		return true;
	lm_free(&c->host, c->pairs.items), lm_free(&c->host, c->forces), lm_free(&c->host, c->partials);
	c->pairs = (lm_pair_list){ 0 }, c->forces = NULL, c->partials = NULL;
	return false;
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
	return (lm_barrier_pair){ .kind = pair->kind, .reach = lm_close_pair_reach(pair, reach), .fade = pair->fade };
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
