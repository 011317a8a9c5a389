// plan.c: commands about keys of `design` and the handles of their poses. What they change is the plan of a motion: all
// of it is found anew, at once, so that a command that cannot be says so, and leaves the world as it was.
#include "base/arena.h"
#include "base/blob.h"
#include "base/error.h"
#include "math/vec.h"
#include "mesh/topology.h"
#include "objects/objects.h"
#include "world/touch.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum
{
	MOST_VERTICES = 48 // of a patch: more would cost time and hold no better
};

static const double hard_weight = 1000, usual_radius = 0.05; // of the size

static lm_object* object_of(const lm_world* world, const lm_command* command)
{
	bool there = command->object >= 0 && command->object < world->object_count;
	return there ? world->objects[command->object].object : NULL;
}

bool lm_command_plans(const lm_world* world, const lm_command* command)
{
	const lm_object* object = object_of(world, command);
	bool frees = command->kind == LM_COMMAND_FREE && command->key[0] == 0 && command->example < 0 && object != NULL &&
	             object->engine->plan != NULL;
	return command->kind >= LM_COMMAND_KEY || frees;
}

int32_t lm_world_keys(const lm_world* world, int32_t i, lm_world_key* result, int32_t capacity)
{
	if (i < 0 || i >= world->object_count || world->scene->objects[i].design == NULL)
		return 0;
	const lm_scene_design* design = world->scene->objects[i].design;
	int32_t count = design->key_count;
	const int32_t* origins = NULL;
	const lm_scene_design_key* keys = lm_object_design_keys(world->objects[i].object, &count, &origins);
	if (keys == NULL)
		keys = design->keys;
	for (int32_t k = 0; k < count && k < capacity; ++k)
		result[k] = (lm_world_key){ .time = keys[k].time,
			                        .until = keys[k].end,
			                        .via = keys[k].via,
			                        .part = keys[k].count > 0,
			                        .told = origins != NULL &&
			                                (origins[k] < 0 || keys[k].time != design->keys[origins[k]].time),
			                        .handle_count = keys[k].handle_count };
	return count;
}

// ---- what a handle holds ----

// The vertices that carry the place, that which does most first.
static int32_t find_carriers(lm_world* world, const lm_command* command, const lm_mesh* mesh, int32_t* queue,
                             lm_vec3* at)
{
	const lm_world_display* display = &world->displays[command->object];
	const int32_t* corners = display->mesh->triangles + 3 * (int64_t)command->triangle;
	lm_binding_view view = lm_binding_get(display->binding);
	int32_t count = 0;
	double most = -1;
	*at = (lm_vec3){ 0 };
	for (int c = 0; c < 3; ++c)
		for (int64_t k = view.starts[corners[c]]; k < view.starts[corners[c] + 1]; ++k)
		{
			int32_t vertex = view.points[k], known = 0;
			double weight = command->place[c] * view.weights[k];
			*at = lm_add_scaled(*at, weight, lm_v3_at(mesh->positions, vertex));
			while (known < count && queue[known] != vertex)
				++known;
			if (known == count)
				queue[count++] = vertex;
			if (weight > most)
			{
				queue[known] = queue[0], queue[0] = vertex;
				most = weight;
			}
		}
	return count;
}

// And those that are reached from them along edges within the radius, at rest; of many, every so manyth.
static lm_status find_patch(lm_world* world, const lm_command* command, lm_arena* memory, lm_plan_change* change,
                            lm_error* error)
{
	const lm_mesh* mesh = world->scene->objects[command->object].mesh;
	int32_t* queue = LM_TAKE(memory, mesh->vertex_count, int32_t);
	bool* reached = LM_TAKE(memory, mesh->vertex_count, bool);
	lm_adjacency neighbours;
	if (queue == NULL || reached == NULL)
		return lm_fail_memory(error);
	lm_status status = lm_topology_neighbours(mesh, &world->host, &neighbours, error);
	if (status != LM_OK)
		return status;
	memset(reached, 0, (size_t)mesh->vertex_count * sizeof *reached);
	bool one = command->vertex >= 0;
	double size = world->objects[command->object].size;
	double radius = command->radius > 0 || one ? command->radius : usual_radius * size;
	int32_t count = 1;
	lm_vec3 at = lm_v3_at(mesh->positions, one ? command->vertex : 0);
	if (one)
		queue[0] = command->vertex;
	else
		count = find_carriers(world, command, mesh, queue, &at);
	for (int32_t i = 0; i < count; ++i)
		reached[queue[i]] = true;
	for (int32_t next = 0; next < count; ++next)
		for (int64_t k = neighbours.starts[queue[next]]; k < neighbours.starts[queue[next] + 1]; ++k)
		{
			int32_t v = neighbours.items[k];
			if (!reached[v] && lm_distance(lm_v3_at(mesh->positions, v), at) < radius)
				reached[v] = true, queue[count++] = v;
		}
	lm_adjacency_release(&neighbours, &world->host);
	change->vertices = queue;
	change->count = count < MOST_VERTICES ? count : MOST_VERTICES;
	for (int32_t k = 0; k < change->count; ++k)
		queue[k] = queue[(int64_t)k * count / change->count];
	return LM_OK;
}

static lm_status find_vertices(lm_world* world, const lm_command* command, lm_arena* memory, lm_plan_change* change,
                               lm_error* error)
{
	const lm_scene_object* description = &world->scene->objects[command->object];
	const lm_mesh* mesh = description->mesh;
	if (!(command->radius >= 0 && command->radius <= 1e9))
		return lm_fail(error, LM_BAD_INPUT, "the radius is %g m, must be at least 0", command->radius);
	if (command->group[0] != 0)
	{
		int32_t group = lm_mesh_find_group(mesh, change->group);
		if (group < 0 || mesh->groups[group].count == 0)
			return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has no group \"%.60s\"%s", description->name,
			               change->group, group < 0 ? "" : " with vertices in it");
		change->vertices = mesh->groups[group].vertices, change->count = mesh->groups[group].count;
		return LM_OK;
	}
	if (command->vertex >= mesh->vertex_count)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has no vertex %d: its mesh has %d, counted from 0",
		               description->name, command->vertex, mesh->vertex_count);
	lm_status status = command->vertex < 0 ? lm_command_check_place(world, command, error) : LM_OK;
	return status == LM_OK ? find_patch(world, command, memory, change, error) : status;
}

// ---- changes ----

static lm_status check_rotation(const double q[4], lm_error* error)
{
	double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
	return length == 0 || (length > 1e-9 && length < 1e9)
	           ? LM_OK
	           : lm_fail(error, LM_BAD_INPUT, "the rotation must be a unit quaternion [w, x, y, z]");
}

// The command as what the engine takes. group: room for its name.
static lm_status make_change(lm_world* world, const lm_command* command, char group[64], lm_arena* memory,
                             lm_plan_change* change, lm_error* error)
{
	static const lm_plan_kind kinds[] = { LM_PLAN_KEY, LM_PLAN_REMOVE_KEY, LM_PLAN_HANDLE, LM_PLAN_REMOVE_HANDLE,
		                                  LM_PLAN_MOVE_KEY };
	bool frees = command->kind == LM_COMMAND_FREE;
	memcpy(group, command->group, 64);
	group[63] = 0;
	*change = (lm_plan_change){ .kind = frees ? LM_PLAN_FREE : kinds[command->kind - LM_COMMAND_KEY],
		                        .time = command->time,
		                        .to_time = command->to_time,
		                        .via = command->via,
		                        .stays = command->stays,
		                        .group = group,
		                        .weight = command->weight * (command->hard ? hard_weight : 1) };
	bool handle = command->kind == LM_COMMAND_HANDLE || command->kind == LM_COMMAND_REMOVE_HANDLE;
	if (!frees && !(fabs(command->time) <= 1e9 && fabs(command->to_time) <= 1e9))
		return lm_fail(error, LM_BAD_INPUT, "the time of the key is not a number");
	if (command->kind == LM_COMMAND_HANDLE && !(command->weight >= 0 && command->weight <= 1e6))
		return lm_fail(error, LM_BAD_INPUT, "the weight is %g, must be between 0 and 1e6", command->weight);
	lm_status status = check_rotation(command->rotation, error);
	if (status == LM_OK)
		status = lm_command_check_vector(command->to, "the target", error);
	memcpy(change->to, command->to, sizeof change->to);
	memcpy(change->rotation, command->rotation, sizeof change->rotation);
	return status == LM_OK && handle ? find_vertices(world, command, memory, change, error) : status;
}

// Finds the motions anew, and shows them.
static lm_status solve(lm_world* world, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t e = 0; e < lm_engine_count() && status == LM_OK; ++e)
	{
		const lm_engine* engine = lm_engine_at(e);
		int32_t count = world->starts[e + 1] - world->starts[e];
		if (engine->plan != NULL && count > 0)
			status = engine->prepare(world->order + world->starts[e], count, world->colliders, error);
	}
	for (int32_t i = 0; i < world->display_count; ++i)
		world->displays[i].frame = -1;
	lm_world_move_led(world);
	return lm_world_place_error(world, status, error);
}

// A key without a place is where the motion has the object: that of the keys before it.
static bool needs_motion(const lm_command* command)
{
	const double* q = command->rotation;
	return command->kind == LM_COMMAND_KEY && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

static lm_status change_all(lm_world* world, const lm_command* commands, int32_t count, lm_error* error)
{
	lm_arena memory;
	lm_arena_init(&memory, &world->host);
	lm_status status = LM_OK;
	bool due = false;
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
	{
		char group[64];
		lm_plan_change change;
		lm_object* object = object_of(world, &commands[i]);
		if (due && needs_motion(&commands[i]))
			status = solve(world, error);
		if (status == LM_OK)
			status = make_change(world, &commands[i], group, &memory, &change, error);
		if (status == LM_OK)
			status = object->engine->plan(object, &change, error);
		due = true;
		lm_arena_reset(&memory);
	}
	lm_arena_release(&memory);
	return status == LM_OK && due ? solve(world, error) : status;
}

static lm_status check_objects(const lm_world* world, const lm_command* commands, int32_t count, lm_error* error)
{
	for (int32_t i = 0; i < count; ++i)
	{
		const lm_object* object = object_of(world, &commands[i]);
		if (object == NULL)
			return lm_fail(error, LM_BAD_INPUT, "there is no object %d: the world has %d, counted from 0",
			               commands[i].object, world->object_count);
		if (object->engine->plan == NULL)
			return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": objects of %s have no keys; those of design do",
			               object->description->name, object->engine->name);
		if (!lm_command_plans(world, &commands[i]))
			return lm_fail(error, LM_BAD_INPUT, "command %d is not about keys or handles", i);
	}
	return LM_OK;
}

// The state of all that is planned; to be put back when something cannot be.
static void keep(const lm_world* world, lm_blob* blob)
{
	for (int32_t i = 0; i < world->object_count; ++i)
		if (world->objects[i].object->engine->plan != NULL)
			world->objects[i].object->engine->save(world->objects[i].object, blob);
}

static void put_back(lm_world* world, lm_blob* blob)
{
	for (int32_t i = 0; i < world->object_count; ++i)
		if (world->objects[i].object->engine->plan != NULL)
			world->objects[i].object->engine->load(world->objects[i].object, blob, NULL);
	for (int32_t i = 0; i < world->display_count; ++i)
		world->displays[i].frame = -1;
	lm_world_move_led(world);
}

lm_status lm_world_plan(lm_world* world, const lm_command* commands, int32_t count, lm_error* error)
{
	lm_status status = check_objects(world, commands, count, error);
	if (status == LM_OK)
		status = lm_world_prepare(world, error);
	if (status != LM_OK || count == 0)
		return status;
	lm_blob before;
	lm_blob_init(&before, &world->host);
	keep(world, &before);
	status = before.failed ? lm_fail_memory(error) : change_all(world, commands, count, error);
	if (status != LM_OK && !before.failed)
		put_back(world, &before);
	lm_blob_release(&before);
	return status;
}
