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

enum
{
	frames = 109,
	fps = 24
};

static const double sole = 0.14, leg = 0.86; // m: radius of a foot, and from its middle to where the limbs cross

// Legs swing to and fro against each other, in radians.
static double swing_at(double time)
{
	static const double walking[][2] = { { 0, 0 }, { 0.5, 1 }, { 1.7, 1 }, { 2, 0 } };
	return 0.2 * lm_make_curve(walking, 4, time) * sin(2 * MAKE_PI * time);
}

// How far it has gone when its feet roll on the ground: of both legs the one that swings back stands. When it has
// turned by the angle s its foot has rolled by sole s, and the limbs cross leg sin s before it.
static void walk(double way[frames])
{
	enum
	{
		parts = 64 // of a frame
	};
	double before = swing_at(0);
	way[0] = 0;
	for (int k = 1; k < frames; ++k)
	{
		way[k] = way[k - 1];
		for (int i = 1; i <= parts; ++i)
		{
			double now = swing_at((k - 1 + (double)i / parts) / fps);
			way[k] += fabs(sole * (now - before) + leg * (sin(now) - sin(before)));
			before = now;
		}
	}
}

static void act(double p[3], double time, const void* context)
{
	static const double leaning[][2] = { { 1.7, 0 }, { 2.1, 0.45 }, { 2.6, 0.45 }, { 2.75, -0.1 }, { 3.6, 0 } };
	static const double stiff[][2] = { { 2.65, 0 }, { 2.75, 1 }, { 3.4, 1 }, { 3.5, 0 } };
	static const double shaking[][2] = { { 3.5, 0 }, { 3.6, 1 }, { 4.2, 1 }, { 4.4, 0 } };
	const double x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 }, *way = context;
	bool left = p[0] > 0, below = p[1] < middle[1];
	double above = lm_make_step(0.15, 1.2, p[1]); // the feet
	double belongs = share(p), tremble = lm_make_curve(stiff, 4, time), swing = swing_at(time);
	double rate = (swing_at(time + 0.005) - swing_at(time - 0.005)) / 0.01;
	double share_of_speed = fmin(1, rate * rate / 1.6);
	if (below && (left ? rate < 0 : rate > 0)) // the leg that swings forward is lifted, quickly at first
		p[1] += 0.07 * belongs * (1 - pow(1 - share_of_speed, 3));
	lm_make_turn(p, middle, x, belongs * swing * (left == below ? 1 : -1));
	if (!below) // arms before the face, against the wind
		lm_make_turn(p, middle, x, belongs * 0.8 * lm_make_curve(leaning, 5, time));
	double shake = tremble * 0.12 * sin(2 * MAKE_PI * 11 * time) +
	               lm_make_curve(shaking, 4, time) * 0.45 * sin(2 * MAKE_PI * 4 * time);
	lm_make_turn(p, middle, y, shake * (below ? 1 - belongs : 1 + 0.5 * belongs));
	p[1] += leg * (cos(swing) - 1); // feet stay on the ground
	const double ground[3] = { 0, 0, 0 };
	lm_make_turn(p, ground, x, 0.7 * above * lm_make_curve(leaning, 5, time));
	p[1] += 0.05 * tremble;
	p[2] += way[lround(time * fps)];
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
	double way[frames];
	bool made = shocked || lm_make_no_memory(output);
	walk(way);
	made = made && lm_make_write(output, "xavier.ply", mesh, NULL) &&
	       lm_make_write(output, "xavier-shock.ply", mesh, shocked) &&
	       lm_make_write_film(output, "xavier-act.pc2", mesh, &(make_film){ frames, fps, act, way });
	lm_mesh_destroy(mesh);
	free(shocked);
	return made;
}
