// cloth.h: the elastic energy of a thin shell as `track` needs it: constant-strain triangles for the membrane, hinges
// for bending, and a rest state that is a list of numbers, so that it can flow (plasticity), blend and harden.
//
// Membrane (St. Venant-Kirchhoff in plane stress; Y in N/m, as thickness times Young's modulus):
//     W_t = A (lambda/2 tr(E)^2 + mu E:E),   E = (F^T F - I) / 2,   lambda = Y nu / (1 - nu^2),   mu = Y / (2 (1 + nu))
// Bending (Grinspun et al. 2003; k_b in N m), A the rest area of the two triangles:
//     W_e = k_b s_e 3 |e|^2 / A (theta - Theta_e)^2
// s_e, 1 at first, is what hardening has made of the stiffness, Theta_e the rest angle.
#ifndef LM_TRACK_CLOTH_H
#define LM_TRACK_CLOTH_H

#include "limber/base.h"
#include "mesh/topology.h"
#include "sparse/pattern.h"

#define LM_CLOTH_GRAIN 256 // terms per chunk of a parallel loop

typedef struct lm_cloth_material
{
	double stretch;      // Y > 0, N/m
	double poisson;      // nu, -1 < nu < 1 (0.25 is common)
	double bend;         // k_b >= 0, N m
	double strain_limit; // 0.05: by 5 %; 0: none (strain_limit.h)
} lm_cloth_material;

// Rest state of a triangle: area and the inverse of its edge matrix in its own plane, column by column.
typedef struct lm_cloth_triangle
{
	double area;
	double B[2][2]; // F = [x1 - x0, x2 - x0] B
} lm_cloth_triangle;

typedef struct lm_cloth
{
	lm_host host;
	int32_t vertex_count, triangle_count, hinge_count;
	int32_t* triangles;              // x 3
	int32_t* hinges;                 // x 4: the edge's ends, then the wings
	lm_cloth_triangle* rest;         // [triangle_count]
	double *lengths, *areas;         // [hinge_count] |e| and A at rest
	double *rest_angles, *stiffness; // [hinge_count] Theta_e, s_e
	double* vertex_areas;            // [vertex_count] a third of the triangles around, at rest
	double* partials;                // energies per chunk
	double* forces;                  // x 3 of each corner of each term: triangles first, then hinges
	lm_adjacency corners;            // which of them are at each vertex, ascending
} lm_cloth;

// Elasticity is one law, damping another: the same triangles with another rest state and material.
typedef struct lm_cloth_law
{
	const lm_cloth* cloth;
	lm_cloth_material material;
} lm_cloth_law;

// positions: the undeformed shape. LM_BAD_INPUT, with the triangle, where one has no area, names a vertex twice or out
// of range, or where an edge has more than two triangles.
lm_status lm_cloth_create(const double* positions, int32_t vertex_count, const int32_t* triangles, int32_t count,
                          const lm_host* host, lm_cloth** cloth, lm_error* error);
void lm_cloth_destroy(lm_cloth* cloth);

// Another undeformed shape of the same triangles; plastic angles and hardening are set back. False, and nothing
// changed, when a triangle has no area there.
bool lm_cloth_set_rest(lm_cloth* cloth, const double* positions);

// The terms as lists for a pattern: triangles, then hinges.
void lm_cloth_lists(const lm_cloth* cloth, lm_element_list lists[2]);

// The angle of a hinge at x.
double lm_cloth_angle(const lm_cloth* cloth, int32_t hinge, const double* x);

// The sum of one law or two. The first one's cloth lends its scratch memory.
double lm_cloth_energy(const lm_cloth_law* laws, int count, const double* x, int threads);
// The largest stretch of a triangle in any direction: 0.05 is 5 %; 0 where none is stretched.
double lm_cloth_largest_stretch(const lm_cloth* cloth, const double* x);

// A stiffness that is positive semidefinite, term by term, when it is clamped: of triangles with the membrane's stress
// clamped to what is pulled, of hinges k dtheta dtheta^T. Otherwise triangles have all of their stress. Much smaller
// than the Hessians: of a triangle the blocks of its corners 00, 01, 02, 11, 12, 22, nine numbers each, of a hinge k
// and dtheta.
#define LM_CLOTH_TRIANGLE_NUMBERS 54
#define LM_CLOTH_HINGE_NUMBERS 13
typedef struct lm_cloth_stiffness
{
	double* triangles; // [triangle_count x 54]
	double* hinges;    // [hinge_count x 13]
	bool clamped;
} lm_cloth_stiffness;

// Adds the gradient, and fills the stiffness.
void lm_cloth_linearize(const lm_cloth_law* laws, int count, const double* x, int threads, double* gradient,
                        const lm_cloth_stiffness* stiffness);

// Adds the gradient, and fills the exact Hessians, term by term as lm_cloth_lists has them; locals NULL: the gradient
// only.
void lm_cloth_derivatives(const lm_cloth_law* laws, int count, const double* x, int threads, double* gradient,
                          double* locals);

#endif
