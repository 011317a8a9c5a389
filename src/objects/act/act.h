// act.h: the parts of the engine `act` in scenes and worlds, which its table in object.c puts together.
#ifndef LM_OBJECTS_ACT_H
#define LM_OBJECTS_ACT_H

#include "objects/act/follow.h"

// keys.c
extern const lm_table lm_command_table;
extern const lm_table lm_goal_table;
extern const lm_table lm_follow_table;

// resolve.c
lm_element_kind lm_act_elements(const lm_scene_object* object, const lm_mesh* mesh);
void lm_act_resolve(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object);
void lm_act_resolve_between(lm_reader* reader, lm_scene* scene);
void lm_act_release(lm_scene_object* object);
// Whether an object with these settings can carry out a command.
lm_status lm_act_check_command(const lm_scene_object* object, const lm_act_settings* settings,
                               const lm_act_command* command, lm_error* error);
bool lm_act_can_walk(const lm_scene_act* act);
bool lm_act_can_trot(const lm_scene_act* act);
lm_status lm_act_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error);

// resolve_passive.c
void lm_act_complete_passive(const lm_scene_body* body, lm_scene_object* object);

// direct.c: where each goal's vertices, or the centre of mass, are: starts is goal_count x 3. positions: of the body.
void lm_act_goal_starts(const lm_scene_act* act, const lm_act* body, const double* positions, double* starts);
// Sets the goals of the step that is due, as the commands and goals of the scene say.
lm_status lm_act_direct(const lm_object* object, lm_act_pilot* pilot, const double* goal_starts, lm_act_follow* follow,
                        lm_error* error);
// Where the behaviour at a time wants the centre of mass to be; false: nowhere in particular.
bool lm_act_find_goal(const lm_object* object, const lm_act_pilot* pilot, double time, double goal[3]);

// cage.c: the vertices of the cage as they change the rest shape, turned and moved as a whole to where the body is.
// scratch: vertex_count x 3.
void lm_act_place_cage(const lm_act* body, const double* points, double* scratch, double* positions);

#endif
