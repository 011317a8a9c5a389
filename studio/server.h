// server.h: the studio's network side, on libwebsockets: pages and sockets on the loopback address, for whoever knows
// the token of this run. Runs in the thread that calls server_run; the simulating thread is reached through inbox and
// outlet only.
//
// The browser is an attacker's client as well, so every way in checks the Host that was asked for (DNS rebinding) and
// the Origin (foreign pages); sockets and uploads also need the token.
#ifndef STUDIO_SERVER_H
#define STUDIO_SERVER_H

#include "inbox.h"
#include "outlet.h"

#define CLIENTS_MAX 4
#define MESSAGE_MAX 65536      // bytes, of a message from a page
#define UPLOAD_MAX (64u << 20) // bytes, of a file that is dropped on the page

// A file that is served by its exact name.
typedef struct web_file
{
	const char* name; // "/studio.js"
	const char* type; // "text/javascript"
	const unsigned char* bytes;
	size_t size;
} web_file;

typedef struct server_settings
{
	int port; // 0: any that is free
	inbox* in;
	outlet* out;
	const web_file* files;
	int file_count;
	// A picture of the gallery, "match-twist": a message to be dropped, or NULL. Network thread.
	message* (*picture)(const char* name, void* context);
	// Stores a dropped file; fills in the name that it got, or a sentence (false). Network thread.
	bool (*store)(const char* name, const void* bytes, size_t size, char* answer, size_t capacity, void* context);
	void* context;
} server_settings;

typedef struct server server;

server* server_create(const server_settings* settings, char* error, size_t capacity);
void server_destroy(server* s);
int server_port(const server* s);
const char* server_token(const server* s);
// Until *stop becomes non-zero (server_wake makes it look).
void server_run(server* s, const volatile int* stop);
void server_wake(server* s); // from any thread

#endif
