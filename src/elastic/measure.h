// measure.h: strain measures, the geometric quantities that the elastic potentials are written in.
//
// A measure maps the corners of one small element to one or a few numbers q_a that do not change under rigid motions:
// squared edge lengths, areas, volumes, angles, the entries of the edge Gram matrix. Corners come as one local vector
// x of `size` = corners * dimension numbers, corner by corner. Each measure offers
//   value     q_a(x)
//   gradient  J = dq/dx, row a is the gradient of q_a
//   hessian   A += sum_a c_a H_a(x), H_a = d2 q_a / dx2
//   product   the rows (H_a(x) u)^T for a direction u
//   third     A += sum_a c_a dH_a(x + t u)/dt at t = 0; NULL where the measure is quadratic and this is zero
// so that one chain rule (chain.h) serves every potential. All matrices are dense, row by row.
//
// Everything is finite for every finite x. Lengths, areas, volumes and Gram matrices are polynomials and need no care.
// Angles have no derivative where an edge or a triangle has collapsed (below LM_MEASURE_FLAT of the element's largest
// edge): there the derivatives that would be infinite are set to zero, which is to say that a direction that is not
// defined exerts no force.
#ifndef LM_ELASTIC_MEASURE_H
#define LM_ELASTIC_MEASURE_H

#include <stdbool.h>

#define LM_MEASURE_CORNERS 4  // most corners
#define LM_MEASURE_SIZE 12    // most local coordinates
#define LM_MEASURE_COUNT 6    // most numbers per measure
#define LM_MEASURE_ROWS 12    // most rows of a mixed derivative's factors
#define LM_MEASURE_FLAT 1e-7  // relative length or height below which an angle has no derivative
#define LM_MEASURE_TINY 1e-60 // elements smaller than this have no angles at all

typedef struct lm_measure
{
	int dimension, corners;
	int size;   // corners * dimension
	int count;  // how many numbers q_a
	bool angle; // q is an angle: differences are taken modulo 2 pi
	void (*value)(const double* x, double* q);
	void (*gradient)(const double* x, double* J);
	void (*hessian)(const double* x, const double* c, double* A);
	void (*product)(const double* x, const double* u, double* R);
	void (*third)(const double* x, const double* c, const double* u, double* A);
} lm_measure;

extern const lm_measure lm_measure_length2, lm_measure_length3; // squared length of an edge, in 2D and 3D
extern const lm_measure lm_measure_area;                        // signed area of a triangle in the plane
extern const lm_measure lm_measure_volume;                      // signed volume of a tetrahedron
extern const lm_measure lm_measure_turning;                     // from edge ab to edge bc in the plane
extern const lm_measure lm_measure_hinge; // edge ab, wings c and d: 0 when flat, towards +-pi when folded shut
extern const lm_measure lm_measure_gram2; // (e1.e1, e1.e2, e2.e2) of a triangle in the plane, e_i = x_i - x_0
extern const lm_measure lm_measure_gram3; // (e1.e1, e1.e2, e1.e3, e2.e2, e2.e3, e3.e3) of a tetrahedron

// The hinge's angle as (c, s), cosine and sine times the same positive number, and with the gradient (12) of the angle.
// Where it has no derivative: false, and the angle is 0.
bool lm_hinge_pair(const double* x, double* c, double* s);
bool lm_hinge_first(const double* x, double* c, double* s, double* J);

#endif
