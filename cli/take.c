// limber take: a recorded performance becomes a scene whose timeline can be edited.
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"limber take SCENE.json FILE.take --out NEW.json [--thin METRES] [--threads N] [--simd LEVEL]\n"
	"\n"
	"Writes what the commands of a take did into the timeline of its scene: grabs become drags, pins pins, pushes\n"
	"pushes, settings and strengths of examples keys, behaviours commands. `limber run NEW.json` moves as the take\n"
	"did, to the bit, and a person can edit it. The take is repeated for it.\n"
	"\n"
	"  --out NEW.json   in the folder of the scene, because names of files are relative to it\n"
	"  --thin METRES    leave out keys of grabs and pins that a straight line meets this closely: easier to edit, but "
	"the\n"
	"                   motion is no longer the same\n"
	"  --threads N      default: all cores. The result does not depend on it\n" SIMD_HELP;

// The file, with a zero byte behind; NULL when it cannot be read.
static char* read_text(const char* path, size_t* size)
{
	enum
	{
		MOST = 64 << 20
	};
	FILE* file = fopen(path, "rb");
	char* text = file != NULL ? malloc(MOST + 1) : NULL;
	*size = text != NULL ? fread(text, 1, MOST, file) : 0;
	if (text != NULL)
		text[*size] = 0;
	if (file != NULL)
		fclose(file);
	return text;
}

// Whether two files lie in the same folder.
static bool are_beside(const char* path, const char* other)
{
	const char* paths[2] = { path, other };
	char folders[2][4096];
	for (int i = 0; i < 2; ++i)
	{
		const char* slash = strrchr(paths[i], '/');
		int length = slash == NULL ? 0 : slash == paths[i] ? 1 : (int)(slash - paths[i]);
		if (!format_path(folders[i], sizeof folders[i], "%.*s", slash == NULL ? 1 : length,
		                 slash == NULL ? "." : paths[i]))
			return false;
	}
	return is_same_file(folders[0], folders[1]);
}

static lm_status convert(const char* document, size_t size, const lm_scene* scene, const char* take_path,
                         const char* out, double thin, const lm_host* host, lm_error* error)
{
	lm_world* world = NULL;
	lm_take* take = NULL;
	char* text = NULL;
	lm_status status = lm_world_create(scene, host, &world, error);
	if (status == LM_OK)
		status = lm_take_read(take_path, world, &take, error);
	if (status == LM_OK)
	{
		status = lm_take_scene(take, world, document, size, thin, &text, error);
		if (status != LM_OK && error->file[0] == 0)
			snprintf(error->file, sizeof error->file, "%s", take_path);
	}
	if (status == LM_OK)
		status = lm_text_write(out, text, host, error);
	end_progress();
	if (status == LM_OK)
		printf("%s: %" PRId64 " commands in %" PRId64 " frames%s\n", out, lm_take_command_count(take),
		       lm_take_frames(take), thin > 0 ? "; thinned, so it does not move as the take did" : "");
	lm_text_free(host, text);
	lm_take_destroy(take);
	lm_world_destroy(world);
	return status;
}

static int read_and_convert(const char* scene_path, const char* take_path, const char* out, double thin, lm_host* host)
{
	size_t size;
	lm_error error = { .status = LM_NO_MEMORY, .message = "out of memory" };
	lm_scene* scene = NULL;
	int code = read_scene(scene_path, host, &scene);
	if (code != EXIT_GOOD)
		return code;
	char* document = read_text(scene_path, &size);
	lm_status status = document != NULL ? LM_OK : LM_NO_MEMORY;
	if (status == LM_OK && host->simd == LM_SIMD_AUTO)
		status = lm_take_level(take_path, host, &host->simd, &error);
	if (status == LM_OK)
		status = convert(document, size, scene, take_path, out, thin, host, &error);
	free(document);
	lm_scene_destroy(scene);
	return status == LM_OK ? EXIT_GOOD : report_error(&error);
}

int verb_take(int count, char** words)
{
	static const option options[] = {
		{ "--out", "FILE", false }, { "--thin", "METRES", false }, { "--threads", "N", false }, SIMD_OPTION,
		{ "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "take", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	const char* out = option_value(&a, "--out", 0);
	if (a.plain_count != 2 || out == NULL)
		return usage_error("take", "take takes one scene, one take and --out FILE");
	if (!path_ends(out, ".json"))
		return usage_error("take", "%s: unknown ending; scenes go into .json", out);
	if (is_same_file(out, a.plain[0]) || is_same_file(out, a.plain[1]))
		return usage_error("take", "%s: would be written over while it is needed; choose another name", out);
	if (!are_beside(out, a.plain[0]))
		return usage_error("take", "%s: must lie beside %s, which names its files relative to where it is", out,
		                   a.plain[0]);
	double thin = 0;
	long threads = 0;
	lm_simd simd;
	if (!option_simd(&a, &simd) || !option_number(&a, "--thin", 0, 1e6, &thin) ||
	    !option_integer(&a, "--threads", 1, 256, &threads))
		return EXIT_BAD_INPUT;
	int code = check_writable(out);
	if (code != EXIT_GOOD)
		return code;
	catch_interrupts(NOTHING_WRITTEN);
	lm_host host = command_host(false, threads, simd);
	return read_and_convert(a.plain[0], a.plain[1], out, thin, &host);
}
