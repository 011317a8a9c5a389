// limber-bench [PATTERN]... [--json FILE] [--csv FILE] [--list]: measures the rows whose names match one of the
// patterns (shell wildcards, or any part of the name), prints a table, and writes the rows. In the CSV each says on
// what machine, by what compiler, from which commit and when.
#include "bench.h"
#include "characters.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const bench* const lists[] = {
	lm_bench_match,     lm_bench_match_martin, lm_bench_match_limits, lm_bench_track, lm_bench_design, lm_bench_live,
	lm_bench_live_rows, lm_bench_act_forward,  lm_bench_act_scenes,   lm_bench_world, lm_bench_sparse,
#ifdef LIMBER_IPOPT
	lm_bench_act_step,
#endif
};

typedef struct options
{
	const char *json, *csv;
	bool list;
	int pattern_count;
	char** patterns;
} options;

static bool wanted(const options* o, const char* name)
{
	for (int i = 0; i < o->pattern_count; ++i)
	{
		const char* pattern = o->patterns[i];
		bool plain = !strpbrk(pattern, "*?[");
		if (plain ? strstr(name, pattern) != NULL : fnmatch(pattern, name, 0) == 0)
			return true;
	}
	return o->pattern_count == 0;
}

static void print_head(void)
{
	printf("%-24s %10s %-28s %9s %11s %8s  %s\n", "", "value", "unit", "paper", "reference", "ratio", "what");
}

static double ratio_of(const bench_row* row)
{
	return row->reference / (row->compared > 0 ? row->compared : row->value);
}

static void print_number(int width, double value)
{
	if (value > 0)
		printf(" %*.*f", width, value < 1 ? 4 : 2, value);
	else
		printf(" %*s", width, "-");
}

static void print_row(const char* name, const bench_row* row)
{
	printf("%-24s", name);
	print_number(10, row->value);
	printf(" %-28s", row->unit);
	print_number(9, row->paper);
	print_number(11, row->reference);
	print_number(8, row->reference_name ? ratio_of(row) : 0);
	printf("  %s", row->size);
	if (row->exponent > 0)
		printf(", exponent %.2f", row->exponent);
	for (int i = 0; i < row->part_count; ++i)
		printf("%s%s %.*f", i == 0 ? "; of it " : ", ", row->parts[i].name, row->parts[i].value < 1 ? 4 : 2,
		       row->parts[i].value);
	printf("\n");
	fflush(stdout);
}

static json_t* row_json(const char* name, const bench_row* row)
{
	json_t* object =
		json_pack("{s:s, s:f, s:s, s:s}", "name", name, "value", row->value, "unit", row->unit, "size", row->size);
	if (row->paper > 0)
		json_object_set_new(object, "paper", json_real(row->paper));
	if (row->reference_name)
	{
		json_object_set_new(object, "reference",
		                    json_pack("{s:s, s:f}", "name", row->reference_name, "value", row->reference));
		json_object_set_new(object, "ratio", json_real(ratio_of(row)));
	}
	if (row->exponent > 0)
		json_object_set_new(object, "exponent", json_real(row->exponent));
	json_t* split = json_object();
	for (int i = 0; i < row->part_count; ++i)
		json_object_set_new(split, row->parts[i].name, json_real(row->parts[i].value));
	if (row->part_count)
		json_object_set(object, "split", split);
	json_decref(split);
	return object;
}

// ---- the CSV ----

// The first line that a command prints, or that a file has after `key` and a colon; "unknown" when there is none.
static void first_line(FILE* from, const char* key, char* line, size_t size)
{
	char text[256];
	bool found = false;
	while (from && !found && fgets(text, sizeof text, from))
	{
		const char* value = key ? strchr(text, ':') : text;
		found = value && (!key || strncmp(text, key, strlen(key)) == 0);
		if (found)
			snprintf(line, size, "%.*s", (int)size - 1, value + (key ? strspn(value, ": \t") : 0));
	}
	if (!found)
		snprintf(line, size, "unknown");
	line[strcspn(line, "\n")] = 0;
}

// A field in quotes.
static void put_text(FILE* file, const char* text, const char* end)
{
	fputc('"', file);
	for (; *text; ++text)
		fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
	fprintf(file, "\"%s", end);
}

static void put_number(FILE* file, double value)
{
	if (value > 0)
		fprintf(file, "%.6g", value);
	fputc(',', file);
}

// "solve 1.5; search 0.2", a field in quotes.
static void put_split(FILE* file, json_t* split)
{
	const char *part, *between = "";
	json_t* value;
	fputc('"', file);
	json_object_foreach(split, part, value)
	{
		fprintf(file, "%s%s %.3g", between, part, json_number_value(value));
		between = "; ";
	}
	fputs("\",", file);
}

static bool write_csv(const char* path, const json_t* rows)
{
	char machine[160], commit[64], date[32];
	FILE *info = fopen("/proc/cpuinfo", "r"),
		 *git = popen("git -C '" LIMBER_SOURCE "' rev-parse --short HEAD 2>&1", "r");
	first_line(info, "model name", machine, sizeof machine);
	first_line(git, NULL, commit, sizeof commit);
	if (info)
		fclose(info);
	if (git && pclose(git) != 0)
		snprintf(commit, sizeof commit, "unknown");
	time_t now = time(NULL);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	FILE* file = fopen(path, "w");
	if (!file)
		return false;
	fprintf(file, "name,value,unit,size,paper,reference,ratio,split,machine,compiler,commit,date\n");
	for (size_t i = 0; i < json_array_size(rows); ++i)
	{
		const json_t* row = json_array_get(rows, i);
		put_text(file, json_string_value(json_object_get(row, "name")), ",");
		put_number(file, json_number_value(json_object_get(row, "value")));
		put_text(file, json_string_value(json_object_get(row, "unit")), ",");
		put_text(file, json_string_value(json_object_get(row, "size")), ",");
		put_number(file, json_number_value(json_object_get(row, "paper")));
		put_number(file, json_number_value(json_object_get(json_object_get(row, "reference"), "value")));
		put_number(file, json_number_value(json_object_get(row, "ratio")));
		put_split(file, json_object_get(row, "split"));
		put_text(file, machine, ",");
#ifdef __clang__
		put_text(file, __VERSION__, ",");
#else
		put_text(file, "GCC " __VERSION__, ",");
#endif
		put_text(file, commit, ",");
		put_text(file, date, "\n");
	}
	return fclose(file) == 0;
}

static bool read_options(int count, char** arguments, options* o)
{
	o->patterns = arguments + 1;
	for (int i = 1; i < count; ++i)
	{
		if (strcmp(arguments[i], "--list") == 0)
			o->list = true;
		else if (strcmp(arguments[i], "--json") == 0 && i + 1 < count)
			o->json = arguments[++i];
		else if (strcmp(arguments[i], "--csv") == 0 && i + 1 < count)
			o->csv = arguments[++i];
		else if (arguments[i][0] != '-')
			o->patterns[o->pattern_count++] = arguments[i]; // never ahead of where we read
		else
			return false;
	}
	return true;
}

// Measures or lists what is wanted; the number of rows, -1 after a failure.
static int run_all(const options* o, json_t* rows)
{
	int done = 0;
	for (size_t l = 0; l < sizeof lists / sizeof *lists; ++l)
		for (const bench* b = lists[l]; b->name; ++b)
		{
			if (!wanted(o, b->name))
				continue;
			if (done++ == 0 && !o->list)
				print_head();
			if (o->list)
			{
				printf("%s\n", b->name);
				continue;
			}
			bench_row row = { .unit = "ms per step" };
			lm_error error = { 0 };
			if (!b->run(b, &row, &error))
			{
				char text[1024];
				lm_error_format(&error, text, sizeof text);
				fprintf(stderr, "limber-bench: %s: %s\n", b->name, text);
				return -1;
			}
			print_row(b->name, &row);
			json_array_append_new(rows, row_json(b->name, &row));
		}
	return done;
}

int main(int argument_count, char** arguments)
{
	options o = { 0 };
	if (argument_count > 1 && strcmp(arguments[1], "characters") == 0)
		return bench_characters(argument_count, arguments);
	if (!read_options(argument_count, arguments, &o))
	{
		fprintf(stderr, "usage: limber-bench [PATTERN]... [--json FILE] [--csv FILE] [--list]\n");
		return 2;
	}
	json_t* rows = json_array();
	json_t* all = json_pack("{s:o}", "rows", rows);
	int done = run_all(&o, rows);
	int code = done < 0 ? 1 : 0;
	if (done == 0)
	{
		fprintf(stderr, "limber-bench: no row has such a name; limber-bench --list shows them all\n");
		code = 2;
	}
	if (code == 0 && o.json && !o.list && json_dump_file(all, o.json, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) != 0)
	{
		fprintf(stderr, "limber-bench: %s: cannot be written\n", o.json);
		code = 1;
	}
	if (code == 0 && o.csv && !o.list && !write_csv(o.csv, rows))
	{
		fprintf(stderr, "limber-bench: %s: cannot be written\n", o.csv);
		code = 1;
	}
	json_decref(all);
	return code;
}
