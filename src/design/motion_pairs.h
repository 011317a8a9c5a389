// motion_pairs.h: objects among each other (Adams et al. 2009, Eq. 24), at moments that all of them share.
#ifndef LM_DESIGN_MOTION_PAIRS_H
#define LM_DESIGN_MOTION_PAIRS_H

#include "design/motion.h"

// Point `point` of body a is near the surface of body b.
typedef struct lm_design_pair_contact
{
	int32_t a, point, b;
	int32_t count;  // of b's nodes that move the place
	size_t first;   // of them in the contacts's list
	lm_vec3 normal; // in the world, out of b; its length takes lengths of the world to distances of b
	double depth;   // below the margin, lengths of b
	double share;   // how many moments it stands for
} lm_design_pair_contact;

typedef struct lm_design_pair_contacts
{
	size_t count, capacity;
	lm_design_pair_contact* touches;
	size_t entry_count, node_capacity, phi_capacity;
	int32_t* node; // of the places in the b's
	double* phi;
	double energy;
} lm_design_pair_contacts;

struct lm_design_motion_pairs
{
	int32_t moment_count;
	double tau;
	double margin;               // as far as fields reach
	lm_design_instant* instants; // [moment x body]
	int64_t* first;              // [body + 1] of the nodes' numbers in z
	double* z;                   // [moment] nodes of all bodies, own coordinates
	double* gradient;            // beside z
	uint8_t* touched;            // [moment x body] whether it touches another; only then its gradient is there
	lm_design_pair_contacts* moment_contacts; // [moment]
	uint8_t* strides; // [window x body x body] the pair is looked at once in so many moments, a power of two
};

#define LM_DESIGN_WINDOW 16 // moments

// Which pairs to leave out at a moment, and what the others count; NULL: none.
typedef struct lm_design_motion_turns
{
	const uint8_t* strides; // [body x body]
	int32_t moment;
} lm_design_motion_turns;

bool lm_design_find_some_pair_contacts(const lm_design_motion* motion, double time, const double* z, double margin,
                                       const lm_design_motion_turns* turns, lm_design_pair_contacts* contacts);

// Everything closer than the margin at one moment (a fraction of the whole time), by pairs in order. z: nodes of
// all bodies, those of body b from pairs->first[b]. False when out of memory.
bool lm_design_find_pair_contacts(const lm_design_motion* motion, double time, const double* z, double margin,
                                  lm_design_pair_contacts* contacts);
// All vertices that are in others (margin 0): the points of the touches are vertices.
bool lm_design_motion_find_depths(const lm_design_motion* motion, double time, const double* z,
                                  lm_design_pair_contacts* contacts);

#endif
