// ribbon.c: curves in the plane as ribbons.
//
// Each edge of the polygon becomes STEPS pieces of the Catmull-Rom spline through its vertices: a fixed combination of
// four of them. Around each point of that lies a ring: an ellipse, thin in the plane and wide across it.
#include "world/plate.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"

enum
{
	STEPS = 4, // pieces per edge
	RING = 10  // points around
};

// A point of the smooth curve: a combination of vertices, and its neighbours along the curve (itself at an end).
typedef struct knot
{
	int32_t vertices[4];
	double weights[4];
	int32_t before, after;
} knot;

struct lm_ribbon
{
	lm_host host;
	int32_t knot_count;
	knot* knots;    // first the vertices, then the inner points of each edge
	double* places; // knot_count x 3, scratch of lm_ribbon_move
	double width, thickness;
};

void lm_ribbon_destroy(lm_ribbon* ribbon)
{
	if (ribbon == NULL)
		return;
	lm_host host = ribbon->host;
	lm_free(&host, ribbon->knots);
	lm_free(&host, ribbon->places);
	lm_free(&host, ribbon);
}

// ---- the smooth curve ----

// Inner point k = 1 .. STEPS - 1 of an edge.
static int32_t inner(const lm_mesh* curve, int32_t edge, int32_t k)
{
	return curve->vertex_count + edge * (STEPS - 1) + k - 1;
}

// The two edges of each vertex, -1 where there is none; a vertex of more edges keeps the first two.
static void find_edges(const lm_mesh* curve, int32_t* edges)
{
	for (int32_t i = 0; i < 2 * curve->vertex_count; ++i)
		edges[i] = -1;
	for (int32_t i = 0; i < 2 * curve->edge_count; ++i)
	{
		int32_t* own = edges + 2 * (int64_t)curve->edges[i];
		if (own[0] < 0)
			own[0] = i / 2;
		else if (own[1] < 0)
			own[1] = i / 2;
	}
}

// The vertex beyond `end` of an edge, or the edge's other end when the curve ends there.
static int32_t beyond(const lm_mesh* curve, const int32_t* edges, int32_t edge, int32_t end, int32_t other)
{
	const int32_t* own = edges + 2 * (int64_t)end;
	int32_t next = own[0] == edge ? own[1] : own[0];
	if (next < 0 || next == edge)
		return other;
	return curve->edges[2 * next] == end ? curve->edges[2 * next + 1] : curve->edges[2 * next];
}

// The spline with tangents (c - a) / 2 and (d - b) / 2; at a loose end the vertex beyond is the mirror image, so that
// the combination is of the edge's ends alone.
static knot inner_knot(int32_t a, int32_t b, int32_t c, int32_t d, double t)
{
	double t2 = t * t, t3 = t2 * t;
	knot k = { .vertices = { a, b, c, d },
		       .weights = { (-t3 + 2 * t2 - t) / 2, (3 * t3 - 5 * t2 + 2) / 2, (-3 * t3 + 4 * t2 + t) / 2,
		                    (t3 - t2) / 2 } };
	if (a == c) // loose: a = 2 b - c
	{
		k.weights[1] += 2 * k.weights[0];
		k.weights[2] -= k.weights[0];
		k.weights[0] = 0;
	}
	if (d == b)
	{
		k.weights[2] += 2 * k.weights[3];
		k.weights[1] -= k.weights[3];
		k.weights[3] = 0;
	}
	return k;
}

static void fill_knots(const lm_mesh* curve, const int32_t* edges, knot* knots)
{
	for (int32_t v = 0; v < curve->vertex_count; ++v)
		knots[v] = (knot){ .vertices = { v, v, v, v }, .weights = { 1, 0, 0, 0 }, .before = v, .after = v };
	for (int32_t e = 0; e < curve->edge_count; ++e)
	{
		int32_t b = curve->edges[2 * e], c = curve->edges[2 * e + 1];
		int32_t a = beyond(curve, edges, e, b, c), d = beyond(curve, edges, e, c, b);
		for (int32_t k = 1; k < STEPS; ++k)
		{
			knot* own = &knots[inner(curve, e, k)];
			*own = inner_knot(a, b, c, d, (double)k / STEPS);
			own->before = k == 1 ? b : inner(curve, e, k - 1);
			own->after = k == STEPS - 1 ? c : inner(curve, e, k + 1);
		}
	}
	// a vertex lies between the nearest inner points of its two edges
	for (int32_t v = 0; v < curve->vertex_count; ++v)
		for (int side = 0; side < 2; ++side)
		{
			int32_t e = edges[2 * (int64_t)v + side];
			if (e < 0)
				continue;
			int32_t near = inner(curve, e, curve->edges[2 * e] == v ? 1 : STEPS - 1);
			if (side == 0)
				knots[v].before = near;
			else
				knots[v].after = near;
		}
}

// ---- the mesh ----

static int32_t* put_quad(int32_t* at, int32_t a, int32_t b, int32_t c, int32_t d)
{
	at[0] = a, at[1] = b, at[2] = c;
	at[3] = a, at[4] = c, at[5] = d;
	return at + 6;
}

// Tube between two knots. Rings are counted against the direction of each knot's own curve, which may change where the
// edges of the file do not run one after the other; then the ring is read backwards.
static int32_t* put_tube(int32_t* at, const knot* knots, int32_t from, int32_t to)
{
	bool flip_from = knots[from].after != to, flip_to = knots[to].before != from;
	for (int32_t r = 0; r < RING; ++r)
	{
		int32_t r0 = flip_from ? (RING + RING / 2 - r) % RING : r;
		int32_t r1 = flip_from ? (RING + RING / 2 - r - 1) % RING : (r + 1) % RING;
		int32_t s0 = flip_to ? (RING + RING / 2 - r) % RING : r;
		int32_t s1 = flip_to ? (RING + RING / 2 - r - 1) % RING : (r + 1) % RING;
		at = put_quad(at, from * RING + r0, from * RING + r1, to * RING + s1, to * RING + s0);
	}
	return at;
}

// A lid over the ring of a vertex with one edge, which is the one before it: see fill_knots.
static int32_t* put_lid(int32_t* at, int32_t v)
{
	for (int32_t r = 1; r < RING - 1; ++r)
	{
		at[0] = v * RING;
		at[1] = v * RING + r;
		at[2] = v * RING + r + 1;
		at += 3;
	}
	return at;
}

static bool is_end(const knot* k, int32_t v)
{
	return k->before != v && k->after == v;
}

static int32_t count_ends(const lm_ribbon* ribbon, int32_t vertex_count)
{
	int32_t ends = 0;
	for (int32_t v = 0; v < vertex_count; ++v)
		ends += is_end(&ribbon->knots[v], v);
	return ends;
}

static void fill_mesh(const lm_ribbon* ribbon, const lm_mesh* curve, lm_mesh* mesh)
{
	int32_t* at = mesh->triangles;
	for (int32_t e = 0; e < curve->edge_count; ++e)
		for (int32_t k = 0; k < STEPS; ++k)
		{
			int32_t from = k == 0 ? curve->edges[2 * e] : inner(curve, e, k);
			int32_t to = k == STEPS - 1 ? curve->edges[2 * e + 1] : inner(curve, e, k + 1);
			at = put_tube(at, ribbon->knots, from, to);
		}
	for (int32_t v = 0; v < curve->vertex_count; ++v)
		if (is_end(&ribbon->knots[v], v))
			at = put_lid(at, v);
	lm_ribbon_move(ribbon, curve->positions, mesh->positions);
}

lm_status lm_ribbon_create(const lm_mesh* curve, double width, const lm_host* host, lm_ribbon** result, lm_mesh** mesh,
                           lm_error* error)
{
	lm_ribbon* ribbon = LM_NEW(host, 1, lm_ribbon);
	int32_t* edges = LM_NEW(host, 2 * (size_t)curve->vertex_count, int32_t);
	lm_mesh* made = NULL;
	if (ribbon != NULL)
	{
		*ribbon = (lm_ribbon){ .host = *host, .width = width, .thickness = width / 3 };
		ribbon->knot_count = curve->vertex_count + (STEPS - 1) * curve->edge_count;
		ribbon->knots = LM_NEW(host, ribbon->knot_count, knot);
		ribbon->places = LM_NEW(host, 3 * (size_t)ribbon->knot_count, double);
	}
	if (ribbon != NULL && ribbon->knots != NULL && ribbon->places != NULL && edges != NULL)
	{
		find_edges(curve, edges);
		fill_knots(curve, edges, ribbon->knots);
		int32_t ends = count_ends(ribbon, curve->vertex_count);
		made = lm_mesh_create(host, RING * ribbon->knot_count, 2 * RING * STEPS * curve->edge_count + (RING - 2) * ends,
		                      0);
	}
	lm_free(host, edges);
	if (made == NULL)
	{
		lm_ribbon_destroy(ribbon);
		return lm_fail_memory(error);
	}
	fill_mesh(ribbon, curve, made);
	*result = ribbon;
	*mesh = made;
	return LM_OK;
}

void lm_ribbon_move(const lm_ribbon* ribbon, const double* points, double* positions)
{
	static const double step = 2 * LM_PI / RING;
	for (int32_t i = 0; i < ribbon->knot_count; ++i)
	{
		const knot* k = &ribbon->knots[i];
		lm_vec3 sum = { 0 };
		for (int c = 0; c < 4; ++c)
			sum = lm_add_scaled(sum, k->weights[c], lm_v3_at(points, k->vertices[c]));
		lm_v3_store(ribbon->places, i, sum);
	}
	for (int32_t i = 0; i < ribbon->knot_count; ++i)
	{
		const knot* k = &ribbon->knots[i];
		lm_vec3 along = lm_sub(lm_v3_at(ribbon->places, k->after), lm_v3_at(ribbon->places, k->before));
		along = lm_normalize_or(along, lm_v3(1, 0, 0));
		lm_vec3 across = lm_v3(-along.y, along.x, 0), place = lm_v3_at(ribbon->places, i);
		for (int32_t r = 0; r < RING; ++r)
		{
			lm_vec3 on_ring = lm_add_scaled(place, ribbon->thickness / 2 * cos(step * r), across);
			on_ring.z += ribbon->width / 2 * sin(step * r);
			lm_v3_store(positions, (int64_t)i * RING + r, on_ring);
		}
	}
}

void lm_ribbon_carry(const lm_ribbon* ribbon, const double* values, double* shown)
{
	for (int32_t i = 0; i < ribbon->knot_count; ++i)
	{
		const knot* k = &ribbon->knots[i];
		lm_vec3 sum = { 0 };
		for (int c = 0; c < 4; ++c)
			sum = lm_add_scaled(sum, k->weights[c], lm_v3_at(values, k->vertices[c]));
		for (int32_t r = 0; r < RING; ++r)
			lm_v3_store(shown, (int64_t)i * RING + r, sum);
	}
}

// The first knots are the vertices.
void lm_ribbon_gather(const double* shown, int32_t vertex_count, double* values)
{
	for (int64_t v = 0; v < vertex_count; ++v)
	{
		values[v] = 0;
		for (int r = 0; r < RING; ++r)
			values[v] = fmax(values[v], shown[v * RING + r]);
	}
}
