// Many runs on one cache, started together: one gets it, the others say so.
#include "test.h"

#include "limber/io.h"
#include "result.h"

#include <sys/wait.h>
#include <unistd.h>

#define FOLDER LIMBER_BUILD "/test-lock"
#define CACHE FOLDER "/a.lmc"

enum
{
	ROUNDS = 60,
	RUNS = 10
};

static const int32_t triangle[3] = { 0, 1, 2 };
static const lm_cache_object object = { .name = "x", .vertex_count = 3, .triangle_count = 1, .triangles = triangle };
static const lm_cache_info info = { "", 24, 19, 1, &object };

static lm_status write_frame(lm_cache_writer* writer, lm_error* error)
{
	static const double corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	const double* positions[1] = { corners };
	return lm_cache_write_frame(writer, positions, error);
}

// Waits for the start, tries, says how it went and holds what it got until all have said so.
static void try_once(int start, int answer, int end, bool append)
{
	lm_host host = lm_host_default();
	lm_cache_writer* writer = NULL;
	lm_error error = { 0 };
	char byte;
	ssize_t got = read(start, &byte, 1);
	lm_status status = append ? lm_cache_append(CACHE, &info, 1, &host, &writer, &error)
	                          : lm_cache_create(CACHE, &info, &host, &writer, &error);
	bool said = status == LM_IO_FAILED && strstr(error.message, "is being written by another run") != NULL;
	if (status == LM_OK)
		status = write_frame(writer, &error);
	byte = status == LM_OK ? 'w' : said ? 's' : '?';
	got += write(answer, &byte, 1);
	got += read(end, &byte, 1);
	lm_cache_writer_close(writer, NULL);
	_exit(got == 1 ? 0 : 1);
}

// Returns how many of the runs got the cache; the others must have said why not.
static int race(int runs, int appending)
{
	int start[2], answer[2], end[2], winners = 0;
	assert_int_equal(pipe(start) | pipe(answer) | pipe(end), 0);
	for (int i = 0; i < runs; ++i)
		if (fork() == 0)
		{
			close(start[1]), close(end[1]);
			try_once(start[0], answer[1], end[0], i < appending);
		}
	close(start[1]);
	for (int i = 0; i < runs; ++i)
	{
		char byte = 0;
		assert_int_equal(read(answer[0], &byte, 1), 1);
		assert_true(byte == 'w' || byte == 's');
		winners += byte == 'w';
	}
	lm_host host = lm_host_default();
	lm_cache* cache = NULL;
	assert_int_equal(lm_cache_open(CACHE, &host, &cache, NULL), LM_OK);
	assert_int_equal(lm_cache_frame_count(cache), 1 + (winners == 1 && appending == runs));
	lm_cache_destroy(cache);
	close(end[1]);
	for (int i = 0; i < runs; ++i)
	{
		int code = -1;
		assert_true(wait(&code) > 0);
		assert_int_equal(code, 0);
	}
	close(start[0]), close(answer[0]), close(answer[1]), close(end[0]);
	return winners;
}

static void one_of_many_gets_a_cache(void** state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; ++round)
	{
		if (round % 2 == 0) // there is none yet, and then one to be replaced
			remove(CACHE);
		assert_int_equal(race(round % 3 == 0 ? 2 : RUNS, 0), 1);
	}
}

static void one_of_many_goes_on_with_a_cache(void** state)
{
	(void)state;
	for (int round = 0; round < ROUNDS / 3; ++round)
		assert_int_equal(race(round % 3 == 0 ? 2 : RUNS, round % 3 == 0 ? 2 : RUNS), 1);
	char figures[100];
	snprintf(figures, sizeof figures, "{\"races\": %d, \"runs_in_each_at_most\": %d}", ROUNDS + ROUNDS / 3, RUNS);
	keep_result("lock", figures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_many_gets_a_cache),
		cmocka_unit_test(one_of_many_goes_on_with_a_cache),
	};
	if (system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'") != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
