// bvh.h: a tree of boxes over triangles or tetrahedra, in double precision: closest points, containment, overlaps.
//
// Built top down by the surface area heuristic over 16 bins (I. Wald, On fast Construction of SAH-based Bounding
// Volume Hierarchies, 2007); below a fixed depth lists are halved, so that no input makes it deep. The build is
// sequential and the same every time. Queries allocate nothing and may run on several threads at once.
#ifndef LM_MESH_BVH_H
#define LM_MESH_BVH_H

#include "limber/base.h"
#include "math/vec.h"

typedef struct lm_box
{
	lm_vec3 low, high;
} lm_box;

// Depth first: the left child follows its parent at once.
typedef struct lm_bvh_node
{
	lm_box box;
	int32_t right; // index of the right child; leaf: first of its items
	int32_t count; // number of items; 0: not a leaf
	int32_t end;   // index behind the last node below this one
	int32_t parent;
} lm_bvh_node;

typedef struct lm_bvh
{
	lm_host host;
	int corners;             // 3: triangles, 4: tetrahedra
	const int32_t* elements; // borrowed: count x corners
	const double* positions; // borrowed
	int32_t count;
	int32_t node_count; // 0 when there are no elements
	lm_bvh_node* nodes;
	int32_t* items; // elements in the order of the leaves
} lm_bvh;

// No path from the root is longer, so that a fixed stack is enough for any query.
#define LM_BVH_STACK 96

// elements and positions must outlive the tree (or until lm_bvh_refit is given other positions); indices in range.
lm_status lm_bvh_create(const int32_t* elements, int32_t count, int corners, const double* positions,
                        const lm_host* host, lm_bvh* result, lm_error* error);
void lm_bvh_release(lm_bvh* bvh); // a zeroed tree is fine

// The same tree over elements and positions elsewhere. False when out of memory.
bool lm_bvh_copy(const lm_bvh* bvh, const int32_t* elements, const double* positions, const lm_host* host,
                 lm_bvh* copy);

// Boxes for moved vertices, structure unchanged.
void lm_bvh_refit(lm_bvh* bvh, const double* positions);

typedef struct lm_bvh_hit
{
	int32_t element;   // -1: nothing within reach
	double weights[4]; // of its corners, >= 0, sum 1: the closest point (weights[3] is 0 for triangles)
	double distance2;  // squared; 0 inside a tetrahedron
	lm_vec3 point;
} lm_bvh_hit;

// The element closest to p among those not farther than reach (INFINITY: no limit). Of equally close ones (to
// rounding of the boxes) the lowest.
lm_bvh_hit lm_bvh_closest(const lm_bvh* bvh, lm_vec3 p, double reach);

// Calls visit for every element whose own box overlaps (touching counts) the given one, in the order of the leaves;
// stops when it returns false. Returns false when stopped.
typedef bool lm_bvh_visit_fn(void* context, int32_t element);
bool lm_bvh_overlaps(const lm_bvh* bvh, lm_box box, lm_bvh_visit_fn* visit, void* context);

// The tetrahedron whose barycentric coordinates of p are all >= -tolerance; of several the one p lies deepest in, then
// the lowest. -1 if none. weights may be NULL.
int32_t lm_bvh_containing_tet(const lm_bvh* bvh, lm_vec3 p, double tolerance, double weights[4]);

// Comparisons rather than fmin and fmax, which are function calls: these run in the innermost loops.
static inline double lm_smaller(double a, double b)
{
	return a < b ? a : b;
}

static inline double lm_larger(double a, double b)
{
	return a > b ? a : b;
}

static inline lm_box lm_box_empty(void)
{
	return (lm_box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

static inline lm_box lm_box_join(lm_box a, lm_box b)
{
	return (lm_box){ { lm_smaller(a.low.x, b.low.x), lm_smaller(a.low.y, b.low.y), lm_smaller(a.low.z, b.low.z) },
		             { lm_larger(a.high.x, b.high.x), lm_larger(a.high.y, b.high.y), lm_larger(a.high.z, b.high.z) } };
}

static inline bool lm_box_overlaps(lm_box a, lm_box b)
{
	return a.low.x <= b.high.x && a.low.y <= b.high.y && a.low.z <= b.high.z && b.low.x <= a.high.x &&
	       b.low.y <= a.high.y && b.low.z <= a.high.z;
}

// Squared distance, 0 inside.
static inline double lm_box_distance2(lm_box box, lm_vec3 p)
{
	double x = lm_larger(0, lm_larger(box.low.x - p.x, p.x - box.high.x));
	double y = lm_larger(0, lm_larger(box.low.y - p.y, p.y - box.high.y));
	double z = lm_larger(0, lm_larger(box.low.z - p.z, p.z - box.high.z));
	return x * x + y * y + z * z;
}

static inline lm_box lm_bvh_element_box(const lm_bvh* bvh, int32_t element)
{
	const int32_t* corner = bvh->elements + (int64_t)bvh->corners * element;
	lm_vec3 x = lm_v3_at(bvh->positions, corner[0]);
	lm_box box = { x, x };
	for (int i = 1; i < bvh->corners; ++i)
	{
		x = lm_v3_at(bvh->positions, corner[i]);
		box = lm_box_join(box, (lm_box){ x, x });
	}
	return box;
}

#endif
