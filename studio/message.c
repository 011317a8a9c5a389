// message.c: see message.h.
#include "message.h"

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>

message* message_create(size_t size, bool binary)
{
	message* m = malloc(sizeof *m + LWS_PRE + size);
	if (m == NULL)
		return NULL;
	*m = (message){ .binary = binary, .size = size, .bytes = (unsigned char*)(m + 1) + LWS_PRE };
	atomic_init(&m->references, 1);
	return m;
}

message* message_of_text(const char* text)
{
	size_t size = strlen(text);
	message* m = message_create(size, false);
	if (m != NULL)
		memcpy(m->bytes, text, size);
	return m;
}

message* message_hold(message* m)
{
	if (m != NULL)
		atomic_fetch_add(&m->references, 1);
	return m;
}

void message_drop(message* m)
{
	if (m != NULL && atomic_fetch_sub(&m->references, 1) == 1)
		free(m);
}
