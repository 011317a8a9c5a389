// command.h: directing a world while it moves: what a hand, a key or a program tells an object between two frames.
//
//   lm_command grab = lm_command_default(LM_COMMAND_GRAB);
//   grab.object = 0, grab.id = 1, grab.triangle = 812, grab.place[0] = 1;
//   lm_status status = lm_world_command(world, &grab, &error);
//   if (status == LM_OK)
//       status = lm_world_step(world, &error);
//
// Commands are applied in the order in which they come, before the next frame. What a command says counts instead of
// the scene's timeline until it is released. Commands are part of the state: checkpoints, snapshots and hashes know
// them.
#ifndef LIMBER_COMMAND_H
#define LIMBER_COMMAND_H

#include "limber/world.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef enum lm_command_kind
{
	// springs take hold of a patch of the shown surface: object, id, triangle, place, radius, frequency
	LM_COMMAND_GRAB,
	LM_COMMAND_PIN,     // a patch is held where it is: object, id, triangle, place, radius
	LM_COMMAND_MOVE,    // a grab or pin moves, so that it is at `to` at the end of the next frame: id, to
	LM_COMMAND_RELEASE, // a grab or pin ends: id
	LM_COMMAND_PUSH,    // an impulse `to` (N s) at a patch: object, triangle, place, radius
	LM_COMMAND_EXAMPLE, // strength of an example of `match`: object, example, strength
	LM_COMMAND_SET,     // a number of the engine's settings: object, key, value
	LM_COMMAND_DO,      // a behaviour of `act`: object, act
	// a setting (key not ""), an example, or (example -1) the behaviour, or all keys of `design`, follow the timeline
	// again: object, key, example
	LM_COMMAND_FREE,

	// Keys of `design`, and the handles of their poses. The motion is found anew from its beginning, at once, and goes
	// on from where it has the object now.
	LM_COMMAND_KEY, // at `time` the shape at rest, or what its handles make of it: object, time, via, to, rotation
	LM_COMMAND_REMOVE_KEY,    // object, time
	LM_COMMAND_HANDLE,        // holds or moves a part of the surface in the key at `time`: all from `time` on, below
	LM_COMMAND_REMOVE_HANDLE, // object, time, and group, vertex or triangle and place
	LM_COMMAND_MOVE_KEY,      // the key at `time` is at `to_time` instead: object, time, to_time
} lm_command_kind;

typedef struct lm_command
{
	lm_command_kind kind;
	int32_t object;   // index, default 0
	int32_t id;       // of a grab or pin, chosen by the caller; no two at a time may have the same
	int32_t triangle; // of the object's shown surface (lm_world_surface)
	double place[3];  // barycentric coordinates in it: what was picked moves on with the body
	double radius;    // metres around the place; default 0: a tenth of the object's size
	double frequency; // Hz, above 0, default 3: how fast the springs of a grab pull, alike for light and heavy bodies
	double to[3];     // metres, or N s
	int32_t example;  // default -1
	double strength;  // 0 .. 1
	char key[64];     // "beta", as in scene files
	double value[4];  // as many as the key has; 0 or 1 for flags, the number of a choice
	lm_act_command act;

	// Of keys of `design` and their handles. A handle is known by what it holds: told again it moves.
	double time;    // seconds: of the key
	double to_time; // likewise: where a key is moved to
	bool via;       // the key only shows the search a way
	char group[64]; // of vertices, that a handle holds; default "": a patch
	// Middle of the patch, a vertex of the object's mesh; default -1: that nearest to `place`. It reaches as far as
	// `radius` along the surface; default: the vertex alone, around a `place` a twentieth of the object's size.
	int32_t vertex;
	bool stays; // the handle holds its part where it is at rest, or was moved to before: `to` does not count
	// Unit quaternion, w first: how a handle is turned from the shape at rest; the place of a key, with `to` where the
	// mesh's origin is. Default zeros: as it is; a key is where the motion has the object then.
	double rotation[4];
	double weight; // 0 .. 1e6, default 1: how strongly a handle is held
	bool hard;     // a thousand times as strongly
} lm_command;
LM_API lm_command lm_command_default(lm_command_kind kind);

// LM_BAD_INPUT, in words, for what cannot be done; the world is then as before.
LM_API lm_status lm_world_command(lm_world* world, const lm_command* command, lm_error* error);

// Several commands about keys and handles: all are done or none, and the motion is found once.
LM_API lm_status lm_world_plan(lm_world* world, const lm_command* commands, int32_t count, lm_error* error);

// The keys of an object of `design` as they are now: how many; the first `capacity` of them. 0 for other objects.
typedef struct lm_world_key
{
	double time, until; // seconds; until < time: a moment
	bool via, part;     // part: of a group only
	bool told;          // by a command
	int32_t handle_count;
} lm_world_key;
LM_API int32_t lm_world_keys(const lm_world* world, int32_t object, lm_world_key* keys, int32_t capacity);

// The scene of the world, given as its text, with the keys as they are now. Freed with lm_text_free.
LM_API lm_status lm_world_keys_scene(const lm_world* world, const char* document, size_t size, char** text,
                                     lm_error* error);

// Commands as JSON text, as takes and the studio have them: {"do": "grab", "object": "bear", "id": 1, "triangle": 812,
// "at": [0.2, 0.5, 0.3]}. Mistakes get the sentences and suggestions that scenes get. The text is freed with
// lm_text_free.
LM_API lm_status lm_command_parse(const lm_world* world, const char* text, size_t size, lm_command* command,
                                  lm_error* error);
LM_API char* lm_command_text(const lm_world* world, const lm_command* command);

// Where a grab or pin is now, and where it is drawn to: false when there is none of this id.
LM_API bool lm_world_handle(const lm_world* world, int32_t id, int32_t* object, double place[3], double target[3]);

// What has been told, to be shown. A live setting as it is now: how many numbers it has, 0 when there is no such key.
LM_API int32_t lm_world_setting(const lm_world* world, int32_t object, const char* key, double value[4]);
// The strength that an example was told, NAN when it follows the timeline; the behaviour, or NULL likewise.
LM_API double lm_world_example(const lm_world* world, int32_t object, int32_t example);
LM_API const char* lm_world_behaviour(const lm_world* world, int32_t object);

// The whole state in memory, to go back to. A snapshot belongs to worlds of the same scene and SIMD level.
typedef struct lm_snapshot lm_snapshot;
LM_API lm_status lm_world_snapshot(const lm_world* world, lm_snapshot** snapshot, lm_error* error);
LM_API lm_status lm_world_restore(lm_world* world, const lm_snapshot* snapshot, lm_error* error);
LM_API int64_t lm_snapshot_frame(const lm_snapshot* snapshot);
LM_API size_t lm_snapshot_bytes(const lm_snapshot* snapshot);
LM_API void lm_snapshot_destroy(lm_snapshot* snapshot);

// ---- takes: performances that can be repeated ----

typedef struct lm_take lm_take;

// An empty take of a world; it should be at its first frame.
LM_API lm_status lm_take_create(const lm_world* world, lm_take** take, lm_error* error);
LM_API void lm_take_destroy(lm_take* take);
// lm_world_command and lm_world_step, noted: a command with its frame, and a hash (lm_world_motion_hash) every 24
// frames.
LM_API lm_status lm_take_command(lm_take* take, lm_world* world, const lm_command* command, lm_error* error);
LM_API lm_status lm_take_step(lm_take* take, lm_world* world, lm_error* error);
LM_API lm_status lm_take_mark(lm_take* take, const lm_world* world, lm_error* error); // a hash now: at the end
// Forgets what was told at this frame and later: after a rewind to it.
LM_API void lm_take_cut(lm_take* take, int64_t frame);
// Keys and handles at the first frame, before all else that is told there: the motion is another one from its
// beginning. The world must be at its first frame, before any command of the take; those that the take has of this
// kind and these are given to it, and these are noted. All or none; hashes are forgotten, for what follows moves
// differently. lm_take_cut leaves them.
LM_API lm_status lm_take_plan(lm_take* take, lm_world* world, const lm_command* commands, int32_t count,
                              lm_error* error);
// Takes back the last `count` of those; the world likewise.
LM_API lm_status lm_take_unplan(lm_take* take, lm_world* world, int32_t count, lm_error* error);
LM_API int32_t lm_take_plan_count(const lm_take* take);
LM_API int64_t lm_take_command_count(const lm_take* take);
LM_API int64_t lm_take_frames(const lm_take* take); // that it lasts
LM_API lm_simd lm_take_simd(const lm_take* take);
// Whether this very build of limber recorded it; another one may move differently.
LM_API bool lm_take_is_ours(const lm_take* take);

// LM_BAD_INPUT when the take is of another scene or SIMD level.
LM_API lm_status lm_take_fits(const lm_take* take, const lm_world* world, lm_error* error);
// Gives the commands of the frame that comes next.
LM_API lm_status lm_take_play(const lm_take* take, lm_world* world, lm_error* error);
// False when the take has a hash for where the world is now, and the world has another one.
LM_API bool lm_take_agrees(const lm_take* take, const lm_world* world);

// A scene, as JSON, whose timeline says what the commands of the take did: grabs become drags, pins pins, pushes
// pushes, strengths and settings keys, behaviours commands, keys and handles of `design` its keys. `document` is the
// text of the scene that the world was made from; the world must be at its first frame, and the take is repeated in it.
// The written scene moves as the take, to the bit; only a motion of `design` that was changed on the way is there as it
// was at last from the beginning. thin > 0 (metres): places of grabs that differ by less from a straight line are left
// out, which is easier to edit, but changes the motion. The text is freed with lm_text_free.
LM_API lm_status lm_take_scene(const lm_take* take, lm_world* world, const char* document, size_t size, double thin,
                               char** text, lm_error* error);

LM_API lm_status lm_take_write(const lm_take* take, const lm_world* world, const char* path, lm_error* error);
LM_API lm_status lm_take_read(const char* path, const lm_world* world, lm_take** take, lm_error* error);
// The SIMD level that a world must be made for to repeat the take in a file.
LM_API lm_status lm_take_level(const char* path, const lm_host* host, lm_simd* simd, lm_error* error);

#ifdef __cplusplus
}
#endif
#endif
