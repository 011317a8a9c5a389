// voxels.c: winding numbers on a grid, and connected pieces.
#include "mesh/voxels.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

enum
{
	grain = 256
};

static const double speck = 1e-3; // of all cubes: smaller pieces are left out

void lm_voxels_release(lm_voxels* voxels)
{
	lm_free(&voxels->host, voxels->inside);
	voxels->inside = NULL;
}

static lm_status allocate(const lm_host* host, lm_voxels* v, lm_error* error)
{
	v->host = *host;
	v->count = (int64_t)v->n[0] * v->n[1] * v->n[2];
	v->inside = LM_NEW(host, v->count, uint8_t);
	return v->inside != NULL ? LM_OK : lm_fail_memory(error);
}

typedef struct fill_job
{
	const lm_lattice_surface* surface;
	lm_voxels* voxels;
} fill_job;

static void fill(void* context, int64_t begin, int64_t end)
{
	const fill_job* job = context;
	const lm_lattice_surface* s = job->surface;
	for (int64_t k = begin; k < end; ++k)
	{
		double w = lm_winding_number(&s->winding, lm_voxel_center(job->voxels, k), LM_WINDING_ACCURACY);
		job->voxels->inside[k] = fabs(w) > s->inside; // parts that face inwards count, too
	}
}

lm_status lm_voxels_create(const lm_lattice_surface* surface, const lm_host* host, lm_voxels* result, lm_error* error)
{
	lm_status status = allocate(host, result, error);
	fill_job job = { surface, result };
	if (status == LM_OK)
		lm_parallel_for(host->threads, result->count, grain, fill, &job);
	return status;
}

lm_status lm_voxels_resample(const lm_voxels* from, const lm_host* host, lm_voxels* result, lm_error* error)
{
	lm_status status = allocate(host, result, error);
	for (int64_t k = 0; status == LM_OK && k < result->count; ++k)
	{
		lm_vec3 p = lm_scale(1 / from->h, lm_sub(lm_voxel_center(result, k), from->origin));
		int32_t at[3] = { (int32_t)floor(p.x), (int32_t)floor(p.y), (int32_t)floor(p.z) };
		bool there = true;
		for (int c = 0; c < 3; ++c)
			there = there && at[c] >= 0 && at[c] < from->n[c];
		result->inside[k] = there && from->inside[lm_voxel_at(from->n, at[0], at[1], at[2])];
	}
	return status;
}

// ---- pieces

int lm_voxel_neighbours(const int32_t n[3], int64_t cube, int64_t neighbours[6])
{
	int64_t stride = 1, rest = cube;
	int count = 0;
	for (int c = 0; c < 3; ++c)
	{
		int64_t place = rest % n[c];
		rest /= n[c];
		if (place > 0)
			neighbours[count++] = cube - stride;
		if (place + 1 < n[c])
			neighbours[count++] = cube + stride;
		stride *= n[c];
	}
	return count;
}

// Those that share an edge within a layer.
static int diagonal_neighbours(const int32_t n[3], int64_t cube, int64_t neighbours[4])
{
	int64_t i = cube % n[0], k = cube / n[0];
	int count = 0;
	for (int a = -1; a <= 1; a += 2)
		for (int b = -1; b <= 1; b += 2)
			if (i + a >= 0 && i + a < n[0] && k + b >= 0 && k + b < n[2])
				neighbours[count++] = i + a + n[0] * (k + b);
	return count;
}

int32_t lm_voxels_label(const int32_t n[3], const uint8_t* mask, bool flat, int32_t* label, int64_t* stack)
{
	int64_t count = (int64_t)n[0] * n[1] * n[2];
	int32_t pieces = 0;
	memset(label, 0, (size_t)count * sizeof *label);
	for (int64_t seed = 0; seed < count; ++seed)
	{
		if (!mask[seed] || label[seed] != 0)
			continue;
		int64_t top = 0;
		label[seed] = ++pieces;
		stack[top++] = seed;
		while (top > 0)
		{
			int64_t cube = stack[--top], near[10];
			int found = lm_voxel_neighbours(n, cube, near);
			if (flat)
				found += diagonal_neighbours(n, cube, near + found);
			for (int q = 0; q < found; ++q)
				if (mask[near[q]] && label[near[q]] == 0)
				{
					label[near[q]] = pieces;
					stack[top++] = near[q];
				}
		}
	}
	return pieces;
}

// ---- joining

// Breadth first from the piece `main` through everything; the way back from each cube. Returns the first cube that is
// reached of another piece, or -1.
static int64_t reach_another(const lm_voxels* v, const int32_t* label, int32_t main, int64_t* queue, int64_t* back)
{
	int64_t head = 0, tail = 0;
	for (int64_t k = 0; k < v->count; ++k)
	{
		back[k] = label[k] == main ? k : -1;
		if (label[k] == main)
			queue[tail++] = k;
	}
	while (head < tail)
	{
		int64_t cube = queue[head++], near[6];
		int found = lm_voxel_neighbours(v->n, cube, near);
		for (int q = 0; q < found; ++q)
		{
			if (back[near[q]] >= 0)
				continue;
			back[near[q]] = cube;
			queue[tail++] = near[q];
			if (v->inside[near[q]])
				return near[q];
		}
	}
	return -1;
}

static int32_t largest_piece(const lm_voxels* v, const int32_t* label, int32_t pieces, int64_t* sizes)
{
	int32_t best = 1;
	memset(sizes, 0, ((size_t)pieces + 1) * sizeof *sizes);
	for (int64_t k = 0; k < v->count; ++k)
		++sizes[label[k]];
	for (int32_t p = 2; p <= pieces; ++p)
		if (sizes[p] > sizes[best])
			best = p;
	return best;
}

// Drops pieces too small to be worth connecting. Returns how many pieces are left; label of what is dropped becomes 0.
static int32_t drop_specks(lm_voxels* v, int32_t* label, int32_t pieces, int64_t* sizes)
{
	int32_t left = 0;
	int64_t total = 0;
	largest_piece(v, label, pieces, sizes);
	for (int32_t p = 1; p <= pieces; ++p)
		total += sizes[p];
	for (int64_t k = 0; k < v->count; ++k)
		if (label[k] != 0 && (double)sizes[label[k]] < speck * (double)total)
			v->inside[k] = 0, label[k] = 0;
	for (int32_t p = 1; p <= pieces; ++p)
		left += (double)sizes[p] >= speck * (double)total;
	return left;
}

lm_status lm_voxels_join(lm_voxels* v, lm_error* error)
{
	int32_t* label = LM_NEW(&v->host, v->count, int32_t);
	int64_t* queue = LM_NEW(&v->host, v->count + 1, int64_t);
	int64_t* back = LM_NEW(&v->host, v->count + 1, int64_t);
	lm_status status = label && queue && back ? LM_OK : lm_fail_memory(error);
	int32_t pieces = status == LM_OK ? lm_voxels_label(v->n, v->inside, false, label, queue) : 0;
	int32_t left = pieces > 1 ? drop_specks(v, label, pieces, back) : pieces;
	for (; left > 1; --left)
	{
		int32_t main = largest_piece(v, label, pieces, back);
		int64_t at = reach_another(v, label, main, queue, back);
		int32_t joined = at >= 0 ? label[at] : main;
		for (int64_t k = at; k >= 0 && label[k] != main; k = back[k])
			if (label[k] == 0)
				v->inside[k] = 1, label[k] = main;
		for (int64_t k = 0; k < v->count; ++k)
			label[k] = label[k] == joined ? main : label[k];
	}
	lm_free(&v->host, label);
	lm_free(&v->host, queue);
	lm_free(&v->host, back);
	return status;
}
