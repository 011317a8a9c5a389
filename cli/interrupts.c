// interrupts.c: Ctrl-C and SIGTERM. The first asks the work to end, which it does at the next whole frame, picture or
// file. Where that takes longer than a moment (a long step, a library that cannot be asked) the program ends as it is:
// outputs have other names until they are whole, and the last checkpoint stays. The second one ends it at once.
#include "cli.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

volatile int interrupted;

static struct
{
	sem_t asked; // to end
	const char* advice;
	bool watched;
} watch;

static const struct timespec patience = { .tv_nsec = 500000000 };

static void on_interrupt(int signal_number)
{
	interrupted = signal_number;
	signal(SIGINT, SIG_DFL); // a second one, of either kind, ends the program at once
	signal(SIGTERM, SIG_DFL);
	sem_post(&watch.asked);
}

// Past stderr's buffer, which the work may hold while it waits for a reader that does not read; then nothing is said.
static void say_advice(void)
{
	char text[512];
	int length = snprintf(text, sizeof text, "%slimber: interrupted; %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "",
	                      watch.advice);
	struct pollfd stream = { .fd = STDERR_FILENO, .events = POLLOUT };
	if (poll(&stream, 1, 0) == 1 && (stream.revents & POLLOUT) && write(STDERR_FILENO, text, (size_t)length) < 0)
		return;
}

static void* end_in_time(void* nothing)
{
	while (sem_wait(&watch.asked) != 0)
		;
	nanosleep(&patience, NULL);
	say_advice();
	_exit(128 + interrupted);
	return nothing;
}

void catch_interrupts(const char* advice)
{
	watch.advice = advice;
	signal(SIGINT, on_interrupt);
	signal(SIGTERM, on_interrupt);
	pthread_t watcher;
	if (advice != NULL && !watch.watched && sem_init(&watch.asked, 0, 0) == 0 &&
	    pthread_create(&watcher, NULL, end_in_time, NULL) == 0)
	{
		watch.watched = true;
		pthread_detach(watcher);
	}
}

int final_code(int code)
{
	return code == EXIT_INTERRUPTED && interrupted != 0 ? 128 + interrupted : code;
}
