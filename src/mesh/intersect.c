// Exact intersection tests of triangles; see intersect.h.
//
// Closed triangles intersect exactly when an edge of one meets the other. A segment p q meets a triangle whose plane it
// crosses when the line p q passes its three edges on one side: orientations are signs, so nothing is ever rounded.
#include "mesh/intersect.h"

#include "math/predicates.h"

// ---- in a plane ---------------------------------------------------------------------------------------------------

// Coordinates other than `axis`.
static void flatten(lm_vec3 p, int axis, double flat[2])
{
	double c[3] = { p.x, p.y, p.z };
	flat[0] = c[(axis + 1) % 3], flat[1] = c[(axis + 2) % 3];
}

static bool between(double a, double b, double x)
{
	return (a <= x && x <= b) || (b <= x && x <= a);
}

// p on the line a b: is it on the segment?
static bool on_segment(const double a[2], const double b[2], const double p[2])
{
	return between(a[0], b[0], p[0]) && between(a[1], b[1], p[1]);
}

static bool segments_meet(const double a[2], const double b[2], const double c[2], const double d[2])
{
	int ac = lm_orient2(a, b, c), ad = lm_orient2(a, b, d), ca = lm_orient2(c, d, a), cb = lm_orient2(c, d, b);
	if (ac * ad < 0 && ca * cb < 0)
		return true;
	return (ac == 0 && on_segment(a, b, c)) || (ad == 0 && on_segment(a, b, d)) || (ca == 0 && on_segment(c, d, a)) ||
	       (cb == 0 && on_segment(c, d, b));
}

static bool contains(double t[3][2], const double p[2])
{
	int s[3];
	for (int i = 0; i < 3; ++i)
		s[i] = lm_orient2(t[i], t[(i + 1) % 3], p);
	return (s[0] >= 0 && s[1] >= 0 && s[2] >= 0) || (s[0] <= 0 && s[1] <= 0 && s[2] <= 0);
}

// Everything seen along one axis. A triangle that is a line there has no inside.
static bool meet_seen_along(int axis, lm_vec3 p, lm_vec3 q, const lm_vec3 t[3], bool* flat)
{
	double a[2], b[2], corner[3][2];
	flatten(p, axis, a), flatten(q, axis, b);
	for (int i = 0; i < 3; ++i)
		flatten(t[i], axis, corner[i]);
	*flat = lm_orient2(corner[0], corner[1], corner[2]) == 0;
	for (int i = 0; i < 3; ++i)
		if (segments_meet(a, b, corner[i], corner[(i + 1) % 3]))
			return true;
	return !*flat && contains(corner, a);
}

// Whether the segment lies in one plane with each edge.
static bool in_plane_with_edges(lm_vec3 p, lm_vec3 q, const lm_vec3 t[3])
{
	bool all = true;
	for (int i = 0; i < 3; ++i)
		all = all && lm_orient3(p, q, t[i], t[(i + 1) % 3]) == 0;
	return all;
}

// All in one plane: seen along an axis from which the triangle has an area nothing is lost. A triangle that has none at
// all is a segment: it meets the other if they lie in a plane and meet from everywhere.
static bool meet_in_plane(lm_vec3 p, lm_vec3 q, const lm_vec3 t[3])
{
	bool all = true;
	for (int axis = 0; axis < 3; ++axis)
	{
		bool flat, meet = meet_seen_along(axis, p, q, t, &flat);
		if (!flat)
			return meet;
		all = all && meet;
	}
	return all && in_plane_with_edges(p, q, t);
}

// ---- in space ----------------------------------------------------------------------------------------------------

static bool segment_meets(lm_vec3 p, lm_vec3 q, const lm_vec3 t[3])
{
	int above = lm_orient3(t[0], t[1], t[2], p), below = lm_orient3(t[0], t[1], t[2], q);
	if (above * below > 0)
		return false;
	if (above == 0 && below == 0)
		return meet_in_plane(p, q, t);
	int s[3];
	for (int i = 0; i < 3; ++i)
		s[i] = lm_orient3(p, q, t[i], t[(i + 1) % 3]);
	return (s[0] >= 0 && s[1] >= 0 && s[2] >= 0) || (s[0] <= 0 && s[1] <= 0 && s[2] <= 0);
}

// All of b strictly on one side of a's plane: the usual case.
static bool apart(const lm_vec3 a[3], const lm_vec3 b[3])
{
	int side = lm_orient3(a[0], a[1], a[2], b[0]);
	return side != 0 && side == lm_orient3(a[0], a[1], a[2], b[1]) && side == lm_orient3(a[0], a[1], a[2], b[2]);
}

bool lm_triangles_intersect(const lm_vec3 a[3], const lm_vec3 b[3])
{
	if (apart(a, b) || apart(b, a))
		return false;
	for (int i = 0; i < 3; ++i)
		if (segment_meets(a[i], a[(i + 1) % 3], b) || segment_meets(b[i], b[(i + 1) % 3], a))
			return true;
	return false;
}

// ---- triangles of a mesh -----------------------------------------------------------------------------------------

// A common edge: they overlap when they lie in a plane, on the same side of the edge.
static bool fold_onto(lm_vec3 u, lm_vec3 v, lm_vec3 a, lm_vec3 b)
{
	if (lm_orient3(u, v, a, b) != 0)
		return false;
	for (int axis = 0; axis < 3; ++axis)
	{
		double flat[4][2];
		flatten(u, axis, flat[0]), flatten(v, axis, flat[1]), flatten(a, axis, flat[2]), flatten(b, axis, flat[3]);
		int side = lm_orient2(flat[0], flat[1], flat[2]), other = lm_orient2(flat[0], flat[1], flat[3]);
		if (side != 0 && other != 0)
			return side == other;
	}
	return true; // one of them has no area
}

// Reorders a and b so that common vertices come first, in the same order. Returns how many there are.
static int align(int32_t a[3], int32_t b[3])
{
	int common = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = common; j < 3; ++j)
			if (a[i] == b[j])
			{
				int32_t x = a[i], y = b[common];
				a[i] = a[common], a[common] = x;
				b[j] = y, b[common] = x;
				++common;
				break;
			}
	return common;
}

bool lm_mesh_triangles_intersect(const double* positions, const int32_t first[3], const int32_t second[3])
{
	int32_t a[3] = { first[0], first[1], first[2] }, b[3] = { second[0], second[1], second[2] };
	int common = align(a, b);
	lm_vec3 p[3], q[3];
	for (int i = 0; i < 3; ++i)
		p[i] = lm_v3_at(positions, a[i]), q[i] = lm_v3_at(positions, b[i]);
	switch (common)
	{
		case 0: return lm_triangles_intersect(p, q);
		case 1: // whatever they share beyond the common vertex ends on the edge opposite to it
			return segment_meets(p[1], p[2], q) || segment_meets(q[1], q[2], p);
		case 2: return fold_onto(p[0], p[1], p[2], q[2]);
		default: return true;
	}
}

typedef struct search
{
	const lm_bvh *one, *two;
	int32_t element; // of one
	bool itself;
	lm_triangle_pair* pairs;
	int64_t capacity, count;
} search;

static bool corners_intersect(const search* s, int32_t other)
{
	const int32_t *a = s->one->elements + 3 * (int64_t)s->element, *b = s->two->elements + 3 * (int64_t)other;
	if (s->itself)
		return lm_mesh_triangles_intersect(s->one->positions, a, b);
	lm_vec3 p[3], q[3];
	for (int i = 0; i < 3; ++i)
		p[i] = lm_v3_at(s->one->positions, a[i]), q[i] = lm_v3_at(s->two->positions, b[i]);
	return lm_triangles_intersect(p, q);
}

// Pairs come in the order of first; those of one first are put in order as they come.
static bool visit(void* context, int32_t other)
{
	search* s = context;
	if ((s->itself && other <= s->element) || !corners_intersect(s, other))
		return true;
	int64_t at = s->count++;
	if (s->pairs == NULL || at >= s->capacity)
		return true;
	for (; at > 0 && s->pairs[at - 1].first == s->element && s->pairs[at - 1].second > other; --at)
		s->pairs[at] = s->pairs[at - 1];
	s->pairs[at] = (lm_triangle_pair){ s->element, other };
	return true;
}

static int64_t count_all(search* s)
{
	for (s->element = 0; s->element < s->one->count; ++s->element)
		lm_bvh_overlaps(s->two, lm_bvh_element_box(s->one, s->element), visit, s);
	return s->count;
}

int64_t lm_mesh_count_intersections(const lm_bvh* tree, lm_triangle_pair* pairs, int64_t capacity)
{
	search s = { .one = tree, .two = tree, .itself = true, .pairs = pairs, .capacity = capacity };
	return count_all(&s);
}

int64_t lm_meshes_count_intersections(const lm_bvh* one, const lm_bvh* two, lm_triangle_pair* pairs, int64_t capacity)
{
	search s = { .one = one, .two = two, .pairs = pairs, .capacity = capacity };
	return count_all(&s);
}
