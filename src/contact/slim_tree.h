// slim_tree.h: a tree of boxes in single precision over the elements of a body that moves in every step.
//
// The boxes are those of rows of four floats, relative to an origin near the body, so that four numbers are compared at
// once and fitting them anew is little work. They are for passing over what is far: queries are widened by all that
// single precision may have lost, and what they visit has to be looked at in double precision.
#ifndef LM_CONTACT_SLIM_TREE_H
#define LM_CONTACT_SLIM_TREE_H

#include "mesh/bvh.h"

typedef struct lm_slim_box
{
	float low[4], high[4]; // the fourth of no meaning
} lm_slim_box;

typedef struct lm_slim_tree
{
	lm_bvh shape;       // its boxes are those of the start
	lm_slim_box* boxes; // of its nodes
	int32_t* vertices;  // of the leaves, each once for a leaf
	int32_t* starts;    // of each node in vertices, and the end
	const float* rows;  // borrowed: x y z and one unused, of each vertex
	double extent;      // no coordinate is larger
} lm_slim_tree;

// rows must outlive the tree.
lm_status lm_slim_tree_create(const int32_t* elements, int32_t count, int corners, const double* positions,
                              const float* rows, const lm_host* host, lm_slim_tree* result, lm_error* error);
void lm_slim_tree_release(lm_slim_tree* tree); // a zeroed one is fine

// Boxes for the rows as they are now.
void lm_slim_tree_fit(lm_slim_tree* tree);

// As lm_bvh_overlaps, with the box that reaches so far from a point, in the frame of the rows; a few elements more.
bool lm_slim_tree_visit(const lm_slim_tree* tree, lm_vec3 point, double reach, lm_bvh_visit_fn* visit, void* context);

#endif
