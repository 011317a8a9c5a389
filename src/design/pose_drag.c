// pose_drag.c: the steps of a drag. From event to event the second derivative changes little, and most of a Newton step
// goes into it. So it is kept, factorised, for some events; L-BFGS (drag_metric.h) corrects it by what the steps since
// then showed, which stays true when handles move, for their targets do not enter the curvature. The elastic forces are
// known from the step before, so that an event takes one evaluation for each iteration, and two or three solves.
#include "design/pose.h"

#include "base/alloc.h"
#include "design/descent.h"

#include <string.h>

static const int32_t most_age = 16;       // events
static const int32_t slow_age = 4;        // that an event counts for which took all its iterations and is nearly there
static const int32_t most_iterations = 6; // per event
static const double enough = 3e-3;        // of the energy, that another iteration has to promise
static const double armijo = 1e-4, longest = 1;

bool lm_design_pose_drag_create(lm_design_pose* pose)
{
	size_t n = 3 * (size_t)pose->model->node_count;
	double* work = pose->drag_work = LM_NEW(&pose->host, 6 * n, double);
	lm_design_pose_drag* drag = &pose->drag;
	if (work == NULL)
		return false;
	drag->elastic = work, drag->next_elastic = work + n, drag->g = work + 2 * n, drag->next = work + 3 * n;
	drag->d = work + 4 * n, drag->trial = work + 5 * n;
	drag->blocks = LM_NEW(&pose->host, (size_t)LM_ELASTIC_BLOCK * (n / 3) * (n / 3 + 1) / 2, float);
	return drag->blocks != NULL && lm_design_drag_metric_create(&drag->metric, &pose->host, (int32_t)(n / 3));
}

static double largest(size_t n, const double* a)
{
	double most = 0;
	for (size_t i = 0; i < n; ++i)
		most = fabs(a[i]) > most || isnan(a[i]) ? fabs(a[i]) : most;
	return most;
}

static double evaluate(const lm_design_pose* pose, const double* y, double* elastic, double* g, double* energy,
                       double* volume)
{
	size_t bytes = 3 * (size_t)pose->model->node_count * sizeof(double);
	memset(elastic, 0, bytes);
	*energy = lm_design_elastic_and_volume(
		pose->model, (lm_design_stiffness){ pose->settings.strain, pose->settings.volume }, y, 1, elastic, volume);
	memcpy(g, elastic, bytes);
	return *energy + lm_design_pose_pulls(pose, y, g);
}

static void add_to_block(float* block, double value)
{
	block[0] += (float)value, block[5] += (float)value, block[10] += (float)value;
}

// What lm_design_pose_pulls adds to the second derivative.
static void add_pulls(const lm_design_pose* pose, float* blocks)
{
	const lm_design_rows* rows = &pose->rows;
	int32_t nodes = pose->model->node_count;
	for (int32_t h = 0; h < pose->part_count; ++h)
		for (int32_t p = pose->parts[h].first; p < pose->parts[h].first + pose->parts[h].count; ++p)
			for (int64_t b = rows->start[p]; b < rows->start[p + 1]; ++b)
				for (int64_t a = b; a < rows->start[p + 1]; ++a)
					add_to_block(blocks + LM_ELASTIC_BLOCK * lm_design_block(nodes, rows->node[b], rows->node[a]),
					             2 * pose->parts[h].weight * rows->phi[a] * rows->phi[b]);
	for (int32_t b = 0; b < nodes; ++b)
		add_to_block(blocks + LM_ELASTIC_BLOCK * lm_design_block(nodes, b, b), 2 * LM_POSE_ANCHOR);
}

static bool refresh(lm_design_pose* pose)
{
	lm_design_pose_drag* drag = &pose->drag;
	lm_design_stiffness stiffness = { pose->settings.strain, pose->settings.volume };
	drag->age = 0, drag->factored = false;
	for (int positive = 0; positive < 2 && !drag->factored; ++positive)
	{
		lm_design_elastic_blocks(pose->model, stiffness, pose->y, positive, drag->blocks);
		add_pulls(pose, drag->blocks);
		drag->factored = lm_design_drag_metric_factorize(&drag->metric, drag->blocks);
	}
	return drag->factored;
}

// Moves y to the trial.
static void take(lm_design_pose* pose, double step, double energy, double volume)
{
	lm_design_pose_drag* drag = &pose->drag;
	size_t n = 3 * (size_t)pose->model->node_count;
	lm_design_drag_metric_remember(&drag->metric, step, drag->d, drag->g, drag->next);
	memcpy(pose->y, drag->trial, n * sizeof(double));
	memcpy(drag->g, drag->next, n * sizeof(double));
	memcpy(drag->elastic, drag->next_elastic, n * sizeof(double));
	drag->energy = energy, drag->volume = volume;
}

// Backtracking line search along -d, beginning with `step`; false when no step decreases the energy. *best: the step
// that a parabola through the values would take.
static bool move(lm_design_pose* pose, double slope, double step, double* value, double* best)
{
	lm_design_pose_drag* drag = &pose->drag;
	size_t n = 3 * (size_t)pose->model->node_count;
	double size = largest(n, drag->d);
	step = fmin(step, size > longest ? longest / size : 1);
	for (int round = 0; round < 12; ++round)
	{
		double energy, volume;
		for (size_t i = 0; i < n; ++i)
			drag->trial[i] = pose->y[i] - step * drag->d[i];
		double next = evaluate(pose, drag->trial, drag->next_elastic, drag->next, &energy, &volume);
		double curve = 2 * (next - *value + slope * step); // of the parabola through what is known
		*best = !isfinite(next) ? 0 : curve > slope * step * step ? slope * step * step / curve : 1;
		if (isfinite(next) && next <= *value - armijo * step * slope)
		{
			take(pose, step, energy, volume);
			*value = next;
			return true;
		}
		step = fmax(0.1 * step, fmin(0.5 * step, *best));
	}
	return false;
}

static double start(lm_design_pose* pose)
{
	lm_design_pose_drag* drag = &pose->drag;
	size_t bytes = 3 * (size_t)pose->model->node_count * sizeof(double);
	if (!drag->known)
		return evaluate(pose, pose->y, drag->elastic, drag->g, &drag->energy, &drag->volume);
	memcpy(drag->g, drag->elastic, bytes);
	return drag->energy + lm_design_pose_pulls(pose, pose->y, drag->g);
}

bool lm_design_pose_drag_step(lm_design_pose* pose, lm_design_pose_report* report)
{
	lm_design_pose_drag* drag = &pose->drag;
	size_t n = 3 * (size_t)pose->model->node_count;
	double value = start(pose), tolerance = pose->settings.tolerance * pose->settings.strain;
	if (!isfinite(value) || !isfinite(largest(n, drag->g)))
		return false;
	drag->known = true;
	bool stale = !drag->factored || drag->age >= most_age;
	drag->pace = drag->factored ? drag->pace : 0.5;
	int32_t iterations = 0, refreshes = 0;
	double promised = 0, pace = 1, best = 1;
	while (largest(n, drag->g) > tolerance)
	{
		if (stale && (refreshes++ > 0 || !refresh(pose)))
		{
			drag->factored = false;
			break;
		}
		stale = false;
		lm_design_drag_metric_direction(&drag->metric, drag->g, drag->d);
		promised = lm_design_descent_dot((int64_t)n, drag->g, drag->d);
		pace = iterations > 0 ? drag->pace : 1;
		if (iterations > 0 && ((promised >= 0 && pace * promised < enough * value) || iterations == most_iterations))
			break;
		if (promised > 0 && move(pose, promised, pace, &value, &best))
		{
			if (iterations++ > 0)
				drag->pace = fmin(fmax(0.5 * (drag->pace + best), 0.1), 1);
		}
		else
			stale = true;
	}
	if (iterations == 0 && !drag->factored)
		return false;
	drag->age += iterations < most_iterations ? 1 : pace * promised < 2 * enough * value ? slow_age : most_age;
	*report = (lm_design_pose_report){
		.iterations = iterations, .energy = value, .residual = largest(n, drag->g), .least_volume = drag->volume
	};
	report->converged = report->residual <= tolerance;
	return true;
}
