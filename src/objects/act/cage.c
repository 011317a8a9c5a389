// cage.c: the cage of a body, for pictures.
//
// It moves the rest shape, which has no place in the world. The rigid motion that takes the rest shape nearest to the
// body (least squares by mass) takes the cage there.
#include "math/svd.h"
#include "objects/act/act.h"

#include <assert.h>

static lm_vec3 center_of(const double* masses, const double* x, int32_t count)
{
	lm_vec3 sum = { 0 };
	double mass = 0;
	for (int32_t v = 0; v < count; ++v)
	{
		sum = lm_add_scaled(sum, masses[v], lm_v3_at(x, v));
		mass += masses[v];
	}
	return lm_scale(1 / mass, sum);
}

void lm_act_place_cage(const lm_act* body, const double* points, double* scratch, double* positions)
{
	const lm_mesh* cage = lm_act_cage(body);
	const double* masses = lm_act_masses(body);
	int32_t count = lm_act_vertex_count(body), d = lm_act_dimension(body);
	assert(lm_act_parameter_count(body) == d * cage->vertex_count);
	lm_act_rest_positions(body, scratch);
	lm_vec3 C = center_of(masses, scratch, count), c = center_of(masses, points, count);
	lm_mat3 M = { 0 };
	for (int32_t v = 0; v < count; ++v)
		lm_add_outer(&M, masses[v], lm_sub(lm_v3_at(points, v), c), lm_sub(lm_v3_at(scratch, v), C));
	lm_mat3 R = lm_polar3(M).R;
	lm_act_parameters(body, positions); // d numbers per vertex, which give way from the last on
	for (int64_t j = cage->vertex_count - 1; j >= 0; --j)
	{
		const double* p = positions + d * j;
		lm_vec3 moved = lm_v3(p[0], p[1], d == 3 ? p[2] : 0);
		lm_vec3 X = lm_sub(lm_add(lm_v3_at(cage->positions, j), moved), C);
		lm_v3_store(positions, j, lm_add(c, lm_mul_v(R, X)));
	}
}
