// interrupts.c: Ctrl-C and SIGTERM. The first asks the work to end, which it does at the next whole frame, picture or
// file. Where that takes longer than a moment (a long step, a library that cannot be asked) the program ends as it is:
// outputs have other names until they are whole, and the last checkpoint stays. The second one ends it at once.
#include "cli.h"

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

static const struct timespec patience = { .tv_nsec = 700000000 };

static void on_interrupt(int signal_number)
{
	interrupted = signal_number;
	signal(SIGINT, SIG_DFL); // a second one, of either kind, ends the program at once
	signal(SIGTERM, SIG_DFL);
	sem_post(&watch.asked);
}

static void* end_in_time(void* nothing)
{
	while (sem_wait(&watch.asked) != 0)
		;
	nanosleep(&patience, NULL);
	fprintf(stderr, "%slimber: interrupted; %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", watch.advice);
	_exit(128 + interrupted);
	return nothing;
}

void catch_interrupts(const char* advice)
{
	watch.advice = advice;
	signal(SIGINT, on_interrupt);
	signal(SIGTERM, on_interrupt);
	signal(SIGPIPE, SIG_IGN); // nobody may be listening any more: no reason to end the work
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
