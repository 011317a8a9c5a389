// box_blocks_kernel.h: one block of boxes against a tree of blocks; compiled for several machines.
#include "contact/box_blocks.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

typedef float eight __attribute__((vector_size(4 * LM_BLOCK)));
typedef int32_t eight_bits __attribute__((vector_size(4 * LM_BLOCK)));

static inline unsigned bits_of(eight_bits mask)
{
#if defined(__AVX__)
	return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
	unsigned bits = 0;
	for (int k = 0; k < LM_BLOCK; ++k)
		bits |= (unsigned)(mask[k] & (1 << k));
	return bits;
#endif
}

static inline eight load_eight(const float* from)
{
	eight result;
	__builtin_memcpy(&result, from, sizeof result);
	return result;
}

static inline bool nodes_overlap(const lm_block_node* a, const lm_block_node* b)
{
	return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
	       a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

// Which boxes of block q of b overlap the box at a place of a.
static inline unsigned overlaps(const lm_box_blocks* a, int32_t place, const eight low[3], const eight high[3])
{
	eight_bits mask = ~(eight_bits){ 0 };
	for (int k = 0; k < 3; ++k)
		mask &= (a->sides[k][place] <= high[k]) & (low[k] <= a->sides[3 + k][place]);
	return bits_of(mask);
}

static inline void visit_block(const lm_box_blocks* one, int32_t p, const lm_box_blocks* two, int32_t q,
                               lm_block_pair_fn* visit, void* context)
{
	eight low[3], high[3];
	for (int k = 0; k < 3; ++k)
	{
		low[k] = load_eight(two->sides[k] + LM_BLOCK * (int64_t)q);
		high[k] = load_eight(two->sides[3 + k] + LM_BLOCK * (int64_t)q);
	}
	int32_t first = LM_BLOCK * p, end = first + LM_BLOCK < one->count ? first + LM_BLOCK : one->count;
	for (int32_t i = first; i < end; ++i)
	{
		unsigned bits = overlaps(one, i, low, high);
		if (one == two && p == q)
			bits &= ~((2u << (i - first)) - 1); // those behind i
		for (; bits != 0; bits &= bits - 1)
			visit(context, one->items[i], two->items[LM_BLOCK * q + __builtin_ctz(bits)]);
	}
}

// The last block below a node.
static inline int32_t last_block(const lm_box_blocks* b, int32_t node)
{
	while (node < b->leaves)
		node = 2 * node + 1;
	return node - b->leaves;
}

static inline void visit_tree(const lm_box_blocks* one, int32_t p, const lm_box_blocks* two, lm_block_pair_fn* visit,
                              void* context)
{
	const lm_block_node* own = &one->nodes[one->leaves + p];
	int32_t stack[64], top = 0;
	stack[top++] = 1;
	while (top > 0)
	{
		int32_t node = stack[--top];
		if (!nodes_overlap(own, &two->nodes[node]) || (one == two && last_block(two, node) < p))
			continue;
		if (node >= two->leaves)
			visit_block(one, p, two, node - two->leaves, visit, context);
		else
			stack[top++] = 2 * node + 1, stack[top++] = 2 * node;
	}
}
