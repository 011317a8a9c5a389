// settings.h: the table of lm_match_settings: unit, default, range and meaning of each.
#ifndef LM_MATCH_SETTINGS_H
#define LM_MATCH_SETTINGS_H

#include "format/table.h"
#include "limber/match.h"

extern const lm_table lm_match_settings_table;

#endif
