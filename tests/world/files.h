// files.h: scenes of tests that are read from files, in a folder of their own.
#ifndef TESTS_WORLD_FILES_H
#define TESTS_WORLD_FILES_H

#include "test.h"

#include "limber/limber.h"

static inline void write_text(const char* folder, const char* name, const char* text)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE* file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

// The mesh is freed.
static inline void write_mesh(const char* folder, const char* name, lm_mesh* mesh)
{
	char path[200];
	lm_error error;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (lm_mesh_write(path, mesh, NULL, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_mesh_destroy(mesh);
}

static inline void remove_folder(const char* folder)
{
	char command[200];
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static inline lm_world* read_world(const char* folder, const char* name, int threads)
{
	char path[200];
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_scene* scene;
	lm_problems problems;
	lm_world* world;
	lm_error error;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (lm_scene_read(path, &host, &scene, &problems) != LM_OK)
		fail_msg("%s: %s", problems.items[0].where, problems.items[0].message);
	if (lm_world_create(scene, &host, &world, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
	return world;
}

#endif
