// base.h: what every other header of limber stands on: status and errors, the host's hooks, version.
//
// Conventions of the whole API
// - Settings are plain structs: take the result of lm_..._default() and change fields.
// - Owners are opaque pointers with create/destroy pairs; destroy accepts NULL.
// - Every array travels with its count. Inputs are const and come first, results last, lm_error* at the very end.
// - A programmer's mistake (NULL where none is allowed, index out of range) asserts. Whatever comes from a file, an
//   artist or a solver returns lm_status and fills the caller's lm_error, which may be NULL.
// - On failure results are untouched (or NULL), nothing leaks and nothing is half-written.
// - Positions are doubles, x y z interleaved. y is up; metres, kilograms, seconds.
#ifndef LIMBER_BASE_H
#define LIMBER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define LM_API __declspec(dllexport)
#else
#define LM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C"
{
#endif

#define LM_VERSION_MAJOR 0
#define LM_VERSION_MINOR 1
#define LM_VERSION_PATCH 0

// "0.1.0", of the library that was linked.
LM_API const char* lm_version(void);

typedef enum lm_status
{
	LM_OK = 0,
	LM_BAD_INPUT,  // a file, scene or array is wrong; the message says what would be right
	LM_NO_MEMORY,  // the host's allocator returned NULL
	LM_IO_FAILED,  // the system could not write (or read on, once opened): full disk, no permission
	LM_CANCELLED,  // the host's progress callback said stop
	LM_UNSUPPORTED // this build or machine lacks a requested feature (no ffmpeg, say)
} lm_status;

// "bad input", "out of memory", ...
LM_API const char* lm_status_text(lm_status status);

// One helpful sentence and the place it speaks of. Owned by the caller; no pointers, so it can be copied and
// dropped.
typedef struct lm_error
{
	lm_status status;
	char message[512]; // what is wrong, and what would be right
	char file[512];    // path as given by the caller, or ""
	char where[256];   // "line 12", a JSON path such as "objects[0].mesh", or ""
	int64_t element;   // index of the vertex, element or frame concerned, or -1
} lm_error;

// "FILE: WHERE: MESSAGE" with empty parts left out. Returns the length that the whole text needs (as snprintf
// does).
LM_API int lm_error_format(const lm_error* error, char* text, size_t capacity);

typedef struct lm_allocator
{
	void* (*allocate)(size_t size, void* context); // aligned as malloc does; NULL when out of memory
	void (*release)(void* memory, void* context);  // memory is never NULL
	void* context;
} lm_allocator;

typedef enum lm_log_level
{
	LM_LOG_INFO,
	LM_LOG_WARNING
} lm_log_level;

// Vector instructions that the inner loops use. Where a loop is not compiled for a level, it takes the next one below.
typedef enum lm_simd
{
	LM_SIMD_AUTO,  // the widest that this machine has
	LM_SIMD_PLAIN, // what the compiler's baseline gives
	LM_SIMD_AVX2,  // and FMA
	LM_SIMD_AVX512 // F, VL and DQ
} lm_simd;

// Progress of work whose end is not known.
#define LM_PROGRESS_UNKNOWN (-1.0)

// What the surrounding program provides. Copied by every create function, so that there are no globals.
typedef struct lm_host
{
	lm_allocator allocator;                                              // default: malloc and free
	void (*log)(lm_log_level level, const char* message, void* context); // default NULL: silent
	void* log_context;
	// Called from time to time in long work, done in [0, 1], or LM_PROGRESS_UNKNOWN, which only asks whether to go on;
	// return false to cancel. `what` is being done; behind a tab may be what there is to say of the moment, as "0.3 s
	// per frame". Default NULL.
	bool (*progress)(const char* what, double done, void* context);
	void* progress_context;
	int threads;  // 1 .. 256, default 1; results do not depend on it
	lm_simd simd; // default LM_SIMD_AUTO; what this machine or build lacks is LM_UNSUPPORTED. Last bits depend on it
} lm_host;

LM_API lm_host lm_host_default(void);

// The widest level that this machine and build have: what LM_SIMD_AUTO stands for.
LM_API lm_simd lm_simd_best(void);

// "auto", "plain", "avx2", "avx512"; and back. A name that is none of these is LM_BAD_INPUT, a level that this machine
// or build lacks LM_UNSUPPORTED.
LM_API const char* lm_simd_name(lm_simd simd);
LM_API lm_status lm_simd_find(const char* name, lm_simd* simd, lm_error* error);

// Seconds since some moment, never backwards: for reports and progress, never for decisions.
LM_API double lm_clock_seconds(void);

// Writes text to a file, whole or not at all; missing folders are made.
LM_API lm_status lm_text_write(const char* path, const char* text, const lm_host* host, lm_error* error);

// Every output has a temporary name (".tmp" and a number behind its own) until it is whole. Removes those of `path`,
// and of names that go on from it ("a.lmc", "a.lmc.checkpoint"), whose process has ended without doing so. Of a name
// with {object} or {frame} in it, those of all names that begin as it does.
LM_API void lm_remove_leftovers(const char* path);

// How many bytes there is room for where `path` lies, or would lie; UINT64_MAX when the system does not say.
LM_API uint64_t lm_room(const char* path);

// "1.5 GB", "48 kB".
LM_API void lm_bytes_text(uint64_t bytes, char text[32]);

#ifdef __cplusplus
}
#endif
#endif
