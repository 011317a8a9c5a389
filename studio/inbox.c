// inbox.c: see inbox.h.
#include "inbox.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct inbox
{
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int first, count; // a ring
	bool woken;
	letter letters[INBOX_MAX];
};

inbox* inbox_create(void)
{
	inbox* box = calloc(1, sizeof *box);
	if (box == NULL)
		return NULL;
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&box->mutex, NULL);
	pthread_cond_init(&box->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	return box;
}

void inbox_destroy(inbox* box)
{
	if (box == NULL)
		return;
	letter l;
	while (inbox_take(box, &l))
		json_decref(l.json);
	pthread_cond_destroy(&box->changed);
	pthread_mutex_destroy(&box->mutex);
	free(box);
}

static const char* what_of(const json_t* json)
{
	const char* what = json_string_value(json_object_get(json, "do"));
	return what != NULL ? what : "";
}

// Whether `newer` makes `older` pointless: the same grab, handle or playhead moves on.
static bool replaces(const letter* older, const letter* newer)
{
	const char* what = what_of(newer->json);
	bool moves = strcmp(what, "move") == 0 || strcmp(what, "handle_move") == 0 || strcmp(what, "rewind") == 0;
	return moves && older->client == newer->client && strcmp(what_of(older->json), what) == 0 &&
	       json_equal(json_object_get(older->json, "id"), json_object_get(newer->json, "id"));
}

// Only the last letter may be replaced: what lies between keeps its order.
static bool coalesce(inbox* box, const letter* newer)
{
	if (box->count == 0)
		return false;
	letter* last = &box->letters[(box->first + box->count - 1) % INBOX_MAX];
	if (!replaces(last, newer))
		return false;
	json_decref(last->json);
	*last = *newer;
	return true;
}

bool inbox_put(inbox* box, int client, json_t* json)
{
	letter l = { client, json };
	pthread_mutex_lock(&box->mutex);
	bool taken = coalesce(box, &l);
	if (!taken && box->count < INBOX_MAX)
	{
		box->letters[(box->first + box->count++) % INBOX_MAX] = l;
		taken = true;
	}
	pthread_cond_signal(&box->changed);
	pthread_mutex_unlock(&box->mutex);
	if (!taken)
		json_decref(json);
	return taken;
}

bool inbox_take(inbox* box, letter* out)
{
	pthread_mutex_lock(&box->mutex);
	bool found = box->count > 0;
	if (found)
	{
		*out = box->letters[box->first];
		box->first = (box->first + 1) % INBOX_MAX;
		--box->count;
	}
	pthread_mutex_unlock(&box->mutex);
	return found;
}

bool inbox_has(inbox* box, const char* what)
{
	pthread_mutex_lock(&box->mutex);
	bool found = false;
	for (int i = 0; i < box->count && !found; ++i)
		found = strcmp(what_of(box->letters[(box->first + i) % INBOX_MAX].json), what) == 0;
	pthread_mutex_unlock(&box->mutex);
	return found;
}

void inbox_wait(inbox* box, double seconds)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	long nanoseconds = until.tv_nsec + (long)((seconds - (double)(long)seconds) * 1e9);
	until.tv_sec += (time_t)seconds + nanoseconds / 1000000000;
	until.tv_nsec = nanoseconds % 1000000000;
	pthread_mutex_lock(&box->mutex);
	while (box->count == 0 && !box->woken && pthread_cond_timedwait(&box->changed, &box->mutex, &until) == 0)
		;
	box->woken = false;
	pthread_mutex_unlock(&box->mutex);
}

void inbox_wake(inbox* box)
{
	pthread_mutex_lock(&box->mutex);
	box->woken = true;
	pthread_cond_signal(&box->changed);
	pthread_mutex_unlock(&box->mutex);
}
