#include "contact/features.h"

#include <assert.h>

// Cores of features without a radius, as a share of the rounding, and of balls, as a share of the radius.
#define CORE_SHARE 0.02
#define BALL_CORE 1e-3
#define SAME_NORMAL 0.99985 // cosine of a degree

// ---- the distance and its derivatives

// Q (p - o), and rho.
static lm_vec3 offset_from(const lm_feature* feature, lm_vec3 p, double* rho)
{
	lm_vec3 v = lm_sub(p, feature->origin);
	if (feature->kind == LM_FEATURE_LINE)
		v = lm_add_scaled(v, -lm_dot(v, feature->axis), feature->axis);
	*rho = sqrt(lm_dot(v, v) + feature->core * feature->core);
	return v;
}

// (Q - e e^T) / rho
static lm_mat3 curvature(const lm_feature* feature, lm_vec3 e, double rho)
{
	lm_mat3 H = { 0 };
	for (int i = 0; i < 3; ++i)
		H.m[i][i] = 1 / rho;
	if (feature->kind == LM_FEATURE_LINE)
		lm_add_outer(&H, -1 / rho, feature->axis, feature->axis);
	lm_add_outer(&H, -1 / rho, e, e);
	return H;
}

double lm_feature_distance(const lm_feature* feature, lm_vec3 p, lm_vec3* gradient, lm_mat3* hessian)
{
	if (feature->kind == LM_FEATURE_PLANE)
	{
		if (gradient)
			*gradient = feature->axis;
		if (hessian)
			*hessian = (lm_mat3){ 0 };
		return lm_dot(feature->axis, lm_sub(p, feature->origin));
	}
	double rho;
	lm_vec3 v = offset_from(feature, p, &rho), e = lm_scale(1 / rho, v);
	if (gradient)
		*gradient = e;
	if (hessian)
		*hessian = curvature(feature, e, rho);
	return rho - feature->radius;
}

lm_mat3 lm_feature_third(const lm_feature* feature, lm_vec3 p, lm_vec3 lambda)
{
	lm_mat3 T = { 0 };
	if (feature->kind == LM_FEATURE_PLANE)
		return T;
	double rho;
	lm_vec3 v = offset_from(feature, p, &rho), e = lm_scale(1 / rho, v);
	lm_mat3 H = curvature(feature, e, rho);
	lm_vec3 Hl = lm_mul_v(H, lambda);
	double along = lm_dot(e, lambda);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			T.m[i][j] = -along / rho * H.m[i][j];
	lm_add_outer(&T, -1 / rho, e, Hl);
	lm_add_outer(&T, -1 / rho, Hl, e);
	return T;
}

// Any unit vector across a unit vector.
static lm_vec3 across(lm_vec3 a)
{
	lm_vec3 other = fabs(a.y) < 0.9 ? lm_v3(0, 1, 0) : lm_v3(1, 0, 0);
	return lm_normalize_or(lm_add_scaled(other, -lm_dot(a, other), a), other);
}

lm_vec3 lm_feature_normal(const lm_feature* feature, lm_vec3 p)
{
	if (feature->kind == LM_FEATURE_PLANE)
		return feature->axis;
	double rho;
	lm_vec3 v = offset_from(feature, p, &rho);
	return lm_normalize_or(v, feature->kind == LM_FEATURE_LINE ? across(feature->axis) : lm_v3(0, 1, 0));
}

bool lm_feature_same(const lm_feature* a, const lm_feature* b, lm_vec3 p, double length)
{
	if (a->collider != b->collider || a->side != b->side)
		return false;
	if (a->kind == b->kind && a->id == b->id && a->kind != LM_FEATURE_PLANE)
		return true;
	lm_vec3 n = lm_feature_normal(a, p), m = lm_feature_normal(b, p);
	double apart = lm_feature_distance(a, p, NULL, NULL) - lm_feature_distance(b, p, NULL, NULL);
	return a->kind == b->kind && lm_dot(n, m) > SAME_NORMAL && fabs(apart) < 0.1 * length;
}

// ---- primitives, in their own frames

static lm_feature plane_feature(int32_t id, lm_vec3 origin, lm_vec3 normal)
{
	return (lm_feature){ .kind = LM_FEATURE_PLANE, .id = id, .origin = origin, .axis = normal };
}

static double coordinate(lm_vec3 a, int axis)
{
	return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static lm_vec3 unit_axis(int axis, double sign)
{
	return lm_v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

// A ball about the point of the core, the segment along y, that is nearest; ids: 0 the side, 1 and 2 the caps.
static lm_feature capsule_feature(double radius, double half_length, lm_vec3 p)
{
	lm_feature feature = { .kind = LM_FEATURE_LINE, .radius = radius, .core = BALL_CORE * radius, .axis = { 0, 1, 0 } };
	if (p.y >= half_length || p.y <= -half_length)
	{
		feature.kind = LM_FEATURE_POINT, feature.id = half_length > 0 && p.y < 0 ? 2 : 1;
		feature.origin.y = p.y < 0 ? -half_length : half_length;
	}
	double rho;
	lm_vec3 v = offset_from(&feature, p, &rho);
	if (lm_dot(v, v) > feature.core * feature.core)
		return feature;
	// at the centre no way is nearer than another
	lm_vec3 normal = half_length > 0 ? lm_v3(1, 0, 0) : lm_v3(0, 1, 0);
	return plane_feature(3, lm_add_scaled(feature.origin, radius, normal), normal);
}

// The box shrunk by r and grown by r again: faces stay, edges and corners become round. ids: 9 for the face, edge or
// corner in the middle of the 3 x 3 x 3 pieces, counted by the signs of their directions.
static lm_feature box_feature(lm_vec3 half, double rounding, lm_vec3 p)
{
	double r = fmin(rounding, fmin(half.x, fmin(half.y, half.z)));
	int outside = 0, face = 0, id = 0;
	double deepest = -INFINITY;
	lm_vec3 origin = { 0, 0, 0 }, axis = { 0, 0, 0 };
	for (int k = 0; k < 3; ++k)
	{
		double x = coordinate(p, k), sign = x < 0 ? -1 : 1, size = coordinate(half, k), beyond = fabs(x) - (size - r);
		if (beyond > 0)
		{
			++outside;
			id += (sign < 0 ? 1 : 2) * (k == 0 ? 1 : k == 1 ? 3 : 9);
			origin = lm_add_scaled(origin, size - r, unit_axis(k, sign));
		}
		else
			axis = unit_axis(k, 1); // the direction of the edge when two others are outside
		if (fabs(x) - size > deepest)
			deepest = fabs(x) - size, face = k;
	}
	if (outside < 2)
	{
		double sign = coordinate(p, face) < 0 ? -1 : 1;
		id = (sign < 0 ? 1 : 2) * (face == 0 ? 1 : face == 1 ? 3 : 9);
		return plane_feature(id, unit_axis(face, sign * coordinate(half, face)), unit_axis(face, sign));
	}
	return (lm_feature){ .kind = outside == 2 ? LM_FEATURE_LINE : LM_FEATURE_POINT,
		                 .id = id,
		                 .radius = r,
		                 .core = CORE_SHARE * fmax(rounding, 1e-9),
		                 .origin = origin,
		                 .axis = axis };
}

static int32_t solid_features(const lm_solid* solid, const lm_local_query* query, lm_feature* features)
{
	switch (solid->shape)
	{
		case LM_SHAPE_PLANE: features[0] = plane_feature(0, lm_v3(0, 0, 0), lm_v3(0, 1, 0)); break;
		case LM_SHAPE_SPHERE: features[0] = capsule_feature(solid->radius, 0, query->point); break;
		case LM_SHAPE_BOX: features[0] = box_feature(solid->half, query->rounding, query->point); break;
		case LM_SHAPE_CAPSULE: features[0] = capsule_feature(solid->radius, solid->half_length, query->point); break;
		case LM_SHAPE_MESH: return lm_contact_surface_features(solid->surface, query, features);
	}
	return lm_feature_distance(&features[0], query->point, NULL, NULL) < query->reach ? 1 : 0;
}

// A point that went in somewhere and is nearer to a surface that faces another way has gone through something thin, or
// round a corner of it: it meets the plane where it went in.
static int32_t keep_outside(const lm_solid* solid, const lm_local_query* query, lm_feature* features, int32_t count)
{
	lm_solid_entry entry = lm_solid_enter(solid, *query->start, query->point);
	if (!entry.found)
		return count;
	for (int32_t i = 0; i < count; ++i)
		if (lm_dot(lm_feature_normal(&features[i], query->point), entry.normal) > 0.5)
			return count;
	lm_vec3 at = lm_lerp(*query->start, query->point, entry.fraction);
	lm_local_query there = { .point = at, .reach = INFINITY, .rounding = 0, .side = 0 };
	lm_feature found[LM_FEATURES_PER_COLLIDER] = { 0 };
	int32_t near = solid_features(solid, &there, found);
	features[0] = plane_feature(near > 0 ? found[0].id : 0, at, entry.normal);
	return 1;
}

// ---- all colliders

static bool ways_apart(const lm_collider* item, lm_vec3 a, lm_vec3 b, double reach)
{
	lm_vec3 low = lm_min3(a, b), high = lm_max3(a, b);
	return low.x > item->high.x + reach || low.y > item->high.y + reach || low.z > item->high.z + reach ||
	       high.x < item->low.x - reach || high.y < item->low.y - reach || high.z < item->low.z - reach;
}

static void to_world(const lm_placement* now, int32_t collider, lm_feature* feature)
{
	feature->collider = collider;
	feature->origin = lm_placement_to_world(now, feature->origin);
	feature->axis = lm_mul_v(now->R, feature->axis);
}

static lm_feature_side last_side(const lm_feature_query* query, int32_t collider)
{
	for (int32_t k = 0; k < query->side_count; ++k)
		if (query->sides[k].collider == collider)
			return query->sides[k];
	return (lm_feature_side){ collider, 0, 0 };
}

int32_t lm_collider_features(const lm_colliders* colliders, int32_t i, const lm_feature_query* query,
                             lm_feature* features)
{
	assert(query->reach >= 0 && query->rounding >= 0);
	if (!lm_finite(query->point))
		return 0;
	const lm_collider* item = &colliders->items[i];
	const lm_placement* before = query->before ? &query->before[i] : &item->now;
	lm_vec3 start =
		query->start && lm_finite(*query->start) ? lm_placement_to_local(before, *query->start) : lm_v3(NAN, NAN, NAN);
	bool moved = lm_finite(start);
	lm_feature_side last = last_side(query, i);
	// the way as the collider sees it, where it is now
	if (ways_apart(item, query->point, moved ? lm_placement_to_world(&item->now, start) : query->point,
	               query->reach + last.depth))
		return 0;
	lm_local_query local = { .point = lm_placement_to_local(&item->now, query->point),
		                     .start = moved ? &start : NULL,
		                     .reach = query->reach,
		                     .rounding = query->rounding,
		                     .side = last.side,
		                     .side_depth = last.depth };
	int32_t count = solid_features(&item->solid, &local, features);
	if (moved && !lm_solid_is_sheet(&item->solid))
		count = keep_outside(&item->solid, &local, features, count);
	for (int32_t k = 0; k < count; ++k)
		to_world(&item->now, i, &features[k]);
	return count;
}

int32_t lm_colliders_features(const lm_colliders* colliders, const lm_feature_query* query, int32_t most,
                              lm_feature* features)
{
	int32_t count = 0;
	for (int32_t i = 0; i < colliders->count && count < most; ++i)
	{
		lm_feature found[LM_FEATURES_PER_COLLIDER];
		int32_t here = lm_collider_features(colliders, i, query, found);
		for (int32_t k = 0; k < here && count < most; ++k)
			features[count++] = found[k];
	}
	return count;
}

// ---- the plane z = 0

bool lm_feature_flatten(const lm_feature* feature, lm_vec3 p, lm_feature* flat)
{
	*flat = *feature;
	double z = feature->origin.z, square = feature->radius * feature->radius - z * z;
	if (feature->kind == LM_FEATURE_POINT && (z == 0 || square > 0))
	{
		flat->origin.z = 0, flat->radius = z == 0 ? feature->radius : sqrt(square);
		return true;
	}
	if (feature->kind == LM_FEATURE_LINE && fabs(feature->axis.z) > 1 - 1e-9)
	{
		flat->kind = LM_FEATURE_POINT, flat->origin.z = 0;
		return true;
	}
	// The tangent plane of the surface nearest to p, cut: n . p = d along n, hence d / |n_xy| along n_xy.
	lm_vec3 n = lm_feature_normal(feature, p);
	double d = lm_feature_distance(feature, p, NULL, NULL), length = sqrt(n.x * n.x + n.y * n.y);
	if (feature->kind == LM_FEATURE_LINE && fabs(feature->axis.z) < 1e-9 && square > 0)
	{
		lm_vec3 across_z = lm_sub(p, feature->origin); // parallel to the plane, which cuts it into two lines
		across_z = lm_add_scaled(across_z, -lm_dot(across_z, feature->axis), feature->axis), across_z.z = 0;
		d = (lm_length(across_z) - sqrt(square)) * length;
	}
	if (length < 1e-3)
		return false;
	lm_vec3 normal = { n.x / length, n.y / length, 0 };
	flat->kind = LM_FEATURE_PLANE, flat->radius = flat->core = 0;
	flat->axis = normal;
	flat->origin = lm_add_scaled(lm_v3(p.x, p.y, 0), -d / length, normal);
	return true;
}
