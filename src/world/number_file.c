// number_file.c: a CSV file with the numbers of every frame of a run. It gets its name when the run ends or is
// interrupted; until then it has ".part" behind it, where a run that is resumed after a crash finds the rows of before.
#include "world/number_file.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_FILE ((size_t)4 << 30)

static lm_status fail_write(const lm_number_file* file, lm_error* error)
{
	return lm_fail_at(error, LM_IO_FAILED, file->path, "", "cannot be written: %s", strerror(errno));
}

static bool is_there(const char* path)
{
	return access(path, F_OK) == 0;
}

// The rows at the beginning of an older file, behind the names: one of each frame, in order, none of them torn, up to
// frame `last`. Returns their end.
static const char* sound_rows(const char* at, const char* end, int64_t last)
{
	const char* line;
	int64_t before = -1;
	for (; (line = memchr(at, '\n', (size_t)(end - at))) != NULL; at = line + 1)
	{
		int64_t frame = strtoll(at, NULL, 10);
		bool torn = memchr(at, 0, (size_t)(line - at)) != NULL;
		if (torn || frame < 0 || frame > last || (before >= 0 && frame != before + 1))
			break;
		before = frame;
	}
	return at;
}

// Copies those rows, from a file with the same names; one that is missing or has others has none.
static lm_status keep_rows(FILE* to, const char* path, const char* names, int64_t last, const lm_host* host,
                           lm_error* error)
{
	unsigned char* data;
	size_t size, head = strlen(names);
	if (!is_there(path))
		return LM_OK;
	lm_status status = lm_file_read(host, path, LARGEST_FILE, &data, &size, error);
	if (status != LM_OK)
		return status;
	const char* rows = (const char*)data + head;
	if (size > head && memcmp(data, names, head) == 0)
		fwrite(rows, 1, (size_t)(sound_rows(rows, (const char*)data + size, last) - rows), to);
	lm_free(host, data);
	return LM_OK;
}

// The names of the columns and the rows of before, whole or not at all under the name of the part; open for more.
static lm_status start(lm_number_file* file, const char* names, int64_t last, bool resumed, const lm_host* host,
                       lm_error* error)
{
	lm_output output;
	lm_status status = lm_output_open(host, file->part, &output, error);
	if (status != LM_OK)
		return status;
	output.durable = true;
	fputs(names, output.file);
	if (resumed) // a part is of a run that was cut off, and newer than what has the name
		status = keep_rows(output.file, is_there(file->part) ? file->part : file->path, names, last, host, error);
	int descriptor = fcntl(fileno(output.file), F_DUPFD_CLOEXEC, 0);
	if (status == LM_OK && descriptor >= 0)
		status = lm_output_commit(&output, error);
	else
		lm_output_abandon(&output);
	file->file = status == LM_OK && descriptor >= 0 ? fdopen(descriptor, "ab") : NULL;
	if (file->file == NULL && descriptor >= 0)
		close(descriptor);
	return status == LM_OK && file->file == NULL ? fail_write(file, error) : status;
}

lm_status lm_number_file_open(lm_number_file* file, const lm_world* world, const char* path, bool resumed,
                              lm_error* error)
{
	snprintf(file->path, sizeof file->path, "%s", path);
	snprintf(file->part, sizeof file->part, "%s.part", file->path);
	char* names = lm_world_number_names(world);
	lm_status status =
		names != NULL ? start(file, names, world->frame, resumed, &world->host, error) : lm_fail_memory(error);
	lm_free(&world->host, names);
	return status == LM_OK && !resumed ? lm_number_file_add(file, world, error) : status;
}

lm_status lm_number_file_add(lm_number_file* file, const lm_world* world, lm_error* error)
{
	if (file->file == NULL)
		return LM_OK;
	char* row = lm_world_number_row(world);
	if (row == NULL)
		return lm_fail_memory(error);
	bool written = fputs(row, file->file) >= 0;
	lm_free(&world->host, row);
	return written ? LM_OK : fail_write(file, error);
}

lm_status lm_number_file_save(lm_number_file* file, lm_error* error)
{
	if (file->file == NULL)
		return LM_OK;
	bool good = fflush(file->file) == 0 &&
	            (fsync(fileno(file->file)) == 0 || errno == EINVAL || errno == ENOTSUP); // some file systems cannot
	return good ? LM_OK : fail_write(file, error);
}

lm_status lm_number_file_close(lm_number_file* file, bool whole, lm_error* error)
{
	if (file->file == NULL)
		return LM_OK;
	bool good = fclose(file->file) == 0 && (!whole || rename(file->part, file->path) == 0);
	file->file = NULL;
	return good ? LM_OK : fail_write(file, error);
}
