// dancer.c: a figure that dances, as a body that deforms, and two skirts to be worn on it, with what leads them: the
// same motion, as the hips have it. It stands on y = 0 and looks along z.
#include "make.h"

#include <math.h>

#define WAIST 1.02 // m: where skirts hang

static double dancer(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { fabs(p[0]), p[1], p[2] }; // left and right are mirror images
	double hip[3] = { 0.1, 0.9, 0 }, knee[3] = { 0.105, 0.5, 0.01 }, ankle[3] = { 0.1, 0.1, 0 };
	double toes[3] = { 0.11, 0.05, 0.1 };
	double leg =
		lm_field_join(lm_field_limb(q, hip, knee, 0.085, 0.06), lm_field_limb(q, knee, ankle, 0.06, 0.04), 0.03);
	leg = lm_field_join(leg, lm_field_limb(q, ankle, toes, 0.04, 0.035), 0.03);
	double low[3] = { 0, 0.93, -0.01 }, low_radii[3] = { 0.17, 0.12, 0.12 };
	double waist[3] = { 0, 1.0, 0 }, chest[3] = { 0, 1.32, 0 }, shoulder[3] = { 0.16, 1.4, 0 };
	double trunk =
		lm_field_join(lm_field_ellipsoid(q, low, low_radii), lm_field_limb(q, waist, chest, 0.11, 0.13), 0.06);
	double elbow[3] = { 0.42, 1.33, 0.02 }, hand[3] = { 0.64, 1.45, 0.05 };
	double arm =
		lm_field_join(lm_field_limb(q, shoulder, elbow, 0.06, 0.045), lm_field_limb(q, elbow, hand, 0.045, 0.04), 0.03);
	double head[3] = { 0, 1.68, 0.01 }, head_radii[3] = { 0.1, 0.13, 0.11 }, neck[3] = { 0, 1.5, 0 };
	double above =
		lm_field_join(lm_field_ellipsoid(q, head, head_radii), lm_field_limb(q, chest, neck, 0.1, 0.055), 0.04);
	return lm_field_join(lm_field_join(trunk, leg, 0.05), lm_field_join(arm, above, 0.05), 0.05);
}

// How far the dance has begun: it starts gently.
static double begun(double time)
{
	return lm_make_step(0, 0.6, time);
}

// The hips turn to and fro and swing aside, the body above follows late and less, one leg after the other is thrown.
static void dance(double p[3], double time, const void* context)
{
	(void)context;
	double up = lm_make_step(0, 0.9, p[1]), beat = 2 * MAKE_PI * time, above = lm_make_step(1.05, 1.5, p[1]);
	double left = lm_make_step(-0.05, 0.05, p[0]), thrown = 1 - lm_make_step(0.55, 0.95, p[1]);
	double kick = begun(time) * (left * fmax(0, sin(beat)) + (1 - left) * fmax(0, -sin(beat)));
	const double hip[3] = { 0, 0.9, 0 }, across[3] = { 1, 0, 0 }, axis[3] = { 0, 1, 0 }, middle[3] = { 0, 0, 0 };
	lm_make_turn(p, hip, across, -0.75 * thrown * kick);
	lm_make_turn(p, middle, axis, begun(time) * up * (0.7 * sin(beat) * (1 - above) + 0.25 * above * sin(beat - 0.8)));
	p[0] += 0.07 * begun(time) * up * sin(beat + 0.5) * (1 - 0.5 * above);
	p[1] += 0.03 * begun(time) * up * (1 - cos(2 * beat));
}

// As the hips: all of a skirt is led by the motion at its waist.
static void lead(double p[3], double time, const void* context)
{
	(void)context;
	double beat = 2 * MAKE_PI * time;
	const double axis[3] = { 0, 1, 0 }, middle[3] = { 0, 0, 0 };
	lm_make_turn(p, middle, axis, begun(time) * 0.7 * sin(beat));
	p[0] += 0.07 * begun(time) * sin(beat + 0.5);
	p[1] += 0.03 * begun(time) * (1 - cos(2 * beat));
}

static void place_skirt(double u, double v, double length, double width, double p[3])
{
	double r = 0.175 + (width - 0.175) * v, angle = 2 * MAKE_PI * u;
	p[0] = r * cos(angle), p[1] = WAIST - length * v, p[2] = -r * sin(angle) * (0.82 + 0.18 * v);
}

static void place_under(double u, double v, double p[3])
{
	place_skirt(u, v, 0.5, 0.42, p);
}

static void place_over(double u, double v, double p[3])
{
	place_skirt(u, v, 0.38, 0.47, p);
	p[0] *= 1.07, p[2] *= 1.07, p[1] += 0.01;
}

static bool write_skirt(make_output* output, const make_sheet* sheet, const char* mesh_name, const char* film_name)
{
	const make_film film = { 73, 24, lead, NULL };
	lm_mesh* mesh = lm_make_sheet(sheet, &output->host);
	if (!mesh)
		return lm_make_no_memory(output);
	bool good = lm_make_write(output, mesh_name, mesh, NULL) && lm_make_write_film(output, film_name, mesh, &film);
	lm_mesh_destroy(mesh);
	return good;
}

bool lm_make_dancer(make_output* output)
{
	const double low[3] = { -0.8, -0.05, -0.3 }, high[3] = { 0.8, 1.9, 0.3 };
	const make_film film = { 73, 24, dance, NULL };
	lm_mesh* body = lm_make_polygonise(dancer, NULL, low, high, 0.035, &output->host);
	if (!body)
		return lm_make_no_memory(output);
	bool good =
		lm_make_write(output, "dancer.ply", body, NULL) && lm_make_write_film(output, "dancer.pc2", body, &film);
	lm_mesh_destroy(body);
	return good &&
	       write_skirt(output, &(make_sheet){ { 64, 16 }, true, place_under }, "skirt-under.obj", "skirt-under.pc2") &&
	       write_skirt(output, &(make_sheet){ { 64, 13 }, true, place_over }, "skirt-over.obj", "skirt-over.pc2");
}
