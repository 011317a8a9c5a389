// bar.h: a bar of 16 nodes for the tests of motion: set_up and tear_down make and free it.
#ifndef TEST_DESIGN_BAR_H
#define TEST_DESIGN_BAR_H

#include "design/model.h"
#include "design/shapes.h"
#include "math/quat.h"

#define NODES 16

static lm_host host;
static lm_mesh* mesh;
static lm_design_model* model;
static double rest[3 * NODES];

static int set_up(void** state)
{
	(void)state;
	host = lm_host_default();
	if (!test_bar_model(NODES, &host, &mesh, &model))
		return 1;
	lm_design_model_nodes(model, rest);
	return 0;
}

static int tear_down(void** state)
{
	(void)state;
	lm_design_model_destroy(model);
	lm_mesh_destroy(mesh);
	return 0;
}

// The nodes at rest, turned about their middle and moved.
static void place(lm_quat q, lm_vec3 t, double* nodes)
{
	lm_vec3 c = lm_add_scaled(model->center, model->size, model->middle);
	for (int i = 0; i < NODES; ++i)
		lm_v3_store(nodes, i, lm_add(lm_add(c, t), lm_quat_rotate(q, lm_sub(lm_v3_at(rest, i), c))));
}

#endif
