// pilot.h: what a pilot is. Controllers read lm_act_motion and add rows; nothing here looks inside a body.
#ifndef LM_ACT_PILOT_PILOT_H
#define LM_ACT_PILOT_PILOT_H

#include "base/blob.h"
#include "limber/act_pilot.h"

typedef enum lm_hop_phase
{
	LM_HOP_CROUCH,
	LM_HOP_PUSH,
	LM_HOP_AIR,
	LM_HOP_LAND
} lm_hop_phase;

// State of hopping, kept between steps; all zeros at the start.
typedef struct lm_hop_state
{
	int64_t step; // when it hopped last
	int32_t phase;
	int32_t landed; // of a single jump: it is over
	double since;   // seconds in this phase
	double ground;  // height of the ground at the last contact
	// of characters: speeds of take-off are raised until the mean speed is the commanded one
	bool pushed;    // there was a hop before
	double gain;    // 0: none yet
	double cycle;   // seconds since it last pushed off
	double from[3]; // centre of mass then
	// of somersaults
	double turned; // rad since it pushed off, about its axis
	double angle;  // at the last step, within a turn
} lm_hop_state;

// State of standing.
typedef struct lm_stand_state
{
	int64_t step;    // when it stood last
	double place[3]; // where its centre of mass shall stay; y is not used
	double aim[3];   // its target now
} lm_stand_state;

// State of crawling: the rear and the front end of the sole.
typedef struct lm_crawl_state
{
	int64_t step;        // when it crawled last
	int32_t moving;      // the end that moves: 0 rear, 1 front
	double since;        // seconds that it has
	double way[3];       // unit vector
	double places[2][3]; // where each end was set down, or left
	double lines[3];     // where each end, and the centre of mass, is across the way
	double offset[2];    // height of each end's mean above the ground
	double base;         // how far the ends are apart at rest
	double ground;
	double from;       // where along the way the centre was when the cycle began
	double correction; // m/s, added to the commanded speed
} lm_crawl_state;

// State of walking in the plane.
typedef struct lm_walk_state
{
	bool begun;
	bool standing;               // on both feet, at the end of its way
	int32_t stance;              // the foot that carries: 0 left, 1 right
	double since;                // seconds of this step; below 0: shifting the weight before the first
	double places[2];            // x of each foot where it was set down
	double pressure_point[2][2]; // x and y of the centre of pressure of each foot, filtered
	double lifted_from;          // x of the swinging foot when it was lifted
	double slope;                // of the ground, estimated from the feet
	double spacing;              // of the feet at rest
	int32_t steps;               // taken so far
	double centers[2];           // x of the centre of mass when a step on each foot last ended
	double correction;           // m/s, added to the commanded velocity
} lm_walk_state;

// State of walking in space.
typedef struct lm_space_walk_state
{
	bool begun, standing; // standing: on both feet, and no step is due
	bool hurried;         // this step is quicker than others
	int32_t stance, steps;
	double since;          // as above
	double places[2][3];   // of each foot where it was set down
	double lifted_from[3]; // of the swinging foot when it was lifted
	double facing[2];      // heading of each foot where it was set down
	double heading, turn;  // of the step: where it faces at its end, and how much of that it turns in it
	double spacing;        // of the feet across the way
	double line[3];        // a point of the line that it keeps to
	double centers[2][3];  // of mass when a step on each foot last ended
	double correction;     // m/s, added to the wanted velocity along the way it faces
} lm_space_walk_state;

// State of a character on two feet.
typedef struct lm_stride_state
{
	int64_t step;         // when it was on its feet last
	bool begun, standing; // standing: on both feet, and no step is due
	bool hurried;         // this step is quicker than others
	bool arrived;         // at its place: it comes to rest
	int32_t stance, steps;
	double since;          // seconds of this step; below 0: shifting the weight before the first
	double ground;         // how much higher than seen it is felt, smoothed
	double places[2][3];   // of each foot where it was set down
	double lifted_from[3]; // of the swinging foot when it was lifted
	double facing[2];      // heading of each foot where it was set down
	double heading, turn;  // of the step: where it faces at its end, and how much of that it turns in it
	double spacing;        // of the feet across the way
	double line[3];        // a point of the line that it keeps to
	double centers[2][3];  // of mass when a step on each foot last ended
	double correction;     // m/s, added to the wanted velocity along the way it faces
	double expected;       // m/s along: the wanted velocity as it builds up over steps
	double left;           // steps to its place
	double stand_at[3];    // what the centre shall stay over
	double aim[3];         // its target now
	double shift;          // of the step: how far it shall land from its usual place, for an even foothold
} lm_stride_state;

// State of a character on four feet: left hind, left fore, right hind, right fore.
typedef struct lm_amble_state
{
	int64_t step;
	bool begun, going, trot; // trot: feet swing in pairs
	int32_t phase;           // foot phase % 4, or pair phase % 2, swings; -1: it stands on all
	double since;            // seconds of the phase
	double ground, heading;
	double base[2];    // x, z: moves as commanded
	double home[4][2]; // of each foot about the base, along and across
	double center[2];  // of mass, likewise
	double held[4][3]; // where each foot was set down
	double from[4][3]; // where it was lifted
	double facing[4];
} lm_amble_state;

// Whether a character is on its feet.
typedef struct lm_fall_state
{
	bool down;
	double upright_for; // s
	double settled_for; // s on the ground without falling
} lm_fall_state;

// State of one foot, for counting steps.
typedef struct lm_foot_state
{
	bool known; // seen on the ground at least once
	bool down;
	double place[3];  // where it was set down last
	double ground;    // height of its lowest vertex when it was last down
	double lift;      // how far above that it has been since
	double loose_for; // seconds without contact
} lm_foot_state;

// State of the record of a whole run; all zeros at the start.
typedef struct lm_record_state
{
	lm_act_record record;
	bool begun;                   // start is known
	bool grounded;                // has touched something before the running flight
	bool fallen;                  // and not up again
	double flight;                // seconds of the running flight
	double upright;               // seconds that it has been upright on the ground
	double settled;               // seconds of sway and twist in the sums
	double mean[3], slow_mean[3]; // running means of the centre
	double mean_mean[3];          // running mean of mean
	double mean_turn;             // running mean of the heading
	double mean_mean_turn;        // and of that
	double last_turn;             // heading without jumps at pi
	double sway_sum, twist_sum;   // of squares x seconds
	lm_foot_state feet[LM_ACT_FEET_MAX];
} lm_record_state;

typedef struct lm_foot
{
	int32_t count;
	int32_t* vertices;
} lm_foot;

// One row of goals while the list grows: where its numbers begin.
typedef struct lm_pilot_row
{
	int64_t begin;
	int32_t count;
	lm_act_target target;
} lm_pilot_row;

struct lm_act_pilot
{
	lm_host host;
	lm_act* body;
	int dimension;
	int32_t vertex_count;
	int32_t* all; // 0 .. vertex_count - 1
	const double* masses;
	double* reference; // vertex_count x 3: the rest shape about its centre of mass
	double stance, height;
	double *positions, *velocities, *forces; // as last measured
	lm_act_motion motion;
	double gravity;           // lm_act_pilot_gravity
	const lm_colliders* seen; // lm_act_pilot_set_ground
	double h;

	int32_t row_count;
	size_t row_capacity;
	lm_pilot_row* rows;
	int64_t number_count;
	size_t vertex_capacity, coefficient_capacity, goal_capacity;
	int32_t* vertices;
	double* coefficients;
	lm_act_goal* goals; // made by commit
	bool failed;        // a row did not fit

	lm_foot feet[LM_ACT_FEET_MAX];
	lm_foot trunk;
	lm_foot sole;    // what is lowest in the rest shape
	lm_foot ends[2]; // rear and front of it along the way that is crawled; room for all of it
	int64_t step;    // counts lm_act_pilot_begin: behaviours detect pauses with it
	lm_hop_state hop;
	lm_stand_state stand;
	lm_crawl_state crawl;
	lm_walk_state walk;
	lm_space_walk_state space_walk;
	bool character; // sizes and times are its own, and it walks and gets up as one
	lm_stride_state stride;
	lm_amble_state amble;
	lm_fall_state fall;
	lm_record_state record;
};

// motion.c: fills positions, velocities, forces, motion and gravity from the body.
void lm_pilot_measure(lm_act_pilot* pilot);

// character.c: seconds of a character that are one second of one of 1 m height at 9.81 m/s^2; 1 for other bodies.
double lm_pilot_beat(const lm_act_pilot* pilot);
// Time steps for which gains and weights are tuned: 0.02 s in that time.
double lm_pilot_tuned_step(const lm_act_pilot* pilot);
// A command as a character means it: times and speeds that were not given are those of its size, and what stands on a
// base goes by hopping.
lm_act_command lm_pilot_own_command(const lm_act_pilot* pilot, const lm_act_command* command);
// Carries the command out as a character does; false: as any other body. stand: its standing as of other bodies.
bool lm_pilot_do_as_character(lm_act_pilot* pilot, const lm_act_command* command, const lm_act_stand* stand);

// stride.c, amble.c: a character with two and with four feet.
void lm_pilot_stride(lm_act_pilot* pilot, const lm_act_walk* walk);
void lm_pilot_amble(lm_act_pilot* pilot, const lm_act_walk* walk);

// What gains (1/s) that were tuned at 9.81 m/s^2 are multiplied by under another gravity: the same motion takes
// sqrt(9.81 / g) times as long there, because what falls, and what friction holds, accelerates in proportion to g.
double lm_pilot_gain_scale(const lm_act_pilot* pilot);
// rows.c: the weight of a row that was tuned for steps of 0.02 s: what a step can change of a velocity grows with h, so
// that shorter steps need heavier rows to do the same (at half the step walkers stall otherwise).
double lm_pilot_weight(const lm_act_pilot* pilot, double weight);
// Limits the change of velocity that the rows from `first` on want in a step h < 0.02 s to the share h / 0.02 s. Gains
// and weights then mean the same at every time step.
void lm_pilot_limit_rows(lm_act_pilot* pilot, int32_t first);
// Rows that turn the body upright: their target is an angular velocity against its tilt, 4 rad/s per rad.
void lm_pilot_balance(lm_act_pilot* pilot, double weight);
// Likewise, facing along a heading.
void lm_pilot_balance_facing(lm_act_pilot* pilot, double heading, double weight);

// Height of the ground below: that of the contacts, else as far below the centre as at rest.
double lm_pilot_ground(const lm_act_pilot* pilot);

// walk_space.c: lm_act_pilot_walk of a body in space; it has both feet.
void lm_pilot_walk_space(lm_act_pilot* pilot, const lm_act_walk* walk);

// record.c: one step of h seconds. Knows nothing but motion, places of feet and time; beat: lm_pilot_beat.
typedef struct lm_foot_now
{
	bool touching;
	double place[3]; // mean of its vertices
	double low;      // height of its lowest vertex
} lm_foot_now;
void lm_record_step(lm_record_state* memory, const lm_act_motion* motion, const lm_foot_now* feet, int32_t foot_count,
                    double height, double beat, double h);

// pilot.c: all state, for checkpoints.
void lm_act_pilot_save(const lm_act_pilot* pilot, lm_blob* blob);
bool lm_act_pilot_load(lm_act_pilot* pilot, lm_blob* blob); // false: damaged; of no use until a good one is loaded
// sound.c: whether all that was loaded is what it may be. Whoever adds to the state lists it there, too.
bool lm_pilot_is_sound(lm_act_pilot* pilot);

#endif
