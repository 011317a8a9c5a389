// socket.c: the socket of a page: what it is sent, in which order, and how much.
//
// Messages that must arrive come first, then the newest state, then the newest frame, with its overlay before it. A
// page has at most FRAMES_AHEAD frames that it has not drawn, or one if it asks for that: where drawing takes long, the
// second would be old when its turn comes. A page that is slow, or hidden, just gets fewer.
#include "server_inside.h"

#include "limber/limber.h"

#include <stdlib.h>
#include <string.h>

static client* find_client(server* s, const struct lws* wsi)
{
	for (int i = 0; i < CLIENTS_MAX; ++i)
		if (s->clients[i].wsi == wsi)
			return &s->clients[i];
	return NULL;
}

static void note_audience(server* s)
{
	int count = 0, least = FRAMES_AHEAD;
	for (int i = 0; i < CLIENTS_MAX; ++i)
		if (s->clients[i].wsi != NULL)
		{
			const client* c = &s->clients[i];
			int unanswered = c->unanswered >= c->ahead ? FRAMES_AHEAD : c->unanswered;
			++count;
			least = unanswered < least ? unanswered : least;
		}
	outlet_note_audience(s->settings.out, count, least, s->last_drawn);
}

// ---- what has to be sent ----

// Takes over the message. False: the client is so slow that it has to go.
static bool enqueue(client* c, message* m)
{
	if (m == NULL)
		return true;
	if (c->queued == QUEUE_MAX)
	{
		message_drop(m);
		return false;
	}
	c->queue[c->queued++] = m;
	return true;
}

static void give(client* c, message* m)
{
	if (!enqueue(c, message_hold(m)))
		lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

void socket_distribute(server* s)
{
	int id;
	for (message* m; (m = outlet_next(s->settings.out, &id)) != NULL; message_drop(m))
		for (int i = 0; i < CLIENTS_MAX; ++i)
			if (s->clients[i].wsi != NULL && (id == EVERYBODY || id == s->clients[i].id))
				give(&s->clients[i], m);
	for (int i = 0; i < CLIENTS_MAX; ++i)
		if (s->clients[i].wsi != NULL)
			lws_callback_on_writable(s->clients[i].wsi);
}

// ---- sending: one message in each callback ----

static message* take_queued(client* c)
{
	if (c->queued == 0)
		return NULL;
	message* m = c->queue[0];
	memmove(c->queue, c->queue + 1, (size_t)(--c->queued) * sizeof c->queue[0]);
	return m;
}

static message* take_state(server* s, client* c)
{
	uint64_t serial;
	message* m = outlet_newest_state(s->settings.out, &serial);
	if (m != NULL && serial != c->state_serial)
	{
		c->state_serial = serial;
		return m;
	}
	message_drop(m);
	return NULL;
}

static message* take_frame(server* s, client* c)
{
	message* m = c->pending_frame;
	c->pending_frame = NULL;
	if (m != NULL || c->unanswered >= c->ahead)
		return m;
	uint64_t serial;
	message* overlay;
	m = outlet_newest_frame(s->settings.out, &overlay, &serial);
	if (m != NULL && serial != c->frame_serial && m->generation == c->generation)
	{
		c->frame_serial = serial;
		if (!c->wants_overlay || overlay == NULL)
		{
			message_drop(overlay);
			return m;
		}
		c->pending_frame = m;
		return overlay;
	}
	message_drop(m);
	message_drop(overlay);
	return NULL;
}

static int write_next(server* s, client* c)
{
	if (lws_send_pipe_choked(c->wsi))
	{
		lws_callback_on_writable(c->wsi);
		return 0;
	}
	message* m = take_queued(c);
	if (m == NULL)
		m = c->pending_frame == NULL ? take_state(s, c) : NULL;
	if (m == NULL)
		m = take_frame(s, c);
	if (m == NULL)
		return 0;
	if (m->generation != 0)
		c->generation = m->generation;
	c->unanswered += m->answered;
	note_audience(s);
	int written = lws_write(c->wsi, m->bytes, m->size, m->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
	bool good = written >= 0 && (size_t)written >= m->size;
	message_drop(m);
	lws_callback_on_writable(c->wsi);
	return good ? 0 : -1;
}

// ---- receiving ----

static void tell(client* c, const char* text)
{
	json_t* json = json_pack("{s:s,s:s,s:s}", "kind", "told", "level", "error", "text", text);
	char* dumped = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
	json_decref(json);
	if (dumped != NULL)
		enqueue(c, message_of_text(dumped));
	free(dumped);
	lws_callback_on_writable(c->wsi);
}

static void note_drawn(server* s, client* c)
{
	c->unanswered -= c->unanswered > 0;
	s->last_drawn = lm_clock_seconds();
	note_audience(s);
	lws_callback_on_writable(c->wsi);
}

static void read_message(server* s, client* c)
{
	json_error_t error;
	json_t* json = json_loadb(c->text, c->received, JSON_REJECT_DUPLICATES, &error);
	const char* what = json_string_value(json_object_get(json, "do"));
	if (what == NULL)
	{
		json_decref(json);
		tell(c, json == NULL ? "a message is not JSON" : "a message must be an object with \"do\"");
	}
	else if (strcmp(what, "drawn") == 0)
	{
		c->ahead = json_integer_value(json_object_get(json, "ahead")) == 1 ? 1 : FRAMES_AHEAD;
		json_decref(json);
		note_drawn(s, c);
	}
	else if (what[0] == '(') // the server's own words
	{
		json_decref(json);
		tell(c, "there is no such thing to do");
	}
	else
	{
		if (strcmp(what, "show") == 0 && json_object_get(json, "overlay") != NULL)
			c->wants_overlay = json_is_true(json_object_get(json, "overlay"));
		if (!inbox_put(s->settings.in, c->id, json))
			tell(c, "too much is asked for at once; this was not done");
	}
}

static int receive(server* s, client* c, const void* in, size_t size)
{
	if (c->received + size > MESSAGE_MAX)
	{
		lws_close_reason(c->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
		return -1;
	}
	memcpy(c->text + c->received, in, size);
	c->received += size;
	if (!lws_is_final_fragment(c->wsi) || lws_remaining_packet_payload(c->wsi) > 0)
		return 0;
	if (lws_frame_is_binary(c->wsi))
		tell(c, "a message must be text");
	else
		read_message(s, c);
	c->received = 0;
	return 0;
}

// ---- coming and going ----

static int join(server* s, struct lws* wsi)
{
	client* c = find_client(s, NULL);
	if (c == NULL)
	{
		lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, (unsigned char*)"too many pages", 14);
		return -1;
	}
	*c = (client){ .id = ++s->next_client, .wsi = wsi, .ahead = FRAMES_AHEAD, .text = malloc(MESSAGE_MAX) };
	if (c->text == NULL)
	{
		c->wsi = NULL;
		return -1;
	}
	message* greeting[3];
	outlet_greeting(s->settings.out, greeting);
	for (int i = 0; i < 3; ++i)
		enqueue(c, greeting[i]);
	note_audience(s);
	inbox_put(s->settings.in, c->id, json_pack("{s:s}", "do", "(joined)"));
	lws_callback_on_writable(wsi);
	return 0;
}

static void leave(server* s, client* c)
{
	for (int i = 0; i < c->queued; ++i)
		message_drop(c->queue[i]);
	message_drop(c->pending_frame);
	free(c->text);
	inbox_put(s->settings.in, c->id, json_pack("{s:s}", "do", "(left)"));
	*c = (client){ 0 };
	note_audience(s);
}

int socket_callback(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t size)
{
	(void)user;
	server* s = lws_context_user(lws_get_context(wsi));
	client* c = s != NULL && wsi != NULL ? find_client(s, wsi) : NULL;
	switch (reason)
	{
		case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
			return is_our_host(s, wsi) && is_our_origin(s, wsi) && has_our_token(s, wsi) ? 0 : -1;
		case LWS_CALLBACK_ESTABLISHED: return join(s, wsi);
		case LWS_CALLBACK_CLOSED:
			if (c != NULL)
				leave(s, c);
			return 0;
		case LWS_CALLBACK_RECEIVE: return c != NULL ? receive(s, c, in, size) : -1;
		case LWS_CALLBACK_SERVER_WRITEABLE: return c != NULL ? write_next(s, c) : -1;
		default: return 0;
	}
}
