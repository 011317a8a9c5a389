// suggest.h: "did you mean": the candidate that looks most like a misspelt word.
#ifndef LM_FORMAT_SUGGEST_H
#define LM_FORMAT_SUGGEST_H

#include <stddef.h>

typedef struct lm_suggestion
{
	const char* word;
	const char* best; // NULL: nothing is near enough
	int distance;
} lm_suggestion;

lm_suggestion lm_suggest(const char* word);
void lm_suggest_try(lm_suggestion* suggestion, const char* candidate);
// "; did you mean \"best\"?", or "" without one.
void lm_suggest_text(const lm_suggestion* suggestion, char* text, size_t capacity);

#endif
