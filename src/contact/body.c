// body.c: the shape of a soft body, prepared for contact.
#include "contact/body.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/half_edge.h"

#include <assert.h>
#include <string.h>

// Edges whose faces turn by more than this (about 26 degrees) get points of their own: there a body can enter another
// one between its vertices.
#define SHARP_COSINE 0.9
#define EDGE_POINTS 3 // at most; fewer on edges that are short beside the body

// ---- the surface

static lm_status take_surface(lm_contact_body* body, const lm_mesh* rest, lm_error* error)
{
	if (rest->tet_count > 0)
		return lm_topology_boundary(rest, &body->host, &body->triangles, &body->triangle_count, error);
	body->triangles = lm_copy(&body->host, rest->triangles, 3 * (size_t)rest->triangle_count, sizeof(int32_t));
	body->triangle_count = body->triangles ? rest->triangle_count : 0;
	return body->triangles ? LM_OK : lm_fail_memory(error);
}

lm_status lm_contact_body_list_surface(lm_contact_body* body, lm_error* error)
{
	bool* used = LM_NEW(&body->host, body->vertex_count, bool);
	body->surface = LM_NEW(&body->host, body->vertex_count, int32_t);
	if (used && body->surface)
	{
		for (int64_t k = 0; k < 3 * (int64_t)body->triangle_count; ++k)
			used[body->triangles[k]] = true;
		for (int32_t v = 0; v < body->vertex_count; ++v)
			if (used[v])
				body->surface[body->surface_count++] = v;
	}
	lm_status status = used && body->surface ? LM_OK : lm_fail_memory(error);
	lm_free(&body->host, used);
	return status;
}

// The tetrahedron behind each triangle of the boundary: the one that has all its corners.
static lm_status find_triangle_tets(lm_contact_body* body, lm_error* error)
{
	if (body->tet_count == 0)
		return LM_OK;
	lm_adjacency around = { 0 };
	lm_status status = lm_topology_elements_of_vertices(body->tets, body->tet_count, 4, body->vertex_count, &body->host,
	                                                    &around, error);
	if (status != LM_OK)
		return status;
	body->triangle_tets = LM_NEW(&body->host, body->triangle_count, int32_t);
	for (int32_t t = 0; body->triangle_tets && t < body->triangle_count; ++t)
	{
		const int32_t* corner = body->triangles + 3 * (int64_t)t;
		for (int64_t k = around.starts[corner[0]]; k < around.starts[corner[0] + 1]; ++k)
		{
			const int32_t* tet = body->tets + 4 * (int64_t)around.items[k];
			int shared = 0;
			for (int i = 0; i < 4; ++i)
				shared += tet[i] == corner[0] || tet[i] == corner[1] || tet[i] == corner[2];
			if (shared == 3)
			{
				body->triangle_tets[t] = around.items[k];
				break;
			}
		}
	}
	lm_adjacency_release(&around, &body->host);
	return body->triangle_tets ? LM_OK : lm_fail_memory(error);
}

// ---- the samples

static lm_vec3 rest_normal(const lm_contact_body* body, int32_t t)
{
	const int32_t* corner = body->triangles + 3 * (int64_t)t;
	lm_vec3 a = lm_v3_at(body->rest, corner[0]);
	lm_vec3 ab = lm_sub(lm_v3_at(body->rest, corner[1]), a), ac = lm_sub(lm_v3_at(body->rest, corner[2]), a);
	return lm_normalize_or(lm_cross(ab, ac), lm_v3(0, 0, 0));
}

void lm_contact_body_sample_vertices(lm_contact_body* body)
{
	for (int32_t i = 0; i < body->surface_count; ++i)
		body->samples[body->sample_count++] =
			(lm_contact_sample){ { body->surface[i], body->surface[i] }, { -1, -1 }, { 1, 0 } };
}

static int edge_points(double size, double length)
{
	double wanted = 8 * length / size;
	return wanted < 1.5 ? 1 : wanted < 2.5 ? 2 : EDGE_POINTS;
}

// Adds points of the sharp and open edges, marks the latter, and measures the mean length of all edges.
static void sample_edges(lm_contact_body* body, const lm_half_edge* edges, int64_t count)
{
	double length = 0, low[3], high[3];
	lm_mesh_bounds(body->rest, body->vertex_count, low, high);
	double size = lm_distance(lm_v3_at(low, 0), lm_v3_at(high, 0));
	int64_t edge_count = 0, end;
	for (int64_t begin = 0; begin < count; begin = end)
	{
		const lm_half_edge* edge = &edges[begin];
		end = lm_half_edges_end(edges, count, begin);
		double span = lm_distance(lm_v3_at(body->rest, edge->low), lm_v3_at(body->rest, edge->high));
		length += span, ++edge_count;
		if (end - begin == 1)
			body->rim[edge->low] = body->rim[edge->high] = true;
		bool smooth = end - begin == 2 && lm_dot(rest_normal(body, edge->triangle),
		                                         rest_normal(body, edges[begin + 1].triangle)) > SHARP_COSINE;
		int points = smooth ? 0 : edge_points(size, span);
		for (int k = 1; k <= points; ++k)
		{
			double w = (double)k / (points + 1);
			body->samples[body->sample_count++] = (lm_contact_sample){ { edge->low, edge->high },
				                                                       { edge->triangle, edges[end - 1].triangle },
				                                                       { 1 - w, w } };
		}
	}
	body->spacing = edge_count > 0 ? length / (double)edge_count : 0;
}

static lm_status make_samples(lm_contact_body* body, lm_error* error)
{
	int64_t count = 3 * (int64_t)body->triangle_count;
	lm_half_edge* edges = LM_NEW(&body->host, count, lm_half_edge);
	body->samples = LM_NEW(&body->host, body->surface_count + EDGE_POINTS * count, lm_contact_sample);
	body->rim = LM_NEW(&body->host, body->vertex_count, bool);
	if (edges && body->samples && body->rim)
	{
		lm_half_edges_list(body->triangles, body->triangle_count, edges);
		lm_contact_body_sample_vertices(body);
		sample_edges(body, edges, count);
	}
	lm_status status = edges && body->samples && body->rim ? LM_OK : lm_fail_memory(error);
	lm_free(&body->host, edges);
	return status;
}

// ---- the whole

static lm_status copy_mesh(lm_contact_body* body, const lm_mesh* rest, lm_error* error)
{
	body->dimension = 3;
	body->vertex_count = rest->vertex_count;
	body->tet_count = rest->tet_count;
	body->tets = lm_copy(&body->host, rest->tets, 4 * (size_t)rest->tet_count, sizeof(int32_t));
	body->rest = lm_copy(&body->host, rest->positions, 3 * (size_t)rest->vertex_count, sizeof(double));
	body->now = lm_copy(&body->host, rest->positions, 3 * (size_t)rest->vertex_count, sizeof(double));
	body->volumes = LM_NEW(&body->host, rest->tet_count, double);
	if (!body->tets || !body->rest || !body->now || !body->volumes)
		return lm_fail_memory(error);
	for (int64_t t = 0; t < body->tet_count; ++t)
	{
		lm_vec3 x[4];
		for (int i = 0; i < 4; ++i)
			x[i] = lm_v3_at(body->rest, body->tets[4 * t + i]);
		body->volumes[t] = lm_dot(lm_sub(x[1], x[0]), lm_cross(lm_sub(x[2], x[0]), lm_sub(x[3], x[0])));
	}
	return LM_OK;
}

lm_status lm_contact_body_grow_trees(lm_contact_body* body, lm_error* error)
{
	const lm_host* host = &body->host;
	body->face_normals = LM_NEW(host, 3 * (size_t)body->triangle_count, double);
	body->vertex_normals = LM_NEW(host, 3 * (size_t)body->vertex_count, double);
	body->before = LM_NEW(host, 3 * (size_t)body->vertex_count, double);
	body->rows = LM_NEW(host, 4 * (size_t)body->vertex_count, float);
	if (!body->face_normals || !body->vertex_normals || !body->before || !body->rows)
		return lm_fail_memory(error);
	lm_status status =
		lm_bvh_create(body->triangles, body->triangle_count, 3, body->rest, host, &body->rest_tree, error);
	if (status == LM_OK)
		status = lm_slim_tree_create(body->triangles, body->triangle_count, 3, body->now, body->rows, host,
		                             &body->surface_tree, error);
	if (status == LM_OK)
		status =
			lm_slim_tree_create(body->tets, body->tet_count, 4, body->now, body->rows, host, &body->tet_tree, error);
	return status;
}

static lm_status fill_body(lm_contact_body* body, const lm_mesh* rest, lm_error* error)
{
	lm_status status = copy_mesh(body, rest, error);
	if (status == LM_OK)
		status = take_surface(body, rest, error);
	if (status == LM_OK)
		status = lm_contact_body_list_surface(body, error);
	if (status == LM_OK)
		status = find_triangle_tets(body, error);
	if (status == LM_OK)
		status = make_samples(body, error);
	if (status == LM_OK)
		status = lm_topology_neighbours(rest, &body->host, &body->neighbours, error);
	if (status == LM_OK)
		status = lm_contact_body_grow_trees(body, error);
	return status;
}

lm_status lm_contact_body_create(const lm_mesh* rest, const lm_host* host, lm_contact_body** body, lm_error* error)
{
	assert(rest && host && body);
	lm_status status = lm_mesh_check(rest, NULL, error);
	if (status != LM_OK)
		return status;
	if (rest->tet_count == 0 && rest->triangle_count == 0)
		return lm_fail(error, LM_BAD_INPUT,
		               "the mesh has neither tetrahedra nor triangles; a body needs some to be touched");
	lm_contact_body* made = LM_NEW(host, 1, lm_contact_body);
	if (!made)
		return lm_fail_memory(error);
	made->host = *host;
	status = fill_body(made, rest, error);
	if (status != LM_OK)
	{
		lm_contact_body_destroy(made);
		return status;
	}
	*body = made;
	return LM_OK;
}

lm_status lm_contact_body_carry(lm_contact_body* body, const lm_binding_view* rows, lm_error* error)
{
	int32_t count = rows->vertex_count;
	lm_contact_carried* points = LM_NEW(&body->host, count, lm_contact_carried);
	if (!points)
		return lm_fail_memory(error);
	for (int32_t k = 0; k < count; ++k)
	{
		int64_t start = rows->starts[k], length = rows->starts[k + 1] - start;
		assert(length <= 4 && rows->point_count == body->vertex_count);
		for (int64_t i = 0; i < 4; ++i)
		{
			points[k].vertex[i] = rows->points[start + (i < length ? i : 0)];
			points[k].weight[i] = i < length ? rows->weights[start + i] : 0;
		}
	}
	lm_free(&body->host, body->carried);
	body->carried = points;
	body->carried_count = count;
	return LM_OK;
}

void lm_contact_body_destroy(lm_contact_body* body)
{
	if (!body)
		return;
	lm_host host = body->host;
	lm_bvh_release(&body->rest_tree);
	lm_slim_tree_release(&body->surface_tree);
	lm_slim_tree_release(&body->tet_tree);
	lm_adjacency_release(&body->neighbours, &host);
	lm_free(&host, body->tets);
	lm_free(&host, body->triangles);
	lm_free(&host, body->triangle_tets);
	lm_free(&host, body->surface);
	lm_free(&host, body->samples);
	lm_free(&host, body->carried);
	lm_free(&host, body->rim);
	lm_free(&host, body->rest);
	lm_free(&host, body->volumes);
	lm_free(&host, body->now);
	lm_free(&host, body->before);
	lm_free(&host, body->face_normals);
	lm_free(&host, body->vertex_normals);
	lm_free(&host, body->rows);
	lm_free(&host, body);
}

// ---- moving

lm_box lm_contact_body_box(const lm_contact_body* body, const lm_particles* particles)
{
	float low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (int32_t i = 0; i < body->surface_count; ++i)
		for (int k = 0; k < 3; ++k)
		{
			float x = particles->x[lm_particle_place(body->surface[i], k)];
			low[k] = x < low[k] ? x : low[k];
			high[k] = x > high[k] ? x : high[k];
		}
	const double* o = particles->origin;
	return (lm_box){ { o[0] + low[0], o[1] + low[1], o[2] + low[2] },
		             { o[0] + high[0], o[1] + high[1], o[2] + high[2] } };
}

static void turn_normals(lm_contact_body* body)
{
	for (int32_t i = 0; i < body->surface_count; ++i)
		lm_v3_store(body->vertex_normals, body->surface[i], lm_v3(0, 0, 0));
	for (int64_t t = 0; t < body->triangle_count; ++t)
	{
		const int32_t* corner = body->triangles + 3 * t;
		lm_vec3 a = lm_v3_at(body->now, corner[0]);
		lm_vec3 ab = lm_sub(lm_v3_at(body->now, corner[1]), a), ac = lm_sub(lm_v3_at(body->now, corner[2]), a);
		lm_vec3 across = body->dimension == 3 ? lm_cross(ab, ac) : lm_v3(ab.y, -ab.x, 0);
		lm_v3_store(body->face_normals, t, across);
		for (int i = 0; i < body->dimension; ++i)
			lm_v3_store(body->vertex_normals, corner[i], lm_add(lm_v3_at(body->vertex_normals, corner[i]), across));
	}
}

void lm_contact_body_move(lm_contact_body* body, const lm_particles* particles, bool triangles_too, double h)
{
	assert(particles->count == body->vertex_count && body->dimension == 3);
	for (int64_t v = 0; v < body->vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
		{
			float x = particles->x[lm_particle_place(v, k)];
			body->rows[4 * v + k] = x;
			body->now[3 * v + k] = particles->origin[k] + x;
		}
	turn_normals(body);
	body->centre = lm_v3_at(particles->origin, 0);
	lm_slim_tree_fit(&body->tet_tree);
	if (!triangles_too)
		return;
	lm_slim_tree_fit(&body->surface_tree);
	for (int64_t v = 0; v < body->vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
			body->before[3 * v + k] = body->now[3 * v + k] - h * particles->v[lm_particle_place(v, k)];
}

void lm_contact_body_place(lm_contact_body* body, const double* start, const double* now)
{
	int d = body->dimension;
	for (int64_t v = 0; v < body->vertex_count; ++v)
		for (int k = 0; k < d; ++k)
			body->now[3 * v + k] = now[d * v + k], body->before[3 * v + k] = start[d * v + k];
	turn_normals(body);
	lm_vec3 first = lm_v3_at(body->now, 0);
	body->centre = lm_finite(first) ? first : lm_v3(0, 0, 0);
	for (int64_t v = 0; v < body->vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
			body->rows[4 * v + k] = (float)(body->now[3 * v + k] - lm_v3_get(body->centre, k));
	lm_slim_tree_fit(&body->tet_tree);
	lm_slim_tree_fit(&body->surface_tree);
}
