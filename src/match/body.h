// body.h: the inside of lm_match. Vocabulary (paper's letters):
//
//   particle i    x_i, v_i, rest position x0_i (here X_i), mass m_i, ring N_i, effective mass m~_i = m_i / |N_i|
//   region r      one per particle: the particles of N_r; rings are symmetric, so i is in N_r exactly when r is in N_i
//   c0_r, c_r     centres of mass of the region at rest and now, weighted by m~
//   M_r           sum over N_r of m~_i (x_i - c_r) (X_i - c0_r)^T, divided by the trace of its rest value
//   A_r           M_r B_r, the moment matrix of Eq. 1, B_r the filtered inverse of the rest moment (regions.c)
//   S_r           right stretch of A_r, the descriptor; its goal S~_r (Eq. 6-7, project.c)
//   T_r           R_r S~_r: the region's goal map is X -> T_r (X - c0_r) + c_r (Eq. 3)
//   y^k_i         example k; its centre c^k_r and rotation R_k,r in region r (examples.c)
//
// Particles are kept in an order of our own in which neighbours lie close in memory; `to_inner` and `to_user`
// translate. Numbers per region that are worked on in SIMD lie in blocks: [block][field][LM_LANES].
#ifndef LM_MATCH_BODY_H
#define LM_MATCH_BODY_H

#include "limber/match.h"

#include "base/alloc.h"
#include "contact/particles.h"
#include "math/vec.h"
#include "mesh/topology.h"

#define LM_LANES LM_PARTICLE_BLOCK // regions per block, for every SIMD width
#define LM_CHUNK 256      // particles or regions per piece of parallel work and per partial sum; a multiple of LM_LANES
#define LM_RUN 8          // regions of a run; LM_LANES is a multiple of it
#define LM_AHEAD 256      // particles: how far ahead fields are prefetched
#define LM_BLOCKS_AHEAD 4 // the same in blocks of regions
#define LM_MEMBER_STEP 2  // members summed in one step; lists of rings are filled up to a multiple of it
#define LM_PARTICLE_ROW 8 // floats
#define LM_MAP 12         // floats of a map: rows of (T_r, t_r)
#define LM_MOTION 21      // floats per chunk: sums over the moved particles (see kernel_goals.h)
#define LM_EXAMPLES 64    // at most
#define LM_MATRIX 9       // fields of a matrix in blocks
#define LM_ON_STACK 4     // examples whose moments a pass keeps on the stack
#define LM_TURN 6.283185307179586

// Fields of the blocks of `shape`.
enum
{
	LM_SHAPE_FLOOR = 0,  // a moment whose determinant is below this is inverted or collapsed
	LM_SHAPE_WEIGHT = 1, // trace of the moment in kg m^2 (of some unit): the region's weight in a projection
	LM_SHAPE_OFFSET = 2, // 3: c0_r - X_r
	LM_SHAPE_SCALE = 5,  // 1 / trace
	LM_SHAPE_MASS = 6,   // 1 / sum m~
	LM_SHAPE_FIELDS = 7
};

// The fields that runs load from lie in tiles, one per chunk: [field][LM_ROW], with LM_LANES of room on both sides of a
// row. `fields` has LM_TILE of them, that of a pose LM_POSE_TILE; those of maps are kept only while they are needed
// (waves.c).
enum
{
	LM_FIELD_AHEAD = 0,  // 3: m~ x^, x^ relative to the body's centre
	LM_FIELD_X = 3,      // 3: X
	LM_FIELD_WEIGHT = 6, // m~
	LM_FIELD_SHARE = 7,  // 1 / |N|
	LM_FIELDS = 8,
	LM_ROW = LM_CHUNK + 2 * LM_LANES,
	LM_TILE = LM_FIELDS * LM_ROW,
	LM_POSE_FIELDS = 3 // u; in tiles as large, so that the same places do
};

// Members of LM_RUN regions r .. r + 7 that follow each other: that at `place` + l is one of region r + l, for the
// lanes l whose bits are set (runs.c).
typedef struct lm_match_run
{
	int32_t place;           // in `fields`, of row 0
	uint32_t map_place : 24; // the same in the tiles of a wave (waves.c)
	uint32_t lanes : 8;
} lm_match_run;

// Goal maps of the chunks that are being worked on (waves.c): chunk c has tile c & mask, with the rows of T_r, t_r and
// of T_k,r of each pose.
typedef struct lm_match_wave
{
	float* tiles;
	int64_t mask;
} lm_match_wave;

// A vertex that is held: pinned, or pulled by a spring.
typedef struct lm_match_handle
{
	int32_t vertex; // inner
	bool pinned;
	double position[3]; // where the pin is now, in world coordinates
	double target[3];
	double strength; // of the spring, N/m
} lm_match_handle;

// An example that is matched as a pose: what the body has of its rest shape, of the example (kernel_poses.h).
typedef struct lm_match_pose
{
	lm_mat3 Q;     // its rotation as a whole: y^k = Q (X + u) but for the place
	float* turn;   // blocks x 4: quaternion of Q^T R_k,r, w first
	float* fields; // chunks x LM_TILE: u
	float* rows;   // per particle 4: u, 0
	float* offset; // blocks x 6: (mean of u - u_r) sum m~, mean of u
	float* moved;  // blocks x LM_MATRIX: N_k, work space of a step, NULL where the stack has room for it
} lm_match_pose;

// Constants of one inner step, set before its passes.
typedef struct lm_match_pass
{
	_Alignas(64) float centre[4]; // of the body; x^ and the two maps below are relative to it
	float ahead[4][4];            // columns of x^ - x - ahead_v v: the rigid motion, taken out
	float gain[4][4];             // columns of what the repair of momentum gives, less what `ahead` takes from the pull
	float fall[4];                // the velocity that gravity gives
	float ahead_v;                // theta h
	float pull;                   // alpha / h
	float keep;                   // the factor by which drag multiplies the velocity
	float h;
	float speed_limit, reach_limit;
	bool measure;                  // the motion of the whole is summed in this step
	bool inverted;                 // some region is inverted or collapsed: `body_rotation` takes over there
	bool blend_per_region;         // else blend_all
	float blend_all[LM_EXAMPLES];  // beta s_k w_k
	float blend_last[LM_EXAMPLES]; // for which the rotations were found
} lm_match_pass;

#define LM_NEAR_STEPS 64 // inner steps that bodies near each other take at most

// A step that has been asked for but not been taken to its end (together.c).
typedef struct lm_match_pending
{
	double h, time; // of the whole step
	int32_t steps;  // inner ones; 0: nothing is pending
	int32_t taken;
	lm_colliders* colliders;
} lm_match_pending;

// What bodies of other engines do to it (touched.c).
typedef struct lm_match_touched
{
	bool on;
	lm_vec3 force, torque; // about the centre of mass
	lm_mat3 squeeze;
} lm_match_touched;

// Where the particles are and how fast the fastest is relative to whole.velocity, after contact.
typedef struct lm_match_bounds
{
	double low[3], high[3], speed;
} lm_match_bounds;

// The rigid motion nearest to that of the body.
typedef struct lm_match_motion
{
	lm_vec3 centre, velocity, spin; // centre is relative to the origin
	lm_mat3 spread;                 // sum of m x x^T about the centre
	lm_vec3 leaked, leaked_spin;    // sums of the momenta that matching and its repair have added
	lm_vec3 repair, repair_spin;    // to be added in the next step, so that they give none
	double unsettled;               // 1 when the inertia has changed too much to repair anything; else 0
} lm_match_motion;

typedef struct lm_match_kernels lm_match_kernels;
typedef struct lm_match_meeting lm_match_meeting;
typedef struct lm_match_paper lm_match_paper;
typedef struct lm_match_surface lm_match_surface;

struct lm_match
{
	lm_host host;
	lm_match_settings settings;
	const lm_match_kernels* kernels;

	int32_t count;   // particles, and regions
	int32_t blocks;  // of LM_LANES regions
	int32_t chunks;  // of LM_CHUNK particles
	int32_t threads; // 1 for small bodies
	int32_t *to_user, *to_inner;
	int32_t* starts;  // of the members of each region, count + 1
	int32_t* members; // filled up with the particle behind the last block, of mass 0

	// Rings as runs, NULL unless by_runs
	bool by_runs;
	int64_t run_count;
	bool large;    // too large for the caches: what comes next is fetched ahead
	int64_t reach; // largest distance of a region to a member of it, in particles
	lm_match_run* runs;
	int32_t* run_starts; // per LM_RUN regions

	// Constant per particle
	float* mass;         // count
	double* rest_moment; // 4: m~ X, m~
	float* fields;       // chunks x LM_TILE; x^ in it is of a step
	float* particles;    // LM_PARTICLE_ROW: m~ (x^ - centre), 0, unless by_runs; X, 1
	float* shape;        // blocks x LM_SHAPE_FIELDS
	float* rest_centre;  // blocks x 3: c0_r
	double size;         // longest side of the rest shape
	double spread;       // m^2: second moment of the regions along an axis, mean by mass (oscillator.c)
	double column;       // m^2/s^2: g H / 2
	double total_mass;
	double rest_origin[3]; // what X is relative to

	// State
	double origin[3];         // what x is relative to
	float *x, *v;             // blocks x 3
	float* inverse_mass;      // 0 for pins
	float* rotation;          // blocks x 4: quaternion of each region, w first
	lm_match_motion whole;    // motion of the body as a whole
	float body_rotation[4];   // rotation of the body as a whole when it was last measured, quaternion
	lm_match_handle* handles; // room for one per vertex, so that holding a vertex never fails
	int32_t handle_count;
	int32_t* handle_of; // per vertex, -1: none

	// Examples
	int32_t example_count;
	lm_match_locality locality;
	lm_match_descriptor descriptor;
	lm_match_paper* paper;         // for LM_MATCH_PAPER only (paper.c)
	int32_t rows;                  // of weights
	int32_t* region_group;         // per region, LM_MATCH_GROUPS only
	float* examples;               // blocks x example_count x 6: L_k = S_k - I, xx yy zz xy xz yz, or NULL:
	lm_match_pose* poses;          // example_count of them when some example is more than a stretch in some region
	float* at_rest;                // blocks x n: R : N_k at rest (kernel_strains.h)
	double* gram;                  // rows x n x n of L^T L (global and groups)
	double* weights;               // rows x n (global and groups), state
	float* region_weights;         // blocks x n, LM_MATCH_EACH, state
	float* region_gram;            // blocks x n (n + 1) / 2: G_11, G_21, G_22, G_31 .. of the region, each
	float* dots;                   // blocks x n: what each region adds to b_k (project.c), groups and each
	double* group_dots;            // rows x n: their sums, groups
	double* weight_range;          // chunks x 3: smallest weight, largest sum and largest change, each
	float* blend;                  // blocks x n: beta s_k w_k, groups and each
	float* blend_last;             // the same, for which the rotations were found
	double strengths[LM_EXAMPLES]; // state

	// Work space of a step
	float* centres;       // blocks x 3: c_r
	float* next_rotation; // of the step that is being made: `rotation` itself, unless there are several waves
	float* volume;        // blocks: det M_r - floor; negative where a region is inverted or collapsed
	// blocks x (1 + n) x 3: the turn to the best rotation, and how that turns with the blend of each example
	// (kernel_strains.h)
	float* turns;
	float* maps; // map_row per region: of the rest shape, and of each pose; unless by_runs
	int64_t map_row;
	float* map_tiles; // of all waves, by_runs only
	int64_t map_tile; // floats in one
	lm_match_wave* waves;
	int32_t wave_count; // 0: the first holds all chunks, and is shared by threads
	double* dot_sums;   // chunks x n
	float* motion;      // chunks x LM_MOTION
	float* lowest;      // chunks: smallest volume
	int64_t* recovered; // chunks: vertices whose numbers were not finite
	float* user_floats; // 4, filled by lm_match_floats
	lm_match_pass pass;

	// Contact with other bodies and itself (collide.c)
	lm_mesh* rest_mesh;                    // in our order, until contact_shape is made of it
	struct lm_contact_body* contact_shape; // NULL until first asked for
	lm_match_surface* surface;             // touches colliders in place of the particles; NULL: the particles touch
	int32_t id;                            // see lm_match_set_touch
	const bool* apart;
	lm_match_meeting* meeting; // NULL unless this body was first in lm_match_collide
	lm_match_pending pending;
	lm_match_touched touched, pushed; // by bodies, and by cloth
	lm_match_bounds bounds;
	double thickness;   // about the smallest thickness of the rest shape
	int32_t near_steps; // inner steps that the bodies near this one ask for, 0: none is near; state

	lm_match_report report;
	bool profile, measures_contact;
};

// The SIMD kernels: one source compiled for several machines. begin is a multiple of LM_CHUNK.
struct lm_match_kernels
{
	void (*predict)(lm_match* body, int64_t begin, int64_t end);
	void (*moments)(lm_match* body, int64_t begin, int64_t end);
	void (*weights_each)(lm_match* body, int64_t begin, int64_t end);
	void (*maps)(const lm_match* body, const lm_match_wave* wave, int64_t begin, int64_t end, bool keep);
	void (*goals)(lm_match* body, const lm_match_wave* wave, int64_t begin, int64_t end);
};

extern const lm_match_kernels lm_match_kernels_plain;
extern const lm_match_kernels lm_match_kernels_avx2;
extern const lm_match_kernels lm_match_kernels_avx512;

// The widest that are not above this level.
const lm_match_kernels* lm_match_find_kernels(lm_simd simd);

// order.c: a numbering in which neighbours are close: to_user[inner] = user. False when out of memory.
bool lm_match_order(const double* positions, int32_t count, const lm_host* host, int32_t* to_user);

// rows.c: the same, the particles of a straight row following each other.
bool lm_match_order_rows(const double* positions, const lm_adjacency* rings, const lm_host* host, int32_t* to_user);

// runs.c
lm_status lm_match_choose_order(lm_match* body, const double* positions, const lm_adjacency* rings, lm_error* error);
lm_status lm_match_build_runs(lm_match* body, const lm_adjacency* rings, lm_error* error);

// members.c
lm_status lm_match_list_members(lm_match* body, const lm_adjacency* rings, lm_error* error);
void lm_match_fill_fields(lm_match* body);
void lm_match_fill_pose_offsets(const lm_match* body, const lm_match_pose* pose);

// Place of particle i in row 0 of its chunk's tile, and of all tiles.
static inline int64_t lm_match_row_place(int64_t i)
{
	return (int64_t)(LM_LANES + (uint64_t)i % LM_CHUNK); // as unsigned: a shift alone
}

static inline int64_t lm_match_place_of(int64_t i)
{
	return (int64_t)((uint64_t)i / LM_CHUNK) * LM_TILE + lm_match_row_place(i);
}

// Block of region i, and its lane there.
static inline int64_t lm_match_block_of(int64_t i)
{
	return (int64_t)((uint64_t)i / LM_LANES);
}

static inline int lm_match_lane_of(int64_t i)
{
	return (int)((uint64_t)i % LM_LANES);
}

// waves.c
lm_status lm_match_build_waves(lm_match* body, lm_error* error);
void lm_match_settle_rotations(lm_match* body); // after `rotation` has been set
void lm_match_take_waves(lm_match* body);       // goals from rotations and weights, and particles moved

// |N_r|, and the k-th particle of N_r.
static inline int32_t lm_match_ring_size(const lm_match* body, int32_t r)
{
	int32_t end = body->starts[r + 1];
	while (body->members[end - 1] >= body->count)
		--end;
	return end - body->starts[r];
}

static inline int32_t lm_match_member(const lm_match* body, int32_t r, int32_t k)
{
	return body->members[body->starts[r] + k];
}

static inline lm_vec3 lm_match_rest_position(const lm_match* body, int32_t i)
{
	const double* moment = body->rest_moment + 4 * (int64_t)i;
	return lm_scale(1 / moment[3], lm_v3(moment[0], moment[1], moment[2]));
}

// regions.c
typedef struct lm_match_rest_region
{
	lm_vec3 centre;  // c0_r
	double mass;     // sum of m~
	double scale;    // 1 / trace of the moment, 0 when it has none
	lm_mat3 moment;  // times scale
	lm_mat3 inverse; // B_r
	lm_mat3 missing; // D_r
	bool flat;       // some direction is left out
} lm_match_rest_region;
lm_match_rest_region lm_match_measure_region(const lm_match* body, int32_t r);
// M_r of a pose (inner order, doubles) and its centre c_r.
lm_mat3 lm_match_measure_moment(const lm_match* body, int32_t r, const lm_match_rest_region* rest, const double* pose,
                                lm_vec3* centre);
// Its descriptor.
lm_mat3 lm_match_measure_stretch(const lm_match* body, int32_t r, const lm_match_rest_region* rest, const double* pose);
// Its rotation: R_k,r.
lm_mat3 lm_match_measure_turn(const lm_match* body, int32_t r, const lm_match_rest_region* rest, const double* pose);
void lm_match_fill_region(lm_match* body, int32_t r, const lm_match_rest_region* rest);
void lm_match_measure_rotation(lm_match* body); // `body_rotation` from x

// examples.c
lm_status lm_match_measure_examples(lm_match* body, const double* const* examples, lm_error* error);
void lm_match_release_poses(lm_match* body);

// project.c
double lm_match_project(lm_match* body);                           // returns by how much a weight has changed at most
void lm_match_note_weights(lm_match* body, const double* weights); // of a row, in the report

// paper.c: a step as printed; pull, fall and the like are those of `pass`.
lm_status lm_match_build_paper(lm_match* body, const double* const* examples, lm_error* error);
void lm_match_release_paper(lm_match* body);
void lm_match_paper_step(lm_match* body);
// The paper's rule of thumb on w_0 .. w_n, whose sum is 1. Returns the rounds that it took, 2 n at most.
int lm_match_remove_negative(int n, double* w);

// oscillator.c: alpha, and theta = look-ahead in steps, of Eq. 4 for a step h.
typedef struct lm_match_oscillator
{
	double alpha, theta;
} lm_match_oscillator;
lm_match_oscillator lm_match_discretise(double frequency, double damping, double h);
int32_t lm_match_inner_steps(const lm_match* body, double h);
void lm_match_measure_stiffness(lm_match* body, const double* start, const double gravity[3]);

// motion.c
void lm_match_measure_motion(lm_match* body);       // `whole` from x and v
void lm_match_sum_motion(lm_match* body, double h); // the same from the sums that the goals left, and the repair
void lm_match_recentre(lm_match* body);

// create.c
void lm_match_place(lm_match* body, const double* positions); // x and origin, caller's order
void lm_match_reset_rotations(lm_match* body);                // all regions turn as the body as a whole

// collide.c
lm_status lm_match_keep_mesh(lm_match* body, const lm_mesh* mesh, lm_error* error);
void lm_match_release_contact(lm_match* body);
void lm_match_touch(lm_match* body, double h, lm_colliders* colliders, double time);

// surface.c
lm_status lm_match_build_surface(lm_match* body, const lm_binding* contacts, lm_error* error);
void lm_match_release_surface(lm_match* body);
// Returns how deep a point may still be in a collider.
double lm_match_touch_surface(lm_match* body, const lm_colliders* colliders, const struct lm_particles* view, double h);

// step.c
void lm_match_take_step(lm_match* body); // one inner step of what is pending

// together.c
void lm_match_measure_thickness(lm_match* body);
double lm_match_take_round(lm_match* const* bodies, int32_t count, int32_t round, int32_t rounds, double h);
int32_t lm_match_count_rounds(lm_match* const* bodies, int32_t count);
void lm_match_look_around(lm_match* const* bodies, int32_t count, double h);
void lm_match_finish_step(lm_match* body);

// direct.c
void lm_match_apply_drags(lm_match* body, double h);

void lm_match_apply_pins(lm_match* body, double h, double remaining); // remaining: until the targets are reached

// check.c
lm_status lm_match_check_def(const lm_match_def* def, lm_error* error);

// touched.c: before an inner step.
void lm_match_apply_touched(lm_match* body, double h);

// motion.c: the spin of a body with this angular momentum, `spread` being the sum of m x x^T about its centre.
lm_vec3 lm_match_spin_of(lm_mat3 spread, lm_vec3 angular_momentum);

#endif
