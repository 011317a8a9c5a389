#define LM_LANES 1
#include "contact/shape_lanes.h"

static const lm_vec3 up = { 0, 1, 0 };

lm_solid_distance lm_solid_query(const lm_solid* solid, lm_vec3 point, double reach)
{
	lm_solid_distance result = { 0 };
	if (solid->shape == LM_SHAPE_MESH)
	{
		result.found = lm_contact_surface_query(solid->surface, point, reach, &result.distance, &result.normal);
		return result;
	}
	lanes_distance found = solid_distance(solid, point);
	return (lm_solid_distance){ found.distance < reach, found.distance, found.normal };
}

void lm_solid_bounds(const lm_solid* solid, lm_vec3* low, lm_vec3* high)
{
	lm_vec3 half = solid->half;
	switch (solid->shape)
	{
		case LM_SHAPE_PLANE: half = lm_v3(INFINITY, INFINITY, INFINITY); break;
		case LM_SHAPE_SPHERE: half = lm_v3(solid->radius, solid->radius, solid->radius); break;
		case LM_SHAPE_BOX: break;
		case LM_SHAPE_CAPSULE: half = lm_v3(solid->radius, solid->radius + solid->half_length, solid->radius); break;
		case LM_SHAPE_MESH: lm_contact_surface_bounds(solid->surface, low, high); return;
	}
	*low = lm_scale(-1, half), *high = half;
}

// ---- ways into the solid: points from + t way, t in [0, 1]

// Keeps the smaller fraction.
static void offer(lm_solid_entry* entry, double fraction, lm_vec3 normal)
{
	if (fraction >= 0 && fraction <= 1 && (!entry->found || fraction < entry->fraction))
		*entry = (lm_solid_entry){ true, fraction, normal };
}

// The smaller root of a t^2 + 2 b t + c = 0, where the way enters; NAN when there is none.
static double entering_root(double a, double b, double c)
{
	double discriminant = b * b - a * c;
	// b < 0: on the way in. c / (-b + root) is the smaller root without cancellation.
	return a > 0 && b < 0 && discriminant >= 0 ? c / (-b + sqrt(discriminant)) : NAN;
}

static void enter_ball(lm_solid_entry* entry, lm_vec3 center, double radius, lm_vec3 from, lm_vec3 way)
{
	lm_vec3 m = lm_sub(from, center);
	double t = entering_root(lm_dot(way, way), lm_dot(m, way), lm_dot(m, m) - radius * radius);
	if (t >= 0)
		offer(entry, t, lm_normalize_or(lm_add_scaled(m, t, way), up));
}

static void enter_capsule(lm_solid_entry* entry, double radius, double half_length, lm_vec3 from, lm_vec3 way)
{
	lm_vec3 m = { from.x, 0, from.z }, w = { way.x, 0, way.z };
	double t = entering_root(lm_dot(w, w), lm_dot(m, w), lm_dot(m, m) - radius * radius);
	if (t >= 0 && fabs(from.y + t * way.y) <= half_length)
		offer(entry, t, lm_normalize_or(lm_add_scaled(m, t, w), lm_v3(1, 0, 0)));
	enter_ball(entry, lm_v3(0, half_length, 0), radius, from, way);
	enter_ball(entry, lm_v3(0, -half_length, 0), radius, from, way);
}

static void enter_box(lm_solid_entry* entry, lm_vec3 half, lm_vec3 from, lm_vec3 way)
{
	double p[3] = { from.x, from.y, from.z }, w[3] = { way.x, way.y, way.z }, b[3] = { half.x, half.y, half.z };
	double last_in = -INFINITY, first_out = INFINITY;
	int face = 0;
	for (int k = 0; k < 3; ++k)
	{
		if (w[k] == 0)
		{
			if (fabs(p[k]) > b[k])
				return;
			continue;
		}
		double side = w[k] > 0 ? -1 : 1; // the face it meets first
		double in = (side * b[k] - p[k]) / w[k], out = (-side * b[k] - p[k]) / w[k];
		if (in > last_in)
			last_in = in, face = k;
		first_out = out < first_out ? out : first_out;
	}
	if (last_in > first_out)
		return;
	double side = w[face] > 0 ? -1 : 1;
	offer(entry, last_in, lm_v3(face == 0 ? side : 0, face == 1 ? side : 0, face == 2 ? side : 0));
}

lm_solid_entry lm_solid_enter(const lm_solid* solid, lm_vec3 from, lm_vec3 to)
{
	lm_solid_entry entry = { 0 };
	lm_vec3 way = lm_sub(to, from);
	switch (solid->shape)
	{
		case LM_SHAPE_PLANE:
			if (from.y >= 0 && to.y < 0)
				offer(&entry, from.y / (from.y - to.y), up);
			break;
		case LM_SHAPE_SPHERE: enter_ball(&entry, lm_v3(0, 0, 0), solid->radius, from, way); break;
		case LM_SHAPE_BOX: enter_box(&entry, solid->half, from, way); break;
		case LM_SHAPE_CAPSULE: enter_capsule(&entry, solid->radius, solid->half_length, from, way); break;
		case LM_SHAPE_MESH:
			entry.found = lm_contact_surface_enter(solid->surface, from, to, &entry.fraction, &entry.normal);
			break;
	}
	return entry;
}
