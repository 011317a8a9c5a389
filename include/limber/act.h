// act.h: soft characters that move themselves by changing their rest shape (Coros et al. 2012), and passive soft bodies
// that share their world.
//
//   lm_act_def def = lm_act_def_default();
//   def.kind = LM_ACT_SOLID2, def.mesh = &letter, def.control = LM_ACT_CAGE, def.cage_vertices = 11;
//   lm_act* body;
//   if (lm_act_create(&def, &host, &body, &error) != LM_OK)
//       return error.status;
//   for (int step = 1; step <= steps; ++step)
//   {
//       if (lm_act_set_goals(body, goals, count, &error) != LM_OK ||
//           lm_act_step(&body, 1, 0.02, colliders, 0.02 * step, &error) != LM_OK)
//           return error.status;
//       lm_act_positions(body, positions);
//   }
//   lm_act_destroy(body);
//
// No force acts from outside but gravity, contact, pushes and drags: goals are met by rest shapes only.
// Thread safety: different bodies may be used by different threads at once, one body by one thread at a time.
#ifndef LIMBER_ACT_H
#define LIMBER_ACT_H

#include "limber/contact.h"
#include "limber/elastic.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

// What a body is made of (docs/elastic.md). 2D bodies lie in the plane z = 0.
typedef enum lm_act_kind
{
	LM_ACT_CURVE2,     // mesh->edges: stretch and bend
	LM_ACT_SOLID2,     // mesh->triangles, counter-clockwise: stretch and volume (area)
	LM_ACT_SHELL,      // mesh->triangles in space: stretch and bend
	LM_ACT_SOLID,      // mesh->tets, edge-length form: stretch and volume; the default
	LM_ACT_SOLID_GREEN // mesh->tets, full St. Venant-Kirchhoff: stretch and volume
} lm_act_kind;

// How rest shapes may change: X(p) = X_0 + L p.
typedef enum lm_act_control
{
	LM_ACT_PASSIVE, // not at all: an ordinary soft body
	LM_ACT_FULL,    // every vertex of the rest shape
	LM_ACT_CAGE,    // the vertices of a cage, by harmonic coordinates
	LM_ACT_EXAMPLES // convex combinations of example poses, element by element (Sec. 5)
} lm_act_control;

typedef struct lm_act_material
{
	double stretch; // k_l, 1e-12 .. 1e15: N for curves, N/m for shells and 2D solids, N/m^2 for solids; default 2000
	double bend;    // k_b, 0 .. 1e15: N m^2 for curves, N m for shells; default 2
	double volume;  // k_a, k_v, 0 .. 1e15: N/m for 2D solids, N/m^2 for solids; default 2000
} lm_act_material;

// What may change while the body lives.
typedef struct lm_act_settings
{
	lm_act_material material;
	double damping; // seconds, 0 .. 10, default 0.01: strain rates cost this much times the stiffness; keeps momentum
	double gravity[3]; // m/s^2, each -1e6 .. 1e6, default (0, -9.81, 0)

	// contact
	double contact_stiffness; // N/m per vertex, 1e-9 .. 1e12, default 2000
	double contact_smoothing; // metres over which the spring sets in, 1e-9 .. 1e3, default 0.005
	double friction;          // Coulomb coefficient, 0 .. 100, default 0.8; two touching things use the geometric mean
	double friction_slack;    // metres, 1e-9 .. 1e3, default 0.001: how far a sticking point moves

	// regularisers of the control (Eq. 11, and docs/act.md)
	lm_act_material rest_material; // of the potential between X_0 and X(p); default 5, 0.02, 5
	double parameter_weight;       // of |p|^2 / 2, 1e-12 .. 1e12, default 2e-3: rigid motions of X cost nothing else
	double change_weight;          // of |p - p_n|^2 / 2, 0 .. 1e12, default 3e-3: calms jitter
	double smallest_rest; // no rest element may shrink below this share of its size, 1e-6 .. 0.999, default 0.15

	// the solver
	int32_t most_iterations; // of the optimiser per step, 0 .. 1000, default 10; 0 keeps p
	double tolerance; // 1e-14 .. 1, default 1e-3: done when the expected further decrease is below this share of the
					  // objective
	bool exact;       // exact Hessian, blended towards Gauss-Newton where it is indefinite; default false. Bodies with
					  // full control and 200 parameters or more do without, as do models without `third`
	// Control by examples has local minima. So many further starts are tried in each step, the rest shape and each pose
	// of each group in turn over the steps, with iterations that are left; 0 .. 128, default 0.
	int32_t starts;
} lm_act_settings;

typedef struct lm_act_def
{
	lm_act_kind kind;
	const lm_mesh* mesh;  // rest shape X_0; copied
	double density;       // kg/m, kg/m^2 or kg/m^3 as the kind asks, 1e-12 .. 1e12, default 1
	const double* masses; // vertex_count, kg, each above 0; default NULL: by density
	// Of solids: the energy of their elements in place of what the kind says. Kept, not copied. Default NULL.
	const lm_elastic_model* model;
	lm_act_settings settings;
	const double* start;            // vertex_count x 3; NULL: the rest shape
	const double* start_velocities; // vertex_count x 3; NULL: zero
	// Of solids: points that meet colliders in place of the mesh's own vertices, such as those of a shown surface. Each
	// is a row with at most four vertices, of one tetrahedron. Other bodies meet the mesh itself. Default NULL: the
	// vertices.
	const lm_binding* contacts;

	lm_act_control control; // default LM_ACT_PASSIVE
	// LM_ACT_CAGE: a closed polygon (2D: its vertices in order, no triangles needed) or closed triangle surface that
	// encloses the rest shape; NULL: one is made with cage_vertices vertices.
	const lm_mesh* cage;
	int32_t cage_vertices; // default 8
	// LM_ACT_EXAMPLES: poses, vertex_count x 3 each. Poses of a group are blended convexly with the rest shape; a pose
	// moves only elements that it deforms, so groups that deform different parts act independently.
	int32_t example_count;         // 1 .. 64
	const double* const* examples; // copied
	const int32_t* example_groups; // group of each pose, 0 .. ; NULL: all in one
} lm_act_def;

LM_API lm_act_def lm_act_def_default(void);

typedef struct lm_act lm_act;

// LM_BAD_INPUT, with the element where there is one: a mesh without the elements that the kind needs, inverted or
// zero-size elements, 2D bodies off the plane, cages that do not enclose the body, examples with non-finite numbers or
// inverted elements, settings out of range.
LM_API lm_status lm_act_create(const lm_act_def* def, const lm_host* host, lm_act** body, lm_error* error);
LM_API void lm_act_destroy(lm_act* body);

LM_API lm_act_settings lm_act_get_settings(const lm_act* body);
LM_API lm_status lm_act_set_settings(lm_act* body, const lm_act_settings* settings, lm_error* error);

// From now on rest shapes cost this share of what settings.rest_material says; above 0, 1 at the start. Checkpoints do
// not keep it: what steers a body sets it at each step.
LM_API void lm_act_set_rest_cost(lm_act* body, double share);
// What settings.damping is multiplied by from the next step on; 1 at first, and not part of what is saved.
LM_API void lm_act_set_damping_share(lm_act* body, double share);

// ---- goals (Sec. 4.2) ----

// One row: g(x) = sum over k of a_k . x_(vertex k), and the residual, with v = (x - x_n)/h (Eq. 6 to 10):
//     weight (kp (g(x) - position) + kd (g(v) - velocity))
// The optimiser minimises half the sum of the squares of the residuals, plus the regularisers.
typedef struct lm_act_goal
{
	int32_t count;
	const int32_t* vertices;
	const double* coefficients; // count x 3
	double position;            // target of g(x)
	double velocity;            // target of g(v)
	double kp, kd;              // >= 0, not both 0
	double weight;              // >= 0
} lm_act_goal;

// Goals of the next step, and of all further ones until they are set again; copied. None: p stays as it is.
// LM_BAD_INPUT for vertices that do not exist, numbers that are not finite, negative gains or weights.
LM_API lm_status lm_act_set_goals(lm_act* body, const lm_act_goal* goals, int32_t count, lm_error* error);

// Rows for common goals: each fills `vertices` and `coefficients` (room for lm_act_vertex_count vertices, x 3) of a
// goal and returns its count. axis: a direction of space, of any length.
//
// The centre of mass along the axis.
LM_API int32_t lm_act_row_center(const lm_act* body, const double axis[3], int32_t* vertices, double* coefficients);
// The mean of some vertices, weighted by mass, along the axis.
LM_API int32_t lm_act_row_mean(const lm_act* body, const int32_t* group, int32_t count, const double axis[3],
                               int32_t* vertices, double* coefficients);
// The way from the mean of one group to the mean of another along the axis: with targets in two (or three) axes it
// holds a direction. No vertex may be in both.
LM_API int32_t lm_act_row_between(const lm_act* body, const int32_t* from, int32_t from_count, const int32_t* to,
                                  int32_t to_count, const double axis[3], int32_t* vertices, double* coefficients);
// Orientation: axis . F material, where F is the linear map that takes the group's initial rest shape to its shape best
// (least squares, by mass; a rotation R when it is turned), and material a direction in the rest shape. Targets are
// axis . R material: in the plane the two axes for one material direction, in space three axes for two. Directions in
// which the group has no extent give 0.
LM_API int32_t lm_act_row_orientation(const lm_act* body, const int32_t* group, int32_t count, const double axis[3],
                                      const double material[3], int32_t* vertices, double* coefficients);
// Angular momentum about the axis through the centre of mass, N m s per length of the axis, with the arms of now:
// linear in velocities, so that it takes kd and `velocity` (kp = 0). In the plane the axis is (0, 0, 1).
LM_API int32_t lm_act_row_spin(const lm_act* body, const double axis[3], int32_t* vertices, double* coefficients);

// ---- stepping ----

// Advances bodies together by h seconds (0 < h <= 0.1): each chooses its rest shape, expecting its neighbours to go on
// as they move, and then bodies that touch share one implicit step. Friction between bodies identifies them by their
// places in the list, which should stay the same. colliders may be NULL; they are moved to time + h.
// LM_BAD_INPUT for h out of range, LM_NO_MEMORY; the bodies are then as before. How well the equations were solved is
// in the reports; nothing is ever NaN.
LM_API lm_status lm_act_step(lm_act* const* bodies, int32_t count, double h, lm_colliders* colliders, double time,
                             lm_error* error);

// Moves the body to an equilibrium of its elastic forces at the current rest shape, gravity, pins, drags and, when
// given, contact with colliders; velocities become zero. This is how example poses are made from handles.
typedef struct lm_act_static_report
{
	bool converged;
	int32_t iterations;
	double residual; // largest force left, N
	double energy;   // J
} lm_act_static_report;
LM_API lm_status lm_act_settle(lm_act* body, lm_colliders* colliders, lm_act_static_report* report, lm_error* error);

// ---- reading ----
LM_API int32_t lm_act_vertex_count(const lm_act* body);
LM_API int32_t lm_act_dimension(const lm_act* body); // 2 or 3: unknowns are dimension x vertex_count
LM_API int32_t lm_act_parameter_count(const lm_act* body);
LM_API void lm_act_positions(const lm_act* body, double* positions);   // vertex_count x 3
LM_API void lm_act_velocities(const lm_act* body, double* velocities); // vertex_count x 3
LM_API const double* lm_act_masses(const lm_act* body);                // vertex_count, kg
LM_API double lm_act_mass(const lm_act* body);
LM_API double lm_act_kinetic_energy(const lm_act* body); // J
LM_API double lm_act_elastic_energy(const lm_act* body); // J, between the rest shape X(p) and the body
LM_API double lm_act_contact_force(const lm_act* body);  // N, sum of the normal forces
LM_API double lm_act_parameter_norm(const lm_act* body); // |p|: how far the rest shape is from its own
LM_API double lm_act_rest_distance(const lm_act* body);  // m, how far X(p) is from X_0: root mean square over vertices
LM_API void lm_act_center(const lm_act* body, double center[3]);
LM_API void lm_act_parameters(const lm_act* body, double* p);
// The rest shape X(p) at the vertices (incompatible rest shapes: the mean of the elements' corners), for pictures.
LM_API void lm_act_rest_positions(const lm_act* body, double* positions);
// The cage in use, rest vertices; NULL without.
LM_API const lm_mesh* lm_act_cage(const lm_act* body);
// Vertices that touched something at the end of the last step, and the normal force of each, N (0: free).
LM_API void lm_act_contact_forces(const lm_act* body, double* normal_forces);
LM_API uint64_t lm_act_hash(const lm_act* body);

// How a step's optimisation ended.
typedef enum lm_act_outcome
{
	LM_ACT_CONVERGED,
	LM_ACT_BUDGET,  // iterations used up; the best point was kept
	LM_ACT_STALLED, // no better point could be found
	LM_ACT_KEPT     // nothing was better than the last p, which was kept
} lm_act_outcome;

typedef struct lm_act_report
{
	// of the last step
	lm_act_outcome outcome;
	int32_t iterations, factorizations;
	double objective_start, objective; // before (feasible, at the last p) and after
	double goal_part;                  // of the objective after
	double physics_residual;           // largest nodal residual of the forward solve relative to the weight
	int32_t touching;                  // vertices in contact
	// of the whole run
	int64_t steps, controlled_steps, converged_steps;
	int64_t iterations_sum, factorizations_sum;
	double goal_squares;        // sum over controlled steps of the mean squared residual of the goals
	double internal_force_max;  // largest |sum of internal forces| / largest nodal force
	double internal_torque_max; // likewise torque / (largest nodal force x size)
	double physics_residual_max;
	double max_penetration;                  // metres
	double tangential_impulse, outside_cone; // N s: of friction, and the part of it beyond the Coulomb limit
	double seconds_control, seconds_forward; // only when profiling was switched on
} lm_act_report;
LM_API lm_act_report lm_act_get_report(const lm_act* body);
LM_API void lm_act_profile(lm_act* body, bool on);

// ---- directing ----
LM_API void lm_act_set_positions(lm_act* body, const double* positions, const double* velocities); // NULL keeps
LM_API void lm_act_set_parameters(lm_act* body, const double* p); // convex ones are brought into their range
LM_API void lm_act_push(lm_act* body, const int32_t* vertices, int32_t count, const double impulse[3]); // N s, by mass
LM_API void lm_act_pin(lm_act* body, int32_t vertex, const double position[3]);
LM_API void lm_act_unpin(lm_act* body, int32_t vertex);
// Pulls a vertex towards target by a spring of strength N/m; 0 lets go.
LM_API void lm_act_drag(lm_act* body, int32_t vertex, const double target[3], double strength);

#ifdef __cplusplus
}
#endif
#endif
