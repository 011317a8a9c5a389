// fit_contacts.c: what meets the ground: the vertices of the flat sole, and above it vertices of the surface, spread
// evenly, the outermost first, because those are the corners of what it lies on. Points of the surface at the sole,
// too, would let figures stand on the few lowest points of soles that are a little round, and they fall.
#include "mesh/fit.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

static const double sole_height = 0.06; // of the height: what is lower is left to the sole
static const double spacing = 0.08;     // of the height

enum
{
	most_contacts = 400
};

typedef struct candidate
{
	int32_t vertex;
	double out; // distance from the middle
} candidate;

static int compare(const void* a, const void* b)
{
	const candidate *p = a, *q = b;
	if (p->out != q->out)
		return p->out > q->out ? -1 : 1;
	return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// Vertices of triangles above the sole, from the outside in.
static int32_t list_candidates(const lm_fit_body* b, const lm_mesh* surface, const bool* used, candidate* list)
{
	int32_t count = 0;
	lm_vec3 middle = { 0 };
	for (int32_t v = 0; v < surface->vertex_count; ++v)
	{
		lm_vec3 x = lm_v3_at(surface->positions, v);
		if (!used[v] || x.y < b->ground + sole_height * b->height)
			continue;
		list[count++].vertex = v;
		middle = lm_add(middle, x);
	}
	middle = lm_scale(count > 0 ? 1.0 / count : 0, middle);
	for (int32_t k = 0; k < count; ++k)
		list[k].out = lm_distance(lm_v3_at(surface->positions, list[k].vertex), middle);
	qsort(list, (size_t)count, sizeof *list, compare);
	return count;
}

static int32_t choose(const lm_mesh* surface, const candidate* list, int32_t count, double apart, int32_t* chosen)
{
	int32_t found = 0;
	for (int32_t k = 0; k < count && found < most_contacts; ++k)
	{
		lm_vec3 x = lm_v3_at(surface->positions, list[k].vertex);
		bool near = false;
		for (int32_t c = 0; c < found && !near; ++c)
			near = lm_distance(x, lm_v3_at(surface->positions, chosen[c])) < apart;
		if (!near)
			chosen[found++] = list[k].vertex;
	}
	return found;
}

// Rows: each vertex of the sole by itself, then the chosen ones of the surface.
static lm_status make_rows(const lm_fit_body* b, const int32_t* chosen, int32_t count, lm_fitted* fit, lm_error* error)
{
	lm_binding_view surface = lm_binding_get(fit->binding), rows = { .point_count = b->vertex_count };
	size_t most = (size_t)count + (size_t)b->vertex_count;
	int64_t* starts = LM_NEW(&b->host, most + 1, int64_t);
	int32_t* points = LM_NEW(&b->host, 4 * most, int32_t);
	double* weights = LM_NEW(&b->host, 4 * most, double);
	lm_status status = starts && points && weights ? LM_OK : lm_fail_memory(error);
	for (int32_t v = 0; status == LM_OK && v < b->vertex_count; ++v)
	{
		int64_t at = starts[rows.vertex_count];
		if (!b->sole[v])
			continue;
		points[at] = v, weights[at] = 1;
		starts[++rows.vertex_count] = at + 1;
	}
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
	{
		int64_t at = starts[rows.vertex_count], from = surface.starts[chosen[k]];
		for (int i = 0; i < 4; ++i)
			points[at + i] = surface.points[from + i], weights[at + i] = surface.weights[from + i];
		starts[++rows.vertex_count] = at + 4;
	}
	rows.starts = starts, rows.points = points, rows.weights = weights;
	if (status == LM_OK)
		status = lm_binding_create_rows(&rows, &b->host, &fit->contacts, error);
	lm_free(&b->host, starts);
	lm_free(&b->host, points);
	lm_free(&b->host, weights);
	return status;
}

lm_status lm_fit_choose_contacts(const lm_fit_body* b, const lm_mesh* surface, lm_fitted* fit, lm_error* error)
{
	candidate* list = LM_NEW(&b->host, surface->vertex_count, candidate);
	bool* used = LM_NEW(&b->host, surface->vertex_count, bool);
	int32_t* chosen = LM_NEW(&b->host, most_contacts, int32_t);
	lm_status status = list && used && chosen ? LM_OK : lm_fail_memory(error);
	for (int64_t k = 0; status == LM_OK && k < 3 * (int64_t)surface->triangle_count; ++k)
		used[surface->triangles[k]] = true;
	if (status == LM_OK)
	{
		int32_t count = list_candidates(b, surface, used, list);
		count = choose(surface, list, count, spacing * b->height, chosen);
		status = make_rows(b, chosen, count, fit, error);
	}
	lm_free(&b->host, list);
	lm_free(&b->host, used);
	lm_free(&b->host, chosen);
	return status;
}
