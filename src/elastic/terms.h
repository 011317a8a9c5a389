// terms.h: the terms of a body, all of one measure in one set, coloured so that terms of one colour share no vertex:
// they may add their results side by side, and the order of additions does not depend on the number of threads.
#ifndef LM_ELASTIC_TERMS_H
#define LM_ELASTIC_TERMS_H

#include "elastic/chain.h"
#include "elastic/elastic.h"

typedef enum lm_stiffness_kind
{
	LM_STIFFNESS_STRETCH,
	LM_STIFFNESS_BEND,
	LM_STIFFNESS_VOLUME
} lm_stiffness_kind;

typedef struct lm_term_set
{
	const lm_measure* measure;
	lm_stiffness_kind stiffness;
	bool green; // the law: Green strain, else scalar
	int32_t count;
	int32_t* vertices; // count x corners
	int32_t* slots;    // the same of the rest shape; equal to `vertices` (the same array) when compatible
	double* factors;   // the law's weight is stiffness times this
	double* initial;   // measures of the initial shape (count x measure->count)
	int32_t colour_count;
	int32_t* colour_starts; // colour_count + 1
} lm_term_set;

// Room for count terms; slots of their own when incompatible.
lm_status lm_term_set_create(const lm_measure* measure, lm_stiffness_kind stiffness, bool green, int32_t count,
                             bool incompatible, const lm_host* host, lm_term_set* set, lm_error* error);
void lm_term_set_release(lm_term_set* set, const lm_host* host);

// Fills in the measures of the initial shape.
void lm_term_set_measure(lm_term_set* set, const double* positions);

// Sorts the terms by colour. Once everything else is filled in.
lm_status lm_term_set_colour(lm_term_set* set, int32_t vertex_count, const lm_host* host, lm_error* error);

#endif
