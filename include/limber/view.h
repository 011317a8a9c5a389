// view.h: seeing and describing a world: what a studio, a notebook or a modelling program shows beside the surfaces of
// limber/world.h. Nothing here changes a world: hashes before and after are the same.
//
//   lm_world_marks_view marks;
//   lm_status status = lm_world_marks(world, 0, &marks, &error);
//   for (int32_t i = 0; status == LM_OK && i < marks.contact_count; ++i)
//       draw_point(marks.contacts + 3 * i);
//
// Views are the world's memory. They stay valid until the same function is called again for the same world, or the
// world changes (a command, a step, a restore). One world is used by one thread at a time.
#ifndef LIMBER_VIEW_H
#define LIMBER_VIEW_H

#include "limber/world.h"

#ifdef __cplusplus
extern "C"
{
#endif

// ---- what a world is ----

// The world as JSON text, to be freed with lm_text_free; NULL when out of memory. Objects and colliders are counted as
// in the scene, paths lead to places in the scene's document.
//
//   "scene"      {"name", "file", "description", "fps", "seconds", "gravity": [3], "background": [3] linear, "up": "y",
//                 "size": [width, height], "camera": {"eye", "target", "fov", "automatic"}}
//   "objects"    [{"name", "engine", "size", "mass", "points": simulated, "color": [3] linear,
//                  "can": {"grab", "pin", "push", "command", "example": flags}, "settings": [SETTING],
//                  "examples": [{"name", "strength": as told | null, "timeline": as the scene says now}],
//                  "behaviours": [names of those it can do], "feet": [names], "trunk": name | "",
//                  "groups": [{"name", "count": simulated vertices, "painted": with soft weights}]}]
//   "colliders"  [{"name", "shape", "color": [3], "visible", "surface": index | -1, "settings": [SETTING]}]
//   "behaviours" [{"name", "help", "keys": [SETTING without path and live]}]: all that there are
//   "surfaces"   [{"name", "engine", "object": index | -1, "collider": index | -1, "color": [3], "vertices",
//                  "triangles", "fixed"}], in the order of lm_world_surface
//   "numbers"    [{"object": index | -1, "name", "unit", "help"}], in the order of lm_world_numbers
//
// SETTING is {"key", "path": [...], "kind": "number" | "integer" | "flag" | "choice" | "vector" | "integers" | "color"
// | "rotation" | "text" | "other", "low", "high", "above": low itself is not allowed, "unit", "help", "value": as it is
// now, "default", "usual": the default in words | null, "choices": [names], "live": it can change while the world
// moves, "keyed": the scene gives it over time}. The engine's keys come first; then those of the object itself. Keys of
// tables within have a dot, "lattice.vertices". "other" stands for lists; their "value" is null.
LM_API char* lm_world_describe(const lm_world* world);

// Where pictures of the scene's size are taken from: as the scene says, or fitted around the world as it began, as the
// renderer fits it around all frames.
LM_API lm_camera lm_world_camera(const lm_world* world);
// Looks along `direction` so that everything between the corners is in the picture.
LM_API lm_camera lm_camera_fit(const double low[3], const double high[3], const double direction[3], double fov,
                               double aspect);

// ---- marks: what is worth pointing out about an object at the moment ----

typedef struct lm_world_marks_view
{
	double center[3]; // of mass
	bool has_ground;  // something solid is below it
	double ground[3]; // the place straight below the centre
	int32_t contact_count;
	const double* contacts; // contact_count x 3: simulated points that touch something
	int32_t support_count;
	const double* support; // support_count x 3: convex hull of the contacts seen from above, counter-clockwise, on the
						   // ground; fewer than 3 when they lie on a line
	int32_t foot_count;
	const double* feet; // foot_count x 3: middles of the feet of a character
	bool has_goal;
	double goal[3]; // where its behaviour wants the centre of mass to be
} lm_world_marks_view;
// Reads only. LM_BAD_INPUT when there is no such object.
LM_API lm_status lm_world_marks(lm_world* world, int32_t object, lm_world_marks_view* marks, lm_error* error);

// ---- lines: what is simulated ----

typedef enum lm_world_line_kind
{
	LM_LINES_LATTICE, // edges of the simulated mesh
	LM_LINES_CAGE     // edges of the cage that changes the rest shape of an `act` object, placed where the body is
} lm_world_line_kind;

typedef struct lm_world_lines_view
{
	int32_t count;
	const double* ends; // count x 2 x 3, world coordinates, of the frame that is shown
} lm_world_lines_view;
// Objects that have no such lines get none. The first call finds the edges, further ones only move them. LM_BAD_INPUT
// when there is no such object.
LM_API lm_status lm_world_lines(lm_world* world, int32_t object, lm_world_line_kind kind, lm_world_lines_view* lines,
                                lm_error* error);

// ---- colours: what the engine makes of an object, on its shown surface ----

typedef struct lm_world_colors_view
{
	int32_t vertex_count; // of the surface
	const uint8_t* rgb;   // vertex_count x 3, sRGB
	int32_t name_count;   // of the legend
	const char* const* names;
	const uint8_t* name_rgb; // name_count x 3, sRGB
} lm_world_colors_view;
// what: "regions"      match: the sets of regions that follow examples together; track: the regions whose averages
//                      follow the guide, faded where their test functions are small
//       "weights"      match, act by examples: the rest shape and the examples, blended by their weights of the moment
//       "groups"       all groups of the object, a colour for each; a vertex in several has that of the last
//       "groups:NAME"  one of them, or paint: from grey (0) to its colour (1)
//       "strain"       how much longer or shorter edges are than in the shape at rest: blue -20 %, white, red 20 %
//       "none"         the object's own colour
// Surfaces of colliders have "none" only. LM_BAD_INPUT, in words, for what this surface cannot show.
LM_API lm_status lm_world_colors(lm_world* world, int32_t surface, const char* what, lm_world_colors_view* colors,
                                 lm_error* error);

// ---- paint: values 0 .. 1 at the vertices of an object's shown surface (Bergou et al. 2007, Sec. 4.1) ----
//
// Paint lies beside a scene in a JSON file {"name": [one number per vertex], ...}, and a scene names it as a group:
// "groups": {"left-foot": {"weights": "paint.json"}}. Then it can be used wherever groups are: feet, pins, trunk,
// groups of `match`, regions of `track`. Where a use takes soft weights (regions of `track`) it gets them; elsewhere a
// vertex is in the group from 0.5 on. What is painted on a surface reaches the simulated vertices around it.
// Vertex colours and properties of PLY files are paint, too (lm_mesh_read): {"file": "painted.ply", "group": "red"}, or
// those of the object's own mesh or surface, which are groups by themselves; so are groups (g) of OBJ files.

// Writes paint of an object into a file, whole or not at all; other names in the file stay as they are. values: one for
// each vertex of the shown surface (lm_world_surface), brought into 0 .. 1; NULL takes the name out of the file. The
// file need not exist. LM_BAD_INPUT for empty names, values that are not finite, and a file that holds something else.
LM_API lm_status lm_paint_write(const lm_world* world, int32_t object, const char* path, const char* name,
                                const double* values, lm_error* error);
// Reads it back, or what lies in a PLY file, to the shown surface. LM_BAD_INPUT when the file has no such name or not
// as many numbers as the object has vertices (of its surface, of the mesh before or after it was subdivided).
LM_API lm_status lm_paint_read(const lm_world* world, int32_t object, const char* path, const char* name,
                               double* values, lm_error* error);
// A group of the object as paint of its shown surface, to be painted on: 1 in it and 0 elsewhere, or as it was painted.
// LM_BAD_INPUT when it has no such group.
LM_API lm_status lm_paint_of_group(const lm_world* world, int32_t object, const char* name, double* values,
                                   lm_error* error);

// ---- a scene for a mesh ----

// The text of a scene (lm_text_free) with the mesh as a soft body of `match` that stands on a ground plane, in view of
// an automatic camera. A mesh whose longest side is not between 0.1 and 10 m is scaled to 1 m, and the description says
// so. The scene names the mesh by the last part of `path`: write it into the same folder. NULL, with LM_BAD_INPUT in
// the error, for files that are no mesh or have no surface.
LM_API char* lm_scene_text_for_mesh(const char* path, const lm_host* host, lm_error* error);

#ifdef __cplusplus
}
#endif
#endif
