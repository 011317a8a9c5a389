// The files that the fuzzers start from (tests/fuzz/corpus) are good ones: a seed that is refused at its first bytes
// teaches a fuzzer nothing. When the format of caches changes, any cache of a tiny scene makes a new seed.
#include "io_test.h"

#include "base/file.h"

#include <dirent.h>

static lm_status read_one(const char* path)
{
	lm_host host = lm_host_default();
	lm_mesh* mesh = NULL;
	lm_points* points = NULL;
	lm_cache* cache = NULL;
	lm_status status;
	if (lm_mesh_can_read(path))
		status = lm_mesh_read(path, &host, &mesh, NULL);
	else if (lm_same_ending(path, "lmc"))
		status = lm_cache_open(path, &host, &cache, NULL);
	else
		status = lm_points_open(path, &host, &points, NULL);
	lm_mesh_destroy(mesh);
	lm_points_destroy(points);
	lm_cache_destroy(cache);
	return status;
}

static void seeds_are_good(void** state)
{
	(void)state;
	static const char* const kinds[] = { "obj", "ply", "stl", "msh", "points", "cache" };
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
	{
		char folder[512], path[1024];
		snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", LIMBER_SOURCE, kinds[k]);
		DIR* directory = opendir(folder);
		assert_non_null(directory);
		int count = 0;
		for (struct dirent* entry; (entry = readdir(directory)) != NULL;)
		{
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
			if (read_one(path) != LM_OK)
				fail_msg("%s is refused", path);
			++count;
		}
		closedir(directory);
		assert_true(count > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(seeds_are_good) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
