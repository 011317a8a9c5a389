// motion_pairs.h: objects among each other (Adams et al. 2009, Eq. 24), at moments that all of them share.
#ifndef LM_DESIGN_MOTION_PAIRS_H
#define LM_DESIGN_MOTION_PAIRS_H

#include "design/motion.h"

// Point `point` of body a is near the surface of body b.
typedef struct lm_motion_touch
{
	int32_t a, point, b;
	int32_t count;  // of b's nodes that move the place
	size_t first;   // of them in the meeting's list
	lm_vec3 normal; // in the world, out of b; its length takes lengths of the world to distances of b
	double depth;   // below the margin, lengths of b
} lm_motion_touch;

typedef struct lm_motion_meeting
{
	size_t count, capacity;
	lm_motion_touch* touches;
	size_t entry_count, node_capacity, phi_capacity;
	int32_t* node; // of the places in the b's
	double* phi;
	double energy;
} lm_motion_meeting;

struct lm_motion_pairs
{
	int32_t moment_count;
	double tau;
	lm_instant* instants;        // [moment x body]
	int64_t* first;              // [body + 1] of the nodes' numbers in z
	double* z;                   // [moment] nodes of all bodies, own coordinates
	double* gradient;            // beside z
	lm_motion_meeting* meetings; // [moment]
	lm_motion_meeting checking;
	double* check_z;
};

// Everything closer than the margin at one moment (a fraction of the whole time), sorted by b and then a. z: nodes of
// all bodies, those of body b from pairs->first[b]. False when out of memory.
bool lm_motion_find_touches(const lm_motion* motion, double time, const double* z, double margin,
                            lm_motion_meeting* meeting);

#endif
