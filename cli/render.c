// limber render: pictures and videos of a cache, or of a scene that is run first.
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
	"limber render SCENE.json|CACHE.lmc --out FILE [--sheet] [--frame N] [--size WxH] [--threads N] [--quiet]\n"
	"\n"
	"Makes a picture (.png) or video (.mp4 .webm .gif) of a run. A scene is simulated first.\n"
	"\n"
	"  --sheet      a contact sheet: twelve moments in one .png\n"
	"  --frame N    which frame a .png shows; default: the middle one. {frame} in the name draws them all\n"
	"  --size WxH   pixels; default: what the scene says\n"
	"\n"
	"  limber render out/twist.lmc --out sheet.png --sheet\n";

// The scene gives camera, size and background; a cache without its scene is drawn with defaults.
static lm_film_settings settings_for(const lm_cache* cache, const lm_host* host, int32_t* object_count)
{
	const lm_cache_info* info = lm_cache_get_info(cache);
	lm_film_settings settings = lm_film_settings_default();
	lm_scene* scene;
	lm_problems problems = { 0 };
	*object_count = info->object_count;
	if (info->scene[0] != 0 && lm_scene_read(info->scene, host, &scene, &problems) == LM_OK)
	{
		settings = lm_film_settings_of(scene);
		*object_count = scene->object_count;
		lm_scene_destroy(scene);
	}
	else if (host->log != NULL && info->scene[0] != 0)
		fprintf(stderr, "limber: warning: the scene %s cannot be read: camera and colours are the usual ones\n",
		        info->scene);
	lm_problems_release(&problems);
	return settings;
}

// False after saying what is wrong. Left alone when the option was not given.
static bool option_size(const arguments* a, int32_t* width, int32_t* height)
{
	const char* text = option_value(a, "--size", 0);
	int w, h;
	char rest;
	if (text == NULL)
		return true;
	if (strlen(text) > 11 || sscanf(text, "%dx%d%c", &w, &h, &rest) != 2 || w < 16 || w > 8192 || h < 16 || h > 8192)
		return usage_error("render", "--size is %s, must be like 960x540, between 16 and 8192", text), false;
	*width = w, *height = h;
	return true;
}

static int render_cache(const arguments* a, const char* path, const char* out, const lm_host* host)
{
	lm_error error;
	lm_cache* cache;
	if (lm_cache_open(path, host, &cache, &error) != LM_OK)
		return report_error(&error);
	int32_t object_count;
	lm_film_settings settings = settings_for(cache, host, &object_count);
	settings.sheet = has_option(a, "--sheet");
	long frame = -1;
	int code = EXIT_GOOD;
	int64_t frames = lm_cache_frame_count(cache);
	if (!option_integer(a, "--frame", 0, frames > 0 ? (long)frames - 1 : 0, &frame))
		code = EXIT_BAD_INPUT;
	else
		code = check_output("render", out, object_count);
	settings.frame = frame;
	option_size(a, &settings.render.width, &settings.render.height);
	if (code == EXIT_GOOD && export_cache(cache, &settings, object_count, out, host, &error) != LM_OK)
		code = report_error(&error);
	end_progress();
	if (code == EXIT_GOOD && !has_option(a, "--quiet"))
		fprintf(stderr, "%s\n", out);
	lm_cache_destroy(cache);
	return code;
}

int verb_render(int count, char** words)
{
	static const option options[] = {
		{ "--out", "FILE", false },  { "--sheet", NULL, false }, { "--frame", "N", false }, { "--size", "WxH", false },
		{ "--threads", "N", false }, { "--quiet", NULL, false }, { "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "render", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	const char* out = option_value(&a, "--out", 0);
	if (a.plain_count != 1 || out == NULL)
		return wrong_files(&a, "one scene or cache, and --out FILE");
	if (path_ends(out, ".lmc"))
		return usage_error("render", "%s: caches are what pictures are made of; `limber run` makes them", out);
	if (has_option(&a, "--sheet") && !path_ends(out, ".png"))
		return usage_error("render", "a contact sheet is one picture: %s must end in .png", out);
	long threads = 0, frame;
	int32_t size[2];
	if (!option_integer(&a, "--threads", 1, 256, &threads) || !option_size(&a, &size[0], &size[1]) ||
	    !option_integer(&a, "--frame", 0, INT32_MAX, &frame))
		return EXIT_BAD_INPUT; // before anything is simulated
	if (check_video(out) != EXIT_GOOD)
		return EXIT_WORK_FAILED;
	const char* input = a.plain[0];
	char cache_path[4096];
	if (path_ends(input, ".lmc"))
		snprintf(cache_path, sizeof cache_path, "%s", input);
	else
	{
		int code = check_output("render", out, 1);
		path_with_ending(out, ".lmc", cache_path, sizeof cache_path);
		const char* cache_output = cache_path;
		run_request request = { .scene = input,
			                    .outputs = &cache_output,
			                    .output_count = 1,
			                    .quiet = has_option(&a, "--quiet"),
			                    .threads = threads };
		if (code == EXIT_GOOD)
			code = run_scene(&request);
		if (code != EXIT_GOOD)
			return code;
	}
	catch_interrupts("the frames are safe, the picture or video is not complete");
	lm_host host = command_host(has_option(&a, "--quiet"), threads, LM_SIMD_AUTO);
	return render_cache(&a, cache_path, out, &host);
}
