// optimize_model.c: the quadratic model of one iteration (Coros et al. 2012, Sec. 6), reduced to the parameters.
//
// A step (dp, dy) fulfils the linearised physics, dy = S dp - d with d = D^-1 c, so that dp alone is free:
//
//     gradient = R' + A^T (r - J d),     A = J S = -J D^-1 E
//     K_GN     = R'' + A^T A             Gauss and Newton: c's curvature is left out, R'' made convex term by term
//     K_exact  = R'' + A^T A + S^T (lambda.c)_yy S + S^T (lambda.c)_yp + (lambda.c)_py S + (lambda.c)_pp,
//     lambda   = -D^-T J^T r             (first row of Eq. 13)
//
// A comes from the cheaper side: from D^-T J^T, one solve per goal, when goals are fewer than parameters and the exact
// Hessian is not asked for; else from S = -D^-1 E. The exact Hessian also adds -(S^T (lambda.c)_yy + (lambda.c)_py) d
// to the gradient; K is the first of (1 - t) K_exact + t K_GN, t = 0, 1/4, 1/2, 3/4, 1, that is positive definite:
// blending works much better than adding to the diagonal. Full control of larger bodies: optimize_sparse.c.
#include "act/goals.h"
#include "act/optimizer.h"
#include "act/physics.h"
#include "solve/group_qp.h"
#include "sparse/dense.h"
#include "sparse/kernel.h"

#include <math.h>
#include <string.h>

static double dot(int64_t n, const double* a, const double* b)
{
	double sum = 0;
	for (int64_t i = 0; i < n; ++i)
		sum += a[i] * b[i];
	return sum;
}

void lm_act_point_aim(lm_act* body, lm_act_point* point)
{
	const lm_act_optimizer* o = body->optimizer;
	point->goals = 0;
	for (int32_t r = 0; r < body->goals.count; ++r)
	{
		point->r[r] = o->scale[r] * lm_act_goals_value(&body->goals, r, point->y) - o->goal[r];
		point->goals += point->r[r] * point->r[r] / 2;
	}
}

void lm_act_point_measure(lm_act* body, lm_act_point* point)
{
	point->violation = 0;
	for (int64_t i = 0; i < body->unknowns; ++i)
		point->violation += fabs(point->c[i]);
	lm_act_point_aim(body, point);
	point->regular = lm_act_regular_value(body, point->p, point->X);
}

void lm_act_point_evaluate(lm_act* body, lm_act_point* point)
{
	lm_act_physics_residual(body, point->X, point->y, point->c);
	lm_act_point_measure(body, point);
}

// row += factor times row r of J
static void add_goal_row(const lm_act* body, int32_t r, double factor, double* row)
{
	const lm_act_rows* rows = &body->goals;
	for (int32_t k = rows->start[r]; k < rows->start[r + 1]; ++k)
		row[rows->index[k]] += factor * body->optimizer->scale[r] * rows->value[k];
}

static void form_E(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	lm_elastic_material material = lm_act_elastic_material(&body->settings.material);
	lm_elastic_state state = { .material = &material, .X = o->now.X, .x = o->now.y };
	memset(o->E, 0, (size_t)o->n * (size_t)o->m * sizeof *o->E);
	lm_elastic_add_mixed(body->elastic, &state, 1, body->rest.L, o->m, o->E);
	for (int32_t v = 0; v < body->vertex_count; ++v) // pinned ones are no unknowns
		if (body->pinned[v])
			memset(o->E + (int64_t)v * body->dimension * o->m, 0, (size_t)(body->dimension * o->m) * sizeof *o->E);
}

// ---- by goals: Z = J D^-1, A = -Z E, lambda = -Z^T r, J d = Z c. E is never formed.

static bool by_goals(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	int64_t n = o->n, m = o->m, goals = body->goals.count;
	lm_elastic_material material = lm_act_elastic_material(&body->settings.material);
	lm_elastic_state state = { .material = &material, .X = o->now.X, .x = o->now.y };
	lm_elastic_mixed_factors(body->elastic, &state, o->factors);
	memset(o->Z, 0, (size_t)(goals * n) * sizeof *o->Z);
	memset(o->lambda, 0, (size_t)n * sizeof *o->lambda);
	for (int32_t r = 0; r < goals; ++r)
		add_goal_row(body, r, -1, o->Z + r * n);
	if (!lm_act_physics_solve_transposed(body, goals, o->Z, o->Z))
		return false;
	for (int64_t r = 0; r < goals; ++r)
	{
		const double* z = o->Z + r * n; // the negative of J D^-1
		memset(o->rest_vector, 0, (size_t)o->rest_n * sizeof *o->rest_vector);
		lm_elastic_apply_factors_transposed(body->elastic, o->factors, z, o->rest_vector);
		lm_act_rest_pull(&body->rest, o->rest_vector, o->A + r * m);
		for (int64_t i = 0; i < n; ++i)
			o->lambda[i] += o->now.r[r] * z[i];
		o->other[r] = o->now.r[r] + dot(n, z, o->now.c);
	}
	return true;
}

// ---- by parameters: S = -D^-1 E, A = J S

// What lies row by row comes to lie column by column, times a factor.
static void turn_over(int64_t rows, int64_t columns, double factor, const double* restrict in, double* restrict out)
{
	for (int64_t k = 0; k < columns; ++k)
		for (int64_t i = 0; i < rows; ++i)
			out[k * rows + i] = factor * in[i * columns + k];
}

// Row r of A = J S.
static void goal_of_rows(const lm_act* body, int32_t r, double* restrict a)
{
	const lm_act_optimizer* o = body->optimizer;
	const lm_act_rows* rows = &body->goals;
	memset(a, 0, (size_t)o->m * sizeof *a);
	for (int32_t e = rows->start[r]; e < rows->start[r + 1]; ++e)
		for (int64_t k = 0; k < o->m; ++k)
			a[k] += rows->value[e] * o->S[(int64_t)rows->index[e] * o->m + k];
	for (int64_t k = 0; k < o->m; ++k)
		a[k] *= o->scale[r];
}

static bool by_parameters(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	int64_t n = o->n, m = o->m;
	form_E(body);
	turn_over(n, m, -1, o->E, o->reduced);
	if (!lm_act_physics_solve(body, m, o->reduced, o->reduced) || !lm_act_physics_solve(body, 1, o->now.c, o->dy))
		return false;
	turn_over(m, n, 1, o->reduced, o->S);
	memset(o->lambda, 0, (size_t)n * sizeof *o->lambda);
	for (int32_t r = 0; r < body->goals.count; ++r)
	{
		goal_of_rows(body, r, o->A + r * m);
		o->other[r] = o->now.r[r] - o->scale[r] * lm_act_goals_value(&body->goals, r, o->dy);
		add_goal_row(body, r, -o->now.r[r], o->lambda);
	}
	return lm_act_physics_solve_transposed(body, 1, o->lambda, o->lambda);
}

// ---- Hessians

// K += A^T A, and the gradient with what the goals will be.
static void add_goals(lm_act* body, double* restrict K)
{
	const lm_act_optimizer* o = body->optimizer;
	int64_t m = o->m;
	for (int32_t r = 0; r < body->goals.count; ++r)
	{
		const double* a = o->A + r * m;
		for (int64_t i = 0; i < m; ++i)
		{
			o->gradient[i] += a[i] * o->other[r];
			for (int64_t k = 0; k < m; ++k)
				K[i * m + k] += a[i] * a[k];
		}
	}
}

// H += S^T T + T^T S.
static void add_both(lm_act_optimizer* o, const double* T, double* H)
{
	int64_t n = o->n, m = o->m, stride = LM_ACT_STRIDE(m);
	const lm_product product = { m, m, n, o->S, m, T, m, 1, o->negative, stride, NULL };
	memset(o->negative, 0, (size_t)(m * stride) * sizeof *o->negative);
	lm_sparse_find_kernels(o->host.simd)->subtract(&product);
	for (int64_t i = 0; i < m; ++i)
		for (int64_t k = 0; k < m; ++k)
			H[i * m + k] -= o->negative[i * stride + k] + o->negative[k * stride + i];
}

// What the multiplier adds to the Hessian, S^T T + T^T S + (lambda.c)_pp with T = 1/2 (lambda.c)_yy S + (lambda.c)_yp,
// and by d to the gradient.
static void add_multiplier(lm_act* body, double* H)
{
	lm_act_optimizer* o = body->optimizer;
	int64_t n = o->n, m = o->m;
	double* restrict T = o->reduced, * restrict gradient = o->gradient;
	lm_elastic_view view = lm_elastic_get(body->elastic);
	lm_elastic_material material = lm_act_elastic_material(&body->settings.material);
	lm_elastic_state state = { .material = &material, .X = o->now.X, .x = o->now.y };

	memset(o->values, 0, (size_t)view.pattern->entries * sizeof *o->values);
	lm_act_physics_add_multiplier_hessian(body, o->now.X, o->now.y, o->lambda, o->values);
	lm_pattern_multiply_rows(view.pattern, o->values, m, o->S, m, T);

	// (lambda.c)_yp takes E's place, which is not needed any more but for E dp, and that is formed from S
	memset(o->E, 0, (size_t)(n * m) * sizeof *o->E);
	lm_elastic_add_multiplier_mixed(body->elastic, &state, o->lambda, 1, body->rest.L, (int32_t)m, o->E);
	for (int64_t i = 0; i < n; ++i)
		for (int64_t k = 0; k < m; ++k)
		{
			double curved = T[i * m + k], mixed = o->E[i * m + k];
			gradient[k] -= (curved + mixed) * o->dy[i];
			T[i * m + k] = curved / 2 + mixed;
		}
	add_both(o, T, H);

	memset(o->values, 0, (size_t)view.rest_pattern->entries * sizeof *o->values);
	lm_elastic_add_multiplier_rest(body->elastic, &state, o->lambda, 1, o->values);
	lm_act_rest_reduce(&body->rest, body->elastic, o->values, o->reduced, H);
}

// Whether K is positive definite; leaves its factor.
static bool positive(const lm_act_optimizer* o, const double* K)
{
	memcpy(o->factor, K, (size_t)o->m * (size_t)o->m * sizeof *K);
	return lm_dense_cholesky(o->m, o->factor).status == LM_FACTOR_OK;
}

// K, which is A^T A yet, becomes the first blend that is positive definite.
static void add_exact(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	int64_t count = (int64_t)o->m * o->m;
	memcpy(o->exact, o->K, (size_t)count * sizeof *o->K);
	lm_act_regular_add_hessian(body, o->now.X, false, o->exact);
	add_multiplier(body, o->exact);
	const double* K = o->exact;
	o->positive = positive(o, K);
	if (!o->positive)
		lm_act_regular_add_hessian(body, o->now.X, true, o->K);
	for (int part = 1; part < 4 && !o->positive; ++part)
	{
		double t = 0.25 * part;
		for (int64_t i = 0; i < count; ++i)
			o->reduced[i] = (1 - t) * o->exact[i] + t * o->K[i];
		K = o->reduced;
		o->positive = positive(o, K);
	}
	if (o->positive)
		memcpy(o->K, K, (size_t)count * sizeof *K);
}

bool lm_act_model_factorize(lm_act* body, const lm_act_point* point)
{
	lm_act_optimizer* o = body->optimizer;
	++o->factorizations;
	o->contraction = 1;
	o->factorized = lm_act_physics_factorize(body, point->X, point->y);
	return o->factorized;
}

// D is taken over from another point as long as what it does wrong is small beside the tolerance: gradients are then
// off by about the contraction, the predicted decrease by its square.
static bool factorize_if_needed(lm_act* body, bool exact)
{
	lm_act_optimizer* o = body->optimizer;
	bool near = o->contraction * o->contraction <= body->settings.tolerance;
	if (o->factorized && (o->fresh || (near && !exact)))
		return true;
	o->fresh = true;
	return lm_act_model_factorize(body, &o->now);
}

bool lm_act_model_build(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	bool exact = lm_act_is_exact(body) && !o->plain && !o->sparse;
	bool by_goal = o->sparse || (!exact && body->goals.count <= o->m);
	o->by_parameters = !by_goal;
	o->positive = false;
	if (!factorize_if_needed(body, exact))
		return false;
	if (!(by_goal ? by_goals(body) : by_parameters(body)))
		return false;
	lm_act_regular_gradient(body, o->now.p, o->now.X, o->slope);
	memcpy(o->gradient, o->slope, (size_t)o->m * sizeof *o->gradient);
	if (o->sparse)
		return lm_act_sparse_build(body);
	memset(o->K, 0, (size_t)o->m * (size_t)o->m * sizeof *o->K);
	add_goals(body, o->K);
	if (exact)
		add_exact(body);
	else
		lm_act_regular_add_hessian(body, o->now.X, true, o->K);
	return true;
}

// ---- the step

// dp = -K^-1 gradient. K is positive definite but for rounding, against which its diagonal grows.
static void unlimited_step(lm_act_optimizer* o)
{
	int64_t m = o->m;
	double largest = 0;
	for (int64_t k = 0; k < m; ++k)
		largest = fmax(largest, fabs(o->K[k * m + k]));
	for (double shift = 1e-14; !o->positive && !positive(o, o->K) && shift < 1; shift *= 10)
		for (int64_t k = 0; k < m; ++k)
			o->K[k * m + k] += shift * largest;
	for (int64_t k = 0; k < m; ++k)
		o->dp[k] = -o->gradient[k];
	lm_dense_cholesky_solve((int)m, o->factor, 1, o->dp);
}

// The minimum of the model over convex p.
static void convex_step(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	int64_t m = o->m;
	for (int64_t k = 0; k < m; ++k)
	{
		o->linear[k] = dot(m, o->K + k * m, o->now.p) - o->gradient[k];
		o->dp[k] = o->now.p[k];
	}
	lm_group_qp((int)m, o->K, o->linear, body->rest.group_count, body->rest.group_start, o->dp);
	for (int64_t k = 0; k < m; ++k)
		o->dp[k] -= o->now.p[k];
}

double lm_act_model_step(lm_act* body)
{
	lm_act_optimizer* o = body->optimizer;
	int64_t m = o->m;
	if (o->sparse)
		return lm_act_sparse_step(body);
	if (body->rest.group_count > 0)
		convex_step(body);
	else
		unlimited_step(o);
	double predicted = 0;
	for (int64_t k = 0; k < m; ++k)
		predicted -= o->dp[k] * (o->gradient[k] + dot(m, o->K + k * m, o->dp) / 2);
	return isfinite(predicted) ? predicted : 0;
}
