// Meshes in and out by the ending of their name.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "io/readers.h"
#include "io/writers.h"
#include "limber/io.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES ((size_t)16 << 30)

typedef lm_status parse_fn(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                           lm_error* error);
typedef void write_fn(FILE* file, const lm_mesh* mesh, const double* positions);

typedef struct mesh_format
{
	const char* ending;
	parse_fn* parse; // NULL: the pair of TetGen
	write_fn* write;
	bool surface; // holds no tetrahedra
} mesh_format;

static const mesh_format formats[] = {
	{ "obj", lm_obj_parse, lm_obj_write, true },
	{ "ply", lm_ply_parse, lm_ply_write, true },
	{ "stl", lm_stl_parse, lm_stl_write, true },
	{ "msh", lm_msh_parse, lm_msh_write, false },
	{ "node", NULL, NULL, false },
	{ "ele", NULL, NULL, false },
};

static const mesh_format* format_of(const char* path)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
		if (lm_same_ending(path, formats[i].ending))
			return &formats[i];
	return NULL;
}

bool lm_mesh_can_read(const char* path)
{
	return format_of(path) != NULL;
}

bool lm_mesh_can_write(const char* path)
{
	return format_of(path) != NULL;
}

static lm_status fail_ending(const char* path, lm_error* error)
{
	return lm_fail_at(
		error, LM_BAD_INPUT, path, "",
		"the ending is not one of .obj, .ply, .stl, .msh, .node and .ele, which are the meshes limber knows");
}

// The path with another ending; NULL when out of memory.
static char* with_ending(const lm_host* host, const char* path, const char* ending)
{
	size_t stem = (size_t)(lm_path_ending(path) - path), length = strlen(ending);
	char* result = lm_alloc(host, stem + length + 1, 1);
	if (result == NULL)
		return NULL;
	memcpy(result, path, stem);
	memcpy(result + stem, ending, length + 1);
	return result;
}

// ---- reading

static lm_status read_tetgen(const char* path, const lm_host* host, lm_mesh** mesh, lm_error* error)
{
	bool is_node = lm_same_ending(path, "node");
	char* other = with_ending(host, path, is_node ? "ele" : "node");
	if (other == NULL)
		return lm_fail_memory(error);
	lm_tetgen_file nodes = { .path = is_node ? path : other }, elements = { .path = is_node ? other : path };
	bool points_only = is_node && access(other, F_OK) != 0;
	unsigned char* node_data = NULL;
	unsigned char* element_data = NULL;
	lm_status status = lm_file_read(host, nodes.path, MAX_BYTES, &node_data, &nodes.size, error);
	if (status == LM_OK && !points_only)
		status = lm_file_read(host, elements.path, MAX_BYTES, &element_data, &elements.size, error);
	nodes.data = node_data;
	elements.data = element_data;
	if (status == LM_OK)
		status = lm_tetgen_parse(host, &nodes, points_only ? NULL : &elements, mesh, error);
	lm_free(host, node_data);
	lm_free(host, element_data);
	lm_free(host, other);
	return status;
}

// The standard input and pipes have names without endings.
static bool is_stream(const char* path)
{
	struct stat facts;
	return strcmp(path, "-") == 0 || (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode));
}

// The format that bytes begin with; OBJ begins with anything.
static const mesh_format* format_of_bytes(const unsigned char* data, size_t size)
{
	if (size >= 3 && memcmp(data, "ply", 3) == 0)
		return format_of(".ply");
	if (size >= 11 && memcmp(data, "$MeshFormat", 11) == 0)
		return format_of(".msh");
	uint32_t triangles = 0; // of STL in binary
	if (size >= 84)
		memcpy(&triangles, data + 80, sizeof triangles);
	bool stl = (size >= 6 && memcmp(data, "solid ", 6) == 0) || (size >= 84 && size == 84 + 50 * (size_t)triangles);
	return format_of(stl ? ".stl" : ".obj");
}

lm_status lm_mesh_read(const char* path, const lm_host* host, lm_mesh** mesh, lm_error* error)
{
	assert(path != NULL && host != NULL && mesh != NULL);
	*mesh = NULL;
	const mesh_format* format = format_of(path);
	if (format == NULL && !is_stream(path))
		return fail_ending(path, error);
	if (format != NULL && format->parse == NULL)
		return read_tetgen(path, host, mesh, error);
	unsigned char* data = NULL;
	size_t size = 0;
	lm_status status = lm_file_read(host, path, MAX_BYTES, &data, &size, error);
	if (status == LM_OK && format == NULL)
		format = format_of_bytes(data, size);
	if (status == LM_OK)
		status = format->parse(host, path, data, size, mesh, error);
	lm_free(host, data);
	return status;
}

// ---- writing

static lm_status check(const char* path, const mesh_format* format, const lm_mesh* mesh, const double* positions,
                       lm_error* error)
{
	bool stl = format->write == lm_stl_write;
	if (format->surface && mesh->tet_count > 0 && mesh->triangle_count == 0)
		return lm_fail_at(
			error, LM_BAD_INPUT, path, "",
			"the mesh has tetrahedra but no triangles: extract its surface first, or write .msh, .node or "
			".ele");
	if (stl && mesh->triangle_count == 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the mesh has no triangles, and STL holds nothing else");
	bool curve = mesh->edge_count > 0 && mesh->triangle_count == 0 && mesh->tet_count == 0;
	if (curve && format->write != lm_obj_write)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the mesh is a curve, which only .obj can hold");
	double largest = stl ? FLT_MAX : DBL_MAX;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i)
		if (!(fabs(positions[i]) <= largest))
		{
			int64_t vertex = (int64_t)(i / 3);
			lm_status status = lm_fail_at(error, LM_BAD_INPUT, path, "", "the position of vertex %lld is not finite%s",
			                              (long long)vertex, stl ? " in single precision, which STL stores" : "");
			if (error != NULL)
				error->element = vertex;
			return status;
		}
	return LM_OK;
}

// Both files are complete before the first of them gets its name.
static lm_status write_tetgen(const char* path, const lm_mesh* mesh, const double* positions, lm_error* error)
{
	const lm_host* host = &mesh->host;
	bool is_node = lm_same_ending(path, "node");
	char* other = with_ending(host, path, is_node ? "ele" : "node");
	if (other == NULL)
		return lm_fail_memory(error);
	lm_output nodes = { 0 }, elements = { 0 };
	lm_status status = lm_output_open(host, is_node ? path : other, &nodes, error);
	if (status == LM_OK)
		status = lm_output_open(host, is_node ? other : path, &elements, error);
	if (status == LM_OK)
	{
		lm_node_write(nodes.file, mesh, positions);
		lm_ele_write(elements.file, mesh);
		if (fflush(nodes.file) == 0 && !ferror(nodes.file))
			status = lm_output_commit(&elements, error);
		else
			status = lm_fail_at(error, LM_IO_FAILED, nodes.path, "", "cannot be written: %s", strerror(errno));
		if (status == LM_OK)
			status = lm_output_commit(&nodes, error);
	}
	lm_output_abandon(&elements);
	lm_output_abandon(&nodes);
	lm_free(host, other);
	return status;
}

lm_status lm_mesh_write(const char* path, const lm_mesh* mesh, const double* positions, lm_error* error)
{
	assert(path != NULL && mesh != NULL);
	const mesh_format* format = format_of(path);
	if (format == NULL)
		return fail_ending(path, error);
	if (positions == NULL)
		positions = mesh->positions;
	lm_status status = check(path, format, mesh, positions, error);
	if (status != LM_OK)
		return status;
	if (format->write == NULL)
		return write_tetgen(path, mesh, positions, error);
	lm_output output;
	status = lm_output_open(&mesh->host, path, &output, error);
	if (status != LM_OK)
		return status;
	format->write(output.file, mesh, positions);
	return lm_output_commit(&output, error);
}
