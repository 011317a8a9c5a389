// text.h: a cursor in a text file that knows its line. The text has a zero byte behind its end (lm_file_read), so
// looking at *next is always safe.
#ifndef LM_IO_TEXT_H
#define LM_IO_TEXT_H

#include "limber/base.h"

typedef struct lm_text
{
	const char* path; // for errors
	const char* start;
	const char* next;
	const char* end;
	int64_t line; // 1-based
	bool binary;  // errors name the byte instead of the line
	lm_error* error;
} lm_text;

// A byte order mark of UTF-8 at the start is passed over.
lm_text lm_text_open(const char* path, const void* data, size_t size, lm_error* error);

static inline size_t lm_text_left(const lm_text* text)
{
	return (size_t)(text->end - text->next);
}

// Passes over blanks within the line; a backslash at the end of a line joins the next one.
void lm_text_blanks(lm_text* text);
// Passes over blanks and line ends.
void lm_text_space(lm_text* text);
// Passes over blanks, line ends and comments from # to the end of the line. False at the end of the text.
bool lm_text_content(lm_text* text);
// True at the end of a line or of the text, after blanks.
bool lm_text_line_ends(lm_text* text);
// Goes to the start of the next line. A backslash does not join here: what is skipped may be a comment that ends in
// one by chance.
void lm_text_next_line(lm_text* text);

// A word of visible characters after blanks in this line; length 0 at its end.
typedef struct lm_word
{
	const char* start;
	size_t length;
} lm_word;
lm_word lm_text_word(lm_text* text);
bool lm_word_is(lm_word word, const char* expected);

// The number after blanks in this line. `what` names it in the error ("the x of vertex 3" is made by the caller).
lm_status lm_text_integer(lm_text* text, const char* what, int64_t* value);
lm_status lm_text_double(lm_text* text, const char* what, double* value);
// A number of items that each take at least item_bytes of what is left of the text, and at most limit.
lm_status lm_text_count(lm_text* text, const char* what, size_t item_bytes, int64_t limit, int64_t* count);

// LM_BAD_INPUT at the place of the cursor; the second names the vertex or face concerned as well.
lm_status lm_text_fail(const lm_text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
lm_status lm_text_fail_element(const lm_text* text, int64_t element, const char* format, ...)
	__attribute__((format(printf, 3, 4)));

// The word at the cursor, fit for a message: at most 32 characters, only printable ones.
typedef struct lm_quote
{
	char text[40];
} lm_quote;
lm_quote lm_text_quote(const lm_text* text);

#endif
