// folder.h: where the studio writes, and under which names. Nothing that a page says becomes a path: names are letters,
// digits, '-', '_' and dots inside, and lie in the studio's folder.
#ifndef STUDIO_FOLDER_H
#define STUDIO_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATH_CAPACITY 4096

bool name_is_safe(const char* name); // "my-walk", "bear.obj"
bool name_has_ending(const char* name, const char* ending);
// folder/name. False when it is too long.
bool path_join(const char* folder, const char* name, char* path, size_t capacity);
// The folder that a file lies in: "." when it names none.
void path_folder(const char* path, char* folder, size_t capacity);
const char* path_name(const char* path); // its last part: "a/b/walk.json" -> "walk.json"
// "a/b/walk.json" -> "walk"
void path_stem(const char* path, char* stem, size_t capacity);
bool path_is_same(const char* a, const char* b); // also where the same folder has two names
bool file_exists(const char* path);
int64_t file_time(const char* path); // when it was changed, ns; 0 when there is none
bool folder_make(const char* path);  // with those above it; true when it is there
// A name in the folder that no file has: "walk.take", "walk-2.take", ...
bool path_fresh(const char* folder, const char* stem, const char* ending, char* path, size_t capacity);
// How a program in `folder` names the file `target`: relative where both lie below one folder.
bool path_relative(const char* folder, const char* target, char* path, size_t capacity);
// Bytes into a file, by way of a temporary name. False: errno says why.
bool file_write(const char* path, const void* bytes, size_t size);
// The whole of a file, with a 0 behind it; NULL when it cannot be read or is larger than `most`.
char* file_read(const char* path, size_t most, size_t* size);

#endif
