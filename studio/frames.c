// frames.c: see frames.h.
#include "frames.h"

#include <math.h>
#include <string.h>

#define HEADER 32

typedef struct writer
{
	unsigned char* at;
} writer;

static void put(writer* w, const void* bytes, size_t size)
{
	memcpy(w->at, bytes, size);
	w->at += size;
}

static void put_u32(writer* w, uint32_t x)
{
	put(w, &x, sizeof x);
}

static message* begin(size_t size, uint8_t kind, int64_t frame, uint32_t command, uint32_t sections, uint32_t numbers,
                      writer* w)
{
	message* m = message_create(HEADER + size, true);
	if (m == NULL)
		return NULL;
	const uint8_t kinds[4] = { kind, 0, 0, 0 };
	w->at = m->bytes;
	put(w, "LMF1", 4);
	put(w, kinds, sizeof kinds);
	put(w, &frame, sizeof frame);
	put_u32(w, command);
	put_u32(w, sections);
	put_u32(w, numbers);
	put_u32(w, 0);
	return m;
}

message* topology_message(lm_world* world, uint32_t generation)
{
	int32_t count = lm_world_surface_count(world);
	size_t size = 0;
	for (int32_t i = 0; i < count; ++i)
		size += 8 + 12 * (size_t)lm_world_surface(world, i).triangle_count;
	writer w;
	message* m = begin(size, FRAME_TOPOLOGY, lm_world_frame(world), 0, (uint32_t)count, 0, &w);
	for (int32_t i = 0; m != NULL && i < count; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		put_u32(&w, (uint32_t)i);
		put_u32(&w, (uint32_t)view.triangle_count);
		put(&w, view.triangles, 12 * (size_t)view.triangle_count);
	}
	if (m != NULL)
		m->generation = generation;
	return m;
}

static void put_numbers(writer* w, lm_world* world, lm_world_number* numbers, int32_t count)
{
	lm_world_numbers(world, numbers);
	for (int32_t i = 0; i < count; ++i)
	{
		float x = (float)numbers[i].value;
		put(w, &x, sizeof x);
	}
}

static void put_surface(writer* w, int32_t surface, const double* positions, int32_t count)
{
	static const double nowhere[3] = { 0 };
	const double* origin = count > 0 ? positions : nowhere;
	put_u32(w, (uint32_t)surface);
	put_u32(w, (uint32_t)count);
	put(w, origin, 3 * sizeof(double));
	for (int32_t v = 0; v < count; ++v)
	{
		const float x[3] = { (float)(positions[3 * v] - origin[0]), (float)(positions[3 * v + 1] - origin[1]),
			                 (float)(positions[3 * v + 2] - origin[2]) };
		put(w, x, sizeof x);
	}
}

message* frame_message(lm_world* world, bool whole, const frame_override* override, uint32_t generation,
                       uint32_t command)
{
	enum
	{
		NUMBERS_MAX = 4096
	};
	lm_world_number numbers[NUMBERS_MAX];
	int32_t count = lm_world_surface_count(world), number_count = lm_world_number_count(world), sections = 0;
	number_count = number_count <= NUMBERS_MAX ? number_count : 0;
	size_t size = 4 * (size_t)number_count;
	for (int32_t i = 0; i < count; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		if (whole || !view.fixed)
			size += 32 + 12 * (size_t)view.vertex_count, ++sections;
	}
	writer w;
	message* m =
		begin(size, FRAME_POSITIONS, lm_world_frame(world), command, (uint32_t)sections, (uint32_t)number_count, &w);
	if (m == NULL)
		return NULL;
	m->generation = generation;
	m->answered = true;
	if (number_count > 0)
		put_numbers(&w, world, numbers, number_count);
	for (int32_t i = 0; i < count; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		if (whole || !view.fixed)
			put_surface(&w, i, override->surface == i ? override->positions : view.positions, view.vertex_count);
	}
	return m;
}

message* colors_message(lm_world* world, int32_t surface, const uint8_t* rgb, int32_t count, uint32_t generation)
{
	size_t bytes = 3 * (size_t)count, filled = (bytes + 3) / 4 * 4;
	writer w;
	message* m = begin(8 + filled, FRAME_COLORS, lm_world_frame(world), 0, 1, 0, &w);
	if (m == NULL)
		return NULL;
	m->generation = generation;
	put_u32(&w, (uint32_t)surface);
	put_u32(&w, (uint32_t)count);
	put(&w, rgb, bytes);
	memset(w.at, 0, filled - bytes);
	return m;
}

message* lines_message(lm_world* world, int32_t object, lm_world_line_kind kind, const double* ends, int32_t count,
                       uint32_t generation)
{
	writer w;
	message* m = begin(8 + 24 * (size_t)count, FRAME_LINES, lm_world_frame(world), 0, 1, 0, &w);
	if (m == NULL)
		return NULL;
	m->generation = generation;
	put_u32(&w, (uint32_t)object | (uint32_t)kind << 24);
	put_u32(&w, (uint32_t)count);
	for (int64_t i = 0; i < 6 * (int64_t)count; ++i)
	{
		float x = (float)ends[i];
		put(&w, &x, sizeof x);
	}
	return m;
}
