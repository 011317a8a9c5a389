// tangle.h: what crosses at the start comes free.
//
// At the start of every step the triangles that cross are found (exactly), and with them the vertices within two edges:
// pairs among these alone neither repel nor stop each other. Where an edge pierces a triangle, both are moved apart in
// the direction in which the curve of intersection becomes shorter (Volino and Magnenat-Thalmann 2006, Resolving
// Surface Collisions through Intersection Contour Minimization): for an edge of direction E, a triangle of normal N and
// the curve of intersection leaving the edge in directions R_k within its faces, a displacement d of the edge changes
// the curve's length by
//
//     -sum_k (R_k - (E . R_k) / (E . N) N) . d
//
// Nothing is let through once nothing crosses any more.
#ifndef LM_TRACK_TANGLE_H
#define LM_TRACK_TANGLE_H

#include "limber/mesh.h"
#include "mesh/bvh.h"
#include "mesh/intersect.h"
#include "mesh/topology.h"

typedef struct lm_tangle
{
	lm_host host;
	int32_t vertex_count;     // of all, obstacles too
	const int32_t* triangles; // borrowed
	lm_bvh tree;              // of the cloth alone
	lm_adjacency neighbours;  // of the cloth's vertices
	int64_t count, capacity;  // pairs that cross, and how many are remembered
	lm_triangle_pair* pairs;
	bool* marked;    // [vertex_count] pairs among these are let through
	double* moves;   // [3 vertex_count]
	double* weights; // [vertex_count]
} lm_tangle;

// NULL in *tangle when nothing crosses at x.
lm_status lm_tangle_create(const lm_mesh* cloth, int32_t vertex_count, const double* x, const lm_host* host,
                           lm_tangle** tangle, lm_error* error);
void lm_tangle_destroy(lm_tangle* tangle);

// Finds what crosses at x, and marks it.
void lm_tangle_find(lm_tangle* tangle, const double* x);

// Adds to y the ways on which what crosses comes apart, at most `step` metres for each vertex.
void lm_tangle_part(lm_tangle* tangle, const double* x, double step, double* y);

#endif
