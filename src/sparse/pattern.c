// Building: every number (i, j) of every element matrix becomes a triple (column, row, number). Two stable bucket
// sorts, by row and then by column, bring the triples into the order of the compressed columns; runs of equal places
// are the entries, and the triples of a run, still in the order of the elements, are what the entry gathers.
#include "sparse/pattern.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <string.h>

typedef struct triples
{
	int64_t count;
	int32_t *row, *column, *local; // local is -1 for the diagonal that is held in any case
} triples;

static void release_triples(const lm_host* host, triples* t)
{
	lm_free(host, t->row), lm_free(host, t->column), lm_free(host, t->local);
	*t = (triples){ 0 };
}

static bool allocate_triples(const lm_host* host, int64_t count, triples* t)
{
	*t = (triples){ count, LM_NEW(host, count, int32_t), LM_NEW(host, count, int32_t), LM_NEW(host, count, int32_t) };
	if (t->row && t->column && t->local)
		return true;
	release_triples(host, t);
	return false;
}

static int64_t element_size(const lm_element_list* list, int64_t e)
{
	return list->start ? list->start[e + 1] - list->start[e] : list->size;
}

static const int32_t* element_indices(const lm_element_list* list, int64_t e)
{
	return list->index + (list->start ? list->start[e] : list->size * e);
}

// Checks all indices, and counts the elements and the numbers of their locals.
static lm_status measure(int64_t n, const lm_element_list* lists, int list_count, int64_t* elements, int64_t* locals,
                         lm_error* error)
{
	*elements = *locals = 0;
	if (n < 0 || n >= INT32_MAX)
		return lm_fail(error, LM_BAD_INPUT, "a matrix of %lld rows is too large: 2147483646 is the most", (long long)n);
	for (int l = 0; l < list_count; ++l)
	{
		assert(lists[l].block > 0);
		for (int64_t e = 0; e < lists[l].count; ++e)
		{
			int64_t size = element_size(&lists[l], e), width = size * lists[l].block;
			const int32_t* index = element_indices(&lists[l], e);
			for (int64_t i = 0; i < size; ++i)
				if ((index[i] + INT64_C(1)) * lists[l].block > n)
					return lm_fail(error, LM_BAD_INPUT, "element %lld couples index %d, but %lld is the last one",
					               (long long)e, index[i], (long long)(n / lists[l].block - 1));
			*locals += width * width;
			if (width > 46340 || *locals + n > INT32_MAX)
				return lm_fail(error, LM_BAD_INPUT, "the elements have too many places: 2147483647 are the most");
		}
		*elements += lists[l].count;
	}
	return LM_OK;
}

// The unknown that row i of a local matrix belongs to, or -1.
static int32_t unknown(const int32_t* index, int32_t block, int64_t i)
{
	int32_t v = index[i / block];
	return v < 0 ? -1 : (int32_t)(v * block + i % block);
}

static void collect(lm_pattern* A, const lm_element_list* lists, int list_count, triples* t)
{
	int64_t count = 0, local = 0, element = 0;
	for (int32_t i = 0; i < A->n; ++i, ++count)
		t->row[count] = t->column[count] = i, t->local[count] = -1;
	for (int l = 0; l < list_count; ++l)
		for (int64_t e = 0; e < lists[l].count; ++e)
		{
			int32_t block = lists[l].block;
			int64_t width = element_size(&lists[l], e) * block;
			const int32_t* index = element_indices(&lists[l], e);
			A->local_start[element++] = local;
			for (int64_t i = 0; i < width; ++i)
				for (int64_t j = 0; j < width; ++j, ++local)
				{
					int32_t row = unknown(index, block, i), column = unknown(index, block, j);
					A->place[local] = -1;
					if (row < 0 || column < 0 || (A->symmetric && row > column))
						continue;
					t->row[count] = row, t->column[count] = column, t->local[count++] = (int32_t)local;
				}
		}
	A->local_start[element] = local;
	t->count = count;
}

// Sorts by key (one of the arrays of from), stably. begin has n + 1 zeros.
static void bucket_sort(const triples* from, const int32_t* key, int32_t n, int32_t* begin, triples* to)
{
	for (int64_t k = 0; k < from->count; ++k)
		++begin[key[k] + 1];
	for (int32_t i = 0; i < n; ++i)
		begin[i + 1] += begin[i];
	for (int64_t k = 0; k < from->count; ++k)
	{
		int32_t at = begin[key[k]]++;
		to->row[at] = from->row[k], to->column[at] = from->column[k], to->local[at] = from->local[k];
	}
	to->count = from->count;
}

static int64_t count_entries(const triples* t)
{
	int64_t entries = 0;
	for (int64_t k = 0; k < t->count; ++k)
		entries += k == 0 || t->row[k] != t->row[k - 1] || t->column[k] != t->column[k - 1];
	return entries;
}

static void compress(lm_pattern* A, const triples* t)
{
	int32_t entry = -1, gathered = 0;
	for (int64_t k = 0; k < t->count; ++k)
	{
		int32_t row = t->row[k], column = t->column[k], local = t->local[k];
		if (k == 0 || row != t->row[k - 1] || column != t->column[k - 1])
		{
			A->row[++entry] = row;
			A->gather_start[entry] = gathered;
			++A->start[column + 1];
			if (row == column)
				A->diagonal[row] = entry;
		}
		if (local >= 0)
			A->place[local] = entry, A->gather[gathered++] = local;
	}
	A->gather_start[A->entries] = gathered;
	for (int32_t j = 0; j < A->n; ++j)
		A->start[j + 1] += A->start[j];
}

static bool build(lm_pattern* A, const lm_element_list* lists, int list_count, triples* a, triples* b, int32_t* begin)
{
	collect(A, lists, list_count, a);
	bucket_sort(a, a->row, A->n, begin, b);
	memset(begin, 0, ((size_t)A->n + 1) * sizeof *begin);
	bucket_sort(b, b->column, A->n, begin, a);
	A->entries = count_entries(a);
	A->row = LM_NEW(&A->host, A->entries, int32_t);
	A->gather_start = LM_NEW(&A->host, A->entries + 1, int32_t);
	A->gather = LM_NEW(&A->host, a->count, int32_t);
	if (!A->row || !A->gather_start || !A->gather)
		return false;
	compress(A, a);
	return true;
}

lm_status lm_pattern_create(int64_t n, bool symmetric, const lm_element_list* lists, int list_count,
                            const lm_host* host, lm_pattern** pattern, lm_error* error)
{
	int64_t elements, locals;
	lm_status status = measure(n, lists, list_count, &elements, &locals, error);
	if (status != LM_OK)
		return status;
	lm_pattern* A = LM_NEW(host, 1, lm_pattern);
	if (!A)
		return lm_fail_memory(error);
	*A = (lm_pattern){ .host = *host,
		               .n = (int32_t)n,
		               .symmetric = symmetric,
		               .together = 1,
		               .element_count = elements,
		               .local_count = locals,
		               .start = LM_NEW(host, n + 1, int32_t),
		               .diagonal = LM_NEW(host, n, int32_t),
		               .local_start = LM_NEW(host, elements + 1, int64_t),
		               .place = LM_NEW(host, locals, int32_t) };
	triples a = { 0 }, b = { 0 };
	int32_t* begin = LM_NEW(host, n + 1, int32_t);
	bool built = A->start && A->diagonal && A->local_start && A->place && begin &&
	             allocate_triples(host, n + locals, &a) && allocate_triples(host, n + locals, &b) &&
	             build(A, lists, list_count, &a, &b, begin);
	release_triples(host, &a), release_triples(host, &b), lm_free(host, begin);
	if (!built)
	{
		lm_pattern_destroy(A);
		return lm_fail_memory(error);
	}
	*pattern = A;
	return LM_OK;
}

void lm_pattern_destroy(lm_pattern* pattern)
{
	if (!pattern)
		return;
	lm_host host = pattern->host;
	lm_free(&host, pattern->start), lm_free(&host, pattern->row), lm_free(&host, pattern->diagonal);
	lm_free(&host, pattern->local_start), lm_free(&host, pattern->place);
	lm_free(&host, pattern->gather_start), lm_free(&host, pattern->gather);
	lm_free(&host, pattern);
}

int64_t lm_pattern_find(const lm_pattern* pattern, int64_t row, int64_t column)
{
	if (pattern->symmetric && row > column)
	{
		int64_t swap = row;
		row = column, column = swap;
	}
	int32_t low = pattern->start[column], high = pattern->start[column + 1];
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;
		if (pattern->row[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low < pattern->start[column + 1] && pattern->row[low] == row ? low : -1;
}
