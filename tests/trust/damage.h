// damage.h: a world of all engines and what commands leave in it, its checkpoint as bytes, and damage to them behind a
// sum that is right.
#ifndef TESTS_TRUST_DAMAGE_H
#define TESTS_TRUST_DAMAGE_H

#include "base/hash.h"
#include "limber/limber.h"
#include "scene/fake_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const char damage_scene[] =
	"{\"limber\": 1, \"seconds\": 1, \"colliders\": [{\"shape\": \"plane\"}], \"objects\": ["
	"{\"name\": \"low\", \"engine\": \"match\", \"mesh\": \"bar.msh\", \"position\": [0, 0.1, 0],"
	" \"match\": {\"examples\": [{\"mesh\": \"bar-moved.msh\"}]}},"
	"{\"name\": \"high\", \"engine\": \"match\", \"mesh\": \"bar.msh\", \"position\": [0.1, 1.2, 0]},"
	"{\"name\": \"actor\", \"engine\": \"act\", \"mesh\": \"square.obj\", \"position\": [4, 0.02, 0],"
	" \"act\": {\"model\": \"solid2\", \"control\": \"full\","
	" \"commands\": [{\"do\": \"hop\", \"velocity\": [0.5, 1, 0]}]}},"
	"{\"name\": \"solid\", \"engine\": \"act\", \"mesh\": \"bar.msh\", \"position\": [8, 0.02, 0]},"
	"{\"name\": \"cloth\", \"engine\": \"track\", \"mesh\": \"square.obj\", \"position\": [-4, 1, 0],"
	" \"track\": {\"subdivide\": 2}},"
	"{\"name\": \"drop\", \"engine\": \"design\", \"mesh\": \"cube.obj\", \"position\": [-9, 1, 0],"
	" \"design\": {\"nodes\": 8, \"voxels\": 1000, \"frames\": 4,"
	" \"keys\": [{\"time\": 0}, {\"time\": 1, \"position\": [-9, 2, 0]}]}}]}";

static inline lm_world* damage_world(void)
{
	lm_host host = lm_host_default();
	host.threads = 1;
	lm_scene_files files = fake_files();
	lm_scene* scene = NULL;
	lm_world* world = NULL;
	lm_problems problems = { 0 };
	lm_error error = { 0 };
	if (lm_scene_parse("scene.json", damage_scene, sizeof damage_scene - 1, &files, &host, &scene, &problems) == LM_OK)
		lm_world_create(scene, &host, &world, &error);
	if (world == NULL)
		fprintf(stderr, "%s: %s\n", problems.count > 0 ? problems.items[0].where : "",
		        problems.count > 0 ? problems.items[0].message : error.message);
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
	return world;
}

// The state after some frames, with things held and told. Free it.
static inline unsigned char* damage_state(lm_world* world, size_t* size)
{
	lm_error error = { 0 };
	for (int32_t i = 0; i < 5; ++i) // design takes no commands
	{
		lm_command hold = lm_command_default(i % 2 == 0 ? LM_COMMAND_GRAB : LM_COMMAND_PIN);
		hold.object = i, hold.id = i;
		for (int c = 0; c < 3; ++c)
			hold.place[c] = 1.0 / 3;
		lm_world_command(world, &hold, &error);
	}
	lm_command walk = lm_command_default(LM_COMMAND_DO);
	walk.object = 2, walk.act = lm_act_command_default(LM_ACT_GO);
	lm_world_command(world, &walk, &error);
	char path[64];
	snprintf(path, sizeof path, "/tmp/limber-damage-%ld", (long)getpid());
	for (int f = 0; f < 3; ++f)
		lm_world_step(world, &error);
	unsigned char* bytes = NULL;
	*size = 0;
	if (lm_world_save(world, path, &error) == LM_OK)
	{
		int saved = open(path, O_RDONLY);
		*size = (size_t)lseek(saved, 0, SEEK_END);
		bytes = malloc(*size + 1);
		if (pread(saved, bytes, *size, 0) != (ssize_t)*size)
			*size = 0;
		close(saved);
		unlink(path);
	}
	return bytes;
}

// Loads bytes, whose sum is made right.
static inline lm_status damage_load(lm_world* world, unsigned char* bytes, size_t size, lm_error* error)
{
	uint64_t sum = lm_hash(LM_HASH_START, bytes, size - sizeof sum);
	memcpy(bytes + size - sizeof sum, &sum, sizeof sum);
	int file = memfd_create("damaged", 0);
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	lm_status status = write(file, bytes, size) == (ssize_t)size ? lm_world_load(world, path, error) : LM_IO_FAILED;
	close(file);
	return status;
}

// What files hold that somebody or something has changed: no numbers, and numbers that are too large, too small or
// whole where they should not be.
static inline void damage_at(unsigned char* bytes, size_t at, int which)
{
	static const double reals[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e15, -1, 0, 3e9, 1e-310 };
	static const int32_t wholes[] = { -1, INT32_MAX, INT32_MIN, 1000000, 2, 7 };
	enum
	{
		REALS = sizeof reals / sizeof *reals,
		WHOLES = sizeof wholes / sizeof *wholes
	};
	int kind = which % (REALS + WHOLES + 3);
	if (kind < REALS)
		memcpy(bytes + at, &reals[kind], sizeof *reals);
	else if (kind < REALS + WHOLES)
		memcpy(bytes + at, &wholes[kind - REALS], sizeof *wholes);
	else
		bytes[at] = (unsigned char)(kind == REALS + WHOLES ? 2 : kind == REALS + WHOLES + 1 ? 255 : bytes[at] ^ 1);
}

static inline bool is_world_finite(lm_world* world)
{
	for (int32_t i = 0; i < lm_world_surface_count(world); ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		for (size_t k = 0; k < 3 * (size_t)view.vertex_count; ++k)
			if (!isfinite(view.positions[k]))
				return false;
	}
	return true;
}

#endif
