// body.h: what lm_track is.
#ifndef LM_TRACK_BODY_H
#define LM_TRACK_BODY_H

#include "limber/track.h"
#include "mesh/bvh.h"
#include "track/reaction_parts.h"
#include "track/solver.h"
#include "track/tangle.h"

// A collider or a surface as triangles; its vertices lie behind those of the cloth, from first_vertex on.
typedef struct lm_track_obstacle
{
	lm_mesh* mesh; // in the collider's frame
	int32_t first_vertex;
	int32_t collider;          // -1: a surface that others move
	lm_collider_frames frames; // of a collider that deforms: the mesh is where they have put it last
} lm_track_obstacle;

typedef struct lm_track_held
{
	int32_t vertex;
	double position[3];
} lm_track_held;

struct lm_track
{
	lm_host host;
	lm_track_settings settings;
	int32_t n, obstacle_vertices; // vertices of the cloth, and of all obstacles
	lm_mesh* mesh;                // as given: the undeformed shape
	double size, mean_edge, mass;
	lm_cloth *cloth, *damper; // the damper is at rest where the step begins
	double* masses;           // [n]

	lm_colliders* colliders;
	int32_t collider_count, obstacle_count; // obstacles: colliders first, then surfaces
	lm_track_obstacle* obstacles;           // [obstacle_count]
	double* surface_ends;                   // [3 obstacle_vertices] where surfaces are at the end of the next step
	double* obstacle_targets;               // [3 obstacle_vertices]
	lm_clearance* clearance;                // of cloth and obstacles; NULL when nothing can touch
	lm_tangle* tangle;                      // what crossed at the start; NULL when nothing does, or since it came free
	int32_t triangle_count;                 // of cloth and obstacles
	int32_t* triangles;

	int32_t constraint_count; // without pins
	lm_rows averages;         // of the cloth's positions
	lm_rows guide_averages;   // of the guide's; count 0: as the cloth's
	lm_rows functions;        // values at the cloth's vertices, to show them
	int32_t guide_vertex_count;
	double* shares; // [constraint_count] of the strength
	bool guided;    // a guide has been given
	int32_t held_count;
	size_t held_capacity;
	lm_track_held* held;

	// constraints and pins together, as the solver wants them; made anew when pins change
	bool rows_current;
	lm_rows rows;
	double *targets, *strengths, *multipliers;    // [rows.count]: 3, 1, 3
	double *last_targets, *aims;                  // [3 rows.count] at the start of a step, and at its end
	double* start_targets;                        // [3 rows.count] at the start of an inner step
	double *kept_multipliers, *inner_multipliers; // [3 rows.count] at the start of a step, and of an inner one
	lm_track_solver* solver;

	lm_track_together* alone;    // the system that it is when nothing else touches it
	int64_t row_version;         // how often rows were made
	bool gives;                  // what it gives to surfaces is found out (reaction.h)
	int32_t leader;              // among them
	lm_track_given* given;       // [surfaces + 1] in the last step
	lm_track_partner* partners;  // the same, scratch
	int32_t* touching;           // [n] scratch: the partner that a vertex touches, 1 for the first
	bool still;                  // no forces act on it: it waits for the end of a pre-roll
	lm_track_report kept_report; // at the start of a step
	int32_t kept_double_steps;   // likewise

	// state
	double* x;                 // [3 (n + obstacle_vertices)]
	double* v;                 // [3 n]
	double *y, *before;        // scratch: [3 n], [3 (n + obstacle_vertices)]
	double *origin, *origin_v; // the same, [3 n]: at the start of a step
	lm_track_report report;
	int32_t double_steps; // inner steps that are factorised in double precision before single is tried again
	bool keep_pattern;    // see state.h
};

// Cloths that are stepped as one system (together.c). Of one alone all that follows `clearance` is the cloth's.
struct lm_track_together
{
	lm_host host;
	int32_t count;
	lm_track** cloths;                           // [count]
	int32_t *first, *first_obstacle, *first_row; // [count + 1] vertices, obstacle vertices and rows of each
	int32_t* obstacle_starts;                    // [bodies + 1] the first vertex of each obstacle among all of theirs
	int32_t obstacle_bodies;
	int64_t* row_versions; // [count] that `rows` was made of
	lm_track_part* parts;  // [count]
	bool keep_pattern;

	lm_clearance* clearance;
	lm_track_solver* solver;
	lm_rows rows;
	double *targets, *start_targets, *strengths, *multipliers; // of the rows
	double *x, *y, *obstacles, *masses;
	double* frictions; // of each vertex; NULL for one alone
	bool* tangled;     // likewise, of obstacles too
	bool lets_through; // something is tangled
};

// together.c
lm_status lm_track_make_alone(lm_track* cloth, lm_error* error);
// The rows that its cloths have now.
lm_status lm_track_together_attach(lm_track_together* together, lm_error* error);
void lm_track_together_gather(lm_track_together* together);        // where the cloths are, and what they aim at
void lm_track_together_scatter(const lm_track_together* together); // positions and multipliers
void lm_track_together_let_through(lm_track_together* together);   // what of each cloth is tangled

lm_status lm_track_check_settings(const lm_track_settings* settings, lm_error* error);
// Places or velocities of `count` vertices (NULL is fine), each a number; `what` begins the sentence.
lm_status lm_track_check_numbers(const double* numbers, int32_t count, const char* what, lm_error* error);
// Positions of the guide; NULL is fine.
lm_status lm_track_check_guide(const lm_track* cloth, const double* guide, lm_error* error);
// With self contact: not thicker than the cloth's edges are long.
lm_status lm_track_check_thickness(const lm_track_settings* settings, double mean_edge, lm_error* error);

// constraints.c
lm_status lm_track_make_constraints(lm_track* cloth, const lm_track_def* def, lm_error* error);
lm_status lm_track_join_rows(lm_track* cloth, lm_error* error); // rows, and the solver for them

// obstacles.c
lm_status lm_track_make_obstacles(lm_track* cloth, const lm_track_def* def, lm_error* error);
// Where obstacles are at a time that is a share of the step from cloth->origin; [3 obstacle_vertices].
void lm_track_place_obstacles(const lm_track* cloth, double time, double share, double* positions);
// The longest way that an obstacle goes near the cloth, relative to the cloth, from where it is to `ends`, while the
// cloth goes on for h seconds; m.
double lm_track_obstacle_way(const lm_track* cloth, const double* ends, double h);
// The longest way that an obstacle is away from `ends`; m.
double lm_track_obstacle_lag(const lm_track* cloth, const double* ends);
// Where the cloth is and goes on to in h seconds, and where the last step began and ended; both with some room.
lm_box lm_track_box(const lm_track* cloth, double h);
lm_box lm_track_swept_box(const lm_track* cloth);
// Vertices of the cloth that have obstacles near on two sides.
int32_t lm_track_count_pinched(const lm_track_together* together, int32_t cloth);
lm_status lm_track_check_clear(const lm_track* cloth, const double* x, const char* what, lm_error* error);
lm_status lm_track_make_tangle(lm_track* cloth, lm_error* error); // when the cloth crosses itself
void lm_track_drop_tangle(lm_track* cloth);

#endif
