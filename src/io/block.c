#include "io/block.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lm_status lm_block_open(const char* path, bool write, int* descriptor, uint64_t* size, lm_error* error)
{
	int opened = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK); // a pipe must not make us wait
	struct stat facts;
	if (opened < 0)
		return lm_fail_at(error, write && errno != ENOENT ? LM_IO_FAILED : LM_BAD_INPUT, path, "",
		                  "cannot be opened: %s", strerror(errno));
	if (fstat(opened, &facts) != 0 || !S_ISREG(facts.st_mode))
	{
		close(opened);
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "is not a regular file");
	}
	*descriptor = opened;
	*size = (uint64_t)facts.st_size;
	return LM_OK;
}

lm_status lm_block_read(int descriptor, const char* path, void* data, size_t bytes, uint64_t offset, lm_error* error)
{
	size_t done = 0;
	while (done < bytes)
	{
		ssize_t got = pread(descriptor, (char*)data + done, bytes - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return lm_fail_at(error, LM_IO_FAILED, path, "", "cannot be read: %s", strerror(errno));
		if (got == 0)
			return lm_fail_at(error, LM_BAD_INPUT, path, "", "is cut off at byte %llu",
			                  (unsigned long long)(offset + done));
		done += (size_t)got;
	}
	return LM_OK;
}

lm_status lm_block_write(int descriptor, const char* path, const void* data, size_t bytes, uint64_t offset,
                         lm_error* error)
{
	size_t done = 0;
	while (done < bytes)
	{
		ssize_t put = pwrite(descriptor, (const char*)data + done, bytes - done, (off_t)(offset + done));
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return lm_fail_at(error, LM_IO_FAILED, path, "", "cannot be written: %s",
			                  put < 0 ? strerror(errno) : "the system took no bytes");
		done += (size_t)put;
	}
	return LM_OK;
}
