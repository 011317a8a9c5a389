// barrier.h: a potential that keeps surfaces apart (M. Li et al., Incremental Potential Contact, 2020), on unsquared
// distances:
//
//     b(D) = -(D - d)^2 ln(D / d)   for D < d, else 0
//
// times, for two edges, a mollifier that fades the pair out where they become parallel and the distance has a kink:
//
//     m(c) = c / e (2 - c / e)      for c = |e1 x e2|^2 < e, else 1,   e = 1e-3 |E1|^2 |E2|^2 with edges at rest
#ifndef LM_CONTACT_BARRIER_H
#define LM_CONTACT_BARRIER_H

#include "contact/gap.h"

typedef enum lm_barrier_kind
{
	LM_BARRIER_POINT_TRIANGLE, // x[0] and the triangle x[1] x[2] x[3]
	LM_BARRIER_EDGE_EDGE       // x[0] x[1] and x[2] x[3]
} lm_barrier_kind;

static inline lm_gap lm_barrier_gap(lm_barrier_kind kind, const lm_vec3 x[4])
{
	return kind == LM_BARRIER_EDGE_EDGE ? lm_gap_edge_edge(x) : lm_gap_point_triangle(x);
}

typedef struct lm_barrier_pair
{
	lm_barrier_kind kind;
	double reach; // d: nothing acts beyond
	double fade;  // e of edges: lm_barrier_fade
} lm_barrier_pair;

static inline double lm_barrier_fade(lm_vec3 E1, lm_vec3 E2)
{
	return 1e-3 * lm_dot(E1, E1) * lm_dot(E2, E2);
}

// b and its derivatives by D; first and second may be NULL. INFINITY for D <= 0.
double lm_barrier_value(double D, double d, double* first, double* second);

// The energy of a pair; gradient (12) and Hessian (12 x 12, row by row) are written when not NULL. INFINITY, and
// derivatives zero, when the two touch. The Hessian is exact, not made positive.
double lm_barrier_energy(const lm_barrier_pair* pair, const lm_vec3 x[4], double* gradient, double* hessian);

#endif
