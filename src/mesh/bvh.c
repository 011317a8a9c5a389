#include "mesh/bvh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "mesh/closest.h"

#include <assert.h>

enum
{
	leaf_size = 4,
	bin_count = 16,
	deepest_split = 48 // below, lists are halved: 31 more levels at most
};

_Static_assert(deepest_split + 31 < LM_BVH_STACK, "queries push at most one node per level");

static double axis_of(lm_vec3 a, int axis)
{
	return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static double half_area(lm_box box)
{
	lm_vec3 d = lm_sub(box.high, box.low);
	return d.x < 0 ? 0 : d.x * d.y + d.y * d.z + d.z * d.x;
}

typedef struct builder
{
	lm_bvh* bvh;
	lm_box* boxes; // of the elements
} builder;

// Twice the centre of the element's box: bins need no more.
static lm_vec3 centre_of(const builder* b, int32_t element)
{
	return lm_add(b->boxes[element].low, b->boxes[element].high);
}

typedef struct split
{
	int axis; // -1: none
	double low, scale;
	int bin; // items of bins up to this one go left
	double cost;
} split;

static int bin_of(const split* s, lm_vec3 centre)
{
	double bin = (axis_of(centre, s->axis) - s->low) * s->scale;
	return bin < bin_count - 1 ? (int)bin : bin_count - 1;
}

// The cheapest of the bin_count - 1 planes along one axis: cost = sum over sides of area * number of items.
static void best_plane(const builder* b, const int32_t* items, int32_t count, lm_box centres, int axis, split* best)
{
	double low = axis_of(centres.low, axis), width = axis_of(centres.high, axis) - low;
	split s = { axis, low, bin_count / width, 0, INFINITY };
	if (!(width > 0) || !isfinite(width) || !isfinite(s.scale))
		return;
	lm_box boxes[bin_count];
	int32_t counts[bin_count] = { 0 };
	for (int k = 0; k < bin_count; ++k)
		boxes[k] = lm_box_empty();
	for (int32_t i = 0; i < count; ++i)
	{
		int k = bin_of(&s, centre_of(b, items[i]));
		++counts[k];
		boxes[k] = lm_box_join(boxes[k], b->boxes[items[i]]);
	}
	double right_cost[bin_count];
	lm_box box = lm_box_empty();
	int32_t sum = 0;
	for (int k = bin_count - 1; k > 0; --k)
	{
		box = lm_box_join(box, boxes[k]);
		sum += counts[k];
		right_cost[k - 1] = half_area(box) * sum;
	}
	box = lm_box_empty();
	sum = 0;
	for (s.bin = 0; s.bin < bin_count - 1; ++s.bin)
	{
		box = lm_box_join(box, boxes[s.bin]);
		sum += counts[s.bin];
		s.cost = half_area(box) * sum + right_cost[s.bin];
		if (sum > 0 && sum < count && s.cost < best->cost)
			*best = s;
	}
}

// Reorders items and returns how many go left, at least one and less than count.
static int32_t split_items(const builder* b, int32_t* items, int32_t count, int depth)
{
	lm_box centres = lm_box_empty();
	for (int32_t i = 0; i < count; ++i)
	{
		lm_vec3 c = centre_of(b, items[i]);
		centres = lm_box_join(centres, (lm_box){ c, c });
	}
	split best = { .axis = -1, .cost = INFINITY };
	for (int axis = 0; depth < deepest_split && axis < 3; ++axis)
		best_plane(b, items, count, centres, axis, &best);
	if (best.axis < 0) // all in one place, or too deep
		return count / 2;
	int32_t left = 0;
	for (int32_t i = 0; i < count; ++i)
		if (bin_of(&best, centre_of(b, items[i])) <= best.bin)
		{
			int32_t swap = items[i];
			items[i] = items[left];
			items[left++] = swap;
		}
	return left;
}

// A part of the items that becomes the node `parent`'s left (it is next) or right child.
typedef struct task
{
	int32_t first, count, parent;
	int depth;
	bool is_right;
} task;

// Depth first with a stack of right halves, so nodes come out in the order queries walk them.
static void build(builder* b)
{
	lm_bvh* bvh = b->bvh;
	task stack[LM_BVH_STACK], now = { 0, bvh->count, -1, 0, false };
	int waiting = 0;
	for (;;)
	{
		int32_t index = bvh->node_count++;
		lm_bvh_node* node = &bvh->nodes[index];
		*node = (lm_bvh_node){ .parent = now.parent };
		if (now.is_right)
			bvh->nodes[now.parent].right = index;
		if (now.count > leaf_size)
		{
			int32_t left = split_items(b, bvh->items + now.first, now.count, now.depth);
			stack[waiting++] = (task){ now.first + left, now.count - left, index, now.depth + 1, true };
			now = (task){ now.first, left, index, now.depth + 1, false };
			continue;
		}
		node->right = now.first;
		node->count = now.count;
		node->end = index + 1;
		if (waiting == 0)
			break;
		now = stack[--waiting];
	}
	for (int32_t i = bvh->node_count - 1; i >= 0; --i) // children come behind parents
		if (bvh->nodes[i].count == 0)
			bvh->nodes[i].end = bvh->nodes[bvh->nodes[i].right].end;
}

void lm_bvh_refit(lm_bvh* bvh, const double* positions)
{
	bvh->positions = positions;
	for (int32_t i = bvh->node_count - 1; i >= 0; --i)
	{
		lm_bvh_node* node = &bvh->nodes[i];
		if (node->count == 0)
		{
			node->box = lm_box_join(bvh->nodes[i + 1].box, bvh->nodes[node->right].box);
			continue;
		}
		node->box = lm_bvh_element_box(bvh, bvh->items[node->right]);
		for (int32_t k = 1; k < node->count; ++k)
			node->box = lm_box_join(node->box, lm_bvh_element_box(bvh, bvh->items[node->right + k]));
	}
}

lm_status lm_bvh_create(const int32_t* elements, int32_t count, int corners, const double* positions,
                        const lm_host* host, lm_bvh* result, lm_error* error)
{
	assert((corners == 3 || corners == 4) && count >= 0);
	lm_bvh bvh = { .host = *host, .corners = corners, .elements = elements, .positions = positions, .count = count };
	bvh.nodes = LM_NEW(host, 2 * (size_t)count, lm_bvh_node); // leaves hold at least one item
	bvh.items = LM_NEW(host, count, int32_t);
	builder b = { &bvh, LM_NEW(host, count, lm_box) };
	if (bvh.nodes == NULL || bvh.items == NULL || b.boxes == NULL)
	{
		lm_free(host, b.boxes);
		lm_bvh_release(&bvh);
		return lm_fail_memory(error);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		bvh.items[i] = i;
		b.boxes[i] = lm_bvh_element_box(&bvh, i);
	}
	if (count > 0)
		build(&b);
	lm_free(host, b.boxes);
	lm_bvh_refit(&bvh, positions);
	*result = bvh;
	return LM_OK;
}

void lm_bvh_release(lm_bvh* bvh)
{
	lm_free(&bvh->host, bvh->nodes);
	lm_free(&bvh->host, bvh->items);
	*bvh = (lm_bvh){ 0 };
}

bool lm_bvh_copy(const lm_bvh* bvh, const int32_t* elements, const double* positions, const lm_host* host, lm_bvh* copy)
{
	*copy = *bvh;
	copy->host = *host, copy->elements = elements, copy->positions = positions;
	copy->nodes = lm_copy(host, bvh->nodes, (size_t)bvh->node_count, sizeof *bvh->nodes);
	copy->items = lm_copy(host, bvh->items, (size_t)bvh->count, sizeof *bvh->items);
	if (copy->nodes != NULL && copy->items != NULL)
		return true;
	lm_bvh_release(copy);
	return false;
}

// ---- queries

static void corners_of(const lm_bvh* bvh, int32_t element, lm_vec3 x[4])
{
	const int32_t* corner = bvh->elements + (int64_t)bvh->corners * element;
	for (int i = 0; i < bvh->corners; ++i)
		x[i] = lm_v3_at(bvh->positions, corner[i]);
}

// Takes the element when it is closer, or as close with a lower number.
static void try_element(const lm_bvh* bvh, int32_t element, lm_vec3 p, lm_bvh_hit* best)
{
	lm_vec3 x[4] = { 0 };
	corners_of(bvh, element, x);
	lm_bvh_hit hit = { .element = element };
	if (bvh->corners == 3)
	{
		lm_closest on = lm_closest_on_triangle(p, x[0], x[1], x[2]);
		for (int i = 0; i < 3; ++i)
			hit.weights[i] = on.weights[i];
		hit.distance2 = on.distance2;
	}
	else
		hit.distance2 = lm_closest_on_tet(p, x, hit.weights);
	if (!(hit.distance2 < best->distance2 ||
	      (hit.distance2 == best->distance2 && (best->element < 0 || element < best->element))))
		return;
	for (int i = 0; i < 4; ++i)
		hit.point = lm_add_scaled(hit.point, hit.weights[i], x[i]);
	*best = hit;
}

lm_bvh_hit lm_bvh_closest(const lm_bvh* bvh, lm_vec3 p, double reach)
{
	lm_bvh_hit best = { .element = -1, .distance2 = reach * reach };
	struct
	{
		int32_t node;
		double distance2;
	} stack[LM_BVH_STACK];
	int waiting = 0;
	int32_t now = 0;
	if (bvh->node_count == 0 || !(lm_box_distance2(bvh->nodes[0].box, p) <= best.distance2))
		return best;
	for (;;)
	{
		const lm_bvh_node* node = &bvh->nodes[now];
		if (node->count == 0)
		{
			int32_t near = now + 1, far = node->right;
			double near2 = lm_box_distance2(bvh->nodes[near].box, p), far2 = lm_box_distance2(bvh->nodes[far].box, p);
			if (far2 < near2)
			{
				int32_t swap = near;
				near = far;
				far = swap;
				double swap2 = near2;
				near2 = far2;
				far2 = swap2;
			}
			if (far2 <= best.distance2)
			{
				stack[waiting].node = far;
				stack[waiting++].distance2 = far2;
			}
			if (near2 <= best.distance2)
			{
				now = near;
				continue;
			}
		}
		else
			for (int32_t k = 0; k < node->count; ++k)
				try_element(bvh, bvh->items[node->right + k], p, &best);
		do
		{
			if (waiting == 0)
				return best;
			--waiting;
		} while (stack[waiting].distance2 > best.distance2);
		now = stack[waiting].node;
	}
}

bool lm_bvh_overlaps(const lm_bvh* bvh, lm_box box, lm_bvh_visit_fn* visit, void* context)
{
	for (int32_t i = 0; i < bvh->node_count;)
	{
		const lm_bvh_node* node = &bvh->nodes[i];
		if (!lm_box_overlaps(node->box, box))
		{
			i = node->end;
			continue;
		}
		for (int32_t k = 0; k < node->count; ++k)
		{
			int32_t element = bvh->items[node->right + k];
			if (lm_box_overlaps(lm_bvh_element_box(bvh, element), box) && !visit(context, element))
				return false;
		}
		++i;
	}
	return true;
}

int32_t lm_bvh_containing_tet(const lm_bvh* bvh, lm_vec3 p, double tolerance, double weights[4])
{
	assert(bvh->corners == 4);
	int32_t best = -1;
	double deepest = -tolerance;
	for (int32_t i = 0; i < bvh->node_count;)
	{
		const lm_bvh_node* node = &bvh->nodes[i];
		// a point outside by `tolerance` in barycentric coordinates is outside the box by no more than 3 of its sizes
		lm_vec3 slack = lm_scale(3 * tolerance, lm_sub(node->box.high, node->box.low));
		lm_box box = { lm_sub(node->box.low, slack), lm_add(node->box.high, slack) };
		if (!lm_box_overlaps(box, (lm_box){ p, p }))
		{
			i = node->end;
			continue;
		}
		for (int32_t k = 0; k < node->count; ++k)
		{
			int32_t tet = bvh->items[node->right + k];
			lm_vec3 x[4];
			double w[4];
			corners_of(bvh, tet, x);
			if (!lm_tet_barycentrics(p, x[0], x[1], x[2], x[3], w))
				continue;
			double depth = lm_smaller(lm_smaller(w[0], w[1]), lm_smaller(w[2], w[3]));
			if (!(depth > deepest || (depth == deepest && (best < 0 || tet < best))))
				continue;
			deepest = depth;
			best = tet;
			for (int c = 0; weights != NULL && c < 4; ++c)
				weights[c] = w[c];
		}
		++i;
	}
	return best;
}
