// fake_files.h: meshes that scenes of the tests may name, made on the spot instead of read.
//   bar.msh         the unit cube, 8 vertices, 6 tetrahedra; no groups
//   bar-moved.msh   the same, 1 m higher, with a group "upper"
//   cube.obj        the surface of the unit cube, 8 vertices, with groups "front" (z = 1) and "back" (z = 0)
//   cube-turned.obj the same, turned by 90 degrees about z and twice as long in y then
//   sheet.obj       the unit square in x and z, two triangles
//   line.obj        the same vertices, two triangles without area
//   square.obj      the unit square in x and y, two triangles, with a group "top"; square-lean.obj the same, sheared
//   rope.obj        three vertices in the plane and two lines
//   ring.obj        four vertices around the unit square, nothing else
//   points.ply      four vertices
//   stray.msh       a tetrahedron and one more vertex
//   flat.msh        a tetrahedron without volume
//   far.ply         four vertices at 1e12 m
//   weights.json    {"soft": [...], "nothing": [...]}, 25 weights each: square.obj after two subdivisions
//   groups.json     {"listed": [1, 2], "wrong": ["a"], "high": [99]}
// Everything else is missing.
#ifndef LIMBER_TEST_FAKE_FILES_H
#define LIMBER_TEST_FAKE_FILES_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/vec.h"
#include "scene/reader.h"

#include <string.h>

static lm_mesh* fake_cube(const lm_host* host, int32_t triangles, int32_t tets)
{
	lm_mesh* mesh = lm_mesh_create(host, 8, triangles, tets);
	for (int32_t v = 0; mesh != NULL && v < 8; ++v)
		lm_v3_store(mesh->positions, v, lm_v3(v & 1, v >> 1 & 1, v >> 2 & 1));
	return mesh;
}

static lm_mesh* fake_bar(const lm_host* host)
{
	static const int32_t tets[24] = { 0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7, 0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7 };
	lm_mesh* mesh = fake_cube(host, 0, 6);
	if (mesh != NULL)
		memcpy(mesh->tets, tets, sizeof tets);
	return mesh;
}

static lm_mesh* fake_surface(const lm_host* host)
{
	static const int32_t quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
		                                 { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
	lm_mesh* mesh = fake_cube(host, 12, 0);
	for (int32_t q = 0; mesh != NULL && q < 6; ++q)
	{
		const int32_t corners[6] = { quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3] };
		memcpy(mesh->triangles + 6 * q, corners, sizeof corners);
	}
	return mesh;
}

static lm_mesh* fake_points(const lm_host* host, int32_t count, int32_t triangles, int32_t tets, double far)
{
	lm_mesh* mesh = lm_mesh_create(host, count, triangles, tets);
	for (int32_t v = 0; mesh != NULL && v < count; ++v)
		lm_v3_store(mesh->positions, v, lm_v3(far + (v & 1), v >> 2 & 1, v >> 1 & 1));
	for (int32_t i = 0; mesh != NULL && i < triangles * 3; ++i)
		mesh->triangles[i] = i == 4 ? 3 : i == 5 ? 1 : i % 3 == 0 ? 0 : 3 - i % 3;
	for (int32_t i = 0; mesh != NULL && i < tets * 4; ++i)
		mesh->tets[i] = i;
	return mesh;
}

static lm_mesh* fake_mesh(const char* path, const lm_host* host, bool* known)
{
	lm_error error;
	lm_mesh* mesh = NULL;
	lm_status status = LM_OK;
	*known = true;
	if (strcmp(path, "bar.msh") == 0 || strcmp(path, "bar-moved.msh") == 0)
	{
		mesh = fake_bar(host);
		bool moved = strcmp(path, "bar-moved.msh") == 0;
		for (int32_t v = 0; moved && mesh != NULL && v < 8; ++v)
			mesh->positions[3 * v + 1] += 1;
		if (moved && mesh != NULL)
			status = lm_mesh_set_group(mesh, "upper", (const int32_t[]){ 2, 3, 6, 7 }, 4, &error);
	}
	else if (strcmp(path, "cube.obj") == 0 || strcmp(path, "cube-turned.obj") == 0)
	{
		mesh = fake_surface(host);
		for (int32_t v = 0; strcmp(path, "cube.obj") != 0 && mesh != NULL && v < 8; ++v)
		{
			lm_vec3 x = lm_v3_at(mesh->positions, v);
			lm_v3_store(mesh->positions, v, lm_v3(-x.y, 2 * x.x, x.z));
		}
		if (mesh != NULL)
			status = lm_mesh_set_group(mesh, "front", (const int32_t[]){ 4, 5, 6, 7 }, 4, &error);
		if (mesh != NULL && status == LM_OK)
			status = lm_mesh_set_group(mesh, "back", (const int32_t[]){ 0, 1, 2, 3 }, 4, &error);
	}
	else if (strcmp(path, "sheet.obj") == 0 || strcmp(path, "line.obj") == 0)
	{
		mesh = fake_points(host, 4, 2, 0, 0);
		for (int32_t v = 0; strcmp(path, "line.obj") == 0 && mesh != NULL && v < 4; ++v)
			lm_v3_store(mesh->positions, v, lm_v3(v, 0, 0));
	}
	else if (strcmp(path, "square.obj") == 0 || strcmp(path, "square-lean.obj") == 0 ||
	         strcmp(path, "square-0001.obj") == 0 || strcmp(path, "square-0002.obj") == 0)
	{
		mesh = fake_points(host, 4, 2, 0, 0);
		bool lean = strcmp(path, "square-lean.obj") == 0;
		for (int32_t v = 0; mesh != NULL && v < 4; ++v)
			lm_v3_store(mesh->positions, v, lm_v3((v & 1) + (lean ? 0.2 * (v >> 1) : 0), v >> 1, 0));
		if (mesh != NULL)
		{
			memcpy(mesh->triangles, (const int32_t[]){ 0, 1, 3, 0, 3, 2 }, 6 * sizeof(int32_t));
			status = lm_mesh_set_group(mesh, "top", (const int32_t[]){ 2, 3 }, 2, &error);
		}
	}
	else if (strcmp(path, "rope.obj") == 0)
	{
		mesh = fake_points(host, 3, 0, 0, 0);
		for (int32_t v = 0; mesh != NULL && v < 3; ++v)
			lm_v3_store(mesh->positions, v, lm_v3(v, 0.5 * v, 0));
		if (mesh != NULL)
			status = lm_mesh_set_edges(mesh, (const int32_t[]){ 0, 1, 1, 2 }, 2, &error);
	}
	else if (strcmp(path, "ring.obj") == 0)
	{
		mesh = fake_points(host, 4, 0, 0, 0);
		const double around[12] = { -1, -1, 0, 2, -1, 0, 2, 2, 0, -1, 2, 0 };
		if (mesh != NULL)
			memcpy(mesh->positions, around, sizeof around);
	}
	else if (strcmp(path, "points.ply") == 0)
		mesh = fake_points(host, 4, 0, 0, 0);
	else if (strcmp(path, "far.ply") == 0)
		mesh = fake_points(host, 4, 0, 0, 1e12);
	else if (strcmp(path, "flat.msh") == 0)
		mesh = fake_points(host, 4, 0, 1, 0);
	else if (strcmp(path, "stray.msh") == 0)
	{
		mesh = fake_points(host, 5, 0, 1, 0);
		if (mesh != NULL)
			memcpy(mesh->tets, (const int32_t[]){ 0, 2, 1, 4 }, 4 * sizeof(int32_t));
	}
	else
		*known = false;
	if (status != LM_OK)
	{
		lm_mesh_destroy(mesh);
		mesh = NULL;
	}
	return mesh;
}

static lm_status fake_read_mesh(void* context, const char* path, const lm_host* host, lm_mesh** mesh, lm_error* error)
{
	(void)context;
	bool known;
	lm_mesh* made = fake_mesh(path, host, &known);
	if (!known)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "cannot be opened: No such file or directory");
	if (made == NULL)
		return lm_fail_memory(error);
	*mesh = made;
	return LM_OK;
}

static lm_status fake_read_text(void* context, const char* path, const lm_host* host, unsigned char** data,
                                size_t* size, lm_error* error)
{
	(void)context;
	const char* text = "{ \"listed\": [1, 2], \"wrong\": [\"a\"], \"high\": [99] }";
	char weights[400] = "{ \"soft\": [1";
	for (int v = 1; v < 25; ++v)
		strcat(weights, v < 5 ? ", 0.5" : ", 0");
	strcat(weights, "], \"nothing\": [0");
	for (int v = 1; v < 25; ++v)
		strcat(weights, ", 0");
	strcat(weights, "] }");
	if (strcmp(path, "weights.json") == 0)
		text = weights;
	else if (strcmp(path, "broken.json") == 0)
		text = "{\n\"listed\": [1, 2,]\n}";
	else if (strcmp(path, "list.json") == 0)
		text = "[1, 2]";
	else if (strcmp(path, "groups.json") != 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "cannot be opened: No such file or directory");
	char* copy = lm_copy_text(host, text);
	if (copy == NULL)
		return lm_fail_memory(error);
	*data = (unsigned char*)copy;
	*size = strlen(text);
	return LM_OK;
}

//   square.pc2      square.obj, three frames, 1 m higher in each; other.pc2 has five vertices, cube.pc2 eight,
//                   empty.pc2 no frames
//   gap.mdd         square.obj, five frames with a gap before the last; back.mdd goes back in time
static lm_status fake_read_points(void* context, const char* path, const lm_host* host, lm_point_frames* frames,
                                  lm_error* error)
{
	(void)context;
	bool gap = strcmp(path, "gap.mdd") == 0, back = strcmp(path, "back.mdd") == 0;
	bool other = strcmp(path, "other.pc2") == 0, empty = strcmp(path, "empty.pc2") == 0;
	bool cube = strcmp(path, "cube.pc2") == 0;
	if (!gap && !back && !other && !cube && !empty && strcmp(path, "square.pc2") != 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "cannot be opened: No such file or directory");
	*frames = (lm_point_frames){ .frame_count = empty ? 0
		                                        : gap ? 5
		                                              : 3,
		                         .vertex_count = other  ? 5
		                                         : cube ? 8
		                                                : 4,
		                         .timed = gap || back };
	frames->times = LM_NEW(host, frames->frame_count, double);
	frames->positions = LM_NEW(host, 3 * frames->frame_count * frames->vertex_count, double);
	if (frames->times == NULL || frames->positions == NULL)
	{
		lm_free(host, frames->times), lm_free(host, frames->positions);
		return lm_fail_memory(error);
	}
	for (int32_t k = 0; k < frames->frame_count; ++k)
	{
		frames->times[k] = back ? 2 - k : gap && k == 4 ? 20 : k;
		for (int32_t v = 0; v < frames->vertex_count; ++v)
			lm_v3_store(frames->positions, frames->vertex_count * k + v, lm_v3(v & 1, (v >> 1) + k, 0));
	}
	return LM_OK;
}

static lm_status fake_hash(void* context, const char* path, uint64_t* hash, lm_error* error)
{
	(void)context;
	(void)error;
	*hash = lm_hash(*hash, path, strlen(path));
	return LM_OK;
}

static inline lm_scene_files fake_files(void)
{
	return (lm_scene_files){ .read_mesh = fake_read_mesh,
		                     .read_text = fake_read_text,
		                     .read_points = fake_read_points,
		                     .hash = fake_hash,
		                     .make_fitted = lm_fitted_create,
		                     .make_lattice = lm_lattice_create };
}

#endif
