// predicates.h: on which side a point lies, exactly: signs of determinants of coordinates that no rounding can turn.
//
// A bound on the rounding decides nearly always; what it cannot decide is computed again with sums of doubles that do
// not overlap (J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates,
// 1997). Coordinates are finite, between 1e-90 and 1e90 or zero, so that no product of three under- or overflows.
#ifndef LM_MATH_PREDICATES_H
#define LM_MATH_PREDICATES_H

#include "math/vec.h"

// 1 when a, b, c turn counter-clockwise, -1 clockwise, 0 on a line. Each has two numbers.
int lm_orient2(const double a[2], const double b[2], const double c[2]);

// The sign of (a - d) . ((b - d) x (c - d)): 0 when the four lie in a plane.
int lm_orient3(lm_vec3 a, lm_vec3 b, lm_vec3 c, lm_vec3 d);

#endif
