// checkpoint.c: the whole state of a world as bytes in a file, whole or not at all.
//
// Layout: magic, identity of the build, SIMD level, fingerprint of the scene, frame, number of objects, the objects'
// states, how they touch, then a hash of all before it.
#include "base/alloc.h"
#include "base/blob.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/identity.h"
#include "base/machine.h"
#include "objects/live.h"
#include "world/meet.h"
#include "world/touch.h"
#include "world/world.h"

#include <string.h>
#include <unistd.h>

#define CHECKPOINT_MAX_BYTES ((size_t)8 << 30)

static const char magic[8] = "LMCHECK8"; // the last sign is the version

enum
{
	LEVEL_AT = sizeof magic + sizeof(uint64_t),              // behind the identity
	FRAME_AT = LEVEL_AT + sizeof(int32_t) + sizeof(uint64_t) // and behind SIMD level and fingerprint
};

// All that a world is at the moment.
static void put_state(const lm_world* world, lm_blob* blob)
{
	lm_blob_put(blob, magic, sizeof magic);
	lm_blob_put(blob, &(uint64_t){ lm_build_identity() }, sizeof(uint64_t));
	lm_blob_put(blob, &(int32_t){ (int32_t)world->host.simd }, sizeof(int32_t));
	lm_blob_put(blob, &world->scene->fingerprint, sizeof world->scene->fingerprint);
	lm_blob_put(blob, &world->frame, sizeof world->frame);
	lm_blob_put(blob, &world->object_count, sizeof world->object_count);
	lm_blob_put(blob, &world->prepared, sizeof world->prepared);
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_blob_put(blob, &world->objects[i].finite, sizeof world->objects[i].finite);
		lm_blob_put(blob, &world->objects[i].most_substeps, sizeof world->objects[i].most_substeps);
		const lm_object* object = world->objects[i].object;
		object->engine->save(object, blob);
		lm_live_save(object, blob);
	}
	lm_meet_save(world, blob);
}

lm_status lm_checkpoint_write(const lm_world* world, const char* path, bool durable, lm_error* error)
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
		output.durable = durable;
		status = lm_output_commit(&output, error);
	}
	lm_blob_release(&blob);
	return status;
}

lm_status lm_world_save(const lm_world* world, const char* path, lm_error* error)
{
	return lm_checkpoint_write(world, path, true, error);
}

static bool read_level(const char* path, int32_t* level)
{
	FILE* file = fopen(path, "rb");
	char found[sizeof magic];
	bool read = file != NULL && fread(found, sizeof found, 1, file) == 1 && memcmp(found, magic, sizeof magic) == 0 &&
	            fseek(file, LEVEL_AT, SEEK_SET) == 0 && fread(level, sizeof *level, 1, file) == 1;
	if (file != NULL)
		fclose(file);
	return read;
}

lm_status lm_checkpoint_simd(const char* path, lm_simd* simd, lm_error* error)
{
	char before[4200];
	int32_t level = LM_SIMD_AUTO;
	snprintf(before, sizeof before, "%s" LM_CHECKPOINT_BEFORE, path);
	bool read = read_level(path, &level) || read_level(before, &level);
	if (read && lm_simd_check((lm_simd)level, NULL) != LM_OK)
		return lm_fail_at(
			error, LM_BAD_INPUT, path, "",
			"was computed with the SIMD level %s, which this machine or build lacks: run without --resume",
			lm_simd_name((lm_simd)level));
	*simd = read ? (lm_simd)level : LM_SIMD_AUTO;
	return LM_OK;
}

static lm_status load_state(lm_world* world, lm_blob* blob, const char* path, lm_error* error)
{
	char found[sizeof magic];
	uint64_t identity, fingerprint;
	int64_t frame;
	int32_t object_count, simd;
	lm_blob_get(blob, found, sizeof found);
	lm_blob_get(blob, &identity, sizeof identity);
	lm_blob_get(blob, &simd, sizeof simd);
	lm_blob_get(blob, &fingerprint, sizeof fingerprint);
	lm_blob_get(blob, &frame, sizeof frame);
	lm_blob_get(blob, &object_count, sizeof object_count);
	bool prepared = false;
	lm_bytes_get((lm_bytes[]){ lm_bools(&prepared, 1) }, 1, blob);
	if (identity != lm_build_identity()) // its state may be laid out in another way, or other bits would come out
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "is a checkpoint of another build of limber: go on with that one, or run without --resume");
	if (fingerprint != world->scene->fingerprint || object_count != world->object_count || frame < 0 ||
	    frame > INT64_C(1000000000000))
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "is the checkpoint of another scene, or the scene has changed since: run without --resume");
	if (simd != (int32_t)world->host.simd) // the same bits could not come out
		return lm_fail_at(error, LM_BAD_INPUT, path, "",
		                  "was computed with the SIMD level %s, not %s: ask for --simd %s, or run without --resume",
		                  lm_simd_name((lm_simd)simd), lm_simd_name(world->host.simd), lm_simd_name((lm_simd)simd));
	for (int32_t i = 0; i < world->object_count; ++i)
	{
		lm_bytes_get((lm_bytes[]){ lm_bools(&world->objects[i].finite, 1),
		                           lm_ints_in(&world->objects[i].most_substeps, 1, 1, INT32_MAX) },
		             2, blob);
		lm_object* object = world->objects[i].object;
		lm_status status = object->engine->load(object, blob, error);
		if (status == LM_OK)
			status = lm_live_load(object, blob, error);
		if (status != LM_OK)
			return status;
	}
	lm_status met = lm_meet_load(world, blob, error);
	if (met != LM_OK)
		return met;
	if (blob->failed)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "is not a whole checkpoint: run without --resume");
	world->frame = frame;
	world->prepared = prepared; // a snapshot may be of a world that is not yet
	for (int32_t i = 0; i < world->display_count; ++i)
		world->displays[i].frame = -1;
	lm_world_move_led(world);
	lm_colliders_set_time(world->colliders, lm_world_time(world));
	return LM_OK;
}

// Whole or not at all: a state that turns out to be damaged halfway leaves the world as it was.
static lm_status replace_state(lm_world* world, lm_blob* blob, const char* path, lm_error* error)
{
	lm_blob before;
	bool prepared = world->prepared;
	lm_blob_init(&before, &world->host);
	put_state(world, &before);
	lm_status status = before.failed ? lm_fail_memory(error) : load_state(world, blob, path, error);
	if (status != LM_OK && !before.failed)
	{
		load_state(world, &before, path, NULL);
		world->prepared = prepared;
	}
	lm_blob_release(&before);
	return status;
}

// Whether these are all bytes of a checkpoint, by its sum.
static bool is_whole(const unsigned char* data, size_t size)
{
	uint64_t hash;
	if (size < sizeof magic + sizeof hash || memcmp(data, magic, sizeof magic) != 0)
		return false;
	memcpy(&hash, data + size - sizeof hash, sizeof hash);
	return hash == lm_hash(LM_HASH_START, data, size - sizeof hash);
}

// What a file is that is no whole checkpoint of this version.
static lm_status refuse(const unsigned char* data, size_t size, const char* path, lm_error* error)
{
	const size_t name = sizeof magic - 1;
	bool other = size >= sizeof magic && memcmp(data, magic, name) == 0 && data[name] != magic[name];
	return lm_fail_at(error, LM_BAD_INPUT, path, "",
	                  other
	                      ? "is a checkpoint of another version of limber: go on with that one, or run without --resume"
	                      : "is not a whole checkpoint: run without --resume");
}

lm_status lm_world_load(lm_world* world, const char* path, lm_error* error)
{
	unsigned char* data;
	size_t size;
	lm_status status = lm_file_read(&world->host, path, CHECKPOINT_MAX_BYTES, &data, &size, error);
	if (status != LM_OK)
		return status;
	if (is_whole(data, size))
	{
		lm_blob blob = { .host = world->host, .data = data, .size = size - sizeof(uint64_t) };
		status = replace_state(world, &blob, path, error);
	}
	else
		status = refuse(data, size, path, error);
	lm_free(&world->host, data);
	return status;
}

lm_checkpoint_state lm_checkpoint_look(const char* path, const lm_host* host, int64_t* frame)
{
	static const char zeros[sizeof magic] = { 0 };
	unsigned char* data;
	size_t size;
	if (access(path, F_OK) != 0)
		return LM_CHECKPOINT_MISSING;
	if (lm_file_read(host, path, CHECKPOINT_MAX_BYTES, &data, &size, NULL) != LM_OK)
		return LM_CHECKPOINT_FOREIGN;
	lm_checkpoint_state state = LM_CHECKPOINT_FOREIGN;
	if (is_whole(data, size) && size >= FRAME_AT + sizeof *frame + sizeof(uint64_t))
	{
		state = LM_CHECKPOINT_WHOLE;
		memcpy(frame, data + FRAME_AT, sizeof *frame);
	}
	else if (size < sizeof magic || memcmp(data, magic, sizeof magic) == 0 || memcmp(data, zeros, sizeof zeros) == 0)
		state = LM_CHECKPOINT_TORN; // file systems leave what was not written yet empty or zero
	lm_free(host, data);
	return state;
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
	return replace_state(world, &view, "the snapshot", error);
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
