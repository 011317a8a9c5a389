// fuzz_scene.c: any bytes as a scene file. The files it names are made up (tests/scene/fake_files.h), so that all of
// the reading is exercised and no file is touched.
#include "scene/fake_files.h"

#include <stdlib.h>

// A scene may rightly ask for ten million vertices, but not here.
static lm_status small_lattice(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
                               lm_mesh** result, lm_error* error)
{
	lm_lattice_settings small = { .vertices = settings->vertices < 40 ? settings->vertices : 40,
		                          .inside = settings->inside };
	return lm_lattice_create(surface, &small, host, result, error);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	lm_host host = lm_host_default();
	lm_scene_files files = fake_files();
	files.make_lattice = small_lattice;
	lm_scene* scene = NULL;
	lm_problems problems = { 0 };
	lm_status status = lm_scene_parse("scene.json", data, size, &files, &host, &scene, &problems);
	// A scene or a reason, never both, never neither.
	if ((status == LM_OK) != (scene != NULL) || (status == LM_OK) != (problems.count == 0))
		abort();
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
	return 0;
}
