// Videos on a full disk: whatever moment the space ends at, the work fails in words and nothing is left. A limit on the
// size of files stands for the disk; with its signal ignored, as here, writes fail in the same way.
#include "test.h"

#include "limber/render.h"
#include "render/folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER LIMBER_BUILD "/test-full-disk"

static int empty_folder(void** state)
{
	(void)state;
	return system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'");
}

static lm_status write_noise(const char* path, lm_error* error)
{
	lm_host host = lm_host_default();
	lm_picture picture;
	lm_video* video = NULL;
	uint64_t seed = 7;
	lm_status status = lm_picture_create(96, 96, &host, &picture, error);
	if (status == LM_OK)
		status = lm_video_open(path, 96, 96, 24, &host, &video, error);
	for (int frame = 0; frame < 10 && status == LM_OK; ++frame)
	{
		for (int i = 0; i < 3 * 96 * 96; ++i)
			picture.rgb[i] = (uint8_t)(128 + 100 * test_random(&seed));
		status = lm_video_frame(video, &picture, error);
	}
	if (video != NULL && status != LM_OK)
		lm_video_abandon(video);
	else if (video != NULL)
		status = lm_video_close(video, error);
	lm_picture_release(&picture);
	return status;
}

// In a child, because limits are the process's. Returns the status, or -1 when the child died or its error has no text.
static int write_limited(const char* path, rlim_t limit)
{
	pid_t child = fork();
	if (child == 0)
	{
		lm_error error = { 0 };
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ limit, limit });
		lm_status status = write_noise(path, &error);
		_exit(status == LM_OK || error.message[0] != 0 ? (int)status : 99);
	}
	int code;
	assert_int_equal(waitpid(child, &code, 0), child);
	return WIFEXITED(code) && WEXITSTATUS(code) != 99 ? WEXITSTATUS(code) : -1;
}

static void check_format(const char* path)
{
	if (system("command -v ffmpeg >/dev/null 2>&1") != 0)
		test_missing("ffmpeg");
	lm_error error;
	struct stat facts;
	assert_int_equal(write_noise(path, &error), LM_OK);
	assert_int_equal(stat(path, &facts), 0);
	rlim_t size = (rlim_t)facts.st_size;
	const rlim_t limits[] = { 0, 20, 1000, size / 3, size / 2, size / 4 * 3, size - 3000, size - 100, size - 1 };
	remove(path);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
	{
		assert_int_equal(write_limited(path, limits[i]), LM_IO_FAILED);
		assert_int_equal(files_in(FOLDER), 0);
	}
	assert_int_equal(write_limited(path, size), LM_OK);
	assert_int_equal(files_in(FOLDER), 1);
}

static void mp4_is_whole_or_not_there(void** state)
{
	(void)state;
	check_format(FOLDER "/a.mp4");
}

static void webm_is_whole_or_not_there(void** state)
{
	(void)state;
	check_format(FOLDER "/a.webm");
}

static void gif_is_whole_or_not_there(void** state)
{
	(void)state;
	check_format(FOLDER "/a.gif");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(mp4_is_whole_or_not_there, empty_folder),
		cmocka_unit_test_setup(webm_is_whole_or_not_there, empty_folder),
		cmocka_unit_test_setup(gif_is_whole_or_not_there, empty_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
