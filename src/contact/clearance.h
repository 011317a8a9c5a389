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
	int32_t triangle_count;
	const int32_t* triangles;
	bool ignore_self; // pairs of free vertices only are left out
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
} lm_close_pair;

// One order of pairs for qsort and bsearch; it is that of the pairs found.
int lm_close_pair_compare(const void* one, const void* two);

// Finds all pairs closer than reach at x, in an order that does not depend on threads; they stay until the next call.
// Only this call allocates, when there are more than ever before.
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

// Of the pairs found those closer than a smaller reach at x stay.
void lm_clearance_narrow(lm_clearance* clearance, const double* x, double reach);

// The largest fraction found, up to longest, for which no pair meets on the way from x to x + fraction displacement,
// and each keeps the share of its distance that the settings say. Stores the candidate pairs closer than reach on the
// way.
double lm_clearance_step(lm_clearance* clearance, const double* x, const double* displacement, double longest,
                         double reach, const lm_ccd_settings* settings, int threads);

// As lm_clearance_find, and quicker, for an x on the last path of lm_clearance_step, not behind its
// longest fraction, and its reach.
lm_status lm_clearance_find_on_path(lm_clearance* clearance, const double* x, int threads, lm_error* error);

// The smallest distance of any pair found at x; reach when there is none.
double lm_clearance_smallest(const lm_clearance* clearance, const double* x, double reach);

#endif
