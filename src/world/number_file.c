// number_file.c: a CSV file with the numbers of every frame of a run. It gets its name when the run ends or is
// interrupted; a run that is resumed keeps the rows of before.
#include "world/number_file.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_FILE ((size_t)4 << 30)

static lm_status put_line(lm_number_file* file, char* text, const lm_host* host, lm_error* error)
{
	if (text == NULL)
		return lm_fail_memory(error);
	fputs(text, file->output.file); // what could not be written is seen when the file is closed
	lm_free(host, text);
	return LM_OK;
}

// Rows of an older file whose frame is not after `last`. One that is missing or has other columns has none.
static lm_status keep_rows(lm_number_file* file, const char* path, const char* names, int64_t last, const lm_host* host,
                           lm_error* error)
{
	unsigned char* data;
	size_t size, head = strlen(names);
	if (access(path, F_OK) != 0)
		return LM_OK;
	lm_status status = lm_file_read(host, path, LARGEST_FILE, &data, &size, error);
	if (status != LM_OK)
		return status;
	const char *text = (const char*)data, *end = text + size, *at = text + head;
	while (size > head && memcmp(text, names, head) == 0 && at < end)
	{
		const char* next = memchr(at, '\n', (size_t)(end - at));
		if (next == NULL || strtoll(at, NULL, 10) > last)
			break;
		fwrite(at, 1, (size_t)(next + 1 - at), file->output.file);
		at = next + 1;
	}
	lm_free(host, data);
	return LM_OK;
}

lm_status lm_number_file_open(lm_number_file* file, const lm_world* world, const char* path, bool resumed,
                              lm_error* error)
{
	const lm_host* host = &world->host;
	lm_status status = lm_output_open(host, path, &file->output, error);
	if (status != LM_OK)
		return status;
	file->open = true;
	char* names = lm_world_number_names(world);
	if (names == NULL)
		return lm_fail_memory(error);
	fputs(names, file->output.file);
	if (resumed)
		status = keep_rows(file, path, names, world->frame, host, error);
	lm_free(host, names);
	return status == LM_OK && !resumed ? lm_number_file_add(file, world, error) : status;
}

lm_status lm_number_file_add(lm_number_file* file, const lm_world* world, lm_error* error)
{
	return file->open ? put_line(file, lm_world_number_row(world), &world->host, error) : LM_OK;
}

lm_status lm_number_file_close(lm_number_file* file, bool keep, lm_error* error)
{
	if (!file->open)
		return LM_OK;
	file->open = false;
	if (keep)
		return lm_output_commit(&file->output, error);
	lm_output_abandon(&file->output);
	return LM_OK;
}
