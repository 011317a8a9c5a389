// Distances with derivatives; see gap.h.
#include "contact/gap.h"

#include "mesh/closest.h"

#include <string.h>

// Sine squared of the angle between edges below which they count as parallel when derivatives are taken.
static const double parallel = 1e-16;

static void set_free(lm_gap* gap, int minus, int plus, double sign)
{
	double* dc = gap->dc[gap->free++];
	memset(dc, 0, 4 * sizeof *dc);
	dc[minus] = -sign, dc[plus] = sign;
}

lm_gap lm_gap_point_triangle(const lm_vec3 x[4])
{
	// relative to the point, so that nothing cancels when it is far from the origin
	lm_vec3 r[3];
	for (int i = 0; i < 3; ++i)
		r[i] = lm_sub(x[i + 1], x[0]);
	lm_closest closest = lm_closest_on_triangle(lm_v3(0, 0, 0), r[0], r[1], r[2]);
	lm_gap gap = { .c = { 1, -closest.weights[0], -closest.weights[1], -closest.weights[2] } };
	gap.w = lm_scale(-1, closest.point);
	gap.D = lm_length(gap.w);
	int first = -1; // of the corners that count, the others exchange weight with it
	for (int i = 0; i < 3; ++i)
		if (closest.weights[i] > 0)
		{
			if (first >= 0)
				set_free(&gap, first + 1, i + 1, -1);
			else
				first = i;
		}
	return gap;
}

typedef struct edges
{
	lm_vec3 u, v, r; // x1 - x0, x3 - x2, x0 - x2
	double uu, vv, uv;
} edges;

static double clamp01(double s)
{
	return s > 0 ? (s < 1 ? s : 1) : 0;
}

// t for a given s, and s for a given t.
static double closest_t(const edges* e, double s)
{
	return e->vv > 0 ? clamp01(lm_dot(lm_add_scaled(e->r, s, e->u), e->v) / e->vv) : 0;
}

static double closest_s(const edges* e, double t)
{
	return e->uu > 0 ? clamp01(lm_dot(lm_sub(lm_scale(t, e->v), e->r), e->u) / e->uu) : 0;
}

static double squared_at(const edges* e, double s, double t)
{
	lm_vec3 w = lm_add_scaled(lm_add_scaled(e->r, s, e->u), -t, e->v);
	return lm_dot(w, w);
}

// The best of the four ends against the other edge, and of the inside where the edges are not parallel.
static void closest_parameters(const edges* e, double* s, double* t)
{
	double best = INFINITY;
	const double ends[2] = { 0, 1 };
	for (int i = 0; i < 4; ++i)
	{
		double a = i < 2 ? ends[i] : closest_s(e, ends[i - 2]), b = i < 2 ? closest_t(e, ends[i]) : ends[i - 2];
		double squared = squared_at(e, a, b);
		if (squared < best)
			best = squared, *s = a, *t = b;
	}
	double det = e->uu * e->vv - e->uv * e->uv;
	if (!(det > parallel * e->uu * e->vv))
		return;
	double ru = lm_dot(e->r, e->u), rv = lm_dot(e->r, e->v);
	double a = (e->uv * rv - e->vv * ru) / det, b = (e->uu * rv - e->uv * ru) / det;
	if (a > 0 && a < 1 && b > 0 && b < 1 && squared_at(e, a, b) <= best)
		*s = a, *t = b;
}

lm_gap lm_gap_edge_edge(const lm_vec3 x[4])
{
	edges e = { lm_sub(x[1], x[0]), lm_sub(x[3], x[2]), lm_sub(x[0], x[2]), 0, 0, 0 };
	e.uu = lm_dot(e.u, e.u), e.vv = lm_dot(e.v, e.v), e.uv = lm_dot(e.u, e.v);
	double s = 0, t = 0;
	closest_parameters(&e, &s, &t);
	lm_gap gap = { .c = { 1 - s, s, t - 1, -t } };
	gap.w = lm_add_scaled(lm_add_scaled(e.r, s, e.u), -t, e.v);
	gap.D = lm_length(gap.w);
	if (s > 0 && s < 1)
		set_free(&gap, 0, 1, 1);
	if (t > 0 && t < 1 && (gap.free == 0 || e.uu * e.vv - e.uv * e.uv > parallel * e.uu * e.vv))
		set_free(&gap, 2, 3, -1);
	return gap;
}

// ---- derivatives -------------------------------------------------------------------------------------------------

// Inverse of the free parameters' f_ss; what is singular is left out.
static int invert(const lm_vec3 w[2], int count, double inverse[2][2])
{
	memset(inverse, 0, 4 * sizeof(double));
	double a = count > 0 ? lm_dot(w[0], w[0]) : 0, d = count > 1 ? lm_dot(w[1], w[1]) : 0;
	double b = count > 1 ? lm_dot(w[0], w[1]) : 0, det = a * d - b * b;
	if (count > 1 && det > parallel * a * d)
	{
		inverse[0][0] = d / det, inverse[1][1] = a / det, inverse[0][1] = inverse[1][0] = -b / det;
		return 2;
	}
	if (count > 0 && a > 0)
		inverse[0][0] = 1 / a;
	return count > 0 && a > 0 ? 1 : 0;
}

void lm_gap_derivatives(const lm_gap* gap, const lm_vec3 x[4], double g[12], double* H)
{
	double w[3] = { gap->w.x, gap->w.y, gap->w.z }, scale = 1 / gap->D;
	for (int i = 0; i < 12; ++i)
		g[i] = scale * gap->c[i / 3] * w[i % 3];
	if (H == NULL)
		return;
	lm_vec3 slope[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
	for (int k = 0; k < gap->free; ++k)
		for (int i = 0; i < 4; ++i)
			slope[k] = lm_add_scaled(slope[k], gap->dc[k][i], lm_sub(x[i], x[0])); // sum dc = 0
	double inverse[2][2], cross[2][12], solved[2][12];
	int count = invert(slope, gap->free, inverse);
	for (int k = 0; k < count; ++k)
		for (int i = 0; i < 12; ++i)
			cross[k][i] = gap->dc[k][i / 3] * w[i % 3] + gap->c[i / 3] * lm_v3_get(slope[k], i % 3);
	for (int k = 0; k < count; ++k)
		for (int i = 0; i < 12; ++i)
			solved[k][i] = inverse[k][0] * cross[0][i] + (count > 1 ? inverse[k][1] * cross[1][i] : 0);
	for (int i = 0; i < 12; ++i)
		for (int j = 0; j < 12; ++j)
		{
			double f = i % 3 == j % 3 ? gap->c[i / 3] * gap->c[j / 3] : 0;
			for (int k = 0; k < count; ++k)
				f -= cross[k][i] * solved[k][j];
			H[12 * i + j] = scale * (f - g[i] * g[j]);
		}
}
