// quick.h: energies, forces and stiffnesses of whole ranges of terms, four at a time in the lanes of vectors, for the
// measures that simulations spend their time on: squared lengths, areas, volumes and hinges with the scalar law, Gram
// matrices in the plane with Green's. The same numbers as the chain rule gives (chain.h), up to rounding.
//
// One call may add up two potentials of the same material that meet in x: the one from the rest shape and damping. All
// that depends on x alone is then computed once.
#ifndef LM_ELASTIC_QUICK_H
#define LM_ELASTIC_QUICK_H

#include "elastic/terms.h"

#define LM_QUICK_RESTS 2

typedef struct lm_quick_rest
{
	const double* X;
	const double* measured; // of X, by `measure`; NULL: it is done on the way
	double stiffness;       // times what the result is scaled by
} lm_quick_rest;

typedef struct lm_quick
{
	const lm_term_set* set;
	const int32_t* corners; // where x has the corners of the terms: set->vertices, or slots
	const double* x;
	int rest_count; // 1 or 2
	lm_quick_rest rests[LM_QUICK_RESTS];
} lm_quick;

// One source, compiled for several machines.
typedef struct lm_quick_kernels
{
	// What the terms begin .. end need of rests[0].X, number k of term t at [k count + t].
	void (*measure)(const lm_quick* quick, int32_t begin, int32_t end, double* measured);
	// The sum of the energies.
	double (*energy)(const lm_quick* quick, int32_t begin, int32_t end);
	// g += dW/dx, in the order of the terms.
	void (*add_gradient)(const lm_quick* quick, int32_t begin, int32_t end, double* g);
	// values += d2W/dx2; the terms of the set are the elements from `first` on of the pattern, which is symmetric.
	// convex: as lm_chain_convex.
	void (*add_stiffness)(const lm_quick* quick, bool convex, int32_t begin, int32_t end, const lm_pattern* pattern,
	                      int64_t first, double* values);
} lm_quick_kernels;

extern const lm_quick_kernels lm_quick_kernels_plain, lm_quick_kernels_avx2;

// The widest that are not above this level.
const lm_quick_kernels* lm_quick_find_kernels(lm_simd simd);

// Numbers per term that `measure` writes; 0 when the kernels do not serve the set.
int lm_quick_numbers(const lm_term_set* set);

#endif
