// timeline.h: the motion of one object: its nodes at a few frames, and everything in between (Adams et al. 2009,
// Sec. 6.1).
//
//   f(x, t) = sum_k w_k(t) f_k(x) + [ R(t) - sum_k w_k(t) R_k ] (x - c_0) + e(t)
//
// is Eq. 16 with its parts put together: f_k the frames around t, R_k their rotations by shape matching, w_k the
// weights of a cubic Hermite spline whose slopes are those of parabolas through three frames (Catmull-Rom for uneven
// times), R(t) a spline of quaternions. Rigid frames give rigid motion: exactly R(t) (x - c_0) + sum w_k c_k. e(t) is
// zero, except next to frames whose velocity is prescribed: there it brings the centre to that velocity. Where the
// velocity v of every node is prescribed, the slopes of the spline at that frame are v - dR/dt (x - c_0) instead. Where
// that of a part of the object is, e(t) is different at each of its nodes: what the slope there lacks to it.
//
// Departure: the paper's squad (Eq. 31) recovers rigid motions only for equal time steps. Here R(t) is a cumulative
// cubic Bezier curve (M.-J. Kim, M.-S. Kim, S. Shin, A general construction scheme for unit quaternion curves, 1995),
//   q(u) = q_j exp(B1 log(q_j^-1 b1)) exp(B2 log(b1^-1 b2)) exp(B3 log(b2^-1 q_j+1)),
//   b1 = q_j exp(w_j h / 3),  b2 = q_j+1 exp(-w_j+1 h / 3),  B1 = 1 - (1-u)^3, B2 = 3u^2 - 2u^3, B3 = u^3,
// with angular velocities w_j from the rotations between neighbours, weighted as the slopes: a screw is a screw on any
// frames. All times here are fractions of the whole.
#ifndef LM_DESIGN_TIMELINE_H
#define LM_DESIGN_TIMELINE_H

#include "design/model.h"
#include "math/quat.h"

// The velocity of some nodes at a frame: linear + spin x (y - the middle of these nodes), per whole time.
typedef struct lm_design_part_velocity
{
	int32_t count;
	int32_t* nodes; // owned
	lm_vec3 linear, spin;
	double* lack; // owned: what slopes before and after the frame lack to it, 2 x count x 3; from the last fit
} lm_design_part_velocity;

typedef struct lm_design_frame
{
	double time;
	bool fixed;        // a keyframe of the whole object: not an unknown
	bool broken;       // the motion may turn sharply here
	bool still;        // begins or ends a time of rest
	bool held;         // from here to the next frame nothing moves
	bool has_velocity; // prescribed:
	lm_vec3 velocity;  // of the centre, own lengths per whole time
	lm_vec3 spin;      // radians per whole time, in the world's axes
	double* y;         // nodes, own coordinates, node_count x 3
	double* slope;     // their velocities, own lengths per whole time, when those are prescribed; else NULL
	int32_t part_count;
	lm_design_part_velocity* parts; // velocities of parts, each of nodes of its own
	uint8_t* pinned;                // per node: fixed at this frame
	lm_quat q;                      // rotation that fits best
	lm_vec3 before, after;          // angular velocity towards the frame before and after, in the body's axes
} lm_design_frame;

typedef struct lm_design_timeline
{
	lm_host host;
	const lm_design_model* model;
	int32_t count;
	size_t capacity;
	lm_design_frame* frames; // times ascend
	bool linear;             // f(x, t) = (1 - u) f_j(x) + u f_j+1(x) instead
} lm_design_timeline;

// Something at a time, as a linear map of frames: z_i = sum w y_i(frame) + D (x_i - c_0) + e.
typedef struct lm_design_instant
{
	double time;
	int32_t interval; // between this frame and the next
	int32_t frame[4];
	double w[4], dw[4];
	int count;
	lm_mat3 D, dD; // of dD, de, dw: derivatives by time
	lm_vec3 e, de;
	double s[2], ds[2]; // of the slopes prescribed at the two ends of the interval
	double p[2], dp[2]; // of what the slopes of parts lack there
} lm_design_instant;

void lm_design_timeline_release(lm_design_timeline* timeline);

// A new frame at a time, between its neighbours; positions zero. NULL when out of memory. Frames' pointers change.
lm_design_frame* lm_design_timeline_insert(lm_design_timeline* timeline, double time);

// Rotations and their speeds, after frames have changed.
void lm_design_timeline_fit(lm_design_timeline* timeline);

// Prescribes the velocities of all nodes at a frame (own lengths per whole time). False when out of memory.
bool lm_design_timeline_set_slope(lm_design_timeline* timeline, lm_design_frame* frame, const double* slope);

// Prescribes the velocity of some nodes at a frame. False when out of memory.
bool lm_design_timeline_add_part(lm_design_timeline* timeline, lm_design_frame* frame, int32_t count,
                                 const int32_t* nodes, lm_vec3 linear, lm_vec3 spin);

// Needs lm_design_timeline_fit. Times outside are those of the ends.
lm_design_instant lm_design_timeline_at(const lm_design_timeline* timeline, double time);
// Nodes z (node_count x 3) at an instant; velocity (per whole time) may be NULL.
void lm_design_timeline_nodes(const lm_design_timeline* timeline, const lm_design_instant* instant, double* z,
                              double* velocity);

// Half the time to both neighbours of a frame.
double lm_design_timeline_share(const lm_design_timeline* timeline, int32_t frame);

// The rotation that brings the nodes at rest closest to y.
lm_quat lm_design_timeline_rotation(const lm_design_model* model, const double* y);

// Whether a node stays in its place from this frame to the next.
bool lm_design_timeline_holds(const lm_design_timeline* timeline, int32_t interval, int32_t node);

// Weights of the slope of the spline at a frame, for both sides alike when it is smooth there.
int lm_design_timeline_slope(const lm_design_timeline* timeline, int32_t frame, int32_t frames[3], double weights[3]);

// ---- timeline_parts.c: velocities of parts ----
void lm_design_parts_release(lm_design_timeline* timeline, lm_design_frame* frame);
bool lm_design_parts_copy(lm_design_timeline* timeline, lm_design_frame* frame, const lm_design_frame* like);
// The middle of the part's nodes, and what one of them is to do there.
lm_vec3 lm_design_part_middle(const lm_design_part_velocity* part, const double* y);
lm_vec3 lm_design_part_velocity_of(const lm_design_part_velocity* part, lm_vec3 middle, const double* y, int32_t node);
// z += weight * lack for the nodes of parts; side 0: before the frame, 1: after it.
void lm_design_parts_add(const lm_design_frame* frame, int side, double weight, double* z);

#endif
