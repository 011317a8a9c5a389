// motion_energy.c: the energies of motion.h with their gradients, and the metric in which they are minimised: the
// elastic stiffness of every frame (so that it is never negative), the acceleration, which couples each frame with the
// two after it, and the contacts of the last evaluation, lumped to the frames they hang on. Where few frames in a row
// are free, their blocks D are factorised one by one, and what couples them, L + L^T, comes in by a symmetric
// Gauss-Seidel sweep: the metric is then (D + L) D^-1 (D + L^T).
#include "design/motion.h"

#include "base/parallel.h"

#include <string.h>

void lm_design_motion_scatter(lm_design_motion* motion, const double* x)
{
	for (int32_t b = 0; b < motion->count; ++b)
	{
		lm_design_motion_body* body = &motion->bodies[b];
		size_t n = 3 * (size_t)body->node_count;
		for (int32_t j = 0; j < body->timeline.count; ++j)
			if (body->slot[j] >= 0)
				memcpy(body->timeline.frames[j].y, x + body->offset + (int64_t)body->slot[j] * (int64_t)n,
				       n * sizeof(double));
	}
}

// ---- smoothness -------------------------------------------------------------------------------------------------

// Weights of the second difference at frame j: 2 [(y+ - y) / h+ - (y - y-) / h-] / (h+ + h-).
static bool second_difference(const lm_design_timeline* t, int32_t j, double a[3])
{
	if (j < 1 || j > t->count - 2 || t->frames[j].broken || t->frames[j].slope != NULL)
		return false;
	double before = t->frames[j].time - t->frames[j - 1].time, after = t->frames[j + 1].time - t->frames[j].time;
	a[0] = 2 / (before * (before + after)), a[2] = 2 / (after * (before + after));
	a[1] = -a[0] - a[2];
	return true;
}

static double acceleration_energy(const lm_design_motion* motion, lm_design_motion_body* body, double* gradient)
{
	const lm_design_timeline* t = &body->timeline;
	int64_t n = 3 * (int64_t)body->node_count;
	double energy = 0, *r = body->scratch;
	for (int32_t j = 1; j + 1 < t->count; ++j)
	{
		double a[3], weight = motion->settings.acceleration * lm_design_timeline_share(t, j) / body->node_count,
					 sum = 0;
		if (!second_difference(t, j, a) || (body->slot[j - 1] < 0 && body->slot[j] < 0 && body->slot[j + 1] < 0))
			continue;
		const double *y0 = t->frames[j - 1].y, *y1 = t->frames[j].y, *y2 = t->frames[j + 1].y;
		for (int64_t i = 0; i < n; ++i)
		{
			r[i] = a[0] * y0[i] + a[1] * y1[i] + a[2] * y2[i];
			sum += r[i] * r[i];
		}
		energy += weight * sum;
		for (int k = 0; k < 3; ++k)
		{
			double *g = lm_design_motion_block(body, gradient, j - 1 + k), s = 2 * weight * a[k];
			for (int64_t i = 0; g != NULL && i < n; ++i)
				g[i] += s * r[i];
		}
	}
	return energy;
}

// Where the velocities v of all nodes are prescribed, the acceleration on either side is that of the parabola which
// leaves (or arrives) with them: 2 [(y' - y) / h - v] / h, h negative towards the frame before.
static double slope_energy(const lm_design_motion* motion, const lm_design_motion_body* body, double* gradient)
{
	const lm_design_timeline* t = &body->timeline;
	double energy = 0;
	for (int32_t j = 0; j < t->count; ++j)
		for (int32_t other = j - 1; other <= j + 1 && t->frames[j].slope != NULL; other += 2)
		{
			if (other < 0 || other >= t->count || body->slot[other] < 0)
				continue;
			const double *y0 = t->frames[j].y, *y1 = t->frames[other].y, *v = t->frames[j].slope;
			double h = t->frames[other].time - t->frames[j].time, sum = 0;
			double weight = 0.5 * fabs(h) * motion->settings.acceleration / body->node_count;
			double* g = lm_design_motion_block(body, gradient, other);
			for (int64_t i = 0; i < 3 * (int64_t)body->node_count; ++i)
			{
				double a = 2 * ((y1[i] - y0[i]) / h - v[i]) / h;
				sum += a * a;
				g[i] += 4 * weight * a / (h * h);
			}
			energy += weight * sum;
		}
	return energy;
}

// ---- obstacles --------------------------------------------------------------------------------------------------

double lm_design_motion_seconds(const lm_design_motion* motion, double time)
{
	return motion->start + time * motion->settings.seconds;
}

double lm_design_motion_obstacle_distance(const lm_design_motion_body* body, const lm_obstacle* obstacles,
                                          const lm_design_motion_near* near, lm_vec3 point, double reach,
                                          lm_vec3* normal)
{
	lm_vec3 world = lm_add_scaled(body->center, body->size, point);
	double nearest = reach;
	for (int32_t k = 0; k < near->count; ++k)
	{
		const lm_obstacle* obstacle = &obstacles[near->collider[k]];
		lm_solid_distance d =
			lm_solid_query(&obstacle->solid, lm_placement_to_local(&obstacle->at, world), reach * body->size);
		if (!d.found || d.distance / body->size >= nearest)
			continue;
		nearest = d.distance / body->size;
		*normal = lm_mul_v(obstacle->at.R, d.normal);
	}
	return nearest;
}

void lm_design_motion_find_near(const lm_design_motion* motion, const lm_design_motion_body* body,
                                const lm_obstacle* obstacles, const double* z, lm_design_motion_near* near)
{
	lm_vec3 middle = { 0, 0, 0 };
	for (int32_t i = 0; i < body->node_count; ++i)
		middle = lm_add_scaled(middle, 1.0 / body->node_count, lm_v3_at(z, i));
	double radius = 0;
	for (int32_t i = 0; i < body->node_count; ++i)
		radius = fmax(radius, lm_distance(middle, lm_v3_at(z, i)));
	// the surface bulges out between the nodes
	double reach = body->size * (1.2 * radius + 0.1 + motion->settings.margin);
	lm_vec3 world = lm_add_scaled(body->center, body->size, middle);
	near->count = 0;
	for (int32_t c = 0; c < motion->colliders->count && near->count < LM_DESIGN_MOST_COLLIDERS; ++c)
	{
		lm_solid_distance d =
			lm_solid_query(&obstacles[c].solid, lm_placement_to_local(&obstacles[c].at, world), reach);
		if (d.found && d.distance < reach)
			near->collider[near->count++] = c;
	}
}

static lm_vec3 point_at(const lm_design_rows* rows, int32_t p, const double* z)
{
	lm_vec3 x = { 0, 0, 0 };
	for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
		x = lm_add_scaled(x, rows->phi[e], lm_v3_at(z, rows->node[e]));
	return x;
}

static double obstacle_energy(const lm_design_motion* motion, lm_design_motion_body* body, double* gradient)
{
	if (motion->colliders == NULL || motion->colliders->count == 0)
		return 0;
	const lm_design_rows* rows = body->points;
	double energy = 0, margin = motion->settings.margin, *z = body->scratch, *gz = z + 3 * body->node_count;
	body->obstacle_contact_count = 0;
	for (int32_t s = 0; s < body->moment_count; ++s)
	{
		const lm_design_motion_moment* moment = &body->moments[s];
		const lm_obstacle* obstacles = body->obstacles + (int64_t)s * motion->colliders->count;
		lm_design_timeline_nodes(&body->timeline, &moment->instant, z, NULL);
		lm_design_motion_near near;
		lm_design_motion_find_near(motion, body, obstacles, z, &near);
		if (near.count == 0)
			continue;
		bool touched = false;
		memset(gz, 0, 3 * (size_t)body->node_count * sizeof *gz);
		for (int32_t p = 0; p < rows->count; ++p)
		{
			lm_vec3 normal = { 0, 0, 0 };
			double depth = margin - lm_design_motion_obstacle_distance(body, obstacles, &near, point_at(rows, p, z),
			                                                           margin, &normal);
			if (!(depth > 0))
				continue;
			double weight = motion->obstacles * moment->tau;
			energy += weight * depth * depth;
			touched = true;
			body->obstacle_contacts[body->obstacle_contact_count++] = (lm_design_obstacle_contact){ s, p, normal };
			for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
				lm_v3_store(gz, rows->node[e],
				            lm_add_scaled(lm_v3_at(gz, rows->node[e]), -2 * weight * depth * rows->phi[e], normal));
		}
		for (int32_t i = 0; touched && i < body->node_count; ++i)
			if (lm_design_timeline_holds(&body->timeline, moment->instant.interval, i))
				lm_v3_store(gz, i, lm_v3(0, 0, 0));
		for (int k = 0; touched && k < moment->instant.count; ++k)
		{
			double* g = lm_design_motion_block(body, gradient, moment->instant.frame[k]);
			for (int32_t i = 0; g != NULL && i < 3 * body->node_count; ++i)
				g[i] += moment->instant.w[k] * gz[i];
		}
	}
	return energy;
}

// ---- all --------------------------------------------------------------------------------------------------------

typedef struct job
{
	lm_design_motion* motion;
	double* gradient;
	bool failed;
} job;

static void forget_pinned(const lm_design_motion_body* body, double* gradient)
{
	for (int32_t j = 0; j < body->timeline.count; ++j)
		for (int32_t i = 0; body->slot[j] >= 0 && i < body->node_count; ++i)
			if (body->timeline.frames[j].pinned[i])
				memset(lm_design_motion_block(body, gradient, j) + 3 * i, 0, 3 * sizeof(double));
}

static void evaluate_bodies(void* context, int64_t begin, int64_t end)
{
	const job* w = context;
	const lm_design_motion_settings* s = &w->motion->settings;
	for (int64_t b = begin; b < end; ++b)
	{
		lm_design_motion_body* body = &w->motion->bodies[b];
		double* gradient = w->gradient + body->offset;
		memset(gradient, 0, (size_t)body->free_count * 3 * (size_t)body->node_count * sizeof(double));
		body->energy = acceleration_energy(w->motion, body, gradient);
		body->energy += lm_design_motion_velocity_energy(w->motion, body, gradient);
		body->energy += slope_energy(w->motion, body, gradient);
		body->energy += obstacle_energy(w->motion, body, gradient);
		for (int32_t j = 0; j < body->timeline.count; ++j)
			if (body->slot[j] >= 0)
				body->energy += lm_design_elastic(
					body->timeline.model, (lm_design_stiffness){ s->strain, s->volume }, body->timeline.frames[j].y,
					lm_design_timeline_share(&body->timeline, j), lm_design_motion_block(body, gradient, j));
	}
}

double lm_design_motion_energy(void* context, const double* x, double* gradient)
{
	lm_design_motion* motion = context;
	job w = { motion, gradient, false };
	lm_design_motion_scatter(motion, x);
	lm_parallel_for(motion->host.threads, motion->count, 1, evaluate_bodies, &w);
	double energy = 0;
	for (int32_t b = 0; b < motion->count; ++b)
		energy += motion->bodies[b].energy;
	if (motion->pairs != NULL)
		energy += lm_design_motion_pairs_energy(motion, gradient);
	for (int32_t b = 0; b < motion->count; ++b)
		forget_pinned(&motion->bodies[b], gradient + motion->bodies[b].offset);
	return energy;
}

// ---- the metric -------------------------------------------------------------------------------------------------

static void add_identity(const lm_design_motion_body* body, int32_t frame, int32_t later, double value)
{
	int32_t column = body->slot[frame], row = body->slot[later];
	if (column < 0 || row < 0)
		return;
	if (row - column > body->metric.width)
	{
		body->coupling[column][row - column - 1] += value;
		return;
	}
	double* block = lm_design_band_block(&body->metric, column, row - column);
	for (int32_t i = 0; i < body->metric.size; ++i)
		block[i * body->metric.stride + i] += value;
}

static void add_acceleration(const lm_design_motion* motion, lm_design_motion_body* body)
{
	const lm_design_timeline* t = &body->timeline;
	for (int32_t j = 1; j + 1 < t->count; ++j)
	{
		double a[3], weight = 2 * motion->settings.acceleration * lm_design_timeline_share(t, j) / body->node_count;
		if (!second_difference(t, j, a))
			continue;
		for (int k = 0; k < 3; ++k)
			for (int l = k; l < 3; ++l)
				add_identity(body, j - 1 + k, j - 1 + l, weight * a[k] * a[l]);
	}
	for (int32_t j = 0; j < t->count; ++j)
	{
		for (int32_t other = j - 1; other <= j + 1 && t->frames[j].slope != NULL; other += 2)
		{
			if (other < 0 || other >= t->count)
				continue;
			double h = fabs(t->frames[other].time - t->frames[j].time);
			add_identity(body, other, other, 4 * motion->settings.acceleration / (body->node_count * h * h * h));
		}
	}
}

static void add_contact(double* K, int64_t stride, const lm_design_rows* rows, int32_t p, double weight, lm_vec3 n)
{
	double u[3] = { n.x, n.y, n.z };
	for (int64_t b = rows->start[p]; b < rows->start[p + 1]; ++b)
		for (int64_t a = b; a < rows->start[p + 1]; ++a)
		{
			double s = weight * rows->phi[a] * rows->phi[b];
			double* at = K + 3 * (int64_t)rows->node[b] * stride + 3 * (int64_t)rows->node[a];
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					at[j * stride + i] += s * u[i] * u[j];
		}
}

static void add_obstacles(const lm_design_motion* motion, lm_design_motion_body* body)
{
	for (size_t t = 0; t < body->obstacle_contact_count; ++t)
	{
		const lm_design_obstacle_contact* obstacle_contact = &body->obstacle_contacts[t];
		const lm_design_motion_moment* moment = &body->moments[obstacle_contact->moment];
		double total = 0;
		for (int k = 0; k < moment->instant.count; ++k)
			total += fabs(moment->instant.w[k]);
		// |w_k w_l| of all pairs of frames is no more than this on the diagonal
		for (int k = 0; k < moment->instant.count; ++k)
		{
			int32_t slot = body->slot[moment->instant.frame[k]];
			double weight = 2 * motion->obstacles * moment->tau * fabs(moment->instant.w[k]) * total;
			if (slot >= 0 && fabs(moment->instant.w[k]) > 0.02)
				add_contact(lm_design_band_block(&body->metric, slot, 0), body->metric.stride, body->points,
				            obstacle_contact->point, weight, obstacle_contact->normal);
		}
	}
}

// Rows and columns of pinned unknowns become those of the identity.
static void isolate_pinned(lm_design_motion_body* body)
{
	lm_design_band* band = &body->metric;
	for (int32_t j = 0; j < body->timeline.count; ++j)
		for (int32_t u = 0; body->slot[j] >= 0 && u < 3 * body->node_count; ++u)
		{
			if (!body->timeline.frames[j].pinned[u / 3])
				continue;
			int32_t column = body->slot[j];
			double* panel = lm_design_band_panel(band, column);
			memset(panel + (int64_t)u * band->stride, 0, (size_t)band->stride * sizeof(double));
			for (int32_t c = 0; c < u; ++c)
				panel[c * band->stride + u] = 0;
			for (int32_t below = 1; below <= band->width && below <= column; ++below)
				for (int32_t c = 0; c < band->size; ++c)
					lm_design_band_block(band, column - below, below)[c * band->stride + u] = 0;
			panel[(int64_t)u * band->stride + u] = 1;
		}
}

static void refresh_bodies(void* context, int64_t begin, int64_t end)
{
	job* w = context;
	const lm_design_motion_settings* s = &w->motion->settings;
	for (int64_t b = begin; b < end; ++b)
	{
		lm_design_motion_body* body = &w->motion->bodies[b];
		if (body->free_count == 0)
			continue;
		lm_design_band_clear(&body->metric);
		memset(body->coupling, 0, (size_t)body->free_count * sizeof *body->coupling);
		for (int32_t j = 0; j < body->timeline.count; ++j)
			if (body->slot[j] >= 0)
				lm_design_elastic_hessian(body->timeline.model, (lm_design_stiffness){ s->strain, s->volume },
				                          body->timeline.frames[j].y, lm_design_timeline_share(&body->timeline, j),
				                          true, &body->metric, body->slot[j]);
		add_acceleration(w->motion, body);
		lm_design_motion_velocity_metric(w->motion, body);
		add_obstacles(w->motion, body);
		if (w->motion->pairs != NULL)
			lm_design_motion_pairs_metric(w->motion, (int32_t)b);
		isolate_pinned(body);
		if (!lm_design_band_factorize(&body->metric, 1e-9))
			w->failed = true;
	}
}

bool lm_design_motion_refresh(void* context, const double* x)
{
	job w = { context, NULL, false };
	lm_design_motion_scatter(w.motion, x);
	lm_parallel_for(w.motion->host.threads, w.motion->count, 1, refresh_bodies, &w);
	return !w.failed;
}

typedef struct apply_job
{
	lm_design_motion* motion;
	const double* gradient;
	double* d;
} apply_job;

// x -= what the other block adds to this one.
static void couple(const lm_design_motion_body* body, double weight, const double* other, double* x)
{
	for (int64_t i = 0; weight != 0 && i < 3 * (int64_t)body->node_count; ++i)
		x[i] -= weight * other[i];
}

// D^-1 of one block; what is pinned stays.
static void solve_frame(const lm_design_motion_body* body, int32_t frame, double* x)
{
	const lm_design_band* band = &body->metric;
	for (int32_t i = 0; i < body->node_count; ++i)
		if (body->timeline.frames[frame].pinned[i])
			memset(x + 3 * i, 0, 3 * sizeof *x);
	memset(x + band->size, 0, (size_t)(band->padded - band->size) * sizeof *x);
	lm_design_band_solve_block(band, body->slot[frame], x);
}

// d = (D + L^T)^-1 D (D + L)^-1 g.
static void sweep(const lm_design_motion_body* body, const double* g, double* d)
{
	const lm_design_band* band = &body->metric;
	int64_t n = band->size;
	double* x = band->x;
	for (int32_t j = 0; j < body->timeline.count; ++j)
	{
		int32_t k = body->slot[j];
		if (k < 0)
			continue;
		memcpy(x, g + k * n, (size_t)n * sizeof *x);
		for (int32_t l = 1; l <= 2 && l <= k; ++l)
			couple(body, body->coupling[k - l][l - 1], d + (k - l) * n, x);
		solve_frame(body, j, x);
		memcpy(d + k * n, x, (size_t)n * sizeof *x);
	}
	for (int32_t j = body->timeline.count - 1; j >= 0; --j)
	{
		int32_t k = body->slot[j];
		if (k < 0 || (body->coupling[k][0] == 0 && body->coupling[k][1] == 0))
			continue;
		memset(x, 0, (size_t)n * sizeof *x);
		for (int32_t l = 1; l <= 2 && k + l < body->free_count; ++l)
			couple(body, body->coupling[k][l - 1], d + (k + l) * n, x);
		solve_frame(body, j, x);
		couple(body, -1, x, d + k * n);
	}
}

static void apply_bodies(void* context, int64_t begin, int64_t end)
{
	const apply_job* w = context;
	for (int64_t b = begin; b < end; ++b)
	{
		lm_design_motion_body* body = &w->motion->bodies[b];
		if (body->free_count > 0 && body->metric.width > 0)
			lm_design_band_solve(&body->metric, w->gradient + body->offset, w->d + body->offset);
		else if (body->free_count > 0)
			sweep(body, w->gradient + body->offset, w->d + body->offset);
	}
}

void lm_design_motion_apply(void* context, const double* gradient, double* d)
{
	apply_job w = { context, gradient, d };
	lm_parallel_for(w.motion->host.threads, w.motion->count, 1, apply_bodies, &w);
}
