// shape.c: the initial shape of a body: its elements, their sizes, their edges.
#include "elastic/body.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

int lm_elastic_dimension(lm_elastic_kind kind)
{
	return kind == LM_ELASTIC_CURVE2 || kind == LM_ELASTIC_SOLID2 ? 2 : 3;
}

int lm_elastic_corners(lm_elastic_kind kind)
{
	switch (kind)
	{
		case LM_ELASTIC_CURVE2: return 2;
		case LM_ELASTIC_SHELL3:
		case LM_ELASTIC_SOLID2: return 3;
		default: return 4;
	}
}

static double shell_area(const double* a, const double* b, const double* c)
{
	double u[3], v[3];
	for (int i = 0; i < 3; ++i)
		u[i] = b[i] - a[i], v[i] = c[i] - a[i];
	double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
	return 0.5 * hypot(hypot(x, y), z);
}

double lm_shape_measure(const lm_elastic_shape* shape, int64_t e)
{
	int d = lm_elastic_dimension(shape->kind), k = lm_elastic_corners(shape->kind);
	double x[LM_MEASURE_SIZE], q;
	for (int i = 0; i < k; ++i)
		for (int j = 0; j < d; ++j)
			x[i * d + j] = lm_shape_corner(shape, e, i)[j];
	switch (shape->kind)
	{
		case LM_ELASTIC_CURVE2: return hypot(x[2] - x[0], x[3] - x[1]);
		case LM_ELASTIC_SHELL3: return shell_area(x, x + 3, x + 6);
		case LM_ELASTIC_SOLID2: lm_measure_area.value(x, &q); return q;
		default: lm_measure_volume.value(x, &q); return q;
	}
}

static int by_ends(const void* first, const void* second)
{
	const lm_shape_edge *a = first, *b = second;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	return (a->element > b->element) - (a->element < b->element);
}

lm_shape_edge* lm_shape_edges(const lm_elastic_shape* shape, const lm_host* host, int64_t* count)
{
	int k = lm_elastic_corners(shape->kind);
	lm_shape_edge* edges = LM_NEW(host, (int64_t)shape->element_count * (k * (k - 1) / 2), lm_shape_edge);
	if (!edges)
		return NULL;
	int64_t at = 0;
	for (int32_t e = 0; e < shape->element_count; ++e)
		for (int i = 0; i < k; ++i)
			for (int j = i + 1; j < k; ++j)
			{
				const int32_t* v = shape->elements + (int64_t)e * k;
				edges[at].low = v[i] < v[j] ? v[i] : v[j];
				edges[at].high = v[i] < v[j] ? v[j] : v[i];
				edges[at].element = e;
				edges[at++].opposite = k == 3 ? v[3 - i - j] : -1;
			}
	qsort(edges, (size_t)at, sizeof *edges, by_ends);
	*count = at;
	return edges;
}

int64_t lm_shape_edge_run(const lm_shape_edge* edges, int64_t count, int64_t begin)
{
	int64_t end = begin + 1;
	while (end < count && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high)
		++end;
	return end;
}
