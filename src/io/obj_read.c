// Wavefront OBJ: v, f, l (a polyline: edges), p (whose vertices join groups), g and o; everything else is passed over.
// Indices are 1-based, negative ones count back from the latest vertex; of a corner v/vt/vn only v is used.
// A positive index may name a vertex that comes later in the file.
#include "base/error.h"
#include "io/build.h"
#include "io/readers.h"
#include "io/text.h"

#include <inttypes.h>
#include <math.h>

#define MAX_ACTIVE 64 // groups that one g line may name

typedef struct obj_reader
{
	lm_text text;
	lm_build build;
	int32_t active[MAX_ACTIVE + 1]; // groups of the current g line; of the current o line behind them
	int active_count;
	int32_t object;      // group of the current o line, -1 if none
	size_t first_member; // since the groups last changed
	int32_t farthest;    // largest index of a vertex that was not there yet when named
	int64_t farthest_line;
} obj_reader;

static lm_status read_vertex(obj_reader* reader)
{
	static const char* const what[] = { "the x of a vertex", "the y of a vertex", "the z of a vertex" };
	double position[3];
	for (int i = 0; i < 3; ++i)
	{
		lm_status status = lm_text_double(&reader->text, what[i], &position[i]);
		if (status != LM_OK)
			return status;
	}
	int32_t vertex = reader->build.vertex_count;
	if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
		return lm_text_fail_element(&reader->text, vertex, "the position of vertex %d is not finite", vertex + 1);
	return lm_build_vertex(&reader->build, position);
}

// The v of v/vt/vn.
static lm_status read_index(obj_reader* reader, int32_t* vertex)
{
	lm_text* text = &reader->text;
	const char* p = text->next;
	bool negative = *p == '-';
	if (negative)
		++p;
	const char* first = p;
	int64_t number = 0;
	for (; *p >= '0' && *p <= '9'; ++p)
		if (number <= INT32_MAX)
			number = number * 10 + (*p - '0');
	int32_t count = reader->build.vertex_count;
	if (p == first || (*p != '/' && *p != ' ' && *p != '\t' && *p != '\r' && *p != '\n' && *p != '\\' && *p != 0))
		return lm_text_fail(text, "a corner must be written v, v/vt, v//vn or v/vt/vn, not %s",
		                    lm_text_quote(text).text);
	if (number == 0 || (negative && number > count) || number > LM_BUILD_LIMIT)
		return lm_text_fail(text, "a corner names vertex %s%" PRId64 ", but %d vertices were read so far",
		                    negative ? "-" : "", number, count);
	*vertex = negative ? count - (int32_t)number : (int32_t)number - 1;
	if (*vertex >= count && *vertex >= reader->farthest)
	{
		reader->farthest = *vertex;
		reader->farthest_line = text->line;
	}
	lm_text_word(text); // all of v/vt/vn
	return LM_OK;
}

static lm_status read_element(obj_reader* reader, char kind)
{
	bool face = kind == 'f';
	int32_t last = -1;
	lm_status status = LM_OK;
	int64_t corners = 0;
	bool grouped = reader->active_count > 0 || reader->object >= 0;
	while (status == LM_OK && !lm_text_line_ends(&reader->text) && *reader->text.next != '#')
	{
		int32_t vertex = 0;
		status = read_index(reader, &vertex);
		if (status == LM_OK && face)
			status = lm_build_corner(&reader->build, vertex);
		if (status == LM_OK && kind == 'l' && last >= 0 && last != vertex)
			status = lm_build_edge(&reader->build, last, vertex);
		last = vertex;
		if (status == LM_OK && grouped)
			status = lm_build_member(&reader->build, vertex);
		++corners;
	}
	if (status != LM_OK || !face)
		return status;
	if (corners < 3)
		return lm_text_fail(&reader->text, "a face has %" PRId64 " corners; it needs at least 3", corners);
	return lm_build_face(&reader->build);
}

// What was named since the last change belongs to the groups that were active.
static lm_status close_groups(obj_reader* reader)
{
	lm_status status = LM_OK;
	for (int i = 0; i < reader->active_count && status == LM_OK; ++i)
		status = lm_build_span_of(&reader->build, reader->active[i], reader->first_member);
	if (status == LM_OK && reader->object >= 0)
		status = lm_build_span_of(&reader->build, reader->object, reader->first_member);
	reader->first_member = reader->build.member_count;
	return status;
}

static lm_status read_groups(obj_reader* reader)
{
	lm_status status = close_groups(reader);
	reader->active_count = 0;
	while (status == LM_OK && !lm_text_line_ends(&reader->text))
	{
		lm_word name = lm_text_word(&reader->text);
		if (name.length == 0)
			return lm_text_fail(&reader->text, "the name of a group contains a zero byte");
		if (reader->active_count == MAX_ACTIVE)
			return lm_text_fail(&reader->text, "a g line names more than %d groups", MAX_ACTIVE);
		status = lm_build_group_named(&reader->build, name.start, name.length, &reader->active[reader->active_count]);
		if (status == LM_OK)
			++reader->active_count;
	}
	return status;
}

// The name of an object is the rest of the line, blanks and all.
static lm_status read_object(obj_reader* reader)
{
	lm_status status = close_groups(reader);
	reader->object = -1;
	lm_text_blanks(&reader->text);
	const char* start = reader->text.next;
	const char* end = start;
	for (const char* p = start; *p != '\n' && *p != 0; ++p)
		if (*p != ' ' && *p != '\t' && *p != '\r')
			end = p + 1;
	if (status == LM_OK && end > start)
		status = lm_build_group_named(&reader->build, start, (size_t)(end - start), &reader->object);
	return status;
}

static lm_status read_line(obj_reader* reader)
{
	lm_word word = lm_text_word(&reader->text);
	switch (word.length == 1 ? word.start[0] : 0)
	{
		case 'v': return read_vertex(reader);
		case 'f':
		case 'l':
		case 'p': return read_element(reader, word.start[0]);
		case 'g': return read_groups(reader);
		case 'o': return read_object(reader);
		default: return LM_OK;
	}
}

lm_status lm_obj_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error)
{
	obj_reader reader = { .text = lm_text_open(path, data, size, error), .object = -1 };
	lm_build_init(&reader.build, path, host, error);
	lm_status status = LM_OK;
	while (status == LM_OK && lm_text_content(&reader.text))
	{
		status = read_line(&reader);
		if (status == LM_OK)
			lm_text_next_line(&reader.text);
	}
	if (status == LM_OK)
		status = close_groups(&reader);
	if (status == LM_OK && reader.farthest_line > 0 && reader.farthest >= reader.build.vertex_count)
		status = lm_fail_line(error, path, reader.farthest_line,
		                      "a corner names vertex %d, but the file has only %d vertices", reader.farthest + 1,
		                      reader.build.vertex_count);
	if (status == LM_OK)
		status = lm_build_finish(&reader.build, mesh);
	lm_build_release(&reader.build);
	return status;
}
