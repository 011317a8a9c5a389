// walk.c: walking in the plane on two feet that stand side by side.
//
// The centre of mass is taken as an inverted pendulum of frequency w = sqrt(g / height). What matters is its divergent
// component xi = x + v / w: over a foot at p it runs away as xi(t) = p + (xi(0) - p) exp(w t). Walking is putting the
// next foot where it catches xi. With E = exp(w T), T the time of a step, s the way per step and W the distance of the
// feet, a steady gait has, at the beginning of a step on foot k (0 left, 1 right),
//     xi - p_k = b_k = s / (E - 1) + W / (E + 1)  (left),   s / (E - 1) - W / (E + 1)  (right),
// so the next foot is set down at p = xi(T) - b. The feedback from xi is what keeps it from falling.
// The ground is a line through the feet as they stand, whose slope is estimated at each step; a pendulum whose centre
// stays at one height above that line has the same w. Goals: the centre's velocity as the pendulum has it about a
// centre of pressure within the foot, its height, both feet (the standing one stays, the swinging one follows an arc),
// the swinging foot along the ground, the trunk upright. With no way to go it stands on both feet.
#include "act/pilot/pilot.h"

#include <math.h>

static const double x_axis[3] = { 1, 0, 0 }, y_axis[3] = { 0, 1, 0 };
static const double shifting = 0.5;        // s: the weight goes over the first foot
static const double ground_seconds = 0.05; // time constant of the contact points of the feet
static const double steepest = 0.5;        // limit of the estimated slope
static const double near = 0.03;           // of the height: that close to its place it stays

// Walking needs larger weights than hopping: with smaller ones the regularisers of the rest shape dominate, and the
// centre of mass drifts to one side; larger ones distort the body. Rows are limited to the step, so this holds at every
// time step.
static double strength(const lm_act_walk* walk, double share)
{
	return 4 * share * walk->weight;
}

// Time for which goals are set (lm_pilot_limit_rows).
static double ahead(const lm_act_pilot* pilot)
{
	return fmax(pilot->h, lm_pilot_tuned_step(pilot));
}

// ---- measuring feet ----

typedef struct foot_facts
{
	double place, half;       // mean x of its vertices, half its width
	double sole;              // of the rest shape: height of their mean above the lowest
	double load;              // N
	double pressure_point[2]; // x and y of the centre of pressure
} foot_facts;

static foot_facts measure_foot(const lm_act_pilot* pilot, int32_t foot)
{
	const lm_foot* f = &pilot->feet[foot];
	foot_facts facts = { 0 };
	double left = INFINITY, right = -INFINITY, low = INFINITY, mass = 0;
	for (int32_t k = 0; k < f->count; ++k)
	{
		int64_t v = f->vertices[k];
		const double *x = pilot->positions + 3 * v, *X = pilot->reference + 3 * v;
		double m = pilot->masses[v], force = pilot->forces[v];
		facts.place += m * x[0];
		facts.sole += m * X[1];
		mass += m;
		low = fmin(low, X[1]);
		left = fmin(left, x[0]), right = fmax(right, x[0]);
		facts.pressure_point[0] += force * x[0];
		facts.pressure_point[1] += force * x[1];
		facts.load += force;
	}
	facts.place /= mass;
	facts.sole = facts.sole / mass - low;
	facts.half = (right - left) / 2;
	for (int c = 0; c < 2; ++c)
		facts.pressure_point[c] *= facts.load > 0 ? 1 / facts.load : 0;
	return facts;
}

static double middle(const lm_walk_state* state)
{
	return (state->places[0] + state->places[1]) / 2;
}

// Where it shall go, m/s: what is left of the way is made in the time of three steps, if it is fast enough.
static double wanted_velocity(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	double speed = fabs(walk->velocity[0]), way = walk->place[0] - middle(&pilot->walk);
	if (!walk->has_place)
		return walk->velocity[0];
	return fabs(way) < near * pilot->height ? 0 : fmin(fmax(0.35 * way / walk->step_seconds, -speed), speed);
}

// The pendulum and the gait that is wanted, for this step.
typedef struct gait
{
	double w, E, T, velocity;
	bool arriving;    // a step or two from its place
	double offset[2]; // b of a step on the left and on the right foot
	double spacing;   // W
	double xi;
} gait;

static gait plan(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	gait plan = { .w = sqrt(pilot->gravity / fmax(pilot->stance, 1e-3)),
		          .T = walk->step_seconds,
		          .spacing = pilot->walk.spacing };
	plan.E = exp(plan.w * plan.T);
	plan.velocity = wanted_velocity(pilot, walk);
	plan.arriving = walk->has_place && fabs(walk->place[0] - middle(&pilot->walk)) < 0.35 * plan.spacing;
	double way = (plan.velocity + pilot->walk.correction) * plan.T / (plan.E - 1);
	double side = plan.spacing / (plan.E + 1);
	plan.offset[0] = way + side;
	plan.offset[1] = way - side;
	plan.xi = pilot->motion.center[0] + pilot->motion.velocity[0] / plan.w;
	return plan;
}

// ---- the ground ----

static double ground(const lm_walk_state* state, double x)
{
	const double* pressure_point = state->pressure_point[state->stance];
	return pressure_point[1] + state->slope * (x - pressure_point[0]);
}

static double slope_of(const lm_walk_state* state)
{
	double x = state->pressure_point[1][0] - state->pressure_point[0][0],
		   y = state->pressure_point[1][1] - state->pressure_point[0][1];
	return x > 0.3 * state->spacing ? fmin(fmax(y / x, -steepest), steepest) : state->slope;
}

// Updates the contact point of a foot that carries at least this share of the weight: below that the contact spring is
// too little compressed. Returns whether it does.
static bool update_ground(lm_act_pilot* pilot, int foot, double carries)
{
	foot_facts facts = measure_foot(pilot, foot);
	bool carrying = facts.load > carries * lm_act_mass(pilot->body) * pilot->gravity;
	double share = carrying ? pilot->h / (pilot->h + ground_seconds) : 0;
	for (int c = 0; c < 2; ++c)
		pilot->walk.pressure_point[foot][c] += share * (facts.pressure_point[c] - pilot->walk.pressure_point[foot][c]);
	return carrying;
}

// ---- phases ----

static void begin(lm_act_pilot* pilot)
{
	lm_walk_state* state = &pilot->walk;
	state->begun = true;
	for (int f = 0; f < 2; ++f)
	{
		state->places[f] = state->pressure_point[f][0] = measure_foot(pilot, f).place;
		state->pressure_point[f][1] = pilot->motion.low[1];
	}
	state->spacing = state->places[1] - state->places[0];
	state->since = -shifting;
}

// A soft body is slower than commanded. The distance of the last two steps shows by how much, and the command is raised
// (integral control).
static void correct_speed(lm_walk_state* state, const gait* plan, double x)
{
	if (plan->arriving)
		state->correction *= 0.5;
	else if (state->steps >= 2)
	{
		double speed = (x - state->centers[state->stance]) / (2 * plan->T);
		state->correction += 0.25 * (plan->velocity - speed);
		state->correction = fmin(fmax(state->correction, -0.3), 0.3);
	}
	state->centers[state->stance] = x;
	state->steps++;
}

// The swinging foot is down: it carries from now on, and the other one swings. With no way to go, feet apart as at rest
// and the centre about to come to a halt between them, both carry.
static void change_feet(lm_act_pilot* pilot, const gait* plan)
{
	lm_walk_state* state = &pilot->walk;
	int landed = 1 - state->stance;
	correct_speed(state, plan, pilot->motion.center[0]);
	state->slope += 0.5 * (slope_of(state) - state->slope);
	state->lifted_from = measure_foot(pilot, state->stance).place;
	state->places[landed] = measure_foot(pilot, landed).place;
	state->pressure_point[landed][1] = ground(state, state->places[landed]); // until it is measured
	state->pressure_point[landed][0] = state->places[landed];
	state->stance = landed;
	state->since = 0;
	double apart = state->places[1] - state->places[0];
	state->standing = plan->velocity == 0 && fabs(apart - plan->spacing) < 0.4 * plan->spacing &&
	                  fabs(plan->xi - middle(state)) < 0.5 * plan->spacing;
}

// From standing: when it is commanded to go, or pushed too far.
static void set_off(lm_act_pilot* pilot, const gait* plan)
{
	lm_walk_state* state = &pilot->walk;
	double off = plan->xi - middle(state);
	bool pushed = fabs(off) > 0.55 * plan->spacing;
	if (plan->velocity == 0 && !pushed)
		return;
	state->standing = false;
	state->steps = 0;
	state->stance = pushed ? off > 0 : state->stance; // towards the push
	state->since = pushed ? 0 : -shifting;
	state->lifted_from = state->places[1 - state->stance];
}

// Where the swinging foot shall be set down, given what is left of the step. At the end of the way it may miss xi a
// little, for the pressure under the foot to make up, and come to where it shall stay.
static double landing_place(const lm_walk_state* state, const lm_act_walk* walk, const gait* plan)
{
	int stance = state->stance;
	double p = state->places[stance], rest = fmax(plan->T - state->since, 0);
	double end = p + (plan->xi - p) * exp(plan->w * rest), place = end - plan->offset[1 - stance];
	double side = stance == 0 ? 1 : -1, room = 0.2 * plan->spacing;
	if (plan->arriving)
		place += fmin(fmax(walk->place[0] + side * plan->spacing / 2 - place, -room), room);
	double apart = fmin(fmax(side * (place - p), 0.6 * plan->spacing), 1.7 * plan->spacing);
	return p + side * apart;
}

// ---- rows ----

static void aim_center(lm_act_pilot* pilot, const lm_act_walk* walk, const gait* plan)
{
	const lm_walk_state* state = &pilot->walk;
	const lm_act_motion* motion = &pilot->motion;
	foot_facts stance = measure_foot(pilot, state->stance);
	double p = state->places[state->stance], weight = strength(walk, 1);
	lm_act_target along = { .kp = 4, .kd = 1, .weight = weight };
	if (state->standing)
		along.position = middle(state);
	else if (state->since < 0) // shifting the weight over the first foot
		along.position = p + plan->offset[state->stance];
	else
	{
		double wanted = p + plan->offset[state->stance] * exp(plan->w * state->since), half = 0.8 * stance.half;
		double pressure = p + fmin(fmax(1.5 * (plan->xi - wanted), -half), half);
		along.kp = 0;
		along.velocity = motion->velocity[0] + ahead(pilot) * plan->w * plan->w * (motion->center[0] - pressure);
	}
	lm_act_pilot_aim_center(pilot, x_axis, &along);
	lm_act_target height = { .position = ground(state, motion->center[0]) + pilot->stance,
		                     .velocity = state->slope * motion->velocity[0],
		                     .kp = 8,
		                     .kd = 1,
		                     .weight = weight };
	lm_act_pilot_aim_center(pilot, y_axis, &height);
}

static void aim_standing(lm_act_pilot* pilot, const lm_act_walk* walk, int foot)
{
	double place = pilot->walk.places[foot], sole = measure_foot(pilot, foot).sole;
	const lm_foot* f = &pilot->feet[foot];
	double weight = strength(walk, 0.5);
	lm_act_target x = { .position = place, .kp = 7.5, .kd = 1, .weight = weight };
	lm_act_target y = { .position = ground(&pilot->walk, place) + sole, .kp = 15, .kd = 1, .weight = weight };
	lm_act_pilot_aim_points(pilot, f->vertices, f->count, x_axis, &x);
	if (pilot->walk.since >= 0 || pilot->walk.steps > 0) // at first its weight puts it down, on whatever there is
		lm_act_pilot_aim_points(pilot, f->vertices, f->count, y_axis, &y);
}

static void aim_swinging(lm_act_pilot* pilot, const lm_act_walk* walk, const gait* plan)
{
	const lm_walk_state* state = &pilot->walk;
	const lm_foot* f = &pilot->feet[1 - state->stance];
	double weight = strength(walk, 0.5);
	// the foot is there a little early
	double duration = 0.9 * plan->T, u = fmin(fmax((state->since + ahead(pilot)) / duration, 0), 1);
	double rate = u < 1 ? 1 / duration : 0, ease = u * u * (3 - 2 * u), ease_rate = 6 * u * (1 - u) * rate;
	double from = state->lifted_from, way = landing_place(state, walk, plan) - from, lift = walk->lift * pilot->height;
	lm_act_target x = { .kp = 15, .kd = 1, .weight = weight }, y = x;
	x.position = from + ease * way;
	x.velocity = ease_rate * way;
	y.position =
		ground(state, x.position) + measure_foot(pilot, 1 - state->stance).sole + lift * 16 * u * u * (1 - u) * (1 - u);
	y.velocity = state->slope * x.velocity + lift * 32 * u * (1 - u) * (1 - 2 * u) * rate;
	lm_act_pilot_aim_points(pilot, f->vertices, f->count, x_axis, &x);
	lm_act_pilot_aim_points(pilot, f->vertices, f->count, y_axis, &y);
	double level = state->slope / hypot(1, state->slope);
	lm_act_target along = { .position = level, .kp = 8, .kd = 1, .weight = weight / 2 };
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, y_axis, x_axis, &along);
}

// Upright, and neither sheared nor stretched: a trunk that is free to shear gets thrown about as a counterweight.
static void aim_trunk(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	const lm_foot* trunk = &pilot->trunk;
	const double* axes[2] = { x_axis, y_axis };
	for (int k = 0; trunk->count > 0 && k < 4; ++k)
	{
		lm_act_target target = { .position = k % 2 == k / 2, .kp = 8, .kd = 1, .weight = strength(walk, 0.5) };
		lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, axes[k % 2], axes[k / 2], &target);
	}
	if (trunk->count == 0)
		lm_pilot_balance(pilot, strength(walk, 1));
}

// ---- all of it ----

static void change_phase(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_walk_state* state = &pilot->walk;
	gait before = plan(pilot, walk);
	if (state->standing)
		set_off(pilot, &before);
	else if (state->since >= walk->step_seconds * (1 - 1e-9))
		change_feet(pilot, &before);
	else if (state->since < 0) // both feet are down
	{
		bool left = update_ground(pilot, 0, 0.25), right = update_ground(pilot, 1, 0.25);
		state->slope = left && right ? slope_of(state) : state->slope;
		state->lifted_from = state->places[1 - state->stance];
	}
	else
		update_ground(pilot, state->stance, 0.5);
}

void lm_act_pilot_walk(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_walk_state* state = &pilot->walk;
	int32_t first = pilot->row_count;
	if (pilot->feet[0].count == 0 || pilot->feet[1].count == 0 || pilot->gravity < LM_ACT_GRAVITY_TO_WALK)
		return;
	if (pilot->dimension == 3)
	{
		lm_pilot_walk_space(pilot, walk);
		return;
	}
	if (!state->begun)
		begin(pilot);
	change_phase(pilot, walk);
	gait now = plan(pilot, walk);
	aim_center(pilot, walk, &now);
	aim_standing(pilot, walk, state->stance);
	if (state->since < 0 || state->standing)
		aim_standing(pilot, walk, 1 - state->stance);
	else
		aim_swinging(pilot, walk, &now);
	aim_trunk(pilot, walk);
	lm_pilot_limit_rows(pilot, first);
	state->since = state->since < 0 && state->since + pilot->h > -1e-9 ? 0 : state->since + pilot->h;
}
