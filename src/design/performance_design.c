// performance_design.c: designed parts. Those of different objects that begin at the same time are found together; who
// is on the way already goes on as planned, and the others keep off. A part that follows a simulated one has a first
// key: the state in which the simulation ends, with the velocities of all nodes (Sec. 7.2).
#include "design/performance.h"

#include "base/alloc.h"
#include "base/error.h"
#include "design/state.h"

#include <string.h>

static bool begins(const lm_design_performer* performer, double time)
{
	return performer->parts[performer->part].designed &&
	       fabs(performer->parts[performer->part].begin - time) < LM_SAME_TIME;
}

// The state at the beginning of a part, in metres, as a key.
static lm_design_motion_key state_key(lm_design_performer* performer, double time)
{
	int32_t n = performer->object->motion.model->node_count;
	lm_design_course_nodes(&performer->course, time, performer->state, performer->state + 3 * (size_t)n);
	return (lm_design_motion_key){ .positions = performer->state, .velocities = performer->state + 3 * (size_t)n };
}

static lm_status take_keys(lm_design_performance* p, int32_t o, double time, lm_design_motion_object* made,
                           lm_error* error)
{
	lm_design_performer* performer = &p->performers[o];
	const lm_design_part* part = &performer->parts[performer->part];
	const lm_design_motion_object* m = &performer->object->motion;
	*made = *m;
	made->from = 0, made->until = part->end - time;
	made->keys = performer->keys, made->key_count = 0;
	lm_design_motion_velocity* velocities = LM_NEW(&p->host, m->velocity_count, lm_design_motion_velocity);
	made->velocities = velocities, made->velocity_count = 0;
	if (velocities == NULL)
		return lm_fail_memory(error);
	if (performer->part > 0)
		performer->keys[made->key_count++] = state_key(performer, time);
	for (int32_t k = 0; k < m->key_count; ++k)
	{
		if (!lm_design_part_has(part, &m->keys[k]))
			continue;
		lm_design_motion_key* key = &performer->keys[made->key_count++];
		*key = m->keys[k];
		key->end = key->end > key->time ? fmin(key->end, part->end) - time : 0;
		key->time -= time;
	}
	for (int32_t k = 0; k < m->velocity_count; ++k)
		if (m->velocities[k].time > part->begin - LM_SAME_TIME && m->velocities[k].time < part->end + LM_SAME_TIME)
		{
			velocities[made->velocity_count] = m->velocities[k];
			velocities[made->velocity_count++].time -= time;
		}
	return LM_OK;
}

// An object that is not designed here, as a moving obstacle: keys at the frame rate, where it will be.
static lm_status add_bystander(lm_design_performance* p, int32_t o, double time, double seconds,
                               lm_design_motion_object* made, double** memory, lm_error* error)
{
	lm_design_performer* performer = &p->performers[o];
	const lm_design_model* model = performer->object->motion.model;
	double left = fmin(performer->parts[performer->part].end - time, seconds);
	int32_t count = 1 + (int32_t)fmin(ceil(left * p->settings.motion.fps), 2000);
	size_t n = 3 * (size_t)model->node_count;
	*made = lm_design_motion_object_default();
	made->model = model;
	lm_design_motion_key* keys = LM_NEW(&p->host, count, lm_design_motion_key);
	made->keys = keys, made->frames = count > 2 ? count : 2, made->until = left;
	double* nodes = *memory = LM_NEW(&p->host, n * (size_t)count, double);
	if (keys == NULL || nodes == NULL)
		return lm_fail_memory(error);
	for (int32_t k = 0; k < count; ++k)
	{
		double t = count > 1 ? left * k / (count - 1) : 0;
		lm_design_course_nodes(&performer->course, time + t, nodes + n * (size_t)k, NULL);
		keys[k] = (lm_design_motion_key){ .time = t, .positions = nodes + n * (size_t)k };
	}
	made->key_count = count;
	return LM_OK;
}

static void add_report(lm_design_motion_report* to, const lm_design_motion_report* r)
{
	to->variables += r->variables, to->frames_inserted += r->frames_inserted;
	to->rounds += r->rounds, to->iterations += r->iterations, to->evaluations += r->evaluations;
	to->energy += r->energy, to->seconds += r->seconds;
	to->key_error = fmax(to->key_error, r->key_error);
	to->obstacle_depth = fmax(to->obstacle_depth, r->obstacle_depth);
	to->pair_depth = fmax(to->pair_depth, r->pair_depth);
}

// The group as objects of one motion, bystanders after it.
typedef struct cast
{
	int32_t count, group; // the first `group` are those that begin
	int32_t* who;
	lm_design_motion_object* objects;
	double** memory;
} cast;

static lm_status gather_cast(lm_design_performance* p, double time, double seconds, cast* c, lm_error* error)
{
	lm_status status = LM_OK;
	for (int pass = 0; pass < 2; ++pass)
		for (int32_t o = 0; status == LM_OK && o < p->count; ++o)
		{
			const lm_design_performer* performer = &p->performers[o];
			if (pass == 0 ? !begins(performer, time)
			              : begins(performer, time) || !performer->parts[performer->part].designed)
				continue;
			int32_t k = c->count++;
			c->who[k] = o;
			c->group += pass == 0;
			status = pass == 0 ? take_keys(p, o, time, &c->objects[k], error)
			                   : add_bystander(p, o, time, seconds, &c->objects[k], &c->memory[k], error);
		}
	return status;
}

static void release_cast(lm_design_performance* p, cast* c)
{
	for (int32_t k = 0; c->objects != NULL && k < c->count; ++k)
	{
		lm_free(&p->host, (void*)(k < c->group ? (const void*)c->objects[k].velocities : c->objects[k].keys));
		lm_free(&p->host, c->memory[k]);
	}
	lm_free(&p->host, c->who);
	lm_free(&p->host, c->objects);
	lm_free(&p->host, c->memory);
}

static lm_status solve(lm_design_performance* p, double time, double seconds, const cast* c, lm_error* error)
{
	lm_design_motion* motion = NULL;
	lm_design_motion_settings settings = p->settings.motion;
	settings.seconds = seconds;
	lm_status status = lm_design_motion_create(c->objects, c->count, p->colliders, p->start + time, &settings, &p->host,
	                                           &motion, error);
	if (status == LM_BAD_INPUT && error != NULL && error->element >= 0)
		error->element = c->who[error->element]; // as the caller counts
	if (status == LM_OK)
		status = lm_design_motion_solve(motion, error);
	for (int32_t k = 0; status == LM_OK && k < c->group; ++k)
	{
		lm_design_performer* performer = &p->performers[c->who[k]];
		const lm_design_part* part = &performer->parts[performer->part];
		lm_design_motion_report report = lm_design_motion_object_report(motion, k);
		if (p->dynamic) // checked as it is played
			report.obstacle_depth = report.pair_depth = report.key_error = 0;
		lm_design_course_piece* piece = lm_design_course_add(&performer->course, part->begin, part->end, true);
		if (piece == NULL)
		{
			status = lm_fail_memory(error);
			break;
		}
		piece->seconds = seconds;
		add_report(&performer->report.motion, &report);
		p->report.motion.variables += report.variables;
		p->report.motion.frames_inserted += report.frames_inserted;
		status = lm_design_motion_take_timeline(motion, k, &p->host, &piece->timeline, error);
	}
	if (status == LM_OK)
	{
		lm_design_motion_report all = lm_design_motion_get_report(motion);
		all.variables = all.frames_inserted = 0; // of the group, above
		if (p->dynamic)
			all.obstacle_depth = all.pair_depth = all.key_error = 0;
		add_report(&p->report.motion, &all);
	}
	lm_design_motion_destroy(motion);
	return status;
}

// ---- secondary motion of those that want it ---------------------------------------------------------------------

static lm_status add_secondary(lm_design_performance* p, double time, const cast* c, lm_error* error)
{
	lm_design_secondary* all = LM_NEW(&p->host, c->group, lm_design_secondary);
	const lm_design_course** bystanders = LM_NEW(&p->host, p->count, const lm_design_course*);
	lm_status status = all != NULL && bystanders != NULL ? LM_OK : lm_fail_memory(error);
	int32_t count = 0;
	for (int32_t k = 0; status == LM_OK && k < c->count; ++k)
	{
		lm_design_performer* performer = &p->performers[c->who[k]];
		const lm_design_dynamics* d = &performer->object->dynamics;
		bystanders[c->who[k]] = &performer->course;
		if (k >= c->group || !(d->secondary > 0))
			continue;
		bystanders[c->who[k]] = NULL;
		all[count++] = (lm_design_secondary){ .body = c->who[k],
			                                  .amount = d->secondary,
			                                  .frequency = d->frequency,
			                                  .piece = &performer->course.pieces[performer->course.count - 1],
			                                  .key_count = c->objects[k].key_count,
			                                  .keys = performer->keys };
		for (int32_t j = 0; j < c->objects[k].key_count; ++j) // back to the clock of the whole
		{
			performer->keys[j].time += time;
			performer->keys[j].end = fmax(performer->keys[j].end + time, performer->keys[j].time);
		}
	}
	if (status == LM_OK && count > 0)
		status = lm_design_secondary_add(p->sim, all, count, bystanders, time, p->settings.rate, error);
	lm_free(&p->host, all);
	lm_free(&p->host, bystanders);
	return status;
}

lm_status lm_design_performance_design(lm_design_performance* p, double time, lm_error* error)
{
	double seconds = 0;
	for (int32_t o = 0; o < p->count; ++o)
		if (begins(&p->performers[o], time))
			seconds = fmax(seconds, p->performers[o].parts[p->performers[o].part].end - time);
	if (!(seconds > 0))
		return LM_OK;
	cast c = { .who = LM_NEW(&p->host, p->count, int32_t),
		       .objects = LM_NEW(&p->host, p->count, lm_design_motion_object),
		       .memory = LM_NEW(&p->host, p->count, double*) };
	lm_status status = c.who != NULL && c.objects != NULL && c.memory != NULL ? LM_OK : lm_fail_memory(error);
	if (status == LM_OK)
		status = gather_cast(p, time, seconds, &c, error);
	if (status == LM_OK)
		status = solve(p, time, seconds, &c, error);
	if (status == LM_OK)
		status = add_secondary(p, time, &c, error);
	release_cast(p, &c);
	return status;
}
