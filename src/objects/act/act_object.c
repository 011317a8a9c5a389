// act_object.c: the `act` engine as the world sees it. Wraps lm_act and its pilot, and plays the scene to them: pins,
// drags and pushes, commands and goals.
//
// Bodies of `act` touch each other within their steps, so all of them step together: `step` only directs and notes
// when, and `collide`, which the world calls once all objects of a round have stepped, takes the step.
#include "act/control/pilot.h"
#include "act/state.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "objects/act/act_direct.h"
#include "objects/engine.h"
#include "objects/timeline.h"

#include <math.h>

typedef struct act_object
{
	lm_host host;
	lm_arena memory; // copies of the timeline
	lm_act* body;
	lm_act_pilot* pilot;
	double* start; // vertex_count x 3: where the vertices began
	lm_timeline timeline;
	lm_act_direction direction;
	// the step that is due
	bool due;
	double time, h;
	lm_colliders* colliders;
} act_object;

// ---- creation ---------------------------------------------------------------------------------------------------

static lm_act_def describe(const act_object* object, const lm_scene_object* description)
{
	const lm_scene_act* act = description->act;
	lm_act_def def = lm_act_def_default();
	def.kind = act->kind;
	def.mesh = description->mesh;
	def.density = description->density;
	def.settings = act->settings;
	def.start = object->start;
	def.control = act->control;
	def.cage = act->cage;
	def.cage_vertices = act->cage_vertices;
	def.example_count = act->control == LM_ACT_EXAMPLES ? act->example_count : 0;
	return def;
}

// The vertices of a group; none when there is no such group.
static const int32_t* find_group(const lm_scene_object* description, const char* name, int32_t* count)
{
	static const int32_t none = 0;
	int32_t group = lm_mesh_find_group(description->mesh, name);
	*count = group >= 0 ? description->mesh->groups[group].count : 0;
	return group >= 0 ? description->mesh->groups[group].vertices : &none;
}

static lm_status create_body(act_object* object, const lm_scene_object* description, lm_arena* scratch, lm_error* error)
{
	const lm_scene_act* act = description->act;
	size_t numbers = 3 * (size_t)description->mesh->vertex_count;
	double* velocities = LM_TAKE(scratch, numbers, double);
	const double** examples = LM_TAKE(scratch, act->example_count, const double*);
	int32_t* groups = LM_TAKE(scratch, act->example_count, int32_t);
	object->start = LM_NEW(&object->host, numbers, double);
	if (velocities == NULL || examples == NULL || groups == NULL || object->start == NULL)
		return lm_fail_memory(error);
	lm_start_positions(description, object->start);
	for (int32_t k = 0; k < act->example_count; ++k)
	{
		examples[k] = act->examples[k].mesh->positions;
		groups[k] = act->examples[k].group;
	}
	lm_act_def def = describe(object, description);
	def.examples = examples;
	def.example_groups = groups;
	lm_status status = lm_act_create(&def, &object->host, &object->body, error);
	if (status != LM_OK)
		return status;
	double center[3];
	lm_act_center(object->body, center);
	lm_start_velocities(description, object->start, center, velocities);
	lm_act_set_positions(object->body, NULL, velocities);
	status = lm_act_pilot_create(object->body, &object->host, &object->pilot, error);
	for (int32_t f = 0; status == LM_OK && f < act->foot_count; ++f)
	{
		int32_t count;
		const int32_t* vertices = find_group(description, act->feet[f], &count);
		status = lm_act_pilot_set_foot(object->pilot, f, vertices, count, error);
	}
	int32_t trunk_count;
	const int32_t* trunk = find_group(description, act->trunk, &trunk_count);
	return status == LM_OK ? lm_act_pilot_set_trunk(object->pilot, trunk, trunk_count, error) : status;
}

static void destroy(void* data)
{
	act_object* object = data;
	if (object == NULL)
		return;
	lm_act_pilot_destroy(object->pilot);
	lm_act_destroy(object->body);
	lm_arena_release(&object->memory);
	lm_free(&object->host, object->start);
	lm_free(&object->host, object);
}

static lm_status create(const lm_scene* scene, const lm_scene_object* description, const lm_host* host, void** result,
                        lm_error* error)
{
	(void)scene;
	for (int32_t k = 0; k < description->act->example_count; ++k)
		if (!lm_engine_takes_example(description, k, description->act->examples[k].mesh, error))
			return LM_BAD_INPUT;
	act_object* object = LM_NEW(host, 1, act_object);
	if (object == NULL)
		return lm_fail_memory(error);
	object->host = *host;
	lm_arena_init(&object->memory, host);
	lm_arena scratch;
	lm_arena_init(&scratch, host);
	lm_status status = create_body(object, description, &scratch, error);
	lm_arena_release(&scratch);
	if (status == LM_OK &&
	    (!lm_timeline_keep(&object->timeline, description, object->start, &object->memory) ||
	     !lm_act_direction_keep(&object->direction, description->act, object->body, &object->memory)))
		status = lm_fail_memory(error);
	if (status != LM_OK)
	{
		destroy(object);
		return status;
	}
	*result = object;
	return LM_OK;
}

// ---- stepping ---------------------------------------------------------------------------------------------------

static void pin(void* body, int32_t vertex, const double position[3])
{
	lm_act_pin(body, vertex, position);
}

static void unpin(void* body, int32_t vertex)
{
	lm_act_unpin(body, vertex);
}

static void drag(void* body, int32_t vertex, const double target[3], double strength)
{
	lm_act_drag(body, vertex, target, strength);
}

static void push(void* body, const int32_t* vertices, int32_t count, const double impulse[3])
{
	lm_act_push(body, vertices, count, impulse);
}

static void step(void* data, double time, double h, lm_colliders* colliders)
{
	static const lm_timeline_target target = { pin, unpin, drag, push };
	act_object* object = data;
	lm_timeline_play(&object->timeline, time, h, &target, object->body);
	object->due = true;
	object->time = time;
	object->h = h;
	object->colliders = colliders;
}

static lm_status collide(void* const* objects, int32_t count, double h, lm_error* error)
{
	(void)h;
	lm_act* bodies[LM_OBJECTS_MAX];
	const act_object* first = NULL;
	int32_t due = 0;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		act_object* object = objects[i];
		if (!object->due)
			continue;
		status = lm_act_direct(&object->direction, object->pilot, object->time, object->h, error);
		first = first != NULL ? first : object;
		bodies[due++] = object->body;
	}
	if (status == LM_OK && due > 0)
		status = lm_act_step(bodies, due, first->h, first->colliders, first->time, error);
	for (int32_t i = 0; i < count; ++i)
	{
		act_object* object = objects[i];
		if (status == LM_OK && object->due)
			lm_act_pilot_record(object->pilot, object->h);
		object->due = false;
	}
	return status;
}

// ---- reading ----------------------------------------------------------------------------------------------------

lm_act* lm_act_object_body(void* object)
{
	return ((act_object*)object)->body;
}

static const lm_act* body_of(const void* object)
{
	return ((const act_object*)object)->body;
}

static int32_t point_count(const void* object)
{
	return lm_act_vertex_count(body_of(object));
}

static int64_t unknowns(const void* object)
{
	return (int64_t)lm_act_dimension(body_of(object)) * lm_act_vertex_count(body_of(object));
}

static void points(const void* object, double* positions)
{
	lm_act_positions(body_of(object), positions);
}

static void center(const void* object, double c[3])
{
	lm_act_center(body_of(object), c);
}

static double max_penetration(const void* object)
{
	return lm_act_get_report(body_of(object)).max_penetration;
}

static int64_t steps(const void* object)
{
	return lm_act_get_report(body_of(object)).steps;
}

static int32_t parameters(const void* object)
{
	return lm_act_parameter_count(body_of(object));
}

static const lm_statistic_key statistic_keys[] = {
	{ "goal_rms", "", "root of the mean over all steps of the mean squared residual of the goals", false },
	{ "internal_force_sum", "", "largest sum of the internal forces, relative to the largest force on a vertex",
	  false },
	{ "internal_torque_sum", "",
	  "largest sum of the internal torques, relative to the largest force on a vertex times the size", false },
	{ "physics_residual", "", "largest force that a step left unbalanced at a vertex, relative to the weight", false },
	{ "iterations_mean", "", "of the optimiser, per step that had goals", false },
	{ "converged", "", "share of the steps with goals in which the optimiser converged", false },
	{ "friction_violation", "", "share of the tangential impulse that was outside the friction cone", false },
	{ "toppled", "", "1 when the body's own up is more than 60 degrees from the vertical at the end", true },
	{ "hops", "", "flights of at least 0.1 s from ground to ground", true },
	{ "sway", "m", "amplitude of the centre of mass across the way", false },
	{ "twist", "rad", "amplitude about the vertical", false },
	{ "steps_verified", "",
	  "feet lifted by 2 % of the height and set down 2 % of the height further along the way; 0 without feet", true },
	{ "slip_max", "m", "farthest that a foot slid while it was down", false },
	{ "tilt_max", "rad", "largest angle between the body's own up and the vertical", false },
	{ "tilt_end", "rad", "that angle at the end", false },
	{ "speed_mean", "m/s", "horizontal way of the centre of mass from start to end over the time", false },
};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void statistics(const void* object, double* values)
{
	lm_act_report report = lm_act_get_report(body_of(object));
	lm_act_record record = lm_act_pilot_get_record(((const act_object*)object)->pilot);
	double controlled = (double)report.controlled_steps;
	int k = 0;
	values[k++] = sqrt(share(report.goal_squares, controlled));
	values[k++] = report.internal_force_max;
	values[k++] = report.internal_torque_max;
	values[k++] = report.physics_residual_max;
	values[k++] = share((double)report.iterations_sum, controlled);
	values[k++] = share((double)report.converged_steps, controlled);
	values[k++] = share(report.outside_cone, report.tangential_impulse);
	values[k++] = record.toppled;
	values[k++] = record.hops;
	values[k++] = record.sway;
	values[k++] = record.twist;
	values[k++] = record.steps_verified;
	values[k++] = record.slip_max;
	values[k++] = record.tilt_max;
	values[k++] = record.tilt_end;
	values[k++] = record.speed_mean;
}

static uint64_t hash(const void* object)
{
	return lm_act_hash(body_of(object));
}

static void save(const void* object, lm_blob* blob)
{
	lm_act_save(body_of(object), blob);
	lm_act_pilot_save(((const act_object*)object)->pilot, blob);
}

static lm_status load(void* data, lm_blob* blob, lm_error* error)
{
	act_object* object = data;
	lm_status status = lm_act_load(object->body, blob, error);
	if (status == LM_OK)
		lm_act_pilot_load(object->pilot, blob);
	return status;
}

const lm_engine lm_engine_act = {
	.name = "act",
	.pushed_out = true,
	.create = create,
	.destroy = destroy,
	.step = step,
	.collide = collide,
	.point_count = point_count,
	.unknowns = unknowns,
	.points = points,
	.center = center,
	.max_penetration = max_penetration,
	.steps = steps,
	.parameters = parameters,
	.statistic_keys = statistic_keys,
	.statistic_count = (int32_t)(sizeof statistic_keys / sizeof statistic_keys[0]),
	.statistics = statistics,
	.hash = hash,
	.save = save,
	.load = load,
};
