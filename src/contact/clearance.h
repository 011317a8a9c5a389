// clearance.h: keeps a surface clear of itself and of obstacles, for good: the barrier of all pairs that are close, and
// how far all vertices may move along their displacements.
//
// Surface and obstacles are one list of vertices with triangles between them. The first `free` vertices can move by
// themselves, the others are carried along (obstacles, and what is held). Pairs of which nothing is free are left out,
// and so are pairs with a common vertex.
#ifndef LM_CONTACT_CLEARANCE_H
#define LM_CONTACT_CLEARANCE_H

#include "contact/barrier.h"
#include "contact/ccd.h"
#include "limber/base.h"

typedef struct lm_clearance lm_clearance;

typedef struct lm_clearance_shape
{
	int32_t vertex_count;
	int32_t free;
	const double* rest; // vertex_count x 3: undeformed shape, for the fading of parallel edges
	// Pairs of free vertices of one body that are nearer than reach in it touch from that distance on.
	bool rests_apart;
	int32_t triangle_count;
	const int32_t* triangles;
	bool ignore_self; // pairs of free vertices only are left out
	// Bodies that do not touch: of each vertex, and [body_count x body_count] of these; NULL: all touch.
	int32_t body_count;
	const int32_t* bodies;
	const bool* apart;
} lm_clearance_shape;

// Copies what it needs. Indices must be in range.
lm_status lm_clearance_create(const lm_clearance_shape* shape, const lm_host* host, lm_clearance** clearance,
                              lm_error* error);
void lm_clearance_destroy(lm_clearance* clearance);

// A pair that is close: vertices in the order of lm_barrier_energy.
typedef struct lm_close_pair
{
	lm_barrier_kind kind;
	int32_t v[4];
	double fade;
	double rest; // distance in the undeformed shape; INFINITY where that does not count
} lm_close_pair;

// What lies nearer than reach in the undeformed shape is without force there: narrow triangles, lips and eyelids. It
// touches from that distance on, but not below this share of reach, so that what lies on each other comes apart.
#define LM_CLEARANCE_LEAST 0.1

static inline double lm_close_pair_reach(const lm_close_pair* pair, double reach)
{
	double least = LM_CLEARANCE_LEAST * reach;
	return pair->rest >= reach ? reach : pair->rest > least ? pair->rest : least;
}

// An order of pairs for qsort and bsearch.
int lm_close_pair_compare(const void* one, const void* two);

// Finds all pairs closer than reach (lm_close_pair_reach) at x, in an order that depends neither on threads nor on
// earlier searches; they stay until the next call. Quick where the candidates of an earlier step suffice. Allocates
// only when there are more than ever before.
lm_status lm_clearance_find(lm_clearance* clearance, const double* x, double reach, int threads, lm_error* error);
int32_t lm_clearance_pair_count(const lm_clearance* clearance);
const lm_close_pair* lm_clearance_pairs(const lm_clearance* clearance);

// Sum of the barriers of the pairs found, at x: a pair beyond reach has none, and pairs that came into reach since are
// not there, so x must not be farther from where they were found than the caller searched. INFINITY when something
// touches. stiffness multiplies everything.
double lm_clearance_energy(const lm_clearance* clearance, const double* x, double reach, double stiffness, int threads);
// Adds the gradient, vertex_count x 3 numbers (those of vertices that are not free too: the force on what holds them),
// and fills the Hessians, 12 x 12 each, one after another; locals NULL: the gradient only.
void lm_clearance_derivatives(const lm_clearance* clearance, const double* x, double reach, double stiffness,
                              int threads, double* gradient, double* locals);

// The largest fraction found, up to longest, for which no pair meets on the way from x to x + fraction displacement,
// and each keeps the share of its distance that the settings say. Candidates are searched for along the displacement,
// unless those of an earlier search suffice; they serve as long as nothing leaves that path by more than slack, in
// metres.
lm_status lm_clearance_step(lm_clearance* clearance, const double* x, const double* displacement, double longest,
                            double reach, double slack, const lm_ccd_settings* settings, int threads, double* fraction,
                            lm_error* error);

// Pairs whose vertices are all marked are let through from now on: they neither repel nor stop each other. marked:
// vertex_count, borrowed; to be called again when marks have changed. NULL: none are.
void lm_clearance_let_through(lm_clearance* clearance, const bool* marked);

// How often candidates have been searched for.
int64_t lm_clearance_searches(const lm_clearance* clearance);

// The smallest distance of any pair found at x; reach when there is none.
double lm_clearance_smallest(const lm_clearance* clearance, const double* x, double reach);

#endif
