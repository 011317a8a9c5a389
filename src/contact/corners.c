#include "contact/corners.h"

#include "base/alloc.h"

#define EDGE_POINTS 3    // between the ends of a sharp edge
#define CORE_POINTS 5    // along the core of a capsule
#define SHARP_COSINE 0.9 // normals beside a sharp edge differ by more

// ---- sharp edges of meshes

static bool is_sharp(const lm_contact_surface* surface, int32_t t, int k)
{
	const lm_facet* facet = &surface->facets[t];
	int32_t other = facet->across[k];
	if (other < 0)
		return !surface->closed; // the rim of a sheet
	if (other < t || lm_dot(facet->face, surface->facets[other].face) > SHARP_COSINE)
		return false;
	lm_vec3 x[3], y[3];
	lm_contact_surface_corners(surface, t, x);
	lm_contact_surface_corners(surface, other, y);
	double beyond = 0; // how far the other triangle rises above this one
	for (int i = 0; i < 3; ++i)
	{
		double height = lm_dot(facet->face, lm_sub(y[i], x[0]));
		beyond = fabs(height) > fabs(beyond) ? height : beyond;
	}
	return !surface->closed || beyond < 0; // sheets have two sides, and one of them is convex
}

static lm_vec3 facing_of(const lm_contact_surface* surface, lm_vec3 pseudo)
{
	lm_vec3 zero = { 0, 0, 0 };
	return surface->closed ? lm_normalize_or(pseudo, zero) : zero;
}

bool lm_contact_surface_find_sharp(lm_contact_surface* surface, const lm_host* host)
{
	int64_t count = 0;
	for (int64_t k = 0; k < 3 * (int64_t)surface->count; ++k)
		count += is_sharp(surface, (int32_t)(k / 3), (int)(k % 3));
	surface->sharp = LM_NEW(host, 3 * count, lm_sharp);
	bool* seen = LM_NEW(host, surface->vertex_count, bool);
	for (int64_t k = 0; surface->sharp && seen && k < 3 * (int64_t)surface->count; ++k)
	{
		int32_t t = (int32_t)(k / 3);
		int corner = (int)(k % 3);
		if (is_sharp(surface, t, corner))
			surface->sharp[surface->sharp_edges++] = (lm_sharp){ surface->triangles[3 * (int64_t)t + corner],
				                                                 surface->triangles[3 * (int64_t)t + (corner + 1) % 3],
				                                                 facing_of(surface, surface->facets[t].edge[corner]) };
	}
	surface->sharp_count = surface->sharp_edges;
	for (int64_t k = 0; surface->sharp && seen && k < 3 * (int64_t)surface->count; ++k)
	{
		int32_t t = (int32_t)(k / 3);
		for (int end = 0; end < 2 && is_sharp(surface, t, (int)(k % 3)); ++end)
		{
			int corner = (int)((k % 3 + end) % 3);
			int32_t v = surface->triangles[3 * (int64_t)t + corner], lowest = surface->merged[v];
			if (!seen[lowest])
				surface->sharp[surface->sharp_count++] =
					(lm_sharp){ v, v, facing_of(surface, surface->facets[t].vertex[corner]) };
			seen[lowest] = true;
		}
	}
	bool done = surface->sharp && seen;
	lm_free(host, seen);
	return done;
}

// ---- edges and corners of boxes

static double sign_of(int bit)
{
	return bit ? 1 : -1;
}

// Edge e runs along axis e / 4, at the signs of the bits of e of the two others.
static void box_edge(lm_vec3 half, int32_t e, lm_vec3 ends[2], lm_vec3* facing)
{
	double h[3] = { half.x, half.y, half.z }, x[3], n[3] = { 0, 0, 0 };
	int along = e / 4, first = (along + 1) % 3, second = (along + 2) % 3;
	n[first] = sign_of(e & 1), n[second] = sign_of(e & 2);
	x[first] = n[first] * h[first], x[second] = n[second] * h[second];
	for (int end = 0; end < 2; ++end)
	{
		x[along] = sign_of(end) * h[along];
		ends[end] = lm_v3(x[0], x[1], x[2]);
	}
	*facing = lm_scale(sqrt(0.5), lm_v3(n[0], n[1], n[2]));
}

static lm_corner box_corner(lm_vec3 half, int32_t i)
{
	lm_vec3 n = lm_v3(sign_of(i & 1), sign_of(i & 2), sign_of(i & 4));
	return (lm_corner){ lm_v3(n.x * half.x, n.y * half.y, n.z * half.z), lm_scale(sqrt(1.0 / 3), n), 0 };
}

// ---- all

static int32_t edge_count(const lm_solid* solid)
{
	return solid->shape == LM_SHAPE_BOX ? 12 : solid->surface->sharp_edges;
}

static void get_edge(const lm_solid* solid, int32_t e, lm_vec3 ends[2], lm_vec3* facing)
{
	if (solid->shape == LM_SHAPE_BOX)
	{
		box_edge(solid->half, e, ends, facing);
		return;
	}
	const lm_sharp* sharp = &solid->surface->sharp[e];
	ends[0] = lm_v3_at(solid->surface->positions, sharp->a), ends[1] = lm_v3_at(solid->surface->positions, sharp->b);
	*facing = sharp->facing;
}

int32_t lm_collider_corner_count(const lm_collider* collider, int dimension)
{
	const lm_solid* solid = &collider->solid;
	switch (solid->shape)
	{
		case LM_SHAPE_PLANE: return 0;
		case LM_SHAPE_SPHERE: return 1;
		case LM_SHAPE_CAPSULE: return CORE_POINTS;
		case LM_SHAPE_BOX: return dimension == 2 ? 12 : 12 * EDGE_POINTS + 8;
		case LM_SHAPE_MESH:
			return dimension == 2 ? solid->surface->sharp_edges
			                      : solid->surface->sharp_edges * EDGE_POINTS +
			                            (solid->surface->sharp_count - solid->surface->sharp_edges);
	}
	return 0;
}

// Where the edge goes through z = 0; an edge that lies in it has no such point.
static bool cut_edge(const lm_collider* collider, int32_t e, lm_corner* corner)
{
	lm_vec3 ends[2];
	get_edge(&collider->solid, e, ends, &corner->facing);
	double a = lm_placement_to_world(&collider->now, ends[0]).z, b = lm_placement_to_world(&collider->now, ends[1]).z;
	if (!((a <= 0 && b > 0) || (a > 0 && b <= 0)))
		return false;
	corner->at = lm_lerp(ends[0], ends[1], a / (a - b));
	corner->radius = 0;
	return true;
}

// A point of the core of a ball or capsule; in the plane its section, if there is one.
static bool core_point(const lm_collider* collider, int dimension, int32_t i, lm_corner* corner)
{
	const lm_solid* solid = &collider->solid;
	double along = solid->shape == LM_SHAPE_SPHERE ? 0 : solid->half_length * (2.0 * i / (CORE_POINTS - 1) - 1);
	*corner = (lm_corner){ .at = { 0, along, 0 }, .radius = solid->radius };
	if (dimension == 3)
		return true;
	lm_vec3 axis = lm_mul_v(collider->now.R, lm_v3(0, 1, 0)), world;
	if (solid->shape == LM_SHAPE_CAPSULE && fabs(axis.z) > 0.5) // upright: where the core goes through
	{
		double cut = -collider->now.position.z / axis.z;
		corner->at.y = fmin(fmax(cut, -solid->half_length), solid->half_length);
		if (i > 0)
			return false;
	}
	world = lm_placement_to_world(&collider->now, corner->at);
	double square = solid->radius * solid->radius - world.z * world.z;
	world.z = 0;
	corner->at = lm_placement_to_local(&collider->now, world);
	corner->radius = sqrt(fmax(square, 0));
	return square > 0;
}

bool lm_collider_corner(const lm_collider* collider, int dimension, int32_t i, lm_corner* corner)
{
	const lm_solid* solid = &collider->solid;
	if (solid->shape == LM_SHAPE_SPHERE || solid->shape == LM_SHAPE_CAPSULE)
		return core_point(collider, dimension, i, corner);
	if (dimension == 2)
		return cut_edge(collider, i, corner);
	int32_t on_edges = EDGE_POINTS * edge_count(solid);
	if (i < on_edges)
	{
		lm_vec3 ends[2];
		get_edge(solid, i / EDGE_POINTS, ends, &corner->facing);
		corner->at = lm_lerp(ends[0], ends[1], (1.0 + i % EDGE_POINTS) / (EDGE_POINTS + 1));
		corner->radius = 0;
	}
	else if (solid->shape == LM_SHAPE_BOX)
		*corner = box_corner(solid->half, i - on_edges);
	else
	{
		const lm_sharp* sharp = &solid->surface->sharp[edge_count(solid) + (i - on_edges)];
		*corner = (lm_corner){ lm_v3_at(solid->surface->positions, sharp->a), sharp->facing, 0 };
	}
	return true;
}
