// fit.c: the nodes that bring the surface closest to given vertices: min sum_v |sum_i Phi_i(x_v) y_i - p_v|^2, with a
// small pull towards the rigid motion that fits best, which settles nodes that no vertex sees.
#include "base/alloc.h"
#include "base/error.h"
#include "design/model.h"
#include "math/svd.h"
#include "sparse/dense.h"

#include <string.h>

// The rigid motion (R, c) that brings the surface at rest closest to p: x -> R x + c.
static void fit_rigid(const lm_mesh* rest, const double* p, lm_mat3* R, lm_vec3* c)
{
	lm_vec3 from = { 0, 0, 0 }, to = { 0, 0, 0 };
	lm_mat3 A = { 0 };
	for (int32_t v = 0; v < rest->vertex_count; ++v)
	{
		from = lm_add_scaled(from, 1.0 / rest->vertex_count, lm_v3_at(rest->positions, v));
		to = lm_add_scaled(to, 1.0 / rest->vertex_count, lm_v3_at(p, v));
	}
	for (int32_t v = 0; v < rest->vertex_count; ++v)
		lm_add_outer(&A, 1, lm_sub(lm_v3_at(p, v), to), lm_sub(lm_v3_at(rest->positions, v), from));
	*R = lm_polar3(A).R;
	*c = lm_sub(to, lm_mul_v(*R, from));
}

lm_status lm_design_fit(const lm_design_model* m, const double* positions, double* nodes, lm_error* error)
{
	const lm_design_rows* rows = &m->skin;
	int32_t n = m->node_count, count = m->surface->vertex_count;
	double* A = LM_NEW(&m->host, (size_t)n * (size_t)n, double);
	double* b = LM_NEW(&m->host, 3 * (size_t)n, double); // one right side per coordinate
	double* p = LM_NEW(&m->host, 3 * (size_t)count, double);
	if (A == NULL || b == NULL || p == NULL)
	{
		lm_free(&m->host, A);
		lm_free(&m->host, b);
		lm_free(&m->host, p);
		return lm_fail_memory(error);
	}
	for (int32_t v = 0; v < count; ++v)
		lm_v3_store(p, v, lm_scale(1 / m->size, lm_sub(lm_v3_at(positions, v), m->center)));
	lm_mat3 R;
	lm_vec3 c;
	fit_rigid(m->surface, p, &R, &c);
	for (int32_t v = 0; v < count; ++v)
		for (int64_t e = rows->start[v]; e < rows->start[v + 1]; ++e)
		{
			for (int64_t f = e; f < rows->start[v + 1]; ++f)
				A[(size_t)rows->node[e] * (size_t)n + (size_t)rows->node[f]] += rows->phi[e] * rows->phi[f];
			for (int d = 0; d < 3; ++d)
				b[d * n + rows->node[e]] += rows->phi[e] * p[3 * v + d];
		}
	double pull = 1e-6 * count / n;
	for (int32_t i = 0; i < n; ++i)
	{
		lm_vec3 rigid = lm_add(c, lm_mul_v(R, lm_v3_at(m->nodes, i)));
		A[(size_t)i * (size_t)n + (size_t)i] += pull;
		b[i] += pull * rigid.x, b[n + i] += pull * rigid.y, b[2 * n + i] += pull * rigid.z;
	}
	bool good = lm_dense_cholesky(n, A).status == LM_FACTOR_OK;
	if (good)
		lm_dense_cholesky_solve(n, A, 3, b);
	for (int32_t i = 0; good && i < n; ++i)
		lm_v3_store(nodes, i, lm_add_scaled(m->center, m->size, lm_v3(b[i], b[n + i], b[2 * n + i])));
	lm_free(&m->host, A);
	lm_free(&m->host, b);
	lm_free(&m->host, p);
	return good ? LM_OK : lm_fail(error, LM_BAD_INPUT, "the pose has vertices that are not finite");
}
