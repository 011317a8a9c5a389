// timeline.c: see timeline.h.
#include "design/timeline.h"

#include "base/alloc.h"
#include "math/svd.h"

#include <string.h>

void lm_design_timeline_release(lm_design_timeline* t)
{
	for (int32_t j = 0; j < t->count; ++j)
	{
		lm_free(&t->host, t->frames[j].y);
		lm_free(&t->host, t->frames[j].slope);
		lm_free(&t->host, t->frames[j].pinned);
		lm_design_parts_release(t, &t->frames[j]);
	}
	if (t->frames != NULL)
		lm_free(&t->host, t->frames);
	t->frames = NULL, t->count = 0, t->capacity = 0;
}

lm_design_frame* lm_design_timeline_insert(lm_design_timeline* t, double time)
{
	size_t n = (size_t)t->model->node_count;
	if (!lm_grow(&t->host, (void**)&t->frames, &t->capacity, (size_t)t->count + 1, sizeof *t->frames))
		return NULL;
	lm_design_frame frame = { .time = time };
	frame.y = LM_NEW(&t->host, 3 * n, double);
	frame.pinned = LM_NEW(&t->host, n, uint8_t);
	if (frame.y == NULL || frame.pinned == NULL)
	{
		lm_free(&t->host, frame.y);
		lm_free(&t->host, frame.pinned);
		return NULL;
	}
	int32_t at = t->count;
	for (; at > 0 && t->frames[at - 1].time > time; --at)
		t->frames[at] = t->frames[at - 1];
	t->frames[at] = frame;
	t->count += 1;
	return &t->frames[at];
}

double lm_design_timeline_share(const lm_design_timeline* t, int32_t j)
{
	double before = j > 0 ? t->frames[j].time - t->frames[j - 1].time : 0;
	double after = j + 1 < t->count ? t->frames[j + 1].time - t->frames[j].time : 0;
	return 0.5 * (before + after);
}

// ---- rotations --------------------------------------------------------------------------------------------------

// Horn 1987, by polar decomposition.
lm_quat lm_design_timeline_rotation(const lm_design_model* m, const double* y)
{
	lm_vec3 c = { 0, 0, 0 };
	for (int32_t i = 0; i < m->node_count; ++i)
		c = lm_add_scaled(c, 1.0 / m->node_count, lm_v3_at(y, i));
	lm_mat3 A = { 0 };
	for (int32_t i = 0; i < m->node_count; ++i)
		lm_add_outer(&A, 1, lm_sub(lm_v3_at(y, i), c), lm_sub(lm_v3_at(m->nodes, i), m->middle));
	return lm_quat_from_matrix(lm_polar3(A).R);
}

// The angular velocity that comes closest to the velocities of nodes: inertia^-1 (angular momentum).
static lm_vec3 fit_spin(const lm_design_model* m, const double* y, const double* v)
{
	lm_vec3 c = { 0, 0, 0 }, L = { 0, 0, 0 };
	lm_mat3 I = { 0 };
	for (int32_t i = 0; i < m->node_count; ++i)
		c = lm_add_scaled(c, 1.0 / m->node_count, lm_v3_at(y, i));
	for (int32_t i = 0; i < m->node_count; ++i)
	{
		lm_vec3 r = lm_sub(lm_v3_at(y, i), c);
		L = lm_add(L, lm_cross(r, lm_v3_at(v, i)));
		lm_add_outer(&I, -1, r, r);
		for (int d = 0; d < 3; ++d)
			I.m[d][d] += lm_dot(r, r);
	}
	lm_eigen e = lm_eigen3(I);
	const double values[3] = { e.e.x, e.e.y, e.e.z };
	double most = fmax(values[0], fmax(values[1], values[2]));
	lm_vec3 spin = { 0, 0, 0 };
	for (int d = 0; d < 3; ++d)
		if (values[d] > 1e-9 * most) // about the axis of a line nothing can be told
			spin = lm_add_scaled(spin, lm_dot(lm_column(e.V, d), L) / values[d], lm_column(e.V, d));
	return spin;
}

bool lm_design_timeline_set_slope(lm_design_timeline* t, lm_design_frame* frame, const double* slope)
{
	int32_t n = t->model->node_count;
	if (frame->slope == NULL)
		frame->slope = LM_NEW(&t->host, 3 * (size_t)n, double);
	if (frame->slope == NULL)
		return false;
	memcpy(frame->slope, slope, 3 * (size_t)n * sizeof(double));
	frame->has_velocity = true;
	frame->velocity = lm_v3(0, 0, 0);
	for (int32_t i = 0; i < n; ++i)
		frame->velocity = lm_add_scaled(frame->velocity, 1.0 / n, lm_v3_at(slope, i));
	frame->spin = fit_spin(t->model, frame->y, slope);
	return true;
}

static lm_quat relative(lm_quat a, lm_quat b)
{
	return lm_quat_mul(lm_quat_conjugate(a), b);
}

// Rotation vector from frame j to the next, over the time between.
static lm_vec3 turning(const lm_design_timeline* t, int32_t j)
{
	const lm_design_frame *a = &t->frames[j], *b = a + 1;
	return lm_scale(1 / (b->time - a->time), lm_quat_log(relative(a->q, b->q)));
}

// Whether the slope at a frame follows from its neighbours.
static bool is_smooth(const lm_design_timeline* t, int32_t j)
{
	return j > 0 && j < t->count - 1 && !t->frames[j].broken && t->frames[j].slope == NULL;
}

// The slope of the parabola through three frames, from the differences on both sides of the one in the middle.
static lm_vec3 parabola(const lm_design_timeline* t, int32_t j, lm_vec3 left, lm_vec3 right)
{
	double before = t->frames[j].time - t->frames[j - 1].time, after = t->frames[j + 1].time - t->frames[j].time;
	return lm_add(lm_scale(after / (before + after), left), lm_scale(before / (before + after), right));
}

static void choose_spins(lm_design_timeline* t, int32_t j)
{
	lm_design_frame* f = &t->frames[j];
	if (f->still)
		f->before = f->after = lm_v3(0, 0, 0);
	else if (f->has_velocity)
		f->before = f->after = lm_quat_rotate(lm_quat_conjugate(f->q), f->spin);
	else if (is_smooth(t, j))
		f->before = f->after = parabola(t, j, turning(t, j - 1), turning(t, j));
}

// At ends and breaks the parabola of the neighbour goes on; without one, the turning is uniform.
static void choose_end_spins(lm_design_timeline* t, int32_t j)
{
	lm_design_frame* f = &t->frames[j];
	if (f->still || f->has_velocity || is_smooth(t, j))
		return;
	if (j + 1 < t->count)
	{
		lm_vec3 d = turning(t, j);
		bool shaped = is_smooth(t, j + 1) || t->frames[j + 1].still || t->frames[j + 1].has_velocity;
		f->after = shaped ? lm_sub(lm_scale(2, d), t->frames[j + 1].before) : d;
	}
	if (j > 0)
	{
		lm_vec3 d = turning(t, j - 1);
		bool shaped = is_smooth(t, j - 1) || t->frames[j - 1].still || t->frames[j - 1].has_velocity;
		f->before = shaped ? lm_sub(lm_scale(2, d), t->frames[j - 1].after) : d;
	}
}

// Rotation at u in [0, 1] of interval j, and its angular velocity in the body's axes.
static lm_quat rotation_at(const lm_design_timeline* t, int32_t j, double u, lm_vec3* spin)
{
	const lm_design_frame *a = &t->frames[j], *b = a + 1;
	double h = b->time - a->time, v = 1 - u;
	lm_quat b1 = lm_quat_mul(a->q, lm_quat_exp(lm_scale(h / 3, a->after)));
	lm_quat b2 = lm_quat_mul(b->q, lm_quat_exp(lm_scale(-h / 3, b->before)));
	lm_vec3 a1 = lm_scale(h / 3, a->after), a2 = lm_quat_log(relative(b1, b2)), a3 = lm_scale(h / 3, b->before);
	double B[3] = { 1 - v * v * v, 3 * u * u - 2 * u * u * u, u * u * u };
	double dB[3] = { 3 * v * v / h, 6 * u * v / h, 3 * u * u / h };
	lm_quat e1 = lm_quat_exp(lm_scale(B[0], a1)), e2 = lm_quat_exp(lm_scale(B[1], a2));
	lm_quat e3 = lm_quat_exp(lm_scale(B[2], a3));
	lm_vec3 w = lm_quat_rotate(lm_quat_conjugate(e2), lm_scale(dB[0], a1));
	w = lm_quat_rotate(lm_quat_conjugate(e3), lm_add(w, lm_scale(dB[1], a2)));
	*spin = lm_add(w, lm_scale(dB[2], a3));
	return lm_quat_normalize(lm_quat_mul(a->q, lm_quat_mul(e1, lm_quat_mul(e2, e3))));
}

// ---- positions --------------------------------------------------------------------------------------------------

int lm_design_timeline_slope(const lm_design_timeline* t, int32_t j, int32_t frames[3], double weights[3])
{
	if (t->frames[j].still || !is_smooth(t, j))
		return 0;
	double before = t->frames[j].time - t->frames[j - 1].time, after = t->frames[j + 1].time - t->frames[j].time;
	double left = after / (before * (before + after)), right = before / (after * (before + after));
	frames[0] = j - 1, frames[1] = j, frames[2] = j + 1;
	weights[0] = -left, weights[1] = left - right, weights[2] = right;
	return 3;
}

// Adds s times the slope at `end` of interval j (end is j or j + 1) to weights of the frames j - 1 .. j + 2, and to
// those of the slopes that are prescribed at j and j + 1.
static void add_slope(const lm_design_timeline* t, int32_t j, int32_t end, double s, double w[4], double prescribed[2])
{
	int32_t frames[3];
	double weights[3];
	if (t->frames[end].still)
		return;
	if (t->frames[end].slope != NULL)
	{
		prescribed[end - j] += s;
		return;
	}
	if (is_smooth(t, end))
	{
		lm_design_timeline_slope(t, end, frames, weights);
		for (int k = 0; k < 3; ++k)
			w[frames[k] - (j - 1)] += s * weights[k];
		return;
	}
	// An end or a break: 2 d - m of the other side where that has a slope of its own, else the chord.
	int32_t other = end == j ? j + 1 : j;
	double chord = 1 / (t->frames[j + 1].time - t->frames[j].time);
	bool shaped = is_smooth(t, other) || t->frames[other].still || t->frames[other].slope != NULL;
	w[1] -= (shaped ? 2 : 1) * s * chord;
	w[2] += (shaped ? 2 : 1) * s * chord;
	if (shaped)
		add_slope(t, j, other, -s, w, prescribed);
}

static void hermite(double u, double h, double value[4], double slope[4])
{
	double v = 1 - u;
	value[0] = (1 + 2 * u) * v * v, value[1] = u * u * (3 - 2 * u);
	value[2] = h * u * v * v, value[3] = -h * u * u * v;
	slope[0] = -6 * u * v / h, slope[1] = 6 * u * v / h;
	slope[2] = v * (1 - 3 * u), slope[3] = u * (3 * u - 2);
}

static lm_vec3 center_of(const lm_design_timeline* t, int32_t frame)
{
	lm_vec3 c = { 0, 0, 0 };
	for (int32_t i = 0; i < t->model->node_count; ++i)
		c = lm_add_scaled(c, 1.0 / t->model->node_count, lm_v3_at(t->frames[frame].y, i));
	return c;
}

// What the centre's slope at `end` of interval j lacks to the prescribed velocity.
static lm_vec3 missing_velocity(const lm_design_timeline* t, int32_t j, int32_t end)
{
	double w[4] = { 0 }, prescribed[2] = { 0 };
	lm_vec3 missing = t->frames[end].velocity;
	add_slope(t, j, end, 1, w, prescribed);
	for (int k = 0; k < 2; ++k)
		if (prescribed[k] != 0)
			missing = lm_add_scaled(missing, -prescribed[k], t->frames[j + k].velocity);
	for (int k = 0; k < 4; ++k)
		if (w[k] != 0)
			missing = lm_add_scaled(missing, -w[k], center_of(t, j - 1 + k));
	return missing;
}

static void add_rotation(const lm_design_timeline* t, lm_design_instant* in, double u)
{
	lm_vec3 spin;
	lm_quat q = rotation_at(t, in->interval, u, &spin);
	in->D = lm_quat_matrix(q);
	lm_mat3 W = { { { 0, -spin.z, spin.y }, { spin.z, 0, -spin.x }, { -spin.y, spin.x, 0 } } };
	in->dD = lm_mul(in->D, W);
	for (int k = 0; k < in->count; ++k)
	{
		lm_mat3 R = lm_quat_matrix(t->frames[in->frame[k]].q);
		for (int a = 0; a < 3; ++a)
			for (int b = 0; b < 3; ++b)
			{
				in->D.m[a][b] -= in->w[k] * R.m[a][b];
				in->dD.m[a][b] -= in->dw[k] * R.m[a][b];
			}
	}
}

static int32_t find_interval(const lm_design_timeline* t, double time)
{
	int32_t low = 0, high = t->count - 2;
	while (low < high)
	{
		int32_t middle = (low + high + 1) / 2;
		if (t->frames[middle].time <= time)
			low = middle;
		else
			high = middle - 1;
	}
	return low < 0 ? 0 : low;
}

// Straight from frame j to the next.
static void blend_linearly(const lm_design_timeline* t, int32_t j, double time, lm_design_instant* in)
{
	const lm_design_frame *a = &t->frames[j], *b = a + 1;
	double h = b->time - a->time, u = fmin(fmax((time - a->time) / h, 0), 1);
	double slope = time < a->time || time > b->time ? 0 : 1 / h;
	in->count = 2;
	in->frame[0] = j, in->w[0] = 1 - u, in->dw[0] = -slope;
	in->frame[1] = j + 1, in->w[1] = u, in->dw[1] = slope;
}

static lm_design_instant instant_within(const lm_design_timeline* t, int32_t j, double time)
{
	lm_design_instant in = { .time = time, .interval = j };
	if (t->linear)
	{
		blend_linearly(t, j, time, &in);
		return in;
	}
	const lm_design_frame *a = &t->frames[j], *b = a + 1;
	double h = b->time - a->time, u = fmin(fmax((time - a->time) / h, 0), 1);
	double value[4], slope[4], w[4] = { 0 }, dw[4] = { 0 };
	bool outside = time < a->time || time > b->time;
	hermite(u, h, value, slope);
	for (int end = 0; end < 2; ++end)
	{
		w[1 + end] += value[end], dw[1 + end] += slope[end];
		add_slope(t, j, j + end, value[2 + end], w, in.s);
		add_slope(t, j, j + end, slope[2 + end], dw, in.ds);
		const lm_design_frame* f = &t->frames[j + end];
		if (f->part_count > 0)
			in.p[end] = value[2 + end], in.dp[end] = slope[2 + end];
		if (!f->has_velocity || f->still || f->slope != NULL)
			continue;
		lm_vec3 missing = missing_velocity(t, j, j + end);
		in.e = lm_add_scaled(in.e, value[2 + end], missing);
		in.de = lm_add_scaled(in.de, slope[2 + end], missing);
	}
	for (int k = 0; k < 4; ++k)
	{
		if (w[k] == 0 && dw[k] == 0)
			continue;
		in.frame[in.count] = j - 1 + k, in.w[in.count] = w[k];
		in.dw[in.count++] = outside ? 0 : dw[k];
	}
	add_rotation(t, &in, u);
	if (outside)
		in.dD = (lm_mat3){ 0 }, in.de = lm_v3(0, 0, 0), in.ds[0] = in.ds[1] = in.dp[0] = in.dp[1] = 0;
	return in;
}

lm_design_instant lm_design_timeline_at(const lm_design_timeline* t, double time)
{
	if (t->count == 1)
		return (lm_design_instant){ .time = time, .count = 1, .w = { 1 } };
	return instant_within(t, find_interval(t, time), time);
}

bool lm_design_timeline_holds(const lm_design_timeline* t, int32_t j, int32_t node)
{
	if (j + 1 >= t->count)
		return false;
	const lm_design_frame *a = &t->frames[j], *b = a + 1;
	return a->held ||
	       (a->pinned[node] && b->pinned[node] && lm_distance(lm_v3_at(a->y, node), lm_v3_at(b->y, node)) < 1e-5);
}

// What is held at both ends of an interval in the same place stays there in between.
static void hold_pinned(const lm_design_timeline* t, int32_t j, double* z, double* velocity)
{
	for (int32_t i = 0; i < t->model->node_count; ++i)
		if (lm_design_timeline_holds(t, j, i))
		{
			memcpy(z + 3 * i, t->frames[j].y + 3 * i, 3 * sizeof(double));
			if (velocity != NULL)
				memset(velocity + 3 * i, 0, 3 * sizeof(double));
		}
}

// The slope of a node where all are prescribed: v - dR/dt (x - c_0).
static lm_vec3 prescribed_slope(const lm_design_model* m, const lm_design_frame* f, int32_t i)
{
	lm_vec3 r = lm_sub(lm_v3_at(m->nodes, i), m->middle);
	return lm_sub(lm_v3_at(f->slope, i), lm_quat_rotate(f->q, lm_cross(f->after, r)));
}

// What prescribed slopes add, times their weight.
static void add_prescribed(const lm_design_timeline* t, const lm_design_instant* in, double* z, double* velocity)
{
	const lm_design_model* m = t->model;
	for (int end = 0; end < 2; ++end)
	{
		const lm_design_frame* f = &t->frames[in->interval + end];
		if (in->s[end] == 0 && in->ds[end] == 0)
			continue;
		for (int32_t i = 0; i < m->node_count; ++i)
		{
			lm_vec3 v = prescribed_slope(m, f, i);
			lm_v3_store(z, i, lm_add_scaled(lm_v3_at(z, i), in->s[end], v));
			if (velocity != NULL)
				lm_v3_store(velocity, i, lm_add_scaled(lm_v3_at(velocity, i), in->ds[end], v));
		}
	}
}

// sum w y(frame) + D (x - c_0) + e
static void blend(const lm_design_timeline* t, const lm_design_instant* in, const double w[4], lm_mat3 D, lm_vec3 e,
                  double* z)
{
	const lm_design_model* m = t->model;
	e = lm_sub(e, lm_mul_v(D, m->middle));
	for (int32_t i = 0; i < m->node_count; ++i)
		lm_v3_store(z, i, lm_add(e, lm_mul_v(D, lm_v3_at(m->nodes, i))));
	for (int k = 0; k < in->count; ++k)
	{
		const double* y = t->frames[in->frame[k]].y;
		for (int32_t i = 0; i < 3 * m->node_count; ++i)
			z[i] += w[k] * y[i];
	}
}

void lm_design_timeline_nodes(const lm_design_timeline* t, const lm_design_instant* in, double* z, double* velocity)
{
	blend(t, in, in->w, in->D, in->e, z);
	if (velocity != NULL)
		blend(t, in, in->dw, in->dD, in->de, velocity);
	add_prescribed(t, in, z, velocity);
	for (int end = 0; end < 2; ++end)
	{
		if (in->p[end] == 0 && in->dp[end] == 0)
			continue;
		const lm_design_frame* f = &t->frames[in->interval + end];
		lm_design_parts_add(f, 1 - end, in->p[end], z);
		if (velocity != NULL)
			lm_design_parts_add(f, 1 - end, in->dp[end], velocity);
	}
	hold_pinned(t, in->interval, z, velocity);
}

// Velocity of one node, without what parts add.
static lm_vec3 velocity_of(const lm_design_timeline* t, const lm_design_instant* in, int32_t i)
{
	const lm_design_model* m = t->model;
	lm_vec3 v = lm_add(in->de, lm_mul_v(in->dD, lm_sub(lm_v3_at(m->nodes, i), m->middle)));
	for (int k = 0; k < in->count; ++k)
		v = lm_add_scaled(v, in->dw[k], lm_v3_at(t->frames[in->frame[k]].y, i));
	for (int end = 0; end < 2; ++end)
		if (in->ds[end] != 0)
			v = lm_add_scaled(v, in->ds[end], prescribed_slope(m, &t->frames[in->interval + end], i));
	return v;
}

// What the velocities of nodes lack to those of their parts, on either side of frame j.
static void fit_parts(lm_design_timeline* t, int32_t j)
{
	lm_design_frame* f = &t->frames[j];
	for (int side = 0; side < 2 && f->part_count > 0; ++side)
	{
		int32_t interval = j - 1 + side;
		if (interval < 0 || interval + 1 >= t->count)
			continue;
		lm_design_instant in = instant_within(t, interval, f->time);
		for (int32_t p = 0; p < f->part_count; ++p)
		{
			lm_design_part_velocity* part = &f->parts[p];
			lm_vec3 middle = lm_design_part_middle(part, f->y);
			for (int32_t k = 0; k < part->count; ++k)
			{
				lm_vec3 wanted = lm_design_part_velocity_of(part, middle, f->y, part->nodes[k]);
				lm_v3_store(part->lack, side * part->count + k, lm_sub(wanted, velocity_of(t, &in, part->nodes[k])));
			}
		}
	}
}

void lm_design_timeline_fit(lm_design_timeline* t)
{
	for (int32_t j = 0; j < t->count; ++j)
	{
		lm_design_frame* f = &t->frames[j];
		f->q = lm_design_timeline_rotation(t->model, f->y);
		if (j > 0 && lm_quat_dot(f->q, t->frames[j - 1].q) < 0)
			f->q = (lm_quat){ -f->q.w, -f->q.x, -f->q.y, -f->q.z };
	}
	for (int32_t j = 0; j < t->count; ++j)
		choose_spins(t, j);
	for (int32_t j = 0; j < t->count; ++j)
		choose_end_spins(t, j);
	for (int32_t j = 0; j < t->count; ++j)
		fit_parts(t, j);
}
