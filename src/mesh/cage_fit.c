#include "mesh/cage_fit.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/cage_facets.h"
#include "mesh/closest.h"
#include "mesh/topology.h"

#include <string.h>

enum
{
	most_sweeps = 20
};

// Steps, relative to the margin. Samples are a margin apart, thinned ones lie within 0.87 of a kept one: a facet that
// moves less than what is left cannot pass any.
static const double longest_step = 0.12, shortest_step = 0.01;
// A facet may turn until the cosine to its first direction is this, and shrink to this share of its first size.
static const double least_cosine = 0.2, least_size = 0.1;

typedef struct fitting
{
	const lm_cage_room* room;
	const lm_cage_lattice* lattice;
	lm_cage* cage;
	lm_adjacency facets; // of each vertex
	lm_vec3* samples;    // in the order of the room's cells,
	int32_t* starts;     // the first of each cell
	lm_vec3* first;      // direction and size of each facet at the start
	double* steps;       // of each vertex; 0: nothing has moved around it since it could not move
} fitting;

// Outward, as long as twice the area.
static lm_vec3 facet_normal(const lm_cage* cage, int32_t facet)
{
	lm_vec3 a = lm_v3_at(lm_cage_corner(cage, facet, 0), 0), b = lm_v3_at(lm_cage_corner(cage, facet, 1), 0);
	return lm_cross(lm_sub(b, a), lm_sub(lm_v3_at(lm_cage_corner(cage, facet, 2), 0), a));
}

// ---- how far from the body

// The cells that the box from low to high reaches into, first and last along each axis.
static void cells_of(const lm_cage_room* room, lm_vec3 low, lm_vec3 high, int32_t first[3], int32_t last[3])
{
	const double from[3] = { low.x, low.y, low.z }, to[3] = { high.x, high.y, high.z };
	for (int k = 0; k < 3; ++k)
	{
		double n = room->n[k] - 1;
		first[k] = (int32_t)fmin(fmax(floor((from[k] - room->low[k]) / room->step[k]), 0), n);
		last[k] = (int32_t)fmin(fmax(floor((to[k] - room->low[k]) / room->step[k]), 0), n);
	}
}

// Sorts the samples into the cells of the room.
static bool sort_samples(fitting* fit, const lm_host* host)
{
	const lm_cage_room* room = fit->room;
	int64_t cells = lm_cage_room_cells(room);
	fit->starts = LM_NEW(host, cells + 2, int32_t);
	fit->samples = LM_NEW(host, room->sample_count, lm_vec3);
	if (fit->starts == NULL || fit->samples == NULL)
		return false;
	for (int pass = 0; pass < 2; ++pass)
	{
		for (size_t i = 0; i < room->sample_count; ++i)
		{
			int32_t p[3], same[3];
			lm_vec3 x = lm_v3_at(room->samples, (int64_t)i);
			cells_of(room, x, x, p, same);
			int64_t cell = p[0] + room->n[0] * (p[1] + (int64_t)room->n[1] * p[2]);
			if (pass == 0)
				++fit->starts[cell + 2];
			else
				fit->samples[fit->starts[cell + 1]++] = x;
		}
		for (int64_t cell = 0; cell < cells && pass == 0; ++cell)
			fit->starts[cell + 2] += fit->starts[cell + 1];
	}
	return true;
}

static bool keeps_clear(const fitting* fit, int32_t facet)
{
	const lm_cage_room* room = fit->room;
	double margin = room->margin * (1 - 1e-4);
	lm_vec3 x[3], by = lm_v3(margin, margin, margin);
	int32_t p[3], first[3], last[3];
	for (int c = 0; c < 3; ++c)
		x[c] = lm_v3_at(lm_cage_corner(fit->cage, facet, c), 0);
	lm_vec3 low = lm_sub(lm_min3(x[0], lm_min3(x[1], x[2])), by), high = lm_add(lm_max3(x[0], lm_max3(x[1], x[2])), by);
	cells_of(room, low, high, first, last);
	lm_vec3 normal = facet_normal(fit->cage, facet);
	double length = lm_length(normal);
	for (p[2] = first[2]; p[2] <= last[2]; ++p[2])
		for (p[1] = first[1]; p[1] <= last[1]; ++p[1])
		{
			int64_t row = room->n[0] * (p[1] + (int64_t)room->n[1] * p[2]);
			for (int32_t i = fit->starts[row + first[0]]; i < fit->starts[row + last[0] + 1]; ++i)
			{
				lm_vec3 q = fit->samples[i];
				if (fabs(lm_dot(normal, lm_sub(q, x[0]))) < margin * length &&
				    lm_closest_on_triangle(q, x[0], x[1], x[2]).distance2 < margin * margin)
					return false;
			}
		}
	return true;
}

// Distance of a vertex to the closest sample.
static double vertex_distance(const fitting* fit, int32_t vertex)
{
	lm_vec3 x = lm_v3_at(fit->cage->positions, vertex);
	double best = INFINITY;
	for (size_t i = 0; i < fit->room->sample_count; ++i)
	{
		lm_vec3 off = lm_sub(fit->samples[i], x);
		best = fmin(best, lm_dot(off, off));
	}
	return sqrt(best);
}

// ---- moving

static bool facet_is_fine(const fitting* fit, int32_t facet)
{
	lm_vec3 normal = facet_normal(fit->cage, facet), first = fit->first[facet];
	double size = lm_length(normal), before = lm_length(first);
	int32_t other;
	return size >= least_size * before && lm_dot(normal, first) >= least_cosine * size * before &&
	       keeps_clear(fit, facet) && !lm_cage_facet_crosses(fit->cage, facet, &other);
}

// A vertex and its mirror images.
typedef struct orbit
{
	int count;
	int32_t vertices[8];
	int flips[8]; // along which axes, bit by bit
} orbit;

static orbit orbit_of(const fitting* fit, int32_t vertex)
{
	const lm_cage_lattice* lattice = fit->lattice;
	const int32_t* corner = lattice->corners + 3 * (int64_t)vertex;
	orbit o = { 0 };
	for (int flips = 0; flips < 8; ++flips)
	{
		int32_t p[3];
		bool fits = true;
		for (int k = 0; k < 3; ++k)
		{
			bool flip = flips >> k & 1;
			p[k] = flip ? lattice->n[k] - corner[k] : corner[k];
			// on the mirror plane the image is the vertex itself
			fits = fits && (!flip || (fit->room->mirrored[k] && p[k] != corner[k]));
		}
		int32_t image = fits ? lattice->index[lm_cage_lattice_place(lattice, p)] : -1;
		if (image < 0)
			continue;
		o.vertices[o.count] = image;
		o.flips[o.count++] = flips;
	}
	return o;
}

static void move_orbit(fitting* fit, const orbit* o, lm_vec3 by)
{
	const double along[3] = { by.x, by.y, by.z };
	for (int i = 0; i < o->count; ++i)
		for (int k = 0; k < 3; ++k)
			fit->cage->positions[3 * (int64_t)o->vertices[i] + k] += o->flips[i] >> k & 1 ? -along[k] : along[k];
}

// Moves a vertex and its images if that is allowed.
static bool try_move(fitting* fit, const orbit* o, lm_vec3 by)
{
	lm_vec3 before[8];
	for (int i = 0; i < o->count; ++i)
		before[i] = lm_v3_at(fit->cage->positions, o->vertices[i]);
	move_orbit(fit, o, by);
	bool fine = true;
	for (int i = 0; i < o->count && fine; ++i)
	{
		const int64_t* starts = fit->facets.starts + o->vertices[i];
		for (int64_t k = starts[0]; k < starts[1] && fine; ++k)
			fine = facet_is_fine(fit, fit->facets.items[k]);
	}
	for (int i = 0; i < o->count && !fine; ++i)
		lm_v3_store(fit->cage->positions, o->vertices[i], before[i]);
	return fine;
}

// Inward, and a little towards the middle of the neighbours within the surface. Both of unit length at most.
static void wanted_move(const fitting* fit, int32_t vertex, lm_vec3* inward, lm_vec3* along)
{
	const lm_cage* cage = fit->cage;
	const int32_t* corner = fit->lattice->corners + 3 * (int64_t)vertex;
	lm_vec3 normal = lm_v3(0, 0, 0), sum = normal, x = lm_v3_at(cage->positions, vertex);
	double length = 0;
	for (int64_t k = fit->facets.starts[vertex]; k < fit->facets.starts[vertex + 1]; ++k)
	{
		int32_t facet = fit->facets.items[k];
		normal = lm_add(normal, lm_normalize_or(facet_normal(cage, facet), lm_v3(0, 0, 0)));
		for (int c = 0; c < 3; ++c)
		{
			lm_vec3 edge = lm_sub(lm_v3_at(lm_cage_corner(cage, facet, c), 0), x);
			sum = lm_add(sum, edge);
			length += lm_length(edge);
		}
	}
	double out[3] = { normal.x, normal.y, normal.z }, to[3] = { sum.x, sum.y, sum.z };
	for (int k = 0; k < 3; ++k) // what lies on a mirror plane stays there
		if (fit->room->mirrored[k] && 2 * corner[k] == fit->lattice->n[k])
			out[k] = 0, to[k] = 0;
	normal = lm_normalize_or(lm_v3_at(out, 0), lm_v3(0, 0, 0));
	sum = lm_v3_at(to, 0);
	*inward = lm_scale(-1, normal);
	*along = lm_scale(length > 0 ? 1 / length : 0, lm_add_scaled(sum, -lm_dot(sum, normal), normal));
}

// The neighbours of what moved may move again.
static void wake_neighbours(fitting* fit, const orbit* o)
{
	for (int i = 0; i < o->count; ++i)
		for (int64_t k = fit->facets.starts[o->vertices[i]]; k < fit->facets.starts[o->vertices[i] + 1]; ++k)
			for (int c = 0; c < 3; ++c)
			{
				double* step = &fit->steps[fit->cage->facets[3 * (int64_t)fit->facets.items[k] + c]];
				*step = fmax(*step, shortest_step);
			}
}

// Moves every vertex that is farther from the body than `level`. The farthest first: they are then all about equally
// far away, and none bars the way of another.
static bool sweep(fitting* fit, double level)
{
	bool moved = false;
	for (int32_t v = 0; v < fit->cage->vertex_count; ++v)
	{
		orbit o = orbit_of(fit, v);
		double* step = &fit->steps[v];
		bool lowest = true;
		for (int i = 0; i < o.count; ++i)
			lowest = lowest && o.vertices[i] >= v;
		if (!lowest || *step == 0 || vertex_distance(fit, v) <= level)
			continue;
		lm_vec3 inward, along;
		wanted_move(fit, v, &inward, &along);
		double length = *step * fit->room->margin;
		if (try_move(fit, &o, lm_scale(length, lm_add(lm_scale(0.9, inward), lm_scale(0.4, along)))) ||
		    try_move(fit, &o, lm_scale(length, inward)))
		{
			moved = true;
			*step = fmin(1.5 * *step, longest_step);
			wake_neighbours(fit, &o);
		}
		else
			*step = *step > shortest_step ? fmax(0.5 * *step, shortest_step) : 0;
	}
	return moved;
}

static void draw_in(fitting* fit)
{
	double farthest = 0, margin = fit->room->margin;
	for (int32_t f = 0; f < fit->cage->facet_count; ++f)
		fit->first[f] = facet_normal(fit->cage, f);
	for (int32_t v = 0; v < fit->cage->vertex_count; ++v)
	{
		fit->steps[v] = longest_step;
		farthest = fmax(farthest, vertex_distance(fit, v));
	}
	for (double level = farthest; level > margin; level -= 0.8 * longest_step * margin)
		sweep(fit, level);
	for (int i = 0; i < most_sweeps && sweep(fit, margin); ++i)
		continue;
}

lm_status lm_cage_fit(const lm_cage_room* room, const lm_cage_lattice* lattice, const lm_host* host, lm_error* error)
{
	lm_cage* cage = lattice->cage;
	fitting fit = { .room = room,
		            .lattice = lattice,
		            .cage = cage,
		            .first = LM_NEW(host, cage->facet_count, lm_vec3),
		            .steps = LM_NEW(host, cage->vertex_count, double) };
	bool room_enough = sort_samples(&fit, host) && fit.first != NULL && fit.steps != NULL;
	lm_status status = room_enough ? LM_OK : lm_fail_memory(error);
	if (status == LM_OK)
		status = lm_topology_elements_of_vertices(cage->facets, cage->facet_count, 3, cage->vertex_count, host,
		                                          &fit.facets, error);
	if (status == LM_OK)
	{
		draw_in(&fit);
		lm_adjacency_release(&fit.facets, host);
	}
	lm_free(host, fit.samples);
	lm_free(host, fit.starts);
	lm_free(host, fit.first);
	lm_free(host, fit.steps);
	return status;
}
