// lattice_grid.h: the body-centred lattice as a grid of cubes, and which of its tetrahedra a surface needs.
//
// Vertices are the corners and the centres of the cubes. A tetrahedron spans from the centre of a cube to that of its
// neighbour along an axis, around one of the four edges of the face between them: twelve per cube, three faces of four,
// each with six edges of length h (two) and sqrt(3)/2 h (four), dihedral angles of 60 and 90 degrees.
#ifndef LM_MESH_LATTICE_GRID_H
#define LM_MESH_LATTICE_GRID_H

#include "limber/mesh.h"
#include "mesh/winding.h"

// The data of a surface that all trial sizes share. Not to be moved once it is open.
typedef struct lm_lattice_surface
{
	const lm_mesh* mesh;
	lm_bvh bvh;
	lm_winding winding;
	double orientation; // 1, or -1 when the surface faces inwards: its winding numbers are negated
	double inside;      // winding number above which a point is inside
	lm_box box;         // of the triangles
	double longest;     // side of the box
} lm_lattice_surface;

// lattice.c: LM_BAD_INPUT for sizes and numbers that cannot be met.
lm_status lm_lattice_check_settings(const lm_lattice_settings* settings, lm_error* error);
// What can be told of a surface. LM_BAD_INPUT for one without triangles, without extent, or not finite.
lm_status lm_lattice_surface_open(const lm_mesh* mesh, double inside, const lm_host* host, lm_lattice_surface* result,
                                  lm_error* error);
void lm_lattice_surface_close(lm_lattice_surface* surface); // also where opening failed

enum
{
	LM_CELL_TOUCHED = 1,       // some tetrahedron that reaches into the cube touches the surface
	LM_CELL_CORNER_INSIDE = 2, // its lowest corner
	LM_CELL_CENTRE_INSIDE = 4,
	LM_CELL_CORNER_USED = 8,
	LM_CELL_CENTRE_USED = 16
};

typedef struct lm_lattice_grid
{
	double h;          // edge of a cube
	lm_vec3 origin;    // lowest corner of cell 0
	int32_t n[3];      // cells along each axis; the outermost ones stay empty
	int64_t cells;     // their product
	uint16_t* tets;    // per cell: bit 4 axis + edge for each tetrahedron kept
	uint8_t* flags;    // per cell: LM_CELL_...
	int64_t vertices;  // used
	int64_t tet_count; // kept
} lm_lattice_grid;

// Cells that a lattice of edge h would take; INFINITY when the grid could not be addressed.
double lm_lattice_cells(const lm_lattice_surface* surface, double h);
#define LM_LATTICE_MOST_CELLS 33554432.0

// Edge of the cubes, and where the middle of the surface lies relative to the lattice's symmetric places: zero, or up
// to half a cell aside along each axis (in units of h).
typedef struct lm_lattice_fit
{
	double h;
	lm_vec3 shift;
} lm_lattice_fit;

// Keeps every tetrahedron that touches the surface or has a corner inside. h must give at most LM_LATTICE_MOST_CELLS.
lm_status lm_lattice_grid_create(const lm_lattice_surface* surface, lm_lattice_fit fit, const lm_host* host,
                                 lm_lattice_grid* result, lm_error* error);
void lm_lattice_grid_release(lm_lattice_grid* grid, const lm_host* host);

// A vertex of the lattice: the lowest corner or the centre of a cell.
typedef struct lm_lattice_vertex
{
	int64_t cell;
	bool centre;
} lm_lattice_vertex;

// The four vertices of a tetrahedron, in positive order.
void lm_lattice_tet(const lm_lattice_grid* grid, int64_t cell, int axis, int edge, lm_lattice_vertex corners[4]);

static inline void lm_lattice_place(const lm_lattice_grid* grid, int64_t cell, int32_t place[3])
{
	place[0] = (int32_t)(cell % grid->n[0]);
	place[1] = (int32_t)(cell / grid->n[0] % grid->n[1]);
	place[2] = (int32_t)(cell / grid->n[0] / grid->n[1]);
}

static inline int64_t lm_lattice_cell(const lm_lattice_grid* grid, const int32_t place[3])
{
	return place[0] + (int64_t)grid->n[0] * (place[1] + (int64_t)grid->n[1] * place[2]);
}

// The lowest corner or the centre of the cell at a place.
static inline lm_vec3 lm_lattice_position(const lm_lattice_grid* grid, const int32_t place[3], bool centre)
{
	double half = centre ? 0.5 : 0;
	return lm_add_scaled(grid->origin, grid->h, lm_v3(place[0] + half, place[1] + half, place[2] + half));
}

#endif
