// optimizer.c: the optimiser's memory: all of it before the first step, but for goals.
#include "act/optimizer.h"

#include "act/optimize.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

#define TAKE(pointer, items) (((pointer) = lm_alloc(host, (size_t)(items), sizeof *(pointer))) != NULL)

static bool allocate_point(const lm_act_optimizer* o, lm_act_point* point)
{
	const lm_host* host = &o->host;
	return TAKE(point->p, o->m) && TAKE(point->X, o->rest_n) && TAKE(point->y, o->n) && TAKE(point->c, o->n);
}

static bool allocate(lm_act_optimizer* o, const lm_act* body, const lm_elastic_view* view)
{
	const lm_host* host = &o->host;
	int64_t n = o->n, m = o->m, rest_n = o->rest_n, reduced = lm_act_rest_reduce_work(&body->rest);
	int64_t entries =
		view->rest_pattern->entries > view->pattern->entries ? view->rest_pattern->entries : view->pattern->entries;
	bool shared = allocate_point(o, &o->now) && allocate_point(o, &o->trial) && allocate_point(o, &o->start) &&
	              allocate_point(o, &o->best) && TAKE(o->p_n, m) &&
	              TAKE(o->factors, lm_elastic_factor_count(body->elastic)) && TAKE(o->lambda, n) &&
	              TAKE(o->gradient, m) && TAKE(o->slope, m) && TAKE(o->dp, m) && TAKE(o->dy, n) &&
	              TAKE(o->values, entries) && TAKE(o->rest_vector, rest_n);
	if (!shared || o->sparse)
		return shared;
	return TAKE(o->E, n * m) && TAKE(o->S, n * m + 3) && TAKE(o->K, m * m) && TAKE(o->exact, m * m) &&
	       TAKE(o->factor, m * m) && TAKE(o->negative, m * LM_ACT_STRIDE(m)) && TAKE(o->linear, m) &&
	       TAKE(o->reduced, n * m > reduced ? n * m : reduced);
}

lm_status lm_act_optimizer_create(lm_act* body, lm_act_optimizer** optimizer, lm_error* error)
{
	lm_elastic_view view = lm_elastic_get(body->elastic);
	lm_act_optimizer* o = LM_NEW(&body->host, 1, lm_act_optimizer);
	if (!o)
		return lm_fail_memory(error);
	o->host = body->host;
	o->n = body->unknowns, o->m = body->rest.parameters, o->rest_n = body->rest.rest_unknowns;
	lm_status status = LM_OK;
	if (body->rest.control == LM_ACT_FULL && o->m >= LM_ACT_SPARSE_FROM)
		status = lm_act_sparse_create(body, &o->host, &o->sparse, error);
	if (status == LM_OK && !allocate(o, body, &view))
		status = lm_fail_memory(error);
	if (status != LM_OK)
	{
		lm_act_optimizer_destroy(o);
		return status;
	}
	*optimizer = o;
	return LM_OK;
}

static void free_point(const lm_act_optimizer* o, const lm_act_point* point)
{
	void* const owned[] = { point->p, point->X, point->y, point->c, point->r };
	for (size_t k = 0; k < sizeof owned / sizeof *owned; ++k)
		lm_free(&o->host, owned[k]);
}

void lm_act_optimizer_destroy(lm_act_optimizer* o)
{
	if (!o)
		return;
	lm_host host = o->host;
	lm_act_sparse_destroy(o->sparse, &host);
	free_point(o, &o->now), free_point(o, &o->trial), free_point(o, &o->start), free_point(o, &o->best);
	void* const owned[] = { o->scale,  o->goal,     o->p_n,    o->factors,     o->E,       o->S,        o->Z,     o->A,
		                    o->lambda, o->gradient, o->K,      o->exact,       o->factor,  o->negative, o->slope, o->dp,
		                    o->dy,     o->linear,   o->values, o->rest_vector, o->reduced, o->other,    o };
	for (size_t k = 0; k < sizeof owned / sizeof *owned; ++k)
		lm_free(&host, owned[k]);
}

// Exchanges what is there for room for more.
static bool widen(const lm_host* host, double** memory, int64_t items)
{
	double* more = LM_NEW(host, items, double);
	if (!more)
		return false;
	lm_free(host, *memory);
	*memory = more;
	return true;
}

lm_status lm_act_optimizer_reserve(lm_act* body, int32_t goals, lm_error* error)
{
	lm_act_optimizer* o = body->optimizer;
	if (!o || (o->scale && goals <= o->goal_capacity))
		return LM_OK;
	const lm_host* host = &o->host;
	if (!widen(host, &o->now.r, goals) || !widen(host, &o->trial.r, goals) || !widen(host, &o->start.r, goals) ||
	    !widen(host, &o->best.r, goals) || !widen(host, &o->scale, goals) || !widen(host, &o->goal, goals) ||
	    !widen(host, &o->Z, (int64_t)goals * o->n) || !widen(host, &o->A, (int64_t)goals * o->m) ||
	    !widen(host, &o->other, o->n > goals ? o->n : goals) ||
	    (o->sparse && !lm_act_sparse_reserve(o->sparse, host, goals, o->m)))
		return lm_fail_memory(error); // wider arrays than the capacity says do no harm
	o->goal_capacity = goals;
	return LM_OK;
}
