// simplex_qp.c: a primal active-set method in the manner of Wolfe's nearest point ("Finding the nearest point in a
// polytope", 1976), for q(w) = 1/2 w^T G w - b^T w on the simplex w >= 0, sum w <= 1.
//
// The inequality sum w <= 1 becomes an equality with one more vertex, the slack, whose row of G and entry of b are 0.
// The method keeps a set S of vertices with positive weights. With g = G w - b, w is optimal when g_i is the same for
// all i in S and not smaller outside.
//   inner loop: go to the minimum of q over the affine hull of S; where the way leaves the simplex, stop at its
//               boundary and drop the vertices that have lost their weight.
//   outer loop: let the vertex in whose direction q falls most steeply enter S, until there is none.
// q falls at every step, so no S comes twice and the method ends. A bound on the steps guards against rounding.
//
// Departures from Wolfe. The hull of S is described by the differences to one reference vertex r in S, the one with the
// smallest G_rr, so that large vertices do not dominate small ones:
//   H_ij = G_ij - G_ir - G_rj + G_rr   for i, j in S other than r;   H p = -(g_i - g_r),   p_r = -sum p.
// G may be singular: 1e-13 G_ii is added to H_ii. The step is repeated with the true gradient (a proximal point
// iteration), so the minimum stays the same. Vertices whose rows of G vanish differ only in their linear
// term: only the best of them can have weight, and the others are left out.
#include "solve/simplex_qp.h"

#include "solve/small_qp.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define MAX_VERTICES (LM_SIMPLEX_MAX + 1) // with the slack, which has index n
#define FLAT 1e-200                       // a diagonal entry below this part of the largest number is zero
#define PROXIMAL 1e-13                    // part of G_ii added to the diagonal
#define SETTLED 1e-14                     // gradients inside S that differ by less than this part of their terms agree
#define STEEP 1e-13                       // and a vertex outside must be better by this part to enter
#define MAX_REFINEMENTS 4                 // repeated full steps within one S

typedef struct problem
{
	int n;
	const double* G;
	const double* b;
	double scale; // a power of two that brings the largest number of G and b to about 1

	int size;              // of S
	int set[MAX_VERTICES]; // S
	double weight[MAX_VERTICES];
	bool inside[MAX_VERTICES];     // in S
	bool excluded[MAX_VERTICES];   // flat, and not the best of the flat ones
	bool rejected[MAX_VERTICES];   // entered and left without any step: not again before w has moved
	double gradient[MAX_VERTICES]; // g
	double terms[MAX_VERTICES];    // sum |G_ik| w_k + |b_i|: what rounding of g is relative to
} problem;

static double matrix(const problem* q, int i, int j)
{
	return i == q->n || j == q->n ? 0 : q->scale * q->G[i * q->n + j];
}

static double linear(const problem* q, int i)
{
	return i == q->n ? 0 : q->scale * q->b[i];
}

static void enter(problem* q, int vertex, double weight)
{
	q->set[q->size++] = vertex;
	q->weight[vertex] = weight;
	q->inside[vertex] = true;
}

// S = the best of the flat vertices, among which the slack.
static void start(problem* q)
{
	int best = q->n;
	for (int i = 0; i < q->n; ++i)
	{
		q->excluded[i] = matrix(q, i, i) <= FLAT;
		if (q->excluded[i] && linear(q, i) > linear(q, best))
			best = i;
		q->inside[i] = q->rejected[i] = false;
	}
	q->inside[q->n] = q->rejected[q->n] = false;
	q->excluded[q->n] = true;
	q->excluded[best] = false;
	q->size = 0;
	enter(q, best, 1);
}

static void update_gradient(problem* q)
{
	for (int i = 0; i <= q->n; ++i)
	{
		double sum = -linear(q, i), terms = fabs(linear(q, i));
		for (int k = 0; k < q->size; ++k)
		{
			double part = matrix(q, i, q->set[k]) * q->weight[q->set[k]];
			sum += part;
			terms += fabs(part);
		}
		q->gradient[i] = sum;
		q->terms[i] = terms;
	}
}

// The place in the set of the member with the smallest G_ii.
static int reference_of(const problem* q)
{
	int r = 0;
	for (int k = 1; k < q->size; ++k)
		if (matrix(q, q->set[k], q->set[k]) < matrix(q, q->set[r], q->set[r]))
			r = k;
	return r;
}

// The step p (by place in the set) to the minimum of q over the affine hull of S.
static void newton_step(const problem* q, double* p)
{
	double L[MAX_VERTICES * MAX_VERTICES], x[MAX_VERTICES];
	int others[MAX_VERTICES], count = 0, place = reference_of(q), r = q->set[place];
	for (int k = 0; k < q->size; ++k)
		if (k != place)
			others[count++] = k;

	double Grr = matrix(q, r, r);
	for (int row = 0; row < count; ++row)
	{
		int i = q->set[others[row]];
		double Gii = matrix(q, i, i), Gir = matrix(q, i, r);
		for (int column = 0; column <= row; ++column)
		{
			int j = q->set[others[column]];
			double sum = (matrix(q, i, j) - Gir) - (matrix(q, r, j) - Grr);
			if (row == column)
				sum += PROXIMAL * Gii;
			for (int k = 0; k < column; ++k)
				sum -= L[row * MAX_VERTICES + k] * L[column * MAX_VERTICES + k];
			// Rounding, or a G that is not quite semidefinite, must not make a pivot vanish.
			L[row * MAX_VERTICES + column] =
				row == column ? sqrt(fmax(sum, 0.1 * PROXIMAL * Gii)) : sum / L[column * MAX_VERTICES + column];
		}
		x[row] = q->gradient[r] - q->gradient[i];
	}
	lm_small_qp_substitute(count, MAX_VERTICES, L, x);

	p[place] = 0;
	for (int row = 0; row < count; ++row)
	{
		p[others[row]] = x[row];
		p[place] -= x[row];
	}
}

// Goes along p, at most a full step, and drops vertices whose weight becomes 0. Returns whether S is still the same.
static bool advance(problem* q, const double* p)
{
	double t = 1, longest = 0;
	for (int k = 0; k < q->size; ++k)
	{
		longest = fmax(longest, fabs(p[k]));
		if (p[k] < 0)
			t = fmin(t, q->weight[q->set[k]] / -p[k]);
	}
	int kept = 0, before = q->size;
	for (int k = 0; k < before; ++k)
	{
		int i = q->set[k];
		bool lost = p[k] < 0 && q->weight[i] / -p[k] <= t;
		q->weight[i] = lost ? 0 : fmin(1, fmax(0, q->weight[i] + t * p[k]));
		q->inside[i] = !lost;
		q->rejected[i] = lost && t == 0;
		if (!lost)
			q->set[kept++] = i;
	}
	q->size = kept;
	if (t * longest > SETTLED)
		for (int i = 0; i <= q->n; ++i)
			q->rejected[i] = false;
	return kept == before;
}

// Whether the gradient is the same over S.
static bool settled(const problem* q)
{
	int r = q->set[reference_of(q)];
	for (int k = 0; k < q->size; ++k)
	{
		int i = q->set[k];
		if (fabs(q->gradient[i] - q->gradient[r]) > SETTLED * (q->terms[i] + q->terms[r]))
			return false;
	}
	return true;
}

// To the minimum over the affine hull of S, or of what is left of S. Leaves the gradient there.
static int settle(problem* q, int budget)
{
	double p[MAX_VERTICES];
	int steps = 0, refinements = 0;
	update_gradient(q);
	while (steps < budget && refinements < MAX_REFINEMENTS && !settled(q))
	{
		newton_step(q, p);
		refinements = advance(q, p) ? refinements + 1 : 0;
		update_gradient(q);
		++steps;
	}
	return steps;
}

// The vertex with the largest predicted decrease of q, (g_i - g_S)^2 / 2 G_ii; -1 when w is optimal.
static int steepest(const problem* q)
{
	double level = 0, terms = 0; // the gradient over S
	for (int k = 0; k < q->size; ++k)
	{
		int i = q->set[k];
		level += q->weight[i] * q->gradient[i];
		terms += q->weight[i] * q->terms[i];
	}
	int best = -1;
	double most = 0;
	for (int i = 0; i <= q->n; ++i)
	{
		double fall = level - q->gradient[i];
		if (q->inside[i] || q->excluded[i] || q->rejected[i] || fall <= STEEP * (terms + q->terms[i]))
			continue;
		double decrease = fall * fall / fmax(matrix(q, i, i), FLAT);
		if (decrease > most)
			most = decrease, best = i;
	}
	return best;
}

// Rounding may leave the sum a little above 1.
static void write_weights(const problem* q, double* w)
{
	double sum = 0;
	for (int i = 0; i < q->n; ++i)
		sum += w[i] = q->inside[i] ? q->weight[i] : 0;
	while (sum > 1)
	{
		double shrink = (1 - DBL_EPSILON) / sum;
		sum = 0;
		for (int i = 0; i < q->n; ++i)
			sum += w[i] *= shrink;
	}
}

// One vertex and the origin: a segment.
static int solve_segment(double G, double b, double* w)
{
	*w = !isfinite(G) || !isfinite(b) || !(b > 0) ? 0 : b < G ? b / G : 1;
	return 1;
}

int lm_simplex_qp(int n, const double* G, const double* b, double* w)
{
	if (n == 1)
		return solve_segment(G[0], b[0], w);
	problem q;
	q.n = n, q.G = G, q.b = b;
	if (!lm_small_qp_scale(q.n, q.G, q.b, &q.scale))
	{
		for (int i = 0; i < n; ++i)
			w[i] = 0;
		return 0;
	}
	start(&q);
	const int budget = 20 * (n + 2);
	int steps = settle(&q, budget);
	for (int vertex; steps < budget && (vertex = steepest(&q)) >= 0;)
	{
		enter(&q, vertex, 0);
		steps += 1 + settle(&q, budget - steps);
	}
	write_weights(&q, w);
	return steps;
}
