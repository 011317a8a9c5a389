// rest.h: rest shapes as linear functions of parameters, X(p) = X_0 + L p, and where p may go (Sec. 4.1 and 5).
#ifndef LM_ACT_REST_H
#define LM_ACT_REST_H

#include "elastic/elastic.h"
#include "limber/act.h"

typedef struct lm_act_rest
{
	lm_act_control control;
	lm_simd simd;          // the host's
	int32_t parameters;    // numbers in p; 0 when passive
	int32_t rest_unknowns; // numbers in X
	double* X0;            // [rest_unknowns]
	double* measured;      // what the regulariser needs of X0 (lm_elastic_measure_rest)
	double* L;             // [rest_unknowns x parameters], row by row; NULL for full control, where L is the identity
	double* weights;       // cages: [vertices x cage vertices]; L is this with every number times the identity
	// Examples: parameters group_start[g] .. group_start[g + 1] - 1 (in the order of `order`) are >= 0 with a sum <= 1.
	int32_t group_count;
	int32_t* group_start;
	int32_t* order; // example of each parameter, so that a group's parameters lie together
	lm_mesh* cage;
} lm_act_rest;

// elastic: of the body, incompatible for examples.
lm_status lm_act_rest_create(const lm_act_def* def, const lm_elastic* elastic, const lm_host* host, lm_act_rest* rest,
                             lm_error* error);
void lm_act_rest_release(lm_act_rest* rest, const lm_host* host);

// X = X_0 + L p
void lm_act_rest_shape(const lm_act_rest* rest, const double* p, double* X);

// X = L p, without X_0.
void lm_act_rest_change(const lm_act_rest* rest, const double* p, double* X);

// b = L^T a: what is a derivative by X becomes one by p.
void lm_act_rest_pull(const lm_act_rest* rest, const double* a, double* b);

// C += L^T S L for a symmetric S in the pattern of the rest shape. work: lm_act_rest_reduce_work numbers.
int64_t lm_act_rest_reduce_work(const lm_act_rest* rest);
void lm_act_rest_reduce(const lm_act_rest* rest, const lm_elastic* elastic, const double* S, double* work, double* C);

// The closest allowed p to the wanted one: convex parameters are brought into their range, numbers that are not finite
// become 0.
void lm_act_rest_limit(const lm_act_rest* rest, const double* wanted, double* p);

// How far the rest shape has shrunk: the smallest length, area or volume of its elements relative to X_0, and of shells
// also the triangles, whose collapse no length shows.
double lm_act_rest_smallest(const lm_act_rest* rest, const lm_elastic* elastic, const lm_mesh* mesh, const double* X);

// ---- the parts, each of which fills L (and what belongs to it) of a rest that has X0

lm_status lm_act_rest_add_cage(const lm_act_def* def, const lm_elastic_view* view, const lm_host* host,
                               lm_act_rest* rest, lm_error* error);
lm_status lm_act_rest_add_examples(const lm_act_def* def, const lm_elastic_view* view, const lm_host* host,
                                   lm_act_rest* rest, lm_error* error);

#endif
