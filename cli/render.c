// limber render: pictures and videos of a cache, or of a scene that is run first.
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
	"limber render SCENE.json|CACHE.lmc|MESH --out FILE [--sheet] [--frame N] [--show WHAT]\n"
	"              [--beside CACHE] [--blur N] [--size WxH] [--threads N] [--quiet]\n"
	"\n"
	"Makes a picture (.png) or video (.mp4 .webm .gif) of a run. A scene is simulated first. A mesh is drawn as it "
	"lies in\n"
	"its file. Of a cache also point caches and meshes (.pc2 .mdd .obj .ply) can be made.\n"
	"\n"
	"  --sheet      a contact sheet: twelve moments in one .png\n"
	"  --frame N    which frame a .png shows; default: the middle one. {frame} in the name draws them all\n"
	"  --show WHAT  what is simulated, of a scene or mesh, as a .png: lattice, cage, contacts, edges, and as colours "
	"one of\n"
	"               groups, regions, weights, strain; several with commas. At --frame N, default 0\n"
	"  --beside B   another cache, to the right, at the same time and by the same camera; or both: A.lmc,B.lmc\n"
	"  --blur N     averages N moments within half the time to the next frame, as the shutter of a camera does\n"
	"  --size WxH   pixels; default: what the scene says. With --beside: of each of the two\n"
	"\n"
	"  limber render out/twist.lmc --out sheet.png --sheet\n"
	"  limber render --beside guide.lmc,cloth.lmc --out both.mp4 --blur 8\n"
	"  limber render gallery/act/castle-1.json --show cage,contacts --out cage.png\n";

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

// `beside`: another cache, or NULL.
static int render_cache(const arguments* a, const char* path, const char* beside, const char* out, const lm_host* host)
{
	lm_error error;
	lm_cache *cache = NULL, *other = NULL;
	if (lm_cache_open(path, host, &cache, &error) != LM_OK)
		return report_error(&error);
	if (beside != NULL && lm_cache_open(beside, host, &other, &error) != LM_OK)
	{
		lm_cache_destroy(cache);
		return report_error(&error);
	}
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
	long blur = 1;
	option_integer(a, "--blur", 1, 1000, &blur);
	settings.frame = frame;
	settings.blur = (int32_t)blur;
	settings.beside = other;
	option_size(a, &settings.render.width, &settings.render.height);
	if (code == EXIT_GOOD && export_cache(cache, &settings, object_count, out, host, &error) != LM_OK)
		code = report_error(&error);
	end_progress();
	if (code == EXIT_GOOD && !has_option(a, "--quiet"))
		fprintf(stderr, "%s\n", out);
	lm_cache_destroy(cache);
	lm_cache_destroy(other);
	return code;
}

// "A.lmc,B.lmc" or "B.lmc", where the other one is the input. False after saying what is wrong.
static bool split_pair(const arguments* a, const char* text, char* first, char* second, size_t capacity)
{
	const char* comma = strchr(text, ',');
	int length = comma != NULL ? (int)(comma - text) : 0;
	snprintf(first, capacity, "%.*s", length, text);
	snprintf(second, capacity, "%s", comma != NULL ? comma + 1 : text);
	if ((length > 0) == (a->plain_count > 0))
		return usage_error("render", "--beside takes two caches, A.lmc,B.lmc, or one beside the input"), false;
	if (!path_ends(second, ".lmc") || (length > 0 && !path_ends(first, ".lmc")))
		return usage_error("render", "--beside %s: must be run caches (.lmc); `limber run` makes them", text), false;
	return true;
}

static int show(const arguments* a, const char* input, const show_request* request, const lm_host* host)
{
	int code = request->words != NULL ? check_show_words(request->words) : EXIT_GOOD;
	if (code == EXIT_GOOD && !path_ends(request->out, ".png"))
		code = usage_error("render", "%s: %s; the name must end in .png", request->out,
		                   request->words != NULL ? "--show makes one picture" : "a mesh does not move");
	if (code == EXIT_GOOD && has_option(a, "--sheet"))
		code = usage_error("render", "--sheet is for what moves: a scene without --show, or a cache");
	if (code == EXIT_GOOD && path_ends(input, ".lmc"))
		code = usage_error("render", "%s: a cache holds surfaces only; give --show its scene", input);
	if (code == EXIT_GOOD)
		code = check_writable(request->out);
	if (code != EXIT_GOOD)
		return code;
	catch_interrupts(NOTHING_WRITTEN);
	if (is_mesh(input))
		return show_mesh(input, request, host);
	lm_scene* scene;
	code = read_scene(input, host, &scene);
	if (code != EXIT_GOOD)
		return code;
	if (is_input(scene, request->out))
		code = usage_error("render", "%s: is part of the scene and would be written over; choose another name",
		                   request->out);
	else
		code = show_scene(scene, request, host);
	lm_scene_destroy(scene);
	return code;
}

int verb_render(int count, char** words)
{
	static const option options[] = {
		{ "--out", "FILE", false }, { "--sheet", NULL, false },  { "--frame", "N", false },
		{ "--size", "WxH", false }, { "--threads", "N", false }, { "--quiet", NULL, false },
		{ "--help", NULL, false },  { "--show", "WHAT", false }, { "--beside", "CACHE", false },
		{ "--blur", "N", false },
	};
	arguments a;
	if (!parse_arguments(count, words, "render", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	const char* out = option_value(&a, "--out", 0);
	const char* pair = option_value(&a, "--beside", 0);
	char first[4096] = "", second[4096];
	if (a.plain_count > 1 || (a.plain_count == 0 && pair == NULL) || out == NULL)
		return wrong_files(&a, "one scene, cache or mesh, and --out FILE");
	if (pair != NULL && !split_pair(&a, pair, first, second, sizeof first))
		return EXIT_BAD_INPUT;
	if (pair != NULL && (!is_film(out) || has_option(&a, "--show") || has_option(&a, "--sheet")))
		return usage_error("render", "--beside is for pictures (.png) and videos (.mp4 .webm .gif) of two runs");
	if (path_ends(out, ".lmc"))
		return usage_error("render", "%s: caches are what pictures are made of; `limber run` makes them", out);
	if (has_option(&a, "--sheet") && !path_ends(out, ".png"))
		return usage_error("render", "a contact sheet is one picture: %s must end in .png", out);
	long threads = 0, frame = 0, blur = 1;
	int32_t size[2] = { 0, 0 };
	if (!option_integer(&a, "--threads", 1, 256, &threads) || !option_size(&a, &size[0], &size[1]) ||
	    !option_integer(&a, "--frame", 0, INT32_MAX, &frame) || !option_integer(&a, "--blur", 1, 1000, &blur))
		return EXIT_BAD_INPUT; // before anything is simulated
	if (check_video(out) != EXIT_GOOD)
		return EXIT_WORK_FAILED;
	const char* input = first[0] != 0 ? first : a.plain[0];
	if (has_option(&a, "--show") || is_mesh(input))
	{
		show_request request = {
			.words = option_value(&a, "--show", 0), .out = out, .frame = frame, .width = size[0], .height = size[1]
		};
		lm_host host = command_host(has_option(&a, "--quiet"), threads, LM_SIMD_AUTO);
		return show(&a, input, &request, &host);
	}
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
	return render_cache(&a, cache_path, pair != NULL ? second : NULL, out, &host);
}
