// amble.c: a character on four feet: one foot at a time (left hind, left fore, right hind, right fore), diagonal pairs
// at once (a trot), or none.
//
// The pendulum of stride.c: w = sqrt(g / height), xi = x + v / w. A base point moves at the commanded velocity. Over
// the next phases, each with the feet that carry in it, p_i is the point of the polygon of these feet that is nearest
// to where the centre would be, and backwards
//     xi_i = p_i + (xi_(i+1) - p_i) exp(-w T_i).
// The centre of pressure p_0 + 2 (xi - xi_0), kept within the polygon, takes xi along that plan, so that the centre
// leaves its place only as far as the triangles need. A foot lands at its place at rest about the base, half of its way
// in stance ahead, and as far aside as xi will be off then.
#include "act/pilot/feet.h"

#include <math.h>
#include <string.h>

static const double up[3] = { 0, 1, 0 };
// Times are for a height of 1 m at 9.81 m/s^2.
static const double all_four = 0.04;                         // s, at the end of each phase
static const double gather = 0.6;                            // s before the first step
static const double plan_share = 0.8, pressure_share = 0.95; // of the polygon of the feet
static const double center_share = 0.5; // of half the distance of the feet: where the centre may be along them
static const double feet_share = 0.5, trunk_share = 0.25;
static const double sideways[2] = { 0.2, 0.85 }; // of the swing: a foot moves over the ground only between these
static const double slowest = 1e-3;              // of sqrt(g H)

enum
{
	phases = 9,
	feet = 4
};

static const int around[feet] = { 1, 0, 2, 3 }; // feet in the order of going around

// What is fixed for a step of the simulation.
typedef struct plan
{
	double w, T;
	double velocity[2];      // x, z
	double pressure[2];      // p_0
	double off[2];           // xi - xi_0
	double landing[feet][2]; // of the feet that swing
	lm_foothold under[feet]; // of the swinging one, where it is set down
	double base, pitch;      // the ground under the centre, and how far it rises along the heading
} plan;

// In a trot left hind and right fore swing, then the other two.
static bool swings(const lm_amble_state* state, int32_t phase, int foot)
{
	return phase >= 0 && (state->trot ? phase % 2 == (foot == 1 || foot == 2) : phase % feet == foot);
}

// Phases until every foot has swung.
static int32_t cycle(const lm_amble_state* state)
{
	return state->trot ? 2 : feet;
}

static void place_at_home(const lm_amble_state* state, int foot, double out[2])
{
	lm_heading_frame f = lm_heading_axes(state->heading);
	for (int d = 0; d < 2; ++d)
		out[d] = state->home[foot][0] * f.axes[0][2 * d] + state->home[foot][1] * f.axes[1][2 * d];
}

static void center_at_home(const lm_amble_state* state, double out[2])
{
	lm_heading_frame f = lm_heading_axes(state->heading);
	for (int d = 0; d < 2; ++d)
		out[d] = state->center[0] * f.axes[0][2 * d];
}

static void begin(lm_act_pilot* pilot)
{
	lm_amble_state* state = &pilot->amble;
	*state = (lm_amble_state){ .begun = true, .phase = -1, .heading = pilot->motion.heading };
	lm_heading_frame f = lm_heading_axes(state->heading);
	double middle[3] = { 0 }, half = 0;
	for (int k = 0; k < feet; ++k)
	{
		lm_v3_store(state->held[k], 0, lm_pilot_foot_place(pilot, k));
		state->facing[k] = state->heading;
		for (int c = 0; c < 3; ++c)
			middle[c] += state->held[k][c] / feet;
	}
	memcpy(state->from, state->held, sizeof state->from);
	for (int k = 0; k < feet; ++k)
		for (int d = 0; d < 2; ++d)
			state->home[k][d] = lm_dot_ground(state->held[k], f.axes[d]) - lm_dot_ground(middle, f.axes[d]);
	for (int k = 0; k < feet; ++k)
		half = fmax(half, fabs(state->home[k][0]));
	double ahead = lm_dot_ground(pilot->motion.center, f.axes[0]) - lm_dot_ground(middle, f.axes[0]);
	state->center[0] = fmin(fmax(ahead, -center_share * half), center_share * half);
	state->base[0] = middle[0], state->base[1] = middle[2];
}

// Something else was done, or done to it, in between.
static bool is_elsewhere(const lm_act_pilot* pilot)
{
	const lm_amble_state* state = &pilot->amble;
	double off = 0;
	for (int k = 0; k < feet; ++k)
	{
		lm_vec3 x = lm_pilot_foot_place(pilot, k);
		if (!swings(state, state->phase, k))
			off = fmax(off, hypot(x.x - state->held[k][0], x.z - state->held[k][2]));
	}
	return off > 0.2 * pilot->height;
}

// The feet that carry in a phase; whole: all of them.
static void polygon_of(const lm_amble_state* state, double places[feet][2], int32_t phase, bool whole,
                       lm_polygon* polygon)
{
	polygon->count = 0;
	for (int k = 0; k < feet; ++k)
		if (whole || !swings(state, phase, around[k]))
			lm_polygon_add(polygon, places[around[k]][0], places[around[k]][1]);
}

static plan make_plan(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	const lm_amble_state* state = &pilot->amble;
	plan p = { .w = sqrt(pilot->gravity / fmax(pilot->stance, 1e-3 * pilot->height)), .T = walk->step_seconds };
	double places[feet][2], at[phases][2], spans[phases], base[2] = { state->base[0], state->base[1] }, center[2];
	double stance_time = (cycle(state) - 1) * p.T + all_four * lm_pilot_beat(pilot), first = p.T;
	center_at_home(state, center);
	for (int d = 0; d < 2; ++d)
		p.velocity[d] = walk->velocity[2 * d];
	for (int k = 0; k < feet; ++k)
		places[k][0] = state->held[k][0], places[k][1] = state->held[k][2];
	if (state->phase < 0)
		first = gather * lm_pilot_beat(pilot);
	for (int i = 0; i < phases; ++i)
	{
		int32_t phase = state->going ? state->phase + i : -1;
		spans[i] = i == 0 ? fmax(first - state->since, 0) : p.T;
		double want[2], home[2], moving = phase >= 0 ? 1 : 0;
		lm_polygon polygon;
		for (int d = 0; d < 2; ++d)
			want[d] = base[d] + moving * p.velocity[d] * spans[i] / 2 + center[d];
		polygon_of(state, places, phase, false, &polygon);
		lm_polygon_nearest(&polygon, plan_share, want, at[i]);
		for (int d = 0; d < 2; ++d)
			base[d] += moving * p.velocity[d] * spans[i];
		for (int k = 0; k < feet; ++k)
		{
			if (!swings(state, phase, k))
				continue;
			place_at_home(state, k, home);
			for (int d = 0; d < 2; ++d)
			{
				places[k][d] = base[d] + p.velocity[d] * stance_time / 2 + home[d];
				if (i == 0)
					p.landing[k][d] = places[k][d];
			}
		}
	}
	for (int d = 0; d < 2; ++d)
	{
		double xi = base[d] + center[d] + (state->going ? p.velocity[d] / p.w : 0);
		for (int i = phases - 1; i >= 0; --i)
			xi = at[i][d] + (xi - at[i][d]) * exp(-p.w * spans[i]);
		p.pressure[d] = at[0][d];
		p.off[d] = pilot->motion.center[2 * d] + pilot->motion.velocity[2 * d] / p.w - xi;
	}
	return p;
}

// The ground under each foot, and the plane through them: the mean of their heights, and least squares along the
// heading and across it.
static void look_at_ground(const lm_act_pilot* pilot, plan* p)
{
	const lm_amble_state* state = &pilot->amble;
	const double* center = pilot->motion.center;
	lm_heading_frame f = lm_heading_axes(state->heading);
	double near[2] = { -0.1 * pilot->height, 0.1 * pilot->height }; // where an even foothold is looked for
	double middle[2] = { 0 }, places[feet][2], squares[2] = { 0 }, rises[2] = { 0 }, mean = 0;
	for (int k = 0; k < feet; ++k)
	{
		bool lands = swings(state, state->phase, k);
		const double* held = state->held[k];
		double at[3] = { lands ? p->landing[k][0] : held[0], 0, lands ? p->landing[k][1] : held[2] };
		if (lands)
		{
			double shift = lm_pilot_find_foothold(pilot, k, at, state->heading, near, &p->under[k]);
			for (int d = 0; d < 2; ++d)
				p->landing[k][d] += shift * f.axes[0][2 * d];
		}
		else
			p->under[k] = lm_pilot_foothold(pilot, k, at, state->facing[k]);
		mean += p->under[k].height / feet;
		for (int d = 0; d < 2; ++d)
		{
			places[k][d] = lm_dot_ground(at, f.axes[d]);
			middle[d] += places[k][d] / feet;
		}
	}
	for (int k = 0; k < feet; ++k)
		for (int d = 0; d < 2; ++d)
		{
			double off = places[k][d] - middle[d];
			squares[d] += off * off, rises[d] += off * (p->under[k].height - mean);
		}
	p->base = state->ground + mean;
	for (int d = 0; d < 2; ++d)
	{
		double slope = rises[d] / fmax(squares[d], 1e-3 * pilot->height * pilot->height);
		p->base += slope * (lm_dot_ground(center, f.axes[d]) - middle[d]);
		p->pitch = d == 0 ? atan(slope) : p->pitch;
	}
}

static void aim_center(lm_act_pilot* pilot, const lm_act_walk* walk, const plan* p, double weight)
{
	static const double axes[2][3] = { { 1, 0, 0 }, { 0, 0, 1 } };
	const lm_amble_state* state = &pilot->amble;
	const lm_act_motion* m = &pilot->motion;
	double places[feet][2], wanted[2], pressure[2], h = fmax(pilot->h, lm_pilot_tuned_step(pilot));
	bool whole = state->phase < 0 || state->since >= p->T - all_four * lm_pilot_beat(pilot);
	lm_polygon polygon;
	for (int k = 0; k < feet; ++k)
		places[k][0] = state->held[k][0], places[k][1] = state->held[k][2];
	polygon_of(state, places, state->phase, whole, &polygon);
	for (int d = 0; d < 2; ++d)
		wanted[d] = p->pressure[d] + 2 * p->off[d];
	lm_polygon_nearest(&polygon, pressure_share, wanted, pressure);
	for (int d = 0; d < 2; ++d)
	{
		double change = h * p->w * p->w * (m->center[2 * d] - pressure[d]);
		lm_act_target row = { .kd = 1, .weight = weight, .velocity = m->velocity[2 * d] + change };
		lm_act_pilot_aim_center(pilot, axes[d], &row);
	}
	double bounce = walk->bounce * pilot->height / 2, rate = state->phase < 0 ? 0 : 2 * LM_PI / p->T;
	double phase = rate * (state->since + pilot->h);
	lm_act_target height = { .position = p->base + pilot->stance - bounce * cos(phase),
		                     .velocity = bounce * sin(phase) * rate,
		                     .kp = 8 * lm_pilot_gain_scale(pilot),
		                     .kd = 1,
		                     .weight = weight };
	lm_act_pilot_aim_center(pilot, up, &height);
}

static void swing_foot(lm_act_pilot* pilot, const lm_act_walk* walk, const plan* p, int k, lm_foot_aim* aim)
{
	lm_amble_state* state = &pilot->amble;
	double D = p->T - all_four * lm_pilot_beat(pilot);
	double u = fmin((state->since + pilot->h) / D, 1), rate = u < 1 ? 1 / D : 0;
	double span = sideways[1] - sideways[0], a = fmin(fmax((u - sideways[0]) / span, 0), 1);
	double ease = a * a * (3 - 2 * a), ease_rate = a > 0 && a < 1 ? 6 * a * (1 - a) * rate / span : 0;
	lm_foothold left = lm_pilot_foothold(pilot, k, state->from[k], state->facing[k]);
	double from = left.height + state->ground;
	for (int d = 0; d < 2; ++d)
	{
		double later = p->off[d] * exp(p->w * fmax(p->T - state->since, 0));
		double way = p->landing[k][d] + later - state->from[k][2 * d];
		aim->position[2 * d] = state->from[k][2 * d] + ease * way;
		aim->velocity[2 * d] = ease_rate * way;
	}
	lm_swing_height(from, p->under[k].height + state->ground, walk->lift * pilot->height, u, &aim->position[1],
	                &aim->velocity[1]);
	aim->velocity[1] *= rate;
	for (int d = 0; d < 2; ++d)
		aim->slope[d] = left.slope[d] + ease * (aim->slope[d] - left.slope[d]);
	aim->heading += ease * remainder(state->heading - aim->heading, 2 * LM_PI);
	if (u >= 1)
		memcpy(state->held[k], aim->position, sizeof aim->position);
}

static void aim_feet(lm_act_pilot* pilot, const lm_act_walk* walk, const plan* p, double weight)
{
	lm_amble_state* state = &pilot->amble;
	for (int k = 0; k < feet; ++k)
	{
		lm_foot_aim aim = { .heading = state->facing[k], .slope = { p->under[k].slope[0], p->under[k].slope[1] } };
		memcpy(aim.position, state->held[k], sizeof aim.position);
		aim.position[1] = p->under[k].height + state->ground;
		if (swings(state, state->phase, k))
			swing_foot(pilot, walk, p, k, &aim);
		lm_pilot_aim_foot(pilot, k, &aim, weight);
	}
}

// The feet that swung carry from now on, and the next ones are lifted.
static void change_feet(lm_act_pilot* pilot, const lm_act_walk* walk, bool told)
{
	lm_amble_state* state = &pilot->amble;
	for (int k = 0; k < feet; ++k)
		if (swings(state, state->phase, k))
		{
			lm_v3_store(state->held[k], 0, lm_pilot_foot_place(pilot, k));
			state->facing[k] = state->heading;
		}
	state->since = 0;
	state->phase++;
	if (state->phase % cycle(state) == 0) // every foot is where it belongs
	{
		state->trot = walk->trot;
		state->phase = told ? 0 : -1;
		state->going = told;
	}
	for (int k = 0; k < feet; ++k)
		if (swings(state, state->phase, k))
			lm_v3_store(state->from[k], 0, lm_pilot_foot_place(pilot, k));
}

static void change_phase(lm_act_pilot* pilot, const lm_act_walk* walk, bool told)
{
	lm_amble_state* state = &pilot->amble;
	double lasts = state->phase < 0 ? gather * lm_pilot_beat(pilot) : walk->step_seconds;
	state->since += pilot->h;
	if (state->phase < 0 && !told)
	{
		state->going = false;
		state->since = 0;
		return;
	}
	state->going = true;
	if (state->phase < 0)
		state->trot = walk->trot;
	if (state->since >= lasts - 1e-9)
		change_feet(pilot, walk, told);
}

// The base goes on as commanded, and turns to where it goes.
static void move_base(lm_act_pilot* pilot, const lm_act_walk* walk, bool told)
{
	lm_amble_state* state = &pilot->amble;
	if (state->phase < 0)
		return;
	for (int d = 0; d < 2; ++d)
		state->base[d] += walk->velocity[2 * d] * pilot->h;
	if (told)
		state->heading += lm_walk_turn(pilot, walk, state->heading, pilot->h);
}

static lm_act_walk towards_place(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_act_walk now = *walk;
	const lm_amble_state* state = &pilot->amble;
	double speed = hypot(walk->velocity[0], walk->velocity[2]);
	double center[2];
	center_at_home(state, center);
	double x = walk->place[0] - state->base[0] - center[0], z = walk->place[2] - state->base[1] - center[1];
	double way = hypot(x, z);
	double near = (state->phase < 0 ? 0.08 : 0.02) * pilot->height;
	double share = way < near ? 0 : fmin(0.5 * way / walk->step_seconds, speed) / way;
	now.velocity[0] = share * x;
	now.velocity[2] = share * z;
	return now;
}

void lm_pilot_amble(lm_act_pilot* pilot, const lm_act_walk* command)
{
	lm_amble_state* state = &pilot->amble;
	double weight = lm_pilot_weight(pilot, command->weight);
	int32_t first_row = pilot->row_count;
	double ground = lm_pilot_feel_ground(pilot, state->begun, state->ground);
	if (!state->begun || state->step + 1 != pilot->step || is_elsewhere(pilot))
		begin(pilot);
	state->ground = ground;
	state->step = pilot->step;
	lm_act_walk walk = command->has_place ? towards_place(pilot, command) : *command;
	bool told = hypot(walk.velocity[0], walk.velocity[2]) > slowest * sqrt(pilot->gravity * pilot->height) ||
	            lm_walk_must_turn(&walk, state->heading, state->phase < 0);
	change_phase(pilot, &walk, told);
	move_base(pilot, &walk, told);
	plan p = make_plan(pilot, &walk);
	look_at_ground(pilot, &p);
	aim_center(pilot, &walk, &p, weight);
	aim_feet(pilot, &walk, &p, feet_share * weight);
	double sway = state->phase < 0 ? 0 : walk.sway * sin(LM_PI * fmin((state->since + pilot->h) / p.T, 1));
	bool left = swings(state, state->phase, 0) || swings(state, state->phase, 1);
	lm_trunk_aim trunk = { .heading = state->heading, .pitch = p.pitch - walk.lean, .roll = left ? sway : -sway };
	lm_pilot_aim_trunk(pilot, &trunk, trunk_share * weight);
	lm_pilot_limit_rows(pilot, first_row);
}
