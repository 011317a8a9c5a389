#include "io/text.h"

#include "base/error.h"
#include "io/number.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lm_text lm_text_open(const char* path, const void* data, size_t size, lm_error* error)
{
	const char* start = data;
	lm_text text = { .path = path, .start = start, .next = start, .end = start + size, .line = 1, .error = error };
	if (size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0)
		text.next += 3;
	return text;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool ends_word(char c)
{
	return is_blank(c) || c == '\n' || c == 0;
}

void lm_text_blanks(lm_text* text)
{
	for (;;)
	{
		const char* p = text->next;
		if (is_blank(*p))
			++text->next;
		else if (p[0] == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n')))
		{
			text->next += p[1] == '\n' ? 2 : 3;
			++text->line;
		}
		else
			return;
	}
}

void lm_text_space(lm_text* text)
{
	for (;; ++text->next)
	{
		if (*text->next == '\n')
			++text->line;
		else if (!is_blank(*text->next))
			return;
	}
}

bool lm_text_content(lm_text* text)
{
	for (;;)
	{
		lm_text_space(text);
		if (*text->next != '#')
			return text->next < text->end;
		lm_text_next_line(text);
	}
}

bool lm_text_line_ends(lm_text* text)
{
	lm_text_blanks(text);
	return *text->next == '\n' || text->next >= text->end;
}

void lm_text_next_line(lm_text* text)
{
	const char* found = memchr(text->next, '\n', lm_text_left(text));
	text->next = found != NULL ? found + 1 : text->end;
	text->line += found != NULL;
}

lm_word lm_text_word(lm_text* text)
{
	lm_text_blanks(text);
	lm_word word = { .start = text->next };
	while (!ends_word(*text->next))
	{
		if (text->next[0] == '\\' && (text->next[1] == '\n' || (text->next[1] == '\r' && text->next[2] == '\n')))
			break;
		++text->next;
	}
	word.length = (size_t)(text->next - word.start);
	return word;
}

bool lm_word_is(lm_word word, const char* expected)
{
	return strlen(expected) == word.length && memcmp(word.start, expected, word.length) == 0;
}

lm_quote lm_text_quote(const lm_text* text)
{
	lm_quote quote = { .text = "" };
	size_t length = 0;
	for (const char* p = text->next; p < text->end && !ends_word(*p) && length < 32; ++p)
		quote.text[length++] = (*p >= 33 && *p <= 126) ? *p : '?';
	if (length == 0)
		snprintf(quote.text, sizeof quote.text, "%s", text->next >= text->end ? "the end of the file" : "nothing");
	return quote;
}

static lm_status fail_here(const lm_text* text, int64_t element, const char* format, va_list arguments)
{
	char message[400], where[40];
	vsnprintf(message, sizeof message, format, arguments);
	if (text->binary)
		snprintf(where, sizeof where, "byte %td", text->next - text->start);
	else
		snprintf(where, sizeof where, "line %" PRId64, text->line);
	lm_status status = lm_fail_at(text->error, LM_BAD_INPUT, text->path, where, "%s", message);
	if (text->error != NULL)
		text->error->element = element;
	return status;
}

lm_status lm_text_fail(const lm_text* text, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	lm_status status = fail_here(text, -1, format, arguments);
	va_end(arguments);
	return status;
}

lm_status lm_text_fail_element(const lm_text* text, int64_t element, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	lm_status status = fail_here(text, element, format, arguments);
	va_end(arguments);
	return status;
}

lm_status lm_text_integer(lm_text* text, const char* what, int64_t* value)
{
	lm_text_blanks(text);
	const char* p = text->next;
	bool negative = *p == '-';
	if (*p == '-' || *p == '+')
		++p;
	const char* first = p;
	int64_t number = 0;
	bool fits = true;
	for (; *p >= '0' && *p <= '9'; ++p)
		fits =
			fits && !__builtin_mul_overflow(number, 10, &number) && !__builtin_add_overflow(number, *p - '0', &number);
	if (p == first || !ends_word(*p))
		return lm_text_fail(text, "%s must be a whole number, not %s", what, lm_text_quote(text).text);
	if (!fits)
		return lm_text_fail(text, "%s is too large: %s", what, lm_text_quote(text).text);
	text->next = p;
	*value = negative ? -number : number;
	return LM_OK;
}

lm_status lm_text_double(lm_text* text, const char* what, double* value)
{
	lm_text_blanks(text);
	const char* p = text->next;
	if (!lm_number_read(&p, value) || !ends_word(*p))
		return lm_text_fail(text, "%s must be a number, not %s", what, lm_text_quote(text).text);
	text->next = p;
	return LM_OK;
}

lm_status lm_text_count(lm_text* text, const char* what, size_t item_bytes, int64_t limit, int64_t* count)
{
	int64_t value = 0;
	lm_status status = lm_text_integer(text, what, &value);
	if (status != LM_OK)
		return status;
	if (value < 0)
		return lm_text_fail(text, "%s is negative: %" PRId64, what, value);
	if (value > limit)
		return lm_text_fail(text, "%s is %" PRId64 ", at most %" PRId64 " are possible", what, value, limit);
	if (item_bytes > 0 && (uint64_t)value > (lm_text_left(text) + 1) / item_bytes)
		return lm_text_fail(text,
		                    "%s is %" PRId64 ", but only %zu bytes follow: the file is cut off or the count wrong",
		                    what, value, lm_text_left(text));
	*count = value;
	return LM_OK;
}
