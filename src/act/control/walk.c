// walk.c: walking in the plane on two feet that stand side by side.
//
// The centre of mass is taken as an inverted pendulum of frequency w = sqrt(g / height). What matters is its divergent
// component xi = x + v / w: over a foot at p it runs away as xi(t) = p + (xi(0) - p) exp(w t). Walking is putting the
// next foot where it catches xi. With E = exp(w T), T the time of a step, s the way per step and W the distance of the
// feet, a steady gait has, at the beginning of a step on foot k (0 left, 1 right),
//     xi - p_k = b_k = s / (E - 1) + W / (E + 1)  (left),   s / (E - 1) - W / (E + 1)  (right),
// so the next foot is set down at p = xi(T) - b. The feedback from xi is what keeps it from falling (act-findings).
// The ground is taken as level. Goals: the centre's velocity as the pendulum has it about a centre of pressure within
// the foot, its height, both feet (the standing one stays, the swinging one follows an arc), the swinging foot flat,
// the trunk upright.
#include "act/control/pilot.h"

#include <math.h>

static const double x_axis[3] = { 1, 0, 0 }, y_axis[3] = { 0, 1, 0 };
static const double g = 9.81;

lm_act_walk lm_act_walk_default(void)
{
	return (lm_act_walk){ .velocity = { 0 }, .step_seconds = 0.3, .lift = 0.07, .weight = 1 };
}

// Walking takes more than hopping: with lighter rows the regularisers of the rest shape win, and the centre of mass
// runs away to one side.
static double strength(const lm_act_pilot* pilot, const lm_act_walk* walk, double share)
{
	return lm_pilot_weight(pilot, 10 * share * walk->weight);
}

// ---- what the feet do ----

typedef struct foot_facts
{
	double place[3], low, half; // mean of its vertices, height of the lowest, half its width
} foot_facts;

static foot_facts look(const lm_act_pilot* pilot, int32_t foot)
{
	const lm_foot* f = &pilot->feet[foot];
	foot_facts facts = { .low = INFINITY };
	double left = INFINITY, right = -INFINITY, mass = 0;
	for (int32_t k = 0; k < f->count; ++k)
	{
		const double* x = pilot->positions + 3 * (int64_t)f->vertices[k];
		double m = pilot->masses[f->vertices[k]];
		for (int c = 0; c < 3; ++c)
			facts.place[c] += m * x[c];
		mass += m;
		facts.low = fmin(facts.low, x[1]);
		left = fmin(left, x[0]), right = fmax(right, x[0]);
	}
	for (int c = 0; c < 3; ++c)
		facts.place[c] /= mass;
	facts.half = (right - left) / 2;
	return facts;
}

// The pendulum and the gait that is wanted, for this step.
typedef struct gait
{
	double w, E, T;
	double offset[2]; // b of a step on the left and on the right foot
	double spacing;   // W
} gait;

static gait plan(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	gait plan = { .w = sqrt(g / fmax(pilot->stance, 1e-3)), .T = walk->step_seconds, .spacing = pilot->walk.spacing };
	plan.E = exp(plan.w * plan.T);
	double velocity = walk->velocity[0] + pilot->walk.correction;
	double way = velocity * plan.T / (plan.E - 1), side = plan.spacing / (plan.E + 1);
	plan.offset[0] = way + side;
	plan.offset[1] = way - side;
	return plan;
}

static double divergent(const lm_act_pilot* pilot, const gait* plan)
{
	return pilot->motion.center[0] + pilot->motion.velocity[0] / plan->w;
}

static void begin(lm_act_pilot* pilot)
{
	lm_walk_memory* memory = &pilot->walk;
	foot_facts left = look(pilot, 0), right = look(pilot, 1);
	memory->begun = true;
	memory->ground = fmin(left.low, right.low);
	memory->sole = fmax(left.place[1], right.place[1]) - memory->ground;
	memory->spacing = right.place[0] - left.place[0];
	memory->places[0] = left.place[0];
	memory->places[1] = right.place[0];
	memory->since = -0.5; // time to shift the weight before the first step
}

// Where the swinging foot shall be set down, given what is left of the step.
static double landing_place(const lm_act_pilot* pilot, const gait* plan, double xi)
{
	const lm_walk_memory* memory = &pilot->walk;
	int stance = memory->stance;
	double p = memory->places[stance], rest = fmax(plan->T - memory->since, 0);
	double end = p + (xi - p) * exp(plan->w * rest), place = end - plan->offset[1 - stance];
	double side = stance == 0 ? 1 : -1;
	double apart = fmin(fmax(side * (place - p), 0.6 * plan->spacing), 1.7 * plan->spacing);
	return p + side * apart;
}

// ---- rows ----

static void aim_center(lm_act_pilot* pilot, const lm_act_walk* walk, const gait* plan, double xi)
{
	const lm_walk_memory* memory = &pilot->walk;
	const lm_act_motion* motion = &pilot->motion;
	double p = memory->places[memory->stance], weight = strength(pilot, walk, 1);
	lm_act_target along = { .kd = 1, .weight = weight };
	if (memory->since < 0) // shifting the weight over the first foot
	{
		along.kp = 4;
		along.position = p + plan->offset[memory->stance];
	}
	else
	{
		double wanted = p + plan->offset[memory->stance] * exp(plan->w * memory->since);
		double half = 0.8 * look(pilot, memory->stance).half;
		double pressure = p + fmin(fmax(1.5 * (xi - wanted), -half), half);
		along.velocity = motion->velocity[0] + pilot->h * plan->w * plan->w * (motion->center[0] - pressure);
	}
	lm_act_pilot_aim_center(pilot, x_axis, &along);
	lm_act_target height = { .position = memory->ground + pilot->stance, .kp = 8, .kd = 1, .weight = weight };
	lm_act_pilot_aim_center(pilot, y_axis, &height);
}

static void aim_standing(lm_act_pilot* pilot, const lm_act_walk* walk, int foot)
{
	const lm_walk_memory* memory = &pilot->walk;
	const lm_foot* f = &pilot->feet[foot];
	double weight = strength(pilot, walk, 0.5);
	lm_act_target x = { .position = memory->places[foot], .kp = 7.5, .kd = 1, .weight = weight };
	lm_act_target y = { .position = memory->ground + memory->sole, .kp = 15, .kd = 1, .weight = weight };
	lm_act_pilot_aim_points(pilot, f->vertices, f->count, x_axis, &x);
	lm_act_pilot_aim_points(pilot, f->vertices, f->count, y_axis, &y);
}

static void aim_swinging(lm_act_pilot* pilot, const lm_act_walk* walk, const gait* plan, double target)
{
	const lm_walk_memory* memory = &pilot->walk;
	int foot = 1 - memory->stance;
	const lm_foot* f = &pilot->feet[foot];
	double weight = strength(pilot, walk, 0.5);
	// the end of this step of the simulation; the foot is there a little early
	double u = fmin(fmax((memory->since + pilot->h) / (0.9 * plan->T), 0), 1), rate = u < 1 ? 1 / (0.9 * plan->T) : 0;
	double from = memory->lifted_from, ease = u * u * (3 - 2 * u), ease_rate = 6 * u * (1 - u) * rate;
	double height = walk->lift * pilot->height;
	lm_act_target x = { .position = from + ease * (target - from),
		                .velocity = ease_rate * (target - from),
		                .kp = 15,
		                .kd = 1,
		                .weight = weight };
	lm_act_target y = { .position = memory->ground + memory->sole + height * 16 * u * u * (1 - u) * (1 - u),
		                .velocity = height * 32 * u * (1 - u) * (1 - 2 * u) * rate,
		                .kp = 15,
		                .kd = 1,
		                .weight = weight };
	lm_act_pilot_aim_points(pilot, f->vertices, f->count, x_axis, &x);
	lm_act_pilot_aim_points(pilot, f->vertices, f->count, y_axis, &y);
	lm_act_target flat = { .kp = 8, .kd = 1, .weight = weight / 2 };
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, y_axis, x_axis, &flat);
}

static void aim_trunk(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	const lm_foot* trunk = &pilot->trunk;
	double weight = strength(pilot, walk, 0.5);
	lm_act_target lean = { .kp = 8, .kd = 1, .weight = weight };
	lm_act_target up = { .position = 1, .kp = 8, .kd = 1, .weight = weight };
	if (trunk->count == 0)
	{
		lm_pilot_balance(pilot, 10 * walk->weight);
		return;
	}
	lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, x_axis, y_axis, &lean);
	lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, y_axis, y_axis, &up);
}

// ---- all of it ----

// A soft body falls short of what it is told. The way of the last two steps says by how much, and the command is raised
// until it fits.
static void correct_speed(lm_walk_memory* memory, const lm_act_walk* walk, double x)
{
	if (memory->steps >= 2)
	{
		double speed = (x - memory->centers[memory->stance]) / (2 * walk->step_seconds);
		memory->correction += 0.25 * (walk->velocity[0] - speed);
		memory->correction = fmin(fmax(memory->correction, -0.3), 0.3);
	}
	memory->centers[memory->stance] = x;
	memory->steps++;
}

// The swinging foot is down: it carries from now on, and the other one swings.
static void change_feet(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_walk_memory* memory = &pilot->walk;
	int landed = 1 - memory->stance;
	correct_speed(memory, walk, pilot->motion.center[0]);
	memory->places[landed] = look(pilot, landed).place[0];
	memory->lifted_from = look(pilot, memory->stance).place[0];
	memory->stance = landed;
	memory->since = 0;
}

void lm_act_pilot_walk(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_walk_memory* memory = &pilot->walk;
	if (pilot->feet[0].count == 0 || pilot->feet[1].count == 0)
		return;
	if (pilot->dimension == 3)
	{
		lm_pilot_walk_space(pilot, walk);
		return;
	}
	if (!memory->begun)
		begin(pilot);
	if (memory->since >= walk->step_seconds * (1 - 1e-9))
		change_feet(pilot, walk);
	gait plan_now = plan(pilot, walk);
	double xi = divergent(pilot, &plan_now);
	aim_center(pilot, walk, &plan_now, xi);
	aim_standing(pilot, walk, memory->stance);
	if (memory->since < 0)
	{
		aim_standing(pilot, walk, 1 - memory->stance);
		memory->lifted_from = memory->places[1 - memory->stance];
	}
	else
		aim_swinging(pilot, walk, &plan_now, landing_place(pilot, &plan_now, xi));
	aim_trunk(pilot, walk);
	memory->since = memory->since < 0 && memory->since + pilot->h > -1e-9 ? 0 : memory->since + pilot->h;
}
