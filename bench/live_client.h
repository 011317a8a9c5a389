// live_client.h: a client of the studio for benchmarks: starts `limber live` and speaks its protocol (docs/live.md).
#ifndef BENCH_LIVE_CLIENT_H
#define BENCH_LIVE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct live_client
{
	pid_t child;
	int socket;
	unsigned char* buffer; // of the message that was received last
	size_t size, capacity;
	bool binary;
} live_client;

// limber: the command; scene: a file. False when there is no studio to be had.
bool live_open(const char* limber, const char* scene, const char* into, live_client* client);
void live_close(live_client* client);
bool live_send(live_client* client, const char* text);
bool live_receive(live_client* client); // the next message; answers pings

#endif
