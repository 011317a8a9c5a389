// pose.c: example poses as maps of space.
#include "make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double* lm_make_posed(const lm_mesh* mesh, make_map map, const void* context)
{
	double* positions = malloc(sizeof *positions * 3 * (size_t)mesh->vertex_count);
	for (int32_t v = 0; positions && v < mesh->vertex_count; v++)
	{
		for (int32_t d = 0; d < 3; d++)
			positions[3 * v + d] = mesh->positions[3 * v + d];
		map(positions + 3 * v, context);
	}
	return positions;
}

static double volume(const double* positions, const int32_t* tet)
{
	const double *a = positions + 3 * tet[0], *b = positions + 3 * tet[1], *c = positions + 3 * tet[2];
	const double* d = positions + 3 * tet[3];
	double u[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, v[3] = { c[0] - a[0], c[1] - a[1], c[2] - a[2] };
	double w[3] = { d[0] - a[0], d[1] - a[1], d[2] - a[2] };
	return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
}

static bool is_folded(const lm_mesh* mesh, const double* positions, const int32_t* tet)
{
	return volume(positions, tet) < 0.1 * volume(mesh->positions, tet);
}

// Marks the vertices of folded tetrahedra, or (grow) of all tetrahedra that have a marked vertex. Returns how many
// tetrahedra are folded.
static int32_t mark(const lm_mesh* mesh, const double* positions, bool grow, const bool* before, bool* marked)
{
	int32_t count = 0;
	for (int32_t t = 0; t < mesh->tet_count; t++)
	{
		const int32_t* tet = mesh->tets + 4 * t;
		bool folded = is_folded(mesh, positions, tet);
		bool near = grow && (before[tet[0]] || before[tet[1]] || before[tet[2]] || before[tet[3]]);
		count += folded;
		for (int32_t i = 0; i < 4; i++)
			marked[tet[i]] = marked[tet[i]] || folded || near;
	}
	return count;
}

// Marked vertices take the mean displacement of those they share tetrahedra with. `sums`: four numbers per vertex.
static void smooth(const lm_mesh* mesh, double* positions, const bool* marked, double* sums)
{
	memset(sums, 0, sizeof *sums * 4 * (size_t)mesh->vertex_count);
	for (int32_t c = 0; c < 16 * mesh->tet_count; c++)
	{
		const int32_t* tet = mesh->tets + 4 * (c / 16);
		int32_t to = tet[c / 4 % 4], from = tet[c % 4];
		for (int32_t d = 0; d < 3; d++)
			sums[4 * to + d] += positions[3 * from + d] - mesh->positions[3 * from + d];
		sums[4 * to + 3] += 1;
	}
	for (int32_t v = 0; v < mesh->vertex_count; v++)
		for (int32_t d = 0; d < 3 && marked[v]; d++)
			positions[3 * v + d] = mesh->positions[3 * v + d] + sums[4 * v + d] / sums[4 * v + 3];
}

// The part that is smoothed starts with the folded tetrahedra and grows by a ring every few rounds.
bool lm_make_unfold(const lm_mesh* mesh, double* positions)
{
	enum
	{
		ROUNDS = 60,
		GROW = 6
	};
	size_t count = (size_t)mesh->vertex_count;
	double* sums = malloc(sizeof *sums * 4 * count);
	bool *marked = calloc(count, sizeof *marked), *before = calloc(count, sizeof *before);
	bool room = sums && marked && before, unfolded = false;
	for (int32_t round = 0; room && !unfolded && round < ROUNDS; round++)
	{
		memcpy(before, marked, sizeof *before * count);
		unfolded = mark(mesh, positions, round % GROW == GROW - 1, before, marked) == 0;
		if (!unfolded)
			smooth(mesh, positions, marked, sums);
	}
	free(sums);
	free(marked);
	free(before);
	return unfolded;
}

bool lm_make_write_pose(make_output* output, const char* name, const lm_mesh* mesh, make_map map, const void* context)
{
	double* positions = lm_make_posed(mesh, map, context);
	if (!positions)
		return lm_make_no_memory(output);
	bool written = lm_make_unfold(mesh, positions) ? lm_make_write(output, name, mesh, positions)
	                                               : lm_make_fail(output, "an example pose folds over");
	free(positions);
	return written;
}

// Rodrigues' formula.
void lm_make_turn(double point[3], const double centre[3], const double axis[3], double angle)
{
	double r[3], c = cos(angle), s = sin(angle), along = 0;
	for (int32_t d = 0; d < 3; d++)
	{
		r[d] = point[d] - centre[d];
		along += axis[d] * r[d];
	}
	for (int32_t d = 0; d < 3; d++)
	{
		int32_t e = (d + 1) % 3, f = (d + 2) % 3;
		double cross = axis[e] * r[f] - axis[f] * r[e];
		point[d] = centre[d] + c * r[d] + s * cross + (1 - c) * along * axis[d];
	}
}

double lm_make_step(double low, double high, double value)
{
	double t = fmin(fmax((value - low) / (high - low), 0), 1);
	return t * t * (3 - 2 * t);
}
