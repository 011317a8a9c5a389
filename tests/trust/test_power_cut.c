// Runs that are cut off, and files as a power cut may leave them: the run goes on to the same bits and says from where.
#include "test.h"

#include "limber/world.h"
#include "world/worlds.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER LIMBER_BUILD "/test-power-cut"
#define WHOLE FOLDER "/whole.lmc"
#define CACHE FOLDER "/cut.lmc"
#define CHECKPOINT CACHE ".checkpoint"
#define BEFORE CHECKPOINT ".before"

static char said[1000];

static void note(lm_log_level level, const char* message, void* context)
{
	(void)level, (void)context;
	snprintf(said, sizeof said, "%s", message);
}

// As by kill -9, after ten frames of twelve.
static bool die(const char* what, double done, void* context)
{
	(void)context;
	if (strncmp(what, "simulating", 10) == 0 && done >= 10.0 / 12 - 1e-9)
		_exit(9);
	return true;
}

static lm_world* open_world(bool dies)
{
	lm_host host = lm_host_default();
	host.threads = 1;
	host.log = note;
	host.progress = dies ? die : NULL;
	lm_scene* scene = lm_scene_create(&host);
	assert_true(add_ground(scene));
	add_block(scene, 1000);
	lm_world* world = NULL;
	assert_int_equal(lm_world_create(scene, &host, &world, NULL), LM_OK);
	lm_scene_destroy(scene);
	return world;
}

static lm_run_report run_to(const char* cache, bool resume, bool dies)
{
	lm_world* world = open_world(dies);
	lm_run_settings settings = lm_run_settings_default();
	settings.cache_path = cache;
	settings.seconds = 0.5;
	settings.resume = resume;
	settings.checkpoint_interval = 3;
	settings.checkpoint_seconds = 1e-9; // every one is kept for sure
	lm_run_report report;
	lm_error error = { 0 };
	said[0] = 0;
	if (lm_world_run(world, &settings, &report, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_world_destroy(world);
	return report;
}

static void run_and_die(void)
{
	pid_t child = fork();
	if (child == 0)
		run_to(CACHE, false, true);
	int code = 0;
	assert_int_equal(waitpid(child, &code, 0), child);
	assert_int_equal(WEXITSTATUS(code), 9);
	assert_int_equal(access(CHECKPOINT, F_OK) | access(BEFORE, F_OK), 0);
}

// Goes on after `first`, says `words`, and leaves what a run that was never cut off leaves.
static void go_on(int64_t first, const char* words)
{
	lm_run_report report = run_to(CACHE, true, false);
	assert_int_equal(report.first_frame, first);
	if (words == NULL)
		assert_string_equal(said, "");
	else if (strstr(said, words) == NULL)
		fail_msg("\"%s\" lacks \"%s\"", said, words);
	assert_int_equal(system("cmp '" WHOLE "' '" CACHE "'"), 0);
	assert_int_equal(system("cmp '" WHOLE ".checkpoint' '" CHECKPOINT "'"), 0);
	assert_int_not_equal(access(BEFORE, F_OK), 0); // not needed any more
}

static int start(void** state)
{
	(void)state;
	if (system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'") != 0)
		return 1;
	run_to(WHOLE, false, false);
	run_and_die();
	return 0;
}

static off_t size_of(const char* path)
{
	struct stat facts;
	assert_int_equal(stat(path, &facts), 0);
	return facts.st_size;
}

static off_t frame_bytes(void)
{
	off_t ten = size_of(CACHE), all = size_of(WHOLE); // 11 and 13 frames
	assert_int_equal((all - ten) % 2, 0);
	return (all - ten) / 2;
}

static void overwrite(const char* path, off_t at, size_t bytes)
{
	FILE* file = fopen(path, "r+b");
	assert_non_null(file);
	assert_int_equal(fseeko(file, at, SEEK_SET), 0);
	for (size_t i = 0; i < bytes; ++i)
		fputc(0, file);
	assert_int_equal(fclose(file), 0);
}

static void killed_run_goes_on_from_the_newest(void** state)
{
	(void)state;
	go_on(9, NULL); // with no time between checkpoints there is one of every frame but the one it died in
}

static void torn_checkpoint(void** state)
{
	(void)state;
	off_t size = size_of(CHECKPOINT);
	const off_t lengths[] = { 0, 5, 100, size / 2, size - 1 };
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
	{
		if (i > 0)
			run_and_die();
		assert_int_equal(truncate(CHECKPOINT, lengths[i]), 0);
		go_on(8, "is not whole, as after a power cut: going on after frame 8");
	}
	run_and_die();
	overwrite(CHECKPOINT, 0, (size_t)size); // the length is there, the bytes are not
	go_on(8, "going on after frame 8");
}

static void missing_checkpoint(void** state)
{
	(void)state;
	remove(CHECKPOINT);
	go_on(8, "is missing: going on after frame 8");
}

static void no_checkpoint_is_whole(void** state)
{
	(void)state;
	assert_int_equal(truncate(CHECKPOINT, 0) | truncate(BEFORE, 50), 0);
	go_on(0, "starting from the beginning");
}

static void short_cache(void** state)
{
	(void)state;
	off_t frame = frame_bytes(), size = size_of(CACHE);
	assert_int_equal(truncate(CACHE, size - frame - frame / 2), 0); // 9 frames and a half
	go_on(8, "has only 9 whole frames, as after a power cut: going on after frame 8");
	run_and_die();
	assert_int_equal(truncate(CACHE, size - 5 * frame), 0);
	go_on(0, "has only 6 whole frames, as after a power cut: starting from the beginning");
	run_and_die();
	assert_int_equal(truncate(CACHE, 0), 0);
	go_on(0, "starting from the beginning");
}

// Writes need not reach the disk in their order.
static void hole_in_the_cache(void** state)
{
	(void)state;
	off_t frame = frame_bytes(), size = size_of(CACHE);
	overwrite(CACHE, size - 2 * frame, (size_t)frame);
	go_on(8, "has only 9 whole frames");
}

// What is no checkpoint of this version is not replaced: it may be of use to another.
static void foreign_checkpoint_is_refused(void** state)
{
	(void)state;
	FILE* file = fopen(CHECKPOINT, "r+b");
	assert_non_null(file);
	fputs("LMCHECK0", file);
	fclose(file);
	lm_world* world = open_world(false);
	lm_run_settings settings = lm_run_settings_default();
	settings.cache_path = CACHE, settings.resume = true;
	lm_error error;
	off_t size = size_of(CACHE);
	assert_int_equal(lm_world_run(world, &settings, NULL, &error), LM_BAD_INPUT);
	assert_int_equal(size_of(CACHE), size);
	lm_world_destroy(world);
}

// Temporary files of processes that are no more go, those of others stay.
static void leftovers_are_removed(void** state)
{
	(void)state;
	pid_t dead = fork();
	if (dead == 0)
		_exit(0);
	assert_int_equal(waitpid(dead, NULL, 0), dead);
	static const char* const names[] = { CACHE ".tmp%ld", CHECKPOINT ".tmp%ld", FOLDER "/other.lmc.tmp%ld" };
	char path[sizeof FOLDER + 100];
	for (int i = 0; i < 6; ++i)
	{
		snprintf(path, sizeof path, names[i % 3], (long)(i < 3 ? dead : getppid()));
		FILE* file = fopen(path, "wb");
		assert_non_null(file);
		fclose(file);
	}
	run_to(CACHE, true, false);
	for (int i = 0; i < 6; ++i)
	{
		snprintf(path, sizeof path, names[i % 3], (long)(i < 3 ? dead : getppid()));
		assert_int_equal(access(path, F_OK) == 0, i > 1);
	}
	lm_remove_leftovers(FOLDER "/oth{object}-{frame}.lmc");
	snprintf(path, sizeof path, names[2], (long)dead);
	assert_int_not_equal(access(path, F_OK), 0);
	snprintf(path, sizeof path, names[2], (long)getppid());
	assert_int_equal(access(path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(killed_run_goes_on_from_the_newest, start),
		cmocka_unit_test_setup(torn_checkpoint, start),
		cmocka_unit_test_setup(missing_checkpoint, start),
		cmocka_unit_test_setup(no_checkpoint_is_whole, start),
		cmocka_unit_test_setup(short_cache, start),
		cmocka_unit_test_setup(hole_in_the_cache, start),
		cmocka_unit_test_setup(foreign_checkpoint_is_refused, start),
		cmocka_unit_test_setup(leftovers_are_removed, start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
