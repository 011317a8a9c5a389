// io.h: meshes and point caches in and out of files. Every reader checks all of its file; every writer leaves the
// whole file or none.
#ifndef LIMBER_IO_H
#define LIMBER_IO_H

#include "limber/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

// ---- meshes

// By ending: .obj, .ply (ascii, binary of either endianness), .stl (ascii, binary; corners at exactly the same
// place become one vertex), .node or .ele (TetGen pair, 0- or 1-based; a .node alone is points), .msh (Gmsh 2.2 and
// 4.1, ascii and binary). Groups of vertices come from g, o, p and l lines of OBJ and from the named physical
// groups of Gmsh; edges from l lines of OBJ. Vertex colours (red, green, blue) of PLY, and properties of its vertices
// with names of their own, become painted groups (lm_group) where all values lie in 0 .. 1 (uchar: 0 .. 255, ushort:
// 0 .. 65535) and are not all the same. Afterwards positions are finite, indices in range and tetrahedra turned to
// positive volume; flat ones are left for lm_mesh_check to report.
LM_API lm_status lm_mesh_read(const char* path, const lm_host* host, lm_mesh** mesh, lm_error* error);

// .obj, .ply (binary, float or double positions as needed to be exact), .stl (binary, single precision), .node/.ele
// (both files), .msh (4.1 ascii). Positions other than the mesh's own may be given; NULL takes the mesh's. Groups
// are not written, and edges only to .obj. A mesh of tetrahedra without triangles is LM_BAD_INPUT for .obj, .ply and
// .stl: extract its surface first.
LM_API lm_status lm_mesh_write(const char* path, const lm_mesh* mesh, const double* positions, lm_error* error);

// True when the ending of path is one that lm_mesh_read (or _write) knows.
LM_API bool lm_mesh_can_read(const char* path);
LM_API bool lm_mesh_can_write(const char* path);

// ---- point caches: PC2 and MDD, for one object, in single precision

typedef struct lm_points_writer lm_points_writer;

// By ending: .pc2 or .mdd. frame_count is written in the header and must be met exactly by the frames that follow:
// closing with fewer is LM_BAD_INPUT and leaves no file. PC2 has no place for fps, it counts frames.
LM_API lm_status lm_points_writer_open(const char* path, int32_t vertex_count, int32_t frame_count, double fps,
                                       const lm_host* host, lm_points_writer** writer, lm_error* error);
LM_API lm_status lm_points_writer_frame(lm_points_writer* writer, const double* positions, lm_error* error);
LM_API lm_status lm_points_writer_close(lm_points_writer* writer, lm_error* error); // renames into place, frees
LM_API void lm_points_writer_abandon(lm_points_writer* writer);                     // removes, frees

typedef struct lm_points lm_points;

// Opens and checks that the file has all the bytes that its header promises. Frames are read on demand.
LM_API lm_status lm_points_open(const char* path, const lm_host* host, lm_points** points, lm_error* error);
LM_API void lm_points_destroy(lm_points* points);
LM_API int32_t lm_points_vertex_count(const lm_points* points);
LM_API int32_t lm_points_frame_count(const lm_points* points);
LM_API double lm_points_fps(const lm_points* points); // PC2: as if a frame lasted 1/24 s; MDD: from its times
LM_API double lm_points_time(const lm_points* points, int32_t frame); // seconds
LM_API lm_status lm_points_read(lm_points* points, int32_t frame, double* positions, lm_error* error);

// ---- run caches: .lmc, all objects of a run

// A header (scene file, fps, per object: name, colour, topology), then frames of fixed size with a check sum each.
// A run appends frame by frame and can be cut off at any moment: a torn last frame is not counted when the file is
// read, and dropped when it is opened to append. Positions are floats relative to a double origin per object and
// frame.

typedef struct lm_cache_object
{
	const char* name;
	float color[3]; // linear 0 .. 1
	int32_t vertex_count;
	int32_t triangle_count;
	const int32_t* triangles;
	int32_t face_count; // 0 or polygons as in lm_mesh
	const int32_t* face_starts;
	const int32_t* face_vertices;
	bool fixed; // its vertices never move (a static collider); still part of every frame's layout with zero vertices
	const double* fixed_positions; // vertex_count x 3 when fixed
} lm_cache_object;

typedef struct lm_cache_info
{
	const char* scene; // path of the scene file, may be ""
	double fps;
	uint64_t fingerprint; // of scene and assets: a resumed run must match
	int32_t object_count;
	const lm_cache_object* objects;
} lm_cache_info;

typedef struct lm_cache_writer lm_cache_writer;

// A new cache, replacing an older file of that name.
LM_API lm_status lm_cache_create(const char* path, const lm_cache_info* info, const lm_host* host,
                                 lm_cache_writer** writer, lm_error* error);
// An existing one, cut to its first frame_count frames, to go on after them. Its info must equal `info`,
// except for the path of the scene.
LM_API lm_status lm_cache_append(const char* path, const lm_cache_info* info, int64_t frame_count, const lm_host* host,
                                 lm_cache_writer** writer, lm_error* error);
// positions[i] for object i, vertex_count x 3; ignored for fixed ones. On return the frame is in the file
// (flushed).
LM_API lm_status lm_cache_write_frame(lm_cache_writer* writer, const double* const* positions, lm_error* error);
LM_API lm_status lm_cache_writer_close(lm_cache_writer* writer, lm_error* error);

typedef struct lm_cache lm_cache;
LM_API lm_status lm_cache_open(const char* path, const lm_host* host, lm_cache** cache, lm_error* error);
LM_API void lm_cache_destroy(lm_cache* cache);
LM_API const lm_cache_info* lm_cache_get_info(const lm_cache* cache); // lives as long as the cache
LM_API int64_t lm_cache_frame_count(const lm_cache* cache);           // whole frames
LM_API lm_status lm_cache_read(lm_cache* cache, int64_t frame, int32_t object, double* positions, lm_error* error);

#ifdef __cplusplus
}
#endif
#endif
