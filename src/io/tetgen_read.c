// TetGen: NAME.node holds points, NAME.ele tetrahedra. The first point's number, 0 or 1, is the base of both files.
//   .node: "count 3 attributes markers", then "number x y z [attributes] [marker]"
//   .ele:  "count 4 attributes", then "number a b c d [attributes]"
// # starts a comment; what stands behind the corners and coordinates is not used.
#include "base/error.h"
#include "io/build.h"
#include "io/readers.h"
#include "io/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NODE_BYTES 8 // "0 0 0 0\n"
#define TET_BYTES 10 // "0 1 2 3 4\n"

// To the next line with something in it.
static lm_status find_line(lm_text* text, const char* what, int64_t index, int64_t count)
{
	if (lm_text_content(text))
		return LM_OK;
	return lm_text_fail(text, "the file ends before %s %" PRId64 " of %" PRId64, what, index + 1, count);
}

static lm_status read_header(lm_text* text, const char* what, size_t bytes, const char* width_name, int64_t width,
                             int64_t* count)
{
	if (!lm_text_content(text))
		return lm_text_fail(text, "the file is empty; its first line must give the number of %s", what);
	char name[64];
	snprintf(name, sizeof name, "the number of %s", what);
	lm_status status = lm_text_count(text, name, bytes, LM_BUILD_LIMIT, count);
	int64_t found = width;
	if (status == LM_OK && !lm_text_line_ends(text))
		status = lm_text_integer(text, width_name, &found);
	if (status == LM_OK && found != width)
		status = lm_text_fail(text, "%s must be %" PRId64 ", not %" PRId64, width_name, width, found);
	lm_text_next_line(text);
	return status;
}

// Rows are numbered base, base + 1, ...
static lm_status check_number(const lm_text* text, const char* what, int64_t number, int64_t expected)
{
	if (number == expected)
		return LM_OK;
	return lm_text_fail(text,
	                    "%s %" PRId64 " stands where %" PRId64 " must follow: numbers start at 0 or 1 and go up by 1",
	                    what, number, expected);
}

static lm_status read_node(lm_text* text, lm_build* build, int64_t index, int64_t* base)
{
	static const char* const what[] = { "the x of a point", "the y of a point", "the z of a point" };
	int64_t number = 0;
	double position[3] = { 0 };
	lm_status status = lm_text_integer(text, "the number of a point", &number);
	if (status == LM_OK && index == 0)
		*base = number == 0 ? 0 : 1;
	if (status == LM_OK)
		status = check_number(text, "point", number, *base + index);
	for (int i = 0; i < 3 && status == LM_OK; ++i)
		status = lm_text_double(text, what[i], &position[i]);
	if (status != LM_OK)
		return status;
	if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
		return lm_text_fail_element(text, index, "the position of point %" PRId64 " is not finite", number);
	return lm_build_vertex(build, position);
}

static lm_status read_nodes(const lm_tetgen_file* file, lm_build* build, int64_t* base, lm_error* error)
{
	lm_text text = lm_text_open(file->path, file->data, file->size, error);
	int64_t count = 0;
	lm_status status = read_header(&text, "points", NODE_BYTES, "the dimension", 3, &count);
	if (status == LM_OK)
		status = lm_build_reserve(build, count, 0, 0, 0);
	for (int64_t i = 0; i < count && status == LM_OK; ++i)
	{
		status = find_line(&text, "point", i, count);
		if (status == LM_OK)
			status = read_node(&text, build, i, base);
		if (status == LM_OK)
			lm_text_next_line(&text);
	}
	return status;
}

static lm_status read_tet(lm_text* text, lm_build* build, int64_t index, int64_t base)
{
	int64_t number = 0;
	int32_t corners[4] = { 0 };
	lm_status status = lm_text_integer(text, "the number of a tetrahedron", &number);
	if (status == LM_OK)
		status = check_number(text, "tetrahedron", number, base + index);
	for (int i = 0; i < 4 && status == LM_OK; ++i)
	{
		int64_t corner = 0;
		status = lm_text_integer(text, "a corner of a tetrahedron", &corner);
		if (status == LM_OK && (corner < base || corner - base >= build->vertex_count))
			status =
				lm_text_fail(text, "a tetrahedron names point %" PRId64 ", but points go from %" PRId64 " to %" PRId64,
			                 corner, base, base + build->vertex_count - 1);
		if (status == LM_OK)
			corners[i] = (int32_t)(corner - base);
	}
	return status == LM_OK ? lm_build_tet(build, corners) : status;
}

static lm_status read_tets(const lm_tetgen_file* file, lm_build* build, int64_t base, lm_error* error)
{
	lm_text text = lm_text_open(file->path, file->data, file->size, error);
	int64_t count = 0;
	lm_status status = read_header(&text, "tetrahedra", TET_BYTES, "the number of corners", 4, &count);
	if (status == LM_OK)
		status = lm_build_reserve(build, 0, 0, 0, count);
	for (int64_t i = 0; i < count && status == LM_OK; ++i)
	{
		status = find_line(&text, "tetrahedron", i, count);
		if (status == LM_OK)
			status = read_tet(&text, build, i, base);
		if (status == LM_OK)
			lm_text_next_line(&text);
	}
	return status;
}

lm_status lm_tetgen_parse(const lm_host* host, const lm_tetgen_file* nodes, const lm_tetgen_file* elements,
                          lm_mesh** mesh, lm_error* error)
{
	lm_build build;
	lm_build_init(&build, nodes->path, host, error);
	int64_t base = 1;
	lm_status status = read_nodes(nodes, &build, &base, error);
	if (status == LM_OK && elements != NULL)
		status = read_tets(elements, &build, base, error);
	if (status == LM_OK)
		status = lm_build_finish(&build, mesh);
	lm_build_release(&build);
	return status;
}
