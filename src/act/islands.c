#include "act/islands.h"

#include "act/equation.h"
#include "act/guest.h"
#include "act/touches.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

#define LM_STEP_EFFORT ((lm_act_effort){ 1e-10, 60, INT32_MAX, false })
#define LM_WITH_GUESTS 1e-8 // tolerance: bodies of `match` keep their places in single precision
#define LM_ROUGH 1e-4       // while features are still looked for
#define LM_FEATURE_ROUNDS 3
#define LM_LATE 0.25      // of a step's force in that of late
#define LM_NO_FORCE 1e-12 // N

static bool reserve(lm_act* first, int32_t count, int64_t n)
{
	lm_act_physics* p = first->physics;
	return lm_grow(&first->host, (void**)&p->island_of, &p->island_capacity, (size_t)count, sizeof *p->island_of) &&
	       lm_grow(&first->host, (void**)&p->island_y, &p->island_y_capacity, (size_t)n, sizeof *p->island_y);
}

// ---- bodies and guests in one numbering, guests behind the others

static lm_act_guest* guest_at(const lm_act_physics* p, int32_t count, int32_t b)
{
	return b >= count ? p->guests[b - count] : NULL;
}

static lm_act* body_at(lm_act* const* bodies, int32_t count, int32_t b)
{
	return b < count ? bodies[b] : bodies[0]->physics->guests[b - count]->proxy;
}

// The system of island k: its bodies, and the touches among them and with colliders.
static bool gather(lm_act* const* bodies, int32_t count, int32_t k)
{
	lm_act_physics* p = bodies[0]->physics;
	const lm_host* host = &bodies[0]->host;
	int32_t all = count + p->guest_count;
	if (!lm_act_system_reset(&p->island, all, host))
		return false;
	for (int32_t b = 0; b < all; ++b)
		if (p->island_of[b] == k)
		{
			lm_act* body = body_at(bodies, count, b);
			memcpy(p->island_y + p->island.n, body->y, (size_t)body->unknowns * sizeof *p->island_y);
			lm_act_system_add(&p->island, body);
		}
	int64_t touches;
	const lm_spring_touch* list = lm_touches_list(p->step_touches, &touches);
	for (int64_t t = 0; t < touches; ++t)
	{
		int32_t a = list[t].a, b = list[t].b;
		if (p->island_of[a] != k)
			continue;
		const lm_act_guest *guest_a = guest_at(p, count, a), *guest_b = guest_at(p, count, b);
		lm_spring_touch mapped;
		if (guest_a != NULL || guest_b != NULL)
			mapped = lm_act_guest_map(&list[t], guest_a, guest_b);
		if (!lm_act_system_link(&p->island, guest_a != NULL || guest_b != NULL ? &mapped : &list[t],
		                        body_at(bodies, count, a), NULL, b >= 0 ? body_at(bodies, count, b) : NULL, NULL, host))
			return false;
	}
	return true;
}

// ---- guests

// The guest whose proxy this is, or NULL.
static const lm_act_guest* guest_of(const lm_act_physics* p, const lm_act* body)
{
	for (int32_t g = 0; g < p->guest_count; ++g)
		if (p->guests[g]->proxy == body)
			return p->guests[g];
	return NULL;
}

// Whether the two exchange a force here: guests of one kind do so by themselves.
static bool exchange(const lm_act_guest* a, const lm_act_guest* b)
{
	return a == NULL || b == NULL || a->kind != b->kind;
}

// Adds what links with its own kind and with colliders do to a proxy, all of them being where the trial took them.
static void add_others(const lm_act_system* s, const lm_act_physics* p, int32_t proxy, double forces[12])
{
	const lm_act_guest* guest = guest_of(p, s->bodies[proxy]);
	for (int64_t k = 0; k < s->link_count; ++k)
	{
		const lm_act_link* link = &s->links[k];
		const lm_spring_touch* t = &link->touch;
		const double* X[2] = { NULL, NULL };
		bool given = false, part = link->body[0] == proxy || link->body[1] == proxy;
		for (int side = 0; side < 2 && part; ++side)
			if (link->body[side] >= 0)
			{
				const lm_act* body = s->bodies[link->body[side]];
				X[side] = body->X;
				given = given || (link->body[side] != proxy && exchange(guest, guest_of(p, body)));
			}
		if (given || !part)
			continue;
		lm_spring_force force;
		lm_spring_evaluate_force(&t->spring, lm_touch_point(t, X[0], X[1]), &force);
		for (int32_t i = 0; i < t->count && force.normal > 0; ++i)
			for (int c = 0; c < 3 && link->body[i >= t->own] == proxy; ++c)
				forces[3 * t->vertex[i] + c] += t->weight[i] * lm_v3_get(force.f, c);
	}
}

static void balance_guests(lm_act* const* bodies)
{
	lm_act_physics* p = bodies[0]->physics;
	for (int32_t b = 0; b < p->island.count; ++b)
		for (int32_t g = 0; g < p->guest_count; ++g)
			if (p->guests[g]->proxy == p->island.bodies[b])
			{
				double others[12] = { 0 };
				add_others(&p->island, p, b, others);
				lm_act_guest_balance(p->guests[g], others);
			}
}

// A side of a touch: where its vertices began, and are now.
typedef struct touch_side
{
	lm_act_guest* guest; // NULL: a body of `act`
	const double *start, *now;
} touch_side;

static touch_side side_of(lm_act* const* bodies, int32_t count, int32_t b)
{
	lm_act_guest* guest = guest_at(bodies[0]->physics, count, b);
	return guest != NULL ? (touch_side){ guest, guest->start, guest->now }
	                     : (touch_side){ NULL, bodies[b]->x, bodies[b]->y };
}

// What a touch does to the guest that is side `side` of it.
static void take_touch(const touch_side sides[2], const lm_spring_touch* t, int side, double h)
{
	const touch_side* other = &sides[!side];
	lm_act_guest* guest = sides[side].guest;
	lm_spring_force force;
	lm_spring_evaluate_force(&t->spring, lm_touch_point(t, sides[0].now, sides[1].now), &force);
	if (!(force.normal > 0))
		return;
	lm_vec3 at = { 0 }, velocity = { 0 };
	for (int32_t i = 0; i < t->count; ++i)
	{
		double weight = (i >= t->own ? -1 : 1) * t->weight[i];
		int64_t v = t->vertex[i];
		if ((i >= t->own) == side)
			at = lm_add_scaled(at, weight, lm_v3_at(guest->trial, v));
		else
			velocity = lm_add_scaled(velocity, weight / h, lm_sub(lm_v3_at(other->now, v), lm_v3_at(other->start, v)));
	}
	lm_act_guest_add_force(guest, at, lm_scale(side ? -1 : 1, force.f), velocity, force.normal);
}

// What a touch of a guest does to the body of `act` that is side `side` of it, into what guests did to it of late.
static void remember_touch(const touch_side sides[2], const lm_spring_touch* t, int side, lm_act* body)
{
	lm_spring_force force;
	lm_spring_evaluate_force(&t->spring, lm_touch_point(t, sides[0].now, sides[1].now), &force);
	if (lm_act_guest_carries(sides[!side].guest, body, lm_scale(side ? -1 : 1, t->spring.normal)))
		return; // it is foreseen as what it stands on
	for (int32_t i = side ? t->own : 0; i < (side ? t->count : t->own) && force.normal > 0; ++i)
	{
		double* sum = body->physics->guest_forces + (int64_t)body->dimension * t->vertex[i];
		for (int c = 0; c < body->dimension; ++c)
			sum[c] += LM_LATE * t->weight[i] * lm_v3_get(force.f, c);
	}
}

static void take_touches(lm_act* const* bodies, int32_t count, double h)
{
	const lm_act_physics* p = bodies[0]->physics;
	int64_t touches;
	const lm_spring_touch* list = lm_touches_list(p->step_touches, &touches);
	for (int32_t b = 0; b < count; ++b)
		for (int64_t i = 0; i < bodies[b]->unknowns; ++i)
		{
			double* late = &bodies[b]->physics->guest_forces[i];
			*late = fabs(*late) > LM_NO_FORCE ? (1 - LM_LATE) * *late : 0;
		}
	for (int64_t k = 0; k < touches && p->guest_count > 0; ++k)
	{
		const lm_spring_touch* t = &list[k];
		if (t->b < 0 || (t->a < count && t->b < count))
			continue;
		const touch_side sides[2] = { side_of(bodies, count, t->a), side_of(bodies, count, t->b) };
		for (int side = 0; side < 2; ++side)
			if (sides[side].guest == NULL)
				remember_touch(sides, t, side, bodies[side ? t->b : t->a]);
			else if (exchange(sides[0].guest, sides[1].guest))
				take_touch(sides, t, side, h);
	}
}

// ---- solving

// Whether island k has a body of `act`, or guests of different kinds.
static bool has_exchange(lm_act* const* bodies, int32_t count, int32_t k)
{
	const lm_act_physics* p = bodies[0]->physics;
	const lm_act_guest* first = NULL;
	bool found = false;
	for (int32_t b = 0; b < count; ++b)
		found = found || p->island_of[b] == k;
	for (int32_t g = 0; g < p->guest_count; ++g)
		if (p->island_of[count + g] == k)
		{
			found = found || (first != NULL && exchange(first, p->guests[g]));
			first = p->guests[g];
		}
	return found;
}

static lm_status solve_island(lm_act* const* bodies, int32_t count, int32_t k, bool rough, lm_error* error)
{
	lm_act_physics* p = bodies[0]->physics;
	lm_act_system* s = &p->island;
	if (!has_exchange(bodies, count, k)) // guests of one kind go where the trial went
		return LM_OK;
	if (!gather(bodies, count, k))
		return lm_fail_memory(error);
	balance_guests(bodies);
	lm_status status = lm_act_forward_reserve(s->bodies[0], s->n, error);
	if (status == LM_OK && s->count > 1)
		status = lm_act_joint_prepare(s, error);
	if (status != LM_OK)
		return status;
	lm_act_joint* joint = &s->bodies[0]->physics->joint;
	lm_act_effort effort = LM_STEP_EFFORT;
	effort.tolerance = rough ? LM_ROUGH : p->guest_count > 0 ? LM_WITH_GUESTS : effort.tolerance;
	effort.kept = s->count > 1 && joint->factorized;
	lm_act_forward_report forward = lm_act_system_forward(s, effort, p->island_y);
	joint->factorized = p->guest_count > 0 && s->count > 1 && s->factorized;
	for (int64_t b = 0, at = 0; b < s->count; at += s->bodies[b++]->unknowns)
	{
		memcpy(s->bodies[b]->y, p->island_y + at, (size_t)s->bodies[b]->unknowns * sizeof *p->island_y);
		s->bodies[b]->report.physics_residual = forward.residual;
	}
	for (int32_t g = 0; g < p->guest_count; ++g)
		if (p->island_of[count + g] == k)
			lm_act_guest_move(p->guests[g]);
	return LM_OK;
}

static lm_status solve_all(lm_act* const* bodies, int32_t count, bool rough, lm_error* error)
{
	lm_act_physics* p = bodies[0]->physics;
	int32_t islands = lm_touches_islands(p->step_touches, count + p->guest_count, p->island_of);
	lm_status status = LM_OK;
	for (int32_t k = 0; k < islands && status == LM_OK; ++k)
		status = solve_island(bodies, count, k, rough, error);
	return status;
}

// Until the solution touches the features that it was solved for, at most a few times. With guests, which share their
// forces with all that they touch, features change more often: all but the last solution are rough ones then.
static lm_status solve_rounds(lm_act* const* bodies, int32_t count, const lm_colliders* colliders, lm_error* error)
{
	bool rough = bodies[0]->physics->guest_count > 0, changed = true;
	lm_status status = LM_OK;
	for (int round = 1; status == LM_OK && changed && round < LM_FEATURE_ROUNDS; ++round)
	{
		status = solve_all(bodies, count, rough, error);
		if (status == LM_OK)
			status = lm_act_touches_find_all_again(bodies, count, colliders, &changed, error);
	}
	return status == LM_OK && (changed || rough) ? solve_all(bodies, count, false, error) : status;
}

lm_status lm_act_islands_solve(lm_act* const* bodies, int32_t count, const lm_colliders* colliders, lm_error* error)
{
	int64_t n = 0;
	lm_act_physics* p = bodies[0]->physics;
	for (int32_t b = 0; b < count + p->guest_count; ++b)
	{
		lm_act* body = body_at(bodies, count, b);
		n += body->unknowns;
		body->physics->joint.factorized = false;
	}
	if (!reserve(bodies[0], count + p->guest_count, n))
		return lm_fail_memory(error);
	lm_status status = lm_act_touches_find_all(bodies, count, colliders, error);
	if (status == LM_OK)
		status = solve_rounds(bodies, count, colliders, error);
	if (status == LM_OK)
		take_touches(bodies, count, p->h);
	return status;
}
