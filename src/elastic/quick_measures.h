// quick_measures.h: measures as functions of the edges u, four terms at once: q, r = dq/du, and H = d2q/du2.
//
//     lengths     q = u.u
//     areas       q = 1/2 det(u_1, u_2)
//     volumes     q = 1/6 det(u_1, u_2, u_3)
//     hinges      u = (e, a, b): the angle between e x a and b x e (measure_hinge.c). With l = |e|, n_a = e x a,
//                 n_b = b x e, h = |n| / l the heights of the wings, alpha = (a.e)/l^2, beta = (b.e)/l^2,
//
//         q_a = l n_a / |n_a|^2,   q_b = l n_b / |n_b|^2,   q_e = -(alpha q_a + beta q_b)
//
//     and, with hats for unit vectors and t = nhat x ehat (for b: -nhat x ehat), both wings alike but for n's sign,
//
//         q_aa = -(nhat t^T + t nhat^T) / h^2,   q_ab = 0,
//         q_ea = -alpha q_aa - nhat ehat^T / (l h),
//         q_ee = sum over wings of alpha^2 q_aa + alpha (nhat ehat^T + ehat nhat^T) / (l h) - nhat t^T / l^2,
//
//     whose last terms are symmetric when added up.
#ifndef LM_ELASTIC_QUICK_MEASURES_H
#define LM_ELASTIC_QUICK_MEASURES_H

#include "elastic/quick_lanes.h"

enum
{
	LENGTH2,
	LENGTH3,
	AREA,
	VOLUME,
	HINGE,
	GREEN
};

static const int CORNERS[] = { 2, 2, 3, 4, 4, 3 }, DIMENSION[] = { 2, 3, 2, 3, 3, 2 };

LM_INLINE vd dot3(const vd* a, const vd* b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

LM_INLINE void cross3(const vd* a, const vd* b, vd* c)
{
	c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

// ---- hinges

// D within half a turn, for the difference of two angles that are.
LM_INLINE vd wrapped(vd D)
{
	const double turn = 6.283185307179586476925286766559;
	D = choose(D > turn / 2, D - turn, D);
	return choose(D <= -turn / 2, D + turn, D);
}

typedef struct hinge
{
	vd na[3], nb[3], ee, ea, eb, na2, nb2, l, q;
	bool plain; // no lane has a triangle that has collapsed, or an edge whose powers would overflow
} hinge;

LM_INLINE vd angle(vd s, vd c)
{
	return (vd){ atan2(s[0], c[0]), atan2(s[1], c[1]), atan2(s[2], c[2]), atan2(s[3], c[3]) };
}

LM_INLINE hinge hinge_of(const vd* u)
{
	const vd *e = u, *a = u + 3, *b = u + 6;
	hinge h = { .ee = dot3(e, e), .ea = dot3(e, a), .eb = dot3(e, b) };
	cross3(e, a, h.na), cross3(b, e, h.nb);
	h.na2 = dot3(h.na, h.na), h.nb2 = dot3(h.nb, h.nb), h.l = square_root(h.ee);
	vd longest = larger(h.ee, larger(dot3(a, a), dot3(b, b)));
	vd flat = 1e4 * LM_MEASURE_FLAT * LM_MEASURE_FLAT * longest * longest; // well before it is too flat
	h.plain = holds((longest > 1e-30) & (longest < 1e30) & (h.na2 > flat) & (h.nb2 > flat) & (h.ee > 1e-8 * longest));
	h.q = angle(h.l * dot3(a, h.nb), dot3(h.na, h.nb)); // a . (b x e) = det(e, a, b)
	return h;
}

// One lane as corners, the first in the origin, for the plain code.
LM_INLINE void lane_corners(const vd* u, int lane, double* x)
{
	x[0] = x[1] = x[2] = 0;
	for (int i = 0; i < 9; ++i)
		x[3 + i] = u[i][lane];
}

static __attribute__((noinline)) vd careful_hinge(const vd* u, vd* r)
{
	vd q;
	for (int l = 0; l < LANES; ++l)
	{
		double x[12], J[12], c, s;
		lane_corners(u, l, x);
		lm_hinge_first(x, &c, &s, J);
		q[l] = atan2(s, c);
		for (int i = 0; i < 9; ++i)
			r[i][l] = J[3 + i];
	}
	return q;
}

static __attribute__((noinline)) void careful_hinge_second(const vd* u, vd force, vd* B)
{
	for (int l = 0; l < LANES; ++l)
	{
		double x[12], A[144] = { 0 }, f = force[l];
		lane_corners(u, l, x);
		lm_measure_hinge.hessian(x, &f, A);
		for (int i = 0; i < 9; ++i)
			for (int j = i; j < 9; ++j)
				B[9 * i + j][l] += A[12 * (3 + i) + 3 + j];
	}
}

LM_INLINE vd hinge_first(const vd* u, vd* r)
{
	hinge h = hinge_of(u);
	if (!h.plain)
		return careful_hinge(u, r);
	vd fa = h.l / h.na2, fb = h.l / h.nb2, alpha = h.ea / h.ee, beta = h.eb / h.ee;
	for (int i = 0; i < 3; ++i)
	{
		r[3 + i] = fa * h.na[i], r[6 + i] = fb * h.nb[i];
		r[i] = -(alpha * r[3 + i] + beta * r[6 + i]);
	}
	return h.q;
}

// f H of one wing: n with |n|^2 = n2, turned: n x e (its opposite for wing b), and `wing` the wing's place.
LM_INLINE void add_wing(const vd* e, const vd* n, vd n2, const vd* turned, vd l, vd ee, vd alpha, vd f, const int wing,
                        vd* B)
{
	// nhat t^T / h^2 = n turned^T l / |n|^4,   nhat ehat^T / (l h) = n e^T / (l |n|^2),
	// nhat t^T / l^2 = the first times h^2/l^2
	vd over = f / n2, straight = over / l, bend = over * l / n2, twist = straight / ee;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
		{
			vd second = -bend * (n[i] * turned[j] + turned[i] * n[j]), ne = straight * n[i] * e[j];
			if (i <= j)
			{
				vd symmetric = 0.5 * twist * (n[i] * turned[j] + turned[i] * n[j]);
				B[9 * i + j] += alpha * (alpha * second + ne + straight * e[i] * n[j]) - symmetric;
				B[9 * (wing + i) + wing + j] += second;
			}
			B[9 * i + wing + j] -= alpha * second + ne;
		}
}

LM_INLINE void hinge_second(const vd* u, vd f, vd* B)
{
	hinge h = hinge_of(u);
	if (!h.plain)
	{
		careful_hinge_second(u, f, B);
		return;
	}
	vd ta[3], tb[3];
	cross3(h.na, u, ta), cross3(u, h.nb, tb);
	add_wing(u, h.na, h.na2, ta, h.l, h.ee, h.ea / h.ee, f, 3, B);
	add_wing(u, h.nb, h.nb2, tb, h.l, h.ee, h.eb / h.ee, f, 6, B);
}

// ---- all of them

LM_INLINE vd value_of(const int kind, const vd* u)
{
	vd c[3];
	switch (kind)
	{
		case LENGTH2: return u[0] * u[0] + u[1] * u[1];
		case LENGTH3: return dot3(u, u);
		case AREA: return 0.5 * (u[0] * u[3] - u[1] * u[2]);
		case VOLUME: cross3(u + 3, u + 6, c); return dot3(u, c) / 6;
		default: break;
	}
	vd r[9];
	hinge h = hinge_of(u);
	return h.plain ? h.q : careful_hinge(u, r);
}

LM_INLINE vd first_of(const int kind, const vd* u, vd* r)
{
	switch (kind)
	{
		case LENGTH2: r[0] = 2 * u[0], r[1] = 2 * u[1]; return value_of(LENGTH2, u);
		case LENGTH3: r[0] = 2 * u[0], r[1] = 2 * u[1], r[2] = 2 * u[2]; return value_of(LENGTH3, u);
		case AREA:
			r[0] = 0.5 * u[3], r[1] = -0.5 * u[2], r[2] = -0.5 * u[1], r[3] = 0.5 * u[0];
			return value_of(AREA, u);
		case VOLUME:
			cross3(u + 3, u + 6, r), cross3(u + 6, u, r + 3), cross3(u, u + 3, r + 6);
			for (int i = 0; i < 9; ++i)
				r[i] = r[i] / 6;
			return dot3(u, r);
		default: return hinge_first(u, r);
	}
}

// B += f H, in the upper triangle.
LM_INLINE void add_second(const int kind, const vd* u, vd f, vd* B)
{
	const int n = (CORNERS[kind] - 1) * DIMENSION[kind];
	if (kind == LENGTH2 || kind == LENGTH3)
		for (int i = 0; i < n; ++i)
			B[i * n + i] += 2 * f;
	else if (kind == AREA)
		B[3] += 0.5 * f, B[4 + 2] -= 0.5 * f;
	else if (kind == VOLUME)
		for (int k = 0; k < 3;
		     ++k) // du_k . (du_l x w), w the third edge, l after k: the sign turns where l is before k
		{
			int row = k == 2 ? 0 : k, column = k == 2 ? 2 : k + 1;
			const vd* w = u + 3 * ((k + 2) % 3);
			vd c = (k == 2 ? -f : f) / 6;
			for (int i = 0; i < 3; ++i)
			{
				int j = (i + 1) % 3;
				B[9 * (3 * row + i) + 3 * column + j] += c * w[(i + 2) % 3];
				B[9 * (3 * row + j) + 3 * column + i] -= c * w[(i + 2) % 3];
			}
		}
	else
		hinge_second(u, f, B);
}

#endif
