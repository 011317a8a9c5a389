// outlet.c: see outlet.h.
#include "outlet.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct parcel
{
	struct parcel* next;
	int client;
	message* m;
} parcel;

struct outlet
{
	pthread_mutex_t mutex;
	parcel *first, **last;
	message *frame, *overlay, *state;
	uint64_t frame_serial, state_serial;
	message* greeting[3];
	int clients, unanswered;
	double last_drawn;
	void (*wake)(void* context);
	void* context;
};

outlet* outlet_create(void)
{
	outlet* out = calloc(1, sizeof *out);
	if (out == NULL)
		return NULL;
	pthread_mutex_init(&out->mutex, NULL);
	out->last = &out->first;
	return out;
}

void outlet_destroy(outlet* out)
{
	if (out == NULL)
		return;
	int client;
	for (message* m; (m = outlet_next(out, &client)) != NULL;)
		message_drop(m);
	message_drop(out->frame);
	message_drop(out->overlay);
	message_drop(out->state);
	for (int i = 0; i < 3; ++i)
		message_drop(out->greeting[i]);
	pthread_mutex_destroy(&out->mutex);
	free(out);
}

void outlet_on_news(outlet* out, void (*wake)(void* context), void* context)
{
	pthread_mutex_lock(&out->mutex);
	out->wake = wake;
	out->context = context;
	pthread_mutex_unlock(&out->mutex);
}

static void unlock_and_wake(outlet* out)
{
	void (*wake)(void*) = out->wake;
	void* context = out->context;
	pthread_mutex_unlock(&out->mutex);
	if (wake != NULL)
		wake(context);
}

static void append(outlet* out, int client, message* m)
{
	parcel* p = m != NULL ? malloc(sizeof *p) : NULL;
	if (p == NULL)
	{
		message_drop(m);
		return;
	}
	*p = (parcel){ NULL, client, m };
	*out->last = p;
	out->last = &p->next;
}

void outlet_send(outlet* out, int client, message* m)
{
	pthread_mutex_lock(&out->mutex);
	append(out, client, m);
	unlock_and_wake(out);
}

static void replace(message** slot, message* m)
{
	message_drop(*slot);
	*slot = m;
}

void outlet_frame(outlet* out, message* frame, message* overlay)
{
	pthread_mutex_lock(&out->mutex);
	replace(&out->frame, frame);
	replace(&out->overlay, overlay);
	++out->frame_serial;
	unlock_and_wake(out);
}

void outlet_state(outlet* out, message* state)
{
	pthread_mutex_lock(&out->mutex);
	replace(&out->state, state);
	++out->state_serial;
	unlock_and_wake(out);
}

void outlet_greet(outlet* out, message* hello, message* topology, message* frame)
{
	message* parts[3] = { hello, topology, frame };
	pthread_mutex_lock(&out->mutex);
	replace(&out->frame, NULL);
	replace(&out->overlay, NULL);
	for (int i = 0; i < 3; ++i)
	{
		append(out, EVERYBODY, message_hold(parts[i]));
		replace(&out->greeting[i], parts[i]);
	}
	unlock_and_wake(out);
}

message* outlet_next(outlet* out, int* client)
{
	pthread_mutex_lock(&out->mutex);
	parcel* p = out->first;
	if (p != NULL)
	{
		out->first = p->next;
		if (out->first == NULL)
			out->last = &out->first;
	}
	pthread_mutex_unlock(&out->mutex);
	if (p == NULL)
		return NULL;
	message* m = p->m;
	*client = p->client;
	free(p);
	return m;
}

message* outlet_newest_frame(outlet* out, message** overlay, uint64_t* serial)
{
	pthread_mutex_lock(&out->mutex);
	message* m = message_hold(out->frame);
	*overlay = message_hold(out->overlay);
	*serial = out->frame_serial;
	pthread_mutex_unlock(&out->mutex);
	return m;
}

message* outlet_newest_state(outlet* out, uint64_t* serial)
{
	pthread_mutex_lock(&out->mutex);
	message* m = message_hold(out->state);
	*serial = out->state_serial;
	pthread_mutex_unlock(&out->mutex);
	return m;
}

void outlet_greeting(outlet* out, message* greeting[3])
{
	pthread_mutex_lock(&out->mutex);
	for (int i = 0; i < 3; ++i)
		greeting[i] = message_hold(out->greeting[i]);
	pthread_mutex_unlock(&out->mutex);
}

void outlet_note_audience(outlet* out, int clients, int unanswered, double last_drawn)
{
	pthread_mutex_lock(&out->mutex);
	out->clients = clients;
	out->unanswered = unanswered;
	out->last_drawn = last_drawn;
	pthread_mutex_unlock(&out->mutex);
}

bool outlet_is_watched(outlet* out, double now)
{
	pthread_mutex_lock(&out->mutex);
	bool watched = out->clients > 0 && (out->unanswered < FRAMES_AHEAD || now - out->last_drawn < 2);
	pthread_mutex_unlock(&out->mutex);
	return watched;
}
