#include "mesh/cage_cells.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

// The data of all trials.
typedef struct plane_search
{
	const lm_cage_voxels* voxels;
	int32_t most_vertices;
	double tightness;
	double box;      // volume of the whole
	int32_t* sums;   // [(n0 + 1) (n1 + 1) (n2 + 1)] filled fine cells below a corner
	uint8_t* filled; // [fine cells] of the trial
	int64_t* stack;
} plane_search;

typedef struct trial
{
	lm_cage_planes planes;
	double energy;
	int32_t vertices;
} trial;

// ---- one trial

static int64_t sum_index(const lm_cage_voxels* voxels, const int32_t p[3])
{
	return p[0] + (voxels->n[0] + 1) * (p[1] + (int64_t)(voxels->n[1] + 1) * p[2]);
}

static void build_sums(const lm_cage_voxels* voxels, int32_t* sums)
{
	int32_t p[3];
	for (p[2] = 1; p[2] <= voxels->n[2]; ++p[2])
		for (p[1] = 1; p[1] <= voxels->n[1]; ++p[1])
			for (p[0] = 1; p[0] <= voxels->n[0]; ++p[0])
			{
				int64_t cell = (p[0] - 1) + voxels->n[0] * ((p[1] - 1) + (int64_t)voxels->n[1] * (p[2] - 1));
				int32_t sum = voxels->filled[cell];
				for (int corner = 1; corner < 8; ++corner)
				{
					int32_t q[3] = { p[0] - (corner & 1), p[1] - (corner >> 1 & 1), p[2] - (corner >> 2) };
					int bits = (corner & 1) + (corner >> 1 & 1) + (corner >> 2);
					sum += bits % 2 == 1 ? sums[sum_index(voxels, q)] : -sums[sum_index(voxels, q)];
				}
				sums[sum_index(voxels, p)] = sum;
			}
}

// Does the body reach into the coarse cell?
static bool is_taken(const plane_search* search, const lm_cage_planes* planes, const int32_t cell[3])
{
	int32_t sum = 0;
	for (int corner = 0; corner < 8; ++corner)
	{
		int32_t p[3];
		int lower = 0;
		for (int k = 0; k < 3; ++k)
		{
			bool upper = corner >> k & 1;
			lower += !upper;
			p[k] = planes->at[k][cell[k] + upper];
		}
		int32_t part = search->sums[sum_index(search->voxels, p)];
		sum += lower % 2 == 0 ? part : -part;
	}
	return sum > 0;
}

int lm_cage_cells_around(const lm_cage_planes* planes, const uint8_t* filled, const int32_t p[3])
{
	int bits = 0;
	for (int corner = 0; corner < 8; ++corner)
	{
		int32_t cell[3] = { 0 };
		bool outside = false;
		for (int k = 0; k < 3; ++k)
		{
			cell[k] = p[k] - 1 + (corner >> k & 1);
			outside = outside || cell[k] < 0 || cell[k] >= planes->n[k];
		}
		if (!outside && filled[cell[0] + planes->n[0] * (cell[1] + (int64_t)planes->n[1] * cell[2])] == 1)
			bits |= 1 << corner;
	}
	return bits;
}

// Whether the cells of a set around a corner are connected through sides. The empty set is.
static bool are_connected(int set)
{
	int reached = set & -set, before = 0;
	while (reached != before)
	{
		before = reached;
		for (int corner = 0; corner < 8; ++corner)
			for (int k = 0; k < 3; ++k)
				if (before >> corner & 1)
					reached |= set & 1 << (corner ^ 1 << k);
	}
	return reached == set;
}

// 2: taken for empty until all corners are seen, so that mirror images are treated alike.
static void fill_around(const lm_cage_planes* planes, uint8_t* filled, const int32_t p[3])
{
	for (int corner = 0; corner < 8; ++corner)
	{
		int32_t cell[3] = { 0 };
		bool outside = false;
		for (int k = 0; k < 3; ++k)
		{
			cell[k] = p[k] - 1 + (corner >> k & 1);
			outside = outside || cell[k] < 0 || cell[k] >= planes->n[k];
		}
		uint8_t* place = filled + cell[0] + planes->n[0] * (cell[1] + (int64_t)planes->n[1] * cell[2]);
		if (!outside && !*place)
			*place = 2;
	}
}

// Where cells meet in no more than an edge or a corner the surface would pinch: fills all around. False: none did.
static bool fill_pinches(const lm_cage_planes* planes, uint8_t* filled, int32_t* vertices)
{
	const int all = 255;
	bool changed = false;
	int32_t p[3];
	*vertices = 0;
	for (p[2] = 0; p[2] <= planes->n[2]; ++p[2])
		for (p[1] = 0; p[1] <= planes->n[1]; ++p[1])
			for (p[0] = 0; p[0] <= planes->n[0]; ++p[0])
			{
				int set = lm_cage_cells_around(planes, filled, p);
				*vertices += set != 0 && set != all;
				if (are_connected(set) && are_connected(all & ~set))
					continue;
				fill_around(planes, filled, p);
				changed = true;
			}
	for (int64_t i = 0; i < (int64_t)planes->n[0] * planes->n[1] * planes->n[2]; ++i)
		filled[i] = filled[i] != 0;
	return changed;
}

static void evaluate(const plane_search* search, trial* t)
{
	const lm_cage_planes* planes = &t->planes;
	int32_t cell[3];
	int64_t i = 0;
	for (cell[2] = 0; cell[2] < planes->n[2]; ++cell[2])
		for (cell[1] = 0; cell[1] < planes->n[1]; ++cell[1])
			for (cell[0] = 0; cell[0] < planes->n[0]; ++cell[0])
				search->filled[i++] = is_taken(search, planes, cell);
	do
		lm_cage_fill_cavities(3, planes->n, search->filled, search->stack);
	while (fill_pinches(planes, search->filled, &t->vertices));
	double sum = 0, taken = 0;
	i = 0;
	for (cell[2] = 0; cell[2] < planes->n[2]; ++cell[2])
		for (cell[1] = 0; cell[1] < planes->n[1]; ++cell[1])
			for (cell[0] = 0; cell[0] < planes->n[0]; ++cell[0], ++i)
			{
				double volume = 1, sides2 = 0;
				for (int k = 0; k < 3; ++k)
				{
					double side = search->voxels->step[k] * (planes->at[k][cell[k] + 1] - planes->at[k][cell[k]]);
					volume *= side;
					sides2 += side * side;
				}
				sum += search->filled[i] ? volume * sides2 : 0;
				taken += search->filled[i] ? volume : 0;
			}
	t->energy = sum * pow(taken / search->box, search->tightness);
}

// ---- moves

static void insert_plane(lm_cage_planes* planes, int axis, int at)
{
	int i = planes->n[axis]++;
	while (planes->at[axis][i] > at)
	{
		planes->at[axis][i + 1] = planes->at[axis][i];
		--i;
	}
	planes->at[axis][i + 1] = (uint8_t)at;
}

static bool has_plane(const lm_cage_planes* planes, int axis, int at)
{
	for (int i = 0; i <= planes->n[axis]; ++i)
		if (planes->at[axis][i] == at)
			return true;
	return false;
}

static void remove_plane(lm_cage_planes* planes, int axis, int i)
{
	memmove(planes->at[axis] + i, planes->at[axis] + i + 1, (size_t)(planes->n[axis] - i));
	--planes->n[axis];
}

static bool better(const plane_search* search, const trial* t, double energy)
{
	return t->vertices <= search->most_vertices && t->energy < energy * (1 - 1e-9);
}

// Planes t with one more at `at` and at its mirror image; with instead, in place of the one on the mirror. False: there
// is nothing to insert or to replace.
static bool with_plane(const lm_cage_voxels* voxels, const trial* t, int axis, int at, bool instead, trial* next)
{
	int n = voxels->n[axis];
	*next = (trial){ .planes = t->planes };
	if (has_plane(&t->planes, axis, at))
		return false;
	if (instead)
	{
		if (!voxels->mirrored[axis] || !has_plane(&t->planes, axis, n / 2))
			return false;
		remove_plane(&next->planes, axis, t->planes.n[axis] / 2);
	}
	insert_plane(&next->planes, axis, at);
	if (voxels->mirrored[axis] && 2 * at != n)
		insert_plane(&next->planes, axis, n - at);
	return true;
}

// The plane (with its mirror image) that gains most for the vertices it costs. False: none fits.
static bool insert_best(const plane_search* search, trial* t)
{
	const lm_cage_voxels* voxels = search->voxels;
	trial best = *t;
	double most = 0;
	for (int axis = 0; axis < 3; ++axis)
		for (int i = 2; i < 2 * (voxels->mirrored[axis] ? voxels->n[axis] / 2 + 1 : voxels->n[axis]); ++i)
		{
			trial next;
			if (!with_plane(voxels, t, axis, i / 2, i % 2, &next))
				continue;
			evaluate(search, &next);
			double cost = fmax(next.vertices - t->vertices, 0.1), gain = (t->energy - next.energy) / cost;
			if (better(search, &next, t->energy) && gain > most * (1 + 1e-9))
				best = next, most = gain;
		}
	*t = best;
	return most > 0;
}

// Plane i and its mirror image moved by `by`; false when there is no room.
static bool shift_plane(const lm_cage_voxels* voxels, int axis, int i, int by, lm_cage_planes* planes)
{
	uint8_t* at = planes->at[axis];
	int n = planes->n[axis], other = n - i;
	if (voxels->mirrored[axis] && other == i)
		return false;
	at[i] = (uint8_t)(at[i] + by);
	if (voxels->mirrored[axis])
		at[other] = (uint8_t)(at[other] - by);
	for (int k = 0; k < n; ++k)
		if (at[k] >= at[k + 1])
			return false;
	return true;
}

static void shift_planes(const plane_search* search, trial* t)
{
	for (bool improved = true; improved;)
	{
		improved = false;
		for (int axis = 0; axis < 3; ++axis)
			for (int i = 1; i < t->planes.n[axis]; ++i)
				for (int by = -3; by <= 3; ++by)
				{
					trial next = { .planes = t->planes };
					if (by == 0 || t->planes.at[axis][i] + by <= 0 ||
					    !shift_plane(search->voxels, axis, i, by, &next.planes))
						continue;
					evaluate(search, &next);
					if (better(search, &next, t->energy))
						*t = next, improved = true;
				}
	}
}

static void refine(const plane_search* search, trial* t)
{
	do
		shift_planes(search, t);
	while (insert_best(search, t));
}

// Takes out one plane (with its mirror image) after another and refines again.
static void replace_planes(const plane_search* search, trial* t)
{
	for (int axis = 0; axis < 3; ++axis)
		for (int i = 1; i < t->planes.n[axis]; ++i)
		{
			trial next = { .planes = t->planes };
			int other = search->voxels->mirrored[axis] ? t->planes.n[axis] - i : i;
			remove_plane(&next.planes, axis, i > other ? i : other);
			if (other != i)
				remove_plane(&next.planes, axis, i < other ? i : other);
			evaluate(search, &next);
			if (next.vertices > search->most_vertices)
				continue;
			refine(search, &next);
			if (better(search, &next, t->energy))
				*t = next;
		}
}

lm_status lm_cage_cells_create(const lm_cage_voxels* voxels, int32_t vertices, double tightness, const lm_host* host,
                               lm_cage_cells* cells, lm_error* error)
{
	size_t fine = (size_t)lm_cage_voxels_cells(voxels);
	size_t corners = (size_t)(voxels->n[0] + 1) * (size_t)(voxels->n[1] + 1) * (size_t)(voxels->n[2] + 1);
	plane_search search = { .voxels = voxels,
		                    .most_vertices = vertices,
		                    .tightness = tightness,
		                    .box = 1,
		                    .sums = LM_NEW(host, corners, int32_t),
		                    .filled = LM_NEW(host, fine, uint8_t),
		                    .stack = LM_NEW(host, fine, int64_t) };
	for (int k = 0; k < 3; ++k)
		search.box *= voxels->step[k] * voxels->n[k];
	bool done = search.sums != NULL && search.filled != NULL && search.stack != NULL;
	if (done)
	{
		build_sums(voxels, search.sums);
		trial best = { .planes.n = { 1, 1, 1 } };
		for (int k = 0; k < 3; ++k)
			best.planes.at[k][1] = (uint8_t)voxels->n[k];
		evaluate(&search, &best);
		refine(&search, &best);
		replace_planes(&search, &best);
		evaluate(&search, &best);
		*cells = (lm_cage_cells){ best.planes, search.filled, best.vertices, best.energy };
	}
	else
		lm_free(host, search.filled);
	lm_free(host, search.sums);
	lm_free(host, search.stack);
	return done ? LM_OK : lm_fail_memory(error);
}

void lm_cage_cells_release(lm_cage_cells* cells, const lm_host* host)
{
	lm_free(host, cells->filled);
	*cells = (lm_cage_cells){ 0 };
}
