// motion.h: the inside of lm_design_motion: the energies of Eq. 25 over the frames of all objects.
//
//   E = sum over objects and frames of  tau_j (strain E_strain + volume E_volume)
//       + acceleration sum tau_j |second difference|^2 / N
//       + velocity tau_j |slope of the centre, or of the nodes of a part - v|^2
//       + obstacles sum over instants tau_s sum over points max(0, margin - distance)^2
//       + objects   sum over instants tau_s sum over pairs and points max(0, margin - distance)^2
//
// tau_j: half the time to both neighbours, so that a frame more changes little.
// Instants are the frames and a few moments between them. What an instant takes from the rotations of frames (D and e
// of lm_design_instant) is held fixed during a solve and renewed between solves: within a solve the gradient is exact.
#ifndef LM_DESIGN_MOTION_H
#define LM_DESIGN_MOTION_H

#include "contact/obstacles.h"
#include "design/descent.h"
#include "design/elastic.h"
#include "design/outline.h"
#include "design/timeline.h"

#define LM_DESIGN_BETWEEN 3 // instants between two frames

typedef struct lm_design_motion_moment
{
	lm_design_instant instant;
	double tau;
} lm_design_motion_moment;

// A point of a body is closer to an obstacle than the margin.
typedef struct lm_design_obstacle_contact
{
	int32_t moment, point;
	lm_vec3 normal;
} lm_design_obstacle_contact;

typedef struct lm_design_motion_body
{
	lm_design_timeline timeline;
	int32_t node_count;
	int32_t budget;     // most frames
	double from, until; // fractions of time between which others meet it
	int32_t key_frames; // frames that were there before any was inserted
	double size;
	lm_vec3 center;               // of own coordinates
	double radius;                // of a sphere about the middle of the nodes that holds the surface, own coordinates
	const lm_design_rows* points; // on the surface, that keep off things
	const lm_design_field* field; // signed distance, for others to keep off; NULL when it is alone
	const lm_design_outline* outline; // likewise
	int32_t key_count;
	lm_design_motion_key* keys; // copies, positions in own coordinates, times in fractions
	int32_t* slot;              // [frames] which block of unknowns, or -1
	int32_t free_count;
	int64_t offset; // of its unknowns
	int32_t moment_count;
	lm_design_motion_moment* moments;              // for obstacles
	lm_obstacle* obstacles;                        // [moments x colliders]
	size_t obstacle_contact_count;                 // of the last evaluation
	lm_design_obstacle_contact* obstacle_contacts; // room for [moments x points]
	lm_design_band metric;
	double (*coupling)[2]; // [free_count] of each block with the next two, times the identity, when the metric has none
	double* scratch;       // 2 x 3 x node_count
	double* contact;       // matrix of contacts, one block
	double energy;         // of the last evaluation
	double key_error, obstacle_depth, pair_depth;
} lm_design_motion_body;

static inline bool lm_design_motion_is_there(const lm_design_motion_body* body, double time)
{
	return time >= body->from - 1e-9 && time <= body->until + 1e-9;
}

typedef struct lm_design_motion_pairs lm_design_motion_pairs;

struct lm_design_motion
{
	lm_host host;
	lm_design_motion_settings settings;
	double start; // seconds of the colliders' clock at which the motion begins
	int32_t count;
	lm_design_motion_body* bodies;
	const lm_colliders* colliders; // borrowed while solving
	lm_obstacle_moments shapes;    // of colliders at the moments of all bodies
	int32_t model_count;           // different models
	lm_design_rows* points;        // of each
	lm_design_field* fields;       // of each
	lm_design_outline* outlines;   // of each
	lm_design_motion_pairs* pairs; // NULL when there is one object
	double obstacles, objects;     // weights as raised so far
	int64_t n, room;
	double *x, *work; // of room numbers
	bool settled;     // the last metric is that of these frames and weights, and served to the end
	lm_design_motion_report report;
	// Instead of lm_design_descent_solve, for comparisons; NULL: none.
	lm_design_descent_report (*minimise)(void* minimiser, const lm_design_descent_problem* problem,
	                                     const lm_design_descent_settings* settings, double* x, double* work);
	void* minimiser;
	bool cancelled;
	bool pairs_failed; // out of memory in an evaluation
	double done;       // progress
};

// ---- motion.c ----
// The bodies without keys, with more points on their surfaces: where motions are played and simulated. Of its pairs
// there is only where the nodes of each body begin.
lm_status lm_design_motion_create_stage(const lm_design_motion_object* objects, int32_t count,
                                        const lm_colliders* colliders, double start,
                                        const lm_design_motion_settings* settings, const lm_host* host,
                                        lm_design_motion** stage, lm_error* error);

// How deep the surface is in an obstacle.
typedef struct lm_design_motion_depth
{
	double depth;     // metres
	int32_t collider; // which; -1: none, or no deeper than LM_MOTION_TOUCHING
} lm_design_motion_depth;
#define LM_MOTION_TOUCHING 0.01 // own lengths: this much is no mistake of who made the keys

// Of every key of the whole object, found[key_count]: what lm_design_motion_create would refuse, before any work.
lm_status lm_design_motion_key_depths(const lm_design_motion_object* object, const lm_colliders* colliders,
                                      double start, const lm_design_motion_settings* settings, const lm_host* host,
                                      lm_design_motion_depth* found, lm_error* error);

// Where the unknowns of a frame are in those of the motion; NULL: it has none.
static inline double* lm_design_motion_block(const lm_design_motion_body* body, double* gradient, int32_t frame)
{
	return body->slot[frame] < 0 ? NULL : gradient + (int64_t)body->slot[frame] * 3 * body->node_count;
}

// ---- motion_velocity.c ----
double lm_design_motion_velocity_energy(const lm_design_motion* motion, const lm_design_motion_body* body,
                                        double* gradient);
void lm_design_motion_velocity_metric(const lm_design_motion* motion, lm_design_motion_body* body);

// ---- motion_energy.c ----
double lm_design_motion_energy(void* motion, const double* x, double* gradient);
bool lm_design_motion_refresh(void* motion, const double* x);
void lm_design_motion_apply(void* motion, const double* gradient, double* d);
void lm_design_motion_scatter(lm_design_motion* motion, const double* x); // into the frames

// The colliders that a body with nodes at z may touch. More than these are not looked at at once.
#define LM_DESIGN_MOST_COLLIDERS 64
typedef struct lm_design_motion_near
{
	int32_t count;
	int32_t collider[LM_DESIGN_MOST_COLLIDERS];
} lm_design_motion_near;
void lm_design_motion_find_near(const lm_design_motion* motion, const lm_design_motion_body* body,
                                const lm_obstacle* obstacles, const double* z, lm_design_motion_near* near);

// Distance of a point (own coordinates) of a body to the nearest of these, and the direction in which it grows.
double lm_design_motion_obstacle_distance(const lm_design_motion_body* body, const lm_obstacle* obstacles,
                                          const lm_design_motion_near* near, lm_vec3 point, double reach,
                                          lm_vec3* normal);
// Of the colliders' clock at a time 0 .. 1.
double lm_design_motion_seconds(const lm_design_motion* motion, double time);

// ---- motion_pairs.c ----
lm_status lm_design_motion_pairs_prepare(lm_design_motion* motion, lm_error* error);
void lm_design_motion_pairs_release(lm_design_motion* motion);
// Adds to the gradient of the bodies; returns the energy.
double lm_design_motion_pairs_energy(lm_design_motion* motion, double* gradient);
// Adds the contacts of the last evaluation to the metric of a body.
void lm_design_motion_pairs_metric(const lm_design_motion* motion, int32_t body);
// Deepest that the vertices of all bodies are in others at times 0 .. 1 in so many steps, into body->pair_depth.
lm_status lm_design_motion_pairs_check(lm_design_motion* motion, int64_t steps, lm_error* error);
// ---- motion_paths.c ----
// Ways around obstacles and each other, found by moving bodies as a whole; shifts the free frames.
lm_status lm_design_motion_find_paths(lm_design_motion* motion, lm_error* error);

// ---- motion_solve.c ----
lm_status lm_design_motion_prepare_round(lm_design_motion* motion, lm_error* error);

#endif
