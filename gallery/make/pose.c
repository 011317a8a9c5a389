// pose.c: example poses as maps of space.
#include "make.h"

#include <math.h>
#include <stdlib.h>

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

bool lm_make_write_pose(make_output* output, const char* name, const lm_mesh* mesh, make_map map, const void* context)
{
	double* positions = lm_make_posed(mesh, map, context);
	if (!positions)
		return lm_make_no_memory(output);
	bool written = lm_make_write(output, name, mesh, positions);
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
