// build.h: a mesh that grows while its file is read: vertices, polygons, tetrahedra and named groups of vertices.
#ifndef LM_IO_BUILD_H
#define LM_IO_BUILD_H

#include "io/lookup.h"
#include "limber/mesh.h"

// Counts stay so small that 3 x count or 4 x count fits an int32_t.
#define LM_BUILD_LIMIT (INT32_MAX / 4)

typedef struct lm_build_group
{
	char* name;
	int32_t last_span; // the latest of its spans, -1 if none
} lm_build_group;

// members[begin .. end) belong to a group.
typedef struct lm_build_span
{
	size_t begin, end;
	int32_t previous; // earlier span of the same group, -1 if none
} lm_build_span;

typedef struct lm_build
{
	lm_host host;
	const char* path;
	lm_error* error;
	double* positions;
	size_t position_capacity;
	int32_t vertex_count;
	int32_t* corners; // of all faces, one after the other
	size_t corner_capacity, corner_count;
	int32_t* face_ends; // where each face ends in corners
	size_t face_capacity;
	int32_t face_count;
	int32_t* tets;
	size_t tet_capacity;
	int32_t tet_count;
	int32_t* edges;
	size_t edge_capacity;
	int32_t edge_count;
	lm_lookup names;
	lm_build_group* groups;
	size_t group_capacity;
	int32_t* members;
	size_t member_capacity, member_count;
	lm_build_span* spans;
	size_t span_capacity;
	int32_t span_count;
} lm_build;

void lm_build_init(lm_build* build, const char* path, const lm_host* host, lm_error* error);
void lm_build_release(lm_build* build);

// Room for a number of vertices, faces' corners or tetrahedra that is known beforehand.
lm_status lm_build_reserve(lm_build* build, int64_t vertices, int64_t faces, int64_t corners, int64_t tets);

// The position may be anything: readers refuse what is not finite with the place in the file.
lm_status lm_build_vertex(lm_build* build, const double position[3]);
// Corners one by one, then the face, which takes all corners since the last one; at least three.
lm_status lm_build_corner(lm_build* build, int32_t vertex);
lm_status lm_build_face(lm_build* build);
lm_status lm_build_tet(lm_build* build, const int32_t corners[4]);
lm_status lm_build_edge(lm_build* build, int32_t from, int32_t to);

// The group of this name, made when new.
lm_status lm_build_group_named(lm_build* build, const char* name, size_t length, int32_t* group);
lm_status lm_build_member(lm_build* build, int32_t vertex);
// The members from number `begin` to the latest belong to the group.
lm_status lm_build_span_of(lm_build* build, int32_t group, size_t begin);

// The mesh: faces triangulated as fans and kept as polygons unless all are triangles; tetrahedra of negative volume
// turned round by swapping their last two corners; groups sorted, without repetition. All corners and members must be
// vertices. No vertices at all is LM_BAD_INPUT. The build is left to be released.
lm_status lm_build_finish(lm_build* build, lm_mesh** mesh);

#endif
