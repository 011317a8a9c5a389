#include "io/ply_header.h"

#include "io/build.h"

#include <inttypes.h>
#include <string.h>

int lm_ply_size(lm_ply_type type)
{
	static const int sizes[] = { 1, 1, 2, 2, 4, 4, 4, 8 };
	return sizes[type];
}

static bool read_type(lm_text* text, lm_ply_type* type)
{
	static const char* const names[][2] = { { "char", "int8" },     { "uchar", "uint8" },   { "short", "int16" },
		                                    { "ushort", "uint16" }, { "int", "int32" },     { "uint", "uint32" },
		                                    { "float", "float32" }, { "double", "float64" } };
	lm_word word = lm_text_word(text);
	for (int i = 0; i < 8; ++i)
		if (lm_word_is(word, names[i][0]) || lm_word_is(word, names[i][1]))
		{
			*type = (lm_ply_type)i;
			return true;
		}
	text->next = word.start; // for the message
	return false;
}

static lm_status read_format(lm_text* text, lm_ply_header* header)
{
	lm_word format = lm_text_word(text);
	header->ascii = lm_word_is(format, "ascii");
	header->big_endian = lm_word_is(format, "binary_big_endian");
	if (!header->ascii && !header->big_endian && !lm_word_is(format, "binary_little_endian"))
		return lm_text_fail(text, "the format must be ascii, binary_little_endian or binary_big_endian");
	if (!lm_word_is(lm_text_word(text), "1.0"))
		return lm_text_fail(text, "the version of the format must be 1.0");
	return LM_OK;
}

static lm_status read_element(lm_text* text, lm_ply_header* header)
{
	if (header->element_count == LM_PLY_ELEMENTS)
		return lm_text_fail(text, "more than %d elements are declared", LM_PLY_ELEMENTS);
	lm_ply_element* element = &header->elements[header->element_count];
	lm_word name = lm_text_word(text);
	element->kind = lm_word_is(name, "vertex") ? LM_PLY_VERTEX : lm_word_is(name, "face") ? LM_PLY_FACE : LM_PLY_UNUSED;
	element->first = header->property_count;
	element->property_count = 0;
	for (int i = 0; i < header->element_count; ++i)
		if (element->kind != LM_PLY_UNUSED && header->elements[i].kind == element->kind)
			return lm_text_fail(text, "the element is declared a second time");
	++header->element_count;
	int64_t limit = element->kind == LM_PLY_UNUSED ? INT64_MAX : LM_BUILD_LIMIT;
	return lm_text_count(text, "the number of elements", 0, limit, &element->count);
}

// Paint is what has no other meaning that is common: red, green and blue, or a name of one's own.
static bool is_paint(lm_word name, lm_ply_type type)
{
	static const char* const others[] = { "nx", "ny",        "nz",        "s",     "t",          "u",
		                                  "v",  "texture_u", "texture_v", "alpha", "confidence", "quality",
		                                  "w",  "intensity", "curvature", "scale" };
	for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
		if (lm_word_is(name, others[i]))
			return false;
	bool number = type == LM_PLY_UINT8 || type == LM_PLY_UINT16 || type == LM_PLY_FLOAT || type == LM_PLY_DOUBLE;
	return number && name.length > 0 && name.length < LM_PLY_NAME;
}

static lm_ply_role role_of(lm_word name, lm_ply_kind kind, bool list, lm_ply_type type)
{
	if (kind == LM_PLY_VERTEX && !list && name.length == 1 && name.start[0] >= 'x' && name.start[0] <= 'z')
		return (lm_ply_role)(LM_PLY_X + (name.start[0] - 'x'));
	if (kind == LM_PLY_VERTEX && !list && name.length == 2 && name.start[0] == 'n' && name.start[1] >= 'x' &&
	    name.start[1] <= 'z')
		return (lm_ply_role)(LM_PLY_NX + (name.start[1] - 'x'));
	if (kind == LM_PLY_FACE && list && (lm_word_is(name, "vertex_indices") || lm_word_is(name, "vertex_index")))
		return LM_PLY_CORNERS;
	return kind == LM_PLY_VERTEX && !list && is_paint(name, type) ? LM_PLY_PAINT : LM_PLY_OTHER;
}

static lm_status read_property(lm_text* text, lm_ply_header* header)
{
	if (header->element_count == 0)
		return lm_text_fail(text, "a property stands before the first element");
	if (header->property_count == LM_PLY_PROPERTIES)
		return lm_text_fail(text, "more than %d properties are declared", LM_PLY_PROPERTIES);
	lm_ply_element* element = &header->elements[header->element_count - 1];
	lm_ply_property* property = &header->properties[header->property_count];
	*property = (lm_ply_property){ .role = LM_PLY_OTHER };
	lm_text ahead = *text;
	property->list = lm_word_is(lm_text_word(&ahead), "list");
	if (property->list)
	{
		*text = ahead;
		if (!read_type(text, &property->count_type) || property->count_type >= LM_PLY_FLOAT)
			return lm_text_fail(text, "the count of a list must have a whole type (uchar, int, ...), not %s",
			                    lm_text_quote(text).text);
	}
	if (!read_type(text, &property->type))
		return lm_text_fail(text, "%s is not a type; there are char, uchar, short, ushort, int, uint, float and double",
		                    lm_text_quote(text).text);
	lm_word name = lm_text_word(text);
	property->role = role_of(name, element->kind, property->list, property->type);
	if (property->role == LM_PLY_PAINT)
		memcpy(property->name, name.start, name.length);
	if (property->role == LM_PLY_CORNERS && property->type >= LM_PLY_FLOAT)
		return lm_text_fail(text, "the corners of faces must have a whole type (int, uint, ...)");
	for (int i = element->first; i < header->property_count; ++i)
		if (property->role <= LM_PLY_CORNERS && header->properties[i].role == property->role)
			return lm_text_fail(text, "the property is declared a second time");
	++header->property_count;
	++element->property_count;
	return LM_OK;
}

// Vertices have x, y and z; faces their corners; and there are bytes enough for everything that is promised.
static lm_status check_element(const lm_text* text, const lm_ply_header* header, const lm_ply_element* element)
{
	unsigned roles = 0;
	uint64_t bytes = 0; // that one row takes at least
	for (int i = element->first; i < element->first + element->property_count; ++i)
	{
		const lm_ply_property* property = &header->properties[i];
		roles |= 1u << property->role;
		bytes += header->ascii ? 2 : (uint64_t)lm_ply_size(property->list ? property->count_type : property->type);
	}
	unsigned xyz = 1u << LM_PLY_X | 1u << LM_PLY_Y | 1u << LM_PLY_Z;
	if (element->kind == LM_PLY_VERTEX && (roles & xyz) != xyz)
		return lm_text_fail(text, "the vertices need the properties x, y and z");
	if (element->kind == LM_PLY_FACE && element->count > 0 && !(roles & 1u << LM_PLY_CORNERS))
		return lm_text_fail(text, "the faces need the list vertex_indices");
	uint64_t left = lm_text_left(text) + (header->ascii ? 1 : 0); // the last line may lack its end
	if (bytes > 0 && (uint64_t)element->count > left / bytes)
		return lm_text_fail(text,
		                    "the header promises %" PRId64 " elements of at least %" PRIu64
		                    " bytes, but only %zu bytes follow: the file is cut off or the header wrong",
		                    element->count, bytes, lm_text_left(text));
	return LM_OK;
}

static lm_status read_lines(lm_text* text, lm_ply_header* header)
{
	bool format = false;
	while (text->next < text->end)
	{
		lm_word word = lm_text_word(text);
		lm_status status = LM_OK;
		if (lm_word_is(word, "end_header"))
		{
			if (!format)
				return lm_text_fail(text, "the header has no format line");
			lm_text_next_line(text);
			return LM_OK;
		}
		if (lm_word_is(word, "format"))
		{
			status = read_format(text, header);
			format = true;
		}
		else if (lm_word_is(word, "element"))
			status = read_element(text, header);
		else if (lm_word_is(word, "property"))
			status = read_property(text, header);
		else if (word.length > 0 && !lm_word_is(word, "comment") && !lm_word_is(word, "obj_info"))
			status =
				lm_text_fail(text, "the header line must start with format, comment, element, property or end_header");
		if (status != LM_OK)
			return status;
		lm_text_next_line(text);
	}
	return lm_text_fail(text, "the file ends before end_header");
}

lm_status lm_ply_read_header(lm_text* text, lm_ply_header* header)
{
	if (!lm_word_is(lm_text_word(text), "ply"))
		return lm_text_fail(text, "this is no PLY file: it does not start with \"ply\"");
	lm_text_next_line(text);
	lm_status status = read_lines(text, header);
	bool vertices = false, faces = false;
	for (int i = 0; i < header->element_count && status == LM_OK; ++i)
	{
		const lm_ply_element* element = &header->elements[i];
		status = check_element(text, header, element);
		if (status == LM_OK && faces && element->kind == LM_PLY_VERTEX)
			status = lm_text_fail(text, "the vertices must come before the faces");
		vertices |= element->kind == LM_PLY_VERTEX;
		faces |= element->kind == LM_PLY_FACE;
	}
	if (status == LM_OK && !vertices)
		status = lm_text_fail(text, "the header declares no vertices");
	return status;
}
