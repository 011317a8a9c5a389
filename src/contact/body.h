// body.h: what lm_contact_body is.
#ifndef LM_CONTACT_BODY_H
#define LM_CONTACT_BODY_H

#include "contact/pairs.h"
#include "contact/slim_tree.h"
#include "mesh/topology.h"

// In the plane z = 0 the same tables serve: "tetrahedra" are triangles (a, b, c, c), "triangles" are edges (a, b, b),
// and "sheets" are curves; volumes are areas.

// A point of the surface that is kept out of other bodies: a vertex, or a point of a sharp edge.
typedef struct lm_contact_sample
{
	int32_t vertex[2];
	int32_t face[2];  // the triangles beside the edge, perhaps the same; -1 for a vertex
	double weight[2]; // sum 1; the second is 0 for a vertex
} lm_contact_sample;

// A point of the surface that is shown, carried by vertices of the body: what meets colliders in their place.
typedef struct lm_contact_carried
{
	int32_t vertex[4];
	double weight[4]; // sum 1
} lm_contact_carried;

struct lm_contact_body
{
	lm_host host;
	int dimension; // 3, or 2
	int32_t vertex_count, tet_count, triangle_count, sample_count, surface_count;
	int32_t* tets;          // x 4
	int32_t* triangles;     // x 3, outward: the boundary of the tetrahedra, or the sheet
	int32_t* triangle_tets; // behind each triangle; NULL for sheets
	int32_t* surface;       // vertices on the surface, ascending
	lm_contact_sample* samples;
	int32_t carried_count; // 0: its vertices meet colliders
	lm_contact_carried* carried;
	bool* rim;               // of each vertex, whether it is one of an open edge (in the plane: an end of a curve)
	lm_adjacency neighbours; // along edges
	double* rest;            // x 3
	double* volumes;         // six times the rest volume of each tetrahedron
	lm_bvh rest_tree;        // of the triangles, at rest
	double spacing;          // mean length of the edges of the surface, at rest

	// where it is now; filled by lm_contact_body_move or lm_contact_body_place
	double* now;               // x 3, in the world
	double* before;            // x 3, at the start of the step; only where there are sheets
	double* face_normals;      // x 3, normals of the triangles, twice as long as the areas
	double* vertex_normals;    // x 3, normals of the vertices, weighed by areas and not of unit length
	lm_vec3 centre;            // somewhere near
	float* rows;               // x 4: now less the centre, and one unused
	lm_slim_tree tet_tree;     // of the tetrahedra in rows; empty for sheets
	lm_slim_tree surface_tree; // of the triangles in rows
};

// Box around the particles of the surface, in the world. Particles that are not finite are left out.
lm_box lm_contact_body_box(const lm_contact_body* body, const lm_particles* particles);

// Takes over the positions and refits the tree of the tetrahedra; with sheets about or a thickness also that of the
// triangles, and where the particles were a step of h ago.
void lm_contact_body_move(lm_contact_body* body, const lm_particles* particles, bool triangles_too, double h);

// The same for positions in double precision, 2 or 3 numbers per vertex.
void lm_contact_body_place(lm_contact_body* body, const double* start, const double* now);

// ---- for making bodies

// Of a body whose dimension, tables of tetrahedra and triangles and rest shape are set: the vertices of the surface,
// and with the samples there, the trees.
lm_status lm_contact_body_list_surface(lm_contact_body* body, lm_error* error);
void lm_contact_body_sample_vertices(lm_contact_body* body);
lm_status lm_contact_body_grow_trees(lm_contact_body* body, lm_error* error);

static inline lm_vec3 lm_contact_sample_position(const lm_contact_body* body, const lm_contact_sample* sample)
{
	lm_vec3 a = lm_v3_at(body->now, sample->vertex[0]);
	if (sample->weight[1] == 0)
		return a;
	return lm_add_scaled(lm_scale(sample->weight[0], a), sample->weight[1], lm_v3_at(body->now, sample->vertex[1]));
}

static inline lm_vec3 lm_contact_sample_position_before(const lm_contact_body* body, const lm_contact_sample* sample)
{
	return lm_add(lm_scale(sample->weight[0], lm_v3_at(body->before, sample->vertex[0])),
	              lm_scale(sample->weight[1], lm_v3_at(body->before, sample->vertex[1])));
}

static inline lm_vec3 lm_contact_carried_position(const lm_contact_carried* point, const double* positions)
{
	lm_vec3 sum = { 0, 0, 0 };
	for (int i = 0; i < 4; ++i)
		sum = lm_add_scaled(sum, point->weight[i], lm_v3_at(positions, point->vertex[i]));
	return sum;
}

// Of a triangle now, unit; zero where it is flat.
static inline lm_vec3 lm_face_normal(const lm_contact_body* body, int32_t t)
{
	return lm_normalize_or(lm_v3_at(body->face_normals, t), lm_v3(0, 0, 0));
}

// Out of the body at the sample; zero when unknown.
static inline lm_vec3 lm_contact_sample_normal(const lm_contact_body* body, const lm_contact_sample* sample)
{
	lm_vec3 sum = lm_v3_at(body->vertex_normals, sample->vertex[0]);
	if (sample->face[0] >= 0)
		sum = lm_add(lm_face_normal(body, sample->face[0]), lm_face_normal(body, sample->face[1]));
	return lm_normalize_or(sum, lm_v3(0, 0, 0));
}

#endif
