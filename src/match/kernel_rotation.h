// kernel_rotation.h: the best rotation of many 3x3 matrices at once, by Newton's method on the rotations.
//
// Wanted: R = argmax f(R) = tr(R^T A), the rotation part of A. With M = R^T A, S = (M + M^T)/2 and
// g = (M_zy - M_yz, M_xz - M_zx, M_yx - M_xy), turning on by the angle t about the unit axis u gives
//
//   f(R exp(t [u])) = tr S + g.u sin t - (1 - cos t) u^T H u,    H = tr(S) I - S.
//
// So the Newton step is w = H^-1 g, and along any axis the best angle is known: tan t = g.u / u^T H u, which for
// Newton's axis is |w|. Turning by atan|w| never lowers f, is exact for rigid motion, and leaves an error of third
// order, since the term of third order is g.w |w|^2 / 6 and g vanishes with w.
//
// f has no maxima on the rotations but the global one, so ascent from the last step's rotation gives the best
// rotation of any A, also an inverted one, where the polar decomposition of the paper gives a reflection. Directions
// that A leaves free (rank 1 and 0) keep the rotation that they had. Where H is not positive definite the axis is the
// gradient or that of the most negative curvature, whichever raises f more: that leaves saddles, too. A lane that has
// not converged after LM_ROTATION_STEPS iterations goes on in the next time step.
#ifndef LM_MATCH_KERNEL_ROTATION_H
#define LM_MATCH_KERNEL_ROTATION_H

#include "match/kernel_vector.h"

#define LM_ROTATION_STEPS 20
#define LM_NOTHING 1e-5f
#define LM_SMALL_TURN 0.07f     // |w|^2 up to which short series are used
#define LM_GOAL_TOLERANCE 1e-3f // |w|^2 of a last step: it leaves an error of about |w|^3 / 4

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

// R A
LM_INLINE mat_v times(const mat_v* R, const mat_v* A)
{
	mat_v M;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			M.m[i][j] = R->m[i][0] * A->m[0][j] + R->m[i][1] * A->m[1][j] + R->m[i][2] * A->m[2][j];
	return M;
}

// A symmetric inverse: cofactors 00 01 02 11 12 22, and what to multiply them by. Vectors are multiplied by the
// cofactors first, since a division takes its time.
typedef struct inverse_v
{
	vf cofactors[6], scale;
} inverse_v;

// f about a rotation R: its gradient, H = [h0 b c; b h1 d; c d h2] and Newton's step, where H is positive definite.
typedef struct trace_expansion
{
	vf g[3], h[3], b, c, d;
	inverse_v inverse; // of H; 0 where it is not positive definite
	vf w[3];
	vi newton;
} trace_expansion;

// Lanes that have converged: a step would change the rotation by less than about LM_NOTHING. (Not near saddles, where
// the trace is small against the rest of M.)
LM_INLINE vi at_rest(const mat_v* M)
{
	vf x = M->m[2][1] - M->m[1][2], y = M->m[0][2] - M->m[2][0], z = M->m[1][0] - M->m[0][1];
	vf trace = M->m[0][0] + M->m[1][1] + M->m[2][2], least = vmin(M->m[0][0], vmin(M->m[1][1], M->m[2][2]));
	return (x * x + y * y + z * z <= LM_NOTHING * LM_NOTHING * trace * trace) & (least > 0.1f * trace);
}

LM_INLINE vf dot3(const vf a[3], const vf b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A g
LM_INLINE void times_inverse(const inverse_v* A, const vf g[3], vf r[3])
{
	const vf* a = A->cofactors;
	r[0] = (a[0] * g[0] + a[1] * g[1] + a[2] * g[2]) * A->scale;
	r[1] = (a[1] * g[0] + a[3] * g[1] + a[4] * g[2]) * A->scale;
	r[2] = (a[2] * g[0] + a[4] * g[1] + a[5] * g[2]) * A->scale;
}

LM_INLINE trace_expansion expand(const mat_v* M)
{
	trace_expansion at;
	vf sxx = M->m[0][0], syy = M->m[1][1], szz = M->m[2][2];
	vf b = at.b = -0.5f * (M->m[0][1] + M->m[1][0]), c = at.c = -0.5f * (M->m[0][2] + M->m[2][0]);
	vf d = at.d = -0.5f * (M->m[1][2] + M->m[2][1]);
	vf *g = at.g, *h = at.h;
	g[0] = M->m[2][1] - M->m[1][2], g[1] = M->m[0][2] - M->m[2][0], g[2] = M->m[1][0] - M->m[0][1];
	// A shift far below what matters keeps H regular where A leaves a direction free.
	vf shift = 1e-5f * (sxx + syy + szz) + 1e-20f;
	h[0] = syy + szz + shift, h[1] = sxx + szz + shift, h[2] = sxx + syy + shift;
	vf k00 = h[1] * h[2] - d * d, k01 = c * d - b * h[2], k02 = b * d - c * h[1]; // cofactors
	vf k11 = h[0] * h[2] - c * c, k12 = b * c - d * h[0], k22 = h[0] * h[1] - b * b;
	vf det = h[0] * k00 + b * k01 + c * k02;
	at.newton = (h[0] > 0) & (k22 > 0) & (det > 1e-30f) & (det < 1e37f);
	at.inverse = (inverse_v){ { k00, k01, k02, k11, k12, k22 }, (vf)((vi)(1 / det) & at.newton) };
	times_inverse(&at.inverse, g, at.w);
	at.newton &= dot3(at.w, at.w) < 1e30f; // where M is so large (1e12) that this overflows, turn_general does it
	return at;
}

// q <- q * (c, d)
LM_INLINE void turn(quat_v* q, vf c, const vf d[3])
{
	quat_v p = *q;
	q->w = p.w * c - p.x * d[0] - p.y * d[1] - p.z * d[2];
	q->x = p.x * c + p.w * d[0] + p.y * d[2] - p.z * d[1];
	q->y = p.y * c + p.w * d[1] - p.x * d[2] + p.z * d[0];
	q->z = p.z * c + p.w * d[2] + p.x * d[1] - p.y * d[0];
}

// Turns by t = atan|w| about w, u = w^2 <= LM_SMALL_TURN, by short series of cos t/2 = sqrt((1 + cos t) / 2) and of
// sin t/2 / |w| = sqrt((1 - cos t) / 2 u), with cos t = 1 / sqrt(1 + u).
LM_INLINE void turn_small(quat_v* q, const vf w[3], vf u)
{
	vf cosine = 1 + u * (-1.0f / 8 + u * (11.0f / 128 - 69.0f / 1024 * u));
	vf sine = 0.5f + u * (-3.0f / 16 + u * (31.0f / 256 - 187.0f / 2048 * u));
	vf d[3] = { w[0] * sine, w[1] * sine, w[2] * sine };
	turn(q, cosine, d);
}

LM_INLINE void times_h(const trace_expansion* at, const vf u[3], vf r[3])
{
	r[0] = at->h[0] * u[0] + at->b * u[1] + at->c * u[2];
	r[1] = at->b * u[0] + at->h[1] * u[1] + at->d * u[2];
	r[2] = at->c * u[0] + at->d * u[1] + at->h[2] * u[2];
}

// Unit vector; 0 stays 0.
LM_INLINE void normalize(vf a[3])
{
	vf n = 1 / (vsqrt(dot3(a, a)) + 1e-30f);
	for (int k = 0; k < 3; ++k)
		a[k] *= n;
}

// By how much the best turn about the unit axis u raises f; g.u and u^T H u.
LM_INLINE vf gain_of(const trace_expansion* at, const vf u[3], vf* gu, vf* hu)
{
	vf r[3];
	times_h(at, u, r);
	*gu = dot3(at->g, u), *hu = dot3(r, u);
	return vsqrt(*gu * *gu + *hu * *hu) - *hu;
}

// Axis of the most negative curvature, by power iteration on a multiple of I minus H.
LM_INLINE void steepest_axis(const trace_expansion* at, vf axis[3])
{
	vf bound = vmax(at->h[0], -at->h[0]) + vmax(at->h[1], -at->h[1]) + vmax(at->h[2], -at->h[2]) + vmax(at->b, -at->b) +
	           vmax(at->c, -at->c) + vmax(at->d, -at->d);
	axis[0] = all(0.61f), axis[1] = all(0.53f), axis[2] = all(0.59f);
	for (int k = 0; k < 12; ++k)
	{
		vf r[3];
		times_h(at, axis, r);
		for (int j = 0; j < 3; ++j)
			axis[j] = bound * axis[j] - r[j];
		normalize(axis);
	}
}

// A step for large turns, and where H is not positive definite. `far`: the lanes that have not converged.
static __attribute__((noinline)) void turn_general(const trace_expansion* at, float tolerance, quat_v* q, vi* far)
{
	vf u[3] = { at->w[0], at->w[1], at->w[2] }, gu, hu;
	normalize(u);
	if (any(~at->newton))
	{
		vf up[3] = { at->g[0], at->g[1], at->g[2] }, over[3];
		normalize(up);
		steepest_axis(at, over);
		vi better = gain_of(at, over, &gu, &hu) > gain_of(at, up, &gu, &hu);
		for (int k = 0; k < 3; ++k)
			u[k] = choose(at->newton, u[k], choose(better, over[k], up[k]));
	}
	vf gain = gain_of(at, u, &gu, &hu), size = vsqrt(gu * gu + hu * hu);
	vi still = gain <= 1e-7f * (size + vmax(at->h[0], vmax(at->h[1], at->h[2]))) + 1e-30f;
	vf cosine = choose(still, all(1), hu / vmax(size, all(1e-30f)));
	vf half = vsqrt(vmax(0.5f + 0.5f * cosine, all(0))), sine = vsqrt(vmax(0.5f - 0.5f * cosine, all(0)));
	sine = choose(gu < 0, -sine, sine);
	vf d[3] = { u[0] * sine, u[1] * sine, u[2] * sine };
	vf length = vsqrt(half * half + dot3(d, d));
	for (int k = 0; k < 3; ++k)
		d[k] /= length;
	turn(q, half / length, d);
	*far = ~still & (dot3(d, d) > 0.25f * tolerance);
}

// Moves q to the best rotation of A. It has converged when |w|^2 of the last step is below `tolerance`.
LM_INLINE void find_rotation(const mat_v* A, float tolerance, quat_v* q)
{
	for (int step = 0; step < LM_ROTATION_STEPS; ++step)
	{
		mat_v R = rotation_matrix(q), M = turn_back(&R, A);
		if (!any(~at_rest(&M)))
			return;
		trace_expansion at = expand(&M);
		vf u = dot3(at.w, at.w);
		vi far = u > tolerance;
		if (any((u > LM_SMALL_TURN) | ~at.newton))
			turn_general(&at, tolerance, q, &far);
		else
			turn_small(q, at.w, u);
		if (!any(far))
			return;
	}
}

// The first step of find_rotation: the small turn by w after which it has converged, or else `needs_steps`.
typedef struct first_turn
{
	vf w[3];
	inverse_v inverse;
	bool needs_steps;
} first_turn;

// M = R^T A
LM_INLINE void find_turn(const mat_v* M, float tolerance, first_turn* found)
{
	trace_expansion at = expand(M);
	vf u = dot3(at.w, at.w);
	bool turns = any(u > LM_NOTHING * LM_NOTHING); // else w is no turn, and must not be taken for one
	for (int k = 0; k < 3; ++k)
		found->w[k] = turns ? at.w[k] : all(0);
	found->inverse = at.inverse;
	found->needs_steps = any((u > tolerance) | ~at.newton);
}

LM_INLINE quat_v load_rotation(const float* block, int lane)
{
	return (quat_v){ field(block, 0, lane), field(block, 1, lane), field(block, 2, lane), field(block, 3, lane) };
}

// Rounding grows the length slowly; one step of Newton's square root keeps it at 1.
LM_INLINE void store_rotation(float* block, int lane, const quat_v* q)
{
	vf n = 1.5f - 0.5f * (q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
	store(block + lane, q->w * n);
	store(block + LM_LANES + lane, q->x * n);
	store(block + 2 * LM_LANES + lane, q->y * n);
	store(block + 3 * LM_LANES + lane, q->z * n);
}

#endif
