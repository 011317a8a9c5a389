#include "contact/slim_tree.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// A float has 24 bits; rows, points and reach are all rounded once or twice.
#define ROUNDING 3e-7

typedef float row4 __attribute__((vector_size(16)));
typedef int32_t row_mask __attribute__((vector_size(16)));

typedef struct box4
{
	row4 low, high;
} box4;

static inline row4 load(const float* row)
{
	row4 result;
	memcpy(&result, row, sizeof result);
	return result;
}

static inline void store(float* row, row4 values)
{
	memcpy(row, &values, sizeof values);
}

// A NaN as first argument is ignored.
static inline row4 least(row4 a, row4 b)
{
#if defined(__SSE2__)
	return (row4)_mm_min_ps((__m128)a, (__m128)b);
#else
	return (row4)(((row_mask)a & (a < b)) | ((row_mask)b & ~(a < b)));
#endif
}

static inline row4 most(row4 a, row4 b)
{
#if defined(__SSE2__)
	return (row4)_mm_max_ps((__m128)a, (__m128)b);
#else
	return (row4)(((row_mask)a & (a > b)) | ((row_mask)b & ~(a > b)));
#endif
}

static inline bool first_three(row_mask mask)
{
#if defined(__SSE2__)
	return (_mm_movemask_ps((__m128)mask) & 7) == 7;
#else
	return mask[0] & mask[1] & mask[2];
#endif
}

static inline bool overlap(box4 a, box4 b)
{
	return first_three((a.low <= b.high) & (b.low <= a.high));
}

static inline box4 load_box(const lm_slim_box* box)
{
	return (box4){ load(box->low), load(box->high) };
}

static inline void join(box4* box, box4 more)
{
	box->low = least(more.low, box->low), box->high = most(more.high, box->high);
}

static inline box4 empty(void)
{
	const row4 infinite = { INFINITY, INFINITY, INFINITY, INFINITY };
	return (box4){ infinite, -infinite };
}

static inline void join_rows(const lm_slim_tree* tree, const int32_t* vertices, int32_t count, box4* box)
{
	for (int32_t i = 0; i < count; ++i)
	{
		row4 row = load(tree->rows + 4 * (int64_t)vertices[i]);
		join(box, (box4){ row, row });
	}
}

// Elements of a leaf share vertices.
static void list_vertices(lm_slim_tree* tree)
{
	const lm_bvh* shape = &tree->shape;
	int32_t count = 0;
	for (int32_t i = 0; i < shape->node_count; ++i)
	{
		const lm_bvh_node* node = &shape->nodes[i];
		int32_t first = count;
		tree->starts[i] = first;
		for (int32_t k = 0; k < node->count * shape->corners; ++k)
		{
			int32_t element = shape->items[node->right + k / shape->corners];
			int32_t vertex = shape->elements[(int64_t)shape->corners * element + k % shape->corners], seen = first;
			while (seen < count && tree->vertices[seen] != vertex)
				++seen;
			if (seen == count)
				tree->vertices[count++] = vertex;
		}
	}
	tree->starts[shape->node_count] = count;
}

lm_status lm_slim_tree_create(const int32_t* elements, int32_t count, int corners, const double* positions,
                              const float* rows, const lm_host* host, lm_slim_tree* result, lm_error* error)
{
	*result = (lm_slim_tree){ .rows = rows };
	lm_status status = lm_bvh_create(elements, count, corners, positions, host, &result->shape, error);
	if (status != LM_OK)
		return status;
	result->boxes = LM_NEW(host, result->shape.node_count, lm_slim_box);
	result->vertices = LM_NEW(host, (size_t)count * (size_t)corners, int32_t);
	result->starts = LM_NEW(host, result->shape.node_count + 1, int32_t);
	if (!result->boxes || !result->vertices || !result->starts)
		return lm_fail_memory(error);
	list_vertices(result);
	return LM_OK;
}

void lm_slim_tree_release(lm_slim_tree* tree)
{
	lm_host host = tree->shape.host;
	lm_free(&host, tree->boxes);
	lm_free(&host, tree->vertices);
	lm_free(&host, tree->starts);
	lm_bvh_release(&tree->shape);
	*tree = (lm_slim_tree){ 0 };
}

void lm_slim_tree_fit(lm_slim_tree* tree)
{
	for (int32_t i = tree->shape.node_count - 1; i >= 0; --i) // children come behind parents
	{
		box4 box = empty();
		int32_t first = tree->starts[i], count = tree->starts[i + 1] - first;
		join_rows(tree, tree->vertices + first, count, &box);
		if (count == 0)
		{
			box = load_box(&tree->boxes[i + 1]);
			join(&box, load_box(&tree->boxes[tree->shape.nodes[i].right]));
		}
		store(tree->boxes[i].low, box.low), store(tree->boxes[i].high, box.high);
	}
	tree->extent = 0;
	for (int k = 0; k < 3 && tree->shape.node_count > 0; ++k)
		tree->extent = fmax(tree->extent, fmax(fabsf(tree->boxes[0].low[k]), fabsf(tree->boxes[0].high[k])));
}

static box4 query_box(lm_vec3 point, double reach, double extent)
{
	box4 box = empty();
	for (int k = 0; k < 3; ++k)
	{
		double x = lm_v3_get(point, k), half = reach + ROUNDING * (fabs(x) + reach + extent);
		box.low[k] = (float)(x - half), box.high[k] = (float)(x + half);
	}
	return box;
}

bool lm_slim_tree_visit(const lm_slim_tree* tree, lm_vec3 point, double reach, lm_bvh_visit_fn* visit, void* context)
{
	const box4 wanted = query_box(point, reach, tree->extent);
	for (int32_t i = 0; i < tree->shape.node_count;)
	{
		const lm_bvh_node* node = &tree->shape.nodes[i];
		if (!overlap(load_box(&tree->boxes[i]), wanted))
		{
			i = node->end;
			continue;
		}
		for (int32_t k = node->right; k < node->right + node->count; ++k)
		{
			box4 box = empty();
			int32_t element = tree->shape.items[k], corners = tree->shape.corners;
			join_rows(tree, tree->shape.elements + (int64_t)corners * element, corners, &box);
			if (overlap(box, wanted) && !visit(context, element))
				return false;
		}
		++i;
	}
	return true;
}
