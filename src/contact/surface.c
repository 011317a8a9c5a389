// surface.c: signed distance to triangle meshes.
//
// The sign is that of (p - c) . N, where c is the nearest point and N the pseudo-normal of the feature it lies on: the
// face normal, the sum of the normals of the faces at an edge, or the sum weighted by angles at a vertex (Baerentzen
// and Aanaes 2005, "Signed distance computation using the angle weighted pseudonormal"). Vertices at the same place
// are one, so that split vertices (STL, texture seams) leave no gaps.
#include "contact/surface.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

// ---- making

typedef struct spot
{
	lm_vec3 p;
	int32_t index;
} spot;

static int compare_spots(const void* a, const void* b)
{
	const spot *l = a, *r = b;
	if (l->p.x != r->p.x)
		return l->p.x < r->p.x ? -1 : 1;
	if (l->p.y != r->p.y)
		return l->p.y < r->p.y ? -1 : 1;
	if (l->p.z != r->p.z)
		return l->p.z < r->p.z ? -1 : 1;
	return l->index < r->index ? -1 : 1;
}

// merged[v]: the lowest vertex at the place of v.
static bool merge_vertices(const lm_mesh* mesh, const lm_host* host, int32_t* merged)
{
	spot* spots = LM_NEW(host, mesh->vertex_count, spot);
	if (!spots)
		return false;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		spots[v] = (spot){ lm_v3_at(mesh->positions, v), v };
	qsort(spots, (size_t)mesh->vertex_count, sizeof *spots, compare_spots);
	for (int32_t i = 0; i < mesh->vertex_count; ++i)
	{
		bool same = i > 0 && spots[i].p.x == spots[i - 1].p.x && spots[i].p.y == spots[i - 1].p.y &&
		            spots[i].p.z == spots[i - 1].p.z;
		merged[spots[i].index] = same ? merged[spots[i - 1].index] : spots[i].index;
	}
	lm_free(host, spots);
	return true;
}

static int64_t list_sides(const lm_contact_surface* surface, lm_half_edge* sides)
{
	int64_t count = 0;
	for (int64_t t = 0; t < surface->count; ++t)
		for (int k = 0; k < 3; ++k)
		{
			int32_t a = surface->merged[surface->triangles[3 * t + k]];
			int32_t b = surface->merged[surface->triangles[3 * t + (k + 1) % 3]];
			if (a != b)
				sides[count++] = lm_half_edge_between(a, b, (int32_t)t, k);
		}
	lm_half_edges_sort(sides, count);
	return count;
}

// Gives every side the summed normal of its edge and the triangle across; returns whether the surface is closed.
static bool join_sides(const lm_half_edge* sides, int64_t count, lm_facet* facets)
{
	bool closed = true;
	for (int64_t begin = 0, end; begin < count; begin = end)
	{
		lm_vec3 sum = { 0, 0, 0 };
		int64_t balance = 0;
		end = lm_half_edges_end(sides, count, begin);
		for (int64_t i = begin; i < end; ++i)
		{
			sum = lm_add(sum, facets[sides[i].triangle].face);
			balance += sides[i].from == sides[i].low ? 1 : -1;
		}
		closed &= balance == 0;
		for (int64_t i = begin; i < end; ++i)
		{
			facets[sides[i].triangle].edge[sides[i].corner] = sum;
			facets[sides[i].triangle].across[sides[i].corner] =
				end - begin == 2 ? sides[begin + end - 1 - i].triangle : -1;
		}
	}
	return closed;
}

void lm_contact_surface_corners(const lm_contact_surface* surface, int32_t t, lm_vec3 x[3])
{
	for (int k = 0; k < 3; ++k)
		x[k] = lm_v3_at(surface->positions, surface->triangles[3 * (int64_t)t + k]);
}

// Six times the volume inside.
static double fill_faces(lm_contact_surface* surface)
{
	double volume = 0;
	lm_vec3 x[3], origin = lm_v3_at(surface->positions, surface->triangles[0]);
	for (int32_t t = 0; t < surface->count; ++t)
	{
		lm_contact_surface_corners(surface, t, x);
		lm_vec3 across = lm_cross(lm_sub(x[1], x[0]), lm_sub(x[2], x[0]));
		surface->facets[t].face = lm_normalize_or(across, lm_v3(0, 0, 0));
		volume += lm_dot(lm_sub(x[0], origin), across);
	}
	return volume;
}

// sums: zeros, one vector for each vertex.
static void sum_vertex_normals(lm_contact_surface* surface, const int32_t* merged, double* sums)
{
	for (int32_t t = 0; t < surface->count; ++t)
	{
		lm_vec3 x[3];
		lm_contact_surface_corners(surface, t, x);
		for (int k = 0; k < 3; ++k)
		{
			int32_t v = merged[surface->triangles[3 * (int64_t)t + k]];
			lm_vec3 a = lm_sub(x[(k + 1) % 3], x[k]), b = lm_sub(x[(k + 2) % 3], x[k]);
			double angle = atan2(lm_length(lm_cross(a, b)), lm_dot(a, b));
			lm_v3_store(sums, v, lm_add_scaled(lm_v3_at(sums, v), angle, surface->facets[t].face));
		}
	}
	for (int64_t k = 0; k < 3 * (int64_t)surface->count; ++k)
		surface->facets[k / 3].vertex[k % 3] = lm_v3_at(sums, merged[surface->triangles[k]]);
}

static void flip(lm_facet* facets, int32_t count)
{
	for (int32_t t = 0; t < count; ++t)
	{
		facets[t].face = lm_scale(-1, facets[t].face);
		for (int k = 0; k < 3; ++k)
		{
			facets[t].edge[k] = lm_scale(-1, facets[t].edge[k]);
			facets[t].vertex[k] = lm_scale(-1, facets[t].vertex[k]);
		}
	}
}

// renumbered: room for as many numbers as there are triangles.
static void drop_flat(lm_contact_surface* surface, int32_t* renumbered)
{
	int32_t kept = 0;
	for (int32_t t = 0; t < surface->count; ++t)
	{
		bool flat = lm_dot(surface->facets[t].face, surface->facets[t].face) == 0;
		renumbered[t] = flat ? -1 : kept;
		if (flat)
			continue;
		surface->facets[kept] = surface->facets[t];
		for (int k = 0; k < 3; ++k)
			surface->triangles[3 * (int64_t)kept + k] = surface->triangles[3 * (int64_t)t + k];
		++kept;
	}
	surface->count = kept;
	for (int64_t k = 0; k < 3 * (int64_t)kept; ++k)
	{
		int32_t* across = &surface->facets[k / 3].across[k % 3];
		*across = *across < 0 ? -1 : renumbered[*across];
	}
}

static bool build(lm_contact_surface* surface, const lm_mesh* mesh, lm_half_edge* sides, double* sums,
                  int32_t* renumbered)
{
	int32_t* merged = surface->merged;
	if (!merge_vertices(mesh, &surface->host, merged))
		return false;
	double volume = fill_faces(surface);
	surface->closed = join_sides(sides, list_sides(surface, sides), surface->facets) && volume != 0;
	sum_vertex_normals(surface, merged, sums);
	surface->inside_out = surface->closed && volume < 0; // what it encloses is solid all the same
	if (surface->inside_out)
		flip(surface->facets, surface->count);
	drop_flat(surface, renumbered);
	lm_status status =
		lm_bvh_create(surface->triangles, surface->count, 3, surface->positions, &surface->host, &surface->tree, NULL);
	if (status == LM_OK && surface->tree.node_count > 0)
		surface->box = surface->tree.nodes[0].box;
	if (surface->speeds != NULL)
		surface->side_count = list_sides(surface, surface->sides); // without triangles that were dropped
	return status == LM_OK && (surface->speeds != NULL || lm_contact_surface_find_sharp(surface, &surface->host));
}

static bool allocate_motion(lm_contact_surface* surface, const lm_host* host)
{
	surface->speeds = LM_NEW(host, 3 * (size_t)surface->vertex_count, double);
	surface->sums = LM_NEW(host, 3 * (size_t)surface->vertex_count, double);
	surface->sides = LM_NEW(host, 3 * (size_t)surface->count, lm_half_edge);
	return surface->speeds && surface->sums && surface->sides;
}

void lm_contact_surface_move(lm_contact_surface* surface)
{
	fill_faces(surface);
	join_sides(surface->sides, surface->side_count, surface->facets);
	memset(surface->sums, 0, 3 * (size_t)surface->vertex_count * sizeof *surface->sums);
	sum_vertex_normals(surface, surface->merged, surface->sums);
	if (surface->inside_out)
		flip(surface->facets, surface->count);
	lm_bvh_refit(&surface->tree, surface->positions);
	surface->box = surface->tree.nodes[0].box;
}

lm_contact_surface* lm_contact_surface_create(const lm_mesh* mesh, bool deforms, const lm_host* host)
{
	lm_contact_surface* surface = LM_NEW(host, 1, lm_contact_surface);
	if (!surface)
		return NULL;
	size_t corners = 3 * (size_t)mesh->triangle_count, coordinates = 3 * (size_t)mesh->vertex_count;
	surface->host = *host;
	surface->count = mesh->triangle_count;
	surface->vertex_count = mesh->vertex_count;
	surface->facets = LM_NEW(host, mesh->triangle_count, lm_facet);
	surface->triangles = lm_copy(host, mesh->triangles, corners, sizeof(int32_t));
	surface->positions = lm_copy(host, mesh->positions, coordinates, sizeof(double));
	surface->merged = LM_NEW(host, mesh->vertex_count, int32_t);
	int32_t* renumbered = LM_NEW(host, mesh->triangle_count, int32_t);
	lm_half_edge* sides = LM_NEW(host, corners, lm_half_edge);
	double* sums = LM_NEW(host, coordinates, double);
	bool made = surface->facets && surface->triangles && surface->positions && surface->merged && sides && sums &&
	            renumbered && (!deforms || allocate_motion(surface, host)) &&
	            build(surface, mesh, sides, sums, renumbered);
	lm_free(host, sums);
	lm_free(host, sides);
	lm_free(host, renumbered);
	if (made)
		return surface;
	lm_contact_surface_destroy(surface);
	return NULL;
}

lm_contact_surface* lm_contact_surface_copy(const lm_contact_surface* surface, const lm_host* host)
{
	lm_contact_surface* copy = LM_NEW(host, 1, lm_contact_surface);
	if (!copy)
		return NULL;
	size_t corners = 3 * (size_t)surface->count, coordinates = 3 * (size_t)surface->vertex_count;
	*copy = (lm_contact_surface){ .host = *host,
		                          .closed = surface->closed,
		                          .inside_out = surface->inside_out,
		                          .box = surface->box,
		                          .vertex_count = surface->vertex_count,
		                          .count = surface->count,
		                          .side_count = surface->side_count };
	copy->facets = lm_copy(host, surface->facets, (size_t)surface->count, sizeof *surface->facets);
	copy->triangles = lm_copy(host, surface->triangles, corners, sizeof *surface->triangles);
	copy->merged = lm_copy(host, surface->merged, (size_t)surface->vertex_count, sizeof *surface->merged);
	copy->positions = lm_copy(host, surface->positions, coordinates, sizeof(double));
	copy->speeds = lm_copy(host, surface->speeds, coordinates, sizeof(double));
	copy->sides = lm_copy(host, surface->sides, (size_t)surface->side_count, sizeof *surface->sides);
	copy->sums = LM_NEW(host, coordinates, double);
	if (copy->facets && copy->triangles && copy->merged && copy->positions && copy->speeds && copy->sides &&
	    copy->sums && lm_bvh_copy(&surface->tree, copy->triangles, copy->positions, host, &copy->tree))
		return copy;
	lm_contact_surface_destroy(copy);
	return NULL;
}

void lm_contact_surface_settle(lm_contact_surface* surface)
{
	lm_free(&surface->host, surface->sides);
	lm_free(&surface->host, surface->sums);
	surface->sides = NULL, surface->sums = NULL;
}

void lm_contact_surface_destroy(lm_contact_surface* surface)
{
	if (!surface)
		return;
	lm_host host = surface->host;
	lm_bvh_release(&surface->tree);
	lm_free(&host, surface->facets);
	lm_free(&host, surface->triangles);
	lm_free(&host, surface->positions);
	lm_free(&host, surface->merged);
	lm_free(&host, surface->sharp);
	lm_free(&host, surface->speeds);
	lm_free(&host, surface->sums);
	lm_free(&host, surface->sides);
	lm_free(&host, surface);
}

bool lm_contact_surface_closed(const lm_contact_surface* surface)
{
	return surface->closed;
}

double lm_contact_surface_skin(const lm_contact_surface* surface)
{
	return 1e-4 * lm_distance(surface->box.low, surface->box.high);
}

void lm_contact_surface_bounds(const lm_contact_surface* surface, lm_vec3* low, lm_vec3* high)
{
	*low = surface->box.low, *high = surface->box.high;
}

// ---- asking

// The piece with these barycentric coordinates, zeros of which are exact.
static int part_of(const double w[3], int* corner)
{
	for (*corner = 0; *corner < 3; ++*corner)
		if (w[(*corner + 1) % 3] == 0 && w[(*corner + 2) % 3] == 0)
			return 2;
	for (*corner = 0; *corner < 3; ++*corner)
		if (w[(*corner + 2) % 3] == 0)
			return 1;
	*corner = 0;
	return 0;
}

bool lm_contact_surface_find_nearest(const lm_contact_surface* surface, lm_vec3 point, double reach,
                                     lm_contact_surface_nearest* nearest)
{
	lm_bvh_hit hit = lm_bvh_closest(&surface->tree, point, reach);
	if (hit.element < 0)
		return false;
	const lm_facet* where = &surface->facets[hit.element];
	nearest->triangle = hit.element;
	nearest->part = part_of(hit.weights, &nearest->corner);
	nearest->distance = sqrt(hit.distance2);
	nearest->point = hit.point;
	nearest->away = lm_sub(point, hit.point);
	nearest->pseudo = nearest->part == 0   ? where->face
	                  : nearest->part == 1 ? where->edge[nearest->corner]
	                                       : where->vertex[nearest->corner];
	return true;
}

lm_vec3 lm_contact_surface_speed(const lm_contact_surface* surface, lm_vec3 point)
{
	lm_vec3 speed = { 0, 0, 0 };
	if (surface->speeds == NULL)
		return speed;
	lm_bvh_hit hit = lm_bvh_closest(&surface->tree, point, INFINITY);
	for (int k = 0; k < 3 && hit.element >= 0; ++k)
		speed = lm_add_scaled(speed, hit.weights[k],
		                      lm_v3_at(surface->speeds, surface->triangles[3 * (int64_t)hit.element + k]));
	return speed;
}

bool lm_contact_surface_query(const lm_contact_surface* surface, lm_vec3 point, double reach, double* distance,
                              lm_vec3* normal)
{
	// A point inside is near enough however deep it is, and only what is in the box can be inside.
	bool perhaps_inside = surface->closed && lm_box_distance2(surface->box, point) <= 0;
	lm_contact_surface_nearest nearest;
	if (!lm_contact_surface_find_nearest(surface, point, perhaps_inside ? INFINITY : reach, &nearest))
		return false;
	bool inside = perhaps_inside && lm_dot(nearest.away, nearest.pseudo) < 0;
	if (!inside && !(nearest.distance < reach))
		return false;
	*distance = inside ? -nearest.distance : nearest.distance;
	*normal = lm_normalize_or(lm_scale(inside ? -1 : 1, nearest.away),
	                          lm_normalize_or(nearest.pseudo, surface->facets[nearest.triangle].face));
	return true;
}

// Crossing by the signs of the volumes that the way spans with the sides. A side shared by two triangles gives both
// exactly opposite numbers, so that nothing slips through between them.
static bool cross_triangle(const lm_vec3 x[3], lm_vec3 face, lm_vec3 from, lm_vec3 way, double* fraction)
{
	lm_vec3 a = lm_sub(x[0], from), b = lm_sub(x[1], from), c = lm_sub(x[2], from);
	double u = lm_dot(way, lm_cross(b, c)), v = lm_dot(way, lm_cross(c, a)), w = lm_dot(way, lm_cross(a, b));
	if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)))
		return false;
	double across = lm_dot(way, face);
	if (across == 0)
		return false;
	*fraction = lm_dot(a, face) / across;
	return *fraction >= 0 && *fraction <= 1;
}

// Whether from + t way, t in [0, limit], can meet the box; never false for rounding's sake.
static bool way_meets(const lm_box* box, lm_vec3 from, lm_vec3 way, double limit)
{
	double low[3] = { box->low.x - from.x, box->low.y - from.y, box->low.z - from.z };
	double high[3] = { box->high.x - from.x, box->high.y - from.y, box->high.z - from.z };
	double w[3] = { way.x, way.y, way.z }, in = 0, out = limit;
	for (int k = 0; k < 3; ++k)
	{
		double slack = 1e-12 * (fabs(low[k]) + fabs(high[k]));
		if (w[k] == 0)
		{
			if (low[k] > slack || high[k] < -slack)
				return false;
			continue;
		}
		double near = (w[k] > 0 ? low[k] - slack : high[k] + slack) / w[k];
		double far = (w[k] > 0 ? high[k] + slack : low[k] - slack) / w[k];
		in = near > in ? near : in, out = far < out ? far : out;
	}
	return in <= out;
}

bool lm_contact_surface_enter(const lm_contact_surface* surface, lm_vec3 from, lm_vec3 to, double* fraction,
                              lm_vec3* normal)
{
	const lm_bvh* tree = &surface->tree;
	lm_vec3 way = lm_sub(to, from), x[3];
	double first = INFINITY;
	for (int32_t i = 0; i < tree->node_count;)
	{
		const lm_bvh_node* node = &tree->nodes[i];
		if (!way_meets(&node->box, from, way, fmin(first, 1)))
		{
			i = node->end;
			continue;
		}
		for (int32_t k = node->right; k < node->right + node->count; ++k)
		{
			int32_t t = tree->items[k];
			lm_vec3 face = surface->facets[t].face;
			double at, facing = lm_dot(way, face);
			lm_contact_surface_corners(surface, t, x);
			if ((surface->closed && facing >= 0) || !cross_triangle(x, face, from, way, &at) || at >= first)
				continue;
			first = at, *normal = facing < 0 ? face : lm_scale(-1, face);
		}
		++i;
	}
	*fraction = first;
	return first <= 1;
}
