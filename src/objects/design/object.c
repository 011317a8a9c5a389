// object.c: the `design` engine as the world sees it: its objects play the motions that prepare.c finds, and go on with
// what is simulated as the world steps (play.h).
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/quat.h"
#include "objects/design/guest.h"
#include "objects/design/play.h"
#include "objects/live.h"
#include "objects/objects.h"
#include "scene/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- creation ---------------------------------------------------------------------------------------------------

static uint64_t find_model_key(const lm_mesh* mesh, const lm_scene_design* design)
{
	uint64_t hash = lm_hash(LM_HASH_START, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
	hash = lm_hash(hash, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(int32_t));
	hash = lm_hash(hash, &design->nodes, sizeof design->nodes);
	hash = lm_hash(hash, &design->voxels, sizeof design->voxels);
	if (design->node_density != NULL)
		hash = lm_hash(hash, design->node_density, (size_t)mesh->vertex_count * sizeof(double));
	return lm_hash(hash, &design->radius, sizeof design->radius);
}

static lm_status create(lm_object* base, lm_error* error)
{
	(void)error;
	((lm_design_object*)base)->model_key = find_model_key(base->description->mesh, base->description->design);
	return LM_OK;
}

static void destroy(lm_object* base)
{
	lm_design_object* object = (lm_design_object*)base;
	lm_design_plan_forget(object);
	if (object->play != NULL && object->number == 0)
		lm_design_play_destroy(object->play);
	lm_design_guest_destroy(object->guest);
	if (object->owns_model)
		lm_design_model_destroy(object->model);
}

// ---- the model --------------------------------------------------------------------------------------------------

static lm_status create_model(lm_design_object* object, lm_error* error)
{
	const lm_object* base = &object->base;
	const lm_scene_design* design = base->description->design;
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = base->description->mesh;
	def.nodes = design->nodes, def.radius = design->radius, def.voxels = design->voxels;
	def.density = design->node_density;
	lm_status status = lm_design_model_create(&def, &base->host, &object->model, error);
	object->owns_model = status == LM_OK;
	if (status == LM_BAD_INPUT && error != NULL && error->where[0] == 0)
		snprintf(error->where, sizeof error->where, "objects[%d].mesh",
		         (int)(base->description - base->scene->objects));
	return status;
}

static lm_status allocate_nodes(lm_design_object* object, lm_error* error)
{
	size_t numbers = 3 * (size_t)object->model->node_count;
	object->other = LM_TAKE(&object->base.memory, 2 * numbers, double);
	object->nodes = object->other != NULL ? LM_TAKE(&object->base.memory, numbers, double) : NULL;
	return object->nodes != NULL ? LM_OK : lm_fail_memory(error);
}

lm_status lm_design_make_model(lm_design_object* object, lm_error* error)
{
	lm_status status = object->model == NULL ? create_model(object, error) : LM_OK;
	return status == LM_OK && object->nodes == NULL ? allocate_nodes(object, error) : status;
}

// ---- stepping ---------------------------------------------------------------------------------------------------

const lm_design_course* lm_design_course_of(const lm_design_object* object)
{
	return &object->play->performance->performers[object->number].course;
}

lm_design_performance_report lm_design_report_of(const lm_design_object* object)
{
	return object->play != NULL ? lm_design_performance_get_report(object->play->performance, object->number)
	                            : (lm_design_performance_report){ 0 };
}

void lm_design_show(lm_design_object* object)
{
	lm_design_course_nodes(lm_design_course_of(object), object->time, object->nodes, NULL);
}

static lm_status direct(lm_object* base, lm_colliders* colliders, lm_error* error)
{
	(void)colliders;
	lm_design_let_go((lm_design_object*)base);
	lm_status status = lm_live_pin(base, error);
	if (status == LM_OK)
		lm_live_drag(base);
	return status;
}

// All of them play together, up to the latest end of a step.
static lm_status step(lm_object* const* objects, int32_t count, lm_colliders* colliders, lm_error* error)
{
	(void)colliders;
	double until = 0;
	lm_design_play* play = ((lm_design_object*)objects[0])->play;
	for (int32_t i = 0; i < count; ++i)
		if (objects[i]->due)
			until = fmax(until, objects[i]->time + objects[i]->h);
	lm_status status = lm_design_play_advance(play, until, error);
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
	{
		lm_design_object* object = (lm_design_object*)objects[i];
		if (!object->base.due)
			continue;
		object->time = object->base.time + object->base.h;
		object->steps += 1;
		lm_design_show(object);
	}
	return status;
}

// ---- reading ----------------------------------------------------------------------------------------------------

// A point of the mesh where the object starts.
static lm_vec3 place(const lm_scene_object* description, lm_vec3 x)
{
	const double* q = description->rotation;
	lm_quat rotation = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	return lm_add(lm_v3_at(description->position, 0), lm_quat_rotate(rotation, x));
}

static void points(const lm_object* base, double* positions)
{
	const lm_design_object* object = (const lm_design_object*)base;
	const lm_mesh* mesh = base->description->mesh;
	if (object->play != NULL)
		lm_design_surface(object->model, object->nodes, base->host.threads, positions, NULL);
	for (int32_t v = 0; v < mesh->vertex_count && object->play == NULL; ++v)
		lm_v3_store(positions, v, place(base->description, lm_v3_at(mesh->positions, v)));
}

lm_design_object* lm_object_design(lm_object* object)
{
	return object->engine == &lm_engine_design ? (lm_design_object*)object : NULL;
}

// Vertices are weighted sums of the nodes, and so are their velocities.
void lm_object_design_at(lm_object* base, double time, double* positions, double* velocities)
{
	lm_design_object* object = (lm_design_object*)base;
	size_t numbers = 3 * (size_t)base->description->mesh->vertex_count;
	if (object->play == NULL)
	{
		points(base, positions);
		if (velocities != NULL)
			memset(velocities, 0, numbers * sizeof *velocities);
		return;
	}
	double* speeds = object->other + 3 * (size_t)object->model->node_count;
	lm_design_course_nodes(lm_design_course_of(object), time, object->other, speeds);
	lm_design_surface(object->model, object->other, base->host.threads, positions, NULL);
	if (velocities != NULL)
		lm_design_surface(object->model, speeds, base->host.threads, velocities, NULL);
}

// Of the nodes, or before there are any of the vertices.
static lm_vec3 find_center(const lm_design_object* object)
{
	const lm_scene_object* description = object->base.description;
	int32_t count = object->play != NULL ? object->model->node_count : description->mesh->vertex_count;
	const double* x = object->play != NULL ? object->nodes : description->mesh->positions;
	lm_vec3 sum = { 0, 0, 0 };
	for (int32_t i = 0; i < count; ++i)
		sum = lm_add_scaled(sum, 1.0 / count, lm_v3_at(x, i));
	return object->play != NULL ? sum : place(description, sum);
}

static lm_object_facts facts(const lm_object* base)
{
	const lm_design_object* object = (const lm_design_object*)base;
	const lm_design_performance_report report = lm_design_report_of(object);
	const lm_design_motion_report* r = &report.motion;
	lm_object_facts facts = { .point_count = base->description->mesh->vertex_count,
		                      .unknowns = r->variables,
		                      .parameters = (int32_t)fmin((double)r->variables, INT32_MAX),
		                      .steps = object->steps,
		                      .mass = lm_design_mass_of(object) };
	if (object->play != NULL)
		facts.max_penetration = object->model->size * fmax(r->obstacle_depth, r->pair_depth);
	lm_v3_store(facts.center, 0, find_center(object));
	return facts;
}

static const lm_statistic_key statistic_keys[] = {
	{ "variables", "", "numbers that the motion has: three for every node and frame, keys included", true },
	{ "solve_seconds", "s", "time that finding the motion took, of all objects together", false },
	{ "key_error", "", "largest distance of a node from its key, relative to size", false },
	{ "obstacle_depth", "", "deepest in a collider, relative to size, at ten times the frame rate", false },
	{ "pair_depth", "", "deepest in another object, relative to size, at ten times the frame rate", false },
	{ "frames_inserted", "", "frames that were added to those of the keys", true },
	{ "simulate_seconds", "s", "time that secondary motion and simulated parts took, of all objects together", false },
};

static void statistics(const lm_object* base, double* values)
{
	const lm_design_performance_report report = lm_design_report_of((const lm_design_object*)base);
	const lm_design_motion_report* r = &report.motion;
	values[0] = (double)r->variables;
	values[1] = r->seconds;
	values[2] = r->key_error;
	values[3] = r->obstacle_depth;
	values[4] = r->pair_depth;
	values[5] = r->frames_inserted;
	values[6] = report.simulate_seconds;
}

// ---- state ------------------------------------------------------------------------------------------------------

static uint64_t hash(const lm_object* base)
{
	const lm_design_object* object = (const lm_design_object*)base;
	uint64_t hash = lm_hash(LM_HASH_START, &object->time, sizeof object->time);
	if (object->play == NULL)
		return hash;
	return lm_hash(hash, object->nodes, 3 * (size_t)object->model->node_count * sizeof(double));
}

// The first of them has what all of them play.
static bool is_first(const lm_object* base)
{
	for (int32_t i = 0; base->all[i] != base; ++i)
		if (base->all[i]->engine == base->engine)
			return false;
	return true;
}

// What commands have changed of all designed objects: it must be there before what they play is.
static void save_plans(const lm_object* first, lm_blob* blob)
{
	for (int32_t i = 0; i < first->scene->object_count; ++i)
		if (first->all[i]->engine == first->engine)
			lm_design_plan_save((const lm_design_object*)first->all[i], blob);
}

// Whether commands have changed the keys of any.
static bool has_told(const lm_object* first)
{
	bool told = false;
	for (int32_t i = 0; i < first->scene->object_count; ++i)
		if (first->all[i]->engine == first->engine)
			told |= ((const lm_design_object*)first->all[i])->told != NULL;
	return told;
}

static lm_status load_plans(const lm_object* first, lm_blob* blob, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < first->scene->object_count; ++i)
		if (first->all[i]->engine == first->engine)
			status = lm_design_plan_load((lm_design_object*)first->all[i], blob, error);
	return status;
}

static void save(const lm_object* base, lm_blob* blob)
{
	const lm_design_object* object = (const lm_design_object*)base;
	const bool plays = object->play != NULL, owns = plays && object->number == 0;
	const bool finished = owns && object->play->performance->finished;
	lm_blob_put(blob, &plays, sizeof plays);
	lm_blob_put(blob, &object->time, sizeof object->time);
	lm_blob_put(blob, &object->steps, sizeof object->steps);
	lm_blob_put(blob, &finished, sizeof finished);
	if (is_first(base))
		save_plans(base, blob);
	if (owns)
		lm_design_performance_save(object->play->performance, blob);
}

// All designed objects of the world, this one being the first.
static lm_status load_play(lm_design_object* first, bool finished, lm_blob* blob, lm_error* error)
{
	const lm_object* base = &first->base;
	lm_design_play* play = first->play;
	if (play == NULL || play->performance->finished != finished)
	{
		lm_object** objects = LM_NEW(&base->host, base->scene->object_count, lm_object*);
		if (objects == NULL)
			return lm_fail_memory(error);
		int32_t count = 0;
		for (int32_t i = 0; i < base->scene->object_count; ++i)
			if (base->all[i]->engine == base->engine)
				objects[count++] = base->all[i];
		lm_design_play_destroy(play);
		lm_status status = lm_design_play_create(objects, count, finished, error);
		lm_free(&base->host, objects);
		if (status != LM_OK)
			return status;
	}
	lm_status status = lm_design_performance_load(first->play->performance, blob, error);
	if (status != LM_OK)
		lm_design_play_destroy(first->play);
	return status;
}

static lm_status load(lm_object* base, lm_blob* blob, lm_error* error)
{
	lm_design_object* object = (lm_design_object*)base;
	bool plays = false, finished = false;
	const lm_bytes head[4] = { lm_bools(&plays, 1), lm_doubles_in(&object->time, 1, 0, 1e12),
		                       lm_counts(&object->steps, 1), lm_bools(&finished, 1) };
	lm_bytes_get(head, 4, blob);
	if (blob->failed)
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint is damaged");
	bool told = has_told(base);
	lm_status status = is_first(base) ? load_plans(base, blob, error) : LM_OK;
	if (is_first(base) && (told || has_told(base)))
		lm_design_play_destroy(object->play); // it may be of other keys
	if (status == LM_OK && is_first(base) && plays)
		status = load_play(object, finished, blob, error);
	else if (status == LM_OK && is_first(base))
		lm_design_play_destroy(object->play);
	if (status == LM_OK && plays != (object->play != NULL))
		status = lm_fail(error, LM_BAD_INPUT, "the checkpoint is damaged");
	if (status == LM_OK && plays)
		lm_design_show(object);
	return status;
}

const lm_engine lm_engine_design = {
	.name = "design",
	.table = &lm_design_table,
	.settings = offsetof(lm_scene_object, design),
	.density = 1000,
	.elements = lm_design_elements,
	.resolve = lm_design_resolve,
	.release = lm_design_release,
	.check_settings = lm_design_check_object,
	.object_size = sizeof(lm_design_object),
	.create = create,
	.destroy = destroy,
	.check = lm_design_check,
	.prepare = lm_design_prepare,
	.instead =
		"it is designed all the time; change its keys and their handles, or give it a time in which it is simulated",
	.direct = direct,
	.plan = lm_design_plan,
	.plan_hash = lm_design_plan_hash,
	.step = step,
	.can_be_held = lm_design_can_be_held,
	.pin = lm_design_pin,
	.unpin = lm_design_unpin,
	.drag = lm_design_drag,
	.push = lm_design_push,
	.mass_of = lm_design_mass_at,
	.velocities = lm_design_velocities,
	.points = points,
	.facts = facts,
	.statistic_keys = statistic_keys,
	.statistic_count = (int32_t)(sizeof statistic_keys / sizeof statistic_keys[0]),
	.statistics = statistics,
	.hash = hash,
	.save = save,
	.load = load,
};
