// body_contact.c: finding where a point of a body meets another.
//
// Solids: the point p lies in a tetrahedron of b as it is now. Its barycentric coordinates carry it to b at rest, where
// the nearest point of the surface is well defined however much b is bent; that triangle, as it is now, gives the
// normal and the depth. Both bodies are then pushed at the one point p, through the barycentric coordinates, so that
// whatever impulse acts keeps linear and angular momentum. Within the thickness outside, p is written in the
// coordinates of the tetrahedron behind the nearest triangle, which is the same with weights a little below zero.
//
// In the plane the same is done with triangles for tetrahedra and edges for triangles (see body.h).
//
// Sheets: p is close to a triangle or has gone through it in this step. It belongs on the side where it was.
#include "contact/body_contact.h"

#include "mesh/closest.h"

// Tetrahedra squeezed below this share of their volume, or turned inside out, say nothing about where a point is.
#define LEAST_VOLUME 0.02
// Cosine by which a way out must face the surface that came in.
#define LEAST_FACING 0.2
// How much longer than the nearest it may be, but for ways that are short beside the edges: the rim of a body that
// stands flush on another is close to that one's side, where it would slip in.
#define DETOUR 3.0
#define CLOSE 0.5
// Weights of a point outside a tetrahedron are used up to this size.
#define LARGEST_WEIGHT 2.0

typedef struct triangle
{
	lm_vec3 x[3];
	lm_vec3 normal; // zero when flat
} triangle;

static void corners_now(const lm_contact_body* body, int32_t t, lm_vec3 x[3])
{
	for (int i = 0; i < 3; ++i)
		x[i] = lm_v3_at(body->now, body->triangles[3 * (int64_t)t + i]);
}

static triangle triangle_now(const lm_contact_body* body, int32_t t)
{
	triangle result = { .normal = lm_face_normal(body, t) };
	corners_now(body, t, result.x);
	return result;
}

static lm_vec3 combine(const lm_vec3* x, const double* weights, int count)
{
	lm_vec3 sum = lm_scale(weights[0], x[0]);
	for (int i = 1; i < count; ++i)
		sum = lm_add_scaled(sum, weights[i], x[i]);
	return sum;
}

// ---- what is too close on the body itself to count

static bool are_neighbours(const lm_contact_body* body, int32_t u, int32_t v)
{
	if (u == v)
		return true;
	for (int64_t k = body->neighbours.starts[u]; k < body->neighbours.starts[u + 1]; ++k)
		if (body->neighbours.items[k] == v)
			return true;
	return false;
}

static bool belongs_to(const lm_contact_body* body, const lm_contact_sample* sample, const int32_t* corners, int count)
{
	for (int i = 0; i < count; ++i)
		if (are_neighbours(body, sample->vertex[0], corners[i]) ||
		    (sample->weight[1] != 0 && are_neighbours(body, sample->vertex[1], corners[i])))
			return true;
	return false;
}

// ---- solids

static bool flat_weights(const lm_contact_body* body, int32_t t, lm_vec3 p, double weights[4])
{
	const int32_t* corner = body->tets + 4 * (int64_t)t;
	lm_vec3 a = lm_v3_at(body->now, corner[0]), ap = lm_sub(p, a);
	lm_vec3 ab = lm_sub(lm_v3_at(body->now, corner[1]), a), ac = lm_sub(lm_v3_at(body->now, corner[2]), a);
	double area = lm_cross(ab, ac).z;
	if (!(area > LEAST_VOLUME * body->volumes[t]))
		return false;
	weights[1] = lm_cross(ap, ac).z / area;
	weights[2] = lm_cross(ab, ap).z / area;
	weights[0] = 1 - weights[1] - weights[2];
	weights[3] = 0;
	return isfinite(weights[0]);
}

static bool tet_weights(const lm_contact_body* body, int32_t t, lm_vec3 p, double weights[4])
{
	if (body->dimension == 2)
		return flat_weights(body, t, p, weights);
	const int32_t* corner = body->tets + 4 * (int64_t)t;
	lm_vec3 a = lm_v3_at(body->now, corner[0]);
	lm_vec3 ab = lm_sub(lm_v3_at(body->now, corner[1]), a), ac = lm_sub(lm_v3_at(body->now, corner[2]), a);
	lm_vec3 ad = lm_sub(lm_v3_at(body->now, corner[3]), a), ap = lm_sub(p, a), n = lm_cross(ac, ad);
	double volume = lm_dot(ab, n);
	if (!(volume > LEAST_VOLUME * body->volumes[t]))
		return false;
	return lm_tet_weights(ab, ac, ad, ap, n, volume, weights);
}

static bool tet_holds(const lm_body_contact_query* query, int32_t t, lm_vec3 p, double weights[4])
{
	const int32_t* corner = query->b->tets + 4 * (int64_t)t;
	bool same = query->a == query->b;
	const lm_contact_sample* sample = same ? &query->a->samples[query->sample] : NULL;
	if (same && (corner[0] == sample->vertex[0] || corner[1] == sample->vertex[0] || corner[2] == sample->vertex[0] ||
	             corner[3] == sample->vertex[0]))
		return false; // most candidates on the same body end here
	if (!tet_weights(query->b, t, p, weights))
		return false;
	if (!(weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0 && weights[3] >= 0))
		return false;
	return !same || !belongs_to(query->b, sample, corner, 4);
}

typedef struct tet_search
{
	const lm_body_contact_query* query;
	lm_vec3 p;
	int32_t tet; // -1: none yet
	double weights[4];
	bool close; // some tetrahedron is within the thickness
} tet_search;

static bool consider_tet(void* context, int32_t t)
{
	tet_search* search = context;
	search->close = true;
	if (tet_holds(search->query, t, search->p, search->weights))
		search->tet = t;
	return search->tet < 0;
}

// The first in the order of the tree that holds the point.
static tet_search find_tet(const lm_body_contact_query* query, lm_vec3 p)
{
	tet_search search = { .query = query, .p = p, .tet = -1 };
	lm_slim_tree_visit(&query->b->tet_tree, lm_sub(p, query->b->centre), query->thickness, consider_tet, &search);
	return search;
}

// ---- the way out of a solid

typedef struct exit_search
{
	const lm_contact_body* body;
	lm_vec3 p;      // at rest
	lm_vec3 facing; // normal of the point's own surface now; zero: any way out will do
	lm_bvh_hit hit;
} exit_search;

static void try_exit(exit_search* search, int32_t t)
{
	const lm_contact_body* body = search->body;
	if (lm_dot(search->facing, search->facing) > 0 && lm_dot(search->facing, lm_face_normal(body, t)) > -LEAST_FACING)
		return;
	const int32_t* corner = body->triangles + 3 * (int64_t)t;
	lm_closest closest = lm_closest_on_triangle(search->p, lm_v3_at(body->rest, corner[0]),
	                                            lm_v3_at(body->rest, corner[1]), lm_v3_at(body->rest, corner[2]));
	lm_bvh_hit* hit = &search->hit;
	if (closest.distance2 > hit->distance2 ||
	    (closest.distance2 == hit->distance2 && hit->element >= 0 && t > hit->element))
		return;
	hit->element = t, hit->distance2 = closest.distance2, hit->point = closest.point;
	for (int i = 0; i < 3; ++i)
		hit->weights[i] = closest.weights[i];
}

// The nearest triangle of the surface at rest, among those closer than the root of reach2.
static lm_bvh_hit find_exit(const lm_contact_body* body, lm_vec3 p, lm_vec3 facing, double reach2)
{
	const lm_bvh* tree = &body->rest_tree;
	exit_search search = { body, p, facing, { .element = -1, .distance2 = reach2 } };
	int32_t stack[LM_BVH_STACK], height = 0;
	stack[height++] = 0;
	while (height > 0)
	{
		int32_t i = stack[--height];
		const lm_bvh_node* node = &tree->nodes[i];
		if (lm_box_distance2(node->box, p) > search.hit.distance2)
			continue;
		for (int32_t k = node->right; k < node->right + node->count; ++k)
			try_exit(&search, tree->items[k]);
		if (node->count > 0)
			continue;
		bool left_first =
			lm_box_distance2(tree->nodes[i + 1].box, p) < lm_box_distance2(tree->nodes[node->right].box, p);
		stack[height++] = left_first ? node->right : i + 1;
		stack[height++] = left_first ? i + 1 : node->right;
	}
	return search.hit;
}

// Two surfaces that touch face each other: the way out is the nearest triangle that faces the point's own surface,
// unless it is much farther than the nearest of all. In a deep overlap this picks ways out that agree (compare
// Heidelberger et al. 2004, "Consistent penetration depth estimation for deformable collision response").
static lm_bvh_hit choose_exit(const lm_contact_body* body, lm_vec3 p, lm_vec3 facing)
{
	lm_bvh_hit nearest = find_exit(body, p, lm_v3(0, 0, 0), INFINITY);
	if (nearest.element < 0 || lm_dot(facing, lm_face_normal(body, nearest.element)) <= -LEAST_FACING)
		return nearest;
	double close = CLOSE * body->spacing, reach2 = fmax(DETOUR * DETOUR * nearest.distance2, close * close);
	lm_bvh_hit facing_hit = find_exit(body, p, facing, reach2);
	return facing_hit.element >= 0 ? facing_hit : nearest;
}

static void push_through_tet(const lm_contact_body* body, int32_t t, const double weights[4], lm_body_contact* contact)
{
	for (int i = 0; i < 4; ++i)
		contact->on_b[i] = body->tets[4 * (int64_t)t + i], contact->weight_b[i] = weights[i];
	contact->has_friction = true;
	contact->lever = 0;
}

static void push_through_face(const lm_contact_body* body, int32_t t, const double weights[3], lm_body_contact* contact)
{
	for (int i = 0; i < 3; ++i)
		contact->on_b[i] = body->triangles[3 * (int64_t)t + i], contact->weight_b[i] = weights[i];
	contact->on_b[3] = contact->on_b[2], contact->weight_b[3] = 0;
	contact->lever = 0;
	contact->has_friction = true;
}

static bool contact_inside(const lm_body_contact_query* query, const lm_body_contact_point* point, int32_t t,
                           const double weights[4], lm_body_contact* contact)
{
	const lm_contact_body* b = query->b;
	lm_vec3 corners[4];
	for (int i = 0; i < 4; ++i)
		corners[i] = lm_v3_at(b->rest, b->tets[4 * (int64_t)t + i]);
	lm_vec3 facing = query->a ? lm_contact_sample_normal(query->a, &query->a->samples[query->sample]) : point->facing;
	lm_bvh_hit hit = choose_exit(b, combine(corners, weights, 4), facing);
	if (hit.element < 0)
		return false;
	triangle face = triangle_now(b, hit.element);
	lm_vec3 out = lm_sub(combine(face.x, hit.weights, 3), point->now);
	double depth = lm_dot(out, face.normal), length = lm_length(out);
	contact->normal = face.normal;
	if (!(depth >
	      0)) // on the surface, but for rounding; or the surface has folded over, and the way out is to the side
	{
		bool folded = length > 1e-3 * b->spacing || lm_dot(face.normal, face.normal) == 0;
		if (folded && !(length > 1e-9 * b->spacing))
			return false;
		contact->normal = folded ? lm_scale(1 / length, out) : face.normal;
		depth = folded ? length : 0;
	}
	push_through_tet(b, t, weights, contact);
	contact->touching = depth, contact->keep = query->thickness;
	contact->face = hit.element, contact->side = 0;
	return true;
}

// ---- close to triangles

typedef struct nearby
{
	const lm_body_contact_query* query;
	lm_vec3 p, before;
	double best; // n . (p - q) of the best so far
	int32_t triangle;
	double weights[3];
	lm_vec3 q, normal;
	int32_t side; // sheets: 0 at an edge
} nearby;

static bool consider_solid_face(void* context, int32_t t)
{
	nearby* search = context;
	const lm_contact_body* b = search->query->b;
	lm_vec3 x[3];
	corners_now(b, t, x);
	lm_closest closest = lm_closest_on_triangle(search->p, x[0], x[1], x[2]);
	lm_vec3 away = lm_sub(search->p, closest.point);
	double distance = sqrt(closest.distance2);
	bool better = distance < search->best || (distance == search->best && t < search->triangle);
	if (!better || !(lm_dot(away, lm_v3_at(b->face_normals, t)) > 0))
		return true;
	if (search->query->a == b &&
	    belongs_to(b, &search->query->a->samples[search->query->sample], b->triangles + 3 * (int64_t)t, 3))
		return true;
	search->best = distance, search->triangle = t, search->q = closest.point;
	search->normal = lm_scale(1 / distance, away);
	for (int i = 0; i < 3; ++i)
		search->weights[i] = closest.weights[i];
	return true;
}

static bool contact_outside(const lm_body_contact_query* query, lm_vec3 p, lm_body_contact* contact)
{
	if (!(query->thickness > 0))
		return false;
	nearby search = { .query = query, .p = p, .best = query->thickness, .triangle = -1 };
	lm_slim_tree_visit(&query->b->surface_tree, lm_sub(p, query->b->centre), query->thickness, consider_solid_face,
	                   &search);
	if (search.triangle < 0)
		return false;
	double weights[4];
	int32_t behind = query->b->triangle_tets[search.triangle];
	bool usable = tet_weights(query->b, behind, p, weights);
	for (int i = 0; usable && i < 4; ++i)
		usable = fabs(weights[i]) < LARGEST_WEIGHT;
	if (!usable && !query->steady)
		return false;
	if (usable)
		push_through_tet(query->b, behind, weights, contact);
	else
		push_through_face(query->b, search.triangle, search.weights, contact);
	contact->normal = search.normal;
	// p_a and p_b are one in the tetrahedron; from a point of the triangle the distance is there to be seen
	contact->touching = usable ? -search.best : 0, contact->keep = query->thickness;
	contact->face = search.triangle, contact->side = 0;
	return true;
}

// ---- sheets

static bool share_vertex(const lm_contact_body* body, int32_t t, int32_t u)
{
	const int32_t *a = body->triangles + 3 * (int64_t)t, *b = body->triangles + 3 * (int64_t)u;
	for (int i = 0; i < 9; ++i)
		if (a[i / 3] == b[i % 3])
			return true;
	return false;
}

// The side that is remembered of the triangle or a neighbour; 0: none.
static int32_t last_side(const lm_body_contact_query* query, int32_t t)
{
	return query->last_face >= 0 && share_vertex(query->b, t, query->last_face) ? query->last_side : 0;
}

// On which side of the triangle, at these weights, the point was before the step: +1 or -1.
static int32_t side_before(const nearby* search, int32_t t, const double weights[3])
{
	const lm_contact_body* b = search->query->b;
	if (last_side(search->query, t) != 0)
		return search->query->last_side;
	const int32_t* corner = b->triangles + 3 * (int64_t)t;
	lm_vec3 x[3];
	for (int i = 0; i < 3; ++i)
		x[i] = lm_v3_at(b->before, corner[i]);
	lm_vec3 ab = lm_sub(x[1], x[0]);
	lm_vec3 normal = b->dimension == 3 ? lm_cross(ab, lm_sub(x[2], x[0])) : lm_v3(ab.y, -ab.x, 0);
	return lm_dot(normal, lm_sub(search->before, combine(x, weights, 3))) < 0 ? -1 : 1;
}

// Whether the point of the triangle with these weights lies on the rim of the sheet, as far as vertices tell.
static bool on_rim(const lm_contact_body* body, int32_t t, const double weights[3])
{
	for (int i = 0; i < 3; ++i)
		if (weights[i] > 0 && !body->rim[body->triangles[3 * (int64_t)t + i]])
			return false;
	return true;
}

// At an inner edge or vertex: a point that was on the other side has its way back through the sheet.
static int32_t contact_inner_edge(const nearby* search, int32_t t, const double weights[3], lm_vec3* normal,
                                  double* gap)
{
	const lm_contact_body* b = search->query->b;
	lm_vec3 bulge[3], x[3];
	for (int i = 0; i < 3; ++i)
	{
		int32_t corner = b->triangles[3 * (int64_t)t + i];
		bulge[i] = lm_v3_at(b->vertex_normals, corner), x[i] = lm_v3_at(b->before, corner);
	}
	lm_vec3 out = lm_normalize_or(combine(bulge, weights, 3), lm_face_normal(b, t));
	int32_t side = last_side(search->query, t);
	if (side == 0)
		side = lm_dot(out, lm_sub(search->before, combine(x, weights, 3))) < 0 ? -1 : 1;
	if (side * lm_dot(*normal, out) < 0)
		*normal = lm_scale(side, out), *gap = -*gap;
	return side;
}

static bool consider_sheet(void* context, int32_t t)
{
	nearby* search = context;
	const lm_contact_body* b = search->query->b;
	const int32_t* corner = b->triangles + 3 * (int64_t)t;
	if (search->query->a == b && belongs_to(b, &search->query->a->samples[search->query->sample], corner, 3))
		return true;
	triangle face = triangle_now(b, t);
	if (lm_dot(face.normal, face.normal) == 0)
		return true;
	lm_closest closest = lm_closest_on_triangle(search->p, face.x[0], face.x[1], face.x[2]);
	const double* w = closest.weights;
	bool interior = b->dimension == 3 ? w[0] > 0 && w[1] > 0 && w[2] > 0 : w[0] > 0 && w[1] + w[2] > 0;
	lm_vec3 away = lm_sub(search->p, closest.point), normal = face.normal;
	double gap = sqrt(closest.distance2);
	int32_t side = interior ? side_before(search, t, w) : 0;
	if (interior)
	{
		normal = lm_scale(side, face.normal);
		gap = lm_dot(away, normal); // below zero: it went through
	}
	else
	{
		normal = lm_normalize_or(away, face.normal);
		if (search->query->steady && !on_rim(b, t, w))
			side = contact_inner_edge(search, t, w, &normal, &gap);
	}
	if (gap > search->best || (gap == search->best && t > search->triangle))
		return true;
	search->best = gap, search->triangle = t, search->q = closest.point, search->normal = normal;
	search->side = side;
	for (int i = 0; i < 3; ++i)
		search->weights[i] = w[i];
	return true;
}

static void set_gradients(const triangle* face, lm_body_contact* contact)
{
	lm_vec3 across = lm_cross(lm_sub(face->x[1], face->x[0]), lm_sub(face->x[2], face->x[0]));
	double scale = 1 / lm_length(across);
	for (int i = 0; i < 3; ++i) // n x (the opposite side) / (twice the area)
		contact->gradient[i] =
			lm_scale(scale, lm_cross(face->normal, lm_sub(face->x[(i + 2) % 3], face->x[(i + 1) % 3])));
}

static bool contact_sheet(const lm_body_contact_query* query, const lm_body_contact_point* point,
                          lm_body_contact* contact)
{
	const lm_contact_body* b = query->b;
	double skin = fmax(query->thickness, LM_SHEET_SKIN * b->spacing);
	nearby search = { .query = query, .p = point->now, .before = point->before, .best = skin, .triangle = -1 };
	lm_slim_tree_visit(&b->surface_tree, lm_sub(point->now, b->centre), skin + query->reach, consider_sheet, &search);
	if (search.triangle < 0)
		return false;
	for (int i = 0; i < 3; ++i)
	{
		contact->on_b[i] = b->triangles[3 * (int64_t)search.triangle + i];
		contact->weight_b[i] = search.weights[i];
	}
	contact->on_b[3] = contact->on_b[2], contact->weight_b[3] = 0;
	contact->normal = search.normal;
	contact->touching = 0, contact->keep = skin;
	contact->has_friction = search.side != 0;
	contact->lever = search.side != 0 ? search.best : 0;
	contact->face = search.triangle, contact->side = search.side;
	if (b->dimension == 3)
	{
		triangle face = triangle_now(b, search.triangle);
		set_gradients(&face, contact);
	}
	return true;
}

bool lm_body_contact_find_point(const lm_body_contact_query* query, const lm_body_contact_point* point,
                                lm_body_contact* contact)
{
	if (!lm_finite(point->now))
		return false;
	if (query->b->tet_count == 0)
		return contact_sheet(query, point, contact);
	tet_search search = find_tet(query, point->now);
	if (search.tet >= 0)
		return contact_inside(query, point, search.tet, search.weights, contact);
	return search.close && contact_outside(query, point->now, contact);
}

bool lm_body_contact_find(const lm_body_contact_query* query, lm_body_contact* contact)
{
	const lm_contact_body* a = query->a;
	const lm_contact_sample* sample = &a->samples[query->sample];
	lm_body_contact_point point = { .now = lm_contact_sample_position(a, sample) };
	if (query->b->tet_count == 0)
		point.before = lm_contact_sample_position_before(a, sample);
	for (int i = 0; i < 2; ++i)
		contact->on_a[i] = sample->vertex[i], contact->weight_a[i] = sample->weight[i];
	return lm_body_contact_find_point(query, &point, contact);
}
