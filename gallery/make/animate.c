// animate.c: guide animations: a mesh moved through a map of space that changes over time, written as a point cache.
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_frames(make_output* output, lm_points_writer* writer, const lm_mesh* mesh, const make_film* film,
                         double* positions)
{
	for (int32_t frame = 0; frame < film->frames; frame++)
	{
		memcpy(positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *positions);
		for (int32_t v = 0; v < mesh->vertex_count; v++)
			film->move(positions + 3 * (size_t)v, frame / film->fps, film->context);
		if (lm_points_writer_frame(writer, positions, &output->error) != LM_OK)
			return false;
	}
	return true;
}

bool lm_make_write_film(make_output* output, const char* name, const lm_mesh* mesh, const make_film* film)
{
	char path[4096];
	int length = snprintf(path, sizeof path, "%s/%s", output->directory, name);
	if (length < 0 || (size_t)length >= sizeof path)
		return lm_make_fail(output, "the path of the output directory is too long");
	double* positions = malloc(3 * (size_t)mesh->vertex_count * sizeof *positions);
	if (!positions)
		return lm_make_no_memory(output);
	lm_points_writer* writer;
	bool good = lm_points_writer_open(path, mesh->vertex_count, film->frames, film->fps, &output->host, &writer,
	                                  &output->error) == LM_OK;
	if (good && !write_frames(output, writer, mesh, film, positions))
	{
		lm_points_writer_abandon(writer);
		good = false;
	}
	else if (good)
		good = lm_points_writer_close(writer, &output->error) == LM_OK;
	free(positions);
	output->files += good;
	return good;
}

double lm_make_curve(const double (*keys)[2], int32_t count, double time)
{
	int32_t k = 0;
	while (k < count && keys[k][0] <= time)
		k++;
	if (k == 0 || k == count)
		return keys[k == 0 ? 0 : count - 1][1];
	return keys[k - 1][1] + (keys[k][1] - keys[k - 1][1]) * lm_make_step(keys[k - 1][0], keys[k][0], time);
}

lm_mesh* lm_make_sheet(const make_sheet* sheet, const lm_host* host)
{
	int32_t nx = sheet->cells[0], ny = sheet->cells[1], row = sheet->closed ? nx : nx + 1;
	lm_mesh* mesh = lm_mesh_create(host, row * (ny + 1), 2 * nx * ny, 0);
	if (!mesh)
		return NULL;
	for (int32_t j = 0; j <= ny; j++)
		for (int32_t i = 0; i < row; i++)
			sheet->place((double)i / nx, (double)j / ny, mesh->positions + 3 * ((size_t)j * (size_t)row + (size_t)i));
	int32_t* t = mesh->triangles;
	for (int32_t j = 0; j < ny; j++)
		for (int32_t i = 0; i < nx; i++, t += 6)
		{
			int32_t a = j * row + i, b = j * row + (i + 1) % row, c = a + row, d = b + row;
			// diagonals alternate, so that no direction is preferred
			const int32_t one[6] = { a, b, d, a, d, c }, two[6] = { a, b, c, b, d, c };
			memcpy(t, (i + j) % 2 == 0 ? one : two, sizeof one);
		}
	return mesh;
}
