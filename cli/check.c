// limber check: every problem of a scene at once.
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"limber check SCENE.json [--json] [--simd LEVEL]\n"
	"\n"
	"Reads a scene and every file that it names, and says all that is wrong with it, each with its place\n"
	"in the file. Of a good one it lists the objects that cannot touch, with the reason, and those that begin\n"
	"inside each other, tries a few frames, and says how long a run would take and how large its\n"
	"cache would get. Exit code 0 when it is good, 2 when not. docs/scene.md describes the format.\n"
	"\n"
	"  --json         for programs: problems and warnings as one JSON object, with places and elements\n" SIMD_HELP;

// ---- how long a run would take: a few frames are tried ----

#define PATIENCE 0.3  // s for trying
#define MOST_TRIED 12 // frames

#define LONG 5.0 // s, after which what takes long is said where there is no bar

static struct
{
	lm_host usual;
	double end;         // by the clock; 0: not trying
	double begin, told; // when it began, and when something was said last
	double done;        // of the work at hand, as a whole
	bool late;
} trial;

static bool go_on(const char* what, double done, void* context)
{
	double now = lm_clock_seconds();
	if (trial.end > 0 && now > trial.end)
		trial.late = true;
	bool whole = strcmp(what, "lattice") != 0; // lattices are made object by object, while the scene is read
	if (whole && done >= 0)
		trial.done = done;
	if (now - trial.told > LONG && done >= 0 && !isatty(STDERR_FILENO))
	{
		fprintf(stderr, "limber: %s takes long: %.0f %% after %.0f s\n", whole ? what : "reading (lattices)",
		        100 * (whole || trial.done == 0 ? done : trial.done), now - trial.begin);
		trial.told = now;
	}
	return !trial.late && trial.usual.progress(what, done, context);
}

// What a run would take, as far as a few frames tell.
typedef struct
{
	const char* about;
	double seconds;
} estimate;

static void say_time(const estimate* e)
{
	if (e->seconds < 100)
		printf(", %s %.2g s", e->about, e->seconds);
	else if (e->seconds < 6000)
		printf(", %s %.0f min", e->about, e->seconds / 60);
	else
		printf(", %s %.1f h", e->about, e->seconds / 3600);
}

// Prepares and steps until the time is up.
static lm_status try_frames(lm_world* world, const lm_scene* scene, estimate* e, lm_error* error)
{
	int64_t frames = (int64_t)(scene->seconds * scene->fps + 0.5), tried = 0;
	double start = lm_clock_seconds();
	trial.end = start + PATIENCE, trial.late = false;
	lm_status status = lm_world_prepare(world, error);
	double prepared = lm_clock_seconds();
	while (status == LM_OK && tried < frames && tried < MOST_TRIED && lm_clock_seconds() < trial.end)
	{
		status = lm_world_step(world, error);
		tried += status == LM_OK;
	}
	double stepping = lm_clock_seconds() - prepared;
	trial.end = 0;
	if (status != LM_OK && !(status == LM_CANCELLED && trial.late))
		return status;
	if (tried > 0)
		*e = (estimate){ "about", prepared - start + stepping / (double)tried * (double)frames };
	else if (lm_world_is_prepared(world))
		*e = (estimate){ "more than", PATIENCE * (double)frames };
	else
		*e = (estimate){ "preparing it takes more than", PATIENCE };
	return LM_OK;
}

static lm_status say_estimate(lm_world* world, const estimate* e, lm_error* error)
{
	uint64_t bytes;
	char text[32];
	lm_status status = lm_world_run_bytes(world, 0, &bytes, error);
	if (status != LM_OK)
		return status;
	lm_bytes_text(bytes, text);
	printf("  a run: %s of cache", text);
	say_time(e);
	printf("\n");
	if (bytes > lm_room("out"))
	{
		lm_bytes_text(lm_room("out"), text);
		fprintf(stderr, "limber: warning: here is room for %s only\n", text);
	}
	return LM_OK;
}

// ---- pairs of objects ----

#define MOST_PAIRS 20 // told one by one

static void say_pairs(const lm_scene* scene, const lm_world_pair* pairs, int64_t count)
{
	for (int64_t i = 0; i < count && i < MOST_PAIRS; ++i)
	{
		const char *a = scene->objects[pairs[i].a].name, *b = scene->objects[pairs[i].b].name;
		if (pairs[i].reason != NULL)
			printf("  \"%s\" and \"%s\" cannot touch: %s\n", a, b, pairs[i].reason);
		else if (pairs[i].depth > 0)
			printf("  \"%s\" and \"%s\" begin inside each other, by %.3g m\n", a, b, pairs[i].depth);
		else
			printf("  \"%s\" and \"%s\" begin inside each other\n", a, b);
	}
	if (count > MOST_PAIRS)
		printf("  and %lld more pairs\n", (long long)(count - MOST_PAIRS));
}

static int check_scene(const char* path, const lm_host* host)
{
	lm_scene* scene;
	trial.begin = trial.told = lm_clock_seconds(), trial.done = 0;
	int code = read_scene(path, host, &scene);
	if (code != EXIT_GOOD)
		return code;
	lm_world* world = NULL;
	lm_error error;
	lm_status status = lm_world_create(scene, host, &world, &error); // checks of the engines
	if (status == LM_OK)
		status = lm_world_check(world, &error);
	lm_world_pair pairs[MOST_PAIRS]; // as it begins
	int64_t pair_count = 0;
	if (status == LM_OK)
		status = lm_world_pairs(world, pairs, MOST_PAIRS, &pair_count, &error);
	estimate e = { 0 };
	if (status == LM_OK)
		status = try_frames(world, scene, &e, &error);
	if (status == LM_OK)
	{
		int objects = scene->object_count, colliders = scene->collider_count;
		printf("%s: good: %d object%s, %d collider%s, %g s at %g frames per second\n", path, objects,
		       objects == 1 ? "" : "s", colliders, colliders == 1 ? "" : "s", scene->seconds, scene->fps);
		say_pairs(scene, pairs, pair_count);
		status = say_estimate(world, &e, &error);
	}
	if (status != LM_OK)
		code = report_error(&error);
	end_progress();
	lm_world_destroy(world);
	lm_scene_destroy(scene);
	return code;
}

int verb_check(int count, char** words)
{
	static const option options[] = { SIMD_OPTION, { "--json", NULL, false }, { "--help", NULL, false } };
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
	lm_host host = trial.usual = command_host(false, 0, simd);
	host.progress = go_on;
	int code = EXIT_GOOD;
	for (int i = 0; i < a.plain_count; ++i)
	{
		int found = has_option(&a, "--json") ? check_as_json(a.plain[i], &host) : check_scene(a.plain[i], &host);
		code = found != EXIT_GOOD ? found : code;
	}
	return code;
}
