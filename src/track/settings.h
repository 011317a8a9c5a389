// settings.h: the table of lm_track_settings: unit, default, range and meaning of each.
#ifndef LM_TRACK_SETTINGS_H
#define LM_TRACK_SETTINGS_H

#include "format/table.h"
#include "limber/track.h"

extern const lm_table lm_track_settings_table;

#define LM_TRACK_DENSITY 0.2 // kg/m^2, default
#define LM_TRACK_COMPACT 0.5 // of clusters, default

// That of the settings, or the default for the mesh.
double lm_track_thickness(const lm_track_settings* settings, const lm_mesh* mesh);

#endif
