// elastic_kernel.h: the loops of elastic.c, compiled for several machines. Each kernel file sets LM_KERNELS, the name
// of its table. Vectors have four numbers: one of F's rows (the fourth counts for nothing) while the nodes of a point
// are summed up, the same number of four points while strains and stresses are found.
#include "design/elastic.h"

#include <math.h>
#include <string.h>

typedef double d4 __attribute__((vector_size(32)));
typedef int64_t i4 __attribute__((vector_size(32)));
typedef double columns[3][3]; // [k] is column k

static const double crushed = 0.1;

static inline __attribute__((always_inline)) d4 load(const double* x)
{
	d4 v;
	memcpy(&v, x, sizeof v);
	return v;
}

static inline __attribute__((always_inline)) void add_to(double* x, d4 v)
{
	v += load(x);
	memcpy(x, &v, sizeof v);
}

static inline __attribute__((always_inline)) void transpose(d4 a[4])
{
	d4 p = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6), q = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
	d4 r = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6), s = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
	a[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5), a[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
	a[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5), a[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

// Rows of F at a point: reads one number behind the last gradient.
static inline __attribute__((always_inline)) void gather(const lm_design_rows* rows, int32_t p, const double* y,
                                                         d4 row[3])
{
	const int32_t* node = rows->node;
	double(*grad)[3] = rows->grad;
	d4 a = { 0 }, b = { 0 }, c = { 0 };
	for (int64_t e = rows->start[p], end = rows->start[p + 1]; e < end; ++e)
	{
		const double* x = y + 3 * (int64_t)node[e];
		d4 g = load(grad[e]);
		a += g * x[0], b += g * x[1], c += g * x[2];
	}
	row[0] = a, row[1] = b, row[2] = c;
}

// ---- energy and forces ------------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) d4 dot4(const d4 a[3], const d4 b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline __attribute__((always_inline)) void cross4(const d4 a[3], const d4 b[3], d4 c[3])
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}

// b and b' of four points.
static inline __attribute__((always_inline)) d4 barrier4(d4 J, d4* slope)
{
	i4 above = J > crushed;
	d4 K = (d4)((above & (i4)J) | (~above & (i4)((d4){ 0 } + crushed))), inverse = 1 / K, below = J - K;
	d4 b = (K - 1) * (K - 1) * inverse, first = 1 - inverse * inverse, second = 2 * inverse * inverse * inverse;
	*slope = first + below * second;
	return b + below * (first + 0.5 * below * second);
}

// Energy and volumes J of four points with columns f; P[k] becomes the forces dE/df_k, point by point.
static inline __attribute__((always_inline)) d4 stress(d4 f[3][3], d4 V, lm_design_stiffness s, d4 P[3][4], d4* J)
{
	d4 c[3][3], E[3][3], slope;
	cross4(f[1], f[2], c[0]);
	cross4(f[2], f[0], c[1]);
	cross4(f[0], f[1], c[2]);
	for (int k = 0; k < 3; ++k)
		for (int l = k; l < 3; ++l)
			E[l][k] = E[k][l] = dot4(f[k], f[l]) - (k == l ? 1.0 : 0.0);
	*J = dot4(f[0], c[0]);
	d4 b = barrier4(*J, &slope), four = 4 * s.strain * V, pressure = s.volume * V * slope;
	for (int k = 0; k < 3; ++k)
	{
		for (int i = 0; i < 3; ++i)
			P[k][i] = four * (E[k][0] * f[0][i] + E[k][1] * f[1][i] + E[k][2] * f[2][i]) + pressure * c[k][i];
		P[k][3] = (d4){ 0 };
		transpose(P[k]);
	}
	return V * (s.strain * (dot4(E[0], E[0]) + dot4(E[1], E[1]) + dot4(E[2], E[2])) + s.volume * b);
}

static inline __attribute__((always_inline)) void scatter(const lm_design_rows* rows, int32_t p, d4 P0, d4 P1, d4 P2,
                                                          double* forces)
{
	const int32_t* node = rows->node;
	double(*grad)[3] = rows->grad;
	for (int64_t e = rows->start[p], end = rows->start[p + 1]; e < end; ++e)
		add_to(forces + 4 * (int64_t)node[e], grad[e][0] * P0 + grad[e][1] * P1 + grad[e][2] * P2);
}

static double energy(const lm_design_model* m, lm_design_stiffness s, const double* y, double scale, double* forces,
                     double* least)
{
	const lm_design_rows* rows = &m->integration;
	d4 total = { 0 }, lowest = { INFINITY, INFINITY, INFINITY, INFINITY };
	for (int32_t p = 0; p < m->point_count; p += 4)
	{
		int count = m->point_count - p < 4 ? m->point_count - p : 4;
		d4 V = { 0 }, row[3], R[3][4], f[3][3], P[3][4], J;
		for (int i = 0; i < 3; ++i)
			for (int q = 0; q < 4; ++q) // at rest
				R[i][q] = (d4){ i == 0, i == 1, i == 2, 0 };
		for (int q = 0; q < count; ++q)
		{
			gather(rows, p + q, y, row);
			R[0][q] = row[0], R[1][q] = row[1], R[2][q] = row[2];
			V[q] = scale * m->volumes[p + q];
		}
		for (int i = 0; i < 3; ++i)
		{
			transpose(R[i]);
			f[0][i] = R[i][0], f[1][i] = R[i][1], f[2][i] = R[i][2];
		}
		total += stress(f, V, s, P, &J);
		for (int q = count; q < 4; ++q) // no point is there
			J[q] = INFINITY;
		i4 lower = J < lowest;
		lowest = (d4)((lower & (i4)J) | (~lower & (i4)lowest));
		for (int q = 0; forces != NULL && q < count; ++q)
			scatter(rows, p + q, P[0][q], P[1][q], P[2][q], forces);
	}
	*least = fmin(fmin(lowest[0], lowest[1]), fmin(lowest[2], lowest[3]));
	return (total[0] + total[1]) + (total[2] + total[3]);
}

// ---- second derivatives -----------------------------------------------------------------------------------------

// E with so much of the identity added that nothing of it is negative. Its smallest eigenvalue is the mean m of all
// three less 2 p at most, 6 p^2 = |E - m I|^2.
static inline __attribute__((always_inline)) void make_positive(double E[3][3])
{
	double m = (E[0][0] + E[1][1] + E[2][2]) / 3, square = 0;
	for (int k = 0; k < 3; ++k)
		square += (E[k][k] - m) * (E[k][k] - m) + 2 * E[k][(k + 1) % 3] * E[k][(k + 1) % 3];
	double least = m - 2 * sqrt(square / 6);
	for (int k = 0; k < 3; ++k)
		E[k][k] -= least < 0 ? least : 0;
}

// A[k][l][j] is column j of the 3 x 3 block of columns k and l of F, times V.
static inline __attribute__((always_inline)) void stiffness_of_point(const d4 row[3], lm_design_stiffness s, double V,
                                                                     bool positive, d4 A[3][3][3])
{
	d4 f[4] = { row[0], row[1], row[2], { 0 } }, c[3];
	transpose(f); // columns, the fourth number zero
	double E[3][3];
	for (int k = 0; k < 3; ++k)
		for (int l = 0; l < 3; ++l)
			E[k][l] = f[k][0] * f[l][0] + f[k][1] * f[l][1] + f[k][2] * f[l][2] - (k == l);
	if (positive)
		make_positive(E);
	for (int k = 0; k < 3; ++k)
	{
		d4 a = f[(k + 1) % 3], b = f[(k + 2) % 3];
		c[k] = __builtin_shufflevector(a, a, 1, 2, 0, 3) * __builtin_shufflevector(b, b, 2, 0, 1, 3) -
		       __builtin_shufflevector(a, a, 2, 0, 1, 3) * __builtin_shufflevector(b, b, 1, 2, 0, 3);
	}
	double J = f[0][0] * c[0][0] + f[0][1] * c[0][1] + f[0][2] * c[0][2], K = J > crushed ? J : crushed;
	double curve = 2 / (K * K * K), slope = 1 - 1 / (K * K) + (J - K) * curve;
	double strain = 4 * V * s.strain, second = V * s.volume * curve, first = positive ? 0 : V * s.volume * slope;
	for (int k = 0; k < 3; ++k)
		for (int l = 0; l < 3; ++l)
			for (int j = 0; j < 3; ++j)
			{
				d4 unit = { j == 0, j == 1, j == 2, 0 };
				d4 v = f[l] * f[k][j] + unit * E[k][l];
				if (k == l)
					v += f[0] * f[0][j] + f[1] * f[1][j] + f[2] * f[2][j];
				A[k][l][j] = strain * v + second * c[l][j] * c[k];
			}
	for (int n = 0; n < 3; ++n)
	{
		int l = (n + 1) % 3, k = (n + 2) % 3; // d2J_lk = -[f_n]x
		double x = first * f[n][0], y = first * f[n][1], z = first * f[n][2];
		d4 cross[3] = { { 0, z, -y, 0 }, { -z, 0, x, 0 }, { y, -x, 0, 0 } };
		for (int j = 0; j < 3; ++j)
			A[l][k][j] -= cross[j], A[k][l][j] += cross[j];
	}
}

static inline __attribute__((always_inline)) void add_column(double* x, double a, double b, double c, d4 A, d4 B, d4 C)
{
	d4 v = load(x) + a * A;
	v += b * B;
	v += c * C;
	memcpy(x, &v, sizeof v);
}

// Adds G_a A G_b for all pairs of nodes of a point.
static inline __attribute__((always_inline)) void add_blocks(const lm_design_rows* rows, int32_t p, d4 A[3][3][3],
                                                             int64_t nodes, double* sums)
{
	int64_t begin = rows->start[p], end = rows->start[p + 1];
	const int32_t* node = rows->node;
	double(*grad)[3] = rows->grad;
	for (int64_t b = begin; b < end; ++b)
	{
		const double* g = grad[b];
		d4 B[3][3]; // [k][j]: sum over l of A_kl G_bl
		for (int k = 0; k < 3; ++k)
			for (int j = 0; j < 3; ++j)
				B[k][j] = A[k][0][j] * g[0] + A[k][1][j] * g[1] + A[k][2][j] * g[2];
		double* row = sums + 12 * lm_design_block(nodes, node[b], 0);
		for (int64_t a = b; a < end; ++a)
		{
			double x = grad[a][0], y = grad[a][1], z = grad[a][2], *target = row + 12 * (int64_t)node[a];
			add_column(target, x, y, z, B[0][0], B[1][0], B[2][0]);
			add_column(target + 4, x, y, z, B[0][1], B[1][1], B[2][1]);
			add_column(target + 8, x, y, z, B[0][2], B[1][2], B[2][2]);
		}
	}
}

static void hessian(const lm_design_model* m, lm_design_stiffness s, const double* y, double scale, bool positive,
                    double* sums)
{
	memset(sums, 0, (size_t)m->node_count * (size_t)(m->node_count + 1) / 2 * 12 * sizeof *sums);
	for (int32_t p = 0; p < m->point_count; ++p)
	{
		d4 row[3], A[3][3][3];
		gather(&m->integration, p, y, row);
		stiffness_of_point(row, s, scale * m->volumes[p], positive, A);
		add_blocks(&m->integration, p, A, m->node_count, sums);
	}
}

// ---- the same in floats -----------------------------------------------------------------------------------------

typedef float f4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(32)));

// Two columns of a 3 x 3 block, and the third with nothing.
typedef struct float_block
{
	f8 two, one;
} float_block;

static inline __attribute__((always_inline)) float_block to_floats(const d4 A[3])
{
	f4 a = __builtin_convertvector(A[0], f4), b = __builtin_convertvector(A[1], f4);
	f4 c = __builtin_convertvector(A[2], f4), nothing = { 0 };
	return (float_block){ __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7),
		                  __builtin_shufflevector(c, nothing, 0, 1, 2, 3, 4, 5, 6, 7) };
}

static inline __attribute__((always_inline)) float_block mix(const float g[3], float_block A, float_block B,
                                                             float_block C)
{
	return (float_block){ A.two * g[0] + B.two * g[1] + C.two * g[2], A.one * g[0] + B.one * g[1] + C.one * g[2] };
}

static inline __attribute__((always_inline)) void add_block(float* x, float a, float b, float c, const float_block B[3])
{
	f8 two, one;
	memcpy(&two, x, sizeof two);
	memcpy(&one, x + 8, sizeof one);
	two += a * B[0].two, one += a * B[0].one;
	two += b * B[1].two, one += b * B[1].one;
	two += c * B[2].two, one += c * B[2].one;
	memcpy(x, &two, sizeof two);
	memcpy(x + 8, &one, sizeof one);
}

static inline __attribute__((always_inline)) void add_float_blocks(const lm_design_rows* rows, int32_t p, d4 A[3][3][3],
                                                                   int64_t nodes, float* sums)
{
	int64_t begin = rows->start[p], count = rows->start[p + 1] - begin;
	const int32_t* node = rows->node + begin;
	float g[LM_DESIGN_MOST_NEAR][3];
	float_block F[3][3];
	for (int64_t a = 0; a < count; ++a)
		for (int k = 0; k < 3; ++k)
			g[a][k] = (float)rows->grad[begin + a][k];
	for (int k = 0; k < 3; ++k)
		for (int l = 0; l < 3; ++l)
			F[k][l] = to_floats(A[k][l]);
	for (int64_t b = 0; b < count; ++b)
	{
		float_block B[3];
		for (int k = 0; k < 3; ++k)
			B[k] = mix(g[b], F[k][0], F[k][1], F[k][2]);
		float* row = sums + LM_ELASTIC_BLOCK * lm_design_block(nodes, node[b], 0);
		for (int64_t a = b; a < count; ++a)
			add_block(row + LM_ELASTIC_BLOCK * (int64_t)node[a], g[a][0], g[a][1], g[a][2], B);
	}
}

static void blocks(const lm_design_model* m, lm_design_stiffness s, const double* y, bool positive, float* sums)
{
	size_t nodes = (size_t)m->node_count;
	memset(sums, 0, nodes * (nodes + 1) / 2 * LM_ELASTIC_BLOCK * sizeof *sums);
	for (int32_t p = 0; p < m->point_count; ++p)
	{
		d4 row[3], A[3][3][3];
		gather(&m->integration, p, y, row);
		stiffness_of_point(row, s, m->volumes[p], positive, A);
		add_float_blocks(&m->integration, p, A, m->node_count, sums);
	}
}

const lm_design_elastic_kernels LM_KERNELS = { energy, hessian, blocks };
