// dense_update.h: the inner loops of the dense factorisations. They run along rows, which compilers turn into SIMD.
#ifndef LM_SPARSE_DENSE_UPDATE_H
#define LM_SPARSE_DENSE_UPDATE_H

#define LM_DENSE_BLOCK 8

// y[0 .. n) -= sum over k < LM_DENSE_BLOCK of c[k] times row k of R, whose rows are stride apart: y is read and written
// once for sixteen operations per number.
static inline void lm_subtract_rows(int n, const double* restrict c, const double* restrict R, int stride,
                                    double* restrict y)
{
	const double *r0 = R, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
	const double *r4 = r3 + stride, *r5 = r4 + stride, *r6 = r5 + stride, *r7 = r6 + stride;
	double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5], c6 = c[6], c7 = c[7];
	for (int j = 0; j < n; ++j)
		y[j] -= ((c0 * r0[j] + c1 * r1[j]) + (c2 * r2[j] + c3 * r3[j])) +
		        ((c4 * r4[j] + c5 * r5[j]) + (c6 * r6[j] + c7 * r7[j]));
}

// y[0 .. n) -= c row
static inline void lm_subtract_row(int n, double c, const double* restrict row, double* restrict y)
{
	for (int j = 0; j < n; ++j)
		y[j] -= c * row[j];
}

// a . b, in four sums so that it need not wait for each addition.
static inline double lm_dense_dot(int n, const double* a, const double* b)
{
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
	int i = 0;
	for (; i + 4 <= n; i += 4)
		s0 += a[i] * b[i], s1 += a[i + 1] * b[i + 1], s2 += a[i + 2] * b[i + 2], s3 += a[i + 3] * b[i + 3];
	for (; i < n; ++i)
		s0 += a[i] * b[i];
	return (s0 + s1) + (s2 + s3);
}

#endif
