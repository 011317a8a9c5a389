// pirate.c: a pirate in the plane, 0.84 m x 1.34 m, on a boot and a wooden leg: 95 vertices (190 unknowns), and twelve
// poses in six groups: for each leg its foot (toe up, heel up), its hip (forwards, back) and its length (short, long).
#include "make.h"

#include <math.h>

static const double lines_x[] = { -0.42, -0.32, -0.21, -0.1, 0, 0.1, 0.21, 0.32, 0.42 };
static const double lines_y[] = { 0, 0.09, 0.18, 0.27, 0.36, 0.45, 0.58, 0.71, 0.84, 0.97, 1.08, 1.18, 1.27, 1.34 };
static const double hip_line = 0.45, ankle_line = 0.18, leg_middle = 0.21;

// Cells from `inner` columns away from the middle on, so many of them, on both sides; row by row from below.
static bool filled(int32_t i, int32_t j)
{
	static const int32_t inner[13] = { 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0 };
	static const int32_t count[13] = { 2, 2, 2, 2, 2, 3, 4, 4, 2, 2, 4, 2, 1 };
	int32_t away = i < 4 ? 3 - i : i - 4;
	return away >= inner[j] && away < inner[j] + count[j];
}

static const make_grid cells = { .columns = 8, .rows = 13, .x = lines_x, .y = lines_y, .filled = filled };

// ---- what is seen ----

static double box(const double p[3], double left, double right, double low, double high, double rounding)
{
	double centre[3] = { (left + right) / 2, (low + high) / 2, 0 };
	double half[3] = { (right - left) / 2, (high - low) / 2, 1 };
	return lm_field_box(p, centre, half, rounding);
}

static double disc(const double p[3], double x, double y, double radius)
{
	return hypot(p[0] - x, p[1] - y) - radius;
}

static double limb(const double p[3], double ax, double ay, double bx, double by, double ra, double rb)
{
	double a[3] = { ax, ay, 0 }, b[3] = { bx, by, 0 };
	return lm_field_limb(p, a, b, ra, rb);
}

// A boot with a cuff on the right, a peg on the left.
static double legs(const double p[3])
{
	double boot = lm_field_join(box(p, 0.13, 0.3, 0, 0.3, 0.03), box(p, 0.12, 0.36, 0, 0.09, 0.04), 0.04);
	boot = fmin(boot, box(p, 0.105, 0.325, 0.25, 0.32, 0.02));
	double peg =
		lm_field_join(limb(p, -0.21, 0.03, -0.21, 0.3, 0.03, 0.05), box(p, -0.29, -0.13, 0.26, 0.31, 0.02), 0.02);
	double trousers = fmin(box(p, -0.31, -0.1, 0.3, 0.52, 0.03), box(p, 0.1, 0.31, 0.33, 0.52, 0.03));
	return fmin(fmin(boot, peg), lm_field_join(trousers, box(p, -0.31, 0.31, 0.44, 0.56, 0.03), 0.02));
}

// A coat with stripes, belt and buckle; a hand on one side and a hook on the other.
static double trunk(const double p[3])
{
	double q[3] = { fabs(p[0]), p[1], 0 };
	double coat = lm_field_join(box(p, -0.29, 0.29, 0.48, 0.8, 0.06), box(p, -0.2, 0.2, 0.7, 0.86, 0.04), 0.05);
	double arm = lm_field_join(limb(q, 0.27, 0.77, 0.365, 0.64, 0.055, 0.045), coat, 0.01);
	double hand = disc(p, 0.375, 0.6, 0.045), ring = fabs(disc(p, -0.375, 0.565, 0.04)) - 0.012;
	double hook = fmin(fmax(ring, p[1] - 0.57 - 2 * (p[0] + 0.375)), box(p, -0.4, -0.33, 0.595, 0.63, 0.01));
	double solid = fmin(arm, fmin(hand, hook));
	for (int32_t k = 0; k < 3; k++)
		solid = fmax(solid, -box(p, -0.17, 0.17, 0.64 + 0.055 * k, 0.66 + 0.055 * k, 0.008));
	double belt = fmin(box(q, 0.075, 0.25, 0.555, 0.567, 0.004), fabs(box(p, -0.05, 0.05, 0.535, 0.59, 0.01)) - 0.006);
	return fmax(solid, -belt);
}

// One eye, a patch over the other, a grin in the beard.
static double head(const double p[3])
{
	double face = lm_field_join(disc(p, 0, 0.965, 0.155), box(p, -0.11, 0.11, 0.83, 0.95, 0.05), 0.03);
	double whites = disc(p, 0.065, 0.99, 0.036), pupil = disc(p, 0.07, 0.985, 0.015);
	double patch = fabs(box(p, -0.11, -0.03, 0.95, 1.03, 0.03)) - 0.006;
	double strap = limb(p, -0.03, 1.02, 0.045, 1.06, 0.005, 0.005);
	double grin = fmax(fabs(disc(p, 0, 0.96, 0.085)) - 0.011, p[1] - 0.915);
	double cut = fmin(fmin(fmax(whites, -pupil), patch), fmin(strap, grin));
	return fmax(face, -cut);
}

// A hat with turned-up brims, and a skull on it.
static double hat(const double p[3])
{
	double q[3] = { fabs(p[0]), p[1], 0 };
	double bow = q[1] - 0.35 * q[0] * q[0];
	double brim = fmax(fabs(bow - 1.1) - 0.05, q[0] - 0.41), crown[3] = { 0, 1.16, 0 }, radii[3] = { 0.22, 0.18, 1 };
	double solid = lm_field_join(brim, fmax(lm_field_ellipsoid(q, crown, radii), 1.06 - q[1]), 0.03);
	double skull = lm_field_join(disc(p, 0, 1.22, 0.04), box(p, -0.02, 0.02, 1.17, 1.21, 0.008), 0.01);
	skull = fmax(skull, -disc(q, 0.016, 1.222, 0.01));
	double bones = limb(q, 0, 1.155, 0.085, 1.175, 0.009, 0.009);
	return fmax(solid, -fmin(skull, bones));
}

static double pirate(const double p[3], const void* context)
{
	(void)context;
	return fmin(fmin(legs(p), trunk(p)), fmin(head(p), hat(p)));
}

// ---- poses ----

typedef struct leg_pose
{
	double side;            // of the leg: -1 or 1
	double toe, hip, shape; // rise of the toe per metre of foot; how far the hip swings it; how much longer, m
} leg_pose;

static void posed(double p[3], const void* context)
{
	const leg_pose* pose = context;
	if (pose->side * p[0] <= 0)
		return;
	double leg = fmax(hip_line - p[1], 0) / hip_line, foot = fmax(ankle_line - p[1], 0) / ankle_line;
	double across = p[0] - pose->side * leg_middle;
	p[0] += leg * pose->hip;
	p[1] += foot * pose->toe * across - leg * pose->shape;
}

static bool write_poses(make_output* output, const lm_mesh* mesh)
{
	static const leg_pose poses[6] = { { .toe = 0.4 },   { .toe = -0.4 },   { .hip = 0.22 },
		                               { .hip = -0.22 }, { .shape = 0.14 }, { .shape = -0.14 } };
	bool made = true;
	for (int32_t k = 0; made && k < 12; k++)
	{
		char name[] = "pirate-a-0.obj";
		leg_pose pose = poses[k % 6];
		pose.side = k < 6 ? -1 : 1;
		name[7] = k < 6 ? 'a' : 'b';
		name[9] = (char)('1' + k % 6);
		made = lm_make_write_pose(output, name, mesh, posed, &pose);
	}
	return made;
}

bool lm_make_pirate(make_output* output)
{
	lm_mesh* mesh = lm_make_grid_mesh(&cells, &output->host);
	double low[2] = { -0.47, -0.05 }, high[2] = { 0.47, 1.4 };
	lm_mesh* surface = lm_make_outline(pirate, NULL, low, high, 0.008, &output->host);
	bool made = mesh && surface
	                ? lm_make_write(output, "pirate.obj", mesh, NULL) &&
	                      lm_make_write(output, "pirate-surface.obj", surface, NULL) && write_poses(output, mesh)
	                : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}
