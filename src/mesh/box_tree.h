// box_tree.h: broad phase: a tree of moving bounding boxes that finds overlapping pairs (of points, edges, triangles,
// at a time or swept over a step).
//
// The shape of the tree is made once, by halving at the median along the longest side; afterwards only boxes are
// updated. Queries allocate nothing. Results come in an order that depends on the tree alone.
#ifndef LM_MESH_BOX_TREE_H
#define LM_MESH_BOX_TREE_H

#include "mesh/bvh.h"

typedef struct lm_box_tree
{
	lm_host host;
	int32_t count;
	int32_t* items; // in the order of the leaves
	lm_box* boxes;  // [2 leaves - 1] of the nodes, in depth-first order
	int32_t* skip;  // [nodes] index behind the last node below this one
	int32_t* first; // [nodes] first of its items
	int32_t* size;  // [nodes] how many items
	int32_t node_count;
} lm_box_tree;

// boxes: of the items at the time of creation.
lm_status lm_box_tree_create(const lm_box* boxes, int32_t count, const lm_host* host, lm_box_tree* tree,
                             lm_error* error);
void lm_box_tree_release(lm_box_tree* tree); // a zeroed tree is fine

void lm_box_tree_refit(lm_box_tree* tree, const lm_box* boxes);

// Calls visit for every pair of items, one of each tree, whose boxes in the arrays given (those of the last refit)
// overlap. With the same tree twice, for every pair once, and not for an item with itself. Parts 0 .. parts - 1
// together give all pairs, so that they can be visited on several threads; the parts do not depend on the number of
// threads.
typedef void lm_box_pair_fn(void* context, int32_t one, int32_t two);
void lm_box_tree_pairs(const lm_box_tree* one, const lm_box* boxes_one, const lm_box_tree* two, const lm_box* boxes_two,
                       int32_t part, int32_t parts, lm_box_pair_fn* visit, void* context);

#endif
