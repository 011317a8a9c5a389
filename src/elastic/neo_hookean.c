// neo_hookean.c: a neo-Hookean solid as lm_elastic_model, for triangles in the plane (d = 2) and tetrahedra (d = 3):
//
//   W = size omega (mu/2 (I - d) - mu (J - 1) + k/2 (J - 1)^2),   I = tr(F^T F),  J = det F,  F = S(x) S(X)^-1
//
// with mu = stretch/2 and k = volume + mu: near rest this is mu |eps|^2 + volume/2 tr(eps)^2, the material that Green's
// strain gives with the same stiffnesses (potential_solid.c). There is no logarithm of J, as in the "stable" models: an
// inverted element has a finite energy and is pushed back. omega = (1 + e^2) V^2 / (V^2 + e^2 size^2), e = 0.3, is 1
// where the rest element has its initial size, and takes the stiffness away where it has collapsed. Without it damping,
// whose rest shape is the shape of a step ago, would hold an element that is flat on its way back for ever.
//
// In strains (limber/elastic.h), q = (g, v) of x and Q = (G, V) of X, I = T / (c V^2) and J = v / V with T = adj(G) : g
// and det G = c V^2: c = 4 in the plane, 36 in space. So W = s(V) N, polynomials but for
// s = size (1 + e^2) / (V^2 + e^2 size^2):
//   N = mu/2 (T/c - d V^2) - mu (v V - V^2) + k/2 (v - V)^2
// T is linear in g. In the plane T = G^T Y g with a constant Y. In space T = G^T Y(g) G / 2, where Y(h)_ab is the mixed
// third derivative of the determinant along E_a, E_b and h: Y(h) G = Y(G) h.
#include "limber/elastic.h"

#include <string.h>

#define COLLAPSED 0.3 // of its initial size: below that a rest element gets softer

typedef struct point
{
	int m, d;              // components of g, dimension
	const double *g, *G;   // of the strains x and X
	double v, V, mu, k, c; // mu/(2 c) is what T is multiplied by
	double s, s1, s2;      // s(V) and its derivatives
} point;

static point look(const lm_elastic_at* at)
{
	point p = { .m = at->count - 1, .d = at->count == 4 ? 2 : 3, .g = at->x, .G = at->X };
	p.v = at->x[p.m], p.V = at->X[p.m];
	p.mu = 0.5 * at->stretch, p.k = at->volume + p.mu;
	p.c = p.mu / (p.d == 2 ? 8 : 72);
	double e = COLLAPSED * at->size, D = p.V * p.V + e * e;
	p.s = at->size * (1 + COLLAPSED * COLLAPSED) / D;
	p.s1 = -2 * p.V * p.s / D;
	p.s2 = (8 * p.V * p.V / D - 2) * p.s / D;
	return p;
}

// Y(h): row by row, m x m. Components (11, 12, 22) or (11, 12, 13, 22, 23, 33).
static void mixed_determinant(const point* p, const double* h, double* Y)
{
	memset(Y, 0, (size_t)(p->m * p->m) * sizeof *Y);
	if (p->d == 2)
	{
		Y[0 * 3 + 2] = Y[2 * 3 + 0] = 1, Y[1 * 3 + 1] = -2;
		return;
	}
	// det = a11 a22 a33 + 2 a12 a13 a23 - a11 a23^2 - a22 a13^2 - a33 a12^2
	static const struct
	{
		int a, b, c;
		double weight; // of the third derivative by a, b, c
	} terms[] = { { 0, 3, 5, 1 }, { 1, 2, 4, 2 }, { 0, 4, 4, -2 }, { 3, 2, 2, -2 }, { 5, 1, 1, -2 } };
	for (int t = 0; t < 5; ++t)
	{
		int a = terms[t].a, b = terms[t].b, c = terms[t].c;
		double w = terms[t].weight;
		bool twice = b == c;
		Y[a * 6 + b] += w * h[c], Y[b * 6 + a] += w * h[c];
		Y[b * 6 + c] += w * h[a];
		if (twice)
			continue;
		Y[c * 6 + b] += w * h[a];
		Y[a * 6 + c] += w * h[b], Y[c * 6 + a] += w * h[b];
	}
}

static void times(const point* p, const double* Y, const double* h, double factor, double* result)
{
	for (int a = 0; a < p->m; ++a)
	{
		result[a] = 0;
		for (int b = 0; b < p->m; ++b)
			result[a] += factor * Y[a * p->m + b] * h[b];
	}
}

// The derivatives of mu/(2 c) T by g and by G.
static void invariant(const point* p, double* by_g, double* by_G)
{
	double Y[36];
	mixed_determinant(p, p->G, Y);
	times(p, Y, p->G, p->d == 2 ? p->c : p->c / 2, by_g);
	if (by_G != NULL)
		times(p, Y, p->g, p->c, by_G); // Y(G) g = Y(g) G
}

// N and its derivatives by v and V.
typedef struct polynomial
{
	double value, v, V;
} polynomial;

static polynomial evaluate(const point* p, const double* by_g)
{
	double T = 0, v = p->v, V = p->V, away = v - V;
	for (int a = 0; a < p->m; ++a)
		T += by_g[a] * p->g[a];
	return (polynomial){ T - p->mu * (0.5 * p->d * V * V + V * away) + 0.5 * p->k * away * away,
		                 p->k * away - p->mu * V, -p->mu * (p->d * V + v - 2 * V) - p->k * away };
}

static double energy(const lm_elastic_at* at)
{
	point p = look(at);
	double by_g[6];
	invariant(&p, by_g, NULL);
	return p.s * evaluate(&p, by_g).value;
}

static void first(const lm_elastic_at* at, double* x, double* X)
{
	point p = look(at);
	double by_g[6], by_G[6];
	invariant(&p, by_g, by_G);
	polynomial N = evaluate(&p, by_g);
	for (int a = 0; a < p.m; ++a)
	{
		if (x != NULL)
			x[a] = p.s * by_g[a];
		if (X != NULL)
			X[a] = p.s * by_G[a];
	}
	if (x != NULL)
		x[p.m] = p.s * N.v;
	if (X != NULL)
		X[p.m] = p.s * N.V + p.s1 * N.value;
}

static void clear(const point* p, double* A)
{
	if (A != NULL)
		memset(A, 0, (size_t)((p->m + 1) * (p->m + 1)) * sizeof *A);
}

// The block of the components of g and G: A_ab = factor Y_ab.
static void put(const point* p, const double* Y, double factor, double* A)
{
	for (int a = 0; a < p->m; ++a)
		for (int b = 0; b < p->m; ++b)
			A[a * (p->m + 1) + b] = factor * Y[a * p->m + b];
}

static void second(const lm_elastic_at* at, double* xx, double* xX, double* XX)
{
	point p = look(at);
	int n = p.m + 1, last = n * n - 1;
	double by_g[6], by_G[6], Y[36];
	invariant(&p, by_g, by_G);
	polynomial N = evaluate(&p, by_g);
	clear(&p, xx);
	clear(&p, xX);
	clear(&p, XX);
	if (xx != NULL)
		xx[last] = p.s * p.k;
	if (xX != NULL)
	{
		mixed_determinant(&p, p.G, Y);
		put(&p, Y, p.s * p.c, xX);
		for (int a = 0; a < p.m; ++a)
			xX[a * n + p.m] = p.s1 * by_g[a];
		xX[last] = p.s1 * N.v - p.s * (p.mu + p.k);
	}
	if (XX != NULL)
	{
		mixed_determinant(&p, p.g, Y);
		if (p.d == 3) // in the plane T is linear in G
			put(&p, Y, p.s * p.c, XX);
		for (int a = 0; a < p.m; ++a)
			XX[a * n + p.m] = XX[p.m * n + a] = p.s1 * by_G[a];
		XX[last] = p.s * (p.k + p.mu * (2 - p.d)) + 2 * p.s1 * N.V + p.s2 * N.value;
	}
}

// Of r . dW/dx = s(V) P with P = mu/(2 c) T_g . r_g + r_v (k (v - V) - mu V).
static void third(const lm_elastic_at* at, const double* r, double* xx, double* xX, double* XX)
{
	point p = look(at);
	int n = p.m + 1, last = n * n - 1;
	double by_g[6], Y[36], P_G[6], P_V = -(p.mu + p.k) * r[p.m], P = r[p.m] * (p.k * (p.v - p.V) - p.mu * p.V);
	clear(&p, xx);
	clear(&p, xX);
	clear(&p, XX);
	invariant(&p, by_g, NULL);
	for (int a = 0; a < p.m; ++a)
		P += by_g[a] * r[a];
	if (xX != NULL)
		xX[last] = p.s1 * p.k * r[p.m];
	if (XX == NULL)
		return;
	mixed_determinant(&p, r, Y);
	times(&p, Y, p.d == 2 ? r : p.G, p.c, P_G);
	if (p.d == 3)
		put(&p, Y, p.s * p.c, XX);
	for (int a = 0; a < p.m; ++a)
		XX[a * n + p.m] = XX[p.m * n + a] = p.s1 * P_G[a];
	XX[last] = 2 * p.s1 * P_V + p.s2 * P;
}

static const lm_elastic_model plane = { "neo-hookean", 2, LM_ELASTIC_STRAINS, NULL, energy, first, second, third };
static const lm_elastic_model space = { "neo-hookean", 3, LM_ELASTIC_STRAINS, NULL, energy, first, second, third };

const lm_elastic_model* lm_elastic_neo_hookean(int32_t dimension)
{
	return dimension == 2 ? &plane : &space;
}
