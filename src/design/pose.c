// pose.c: natural poses under handles (Adams et al. 2009, Sec. 5):
//
//   E_1 = lambda_1 sum_k w_k |f(x_k) - x'_k|^2 + lambda_2 E_strain + lambda_3 E_volume   (Eq. 14)
//
// by Newton's method with the exact second derivatives; where those are not positive definite, with what of them is
// never negative. The paper uses L-BFGS.
#include "design/pose.h"

#include "base/alloc.h"
#include "base/error.h"
#include "design/settings.h"
#include "solve/newton.h"

#include <string.h>

lm_design_pose_settings lm_design_pose_settings_default(void)
{
	lm_design_pose_settings settings;
	lm_table_defaults(&lm_design_pose_table, &settings);
	return settings;
}

lm_design_pose_handle lm_design_pose_handle_default(void)
{
	lm_design_pose_handle handle;
	lm_table_defaults(&lm_design_pose_handle_table, &handle);
	return handle;
}

// ---- the problem ------------------------------------------------------------------------------------------------

double lm_design_pose_pulls(const lm_design_pose* pose, const double* y, double* gradient)
{
	const lm_design_rows* rows = &pose->rows;
	size_t n = 3 * (size_t)pose->model->node_count;
	double energy = 0;
	for (int32_t h = 0; h < pose->part_count; ++h)
		for (int32_t p = pose->parts[h].first; p < pose->parts[h].first + pose->parts[h].count; ++p)
		{
			double weight = pose->parts[h].weight;
			lm_vec3 off = lm_scale(-1, lm_v3_at(pose->targets, p));
			for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
				off = lm_add_scaled(off, rows->phi[e], lm_v3_at(y, rows->node[e]));
			energy += weight * lm_dot(off, off);
			for (int64_t e = rows->start[p]; gradient != NULL && e < rows->start[p + 1]; ++e)
			{
				double* g = gradient + 3 * (int64_t)rows->node[e];
				double s = 2 * weight * rows->phi[e];
				g[0] += s * off.x, g[1] += s * off.y, g[2] += s * off.z;
			}
		}
	for (size_t i = 0; i < n; ++i)
	{
		double off = y[i] - pose->anchor[i];
		energy += LM_POSE_ANCHOR * off * off;
		if (gradient != NULL)
			gradient[i] += 2 * LM_POSE_ANCHOR * off;
	}
	return energy;
}

double lm_design_pose_energy(const lm_design_pose* pose, const double* y, double* gradient)
{
	const lm_design_model* m = pose->model;
	if (gradient != NULL)
		memset(gradient, 0, 3 * (size_t)m->node_count * sizeof(double));
	double energy =
		lm_design_elastic(m, (lm_design_stiffness){ pose->settings.strain, pose->settings.volume }, y, 1, gradient);
	return energy + lm_design_pose_pulls(pose, y, gradient);
}

static void add_handles(const lm_design_pose* pose, double* block, int64_t stride)
{
	const lm_design_rows* rows = &pose->rows;
	for (int32_t h = 0; h < pose->part_count; ++h)
		for (int32_t p = pose->parts[h].first; p < pose->parts[h].first + pose->parts[h].count; ++p)
			for (int64_t b = rows->start[p]; b < rows->start[p + 1]; ++b)
				for (int64_t a = b; a < rows->start[p + 1]; ++a)
				{
					double value = 2 * pose->parts[h].weight * rows->phi[a] * rows->phi[b];
					double* at = block + 3 * (int64_t)rows->node[b] * stride + 3 * (int64_t)rows->node[a];
					for (int i = 0; i < 3; ++i)
						at[i * stride + i] += value;
				}
}

static double value(void* context, const double* y)
{
	return lm_design_pose_energy(context, y, NULL);
}

static void gradient(void* context, const double* y, double* g)
{
	lm_design_pose_energy(context, y, g);
}

static bool assemble_and_factorize(lm_design_pose* pose, const double* y, bool positive, double shift)
{
	lm_design_band_clear(&pose->matrix);
	double* block = lm_design_band_panel(&pose->matrix, 0);
	add_handles(pose, block, pose->matrix.stride);
	lm_design_elastic_hessian(pose->model, (lm_design_stiffness){ pose->settings.strain, pose->settings.volume }, y, 1,
	                          positive, &pose->matrix, 0);
	return lm_design_band_factorize(&pose->matrix, 2 * LM_POSE_ANCHOR + shift);
}

bool lm_design_pose_factorize(lm_design_pose* pose, const double* y, double shift)
{
	return assemble_and_factorize(pose, y, false, shift) || assemble_and_factorize(pose, y, true, shift);
}

static bool factorize(void* context, const double* y, double shift)
{
	return lm_design_pose_factorize(context, y, shift);
}

static bool solve(void* context, const double* g, double* d)
{
	lm_design_band_solve(&((lm_design_pose*)context)->matrix, g, d);
	return true;
}

// ---- making -----------------------------------------------------------------------------------------------------

static void to_metres(lm_design_pose* pose)
{
	const lm_design_model* m = pose->model;
	for (int32_t i = 0; i < m->node_count; ++i)
		lm_v3_store(pose->metres, i, lm_add_scaled(m->center, m->size, lm_v3_at(pose->y, i)));
}

lm_status lm_design_pose_create(const lm_design_model* model, const lm_design_pose_settings* settings,
                                const lm_host* host, lm_design_pose** result, lm_error* error)
{
	lm_status status = lm_table_check(&lm_design_pose_table, settings, error);
	if (status != LM_OK)
		return status;
	lm_design_pose* pose = LM_NEW(host, 1, lm_design_pose);
	if (pose == NULL)
		return lm_fail_memory(error);
	size_t n = 3 * (size_t)model->node_count;
	*pose = (lm_design_pose){ .host = *host, .model = model, .settings = *settings };
	pose->y = lm_copy(host, model->nodes, n, sizeof(double));
	pose->anchor = lm_copy(host, model->nodes, n, sizeof(double));
	pose->metres = LM_NEW(host, n, double);
	pose->work = LM_NEW(host, lm_newton_work((int64_t)n), double);
	bool good = lm_design_band_resize(&pose->matrix, host, (int32_t)n, 0, 1) && lm_design_pose_drag_create(pose);
	if (!good || pose->y == NULL || pose->anchor == NULL || pose->metres == NULL || pose->work == NULL)
	{
		lm_design_pose_destroy(pose);
		return lm_fail_memory(error);
	}
	to_metres(pose);
	*result = pose;
	return LM_OK;
}

static void release_handles(lm_design_pose* pose)
{
	lm_free(&pose->host, pose->parts);
	lm_free(&pose->host, pose->targets);
	lm_design_rows_release(&pose->rows, &pose->host);
	pose->parts = NULL, pose->targets = NULL, pose->part_count = 0;
}

void lm_design_pose_destroy(lm_design_pose* pose)
{
	if (pose == NULL)
		return;
	const lm_host host = pose->host;
	release_handles(pose);
	lm_design_band_release(&pose->matrix);
	lm_free(&host, pose->y);
	lm_free(&host, pose->anchor);
	lm_free(&host, pose->metres);
	lm_free(&host, pose->work);
	lm_design_drag_metric_release(&pose->drag.metric, &host);
	lm_free(&host, pose->drag.blocks);
	lm_free(&host, pose->drag_work);
	lm_free(&host, pose);
}

// ---- handles ----------------------------------------------------------------------------------------------------

// Targets farther away than this many sizes are taken as this far: beyond, squares drown everything else.
static const double farthest_target = 1e4;

static bool take_target(const lm_design_model* m, const double* target, double* own)
{
	lm_vec3 x = lm_scale(1 / m->size, lm_sub(lm_v3_at(target, 0), m->center));
	if (!lm_finite(lm_v3_at(target, 0)) || !lm_finite(x))
		return false;
	double length = lm_length(x);
	lm_v3_store(own, 0, length > farthest_target ? lm_scale(farthest_target / length, x) : x);
	return true;
}

static lm_status check_handle(const lm_design_model* m, const lm_design_pose_handle* h, int32_t index, lm_error* error)
{
	int given = (h->vertices != NULL) + (h->nodes != NULL) + (h->points != NULL);
	if (h->count < 1 || given != 1 || h->targets == NULL)
		return lm_fail(error, LM_BAD_INPUT,
		               "handle %d must have targets and one of vertices, nodes and points, at least one of them",
		               index);
	lm_status status = lm_design_check_item(&lm_design_pose_handle_table, h, "handle", index, error);
	if (status != LM_OK)
		return status;
	for (int32_t k = 0; k < h->count; ++k)
	{
		if (h->vertices != NULL && (h->vertices[k] < 0 || h->vertices[k] >= m->surface->vertex_count))
			return lm_fail(error, LM_BAD_INPUT, "handle %d names vertex %d, the surface has %d", index, h->vertices[k],
			               m->surface->vertex_count);
		if (h->nodes != NULL && (h->nodes[k] < 0 || h->nodes[k] >= m->node_count))
			return lm_fail(error, LM_BAD_INPUT, "handle %d names node %d, there are %d", index, h->nodes[k],
			               m->node_count);
		double own[3];
		if (!take_target(m, h->targets + 3 * (size_t)k, own) ||
		    (h->points != NULL && !take_target(m, h->points + 3 * (size_t)k, own)))
			return lm_fail(error, LM_BAD_INPUT, "handle %d has a place or target %d that is not finite", index, k);
	}
	return LM_OK;
}

static lm_vec3 rest_place(const lm_design_model* m, const lm_design_pose_handle* h, int32_t k)
{
	if (h->vertices != NULL)
		return lm_v3_at(m->surface->positions, h->vertices[k]);
	if (h->nodes != NULL)
		return lm_v3_at(m->nodes, h->nodes[k]);
	return lm_scale(1 / m->size, lm_sub(lm_v3_at(h->points, k), m->center));
}

lm_status lm_design_pose_set_handles(lm_design_pose* pose, const lm_design_pose_handle* handles, int32_t count,
                                     lm_error* error)
{
	const lm_design_model* m = pose->model;
	int64_t total = 0;
	for (int32_t h = 0; h < count; ++h)
	{
		lm_status status = check_handle(m, &handles[h], h, error);
		if (status != LM_OK)
			return status;
		total += handles[h].count;
	}
	lm_design_pose_part* parts = LM_NEW(&pose->host, count, lm_design_pose_part);
	double* targets = LM_NEW(&pose->host, 3 * (size_t)total, double);
	double* places = LM_NEW(&pose->host, 3 * (size_t)total, double);
	lm_design_rows rows = { 0 };
	lm_status status = parts && targets && places ? LM_OK : lm_fail_memory(error);
	int32_t at = 0;
	for (int32_t h = 0; status == LM_OK && h < count; ++h)
	{
		double weight = pose->settings.handles * handles[h].weight / handles[h].count;
		parts[h] = (lm_design_pose_part){ at, handles[h].count, weight };
		for (int32_t k = 0; k < handles[h].count; ++k, ++at)
		{
			lm_v3_store(places, at, rest_place(m, &handles[h], k));
			take_target(m, handles[h].targets + 3 * (size_t)k, targets + 3 * (size_t)at);
		}
	}
	if (status == LM_OK)
		status = lm_design_rows_create(m, places, at, false, &pose->host, &rows, error);
	lm_free(&pose->host, places);
	if (status != LM_OK)
	{
		lm_free(&pose->host, parts);
		lm_free(&pose->host, targets);
		return status;
	}
	release_handles(pose);
	pose->parts = parts, pose->targets = targets, pose->rows = rows, pose->part_count = count;
	pose->drag.factored = false;
	return LM_OK;
}

lm_status lm_design_pose_set_settings(lm_design_pose* pose, const lm_design_pose_settings* settings, lm_error* error)
{
	lm_status status = lm_table_check(&lm_design_pose_table, settings, error);
	if (status != LM_OK)
		return status;
	for (int32_t h = 0; h < pose->part_count; ++h)
		pose->parts[h].weight *= settings->handles / pose->settings.handles;
	pose->settings = *settings;
	pose->drag.known = pose->drag.factored = false;
	return LM_OK;
}

lm_status lm_design_pose_move_handle(lm_design_pose* pose, int32_t handle, const double* targets, lm_error* error)
{
	const lm_design_pose_part* part = &pose->parts[handle];
	double own[3];
	for (int32_t k = 0; k < part->count; ++k)
		if (!take_target(pose->model, targets + 3 * (size_t)k, own))
			return lm_fail(error, LM_BAD_INPUT, "handle %d has a target %d that is not finite", handle, k);
	for (int32_t k = 0; k < part->count; ++k)
		take_target(pose->model, targets + 3 * (size_t)k, pose->targets + 3 * (size_t)(part->first + k));
	return LM_OK;
}

// ---- solving ----------------------------------------------------------------------------------------------------

static double handle_error(const lm_design_pose* pose)
{
	double worst = 0;
	for (int32_t p = 0; p < pose->rows.count; ++p)
	{
		lm_vec3 x = { 0, 0, 0 };
		for (int64_t e = pose->rows.start[p]; e < pose->rows.start[p + 1]; ++e)
			x = lm_add_scaled(x, pose->rows.phi[e], lm_v3_at(pose->y, pose->rows.node[e]));
		worst = fmax(worst, lm_distance(x, lm_v3_at(pose->targets, p)));
	}
	return worst * pose->model->size;
}

static lm_design_pose_report run(lm_design_pose* pose, int32_t iterations)
{
	size_t n = 3 * (size_t)pose->model->node_count;
	memcpy(pose->anchor, pose->y, n * sizeof(double));
	lm_newton_problem problem = {
		.context = pose, .n = (int64_t)n, .value = value, .gradient = gradient, .factorize = factorize, .solve = solve
	};
	lm_newton_settings settings = lm_newton_settings_default();
	settings.tolerance = pose->settings.tolerance * pose->settings.strain;
	settings.most_iterations = iterations;
	settings.first_shift = 1e-3 * pose->settings.strain;
	settings.longest_step = 1;
	lm_newton_report report = lm_newton_solve(&problem, &settings, pose->y, pose->work);
	pose->drag.known = pose->drag.factored = false;
	to_metres(pose);
	return (lm_design_pose_report){ .converged = report.outcome == LM_NEWTON_CONVERGED,
		                            .iterations = report.iterations,
		                            .energy = report.value,
		                            .residual = report.residual,
		                            .handle_error = handle_error(pose),
		                            .least_volume = lm_design_least_volume(pose->model, pose->y) };
}

lm_design_pose_report lm_design_pose_step(lm_design_pose* pose)
{
	lm_design_pose_report report = { 0 };
	memcpy(pose->anchor, pose->y, 3 * (size_t)pose->model->node_count * sizeof(double));
	if (!lm_design_pose_drag_step(pose, &report))
		return run(pose, 1);
	to_metres(pose);
	report.handle_error = handle_error(pose);
	return report;
}

lm_design_pose_report lm_design_pose_solve(lm_design_pose* pose)
{
	return run(pose, pose->settings.most_iterations);
}

const double* lm_design_pose_nodes(const lm_design_pose* pose)
{
	return pose->metres;
}

void lm_design_pose_set_nodes(lm_design_pose* pose, const double* nodes)
{
	const lm_design_model* m = pose->model;
	for (int32_t i = 0; i < m->node_count; ++i)
		lm_v3_store(pose->y, i,
		            nodes != NULL ? lm_scale(1 / m->size, lm_sub(lm_v3_at(nodes, i), m->center))
		                          : lm_v3_at(m->nodes, i));
	pose->drag.known = pose->drag.factored = false;
	to_metres(pose);
}
