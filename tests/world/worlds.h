// worlds.h: a world of one object of each engine that can be directed, and commands to it.
#ifndef TESTS_WORLD_WORLDS_H
#define TESTS_WORLD_WORLDS_H

#include "test.h"

#include "act/scenes.h"
#include "base/hash.h"
#include "bodies.h"
#include "limber/limber.h"
#include "scene/ground.h"

enum
{
	BLOCK, // match, with an example
	ACTOR, // act, in the plane
	CLOTH, // track, a sheet in the air
	PARTS
};

static inline lm_mesh* make_sheet(const lm_host* host, int n, double size)
{
	lm_mesh* mesh = scene_rectangle(host, n, n, size);
	for (int32_t v = 0; v < mesh->vertex_count; ++v) // into the x-z plane
	{
		mesh->positions[3 * v + 2] = -mesh->positions[3 * v + 1];
		mesh->positions[3 * v + 1] = 0;
	}
	return mesh;
}

static inline void add_block(lm_scene* scene, double density)
{
	lm_scene_object* object = lm_scene_add_object(scene, "block", "match");
	object->mesh = test_block(&scene->host, 3, 3, 3, 0.1);
	object->density = density;
	object->position[1] = 0.5;
	object->match->settings.frequency = 10;
	lm_scene_example* example = object->match->examples = lm_scene_memory(scene, 1, sizeof *example);
	object->match->example_count = 1;
	example->strength = (lm_keyed){ 1, lm_scene_memory(scene, 1, 8), lm_scene_memory(scene, 1, 8) };
	example->mesh = lm_mesh_copy(object->mesh, &scene->host);
	for (int32_t v = 0; v < example->mesh->vertex_count; ++v)
		example->mesh->positions[3 * v + 1] *= 1.5;
}

static inline void add_actor(lm_scene* scene)
{
	lm_scene_object* object = lm_scene_add_object(scene, "actor", "act");
	object->mesh = scene_rectangle(&scene->host, 3, 3, 0.2);
	object->position[0] = 3;
	object->substeps = 2;
	object->act->kind = LM_ACT_SOLID2;
	object->act->control = LM_ACT_FULL;
}

static inline void add_cloth(lm_scene* scene)
{
	lm_scene_object* object = lm_scene_add_object(scene, "cloth", "track");
	object->mesh = make_sheet(&scene->host, 4, 0.1);
	object->position[0] = -3, object->position[1] = 0.5;
	object->substeps = 2;
}

// The world of a scene, which is freed.
static inline lm_world* world_of(lm_scene* scene)
{
	lm_host host = scene->host;
	lm_world* world;
	lm_error error;
	if (lm_world_create(scene, &host, &world, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_scene_destroy(scene);
	return world;
}

static inline lm_world* make_world(int threads, double density, int parts)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	add_block(scene, density);
	if (parts > ACTOR)
		add_actor(scene);
	if (parts > CLOTH)
		add_cloth(scene);
	return world_of(scene);
}

static inline void tell(lm_world* world, const lm_command* command)
{
	lm_error error;
	if (lm_world_command(world, command, &error) != LM_OK)
		fail_msg("%s", error.message);
}

static inline void step(lm_world* world, int frames)
{
	lm_error error;
	for (int f = 0; f < frames; ++f)
		if (lm_world_step(world, &error) != LM_OK)
			fail_msg("%s", error.message);
}

// The triangle of the object's surface whose middle is highest.
static inline int32_t top_triangle(lm_world* world, int32_t object)
{
	lm_world_surface_view view = lm_world_surface(world, object);
	int32_t best = 0;
	double highest = -INFINITY;
	for (int32_t t = 0; t < view.triangle_count; ++t)
	{
		double y = 0;
		for (int c = 0; c < 3; ++c)
			y += view.positions[3 * view.triangles[3 * t + c] + 1];
		if (y > highest)
			highest = y, best = t;
	}
	return best;
}

static inline lm_command grab_top(lm_world* world, lm_command_kind kind, int32_t object, int32_t id)
{
	lm_command command = lm_command_default(kind);
	command.object = object, command.id = id, command.triangle = top_triangle(world, object);
	for (int c = 0; c < 3; ++c)
		command.place[c] = 1.0 / 3;
	return command;
}

static inline lm_command to(lm_command_kind kind, int32_t id, double x, double y, double z)
{
	lm_command command = lm_command_default(kind);
	command.id = id;
	command.to[0] = x, command.to[1] = y, command.to[2] = z;
	return command;
}

static inline double height(lm_world* world, int32_t object)
{
	lm_world_surface_view view = lm_world_surface(world, object);
	double sum = 0;
	for (int32_t v = 0; v < view.vertex_count; ++v)
		sum += view.positions[3 * v + 1] / view.vertex_count;
	return sum;
}

// Of all that is shown, to the bit.
static inline uint64_t positions_hash(lm_world* world)
{
	uint64_t hash = LM_HASH_START;
	for (int32_t i = 0; i < lm_world_object_count(world); ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		hash = lm_hash(hash, view.positions, 3 * (size_t)view.vertex_count * sizeof *view.positions);
	}
	return hash;
}

// ---- random commands ----

static inline double uniform(uint64_t* seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*seed >> 11) / 9007199254740992.0;
}

static inline lm_command anything(uint64_t* seed)
{
	static const char* const keys[] = { "damping", "friction", "frequency", "gravity", "nonsense" };
	lm_command command = lm_command_default((lm_command_kind)(uniform(seed) * 9));
	command.object = (int32_t)(uniform(seed) * 3.1);
	command.id = (int32_t)(uniform(seed) * 3);
	command.triangle = (int32_t)(uniform(seed) * 30);
	command.place[0] = 0.5 * uniform(seed), command.place[1] = 0.5, command.place[2] = 0.5 - command.place[0];
	command.to[0] = (command.object == CLOTH ? -3 : 3 * command.object) + uniform(seed);
	command.to[1] = uniform(seed), command.to[2] = 0;
	command.example = (int32_t)(uniform(seed) * 2) - 1, command.strength = uniform(seed);
	if (command.kind != LM_COMMAND_FREE || uniform(seed) < 0.5)
		strcpy(command.key, keys[(int)(uniform(seed) * 5)]);
	command.value[0] = command.value[1] = command.value[2] = uniform(seed);
	command.act = lm_act_command_default((lm_act_behaviour)(uniform(seed) * 8));
	command.act.velocity[0] = uniform(seed) - 0.5;
	return command;
}

#endif
