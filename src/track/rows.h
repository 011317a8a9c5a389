// rows.h: constraints as weighted averages of positions (Bergou et al. 2007, Eq. 5 to 8).
//
// Test functions f_i are given by their values S_ij at the vertices, linear between them. The average of positions
// under f_i is row i of C x with
//
//     C = S M,   M_jj = A_j / 6,   M_jk = A_jk / 12
//
// A_j the area of the triangles at vertex j, A_jk that of the triangles at edge jk, all undeformed. Departure: rows are
// divided by their sums on both meshes (Eq. 8 scales one to the other), so that a constraint C x = C' x' is a length.
#ifndef LM_TRACK_ROWS_H
#define LM_TRACK_ROWS_H

#include "limber/base.h"

// Sparse rows: row i has numbers value[start[i]] .. value[start[i + 1] - 1] at vertices index[...], ascending.
typedef struct lm_rows
{
	int32_t count;
	int64_t* start; // count + 1
	int32_t* index;
	double* value;
} lm_rows;

void lm_rows_release(lm_rows* rows, const lm_host* host); // zeroed rows are fine

// One test function per region: 1 at its vertices, 0 elsewhere. region: of each vertex, -1 for none.
lm_status lm_rows_of_regions(const int32_t* region, int32_t vertex_count, int32_t region_count, const lm_host* host,
                             lm_rows* S, lm_error* error);

// C = S M on a mesh, every row divided by its sum. LM_BAD_INPUT, with the row as element, when a test function is zero
// where there are triangles, or when its values are not finite.
lm_status lm_rows_average(const lm_rows* S, const double* undeformed, int32_t vertex_count, const int32_t* triangles,
                          int32_t triangle_count, const lm_host* host, lm_rows* C, lm_error* error);

// LM_BAD_INPUT, with the row as element, when a row depends on those before it: then constraints contradict or repeat
// each other. Up to some thousand rows.
lm_status lm_rows_check_independent(const lm_rows* C, int32_t vertex_count, const lm_host* host, lm_error* error);

// b = C x for x with three numbers per vertex.
void lm_rows_apply(const lm_rows* C, const double* x, double* b);

#endif
