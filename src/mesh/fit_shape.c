// fit_shape.c: the mesh of the cells drawn onto the surface, the volume of the inside at its vertices, and the surface
// bound to it by the parts that it belongs to.
#include "mesh/closest.h"
#include "mesh/fit.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static const double least_volume = 0.15; // of a tetrahedron's volume in the cell: it may not be drawn in further
static const double sole_height = 0.055; // of the height: what is lower counts for the outline of the sole
static const double highest_sole = 0.3;
static const double least_mass = 0.1; // of the mean: vertices without any would have no equation of motion

enum
{
	rounds = 12,
	half_rounds = 8 // these go half of the way
};

// The way from p to the nearest point of a cube.
static lm_vec3 way_to_cube(const lm_voxels* v, int64_t cube, lm_vec3 p)
{
	lm_vec3 d = lm_sub(lm_voxel_center(v, cube), p);
	double half = v->h / 2, way[3] = { d.x, d.y, d.z };
	for (int c = 0; c < 3; ++c)
		way[c] = copysign(fmax(fabs(way[c]) - half, 0), way[c]);
	return lm_v3(way[0], way[1], way[2]);
}

// Where a vertex shall be: at the nearest cube of its parts. A vertex of the lowest plane stays in it, where something
// of its parts is near the ground.
static lm_vec3 target_of(lm_fit_body* b, int32_t vertex)
{
	lm_vec3 p = lm_v3_at(b->positions, vertex), best = { 0 }, best_low = { 0 };
	double nearest = INFINITY, nearest_low = INFINITY;
	double low = b->ground + fmax(1.01 * b->voxels.h, b->sole_share * b->height);
	for (int64_t k = b->starts[vertex]; k < b->starts[vertex + 1]; ++k)
	{
		const lm_fit_part* part = &b->parts[b->around[k]];
		for (int64_t q = part->first; q < part->first + part->count; ++q)
		{
			lm_vec3 way = way_to_cube(&b->voxels, b->cubes[q], p);
			if (lm_dot(way, way) < nearest)
				nearest = lm_dot(way, way), best = way;
			way.y = 0;
			if (lm_voxel_center(&b->voxels, b->cubes[q]).y < low && lm_dot(way, way) < nearest_low)
				nearest_low = lm_dot(way, way), best_low = way;
		}
	}
	b->sole[vertex] = b->grid[3 * (int64_t)vertex + 1] == 0 && isfinite(nearest_low);
	return lm_add(p, b->sole[vertex] ? best_low : best);
}

static double tet_volume(const lm_fit_body* b, int32_t t)
{
	const int32_t* c = b->tets + 4 * (int64_t)t;
	lm_vec3 x = lm_v3_at(b->positions, c[0]);
	return lm_dot(lm_cross(lm_sub(lm_v3_at(b->positions, c[1]), x), lm_sub(lm_v3_at(b->positions, c[2]), x)),
	              lm_sub(lm_v3_at(b->positions, c[3]), x));
}

// tets_of: the first of the five tetrahedra of each part.
static bool keeps_volume(const lm_fit_body* b, const int32_t* tets_of, const double* smallest, int32_t vertex)
{
	for (int64_t k = b->starts[vertex]; k < b->starts[vertex + 1]; ++k)
	{
		int32_t first = tets_of[b->around[k]];
		for (int32_t t = first; t < first + 5; ++t)
			if (tet_volume(b, t) < smallest[t])
				return false;
	}
	return true;
}

static void move(lm_fit_body* b, const int32_t* tets_of, const double* smallest, int32_t vertex, lm_vec3 target,
                 double share)
{
	lm_vec3 from = lm_v3_at(b->positions, vertex), way = lm_sub(target, from);
	if (!(lm_dot(way, way) > 1e-18 * b->height * b->height))
		return;
	for (int trial = 0; trial < 4; ++trial, share /= 2)
	{
		lm_v3_store(b->positions, vertex, lm_add_scaled(from, share, way));
		if (keeps_volume(b, tets_of, smallest, vertex))
			return;
	}
	lm_v3_store(b->positions, vertex, from);
}

static int32_t* list_tets(const lm_fit_body* b)
{
	int32_t* first = LM_NEW(&b->host, b->part_count, int32_t);
	for (int32_t t = b->tet_count - 1; first != NULL && t >= 0; --t)
		first[b->tet_part[t]] = t;
	return first;
}

// Whether the centre of the inside is above the box of what is lower than a share of the height, well inside it.
static bool carries(const lm_fit_body* b, double share)
{
	lm_vec3 center = { 0 }, low = { INFINITY, 0, INFINITY }, high = { -INFINITY, 0, -INFINITY };
	int64_t count = 0;
	for (int64_t c = 0; c < b->voxels.count; ++c)
	{
		if (b->part[c] < 0 || !b->parts[b->part[c]].kept)
			continue;
		lm_vec3 x = lm_voxel_center(&b->voxels, c);
		center = lm_add(center, x), count++;
		if (x.y < b->ground + share * b->height)
			low = lm_min3(low, x), high = lm_max3(high, x);
	}
	center = lm_scale(count > 0 ? 1.0 / (double)count : 0, center);
	double margin[2] = { 0.2 * (high.x - low.x), 0.2 * (high.z - low.z) };
	return center.x > low.x + margin[0] && center.x < high.x - margin[0] && center.z > low.z + margin[1] &&
	       center.z < high.z - margin[1];
}

// A base that is too small to stand on, such as a chin, is made larger: what is a little higher counts, too.
static void choose_sole(lm_fit_body* b)
{
	b->sole_share = sole_height;
	while (b->figure.foot_count == 0 && b->sole_share < highest_sole && !carries(b, b->sole_share))
		b->sole_share += 0.03;
}

lm_status lm_fit_draw_in(lm_fit_body* b, lm_error* error)
{
	choose_sole(b);
	int32_t* tets_of = list_tets(b);
	double* smallest = LM_NEW(&b->host, b->tet_count, double);
	double* target = LM_NEW(&b->host, 3 * (size_t)b->vertex_count, double);
	b->sole = LM_NEW(&b->host, b->vertex_count, bool);
	bool room = tets_of && smallest && target && b->sole;
	for (int32_t t = 0; room && t < b->tet_count; ++t)
		smallest[t] = least_volume * tet_volume(b, t);
	for (int32_t v = 0; room && v < b->vertex_count; ++v)
		lm_v3_store(target, v, target_of(b, v));
	for (int round = 0; room && round < rounds; ++round)
		for (int32_t i = 0; i < b->vertex_count; ++i)
		{
			int32_t v = round % 2 ? b->vertex_count - 1 - i : i; // neither end always goes first
			move(b, tets_of, smallest, v, lm_v3_at(target, v), round < half_rounds ? 0.5 : 1);
		}
	lm_free(&b->host, tets_of);
	lm_free(&b->host, smallest);
	lm_free(&b->host, target);
	return room ? LM_OK : lm_fail_memory(error);
}

// ---- points in tetrahedra

// How deep p lies in a tetrahedron: its smallest coordinate; below 0 it lies outside.
static double depth_in(const lm_fit_body* b, int32_t t, lm_vec3 p, double weights[4])
{
	const int32_t* c = b->tets + 4 * (int64_t)t;
	if (!lm_tet_barycentrics(p, lm_v3_at(b->positions, c[0]), lm_v3_at(b->positions, c[1]),
	                         lm_v3_at(b->positions, c[2]), lm_v3_at(b->positions, c[3]), weights))
		return -INFINITY;
	return fmin(fmin(weights[0], weights[1]), fmin(weights[2], weights[3]));
}

void lm_fit_share_volume(const lm_fit_body* b, double* volumes)
{
	double cube = b->voxels.h * b->voxels.h * b->voxels.h, sum = 0, now = 0;
	memset(volumes, 0, (size_t)b->vertex_count * sizeof *volumes);
	for (int32_t t = 0; t < b->tet_count; t += 5)
	{
		const lm_fit_part* part = &b->parts[b->tet_part[t]];
		for (int64_t q = part->first; q < part->first + part->count; ++q)
		{
			double best[4] = { 0 }, deepest = -INFINITY, total = 0;
			int32_t in = t;
			for (int32_t k = t; k < t + 5; ++k)
			{
				double weights[4], depth = depth_in(b, k, lm_voxel_center(&b->voxels, b->cubes[q]), weights);
				if (depth > deepest)
					deepest = depth, in = k, memcpy(best, weights, sizeof best);
			}
			for (int i = 0; i < 4; ++i)
				best[i] = fmax(best[i], 0), total += best[i];
			for (int i = 0; i < 4 && total > 0; ++i)
				volumes[b->tets[4 * (int64_t)in + i]] += cube * best[i] / total;
			sum += cube;
		}
	}
	double least = least_mass * sum / b->vertex_count;
	for (int32_t v = 0; v < b->vertex_count; ++v)
		now += volumes[v] = fmax(volumes[v], least);
	for (int32_t v = 0; v < b->vertex_count; ++v)
		volumes[v] *= sum / now;
}

// ---- the surface

static void add_normals(const lm_lattice_surface* s, double* normals)
{
	const lm_mesh* mesh = s->mesh;
	for (int64_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* c = mesh->triangles + 3 * t;
		lm_vec3 a = lm_v3_at(mesh->positions, c[0]);
		lm_vec3 n = lm_cross(lm_sub(lm_v3_at(mesh->positions, c[1]), a), lm_sub(lm_v3_at(mesh->positions, c[2]), a));
		for (int i = 0; i < 3; ++i)
			lm_v3_store(normals, c[i], lm_add_scaled(lm_v3_at(normals, c[i]), s->orientation, n));
	}
}

// The kept cube nearest to p; -1: there is none.
static int64_t nearest_cube(const lm_fit_body* b, lm_vec3 p)
{
	const lm_voxels* v = &b->voxels;
	lm_vec3 at = lm_scale(1 / v->h, lm_sub(p, v->origin));
	int32_t middle[3] = { (int32_t)floor(at.x), (int32_t)floor(at.y), (int32_t)floor(at.z) };
	int32_t most = v->n[0] + v->n[1] + v->n[2];
	int64_t best = -1;
	double nearest = INFINITY;
	for (int32_t reach = 2; best < 0 && reach <= 2 * most; reach *= 2)
	{
		int32_t low[3], high[3];
		for (int c = 0; c < 3; ++c)
		{
			low[c] = middle[c] - reach < 0 ? 0 : middle[c] - reach;
			high[c] = middle[c] + reach >= v->n[c] ? v->n[c] - 1 : middle[c] + reach;
		}
		for (int32_t k = low[2]; k <= high[2]; ++k)
			for (int32_t j = low[1]; j <= high[1]; ++j)
				for (int32_t i = low[0]; i <= high[0]; ++i)
				{
					int64_t cube = lm_voxel_at(v->n, i, j, k);
					if (b->part[cube] < 0 || !b->parts[b->part[cube]].kept)
						continue;
					lm_vec3 d = lm_sub(lm_voxel_center(v, cube), p);
					if (lm_dot(d, d) < nearest)
						nearest = lm_dot(d, d), best = cube;
				}
	}
	return best;
}

// The tetrahedron of a part, or of those around it that it shares vertices with, that p lies in best.
static int32_t best_tet(const lm_fit_body* b, const int32_t* tets_of, int32_t part, lm_vec3 p, double weights[4])
{
	int32_t best = -1;
	double deepest = -INFINITY;
	for (int i = 0; i < 8; ++i)
	{
		int32_t vertex = b->parts[part].node[i];
		for (int64_t k = b->starts[vertex]; k < b->starts[vertex + 1]; ++k)
		{
			uint8_t leg = b->parts[b->around[k]].leg, own = b->parts[part].leg;
			int32_t first = tets_of[b->around[k]];
			for (int32_t t = first; t < first + 5 && (leg == own || leg == 0 || own == 0); ++t)
			{
				double w[4], depth = depth_in(b, t, p, w);
				if (depth > deepest)
					deepest = depth, best = t, memcpy(weights, w, sizeof w);
			}
		}
	}
	return best;
}

lm_status lm_fit_bind(const lm_fit_body* b, const lm_lattice_surface* surface, int32_t* points, double* weights,
                      lm_error* error)
{
	const lm_mesh* mesh = surface->mesh;
	double* normals = LM_NEW(&b->host, 3 * (size_t)mesh->vertex_count, double);
	int32_t* tets_of = list_tets(b);
	bool room = normals != NULL && tets_of != NULL;
	if (room)
		add_normals(surface, normals);
	for (int32_t v = 0; room && v < mesh->vertex_count; ++v)
	{
		// from a little inside, so that what touches something else still finds its own part
		lm_vec3 p = lm_v3_at(mesh->positions, v), n = lm_normalize_or(lm_v3_at(normals, v), lm_v3(0, 0, 0));
		int64_t cube = nearest_cube(b, lm_add_scaled(p, -0.7 * b->voxels.h, n));
		int32_t tet = cube < 0 ? 0 : best_tet(b, tets_of, b->part[cube], p, weights + 4 * (int64_t)v);
		memcpy(points + 4 * (int64_t)v, b->tets + 4 * (int64_t)(tet < 0 ? 0 : tet), 4 * sizeof *points);
		for (int i = 0; i < 4 && (cube < 0 || tet < 0); ++i)
			weights[4 * (int64_t)v + i] = 0.25;
	}
	lm_free(&b->host, normals);
	lm_free(&b->host, tets_of);
	return room ? LM_OK : lm_fail_memory(error);
}
