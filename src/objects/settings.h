// settings.h: the settings of an object while it moves: as the scene has them, over time or not, or as commands do.
#ifndef LM_OBJECTS_SETTINGS_H
#define LM_OBJECTS_SETTINGS_H

#include "scene/engine.h"

// Sets what changes over time, for the step that is due: by the time at which it begins.
lm_status lm_settings_play(lm_object* object, lm_error* error);

// The number of a setting in the engine's table, or -1, in words.
int32_t lm_settings_find(const lm_object* object, const char* key, lm_error* error);
// From now on it has this value, whatever the scene says; LM_BAD_INPUT for one that cannot be.
lm_status lm_settings_tell(lm_object* object, int32_t number, const double* value, lm_error* error);
// It is again as the scene says.
lm_status lm_settings_free(lm_object* object, int32_t number, lm_error* error);

// The keys of a setting in the scene; NULL: it is constant.
const lm_keyed* lm_settings_keys(const lm_object* object, const char* key);
// The value of a setting at a time, by its keys.
void lm_settings_at(const lm_key* key, const lm_keyed* keys, double time, double* value);

#endif
