// quat.h: rotations as unit quaternions, w first.
#ifndef LM_MATH_QUAT_H
#define LM_MATH_QUAT_H

#include "math/vec.h"

typedef struct lm_quat
{
	double w, x, y, z;
} lm_quat;

static inline lm_quat lm_quat_identity(void)
{
	return (lm_quat){ 1, 0, 0, 0 };
}

static inline double lm_quat_dot(lm_quat a, lm_quat b)
{
	return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

// First b, then a.
static inline lm_quat lm_quat_mul(lm_quat a, lm_quat b)
{
	return (lm_quat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
		              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

static inline lm_quat lm_quat_conjugate(lm_quat a)
{
	return (lm_quat){ a.w, -a.x, -a.y, -a.z };
}

lm_quat lm_quat_normalize(lm_quat a);                   // identity when a is zero or not finite
lm_quat lm_quat_axis_angle(lm_vec3 axis, double angle); // axis of any length; identity when it has none
lm_quat lm_quat_exp(lm_vec3 rotation_vector);           // rotation by |v| about v
lm_vec3 lm_quat_log(lm_quat a);                         // the shortest rotation vector
lm_quat lm_quat_slerp(lm_quat a, lm_quat b, double t);  // the short way round
lm_quat lm_quat_between(lm_vec3 from, lm_vec3 to);      // the shortest rotation that turns from into to
lm_vec3 lm_quat_rotate(lm_quat a, lm_vec3 v);
lm_mat3 lm_quat_matrix(lm_quat a);
lm_quat lm_quat_from_matrix(lm_mat3 R);

#endif
