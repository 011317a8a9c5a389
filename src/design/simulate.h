// simulate.h: soft bodies that move by the laws of mechanics (Adams et al. 2009, Sec. 7), in implicit steps of h:
//
//   y' = argmin  sum_b m_b s_b^2 [ |y' - y - h v - h^2 a|^2_M / (2 h^2) + E_b(y') + C_b(y') ]  +  contacts,
//   v' = (y' - y) / h.
//
// y: nodes in own coordinates of the body (size s, mass m); M_ij = sum_q V_q Phi_i(x_q) Phi_j(x_q), the mass of the
// points of integration; a: gravity and what else pushes; E: the energy of elastic.h; C = sum_i c_i |y'_i - g_i|^2 / 2
// pulls nodes to goals.
//
// Departures: the paper steps explicitly and the user chooses stiffness; here any stiffness is stable, and it is given
// as the frequency of the slowest free vibration. Damping acts on strain rates, so that it never slows bodies as a
// whole down: |C - C_before|^2, C = F^T F, added to |C - I|^2 is the same energy with another rest strain. A step of h
// itself damps as if h seconds of it were there, so h is taken off what is asked for. Positions of such steps are those
// of a parabola exactly; the velocity v is that in the middle of the step. What a step takes from the momentum and
// spin of a body that touches nothing is given back.
#ifndef LM_DESIGN_SIMULATE_H
#define LM_DESIGN_SIMULATE_H

#include "base/blob.h"
#include "design/motion_pairs.h"
#include "design/prestrain.h"

#define LM_DESIGN_SIM_MOST_CONTACTS 4 // colliders that a point can be in at once

// A point of a body is nearer to a collider than its margin.
typedef struct lm_design_sim_obstacle_contact
{
	int32_t point, collider;
	double depth; // own lengths
	lm_vec3 normal;
} lm_design_sim_obstacle_contact;

typedef struct lm_design_sim_body
{
	bool free;                     // moves by itself; else it is where it is led
	double mass;                   // relative to the heaviest
	double strain;                 // weights of the energy per mass, own lengths^2 / s^2
	double volume;                 //
	double damping;                // seconds by which strain rates count as strains
	double friction;               // with whatever it touches
	double swing;                  // (2 pi f)^2 of its slowest free vibration, 1 / s^2
	double* M;                     // node_count^2
	double* y;                     // now; of a body that is led: at the end of the step
	double* v;                     // own lengths / s, in the middle of the step before
	double* before;                // y at the beginning of the step
	double* target;                // y + h v + h^2 a
	double* push;                  // accelerations besides gravity, own lengths / s^2
	double* touched;               // [node_count x 3] likewise, by what it touches besides: bodies of other engines
	double* hold;                  // [node_count] c, 1 / s^2
	double* goal;                  // g
	double* slack;                 // [points] by how much less than the margin a point keeps off colliders
	double* pair_slack;            // and off other bodies
	size_t obstacle_contact_count; // where it was last looked at, by points
	lm_design_sim_obstacle_contact* obstacle_contacts; // room for all
	double *moved, *work;                              // M (y' - target); scratch
	lm_design_prestrain* rest;                         // [points of integration], of the step
	const lm_design_prestrain* shape; // [points of integration] towards which it goes back; NULL: its own
	lm_design_prestrain* shape_moved; // [points of integration] by which that changes in the step; NULL: it does not
	bool touches;                     // anything, at the end of the step
	int64_t offset;                   // of its unknowns
	double energy;                    // of the last evaluation, without contacts
	lm_design_band metric;
} lm_design_sim_body;

// A contact of the step before, which friction_contacts in this one.
typedef struct lm_design_friction_contact
{
	int32_t a, point; // of body a
	int32_t b;        // the other body, or -1: a collider
	int32_t count;    // of the nodes that carry the place in b
	size_t first;     // of them
	lm_vec3 normal;   // unit
	lm_vec3 start;    // place of a relative to that of b (or of the collider, moved along) when the step begins, metres
	double force;     // friction times pressure
	bool coupled;     // its second derivative is in the coupling
} lm_design_friction_contact;

// A contact of two free bodies in the second derivative: k n n^T, n = phi direction on either side.
typedef struct lm_design_sim_column
{
	double k;
	int32_t body[2];
	size_t first[2], entries[2]; // of the lists below
	lm_vec3 direction[2];
} lm_design_sim_column;

#define LM_DESIGN_SIM_MOST_COLUMNS 240

typedef struct lm_design_sim_coupling
{
	int32_t count;
	size_t capacity;
	lm_design_sim_column* columns;
	size_t entry_count, node_capacity, phi_capacity;
	int32_t* node;
	double* phi;
	size_t touches; // of the contacts, the first so many are here, if they are of free bodies
	int64_t longest;
	size_t Y_capacity, t_capacity;
	double *Y, *t;
	lm_design_band S;
} lm_design_sim_coupling;

typedef struct lm_design_sim
{
	lm_host host;
	lm_design_motion* stage; // its bodies as shapes, the colliders
	int32_t count;
	lm_design_sim_body* bodies;
	lm_vec3 gravity;
	double start; // seconds of the colliders' clock at time 0
	double time, h;
	int64_t n;
	double *x, *z, *work;
	lm_obstacles obstacles;           // the colliders at the end of the step
	lm_design_pair_contacts contacts; // of the last evaluation
	size_t friction_count, friction_capacity, carrier_count, carrier_capacity, weight_capacity;
	lm_design_friction_contact* friction_contacts;
	int32_t* carriers; // nodes of the places in other bodies that friction_contact
	double* weights;
	lm_design_sim_coupling coupling;
	bool failed; // out of memory in an evaluation
} lm_design_sim;

// The stage stays borrowed. Bodies are led, at rest, with the stiffness of `frequency`.
lm_status lm_design_sim_create(lm_design_motion* stage, const lm_design_dynamics* dynamics, const double gravity[3],
                               double start, const lm_host* host, lm_design_sim** sim, lm_error* error);
void lm_design_sim_destroy(lm_design_sim* sim);

// Sets a body free: nodes and velocities (own lengths, per second) at the time of the simulation; h: of the next step.
void lm_design_sim_release(lm_design_sim* sim, int32_t body, const double* y, const double* v, double h);
// What touches when a body is set free need not be apart by the margin: call when all are in place.
lm_status lm_design_sim_settle(lm_design_sim* sim, int32_t body, lm_error* error);

// One step. Bodies that are led have been moved to where they are at its end.
lm_status lm_design_sim_step(lm_design_sim* sim, double h, lm_error* error);

// Velocities at the end of the last step, from those in the middle of it and of the one before (may be NULL: none).
void lm_design_sim_velocity(const lm_design_sim* sim, int32_t body, const double* middle_before, double* v);

// Kinetic, elastic and potential energy of a body per mass, own lengths^2 / s^2.
double lm_design_sim_energy(const lm_design_sim* sim, int32_t body);

// Of a body of mass 1, own lengths: the momentum of its spin about the centre of mass, where that is, and the moments
// of inertia about it; and the spin that has such a momentum.
lm_vec3 lm_design_sim_spin_of(const lm_design_sim* sim, int32_t body, const double* y, const double* v, lm_vec3* center,
                              lm_mat3* inertia);
lm_vec3 lm_design_sim_spin_by(lm_mat3 inertia, lm_vec3 momentum);

// ---- simulate_touch.c ----

// What others do to a body in the steps from now on: a force (N), a torque about the centre of mass (N m) and a squeeze
// (N m: xx yy zz xy xz yz) as in match/touched.c, added to what is there; mass: of the body, kg. Forgotten by `leave`.
void lm_design_sim_touch(lm_design_sim* sim, int32_t body, double mass, const double wrench[6],
                         const double squeeze[6]);
void lm_design_sim_leave(lm_design_sim* sim, int32_t body);
lm_vec3 lm_design_sim_speed(const lm_design_sim* sim, int32_t body); // of its centre of mass, own lengths / s
// The same as a blow: velocities change at once.
void lm_design_sim_kick(lm_design_sim* sim, int32_t body, double mass, const double wrench[6]);
// A spring of so many N/m from a place of the body, that nodes carry by shape functions, to a target (metres).
void lm_design_sim_hold(lm_design_sim* sim, int32_t body, double mass, const lm_design_rows* rows, int32_t row,
                        const double target[3], double stiffness);
void lm_design_sim_let_go(lm_design_sim* sim, int32_t body); // of all such springs

// ---- simulate_state.c: all that the next step depends on, but for what is set before each (push, hold, touched) ----

void lm_design_sim_save(const lm_design_sim* sim, lm_blob* blob);
lm_status lm_design_sim_load(lm_design_sim* sim, lm_blob* blob, lm_error* error);

// ---- simulate_contact.c ----

#define LM_SIM_MARGIN 0.01 // sizes, that bodies keep off things

// Energy of everything that touches; bodies are at sim->z. gradient (of the free bodies' unknowns) is added to.
double lm_design_sim_contact_energy(lm_design_sim* sim, double* gradient);
// Its second derivative as far as it concerns one body, added to the metric of that.
void lm_design_sim_contact_metric(lm_design_sim* sim, int32_t body);
// After a step: who touches, and what will friction_contact in the next one, of h.
bool lm_design_sim_contact_keep(lm_design_sim* sim, double h);

// Second derivatives of a touch (0: none) and of friction, per metre^2.
double lm_design_sim_touch_stiffness(const lm_design_sim* sim, const lm_design_pair_contact* touch);
double lm_design_friction_stiffness(const lm_design_sim* sim, const lm_design_friction_contact* friction_contact);

// ---- simulate_couple.c ----

// Lists the contacts of free bodies; once the blocks of all bodies are factorised, finds what they change; and takes
// it into account in d, which the blocks alone gave.
void lm_design_sim_coupling_gather(lm_design_sim* sim);
bool lm_design_sim_coupling_factorize(lm_design_sim* sim);
void lm_design_sim_coupling_apply(lm_design_sim* sim, double* d);
void lm_design_sim_coupling_release(lm_design_sim* sim);

// ---- frequency.c ----

// (2 pi f)^2 of the slowest vibration of a model at rest whose energy has these weights per mass.
lm_status lm_design_slowest(const lm_design_model* model, lm_design_stiffness stiffness, const lm_host* host,
                            double* square, lm_error* error);
// Mass matrix over the nodes, node_count^2, of mass 1.
void lm_design_mass(const lm_design_model* model, double* M);

#endif
