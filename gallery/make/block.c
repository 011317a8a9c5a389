// block.c: bodies built of bricks: the tetrahedra of a grid of cells, and a quilted surface around it.
#include "make.h"

#include <math.h>
#include <stdlib.h>

static bool cell_filled(const make_block* block, int32_t i, int32_t j, int32_t k)
{
	const int32_t* n = block->cells;
	if (i < 0 || j < 0 || k < 0 || i >= n[0] || j >= n[1] || k >= n[2])
		return false;
	return !block->filled || block->filled(i, j, k);
}

static int32_t grid_index(const make_block* block, int32_t i, int32_t j, int32_t k)
{
	return i + (block->cells[0] + 1) * (j + (block->cells[1] + 1) * k);
}

// Numbers the grid points that some cell uses; the others get -1.
static int32_t number_vertices(const make_block* block, int32_t* numbers)
{
	int32_t count = 0;
	for (int32_t k = 0; k <= block->cells[2]; k++)
		for (int32_t j = 0; j <= block->cells[1]; j++)
			for (int32_t i = 0; i <= block->cells[0]; i++)
			{
				bool used = false;
				for (int32_t c = 0; c < 8; c++)
					used = used || cell_filled(block, i - (c & 1), j - (c >> 1 & 1), k - (c >> 2 & 1));
				numbers[grid_index(block, i, j, k)] = used ? count++ : -1;
			}
	return count;
}

// Corners are numbered by the bits x, y, z. One tetrahedron in the middle, four at the corners that it leaves. Cells of
// odd i + j + k are mirrored in x (bit 0 flipped), so that face diagonals meet; a mirror turns a tetrahedron inside
// out, hence the swap.
static void write_cell(const make_block* block, const int32_t* numbers, int32_t i, int32_t j, int32_t k, int32_t* tets)
{
	static const int32_t corners[5][4] = {
		{ 0, 3, 5, 6 }, { 1, 3, 0, 5 }, { 2, 0, 3, 6 }, { 4, 5, 0, 6 }, { 7, 3, 5, 6 }
	};
	int32_t mirror = (i + j + k) & 1;
	for (int32_t t = 0; t < 5; t++)
	{
		double p[4][3];
		for (int32_t v = 0; v < 4; v++)
		{
			int32_t c = corners[t][v] ^ mirror;
			int32_t at[3] = { i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1) };
			tets[4 * t + v] = numbers[grid_index(block, at[0], at[1], at[2])];
			for (int32_t d = 0; d < 3; d++)
				p[v][d] = at[d] * block->cell[d];
		}
		double a[3], b[3], c[3];
		for (int32_t d = 0; d < 3; d++)
			a[d] = p[1][d] - p[0][d], b[d] = p[2][d] - p[0][d], c[d] = p[3][d] - p[0][d];
		double volume = (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] +
		                (a[0] * b[1] - a[1] * b[0]) * c[2];
		if (volume < 0)
		{
			int32_t swap = tets[4 * t + 2];
			tets[4 * t + 2] = tets[4 * t + 3];
			tets[4 * t + 3] = swap;
		}
	}
}

static void fill_block(const make_block* block, const int32_t* numbers, lm_mesh* mesh)
{
	for (int32_t k = 0; k <= block->cells[2]; k++)
		for (int32_t j = 0; j <= block->cells[1]; j++)
			for (int32_t i = 0; i <= block->cells[0]; i++)
			{
				int32_t v = numbers[grid_index(block, i, j, k)];
				int32_t at[3] = { i, j, k };
				for (int32_t d = 0; v >= 0 && d < 3; d++)
					mesh->positions[3 * v + d] = block->low[d] + at[d] * block->cell[d];
			}
	int32_t* tets = mesh->tets;
	for (int32_t k = 0; k < block->cells[2]; k++)
		for (int32_t j = 0; j < block->cells[1]; j++)
			for (int32_t i = 0; i < block->cells[0]; i++)
				if (cell_filled(block, i, j, k))
				{
					write_cell(block, numbers, i, j, k, tets);
					tets += 20;
				}
}

lm_mesh* lm_make_block_mesh(const make_block* block, const lm_host* host)
{
	const int32_t* n = block->cells;
	int32_t* numbers = malloc(sizeof *numbers * (size_t)((n[0] + 1) * (n[1] + 1) * (n[2] + 1)));
	if (!numbers)
		return NULL;
	int32_t vertex_count = number_vertices(block, numbers), cell_count = 0;
	for (int32_t c = 0; c < n[0] * n[1] * n[2]; c++)
		cell_count += cell_filled(block, c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));

	lm_mesh* mesh = lm_mesh_create(host, vertex_count, 0, 5 * cell_count);
	if (mesh)
		fill_block(block, numbers, mesh);
	free(numbers);
	if (mesh && lm_mesh_extract_surface(mesh, NULL) != LM_OK)
	{
		lm_mesh_destroy(mesh);
		mesh = NULL;
	}
	return mesh;
}

// 1 on the lines between cells, 0 a quarter of a cell away; none on the outermost lines, which are the block's edges.
static double groove(double x, int32_t cells)
{
	double line = floor(x + 0.5);
	if (line < 0.5 || line > cells - 0.5)
		return 0;
	double off = fmin(4 * fabs(x - line), 1);
	return (1 - off * off) * (1 - off * off);
}

// Rounds the edges (the point moves onto a sphere about the nearest point of the block shrunk by radius), then sinks
// the point into the groove along its normal.
static void quilt(const make_block* block, double radius, double depth, double p[3])
{
	double nearest[3], normal[3], length = 0, x[3];
	for (int32_t d = 0; d < 3; d++)
	{
		double high = block->low[d] + block->cells[d] * block->cell[d];
		x[d] = (p[d] - block->low[d]) / block->cell[d];
		nearest[d] = fmin(fmax(p[d], block->low[d] + radius), high - radius);
		normal[d] = p[d] - nearest[d];
		length += normal[d] * normal[d];
	}
	length = sqrt(length);
	double sink = 0;
	for (int32_t d = 0; d < 3; d++)
	{
		normal[d] /= length;
		sink = fmax(sink, (1 - normal[d] * normal[d]) * groove(x[d], block->cells[d]));
	}
	for (int32_t d = 0; d < 3; d++)
		p[d] = nearest[d] + normal[d] * (radius - depth * sink);
}

lm_mesh* lm_make_block_surface(const make_block* block, double radius, double depth, int32_t steps, const lm_host* host)
{
	make_block fine = *block;
	for (int32_t d = 0; d < 3; d++)
		fine.cells[d] *= steps, fine.cell[d] /= steps;

	// The points of the fine grid that lie on its border, numbered in order.
	int32_t a = fine.cells[0], b = fine.cells[1], c = fine.cells[2];
	int32_t* numbers = malloc(sizeof *numbers * (size_t)((a + 1) * (b + 1) * (c + 1)));
	int32_t vertex_count = 2 * (a * b + b * c + c * a) + 2, triangle_count = 4 * (a * b + b * c + c * a);
	lm_mesh* mesh = numbers ? lm_mesh_create(host, vertex_count, triangle_count, 0) : NULL;
	if (!mesh)
	{
		free(numbers);
		return NULL;
	}
	int32_t count = 0;
	for (int32_t k = 0; k <= c; k++)
		for (int32_t j = 0; j <= b; j++)
			for (int32_t i = 0; i <= a; i++)
				if (i == 0 || i == a || j == 0 || j == b || k == 0 || k == c)
				{
					double* p = mesh->positions + 3 * count;
					int32_t at[3] = { i, j, k };
					for (int32_t d = 0; d < 3; d++)
						p[d] = fine.low[d] + at[d] * fine.cell[d];
					quilt(block, radius, depth, p);
					numbers[grid_index(&fine, i, j, k)] = count++;
				}

	// Two triangles for each square of each side; on the lower side the order is turned round to face outwards.
	int32_t* triangle = mesh->triangles;
	for (int32_t axis = 0; axis < 3; axis++)
		for (int32_t side = 0; side < 2; side++)
		{
			int32_t u = (axis + 1) % 3, v = (axis + 2) % 3, corner[4], at[3];
			at[axis] = side * fine.cells[axis];
			for (int32_t s = 0; s < fine.cells[v]; s++)
				for (int32_t r = 0; r < fine.cells[u]; r++)
				{
					for (int32_t e = 0; e < 4; e++)
					{
						int32_t turn = side ? e : 3 - e; // 0 1 2 3 runs round the square
						at[u] = r + (turn == 1 || turn == 2);
						at[v] = s + (turn >= 2);
						corner[e] = numbers[grid_index(&fine, at[0], at[1], at[2])];
					}
					int32_t first = (r + s) & 1; // diagonals alternate
					for (int32_t e = 0; e < 3; e++)
						triangle[e] = corner[(first + e) % 4], triangle[3 + e] = corner[(first + (e + 2)) % 4];
					triangle += 6;
				}
		}
	free(numbers);
	return mesh;
}
