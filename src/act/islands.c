#include "act/islands.h"

#include "act/equation.h"
#include "act/touches.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

#define LM_STEP_EFFORT ((lm_act_effort){ 1e-10, 60, INT32_MAX })
#define LM_FEATURE_ROUNDS 3

static bool reserve(lm_act* first, int32_t count, int64_t n)
{
	lm_act_physics* p = first->physics;
	return lm_grow(&first->host, (void**)&p->island_of, &p->island_capacity, (size_t)count, sizeof *p->island_of) &&
	       lm_grow(&first->host, (void**)&p->island_y, &p->island_y_capacity, (size_t)n, sizeof *p->island_y);
}

// The system of island k: its bodies, and the touches among them and with colliders.
static bool gather(lm_act* const* bodies, int32_t count, int32_t k)
{
	lm_act_physics* p = bodies[0]->physics;
	const lm_host* host = &bodies[0]->host;
	if (!lm_act_system_reset(&p->island, count, host))
		return false;
	for (int32_t b = 0; b < count; ++b)
		if (p->island_of[b] == k)
		{
			memcpy(p->island_y + p->island.n, bodies[b]->y, (size_t)bodies[b]->unknowns * sizeof *p->island_y);
			lm_act_system_add(&p->island, bodies[b]);
		}
	int64_t touches;
	const lm_spring_touch* list = lm_touches_list(p->step_touches, &touches);
	for (int64_t t = 0; t < touches; ++t)
		if (p->island_of[list[t].a] == k && !lm_act_system_link(&p->island, &list[t], bodies[list[t].a], NULL,
		                                                        list[t].b >= 0 ? bodies[list[t].b] : NULL, NULL, host))
			return false;
	return true;
}

static lm_status solve_all(lm_act* const* bodies, int32_t count, lm_error* error)
{
	lm_act_physics* p = bodies[0]->physics;
	int32_t islands = lm_touches_islands(p->step_touches, count, p->island_of);
	for (int32_t k = 0; k < islands; ++k)
	{
		if (!gather(bodies, count, k))
			return lm_fail_memory(error);
		lm_act_system* s = &p->island;
		lm_status status = lm_act_forward_reserve(s->bodies[0], s->n, error);
		if (status == LM_OK && s->count > 1)
			status = lm_act_joint_prepare(s, error);
		if (status != LM_OK)
			return status;
		lm_act_forward_report forward = lm_act_system_forward(s, LM_STEP_EFFORT, p->island_y);
		for (int64_t b = 0, at = 0; b < s->count; at += s->bodies[b++]->unknowns)
		{
			memcpy(s->bodies[b]->y, p->island_y + at, (size_t)s->bodies[b]->unknowns * sizeof *p->island_y);
			s->bodies[b]->report.physics_residual = forward.residual;
		}
	}
	return LM_OK;
}

lm_status lm_act_islands_solve(lm_act* const* bodies, int32_t count, const lm_colliders* colliders, lm_error* error)
{
	int64_t n = 0;
	for (int32_t b = 0; b < count; ++b)
		n += bodies[b]->unknowns;
	if (!reserve(bodies[0], count, n))
		return lm_fail_memory(error);
	lm_status status = lm_act_touches_find_all(bodies, count, colliders, error);
	if (status == LM_OK)
		status = solve_all(bodies, count, error);
	for (int round = 1; status == LM_OK && round < LM_FEATURE_ROUNDS; ++round)
	{
		bool changed = false;
		status = lm_act_touches_find_all_again(bodies, count, colliders, &changed, error);
		if (status != LM_OK || !changed)
			break;
		status = solve_all(bodies, count, error);
	}
	return status;
}
