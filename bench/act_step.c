// act_step.c: rows of control steps of `act`, with the time step and the settings of the solver of the gallery's scene
// of that size, against IPOPT with the same exact sparse derivatives, from the same start, stopped as soon as its
// objective is within 1e-3 of ours and its physics fulfilled to 1e-6 of the weight (ours is to 1e-10).
//
// A character hops (or creeps) on the ground, several times, each time a little different, as which steps it comes to
// is chance; every few steps the step that comes is solved several times by each, one after the other, and the least
// time of each counts. The row is the mean over the steps where IPOPT gets as far as we do. Ours includes finding
// touches, the feasible start and the closing forward solve; IPOPT is given the feasible start. The split is of a run
// of its own.
//
// In rows `-gn` IPOPT is given our Hessian of Gauss and Newton, in rows `-warm` its own options for warm starts and the
// multipliers that it ended with in the step before.
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

typedef enum ipopt_way
{
	IPOPT_EXACT,
	IPOPT_GAUSS_NEWTON,
	IPOPT_WARM
} ipopt_way;

typedef struct step_row
{
	const step_case* steps;
	ipopt_way way;
} step_row;

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

// What IPOPT ended a step with.
typedef struct warm_start
{
	double* multipliers;
	int rows;
} warm_start;

// From `warm` where IPOPT starts warm and it is of as many rows; where not, from multipliers of 0. It keeps its own if
// `keep`.
static ipopt_step_report solve_by_ipopt(lm_act* body, ipopt_way way, warm_start* warm, bool keep)
{
	int rows = ipopt_step_rows(body);
	double* multipliers = calloc((size_t)rows, sizeof *multipliers);
	if (warm->rows == rows)
		memcpy(multipliers, warm->multipliers, sizeof *multipliers * (size_t)rows);
	ipopt_step_options options = { .wanted = body->report.objective * (1 + 1e-3), .tolerance = 1e-8 };
	options.gauss_newton = way == IPOPT_GAUSS_NEWTON;
	options.multipliers = way == IPOPT_WARM ? multipliers : NULL;
	ipopt_step_report report = ipopt_step_solve(body, &options, NULL);
	double* unused = keep ? warm->multipliers : multipliers;
	if (keep)
		*warm = (warm_start){ multipliers, rows };
	free(unused);
	return report;
}

// The step before one that is measured; the body is as before.
static bool find_warm_start(lm_act* body, double h, lm_colliders* ground, warm_start* warm, lm_error* error)
{
	lm_act_report report = body->report;
	double* p = malloc(sizeof *p * (size_t)body->rest.parameters);
	memcpy(p, body->p, (size_t)body->rest.parameters * sizeof *p);
	bool good = lm_act_physics_begin(body, h, ground, &body, 1, error) == LM_OK;
	lm_act_optimize_step(body, h);
	if (good)
		solve_by_ipopt(body, IPOPT_WARM, warm, true);
	put_back(body, p, &report);
	free(p);
	return good;
}

// One step, solved by both; the body is as before.
static bool measure_step(lm_act* body, const step_row* row, warm_start* warm, lm_colliders* ground, times* sum,
                         lm_error* error)
{
	double h = row->steps->h;
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
			ipopt_step_report other = solve_by_ipopt(body, row->way, warm, false);
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
static bool run_once(const step_row* row, double ahead, lm_colliders* ground, times* sum, lm_error* error)
{
	const step_case* c = row->steps;
	lm_host host = lm_host_default();
	warm_start warm = { 0 };
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
		if (good && row->way == IPOPT_WARM && n % c->every == c->every - 2)
			good = find_warm_start(body, c->h, ground, &warm, error);
		if (good && n % c->every == c->every - 1)
			good = measure_step(body, row, &warm, ground, sum, error);
		good = good && lm_act_step(&body, 1, c->h, ground, n * c->h, error) == LM_OK;
	}
	lm_act_destroy(body);
	free(warm.multipliers);
	return good;
}

static void fill_row(const step_row* what, const times* sum, bench_row* row)
{
	static const char* const names[] = { [IPOPT_EXACT] = "IPOPT to 1e-3 of our objective",
		                                 [IPOPT_GAUSS_NEWTON] = "IPOPT with our Hessian, to 1e-3 of our objective",
		                                 [IPOPT_WARM] = "IPOPT started warm, to 1e-3 of our objective" };
	const step_case* c = what->steps;
	double ms = 1e3 / fmax(1, sum->reached);
	row->value = ms * sum->ours;
	row->unit = "ms per control step";
	row->reference = ms * sum->ipopt;
	row->part_count = 4;
	row->parts[0].name = "start", row->parts[0].value = ms * sum->spent.start;
	row->parts[1].name = "model", row->parts[1].value = ms * sum->spent.model;
	row->parts[2].name = "search", row->parts[2].value = ms * sum->spent.search;
	row->parts[3].name = "close", row->parts[3].value = ms * sum->spent.close;
	row->reference_name = names[what->way];
	snprintf(row->size, sizeof row->size,
	         "%s: %d unknowns, %d parameters, h and tolerance of act/%s, %s Hessian; IPOPT reached %d of %d",
	         act_character_name(c->which), sum->unknowns, sum->parameters, c->scene, c->exact ? "exact" : "its",
	         sum->reached, sum->count);
}

static bool run(const bench* b, bench_row* row, lm_error* error)
{
	const step_row* what = b->data;
	lm_host host = lm_host_default();
	lm_colliders* ground = NULL;
	times sum = { 0 };
	bool good = act_ground_create(&host, &ground, error) == LM_OK;
	for (int k = 0; good && k < what->steps->runs; ++k)
		good = run_once(what, k * AHEAD, ground, &sum, error);
	if (good)
		fill_row(what, &sum, row);
	lm_colliders_destroy(ground);
	return good;
}

// clang-format off
#define ROWS(name, steps)                                        \
	{ name, run, &(const step_row){ &(steps), IPOPT_EXACT } },   \
	{ name "-gn", run, &(const step_row){ &(steps), IPOPT_GAUSS_NEWTON } }, \
	{ name "-warm", run, &(const step_row){ &(steps), IPOPT_WARM } }
// clang-format on

const bench lm_bench_act_step[] = { ROWS("act/step-solid2", castle),
	                                ROWS("act/step-shell", card),
	                                ROWS("act/step-solid3", block),
	                                ROWS("act/step-large", cross),
	                                ROWS("act/step-full", letter),
	                                { "act/step-exact", run, &(const step_row){ &letter_exact, IPOPT_EXACT } },
	                                { NULL, NULL, NULL } };
