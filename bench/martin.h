// martin.h: example-based elastic materials after Martin, Thomaszewski, Grinspun, Gross (2011), in plain C, for one
// example: what Koyama et al. compare themselves with (Fig. 10). Linear tetrahedra, implicit Euler.
#ifndef BENCH_MARTIN_H
#define BENCH_MARTIN_H

#include "limber/mesh.h"

typedef struct martin_def
{
	const lm_mesh* mesh;   // rest shape, tetrahedra
	const double* example; // vertex_count x 3
	double young, rest;    // Pa of the whole material; the share of it that pulls to rest, the others to the examples
	double density, drag;  // kg/m^3, 1/s
	double gravity[3];
} martin_def;

typedef struct martin martin;

martin* martin_create(const martin_def* def); // NULL when out of memory
void martin_destroy(martin* body);
void martin_pin(martin* body, int32_t vertex);
void martin_step(martin* body, double h);
const double* martin_positions(const martin* body); // vertex_count x 3
double martin_weight(const martin* body);           // of the example
int64_t martin_solves(const martin* body);          // linear systems solved so far

#endif
