// live_rows.c: the studio from a page's side, without a browser: how long it takes from a hand's move to the frame that
// shows it, how many frames per second arrive, and how many of a character's frames are in time while it is directed.
#include "bench.h"

#include "limber/limber.h"
#include "live_client.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTO "/tmp/limber-bench-live"

static bool fail(lm_error* error, const char* text)
{
	*error = (lm_error){ .status = LM_UNSUPPORTED, .element = -1 };
	snprintf(error->message, sizeof error->message, "%s", text);
	return false;
}

// The command beside this program.
static void find_limber(char* path, size_t capacity)
{
	char self[2000];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	self[length > 0 ? length : 0] = 0;
	char* slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = 0;
	snprintf(path, capacity, "%s/limber", self);
}

static bool open_scene(const char* scene, live_client* client, lm_error* error)
{
	char limber[2048];
	find_limber(limber, sizeof limber);
	return live_open(limber, scene, INTO, client) ||
	       fail(error, "there is no studio: build/limber live does not start");
}

// Receives until a frame comes, answers it; its newest command in *command.
static bool next_frame(live_client* client, uint32_t* command)
{
	while (live_receive(client))
	{
		if (!client->binary || client->size < 32 || client->buffer[4] != 1)
			continue;
		memcpy(command, client->buffer + 16, sizeof *command);
		return live_send(client, "{\"do\":\"drawn\"}");
	}
	return false;
}

static int compare(const void* a, const void* b)
{
	double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

// ---- from the hand to the frame ----

static bool run_input(const bench* b, bench_row* row, lm_error* error)
{
	enum
	{
		MOVES = 90
	};
	(void)b;
	live_client client;
	uint32_t command = 0;
	double times[MOVES];
	if (!open_scene(LIMBER_SOURCE "/gallery/match/teddy.json", &client, error))
		return false;
	bool good = next_frame(&client, &command) &&
	            live_send(&client, "{\"do\":\"grab\",\"object\":\"teddy\",\"triangle\":900,\"at\":[1,0,0],\"id\":1}");
	for (int i = 0; good && i < MOVES; ++i)
	{
		char text[160];
		snprintf(text, sizeof text, "{\"do\":\"move\",\"id\":1,\"to\":[%g,0.8,%g],\"seq\":%d}", 0.3 * sin(0.1 * i),
		         0.3 * cos(0.1 * i), i + 1);
		usleep((useconds_t)(1000 * (i * 37 % 33))); // at any moment of a frame
		double sent = lm_clock_seconds();
		good = live_send(&client, text);
		while (good && (command != (uint32_t)i + 1))
			good = next_frame(&client, &command);
		times[i] = lm_clock_seconds() - sent;
	}
	live_close(&client);
	if (!good)
		return fail(error, "the studio closed the socket");
	qsort(times, MOVES, sizeof times[0], compare);
	row->value = 1000 * times[MOVES / 2];
	row->unit = "ms, median";
	row->part_count = 1;
	row->parts[0].name = "90 % below";
	row->parts[0].value = 1000 * times[MOVES * 9 / 10];
	snprintf(row->size, sizeof row->size,
	         "match/teddy at 30 Hz: from a hand's move to the frame that has it, at the page");
	return true;
}

// ---- frames per second ----

// A sphere of so many vertices, carried by a small lattice, falling on the ground.
static bool write_scene(int vertices, char* path, size_t capacity)
{
	char mesh[256];
	int rings = (int)sqrt(vertices / 2.0), around = vertices / rings;
	snprintf(mesh, sizeof mesh, INTO "/sphere-%d.obj", vertices);
	snprintf(path, capacity, INTO "/sphere-%d.json", vertices);
	lm_host host = lm_host_default();
	lm_error error;
	char text[1024];
	snprintf(
		text, sizeof text,
		"{\"limber\": 1, \"fps\": 60, \"colliders\": [{\"name\": \"ground\", \"shape\": \"plane\"}], \"objects\": "
		"[{\"name\": \"ball\", \"engine\": \"match\", \"mesh\": \"sphere-%d.obj\", \"lattice\": {\"vertices\": 100}, "
		"\"position\": [0, 2, 0]}]}",
		vertices);
	if (lm_text_write(path, text, &host, &error) != LM_OK)
		return false;
	FILE* file = fopen(mesh, "w");
	if (file == NULL)
		return false;
	fprintf(file, "v 0 -1 0\nv 0 1 0\n");
	for (int i = 1; i < rings; ++i)
		for (int k = 0; k < around; ++k)
		{
			double a = 3.14159265 * i / rings, b = 6.2831853 * k / around;
			fprintf(file, "v %.7f %.7f %.7f\n", sin(a) * cos(b), -cos(a), sin(a) * sin(b));
		}
	for (int k = 0; k < around; ++k)
	{
		int next = (k + 1) % around, top = 3 + (rings - 2) * around;
		fprintf(file, "f 1 %d %d\nf 2 %d %d\n", 3 + k, 3 + next, top + next, top + k);
		for (int i = 0; i < rings - 2; ++i)
			fprintf(file, "f %d %d %d %d\n", 3 + i * around + k, 3 + (i + 1) * around + k, 3 + (i + 1) * around + next,
			        3 + i * around + next);
	}
	return fclose(file) == 0;
}

static bool run_frames(const bench* b, bench_row* row, lm_error* error)
{
	enum
	{
		FRAMES = 240
	};
	int vertices = *(const int*)b->data;
	char scene[256];
	live_client client;
	uint32_t command;
	if (!write_scene(vertices, scene, sizeof scene))
		return fail(error, "the scene cannot be written to " INTO);
	if (!open_scene(scene, &client, error))
		return false;
	bool good = next_frame(&client, &command) && live_send(&client, "{\"do\":\"speed\",\"value\":64}");
	for (int i = 0; good && i < 20; ++i)
		good = next_frame(&client, &command);
	double begin = lm_clock_seconds();
	for (int i = 0; good && i < FRAMES; ++i)
		good = next_frame(&client, &command);
	double took = lm_clock_seconds() - begin;
	live_close(&client);
	if (!good)
		return fail(error, "the studio closed the socket");
	row->value = FRAMES / took;
	row->unit = "frames/s";
	snprintf(row->size, sizeof row->size, "%d vertices, as fast as they come, to a page that does not draw", vertices);
	return true;
}

// ---- in time ----

static bool run_character(const bench* b, bench_row* row, lm_error* error)
{
	enum
	{
		FRAMES = 240
	};
	(void)b;
	live_client client;
	uint32_t command;
	double fps = 25;
	if (!open_scene(LIMBER_SOURCE "/gallery/act/castle-1.json", &client, error))
		return false;
	bool good = true;
	for (int i = 0; good && i < 10; ++i)
		good = next_frame(&client, &command);
	good =
		good && live_send(&client, "{\"do\":\"grab\",\"object\":\"castle\",\"triangle\":100,\"at\":[1,0,0],\"id\":1}");
	int late = 0;
	double begin = lm_clock_seconds(), before = begin;
	for (int i = 0; good && i < FRAMES; ++i)
	{
		good = next_frame(&client, &command);
		double now = lm_clock_seconds();
		late += now - before > 1.5 / fps;
		before = now;
		if (i == FRAMES / 2)
			good = good && live_send(&client, "{\"do\":\"release\",\"id\":1}") &&
			       live_send(&client, "{\"do\":\"command\",\"object\":\"castle\",\"behaviour\":\"stand\"}");
	}
	double took = lm_clock_seconds() - begin;
	live_close(&client);
	if (!good)
		return fail(error, "the studio closed the socket");
	row->value = FRAMES / fps / took;
	row->unit = "simulated s per s";
	row->part_count = 1;
	row->parts[0].name = "frames in time, %";
	row->parts[0].value = 100.0 * (FRAMES - late) / FRAMES;
	snprintf(row->size, sizeof row->size, "act/castle-1, grabbed and told to stand, at 25 Hz");
	return true;
}

static const int ten_thousand = 10000, hundred_thousand = 100000;

const bench lm_bench_live_rows[] = {
	{ "live/input", run_input, NULL },
	{ "live/frames-10k", run_frames, &ten_thousand },
	{ "live/frames-100k", run_frames, &hundred_thousand },
	{ "live/character", run_character, NULL },
	{ NULL, NULL, NULL },
};
