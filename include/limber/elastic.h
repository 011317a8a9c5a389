// elastic.h: an elastic energy of one's own for the solids of `act`, and a check of its derivatives.
//
//   lm_elastic_model mine = { .name = "mine", .dimension = 3, .form = LM_ELASTIC_STRAINS, .energy = energy,
//                             .first = first, .second = second };
//   if (lm_elastic_check(&mine, 2000, 2000, 1e-6, NULL, &error) != LM_OK)
//       return error.status; // the sentence in it says which derivative is off, where and by how much
//
// From then on lm_act_def.model may be it. A model is the energy of one element, W(x, X): x is its shape, X its rest
// shape. Characters move by changing X, so it must be differentiable by both. docs/own-energy.md has a whole program.
#ifndef LIMBER_ELASTIC_H
#define LIMBER_ELASTIC_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

// The numbers that a shape of an element is given in.
typedef enum lm_elastic_form
{
	// The coordinates of its corners: 6 of a triangle in the plane, 12 of a tetrahedron. The energy may be any that
	// rigid motions of x, and of X, do not change.
	LM_ELASTIC_CORNERS,
	// What rigid motions cannot change: the inner products of the edges e_i = x_i - x_0, and the signed size. In the
	// plane 4: e1.e1, e1.e2, e2.e2 and the area; in space 7: e1.e1, e1.e2, e1.e3, e2.e2, e2.e3, e3.e3 and the volume.
	// The program differentiates by these, and limber by the corners.
	LM_ELASTIC_STRAINS
} lm_elastic_form;

#define LM_ELASTIC_NUMBERS 12 // most numbers of a shape

// Where a model is evaluated. Shapes are any: collapsed, inverted, far too large. What is not finite counts as 0.
typedef struct lm_elastic_at
{
	const void* data;       // of the model
	int32_t count;          // numbers of a shape, n
	const double *x, *X;    // shape and rest shape, n numbers each
	const double* initial;  // the initial shape, which never changes: energies are integrated over it
	double size;            // its area or volume, above 0
	double stretch, volume; // the stiffnesses of the body's material: the energy should be linear in them
} lm_elastic_at;

// Each function writes what is not NULL; matrices are n x n, row by row. They are called by several threads at once.
typedef struct lm_elastic_model
{
	const char* name;
	int32_t dimension; // 2: triangles in the plane; 3: tetrahedra
	lm_elastic_form form;
	const void* data;
	double (*energy)(const lm_elastic_at* at);
	// dW/dx and dW/dX
	void (*first)(const lm_elastic_at* at, double* x, double* X);
	// d2W/dx2, d2W/dx dX (rows belong to x, columns to X) and d2W/dX2
	void (*second)(const lm_elastic_at* at, double* xx, double* xX, double* XX);
	// The second derivatives of r . dW/dx for n constant numbers r. May be NULL: bodies are never `exact` then.
	void (*third)(const lm_elastic_at* at, const double* r, double* xx, double* xX, double* XX);
} lm_elastic_model;

// A neo-Hookean solid in the plane (2) or in space (3), which is finite and pushes back when it is inverted: see
// docs/elastic.md. Near rest it is the material of LM_ACT_SOLID2 and LM_ACT_SOLID_GREEN.
LM_API const lm_elastic_model* lm_elastic_neo_hookean(int32_t dimension);

// ---- is it right?

typedef enum lm_elastic_derivative
{
	LM_ELASTIC_X,         // dW/dx
	LM_ELASTIC_REST,      // dW/dX
	LM_ELASTIC_XX,        // d2W/dx2
	LM_ELASTIC_X_REST,    // d2W/dx dX
	LM_ELASTIC_REST_REST, // d2W/dX2
	LM_ELASTIC_R_XX,      // of r . dW/dx: its three second derivatives
	LM_ELASTIC_R_X_REST,
	LM_ELASTIC_R_REST_REST,
	LM_ELASTIC_DERIVATIVES
} lm_elastic_derivative;

// What was found, at the worst of all shapes that were tried.
typedef struct lm_elastic_check_report
{
	// Largest difference of each derivative to differences of the one below it, relative to its largest entry.
	double off[LM_ELASTIC_DERIVATIVES];
	int32_t row[LM_ELASTIC_DERIVATIVES], column[LM_ELASTIC_DERIVATIVES]; // where; of vectors the column is 0
	double given[LM_ELASTIC_DERIVATIVES], expected[LM_ELASTIC_DERIVATIVES];
	double rest;  // largest entry of dW/dx where x = X, relative to the largest of the others
	double rigid; // largest change of W by rigid motions of x or X, relative to the largest W; 0 of strains
} lm_elastic_check_report;

// Compares every derivative with differences of the one below it: near rest, far from it, with x and with X inverted;
// and looks whether there are forces at rest, and whether rigid motions change the energy. stretch, volume: the
// stiffnesses to use. tolerance: what relative difference is right, 1e-6 say. LM_BAD_INPUT with a sentence about the
// worst that is wrong, or about functions that are missing. report: may be NULL.
LM_API lm_status lm_elastic_check(const lm_elastic_model* model, double stretch, double volume, double tolerance,
                                  lm_elastic_check_report* report, lm_error* error);

// "dW/dx", "d2W/dx dX" ...
LM_API const char* lm_elastic_derivative_name(lm_elastic_derivative derivative);

#ifdef __cplusplus
}
#endif
#endif
