// Blocks of boxes: order, rounding, tree; see box_blocks.h.
#include "contact/box_blocks.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/machine.h"

#include <float.h>
#include <math.h>

// ---- order -------------------------------------------------------------------------------------------------------

typedef struct ordering
{
	int32_t* items;
	const lm_box* boxes;
} ordering;

static double middle(const lm_box* box, int axis)
{
	return 0.5 * (lm_v3_get(box->low, axis) + lm_v3_get(box->high, axis));
}

// Whether one comes before the other along the axis; equal ones by number, so that there is one order only.
static bool before(const ordering* o, int axis, int32_t one, int32_t two)
{
	double p = middle(&o->boxes[one], axis), q = middle(&o->boxes[two], axis);
	return p < q || (p == q && one < two) || (p != p && q == q);
}

// Quickselect: the items before `at` come before the others. Ends whatever the numbers are, because ties are broken.
static void select_item(const ordering* o, int axis, int32_t low, int32_t high, int32_t at)
{
	while (low < high)
	{
		int32_t pivot = o->items[low + (high - low) / 2], i = low, j = high;
		while (i <= j)
		{
			while (before(o, axis, o->items[i], pivot))
				++i;
			while (before(o, axis, pivot, o->items[j]))
				--j;
			if (i <= j)
			{
				int32_t swap = o->items[i];
				o->items[i++] = o->items[j], o->items[j--] = swap;
			}
		}
		if (at <= j)
			high = j;
		else if (at >= i)
			low = i;
		else
			return;
	}
}

static int longest_side(const ordering* o, int32_t first, int32_t end)
{
	lm_box box = lm_box_empty();
	for (int32_t i = first; i < end; ++i)
		box = lm_box_join(box, o->boxes[o->items[i]]);
	double x = box.high.x - box.low.x, y = box.high.y - box.low.y, z = box.high.z - box.low.z;
	return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

// Items first .. end - 1, which lie below a node with so many leaves: its first half gets those that come first.
static void order_items(const ordering* o, int32_t first, int32_t end, int32_t leaves)
{
	int32_t half = first + LM_BLOCK * (leaves / 2);
	if (leaves == 1)
		return;
	if (half < end)
	{
		select_item(o, longest_side(o, first, end), first, end - 1, half);
		order_items(o, half, end, leaves / 2);
	}
	order_items(o, first, half < end ? half : end, leaves / 2);
}

lm_status lm_box_blocks_create(const int32_t* items, int32_t count, const lm_box* boxes, const lm_host* host,
                               lm_box_blocks* b, lm_error* error)
{
	*b = (lm_box_blocks){ .host = *host, .count = count, .blocks = (count + LM_BLOCK - 1) / LM_BLOCK, .leaves = 1 };
	while (b->leaves < b->blocks)
		b->leaves *= 2;
	b->items = LM_NEW(host, count, int32_t);
	b->nodes = LM_NEW(host, 2 * (int64_t)b->leaves, lm_block_node);
	bool enough = b->items != NULL && b->nodes != NULL;
	for (int k = 0; k < 6; ++k)
	{
		b->sides[k] = LM_NEW(host, LM_BLOCK * (int64_t)b->blocks, float);
		enough = enough && b->sides[k] != NULL;
		for (int64_t i = 0; b->sides[k] != NULL && i < LM_BLOCK * (int64_t)b->blocks; ++i)
			b->sides[k][i] = k < 3 ? FLT_MAX : -FLT_MAX; // overlaps nothing
	}
	if (!enough)
	{
		lm_box_blocks_release(b);
		return lm_fail_memory(error);
	}
	for (int32_t i = 0; i < count; ++i)
		b->items[i] = items[i];
	order_items(&(ordering){ b->items, boxes }, 0, count, b->leaves);
	return LM_OK;
}

void lm_box_blocks_release(lm_box_blocks* b)
{
	lm_host host = b->host;
	lm_free(&host, b->items), lm_free(&host, b->nodes);
	for (int k = 0; k < 6; ++k)
		lm_free(&host, b->sides[k]);
	*b = (lm_box_blocks){ 0 };
}

// ---- boxes -------------------------------------------------------------------------------------------------------

// More than the rounding to single precision.
static double margin(double a)
{
	return 2 * FLT_EPSILON * fabs(a) + FLT_MIN;
}

void lm_box_blocks_set(lm_box_blocks* b, int32_t place, lm_box box)
{
	for (int k = 0; k < 3; ++k)
	{
		double low = lm_v3_get(box.low, k), high = lm_v3_get(box.high, k);
		b->sides[k][place] = (float)(low - margin(low));
		b->sides[3 + k][place] = (float)(high + margin(high));
	}
}

static lm_block_node join(const lm_block_node* a, const lm_block_node* b)
{
	lm_block_node both = { { 0 }, { 0 }, { 0 } };
	for (int k = 0; k < 3; ++k)
	{
		both.low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
		both.high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
	}
	return both;
}

void lm_box_blocks_fit(lm_box_blocks* b)
{
	for (int32_t p = 0; p < b->leaves; ++p)
	{
		lm_block_node node = { { FLT_MAX, FLT_MAX, FLT_MAX }, { -FLT_MAX, -FLT_MAX, -FLT_MAX }, { 0 } };
		for (int32_t i = LM_BLOCK * p; p < b->blocks && i < LM_BLOCK * (p + 1); ++i)
			for (int k = 0; k < 3; ++k)
			{
				node.low[k] = b->sides[k][i] < node.low[k] ? b->sides[k][i] : node.low[k];
				node.high[k] = b->sides[3 + k][i] > node.high[k] ? b->sides[3 + k][i] : node.high[k];
			}
		b->nodes[b->leaves + p] = node;
	}
	for (int32_t i = b->leaves - 1; i >= 1; --i)
		b->nodes[i] = join(&b->nodes[2 * i], &b->nodes[2 * i + 1]);
}

void lm_box_blocks_pairs(const lm_box_blocks* one, const lm_box_blocks* two, int32_t part, int32_t parts, lm_simd simd,
                         lm_block_pair_fn* visit, void* context)
{
	lm_block_kernel* kernel = lm_block_kernel_plain;
#if defined(LM_X86)
	if (lm_simd_allows(simd, LM_SIMD_AVX2))
		kernel = lm_block_kernel_avx2;
#endif
	(void)simd;
	int32_t begin = (int32_t)((int64_t)one->blocks * part / parts);
	int32_t end = (int32_t)((int64_t)one->blocks * (part + 1) / parts);
	for (int32_t p = begin; p < end && two->count > 0; ++p)
		kernel(one, p, two, visit, context);
}
