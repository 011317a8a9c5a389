// The formats that are text: OBJ, TetGen, Gmsh 4.1.
#include "io/number.h"
#include "io/writers.h"

#include <inttypes.h>
#include <string.h>

// A line that is put together before it goes to the file: one call per line instead of one per number.
#define LINE_BYTES 512

typedef struct line
{
	FILE* file;
	int length;
	char text[LINE_BYTES];
} line;

static void put_text(line* out, const char* text)
{
	int length = (int)strlen(text);
	if (out->length + length > LINE_BYTES)
	{
		fwrite(out->text, 1, (size_t)out->length, out->file);
		out->length = 0;
	}
	memcpy(out->text + out->length, text, (size_t)length);
	out->length += length;
}

static void put_integer(line* out, int64_t value)
{
	char text[24];
	char* start = text + sizeof text - 1;
	*start = 0;
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	do
		*--start = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (value < 0)
		*--start = '-';
	put_text(out, start);
}

static void put_position(line* out, const double position[3])
{
	char text[LM_NUMBER_LENGTH];
	for (int i = 0; i < 3; ++i)
	{
		lm_number_write(position[i], text);
		if (i > 0)
			put_text(out, " ");
		put_text(out, text);
	}
}

// The vertices of one element, numbered from `base`.
static void put_corners(line* out, const int32_t* corners, int32_t count, int base)
{
	for (int32_t i = 0; i < count; ++i)
	{
		put_text(out, " ");
		put_integer(out, (int64_t)corners[i] + base);
	}
}

static void end_line(line* out)
{
	put_text(out, "\n");
	fwrite(out->text, 1, (size_t)out->length, out->file);
	out->length = 0;
}

void lm_obj_write(FILE* file, const lm_mesh* mesh, const double* positions)
{
	line out = { .file = file };
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		put_text(&out, "v ");
		put_position(&out, positions + 3 * (size_t)v);
		end_line(&out);
	}
	bool polygons = mesh->face_count > 0;
	int32_t faces = polygons ? mesh->face_count : mesh->triangle_count;
	for (int32_t f = 0; f < faces; ++f)
	{
		put_text(&out, "f");
		if (polygons)
			put_corners(&out, mesh->face_vertices + mesh->face_starts[f],
			            mesh->face_starts[f + 1] - mesh->face_starts[f], 1);
		else
			put_corners(&out, mesh->triangles + 3 * (size_t)f, 3, 1);
		end_line(&out);
	}
	for (int32_t e = 0; e < mesh->edge_count; ++e)
	{
		put_text(&out, "l");
		put_corners(&out, mesh->edges + 2 * (size_t)e, 2, 1);
		end_line(&out);
	}
}

void lm_node_write(FILE* file, const lm_mesh* mesh, const double* positions)
{
	line out = { .file = file };
	put_integer(&out, mesh->vertex_count);
	put_text(&out, " 3 0 0");
	end_line(&out);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		put_integer(&out, v);
		put_text(&out, " ");
		put_position(&out, positions + 3 * (size_t)v);
		end_line(&out);
	}
}

void lm_ele_write(FILE* file, const lm_mesh* mesh)
{
	line out = { .file = file };
	put_integer(&out, mesh->tet_count);
	put_text(&out, " 4 0");
	end_line(&out);
	for (int32_t t = 0; t < mesh->tet_count; ++t)
	{
		put_integer(&out, t);
		put_corners(&out, mesh->tets + 4 * (size_t)t, 4, 0);
		end_line(&out);
	}
}

// One block of elements of one kind: type 2 triangles, 4 tetrahedra.
static void put_block(line* out, int dimension, int type, const int32_t* corners, int32_t count, int64_t first)
{
	if (count == 0)
		return;
	int width = dimension + 1;
	put_integer(out, dimension);
	put_text(out, " 1 ");
	put_integer(out, type);
	put_text(out, " ");
	put_integer(out, count);
	end_line(out);
	for (int32_t i = 0; i < count; ++i)
	{
		put_integer(out, first + i);
		put_corners(out, corners + (size_t)width * (size_t)i, width, 1);
		end_line(out);
	}
}

void lm_msh_write(FILE* file, const lm_mesh* mesh, const double* positions)
{
	line out = { .file = file };
	int64_t elements = (int64_t)mesh->triangle_count + mesh->tet_count;
	int dimension = mesh->tet_count > 0 ? 3 : 2;
	fprintf(file, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 %d 1 %d\n%d 1 0 %d\n", mesh->vertex_count,
	        mesh->vertex_count, dimension, mesh->vertex_count);
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		put_integer(&out, (int64_t)v + 1);
		end_line(&out);
	}
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		put_position(&out, positions + 3 * (size_t)v);
		end_line(&out);
	}
	fprintf(file, "$EndNodes\n$Elements\n%d %" PRId64 " %d %" PRId64 "\n",
	        (mesh->triangle_count > 0) + (mesh->tet_count > 0), elements, elements > 0, elements);
	put_block(&out, 2, 2, mesh->triangles, mesh->triangle_count, 1);
	put_block(&out, 3, 4, mesh->tets, mesh->tet_count, 1 + (int64_t)mesh->triangle_count);
	fputs("$EndElements\n", file);
}
