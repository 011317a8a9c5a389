// Run caches out. The file gets its name once the header is complete; then frames are appended one by one, and a frame
// that could not be written whole is cut off again.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "io/block.h"
#include "io/cache_file.h"
#include "io/cache_format.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct lm_cache_writer
{
	lm_host host;
	int descriptor;
	char* path;
	lm_cache_info info; // objects' names, counts and flags only: what a frame needs
	unsigned char* frame;
	uint64_t header_bytes, frame_bytes, frame_count;
};

static void release(lm_cache_writer* writer)
{
	lm_host host = writer->host;
	if (writer->descriptor >= 0)
		close(writer->descriptor);
	for (int32_t i = 0; writer->info.objects != NULL && i < writer->info.object_count; ++i)
		lm_free(&host, (void*)writer->info.objects[i].name);
	lm_free(&host, (void*)writer->info.objects);
	lm_free(&host, writer->frame);
	lm_free(&host, writer->path);
	lm_free(&host, writer);
}

static bool copy_objects(lm_cache_writer* writer, const lm_cache_info* info)
{
	lm_cache_object* objects = LM_NEW(&writer->host, info->object_count, lm_cache_object);
	writer->info.objects = objects;
	writer->info.object_count = info->object_count;
	if (objects == NULL)
		return false;
	for (int32_t i = 0; i < info->object_count; ++i)
	{
		objects[i].vertex_count = info->objects[i].vertex_count;
		objects[i].fixed = info->objects[i].fixed;
		objects[i].name = lm_copy_text(&writer->host, info->objects[i].name);
		if (objects[i].name == NULL)
			return false;
	}
	return true;
}

// One writer at a time: two would mix their frames and checkpoints. Where files cannot be locked there is no check.
// *current: whether the path still names this file, and not one that another run has put in its place meanwhile.
static lm_status lock(int descriptor, const char* path, bool* current, lm_error* error)
{
	struct stat mine, there;
	if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return lm_fail_at(error, LM_IO_FAILED, path, "",
		                  "is being written by another run; let that finish, or choose another name");
	*current = fstat(descriptor, &mine) == 0 && stat(path, &there) == 0 && mine.st_dev == there.st_dev &&
	           mine.st_ino == there.st_ino;
	return LM_OK;
}

// Locks the name of a cache that is about to be replaced, by its file, which is made when there is none. Who holds the
// lock alone may rename a file to that name. *guard: -1 when there can be no such file, which writing it will explain.
static lm_status lock_name(const char* path, int* guard, lm_error* error)
{
	lm_status status = lm_make_folder_of(path, error);
	bool current = false;
	while (status == LM_OK && !current)
	{
		*guard = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
		if (*guard < 0)
			return LM_OK;
		status = lock(*guard, path, &current, error);
		if (!current)
			close(*guard), *guard = -1;
	}
	return status;
}

// The name is free again. A file that is still empty was only made for the lock.
static void unlock_name(const char* path, int guard, bool failed)
{
	struct stat facts;
	if (guard < 0)
		return;
	if (failed && fstat(guard, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0)
		unlink(path);
	close(guard);
}

// The file at the path, open for writing and locked.
static lm_status open_locked(const char* path, int* descriptor, uint64_t* size, lm_error* error)
{
	lm_status status = LM_OK;
	for (bool current = false; status == LM_OK && !current;)
	{
		status = lm_block_open(path, true, descriptor, size, error);
		if (status != LM_OK)
			return status;
		status = lock(*descriptor, path, &current, error);
		if (!current)
			close(*descriptor), *descriptor = -1;
	}
	return status;
}

// A writer without a file yet; the header is ready in the blob.
static lm_status prepare(const char* path, const lm_cache_info* info, const lm_host* host, lm_blob* header,
                         lm_cache_writer** writer, lm_error* error)
{
	lm_status status = lm_cache_encode_header(info, path, header, error);
	if (status != LM_OK)
		return status;
	lm_cache_writer* result = LM_NEW(host, 1, lm_cache_writer);
	if (result == NULL)
		return lm_fail_memory(error);
	result->host = *host;
	result->descriptor = -1;
	result->header_bytes = header->size;
	result->frame_bytes = lm_cache_frame_bytes(info);
	result->path = lm_copy_text(host, path);
	result->frame = lm_alloc(host, (size_t)result->frame_bytes, 1);
	if (result->path == NULL || result->frame == NULL || !copy_objects(result, info))
	{
		release(result);
		return lm_fail_memory(error);
	}
	*writer = result;
	return LM_OK;
}

// The file of an output is locked from the moment that it is open, and stays so under its final name.
static lm_status write_header(lm_cache_writer* writer, const lm_blob* header, lm_error* error)
{
	lm_output output;
	lm_status status = lm_output_open(&writer->host, writer->path, &output, error);
	if (status != LM_OK)
		return status;
	fwrite(header->data, 1, header->size, output.file);
	output.durable = true;
	writer->descriptor = fcntl(fileno(output.file), F_DUPFD_CLOEXEC, 0);
	if (writer->descriptor >= 0)
		return lm_output_commit(&output, error);
	status = lm_fail_at(error, LM_IO_FAILED, writer->path, "", "cannot be written: %s", strerror(errno));
	lm_output_abandon(&output);
	return status;
}

lm_status lm_cache_create(const char* path, const lm_cache_info* info, const lm_host* host, lm_cache_writer** writer,
                          lm_error* error)
{
	assert(path != NULL && info != NULL && host != NULL && writer != NULL);
	*writer = NULL;
	lm_blob header;
	lm_blob_init(&header, host);
	lm_cache_writer* result = NULL;
	int guard = -1;
	lm_status status = prepare(path, info, host, &header, &result, error);
	if (status == LM_OK)
		status = lock_name(path, &guard, error);
	if (status == LM_OK)
		status = write_header(result, &header, error);
	unlock_name(path, guard, status != LM_OK);
	lm_blob_release(&header);
	if (status == LM_OK)
		*writer = result;
	else if (result != NULL)
		release(result);
	return status;
}

// ---- going on with an existing file

// Which part of the info differs, for the message.
static const char* difference(const lm_cache_info* a, const lm_cache_info* b)
{
	if (a->fingerprint != b->fingerprint)
		return "the scene or one of its files has changed since";
	if (a->fps != b->fps)
		return "it has another number of frames per second";
	if (a->object_count != b->object_count)
		return "it has another number of objects";
	return "its objects differ";
}

static lm_status check_existing(const lm_cache_writer* writer, const lm_cache* cache, const lm_cache_info* info,
                                const lm_blob* header, lm_error* error)
{
	unsigned char* found = lm_alloc(&writer->host, header->size, 1);
	if (found == NULL)
		return lm_fail_memory(error);
	lm_status status = LM_OK;
	lm_error ignored;
	bool same = lm_block_read(writer->descriptor, writer->path, found, header->size, 0, &ignored) == LM_OK &&
	            memcmp(found, header->data, header->size) == 0;
	if (!same)
		status = lm_fail_at(error, LM_BAD_INPUT, writer->path, "", "cannot be continued: %s; run without --resume",
		                    difference(lm_cache_get_info(cache), info));
	lm_free(&writer->host, found);
	return status;
}

static lm_status cut(const lm_cache_writer* writer, lm_error* error)
{
	uint64_t size = writer->header_bytes + writer->frame_count * writer->frame_bytes;
	if (ftruncate(writer->descriptor, (off_t)size) == 0)
		return LM_OK;
	return lm_fail_at(error, LM_IO_FAILED, writer->path, "", "cannot be cut to %llu frames: %s",
	                  (unsigned long long)writer->frame_count, strerror(errno));
}

// The file is locked before it is read: until then another run may change it.
lm_status lm_cache_reopen(const char* path, const lm_cache_info* info, const lm_host* host, int64_t* frame_count,
                          lm_cache_writer** writer, lm_error* error)
{
	*writer = NULL;
	int descriptor = -1;
	uint64_t size = 0;
	lm_cache* cache = NULL;
	lm_cache_writer* result = NULL;
	lm_status status = open_locked(path, &descriptor, &size, error);
	if (status != LM_OK)
		return status;
	lm_blob header;
	lm_blob_init(&header, host);
	lm_cache_info expected = *info;
	status = lm_cache_open(path, host, &cache, error);
	if (status == LM_OK)
	{
		// The path of the scene may differ, from another folder: the fingerprint decides whether it is the same.
		expected.scene = lm_cache_get_info(cache)->scene;
		status = prepare(path, &expected, host, &header, &result, error);
	}
	if (result != NULL)
		result->descriptor = descriptor;
	else
		close(descriptor);
	if (status == LM_OK)
		status = check_existing(result, cache, &expected, &header, error);
	if (status == LM_OK)
		status = lm_cache_count_sound(cache, frame_count, error);
	if (status == LM_OK)
		result->frame_count = (uint64_t)*frame_count;
	lm_cache_destroy(cache);
	lm_blob_release(&header);
	if (status == LM_OK)
		*writer = result;
	else if (result != NULL)
		release(result);
	return status;
}

lm_status lm_cache_cut(lm_cache_writer* writer, int64_t frame_count, lm_error* error)
{
	assert(frame_count >= 0 && (uint64_t)frame_count <= writer->frame_count);
	writer->frame_count = (uint64_t)frame_count;
	return cut(writer, error);
}

lm_status lm_cache_append(const char* path, const lm_cache_info* info, int64_t frame_count, const lm_host* host,
                          lm_cache_writer** writer, lm_error* error)
{
	assert(path != NULL && info != NULL && frame_count >= 0 && host != NULL && writer != NULL);
	lm_cache_writer* result = NULL;
	int64_t there = 0;
	*writer = NULL;
	lm_status status = lm_cache_reopen(path, info, host, &there, &result, error);
	if (status != LM_OK)
		return status;
	if (frame_count > there)
		status = lm_fail_at(error, LM_BAD_INPUT, path, "",
		                    "cannot be continued after %lld frames: it has only %lld whole ones",
		                    (long long)frame_count, (long long)there);
	if (status == LM_OK)
		status = lm_cache_cut(result, frame_count, error);
	if (status == LM_OK)
		*writer = result;
	else
		release(result);
	return status;
}

// ---- frames

lm_status lm_cache_write_frame(lm_cache_writer* writer, const double* const* positions, lm_error* error)
{
	assert(writer != NULL && positions != NULL);
	lm_status status =
		lm_cache_encode_frame(&writer->info, writer->frame_count, positions, writer->path, writer->frame, error);
	if (status != LM_OK)
		return status;
	uint64_t offset = writer->header_bytes + writer->frame_count * writer->frame_bytes;
	status =
		lm_block_write(writer->descriptor, writer->path, writer->frame, (size_t)writer->frame_bytes, offset, error);
	if (status == LM_OK)
		++writer->frame_count;
	else
		cut(writer, NULL); // should that fail too, the torn frame is not counted by readers
	return status;
}

lm_status lm_cache_sync(lm_cache_writer* writer, lm_error* error)
{
	if (fsync(writer->descriptor) == 0 || errno == EINVAL || errno == ENOTSUP) // some file systems cannot
		return LM_OK;
	return lm_fail_at(error, LM_IO_FAILED, writer->path, "", "cannot be written: %s", strerror(errno));
}

lm_status lm_cache_writer_close(lm_cache_writer* writer, lm_error* error)
{
	if (writer == NULL)
		return LM_OK;
	lm_status status = LM_OK;
	if (close(writer->descriptor) != 0)
		status = lm_fail_at(error, LM_IO_FAILED, writer->path, "", "cannot be written: %s", strerror(errno));
	writer->descriptor = -1;
	release(writer);
	return status;
}
