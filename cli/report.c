// Errors, log and progress bar.
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int exit_code(lm_status status)
{
	switch (status)
	{
		case LM_OK: return EXIT_GOOD;
		case LM_BAD_INPUT: return EXIT_BAD_INPUT;
		case LM_CANCELLED: return EXIT_INTERRUPTED;
		case LM_NO_MEMORY:
		case LM_IO_FAILED:
		case LM_UNSUPPORTED: break;
	}
	return EXIT_WORK_FAILED;
}

int report_error(const lm_error* error)
{
	end_progress();
	char text[2048];
	lm_error_format(error, text, sizeof text);
	fprintf(stderr, "limber: %s\n", text);
	return exit_code(error->status);
}

// What reading ended with, in words.
static int report_reading(lm_status status, const char* path, lm_problems* problems)
{
	for (int32_t i = 0; i < problems->count; ++i)
		report_error(&problems->items[i]);
	lm_problems_release(problems);
	end_progress();
	if (status == LM_CANCELLED)
		fprintf(stderr, "limber: %s: interrupted while it was read\n", path);
	else if (status == LM_NO_MEMORY)
		fprintf(stderr, "limber: %s: out of memory while it was read\n", path);
	return exit_code(status);
}

int read_scene(const char* path, const lm_host* host, lm_scene** scene)
{
	lm_problems problems = { 0 };
	if (is_mesh(path) || path_ends(path, ".lmc"))
	{
		fprintf(stderr, "limber: %s: is no scene but a %s\n", path,
		        is_mesh(path)
		            ? "mesh; a scene is a .json file that names meshes (docs/getting-started.md has a short one)"
		            : "run cache; `limber render` makes pictures of it, `limber info` lists its contents");
		return EXIT_BAD_INPUT;
	}
	return report_reading(lm_scene_read(path, host, scene, &problems), path, &problems);
}

int read_scene_text(const char* text, const char* path, const lm_host* host, lm_scene** scene)
{
	lm_problems problems = { 0 };
	lm_status status = lm_scene_read_text(path, text, strlen(text), host, scene, &problems);
	return report_reading(status, path, &problems);
}

// ---- progress ---------------------------------------------------------------------------------------------------

static struct
{
	char what[64];
	double started; // when this kind of work began
	double from;    // how far it was then: resumed work does not begin at 0
	double shown;   // when the bar was last drawn
	bool visible;
} bar;

// note: of the moment, or NULL.
static void draw_bar(double done, double time, const char* note)
{
	enum
	{
		WIDTH = 30
	};
	double rate = (done - bar.from) / (time - bar.started);
	int filled = (int)(done * WIDTH);
	char cells[3 * WIDTH + 1] = "";
	for (int i = 0; i < WIDTH; ++i)
		strcat(cells, i < filled ? "\u2588" : "\u2591");
	fprintf(stderr, "\r\033[K%-12s %s %3.0f %%", bar.what, cells, 100 * done);
	if (rate > 0 && time - bar.started > 0.5)
	{
		long left = (long)((1 - done) / rate + 0.5);
		fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
	}
	if (note != NULL)
		fprintf(stderr, "  %s", note);
	fflush(stderr);
	bar.visible = true;
}

static bool show_progress(const char* what, double done, void* context)
{
	(void)context;
	double time = lm_clock_seconds();
	if (done < 0) // only asks whether to go on
		return !interrupted;
	const char* tab = strchr(what, '\t'); // behind it a note of the moment
	size_t whole = tab != NULL ? (size_t)(tab - what) : strlen(what);
	int length = (int)(whole < sizeof bar.what ? whole : sizeof bar.what - 1);
	if (strncmp(bar.what, what, (size_t)length) != 0 || bar.what[length] != 0)
	{
		snprintf(bar.what, sizeof bar.what, "%.*s", length, what);
		bar.started = time;
		bar.from = done;
	}
	if (time - bar.shown > 0.1)
	{
		bar.shown = time;
		draw_bar(done > 1 ? 1 : done, time, tab != NULL ? tab + 1 : NULL);
	}
	return !interrupted;
}

static bool check_interrupted(const char* what, double done, void* context)
{
	(void)what, (void)done, (void)context;
	return !interrupted;
}

void end_progress(void)
{
	if (bar.visible)
		fputs("\r\033[K", stderr);
	bar.visible = false;
	bar.what[0] = 0;
}

static void show_log(lm_log_level level, const char* message, void* context)
{
	(void)context;
	end_progress();
	fprintf(stderr, "limber: %s%s\n", level == LM_LOG_WARNING ? "warning: " : "", message);
}

static void show_warnings(lm_log_level level, const char* message, void* context)
{
	if (level == LM_LOG_WARNING)
		show_log(level, message, context);
}

lm_host command_host(bool quiet, long threads, lm_simd simd)
{
	lm_host host = lm_host_default();
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	host.threads = (int)(threads > 0 ? threads : cores < 1 ? 1 : cores > 256 ? 256 : cores);
	host.simd = simd;
	host.progress = !quiet && isatty(STDERR_FILENO) ? show_progress : check_interrupted;
	host.log = quiet ? show_warnings : show_log;
	return host;
}
