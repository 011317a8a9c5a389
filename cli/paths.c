// Names of files: endings, {object} and {frame}, and whether they can be written.
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool path_ends(const char* path, const char* ending)
{
	size_t length = strlen(path), tail = strlen(ending);
	return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

bool is_film(const char* path)
{
	return path_ends(path, ".png") || path_ends(path, ".mp4") || path_ends(path, ".webm") || path_ends(path, ".gif");
}

int check_video(const char* path)
{
	lm_error error;
	bool video = is_film(path) && !path_ends(path, ".png");
	return video && lm_video_check(path, &error) != LM_OK ? report_error(&error) : EXIT_GOOD;
}

bool is_mesh(const char* path)
{
	static const char* const endings[] = { ".obj", ".ply", ".stl", ".msh", ".node", ".ele" };
	bool found = false;
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
		found |= path_ends(path, endings[i]);
	return found;
}

bool is_points(const char* path)
{
	return path_ends(path, ".pc2") || path_ends(path, ".mdd");
}

void path_with_ending(const char* path, const char* ending, char* result, size_t capacity)
{
	const char* slash = strrchr(path, '/');
	const char* dot = strrchr(slash != NULL ? slash : path, '.');
	int stem = (int)(dot != NULL ? dot - path : (ptrdiff_t)strlen(path));
	snprintf(result, capacity, "%.*s%s", stem, path, ending);
}

bool format_path(char* path, size_t capacity, const char* format, ...)
{
	va_list values;
	va_start(values, format);
	int length = vsnprintf(path, capacity, format, values);
	va_end(values);
	if (length >= 0 && (size_t)length < capacity)
		return true;
	fprintf(stderr, "limber: the path %s... is too long\n", path);
	return false;
}

bool expand_path(const char* pattern, const char* object, int64_t frame, char* result, size_t capacity)
{
	size_t used = 0;
	while (*pattern != 0 && used < capacity)
	{
		int length = 1;
		if (strncmp(pattern, "{object}", 8) == 0)
		{
			length = snprintf(result + used, capacity - used, "%s", object);
			for (char* c = result + used; *c != 0; ++c) // a name must not lead into another folder
				*c = *c == '/' ? '_' : *c;
			pattern += 8;
		}
		else if (strncmp(pattern, "{frame}", 7) == 0)
		{
			length = snprintf(result + used, capacity - used, "%04" PRId64, frame);
			pattern += 7;
		}
		else
			result[used] = *pattern++;
		used += (size_t)length;
	}
	if (used >= capacity)
		return false;
	result[used] = 0;
	return true;
}

bool is_same_file(const char* path, const char* other)
{
	struct stat a, b;
	return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_input(const lm_scene* scene, const char* path)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return false; // as a rule
	bool found = is_same_file(path, scene->path);
	for (int32_t i = 0; i < scene->file_count; ++i)
		found |= is_same_file(path, scene->files[i]);
	return found;
}

int check_writable(const char* path)
{
	char folder[4096];
	struct stat target;
	size_t length = strlen(path);
	if (length == 0 || path[length - 1] == '/' || (stat(path, &target) == 0 && S_ISDIR(target.st_mode)))
	{
		fprintf(stderr, "limber: %s: cannot be written: it is a folder, must be the name of a file\n",
		        length > 0 ? path : "\"\"");
		return EXIT_WORK_FAILED;
	}
	snprintf(folder, sizeof folder, "%s", path);
	for (;;) // up to the first folder that exists
	{
		char* slash = strrchr(folder, '/');
		if (slash == NULL || slash == folder)
			snprintf(folder, sizeof folder, slash == NULL ? "." : "/");
		else
			*slash = 0;
		struct stat facts;
		if (stat(folder, &facts) == 0)
		{
			if (S_ISDIR(facts.st_mode) && access(folder, W_OK) == 0)
			{
				lm_remove_leftovers(path);
				return EXIT_GOOD;
			}
			fprintf(stderr, "limber: %s: cannot be written: %s %s\n", path, folder,
			        S_ISDIR(facts.st_mode) ? "is a folder without permission to write" : "is not a folder");
			return EXIT_WORK_FAILED;
		}
		if (errno != ENOENT || slash == NULL)
		{
			fprintf(stderr, "limber: %s: cannot be written: %s\n", path, strerror(errno));
			return EXIT_WORK_FAILED;
		}
	}
}
