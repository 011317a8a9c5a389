// field.c: force fields; see limber/field.h.
//
// Turbulence is a sum of waves u = strength sqrt(2 / n) sum_i a_i sin(k_i . x + w_i t + phi_i) with unit vectors a_i
// across k_i, so that div u = 0; directions, phases and rates are drawn from the seed, and |k_i| = 2 pi / size times
// 0.5 to 1.5. Gusts are likewise a sum of waves in time.
#include "limber/field.h"

#include "base/error.h"
#include "math/vec.h"

#define WAVES 12
#define GUST_WAVES 4

lm_field lm_field_default(void)
{
	return (lm_field){ .axis = { 0, 1, 0 }, .strength = 1, .drag = 2, .gust_seconds = 1, .size = 0.5, .change = 1 };
}

// ---- checks ------------------------------------------------------------------------------------------------------

static bool within(const double* x, int count, double most)
{
	for (int i = 0; i < count; ++i)
		if (!(fabs(x[i]) <= most))
			return false;
	return true;
}

lm_status lm_field_check(const lm_field* f, lm_error* error)
{
	const char* wrong = NULL;
	if (f->kind < 0 || f->kind >= LM_FIELD_KINDS)
		wrong = "kind, must be one of the four";
	else if (!within(f->position, 3, 1e9) || !within(f->velocity, 3, 1e4))
		wrong = "position or velocity, must be numbers up to 1e9 m and 1e4 m/s";
	else if (!within(f->axis, 3, 1e9) || !(lm_length(lm_v3_at(f->axis, 0)) > 1e-9))
		wrong = "axis, must be a direction";
	else if (!within(&f->strength, 1, 1e6))
		wrong = "strength, must be at most 1e6";
	else if (!(f->radius >= 0 && f->radius <= 1e9) || !(f->drag >= 0 && f->drag <= 1e6))
		wrong = "radius or drag, must be from 0 to 1e9 m and 1e6 1/s";
	else if (!(f->gust >= 0 && f->gust <= 1) || !(f->gust_seconds >= 1e-3 && f->gust_seconds <= 1e6))
		wrong = "gusts, must be a share from 0 to 1, and last from 1e-3 to 1e6 s";
	else if (!(f->size >= 1e-6 && f->size <= 1e9) || !(f->change >= 1e-3 && f->change <= 1e9))
		wrong = "eddies, must be from 1e-6 to 1e9 m, and last from 1e-3 to 1e9 s";
	return wrong == NULL ? LM_OK : lm_fail(error, LM_BAD_INPUT, "a field has a wrong %s", wrong);
}

// ---- waves -------------------------------------------------------------------------------------------------------

// Numbers in [0, 1) from a seed (SplitMix64).
static double draw(uint64_t* state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static lm_vec3 draw_direction(uint64_t* state)
{
	double z = 2 * draw(state) - 1, turn = 2 * LM_PI * draw(state), r = sqrt(fmax(0, 1 - z * z));
	return lm_v3(r * cos(turn), r * sin(turn), z);
}

typedef struct wave
{
	lm_vec3 k, a;
	double phase; // at the time
} wave;

static void make_waves(const lm_field* f, double time, wave waves[WAVES])
{
	uint64_t state = (uint64_t)(uint32_t)f->seed;
	for (int i = 0; i < WAVES; ++i)
	{
		lm_vec3 along = draw_direction(&state), any = draw_direction(&state);
		waves[i].k = lm_scale(2 * LM_PI / f->size * (0.5 + draw(&state)), along);
		waves[i].a = lm_normalize_or(lm_cross(along, any), lm_v3(along.y, -along.x, 0));
		double rate = 2 * LM_PI / f->change * (0.5 + draw(&state)) * (draw(&state) < 0.5 ? -1 : 1);
		waves[i].phase = rate * time + 2 * LM_PI * draw(&state);
	}
}

// Between 0 and 1.
static double gust_at(const lm_field* f, double time)
{
	uint64_t state = (uint64_t)(uint32_t)f->seed;
	double sum = 0;
	for (int i = 0; i < GUST_WAVES; ++i)
	{
		double rate = LM_PI / f->gust_seconds * (0.5 + draw(&state)), phase = 2 * LM_PI * draw(&state);
		sum += sin(rate * time + phase) / GUST_WAVES;
	}
	return 0.5 + 0.5 * sum;
}

// ---- all kinds ---------------------------------------------------------------------------------------------------

typedef struct flow
{
	const lm_field* f;
	lm_vec3 position, axis, wind;
	wave waves[WAVES];
} flow;

static lm_vec3 air_at(const flow* s, lm_vec3 x, lm_vec3 across)
{
	const lm_field* f = s->f;
	if (f->kind == LM_FIELD_WIND)
		return s->wind;
	if (f->kind == LM_FIELD_VORTEX) // as a rigid body within the core
	{
		double core = f->radius > 0 ? f->radius : 1, r = lm_length(across);
		return lm_scale(f->strength / fmax(core, r), lm_cross(s->axis, across));
	}
	lm_vec3 u = lm_v3(0, 0, 0);
	for (int i = 0; i < WAVES; ++i)
		u = lm_add_scaled(u, sin(lm_dot(s->waves[i].k, x) + s->waves[i].phase), s->waves[i].a);
	return lm_scale(f->strength * sqrt(2.0 / WAVES), u);
}

void lm_field_act(const lm_field* f, double time, double h, const double* positions, int32_t count, double* velocities)
{
	flow s = { .f = f,
		       .position = lm_v3_at(f->position, 0),
		       .axis = lm_normalize_or(lm_v3_at(f->axis, 0), lm_v3(0, 1, 0)) };
	s.wind = lm_scale(1 - f->gust + f->gust * gust_at(f, time), lm_v3_at(f->velocity, 0));
	if (f->kind == LM_FIELD_TURBULENCE)
		make_waves(f, time, s.waves);
	double carried = -expm1(-f->drag * h), soft = 0.1 * (f->radius > 0 ? f->radius : 1);
	for (int32_t i = 0; i < count; ++i)
	{
		lm_vec3 x = lm_v3_at(positions, i), v = lm_v3_at(velocities, i), from = lm_sub(x, s.position);
		lm_vec3 across = f->kind == LM_FIELD_VORTEX ? lm_add_scaled(from, -lm_dot(from, s.axis), s.axis) : from;
		double r = lm_length(across), share = f->radius > 0 ? 1 / (1 + r * r / (f->radius * f->radius)) : 1;
		if (f->kind == LM_FIELD_ATTRACTOR)
			v = lm_add_scaled(v, -h * share * f->strength / fmax(r, soft), from);
		else
			v = lm_add_scaled(v, carried * share, lm_sub(air_at(&s, x, across), v));
		lm_v3_store(velocities, i, v);
	}
}
