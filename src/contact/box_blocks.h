// box_blocks.h: broad phase in single precision: moving boxes, eight to a block, and a binary tree over the blocks.
//
// The order of the items is made once, by halving at the median; afterwards only boxes change. Boxes are rounded
// outwards, so that none that overlap are lost, and kernels only compare: all machines find the same pairs, in the same
// order. That order is one of all pairs, whatever the boxes: the pairs found are always in it.
#ifndef LM_CONTACT_BOX_BLOCKS_H
#define LM_CONTACT_BOX_BLOCKS_H

#include "mesh/bvh.h"

#define LM_BLOCK 8 // boxes

typedef struct lm_block_node
{
	float low[3], high[3];
	float unused[2];
} lm_block_node;

typedef struct lm_box_blocks
{
	lm_host host;
	int32_t count, blocks;
	int32_t leaves;       // a power of two, not below blocks
	int32_t* items;       // [count] number of the item at each place
	float* sides[6];      // [8 blocks] low x, y, z, high x, y, z of the box at each place
	lm_block_node* nodes; // [2 leaves] node i has the children 2 i and 2 i + 1; leaf k is block k
} lm_box_blocks;

// Of the items numbered in `items`; boxes: by number, near each other when they shall share a block.
lm_status lm_box_blocks_create(const int32_t* items, int32_t count, const lm_box* boxes, const lm_host* host,
                               lm_box_blocks* result, lm_error* error);
void lm_box_blocks_release(lm_box_blocks* blocks); // zeroed ones are fine

// The box at a place, 0 .. count - 1; then the tree has to be fitted.
void lm_box_blocks_set(lm_box_blocks* blocks, int32_t place, lm_box box);
void lm_box_blocks_fit(lm_box_blocks* blocks);

// Calls visit for each pair of items, one of each, whose boxes overlap; with the same blocks twice, for every pair once
// and not for an item with itself. Parts 0 .. parts - 1 together give all pairs.
typedef void lm_block_pair_fn(void* context, int32_t one, int32_t two);
void lm_box_blocks_pairs(const lm_box_blocks* one, const lm_box_blocks* two, int32_t part, int32_t parts, lm_simd simd,
                         lm_block_pair_fn* visit, void* context);

// The kernel: block p of one with all of two.
typedef void lm_block_kernel(const lm_box_blocks* one, int32_t p, const lm_box_blocks* two, lm_block_pair_fn* visit,
                             void* context);
lm_block_kernel lm_block_kernel_plain, lm_block_kernel_avx2;

#endif
