#define _GNU_SOURCE // memfd_create
#include "fuzz.h"

#include "io/points_file.h"

// PC2 is known by its mark; everything else is tried as MDD.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	bool pc2 = size > 0 && data[0] == 'P';
	lm_host host = fuzz_host();
	lm_points* points = NULL;
	lm_error error = { 0 };
	if (lm_points_open_file(fuzz_file(data, size), size, !pc2, "fuzz", &host, &points, &error) != LM_OK)
	{
		REQUIRE(points == NULL && error.message[0] != 0);
		return 0;
	}
	int32_t vertices = lm_points_vertex_count(points), frames = lm_points_frame_count(points);
	REQUIRE(vertices > 0 && frames > 0 && (uint64_t)vertices * (uint64_t)frames <= size / 12);
	REQUIRE(isfinite(lm_points_fps(points)) && lm_points_fps(points) > 0);
	double* positions = malloc(24 * (size_t)vertices);
	for (int32_t f = 0; f < frames; ++f)
	{
		REQUIRE(isfinite(lm_points_time(points, f)));
		if (lm_points_read(points, f, positions, &error) == LM_OK)
			for (size_t i = 0; i < 3 * (size_t)vertices; ++i)
				REQUIRE(isfinite(positions[i]));
	}
	free(positions);
	lm_points_destroy(points);
	return 0;
}
