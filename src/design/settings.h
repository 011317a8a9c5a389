// settings.h: the numbers that people choose: unit, default, range and meaning of each. Tables of the engine's structs;
// and single numbers, for tables of other structs that hold them, perhaps by another name.
#ifndef LM_DESIGN_SETTINGS_H
#define LM_DESIGN_SETTINGS_H

#include "format/table.h"
#include "limber/design.h"

extern const lm_table lm_design_model_table;       // lm_design_model_def
extern const lm_table lm_design_pose_table;        // lm_design_pose_settings
extern const lm_table lm_design_pose_handle_table; // lm_design_pose_handle
extern const lm_table lm_design_search_table;      // lm_design_motion_settings, as far as it is not about time
extern const lm_table lm_design_motion_table;      // all of it
extern const lm_table lm_design_motion_object_table;
extern const lm_table lm_design_dynamics_table;
extern const lm_table lm_design_performance_table; // lm_design_performance_settings

// lm_table_check, and "object 2: " before what is wrong.
lm_status lm_design_check_item(const lm_table* table, const void* item, const char* what, int32_t index,
                               lm_error* error);

#define LM_DESIGN_NODES                                                                                                \
	LM_KEY_INTEGER, .low = 4, .high = 1000, .preset = { 60 }, .help = "How many nodes move the surface."
#define LM_DESIGN_RADIUS                                                                                               \
	LM_KEY_NUMBER, .high = LM_KEY_LIMIT, .unit = "m",                                                                  \
				   .help = "Above 0: as many nodes as every point needs to see four of them within it, instead of "    \
						   "`nodes`."
#define LM_DESIGN_VOXELS                                                                                               \
	LM_KEY_INTEGER, .low = 1000, .high = 1000000, .preset = { 16000 },                                                 \
					.help = "How finely the material is divided to measure distances in it; more keeps narrow gaps "   \
							"apart."
#define LM_DESIGN_POSE_HANDLES                                                                                         \
	LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, .preset = { 100 }, .help = "Weight of the handles of poses."
#define LM_DESIGN_POSE_STRAIN                                                                                          \
	LM_KEY_NUMBER, LM_KEY_ABOVE, .high = 1e9, .preset = { 1 }, .help = "Weight of the shape in poses."
#define LM_DESIGN_POSE_VOLUME                                                                                          \
	LM_KEY_NUMBER, .high = 1e9, .preset = { 10 },                                                                      \
				   .help = "Weight of the volume in poses made by handles; 0 lets it change."
#define LM_DESIGN_HANDLE_WEIGHT                                                                                        \
	LM_KEY_NUMBER, .high = 1e9, .preset = { 1 }, .help = "How much it counts against other handles and the shape."
#define LM_DESIGN_FRAMES                                                                                               \
	LM_KEY_INTEGER, .low = 2, .high = 10000, .preset = { 24 },                                                         \
					.help = "Most frames that the motion may have, keys included."
#define LM_DESIGN_RATE                                                                                                 \
	LM_KEY_NUMBER, .low = 24, .high = 10000, .preset = { 240 }, .unit = "1/s",                                         \
				   .help = "Steps of simulation per second, of the first object."

#endif
