// scenes.h: scenes of the gallery, as rows need them.
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

#include "limber/scene.h"

bool bench_no_memory(lm_error* error); // says so, returns false

// By its name below gallery/; NULL after a failure, with the reason in *error.
lm_scene* bench_read_scene(const char* name, lm_error* error);

// Makes an object the first, so that the others can be left out.
bool bench_put_first(lm_scene* scene, const char* object, lm_error* error);

// Display surfaces are no part of a step.
void bench_drop_surfaces(lm_scene* scene);

// Puts a cylinder of 100,000 particles and its corkscrew in place of the mesh and the example of an object.
bool bench_refine(lm_scene_object* object, lm_error* error);

#endif
