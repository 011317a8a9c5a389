// limber run: a scene into a cache, and the wanted outputs from it.
#include "cli.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
	"limber run SCENE.json [--out PATH]... [--seconds S] [--threads N] [--simd LEVEL] [--stats FILE]\n"
	"    [--stats-frames FILE.csv] [--take FILE] [--resume] [--quiet]\n"
	"\n"
	"Simulates a scene. Every run keeps its frames in a cache (.lmc) with a checkpoint beside it, so that nothing is\n"
	"lost: pictures can be made again with `limber render`, and an interrupted run goes on with --resume.\n"
	"\n"
	"  --out PATH     the ending chooses: .mp4 .webm .gif video, .png picture, .pc2 .mdd point cache for Blender and\n"
	"                 others, .obj .ply .stl mesh, .lmc only the cache. {object} in the name stands for each object's\n"
	"                 name, {frame} for each frame's number. May be given several times. Without it: out/NAME.lmc\n"
	"  --seconds S    how much to simulate; default: what the scene says\n"
	"  --threads N    default: all cores. The result does not depend on it\n" SIMD_HELP
	"  --stats FILE   statistics of the run as JSON, see docs/statistics.md\n"
	"  --stats-frames FILE.csv    numbers of every frame (energies, contact, weights, goals), a column each\n"
	"  --take FILE    repeat a recorded performance: exit code 0 \"as recorded\", 1 \"differs from frame N\", 2 "
	"another scene\n"
	"  --resume       go on from the last checkpoint; the result is the same to the bit, at the SIMD level of before\n"
	"  --quiet        no progress bar, no closing line\n"
	"\n"
	"  limber run gallery/match/twist.json --out twist.mp4\n"
	"  limber run scene.json --out 'meshes/{object}-{frame}.obj' --out '{object}.pc2' --stats run.json\n"
	"\n"
	"Exit code: 0 done, 1 the work failed, 2 bad input, 130 interrupted (143 by SIGTERM).\n";

// The cache lies beside the first output: out/twist.mp4 -> out/twist.lmc.
static void choose_cache(const run_request* request, const lm_scene* scene, char* path, size_t capacity)
{
	for (int i = 0; i < request->output_count; ++i)
		if (path_ends(request->outputs[i], ".lmc"))
		{
			snprintf(path, capacity, "%s", request->outputs[i]);
			return;
		}
	if (request->output_count == 0)
	{
		expand_path("out/{object}.lmc", scene->name, 0, path, capacity); // as the name of a file
		return;
	}
	char named[4096];
	if (!expand_path(request->outputs[0], scene->name, 0, named, sizeof named))
		snprintf(named, sizeof named, "out/run");
	path_with_ending(named, ".lmc", path, capacity);
}

// ---- what the scene is made of is not to be written over ----

static int check_name(const lm_scene* scene, const char* pattern, int64_t frame)
{
	for (int32_t i = 0; i < scene->object_count; ++i)
	{
		char path[4096];
		if (expand_path(pattern, scene->objects[i].name, frame, path, sizeof path) && is_input(scene, path))
			return usage_error("run", "%s: is part of the scene and would be written over; choose another name", path);
		if (strstr(pattern, "{object}") == NULL)
			break; // the same for all
	}
	return EXIT_GOOD;
}

// Of a row of files only those numbers can be meant that the names of the scene's files have in them.
static int check_row(const lm_scene* scene, const char* pattern, const char* file)
{
	int code = EXIT_GOOD;
	for (const char* at = file; *at != 0 && code == EXIT_GOOD;)
		if (isdigit((unsigned char)*at))
		{
			char* end;
			code = check_name(scene, pattern, strtoll(at, &end, 10));
			at = end;
		}
		else
			++at;
	return code;
}

static int check_not_input(const lm_scene* scene, const char* pattern)
{
	if (strstr(pattern, "{frame}") == NULL)
		return check_name(scene, pattern, 0);
	int code = check_row(scene, pattern, scene->path);
	for (int32_t i = 0; i < scene->file_count && code == EXIT_GOOD; ++i)
		code = check_row(scene, pattern, scene->files[i]);
	return code;
}

static int write_statistics(const run_request* request, const lm_world* world, const lm_host* host, double wall)
{
	char* text = lm_world_statistics(world, wall);
	lm_error error = { .status = LM_NO_MEMORY, .message = "out of memory" };
	lm_status status = text != NULL ? lm_text_write(request->stats, text, host, &error) : LM_NO_MEMORY;
	lm_text_free(host, text);
	return status == LM_OK ? EXIT_GOOD : report_error(&error);
}

// What helps with an output that could not be made, now that the frames are safe.
static void advise(const lm_error* error, const char* cache_path, const char* output)
{
	bool video = is_film(output) && !path_ends(output, ".png");
	const char* first = error->status == LM_IO_FAILED     ? "once it can be written, "
	                    : error->status == LM_NO_MEMORY   ? "with more memory, or a smaller --size, "
	                    : error->status == LM_UNSUPPORTED ? "once that is there, "
	                    : error->status != LM_CANCELLED   ? "once that is mended, "
	                                                      : "";
	fprintf(stderr, "limber: the frames are safe in %s: %s`limber render %s --out '%s'` makes it%s\n", cache_path,
	        first, cache_path, output,
	        video && error->status == LM_UNSUPPORTED ? "; pictures need no ffmpeg: --out 'picture-{frame}.png'" : "");
}

// All that can be made, even when one of them cannot.
static int write_outputs(const run_request* request, const lm_scene* scene, const char* cache_path, const lm_host* host)
{
	lm_error error = { 0 };
	lm_cache* cache;
	if (lm_cache_open(cache_path, host, &cache, &error) != LM_OK)
		return report_error(&error);
	int code = EXIT_GOOD;
	for (int i = 0; i < request->output_count && code != EXIT_INTERRUPTED; ++i)
	{
		if (path_ends(request->outputs[i], ".lmc"))
			continue;
		lm_film_settings film = lm_film_settings_of(scene);
		film.sheet = request->sheet && path_ends(request->outputs[i], ".png");
		if (export_cache(cache, &film, scene->object_count, request->outputs[i], host, &error) == LM_OK)
			continue;
		code = report_error(&error);
		advise(&error, cache_path, request->outputs[i]);
	}
	lm_cache_destroy(cache);
	end_progress();
	return code;
}

static void say_done(const run_request* request, const lm_world* world, const char* cache_path, double wall)
{
	double seconds = lm_world_time(world);
	fprintf(stderr, "%.3g s of animation in %.3g s:", seconds, wall);
	bool named = false;
	for (int i = 0; i < request->output_count; ++i)
	{
		fprintf(stderr, " %s", request->outputs[i]);
		named |= strcmp(request->outputs[i], cache_path) == 0;
	}
	if (!named)
		fprintf(stderr, "%s%s", request->output_count > 0 ? ", frames in " : " ", cache_path);
	fputc('\n', stderr);
}

// No two of the outputs, the cache and the statistics may be one file.
static int check_apart(const run_request* request, const char* cache_path)
{
	const char* names[ARGUMENTS_MAX + 3] = { cache_path };
	int count = 1;
	if (request->stats != NULL)
		names[count++] = request->stats;
	if (request->stats_frames != NULL)
		names[count++] = request->stats_frames;
	for (int i = 0; i < request->output_count; ++i)
		if (!path_ends(request->outputs[i], ".lmc"))
			names[count++] = request->outputs[i];
		else if (strcmp(request->outputs[i], cache_path) != 0)
			return usage_error("run", "%s: a run has one cache, and that is %s already", request->outputs[i],
			                   cache_path);
	for (int i = 0; i < count; ++i)
		for (int k = i + 1; k < count; ++k)
			if (strcmp(names[i], names[k]) == 0 || is_same_file(names[i], names[k]))
				return usage_error("run", "%s: would be written twice; choose another name for one of them", names[k]);
	return EXIT_GOOD;
}

// Whether there is room for what is written from the cache, as far as it is known before: the cache itself is checked
// when the run begins.
static int check_room(const run_request* request, const lm_scene* scene, lm_world* world, const char* cache_path)
{
	int64_t frames = (int64_t)((request->seconds > 0 ? request->seconds : scene->seconds) * scene->fps) + 1;
	uint64_t needed = 0;
	lm_error error;
	if (lm_world_run_bytes(world, request->seconds, &needed, &error) != LM_OK)
		return report_error(&error);
	for (int i = 0; i < request->output_count; ++i)
	{
		uint64_t room = lm_room(request->outputs[i]);
		uint64_t own = output_bytes(world, request->outputs[i], frames);
		bool beside = room == lm_room(cache_path); // most likely the same disk
		needed = beside ? needed + own : needed;
		if (own > 0 && room < (beside ? needed : own))
		{
			char wanted[32], left[32];
			lm_bytes_text(beside ? needed : own, wanted);
			lm_bytes_text(room, left);
			fprintf(stderr,
			        "limber: %s: %s are needed%s, and there is room for %s only: make room, or choose another folder\n",
			        request->outputs[i], wanted, beside ? " with the cache" : "", left);
			return EXIT_WORK_FAILED;
		}
	}
	return EXIT_GOOD;
}

static int check_outputs(const run_request* request, const lm_scene* scene, const char* cache_path)
{
	int code = check_apart(request, cache_path);
	for (int i = 0; code == EXIT_GOOD && i < request->output_count; ++i)
	{
		code = check_output("run", request->outputs[i], scene->object_count);
		if (code == EXIT_GOOD)
			code = check_not_input(scene, request->outputs[i]);
	}
	if (code == EXIT_GOOD)
		code = check_writable(cache_path);
	if (code == EXIT_GOOD && request->stats != NULL)
		code = check_writable(request->stats);
	if (code == EXIT_GOOD && request->stats != NULL)
		code = check_not_input(scene, request->stats);
	if (code == EXIT_GOOD && request->stats_frames != NULL)
		code = check_writable(request->stats_frames);
	if (code == EXIT_GOOD && request->stats_frames != NULL)
		code = check_not_input(scene, request->stats_frames);
	return code;
}

// What a repeated performance was like, and the exit code for it.
static int say_verdict(const run_request* request, const lm_take* take, const lm_run_report* report)
{
	if (report->differs_from < 0)
	{
		if (!request->quiet)
			fprintf(stderr, "limber: %s: as recorded\n", request->take);
		return EXIT_GOOD;
	}
	fprintf(stderr, "limber: %s: differs from frame %" PRId64 "%s\n", request->take, report->differs_from,
	        lm_take_is_ours(take) ? "" : "; another build of limber has recorded it, whose results may differ");
	return EXIT_WORK_FAILED;
}

static int simulate(const run_request* request, const lm_scene* scene, const char* cache_path, lm_world* world,
                    const lm_take* take, const lm_host* host)
{
	int code = check_outputs(request, scene, cache_path);
	if (code == EXIT_GOOD)
		code = check_room(request, scene, world, cache_path);
	if (code != EXIT_GOOD)
		return code;
	lm_run_settings settings = lm_run_settings_default();
	settings.cache_path = cache_path;
	settings.seconds = request->seconds;
	settings.take = take;
	settings.numbers_path = request->stats_frames;
	if (take != NULL && !(settings.seconds > 0))
		settings.seconds = (double)lm_take_frames(take) / scene->fps;
	settings.resume = request->resume;
	settings.interrupted = &interrupted;
	lm_run_report report;
	lm_error error;
	if (lm_world_run(world, &settings, &report, &error) != LM_OK)
		return report_error(&error);
	end_progress();
	if (request->seconds > 0 && lm_world_time(world) > request->seconds + 1 / scene->fps && !request->quiet)
		fprintf(stderr, "limber: %s has %.3g s already; for less of it, run without --resume\n", cache_path,
		        lm_world_time(world));
	if (report.interrupted)
	{
		fprintf(stderr,
		        "limber: interrupted after frame %" PRId64
		        "; nothing is lost, go on with the same command and --resume\n",
		        lm_world_frame(world));
		return EXIT_INTERRUPTED;
	}
	if (request->stats != NULL)
		code = write_statistics(request, world, host, report.wall_seconds);
	if (code == EXIT_GOOD)
		code = write_outputs(request, scene, cache_path, host);
	if (code == EXIT_GOOD && !request->quiet)
		say_done(request, world, cache_path, report.wall_seconds);
	if (code == EXIT_GOOD && take != NULL)
		code = say_verdict(request, take, &report);
	return code;
}

// A take is repeated at its own SIMD level, and a run that is resumed goes on at that of its checkpoint, unless another
// one is given; then they are refused.
static int choose_level(const run_request* request, const char* cache_path, lm_host* host)
{
	char checkpoint[4200];
	lm_error error;
	snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", cache_path);
	if (request->take != NULL && host->simd == LM_SIMD_AUTO &&
	    lm_take_level(request->take, host, &host->simd, &error) != LM_OK)
		return report_error(&error);
	if (request->resume && host->simd == LM_SIMD_AUTO && lm_checkpoint_simd(checkpoint, &host->simd, &error) != LM_OK)
		return report_error(&error);
	return EXIT_GOOD;
}

static int run_into(const run_request* request, const lm_scene* scene, lm_host* host)
{
	char cache_path[4096];
	choose_cache(request, scene, cache_path, sizeof cache_path);
	int code = choose_level(request, cache_path, host);
	if (code != EXIT_GOOD)
		return code;
	lm_world* world;
	lm_error error;
	if (lm_world_create(scene, host, &world, &error) != LM_OK)
		return report_error(&error);
	lm_take* take = NULL;
	if (request->take != NULL &&
	    (lm_take_read(request->take, world, &take, &error) != LM_OK || lm_take_fits(take, world, &error) != LM_OK))
		code = report_error(&error);
	if (code == EXIT_GOOD)
		code = simulate(request, scene, cache_path, world, take, host);
	lm_take_destroy(take);
	lm_world_destroy(world);
	return code;
}

int run_scene(const run_request* request)
{
	catch_interrupts("go on from the last checkpoint with the same command and --resume");
	lm_host host = command_host(request->quiet, request->threads, request->simd);
	lm_scene* scene = NULL;
	int code = EXIT_GOOD; // what is missing is said before any work
	for (int i = 0; code == EXIT_GOOD && i < request->output_count; ++i)
		code = check_video(request->outputs[i]);
	if (code == EXIT_GOOD)
		code = read_scene(request->scene, &host, &scene);
	if (code != EXIT_GOOD)
		return code;
	code = run_into(request, scene, &host);
	lm_scene_destroy(scene);
	return code;
}

int verb_run(int count, char** words)
{
	static const option options[] = {
		{ "--out", "PATH", true },    { "--seconds", "S", false },         { "--threads", "N", false },
		{ "--stats", "FILE", false }, { "--stats-frames", "FILE", false }, { "--take", "FILE", false },
		{ "--resume", NULL, false },  { "--quiet", NULL, false },          SIMD_OPTION,
		{ "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "run", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	if (a.plain_count != 1)
		return wrong_files(&a, "one scene file");
	const char* outputs[ARGUMENTS_MAX];
	run_request request = { .scene = a.plain[0], .outputs = outputs };
	while (request.output_count < ARGUMENTS_MAX && option_value(&a, "--out", request.output_count) != NULL)
	{
		outputs[request.output_count] = option_value(&a, "--out", request.output_count);
		++request.output_count;
	}
	request.stats = option_value(&a, "--stats", 0);
	request.stats_frames = option_value(&a, "--stats-frames", 0);
	request.take = option_value(&a, "--take", 0);
	request.resume = has_option(&a, "--resume");
	request.quiet = has_option(&a, "--quiet");
	if (!option_number(&a, "--seconds", 1e-6, 1e6, &request.seconds) ||
	    !option_integer(&a, "--threads", 1, 256, &request.threads) || !option_simd(&a, &request.simd))
		return EXIT_BAD_INPUT;
	return run_scene(&request);
}
