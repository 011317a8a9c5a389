#include "shapes.h"

#include "math/svd.h"

double shape_difference(const double* a, const double* b, int32_t count)
{
	lm_vec3 ca = { 0 }, cb = { 0 };
	for (int32_t i = 0; i < count; ++i)
		ca = lm_add_scaled(ca, 1.0 / count, lm_v3_at(a, i)), cb = lm_add_scaled(cb, 1.0 / count, lm_v3_at(b, i));
	lm_mat3 moment = { 0 };
	for (int32_t i = 0; i < count; ++i)
		lm_add_outer(&moment, 1, lm_sub(lm_v3_at(a, i), ca), lm_sub(lm_v3_at(b, i), cb));
	lm_mat3 R = lm_polar3(moment).R;
	double sum = 0, low[3], high[3];
	for (int32_t i = 0; i < count; ++i)
	{
		lm_vec3 d = lm_sub(lm_sub(lm_v3_at(a, i), ca), lm_mul_v(R, lm_sub(lm_v3_at(b, i), cb)));
		sum += lm_dot(d, d);
	}
	lm_mesh_bounds(b, count, low, high);
	double size = fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
	return sqrt(sum / count) / size;
}
