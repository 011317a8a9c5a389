// field.c: see field.h.
#include "design/field.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "mesh/bvh.h"

typedef double d4 __attribute__((vector_size(32)));

typedef struct fill_job
{
	lm_design_field* field;
	const lm_bvh* bvh;
} fill_job;

static void fill_range(void* context, int64_t begin, int64_t end)
{
	const fill_job* job = context;
	const lm_design_model* m = job->field->model;
	lm_design_shape shape;
	for (int64_t s = begin; s < end; ++s)
	{
		lm_vec3 x = lm_design_grid_center(&m->grid, (int32_t)s);
		double d = sqrt(lm_bvh_closest(job->bvh, x, INFINITY).distance2);
		job->field->distance[s] = (float)(s < m->grid.material ? -d : d);
		lm_design_shape_at(m, x, &shape);
		for (int n = 0; n < shape.count; ++n)
			job->field->phi[s * m->node_count + shape.node[n]] = (float)shape.phi[n];
	}
}

lm_status lm_design_field_create(const lm_design_model* m, const lm_host* host, lm_design_field* field, lm_error* error)
{
	lm_bvh bvh = { 0 };
	lm_status status =
		lm_bvh_create(m->surface->triangles, m->surface->triangle_count, 3, m->surface->positions, host, &bvh, error);
	if (status != LM_OK)
		return status;
	*field = (lm_design_field){ .model = m,
		                        .distance = LM_NEW(host, m->grid.count, float),
		                        .phi = LM_NEW(host, (size_t)m->grid.count * (size_t)m->node_count, float) };
	fill_job job = { field, &bvh };
	bool room = field->distance != NULL && field->phi != NULL;
	if (room)
		lm_parallel_for(host->threads, m->grid.count, 256, fill_range, &job);
	lm_bvh_release(&bvh);
	return room ? LM_OK : lm_fail_memory(error);
}

void lm_design_field_release(lm_design_field* field, const lm_host* host)
{
	lm_free(host, field->distance);
	lm_free(host, field->phi);
	field->distance = NULL, field->phi = NULL;
}

// The eight voxels around a place, and their weights with slopes.
typedef struct corners
{
	int32_t slot[8];
	double w[8], dw[8][3];
} corners;

static bool find_corners(const lm_design_grid* g, lm_vec3 x, corners* k)
{
	double q[3] = { (x.x - g->low.x) / g->h, (x.y - g->low.y) / g->h, (x.z - g->low.z) / g->h }, u[3];
	int32_t c[3];
	for (int d = 0; d < 3; ++d)
	{
		double floored = floor(q[d]);
		if (!(floored >= 0 && floored < g->n[d] - 1))
			return false;
		c[d] = (int32_t)floored;
		u[d] = q[d] - floored;
	}
	for (int corner = 0; corner < 8; ++corner)
	{
		int b[3] = { corner & 1, corner >> 1 & 1, corner >> 2 };
		double w[3], s[3];
		k->slot[corner] =
			g->slot[(c[0] + b[0]) + (int64_t)g->n[0] * ((c[1] + b[1]) + (int64_t)g->n[1] * (c[2] + b[2]))];
		if (k->slot[corner] < 0)
			return false;
		for (int d = 0; d < 3; ++d)
			w[d] = b[d] ? u[d] : 1 - u[d], s[d] = (b[d] ? 1 : -1) / g->h;
		k->w[corner] = w[0] * w[1] * w[2];
		k->dw[corner][0] = s[0] * w[1] * w[2], k->dw[corner][1] = w[0] * s[1] * w[2],
		k->dw[corner][2] = w[0] * w[1] * s[2];
	}
	return true;
}

bool lm_design_field_at(const lm_design_field* f, lm_vec3 x, double* distance, lm_vec3* gradient)
{
	corners k;
	if (!find_corners(&f->model->grid, x, &k))
		return false;
	*distance = 0, *gradient = lm_v3(0, 0, 0);
	for (int c = 0; c < 8; ++c)
	{
		*distance += k.w[c] * f->distance[k.slot[c]];
		*gradient = lm_add_scaled(*gradient, f->distance[k.slot[c]], lm_v3_at(k.dw[c], 0));
	}
	return true;
}

bool lm_design_field_map(const lm_design_field* f, lm_vec3 x, const double* z, double* phi, lm_vec3* place,
                         lm_mat3* gradient)
{
	corners k;
	if (!find_corners(&f->model->grid, x, &k))
		return false;
	int32_t nodes = f->model->node_count;
	const float* at[8];
	d4 weight[8], sum[3] = { { 0 }, { 0 }, { 0 } }; // slopes and value
	for (int c = 0; c < 8; ++c)
	{
		at[c] = f->phi + (size_t)k.slot[c] * (size_t)nodes;
		weight[c] = (d4){ k.dw[c][0], k.dw[c][1], k.dw[c][2], k.w[c] };
	}
	for (int32_t i = 0; i < nodes; ++i)
	{
		d4 g = weight[0] * (double)at[0][i];
		for (int c = 1; c < 8; ++c)
			g += weight[c] * (double)at[c][i];
		phi[i] = g[3];
		sum[0] += g * z[3 * i], sum[1] += g * z[3 * i + 1], sum[2] += g * z[3 * i + 2];
	}
	for (int d = 0; d < 3; ++d)
		for (int e = 0; e < 3; ++e)
			gradient->m[d][e] = sum[d][e];
	*place = lm_v3(sum[0][3], sum[1][3], sum[2][3]);
	return true;
}
