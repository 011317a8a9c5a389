// sequence.h: meshes of an animation, one file per frame: "walk-{frame}.obj" stands for walk-0001.obj, walk-0002.obj.
#ifndef LM_IO_SEQUENCE_H
#define LM_IO_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lm_sequence
{
	int digits; // that numbers have at least
	int32_t first, last;
} lm_sequence;

// The name of a frame's file. False when it does not fit. The pattern must have {frame}.
bool lm_sequence_name(const char* pattern, int digits, int32_t frame, char* name, size_t capacity);

// Finds how many digits the numbers have (as given where that cannot be told), whether a sequence that should begin at
// 0 begins at 1, and with `find_last` where it ends, at most so many frames on.
void lm_sequence_find(const char* pattern, int32_t frames_max, bool find_last,
                      bool (*exists)(void* context, const char* name), void* context, lm_sequence* sequence);

#endif
