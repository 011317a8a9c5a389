// reader.h: what goes through all stages of reading a file: the place we are at, and the problems found so far. At the
// end the problems are sorted by their place in the file.
#ifndef LM_FORMAT_READER_H
#define LM_FORMAT_READER_H

#include "base/arena.h"
#include "format/table.h"

#include <jansson.h>

typedef struct lm_reader lm_reader;

struct lm_reader
{
	lm_host host;
	const char* file; // the scene file's path
	json_t* root;
	lm_arena arena;   // scratch, as long as the reader
	lm_arena* memory; // of the result: lists and texts that the tables fill
	lm_problems* problems;
	lm_status status;                       // LM_OK, or why reading stops: LM_NO_MEMORY, LM_CANCELLED
	struct lm_scene_sources* sources;       // the files that a scene names; only scene/ looks inside
	char path[sizeof((lm_error*)0)->where]; // JSON path of where we are
	size_t path_length;                     // may exceed what fits
};

// Going down into a key or an item, and back up to where it was.
size_t lm_reader_enter(lm_reader* reader, const char* key);
size_t lm_reader_enter_item(lm_reader* reader, int64_t index);
void lm_reader_leave(lm_reader* reader, size_t mark);

// Memory that lives as long as the reader, zeroed. NULL (and status) when out of memory.
void* lm_reader_take(lm_reader* reader, size_t count, size_t size);
void lm_reader_no_memory(lm_reader* reader);
// The same in the memory of the result.
void* lm_reader_keep(lm_reader* reader, size_t count, size_t size);
const char* lm_reader_keep_text(lm_reader* reader, const char* text);

// A problem at the place where we are, or at a key or item below it.
void lm_problem(lm_reader* reader, const char* format, ...) __attribute__((format(printf, 2, 3)));
void lm_problem_key(lm_reader* reader, const char* key, const char* format, ...) __attribute__((format(printf, 3, 4)));
// What another module has to say about a file: its sentence with the file's name becomes the message. Running out of
// memory or being cancelled is no problem of the scene: it ends the reading.
void lm_problem_from(lm_reader* reader, const char* key, const lm_error* error);

// In the order of the file.
void lm_problems_sort(lm_problems* problems, json_t* root);

// JSON into the struct of a table (fill.c).
void lm_fill(lm_reader* reader, const lm_table* table, json_t* value, void* item);
// lm_table_defaults, and the keys of keyed values that are constant unless given.
void lm_reader_defaults(lm_reader* reader, const lm_table* table, void* item);

#endif
