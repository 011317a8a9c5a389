// timeline.c: what a scene does to an object over time, and how it starts.
#include "objects/timeline.h"

#include "math/quat.h"

#include <string.h>

// ---- keeping ----

void* lm_keep(lm_arena* memory, const void* source, size_t count, size_t size)
{
	void* copy = lm_arena_take(memory, count, size);
	if (copy != NULL && count > 0)
		memcpy(copy, source, count * size);
	return copy;
}

bool lm_keep_keyed(lm_arena* memory, lm_keyed* keyed, int32_t width)
{
	keyed->times = lm_keep(memory, keyed->times, (size_t)keyed->count, sizeof(double));
	keyed->values = lm_keep(memory, keyed->values, (size_t)keyed->count * (size_t)width, sizeof(double));
	return keyed->times != NULL && keyed->values != NULL;
}

bool lm_timeline_keep(lm_timeline* timeline, const lm_scene_object* description, const double* start, lm_arena* memory)
{
	timeline->start = start;
	timeline->pin_count = description->pin_count;
	timeline->drag_count = description->drag_count;
	timeline->push_count = description->push_count;
	timeline->pins = lm_keep(memory, description->pins, (size_t)timeline->pin_count, sizeof(lm_scene_pin));
	timeline->drags = lm_keep(memory, description->drags, (size_t)timeline->drag_count, sizeof(lm_scene_drag));
	timeline->pushes = lm_keep(memory, description->pushes, (size_t)timeline->push_count, sizeof(lm_scene_push));
	bool kept = timeline->pins != NULL && timeline->drags != NULL && timeline->pushes != NULL;
	for (int32_t i = 0; kept && i < timeline->pin_count; ++i)
	{
		lm_scene_pin* pin = &timeline->pins[i];
		pin->vertices = lm_keep(memory, pin->vertices, (size_t)pin->count, sizeof(int32_t));
		kept = pin->vertices != NULL && lm_keep_keyed(memory, &pin->offset, 3);
	}
	for (int32_t i = 0; kept && i < timeline->drag_count; ++i)
		kept = lm_keep_keyed(memory, &timeline->drags[i].target, 3);
	for (int32_t i = 0; kept && i < timeline->push_count; ++i)
	{
		lm_scene_push* push = &timeline->pushes[i];
		push->vertices = lm_keep(memory, push->vertices, (size_t)push->count, sizeof(int32_t));
		kept = push->vertices != NULL;
	}
	return kept;
}

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

static void hold_pin(const lm_timeline* timeline, const lm_scene_pin* pin, double time,
                     const lm_timeline_target* target, void* body)
{
	double offset[3];
	lm_keyed_at(&pin->offset, 3, time, offset);
	for (int32_t k = 0; k < pin->count; ++k)
	{
		lm_vec3 place = lm_add(lm_v3_at(timeline->start, pin->vertices[k]), lm_v3_at(offset, 0));
		target->pin(body, pin->vertices[k], (double[3]){ place.x, place.y, place.z });
	}
}

// What ends is let go before anything is held, because several pins or drags may take turns at one vertex. Times are
// those of the end of the step, so that a pin is where its keys say when the frame is shown.
static void play_held(const lm_timeline* timeline, double time, double h, const lm_timeline_target* target, void* body)
{
	for (int32_t i = 0; i < timeline->pin_count; ++i)
	{
		const lm_scene_pin* pin = &timeline->pins[i];
		for (int32_t k = 0; is_over(pin->start, pin->end, time, h) && k < pin->count; ++k)
			target->unpin(body, pin->vertices[k]);
	}
	for (int32_t i = 0; i < timeline->drag_count; ++i)
		if (is_over(timeline->drags[i].start, timeline->drags[i].end, time, h))
			target->drag(body, timeline->drags[i].vertex, (double[3]){ 0 }, 0);
	for (int32_t i = 0; i < timeline->pin_count; ++i)
		if (lm_timeline_is_on(timeline->pins[i].start, timeline->pins[i].end, time + h, h))
			hold_pin(timeline, &timeline->pins[i], time + h, target, body);
	for (int32_t i = 0; i < timeline->drag_count; ++i)
	{
		const lm_scene_drag* drag = &timeline->drags[i];
		double place[3];
		lm_keyed_at(&drag->target, 3, time + h, place);
		if (lm_timeline_is_on(drag->start, drag->end, time + h, h))
			target->drag(body, drag->vertex, place, drag->strength);
	}
}

void lm_timeline_play(const lm_timeline* timeline, double time, double h, const lm_timeline_target* target, void* body)
{
	play_held(timeline, time, h, target, body);
	for (int32_t i = 0; i < timeline->push_count; ++i)
	{
		const lm_scene_push* push = &timeline->pushes[i];
		if (happens(push->time, time, h))
			target->push(body, push->vertices, push->count, push->impulse);
	}
}

// ---- starting ----

void lm_start_positions(const lm_scene_object* description, double* positions)
{
	const lm_mesh* pose = description->start_pose != NULL ? description->start_pose : description->mesh;
	const double* q = description->rotation;
	lm_quat rotation = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	lm_vec3 position = lm_v3_at(description->position, 0);
	for (int32_t i = 0; i < pose->vertex_count; ++i)
		lm_v3_store(positions, i, lm_add(position, lm_quat_rotate(rotation, lm_v3_at(pose->positions, i))));
}

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
