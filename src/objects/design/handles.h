// handles.h: handles as scenes and files of handles have them.
#ifndef LM_OBJECTS_HANDLES_H
#define LM_OBJECTS_HANDLES_H

#include "scene/reader.h"

// Finds the vertices; a problem where we are when there are none.
void lm_read_handle_into(lm_reader* reader, const lm_read_body* body, const lm_read_handle* read,
                         lm_scene_handle* handle);

#endif
