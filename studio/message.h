// message.h: what goes to a page: text or bytes, counted references, shared by all clients that it is sent to.
#ifndef STUDIO_MESSAGE_H
#define STUDIO_MESSAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct message
{
	atomic_int references;
	bool binary;
	bool answered;       // the page says "drawn" for it
	uint32_t generation; // of the world that it shows; 0: of none
	size_t size;
	unsigned char* bytes; // has room for the network library's header before it
} message;

message* message_create(size_t size, bool binary); // one reference; NULL when out of memory
message* message_of_text(const char* text);        // copies
message* message_hold(message* m);                 // one reference more
void message_drop(message* m);                     // one less; NULL is allowed

#endif
