// transform.c: turning, scaling and moving the vertices of a file.
#include "mesh/transform.h"
#include "math/vec.h"

#include <math.h>

void lm_transform_apply(const lm_transform* transform, double* positions, int64_t count)
{
	for (int64_t v = 0; transform->used && v < count; ++v)
	{
		lm_vec3 x = lm_v3_at(positions, v);
		double moved[3];
		for (int c = 0; c < 3; ++c)
			moved[c] = transform->factor *
			               (transform->turn[c][0] * x.x + transform->turn[c][1] * x.y + transform->turn[c][2] * x.z) +
			           transform->shift[c];
		lm_v3_store(positions, v, lm_v3(moved[0], moved[1], moved[2]));
	}
}

void lm_transform_apply_mesh(const lm_transform* transform, lm_mesh* mesh)
{
	if (mesh != NULL)
		lm_transform_apply(transform, mesh->positions, mesh->vertex_count);
}

void lm_transform_turn(lm_transform* transform, double by[3][3])
{
	double product[3][3] = { { 0 } };
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			for (int k = 0; k < 3; ++k)
				product[i][j] += by[i][k] * transform->turn[k][j];
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			transform->turn[i][j] = product[i][j];
	transform->used = true;
}

void lm_transform_turn_up(lm_transform* transform)
{
	double z_up[3][3] = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } };
	lm_transform_turn(transform, z_up);
}

void lm_transform_turn_forward(lm_transform* transform, int axis, int sign)
{
	double s = sign;
	double along_x[3][3] = { { s, 0, 0 }, { 0, 1, 0 }, { 0, 0, s } };
	double along_z[3][3] = { { 0, 0, s }, { 0, 1, 0 }, { -s, 0, 0 } };
	if (axis == 2)
		lm_transform_turn(transform, along_z);
	else if (sign < 0)
		lm_transform_turn(transform, along_x);
}

void lm_transform_bounds(const lm_transform* transform, const lm_mesh* mesh, double low[3], double high[3])
{
	for (int c = 0; c < 3; ++c)
		low[c] = INFINITY, high[c] = -INFINITY;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		for (int c = 0; c < 3; ++c)
		{
			const double *x = mesh->positions + 3 * (int64_t)v, *t = transform->turn[c];
			double y = t[0] * x[0] + t[1] * x[1] + t[2] * x[2];
			low[c] = fmin(low[c], y), high[c] = fmax(high[c], y);
		}
}
