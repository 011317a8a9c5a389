// prestrain.h: what is added to the energy of elastic.h to make another strain than none the one that costs least:
//
//   |C - C_0|^2 = |C - I|^2 - 2 B : (C - I) + const,   B = C_0 - I,   C = F^T F;
//   b(J) - b'(J_0) J is least at J_0.
//
// Both additions are polynomials, so that the kernels of elastic.h stay as they are.
#ifndef LM_DESIGN_PRESTRAIN_H
#define LM_DESIGN_PRESTRAIN_H

#include "design/elastic.h"

typedef struct lm_design_prestrain
{
	double B[6]; // of C_0 - I: 00 11 22 12 20 01
	double pull; // b'(J_0)
} lm_design_prestrain;

// Energy of the additions for nodes at y; gradient is added to.
double lm_design_prestrain_energy(const lm_design_model* model, lm_design_stiffness stiffness,
                                  const lm_design_prestrain* prestrain, const double* y, double scale,
                                  double* gradient);

// The prestrain under which the nodes y are at ease; one for every point of integration.
void lm_design_prestrain_of(const lm_design_model* model, const double* y, lm_design_prestrain* prestrain);

#endif
