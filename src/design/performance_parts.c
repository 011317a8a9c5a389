// performance_parts.c: what is designed and what is simulated when.
#include "design/performance.h"

#include "base/alloc.h"
#include "base/error.h"
#include "design/settings.h"

bool lm_design_part_has(const lm_design_part* part, const lm_design_motion_key* key)
{
	// a key where simulation begins is the last of what was designed before
	return part->designed && key->time > part->begin - LM_SAME_TIME && key->time < part->end + LM_SAME_TIME;
}

static lm_status check_simulated(const lm_design_performance* p, int32_t o, lm_error* error)
{
	const lm_design_performance_object* object = p->performers[o].object;
	double seconds = p->settings.motion.seconds, last = -1;
	for (int32_t k = 0; k < object->simulated_count; ++k)
	{
		const lm_design_simulated* s = &object->simulated[k];
		if (!(s->from >= 0) || !(s->until > s->from + 1e-6) || s->from > seconds - 1e-6)
			return lm_fail(error, LM_BAD_INPUT,
			               "object %d: it is simulated from %g to %g s, must be a time within 0 and %g s", o, s->from,
			               s->until, seconds);
		if (s->from <= last)
			return lm_fail(error, LM_BAD_INPUT,
			               "object %d: it is simulated from %g s, but the time before lasts until %g s; make it one", o,
			               s->from, last);
		last = s->until;
	}
	return LM_OK;
}

// Keys are not allowed while an object is simulated, nor at the moment when that ends.
static lm_status check_moment(int32_t o, const char* what, int32_t index, double from, double until,
                              const lm_design_simulated* s, lm_error* error)
{
	if (from < s->until + LM_SAME_TIME && until > s->from + LM_SAME_TIME)
		return lm_fail(error, LM_BAD_INPUT,
		               "object %d: %s %d at %g s lies in the time from %g to %g s in which it is simulated; move it "
		               "after that, for the way there starts from where the simulation ends",
		               o, what, index, from, s->from, s->until);
	return LM_OK;
}

static lm_status check_keys(const lm_design_performance* p, int32_t o, lm_error* error)
{
	const lm_design_performance_object* object = p->performers[o].object;
	const lm_design_motion_object* m = &object->motion;
	lm_status status = LM_OK;
	for (int32_t s = 0; s < object->simulated_count; ++s)
	{
		for (int32_t k = 0; status == LM_OK && k < m->key_count; ++k)
			status = check_moment(o, "key", k, m->keys[k].time, fmax(m->keys[k].time, m->keys[k].end),
			                      &object->simulated[s], error);
		for (int32_t k = 0; status == LM_OK && k < m->velocity_count; ++k)
			status = check_moment(o, "velocity", k, m->velocities[k].time, m->velocities[k].time, &object->simulated[s],
			                      error);
	}
	return status;
}

static lm_status check_designed(const lm_design_performance* p, int32_t o, lm_error* error)
{
	const lm_design_performer* performer = &p->performers[o];
	const lm_design_motion_object* m = &performer->object->motion;
	for (int32_t k = 0; k < performer->part_count; ++k)
	{
		bool found = !performer->parts[k].designed;
		for (int32_t j = 0; j < m->key_count && !found; ++j)
			found = lm_design_part_has(&performer->parts[k], &m->keys[j]) && m->keys[j].count == 0 && !m->keys[j].via;
		if (!found)
			return lm_fail(error, LM_BAD_INPUT,
			               "object %d has no key of the whole object between %g and %g s; give it one, or let it be "
			               "simulated until the end",
			               o, performer->parts[k].begin, performer->parts[k].end);
	}
	return LM_OK;
}

lm_status lm_design_performance_divide(lm_design_performance* p, int32_t o, lm_error* error)
{
	lm_design_performer* performer = &p->performers[o];
	const lm_design_performance_object* object = performer->object;
	double seconds = p->settings.motion.seconds, time = 0;
	lm_status status = lm_design_check_item(&lm_design_dynamics_table, &object->dynamics, "object", o, error);
	if (status == LM_OK)
		status = check_simulated(p, o, error);
	if (status == LM_OK)
		status = check_keys(p, o, error);
	if (status != LM_OK)
		return status;
	performer->parts = LM_NEW(&p->host, 2 * (size_t)object->simulated_count + 1, lm_design_part);
	if (performer->parts == NULL)
		return lm_fail_memory(error);
	for (int32_t k = 0; k < object->simulated_count; ++k)
	{
		double from = object->simulated[k].from, until = fmin(object->simulated[k].until, seconds);
		if (from > time + LM_SAME_TIME)
			performer->parts[performer->part_count++] = (lm_design_part){ time, from, true };
		performer->parts[performer->part_count++] = (lm_design_part){ fmax(from, time), until, false };
		time = until;
	}
	if (time < seconds - LM_SAME_TIME)
		performer->parts[performer->part_count++] = (lm_design_part){ time, seconds, true };
	return check_designed(p, o, error);
}
