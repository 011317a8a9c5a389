#include "mesh/box_tree.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

#define LEAF 4 // items

// ---- building ----------------------------------------------------------------------------------------------------

typedef struct builder
{
	lm_box_tree* tree;
	const lm_box* boxes;
} builder;

static double middle(const lm_box* box, int axis)
{
	return 0.5 * (lm_v3_get(box->low, axis) + lm_v3_get(box->high, axis));
}

// Invalid boxes (NaN, or empty) overlap nothing and must not change the boxes of inner nodes.
static lm_box box_of(const builder* b, int32_t first, int32_t size)
{
	lm_box box = lm_box_empty();
	for (int32_t i = first; i < first + size; ++i)
	{
		lm_box item = b->boxes[b->tree->items[i]];
		if (lm_box_overlaps(item, item))
			box = lm_box_join(box, item);
	}
	return box;
}

static int longest_side(lm_box box)
{
	double x = box.high.x - box.low.x, y = box.high.y - box.low.y, z = box.high.z - box.low.z;
	return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

// Whether item a comes before b along the axis; equal ones by number, so that there is one order only.
static bool before(const builder* b, int axis, int32_t one, int32_t two)
{
	double p = middle(&b->boxes[one], axis), q = middle(&b->boxes[two], axis);
	return p < q || (p == q && one < two) || (p != p && q == q);
}

// Quickselect: the items before `at` come before the others. Ends whatever the numbers are, because ties are broken.
static void select_median(const builder* b, int axis, int32_t low, int32_t high, int32_t at)
{
	int32_t* items = b->tree->items;
	while (low < high)
	{
		int32_t pivot = items[low + (high - low) / 2], i = low, j = high;
		while (i <= j)
		{
			while (before(b, axis, items[i], pivot))
				++i;
			while (before(b, axis, pivot, items[j]))
				--j;
			if (i <= j)
			{
				int32_t swap = items[i];
				items[i++] = items[j], items[j--] = swap;
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

static int32_t build(builder* b, int32_t first, int32_t size)
{
	lm_box_tree* tree = b->tree;
	int32_t node = tree->node_count++;
	tree->boxes[node] = box_of(b, first, size);
	tree->first[node] = first, tree->size[node] = size;
	if (size > LEAF)
	{
		int32_t half = size / 2;
		select_median(b, longest_side(tree->boxes[node]), first, first + size - 1, first + half);
		build(b, first, half);
		build(b, first + half, size - half);
	}
	tree->skip[node] = tree->node_count;
	return node;
}

lm_status lm_box_tree_create(const lm_box* boxes, int32_t count, const lm_host* host, lm_box_tree* tree,
                             lm_error* error)
{
	size_t nodes = count > 0 ? 2 * (size_t)count : 1;
	lm_box_tree t = { .host = *host, .count = count };
	t.items = LM_NEW(host, count, int32_t);
	t.boxes = LM_NEW(host, nodes, lm_box);
	t.skip = LM_NEW(host, nodes, int32_t);
	t.first = LM_NEW(host, nodes, int32_t);
	t.size = LM_NEW(host, nodes, int32_t);
	if (t.items == NULL || t.boxes == NULL || t.skip == NULL || t.first == NULL || t.size == NULL)
	{
		lm_box_tree_release(&t);
		return lm_fail_memory(error);
	}
	for (int32_t i = 0; i < count; ++i)
		t.items[i] = i;
	*tree = t;
	if (count > 0)
		build(&(builder){ tree, boxes }, 0, count);
	return LM_OK;
}

void lm_box_tree_release(lm_box_tree* tree)
{
	void* all[] = { tree->items, tree->boxes, tree->skip, tree->first, tree->size };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&tree->host, all[i]);
	*tree = (lm_box_tree){ 0 };
}

static bool is_leaf(const lm_box_tree* tree, int32_t node)
{
	return tree->skip[node] == node + 1;
}

// Children follow their parents, so that going backwards finds them done.
void lm_box_tree_refit(lm_box_tree* tree, const lm_box* boxes)
{
	for (int32_t node = tree->node_count - 1; node >= 0; --node)
		if (is_leaf(tree, node))
			tree->boxes[node] = box_of(&(builder){ tree, boxes }, tree->first[node], tree->size[node]);
		else
			tree->boxes[node] = lm_box_join(tree->boxes[node + 1], tree->boxes[tree->skip[node + 1]]);
}

// ---- pairs -------------------------------------------------------------------------------------------------------

typedef struct search
{
	const lm_box_tree *one, *two;
	const lm_box *boxes_one, *boxes_two;
	lm_box_pair_fn* visit;
	void* context;
} search;

static void visit_leaves(const search* s, int32_t a, int32_t b)
{
	bool same = s->one == s->two && a == b;
	for (int32_t i = s->one->first[a]; i < s->one->first[a] + s->one->size[a]; ++i)
		for (int32_t j = same ? i + 1 : s->two->first[b]; j < s->two->first[b] + s->two->size[b]; ++j)
		{
			int32_t p = s->one->items[i], q = s->two->items[j];
			if (lm_box_overlaps(s->boxes_one[p], s->boxes_two[q]))
				s->visit(s->context, p, q);
		}
}

// Depth is that of two balanced trees: at most about 60.
static void descend(const search* s, int32_t a, int32_t b)
{
	const lm_box_tree *one = s->one, *two = s->two;
	if (!lm_box_overlaps(one->boxes[a], two->boxes[b]))
		return;
	bool leaf_a = is_leaf(one, a), leaf_b = is_leaf(two, b);
	if (leaf_a && leaf_b)
		visit_leaves(s, a, b);
	else if (one == two && a == b)
	{
		int32_t left = a + 1, right = one->skip[a + 1];
		descend(s, left, left);
		descend(s, left, right);
		descend(s, right, right);
	}
	else if (leaf_b || (!leaf_a && one->size[a] >= two->size[b]))
	{
		descend(s, a + 1, b);
		descend(s, one->skip[a + 1], b);
	}
	else
	{
		descend(s, a, b + 1);
		descend(s, a, two->skip[b + 1]);
	}
}

// The nodes of `one` that hold about a `parts`-th of the items make up the parts. A node against the same tree: itself
// and all that lies behind it.
typedef struct cut
{
	const search* s;
	int32_t part, parts, next; // counts nodes of the cut
	int32_t grain;
} cut;

static void against_behind(const search* s, int32_t a, int32_t b)
{
	if (s->two->skip[b] <= a || !lm_box_overlaps(s->one->boxes[a], s->two->boxes[b]))
		return;
	if (a == b)
		descend(s, a, a);
	else if (b >= s->one->skip[a])
		descend(s, a, b);
	else // b holds a
	{
		against_behind(s, a, b + 1);
		against_behind(s, a, s->two->skip[b + 1]);
	}
}

static void visit_part(cut* c, int32_t node)
{
	const lm_box_tree* one = c->s->one;
	if (!is_leaf(one, node) && one->size[node] > c->grain)
	{
		visit_part(c, node + 1);
		visit_part(c, one->skip[node + 1]);
		return;
	}
	if (c->next++ % c->parts != c->part)
		return;
	if (c->s->one == c->s->two)
		against_behind(c->s, node, 0);
	else
		descend(c->s, node, 0);
}

void lm_box_tree_pairs(const lm_box_tree* one, const lm_box* boxes_one, const lm_box_tree* two, const lm_box* boxes_two,
                       int32_t part, int32_t parts, lm_box_pair_fn* visit, void* context)
{
	if (one->node_count == 0 || two->node_count == 0)
		return;
	search s = { one, two, boxes_one, boxes_two, visit, context };
	cut c = { .s = &s, .part = part, .parts = parts, .grain = 1 + one->count / (4 * parts) };
	visit_part(&c, 0);
}
