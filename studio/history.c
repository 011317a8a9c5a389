// history.c: see history.h.
#include "history.h"

#include <stdlib.h>

#define RECENT 120   // frames that are always kept, every one
#define LARGEST 4096 // snapshots that are kept, however small

struct history
{
	size_t most, bytes;
	int64_t stride; // of older frames that are kept
	size_t count, capacity;
	lm_snapshot** snapshots; // by frame, ascending
};

history* history_create(size_t most_bytes)
{
	history* h = calloc(1, sizeof *h);
	if (h != NULL)
	{
		h->most = most_bytes;
		h->stride = 1;
	}
	return h;
}

static void drop(history* h, lm_snapshot* snapshot)
{
	h->bytes -= lm_snapshot_bytes(snapshot);
	lm_snapshot_destroy(snapshot);
}

void history_clear(history* h)
{
	history_cut(h, -1);
	h->stride = 1;
}

void history_destroy(history* h)
{
	if (h == NULL)
		return;
	history_clear(h);
	free(h->snapshots);
	free(h);
}

void history_cut(history* h, int64_t frame)
{
	while (h->count > 0 && lm_snapshot_frame(h->snapshots[h->count - 1]) > frame)
		drop(h, h->snapshots[--h->count]);
}

// Twice as wide intervals among what is not recent. The first frame stays.
static void thin(history* h)
{
	int64_t recent = lm_snapshot_frame(h->snapshots[h->count - 1]) - RECENT;
	size_t kept = 0;
	h->stride *= 2;
	for (size_t i = 0; i < h->count; ++i)
	{
		int64_t frame = lm_snapshot_frame(h->snapshots[i]);
		if (frame % h->stride == 0 || frame > recent)
			h->snapshots[kept++] = h->snapshots[i];
		else
			drop(h, h->snapshots[i]);
	}
	h->count = kept;
}

void history_add(history* h, lm_snapshot* snapshot)
{
	history_cut(h, lm_snapshot_frame(snapshot) - 1);
	if (h->count == h->capacity)
	{
		size_t capacity = h->capacity > 0 ? 2 * h->capacity : 256;
		lm_snapshot** grown = realloc(h->snapshots, capacity * sizeof *grown);
		if (grown == NULL)
		{
			lm_snapshot_destroy(snapshot);
			return;
		}
		h->snapshots = grown;
		h->capacity = capacity;
	}
	h->snapshots[h->count++] = snapshot;
	h->bytes += lm_snapshot_bytes(snapshot);
	for (int round = 0; (h->bytes > h->most || h->count > LARGEST) && h->count > RECENT + 2 && round < 20; ++round)
		thin(h);
}

const lm_snapshot* history_find(const history* h, int64_t frame)
{
	size_t low = 0, high = h->count; // the first that is after the frame
	while (low < high)
	{
		size_t middle = (low + high) / 2;
		if (lm_snapshot_frame(h->snapshots[middle]) <= frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? h->snapshots[low - 1] : NULL;
}

size_t history_bytes(const history* h)
{
	return h->bytes;
}

int64_t history_newest(const history* h)
{
	return h->count > 0 ? lm_snapshot_frame(h->snapshots[h->count - 1]) : -1;
}
