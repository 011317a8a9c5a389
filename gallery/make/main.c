// main.c: limber-gallery-make OUTDIR writes every mesh that the scenes of the gallery name; limber-gallery-make --large
// OUTDIR one figure of the gallery with 100,000 and with 500,000 vertices.
#include "make.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool lm_make_write(make_output* output, const char* name, const lm_mesh* mesh, const double* positions)
{
	char path[4096];
	int length = snprintf(path, sizeof path, "%s/%s", output->directory, name);
	if (length < 0 || (size_t)length >= sizeof path)
		return lm_make_fail(output, "the path of the output directory is too long");
	if (lm_mesh_write(path, mesh, positions, &output->error) != LM_OK)
		return false;
	output->files++;
	return true;
}

bool lm_make_no_memory(make_output* output)
{
	output->error = (lm_error){ .status = LM_NO_MEMORY, .message = "out of memory", .element = -1 };
	return false;
}

bool lm_make_fail(make_output* output, const char* sentence)
{
	output->error = (lm_error){ .status = LM_BAD_INPUT, .element = -1 };
	snprintf(output->error.message, sizeof output->error.message, "%s", sentence);
	return false;
}

// Makes the directory and those above it.
static bool make_directories(const char* directory)
{
	char path[4096];
	int length = snprintf(path, sizeof path, "%s", directory);
	if (length <= 0 || (size_t)length >= sizeof path)
		return false;
	for (char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/'))
	{
		*slash = '\0';
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool make_gallery(make_output* output)
{
	bool made = lm_make_cuboids(output) && lm_make_cylinders(output) && lm_make_cars(output) && lm_make_teddy(output) &&
	            lm_make_actors(output) && lm_make_crates(output) && lm_make_sheets(output) && lm_make_figures(output);
	made = made && lm_make_troupe(output) && lm_make_blends(output) && lm_make_walkers(output);
	made = made && lm_make_letters(output) && lm_make_dancer(output);
	made = made && lm_make_bags(output) && lm_make_xavier(output) && lm_make_pirate(output) && lm_make_parade(output);
	return made;
}

int main(int argument_count, char** arguments)
{
	bool large = argument_count == 3 && strcmp(arguments[1], "--large") == 0;
	if (argument_count != 2 + large || arguments[1 + large][0] == '-')
	{
		fprintf(stderr, "usage: limber-gallery-make [--large] OUTDIR\n");
		return 2;
	}
	if (!make_directories(arguments[1 + large]))
	{
		fprintf(stderr, "limber-gallery-make: %s: cannot make this directory: %s\n", arguments[1 + large],
		        strerror(errno));
		return 1;
	}

	make_output output = { .directory = arguments[1 + large], .host = lm_host_default() };
	bool made = large ? lm_make_large(&output) : make_gallery(&output);
	if (!made)
	{
		char text[1400];
		lm_error_format(&output.error, text, sizeof text);
		fprintf(stderr, "limber-gallery-make: %s\n", text);
		return 1;
	}
	printf("limber-gallery-make: %d files in %s\n", (int)output.files, output.directory);
	return 0;
}
