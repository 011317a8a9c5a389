// record.c: what a motion was like, from nothing but the body's motion as a whole, the places of its feet, and time.
//
// Sway and twist are amplitudes of swinging: sqrt(2) times the root mean square of the deviation from 2 m - mm, where m
// is a exponential running mean with a time constant of half a second, and mm the same mean of m: unlike m alone it
// does not lag behind what moves or turns steadily, so that a lag along the way is never taken for a deviation across
// it. The way leads from a slower mean, of four seconds, to m. The first two seconds only fill the means.
#include "act/pilot/pilot.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static const double shortest_hop = 0.1, mean_seconds = 0.5, slow_mean_seconds = 4, fill_seconds = 2; // s
static const double lost_contact =
	0.03; // s: shorter gaps in a foot's contact are flutter; of a character, in its own time
static const double tipped_over = 1.0471975511965976;       // 60 degrees
static const double upright_again = 0.3, upright_for = 0.4; // rad, s: what has fallen is up again only after a while

// ---- falls ----

static void notice_fall(lm_record_state* state, const lm_act_motion* motion, bool lies, double tilt, double h)
{
	lm_act_record* record = &state->record;
	bool upright = !lies && tilt < upright_again && motion->touching > 0;
	state->upright = upright ? state->upright + h : 0;
	if ((lies || tilt > tipped_over) && !state->fallen)
	{
		state->fallen = true;
		record->fell_at = record->fell ? record->fell_at : record->seconds;
		record->fell = true;
	}
	else if (state->fallen && state->upright >= upright_for * (1 - 1e-9))
	{
		state->fallen = false;
		record->got_up++;
	}
}

// ---- flight ----

static void count_hops(lm_record_state* state, const lm_act_motion* motion, double h)
{
	if (motion->touching == 0)
	{
		state->flight += h;
		return;
	}
	// rounding of the sum must not cost a hop
	if (state->grounded && !state->fallen && state->flight >= shortest_hop * (1 - 1e-9))
		state->record.hops++;
	state->grounded = true;
	state->flight = 0;
}

// ---- swinging ----

// x and z of the unit vector along the way; zeros when there is none.
static void direction_of_way(const lm_record_state* state, double way[2])
{
	way[0] = state->mean[0] - state->slow_mean[0];
	way[1] = state->mean[2] - state->slow_mean[2];
	double length = hypot(way[0], way[1]);
	way[0] *= length > 0 ? 1 / length : 0;
	way[1] *= length > 0 ? 1 / length : 0;
}

static void swing(lm_record_state* state, const lm_act_motion* motion, double h)
{
	// heading without jumps
	double jump = remainder(motion->heading - state->last_turn, 2 * LM_PI);
	state->last_turn += jump;
	double share = h / (mean_seconds + h), slow_share = h / (slow_mean_seconds + h);
	double off[3];
	for (int c = 0; c < 3; ++c)
	{
		state->mean[c] += share * (motion->center[c] - state->mean[c]);
		state->slow_mean[c] += slow_share * (motion->center[c] - state->slow_mean[c]);
		state->mean_mean[c] += share * (state->mean[c] - state->mean_mean[c]);
		off[c] = motion->center[c] - (2 * state->mean[c] - state->mean_mean[c]);
	}
	state->mean_turn += share * (state->last_turn - state->mean_turn);
	state->mean_mean_turn += share * (state->mean_turn - state->mean_mean_turn);
	if (state->record.seconds < fill_seconds)
		return;
	double way[2];
	direction_of_way(state, way);
	double across = off[0] * way[1] - off[2] * way[0];
	double turned = state->last_turn - (2 * state->mean_turn - state->mean_mean_turn);
	state->settled += h;
	state->sway_sum += h * across * across;
	state->twist_sum += h * turned * turned;
	state->record.sway = sqrt(2 * state->sway_sum / state->settled);
	state->record.twist = sqrt(2 * state->twist_sum / state->settled);
}

// ---- feet ----

// The share of a way that leads along the body's way so far; steps on the spot or back do not count.
static double along_way(const lm_record_state* state, const double from[3], const double to[3])
{
	double way[2];
	direction_of_way(state, way);
	return (to[0] - from[0]) * way[0] + (to[2] - from[2]) * way[1];
}

static void set_down(lm_record_state* state, lm_foot_state* foot, const lm_foot_now* now, double height)
{
	bool lifted = foot->lift >= 0.02 * height;
	if (foot->known && lifted && !state->fallen && along_way(state, foot->place, now->place) >= 0.02 * height)
		state->record.steps_verified++;
	if (!foot->known || lifted) // a flutter goes on with the same stance
		memcpy(foot->place, now->place, sizeof foot->place);
	foot->known = foot->down = true;
	foot->lift = 0;
}

static void update_foot(lm_record_state* state, lm_foot_state* foot, const lm_foot_now* now, double height, double beat,
                        double h)
{
	foot->loose_for = now->touching ? 0 : foot->loose_for + h;
	if (now->touching && !foot->down)
		set_down(state, foot, now, height);
	else if (foot->down && foot->loose_for > lost_contact * beat)
		foot->down = false;
	if (!foot->known)
		return;
	if (!foot->down)
	{
		foot->lift = fmax(foot->lift, now->low - foot->ground);
		return;
	}
	if (!now->touching) // it may be rising already: its lift counts from where it touched
		return;
	foot->ground = now->low;
	state->record.slip_max =
		fmax(state->record.slip_max, hypot(now->place[0] - foot->place[0], now->place[2] - foot->place[2]));
}

// ---- all of it ----

void lm_record_step(lm_record_state* state, const lm_act_motion* motion, const lm_foot_now* feet, int32_t foot_count,
                    bool lies, double height, double beat, double h)
{
	lm_act_record* record = &state->record;
	if (!state->begun)
	{
		state->begun = true;
		// the first measurement comes after the first step
		for (int c = 0; c < 3; ++c)
			record->start[c] = motion->center[c] - h * motion->velocity[c];
		memcpy(state->mean, record->start, sizeof state->mean);
		memcpy(state->mean_mean, record->start, sizeof state->mean);
		memcpy(state->slow_mean, record->start, sizeof state->mean);
		state->last_turn = state->mean_turn = state->mean_mean_turn = motion->heading;
	}
	record->seconds += h;
	memcpy(record->end, motion->center, sizeof record->end);
	double tilt = hypot(hypot(motion->tilt[0], motion->tilt[1]), motion->tilt[2]);
	record->tilt_max = fmax(record->tilt_max, tilt);
	record->tilt_end = tilt;
	record->toppled = lies || tilt > tipped_over;
	notice_fall(state, motion, lies, tilt, h);
	record->speed_mean = hypot(record->end[0] - record->start[0], record->end[2] - record->start[2]) / record->seconds;
	count_hops(state, motion, h);
	swing(state, motion, h);
	for (int32_t f = 0; f < foot_count; ++f)
		update_foot(state, &state->feet[f], &feet[f], height, beat, h);
}
