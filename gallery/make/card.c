// card.c: the ace of spades as a shell of 7 x 11 vertices (231 unknowns) that lies in the plane y = 0, its length along
// x, and a cage of 14 vertices around it; and the same card arched, with three poses.
#include "make.h"

#include <math.h>
#include <stdlib.h>

enum
{
	LONG = 10,
	WIDE = 6
};

static const double half_length = 0.4, half_width = 0.28;

// Diagonals mirrored about both middle lines: neither side is preferred.
static lm_mesh* card_mesh(const lm_host* host)
{
	lm_mesh* mesh = lm_mesh_create(host, (LONG + 1) * (WIDE + 1), 2 * LONG * WIDE, 0);
	if (!mesh)
		return NULL;
	for (int32_t v = 0; v < mesh->vertex_count; v++)
	{
		mesh->positions[3 * v] = half_length * (2.0 * (v % (LONG + 1)) / LONG - 1);
		mesh->positions[3 * v + 2] = half_width * (2.0 * (v / (LONG + 1)) / WIDE - 1);
	}
	int32_t* t = mesh->triangles;
	for (int32_t k = 0; k < WIDE; k++)
		for (int32_t i = 0; i < LONG; i++)
		{
			int32_t a = k * (LONG + 1) + i, b = a + 1, c = a + LONG + 1, d = c + 1;
			bool falling = (i < LONG / 2) == (k < WIDE / 2);
			int32_t list[6] = { a, c, falling ? d : b, falling ? a : b, falling ? d : c, falling ? b : d };
			for (int32_t n = 0; n < 6; n++)
				*t++ = list[n];
		}
	return mesh;
}

// A flat box: above and below, corners, middles of the long sides and the centre.
static lm_mesh* card_cage(const lm_host* host)
{
	static const int32_t around[6] = { 0, 1, 2, 5, 4, 3 }; // of 0 1 2 / 3 4 5, the centre is 6
	lm_mesh* cage = lm_mesh_create(host, 14, 24, 0);
	if (!cage)
		return NULL;
	for (int32_t v = 0; v < 14; v++)
	{
		int32_t n = v % 7;
		cage->positions[3 * v] = n == 6 ? 0 : (half_length + 0.05) * (n % 3 - 1);
		cage->positions[3 * v + 1] = v < 7 ? 0.08 : -0.08;
		cage->positions[3 * v + 2] = n == 6 ? 0 : (half_width + 0.05) * (2 * (n / 3) - 1);
	}
	int32_t* t = cage->triangles;
	for (int32_t k = 0; k < 6; k++)
	{
		int32_t a = around[k], b = around[(k + 1) % 6];
		int32_t list[12] = { 6, b, a, 13, a + 7, b + 7, a, b, b + 7, a, b + 7, a + 7 };
		for (int32_t n = 0; n < 12; n++)
			*t++ = list[n];
	}
	return cage;
}

// ---- what is seen: a card with rounded corners, its signs cut out; drawn upright in the plane ----

static double spade(double x, double y, double size)
{
	x = fabs(x) / size, y = y / size;
	double lobe = hypot(x - 0.42, y + 0.15) - 0.42, tip = fmax(0.8 * x + 0.6 * y - 0.62, -0.15 - y);
	double stem = fmax(x - 0.1 - 0.25 * fmax(-0.55 - y, 0), fmax(y + 0.3, -0.95 - y));
	return size * fmin(fmin(lobe, tip), stem);
}

static double letter_a(double x, double y, double size)
{
	double p[3] = { fabs(x) / size, y / size, 0 };
	double top[3] = { 0, 1, 0 }, foot[3] = { 0.6, -1, 0 }, left[3] = { 0, -0.35, 0 }, right[3] = { 0.4, -0.35, 0 };
	return size * fmin(lm_field_limb(p, top, foot, 0.16, 0.16), lm_field_limb(p, left, right, 0.13, 0.13));
}

static double card_field(const double p[3], const void* context)
{
	(void)context;
	double q[3] = { p[0], p[1], 0 }, middle[3] = { 0, 0, 0 }, half[3] = { half_width, half_length, 1 };
	double sheet = lm_field_box(q, middle, half, 0.05);
	double turn = p[1] < 0 ? -1 : 1, x = turn * p[0], y = turn * p[1]; // the lower half is turned by half a circle
	double signs = spade(p[0], p[1] + 0.01, 0.17);
	signs = fmin(signs, letter_a(x + half_width - 0.07, y - half_length + 0.085, 0.042));
	signs = fmin(signs, spade(x + half_width - 0.07, y - half_length + 0.185, 0.042));
	return fmax(sheet, -signs);
}

// ---- poses: the middle line becomes an arc of changing curvature, the card stays straight across ----

typedef struct bow
{
	double even;        // radians per metre all along, positive: ends go down
	double back, front; // besides, at the ends; grows from 0 at a twentieth of the length off the middle
} bow;

static void bowed(double p[3], const void* context)
{
	enum
	{
		PIECES = 200
	};
	const bow* b = context;
	double x = 0, y = 0, angle = 0, step = p[0] / PIECES;
	for (int32_t k = 0; k < PIECES; k++)
	{
		double s = (k + 0.5) * step / half_length; // -1 .. 1
		angle -= (b->even + b->back * fmax(-s - 0.1, 0) + b->front * fmax(s - 0.1, 0)) * step;
		x += cos(angle) * step;
		y += sin(angle) * step;
	}
	p[0] = x, p[1] = y;
}

// Writes the mesh bowed; false after a failure.
static bool write_bowed(make_output* output, const char* name, const lm_mesh* mesh, const bow* shape)
{
	double* positions = lm_make_posed(mesh, bowed, shape);
	bool made = positions ? lm_make_write(output, name, mesh, positions) : lm_make_no_memory(output);
	free(positions);
	return made;
}

// An arched card, so that it stands on its short sides: the bending direction of a flat one is undetermined.
static bool write_arched(make_output* output, const lm_mesh* mesh, const lm_mesh* surface)
{
	static const bow arched = { 2.5, 0, 0 }, back = { 2.5, 9, 0 }, front = { 2.5, 0, 9 }, flat = { 0.3, 0, 0 };
	return write_bowed(output, "ace-arched.obj", mesh, &arched) &&
	       write_bowed(output, "ace-arched-surface.obj", surface, &arched) &&
	       write_bowed(output, "ace-back.obj", mesh, &back) && write_bowed(output, "ace-front.obj", mesh, &front) &&
	       write_bowed(output, "ace-flat.obj", mesh, &flat);
}

bool lm_make_card(make_output* output)
{
	lm_mesh *mesh = card_mesh(&output->host), *cage = card_cage(&output->host);
	double low[2] = { -0.3, -0.42 }, high[2] = { 0.3, 0.42 };
	lm_mesh* surface = lm_make_outline(card_field, NULL, low, high, 0.009, &output->host);
	for (int32_t v = 0; surface && v < surface->vertex_count; v++)
	{
		double* p = surface->positions + 3 * v;
		double x = p[1], z = p[0];
		p[0] = x, p[1] = 0, p[2] = z;
	}
	bool made = mesh && cage && surface
	                ? lm_make_write(output, "ace.obj", mesh, NULL) &&
	                      lm_make_write(output, "ace-cage.obj", cage, NULL) &&
	                      lm_make_write(output, "ace-surface.obj", surface, NULL) && write_arched(output, mesh, surface)
	                : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(surface);
	return made;
}
