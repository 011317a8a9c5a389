// outlet.h: what the simulating thread has for the pages, until the network thread sends it.
//
// Three kinds: messages that every page must get, in their order; the newest frame, which a slow page may miss; the
// newest state, likewise. And the greeting: what a page that joins is sent first, at once, also while a step takes its
// time.
#ifndef STUDIO_OUTLET_H
#define STUDIO_OUTLET_H

#include "message.h"

#define EVERYBODY (-1)
#define FRAMES_AHEAD 2 // that a page may have been sent and not drawn yet

typedef struct outlet outlet;

outlet* outlet_create(void);
void outlet_destroy(outlet* out);
// Called, from the simulating thread, whenever there is something new.
void outlet_on_news(outlet* out, void (*wake)(void* context), void* context);

// ---- the simulating thread; each takes over its messages; NULL (out of memory) is ignored ----
void outlet_send(outlet* out, int client, message* m);
void outlet_frame(outlet* out, message* frame, message* overlay);
void outlet_state(outlet* out, message* state);
// The greeting of the world that is shown from now on, which goes to everybody who is there, too.
void outlet_greet(outlet* out, message* hello, message* topology, message* frame);

// ---- the network thread; each gives a reference away, or NULL when there is none ----
message* outlet_next(outlet* out, int* client); // the oldest message that must be sent
message* outlet_newest_frame(outlet* out, message** overlay, uint64_t* serial);
message* outlet_newest_state(outlet* out, uint64_t* serial);
void outlet_greeting(outlet* out, message* greeting[3]);
// How many pages there are, how many frames the most attentive of them has not drawn yet, and when one was drawn last.
void outlet_note_audience(outlet* out, int clients, int unanswered, double last_drawn);

// Whether somebody sees what is simulated: a page in a hidden tab stops drawing, and after 2 s nobody does.
bool outlet_is_watched(outlet* out, double now);

#endif
