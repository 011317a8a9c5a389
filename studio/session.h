// session.h: the simulating side of the studio: it owns the world, takes what pages send out of the inbox, and puts what
// they should see into the outlet. Runs in a thread of its own and never waits for the network. The clock decides when a
// frame starts, never what is in it.
#ifndef STUDIO_SESSION_H
#define STUDIO_SESSION_H

#include "inbox.h"
#include "outlet.h"

#include "limber/limber.h"

typedef struct session_settings
{
	const char* scene;   // file of a scene or mesh to begin with; NULL: the gallery's page
	const char* gallery; // its folder; NULL: there is none
	const char* into;    // where to write; NULL: beside the scene, and for the gallery's scenes into "limber-live"
	lm_host host;        // threads and SIMD level
	inbox* in;
	outlet* out;
} session_settings;

typedef struct session session;

session* session_create(const session_settings* settings, char* error, size_t capacity);
bool session_start(session* s); // the thread
void session_stop(session* s);  // ends what it does, writes the journal, joins the thread
void session_destroy(session* s);

// For the network thread.
message* session_picture(const char* name, void* session);
bool session_store(const char* name, const void* bytes, size_t size, char* answer, size_t capacity, void* session);

#endif
