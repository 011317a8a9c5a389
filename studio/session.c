// session.c: see session.h. The thread's loop.
#include "session_inside.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

session* session_create(const session_settings* settings, char* error, size_t capacity)
{
	session* s = calloc(1, sizeof *s);
	if (s == NULL)
		return snprintf(error, capacity, "out of memory"), NULL;
	s->settings = *settings;
	s->in = settings->in;
	s->out = settings->out;
	s->host = settings->host;
	s->host.progress = session_progress;
	s->host.progress_context = s;
	s->speed = 1;
	snprintf(s->colors, sizeof s->colors, "none");
	pthread_mutex_init(&s->folder_lock, NULL);
	session_choose_folder(s, settings->scene, settings->scene == NULL);
	s->past = history_create(HISTORY_BYTES);
	s->work = jobs_create(&settings->host);
	s->shown_gallery = gallery_create(settings->gallery);
	if (s->past != NULL && s->work != NULL && s->shown_gallery != NULL)
		return s;
	session_destroy(s);
	snprintf(error, capacity, "out of memory");
	return NULL;
}

void session_destroy(session* s)
{
	if (s == NULL)
		return;
	session_close(s);
	jobs_destroy(s->work);
	gallery_destroy(s->shown_gallery);
	history_destroy(s->past);
	free(s->handles);
	free(s->marks);
	free(s->touched);
	pthread_mutex_destroy(&s->folder_lock);
	free(s);
}

static void read_inbox(session* s)
{
	letter l;
	while (atomic_load(&s->stopping) == 0 && inbox_take(s->in, &l))
	{
		session_answer(s, l.client, l.json);
		json_decref(l.json);
	}
}

// Seconds until the next frame is due; large when none is wanted.
static double time_left(session* s)
{
	double now = lm_clock_seconds();
	bool runs = s->world != NULL && s->playing && s->pose == NULL && outlet_is_watched(s->out, now);
	if (!runs)
	{
		session_pace(s);
		return 0.1;
	}
	return s->next_start - now;
}

static void advance(session* s)
{
	char error[1024];
	if (!session_step(s, error, sizeof error))
	{
		s->playing = false;
		if (error[0] != 0)
			session_tell(s, EVERYBODY, "error", error, NULL, NULL);
	}
	if (session_is_over(s))
		s->playing = false;
	session_show_frame(s);
	s->state_changed = true;
}

static void begin(session* s)
{
	char error[1024];
	if (s->settings.scene != NULL && !session_open(s, s->settings.scene, false, error, sizeof error))
		session_tell(s, EVERYBODY, "error", error, NULL, NULL);
	if (s->world != NULL)
		return;
	session_greet(s);
	gallery_draw_pictures(s->shown_gallery);
}

static void* run(void* context)
{
	session* s = context;
	begin(s);
	while (atomic_load(&s->stopping) == 0)
	{
		read_inbox(s);
		double wait = session_go_on_posing(s) ? 0.002 : time_left(s);
		if (wait <= 0)
			advance(s);
		else
			inbox_wait(s->in, wait < 0.1 ? wait : 0.1);
		session_collect_jobs(s);
		gallery_tell_pictures(s->shown_gallery, s->out);
		session_look_at_file(s);
		session_show_state(s, false);
	}
	return NULL;
}

bool session_start(session* s)
{
	sigset_t all, before; // signals are for the thread that runs the network
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	bool good = pthread_create(&s->thread, NULL, run, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return good;
}

void session_stop(session* s)
{
	atomic_store(&s->stopping, 1);
	jobs_cancel_all(s->work);
	inbox_wake(s->in);
	pthread_join(s->thread, NULL);
}

message* session_picture(const char* name, void* context)
{
	return gallery_picture(((session*)context)->shown_gallery, name);
}

// ---- files that are dropped on the page ----

static bool is_wanted(const char* name)
{
	static const char* const endings[] = { ".json", ".obj", ".ply", ".stl",  ".msh", ".node",
		                                   ".ele",  ".pc2", ".mdd", ".take", ".mtl" };
	bool wanted = false;
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
		wanted |= name_has_ending(name, endings[i]);
	return wanted;
}

static bool has_content(const char* path, const void* bytes, size_t size)
{
	size_t length;
	char* there = file_read(path, size, &length);
	bool same = there != NULL && length == size && memcmp(there, bytes, size) == 0;
	free(there);
	return same;
}

bool session_store(const char* name, const void* bytes, size_t size, char* answer, size_t capacity, void* context)
{
	session* s = context;
	char folder[PATH_CAPACITY], path[PATH_CAPACITY], stem[256];
	if (!name_is_safe(name) || !is_wanted(name))
		return session_refuse(
			answer, capacity,
			"%.80s: must be a scene (.json), a mesh (.obj, .ply, .stl, .msh) or a cache (.pc2, .mdd), "
			"named by letters, digits and dashes",
			name);
	pthread_mutex_lock(&s->folder_lock);
	snprintf(folder, sizeof folder, "%s", s->folder);
	pthread_mutex_unlock(&s->folder_lock);
	if (!folder_make(folder) || !path_join(folder, name, path, sizeof path))
		return session_refuse(answer, capacity, "%s: the folder cannot be made", folder);
	path_stem(name, stem, sizeof stem);
	if (!has_content(path, bytes, size) &&
	    (!path_fresh(folder, stem, strrchr(name, '.'), path, sizeof path) || !file_write(path, bytes, size)))
		return session_refuse(answer, capacity, "%s: cannot be written", path);
	snprintf(answer, capacity, "%s", path_name(path));
	return true;
}
