// act_pilot.h: turns commands ("go there", "hop to the left") into goals for a body of `act`, step by step.
//
// A pilot knows its body only by what can be measured (positions, velocities, masses, contacts) and steers it only by
// goals, so everything here can be written anew on top of limber/act.h. Ready-made behaviours and rows of your own mix:
//
//   lm_act_pilot* pilot;
//   if (lm_act_pilot_create(body, &host, &pilot, &error) != LM_OK)
//       return error.status;
//   for (int step = 1; step <= steps; ++step)
//   {
//       lm_act_pilot_begin(pilot, h);
//       lm_act_pilot_hop(pilot, &hop);                              // a behaviour
//       lm_act_pilot_aim_points(pilot, hand, 3, up, &target);       // a row of your own
//       if (lm_act_pilot_commit(pilot, &error) != LM_OK ||          // the goals of the next step
//           lm_act_step(&body, 1, h, colliders, h * step, &error) != LM_OK)
//           return error.status;
//       lm_act_pilot_record(pilot, h);                              // for the statistics
//   }
//   lm_act_pilot_destroy(pilot);
#ifndef LIMBER_ACT_PILOT_H
#define LIMBER_ACT_PILOT_H

#include "limber/act.h"

#ifdef __cplusplus
extern "C"
{
#endif

// How a body is and moves, as a whole. 2D bodies have no z, and spin and turn about z only.
typedef struct lm_act_motion
{
	double center[3], velocity[3]; // of the centre of mass, m and m/s
	double spin[3];                // rad/s: the rigid rotation that has the body's angular momentum about its centre
	double tilt[3];                // rad: rotation vector, horizontal, that takes y to the body's own up
	double heading;                // rad: how far it is turned about the vertical besides, -pi .. pi
	double low[3], high[3];        // corners of what it takes up
	int32_t touching;              // vertices in contact
	double load;                   // N: sum of the normal forces on them
	double support[3];             // mean of their positions; zeros when there are none
	double support_low[3], support_high[3]; // corners of what they take up
} lm_act_motion;

typedef struct lm_act_pilot lm_act_pilot;

// The body's rest shape as it is now counts as upright. The body must outlive the pilot.
LM_API lm_status lm_act_pilot_create(lm_act* body, const lm_host* host, lm_act_pilot** pilot, lm_error* error);
LM_API void lm_act_pilot_destroy(lm_act_pilot* pilot);

// Measures the body and starts an empty list of goals for a step of h seconds.
LM_API void lm_act_pilot_begin(lm_act_pilot* pilot, double h);
// As measured by lm_act_pilot_begin or lm_act_pilot_record, whichever came last.
LM_API const lm_act_motion* lm_act_pilot_motion(const lm_act_pilot* pilot);
// Height of the centre of mass above the lowest vertex of the rest shape, and of the whole rest shape.
LM_API double lm_act_pilot_stance(const lm_act_pilot* pilot);
LM_API double lm_act_pilot_height(const lm_act_pilot* pilot);
// m/s^2 that pulls the body down, along -y, by its settings. 0 where nothing does, or something pulls it up. Behaviours
// take y as up whatever the direction of gravity; of a pull to the side they know nothing.
LM_API double lm_act_pilot_gravity(const lm_act_pilot* pilot);
// Hands the goals to the body. LM_NO_MEMORY when there was no room for them, and whatever lm_act_set_goals returns.
LM_API lm_status lm_act_pilot_commit(lm_act_pilot* pilot, lm_error* error);

// ---- rows ----

// What a row aims for (limber/act.h): weight (kp (g(x) - position) + kd (g(v) - velocity)).
typedef struct lm_act_target
{
	double position, velocity, kp, kd, weight;
} lm_act_target;

// The centre of mass, along a direction.
LM_API void lm_act_pilot_aim_center(lm_act_pilot* pilot, const double direction[3], const lm_act_target* target);
// The mean of some vertices (weighed by their masses), along a direction.
LM_API void lm_act_pilot_aim_points(lm_act_pilot* pilot, const int32_t* vertices, int32_t count,
                                    const double direction[3], const lm_act_target* target);
// A weighted sum of the places of some vertices, along a direction.
LM_API void lm_act_pilot_aim_sum(lm_act_pilot* pilot, const int32_t* vertices, const double* weights, int32_t count,
                                 const double direction[3], const lm_act_target* target);
// How a material direction of some vertices' rest shape lies now, along a direction: 1 when it points that way (see
// lm_act_row_orientation).
LM_API void lm_act_pilot_aim_axis(lm_act_pilot* pilot, const int32_t* vertices, int32_t count,
                                  const double direction[3], const double material[3], const lm_act_target* target);
// The angular velocity about an axis through the centre of mass, rad/s: angular momentum over moment of inertia.
LM_API void lm_act_pilot_aim_spin(lm_act_pilot* pilot, const double axis[3], double rate, double weight);

// ---- behaviours: each adds the rows of one step ----

// The centre of mass moves; whether the body rolls, creeps or tumbles is up to it.
typedef struct lm_act_go
{
	double velocity[3];    // m/s, horizontal; y is ignored
	double weight;         // default 1
	double height_weight;  // default 0.3: keeps the centre at its height at rest
	double balance_weight; // default 0: keeps it upright; above 0 it will not roll
} lm_act_go;
LM_API lm_act_go lm_act_go_default(void);
LM_API void lm_act_pilot_go(lm_act_pilot* pilot, const lm_act_go* go);

// The centre of mass moves, and the body turns as a wheel would.
typedef struct lm_act_roll
{
	double velocity[3];   // m/s, horizontal; y is ignored
	double weight;        // default 1
	double height_weight; // default 0.3: keeps the centre at its height at rest
	double spin_weight;   // default 0.3: of the turning
} lm_act_roll;
LM_API lm_act_roll lm_act_roll_default(void);
LM_API void lm_act_pilot_roll(lm_act_pilot* pilot, const lm_act_roll* roll);

// Like an inchworm, never leaving the ground: of what is lowest in the rest shape the front half is moved on while the
// rear holds, and the rear is drawn up while the front holds, over and over.
typedef struct lm_act_crawl
{
	double velocity[3];    // m/s, horizontal; y is ignored
	double step_seconds;   // default 0.3: how long each end moves
	double lift;           // how high an end is lifted while it moves, as a share of the body's height, default 0.015
	double weight;         // default 1
	double balance_weight; // default 1
} lm_act_crawl;
LM_API lm_act_crawl lm_act_crawl_default(void);
LM_API void lm_act_pilot_crawl(lm_act_pilot* pilot, const lm_act_crawl* crawl);

// Over and over: crouch, push off, fly, land. Phases change by what is measured, not by a clock alone.
typedef struct lm_act_hop
{
	double velocity[3];    // m/s, of the centre when it leaves the ground; y is up, default (0, 1.5, 0)
	double crouch_seconds; // default 0.2
	double land_seconds;   // default 0.2
	double squat;          // height of the centre when crouched, as a share of that at rest, default 0.85
	double lean;           // how far the crouched centre is ahead, as a share of half the support's width, default 0
	double turns;          // head over heels in the air, forwards; below 0: backwards; default 0
	double weight;         // of the rows on the centre, default 1
	double balance_weight; // of the rows that keep it upright, default 1
} lm_act_hop;
LM_API lm_act_hop lm_act_hop_default(void);
LM_API void lm_act_pilot_hop(lm_act_pilot* pilot, const lm_act_hop* hop);

// Where it is, upright, at its height at rest.
typedef struct lm_act_stand
{
	double weight;         // default 1
	double balance_weight; // default 1
	double squat;          // height of the centre of mass, as a share of that at rest, default 1
	bool has_place;        // default false: over where it began to stand
	double place[3];       // that the centre of mass shall be over, as far as what it stands on allows
} lm_act_stand;
LM_API lm_act_stand lm_act_stand_default(void);
LM_API void lm_act_pilot_stand(lm_act_pilot* pilot, const lm_act_stand* stand);
// Whether that is what it did in the last step.
LM_API bool lm_act_pilot_stands(const lm_act_pilot* pilot);
// Where its centre of mass shall stay then; y is not used. False, and nothing else, when it does not stand.
LM_API bool lm_act_pilot_standing_place(const lm_act_pilot* pilot, double place[3]);

// On two feet (lm_act_pilot_set_foot: 0 the left one, 1 the right one), side by side, step by step: along x in the
// plane; in space the feet stand side by side across x, and it was made to face along x. The trunk
// (lm_act_pilot_set_trunk) is kept upright. Does nothing for bodies without feet. In the plane it goes up and down
// slopes. With no velocity, or at its place, it comes to stand on both feet; in space it steps when it is pushed.
// Does nothing where gravity along -y is below LM_ACT_GRAVITY_TO_WALK.
#define LM_ACT_GRAVITY_TO_WALK 0.1 // m/s^2
typedef struct lm_act_walk
{
	double velocity[3];  // m/s; y is ignored, and z in the plane
	bool has_place;      // it walks to `place` and stays there; |velocity| is then its greatest speed
	double place[3];     // of its feet; y is ignored, and z in the plane
	double step_seconds; // default 0.3
	double lift;         // how high a foot is lifted, as a share of the body's height, default 0.07
	double width;        // in space: m, how far apart the feet are set down; default 0: as they stand at the beginning
	double turn;         // in space: rad/s, how fast it turns to face where it goes; default 0: it faces along x
	double weight;       // default 1
	// characters only
	double face[3]; // the direction that it turns to and faces, whatever way it goes; y is ignored; default 0: none
	double bounce;  // how far the centre goes up and down in a step, as a share of the height, default 0
	double sway;    // rad: how far the trunk leans over the foot that carries, default 0
	double lean;    // rad: how far it leans forward, default 0
	bool trot;      // on four feet: diagonal pairs at once; default false: one foot at a time
} lm_act_walk;
LM_API lm_act_walk lm_act_walk_default(void);
LM_API void lm_act_pilot_walk(lm_act_pilot* pilot, const lm_act_walk* walk);

// ---- commands: a behaviour and its parameters ----

typedef enum lm_act_behaviour
{
	LM_ACT_GO,
	LM_ACT_HOP,
	LM_ACT_STAND,
	LM_ACT_WALK,
	LM_ACT_ROLL,
	LM_ACT_CRAWL,
	LM_ACT_CROUCH,    // stands with its centre of mass at `squat` of its height
	LM_ACT_JUMP,      // hops once, then stands
	LM_ACT_TROT,      // walks; a character on four feet moves diagonal pairs of them at once
	LM_ACT_SOMERSAULT // jumps, and turns over in the air
} lm_act_behaviour;

#define LM_ACT_LEAN_MOST 0.5 // rad

// The parameters of all behaviours; each uses those of its own struct above. Defaults are those of
// lm_act_command_default.
typedef struct lm_act_command
{
	lm_act_behaviour behaviour;
	double velocity[3];    // m/s, of the centre of mass, default 0; hop: when it leaves the ground, default (0, 1.5, 0)
	bool has_place;        // default false; true: it goes to `place` instead, and stays there
	double place[3];       // metres; y is ignored
	double speed;          // m/s, not faster than this to its place; above 0, at most 1000, default 0.5
	double up;             // hop to a place: m/s, upwards when it leaves the ground; above 0, at most 1000, default 1.5
	double crouch_seconds; // hop: 0 .. 60, default 0.2
	double squat;          // hop: above 0, at most 2, default 0.85
	double lean;           // hop: -2 .. 2, default 0; walk of characters: rad, at most LM_ACT_LEAN_MOST either way
	double land_seconds;   // hop: 0 .. 60, default 0.2
	double turns;          // somersault: -3 .. 3, default 1
	double step_seconds;   // walk, crawl: 0.05 .. 60, default 0.3
	double lift;           // walk, crawl: 0 .. 1, default 0.07; crawl: 0.015
	double width;          // walk: m, 0 .. 1e6, default 0
	double turn;           // walk: rad/s, 0 .. 100, default 0
	double face[3];        // walk of characters: the direction that it faces; default 0: none
	double bounce;         // walk of characters: 0 .. 0.1, default 0
	double sway;           // walk of characters: rad, 0 .. 0.5, default 0
	double weight;         // 0 .. 1e6, default 1
	double height_weight;  // go, roll: 0 .. 1e6, default 0.3
	double balance_weight; // go, hop, stand, crawl: 0 .. 1e6, default 1; go: 0
} lm_act_command;
LM_API lm_act_command lm_act_command_default(lm_act_behaviour behaviour);
// Adds the rows of one step. On the way to a place it slows down; what hops or crawls stands when it has arrived, and
// sets off again when it is pushed away. hop to a place flies as long as the body's gravity along -y has it.
LM_API void lm_act_pilot_do(lm_act_pilot* pilot, const lm_act_command* command);

// ---- parts of a body ----

// Names the vertices of a foot, for walking and for counting steps; at most LM_ACT_FEET_MAX feet. Copied. LM_BAD_INPUT
// for vertices that do not exist.
#define LM_ACT_FEET_MAX 8
LM_API lm_status lm_act_pilot_set_foot(lm_act_pilot* pilot, int32_t foot, const int32_t* vertices, int32_t count,
                                       lm_error* error);
LM_API lm_status lm_act_pilot_set_trunk(lm_act_pilot* pilot, const int32_t* vertices, int32_t count, lm_error* error);

// Makes the body a character: sizes, times and weights of behaviours are taken by its height and gravity, as those of
// one of 1 m at 9.81 m/s^2; two feet or four (left hind, left fore, right hind, right fore) walk and catch falls; what
// has fallen gets up first, whatever the command.
LM_API void lm_act_pilot_set_character(lm_act_pilot* pilot);
// What a character sees of the ground: it sets its feet down at the heights and slopes that these colliders have at the
// time last set. NULL (default): it feels the ground where it stands, and takes it for level. Must outlive the pilot.
LM_API void lm_act_pilot_set_ground(lm_act_pilot* pilot, const lm_colliders* colliders);

// ---- what a motion was like ----

typedef struct lm_act_record
{
	double seconds;
	double start[3], end[3]; // of the centre of mass
	int32_t hops;            // flights of at least 0.1 s from ground to ground, unless it had fallen
	bool toppled;            // its own up is more than 60 degrees away from y at the end
	double tilt_max;         // rad, largest angle between its own up and y
	double tilt_end;         // rad, that angle at the end
	double speed_mean;       // m/s: way of the centre from start to end, horizontally, over the time
	double sway;             // m: amplitude of the centre's swinging across the way
	double twist;            // rad: amplitude of its swinging about the vertical
	int32_t steps_verified;  // feet lifted by 2 % of the height and set down 2 % of the height further along the way
	double slip_max;         // m: farthest that a foot slid while it was down
	bool fell;               // its own up was more than 60 degrees away from y
	double fell_at;          // s, the first time
	int32_t got_up;          // times that it was on the ground within 0.3 rad of y for 0.4 s after a fall
} lm_act_record;
// Measures the body after a step of h seconds.
LM_API void lm_act_pilot_record(lm_act_pilot* pilot, double h);
LM_API lm_act_record lm_act_pilot_get_record(const lm_act_pilot* pilot);

#ifdef __cplusplus
}
#endif
#endif
