// object.c: the `act` engine as the world sees it. Wraps lm_act and its pilot, and plays the scene to them: pins, drags
// and pushes, commands and goals.
#include "act/pilot/behaviours.h"
#include "act/pilot/pilot.h"
#include "act/settings.h"
#include "act/state.h"
#include "base/error.h"
#include "math/vec.h"
#include "objects/act/act.h"
#include "objects/objects.h"
#include "objects/settings.h"
#include "objects/timeline.h"
#include "scene/scene.h"

#include <math.h>

typedef struct act_object
{
	lm_object base;
	lm_act* body;
	lm_act_pilot* pilot;
	double* start;       // vertex_count x 3: where the vertices began, which pins hold on to
	double* goal_starts; // goal_count x 3: where the points of each goal began
	double* forces;      // vertex_count, scratch of `contacts`
	lm_act_follow follow;
} act_object;

static lm_act* body_of(const lm_object* base)
{
	return ((const act_object*)base)->body;
}

// ---- creation ---------------------------------------------------------------------------------------------------

static lm_act_def describe(const lm_scene_object* description)
{
	const lm_scene_act* act = description->act;
	lm_act_def def = lm_act_def_default();
	def.kind = act->kind;
	def.mesh = description->mesh;
	if (act->law == LM_LAW_NEO_HOOKEAN)
		def.model = lm_elastic_neo_hookean(act->kind == LM_ACT_SOLID2 ? 2 : 3);
	def.density = description->density;
	def.settings = act->settings;
	def.control = act->control;
	def.cage = act->cage;
	def.cage_vertices = act->cage_vertices;
	def.example_count = act->control == LM_ACT_EXAMPLES ? act->example_count : 0;
	return def;
}

static lm_status create_body(act_object* object, lm_arena* scratch, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const lm_scene_act* act = description->act;
	size_t numbers = 3 * (size_t)description->mesh->vertex_count;
	double* velocities = LM_TAKE(scratch, numbers, double);
	const double** examples = LM_TAKE(scratch, act->example_count, const double*);
	int32_t* groups = LM_TAKE(scratch, act->example_count, int32_t);
	object->start = LM_TAKE(&object->base.memory, numbers, double);
	if (velocities == NULL || examples == NULL || groups == NULL || object->start == NULL)
		return lm_fail_memory(error);
	lm_start_positions(description, object->start);
	for (int32_t k = 0; k < act->example_count; ++k)
	{
		examples[k] = act->examples[k].mesh->positions;
		groups[k] = act->examples[k].group;
	}
	lm_act_def def = describe(description);
	double* masses = description->fitted != NULL ? LM_TAKE(scratch, description->mesh->vertex_count, double) : NULL;
	if (description->fitted != NULL && masses == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; masses != NULL && v < description->mesh->vertex_count; ++v)
		masses[v] = description->density * description->fitted->volumes[v];
	def.masses = masses;
	def.contacts = description->fitted != NULL ? description->fitted->contacts : NULL;
	def.start = object->start;
	def.examples = examples;
	def.example_groups = groups;
	lm_status status = lm_act_create(&def, &object->base.host, &object->body, error);
	if (status != LM_OK)
		return status;
	double center[3];
	lm_act_center(object->body, center);
	lm_start_velocities(description, object->start, center, velocities);
	lm_act_set_positions(object->body, NULL, velocities);
	return LM_OK;
}

// The vertices of a group; none when there is no such group.
static const int32_t* find_group(const lm_scene_object* description, const char* name, int32_t* count)
{
	static const int32_t none = 0;
	int32_t group = lm_mesh_find_group(description->mesh, name);
	*count = group >= 0 ? description->mesh->groups[group].count : 0;
	return group >= 0 ? description->mesh->groups[group].vertices : &none;
}

static lm_status create_pilot(act_object* object, lm_arena* scratch, lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const lm_scene_act* act = description->act;
	lm_status status = lm_act_pilot_create(object->body, &object->base.host, &object->pilot, error);
	int32_t count;
	if (status == LM_OK && act->character)
		lm_act_pilot_set_character(object->pilot);
	for (int32_t f = 0; status == LM_OK && f < act->foot_count; ++f)
	{
		const int32_t* vertices = find_group(description, act->feet[f], &count);
		status = lm_act_pilot_set_foot(object->pilot, f, vertices, count, error);
	}
	const int32_t* trunk = find_group(description, act->trunk, &count);
	if (status == LM_OK)
		status = lm_act_pilot_set_trunk(object->pilot, trunk, count, error);
	if (status != LM_OK)
		return status;
	double* positions = LM_TAKE(scratch, 3 * (size_t)lm_act_vertex_count(object->body), double);
	object->goal_starts = LM_TAKE(&object->base.memory, 3 * (size_t)act->goal_count, double);
	object->forces = LM_TAKE(&object->base.memory, lm_act_vertex_count(object->body), double);
	if (positions == NULL || object->goal_starts == NULL || object->forces == NULL)
		return lm_fail_memory(error);
	lm_act_positions(object->body, positions);
	lm_act_goal_starts(act, object->body, positions, object->goal_starts);
	return LM_OK;
}

static const char* leader_name(const lm_object* base)
{
	return base->description->act->follow.object;
}

static lm_status create(lm_object* base, lm_error* error)
{
	act_object* object = (act_object*)base;
	lm_arena scratch;
	lm_arena_init(&scratch, &base->host);
	lm_status status = create_body(object, &scratch, error);
	if (status == LM_OK)
		status = create_pilot(object, &scratch, error);
	if (status == LM_OK)
		status = lm_act_follow_init(&object->follow, base, error);
	lm_arena_release(&scratch);
	return status;
}

static void destroy(lm_object* base)
{
	lm_act_pilot_destroy(((act_object*)base)->pilot);
	lm_act_destroy(body_of(base));
}

// ---- stepping ---------------------------------------------------------------------------------------------------

static lm_status pin(lm_object* base, int32_t vertex, const double position[3], lm_error* error)
{
	(void)error;
	lm_act_pin(body_of(base), vertex, position);
	return LM_OK;
}

static void unpin(lm_object* base, int32_t vertex)
{
	lm_act_unpin(body_of(base), vertex);
}

static void drag(lm_object* base, int32_t vertex, const double target[3], double strength)
{
	lm_act_drag(body_of(base), vertex, target, strength);
}

static double mass_of(const lm_object* base, const int32_t* vertices, int32_t count)
{
	return lm_sum_masses(lm_act_masses(((const act_object*)base)->body), vertices, count);
}

static void push(lm_object* base, const int32_t* vertices, int32_t count, const double impulse[3])
{
	lm_act_push(body_of(base), vertices, count, impulse);
}

static lm_status direct(lm_object* base, lm_colliders* colliders, lm_error* error)
{
	act_object* object = (act_object*)base;
	lm_status status = lm_settings_play(base, error);
	if (status == LM_OK)
		status = lm_timeline_play(base, object->start, error);
	(void)colliders;
	lm_colliders_set_time(base->colliders, base->time); // as they are now, to be looked at
	lm_act_pilot_set_ground(object->pilot, base->colliders);
	return status == LM_OK ? lm_act_direct(base, object->pilot, object->goal_starts, &object->follow, error) : status;
}

// Bodies of `act` touch each other within their steps, so all of them step together, by the step of the first.
static lm_status step(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	lm_act* bodies[LM_OBJECTS_MAX];
	const lm_object* first = NULL;
	int32_t due = 0;
	for (int32_t i = 0; i < count; ++i)
		if (objects[i]->due)
		{
			first = first != NULL ? first : objects[i];
			bodies[due++] = body_of(objects[i]);
		}
	return due > 0 ? lm_act_step(bodies, due, first->h, colliders, first->time, error) : LM_OK;
}

static void finish(lm_object* base)
{
	lm_act_pilot_record(((act_object*)base)->pilot, base->h);
	lm_act_follow_measure(&((act_object*)base)->follow, body_of(base));
}

static void get_settings(const lm_object* base, void* settings)
{
	*(lm_act_settings*)settings = lm_act_get_settings(body_of(base));
}

static lm_status set_settings(lm_object* base, const void* settings, lm_error* error)
{
	return lm_act_set_settings(body_of(base), settings, error);
}

static lm_status check_command(const lm_object* base, const lm_act_command* command, lm_error* error)
{
	const lm_scene_act* act = base->description->act;
	lm_act_settings settings = lm_act_get_settings(body_of(base));
	if (act->control == LM_ACT_PASSIVE)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" is passive: it cannot do anything",
		               base->description->name);
	if (command->behaviour == LM_ACT_TROT && !lm_act_can_trot(act))
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" must be a character with four feet to trot",
		               base->description->name);
	if (lm_act_steps(command->behaviour) && !lm_act_can_walk(act))
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has %d feet, must have two to walk",
		               base->description->name, act->foot_count);
	if (lm_act_steps(command->behaviour) && command->has_place && lm_act_dimension(body_of(base)) == 3 &&
	    !act->character)
		return lm_fail(error, LM_BAD_INPUT,
		               "object \"%.60s\" cannot walk to a place: bodies in space walk with a velocity",
		               base->description->name);
	return lm_act_check_command(base->description, &settings, command, error);
}

// ---- reading ----------------------------------------------------------------------------------------------------

lm_act* lm_object_act(lm_object* object)
{
	return object->engine == &lm_engine_act ? body_of(object) : NULL;
}

static void velocities_of(const lm_object* base, double* velocities)
{
	lm_act_velocities(((const act_object*)base)->body, velocities);
}

static lm_status take_velocities(lm_object* base, const double* velocities, lm_error* error)
{
	(void)error;
	lm_act_set_positions(((act_object*)base)->body, NULL, velocities);
	return LM_OK;
}

static void points(const lm_object* base, double* positions)
{
	lm_act_positions(body_of(base), positions);
}

static lm_object_facts facts(const lm_object* base)
{
	const lm_act* body = body_of(base);
	lm_act_report report = lm_act_get_report(body);
	lm_object_facts facts = { .point_count = lm_act_vertex_count(body),
		                      .unknowns = (int64_t)lm_act_dimension(body) * lm_act_vertex_count(body),
		                      .parameters = lm_act_parameter_count(body),
		                      .steps = report.steps,
		                      .max_penetration = report.max_penetration,
		                      .mass = lm_act_mass(body) };
	lm_act_center(body, facts.center);
	return facts;
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
	{ "toppled", "",
	  "1 when the body's own up is more than 60 degrees from the vertical at the end, or a character lies", true },
	{ "fell_at", "s", "when that was so for the first time; null: never", false },
	{ "got_up", "", "times that it was upright on the ground again for 0.4 s after that", true },
	{ "hops", "", "flights of at least 0.1 s from ground to ground; not counted while it has fallen", true },
	{ "sway", "m", "amplitude of the centre of mass across the way", false },
	{ "twist", "rad", "amplitude about the vertical", false },
	{ "steps_verified", "",
	  "feet lifted by 2 % of the height and set down 2 % of the height further along the way; 0 without feet", true },
	{ "slip_max", "m", "farthest that a foot slid while it was down", false },
	{ "tilt_max", "rad", "largest angle between the body's own up and the vertical", false },
	{ "tilt_end", "rad", "that angle at the end", false },
	{ "speed_mean", "m/s", "horizontal way of the centre of mass from start to end over the time", false },
	{ "follow_error", "",
	  "mean distance of its parts from those of what it follows, both about their middles, relative to its size; null: "
	  "it follows nothing",
	  false },
	{ "follow_error_max", "", "largest such distance of a part", false },
};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void statistics(const lm_object* base, double* values)
{
	lm_act_report report = lm_act_get_report(body_of(base));
	lm_act_record record = lm_act_pilot_get_record(((const act_object*)base)->pilot);
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
	values[k++] = record.fell ? record.fell_at : INFINITY;
	values[k++] = record.got_up;
	values[k++] = record.hops;
	values[k++] = record.sway;
	values[k++] = record.twist;
	values[k++] = record.steps_verified;
	values[k++] = record.slip_max;
	values[k++] = record.tilt_max;
	values[k++] = record.tilt_end;
	values[k++] = record.speed_mean;
	const lm_act_follow* follow = &((const act_object*)base)->follow;
	values[k++] = follow->steps > 0 ? follow->sum / (double)follow->steps : INFINITY;
	values[k++] = follow->steps > 0 ? follow->most : INFINITY;
}

static const lm_statistic_key number_keys[] = {
	{ "kinetic_energy", "J", "of all vertices", false },
	{ "elastic_energy", "J", "between the rest shape as it is now and the body", false },
	{ "contact_force", "N", "sum of the normal forces of contact", false },
	{ "objective", "", "of the optimiser in the last step", false },
	{ "goal_error", "", "part of the goals in it", false },
	{ "effort", "", "how far the rest shape is from its own: root of the sum of its squared parameters", false },
	{ "rest_change", "m", "the same as a distance of its vertices: root of the mean square", false },
	{ "iterations", "", "of the optimiser in the last step", true },
	{ "weight_1", "", "of the first example", false },
	{ "weight_2", "", "of the second", false },
	{ "weight_3", "", "of the third", false },
	{ "weight_4", "", "of the fourth", false },
	{ "weight_5", "", "of the fifth", false },
	{ "weight_6", "", "of the sixth", false },
	{ "weight_7", "", "of the seventh", false },
	{ "weight_8", "", "of the eighth; there may be more", false },
};

enum
{
	MOST_WEIGHTS = 8,  // that are shown
	MOST_EXAMPLES = 64 // of limber/act.h
};

static int32_t example_count(const lm_object* base)
{
	const lm_scene_act* act = base->description->act;
	return act->control == LM_ACT_EXAMPLES ? act->example_count : 0;
}

static int32_t numbers(const lm_object* base, double* values)
{
	const lm_act* body = body_of(base);
	lm_act_report report = lm_act_get_report(body);
	int32_t k = 0, examples = example_count(base);
	double weights[MOST_EXAMPLES];
	values[k++] = lm_act_kinetic_energy(body);
	values[k++] = lm_act_elastic_energy(body);
	values[k++] = lm_act_contact_force(body);
	values[k++] = report.objective;
	values[k++] = report.goal_part;
	values[k++] = lm_act_parameter_norm(body);
	values[k++] = lm_act_rest_distance(body);
	values[k++] = report.iterations;
	if (examples > 0)
		lm_act_parameters(body, weights);
	for (int32_t i = 0; i < examples && i < MOST_WEIGHTS; ++i)
		values[k++] = weights[i];
	return k;
}

// ---- seeing -----------------------------------------------------------------------------------------------------

static bool example(const lm_object* base, int32_t k, double time, lm_engine_example* example)
{
	(void)time;
	const lm_scene_act* act = base->description->act;
	if (k >= example_count(base))
		return false;
	*example = (lm_engine_example){ act->examples[k].file != NULL ? act->examples[k].file : "", 1 };
	return true;
}

static int32_t contacts(const lm_object* base, int32_t* vertices)
{
	const act_object* object = (const act_object*)base;
	int32_t found = 0;
	lm_act_contact_forces(object->body, object->forces);
	for (int32_t v = 0; v < lm_act_vertex_count(object->body); ++v)
	{
		if (!(object->forces[v] > 0))
			continue;
		if (vertices != NULL)
			vertices[found] = v;
		++found;
	}
	return found;
}

static int32_t feet(const lm_object* base, const double* points, double* middles)
{
	const lm_scene_act* act = base->description->act;
	const double* masses = lm_act_masses(body_of(base));
	int32_t count = act->foot_count < LM_ACT_FEET_MAX ? act->foot_count : LM_ACT_FEET_MAX, own;
	for (int32_t f = 0; f < count; ++f)
	{
		const int32_t* vertices = find_group(base->description, act->feet[f], &own);
		lm_vec3 sum = { 0 };
		double mass = 0;
		for (int32_t k = 0; k < own; ++k)
		{
			sum = lm_add_scaled(sum, masses[vertices[k]], lm_v3_at(points, vertices[k]));
			mass += masses[vertices[k]];
		}
		lm_v3_store(middles, f, lm_scale(mass > 0 ? 1 / mass : 0, sum));
	}
	return count;
}

static bool goal(const lm_object* base, double time, double goal[3])
{
	return lm_act_find_goal(base, ((const act_object*)base)->pilot, time, goal);
}

static const lm_mesh* cage(const lm_object* base, const double* points, double* scratch, double* positions)
{
	const lm_mesh* at_rest = lm_act_cage(body_of(base));
	if (at_rest != NULL && positions != NULL)
		lm_act_place_cage(body_of(base), points, scratch, positions);
	return at_rest;
}

// Poses of a group are blended with the rest shape; what no group has moved is the rest shape's.
static int32_t blend(const lm_object* base, int32_t point, double* shares)
{
	(void)point; // the same all over the body
	int32_t count = example_count(base);
	double sum = 0;
	if (count > 0)
		lm_act_parameters(body_of(base), shares + 1);
	for (int32_t k = 1; k <= count; ++k)
		sum += shares[k];
	shares[0] = sum < 1 ? 1 - sum : 0;
	for (int32_t k = 1; k <= count && sum > 1; ++k) // groups act side by side
		shares[k] /= sum;
	return count + 1;
}

static uint64_t hash(const lm_object* base)
{
	return lm_act_hash(body_of(base));
}

static void save(const lm_object* base, lm_blob* blob)
{
	lm_act_save(body_of(base), blob);
	lm_act_pilot_save(((const act_object*)base)->pilot, blob);
	lm_act_follow_save(&((const act_object*)base)->follow, blob);
}

static lm_status load(lm_object* base, lm_blob* blob, lm_error* error)
{
	lm_status status = lm_act_load(body_of(base), blob, error);
	if (status == LM_OK && !lm_act_pilot_load(((act_object*)base)->pilot, blob))
		status = lm_fail(error, LM_BAD_INPUT, "the saved behaviour is damaged; start the run again without resuming");
	if (status == LM_OK && !lm_act_follow_load(&((act_object*)base)->follow, blob))
		status = lm_fail(error, LM_BAD_INPUT, "what is saved of following is damaged; start again without resuming");
	return status;
}

const lm_engine lm_engine_act = {
	.name = "act",
	.table = &lm_act_table,
	.settings = offsetof(lm_scene_object, act),
	.gravity = offsetof(lm_scene_act, settings.gravity),
	.density = 1,
	.pushed_out = true,
	.elements = lm_act_elements,
	.resolve = lm_act_resolve,
	.resolve_between = lm_act_resolve_between,
	.release = lm_act_release,
	.check_settings = lm_act_check_object,
	.object_size = sizeof(act_object),
	.create = create,
	.destroy = destroy,
	.leader_name = leader_name,
	.direct = direct,
	.step = step,
	.finish = finish,
	.pin = pin,
	.unpin = unpin,
	.drag = drag,
	.push = push,
	.mass_of = mass_of,
	.live_table = &lm_act_settings_table,
	.keyed = offsetof(lm_scene_act, keyed),
	.get_settings = get_settings,
	.set_settings = set_settings,
	.check_command = check_command,
	.velocities = velocities_of,
	.set_velocities = take_velocities,
	.points = points,
	.facts = facts,
	.statistic_keys = statistic_keys,
	.statistic_count = (int32_t)(sizeof statistic_keys / sizeof statistic_keys[0]),
	.statistics = statistics,
	.number_keys = number_keys,
	.number_count = (int32_t)(sizeof number_keys / sizeof number_keys[0]),
	.numbers = numbers,
	.example = example,
	.contacts = contacts,
	.feet = feet,
	.goal = goal,
	.cage = cage,
	.blend = blend,
	.hash = hash,
	.save = save,
	.load = load,
};
