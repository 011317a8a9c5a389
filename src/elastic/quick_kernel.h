// quick_kernel.h: W = sum over rests k of w_k/2 D_k^2, D_k = q(x) - q(X_k), in the edges u_k = x_k - x_0:
//
//     dW/du = f r,   f = sum w_k D_k,   r = dq/du,       d2W/du2 = (sum w_k) r r^T + f H,   H = d2q/du2
//
// for lengths, areas, volumes and hinges (quick_measures.h); for Green strain in the plane, with the edges e = (e1,
// e2), D = e^T e - G and M the inverse of the rest shape's Gram matrix G (law.h),
//
//     W = w/8 tr(M D M D),   dW/de = 2 e S,   S = w/4 M D M,   d2W/de2 = J^T K J + 2 S (x) I,
//
// K of the law, J the derivative of the Gram matrix: S, and w K, are added over the rests.
//
// convex: as lm_chain_convex: of the second terms only what is positive semidefinite by itself, and nothing of areas,
// volumes and hinges.
#ifndef LM_ELASTIC_QUICK_KERNEL_H
#define LM_ELASTIC_QUICK_KERNEL_H

#include "elastic/quick_measures.h"

// What the rests make of q: f, sum of w, sum of w max(0, D), and the energy.
typedef struct pulls
{
	vd force, weight, tension, energy;
} pulls;

LM_INLINE vd rest_number(const int kind, const lm_quick* quick, int k, const term_group* at)
{
	const lm_quick_rest* rest = &quick->rests[k];
	if (rest->measured)
		return of_terms(rest->measured, at);
	vd U[9];
	edges_of(CORNERS[kind], DIMENSION[kind], quick->set->slots, rest->X, at, U);
	return value_of(kind, U);
}

LM_INLINE pulls pulls_of(const int kind, const lm_quick* quick, const term_group* at, vd q)
{
	pulls sum = { 0 };
	vd factor = of_terms(quick->set->factors, at);
	for (int k = 0; k < quick->rest_count; ++k)
	{
		vd w = quick->rests[k].stiffness * factor, D = q - rest_number(kind, quick, k, at);
		if (kind == HINGE)
			D = wrapped(D);
		sum.force += w * D;
		sum.weight += w;
		sum.tension += w * larger(D, all(0));
		sum.energy += 0.5 * w * D * D;
	}
	return sum;
}

// ---- Green strain

LM_INLINE void gram(const vd* e, vd* G)
{
	G[0] = e[0] * e[0] + e[1] * e[1], G[1] = e[0] * e[2] + e[1] * e[3], G[2] = e[2] * e[2] + e[3] * e[3];
}

// G and M of rest k.
LM_INLINE void rest_gram(const lm_quick* quick, int k, const term_group* at, vd* GM)
{
	const lm_quick_rest* rest = &quick->rests[k];
	const lm_term_set* set = quick->set;
	if (rest->measured)
	{
		for (int i = 0; i < 6; ++i)
			GM[i] = of_terms(rest->measured + (int64_t)i * set->count, at);
		return;
	}
	vd E[4];
	edges_of(3, 2, set->slots, rest->X, at, E);
	gram(E, GM);
	for (int l = 0; l < LANES; ++l)
	{
		lm_law law = { 3, 0, set->initial + 3 * at->term[l] };
		double M[3];
		lm_law_inverse2(&law, (const double[3]){ GM[0][l], GM[1][l], GM[2][l] }, M);
		GM[3][l] = M[0], GM[4][l] = M[1], GM[5][l] = M[2];
	}
}

// S (three numbers) and the energy, added over the rests.
LM_INLINE vd green_stress(const lm_quick* quick, const term_group* at, const vd* e, vd* S)
{
	vd g[3], GM[6], energy = { 0 }, factor = of_terms(quick->set->factors, at);
	gram(e, g);
	S[0] = S[1] = S[2] = all(0);
	for (int k = 0; k < quick->rest_count; ++k)
	{
		rest_gram(quick, k, at, GM);
		const vd *M = GM + 3, D[3] = { g[0] - GM[0], g[1] - GM[1], g[2] - GM[2] };
		vd w = 0.25 * quick->rests[k].stiffness * factor;
		vd a = M[0] * D[0] + M[1] * D[1], b = M[0] * D[1] + M[1] * D[2]; // M D
		vd c = M[1] * D[0] + M[2] * D[1], d = M[1] * D[1] + M[2] * D[2];
		S[0] += w * (a * M[0] + b * M[1]), S[1] += w * (a * M[1] + b * M[2]), S[2] += w * (c * M[1] + d * M[2]);
		energy += 0.5 * w * (a * a + 2 * b * c + d * d);
	}
	return energy;
}

// The six different numbers of the sum of w K.
LM_INLINE void green_law(const lm_quick* quick, const term_group* at, vd* K)
{
	vd GM[6], factor = of_terms(quick->set->factors, at);
	for (int i = 0; i < 6; ++i)
		K[i] = all(0);
	for (int k = 0; k < quick->rest_count; ++k)
	{
		rest_gram(quick, k, at, GM);
		const vd* M = GM + 3;
		vd w = 0.25 * quick->rests[k].stiffness * factor;
		K[0] += w * M[0] * M[0], K[1] += 2 * w * M[0] * M[1], K[2] += w * M[1] * M[1];
		K[3] += 2 * w * (M[0] * M[2] + M[1] * M[1]), K[4] += 2 * w * M[1] * M[2], K[5] += w * M[2] * M[2];
	}
}

// The positive semidefinite part of symmetric 2 x 2 matrices: high times the projector (S - low I) / (high - low).
LM_INLINE void positive_part(vd* S)
{
	vd mean = 0.5 * (S[0] + S[2]), half = 0.5 * (S[0] - S[2]), radius = square_root(half * half + S[1] * S[1]);
	vd low = mean - radius, high = mean + radius;
	vi fine = low >= 0, none = (high <= 0) | (radius == 0);
	vd factor = choose(none, all(0), high / (2 * choose(none, all(1), radius)));
	S[0] = choose(fine, S[0], factor * (S[0] - low));
	S[1] = choose(fine, S[1], factor * S[1]);
	S[2] = choose(fine, S[2], factor * (S[2] - low));
}

LM_INLINE void green_matrix(const lm_quick* quick, bool convex, const term_group* at, const vd* e, vd* B)
{
	vd S[3], K[6], KJ[3][4];
	green_stress(quick, at, e, S);
	green_law(quick, at, K);
	if (convex)
		positive_part(S);
	// J = (2 e1, 0; e2, e1; 0, 2 e2), K = (K0 K1 K2; K1 K3 K4; K2 K4 K5)
	const vd rows[3][3] = { { K[0], K[1], K[2] }, { K[1], K[3], K[4] }, { K[2], K[4], K[5] } };
	for (int k = 0; k < 3; ++k)
		for (int i = 0; i < 2; ++i)
		{
			KJ[k][i] = 2 * rows[k][0] * e[i] + rows[k][1] * e[2 + i];
			KJ[k][2 + i] = rows[k][1] * e[i] + 2 * rows[k][2] * e[2 + i];
		}
	for (int i = 0; i < 2; ++i)
		for (int j = 0; j < 4; ++j)
		{
			B[4 * i + j] = 2 * e[i] * KJ[0][j] + e[2 + i] * KJ[1][j];
			B[4 * (2 + i) + j] = e[i] * KJ[1][j] + 2 * e[2 + i] * KJ[2][j];
		}
	for (int i = 0; i < 2; ++i)
		B[4 * i + i] += 2 * S[0], B[4 * i + 2 + i] += 2 * S[1], B[4 * (2 + i) + 2 + i] += 2 * S[2];
}

// ---- loops

LM_INLINE void measure_range(const int kind, const lm_quick* quick, int32_t begin, int32_t end, double* measured)
{
	for (int64_t t = begin; t < end; t += LANES)
	{
		term_group at = term_group_from(t, end);
		vd numbers[6];
		if (kind == GREEN)
			rest_gram(quick, 0, &at, numbers);
		else
			numbers[0] = rest_number(kind, quick, 0, &at);
		for (int k = 0; k < (kind == GREEN ? 6 : 1); ++k)
			to_terms(numbers[k], &at, measured + (int64_t)k * quick->set->count);
	}
}

LM_INLINE double energy_range(const int kind, const lm_quick* quick, int32_t begin, int32_t end)
{
	double sum = 0;
	for (int64_t t = begin; t < end; t += LANES)
	{
		term_group at = term_group_from(t, end);
		vd u[9], S[3];
		edges_of(CORNERS[kind], DIMENSION[kind], quick->corners, quick->x, &at, u);
		vd W = kind == GREEN ? green_stress(quick, &at, u, S) : pulls_of(kind, quick, &at, value_of(kind, u)).energy;
		for (int l = 0; l < at.count; ++l)
			sum += W[l];
	}
	return sum;
}

LM_INLINE void gradient_range(const int kind, const lm_quick* quick, int32_t begin, int32_t end, double* g)
{
	const int corners = CORNERS[kind], d = DIMENSION[kind];
	for (int64_t t = begin; t < end; t += LANES)
	{
		term_group at = term_group_from(t, end);
		vd u[9], f[9], S[3];
		edges_of(corners, d, quick->corners, quick->x, &at, u);
		if (kind == GREEN)
		{
			green_stress(quick, &at, u, S);
			for (int i = 0; i < 2; ++i)
				f[i] = 2 * (u[i] * S[0] + u[2 + i] * S[1]), f[2 + i] = 2 * (u[i] * S[1] + u[2 + i] * S[2]);
		}
		else
		{
			vd force = pulls_of(kind, quick, &at, first_of(kind, u, f)).force;
			for (int i = 0; i < (corners - 1) * d; ++i)
				f[i] *= force;
		}
		scatter_forces(corners, d, quick->corners, &at, f, g);
	}
}

LM_INLINE void stiffness_range(const int kind, const lm_quick* quick, bool convex, int32_t begin, int32_t end,
                               const lm_pattern* pattern, int64_t first, double* values)
{
	const int corners = CORNERS[kind], d = DIMENSION[kind], n = (corners - 1) * d;
	for (int64_t t = begin; t < end; t += LANES)
	{
		term_group at = term_group_from(t, end);
		vd u[9], r[9], B[81];
		edges_of(corners, d, quick->corners, quick->x, &at, u);
		if (kind == GREEN)
			green_matrix(quick, convex, &at, u, B);
		else
		{
			pulls p = pulls_of(kind, quick, &at, first_of(kind, u, r));
			for (int i = 0; i < n; ++i)
				for (int j = i; j < n; ++j)
					B[i * n + j] = p.weight * r[i] * r[j];
			if (kind == LENGTH2 || kind == LENGTH3)
				add_second(kind, u, convex ? p.tension : p.force, B);
			else if (!convex)
				add_second(kind, u, p.force, B);
		}
		scatter_matrices(corners, d, B, &at, pattern, first, values);
	}
}

// ---- choosing

static int kind_of(const lm_quick* quick)
{
	const lm_measure* m = quick->set->measure;
	return m == &lm_measure_length2   ? LENGTH2
	       : m == &lm_measure_length3 ? LENGTH3
	       : m == &lm_measure_area    ? AREA
	       : m == &lm_measure_volume  ? VOLUME
	       : m == &lm_measure_hinge   ? HINGE
	                                  : GREEN;
}

static void measure(const lm_quick* quick, int32_t begin, int32_t end, double* measured)
{
	switch (kind_of(quick))
	{
		case LENGTH2: measure_range(LENGTH2, quick, begin, end, measured); break;
		case LENGTH3: measure_range(LENGTH3, quick, begin, end, measured); break;
		case AREA: measure_range(AREA, quick, begin, end, measured); break;
		case VOLUME: measure_range(VOLUME, quick, begin, end, measured); break;
		case HINGE: measure_range(HINGE, quick, begin, end, measured); break;
		default: measure_range(GREEN, quick, begin, end, measured);
	}
}

static double energy(const lm_quick* quick, int32_t begin, int32_t end)
{
	switch (kind_of(quick))
	{
		case LENGTH2: return energy_range(LENGTH2, quick, begin, end);
		case LENGTH3: return energy_range(LENGTH3, quick, begin, end);
		case AREA: return energy_range(AREA, quick, begin, end);
		case VOLUME: return energy_range(VOLUME, quick, begin, end);
		case HINGE: return energy_range(HINGE, quick, begin, end);
		default: return energy_range(GREEN, quick, begin, end);
	}
}

static void add_gradient(const lm_quick* quick, int32_t begin, int32_t end, double* g)
{
	switch (kind_of(quick))
	{
		case LENGTH2: gradient_range(LENGTH2, quick, begin, end, g); break;
		case LENGTH3: gradient_range(LENGTH3, quick, begin, end, g); break;
		case AREA: gradient_range(AREA, quick, begin, end, g); break;
		case VOLUME: gradient_range(VOLUME, quick, begin, end, g); break;
		case HINGE: gradient_range(HINGE, quick, begin, end, g); break;
		default: gradient_range(GREEN, quick, begin, end, g);
	}
}

static void add_stiffness(const lm_quick* quick, bool convex, int32_t begin, int32_t end, const lm_pattern* pattern,
                          int64_t first, double* values)
{
	switch (kind_of(quick))
	{
		case LENGTH2: stiffness_range(LENGTH2, quick, convex, begin, end, pattern, first, values); break;
		case LENGTH3: stiffness_range(LENGTH3, quick, convex, begin, end, pattern, first, values); break;
		case AREA: stiffness_range(AREA, quick, convex, begin, end, pattern, first, values); break;
		case VOLUME: stiffness_range(VOLUME, quick, convex, begin, end, pattern, first, values); break;
		case HINGE: stiffness_range(HINGE, quick, convex, begin, end, pattern, first, values); break;
		default: stiffness_range(GREEN, quick, convex, begin, end, pattern, first, values);
	}
}

#endif
