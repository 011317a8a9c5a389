#include "math/quat.h"

lm_quat lm_quat_normalize(lm_quat a)
{
	double length = sqrt(lm_quat_dot(a, a));
	if (!(length > 1e-300) || !isfinite(length))
		return lm_quat_identity();
	double s = 1 / length;
	return (lm_quat){ s * a.w, s * a.x, s * a.y, s * a.z };
}

lm_quat lm_quat_axis_angle(lm_vec3 axis, double angle)
{
	lm_vec3 u = lm_normalize_or(axis, lm_v3(0, 0, 0));
	double s = sin(angle / 2);
	return lm_quat_normalize((lm_quat){ cos(angle / 2), s * u.x, s * u.y, s * u.z });
}

lm_quat lm_quat_exp(lm_vec3 v)
{
	double angle = lm_length(v);
	// sin(a/2) / a = 1/2 - a^2/48 + ..., which is 1/2 to double precision below 1e-8
	double s = angle > 1e-8 ? sin(angle / 2) / angle : 0.5;
	return lm_quat_normalize((lm_quat){ cos(angle / 2), s * v.x, s * v.y, s * v.z });
}

lm_vec3 lm_quat_log(lm_quat a)
{
	if (a.w < 0)
		a = (lm_quat){ -a.w, -a.x, -a.y, -a.z };
	lm_vec3 v = { a.x, a.y, a.z };
	double sine = lm_length(v);
	double s = sine > 1e-8 ? 2 * atan2(sine, a.w) / sine : 2;
	return lm_scale(s, v);
}

lm_quat lm_quat_slerp(lm_quat a, lm_quat b, double t)
{
	if (lm_quat_dot(a, b) < 0)
		b = (lm_quat){ -b.w, -b.x, -b.y, -b.z };
	lm_vec3 step = lm_quat_log(lm_quat_mul(lm_quat_conjugate(a), b));
	return lm_quat_mul(a, lm_quat_exp(lm_scale(t, step)));
}

lm_quat lm_quat_between(lm_vec3 from, lm_vec3 to)
{
	lm_vec3 a = lm_normalize_or(from, lm_v3(1, 0, 0)), b = lm_normalize_or(to, lm_v3(1, 0, 0));
	double cosine = lm_dot(a, b);
	if (cosine < -1 + 1e-12) // about opposite: half a turn about anything across, and the little that is left
	{
		lm_vec3 across = fabs(a.x) < 0.6 ? lm_cross(a, lm_v3(1, 0, 0)) : lm_cross(a, lm_v3(0, 1, 0));
		lm_quat half = lm_quat_axis_angle(across, LM_PI);
		return lm_quat_mul(lm_quat_between(lm_scale(-1, a), b), half);
	}
	lm_vec3 axis = lm_cross(a, b);
	return lm_quat_normalize((lm_quat){ 1 + cosine, axis.x, axis.y, axis.z });
}

lm_vec3 lm_quat_rotate(lm_quat a, lm_vec3 v)
{
	// v + 2 u x (u x v + w v), u the vector part
	lm_vec3 u = { a.x, a.y, a.z };
	lm_vec3 inner = lm_add_scaled(lm_cross(u, v), a.w, v);
	return lm_add_scaled(v, 2, lm_cross(u, inner));
}

lm_mat3 lm_quat_matrix(lm_quat a)
{
	return lm_columns(lm_quat_rotate(a, lm_v3(1, 0, 0)), lm_quat_rotate(a, lm_v3(0, 1, 0)),
	                  lm_quat_rotate(a, lm_v3(0, 0, 1)));
}

lm_quat lm_quat_from_matrix(lm_mat3 R)
{
	// Shepperd: the largest of the four candidates keeps the division safe.
	double trace = R.m[0][0] + R.m[1][1] + R.m[2][2];
	if (trace > 0)
		return lm_quat_normalize(
			(lm_quat){ 1 + trace, R.m[2][1] - R.m[1][2], R.m[0][2] - R.m[2][0], R.m[1][0] - R.m[0][1] });
	int i = R.m[1][1] > R.m[0][0] ? 1 : 0;
	if (R.m[2][2] > R.m[i][i])
		i = 2;
	int j = (i + 1) % 3, k = (i + 2) % 3;
	double v[3];
	v[i] = 1 + R.m[i][i] - R.m[j][j] - R.m[k][k];
	v[j] = R.m[j][i] + R.m[i][j];
	v[k] = R.m[k][i] + R.m[i][k];
	return lm_quat_normalize((lm_quat){ R.m[k][j] - R.m[j][k], v[0], v[1], v[2] });
}
