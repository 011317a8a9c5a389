// server_inside.h: shared by the files of the server.
#ifndef STUDIO_SERVER_INSIDE_H
#define STUDIO_SERVER_INSIDE_H

#include "server.h"

#include <libwebsockets.h>

#define QUEUE_MAX 64 // messages that a page must get and has not been sent yet; beyond that it is closed

typedef struct client
{
	int id;
	struct lws* wsi; // NULL: this place is free
	int queued;
	message* queue[QUEUE_MAX];
	uint64_t frame_serial, state_serial; // of what it got last
	message* pending_frame;              // its overlay has been sent, it comes next
	uint32_t generation;                 // of the world that it knows
	int unanswered;
	int ahead; // how many frames it may have that it has not drawn: FRAMES_AHEAD, or 1 where drawing takes long
	bool wants_overlay;
	size_t received;
	char* text; // of the message that is being received
} client;

struct server
{
	server_settings settings;
	struct lws_protocols protocols[3]; // web, sockets, the end
	struct lws_context* context;
	int port;
	char token[33];
	char hosts[2][32];   // "127.0.0.1:PORT", "localhost:PORT"
	char origins[2][40]; // with "http://"
	char policy[256];    // Content-Security-Policy
	lws_sorted_usec_list_t timer;
	int next_client;
	double last_drawn;
	client clients[CLIENTS_MAX];
};

// guard.c
bool is_our_host(const server* s, struct lws* wsi);
bool is_our_origin(const server* s, struct lws* wsi);
bool has_our_token(const server* s, struct lws* wsi);

// web.c and socket.c: callbacks of libwebsockets.
int web_callback(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t size);
size_t web_session_size(void);
int socket_callback(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t size);
void socket_distribute(server* s); // hands new messages out to the clients

#endif
