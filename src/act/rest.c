// rest.c: X(p) = X_0 + L p (Eq. 4) for every kind of control.
#include "act/rest.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "solve/group_qp.h"
#include "sparse/kernel.h"

#include <math.h>
#include <string.h>

static lm_status add_initial(const lm_act_def* def, const lm_elastic* elastic, const lm_host* host, lm_act_rest* rest,
                             lm_error* error)
{
	lm_elastic_view view = lm_elastic_get(elastic);
	double* positions = LM_NEW(host, view.unknowns, double);
	rest->rest_unknowns = view.rest_unknowns;
	rest->X0 = LM_NEW(host, view.rest_unknowns, double);
	rest->measured = LM_NEW(host, lm_elastic_measured_count(elastic), double);
	if (!positions || !rest->X0 || !rest->measured)
	{
		lm_free(host, positions);
		return lm_fail_memory(error);
	}
	for (int32_t v = 0; v < view.vertex_count; ++v)
		for (int i = 0; i < view.dimension; ++i)
			positions[(int64_t)v * view.dimension + i] = def->mesh->positions[3 * (int64_t)v + i];
	lm_elastic_gather_rest(elastic, positions, rest->X0);
	lm_elastic_measure_rest(elastic, rest->X0, rest->measured);
	lm_free(host, positions);
	return LM_OK;
}

lm_status lm_act_rest_create(const lm_act_def* def, const lm_elastic* elastic, const lm_host* host, lm_act_rest* rest,
                             lm_error* error)
{
	lm_elastic_view view = lm_elastic_get(elastic);
	*rest = (lm_act_rest){ .control = def->control, .simd = host->simd };
	lm_status status = add_initial(def, elastic, host, rest, error);
	if (status == LM_OK)
		switch (def->control)
		{
			case LM_ACT_PASSIVE: break;
			case LM_ACT_FULL: rest->parameters = rest->rest_unknowns; break;
			case LM_ACT_CAGE: status = lm_act_rest_add_cage(def, &view, host, rest, error); break;
			case LM_ACT_EXAMPLES: status = lm_act_rest_add_examples(def, &view, host, rest, error); break;
		}
	if (status != LM_OK)
		lm_act_rest_release(rest, host);
	return status;
}

void lm_act_rest_release(lm_act_rest* rest, const lm_host* host)
{
	lm_free(host, rest->X0);
	lm_free(host, rest->measured);
	lm_free(host, rest->L);
	lm_free(host, rest->weights);
	lm_free(host, rest->group_start);
	lm_free(host, rest->order);
	lm_mesh_destroy(rest->cage);
	*rest = (lm_act_rest){ 0 };
}

// Cages: d numbers per vertex of the cage, and of the body.
static int dimension_of(const lm_act_rest* rest)
{
	return rest->parameters / rest->cage->vertex_count;
}

// X = (h x I) p, and b = (h x I)^T a, for d axes: loops of known length are unrolled.
static inline void cage_change_in(int d, const lm_act_rest* rest, const double* p, double* X)
{
	int64_t count = rest->cage->vertex_count, vertices = rest->rest_unknowns / d;
	for (int64_t v = 0; v < vertices; ++v)
	{
		double sum[3] = { 0 };
		for (int64_t j = 0; j < count; ++j)
			for (int i = 0; i < d; ++i)
				sum[i] += rest->weights[v * count + j] * p[j * d + i];
		for (int i = 0; i < d; ++i)
			X[v * d + i] = sum[i];
	}
}

static inline void cage_pull_in(int d, const lm_act_rest* rest, const double* a, double* b)
{
	int64_t count = rest->cage->vertex_count, vertices = rest->rest_unknowns / d;
	for (int64_t j = 0; j < count; ++j)
	{
		double sum[3] = { 0 };
		for (int64_t v = 0; v < vertices; ++v)
			for (int i = 0; i < d; ++i)
				sum[i] += rest->weights[v * count + j] * a[v * d + i];
		for (int i = 0; i < d; ++i)
			b[j * d + i] = sum[i];
	}
}

static void cage_change(const lm_act_rest* rest, const double* p, double* X)
{
	if (dimension_of(rest) == 2)
		cage_change_in(2, rest, p, X);
	else
		cage_change_in(3, rest, p, X);
}

static void cage_pull(const lm_act_rest* rest, const double* a, double* b)
{
	if (dimension_of(rest) == 2)
		cage_pull_in(2, rest, a, b);
	else
		cage_pull_in(3, rest, a, b);
}

void lm_act_rest_change(const lm_act_rest* rest, const double* p, double* X)
{
	int64_t m = rest->parameters;
	if (rest->cage)
	{
		cage_change(rest, p, X);
		return;
	}
	for (int64_t i = 0; i < rest->rest_unknowns; ++i)
	{
		double sum = 0;
		const double* row = rest->L ? rest->L + i * m : NULL;
		for (int64_t k = 0; row && k < m; ++k)
			sum += row[k] * p[k];
		X[i] = rest->L || m == 0 ? sum : p[i];
	}
}

void lm_act_rest_shape(const lm_act_rest* rest, const double* p, double* X)
{
	lm_act_rest_change(rest, p, X);
	for (int64_t i = 0; i < rest->rest_unknowns; ++i)
		X[i] = rest->X0[i] + X[i];
}

void lm_act_rest_pull(const lm_act_rest* rest, const double* a, double* b)
{
	int64_t m = rest->parameters;
	if (!rest->L)
	{
		memcpy(b, a, (size_t)m * sizeof *b);
		return;
	}
	if (rest->cage)
	{
		cage_pull(rest, a, b);
		return;
	}
	memset(b, 0, (size_t)m * sizeof *b);
	for (int64_t i = 0; i < rest->rest_unknowns; ++i)
		for (int64_t k = 0; k < m; ++k)
			b[k] += rest->L[i * m + k] * a[i];
}

// T = S (h x I), one row per rest unknown: an entry (i, j) of S meets only the columns of j's axis. Parameters lie axis
// by axis here: (axis a, cage vertex j) at a count + j.
static inline void multiply_cage_in(int d, const lm_act_rest* rest, const lm_pattern* pattern, const double* S,
                                    double* T)
{
	int64_t count = rest->cage->vertex_count, m = rest->parameters;
	memset(T, 0, (size_t)(rest->rest_unknowns * m) * sizeof *T);
	for (int32_t j = 0; j < pattern->n; ++j)
	{
		const double* hj = rest->weights + j / d * count;
		for (int32_t e = pattern->start[j]; e < pattern->start[j + 1]; ++e)
		{
			int32_t i = pattern->row[e];
			const double* hi = rest->weights + i / d * count;
			double *Ti = T + i * m + j % d * count, *Tj = T + j * m + i % d * count;
			for (int64_t k = 0; k < count; ++k)
				Ti[k] += S[e] * hj[k];
			for (int64_t k = 0; i != j && k < count; ++k)
				Tj[k] += S[e] * hi[k];
		}
	}
}

static void multiply_cage(const lm_act_rest* rest, const lm_pattern* pattern, const double* S, double* T)
{
	if (dimension_of(rest) == 2)
		multiply_cage_in(2, rest, pattern, S, T);
	else
		multiply_cage_in(3, rest, pattern, S, T);
}

// C += S for a sparse S of which the upper triangle is stored.
static void add_sparse(const lm_pattern* pattern, const double* S, double* C)
{
	int64_t n = pattern->n;
	for (int32_t j = 0; j < n; ++j)
		for (int32_t k = pattern->start[j]; k < pattern->start[j + 1]; ++k)
		{
			int32_t i = pattern->row[k];
			C[i * n + j] += S[k];
			if (i != j)
				C[j * n + i] += S[k];
		}
}

int64_t lm_act_rest_reduce_work(const lm_act_rest* rest)
{
	int64_t m = rest->parameters;
	return rest->rest_unknowns * m + (m + 3) * m + 4; // with room for what the product's fours touch beyond
}

void lm_act_rest_reduce(const lm_act_rest* rest, const lm_elastic* elastic, const double* S, double* work, double* C)
{
	const lm_pattern* pattern = lm_elastic_get(elastic).rest_pattern;
	int64_t m = rest->parameters;
	if (!rest->L)
	{
		add_sparse(pattern, S, C);
		return;
	}
	if (!rest->cage)
	{
		lm_elastic_add_reduced(elastic, S, rest->L, (int32_t)m, 1, work, C);
		return;
	}
	int64_t d = dimension_of(rest), count = rest->cage->vertex_count, stride = (m + 3) / 4 * 4;
	double* G = work + rest->rest_unknowns * m; // column (a, j) is -(h x I)^T T, turned over
	multiply_cage(rest, pattern, S, work);
	memset(G, 0, (size_t)(m * stride) * sizeof *G);
	for (int64_t a = 0; a < d; ++a)
	{
		lm_product product = { .rows = m,
			                   .columns = count,
			                   .inner = rest->rest_unknowns / d,
			                   .A = work + a * m,
			                   .lda = d * m,
			                   .B = rest->weights,
			                   .b_inner = count,
			                   .b_column = 1,
			                   .C = G + a * count * stride,
			                   .ldc = stride };
		lm_sparse_find_kernels(rest->simd)->subtract(&product);
	}
	for (int64_t i = 0; i < m; ++i)
		for (int64_t k = i; k < m; ++k)
		{
			int64_t row = i % count * d + i / count, column = k % count * d + k / count;
			C[row * m + column] -= G[i * stride + k];
			if (i != k)
				C[column * m + row] -= G[i * stride + k];
		}
}

void lm_act_rest_limit(const lm_act_rest* rest, const double* wanted, double* p)
{
	for (int32_t k = 0; k < rest->parameters; ++k)
		p[k] = isfinite(wanted[k]) ? wanted[k] : 0;
	for (int32_t g = 0; g < rest->group_count; ++g)
		lm_group_nearest(rest->group_start[g + 1] - rest->group_start[g], p + rest->group_start[g]);
}

static double area(const double* X, int32_t a, int32_t b, int32_t c)
{
	lm_vec3 u = lm_sub(lm_v3_at(X, b), lm_v3_at(X, a)), v = lm_sub(lm_v3_at(X, c), lm_v3_at(X, a));
	return lm_length(lm_cross(u, v));
}

double lm_act_rest_smallest(const lm_act_rest* rest, const lm_elastic* elastic, const lm_mesh* mesh, const double* X)
{
	lm_elastic_view view = lm_elastic_get(elastic);
	double smallest = lm_elastic_smallest_rest(elastic, X);
	if (view.kind != LM_ELASTIC_SHELL3)
		return smallest;
	for (int32_t t = 0; !view.incompatible && t < mesh->triangle_count; ++t)
	{
		const int32_t* v = mesh->triangles + 3 * (int64_t)t;
		smallest = fmin(smallest, area(X, v[0], v[1], v[2]) / area(rest->X0, v[0], v[1], v[2]));
	}
	for (int32_t e = 0; view.incompatible && e < view.rest_element_count; ++e)
		for (int32_t s = view.rest_starts[e], wing = s + 2; wing < view.rest_starts[e + 1]; ++wing)
			smallest = fmin(smallest, area(X, s, s + 1, wing) / area(rest->X0, s, s + 1, wing));
	return smallest;
}
