// skin.c: the detailed surface carried by the nodes (Sec. 4.3): x' = sum Phi_i y_i with y_i the nodes' positions.
//
// The exact surface uses the rows in double precision and the normals of Eq. 7, which is the cofactor of grad f times
// n; the fast one the floats of skin.h and the normals of Eq. 9.
#include "design/skin.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "sparse/dense.h"

#include <string.h>

static bool rest_normals(lm_design_model* m)
{
	const lm_mesh* mesh = m->surface;
	double* sum = LM_NEW(&m->host, 3 * (size_t)mesh->vertex_count, double);
	m->normals = LM_NEW(&m->host, 3 * (size_t)mesh->vertex_count, float);
	if (sum == NULL || m->normals == NULL)
	{
		lm_free(&m->host, sum);
		return false;
	}
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* c = mesh->triangles + 3 * (size_t)t;
		lm_vec3 a = lm_v3_at(mesh->positions, c[0]);
		lm_vec3 n = lm_cross(lm_sub(lm_v3_at(mesh->positions, c[1]), a), lm_sub(lm_v3_at(mesh->positions, c[2]), a));
		for (int i = 0; i < 3; ++i)
			lm_v3_store(sum, c[i], lm_add(lm_v3_at(sum, c[i]), n));
	}
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		lm_vec3 n = lm_normalize_or(lm_v3_at(sum, v), lm_v3(0, 1, 0));
		m->normals[3 * v] = (float)n.x, m->normals[3 * v + 1] = (float)n.y, m->normals[3 * v + 2] = (float)n.z;
	}
	lm_free(&m->host, sum);
	return true;
}

// ---- the fast surface -------------------------------------------------------------------------------------------

// Orders the entries of a row by falling weight and returns how many are kept.
static int32_t heaviest(const lm_design_rows* rows, int32_t v, int32_t most, int32_t* order)
{
	int32_t count = (int32_t)(rows->start[v + 1] - rows->start[v]);
	const double* phi = rows->phi + rows->start[v];
	for (int32_t i = 0; i < count; ++i)
	{
		int32_t at = i;
		for (; at > 0 && fabs(phi[order[at - 1]]) < fabs(phi[i]); --at)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return count < most ? count : most;
}

// Changes the kept weights as little as possible (in units of themselves) so that their moments are those wanted:
//   g += W A (A^T W A)^-1 (wanted - A^T g),   A the rows [1, x_i - x], W = diag(phi^2).
static void mend(const lm_design_model* m, lm_vec3 x, const int32_t* node, const double* phi, int32_t count,
                 const double wanted[4], double* g)
{
	double M[16] = { 0 }, r[4] = { wanted[0], wanted[1], wanted[2], wanted[3] }, A[64][4];
	for (int32_t k = 0; k < count; ++k)
	{
		lm_vec3 e = lm_sub(lm_v3_at(m->nodes, node[k]), x);
		A[k][0] = 1, A[k][1] = e.x, A[k][2] = e.y, A[k][3] = e.z;
		for (int i = 0; i < 4; ++i)
		{
			r[i] -= A[k][i] * g[k];
			for (int j = 0; j < 4; ++j)
				M[4 * i + j] += phi[k] * phi[k] * A[k][i] * A[k][j];
		}
	}
	if (lm_dense_cholesky(4, M).status != LM_FACTOR_OK)
		return;
	lm_dense_cholesky_solve(4, M, 1, r);
	for (int32_t k = 0; k < count; ++k)
		g[k] += phi[k] * phi[k] * (A[k][0] * r[0] + A[k][1] * r[1] + A[k][2] * r[2] + A[k][3] * r[3]);
}

static void keep_row(lm_design_model* m, const lm_design_rows* rows, int32_t v, int32_t most, const int32_t* order)
{
	lm_design_skin* skin = m->fast;
	int32_t node[LM_DESIGN_MOST_NEAR], kept = skin->start[v + 1] - skin->start[v];
	double phi[LM_DESIGN_MOST_NEAR], old[LM_DESIGN_MOST_NEAR], g[LM_DESIGN_MOST_NEAR];
	const float* n = m->normals + 3 * (size_t)v;
	for (int32_t k = 0; k < kept; ++k)
	{
		int64_t e = rows->start[v] + order[k];
		node[k] = rows->node[e];
		old[k] = phi[k] = rows->phi[e];
		g[k] = m->normal_weights[e];
	}
	if (kept < rows->start[v + 1] - rows->start[v] && kept <= most)
	{
		lm_vec3 x = lm_v3_at(m->surface->positions, v);
		mend(m, x, node, old, kept, (double[4]){ 1, 0, 0, 0 }, phi);
		mend(m, x, node, old, kept, (double[4]){ 0, n[0], n[1], n[2] }, g);
	}
	for (int32_t k = 0; k < kept; ++k)
	{
		skin->node[skin->start[v] + k] = (uint16_t)node[k];
		skin->pair[skin->start[v] + k] = (lm_design_pair){ (float)phi[k], (float)g[k] };
	}
}

static bool create_fast(lm_design_model* m, int32_t most)
{
	const lm_host* host = &m->host;
	const lm_design_rows* rows = &m->skin;
	lm_design_skin* skin = m->fast = LM_NEW(host, 1, lm_design_skin);
	if (skin == NULL)
		return false;
	if (most == 0)
		most = LM_DESIGN_MOST_NEAR;
	skin->start = LM_NEW(host, (size_t)rows->count + 1, int32_t);
	if (skin->start == NULL)
		return false;
	int64_t total = 0;
	for (int32_t v = 0; v < rows->count; ++v)
	{
		int64_t length = rows->start[v + 1] - rows->start[v];
		int32_t kept = (int32_t)(length < most ? length : most);
		total += kept;
		skin->start[v + 1] = (int32_t)total;
		skin->width = kept > skin->width ? kept : skin->width;
	}
	skin->node = LM_NEW(host, total, uint16_t);
	skin->pair = LM_NEW(host, total, lm_design_pair);
	if (skin->node == NULL || skin->pair == NULL)
		return false;
	int32_t order[LM_DESIGN_MOST_NEAR];
	for (int32_t v = 0; v < rows->count; ++v)
	{
		heaviest(rows, v, most, order);
		keep_row(m, rows, v, most < 64 ? most : 0, order);
	}
	return true;
}

lm_status lm_design_skin_create(lm_design_model* m, int32_t most_nodes, lm_error* error)
{
	if (!rest_normals(m))
		return lm_fail_memory(error);
	lm_status status =
		lm_design_rows_create(m, m->surface->positions, m->surface->vertex_count, true, &m->host, &m->skin, error);
	if (status != LM_OK)
		return status;
	lm_design_rows* rows = &m->skin;
	m->normal_weights = LM_NEW(&m->host, rows->start[rows->count], float);
	if (m->normal_weights == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < rows->count; ++v)
		for (int64_t e = rows->start[v]; e < rows->start[v + 1]; ++e)
		{
			const float* n = m->normals + 3 * (size_t)v;
			m->normal_weights[e] = (float)(rows->grad[e][0] * n[0] + rows->grad[e][1] * n[1] + rows->grad[e][2] * n[2]);
		}
	if (!create_fast(m, most_nodes))
		return lm_fail_memory(error);
	return LM_OK;
}

void lm_design_skin_destroy(lm_design_model* m)
{
	if (m->fast != NULL)
	{
		lm_free(&m->host, m->fast->start);
		lm_free(&m->host, m->fast->node);
		lm_free(&m->host, m->fast->pair);
		lm_free(&m->host, m->fast);
	}
	lm_design_rows_release(&m->skin, &m->host);
	lm_free(&m->host, m->normal_weights);
	lm_free(&m->host, m->normals);
}

// ---- surfaces ---------------------------------------------------------------------------------------------------

typedef struct surface_job
{
	const lm_design_model* model;
	const double* nodes;
	double *positions, *normals;
	lm_design_skin_kernel* kernel;
	const float* table;
	float *float_positions, *float_normals;
} surface_job;

static lm_vec3 cofactor_times(lm_mat3 F, lm_vec3 n)
{
	lm_vec3 a = lm_column(F, 0), b = lm_column(F, 1), c = lm_column(F, 2);
	return lm_add(lm_scale(n.x, lm_cross(b, c)), lm_add(lm_scale(n.y, lm_cross(c, a)), lm_scale(n.z, lm_cross(a, b))));
}

static void exact_range(void* context, int64_t begin, int64_t end)
{
	const surface_job* job = context;
	const lm_design_rows* rows = &job->model->skin;
	for (int64_t v = begin; v < end; ++v)
	{
		lm_vec3 x = { 0, 0, 0 };
		lm_mat3 F = { 0 };
		for (int64_t e = rows->start[v]; e < rows->start[v + 1]; ++e)
		{
			lm_vec3 y = lm_v3_at(job->nodes, rows->node[e]);
			x = lm_add_scaled(x, rows->phi[e], y);
			if (job->normals != NULL)
				lm_add_outer(&F, 1, y, lm_v3_at(rows->grad[e], 0));
		}
		lm_v3_store(job->positions, v, x);
		if (job->normals == NULL)
			continue;
		const float* n = job->model->normals + 3 * v;
		lm_vec3 normal = { n[0], n[1], n[2] };
		lm_v3_store(job->normals, v, lm_normalize_or(cofactor_times(F, normal), normal));
	}
}

void lm_design_surface(const lm_design_model* model, const double* nodes, int threads, double* positions,
                       double* normals)
{
	surface_job job = { .model = model, .nodes = nodes, .positions = positions, .normals = normals };
	lm_parallel_for(threads, model->surface->vertex_count, 1024, exact_range, &job);
}

static void fast_range(void* context, int64_t begin, int64_t end)
{
	const surface_job* job = context;
	job->kernel(job->model->fast, job->table, begin, end, job->float_positions, job->float_normals);
}

void lm_design_surface_floats(const lm_design_model* model, const double* nodes, int threads, float* positions,
                              float* normals)
{
	float table[8 * 1000] __attribute__((aligned(32)));
	for (int32_t i = 0; i < model->node_count; ++i)
		for (int d = 0; d < 3; ++d)
			table[8 * i + d] = table[8 * i + 4 + d] = (float)nodes[3 * i + d];
	for (int32_t i = 0; i < model->node_count; ++i)
		table[8 * i + 3] = table[8 * i + 7] = 0;
	surface_job job = { .model = model,
		                .kernel = lm_design_skin_kernel_plain,
		                .table = table,
		                .float_positions = positions,
		                .float_normals = normals };
#if defined(LM_X86)
	if (lm_simd_allows(model->host.simd, LM_SIMD_AVX2))
		job.kernel = lm_design_skin_kernel_avx2;
#endif
	lm_parallel_for(threads, model->surface->vertex_count, 4096, fast_range, &job);
}
