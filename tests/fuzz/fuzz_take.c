// fuzz_take.c: any bytes as a take, played in a world of all engines.
#define _GNU_SOURCE // memfd_create
#include "trust/damage.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// The head is of this world, unless the input brings one of its own: else nothing behind it would be read.
static size_t put_head(const lm_world* world, char* text, size_t capacity)
{
	lm_take* take = NULL;
	lm_error error;
	char path[] = "/tmp/limber-fuzz-XXXXXX";
	int file = mkstemp(path);
	ssize_t size = 0;
	if (file >= 0 && lm_take_create(world, &take, &error) == LM_OK && lm_take_write(take, world, path, &error) == LM_OK)
	{
		int written = open(path, O_RDONLY);
		size = read(written, text, capacity);
		close(written);
	}
	lm_take_destroy(take);
	close(file);
	unlink(path);
	return size > 0 ? (size_t)size : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	static lm_world* world;
	static lm_snapshot* start;
	static char head[1000];
	static size_t length;
	lm_error error = { 0 };
	if (world == NULL && ((world = damage_world()) == NULL || lm_world_snapshot(world, &start, &error) != LM_OK ||
	                      (length = put_head(world, head, sizeof head)) == 0))
		abort();
	int file = memfd_create("take", 0);
	bool own = size > 0 && data[0] == '{' && size > 6 && memcmp(data, "{\"take\"", 7) == 0;
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if ((!own && write(file, head, length) != (ssize_t)length) || write(file, data, size) != (ssize_t)size)
		abort();
	lm_take* take = NULL;
	lm_status status = lm_take_read(path, world, &take, &error);
	close(file);
	if ((status == LM_OK) != (take != NULL) || (status != LM_OK && error.message[0] == 0))
		abort();
	for (int frame = 0; status == LM_OK && frame < 2; ++frame)
	{
		status = lm_take_play(take, world, &error);
		if (status == LM_OK)
			status = lm_world_step(world, &error);
		if (!is_world_finite(world))
			abort();
	}
	lm_take_destroy(take);
	if (lm_world_restore(world, start, &error) != LM_OK)
		abort();
	return 0;
}
