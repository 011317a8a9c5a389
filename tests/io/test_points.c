// Point caches: PC2 and MDD, byte for byte, and what they refuse.
#define _GNU_SOURCE // memfd_create
#include "io_test.h"

#include "io/bytes.h"
#include "io/points_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

static double coordinate(int frame, int i)
{
	return (float)(frame * 10 + i * 0.3 - 2);
}

static void make(const char* path, int vertices, int frames, double fps)
{
	lm_host host = lm_host_default();
	lm_points_writer* writer = NULL;
	assert_int_equal(lm_points_writer_open(path, vertices, frames, fps, &host, &writer, NULL), LM_OK);
	double positions[300];
	for (int f = 0; f < frames; ++f)
	{
		for (int i = 0; i < 3 * vertices; ++i)
			positions[i] = coordinate(f, i);
		assert_int_equal(lm_points_writer_frame(writer, positions, NULL), LM_OK);
	}
	assert_int_not_equal(access(path, F_OK), 0); // not there before it is complete
	assert_int_equal(lm_points_writer_close(writer, NULL), LM_OK);
}

static void round_trip(void** state)
{
	(void)state;
	static const char* const names[] = { "a.pc2", "a.mdd", "b.PC2", "b.Mdd" };
	for (int n = 0; n < 4; ++n)
	{
		const char* path = test_path(names[n]);
		remove(path);
		make(path, 7, 5, 30);
		lm_host host = lm_host_default();
		lm_points* points = NULL;
		assert_int_equal(lm_points_open(path, &host, &points, NULL), LM_OK);
		assert_int_equal(lm_points_vertex_count(points), 7);
		assert_int_equal(lm_points_frame_count(points), 5);
		bool mdd = n % 2 == 1;
		assert_near(lm_points_fps(points), mdd ? 30 : 24, 1e-5);
		for (int f = 4; f >= 0; --f)
		{
			double positions[21];
			assert_int_equal(lm_points_read(points, f, positions, NULL), LM_OK);
			for (int i = 0; i < 21; ++i)
				assert_true(positions[i] == coordinate(f, i));
			assert_near(lm_points_time(points, f), f / (mdd ? 30.0 : 24.0), 1e-7);
		}
		lm_points_destroy(points);
		remove(path);
	}
}

// The bytes that other programs expect.
static void bytes_on_disk(void** state)
{
	(void)state;
	size_t size;
	const char* path = test_path("bytes.pc2");
	make(path, 1, 2, 24);
	unsigned char* data = test_read(path, &size);
	static const unsigned char pc2[] = "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\x80\x3f\2\0\0";
	assert_int_equal(size, 32 + 24);
	assert_memory_equal(data, pc2, 32);
	assert_true(lm_load_float(data + 32 + 16, false) == (float)coordinate(1, 1));
	free(data);
	remove(path);
	path = test_path("bytes.mdd");
	make(path, 1, 2, 4);
	data = test_read(path, &size);
	static const unsigned char mdd[] = "\0\0\0\2\0\0\0\1\0\0\0\0\x3e\x80\0";
	assert_int_equal(size, 16 + 24);
	assert_memory_equal(data, mdd, 16);
	assert_true(lm_load_float(data + 16 + 16, true) == (float)coordinate(1, 1));
	free(data);
	remove(path);
}

static lm_status open_bytes(const void* data, size_t size, bool mdd, lm_points** points, lm_error* error)
{
	int descriptor = memfd_create("points", 0);
	assert_int_equal(write(descriptor, data, size), size);
	lm_host host = lm_host_default();
	*points = NULL;
	return lm_points_open_file(descriptor, size, mdd, "in memory", &host, points, error);
}

static void pc2_times(void** state)
{
	(void)state;
	unsigned char data[32 + 36] = "POINTCACHE2";
	lm_store_32(data + 12, 1, false);
	lm_store_32(data + 16, 1, false);
	lm_store_float(data + 20, 48, false);   // from frame 48
	lm_store_float(data + 24, 0.5f, false); // two samples per frame
	lm_store_32(data + 28, 3, false);
	lm_points* points = NULL;
	assert_int_equal(open_bytes(data, sizeof data, false, &points, NULL), LM_OK);
	assert_near(lm_points_fps(points), 48, 1e-12);
	assert_near(lm_points_time(points, 0), 2, 1e-12);
	assert_near(lm_points_time(points, 2), 2 + 1.0 / 24, 1e-12);
	lm_points_destroy(points);
	assert_int_equal(open_bytes(data, sizeof data - 1, false, &points, NULL), LM_BAD_INPUT);
	unsigned char longer[sizeof data + 5] = { 0 };
	memcpy(longer, data, sizeof data);
	assert_int_equal(open_bytes(longer, sizeof longer, false, &points, NULL), LM_OK); // has all that is promised
	lm_points_destroy(points);
}

static void mdd_of_one_frame(void** state)
{
	(void)state;
	const char* path = test_path("one.mdd");
	make(path, 3, 1, 60);
	lm_host host = lm_host_default();
	lm_points* points = NULL;
	assert_int_equal(lm_points_open(path, &host, &points, NULL), LM_OK);
	assert_near(lm_points_fps(points), 24, 0); // nothing to tell it from
	assert_near(lm_points_time(points, 0), 0, 0);
	lm_points_destroy(points);
	remove(path);
}

static void assert_refused_bytes(const void* data, size_t size, bool mdd, const char* words)
{
	lm_points* points = NULL;
	lm_error error = { 0 };
	assert_int_equal(open_bytes(data, size, mdd, &points, &error), LM_BAD_INPUT);
	if (strstr(error.message, words) == NULL)
	{
		print_error("message: %s\n", error.message);
		fail();
	}
}

static void bad_headers(void** state)
{
	(void)state;
	unsigned char good[32 + 24] = "POINTCACHE2", data[sizeof good];
	lm_store_32(good + 12, 1, false);
	lm_store_32(good + 16, 1, false);
	lm_store_float(good + 24, 1, false);
	lm_store_32(good + 28, 2, false);
	struct
	{
		size_t at;
		uint32_t value;
		const char* words;
	} changes[] = { { 0, 7, "POINTCACHE2" },
		            { 8, 7, "POINTCACHE2" },
		            { 12, 2, "version" },
		            { 16, 0, "positive" },
		            { 16, UINT32_MAX, "positive" },
		            { 28, 0, "positive" },
		            { 28, 0x80000000, "positive" },
		            { 28, 3, "cut off" },
		            { 16, 500000000, "cut off" },
		            { 28, INT32_MAX, "cut off" },
		            { 20, 0x7fc00000, "finite" },
		            { 24, 0, "sample rate" },
		            { 24, 0xbf800000, "sample rate" },
		            { 24, 0x7f800000, "sample rate" } };
	for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i)
	{
		memcpy(data, good, sizeof data);
		lm_store_32(data + changes[i].at, changes[i].value, false);
		assert_refused_bytes(data, sizeof data, false, changes[i].words);
	}
	unsigned char mdd[8 + 8 + 24] = { 0, 0, 0, 2, 0, 0, 0, 1 };
	lm_points* points = NULL;
	assert_int_equal(open_bytes(mdd, sizeof mdd, true, &points, NULL), LM_OK);
	lm_points_destroy(points);
	lm_store_float(mdd + 12, NAN, true);
	assert_refused_bytes(mdd, sizeof mdd, true, "time of frame 1");
	mdd[3] = 0;
	assert_refused_bytes(mdd, sizeof mdd, true, "positive");
	mdd[3] = 1;
	assert_refused_bytes(mdd, sizeof mdd, true, "take 24 bytes"); // too long is wrong as well
	mdd[3] = 2, mdd[7] = 0;
	assert_refused_bytes(mdd, sizeof mdd, true, "positive");
	mdd[7] = 1, mdd[0] = 0x7f;
	assert_refused_bytes(mdd, sizeof mdd, true, "cut off");
	lm_host host = lm_host_default();
	assert_int_equal(lm_points_open("a.abc", &host, &points, NULL), LM_BAD_INPUT);
	assert_int_equal(lm_points_open("/no/such.pc2", &host, &points, NULL), LM_BAD_INPUT);
	assert_int_equal(lm_points_open("/", &host, &points, NULL), LM_BAD_INPUT);
}

static void truncation(void** state)
{
	(void)state;
	for (int mdd = 0; mdd < 2; ++mdd)
	{
		const char* path = test_path(mdd ? "cut.mdd" : "cut.pc2");
		make(path, 4, 3, 24);
		size_t size;
		unsigned char* data = test_read(path, &size);
		for (size_t cut = 0; cut < size; ++cut)
		{
			lm_points* points = NULL;
			lm_error error = { 0 };
			assert_int_equal(open_bytes(data, cut, mdd, &points, &error), LM_BAD_INPUT);
			assert_true(error.message[0] != 0);
		}
		free(data);
		remove(path);
	}
}

static void not_finite_in_a_frame(void** state)
{
	(void)state;
	const char* path = test_path("nan.mdd");
	make(path, 4, 3, 24);
	size_t size;
	unsigned char* data = test_read(path, &size);
	lm_store_float(data + 8 + 12 + 48 + 4 * 7, INFINITY, true); // frame 1, vertex 2
	lm_points* points = NULL;
	assert_int_equal(open_bytes(data, size, true, &points, NULL), LM_OK);
	double positions[12];
	lm_error error;
	assert_int_equal(lm_points_read(points, 0, positions, &error), LM_OK);
	assert_int_equal(lm_points_read(points, 1, positions, &error), LM_BAD_INPUT);
	assert_int_equal(error.element, 2);
	assert_string_equal(error.where, "frame 1");
	lm_points_destroy(points);
	free(data);
	remove(path);
}

static void writing_what_cannot_be(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_points_writer* writer = NULL;
	lm_error error;
	const char* path = test_path("never.pc2");
	assert_int_equal(lm_points_writer_open("a.abc", 1, 1, 24, &host, &writer, &error), LM_BAD_INPUT);
	assert_int_equal(lm_points_writer_open(path, 0, 1, 24, &host, &writer, &error), LM_BAD_INPUT);
	assert_int_equal(lm_points_writer_open(path, 1, 0, 24, &host, &writer, &error), LM_BAD_INPUT);
	assert_int_equal(lm_points_writer_open(path, 1, 1, 0, &host, &writer, &error), LM_BAD_INPUT);
	assert_int_equal(lm_points_writer_open(path, 1, 1, NAN, &host, &writer, &error), LM_BAD_INPUT);
	assert_int_equal(lm_points_writer_open("/proc/no/a.mdd", 1, 1, 24, &host, &writer, &error), LM_IO_FAILED);
	assert_null(writer);
	double positions[3] = { 0 };
	assert_int_equal(lm_points_writer_open(path, 1, 2, 24, &host, &writer, &error), LM_OK);
	assert_int_equal(lm_points_writer_frame(writer, positions, &error), LM_OK);
	positions[1] = 1e39;
	assert_int_equal(lm_points_writer_frame(writer, positions, &error), LM_BAD_INPUT);
	assert_int_equal(lm_points_writer_close(writer, &error), LM_BAD_INPUT); // one of two
	assert_non_null(strstr(error.message, "only 1 of the 2"));
	assert_int_not_equal(access(path, F_OK), 0);
	positions[1] = 0;
	assert_int_equal(lm_points_writer_open(path, 1, 1, 24, &host, &writer, &error), LM_OK);
	assert_int_equal(lm_points_writer_frame(writer, positions, &error), LM_OK);
	assert_int_equal(lm_points_writer_frame(writer, positions, &error), LM_BAD_INPUT); // one too many
	lm_points_writer_abandon(writer);
	lm_points_writer_abandon(NULL);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void full_disk(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_points_writer* writer = NULL;
	const char* path = test_path("full.pc2");
	static double positions[30000];
	assert_int_equal(lm_points_writer_open(path, 10000, 3, 24, &host, &writer, NULL), LM_OK);
	struct rlimit before, limit;
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 200000;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	lm_status status = LM_OK;
	lm_error error;
	for (int f = 0; f < 3 && status == LM_OK; ++f)
		status = lm_points_writer_frame(writer, positions, &error);
	if (status == LM_OK)
		status = lm_points_writer_close(writer, &error);
	else
		lm_points_writer_abandon(writer);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(status, LM_IO_FAILED);
	assert_non_null(strstr(error.message, "cannot be written"));
	assert_int_not_equal(access(path, F_OK), 0);
}

static void memory_runs_out(void** state)
{
	(void)state;
	const char* paths[] = { test_path("memory.pc2"), test_path("memory.mdd") };
	for (int n = 0; n < 2; ++n)
	{
		bool good = false;
		for (int64_t fail_at = 1; !good && fail_at < 30; ++fail_at)
		{
			test_memory memory = { .fail_at = fail_at };
			lm_host host = test_host(&memory);
			lm_points_writer* writer = NULL;
			lm_points* points = NULL;
			double positions[3] = { 1, 2, 3 };
			lm_status status = lm_points_writer_open(paths[n], 1, 1, 24, &host, &writer, NULL);
			if (status == LM_OK)
			{
				assert_int_equal(lm_points_writer_frame(writer, positions, NULL), LM_OK);
				assert_int_equal(lm_points_writer_close(writer, NULL), LM_OK);
				status = lm_points_open(paths[n], &host, &points, NULL);
				lm_points_destroy(points);
			}
			good = status == LM_OK;
			assert_true(good || status == LM_NO_MEMORY);
			assert_int_equal(memory.held, 0);
		}
		assert_true(good);
		remove(paths[n]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(bytes_on_disk),
		cmocka_unit_test(pc2_times),
		cmocka_unit_test(mdd_of_one_frame),
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(truncation),
		cmocka_unit_test(not_finite_in_a_frame),
		cmocka_unit_test(writing_what_cannot_be),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(memory_runs_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
