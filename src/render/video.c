// video.c: frames through a pipe to ffmpeg. The pipe is a socket, because writing to one can be made not to raise
// SIGPIPE when ffmpeg has died: the signals of the host program are left alone. ffmpeg gets a process group of its own,
// so that Ctrl-C reaches the host, which then decides; its messages go to an unnamed file, so that it never waits for
// us to read them; and its result has a temporary name until it is complete.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "limber/render.h"
#include "render/video_whole.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct lm_video
{
	lm_host host;
	lm_output output;
	int32_t width, height;
	int64_t frames;
	pid_t encoder; // 0 when it has been waited for
	int socket;    // -1 when closed
	FILE* messages;
};

// The arguments of ffmpeg, in order, with the text of those that are made up.
typedef struct encoder_call
{
	char* words[64];
	int count;
	char size[32], rate[48], filter[512], name[4200];
} encoder_call;

static void say(encoder_call* command, const char* word)
{
	assert(command->count < 63);
	command->words[command->count++] = (char*)(uintptr_t)word; // exec does not write to them
}

static void say_all(encoder_call* command, const char* const* words)
{
	for (; *words != NULL; ++words)
		say(command, *words);
}

// A rate as a fraction: decimal points depend on the locale, and 29.97 is none.
static void write_rate(char* text, size_t capacity, double fps)
{
	long long numerator = llround(fps * 1000000), denominator = 1000000;
	if (fabs(fps * 1001 / 1000 - round(fps * 1001 / 1000)) < 1e-4 && fabs(fps - round(fps)) > 1e-3)
		numerator = llround(fps * 1001 / 1000) * 1000, denominator = 1001; // 23.976, 29.97, 59.94
	snprintf(text, capacity, "%lld/%lld", numerator, denominator);
}

// Encoders are fixed to two threads: what x264 and vp9 write depends on how many they use.
static lm_status compose(encoder_call* command, const char* path, const char* temporary, int32_t width, int32_t height,
                         double fps, lm_error* error)
{
	static const char* const input[] = { "ffmpeg", "-hide_banner", "-loglevel", "error", "-y",
		                                 "-f",     "rawvideo",     "-pix_fmt",  "rgb24", NULL };
	static const char* const mp4[] = { "-c:v", "libx264",   "-preset",    "medium", "-crf",
		                               "18",   "-movflags", "+faststart", NULL };
	static const char* const webm[] = { "-c:v", "libvpx-vp9", "-crf", "24",      "-b:v", "0", "-deadline",
		                                "good", "-cpu-used",  "4",    "-row-mt", "0",    NULL };
	static const char* const yuv[] = { "-pix_fmt",         "yuv420p", "-colorspace", "bt709",
		                               "-color_primaries", "bt709",   "-color_trc",  "bt709",
		                               "-color_range",     "tv",      NULL };
	bool gif = lm_same_ending(path, "gif"), is_webm = lm_same_ending(path, "webm");
	snprintf(command->size, sizeof command->size, "%dx%d", width, height);
	write_rate(command->rate, sizeof command->rate, fps);
	if (gif) // a palette of its own; players fall back to 10 frames per second above 50
		snprintf(command->filter, sizeof command->filter,
		         "%ssplit[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:"
		         "diff_mode=rectangle",
		         fps > 50 ? "fps=50," : "");
	else // chroma of 2 x 2 pixels: an odd last row or column goes
		snprintf(command->filter, sizeof command->filter,
		         "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,scale=out_color_matrix=bt709:out_range=tv");
	if (snprintf(command->name, sizeof command->name, "file:%s", temporary) >= (int)sizeof command->name)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "the path is too long");
	say_all(command, input);
	say_all(command, (const char* const[]){ "-s", command->size, "-r", command->rate, "-i", "pipe:0", "-an", "-vf",
	                                        command->filter, "-threads", "2", "-fflags", "+bitexact", "-flags:v",
	                                        "+bitexact", NULL });
	if (!gif)
	{
		say_all(command, is_webm ? webm : mp4);
		say_all(command, yuv);
	}
	say_all(command, (const char* const[]){ "-f", gif ? "gif" : is_webm ? "webm" : "mp4", command->name, NULL });
	return LM_OK;
}

// Whether the folder, length letters of the text, has an ffmpeg that can be started.
static bool has_encoder(const char* folder, size_t length)
{
	char path[4096];
	struct stat facts;
	int written = snprintf(path, sizeof path, "%.*s%sffmpeg", (int)length, folder, length > 0 ? "/" : "");
	return written > 0 && written < (int)sizeof path && stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
	       access(path, X_OK) == 0;
}

// Looks where posix_spawnp will look.
static bool find_encoder(void)
{
	const char* folder = getenv("PATH");
	for (folder = folder != NULL ? folder : "/bin:/usr/bin"; folder != NULL;)
	{
		const char* end = strchr(folder, ':');
		if (has_encoder(folder, end != NULL ? (size_t)(end - folder) : strlen(folder)))
			return true;
		folder = end != NULL ? end + 1 : NULL;
	}
	return false;
}

static lm_status no_encoder(const char* path, lm_error* error)
{
	return lm_fail_at(
		error, LM_UNSUPPORTED, path, "",
		"videos need ffmpeg, which was not found; install it (apt-get install ffmpeg), or write what needs "
		"none: .png, or only the cache, .lmc");
}

lm_status lm_video_check(const char* path, lm_error* error)
{
	assert(path != NULL);
	if (!lm_same_ending(path, "mp4") && !lm_same_ending(path, "webm") && !lm_same_ending(path, "gif"))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "a video is written as .mp4, .webm or .gif");
	return find_encoder() ? LM_OK : no_encoder(path, error);
}

// Starts ffmpeg with `input` as its standard input. Returns an errno.
static int start(encoder_call* command, int input, FILE* messages, pid_t* encoder)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return ENOMEM;
	if (posix_spawnattr_init(&attributes) != 0)
	{
		posix_spawn_file_actions_destroy(&actions);
		return ENOMEM;
	}
	sigset_t none, defaults;
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGTERM);
	int reason = posix_spawn_file_actions_adddup2(&actions, input, 0);
	if (reason == 0)
		reason = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (reason == 0 && messages != NULL)
		reason = posix_spawn_file_actions_adddup2(&actions, fileno(messages), 2);
	else if (reason == 0)
		reason = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (reason == 0)
		reason = posix_spawnp(encoder, "ffmpeg", &actions, &attributes, command->words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return reason;
}

static lm_status launch(lm_video* video, const char* path, double fps, lm_error* error)
{
	lm_status status = lm_output_open(&video->host, path, &video->output, error);
	encoder_call* command = LM_NEW(&video->host, 1, encoder_call);
	if (status == LM_OK && command == NULL)
		status = lm_fail_memory(error);
	if (status == LM_OK)
		status = compose(command, path, video->output.temporary, video->width, video->height, fps, error);
	int ends[2] = { -1, -1 };
	if (status == LM_OK && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		status = lm_fail_at(error, LM_IO_FAILED, path, "", "no pipe to ffmpeg can be made: %s", strerror(errno));
	if (status == LM_OK)
	{
		video->socket = ends[0];
		video->messages = tmpfile(); // without it only ffmpeg's messages are lost
		int reason = start(command, ends[1], video->messages, &video->encoder);
		close(ends[1]);
		if (reason != 0)
			video->encoder = 0;
		if (reason == ENOENT || reason == EACCES || reason == ENOTDIR)
			status = no_encoder(path, error);
		else if (reason != 0)
			status = lm_fail_at(error, LM_IO_FAILED, path, "", "ffmpeg cannot be started: %s", strerror(reason));
	}
	lm_free(&video->host, command);
	return status;
}

lm_status lm_video_open(const char* path, int32_t width, int32_t height, double fps, const lm_host* host,
                        lm_video** video, lm_error* error)
{
	assert(path != NULL && host != NULL && video != NULL);
	lm_status status = lm_video_check(path, error);
	if (status != LM_OK)
		return status;
	if (width < 2 || height < 2 || width > 16384 || height > 16384)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "a video has 2 to 16384 pixels each way, not %d x %d", width,
		                  height);
	if (!(fps >= 0.01 && fps <= 1000))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "a video has 0.01 to 1000 frames per second, not %g", fps);
	lm_video* made = LM_NEW(host, 1, lm_video);
	if (made == NULL)
		return lm_fail_memory(error);
	made->host = *host;
	made->width = width;
	made->height = height;
	made->socket = -1;
	status = launch(made, path, fps, error);
	if (status != LM_OK)
		lm_video_abandon(made);
	else
		*video = made;
	return status;
}

static void close_input(lm_video* video)
{
	if (video->socket >= 0)
		close(video->socket);
	video->socket = -1;
}

// The end of the input: ffmpeg finishes. Returns its exit code, or -1 when a signal ended it.
static int finish(lm_video* video)
{
	close_input(video);
	int code = 0;
	pid_t waited = 0;
	if (video->encoder > 0)
		while ((waited = waitpid(video->encoder, &code, 0)) < 0 && errno == EINTR)
			;
	video->encoder = 0;
	if (waited < 0)
		return 0; // a host that ignores SIGCHLD leaves nothing to wait for; then the file is checked
	return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

static lm_status cancel(lm_video* video, lm_error* error)
{
	close_input(video); // half a frame: nothing can follow
	return lm_fail_at(error, LM_CANCELLED, video->output.path, "", "cancelled after %" PRId64 " frames", video->frames);
}

// Until ffmpeg has ended, which may take long, as it holds dozens of frames back; it is left for finish to wait for.
static lm_status wait_for_end(lm_video* video, lm_error* error)
{
	close_input(video);
	siginfo_t ended = { .si_pid = 0 };
	while (waitid(P_PID, (id_t)video->encoder, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0)
	{
		if (!lm_progress(&video->host, "encoding", 1))
			return cancel(video, error);
		poll(NULL, 0, 10);
	}
	return LM_OK;
}

// The last line that ffmpeg wrote, or what is left to say when there is none.
static void last_words(lm_video* video, char* text, size_t capacity)
{
	snprintf(text, capacity, "it gave no reason, as when the disk is full");
	char tail[1024];
	if (video->messages == NULL || fseek(video->messages, 0, SEEK_END) != 0)
		return;
	long size = ftell(video->messages);
	long begin = size > (long)sizeof tail - 1 ? size - ((long)sizeof tail - 1) : 0;
	if (size <= 0 || fseek(video->messages, begin, SEEK_SET) != 0)
		return;
	size_t length = fread(tail, 1, sizeof tail - 1, video->messages);
	while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == '\r' || tail[length - 1] == ' '))
		--length;
	tail[length] = 0;
	const char* line = strrchr(tail, '\n');
	line = line != NULL ? line + 1 : tail;
	if (*line != 0)
		snprintf(text, capacity, "%.250s", line);
}

static void release(lm_video* video)
{
	lm_host host = video->host;
	if (video->messages != NULL)
		fclose(video->messages);
	lm_output_abandon(&video->output);
	lm_free(&host, video);
}

static lm_status report(lm_video* video, lm_error* error)
{
	finish(video); // its messages are complete only now
	char words[300];
	last_words(video, words, sizeof words);
	return lm_fail_at(error, LM_IO_FAILED, video->output.path, "", "ffmpeg could not write it: %s", words);
}

lm_status lm_video_frame(lm_video* video, const lm_picture* picture, lm_error* error)
{
	assert(video != NULL && picture != NULL && picture->rgb != NULL);
	if (picture->width != video->width || picture->height != video->height)
		return lm_fail_at(error, LM_BAD_INPUT, video->output.path, "",
		                  "a frame of %d x %d pixels in a video of %d x %d", picture->width, picture->height,
		                  video->width, video->height);
	size_t left = 3 * (size_t)picture->width * (size_t)picture->height;
	const uint8_t* next = picture->rgb;
	if (video->socket < 0)
		return report(video, error);
	for (const size_t all = left; left > 0;)
	{
		ssize_t sent = send(video->socket, next, left, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent > 0)
		{
			next += sent;
			left -= (size_t)sent;
			continue;
		}
		if (sent == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK))
			return report(video, error);
		poll(&(struct pollfd){ .fd = video->socket, .events = POLLOUT }, 1, 100);
		if (!lm_progress(&video->host, "encoding", (double)(all - left) / (double)all))
			return cancel(video, error);
	}
	++video->frames;
	return LM_OK;
}

lm_status lm_video_close(lm_video* video, lm_error* error)
{
	assert(video != NULL);
	lm_status status = LM_OK;
	if (video->socket < 0) // a frame has failed before
		status = report(video, error);
	else if (video->frames == 0)
		status = lm_fail_at(error, LM_BAD_INPUT, video->output.path, "", "a video needs at least one frame");
	else
		status = wait_for_end(video, error);
	if (status == LM_OK && finish(video) != 0)
		status = report(video, error);
	if (status == LM_OK && !lm_video_is_whole(video->output.temporary, video->output.path))
		status = report(video, error); // on a full disk ffmpeg may end with 0
	if (status == LM_OK)
	{
		status = lm_output_commit(&video->output, error);
		release(video);
	}
	else
		lm_video_abandon(video);
	return status;
}

void lm_video_abandon(lm_video* video)
{
	if (video == NULL)
		return;
	if (video->encoder > 0)
		kill(video->encoder, SIGKILL);
	finish(video);
	release(video);
}
