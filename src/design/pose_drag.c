// pose_drag.c: the steps of a drag. From event to event the second derivative changes little, and most of a Newton step
// goes into it. So it is kept, factorised, for some events; L-BFGS (descent.h) corrects it by what the steps since then
// showed, which stays true when handles move, for their targets do not enter the curvature. The elastic forces are
// known from the step before, so that an event takes one evaluation for each iteration, and two or three solves.
#include "design/pose.h"

#include "base/alloc.h"

#include <string.h>

static const int32_t most_age = 12;       // events
static const int32_t slow_age = 4;        // that an event counts for which took all its iterations and is nearly there
static const int32_t most_iterations = 4; // per event
static const double enough = 5e-3;        // of the energy, that another iteration has to promise
static const double armijo = 1e-4, longest = 1;

bool lm_pose_drag_create(lm_pose* pose)
{
	size_t n = 3 * (size_t)pose->model->node_count;
	double* work = pose->drag_work = LM_NEW(&pose->host, (7 + 2 * LM_DESCENT_MEMORY) * n, double);
	lm_pose_drag* drag = &pose->drag;
	if (work == NULL)
		return false;
	drag->elastic = work, drag->next_elastic = work + n, drag->g = work + 2 * n, drag->next = work + 3 * n;
	drag->d = work + 4 * n, drag->q = work + 5 * n, drag->trial = work + 6 * n;
	drag->memory.s = work + 7 * n, drag->memory.y = drag->memory.s + LM_DESCENT_MEMORY * n;
	return true;
}

static double largest(size_t n, const double* a)
{
	double most = 0;
	for (size_t i = 0; i < n; ++i)
		most = fabs(a[i]) > most || isnan(a[i]) ? fabs(a[i]) : most;
	return most;
}

static double evaluate(const lm_pose* pose, const double* y, double* elastic, double* g, double* energy, double* volume)
{
	size_t bytes = 3 * (size_t)pose->model->node_count * sizeof(double);
	memset(elastic, 0, bytes);
	*energy = lm_design_elastic_and_volume(
		pose->model, (lm_design_stiffness){ pose->settings.strain, pose->settings.volume }, y, 1, elastic, volume);
	memcpy(g, elastic, bytes);
	return *energy + lm_pose_pulls(pose, y, g);
}

static void apply(void* context, const double* g, double* d)
{
	lm_band_solve(&((lm_pose*)context)->matrix, g, d);
}

static bool refresh(lm_pose* pose)
{
	pose->drag.memory.count = 0, pose->drag.age = 0;
	return pose->drag.factored = lm_pose_factorize(pose, pose->y, 0);
}

// Moves y to the trial.
static void take(lm_pose* pose, double step, double energy, double volume)
{
	lm_pose_drag* drag = &pose->drag;
	size_t n = 3 * (size_t)pose->model->node_count;
	lm_descent_remember(&drag->memory, (int64_t)n, step, drag->d, drag->g, drag->next);
	memcpy(pose->y, drag->trial, n * sizeof(double));
	memcpy(drag->g, drag->next, n * sizeof(double));
	memcpy(drag->elastic, drag->next_elastic, n * sizeof(double));
	drag->energy = energy, drag->volume = volume;
}

// Moves y along -d as far as is good; false when nowhere is.
static bool move(lm_pose* pose, double slope, double* value)
{
	lm_pose_drag* drag = &pose->drag;
	size_t n = 3 * (size_t)pose->model->node_count;
	double size = largest(n, drag->d), step = size > longest ? longest / size : 1;
	for (int round = 0; round < 12; ++round)
	{
		double energy, volume;
		for (size_t i = 0; i < n; ++i)
			drag->trial[i] = pose->y[i] - step * drag->d[i];
		double next = evaluate(pose, drag->trial, drag->next_elastic, drag->next, &energy, &volume);
		if (isfinite(next) && next <= *value - armijo * step * slope)
		{
			take(pose, step, energy, volume);
			*value = next;
			return true;
		}
		double best = isfinite(next) ? slope * step * step / (2 * (next - *value + slope * step)) : 0;
		step = fmax(0.1 * step, fmin(0.5 * step, best));
	}
	return false;
}

static double start(lm_pose* pose)
{
	lm_pose_drag* drag = &pose->drag;
	size_t bytes = 3 * (size_t)pose->model->node_count * sizeof(double);
	if (!drag->known)
		return evaluate(pose, pose->y, drag->elastic, drag->g, &drag->energy, &drag->volume);
	memcpy(drag->g, drag->elastic, bytes);
	return drag->energy + lm_pose_pulls(pose, pose->y, drag->g);
}

bool lm_pose_drag_step(lm_pose* pose, lm_pose_report* report)
{
	lm_pose_drag* drag = &pose->drag;
	size_t n = 3 * (size_t)pose->model->node_count;
	lm_descent_problem problem = { .context = pose, .n = (int64_t)n, .apply = apply };
	double value = start(pose), tolerance = pose->settings.tolerance * pose->settings.strain;
	if (!isfinite(value) || !isfinite(largest(n, drag->g)))
		return false;
	drag->known = true;
	bool stale = !drag->factored || drag->age >= most_age;
	int32_t iterations = 0, refreshes = 0;
	double promised = 0;
	while (largest(n, drag->g) > tolerance)
	{
		if (stale && (refreshes++ > 0 || !refresh(pose)))
		{
			drag->factored = false;
			break;
		}
		stale = false;
		lm_descent_direction(&problem, &drag->memory, drag->g, drag->q, drag->d);
		promised = lm_descent_dot((int64_t)n, drag->g, drag->d);
		if (iterations > 0 && ((promised >= 0 && promised < enough * value) || iterations == most_iterations))
			break;
		if (promised > 0 && move(pose, promised, &value))
			++iterations;
		else
			stale = true;
	}
	if (iterations == 0 && !drag->factored)
		return false;
	drag->age += iterations < most_iterations ? 1 : promised < 2 * enough * value ? slow_age : most_age;
	*report = (lm_pose_report){
		.iterations = iterations, .energy = value, .residual = largest(n, drag->g), .least_volume = drag->volume
	};
	report->converged = report->residual <= tolerance;
	return true;
}
