// files.h: the real files of a scene, for lm_scene_parse.
#ifndef LM_SCENE_FILES_H
#define LM_SCENE_FILES_H

#include "scene/reader.h"

lm_scene_files lm_scene_files_real(void);

#endif
