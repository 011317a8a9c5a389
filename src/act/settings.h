// settings.h: the table of lm_act_settings: unit, default, range and meaning of each.
#ifndef LM_ACT_SETTINGS_H
#define LM_ACT_SETTINGS_H

#include "format/table.h"
#include "limber/act.h"

extern const lm_table lm_act_settings_table;

#endif
