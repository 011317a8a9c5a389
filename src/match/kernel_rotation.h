// kernel_rotation.h: the best rotation of many 3x3 matrices at once, by Newton's method on the rotations.
//
// Wanted: R = argmax f(R) = tr(R^T A), the rotation part of A. With M = R^T A, S = (M + M^T)/2 and
// g = (M_zy - M_yz, M_xz - M_zx, M_yx - M_xy),
//
//   f(R exp[w]) = tr S + (sin|w| / |w|) g.w - (1 - cos|w|) / |w|^2 w^T H w,    H = tr(S) I - S,
//
// so the Newton step is w = H^-1 g. The error falls with its third power, as the term of third order is |w|^2 g.w / 6
// and g vanishes with w. For a rotation by the angle t from the answer and S = I the step is tan t: taking atan|w| as
// the angle makes it exact for rigid motion, and costs no trigonometry: the half angle has tan = |w| / (1 + sqrt(1 +
// w^2)).
//
// f has no maxima on the rotations but the global one, so climbing from the last step's rotation gives the best
// rotation of any A, also an inverted one, where the polar decomposition of the paper gives a reflection. Directions
// that A leaves free (rank 1 and 0) keep the rotation that they had. Where H is not positive definite we follow the
// gradient; exactly on a saddle we step aside. A lane that has not arrived after LM_CLIMB steps goes on in the next
// time step.
#ifndef LM_MATCH_KERNEL_ROTATION_H
#define LM_MATCH_KERNEL_ROTATION_H

#include "match/kernel_vector.h"

#define LM_CLIMB 20
// The last step leaves an error of about |w|^3 / 4. A goal wants a good rotation; in a descriptor errors count squared.
#define LM_GOAL_ARRIVED 1e-3f
#define LM_DESCRIPTOR_ARRIVED 0.03f

LM_INLINE mat_v rotation_matrix(const quat_v* q)
{
	vf x2 = q->x + q->x, y2 = q->y + q->y, z2 = q->z + q->z;
	vf xx = q->x * x2, yy = q->y * y2, zz = q->z * z2, xy = q->x * y2, xz = q->x * z2, yz = q->y * z2;
	vf wx = q->w * x2, wy = q->w * y2, wz = q->w * z2;
	return (mat_v){
		{ { 1 - yy - zz, xy - wz, xz + wy }, { xy + wz, 1 - xx - zz, yz - wx }, { xz - wy, yz + wx, 1 - xx - yy } }
	};
}

// R^T A
LM_INLINE mat_v turn_back(const mat_v* R, const mat_v* A)
{
	mat_v M;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			M.m[i][j] = R->m[0][i] * A->m[0][j] + R->m[1][i] * A->m[1][j] + R->m[2][i] * A->m[2][j];
	return M;
}

// Where Newton's step may not be used: up the gradient, and off the saddle along the axis of the most negative
// curvature.
LM_INLINE void step_uphill(const mat_v* M, const vf h[3], vf g[3], vf w[3], vi newton)
{
	vf square = all(0);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			square += M->m[i][j] * M->m[i][j];
	vf size = vsqrt(square) + 1e-20f;
	vi saddle = g[0] * g[0] + g[1] * g[1] + g[2] * g[2] < 1e-4f * square;
	vi first = (h[0] <= h[1]) & (h[0] <= h[2]), second = ~first & (h[1] <= h[2]), third = ~first & ~second;
	vi axis[3] = { first, second, third };
	for (int k = 0; k < 3; ++k)
	{
		vf aside = choose(saddle & axis[k] & (h[k] < 0), all(0.5f), all(0));
		w[k] = choose(newton, w[k], g[k] / (2 * size) + aside);
	}
}

// Newton's step for M = R^T A.
LM_INLINE void newton_step(const mat_v* M, vf w[3])
{
	vf sxx = M->m[0][0], syy = M->m[1][1], szz = M->m[2][2];
	vf b = -0.5f * (M->m[0][1] + M->m[1][0]), c = -0.5f * (M->m[0][2] + M->m[2][0]);
	vf d = -0.5f * (M->m[1][2] + M->m[2][1]);
	vf g[3] = { M->m[2][1] - M->m[1][2], M->m[0][2] - M->m[2][0], M->m[1][0] - M->m[0][1] };
	// A shift far below what matters keeps H regular where A leaves a direction free.
	vf shift = vmax(1e-6f * (sxx + syy + szz), all(1e-20f));
	vf h[3] = { syy + szz + shift, sxx + szz + shift, sxx + syy + shift };

	// Cofactors of H = [h0 b c; b h1 d; c d h2].
	vf k00 = h[1] * h[2] - d * d, k01 = c * d - b * h[2], k02 = b * d - c * h[1];
	vf k11 = h[0] * h[2] - c * c, k12 = b * c - d * h[0], k22 = h[0] * h[1] - b * b;
	vf det = h[0] * k00 + b * k01 + c * k02;
	vi newton = (h[0] > 0) & (k22 > 0) & (det > 1e-30f);
	vf inverse = 1 / choose(newton, det, all(1));
	w[0] = (k00 * g[0] + k01 * g[1] + k02 * g[2]) * inverse;
	w[1] = (k01 * g[0] + k11 * g[1] + k12 * g[2]) * inverse;
	w[2] = (k02 * g[0] + k12 * g[1] + k22 * g[2]) * inverse;
	if (any(~newton))
		step_uphill(M, h, g, w, newton);
}

// q <- q * (rotation by atan|w| about w), at most an eighth of a turn. As a quaternion that is (1, k w) / sqrt(1 + k^2
// u) with u = w^2 and k = 1 / (1 + sqrt(1 + u)); for the small steps of ordinary motion the roots are short series.
LM_INLINE void turn_by(quat_v* q, const vf w[3], vf u)
{
	vf k, n;
	if (!any(u > 0.1f))
	{
		k = 0.5f + u * (-0.125f + u * (0.0625f - 0.0390625f * u));
		vf y = k * k * u;
		n = 1 + y * (-0.5f + y * (0.375f - 0.3125f * y));
	}
	else
	{
		vf shorten = 1 / vsqrt(vmax(u, all(1)));
		k = shorten / (1 + vsqrt(1 + vmin(u, all(1))));
		n = 1 / vsqrt(1 + k * k * u);
	}
	vf dx = w[0] * k, dy = w[1] * k, dz = w[2] * k;
	quat_v p = { q->w * n, q->x * n, q->y * n, q->z * n };
	q->w = p.w - p.x * dx - p.y * dy - p.z * dz;
	q->x = p.x + p.w * dx + p.y * dz - p.z * dy;
	q->y = p.y + p.w * dy - p.x * dz + p.z * dx;
	q->z = p.z + p.w * dz + p.x * dy - p.y * dx;
}

// Moves q to the best rotation of A. `arrived` is the |w|^2 of a step after which there is no need of another.
LM_INLINE void climb(const mat_v* A, float arrived, quat_v* q)
{
	for (int turn = 0; turn < LM_CLIMB; ++turn)
	{
		mat_v R = rotation_matrix(q), M = turn_back(&R, A);
		vf w[3];
		newton_step(&M, w);
		vf square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
		turn_by(q, w, square);
		if (!any(square > arrived))
			return;
	}
}

LM_INLINE quat_v load_rotation(const float* block, int lane)
{
	quat_v q = { field(block, 0, lane), field(block, 1, lane), field(block, 2, lane), field(block, 3, lane) };
	// Rounding grows the length slowly; one step of Newton's square root keeps it at 1.
	vf n = 1.5f - 0.5f * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
	return (quat_v){ q.w * n, q.x * n, q.y * n, q.z * n };
}

LM_INLINE void store_rotation(float* block, int lane, const quat_v* q)
{
	store(block + lane, q->w);
	store(block + LM_LANES + lane, q->x);
	store(block + 2 * LM_LANES + lane, q->y);
	store(block + 3 * LM_LANES + lane, q->z);
}

#endif
