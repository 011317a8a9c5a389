// checkpoint.c: the whole state of a world as bytes in a file, whole or not at all.
//
// Layout: magic, SIMD level, fingerprint of the scene, frame, number of objects, the objects' states, then a hash of
// all before it.
#include "base/alloc.h"
#include "base/blob.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "objects/live.h"
#include "world/world.h"

#include <string.h>

#define CHECKPOINT_MAX_BYTES ((size_t)8 << 30)

static const char magic[8] = "LMCHECK3";

// All that a world is at the moment.
static void put_state(const lm_world* world, lm_blob* blob)
{
	lm_blob_put(blob, magic, sizeof magic);
	lm_blob_put(blob, &(int32_t){ (int32_t)world->host.simd }, sizeof(int32_t));
	lm_blob_put(blob, &world->scene->fingerprint, sizeof world->scene->fingerprint);
	lm_blob_put(blob, &world->frame, sizeof world->frame);
	lm_blob_put(blob, &world->object_count, sizeof world->object_count);
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_blob_put(blob, &world->objects[i].finite, sizeof world->objects[i].finite);
		const lm_object* object = world->objects[i].object;
		object->engine->save(object, blob);
		lm_live_save(object, blob);
	}
}

lm_status lm_world_save(const lm_world* world, const char* path, lm_error* error)
{
	lm_blob blob;
	lm_blob_init(&blob, &world->host);
	put_state(world, &blob);
	uint64_t hash = lm_hash(LM_HASH_START, blob.data, blob.size);
	lm_blob_put(&blob, &hash, sizeof hash);
	lm_status status = LM_OK;
	lm_output output;
	if (blob.failed)
		status = lm_fail_memory(error);
	else if ((status = lm_output_open(&world->host, path, &output, error)) == LM_OK)
	{
		fwrite(blob.data, 1, blob.size, output.file);
		status = lm_output_commit(&output, error);
	}
	lm_blob_release(&blob);
	return status;
}

lm_status lm_checkpoint_simd(const char* path, lm_simd* simd, lm_error* error)
{
	FILE* file = fopen(path, "rb");
	char found[sizeof magic];
	int32_t level = LM_SIMD_AUTO;
	bool read = file != NULL && fread(found, sizeof found, 1, file) == 1 && memcmp(found, magic, sizeof magic) == 0 &&
	            fread(&level, sizeof level, 1, file) == 1;
	if (file != NULL)
		fclose(file);
	if (read && lm_simd_check((lm_simd)level, NULL) != LM_OK)
		return lm_fail_at(
			error, LM_BAD_INPUT, path, "",
			"was computed with the SIMD level %s, which this machine or build lacks: run without --resume",
			lm_simd_name((lm_simd)level));
	*simd = read ? (lm_simd)level : LM_SIMD_AUTO;
	return LM_OK;
}

static lm_status load_objects(lm_world* world, lm_blob* blob, const char* path, lm_error* error)
{
	char found[sizeof magic];
	uint64_t fingerprint;
	int64_t frame;
	int32_t object_count, simd;
	lm_blob_get(blob, found, sizeof found);
	lm_blob_get(blob, &simd, sizeof simd);
	lm_blob_get(blob, &fingerprint, sizeof fingerprint);
	lm_blob_get(blob, &frame, sizeof frame);
	lm_blob_get(blob, &object_count, sizeof object_count);
	if (fingerprint != world->scene->fingerprint || object_count != world->object_count || frame < 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "is the checkpoint of another scene, or the scene has changed since: run without --resume");
	if (simd != (int32_t)world->host.simd) // the same bits could not come out
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "was computed with the SIMD level %s, not %s: ask for --simd %s, or run without --resume",
		                  lm_simd_name((lm_simd)simd), lm_simd_name(world->host.simd), lm_simd_name((lm_simd)simd));
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_blob_get(blob, &world->objects[i].finite, sizeof world->objects[i].finite);
		lm_object* object = world->objects[i].object;
		lm_status status = object->engine->load(object, blob, error);
		if (status == LM_OK)
			status = lm_live_load(object, blob, error);
		if (status != LM_OK)
			return status;
	}
	if (blob->failed)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "is not a whole checkpoint: run without --resume");
	world->frame = frame;
	world->prepared = true;
	for (int32_t i = 0; i < world->display_count; ++i)
		world->displays[i].frame = -1;
	lm_colliders_set_time(world->colliders, lm_world_time(world));
	return LM_OK;
}

lm_status lm_world_load(lm_world* world, const char* path, lm_error* error)
{
	unsigned char* data;
	size_t size;
	lm_status status = lm_file_read(&world->host, path, CHECKPOINT_MAX_BYTES, &data, &size, error);
	if (status != LM_OK)
		return status;
	uint64_t hash;
	bool whole = size >= sizeof magic + sizeof hash && memcmp(data, magic, sizeof magic) == 0;
	if (whole)
	{
		memcpy(&hash, data + size - sizeof hash, sizeof hash);
		whole = hash == lm_hash(LM_HASH_START, data, size - sizeof hash);
	}
	if (whole)
	{
		lm_blob blob = { .host = world->host, .data = data, .size = size - sizeof hash };
		status = load_objects(world, &blob, path, error);
	}
	else
		status = lm_fail_at(error, LM_BAD_INPUT, path, "", "is not a whole checkpoint: run without --resume");
	lm_free(&world->host, data);
	return status;
}

// ---- in memory ----

struct lm_snapshot
{
	lm_blob blob;
	int64_t frame;
};

lm_status lm_world_snapshot(const lm_world* world, lm_snapshot** result, lm_error* error)
{
	lm_snapshot* snapshot = LM_NEW(&world->host, 1, lm_snapshot);
	if (snapshot == NULL)
		return lm_fail_memory(error);
	lm_blob_init(&snapshot->blob, &world->host);
	put_state(world, &snapshot->blob);
	snapshot->frame = world->frame;
	if (snapshot->blob.failed)
	{
		lm_snapshot_destroy(snapshot);
		return lm_fail_memory(error);
	}
	*result = snapshot;
	return LM_OK;
}

lm_status lm_world_restore(lm_world* world, const lm_snapshot* snapshot, lm_error* error)
{
	lm_blob view = snapshot->blob; // read from the beginning
	view.cursor = 0;
	return load_objects(world, &view, "the snapshot", error);
}

int64_t lm_snapshot_frame(const lm_snapshot* snapshot)
{
	return snapshot->frame;
}

size_t lm_snapshot_bytes(const lm_snapshot* snapshot)
{
	return snapshot->blob.size;
}

void lm_snapshot_destroy(lm_snapshot* snapshot)
{
	if (snapshot == NULL)
		return;
	const lm_host host = snapshot->blob.host;
	lm_blob_release(&snapshot->blob);
	lm_free(&host, snapshot);
}
