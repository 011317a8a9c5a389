// The formats that are binary: PLY and STL, both little endian.
#include "io/bytes.h"
#include "io/writers.h"

#include <float.h>
#include <math.h>

static void put_position(FILE* file, const double position[3], bool floats)
{
	unsigned char bytes[24];
	for (int i = 0; i < 3; ++i)
		if (floats)
			lm_store_float(bytes + 4 * i, (float)position[i], false);
		else
			lm_store_double(bytes + 8 * i, position[i], false);
	fwrite(bytes, 1, floats ? 12 : 24, file);
}

static bool all_are_floats(const double* positions, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		if (fabs(positions[i]) > (double)FLT_MAX || (double)(float)positions[i] != positions[i])
			return false;
	return true;
}

// The length of the list is one byte, as usual, unless a face has more corners than that holds.
static void put_face(FILE* file, const int32_t* corners, int32_t count, bool long_lists)
{
	unsigned char bytes[4];
	if (long_lists)
		lm_store_32(bytes, (uint32_t)count, false);
	else
		bytes[0] = (unsigned char)count;
	fwrite(bytes, 1, long_lists ? 4 : 1, file);
	for (int32_t i = 0; i < count; ++i)
	{
		lm_store_32(bytes, (uint32_t)corners[i], false);
		fwrite(bytes, 1, 4, file);
	}
}

void lm_ply_write(FILE* file, const lm_mesh* mesh, const double* positions)
{
	bool floats = all_are_floats(positions, 3 * (size_t)mesh->vertex_count), long_lists = false;
	bool polygons = mesh->face_count > 0;
	int32_t faces = polygons ? mesh->face_count : mesh->triangle_count;
	for (int32_t f = 0; polygons && f < faces; ++f)
		long_lists |= mesh->face_starts[f + 1] - mesh->face_starts[f] > 255;
	const char* type = floats ? "float" : "double";
	fprintf(file,
	        "ply\nformat binary_little_endian 1.0\ncomment limber\nelement vertex %d\nproperty %s x\nproperty %s y\n"
	        "property %s z\nelement face %d\nproperty list %s int vertex_indices\nend_header\n",
	        mesh->vertex_count, type, type, type, faces, long_lists ? "int" : "uchar");
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		put_position(file, positions + 3 * (size_t)v, floats);
	for (int32_t f = 0; f < faces; ++f)
		if (polygons)
			put_face(file, mesh->face_vertices + mesh->face_starts[f], mesh->face_starts[f + 1] - mesh->face_starts[f],
			         long_lists);
		else
			put_face(file, mesh->triangles + 3 * (size_t)f, 3, false);
}

// The unit normal, zero for a triangle without area.
static void normal_of(const double* a, const double* b, const double* c, double normal[3])
{
	double u[3], v[3];
	for (int i = 0; i < 3; ++i)
	{
		u[i] = b[i] - a[i];
		v[i] = c[i] - a[i];
	}
	for (int i = 0; i < 3; ++i)
		normal[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
	double length = hypot(hypot(normal[0], normal[1]), normal[2]);
	for (int i = 0; i < 3; ++i)
		normal[i] = length > 0 && isfinite(length) ? normal[i] / length : 0;
}

void lm_stl_write(FILE* file, const lm_mesh* mesh, const double* positions)
{
	char header[80] = "limber"; // must not start with "solid", which means text
	unsigned char count[4], attribute[2] = { 0 };
	fwrite(header, 1, sizeof header, file);
	lm_store_32(count, (uint32_t)mesh->triangle_count, false);
	fwrite(count, 1, 4, file);
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		const double* corners[3];
		for (int i = 0; i < 3; ++i)
			corners[i] = positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)i];
		double normal[3];
		normal_of(corners[0], corners[1], corners[2], normal);
		put_position(file, normal, true);
		for (int i = 0; i < 3; ++i)
			put_position(file, corners[i], true);
		fwrite(attribute, 1, 2, file);
	}
}
