// Building: every number (i, j) of every element matrix goes to the bucket of its column j, in the order of the
// elements. Then, column by column, the rows that occur are sorted: they are the entries, and the numbers of a bucket
// that belong to the same row, still in the order of the elements, are what the entry gathers.
#include "sparse/pattern.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <stdlib.h>

// A number of the locals in the bucket of its column.
typedef struct item
{
	int32_t row, local;
} item;

// What is needed only while building.
typedef struct draft
{
	item* items;       // buckets of all columns
	int64_t* begin;    // [n + 1] of each bucket
	int32_t* unknowns; // of one element
	int32_t* seen;     // [n] the last column + 1 that a row occurred in
	int32_t* entry_of; // [n] entry of a row in that column
} draft;

static void release_draft(const lm_host* host, draft* d)
{
	void* all[] = { d->items, d->begin, d->unknowns, d->seen, d->entry_of };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(host, all[i]);
}

static int64_t element_size(const lm_element_list* list, int64_t e)
{
	return list->start ? list->start[e + 1] - list->start[e] : list->size;
}

static const int32_t* element_indices(const lm_element_list* list, int64_t e)
{
	return list->index + (list->start ? list->start[e] : list->size * e);
}

// Checks all indices, and counts the elements, the numbers of their locals, and the rows of the largest.
static lm_status measure(int64_t n, const lm_element_list* lists, int list_count, int64_t* elements, int64_t* locals,
                         int64_t* widest, lm_error* error)
{
	*elements = *locals = *widest = 0;
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
			*widest = width > *widest ? width : *widest;
			if (width > 46340 || *locals + n > INT32_MAX)
				return lm_fail(error, LM_BAD_INPUT, "the elements have too many places: 2147483647 are the most");
		}
		*elements += lists[l].count;
	}
	return LM_OK;
}

// The unknowns of an element's rows, -1 for none. Returns how many rows.
static int64_t expand(const lm_element_list* list, int64_t e, int32_t* unknowns)
{
	int64_t size = element_size(list, e), width = 0;
	const int32_t* index = element_indices(list, e);
	for (int64_t i = 0; i < size; ++i)
		for (int32_t k = 0; k < list->block; ++k)
			unknowns[width++] = index[i] < 0 ? -1 : index[i] * list->block + k;
	return width;
}

// Goes through all numbers of all elements: counts how many each column gets, into begin[column + 1], or, with items
// there, puts them into their buckets; begin[column] then ends up where the bucket ends.
static void collect(const lm_pattern* A, const lm_element_list* lists, int list_count, draft* d)
{
	int32_t local = 0;
	for (int l = 0; l < list_count; ++l)
		for (int64_t e = 0; e < lists[l].count; ++e)
		{
			int64_t width = expand(&lists[l], e, d->unknowns);
			for (int64_t i = 0; i < width; ++i)
				for (int64_t j = 0; j < width; ++j, ++local)
				{
					int32_t row = d->unknowns[i], column = d->unknowns[j];
					if (row < 0 || column < 0 || (A->symmetric && row > column))
						continue;
					if (d->items)
						d->items[d->begin[column]++] = (item){ row, local };
					else
						++d->begin[column + 1];
				}
		}
}

// Makes the buckets; d->begin is where they begin.
static bool fill_buckets(const lm_pattern* A, const lm_element_list* lists, int list_count, draft* d)
{
	collect(A, lists, list_count, d);
	for (int32_t j = 0; j < A->n; ++j)
		d->begin[j + 1] += d->begin[j];
	d->items = LM_NEW(&A->host, d->begin[A->n], item);
	if (!d->items)
		return false;
	collect(A, lists, list_count, d);
	for (int32_t j = A->n; j > 0; --j) // each begins where the one before has ended
		d->begin[j] = d->begin[j - 1];
	d->begin[0] = 0;
	return true;
}

// The rows of column j, each once, its diagonal among them. Returns how many; rows may be NULL.
static int64_t find_rows(draft* d, int32_t j, int32_t mark, int32_t* rows)
{
	int64_t count = 0;
	d->seen[j] = mark;
	if (rows)
		rows[count] = j;
	++count;
	for (int64_t k = d->begin[j]; k < d->begin[j + 1]; ++k)
	{
		int32_t row = d->items[k].row;
		if (d->seen[row] == mark)
			continue;
		d->seen[row] = mark;
		if (rows)
			rows[count] = row;
		++count;
	}
	return count;
}

static int by_number(const void* a, const void* b)
{
	int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
	return (x > y) - (x < y);
}

static void sort_rows(int64_t count, int32_t* rows)
{
	if (count > 100)
	{
		qsort(rows, (size_t)count, sizeof *rows, by_number);
		return;
	}
	for (int64_t i = 1; i < count; ++i)
	{
		int32_t row = rows[i];
		int64_t k = i;
		for (; k > 0 && rows[k - 1] > row; --k)
			rows[k] = rows[k - 1];
		rows[k] = row;
	}
}

// Entries of column j, and what they gather: all up to A->start[j] is there. *gathered counts.
static void compress(lm_pattern* A, draft* d, int32_t j, int32_t* gathered)
{
	int32_t first = A->start[j], end = A->start[j + 1];
	sort_rows(end - first, A->row + first);
	for (int32_t k = first; k < end; ++k)
	{
		d->entry_of[A->row[k]] = k;
		A->gather_start[k] = 0;
	}
	A->diagonal[j] = d->entry_of[j];
	for (int64_t k = d->begin[j]; k < d->begin[j + 1]; ++k)
		++A->gather_start[d->entry_of[d->items[k].row]];
	for (int32_t k = first; k < end; ++k)
	{
		int32_t count = A->gather_start[k];
		A->gather_start[k] = *gathered, *gathered += count;
	}
	for (int64_t k = d->begin[j]; k < d->begin[j + 1]; ++k)
	{
		int32_t entry = d->entry_of[d->items[k].row];
		A->place[d->items[k].local] = entry;
		A->gather[A->gather_start[entry]++] = d->items[k].local;
	}
	for (int32_t k = end - 1; k > first; --k) // back to where they begin
		A->gather_start[k] = A->gather_start[k - 1];
	if (end > first)
		A->gather_start[first] = (int32_t)d->begin[j];
}

static bool build(lm_pattern* A, const lm_element_list* lists, int list_count, draft* d)
{
	if (!fill_buckets(A, lists, list_count, d))
		return false;
	for (int32_t j = 0; j < A->n; ++j)
		A->entries += find_rows(d, j, j + 1, NULL);
	A->row = LM_NEW(&A->host, A->entries, int32_t);
	A->gather_start = LM_NEW(&A->host, A->entries + 1, int32_t);
	A->gather = LM_NEW(&A->host, d->begin[A->n], int32_t);
	if (!A->row || !A->gather_start || !A->gather)
		return false;
	for (int64_t i = 0; i < A->local_count; ++i)
		A->place[i] = -1;
	int32_t gathered = 0;
	for (int32_t j = 0; j < A->n; ++j)
	{
		A->start[j + 1] = A->start[j] + (int32_t)find_rows(d, j, -j - 1, A->row + A->start[j]);
		compress(A, d, j, &gathered);
	}
	A->gather_start[A->entries] = gathered;
	return true;
}

static void start_locals(lm_pattern* A, const lm_element_list* lists, int list_count)
{
	int64_t local = 0, element = 0;
	for (int l = 0; l < list_count; ++l)
		for (int64_t e = 0; e < lists[l].count; ++e)
		{
			int64_t width = element_size(&lists[l], e) * lists[l].block;
			A->local_start[element++] = local;
			local += width * width;
		}
	A->local_start[element] = local;
}

lm_status lm_pattern_create(int64_t n, bool symmetric, const lm_element_list* lists, int list_count,
                            const lm_host* host, lm_pattern** pattern, lm_error* error)
{
	int64_t elements, locals, widest;
	lm_status status = measure(n, lists, list_count, &elements, &locals, &widest, error);
	if (status != LM_OK)
		return status;
	lm_pattern* A = LM_NEW(host, 1, lm_pattern);
	if (!A)
		return lm_fail_memory(error);
	*A = (lm_pattern){ .host = *host,
		               .n = (int32_t)n,
		               .symmetric = symmetric,
		               .block_size = 1,
		               .element_count = elements,
		               .local_count = locals,
		               .start = LM_NEW(host, n + 1, int32_t),
		               .diagonal = LM_NEW(host, n, int32_t),
		               .local_start = LM_NEW(host, elements + 1, int64_t),
		               .place = LM_NEW(host, locals, int32_t) };
	draft d = { .begin = LM_NEW(host, n + 1, int64_t),
		        .unknowns = LM_NEW(host, widest, int32_t),
		        .seen = LM_NEW(host, n, int32_t),
		        .entry_of = LM_NEW(host, n, int32_t) };
	bool built = A->start && A->diagonal && A->local_start && A->place && d.begin && d.unknowns && d.seen && d.entry_of;
	if (built)
	{
		start_locals(A, lists, list_count);
		built = build(A, lists, list_count, &d);
	}
	release_draft(host, &d);
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
