// behaviours.h: the table of behaviours: names, defaults, ranges and meanings, for scene files and other sources of
// commands.
#ifndef LM_ACT_PILOT_BEHAVIOURS_H
#define LM_ACT_PILOT_BEHAVIOURS_H

#include "format/table.h"
#include "limber/act_pilot.h"

// All by lm_act_behaviour.
extern const char* const lm_act_behaviour_names[]; // NULL-terminated

typedef struct lm_act_behaviour_info
{
	const char* help; // what it does: "crouches, pushes off, flies and lands over and over"
	const char* keys; // of a command in a scene file that it knows, with a space between them
} lm_act_behaviour_info;

extern const lm_act_behaviour_info lm_act_behaviours[];

// walk and trot.
bool lm_act_steps(lm_act_behaviour behaviour);
bool lm_act_behaviour_knows(lm_act_behaviour behaviour, const char* key);

// Two tables of lm_act_command: the behaviour alone, and its parameters without the velocity, which scene files
// give over time. Presets are those of most behaviours; lm_act_command_default knows the exceptions.
extern const lm_table lm_act_behaviour_table;
extern const lm_table lm_act_command_table;

// Of a command at `offset` in an item that `table` has filled: numbers that were not given become the defaults of its
// behaviour.
void lm_act_command_complete(const lm_table* table, void* item, size_t offset);

#endif
