// project.c: the projection onto the example manifold (Sec. 4.2), exactly.
//
// With L = (S_1 - S_0 ... S_n - S_0) the paper solves Eq. 7 and then removes negative weights by a rule of thumb. We
// take the closest point of the simplex itself: min |L w - (S - S_0)|^2 over w >= 0, sum w <= 1, a quadratic program in
// G = L^T L (constant) and b = L^T (S - S_0). Whether examples repeat each other or the rest pose does not matter to
// it. The strength s_k of an example scales its column: S_0 + s_k (S_k - S_0). beta enters as w'_k = beta w_k, which
// leaves the rest to the rest pose.
#include "base/error.h"
#include "base/parallel.h"
#include "match/body.h"
#include "solve/simplex_qp.h"

_Static_assert(LM_EXAMPLES <= LM_SIMPLEX_MAX, "the quadratic program holds all examples");

static int32_t row_of(const lm_match* body, int32_t r)
{
	return body->locality == LM_MATCH_GROUPS ? body->region_group[r] : 0;
}

static float* example_at(const lm_match* body, int32_t r, int k)
{
	return body->examples + ((int64_t)(r / LM_LANES) * body->example_count + k) * 6 * LM_LANES + r % LM_LANES;
}

static void add_to_gram(lm_match* body, int32_t r)
{
	int n = body->example_count;
	double* gram = body->gram + (int64_t)row_of(body, r) * n * n;
	for (int k = 0; k < n; ++k)
		for (int l = 0; l < n; ++l)
			for (int j = 0; j < 6; ++j)
				gram[k * n + l] +=
					(double)example_at(body, r, k)[j * LM_LANES] * (double)example_at(body, r, l)[j * LM_LANES];
}

lm_status lm_match_measure_examples(lm_match* body, const double* const* examples, lm_error* error)
{
	double* pose = LM_NEW(&body->host, 3 * (size_t)body->count, double);
	if (pose == NULL)
		return lm_fail_memory(error);
	for (int k = 0; k < body->example_count; ++k)
	{
		for (int32_t i = 0; i < body->count; ++i)
			lm_v3_store(pose, i, lm_v3_at(examples[k], body->to_user[i]));
		for (int32_t r = 0; r < body->count; ++r)
		{
			lm_match_rest_region rest = lm_match_measure_region(body, r);
			lm_mat3 S = lm_match_measure_stretch(body, r, &rest, pose);
			const double root = 1.4142135623730951 / 2;
			const double values[6] = { S.m[0][0] - 1,
				                       S.m[1][1] - 1,
				                       S.m[2][2] - 1,
				                       root * (S.m[0][1] + S.m[1][0]),
				                       root * (S.m[0][2] + S.m[2][0]),
				                       root * (S.m[1][2] + S.m[2][1]) };
			for (int j = 0; j < 6; ++j)
				example_at(body, r, k)[j * LM_LANES] = (float)values[j];
		}
	}
	if (body->gram != NULL)
		for (int32_t r = 0; r < body->count; ++r)
			add_to_gram(body, r);
	lm_free(&body->host, pose);
	return LM_OK;
}

// The quadratic program with strengths, over the examples that are not switched off.
static void solve_row(const lm_match* body, const double* gram, const double* dots, double* weights)
{
	int n = body->example_count, used = 0, list[LM_EXAMPLES];
	double G[LM_EXAMPLES * LM_EXAMPLES], b[LM_EXAMPLES], w[LM_EXAMPLES];
	for (int k = 0; k < n; ++k)
	{
		weights[k] = 0;
		if (body->strengths[k] > 0)
			list[used++] = k;
	}
	if (used == 0)
		return;
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
}

static void note_weights(lm_match* body, double least, double most)
{
	lm_match_report* report = &body->report;
	double rest = 1 - most; // w_0 of the row whose weights sum to the most
	least = rest < least ? rest : least;
	report->weights_min = least < report->weights_min ? least : report->weights_min;
	double sum = rest + most;
	report->weights_sum_max = sum > report->weights_sum_max ? sum : report->weights_sum_max;
}

static void note_row(lm_match* body, const double* weights)
{
	double least = 1, sum = 0;
	for (int k = 0; k < body->example_count; ++k)
	{
		least = weights[k] < least ? weights[k] : least;
		sum += weights[k];
	}
	note_weights(body, least, sum);
}

static void project_whole(lm_match* body)
{
	int n = body->example_count;
	double b[LM_EXAMPLES] = { 0 };
	for (int32_t c = 0; c < body->chunks; ++c)
		for (int k = 0; k < n; ++k)
			b[k] += body->dot_sums[(int64_t)c * n + k];
	solve_row(body, body->gram, b, body->weights);
	note_row(body, body->weights);
	for (int k = 0; k < n; ++k)
		body->pass.blend_all[k] = (float)(body->settings.beta * body->strengths[k] * body->weights[k]);
}

static void project_groups(lm_match* body)
{
	int n = body->example_count;
	double* b = body->group_dots;
	for (int64_t k = 0; k < (int64_t)body->rows * n; ++k)
		b[k] = 0;
	for (int32_t r = 0; r < body->count; ++r)
		for (int k = 0; k < n; ++k)
			b[(int64_t)body->region_group[r] * n + k] +=
				(double)body->dots[((int64_t)(r / LM_LANES) * n + k) * LM_LANES + r % LM_LANES];
	for (int64_t row = 0; row < body->rows; ++row)
	{
		solve_row(body, body->gram + row * n * n, b + row * n, body->weights + row * n);
		note_row(body, body->weights + row * n);
	}
	for (int32_t r = 0; r < body->count; ++r)
		for (int k = 0; k < n; ++k)
			body->blend[((int64_t)(r / LM_LANES) * n + k) * LM_LANES + r % LM_LANES] =
				(float)(body->settings.beta * body->strengths[k] *
			            body->weights[(int64_t)body->region_group[r] * n + k]);
}

// Any number of examples, one region after the other.
static void project_regions(lm_match* body, int64_t begin, int64_t end)
{
	int n = body->example_count;
	for (int64_t r = begin; r < end; ++r)
	{
		double gram[LM_EXAMPLES * LM_EXAMPLES], dots[LM_EXAMPLES], weights[LM_EXAMPLES];
		int64_t at = r / LM_LANES * n * LM_LANES + r % LM_LANES;
		for (int k = 0; k < n; ++k)
		{
			const float* a = example_at(body, (int32_t)r, k);
			dots[k] = (double)body->dots[at + k * LM_LANES];
			for (int l = 0; l <= k; ++l)
			{
				const float* c = example_at(body, (int32_t)r, l);
				double dot = 0;
				for (int j = 0; j < 6; ++j)
					dot += (double)a[j * LM_LANES] * (double)c[j * LM_LANES];
				gram[k * n + l] = gram[l * n + k] = dot;
			}
		}
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
	int n = body->example_count;
	if (n <= 2)
		body->kernels->weights_each(body, begin, end);
	else
		project_regions(body, begin, end);
	double least = 1, most = 0;
	for (int64_t r = begin; r < end; ++r)
	{
		double sum = 0;
		for (int k = 0; k < n; ++k)
		{
			double w = (double)body->region_weights[(r / LM_LANES * n + k) * LM_LANES + r % LM_LANES];
			least = w < least ? w : least;
			sum += w;
		}
		most = sum > most ? sum : most;
	}
	body->weight_range[begin / LM_CHUNK * 2] = least;
	body->weight_range[begin / LM_CHUNK * 2 + 1] = most;
}

void lm_match_project(lm_match* body)
{
	if (body->locality == LM_MATCH_GLOBAL)
		project_whole(body);
	else if (body->locality == LM_MATCH_GROUPS)
		project_groups(body);
	else
	{
		lm_parallel_for(body->threads, body->count, LM_CHUNK, project_chunk, body);
		for (int32_t c = 0; c < body->chunks; ++c)
			note_weights(body, body->weight_range[2 * c], body->weight_range[2 * c + 1]);
	}
}
