// syntax.c: the parser's messages speak of tokens; ours of the mistakes that are usually made: comments, commas,
// quotes, brackets, numbers as other languages write them.
#include "format/syntax.h"

#include "base/error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Where the parser failed: the text between the quotes after "near", on one line.
static void find_token(const char* text, char* token, size_t capacity)
{
	const char* near = strstr(text, " near '");
	snprintf(token, capacity, "%s", near != NULL ? near + strlen(" near '") : "");
	size_t length = strlen(token);
	if (length > 0 && token[length - 1] == '\'')
		token[length - 1] = 0;
	for (char* c = token; *c != 0; ++c)
	{
		if ((unsigned char)*c < ' ')
			*c = ' ';
	}
}

static bool is_one_of(const char* word, const char* const* words)
{
	for (; *words != NULL; ++words)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

// A token that JSON does not have, or not where it stands.
static bool explain_token(const char* token, char* text, size_t capacity)
{
	static const char* const constants[] = { "True", "TRUE", "False", "FALSE", "None", "Null", "NULL", NULL };
	static const char* const numbers[] = { "NaN", "nan", "Infinity", "inf", "Inf", NULL };
	if (token[0] == '/' || token[0] == '#')
		snprintf(text, capacity, "JSON has no comments; use \"description\", or take it out");
	else if (token[0] == '\'')
		snprintf(text, capacity, "keys and text stand in double quotes, not in single ones");
	else if (token[0] == '.' || token[0] == '+')
		snprintf(text, capacity, "numbers begin with a digit or a minus, as 0.5 and -1 do");
	else if (is_one_of(token, numbers))
		snprintf(text, capacity, "%s is no number, must be a finite one", token);
	else if (is_one_of(token, constants))
		snprintf(text, capacity, "%s is unknown, must be true, false or null", token);
	else if (isalpha((unsigned char)token[0]) || token[0] == '_')
		snprintf(text, capacity, "%s must stand in double quotes: \"%s\"", token, token);
	else
		return false;
	return true;
}

static bool begins(const char* text, const char* with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void explain_place(const char* said, const char* token, char* text, size_t capacity)
{
	if (begins(said, "'}' expected") || begins(said, "']' expected"))
		snprintf(text, capacity, "a comma or %.3s is missing before %s", said, token);
	else if (begins(said, "':' expected"))
		snprintf(text, capacity, "a colon is missing before %s", token);
	else if (begins(said, "string or '}' expected") || begins(said, "unexpected token"))
		snprintf(text, capacity, "a comma is too many, or something is missing, before %s", token);
	else if (begins(said, "unexpected newline") || begins(said, "control character"))
		snprintf(text, capacity, "text ends on its line with a double quote, and has no tabs or line breaks");
	else
		snprintf(text, capacity, "%s", said);
}

static void explain(const json_error_t* syntax, const char* token, char* text, size_t capacity)
{
	const char* said = syntax->text;
	switch ((int)json_error_code(syntax))
	{
		case json_error_premature_end_of_input:
			snprintf(text, capacity, "ends too early: a bracket or a double quote is not closed");
			return;
		case json_error_end_of_input_expected:
			if (!explain_token(token, text, capacity))
				snprintf(text, capacity, "goes on after its end with %s; is there a bracket too many?", token);
			return;
		case json_error_duplicate_key: snprintf(text, capacity, "the key %s is there twice", token); return;
		case json_error_numeric_overflow: snprintf(text, capacity, "the number %s is too large", token); return;
		case json_error_stack_overflow: snprintf(text, capacity, "has too many brackets inside each other"); return;
		case json_error_invalid_utf8: snprintf(text, capacity, "is not in UTF-8; save it as that"); return;
		case json_error_null_character: snprintf(text, capacity, "text must not contain \\u0000"); return;
		default: break;
	}
	if (strstr(said, "near end of file") != NULL)
		snprintf(text, capacity, "ends too early: a bracket or a double quote is not closed");
	else if (begins(said, "'[' or '{' expected") && token[0] != '/' && token[0] != '#')
		snprintf(text, capacity, "is no JSON, which begins with {");
	else if (!explain_token(token, text, capacity))
		explain_place(said, token, text, capacity);
}

static bool is_blank(const char* data, size_t size)
{
	for (size_t i = 0; i < size; ++i)
		if (!isspace((unsigned char)data[i]))
			return false;
	return true;
}

json_t* lm_json_parse(const char* path, const void* bytes, size_t size, lm_error* error)
{
	const char* data = bytes;
	if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) // the mark that some editors put before UTF-8
		data += 3, size -= 3;
	json_error_t syntax;
	json_t* root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &syntax);
	if (root != NULL)
		return root;
	char token[80], text[300];
	find_token(syntax.text, token, sizeof token);
	explain(&syntax, token, text, sizeof text);
	if (json_error_code(&syntax) == json_error_out_of_memory)
		lm_fail_memory(error);
	else if (is_blank(data, size))
		lm_fail_at(error, LM_BAD_INPUT, path, "", "is empty, must be JSON");
	else
		lm_fail_line(error, path, syntax.line, "column %d: %s", syntax.column, text);
	return NULL;
}
