// surface_features.c: the smooth pieces of a triangle mesh near a point.
//
// Outside, the nearest point of the surface lies on a face, which is met as its plane, or on an edge or vertex that is
// convex there, met as a line or point; blunt ones, usual on smooth surfaces, are met as the plane across the
// direction to the point. Other faces that the point lies straight in front of bound it, too: the walls of a concave
// spot. Inside, the point meets the plane of the nearest face, and the walls of the place on the surface nearest to it.
//
// Sheets are the same with the side on which the point was for the outside. Beyond their rims there is no side.
#include "contact/features.h"
#include "mesh/closest.h"

#define CORE_SHARE 0.02 // of the rounding
#define BLUNT 0.9       // cosine by which normals beside an edge differ at most for it to be a bend of a smooth surface

typedef struct scan
{
	const lm_contact_surface* surface;
	lm_vec3 p;
	double side; // normals are turned by it
	double reach;
	int32_t count;
	lm_feature* features;
} scan;

// Names of pieces: 4 t for face t, 4 t + 1 + k for edge k of it (of the lower triangle), -1 - v for vertex v.
static int32_t face_id(int32_t t)
{
	return 4 * t;
}

static int32_t edge_id(const lm_contact_surface* surface, int32_t t, int k)
{
	int32_t other = surface->facets[t].across[k];
	if (other < 0 || other > t)
		return 4 * t + k + 1;
	for (int j = 0; j < 3; ++j)
		if (surface->facets[other].across[j] == t)
			return 4 * other + j + 1;
	return 4 * t + k + 1;
}

// Normals of triangles around a vertex: the least cosine with the given one; -1 when the vertex lies on a rim.
static double ring_cosine(const lm_contact_surface* surface, int32_t t, int corner, lm_vec3 normal)
{
	int32_t v = surface->merged[surface->triangles[3 * (int64_t)t + corner]], at = t;
	double least = 1;
	for (int steps = 0; steps < 100; ++steps)
	{
		int k = 0;
		while (k < 3 && surface->merged[surface->triangles[3 * (int64_t)at + k]] != v)
			++k;
		least = fmin(least, lm_dot(surface->facets[at].face, normal));
		at = k < 3 ? surface->facets[at].across[k] : -1;
		if (at < 0)
			return -1;
		if (at == t)
			return least;
	}
	return -1;
}

// Whether the surface near the nearest point is smooth enough to be a plane.
static bool is_blunt(const scan* s, const lm_contact_surface_nearest* nearest)
{
	const lm_facet* facet = &s->surface->facets[nearest->triangle];
	if (nearest->part == 0)
		return true;
	if (nearest->part == 2)
		return ring_cosine(s->surface, nearest->triangle, nearest->corner,
		                   lm_normalize_or(nearest->pseudo, facet->face)) > BLUNT;
	int32_t other = facet->across[nearest->corner];
	return other >= 0 && lm_dot(facet->face, s->surface->facets[other].face) > BLUNT;
}

static bool is_rim(const lm_contact_surface* surface, const lm_contact_surface_nearest* nearest)
{
	if (surface->closed || nearest->part == 0)
		return false;
	if (nearest->part == 1)
		return surface->facets[nearest->triangle].across[nearest->corner] < 0;
	return ring_cosine(surface, nearest->triangle, nearest->corner, lm_v3(0, 0, 0)) == -1;
}

static void add(scan* s, lm_feature feature)
{
	double distance = lm_feature_distance(&feature, s->p, NULL, NULL);
	if (!(distance < s->reach))
		return;
	lm_vec3 normal = lm_feature_normal(&feature, s->p);
	for (int32_t i = 0; i < s->count; ++i)
		if (lm_dot(lm_feature_normal(&s->features[i], s->p), normal) > BLUNT)
			return; // the nearer one was first
	if (s->count < LM_FEATURES_PER_COLLIDER)
		s->features[s->count++] = feature;
}

static void add_face(scan* s, int32_t t)
{
	lm_vec3 x[3];
	lm_contact_surface_corners(s->surface, t, x);
	add(s, (lm_feature){ .kind = LM_FEATURE_PLANE,
	                     .id = face_id(t),
	                     .origin = x[0],
	                     .axis = lm_scale(s->side, s->surface->facets[t].face) });
}

static void add_nearest(scan* s, const lm_contact_surface_nearest* nearest, bool inside, double core)
{
	const lm_facet* facet = &s->surface->facets[nearest->triangle];
	if (nearest->part == 0 || inside)
	{
		add_face(s, nearest->triangle);
		return;
	}
	lm_feature feature = { .id = edge_id(s->surface, nearest->triangle, nearest->corner), .origin = nearest->point };
	lm_vec3 x[3], normal = lm_scale(s->side, lm_normalize_or(nearest->pseudo, facet->face));
	lm_contact_surface_corners(s->surface, nearest->triangle, x);
	if (is_blunt(s, nearest))
	{
		feature.kind = LM_FEATURE_PLANE;
		feature.axis = nearest->distance > core ? lm_scale(1 / nearest->distance, nearest->away) : normal;
	}
	else if (nearest->part == 1)
	{
		feature.kind = LM_FEATURE_LINE, feature.core = core;
		feature.axis = lm_normalize_or(lm_sub(x[(nearest->corner + 1) % 3], x[nearest->corner]), normal);
	}
	else
	{
		feature.kind = LM_FEATURE_POINT, feature.core = core;
		feature.id = face_id(0) - 1 -
		             s->surface->merged[s->surface->triangles[3 * (int64_t)nearest->triangle + nearest->corner]];
	}
	add(s, feature);
}

// ---- the walls of a concave spot

typedef struct walls
{
	const scan* s;
	lm_vec3 from;
	int32_t count, triangles[LM_FEATURES_PER_COLLIDER + 1];
	double distances[LM_FEATURES_PER_COLLIDER + 1];
} walls;

// Keeps the nearest few faces that `from` lies straight in front of, ordered by distance, then number.
static bool consider_wall(void* context, int32_t t)
{
	walls* w = context;
	lm_vec3 x[3], normal = lm_scale(w->s->side, w->s->surface->facets[t].face);
	lm_contact_surface_corners(w->s->surface, t, x);
	double height = lm_dot(normal, lm_sub(w->from, x[0])), size = lm_distance(x[0], x[1]) + lm_distance(x[0], x[2]);
	if (!(height >= -1e-9 * size) || height > w->s->reach)
		return true;
	lm_closest closest = lm_closest_on_triangle(w->from, x[0], x[1], x[2]);
	double aside2 = closest.distance2 - height * height;
	if (aside2 > 1e-12 * size * size)
		return true;
	int32_t i = w->count;
	while (i > 0 && (height < w->distances[i - 1] || (height == w->distances[i - 1] && t < w->triangles[i - 1])))
		--i;
	if (i > LM_FEATURES_PER_COLLIDER)
		return true;
	int32_t last = w->count < LM_FEATURES_PER_COLLIDER + 1 ? w->count++ : LM_FEATURES_PER_COLLIDER;
	for (int32_t k = last; k > i; --k)
		w->distances[k] = w->distances[k - 1], w->triangles[k] = w->triangles[k - 1];
	w->distances[i] = height, w->triangles[i] = t;
	return true;
}

static void add_walls(scan* s, lm_vec3 from)
{
	walls w = { .s = s, .from = from };
	lm_vec3 half = { s->reach, s->reach, s->reach };
	lm_bvh_overlaps(&s->surface->tree, (lm_box){ lm_sub(from, half), lm_add(from, half) }, consider_wall, &w);
	for (int32_t i = 0; i < w.count; ++i)
		add_face(s, w.triangles[i]);
}

// ---- sheets

// The side on which the point belongs: where it was, or where it came from. Fills *entry where the way leads through.
static int32_t choose_side(const lm_contact_surface* surface, const lm_local_query* query,
                           const lm_contact_surface_nearest* nearest, bool near, lm_solid_entry* entry)
{
	entry->found = query->start &&
	               lm_contact_surface_enter(surface, *query->start, query->point, &entry->fraction, &entry->normal);
	if (query->side != 0)
	{
		entry->found = false;
		return query->side;
	}
	lm_contact_surface_nearest there;
	if (entry->found && lm_contact_surface_find_nearest(surface, lm_lerp(*query->start, query->point, entry->fraction),
	                                                    INFINITY, &there))
		return lm_dot(entry->normal, there.pseudo) < 0 ? -1 : 1;
	return near && lm_dot(nearest->away, nearest->pseudo) < 0 ? -1 : 1;
}

static int32_t sheet_features(const lm_contact_surface* surface, const lm_local_query* query, scan* s, double core)
{
	lm_contact_surface_nearest nearest;
	lm_solid_entry entry;
	double reach = query->reach + query->side_depth;
	bool near = lm_contact_surface_find_nearest(surface, query->point, reach, &nearest);
	int32_t side = choose_side(surface, query, &nearest, near, &entry);
	s->side = side;
	if (entry.found)
		add(s, (lm_feature){ .kind = LM_FEATURE_PLANE,
		                     .id = near ? face_id(nearest.triangle) : 0,
		                     .origin = lm_lerp(*query->start, query->point, entry.fraction),
		                     .axis = entry.normal });
	else if (!near)
		return 0;
	else if (is_rim(surface, &nearest))
	{
		add_nearest(s, &nearest, false, core);
		return s->count; // no side there
	}
	else
	{
		bool behind = side * lm_dot(nearest.away, nearest.pseudo) < 0;
		add_nearest(s, &nearest, behind, core);
		add_walls(s, behind ? nearest.point : query->point);
	}
	for (int32_t i = 0; i < s->count; ++i)
		s->features[i].side = side;
	return s->count;
}

// ---- both

int32_t lm_contact_surface_features(const lm_contact_surface* surface, const lm_local_query* query,
                                    lm_feature* features)
{
	scan s = { .surface = surface, .p = query->point, .side = 1, .reach = query->reach, .features = features };
	double core = CORE_SHARE * fmax(query->rounding, 1e-9);
	if (!surface->closed)
		return sheet_features(surface, query, &s, core);
	lm_contact_surface_nearest nearest;
	bool perhaps_inside = lm_box_distance2(surface->box, query->point) <= 0;
	if (!lm_contact_surface_find_nearest(surface, query->point, perhaps_inside ? INFINITY : query->reach, &nearest))
		return 0;
	bool inside = perhaps_inside && lm_dot(nearest.away, nearest.pseudo) < 0;
	if (!inside && !(nearest.distance < query->reach))
		return 0;
	add_nearest(&s, &nearest, inside, core);
	add_walls(&s, inside ? nearest.point : query->point);
	return s.count;
}
