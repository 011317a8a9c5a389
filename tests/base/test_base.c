// Memory, arenas, blobs, hashes, files and parallel loops.
#include "test.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/blob.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/parallel.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void memory_is_zeroed_and_aligned(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (size_t n = 0; n < 200; n += 7)
	{
		unsigned char* memory = lm_alloc(&host, n, 1);
		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % 64, 0);
		for (size_t i = 0; i < n; ++i)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xff, n);
		lm_free(&host, memory);
	}
	assert_null(lm_alloc(&host, SIZE_MAX / 2, 3));
	assert_null(lm_alloc(&host, SIZE_MAX - 10, 1));
}

static int64_t pages_touched(void)
{
	struct rusage usage;
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_minflt;
}

// Unused memory takes no time: half a gigabyte is allocated, and one byte of it written.
static void large_memory_is_quick(void** state)
{
	(void)state;
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
	skip(); // which touches it all
#endif
#endif
	lm_host host = lm_host_default();
	int64_t before = pages_touched();
	unsigned char* memory = lm_alloc(&host, 1 << 29, 1);
	assert_non_null(memory);
	memory[1 << 28] = 1;
	assert_int_equal(memory[(1 << 29) - 1], 0);
	assert_in_range(pages_touched() - before, 0, (1 << 29) / 4096 / 2);
	lm_free(&host, memory);
}

static void growing_keeps_content(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	int* items = NULL;
	size_t capacity = 0;
	for (int i = 0; i < 1000; ++i)
	{
		assert_true(lm_grow(&host, (void**)&items, &capacity, (size_t)i + 1, sizeof(int)));
		items[i] = i;
	}
	for (int i = 0; i < 1000; ++i)
		assert_int_equal(items[i], i);
	assert_true(memory.requests < 30);
	memory.fail_at = memory.requests + 1;
	size_t before = capacity;
	assert_false(lm_grow(&host, (void**)&items, &capacity, capacity + 1, sizeof(int)));
	assert_int_equal(capacity, before);
	assert_int_equal(items[999], 999);
	lm_free(&host, items);
	assert_int_equal(memory.held, 0);
}

static void arena_stops_asking(void** state)
{
	(void)state;
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_arena arena;
	lm_arena_init(&arena, &host);
	for (int round = 0; round < 5; ++round)
	{
		int64_t before = memory.requests;
		lm_arena_reset(&arena);
		char* last = NULL;
		for (int i = 1; i < 100; ++i)
		{
			char* piece = LM_TAKE(&arena, i * 1000, char);
			assert_non_null(piece);
			assert_int_equal((uintptr_t)piece % 64, 0);
			memset(piece, i, (size_t)i * 1000);
			assert_true(last == NULL || last[0] == (char)(i - 1));
			last = piece;
		}
		if (round > 0)
			assert_int_equal(memory.requests, before);
	}
	assert_null(lm_arena_take(&arena, SIZE_MAX / 4, 8));
	lm_arena_release(&arena);
	assert_int_equal(memory.held, 0);
}

static void blob_round_trip_and_short_read(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_blob blob;
	lm_blob_init(&blob, &host);
	double x = 1.5;
	int64_t n = -7;
	lm_blob_put(&blob, &x, sizeof x);
	lm_blob_put(&blob, &n, sizeof n);
	double y;
	int64_t m;
	lm_blob_get(&blob, &y, sizeof y);
	lm_blob_get(&blob, &m, sizeof m);
	assert_false(blob.failed);
	assert_true(y == x && m == n);
	lm_blob_get(&blob, &m, sizeof m);
	assert_true(blob.failed);
	assert_int_equal(m, 0);
	lm_blob_release(&blob);
}

static void hash_sees_every_byte(void** state)
{
	(void)state;
	unsigned char data[40];
	for (size_t length = 0; length <= sizeof data; ++length)
	{
		memset(data, 0, sizeof data);
		uint64_t plain = lm_hash(LM_HASH_START, data, length);
		for (size_t i = 0; i < length; ++i)
		{
			data[i] = 1;
			assert_true(lm_hash(LM_HASH_START, data, length) != plain);
			data[i] = 0;
		}
		assert_true(length == 0 || lm_hash(LM_HASH_START, data, length - 1) != plain);
	}
}

static void output_appears_whole_or_not_at_all(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	char folder[] = "/tmp/limber-test-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char path[256];
	snprintf(path, sizeof path, "%s/a/b/file.txt", folder);
	lm_output output;
	assert_int_equal(lm_output_open(&host, path, &output, &error), LM_OK);
	fputs("hello", output.file);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(lm_output_commit(&output, &error), LM_OK);
	unsigned char* data;
	size_t size;
	assert_int_equal(lm_file_read(&host, path, 100, &data, &size, &error), LM_OK);
	assert_string_equal((char*)data, "hello");
	lm_free(&host, data);
	assert_int_equal(lm_file_read(&host, path, 4, &data, &size, &error), LM_BAD_INPUT);
	assert_int_equal(lm_output_open(&host, path, &output, &error), LM_OK);
	fputs("other", output.file);
	lm_output_abandon(&output);
	assert_int_equal(lm_file_read(&host, path, 100, &data, &size, &error), LM_OK);
	assert_string_equal((char*)data, "hello");
	lm_free(&host, data);
	// a file where a folder should be
	assert_int_equal(lm_output_open(&host, "/dev/full/x", &output, &error), LM_IO_FAILED);
	assert_int_equal(lm_file_read(&host, "/nonexistent/file", 100, &data, &size, &error), LM_BAD_INPUT);
	assert_string_equal(error.file, "/nonexistent/file");
	char command[300];
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

// A disk that is full, played by a limit on the size of files: noticed while writing or at the very end, no file is
// left, and the reason is never that of some other call.
static void a_full_disk_leaves_nothing(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	char folder[] = "/tmp/limber-test-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char path[256];
	snprintf(path, sizeof path, "%s/file.bin", folder);
	struct rlimit before, tight;
	getrlimit(RLIMIT_FSIZE, &before);
	tight = (struct rlimit){ .rlim_cur = 1000, .rlim_max = before.rlim_max };
	void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
	static const char block[1 << 16];
	for (int early = 0; early < 2; ++early)
	{
		lm_output output;
		lm_error error;
		assert_int_equal(lm_output_open(&host, path, &output, &error), LM_OK);
		setrlimit(RLIMIT_FSIZE, &tight);
		fwrite(block, 1, early ? sizeof block : 2000, output.file); // more than the buffer holds, or less
		assert_int_equal(ferror(output.file) != 0, early);
		errno = ENOENT; // as many harmless calls leave it
		lm_status status = lm_output_commit(&output, &error);
		setrlimit(RLIMIT_FSIZE, &before);
		assert_int_equal(status, LM_IO_FAILED);
		assert_string_equal(error.file, path);
		assert_non_null(strstr(error.message, early ? "full disk" : strerror(EFBIG)));
	}
	signal(SIGXFSZ, old);
	assert_int_equal(rmdir(folder), 0); // empty
}

static void paths(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	char* path = lm_path_beside(&host, "a/b/scene.json", "../x.obj");
	assert_string_equal(path, "a/b/../x.obj");
	lm_free(&host, path);
	path = lm_path_beside(&host, "scene.json", "x.obj");
	assert_string_equal(path, "x.obj");
	lm_free(&host, path);
	path = lm_path_beside(&host, "a/scene.json", "/x.obj");
	assert_string_equal(path, "/x.obj");
	lm_free(&host, path);
	assert_string_equal(lm_path_ending("a.b/c"), "");
	assert_true(lm_same_ending("a.b/c.OBJ", "obj"));
}

static void errors_name_their_place(void** state)
{
	(void)state;
	lm_error error;
	assert_int_equal(lm_fail_element(&error, 7, "vertex %d is loose", 7), LM_BAD_INPUT);
	assert_int_equal(error.element, 7);
	assert_string_equal(error.message, "vertex 7 is loose");
	assert_int_equal(lm_fail_element(NULL, 7, "without an error to fill"), LM_BAD_INPUT);
	assert_true(lm_within(1, 0, 1) && !lm_within(1.5, 0, 1) && !lm_within(NAN, 0, 1));
	assert_int_equal(lm_fail_line(&error, "a.obj", 12, "bad %s", "face"), LM_BAD_INPUT);
	char text[100];
	lm_error_format(&error, text, sizeof text);
	assert_string_equal(text, "a.obj: line 12: bad face");
	lm_fail(&error, LM_IO_FAILED, "no");
	lm_error_format(&error, text, sizeof text);
	assert_string_equal(text, "no");
	assert_int_equal(lm_fail(NULL, LM_CANCELLED, "no"), LM_CANCELLED);
}

typedef struct sum_context
{
	const double* values;
	double* partial;
} sum_context;

static void sum_chunk(void* context, int64_t begin, int64_t end)
{
	sum_context* c = context;
	double sum = 0;
	for (int64_t i = begin; i < end; ++i)
		sum += c->values[i];
	c->partial[begin / 64] = sum;
}

static void sums_do_not_depend_on_threads(void** state)
{
	(void)state;
	double values[1000], partial[16], reference = 0;
	uint64_t seed = 1;
	for (int i = 0; i < 1000; ++i)
		values[i] = test_random(&seed);
	for (int threads = 1; threads <= 8; ++threads)
	{
		sum_context context = { values, partial };
		lm_parallel_for(threads, 1000, 64, sum_chunk, &context);
		double sum = 0;
		for (int k = 0; k < lm_chunk_count(1000, 64); ++k)
			sum += partial[k];
		if (threads == 1)
			reference = sum;
		assert_memory_equal(&sum, &reference, sizeof sum);
	}
	lm_parallel_for(4, 0, 64, sum_chunk, NULL);
}

typedef struct step_context
{
	int threads, runs[110];
	int busy[8]; // per worker: no two tasks at once
	bool wrong;
	int64_t stop_at;
} step_context;

static const int64_t steps_first[] = { 0, 50, 51, 51, 110 };

static bool run_once(void* context, int64_t step, int64_t task, int worker)
{
	step_context* c = context;
	if (worker < 0 || worker >= c->threads || c->busy[worker]++ > 0)
		c->wrong = true;
	for (int64_t k = 0; k < steps_first[step]; ++k) // all before are done
		if (c->runs[k] != 1)
			c->wrong = true;
	++c->runs[steps_first[step] + task];
	--c->busy[worker];
	return steps_first[step] + task != c->stop_at;
}

static void steps_follow_each_other(void** state)
{
	(void)state;
	for (int threads = 1; threads <= 8; ++threads)
	{
		step_context context = { .threads = threads, .stop_at = -1 };
		assert_true(lm_parallel_steps(threads, 4, steps_first, run_once, &context));
		for (int i = 0; i < 110; ++i)
			assert_int_equal(context.runs[i], 1);
		assert_false(context.wrong);
		context = (step_context){ .threads = threads, .stop_at = 50 };
		assert_false(lm_parallel_steps(threads, 4, steps_first, run_once, &context));
		for (int i = 0; i < 110; ++i)
			assert_int_equal(context.runs[i], i <= 50);
	}
	assert_true(lm_parallel_steps(4, 0, steps_first, run_once, NULL));
}

static void simd_levels(void** state)
{
	(void)state;
	lm_simd simd = LM_SIMD_AUTO;
	lm_error error;
	assert_true(lm_simd_best() >= LM_SIMD_PLAIN);
	assert_int_equal(lm_simd_find("plain", &simd, &error), LM_OK);
	assert_int_equal(simd, LM_SIMD_PLAIN);
	assert_int_equal(lm_simd_find(lm_simd_name(lm_simd_best()), &simd, &error), LM_OK);
	assert_int_equal(simd, lm_simd_best());
	assert_int_equal(lm_simd_find("avx3", &simd, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "plain, avx2, avx512"));
	for (lm_simd level = lm_simd_best() + 1; level <= LM_SIMD_AVX512; ++level)
	{
		assert_int_equal(lm_simd_find(lm_simd_name(level), &simd, &error), LM_UNSUPPORTED);
		assert_false(lm_simd_allows(LM_SIMD_AUTO, level) || lm_simd_allows(level, level));
	}
	assert_int_equal(simd, lm_simd_best()); // as it was
	for (lm_simd asked = LM_SIMD_PLAIN; asked <= lm_simd_best(); ++asked)
		for (lm_simd level = LM_SIMD_PLAIN; level <= lm_simd_best(); ++level)
			assert_int_equal(lm_simd_allows(asked, level), level <= asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simd_levels),
		cmocka_unit_test(steps_follow_each_other),
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(large_memory_is_quick),
		cmocka_unit_test(growing_keeps_content),
		cmocka_unit_test(arena_stops_asking),
		cmocka_unit_test(blob_round_trip_and_short_read),
		cmocka_unit_test(hash_sees_every_byte),
		cmocka_unit_test(output_appears_whole_or_not_at_all),
		cmocka_unit_test(a_full_disk_leaves_nothing),
		cmocka_unit_test(paths),
		cmocka_unit_test(errors_name_their_place),
		cmocka_unit_test(sums_do_not_depend_on_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
