// ipopt_step.c: the variables are y, p and the goals' residuals r, so that the Hessian stays sparse:
//
//     min 1/2 |r|^2 + R(p)   s.t.   c(X(p), y) = 0,   J y - t - r = 0,   sums of convex groups <= 1,   convex p >= 0
#include "ipopt_step.h"

#include "act/equation.h"
#include "act/goals.h"
#include "act/optimizer.h"

#include <IpStdCInterface.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem
{
	lm_act* body;
	lm_act_optimizer* o;
	int n, m, goals, groups;
	const lm_pattern* pattern;      // of D and of the Hessian by y
	const lm_pattern* rest_pattern; // of full control: of all that has to do with p
	int D_entries, E_entries;       // of the Jacobian
	int yy, py, pp;                 // entries of the Hessian
	double* dense;                  // n x m
	const ipopt_step_options* options;
	int iterations;
} problem;

static bool full(const problem* q)
{
	return q->rest_pattern != NULL;
}

static void point(problem* q, const double* z)
{
	memcpy(q->o->trial.p, z + q->n, (size_t)q->m * sizeof *z);
	lm_act_rest_shape(&q->body->rest, z + q->n, q->o->trial.X);
}

static Bool eval_f(Index count, Number* z, Bool fresh, Number* value, UserDataPtr data)
{
	(void)count, (void)fresh;
	problem* q = data;
	point(q, z);
	*value = lm_act_regular_value(q->body, z + q->n, q->o->trial.X);
	for (int r = 0; r < q->goals; ++r)
		*value += z[q->n + q->m + r] * z[q->n + q->m + r] / 2;
	return TRUE;
}

static Bool eval_grad_f(Index count, Number* z, Bool fresh, Number* gradient, UserDataPtr data)
{
	(void)count, (void)fresh;
	problem* q = data;
	point(q, z);
	memset(gradient, 0, (size_t)q->n * sizeof *gradient);
	lm_act_regular_gradient(q->body, z + q->n, q->o->trial.X, gradient + q->n);
	memcpy(gradient + q->n + q->m, z + q->n + q->m, (size_t)q->goals * sizeof *gradient);
	return TRUE;
}

static Bool eval_g(Index count, Number* z, Bool fresh, Index rows, Number* g, UserDataPtr data)
{
	(void)count, (void)fresh, (void)rows;
	problem* q = data;
	point(q, z);
	lm_act_physics_residual(q->body, q->o->trial.X, z, g);
	g += q->n;
	for (int r = 0; r < q->goals; ++r)
		g[r] = q->o->scale[r] * lm_act_goals_value(&q->body->goals, r, z) - q->o->goal[r] - z[q->n + q->m + r];
	g += q->goals;
	const int32_t* start = q->body->rest.group_start;
	for (int k = 0; k < q->groups; ++k)
	{
		g[k] = 0;
		for (int i = start[k]; i < start[k + 1]; ++i)
			g[k] += z[q->n + i];
	}
	return TRUE;
}

// ---- the Jacobian: D, E, then the goals and groups, which do not change

static void jacobian_places(const problem* q, Index* row, Index* column)
{
	const lm_pattern* D = q->pattern;
	const lm_act_rows* goals = &q->body->goals;
	int at = 0;
	for (int j = 0; j < q->n; ++j)
		for (int k = D->start[j]; k < D->start[j + 1]; ++k)
		{
			row[at] = D->row[k], column[at++] = j;
			if (D->row[k] != j)
				row[at] = j, column[at++] = D->row[k];
		}
	for (int j = 0; full(q) && j < q->n; ++j)
		for (int k = D->start[j]; k < D->start[j + 1]; ++k)
		{
			row[at] = D->row[k], column[at++] = q->n + j;
			if (D->row[k] != j)
				row[at] = j, column[at++] = q->n + D->row[k];
		}
	for (int i = 0; !full(q) && i < q->n; ++i)
		for (int k = 0; k < q->m; ++k)
			row[at] = i, column[at++] = q->n + k;
	for (int r = 0; r < q->goals; ++r)
	{
		for (int k = goals->start[r]; k < goals->start[r + 1]; ++k)
			row[at] = q->n + r, column[at++] = goals->index[k];
		row[at] = q->n + r, column[at++] = q->n + q->m + r;
	}
	for (int g = 0; g < q->groups; ++g)
		for (int i = q->body->rest.group_start[g]; i < q->body->rest.group_start[g + 1]; ++i)
			row[at] = q->n + q->goals + g, column[at++] = q->n + i;
}

// Friction's unsymmetric part, in the blocks of the touching vertices.
static void add_unsymmetric(const problem* q, Number* values)
{
	const lm_pattern* D = q->pattern;
	const lm_act_system* alone = &q->body->physics->alone;
	for (int64_t l = 0; l < alone->link_count; ++l)
	{
		const lm_spring_touch* t = &alone->links[l].touch;
		const double U[3] = { alone->links[l].force.U.x, alone->links[l].force.U.y, alone->links[l].force.U.z };
		const double V[3] = { alone->links[l].force.V.x, alone->links[l].force.V.y, alone->links[l].force.V.z };
		for (int a = 0; a < t->own; ++a)
			for (int b = 0; b < t->own; ++b)
				for (int i = 0; i < t->dimension; ++i)
					for (int j = 0; j < t->dimension; ++j)
					{
						int row = t->vertex[a] * t->dimension + i, column = t->vertex[b] * t->dimension + j;
						int64_t entry = lm_pattern_find(D, row, column);
						// places come in pairs, but for the diagonal: entry k of column j has j diagonals before it
						int high = row > column ? row : column;
						int64_t place = 2 * entry - high;
						values[place + (row > column)] += t->weight[a] * t->weight[b] * U[i] * V[j];
					}
	}
}

static void fill_D(const problem* q, const double* z, Number* values)
{
	lm_act* body = q->body;
	const lm_pattern* D = q->pattern;
	body->physics->alone.X[0] = q->o->trial.X;
	lm_act_system_assemble(&body->physics->alone, z, false, false);
	int at = 0;
	for (int j = 0; j < q->n; ++j)
		for (int k = D->start[j]; k < D->start[j + 1]; ++k)
		{
			values[at++] = body->physics->values[k];
			if (D->row[k] != j)
				values[at++] = body->physics->values[k];
		}
	add_unsymmetric(q, values);
}

// The entries of dense (n x n) in the places of D.
static void gather_pattern(const problem* q, Number* values)
{
	const lm_pattern* D = q->pattern;
	int at = 0;
	for (int j = 0; j < q->n; ++j)
		for (int k = D->start[j]; k < D->start[j + 1]; ++k)
		{
			values[at++] = q->dense[D->row[k] * q->m + j];
			if (D->row[k] != j)
				values[at++] = q->dense[j * q->m + D->row[k]];
		}
}

static void fill_E(const problem* q, const lm_elastic_state* state, Number* values)
{
	lm_act* body = q->body;
	double* dense = full(q) ? q->dense : values;
	memset(dense, 0, (size_t)(q->n * q->m) * sizeof *dense);
	if (!full(q))
	{
		lm_elastic_add_mixed(body->elastic, state, 1, body->rest.L, q->m, dense);
		return;
	}
	int d = body->dimension, terms = lm_elastic_term_count(body->elastic);
	for (int t = 0; t < terms; ++t)
	{
		lm_elastic_block block;
		lm_elastic_mixed_block(body->elastic, state, t, &block);
		for (int i = 0; i < block.size; ++i)
			for (int j = 0; j < block.size; ++j)
				dense[(block.vertices[i / d] * d + i % d) * q->m + block.slots[j / d] * d + j % d] +=
					block.values[i * block.size + j];
	}
	gather_pattern(q, values);
}

static Bool eval_jac_g(Index count, Number* z, Bool fresh, Index rows, Index entries, Index* row, Index* column,
                       Number* values, UserDataPtr data)
{
	(void)count, (void)fresh, (void)rows, (void)entries;
	problem* q = data;
	if (!values)
	{
		jacobian_places(q, row, column);
		return TRUE;
	}
	point(q, z);
	lm_elastic_material material = lm_act_elastic_material(&q->body->settings.material);
	lm_elastic_state state = { .material = &material, .X = q->o->trial.X, .x = z };
	fill_D(q, z, values);
	fill_E(q, &state, values + q->D_entries);
	values += q->D_entries + q->E_entries;
	const lm_act_rows* goals = &q->body->goals;
	for (int r = 0; r < q->goals; ++r)
	{
		for (int k = goals->start[r]; k < goals->start[r + 1]; ++k)
			*values++ = q->o->scale[r] * goals->value[k];
		*values++ = -1;
	}
	for (int i = 0; q->groups > 0 && i < q->m; ++i)
		*values++ = 1;
	return TRUE;
}

// ---- the Hessian's lower triangle

static void hessian_places(const problem* q, Index* row, Index* column)
{
	const lm_pattern* D = q->pattern;
	int at = 0;
	for (int j = 0; j < q->n; ++j)
		for (int k = D->start[j]; k < D->start[j + 1]; ++k)
			row[at] = j, column[at++] = D->row[k];
	for (int j = 0; full(q) && j < q->n; ++j)
		for (int k = D->start[j]; k < D->start[j + 1]; ++k)
		{
			row[at] = q->n + j, column[at++] = D->row[k];
			if (D->row[k] != j)
				row[at] = q->n + D->row[k], column[at++] = j;
		}
	for (int j = 0; full(q) && j < q->n; ++j)
		for (int k = D->start[j]; k < D->start[j + 1]; ++k)
			row[at] = q->n + j, column[at++] = q->n + D->row[k];
	for (int i = 0; !full(q) && i < q->n; ++i)
		for (int k = 0; k < q->m; ++k)
			row[at] = q->n + k, column[at++] = i;
	for (int i = 0; !full(q) && i < q->m; ++i)
		for (int k = 0; k <= i; ++k)
			row[at] = q->n + i, column[at++] = q->n + k;
	for (int r = 0; r < q->goals; ++r)
		row[at] = q->n + q->m + r, column[at++] = q->n + q->m + r;
}

static void fill_py(const problem* q, const lm_elastic_state* state, const double* lambda, Number* values)
{
	double* dense = full(q) ? q->dense : values;
	memset(dense, 0, (size_t)(q->n * q->m) * sizeof *dense);
	lm_elastic_add_multiplier_mixed(q->body->elastic, state, lambda, 1, q->body->rest.L, q->m, dense);
	if (full(q))
		gather_pattern(q, values);
}

static void fill_pp(const problem* q, const lm_elastic_state* state, const double* lambda, double factor,
                    Number* values)
{
	lm_act* body = q->body;
	lm_act_optimizer* o = q->o;
	const lm_pattern* rest = lm_elastic_get(body->elastic).rest_pattern;
	int m = q->m;
	bool gauss_newton = q->options->gauss_newton;
	memset(o->K, 0, (size_t)(m * m) * sizeof *o->K);
	lm_act_regular_add_hessian(body, o->trial.X, gauss_newton, o->K);
	for (int i = 0; i < m * m; ++i)
		o->K[i] *= factor;
	memset(o->values, 0, (size_t)rest->entries * sizeof *o->values);
	if (!gauss_newton)
		lm_elastic_add_multiplier_rest(body->elastic, state, lambda, 1, o->values);
	if (full(q))
	{
		for (int j = 0; j < m; ++j)
			for (int k = rest->start[j]; k < rest->start[j + 1]; ++k)
				*values++ = o->values[k] + o->K[rest->row[k] * m + j];
		return;
	}
	lm_elastic_add_reduced(body->elastic, o->values, body->rest.L, m, 1, o->reduced, o->K);
	for (int i = 0; i < m; ++i)
		for (int k = 0; k <= i; ++k)
			*values++ = o->K[i * m + k];
}

static Bool eval_h(Index count, Number* z, Bool fresh, Number factor, Index rows, Number* lambda, Bool fresh_lambda,
                   Index entries, Index* row, Index* column, Number* values, UserDataPtr data)
{
	(void)count, (void)fresh, (void)rows, (void)fresh_lambda, (void)entries;
	problem* q = data;
	if (!values)
	{
		hessian_places(q, row, column);
		return TRUE;
	}
	point(q, z);
	lm_elastic_material material = lm_act_elastic_material(&q->body->settings.material);
	lm_elastic_state state = { .material = &material, .X = q->o->trial.X, .x = z };
	memset(values, 0, (size_t)(q->yy + q->py) * sizeof *values);
	if (!q->options->gauss_newton)
	{
		lm_act_physics_add_multiplier_hessian(q->body, q->o->trial.X, z, lambda, values);
		fill_py(q, &state, lambda, values + q->yy);
	}
	fill_pp(q, &state, lambda, factor, values + q->yy + q->py);
	for (int r = 0; r < q->goals; ++r)
		values[q->yy + q->py + q->pp + r] = factor;
	return TRUE;
}

static Bool watch(Index mode, Index iteration, Number objective, Number primal, Number dual, Number mu, Number step,
                  Number regularization, Number alpha_dual, Number alpha, Index trials, UserDataPtr data)
{
	(void)mode, (void)dual, (void)mu, (void)step, (void)regularization, (void)alpha_dual, (void)alpha, (void)trials;
	problem* q = data;
	const double* g = q->body->settings.gravity;
	double weight = q->body->mass * fmax(1, sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
	q->iterations = iteration;
	return !(objective <= q->options->wanted && primal <= 1e-6 * weight);
}

// ---- setting up

static void set_sizes(problem* q)
{
	const lm_pattern* D = q->pattern;
	int off = 2 * (int)D->entries - q->n;
	q->D_entries = off;
	q->E_entries = full(q) ? off : q->n * q->m;
	q->yy = (int)D->entries;
	q->py = q->E_entries;
	q->pp = full(q) ? (int)q->rest_pattern->entries : q->m * (q->m + 1) / 2;
}

static IpoptProblem create(problem* q)
{
	int variables = q->n + q->m + q->goals, rows = q->n + q->goals + q->groups;
	double* bounds = malloc(sizeof *bounds * 2 * (size_t)(variables + rows));
	double *low = bounds, *high = low + variables, *g_low = high + variables, *g_high = g_low + rows;
	for (int i = 0; i < variables; ++i)
	{
		low[i] = -2e19, high[i] = 2e19;
		if (q->groups > 0 && i >= q->n && i < q->n + q->m)
			low[i] = 0;
	}
	for (int i = 0; i < rows; ++i)
		g_low[i] = i < q->n + q->goals ? 0 : -2e19, g_high[i] = i < q->n + q->goals ? 0 : 1;
	int jacobian = q->D_entries + q->E_entries + q->body->goals.start[q->goals] + q->goals + (q->groups > 0 ? q->m : 0);
	IpoptProblem ipopt =
		CreateIpoptProblem(variables, low, high, rows, g_low, g_high, jacobian, q->yy + q->py + q->pp + q->goals, 0,
	                       eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
	free(bounds);
	return ipopt;
}

int ipopt_step_rows(const lm_act* body)
{
	return body->unknowns + body->goals.count + body->rest.group_count;
}

static void set_options(IpoptProblem ipopt, const ipopt_step_options* options)
{
	AddIpoptIntOption(ipopt, (char*)"print_level", 0);
	AddIpoptStrOption(ipopt, (char*)"sb", (char*)"yes");
	AddIpoptNumOption(ipopt, (char*)"tol", options->tolerance);
	AddIpoptIntOption(ipopt, (char*)"max_iter", 500);
	AddIpoptStrOption(ipopt, (char*)"nlp_scaling_method",
	                  (char*)"none"); // the violation it reports is then the true one
	if (options->multipliers == NULL)
		return;
	AddIpoptStrOption(ipopt, (char*)"warm_start_init_point", (char*)"yes");
	AddIpoptNumOption(ipopt, (char*)"warm_start_bound_push", 1e-9);
	AddIpoptNumOption(ipopt, (char*)"warm_start_mult_bound_push", 1e-9);
	AddIpoptNumOption(ipopt, (char*)"mu_init", 1e-6);
}

ipopt_step_report ipopt_step_solve(lm_act* body, const ipopt_step_options* options, double* p)
{
	lm_elastic_view view = lm_elastic_get(body->elastic);
	lm_act_optimizer* o = body->optimizer;
	problem q = { .body = body, .o = o, .n = o->n, .m = o->m, .goals = body->goals.count };
	q.groups = body->rest.group_count, q.pattern = view.pattern, q.options = options;
	q.rest_pattern = body->rest.L ? NULL : view.rest_pattern;
	set_sizes(&q);
	q.dense = malloc(sizeof *q.dense * (size_t)(q.n * q.m));
	double* z = malloc(sizeof *z * (size_t)(q.n + q.m + q.goals));
	memcpy(z, o->start.y, (size_t)q.n * sizeof *z);
	memcpy(z + q.n, o->start.p, (size_t)q.m * sizeof *z);
	for (int r = 0; r < q.goals; ++r)
		z[q.n + q.m + r] = o->scale[r] * lm_act_goals_value(&body->goals, r, z) - o->goal[r];

	IpoptProblem ipopt = create(&q);
	set_options(ipopt, options);
	SetIntermediateCallback(ipopt, watch);
	ipopt_step_report report = { 0 };
	double* of_bounds = calloc((size_t)(2 * (q.n + q.m + q.goals)), sizeof *of_bounds); // none is known
	double start = lm_clock_seconds();
	report.status = (int)IpoptSolve(ipopt, z, NULL, &report.objective, options->multipliers, of_bounds,
	                                of_bounds + q.n + q.m + q.goals, &q);
	report.seconds = lm_clock_seconds() - start;
	report.iterations = q.iterations;
	FreeIpoptProblem(ipopt);
	lm_act_rest_shape(&body->rest, z + q.n, o->trial.X);
	lm_act_physics_residual(body, o->trial.X, z, o->trial.c);
	report.violation = lm_act_physics_relative(body, o->trial.c);
	if (p)
		memcpy(p, z + q.n, (size_t)q.m * sizeof *p);
	free(of_bounds);
	free(z);
	free(q.dense);
	return report;
}
