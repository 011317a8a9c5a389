// limber gallery: the scenes that come with limber.
#include "cli.h"

#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
	"limber gallery [NAME]... [--list] [--out DIR] [--pictures DIR] [--threads N] [--simd LEVEL] [--quiet]\n"
	"\n"
	"Runs scenes that come with limber, all of them or those named (match/twist, or match for all of an\n"
	"engine), and leaves a video, a contact sheet and statistics of each in DIR (default out/gallery).\n"
	"\n"
	"  --list         what there is\n"
	"  --pictures DIR  only a small picture of how each scene begins, where there is none yet\n"
	"  --threads N    default: all cores. The result does not depend on it\n" SIMD_HELP;

bool find_gallery(char* folder, size_t capacity)
{
	char candidates[3][2048] = { "", "", LIMBER_GALLERY };
	const char* chosen = getenv("LIMBER_GALLERY");
	if (chosen != NULL)
		format_path(candidates[0], sizeof candidates[0], "%s", chosen);
	char self[2000];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	if (length > 0)
	{
		self[length] = 0;
		*strrchr(self, '/') = 0;
		format_path(candidates[1], sizeof candidates[1], "%s/../share/limber/gallery", self);
	}
	for (int i = 0; i < 3; ++i)
	{
		struct stat facts;
		if (candidates[i][0] != 0 && stat(candidates[i], &facts) == 0 && S_ISDIR(facts.st_mode))
			return format_path(folder, capacity, "%s", candidates[i]);
	}
	fprintf(stderr, "limber: the gallery was not found; say where it is in the environment as LIMBER_GALLERY\n");
	return false;
}

// "/path/gallery/match/twist.json" -> "match/twist"
static void scene_name(const char* gallery, const char* path, char* name, size_t capacity)
{
	const char* relative = path + strlen(gallery) + 1;
	snprintf(name, capacity, "%.*s", (int)(strlen(relative) - strlen(".json")), relative);
}

// Whether a scene goes by this word: its name, that without the engine, or the engine; "match/" and "match/twist.json"
// as the shell completes them.
static bool is_called(const char* name, const char* word)
{
	size_t length = strlen(word);
	if (path_ends(word, ".json"))
		length -= strlen(".json");
	else if (length > 0 && word[length - 1] == '/')
		length -= 1;
	const char* own = strchr(name, '/') + 1;
	bool starts = strncmp(name, word, length) == 0;
	return (starts && (name[length] == 0 || name[length] == '/')) ||
	       (strncmp(own, word, length) == 0 && own[length] == 0);
}

// The first word that a scene goes by, its place in the list; without words 0 for all; -1: it is not wanted.
static int turn_of(const arguments* a, const char* name)
{
	for (int i = 0; i < a->plain_count; ++i)
		if (is_called(name, a->plain[i]))
			return i;
	return a->plain_count == 0 ? 0 : -1;
}

// The first word that no scene goes by; NULL when there is none.
static const char* find_unknown(const arguments* a, const char* gallery, const glob_t* found)
{
	for (int i = 0; i < a->plain_count; ++i)
	{
		bool known = false;
		for (size_t k = 0; k < found->gl_pathc && !known; ++k)
		{
			char name[4096];
			scene_name(gallery, found->gl_pathv[k], name, sizeof name);
			known = is_called(name, a->plain[i]);
		}
		if (!known)
			return a->plain[i];
	}
	return found->gl_pathc == 0 ? gallery : NULL;
}

// Only the description is read: loading the meshes of all scenes takes seconds.
static int list_scene(const char* path, const char* name)
{
	json_error_t error;
	json_t* scene = json_load_file(path, 0, &error);
	if (scene == NULL)
	{
		fprintf(stderr, "limber: %s: line %d: %s\n", path, error.line, error.text);
		return EXIT_BAD_INPUT;
	}
	const char* description = json_string_value(json_object_get(scene, "description"));
	printf("%-20s %s\n", name, description != NULL ? description : "");
	json_decref(scene);
	return EXIT_GOOD;
}

static int run_gallery_scene(const arguments* a, const char* path, const char* name, long threads, lm_simd simd)
{
	const char* folder = has_option(a, "--out") ? option_value(a, "--out", 0) : "out/gallery";
	char video[4096], sheet[4096], stats[4096];
	if (!format_path(video, sizeof video, "%s/%s.mp4", folder, name) ||
	    !format_path(sheet, sizeof sheet, "%s/%s.png", folder, name) ||
	    !format_path(stats, sizeof stats, "%s/%s.stats.json", folder, name))
		return EXIT_BAD_INPUT;
	const char* outputs[] = { video, sheet };
	run_request request = { .scene = path,
		                    .outputs = outputs,
		                    .output_count = 2,
		                    .stats = stats,
		                    .sheet = true,
		                    .quiet = has_option(a, "--quiet"),
		                    .threads = threads,
		                    .simd = simd };
	return run_scene(&request);
}

// ---- pictures of how scenes begin, for the page of the studio ----

#define PICTURE_WIDTH 400
#define PICTURE_HEIGHT 260

static lm_status draw_world(lm_world* world, const lm_scene* scene, const char* path, const lm_host* host,
                            lm_error* error)
{
	int32_t count = lm_world_surface_count(world);
	lm_surface* surfaces = calloc((size_t)count + 1, sizeof *surfaces);
	lm_renderer* renderer;
	lm_picture picture = { 0 };
	lm_render_settings settings = lm_render_settings_default();
	settings.width = PICTURE_WIDTH, settings.height = PICTURE_HEIGHT;
	memcpy(settings.background, scene->background, sizeof settings.background);
	if (surfaces == NULL)
		return *error = (lm_error){ .status = LM_NO_MEMORY, .message = "out of memory" }, LM_NO_MEMORY;
	for (int32_t i = 0; i < count; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		surfaces[i] = (lm_surface){ .vertex_count = view.vertex_count,
			                        .positions = view.positions,
			                        .triangle_count = view.triangle_count,
			                        .triangles = view.triangles,
			                        .color = { view.color[0], view.color[1], view.color[2] },
			                        .checker = view.fixed && view.triangle_count == 2 };
	}
	lm_camera camera = lm_world_camera(world);
	lm_status status = lm_renderer_create(&settings, host, &renderer, error);
	if (status == LM_OK)
	{
		status = lm_renderer_draw(renderer, surfaces, count, &camera, &picture, error);
		if (status == LM_OK)
			status = lm_picture_write(&picture, path, error);
		lm_picture_release(&picture);
		lm_renderer_destroy(renderer);
	}
	free(surfaces);
	return status;
}

static bool is_newer(const char* path, const char* than)
{
	struct stat a, b;
	return stat(path, &a) == 0 && stat(than, &b) == 0 && a.st_mtime > b.st_mtime;
}

static int draw_scene(const arguments* a, const char* scene_path, const char* name, long threads, lm_simd simd)
{
	char file[512], path[4096];
	snprintf(file, sizeof file, "%.500s.png", name);
	for (char* c = file; *c != 0; ++c)
		*c = *c == '/' ? '-' : *c;
	if (!format_path(path, sizeof path, "%s/%s", option_value(a, "--pictures", 0), file))
		return EXIT_BAD_INPUT;
	if (is_newer(path, scene_path))
		return EXIT_GOOD;
	lm_host host = command_host(has_option(a, "--quiet"), threads, simd);
	lm_scene* scene;
	lm_world* world;
	lm_error error;
	int code = read_scene(scene_path, &host, &scene);
	if (code != EXIT_GOOD)
		return code;
	lm_status status = lm_world_create(scene, &host, &world, &error);
	if (status == LM_OK)
	{
		status = draw_world(world, scene, path, &host, &error);
		lm_world_destroy(world);
	}
	lm_scene_destroy(scene);
	return status == LM_OK ? EXIT_GOOD : report_error(&error);
}

static int do_scene(const arguments* a, const char* path, const char* name, long threads, lm_simd simd)
{
	if (has_option(a, "--list"))
		return list_scene(path, name);
	return has_option(a, "--pictures") ? draw_scene(a, path, name, threads, simd)
	                                   : run_gallery_scene(a, path, name, threads, simd);
}

// In the order of the words.
static int go_through(const arguments* a, const char* gallery, long threads, lm_simd simd)
{
	char pattern[4096];
	if (!format_path(pattern, sizeof pattern, "%s/*/*.json", gallery))
		return EXIT_WORK_FAILED;
	glob_t found;
	int code = EXIT_GOOD;
	if (glob(pattern, 0, NULL, &found) != 0)
		found.gl_pathc = 0;
	const char* unknown = find_unknown(a, gallery, &found);
	if (unknown != NULL)
		code = usage_error("gallery", "%s: no such scene; `limber gallery --list` names them all", unknown);
	for (int turn = 0; unknown == NULL && (turn == 0 || turn < a->plain_count); ++turn)
		for (size_t i = 0; i < found.gl_pathc && code != EXIT_INTERRUPTED; ++i)
		{
			char name[4096];
			scene_name(gallery, found.gl_pathv[i], name, sizeof name);
			int result = turn_of(a, name) == turn ? do_scene(a, found.gl_pathv[i], name, threads, simd) : EXIT_GOOD;
			code = result > code ? result : code;
		}
	globfree(&found);
	return code;
}

int verb_gallery(int count, char** words)
{
	static const option options[] = {
		{ "--list", NULL, false },   { "--out", "DIR", false },  { "--pictures", "DIR", false },
		{ "--threads", "N", false }, { "--quiet", NULL, false }, SIMD_OPTION,
		{ "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "gallery", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	long threads = 0;
	char gallery[4096];
	lm_simd simd;
	if (!option_integer(&a, "--threads", 1, 256, &threads) || !option_simd(&a, &simd))
		return EXIT_BAD_INPUT;
	if (!find_gallery(gallery, sizeof gallery) ||
	    (!has_option(&a, "--list") && !has_option(&a, "--pictures") && check_video("the gallery's .mp4") != EXIT_GOOD))
		return EXIT_WORK_FAILED;
	return go_through(&a, gallery, threads, simd);
}
