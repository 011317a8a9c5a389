#include "test.h"

#include "folder.h"
#include "limber/render.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER LIMBER_BUILD "/test-video"

static bool have(const char* program)
{
	char command[200];
	snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
	return system(command) == 0;
}

static int empty_folder(void** state)
{
	(void)state;
	return system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'");
}

static lm_picture make_picture(int32_t width, int32_t height, int shade)
{
	lm_host host = lm_host_default();
	lm_picture picture;
	assert_int_equal(lm_picture_create(width, height, &host, &picture, NULL), LM_OK);
	for (int i = 0; i < width * height; ++i)
	{
		picture.rgb[3 * i] = (uint8_t)(200 - shade);
		picture.rgb[3 * i + 1] = (uint8_t)(i % width);
		picture.rgb[3 * i + 2] = (uint8_t)shade;
	}
	return picture;
}

static void write_video(const char* path, int32_t width, int32_t height, double fps, int count)
{
	lm_host host = lm_host_default();
	lm_video* video = NULL;
	lm_error error = { 0 };
	assert_int_equal(lm_video_open(path, width, height, fps, &host, &video, &error), LM_OK);
	for (int k = 0; k < count; ++k)
	{
		lm_picture picture = make_picture(width, height, 5 * k);
		assert_int_equal(lm_video_frame(video, &picture, &error), LM_OK);
		lm_picture_release(&picture);
	}
	assert_true(access(path, F_OK) != 0); // only when complete
	assert_int_equal(lm_video_close(video, &error), LM_OK);
	assert_true(access(path, F_OK) == 0);
}

static void probe(const char* path, char* text, size_t capacity)
{
	char command[1000];
	snprintf(command, sizeof command,
	         "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
	         "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 '%s'",
	         path);
	FILE* pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(text, (int)capacity, pipe));
	pclose(pipe);
}

static void test_formats(void** state)
{
	(void)state;
	if (!have("ffmpeg") || !have("ffprobe"))
		test_missing("ffmpeg");
	static const struct
	{
		const char *path, *expected;
		int32_t width, height;
		double fps;
	} cases[] = {
		{ FOLDER "/even.mp4", "h264,96,64,yuv420p,24/1,12", 96, 64, 24 },
		{ FOLDER "/odd -name 'quoted\".mp4", "h264,96,64,yuv420p,30000/1001,12", 97, 65, 29.97 },
		{ FOLDER "/small.webm", "vp9,96,64,yuv420p,25/1,12", 96, 64, 25 },
		{ FOLDER "/loop.gif", "gif,97,65,bgra,25/1,12", 97, 65, 25 },
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
	{
		write_video(cases[k].path, cases[k].width, cases[k].height, cases[k].fps, 12);
		if (strchr(cases[k].path, '\'') != NULL)
			assert_int_equal(rename(cases[k].path, FOLDER "/odd.mp4"), 0); // for the shell that probes
		char text[300];
		probe(strchr(cases[k].path, '\'') != NULL ? FOLDER "/odd.mp4" : cases[k].path, text, sizeof text);
		text[strcspn(text, "\n")] = 0;
		assert_string_equal(text, cases[k].expected);
	}
	write_video(FOLDER "/fast.gif", 32, 32, 100, 20); // browsers do not play more than 50 frames per second
	char text[300];
	probe(FOLDER "/fast.gif", text, sizeof text);
	assert_non_null(strstr(text, ",50/1,10"));
	assert_int_equal(files_in(FOLDER), 5);
}

static void test_same_bytes(void** state)
{
	(void)state;
	if (!have("ffmpeg"))
		test_missing("ffmpeg");
	write_video(FOLDER "/a.mp4", 96, 64, 24, 12);
	write_video(FOLDER "/b.mp4", 96, 64, 24, 12);
	assert_int_equal(system("cmp -s '" FOLDER "/a.mp4' '" FOLDER "/b.mp4'"), 0);
}

static void test_refusals(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_video* video = NULL;
	lm_error error;
	assert_int_equal(lm_video_open(FOLDER "/x.avi", 32, 32, 24, &host, &video, &error), LM_BAD_INPUT);
	assert_int_equal(lm_video_open(FOLDER "/x.mp4", 1, 32, 24, &host, &video, &error), LM_BAD_INPUT);
	assert_int_equal(lm_video_open(FOLDER "/x.mp4", 32, 32, 0, &host, &video, &error), LM_BAD_INPUT);
	assert_int_equal(lm_video_open(FOLDER "/x.mp4", 32, 32, NAN, &host, &video, &error), LM_BAD_INPUT);
	assert_int_equal(lm_video_open("/proc/no/x.mp4", 32, 32, 24, &host, &video, &error), LM_IO_FAILED);
	assert_null(video);
	lm_video_abandon(NULL);
	if (!have("ffmpeg"))
		test_missing("ffmpeg");
	lm_picture small = make_picture(16, 16, 0), right = make_picture(32, 32, 0);
	assert_int_equal(lm_video_open(FOLDER "/x.mp4", 32, 32, 24, &host, &video, &error), LM_OK);
	assert_int_equal(lm_video_frame(video, &small, &error), LM_BAD_INPUT);
	assert_int_equal(lm_video_close(video, &error), LM_BAD_INPUT); // no frame
	assert_int_equal(lm_video_open(FOLDER "/x.mp4", 32, 32, 24, &host, &video, &error), LM_OK);
	assert_int_equal(lm_video_frame(video, &right, &error), LM_OK);
	lm_video_abandon(video);
	lm_picture_release(&small);
	lm_picture_release(&right);
	assert_int_equal(files_in(FOLDER), 0);
}

// In a child, because the environment is the process's: without a PATH there is no ffmpeg.
static void test_no_ffmpeg(void** state)
{
	(void)state;
	pid_t child = fork();
	if (child == 0)
	{
		setenv("PATH", "/nonexistent", 1);
		lm_host host = lm_host_default();
		lm_video* video = NULL;
		lm_error error;
		lm_status status = lm_video_open(FOLDER "/x.mp4", 32, 32, 24, &host, &video, &error);
		bool good = status == LM_UNSUPPORTED && video == NULL &&
		            strstr(error.message, "apt-get install ffmpeg") != NULL &&
		            lm_video_check(FOLDER "/x.webm", &error) == LM_UNSUPPORTED &&
		            lm_video_check(FOLDER "/x.png", &error) == LM_BAD_INPUT;
		_exit(good ? 0 : 1);
	}
	int code;
	assert_int_equal(waitpid(child, &code, 0), child);
	assert_int_equal(code, 0);
	assert_int_equal(files_in(FOLDER), 0);
}

static void make_encoder(const char* script)
{
	char command[1000];
	snprintf(command, sizeof command,
	         "mkdir -p '" FOLDER "/bin' && printf '#!/bin/sh\\n%s\\n' > '" FOLDER "/bin/ffmpeg' && chmod +x '" FOLDER
	         "/bin/ffmpeg'",
	         script);
	assert_int_equal(system(command), 0);
}

static bool lose_patience(const char* what, double done, void* context)
{
	int* left = context;
	return strcmp(what, "encoding") == 0 && done >= 0 && done <= 1 && (*left)-- > 0;
}

// Encoders that take their time, with a frame or with the end: the host can stop waiting for them.
static void test_waiting(void** state)
{
	(void)state;
	for (int kind = 0; kind < 2; ++kind)
	{
		make_encoder(kind == 0 ? "exec sleep 10000" : "cat >/dev/null; exec sleep 10000");
		pid_t child = fork();
		if (child == 0)
		{
			alarm(600); // for what would never end; the encoder is waited for in vain
			setenv("PATH", FOLDER "/bin:/bin:/usr/bin", 1);
			int left = 1;
			lm_host host = lm_host_default();
			host.progress = lose_patience;
			host.progress_context = &left;
			lm_video* video = NULL;
			lm_error error = { 0 };
			int32_t size = kind == 0 ? 1000 : 2;
			if (lm_video_open(FOLDER "/x.mp4", size, size, 24, &host, &video, &error) != LM_OK)
				_exit(1);
			lm_picture picture = make_picture(size, size, 0);
			lm_status status = lm_video_frame(video, &picture, &error);
			if (kind == 0)
				lm_video_abandon(video);
			else
				status = status == LM_OK ? lm_video_close(video, &error) : LM_BAD_INPUT;
			_exit(status == LM_CANCELLED && left < 0 ? 0 : 2);
		}
		int code;
		assert_int_equal(waitpid(child, &code, 0), child);
		assert_int_equal(code, 0);
		assert_int_equal(files_in(FOLDER), 1); // the folder of the false ffmpeg
	}
}

// An encoder that dies: its last words are in the sentence, no signal arrives, nothing is left behind.
static void test_dying_encoder(void** state)
{
	(void)state;
	make_encoder("echo first >&2\\necho the last word >&2\\nexit 3");
	pid_t child = fork();
	if (child == 0)
	{
		setenv("PATH", FOLDER "/bin:/bin:/usr/bin", 1);
		signal(SIGPIPE, SIG_DFL);
		lm_host host = lm_host_default();
		lm_video* video = NULL;
		lm_error error;
		if (lm_video_open(FOLDER "/x.mp4", 640, 640, 24, &host, &video, &error) != LM_OK)
			_exit(1);
		lm_picture picture = make_picture(640, 640, 0);
		lm_status status = LM_OK;
		for (int k = 0; k < 100 && status == LM_OK; ++k)
			status = lm_video_frame(video, &picture, &error);
		if (status != LM_IO_FAILED || strstr(error.message, ": the last word") == NULL)
			_exit(2);
		status = lm_video_close(video, &error);
		if (status != LM_IO_FAILED || strstr(error.message, ": the last word") == NULL)
			_exit(3);
		// It may also die at the very end, having taken all frames.
		if (lm_video_open(FOLDER "/x.mp4", 2, 2, 24, &host, &video, &error) != LM_OK)
			_exit(4);
		lm_picture tiny = make_picture(2, 2, 0);
		lm_video_frame(video, &tiny, &error);
		_exit(lm_video_close(video, &error) == LM_OK ? 5 : 0);
	}
	int code;
	assert_int_equal(waitpid(child, &code, 0), child);
	assert_int_equal(code, 0);
	assert_int_equal(files_in(FOLDER), 1); // the folder of the false ffmpeg
}

static void test_out_of_memory(void** state)
{
	(void)state;
	if (!have("ffmpeg"))
		test_missing("ffmpeg");
	lm_status status = LM_NO_MEMORY;
	for (int64_t n = 1; status != LM_OK; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_video* video = NULL;
		status = lm_video_open(FOLDER "/x.mp4", 32, 32, 24, &host, &video, NULL);
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
		lm_video_abandon(video);
		assert_int_equal(memory.held, 0);
		assert_int_equal(files_in(FOLDER), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_formats, empty_folder),
		cmocka_unit_test_setup(test_same_bytes, empty_folder),
		cmocka_unit_test_setup(test_refusals, empty_folder),
		cmocka_unit_test_setup(test_no_ffmpeg, empty_folder),
		cmocka_unit_test_setup(test_waiting, empty_folder),
		cmocka_unit_test_setup(test_dying_encoder, empty_folder),
		cmocka_unit_test_setup(test_out_of_memory, empty_folder),
	};
	return cmocka_run_group_tests_name("video", tests, NULL, NULL);
}
