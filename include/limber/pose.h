// pose.h: posing by hand: handles are put on a surface, fixed or dragged, and the surface follows naturally (Adams et
// al. 2009, section 5; design.h has the posing itself).
//
//   lm_pose_session* session;
//   if (lm_pose_session_create(world, 0, LM_POSE_REST, &session, &error) != LM_OK)
//       return error.status;
//   lm_pose_grip grip = lm_pose_grip_default();
//   grip.id = 1, grip.triangle = 812, grip.place[0] = 1;
//   if (lm_pose_session_put(session, &grip, &error) != LM_OK ||
//       lm_pose_session_move(session, 1, target, NULL, &error) != LM_OK)
//       return error.status;
//   lm_pose_session_step(session); // once for each move of the hand
//   draw(lm_pose_session_positions(session));
//   lm_pose_session_destroy(session);
//
// The result is a mesh that `match` and `act` take as example pose and `design` as pose of a key. All places are those
// of the scene, as the object is shown.
#ifndef LIMBER_POSE_H
#define LIMBER_POSE_H

#include "limber/command.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef enum lm_pose_start
{
	LM_POSE_REST, // the rest shape, where the object starts
	LM_POSE_NOW   // the shape of the moment, where it is
} lm_pose_start;

typedef struct lm_pose_session lm_pose_session;

// Of an object of a world, which is left as it is and may go on. LM_BAD_INPUT, in words, for what cannot be posed:
// cloth and other surfaces that enclose nothing. Bodies in the plane stay in it, whatever hands ask for. Takes up to
// some seconds; reports progress.
LM_API lm_status lm_pose_session_create(lm_world* world, int32_t object, lm_pose_start start, lm_pose_session** session,
                                        lm_error* error);
// Of a mesh: its triangles, or those around its tetrahedra.
LM_API lm_status lm_pose_session_create_mesh(const lm_mesh* mesh, const lm_host* host, lm_pose_session** session,
                                             lm_error* error);
LM_API void lm_pose_session_destroy(lm_pose_session* session);

// A handle on a patch of the surface.
typedef struct lm_pose_grip
{
	int32_t id;       // chosen by the caller; no two at a time may have the same
	int32_t triangle; // of the surface that is shown
	double place[3];  // barycentric coordinates in it
	double radius;    // metres around the place, along the surface; default 0: a twentieth of the surface's size
	double weight;    // 0 .. 1e6, default 1: how strongly it is held
	bool hard;        // held a thousand times as strongly: met to less than can be seen
} lm_pose_grip;
LM_API lm_pose_grip lm_pose_grip_default(void);

// A new handle stays where the surface is until it is moved.
LM_API lm_status lm_pose_session_put(lm_pose_session* session, const lm_pose_grip* grip, lm_error* error);
// Its middle shall be at `to`; rotation (unit quaternion, w first; may be NULL: as it is) turns it from how it was put.
LM_API lm_status lm_pose_session_move(lm_pose_session* session, int32_t id, const double to[3],
                                      const double rotation[4], lm_error* error);
LM_API lm_status lm_pose_session_remove(lm_pose_session* session, int32_t id, lm_error* error);
LM_API lm_status lm_pose_session_set_volume(lm_pose_session* session, bool on, lm_error* error); // whether it is kept
LM_API lm_status lm_pose_session_reset(lm_pose_session* session, lm_error* error); // no handles, the shape as it began

// Takes back the last of these; moves of one handle in a row count as one. LM_BAD_INPUT when there is nothing.
LM_API bool lm_pose_session_can_undo(const lm_pose_session* session);
LM_API lm_status lm_pose_session_undo(lm_pose_session* session, lm_error* error);

typedef struct lm_pose_report
{
	double energy;       // of the pose and its handles (lm_design_pose_report)
	double handle_error; // farthest that a handle is from where it shall be, metres
	double least_volume; // smallest local change of volume (1 at the start; below 0 is inside out)
	bool converged;
	double seconds; // that it took
} lm_pose_report;

LM_API lm_pose_report lm_pose_session_step(lm_pose_session* session);   // one posing step: what a moving hand needs
LM_API lm_pose_report lm_pose_session_settle(lm_pose_session* session); // all the way

// The surface now, and its triangles: as many vertices, in the same order, as the object is shown with.
LM_API int32_t lm_pose_session_vertex_count(const lm_pose_session* session);
LM_API int32_t lm_pose_session_triangle_count(const lm_pose_session* session);
LM_API const int32_t* lm_pose_session_triangles(const lm_pose_session* session);
LM_API const double* lm_pose_session_positions(const lm_pose_session* session); // valid until the next call

typedef struct lm_pose_handle
{
	int32_t id;
	double at[3], to[3]; // where its middle is, and shall be
	bool hard;
} lm_pose_handle;
LM_API int32_t lm_pose_session_handle_count(const lm_pose_session* session);
LM_API lm_pose_handle lm_pose_session_handle(const lm_pose_session* session, int32_t i);

// The pose as a mesh to be written (lm_mesh_write) and named in a scene as an example, or as the pose of a key: in the
// coordinates of the object's files, with the vertices that such a file must have.
LM_API lm_status lm_pose_session_mesh(const lm_pose_session* session, lm_mesh** mesh, lm_error* error);

// The pose of an object of `design` as commands (lm_world_plan): a key at a time, and handles that make the pose. Those
// of the session where it began at rest and keeps the volume; else as many as it takes to hold the surface where it is.
// The first `capacity` of them; how many there are. 0 for other objects, and when out of memory.
LM_API int32_t lm_pose_session_commands(const lm_pose_session* session, double time, bool via, lm_command* commands,
                                        int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
