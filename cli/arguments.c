// Options and plain arguments of a verb.
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const char* verb, const char* format, ...)
{
	fprintf(stderr, "limber: ");
	va_list values;
	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
	fprintf(stderr, "\nTry: limber %s --help\n", verb);
	return EXIT_BAD_INPUT;
}

int wrong_files(const arguments* a, const char* takes)
{
	if (a->plain_count == 2 && !has_option(a, "--out"))
		return usage_error(a->verb, "%s takes %s; did you mean --out %s?", a->verb, takes, a->plain[1]);
	return usage_error(a->verb, "%s takes %s", a->verb, takes);
}

static int find_option(const arguments* result, const char* word, size_t length)
{
	for (int i = 0; i < result->option_count; ++i)
		if (strlen(result->options[i].name) == length && strncmp(result->options[i].name, word, length) == 0)
			return i;
	return -1;
}

static bool unknown_option(const arguments* result, const char* word)
{
	char known[512] = "";
	for (int i = 0; i < result->option_count; ++i)
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "",
		         result->options[i].name);
	usage_error(result->verb, "%s: unknown option; there are: %s", word, known);
	return false;
}

bool parse_arguments(int count, char** words, const char* verb, const option* options, int option_count,
                     arguments* result)
{
	*result = (arguments){ .verb = verb, .options = options, .option_count = option_count };
	bool only_plain = false;
	for (int i = 0; i < count; ++i)
	{
		const char* word = words[i];
		if (result->plain_count == ARGUMENTS_MAX || result->given_count == ARGUMENTS_MAX)
			return usage_error(verb, "more than %d arguments", ARGUMENTS_MAX), false;
		if (only_plain || word[0] != '-' || word[1] == 0)
		{
			result->plain[result->plain_count++] = word;
			continue;
		}
		only_plain = strcmp(word, "--") == 0;
		if (only_plain)
			continue;
		const char* equals = strchr(word, '=');
		int found = find_option(result, word, equals != NULL ? (size_t)(equals - word) : strlen(word));
		if (found < 0)
			return unknown_option(result, word);
		const option* o = &options[found];
		const char* value = equals != NULL ? equals + 1 : NULL;
		if (o->value == NULL && value != NULL)
			return usage_error(verb, "%s takes no value", o->name), false;
		if (o->value != NULL && value == NULL && ++i < count)
			value = words[i];
		if (o->value != NULL && value == NULL)
			return usage_error(verb, "%s needs a value: %s %s", o->name, o->name, o->value), false;
		if (!o->many && has_option(result, o->name))
			return usage_error(verb, "%s is given twice", o->name), false;
		result->given[result->given_count].option = found;
		result->given[result->given_count++].value = value;
	}
	return true;
}

const char* option_value(const arguments* a, const char* name, int occurrence)
{
	for (int i = 0; i < a->given_count; ++i)
		if (strcmp(a->options[a->given[i].option].name, name) == 0 && occurrence-- == 0)
			return a->given[i].value != NULL ? a->given[i].value : "";
	return NULL;
}

bool has_option(const arguments* a, const char* name)
{
	return option_value(a, name, 0) != NULL;
}

bool option_number(const arguments* a, const char* name, double low, double high, double* value)
{
	const char* text = option_value(a, name, 0);
	if (text == NULL)
		return true;
	char* end;
	double number = strtod(text, &end);
	if (end == text || *end != 0 || !(number >= low) || !(number <= high))
		return usage_error(a->verb, "%s is %s, must be a number between %g and %g", name, text, low, high), false;
	*value = number;
	return true;
}

bool option_simd(const arguments* a, lm_simd* simd)
{
	const char *given = option_value(a, "--simd", 0), *variable = getenv("LIMBER_SIMD");
	bool set = variable != NULL && variable[0] != 0;
	lm_error error;
	*simd = LM_SIMD_AUTO;
	if (given != NULL && lm_simd_find(given, simd, &error) != LM_OK)
		return usage_error(a->verb, "--simd: %s", error.message), false;
	if (given == NULL && set && lm_simd_find(variable, simd, &error) != LM_OK)
		return usage_error(a->verb, "LIMBER_SIMD: %s", error.message), false;
	return true;
}

bool option_integer(const arguments* a, const char* name, long low, long high, long* value)
{
	const char* text = option_value(a, name, 0);
	if (text == NULL)
		return true;
	char* end;
	errno = 0;
	long number = strtol(text, &end, 10);
	if (end == text || *end != 0 || errno != 0 || number < low || number > high)
		return usage_error(a->verb, "%s is %s, must be a whole number between %ld and %ld", name, text, low, high),
		       false;
	*value = number;
	return true;
}
