// fuzz_scene.c: any bytes, and JSON of any kind, as a scene file. The files it names are made up
// (tests/scene/fake_files.h), so that all of the reading is exercised and no file is touched.
#include "mutate_json.h"
#include "scene/fake_files.h"

#include <stdlib.h>

// One box around the surface: making real lattices would take most of the time, and has tests of its own.
static lm_status box_lattice(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
                             lm_mesh** result, lm_error* error)
{
	(void)settings;
	lm_vec3 low = lm_v3_at(surface->positions, 0), high = low;
	for (int32_t v = 1; v < surface->vertex_count; ++v)
	{
		low = lm_min3(low, lm_v3_at(surface->positions, v));
		high = lm_max3(high, lm_v3_at(surface->positions, v));
	}
	double margin = 0.1 * lm_length(lm_sub(high, low));
	if (!(margin > 1e-100 && margin < 1e100))
		return lm_fail(error, LM_BAD_INPUT, "has no size that a lattice could have");
	lm_mesh* box = fake_bar(host);
	if (box == NULL)
		return lm_fail_memory(error);
	lm_vec3 corner = lm_v3(margin, margin, margin), size = lm_add(lm_sub(high, low), lm_scale(2, corner));
	for (int32_t v = 0; v < box->vertex_count; ++v)
	{
		lm_vec3 p = lm_v3_at(box->positions, v);
		lm_v3_store(box->positions, v, lm_add(lm_sub(low, corner), lm_v3(p.x * size.x, p.y * size.y, p.z * size.z)));
	}
	*result = box;
	return LM_OK;
}

// Voxels take too long for a fuzzer.
static lm_status no_fitted(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
                           lm_fitted** result, lm_error* error)
{
	(void)surface, (void)settings, (void)host, (void)result;
	return lm_fail(error, LM_BAD_INPUT, "has no inside");
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	lm_host host = lm_host_default();
	lm_scene_files files = fake_files();
	files.make_lattice = box_lattice;
	files.make_fitted = no_fitted;
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
