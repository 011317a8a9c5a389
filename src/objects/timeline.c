// timeline.c: what a scene does to an object over time, and how it starts.
#include "objects/timeline.h"

#include "math/quat.h"
#include "objects/fields.h"
#include "objects/live.h"

// ---- playing ----

// The end of a step and the beginning of the next are the same moment, but rounding sets them apart. Events are looked
// up with this much of a step to spare, or a pin would not be let go, and a push come twice, when its time lies
// between.
static const double to_spare = 1e-3;

bool lm_timeline_is_on(double start, double end, double time, double h)
{
	double moment = time + to_spare * h;
	return moment >= start && (end < 0 || moment < end);
}

static bool is_over(double start, double end, double time, double h)
{
	return lm_timeline_is_on(start, end, time, h) && !lm_timeline_is_on(start, end, time + h, h);
}

static bool happens(double moment, double time, double h)
{
	return moment >= time - to_spare * h && moment < time + h - to_spare * h;
}

// Where vertex k of several that are held together is held, from the place of all: as listed, or as it starts from
// their middle by weight.
static lm_vec3 offset_of(const lm_hold* hold, int32_t k, const double* start)
{
	if (hold->offsets != NULL)
		return lm_v3_at(hold->offsets, k);
	lm_vec3 middle = { 0 };
	for (int32_t i = 0; i < hold->count; ++i)
		middle = lm_add_scaled(middle, hold->weights != NULL ? hold->weights[i] : 1.0 / hold->count,
		                       lm_v3_at(start, hold->vertices[i]));
	return lm_sub(lm_v3_at(start, hold->vertices[k]), middle);
}

lm_status lm_hold_pin(lm_object* object, const lm_hold* hold, const double place[3], const double* start,
                      lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t k = 0; status == LM_OK && k < hold->count; ++k)
	{
		double target[3];
		lm_v3_store(target, 0, lm_add(lm_v3_at(place, 0), offset_of(hold, k, start)));
		status = object->engine->pin(object, hold->vertices[k], target, error);
	}
	return status;
}

void lm_hold_drag(lm_object* object, const lm_hold* hold, const double place[3], double strength, const double* start)
{
	for (int32_t k = 0; k < hold->count; ++k)
	{
		double target[3], share = hold->weights != NULL ? hold->weights[k] : 1.0 / hold->count;
		lm_v3_store(target, 0, lm_add(lm_v3_at(place, 0), offset_of(hold, k, start)));
		object->engine->drag(object, hold->vertices[k], target, strength * share);
	}
}

static lm_status hold_pin(lm_object* object, const lm_scene_pin* pin, const double* start, double time, lm_error* error)
{
	double moved[3];
	lm_hold hold = { pin->count, pin->vertices, NULL, pin->offset_count > 0 ? pin->offsets : NULL };
	lm_keyed_at(pin->target.count > 0 ? &pin->target : &pin->offset, 3, time, moved);
	if (pin->target.count > 0)
		return lm_hold_pin(object, &hold, moved, start, error);
	lm_status status = LM_OK;
	for (int32_t k = 0; status == LM_OK && k < pin->count; ++k)
	{
		double place[3];
		lm_v3_store(place, 0, lm_add(lm_v3_at(start, pin->vertices[k]), lm_v3_at(moved, 0)));
		status = object->engine->pin(object, pin->vertices[k], place, error);
	}
	return status;
}

static void hold_drag(lm_object* object, const lm_scene_drag* drag, const double* start, double time)
{
	double place[3];
	lm_keyed_at(&drag->target, 3, time, place);
	lm_hold hold = { drag->count, drag->vertices, drag->weight_count > 0 ? drag->weights : NULL,
		             drag->offset_count > 0 ? drag->offsets : NULL };
	if (drag->count > 0)
		lm_hold_drag(object, &hold, place, drag->strength, start);
	else
		object->engine->drag(object, drag->vertex, place, drag->strength);
}

static void let_go(lm_object* object, const lm_scene_drag* drag)
{
	for (int32_t k = 0; k < (drag->count > 0 ? drag->count : 1); ++k)
		object->engine->drag(object, drag->count > 0 ? drag->vertices[k] : drag->vertex, (double[3]){ 0 }, 0);
}

// What ends is released before anything is held, because several pins or drags may take turns at one vertex.
static void release(lm_object* object)
{
	const lm_scene_object* scene = object->description;
	for (int32_t i = 0; i < scene->pin_count; ++i)
	{
		const lm_scene_pin* pin = &scene->pins[i];
		for (int32_t k = 0; is_over(pin->start, pin->end, object->time, object->h) && k < pin->count; ++k)
			object->engine->unpin(object, pin->vertices[k]);
	}
	for (int32_t i = 0; i < scene->drag_count; ++i)
		if (is_over(scene->drags[i].start, scene->drags[i].end, object->time, object->h))
			let_go(object, &scene->drags[i]);
}

// An impulse, or what changes the velocity of all its vertices by as much.
static void push(lm_object* object, const lm_scene_push* push)
{
	double impulse[3], mass = object->engine->mass_of(object, push->vertices, push->count);
	for (int c = 0; c < 3; ++c)
		impulse[c] = push->by_velocity ? mass * push->velocity[c] : push->impulse[c];
	object->engine->push(object, push->vertices, push->count, impulse);
}

// Times are those of the end of the step, so that a pin is where its keys say when the frame is shown. Commands come
// after the timeline, kind by kind, as if they stood at the end of its lists: a take that is written as a timeline
// gives the same bits.
lm_status lm_timeline_play(lm_object* object, const double* start, lm_error* error)
{
	const lm_scene_object* scene = object->description;
	double h = object->h, end = lm_object_step_end(object);
	lm_status status = LM_OK;
	release(object);
	for (int32_t i = 0; status == LM_OK && i < scene->pin_count; ++i)
		if (!scene->pins[i].guide && lm_timeline_is_on(scene->pins[i].start, scene->pins[i].end, end, h))
			status = hold_pin(object, &scene->pins[i], start, end, error);
	if (status == LM_OK)
		status = lm_live_pin(object, error);
	for (int32_t i = 0; status == LM_OK && i < scene->drag_count; ++i)
		if (lm_timeline_is_on(scene->drags[i].start, scene->drags[i].end, end, h))
			hold_drag(object, &scene->drags[i], start, end);
	if (status == LM_OK)
		lm_live_drag(object);
	for (int32_t i = 0; status == LM_OK && i < scene->push_count; ++i)
		if (happens(scene->pushes[i].time, object->time, h))
			push(object, &scene->pushes[i]);
	if (status == LM_OK)
		status = lm_fields_play(object, error);
	return status;
}

double lm_sum_masses(const double* masses, const int32_t* vertices, int32_t count)
{
	double sum = 0;
	for (int32_t i = 0; i < count; ++i)
		sum += masses[vertices[i]];
	return sum;
}

// ---- starting ----

// v + w x (x - c), c the centre of mass.
void lm_start_velocities(const lm_scene_object* description, const double* positions, const double center[3],
                         double* velocities)
{
	lm_vec3 velocity = lm_v3_at(description->velocity, 0), spin = lm_v3_at(description->angular_velocity, 0);
	for (int32_t i = 0; i < description->mesh->vertex_count; ++i)
	{
		lm_vec3 arm = lm_sub(lm_v3_at(positions, i), lm_v3_at(center, 0));
		lm_v3_store(velocities, i, lm_add(velocity, lm_cross(spin, arm)));
	}
}
