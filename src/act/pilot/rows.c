// rows.c: goals as rows: sums over vertices, collected for one step and handed to the body together.
#include "act/pilot/pilot.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"

#include <math.h>

void lm_act_pilot_begin(lm_act_pilot* pilot, double h)
{
	pilot->h = h;
	pilot->step++;
	pilot->row_count = 0;
	pilot->number_count = 0;
	pilot->failed = false;
	lm_pilot_measure(pilot);
}

// Room for a row of `count` vertices; the place of its first number, or -1.
static int64_t open_row(lm_act_pilot* pilot, int32_t count, const lm_act_target* target)
{
	const lm_host* host = &pilot->host;
	size_t needed = (size_t)pilot->number_count + (size_t)count;
	bool room =
		lm_grow(host, (void**)&pilot->rows, &pilot->row_capacity, (size_t)pilot->row_count + 1, sizeof *pilot->rows) &&
		lm_grow(host, (void**)&pilot->vertices, &pilot->vertex_capacity, needed, sizeof *pilot->vertices) &&
		lm_grow(host, (void**)&pilot->coefficients, &pilot->coefficient_capacity, 3 * needed,
	            sizeof *pilot->coefficients);
	if (!room)
	{
		pilot->failed = true;
		return -1;
	}
	int64_t begin = pilot->number_count;
	pilot->rows[pilot->row_count++] = (lm_pilot_row){ begin, count, *target };
	pilot->number_count += count;
	return begin;
}

void lm_act_pilot_aim_center(lm_act_pilot* pilot, const double direction[3], const lm_act_target* target)
{
	int64_t at = open_row(pilot, pilot->vertex_count, target);
	if (at >= 0)
		lm_act_row_center(pilot->body, direction, pilot->vertices + at, pilot->coefficients + 3 * at);
}

void lm_act_pilot_aim_points(lm_act_pilot* pilot, const int32_t* vertices, int32_t count, const double direction[3],
                             const lm_act_target* target)
{
	int64_t at = open_row(pilot, count, target);
	if (at >= 0)
		lm_act_row_mean(pilot->body, vertices, count, direction, pilot->vertices + at, pilot->coefficients + 3 * at);
}

void lm_act_pilot_aim_sum(lm_act_pilot* pilot, const int32_t* vertices, const double* weights, int32_t count,
                          const double direction[3], const lm_act_target* target)
{
	int64_t at = open_row(pilot, count, target);
	for (int32_t k = 0; at >= 0 && k < count; ++k)
	{
		pilot->vertices[at + k] = vertices[k];
		lm_v3_store(pilot->coefficients, at + k, lm_scale(weights[k], lm_v3_at(direction, 0)));
	}
}

void lm_act_pilot_aim_axis(lm_act_pilot* pilot, const int32_t* vertices, int32_t count, const double direction[3],
                           const double material[3], const lm_act_target* target)
{
	int64_t at = open_row(pilot, count, target);
	if (at >= 0)
		lm_act_row_orientation(pilot->body, vertices, count, direction, material, pilot->vertices + at,
		                       pilot->coefficients + 3 * at);
}

// Angular momentum about the unit axis a is sum c_i . v_i with c_i = m_i (a x r_i); divided by a . I a = sum
// |c_i|^2/m_i it is an angular velocity.
void lm_act_pilot_aim_spin(lm_act_pilot* pilot, const double axis[3], double rate, double weight)
{
	lm_act_target target = { .velocity = rate, .kd = 1, .weight = weight };
	lm_vec3 unit = lm_normalize_or(lm_v3_at(axis, 0), lm_v3(0, 0, 1));
	double a[3] = { unit.x, unit.y, unit.z }, inertia = 0;
	int64_t at = open_row(pilot, pilot->vertex_count, &target);
	if (at < 0)
		return;
	double* coefficients = pilot->coefficients + 3 * at;
	lm_act_row_spin(pilot->body, a, pilot->vertices + at, coefficients);
	for (int32_t i = 0; i < pilot->vertex_count; ++i)
		inertia += lm_dot(lm_v3_at(coefficients, i), lm_v3_at(coefficients, i)) / pilot->masses[i];
	for (int64_t k = 0; k < 3 * (int64_t)pilot->vertex_count; ++k)
		coefficients[k] = inertia > 0 ? coefficients[k] / inertia : 0;
}

double lm_pilot_weight(const lm_act_pilot* pilot, double weight)
{
	return weight * lm_pilot_tuned_step(pilot) / pilot->h;
}

// A row kp (g(x) - position) + kd (g(v) - velocity) has its zero, after a step of t, at the velocity
//     u = (kd velocity + kp (position - g(x_n))) / (kd + kp t),
// in one step. Over a shorter step h < t the target is v_n + (h/t) (u - v_n).
void lm_pilot_limit_rows(lm_act_pilot* pilot, int32_t first)
{
	double t = lm_pilot_tuned_step(pilot);
	for (int32_t r = first; pilot->h < t && !pilot->failed && r < pilot->row_count; ++r)
	{
		const lm_pilot_row* row = &pilot->rows[r];
		lm_act_target* target = &pilot->rows[r].target;
		double place = 0, speed = 0;
		for (int64_t k = row->begin; k < row->begin + row->count; ++k)
		{
			place += lm_dot(lm_v3_at(pilot->coefficients, k), lm_v3_at(pilot->positions, pilot->vertices[k]));
			speed += lm_dot(lm_v3_at(pilot->coefficients, k), lm_v3_at(pilot->velocities, pilot->vertices[k]));
		}
		double gain = target->kd + target->kp * t;
		double wanted = (target->kd * target->velocity + target->kp * (target->position - place)) / gain;
		target->velocity = speed + pilot->h / t * (wanted - speed);
		target->kd = gain;
		target->kp = 0;
	}
}

void lm_pilot_balance(lm_act_pilot* pilot, double weight)
{
	lm_pilot_balance_facing(pilot, pilot->character ? pilot->motion.heading : 0, weight);
}

void lm_pilot_balance_facing(lm_act_pilot* pilot, double heading, double weight)
{
	static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	const double righting = 4 * lm_pilot_gain_scale(pilot); // 1/s
	const lm_act_motion* motion = &pilot->motion;
	double turn[3] = { motion->tilt[0], remainder(motion->heading - heading, 2 * LM_PI), motion->tilt[2] };
	for (int k = pilot->dimension == 2 ? 2 : 0; weight > 0 && k < 3; ++k)
		lm_act_pilot_aim_spin(pilot, axes[k], -righting * turn[k],
		                      lm_pilot_weight(pilot, weight) * (pilot->character ? pilot->height : 1));
}

double lm_pilot_gain_scale(const lm_act_pilot* pilot)
{
	return pilot->character ? 1 / lm_pilot_beat(pilot) : sqrt(fmax(pilot->gravity, LM_ACT_GRAVITY_TO_WALK) / 9.81);
}

double lm_pilot_ground(const lm_act_pilot* pilot)
{
	const lm_act_motion* motion = &pilot->motion;
	return motion->touching > 0 ? motion->support[1] : motion->center[1] - pilot->stance;
}

lm_status lm_act_pilot_commit(lm_act_pilot* pilot, lm_error* error)
{
	bool room = lm_grow(&pilot->host, (void**)&pilot->goals, &pilot->goal_capacity, (size_t)pilot->row_count + 1,
	                    sizeof *pilot->goals);
	if (pilot->failed || !room)
		return lm_fail_memory(error);
	for (int32_t r = 0; r < pilot->row_count; ++r)
	{
		const lm_pilot_row* row = &pilot->rows[r];
		pilot->goals[r] = (lm_act_goal){ .count = row->count,
			                             .vertices = pilot->vertices + row->begin,
			                             .coefficients = pilot->coefficients + 3 * row->begin,
			                             .position = row->target.position,
			                             .velocity = row->target.velocity,
			                             .kp = row->target.kp,
			                             .kd = row->target.kd,
			                             .weight = row->target.weight };
	}
	return lm_act_set_goals(pilot->body, pilot->goals, pilot->row_count, error);
}
