// outline.h: what objects need to know about each other's surfaces before they look closer: how far a surface reaches
// in any direction, and points of it in a form that can be sifted quickly.
#ifndef LM_DESIGN_OUTLINE_H
#define LM_DESIGN_OUTLINE_H

#include "design/field.h"

#define LM_OUTLINE_CELLS 16 // along the edges of a cube of directions
#define LM_OUTLINE_SEEN 2   // voxels from the surface, within which a field knows every place

// Points of a surface: rows over the nodes, and where they are at rest, from the middle of the nodes.
typedef struct lm_design_outline_points
{
	const lm_design_rows* rows; // borrowed
	int32_t count, padded;      // padded to eights by copies of the first
	float *x, *y, *z;
	int32_t* home; // the node nearest to it at rest
} lm_design_outline_points;

typedef struct lm_design_outline
{
	const lm_design_model* model;
	const lm_design_field* field;
	float reach[6][LM_OUTLINE_CELLS][LM_OUTLINE_CELLS];
	// largest sum of |Phi| on the surface, and within LM_OUTLINE_SEEN of it: what strays from an affine map, strays no
	// more than this times as far as its nodes do
	double excess[2];
	lm_mat3 spread;                   // inverse of sum r r^T over the nodes, r from their middle
	double lonely;                    // largest distance of a vertex to the node nearest to it, at rest, own lengths
	lm_design_outline_points feelers; // that keep off others
	lm_design_outline_points skin;    // vertices, for the check
} lm_design_outline;

// Borrows all of them.
lm_status lm_design_outline_create(const lm_design_model* model, const lm_design_field* field,
                                   const lm_design_rows* feelers, const lm_host* host, lm_design_outline* outline,
                                   lm_error* error);
void lm_design_outline_release(lm_design_outline* outline, const lm_host* host);

// No less than max over the surface at rest of d . (x - middle), for any d.
double lm_design_outline_reach(const lm_design_outline* outline, lm_vec3 d);

// How an object stands at a moment, and what of it is certain without looking closer: every point of its surface is
// within `off` of A (x - middle) + c, and every place near the surface within `around`.
typedef struct lm_design_bounds
{
	lm_mat3 A, inverse; // to the world
	lm_vec3 c, low, high;
	double off, around;
	double grow, stretch; // no less than the norms of A and of its inverse, which is infinite when there is none
} lm_design_bounds;

// z: nodes in own coordinates, which begin at `center` and are `size` long.
void lm_design_bounds_find(const lm_design_outline* outline, const double* z, lm_vec3 center, double size,
                           lm_design_bounds* bounds);

// Whether the surfaces are certainly more than `margin` apart, as a plane across the line between their middles shows.
// *normal is that of the plane, from a to b; *begin where b begins along it, no later.
bool lm_design_bounds_apart(const lm_design_outline* of_a, const lm_design_bounds* a, const lm_design_outline* of_b,
                            const lm_design_bounds* b, double margin, lm_vec3* normal, double* begin);

// Pairs whose boxes come within `margin`, each once with the smaller index first, in ascending order: by sweeping along
// the axis in which the boxes are spread most. `order` has room for count indices. Returns how many there are; as many
// as `most` are written.
int64_t lm_design_bounds_pairs(const lm_design_bounds* bounds, int32_t count, double margin, int32_t* order,
                               int32_t (*pairs)[2], int64_t most);

#endif
