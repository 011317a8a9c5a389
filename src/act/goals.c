// goals.c: goals of a body (Coros et al. 2012, Sec. 4.2, Eq. 6 to 10).
#include "act/goals.h"

#include "act/optimize.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

static lm_status bad_goal(int32_t index, const char* what, double number, lm_error* error)
{
	return lm_fail_element(error, index, "goal %d: %s (it is %g)", (int)index, what, number);
}

static lm_status check_goal(const lm_act* body, const lm_act_goal* goal, int32_t index, lm_error* error)
{
	if (goal->count < 0)
		return bad_goal(index, "the number of its vertices must not be negative", goal->count, error);
	for (int32_t k = 0; k < goal->count; ++k)
	{
		if (goal->vertices[k] < 0 || goal->vertices[k] >= body->vertex_count)
			return lm_fail_element(error, goal->vertices[k],
			                       "goal %d names vertex %d, but the vertices of the body are 0 to %d", (int)index,
			                       (int)goal->vertices[k], (int)body->vertex_count - 1);
		for (int i = 0; i < 3; ++i)
			if (!isfinite(goal->coefficients[3 * k + i]))
				return bad_goal(index, "its coefficients must be finite numbers", goal->coefficients[3 * k + i], error);
	}
	if (!isfinite(goal->position))
		return bad_goal(index, "its position must be a finite number", goal->position, error);
	if (!isfinite(goal->velocity))
		return bad_goal(index, "its velocity must be a finite number", goal->velocity, error);
	if (!isfinite(goal->kp) || !isfinite(goal->kd) || goal->kp < 0 || goal->kd < 0 || goal->kp + goal->kd == 0)
		return bad_goal(index, "its gains kp and kd must not be negative, and not both 0", fmin(goal->kp, goal->kd),
		                error);
	if (!isfinite(goal->weight) || goal->weight < 0)
		return bad_goal(index, "its weight must not be negative", goal->weight, error);
	return LM_OK;
}

// Room for count rows with the given numbers, all or nothing.
static lm_status make_room(lm_act_rows* rows, const lm_host* host, int32_t count, int64_t numbers, lm_error* error)
{
	if (numbers > INT32_MAX)
		return lm_fail(error, LM_BAD_INPUT, "the goals have %lld coefficients in all; no more than 2^31 are possible",
		               (long long)numbers);
	if (rows->start && count <= rows->capacity && numbers <= rows->number_capacity)
		return LM_OK;
	lm_act_rows more = { .capacity = count, .number_capacity = (int32_t)numbers };
	more.start = LM_NEW(host, (int64_t)count + 1, int32_t);
	more.index = LM_NEW(host, numbers, int32_t);
	more.value = LM_NEW(host, numbers, double);
	more.position = LM_NEW(host, count, double);
	more.velocity = LM_NEW(host, count, double);
	more.kp = LM_NEW(host, count, double);
	more.kd = LM_NEW(host, count, double);
	more.weight = LM_NEW(host, count, double);
	bool complete =
		more.start && more.index && more.value && more.position && more.velocity && more.kp && more.kd && more.weight;
	lm_act_goals_release(complete ? rows : &more, host);
	if (!complete)
		return lm_fail_memory(error);
	*rows = more;
	return LM_OK;
}

static void add_row(const lm_act_goal* goal, int d, lm_act_rows* rows)
{
	int32_t r = rows->count++, at = rows->start[r];
	for (int32_t k = 0; k < goal->count; ++k)
		for (int i = 0; i < d; ++i)
		{
			double a = goal->coefficients[3 * k + i];
			if (a == 0)
				continue;
			rows->index[at] = goal->vertices[k] * d + i;
			rows->value[at++] = a;
		}
	rows->start[r + 1] = at;
	rows->position[r] = goal->position, rows->velocity[r] = goal->velocity;
	rows->kp[r] = goal->kp, rows->kd[r] = goal->kd, rows->weight[r] = goal->weight;
}

lm_status lm_act_set_goals(lm_act* body, const lm_act_goal* goals, int32_t count, lm_error* error)
{
	int64_t numbers = 0;
	if (count < 0 || (count > 0 && goals == NULL))
		return lm_fail(error, LM_BAD_INPUT, "there are %d goals in no list; give as many as there are, or 0", count);
	for (int32_t i = 0; i < count; ++i)
	{
		lm_status status = check_goal(body, &goals[i], i, error);
		if (status != LM_OK)
			return status;
		numbers += (int64_t)goals[i].count * body->dimension;
	}
	// The optimiser's room first: when there is none the old goals stay.
	lm_status status = lm_act_optimizer_reserve(body, count, error);
	if (status == LM_OK)
		status = make_room(&body->goals, &body->host, count, numbers, error);
	if (status != LM_OK)
		return status;
	body->goals.count = 0;
	body->goals.start[0] = 0;
	for (int32_t i = 0; i < count; ++i)
		add_row(&goals[i], body->dimension, &body->goals);
	return LM_OK;
}

double lm_act_goals_value(const lm_act_rows* rows, int32_t row, const double* y)
{
	double sum = 0;
	for (int32_t k = rows->start[row]; k < rows->start[row + 1]; ++k)
		sum += rows->value[k] * y[rows->index[k]];
	return sum;
}

void lm_act_goals_prepare(const lm_act_rows* rows, const double* x_n, double h, double* scale, double* target)
{
	for (int32_t r = 0; r < rows->count; ++r)
	{
		double w = rows->weight[r], before = lm_act_goals_value(rows, r, x_n);
		scale[r] = w * (rows->kp[r] + rows->kd[r] / h);
		target[r] = w * (rows->kp[r] * rows->position[r] + rows->kd[r] * (before / h + rows->velocity[r]));
	}
}

void lm_act_goals_release(lm_act_rows* rows, const lm_host* host)
{
	lm_free(host, rows->start);
	lm_free(host, rows->index);
	lm_free(host, rows->value);
	lm_free(host, rows->position);
	lm_free(host, rows->velocity);
	lm_free(host, rows->kp);
	lm_free(host, rows->kd);
	lm_free(host, rows->weight);
	*rows = (lm_act_rows){ 0 };
}
