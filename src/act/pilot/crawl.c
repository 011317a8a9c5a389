// crawl.c: crawling like an inchworm: one end of what a body stands on stays where it is while the other is moved on,
// turn about, so that the ground is never left.
//
// The sole is what is lowest in the rest shape; its front and rear halves along the way are the two ends, B apart at
// rest. In 2 T seconds, with s = 2 v T, the front reaches out, to B + s/2 ahead of the rear, and then the rear is
// drawn up, to B - s/2 behind the front. Meanwhile the centre of mass lies over the end that stays, for friction
// carries no more than a share of the load: the end that moves has to be lighter than the one that holds.
#include "act/pilot/pilot.h"

#include "math/vec.h"

#include <math.h>

static const double up[3] = { 0, 1, 0 };
static const double longest_stride = 0.6; // as a share of the base: longer strides distort the body

// ---- the two ends ----

enum
{
	REAR,
	FRONT,
	CENTER
};

static lm_vec3 place_of(const lm_act_pilot* pilot, const double* positions, const lm_foot* end)
{
	lm_vec3 sum = { 0 };
	double mass = 0;
	for (int32_t k = 0; k < end->count; ++k)
	{
		double m = pilot->masses[end->vertices[k]];
		sum = lm_add_scaled(sum, m, lm_v3_at(positions, end->vertices[k]));
		mass += m;
	}
	return lm_scale(mass > 0 ? 1 / mass : 0, sum);
}

// The body as it lies now decides which vertices are in front: in space it may have turned.
static void split_sole(lm_act_pilot* pilot, lm_vec3 way)
{
	double middle = lm_dot(way, place_of(pilot, pilot->positions, &pilot->sole));
	for (int e = REAR; e <= FRONT; ++e)
		pilot->ends[e].count = 0;
	for (int32_t k = 0; k < pilot->sole.count; ++k)
	{
		int32_t v = pilot->sole.vertices[k];
		lm_foot* end = &pilot->ends[lm_dot(way, lm_v3_at(pilot->positions, v)) > middle ? FRONT : REAR];
		end->vertices[end->count++] = v;
	}
}

static lm_vec3 side_of(lm_vec3 way)
{
	return lm_cross(way, lm_v3(0, 1, 0));
}

// From here on each end, and the centre of mass, keeps to its line.
static void set_way(lm_act_pilot* pilot, lm_vec3 way)
{
	lm_v3_store(pilot->crawl.way, 0, way);
	for (int e = REAR; e <= FRONT; ++e)
		pilot->crawl.lines[e] = lm_dot(side_of(way), place_of(pilot, pilot->positions, &pilot->ends[e]));
	pilot->crawl.lines[CENTER] = lm_dot(side_of(way), lm_v3_at(pilot->motion.center, 0));
}

static void begin(lm_act_pilot* pilot, lm_vec3 way)
{
	lm_crawl_state* state = &pilot->crawl;
	split_sole(pilot, way);
	state->moving = FRONT;
	state->since = state->correction = 0;
	state->from = lm_dot(way, lm_v3_at(pilot->motion.center, 0));
	set_way(pilot, way);
	state->ground = lm_pilot_ground(pilot);
	state->base = 0;
	for (int e = REAR; e <= FRONT; ++e)
	{
		lm_v3_store(state->places[e], 0, place_of(pilot, pilot->positions, &pilot->ends[e]));
		lm_vec3 rest = place_of(pilot, pilot->reference, &pilot->ends[e]);
		// the rest shape is not turned: how far its ends are apart in any direction
		state->offset[e] = rest.y + pilot->stance;
		lm_vec3 other = place_of(pilot, pilot->reference, &pilot->ends[1 - e]);
		state->base = hypot(rest.x - other.x, rest.z - other.z);
	}
}

// ---- rows ----

typedef struct aim
{
	lm_vec3 way, side;
	double weight;
} aim;

static void aim_end(lm_act_pilot* pilot, const aim* a, int e, lm_vec3 place, lm_vec3 velocity)
{
	const lm_foot* end = &pilot->ends[e];
	double way[3] = { a->way.x, a->way.y, a->way.z }, side[3] = { a->side.x, a->side.y, a->side.z };
	lm_act_target target = { .kp = 15, .kd = 1, .weight = a->weight };
	target.position = place.y, target.velocity = velocity.y;
	lm_act_pilot_aim_points(pilot, end->vertices, end->count, up, &target);
	target.position = lm_dot(a->way, place), target.velocity = lm_dot(a->way, velocity);
	lm_act_pilot_aim_points(pilot, end->vertices, end->count, way, &target);
	target.position = e == pilot->crawl.moving ? pilot->crawl.lines[e] : lm_dot(a->side, place), target.velocity = 0;
	if (pilot->dimension == 3)
		lm_act_pilot_aim_points(pilot, end->vertices, end->count, side, &target);
}

// Half a cycle: the moving end goes from where it was to where it shall be, smoothly and a little lifted.
static void aim_moving(lm_act_pilot* pilot, const lm_act_crawl* crawl, const aim* a, double stride)
{
	const lm_crawl_state* state = &pilot->crawl;
	int e = state->moving, holding = 1 - e;
	lm_vec3 from = lm_v3_at(state->places[e], 0), hold = lm_v3_at(state->places[holding], 0);
	double half = crawl->step_seconds, reach = e == FRONT ? state->base + stride / 2 : stride / 2 - state->base;
	double way = lm_dot(a->way, hold) + reach - lm_dot(a->way, from);
	double u = fmin((state->since + pilot->h) / (0.9 * half), 1), rate = u < 1 ? 1 / (0.9 * half) : 0;
	double lift = crawl->lift * pilot->height;
	lm_vec3 place = lm_add_scaled(from, way * u * u * (3 - 2 * u), a->way);
	place.y = state->ground + state->offset[e] + lift * 16 * u * u * (1 - u) * (1 - u);
	lm_vec3 velocity = lm_scale(way * 6 * u * (1 - u) * rate, a->way);
	velocity.y = lift * 32 * u * (1 - u) * (1 - 2 * u) * rate;
	aim_end(pilot, a, e, place, velocity);
}

static void aim_center(lm_act_pilot* pilot, const aim* a)
{
	const lm_crawl_state* state = &pilot->crawl;
	int holding = 1 - state->moving;
	const double share = 0.42; // of the way from the end that holds to the other
	lm_vec3 hold = lm_v3_at(state->places[holding], 0);
	lm_vec3 other = place_of(pilot, pilot->positions, &pilot->ends[state->moving]);
	lm_vec3 place = lm_add_scaled(hold, share, lm_sub(other, hold));
	double way[3] = { a->way.x, a->way.y, a->way.z }, side[3] = { a->side.x, a->side.y, a->side.z };
	lm_act_target target = { .kp = 6, .kd = 1, .weight = 2 * a->weight };
	target.position = lm_dot(a->way, place);
	lm_act_pilot_aim_center(pilot, way, &target);
	target.position = state->lines[CENTER];
	if (pilot->dimension == 3)
		lm_act_pilot_aim_center(pilot, side, &target);
	target.position = state->ground + pilot->stance;
	lm_act_pilot_aim_center(pilot, up, &target);
}

// ---- all of it ----

// A soft body is slower than commanded. The distance of a whole cycle shows by how much, and the command is raised.
static void correct_speed(lm_act_pilot* pilot, lm_vec3 way, double speed, double seconds)
{
	lm_crawl_state* state = &pilot->crawl;
	double at = lm_dot(way, lm_v3_at(pilot->motion.center, 0));
	state->correction += 0.25 * (speed - (at - state->from) / seconds);
	state->correction = fmin(fmax(state->correction, -0.5 * speed), 0.5 * speed);
	state->from = at;
}

static void change_ends(lm_act_pilot* pilot)
{
	lm_crawl_state* state = &pilot->crawl;
	lm_v3_store(state->places[state->moving], 0, place_of(pilot, pilot->positions, &pilot->ends[state->moving]));
	state->moving = 1 - state->moving;
	// where it starts from is where it is, which may be a little off from where it was set down
	lm_v3_store(state->places[state->moving], 0, place_of(pilot, pilot->positions, &pilot->ends[state->moving]));
	state->since = 0;
}

// A body that stands on a point has no ends: it can only lean and roll.
static void creep(lm_act_pilot* pilot, const lm_act_crawl* crawl)
{
	lm_act_go go = lm_act_go_default();
	go.velocity[0] = crawl->velocity[0];
	go.velocity[2] = crawl->velocity[2];
	go.weight = crawl->weight;
	lm_act_pilot_go(pilot, &go);
}

void lm_act_pilot_crawl(lm_act_pilot* pilot, const lm_act_crawl* crawl)
{
	lm_crawl_state* state = &pilot->crawl;
	lm_vec3 velocity = lm_v3(crawl->velocity[0], 0, pilot->dimension == 3 ? crawl->velocity[2] : 0);
	double speed = lm_length(velocity);
	lm_vec3 way = lm_normalize_or(velocity, lm_v3(1, 0, 0));
	double straight = lm_dot(way, lm_v3_at(state->way, 0));
	if (state->step + 1 != pilot->step || straight < 0.7)
		begin(pilot, way);
	else if (straight < 0.999)
		set_way(pilot, way);
	state->step = pilot->step;
	if (pilot->ends[REAR].count == 0 || pilot->ends[FRONT].count == 0)
	{
		creep(pilot, crawl);
		return;
	}
	if (state->since >= crawl->step_seconds * (1 - 1e-9))
	{
		if (state->moving == REAR)
			correct_speed(pilot, way, speed, 2 * crawl->step_seconds);
		change_ends(pilot);
	}
	way = lm_v3_at(state->way, 0);
	aim a = { .way = way, .side = side_of(way), .weight = lm_pilot_weight(pilot, 1.5 * crawl->weight) };
	aim_center(pilot, &a);
	lm_vec3 hold = lm_v3_at(state->places[1 - state->moving], 0);
	hold.y = state->ground + state->offset[1 - state->moving];
	aim_end(pilot, &a, 1 - state->moving, hold, lm_v3(0, 0, 0));
	double stride = 2 * (speed + state->correction) * crawl->step_seconds;
	aim_moving(pilot, crawl, &a, fmin(stride, longest_stride * state->base));
	lm_pilot_balance(pilot, 1.5 * crawl->balance_weight);
	state->since += pilot->h;
}
