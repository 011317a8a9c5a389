// fit.h: a simulation mesh that follows the surface of a figure, while it is made.
//
// The inside is filled with small cubes (voxels.h), sub x sub x sub of them in a cell. The connected cubes of a
// cell are a part; each part gets its own tetrahedra, and shares corners only with parts that it touches through a face
// of the cell (virtual nodes: N. Molino, Z. Bao, R. Fedkiw, A Virtual Node Algorithm for Changing Mesh Topology During
// Simulation, 2004). So fingers half a cell apart stay apart. Legs (figure.h) are split even where they touch.
#ifndef LM_MESH_FIT_H
#define LM_MESH_FIT_H

#include "mesh/figure.h"

typedef struct lm_fit_part
{
	int32_t cell[3];
	int32_t node[8]; // corner i + 2 j + 4 k: vertex of the mesh
	int64_t first;   // of its cubes in lm_fit_body.cubes
	int64_t count;
	uint8_t leg;
	bool kept;
} lm_fit_part;

// Parts that touch through a face across an axis: `high` is one cell further along it.
typedef struct lm_fit_contact
{
	int32_t low, high;
	int32_t axis;
} lm_fit_contact;

typedef struct lm_fit_body
{
	lm_host host;
	lm_voxels voxels;
	lm_figure figure;
	int32_t sub;       // cubes along the edge of a cell
	double ground;     // y of the lowest point of the surface
	double sole_share; // of the height: what is lower counts for the outline of the sole
	double height;     // of the surface
	int32_t part_count;
	lm_fit_part* parts;
	int32_t* part;  // [voxels] of each cube; -1: none
	int64_t* cubes; // cubes in the order of their parts
	int64_t contact_count;
	lm_fit_contact* contacts;

	int32_t vertex_count;
	int32_t* grid;     // x 3: place of each vertex, in cells
	double* positions; // x 3
	bool* sole;        // of each vertex: lies flat on the ground
	int64_t* starts;   // [vertex_count + 1] parts around each vertex
	int32_t* around;
	int32_t tet_count;
	int32_t* tets; // x 4; five for each kept part
	int32_t* tet_part;
} lm_fit_body;

// fit_parts.c: parts, their vertices and tetrahedra, for voxels, figure and sub. split: legs stay apart up to this
// height.
lm_status lm_fit_make_parts(lm_fit_body* body, double split, lm_error* error);
void lm_fit_release(lm_fit_body* body);

// fit_shape.c: vertices move onto the parts that they belong to; those of the lowest plane stay in it.
lm_status lm_fit_draw_in(lm_fit_body* body, lm_error* error);
// The volume of all cubes shared out to the vertices, so that mass and centre of mass are those of the inside.
void lm_fit_share_volume(const lm_fit_body* body, double* volumes);
// The rows of a map from the vertices to points of the surface: four vertices and weights each.
lm_status lm_fit_bind(const lm_fit_body* body, const lm_lattice_surface* surface, int32_t* points, double* weights,
                      lm_error* error);

// fit_contacts.c: fit->contacts.
lm_status lm_fit_choose_contacts(const lm_fit_body* body, const lm_mesh* surface, lm_fitted* fit, lm_error* error);

#endif
