// studio.h: the live studio: a world that moves, directed from a page in the browser.
#ifndef STUDIO_STUDIO_H
#define STUDIO_STUDIO_H

#include "limber/limber.h"

typedef struct studio_settings
{
	const char* scene;   // file of a scene or mesh; NULL: the gallery's page
	const char* gallery; // its folder, or NULL
	const char* into;    // where to write; NULL: beside the scene
	int port;            // 0: any that is free
	lm_host host;        // threads and SIMD level
	// Called when it is ready, with the address that has the token in it.
	void (*ready)(const char* address, void* context);
	void* context;
} studio_settings;

// Until *stop becomes non-zero, in the calling thread. False with a sentence when it cannot begin.
bool studio_run(const studio_settings* settings, const volatile int* stop, char* error, size_t capacity);

#endif
