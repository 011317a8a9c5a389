// control_scenes.h: small bodies of every model under every kind of control, with goals, for the tests of control.
#ifndef LIMBER_TEST_ACT_CONTROL_SCENES_H
#define LIMBER_TEST_ACT_CONTROL_SCENES_H

#include "scenes.h"

typedef struct control_case
{
	lm_act_kind kind;
	lm_act_control control;
	int groups; // of examples
} control_case;

static const control_case control_cases[] = {
	{ LM_ACT_CURVE2, LM_ACT_FULL, 0 },          { LM_ACT_CURVE2, LM_ACT_CAGE, 0 },
	{ LM_ACT_CURVE2, LM_ACT_EXAMPLES, 1 },      { LM_ACT_SOLID2, LM_ACT_FULL, 0 },
	{ LM_ACT_SOLID2, LM_ACT_CAGE, 0 },          { LM_ACT_SOLID2, LM_ACT_EXAMPLES, 2 },
	{ LM_ACT_SHELL, LM_ACT_FULL, 0 },           { LM_ACT_SHELL, LM_ACT_CAGE, 0 },
	{ LM_ACT_SHELL, LM_ACT_EXAMPLES, 1 },       { LM_ACT_SOLID, LM_ACT_FULL, 0 },
	{ LM_ACT_SOLID, LM_ACT_CAGE, 0 },           { LM_ACT_SOLID, LM_ACT_EXAMPLES, 2 },
	{ LM_ACT_SOLID_GREEN, LM_ACT_FULL, 0 },     { LM_ACT_SOLID_GREEN, LM_ACT_CAGE, 0 },
	{ LM_ACT_SOLID_GREEN, LM_ACT_EXAMPLES, 1 },
};
#define CONTROL_CASES ((int)(sizeof control_cases / sizeof *control_cases))

// A closed cage around the mesh: a hexagon in the plane, a cuboid with eight corners in space.
static inline lm_mesh* control_cage(const lm_host* host, const lm_mesh* mesh, bool flat)
{
	double low[3], high[3], margin = 0.1;
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	for (int i = 0; i < 3; ++i)
		low[i] -= margin, high[i] += margin;
	lm_mesh* cage = lm_mesh_create(host, flat ? 6 : 8, flat ? 0 : 12, 0);
	if (cage == NULL)
		return NULL;
	if (flat)
	{
		double middle = (low[1] + high[1]) / 2;
		const double corners[6][2] = { { low[0], low[1] },   { high[0], low[1] }, { high[0] + margin, middle },
			                           { high[0], high[1] }, { low[0], high[1] }, { low[0] - margin, middle } };
		for (int v = 0; v < 6; ++v)
			cage->positions[3 * v] = corners[v][0], cage->positions[3 * v + 1] = corners[v][1];
		return cage;
	}
	for (int v = 0; v < 8; ++v)
		for (int i = 0; i < 3; ++i)
			cage->positions[3 * v + i] = v >> i & 1 ? high[i] : low[i];
	static const int32_t sides[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
		                                 { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
	for (int s = 0; s < 6; ++s)
	{
		int32_t* t = cage->triangles + 6 * s;
		t[0] = sides[s][0], t[1] = sides[s][1], t[2] = sides[s][2];
		t[3] = sides[s][0], t[4] = sides[s][2], t[5] = sides[s][3];
	}
	return cage;
}

// Three poses: bent, squeezed, sheared.
static inline void control_pose(const lm_mesh* mesh, int which, bool flat, double* pose)
{
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		const double* x = mesh->positions + 3 * v;
		double *y = pose + 3 * v, angle = 0.6 * x[1];
		memcpy(y, x, 3 * sizeof *y);
		if (which == 0)
			y[0] = x[0] * cos(angle) + 0.5 * x[1] * sin(angle), y[1] = x[1] * cos(angle) - 0.3 * x[0] * sin(angle);
		else if (which == 1)
			y[1] *= 0.7, y[0] *= 1.1;
		else
			y[0] += 0.3 * x[1], y[2] *= flat ? 1 : 1.2;
	}
}

static inline lm_act* control_body(const lm_host* host, const control_case* c, lm_act_def def)
{
	bool flat = c->kind == LM_ACT_CURVE2 || c->kind == LM_ACT_SOLID2;
	lm_mesh* mesh = scene_mesh(host, c->kind);
	lm_mesh* cage = c->control == LM_ACT_CAGE && mesh != NULL ? control_cage(host, mesh, flat) : NULL;
	static const int32_t groups[3] = { 0, 1, 0 };
	double* poses[3] = { NULL, NULL, NULL };
	lm_act* body = NULL;
	for (int k = 0; mesh != NULL && k < 3; ++k)
	{
		poses[k] = malloc(sizeof **poses * 3 * (size_t)mesh->vertex_count);
		control_pose(mesh, k, flat, poses[k]);
	}
	def.kind = c->kind, def.control = c->control, def.mesh = mesh, def.cage = cage;
	def.example_count = 3, def.examples = (const double* const*)poses;
	def.example_groups = c->groups > 1 ? groups : NULL;
	if (mesh != NULL && (cage != NULL || c->control != LM_ACT_CAGE))
		lm_act_create(&def, host, &body, NULL);
	for (int k = 0; k < 3; ++k)
		free(poses[k]);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(mesh);
	return body;
}

// Goals on the centre of mass, the angular momentum and some vertices; h of the steps is 0.02.
static inline lm_status control_goals(lm_act* body, double speed)
{
	int32_t n = lm_act_vertex_count(body), d = lm_act_dimension(body), rows = 0;
	int32_t* vertices = malloc(sizeof *vertices * 8 * (size_t)n);
	double *coefficients = malloc(sizeof *coefficients * 24 * (size_t)n), center[3];
	lm_act_goal goals[8];
	lm_act_center(body, center);
	for (int i = 0; i < d; ++i, ++rows) // centre
	{
		double axis[3] = { i == 0, i == 1, i == 2 };
		int32_t* v = vertices + rows * n;
		double* a = coefficients + 3 * rows * n;
		goals[rows] =
			(lm_act_goal){ lm_act_row_center(body, axis, v, a), v, a, center[i], i == 0 ? speed : 0, 1, 1, 1 };
	}
	{
		const double axis[3] = { 0, 0, 1 };
		int32_t* v = vertices + rows * n;
		double* a = coefficients + 3 * rows * n;
		goals[rows++] = (lm_act_goal){ lm_act_row_spin(body, axis, v, a), v, a, 0, 0.05, 0, 1, 2 };
	}
	for (int k = 0; k < 2; ++k, ++rows) // two vertices, one upwards, one aside
	{
		int32_t* v = vertices + rows * n;
		double* a = coefficients + 3 * rows * n;
		v[0] = k == 0 ? 0 : n - 1;
		a[0] = k, a[1] = 1 - k, a[2] = 0;
		goals[rows] = (lm_act_goal){ 1, v, a, 0.05, 0.3, 4, 1, 0.5 };
	}
	lm_status status = lm_act_set_goals(body, goals, rows, NULL);
	free(vertices);
	free(coefficients);
	return status;
}

#endif
