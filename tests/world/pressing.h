// pressing.h: a ball under a sheet of cloth that falls on it.
#ifndef TESTS_WORLD_PRESSING_H
#define TESTS_WORLD_PRESSING_H

#include "meeting.h"

#include "act/scenes.h"
#include "objects/objects.h"
#include "objects/track/push.h"
#include "world/world.h"
#include "worlds.h"

#define CELLS 6

static const double masses[3][2] = { { 1, 1 }, { 1, 0.01 }, { 0.01, 1 } }; // of the ball and the cloth, kg

typedef struct pressing
{
	const char* engine;
	double body_mass, cloth_mass; // kg
	double gravity[2];            // of the body and the cloth, m/s^2
	double speed;                 // of the body, upwards, m/s
	bool ground;
	int threads;
	double jitter; // of the sheet's place and vertices, m
	int seed;
} pressing;

// -1 .. 1
static inline double chance(uint32_t* state)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) / 8388608.0 - 1;
}

static inline void shake(lm_scene_object* object, double jitter, int seed)
{
	uint32_t state = 97u * (uint32_t)seed + 1;
	for (int k = 0; k < 3; ++k)
		object->position[k] += jitter * chance(&state);
	for (int64_t i = 0; i < 3 * (int64_t)object->mesh->vertex_count; ++i)
		object->mesh->positions[i] += 0.1 * jitter * chance(&state);
}

// A ball of 0.2 m and a sheet of 0.36 m a little above it.
static inline lm_world* make_pressing(const pressing* p)
{
	lm_host host = lm_host_default();
	host.threads = p->threads > 0 ? p->threads : 1;
	lm_scene* scene = lm_scene_create(&host);
	scene->fps = 30;
	if (p->ground)
		assert_true(add_ground(scene));
	meeting m = meeting_default(p->engine, p->engine);
	m.gravity = p->gravity[0], m.frequency = 200;
	double volume = 4.0 / 3 * 3.14159 * 0.001, area = 0.36 * 0.36;
	m.lower_density = m.upper_density = fmax(p->body_mass, p->cloth_mass) / volume;
	lm_scene_object* body = add_meeting_body(scene, &m, "body", p->engine, p->body_mass / volume, true);
	body->velocity[1] = p->speed;
	if (!p->ground)
		body->position[1] = 0.1;
	lm_scene_object* cloth = lm_scene_add_object(scene, "cloth", "track");
	cloth->mesh = make_sheet(&scene->host, CELLS, 0.36 / CELLS);
	cloth->density = p->cloth_mass / area;
	cloth->position[0] = -0.08, cloth->position[1] = body->position[1] + 0.2 + 0.012, cloth->position[2] = 0.28;
	cloth->substeps = 2;
	shake(cloth, p->jitter, p->seed);
	cloth->track->settings.thickness = 0.01, cloth->track->settings.gravity[1] = -p->gravity[1];
	return world_of(scene);
}

static inline lm_track_bag* bag_of(lm_world* world)
{
	return lm_object_track_bag(world->objects[1].object, 0);
}

// How far the ball gets.
typedef struct ways
{
	double highest, farthest; // m
} ways;

static inline ways follow_body(lm_world* world, int frames)
{
	ways w = { 0, 0 };
	for (int f = 0; f < frames; ++f)
	{
		step(world, 1);
		lm_world_surface_view view = lm_world_surface(world, 0);
		for (int32_t v = 0; v < 3 * view.vertex_count; ++v)
			if (v % 3 == 1)
				w.highest = fmax(w.highest, view.positions[v]);
			else
				w.farthest = fmax(w.farthest, fabs(view.positions[v] - 0.1));
	}
	return w;
}

#endif
