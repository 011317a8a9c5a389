// shape.c: shape functions of linear precision (Adams et al. 2009, Eq. 2-6).
//
//   Phi_i(x) = p^T(x) M^-1 w_i p(x_i),   M = sum w_i p(x_i) p(x_i)^T,   w_i = max(0, 1 - d_i^2 / r_i^2)^3
//
// Departures. The basis is shifted to x and scaled, p(x_i) = [1, (x_i - x) / rho], which changes nothing but rounding:
// then p(x) = e_1, and with a = M^-1 e_1 it is Phi_i = w_i a . p_i and
//
//   dPhi_i = dw_i a.p_i + w_i (da.p_i + a.dp_i),   da = -M^-1 dM a,   dp_i/dx_k = -e_k / rho.
//
// d_i^2, the squared distance within the material, is a cubic B-spline over the voxels (smoothing, not interpolating:
// it adds a constant h^2), so that w_i has two continuous derivatives and the gradient is exact. Values that a voxel
// across a gap holds are limited to what the material at hand allows: |d - d_ref| may not exceed the way between.
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "design/model.h"

#include <string.h>

#define TAPS 64

typedef struct stencil
{
	int32_t slot[TAPS];
	double b[TAPS], db[TAPS][3]; // weights of the voxels and their gradients
	double way[TAPS];            // from the reference voxel
	int32_t reference;           // nearest slot of the material
	int count;
} stencil;

// Values and slopes of the four cubic B-splines at u in [0, 1).
static void spline(double u, double b[4], double db[4])
{
	double v = 1 - u;
	b[0] = v * v * v / 6;
	b[1] = (3 * u * u * u - 6 * u * u + 4) / 6;
	b[2] = (3 * v * v * v - 6 * v * v + 4) / 6;
	b[3] = u * u * u / 6;
	db[0] = -v * v / 2;
	db[1] = (3 * u * u - 4 * u) / 2;
	db[2] = -(3 * v * v - 4 * v) / 2;
	db[3] = u * u / 2;
}

static bool make_stencil(const lm_design_grid* g, lm_vec3 x, stencil* s)
{
	double q[3] = { (x.x - g->low.x) / g->h, (x.y - g->low.y) / g->h, (x.z - g->low.z) / g->h };
	double b[3][4], db[3][4];
	int32_t c[3];
	for (int d = 0; d < 3; ++d)
	{
		double f = floor(q[d]);
		if (!(f >= 1 && f <= g->n[d] - 3))
			return false;
		c[d] = (int32_t)f;
		spline(q[d] - f, b[d], db[d]);
	}
	double nearest = INFINITY;
	s->reference = -1;
	s->count = 0;
	for (int k = 0; k < 4; ++k)
		for (int j = 0; j < 4; ++j)
			for (int i = 0; i < 4; ++i)
			{
				int64_t cell = (c[0] + i - 1) + (int64_t)g->n[0] * ((c[1] + j - 1) + (int64_t)g->n[1] * (c[2] + k - 1));
				int32_t slot = g->slot[cell];
				int at = s->count++;
				s->slot[at] = slot;
				s->b[at] = b[0][i] * b[1][j] * b[2][k];
				s->db[at][0] = db[0][i] * b[1][j] * b[2][k] / g->h;
				s->db[at][1] = b[0][i] * db[1][j] * b[2][k] / g->h;
				s->db[at][2] = b[0][i] * b[1][j] * db[2][k] / g->h;
				double e[3] = { c[0] + i - 1 - q[0], c[1] + j - 1 - q[1], c[2] + k - 1 - q[2] };
				double distance = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
				if (slot >= 0 && slot < g->material && distance < nearest)
					nearest = distance, s->reference = at;
			}
	if (s->reference < 0)
		return false;
	int ri = s->reference % 4, rj = s->reference / 4 % 4, rk = s->reference / 16;
	for (int at = 0; at < TAPS; ++at)
	{
		int i = at % 4 - ri, j = at / 4 % 4 - rj, k = at / 16 - rk;
		s->way[at] = g->h * sqrt((double)(i * i + j * j + k * k));
	}
	return true;
}

typedef struct near_node
{
	int32_t node;
	double d2, gradient[3]; // squared distance
} near_node;

// Nodes whose weight may be above 0 at x, with their squared distances and gradients.
static int find_near(const lm_design_model* m, const stencil* s, near_node* near)
{
	const float* at_reference = m->distance + (size_t)s->slot[s->reference] * (size_t)m->node_count;
	double h = m->grid.h;
	int count = 0;
	for (int32_t i = 0; i < m->node_count && count < LM_DESIGN_MOST_NEAR; ++i)
		if (at_reference[i] < m->radii[i] + 4 * h)
			near[count++] = (near_node){ .node = i };
	for (int at = 0; at < TAPS; ++at)
	{
		const float* row = s->slot[at] >= 0 ? m->distance + (size_t)s->slot[at] * (size_t)m->node_count : NULL;
		double b = s->b[at], reach = 1.05 * s->way[at] + 0.25 * h;
		for (int n = 0; n < count; ++n)
		{
			double reference = at_reference[near[n].node], d = row != NULL ? row[near[n].node] : reference + s->way[at];
			double low = reference - reach, high = reference + reach;
			d = d < low ? low : d > high ? high : d;
			d *= d;
			near[n].d2 += b * d;
			near[n].gradient[0] += s->db[at][0] * d;
			near[n].gradient[1] += s->db[at][1] * d;
			near[n].gradient[2] += s->db[at][2] * d;
		}
	}
	return count;
}

// Cholesky of a 4 x 4 matrix in place (lower), false when a pivot is lost in rounding.
static bool factorize4(double M[4][4], double least)
{
	for (int j = 0; j < 4; ++j)
	{
		for (int i = j; i < 4; ++i)
		{
			double sum = M[i][j];
			for (int k = 0; k < j; ++k)
				sum -= M[i][k] * M[j][k];
			if (i == j)
			{
				if (!(sum > least))
					return false;
				M[j][j] = sqrt(sum);
			}
			else
				M[i][j] = sum / M[j][j];
		}
	}
	return true;
}

static void solve4(double L[4][4], double x[4])
{
	for (int i = 0; i < 4; ++i)
	{
		for (int k = 0; k < i; ++k)
			x[i] -= L[i][k] * x[k];
		x[i] /= L[i][i];
	}
	for (int i = 3; i >= 0; --i)
	{
		for (int k = i + 1; k < 4; ++k)
			x[i] -= L[k][i] * x[k];
		x[i] /= L[i][i];
	}
}

// Where the nodes nearly lie in a plane the moments are helped along that direction: precision is then a little less
// than linear there, but nothing explodes.
static void factorize_moments(double M[4][4])
{
	double kept[4][4];
	memcpy(kept, M, sizeof kept);
	for (double help = 1e-9; !factorize4(M, 1e-9); help *= 10)
	{
		memcpy(M, kept, sizeof kept);
		for (int k = 1; k < 4; ++k)
			M[k][k] += help;
	}
}

// Weights w and their gradients; what has none is dropped. Weights are scaled to sum 1, which Phi does not notice.
static int weigh(const lm_design_model* m, near_node* near, int count, double* w)
{
	int kept = 0;
	double sum = 0;
	for (int n = 0; n < count; ++n)
	{
		double r2 = m->radii[near[n].node] * m->radii[near[n].node], s = 1 - near[n].d2 / r2;
		if (!(s > 0))
			continue;
		near_node k = near[n];
		for (int d = 0; d < 3; ++d)
			k.gradient[d] *= -3 * s * s / r2;
		w[kept] = s * s * s;
		sum += w[kept];
		near[kept++] = k;
	}
	for (int n = 0; n < kept; ++n)
	{
		w[n] /= sum;
		for (int d = 0; d < 3; ++d)
			near[n].gradient[d] /= sum;
	}
	return kept;
}

static void fill_shape(const lm_design_model* m, lm_vec3 x, const near_node* near, const double* w,
                       lm_design_shape* shape)
{
	double p[LM_DESIGN_MOST_NEAR][4], rho = m->radii[near[0].node];
	double M[4][4] = { 0 }, a[4] = { 1, 0, 0, 0 }, dMa[3][4] = { 0 };
	for (int n = 0; n < shape->count; ++n)
	{
		const double* at = m->nodes + 3 * (size_t)near[n].node;
		p[n][0] = 1, p[n][1] = (at[0] - x.x) / rho, p[n][2] = (at[1] - x.y) / rho, p[n][3] = (at[2] - x.z) / rho;
		for (int i = 0; i < 4; ++i)
			for (int j = 0; j <= i; ++j)
				M[i][j] += w[n] * p[n][i] * p[n][j];
	}
	factorize_moments(M);
	solve4(M, a);
	for (int n = 0; n < shape->count; ++n)
	{
		double ap = a[0] + a[1] * p[n][1] + a[2] * p[n][2] + a[3] * p[n][3];
		shape->node[n] = near[n].node;
		shape->phi[n] = w[n] * ap;
		for (int k = 0; k < 3; ++k)
		{
			// dM a = sum dw p (p.a) + w dp (p.a) + w p (dp.a)
			double along = near[n].gradient[k] * ap - w[n] * a[k + 1] / rho;
			for (int i = 0; i < 4; ++i)
				dMa[k][i] += along * p[n][i];
			dMa[k][k + 1] -= w[n] * ap / rho;
		}
	}
	for (int k = 0; k < 3; ++k)
		solve4(M, dMa[k]);
	for (int n = 0; n < shape->count; ++n)
		for (int k = 0; k < 3; ++k)
		{
			double ap = a[0] + a[1] * p[n][1] + a[2] * p[n][2] + a[3] * p[n][3];
			double dap = -(dMa[k][0] + dMa[k][1] * p[n][1] + dMa[k][2] * p[n][2] + dMa[k][3] * p[n][3]);
			shape->grad[n][k] = near[n].gradient[k] * ap + w[n] * (dap - a[k + 1] / rho);
		}
}

void lm_design_shape_at(const lm_design_model* model, lm_vec3 x, lm_design_shape* shape)
{
	stencil s;
	near_node near[LM_DESIGN_MOST_NEAR];
	double w[LM_DESIGN_MOST_NEAR];
	lm_vec3 at = x;
	if (!make_stencil(&model->grid, at, &s))
	{
		// Beyond the band: the weights of the nearest material, while the basis still extrapolates from x.
		int32_t slot = lm_design_grid_nearest_material(&model->grid, x);
		at = lm_design_grid_center(&model->grid, slot >= 0 ? slot : 0);
		make_stencil(&model->grid, at, &s);
	}
	int count = weigh(model, near, find_near(model, &s, near), w);
	if (count == 0) // cannot be, with radii from sample.c; the nearest node then
	{
		const float* row = model->distance + (size_t)s.slot[s.reference] * (size_t)model->node_count;
		int32_t best = 0;
		for (int32_t i = 1; i < model->node_count; ++i)
			best = row[i] < row[best] ? i : best;
		near[0] = (near_node){ .node = best };
		w[0] = 1;
		count = 1;
	}
	shape->count = count;
	fill_shape(model, x, near, w, shape);
}

// ---- rows -------------------------------------------------------------------------------------------------------

void lm_design_rows_release(lm_design_rows* rows, const lm_host* host)
{
	lm_free(host, rows->start);
	lm_free(host, rows->node);
	lm_free(host, rows->phi);
	lm_free(host, rows->grad);
	*rows = (lm_design_rows){ 0 };
}

enum
{
	CHUNK = 512
};

// Each chunk of points fills memory of its own first, since the lengths of rows are not known beforehand.
typedef struct chunk
{
	size_t capacity, size;
	int32_t* node;
	double* numbers; // phi and, with gradients, three more
} chunk;

typedef struct rows_job
{
	const lm_host* host;
	const lm_design_model* model;
	const double* points;
	lm_design_rows* rows;
	chunk* chunks;
	bool gradients, failed;
} rows_job;

static bool append(const lm_host* host, chunk* c, const lm_design_shape* shape, bool gradients)
{
	size_t width = gradients ? 4 : 1, needed = c->size + (size_t)shape->count;
	if (needed > c->capacity)
	{
		size_t nodes = c->capacity, numbers = c->capacity * width;
		if (!lm_grow(host, (void**)&c->node, &nodes, needed + 4096, sizeof *c->node) ||
		    !lm_grow(host, (void**)&c->numbers, &numbers, nodes * width, sizeof *c->numbers))
			return false;
		c->capacity = nodes;
	}
	for (int n = 0; n < shape->count; ++n)
	{
		c->node[c->size] = shape->node[n];
		c->numbers[width * c->size] = shape->phi[n];
		if (gradients)
			memcpy(c->numbers + width * c->size + 1, shape->grad[n], sizeof shape->grad[n]);
		c->size += 1;
	}
	return true;
}

static void compute_rows(void* context, int64_t begin, int64_t end)
{
	rows_job* job = context;
	chunk* c = &job->chunks[begin / CHUNK];
	lm_design_shape shape;
	for (int64_t p = begin; p < end; ++p)
	{
		lm_design_shape_at(job->model, lm_v3_at(job->points, p), &shape);
		job->rows->start[p + 1] = shape.count;
		if (!append(job->host, c, &shape, job->gradients))
		{
			job->failed = true;
			return;
		}
	}
}

static bool join_rows(rows_job* job, int64_t chunk_count)
{
	const lm_host* host = job->host;
	lm_design_rows* rows = job->rows;
	for (int32_t p = 0; p < rows->count; ++p)
		rows->start[p + 1] += rows->start[p];
	int64_t total = rows->start[rows->count], at = 0;
	rows->node = LM_NEW(host, total, int32_t);
	rows->phi = LM_NEW(host, total, double);
	rows->grad = job->gradients ? lm_alloc(host, (size_t)total + 1, sizeof *rows->grad) : NULL; // read in fours
	if (rows->node == NULL || rows->phi == NULL || (job->gradients && rows->grad == NULL))
		return false;
	for (int64_t k = 0; k < chunk_count; ++k)
		for (size_t e = 0; e < job->chunks[k].size; ++e, ++at)
		{
			const double* numbers = job->chunks[k].numbers + (job->gradients ? 4 : 1) * e;
			rows->node[at] = job->chunks[k].node[e];
			rows->phi[at] = numbers[0];
			if (job->gradients)
				memcpy(rows->grad[at], numbers + 1, sizeof rows->grad[at]);
		}
	return true;
}

lm_status lm_design_rows_create(const lm_design_model* model, const double* points, int32_t count, bool gradients,
                                const lm_host* host, lm_design_rows* rows, lm_error* error)
{
	int64_t chunk_count = lm_chunk_count(count, CHUNK);
	*rows = (lm_design_rows){ .count = count, .start = LM_NEW(host, (size_t)count + 1, int64_t) };
	rows_job job = { host, model, points, rows, LM_NEW(host, chunk_count, chunk), gradients, false };
	bool good = rows->start != NULL && job.chunks != NULL;
	if (good)
		lm_parallel_for(host->threads, count, CHUNK, compute_rows, &job);
	good = good && !job.failed && join_rows(&job, chunk_count);
	for (int64_t k = 0; job.chunks != NULL && k < chunk_count; ++k)
	{
		lm_free(host, job.chunks[k].node);
		lm_free(host, job.chunks[k].numbers);
	}
	lm_free(host, job.chunks);
	if (good)
		return LM_OK;
	lm_design_rows_release(rows, host);
	return lm_fail_memory(error);
}
