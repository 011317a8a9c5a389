// blend.c: shapes between two poses as `act` interpolates its example poses: element by element, made one piece again
// by a static solve (Coros et al. 2012, Fig. 4 and 5). Five weights each of a bar that twists and of a tube that winds.
#include "make.h"

#include <limber/act.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WEIGHTS 5

static const make_block bar = { .cells = { 2, 10, 2 }, .low = { -0.1, 0, -0.1 }, .cell = { 0.1, 0.1, 0.1 } };

static void place_tube(double u, double v, double p[3])
{
	double angle = 2 * MAKE_PI * u;
	p[0] = 0.1 * cos(angle), p[1] = v, p[2] = 0.1 * sin(angle);
}

// Half a turn from end to end.
static void twist(double p[3], const void* context)
{
	(void)context;
	const double origin[3] = { 0 }, up[3] = { 0, 1, 0 };
	lm_make_turn(p, origin, up, MAKE_PI * p[1]);
}

// Around a helix of half a turn, as long as the tube, with the helix's own frame.
static void wind(double p[3], const void* context)
{
	(void)context;
	const double radius = 0.2, turn = MAKE_PI, rise = sqrt(1 - radius * radius * turn * turn);
	double s = turn * p[1], out[3] = { cos(s), 0, sin(s) };
	double along[3] = { -radius * turn * sin(s), rise, radius * turn * cos(s) };
	double side[3] = { out[1] * along[2] - out[2] * along[1], out[2] * along[0] - out[0] * along[2],
		               out[0] * along[1] - out[1] * along[0] };
	double at[3] = { radius * cos(s), rise * p[1], radius * sin(s) };
	for (int k = 0; k < 3; ++k)
		at[k] += p[0] * out[k] + p[2] * side[k];
	for (int k = 0; k < 3; ++k)
		p[k] = at[k];
}

// The body at each weight, from the one before; its first vertex is held, because nothing else says where it is.
static bool write_blends(make_output* output, const char* format, lm_act* body, const lm_mesh* mesh)
{
	double* positions = malloc(3 * (size_t)mesh->vertex_count * sizeof *positions);
	if (!positions)
		return lm_make_no_memory(output);
	bool made = true;
	lm_act_pin(body, 0, mesh->positions);
	for (int k = 0; made && k < WEIGHTS; ++k)
	{
		char name[64];
		double weight = (double)k / (WEIGHTS - 1);
		lm_act_static_report report;
		snprintf(name, sizeof name, format, 100 * k / (WEIGHTS - 1));
		lm_act_set_parameters(body, &weight);
		made = lm_act_settle(body, NULL, &report, &output->error) == LM_OK;
		lm_act_positions(body, positions);
		made = made && lm_make_write(output, name, mesh, positions);
	}
	free(positions);
	return made;
}

static bool make_blends(make_output* output, const char* format, lm_act_kind kind, const lm_mesh* mesh, make_map map)
{
	if (!mesh)
		return lm_make_no_memory(output);
	double* pose = lm_make_posed(mesh, map, NULL);
	if (!pose)
		return lm_make_no_memory(output);
	const double* poses[1] = { pose };
	lm_act_def def = lm_act_def_default();
	def.kind = kind, def.mesh = mesh, def.control = LM_ACT_EXAMPLES;
	def.example_count = 1, def.examples = poses;
	def.settings.material = (lm_act_material){ 1000, 1, 0 };
	for (int k = 0; k < 3; ++k)
		def.settings.gravity[k] = 0;
	lm_act* body = NULL;
	bool made =
		lm_act_create(&def, &output->host, &body, &output->error) == LM_OK && write_blends(output, format, body, mesh);
	lm_act_destroy(body);
	free(pose);
	return made;
}

bool lm_make_blends(make_output* output)
{
	lm_mesh* solid = lm_make_block_mesh(&bar, &output->host);
	bool made = make_blends(output, "blend-bar-%d.msh", LM_ACT_SOLID_GREEN, solid, twist);
	lm_mesh_destroy(solid);
	if (!made)
		return false;
	const make_sheet tube = { { 16, 40 }, true, place_tube };
	lm_mesh* shell = lm_make_sheet(&tube, &output->host);
	made = make_blends(output, "blend-tube-%d.obj", LM_ACT_SHELL, shell, wind);
	lm_mesh_destroy(shell);
	return made;
}
