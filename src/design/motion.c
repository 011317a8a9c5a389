// motion.c: making motions, and reading them.
#include "design/motion.h"

#include "base/alloc.h"
#include "base/error.h"
#include "design/motion_keys.h"
#include "design/motion_pairs.h"
#include "design/settings.h"

#include <string.h>

lm_design_motion_object lm_design_motion_object_default(void)
{
	lm_design_motion_object object;
	lm_table_defaults(&lm_design_motion_object_table, &object);
	return object;
}

lm_design_motion_settings lm_design_motion_settings_default(void)
{
	lm_design_motion_settings settings;
	lm_table_defaults(&lm_design_motion_table, &settings);
	return settings;
}

// ---- what models share ------------------------------------------------------------------------------------------

// Vertices of the surface that stand for it when it keeps off things: each the farthest from those before it.
static lm_status choose_points(const lm_design_model* m, int32_t most, const lm_host* host, lm_design_rows* rows,
                               lm_error* error)
{
	int32_t vertices = m->surface->vertex_count;
	int32_t count = most < vertices ? most : vertices;
	double* far = LM_NEW(host, vertices, double);
	double* places = LM_NEW(host, 3 * (size_t)count, double);
	lm_status status = far != NULL && places != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t v = 0; status == LM_OK && v < vertices; ++v)
		far[v] = INFINITY;
	int32_t next = m->surface->triangles[0];
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
	{
		lm_vec3 x = lm_v3_at(m->surface->positions, next);
		lm_v3_store(places, k, x);
		int32_t best = 0;
		for (int32_t v = 0; v < vertices; ++v)
		{
			lm_vec3 r = lm_sub(lm_v3_at(m->surface->positions, v), x);
			far[v] = fmin(far[v], lm_dot(r, r));
			best = far[v] > far[best] ? v : best;
		}
		next = best;
	}
	if (status == LM_OK)
		status = lm_design_rows_create(m, places, count, false, host, rows, error);
	lm_free(host, far);
	lm_free(host, places);
	return status;
}

// per_node: points on the surface for each node, up to 60 times as many. Among others there are more of them where the
// margin is small: what two round bodies are in each other between points has to be less than a third of it, or so.
static lm_status share_models(lm_design_motion* motion, const lm_design_motion_object* objects, int32_t per_node,
                              lm_error* error)
{
	const lm_host* host = &motion->host;
	double asked = motion->count > 1 ? 4 * fmin(0.06 / motion->settings.margin, 3) : 0;
	motion->points = LM_NEW(host, motion->count, lm_design_rows);
	motion->fields = LM_NEW(host, motion->count, lm_design_field);
	motion->outlines = LM_NEW(host, motion->count, lm_design_outline);
	if (motion->points == NULL || motion->fields == NULL || motion->outlines == NULL)
		return lm_fail_memory(error);
	for (int32_t b = 0; b < motion->count; ++b)
	{
		int32_t same = 0;
		while (same < motion->model_count && motion->fields[same].model != objects[b].model)
			++same;
		if (same == motion->model_count)
		{
			int32_t most = (int32_t)(fmax(per_node, asked) * fmin(objects[b].model->node_count, 60));
			lm_status status = choose_points(objects[b].model, most, host, &motion->points[same], error);
			motion->fields[same].model = objects[b].model;
			motion->model_count += 1;
			if (status == LM_OK && motion->count > 1)
				status = lm_design_field_create(objects[b].model, host, &motion->fields[same], error);
			if (status == LM_OK && motion->count > 1)
				status = lm_design_outline_create(objects[b].model, &motion->fields[same], &motion->points[same], host,
				                                  &motion->outlines[same], error);
			if (status != LM_OK)
				return status;
		}
		motion->bodies[b].points = &motion->points[same];
		motion->bodies[b].field = motion->count > 1 ? &motion->fields[same] : NULL;
		motion->bodies[b].outline = motion->count > 1 ? &motion->outlines[same] : NULL;
	}
	return LM_OK;
}

static lm_status make_body(lm_design_motion* motion, lm_design_motion_body* body, const lm_design_motion_object* object,
                           lm_error* error)
{
	const lm_design_model* m = object->model;
	body->timeline = (lm_design_timeline){ .host = motion->host, .model = m, .linear = object->linear };
	body->node_count = m->node_count;
	body->budget = object->linear ? 0 : object->frames; // between its keys nothing is to be found
	body->from = object->from / motion->settings.seconds;
	body->until = object->until > object->from ? object->until / motion->settings.seconds : INFINITY;
	body->size = m->size;
	body->center = m->center;
	for (int32_t v = 0; v < m->surface->vertex_count; ++v)
		body->radius = fmax(body->radius, lm_distance(m->middle, lm_v3_at(m->surface->positions, v)));
	body->scratch = LM_NEW(&motion->host, 6 * (size_t)m->node_count, double);
	return body->scratch != NULL ? LM_OK : lm_fail_memory(error);
}

// Bodies without keys.
static lm_status gather(const lm_design_motion_object* objects, int32_t count, const lm_colliders* colliders,
                        double start, const lm_design_motion_settings* settings, int32_t per_node, const lm_host* host,
                        lm_design_motion** result, lm_error* error)
{
	lm_design_motion* motion = *result = LM_NEW(host, 1, lm_design_motion);
	if (motion == NULL)
		return lm_fail_memory(error);
	*motion = (lm_design_motion){ .host = *host,
		                          .settings = *settings,
		                          .start = start,
		                          .count = count,
		                          .colliders = colliders,
		                          .obstacles = settings->obstacles,
		                          .objects = settings->objects };
	// every tenth of a frame at most, as often as the check of the result looks
	lm_obstacle_moments_begin(colliders, 0.1 / settings->fps, settings->seconds, host, &motion->shapes);
	motion->bodies = LM_NEW(host, count, lm_design_motion_body);
	lm_status status = motion->bodies != NULL ? share_models(motion, objects, per_node, error) : lm_fail_memory(error);
	for (int32_t b = 0; status == LM_OK && b < count; ++b)
		status = make_body(motion, &motion->bodies[b], &objects[b], error);
	return status;
}

// Either all of it, or nothing.
static lm_status hand_out(lm_status status, lm_design_motion* motion, lm_design_motion** result)
{
	if (status == LM_OK)
		*result = motion;
	else
		lm_design_motion_destroy(motion);
	return status;
}

lm_status lm_design_motion_create(const lm_design_motion_object* objects, int32_t count, const lm_colliders* colliders,
                                  double start, const lm_design_motion_settings* settings, const lm_host* host,
                                  lm_design_motion** result, lm_error* error)
{
	lm_status status = lm_table_check(&lm_design_motion_table, settings, error);
	if (status != LM_OK)
		return status;
	if (count < 1)
		return lm_fail(error, LM_BAD_INPUT, "a motion needs at least one object");
	for (int32_t b = 0; b < count; ++b)
		if (objects[b].model == NULL || (objects[b].key_count > 0 && objects[b].keys == NULL))
			return lm_fail(error, LM_BAD_INPUT, "object %d has no model, or keys that are NULL", b);
	lm_design_motion* motion = NULL;
	status = gather(objects, count, colliders, start, settings, 4, host, &motion, error);
	for (int32_t b = 0; status == LM_OK && b < count; ++b)
	{
		status = lm_design_motion_take_keys(motion, b, &objects[b], error);
		if (status == LM_BAD_INPUT && error != NULL)
			error->element = b;
	}
	return hand_out(status, motion, result);
}

lm_status lm_design_motion_key_depths(const lm_design_motion_object* object, const lm_colliders* colliders,
                                      double start, const lm_design_motion_settings* settings, const lm_host* host,
                                      lm_design_motion_depth* found, lm_error* error)
{
	lm_design_motion* motion = NULL;
	lm_status status = gather(object, 1, colliders, start, settings, 4, host, &motion, error);
	if (status == LM_OK)
		status = lm_design_motion_keep_keys(motion, 0, object, error);
	if (status == LM_OK)
		status = lm_design_motion_find_key_depths(motion, 0, found, error);
	lm_design_motion_destroy(motion);
	return status;
}

lm_status lm_design_motion_create_stage(const lm_design_motion_object* objects, int32_t count,
                                        const lm_colliders* colliders, double start,
                                        const lm_design_motion_settings* settings, const lm_host* host,
                                        lm_design_motion** result, lm_error* error)
{
	lm_design_motion* motion = NULL;
	lm_status status = gather(objects, count, colliders, start, settings, 12, host, &motion, error);
	if (status == LM_OK)
		motion->pairs = LM_NEW(host, 1, lm_design_motion_pairs);
	if (status == LM_OK && motion->pairs != NULL)
		motion->pairs->first = LM_NEW(host, (size_t)count + 1, int64_t);
	if (status == LM_OK && (motion->pairs == NULL || motion->pairs->first == NULL))
		status = lm_fail_memory(error);
	for (int32_t b = 0; status == LM_OK && b < count; ++b)
		motion->pairs->first[b + 1] = motion->pairs->first[b] + 3 * (int64_t)motion->bodies[b].node_count;
	return hand_out(status, motion, result);
}

static void release_body(lm_design_motion_body* body, const lm_host* host)
{
	lm_design_timeline_release(&body->timeline);
	for (int32_t k = 0; body->keys != NULL && k < body->key_count; ++k)
	{
		lm_free(host, (void*)body->keys[k].nodes);
		lm_free(host, (void*)body->keys[k].positions);
		lm_free(host, (void*)body->keys[k].velocities);
	}
	lm_free(host, body->keys);
	lm_free(host, body->slot);
	lm_free(host, body->moments);
	lm_free(host, body->obstacles);
	lm_free(host, body->obstacle_contacts);
	lm_free(host, body->coupling);
	lm_free(host, body->scratch);
	lm_design_band_release(&body->metric);
}

void lm_design_motion_destroy(lm_design_motion* motion)
{
	if (motion == NULL)
		return;
	const lm_host host = motion->host;
	lm_design_motion_pairs_release(motion);
	for (int32_t b = 0; motion->bodies != NULL && b < motion->count; ++b)
		release_body(&motion->bodies[b], &host);
	lm_obstacle_moments_release(&motion->shapes);
	for (int32_t k = 0; k < motion->model_count; ++k)
	{
		lm_design_rows_release(&motion->points[k], &host);
		lm_design_field_release(&motion->fields[k], &host);
		if (motion->outlines != NULL)
			lm_design_outline_release(&motion->outlines[k], &host);
	}
	lm_free(&host, motion->points);
	lm_free(&host, motion->fields);
	lm_free(&host, motion->outlines);
	lm_free(&host, motion->bodies);
	lm_free(&host, motion->x);
	lm_free(&host, motion->work);
	lm_free(&host, motion);
}

// ---- reading ----------------------------------------------------------------------------------------------------

lm_design_motion_report lm_design_motion_get_report(const lm_design_motion* motion)
{
	return motion->report;
}

lm_design_motion_report lm_design_motion_object_report(const lm_design_motion* motion, int32_t object)
{
	const lm_design_motion_body* body = &motion->bodies[object];
	lm_design_motion_report report = motion->report;
	report.variables = 3 * (int64_t)body->node_count * body->timeline.count;
	report.frames_inserted = body->timeline.count - body->key_frames;
	report.key_error = body->key_error;
	report.obstacle_depth = body->obstacle_depth;
	report.pair_depth = body->pair_depth;
	return report;
}

void lm_design_motion_nodes(const lm_design_motion* motion, int32_t object, double time, double* nodes,
                            double* velocities)
{
	const lm_design_motion_body* body = &motion->bodies[object];
	lm_design_instant in = lm_design_timeline_at(&body->timeline, time / motion->settings.seconds);
	lm_design_timeline_nodes(&body->timeline, &in, nodes, velocities);
	for (int32_t i = 0; i < body->node_count; ++i)
	{
		lm_v3_store(nodes, i, lm_add_scaled(body->center, body->size, lm_v3_at(nodes, i)));
		if (velocities != NULL)
			lm_v3_store(velocities, i, lm_scale(body->size / motion->settings.seconds, lm_v3_at(velocities, i)));
	}
}

int32_t lm_design_motion_frame_count(const lm_design_motion* motion, int32_t object)
{
	return motion->bodies[object].timeline.count;
}

double lm_design_motion_frame_time(const lm_design_motion* motion, int32_t object, int32_t frame)
{
	return motion->bodies[object].timeline.frames[frame].time * motion->settings.seconds;
}
