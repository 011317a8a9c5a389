#include "objects/track/wear.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/bvh.h"
#include "mesh/intersect.h"
#include "mesh/winding.h"

#include <math.h>
#include <string.h>

// ---- binding

typedef struct frame
{
	lm_vec3 x[3], t, s, n;
} frame;

static frame frame_of(const lm_mesh* mesh, const double* positions, int32_t triangle)
{
	frame f;
	for (int i = 0; i < 3; ++i)
		f.x[i] = lm_v3_at(positions, mesh->triangles[3 * (int64_t)triangle + i]);
	lm_vec3 along = lm_sub(f.x[1], f.x[0]);
	f.n = lm_normalize_or(lm_cross(along, lm_sub(f.x[2], f.x[0])), lm_v3(0, 1, 0));
	f.t = lm_normalize_or(along, lm_v3(1, 0, 0));
	f.s = lm_cross(f.n, f.t);
	return f;
}

static lm_vec3 point_of(const frame* f, const double weights[3])
{
	lm_vec3 p = lm_scale(weights[0], f->x[0]);
	return lm_add_scaled(lm_add_scaled(p, weights[1], f->x[1]), weights[2], f->x[2]);
}

lm_status lm_track_wear_create(lm_track_wear* wear, const lm_scene_object* leader, const double* start, int32_t count,
                               const lm_host* host, lm_error* error)
{
	lm_status status = lm_track_body_create(&wear->body, leader, host, error);
	if (status != LM_OK)
		return status;
	const lm_mesh* mesh = wear->body.mesh;
	lm_bvh tree = { 0 };
	wear->worn = LM_NEW(host, count, lm_worn);
	status = wear->worn != NULL ? LM_OK : lm_fail_memory(error);
	if (status == LM_OK)
		status = lm_bvh_create(mesh->triangles, mesh->triangle_count, 3, mesh->positions, host, &tree, error);
	for (int32_t v = 0; status == LM_OK && v < count; ++v)
	{
		lm_vec3 p = lm_v3_at(start, v);
		lm_bvh_hit hit = lm_bvh_closest(&tree, p, INFINITY);
		frame f = frame_of(mesh, mesh->positions, hit.element);
		lm_vec3 d = lm_sub(p, point_of(&f, hit.weights));
		wear->worn[v] = (lm_worn){ hit.element,
			                       { hit.weights[0], hit.weights[1], hit.weights[2] },
			                       { lm_dot(d, f.t), lm_dot(d, f.s), lm_dot(d, f.n) } };
	}
	wear->count = status == LM_OK ? count : 0;
	lm_bvh_release(&tree);
	return status;
}

void lm_track_wear_destroy(lm_track_wear* wear, const lm_host* host)
{
	lm_track_body_destroy(&wear->body, host);
	lm_free(host, wear->worn);
	*wear = (lm_track_wear){ 0 };
}

void lm_track_wear_at(const lm_track_wear* wear, const lm_object* leader, double* positions)
{
	lm_track_body_follow(&wear->body, leader);
	for (int32_t v = 0; v < wear->count; ++v)
	{
		const lm_worn* w = &wear->worn[v];
		frame f = frame_of(wear->body.mesh, wear->body.positions, w->triangle);
		lm_vec3 p = lm_add_scaled(point_of(&f, w->weights), w->offset[0], f.t);
		lm_v3_store(positions, v, lm_add_scaled(lm_add_scaled(p, w->offset[1], f.s), w->offset[2], f.n));
	}
}

// ---- moving out

#define LM_ROOM 1.1  // thicknesses that a vertex is moved to
#define LM_ROUNDS 40 // of moving triangles that still cross
#define LM_PART 0.5  // thicknesses that a crossing triangle is moved in a round

typedef struct mover
{
	const lm_mesh *body, *cloth;
	lm_bvh tree, own; // of the body, and of the cloth
	lm_winding winding;
	double* start;
} mover;

// The nearest point of the surface, and the way out of it there.
static lm_vec3 way_out(const mover* m, lm_vec3 p, double* distance)
{
	lm_bvh_hit hit = lm_bvh_closest(&m->tree, p, INFINITY);
	frame f = frame_of(m->body, m->body->positions, hit.element);
	bool inside = lm_winding_number(&m->winding, p, LM_WINDING_ACCURACY) > 0.5;
	lm_vec3 d = lm_sub(p, hit.point);
	*distance = inside ? -lm_length(d) : lm_length(d);
	return lm_normalize_or(inside ? lm_scale(-1, d) : d, f.n);
}

// To a distance of `room` from the surface, where it is less.
static void move_vertices(const mover* m, double room)
{
	for (int32_t v = 0; v < m->cloth->vertex_count; ++v)
		for (int round = 0; round < 4; ++round) // at a corner there may be another surface behind
		{
			double distance;
			lm_vec3 p = lm_v3_at(m->start, v), out = way_out(m, p, &distance);
			if (distance >= room)
				break;
			lm_v3_store(m->start, v, lm_add_scaled(p, 1.0001 * room - distance, out));
		}
}

// Triangles that reach through the surface between their corners; whether there were any.
static lm_status move_triangles(mover* m, double step, bool* any, const lm_host* host, lm_error* error)
{
	lm_bvh_refit(&m->own, m->start);
	int64_t count = lm_meshes_count_intersections(&m->own, &m->tree, NULL, 0);
	*any = count > 0;
	if (count == 0)
		return LM_OK;
	lm_triangle_pair* pairs = LM_NEW(host, count, lm_triangle_pair);
	bool* marked = LM_NEW(host, m->cloth->vertex_count, bool);
	bool enough = pairs != NULL && marked != NULL;
	if (enough)
		lm_meshes_count_intersections(&m->own, &m->tree, pairs, count);
	for (int64_t k = 0; enough && k < count; ++k)
		for (int i = 0; i < 3; ++i)
			marked[m->cloth->triangles[3 * (int64_t)pairs[k].first + i]] = true;
	for (int32_t v = 0; enough && v < m->cloth->vertex_count; ++v)
	{
		double distance;
		lm_vec3 p = lm_v3_at(m->start, v), out = way_out(m, p, &distance);
		if (marked[v])
			lm_v3_store(m->start, v, lm_add_scaled(p, step, out));
	}
	lm_free(host, pairs), lm_free(host, marked);
	return enough ? LM_OK : lm_fail_memory(error);
}

static lm_status move_all(mover* m, double thickness, const lm_host* host, lm_error* error)
{
	const lm_mesh *body = m->body, *cloth = m->cloth;
	lm_status status = lm_bvh_create(body->triangles, body->triangle_count, 3, body->positions, host, &m->tree, error);
	if (status == LM_OK)
		status = lm_bvh_create(cloth->triangles, cloth->triangle_count, 3, m->start, host, &m->own, error);
	if (status == LM_OK)
		status = lm_winding_create(&m->tree, &m->winding, error);
	if (status == LM_OK)
		move_vertices(m, LM_ROOM * thickness);
	bool any = true;
	for (int round = 0; status == LM_OK && any && round < LM_ROUNDS; ++round)
		status = move_triangles(m, LM_PART * thickness, &any, host, error);
	lm_winding_release(&m->winding), lm_bvh_release(&m->own), lm_bvh_release(&m->tree);
	return status;
}

lm_status lm_track_move_out(const lm_mesh* body, const lm_mesh* cloth, double thickness, const lm_host* host,
                            double* start, lm_moved_out* moved, lm_error* error)
{
	double* before = lm_copy(host, start, 3 * (size_t)cloth->vertex_count, sizeof *start);
	if (before == NULL)
		return lm_fail_memory(error);
	mover m = { .body = body, .cloth = cloth, .start = start };
	lm_status status = move_all(&m, thickness, host, error);
	*moved = (lm_moved_out){ 0 };
	for (int32_t v = 0; v < cloth->vertex_count; ++v)
	{
		double way = lm_distance(lm_v3_at(before, v), lm_v3_at(start, v));
		moved->count += way > 0, moved->most = fmax(moved->most, way);
	}
	lm_free(host, before);
	return status;
}
