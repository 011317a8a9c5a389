// match.h: real-time soft bodies that prefer example poses (Koyama et al. 2012), to be embedded in a game or tool.
//
//   lm_match_def def = lm_match_def_default();
//   def.mesh = &cuboid, def.example_count = 1, def.examples = &twisted;
//   lm_match* body;
//   if (lm_match_create(&def, &host, &body, &error) != LM_OK)
//       return error.status;
//   for (int frame = 1; frame <= frames; ++frame)
//   {
//       lm_match_step(body, 1.0 / 60, colliders, frame / 60.0);
//       lm_match_positions(body, positions);
//   }
//   lm_match_destroy(body);
//
// Thread safety: different bodies may be used by different threads at once; one body by one thread at a time.
#ifndef LIMBER_MATCH_H
#define LIMBER_MATCH_H

#include "limber/contact.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

// How far an example pose reaches: one set of weights for the whole body, one for each group of regions (Fig. 6),
// or one for every region on its own (Fig. 7).
typedef enum lm_match_locality
{
	LM_MATCH_GLOBAL,
	LM_MATCH_GROUPS,
	LM_MATCH_EACH
} lm_match_locality;

// What an example asks of a region. A pose is all that its particles do there. The stretch of the region's moment
// matrix is the paper's descriptor: 30 % less time, and the same where the example stretches the region evenly; what it
// bends or twists within the region is missed, and a body that starts in such an example slides back to rest.
typedef enum lm_match_descriptor
{
	LM_MATCH_POSE,
	LM_MATCH_STRETCH
} lm_match_descriptor;

// Ours, or the paper exactly as printed, to compare with: stiffness by alpha, which means another material for every
// time step, weights by Eq. 7 and the rule of thumb of Sec. 4.2, examples by their stretches. Scalar and not fast.
typedef enum lm_match_method
{
	LM_MATCH_OURS,
	LM_MATCH_PAPER
} lm_match_method;

// What may change while the body lives.
typedef struct lm_match_settings
{
	// How soft: how far a column as high as the body sinks under its own weight, as a share of its height, 1e-6 .. 1,
	// default 0.01. Means the same for every size, resolution and ring; lm_match_frequency says what follows from it.
	// Weight is that at creation (9.81 m/s^2 where there is none then): changing gravity does not change the material.
	double sag;
	// How fast one region alone would spring back, in Hz, 0 .. 1000, default 0: as `sag` says; else `sag` has no say.
	// It replaces the paper's alpha, which means another material for every time step: alpha and the look-ahead of the
	// damping are computed from frequency, damping and step so that the soft motions that one sees keep their pace.
	// Steps are cut into equal inner steps so that a period has at least 6 of them, and 16 x damping.
	double frequency;
	// Of deformation only, as a fraction of critical damping: 0 .. 2, default 0.1. Keeps all momentum.
	double damping;
	// Of the method LM_MATCH_PAPER, in place of the three above (Eq. 4): what is taken of the way to the goals in every
	// step. 0 .. 1, default 0.5.
	double alpha;
	double drag;        // 1/s, 0 .. 1e6, default 0: slows everything, as air does
	double beta;        // 0 .. 1, default 0.995: how much of the example poses is kept (Sec. 4.2); 0 ignores them
	double gravity[3];  // m/s^2, each -1e6 .. 1e6, default (0, -9.81, 0)
	double friction;    // 0 .. 1e6, default 0.5
	double restitution; // 0 .. 1, default 0
	double thickness;   // metres, 0 .. 1e6, default 0: contacts keep this distance
	bool self_contact;  // default false: whether lm_match_collide keeps the body out of itself
} lm_match_settings;

#define LM_MATCH_MEMBERS 50000000 // that the squares of the sizes of all sets may add up to

// Vertices that share a region.
typedef struct lm_match_set
{
	int32_t count;
	const int32_t* vertices;
} lm_match_set;

typedef struct lm_match_def
{
	// Rest shape: vertices become particles. Regions are rings over the edges of the tetrahedra, or of the
	// triangles where there are none. Copied.
	const lm_mesh* mesh;
	int32_t example_count;          // 0 .. 64
	const double* const* examples;  // example_count poses, each vertex_count x 3; copied
	lm_match_locality locality;     // default LM_MATCH_GLOBAL
	lm_match_descriptor descriptor; // default LM_MATCH_POSE
	lm_match_method method;         // default LM_MATCH_OURS
	const int32_t* region_groups;   // for LM_MATCH_GROUPS: group of each vertex, 0 .. group_count-1
	int32_t group_count;            // 1 .. 4096
	int32_t ring;                   // region = all vertices within this many edges, default 1, 1 .. 8
	// Regions of one's own: the region of a vertex has the vertices of all sets that it is in, too. With these `ring`
	// may be 0: then there are no others, and vertices in no set are not held together with anything.
	int32_t set_count; // 0 .. 4096
	const lm_match_set* sets;
	double density;       // kg/m^3 (kg/m^2 for triangles), 1e-12 .. 1e12, default 1000
	const double* masses; // per vertex, kg, > 0; NULL: from density
	// Points that touch colliders in place of the vertices, which carry them: of a shown surface,
	// lm_contact_points_create chooses some. NULL: the vertices touch. Copied.
	const lm_binding* contacts;
	const double* start;            // vertex_count x 3 positions to start from; NULL: the rest shape
	const double* start_velocities; // vertex_count x 3; NULL: zero
	lm_match_settings settings;
} lm_match_def;

LM_API lm_match_def lm_match_def_default(void);

typedef struct lm_match lm_match;

// Bad counts, non-finite numbers and settings out of range are LM_BAD_INPUT; the element tells which vertex.
LM_API lm_status lm_match_create(const lm_match_def* def, const lm_host* host, lm_match** body, lm_error* error);
LM_API void lm_match_destroy(lm_match* body);

LM_API lm_match_settings lm_match_get_settings(const lm_match* body);
LM_API lm_status lm_match_set_settings(lm_match* body, const lm_match_settings* settings, lm_error* error);

// Advances by h seconds (0 < h <= 0.1). colliders may be NULL; they are moved to the times of the inner steps,
// which end at `time` + h. Never fails and never leaves a number that is not finite: see lm_match_report.
// A body that lm_match_collide found near others leaves its inner steps to the next call of that, where they are taken
// in turn with contact: read positions after it, and keep the colliders until then.
LM_API void lm_match_step(lm_match* body, double h, lm_colliders* colliders, double time);

// Resolves contact among bodies, and of those with self_contact with themselves. Call once after stepping all of
// them by h, which may be as long as 1/60 s: bodies near each other take inner steps of at most 1/240 s here, shorter
// ones when they are fast. Order of bodies does not matter to momentum, but is part of the result.
LM_API lm_status lm_match_collide(lm_match* const* bodies, int32_t count, double h, lm_error* error);

// ---- reading ----
LM_API int32_t lm_match_vertex_count(const lm_match* body);
LM_API void lm_match_positions(const lm_match* body, double* positions);   // vertex_count x 3
LM_API void lm_match_velocities(const lm_match* body, double* velocities); // vertex_count x 3
// The engine's own floats: x y z and one unused per vertex, relative to origin. Valid until the next call that
// changes the body.
LM_API const float* lm_match_floats(const lm_match* body, double origin[3]);
LM_API int32_t lm_match_weight_rows(const lm_match* body); // 1, group count or vertex count
// Weights w_0 (rest), w_1 .. w_n of a row, after the projection and before beta; >= 0, sum 1.
LM_API void lm_match_weights(const lm_match* body, int32_t row, double* weights);
// The row of weights that the region of a vertex follows.
LM_API int32_t lm_match_weight_row(const lm_match* body, int32_t vertex);
// How many vertices the region of a vertex has, itself included, and which (ascending) when members is not NULL.
LM_API int32_t lm_match_region(const lm_match* body, int32_t vertex, int32_t* members);
LM_API double lm_match_mass(const lm_match* body);
LM_API double lm_match_mass_of(const lm_match* body, const int32_t* vertices, int32_t count); // kg, of some of them
LM_API double lm_match_frequency(const lm_match* body);      // Hz: that of the settings, or what their `sag` asks for
LM_API double lm_match_kinetic_energy(const lm_match* body); // J
LM_API void lm_match_center(const lm_match* body, double center[3]);
LM_API uint64_t lm_match_hash(const lm_match* body);

typedef struct lm_match_report
{
	int64_t steps; // inner steps taken since creation
	int32_t region_count;
	int32_t example_count;
	double weights_min;     // smallest weight seen (never below 0)
	double weights_sum_max; // largest sum seen
	double max_penetration; // deepest that a vertex was in a collider or another body at the end of a step, metres
	int64_t recovered;      // times that a vertex had to be brought back because it left the numbers we can hold
	int64_t calmed;         // steps in which touches with bodies of other engines gave it more speed than they could
	// N: of colliders in the last inner step, friction included, where lm_match_measure_contact was switched on
	double contact_force;
	double touch_force;                          // N: the same, and of bodies: the sizes of these forces added up
	double seconds_matching, seconds_projection; // the paper's t_sm and t_proj, only when profiling was switched on
} lm_match_report;
LM_API lm_match_report lm_match_get_report(const lm_match* body);
LM_API void lm_match_profile(lm_match* body, bool on); // measures the split; the clock steers nothing
// Measures contact_force from the momentum that colliders give, which takes some percent of a step. Default off.
LM_API void lm_match_measure_contact(lm_match* body, bool on);

// ---- directing ----
LM_API void lm_match_set_positions(lm_match* body, const double* positions, const double* velocities); // NULL keeps
LM_API void lm_match_push(lm_match* body, const int32_t* vertices, int32_t count,
                          const double impulse[3]); // N s, shared by mass
LM_API void lm_match_pin(lm_match* body, int32_t vertex,
                         const double target[3]); // held there; moves when called again
LM_API void lm_match_unpin(lm_match* body, int32_t vertex);
// Pulls a vertex towards target by a damped spring, acceleration frequency^2 like; strength in N/m; 0 lets go.
LM_API void lm_match_drag(lm_match* body, int32_t vertex, const double target[3], double strength);
// Blends an example in and out: 0 removes it, 1 is all of it; 1 at first.
LM_API void lm_match_set_example(lm_match* body, int32_t example, double strength);
LM_API double lm_match_get_example(const lm_match* body, int32_t example);

#ifdef __cplusplus
}
#endif
#endif
