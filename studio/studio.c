// studio.c: see studio.h. Puts the two threads together: the network in this one, the simulation in another.
#include "studio.h"

#include "page_files.h"
#include "session.h"

#include <stdio.h>

static bool serve(const studio_settings* settings, session* s, inbox* in, outlet* out, const volatile int* stop,
                  char* error, size_t capacity)
{
	server_settings wanted = { .port = settings->port,
		                       .in = in,
		                       .out = out,
		                       .files = page_files,
		                       .file_count = page_file_count,
		                       .picture = session_picture,
		                       .store = session_store,
		                       .context = s };
	server* web = server_create(&wanted, error, capacity);
	if (web == NULL)
		return false;
	bool good = session_start(s);
	if (good)
	{
		char address[128];
		snprintf(address, sizeof address, "http://127.0.0.1:%d/#token=%s", server_port(web), server_token(web));
		settings->ready(address, settings->context);
		server_run(web, stop);
		session_stop(s);
	}
	else
		snprintf(error, capacity, "the simulating thread cannot be started");
	server_destroy(web);
	return good;
}

bool studio_run(const studio_settings* settings, const volatile int* stop, char* error, size_t capacity)
{
	inbox* in = inbox_create();
	outlet* out = outlet_create();
	session_settings wanted = { .scene = settings->scene,
		                        .gallery = settings->gallery,
		                        .into = settings->into,
		                        .host = settings->host,
		                        .in = in,
		                        .out = out };
	session* s = in != NULL && out != NULL ? session_create(&wanted, error, capacity) : NULL;
	bool good = s != NULL && serve(settings, s, in, out, stop, error, capacity);
	session_destroy(s);
	outlet_destroy(out);
	inbox_destroy(in);
	return good;
}
