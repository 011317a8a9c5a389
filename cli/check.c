// limber check: every problem of a scene at once.
#include "cli.h"

#include <stdio.h>

static const char help[] =
	"limber check SCENE.json [--simd LEVEL]\n"
	"\n"
	"Reads a scene and every file that it names, and says all that is wrong with it, each with its place\n"
	"in the file. Exit code 0 when it is good, 2 when not. docs/scene.md describes the format.\n"
	"\n" SIMD_HELP;

static int check_scene(const char* path, const lm_host* host)
{
	lm_scene* scene;
	int code = read_scene(path, host, &scene);
	if (code != EXIT_GOOD)
		return code;
	lm_world* world = NULL;
	lm_error error;
	lm_status status = lm_world_create(scene, host, &world, &error); // checks of the engines
	if (status == LM_OK)
		status = lm_world_check(world, &error);
	int objects = scene->object_count, colliders = scene->collider_count;
	if (status != LM_OK)
		code = report_error(&error);
	else
		printf("%s: good: %d object%s, %d collider%s, %g s at %g frames per second\n", path, objects,
		       objects == 1 ? "" : "s", colliders, colliders == 1 ? "" : "s", scene->seconds, scene->fps);
	end_progress();
	lm_world_destroy(world);
	lm_scene_destroy(scene);
	return code;
}

int verb_check(int count, char** words)
{
	static const option options[] = { SIMD_OPTION, { "--help", NULL, false } };
	arguments a;
	if (!parse_arguments(count, words, "check", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	if (a.plain_count == 0)
		return usage_error("check", "check takes a scene file");
	lm_simd simd;
	if (!option_simd(&a, &simd))
		return EXIT_BAD_INPUT;
	catch_interrupts("the scene has not been checked to its end");
	lm_host host = command_host(false, 0, simd);
	int code = EXIT_GOOD;
	for (int i = 0; i < a.plain_count; ++i)
	{
		int found = check_scene(a.plain[i], &host);
		code = found != EXIT_GOOD ? found : code;
	}
	return code;
}
