// reduce.c: C += scale L^T S L for a sparse symmetric S and a dense L, row by row. Columns of the result are computed
// side by side; each entry is one sum in the order of the rows, so threads do not matter. Only the entries on and below
// the diagonal are computed and the others copied.
#include "base/parallel.h"
#include "elastic/body.h"

#define COLUMNS 8 // per chunk

typedef struct job
{
	const lm_pattern* pattern;
	const double *values, *L;
	int32_t columns;
	double scale;
	double *work, *C;
} job;

static void reduce_columns(void* context, int64_t begin, int64_t end)
{
	const job* w = context;
	int32_t p = w->columns;
	lm_pattern_multiply_rows(w->pattern, w->values, end - begin, w->L + begin, p, w->work + begin);
	for (int64_t a = begin; a < p; ++a)
	{
		double sum[COLUMNS] = { 0 };
		for (int64_t i = 0; i < w->pattern->n; ++i)
			for (int64_t b = begin; b < end; ++b)
				sum[b - begin] += w->L[i * p + a] * w->work[i * p + b];
		for (int64_t b = begin; b < end && b <= a; ++b)
		{
			w->C[a * p + b] += w->scale * sum[b - begin];
			if (a != b)
				w->C[b * p + a] += w->scale * sum[b - begin];
		}
	}
}

void lm_elastic_add_reduced(const lm_elastic* body, const double* values, const double* L, int32_t columns,
                            double scale, double* work, double* C)
{
	job w = { body->incompatible ? body->own_rest_pattern : body->pattern, values, L, columns, scale, work, C };
	lm_parallel_for(body->host.threads, columns, COLUMNS, reduce_columns, &w);
}
