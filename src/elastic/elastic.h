// elastic.h: elastic bodies: energy W(X, x) between a rest shape X and a shape x, with the derivatives that a
// simulation (by x) and the control by rest shapes (by X, mixed, and weighted with a multiplier) need.
//
// Potentials after Coros et al. 2012, appendix A; docs/elastic.md has the formulas and our departures. x has
// `dimension` numbers per vertex. X is the *current* rest shape. It either shares the vertices of the body (compatible)
// or has slots of its own for every element (incompatible: sections 5.1 and 5.2), so that elements may be taken apart,
// turned and interpolated one by one. All energies are integrated over the initial shape given at creation, which never
// changes.
//
// After creation nothing is allocated. Results do not depend on the number of threads. Every result is finite for
// finite shapes, whatever they are: inverted, collapsed or enormous (up to about 1e30). A body may be used by one
// caller at a time.
#ifndef LM_ELASTIC_ELASTIC_H
#define LM_ELASTIC_ELASTIC_H

#include "limber/base.h"
#include "limber/elastic.h"
#include "sparse/pattern.h"

typedef enum lm_elastic_kind
{
	LM_ELASTIC_CURVE2,       // edges (2 vertices) in the plane: lengths and turning angles
	LM_ELASTIC_SHELL3,       // triangles in space: edge lengths and hinge angles
	LM_ELASTIC_SOLID2,       // triangles in the plane, counter-clockwise: Green strain and area
	LM_ELASTIC_SOLID3_EDGES, // tetrahedra: edge lengths and volume; the default for solids
	LM_ELASTIC_SOLID3_GREEN, // tetrahedra: Green strain and volume
} lm_elastic_kind;

// Stiffnesses, one per kind of term. stretch > 0; the others may be 0. Terms that a kind does not have are ignored.
typedef struct lm_elastic_material
{
	double stretch; // k_l: N for curves, N/m for shells and 2D solids, N/m^2 for 3D solids
	double bend;    // k_b: N m^2 for curves, N m for shells
	double volume;  // k_a, k_v: N/m for 2D solids, N/m^2 for 3D solids
} lm_elastic_material;

typedef struct lm_elastic lm_elastic;

// What a body is made of. positions: the initial shape, dimension numbers per vertex. elements: edges, triangles or
// tetrahedra as the kind says.
typedef struct lm_elastic_shape
{
	lm_elastic_kind kind;
	bool incompatible; // rest shapes have slots per element
	int32_t vertex_count;
	const double* positions;
	int32_t element_count;
	const int32_t* elements;
	const lm_elastic_model* model; // of solids: takes the place of their terms; NULL: none. Kept, not copied
} lm_elastic_shape;

int lm_elastic_dimension(lm_elastic_kind kind); // 2 or 3
int lm_elastic_corners(lm_elastic_kind kind);   // vertices per element of the mesh

// LM_BAD_INPUT for a model that does not fit the kind, indices out of range, elements that name a vertex twice,
// zero-size or inverted elements, curves with branches, shells with more than two triangles at an edge.
lm_status lm_elastic_create(const lm_elastic_shape* shape, const lm_host* host, lm_elastic** result, lm_error* error);
void lm_elastic_destroy(lm_elastic* body);

lm_status lm_elastic_check_material(lm_elastic_kind kind, const lm_elastic_material* material, lm_error* error);

// Sizes and tables of a body; pointers live as long as it does.
typedef struct lm_elastic_view
{
	lm_elastic_kind kind;
	bool incompatible;
	int dimension;
	int32_t vertex_count;
	int32_t unknowns;               // numbers in x
	int32_t rest_unknowns;          // numbers in X
	const lm_pattern* pattern;      // of d2W/dx2: its elements are the terms
	const lm_pattern* rest_pattern; // of d2W/dX2; the same when compatible
	// Slots of the rest shape: X has `dimension` numbers per slot. Compatible: the slots are the vertices and there is
	// nothing here. Incompatible: rest element e has the slots rest_starts[e] .. rest_starts[e + 1), and slot s stands
	// for vertex rest_vertices[s]. Solids: one per element, corners in its order. Shells: for every edge of two
	// triangles the edge and the two wings (4), for every other edge its ends (2). Curves: for every edge its ends (2),
	// then for every inner vertex the one before, itself and the one after (3).
	int32_t rest_slots;
	int32_t rest_element_count;
	const int32_t* rest_starts;
	const int32_t* rest_vertices;
	const double* shares; // per vertex its part of the initial length, area or volume: times density, the lumped mass
} lm_elastic_view;

lm_elastic_view lm_elastic_get(const lm_elastic* body);

// The terms as lists of elements for a larger pattern (several bodies, contact): vertices, or slots of the rest shape.
// At most two lists; returns how many. The arrays belong to the body.
int lm_elastic_lists(const lm_elastic* body, bool rest, lm_element_list lists[2]);

// The rest shape that has the vertices where positions (vertex_count x dimension) has them.
void lm_elastic_gather_rest(const lm_elastic* body, const double* positions, double* X);

// How far the rest shape has shrunk: the smallest length, area or volume of its elements relative to the initial shape.
// Negative when a solid's rest element is inverted. Control refuses steps that come too close to 0.
double lm_elastic_smallest_rest(const lm_elastic* body, const double* X);

// ---- energies and derivatives. Results are added, times scale: force is lm_elastic_add_gradient with scale -1.

// A second potential of the same material between another rest shape and x, as damping is one.
typedef struct lm_elastic_further
{
	const double* X;
	const double* measured; // as below
	double scale;           // beside the first one's 1
} lm_elastic_further;

// What the energies of a call are evaluated with and at.
typedef struct lm_elastic_state
{
	const lm_elastic_material* material;
	const double* X;        // rest shape, rest_unknowns
	const double* x;        // shape, unknowns
	const double* measured; // of X (lm_elastic_measure_rest), which saves measuring it; may be NULL
	// Taken along by lm_elastic_energy, lm_elastic_add_gradient and lm_elastic_add_stiffness; NULL: there is none.
	const lm_elastic_further* further;
} lm_elastic_state;

// What energies, forces and stiffnesses need of a rest shape, for states that keep it while x changes.
int64_t lm_elastic_measured_count(const lm_elastic* body);
void lm_elastic_measure_rest(const lm_elastic* body, const double* X, double* measured);

double lm_elastic_energy(lm_elastic* body, const lm_elastic_state* state);

// dW/dx and d2W/dx2. convex: every term is replaced by the closest positive semidefinite matrix. Matrices go into the
// body's own pattern (first 0), or into a larger one whose elements from `first` on are the body's lists.
void lm_elastic_add_gradient(lm_elastic* body, const lm_elastic_state* state, double scale, double* gradient);
void lm_elastic_add_stiffness(lm_elastic* body, const lm_elastic_state* state, bool convex, double scale,
                              const lm_pattern* pattern, int64_t first, double* values);

// dW/dX and d2W/dX2, the latter in rest_pattern.
void lm_elastic_add_rest_gradient(lm_elastic* body, const lm_elastic_state* state, double scale, double* gradient);
void lm_elastic_add_rest_hessian(lm_elastic* body, const lm_elastic_state* state, bool convex, double scale,
                                 double* values);

// The potential between two rest shapes, state->X and state->x, both with rest_unknowns numbers: energy, and its
// derivatives by the second (the matrix in rest_pattern). convex: positive semidefinite, as lm_chain_convex (chain.h).
double lm_elastic_between_energy(lm_elastic* body, const lm_elastic_state* state);
void lm_elastic_between_gradient(lm_elastic* body, const lm_elastic_state* state, double scale, double* gradient);
void lm_elastic_between_hessian(lm_elastic* body, const lm_elastic_state* state, bool convex, double scale,
                                double* values);

// E += scale (d2W/dx dX) L. L has `columns` numbers per rest unknown, E as many per unknown (both row by row). L may be
// NULL: the identity, as many columns as there are rest unknowns; here and in the multiplier's.
void lm_elastic_add_mixed(lm_elastic* body, const lm_elastic_state* state, double scale, const double* L,
                          int32_t columns, double* E);
// d2W/dx dX in factors (lm_elastic_factor_count numbers) that are made once and applied many times:
// result += (d2W/dx dX) dX and result += (d2W/dX dx) lambda.
int64_t lm_elastic_factor_count(const lm_elastic* body);
void lm_elastic_mixed_factors(const lm_elastic* body, const lm_elastic_state* state, double* factors);
void lm_elastic_apply_factors(const lm_elastic* body, const double* factors, const double* dX, double* result);
void lm_elastic_apply_factors_transposed(const lm_elastic* body, const double* factors, const double* lambda,
                                         double* result);

// b += scale (d2W/dX dx) lambda, one number per rest unknown.
void lm_elastic_add_mixed_transposed(lm_elastic* body, const lm_elastic_state* state, const double* lambda,
                                     double scale, double* b);

// Second derivatives of psi = lambda . dW/dx: psi_xx (pattern), psi_xX L (as E above), psi_XX (rest_pattern).
void lm_elastic_add_multiplier_hessian(lm_elastic* body, const lm_elastic_state* state, const double* lambda,
                                       double scale, const lm_pattern* pattern, int64_t first, double* values);
void lm_elastic_add_multiplier_mixed(lm_elastic* body, const lm_elastic_state* state, const double* lambda,
                                     double scale, const double* L, int32_t columns, double* B);
void lm_elastic_add_multiplier_rest(lm_elastic* body, const lm_elastic_state* state, const double* lambda, double scale,
                                    double* values);

// C += scale L^T S L (columns x columns, exactly symmetric) for S in the rest pattern. work: rest_unknowns x columns.
void lm_elastic_add_reduced(const lm_elastic* body, const double* values, const double* L, int32_t columns,
                            double scale, double* work, double* C);

// The mixed derivative term by term, for solvers that want blocks: d2W/dx dX is the sum over terms of blocks
// size x size (row by row), whose rows belong to `corners` vertices and whose columns to as many slots.
typedef struct lm_elastic_block
{
	int corners, size;
	const int32_t* vertices;
	const int32_t* slots;
	double values[144];
} lm_elastic_block;

int32_t lm_elastic_term_count(const lm_elastic* body);
void lm_elastic_mixed_block(const lm_elastic* body, const lm_elastic_state* state, int32_t term,
                            lm_elastic_block* block);

#endif
