// motion_keys.c: the keys of an object in a scene as keys of the nodes of its model.
#include "base/error.h"
#include "math/quat.h"
#include "objects/design/design.h"

#include <math.h>
#include <string.h>

// The nodes of a key: its pose, or the rest shape; then its handles; then its place.
static lm_status pose_nodes(const lm_design_object* object, const lm_scene_design_key* key, double* nodes,
                            lm_error* error)
{
	const lm_scene_object* description = object->base.description;
	const lm_host* host = &object->base.host;
	const lm_design_model* model = object->model;
	lm_status status = LM_OK;
	lm_design_model_nodes(model, nodes);
	if (key->pose != NULL)
		status = lm_design_fit(model, key->pose->positions, nodes, error);
	if (status == LM_OK && key->handle_count > 0)
	{
		lm_design_pose* pose = NULL;
		status = lm_design_pose_create(model, &description->design->pose, host, &pose, error);
		if (status == LM_OK)
			status = lm_handles_apply(key->handles, key->handle_count, description->mesh, host, pose, error);
		if (status == LM_OK)
		{
			lm_design_pose_set_nodes(pose, nodes);
			lm_design_pose_solve(pose);
			memcpy(nodes, lm_design_pose_nodes(pose), 3 * (size_t)model->node_count * sizeof(double));
		}
		lm_design_pose_destroy(pose);
	}
	const double* q = key->has_rotation ? key->rotation : description->rotation;
	lm_quat rotation = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] });
	lm_vec3 position = lm_v3_at(key->has_position ? key->position : description->position, 0);
	for (int32_t i = 0; i < model->node_count; ++i)
		lm_v3_store(nodes, i, lm_add(position, lm_quat_rotate(rotation, lm_v3_at(nodes, i))));
	return status;
}

// The nodes at a group of vertices: those whose nearest vertex belongs to it; at least one.
static int32_t nodes_at(const lm_design_model* model, const int32_t* vertices, int32_t vertex_count, int32_t* nodes)
{
	const lm_mesh* mesh = model->surface;
	int32_t count = 0, closest = 0;
	double least = INFINITY;
	for (int32_t i = 0; i < model->node_count; ++i)
	{
		double own = INFINITY, any = INFINITY;
		lm_vec3 x = lm_v3_at(model->nodes, i);
		for (int32_t v = 0; v < mesh->vertex_count; ++v)
			any = fmin(any, lm_distance(x, lm_v3_at(mesh->positions, v)));
		for (int32_t k = 0; k < vertex_count; ++k)
			own = fmin(own, lm_distance(x, lm_v3_at(mesh->positions, vertices[k])));
		if (own <= any + 1e-9)
			nodes[count++] = i;
		if (own < least)
			least = own, closest = i;
	}
	if (count == 0)
		nodes[count++] = closest;
	return count;
}

// A key as a motion takes it. positions: node_count x 3; nodes: node_count, for keys of a group.
static lm_status make_key(const lm_design_object* object, const lm_scene_design_key* key, double* positions,
                          int32_t* nodes, lm_design_motion_key* made, lm_error* error)
{
	*made = (lm_design_motion_key){ .time = key->time,
		                            .end = fmin(fmax(key->end, 0), object->base.scene->seconds),
		                            .positions = positions,
		                            .via = key->via,
		                            .broken = key->broken };
	lm_status status = pose_nodes(object, key, positions, error);
	if (status != LM_OK || key->count == 0)
		return status;
	made->count = nodes_at(object->model, key->vertices, key->count, nodes);
	made->nodes = nodes;
	for (int32_t i = 0; i < made->count; ++i) // nodes ascend, so nothing is overwritten too soon
		memmove(positions + 3 * i, positions + 3 * nodes[i], 3 * sizeof(double));
	return LM_OK;
}

// Velocities as a motion takes them.
static bool make_velocities(const lm_design_object* object, lm_arena* memory, lm_design_performance_object* made)
{
	const lm_scene_design* design = object->base.description->design;
	lm_design_motion_velocity* velocities = LM_TAKE(memory, design->velocity_count, lm_design_motion_velocity);
	made->motion.velocity_count = design->velocity_count, made->motion.velocities = velocities;
	for (int32_t k = 0; velocities != NULL && k < design->velocity_count; ++k)
	{
		const lm_scene_design_velocity* v = &design->velocities[k];
		velocities[k] = (lm_design_motion_velocity){ .time = v->time };
		memcpy(velocities[k].linear, v->linear, sizeof v->linear);
		memcpy(velocities[k].angular, v->angular, sizeof v->angular);
		if (v->count == 0)
			continue;
		int32_t* nodes = LM_TAKE(memory, object->model->node_count, int32_t);
		if (nodes == NULL)
			return false;
		velocities[k].count = nodes_at(object->model, v->vertices, v->count, nodes), velocities[k].nodes = nodes;
	}
	return velocities != NULL;
}

lm_status lm_design_make_keys(const lm_design_object* object, lm_arena* memory, lm_design_performance_object* made,
                              lm_error* error)
{
	const lm_scene_design* design = object->base.description->design;
	const lm_scene_design_key still = { .end = -1, .rotation = { 1, 0, 0, 0 } };
	int32_t given;
	const lm_scene_design_key* own = lm_design_keys(object, &given);
	int32_t count = given > 0 ? given : 1;
	size_t n = (size_t)object->model->node_count, all = n * (size_t)count;
	lm_design_motion_key* keys = LM_TAKE(memory, count, lm_design_motion_key);
	double* positions = LM_TAKE(memory, 3 * all, double);
	int32_t* nodes = LM_TAKE(memory, all, int32_t);
	double* start = LM_TAKE(memory, 3 * n, double);
	if (keys == NULL || positions == NULL || nodes == NULL || start == NULL)
		return lm_fail_memory(error);
	lm_status status = pose_nodes(object, &still, start, error);
	for (int32_t k = 0; status == LM_OK && k < count; ++k)
		status = make_key(object, given > 0 ? &own[k] : &still, positions + 3 * n * (size_t)k, nodes + n * (size_t)k,
		                  &keys[k], error);
	*made = lm_design_performance_object_default();
	made->motion.model = object->model;
	made->motion.key_count = count, made->motion.keys = keys;
	if (status == LM_OK && !make_velocities(object, memory, made))
		return lm_fail_memory(error);
	made->motion.frames = design->frames;
	made->motion.linear = design->linear;
	made->dynamics = design->dynamics;
	made->simulated_count = design->simulated_count, made->simulated = design->simulated;
	made->start = start;
	return status;
}
