// live_client.c: see live_client.h. WebSocket as RFC 6455 has it, as far as the studio uses it.
#include "live_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// ---- bytes ----

static bool write_all(int file, const void* bytes, size_t size)
{
	for (size_t done = 0; done < size;)
	{
		ssize_t written = write(file, (const char*)bytes + done, size - done);
		if (written <= 0)
			return false;
		done += (size_t)written;
	}
	return true;
}

static bool read_all(int file, void* bytes, size_t size)
{
	for (size_t done = 0; done < size;)
	{
		ssize_t got = read(file, (char*)bytes + done, size - done);
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

// ---- starting ----

// Reads the line "limber: live at http://127.0.0.1:PORT/#token=HEX".
static bool read_address(int file, int* port, char token[33])
{
	char line[256] = "";
	for (size_t i = 0; i < sizeof line - 1; ++i)
		if (!read_all(file, line + i, 1) || line[i] == '\n')
			break;
	return sscanf(line, "limber: live at http://127.0.0.1:%d/#token=%32s", port, token) == 2;
}

static bool start(const char* limber, const char* scene, const char* into, live_client* client, int* port,
                  char token[33])
{
	int pipes[2];
	if (pipe(pipes) != 0)
		return false;
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclose(&actions, pipes[0]);
	char* words[] = { (char*)limber, "live", (char*)scene, "--into", (char*)into, "--threads", "1", "--no-open", NULL };
	bool good = posix_spawn(&client->child, limber, &actions, NULL, words, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	good = good && read_address(pipes[0], port, token);
	close(pipes[0]);
	return good;
}

static bool shake_hands(live_client* client, int port, const char* token)
{
	char request[512], byte, last[4] = "";
	int length = snprintf(request, sizeof request,
	                      "GET /?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
	                      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
	                      "Sec-WebSocket-Key: bGltYmVyLWJlbmNoLTAwMA==\r\nSec-WebSocket-Protocol: limber\r\n\r\n",
	                      token, port, port);
	if (!write_all(client->socket, request, (size_t)length))
		return false;
	while (memcmp(last, "\r\n\r\n", 4) != 0)
	{
		if (!read_all(client->socket, &byte, 1))
			return false;
		memmove(last, last + 1, 3);
		last[3] = byte;
	}
	return true;
}

bool live_open(const char* limber, const char* scene, const char* into, live_client* client)
{
	int port, one = 1;
	char token[33];
	*client = (live_client){ .socket = -1 };
	if (!start(limber, scene, into, client, &port, token))
		return live_close(client), false;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
	client->socket = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (connect(client->socket, (struct sockaddr*)&address, sizeof address) != 0 || !shake_hands(client, port, token))
		return live_close(client), false;
	return true;
}

void live_close(live_client* client)
{
	if (client->socket >= 0)
		close(client->socket);
	if (client->child > 0)
	{
		kill(client->child, SIGTERM);
		waitpid(client->child, NULL, 0);
	}
	free(client->buffer);
	*client = (live_client){ .socket = -1 };
}

// ---- messages ----

static bool send_frame(live_client* client, unsigned char opcode, const void* payload, size_t size)
{
	unsigned char head[14] = { (unsigned char)(0x80 | opcode), 0x80 };
	size_t used = 2;
	if (size >= 65536)
		return false;
	if (size < 126)
		head[1] |= (unsigned char)size;
	else
	{
		head[1] |= 126;
		head[2] = (unsigned char)(size >> 8), head[3] = (unsigned char)size;
		used = 4;
	}
	used += 4; // a mask of zeros leaves the payload as it is
	return write_all(client->socket, head, used) && write_all(client->socket, payload, size);
}

bool live_send(live_client* client, const char* text)
{
	return send_frame(client, 1, text, strlen(text));
}

static bool read_size(live_client* client, unsigned char second, size_t* size)
{
	unsigned char more[8];
	size_t bytes = (second & 127) == 126 ? 2 : (second & 127) == 127 ? 8 : 0;
	*size = second & 127;
	if (bytes == 0)
		return true;
	if (!read_all(client->socket, more, bytes))
		return false;
	*size = 0;
	for (size_t i = 0; i < bytes; ++i)
		*size = *size << 8 | more[i];
	return *size <= (size_t)1 << 30;
}

static bool make_room(live_client* client, size_t size)
{
	if (size <= client->capacity)
		return true;
	unsigned char* grown = realloc(client->buffer, 2 * size);
	if (grown == NULL)
		return false;
	client->buffer = grown;
	client->capacity = 2 * size;
	return true;
}

bool live_receive(live_client* client)
{
	client->size = 0;
	for (;;)
	{
		unsigned char head[2];
		size_t size;
		if (!read_all(client->socket, head, 2) || !read_size(client, head[1], &size) ||
		    !make_room(client, client->size + size + 1) ||
		    !read_all(client->socket, client->buffer + client->size, size))
			return false;
		unsigned char opcode = head[0] & 15;
		if (opcode == 8)
			return false;
		if (opcode == 9)
		{
			send_frame(client, 10, client->buffer + client->size, size);
			continue;
		}
		if (opcode == 1 || opcode == 2)
			client->binary = opcode == 2;
		client->size += size;
		client->buffer[client->size] = 0;
		if (head[0] & 0x80)
			return true;
	}
}
