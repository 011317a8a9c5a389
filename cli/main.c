// The `limber` command: finds the verb.
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"limber brings deformable objects to life and keeps them under the animator's hand.\n"
	"\n"
	"  limber run SCENE.json --out FILE   simulate a scene; FILE is a video, picture, mesh or point cache\n"
	"  limber check SCENE.json            every problem of a scene at once\n"
	"  limber render CACHE --out FILE     pictures and videos of a run that is done\n"
	"  limber mesh SURFACE --out FILE     a simulation mesh around any surface\n"
	"  limber character MODEL --out SCENE.json   any figure becomes a character that stands, walks, hops\n"
	"  limber pose MODEL --handles FILE --out MESH   a natural pose from a few handles\n"
	"  limber regions SCENE.json --out F  what moves together: regions and groups, drawn or listed\n"
	"  limber live [SCENE.json|MESH]      the studio in the browser: direct it by hand\n"
	"  limber gallery [NAME]...           run the scenes that come with limber\n"
	"  limber take SCENE.json FILE --out NEW.json   a recorded performance as a scene that can be edited\n"
	"  limber info FILE                   what is in a mesh, cache or scene\n"
	"  limber VERB --help                 more about each\n"
	"\n"
	"Try:  limber gallery --list\n"
	"      limber run gallery/match/twist.json --out twist.mp4\n";

static const struct
{
	const char* name;
	int (*run)(int count, char** words);
} verbs[] = {
	{ "run", verb_run },   { "check", verb_check },     { "render", verb_render },       { "mesh", verb_mesh },
	{ "pose", verb_pose }, { "regions", verb_regions }, { "live", verb_live },           { "gallery", verb_gallery },
	{ "take", verb_take }, { "info", verb_info },       { "character", verb_character },
};

// Idle workers of OpenMP spin for milliseconds by default, which makes everything slow on a machine that has
// other things to do. OpenMP reads its settings before main begins, so they are set and the command started again.
static void calm_workers(char** words)
{
	if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL)
		return;
	setenv("OMP_WAIT_POLICY", "passive", 1);
	setenv("GOMP_SPINCOUNT", "10000", 1); // some microseconds: steps follow each other closely
	execv("/proc/self/exe", words);       // returns only where there is no /proc: then all goes on as it is
}

// Standard streams that the caller has closed: without this the next file to be opened, a cache say, would take their
// place and receive our messages.
static void open_standard_streams(void)
{
	int descriptor;
	do
		descriptor = open("/dev/null", O_RDWR);
	while (descriptor >= 0 && descriptor <= STDERR_FILENO);
	if (descriptor >= 0)
		close(descriptor);
}

static int run_verb(int count, char** words)
{
	if (count < 2)
	{
		fputs(help, stderr);
		return EXIT_BAD_INPUT;
	}
	bool asked = strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0 || strcmp(words[1], "help") == 0;
	if (asked && count > 2) // limber help run
		return run_verb(3, (char*[]){ words[0], words[2], "--help", NULL });
	if (asked)
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	if (strcmp(words[1], "--version") == 0 || strcmp(words[1], "-v") == 0 || strcmp(words[1], "version") == 0)
		return printf("limber %s\n", lm_version()) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i)
		if (strcmp(words[1], verbs[i].name) == 0)
			return verbs[i].run(count - 2, words + 2);
	fprintf(stderr, "limber: %s: unknown verb; there are:", words[1]);
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; ++i)
		fprintf(stderr, "%s %s", i > 0 ? "," : "", verbs[i].name);
	fputc('\n', stderr);
	if (path_ends(words[1], ".json"))
		fprintf(stderr, "Try: limber run %s\n", words[1]);
	return EXIT_BAD_INPUT;
}

int main(int count, char** words)
{
	calm_workers(words);
	open_standard_streams();
	signal(SIGPIPE, SIG_IGN); // nobody may be listening any more: no reason to end the work
	signal(SIGXFSZ, SIG_IGN); // files that are larger than allowed are refused in words, as on a full disk
	int code = run_verb(count, words);
	bool said = fflush(stdout) == 0 && !ferror(stdout);
	if (!said && code == EXIT_GOOD)
	{
		bool gone = errno == EPIPE; // whoever listened knows
		if (!gone)
			fprintf(stderr, "limber: what there is to say cannot be written to the standard output\n");
		code = EXIT_WORK_FAILED;
	}
	return final_code(code);
}
