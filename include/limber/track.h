// track.h: cloth and thin shells that follow a rough animation (the guide) on average and add wrinkles, folds and
// follow-through of their own (Bergou et al. 2007), never crossing themselves or what is around them.
//
//   lm_track_def def = lm_track_def_default();
//   def.mesh = &undeformed;
//   def.regions = 64, def.frames = frames, def.frame_count = 20; // regions found by clustering
//   lm_track* cloth;
//   if (lm_track_create(&def, &host, &cloth, &error) != LM_OK)
//       return error.status;
//   for (int step = 1; step <= steps; ++step)
//   {
//       if (lm_track_step(cloth, 1.0 / 96, guide_positions, step / 96.0, &error) != LM_OK)
//           return error.status;
//       lm_track_positions(cloth, positions);
//   }
//   lm_track_destroy(cloth);
//
// Thread safety: different cloths may be used by different threads at once, one cloth by one thread at a time.
#ifndef LIMBER_TRACK_H
#define LIMBER_TRACK_H

#include "limber/contact.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

// How a step is solved. Lean: few iterations, to what can be seen; where regions are missed that could be met, the step
// is done again exactly. Exact: to the minimum. Nothing crosses with either.
typedef enum lm_track_method
{
	LM_TRACK_LEAN,
	LM_TRACK_EXACT
} lm_track_method;

// What may change while the cloth lives.
typedef struct lm_track_settings
{
	double stretch; // membrane stiffness, N/m, 1e-9 .. 1e12, default 1000
	double poisson; // -0.9 .. 0.9, default 0.25
	double bend;    // bending stiffness, N m, 0 .. 1e12, default 2e-4
	// 0.05: it hardly stretches by more than 5 % (a hundred times as stiff beyond), but where its guide asks for that;
	// 0 .. 100, default 0: no limit
	double strain_limit;
	double
		damping; // seconds, 0 .. 1000, default 0.002: strain rates cost this much times the stiffness; keeps momentum
	double gravity[3]; // m/s^2, each -1e6 .. 1e6, default (0, -9.81, 0)

	double wind[3];  // m/s, each -1e4 .. 1e4, default 0
	double air_drag; // kg/m^3: pressure on a face is this times the squared speed of the air across it; 0 .. 1e6,
					 // default 0

	// Plasticity (Sec. 4.4): hinges whose curvature leaves the rest curvature by more than `yield` (1/m) take it on.
	double yield;     // above 0, at most 1e9, or INFINITY, the default: elastic
	double hardening; // m: the bending stiffness grows by exp(hardening x excess); negative softens; -1e6 .. 1e6,
					  // default 0

	double thickness;      // metres, up to 1e6, default 0.2 mean edge lengths: contact sets in at this distance
	double friction;       // Coulomb coefficient, 0 .. 1000, default 0.3
	double friction_slack; // metres, 1e-12 .. 1e6, default 1e-4: creep that friction allows in a step
	bool self_contact;     // default true

	// N: the force with which a constraint pulls at most before it yields to contact, > 0; default 0: a hundred
	// times the weight of the cloth
	double strength;
	bool bounded;  // default false; true: no constraint ever pulls more strongly, also where no contact is in the way
	double follow; // share of that force with which all constraints pull, 0 .. 1e6, default 1; 0 lets go

	lm_track_method solver; // default LM_TRACK_LEAN
	// Metres, default 0: what is 10 thicknesses per second, or, exactly, 1e-6 of the size. A step is done when Newton's
	// moves nothing further.
	double tolerance;
	int32_t most_iterations; // of Newton's method in a step, up to 10000, default 0: 6, or, exactly, 200
} lm_track_settings;

// Cloths by name: density, stretch, poisson, bend, damping, yield, hardening and friction of each.
typedef enum lm_track_material
{
	LM_MATERIAL_NONE, // the defaults
	LM_MATERIAL_SILK,
	LM_MATERIAL_COTTON,
	LM_MATERIAL_DENIM,
	LM_MATERIAL_LEATHER,
	LM_MATERIAL_VINYL,
	LM_MATERIAL_PAPER,
	LM_MATERIAL_RUBBER,
	LM_MATERIALS
} lm_track_material;
LM_API void lm_track_set_material(lm_track_material material, lm_track_settings* settings, double* density);

// Values of functions at vertices: function i is values[k] at vertices[k] for k in starts[i] .. starts[i + 1], 0
// elsewhere.
typedef struct lm_track_functions
{
	int32_t count;
	const int64_t* starts; // count + 1
	const int32_t* vertices;
	const double* values;
} lm_track_functions;

typedef struct lm_track_def
{
	const lm_mesh* mesh; // the undeformed shape of the cloth, triangles; free of crossings; copied
	double density;      // kg/m^2, 1e-12 .. 1e12, default 0.2
	const double* start; // vertex_count x 3; NULL: the undeformed shape; free of crossings, unless `untangle`
	bool untangle;       // default false: a start that crosses itself is let come free instead of refused
	lm_track_settings settings;

	// What is matched: averages under test functions (Eq. 2). Of the three ways to give them (Sec. 4.1) any may be used
	// together: functions of one's own, painted or from a coarser mesh (`functions`), and clusters (`regions`).
	lm_track_functions functions; // on the cloth; count 0: none
	lm_track_functions
		guide_functions;  // the corresponding ones on the guide; count 0: the guide has the cloth's vertices
	const lm_mesh* guide; // the guide's undeformed shape; NULL: the cloth's
	int32_t regions;      // clusters over what no function covers; 0: none. The guide must be the cloth's mesh
	double compact;       // of clusters: 1 compact, 0 flat, default 0.5
	const double* density_of_regions; // per vertex, relative; NULL: the same everywhere
	const double* const* frames;      // of the guide, to see what moves together; NULL: the undeformed shape only
	int32_t frame_count;
	// default false: instead of averages, the vertex nearest to each region's middle is held (to compare)
	bool pointwise;

	const lm_collider_def*
		colliders;          // the shapes that the cloth meets; lm_track_step moves them. They need not be clear
	int32_t collider_count; // of the guide, but of the start
	// Surfaces that others move (lm_track_move_surface): bodies that deform. They begin as they are given; copied.
	const lm_mesh* const* surfaces;
	int32_t surface_count;
} lm_track_def;

LM_API lm_track_def lm_track_def_default(void);

typedef struct lm_track lm_track;

// LM_BAD_INPUT: meshes without triangles, flat triangles, an undeformed shape or start that crosses itself or a
// collider, regions that are empty or depend on each other, settings out of range. Says which element.
LM_API lm_status lm_track_create(const lm_track_def* def, const lm_host* host, lm_track** cloth, lm_error* error);
LM_API void lm_track_destroy(lm_track* cloth);

LM_API lm_track_settings lm_track_get_settings(const lm_track* cloth);
LM_API lm_status lm_track_set_settings(lm_track* cloth, const lm_track_settings* settings, lm_error* error);

// Advances by h seconds (0 < h <= 0.1). guide: positions of the guide's vertices at the end of the step; NULL: as
// before (the first time: constraints are off). time: at the beginning of the step; colliders are moved to its end.
// Where colliders go far in a step, as measured in thicknesses, it is taken in several inner steps.
// Fails only for h out of range, guide positions that are not finite, want of memory and a host that cancels; the cloth
// is then as before.
LM_API lm_status lm_track_step(lm_track* cloth, double h, const double* guide, double time, lm_error* error);

// Lets the cloth come from where it is to the first positions of the guide within `seconds` of slow motion, without
// crossing anything; velocities end as zero. For guides whose first frame crosses itself.
LM_API lm_status lm_track_preroll(lm_track* cloth, double seconds, const double* guide, double time, lm_error* error);

// ---- several cloths that touch each other ----
// They are stepped as one system, and never cross each other. Each may still be read, directed and saved by itself;
// nothing is kept between steps but for speed. The thinnest of them says how near they come to each other.
typedef struct lm_track_together lm_track_together;

// apart: [count x count], true for pairs that do not touch; NULL: all do. The cloths must outlive it. LM_BAD_INPUT when
// two of them cross, with their numbers.
LM_API lm_status lm_track_together_create(lm_track* const* cloths, int32_t count, const bool* apart,
                                          const lm_host* host, lm_track_together** together, lm_error* error);
LM_API void lm_track_together_destroy(lm_track_together* together);
// As lm_track_step, for all of them: a guide for each, or NULL.
LM_API lm_status lm_track_together_step(lm_track_together* together, double h, const double* const* guides, double time,
                                        lm_error* error);
// As lm_track_preroll; those whose guide is NULL stay where they are, unless they are pushed.
LM_API lm_status lm_track_together_preroll(lm_track_together* together, double seconds, const double* const* guides,
                                           double time, lm_error* error);
// Pairs of triangles of two cloths that intersect: exact. -1 when out of memory.
LM_API int64_t lm_track_intersections_between(const lm_track* one, const lm_track* two);

// ---- directing ----
// Share of the strength with which constraint i pulls, >= 0; 0 switches it off. Default 1.
LM_API void lm_track_set_constraint(lm_track* cloth, int32_t constraint, double share);
// Holds a vertex at a place, as strongly as a constraint; it yields rather than cross something. Needs no region
// there.
LM_API lm_status lm_track_pin(lm_track* cloth, int32_t vertex, const double position[3], lm_error* error);
LM_API void lm_track_unpin(lm_track* cloth, int32_t vertex);
// An impulse (N s), shared among the vertices by their mass. It changes velocities alone: the next step goes as far as
// it may without crossing anything.
LM_API lm_status lm_track_push(lm_track* cloth, const int32_t* vertices, int32_t count, const double impulse[3],
                               lm_error* error);
// Where the vertices of a surface are at the end of the next step; it goes there on straight lines, pushing the cloth
// along, and stays until it is told again. LM_BAD_INPUT: positions that are no numbers.
LM_API lm_status lm_track_move_surface(lm_track* cloth, int32_t surface, const double* positions, lm_error* error);
// The guide jumps to these positions: the cloth is carried along as a rigid body, and colliders are put where they are
// at `time`. Not *carried, and all as before, where it would then cross something, and where there was no guide yet.
LM_API lm_status lm_track_cut(lm_track* cloth, const double* guide, double time, bool* carried, lm_error* error);
// Another undeformed shape (same triangles), plastic folds reset; LM_BAD_INPUT, with the triangle, when one is
// flat.
LM_API lm_status lm_track_set_undeformed(lm_track* cloth, const double* positions, lm_error* error);
LM_API lm_status lm_track_set_positions(lm_track* cloth, const double* positions, const double* velocities,
                                        lm_error* error); // NULL keeps; positions that cross are LM_BAD_INPUT

// ---- reading ----
LM_API int32_t lm_track_vertex_count(const lm_track* cloth);
LM_API int32_t lm_track_constraint_count(const lm_track* cloth); // without pins
LM_API void lm_track_positions(const lm_track* cloth, double* positions);
LM_API void lm_track_velocities(const lm_track* cloth, double* velocities);
LM_API void lm_track_center(const lm_track* cloth, double center[3]);
LM_API double lm_track_mass(const lm_track* cloth);            // kg
LM_API const double* lm_track_masses(const lm_track* cloth);   // kg, of each vertex
LM_API double lm_track_kinetic_energy(const lm_track* cloth);  // J
LM_API double lm_track_elastic_energy(const lm_track* cloth);  // J, of stretching and bending
LM_API double lm_track_largest_stretch(const lm_track* cloth); // of a triangle, in any direction: 0.05 is 5 %
// The region (constraint) with the largest test function at each vertex, -1 where there is none.
LM_API void lm_track_regions(const lm_track* cloth, int32_t* regions);
// The value of each vertex's region (as lm_track_regions has them) there, relative to the region's largest; 0 for none.
LM_API void lm_track_region_shares(const lm_track* cloth, const int32_t* regions, double* shares);
LM_API uint64_t lm_track_hash(const lm_track* cloth);

typedef struct lm_track_report
{
	// of the last step
	int32_t iterations, factorizations, analyses;
	bool converged;
	double residual;     // largest distance of a constraint from its target, metres
	int32_t gave_way;    // constraints that gave way
	int32_t pairs;       // close pairs of vertices and triangles, edges and edges
	double smallest_gap; // metres; the thickness when nothing is close
	double missed;       // mean distance of those that gave way from their targets, metres
	double missed_most;  // the largest of these distances
	int32_t inner_steps; // that it was taken in
	double target_way;   // longest way of a target in it, metres
	double collider_lag; // longest way that a collider was held back at its end, metres
	int32_t pinched;     // places of the cloth that had no room between colliders, when one was held back
	bool stalled;        // nothing could move
	// of the whole run
	int64_t steps, iterations_sum, factorizations_sum, converged_steps;
	int64_t exact_steps;                   // lean ones that were done again exactly
	int64_t constraints_sum, gave_way_sum; // over steps, of constraints that were on
	double residual_max;                   // of constraints that did not give way
	double missed_sum, missed_max;         // of those that gave way: sum over steps, and largest, metres
	int64_t stalled_steps;
	double plastic;  // largest change of a rest angle so far, rad
	int64_t tangled; // pairs of triangles that crossed at the start of the last step, and may pass through each other
} lm_track_report;
LM_API lm_track_report lm_track_get_report(const lm_track* cloth);

// Pairs of triangles of the cloth, with itself and with colliders where they shall be now, that intersect: exact, and 0
// unless a collider was held back, or what crossed at the start has not come free yet.
LM_API int64_t lm_track_intersections(const lm_track* cloth);

// Pairs of triangles that have crossed since the start, as of the last step: how many there are, and the numbers of the
// first `most` of them, two each (NULL with 0 is fine).
LM_API int64_t lm_track_tangled(const lm_track* cloth, int32_t* triangles, int64_t most);

// The deepest that a vertex of the cloth is inside colliders, where those are now; at most `most` metres.
LM_API double lm_track_penetration(const lm_track* cloth, const lm_colliders* colliders, double most);

#ifdef __cplusplus
}
#endif
#endif
