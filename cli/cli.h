// cli.h: what the verbs of the `limber` command share. One file per verb.
#ifndef LIMBER_CLI_H
#define LIMBER_CLI_H

#include "limber/limber.h"

#include <stdio.h>

enum
{
	EXIT_GOOD = 0,
	EXIT_WORK_FAILED = 1,  // also: output cannot be written
	EXIT_BAD_INPUT = 2,    // also: bad usage
	EXIT_INTERRUPTED = 130 // main makes 143 of it after SIGTERM
};

// ---- arguments.c ----
#define ARGUMENTS_MAX 256

typedef struct option
{
	const char* name;  // "--out"
	const char* value; // what it takes, for messages ("PATH"); NULL: it is a switch
	bool many;         // may be given several times
} option;

typedef struct arguments
{
	const char* verb;
	const option* options;
	int option_count;
	int plain_count;
	const char* plain[ARGUMENTS_MAX]; // arguments that are not options
	int given_count;
	struct
	{
		int option;
		const char* value;
	} given[ARGUMENTS_MAX];
} arguments;

// False after saying what is wrong on stderr.
bool parse_arguments(int count, char** words, const char* verb, const option* options, int option_count,
                     arguments* result);
bool has_option(const arguments* a, const char* name);
const char* option_value(const arguments* a, const char* name, int occurrence); // NULL if not given
// False after saying what is wrong. *value is left alone when the option was not given.
bool option_number(const arguments* a, const char* name, double low, double high, double* value);
bool option_integer(const arguments* a, const char* name, long low, long high, long* value);
// The SIMD level of --simd, or of the environment variable LIMBER_SIMD; LM_SIMD_AUTO when neither is given. False after
// saying what is wrong.
bool option_simd(const arguments* a, lm_simd* simd);
#define SIMD_OPTION                                                                                                    \
	{                                                                                                                  \
		"--simd", "LEVEL", false                                                                                       \
	}
#define SIMD_HELP                                                                                                      \
	"  --simd LEVEL   vector instructions to use: plain, avx2 or avx512; default: LIMBER_SIMD in the environment, or " \
	"the\n"                                                                                                            \
	"                 widest there are. Results differ between levels in the last bits\n"
// A verb that takes one file got another number of them, or no --out; a second one is often the output. `takes`: "one
// surface, and --out FILE".
int wrong_files(const arguments* a, const char* takes);
int usage_error(const char* verb, const char* format, ...) __attribute__((format(printf, 2, 3)));

// ---- report.c ----
int exit_code(lm_status status);         // that fits
int report_error(const lm_error* error); // says it on stderr, returns the exit code that fits
// lm_scene_read that says all problems on stderr. Returns the exit code that fits.
int read_scene(const char* path, const lm_host* host, lm_scene** scene);
int read_scene_text(const char* text, const char* path, const lm_host* host, lm_scene** scene);
// A host with progress bar on a terminal (unless quiet), log on stderr, the given threads (0: all cores) and SIMD
// level.
lm_host command_host(bool quiet, long threads, lm_simd simd);
void end_progress(void); // wipes the bar

// ---- interrupts.c ----
extern volatile int interrupted; // becomes the number of the signal on Ctrl-C (SIGINT) or SIGTERM
// From now on the work is asked to end; when it has not after a moment, the program says `advice` and ends. NULL: it
// has all the time it needs.
void catch_interrupts(const char* advice);
#define NOTHING_WRITTEN "nothing was written"
int final_code(int code); // with which the program ends: of an interrupted verb it tells the signal

// ---- paths.c ----
bool path_ends(const char* path, const char* ending); // ".png", ignoring case
void path_with_ending(const char* path, const char* ending, char* result, size_t capacity);
// As snprintf; false after saying so when the path is too long.
bool format_path(char* path, size_t capacity, const char* format, ...) __attribute__((format(printf, 3, 4)));
// Puts name and frame for {object} and {frame} (four digits or more). False when the result does not fit.
bool expand_path(const char* pattern, const char* object, int64_t frame, char* result, size_t capacity);
bool is_same_file(const char* path, const char* other); // both are there, and one file
bool is_input(const lm_scene* scene, const char* path); // whether the scene was read from it
// Whether a file can be made there: says why not (exit code) or returns 0. Makes nothing, and removes what runs that
// were killed have left of it.
int check_writable(const char* path);
// Whether ffmpeg is there if the path is a video's: says how to get it (exit code) or returns 0.
int check_video(const char* path);
bool is_film(const char* path);   // .png .mp4 .webm .gif
bool is_points(const char* path); // .pc2 .mdd
bool is_mesh(const char* path);   // what meshes are read from

// ---- export.c ----
// Writes a cache in the format of the ending of `path`. The first object_count objects of the cache are the simulated
// ones.
lm_status export_cache(lm_cache* cache, const lm_film_settings* film, int32_t object_count, const char* path,
                       const lm_host* host, lm_error* error);
// How large the files of such an output get at least; 0 for pictures and videos, which nobody knows.
uint64_t output_bytes(lm_world* world, const char* path, int64_t frames);
// A sentence when `path` cannot be made from this scene (unknown ending, several objects and no {object}), else 0.
int check_output(const char* verb, const char* path, int32_t object_count);

// ---- check_json.c ----
int check_as_json(const char* path, const lm_host* host); // prints what is found; exit code

// ---- picture.c ----
// Draws surfaces and writes the picture (.png). Says what is wrong (exit code), or returns 0.
int draw_surfaces(const lm_surface* surfaces, int32_t count, const lm_camera* camera,
                  const lm_render_settings* settings, const char* out, const lm_host* host);

// ---- show.c: one moment, with what is simulated drawn over it ----
typedef struct show_request
{
	const char* words;     // of --show, "lattice,groups"; NULL: the surfaces alone
	const char* out;       // .png
	long frame;            // of a scene: how many are simulated before
	int32_t width, height; // pixels; 0: what the scene says
} show_request;
int check_show_words(const char* words); // exit code, after saying what is wrong
int show_scene(const lm_scene* scene, const show_request* request, const lm_host* host);
int show_mesh(const char* path, const show_request* request, const lm_host* host); // as it lies, or as a soft body

// ---- tubes.c ----
// Moves a point towards the eye, to the same place of the picture.
void lift_point(const lm_camera* camera, double by, const double from[3], double to[3]);
// A tube of three sides around a segment (6 vertices, 6 triangles) and an octahedron (6 and 8): the index-th of such in
// these arrays.
void put_tube(const double a[3], const double b[3], double radius, int32_t index, double* positions,
              int32_t* triangles);
void put_mark(const double middle[3], double radius, int32_t index, double* positions, int32_t* triangles);

// ---- regions.c and regions_design.c ----
void print_text(FILE* file, const char* text); // as a JSON string
void color_of_row(int32_t row, float color[3]);
lm_status list_design(FILE* file, const lm_scene_object* object, const lm_host* host, lm_error* error);
// Nodes and the ways by which they are coupled as two surfaces, lifted over the object; those of the node nearest to
// `vertex` when it is not below 0. What they are made of is to be freed.
lm_status make_paths(const lm_scene_object* object, long vertex, const lm_camera* camera, const lm_host* host,
                     lm_surface surfaces[2], lm_error* error);
lm_status color_design(const lm_scene_object* object, long vertex, const lm_host* host, float* colors, lm_error* error);

// ---- pose.c and pose_act.c ----
int report_problems(const lm_problems* problems); // says them, returns the exit code that fits
int pose_character(const char* scene, const char* object, const char* handles, const char* out, const lm_host* host);

// ---- gallery.c ----
// The folder of the gallery: $LIMBER_GALLERY, beside the installed tool, or in the source tree. False after saying that
// there is none.
bool find_gallery(char* folder, size_t capacity);

// ---- verbs: the words after the verb; return the exit code ----
int verb_run(int count, char** words);
int verb_check(int count, char** words);
int verb_render(int count, char** words);
int verb_mesh(int count, char** words);
int verb_pose(int count, char** words);
int verb_character(int count, char** words);
int verb_regions(int count, char** words);
int verb_gallery(int count, char** words);
int verb_info(int count, char** words);
int verb_live(int count, char** words);
int verb_take(int count, char** words);

// run.c, for the gallery too: simulates into a cache and makes all outputs.
typedef struct run_request
{
	const char* scene;
	const char* const* outputs;
	int output_count;
	const char* stats;        // or NULL
	const char* take;         // or NULL
	const char* stats_frames; // or NULL
	double seconds;           // 0: the scene's
	bool resume, quiet, sheet;
	long threads;
	lm_simd simd;
} run_request;
int run_scene(const run_request* request);

#endif
