// The elimination tree, and which columns form fronts.
#include "sparse/fronts.h"

#include <stdbool.h>

// Liu's algorithm ("The role of elimination trees in sparse factorization", 1990): above[start[j] .. start[j + 1]) are
// the rows i < j with a_ij != 0. Roots have parent -1.
void lm_fronts_column_parents(int32_t n, const int32_t* start, const int32_t* above, int32_t* parent, int32_t* ancestor)
{
	for (int32_t j = 0; j < n; ++j)
	{
		parent[j] = ancestor[j] = -1;
		for (int32_t k = start[j]; k < start[j + 1]; ++k)
			for (int32_t i = above[k], next; i != -1 && i < j; i = next)
			{
				next = ancestor[i];
				ancestor[i] = j;
				if (next == -1)
					parent[i] = j;
			}
	}
}

// Joining fronts adds zeros to the factor and makes products larger, hence faster: worth it while the share of zeros is
// small, or the front is.
static bool is_worth_joining(int64_t columns, int64_t full, int64_t entries)
{
	double zeros = (double)(full - entries) / (double)full;
	return zeros == 0 || (columns <= 12 && zeros < 0.6) || (columns <= 24 && zeros < 0.35) ||
	       (columns <= 48 && zeros < 0.2) || zeros < 0.08;
}

// Goes through the columns in order; each begins a front of its own, which is then merged with the fronts before it
// that it is the parent of, as long as that adds few zeros. entries (n numbers) counts the true entries of the fronts.
int32_t lm_fronts_join(int32_t n, const int32_t* parent, const int32_t* counts, int32_t* first, int64_t* entries)
{
	int32_t count = 0;
	for (int32_t j = 0; j < n; ++j)
	{
		first[count] = j, entries[count] = counts[j];
		int64_t rows = counts[j] - 1;
		for (; count > 0 && parent[first[count] - 1] == j; --count)
		{
			int64_t columns = j + 1 - first[count - 1], full = columns * (columns + 1) / 2 + columns * rows;
			if (!is_worth_joining(columns, full, entries[count - 1] + entries[count]))
				break;
			entries[count - 1] += entries[count];
		}
		++count;
	}
	first[count] = n;
	return count;
}
