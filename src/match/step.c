// step.c: one step of a body: the passes of kernel_regions.h and kernel_goals.h in their order, in parallel pieces
// whose results do not depend on the number of threads.
#include "base/parallel.h"
#include "match/body.h"

#include <assert.h>
#include <string.h>

#define LM_MEASURE 4      // steps from one sum of the motion of the whole to the next
#define LM_MOST_ROUNDS 10 // of rotations and weights in turn, in one step
#define LM_JUMP 0.05      // of a weight, in one step

static void predict_chunk(void* context, int64_t begin, int64_t end)
{
	lm_match* body = context;
	body->kernels->predict(body, begin, end);
}

static void moments_chunk(void* context, int64_t begin, int64_t end)
{
	lm_match* body = context;
	body->kernels->moments(body, begin, end);
}

static double now(const lm_match* body)
{
	return body->profile ? lm_clock_seconds() : 0;
}

// Columns of scale * [spin]x.
static void put_spin(float columns[4][4], double scale, lm_vec3 spin)
{
	const double x = scale * spin.x, y = scale * spin.y, z = scale * spin.z;
	const double values[3][3] = { { 0, z, -y }, { -z, 0, x }, { y, -x, 0 } };
	for (int j = 0; j < 3; ++j)
		for (int i = 0; i < 3; ++i)
			columns[j][i] = (float)values[j][i];
}

// The centre of the body, roughly: on a grid that is coarse against the last bits of the positions, so that nothing is
// lost when they are taken relative to it.
static lm_vec3 round_centre(const lm_match* body)
{
	double unit = exp2(ceil(log2(body->size)) - 4);
	lm_vec3 c = body->whole.centre;
	return lm_v3(rint(c.x / unit) * unit, rint(c.y / unit) * unit, rint(c.z / unit) * unit);
}

static void set_pass(lm_match* body, double h)
{
	const lm_match_settings* settings = &body->settings;
	lm_match_pass* pass = &body->pass;
	lm_match_oscillator oscillator = lm_match_discretise(lm_match_frequency(body), settings->damping, h);
	if (body->paper != NULL)
		oscillator = (lm_match_oscillator){ settings->alpha, 0 };
	double lead = oscillator.theta * h, drag = settings->drag * h, pull = oscillator.alpha / h;
	lm_vec3 centre = round_centre(body), off = lm_sub(centre, body->whole.centre);
	lm_vec3 at_centre = lm_add(body->whole.velocity, lm_cross(body->whole.spin, off));
	lm_vec3 repair_there = lm_add(body->whole.repair, lm_cross(body->whole.repair_spin, off));
	double velocity[3], repair[3];
	lm_v3_store(velocity, 0, at_centre), lm_v3_store(repair, 0, repair_there);
	pass->h = (float)h;
	pass->ahead_v = (float)lead;
	pass->pull = (float)pull;
	pass->keep = (float)exp(-drag);
	double pushed = settings->drag > 0 ? -expm1(-drag) / settings->drag : h; // time that gravity has, under drag
	put_spin(pass->ahead, -lead, body->whole.spin);
	put_spin(pass->gain, 1, lm_add_scaled(body->whole.repair_spin, pull * lead, body->whole.spin));
	for (int k = 0; k < 3; ++k)
	{
		pass->centre[k] = (float)lm_v3_get(centre, k);
		pass->ahead[3][k] = (float)(-lead * velocity[k]);
		pass->gain[3][k] = (float)(repair[k] + pull * lead * velocity[k]);
		pass->fall[k] = (float)(pushed * settings->gravity[k]);
	}
	pass->speed_limit = (float)(1e4 * body->size / h + 1e3);
	pass->reach_limit = (float)(1e6 * body->size);
	pass->measure = body->report.steps % LM_MEASURE == 0 || body->whole.unsettled != 0;
	pass->blend_per_region = body->locality != LM_MATCH_GLOBAL;
}

static void match_and_move(lm_match* body, double h)
{
	set_pass(body, h);
	double start = now(body);
	if (body->paper != NULL)
	{
		lm_match_paper_step(body);
		body->report.seconds_matching += now(body) - start;
		return;
	}
	lm_parallel_for(body->threads, body->count, LM_CHUNK, predict_chunk, body);
	lm_parallel_for(body->threads, body->count, LM_CHUNK, moments_chunk, body);
	double matched = now(body);
	// Rotations and weights depend on each other. Where the weights jump (a start, an example switched on) both are
	// iterated until they agree; else each step is one iteration.
	bool unsettled = body->example_count > 0;
	for (int round = 0; unsettled && round < LM_MOST_ROUNDS; ++round)
	{
		memcpy(body->pass.blend_last, body->pass.blend_all, sizeof body->pass.blend_last);
		unsettled = lm_match_project(body) > LM_JUMP;
		if (unsettled)
			lm_parallel_for(body->threads, body->count, LM_CHUNK, moments_chunk, body);
	}
	double projected = now(body);
	body->pass.inverted = false;
	for (int32_t c = 0; c < body->chunks; ++c)
		body->pass.inverted = body->pass.inverted || !(body->lowest[c] >= 0);
	if (body->pass.inverted)
		lm_match_measure_rotation(body);
	lm_match_take_waves(body);
	for (int32_t c = 0; c < body->chunks; ++c)
		body->report.recovered += body->recovered[c];
	lm_match_sum_motion(body, h);
	body->report.seconds_matching += now(body) - projected + matched - start;
	body->report.seconds_projection += projected - matched;
}

void lm_match_take_step(lm_match* body)
{
	lm_match_pending* pending = &body->pending;
	double inner = pending->h / pending->steps, done = pending->taken * inner;
	lm_match_apply_touched(body, inner);
	match_and_move(body, inner);
	lm_match_apply_drags(body, inner);
	lm_match_apply_pins(body, inner, pending->h - done);
	lm_match_touch(body, inner, pending->colliders, pending->time + done + inner);
	++body->report.steps;
	if (++pending->taken == pending->steps)
		*pending = (lm_match_pending){ 0 };
}

void lm_match_step(lm_match* body, double h, lm_colliders* colliders, double time)
{
	assert(h > 0 && h <= 0.1);
	lm_match_finish_step(body); // nobody has asked for contact since the last one
	bool near = body->near_steps > 0;
	body->pending =
		(lm_match_pending){ .h = h, .time = time, .steps = lm_match_inner_steps(body, h), .colliders = colliders };
	lm_match_recentre(body);
	if (!near || body->pending.steps == 1)
		lm_match_finish_step(body);
}
