// regular.c: what rest shapes cost (Coros et al. 2012, Eq. 11, and what we found to be needed beside it):
//
//     R(p) = W_reg(X_0, X(p)) + w_p/2 |p|^2 + w_c/2 |p - p_n|^2
//
// W_reg is the body's potential with stiffnesses of its own, from the initial shape X_0 to the rest shape as if that
// were a shape; element by element, so that it is the same for compatible and incompatible rest shapes.
#include "act/optimizer.h"

#include <string.h>

typedef struct view
{
	lm_elastic_material material;
	lm_elastic_state state;
} view;

static void look(const lm_act* body, const double* X, view* at)
{
	at->material = lm_act_elastic_material(&body->settings.rest_material);
	at->material.stretch *= body->rest_cost;
	at->material.bend *= body->rest_cost;
	at->material.volume *= body->rest_cost;
	at->state =
		(lm_elastic_state){ .material = &at->material, .X = body->rest.X0, .x = X, .measured = body->rest.measured };
}

double lm_act_regular_value(lm_act* body, const double* p, const double* X)
{
	view at;
	look(body, X, &at);
	const double* p_n = body->optimizer->p_n;
	double size = 0, change = 0;
	for (int32_t k = 0; k < body->rest.parameters; ++k)
		size += p[k] * p[k], change += (p[k] - p_n[k]) * (p[k] - p_n[k]);
	return lm_elastic_between_energy(body->elastic, &at.state) +
	       (body->settings.parameter_weight * size + body->settings.change_weight * change) / 2;
}

void lm_act_regular_gradient(lm_act* body, const double* p, const double* X, double* gradient)
{
	view at;
	lm_act_optimizer* o = body->optimizer;
	look(body, X, &at);
	memset(o->rest_vector, 0, (size_t)o->rest_n * sizeof *o->rest_vector);
	lm_elastic_between_gradient(body->elastic, &at.state, 1, o->rest_vector);
	lm_act_rest_pull(&body->rest, o->rest_vector, gradient);
	for (int32_t k = 0; k < o->m; ++k)
		gradient[k] += body->settings.parameter_weight * p[k] + body->settings.change_weight * (p[k] - o->p_n[k]);
}

void lm_act_regular_values(lm_act* body, const double* X, double* values)
{
	view at;
	look(body, X, &at);
	memset(values, 0, (size_t)lm_elastic_get(body->elastic).rest_pattern->entries * sizeof *values);
	lm_elastic_between_hessian(body->elastic, &at.state, true, 1, values);
}

void lm_act_regular_add_hessian(lm_act* body, const double* X, bool convex, double* H)
{
	view at;
	lm_act_optimizer* o = body->optimizer;
	const lm_pattern* pattern = lm_elastic_get(body->elastic).rest_pattern;
	look(body, X, &at);
	memset(o->values, 0, (size_t)pattern->entries * sizeof *o->values);
	lm_elastic_between_hessian(body->elastic, &at.state, convex, 1, o->values);
	lm_act_rest_reduce(&body->rest, body->elastic, o->values, o->reduced, H);
	for (int64_t k = 0; k < o->m; ++k)
		H[k * o->m + k] += body->settings.parameter_weight + body->settings.change_weight;
}
