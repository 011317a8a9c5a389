// STL: triangles without sharing. Corners at exactly equal positions become one vertex, in order of first appearance.
//   binary: 80 bytes of anything, the number of triangles, then 50 bytes each: normal, three corners, 2 bytes
//   text:   solid NAME, facet normal .. outer loop vertex .. vertex .. vertex .. endloop endfacet, endsolid NAME
// Many binary files start with "solid" too, so the length decides: when it is what the count of a binary file implies
// for, the file is binary.
#include "base/error.h"
#include "base/hash.h"
#include "io/build.h"
#include "io/bytes.h"
#include "io/readers.h"
#include "io/text.h"

#include <inttypes.h>
#include <math.h>

#define HEADER_BYTES 84
#define TRIANGLE_BYTES 50

typedef struct stl_reader
{
	lm_build build;
	lm_lookup places; // of the vertices
} stl_reader;

static bool same_place(const void* context, int32_t item, const void* key)
{
	const double* place = ((const lm_build*)context)->positions + 3 * (size_t)item;
	const double* wanted = key;
	return place[0] == wanted[0] && place[1] == wanted[1] && place[2] == wanted[2];
}

static lm_status add_corner(stl_reader* reader, const double position[3])
{
	double plain[3] = { position[0] + 0.0, position[1] + 0.0, position[2] + 0.0 }; // -0 is the same place as 0
	uint64_t hash = lm_hash(LM_HASH_START, plain, sizeof plain);
	int32_t vertex = lm_lookup_find(&reader->places, hash, position, same_place, &reader->build);
	if (vertex >= 0)
		return lm_build_corner(&reader->build, vertex);
	vertex = reader->build.vertex_count;
	lm_status status = lm_build_vertex(&reader->build, position);
	if (status == LM_OK && !lm_lookup_add(&reader->places, hash))
		status = lm_fail_memory(reader->build.error);
	return status == LM_OK ? lm_build_corner(&reader->build, vertex) : status;
}

static bool is_finite(const double position[3])
{
	return isfinite(position[0]) && isfinite(position[1]) && isfinite(position[2]);
}

// ---- binary

static lm_status read_binary(stl_reader* reader, lm_text* text, const unsigned char* data, size_t size)
{
	text->binary = true;
	text->next = (const char*)data + 80;
	lm_build* build = &reader->build;
	uint32_t count = lm_load_32(data + 80, false);
	if (count > LM_BUILD_LIMIT || count > (size - HEADER_BYTES) / TRIANGLE_BYTES)
		return lm_text_fail(text,
		                    "%" PRIu32
		                    " triangles are announced, but the %zu bytes that follow hold only %zu: the file is "
		                    "cut off or no STL file",
		                    count, size - HEADER_BYTES, (size - HEADER_BYTES) / TRIANGLE_BYTES);
	lm_status status = lm_build_reserve(build, 0, count, 3 * (int64_t)count, 0);
	for (uint32_t t = 0; t < count && status == LM_OK; ++t)
	{
		const unsigned char* triangle = data + HEADER_BYTES + (size_t)t * TRIANGLE_BYTES;
		for (int c = 0; c < 3 && status == LM_OK; ++c)
		{
			const unsigned char* corner = triangle + 12 + 12 * c;
			double position[3];
			for (int i = 0; i < 3; ++i)
				position[i] = lm_load_float(corner + 4 * i, false);
			text->next = (const char*)corner;
			if (!is_finite(position))
				return lm_text_fail_element(text, t, "a corner of triangle %" PRIu32 " is not finite", t);
			status = add_corner(reader, position);
		}
		if (status == LM_OK)
			status = lm_build_face(build);
	}
	return status;
}

// ---- text

static lm_status expect(lm_text* text, const char* word)
{
	lm_text_space(text);
	const char* start = text->next;
	if (lm_word_is(lm_text_word(text), word))
		return LM_OK;
	text->next = start;
	return lm_text_fail(text, "expected \"%s\", found %s", word, lm_text_quote(text).text);
}

static lm_status read_triple(lm_text* text, const char* what, double values[3])
{
	lm_status status = LM_OK;
	for (int i = 0; i < 3 && status == LM_OK; ++i)
	{
		lm_text_space(text);
		status = lm_text_double(text, what, &values[i]);
	}
	return status;
}

// Behind the word "facet".
static lm_status read_facet(stl_reader* reader, lm_text* text)
{
	double values[3];
	lm_status status = expect(text, "normal");
	if (status == LM_OK)
		status = read_triple(text, "a normal", values); // not used, and often not a number
	if (status == LM_OK)
		status = expect(text, "outer");
	if (status == LM_OK)
		status = expect(text, "loop");
	for (int c = 0; c < 3 && status == LM_OK; ++c)
	{
		status = expect(text, "vertex");
		if (status == LM_OK)
			status = read_triple(text, "a coordinate", values);
		if (status == LM_OK && !is_finite(values))
			status = lm_text_fail_element(text, reader->build.face_count, "a corner of triangle %d is not finite",
			                              reader->build.face_count);
		if (status == LM_OK)
			status = add_corner(reader, values);
	}
	if (status == LM_OK)
		status = expect(text, "endloop");
	if (status == LM_OK)
		status = expect(text, "endfacet");
	return status == LM_OK ? lm_build_face(&reader->build) : status;
}

// One or several solids.
static lm_status read_text(stl_reader* reader, lm_text* text)
{
	lm_status status = LM_OK;
	do
	{
		status = expect(text, "solid");
		lm_text_next_line(text); // the name
		while (status == LM_OK)
		{
			lm_text_space(text);
			const char* start = text->next;
			lm_word word = lm_text_word(text);
			if (lm_word_is(word, "endsolid"))
				break;
			if (lm_word_is(word, "facet"))
				status = read_facet(reader, text);
			else
			{
				text->next = start;
				status = lm_text_fail(text, "expected \"facet\" or \"endsolid\", found %s", lm_text_quote(text).text);
			}
		}
		lm_text_next_line(text);
		lm_text_space(text);
	} while (status == LM_OK && text->next < text->end);
	return status;
}

static bool is_binary(const unsigned char* data, size_t size)
{
	if (size >= HEADER_BYTES && size == HEADER_BYTES + (uint64_t)TRIANGLE_BYTES * lm_load_32(data + 80, false))
		return true;
	lm_text text = lm_text_open("", data, size, NULL);
	lm_text_space(&text);
	if (!lm_word_is(lm_text_word(&text), "solid"))
		return size >= HEADER_BYTES;
	// Text has no zero bytes; the header and the small numbers of a binary file do.
	return size >= HEADER_BYTES && memchr(data, 0, size < 1024 ? size : 1024) != NULL;
}

lm_status lm_stl_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error)
{
	stl_reader reader;
	lm_build_init(&reader.build, path, host, error);
	lm_lookup_init(&reader.places, host);
	lm_text text = lm_text_open(path, data, size, error);
	lm_status status = is_binary(data, size) ? read_binary(&reader, &text, data, size) : read_text(&reader, &text);
	if (status == LM_OK && reader.build.face_count == 0)
		status = lm_fail_at(error, LM_BAD_INPUT, path, "", "has no triangles");
	if (status == LM_OK)
		status = lm_build_finish(&reader.build, mesh);
	lm_lookup_release(&reader.places);
	lm_build_release(&reader.build);
	return status;
}
