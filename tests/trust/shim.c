// shim.c: a library that is put between limber and the system (LD_PRELOAD), for tests of what a disk may do. The C
// library's own streams write past it, so their files are looked at when they are flushed, synced or renamed.
//
//   SHIM_RECORD=FILE        what happens to files is written to FILE (powercut.py reads it): records of a letter, the
//                           lengths of two names and of the data, an offset, then those bytes
//   SHIM_FAIL=N:ERRNO       the N-th call that changes a file fails with this error, and all after it when N has a "+"
//   SHIM_FAIL_NAME=NAME     files whose name has this in it cannot be made
//   SHIM_HANG=FILE          syncing a file takes for ever, as on a disk that does not answer; FILE is made then
//   SHIM_COUNT=FILE         how many such calls there were is written to FILE at the end
//   SHIM_CLOCK=1            every look at the clock finds it a second later: checkpoints by time come often, and
//                           whether they do hangs on nothing else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;

// ---- failing ----

static bool fails(void)
{
	const char* wish = getenv("SHIM_FAIL");
	pthread_mutex_lock(&lock);
	int call = ++calls;
	pthread_mutex_unlock(&lock);
	if (wish == NULL)
		return false;
	int at = 0, code = EIO;
	bool lasts = strchr(wish, '+') != NULL;
	if (sscanf(wish, lasts ? "%d+:%d" : "%d:%d", &at, &code) < 1 || call < at || (call > at && !lasts))
		return false;
	errno = code;
	return true;
}

__attribute__((destructor)) static void tell_count(void)
{
	const char* path = getenv("SHIM_COUNT");
	int file = path != NULL ? REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (file < 0)
		return;
	dprintf(file, "%d\n", calls);
	close(file);
}

// ---- recording ----

typedef struct record
{
	char kind; // W write, C whole content, T truncate, F sync of a file, D of a folder, R rename, U unlink
	uint32_t first, second;
	uint64_t bytes, offset;
} record;

static void put(char kind, const char* first, const char* second, const void* data, size_t bytes, uint64_t offset)
{
	const char* path = getenv("SHIM_RECORD");
	if (path == NULL)
		return;
	int saved = errno;
	pthread_mutex_lock(&lock);
	int file = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	record r = { kind, (uint32_t)strlen(first), (uint32_t)strlen(second), bytes, offset };
	const void* parts[] = { &r, first, second, data };
	const size_t sizes[] = { sizeof r, r.first, r.second, bytes };
	for (int i = 0; i < 4 && file >= 0; ++i)
		if (REAL(write)(file, parts[i], sizes[i]) != (ssize_t)sizes[i])
			abort();
	if (file >= 0)
		close(file);
	pthread_mutex_unlock(&lock);
	errno = saved;
}

// The name that an open file has now.
static void name_of(int descriptor, char* name, size_t capacity)
{
	char link[64];
	snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
	ssize_t length = readlink(link, name, capacity - 1);
	name[length > 0 ? length : 0] = 0;
}

static void absolute(const char* path, char* name, size_t capacity)
{
	char folder[4096];
	snprintf(name, capacity, "%s%s%s", path[0] == '/' || getcwd(folder, sizeof folder) == NULL ? "" : folder,
	         path[0] == '/' ? "" : "/", path);
}

static void put_content(const char* name)
{
	struct stat facts;
	if (getenv("SHIM_RECORD") == NULL)
		return;
	int saved = errno, file = REAL(open)(name, O_RDONLY | O_CLOEXEC);
	if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
	{
		char* data = malloc((size_t)facts.st_size + 1);
		ssize_t got = pread(file, data, (size_t)facts.st_size, 0);
		put('C', name, "", data, got > 0 ? (size_t)got : 0, 0);
		free(data);
	}
	if (file >= 0)
		close(file);
	errno = saved;
}

// ---- what limber calls ----

EXPORT FILE* fopen(const char* path, const char* mode)
{
	const char* unwanted = getenv("SHIM_FAIL_NAME");
	if (mode[0] != 'r' && unwanted != NULL && strstr(path, unwanted) != NULL)
	{
		errno = EACCES;
		return NULL;
	}
	if (mode[0] != 'r' && fails())
		return NULL;
	return REAL(fopen)(path, mode);
}

EXPORT int open(const char* path, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	if ((flags & O_ACCMODE) != O_RDONLY && strncmp(path, "/dev/", 5) != 0 && fails())
		return -1;
	return REAL(open)(path, flags, mode);
}

EXPORT ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t offset)
{
	char name[4096];
	if (fails())
		return -1;
	ssize_t done = REAL(pwrite)(descriptor, data, bytes, offset);
	name_of(descriptor, name, sizeof name);
	put('W', name, "", data, done > 0 ? (size_t)done : 0, (uint64_t)offset);
	return done;
}

EXPORT int ftruncate(int descriptor, off_t size)
{
	char name[4096];
	if (fails())
		return -1;
	name_of(descriptor, name, sizeof name);
	put('T', name, "", NULL, 0, (uint64_t)size);
	return REAL(ftruncate)(descriptor, size);
}

EXPORT int fflush(FILE* file)
{
	char name[4096];
	if (file == NULL || file == stdout || file == stderr)
		return REAL(fflush)(file);
	int done = REAL(fflush)(file);
	if (fails())
		return EOF;
	name_of(fileno(file), name, sizeof name);
	put_content(name);
	return done;
}

EXPORT int fclose(FILE* file)
{
	bool written = fileno(file) >= 0 && (fcntl(fileno(file), F_GETFL) & O_ACCMODE) != O_RDONLY;
	int done = REAL(fclose)(file);
	return written && fails() ? EOF : done;
}

static void hang(void)
{
	const char* sign = getenv("SHIM_HANG");
	if (sign == NULL)
		return;
	close(REAL(open)(sign, O_WRONLY | O_CREAT, 0666));
	for (;;)
		pause();
}

EXPORT int fsync(int descriptor)
{
	char name[4096];
	struct stat facts;
	hang();
	if (fails())
		return -1;
	name_of(descriptor, name, sizeof name);
	bool folder = fstat(descriptor, &facts) == 0 && S_ISDIR(facts.st_mode);
	if (!folder)
		put_content(name);
	put(folder ? 'D' : 'F', name, "", NULL, 0, 0);
	return 0; // the disk is only played
}

EXPORT int rename(const char* from, const char* to)
{
	char first[8192], second[8192];
	if (fails())
		return -1;
	absolute(from, first, sizeof first);
	absolute(to, second, sizeof second);
	put_content(first);
	int done = REAL(rename)(from, to);
	if (done == 0)
		put('R', first, second, NULL, 0, 0);
	return done;
}

EXPORT int unlink(const char* path)
{
	char name[8192];
	absolute(path, name, sizeof name);
	int done = REAL(unlink)(path);
	if (done == 0)
		put('U', name, "", NULL, 0, 0);
	return done;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec* now)
{
	static int looks;
	int done = REAL(clock_gettime)(clock, now);
	if (getenv("SHIM_CLOCK") != NULL && done == 0 && clock == CLOCK_MONOTONIC)
		now->tv_sec += __atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED);
	return done;
}
