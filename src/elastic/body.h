// body.h: the inside of lm_elastic, shared by the files that build and evaluate it.
#ifndef LM_ELASTIC_BODY_H
#define LM_ELASTIC_BODY_H

#include "elastic/elastic.h"
#include "elastic/terms.h"

#define LM_BODY_SETS 2     // a potential has at most two kinds of terms
#define LM_BODY_GRAIN 2048 // terms per chunk of a parallel loop: a fraction of a millisecond, against waking threads

struct lm_elastic
{
	lm_host host;
	lm_elastic_kind kind;
	bool incompatible;
	int32_t vertex_count;
	lm_term_set sets[LM_BODY_SETS];
	int set_count;
	lm_pattern *pattern, *own_rest_pattern; // the latter NULL when compatible
	int32_t rest_slots, rest_element_count;
	int32_t *rest_starts, *rest_vertices; // NULL when compatible
	double* shares;
	double* partials; // energies per chunk
};

// One file per potential: each fills the sets (but for colours), the rest elements and the shares of a body
// whose other fields are set. On failure the caller releases what is there.
lm_status lm_potential_curve(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error);
lm_status lm_potential_shell(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error);
lm_status lm_potential_solid2(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error);
lm_status lm_potential_solid3(const lm_elastic_shape* shape, lm_elastic* body, lm_error* error);

// ---- help for them

// Room for `elements` rest elements with `slots` slots in all; nothing when the body is compatible.
lm_status lm_body_add_rest(lm_elastic* body, int32_t elements, int64_t slots, lm_error* error);

// Corner i of element e in the initial shape, `dimension` numbers.
static inline const double* lm_shape_corner(const lm_elastic_shape* shape, int64_t e, int i)
{
	int corners = lm_elastic_corners(shape->kind);
	return shape->positions + (int64_t)shape->elements[e * corners + i] * lm_elastic_dimension(shape->kind);
}

// Squared distance of two points.
static inline double lm_shape_distance2(int dimension, const double* a, const double* b)
{
	double sum = 0;
	for (int i = 0; i < dimension; ++i)
		sum += (b[i] - a[i]) * (b[i] - a[i]);
	return sum;
}

// Length, area or volume of an element of the initial shape: signed for solids.
double lm_shape_measure(const lm_elastic_shape* shape, int64_t element);

// An edge of a triangle or tetrahedron of the mesh.
typedef struct lm_shape_edge
{
	int32_t low, high; // its ends, low < high
	int32_t element;
	int32_t opposite; // of a triangle: its third corner
} lm_shape_edge;

// All edges of all elements, those with equal ends side by side, in the order of their elements. Free with lm_free.
lm_shape_edge* lm_shape_edges(const lm_elastic_shape* shape, const lm_host* host, int64_t* count);

// The end of the run of edges with the same ends that begins at `begin`.
int64_t lm_shape_edge_run(const lm_shape_edge* edges, int64_t count, int64_t begin);

#endif
