// together.c: bodies that are near each other take their inner steps together, with contact after each.
//
// A surface is light beside the body that presses on it. Contact that is resolved once in a long step, after the body
// has pressed through several inner ones, cannot hold: bodies stacked on each other at 1/60 s sank into one another. So
// lm_match_step leaves the step of a body that is near others to lm_match_collide, which takes one inner step of each,
// resolves contact, and so on.
//
// Near are bodies whose boxes may overlap before the next step ends, at the speeds that they have. A contact lasts for
// at least LM_CONTACT_STEP, and in one inner step bodies come no closer than by LM_APPROACH of the thickness of the
// thinner, lest they pass through each other or come out at the far side.
#include "match/body.h"
#include "math/svd.h"

#define LM_CONTACT_STEP (1.0 / 240)
#define LM_APPROACH 0.25

// A slab of thickness t has variance t^2 / 12 across.
void lm_match_measure_thickness(lm_match* body)
{
	lm_vec3 mean = { 0 };
	lm_mat3 spread = { 0 };
	for (int32_t i = 0; i < body->count; ++i)
		mean = lm_add_scaled(mean, (double)body->mass[i] / body->total_mass, lm_match_rest_position(body, i));
	for (int32_t i = 0; i < body->count; ++i)
	{
		lm_vec3 d = lm_sub(lm_match_rest_position(body, i), mean);
		lm_add_outer(&spread, (double)body->mass[i] / body->total_mass, d, d);
	}
	body->thickness = fmax(sqrt(12 * fmax(lm_eigen3(spread).e.z, 0)), 0.01 * body->size);
}

void lm_match_finish_step(lm_match* body)
{
	while (body->pending.steps > 0)
		lm_match_take_step(body);
}

int32_t lm_match_count_rounds(lm_match* const* bodies, int32_t count)
{
	int32_t rounds = 1;
	for (int32_t i = 0; i < count; ++i)
		rounds = bodies[i]->pending.steps > rounds ? bodies[i]->pending.steps : rounds;
	return rounds;
}

// Those of the pending inner steps that end in this round, evenly spread over all. Returns the length of the shortest.
double lm_match_take_round(lm_match* const* bodies, int32_t count, int32_t round, int32_t rounds, double h)
{
	double shortest = h;
	for (int32_t i = 0; i < count; ++i)
	{
		const lm_match_pending* pending = &bodies[i]->pending;
		if (pending->steps == 0)
			continue;
		shortest = fmin(shortest, pending->h / pending->steps);
		if (pending->taken < (int64_t)(round + 1) * pending->steps / rounds)
			lm_match_take_step(bodies[i]);
	}
	return shortest;
}

static void measure_bounds(lm_match* body)
{
	float low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, fastest = 0;
	double mean[3];
	lm_v3_store(mean, 0, body->whole.velocity);
	for (int64_t i = 0; i < body->count; ++i)
	{
		float square = 0;
		for (int k = 0; k < 3; ++k)
		{
			float x = body->x[lm_particle_place(i, k)], v = body->v[lm_particle_place(i, k)] - (float)mean[k];
			low[k] = x < low[k] ? x : low[k], high[k] = x > high[k] ? x : high[k];
			square += v * v;
		}
		fastest = square > fastest ? square : fastest;
	}
	lm_match_bounds* bounds = &body->bounds;
	bounds->speed = sqrt((double)fastest);
	for (int k = 0; k < 3; ++k)
	{
		bounds->low[k] = body->origin[k] + (double)low[k];
		bounds->high[k] = body->origin[k] + (double)high[k];
	}
}

// How far the bodies can come towards each other within h.
static double way_of(const lm_match* a, const lm_match* b, double h)
{
	const double *ga = a->settings.gravity, *gb = b->settings.gravity;
	double fall = lm_length(lm_v3_at(ga, 0)) + lm_length(lm_v3_at(gb, 0));
	double speed = lm_distance(a->whole.velocity, b->whole.velocity) + a->bounds.speed + b->bounds.speed;
	return h * (speed + h * fall);
}

static bool are_near(const lm_match* a, const lm_match* b, double reach)
{
	for (int k = 0; k < 3; ++k)
		if (a->bounds.low[k] > b->bounds.high[k] + reach || b->bounds.low[k] > a->bounds.high[k] + reach)
			return false;
	return true;
}

static int32_t steps_for(double way, double thickness, double h)
{
	double steps = ceil(fmax(h / LM_CONTACT_STEP - 1e-6, way / (LM_APPROACH * thickness)));
	return steps <= 1 ? 1 : steps < LM_NEAR_STEPS ? (int32_t)steps : LM_NEAR_STEPS;
}

void lm_match_look_around(lm_match* const* bodies, int32_t count, double h)
{
	for (int32_t i = 0; i < count; ++i)
	{
		bodies[i]->near_steps = 0;
		if (count > 1)
			measure_bounds(bodies[i]);
	}
	for (int32_t i = 0; i < count; ++i)
		for (int32_t j = i + 1; j < count; ++j)
		{
			lm_match *a = bodies[i], *b = bodies[j];
			double way = way_of(a, b, h);
			if (!are_near(a, b, way + fmax(a->settings.thickness, b->settings.thickness)))
				continue;
			int32_t steps = steps_for(way, fmin(a->thickness, b->thickness), h);
			a->near_steps = steps > a->near_steps ? steps : a->near_steps;
			b->near_steps = steps > b->near_steps ? steps : b->near_steps;
		}
}
