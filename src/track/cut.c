// cut.c: a guide that jumps, as at the cut of a film: the cloth is carried along as a rigid body.
//
// With a_i the averages' targets of the last step and b_i those of now, R and t minimise sum |R a_i + t - b_i|^2: R is
// the rotation closest to sum (b_i - b)(a_i - a)^T, t = b - R a. A little of the identity is added, so that averages on
// a line, or a single one, turn nothing.
#include "math/svd.h"
#include "math/vec.h"
#include "track/body.h"

#include <string.h>

static lm_vec3 mean_of(const double* points, int32_t count)
{
	lm_vec3 sum = lm_v3(0, 0, 0);
	for (int32_t i = 0; i < count; ++i)
		sum = lm_add_scaled(sum, 1.0 / count, lm_v3_at(points, i));
	return sum;
}

static lm_mat3 best_rotation(const double* from, const double* to, int32_t count, lm_vec3 a, lm_vec3 b)
{
	lm_mat3 A = { { { 0 } } };
	double spread = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		lm_vec3 p = lm_sub(lm_v3_at(from, i), a), q = lm_sub(lm_v3_at(to, i), b);
		lm_add_outer(&A, 1, q, p);
		spread += lm_dot(p, p) + lm_dot(q, q);
	}
	for (int k = 0; k < 3; ++k)
		A.m[k][k] += 1e-6 * spread + 1e-300;
	return lm_polar3(A).R;
}

// Averages of the guide by the constraints.
static void average_guide(const lm_track* cloth, const double* guide, double* targets)
{
	lm_rows_apply(cloth->guide_averages.count > 0 ? &cloth->guide_averages : &cloth->averages, guide, targets);
}

lm_status lm_track_cut(lm_track* cloth, const double* guide, double time, bool* carried, lm_error* error)
{
	*carried = false;
	lm_status status = lm_track_check_numbers(guide, cloth->guide_vertex_count, "the guide", error);
	if (status == LM_OK)
		status = lm_track_join_rows(cloth, error);
	if (status != LM_OK || !cloth->guided || cloth->constraint_count == 0)
		return status;
	int32_t count = cloth->constraint_count;
	average_guide(cloth, guide, cloth->aims);
	lm_vec3 a = mean_of(cloth->targets, count), b = mean_of(cloth->aims, count);
	lm_mat3 R = best_rotation(cloth->targets, cloth->aims, count, a, b);
	for (int32_t v = 0; v < cloth->n; ++v)
		lm_v3_store(cloth->before, v, lm_add(b, lm_mul_v(R, lm_sub(lm_v3_at(cloth->x, v), a))));
	lm_track_place_obstacles(cloth, time, 1, cloth->before + 3 * (int64_t)cloth->n);
	status = lm_track_check_clear(cloth, cloth->before, "the cloth", error);
	if (status != LM_OK)
		return status == LM_BAD_INPUT ? LM_OK : status;
	memcpy(cloth->x, cloth->before, 3 * (size_t)(cloth->n + cloth->obstacle_vertices) * sizeof(double));
	memcpy(cloth->targets, cloth->aims, 3 * (size_t)count * sizeof(double));
	for (int32_t v = 0; v < cloth->n; ++v)
		lm_v3_store(cloth->v, v, lm_mul_v(R, lm_v3_at(cloth->v, v)));
	*carried = true;
	return LM_OK;
}
