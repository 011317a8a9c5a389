// pose.h: a pose while it is being solved for: the problem of Eq. 14, shared with the benchmark's reference solver.
#ifndef LM_DESIGN_POSE_H
#define LM_DESIGN_POSE_H

#include "design/elastic.h"

typedef struct lm_pose_part
{
	int32_t first, count; // rows of the handle's points
	double weight;        // of each point
} lm_pose_part;

struct lm_pose
{
	lm_host host;
	const lm_design_model* model;
	lm_pose_settings settings;
	int32_t part_count;
	lm_pose_part* parts;
	lm_design_rows rows; // of all handles' points
	double* targets;     // own coordinates
	double* y;           // nodes, own coordinates
	double* anchor;      // where they were when the step began
	double* metres;      // the same as y
	double* work;
	lm_band matrix;
};

// Eq. 14 and a small pull to where the nodes were, which settles what no handle holds. gradient may be NULL.
double lm_pose_energy(const lm_pose* pose, const double* y, double* gradient);

#endif
