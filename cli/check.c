// limber check: every problem of a scene at once.
#include "cli.h"

#include <stdio.h>

static const char help[] =
	"limber check SCENE.json\n"
	"\n"
	"Reads a scene and every file that it names, and says all that is wrong with it, each with its place\n"
	"in the file. Exit code 0 when it is good, 2 when not. docs/scene.md describes the format.\n";

int verb_check(int count, char** words)
{
	static const option options[] = { { "--help", NULL, false } };
	arguments a;
	if (!parse_arguments(count, words, "check", options, 1, &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	if (a.plain_count == 0)
		return usage_error("check", "check takes a scene file");
	lm_host host = command_host(false, 0);
	int code = EXIT_GOOD;
	for (int i = 0; i < a.plain_count; ++i)
	{
		lm_scene* scene;
		lm_world* world;
		lm_error error;
		int read = read_scene(a.plain[i], &host, &scene);
		if (read != EXIT_GOOD)
		{
			code = read;
			continue;
		}
		if (lm_world_create(scene, &host, &world, &error) == LM_OK) // what only the engines can tell
		{
			int objects = scene->object_count, colliders = scene->collider_count;
			printf("%s: good: %d object%s, %d collider%s, %g s at %g frames per second\n", a.plain[i], objects,
			       objects == 1 ? "" : "s", colliders, colliders == 1 ? "" : "s", scene->seconds, scene->fps);
			lm_world_destroy(world);
		}
		else
			code = report_error(&error);
		lm_scene_destroy(scene);
	}
	return code;
}
