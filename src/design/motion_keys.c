// motion_keys.c: see motion_keys.h. Keys of the whole object become frames that are fixed, twice where they are held;
// keys of single nodes pin those nodes at their frames and at every frame in between; via keys give a free frame its
// start.
#include "design/motion_keys.h"

#include "base/alloc.h"
#include "base/error.h"
#include "design/settings.h"

#include <string.h>

static const double same_time = 1e-9, same_place = 1e-4;

static lm_status check_key(const lm_design_motion* motion, int32_t b, const lm_design_motion_key* key, int32_t index,
                           lm_error* error)
{
	const lm_design_motion_body* body = &motion->bodies[b];
	double seconds = motion->settings.seconds;
	if (!(key->time >= 0) || key->time > seconds * (1 + 1e-9))
		return lm_fail(error, LM_BAD_INPUT, "object %d: key %d is at %g s, must be between 0 and %g", b, index,
		               key->time, seconds);
	if (!isfinite(key->end) || key->end > seconds * (1 + 1e-9) || (key->end > 0 && key->end < key->time))
		return lm_fail(error, LM_BAD_INPUT, "object %d: key %d ends at %g s, must be between its time %g and %g", b,
		               index, key->end, key->time, seconds);
	if (key->positions == NULL || key->count < 0 || (key->count > 0 && key->nodes == NULL))
		return lm_fail(error, LM_BAD_INPUT, "object %d: key %d has no positions, or a count without nodes", b, index);
	for (int32_t i = 0; i < key->count; ++i)
		if (key->nodes[i] < 0 || key->nodes[i] >= body->node_count)
			return lm_fail(error, LM_BAD_INPUT, "object %d: key %d names node %d, there are %d", b, index,
			               key->nodes[i], body->node_count);
	int32_t numbers = 3 * (key->count > 0 ? key->count : body->node_count);
	for (int32_t i = 0; i < numbers; ++i)
		if (!(fabs(key->positions[i]) < 1e15))
			return lm_fail(error, LM_BAD_INPUT, "object %d: key %d has a position that is not finite", b, index);
	if (key->velocities == NULL)
		return LM_OK;
	if (key->count > 0 || key->via || key->end > key->time)
		return lm_fail(error, LM_BAD_INPUT,
		               "object %d: key %d has velocities, but only keys of the whole object at a moment can", b, index);
	for (int32_t i = 0; i < 3 * body->node_count; ++i)
		if (!(fabs(key->velocities[i]) < 1e15))
			return lm_fail(error, LM_BAD_INPUT, "object %d: key %d has a velocity that is not finite", b, index);
	return LM_OK;
}

// A copy in own coordinates and fractions of time.
static lm_status keep_key(const lm_design_motion* motion, lm_design_motion_body* body, const lm_design_motion_key* key,
                          lm_error* error)
{
	const lm_host* host = &motion->host;
	int32_t count = key->count > 0 ? key->count : body->node_count;
	double* positions = LM_NEW(host, 3 * (size_t)count, double);
	int32_t* nodes = lm_copy(host, key->nodes, (size_t)key->count, sizeof *nodes);
	lm_design_motion_key* kept = &body->keys[body->key_count++];
	*kept = *key;
	kept->positions = positions, kept->nodes = nodes, kept->velocities = NULL;
	kept->time = fmin(key->time / motion->settings.seconds, 1);
	kept->end = key->end > key->time ? fmin(key->end / motion->settings.seconds, 1) : kept->time;
	if (positions == NULL || nodes == NULL)
		return lm_fail_memory(error);
	for (int32_t i = 0; i < count; ++i)
		lm_v3_store(positions, i, lm_scale(1 / body->size, lm_sub(lm_v3_at(key->positions, i), body->center)));
	if (key->velocities == NULL)
		return LM_OK;
	double* velocities = LM_NEW(host, 3 * (size_t)count, double);
	kept->velocities = velocities;
	for (int32_t i = 0; velocities != NULL && i < 3 * count; ++i)
		velocities[i] = motion->settings.seconds / body->size * key->velocities[i];
	return velocities != NULL ? LM_OK : lm_fail_memory(error);
}

static bool is_whole(const lm_design_motion_key* key)
{
	return key->count == 0 && !key->via;
}

// Where a key wants a node; NULL when it does not care.
static const double* wants(const lm_design_motion_body* body, const lm_design_motion_key* key, int32_t node)
{
	(void)body;
	if (key->via)
		return NULL;
	if (key->count == 0)
		return key->positions + 3 * (size_t)node;
	for (int32_t i = 0; i < key->count; ++i)
		if (key->nodes[i] == node)
			return key->positions + 3 * (size_t)i;
	return NULL;
}

static lm_status check_contradictions(const lm_design_motion* motion, int32_t b, lm_error* error)
{
	const lm_design_motion_body* body = &motion->bodies[b];
	double seconds = motion->settings.seconds;
	for (int32_t k = 0; k < body->key_count; ++k)
		for (int32_t l = k + 1; l < body->key_count; ++l)
		{
			const lm_design_motion_key *p = &body->keys[k], *q = &body->keys[l];
			double from = fmax(p->time, q->time), to = fmin(p->end, q->end);
			if (from > to + same_time || p->via || q->via)
				continue;
			if (is_whole(p) && is_whole(q))
				return fabs(p->time - q->time) < same_time
				           ? lm_fail(error, LM_BAD_INPUT,
				                     "object %d: keys %d and %d are both at %g s; keep one of them", b, k, l,
				                     p->time * seconds)
				           : lm_fail(error, LM_BAD_INPUT,
				                     "object %d: key %d at %g s lies in the time that key %d is held", b,
				                     q->time > p->time ? l : k, from * seconds, q->time > p->time ? k : l);
			for (int32_t i = 0; i < body->node_count; ++i)
			{
				const double *x = wants(body, p, i), *y = wants(body, q, i);
				if (x != NULL && y != NULL && lm_distance(lm_v3_at(x, 0), lm_v3_at(y, 0)) > same_place)
					return lm_fail(
						error, LM_BAD_INPUT,
						"object %d: keys %d and %d contradict each other: at %g s node %d would have to be in "
						"two places",
						b, k, l, from * seconds, i);
			}
		}
	return LM_OK;
}

static lm_design_frame* frame_at(lm_design_timeline* t, double time)
{
	for (int32_t j = 0; j < t->count; ++j)
		if (fabs(t->frames[j].time - time) < same_time)
			return &t->frames[j];
	return NULL;
}

void lm_design_motion_pin(const lm_design_motion_body* body, lm_design_frame* frame)
{
	for (int32_t k = 0; k < body->key_count && !frame->fixed; ++k)
	{
		const lm_design_motion_key* key = &body->keys[k];
		if (key->via || key->count == 0 || frame->time < key->time - same_time || frame->time > key->end + same_time)
			continue;
		for (int32_t i = 0; i < key->count; ++i)
		{
			frame->pinned[key->nodes[i]] = 1;
			memcpy(frame->y + 3 * (size_t)key->nodes[i], key->positions + 3 * (size_t)i, 3 * sizeof(double));
		}
	}
}

bool lm_design_motion_insert(lm_design_motion_body* body, double time)
{
	lm_design_timeline* t = &body->timeline;
	double* z = LM_NEW(&t->host, 3 * (size_t)body->node_count, double);
	if (z == NULL)
		return false;
	lm_design_instant in = lm_design_timeline_at(t, time);
	lm_design_timeline_nodes(t, &in, z, NULL);
	lm_design_frame* frame = lm_design_timeline_insert(t, time);
	if (frame != NULL)
	{
		memcpy(frame->y, z, 3 * (size_t)body->node_count * sizeof(double));
		lm_design_motion_pin(body, frame);
	}
	lm_free(&t->host, z);
	return frame != NULL;
}

// Frames of whole keys, which everything else is seen against.
static lm_status add_whole_keys(lm_design_motion_body* body, int32_t b, lm_error* error)
{
	lm_design_timeline* t = &body->timeline;
	size_t n = (size_t)body->node_count;
	for (int32_t k = 0; k < body->key_count; ++k)
	{
		const lm_design_motion_key* key = &body->keys[k];
		bool held = key->end > key->time + same_time;
		for (int end = 0; is_whole(key) && end <= held; ++end)
		{
			lm_design_frame* frame = lm_design_timeline_insert(t, end ? key->end : key->time);
			if (frame == NULL)
				return lm_fail_memory(error);
			frame->fixed = true, frame->broken = key->broken;
			frame->still = held, frame->held = held && end == 0;
			memset(frame->pinned, 1, n);
			memcpy(frame->y, key->positions, 3 * n * sizeof(double));
			if (key->velocities != NULL && !lm_design_timeline_set_slope(t, frame, key->velocities))
				return lm_fail_memory(error);
		}
	}
	return t->count > 0 ? LM_OK
	                    : lm_fail(error, LM_BAD_INPUT,
	                              "object %d has no key of the whole object; at least one must say where it is", b);
}

static lm_status add_other_keys(lm_design_motion_body* body, lm_error* error)
{
	lm_design_timeline* t = &body->timeline;
	size_t n = (size_t)body->node_count;
	for (int32_t k = 0; k < body->key_count; ++k)
	{
		const lm_design_motion_key* key = &body->keys[k];
		bool held = key->end > key->time + same_time;
		for (int end = 0; !is_whole(key) && end <= held; ++end)
		{
			double time = end ? key->end : key->time;
			lm_design_timeline_fit(t);
			if (frame_at(t, time) == NULL && !lm_design_motion_insert(body, time))
				return lm_fail_memory(error);
			lm_design_frame* frame = frame_at(t, time);
			frame->broken |= key->broken && !key->via;
			if (key->via && !frame->fixed && key->count == 0)
				memcpy(frame->y, key->positions, 3 * n * sizeof(double));
			lm_design_motion_pin(body, frame);
		}
	}
	return LM_OK;
}

static lm_status check_velocity(const lm_design_motion* motion, int32_t b, const lm_design_motion_velocity* v,
                                int32_t index, lm_error* error)
{
	double seconds = motion->settings.seconds;
	if (!(v->time >= 0) || v->time > seconds * (1 + 1e-9) || !lm_finite(lm_v3_at(v->linear, 0)) ||
	    !lm_finite(lm_v3_at(v->angular, 0)))
		return lm_fail(error, LM_BAD_INPUT,
		               "object %d: velocity %d must be finite and its time (%g s) between 0 and %g", b, index, v->time,
		               seconds);
	if (v->count < 0 || (v->count > 0 && v->nodes == NULL))
		return lm_fail(error, LM_BAD_INPUT, "object %d: velocity %d has a count without nodes", b, index);
	for (int32_t k = 0; k < v->count; ++k)
		if (v->nodes[k] < 0 || v->nodes[k] >= motion->bodies[b].node_count)
			return lm_fail(error, LM_BAD_INPUT, "object %d: velocity %d names node %d, there are %d", b, index,
			               v->nodes[k], motion->bodies[b].node_count);
	return LM_OK;
}

// Whether a velocity can be prescribed at a frame beside what is there already.
static bool is_free(const lm_design_frame* frame, const lm_design_motion_velocity* v)
{
	if (v->count == 0)
		return !frame->has_velocity && !frame->still;
	bool free = !frame->still && frame->slope == NULL;
	for (int32_t p = 0; p < frame->part_count; ++p)
		for (int32_t k = 0; k < frame->parts[p].count; ++k)
			for (int32_t l = 0; l < v->count; ++l)
				free &= frame->parts[p].nodes[k] != v->nodes[l];
	return free;
}

static lm_status add_velocities(lm_design_motion* motion, int32_t b, const lm_design_motion_object* object,
                                lm_error* error)
{
	lm_design_motion_body* body = &motion->bodies[b];
	double seconds = motion->settings.seconds;
	for (int32_t k = 0; k < object->velocity_count; ++k)
	{
		const lm_design_motion_velocity* v = &object->velocities[k];
		if (check_velocity(motion, b, v, k, error) != LM_OK)
			return LM_BAD_INPUT;
		lm_vec3 linear = lm_scale(seconds / body->size, lm_v3_at(v->linear, 0));
		lm_vec3 spin = lm_scale(seconds, lm_v3_at(v->angular, 0));
		double time = fmin(v->time / seconds, 1);
		lm_design_timeline_fit(&body->timeline);
		if (frame_at(&body->timeline, time) == NULL && !lm_design_motion_insert(body, time))
			return lm_fail_memory(error);
		lm_design_frame* frame = frame_at(&body->timeline, time);
		if (!is_free(frame, v))
			return lm_fail(error, LM_BAD_INPUT, "object %d: velocity %d at %g s contradicts another one, or a held key",
			               b, k, v->time);
		if (v->count > 0)
		{
			if (!lm_design_timeline_add_part(&body->timeline, frame, v->count, v->nodes, linear, spin))
				return lm_fail_memory(error);
			continue;
		}
		frame->has_velocity = true;
		frame->velocity = linear, frame->spin = spin;
	}
	return LM_OK;
}

// How deep the points of the body are in which obstacle at a key.
static void look_into(const lm_design_motion* motion, const lm_design_motion_body* body,
                      const lm_design_motion_key* key, lm_obstacles* obstacles, lm_design_motion_depth* found)
{
	const lm_design_rows* rows = body->points;
	lm_design_motion_near near;
	lm_obstacles_set_time(obstacles, lm_design_motion_seconds(motion, key->time));
	lm_design_motion_find_near(motion, body, obstacles->items, key->positions, &near);
	*found = (lm_design_motion_depth){ .collider = -1 };
	for (int32_t p = 0; p < rows->count; ++p)
	{
		lm_vec3 x = { 0, 0, 0 }, normal;
		for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
			x = lm_add_scaled(x, rows->phi[e], lm_v3_at(key->positions, rows->node[e]));
		for (int32_t n = 0; n < near.count; ++n)
		{
			const lm_design_motion_near one = { .count = 1, .collider = { near.collider[n] } };
			double depth = -lm_design_motion_obstacle_distance(body, obstacles->items, &one, x, 0.01, &normal);
			if (depth > found->depth)
				*found = (lm_design_motion_depth){ .depth = depth, .collider = one.collider[0] };
		}
	}
}

lm_status lm_design_motion_find_key_depths(const lm_design_motion* motion, int32_t b, lm_design_motion_depth* found,
                                           lm_error* error)
{
	const lm_design_motion_body* body = &motion->bodies[b];
	lm_obstacles obstacles;
	bool good = lm_obstacles_create(motion->colliders, &motion->host, &obstacles);
	for (int32_t k = 0; good && k < body->key_count; ++k)
	{
		found[k] = (lm_design_motion_depth){ .collider = -1 };
		if (is_whole(&body->keys[k]) && obstacles.count > 0)
			look_into(motion, body, &body->keys[k], &obstacles, &found[k]);
		if (found[k].depth <= LM_MOTION_TOUCHING)
			found[k].collider = -1;
		found[k].depth *= body->size;
	}
	lm_obstacles_release(&obstacles);
	return good ? LM_OK : lm_fail_memory(error);
}

// A key in an obstacle cannot be mended by any motion.
static lm_status check_obstacles(const lm_design_motion* motion, int32_t b, lm_error* error)
{
	const lm_design_motion_body* body = &motion->bodies[b];
	lm_design_motion_depth* found = LM_NEW(&motion->host, body->key_count, lm_design_motion_depth);
	lm_status status =
		found != NULL ? lm_design_motion_find_key_depths(motion, b, found, error) : lm_fail_memory(error);
	for (int32_t k = 0; status == LM_OK && k < body->key_count; ++k)
		if (found[k].collider >= 0)
			status = lm_fail(error, LM_BAD_INPUT,
			                 "object %d: key %d at %g s is %.3g m inside an obstacle; move it out, for a motion has to "
			                 "pass through its keys",
			                 b, k, body->keys[k].time * motion->settings.seconds, found[k].depth);
	lm_free(&motion->host, found);
	return status;
}

lm_status lm_design_motion_keep_keys(lm_design_motion* motion, int32_t b, const lm_design_motion_object* object,
                                     lm_error* error)
{
	lm_design_motion_body* body = &motion->bodies[b];
	body->keys = LM_NEW(&motion->host, object->key_count, lm_design_motion_key);
	lm_status status = body->keys != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t k = 0; status == LM_OK && k < object->key_count; ++k)
	{
		status = check_key(motion, b, &object->keys[k], k, error);
		if (status == LM_OK)
			status = keep_key(motion, body, &object->keys[k], error);
	}
	return status;
}

lm_status lm_design_motion_take_keys(lm_design_motion* motion, int32_t b, const lm_design_motion_object* object,
                                     lm_error* error)
{
	lm_design_motion_body* body = &motion->bodies[b];
	lm_status status = lm_design_check_item(&lm_design_motion_object_table, object, "object", b, error);
	if (status == LM_OK)
		status = lm_design_motion_keep_keys(motion, b, object, error);
	if (status == LM_OK)
		status = check_contradictions(motion, b, error);
	if (status == LM_OK)
		status = check_obstacles(motion, b, error);
	if (status == LM_OK)
		status = add_whole_keys(body, b, error);
	if (status == LM_OK)
		status = add_other_keys(body, error);
	if (status == LM_OK)
		status = add_velocities(motion, b, object, error);
	if (status == LM_OK)
		lm_design_timeline_fit(&body->timeline);
	body->key_frames = body->timeline.count;
	return status;
}

double lm_design_motion_key_error(const lm_design_motion_body* body)
{
	double worst = 0, *z = body->scratch;
	for (int32_t k = 0; k < body->key_count; ++k)
	{
		const lm_design_motion_key* key = &body->keys[k];
		for (int step = 0; step <= 4 && !key->via; ++step)
		{
			lm_design_instant in =
				lm_design_timeline_at(&body->timeline, key->time + 0.25 * step * (key->end - key->time));
			lm_design_timeline_nodes(&body->timeline, &in, z, NULL);
			for (int32_t i = 0; i < (key->count > 0 ? key->count : body->node_count); ++i)
			{
				int32_t node = key->count > 0 ? key->nodes[i] : i;
				worst = fmax(worst, lm_distance(lm_v3_at(z, node), lm_v3_at(key->positions, i)));
			}
		}
	}
	return worst;
}
