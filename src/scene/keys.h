// keys.h: the tables of scene files. The engines' own are in objects/, and hang below the table of objects.
#ifndef LM_SCENE_KEYS_H
#define LM_SCENE_KEYS_H

#include "format/table.h"
#include "limber/scene.h"

extern const lm_table lm_scene_table;
extern const lm_table lm_camera_table;
extern const lm_table lm_collider_table;
extern const lm_table lm_placement_table;
extern const lm_table lm_object_table;
extern const lm_table lm_lattice_table;
extern const lm_table lm_group_table;
extern const lm_table lm_pin_table;
extern const lm_table lm_drag_table;
extern const lm_table lm_push_table;

// A new engine adds its table here and a key of its name to the table of objects.
extern const lm_table lm_match_table;
extern const lm_table lm_act_table;
extern const lm_table lm_track_table;
extern const lm_table lm_design_table;
extern const char* const lm_engine_names[]; // NULL-terminated

#endif
