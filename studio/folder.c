// folder.c: see folder.h.
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool name_is_safe(const char* name)
{
	size_t length = strlen(name);
	bool good = length > 0 && length <= 100 && name[0] != '.' && name[0] != '-';
	for (const char* c = name; *c != 0; ++c)
		good &= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '-' ||
		        *c == '_' || (*c == '.' && c[1] != '.');
	return good;
}

bool name_has_ending(const char* name, const char* ending)
{
	size_t length = strlen(name), tail = strlen(ending);
	return length > tail && strcasecmp(name + length - tail, ending) == 0;
}

static bool fits(int length, size_t capacity)
{
	return length >= 0 && (size_t)length < capacity;
}

bool path_join(const char* folder, const char* name, char* path, size_t capacity)
{
	return fits(snprintf(path, capacity, "%s/%s", folder, name), capacity);
}

void path_folder(const char* path, char* folder, size_t capacity)
{
	const char* slash = strrchr(path, '/');
	if (slash == NULL)
		snprintf(folder, capacity, ".");
	else
		snprintf(folder, capacity, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

const char* path_name(const char* path)
{
	const char* slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

void path_stem(const char* path, char* stem, size_t capacity)
{
	snprintf(stem, capacity, "%s", path_name(path));
	char* dot = strrchr(stem, '.');
	if (dot != NULL && dot != stem)
		*dot = 0;
}

bool path_is_same(const char* a, const char* b)
{
	struct stat one, other;
	return strcmp(a, b) == 0 ||
	       (stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

bool file_exists(const char* path)
{
	struct stat facts;
	return stat(path, &facts) == 0;
}

int64_t file_time(const char* path)
{
	struct stat facts;
	return stat(path, &facts) == 0 ? (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec : 0;
}

bool folder_make(const char* path)
{
	char part[PATH_CAPACITY];
	if (!fits(snprintf(part, sizeof part, "%s", path), sizeof part))
		return false;
	for (char* slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
	{
		*slash = 0;
		mkdir(part, 0777);
		*slash = '/';
	}
	struct stat facts;
	return (mkdir(part, 0777) == 0 || errno == EEXIST) && stat(part, &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool path_fresh(const char* folder, const char* stem, const char* ending, char* path, size_t capacity)
{
	bool good = fits(snprintf(path, capacity, "%s/%s%s", folder, stem, ending), capacity);
	for (int i = 2; good && file_exists(path); ++i)
		good = i < 10000 && fits(snprintf(path, capacity, "%s/%s-%d%s", folder, stem, i, ending), capacity);
	return good;
}

bool path_relative(const char* folder, const char* target, char* path, size_t capacity)
{
	char from[PATH_MAX], to[PATH_MAX];
	if (realpath(folder, from) == NULL || realpath(target, to) == NULL)
		return fits(snprintf(path, capacity, "%s", target), capacity);
	if (strcmp(from, to) == 0)
		return fits(snprintf(path, capacity, "."), capacity);
	size_t same = 0; // length of the folders that both have
	for (size_t i = 0; from[i] == to[i] || (from[i] == 0 && to[i] == '/'); ++i)
	{
		if (to[i] == '/' || to[i] == 0)
			same = i + 1;
		if (from[i] == 0)
			break;
	}
	if (same <= 1) // nothing but the root: then the whole path is clearer
		return fits(snprintf(path, capacity, "%s", to), capacity);
	size_t used = 0;
	path[0] = 0;
	const char* rest = strlen(from) > same ? from + same : "";
	for (const char* c = rest; *rest != 0 && used + 4 < capacity;)
	{
		used += (size_t)snprintf(path + used, capacity - used, "../");
		c = strchr(c, '/');
		if (c == NULL)
			break;
		++c;
	}
	return fits(snprintf(path + used, capacity - used, "%s", to + same), capacity - used);
}

bool file_write(const char* path, const void* bytes, size_t size)
{
	char temporary[PATH_CAPACITY + 16];
	if (!fits(snprintf(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid()), sizeof temporary))
		return errno = ENAMETOOLONG, false;
	int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool good = file >= 0;
	for (size_t done = 0; good && done < size;)
	{
		ssize_t written = write(file, (const char*)bytes + done, size - done);
		good = written > 0 || (written < 0 && errno == EINTR);
		done += written > 0 ? (size_t)written : 0;
	}
	good = good && fsync(file) == 0;
	int reason = errno;
	if (file >= 0)
		close(file);
	if (good && rename(temporary, path) == 0)
		return true;
	reason = good ? errno : reason;
	unlink(temporary);
	errno = reason;
	return false;
}

char* file_read(const char* path, size_t most, size_t* size)
{
	FILE* file = fopen(path, "rbe");
	if (file == NULL)
		return NULL;
	char* bytes = NULL;
	if (fseek(file, 0, SEEK_END) == 0)
	{
		long length = ftell(file);
		rewind(file);
		bytes = length >= 0 && (size_t)length <= most ? malloc((size_t)length + 1) : NULL;
		if (bytes != NULL)
		{
			*size = fread(bytes, 1, (size_t)length, file);
			bytes[*size] = 0;
		}
	}
	fclose(file);
	return bytes;
}
