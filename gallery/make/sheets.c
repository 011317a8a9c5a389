// sheets.c: cloths and the motions that lead them in the figures of Bergou et al. 2007: a sheet that pulsates (Fig. 4)
// or is drawn together (Fig. 5, 6), a strip that is jerked (Fig. 3), a tube that is wrung and let go (Fig. 8) or bends
// like a worm (Fig. 7), and the flag of 35 vertices (Sec. 5.1).
#include "make.h"

#include <math.h>

// Not quite flat: a flat sheet that is pressed together does not know which way to buckle.
static void place_sheet(double u, double v, double p[3])
{
	p[0] = u - 0.5, p[1] = 0.003 * sin(29 * u + 4 * v) * sin(3 + 5 * u + 23 * v), p[2] = 0.5 - v;
}

static void place_strip(double u, double v, double p[3])
{
	p[0] = u - 0.5, p[1] = 0, p[2] = 0.025 - 0.05 * v;
}

static void place_tube(double u, double v, double p[3])
{
	p[0] = 0.2 * cos(2 * MAKE_PI * u), p[1] = v, p[2] = -0.2 * sin(2 * MAKE_PI * u);
}

static void place_flag(double u, double v, double p[3])
{
	p[0] = 1.5 * u, p[1] = v - 1, p[2] = 0;
}

// Expands and contracts by a fifth, four times a second, bulging a little.
static void pulse(double p[3], double time, const void* context)
{
	(void)context;
	double beat = 1 + 0.1 * (1 - cos(2 * MAKE_PI * 4 * time)) * lm_make_step(0, 0.25, time);
	double far = p[0] * p[0] + p[2] * p[2];
	p[1] += 0.15 * (beat - 1) * (0.5 - far);
	p[0] *= beat, p[2] *= beat;
}

// Drawn together along x to two thirds.
static void gather(double p[3], double time, const void* context)
{
	(void)context;
	p[0] *= 1 - 0.3 * lm_make_step(0, 0.8, time);
}

// Arches slowly, then jerks to and fro.
static void jerk(double p[3], double time, const void* context)
{
	(void)context;
	static const double way[][2] = { { 1.2, 0 }, { 1.3, 0.3 }, { 1.5, 0.3 }, { 1.6, -0.2 }, { 1.9, -0.2 }, { 2, 0 } };
	double arch = lm_make_step(0, 0.8, time);
	double angle = 2.2 * arch * p[0];
	double radius = arch > 1e-6 ? 1 / (2.2 * arch) : 0;
	if (radius > 0)
		p[0] = radius * sin(angle), p[1] += radius * (cos(angle) - cos(1.1 * arch));
	p[1] += lm_make_curve(way, 6, time);
}

// The top is turned by 110 degrees and sinks, stays, and comes back.
static void wring(double p[3], double time, const void* context)
{
	(void)context;
	static const double turn[][2] = { { 0.2, 0 }, { 1.2, 110 }, { 1.6, 110 }, { 2.1, 0 } };
	static const double sink[][2] = { { 0.2, 1 }, { 1.2, 0.8 }, { 1.6, 0.8 }, { 2.1, 1 } };
	const double origin[3] = { 0 }, up[3] = { 0, 1, 0 };
	lm_make_turn(p, origin, up, lm_make_curve(turn, 4, time) * MAKE_PI / 180 * p[1]);
	p[1] *= lm_make_curve(sink, 4, time);
}

// A worm: one sharp bend in the middle, which comes and goes.
static void nod(double p[3], double time, const void* context)
{
	(void)context;
	double angle = 1.5 * sin(2 * MAKE_PI * fmin(time, 2) / 2);
	const double middle[3] = { 0, 0.5, 0 }, axis[3] = { 0, 0, 1 };
	lm_make_turn(p, middle, axis, angle * lm_make_step(0.42, 0.58, p[1]));
}

static bool make_sheet_films(make_output* output, const make_sheet* shape, const char* name, const make_film* films,
                             const char* const* names, int32_t count)
{
	lm_mesh* mesh = lm_make_sheet(shape, &output->host);
	if (!mesh)
		return lm_make_no_memory(output);
	bool made = lm_make_write(output, name, mesh, NULL);
	for (int32_t i = 0; made && i < count; i++)
		made = lm_make_write_film(output, names[i], mesh, &films[i]);
	lm_mesh_destroy(mesh);
	return made;
}

bool lm_make_sheets(make_output* output)
{
	const make_film sheet_films[] = { { 49, 96, pulse, NULL }, { 25, 24, gather, NULL } };
	const char* const sheet_names[] = { "sheet-pulse.pc2", "sheet-gather.pc2" };
	const make_film fine_films[] = { { 25, 24, gather, NULL } };
	const char* const fine_names[] = { "sheet-fine-gather.pc2" };
	const make_film strip_films[] = { { 73, 24, jerk, NULL } };
	const char* const strip_names[] = { "strip-jerk.pc2" };
	const make_film tube_films[] = { { 73, 24, wring, NULL }, { 49, 24, nod, NULL } };
	const char* const tube_names[] = { "tube-wring.pc2", "tube-nod.pc2" };
	return make_sheet_films(output, &(make_sheet){ { 35, 35 }, false, place_sheet }, "sheet.obj", sheet_films,
	                        sheet_names, 2) &&
	       make_sheet_films(output, &(make_sheet){ { 79, 79 }, false, place_sheet }, "sheet-fine.obj", fine_films,
	                        fine_names, 1) &&
	       make_sheet_films(output, &(make_sheet){ { 80, 4 }, false, place_strip }, "strip.obj", strip_films,
	                        strip_names, 1) &&
	       make_sheet_films(output, &(make_sheet){ { 28, 22 }, true, place_tube }, "tube.obj", tube_films, tube_names,
	                        2) &&
	       make_sheet_films(output, &(make_sheet){ { 6, 4 }, false, place_flag }, "flag.obj", NULL, NULL, 0);
}
