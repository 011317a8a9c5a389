// group_qp.c: a primal active-set method (Nocedal and Wright, Numerical Optimization, Sec. 16.5) for
// q(w) = 1/2 w^T G w - b^T w over w >= 0, sum over each group <= 1.
//
// The active set says which weights are held at 0 and which groups are full, held at a sum of 1. The others are free:
// in groups that are not full each for itself, in full ones against one reference weight r, the largest. With
// g = G w - b, a free direction of weight i has the slope g_i - g_r (g_r = 0 where the group is not full), and the
// Hessian of the free directions is
//     H_ij = G_ij - G_ir - G_sj + G_rs   (r and s the references of the groups of i and j, left out where not full).
// Each step goes to the minimum over the free directions, or to the first limit on the way, which becomes active. At
// the minimum the limit whose multiplier is most negative (g_i - g_r for weights at 0, -g_r for full groups) is
// released.
//
// G may be singular: 1e-13 of the diagonal is added, and the step repeated with the true gradient. A limit that is
// released and becomes active again without any step is not released again before w has moved, so that the method
// cannot cycle; a bound on the steps guards against rounding.
#include "solve/group_qp.h"

#include "solve/small_qp.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MAX LM_GROUP_QP_MAX
#define PROXIMAL 1e-13 // part of the diagonal added to it
#define SETTLED 1e-13  // steps below this, where weights are about 1, are none
#define STEEP 1e-12    // multipliers must be negative by this part of their terms to release a limit
#define REFINEMENTS 4  // repeated full steps within one active set

typedef struct problem
{
	int n, groups;
	const double *G, *b;
	const int32_t* start;
	double* w;
	double scale; // a power of two that brings the largest number of G and b to about 1
	int group[MAX];
	bool zero[MAX], full[MAX];                   // the active set: weights, groups
	bool stuck_weight[MAX], stuck_group[MAX];    // released without effect since w has last moved
	int reference[MAX];                          // of full groups
	double gradient[MAX], terms[MAX], step[MAX]; // g, what its rounding is relative to, the step
} problem;

static double group_sum(const problem* q, int g, const double* x)
{
	double sum = 0;
	for (int i = q->start[g]; i < q->start[g + 1]; ++i)
		sum += x[i];
	return sum;
}

static void start(problem* q)
{
	for (int g = 0; g < q->groups; ++g)
	{
		lm_group_nearest(q->start[g + 1] - q->start[g], q->w + q->start[g]);
		q->full[g] = group_sum(q, g, q->w) >= 1 - 4 * DBL_EPSILON;
		q->stuck_group[g] = false;
		for (int i = q->start[g]; i < q->start[g + 1]; ++i)
		{
			q->group[i] = g;
			q->zero[i] = q->w[i] <= 0;
			q->stuck_weight[i] = false;
		}
	}
}

static void update_gradient(problem* q)
{
	for (int i = 0; i < q->n; ++i)
	{
		double sum = -q->scale * q->b[i], terms = fabs(sum);
		for (int j = 0; j < q->n; ++j)
		{
			double part = q->scale * q->G[i * q->n + j] * q->w[j];
			sum += part, terms += fabs(part);
		}
		q->gradient[i] = sum, q->terms[i] = terms;
	}
}

static void choose_references(problem* q)
{
	for (int g = 0; g < q->groups; ++g)
	{
		q->reference[g] = -1;
		for (int i = q->start[g]; q->full[g] && i < q->start[g + 1]; ++i)
			if (!q->zero[i] && (q->reference[g] < 0 || q->w[i] > q->w[q->reference[g]]))
				q->reference[g] = i;
	}
}

static double reduced(const problem* q, int i, int j)
{
	int n = q->n, r = q->reference[q->group[i]], s = q->reference[q->group[j]];
	double value = q->G[i * n + j];
	if (r >= 0)
		value -= q->G[r * n + j];
	if (s >= 0)
		value -= q->G[i * n + s] - (r >= 0 ? q->G[r * n + s] : 0);
	return q->scale * value;
}

// L L^T = H over the free directions; pivots are kept above zero.
static void factorize(const problem* q, int count, const int* free, double* L)
{
	for (int row = 0; row < count; ++row)
		for (int column = 0; column <= row; ++column)
		{
			int i = free[row], j = free[column], r = q->reference[q->group[i]];
			double sum = reduced(q, i, j);
			double size = q->scale * (fabs(q->G[i * q->n + i]) + (r >= 0 ? fabs(q->G[r * q->n + r]) : 0)) + DBL_MIN;
			if (row == column)
				sum += PROXIMAL * size;
			for (int k = 0; k < column; ++k)
				sum -= L[row * MAX + k] * L[column * MAX + k];
			L[row * MAX + column] =
				row == column ? sqrt(fmax(sum, 0.1 * PROXIMAL * size)) : sum / L[column * MAX + column];
		}
}

// To the minimum over the free directions; returns the largest number of the step.
static double find_step(problem* q)
{
	double L[MAX * MAX], x[MAX], largest = 0;
	int free[MAX], count = 0;
	choose_references(q);
	memset(q->step, 0, sizeof q->step);
	for (int i = 0; i < q->n; ++i)
	{
		int r = q->reference[q->group[i]];
		if (q->zero[i] || i == r)
			continue;
		x[count] = (r >= 0 ? q->gradient[r] : 0) - q->gradient[i];
		free[count++] = i;
	}
	factorize(q, count, free, L);
	lm_small_qp_substitute(count, MAX, L, x);
	for (int k = 0; k < count; ++k)
	{
		int r = q->reference[q->group[free[k]]];
		q->step[free[k]] = x[k];
		if (r >= 0)
			q->step[r] -= x[k];
	}
	for (int i = 0; i < q->n; ++i)
		largest = fmax(largest, fabs(q->step[i]));
	return largest;
}

// Goes along the step up to the first limit, which becomes active. Returns whether there was none.
static bool advance(problem* q, double length)
{
	double t = 1;
	int weight = -1, group = -1;
	for (int i = 0; i < q->n; ++i)
		if (!q->zero[i] && q->step[i] < 0 && q->w[i] < -q->step[i] * t)
			t = q->w[i] / -q->step[i], weight = i;
	for (int g = 0; g < q->groups; ++g)
	{
		double rise = q->full[g] ? 0 : group_sum(q, g, q->step), room = 1 - group_sum(q, g, q->w);
		if (rise > 0 && room < rise * t)
			t = fmax(0, room / rise), weight = -1, group = g;
	}
	for (int i = 0; i < q->n; ++i)
		q->w[i] = fmin(1, fmax(0, q->w[i] + t * q->step[i]));
	if (t * length > SETTLED)
	{
		memset(q->stuck_weight, 0, sizeof q->stuck_weight);
		memset(q->stuck_group, 0, sizeof q->stuck_group);
	}
	if (weight >= 0)
		q->w[weight] = 0, q->zero[weight] = true, q->stuck_weight[weight] |= t * length <= SETTLED;
	else if (group >= 0)
		q->full[group] = true, q->stuck_group[group] |= t * length <= SETTLED;
	return weight < 0 && group < 0;
}

// Releases the limit with the most negative multiplier; false when there is none: w is optimal.
static bool release(problem* q)
{
	double most = 0;
	int weight = -1, group = -1;
	choose_references(q);
	for (int i = 0; i < q->n; ++i)
	{
		int r = q->reference[q->group[i]];
		double multiplier = q->gradient[i] - (r >= 0 ? q->gradient[r] : 0);
		double terms = q->terms[i] + (r >= 0 ? q->terms[r] : 0);
		if (q->zero[i] && !q->stuck_weight[i] && multiplier < -STEEP * terms && multiplier < most)
			most = multiplier, weight = i;
	}
	for (int g = 0; g < q->groups; ++g)
	{
		int r = q->reference[g];
		if (r >= 0 && !q->stuck_group[g] && -q->gradient[r] < -STEEP * q->terms[r] && -q->gradient[r] < most)
			most = -q->gradient[r], weight = -1, group = g;
	}
	if (weight >= 0)
		q->zero[weight] = false;
	else if (group >= 0)
		q->full[group] = false;
	return weight >= 0 || group >= 0;
}

int lm_group_qp(int n, const double* G, const double* b, int groups, const int32_t* group_start, double* w)
{
	problem q = { .n = n, .groups = groups, .G = G, .b = b, .start = group_start, .w = w };
	start(&q);
	if (!lm_small_qp_scale(q.n, q.G, q.b, &q.scale))
		return 0;
	const int budget = 40 * (n + 2);
	int steps = 0;
	do
	{
		int refinements = 0;
		for (; steps < budget && refinements < REFINEMENTS; ++steps)
		{
			update_gradient(&q);
			double length = find_step(&q);
			if (length <= SETTLED)
				break;
			refinements = advance(&q, length) ? refinements + 1 : 0;
		}
		update_gradient(&q);
	} while (steps < budget && release(&q));
	for (int g = 0; g < groups; ++g) // rounding may leave a sum a little above 1
		for (double sum = group_sum(&q, g, w); sum > 1; sum = group_sum(&q, g, w))
			for (int i = group_start[g]; i < group_start[g + 1]; ++i)
				w[i] *= (1 - DBL_EPSILON) / sum;
	return steps;
}

void lm_group_nearest(int n, double* w)
{
	// With a number above 1 the sum will be 1, and shifting all of them does not change the answer.
	double largest = 1;
	for (int i = 0; i < n; ++i)
		largest = isfinite(w[i]) ? fmax(largest, w[i]) : largest;
	for (int i = 0; i < n; ++i)
		w[i] = isfinite(w[i]) ? fmax(0, (w[i] - largest) + 1) : 0;
	// Michelot 1986: shift all positive ones so that they sum to 1, drop those that fall below 0, again
	for (;;)
	{
		double sum = 0;
		int positive = 0;
		for (int i = 0; i < n; ++i)
			sum += w[i], positive += w[i] > 0;
		if (sum <= 1)
			return;
		bool rounding = sum - 1 <= 4 * DBL_EPSILON * n;
		for (int i = 0; i < n; ++i)
			w[i] = rounding ? w[i] * ((1 - DBL_EPSILON) / sum) : fmax(0, w[i] - (sum - 1) / positive);
	}
}
