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

#endif
