// model.h: the inside of lm_design_model: an object as its nodes see it. Everything is in coordinates of its own: the
// middle of the surface's box is the origin and its longest side is 1.
#ifndef LM_DESIGN_MODEL_H
#define LM_DESIGN_MODEL_H

#include "design/grid.h"
#include "limber/design.h"

// Sparse rows over the nodes: row p is the entries start[p] .. start[p + 1].
typedef struct lm_design_rows
{
	int32_t count;
	int64_t* start;
	int32_t* node;
	double* phi;       // shape functions at the point
	double (*grad)[3]; // their gradients, or NULL
} lm_design_rows;

void lm_design_rows_release(lm_design_rows* rows, const lm_host* host);

// The skin as it is streamed when a surface is deformed in floats: see skin.c.
typedef struct lm_design_skin lm_design_skin;

struct lm_design_model
{
	lm_host host;
	lm_vec3 center;
	double size;
	lm_mesh* surface; // triangles, in own coordinates
	lm_design_grid grid;

	int32_t node_count;
	double* nodes;   // node_count x 3
	double* radii;   // node_count
	float* distance; // [slot x node_count] within the material

	lm_vec3 middle; // mean of the nodes: the paper's c_0

	int32_t point_count; // where energies are integrated
	double* points;      // point_count x 3
	double* volumes;     // sum 1
	lm_design_rows integration;
	lm_design_rows at_nodes;
	lm_design_rows skin;   // of the surface's vertices, without gradients
	float* normal_weights; // beside skin: grad Phi . n, Eq. 9
	float* normals;        // vertex_count x 3 at rest
	lm_design_skin* fast;
};

// ---- shape.c: shape functions (Eq. 2-6) ----

#define LM_DESIGN_MOST_NODES 1000
#define LM_DESIGN_MOST_NEAR 256

typedef struct lm_design_shape
{
	int32_t count;
	int32_t node[LM_DESIGN_MOST_NEAR];
	double phi[LM_DESIGN_MOST_NEAR];
	double grad[LM_DESIGN_MOST_NEAR][3];
} lm_design_shape;

// At any point of the material or within a voxel of it; farther away the nearest voxel of the band counts.
void lm_design_shape_at(const lm_design_model* model, lm_vec3 x, lm_design_shape* shape);

// Rows for many points.
lm_status lm_design_rows_create(const lm_design_model* model, const double* points, int32_t count, bool gradients,
                                const lm_host* host, lm_design_rows* rows, lm_error* error);

// ---- sample.c ----

// Places the nodes: by budget, or where radius > 0 until every voxel sees four that do not lie in a plane.
// density: per vertex of the surface, or NULL.
lm_status lm_design_place_nodes(lm_design_model* model, int32_t budget, double radius, const double* density,
                                lm_error* error);
// Places the points of integration, `count` of them or fewer, and their shares of the volume.
lm_status lm_design_place_points(lm_design_model* model, int32_t count, lm_error* error);

// ---- skin.c ----

lm_status lm_design_skin_create(lm_design_model* model, int32_t most_nodes, lm_error* error);
void lm_design_skin_destroy(lm_design_model* model);

#endif
