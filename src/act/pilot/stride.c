// stride.c: a character on two feet: it stands, steps where it would fall otherwise, and walks.
//
// The inverted pendulum of walk_space.c, with w = sqrt(g / height), xi = x + v / w, T the time of a step, E = exp(w T).
// At the beginning of a step on the foot at p a steady gait has
//     along   xi - p = b_x = s_x / (E - 1)                 s the way per step
//     across  xi - p = b_z = s_z / (E - 1) -+ W / (E + 1)  W the distance of the feet, towards the other foot
// and the next foot is set down at xi(T) - b of its own step. To come to rest at a place, n steps ahead of the foot
// that carries, it takes n equal ones, and one that sets the other foot beside it: with s_i the way of step i,
//     E b_i = s_i + b_(i+1),  b_(n+1) = 0,  so that s / (E - 1) becomes s (1 - E^-n) / (E - 1).
//
// What differs from there was found on figures of all kinds (docs/controllers.md): soles are held flat vertex by
// vertex; heights are those of the ground that is felt, smoothed, and not taken over from foot to foot; it holds xi by
// the convex hull of its soles, and stands over where it began, or the middle of its feet after a step; steps that
// catch a fall are quick and may be wide.
#include "act/pilot/feet.h"

#include <math.h>
#include <string.h>

static const double up[3] = { 0, 1, 0 };
// Times are for a height of 1 m at 9.81 m/s^2.
static const double shifting = 0.8, shifted_early = 0.3;  // s: the weight goes over the first foot
static const double feet_share = 0.5, trunk_share = 0.25; // weights of rows, beside those of the centre
static const double standing_share = 4; // rows of the centre while it stands: lighter ones cost less undone than done
static const double sole_share = 0.55;  // of half a foot: how far the centre of pressure may go in a step
static const double drift_gain = 0.3, catch_up = 0.4;
static const double builds_up = 0.6; // of a change of speed, in a step
static const double lag = 0.2;       // of the commanded speed: soft bodies are about that much slower
static const double slow = 0.02, most_corrected = 0.15; // of sqrt(g H): corrections of the speed, in a step and in all
static const double hurry = 0.45;                       // of the time of a step, when it would fall otherwise
static const double widest = 0.35;    // of the height, beyond the usual width: a step aside that catches a fall
static const double reach = 0.3;      // of the height: a step along
static const double slowest = 1e-3;   // of sqrt(g H): slower commands mean standing
static const double most_aside = 0.5; // of the distance of the feet: a step across
static const double free_share = 0.6, pressure_share = 0.9, held_share = 0.9; // of the hull of the soles
static const double foothold_far = 2.2, foothold_near = 0.4; // of half a foot: how far an even one is looked for
static const double shortened = 0.5;                         // of a step, for an even foothold
static const double aim_speed = 0.02;                        // heights per s
static const double last_steps = 2;                          // to a place: in these it does not turn any more
static const double stretched = 0.15;  // of a step: how much longer it may be for a place to be reached
static const double many_steps = 1000; // where there is no place to stop at

typedef struct gait
{
	lm_heading_frame frame;
	double w, E, T, W, side; // side: +1 when the other foot is further across
	double way[2];           // per step, along and across
	double offset[2];        // b of this step
	double next[2];          // b of the next one
	double xi[3], pressure_room[2];
	lm_polygon hull;      // of the soles
	double landing[3];    // where the swinging foot is set down
	lm_foothold under[2]; // each foot; of the swinging one, where it is set down
} gait;

static bool is_swinging(const lm_stride_state* state)
{
	return !state->standing && state->since >= 0;
}

// Whether its place is so near that it does not turn any more.
static bool is_closing(const lm_stride_state* state)
{
	return state->left <= last_steps;
}

static void middle_of_feet(const lm_stride_state* state, double middle[3])
{
	for (int c = 0; c < 3; ++c)
		middle[c] = (state->places[0][c] + state->places[1][c]) / 2;
}

static void begin(lm_act_pilot* pilot)
{
	lm_stride_state* state = &pilot->stride;
	double known = state->spacing;
	*state = (lm_stride_state){ .begun = true, .standing = true, .step = state->step };
	state->heading = pilot->motion.heading;
	for (int foot = 0; foot < 2; ++foot)
	{
		lm_v3_store(state->places[foot], 0, lm_pilot_foot_place(pilot, foot));
		state->facing[foot] = state->heading;
	}
	const double* across = lm_heading_axes(state->heading).axes[1];
	double apart = lm_dot_ground(state->places[1], across) - lm_dot_ground(state->places[0], across);
	state->spacing = known > 0 ? known : fmax(apart, 0.02 * pilot->height);
	memcpy(state->stand_at, pilot->motion.center, sizeof state->stand_at);
	memcpy(state->aim, pilot->motion.center, sizeof state->aim);
	middle_of_feet(state, state->line);
}

// Whether the foot that carries is not where it was: something else was done, or done to it, in between.
static bool is_elsewhere(const lm_act_pilot* pilot)
{
	const lm_stride_state* state = &pilot->stride;
	lm_vec3 place = lm_pilot_foot_place(pilot, state->stance);
	const double* was = state->places[state->stance];
	return hypot(place.x - was[0], place.z - was[2]) > 0.2 * pilot->height;
}

// ---- the gait that is wanted ----

// The commanded velocity along (0) or across (1) the heading, as far as feet can do it that must not cross. With `turn`
// it walks along its heading only, unless it faces somewhere else.
static double commanded(const lm_stride_state* state, const lm_act_walk* walk, int d)
{
	double v = lm_dot_ground(walk->velocity, lm_heading_axes(state->heading).axes[d]);
	double most = most_aside * (walk->width > 0 ? walk->width : state->spacing) / walk->step_seconds;
	if (walk->turn > 0 && !lm_walk_faces(walk))
		return d == 0 ? fmax(v, 0) : 0;
	return d == 0 ? v : fmin(fmax(v, -most), most);
}

static bool told_to_go(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	return hypot(walk->velocity[0], walk->velocity[2]) > slowest * sqrt(pilot->gravity * pilot->height) ||
	       lm_walk_must_turn(walk, pilot->stride.heading, pilot->stride.standing);
}

// Whether it keeps to the line along its heading, too: turning on the spot, or going sideways.
static bool keeps_abreast(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	const lm_stride_state* state = &pilot->stride;
	return told_to_go(pilot, walk) && fabs(commanded(state, walk, 0)) <= fabs(commanded(state, walk, 1));
}

// What is commanded, and back to the line.
static double wanted_velocity(const lm_act_pilot* pilot, const lm_act_walk* walk, int d)
{
	const lm_stride_state* state = &pilot->stride;
	const double* axis = lm_heading_axes(state->heading).axes[d];
	double middle[3], off = 0;
	middle_of_feet(state, middle);
	if (!is_closing(state) && (d == 1 || keeps_abreast(pilot, walk)))
		off = lm_dot_ground(middle, axis) - lm_dot_ground(state->line, axis);
	return commanded(state, walk, d) - drift_gain * off / walk->step_seconds;
}

static gait plan(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	const lm_stride_state* state = &pilot->stride;
	const lm_act_motion* motion = &pilot->motion;
	gait p = { .frame = lm_heading_axes(state->heading),
		       .w = sqrt(pilot->gravity / fmax(pilot->stance, 1e-3 * pilot->height)),
		       .T = walk->step_seconds };
	p.E = exp(p.w * p.T);
	p.T *= state->hurried ? hurry : 1;
	p.W = walk->width > 0 ? walk->width : state->spacing;
	p.side = state->stance == 0 ? 1 : -1;
	// the first step, from rest, is a gentle one
	double more = told_to_go(pilot, walk) && state->steps > 0 ? lag * commanded(state, walk, 0) + state->correction : 0;
	for (int d = 0; d < 2; ++d)
		p.way[d] = (wanted_velocity(pilot, walk, d) + (d == 0 ? more : 0)) * walk->step_seconds;
	for (int c = 0; c < 3; ++c)
		p.xi[c] = motion->center[c] + motion->velocity[c] / p.w;
	double here = 1 - pow(p.E, -state->left), there = 1 - pow(p.E, 1 - fmax(state->left, 1));
	for (int d = 0; d < 2; ++d)
	{
		double steady = p.way[d] / (p.E - 1), aside = d == 1 ? p.side * p.W / (p.E + 1) : 0;
		p.offset[d] = here * steady + aside;
		p.next[d] = there * steady - aside;
		if (d == 0 && is_swinging(state)) // xi goes to where it is caught by a foot that lands so much further
			p.offset[d] += state->shift * exp(-p.w * p.T);
		p.pressure_room[d] = sole_share * lm_pilot_foot_half(pilot, state->stance, d);
	}
	lm_pilot_sole_hull(pilot, state->ground, &p.hull);
	return p;
}

// ---- rows ----

// The centre's velocity as the pendulum over this centre of pressure has it at the end of the step.
static void aim_over(lm_act_pilot* pilot, const gait* p, const double axis[3], double pressure, double weight)
{
	double x = lm_dot_ground(pilot->motion.center, axis), v = lm_dot_ground(pilot->motion.velocity, axis);
	double h = fmax(pilot->h, lm_pilot_tuned_step(pilot));
	lm_act_target target = { .kd = 1, .weight = weight, .velocity = v + h * p->w * p->w * (x - pressure) };
	lm_act_pilot_aim_center(pilot, axis, &target);
}

// The centre of pressure aim + gain (xi - aim), as far as the soles hold it, takes xi to the aim.
static void aim_within_soles(lm_act_pilot* pilot, const gait* p, const double aim[3], double gain, double weight)
{
	double wanted[2], pressure[2];
	for (int d = 0; d < 2; ++d)
		wanted[d] = aim[2 * d] + gain * (p->xi[2 * d] - aim[2 * d]);
	lm_polygon_nearest(&p->hull, pressure_share, wanted, pressure);
	for (int d = 0; d < 2; ++d)
	{
		const double* axis = p->frame.axes[d];
		aim_over(pilot, p, axis, axis[0] * pressure[0] + axis[2] * pressure[1], weight);
	}
}

// Standing: the aim goes slowly to where it stands, or to what is nearest to that in the hull of the soles.
static void move_aim(lm_act_pilot* pilot, const gait* p)
{
	lm_stride_state* state = &pilot->stride;
	double wanted[2] = { state->stand_at[0], state->stand_at[2] }, goal[2];
	lm_polygon_nearest(&p->hull, free_share, wanted, goal);
	double way[2] = { goal[0] - state->aim[0], goal[1] - state->aim[2] }, length = hypot(way[0], way[1]);
	double step = aim_speed * pilot->height * pilot->h / lm_pilot_beat(pilot);
	double share = length > step ? step / length : 1;
	state->aim[0] += share * way[0], state->aim[2] += share * way[1];
}

// Before the first step: the aim goes over the foot that will carry.
static void shift_aim(lm_act_pilot* pilot, const gait* p)
{
	lm_stride_state* state = &pilot->stride;
	double left = fmax(-state->since - shifted_early * lm_pilot_beat(pilot), pilot->h),
		   share = fmin(pilot->h / left, 1);
	for (int c = 0; c < 3; c += 2)
	{
		double goal =
			state->places[state->stance][c] + p->offset[0] * p->frame.axes[0][c] + p->offset[1] * p->frame.axes[1][c];
		state->aim[c] += share * (goal - state->aim[c]);
	}
}

// The ground under the centre: on the line from the foot that carries to the other one, or to where it lands.
static double base_height(const lm_act_pilot* pilot, const gait* p)
{
	const lm_stride_state* state = &pilot->stride;
	int other = 1 - state->stance;
	const double *from = state->places[state->stance], *to = is_swinging(state) ? p->landing : state->places[other];
	double way[3], off[3];
	for (int c = 0; c < 3; ++c)
		way[c] = to[c] - from[c], off[c] = pilot->motion.center[c] - from[c];
	double square = fmax(lm_dot_ground(way, way), 1e-6 * pilot->height * pilot->height);
	double share = fmin(fmax(lm_dot_ground(off, way) / square, -0.5), 1), low = p->under[state->stance].height;
	return state->ground + low + share * (p->under[other].height - low);
}

static void aim_center(lm_act_pilot* pilot, const lm_act_walk* walk, const gait* p, double weight)
{
	lm_stride_state* state = &pilot->stride;
	double phase = is_swinging(state) ? 2 * LM_PI * (state->since + pilot->h) / p->T : 0;
	if (state->standing)
	{
		move_aim(pilot, p);
		aim_within_soles(pilot, p, state->aim, 8, standing_share * weight);
	}
	else if (state->since < 0)
	{
		shift_aim(pilot, p);
		aim_within_soles(pilot, p, state->aim, 4, standing_share * weight);
	}
	for (int d = 0; !state->standing && state->since >= 0 && d < 2; ++d)
	{
		const double* axis = p->frame.axes[d];
		double foot = lm_dot_ground(state->places[state->stance], axis), room = p->pressure_room[d];
		double wanted = foot + p->offset[d] * exp(p->w * state->since), off = lm_dot_ground(p->xi, axis) - wanted;
		aim_over(pilot, p, axis, foot + fmin(fmax(1.5 * off, -room), room), weight);
	}
	// lowest when the feet change
	double bounce = walk->bounce * pilot->height / 2, rate = is_swinging(state) ? 2 * LM_PI / p->T : 0;
	lm_act_target height = { .position = base_height(pilot, p) + pilot->stance - bounce * cos(phase),
		                     .velocity = bounce * sin(phase) * rate,
		                     .kp = 8 * lm_pilot_gain_scale(pilot),
		                     .kd = 1,
		                     .weight = weight };
	lm_act_pilot_aim_center(pilot, up, &height);
}

// Where the swinging foot is set down: where it catches xi, but neither across the other foot nor out of reach.
static void landing_place(const lm_act_pilot* pilot, const gait* p, double place[3])
{
	const lm_stride_state* state = &pilot->stride;
	const double* foot = state->places[state->stance];
	double left = fmax(p->T - state->since, 0), W = p->W, farthest = reach * pilot->height, way[2];
	for (int d = 0; d < 2; ++d)
	{
		const double* axis = p->frame.axes[d];
		way[d] = (lm_dot_ground(p->xi, axis) - lm_dot_ground(foot, axis)) * exp(p->w * left) - p->next[d];
	}
	way[0] = fmin(fmax(way[0], -farthest), farthest);
	way[1] = p->side * fmin(fmax(p->side * way[1], 0.75 * W), fmax(1.5 * W, W + widest * pilot->height));
	for (int c = 0; c < 3; ++c)
		place[c] = foot[c] + way[0] * p->frame.axes[0][c] + way[1] * p->frame.axes[1][c];
}

// Where it lands, and the ground there and under the foot that carries.
static void look_at_ground(const lm_act_pilot* pilot, gait* p)
{
	const lm_stride_state* state = &pilot->stride;
	landing_place(pilot, p, p->landing);
	for (int foot = 0; foot < 2; ++foot)
	{
		if (!is_swinging(state) || foot == state->stance)
		{
			p->under[foot] = lm_pilot_foothold(pilot, foot, state->places[foot], state->facing[foot]);
			continue;
		}
		double near = foothold_near * lm_pilot_foot_half(pilot, foot, 0), range[2] = { -near, near };
		double shift = lm_pilot_find_foothold(pilot, foot, p->landing, state->heading, range, &p->under[foot]);
		for (int c = 0; c < 3; ++c)
			p->landing[c] += shift * p->frame.axes[0][c];
	}
}

// A step begins: where its usual place is at an edge, it lands beyond that, or takes a shorter step.
static void choose_foothold(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_stride_state* state = &pilot->stride;
	const double* foot = state->places[state->stance];
	int other = 1 - state->stance;
	double place[3], far = foothold_far * lm_pilot_foot_half(pilot, other, 0);
	lm_foothold hold;
	state->shift = 0;
	gait p = plan(pilot, walk);
	double range[2] = { p.way[0] > 0 ? -shortened * p.way[0] : -far, p.way[0] < 0 ? -shortened * p.way[0] : far };
	for (int c = 0; c < 3; ++c)
		place[c] = foot[c] + p.way[0] * p.frame.axes[0][c] + (p.way[1] + p.side * p.W) * p.frame.axes[1][c];
	state->shift = lm_pilot_find_foothold(pilot, other, place, state->heading, range, &hold);
}

static void swing_foot(const lm_act_pilot* pilot, const lm_act_walk* walk, const gait* p, int foot, lm_foot_aim* aim)
{
	const lm_stride_state* state = &pilot->stride;
	// at the end of this step of the simulation; the foot is there a little early
	double lasts = 0.9 * p->T, u = fmin((state->since + pilot->h) / lasts, 1), rate = u < 1 ? 1 / lasts : 0;
	lm_foothold left = lm_pilot_foothold(pilot, foot, state->lifted_from, state->facing[foot]);
	double from = left.height + state->ground;
	double ease, ease_rate;
	lm_swing_way((p->under[foot].height + state->ground - from) / pilot->height, u, &ease, &ease_rate);
	ease_rate *= rate;
	for (int c = 0; c < 3; c += 2)
	{
		double way = p->landing[c] - state->lifted_from[c];
		aim->position[c] = state->lifted_from[c] + ease * way;
		aim->velocity[c] = ease_rate * way;
	}
	lm_swing_height(from, p->under[foot].height + state->ground, walk->lift * pilot->height, u, &aim->position[1],
	                &aim->velocity[1]);
	aim->velocity[1] *= rate;
	for (int d = 0; d < 2; ++d) // it turns as it goes: at once, a toe would be pressed into the ground that it leaves
		aim->slope[d] = left.slope[d] + ease * (aim->slope[d] - left.slope[d]);
	aim->heading += ease * remainder(state->heading - aim->heading, 2 * LM_PI);
}

static void aim_foot(lm_act_pilot* pilot, const lm_act_walk* walk, const gait* p, int foot, double weight)
{
	const lm_stride_state* state = &pilot->stride;
	lm_foot_aim aim = { .heading = state->facing[foot], .slope = { p->under[foot].slope[0], p->under[foot].slope[1] } };
	memcpy(aim.position, state->places[foot], sizeof aim.position);
	aim.position[1] = p->under[foot].height + state->ground;
	if (foot != state->stance && is_swinging(state))
		swing_foot(pilot, walk, p, foot, &aim);
	lm_pilot_aim_foot(pilot, foot, &aim, weight);
}

// ---- from step to step ----

// How far it is to a place: from the middle of where its feet would be beside the one that carries.
static void way_to(const lm_act_pilot* pilot, const lm_act_walk* walk, const double place[3], double way[2])
{
	const lm_stride_state* state = &pilot->stride;
	lm_heading_frame f = lm_heading_axes(state->heading);
	const double* foot = state->places[state->stance];
	double W = walk->width > 0 ? walk->width : state->spacing, middle[3];
	middle_of_feet(state, middle);
	for (int d = 0; d < 2; ++d)
	{
		double beside = lm_dot_ground(foot, f.axes[d]) + (d == 1 ? (state->stance == 0 ? 1 : -1) * W / 2 : 0);
		way[d] = lm_dot_ground(place, f.axes[d]) - (state->standing ? lm_dot_ground(middle, f.axes[d]) : beside);
	}
}

// With a place to go to: straight there in equal steps, and over the last ones as it faces then, along them exactly,
// across them as the line is kept to. Once there it comes to rest before it sets off again.
static lm_act_walk towards_place(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_stride_state* state = &pilot->stride;
	lm_act_walk now = *walk;
	lm_heading_frame f = lm_heading_axes(state->heading);
	double way[2], speed = hypot(walk->velocity[0], walk->velocity[2]), step = speed * walk->step_seconds;
	double H = pilot->height, near = (state->standing ? 0.08 : 0.04) * H;
	way_to(pilot, walk, walk->place, way);
	double far = hypot(way[0], way[1]);
	state->left = fmin(fmax(ceil(far / fmax(step, 1e-6 * H) - stretched), 1), many_steps);
	bool there = far < near, comes_to_rest = state->arrived && !state->standing && far < 2 * near + step;
	state->arrived = there || comes_to_rest;
	double share = state->arrived ? 0 : 1 / (state->left * walk->step_seconds);
	double aside = is_closing(state) ? drift_gain * state->left : 1;
	for (int c = 0; c < 3; c += 2)
		now.velocity[c] = share * (way[0] * f.axes[0][c] + aside * way[1] * f.axes[1][c]);
	if (is_closing(state))
		now.turn = 0;
	return now;
}

static lm_act_walk walk_now(lm_act_pilot* pilot, const lm_act_walk* command)
{
	if (command->has_place)
		return towards_place(pilot, command);
	pilot->stride.left = many_steps;
	pilot->stride.arrived = false;
	return *command;
}

// A step begins: how far it turns in it.
static void choose_turn(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_stride_state* state = &pilot->stride;
	state->turn = told_to_go(pilot, walk) ? lm_walk_turn(pilot, walk, state->heading, walk->step_seconds) : 0;
	state->heading += state->turn;
}

// A soft body is slower than commanded, and many drift forward or back by themselves: the distance of the last two
// steps shows by how much, and that is added to the command until it fits. Speed builds up over some steps: what is
// missing meanwhile is no drift.
static void correct_speed(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_stride_state* state = &pilot->stride;
	const double* along = lm_heading_axes(state->heading).axes[0];
	double *last = state->centers[state->stance], V = sqrt(pilot->gravity * pilot->height);
	double before = state->expected;
	state->expected += builds_up * (wanted_velocity(pilot, walk, 0) - before);
	if (state->steps++ >= 2 && told_to_go(pilot, walk))
	{
		double way = lm_dot_ground(pilot->motion.center, along) - lm_dot_ground(last, along);
		double missing = (before + state->expected) / 2 - way / (2 * walk->step_seconds);
		double most = fmax(fabs(commanded(state, walk, 0)), slow * V); // the speed may have been another
		state->correction += catch_up * fmin(fmax(missing, -most), most);
		state->correction = fmin(fmax(state->correction, -most_corrected * V), most_corrected * V);
	}
	memcpy(last, pilot->motion.center, sizeof state->centers[0]);
}

// The line is taken along as commanded. What goes along its heading is taken as it is there: the line then goes
// through where it was abreast of the feet.
static void move_line(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_stride_state* state = &pilot->stride;
	double middle[3], off[2] = { 0 };
	lm_heading_frame f = lm_heading_axes(state->heading);
	middle_of_feet(state, middle);
	for (int d = keeps_abreast(pilot, walk) ? 0 : 1; d < 2 && !is_closing(state); ++d)
		off[d] = lm_dot_ground(state->line, f.axes[d]) - lm_dot_ground(middle, f.axes[d]) +
		         commanded(state, walk, d) * walk->step_seconds;
	for (int c = 0; c < 3; ++c)
		state->line[c] = middle[c] + off[0] * f.axes[0][c] + off[1] * f.axes[1][c];
}

// Whether the soles hold xi, up to a share of what they can.
static bool holds(const gait* p, double share)
{
	double xi[2] = { p->xi[0], p->xi[2] };
	return lm_polygon_holds(&p->hull, share * held_share, xi);
}

static void stand_here(lm_act_pilot* pilot)
{
	lm_stride_state* state = &pilot->stride;
	state->steps = 0, state->correction = 0, state->expected = 0, state->turn = 0;
	middle_of_feet(state, state->stand_at);
	memcpy(state->aim, pilot->motion.center, sizeof state->aim);
}

// The swinging foot is down and carries from now on.
static void change_feet(lm_act_pilot* pilot, const lm_act_walk* command, lm_act_walk* walk)
{
	lm_stride_state* state = &pilot->stride;
	int landed = 1 - state->stance;
	correct_speed(pilot, walk);
	lm_v3_store(state->places[landed], 0, lm_pilot_foot_place(pilot, landed));
	state->facing[landed] = state->heading;
	move_line(pilot, walk);
	lm_v3_store(state->lifted_from, 0, lm_pilot_foot_place(pilot, state->stance));
	state->stance = landed;
	state->since = 0;
	*walk = walk_now(pilot, command);
	gait p = plan(pilot, walk);
	bool going = told_to_go(pilot, walk);
	state->hurried = !going && !holds(&p, 1);
	state->standing = !going && holds(&p, 0.8);
	if (state->standing)
	{
		stand_here(pilot);
		return;
	}
	choose_turn(pilot, walk);
	choose_foothold(pilot, walk);
}

// Which foot carries when it has to catch itself: the one that xi is nearer to; but pushed aside it steps out at once
// with that foot, if one step reaches far enough.
static int catching_stance(const lm_act_pilot* pilot, const lm_act_walk* walk, const gait* p)
{
	const lm_stride_state* state = &pilot->stride;
	const double *along = p->frame.axes[0], *across = p->frame.axes[1];
	double middle[3];
	middle_of_feet(state, middle);
	double aside = lm_dot_ground(p->xi, across) - lm_dot_ground(middle, across);
	double ahead = lm_dot_ground(p->xi, along) - lm_dot_ground(middle, along);
	int stance = aside > 0, far = 1 - stance;
	double grown = fabs(lm_dot_ground(p->xi, across) - lm_dot_ground(state->places[far], across)) *
	               exp(p->w * hurry * walk->step_seconds);
	bool reaches = grown - p->W / (p->E + 1) < p->W + widest * pilot->height;
	return fabs(aside) > fabs(ahead) && reaches ? far : stance;
}

// Standing: goes when commanded to, with time to shift its weight, or at once when it would fall otherwise.
static void leave_stand(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_stride_state* state = &pilot->stride;
	gait p = plan(pilot, walk);
	bool falling = p.hull.count >= 3 && !holds(&p, 1);
	state->since = falling ? 0 : -shifting * lm_pilot_beat(pilot);
	state->standing = !falling && !told_to_go(pilot, walk);
	state->hurried = falling;
	if (state->standing)
		return;
	if (falling)
		state->stance = catching_stance(pilot, walk, &p);
	p.side = state->stance == 0 ? 1 : -1;
	memcpy(state->lifted_from, state->places[1 - state->stance], sizeof state->lifted_from);
	memcpy(state->aim, pilot->motion.center, sizeof state->aim);
	// the line of a steady gait on this foot, abreast of the middle of both
	double off[3], along = 0;
	for (int c = 0; c < 3; ++c)
		off[c] = (state->places[1 - state->stance][c] - state->places[state->stance][c]) / 2;
	along = lm_dot_ground(off, p.frame.axes[0]);
	for (int c = 0; c < 3; ++c)
		state->line[c] =
			state->places[state->stance][c] + along * p.frame.axes[0][c] + p.side * p.W / 2 * p.frame.axes[1][c];
	choose_turn(pilot, walk);
	choose_foothold(pilot, walk);
}

void lm_pilot_stride(lm_act_pilot* pilot, const lm_act_walk* command)
{
	lm_stride_state* state = &pilot->stride;
	double weight = lm_pilot_weight(pilot, command->weight);
	int32_t first_row = pilot->row_count;
	double ground = lm_pilot_feel_ground(pilot, state->begun, state->ground);
	if (!state->begun || is_elsewhere(pilot) || state->step + 1 != pilot->step)
		begin(pilot);
	state->ground = ground;
	state->step = pilot->step;
	lm_act_walk walk = walk_now(pilot, command);
	if (state->standing)
		leave_stand(pilot, &walk);
	else if (state->since >= (state->hurried ? hurry : 1) * walk.step_seconds * (1 - 1e-9))
		change_feet(pilot, command, &walk);
	gait p = plan(pilot, &walk);
	look_at_ground(pilot, &p);
	aim_center(pilot, &walk, &p, weight);
	for (int f = 0; f < 2; ++f)
		aim_foot(pilot, &walk, &p, f, feet_share * weight);
	double to_go = state->standing ? 0 : 1 - fmin(fmax((state->since + pilot->h) / p.T, 0), 1);
	double sway = is_swinging(state) ? walk.sway * sin(LM_PI * fmin((state->since + pilot->h) / p.T, 1)) : 0;
	lm_trunk_aim trunk = { .heading = state->heading - to_go * state->turn,
		                   .pitch = -walk.lean,
		                   .roll = -p.side * sway };
	lm_pilot_aim_trunk(pilot, &trunk, trunk_share * weight);
	lm_pilot_limit_rows(pilot, first_row);
	if (!state->standing)
		state->since = state->since < 0 && state->since + pilot->h > -1e-9 ? 0 : state->since + pilot->h;
}
