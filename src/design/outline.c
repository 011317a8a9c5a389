// outline.c: see outline.h.
#include "design/outline.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// ---- points -----------------------------------------------------------------------------------------------------

// r: from the middle of the nodes.
static int32_t nearest_node(const lm_design_model* m, lm_vec3 r, double* distance)
{
	lm_vec3 x = lm_add(m->middle, r);
	double least = INFINITY;
	int32_t nearest = 0;
	for (int32_t i = 0; i < m->node_count; ++i)
	{
		lm_vec3 d = lm_sub(x, lm_v3_at(m->nodes, i));
		if (lm_dot(d, d) < least)
			least = lm_dot(d, d), nearest = i;
	}
	*distance = sqrt(least);
	return nearest;
}

static bool fill_points(const lm_design_model* m, const lm_design_rows* rows, const lm_host* host,
                        lm_design_outline_points* points, double* lonely)
{
	int32_t padded = (rows->count + 7) / 8 * 8;
	*points = (lm_design_outline_points){ .rows = rows, .count = rows->count, .padded = padded };
	points->x = LM_NEW(host, padded, float);
	points->y = LM_NEW(host, padded, float);
	points->z = LM_NEW(host, padded, float);
	points->home = LM_NEW(host, padded, int32_t);
	if (points->x == NULL || points->y == NULL || points->z == NULL || points->home == NULL)
		return false;
	for (int32_t k = 0; k < padded; ++k)
	{
		int32_t p = k < rows->count ? k : 0;
		lm_vec3 r = lm_scale(-1, m->middle);
		for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
			r = lm_add_scaled(r, rows->phi[e], lm_v3_at(m->nodes, rows->node[e]));
		points->x[k] = (float)r.x, points->y[k] = (float)r.y, points->z[k] = (float)r.z;
		double distance;
		points->home[k] = nearest_node(m, r, &distance);
		*lonely = fmax(*lonely, distance);
	}
	return true;
}

static void release_points(lm_design_outline_points* points, const lm_host* host)
{
	lm_free(host, points->x);
	lm_free(host, points->y);
	lm_free(host, points->z);
	lm_free(host, points->home);
}

// ---- reach ------------------------------------------------------------------------------------------------------

// A place on the cube of directions: the largest number is 1 or -1, the two after it count the cells.
static lm_vec3 direction_of(int face, double u, double v)
{
	double d[3];
	d[face / 2] = face % 2 ? -1 : 1;
	d[(face / 2 + 1) % 3] = 2 * u / LM_OUTLINE_CELLS - 1;
	d[(face / 2 + 2) % 3] = 2 * v / LM_OUTLINE_CELLS - 1;
	return lm_v3(d[0], d[1], d[2]);
}

static float farthest(const lm_design_model* m, lm_vec3 d)
{
	double most = -INFINITY;
	for (int32_t v = 0; v < m->surface->vertex_count; ++v)
		most = fmax(most, lm_dot(d, lm_sub(lm_v3_at(m->surface->positions, v), m->middle)));
	return nextafterf((float)most, INFINITY);
}

// The reach is convex in d, so that within a cell it is largest at a corner.
static void measure_reach(lm_design_outline* o)
{
	for (int face = 0; face < 6; ++face)
	{
		float corners[LM_OUTLINE_CELLS + 1][LM_OUTLINE_CELLS + 1];
		for (int u = 0; u <= LM_OUTLINE_CELLS; ++u)
			for (int v = 0; v <= LM_OUTLINE_CELLS; ++v)
				corners[u][v] = farthest(o->model, direction_of(face, u, v));
		for (int u = 0; u < LM_OUTLINE_CELLS; ++u)
			for (int v = 0; v < LM_OUTLINE_CELLS; ++v)
				o->reach[face][u][v] =
					fmaxf(fmaxf(corners[u][v], corners[u + 1][v]), fmaxf(corners[u][v + 1], corners[u + 1][v + 1]));
	}
}

static int cell_of(double x)
{
	int cell = (int)((x + 1) * (0.5 * LM_OUTLINE_CELLS));
	return cell < 0 ? 0 : cell < LM_OUTLINE_CELLS ? cell : LM_OUTLINE_CELLS - 1;
}

double lm_design_outline_reach(const lm_design_outline* o, lm_vec3 d)
{
	const double n[3] = { d.x, d.y, d.z };
	int axis = fabs(n[0]) >= fabs(n[1]) ? (fabs(n[0]) >= fabs(n[2]) ? 0 : 2) : (fabs(n[1]) >= fabs(n[2]) ? 1 : 2);
	double size = fabs(n[axis]);
	if (!(size > 0))
		return 0;
	return size *
	       o->reach[2 * axis + (n[axis] < 0)][cell_of(n[(axis + 1) % 3] / size)][cell_of(n[(axis + 2) % 3] / size)];
}

// ---- making -----------------------------------------------------------------------------------------------------

static void measure_nodes(lm_design_outline* o)
{
	const lm_design_model* m = o->model;
	lm_mat3 sum = { 0 };
	double trace = 0;
	for (int32_t i = 0; i < m->node_count; ++i)
	{
		lm_vec3 r = lm_sub(lm_v3_at(m->nodes, i), m->middle);
		lm_add_outer(&sum, 1, r, r);
		trace += lm_dot(r, r);
	}
	for (int d = 0; d < 3; ++d)
		sum.m[d][d] += 1e-9 * trace + 1e-12; // nodes in a plane
	if (!lm_invert(sum, &o->spread))
		o->spread = (lm_mat3){ 0 };
	const lm_design_field* f = o->field;
	o->excess[0] = o->excess[1] = 1;
	for (int32_t s = 0; s < m->grid.count; ++s)
	{
		double total = 0;
		for (int32_t i = 0; i < m->node_count; ++i)
			total += fabs((double)f->phi[(int64_t)s * m->node_count + i]);
		if (fabs((double)f->distance[s]) < LM_OUTLINE_SEEN * m->grid.h)
			o->excess[1] = fmax(o->excess[1], total);
	}
	const lm_design_rows* rows[2] = { o->feelers.rows, o->skin.rows };
	for (int k = 0; k < 2; ++k)
		for (int32_t p = 0; p < rows[k]->count; ++p)
		{
			double total = 0;
			for (int64_t e = rows[k]->start[p]; e < rows[k]->start[p + 1]; ++e)
				total += fabs(rows[k]->phi[e]);
			o->excess[0] = fmax(o->excess[0], total);
		}
}

lm_status lm_design_outline_create(const lm_design_model* model, const lm_design_field* field,
                                   const lm_design_rows* feelers, const lm_host* host, lm_design_outline* outline,
                                   lm_error* error)
{
	*outline = (lm_design_outline){ .model = model, .field = field };
	if (!fill_points(model, feelers, host, &outline->feelers, &outline->lonely) ||
	    !fill_points(model, &model->skin, host, &outline->skin, &outline->lonely))
		return lm_fail_memory(error);
	measure_reach(outline);
	measure_nodes(outline);
	return LM_OK;
}

void lm_design_outline_release(lm_design_outline* outline, const lm_host* host)
{
	release_points(&outline->feelers, host);
	release_points(&outline->skin, host);
}

// ---- bounds ----------------------------------------------------------------------------------------------------

// No less than the largest singular value, and 1.07 times that at most: |(A^T A)^4| to the power of 1/8.
static double norm(lm_mat3 A)
{
	lm_mat3 B = lm_mul(lm_transpose(A), A);
	double scale = B.m[0][0] + B.m[1][1] + B.m[2][2], sum = 0;
	if (!(scale > 0))
		return 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			B.m[i][j] /= scale;
	B = lm_mul(B, B);
	B = lm_mul(B, B);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			sum += B.m[i][j] * B.m[i][j];
	return sqrt(scale * sqrt(sqrt(sqrt(sum))));
}

static void find_box(const lm_design_outline* o, lm_design_bounds* s)
{
	double low[3], high[3];
	const double c[3] = { s->c.x, s->c.y, s->c.z };
	for (int d = 0; d < 3; ++d)
	{
		lm_vec3 row = lm_v3_at(s->A.m[d], 0);
		low[d] = c[d] - lm_design_outline_reach(o, lm_scale(-1, row)) - s->off;
		high[d] = c[d] + lm_design_outline_reach(o, row) + s->off;
	}
	s->low = lm_v3_at(low, 0), s->high = lm_v3_at(high, 0);
}

void lm_design_bounds_find(const lm_design_outline* o, const double* z, lm_vec3 center, double size,
                           lm_design_bounds* s)
{
	const lm_design_model* m = o->model;
	lm_vec3 c = { 0, 0, 0 };
	lm_mat3 B = { 0 };
	for (int32_t i = 0; i < m->node_count; ++i)
	{
		lm_vec3 x = lm_v3_at(z, i);
		c = lm_add(c, x);
		lm_add_outer(&B, 1, x, lm_sub(lm_v3_at(m->nodes, i), m->middle)); // the r sum to zero
	}
	c = lm_scale(1.0 / m->node_count, c);
	lm_mat3 A = lm_mul(B, o->spread);
	double worst = 0;
	for (int32_t i = 0; i < m->node_count; ++i)
	{
		lm_vec3 off = lm_sub(lm_sub(lm_v3_at(z, i), c), lm_mul_v(A, lm_sub(lm_v3_at(m->nodes, i), m->middle)));
		worst = fmax(worst, lm_dot(off, off));
	}
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			A.m[i][j] *= size;
	s->A = A;
	s->c = lm_add_scaled(center, size, c);
	s->off = size * (o->excess[0] * sqrt(worst) + 1e-6);
	s->around = size * (o->excess[1] * sqrt(worst) + 1e-6);
	s->grow = norm(A);
	s->inverse = (lm_mat3){ 0 };
	s->stretch = lm_invert(A, &s->inverse) ? norm(s->inverse) : INFINITY;
	find_box(o, s);
}

bool lm_design_bounds_apart(const lm_design_outline* of_a, const lm_design_bounds* a, const lm_design_outline* of_b,
                            const lm_design_bounds* b, double margin, lm_vec3* normal, double* begin)
{
	lm_vec3 n = *normal = lm_normalize_or(lm_sub(b->c, a->c), lm_v3(0, 1, 0));
	double end = lm_dot(n, a->c) + lm_design_outline_reach(of_a, lm_tmul_v(a->A, n)) + a->off;
	*begin = lm_dot(n, b->c) - lm_design_outline_reach(of_b, lm_scale(-1, lm_tmul_v(b->A, n))) - b->off;
	return end + margin < *begin;
}

// ---- the sweep --------------------------------------------------------------------------------------------------

static double along(lm_vec3 x, int axis)
{
	return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

static int widest_axis(const lm_design_bounds* s, int32_t count)
{
	lm_vec3 low = s[0].c, high = s[0].c;
	for (int32_t k = 1; k < count; ++k)
		low = lm_min3(low, s[k].c), high = lm_max3(high, s[k].c);
	lm_vec3 d = lm_sub(high, low);
	return d.x >= d.y ? (d.x >= d.z ? 0 : 2) : (d.y >= d.z ? 1 : 2);
}

static bool boxes_meet(const lm_design_bounds* a, const lm_design_bounds* b, double margin)
{
	return a->low.x <= b->high.x + margin && b->low.x <= a->high.x + margin && a->low.y <= b->high.y + margin &&
	       b->low.y <= a->high.y + margin && a->low.z <= b->high.z + margin && b->low.z <= a->high.z + margin;
}

static int by_index(const void* a, const void* b)
{
	const int32_t *x = a, *y = b;
	return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

int64_t lm_design_bounds_pairs(const lm_design_bounds* bounds, int32_t count, double margin, int32_t* order,
                               int32_t (*pairs)[2], int64_t most)
{
	int64_t found = 0;
	int axis = count > 0 ? widest_axis(bounds, count) : 0;
	for (int32_t k = 0; k < count; ++k) // by insertion
	{
		int32_t at = k;
		for (; at > 0 && along(bounds[order[at - 1]].low, axis) > along(bounds[k].low, axis); --at)
			order[at] = order[at - 1];
		order[at] = k;
	}
	for (int32_t k = 0; k < count; ++k)
	{
		const lm_design_bounds* first = &bounds[order[k]];
		double end = along(first->high, axis) + margin;
		for (int32_t l = k + 1; l < count && along(bounds[order[l]].low, axis) <= end; ++l)
		{
			if (!boxes_meet(first, &bounds[order[l]], margin))
				continue;
			if (found < most)
			{
				pairs[found][0] = order[k] < order[l] ? order[k] : order[l];
				pairs[found][1] = order[k] < order[l] ? order[l] : order[k];
			}
			++found;
		}
	}
	if (found <= most)
		qsort(pairs, (size_t)found, sizeof *pairs, by_index);
	return found;
}
