#include "contact/box_blocks_kernel.h"

void lm_block_kernel_plain(const lm_box_blocks* one, int32_t p, const lm_box_blocks* two, lm_block_pair_fn* visit,
                           void* context)
{
	visit_tree(one, p, two, visit, context);
}
