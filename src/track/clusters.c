// Animation-aware clustering; see clusters.h.
#include "track/clusters.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "math/vec.h"
#include "mesh/topology.h"

#include <string.h>

#define SMALLEST 3 // vertices of a region

// A triangle or a proxy in one frame.
typedef struct facet
{
	lm_vec3 x, n;
	double area; // relative to the whole mesh in that frame
} facet;

// A triangle that could join a region.
typedef struct offer
{
	double error;
	int32_t triangle, region;
} offer;

typedef struct clustering
{
	lm_arena memory;
	int32_t frame_count, vertex_count, triangle_count, regions;
	const int32_t* triangles;
	double compact, scale; // m and 1 / l^2
	facet* facets;         // frame by frame, [frame_count x triangle_count]
	facet* proxies;        // [frame_count x regions]
	double* density;       // [triangle_count] squared: areas of Lloyd's regions go with the root of the weight
	int32_t* neighbours;   // [3 x triangle_count] across edges, -1 at the rim
	int32_t *region, *before, *seeds;
	double* nearest; // [triangle_count] error to the closest seed
	offer* heap;
	int64_t heap_count, heap_capacity;
} clustering;

lm_clusters_settings lm_clusters_settings_default(void)
{
	return (lm_clusters_settings){ .regions = 64, .compact = 0.5, .iterations = 50 };
}

// ---- geometry ----------------------------------------------------------------------------------------------------

static double measure_frame(clustering* c, const double* x, int32_t frame)
{
	double total = 0;
	facet* facets = c->facets + (int64_t)frame * c->triangle_count;
	for (int32_t t = 0; t < c->triangle_count; ++t)
	{
		const int32_t* v = c->triangles + 3 * (int64_t)t;
		lm_vec3 a = lm_v3_at(x, v[0]), b = lm_v3_at(x, v[1]), d = lm_v3_at(x, v[2]);
		lm_vec3 n = lm_cross(lm_sub(b, a), lm_sub(d, a));
		facets[t].x = lm_scale(1.0 / 3, lm_add(a, lm_add(b, d)));
		facets[t].n = lm_normalize_or(n, lm_v3(0, 0, 0));
		facets[t].area = lm_length(n) / 2;
		total += facets[t].area;
	}
	for (int32_t t = 0; t < c->triangle_count; ++t)
		facets[t].area = total > 0 ? facets[t].area / total : 0;
	return total;
}

// e(T, P) over all frames. A frame in which everything has collapsed counts nothing.
static double error_of(const clustering* c, int32_t t, int32_t region)
{
	double most = 0, near = c->compact * c->scale * c->density[t];
	for (int32_t f = 0; f < c->frame_count; ++f)
	{
		const facet *T = c->facets + (int64_t)f * c->triangle_count + t,
					*P = c->proxies + (int64_t)f * c->regions + region;
		lm_vec3 dx = lm_sub(T->x, P->x), dn = lm_sub(T->n, P->n);
		double e = T->area * (near * lm_dot(dx, dx) + (1 - c->compact) * lm_dot(dn, dn));
		most = e > most ? e : most;
	}
	return most;
}

static void set_proxy(clustering* c, int32_t region, int32_t triangle)
{
	for (int32_t f = 0; f < c->frame_count; ++f)
		c->proxies[(int64_t)f * c->regions + region] = c->facets[(int64_t)f * c->triangle_count + triangle];
}

// Means of the regions; one without triangles keeps its proxy.
static void update_proxies(clustering* c)
{
	for (int32_t f = 0; f < c->frame_count; ++f)
	{
		facet *proxies = c->proxies + (int64_t)f * c->regions, *facets = c->facets + (int64_t)f * c->triangle_count;
		for (int32_t r = 0; r < c->regions; ++r)
			proxies[r].area = 0;
		for (int pass = 0; pass < 2; ++pass) // areas, then means
			for (int32_t t = 0; t < c->triangle_count; ++t)
			{
				facet* P = &proxies[c->region[t]];
				if (pass == 0)
				{
					if (P->area == 0)
						P->x = P->n = lm_v3(0, 0, 0);
					P->area += facets[t].area * c->density[t] + 1e-300;
				}
				else
				{
					double share = (facets[t].area * c->density[t] + 1e-300) / P->area;
					P->x = lm_add_scaled(P->x, share, facets[t].x), P->n = lm_add_scaled(P->n, share, facets[t].n);
				}
			}
		for (int32_t r = 0; r < c->regions; ++r)
			proxies[r].n = lm_normalize_or(proxies[r].n, lm_v3(0, 0, 0));
	}
}

// Each seed is the triangle that is worst served by those before; the first is the first.
static void choose_seeds(clustering* c)
{
	for (int32_t t = 0; t < c->triangle_count; ++t)
		c->nearest[t] = INFINITY;
	int32_t next = 0;
	for (int32_t r = 0; r < c->regions; ++r)
	{
		set_proxy(c, r, next);
		c->seeds[r] = next;
		double worst = -1;
		for (int32_t t = 0; t < c->triangle_count; ++t)
		{
			double e = t == next ? -1 : error_of(c, t, r);
			c->nearest[t] = e < c->nearest[t] ? e : c->nearest[t];
			if (c->nearest[t] > worst)
				worst = c->nearest[t], next = t;
		}
	}
}

// ---- growing -----------------------------------------------------------------------------------------------------

// One order for all offers, so that the result is the same every time.
static bool comes_before(const offer* a, const offer* b)
{
	if (a->error != b->error)
		return a->error < b->error;
	return a->triangle != b->triangle ? a->triangle < b->triangle : a->region < b->region;
}

static void push(clustering* c, offer o)
{
	if (c->heap_count == c->heap_capacity)
		return; // cannot be: every triangle is offered at most once per edge, and once as a seed
	int64_t i = c->heap_count++;
	for (; i > 0 && comes_before(&o, &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
		c->heap[i] = c->heap[(i - 1) / 2];
	c->heap[i] = o;
}

static offer pop(clustering* c)
{
	offer top = c->heap[0], last = c->heap[--c->heap_count];
	int64_t i = 0;
	for (int64_t child; (child = 2 * i + 1) < c->heap_count; i = child)
	{
		if (child + 1 < c->heap_count && comes_before(&c->heap[child + 1], &c->heap[child]))
			++child;
		if (!comes_before(&c->heap[child], &last))
			break;
		c->heap[i] = c->heap[child];
	}
	c->heap[i] = last;
	return top;
}

static int32_t closest_region(const clustering* c, int32_t t)
{
	int32_t best = 0;
	double least = INFINITY;
	for (int32_t r = 0; r < c->regions; ++r)
	{
		double e = error_of(c, t, r);
		if (e < least)
			least = e, best = r;
	}
	return best;
}

static void grow(clustering* c)
{
	c->heap_count = 0;
	for (int32_t t = 0; t < c->triangle_count; ++t)
		c->region[t] = -1;
	for (int32_t r = 0; r < c->regions; ++r)
		push(c, (offer){ -1, c->seeds[r], r });
	while (c->heap_count > 0)
	{
		offer o = pop(c);
		if (c->region[o.triangle] >= 0)
			continue;
		c->region[o.triangle] = o.region;
		for (int i = 0; i < 3; ++i)
		{
			int32_t t = c->neighbours[3 * (int64_t)o.triangle + i];
			if (t >= 0 && c->region[t] < 0)
				push(c, (offer){ error_of(c, t, o.region), t, o.region });
		}
	}
	for (int32_t t = 0; t < c->triangle_count; ++t) // pieces of the mesh without a seed
		if (c->region[t] < 0)
			c->region[t] = closest_region(c, t);
}

// The triangle closest to its region's proxy is where it grows from next time.
static void update_seeds(clustering* c)
{
	for (int32_t t = c->triangle_count - 1; t >= 0; --t)
		c->nearest[t] = error_of(c, t, c->region[t]);
	for (int32_t t = 0; t < c->triangle_count; ++t)
	{
		int32_t* seed = &c->seeds[c->region[t]];
		if (c->region[*seed] != c->region[t] || c->nearest[t] < c->nearest[*seed])
			*seed = t;
	}
}

// ---- from triangles to vertices ------------------------------------------------------------------------------------

// The region with most of the area around a vertex.
static void assign_vertices(const clustering* c, const lm_adjacency* around, int32_t* region)
{
	for (int32_t v = 0; v < c->vertex_count; ++v)
	{
		double most = -1;
		region[v] = -1;
		for (int64_t k = around->starts[v]; k < around->starts[v + 1]; ++k)
		{
			int32_t candidate = c->region[around->items[k]];
			double area = 0;
			for (int64_t l = around->starts[v]; l < around->starts[v + 1]; ++l)
				area += c->region[around->items[l]] == candidate ? c->facets[around->items[l]].area : 0;
			if (area > most || (area == most && candidate < region[v]))
				most = area, region[v] = candidate;
		}
	}
}

static void count_vertices(const clustering* c, const int32_t* region, int32_t* counts)
{
	memset(counts, 0, (size_t)c->regions * sizeof *counts);
	for (int32_t v = 0; v < c->vertex_count; ++v)
		if (region[v] >= 0)
			++counts[region[v]];
}

// A vertex of a region that is too small goes to the region of its first neighbour that is in a large enough one.
static void join_small(const clustering* c, const lm_adjacency* around, int32_t* region, int32_t* counts)
{
	for (int32_t v = 0; v < c->vertex_count; ++v)
	{
		if (region[v] < 0 || counts[region[v]] >= SMALLEST)
			continue;
		int32_t target = -1;
		for (int64_t k = around->starts[v]; target < 0 && k < around->starts[v + 1]; ++k)
			for (int i = 0; target < 0 && i < 3; ++i)
			{
				int32_t w = c->triangles[3 * (int64_t)around->items[k] + i];
				target = region[w] >= 0 && counts[region[w]] >= SMALLEST ? region[w] : -1;
			}
		if (target >= 0)
			region[v] = target;
	}
}

// Numbers in the order of the lowest vertices.
static int32_t renumber(const clustering* c, int32_t* region, int32_t* numbers)
{
	int32_t count = 0;
	for (int32_t r = 0; r < c->regions; ++r)
		numbers[r] = -1;
	for (int32_t v = 0; v < c->vertex_count; ++v)
		if (region[v] >= 0)
		{
			if (numbers[region[v]] < 0)
				numbers[region[v]] = count++;
			region[v] = numbers[region[v]];
		}
	return count;
}

// ---- all together ------------------------------------------------------------------------------------------------

// Across edge i (from corner i on) of each triangle the one with the lowest number that shares it.
static void find_neighbours(clustering* c, const lm_adjacency* around)
{
	for (int32_t t = 0; t < c->triangle_count; ++t)
		for (int i = 0; i < 3; ++i)
		{
			const int32_t* v = c->triangles + 3 * (int64_t)t;
			int32_t a = v[i], b = v[(i + 1) % 3], found = -1;
			for (int64_t k = around->starts[a]; found < 0 && k < around->starts[a + 1]; ++k)
			{
				const int32_t* w = c->triangles + 3 * (int64_t)around->items[k];
				if (around->items[k] != t && (w[0] == b || w[1] == b || w[2] == b))
					found = around->items[k];
			}
			c->neighbours[3 * (int64_t)t + i] = found;
		}
}

static bool allocate(clustering* c)
{
	lm_arena* m = &c->memory;
	size_t T = (size_t)c->triangle_count, R = (size_t)c->regions, F = (size_t)c->frame_count;
	c->facets = LM_TAKE(m, F * T, facet);
	c->proxies = LM_TAKE(m, F * R, facet);
	c->density = LM_TAKE(m, T, double);
	c->neighbours = LM_TAKE(m, 3 * T, int32_t);
	c->region = LM_TAKE(m, T, int32_t);
	c->before = LM_TAKE(m, T, int32_t);
	c->seeds = LM_TAKE(m, R, int32_t);
	c->nearest = LM_TAKE(m, T, double);
	c->heap_capacity = (int64_t)(3 * T + R);
	c->heap = LM_TAKE(m, (size_t)c->heap_capacity, offer);
	return c->facets != NULL && c->proxies != NULL && c->density != NULL && c->neighbours != NULL &&
	       c->region != NULL && c->before != NULL && c->seeds != NULL && c->nearest != NULL && c->heap != NULL;
}

static void measure(clustering* c, const double* const* frames, const double* density)
{
	double total = 0;
	for (int32_t f = 0; f < c->frame_count; ++f)
		total += measure_frame(c, frames[f], f) / c->frame_count;
	c->scale = total > 0 ? c->regions / total : 0;
	for (int32_t t = 0; t < c->triangle_count; ++t)
	{
		const int32_t* v = c->triangles + 3 * (int64_t)t;
		double mean = density != NULL ? (density[v[0]] + density[v[1]] + density[v[2]]) / 3 : 1;
		c->density[t] = mean * mean;
	}
}

static void iterate(clustering* c, int32_t iterations)
{
	choose_seeds(c);
	for (int32_t i = 0; i < iterations; ++i)
	{
		grow(c);
		if (i > 0 && memcmp(c->before, c->region, (size_t)c->triangle_count * sizeof *c->region) == 0)
			return;
		memcpy(c->before, c->region, (size_t)c->triangle_count * sizeof *c->region);
		update_proxies(c);
		update_seeds(c);
	}
}

static lm_status run(clustering* c, const double* const* frames, const lm_clusters_settings* settings,
                     const lm_host* host, int32_t* region, int32_t* count, lm_error* error)
{
	lm_adjacency around = { 0 };
	lm_status status =
		lm_topology_elements_of_vertices(c->triangles, c->triangle_count, 3, c->vertex_count, host, &around, error);
	if (status != LM_OK)
		return status;
	if (allocate(c))
	{
		find_neighbours(c, &around);
		measure(c, frames, settings->density);
		iterate(c, settings->iterations);
		assign_vertices(c, &around, region);
		count_vertices(c, region, c->seeds);
		join_small(c, &around, region, c->seeds);
		*count = renumber(c, region, c->seeds);
	}
	else
		status = lm_fail_memory(error);
	lm_adjacency_release(&around, host);
	return status;
}

lm_status lm_clusters_find(const double* const* frames, int32_t frame_count, int32_t vertex_count,
                           const int32_t* triangles, int32_t triangle_count, const lm_clusters_settings* settings,
                           const lm_host* host, int32_t* region, int32_t* count, lm_error* error)
{
	if (settings->regions < 1 || settings->iterations < 1 || !(settings->compact >= 0 && settings->compact <= 1))
		return lm_fail(error, LM_BAD_INPUT,
		               "clustering into %d regions with %d iterations and a bias of %g: regions and "
		               "iterations must be at least 1, the bias between 0 and 1",
		               settings->regions, settings->iterations, settings->compact);
	if (triangle_count < 1 || frame_count < 1)
		return lm_fail(error, LM_BAD_INPUT, "there is no triangle, or no frame, to make regions of");
	for (int32_t v = 0; settings->density != NULL && v < vertex_count; ++v)
		if (!(settings->density[v] > 0) || !isfinite(settings->density[v]))
			return lm_fail(error, LM_BAD_INPUT, "the density of regions at vertex %d is %g, must be above 0", v,
			               settings->density[v]);
	clustering c = { .frame_count = frame_count,
		             .vertex_count = vertex_count,
		             .triangle_count = triangle_count,
		             .triangles = triangles,
		             .compact = settings->compact,
		             .regions = settings->regions < triangle_count ? settings->regions : triangle_count };
	lm_arena_init(&c.memory, host);
	lm_status status = run(&c, frames, settings, host, region, count, error);
	lm_arena_release(&c.memory);
	return status;
}
