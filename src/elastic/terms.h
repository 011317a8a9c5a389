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
	// NULL: measure and law. Else the measure is the size of the elements, and `factors` has it for the initial shape.
	const lm_elastic_model* model;
	double* numbers; // what the model takes of the initial shape (count x lm_own_count)
	int32_t colour_count;
	int32_t* colour_starts; // colour_count + 1
} lm_term_set;

static inline double lm_stiffness(const lm_term_set* set, const lm_elastic_material* material)
{
	switch (set->stiffness)
	{
		case LM_STIFFNESS_STRETCH: return material->stretch;
		case LM_STIFFNESS_BEND: return material->bend;
		default: return material->volume;
	}
}

// Room for count terms; slots of their own when incompatible.
lm_status lm_term_set_create(const lm_measure* measure, lm_stiffness_kind stiffness, bool green, int32_t count,
                             bool incompatible, const lm_host* host, lm_term_set* set, lm_error* error);
// The same for terms of a model, which are solid elements.
lm_status lm_term_set_create_own(const lm_elastic_model* model, int32_t count, bool incompatible, const lm_host* host,
                                 lm_term_set* set, lm_error* error);
void lm_term_set_release(lm_term_set* set, const lm_host* host);

// Term t of a set under these stiffnesses.
static inline lm_term lm_term_set_get(const lm_term_set* set, const lm_elastic_material* material, int64_t t)
{
	const lm_measure* m = set->measure;
	lm_term term = { m,
		             { m->count, lm_stiffness(set, material) * set->factors[t],
		               set->green ? set->initial + t * m->count : NULL },
		             { 0 } };
	if (set->model != NULL)
		term.own = (lm_own){ set->model, set->numbers + t * lm_own_count(set->model), set->factors[t],
			                 material->stretch, material->volume };
	return term;
}

// Fills in the measures of the initial shape.
void lm_term_set_measure(lm_term_set* set, const double* positions);

// Sorts the terms by colour. Once everything else is filled in.
lm_status lm_term_set_colour(lm_term_set* set, int32_t vertex_count, const lm_host* host, lm_error* error);

#endif
