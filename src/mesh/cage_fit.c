#include "mesh/cage_fit.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/cage_facets.h"
#include "mesh/closest.h"
#include "mesh/topology.h"

#include <string.h>

// Each round all vertices step inwards, then facets that come too close to a sample are pushed out again: one sample
// and facet at a time, its corners in proportion to their shares w of the closest point, x_c += w_c g / sum w^2 n with
// the missing distance g (M. Mueller et al., Position Based Dynamics, 2007, eq. 8). So a vertex can move outwards
// where that lets its neighbours move inwards: the cage shrinks around the body and does not stop at the first contact.
// Steps get shorter towards the end; the smallest valid cage is kept.
enum
{
	rounds = 140,
	full_rounds = 90, // with steps of full length
	push_passes = 3,
	check_every = 5 // rounds
};

static const double step_length = 0.12; // relative to the margin
// A cage is valid with: this share of the margin kept; no facet that has turned farther from its first direction than
// this cosine or shrunk to less than this share of its first size.
static const double least_margin = 0.96, least_cosine = 0.2, least_size = 0.1;

typedef struct fitting
{
	const lm_cage_voxels* voxels;
	const lm_cage_lattice* lattice;
	lm_cage* cage;
	lm_adjacency facets; // of each vertex
	lm_vec3* samples;    // in the order of the voxels,
	int32_t* starts;     // the first of each cell
	lm_vec3* first;      // direction and size of each facet at the start
	lm_vec3* moves;      // of each vertex
	double* best;        // the smallest cage so far
} fitting;

// Outward, as long as twice the area.
static lm_vec3 facet_normal(const lm_cage* cage, int32_t facet)
{
	lm_vec3 a = lm_v3_at(lm_cage_corner(cage, facet, 0), 0), b = lm_v3_at(lm_cage_corner(cage, facet, 1), 0);
	return lm_cross(lm_sub(b, a), lm_sub(lm_v3_at(lm_cage_corner(cage, facet, 2), 0), a));
}

// ---- how far from the body

// The cells that the box from low to high reaches into, first and last along each axis.
static void cells_of(const lm_cage_voxels* voxels, lm_vec3 low, lm_vec3 high, int32_t first[3], int32_t last[3])
{
	const double from[3] = { low.x, low.y, low.z }, to[3] = { high.x, high.y, high.z };
	for (int k = 0; k < 3; ++k)
	{
		double n = voxels->n[k] - 1;
		first[k] = (int32_t)fmin(fmax(floor((from[k] - voxels->low[k]) / voxels->step[k]), 0), n);
		last[k] = (int32_t)fmin(fmax(floor((to[k] - voxels->low[k]) / voxels->step[k]), 0), n);
	}
}

// Sorts the samples into the voxels.
static bool sort_samples(fitting* fit, const lm_host* host)
{
	const lm_cage_voxels* voxels = fit->voxels;
	int64_t cells = lm_cage_voxels_cells(voxels);
	fit->starts = LM_NEW(host, cells + 2, int32_t);
	fit->samples = LM_NEW(host, voxels->sample_count, lm_vec3);
	if (fit->starts == NULL || fit->samples == NULL)
		return false;
	for (int pass = 0; pass < 2; ++pass)
	{
		for (size_t i = 0; i < voxels->sample_count; ++i)
		{
			int32_t p[3], same[3];
			lm_vec3 x = lm_v3_at(voxels->samples, (int64_t)i);
			cells_of(voxels, x, x, p, same);
			int64_t cell = p[0] + voxels->n[0] * (p[1] + (int64_t)voxels->n[1] * p[2]);
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

// Moves the corners of a facet so that it is `distance` away from the samples; with move off, says whether it is.
static bool keep_away(fitting* fit, int32_t facet, double distance, bool move)
{
	const lm_cage_voxels* voxels = fit->voxels;
	lm_vec3 x[3], by = lm_v3(distance, distance, distance);
	int32_t p[3], first[3], last[3];
	for (int c = 0; c < 3; ++c)
		x[c] = lm_v3_at(lm_cage_corner(fit->cage, facet, c), 0);
	lm_vec3 low = lm_sub(lm_min3(x[0], lm_min3(x[1], x[2])), by), high = lm_add(lm_max3(x[0], lm_max3(x[1], x[2])), by);
	cells_of(voxels, low, high, first, last);
	lm_vec3 normal = lm_cross(lm_sub(x[1], x[0]), lm_sub(x[2], x[0]));
	double reach2 = distance * distance * lm_dot(normal, normal);
	for (p[2] = first[2]; p[2] <= last[2]; ++p[2])
		for (p[1] = first[1]; p[1] <= last[1]; ++p[1])
		{
			int64_t row = voxels->n[0] * (p[1] + (int64_t)voxels->n[1] * p[2]);
			for (int32_t i = fit->starts[row + first[0]]; i < fit->starts[row + last[0] + 1]; ++i)
			{
				lm_vec3 q = fit->samples[i];
				double beside = lm_dot(normal, lm_sub(q, x[0]));
				if (beside * beside >= reach2)
					continue;
				lm_closest closest = lm_closest_on_triangle(q, x[0], x[1], x[2]);
				if (closest.distance2 >= distance * distance)
					continue;
				if (!move)
					return false;
				lm_vec3 n = lm_normalize_or(lm_sub(closest.point, q), lm_normalize_or(normal, lm_v3(0, 1, 0)));
				const double* w = closest.weights;
				double push = (distance - sqrt(closest.distance2)) / (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
				for (int c = 0; c < 3; ++c)
					x[c] = lm_add_scaled(x[c], push * w[c], n);
				normal = lm_cross(lm_sub(x[1], x[0]), lm_sub(x[2], x[0]));
				reach2 = distance * distance * lm_dot(normal, normal);
			}
		}
	for (int c = 0; c < 3 && move; ++c)
		lm_v3_store(fit->cage->positions, fit->cage->facets[3 * (int64_t)facet + c], x[c]);
	return true;
}

static bool is_valid(fitting* fit)
{
	for (int32_t f = 0; f < fit->cage->facet_count; ++f)
	{
		lm_vec3 normal = facet_normal(fit->cage, f), first = fit->first[f];
		double size = lm_length(normal), before = lm_length(first);
		int32_t other;
		if (size < least_size * before || lm_dot(normal, first) < least_cosine * size * before ||
		    !keep_away(fit, f, least_margin * fit->voxels->margin, false) ||
		    lm_cage_facet_crosses(fit->cage, f, &other))
			return false;
	}
	return true;
}

// ---- symmetry

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
			fits = fits && (!flip || (fit->voxels->mirrored[k] && p[k] != corner[k]));
		}
		int32_t image = fits ? lattice->index[lm_cage_lattice_place(lattice, p)] : -1;
		if (image < 0)
			continue;
		o.vertices[o.count] = image;
		o.flips[o.count++] = flips;
	}
	return o;
}

// What lies on a mirror plane is its own image.
static bool is_on_plane(const fitting* fit, int32_t vertex, int axis)
{
	return fit->voxels->mirrored[axis] &&
	       2 * fit->lattice->corners[3 * (int64_t)vertex + axis] == fit->lattice->n[axis];
}

// Every vertex at the mean of its mirror images.
static void make_symmetric(fitting* fit)
{
	const lm_cage_voxels* voxels = fit->voxels;
	for (int32_t v = 0; v < fit->cage->vertex_count; ++v)
	{
		orbit o = orbit_of(fit, v);
		for (int k = 0; k < 3; ++k)
		{
			double middle = voxels->low[k] + voxels->step[k] * voxels->n[k] / 2, sum = 0;
			for (int i = 0; i < o.count; ++i)
			{
				double off = fit->cage->positions[3 * (int64_t)o.vertices[i] + k] - middle;
				sum += o.flips[i] >> k & 1 ? -off : off;
			}
			if (is_on_plane(fit, v, k))
				sum = 0;
			for (int i = 0; i < o.count; ++i)
				fit->cage->positions[3 * (int64_t)o.vertices[i] + k] =
					middle + (o.flips[i] >> k & 1 ? -sum : sum) / o.count;
		}
	}
}

// ---- moving

// A step inwards, and a little towards the middle of the neighbours within the surface.
static lm_vec3 wanted_step(const fitting* fit, int32_t vertex)
{
	const lm_cage* cage = fit->cage;
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
	normal = lm_normalize_or(normal, lm_v3(0, 0, 0));
	lm_vec3 along = lm_add_scaled(sum, -lm_dot(sum, normal), normal);
	return lm_add_scaled(lm_scale(-0.9, normal), length > 0 ? 0.4 / length : 0, along);
}

static void shrink(fitting* fit)
{
	lm_cage* cage = fit->cage;
	size_t bytes = 3 * sizeof(double) * (size_t)cage->vertex_count;
	for (int32_t f = 0; f < cage->facet_count; ++f)
		fit->first[f] = facet_normal(cage, f);
	memcpy(fit->best, cage->positions, bytes);
	double smallest = lm_cage_volume(cage), margin = fit->voxels->margin;
	for (int round = 1; round <= rounds; ++round)
	{
		double length = step_length * margin * fmin(1, (double)(rounds - round) / (rounds - full_rounds));
		for (int32_t v = 0; v < cage->vertex_count; ++v)
			fit->moves[v] = wanted_step(fit, v);
		for (int32_t v = 0; v < cage->vertex_count; ++v)
			lm_v3_store(cage->positions, v, lm_add_scaled(lm_v3_at(cage->positions, v), length, fit->moves[v]));
		for (int pass = 0; pass < push_passes; ++pass)
		{
			for (int32_t f = 0; f < cage->facet_count; ++f)
				keep_away(fit, f, margin, true);
			make_symmetric(fit);
		}
		double volume = lm_cage_volume(cage);
		if (round % check_every != 0 || !(volume < smallest) || !is_valid(fit))
			continue;
		smallest = volume;
		memcpy(fit->best, cage->positions, bytes);
	}
	memcpy(cage->positions, fit->best, bytes);
}

lm_status lm_cage_fit(const lm_cage_voxels* voxels, const lm_cage_lattice* lattice, const lm_host* host,
                      lm_error* error)
{
	lm_cage* cage = lattice->cage;
	fitting fit = { .voxels = voxels,
		            .lattice = lattice,
		            .cage = cage,
		            .first = LM_NEW(host, cage->facet_count, lm_vec3),
		            .moves = LM_NEW(host, cage->vertex_count, lm_vec3),
		            .best = LM_NEW(host, 3 * (size_t)cage->vertex_count, double) };
	bool room_enough = sort_samples(&fit, host) && fit.first != NULL && fit.moves != NULL && fit.best != NULL;
	lm_status status = room_enough ? LM_OK : lm_fail_memory(error);
	if (status == LM_OK)
		status = lm_topology_elements_of_vertices(cage->facets, cage->facet_count, 3, cage->vertex_count, host,
		                                          &fit.facets, error);
	if (status == LM_OK)
	{
		shrink(&fit);
		lm_adjacency_release(&fit.facets, host);
	}
	lm_free(host, fit.samples);
	lm_free(host, fit.starts);
	lm_free(host, fit.first);
	lm_free(host, fit.moves);
	lm_free(host, fit.best);
	return status;
}
