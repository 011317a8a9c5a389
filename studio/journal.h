// journal.h: everything that is done, written down as it happens: after a crash or a power cut the next start offers it.
//
// A file of JSON lines in the hidden folder ".limber-live" of where the studio writes:
//   {"journal": 1, "path": scene, "scene": fingerprint, "simd": level, "fps": f, "document": text or null}
//   {"frame": 12, "do": ...} a command; {"cut": 12} what was told from this frame on is gone; {"reached": 240}
//   {"frame": 0, "do": ..., "planned": true} one about keys of designed objects, which come before all others;
//   {"unplan": 3} the last three of those are taken back
// It is made when there is something to lose. All functions accept NULL.
#ifndef STUDIO_JOURNAL_H
#define STUDIO_JOURNAL_H

#include "limber/limber.h"

#include <jansson.h>

typedef struct journal journal;

// Puts the journal of an earlier run aside, to be offered. NULL when out of memory.
journal* journal_create(const char* folder, const char* scene_path);
void journal_destroy(journal* j);

// The world starts again: from the scene's file (text NULL), or from a text that is only here.
void journal_begin(journal* j, const lm_scene* scene, lm_simd simd, const char* path, const char* text);
void journal_command(journal* j, const lm_world* world, const lm_command* command);
void journal_plan(journal* j, const lm_world* world, const lm_command* command); // before all others
void journal_cut(journal* j, int64_t frame);
void journal_unplan(journal* j, int32_t count);
void journal_frame(journal* j, int64_t frame);

// What the earlier run left: its lines as a list, the first is the head; NULL: nothing.
json_t* journal_read_before(const journal* j);
// The newest that earlier runs left in a folder, of the scene or mesh with this stem; NULL: none.
json_t* journal_read_newest(const char* folder, char* stem, size_t capacity);
void journal_drop_before(journal* j);

#endif
