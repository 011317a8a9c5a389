// ground.c: the ground as a character sees it (lm_act_pilot_set_ground) and feels it.
//
// The height of the ground at (x, z) is y(x, z) + e: y by looking down from the height of the centre of mass, e what is
// felt beside that: the mean of y_i - y(x_i, z_i) over the vertices that touch, smoothed. e takes up what sinks in, and
// what cannot be seen: other bodies, or everything where no ground was given (y = 0). In the air e is such that the
// ground is where the soles are, or up to `reach` below: what stands is not to stretch its legs for a ground that is
// far below, and to be thrown when they meet another body on the way.
//
// Looking down: from p the nearest collider is d away, so that nothing is met before p - d up. Repeated until d is
// small.
#include "act/pilot/feet.h"
#include "limber/contact.h"

#include <math.h>

static const double smoothing = 0.2; // of what is felt, per 0.02 s
static const double alike = 0.01;    // of the height: heights of what is felt
static const double depth = 2;       // heights: as far down as it looks
static const double near = 2e-4;     // of the height: what is nearer is met
static const double least = 2e-3;    // of the height: it goes on by that much at least, along walls
static const double even = 0.01;     // of the height: places with higher edges are avoided
static const double reach = 0.1;     // of the height: that its soles go down to meet the ground
static const double margin = 1.15;   // of half a foot: edges are so far from its middle at least
static const double steepest = 0.5;  // slope under a foot

enum
{
	looks = 48,
	edge_looks = 8,
	tries = 6 // places before, and behind, that are looked at
};

void lm_act_pilot_set_ground(lm_act_pilot* pilot, const lm_colliders* colliders)
{
	pilot->seen = colliders;
}

double lm_pilot_see(const lm_act_pilot* pilot, double x, double z)
{
	const lm_act_motion* m = &pilot->motion;
	double lowest = m->center[1] - depth * pilot->height, p[3] = { x, m->center[1], z };
	if (pilot->seen == NULL)
		return 0;
	for (int k = 0; k < looks && p[1] > lowest; ++k)
	{
		lm_touch touch = lm_colliders_query(pilot->seen, p, depth * pilot->height);
		if (touch.distance < near * pilot->height)
			return touch.collider >= 0 ? p[1] - touch.distance : m->support[1];
		p[1] -= fmax(touch.distance, least * pilot->height);
	}
	if (p[1] > lowest)
		return p[1];
	return m->touching > 0 ? m->support[1] : m->center[1] - pilot->stance; // nothing there
}

// e while nothing touches; before: as it was, INFINITY at the beginning.
static double expect_ground(const lm_act_pilot* pilot, double before)
{
	const double* center = pilot->motion.center;
	double above = center[1] - pilot->stance - lm_pilot_see(pilot, center[0], center[2]); // the soles
	return fmin(fmax(before, above - reach * pilot->height), fmax(above, fmin(before, 0)));
}

// What is met at the side, at the edge of a stair, is higher than the ground below it: of what touches, what is lowest
// counts.
double lm_pilot_feel_ground(const lm_act_pilot* pilot, bool known, double before)
{
	double lowest = INFINITY, felt = 0;
	int32_t count = 0;
	if (pilot->motion.touching == 0 && pilot->seen != NULL)
		return expect_ground(pilot, known ? before : INFINITY);
	if (pilot->motion.touching == 0)
		return known ? before : pilot->motion.center[1] - pilot->stance;
	if (pilot->seen == NULL)
		felt = pilot->motion.support[1];
	for (int pass = 0; pilot->seen != NULL && pass < 2; ++pass)
		for (int32_t i = 0; i < pilot->vertex_count; ++i)
		{
			if (!(pilot->forces[i] > 0))
				continue;
			lm_vec3 x = lm_v3_at(pilot->positions, i);
			double off = x.y - lm_pilot_see(pilot, x.x, x.z);
			if (pass == 0)
				lowest = fmin(lowest, off);
			else if (off < lowest + alike * pilot->height)
				felt += off, ++count;
		}
	felt /= pilot->seen != NULL ? count : 1;
	return known ? before + (1 - pow(1 - smoothing, pilot->h / lm_pilot_tuned_step(pilot))) * (felt - before) : felt;
}

// Places of the sole's vertices about that of the foot, and the ground there.
typedef struct samples
{
	int32_t count;
	double offsets[LM_POLYGON_MAX][2], heights[LM_POLYGON_MAX];
} samples;

static void look_under(const lm_act_pilot* pilot, int foot, const double place[3], double heading, samples* s)
{
	const lm_foot* f = &pilot->feet[foot];
	lm_heading_frame frame = lm_heading_axes(heading);
	lm_vec3 middle = { 0 };
	double mass = 0;
	s->count = f->count < LM_POLYGON_MAX ? f->count : LM_POLYGON_MAX;
	for (int32_t k = 0; k < f->count; ++k)
	{
		double m = pilot->masses[f->vertices[k]];
		mass += m;
		middle = lm_add_scaled(middle, m, lm_v3_at(pilot->reference, f->vertices[k]));
	}
	for (int32_t k = 0; k < s->count; ++k)
	{
		lm_vec3 at = lm_add_scaled(lm_v3_at(pilot->reference, f->vertices[k]), -1 / mass, middle);
		for (int d = 0; d < 2; ++d)
			s->offsets[k][d] = at.x * frame.axes[0][2 * d] + at.z * frame.axes[1][2 * d];
		s->heights[k] = lm_pilot_see(pilot, place[0] + s->offsets[k][0], place[2] + s->offsets[k][1]);
	}
}

// The highest edge along the middle of the sole: how much more the ground rises, or falls, between neighbouring places
// than on a slope.
static double edge_under(const lm_act_pilot* pilot, int foot, const double place[3], double heading)
{
	const double* along = lm_heading_axes(heading).axes[0];
	double half = margin * lm_pilot_foot_half(pilot, foot, 0), spacing = 2 * half / edge_looks, before = 0, edge = 0;
	for (int k = 0; k <= edge_looks; ++k)
	{
		double at = k * spacing - half, y = lm_pilot_see(pilot, place[0] + at * along[0], place[2] + at * along[2]);
		edge = k > 0 ? fmax(edge, fabs(y - before) - steepest * spacing) : 0;
		before = y;
	}
	return edge;
}

// With offsets o from the foot's place and heights y there: the mean of y, and least squares of y - mean = s . o.
lm_foothold lm_pilot_foothold(const lm_act_pilot* pilot, int foot, const double place[3], double heading)
{
	lm_foothold result = { 0 };
	double xx = 0, xz = 0, zz = 0, xy = 0, zy = 0;
	samples s;
	if (pilot->seen == NULL || pilot->feet[foot].count == 0)
		return result;
	look_under(pilot, foot, place, heading, &s);
	for (int32_t k = 0; k < s.count; ++k)
		result.height += s.heights[k] / s.count;
	for (int32_t k = 0; k < s.count; ++k)
	{
		double x = s.offsets[k][0], z = s.offsets[k][1], y = s.heights[k] - result.height;
		xx += x * x, xz += x * z, zz += z * z, xy += x * y, zy += z * y;
	}
	double thin = 1e-4 * s.count * pilot->height * pilot->height; // what is as thin as a line is level across it
	xx += thin, zz += thin;
	double det = xx * zz - xz * xz, slope[2] = { (xy * zz - zy * xz) / det, (zy * xx - xy * xz) / det };
	double share = fmin(steepest / fmax(hypot(slope[0], slope[1]), 1e-9), 1);
	for (int d = 0; d < 2; ++d)
		result.slope[d] = share * slope[d];
	result.edge = edge_under(pilot, foot, place, heading);
	return result;
}

double lm_pilot_find_foothold(const lm_act_pilot* pilot, int foot, const double place[3], double heading,
                              const double range[2], lm_foothold* hold)
{
	const double* along = lm_heading_axes(heading).axes[0];
	double best = 0, cost = INFINITY;
	*hold = lm_pilot_foothold(pilot, foot, place, heading);
	bool good = hold->edge <= even * pilot->height;
	for (int k = 2; !good && k < 2 * tries + 2; ++k)
	{
		double shift = range[k % 2] * (k / 2) / tries;
		double at[3] = { place[0] + shift * along[0], place[1], place[2] + shift * along[2] };
		lm_foothold other = lm_pilot_foothold(pilot, foot, at, heading);
		if (other.edge <= even * pilot->height && fabs(shift) < cost)
			cost = fabs(shift), best = shift, *hold = other;
	}
	return best;
}
