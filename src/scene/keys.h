// keys.h: the tables of scene files. The engines' own are in objects/, and hang below the table of objects.
#ifndef LM_SCENE_KEYS_H
#define LM_SCENE_KEYS_H

#include "format/table.h"
#include "limber/scene.h"

extern const lm_table lm_scene_table;
extern const lm_table lm_camera_table;
extern const lm_table lm_collider_table;
extern const lm_table lm_field_table;
extern const lm_table lm_collider_cache_table;
extern const lm_table lm_placement_table;
extern const lm_table lm_object_table;
extern const lm_table lm_lattice_table;
extern const lm_table lm_group_table;
extern const lm_table lm_pin_table;
extern const lm_table lm_drag_table;
extern const lm_table lm_push_table;

// How an animation in files is played: keys of whatever has such a file, with fields of these names.
#define LM_ANIMATION_KEYS(type)                                                                                        \
	{ "first", LM_KEY_INTEGER, .high = 10000000, LM_AT(type, first),                                                   \
	  .help = "Number of the first of a row of meshes; 1 where there is no 0." },                                      \
		{ "last",                                                                                                      \
		  LM_KEY_INTEGER,                                                                                              \
		  .high = 10000000,                                                                                            \
		  LM_AT(type, last),                                                                                           \
		  .usual = "the last there is",                                                                                \
		  .help = "Number of the last." },                                                                             \
		{ "fps",                                                                                                       \
		  LM_KEY_NUMBER,                                                                                               \
		  .low = 0.01,                                                                                                 \
		  .high = 100000,                                                                                              \
		  LM_AT(type, fps),                                                                                            \
		  .unit = "1/s",                                                                                               \
		  .usual = "the scene's; the file's own times for .mdd",                                                       \
		  .help = "Frames per second of the file." },                                                                  \
		{ "start", LM_KEY_NUMBER, LM_AT(type, start), .unit = "s",                                                     \
		  .help = "When in the scene it begins; it rests before, and after its end." },                                \
	{                                                                                                                  \
		"speed", LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1000, .preset = { 1 }, LM_AT(type, speed),                       \
											  .help = "How fast it is played: 2 is twice as fast."                     \
	}

// A new engine adds its table here and a key of its name to the table of objects.
extern const lm_table lm_match_table;
extern const lm_table lm_act_table;
extern const lm_table lm_track_table;
extern const lm_table lm_design_table;
extern const char* const lm_engine_names[]; // NULL-terminated

#endif
