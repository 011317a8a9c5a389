// fine_cylinder.h: a cylinder with as many particles as wanted, for the rows that are too large for a gallery.
#ifndef BENCH_FINE_CYLINDER_H
#define BENCH_FINE_CYLINDER_H

#include "limber/mesh.h"

// across x across x along particles in a cylinder of this radius that stands on y = 0; six tetrahedra per cell. NULL
// when out of memory.
lm_mesh* fine_cylinder(int32_t across, int32_t along, double radius, double height);

// A copy of it, twisted by half a turn, wider and shorter, as the gallery's corkscrew example.
lm_mesh* fine_corkscrew(const lm_mesh* cylinder, double height);

#endif
