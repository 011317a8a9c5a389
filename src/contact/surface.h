// surface.h: a triangle mesh as the boundary of a solid, or as a sheet with two sides when it is not closed.
#ifndef LM_CONTACT_SURFACE_H
#define LM_CONTACT_SURFACE_H

#include "limber/mesh.h"
#include "mesh/bvh.h"
#include "mesh/half_edge.h"

// Pseudo-normals of a triangle; edge k runs from corner k to corner k + 1.
typedef struct lm_facet
{
	lm_vec3 face, edge[3], vertex[3];
	int32_t across[3]; // the triangle beyond each edge; -1 where there is none, or more than one
} lm_facet;

// A sharp edge, or a vertex where some end (a = b).
typedef struct lm_sharp
{
	int32_t a, b;
	lm_vec3 facing; // unit, out of a closed surface; zero for sheets
} lm_sharp;

typedef struct lm_contact_surface
{
	lm_host host;
	bool closed;
	lm_box box;
	int32_t vertex_count;
	int32_t count;      // triangles, without those that have no area
	int32_t* triangles; // x 3
	int32_t* merged;    // the lowest vertex at the place of each
	double* positions;  // x 3
	lm_facet* facets;
	lm_bvh tree;
	lm_sharp* sharp; // edges that are sharp, from outside, then their vertices
	int32_t sharp_edges, sharp_count;
	// of one that deforms, else NULL
	bool inside_out;     // its triangles look inwards
	double* speeds;      // [3 vertex_count] m/s
	lm_half_edge* sides; // [side_count] sorted
	int64_t side_count;
	double* sums; // [3 vertex_count] scratch
} lm_contact_surface;

// The mesh has been checked and has triangles; it is copied. NULL when out of memory. One that deforms has no sharp
// edges: bodies that touch it do so with points of their own.
lm_contact_surface* lm_contact_surface_create(const lm_mesh* mesh, bool deforms, const lm_host* host);
void lm_contact_surface_destroy(lm_contact_surface* surface);

// Whether every edge is shared by its triangles in opposite directions equally often, so that there is an inside.
bool lm_contact_surface_closed(const lm_contact_surface* surface);

// The least distance at which a sheet can keep its sides apart: a ten-thousandth of its size.
double lm_contact_surface_skin(const lm_contact_surface* surface);

// After the positions of one that deforms have changed.
void lm_contact_surface_move(lm_contact_surface* surface);
// Another of one that deforms; NULL when out of memory.
lm_contact_surface* lm_contact_surface_copy(const lm_contact_surface* surface, const lm_host* host);
// Frees what only moving needs: it stays as it is from now on.
void lm_contact_surface_settle(lm_contact_surface* surface);
// The velocity of its nearest point; zero for those that keep their shape.
lm_vec3 lm_contact_surface_speed(const lm_contact_surface* surface, lm_vec3 point);

void lm_contact_surface_bounds(const lm_contact_surface* surface, lm_vec3* low, lm_vec3* high);

// Distance (negative inside a closed surface) and the unit direction in which it grows; false when the surface is
// farther than `reach`, unless the point is inside.
bool lm_contact_surface_query(const lm_contact_surface* surface, lm_vec3 point, double reach, double* distance,
                              lm_vec3* normal);

// The piece of the surface nearest to a point.
typedef struct lm_contact_surface_nearest
{
	int32_t triangle;
	int part; // 0: the face, 1: edge `corner`, 2: vertex `corner`
	int corner;
	double distance; // >= 0
	lm_vec3 point;   // on the surface
	lm_vec3 away;    // from there to the query point
	lm_vec3 pseudo;  // normal of the piece, not of unit length
} lm_contact_surface_nearest;

// False when the surface is farther than `reach`.
bool lm_contact_surface_find_nearest(const lm_contact_surface* surface, lm_vec3 point, double reach,
                                     lm_contact_surface_nearest* nearest);

// corners.c: fills the list of sharp edges; false when out of memory.
bool lm_contact_surface_find_sharp(lm_contact_surface* surface, const lm_host* host);

void lm_contact_surface_corners(const lm_contact_surface* surface, int32_t triangle, lm_vec3 x[3]);

// The first crossing on the way; the normal points against the way. Closed surfaces count only crossings inwards.
bool lm_contact_surface_enter(const lm_contact_surface* surface, lm_vec3 from, lm_vec3 to, double* fraction,
                              lm_vec3* normal);

#endif
