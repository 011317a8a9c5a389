// wrap.c: a surface as artists make it, simulated by the lattice around it: what is said of the surface's vertices
// (groups, poses) carried over to those of the lattice.
//
// Poses. A lattice vertex at X follows the surface around it, by moving least squares: with surface vertices X_i at
// rest and x_i in the pose, and weights w_i = a_i / (|X - X_i|^2 + e^2)^2 (a_i a third of the area of the triangles
// around i, so that fine tessellation does not count more),
//     X* = sum w_i X_i / sum w_i,   x* = sum w_i x_i / sum w_i,
//     P = sum w_i (x_i - x*) (X_i - X*)^T,   Q = sum w_i (X_i - X*) (X_i - X*)^T,
//     F = (P + l R) (Q + l I)^-1,   x = x* + F (X - X*),
// where R is the rotation of P (its polar factor) and l = 1e-3 tr Q. An affine pose is met up to l; where all
// neighbours lie in a plane or on a line, Q is singular and R decides for the missing directions, as for a rigid body.
// The weights fall like the fourth power of the distance, so a vertex follows the part of the surface that is about as
// far away as the nearest point of it, smoothly, on all sides.
#include "scene/wrap.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "math/svd.h"
#include "math/vec.h"

#include <string.h>

// Surfaces with more vertices than this are thinned out: smooth poses do not need them, and the work is the product.
enum
{
	MOST_SAMPLES = 20000
};

// ---- nearest vertices ----

typedef struct search
{
	const lm_mesh* mesh;
	const lm_mesh* skin;
	int32_t* nearest; // -1: none yet
	int32_t* round;   // when it was found
	double* distance;
} search;

static void offer(search* s, int32_t vertex, int32_t candidate, int32_t round)
{
	if (s->nearest[vertex] >= 0 && s->round[vertex] < round)
		return;
	double distance = lm_distance(lm_v3_at(s->mesh->positions, vertex), lm_v3_at(s->skin->positions, candidate));
	if (s->nearest[vertex] >= 0 && distance >= s->distance[vertex])
		return;
	s->nearest[vertex] = candidate;
	s->round[vertex] = round;
	s->distance[vertex] = distance;
}

// One more layer of lattice vertices asks its neighbours. False when there was none.
static bool ask_neighbours(search* s, int32_t round)
{
	bool found = false;
	for (int64_t t = 0; t < s->mesh->tet_count; ++t)
	{
		const int32_t* tet = s->mesh->tets + 4 * t;
		for (int k = 0; k < 16; ++k)
		{
			int32_t from = tet[k / 4], to = tet[k % 4];
			if (s->nearest[from] < 0 || s->round[from] >= round || (s->nearest[to] >= 0 && s->round[to] < round))
				continue;
			offer(s, to, s->nearest[from], round);
			found = true;
		}
	}
	return found;
}

// Each vertex of the lattice takes the closest of the surface vertices in its tetrahedra; those that have none (deep
// inside) choose among what their neighbours found. So it is "nearest" along the lattice: a group on one leg does not
// leak to the other.
static bool find_nearest(lm_reader* reader, const lm_mesh* mesh, const lm_mesh* skin, const lm_binding* binding,
                         int32_t* nearest)
{
	size_t count = (size_t)mesh->vertex_count;
	search s = { mesh, skin, nearest, lm_reader_take(reader, count, sizeof *s.round),
		         lm_reader_take(reader, count, sizeof *s.distance) };
	if (s.round == NULL || s.distance == NULL)
		return false;
	memset(nearest, 0xff, count * sizeof *nearest);
	lm_binding_view view = lm_binding_get(binding);
	for (int32_t i = 0; i < view.vertex_count; ++i)
	{
		for (int64_t k = view.starts[i]; k < view.starts[i + 1]; ++k)
			offer(&s, view.points[k], i, 0);
	}
	for (int32_t round = 1; ask_neighbours(&s, round); ++round)
		;
	for (size_t v = 0; v < count; ++v)
		nearest[v] = nearest[v] < 0 ? 0 : nearest[v]; // a piece of lattice without surface: does not happen
	return true;
}

void lm_wrap(lm_reader* reader, const lm_lattice_settings* settings, lm_mesh* surface, lm_read_body* body)
{
	lm_mesh* mesh = NULL;
	lm_binding* binding = NULL;
	lm_error error;
	lm_status status = lm_lattice_create(surface, settings, &reader->host, &mesh, &error);
	if (status == LM_OK)
		status = lm_mesh_extract_surface(mesh, &error);
	if (status == LM_OK)
		status = lm_binding_create(mesh, surface->positions, surface->vertex_count, &reader->host, &binding, &error);
	if (status != LM_OK)
		lm_problem_from(reader, "mesh", &error);
	int32_t* nearest = status == LM_OK ? lm_reader_take(reader, (size_t)mesh->vertex_count, sizeof *nearest) : NULL;
	if (nearest != NULL && find_nearest(reader, mesh, surface, binding, nearest))
	{
		body->mesh = mesh;
		body->skin = surface;
		body->nearest = nearest;
	}
	else
		lm_mesh_destroy(mesh);
	lm_binding_destroy(binding);
}

// ---- poses ----

typedef struct transfer
{
	const lm_mesh* mesh; // lattice at rest
	const double* rest;  // samples of the skin
	const double* posed;
	const double* areas;
	int32_t count;
	double softening; // e^2
	double* result;
} transfer;

static lm_mat3 inverse_of_sum(lm_mat3 Q, double l)
{
	for (int i = 0; i < 3; ++i)
		Q.m[i][i] += l;
	lm_vec3 a = lm_column(Q, 0), b = lm_column(Q, 1), c = lm_column(Q, 2);
	lm_mat3 rows = lm_transpose(lm_columns(lm_cross(b, c), lm_cross(c, a), lm_cross(a, b)));
	double det = lm_dot(a, lm_cross(b, c));
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			rows.m[i][j] /= det;
	return rows;
}

static lm_vec3 carry_point(const transfer* from, lm_vec3 X)
{
	double sum = 0;
	lm_vec3 rest = { 0 }, posed = { 0 };
	for (int32_t i = 0; i < from->count; ++i)
	{
		lm_vec3 d = lm_sub(lm_v3_at(from->rest, i), X);
		double r = lm_dot(d, d) + from->softening, w = from->areas[i] / (r * r);
		sum += w;
		rest = lm_add_scaled(rest, w, d); // relative to X, to keep digits far from the origin
		posed = lm_add_scaled(posed, w, lm_sub(lm_v3_at(from->posed, i), X));
	}
	rest = lm_add(X, lm_scale(1 / sum, rest));
	posed = lm_add(X, lm_scale(1 / sum, posed));
	lm_mat3 P = { 0 }, Q = { 0 };
	for (int32_t i = 0; i < from->count; ++i)
	{
		lm_vec3 d = lm_sub(lm_v3_at(from->rest, i), X);
		double r = lm_dot(d, d) + from->softening, w = from->areas[i] / (r * r) / sum;
		lm_vec3 A = lm_sub(lm_v3_at(from->rest, i), rest);
		lm_add_outer(&P, w, lm_sub(lm_v3_at(from->posed, i), posed), A);
		lm_add_outer(&Q, w, A, A);
	}
	double l = 1e-3 * (Q.m[0][0] + Q.m[1][1] + Q.m[2][2]);
	if (!(l > 1e-200))
		return lm_add(posed, lm_sub(X, rest));
	lm_mat3 R = lm_polar3(P).R;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			P.m[i][j] += l * R.m[i][j];
	lm_mat3 F = lm_mul(P, inverse_of_sum(Q, l));
	return lm_add(posed, lm_mul_v(F, lm_sub(X, rest)));
}

static void carry_range(void* context, int64_t begin, int64_t end)
{
	const transfer* from = context;
	for (int64_t v = begin; v < end; ++v)
		lm_v3_store(from->result, v, carry_point(from, lm_v3_at(from->mesh->positions, v)));
}

static void vertex_areas(const lm_mesh* mesh, double* areas)
{
	for (int64_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* corners = mesh->triangles + 3 * t;
		lm_vec3 a = lm_v3_at(mesh->positions, corners[0]);
		lm_vec3 b = lm_v3_at(mesh->positions, corners[1]);
		lm_vec3 c = lm_v3_at(mesh->positions, corners[2]);
		double area = lm_length(lm_cross(lm_sub(b, a), lm_sub(c, a))) / 6;
		for (int i = 0; i < 3; ++i)
			areas[corners[i]] += area;
	}
}

// Every n-th vertex of the skin, as few as the limit asks; vertices without triangles carry nothing.
static bool take_samples(lm_reader* reader, const lm_mesh* skin, const lm_mesh* pose, transfer* to)
{
	int32_t stride = (skin->vertex_count + MOST_SAMPLES - 1) / MOST_SAMPLES;
	size_t most = (size_t)((skin->vertex_count + stride - 1) / stride);
	double* all = lm_reader_take(reader, (size_t)skin->vertex_count, sizeof *all);
	double* rest = lm_reader_take(reader, 3 * most, sizeof *rest);
	double* posed = lm_reader_take(reader, 3 * most, sizeof *posed);
	double* areas = lm_reader_take(reader, most, sizeof *areas);
	if (all == NULL || rest == NULL || posed == NULL || areas == NULL)
		return false;
	vertex_areas(skin, all);
	int32_t count = 0;
	for (int32_t v = 0; v < skin->vertex_count; v += stride)
	{
		if (!(all[v] > 0))
			continue;
		areas[count] = all[v];
		lm_v3_store(rest, count, lm_v3_at(skin->positions, v));
		lm_v3_store(posed, count++, lm_v3_at(pose->positions, v));
	}
	to->rest = rest, to->posed = posed, to->areas = areas, to->count = count;
	return true;
}

lm_mesh* lm_wrap_pose(lm_reader* reader, const lm_read_body* body, const lm_mesh* pose)
{
	const lm_mesh* mesh = body->mesh;
	transfer work = { .mesh = mesh };
	lm_mesh* result = lm_mesh_create(&reader->host, mesh->vertex_count, 0, 0);
	if (result == NULL || !take_samples(reader, body->skin, pose, &work))
	{
		lm_reader_no_memory(reader);
		lm_mesh_destroy(result);
		return NULL;
	}
	const int32_t* tet = mesh->tets;
	double edge = lm_distance(lm_v3_at(mesh->positions, tet[0]), lm_v3_at(mesh->positions, tet[1]));
	work.softening = 0.01 * edge * edge;
	work.result = result->positions;
	lm_parallel_for(reader->host.threads, mesh->vertex_count, 64, carry_range, &work);
	return result;
}
