// act_step.c: rows of control steps of `act`, with the time step and the settings of the solver of the gallery's scene
// of that size, against IPOPT with the same exact sparse derivatives, from the same start, stopped as soon as its
// objective is within 1e-3 of ours and its physics fulfilled to 1e-6 of the weight (ours is to 1e-10).
//
// A character hops (or creeps) on the ground, several times, each time a little different, as which steps it comes to
// is chance; every few steps the step that comes is solved several times by each, one after the other, and the least
// time of each counts. The row is the mean over the steps where IPOPT gets as far as we do. Ours includes finding
// touches, the feasible start and the closing forward solve; IPOPT is given the feasible start. The split is of a run
// of its own.
#include "act_bodies.h"
#include "bench.h"
#include "ipopt_step.h"

#include "act/optimize.h"
#include "act/optimizer.h"
#include "act/physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 3
#define AHEAD 0.07 // seconds of each run to the one before

typedef struct step_case
{
	act_character which;
	int runs, steps, every;
	const char* scene;
	double h; // from here on as the scene has it
	double tolerance;
	bool exact;
} step_case;

static const step_case castle = { ACT_CASTLE, 4, 90, 6, "castle-1", 0.02, 1e-3, false };
static const step_case card = { ACT_CARD, 3, 90, 6, "ace-2", 0.02, 1e-3, false };
static const step_case block = { ACT_BLOCK, 4, 90, 6, "sphere", 0.02, 1e-3, false };
static const step_case cross = { ACT_CROSS, 1, 40, 8, "cross", 1.0 / 30, 3e-3, false };
static const step_case letter = { ACT_LETTER, 8, 90, 6, "i-full", 0.02, 1e-3, false };
// The same with the exact Hessian, which no scene uses.
static const step_case letter_exact = { ACT_LETTER, 8, 90, 6, "i-full", 0.02, 1e-3, true };

typedef struct times
{
	double ours, ipopt;
	lm_act_spent spent;
	int count, reached;
	int unknowns, parameters;
} times;

static void put_back(lm_act* body, const double* p, const lm_act_report* report)
{
	memcpy(body->p, p, (size_t)body->rest.parameters * sizeof *p);
	lm_act_rest_shape(&body->rest, body->p, body->X);
	body->report = *report;
}

// What the parts of our step take.
static bool split(lm_act* body, double h, lm_colliders* ground, lm_act_spent* sum, lm_error* error)
{
	lm_act_spent before = body->optimizer->spent, *spent = &body->optimizer->spent;
	lm_act_profile(body, true);
	bool good = lm_act_physics_begin(body, h, ground, &body, 1, error) == LM_OK;
	lm_act_optimize_step(body, h);
	lm_act_profile(body, false);
	sum->start += spent->start - before.start, sum->model += spent->model - before.model;
	sum->search += spent->search - before.search, sum->close += spent->close - before.close;
	return good;
}

// One step, solved by both; the body is as before.
static bool measure_step(lm_act* body, double h, lm_colliders* ground, times* sum, lm_error* error)
{
	lm_act_report report = body->report;
	double ours = INFINITY, ipopt = INFINITY, *p = malloc(sizeof *p * (size_t)body->rest.parameters);
	bool reached = true, good = p != NULL;
	memcpy(p, body->p, (size_t)body->rest.parameters * sizeof *p);
	for (int k = 0; good && k < REPEATS; ++k)
	{
		put_back(body, p, &report);
		double start = lm_clock_seconds();
		good = lm_act_physics_begin(body, h, ground, &body, 1, error) == LM_OK;
		lm_act_optimize_step(body, h);
		ours = fmin(ours, lm_clock_seconds() - start);
		if (good)
		{
			ipopt_step_report other = ipopt_step_solve(body, body->report.objective * (1 + 1e-3), 1e-8, NULL);
			ipopt = fmin(ipopt, other.seconds);
			reached = other.status == 5;
		}
	}
	++sum->count;
	if (good && reached)
	{
		sum->ours += ours, sum->ipopt += ipopt, ++sum->reached;
		put_back(body, p, &report);
		good = split(body, h, ground, &sum->spent, error);
	}
	put_back(body, p, &report);
	free(p);
	return good;
}

// A character's steps, every few of them measured. The clock of its goals is ahead by `ahead` seconds.
static bool run_once(const step_case* c, double ahead, lm_colliders* ground, times* sum, lm_error* error)
{
	lm_host host = lm_host_default();
	lm_act* body = NULL;
	bool good = act_character_create(c->which, &host, &body, error) == LM_OK;
	if (good)
	{
		lm_act_settings settings = lm_act_get_settings(body);
		settings.tolerance = c->tolerance, settings.exact = c->exact;
		good = lm_act_set_settings(body, &settings, error) == LM_OK;
		sum->unknowns = body->unknowns, sum->parameters = body->rest.parameters;
	}
	for (int n = 0; good && n < c->steps; ++n)
	{
		good = act_character_goals(body, c->which, ahead + n * c->h, error) == LM_OK;
		if (good && n % c->every == c->every - 1)
			good = measure_step(body, c->h, ground, sum, error);
		good = good && lm_act_step(&body, 1, c->h, ground, n * c->h, error) == LM_OK;
	}
	lm_act_destroy(body);
	return good;
}

static void fill_row(const step_case* c, const times* sum, bench_row* row)
{
	double ms = 1e3 / fmax(1, sum->reached);
	row->value = ms * sum->ours;
	row->unit = "ms per control step";
	row->reference = ms * sum->ipopt;
	row->part_count = 4;
	row->parts[0].name = "start", row->parts[0].value = ms * sum->spent.start;
	row->parts[1].name = "model", row->parts[1].value = ms * sum->spent.model;
	row->parts[2].name = "search", row->parts[2].value = ms * sum->spent.search;
	row->parts[3].name = "close", row->parts[3].value = ms * sum->spent.close;
	row->reference_name = "IPOPT to 1e-3 of our objective";
	snprintf(row->size, sizeof row->size,
	         "%s: %d unknowns, %d parameters, h and tolerance of act/%s, %s Hessian; IPOPT reached %d of %d",
	         act_character_name(c->which), sum->unknowns, sum->parameters, c->scene, c->exact ? "exact" : "its",
	         sum->reached, sum->count);
}

static bool run(const bench* b, bench_row* row, lm_error* error)
{
	const step_case* c = b->data;
	lm_host host = lm_host_default();
	lm_colliders* ground = NULL;
	times sum = { 0 };
	bool good = act_ground_create(&host, &ground, error) == LM_OK;
	for (int k = 0; good && k < c->runs; ++k)
		good = run_once(c, k * AHEAD, ground, &sum, error);
	if (good)
		fill_row(c, &sum, row);
	lm_colliders_destroy(ground);
	return good;
}

const bench lm_bench_act_step[] = { { "act/step-solid2", run, &castle },
	                                { "act/step-shell", run, &card },
	                                { "act/step-solid3", run, &block },
	                                { "act/step-large", run, &cross },
	                                { "act/step-full", run, &letter },
	                                { "act/step-exact", run, &letter_exact },
	                                { NULL, NULL, NULL } };
