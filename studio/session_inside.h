// session_inside.h: shared by the files of the session. All of it belongs to the simulating thread, except where said.
#ifndef STUDIO_SESSION_INSIDE_H
#define STUDIO_SESSION_INSIDE_H

#include "document.h"
#include "folder.h"
#include "frames.h"
#include "gallery.h"
#include "history.h"
#include "jobs.h"
#include "journal.h"
#include "session.h"

#include <pthread.h>

#define HISTORY_BYTES ((size_t)128 << 20)
#define CLIENT_IDS 10000 // grabs of a page have ids below this; those of page c become c x CLIENT_IDS + id

// A grab or pin that was made in this performance.
typedef struct handle_note
{
	int32_t id;
	int client; // that holds it; -1: nobody any more
	bool pinned;
} handle_note;

// A command on the timeline.
typedef struct mark
{
	int64_t frame;
	char label[32];
} mark;

// A step that can be undone: a setting, or the whole text of the scene.
typedef struct undo_step
{
	char label[64];
	char *before, *after; // texts of the scene; NULL: a setting
	int32_t object;
	char key[64];
	int32_t width;
	double from[4], to[4];
	lm_command* plan; // keys of designed objects; with texts: those that were written into them. NULL: none
	int32_t plan_count;
} undo_step;

#define UNDO_MAX 100

// A live setting that was changed, so that its value is told to the pages.
typedef struct touched_setting
{
	int32_t object;
	char key[64];
	double last[4]; // what was told last, whatever frame is shown
} touched_setting;

struct pose_mode;
struct paint_stroke;

struct session
{
	session_settings settings;
	inbox* in;
	outlet* out;
	lm_host host;
	pthread_t thread;
	atomic_int stopping;
	gallery* shown_gallery; // has its own lock
	jobs* work;             // likewise

	// where files go; read by the network thread under the lock
	pthread_mutex_t folder_lock;
	char folder[PATH_CAPACITY];

	// what is open
	document* scene_document; // NULL: the gallery's page
	lm_scene* scene;
	lm_world* world;
	lm_take* take;
	history* past;
	journal* log;
	uint32_t generation;
	int32_t opened;    // how many scenes have been: pages tell an edited one from another by it
	int64_t file_time; // of the scene's file, when it was read

	// transport
	bool playing, recording;
	double speed;
	int64_t newest;    // frame that has been computed
	double next_start; // when the next frame is due
	double real;       // simulated seconds per second, lately
	double measured_from, measured_frames;
	double frame_seconds;
	uint32_t newest_command;

	// what was told
	handle_note* handles;
	size_t handle_count, handle_capacity;
	mark* marks;
	size_t mark_count, mark_capacity;
	touched_setting* touched;
	size_t touched_count, touched_capacity;
	lm_command* plan; // keys of designed objects, as the take has them before all else
	int32_t plan_count;
	undo_step undo[UNDO_MAX];
	int undo_count, redo_count; // steps [0, undo_count) can be undone, the redo_count after them redone

	// what pages see
	bool overlay, colors_shown, lattice_shown, cage_shown;
	char colors[80];
	struct pose_mode* pose;      // NULL: off
	struct paint_stroke* stroke; // that is being painted, or NULL
	bool state_changed, takes_changed, preparing;
	double state_time, busy_time, file_check_time;
	char busy[80]; // "": not
	double busy_done;
	json_t* recover; // what the journal offers, or NULL
};

typedef bool (*session_handler)(session* s, int client, json_t* json, char* error, size_t capacity);

// ---- session_answer.c: what a page asks for ----
void session_answer(session* s, int client, json_t* json);
void session_tell(session* s, int client, const char* level, const char* text, json_t* seq, const char* file);
void session_send(session* s, int client, json_t* json); // takes it over
bool session_refuse(char* error, size_t capacity, const char* format, ...) __attribute__((format(printf, 3, 4)));
// The sentence of an error of the library, in `error`; returns false.
bool session_fail(const lm_error* found, char* error, size_t capacity);
// Text, number and flag of a message, or what is usual.
const char* session_text(const json_t* json, const char* key);
double session_number(const json_t* json, const char* key, double usual);

// ---- session_open.c ----
bool session_open(session* s, const char* path, bool foreign, char* error, size_t capacity);
void session_close(session* s);
void session_choose_folder(session* s, const char* scene_path, bool foreign); // where files go
// The world anew, from the document as it is now. On failure the old one stays.
bool session_make_world(session* s, char* error, size_t capacity);
void session_greet(session* s);
void session_look_at_file(session* s); // reloads a scene whose file has changed
bool session_do_open(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_close(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_reload(session* s, int client, json_t* json, char* error, size_t capacity);

// ---- session_step.c: time ----
void session_prepare(session* s);
bool session_step(session* s, char* error, size_t capacity); // one frame on
bool session_is_over(const session* s);                      // everything in it is led, and what leads it has ended
bool session_go_to(session* s, int64_t frame, char* error, size_t capacity);
void session_punch_in(session* s); // what lies ahead is told anew from here
bool session_tell_world(session* s, int client, const lm_command* command, char* error, size_t capacity);
void session_pace(session* s); // forgets how late it is
bool session_progress(const char* what, double done, void* session);

// ---- session_transport.c ----
bool session_do_play(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_pause(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_step(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_rewind(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_speed(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_record(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_take(session* s, int client, json_t* json, char* error, size_t capacity);
json_t* session_list_takes(session* s);
bool session_load_take(session* s, const char* path, char* error, size_t capacity);
bool session_save_take(session* s, const char* stem, bool overwrite, char* path, size_t path_capacity, char* error,
                       size_t capacity);

// ---- session_command.c ----
bool session_do_command(session* s, int client, json_t* json, char* error, size_t capacity);
void session_note_touched(session* s, const lm_command* command);
void session_release_client(session* s, int client); // what it holds
void session_forget_told(session* s);
json_t* session_touched(session* s);

// ---- session_plan.c: keys of designed objects ----
bool session_plans(const session* s, const lm_command* command);
bool session_plan(session* s, const lm_command* commands, int32_t count, char* error, size_t capacity);
bool session_unplan(session* s, int32_t count, char* error, size_t capacity); // takes back the last
void session_plan_again(session* s);                                          // in a new world
void session_forget_plan(session* s);
bool session_put_plan(session* s, const lm_command* commands, int32_t count); // what a new world will be planned by
json_t* session_list_keys(session* s);

// ---- session_edit.c ----
void session_note_plan(session* s, const lm_command* commands, int32_t count, const char* label);
bool session_do_edit(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_edits(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_write(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_save(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_undo(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_redo(session* s, int client, json_t* json, char* error, size_t capacity);
void session_note_setting(session* s, const lm_command* command, const double from[4], int32_t width);
// Changes the document by `edits`, a list of {"path", "value"}, as one step, and makes the world anew.
bool session_edit(session* s, json_t* edits, const char* label, char* error, size_t capacity);
bool session_save(session* s, const char* name, bool overwrite, char* error, size_t capacity);
void session_forget_undo(session* s);
// A document that must not be written to, or lies elsewhere than the studio writes, moves there, in memory.
bool session_bring_home(session* s, char* error, size_t capacity);

// ---- session_add.c: objects and colliders ----
bool session_do_add(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_copy(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_remove(session* s, int client, json_t* json, char* error, size_t capacity);

// ---- session_show.c: what pages see ----
void session_show_frame(session* s);
void session_show_state(session* s, bool at_once);
void session_show_colors(session* s);
bool session_do_show(session* s, int client, json_t* json, char* error, size_t capacity);

// ---- session_keep.c ----
bool session_do_keep(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_cancel(session* s, int client, json_t* json, char* error, size_t capacity);
void session_collect_jobs(session* s); // says what has been done

// ---- session_recover.c: what the journal holds ----
void session_offer_recovery(session* s);
// In the gallery, before anything was opened: the name of what an earlier run left something of, or NULL.
json_t* session_left_behind(const session* s);
bool session_do_recover(session* s, int client, json_t* json, char* error, size_t capacity);

// ---- session_pose.c and session_paint.c ----
bool session_do_pose(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_handle(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_handle_move(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_handle_remove(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_volume(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_pose_undo(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_pose_reset(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_keep_pose(session* s, int client, json_t* json, char* error, size_t capacity);
frame_override session_pose_override(session* s);
void session_end_pose(session* s);
bool session_go_on_posing(session* s); // while nobody moves a handle; false: it is done
bool session_do_paint(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_paint_open(session* s, int client, json_t* json, char* error, size_t capacity);
bool session_do_paint_use(session* s, int client, json_t* json, char* error, size_t capacity);

void session_end_stroke(session* s);

#endif
