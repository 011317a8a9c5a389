// PLY: a header that declares elements and their properties, then the rows of each element, as text or as numbers in
// either byte order. Vertices and faces are used, everything else is passed over.
#include "base/alloc.h"
#include "base/error.h"
#include "io/build.h"
#include "io/bytes.h"
#include "io/ply_header.h"
#include "io/readers.h"

#include <inttypes.h>
#include <math.h>

typedef struct ply_reader
{
	lm_text text; // counts lines of ascii files, bytes of others
	lm_ply_header header;
	lm_build build;
	int paint_count; // properties of vertices that may be paint
	double* paint;   // vertices x paint_count, or NULL
	double* normals; // vertices x 3, or NULL: not all three are there, or there are faces
} ply_reader;

static double load(const unsigned char* data, lm_ply_type type, bool big_endian)
{
	switch (type)
	{
		case LM_PLY_INT8: return (int8_t)data[0];
		case LM_PLY_UINT8: return data[0];
		case LM_PLY_INT16: return (int16_t)lm_load_16(data, big_endian);
		case LM_PLY_UINT16: return lm_load_16(data, big_endian);
		case LM_PLY_INT32: return (int32_t)lm_load_32(data, big_endian);
		case LM_PLY_UINT32: return lm_load_32(data, big_endian);
		case LM_PLY_FLOAT: return lm_load_float(data, big_endian);
		case LM_PLY_DOUBLE: return lm_load_double(data, big_endian);
	}
	return 0;
}

// The next value; a double holds every value of every type.
static lm_status read_value(ply_reader* reader, lm_ply_type type, double* value)
{
	if (reader->header.ascii)
	{
		lm_text_space(&reader->text);
		return lm_text_double(&reader->text, "a property", value);
	}
	if (lm_text_left(&reader->text) < (size_t)lm_ply_size(type))
		return lm_text_fail(&reader->text, "the file is cut off");
	*value = load((const unsigned char*)reader->text.next, type, reader->header.big_endian);
	reader->text.next += lm_ply_size(type);
	return LM_OK;
}

static lm_status read_list_length(ply_reader* reader, const lm_ply_property* property, int64_t* length)
{
	double value = 0;
	lm_status status = read_value(reader, property->count_type, &value);
	if (status != LM_OK)
		return status;
	double bytes = reader->header.ascii ? 2 : lm_ply_size(property->type);
	double left = (double)lm_text_left(&reader->text) + (reader->header.ascii ? 1 : 0);
	if (!(value >= 0) || value != floor(value))
		return lm_text_fail(&reader->text, "the length of a list must be a whole number, not %g", value);
	if (value * bytes > left)
		return lm_text_fail(&reader->text, "a list of %.0f values is announced, but only %zu bytes follow", value,
		                    lm_text_left(&reader->text));
	*length = (int64_t)value;
	return LM_OK;
}

static lm_status skip_property(ply_reader* reader, const lm_ply_property* property)
{
	int64_t length = 1;
	lm_status status = LM_OK;
	if (property->list)
		status = read_list_length(reader, property, &length);
	if (status == LM_OK && !reader->header.ascii)
	{
		size_t bytes = (size_t)length * (size_t)lm_ply_size(property->type);
		if (lm_text_left(&reader->text) < bytes)
			return lm_text_fail(&reader->text, "the file is cut off");
		reader->text.next += bytes;
		return LM_OK;
	}
	double ignored;
	for (int64_t i = 0; i < length && status == LM_OK; ++i)
		status = read_value(reader, property->type, &ignored);
	return status;
}

static lm_status read_vertex(ply_reader* reader, const lm_ply_element* element, int64_t index)
{
	double position[3] = { 0 };
	lm_status status = LM_OK;
	double* paint = reader->paint != NULL ? reader->paint + index * reader->paint_count : NULL;
	for (int i = 0; i < element->property_count && status == LM_OK; ++i)
	{
		const lm_ply_property* property = &reader->header.properties[element->first + i];
		if (property->role <= LM_PLY_Z)
			status = read_value(reader, property->type, &position[property->role]);
		else if (property->role >= LM_PLY_NX && property->role <= LM_PLY_NZ && reader->normals != NULL)
			status = read_value(reader, property->type, &reader->normals[3 * index + property->role - LM_PLY_NX]);
		else if (property->role == LM_PLY_PAINT && paint != NULL)
			status = read_value(reader, property->type, paint++);
		else
			status = skip_property(reader, property);
	}
	if (status != LM_OK)
		return status;
	if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
		return lm_text_fail_element(&reader->text, index, "the position of vertex %" PRId64 " is not finite", index);
	return lm_build_vertex(&reader->build, position);
}

static lm_status read_corners(ply_reader* reader, const lm_ply_property* property, int64_t face)
{
	int64_t length = 0;
	lm_status status = read_list_length(reader, property, &length);
	if (status == LM_OK && length < 3)
		return lm_text_fail_element(&reader->text, face,
		                            "face %" PRId64 " has %" PRId64 " corners; it needs at least 3", face, length);
	for (int64_t i = 0; i < length && status == LM_OK; ++i)
	{
		double value = 0;
		status = read_value(reader, property->type, &value);
		if (status == LM_OK && !(value >= 0 && value < reader->build.vertex_count && value == floor(value)))
			return lm_text_fail_element(&reader->text, face,
			                            "face %" PRId64 " names vertex %.17g, but vertices go from 0 to %d", face,
			                            value, reader->build.vertex_count - 1);
		if (status == LM_OK)
			status = lm_build_corner(&reader->build, (int32_t)value);
	}
	return status == LM_OK ? lm_build_face(&reader->build) : status;
}

static lm_status read_other(ply_reader* reader, const lm_ply_element* element, int64_t index)
{
	lm_status status = LM_OK;
	for (int i = 0; i < element->property_count && status == LM_OK; ++i)
	{
		const lm_ply_property* property = &reader->header.properties[element->first + i];
		if (property->role == LM_PLY_CORNERS)
			status = read_corners(reader, property, index);
		else
			status = skip_property(reader, property);
	}
	return status;
}

// ---- paint ----

static lm_status reserve_paint(ply_reader* reader, const lm_ply_element* element)
{
	for (int i = 0; i < element->property_count; ++i)
		reader->paint_count += reader->header.properties[element->first + i].role == LM_PLY_PAINT;
	if (reader->paint_count == 0)
		return LM_OK;
	reader->paint = LM_NEW(&reader->build.host, (size_t)element->count * (size_t)reader->paint_count, double);
	return reader->paint != NULL ? LM_OK : lm_fail_memory(reader->build.error);
}

// Weights of property k of paint. False when they are no paint: not all within 0 .. 1, or the same everywhere.
static bool take_weights(const ply_reader* reader, int k, lm_ply_type type, int32_t count, double* weights)
{
	double whole = type == LM_PLY_UINT8 ? 255 : type == LM_PLY_UINT16 ? 65535 : 1;
	bool varies = false;
	for (int64_t v = 0; v < count; ++v)
	{
		weights[v] = reader->paint[v * reader->paint_count + k] / whole;
		if (!(weights[v] >= 0 && weights[v] <= 1))
			return false;
		varies |= weights[v] != weights[0];
	}
	return varies;
}

static lm_status add_paint(const ply_reader* reader, const lm_ply_element* element, lm_mesh* mesh)
{
	double* weights = LM_NEW(&mesh->host, mesh->vertex_count, double);
	if (weights == NULL)
		return lm_fail_memory(reader->build.error);
	lm_status status = LM_OK;
	for (int i = 0, k = 0; status == LM_OK && i < element->property_count; ++i)
	{
		const lm_ply_property* property = &reader->header.properties[element->first + i];
		if (property->role != LM_PLY_PAINT)
			continue;
		if (take_weights(reader, k++, property->type, mesh->vertex_count, weights))
			status = lm_mesh_paint_group(mesh, property->name, weights, reader->build.error);
	}
	lm_free(&mesh->host, weights);
	return status;
}

// ---- points with normals ----

// Only where there are no faces; files without them may still declare some, none of them.
static lm_status reserve_normals(ply_reader* reader, const lm_ply_element* element)
{
	unsigned found = 0;
	for (int i = 0; i < element->property_count; ++i)
		found |= 1u << reader->header.properties[element->first + i].role;
	unsigned all = 1u << LM_PLY_NX | 1u << LM_PLY_NY | 1u << LM_PLY_NZ;
	for (int i = 0; i < reader->header.element_count; ++i)
		if (reader->header.elements[i].kind == LM_PLY_FACE && reader->header.elements[i].count > 0)
			return LM_OK;
	if ((found & all) != all || element->count == 0)
		return LM_OK;
	reader->normals = LM_NEW(&reader->build.host, 3 * (size_t)element->count, double);
	return reader->normals != NULL ? LM_OK : lm_fail_memory(reader->build.error);
}

static lm_status make_discs(const ply_reader* reader, lm_mesh** mesh)
{
	lm_mesh *points = *mesh, *discs = NULL;
	for (int64_t i = 0; i < 3 * (int64_t)points->vertex_count; ++i)
		if (!isfinite(reader->normals[i]))
			return lm_text_fail_element(&reader->text, i / 3, "the normal of vertex %" PRId64 " is not finite", i / 3);
	lm_status status = lm_mesh_discs(points, reader->normals, &discs, reader->build.error);
	if (status == LM_OK)
	{
		lm_mesh_destroy(points);
		*mesh = discs;
	}
	return status;
}

// ---- all of it ----

static lm_status read_rows(ply_reader* reader, const lm_ply_element* element)
{
	if (element->property_count == 0)
		return LM_OK; // rows without content, however many
	bool vertices = element->kind == LM_PLY_VERTEX, faces = element->kind == LM_PLY_FACE;
	lm_status status =
		lm_build_reserve(&reader->build, vertices ? element->count : 0, faces ? element->count : 0, 0, 0);
	if (status == LM_OK && vertices)
		status = reserve_paint(reader, element);
	if (status == LM_OK && vertices)
		status = reserve_normals(reader, element);
	for (int64_t i = 0; i < element->count && status == LM_OK; ++i)
		status = vertices ? read_vertex(reader, element, i) : read_other(reader, element, i);
	return status;
}

lm_status lm_ply_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error)
{
	ply_reader reader = { .text = lm_text_open(path, data, size, error) };
	lm_build_init(&reader.build, path, host, error);
	lm_status status = lm_ply_read_header(&reader.text, &reader.header);
	reader.text.binary = !reader.header.ascii;
	for (int i = 0; i < reader.header.element_count && status == LM_OK; ++i)
		status = read_rows(&reader, &reader.header.elements[i]);
	lm_mesh* made = NULL;
	if (status == LM_OK)
		status = lm_build_finish(&reader.build, &made);
	for (int i = 0; i < reader.header.element_count && status == LM_OK; ++i)
		if (reader.header.elements[i].kind == LM_PLY_VERTEX && reader.paint != NULL)
			status = add_paint(&reader, &reader.header.elements[i], made);
	if (status == LM_OK && reader.normals != NULL)
		status = make_discs(&reader, &made);
	lm_free(host, reader.paint);
	lm_free(host, reader.normals);
	lm_build_release(&reader.build);
	if (status == LM_OK)
		*mesh = made;
	else
		lm_mesh_destroy(made);
	return status;
}
