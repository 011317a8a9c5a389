// design_object.c: the `design` engine as the world sees it. Before the first frame all objects of the engine are
// solved for together; then each plays its motion. Objects with the same mesh and settings share one model.
#include "objects/design/design_object.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "design/performance.h"
#include "math/quat.h"
#include "objects/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A model and how many objects use it.
typedef struct shared_model
{
	lm_design_model* model;
	int32_t users;
} shared_model;

typedef struct design_object
{
	lm_host host;
	char* name;
	lm_mesh* mesh;          // rest shape
	lm_scene_design design; // plain values; keys and velocities are copies
	lm_scene_design_key* keys;
	lm_motion_velocity* velocities;
	lm_simulated* simulated;
	double gravity[3];
	double position[3], rotation[4]; // where it starts
	double seconds, fps;
	int32_t index;        // in the scene
	uint64_t likeness;    // equal for objects that can share a model
	shared_model* shared; // NULL until prepared
	lm_course course;
	lm_performance_report report;
	double time;
	double* nodes; // now, metres
	int64_t steps;
} design_object;

// ---- creation ---------------------------------------------------------------------------------------------------

static void let_go(design_object* object)
{
	shared_model* shared = object->shared;
	object->shared = NULL;
	if (shared == NULL || --shared->users > 0)
		return;
	lm_design_model_destroy(shared->model);
	lm_free(&object->host, shared);
}

static void destroy(void* data)
{
	design_object* object = data;
	if (object == NULL)
		return;
	const lm_host host = object->host;
	for (int32_t k = 0; object->keys != NULL && k < object->design.key_count; ++k)
	{
		lm_mesh_destroy(object->keys[k].pose);
		lm_handles_free(&host, object->keys[k].handles, object->keys[k].handle_count);
		lm_free(&host, object->keys[k].vertices);
	}
	lm_free(&host, object->keys);
	lm_free(&host, object->velocities);
	lm_free(&host, object->simulated);
	lm_course_release(&object->course);
	let_go(object);
	lm_mesh_destroy(object->mesh);
	lm_free(&host, object->nodes);
	lm_free(&host, object->name);
	lm_free(&host, object);
}

static bool keep_key(const lm_host* host, const lm_scene_design_key* key, lm_scene_design_key* kept)
{
	*kept = *key;
	kept->pose = NULL, kept->handles = NULL, kept->handle_count = 0;
	kept->vertices = lm_copy(host, key->vertices, (size_t)key->count, sizeof *key->vertices);
	kept->pose = key->pose != NULL ? lm_mesh_copy(key->pose, host) : NULL;
	kept->handles = LM_NEW(host, key->handle_count, lm_scene_handle);
	bool good = kept->vertices != NULL && (key->pose == NULL || kept->pose != NULL) && kept->handles != NULL;
	for (int32_t i = 0; good && i < key->handle_count; ++i)
	{
		kept->handles[i] = key->handles[i];
		kept->handles[i].vertices =
			lm_copy(host, key->handles[i].vertices, (size_t)key->handles[i].count, sizeof(int32_t));
		kept->handle_count = i + 1;
		good = kept->handles[i].vertices != NULL;
	}
	return good;
}

static uint64_t likeness_of(const lm_mesh* mesh, const lm_scene_design* design)
{
	uint64_t hash = lm_hash(LM_HASH_START, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
	hash = lm_hash(hash, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(int32_t));
	hash = lm_hash(hash, &design->nodes, sizeof design->nodes);
	hash = lm_hash(hash, &design->voxels, sizeof design->voxels);
	return lm_hash(hash, &design->radius, sizeof design->radius);
}

static bool fill(design_object* object, const lm_scene* scene, const lm_scene_object* description)
{
	const lm_scene_design* design = description->design;
	const lm_host* host = &object->host;
	object->design = *design;
	object->design.key_count = 0;
	object->name = lm_copy_text(host, description->name);
	object->mesh = lm_mesh_copy(description->mesh, host);
	object->keys = LM_NEW(host, design->key_count, lm_scene_design_key);
	object->velocities = lm_copy(host, design->velocities, (size_t)design->velocity_count, sizeof *design->velocities);
	object->simulated = lm_copy(host, design->simulated, (size_t)design->simulated_count, sizeof *design->simulated);
	memcpy(object->gravity, scene->gravity, sizeof object->gravity);
	memcpy(object->position, description->position, sizeof object->position);
	memcpy(object->rotation, description->rotation, sizeof object->rotation);
	object->seconds = scene->seconds, object->fps = scene->fps;
	object->index = (int32_t)(description - scene->objects);
	bool good = object->name != NULL && object->mesh != NULL && object->keys != NULL && object->velocities != NULL &&
	            object->simulated != NULL;
	for (int32_t k = 0; good && k < design->key_count; ++k)
	{
		object->design.key_count = k + 1;
		good = keep_key(host, &design->keys[k], &object->keys[k]);
	}
	if (good)
		object->likeness = likeness_of(object->mesh, design);
	return good;
}

static lm_status create(const lm_scene* scene, const lm_scene_object* description, const lm_host* host, void** result,
                        lm_error* error)
{
	design_object* object = LM_NEW(host, 1, design_object);
	if (object == NULL)
		return lm_fail_memory(error);
	object->host = *host;
	if (!fill(object, scene, description))
	{
		destroy(object);
		return lm_fail_memory(error);
	}
	*result = object;
	return LM_OK;
}

// ---- the model --------------------------------------------------------------------------------------------------

static lm_status make_model(design_object* object, lm_error* error)
{
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = object->mesh;
	def.nodes = object->design.nodes, def.radius = object->design.radius, def.voxels = object->design.voxels;
	shared_model* shared = LM_NEW(&object->host, 1, shared_model);
	if (shared == NULL)
		return lm_fail_memory(error);
	lm_status status = lm_design_model_create(&def, &object->host, &shared->model, error);
	if (status != LM_OK)
	{
		if (error != NULL && error->where[0] == 0)
			snprintf(error->where, sizeof error->where, "objects[%d].mesh", object->index);
		lm_free(&object->host, shared);
		return status;
	}
	shared->users = 1;
	object->shared = shared;
	return LM_OK;
}

static lm_status give_nodes(design_object* object, lm_error* error)
{
	lm_free(&object->host, object->nodes);
	object->nodes = LM_NEW(&object->host, 3 * (size_t)lm_design_model_node_count(object->shared->model), double);
	return object->nodes != NULL ? LM_OK : lm_fail_memory(error);
}

static lm_status share_models(design_object* const* objects, int32_t count, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		for (int32_t j = 0; j < i && objects[i]->shared == NULL; ++j)
			if (objects[j]->likeness == objects[i]->likeness)
				objects[i]->shared = objects[j]->shared, objects[j]->shared->users += 1;
		if (objects[i]->shared == NULL)
			status = make_model(objects[i], error);
		if (status == LM_OK)
			status = give_nodes(objects[i], error);
	}
	return status;
}

// ---- keys -------------------------------------------------------------------------------------------------------

// The nodes of a key: its pose, or the rest shape; then its handles; then its place.
static lm_status pose_nodes(const design_object* object, const lm_scene_design_key* key, double* nodes, lm_error* error)
{
	const lm_design_model* model = object->shared->model;
	lm_status status = LM_OK;
	lm_design_model_nodes(model, nodes);
	if (key->pose != NULL)
		status = lm_design_fit(model, key->pose->positions, nodes, error);
	if (status == LM_OK && key->handle_count > 0)
	{
		lm_pose* pose = NULL;
		status = lm_pose_create(model, &object->design.pose, &object->host, &pose, error);
		if (status == LM_OK)
			status = lm_handles_apply(key->handles, key->handle_count, object->mesh, &object->host, pose, error);
		if (status == LM_OK)
		{
			lm_pose_set_nodes(pose, nodes);
			lm_pose_solve(pose);
			memcpy(nodes, lm_pose_nodes(pose), 3 * (size_t)model->node_count * sizeof(double));
		}
		lm_pose_destroy(pose);
	}
	const double* q = key->has_rotation ? key->rotation : object->rotation;
	lm_quat rotation = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	lm_vec3 position = lm_v3_at(key->has_position ? key->position : object->position, 0);
	for (int32_t i = 0; i < model->node_count; ++i)
		lm_v3_store(nodes, i, lm_add(position, lm_quat_rotate(rotation, lm_v3_at(nodes, i))));
	return status;
}

// The nodes at a group of vertices: those whose nearest vertex belongs to it; at least one.
static int32_t nodes_at(const design_object* object, const lm_scene_design_key* key, int32_t* nodes)
{
	const lm_design_model* model = object->shared->model;
	const lm_mesh* mesh = model->surface;
	int32_t count = 0, closest = 0;
	double least = INFINITY;
	for (int32_t i = 0; i < model->node_count; ++i)
	{
		double own = INFINITY, any = INFINITY;
		lm_vec3 x = lm_v3_at(model->nodes, i);
		for (int32_t v = 0; v < mesh->vertex_count; ++v)
			any = fmin(any, lm_distance(x, lm_v3_at(mesh->positions, v)));
		for (int32_t k = 0; k < key->count; ++k)
			own = fmin(own, lm_distance(x, lm_v3_at(mesh->positions, key->vertices[k])));
		if (own <= any + 1e-9)
			nodes[count++] = i;
		if (own < least)
			least = own, closest = i;
	}
	if (count == 0)
		nodes[count++] = closest;
	return count;
}

typedef struct key_memory
{
	lm_motion_key* keys;
	double* positions; // key_count x node_count x 3
	int32_t* nodes;    // key_count x node_count
	double* start;     // node_count x 3
} key_memory;

static void release_keys(const lm_host* host, key_memory* memory)
{
	lm_free(host, memory->keys);
	lm_free(host, memory->positions);
	lm_free(host, memory->nodes);
	lm_free(host, memory->start);
}

static lm_status make_keys(const design_object* object, key_memory* memory, lm_performance_object* made,
                           lm_error* error)
{
	const lm_design_model* model = object->shared->model;
	size_t n = (size_t)model->node_count, count = object->design.key_count > 0 ? (size_t)object->design.key_count : 1;
	const lm_scene_design_key still = { .end = -1, .rotation = { 1, 0, 0, 0 } };
	memory->keys = LM_NEW(&object->host, count, lm_motion_key);
	memory->positions = LM_NEW(&object->host, 3 * n * count, double);
	memory->nodes = LM_NEW(&object->host, n * count, int32_t);
	memory->start = LM_NEW(&object->host, 3 * n, double);
	if (memory->keys == NULL || memory->positions == NULL || memory->nodes == NULL || memory->start == NULL)
		return lm_fail_memory(error);
	lm_status status = pose_nodes(object, &still, memory->start, error);
	for (size_t k = 0; status == LM_OK && k < count; ++k)
	{
		const lm_scene_design_key* key = object->design.key_count > 0 ? &object->keys[k] : &still;
		double* positions = memory->positions + 3 * n * k;
		status = pose_nodes(object, key, positions, error);
		memory->keys[k] = (lm_motion_key){ .time = key->time,
			                               .end = fmin(fmax(key->end, 0), object->seconds),
			                               .positions = positions,
			                               .via = key->via,
			                               .broken = key->broken };
		if (status != LM_OK || key->count == 0)
			continue;
		int32_t* nodes = memory->nodes + n * k;
		memory->keys[k].count = nodes_at(object, key, nodes);
		memory->keys[k].nodes = nodes;
		for (int32_t i = 0; i < memory->keys[k].count; ++i) // nodes ascend, so nothing is overwritten too soon
			memmove(positions + 3 * i, positions + 3 * nodes[i], 3 * sizeof(double));
	}
	*made = lm_performance_object_default();
	made->motion.model = model;
	made->motion.key_count = (int32_t)count, made->motion.keys = memory->keys;
	made->motion.velocity_count = object->design.velocity_count, made->motion.velocities = object->velocities;
	made->motion.frames = object->design.frames;
	made->dynamics = object->design.dynamics;
	made->simulated_count = object->design.simulated_count, made->simulated = object->simulated;
	made->start = memory->start;
	return status;
}

// ---- the motion -------------------------------------------------------------------------------------------------

static void show(design_object* object)
{
	lm_course_nodes(&object->course, object->time, object->nodes, NULL);
}

// "object 2: ..." by its name.
static void name_object(design_object* const* objects, int32_t count, lm_error* error)
{
	const char* rest = error != NULL ? strchr(error->message, ':') : NULL;
	if (rest == NULL || error->element < 0 || error->element >= count || strncmp(error->message, "object ", 7) != 0)
		return;
	char text[sizeof error->message];
	snprintf(text, sizeof text, "object \"%.60s\"%s", objects[error->element]->name, rest);
	memcpy(error->message, text, sizeof text);
}

// The first key of the object that lies in an obstacle is a mistake in the scene.
static lm_status check_keys(const design_object* object, const lm_motion_object* motion,
                            const lm_motion_settings* settings, const lm_colliders* colliders, lm_error* error)
{
	lm_motion_depth* found = LM_NEW(&object->host, motion->key_count, lm_motion_depth);
	lm_status status = found != NULL ? lm_motion_key_depths(motion, colliders, 0, settings, &object->host, found, error)
	                                 : lm_fail_memory(error);
	for (int32_t k = 0; status == LM_OK && k < motion->key_count; ++k)
	{
		char where[64];
		bool own = object->design.key_count > 0; // without keys it rests where it starts
		snprintf(where, sizeof where, own ? "objects[%d].design.keys[%d]" : "objects[%d].position", object->index, k);
		if (found[k].collider >= 0)
			status = lm_fail_at(error, LM_BAD_INPUT, "", where,
			                    "is %.3g m inside colliders[%d] at %g s; move it out, for a motion has to pass through "
			                    "its keys",
			                    found[k].depth, found[k].collider, motion->keys[k].time);
	}
	lm_free(&object->host, found);
	return status;
}

static lm_status check_visited(void* context, const lm_motion_settings* settings, const lm_performance_object* made,
                               int32_t count, const lm_colliders* colliders, lm_error* error)
{
	design_object* const* objects = context;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && lm_colliders_count(colliders) > 0 && i < count; ++i)
		status = check_keys(objects[i], &made[i].motion, settings, colliders, error);
	return status;
}

static lm_status check_all(void* const* data, int32_t count, lm_colliders* colliders, lm_error* error)
{
	lm_status status = lm_design_objects_visit(data, count, colliders, check_visited, (void*)data, error);
	for (int32_t i = 0; i < count; ++i) // what has a model is taken for prepared
		let_go(data[i]);
	return status;
}

static lm_status solve(design_object* const* objects, int32_t count, const lm_performance_object* made,
                       const lm_colliders* colliders, lm_error* error)
{
	const design_object* first = objects[0];
	lm_performance* performance = NULL;
	lm_performance_settings settings = { .motion = first->design.motion, .rate = first->design.rate };
	settings.motion.seconds = first->seconds, settings.motion.fps = first->fps;
	memcpy(settings.gravity, first->gravity, sizeof settings.gravity);
	lm_status status = lm_performance_create(made, count, colliders, 0, &settings, &first->host, &performance, error);
	if (status == LM_BAD_INPUT)
		name_object(objects, count, error);
	if (status != LM_OK)
		return status;
	for (int32_t i = 0; i < count; ++i)
	{
		objects[i]->report = lm_performance_get_report(performance, i);
		lm_performance_take_course(performance, i, &objects[i]->course);
		show(objects[i]);
	}
	const lm_motion_report all = lm_performance_get_report(performance, -1).motion;
	if (!all.collision_free)
		lm_log(&first->host, LM_LOG_WARNING,
		       "design: the motion is not free of collisions: %.2g of the size into obstacles, %.2g into other objects",
		       all.obstacle_depth, all.pair_depth);
	lm_performance_destroy(performance);
	return LM_OK;
}

static lm_status take_solution(void* context, const lm_motion_settings* settings, const lm_performance_object* made,
                               int32_t count, const lm_colliders* colliders, lm_error* error)
{
	lm_status status = check_visited(context, settings, made, count, colliders, error);
	return status == LM_OK ? solve(context, count, made, colliders, error) : status;
}

static lm_status prepare_all(void* const* data, int32_t count, lm_colliders* colliders, lm_error* error)
{
	return lm_design_objects_visit(data, count, colliders, take_solution, (void*)data, error);
}

lm_status lm_design_objects_visit(void* const* data, int32_t count, const lm_colliders* colliders,
                                  lm_design_visit* visit, void* context, lm_error* error)
{
	design_object* const* objects = (design_object* const*)data;
	const lm_host* host = &objects[0]->host;
	lm_status status = share_models(objects, count, error);
	key_memory* memory = LM_NEW(host, count, key_memory);
	lm_performance_object* made = LM_NEW(host, count, lm_performance_object);
	if (status == LM_OK && (memory == NULL || made == NULL))
		status = lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
		status = make_keys(objects[i], &memory[i], &made[i], error);
	lm_motion_settings settings = objects[0]->design.motion;
	settings.seconds = objects[0]->seconds, settings.fps = objects[0]->fps;
	if (status == LM_OK)
		status = visit(context, &settings, made, count, colliders, error);
	for (int32_t i = 0; memory != NULL && i < count; ++i)
		release_keys(host, &memory[i]);
	lm_free(host, memory);
	lm_free(host, made);
	return status;
}

static void step(void* data, double time, double h, lm_colliders* colliders)
{
	design_object* object = data;
	(void)colliders;
	object->time = time + h;
	object->steps += 1;
	show(object);
}

// ---- reading ----------------------------------------------------------------------------------------------------

static int32_t point_count(const void* object)
{
	return ((const design_object*)object)->mesh->vertex_count;
}

static int64_t unknowns(const void* object)
{
	return ((const design_object*)object)->report.motion.variables;
}

static void points(const void* data, double* positions)
{
	const design_object* object = data;
	if (object->shared != NULL)
	{
		lm_design_surface(object->shared->model, object->nodes, object->host.threads, positions, NULL);
		return;
	}
	const double* q = object->rotation;
	lm_quat rotation = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	for (int32_t v = 0; v < object->mesh->vertex_count; ++v)
		lm_v3_store(
			positions, v,
			lm_add(lm_v3_at(object->position, 0), lm_quat_rotate(rotation, lm_v3_at(object->mesh->positions, v))));
}

// Of the nodes, or before there are any of the vertices.
static void center(const void* data, double c[3])
{
	const design_object* object = data;
	lm_vec3 sum = { 0, 0, 0 };
	int32_t count = object->shared != NULL ? object->shared->model->node_count : object->mesh->vertex_count;
	const double* x = object->shared != NULL ? object->nodes : object->mesh->positions;
	for (int32_t i = 0; i < count; ++i)
		sum = lm_add_scaled(sum, 1.0 / count, lm_v3_at(x, i));
	const double* q = object->rotation;
	if (object->shared == NULL)
		sum = lm_add(lm_v3_at(object->position, 0),
		             lm_quat_rotate(lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] }), sum));
	lm_v3_store(c, 0, sum);
}

static double max_penetration(const void* data)
{
	const design_object* object = data;
	double size = object->shared != NULL ? object->shared->model->size : 0;
	return size * fmax(object->report.motion.obstacle_depth, object->report.motion.pair_depth);
}

static int64_t steps(const void* object)
{
	return ((const design_object*)object)->steps;
}

static int32_t parameters(const void* object)
{
	return (int32_t)fmin((double)((const design_object*)object)->report.motion.variables, INT32_MAX);
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

static void statistics(const void* data, double* values)
{
	const lm_performance_report* report = &((const design_object*)data)->report;
	const lm_motion_report* r = &report->motion;
	values[0] = (double)r->variables;
	values[1] = r->seconds;
	values[2] = r->key_error;
	values[3] = r->obstacle_depth;
	values[4] = r->pair_depth;
	values[5] = r->frames_inserted;
	values[6] = report->simulate_seconds;
}

static uint64_t hash(const void* data)
{
	const design_object* object = data;
	uint64_t hash = lm_hash(LM_HASH_START, &object->time, sizeof object->time);
	if (object->shared == NULL)
		return hash;
	return lm_hash(hash, object->nodes, 3 * (size_t)object->shared->model->node_count * sizeof(double));
}

static void save(const void* data, lm_blob* blob)
{
	const design_object* object = data;
	bool prepared = object->shared != NULL;
	lm_blob_put(blob, &prepared, sizeof prepared);
	lm_blob_put(blob, &object->time, sizeof object->time);
	lm_blob_put(blob, &object->steps, sizeof object->steps);
	lm_blob_put(blob, &object->report, sizeof object->report);
	if (prepared)
		lm_course_save(&object->course, blob);
}

static lm_status load(void* data, lm_blob* blob, lm_error* error)
{
	design_object* object = data;
	bool prepared = false;
	lm_blob_get(blob, &prepared, sizeof prepared);
	lm_blob_get(blob, &object->time, sizeof object->time);
	lm_blob_get(blob, &object->steps, sizeof object->steps);
	lm_blob_get(blob, &object->report, sizeof object->report);
	if (!prepared)
		return LM_OK;
	lm_status status = object->shared == NULL ? make_model(object, error) : LM_OK;
	if (status == LM_OK)
		status = give_nodes(object, error);
	if (status != LM_OK)
		return status;
	lm_course_release(&object->course);
	object->course = (lm_course){ .host = object->host, .model = object->shared->model };
	status = lm_course_load(&object->course, blob, error);
	if (status == LM_OK)
		show(object);
	return status;
}

const lm_engine lm_engine_design = {
	.name = "design",
	.create = create,
	.destroy = destroy,
	.check_all = check_all,
	.prepare_all = prepare_all,
	.step = step,
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
