// crusty.c: a slice of toast on two legs, 0.93 m high, that faces along x: 40 vertices (120 unknowns), two cells for
// each leg and six for the slice, and a cage of 19 vertices that goes round each leg.
#include "make.h"

#include <math.h>
#include <string.h>

static bool filled(int32_t i, int32_t j, int32_t k)
{
	(void)i;
	return j >= 2 || k != 1;
}

static const make_block cells = { .cells = { 1, 4, 3 }, .low = { 0, 0, 0 }, .cell = { 1, 1, 1 }, .filled = filled };

// From cells to metres; legs are slimmer at the ankles.
static void shape(double p[3])
{
	static const double height[5] = { 0, 0.2, 0.42, 0.68, 0.93 }, across[4] = { -0.255, -0.085, 0.085, 0.255 };
	int32_t level = (int32_t)p[1], line = (int32_t)p[2];
	double leg = line < 2 ? -0.17 : 0.17, slim = level == 1 ? 0.8 : 1;
	p[0] = (level == 1 ? 0.105 : 0.15) * (2 * p[0] - 1);
	p[1] = height[level];
	p[2] = leg + slim * (across[line] - leg);
}

// ---- the cage ----

enum
{
	HIP = 8,     // outer, back and front, of each side
	CROTCH = 12, // back and front
	TOP = 14,    // as hips
	CROWN = 18
};

static void place_cage(double* positions)
{
	const double deep = 0.19, wide = 0.3, inner = 0.045;
	for (int32_t side = 0; side < 2; side++)
	{
		double sign = side ? 1 : -1;
		double list[8][3] = { { -deep, -0.04, sign * wide }, { deep, -0.04, sign * wide },
			                  { deep, -0.04, sign * inner }, { -deep, -0.04, sign * inner },
			                  { -deep, 0.4, sign * wide },   { deep, 0.4, sign * wide },
			                  { -deep, 0.98, sign * wide },  { deep, 0.98, sign * wide } };
		memcpy(positions + 12 * side, list, 12 * sizeof(double));
		memcpy(positions + 3 * (HIP + 2 * side), list[4], 6 * sizeof(double));
		memcpy(positions + 3 * (TOP + 2 * side), list[6], 6 * sizeof(double));
	}
	double middle[9] = { -deep, 0.38, 0, deep, 0.38, 0 }, crown[3] = { 0, 1.02, 0 };
	memcpy(positions + 3 * CROTCH, middle, 6 * sizeof(double));
	memcpy(positions + 3 * CROWN, crown, sizeof crown);
}

static int32_t* add_triangle(int32_t* t, int32_t a, int32_t b, int32_t c, bool turned)
{
	t[0] = a, t[1] = turned ? c : b, t[2] = turned ? b : c;
	return t + 3;
}

static lm_mesh* make_cage(const lm_host* host)
{
	lm_mesh* cage = lm_mesh_create(host, 19, 34, 0);
	if (!cage)
		return NULL;
	place_cage(cage->positions);
	int32_t* t = cage->triangles;
	for (int32_t side = 0; side < 2; side++)
	{
		int32_t ob = 4 * side, of = ob + 1, nf = ob + 2, nb = ob + 3, hb = HIP + 2 * side, hf = hb + 1;
		int32_t cb = CROTCH, cf = CROTCH + 1, tb = TOP + 2 * side, tf = tb + 1;
		int32_t quads[6][4] = { { ob, of, hf, hb }, { hb, hf, tf, tb }, { ob, nb, nf, of },
			                    { nf, nb, cb, cf }, { nf, cf, hf, of }, { nb, ob, hb, cb } };
		for (int32_t q = 0; q < 6; q++)
		{
			t = add_triangle(t, quads[q][0], quads[q][1], quads[q][2], side == 0);
			t = add_triangle(t, quads[q][0], quads[q][2], quads[q][3], side == 0);
		}
		t = add_triangle(t, cf, tf, hf, side == 0);
		t = add_triangle(t, cb, hb, tb, side == 0);
	}
	int32_t rest[18] = { 13, 15, 17, 12, 16, 14, 18, 14, 16, 18, 16, 17, 18, 17, 15, 18, 15, 14 };
	memcpy(t, rest, sizeof rest);
	return cage;
}

// ---- what is seen ----

static double slice(const double q[3])
{
	double trunk[3] = { 0, 0.65, 0 }, trunk_half[3] = { 0.11, 0.23, 0.225 };
	double lobe[3] = { 0, 0.845, 0.13 }, lobe_radii[3] = { 0.115, 0.1, 0.14 };
	double solid = lm_field_box(q, trunk, trunk_half, 0.06);
	solid = lm_field_join(solid, lm_field_ellipsoid(q, lobe, lobe_radii), 0.06);
	// the crumb, a little proud of the crust, front and back
	double crumb[3] = { 0, 0.65, 0 }, crumb_half[3] = { 0.128, 0.175, 0.17 };
	double dome[3] = { 0, 0.82, 0.1 }, dome_radii[3] = { 0.13, 0.07, 0.1 };
	double inside =
		lm_field_join(lm_field_box(q, crumb, crumb_half, 0.03), lm_field_ellipsoid(q, dome, dome_radii), 0.04);
	return lm_field_join(solid, inside, 0.008);
}

static double face(const double q[3], double solid)
{
	double eye[3] = { 0.128, 0.745, 0.085 }, eye_radii[3] = { 0.03, 0.06, 0.045 };
	double pupil[3] = { 0.16, 0.74, 0.08 }, pupil_radii[3] = { 0.016, 0.024, 0.02 };
	solid = lm_field_join(solid, lm_field_ellipsoid(q, eye, eye_radii), 0.006);
	solid = lm_field_cut(solid, lm_field_ellipsoid(q, pupil, pupil_radii), 0.004);
	double smile = hypot(hypot(q[2], q[1] - 0.66) - 0.11, fmax(q[1] - 0.6, 0)) - 0.014;
	solid = lm_field_cut(solid, fmax(smile, 0.1 - q[0]), 0.01);
	double nose[3] = { 0.135, 0.66, 0 }, nose_radii[3] = { 0.035, 0.03, 0.035 };
	return q[0] > 0 ? lm_field_join(solid, lm_field_ellipsoid(q, nose, nose_radii), 0.008) : solid;
}

static double crusty(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { p[0], p[1], fabs(p[2]) };
	double solid = face(q, slice(q));
	double hip[3] = { 0, 0.45, 0.17 }, ankle[3] = { 0, 0.12, 0.17 };
	double shoe[3] = { 0.012, 0.05, 0.17 }, shoe_half[3] = { 0.14, 0.05, 0.082 };
	double toe[3] = { 0.085, 0.075, 0.17 }, toe_radii[3] = { 0.07, 0.065, 0.08 };
	double leg = lm_field_limb(q, hip, ankle, 0.07, 0.052);
	leg = lm_field_join(leg, lm_field_box(q, shoe, shoe_half, 0.045), 0.03);
	leg = lm_field_join(leg, lm_field_ellipsoid(q, toe, toe_radii), 0.02);
	double cuff[3] = { 0, 0.15, 0.17 };
	leg = lm_field_join(leg, lm_field_ring(q, cuff, 0.055, 0.018), 0.01);
	return lm_field_join(solid, leg, 0.03);
}

// ---- poses: a leg moves its foot; forwards and back it takes its side of the slice along ----

typedef struct reach
{
	double side;    // of the leg: -1 or 1
	double move[3]; // of the foot; z is outwards
	double turn;    // of the top, rad: its side goes forwards; hips turn by a sixth of that
} reach;

static void reached(double p[3], const void* context)
{
	const reach* r = context;
	double hip = 0.42, top = 0.93, share = r->side * p[2] > 0 ? fmax(hip - p[1], 0) / hip : 0;
	double middle[3] = { 0 }, up[3] = { 0, 1, 0 };
	double turned = fmin(p[1] / hip, 1) / 6 + fmax((p[1] - hip) / (top - hip), 0) * 5 / 6;
	lm_make_turn(p, middle, up, r->side * r->turn * turned);
	p[0] += share * r->move[0];
	p[1] += share * r->move[1];
	p[2] += share * r->move[2] * r->side;
}

static bool write_poses(make_output* output, const lm_mesh* mesh)
{
	static const reach moves[6] = { { 0, { 0, 0.14, 0 }, 0 },    { 0, { 0, -0.14, 0 }, 0 },
		                            { 0, { 0.22, 0, 0 }, 0.36 }, { 0, { -0.22, 0, 0 }, -0.36 },
		                            { 0, { 0, 0, 0.14 }, 0 },    { 0, { 0, 0, -0.14 }, 0 } };
	bool made = true;
	for (int32_t k = 0; made && k < 12; k++)
	{
		char name[] = "crusty-a-0.msh";
		reach r = moves[k % 6];
		r.side = k < 6 ? -1 : 1;
		if (k >= 6)
			name[7] = 'b';
		name[9] = (char)('1' + k % 6);
		made = lm_make_write_pose(output, name, mesh, reached, &r);
	}
	return made;
}

bool lm_make_crusty(make_output* output)
{
	lm_mesh *mesh = lm_make_block_mesh(&cells, &output->host), *cage = make_cage(&output->host);
	double low[3] = { -0.25, -0.06, -0.36 }, high[3] = { 0.25, 1.05, 0.36 };
	lm_mesh* surface = lm_make_polygonise(crusty, NULL, low, high, 0.016, &output->host);
	for (int32_t v = 0; mesh && v < mesh->vertex_count; v++)
		shape(mesh->positions + 3 * v);
	bool made = mesh && cage && surface
	                ? lm_make_write(output, "crusty.msh", mesh, NULL) &&
	                      lm_make_write(output, "crusty-cage.obj", cage, NULL) &&
	                      lm_make_write(output, "crusty-surface.ply", surface, NULL) && write_poses(output, mesh)
	                : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(surface);
	return made;
}
