// xavier.c: an X on two legs (Bergou et al. 2007, Sec. 5.4): two limbs that cross, about 3000 vertices. It walks,
// struggles against wind, is electrocuted and shakes it off.
#include "make.h"

#include <math.h>
#include <stdlib.h>

static const double middle[3] = { 0, 1, 0 };

static double field(const double p[3], const void* context)
{
	(void)context;
	const double q[3] = { fabs(p[0]), p[1], p[2] }, hand[3] = { 0.5, 1.75, 0 }, foot[3] = { 0.42, 0.14, 0.02 };
	return lm_field_join(lm_field_limb(q, middle, hand, 0.17, 0.13), lm_field_limb(q, middle, foot, 0.17, 0.14), 0.08);
}

// How far a point belongs to one of the limbs: 0 in the middle, 1 from a quarter of a metre on.
static double share(const double p[3])
{
	return lm_make_step(0.1, 0.32, fabs(p[1] - middle[1]));
}

static void act(double p[3], double time, const void* context)
{
	(void)context;
	static const double walking[][2] = { { 0, 0 }, { 0.2, 1 }, { 1.8, 1 }, { 2, 0 } };
	static const double leaning[][2] = { { 1.6, 0 }, { 2, 0.45 }, { 2.6, 0.45 }, { 2.75, -0.1 }, { 3.6, 0 } };
	static const double stiff[][2] = { { 2.65, 0 }, { 2.75, 1 }, { 3.4, 1 }, { 3.5, 0 } };
	static const double shaking[][2] = { { 3.5, 0 }, { 3.6, 1 }, { 4.2, 1 }, { 4.4, 0 } };
	static const double way[][2] = { { 0, 0 }, { 1.9, 0.9 }, { 2.6, 1.0 } };
	const double x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 };
	bool left = p[0] > 0, leg = p[1] < middle[1];
	double beat = 2 * MAKE_PI * 1.25 * time, belongs = share(p), tremble = lm_make_curve(stiff, 4, time);
	double swing = lm_make_curve(walking, 4, time) * 0.5 * sin(beat) * (left == leg ? 1 : -1);
	lm_make_turn(p, middle, x, belongs * swing);
	if (!leg) // arms before the face, against the wind
		lm_make_turn(p, middle, x, belongs * 0.8 * lm_make_curve(leaning, 5, time));
	double shake = tremble * 0.12 * sin(2 * MAKE_PI * 11 * time) +
	               lm_make_curve(shaking, 4, time) * 0.45 * sin(2 * MAKE_PI * 4 * time);
	lm_make_turn(p, middle, y, shake * (leg ? 1 - belongs : 1 + 0.5 * belongs));
	const double ground[3] = { 0, 0, 0 };
	lm_make_turn(p, ground, x, lm_make_curve(leaning, 5, time) * (leg ? 0.5 : 0.8));
	p[1] += 0.04 * lm_make_curve(walking, 4, time) * fabs(cos(beat)) + 0.05 * tremble;
	p[2] += lm_make_curve(way, 3, time);
}

// Every hair on end: spikes along the surface.
static void shock(double p[3], const void* context)
{
	(void)context;
	double spike = sin(37 * p[0] + 3) * sin(41 * p[1] + 1) * sin(43 * p[2] + 2);
	double axis = fabs(p[1] - middle[1]) / 0.75, centre = (p[0] > 0 ? 1 : -1) * (p[1] > 1 ? 0.5 : 0.37) * axis;
	p[0] += 0.35 * spike * (p[0] - centre), p[2] += 0.35 * spike * p[2];
}

bool lm_make_xavier(make_output* output)
{
	const double low[3] = { -0.75, -0.1, -0.3 }, high[3] = { 0.75, 2, 0.3 };
	lm_mesh* mesh = lm_make_polygonise(field, NULL, low, high, 0.0725, &output->host);
	if (!mesh)
		return lm_make_no_memory(output);
	double* shocked = lm_make_posed(mesh, shock, NULL);
	bool made = shocked || lm_make_no_memory(output);
	made = made && lm_make_write(output, "xavier.ply", mesh, NULL) &&
	       lm_make_write(output, "xavier-shock.ply", mesh, shocked) &&
	       lm_make_write_film(output, "xavier-act.pc2", mesh, &(make_film){ 109, 24, act, NULL });
	lm_mesh_destroy(mesh);
	free(shocked);
	return made;
}
