// gallery.h: the scenes that come with limber, as a page of pictures. Pictures are drawn once, in the background, and
// kept in the user's cache folder.
#ifndef STUDIO_GALLERY_H
#define STUDIO_GALLERY_H

#include "outlet.h"

#include "limber/limber.h"

#include <jansson.h>

typedef struct gallery gallery;

gallery* gallery_create(const char* folder); // NULL folder: an empty one
void gallery_destroy(gallery* g);
json_t* gallery_list(const gallery* g); // [{"name", "title", "description", "picture", "engine", "ready"}]
// The file of a scene by its name, "match/twist".
bool gallery_find(const gallery* g, const char* name, char* path, size_t capacity);
// And the name by the file, or by its stem "twist": the first that has it.
bool gallery_name(const gallery* g, const char* file, char* name, size_t capacity);
// Has what is missing drawn by a program of its own (`limber gallery --pictures`), which can be ended at any moment.
void gallery_draw_pictures(gallery* g);
void gallery_tell_pictures(gallery* g, outlet* out); // tells pages of new ones: {"kind": "pictures", "names"}
void gallery_tell_all(const gallery* g, outlet* out, int client); // a page that has come later, of all there are
void gallery_stop(gallery* g);
// The picture "match-twist.png", or NULL. From any thread.
message* gallery_picture(const gallery* g, const char* file);
// Scenes and meshes of a folder, which can be opened by their names.
json_t* gallery_files(const char* folder);

#endif
