// motion_touch.c: which points of which bodies are in, or near, which others at a moment. Bodies whose boxes meet are
// tried for a plane between them; of the others only points beyond that plane can touch, and of those only the ones
// whose place under the affine maps that fit both bodies best is near enough, by bounds that always hold (outline.h).
// Bent bodies are far from affine, and for them those bounds say little: so points also have to hang on a node that is
// near a node of the other. What is left is looked at exactly.
#include "design/motion_pairs.h"

#include "base/alloc.h"

#include <string.h>

#define LM_ROUNDS 40      // of Newton's method; 8 do for bodies that are not crumpled
#define LM_SHORTEST 0.005 // share of a step below which there is no way on

// The affine map at a node of the body that is looked at, and back.
typedef struct node_map
{
	lm_vec3 place;
	lm_mat3 inverse;
	bool good;
} node_map;

typedef struct search
{
	const lm_design_motion* motion;
	const double* z;
	lm_design_bounds* bounds;
	double margin; // lengths of the body that is touched
	bool skin;     // all vertices, not only the feelers
	lm_design_pair_contacts* contacts;
	float* place; // scratch for points
	const lm_design_motion_turns* turns;
	node_map* maps; // scratch, of body `mapped`
	int32_t mapped, boxed;
	double reach;      // of the body `boxed`: how far from all nodes nothing of it is, own lengths
	lm_vec3 low, high; // what is outside of this is as far
	double* nodes[3];  // places of the nodes of all bodies in the world, by axes
	uint8_t* near;     // scratch, of the nodes of the body whose points are sifted
} search;

static lm_vec3 place_of(const lm_design_rows* rows, int32_t i, const double* z)
{
	lm_vec3 x = { 0, 0, 0 };
	for (int64_t e = rows->start[i]; e < rows->start[i + 1]; ++e)
		x = lm_add_scaled(x, rows->phi[e], lm_v3_at(z, rows->node[e]));
	return x;
}

static void find_maps(search* s, int32_t b, const double* z)
{
	const lm_design_rows* rows = &s->motion->bodies[b].timeline.model->at_nodes;
	for (int32_t i = 0; i < s->motion->bodies[b].node_count; ++i)
	{
		s->maps[i].place = place_of(rows, i, z);
		s->maps[i].good = lm_invert(lm_design_gradient_at(rows, i, z), &s->maps[i].inverse);
	}
	s->mapped = b;
}

// What is twice as far from all nodes as any vertex is at rest, or as the body has grown, is not near its surface.
static double reach_of(const search* s, int32_t b, double margin)
{
	const lm_design_motion_body* body = &s->motion->bodies[b];
	return fmax(s->bounds[b].grow / body->size, 1) * (2 * body->outline->lonely + margin);
}

static void find_reach(search* s, int32_t b, const double* z)
{
	const lm_design_motion_body* body = &s->motion->bodies[b];
	s->reach = reach_of(s, b, s->margin);
	s->low = lm_v3(INFINITY, INFINITY, INFINITY), s->high = lm_scale(-1, s->low);
	for (int32_t i = 0; i < body->node_count; ++i)
		s->low = lm_min3(s->low, lm_v3_at(z, i)), s->high = lm_max3(s->high, lm_v3_at(z, i));
	s->low = lm_sub(s->low, lm_v3(s->reach, s->reach, s->reach));
	s->high = lm_add(s->high, lm_v3(s->reach, s->reach, s->reach));
	s->boxed = b;
}

static bool is_outside(search* s, int32_t b, const double* z, lm_vec3 p)
{
	if (s->boxed != b)
		find_reach(s, b, z);
	return p.x < s->low.x || p.y < s->low.y || p.z < s->low.z || p.x > s->high.x || p.y > s->high.y || p.z > s->high.z;
}

// The pre-image of a point by the affine map at the nearest node, for bodies that are far from affine.
static bool guess_by_node(search* s, int32_t b, const double* z, lm_vec3 p, lm_vec3* X)
{
	const lm_design_motion_body* body = &s->motion->bodies[b];
	int32_t nearest = 0;
	double best = INFINITY;
	if (s->mapped != b)
		find_maps(s, b, z);
	for (int32_t i = 0; i < body->node_count; ++i)
	{
		lm_vec3 r = lm_sub(p, lm_v3_at(z, i));
		if (lm_dot(r, r) < best)
			best = lm_dot(r, r), nearest = i;
	}
	if (best > s->reach * s->reach)
		return false;
	const node_map* map = &s->maps[nearest];
	*X = lm_add(lm_v3_at(body->timeline.model->nodes, nearest), lm_mul_v(map->inverse, lm_sub(p, map->place)));
	return map->good;
}

// Newton's method for f_b(X) = p, with steps halved until the miss falls; leaves the shape functions and F^-1 of the
// result. False where it finds no such place, as in bodies that are turned inside out: then nothing is known of p.
static bool improve(const lm_design_motion_body* b, const double* z, lm_vec3 p, lm_vec3* X, double* phi,
                    lm_mat3* inverse)
{
	lm_vec3 start = *X, step = { 0, 0, 0 };
	double least = INFINITY, share = 1;
	for (int round = 0; round < LM_ROUNDS && share > LM_SHORTEST; ++round)
	{
		lm_vec3 place;
		lm_mat3 F;
		if (!lm_design_field_map(b->field, *X, z, phi, &place, &F) || !lm_invert(F, inverse))
			return false; // it left the voxels: outside
		lm_vec3 missed = lm_sub(p, place);
		if (lm_length(missed) < least)
		{
			least = lm_length(missed), start = *X, step = lm_mul_v(*inverse, missed);
			double length = lm_length(step);
			*X = lm_add_scaled(start, length > 0.1 ? 0.1 / length : 1, step);
			if (length < 1e-6) // what is left is its square
				return true;
			share = 1, step = lm_sub(*X, start);
			continue;
		}
		share *= 0.5;
		*X = lm_add_scaled(start, share, step);
	}
	return false;
}

static bool add_touch(const lm_host* host, lm_design_pair_contacts* m, const lm_design_pair_contact* touch,
                      const double* phi, int32_t nodes)
{
	size_t needed = m->entry_count + (size_t)nodes;
	if (!lm_grow(host, (void**)&m->touches, &m->capacity, m->count + 1, sizeof *touch) ||
	    !lm_grow(host, (void**)&m->node, &m->node_capacity, needed, sizeof *m->node) ||
	    !lm_grow(host, (void**)&m->phi, &m->phi_capacity, needed, sizeof *m->phi))
		return false;
	lm_design_pair_contact* kept = &m->touches[m->count++];
	*kept = *touch;
	kept->first = m->entry_count;
	for (int32_t i = 0; i < nodes; ++i)
		if (phi[i] != 0)
			m->node[m->entry_count] = i, m->phi[m->entry_count++] = phi[i];
	kept->count = (int32_t)(m->entry_count - kept->first);
	return true;
}

static int32_t stride_of(const search* s, int32_t a, int32_t b)
{
	return s->turns != NULL ? s->turns->strides[(int64_t)a * s->motion->count + b] : 1;
}

typedef enum sight
{
	FAR,
	NEAR,
	UNKNOWN
} sight;

// Whether a place of a body at rest, known to within a bound, can be near its surface. Fields end soon outside.
static sight see(const lm_design_motion_body* body, lm_vec3 X, double bound)
{
	double distance;
	lm_vec3 slope;
	if (lm_design_field_at(body->field, X, &distance, &slope))
		return distance > bound ? FAR : NEAR;
	return bound < LM_OUTLINE_SEEN * body->timeline.model->grid.h ? FAR : UNKNOWN;
}

// A point of a that may be near b: exactly.
static bool look(search* s, int32_t a, int32_t b, int32_t point, const lm_design_rows* rows)
{
	const lm_design_motion_body *first = &s->motion->bodies[a], *second = &s->motion->bodies[b];
	const int64_t* at = s->motion->pairs->first;
	const lm_design_bounds* bounds = &s->bounds[b];
	const double* zb = s->z + at[b];
	lm_vec3 world = lm_add_scaled(first->center, first->size, place_of(rows, point, s->z + at[a]));
	lm_vec3 own = lm_scale(1 / second->size, lm_sub(world, second->center)), X, slope;
	lm_mat3 inverse;
	double distance, phi[LM_DESIGN_MOST_NODES], bound = s->margin + bounds->stretch * bounds->around;
	if (is_outside(s, b, zb, own))
		return true;
	X = lm_add(second->timeline.model->middle, lm_mul_v(bounds->inverse, lm_sub(world, bounds->c)));
	sight seen = see(second, X, bound);
	if (seen == FAR ||
	    (seen == UNKNOWN && (!guess_by_node(s, b, zb, own, &X) ||
	                         !lm_design_field_at(second->field, X, &distance, &slope) || distance > s->margin + 0.05)))
		return true;
	if (!improve(second, zb, own, &X, phi, &inverse) || !lm_design_field_at(second->field, X, &distance, &slope) ||
	    distance >= s->margin)
		return true;
	lm_design_pair_contact touch = { .a = a,
		                             .point = point,
		                             .b = b,
		                             .normal = lm_tmul_v(inverse, slope),
		                             .depth = s->margin - distance,
		                             .share = stride_of(s, a, b) };
	return add_touch(&s->motion->host, s->contacts, &touch, phi, second->node_count);
}

// Which nodes of a are so close to one of b that what hangs on them may touch b; false: none.
static bool find_near(search* s, int32_t a, int32_t b)
{
	const lm_design_motion_body *first = &s->motion->bodies[a], *second = &s->motion->bodies[b];
	const int64_t from_a = s->motion->pairs->first[a] / 3, from_b = s->motion->pairs->first[b] / 3;
	double reach = first->size * reach_of(s, a, 0) + second->size * reach_of(s, b, s->margin);
	const double *x = s->nodes[0] + from_b, *y = s->nodes[1] + from_b, *z = s->nodes[2] + from_b;
	bool any = false;
	for (int32_t i = 0; i < first->node_count; ++i)
	{
		double cx = s->nodes[0][from_a + i], cy = s->nodes[1][from_a + i], cz = s->nodes[2][from_a + i];
		int64_t found = 0;
		for (int32_t j = 0; j < second->node_count; ++j)
		{
			double dx = x[j] - cx, dy = y[j] - cy, dz = z[j] - cz;
			found |= dx * dx + dy * dy + dz * dz <= reach * reach;
		}
		s->near[i] = found != 0;
		any |= found != 0;
	}
	return any;
}

// Of the points of a those that may touch b, which begins at `begin` along the normal.
static bool sift(search* s, int32_t a, int32_t b, lm_vec3 normal, double begin)
{
	const lm_design_motion_body* second = &s->motion->bodies[b];
	const lm_design_outline_points* points =
		s->skin ? &s->motion->bodies[a].outline->skin : &s->motion->bodies[a].outline->feelers;
	const lm_design_bounds *sa = &s->bounds[a], *sb = &s->bounds[b];
	lm_vec3 m = lm_tmul_v(sa->A, normal), middle = second->timeline.model->middle;
	double slack = s->margin * sb->grow + 1e-6 * second->size;
	float x = (float)m.x, y = (float)m.y, z = (float)m.z;
	for (int32_t k = 0; k < points->padded; ++k)
		s->place[k] = x * points->x[k] + y * points->y[k] + z * points->z[k];
	float least = (float)(begin - slack - sa->off - lm_dot(normal, sa->c));
	double bound = s->margin + sb->stretch * (sa->off + sb->around);
	lm_mat3 T = lm_mul(sb->inverse, sa->A);
	lm_vec3 t = lm_add(middle, lm_mul_v(sb->inverse, lm_sub(sa->c, sb->c)));
	int32_t stride = s->skin ? 1 + points->count / 3000 : 1; // so many do for the check
	for (int32_t k = 0; k < points->count; k += stride)
	{
		if (!s->near[points->home[k]] || !(s->place[k] >= least))
			continue;
		lm_vec3 X = lm_add(t, lm_mul_v(T, lm_v3(points->x[k], points->y[k], points->z[k])));
		if (see(second, X, bound) == FAR)
			continue;
		if (!look(s, a, b, k, points->rows))
			return false;
	}
	return true;
}

static bool search_pair(search* s, int32_t a, int32_t b)
{
	const lm_design_motion_body *first = &s->motion->bodies[a], *second = &s->motion->bodies[b];
	const lm_design_bounds *sa = &s->bounds[a], *sb = &s->bounds[b];
	double margin = s->margin * fmax(sa->grow, sb->grow), begin;
	lm_vec3 normal;
	if (lm_design_bounds_apart(first->outline, sa, second->outline, sb, margin, &normal, &begin))
		return true;
	if (find_near(s, a, b) && !sift(s, a, b, normal, begin))
		return false;
	lm_design_bounds_apart(second->outline, sb, first->outline, sa, margin, &normal, &begin);
	return !find_near(s, b, a) || sift(s, b, a, normal, begin);
}

// Those who are there at a time; the others far away from everything and each other.
static void take_stances(const lm_design_motion* motion, double time, const double* z, lm_design_bounds* bounds)
{
	for (int32_t b = 0; b < motion->count; ++b)
	{
		const lm_design_motion_body* body = &motion->bodies[b];
		lm_design_bounds_find(body->outline, z + motion->pairs->first[b], body->center, body->size, &bounds[b]);
		if (!lm_design_motion_is_there(body, time))
			bounds[b].low = lm_v3(INFINITY, INFINITY, INFINITY),
			bounds[b].high = lm_v3(-INFINITY, -INFINITY, -INFINITY);
	}
}

static bool make_scratch(search* s)
{
	const lm_design_motion* motion = s->motion;
	const lm_host* host = &motion->host;
	int32_t points = 0, nodes = 0;
	for (int32_t b = 0; b < motion->count; ++b)
	{
		const lm_design_outline* o = motion->bodies[b].outline;
		int32_t padded = s->skin ? o->skin.padded : o->feelers.padded;
		points = padded > points ? padded : points;
		nodes = motion->bodies[b].node_count > nodes ? motion->bodies[b].node_count : nodes;
	}
	int64_t all = motion->pairs->first[motion->count] / 3;
	s->bounds = LM_NEW(host, motion->count, lm_design_bounds);
	s->place = LM_NEW(host, points, float);
	s->maps = LM_NEW(host, nodes, node_map);
	s->near = LM_NEW(host, nodes, uint8_t);
	s->nodes[0] = LM_NEW(host, 3 * all, double);
	if (s->bounds == NULL || s->place == NULL || s->maps == NULL || s->near == NULL || s->nodes[0] == NULL)
		return false;
	s->nodes[1] = s->nodes[0] + all, s->nodes[2] = s->nodes[1] + all;
	return true;
}

static void release_scratch(search* s)
{
	const lm_host* host = &s->motion->host;
	lm_free(host, s->bounds);
	lm_free(host, s->place);
	lm_free(host, s->maps);
	lm_free(host, s->near);
	lm_free(host, s->nodes[0]);
}

static void place_nodes(search* s)
{
	for (int32_t b = 0; b < s->motion->count; ++b)
	{
		const lm_design_motion_body* body = &s->motion->bodies[b];
		int64_t first = s->motion->pairs->first[b];
		for (int32_t i = 0; i < body->node_count; ++i)
		{
			lm_vec3 x = lm_add_scaled(body->center, body->size, lm_v3_at(s->z + first, i));
			int64_t at = first / 3 + i;
			s->nodes[0][at] = x.x, s->nodes[1][at] = x.y, s->nodes[2][at] = x.z;
		}
	}
}

// All pairs whose boxes meet, into new memory; NULL when out of it.
static int32_t (*list_pairs(const search* s, int64_t* count))[2]
{
	const lm_design_motion* motion = s->motion;
	double reach = 0;
	int32_t* order = LM_NEW(&motion->host, motion->count, int32_t);
	int32_t(*pairs)[2] = NULL;
	bool fine = order != NULL;
	for (int32_t b = 0; b < motion->count; ++b)
		reach = fmax(reach, s->margin * s->bounds[b].grow);
	for (int64_t room = 8 * (int64_t)motion->count; fine && pairs == NULL; room = *count)
	{
		pairs = (int32_t(*)[2])LM_NEW(&motion->host, 2 * room, int32_t);
		fine = pairs != NULL;
		*count = fine ? lm_design_bounds_pairs(s->bounds, motion->count, reach, order, pairs, room) : 0;
		if (*count > room)
			lm_free(&motion->host, pairs), pairs = NULL;
	}
	lm_free(&motion->host, order);
	return pairs;
}

static bool find_touches(const lm_design_motion* motion, double time, const double* z, double margin, bool skin,
                         const lm_design_motion_turns* turns, lm_design_pair_contacts* contacts)
{
	search s = { .motion = motion, .z = z, .margin = margin, .skin = skin, .contacts = contacts, .turns = turns };
	int64_t count = 0;
	int32_t(*pairs)[2] = NULL;
	contacts->count = 0, contacts->entry_count = 0;
	s.mapped = s.boxed = -1;
	bool fine = make_scratch(&s);
	if (fine)
	{
		take_stances(motion, time, z, s.bounds);
		place_nodes(&s);
		pairs = list_pairs(&s, &count);
		fine = pairs != NULL;
	}
	for (int64_t k = 0; fine && k < count; ++k)
		if (turns == NULL || turns->moment % stride_of(&s, pairs[k][0], pairs[k][1]) == 0)
			fine = search_pair(&s, pairs[k][0], pairs[k][1]);
	lm_free(&motion->host, pairs);
	release_scratch(&s);
	return fine;
}

bool lm_design_find_pair_contacts(const lm_design_motion* motion, double time, const double* z, double margin,
                                  lm_design_pair_contacts* contacts)
{
	return find_touches(motion, time, z, margin, false, NULL, contacts);
}

bool lm_design_find_some_pair_contacts(const lm_design_motion* motion, double time, const double* z, double margin,
                                       const lm_design_motion_turns* turns, lm_design_pair_contacts* contacts)
{
	return find_touches(motion, time, z, margin, false, turns, contacts);
}

bool lm_design_motion_find_depths(const lm_design_motion* motion, double time, const double* z,
                                  lm_design_pair_contacts* contacts)
{
	return find_touches(motion, time, z, 0, true, NULL, contacts);
}
