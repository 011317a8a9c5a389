// field.h: the signed distance to a model's surface at rest, over the voxels of its grid, negative inside; and the
// shape functions there. Between voxels both are trilinear, which keeps linear precision and costs a tenth of shape.c.
#ifndef LM_DESIGN_FIELD_H
#define LM_DESIGN_FIELD_H

#include "design/model.h"

typedef struct lm_design_field
{
	const lm_design_model* model;
	float* distance; // per slot
	float* phi;      // per slot and node
} lm_design_field;

lm_status lm_design_field_create(const lm_design_model* model, const lm_host* host, lm_design_field* field,
                                 lm_error* error);
void lm_design_field_release(lm_design_field* field, const lm_host* host);

// Distance and its gradient at a place in own coordinates, trilinear; false beyond the voxels (then it is outside).
bool lm_design_field_at(const lm_design_field* field, lm_vec3 x, double* distance, lm_vec3* gradient);

// Where nodes at z bring the place, and the gradient of that map; phi becomes the shape functions of all nodes.
bool lm_design_field_map(const lm_design_field* field, lm_vec3 x, const double* z, double* phi, lm_vec3* place,
                         lm_mat3* gradient);

#endif
