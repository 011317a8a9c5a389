// session_step.c: time: frames are computed, kept, gone back to, and told anew from any of them.
//
// The take holds every command with its frame. Behind the newest frame the world follows the take, so that a rewound
// performance plays as it was; frames that are still in memory are not computed again. A command given there cuts the
// take at this frame (and what was cut is written to a file first).
#include "session_inside.h"

#include <stdio.h>
#include <string.h>

// ---- long work ----

// Whether somebody asks for something that makes the running work pointless.
static bool is_overtaken(session* s)
{
	static const char* const reasons[] = { "open", "close", "reload", "edit", "edits", "undo", "redo" };
	bool overtaken = atomic_load(&s->stopping) != 0;
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i)
		overtaken |= inbox_has(s->in, reasons[i]);
	return overtaken || (!s->preparing && (inbox_has(s->in, "pause") || inbox_has(s->in, "rewind")));
}

bool session_progress(const char* what, double done, void* context)
{
	session* s = context;
	double now = lm_clock_seconds();
	if (done < 0 || now - s->busy_time < 0.1) // a frame that has begun is ended, so that it can be gone on from
		return atomic_load(&s->stopping) == 0;
	s->busy_time = now;
	snprintf(s->busy, sizeof s->busy, "%s", what != NULL ? what : "working");
	s->busy_done = done;
	session_show_state(s, true);
	return !is_overtaken(s);
}

static void keep_frame(session* s)
{
	lm_snapshot* snapshot;
	lm_error ignored;
	if (lm_world_snapshot(s->world, &snapshot, &ignored) == LM_OK)
		history_add(s->past, snapshot);
}

void session_prepare(session* s)
{
	lm_error found;
	char error[1024];
	s->preparing = true;
	lm_status status = lm_world_prepare(s->world, &found);
	s->preparing = false;
	s->busy[0] = 0;
	if (status != LM_OK)
	{
		s->playing = false;
		if (status != LM_CANCELLED)
		{
			session_fail(&found, error, sizeof error);
			session_tell(s, EVERYBODY, "error", error, NULL, NULL);
		}
		return;
	}
	keep_frame(s);
	session_show_frame(s);
}

// ---- frames ----

void session_pace(session* s)
{
	s->next_start = s->measured_from = lm_clock_seconds();
	s->measured_frames = 0;
}

// Simulated seconds per second, over half a second and more.
static void measure_speed(session* s, double now)
{
	double passed = now - s->measured_from;
	++s->measured_frames;
	if (passed < 0.5)
		return;
	s->real = s->measured_frames / s->scene->fps / passed;
	s->measured_from = now;
	s->measured_frames = 0;
}

// The next frame starts one frame's time after this one did; who is late does not hurry.
static void pace_frame(session* s, double started)
{
	double now = lm_clock_seconds();
	s->frame_seconds = now - started;
	s->next_start += 1 / (s->scene->fps * s->speed);
	if (s->next_start < now - 0.1)
		s->next_start = now;
	measure_speed(s, now);
}

static bool compute(session* s, char* error, size_t capacity)
{
	lm_error found;
	int64_t frame = lm_world_frame(s->world);
	bool behind = frame < s->newest;
	lm_status status = LM_OK;
	if (behind && s->take != NULL)
		status = lm_take_play(s->take, s->world, &found);
	if (status == LM_OK)
		status = behind || s->take == NULL ? lm_world_step(s->world, &found) : lm_take_step(s->take, s->world, &found);
	s->busy[0] = 0;
	if (status == LM_OK)
		return true;
	const lm_snapshot* last = history_find(s->past, frame);
	lm_error ignored;
	if (last != NULL) // a world that stopped halfway is brought back to a whole frame
		lm_world_restore(s->world, last, &ignored);
	if (status == LM_CANCELLED)
		return error[0] = 0, false;
	return session_fail(&found, error, capacity);
}

// A snapshot is of before the commands of its frame. Those of the newest frame have been given already.
static bool restore(session* s, const lm_snapshot* snapshot, char* error, size_t capacity)
{
	lm_error found;
	lm_status status = lm_world_restore(s->world, snapshot, &found);
	if (status == LM_OK && lm_snapshot_frame(snapshot) == s->newest && s->take != NULL)
		status = lm_take_play(s->take, s->world, &found);
	s->busy[0] = 0;
	return status == LM_OK || session_fail(&found, error, capacity);
}

bool session_step(session* s, char* error, size_t capacity)
{
	double started = lm_clock_seconds();
	int64_t next = lm_world_frame(s->world) + 1;
	const lm_snapshot* known = next <= s->newest ? history_find(s->past, next) : NULL;
	bool there = known != NULL && lm_snapshot_frame(known) == next;
	bool good = there ? restore(s, known, error, capacity) : compute(s, error, capacity);
	if (good && next > history_newest(s->past))
		keep_frame(s);
	if (good && next > s->newest)
	{
		s->newest = next;
		journal_frame(s->log, next);
	}
	pace_frame(s, started);
	return good;
}

// Designed objects and cloth with a guide have nothing to do after the scene's end; what moves by itself goes on, and so
// does what is held or recorded.
bool session_is_over(const session* s)
{
	for (int32_t i = 0; i < s->scene->object_count; ++i)
	{
		const lm_scene_object* object = &s->scene->objects[i];
		const lm_scene_track* cloth = object->track;
		bool led =
			object->design != NULL || (cloth != NULL && (cloth->guide.file[0] != 0 || cloth->guide.object[0] != 0));
		if (!led)
			return false;
	}
	return !s->recording && s->handle_count == 0 && lm_world_time(s->world) > s->scene->seconds - 1e-9;
}

bool session_go_to(session* s, int64_t frame, char* error, size_t capacity)
{
	frame = frame < 0 ? 0 : frame > s->newest ? s->newest : frame;
	const lm_snapshot* from = history_find(s->past, frame);
	if (from == NULL)
		return session_refuse(error, capacity, "there is no frame to go back to yet");
	bool good = restore(s, from, error, capacity);
	while (good && lm_world_frame(s->world) < frame)
		good = session_step(s, error, capacity);
	session_pace(s);
	session_show_frame(s);
	return good;
}

// ---- told anew ----

// Grabs that were recorded and that nobody holds now.
static void release_recorded(session* s)
{
	for (size_t i = 0; i < s->handle_count; ++i)
	{
		int32_t object;
		double place[3], target[3];
		lm_error ignored;
		lm_command release = lm_command_default(LM_COMMAND_RELEASE);
		release.id = s->handles[i].id;
		if (s->handles[i].client < 0 && !s->handles[i].pinned &&
		    lm_world_handle(s->world, release.id, &object, place, target) && s->take != NULL &&
		    lm_take_command(s->take, s->world, &release, &ignored) == LM_OK)
			journal_command(s->log, s->world, &release);
	}
}

void session_punch_in(session* s)
{
	int64_t frame = lm_world_frame(s->world);
	if (frame >= s->newest)
		return;
	char path[PATH_CAPACITY], error[512], stem[256], name[300];
	if (s->take != NULL && lm_take_command_count(s->take) > 0 && lm_take_frames(s->take) > frame)
	{
		path_stem(s->scene_document->path, stem, sizeof stem);
		snprintf(name, sizeof name, "%s-take", stem);
		session_save_take(s, name, false, path, sizeof path, error, sizeof error);
	}
	if (s->take != NULL)
		lm_take_cut(s->take, frame);
	history_cut(s->past, frame);
	s->newest = frame;
	while (s->mark_count > 0 && s->marks[s->mark_count - 1].frame >= frame)
		--s->mark_count;
	for (size_t i = 0; i < s->touched_count; ++i) // what was told later counts no more
		lm_world_setting(s->world, s->touched[i].object, s->touched[i].key, s->touched[i].last);
	journal_cut(s->log, frame);
	release_recorded(s);
}

bool session_tell_world(session* s, int client, const lm_command* command, char* error, size_t capacity)
{
	(void)client;
	lm_error found;
	session_punch_in(s);
	lm_status status = s->take != NULL ? lm_take_command(s->take, s->world, command, &found)
	                                   : lm_world_command(s->world, command, &found);
	if (status != LM_OK)
		return session_fail(&found, error, capacity);
	journal_command(s->log, s->world, command);
	return true;
}
