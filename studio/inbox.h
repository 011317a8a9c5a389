// inbox.h: what pages have sent and the simulating thread has not looked at yet. Bounded: of the moves of one grab only
// the newest is kept, and when it is full new messages are refused.
#ifndef STUDIO_INBOX_H
#define STUDIO_INBOX_H

#include <jansson.h>
#include <stdbool.h>

#define INBOX_MAX 256

typedef struct letter
{
	int client;
	json_t* json; // one object; owned by who takes it out
} letter;

typedef struct inbox inbox;

inbox* inbox_create(void);
void inbox_destroy(inbox* box);
// Takes over `json`, also when it returns false: full.
bool inbox_put(inbox* box, int client, json_t* json);
// The oldest; false when there is none.
bool inbox_take(inbox* box, letter* out);
// Waits until there is something, at most so many seconds.
void inbox_wait(inbox* box, double seconds);
// Whether a message with this "do" is waiting.
bool inbox_has(inbox* box, const char* what);
void inbox_wake(inbox* box); // ends a wait

#endif
