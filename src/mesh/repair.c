// repair.c: a surface as it is found, made into one that can be simulated; see lm_mesh_repair.
//
// Doubled vertices are searched for along one direction that no mesh is aligned with: those of the same place are next
// to each other in that order.
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/mesh.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

static const double same_place = 1e-6; // of the diagonal
static const double no_area = 1e-10;   // of the squared longest edge: twice the area

// ---- doubled vertices --------------------------------------------------------------------------------------------

typedef struct along
{
	double key;
	int32_t vertex;
} along;

static int compare_along(const void* one, const void* two)
{
	const along *a = one, *b = two;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

// first[v]: the vertex whose place v has, itself where there is none before it in the order.
static void find_doubles(const lm_mesh* mesh, const bool* used, along* order, int32_t* first)
{
	const lm_vec3 direction = lm_v3(0.5377, 0.6421, 0.5464);
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	double near = same_place * lm_distance(lm_v3_at(low, 0), lm_v3_at(high, 0));
	int32_t count = 0;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		first[v] = v;
		if (used[v])
			order[count++] = (along){ lm_dot(direction, lm_v3_at(mesh->positions, v)), v };
	}
	qsort(order, (size_t)count, sizeof *order, compare_along);
	for (int32_t i = 0; i < count; ++i)
		for (int32_t k = i - 1; k >= 0 && order[i].key - order[k].key <= near; --k)
		{
			int32_t v = order[i].vertex, w = order[k].vertex;
			if (first[w] == w && lm_distance(lm_v3_at(mesh->positions, v), lm_v3_at(mesh->positions, w)) <= near)
			{
				first[v] = w;
				break;
			}
		}
}

// ---- triangles ---------------------------------------------------------------------------------------------------

static bool has_area(const double* X, const int32_t v[3])
{
	lm_vec3 a = lm_v3_at(X, v[0]), u = lm_sub(lm_v3_at(X, v[1]), a), w = lm_sub(lm_v3_at(X, v[2]), a);
	double longest = fmax(lm_dot(u, u), fmax(lm_dot(w, w), lm_dot(lm_sub(u, w), lm_sub(u, w))));
	return lm_length(lm_cross(u, w)) > 2 * no_area * longest;
}

typedef struct corners
{
	int32_t v[3]; // ascending
	int32_t triangle;
} corners;

static int compare_corners(const void* one, const void* two)
{
	const corners *a = one, *b = two;
	for (int i = 0; i < 3; ++i)
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i] ? -1 : 1;
	return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static corners sorted_corners(const int32_t v[3], int32_t triangle)
{
	int32_t low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
	corners c = { { low, high, v[2] }, triangle };
	if (v[2] < low)
		c = (corners){ { v[2], low, high }, triangle };
	else if (v[2] < high)
		c = (corners){ { low, v[2], high }, triangle };
	return c;
}

typedef enum fate
{
	KEPT,
	FLAT,
	REPEATED
} fate;

// What becomes of each triangle, whose corners are the first vertices of their places.
static void judge_triangles(const lm_mesh* mesh, const int32_t* first, corners* sorted, fate* fates)
{
	int32_t count = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* own = mesh->triangles + 3 * (int64_t)t;
		int32_t v[3] = { first[own[0]], first[own[1]], first[own[2]] };
		fates[t] = has_area(mesh->positions, v) ? KEPT : FLAT;
		if (fates[t] == KEPT)
			sorted[count++] = sorted_corners(v, t);
	}
	qsort(sorted, (size_t)count, sizeof *sorted, compare_corners);
	for (int32_t i = 1; i < count; ++i)
		if (memcmp(sorted[i].v, sorted[i - 1].v, sizeof sorted[i].v) == 0)
			fates[sorted[i].triangle] = REPEATED;
}

// ---- the result --------------------------------------------------------------------------------------------------

typedef struct work
{
	const lm_mesh* from;
	bool* used;     // [vertex_count] by a triangle, in the file
	int32_t* first; // [vertex_count]
	fate* fates;    // [triangle_count]
} work;

static void add(lm_repair_list* list, int32_t item)
{
	list->items[list->count++] = item;
}

static bool make_lists(lm_repair* r, const lm_mesh* from)
{
	const lm_host* host = &r->host;
	r->vertex_count = from->vertex_count, r->triangle_count = from->triangle_count;
	r->doubled.items = LM_NEW(host, from->vertex_count, int32_t),
	r->loose.items = LM_NEW(host, from->vertex_count, int32_t);
	r->flat.items = LM_NEW(host, from->triangle_count, int32_t);
	r->repeated.items = LM_NEW(host, from->triangle_count, int32_t);
	r->place = LM_NEW(host, from->vertex_count, int32_t), r->kept = LM_NEW(host, from->vertex_count, int32_t);
	r->triangles = LM_NEW(host, from->triangle_count, int32_t);
	return r->doubled.items != NULL && r->loose.items != NULL && r->flat.items != NULL && r->repeated.items != NULL &&
	       r->place != NULL && r->kept != NULL && r->triangles != NULL;
}

// Fills the lists, and returns how many vertices are left.
static int32_t list_faults(lm_repair* r, const work* w, bool* stays)
{
	const lm_mesh* from = w->from;
	int32_t triangles = 0, vertices = 0;
	for (int32_t t = 0; t < from->triangle_count; ++t)
	{
		if (w->fates[t] != KEPT)
		{
			add(w->fates[t] == FLAT ? &r->flat : &r->repeated, t);
			continue;
		}
		r->triangles[triangles++] = t;
		for (int i = 0; i < 3; ++i)
			stays[w->first[from->triangles[3 * (int64_t)t + i]]] = true;
	}
	for (int32_t v = 0; v < from->vertex_count; ++v)
	{
		r->place[v] = stays[v] ? vertices : -1;
		if (stays[v])
			r->kept[vertices++] = v;
	}
	for (int32_t v = 0; v < from->vertex_count; ++v)
	{
		r->place[v] = r->place[w->first[v]];
		if (w->first[v] != v)
			add(&r->doubled, v);
		else if (r->place[v] < 0)
			add(&r->loose, v);
	}
	return vertices;
}

// A vertex is in a group when one of its place is, with the largest weight.
static lm_status carry_group(const lm_repair* r, const lm_group* group, lm_arena* scratch, lm_error* error)
{
	int32_t n = r->mesh->vertex_count, count = 0;
	double* weights = LM_TAKE(scratch, (size_t)n, double);
	int32_t* vertices = LM_TAKE(scratch, (size_t)n, int32_t);
	if (weights == NULL || vertices == NULL)
		return lm_fail_memory(error);
	memset(weights, 0, (size_t)n * sizeof *weights);
	for (int32_t i = 0; group->weights == NULL && i < group->count; ++i)
		if (r->place[group->vertices[i]] >= 0)
			weights[r->place[group->vertices[i]]] = 1;
	for (int32_t v = 0; group->weights != NULL && v < r->vertex_count; ++v)
		if (r->place[v] >= 0)
			weights[r->place[v]] = fmax(weights[r->place[v]], group->weights[v]);
	for (int32_t v = 0; v < n; ++v)
		if (weights[v] >= 0.5)
			vertices[count++] = v;
	return group->weights != NULL ? lm_mesh_paint_group(r->mesh, group->name, weights, error)
	                              : lm_mesh_set_group(r->mesh, group->name, vertices, count, error);
}

static lm_status make_mesh(lm_repair* r, const work* w, int32_t vertices, lm_arena* scratch, lm_error* error)
{
	const lm_mesh* from = w->from;
	int32_t count = from->triangle_count - r->flat.count - r->repeated.count;
	if (count == 0)
		return lm_fail(error, LM_BAD_INPUT, "has %d triangles, and none has an area", from->triangle_count);
	r->mesh = lm_mesh_create(&r->host, vertices, count, 0);
	if (r->mesh == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < vertices; ++v)
		lm_v3_store(r->mesh->positions, v, lm_v3_at(from->positions, r->kept[v]));
	for (int64_t k = 0; k < 3 * (int64_t)count; ++k)
		r->mesh->triangles[k] = r->place[from->triangles[3 * (int64_t)r->triangles[k / 3] + k % 3]];
	lm_status status = LM_OK;
	for (int32_t g = 0; status == LM_OK && g < from->group_count; ++g)
		status = carry_group(r, &from->groups[g], scratch, error);
	return status;
}

// Each vertex as it was is that of its place; loose ones are at the closest point of the surface.
static lm_status make_binding(lm_repair* r, const lm_mesh* from, lm_arena* scratch, lm_error* error)
{
	lm_binding* closest = NULL;
	double* loose = LM_TAKE(scratch, 3 * (size_t)r->vertex_count, double);
	int64_t* starts = LM_TAKE(scratch, (size_t)r->vertex_count + 1, int64_t);
	int32_t *points = LM_TAKE(scratch, 3 * (size_t)r->vertex_count, int32_t), lost = 0;
	double* weights = LM_TAKE(scratch, 3 * (size_t)r->vertex_count, double);
	if (loose == NULL || starts == NULL || points == NULL || weights == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < r->vertex_count; ++v)
		if (r->place[v] < 0)
			lm_v3_store(loose, lost++, lm_v3_at(from->positions, v));
	lm_status status = lost > 0 ? lm_binding_create(r->mesh, loose, lost, &r->host, &closest, error) : LM_OK;
	if (status != LM_OK)
		return status;
	lm_binding_view rows = lost > 0 ? lm_binding_get(closest) : (lm_binding_view){ 0 };
	int64_t at = 0;
	for (int32_t v = 0, row = 0; v < r->vertex_count; ++v)
	{
		starts[v] = at;
		if (r->place[v] >= 0)
			points[at] = r->place[v], weights[at++] = 1;
		else
		{
			for (int64_t k = rows.starts[row]; k < rows.starts[row + 1] && k < rows.starts[row] + 3; ++k)
				points[at] = rows.points[k], weights[at++] = rows.weights[k];
			++row;
		}
	}
	starts[r->vertex_count] = at;
	const lm_binding_view all = { r->vertex_count, r->mesh->vertex_count, starts, points, weights };
	status = lm_binding_create_rows(&all, &r->host, &r->binding, error);
	lm_binding_destroy(closest);
	return status;
}

static lm_status repair(lm_repair* r, const lm_mesh* from, lm_arena* scratch, lm_error* error)
{
	size_t n = (size_t)from->vertex_count, t = (size_t)from->triangle_count;
	work w = { from, LM_TAKE(scratch, n, bool), LM_TAKE(scratch, n, int32_t), LM_TAKE(scratch, t, fate) };
	along* order = LM_TAKE(scratch, n, along);
	corners* sorted = LM_TAKE(scratch, t, corners);
	bool* stays = LM_TAKE(scratch, n, bool);
	if (w.used == NULL || w.first == NULL || w.fates == NULL || order == NULL || sorted == NULL || stays == NULL ||
	    !make_lists(r, from))
		return lm_fail_memory(error);
	memset(w.used, 0, n * sizeof *w.used), memset(stays, 0, n * sizeof *stays);
	for (size_t k = 0; k < 3 * t; ++k)
		w.used[from->triangles[k]] = true;
	find_doubles(from, w.used, order, w.first);
	judge_triangles(from, w.first, sorted, w.fates);
	int32_t vertices = list_faults(r, &w, stays);
	if (r->doubled.count + r->flat.count + r->repeated.count + r->loose.count == 0)
		return LM_OK;
	lm_status status = make_mesh(r, &w, vertices, scratch, error);
	return status == LM_OK ? make_binding(r, from, scratch, error) : status;
}

static lm_status check(const lm_mesh* mesh, lm_error* error)
{
	for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i)
		if (!(fabs(mesh->positions[i]) <= 1e30))
			return lm_fail(error, LM_BAD_INPUT, "vertex %lld is at %g; places must be numbers up to 1e30",
			               (long long)(i / 3), mesh->positions[i]);
	for (int64_t k = 0; k < 3 * (int64_t)mesh->triangle_count; ++k)
		if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count)
			return lm_fail(error, LM_BAD_INPUT, "triangle %lld names vertex %d, there are %d", (long long)(k / 3),
			               mesh->triangles[k], mesh->vertex_count);
	return LM_OK;
}

lm_status lm_mesh_repair(const lm_mesh* mesh, const lm_host* host, lm_repair** result, lm_error* error)
{
	lm_status status = check(mesh, error);
	lm_repair* r = status == LM_OK ? LM_NEW(host, 1, lm_repair) : NULL;
	if (r == NULL)
		return status == LM_OK ? lm_fail_memory(error) : status;
	r->host = *host;
	lm_arena scratch;
	lm_arena_init(&scratch, host);
	status = repair(r, mesh, &scratch, error);
	lm_arena_release(&scratch);
	*result = status == LM_OK && r->mesh != NULL ? r : NULL;
	if (*result == NULL)
		lm_repair_destroy(r);
	return status;
}

void lm_repair_destroy(lm_repair* r)
{
	if (r == NULL)
		return;
	lm_host host = r->host;
	lm_mesh_destroy(r->mesh);
	lm_binding_destroy(r->binding);
	void* all[] = {
		r->doubled.items, r->loose.items, r->flat.items, r->repeated.items, r->place, r->kept, r->triangles
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]);
	lm_free(&host, r);
}
