#include "mesh/cage_body.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	fine_2d = 80, // cells along the longest side
	fine_3d = 24,
	many_samples = 4000 // more are thinned out
};

// Bodies whose mirror image differs in no more than this share of their cells are given a symmetric cage.
static const double nearly_mirrored = 0.03;

static lm_status check_body(const lm_cage_body* body, lm_error* error)
{
	int d = body->dimension;
	if (body->vertex_count < 1)
		return lm_fail(error, LM_BAD_INPUT, "a cage needs a body with vertices to go around");
	for (int64_t i = 0; i < (int64_t)d * body->vertex_count; ++i)
		if (!(fabs(body->positions[i]) <= 1e30))
			return lm_fail_element(error, i / d, "vertex %lld has a coordinate that is not a number up to 1e30",
			                       (long long)(i / d));
	if (body->element_count > 0 && (body->corners < 2 || body->corners > d + 1))
		return lm_fail(error, LM_BAD_INPUT, "elements of %d corners in %dD: a cage goes around those of 2 to %d",
		               body->corners, d, d + 1);
	for (int64_t i = 0; i < (int64_t)body->corners * body->element_count; ++i)
		if (body->elements[i] < 0 || body->elements[i] >= body->vertex_count)
			return lm_fail(error, LM_BAD_INPUT, "element %lld names vertex %d, but there are only %d",
			               (long long)(i / body->corners), body->elements[i], body->vertex_count);
	return LM_OK;
}

static lm_status lay_out(const lm_cage_body* body, double margin, lm_cage_voxels* voxels, lm_error* error)
{
	int d = body->dimension;
	double high[3], longest = 0;
	for (int k = 0; k < d; ++k)
	{
		voxels->low[k] = high[k] = body->positions[k];
		for (int64_t v = 1; v < body->vertex_count; ++v)
		{
			voxels->low[k] = fmin(voxels->low[k], body->positions[d * v + k]);
			high[k] = fmax(high[k], body->positions[d * v + k]);
		}
		longest = fmax(longest, high[k] - voxels->low[k]);
	}
	double largest = 0;
	for (int k = 0; k < d; ++k)
		largest = fmax(largest, fmax(fabs(voxels->low[k]), fabs(high[k])));
	if (!(longest > 1e-9 * largest))
		return lm_fail(error, LM_BAD_INPUT, "the body has no extent: all its vertices lie in one place");
	voxels->margin = margin * longest;
	double fine = longest * (1 + 2 * margin) / (d == 2 ? fine_2d : fine_3d);
	for (int k = 0; k < 3; ++k)
	{
		double side = k < d ? high[k] - voxels->low[k] + 2 * voxels->margin : 1;
		voxels->n[k] = k < d ? 2 * (int32_t)fmax(1, round(side / fine / 2)) : 1;
		voxels->step[k] = side / voxels->n[k];
		voxels->low[k] = k < d ? voxels->low[k] - voxels->margin : 0;
	}
	return LM_OK;
}

// Adds a point, and fills the cells around it up to the margin. False: out of memory.
static bool add_sample(lm_cage_voxels* voxels, const double* x, const lm_host* host)
{
	int d = voxels->dimension;
	size_t end = (voxels->sample_count + 1) * (size_t)d;
	if (!lm_grow(host, (void**)&voxels->samples, &voxels->sample_capacity, end, sizeof(double)))
		return false;
	memcpy(voxels->samples + end - d, x, sizeof(double) * (size_t)d);
	++voxels->sample_count;
	int32_t begin[3] = { 0 }, last[3] = { 0 };
	for (int k = 0; k < d; ++k)
	{
		// not by rounding into the next cell
		double at = (x[k] - voxels->low[k]) / voxels->step[k], reach = voxels->margin / voxels->step[k] - 1e-6;
		begin[k] = (int32_t)fmax(floor(at - reach), 0);
		last[k] = (int32_t)fmin(floor(at + reach), voxels->n[k] - 1);
	}
	for (int32_t c = begin[2]; c <= last[2]; ++c)
		for (int32_t b = begin[1]; b <= last[1]; ++b)
			for (int32_t a = begin[0]; a <= last[0]; ++a)
				voxels->filled[a + voxels->n[0] * (b + (int64_t)voxels->n[1] * c)] = 1;
	return true;
}

// Points of the face (2 or 3 corners) not farther apart than the margin, without its corners.
static bool sample_face(lm_cage_voxels* voxels, const double* const corner[3], int corners, const lm_host* host)
{
	double longest = 0;
	int d = voxels->dimension;
	for (int a = 0; a < corners; ++a)
	{
		double length2 = 0;
		for (int k = 0; k < d; ++k)
			length2 += pow(corner[a][k] - corner[(a + 1) % corners][k], 2);
		longest = fmax(longest, sqrt(length2));
	}
	int parts = (int)ceil(longest / voxels->margin);
	for (int i = 0; i <= parts; ++i)
		for (int j = corners == 3 ? 0 : parts - i; j <= parts - i; ++j)
		{
			int last = parts - i - j;
			double x[3];
			if (i == parts || j == parts || last == parts)
				continue;
			for (int k = 0; k < d; ++k)
				x[k] = (i * corner[0][k] + j * corner[1][k] + (corners == 3 ? last * corner[2][k] : 0)) / parts;
			if (!add_sample(voxels, x, host))
				return false;
		}
	return true;
}

// What bounds an element: all pairs of corners in 2D, all triples in 3D, or the element itself if it has no more.
static bool sample_element(lm_cage_voxels* voxels, const lm_cage_body* body, int64_t element, const lm_host* host)
{
	int d = body->dimension, m = body->corners, face = m < d ? m : d;
	const double* corner[4];
	for (int c = 0; c < m; ++c)
		corner[c] = body->positions + (int64_t)d * body->elements[m * element + c];
	for (int a = 0; a < m; ++a)
		for (int b = a + 1; b < m; ++b)
			for (int c = face == 3 ? b + 1 : m; c < (face == 3 ? m : m + 1); ++c)
				if (!sample_face(voxels, (const double* [3]){ corner[a], corner[b], face == 3 ? corner[c] : NULL },
				                 face, host))
					return false;
	return true;
}

static bool sample_body(lm_cage_voxels* voxels, const lm_cage_body* body, const lm_host* host)
{
	for (int64_t v = 0; v < body->vertex_count; ++v)
		if (!add_sample(voxels, body->positions + body->dimension * v, host))
			return false;
	for (int64_t e = 0; e < body->element_count; ++e)
		if (!sample_element(voxels, body, e, host))
			return false;
	return true;
}

void lm_cage_fill_cavities(int dimension, const int32_t n[3], uint8_t* filled, int64_t* stack)
{
	int64_t cells = (int64_t)n[0] * n[1] * n[2], count = 0;
	const int64_t stride[3] = { 1, n[0], (int64_t)n[0] * n[1] };
	for (int64_t cell = 0; cell < cells; ++cell)
		for (int k = 0; k < dimension && !filled[cell]; ++k)
		{
			int64_t at = cell / stride[k] % n[k];
			if (at == 0 || at == n[k] - 1)
			{
				filled[cell] = 2; // outside
				stack[count++] = cell;
			}
		}
	while (count > 0)
	{
		int64_t cell = stack[--count];
		for (int k = 0; k < 3; ++k)
			for (int side = 0; side < 2; ++side)
			{
				int64_t at = cell / stride[k] % n[k], next = side ? cell + stride[k] : cell - stride[k];
				if (at == (side ? n[k] - 1 : 0) || filled[next])
					continue;
				filled[next] = 2;
				stack[count++] = next;
			}
	}
	for (int64_t cell = 0; cell < cells; ++cell)
		filled[cell] = filled[cell] != 2;
}

// The cell's mirror image along an axis.
static int64_t mirrored_cell(const lm_cage_voxels* voxels, int64_t cell, int axis)
{
	int64_t stride = axis == 0 ? 1 : axis == 1 ? voxels->n[0] : (int64_t)voxels->n[0] * voxels->n[1];
	int64_t at = cell / stride % voxels->n[axis];
	return cell + stride * (voxels->n[axis] - 1 - 2 * at);
}

static void find_mirrors(lm_cage_voxels* voxels)
{
	int64_t cells = lm_cage_voxels_cells(voxels);
	for (int axis = 0; axis < voxels->dimension; ++axis)
	{
		int64_t taken = 0, alone = 0;
		for (int64_t cell = 0; cell < cells; ++cell)
		{
			taken += voxels->filled[cell];
			alone += voxels->filled[cell] && !voxels->filled[mirrored_cell(voxels, cell, axis)];
		}
		voxels->mirrored[axis] = (double)alone <= nearly_mirrored * (double)taken;
		for (int64_t cell = 0; cell < cells && voxels->mirrored[axis]; ++cell)
			if (voxels->filled[cell])
				voxels->filled[mirrored_cell(voxels, cell, axis)] = 1;
	}
}

// ---- in 2D: one outline

static bool is_filled(const lm_cage_voxels* voxels, int64_t x, int64_t y)
{
	return x >= 0 && y >= 0 && x < voxels->n[0] && y < voxels->n[1] && voxels->filled[x + voxels->n[0] * y] == 1;
}

// Marks the cells around corner x, y for filling.
static void mark_around(lm_cage_voxels* voxels, int64_t x, int64_t y)
{
	for (int i = 0; i < 4; ++i)
	{
		int64_t a = x - (i & 1), b = y - (i >> 1);
		if (a >= 0 && b >= 0 && a < voxels->n[0] && b < voxels->n[1] && !voxels->filled[a + voxels->n[0] * b])
			voxels->filled[a + voxels->n[0] * b] = 2;
	}
}

// Fills around corners in which cells meet crosswise, or, with grow, around all filled ones. All at once, so that
// mirror images are treated alike. False: there were none.
static bool fill_corners(lm_cage_voxels* voxels, bool grow)
{
	bool changed = false;
	for (int64_t y = 0; y <= voxels->n[1]; ++y)
		for (int64_t x = 0; x <= voxels->n[0]; ++x)
		{
			bool a = is_filled(voxels, x - 1, y - 1), b = is_filled(voxels, x, y - 1), c = is_filled(voxels, x - 1, y),
				 d = is_filled(voxels, x, y);
			if (grow ? !(a || b || c || d) : a != d || b != c || a == b)
				continue;
			mark_around(voxels, x, y);
			changed = true;
		}
	for (int64_t cell = 0; cell < lm_cage_voxels_cells(voxels); ++cell)
		voxels->filled[cell] = voxels->filled[cell] != 0;
	return changed;
}

static bool in_one_piece(lm_cage_voxels* voxels, int64_t* stack)
{
	int64_t cells = lm_cage_voxels_cells(voxels), first = 0, count = 0;
	while (!voxels->filled[first])
		++first;
	voxels->filled[first] = 2;
	stack[count++] = first;
	while (count > 0)
	{
		int64_t cell = stack[--count], x = cell % voxels->n[0], y = cell / voxels->n[0];
		const int64_t next[4][2] = { { x - 1, y }, { x + 1, y }, { x, y - 1 }, { x, y + 1 } };
		for (int i = 0; i < 4; ++i)
			if (is_filled(voxels, next[i][0], next[i][1]))
			{
				stack[count] = next[i][0] + voxels->n[0] * next[i][1];
				voxels->filled[stack[count++]] = 2;
			}
	}
	bool whole = true;
	for (int64_t cell = 0; cell < cells; ++cell)
	{
		whole = whole && voxels->filled[cell] != 1;
		voxels->filled[cell] = voxels->filled[cell] != 0;
	}
	return whole;
}

// Fills until there is one piece without cavities that pinches nowhere: at the latest when the box is full.
static void make_simple(lm_cage_voxels* voxels, int64_t* stack)
{
	for (;;)
	{
		while (fill_corners(voxels, false))
			continue;
		lm_cage_fill_cavities(2, voxels->n, voxels->filled, stack);
		if (in_one_piece(voxels, stack) && !fill_corners(voxels, false))
			return;
		if (!in_one_piece(voxels, stack))
			fill_corners(voxels, true);
	}
}

// ---- fewer samples

typedef struct sample_key
{
	uint64_t key; // of the half margin's cell it lies in
	size_t sample;
} sample_key;

static int compare_keys(const void* a, const void* b)
{
	const sample_key *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->sample > y->sample) - (x->sample < y->sample);
}

// One sample for every cell of half a margin.
static bool thin_out(lm_cage_voxels* voxels, const lm_host* host)
{
	int d = voxels->dimension;
	if (voxels->sample_count <= many_samples)
		return true;
	sample_key* keys = LM_NEW(host, voxels->sample_count, sample_key);
	double* kept = LM_NEW(host, voxels->sample_count * (size_t)d, double);
	if (keys == NULL || kept == NULL)
	{
		lm_free(host, keys);
		lm_free(host, kept);
		return false;
	}
	for (size_t i = 0; i < voxels->sample_count; ++i)
	{
		keys[i].sample = i;
		for (int k = 0; k < d; ++k)
		{
			double at = (voxels->samples[d * i + k] - voxels->low[k]) / (voxels->margin / 2);
			keys[i].key = keys[i].key << 20 | (uint64_t)fmin(fmax(at, 0), 1e6);
		}
	}
	qsort(keys, voxels->sample_count, sizeof *keys, compare_keys);
	size_t count = 0;
	for (size_t i = 0; i < voxels->sample_count; ++i)
		if (i == 0 || keys[i].key != keys[i - 1].key)
			memcpy(kept + d * count++, voxels->samples + d * keys[i].sample, sizeof(double) * (size_t)d);
	lm_free(host, keys);
	lm_free(host, voxels->samples);
	voxels->samples = kept;
	voxels->sample_capacity = voxels->sample_count * (size_t)d;
	voxels->sample_count = count;
	return true;
}

lm_status lm_cage_voxels_create(const lm_cage_body* body, double margin, const lm_host* host, lm_cage_voxels* voxels,
                                lm_error* error)
{
	*voxels = (lm_cage_voxels){ .dimension = body->dimension };
	lm_status status = check_body(body, error);
	if (status == LM_OK)
		status = lay_out(body, margin, voxels, error);
	if (status != LM_OK)
		return status;
	voxels->filled = LM_NEW(host, lm_cage_voxels_cells(voxels), uint8_t);
	int64_t* stack = LM_NEW(host, lm_cage_voxels_cells(voxels), int64_t);
	bool done = voxels->filled != NULL && stack != NULL && sample_body(voxels, body, host) && thin_out(voxels, host);
	if (done)
	{
		lm_cage_fill_cavities(voxels->dimension, voxels->n, voxels->filled, stack);
		find_mirrors(voxels);
		if (voxels->dimension == 2)
			make_simple(voxels, stack);
	}
	lm_free(host, stack);
	if (done)
		return LM_OK;
	lm_cage_voxels_release(voxels, host);
	return lm_fail_memory(error);
}

void lm_cage_voxels_release(lm_cage_voxels* voxels, const lm_host* host)
{
	lm_free(host, voxels->filled);
	lm_free(host, voxels->samples);
	*voxels = (lm_cage_voxels){ 0 };
}
