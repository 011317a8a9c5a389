// limber live: the studio in the browser.
#include "cli.h"

#ifdef LIMBER_STUDIO
#include "studio/studio.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
	"limber live [SCENE.json|MESH] [--port N] [--into DIR] [--threads N] [--simd LEVEL] [--no-open]\n"
	"\n"
	"Opens the studio in the browser: grab bodies, tell characters what to do, pose, paint, record, go back, and\n"
	"keep what you did as a take, a scene, a cache or a video. Without a scene: the gallery, to choose from. A mesh\n"
	"becomes a soft body on the ground.\n"
	"\n"
	"  --port N       of 127.0.0.1; default: any that is free. Nobody else's machine can reach it\n"
	"  --into DIR     where files are written; default: beside the scene, for scenes of the gallery limber-live/\n"
	"  --threads N    default: all cores but one. The result does not depend on it\n"
	"  --simd LEVEL   plain, avx2 or avx512; default: avx2 where the machine has it, so that takes can be repeated on\n"
	"                 most machines\n"
	"  --no-open      only print the address; do not start a browser\n"
	"\n"
	"  limber live gallery/act/i-bent.json\n"
	"  limber live bear.obj\n"
	"\n"
	"Ctrl-C ends it. Nothing is lost: what was not kept is offered at the next start.\n";

#ifdef LIMBER_STUDIO

// A browser, as the desktop starts it. It gets no stdin and says nothing here.
static void open_browser(const char* address)
{
	if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
		return;
	pid_t child = fork();
	if (child == 0)
	{
		if (fork() == 0) // not ours to wait for
		{
			setsid();
			if (freopen("/dev/null", "r", stdin) != NULL && freopen("/dev/null", "w", stdout) != NULL &&
			    freopen("/dev/null", "w", stderr) != NULL)
				execlp("xdg-open", "xdg-open", address, (char*)NULL);
		}
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void say_ready(const char* address, void* context)
{
	const bool* quiet = context;
	printf("limber: live at %s\n", address);
	fflush(stdout);
	if (!*quiet)
		open_browser(address);
}

// AVX2 where there is it: most machines have it, so that takes travel.
static lm_simd choose_simd(lm_simd asked)
{
	lm_simd best = lm_simd_best();
	return asked != LM_SIMD_AUTO ? asked : best > LM_SIMD_AVX2 ? LM_SIMD_AVX2 : best;
}

static int run_studio(const arguments* a, long port, long threads, lm_simd simd)
{
	char error[1024], gallery[4096];
	bool no_open = has_option(a, "--no-open");
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	catch_interrupts(NULL);
	studio_settings settings = { .scene = a->plain_count > 0 ? a->plain[0] : NULL,
		                         .gallery = find_gallery(gallery, sizeof gallery) ? gallery : NULL,
		                         .into = option_value(a, "--into", 0),
		                         .port = (int)port,
		                         .host = command_host(true,
		                                              threads > 0 ? threads
		                                              : cores > 1 ? cores - 1
		                                                          : 1,
		                                              choose_simd(simd)),
		                         .ready = say_ready,
		                         .context = &no_open };
	if (studio_run(&settings, &interrupted, error, sizeof error))
		return EXIT_GOOD;
	fprintf(stderr, "limber: %s\n", error);
	return EXIT_WORK_FAILED;
}

#else

static int run_studio(const arguments* a, long port, long threads, lm_simd simd)
{
	(void)a, (void)port, (void)threads, (void)simd;
	fprintf(stderr, "limber: this build has no studio: libwebsockets and three.js were missing when it was made.\n"
	                "On Debian and Ubuntu: apt-get install libwebsockets-dev libjs-three, then build again\n");
	return EXIT_WORK_FAILED;
}

#endif

// What cannot be opened is told here, before any browser is started.
static int check_input(const char* path)
{
	struct stat facts;
	if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
		return usage_error("live", "%s: there is no such file", path);
	if (path_ends(path, ".json"))
	{
		lm_host host = command_host(true, 1, LM_SIMD_AUTO);
		lm_scene* scene;
		int code = read_scene(path, &host, &scene);
		if (code == EXIT_GOOD)
			lm_scene_destroy(scene);
		return code;
	}
	if (!lm_mesh_can_read(path))
		return usage_error("live", "%s: must be a scene (.json) or a mesh (.obj, .ply, .stl, .msh)", path);
	return EXIT_GOOD;
}

int verb_live(int count, char** words)
{
	static const option options[] = {
		{ "--port", "N", false },     { "--into", "DIR", false }, { "--threads", "N", false }, SIMD_OPTION,
		{ "--no-open", NULL, false }, { "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "live", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	long port = 0, threads = 0;
	lm_simd simd;
	if (a.plain_count > 1)
		return usage_error("live", "live takes one scene or mesh, or none");
	if (!option_integer(&a, "--port", 1, 65535, &port) || !option_integer(&a, "--threads", 1, 256, &threads) ||
	    !option_simd(&a, &simd))
		return EXIT_BAD_INPUT;
	int code = a.plain_count > 0 ? check_input(a.plain[0]) : EXIT_GOOD;
	return code == EXIT_GOOD ? run_studio(&a, port, threads, simd) : code;
}
