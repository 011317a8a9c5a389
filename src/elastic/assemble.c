// assemble.c: sums over the terms of a body. A job says what is computed per term and where it goes; the loop goes over
// sets and colours in order and over the terms of a colour side by side.
#include "base/parallel.h"
#include "elastic/body.h"
#include "elastic/psd.h"
#include "elastic/quick.h"

#include <assert.h>
#include <string.h>

#define COLUMNS 32 // of L at a time

typedef struct job job;

// Local coordinates of one term.
typedef struct local
{
	lm_term term;
	int corners, dimension;
	int32_t index; // among all terms of the body
	const int32_t *vertices, *slots;
	double x[LM_MEASURE_SIZE], X[LM_MEASURE_SIZE], lambda[LM_MEASURE_SIZE];
} local;

typedef void kernel(const job* work, const local* at);
typedef void gradient_fn(const lm_term* term, const double* X, const double* x, double* g);
typedef void hessian_fn(const lm_term* term, const double* X, const double* x, double* A);
typedef void multiplier_fn(const lm_term* term, const double* X, const double* x, const double* lambda, double* A);

struct job
{
	const lm_elastic* body;
	const lm_elastic_state* state;
	kernel* run;
	const double* lambda; // NULL where there is none
	double scale;
	bool rest, convex;
	bool between;          // x is a rest shape, too
	gradient_fn* gradient; // what is computed: one of these
	hessian_fn* hessian;
	multiplier_fn* multiplier;
	const double* L;
	int32_t columns;
	const lm_pattern* pattern;
	int64_t first_element; // of the pattern: the body's first term
	double* result;

	const lm_term_set* set; // from here on set by the loop
	int32_t set_begin;      // its first term among all
	int64_t measured_begin; // its first number among those of lm_elastic_measure_rest
	int32_t first;
	double* partials;
};

static inline void gather_of(int corners, int d, const int32_t* indices, const double* from, double* to)
{
	for (int i = 0; i < corners; ++i)
		for (int j = 0; j < d; ++j)
			to[i * d + j] = from[(int64_t)indices[i] * d + j];
}

static inline void scatter_of(int corners, int d, const int32_t* indices, double scale, const double* from, double* to)
{
	for (int i = 0; i < corners; ++i)
		for (int j = 0; j < d; ++j)
			to[(int64_t)indices[i] * d + j] += scale * from[i * d + j];
}

// Loops of known length are unrolled.
static void gather(int corners, int d, const int32_t* indices, const double* from, double* to)
{
	switch (corners * 4 + d)
	{
		case 2 * 4 + 2: gather_of(2, 2, indices, from, to); break;
		case 2 * 4 + 3: gather_of(2, 3, indices, from, to); break;
		case 3 * 4 + 2: gather_of(3, 2, indices, from, to); break;
		case 4 * 4 + 3: gather_of(4, 3, indices, from, to); break;
		default: gather_of(corners, d, indices, from, to);
	}
}

static void scatter(int corners, int d, const int32_t* indices, double scale, const double* from, double* to)
{
	switch (corners * 4 + d)
	{
		case 2 * 4 + 2: scatter_of(2, 2, indices, scale, from, to); break;
		case 2 * 4 + 3: scatter_of(2, 3, indices, scale, from, to); break;
		case 3 * 4 + 2: scatter_of(3, 2, indices, scale, from, to); break;
		case 4 * 4 + 3: scatter_of(4, 3, indices, scale, from, to); break;
		default: scatter_of(corners, d, indices, scale, from, to);
	}
}

static void locate(const lm_term_set* set, const lm_elastic_state* state, bool between, const double* lambda, int32_t t,
                   local* at)
{
	int k = set->measure->corners, d = set->measure->dimension;
	at->term = lm_term_set_get(set, state->material, t);
	at->corners = k;
	at->dimension = d;
	at->vertices = set->vertices + (int64_t)t * k;
	at->slots = set->slots + (int64_t)t * k;
	gather(k, d, between ? at->slots : at->vertices, state->x, at->x);
	gather(k, d, at->slots, state->X, at->X);
	if (lambda)
		gather(k, d, at->vertices, lambda, at->lambda);
}

// The potentials of a job: that of the state, and the further one where there is one.
static lm_quick quick_of(const job* work)
{
	const lm_term_set* set = work->set;
	const lm_elastic_state* s = work->state;
	double stiffness = work->scale * lm_stiffness(set, s->material);
	lm_quick quick = { .set = set,
		               .corners = work->between ? set->slots : set->vertices,
		               .x = s->x,
		               .rest_count = 1,
		               .rests = { { s->X, s->measured ? s->measured + work->measured_begin : NULL, stiffness } } };
	if (s->further)
		quick.rests[quick.rest_count++] =
			(lm_quick_rest){ s->further->X, s->further->measured ? s->further->measured + work->measured_begin : NULL,
			                 s->further->scale * stiffness };
	return quick;
}

static lm_elastic_state further_state(const lm_elastic_state* state)
{
	return (lm_elastic_state){ .material = state->material, .X = state->further->X, .x = state->x };
}

static void run_state(const job* work, int64_t begin, int64_t end)
{
	for (int64_t t = begin; t < end; ++t)
	{
		local at;
		locate(work->set, work->state, work->between, work->lambda, work->first + (int32_t)t, &at);
		at.index = work->set_begin + work->first + (int32_t)t;
		work->run(work, &at);
	}
}

static void run_range(void* context, int64_t begin, int64_t end)
{
	run_state(context, begin, end);
}

// Both potentials of a state, one after the other.
static void run_both(const job* work, int64_t begin, int64_t end)
{
	run_state(work, begin, end);
	if (!work->state->further)
		return;
	job other = *work;
	lm_elastic_state state = further_state(work->state);
	other.state = &state, other.scale *= work->state->further->scale;
	run_state(&other, begin, end);
}

static double sum_state(const job* work, const lm_elastic_state* state, int64_t begin, int64_t end)
{
	double sum = 0;
	for (int64_t t = begin; t < end; ++t)
	{
		local at;
		locate(work->set, state, work->between, NULL, work->first + (int32_t)t, &at);
		sum += lm_chain_energy(&at.term, at.X, at.x);
	}
	return sum;
}

static void sum_range(void* context, int64_t begin, int64_t end)
{
	const job* work = context;
	double sum;
	if (lm_quick_numbers(work->set) > 0)
	{
		lm_quick quick = quick_of(work);
		sum = lm_quick_find_kernels(work->body->host.simd)
		          ->energy(&quick, work->first + (int32_t)begin, work->first + (int32_t)end);
	}
	else
	{
		sum = sum_state(work, work->state, begin, end);
		if (work->state->further)
		{
			lm_elastic_state state = further_state(work->state);
			sum += work->state->further->scale * sum_state(work, &state, begin, end);
		}
	}
	work->partials[begin / LM_BODY_GRAIN] = sum;
}

// Over all terms; returns how many chunks there were. What is one chunk is done by one thread, whatever the colours.
static int64_t run(job work, lm_range_fn* range)
{
	const lm_elastic* body = work.body;
	int64_t chunks = 0;
	for (int s = 0; s < body->set_count; ++s)
	{
		work.set = &body->sets[s];
		const lm_term_set* set = work.set;
		bool small = set->count <= LM_BODY_GRAIN, stiff = lm_stiffness(set, work.state->material) != 0;
		for (int32_t c = 0; stiff && c < (small ? 1 : set->colour_count); ++c)
		{
			work.first = small ? 0 : set->colour_starts[c];
			work.partials = body->partials + chunks;
			int32_t count = (small ? set->count : set->colour_starts[c + 1]) - work.first;
			lm_parallel_for(body->host.threads, count, LM_BODY_GRAIN, range, &work);
			chunks += lm_chunk_count(count, LM_BODY_GRAIN);
		}
		work.set_begin += set->count;
		work.measured_begin += (int64_t)set->count * lm_quick_numbers(set);
	}
	return chunks;
}

int64_t lm_elastic_measured_count(const lm_elastic* body)
{
	int64_t count = 0;
	for (int s = 0; s < body->set_count; ++s)
		count += (int64_t)body->sets[s].count * lm_quick_numbers(&body->sets[s]);
	return count;
}

void lm_elastic_measure_rest(const lm_elastic* body, const double* X, double* measured)
{
	for (int s = 0; s < body->set_count; ++s)
	{
		const lm_term_set* set = &body->sets[s];
		const lm_quick quick = { .set = set, .rest_count = 1, .rests = { { .X = X } } };
		if (lm_quick_numbers(set) > 0)
			lm_quick_find_kernels(body->host.simd)->measure(&quick, 0, set->count, measured);
		measured += (int64_t)set->count * lm_quick_numbers(set);
	}
}

static double energy(lm_elastic* body, const lm_elastic_state* state, bool between)
{
	int64_t chunks = run((job){ .body = body, .state = state, .between = between, .scale = 1 }, sum_range);
	double W = 0;
	for (int64_t k = 0; k < chunks; ++k)
		W += body->partials[k];
	return W;
}

double lm_elastic_energy(lm_elastic* body, const lm_elastic_state* state)
{
	return energy(body, state, false);
}

double lm_elastic_between_energy(lm_elastic* body, const lm_elastic_state* state)
{
	return energy(body, state, true);
}

// ---- vectors

static void add_vector(const job* work, const local* at)
{
	double g[LM_MEASURE_SIZE];
	work->gradient(&at->term, at->X, at->x, g);
	scatter(at->corners, at->dimension, work->rest ? at->slots : at->vertices, work->scale, g, work->result);
}

static void gradient_range(void* context, int64_t begin, int64_t end)
{
	const job* work = context;
	if (lm_quick_numbers(work->set) == 0)
	{
		run_both(work, begin, end);
		return;
	}
	lm_quick quick = quick_of(work);
	lm_quick_find_kernels(work->body->host.simd)
		->add_gradient(&quick, work->first + (int32_t)begin, work->first + (int32_t)end, work->result);
}

void lm_elastic_add_gradient(lm_elastic* body, const lm_elastic_state* state, double scale, double* gradient)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_vector,
	           .gradient = lm_chain_gradient,
	           .scale = scale,
	           .result = gradient },
	    gradient_range);
}

void lm_elastic_add_rest_gradient(lm_elastic* body, const lm_elastic_state* state, double scale, double* gradient)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_vector,
	           .gradient = lm_chain_rest_gradient,
	           .scale = scale,
	           .rest = true,
	           .result = gradient },
	    run_range);
}

void lm_elastic_between_gradient(lm_elastic* body, const lm_elastic_state* state, double scale, double* gradient)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_vector,
	           .gradient = lm_chain_gradient,
	           .scale = scale,
	           .rest = true,
	           .between = true,
	           .result = gradient },
	    gradient_range);
}

// ---- sparse matrices

static void add_matrix(const job* work, const local* at)
{
	double A[LM_MEASURE_SIZE * LM_MEASURE_SIZE];
	if (work->hessian)
		work->hessian(&at->term, at->X, at->x, A);
	else
		work->multiplier(&at->term, at->X, at->x, at->lambda, A);
	if (work->convex && at->corners == 2)
		lm_psd_project_edge(at->dimension, work->rest ? at->X : at->x, A);
	else if (work->convex)
		lm_psd_project(at->corners, at->dimension, A);
	int n = at->corners * at->dimension;
	for (int i = 0; i < n * n; ++i)
		A[i] *= work->scale;
	lm_pattern_scatter(work->pattern, work->first_element + at->index, A, work->result);
}

static void stiffness_range(void* context, int64_t begin, int64_t end)
{
	const job* work = context;
	bool closest = work->convex, quick = !closest && lm_quick_numbers(work->set) > 0;
	if (!quick)
	{
		run_both(work, begin, end);
		return;
	}
	lm_quick q = quick_of(work);
	lm_quick_find_kernels(work->body->host.simd)
		->add_stiffness(&q, work->hessian == lm_chain_convex, work->first + (int32_t)begin, work->first + (int32_t)end,
	                    work->pattern, work->first_element + work->set_begin, work->result);
}

static const lm_pattern* rest_pattern(const lm_elastic* body)
{
	return body->incompatible ? body->own_rest_pattern : body->pattern;
}

void lm_elastic_add_stiffness(lm_elastic* body, const lm_elastic_state* state, bool convex, double scale,
                              const lm_pattern* pattern, int64_t first, double* values)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_matrix,
	           .hessian = lm_chain_stiffness,
	           .convex = convex,
	           .scale = scale,
	           .pattern = pattern,
	           .first_element = first,
	           .result = values },
	    stiffness_range);
}

void lm_elastic_add_rest_hessian(lm_elastic* body, const lm_elastic_state* state, bool convex, double scale,
                                 double* values)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_matrix,
	           .hessian = lm_chain_rest_hessian,
	           .convex = convex,
	           .scale = scale,
	           .rest = true,
	           .pattern = rest_pattern(body),
	           .result = values },
	    run_range);
}

void lm_elastic_between_hessian(lm_elastic* body, const lm_elastic_state* state, bool convex, double scale,
                                double* values)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_matrix,
	           .hessian = convex ? lm_chain_convex : lm_chain_stiffness,
	           .scale = scale,
	           .rest = true,
	           .between = true,
	           .pattern = rest_pattern(body),
	           .result = values },
	    stiffness_range);
}

void lm_elastic_add_multiplier_hessian(lm_elastic* body, const lm_elastic_state* state, const double* lambda,
                                       double scale, const lm_pattern* pattern, int64_t first, double* values)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_matrix,
	           .multiplier = lm_chain_multiplier_hessian,
	           .lambda = lambda,
	           .scale = scale,
	           .pattern = pattern,
	           .first_element = first,
	           .result = values },
	    run_range);
}

void lm_elastic_add_multiplier_rest(lm_elastic* body, const lm_elastic_state* state, const double* lambda, double scale,
                                    double* values)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_matrix,
	           .multiplier = lm_chain_multiplier_rest,
	           .lambda = lambda,
	           .scale = scale,
	           .rest = true,
	           .pattern = rest_pattern(body),
	           .result = values },
	    run_range);
}

// ---- mixed derivatives times a dense matrix

static int rows_of(const lm_term* term)
{
	return lm_chain_rows(term->measure, term->own.model);
}

// E += scale U^T (V L) for the columns begin .. end: V L first, which is a matrix of few rows.
static void add_columns(const job* work, const local* at, const double* U, const double* V, int32_t begin, int32_t end)
{
	int m = rows_of(&at->term), n = at->term.measure->size, d = at->dimension;
	double VL[LM_MEASURE_ROWS][COLUMNS] = { { 0 } };
	for (int j = 0; j < n; ++j)
	{
		const double* row = work->L + ((int64_t)at->slots[j / d] * d + j % d) * work->columns + begin;
		for (int a = 0; a < m; ++a)
			for (int32_t c = 0; c < end - begin; ++c)
				VL[a][c] += V[a * n + j] * row[c];
	}
	for (int i = 0; i < n; ++i)
	{
		double* row = work->result + ((int64_t)at->vertices[i / d] * d + i % d) * work->columns + begin;
		for (int a = 0; a < m; ++a)
		{
			double factor = work->scale * U[a * n + i];
			for (int32_t c = 0; c < end - begin; ++c)
				row[c] += factor * VL[a][c];
		}
	}
}

// E += scale U^T V: L is the identity.
static void add_block(const job* work, const local* at, const double* U, const double* V)
{
	int n = at->term.measure->size, d = at->dimension;
	double block[LM_MEASURE_SIZE * LM_MEASURE_SIZE];
	lm_chain_outer(rows_of(&at->term), n, U, V, block);
	for (int c = 0; c < at->corners; ++c)
		for (int e = 0; e < at->corners; ++e)
			for (int i = 0; i < d; ++i)
			{
				int64_t row = (int64_t)at->vertices[c] * d + i, column = (int64_t)at->slots[e] * d;
				for (int j = 0; j < d; ++j)
					work->result[row * work->columns + column + j] += work->scale * block[(c * d + i) * n + e * d + j];
			}
}

static void add_product(const job* work, const local* at)
{
	double U[LM_MEASURE_ROWS * LM_MEASURE_SIZE], V[LM_MEASURE_ROWS * LM_MEASURE_SIZE];
	if (work->lambda)
		lm_chain_multiplier_mixed(&at->term, at->X, at->x, at->lambda, U, V);
	else
		lm_chain_mixed(&at->term, at->X, at->x, U, V);
	if (!work->L)
		add_block(work, at, U, V);
	for (int32_t begin = 0; work->L && begin < work->columns; begin += COLUMNS)
		add_columns(work, at, U, V, begin, begin + COLUMNS < work->columns ? begin + COLUMNS : work->columns);
}

void lm_elastic_add_mixed(lm_elastic* body, const lm_elastic_state* state, double scale, const double* L,
                          int32_t columns, double* E)
{
	run(
		(job){
			.body = body, .state = state, .run = add_product, .scale = scale, .L = L, .columns = columns, .result = E },
		run_range);
}

void lm_elastic_add_multiplier_mixed(lm_elastic* body, const lm_elastic_state* state, const double* lambda,
                                     double scale, const double* L, int32_t columns, double* B)
{
	run((job){ .body = body,
	           .state = state,
	           .run = add_product,
	           .lambda = lambda,
	           .scale = scale,
	           .L = L,
	           .columns = columns,
	           .result = B },
	    run_range);
}

// b += scale V^T (U lambda)
static void add_transposed(const job* work, const local* at)
{
	int m = rows_of(&at->term), n = at->term.measure->size;
	double U[LM_MEASURE_ROWS * LM_MEASURE_SIZE], V[LM_MEASURE_ROWS * LM_MEASURE_SIZE], b[LM_MEASURE_SIZE] = { 0 };
	lm_chain_mixed(&at->term, at->X, at->x, U, V);
	for (int a = 0; a < m; ++a)
	{
		double along = 0;
		for (int i = 0; i < n; ++i)
			along += U[a * n + i] * at->lambda[i];
		for (int j = 0; j < n; ++j)
			b[j] += along * V[a * n + j];
	}
	scatter(at->corners, at->dimension, at->slots, work->scale, b, work->result);
}

void lm_elastic_add_mixed_transposed(lm_elastic* body, const lm_elastic_state* state, const double* lambda,
                                     double scale, double* b)
{
	run((job){ .body = body, .state = state, .run = add_transposed, .lambda = lambda, .scale = scale, .result = b },
	    run_range);
}

// ---- blocks

int32_t lm_elastic_term_count(const lm_elastic* body)
{
	int32_t count = 0;
	for (int s = 0; s < body->set_count; ++s)
		count += body->sets[s].count;
	return count;
}

void lm_elastic_mixed_block(const lm_elastic* body, const lm_elastic_state* state, int32_t term,
                            lm_elastic_block* block)
{
	assert(term >= 0 && term < lm_elastic_term_count(body));
	int s = 0;
	while (term >= body->sets[s].count)
		term -= body->sets[s++].count;
	local at;
	double U[LM_MEASURE_ROWS * LM_MEASURE_SIZE], V[LM_MEASURE_ROWS * LM_MEASURE_SIZE];
	locate(&body->sets[s], state, false, NULL, term, &at);
	lm_chain_mixed(&at.term, at.X, at.x, U, V);
	int n = at.term.measure->size;
	block->corners = at.corners;
	block->size = n;
	block->vertices = at.vertices;
	block->slots = at.slots;
	lm_chain_outer(rows_of(&at.term), n, U, V, block->values);
}
