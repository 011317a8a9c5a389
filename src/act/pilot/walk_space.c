// walk_space.c: walking in space on two feet that stand side by side.
//
// The inverted pendulum of walk.c in both horizontal axes: w = sqrt(g / height), xi = x + v / w its divergent
// component, T the time of a step, E = exp(w T). At the beginning of a step on the foot at p a steady gait has
//     along   xi - p = b_x = s_x / (E - 1)                 s the way per step
//     across  xi - p = b_z = s_z / (E - 1) -+ W / (E + 1)  W the distance of the feet, towards the other foot
// and the next foot is set down at xi(T) - b of its own step. Along and across are those of the heading at the end of
// the step; a turn goes into the foot that swings and the trunk. Drifting off the line across the way is corrected by
// moving the end of the step that is aimed for; moving the foot alone does not help.
//
// With nowhere to go it stands on both feet: a centre of pressure at m + 2 (xi - m), m between the feet, takes xi there
// as exp(-w t). Where xi leaves what the feet can hold, it steps.
#include "act/pilot/pilot.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static const double up[3] = { 0, 1, 0 }, x_axis[3] = { 1, 0, 0 }, z_axis[3] = { 0, 0, 1 };
static const double shifting = 0.8;    // s: the weight goes over the first foot
static const double feet_share = 0.25; // weight of the rows of feet and trunk
static const double sole_share = 0.55; // of half a foot: how far the centre of pressure may go
static const double drift_gain = 0.3;
static const double catch_up = 0.25;
static const double hurry = 0.6;    // of the time of a step: the first after a push from standing
static const double slowest = 1e-3; // m/s: slower commands mean standing

// Along (0) and across (1) a heading.
typedef struct frame
{
	double axes[2][3];
} frame;

static frame frame_of(double heading)
{
	double c = cos(heading), s = sin(heading);
	return (frame){ { { c, 0, -s }, { s, 0, c } } };
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[2] * b[2];
}

// ---- feet ----

static lm_vec3 place_of(const lm_act_pilot* pilot, int foot)
{
	const lm_foot* f = &pilot->feet[foot];
	lm_vec3 sum = { 0 };
	double mass = 0;
	for (int32_t k = 0; k < f->count; ++k)
	{
		mass += pilot->masses[f->vertices[k]];
		sum = lm_add_scaled(sum, pilot->masses[f->vertices[k]], lm_v3_at(pilot->positions, f->vertices[k]));
	}
	return lm_scale(1 / mass, sum);
}

// Half the extent of a foot along x (0) or z (1), as it is at rest.
static double half_foot(const lm_act_pilot* pilot, int foot, int axis)
{
	const lm_foot* f = &pilot->feet[foot];
	double low = INFINITY, high = -INFINITY;
	for (int32_t k = 0; k < f->count; ++k)
	{
		double x = pilot->reference[3 * (int64_t)f->vertices[k] + 2 * axis];
		low = fmin(low, x), high = fmax(high, x);
	}
	return (high - low) / 2;
}

static double load_on(const lm_act_pilot* pilot, int foot)
{
	double sum = 0;
	for (int32_t k = 0; k < pilot->feet[foot].count; ++k)
		sum += pilot->forces[pilot->feet[foot].vertices[k]];
	return sum;
}

static void middle_of_feet(const lm_space_walk_state* state, double middle[3])
{
	for (int c = 0; c < 3; ++c)
		middle[c] = (state->places[0][c] + state->places[1][c]) / 2;
}

static void begin(lm_act_pilot* pilot)
{
	lm_space_walk_state* state = &pilot->space_walk;
	double known = state->begun ? state->spacing : 0;
	*state = (lm_space_walk_state){ .begun = true, .standing = true };
	state->heading = pilot->motion.heading;
	frame f = frame_of(state->heading);
	for (int foot = 0; foot < 2; ++foot)
	{
		lm_v3_store(state->places[foot], 0, place_of(pilot, foot));
		state->facing[foot] = state->heading;
	}
	state->spacing = known > 0 ? known : dot(state->places[1], f.axes[1]) - dot(state->places[0], f.axes[1]);
	middle_of_feet(state, state->line);
}

// Whether the foot that carries is not where it was: something else was done, or done to it, in between.
static bool is_elsewhere(const lm_act_pilot* pilot)
{
	const lm_space_walk_state* state = &pilot->space_walk;
	lm_vec3 place = place_of(pilot, state->stance);
	const double* was = state->places[state->stance];
	return hypot(place.x - was[0], place.z - was[2]) > 0.2 * pilot->height;
}

// ---- the pendulum and the gait that is wanted ----

typedef struct gait
{
	frame frame;
	double w, E, T, W, side; // side: +1 when the other foot is further across
	double way[2];           // per step, along and across
	double offset[2];        // b of this step
	double xi[3], pressure_room[2];
} gait;

// The commanded velocity along (0) or across (1) the heading. With `turn` it walks along its heading only.
static double commanded(const lm_space_walk_state* state, const lm_act_walk* walk, int d)
{
	double v = dot(walk->velocity, frame_of(state->heading).axes[d]);
	return walk->turn > 0 ? (d == 0 ? fmax(v, 0) : 0) : v;
}

// The velocity that is wanted: what is commanded, and back to the line.
static double wanted_velocity(const lm_space_walk_state* state, const lm_act_walk* walk, int d)
{
	frame f = frame_of(state->heading);
	double middle[3];
	middle_of_feet(state, middle);
	double off = d == 1 ? dot(middle, f.axes[1]) - dot(state->line, f.axes[1]) : 0;
	return commanded(state, walk, d) - drift_gain * off / walk->step_seconds;
}

static gait plan(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	const lm_space_walk_state* state = &pilot->space_walk;
	const lm_act_motion* motion = &pilot->motion;
	gait p = { .frame = frame_of(state->heading),
		       .w = sqrt(pilot->gravity / fmax(pilot->stance, 1e-3)),
		       .T = walk->step_seconds };
	p.E = exp(p.w * p.T);
	p.T *= state->hurried ? hurry : 1;
	p.W = walk->width > 0 ? walk->width : state->spacing;
	p.side = (state->stance == 0 ? 1 : -1);
	for (int d = 0; d < 2; ++d)
		p.way[d] = (wanted_velocity(state, walk, d) + (d == 0 ? state->correction : 0)) * walk->step_seconds;
	for (int c = 0; c < 3; ++c)
		p.xi[c] = motion->center[c] + motion->velocity[c] / p.w;
	for (int d = 0; d < 2; ++d)
	{
		p.offset[d] = p.way[d] / (p.E - 1) + (d == 1 ? p.side * p.W / (p.E + 1) : 0);
		p.pressure_room[d] = sole_share * half_foot(pilot, state->stance, d);
	}
	return p;
}

// ---- rows ----

// The centre's velocity as the pendulum over this centre of pressure has it at the end of the step.
static void aim_over(lm_act_pilot* pilot, const gait* p, int d, double pressure, double weight)
{
	const double* axis = p->frame.axes[d];
	double x = dot(pilot->motion.center, axis), v = dot(pilot->motion.velocity, axis);
	lm_act_target target = { .kd = 1, .weight = weight, .velocity = v + pilot->h * p->w * p->w * (x - pressure) };
	lm_act_pilot_aim_center(pilot, axis, &target);
}

static void aim_center(lm_act_pilot* pilot, const gait* p, double weight)
{
	const lm_space_walk_state* state = &pilot->space_walk;
	double middle[3];
	middle_of_feet(state, middle);
	for (int d = 0; d < 2; ++d)
	{
		const double* axis = p->frame.axes[d];
		double foot = dot(state->places[state->stance], axis), xi = dot(p->xi, axis), room = p->pressure_room[d];
		if (state->standing)
		{
			double m = dot(middle, axis), half = fabs(foot - m) + room;
			aim_over(pilot, p, d, m + fmin(fmax(2 * (xi - m), -half), half), weight);
		}
		else if (state->since < 0)
		{
			lm_act_target over = { .position = foot + p->offset[d], .kp = 4, .kd = 1, .weight = weight };
			lm_act_pilot_aim_center(pilot, axis, &over);
		}
		else
		{
			double wanted = foot + p->offset[d] * exp(p->w * state->since);
			aim_over(pilot, p, d, foot + fmin(fmax(1.5 * (xi - wanted), -room), room), weight);
		}
	}
	lm_act_target height = {
		.position = state->places[state->stance][1] + pilot->stance, .kp = 8, .kd = 1, .weight = weight
	};
	lm_act_pilot_aim_center(pilot, up, &height);
}

// Where the swinging foot is set down: where it catches xi, but neither across the other foot nor out of reach.
static void landing_place(const lm_act_pilot* pilot, const gait* p, double place[3])
{
	const lm_space_walk_state* state = &pilot->space_walk;
	const double* foot = state->places[state->stance];
	double left = fmax(p->T - state->since, 0), W = p->W, reach = 0.3 * pilot->height, way[2];
	double next[2] = { p->way[0] / (p->E - 1), p->way[1] / (p->E - 1) - p->side * W / (p->E + 1) };
	for (int d = 0; d < 2; ++d)
		way[d] = (dot(p->xi, p->frame.axes[d]) - dot(foot, p->frame.axes[d])) * exp(p->w * left) - next[d];
	way[0] = fmin(fmax(way[0], -reach), reach);
	way[1] = p->side * fmin(fmax(p->side * way[1], 0.75 * W), 1.5 * W);
	for (int c = 0; c < 3; ++c)
		place[c] = foot[c] + way[0] * p->frame.axes[0][c] + way[1] * p->frame.axes[1][c];
}

// Level, and facing along a heading.
static void aim_flat(lm_act_pilot* pilot, const lm_foot* f, double heading, double weight)
{
	frame facing = frame_of(heading);
	lm_act_target flat = { .kp = 8, .kd = 1, .weight = weight };
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, up, x_axis, &flat);
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, up, z_axis, &flat);
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, facing.axes[1], x_axis, &flat);
}

static void aim_foot(lm_act_pilot* pilot, const lm_act_walk* walk, const gait* p, int foot, double weight)
{
	const lm_space_walk_state* state = &pilot->space_walk;
	const lm_foot* f = &pilot->feet[foot];
	double position[3], velocity[3] = { 0 }, facing = state->facing[foot];
	memcpy(position, state->places[foot], sizeof position);
	if (foot != state->stance && state->since >= 0)
	{
		double to[3];
		landing_place(pilot, p, to);
		// at the end of this step of the simulation; the foot is there a little early
		double u = fmin((state->since + pilot->h) / (0.9 * p->T), 1), rate = u < 1 ? 1 / (0.9 * p->T) : 0;
		double ease = u * u * (3 - 2 * u), ease_rate = 6 * u * (1 - u) * rate, lift = walk->lift * pilot->height;
		for (int c = 0; c < 3; c += 2)
		{
			double way = to[c] - state->lifted_from[c];
			position[c] = state->lifted_from[c] + ease * way;
			velocity[c] = ease_rate * way;
		}
		position[1] = place_of(pilot, state->stance).y + lift * 16 * u * u * (1 - u) * (1 - u);
		velocity[1] = lift * 32 * u * (1 - u) * (1 - 2 * u) * rate;
		facing += ease * remainder(state->heading - facing, 2 * LM_PI);
	}
	const double* axes[3] = { x_axis, up, z_axis };
	for (int c = 0; c < 3; ++c)
	{
		lm_act_target target = {
			.position = position[c], .velocity = velocity[c], .kp = 12, .kd = 1, .weight = weight
		};
		lm_act_pilot_aim_points(pilot, f->vertices, f->count, axes[c], &target);
	}
	aim_flat(pilot, f, facing, weight / 2);
}

// Upright, and facing where the step leads.
static void aim_trunk(lm_act_pilot* pilot, const gait* p, double weight)
{
	const lm_space_walk_state* state = &pilot->space_walk;
	const lm_foot* trunk = &pilot->trunk;
	double to_go = state->standing ? 0 : 1 - fmin(fmax((state->since + pilot->h) / p->T, 0), 1);
	double heading = state->heading - to_go * state->turn;
	frame f = frame_of(heading);
	const double* axes[3] = { x_axis, up, z_axis };
	for (int c = 0; trunk->count > 0 && c < 3; ++c)
	{
		lm_act_target forward = { .position = f.axes[0][c], .kp = 8, .kd = 1, .weight = weight };
		lm_act_target upright = { .position = up[c], .kp = 8, .kd = 1, .weight = weight };
		lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, axes[c], x_axis, &forward);
		lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, axes[c], up, &upright);
	}
	if (trunk->count == 0)
		lm_pilot_balance_facing(pilot, heading, weight);
}

// ---- from step to step ----

static bool told_to_go(const lm_act_walk* walk)
{
	return hypot(walk->velocity[0], walk->velocity[2]) > slowest;
}

// With a place to go to: straight there, and slower over the last steps; near it, nothing is left to do.
static lm_act_walk towards_place(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_act_walk now = *walk;
	double middle[3], speed = hypot(walk->velocity[0], walk->velocity[2]);
	middle_of_feet(&pilot->space_walk, middle);
	double x = walk->place[0] - middle[0], z = walk->place[2] - middle[2], way = hypot(x, z);
	double near = (pilot->space_walk.standing ? 0.08 : 0.04) * pilot->height;
	double share = way < near ? 0 : fmin(0.5 * way / walk->step_seconds, speed) / way;
	now.velocity[0] = share * x;
	now.velocity[2] = share * z;
	return now;
}

// A step begins: how far it turns in it.
static void choose_turn(lm_space_walk_state* state, const lm_act_walk* walk)
{
	double most = walk->turn * walk->step_seconds, wanted = 0;
	if (most > 0 && told_to_go(walk))
		wanted = remainder(atan2(-walk->velocity[2], walk->velocity[0]) - state->heading, 2 * LM_PI);
	state->turn = fmin(fmax(wanted, -most), most);
	state->heading += state->turn;
}

// A soft body is slower than commanded: the distance of the last two steps shows by how much, and the command is
// raised until it fits.
static void correct_speed(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_space_walk_state* state = &pilot->space_walk;
	frame f = frame_of(state->heading);
	double* last = state->centers[state->stance];
	if (state->steps++ >= 2)
	{
		double way = dot(pilot->motion.center, f.axes[0]) - dot(last, f.axes[0]);
		double missing = wanted_velocity(state, walk, 0) - way / (2 * walk->step_seconds);
		state->correction = fmin(fmax(state->correction + catch_up * missing, -0.3), 0.3);
	}
	memcpy(last, pilot->motion.center, sizeof state->centers[0]);
}

// The line is taken along: it goes through where it was abreast of the feet, and aside as commanded.
static void move_line(lm_space_walk_state* state, const lm_act_walk* walk)
{
	double middle[3];
	middle_of_feet(state, middle);
	const double* across = frame_of(state->heading).axes[1];
	double off = dot(state->line, across) - dot(middle, across);
	off += commanded(state, walk, 1) * walk->step_seconds;
	for (int c = 0; c < 3; ++c)
		state->line[c] = middle[c] + off * across[c];
}

// Whether both feet together hold xi, up to a share of what they can, and stand side by side.
static bool holds(const lm_act_pilot* pilot, const gait* p, double share)
{
	const lm_space_walk_state* state = &pilot->space_walk;
	const double *along = p->frame.axes[0], *across = p->frame.axes[1];
	double middle[3];
	middle_of_feet(state, middle);
	double apart = dot(state->places[0], along) - dot(state->places[1], along);
	return fabs(dot(p->xi, along) - dot(middle, along)) < share * p->pressure_room[0] &&
	       fabs(dot(p->xi, across) - dot(middle, across)) < share * p->W / 2 &&
	       fabs(apart) < half_foot(pilot, state->stance, 0);
}

// The swinging foot is down and carries from now on.
static void change_feet(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_space_walk_state* state = &pilot->space_walk;
	int landed = 1 - state->stance;
	correct_speed(pilot, walk);
	lm_v3_store(state->places[landed], 0, place_of(pilot, landed));
	// a foot that is not on the ground yet says nothing about its height: steps would lead up a stair of air
	if (load_on(pilot, landed) < 0.5 * pilot->motion.load)
		state->places[landed][1] = fmin(state->places[landed][1], place_of(pilot, state->stance).y);
	state->facing[landed] = state->heading;
	move_line(state, walk);
	lm_v3_store(state->lifted_from, 0, place_of(pilot, state->stance));
	state->stance = landed;
	state->since = 0;
	state->hurried = false;
	gait p = plan(pilot, walk);
	state->standing = !told_to_go(walk) && holds(pilot, &p, 0.8);
	if (state->standing)
		state->steps = 0, state->correction = 0, state->turn = 0;
	else
		choose_turn(state, walk);
}

// Standing: goes when commanded to, with time to shift its weight, or at once when it would fall otherwise.
static void leave_stand(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_space_walk_state* state = &pilot->space_walk;
	gait p = plan(pilot, walk);
	bool falling = !holds(pilot, &p, 1);
	state->since = falling ? 0 : -shifting;
	state->standing = !falling && !told_to_go(walk);
	state->hurried = falling;
	if (state->standing)
		return;
	double middle[3];
	middle_of_feet(state, middle);
	if (falling)
		state->stance = dot(p.xi, p.frame.axes[1]) > dot(middle, p.frame.axes[1]);
	p.side = state->stance == 0 ? 1 : -1;
	memcpy(state->lifted_from, state->places[1 - state->stance], sizeof state->lifted_from);
	// the line of a steady gait on this foot
	for (int c = 0; c < 3; ++c)
		state->line[c] = state->places[state->stance][c] + p.side * p.W / 2 * p.frame.axes[1][c];
	choose_turn(state, walk);
}

void lm_pilot_walk_space(lm_act_pilot* pilot, const lm_act_walk* commanded)
{
	lm_space_walk_state* state = &pilot->space_walk;
	double weight = lm_pilot_weight(pilot, commanded->weight);
	if (!state->begun || is_elsewhere(pilot))
		begin(pilot);
	lm_act_walk wanted = commanded->has_place ? towards_place(pilot, commanded) : *commanded;
	const lm_act_walk* walk = &wanted;
	if (state->standing)
		leave_stand(pilot, walk);
	else if (state->since >= (state->hurried ? hurry : 1) * walk->step_seconds * (1 - 1e-9))
		change_feet(pilot, walk);
	gait p = plan(pilot, walk);
	aim_center(pilot, &p, weight);
	for (int f = 0; f < 2; ++f)
		aim_foot(pilot, walk, &p, f, feet_share * weight);
	aim_trunk(pilot, &p, feet_share * weight);
	if (!state->standing)
		state->since = state->since < 0 && state->since + pilot->h > -1e-9 ? 0 : state->since + pilot->h;
}
