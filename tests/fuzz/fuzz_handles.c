// fuzz_handles.c: any bytes as the handles of `limber pose`.
#define _GNU_SOURCE // memfd_create
#include "fuzz.h"

#include "scene/fake_files.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	lm_host host = fuzz_host();
	lm_mesh* mesh = fake_surface(&host);
	lm_scene_handle* handles = NULL;
	int32_t count = 0;
	lm_design_pose_settings settings;
	lm_problems problems = { .host = host };
	char path[64];
	int file = fuzz_file(data, size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	lm_status status = lm_handles_read(path, mesh, &host, &handles, &count, &settings, &problems);
	REQUIRE((status == LM_OK) == (problems.count == 0));
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
		require_indices(handles[i].vertices, (size_t)handles[i].count, mesh->vertex_count);
	close(file);
	if (status == LM_OK)
		lm_handles_free(&host, handles, count);
	lm_problems_release(&problems);
	lm_mesh_destroy(mesh);
	return 0;
}
