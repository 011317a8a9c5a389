// walk_space.c: walking in space on two feet that stand side by side across x, facing along x.
//
// The inverted pendulum of walk.c in both horizontal axes: w = sqrt(g / height), xi = x + v / w its divergent
// component, T the time of a step, E = exp(w T). At the beginning of a step on the foot at p a steady gait has
//     along   xi - p = b_x = s_x / (E - 1)                 s the way per step
//     across  xi - p = b_z = s_z / (E - 1) -+ W / (E + 1)  W the distance of the feet, towards the other foot
// and the next foot is set down at xi(T) - b of its own step. Drifting off the line across the way is corrected by
// moving the end of the step that is aimed for; moving the foot alone does not help (act3d-findings).
#include "act/control/pilot.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const double g = 9.81, shifting = 0.8; // s: the weight goes over the first foot
static const double feet_share = 0.25;        // weight of the rows of feet and trunk
static const double sole_share = 0.55;        // of half a foot: how far the centre of pressure may go
static const double drift_gain = 0.3;

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

// Half the extent of a foot along x (0) or z (2), as it is at rest.
static double half_foot(const lm_act_pilot* pilot, int foot, int axis)
{
	const lm_foot* f = &pilot->feet[foot];
	double low = INFINITY, high = -INFINITY;
	for (int32_t k = 0; k < f->count; ++k)
	{
		double x = pilot->reference[3 * (int64_t)f->vertices[k] + axis];
		low = fmin(low, x), high = fmax(high, x);
	}
	return (high - low) / 2;
}

static void begin(lm_act_pilot* pilot)
{
	lm_space_walk_memory* memory = &pilot->space_walk;
	memory->begun = true;
	for (int f = 0; f < 2; ++f)
		lm_v3_store(memory->places[f], 0, place_of(pilot, f));
	memory->spacing = memory->places[1][2] - memory->places[0][2];
	memory->line = (memory->places[0][2] + memory->places[1][2]) / 2;
	memcpy(memory->lifted_from, memory->places[1], sizeof memory->lifted_from);
	memory->since = -shifting;
}

// The pendulum and the gait that is wanted. Index 0 is along x, 1 along z.
typedef struct gait
{
	double w, E, T, side; // side: +1 when the other foot is at larger z
	double way[2];        // per step
	double offset[2];     // b of this step
	double xi[2], pressure_room[2];
} gait;

static gait plan(const lm_act_pilot* pilot, const lm_act_walk* walk)
{
	const lm_space_walk_memory* memory = &pilot->space_walk;
	const lm_act_motion* motion = &pilot->motion;
	gait p = { .w = sqrt(g / fmax(pilot->stance, 1e-3)), .T = walk->step_seconds };
	p.E = exp(p.w * p.T);
	p.side = (memory->stance == 0 ? 1 : -1);
	p.way[0] = (walk->velocity[0] + memory->correction) * p.T;
	p.way[1] = walk->velocity[2] * p.T;
	for (int d = 0; d < 2; ++d)
	{
		p.offset[d] = p.way[d] / (p.E - 1) + (d == 1 ? p.side * memory->spacing / (p.E + 1) : 0);
		p.xi[d] = motion->center[2 * d] + motion->velocity[2 * d] / p.w;
		p.pressure_room[d] = sole_share * half_foot(pilot, memory->stance, 2 * d);
	}
	return p;
}

// ---- rows ----

static void aim_center(lm_act_pilot* pilot, const gait* p, double weight)
{
	const lm_space_walk_memory* memory = &pilot->space_walk;
	const lm_act_motion* motion = &pilot->motion;
	const double* foot = memory->places[memory->stance];
	for (int d = 0; d < 2; ++d)
	{
		lm_act_target along = { .kd = 1, .weight = weight };
		if (memory->since < 0)
		{
			along.kp = 4;
			along.position = foot[2 * d] + p->offset[d];
		}
		else
		{
			double wanted = foot[2 * d] + p->offset[d] * exp(p->w * memory->since);
			if (d == 1)
				wanted -= drift_gain * (foot[2] + p->side * memory->spacing / 2 - memory->line) * memory->since / p->T;
			double off = fmin(fmax(1.5 * (p->xi[d] - wanted), -p->pressure_room[d]), p->pressure_room[d]);
			along.velocity =
				motion->velocity[2 * d] + pilot->h * p->w * p->w * (motion->center[2 * d] - foot[2 * d] - off);
		}
		lm_act_pilot_aim_center(pilot, axes[2 * d], &along);
	}
	lm_act_target height = { .position = foot[1] + pilot->stance, .kp = 8, .kd = 1, .weight = weight };
	lm_act_pilot_aim_center(pilot, axes[1], &height);
}

// Where the swinging foot is set down: where it catches xi, but neither across the other foot nor out of reach.
static void landing_place(const lm_act_pilot* pilot, const gait* p, double place[2])
{
	const lm_space_walk_memory* memory = &pilot->space_walk;
	const double* foot = memory->places[memory->stance];
	double left = fmax(p->T - memory->since, 0), W = memory->spacing, reach = 0.3 * pilot->height;
	double next[2] = { p->way[0] / (p->E - 1), p->way[1] / (p->E - 1) - p->side * W / (p->E + 1) };
	for (int d = 0; d < 2; ++d)
		place[d] = foot[2 * d] + (p->xi[d] - foot[2 * d]) * exp(p->w * left) - next[d];
	place[0] = foot[0] + fmin(fmax(place[0] - foot[0], -reach), reach);
	place[1] = foot[2] + p->side * fmin(fmax(p->side * (place[1] - foot[2]), 0.75 * W), 1.5 * W);
}

static void aim_flat(lm_act_pilot* pilot, const lm_foot* f, double weight)
{
	lm_act_target flat = { .kp = 8, .kd = 1, .weight = weight };
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, axes[1], axes[0], &flat);
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, axes[1], axes[2], &flat);
	lm_act_pilot_aim_axis(pilot, f->vertices, f->count, axes[2], axes[0], &flat);
}

static void aim_foot(lm_act_pilot* pilot, const lm_act_walk* walk, const gait* p, int foot, double weight)
{
	const lm_space_walk_memory* memory = &pilot->space_walk;
	const lm_foot* f = &pilot->feet[foot];
	double position[3], velocity[3] = { 0 };
	memcpy(position, memory->places[foot], sizeof position);
	if (foot != memory->stance && memory->since >= 0)
	{
		double to[2];
		landing_place(pilot, p, to);
		// at the end of this step of the simulation; the foot is there a little early
		double u = fmin((memory->since + pilot->h) / (0.9 * p->T), 1), rate = u < 1 ? 1 / (0.9 * p->T) : 0;
		double ease = u * u * (3 - 2 * u), ease_rate = 6 * u * (1 - u) * rate, lift = walk->lift * pilot->height;
		for (int d = 0; d < 2; ++d)
		{
			double way = to[d] - memory->lifted_from[2 * d];
			position[2 * d] = memory->lifted_from[2 * d] + ease * way;
			velocity[2 * d] = ease_rate * way;
		}
		position[1] = memory->places[memory->stance][1] + lift * 16 * u * u * (1 - u) * (1 - u);
		velocity[1] = lift * 32 * u * (1 - u) * (1 - 2 * u) * rate;
	}
	for (int c = 0; c < 3; ++c)
	{
		lm_act_target target = {
			.position = position[c], .velocity = velocity[c], .kp = 12, .kd = 1, .weight = weight
		};
		lm_act_pilot_aim_points(pilot, f->vertices, f->count, axes[c], &target);
	}
	aim_flat(pilot, f, weight / 2);
}

// Upright, and facing along x.
static void aim_trunk(lm_act_pilot* pilot, double weight)
{
	const lm_foot* trunk = &pilot->trunk;
	for (int c = 0; trunk->count > 0 && c < 3; ++c)
		for (int material = 0; material < 2; ++material)
		{
			lm_act_target target = { .position = c == material, .kp = 8, .kd = 1, .weight = weight };
			lm_act_pilot_aim_axis(pilot, trunk->vertices, trunk->count, axes[c], axes[material], &target);
		}
	if (trunk->count == 0)
		lm_pilot_balance(pilot, weight);
}

// ---- all of it ----

// The swinging foot is down and carries from now on. A soft body falls short of what it is told: the way of the last
// two steps says by how much, and the command is raised until it fits.
static void change_feet(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_space_walk_memory* memory = &pilot->space_walk;
	int landed = 1 - memory->stance;
	double x = pilot->motion.center[0];
	if (memory->steps++ >= 2)
	{
		double speed = (x - memory->centers[memory->stance]) / (2 * walk->step_seconds);
		memory->correction = fmin(fmax(memory->correction + 0.25 * (walk->velocity[0] - speed), -0.3), 0.3);
	}
	memory->centers[memory->stance] = x;
	lm_v3_store(memory->places[landed], 0, place_of(pilot, landed));
	lm_v3_store(memory->lifted_from, 0, place_of(pilot, memory->stance));
	memory->line += walk->velocity[2] * walk->step_seconds;
	memory->stance = landed;
	memory->since = 0;
}

void lm_pilot_walk_space(lm_act_pilot* pilot, const lm_act_walk* walk)
{
	lm_space_walk_memory* memory = &pilot->space_walk;
	double weight = lm_pilot_weight(pilot, walk->weight);
	if (!memory->begun)
		begin(pilot);
	if (memory->since >= walk->step_seconds * (1 - 1e-9))
		change_feet(pilot, walk);
	gait p = plan(pilot, walk);
	aim_center(pilot, &p, weight);
	for (int f = 0; f < 2; ++f)
		aim_foot(pilot, walk, &p, f, feet_share * weight);
	aim_trunk(pilot, feet_share * weight);
	memory->since = memory->since < 0 && memory->since + pilot->h > -1e-9 ? 0 : memory->since + pilot->h;
}
