// letters.c: the letters that spell SIGGRAPH, bodies of `act` in the plane, 1 m high, standing on y = 0. A, R and H
// have two legs to walk on, P and I a foot to hop on; each has two eyes. S and G, which are strokes, are in strokes.c.
#include "make.h"

#include <math.h>
#include <stdlib.h>

// Simulation mesh, cage (may be NULL) and surface of a letter, which end here.
static bool write_letter(make_output* output, const char* mesh_name, lm_mesh* mesh, const char* cage_name,
                         lm_mesh* cage, const char* surface_name, lm_mesh* surface)
{
	bool made = mesh && surface && (cage || !cage_name);
	made = made ? lm_make_write(output, mesh_name, mesh, NULL) &&
	                  (!cage || lm_make_write(output, cage_name, cage, NULL)) &&
	                  lm_make_write(output, surface_name, surface, NULL)
	            : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(surface);
	return made;
}

static double box(const double p[3], double left, double right, double low, double high)
{
	double centre[3] = { (left + right) / 2, (low + high) / 2, 0 };
	double half[3] = { (right - left) / 2, (high - low) / 2, 1 };
	return lm_field_box(p, centre, half, 0.015);
}

// Two round holes beside each other.
static double eyes(const double p[3], double x, double y, double apart, double radius)
{
	return hypot(fabs(p[0] - x) - apart / 2, p[1] - y) - radius;
}

// ---- letters on two legs: two columns of cells each, one of air between them ----

// Letters are drawn square; `slant` moves what was drawn at (x, y) sideways to slant(x, y).
typedef struct walker
{
	const char *mesh, *cage, *surface;
	make_grid grid;
	double (*slant)(double x, double y);
	make_field field;    // of the square letter
	const double* round; // 11 corners of the square cage
} walker;

static const double legs_x[] = { -0.33, -0.215, -0.1, 0.1, 0.215, 0.33 };

// Eleven vertices: outer and inner corners of both feet, the crotch, and three on each side.
static const double walker_cage[] = { -0.39, -0.05, -0.04, -0.05, 0,    0.32,  0.04, -0.05, 0.39, -0.05, 0.39,
	                                  0.38,  0.39,  0.7,   0.39,  1.05, -0.39, 1.05, -0.39, 0.7,  -0.39, 0.38 };

// ---- A ----

static const double a_y[] = { 0, 0.12, 0.24, 0.36, 0.5, 0.66, 0.83, 1 };

static bool a_filled(int32_t i, int32_t j)
{
	return i != 2 || j == 3 || j > 4;
}

static double a_slant(double x, double y)
{
	return x * (1.03 - 0.45 * y);
}

static double a_field(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { fabs(p[0]), p[1], 0 };
	double legs = box(q, 0.1, 0.33, 0, 0.9), feet = box(q, 0.06, 0.35, 0, 0.09);
	double letter = fmin(fmin(legs, feet), fmin(box(q, -0.2, 0.2, 0.36, 0.5), box(q, -0.33, 0.33, 0.64, 1)));
	return fmax(letter, -eyes(q, 0, 0.83, 0.32, 0.052));
}

// ---- R ----

static const double r_y[] = { 0, 0.13, 0.26, 0.4, 0.54, 0.68, 0.84, 1 };

static bool r_filled(int32_t i, int32_t j)
{
	return i != 2 || j == 3 || j == 6;
}

// The right leg is put forward.
static double r_slant(double x, double y)
{
	return x > 0 ? x + 0.2 * x * fmax(1 - y / 0.4, 0) : x;
}

// A box between y = low and 1 whose corners on the right, at x = right, are round, with a hole between `from` and `to`.
static double bowl(const double p[3], double left, double right, double low, double from, double to)
{
	const double radius = 0.2;
	double x = right - radius, top = 1 - radius, bottom = low + radius, body = box(p, left, right, low, 1);
	if (p[0] > x && (p[1] > top || p[1] < bottom))
		body = fmax(body, hypot(p[0] - x, p[1] - (p[1] > top ? top : bottom)) - radius);
	return fmax(body, -box(p, from, to, 0.54, 0.84));
}

static double r_field(const double p[3], const void* context)
{
	(void)context;
	double stem = fmin(box(p, -0.33, -0.1, 0, 1), box(p, -0.36, -0.06, 0, 0.09));
	double leg = fmin(box(p, 0.1, 0.33, 0, 0.5), box(p, 0.06, 0.36, 0, 0.09));
	double letter = fmin(fmin(stem, leg), bowl(p, -0.3, 0.33, 0.4, -0.1, 0.12));
	double waist = hypot(p[0] - 0.37, p[1] - 0.42) - 0.085;
	return fmax(letter, -fmin(waist, eyes(p, -0.06, 0.92, 0.2, 0.045)));
}

// ---- H ----

static const double h_y[] = { 0, 0.13, 0.26, 0.4, 0.58, 0.72, 0.86, 1 };

static bool h_filled(int32_t i, int32_t j)
{
	return i != 2 || j == 3;
}

static double h_slant(double x, double y)
{
	(void)y;
	return x;
}

static double h_field(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { fabs(p[0]), p[1], 0 };
	double stems = box(q, 0.1, 0.33, 0, 1), serifs = fmin(box(q, 0.06, 0.36, 0, 0.09), box(q, 0.06, 0.36, 0.91, 1));
	double letter = fmin(fmin(stems, serifs), box(q, -0.2, 0.2, 0.4, 0.58));
	return fmax(letter, -eyes(q, 0, 0.8, 0.43, 0.055));
}

static const walker walkers[] = {
	{ "letter-a.obj",
	  "letter-a-cage.obj",
	  "letter-a-surface.obj",
	  { 5, 7, legs_x, a_y, a_filled },
	  a_slant,
	  a_field,
	  walker_cage },
	{ "letter-r.obj",
	  "letter-r-cage.obj",
	  "letter-r-surface.obj",
	  { 5, 7, legs_x, r_y, r_filled },
	  r_slant,
	  r_field,
	  walker_cage },
	{ "letter-h.obj",
	  "letter-h-cage.obj",
	  "letter-h-surface.obj",
	  { 5, 7, legs_x, h_y, h_filled },
	  h_slant,
	  h_field,
	  walker_cage },
};

static void slant_all(const walker* w, lm_mesh* mesh)
{
	for (int32_t v = 0; mesh && v < mesh->vertex_count; v++)
		mesh->positions[3 * v] = w->slant(mesh->positions[3 * v], mesh->positions[3 * v + 1]);
}

static bool make_walker(make_output* output, const walker* w)
{
	double low[2] = { -0.42, -0.05 }, high[2] = { 0.42, 1.05 };
	lm_mesh* mesh = lm_make_grid_mesh(&w->grid, &output->host);
	lm_mesh* cage = lm_make_polygon(w->round, 11, true, &output->host);
	lm_mesh* surface = lm_make_outline(w->field, NULL, low, high, 0.0125, &output->host);
	slant_all(w, mesh);
	slant_all(w, cage);
	slant_all(w, surface);
	return write_letter(output, w->mesh, mesh, w->cage, cage, w->surface, surface);
}

// ---- letters on one foot ----

// Poses to hop with. Foot and head stay as they are: what deforms the foot lifts it, and a letter that stands on one
// end of its foot hops as chance will have it. The stem between `low` and `high` bows out sideways, both its ends
// staying level: the angle of its middle line to the vertical is bend sin(2 pi s), s from low to high. It is made
// shorter, and wider in the middle to make up for it, and sheared by `shift`. What is beside the stem goes along. The
// poses to the left mirror those to the right, so that a letter hops both ways.
typedef struct hopper_pose
{
	double bend, shift, height;
} hopper_pose;

typedef struct hopper
{
	const char *mesh, *surface, *poses[3];
	make_grid grid;
	double low, high, left, right; // of the stem
	double foot;                   // its right end
	make_field field;
	hopper_pose how[3];
} hopper;

typedef struct posing
{
	const hopper* letter;
	const hopper_pose* pose;
} posing;

static void pose_hopper(double p[3], const void* context)
{
	enum
	{
		PIECES = 400
	};
	const posing* to = context;
	const hopper_pose* pose = to->pose;
	double low = to->letter->low, length = to->letter->high - low, s = fmin(fmax((p[1] - low) / length, 0), 1);
	double beyond = p[1] - low - length * s, x = 0, y = low + beyond;
	double stem = fmin(fmax(p[0], to->letter->left), to->letter->right);
	for (int32_t k = 0; k < PIECES; k++)
	{
		double angle = pose->bend * sin(2 * MAKE_PI * s * (k + 0.5) / PIECES);
		x += length * s * sin(angle) / PIECES;
		y += pose->height * length * s * cos(angle) / PIECES;
	}
	double angle = pose->bend * sin(2 * MAKE_PI * s), width = 1 + 1.6 * (1 - pose->height) * s * (1 - s);
	p[0] = x + width * (stem * cos(angle) + p[0] - stem) + pose->shift * lm_make_step(0, 1, s);
	p[1] = y - stem * sin(angle);
}

// ---- I ----

static const double i_x[] = { -0.24, -0.1, 0, 0.1, 0.24 }, i_y[] = { 0, 0.16, 0.33, 0.5, 0.67, 0.84, 1 };

static bool i_filled(int32_t i, int32_t j)
{
	return j == 0 || j == 5 || i == 1 || i == 2;
}

static double i_field(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { fabs(p[0]), p[1], 0 };
	double serifs = fmin(box(q, -0.24, 0.24, 0, 0.16), box(q, -0.24, 0.24, 0.84, 1));
	double letter = lm_field_join(serifs, box(q, -0.1, 0.1, 0.02, 0.98), 0.04);
	return fmax(letter, -eyes(q, 0, 0.92, 0.22, 0.045));
}

// ---- P ----

static const double p_x[] = { -0.21, -0.13, 0.07, 0.2, 0.34 };
static const double p_y[] = { 0, 0.14, 0.27, 0.4, 0.54, 0.68, 0.84, 1 };

static bool p_filled(int32_t i, int32_t j)
{
	return j == 0 ? i < 4 : i == 1 || (j > 2 && i > 0 && (i == 3 || j == 3 || j == 6));
}

static double p_field(const double p[3], const void* context)
{
	(void)context;
	double stem = lm_field_join(box(p, -0.13, 0.07, 0.02, 1), box(p, -0.21, 0.42, 0, 0.14), 0.03);
	double letter = fmin(stem, bowl(p, -0.1, 0.34, 0.4, 0.07, 0.18));
	return fmax(letter, -eyes(p, 0.06, 0.92, 0.2, 0.045));
}

static const hopper hoppers[] = {
	{ "letter-i.obj",
	  "letter-i-surface.obj",
	  { "letter-i-right.obj", "letter-i-left.obj", "letter-i-low.obj" },
	  { 4, 6, i_x, i_y, i_filled },
	  0.16,
	  0.84,
	  -0.1,
	  0.1,
	  0.24,
	  i_field,
	  { { -0.3, -0.3, 1 }, { 0.3, 0.3, 1 }, { 0, 0, 0.6 } } },
	{ "letter-p.obj",
	  "letter-p-surface.obj",
	  { "letter-p-right.obj", "letter-p-left.obj", "letter-p-low.obj" },
	  { 4, 7, p_x, p_y, p_filled },
	  0.14,
	  0.84,
	  -0.13,
	  0.07,
	  0.42,
	  p_field,
	  { { -0.214, -0.353, 0.986 }, { 0.214, 0.353, 0.986 }, { 0, 0, 0.551 } } },
};

static bool make_hopper(make_output* output, const hopper* h)
{
	double low[2] = { -0.35, -0.05 }, high[2] = { 0.5, 1.05 };
	lm_mesh* mesh = lm_make_grid_mesh(&h->grid, &output->host);
	lm_mesh* surface = lm_make_outline(h->field, NULL, low, high, 0.0125, &output->host);
	double right = h->grid.x[h->grid.columns];
	for (int32_t v = 0; mesh && v < mesh->vertex_count; v++)
		if (mesh->positions[3 * v] == right && mesh->positions[3 * v + 1] <= h->low)
			mesh->positions[3 * v] = h->foot;
	bool posed = true;
	for (int32_t k = 0; mesh && posed && k < 3; k++)
	{
		posing to = { h, &h->how[k] };
		posed = lm_make_write_pose(output, h->poses[k], mesh, pose_hopper, &to);
	}
	if (posed)
		return write_letter(output, h->mesh, mesh, NULL, NULL, h->surface, surface);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(surface);
	return false;
}

bool lm_make_letters(make_output* output)
{
	bool made = lm_make_strokes(output);
	for (size_t k = 0; made && k < sizeof walkers / sizeof walkers[0]; k++)
		made = make_walker(output, &walkers[k]);
	for (size_t k = 0; made && k < sizeof hoppers / sizeof hoppers[0]; k++)
		made = make_hopper(output, &hoppers[k]);
	return made;
}
