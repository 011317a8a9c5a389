// cage_outline.c: the outline of the cells that a body fills loses its vertices until few enough are left, in ways that
// only make it larger, so that it always encloses what it did: the plane's form of a progressive hull (P. Sander et
// al., Silhouette Clipping, 2000).
//
// - A vertex at which the polygon turns right, or not at all, is left out.
// - An edge at whose two ends it turns left is left out, and its neighbours are prolonged until they meet.
// - An edge at whose two ends it turns right shrinks to its middle.
// - A vertex on a mirror's line at which it turns left is left out with the edges to both sides, and theirs are
// prolonged.
//
// The cheapest goes first:  area added + k sum over the new edges of max(0, length - L)^2  (less what the old ones
// had), L the perimeter over the number of vertices wanted: a cage is there to be moved, so its vertices should lie
// evenly, not only where the outline bends. A symmetric body loses mirror images together.
#include "mesh/cage_outline.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double evenness = 0.15; // k
// Losing more vertices than needed costs this share of the polygon's area for each.
static const double lost_vertex = 0.01;

typedef struct vec2
{
	double x, y;
} vec2;

typedef struct polygon
{
	int32_t count;
	vec2* points; // counter-clockwise
} polygon;

typedef struct outline
{
	const lm_cage_voxels* voxels;
	int32_t wanted;
	bool symmetric;   // mirror images go together
	double tolerance; // of what counts as the same place
	polygon now, trial;
	double* costs; // of leaving out vertex i; behind those, the edge from vertex i; then vertex i on a mirror
} outline;

// ---- the outline of the cells

static bool is_filled(const lm_cage_voxels* voxels, int32_t x, int32_t y)
{
	return x >= 0 && y >= 0 && x < voxels->n[0] && y < voxels->n[1] && voxels->filled[x + (int64_t)voxels->n[0] * y];
}

// Walks around the cells, the filled ones on the left, from the lowest filled cell of the first row. points: room for
// four times the cells, or NULL. Returns the number of corners passed, straight ones too.
static int32_t walk_around(const lm_cage_voxels* voxels, vec2* points)
{
	static const int32_t step[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
	int32_t start = 0, count = 0;
	while (!voxels->filled[start])
		++start;
	int32_t x = start % voxels->n[0], y = start / voxels->n[0], heading = 0;
	const int32_t first_x = x, first_y = y;
	do
	{
		if (points != NULL)
			points[count] = (vec2){ voxels->low[0] + voxels->step[0] * x, voxels->low[1] + voxels->step[1] * y };
		++count;
		x += step[heading][0], y += step[heading][1];
		// the cells ahead on the left and on the right
		int32_t dx = step[heading][0], dy = step[heading][1];
		bool left = is_filled(voxels, x + (dx - dy - 1) / 2, y + (dx + dy - 1) / 2);
		bool right = is_filled(voxels, x + (dx + dy - 1) / 2, y + (dy - dx - 1) / 2);
		if (!left)
			heading = (heading + 1) % 4;
		else if (right)
			heading = (heading + 3) % 4;
	} while (x != first_x || y != first_y);
	return count;
}

// ---- what leaving out does

static double turn(vec2 a, vec2 b, vec2 c)
{
	return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double distance(vec2 a, vec2 b)
{
	return hypot(a.x - b.x, a.y - b.y);
}

static vec2 at(const polygon* p, int32_t i)
{
	return p->points[(i % p->count + p->count) % p->count];
}

static double excess(vec2 a, vec2 b, double most)
{
	double over = fmax(distance(a, b) - most, 0);
	return evenness * over * over;
}

static double perimeter(const polygon* p)
{
	double sum = 0;
	for (int32_t i = 0; i < p->count; ++i)
		sum += distance(at(p, i), at(p, i + 1));
	return sum;
}

static double area(const polygon* p)
{
	double sum = 0;
	for (int32_t i = 1; i + 1 < p->count; ++i)
		sum += turn(p->points[0], p->points[i], p->points[i + 1]) / 2;
	return sum;
}

// Or not at all: a turn to the left by rounding alone counts as none.
static bool turns_right(vec2 a, vec2 b, vec2 c)
{
	return turn(a, b, c) <= 1e-9 * distance(a, b) * distance(b, c);
}

static double vertex_cost(const polygon* p, int32_t i, double most)
{
	vec2 a = at(p, i - 1), b = at(p, i), c = at(p, i + 1);
	if (!turns_right(a, b, c))
		return INFINITY;
	return -turn(a, b, c) / 2 + excess(a, c, most) - excess(a, b, most) - excess(b, c, most);
}

// Where the lines a b and d c meet beyond b and c. False when they do not.
static bool meeting_point(vec2 a, vec2 b, vec2 c, vec2 d, vec2* meeting)
{
	vec2 u = { b.x - a.x, b.y - a.y }, v = { c.x - d.x, c.y - d.y }, w = { c.x - b.x, c.y - b.y };
	double uv = u.x * v.y - u.y * v.x, wv = w.x * v.y - w.y * v.x;
	if (turns_right(a, b, c) || turns_right(b, c, d) || !(-uv > 1e-6 * hypot(u.x, u.y) * hypot(v.x, v.y)))
		return false;
	*meeting = (vec2){ b.x + wv / uv * u.x, b.y + wv / uv * u.y };
	return true;
}

static vec2 middle(vec2 a, vec2 b)
{
	return (vec2){ (a.x + b.x) / 2, (a.y + b.y) / 2 };
}

static double edge_cost(const polygon* p, int32_t i, double most)
{
	vec2 a = at(p, i - 1), b = at(p, i), c = at(p, i + 1), d = at(p, i + 2), m;
	double gained;
	if (turns_right(a, b, c) && turns_right(b, c, d))
	{
		m = middle(b, c);
		gained = (turn(a, m, b) + turn(m, d, c)) / 2;
	}
	else if (meeting_point(a, b, c, d, &m))
		gained = turn(b, m, c) / 2;
	else
		return INFINITY;
	return gained + excess(a, m, most) + excess(m, d, most) - excess(a, b, most) - excess(b, c, most) -
	       excess(c, d, most);
}

// For each of the two vertices that go.
static double axis_cost(const polygon* p, int32_t i, double most)
{
	vec2 a = at(p, i - 2), b = at(p, i - 1), c = at(p, i), d = at(p, i + 1), e = at(p, i + 2), m;
	if (p->count < 6 || turns_right(b, c, d) || !meeting_point(a, b, d, e, &m))
		return INFINITY;
	double gained = (turn(b, m, d) - turn(b, c, d)) / 2;
	return (gained + excess(a, m, most) + excess(m, e, most) - excess(a, b, most) - excess(b, c, most) -
	        excess(c, d, most) - excess(d, e, most)) /
	       2;
}

// ---- leaving out

static bool in_triangle(vec2 p, vec2 a, vec2 b, vec2 c)
{
	return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
}

static bool same(vec2 a, vec2 b)
{
	return a.x == b.x && a.y == b.y;
}

// Is the triangle that is added (corners counter-clockwise, two or three of them vertices) free of other vertices?
static bool is_free(const polygon* p, vec2 a, vec2 b, vec2 c)
{
	for (int32_t i = 0; i < p->count; ++i)
		if (!same(p->points[i], a) && !same(p->points[i], b) && !same(p->points[i], c) &&
		    in_triangle(p->points[i], a, b, c))
			return false;
	return true;
}

static bool crosses(vec2 a, vec2 b, vec2 c, vec2 d)
{
	return turn(a, b, c) * turn(a, b, d) <= 0 && turn(c, d, a) * turn(c, d, b) <= 0;
}

// Does the spike b m c on the edge from vertex i run through another edge?
static bool spike_is_free(const polygon* p, int32_t i, vec2 m)
{
	vec2 b = at(p, i), c = at(p, i + 1);
	for (int32_t k = 2; k < p->count - 1; ++k) // not the edge itself and its neighbours
	{
		vec2 x = at(p, i + k), y = at(p, i + k + 1);
		if (crosses(b, m, x, y) || crosses(m, c, x, y))
			return false;
	}
	return true;
}

static void erase(polygon* p, int32_t i)
{
	memmove(p->points + i, p->points + i + 1, sizeof(vec2) * (size_t)(p->count - 1 - i));
	--p->count;
}

static bool drop_vertex(polygon* p, int32_t i)
{
	vec2 a = at(p, i - 1), b = at(p, i), c = at(p, i + 1);
	if (!turns_right(a, b, c) || (turn(a, b, c) < 0 && !is_free(p, a, c, b)))
		return false;
	erase(p, i);
	return true;
}

static bool drop_edge(polygon* p, int32_t i)
{
	vec2 a = at(p, i - 1), b = at(p, i), c = at(p, i + 1), d = at(p, i + 2), m;
	if (turns_right(a, b, c) && turns_right(b, c, d))
	{
		m = middle(b, c);
		if (!is_free(p, a, m, b) || !is_free(p, m, d, c))
			return false;
	}
	else if (!meeting_point(a, b, c, d, &m) || !is_free(p, b, m, c) || !spike_is_free(p, i, m))
		return false;
	p->points[i] = m;
	erase(p, (i + 1) % p->count);
	return true;
}

static bool drop_axis_vertex(polygon* p, int32_t i)
{
	if (p->count < 6 || turns_right(at(p, i - 1), at(p, i), at(p, i + 1)))
		return false;
	erase(p, i); // the change that follows encloses more than this loses
	int32_t before = (i + p->count - 1) % p->count;
	vec2 m;
	return meeting_point(at(p, before - 1), at(p, before), at(p, before + 1), at(p, before + 2), &m) &&
	       drop_edge(p, before);
}

static int32_t find_point(const outline* o, const polygon* p, vec2 x)
{
	for (int32_t i = 0; i < p->count; ++i)
		if (distance(p->points[i], x) < o->tolerance)
			return i;
	return -1;
}

static vec2 mirrored(const lm_cage_voxels* voxels, vec2 x, int flips)
{
	double sum_x = 2 * voxels->low[0] + voxels->step[0] * voxels->n[0],
		   sum_y = 2 * voxels->low[1] + voxels->step[1] * voxels->n[1];
	return (vec2){ flips & 1 ? sum_x - x.x : x.x, flips & 2 ? sum_y - x.y : x.y };
}

typedef enum drop
{
	DROP_VERTEX,
	DROP_EDGE, // from vertex i
	DROP_AXIS_VERTEX
} drop;

static bool drop_one(polygon* p, drop what, int32_t i)
{
	if (p->count <= 4)
		return false;
	return what == DROP_VERTEX ? drop_vertex(p, i) : what == DROP_EDGE ? drop_edge(p, i) : drop_axis_vertex(p, i);
}

static bool is_mirror(const outline* o, int flips)
{
	return flips == 0 ||
	       (o->symmetric && !((flips & 1) && !o->voxels->mirrored[0]) && !((flips & 2) && !o->voxels->mirrored[1]));
}

// Makes a change of `now`, and its mirror images; the result is `trial`. False: not possible.
static bool drop_orbit(outline* o, drop what, int32_t i)
{
	vec2 begin = at(&o->now, i), end = at(&o->now, what == DROP_EDGE ? i + 1 : i);
	o->trial.count = o->now.count;
	memcpy(o->trial.points, o->now.points, sizeof(vec2) * (size_t)o->now.count);
	for (int flips = 0; flips < 4; ++flips)
	{
		if (!is_mirror(o, flips))
			continue;
		bool reversed = flips == 1 || flips == 2;
		int32_t first = find_point(o, &o->trial, mirrored(o->voxels, reversed ? end : begin, flips));
		int32_t last = find_point(o, &o->trial, mirrored(o->voxels, reversed ? begin : end, flips));
		if (first < 0 && last < 0)
			continue; // its own mirror image, and gone already
		if (first < 0 || last < 0 || !drop_one(&o->trial, what, first))
			return false;
	}
	return true;
}

static bool is_on_axis(const outline* o, vec2 x)
{
	return (is_mirror(o, 1) && distance(mirrored(o->voxels, x, 1), x) < o->tolerance) ||
	       (is_mirror(o, 2) && distance(mirrored(o->voxels, x, 2), x) < o->tolerance);
}

static void measure(outline* o)
{
	double most = perimeter(&o->now) / o->wanted;
	for (int32_t i = 0; i < o->now.count; ++i)
	{
		o->costs[i] = vertex_cost(&o->now, i, most);
		o->costs[o->now.count + i] = edge_cost(&o->now, i, most);
		o->costs[2 * o->now.count + i] = is_on_axis(o, at(&o->now, i)) ? axis_cost(&o->now, i, most) : INFINITY;
	}
}

static void take_trial(outline* o)
{
	polygon swap = o->now;
	o->now = o->trial, o->trial = swap;
}

// The cheapest that is possible. Losing more vertices than needed is charged for. False: none is possible.
static bool drop_cheapest(outline* o)
{
	double spare = INFINITY, charge = lost_vertex * area(&o->now);
	int32_t n = o->now.count, spare_choice = -1;
	measure(o);
	for (;;)
	{
		int32_t best = 0;
		for (int32_t i = 1; i < 3 * n; ++i)
			if (o->costs[i] < o->costs[best])
				best = i;
		double cost = o->costs[best];
		if (!(cost < spare))
			break;
		o->costs[best] = INFINITY;
		if (!drop_orbit(o, (drop)(best / n), best % n))
			continue;
		if (o->trial.count >= o->wanted)
		{
			take_trial(o);
			return true;
		}
		cost += charge * (o->wanted - o->trial.count);
		if (cost < spare)
			spare = cost, spare_choice = best;
	}
	if (spare_choice < 0)
		return false;
	drop_orbit(o, (drop)(spare_choice / n), spare_choice % n);
	take_trial(o);
	return true;
}

// To the number of vertices wanted; if need be unsymmetrically, if need be the box.
static void simplify(outline* o)
{
	while (o->now.count > o->wanted)
		if (!drop_cheapest(o))
		{
			if (!o->symmetric)
				break;
			o->symmetric = false;
		}
	if (o->now.count <= o->wanted)
		return;
	const lm_cage_voxels* voxels = o->voxels;
	double width = voxels->step[0] * voxels->n[0], height = voxels->step[1] * voxels->n[1];
	o->now.count = 4;
	for (int i = 0; i < 4; ++i)
		o->now.points[i] =
			(vec2){ voxels->low[0] + (i == 1 || i == 2 ? width : 0), voxels->low[1] + (i >= 2 ? height : 0) };
}

lm_status lm_cage_outline(const lm_cage_voxels* voxels, int32_t vertices, const lm_host* host, lm_cage** result,
                          lm_error* error)
{
	assert(voxels->dimension == 2);
	int32_t count = walk_around(voxels, NULL);
	outline o = { .voxels = voxels,
		          .wanted = vertices,
		          .symmetric = true,
		          .tolerance = 1e-7 * (voxels->step[0] + voxels->step[1]),
		          .now = { count, LM_NEW(host, count, vec2) },
		          .trial = { 0, LM_NEW(host, count, vec2) },
		          .costs = LM_NEW(host, 3 * (size_t)count, double) };
	lm_status status = LM_NO_MEMORY;
	if (o.now.points != NULL && o.trial.points != NULL && o.costs != NULL)
	{
		walk_around(voxels, o.now.points);
		simplify(&o);
		double* corners = o.costs; // which are not needed any more
		for (int32_t i = 0; i < o.now.count; ++i)
			corners[2 * i] = o.now.points[i].x, corners[2 * i + 1] = o.now.points[i].y;
		status = lm_cage_create_polygon(corners, o.now.count, host, result, error);
	}
	else
		lm_fail_memory(error);
	lm_free(host, o.now.points);
	lm_free(host, o.trial.points);
	lm_free(host, o.costs);
	return status;
}
