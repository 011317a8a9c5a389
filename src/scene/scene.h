// scene.h: what the parts of the scene module share about lm_scene: defaults, and freeing.
#ifndef LM_SCENE_SCENE_H
#define LM_SCENE_SCENE_H

#include "limber/scene.h"

// Each fills a zeroed struct with the defaults of its plain fields; pointers stay NULL.
void lm_scene_defaults(lm_scene* scene);
void lm_scene_object_defaults(lm_scene_object* object);
void lm_scene_collider_defaults(lm_scene_collider* collider);
void lm_scene_match_defaults(lm_scene_match* match);
void lm_scene_act_defaults(lm_scene_act* act);
void lm_scene_track_defaults(lm_scene_track* track);
void lm_scene_command_defaults(lm_scene_command* command);
void lm_scene_goal_defaults(lm_scene_goal* goal);
void lm_scene_design_defaults(lm_scene_design* design);
void lm_scene_design_release(const lm_host* host, lm_scene_design* design);
lm_scene_camera lm_scene_camera_default(void);

// Bodies of `act` touch within their steps, so they take them together: the first object of `act` in the scene where
// this one is of `act`, too, and has other substeps; NULL when all is well.
const lm_scene_object* lm_scene_out_of_step(const lm_scene* scene, const lm_scene_object* object);

// "#rrggbb" (sRGB) to linear 0 .. 1; false when the text is something else.
bool lm_color_parse(const char* text, float color[3]);
// Back again, for documents.
void lm_color_format(const float color[3], char text[8]);

#endif
