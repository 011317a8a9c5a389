// mesh.h: meshes as plain arrays, and what can be made of them: simulation meshes around surfaces, bindings.
#ifndef LIMBER_MESH_H
#define LIMBER_MESH_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

// A named list of vertices. One that was painted also has a weight at every vertex of the mesh, and its vertices are
// those from 0.5 on.
typedef struct lm_group
{
	char* name;
	int32_t count;
	int32_t* vertices;
	double* weights; // one per vertex of the mesh, 0 .. 1; NULL: 1 at the vertices and 0 elsewhere
} lm_group;

// A mesh that owns its arrays. Vertex order and sharing carry meaning (poses, caches) and are never changed.
typedef struct lm_mesh
{
	lm_host host; // whose allocator owns the arrays
	int32_t vertex_count;
	double* positions; // vertex_count x 3
	int32_t triangle_count;
	int32_t* triangles; // triangle_count x 3, counter-clockwise seen from outside
	int32_t tet_count;
	int32_t* tets; // tet_count x 4, positive volume: (b-a) x (c-a) . (d-a) > 0
	// Lines, for curves; edge_count may be 0, and is unless lm_mesh_set_edges or a reader of lines has been there.
	int32_t edge_count;
	int32_t* edges; // edge_count x 2
	// The polygons as the file had them, so that an artist's quads come back as quads. face_count may be 0; else
	// `triangles` is their fan triangulation, in order.
	int32_t face_count;
	int32_t* face_starts;   // face_count + 1
	int32_t* face_vertices; // face_starts[face_count]
	int32_t group_count;
	lm_group* groups;
} lm_mesh;

// An empty mesh with room for the counts, zeroed; NULL when out of memory.
LM_API lm_mesh* lm_mesh_create(const lm_host* host, int32_t vertex_count, int32_t triangle_count, int32_t tet_count);
LM_API lm_mesh* lm_mesh_copy(const lm_mesh* mesh, const lm_host* host); // NULL when out of memory
LM_API void lm_mesh_destroy(lm_mesh* mesh);

// Index of the group with this name, or -1.
LM_API int32_t lm_mesh_find_group(const lm_mesh* mesh, const char* name);

// Copies the list; an existing group of that name is replaced.
LM_API lm_status lm_mesh_set_group(lm_mesh* mesh, const char* name, const int32_t* vertices, int32_t count,
                                   lm_error* error);

// The same for a painted group: weights (one per vertex) are brought into 0 .. 1. LM_BAD_INPUT when one is not finite.
LM_API lm_status lm_mesh_paint_group(lm_mesh* mesh, const char* name, const double* weights, lm_error* error);

// Copies the lines of a curve, edge_count x 2 vertices; those that were there are replaced.
LM_API lm_status lm_mesh_set_edges(lm_mesh* mesh, const int32_t* edges, int32_t edge_count, lm_error* error);

// Finite positions (up to 1e30), indices in range, no element that names a vertex twice, no tetrahedron of zero or
// negative volume (relative to its size). `file` goes into the error.
LM_API lm_status lm_mesh_check(const lm_mesh* mesh, const char* file, lm_error* error);

// The surface of the tetrahedra (outward triangles) written to mesh->triangles, vertices unchanged. No tetrahedra:
// no change.
LM_API lm_status lm_mesh_extract_surface(lm_mesh* mesh, lm_error* error);

#define LM_MESH_MOST_DISCS 10000000

// A point-sampled surface as a mesh of discs: vertex i is point i, six more around it lie on a disc across its normal
// (vertex_count x 3, of any length), which is as large as the distance to its neighbours asks for. Groups are kept.
LM_API lm_status lm_mesh_discs(const lm_mesh* points, const double* normals, lm_mesh** mesh, lm_error* error);

// Lowest and highest corner; zeros for an empty mesh.
LM_API void lm_mesh_bounds(const double* positions, int32_t vertex_count, double low[3], double high[3]);
LM_API double lm_mesh_longest_side(const lm_mesh* mesh); // of the box between them
// The vertex closest to a point, the first of those that are equally close. Looks at all of them.
LM_API int32_t lm_mesh_nearest_vertex(const lm_mesh* mesh, const double point[3]);

// ---- what is in a mesh
// -------------------------------------------------------------------------------------------

// Surface here means the triangles, or the boundary of the tetrahedra when there are no triangles.
typedef struct lm_mesh_facts
{
	double low[3], high[3]; // of all vertices
	int32_t components;     // pieces that hang together along edges
	int32_t loose_vertices; // in no tetrahedron (no triangle, when there are no tetrahedra; no edge, without either)
	int32_t surface_triangles;
	bool closed;               // every edge of the surface is passed as often one way as the other
	bool manifold;             // no crowded edges, no pinched vertices
	int32_t open_edges;        // edges of one triangle
	int32_t crowded_edges;     // edges of more than two triangles
	int32_t flipped_edges;     // edges of two triangles that pass it the same way: one of them faces the wrong way
	int32_t pinched_vertices;  // vertices whose triangles hang together in no more than that point
	double length;             // of the mesh's own edges (curves)
	double area;               // of the surface
	double volume;             // of the tetrahedra, or inside the surface if closed (negative: inside out), else 0
	double min_edge, max_edge; // over all elements; 0 if there are none
	double min_dihedral;       // smallest dihedral angle of the tetrahedra in degrees; 0 if there are none
} lm_mesh_facts;

// The mesh must have passed lm_mesh_check, or at least have indices in range.
LM_API lm_status lm_mesh_get_facts(const lm_mesh* mesh, const lm_host* host, lm_mesh_facts* facts, lm_error* error);

// ---- a simulation mesh around any surface
// ------------------------------------------------------------------------

typedef struct lm_lattice_settings
{
	double size;      // edge length of the lattice in metres; 0: chosen from `vertices`
	int32_t vertices; // wanted number of vertices, reached within about 10 %, when size is 0; default 500, at least 8
	double inside;    // generalised winding number above which a point counts as inside; default 0.5
	bool legs;        // lm_fitted_create: legs that touch are split by their feet; default false
} lm_lattice_settings;

LM_API lm_lattice_settings lm_lattice_settings_default(void);

// Tetrahedra of a body-centred lattice (dihedral angles of 60 and 90 degrees) that cover the surface and its
// inside. The surface may be open, overlapping or non-manifold. Every vertex of the surface lies in a tetrahedron
// of the result; disconnected specks of surface are kept. A surface that faces inwards is taken as turned inside
// out (and a warning logged). A surface with no extent at all is LM_BAD_INPUT; vertices that no triangle uses do
// not count.
LM_API lm_status lm_lattice_create(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
                                   lm_mesh** result, lm_error* error);

// A simulation mesh that follows the surface closely: separate parts of the surface in one cell get tetrahedra of their
// own, vertices lie on the surface, and the sole is as flat as the surface's. y is up.
typedef struct lm_binding lm_binding;
#define LM_FITTED_FEET_MAX 4
typedef struct lm_fitted
{
	lm_host host;        // whose allocator owns the rest
	lm_mesh* mesh;       // groups: "sole", "trunk" (what is above 40 % of the height) and the feet
	double* volumes;     // vertex_count: the volume inside the surface shared out so that its centre is kept
	lm_binding* binding; // of the surface's vertices, each to the part of the mesh that it belongs to
	lm_binding*
		contacts;       // points that should meet the ground: the vertices of the flat sole, and the surface elsewhere
	int32_t foot_count; // with settings.legs: 2, 4, or 0 where it stands on a base
	const char*
		feet[LM_FITTED_FEET_MAX]; // names of groups. Two: left, right; four: left hind, left fore, right hind, right
								  // fore, of a figure that faces along x (left is towards -z)
} lm_fitted;

// `vertices` is the most that it will have. LM_BAD_INPUT, beside what lm_lattice_create refuses: a surface without
// inside.
LM_API lm_status lm_fitted_create(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
                                  lm_fitted** result, lm_error* error);
LM_API void lm_fitted_destroy(lm_fitted* fit);

// Where a figure faces in the coordinates of its file, y being up: along which axis, and whether that could be told.
typedef struct lm_facing
{
	int axis;           // 0: x, 2: z
	int sign;           // 1 or -1
	bool certain;       // false: it has no feet, or nothing that tells front from back; z is taken
	int32_t foot_count; // 2, 4, or 0 where it stands on a base
	double center[3];   // centre of mass of the inside
} lm_facing;
LM_API lm_status lm_figure_facing(const lm_mesh* surface, const lm_host* host, lm_facing* result, lm_error* error);

// The rotation that brings a rigid body with this surface and centre of mass to rest on the ground, y being up: it
// rolls over the rim of what it stands on until the centre is above that. Returns the angle in degrees; 0, and the
// identity, where the body stands as it is: the centre lies at most 2 % of the height outside.
LM_API double lm_figure_rest(const lm_mesh* surface, const double center[3], double turn[3][3]);

// ---- a display surface bound to simulated points
// -------------------------------------------------------------------

// lm_binding is a sparse map: display vertex v is the sum of weights[k] * point[points[k]] for k in starts[v] ..
// starts[v+1].
typedef struct lm_binding_view
{
	int32_t vertex_count; // rows
	int32_t point_count;  // columns
	const int64_t* starts;
	const int32_t* points;
	const double* weights;
} lm_binding_view;

// Each position becomes a combination of the four corners of the tetrahedron it lies in, or of the closest one when
// it lies outside (weights then leave [0, 1], which extrapolates). A mesh without tetrahedra binds to the closest
// triangle, and where all lies in the plane z = 0 continues it likewise. Fast enough for a million positions.
LM_API lm_status lm_binding_create(const lm_mesh* mesh, const double* positions, int32_t count, const lm_host* host,
                                   lm_binding** result, lm_error* error);
// The identity on count points.
LM_API lm_status lm_binding_create_identity(int32_t count, const lm_host* host, lm_binding** result, lm_error* error);
// A map of one's own, copied.
LM_API lm_status lm_binding_create_rows(const lm_binding_view* rows, const lm_host* host, lm_binding** result,
                                        lm_error* error);
LM_API void lm_binding_destroy(lm_binding* binding);
LM_API lm_binding_view lm_binding_get(const lm_binding* binding);
// results may not overlap points.
LM_API void lm_binding_apply(const lm_binding* binding, const double* points, int threads, double* results);
// Points of a bound surface, spread evenly, that can touch for the body that carries it (lm_match_def.contacts): some
// of its vertices, the outermost first, and points within its large triangles; at most 4000.
LM_API lm_status lm_contact_points_create(const lm_mesh* surface, const lm_binding* binding, const lm_host* host,
                                          lm_binding** result, lm_error* error);

// ---- surfaces as they are found
// -------------------------------------------------------------------

typedef struct lm_repair_list
{
	int32_t count;
	int32_t* items; // ascending, numbers of the mesh as it was
} lm_repair_list;

// A surface made fit for simulation, what was wrong with it, and how it goes back.
typedef struct lm_repair
{
	lm_host host;            // whose allocator owns the rest
	lm_mesh* mesh;           // with its groups
	lm_binding* binding;     // of the vertices as they were: to that of their place, loose ones to the closest point
	lm_repair_list doubled;  // vertices that lie where another does, to 1e-6 of the diagonal
	lm_repair_list flat;     // triangles without area
	lm_repair_list repeated; // triangles whose three vertices an earlier one has
	lm_repair_list loose;    // vertices in none of the triangles that are left
	int32_t vertex_count, triangle_count; // as they were
	int32_t* place;                       // [vertex_count] the vertex of `mesh`, -1 for loose ones
	int32_t* kept;                        // [mesh->vertex_count] the vertex as it was
	int32_t* triangles;                   // [mesh->triangle_count] the triangle as it was
} lm_repair;

// *repair is NULL where nothing is wrong. Positions must be finite. LM_BAD_INPUT: no triangle has an area.
LM_API lm_status lm_mesh_repair(const lm_mesh* mesh, const lm_host* host, lm_repair** repair, lm_error* error);
LM_API void lm_repair_destroy(lm_repair* repair);

// ---- subdivision: a coarse mesh refined
// -------------------------------------------------------------------

typedef enum lm_subdivision
{
	LM_SUBDIVIDE_LINEAR, // same shape, smaller triangles
	LM_SUBDIVIDE_LOOP    // smooth
} lm_subdivision;

// Each level (at most 8) makes four triangles of one. The first vertices of the result are those of the coarse mesh;
// groups of both ends of an edge are groups of its middle; polygons are not carried over. map: the fine vertices from
// the coarse ones, for other poses of the coarse mesh, or read by columns: what a function on the coarse mesh becomes
// on the fine one.
LM_API lm_status lm_mesh_subdivide(const lm_mesh* coarse, int32_t levels, lm_subdivision scheme, const lm_host* host,
                                   lm_mesh** fine, lm_binding** map, lm_error* error);

// ---- cages: a few points that move all of a body
// -------------------------------------------------------------------

// A closed polygon in the plane or a closed triangle surface in space that encloses a body. A point x of the body is
// sum_j h_j(x) C_j of the cage's vertices C_j, with harmonic coordinates h_j: moving the C_j moves the body smoothly.
typedef struct lm_cage
{
	lm_host host;  // whose allocator owns the arrays
	int dimension; // 2 or 3
	int32_t vertex_count;
	double* positions; // vertex_count x dimension
	int32_t facet_count;
	int32_t* facets; // facet_count x dimension: edges with the inside on their left, or triangles, outward
} lm_cage;

// An empty cage with room for the counts, zeroed; NULL when out of memory.
LM_API lm_cage* lm_cage_create(const lm_host* host, int dimension, int32_t vertex_count, int32_t facet_count);
// The polygon through count points in the plane, in order and closed; turned counter-clockwise if it is not.
LM_API lm_status lm_cage_create_polygon(const double* points, int32_t count, const lm_host* host, lm_cage** result,
                                        lm_error* error);
LM_API void lm_cage_destroy(lm_cage* cage);

// Finite positions, indices in range, every vertex used, closed, free of self-intersections, with something inside.
// Several pieces, holes and handles are fine; so is a cage that faces inwards as a whole.
LM_API lm_status lm_cage_check(const lm_cage* cage, lm_error* error);

typedef struct lm_cage_weights_settings
{
	// Points inside the cage at which the coordinates are solved for; more are more accurate and slower. 16 .. 1e6;
	// 0, the default: 16000 in 2D, 24000 in 3D.
	int32_t nodes;
} lm_cage_weights_settings;

LM_API lm_cage_weights_settings lm_cage_weights_settings_default(void);

// Harmonic coordinates of count points (count x dimension): weights (count x cage->vertex_count, row by row) are never
// negative, sum to 1 and reproduce the points (to about 1e-12 of the cage's size). Points on the cage are fine; one
// that lies outside by more than 1e-9 of the cage's size is LM_BAD_INPUT.
LM_API lm_status lm_cage_weights(const lm_cage* cage, const double* points, int32_t count,
                                 const lm_cage_weights_settings* settings, const lm_host* host, double* weights,
                                 lm_error* error);

// What a cage is made around: vertices, and elements between them: segments or triangles in 2D, triangles or
// tetrahedra in 3D. Without elements the points alone.
typedef struct lm_cage_body
{
	int dimension; // 2 or 3
	int32_t vertex_count;
	const double* positions; // vertex_count x dimension
	int corners;             // of an element: 2, 3 or 4; not looked at when there are none
	int32_t element_count;
	const int32_t* elements; // element_count x corners
} lm_cage_body;

typedef struct lm_cage_settings
{
	int32_t vertices; // the most that the cage may have: 4 (in 3D 8, a box) .. 1000; default 0: 12 in 2D, 26 in 3D
	double margin;    // between body and cage, relative to the body's longest side; default 0.05, 0.01 .. 1
} lm_cage_settings;

LM_API lm_cage_settings lm_cage_settings_default(void);

// A cage with at most settings->vertices vertices, spread evenly, that encloses the body's vertices and elements and
// follows its shape as far as the vertices suffice. Mirror-symmetric (along x, y, z) where the body is. A body without
// extent is LM_BAD_INPUT.
LM_API lm_status lm_cage_create_around(const lm_cage_body* body, const lm_cage_settings* settings, const lm_host* host,
                                       lm_cage** result, lm_error* error);

#ifdef __cplusplus
}
#endif
#endif
