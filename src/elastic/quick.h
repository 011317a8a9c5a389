// quick.h: energies and forces of whole ranges of terms, written out for the measures that simulations spend their time
// on: squared lengths, areas, volumes and hinges with the scalar law, Gram matrices in the plane with Green's. The same
// numbers as the chain rule gives (chain.h), up to rounding.
#ifndef LM_ELASTIC_QUICK_H
#define LM_ELASTIC_QUICK_H

#include "elastic/terms.h"

typedef struct lm_quick
{
	const lm_term_set* set;
	double stiffness;
	const double *X, *x;
	const int32_t* corners; // where x has the corners of the terms: set->vertices, or slots
} lm_quick;

// D, the difference of the hinge's angles, and dq/dx.
double lm_quick_hinge(const lm_quick* quick, int64_t term, double* x, double* J);

// Whether there is something for the set.
bool lm_quick_serves(const lm_term_set* set);

// The sum of the energies of terms begin .. end.
double lm_quick_energy(const lm_quick* quick, int32_t begin, int32_t end);

// g += scale dW/dx of terms begin .. end, in the order of the terms.
void lm_quick_add_gradient(const lm_quick* quick, double scale, int32_t begin, int32_t end, double* g);

// values += scale times d2W/dx2 of terms begin .. end; those of the set are the elements from `first` on of the
// pattern. convex: as lm_chain_convex.
void lm_quick_add_stiffness(const lm_quick* quick, bool convex, double scale, int32_t begin, int32_t end,
                            const lm_pattern* pattern, int64_t first, double* values);

#endif
