// performance_check.c: what came out, as it is played: secondary motion and simulated parts included.
#include "design/performance.h"

#include "base/alloc.h"
#include "base/error.h"

// Largest distance of a node from its keys up to a time, own lengths.
static double key_error(const lm_design_performer* performer, double until, double* y)
{
	const lm_design_motion_object* m = &performer->object->motion;
	const lm_design_model* model = m->model;
	double worst = 0;
	for (int32_t k = 0; k < m->key_count; ++k)
		for (int look = 0; look <= 4 && !m->keys[k].via; ++look)
		{
			const lm_design_motion_key* key = &m->keys[k];
			double end = fmin(fmax(key->end, key->time), until);
			if (key->time > until + LM_SAME_TIME)
				break;
			lm_design_course_at(&performer->course, key->time + 0.25 * look * (end - key->time), y, NULL);
			for (int32_t i = 0; i < (key->count > 0 ? key->count : model->node_count); ++i)
			{
				int32_t node = key->count > 0 ? key->nodes[i] : i;
				lm_vec3 wanted = lm_scale(1 / model->size, lm_sub(lm_v3_at(key->positions, i), model->center));
				worst = fmax(worst, lm_distance(lm_v3_at(y, node), wanted));
			}
		}
	return worst;
}

// Deepest that some thousands of vertices of a surface are in colliders, own lengths.
static double depth_in_colliders(const lm_design_performance* p, int32_t o, const lm_obstacle* obstacles,
                                 const double* y)
{
	const lm_design_motion_body* body = &p->stage->bodies[o];
	const lm_design_rows* rows = &body->timeline.model->skin;
	int32_t stride = 1 + rows->count / 3000;
	double deepest = 0;
	lm_design_motion_near near;
	lm_design_motion_find_near(p->stage, body, obstacles, y, &near);
	for (int32_t v = 0; near.count > 0 && v < rows->count; v += stride)
	{
		lm_vec3 x = { 0, 0, 0 }, normal;
		for (int64_t e = rows->start[v]; e < rows->start[v + 1]; ++e)
			x = lm_add_scaled(x, rows->phi[e], lm_v3_at(y, rows->node[e]));
		deepest = fmax(deepest, -lm_design_motion_obstacle_distance(body, obstacles, &near, x, 0.001, &normal));
	}
	return deepest;
}

static lm_status check_moment(lm_design_performance* p, double time, lm_obstacles* obstacles,
                              lm_design_pair_contacts* contacts, lm_error* error)
{
	lm_obstacles_set_time(obstacles, p->start + time);
	for (int32_t o = 0; o < p->count; ++o)
	{
		double *y = p->sim->z + p->stage->pairs->first[o], *deepest = &p->performers[o].report.motion.obstacle_depth;
		p->stage->bodies[o].from = 0;
		lm_design_course_at(&p->performers[o].course, time, y, NULL);
		if (obstacles->count > 0)
			*deepest = fmax(*deepest, depth_in_colliders(p, o, obstacles->items, y));
	}
	if (p->count > 1 && !lm_design_find_pair_contacts(p->stage, 0, p->sim->z, 0, contacts))
		return lm_fail_memory(error);
	for (size_t k = 0; k < contacts->count && p->count > 1; ++k)
	{
		const lm_design_pair_contact* t = &contacts->touches[k];
		double size_a = p->stage->bodies[t->a].size, size_b = p->stage->bodies[t->b].size;
		double *a = &p->performers[t->a].report.motion.pair_depth, *b = &p->performers[t->b].report.motion.pair_depth;
		*a = fmax(*a, t->depth * size_b / size_a), *b = fmax(*b, t->depth);
	}
	return LM_OK;
}

static void take_worst(lm_design_performance* p)
{
	lm_design_motion_report* all = &p->report.motion;
	all->key_error = all->obstacle_depth = all->pair_depth = 0;
	for (int32_t o = 0; o < p->count; ++o)
	{
		const lm_design_motion_report* own = &p->performers[o].report.motion;
		all->key_error = fmax(all->key_error, own->key_error);
		all->obstacle_depth = fmax(all->obstacle_depth, own->obstacle_depth);
		all->pair_depth = fmax(all->pair_depth, own->pair_depth);
	}
}

lm_status lm_design_performance_check(lm_design_performance* p, double until, lm_error* error)
{
	const lm_design_motion_settings* s = &p->settings.motion;
	int64_t moments = (int64_t)ceil(10 * s->fps * s->seconds);
	lm_obstacles obstacles;
	lm_status status = lm_obstacles_create(p->colliders, &p->host, &obstacles) ? LM_OK : lm_fail_memory(error);
	for (int32_t o = 0; o < p->count && p->moments == 0; ++o) // those of the motions, without what is simulated
		p->performers[o].report.motion.obstacle_depth = p->performers[o].report.motion.pair_depth = 0;
	for (; status == LM_OK && p->moments <= moments; ++p->moments)
	{
		double time = s->seconds * (double)p->moments / (double)moments;
		if (time > until + LM_SAME_TIME)
			break;
		status = check_moment(p, time, &obstacles, &p->sim->contacts, error);
	}
	take_worst(p);
	lm_obstacles_release(&obstacles);
	return status;
}

void lm_design_performance_check_keys(lm_design_performance* p, double until)
{
	for (int32_t o = 0; o < p->count; ++o)
		p->performers[o].report.motion.key_error = key_error(&p->performers[o], until, p->sim->z);
	take_worst(p);
}
