// teddy.c: a teddy bear with a bow tie, a simulation mesh of about 1280 particles around it, and two poses. It sits on
// y = 0 and looks along z; its left is at positive x.
#include "make.h"

#include <math.h>
#include <stdlib.h>

// ---- the surface. Left and right are mirror images: everything is drawn at |x|. ----

static double head(const double q[3])
{
	double skull[3] = { 0, 0.70, 0.02 }, skull_radii[3] = { 0.205, 0.175, 0.18 };
	double cheek[3] = { 0.1, 0.65, 0.09 }, cheek_radii[3] = { 0.09, 0.08, 0.09 };
	double solid =
		lm_field_join(lm_field_ellipsoid(q, skull, skull_radii), lm_field_ellipsoid(q, cheek, cheek_radii), 0.06);

	double ear[3] = { 0.165, 0.86, 0 }, ear_radii[3] = { 0.085, 0.085, 0.05 };
	double hollow[3] = { 0.168, 0.865, 0.055 }, hollow_radii[3] = { 0.055, 0.055, 0.035 };
	double shell =
		lm_field_cut(lm_field_ellipsoid(q, ear, ear_radii), lm_field_ellipsoid(q, hollow, hollow_radii), 0.02);
	solid = lm_field_join(solid, shell, 0.035);

	double muzzle[3] = { 0, 0.645, 0.19 }, muzzle_radii[3] = { 0.09, 0.068, 0.075 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, muzzle, muzzle_radii), 0.03);
	double lip[3] = { 0, 0.66, 0.277 }, chin[3] = { 0, 0.616, 0.268 };
	double corner[3] = { 0.042, 0.62, 0.258 }, cheekbone[3] = { 0.068, 0.642, 0.236 };
	solid = lm_field_cut(solid, lm_field_limb(q, lip, chin, 0.009, 0.009), 0.012);
	solid = lm_field_cut(solid, lm_field_limb(q, chin, corner, 0.009, 0.009), 0.012);
	solid = lm_field_cut(solid, lm_field_limb(q, corner, cheekbone, 0.009, 0.007), 0.012);
	double nose[3] = { 0, 0.685, 0.255 }, nose_radii[3] = { 0.036, 0.024, 0.024 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, nose, nose_radii), 0.008);

	double eye[3] = { 0.08, 0.738, 0.178 }, eye_radii[3] = { 0.028, 0.032, 0.028 };
	return lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.004);
}

static double bow_tie(const double q[3])
{
	double neck[3] = { 0, 0.535, 0.02 }, knot[3] = { 0, 0.505, 0.185 }, knot_radii[3] = { 0.03, 0.032, 0.03 };
	double inner[3] = { 0.03, 0.505, 0.18 }, outer[3] = { 0.115, 0.505, 0.165 };
	double wing = lm_field_limb(q, inner, outer, 0.014, 0.052);
	wing = fmax(wing, fabs(q[2] - (0.183 - 0.15 * q[0])) - 0.024); // flat, a little turned back
	double solid = lm_field_join(lm_field_ellipsoid(q, knot, knot_radii), wing, 0.012);
	return lm_field_join(solid, lm_field_ring(q, neck, 0.125, 0.036), 0.015);
}

static double limbs(const double q[3])
{
	double shoulder[3] = { 0.16, 0.43, 0 }, wrist[3] = { 0.42, 0.36, 0.05 };
	double paw[3] = { 0.45, 0.352, 0.058 }, paw_radii[3] = { 0.092, 0.085, 0.085 };
	double solid =
		lm_field_join(lm_field_limb(q, shoulder, wrist, 0.085, 0.068), lm_field_ellipsoid(q, paw, paw_radii), 0.05);

	double hip[3] = { 0.13, 0.11, 0.04 }, ankle[3] = { 0.225, 0.1, 0.38 };
	double foot[3] = { 0.237, 0.125, 0.415 }, foot_radii[3] = { 0.095, 0.123, 0.07 };
	double pad[3] = { 0.24, 0.11, 0.482 }, pad_radii[3] = { 0.055, 0.06, 0.028 };
	double leg = lm_field_join(lm_field_limb(q, hip, ankle, 0.1, 0.082), lm_field_ellipsoid(q, foot, foot_radii), 0.05);
	leg = lm_field_join(leg, lm_field_ellipsoid(q, pad, pad_radii), 0.008);
	for (int32_t toe = -1; toe <= 1; toe++)
	{
		double ball[3] = { 0.24 + 0.045 * toe, 0.198 - 0.012 * toe * toe, 0.474 }, ball_radii[3] = { 0.02, 0.02, 0.02 };
		leg = lm_field_join(leg, lm_field_ellipsoid(q, ball, ball_radii), 0.006);
	}
	return lm_field_join(solid, leg, 0.04);
}

static double teddy(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { fabs(p[0]), p[1], p[2] };
	double trunk[3] = { 0, 0.27, 0 }, trunk_radii[3] = { 0.225, 0.27, 0.195 };
	double patch[3] = { 0, 0.26, 0.115 }, patch_radii[3] = { 0.14, 0.16, 0.11 };
	double tail[3] = { 0, 0.1, -0.19 }, tail_radii[3] = { 0.06, 0.06, 0.06 };
	double solid = lm_field_join(lm_field_ellipsoid(p, trunk, trunk_radii), limbs(q), 0.06);
	solid = lm_field_join(solid, lm_field_ellipsoid(p, patch, patch_radii), 0.008); // the belly's sewn-on patch
	solid = lm_field_join(solid, lm_field_ellipsoid(p, tail, tail_radii), 0.02);
	solid = lm_field_join(solid, head(q), 0.05);
	return lm_field_join(solid, bow_tie(q), 0.01);
}

// ---- the poses, on both sides alike. With a group for each side the scene lets one side have it alone. ----

// Turns what lies beyond a joint and near the limb, with soft borders: the bend is spread over `width` on both sides of
// the joint, and fades from `reach` off the limb's axis (which widens along it, for paws and feet) to half as much
// again.
typedef struct joint
{
	double centre[3]; // at positive x; negative x is its mirror image
	double limb[3];   // unit, along the limb away from the body
	double width, reach;
} joint;

static const joint shoulder = { { 0.2, 0.42, 0.01 }, { 0.952, -0.251, 0.174 }, 0.13, 0.13 };
static const joint hip = { { 0.16, 0.1, 0.14 }, { 0.276, -0.01, 0.961 }, 0.12, 0.11 };

static double share(const double q[3], const joint* j)
{
	double along = 0, square = 0;
	for (int32_t d = 0; d < 3; d++)
	{
		double r = q[d] - j->centre[d];
		along += j->limb[d] * r;
		square += r * r;
	}
	double off = sqrt(fmax(square - along * along, 0)), reach = j->reach + 0.25 * fmax(along, 0);
	return lm_make_step(-j->width, j->width, along) * lm_make_step(1.7 * reach, reach, off);
}

// A pose is a list of turns of joints, one after the other. Limbs also reach out: that makes a pull call the pose.
typedef struct turn
{
	const joint* joint;
	double axis[3]; // unit
	double angle;   // radians
	double reach;   // by how much of its length the limb grows
} turn;

typedef struct pose
{
	int32_t count;
	const turn* turns;
} pose;

static void posed(double p[3], const void* context)
{
	const pose* all = context;
	double side = p[0] < 0 ? -1 : 1, q[3] = { fabs(p[0]), p[1], p[2] }, rest[3] = { q[0], q[1], q[2] };
	for (int32_t t = 0; t < all->count; t++)
	{
		const turn* one = all->turns + t;
		double moved = share(rest, one->joint), along = 0;
		for (int32_t d = 0; d < 3; d++)
			along += one->joint->limb[d] * (rest[d] - one->joint->centre[d]);
		for (int32_t d = 0; d < 3; d++)
			q[d] += moved * one->reach * fmax(along, 0) * one->joint->limb[d];
		lm_make_turn(q, one->joint->centre, one->axis, one->angle * moved);
	}
	p[0] = side * q[0], p[1] = q[1], p[2] = q[2];
}

// Hurrah: arms up, feet up and apart.
static const turn cheer_turns[] = { { &shoulder, { 0, 0, 1 }, 1.15, 0.35 },
	                                { &hip, { 0, 1, 0 }, 0.6, 0 },
	                                { &hip, { -1, 0, 0 }, 1.2, 0.15 } };
static const pose cheering = { 3, cheer_turns };

// A hug: arms forward and together, toes in.
static const turn hug_turns[] = { { &shoulder, { 0, -1, 0 }, 1.2, 0.3 }, { &hip, { 0, -1, 0 }, 0.45, 0 } };
static const pose hugging = { 2, hug_turns };

// The lattice whose number of particles comes closest to 1280: the count jumps as the lattice shrinks through the
// surface, so the sizes around the right one are tried in turn.
static lm_mesh* teddy_lattice(make_output* output, const lm_mesh* surface)
{
	enum
	{
		WANTED = 1280,
		TRIES = 24
	};
	lm_lattice_settings settings = lm_lattice_settings_default();
	lm_mesh* best = NULL;
	double size = 0.085;
	for (int32_t t = 0; t < TRIES; t++)
	{
		lm_mesh* mesh = NULL;
		settings.size = size;
		if (lm_lattice_create(surface, &settings, &output->host, &mesh, &output->error) != LM_OK)
			break;
		int32_t count = mesh->vertex_count;
		if (!best || abs(count - WANTED) < abs(best->vertex_count - WANTED))
		{
			lm_mesh* swap = best;
			best = mesh, mesh = swap;
		}
		lm_mesh_destroy(mesh);
		if (best->vertex_count == WANTED)
			break;
		// Counts go with the cube of the size; near the goal creep instead.
		double step = pow((double)count / WANTED, 1.0 / 3);
		size *= fabs(step - 1) > 0.01 ? step : count > WANTED ? 1.0013 : 0.9991;
	}
	return best;
}

bool lm_make_teddy(make_output* output)
{
	double low[3] = { -0.65, -0.1, -0.35 }, high[3] = { 0.65, 1.05, 0.6 };
	lm_mesh* surface = lm_make_polygonise(teddy, NULL, low, high, 0.021, &output->host);
	if (!surface)
		return lm_make_no_memory(output);
	lm_mesh* mesh = teddy_lattice(output, surface);
	bool made = mesh && lm_make_write(output, "teddy-surface.ply", surface, NULL) &&
	            lm_make_write(output, "teddy.msh", mesh, NULL) &&
	            lm_make_write_pose(output, "teddy-cheering.msh", mesh, posed, &cheering) &&
	            lm_make_write_pose(output, "teddy-hugging.msh", mesh, posed, &hugging);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return made;
}
