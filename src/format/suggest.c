// suggest.c: edit distance where swapping two neighbouring letters is one edit (optimal string alignment), and upper
// and lower case are the same. Up to a third of the letters may be wrong.
#include "format/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum
{
	LONGEST = 63
};

static int minimum(int a, int b)
{
	return a < b ? a : b;
}

static int edit_distance(const char* a, size_t m, const char* b, size_t n)
{
	int row[3][LONGEST + 1]; // rows i - 2, i - 1, i of the table, in turn
	for (size_t i = 0; i <= m; ++i)
	{
		int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = (int)i;
		for (size_t j = 1; j <= n; ++j)
		{
			if (i == 0)
			{
				now[j] = (int)j;
				continue;
			}
			int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
			now[j] = minimum(minimum(last[j], now[j - 1]) + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = minimum(now[j], before[j - 2] + 1);
		}
	}
	return row[m % 3][n];
}

lm_suggestion lm_suggest(const char* word)
{
	return (lm_suggestion){ .word = word };
}

void lm_suggest_try(lm_suggestion* suggestion, const char* candidate)
{
	size_t m = strlen(suggestion->word), n = strlen(candidate);
	if (m > LONGEST || n > LONGEST)
		return;
	int distance = edit_distance(suggestion->word, m, candidate, n);
	int allowed = (int)((m > n ? m : n) + 1) / 3;
	if (distance <= (allowed > 1 ? allowed : 1) && distance < (int)n &&
	    (suggestion->best == NULL || distance < suggestion->distance))
	{
		suggestion->best = candidate;
		suggestion->distance = distance;
	}
}

void lm_suggest_text(const lm_suggestion* suggestion, char* text, size_t capacity)
{
	text[0] = 0;
	if (suggestion->best != NULL)
		snprintf(text, capacity, "; did you mean \"%s\"?", suggestion->best);
}
