// measure_hinge.c: the angle between the two triangles of a hinge (Grinspun et al. 2003; theta of the shells of Coros
// et al. 2012): edge from corner 0 to 1, wings at corners 2 and 3. 0 when flat, smooth through it, +-pi when folded
// shut.
//
// With e = x1 - x0, a = x2 - x0, b = x3 - x0 the normals e x a and b x e have
//   c = (e x a) . (b x e) = (e.b)(e.a) - (e.e)(a.b)     cosine,
//   s = |e| t, t = e . (a x b)                          sine, both times |e x a| |b x e|,
// and q = atan2(s, c), defined for all corners. With M = c^2 + s^2
//   dq = (c ds - s dc) / M,
//   d2q = (c d2s - s d2c) / M - ((c^2 - s^2) (dc ds + ds dc) - 2 c s (dc dc - ds ds)) / M^2,
// which is the imaginary part of the derivatives of log(c + i s). The derivative of the Hessian along u is the Hessian
// of u . dq = (c s' - s c') / M, where ' is the derivative along u. So no more than second-order Taylor expansions
// (jets) of polynomials, one square root and one quotient are needed.
//
// The angle does not change when the hinge is scaled: all is computed for a largest edge of 1 and scaled back.
#include "elastic/fan.h"
#include "elastic/measure.h"

#include <math.h>
#include <string.h>

// A function of the nine edge coordinates at one point: value, gradient, Hessian.
typedef struct jet
{
	double v, g[9], h[81];
} jet;

// r += k f1 f2
static void add_product(jet* r, double k, const jet* f1, const jet* f2)
{
	r->v += k * f1->v * f2->v;
	for (int i = 0; i < 9; ++i)
	{
		r->g[i] += k * (f1->v * f2->g[i] + f2->v * f1->g[i]);
		for (int j = 0; j < 9; ++j)
			r->h[9 * i + j] +=
				k * (f1->v * f2->h[9 * i + j] + f2->v * f1->h[9 * i + j] + f1->g[i] * f2->g[j] + f2->g[i] * f1->g[j]);
	}
}

static jet product_of(const jet* f1, const jet* f2)
{
	jet r = { 0 };
	add_product(&r, 1, f1, f2);
	return r;
}

// F(f), given F and its first two derivatives at f.
static jet composed(const jet* f, double F, double F1, double F2)
{
	jet r;
	r.v = F;
	for (int i = 0; i < 9; ++i)
	{
		r.g[i] = F1 * f->g[i];
		for (int j = 0; j < 9; ++j)
			r.h[9 * i + j] = F1 * f->h[9 * i + j] + F2 * f->g[i] * f->g[j];
	}
	return r;
}

// u_k . u_l
static jet dot(const double* u, int k, int l)
{
	jet r = { 0 };
	for (int i = 0; i < 3; ++i)
	{
		r.v += u[3 * k + i] * u[3 * l + i];
		r.g[3 * k + i] += u[3 * l + i];
		r.g[3 * l + i] += u[3 * k + i];
		r.h[9 * (3 * k + i) + 3 * l + i] += 1;
		r.h[9 * (3 * l + i) + 3 * k + i] += 1;
	}
	return r;
}

// Its derivative along w, w_k . u_l + u_k . w_l.
static jet dot_along(const double* u, const double* w, int k, int l)
{
	jet r = { 0 };
	for (int i = 0; i < 3; ++i)
	{
		r.v += w[3 * k + i] * u[3 * l + i] + u[3 * k + i] * w[3 * l + i];
		r.g[3 * k + i] += w[3 * l + i];
		r.g[3 * l + i] += w[3 * k + i];
	}
	return r;
}

static jet determinant(const double* u)
{
	jet r;
	r.v = lm_fan_determinant(u, r.g);
	lm_fan_determinant_hessian(u, r.h);
	return r;
}

static jet determinant_along(const double* u, const double* w)
{
	jet r = { 0 };
	double g[9], H[81];
	lm_fan_determinant(u, g);
	lm_fan_determinant_hessian(u, H);
	for (int i = 0; i < 9; ++i)
	{
		r.v += g[i] * w[i];
		for (int j = 0; j < 9; ++j)
			r.g[i] += H[9 * i + j] * w[j];
	}
	lm_fan_determinant_hessian(w, r.h);
	return r;
}

// The edges, divided by the largest of them; returns that one's length, or 0 when a triangle has collapsed.
static double scaled_edges(const double* x, double* u)
{
	lm_fan_edges(x, u);
	double square = 0, length = 0;
	for (int k = 0; k < 3; ++k)
	{
		double l2 = u[3 * k] * u[3 * k] + u[3 * k + 1] * u[3 * k + 1] + u[3 * k + 2] * u[3 * k + 2];
		square = l2 > square ? l2 : square;
	}
	if (square > 1e-200 && square < 1e200)
		length = sqrt(square);
	else // squares may overflow or vanish
		for (int k = 0; k < 3; ++k)
			length = fmax(length, hypot(hypot(u[3 * k], u[3 * k + 1]), u[3 * k + 2]));
	if (!(length > LM_MEASURE_TINY))
		return 0;
	double inverse = 1 / length;
	for (int i = 0; i < 9; ++i)
		u[i] *= inverse;
	double ee = 0, ea = 0, eb = 0, aa = 0, bb = 0;
	for (int i = 0; i < 3; ++i)
	{
		ee += u[i] * u[i], ea += u[i] * u[3 + i], eb += u[i] * u[6 + i];
		aa += u[3 + i] * u[3 + i], bb += u[6 + i] * u[6 + i];
	}
	// doubled areas |e x a|, |e x b| against the largest edge
	bool collapsed = !(ee * aa - ea * ea > LM_MEASURE_FLAT * LM_MEASURE_FLAT) ||
	                 !(ee * bb - eb * eb > LM_MEASURE_FLAT * LM_MEASURE_FLAT);
	return collapsed ? 0 : length;
}

// c and s with gradients only: sum of squares and all that a force needs.
static void first_order(const double* u, double* c, double* s, double* dc, double* ds)
{
	const double *e = u, *a = u + 3, *b = u + 6;
	double ee = 0, ea = 0, eb = 0, ab = 0, dt[9];
	for (int i = 0; i < 3; ++i)
		ee += e[i] * e[i], ea += e[i] * a[i], eb += e[i] * b[i], ab += a[i] * b[i];
	double length = sqrt(ee), t = lm_fan_determinant(u, dt);
	*c = eb * ea - ee * ab;
	*s = length * t;
	for (int i = 0; i < 3; ++i)
	{
		dc[i] = ea * b[i] + eb * a[i] - 2 * ab * e[i];
		dc[3 + i] = eb * e[i] - ee * b[i];
		dc[6 + i] = ea * e[i] - ee * a[i];
		ds[i] = length * dt[i] + t * e[i] / length;
		ds[3 + i] = length * dt[3 + i];
		ds[6 + i] = length * dt[6 + i];
	}
}

static void value(const double* x, double* q)
{
	double c, s;
	lm_hinge_pair(x, &c, &s);
	q[0] = atan2(s, c);
}

static void gradient(const double* x, double* J)
{
	double u[9], c, s, dc[9], ds[9], g[9];
	memset(J, 0, 12 * sizeof *J);
	double length = scaled_edges(x, u);
	if (length == 0)
		return;
	first_order(u, &c, &s, dc, ds);
	double M = c * c + s * s;
	for (int i = 0; i < 9; ++i)
		g[i] = (c * ds[i] - s * dc[i]) / M / length;
	lm_fan_gradient(g, J);
}

static jet cosine(const double* u)
{
	jet ee = dot(u, 0, 0), ea = dot(u, 0, 1), eb = dot(u, 0, 2), ab = dot(u, 1, 2);
	jet c = product_of(&eb, &ea);
	add_product(&c, -1, &ee, &ab);
	return c;
}

static jet edge_length(const double* u)
{
	jet ee = dot(u, 0, 0);
	double l = sqrt(ee.v);
	return composed(&ee, l, 0.5 / l, -0.25 / (l * l * l));
}

// H[block row][block column] += f u v^T, 3 x 3 blocks of a 9 x 9 matrix.
static inline void add_outer(double* H, int row, int column, double f, const double* u, const double* v)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			H[9 * (3 * row + i) + 3 * column + j] += f * u[i] * v[j];
}

static inline void add_identity(double* H, int row, int column, double f)
{
	for (int i = 0; i < 3; ++i)
		H[9 * (3 * row + i) + 3 * column + i] += f;
}

// The upper triangle of blocks of c_2 C + s_2 S, the second derivatives of c and s; with t = det(e, a, b), l = |e| and
// dt = dt/du:
//   C_ee = a b^T + b a^T - 2 (a.b) I,   C_ea = b e^T + (e.b) I - 2 e b^T,   C_eb = a e^T + (e.a) I - 2 e a^T,
//   C_ab = e e^T - (e.e) I,             S_ee = (e t_e^T + t_e e^T)/l + t (I - e e^T / l^2)/l,
//   S_ea = e t_a^T / l + l t_ea,        S_eb = e t_b^T / l + l t_eb,       S_ab = l t_ab
static void add_second(const double* u, double c2, double s2, const double* dt, double t, double* H)
{
	const double *e = u, *a = u + 3, *b = u + 6;
	double ee = 0, ea = 0, eb = 0, ab = 0;
	for (int i = 0; i < 3; ++i)
		ee += e[i] * e[i], ea += e[i] * a[i], eb += e[i] * b[i], ab += a[i] * b[i];
	double l = sqrt(ee), over = s2 / l;
	add_outer(H, 0, 0, c2, a, b), add_outer(H, 0, 0, c2, b, a);
	add_outer(H, 0, 0, over, e, dt), add_outer(H, 0, 0, over, dt, e);
	add_outer(H, 0, 0, -over * t / ee, e, e), add_identity(H, 0, 0, over * t - 2 * c2 * ab);
	add_outer(H, 0, 1, c2, b, e), add_outer(H, 0, 1, -2 * c2, e, b), add_outer(H, 0, 1, over, e, dt + 3);
	add_identity(H, 0, 1, c2 * eb);
	add_outer(H, 0, 2, c2, a, e), add_outer(H, 0, 2, -2 * c2, e, a), add_outer(H, 0, 2, over, e, dt + 6);
	add_identity(H, 0, 2, c2 * ea);
	add_outer(H, 1, 2, c2, e, e), add_identity(H, 1, 2, -c2 * ee);
	double T[81], f = s2 * l;
	lm_fan_determinant_hessian(u, T);
	for (int i = 0; i < 6; ++i)
		for (int j = i < 3 ? 3 : 6; j < 9; ++j)
			H[9 * i + j] += f * T[9 * i + j];
}

// The Hessian on the scaled edges.
static void edge_hessian(const double* u, double* H)
{
	double c, s, dc[9], ds[9], dt[9], t = lm_fan_determinant(u, dt);
	first_order(u, &c, &s, dc, ds);
	double M = c * c + s * s, even = (c * c - s * s) / M / M, odd = 2 * c * s / M / M;
	memset(H, 0, 81 * sizeof *H);
	add_second(u, -s / M, c / M, dt, t, H);
	for (int i = 0; i < 9; ++i)
	{
		double p = odd * dc[i] - even * ds[i], q = -even * dc[i] - odd * ds[i];
		for (int j = i; j < 9; ++j)
			H[9 * i + j] += p * dc[j] + q * ds[j];
	}
	for (int i = 0; i < 9; ++i)
		for (int j = 0; j < i; ++j)
			H[9 * i + j] = H[9 * j + i];
}

bool lm_hinge_pair(const double* x, double* c, double* s)
{
	double u[9], dt[9], ee = 0, ea = 0, eb = 0, ab = 0;
	*c = 1, *s = 0;
	if (scaled_edges(x, u) == 0)
		return false;
	for (int i = 0; i < 3; ++i)
		ee += u[i] * u[i], ea += u[i] * u[3 + i], eb += u[i] * u[6 + i], ab += u[3 + i] * u[6 + i];
	*s = sqrt(ee) * lm_fan_determinant(u, dt), *c = eb * ea - ee * ab;
	return true;
}

bool lm_hinge_first(const double* x, double* c, double* s, double* J)
{
	double u[9], dc[9], ds[9], g[9];
	double length = scaled_edges(x, u);
	*c = 1, *s = 0;
	memset(J, 0, 12 * sizeof *J);
	if (length == 0)
		return false;
	first_order(u, c, s, dc, ds);
	double factor = 1 / ((*c * *c + *s * *s) * length);
	for (int i = 0; i < 9; ++i)
		g[i] = (*c * ds[i] - *s * dc[i]) * factor;
	lm_fan_gradient(g, J);
	return true;
}

static void hessian(const double* x, const double* c, double* A)
{
	double u[9], H[81];
	double length = scaled_edges(x, u);
	if (length == 0)
		return;
	edge_hessian(u, H);
	lm_fan_hessian(H, c[0] / length / length, A);
}

static void product(const double* x, const double* direction, double* R)
{
	double u[9], w[9], g[9], H[81];
	memset(R, 0, 12 * sizeof *R);
	double length = scaled_edges(x, u);
	if (length == 0)
		return;
	edge_hessian(u, H);
	lm_fan_edges(direction, w);
	for (int i = 0; i < 9; ++i)
	{
		g[i] = 0;
		for (int j = 0; j < 9; ++j)
			g[i] += H[9 * i + j] * w[j];
		g[i] = g[i] / length / length;
	}
	lm_fan_gradient(g, R);
}

// c' = (eb)' ea + eb (ea)' - (ee)' ab - ee (ab)'
static jet cosine_along(const double* u, const double* w)
{
	jet ee = dot(u, 0, 0), ea = dot(u, 0, 1), eb = dot(u, 0, 2), ab = dot(u, 1, 2);
	jet ee1 = dot_along(u, w, 0, 0), ea1 = dot_along(u, w, 0, 1), eb1 = dot_along(u, w, 0, 2),
		ab1 = dot_along(u, w, 1, 2);
	jet r = product_of(&eb1, &ea);
	add_product(&r, 1, &eb, &ea1);
	add_product(&r, -1, &ee1, &ab);
	add_product(&r, -1, &ee, &ab1);
	return r;
}

// s' = l' t + l t', l' = (ee)' / (2 l)
static jet sine_along(const double* u, const double* w)
{
	jet ee = dot(u, 0, 0), ee1 = dot_along(u, w, 0, 0);
	double l2 = ee.v, l = sqrt(l2);
	jet half_inverse = composed(&ee, 0.5 / l, -0.25 / (l2 * l), 0.375 / (l2 * l2 * l));
	jet length = edge_length(u), length1 = product_of(&half_inverse, &ee1);
	jet t = determinant(u), t1 = determinant_along(u, w);
	jet r = product_of(&length1, &t);
	add_product(&r, 1, &length, &t1);
	return r;
}

static void third(const double* x, const double* coefficient, const double* direction, double* A)
{
	double u[9], w[9];
	double length = scaled_edges(x, u);
	if (length == 0)
		return;
	lm_fan_edges(direction, w);
	jet c = cosine(u), l = edge_length(u), t = determinant(u), s = product_of(&l, &t);
	jet c1 = cosine_along(u, w), s1 = sine_along(u, w);
	jet N = product_of(&c, &s1), M = product_of(&c, &c);
	add_product(&N, -1, &s, &c1);
	add_product(&M, 1, &s, &s);
	jet inverse = composed(&M, 1 / M.v, -1 / M.v / M.v, 2 / M.v / M.v / M.v);
	jet along = product_of(&N, &inverse); // u . dq
	lm_fan_hessian(along.h, coefficient[0] / length / length / length, A);
}

const lm_measure lm_measure_hinge = { .dimension = 3,
	                                  .corners = 4,
	                                  .size = 12,
	                                  .count = 1,
	                                  .angle = true,
	                                  .value = value,
	                                  .gradient = gradient,
	                                  .hessian = hessian,
	                                  .product = product,
	                                  .third = third };
