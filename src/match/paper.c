// paper.c: one step as Koyama et al. (2012) print it, for comparison (LM_MATCH_PAPER).
//
//   A_r = (sum m~_i p_i q_i^T) (sum m~_i q_i q_i^T)^-1                          Eq. 1
//   S_r = sqrt(A_r^T A_r),  R_r = A_r S_r^-1                                    Sec. 3; reflects where A_r is inverted
//   w   = (L^T L)^-1 L^T (S - S_0),  w_0 = 1 - sum w_k                          Eq. 6-7, all entries weighing alike
//   "the smallest negative weight is chosen and set to zero, and its absolute value is divided by n and subtracted from
//   all the other weights", again and again                                     Sec. 4.2
//   w'_k = beta w_k,  S~_r = S_0 + sum_k w'_k (S_k,r - S_0)                     Sec. 4.2
//   g_i = mean over r in N_i of  R_r S~_r q_i + c_r                             Eq. 3
//   v'  = v + alpha (g - x) / h + h f / m,   x' = x + h v'                      Eq. 4, 5
//
// h is the step that is asked for: no inner steps, look-ahead, damping or repair of momentum. Where a formula
// has no value it is replaced: flat regions are completed as in regions.c; a region without volume
// takes the nearest rotation; L^T L gets LM_RIDGE on its diagonal, for examples that repeat each other; the rule of
// thumb, which may go on for ever, ends after LM_ROUNDS n rounds, and what is negative then is left out. The strength
// s_k of an example (ours) scales S_k - S_0.
#include "base/error.h"
#include "base/parallel.h"
#include "match/body.h"
#include "math/svd.h"
#include "solve/small_qp.h"

#include <string.h>

#define LM_RIDGE 1e-9
#define LM_ROUNDS 2

struct lm_match_paper
{
	lm_match_rest_region* rest; // per region
	double* L;                  // per region n x 6: S_k - S_0
	double* S;                  // per region 6: S - S_0, of the step
	double* x;                  // per particle 3
	lm_mat3* R;                 // per region; R S~ in the end
	lm_vec3* centre;            // per region: c_r
};

void lm_match_release_paper(lm_match* body)
{
	lm_match_paper* paper = body->paper;
	if (paper == NULL)
		return;
	void* const owned[] = { paper->rest, paper->L, paper->S, paper->x, paper->R, paper->centre };
	for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
		lm_free(&body->host, owned[k]);
	lm_free(&body->host, paper);
}

// S - S_0 as six numbers, and R, of A0 = M B (regions.c).
static lm_mat3 decompose(lm_mat3 A, const lm_match_rest_region* rest, double S[6])
{
	lm_svd parts = lm_svd3(A);
	if (parts.s.z < 0 && !rest->flat) // S has the absolute values: R is a reflection
	{
		parts.s.z = -parts.s.z;
		for (int i = 0; i < 3; ++i)
			parts.U.m[i][2] = -parts.U.m[i][2];
	}
	lm_mat3 stretch = rest->missing;
	lm_add_outer(&stretch, parts.s.x, lm_column(parts.V, 0), lm_column(parts.V, 0));
	lm_add_outer(&stretch, parts.s.y, lm_column(parts.V, 1), lm_column(parts.V, 1));
	lm_add_outer(&stretch, parts.s.z, lm_column(parts.V, 2), lm_column(parts.V, 2));
	static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
	for (int e = 0; e < 6; ++e)
		S[e] = stretch.m[row[e]][column[e]] - (e < 3);
	return lm_mul(parts.U, lm_transpose(parts.V));
}

static void match_regions(void* context, int64_t begin, int64_t end)
{
	const lm_match* body = context;
	lm_match_paper* paper = body->paper;
	for (int64_t r = begin; r < end; ++r)
	{
		const lm_match_rest_region* rest = &paper->rest[r];
		lm_mat3 moment = lm_match_measure_moment(body, (int32_t)r, rest, paper->x, &paper->centre[r]);
		paper->R[r] = decompose(lm_mul(moment, rest->inverse), rest, paper->S + 6 * r);
	}
}

// ---- projection ----

static const double* stretches(const lm_match* body, int64_t r, int k)
{
	return body->paper->L + (r * body->example_count + k) * 6;
}

// Adds the rows of region r to L^T L.
static void add_gram(const lm_match* body, int64_t r, double* gram)
{
	int n = body->example_count;
	for (int k = 0; k < n; ++k)
		for (int l = 0; l < n; ++l)
			for (int e = 0; e < 6; ++e)
				gram[k * n + l] += stretches(body, r, k)[e] * stretches(body, r, l)[e];
}

static void add_right(const lm_match* body, int64_t r, double* right)
{
	for (int k = 0; k < body->example_count; ++k)
		for (int e = 0; e < 6; ++e)
			right[k] += stretches(body, r, k)[e] * body->paper->S[6 * r + e];
}

// Solves (G + ridge) w = w, G with the strengths, by Cholesky; overwrites G.
static void solve(int n, double* G, double* w)
{
	double largest = 1e-30;
	for (int i = 0; i < n; ++i)
		largest = fmax(largest, G[i * n + i]);
	for (int i = 0; i < n; ++i)
	{
		G[i * n + i] += LM_RIDGE * largest;
		for (int j = 0; j <= i; ++j)
		{
			double sum = G[i * n + j];
			for (int k = 0; k < j; ++k)
				sum -= G[i * n + k] * G[j * n + k];
			G[i * n + j] = i == j ? sqrt(fmax(sum, 1e-3 * LM_RIDGE * largest)) : sum / G[j * n + j];
		}
	}
	lm_small_qp_substitute(n, n, G, w);
}

int lm_match_remove_negative(int n, double* w)
{
	int round = 0;
	for (; round < LM_ROUNDS * n; ++round)
	{
		int least = 0;
		for (int k = 1; k <= n; ++k)
			least = w[k] < w[least] ? k : least;
		if (w[least] >= 0)
			return round;
		double share = -w[least] / n;
		for (int k = 0; k <= n; ++k)
			w[k] = k == least ? 0 : w[k] - share;
	}
	double sum = 0;
	for (int k = 0; k <= n; ++k)
		sum += w[k] = fmax(w[k], 0);
	for (int k = 0; k <= n; ++k)
		w[k] /= sum;
	return round;
}

// The weights of a row: L^T L and L^T (S - S_0) in, weights out.
static void weigh(lm_match* body, const double* gram, const double* right, double* weights)
{
	int n = body->example_count;
	double G[LM_EXAMPLES * LM_EXAMPLES], w[1 + LM_EXAMPLES] = { 1 };
	for (int k = 0; k < n; ++k)
	{
		w[k + 1] = body->strengths[k] * right[k];
		for (int l = 0; l < n; ++l)
			G[k * n + l] = body->strengths[k] * body->strengths[l] * gram[k * n + l];
	}
	solve(n, G, w + 1);
	bool good = true;
	for (int k = 1; k <= n; ++k)
	{
		w[k] = body->strengths[k - 1] > 0 ? w[k] : 0;
		w[0] -= w[k];
		good = good && fabs(w[k]) < 1e12;
	}
	if (good)
		lm_match_remove_negative(n, w);
	for (int k = 0; k < n; ++k)
		weights[k] = good ? w[k + 1] : 0;
	lm_match_note_weights(body, weights);
}

static void project_rows(lm_match* body)
{
	int64_t n = body->example_count;
	memset(body->group_dots, 0, (size_t)(body->rows * n) * sizeof(double));
	for (int64_t r = 0; r < body->count; ++r)
		add_right(body, r, body->group_dots + (body->region_group != NULL ? body->region_group[r] * n : 0));
	for (int64_t row = 0; row < body->rows; ++row)
		weigh(body, body->gram + row * n * n, body->group_dots + row * n, body->weights + row * n);
}

static void project_each(lm_match* body)
{
	int64_t n = body->example_count;
	for (int64_t r = 0; r < body->count; ++r)
	{
		double gram[LM_EXAMPLES * LM_EXAMPLES] = { 0 }, right[LM_EXAMPLES] = { 0 }, weights[LM_EXAMPLES];
		add_gram(body, r, gram);
		add_right(body, r, right);
		weigh(body, gram, right, weights);
		for (int64_t k = 0; k < n; ++k)
			body->region_weights[(r / LM_LANES * n + k) * LM_LANES + r % LM_LANES] = (float)weights[k];
	}
}

// ---- goals and motion ----

static double weight_of(const lm_match* body, int64_t r, int k)
{
	int64_t n = body->example_count;
	if (body->locality == LM_MATCH_EACH)
		return (double)body->region_weights[(r / LM_LANES * n + k) * LM_LANES + r % LM_LANES];
	return body->weights[(body->region_group != NULL ? body->region_group[r] * n : 0) + k];
}

static void make_maps(void* context, int64_t begin, int64_t end)
{
	const lm_match* body = context;
	for (int64_t r = begin; r < end; ++r)
	{
		double S[6] = { 1, 1, 1, 0, 0, 0 };
		for (int k = 0; k < body->example_count; ++k)
			for (int e = 0; e < 6; ++e)
				S[e] += body->settings.beta * body->strengths[k] * weight_of(body, r, k) * stretches(body, r, k)[e];
		lm_mat3 goal = { { { S[0], S[3], S[4] }, { S[3], S[1], S[5] }, { S[4], S[5], S[2] } } };
		body->paper->R[r] = lm_mul(body->paper->R[r], goal);
	}
}

static void move_particle(lm_match* body, int64_t i, lm_vec3 goal)
{
	const lm_match_pass* pass = &body->pass;
	lm_vec3 x = lm_particle_at(body->x, i), v = lm_particle_at(body->v, i);
	lm_vec3 fall = lm_v3((double)pass->fall[0], (double)pass->fall[1], (double)pass->fall[2]);
	lm_vec3 next = lm_add(lm_add_scaled(lm_scale((double)pass->keep, v), (double)pass->pull, lm_sub(goal, x)), fall);
	lm_vec3 moved = lm_add_scaled(x, (double)pass->h, next);
	if (!(lm_length(next) <= (double)pass->speed_limit && lm_length(moved) <= (double)pass->reach_limit))
	{
		++body->recovered[i / LM_CHUNK];
		next = lm_v3(0, 0, 0), moved = x;
	}
	for (int k = 0; k < 3; ++k)
	{
		body->v[lm_particle_place(i, k)] = (float)lm_v3_get(next, k);
		body->x[lm_particle_place(i, k)] = (float)lm_v3_get(moved, k);
	}
}

static void move_particles(void* context, int64_t begin, int64_t end)
{
	lm_match* body = context;
	body->recovered[begin / LM_CHUNK] = 0;
	for (int64_t i = begin; i < end; ++i)
	{
		lm_vec3 X = lm_match_rest_position(body, (int32_t)i), sum = { 0 };
		int32_t size = lm_match_ring_size(body, (int32_t)i);
		for (int32_t k = 0; k < size; ++k)
		{
			int64_t r = lm_match_member(body, (int32_t)i, k);
			lm_vec3 q = lm_sub(X, body->paper->rest[r].centre);
			sum = lm_add(sum, lm_add(lm_mul_v(body->paper->R[r], q), body->paper->centre[r]));
		}
		move_particle(body, i, lm_scale(1.0 / size, sum));
	}
}

void lm_match_paper_step(lm_match* body)
{
	for (int64_t i = 0; i < body->count; ++i)
		lm_v3_store(body->paper->x, i, lm_particle_at(body->x, i));
	lm_parallel_for(body->threads, body->count, LM_CHUNK, match_regions, body);
	if (body->example_count > 0 && body->locality == LM_MATCH_EACH)
		project_each(body);
	else if (body->example_count > 0)
		project_rows(body);
	lm_parallel_for(body->threads, body->count, LM_CHUNK, make_maps, body);
	lm_parallel_for(body->threads, body->count, LM_CHUNK, move_particles, body);
	for (int32_t c = 0; c < body->chunks; ++c)
		body->report.recovered += body->recovered[c];
	lm_match_measure_motion(body);
}

// ---- set-up ----

#define TAKE(pointer, items) (((pointer) = lm_alloc(host, (size_t)(items), sizeof *(pointer))) != NULL)

lm_status lm_match_build_paper(lm_match* body, const double* const* examples, lm_error* error)
{
	const lm_host* host = &body->host;
	int64_t count = body->count, n = body->example_count;
	if (!TAKE(body->paper, 1))
		return lm_fail_memory(error);
	lm_match_paper* paper = body->paper;
	if (!TAKE(paper->rest, count) || !TAKE(paper->L, count * n * 6 + 1) || !TAKE(paper->S, count * 6) ||
	    !TAKE(paper->x, count * 3) || !TAKE(paper->R, count) || !TAKE(paper->centre, count))
		return lm_fail_memory(error);
	for (int32_t r = 0; r < count; ++r)
		paper->rest[r] = lm_match_measure_region(body, r);
	for (int64_t k = 0; k < n; ++k)
	{
		for (int64_t i = 0; i < count; ++i)
			lm_v3_store(paper->x, i, lm_v3_at(examples[k], body->to_user[i]));
		match_regions(body, 0, count);
		for (int64_t r = 0; r < count; ++r)
			memcpy(paper->L + (r * n + k) * 6, paper->S + 6 * r, 6 * sizeof(double));
	}
	for (int64_t r = 0; n > 0 && body->gram != NULL && r < count; ++r)
		add_gram(body, r, body->gram + (body->region_group != NULL ? body->region_group[r] * n * n : 0));
	return LM_OK;
}
