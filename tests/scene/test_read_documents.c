// docs/scene.md and docs/scene.schema.json say what the tables say. `test_scene_documents --write` rewrites them.
#include "test.h"

#include "base/alloc.h"
#include "base/file.h"
#include "format/document.h"
#include "scene/keys.h"

#include <jansson.h>

typedef char* document_fn(const lm_host* host);

static void expect_file(const char* path, document_fn* document)
{
	lm_host host = lm_host_default();
	lm_error error;
	unsigned char* data;
	size_t size;
	assert_int_equal(lm_file_read(&host, path, 1 << 24, &data, &size, &error), LM_OK);
	char* text = document(&host);
	assert_non_null(text);
	if (strcmp((const char*)data, text) != 0)
		fail_msg("%s is out of date: run build/tests/scene/test_scene_documents --write", path);
	lm_text_free(&host, text);
	lm_free(&host, data);
}

static void documents_are_up_to_date(void** state)
{
	(void)state;
	expect_file(LIMBER_SOURCE "/docs/scene.schema.json", lm_scene_schema);
	expect_file(LIMBER_SOURCE "/docs/scene.md", lm_scene_reference);
}

static void documents_may_run_out_of_memory(void** state)
{
	(void)state;
	document_fn* documents[] = { lm_scene_schema, lm_scene_reference };
	for (int i = 0; i < 2; ++i)
	{
		for (int64_t n = 1;; ++n)
		{
			test_memory memory = { .fail_at = n };
			lm_host host = test_host(&memory);
			char* text = documents[i](&host);
			bool done = memory.requests < n;
			assert_true((text != NULL) == done);
			lm_text_free(&host, text);
			assert_int_equal(memory.held, 0);
			if (done)
				break;
		}
	}
}

// What the documents rely on: names are unique, every key is explained, and has a default or is required.
static void tables_are_complete(void** state)
{
	(void)state;
	const lm_table* tables[LM_MOST_TABLES];
	int32_t count = lm_all_tables(&lm_scene_table, tables, LM_MOST_TABLES);
	assert_in_range(count, 10, LM_MOST_TABLES - 1);
	for (int32_t t = 0; t < count; ++t)
	{
		for (int32_t other = 0; other < t; ++other)
			assert_string_not_equal(tables[t]->name, tables[other]->name);
		void* item = calloc(1, tables[t]->size);
		lm_table_defaults(tables[t], item);
		assert_true(lm_table_count(tables[t]) <= LM_KEYS_MAX);
		for (int32_t k = 0; k < lm_table_count(tables[t]); ++k)
		{
			lm_key found = lm_table_key(tables[t], k), *key = &found;
			assert_int_equal(lm_table_find(tables[t], key->name), k);
			assert_non_null(key->help);
			assert_int_equal(key->help[strlen(key->help) - 1], '.');
			json_t* usual = lm_key_default(key, item);
			if (usual == NULL && key->usual == NULL && !(key->flags & LM_KEY_REQUIRED))
				fail_msg("the key %s of %s has no default", key->name, tables[t]->name);
			json_decref(usual);
		}
		free(item);
	}
}

static int write_document(const char* path, document_fn* document)
{
	lm_host host = lm_host_default();
	lm_error error = { 0 };
	lm_output output = { 0 };
	char* text = document(&host);
	lm_status status = text == NULL ? LM_NO_MEMORY : lm_output_open(&host, path, &output, &error);
	if (status == LM_OK)
	{
		fputs(text, output.file);
		status = lm_output_commit(&output, &error);
	}
	lm_text_free(&host, text);
	if (status != LM_OK)
		fprintf(stderr, "%s: %s\n", path, error.message);
	return status == LM_OK ? 0 : 1;
}

int main(int count, char** arguments)
{
	if (count == 2 && strcmp(arguments[1], "--write") == 0)
		return write_document(LIMBER_SOURCE "/docs/scene.schema.json", lm_scene_schema) +
		       write_document(LIMBER_SOURCE "/docs/scene.md", lm_scene_reference);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_are_up_to_date),
		cmocka_unit_test(documents_may_run_out_of_memory),
		cmocka_unit_test(tables_are_complete),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
