// sequence.c: names of files with {frame} in place of the number.
#include "io/sequence.h"

#include <stdio.h>
#include <string.h>

bool lm_sequence_name(const char* pattern, int digits, int32_t frame, char* name, size_t capacity)
{
	const char* place = strstr(pattern, "{frame}");
	int length = snprintf(name, capacity, "%.*s%0*d%s", (int)(place - pattern), pattern, digits, frame, place + 7);
	return length >= 0 && (size_t)length < capacity;
}

typedef struct folder
{
	const char* pattern;
	bool (*exists)(void* context, const char* name);
	void* context;
} folder;

static bool has_frame(const folder* f, int digits, int32_t frame)
{
	char name[4096];
	return lm_sequence_name(f->pattern, digits, frame, name, sizeof name) && f->exists(f->context, name);
}

static bool find_digits(const folder* f, int32_t frame, int* digits)
{
	static const int usual[] = { 4, 1, 2, 3, 5, 6, 7, 8, 9 }; // limber writes four
	for (size_t i = 0; i < sizeof usual / sizeof *usual; ++i)
		if (has_frame(f, usual[i], frame))
		{
			*digits = usual[i];
			return true;
		}
	return false;
}

void lm_sequence_find(const char* pattern, int32_t frames_max, bool find_last,
                      bool (*exists)(void* context, const char* name), void* context, lm_sequence* sequence)
{
	const folder f = { pattern, exists, context };
	lm_sequence* s = sequence;
	if (!find_digits(&f, s->first, &s->digits) && s->first == 0 && find_digits(&f, 1, &s->digits))
		s->first = 1;
	if (find_last)
		for (s->last = s->first; s->last - s->first < frames_max && has_frame(&f, s->digits, s->last + 1);)
			++s->last;
}
