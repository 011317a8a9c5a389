// crate.c: a box of eight vertices that crouches, jumps with a twist of its top, and stops suddenly (Bergou et al.
// 2007, Sec. 5.2): the guide of a cloth of four subdivisions.
#include "make.h"

#include <math.h>
#include <string.h>

static lm_mesh* crate(const lm_host* host)
{
	static const int32_t quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
		                                 { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
	lm_mesh* mesh = lm_mesh_create(host, 8, 12, 0);
	for (int32_t v = 0; mesh && v < 8; v++)
	{
		mesh->positions[3 * v] = (v & 1) - 0.5;
		mesh->positions[3 * v + 1] = v >> 1 & 1;
		mesh->positions[3 * v + 2] = (v >> 2 & 1) - 0.5;
	}
	for (int32_t q = 0; mesh && q < 6; q++)
	{
		const int32_t corners[6] = { quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3] };
		memcpy(mesh->triangles + 6 * (size_t)q, corners, sizeof corners);
	}
	return mesh;
}

// Height of the top, turn of the top and of the bottom (degrees), height of the bottom.
static void jump(double p[3], double time, const void* context)
{
	(void)context;
	static const double tall[][2] = { { 0.3, 1 }, { 0.8, 0.6 }, { 1.05, 1.25 }, { 1.5, 1 }, { 1.75, 0.72 }, { 2, 1 } };
	static const double turn[][2] = { { 0.3, 0 }, { 0.8, -35 }, { 1.35, 80 }, { 1.95, 0 } };
	static const double rise[][2] = { { 0.85, 0 }, { 1.25, 0.55 }, { 1.65, 0 } };
	bool top = p[1] > 0.5;
	double angle = lm_make_curve(turn, 4, time) * MAKE_PI / 180 * (top ? 1 : 0.15);
	const double origin[3] = { 0 }, up[3] = { 0, 1, 0 };
	lm_make_turn(p, origin, up, angle);
	p[1] = p[1] * lm_make_curve(tall, 6, time) + lm_make_curve(rise, 3, time);
}

bool lm_make_crates(make_output* output)
{
	lm_mesh* mesh = crate(&output->host);
	if (!mesh)
		return lm_make_no_memory(output);
	bool made = lm_make_write(output, "crate.obj", mesh, NULL) &&
	            lm_make_write_film(output, "crate-jump.pc2", mesh, &(make_film){ 97, 24, jump, NULL });
	lm_mesh_destroy(mesh);
	return made;
}
