// match_martin.h: the method of Martin et al. on the first object of a scene of `match`.
#ifndef BENCH_MATCH_MARTIN_H
#define BENCH_MATCH_MARTIN_H

#include "limber/limber.h"
#include "martin.h"

// With the pins of the scene and the stiffness of the body; NULL when out of memory.
martin* match_martin_create(const lm_scene* scene, const lm_match* body);

#endif
