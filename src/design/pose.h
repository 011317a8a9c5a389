// pose.h: a pose while it is being solved for: the problem of Eq. 14, shared with the benchmark's reference solver.
#ifndef LM_DESIGN_POSE_H
#define LM_DESIGN_POSE_H

#include "design/drag_metric.h"
#include "design/elastic.h"

typedef struct lm_design_pose_part
{
	int32_t first, count; // rows of the handle's points
	double weight;        // of each point
} lm_design_pose_part;

// What a drag keeps from step to step.
typedef struct lm_design_pose_drag
{
	bool known;    // elastic, energy and volume are those of y
	bool factored; // the metric is the second derivative of a pose not long ago
	int32_t age;   // steps since then
	double pace;   // how much of a step after an event's first one is best
	double energy, volume;
	double *elastic, *next_elastic; // gradients without handles
	double *g, *next, *d, *trial;
	lm_design_drag_metric metric;
	float* blocks; // the second derivative
} lm_design_pose_drag;

struct lm_design_pose
{
	lm_host host;
	const lm_design_model* model;
	lm_design_pose_settings settings;
	int32_t part_count;
	lm_design_pose_part* parts;
	lm_design_rows rows; // of all handles' points
	double* targets;     // own coordinates
	double* y;           // nodes, own coordinates
	double* anchor;      // where they were when the step began
	double* metres;      // the same as y
	double* work;
	lm_design_band matrix;
	lm_design_pose_drag drag;
	double* drag_work;
};

// ---- pose_drag.c ----
bool lm_design_pose_drag_create(lm_design_pose* pose);
// A step of a drag: improves y. False when it cannot: then nothing has changed.
bool lm_design_pose_drag_step(lm_design_pose* pose, lm_design_pose_report* report);

#define LM_POSE_ANCHOR 1e-6 // weight of the pull to where nodes were

// ---- pose.c ----
// The handles' part of the energy and the small pull; gradient (may be NULL) is added to.
double lm_design_pose_pulls(const lm_design_pose* pose, const double* y, double* gradient);
// Factorises the second derivative at y plus a shift, or one that is never negative.
bool lm_design_pose_factorize(lm_design_pose* pose, const double* y, double shift);

// Eq. 14 and a small pull to where the nodes were, which settles what no handle holds. gradient may be NULL.
double lm_design_pose_energy(const lm_design_pose* pose, const double* y, double* gradient);

#endif
