// document.h: the scene file that the studio works on: its text, its values, and edits of them. A scene of the gallery is
// never written to: with the first edit it moves, in memory, into the studio's folder, and its file names with it.
#ifndef STUDIO_DOCUMENT_H
#define STUDIO_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct document
{
	char* path; // where it lies, or would lie once it is written
	char* text; // what a file at `path` holds, or would hold
	json_t* json;
	bool foreign; // not to be written to
	bool dirty;   // differs from the file
} document;

// Takes over `text`. NULL with a sentence when it is no JSON object.
document* document_create(const char* path, char* text, bool foreign, char* error, size_t capacity);
void document_destroy(document* d);

// Sets a value, or takes it away (value NULL); keys on the way are made. path: names and numbers. False with a sentence.
bool document_edit(document* d, json_t* path, json_t* value, char* error, size_t capacity);
json_t* document_get(const document* d, json_t* path); // borrowed; NULL: there is nothing
// Takes another text over, as an undo does. False: it is no JSON object.
bool document_replace(document* d, const char* text);
// Moves a foreign document to `folder`: names in it that lead to one of `files` are written as seen from there.
bool document_move(document* d, const char* folder, const char* const* files, int file_count);

// The text of a scene that lies at `path`, as it must be to lie in `folder`. free; NULL: out of memory, or no JSON.
char* document_moved(const char* text, const char* path, const char* folder, const char* const* files, int file_count);

// A scene's text as a person would write it: short lists in one line, numbers with as few digits as bring them back.
char* document_print(const json_t* json); // free

#endif
