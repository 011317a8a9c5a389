// touches.h: what soft bodies touch in an implicit step: colliders, and each other. Double precision, for tetrahedral
// solids, shells, and solids and curves in the plane z = 0.
//
// A step:
//   lm_touches_begin   from where bodies were and where they are predicted to be: the list of touches, everything
//                      about them frozen, with the anchors and sides stored in the last step
//   then, as often as wanted, for each touch: q = lm_touch_point(...), lm_spring_evaluate(&touch->spring, q, ...);
//                      the force on vertex i of the touch is weight_i f, blocks of -df/dx are
//                      weight_i weight_j (A + U V^T), second derivatives weight_i weight_j S with
//                      lambda = sum over i of weight_i lambda_i
//   lm_touches_again   at the solution: whether it still touches what it was solved for, else new touches (solve again;
//                      twice or three times is plenty: what is left flickers between neighbouring features)
//   lm_touches_end     at the solution: anchors slide, are made and dropped; stored in each body's memory
//
// A touch of a collider: q is the point itself. Its anchor is where the point was at the start of the step when it was
// free then, carried along by the collider, and is stored in the collider's frame.
//
// What enters a body between its vertices: corners and sharp edges of boxes and meshes, and balls and capsules that are
// small beside its faces, is a touch of the collider, too: q is then the point of the body that the corner is at, and
// the normal that of the body's face, frozen. Its sample is a number beyond those of the body's own points.
//
// A touch of another body: q = p_a - p_b, with p_b a point of b that is as much a part of b as p_a is of a; so forces
// are opposite, and as p_a and p_b coincide at the predicted positions (solids: through the coordinates of the
// tetrahedron or triangle at p_a; of shells and curves they differ by the distance), their torques cancel, too. The gap
// is n . q + constant with the normal frozen. The stretch of friction is that of the last step plus what p_a has moved
// against b's material since.
//
// Bodies of 2 and of 3 dimensions do not touch each other. A body does not touch itself.
//
// The same bits for any number of threads; no allocation once the largest number of touches has been seen.
#ifndef LM_CONTACT_TOUCHES_H
#define LM_CONTACT_TOUCHES_H

#include "base/blob.h"
#include "contact/pairs.h"
#include "contact/springs.h"

// ---- shapes. 3D: lm_contact_body_create (contact/pairs.h).

// A body in the plane: triangles (corners 3, counter-clockwise) or a curve (corners 2, closed or not). positions: at
// rest, 2 numbers per vertex. Indices out of range and elements that name a vertex twice are LM_BAD_INPUT.
lm_status lm_contact_body_create_flat(int32_t vertex_count, const double* positions, int32_t element_count, int corners,
                                      const int32_t* elements, const lm_host* host, lm_contact_body** body,
                                      lm_error* error);

// ---- touches stored from step to step

// A touch of the last step.
typedef struct lm_touch_record
{
	int32_t sample;
	int32_t collider; // -1: a body
	int32_t other;    // id of the body; -1: a collider
	int32_t feature;  // of the collider, or face of the body (either one, where a corner has entered)
	int32_t side;     // sheets: +1 or -1; else 0
	double gap;
	double anchor[3]; // in the collider's frame; bodies: the stretch u, in the world, corners: in the collider's frame
} lm_touch_record;

typedef struct lm_touch_memory
{
	lm_host host;
	int32_t count;
	size_t capacity;
	lm_touch_record* records; // by sample, then as found
} lm_touch_memory;

void lm_touch_memory_init(lm_touch_memory* memory, const lm_host* host);
void lm_touch_memory_release(lm_touch_memory* memory);
void lm_touch_memory_clear(lm_touch_memory* memory); // after bodies have been moved by hand
void lm_touch_memory_save(const lm_touch_memory* memory, lm_blob* blob);
lm_status lm_touch_memory_load(lm_touch_memory* memory, lm_blob* blob, lm_error* error); // LM_BAD_INPUT: nonsense
uint64_t lm_touch_memory_hash(const lm_touch_memory* memory, uint64_t hash);

// ---- touches

typedef struct lm_touch_body
{
	lm_contact_body* shape;  // moved by begin and again
	lm_touch_memory* memory; // read by begin and again, written by end
	int32_t id;              // names the body from step to step; >= 0, unique
	const double* start;     // x_n, 2 or 3 numbers per vertex
	const double* now;       // begin: predicted, again and end: the solution
	double stiffness;        // N/m per point, > 0; two bodies: the harmonic mean
	double smoothing;        // m, > 0; two bodies: the larger
	double slack;            // m, > 0; likewise
	double friction;         // >= 0; geometric mean with the other's
	double thickness;        // m, >= 0: distance kept from colliders; from bodies the sum of the two
	const bool* apart;       // by id: bodies that it does not touch; NULL: it touches all
	const bool* without;     // by collider: those that it does not touch; NULL: it touches all
} lm_touch_body;

typedef struct lm_touch_step
{
	const lm_touch_body* bodies;
	int32_t count;
	const lm_colliders* colliders; // moved to the end of the step; may be NULL
	double h;
	int32_t focus; // only touches that this body has a part in; -1: all
	int threads;
} lm_touch_step;

#define LM_TOUCH_VERTICES 8

typedef struct lm_spring_touch
{
	int32_t a;      // index of the body whose point touches
	int32_t b;      // index of the body touched; -1: the collider spring.feature.collider
	int32_t sample; // the point, of a
	int32_t face;   // of b, or of a where a corner of a collider has entered; -1 for other touches of colliders
	int32_t own;    // the first `own` vertices are a's, the others b's
	int32_t count;
	int32_t vertex[LM_TOUCH_VERTICES];
	double weight[LM_TOUCH_VERTICES]; // q = sum weight x: a's sum to 1, b's to -1
	int32_t dimension;
	lm_spring spring;
} lm_spring_touch;

typedef struct lm_touches lm_touches;

lm_status lm_touches_create(const lm_host* host, lm_touches** touches, lm_error* error);
void lm_touches_destroy(lm_touches* touches);

// Sorted by a, sample, then colliders before bodies, by their indices. On failure there are none.
lm_status lm_touches_begin(lm_touches* touches, const lm_touch_step* step, lm_error* error);

// *changed: the list has been replaced, because with the bodies at `now` some touch that pushes is missing or is of
// another feature. LM_NO_MEMORY: the list is as it was.
lm_status lm_touches_again(lm_touches* touches, const lm_touch_step* step, bool* changed, lm_error* error);

// Stores touches that push. Never fails: begin and again have made room.
void lm_touches_end(lm_touches* touches, const lm_touch_step* step);

const lm_spring_touch* lm_touches_list(const lm_touches* touches, int64_t* count);

// Bodies that touch, directly or through others, get the same number; numbers count up in the order of the bodies.
// island: body_count numbers. Returns how many islands there are.
int32_t lm_touches_islands(const lm_touches* touches, int32_t body_count, int32_t* island);

// q of a touch, where a's vertices are at x_a and b's at x_b (NULL for colliders).
static inline lm_vec3 lm_touch_point(const lm_spring_touch* touch, const double* x_a, const double* x_b)
{
	double q[3] = { 0, 0, 0 };
	for (int32_t i = 0; i < touch->count; ++i)
	{
		const double* x = (i < touch->own ? x_a : x_b) + (int64_t)touch->dimension * touch->vertex[i];
		for (int k = 0; k < touch->dimension; ++k)
			q[k] += touch->weight[i] * x[k];
	}
	return lm_v3(q[0], q[1], q[2]);
}

#endif
