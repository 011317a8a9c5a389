// project.c: the projection onto the example manifold (Sec. 4.2), exactly and so that the pull has a potential.
//
// With S~(w) = I + sum_k w_k L_k, L_k = S_k - I, the goals of region r miss its particles by
//
//   E_r(w) = 1/2 sum m~_i |R_r S~_r q_i - p_i|^2 = const + 1/2 w^T G_r w - b_r^T w
//   G_kl = tr(L_k Aqq_r L_l),   b_k = L_k : (sym(R_r^T M_r) - Aqq_r)
//
// (for examples that are poses, L_k q_i is R_k^T (y^k_i - c^k) - q_i in all of this: kernel_poses.h, examples.c)
// and w minimises the sum of E_r over the regions of a row, over w >= 0, sum w <= 1: the closest point of a simplex, a
// small quadratic program. Whether examples repeat each other or the rest pose does not matter to it. The paper takes
// |S~ - S|^2 instead (Eq. 6), solves without bounds (Eq. 7), and removes negative weights by a rule of thumb. The norm
// differs by the factor Aqq only, but only with this one are the weights and rotations the minimum of the same E whose
// slope the pull is: it then is a conservative force, and a body with little damping does not gain energy from the
// projection (with Eq. 6 it gains energy without bound). Flat regions need no care: what they lack has no
// weight.
//
// The strength s_k of an example scales its L_k. beta enters as w'_k = beta w_k, which leaves the rest to the rest
// pose.
#include "base/error.h"
#include "base/parallel.h"
#include "match/body.h"
#include "solve/simplex_qp.h"

_Static_assert(LM_EXAMPLES <= LM_SIMPLEX_MAX, "the quadratic program holds all examples");

// The quadratic program with strengths, over the examples that are not switched off. Returns the largest change.
static double solve_row(const lm_match* body, const double* gram, const double* dots, double* weights)
{
	int n = body->example_count, used = 0, list[LM_EXAMPLES];
	double G[LM_EXAMPLES * LM_EXAMPLES], b[LM_EXAMPLES], w[LM_EXAMPLES], last[LM_EXAMPLES], change = 0;
	for (int k = 0; k < n; ++k)
	{
		last[k] = weights[k], weights[k] = 0;
		if (body->strengths[k] > 0)
			list[used++] = k;
	}
	if (used == 0)
		return 0;
	G[0] = b[0] = 0; // for compilers that do not see that used > 0
	for (int i = 0; i < used; ++i)
	{
		b[i] = body->strengths[list[i]] * dots[list[i]];
		for (int j = 0; j < used; ++j)
			G[i * used + j] = body->strengths[list[i]] * body->strengths[list[j]] * gram[list[i] * n + list[j]];
	}
	lm_simplex_qp(used, G, b, w);
	for (int i = 0; i < used; ++i)
		weights[list[i]] = w[i];
	for (int k = 0; k < n; ++k)
		change = fmax(change, fabs(weights[k] - last[k]));
	return change;
}

static void note_range(lm_match* body, double least, double most)
{
	lm_match_report* report = &body->report;
	double rest = most < 1 ? 1 - most : 0; // w_0 of the row whose weights sum to the most
	least = rest < least ? rest : least;
	report->weights_min = least < report->weights_min ? least : report->weights_min;
	double sum = rest + most;
	report->weights_sum_max = sum > report->weights_sum_max ? sum : report->weights_sum_max;
}

void lm_match_note_weights(lm_match* body, const double* weights)
{
	double least = 1, sum = 0;
	for (int k = 0; k < body->example_count; ++k)
	{
		least = weights[k] < least ? weights[k] : least;
		sum += weights[k];
	}
	note_range(body, least, sum);
}

static double project_whole(lm_match* body)
{
	int n = body->example_count;
	double b[LM_EXAMPLES] = { 0 };
	for (int32_t c = 0; c < body->chunks; ++c)
		for (int k = 0; k < n; ++k)
			b[k] += body->dot_sums[(int64_t)c * n + k];
	double change = solve_row(body, body->gram, b, body->weights);
	lm_match_note_weights(body, body->weights);
	for (int k = 0; k < n; ++k)
		body->pass.blend_all[k] = (float)(body->settings.beta * body->strengths[k] * body->weights[k]);
	return change;
}

static double project_groups(lm_match* body)
{
	int n = body->example_count;
	double *b = body->group_dots, change = 0;
	for (int64_t k = 0; k < (int64_t)body->rows * n; ++k)
		b[k] = 0;
	for (int32_t r = 0; r < body->count; ++r)
		for (int k = 0; k < n; ++k)
			b[(int64_t)body->region_group[r] * n + k] +=
				(double)body->dots[((int64_t)(r / LM_LANES) * n + k) * LM_LANES + r % LM_LANES];
	for (int64_t row = 0; row < body->rows; ++row)
	{
		change = fmax(change, solve_row(body, body->gram + row * n * n, b + row * n, body->weights + row * n));
		lm_match_note_weights(body, body->weights + row * n);
	}
	for (int32_t r = 0; r < body->count; ++r)
		for (int k = 0; k < n; ++k)
			body->blend[((int64_t)(r / LM_LANES) * n + k) * LM_LANES + r % LM_LANES] =
				(float)(body->settings.beta * body->strengths[k] *
			            body->weights[(int64_t)body->region_group[r] * n + k]);
	return change;
}

// Any number of examples, one region after the other.
static void project_regions(lm_match* body, int64_t begin, int64_t end)
{
	int n = body->example_count;
	for (int64_t r = begin; r < end; ++r)
	{
		double gram[LM_EXAMPLES * LM_EXAMPLES], dots[LM_EXAMPLES], weights[LM_EXAMPLES];
		int64_t at = r / LM_LANES * n * LM_LANES + r % LM_LANES;
		const float* packed = body->region_gram + r / LM_LANES * (n * (n + 1) / 2) * LM_LANES + r % LM_LANES;
		for (int k = 0; k < n; ++k)
		{
			dots[k] = (double)body->dots[at + k * LM_LANES];
			for (int l = 0; l <= k; ++l)
				gram[k * n + l] = gram[l * n + k] = (double)packed[(k * (k + 1) / 2 + l) * LM_LANES];
		}
		for (int k = 0; k < n; ++k)
			weights[k] = (double)body->region_weights[at + k * LM_LANES];
		solve_row(body, gram, dots, weights);
		for (int k = 0; k < n; ++k)
		{
			body->region_weights[at + k * LM_LANES] = (float)weights[k];
			body->blend[at + k * LM_LANES] = (float)(body->settings.beta * body->strengths[k] * weights[k]);
		}
	}
}

static void project_chunk(void* context, int64_t begin, int64_t end)
{
	lm_match* body = context;
	int64_t n = body->example_count, blocks = (end - begin + LM_LANES - 1) / LM_LANES;
	float last[LM_CHUNK];
	double least = 1, most = 0, change = 0, sums[LM_CHUNK] = { 0 };
	// The weights of the first example stand for all: the change only decides about another round.
	for (int64_t k = 0; k < blocks * LM_LANES; ++k)
		last[k] = body->region_weights[(begin + k) / LM_LANES * n * LM_LANES + k % LM_LANES];
	if (n <= 2)
		body->kernels->weights_each(body, begin, end);
	else
		project_regions(body, begin, end);
	for (int64_t k = 0; k < n; ++k)
		for (int64_t i = 0; i < end - begin; ++i)
		{
			double w = (double)body->region_weights[((begin + i) / LM_LANES * n + k) * LM_LANES + i % LM_LANES];
			least = w < least ? w : least;
			sums[i] += w;
			if (k == 0)
				change = fmax(change, fabs(w - (double)last[i]));
		}
	for (int64_t i = 0; i < end - begin; ++i)
		most = sums[i] > most ? sums[i] : most;
	double* range = body->weight_range + begin / LM_CHUNK * 3;
	range[0] = least, range[1] = most, range[2] = change;
}

static double project_each(lm_match* body)
{
	double change = 0;
	lm_parallel_for(body->threads, body->count, LM_CHUNK, project_chunk, body);
	for (int32_t c = 0; c < body->chunks; ++c)
	{
		const double* range = body->weight_range + 3 * (int64_t)c;
		note_range(body, range[0], range[1]);
		change = fmax(change, range[2]);
	}
	return change;
}

double lm_match_project(lm_match* body)
{
	return body->locality == LM_MATCH_GLOBAL   ? project_whole(body)
	       : body->locality == LM_MATCH_GROUPS ? project_groups(body)
	                                           : project_each(body);
}
