// fuzz_checkpoint.c: any bytes as the state in a checkpoint, behind a head and a sum that are right. Either refused in
// words, with the world as it was, or the next frame ends and is finite.
#define _GNU_SOURCE // memfd_create
#include "trust/damage.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// The input says where the checkpoint of a run is changed: pairs of place (four bytes) and eight bytes to put there.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	enum
	{
		HEAD = 44,
		PIECE = 12
	};
	static lm_world* world;
	static unsigned char *whole, *bytes;
	static size_t length;
	static uint64_t hash;
	lm_error error = { 0 };
	if (world == NULL)
	{
		world = damage_world();
		whole = damage_state(world, &length);
		bytes = malloc(length);
		hash = lm_world_hash(world);
	}
	memcpy(bytes, whole, length);
	for (size_t at = 0; at + PIECE <= size && at < 8 * PIECE; at += PIECE)
	{
		uint32_t place;
		memcpy(&place, data + at, sizeof place);
		memcpy(bytes + HEAD + place % (length - HEAD - 16), data + at + 4, 8);
	}
	lm_status status = damage_load(world, bytes, length, &error);
	if (status == LM_OK)
	{
		status = lm_world_step(world, &error);
		if (!is_world_finite(world) || damage_load(world, whole, length, &error) != LM_OK)
			abort();
	}
	else if (error.message[0] == 0 || lm_world_hash(world) != hash)
		abort();
	return 0;
}
