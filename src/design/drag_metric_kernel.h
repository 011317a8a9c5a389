// drag_metric_kernel.h: the loops of drag_metric.h, compiled for several machines. Each kernel file sets LM_KERNELS,
// the name of its table. Vectors have eight numbers: rows of a panel.
#include "design/drag_metric.h"

#include <math.h>
#include <string.h>

enum
{
	L = LM_DRAG_LANES
};

typedef float f4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(4 * LM_DRAG_LANES)));

#define INLINE static inline __attribute__((always_inline))

INLINE f8 load(const float* x)
{
	f8 v;
	memcpy(&v, x, sizeof v);
	return v;
}

INLINE void store(float* x, f8 v)
{
	memcpy(x, &v, sizeof v);
}

// The sums of eight vectors.
INLINE f8 sums(const f8 a[L])
{
	f8 pairs[4], fours[2];
	for (int k = 0; k < 4; ++k)
		pairs[k] = __builtin_shufflevector(a[2 * k], a[2 * k + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
		           __builtin_shufflevector(a[2 * k], a[2 * k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
	for (int k = 0; k < 2; ++k)
		fours[k] = __builtin_shufflevector(pairs[2 * k], pairs[2 * k + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
		           __builtin_shufflevector(pairs[2 * k], pairs[2 * k + 1], 2, 3, 10, 11, 6, 7, 14, 15);
	return __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
	       __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

// ---- factorising ------------------------------------------------------------------------------------------------

INLINE float* column_of(const lm_design_drag_metric* m, int64_t j)
{
	return lm_design_drag_panel(m, j / L) + j % L * (m->padded - j / L * L) - j / L * L;
}

// A, scaled, into the panels. Blocks are written in fours: the fourth number is zero, and what is below it is written
// after it, or does not count.
static void fill(lm_design_drag_metric* m, const float* blocks)
{
	const float added = 2e-6f;
	for (int32_t b = 0; b < m->nodes; ++b)
		for (int j = 0; j < 3; ++j)
		{
			const float* block = blocks + LM_ELASTIC_BLOCK * lm_design_block(m->nodes, b, b) + 4 * j;
			float *column = column_of(m, 3 * b + j), own = m->scale[3 * b];
			for (int i = j; i < 3; ++i)
				column[3 * b + i] = block[i] * own * own + (i == j ? added : 0);
			for (int32_t a = b + 1; a < m->nodes; ++a)
			{
				f4 v;
				memcpy(&v, block += LM_ELASTIC_BLOCK, sizeof v);
				v *= own * m->scale[3 * a];
				memcpy(column + 3 * a, &v, sizeof v);
			}
			for (int32_t i = m->n; i < m->padded; ++i)
				column[i] = 0;
		}
	for (int32_t j = m->n; j < m->padded; ++j)
		for (int32_t i = j; i < m->padded; ++i)
			column_of(m, j)[i] = i == j;
}

// Rows r of panel p less what the panels before it contribute: `count` vectors of rows (one or two) by half of the
// columns, which is what stays in registers.
INLINE void subtract_half(const lm_design_drag_metric* m, int64_t p, int64_t r, int half, int count, f8 acc[2][L])
{
	const float* panel = lm_design_drag_panel(m, p);
	int64_t rows = m->padded - L * p;
	f8 sum[2][L / 2];
	for (int v = 0; v < count; ++v)
		for (int c = 0; c < L / 2; ++c)
			sum[v][c] = load(panel + (L / 2 * half + c) * rows + r + L * v);
	for (int64_t q = 0; q < p; ++q)
	{
		int64_t below = m->padded - L * q;
		const float* from = lm_design_drag_panel(m, q) + L * (p - q);
		for (int k = 0; k < L; ++k, from += below)
			for (int v = 0; v < count; ++v)
			{
				f8 l = load(from + r + L * v);
				for (int c = 0; c < L / 2; ++c)
					sum[v][c] -= l * from[L / 2 * half + c];
			}
	}
	for (int v = 0; v < count; ++v)
		for (int c = 0; c < L / 2; ++c)
			acc[v][L / 2 * half + c] = sum[v][c];
}

INLINE void subtract_earlier(const lm_design_drag_metric* m, int64_t p, int64_t r, int count, f8 acc[2][L])
{
	for (int half = 0; half < 2; ++half)
		subtract_half(m, p, r, half, count, acc);
}

// Cholesky's factor of a diagonal block, inverted: by columns, then by rows.
INLINE bool invert_block(const f8 acc[L], float* inverse)
{
	float G[L][L], I[L][L] = { { 0 } };
	for (int j = 0; j < L; ++j)
	{
		float pivot = acc[j][j];
		for (int k = 0; k < j; ++k)
			pivot -= G[j][k] * G[j][k];
		if (!(pivot > 1e-7f))
			return false;
		float root = sqrtf(pivot);
		G[j][j] = root;
		for (int i = j + 1; i < L; ++i)
		{
			float sum = acc[j][i];
			for (int k = 0; k < j; ++k)
				sum -= G[i][k] * G[j][k];
			G[i][j] = sum / root;
		}
	}
	for (int j = 0; j < L; ++j)
		for (int i = j; i < L; ++i)
		{
			float sum = i == j;
			for (int k = j; k < i; ++k)
				sum -= G[i][k] * I[k][j];
			I[i][j] = sum / G[i][i];
		}
	for (int i = 0; i < L; ++i)
		for (int j = 0; j < L; ++j)
			inverse[L * j + i] = inverse[L * L + L * i + j] = I[i][j];
	return true;
}

// The rows times the inverse of the diagonal block, transposed.
INLINE void finish_rows(const f8 acc[L], const float* inverse, int64_t rows, float* panel)
{
	for (int c = 0; c < L; ++c)
	{
		f8 sum = acc[0] * inverse[c];
		for (int k = 1; k <= c; ++k)
			sum += acc[k] * inverse[L * k + c];
		store(panel + c * rows, sum);
	}
}

static bool factorize(lm_design_drag_metric* m, const float* blocks)
{
	fill(m, blocks);
	for (int64_t p = 0; p < m->padded / L; ++p)
	{
		f8 acc[2][L];
		float *panel = lm_design_drag_panel(m, p), *inverse = m->inverse + 2 * L * L * p;
		int64_t rows = m->padded - L * p, r = L;
		subtract_earlier(m, p, 0, 1, acc);
		if (!invert_block(acc[0], inverse))
			return false;
		for (; r + L < rows; r += 2 * L)
		{
			subtract_earlier(m, p, r, 2, acc);
			finish_rows(acc[0], inverse, rows, panel + r);
			finish_rows(acc[1], inverse, rows, panel + r + L);
		}
		if (r < rows)
		{
			subtract_earlier(m, p, r, 1, acc);
			finish_rows(acc[0], inverse, rows, panel + r);
		}
	}
	return true;
}

// ---- solving ----------------------------------------------------------------------------------------------------

// Columns of a block times a vector.
INLINE f8 times(const float* columns, f8 x)
{
	f8 a = load(columns) * x[0], b = load(columns + L) * x[1];
	for (int k = 2; k < L; k += 2)
		a += load(columns + L * k) * x[k], b += load(columns + L * (k + 1)) * x[k + 1];
	return a + b;
}

static void solve(const lm_design_drag_metric* m, float* x)
{
	int64_t panels = m->padded / L;
	for (int64_t p = 0; p < panels; ++p)
	{
		const float* panel = lm_design_drag_panel(m, p);
		int64_t rows = m->padded - L * p;
		f8 t = times(m->inverse + 2 * L * L * p, load(x + L * p));
		store(x + L * p, t);
		for (int64_t r = L; r < rows; r += L)
		{
			f8 a = load(x + L * p + r) - load(panel + r) * t[0], b = load(panel + rows + r) * t[1];
			for (int c = 2; c < L; c += 2)
				a -= load(panel + c * rows + r) * t[c], b += load(panel + (c + 1) * rows + r) * t[c + 1];
			store(x + L * p + r, a - b);
		}
	}
	for (int64_t p = panels - 1; p >= 0; --p)
	{
		const float* panel = lm_design_drag_panel(m, p);
		int64_t rows = m->padded - L * p;
		f8 acc[L] = { { 0 } };
		for (int64_t r = L; r < rows; r += L)
		{
			f8 v = load(x + L * p + r);
			for (int c = 0; c < L; ++c)
				acc[c] += load(panel + c * rows + r) * v;
		}
		store(x + L * p, times(m->inverse + 2 * L * L * p + L * L, load(x + L * p) - sums(acc)));
	}
}

// ---- steps remembered -------------------------------------------------------------------------------------------

INLINE float dot(int64_t n, const float* a, const float* b)
{
	f8 sum = load(a) * load(b);
	for (int64_t i = L; i < n; i += L)
		sum += load(a + i) * load(b + i);
	return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

INLINE void add(int64_t n, float c, const float* a, float* b)
{
	for (int64_t i = 0; i < n; i += L)
		store(b + i, load(b + i) + c * load(a + i));
}

// The two loops of L-BFGS, as in descent.c.
static void direction(lm_design_drag_metric* m, const double* g, double* d)
{
	float alpha[LM_DRAG_MEMORY], *q = m->q;
	int64_t n = m->padded;
	for (int32_t i = 0; i < m->n; ++i)
		q[i] = (float)g[i];
	for (int k = m->count - 1; k >= 0; --k)
	{
		int at = (m->first + k) % LM_DRAG_MEMORY;
		alpha[k] = m->rho[at] * dot(n, m->s + at * n, q);
		add(n, -alpha[k], m->y + at * n, q);
	}
	for (int64_t i = 0; i < n; i += L)
		store(q + i, load(q + i) * load(m->scale + i));
	solve(m, q);
	for (int64_t i = 0; i < n; i += L)
		store(q + i, load(q + i) * load(m->scale + i));
	for (int k = 0; k < m->count; ++k)
	{
		int at = (m->first + k) % LM_DRAG_MEMORY;
		float beta = m->rho[at] * dot(n, m->y + at * n, q);
		add(n, alpha[k] - beta, m->s + at * n, q);
	}
	for (int32_t i = 0; i < m->n; ++i)
		d[i] = q[i];
	memset(q, 0, (size_t)n * sizeof *q);
}

static void remember(lm_design_drag_metric* m, double step, const double* d, const double* g, const double* next)
{
	int at = (m->first + m->count) % LM_DRAG_MEMORY;
	int64_t n = m->padded;
	float *s = m->s + at * n, *y = m->y + at * n;
	if (m->count == LM_DRAG_MEMORY)
		m->first = (m->first + 1) % LM_DRAG_MEMORY, m->count -= 1;
	for (int32_t i = 0; i < m->n; ++i)
		s[i] = (float)(-step * d[i]), y[i] = (float)(next[i] - g[i]);
	for (int64_t i = 0; i < n; i += L)
		store(m->x + i, load(s + i) * load(y + i));
	float sy = dot(n, s, y);
	if (!(sy > 1e-5f * sqrtf(dot(n, m->x, m->x))) || !isfinite(1 / sy)) // not a matter of rounding, in any scale
		return;
	m->rho[at] = 1 / sy;
	m->count += 1;
}

const lm_design_drag_kernels LM_KERNELS = { factorize, direction, remember };
