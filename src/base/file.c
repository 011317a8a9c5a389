#include "base/file.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// ---- reading ----

#define FIRST_WAIT 5.0 // s until something must have come through a pipe
#define NEXT_WAIT 60.0 // s until more must have come

typedef struct input
{
	const lm_host* host;
	const char* path;
	size_t max_bytes;
	int descriptor;
	unsigned char* bytes;
	size_t count, capacity;
} input;

static lm_status too_large(const input* in, long long size, lm_error* error)
{
	return lm_fail_at(error, LM_BAD_INPUT, in->path, "", "has %lld bytes, the limit is %zu", size, in->max_bytes);
}

static lm_status make_room(input* in, size_t capacity, lm_error* error)
{
	void* bytes = in->bytes;
	if (!lm_grow(in->host, &bytes, &in->capacity, capacity + 1, 1)) // and the zero byte
		return lm_fail_memory(error);
	in->bytes = bytes;
	return LM_OK;
}

// All that a file has had a moment ago; shorter now: what is there is what counts.
static lm_status read_regular(input* in, size_t size, lm_error* error)
{
	lm_status status = size > in->max_bytes ? too_large(in, (long long)size, error) : make_room(in, size, error);
	while (status == LM_OK && in->count < size)
	{
		ssize_t got = read(in->descriptor, in->bytes + in->count, size - in->count);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = lm_fail_at(error, LM_IO_FAILED, in->path, "", "cannot be read: %s", strerror(errno));
		if (got <= 0)
			break;
		in->count += (size_t)got;
	}
	return status;
}

// Waits for bytes or the end. A pipe that nobody writes to has no end either.
static lm_status wait_for_bytes(const input* in, lm_error* error)
{
	double start = lm_clock_seconds(), longest = in->count == 0 ? FIRST_WAIT : NEXT_WAIT;
	while (poll(&(struct pollfd){ .fd = in->descriptor, .events = POLLIN }, 1, 50) <= 0)
	{
		if (!lm_progress(in->host, "reading", 0))
			return lm_fail_at(error, LM_CANCELLED, in->path, "", "cancelled while it was read");
		if (lm_clock_seconds() - start > longest)
			return lm_fail_at(error, LM_BAD_INPUT, in->path, "",
			                  "is a pipe through which nothing has come for %g s; write to it first, or name a file",
			                  longest);
	}
	return LM_OK;
}

// To the end of a pipe, a terminal or a device.
static lm_status read_stream(input* in, lm_error* error)
{
	for (;;)
	{
		lm_status status = wait_for_bytes(in, error);
		if (status == LM_OK)
			status = make_room(in, in->count + 65536, error);
		if (status != LM_OK)
			return status;
		ssize_t got = read(in->descriptor, in->bytes + in->count, 65536);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0)
			return lm_fail_at(error, LM_IO_FAILED, in->path, "", "cannot be read: %s", strerror(errno));
		if (got == 0)
			return LM_OK;
		in->count += (size_t)got;
		if (in->count > in->max_bytes)
			return too_large(in, (long long)in->count, error);
	}
}

lm_status lm_file_read(const lm_host* host, const char* path, size_t max_bytes, unsigned char** data, size_t* size,
                       lm_error* error)
{
	bool standard = strcmp(path, "-") == 0;
	int descriptor = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // pipes open at once
	if (descriptor < 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "cannot be opened: %s", strerror(errno));
	struct stat facts;
	input in = { .host = host, .path = path, .max_bytes = max_bytes, .descriptor = descriptor };
	lm_status status = LM_OK;
	if (fstat(descriptor, &facts) != 0 || S_ISDIR(facts.st_mode) || S_ISBLK(facts.st_mode))
		status = lm_fail_at(error, LM_BAD_INPUT, path, "", "is not a file, but a folder or a disk");
	else if (S_ISREG(facts.st_mode))
		status = read_regular(&in, (size_t)facts.st_size, error);
	else
		status = read_stream(&in, error);
	close(descriptor);
	if (status != LM_OK)
	{
		lm_free(host, in.bytes);
		return status;
	}
	in.bytes[in.count] = 0;
	*data = in.bytes;
	*size = in.count;
	return LM_OK;
}

lm_status lm_file_hash(const char* path, uint64_t* hash, lm_error* error)
{
	struct stat facts;
	if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) // it was read once already
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "is not a regular file: only the scene itself may be a pipe");
	FILE* file = fopen(path, "rb");
	if (file == NULL)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "cannot be opened: %s", strerror(errno));
	unsigned char block[1 << 14];
	for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
		*hash = lm_hash(*hash, block, got);
	bool good = !ferror(file);
	fclose(file);
	return good ? LM_OK : lm_fail_at(error, LM_IO_FAILED, path, "", "cannot be read to its end");
}

// ---- writing ----

lm_status lm_make_folder_of(const char* path, lm_error* error)
{
	char folder[4096];
	size_t length = strlen(path);
	if (length >= sizeof folder)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the path is too long");
	for (size_t i = 1; i < length; ++i)
	{
		if (path[i] != '/')
			continue;
		memcpy(folder, path, i);
		folder[i] = 0;
		if (mkdir(folder, 0777) != 0 && errno != EEXIST)
			return lm_fail_at(error, LM_IO_FAILED, path, "", "the folder %s cannot be made: %s", folder,
			                  strerror(errno));
	}
	return LM_OK;
}

lm_status lm_output_open(const lm_host* host, const char* path, lm_output* output, lm_error* error)
{
	*output = (lm_output){ .host = *host };
	lm_status status = lm_make_folder_of(path, error);
	if (status != LM_OK)
		return status;
	size_t length = strlen(path);
	output->path = lm_copy_text(host, path);
	output->temporary = lm_alloc(host, length + 32, 1);
	if (output->path == NULL || output->temporary == NULL)
	{
		lm_output_abandon(output);
		return lm_fail_memory(error);
	}
	snprintf(output->temporary, length + 32, "%s.tmp%ld", path, (long)getpid());
	output->file = fopen(output->temporary, "wb");
	if (output->file == NULL)
	{
		status = lm_fail_at(error, LM_IO_FAILED, path, "", "cannot be written: %s", strerror(errno));
		lm_output_abandon(output);
	}
	else
		flock(fileno(output->file), LOCK_EX | LOCK_NB); // a sign of life; where there are no locks, the pid is one
	return status;
}

// A name is safe when the folder that has it is.
void lm_sync_folder_of(const char* path)
{
	char folder[4096];
	const char* slash = strrchr(path, '/');
	size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
	if (length >= sizeof folder)
		return;
	memcpy(folder, path, length);
	folder[length] = 0;
	int descriptor = open(length > 0 ? folder : ".", O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return;
	fsync(descriptor); // not all file systems can, and then there is nothing to do about it
	close(descriptor);
}

lm_status lm_output_commit(lm_output* output, lm_error* error)
{
	// A write that failed before now has left its mark on the file, but its reason has gone with errno.
	bool good = !ferror(output->file);
	const char* reason = "a write failed, as on a full disk";
	if (good && fflush(output->file) != 0)
	{
		good = false;
		reason = strerror(errno);
	}
	if (good && output->durable && fsync(fileno(output->file)) != 0 && errno != EINVAL && errno != ENOTSUP)
	{
		good = false;
		reason = strerror(errno);
	}
	if (fclose(output->file) != 0 && good)
	{
		good = false;
		reason = strerror(errno);
	}
	output->file = NULL;
	if (good && rename(output->temporary, output->path) != 0)
	{
		good = false;
		reason = strerror(errno);
	}
	if (good && output->durable)
		lm_sync_folder_of(output->path);
	lm_status status = LM_OK;
	if (!good)
	{
		status = lm_fail_at(error, LM_IO_FAILED, output->path, "", "cannot be written: %s", reason);
		remove(output->temporary);
	}
	lm_free(&output->host, output->path);
	lm_free(&output->host, output->temporary);
	output->path = output->temporary = NULL;
	return status;
}

void lm_output_abandon(lm_output* output)
{
	if (output->file != NULL)
	{
		fclose(output->file);
		remove(output->temporary);
	}
	output->file = NULL;
	if (output->path != NULL)
		lm_free(&output->host, output->path);
	if (output->temporary != NULL)
		lm_free(&output->host, output->temporary);
	output->path = output->temporary = NULL;
}

// Whether the name is that of a temporary file: `base`, perhaps more behind a dot (behind anything when base goes on
// with a brace), ".tmp" and the number of a process that is no more.
static bool is_leftover(const char* name, const char* base)
{
	size_t length = strcspn(base, "{"), digits = strlen(name);
	if (strncmp(name, base, length) != 0 || (base[length] == 0 && name[length] != '.'))
		return false;
	while (digits > length && isdigit((unsigned char)name[digits - 1]))
		--digits;
	if (digits < length + 4 || name[digits] == 0 || strncmp(name + digits - 4, ".tmp", 4) != 0)
		return false;
	long process = strtol(name + digits, NULL, 10);
	return process > 0 && process < INT32_MAX && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

void lm_remove_leftovers(const char* path)
{
	const char* slash = strrchr(path, '/');
	char name[4096];
	int length = slash != NULL ? (int)(slash - path) + 1 : 0;
	if (snprintf(name, sizeof name, "%.*s", length, path) >= (int)sizeof name)
		return;
	DIR* folder = opendir(length > 0 ? name : ".");
	for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;)
	{
		if (!is_leftover(entry->d_name, path + length) ||
		    snprintf(name, sizeof name, "%.*s%s", length, path, entry->d_name) >= (int)sizeof name)
			continue;
		// Processes of other machines that share the folder cannot be asked for, but hold a lock.
		int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (descriptor < 0)
			continue;
		if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			unlink(name);
		close(descriptor);
	}
	if (folder != NULL)
		closedir(folder);
}

uint64_t lm_room(const char* path)
{
	char folder[4096];
	struct statvfs disk = { 0 };
	struct rlimit limit;
	snprintf(folder, sizeof folder, "%s", path);
	for (bool last = false; statvfs(folder, &disk) != 0;) // up to the first folder that is there
	{
		char* slash = strrchr(folder, '/');
		if (last)
			return UINT64_MAX;
		last = slash == NULL || slash == folder;
		if (last)
			snprintf(folder, sizeof folder, slash == NULL ? "." : "/");
		else
			*slash = 0;
	}
	uint64_t room = disk.f_blocks > 0 ? (uint64_t)disk.f_bavail * disk.f_frsize : UINT64_MAX;
	bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
	return limited && limit.rlim_cur < room ? limit.rlim_cur : room;
}

void lm_bytes_text(uint64_t bytes, char text[32])
{
	static const char* const units[] = { "bytes", "kB", "MB", "GB", "TB", "PB", "EB" };
	double amount = (double)bytes;
	int unit = 0;
	for (; amount >= 999.5 && unit < 6; ++unit)
		amount /= 1000;
	snprintf(text, 32, "%.*f %s", unit > 0 && amount < 9.95 ? 1 : 0, amount, units[unit]);
}

lm_status lm_text_write(const char* path, const char* text, const lm_host* host, lm_error* error)
{
	lm_output output;
	lm_status status = lm_output_open(host, path, &output, error);
	if (status != LM_OK)
		return status;
	fputs(text, output.file);
	return lm_output_commit(&output, error);
}

char* lm_path_beside(const lm_host* host, const char* base, const char* name)
{
	const char* slash = strrchr(base, '/');
	size_t folder = name[0] == '/' || slash == NULL ? 0 : (size_t)(slash - base) + 1;
	size_t length = strlen(name);
	char* path = lm_alloc(host, folder + length + 1, 1);
	if (path != NULL)
	{
		memcpy(path, base, folder);
		memcpy(path + folder, name, length + 1);
	}
	return path;
}

const char* lm_path_ending(const char* path)
{
	const char* slash = strrchr(path, '/');
	const char* dot = strrchr(slash != NULL ? slash : path, '.');
	return dot != NULL ? dot + 1 : "";
}

bool lm_same_ending(const char* path, const char* ending)
{
	return strcasecmp(lm_path_ending(path), ending) == 0;
}
