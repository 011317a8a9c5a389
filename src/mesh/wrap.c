// wrap.c: a surface as artists make it, simulated by the lattice around it: what is said of the surface's vertices
// (groups, poses) carried over to those of the lattice.
//
// Poses. A lattice vertex at X follows the surface around it, by moving least squares. With samples X_i of the surface
// at rest and x_i in the pose, each standing for an area a_i, and weights w_i = a_i / (|X - X_i|^2 + e^2)^3,
//     X* = sum w_i X_i / sum w_i,   x* = sum w_i x_i / sum w_i,
//     P = sum w_i (x_i - x*) (X_i - X*)^T,   Q = sum w_i (X_i - X*) (X_i - X*)^T,
//     F = (P + l R) (Q + l I)^-1,   x = x* + F (X - X*),
// where R is the rotation of P (its polar factor) and l = 1e-3 tr Q. An affine pose is met up to l; where all
// neighbours lie in a plane or on a line, Q is singular and R decides for the missing directions, as for a rigid body.
// The weights fall like the sixth power of the distance, so a vertex follows the part of the surface that is about as
// far away as the nearest point of it, smoothly, on all sides. Triangles are sampled about as finely as the lattice, so
// that it does not matter how the surface is tessellated.
#include "mesh/wrap.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "math/svd.h"
#include "math/vec.h"
#include "mesh/topology.h"

#include <string.h>

enum
{
	// The work is the product of lattice vertices and samples. Beyond this the samples are thinned out, though never
	// below a number that is enough for smooth poses.
	MOST_WORK = 100000000,
	ENOUGH_SAMPLES = 4000,
	FINEST = 64 // a triangle is cut into FINEST^2 pieces at most
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

// One layer after the other: those that were found in the round before are offered to their neighbours. `found` has
// room for all vertices; the first `count` are those of round 0.
static void ask_neighbours(search* s, const lm_adjacency* neighbours, int32_t* found, int32_t count)
{
	for (int32_t round = 1, begin = 0, end = count; begin < end; ++round)
	{
		for (int32_t n = begin; n < end; ++n)
			for (int64_t k = neighbours->starts[found[n]]; k < neighbours->starts[found[n] + 1]; ++k)
			{
				int32_t to = neighbours->items[k];
				if (s->nearest[to] < 0)
					found[count++] = to;
				offer(s, to, s->nearest[found[n]], round);
			}
		begin = end;
		end = count;
	}
}

// Each vertex of the lattice takes the closest of the surface vertices in its tetrahedra; those that have none (deep
// inside) choose among those of their neighbours. So "nearest" is meant along the lattice: a group on one leg does not
// reach the other.
static lm_status find_nearest(const lm_mesh* mesh, const lm_mesh* skin, const lm_binding* binding,
                              const lm_adjacency* neighbours, lm_arena* scratch, int32_t* nearest, lm_error* error)
{
	size_t count = (size_t)mesh->vertex_count;
	search s = { mesh, skin, nearest, LM_TAKE(scratch, count, int32_t), LM_TAKE(scratch, count, double) };
	int32_t* found = LM_TAKE(scratch, count, int32_t);
	if (s.round == NULL || s.distance == NULL || found == NULL)
		return lm_fail_memory(error);
	memset(s.round, 0, count * sizeof *s.round);
	memset(nearest, 0xff, count * sizeof *nearest);
	lm_binding_view view = lm_binding_get(binding);
	for (int32_t i = 0; i < view.vertex_count; ++i)
	{
		for (int64_t k = view.starts[i]; k < view.starts[i + 1]; ++k)
			offer(&s, view.points[k], i, 0);
	}
	int32_t first = 0;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		if (nearest[v] >= 0)
			found[first++] = v;
	ask_neighbours(&s, neighbours, found, first);
	for (size_t v = 0; v < count; ++v)
		nearest[v] = nearest[v] < 0 ? 0 : nearest[v]; // a piece of lattice without surface: does not happen
	return LM_OK;
}

lm_status lm_wrap_nearest(const lm_mesh* mesh, const lm_mesh* surface, const lm_host* host, int32_t* nearest,
                          lm_error* error)
{
	lm_binding* binding = NULL;
	lm_adjacency neighbours;
	lm_status status = lm_binding_create(mesh, surface->positions, surface->vertex_count, host, &binding, error);
	if (status != LM_OK)
		return status;
	status = lm_topology_neighbours(mesh, host, &neighbours, error);
	if (status == LM_OK)
	{
		lm_arena scratch;
		lm_arena_init(&scratch, host);
		status = find_nearest(mesh, surface, binding, &neighbours, &scratch, nearest, error);
		lm_arena_release(&scratch);
		lm_adjacency_release(&neighbours, host);
	}
	lm_binding_destroy(binding);
	return status;
}

// ---- poses ----

typedef struct transfer
{
	const lm_mesh* mesh; // lattice at rest
	double* rest;        // samples of the skin: positions at rest and in the pose, areas
	double* posed;
	double* areas; // > 0
	int32_t count;
	double softening; // e^2, so that no sample counts infinitely
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
		double r = lm_dot(d, d) + from->softening, w = from->areas[i] / (r * r * r);
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
		double r = lm_dot(d, d) + from->softening, w = from->areas[i] / (r * r * r) / sum;
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

// Into how many pieces each edge of a triangle is cut, so that they are no longer than the spacing.
static int64_t cuts(const lm_mesh* skin, int64_t triangle, double spacing)
{
	const int32_t* corners = skin->triangles + 3 * triangle;
	double longest = 0;
	for (int i = 0; i < 3; ++i)
		longest = fmax(longest, lm_distance(lm_v3_at(skin->positions, corners[i]),
		                                    lm_v3_at(skin->positions, corners[(i + 1) % 3])));
	return (int64_t)fmin(fmax(ceil(longest / spacing), 1), FINEST);
}

static double area_of(const lm_mesh* skin, int64_t triangle)
{
	const int32_t* corners = skin->triangles + 3 * triangle;
	lm_vec3 a = lm_v3_at(skin->positions, corners[0]);
	lm_vec3 ab = lm_sub(lm_v3_at(skin->positions, corners[1]), a);
	return lm_length(lm_cross(ab, lm_sub(lm_v3_at(skin->positions, corners[2]), a))) / 2;
}

static lm_vec3 point_of(const double* positions, const int32_t* corners, double u, double v)
{
	lm_vec3 a = lm_v3_at(positions, corners[0]), b = lm_v3_at(positions, corners[1]);
	return lm_add_scaled(lm_add_scaled(lm_scale(1 - u - v, a), u, b), v, lm_v3_at(positions, corners[2]));
}

// The centres of the k^2 equal pieces of a triangle; of all pieces of the skin only every stride-th.
static void sample_triangle(const lm_mesh* skin, const lm_mesh* pose, int64_t triangle, double spacing, int64_t stride,
                            int64_t* piece, transfer* to)
{
	const int32_t* corners = skin->triangles + 3 * triangle;
	int64_t k = cuts(skin, triangle, spacing);
	double area = fmax(area_of(skin, triangle), 1e-9 * spacing * spacing) / (double)(k * k);
	for (int64_t n = 0; n < k * k; ++n, ++*piece)
	{
		if (*piece % stride != 0)
			continue;
		// row i has 2 (k - i) - 1 pieces, alternately upright and upside down
		int64_t i = 0, j = n;
		while (j >= 2 * (k - i) - 1)
			j -= 2 * (k - i) - 1, ++i;
		double third = (double)(1 + j % 2) / 3;
		double u = ((double)i + third) / (double)k, v = ((double)(j / 2) + third) / (double)k;
		to->areas[to->count] = area;
		lm_v3_store(to->rest, to->count, point_of(skin->positions, corners, u, v));
		lm_v3_store(to->posed, to->count++, point_of(pose->positions, corners, u, v));
	}
}

static bool take_samples(lm_arena* scratch, const lm_mesh* skin, const lm_mesh* pose, double spacing, transfer* to)
{
	int64_t pieces = 0, piece = 0, wanted = MOST_WORK / to->mesh->vertex_count;
	wanted = wanted > ENOUGH_SAMPLES ? wanted : ENOUGH_SAMPLES;
	for (int64_t t = 0; t < skin->triangle_count; ++t)
	{
		int64_t k = cuts(skin, t, spacing);
		pieces += k * k;
	}
	int64_t stride = (pieces + wanted - 1) / wanted;
	size_t most = (size_t)((pieces + stride - 1) / stride);
	to->rest = LM_TAKE(scratch, 3 * most, double);
	to->posed = LM_TAKE(scratch, 3 * most, double);
	to->areas = LM_TAKE(scratch, most, double);
	if (to->rest == NULL || to->posed == NULL || to->areas == NULL)
		return false;
	for (int64_t t = 0; t < skin->triangle_count; ++t)
		sample_triangle(skin, pose, t, spacing, stride, &piece, to);
	return true;
}

// Of the lattice: all its edges are of about the same length.
static double mean_edge(const lm_mesh* mesh)
{
	double sum = 0;
	for (int64_t t = 0; t < mesh->tet_count; ++t)
		sum +=
			lm_distance(lm_v3_at(mesh->positions, mesh->tets[4 * t]), lm_v3_at(mesh->positions, mesh->tets[4 * t + 1]));
	return sum / mesh->tet_count;
}

lm_mesh* lm_wrap_pose(const lm_mesh* mesh, const lm_mesh* surface, const lm_mesh* pose, const lm_host* host)
{
	double edge = mean_edge(mesh);
	transfer work = { .mesh = mesh, .softening = 0.02 * edge * edge };
	lm_mesh* result = lm_mesh_create(host, mesh->vertex_count, 0, 0);
	lm_arena scratch;
	lm_arena_init(&scratch, host);
	if (result != NULL && take_samples(&scratch, surface, pose, edge / 2, &work))
	{
		work.result = result->positions;
		lm_parallel_for(host->threads, mesh->vertex_count, 64, carry_range, &work);
	}
	else
	{
		lm_mesh_destroy(result);
		result = NULL;
	}
	lm_arena_release(&scratch);
	return result;
}
