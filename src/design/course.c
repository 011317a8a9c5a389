// course.c: see course.h.
#include "design/course.h"

#include "base/alloc.h"
#include "base/error.h"
#include "design/state.h"

#include <math.h>
#include <string.h>

// ---- recordings -------------------------------------------------------------------------------------------------

static void release_recording(lm_design_recording* r, const lm_host* host)
{
	lm_free(host, r->times);
	lm_free(host, r->y);
	lm_free(host, r->v);
	*r = (lm_design_recording){ 0 };
}

double* lm_design_recording_add(lm_design_recording* r, const lm_host* host, int32_t nodes, double time)
{
	size_t n = 3 * (size_t)nodes, count = (size_t)r->count + 1;
	if (!lm_grow(host, (void**)&r->times, &r->capacity, count, sizeof *r->times) ||
	    !lm_grow(host, (void**)&r->y, &r->y_capacity, n * count, sizeof *r->y) ||
	    !lm_grow(host, (void**)&r->v, &r->v_capacity, n * count, sizeof *r->v))
		return NULL;
	r->times[r->count] = time;
	return r->y + n * (size_t)r->count++;
}

static void smooth(lm_design_recording* r, int32_t nodes, int32_t k)
{
	int64_t n = 3 * (int64_t)nodes; // signed, as it is subtracted
	double before = r->times[k] - r->times[k - 1], after = r->times[k + 1] - r->times[k];
	double left = after / (before * (before + after)), right = before / (after * (before + after));
	const double* y = r->y + n * k;
	double* v = r->v + n * k;
	for (int64_t i = 0; i < n; ++i)
		v[i] = left * (y[i] - y[i - n]) + right * (y[i + n] - y[i]);
}

void lm_design_recording_smooth(lm_design_recording* r, int32_t nodes)
{
	for (int32_t k = 1; k + 1 < r->count; ++k)
		smooth(r, nodes, k);
}

void lm_design_recording_smooth_last(lm_design_recording* r, int32_t nodes)
{
	if (r->count > 2)
		smooth(r, nodes, r->count - 2);
}

// Adds to y and v.
static void add_recorded(const lm_design_recording* r, size_t n, double time, double* y, double* v)
{
	int32_t low = 0, high = r->count - 2;
	if (r->count == 0)
		return;
	while (low < high)
	{
		int32_t middle = (low + high + 1) / 2;
		if (r->times[middle] <= time)
			low = middle;
		else
			high = middle - 1;
	}
	const double *a = r->y + n * (size_t)low, *va = r->v + n * (size_t)low;
	const double *b = r->count > 1 ? a + n : a, *vb = r->count > 1 ? va + n : va;
	double h = r->count > 1 ? r->times[low + 1] - r->times[low] : 1;
	double u = fmin(fmax((time - r->times[low]) / h, 0), 1), w = 1 - u;
	double H[4] = { (1 + 2 * u) * w * w, u * u * (3 - 2 * u), h * u * w * w, -h * u * u * w };
	double D[4] = { -6 * u * w / h, 6 * u * w / h, w * (1 - 3 * u), u * (3 * u - 2) };
	for (size_t i = 0; i < n; ++i)
	{
		y[i] += H[0] * a[i] + H[1] * b[i] + H[2] * va[i] + H[3] * vb[i];
		if (v != NULL)
			v[i] += D[0] * a[i] + D[1] * b[i] + D[2] * va[i] + D[3] * vb[i];
	}
}

// ---- pieces -----------------------------------------------------------------------------------------------------

void lm_design_course_release(lm_design_course* course)
{
	for (int32_t k = 0; k < course->count; ++k)
	{
		lm_design_timeline_release(&course->pieces[k].timeline);
		release_recording(&course->pieces[k].recording, &course->host);
	}
	if (course->pieces != NULL)
		lm_free(&course->host, course->pieces);
	course->pieces = NULL, course->count = 0, course->capacity = 0;
}

lm_design_course_piece* lm_design_course_add(lm_design_course* course, double begin, double end, bool designed)
{
	if (!lm_grow(&course->host, (void**)&course->pieces, &course->capacity, (size_t)course->count + 1,
	             sizeof *course->pieces))
		return NULL;
	lm_design_course_piece* piece = &course->pieces[course->count++];
	*piece = (lm_design_course_piece){ .begin = begin,
		                               .end = end,
		                               .designed = designed,
		                               .seconds = 1,
		                               .timeline = { .host = course->host, .model = course->model } };
	return piece;
}

void lm_design_course_piece_designed(const lm_design_course_piece* piece, double time, double* y, double* v)
{
	const lm_design_timeline* t = &piece->timeline;
	lm_design_instant in = lm_design_timeline_at(t, (time - piece->begin) / piece->seconds);
	lm_design_timeline_nodes(t, &in, y, v);
	for (int32_t i = 0; v != NULL && i < 3 * t->model->node_count; ++i)
		v[i] /= piece->seconds;
}

void lm_design_course_piece_at(const lm_design_course_piece* piece, double time, double* y, double* v)
{
	size_t n = 3 * (size_t)piece->timeline.model->node_count;
	time = fmin(fmax(time, piece->begin), piece->end);
	if (piece->designed)
		lm_design_course_piece_designed(piece, time, y, v);
	else
	{
		memset(y, 0, n * sizeof *y);
		if (v != NULL)
			memset(v, 0, n * sizeof *v);
	}
	add_recorded(&piece->recording, n, time, y, v);
}

void lm_design_course_at(const lm_design_course* course, double time, double* y, double* v)
{
	int32_t k = course->count - 1;
	while (k > 0 && course->pieces[k].begin > time)
		--k;
	lm_design_course_piece_at(&course->pieces[k], time, y, v);
}

void lm_design_course_nodes(const lm_design_course* course, double time, double* nodes, double* velocities)
{
	const lm_design_model* m = course->model;
	lm_design_course_at(course, time, nodes, velocities);
	for (int32_t i = 0; i < m->node_count; ++i)
	{
		lm_v3_store(nodes, i, lm_add_scaled(m->center, m->size, lm_v3_at(nodes, i)));
		if (velocities != NULL)
			lm_v3_store(velocities, i, lm_scale(m->size, lm_v3_at(velocities, i)));
	}
}

// ---- checkpoints ------------------------------------------------------------------------------------------------

void lm_design_course_save(const lm_design_course* course, lm_blob* blob)
{
	size_t n = 3 * (size_t)course->model->node_count;
	lm_blob_put(blob, &course->count, sizeof course->count);
	for (int32_t k = 0; k < course->count; ++k)
	{
		const lm_design_course_piece* p = &course->pieces[k];
		const double numbers[3] = { p->begin, p->end, p->seconds };
		size_t count = (size_t)p->recording.count;
		lm_blob_put(blob, numbers, sizeof numbers);
		lm_blob_put(blob, &p->designed, sizeof p->designed);
		lm_blob_put(blob, &p->recording.count, sizeof p->recording.count);
		if (p->designed)
			lm_design_timeline_save(&p->timeline, blob);
		if (count == 0)
			continue;
		lm_blob_put(blob, p->recording.times, count * sizeof(double));
		lm_blob_put(blob, p->recording.y, n * count * sizeof(double));
		lm_blob_put(blob, p->recording.v, n * count * sizeof(double));
	}
}

static lm_status load_piece(lm_design_course* course, lm_blob* blob, lm_error* error)
{
	size_t n = 3 * (size_t)course->model->node_count;
	double numbers[3], end = course->count > 0 ? course->pieces[course->count - 1].end : -INFINITY;
	bool designed;
	int32_t count;
	const lm_bytes head[3] = { lm_doubles_in(numbers, 3, -1e12, 1e12), lm_bools(&designed, 1),
		                       lm_ints_in(&count, 1, 0, INT32_MAX) };
	lm_bytes_get(head, 3, blob);
	if (blob->failed || numbers[0] < end || numbers[1] < numbers[0] || !(numbers[2] > 0) || (!designed && count < 1))
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint's motion is damaged");
	lm_design_course_piece* p = lm_design_course_add(course, numbers[0], numbers[1], designed);
	if (p == NULL)
		return lm_fail_memory(error);
	p->seconds = numbers[2];
	lm_status status = designed ? lm_design_timeline_load(&p->timeline, blob, error) : LM_OK;
	for (int32_t s = 0; status == LM_OK && s < count && !blob->failed; ++s)
	{
		double time;
		lm_bytes_get((lm_bytes[]){ lm_doubles_in(&time, 1, -1e12, 1e12) }, 1, blob);
		if (blob->failed || (s > 0 && !(time > p->recording.times[s - 1])))
			status = lm_fail(error, LM_BAD_INPUT, "the checkpoint's motion is damaged");
		else if (lm_design_recording_add(&p->recording, &course->host, course->model->node_count, time) == NULL)
			status = lm_fail_memory(error);
	}
	if (status == LM_OK && count > 0 && !blob->failed)
	{
		size_t numbers_each = n * (size_t)count;
		const lm_bytes parts[2] = { lm_doubles(p->recording.y, numbers_each),
			                        lm_doubles(p->recording.v, numbers_each) };
		lm_bytes_get(parts, 2, blob);
	}
	return status;
}

lm_status lm_design_course_load(lm_design_course* course, lm_blob* blob, lm_error* error)
{
	int32_t count = 0;
	lm_status status = LM_OK;
	lm_blob_get(blob, &count, sizeof count);
	for (int32_t k = 0; status == LM_OK && k < count && !blob->failed; ++k)
		status = load_piece(course, blob, error);
	if (status == LM_OK && (blob->failed || course->count < 1))
		status = lm_fail(error, LM_BAD_INPUT, "the checkpoint's motion is not whole");
	return status;
}
