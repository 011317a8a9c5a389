// normals.h: smooth shading that keeps creases.
#ifndef LM_RENDER_NORMALS_H
#define LM_RENDER_NORMALS_H

#include "render/geometry.h"

// Fills corner_normals from positions, face_normals and twins.
void lm_make_corner_normals(lm_geometry* geometry, bool flat);

#endif
