// Obstacles of a step on their way; see solver.h.
//
// An obstacle that moves alone leaves the cloth a gap of half the reach: in less the barrier is so steep that nothing
// can move any more. Where cloth is in its way, both move together: the obstacle by what is left of its displacement d,
// the cloth by the Newton direction for an obstacle that is there already,
//
//     H dx = -g - H_co d
//
// H_co the part of the Hessian between cloth and obstacles. All take the same fraction of their ways, which keeps a
// search simple; at the end of the step those that have room go on alone.
#include "track/solver_parts.h"

#include <string.h>

static const double floor_alone = 0.5;  // of the reach: what an obstacle leaves that moves alone
static const double floor_carry = 0.25; // that carries the cloth along

static int64_t first_number(const lm_track_run* r)
{
	return 3 * (int64_t)r->s->n;
}

static int64_t all_numbers(const lm_track_run* r)
{
	return 3 * ((int64_t)r->s->n + r->s->obstacles);
}

void lm_track_set_obstacle_displacement(lm_track_run* r)
{
	int64_t first = first_number(r);
	for (int64_t i = first; i < all_numbers(r); ++i)
		r->s->displacement[i] = r->p->obstacles[i - first] - r->x[i];
}

static lm_status safe_fraction(lm_track_run* r, double longest, double keep, double floor, double most,
                               double* fraction)
{
	lm_ccd_settings settings = lm_ccd_settings_default();
	settings.keep = keep, settings.floor = floor * r->p->reach, settings.most = most;
	return lm_track_limit_step(r, longest, &settings, fraction);
}

// Everything by a fraction of s->displacement; obstacles that go all the way end exactly where they shall.
static void advance(lm_track_run* r, double fraction)
{
	int64_t first = first_number(r);
	r->energy_known = false;
	for (int64_t i = 0; i < first; ++i)
		r->x[i] += fraction * r->s->displacement[i];
	for (int64_t i = first; i < all_numbers(r); ++i)
		r->x[i] = fraction < 1 ? r->x[i] + fraction * r->s->displacement[i] : r->p->obstacles[i - first];
	r->report.obstacles_left = fraction < 1 ? r->report.obstacles_left * (1 - fraction) : 0;
}

lm_status lm_track_push_obstacles(lm_track_run* r)
{
	memset(r->s->displacement, 0, (size_t)first_number(r) * sizeof(double));
	lm_track_set_obstacle_displacement(r);
	double fraction;
	lm_status status = safe_fraction(r, 1, 0.3, floor_alone, 1, &fraction);
	if (status == LM_OK && fraction > 0)
		advance(r, fraction);
	return status == LM_OK ? lm_track_find_pairs(r, r->x) : status;
}

static double what_is_left(const lm_track_run* r)
{
	int64_t first = first_number(r);
	double left = 0;
	for (int64_t i = first; i < all_numbers(r); ++i)
		left = fmax(left, fabs(r->p->obstacles[i - first] - r->x[i]));
	return left;
}

static lm_status push_one(lm_track_run* r, int64_t begin, int64_t end)
{
	int64_t first = first_number(r);
	double* d = r->s->displacement;
	double way = 0, fraction;
	memset(d, 0, (size_t)all_numbers(r) * sizeof *d);
	for (int64_t i = begin; i < end; ++i)
		d[i] = r->p->obstacles[i - first] - r->x[i], way = fmax(way, fabs(d[i]));
	lm_status status = way > 0 ? safe_fraction(r, 1, 0.3, floor_alone, 1, &fraction) : LM_OK;
	for (int64_t i = begin; i < end && way > 0 && status == LM_OK; ++i)
		r->x[i] = fraction < 1 ? r->x[i] + fraction * d[i] : r->p->obstacles[i - first];
	return status;
}

lm_status lm_track_push_each(lm_track_run* r)
{
	int64_t first = first_number(r);
	lm_status status = LM_OK;
	for (int32_t b = 0; b < r->p->obstacle_bodies && status == LM_OK; ++b)
		status = push_one(r, first + 3 * (int64_t)r->p->obstacle_starts[b],
		                  first + 3 * (int64_t)r->p->obstacle_starts[b + 1]);
	r->energy_known = false;
	if (!(what_is_left(r) > 0))
		r->report.obstacles_left = 0;
	return status == LM_OK ? lm_track_find_pairs(r, r->x) : status;
}

lm_status lm_track_carry(lm_track_run* r, double* taken)
{
	memcpy(r->s->displacement, r->s->solution, (size_t)first_number(r) * sizeof(double));
	lm_track_set_obstacle_displacement(r);
	double move = lm_track_longest_move(r, r->s->displacement);
	double longest = move > r->limits->longest ? r->limits->longest / move : 1;
	lm_status status = safe_fraction(r, longest, 0.1, floor_carry, 0.9, taken);
	if (status == LM_OK)
		advance(r, *taken);
	return status == LM_OK ? lm_track_find_pairs(r, r->x) : status;
}

// right_i -= sum over obstacle corners j of H_ij d_j
static void subtract_coupling(lm_track_run* r, const int32_t v[4], const double H[144])
{
	for (int j = 0; j < 12; ++j)
	{
		int64_t moved = 3 * (int64_t)v[j / 3] + j % 3;
		double d = moved >= first_number(r) ? r->s->displacement[moved] : 0;
		for (int i = 0; d != 0 && i < 12; ++i)
			if (v[i / 3] < r->s->n)
				r->s->right[3 * (int64_t)v[i / 3] + i % 3] -= H[12 * i + j] * d;
	}
}

void lm_track_add_carrying(lm_track_run* r)
{
	const lm_track_solver* s = r->s;
	lm_track_set_obstacle_displacement(r);
	int32_t count = r->p->clearance != NULL ? lm_clearance_pair_count(r->p->clearance) : 0;
	for (int32_t i = 0; i < count; ++i)
		subtract_coupling(r, lm_clearance_pairs(r->p->clearance)[i].v, s->pair_locals + 144 * (int64_t)i);
	for (int32_t i = 0; i < s->friction_count; ++i)
	{
		double H[144] = { 0 };
		lm_track_friction_hessian(&s->friction_pairs[i], r->x, s->start, r->p->slack, H);
		subtract_coupling(r, s->friction_pairs[i].v, H);
	}
}
