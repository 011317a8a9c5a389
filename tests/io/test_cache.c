#define _GNU_SOURCE // memfd_create
// Run caches: exact enough, crash-safe, and safe against damaged files.
#include "io_test.h"

#include "base/hash.h"
#include "io/cache_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

static const int32_t triangles[] = { 0, 1, 2, 2, 1, 3 };
static const int32_t face_starts[] = { 0, 4 };
static const int32_t face_vertices[] = { 0, 1, 3, 2 };
static const double floor_positions[] = { -1e5, 0, -1e5, 1e5, 0, -1e5, 0, 0, 1e5 };

static const lm_cache_object objects[] = {
	{ .name = "jelly",
	  .color = { 1, 0.5f, 0.25f },
	  .vertex_count = 4,
	  .triangle_count = 2,
	  .triangles = triangles,
	  .face_count = 1,
	  .face_starts = face_starts,
	  .face_vertices = face_vertices },
	{ .name = "the floor \xc3\xa4",
	  .vertex_count = 3,
	  .triangle_count = 1,
	  .triangles = triangles,
	  .fixed = true,
	  .fixed_positions = floor_positions },
	{ .name = "", .vertex_count = 5 },
	{ .name = "nothing", .vertex_count = 0 },
};

static const lm_cache_info info = { "scenes/test.json", 24, UINT64_C(0xfedcba9876543210), 4, objects };

// Object 2 is 10 km away.
static void positions_of(int64_t frame, double first[12], double second[15])
{
	uint64_t state = (uint64_t)frame * 1000 + 5;
	for (int i = 0; i < 12; ++i)
		first[i] = test_random(&state);
	for (int i = 0; i < 15; ++i)
		second[i] = 10000 + test_random(&state);
}

static lm_status write_frames(lm_cache_writer* writer, int64_t begin, int64_t end)
{
	lm_status status = LM_OK;
	for (int64_t f = begin; f < end && status == LM_OK; ++f)
	{
		double first[12], second[15];
		positions_of(f, first, second);
		const double* positions[4] = { first, NULL, second, NULL };
		status = lm_cache_write_frame(writer, positions, NULL);
	}
	return status;
}

static void make(const char* path, int64_t frames)
{
	lm_host host = lm_host_default();
	lm_cache_writer* writer = NULL;
	lm_error error;
	assert_int_equal(lm_cache_create(path, &info, &host, &writer, &error), LM_OK);
	assert_int_equal(write_frames(writer, 0, frames), LM_OK);
	assert_int_equal(lm_cache_writer_close(writer, &error), LM_OK);
}

static lm_cache* open_good(const char* path)
{
	lm_host host = lm_host_default();
	lm_cache* cache = NULL;
	lm_error error;
	if (lm_cache_open(path, &host, &cache, &error) != LM_OK)
	{
		print_error("%s: %s\n", error.where, error.message);
		fail();
	}
	return cache;
}

// Bytes opened as a cache without a file on disk: many thousands of them are tried.
static lm_status open_bytes(const unsigned char* data, size_t size, const lm_host* host, lm_cache** cache,
                            lm_error* error)
{
	int descriptor = memfd_create("cache", 0);
	assert_true(descriptor >= 0);
	assert_int_equal(write(descriptor, data, size), size);
	*cache = NULL;
	return lm_cache_open_file(descriptor, size, "in memory", host, cache, error);
}

static void assert_holds(const char* path, int64_t frames)
{
	lm_cache* cache = open_good(path);
	assert_int_equal(lm_cache_frame_count(cache), frames);
	for (int64_t f = frames; f-- > 0;)
	{
		double first[12], second[15], got[15];
		positions_of(f, first, second);
		assert_int_equal(lm_cache_read(cache, f, 0, got, NULL), LM_OK);
		for (int i = 0; i < 12; ++i)
			assert_near(got[i], first[i], 1e-7);
		assert_int_equal(lm_cache_read(cache, f, 2, got, NULL), LM_OK);
		for (int i = 0; i < 15; ++i)
			assert_near(got[i], second[i], 1e-7); // as exact as at the origin
		assert_int_equal(lm_cache_read(cache, f, 1, got, NULL), LM_OK);
		assert_memory_equal(got, floor_positions, sizeof floor_positions);
		assert_int_equal(lm_cache_read(cache, f, 3, got, NULL), LM_OK);
	}
	lm_cache_destroy(cache);
}

static void round_trip(void** state)
{
	(void)state;
	const char* path = test_path("round.lmc");
	make(path, 7);
	assert_holds(path, 7);
	lm_cache* cache = open_good(path);
	const lm_cache_info* back = lm_cache_get_info(cache);
	assert_string_equal(back->scene, info.scene);
	assert_true(back->fps == info.fps && back->fingerprint == info.fingerprint);
	assert_int_equal(back->object_count, 4);
	for (int i = 0; i < 4; ++i)
	{
		const lm_cache_object *a = &objects[i], *b = &back->objects[i];
		assert_string_equal(a->name, b->name);
		assert_memory_equal(a->color, b->color, sizeof a->color);
		assert_int_equal(a->vertex_count, b->vertex_count);
		assert_int_equal(a->triangle_count, b->triangle_count);
		assert_int_equal(a->face_count, b->face_count);
		assert_int_equal(a->fixed, b->fixed);
		if (a->triangle_count > 0)
			assert_memory_equal(a->triangles, b->triangles, (size_t)a->triangle_count * 12);
	}
	assert_memory_equal(back->objects[0].face_starts, face_starts, sizeof face_starts);
	assert_memory_equal(back->objects[0].face_vertices, face_vertices, sizeof face_vertices);
	assert_memory_equal(back->objects[1].fixed_positions, floor_positions, sizeof floor_positions);
	lm_cache_destroy(cache);
	make(path, 2); // replaces
	assert_holds(path, 2);
	make(path, 0);
	assert_holds(path, 0);
	remove(path);
}

// Cut off at every byte: either a clean error, or the whole frames that are left.
static void truncation(void** state)
{
	(void)state;
	const char* path = test_path("cut.lmc");
	make(path, 3);
	size_t size;
	unsigned char* data = test_read(path, &size);
	uint64_t lengths[2];
	memcpy(lengths, data + 16, sizeof lengths);
	assert_int_equal(size, lengths[0] + 3 * lengths[1]);
	for (size_t cut = 0; cut < size; ++cut)
	{
		test_memory memory = { 0 };
		lm_host host = test_host(&memory);
		lm_cache* cache = NULL;
		lm_error error = { 0 };
		lm_status status = open_bytes(data, cut, &host, &cache, &error);
		assert_int_equal(status, cut < lengths[0] ? LM_BAD_INPUT : LM_OK);
		if (status == LM_OK)
			assert_int_equal(lm_cache_frame_count(cache), (cut - lengths[0]) / lengths[1]);
		else
			assert_true(error.message[0] != 0);
		lm_cache_destroy(cache);
		assert_int_equal(memory.held, 0);
	}
	free(data);
	remove(path);
}

static lm_status append(const char* path, const lm_cache_info* with, int64_t keep, int64_t end, lm_error* error)
{
	lm_host host = lm_host_default();
	lm_cache_writer* writer = NULL;
	lm_status status = lm_cache_append(path, with, keep, &host, &writer, error);
	if (status == LM_OK)
	{
		status = write_frames(writer, keep, end);
		lm_cache_writer_close(writer, NULL);
	}
	else
		assert_null(writer);
	return status;
}

static void appending(void** state)
{
	(void)state;
	const char* path = test_path("append.lmc");
	make(path, 9);
	size_t size, again_size;
	unsigned char* straight = test_read(path, &size);
	for (int64_t keep = 0; keep <= 6; keep += 2)
	{
		make(path, 6);
		assert_int_equal(append(path, &info, keep, 9, NULL), LM_OK);
		unsigned char* again = test_read(path, &again_size);
		assert_int_equal(size, again_size);
		assert_memory_equal(straight, again, size); // resumed equals straight, to the bit
		free(again);
	}
	// A torn frame at the end: not counted, and gone after appending.
	test_write(path, straight, size - 5);
	assert_holds(path, 8);
	lm_error error;
	assert_int_equal(append(path, &info, 9, 9, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "only 8 whole ones"));
	assert_int_equal(append(path, &info, 8, 9, NULL), LM_OK);
	assert_holds(path, 9);
	// All bytes there but not all written, as after a power cut.
	memset(straight + size - 40, 0, 40);
	test_write(path, straight, size);
	assert_holds(path, 8);
	free(straight);
	remove(path);
}

static void appending_needs_the_same_run(void** state)
{
	(void)state;
	const char* path = test_path("other.lmc");
	make(path, 3);
	lm_cache_object changed[4];
	memcpy(changed, objects, sizeof changed);
	changed[2].vertex_count = 6;
	lm_cache_info others[] = { info, info, info, info };
	others[0].fingerprint ^= 1;
	others[1].fps = 25;
	others[2].object_count = 3;
	others[3].objects = changed;
	static const char* const words[] = { "has changed", "frames per second", "number of objects", "differ" };
	for (int i = 0; i < 4; ++i)
	{
		lm_error error;
		assert_int_equal(append(path, &others[i], 1, 2, &error), LM_BAD_INPUT);
		assert_non_null(strstr(error.message, words[i]));
		assert_int_equal(append(path, &others[i], 1, 2, NULL), LM_BAD_INPUT);
	}
	assert_holds(path, 3); // untouched
	remove(path);
	assert_int_equal(append(path, &info, 0, 1, NULL), LM_BAD_INPUT); // not there
	test_write(path, "something else altogether, and long enough to be a header", 57);
	assert_int_equal(append(path, &info, 0, 1, NULL), LM_BAD_INPUT);
	remove(path);
}

// The same scene named from another folder: the fingerprint counts, not the text.
static void appending_from_another_folder(void** state)
{
	(void)state;
	const char* path = test_path("moved.lmc");
	static const char* const places[] = { "", "../a/longer/way/to/the/same/scene.json" };
	for (int i = 0; i < 2; ++i)
	{
		make(path, 3);
		lm_cache_info moved = info;
		moved.scene = places[i];
		assert_int_equal(append(path, &moved, 2, 9, NULL), LM_OK);
		assert_holds(path, 9);
	}
	remove(path);
}

// A damaged byte is noticed wherever it is.
static void damage(void** state)
{
	(void)state;
	const char* path = test_path("damage.lmc");
	make(path, 2);
	size_t size;
	unsigned char* data = test_read(path, &size);
	uint64_t lengths[2];
	memcpy(lengths, data + 16, sizeof lengths);
	for (size_t i = 0; i < size; ++i)
	{
		data[i] ^= 0x41;
		lm_host host = lm_host_default();
		lm_cache* cache = NULL;
		lm_status status = open_bytes(data, size, &host, &cache, NULL);
		if (i < lengths[0])
			assert_int_equal(status, LM_BAD_INPUT);
		else
		{
			assert_int_equal(status, LM_OK);
			double got[15];
			if (i < lengths[0] + lengths[1]) // in frame 0
				assert_int_equal(lm_cache_read(cache, 0, 2, got, NULL), LM_BAD_INPUT);
			else
				assert_int_equal(lm_cache_frame_count(cache), 1);
		}
		lm_cache_destroy(cache);
		data[i] ^= 0x41;
	}
	free(data);
	remove(path);
}

// Each change below gets a right check sum, so that only the checks behind it are left.
static void assert_header_refused(const unsigned char* good, size_t size, size_t at, const void* bytes, size_t count)
{
	unsigned char* data = malloc(size);
	memcpy(data, good, size);
	memcpy(data + at, bytes, count);
	uint64_t header;
	memcpy(&header, good + 16, sizeof header);
	uint64_t sum = lm_hash(LM_HASH_START, data, (size_t)header - 8);
	memcpy(data + header - 8, &sum, sizeof sum);
	test_memory memory = { 0 };
	lm_host host = test_host(&memory);
	lm_cache* cache = NULL;
	lm_error error = { 0 };
	lm_status status = open_bytes(data, size, &host, &cache, &error);
	if (status != LM_BAD_INPUT)
		print_error("a change at byte %zu was believed\n", at);
	assert_int_equal(status, LM_BAD_INPUT);
	assert_int_equal(memory.held, 0);
	free(data);
}

static void forged_headers(void** state)
{
	(void)state;
	const char* path = test_path("forge.lmc");
	make(path, 1);
	size_t size;
	unsigned char* data = test_read(path, &size);
	uint64_t huge = UINT64_MAX, tera = UINT64_C(1) << 40, one = 1;
	double zero = 0, nan = NAN;
	uint32_t swapped = 0x04030201, version = 2;
	int32_t bad[] = { -1, INT32_MAX, 4, 2000000000 };
	assert_header_refused(data, size, 0, "XMCACHE", 7);
	assert_header_refused(data, size, 8, &swapped, 4);
	assert_header_refused(data, size, 12, &version, 4);
	assert_header_refused(data, size, 16, &tera, 8); // header
	assert_header_refused(data, size, 16, &one, 8);
	assert_header_refused(data, size, 24, &tera, 8); // frame
	assert_header_refused(data, size, 24, &huge, 8);
	assert_header_refused(data, size, 32, &zero, 8); // fps
	assert_header_refused(data, size, 32, &nan, 8);
	assert_header_refused(data, size, 48, &tera, 8); // objects
	assert_header_refused(data, size, 48, &one, 8);
	assert_header_refused(data, size, 56, &huge, 8); // length of the scene's text
	assert_header_refused(data, size, 56, &one, 8);
	size_t object = 64 + 24;        // "scenes/test.json" and its zero
	size_t record = object + 8 + 8; // "jelly"
	assert_memory_equal(data + object + 8, "jelly", 6);
	for (int field = 0; field < 4; ++field)
		for (int i = 0; i < 4; ++i)
			if (i != 2 || (field != 0 && field != 3)) // four vertices and corners is right
				assert_header_refused(data, size, record + 4 * (size_t)field, &bad[i], 4);
	assert_header_refused(data, size, record + 16, &bad[2], 4); // fixed
	float red = INFINITY;
	assert_header_refused(data, size, record + 24, &red, 4);         // colour
	assert_header_refused(data, size, record + 40, &bad[2], 4);      // triangle
	assert_header_refused(data, size, record + 40 + 24, &bad[2], 4); // start
	assert_header_refused(data, size, record + 40 + 32, &bad[0], 4); // corner
	free(data);
	remove(path);
}

static void what_is_not_written(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache_writer* writer = NULL;
	lm_error error;
	const char* path = test_path("none.lmc");
	lm_cache_info bad = info;
	bad.fps = 0;
	assert_int_equal(lm_cache_create(path, &bad, &host, &writer, &error), LM_BAD_INPUT);
	static const int32_t wrong[] = { 0, 1, 4 };
	lm_cache_object wrong_object = { .name = "x", .vertex_count = 4, .triangle_count = 1, .triangles = wrong };
	bad = (lm_cache_info){ "", 24, 0, 1, &wrong_object };
	assert_int_equal(lm_cache_create(path, &bad, &host, &writer, &error), LM_BAD_INPUT);
	assert_null(writer);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(lm_cache_create("/proc/nowhere/a.lmc", &info, &host, &writer, &error), LM_IO_FAILED);
	assert_int_equal(lm_cache_create(path, &info, &host, &writer, &error), LM_OK);
	assert_int_equal(write_frames(writer, 0, 1), LM_OK);
	double first[12] = { 0 }, second[15] = { 0 };
	const double* positions[4] = { first, NULL, second, NULL };
	double worst[] = { NAN, INFINITY, -INFINITY, 1e300 };
	for (int i = 0; i < 4; ++i)
	{
		second[7] = worst[i];
		assert_int_equal(lm_cache_write_frame(writer, positions, &error), LM_BAD_INPUT);
		assert_int_equal(lm_cache_write_frame(writer, positions, NULL), LM_BAD_INPUT);
	}
	assert_int_equal(write_frames(writer, 1, 2), LM_OK); // and on it goes
	assert_int_equal(lm_cache_writer_close(writer, &error), LM_OK);
	assert_int_equal(lm_cache_writer_close(NULL, NULL), LM_OK);
	assert_holds(path, 2);
	remove(path);
}

// A limit on the size of files is as good as a full disk.
static void full_disk(void** state)
{
	(void)state;
	const char* path = test_path("full.lmc");
	make(path, 3);
	struct stat facts;
	stat(path, &facts);
	lm_host host = lm_host_default();
	lm_cache_writer* writer = NULL;
	assert_int_equal(lm_cache_append(path, &info, 3, &host, &writer, NULL), LM_OK);
	struct rlimit before, limit;
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = (rlim_t)facts.st_size + 100; // half a frame
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	double first[12], second[15];
	positions_of(3, first, second);
	const double* positions[4] = { first, NULL, second, NULL };
	lm_error error;
	lm_status status = lm_cache_write_frame(writer, positions, &error);
	lm_cache_writer* other = NULL;
	limit.rlim_cur = 64;
	setrlimit(RLIMIT_FSIZE, &limit);
	lm_status create = lm_cache_create(test_path("full2.lmc"), &info, &host, &other, NULL);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(status, LM_IO_FAILED);
	assert_non_null(strstr(error.message, "cannot be written"));
	assert_int_equal(create, LM_IO_FAILED);
	assert_int_not_equal(access(test_path("full2.lmc"), F_OK), 0);
	struct stat after;
	stat(path, &after);
	assert_int_equal(after.st_size, facts.st_size);      // the torn frame is gone
	assert_int_equal(write_frames(writer, 3, 5), LM_OK); // space was made: it goes on
	lm_cache_writer_close(writer, NULL);
	assert_holds(path, 5);
	remove(path);
}

static void memory_runs_out(void** state)
{
	(void)state;
	const char *path = test_path("memory.lmc"), *second_path = test_path("memory2.lmc");
	make(path, 2);
	bool good = false;
	for (int64_t n = 1; !good && n < 100; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_cache_writer* writer = NULL;
		lm_cache* cache = NULL;
		double got[15];
		lm_error error;
		lm_status status = lm_cache_append(path, &info, 2, &host, &writer, &error);
		if (status == LM_OK)
		{
			lm_cache_writer_close(writer, NULL);
			status = lm_cache_open(path, &host, &cache, &error);
		}
		if (status == LM_OK)
			status = lm_cache_read(cache, 1, 0, got, &error);
		lm_cache_destroy(cache);
		if (status == LM_OK)
		{
			status = lm_cache_create(second_path, &info, &host, &writer, &error);
			if (status == LM_OK)
				lm_cache_writer_close(writer, NULL);
		}
		good = status == LM_OK;
		if (!good && status != LM_NO_MEMORY)
			print_error("%s\n", error.message);
		assert_true(good || status == LM_NO_MEMORY);
		assert_int_equal(memory.held, 0);
	}
	assert_true(good);
	assert_holds(path, 2);
	remove(path);
	remove(second_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(truncation),
		cmocka_unit_test(appending),
		cmocka_unit_test(appending_needs_the_same_run),
		cmocka_unit_test(appending_from_another_folder),
		cmocka_unit_test(damage),
		cmocka_unit_test(forged_headers),
		cmocka_unit_test(what_is_not_written),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(memory_runs_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
