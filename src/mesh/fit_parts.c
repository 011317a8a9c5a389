// fit_parts.c: parts of the inside, cell by cell, and the mesh of their cells.
#include "mesh/fit.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static const double least_share = 0.06; // of a cell: smaller parts are dropped unless they connect others

void lm_fit_release(lm_fit_body* b)
{
	lm_figure_release(&b->figure, &b->voxels.host);
	lm_voxels_release(&b->voxels);
	void* const owned[] = { b->parts, b->part,   b->cubes,  b->contacts, b->grid,    b->positions,
		                    b->sole,  b->starts, b->around, b->tets,     b->tet_part };
	for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
		lm_free(&b->host, owned[k]);
}

// ---- parts

static void cell_of(const lm_fit_body* b, int64_t cube, int32_t cell[3])
{
	const int32_t* n = b->voxels.n;
	cell[0] = (int32_t)(cube % n[0]) / b->sub;
	cell[1] = (int32_t)(cube / n[0] % n[1]) / b->sub;
	cell[2] = (int32_t)(cube / ((int64_t)n[0] * n[1])) / b->sub;
}

static bool same_cell(const lm_fit_body* b, int64_t a, int64_t c)
{
	int32_t p[3], q[3];
	cell_of(b, a, p), cell_of(b, c, q);
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Fills a part from a seed: connected cubes of the same cell and leg.
static void flood(lm_fit_body* b, int64_t seed, lm_fit_part* p)
{
	int64_t* queue = b->cubes + p->first;
	const uint8_t* leg = b->figure.leg;
	int32_t number = (int32_t)(p - b->parts);
	p->count = 1;
	queue[0] = seed;
	b->part[seed] = number;
	for (int64_t head = 0; head < p->count; ++head)
	{
		int64_t near[6];
		int found = lm_voxel_neighbours(b->voxels.n, queue[head], near);
		for (int q = 0; q < found; ++q)
			if (b->voxels.inside[near[q]] && b->part[near[q]] < 0 && leg[near[q]] == leg[seed] &&
			    same_cell(b, seed, near[q]))
			{
				b->part[near[q]] = number;
				queue[p->count++] = near[q];
			}
	}
}

static bool find_parts(lm_fit_body* b)
{
	size_t capacity = 0;
	int64_t used = 0;
	for (int64_t c = 0; c < b->voxels.count; ++c)
		b->part[c] = -1;
	for (int64_t c = 0; c < b->voxels.count; ++c)
	{
		if (!b->voxels.inside[c] || b->part[c] >= 0)
			continue;
		if (!lm_grow(&b->host, (void**)&b->parts, &capacity, (size_t)b->part_count + 1, sizeof *b->parts))
			return false;
		lm_fit_part* p = &b->parts[b->part_count++];
		*p = (lm_fit_part){ .first = used, .leg = b->figure.leg[c] };
		cell_of(b, c, p->cell);
		flood(b, c, p);
		used += p->count;
	}
	return true;
}

// Cubes of different legs do not join.
static bool may_join(const lm_fit_body* b, int64_t a, int64_t c)
{
	uint8_t l = b->figure.leg[a], m = b->figure.leg[c];
	return l == m || l == 0 || m == 0;
}

static bool find_contacts(lm_fit_body* b)
{
	const int32_t* n = b->voxels.n;
	int64_t stride[3] = { 1, n[0], (int64_t)n[0] * n[1] };
	size_t capacity = 0;
	for (int axis = 0; axis < 3; ++axis)
		for (int64_t c = 0; c < b->voxels.count; ++c)
		{
			int64_t place = c / stride[axis] % n[axis], next = c + stride[axis];
			if (place + 1 >= n[axis] || (place + 1) % b->sub != 0 || b->part[c] < 0 || b->part[next] < 0 ||
			    !may_join(b, c, next))
				continue;
			lm_fit_contact found = { b->part[c], b->part[next], axis };
			if (b->contact_count > 0 && memcmp(&b->contacts[b->contact_count - 1], &found, sizeof found) == 0)
				continue;
			if (!lm_grow(&b->host, (void**)&b->contacts, &capacity, (size_t)b->contact_count + 1, sizeof found))
				return false;
			b->contacts[b->contact_count++] = found;
		}
	return true;
}

static int32_t root_of(int32_t* parent, int32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static void join_kept(const lm_fit_body* b, int32_t* set)
{
	for (int32_t p = 0; p < b->part_count; ++p)
		set[p] = p;
	for (int64_t k = 0; k < b->contact_count; ++k)
	{
		const lm_fit_contact* c = &b->contacts[k];
		if (b->parts[c->low].kept && b->parts[c->high].kept)
			set[root_of(set, c->low)] = root_of(set, c->high);
	}
}

// Whether a small part connects others, and so is kept.
static bool is_bridge(const lm_fit_body* b, int32_t p, int32_t* set)
{
	int32_t first = -1;
	for (int64_t k = 0; k < b->contact_count; ++k)
	{
		const lm_fit_contact* c = &b->contacts[k];
		int32_t other = c->low == p ? c->high : c->high == p ? c->low : -1;
		if (other < 0 || !b->parts[other].kept)
			continue;
		int32_t root = root_of(set, other);
		if (first >= 0 && root != first)
			return true;
		first = root;
	}
	return false;
}

static void choose_parts(lm_fit_body* b, int32_t* set)
{
	double least = least_share * b->sub * b->sub * b->sub;
	for (int32_t p = 0; p < b->part_count; ++p)
		b->parts[p].kept = (double)b->parts[p].count >= least || b->parts[p].leg > 0;
	join_kept(b, set);
	for (int32_t p = 0; p < b->part_count; ++p)
		if (!b->parts[p].kept && is_bridge(b, p, set))
		{
			b->parts[p].kept = true;
			join_kept(b, set);
		}
	// what is not connected to the largest set would fall off
	int32_t best = -1;
	int64_t most = 0;
	for (int32_t p = 0; p < b->part_count; ++p)
	{
		int64_t size = 0;
		for (int32_t q = 0; q < b->part_count && root_of(set, p) == p; ++q)
			size += b->parts[q].kept && root_of(set, q) == p ? b->parts[q].count : 0;
		if (size > most)
			most = size, best = p;
	}
	for (int32_t p = 0; p < b->part_count; ++p)
		b->parts[p].kept = b->parts[p].kept && root_of(set, p) == best;
}

// ---- vertices

static void merge_corners(const lm_fit_body* b, int32_t* corner)
{
	for (int32_t i = 0; i < 8 * b->part_count; ++i)
		corner[i] = i;
	for (int64_t k = 0; k < b->contact_count; ++k)
	{
		const lm_fit_contact* c = &b->contacts[k];
		int bit = 1 << c->axis;
		for (int i = 0; i < 8 && b->parts[c->low].kept && b->parts[c->high].kept; ++i)
			if (i & bit)
			{
				int32_t p = root_of(corner, 8 * c->low + i), q = root_of(corner, 8 * c->high + (i & ~bit));
				corner[p > q ? p : q] = p > q ? q : p;
			}
	}
}

// Numbers vertices in the order of their first corner.
static void number_vertices(lm_fit_body* b, int32_t* corner, int32_t* number)
{
	const lm_voxels* v = &b->voxels;
	double cell = v->h * b->sub;
	b->vertex_count = 0;
	for (int32_t i = 0; i < 8 * b->part_count; ++i)
	{
		lm_fit_part* p = &b->parts[i / 8];
		if (!p->kept)
			continue;
		int32_t root = root_of(corner, i);
		if (root == i)
		{
			number[i] = b->vertex_count++;
			int32_t* g = b->grid + 3 * (int64_t)number[i];
			for (int c = 0; c < 3; ++c)
				g[c] = p->cell[c] + (i >> c & 1);
			lm_v3_store(b->positions, number[i], lm_add_scaled(v->origin, cell, lm_v3(g[0], g[1], g[2])));
		}
		p->node[i % 8] = number[root]; // a root comes before the corners that follow it
	}
}

static bool list_around(lm_fit_body* b)
{
	b->starts = LM_NEW(&b->host, (size_t)b->vertex_count + 2, int64_t);
	b->around = LM_NEW(&b->host, 8 * (size_t)b->part_count, int32_t);
	if (b->starts == NULL || b->around == NULL)
		return false;
	for (int pass = 0; pass < 2; ++pass)
	{
		for (int32_t p = 0; p < b->part_count; ++p)
			for (int i = 0; i < 8 && b->parts[p].kept; ++i)
			{
				int32_t v = b->parts[p].node[i];
				if (pass == 0)
					b->starts[v + 2]++;
				else
					b->around[b->starts[v + 1]++] = p;
			}
		for (int32_t v = 0; pass == 0 && v < b->vertex_count; ++v)
			b->starts[v + 2] += b->starts[v + 1];
	}
	return true;
}

// ---- tetrahedra

// Six times the volume, in cells, signed.
static int64_t grid_volume(const lm_fit_body* b, const int32_t tet[4])
{
	int64_t e[3][3];
	for (int i = 0; i < 3; ++i)
		for (int c = 0; c < 3; ++c)
			e[i][c] = b->grid[3 * (int64_t)tet[i + 1] + c] - b->grid[3 * (int64_t)tet[0] + c];
	return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
	       e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static void add_tet(lm_fit_body* b, int32_t part, int c0, int c1, int c2, int c3)
{
	const int32_t* node = b->parts[part].node;
	int32_t* tet = b->tets + 4 * (int64_t)b->tet_count;
	tet[0] = node[c0], tet[1] = node[c1], tet[2] = node[c2], tet[3] = node[c3];
	if (grid_volume(b, tet) < 0)
		tet[1] = node[c2], tet[2] = node[c1];
	b->tet_part[b->tet_count++] = part;
}

// Five to a cell: one on the corners that are even, counted from the middle, and one at each of the odd ones. Diagonals
// of neighbours meet, and the mesh is as symmetric as the surface.
static void make_tets(lm_fit_body* b)
{
	int32_t half[3];
	for (int c = 0; c < 3; ++c)
		half[c] = b->voxels.n[c] / b->sub / 2;
	for (int32_t p = 0; p < b->part_count; ++p)
	{
		const int32_t* cell = b->parts[p].cell;
		if (!b->parts[p].kept)
			continue;
		int odd = (cell[0] - half[0] + cell[1] + cell[2] - half[2]) & 1;
		if (odd) // corners 1, 2, 4, 7 are even
			add_tet(b, p, 1, 2, 4, 7);
		else
			add_tet(b, p, 0, 3, 5, 6);
		for (int i = 0; i < 8; ++i)
			if ((((i & 1) + (i >> 1 & 1) + (i >> 2 & 1) + odd) & 1) == 1)
				add_tet(b, p, i, i ^ 1, i ^ 2, i ^ 4);
	}
}

lm_status lm_fit_make_parts(lm_fit_body* b, double split, lm_error* error)
{
	const lm_host* host = &b->host;
	const int32_t* n = b->voxels.n;
	for (int64_t c = 0; c < b->voxels.count; ++c) // in whole layers of cells
		if ((double)(c / n[0] % n[1] / b->sub + 1) * b->sub * b->voxels.h > split + 0.35 * b->sub * b->voxels.h)
			b->figure.leg[c] = 0;
	b->part = LM_NEW(host, b->voxels.count, int32_t);
	b->cubes = LM_NEW(host, b->voxels.count, int64_t);
	if (b->part == NULL || b->cubes == NULL || !find_parts(b) || !find_contacts(b))
		return lm_fail_memory(error);
	size_t corners = 8 * (size_t)b->part_count;
	int32_t* set = LM_NEW(host, corners, int32_t);
	int32_t* number = LM_NEW(host, corners, int32_t);
	b->grid = LM_NEW(host, 3 * corners, int32_t);
	b->positions = LM_NEW(host, 3 * corners, double);
	b->tets = LM_NEW(host, 20 * (size_t)b->part_count, int32_t);
	b->tet_part = LM_NEW(host, 5 * (size_t)b->part_count, int32_t);
	bool room = set && number && b->grid && b->positions && b->tets && b->tet_part;
	if (room)
	{
		choose_parts(b, set);
		merge_corners(b, set);
		number_vertices(b, set, number);
		room = list_around(b);
		make_tets(b);
	}
	lm_free(host, set);
	lm_free(host, number);
	return room ? LM_OK : lm_fail_memory(error);
}
