// drag_metric.h: the metric of a drag (pose_drag.c): a second derivative A, factorised in floats, and L-BFGS on top of
// it (descent.h has the same in doubles, for metrics of any kind). A drag asks it for three directions per event, and
// they would cost more than the energies if they were as exact.
//
// Nodes are scaled so that the diagonal of A is about one, and a millionth or so is added to it: floats then factorise
// whatever handles weigh, and what only the small pull of pose.c holds.
#ifndef LM_DESIGN_DRAG_METRIC_H
#define LM_DESIGN_DRAG_METRIC_H

#include "design/elastic.h"

#define LM_DRAG_LANES 8
#define LM_DRAG_MEMORY 24 // steps

typedef struct lm_design_drag_metric lm_design_drag_metric;

// The loops, as this machine can do them best.
typedef struct lm_design_drag_kernels
{
	bool (*factorize)(lm_design_drag_metric* metric, const float* blocks);
	void (*direction)(lm_design_drag_metric* metric, const double* g, double* d);
	void (*remember)(lm_design_drag_metric* metric, double step, const double* d, const double* g, const double* next);
} lm_design_drag_kernels;

extern const lm_design_drag_kernels lm_design_drag_kernels_plain, lm_design_drag_kernels_avx2;

struct lm_design_drag_metric
{
	const lm_design_drag_kernels* kernels;
	int32_t nodes, n, padded; // n = 3 nodes, in eights
	float* panels;            // of eight columns, column by column, from the diagonal block down: A, then its factor
	float* inverse;           // [panel] of the diagonal blocks of the factor: its columns, then its rows
	float* scale;             // of the unknowns
	float *q, *x;             // scratch
	int count, first;         // steps remembered, the oldest at first
	float *s, *y;             // [memory x padded] steps, and changes of the gradient
	float rho[LM_DRAG_MEMORY];
};

bool lm_design_drag_metric_create(lm_design_drag_metric* metric, const lm_host* host, int32_t nodes);
void lm_design_drag_metric_release(lm_design_drag_metric* metric, const lm_host* host);

// Factorises A, in blocks as lm_design_elastic_blocks makes them; forgets all steps. False when it is not positive
// definite.
bool lm_design_drag_metric_factorize(lm_design_drag_metric* metric, const float* blocks);

// d: x - d is where to go with the gradient g.
static inline void lm_design_drag_metric_direction(lm_design_drag_metric* metric, const double* g, double* d)
{
	metric->kernels->direction(metric, g, d);
}

// Keeps the step x -> x - step d, from gradient g to next, when the energy curves upwards along it.
static inline void lm_design_drag_metric_remember(lm_design_drag_metric* metric, double step, const double* d,
                                                  const double* g, const double* next)
{
	metric->kernels->remember(metric, step, d, g, next);
}

// Panel p begins at row 8 p; all before it are longer by eight each.
static inline float* lm_design_drag_panel(const lm_design_drag_metric* m, int64_t p)
{
	return m->panels + LM_DRAG_LANES * p * (m->padded - LM_DRAG_LANES / 2 * (p - 1));
}

#endif
