// history.h: snapshots of the frames of a performance, so that every frame can be gone back to, exactly. Bounded: when
// they take too much memory, older frames are kept at larger and larger intervals, and what lies between is computed
// again.
#ifndef STUDIO_HISTORY_H
#define STUDIO_HISTORY_H

#include "limber/limber.h"

typedef struct history history;

history* history_create(size_t most_bytes);
void history_destroy(history* h);
void history_clear(history* h);
// Takes the snapshot over. Frames come in their order; one that is there already is replaced.
void history_add(history* h, lm_snapshot* snapshot);
// The newest that is not after the frame; NULL when there is none.
const lm_snapshot* history_find(const history* h, int64_t frame);
void history_cut(history* h, int64_t frame); // forgets what comes after the frame
int64_t history_newest(const history* h);    // frame, -1: none
size_t history_bytes(const history* h);

#endif
