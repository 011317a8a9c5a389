// strokes.c: letters drawn by one stroke of a broad pen, bodies of `act` in the plane, 1 m high:
// S, which crawls on its flat bottom, and G, which is round, about the origin, and rolls.
#include "make.h"

#include <math.h>

enum
{
	LAYERS = 3 // vertices across a stroke
};

// Strip of quads between `sections` rows of LAYERS vertices each, two triangles per quad; `more` vertices and triangles
// are left to fill in. Rows run from the right of the stroke to its left.
static lm_mesh* make_strip(int32_t sections, int32_t more_vertices, int32_t more_triangles, const lm_host* host)
{
	int32_t count = 2 * (sections - 1) * (LAYERS - 1);
	lm_mesh* mesh = lm_mesh_create(host, sections * LAYERS + more_vertices, count + more_triangles, 0);
	int32_t* t = mesh ? mesh->triangles : NULL;
	for (int32_t s = 0; mesh && s + 1 < sections; s++)
		for (int32_t k = 0; k + 1 < LAYERS; k++)
		{
			int32_t a = s * LAYERS + k, b = a + 1, c = a + LAYERS, d = c + 1;
			int32_t leaning[2][6] = { { a, c, d, a, d, b }, { a, c, b, b, c, d } };
			for (int32_t e = 0; e < 6; e++)
				*t++ = leaning[(s + k) % 2][e];
		}
	return mesh;
}

static bool write_stroke(make_output* output, const char* const names[3], lm_mesh* mesh, lm_mesh* cage,
                         lm_mesh* surface)
{
	bool made = mesh && cage && surface
	                ? lm_make_write(output, names[0], mesh, NULL) && lm_make_write(output, names[1], cage, NULL) &&
	                      lm_make_write(output, names[2], surface, NULL)
	                : lm_make_no_memory(output);
	lm_mesh_destroy(mesh);
	lm_mesh_destroy(cage);
	lm_mesh_destroy(surface);
	return made;
}

// ---- S: two bowls, each most of a superellipse, one over the other ----

enum
{
	S_SECTIONS = 18,
	S_POINTS = 600 // of the middle line
};

#define S_WIDTH 0.18

typedef struct middle_line
{
	double points[S_POINTS + 1][2];
} middle_line;

static double power(double value, double exponent)
{
	return copysign(pow(fabs(value), exponent), value);
}

// From the end at the upper right, counter-clockwise round the upper bowl, clockwise round the lower one.
static void draw_s(middle_line* line)
{
	const double reach = 250 * MAKE_PI / 180, half_width = 0.27, half_height = 0.205, exponent = 2 / 2.5;
	for (int32_t k = 0; k <= S_POINTS; k++)
	{
		double u = 2.0 * k / S_POINTS - 1, side = u < 0 ? 1 : -1;
		double angle = 1.5 * MAKE_PI - reach * fabs(u);
		line->points[k][0] = side * half_width * power(cos(angle), exponent);
		line->points[k][1] = 0.5 + side * half_height * (1 + power(sin(angle), exponent));
	}
}

// Point and direction of the line at a share of its length.
static void along(const middle_line* line, double share, double point[2], double direction[2])
{
	double total = 0, way = 0;
	int32_t k = 0;
	for (int32_t i = 0; i < S_POINTS; i++)
		total += hypot(line->points[i + 1][0] - line->points[i][0], line->points[i + 1][1] - line->points[i][1]);
	for (; k < S_POINTS - 1; k++)
	{
		way += hypot(line->points[k + 1][0] - line->points[k][0], line->points[k + 1][1] - line->points[k][1]);
		if (way >= share * total)
			break;
	}
	int32_t from = k > 4 ? k - 4 : 0, to = k < S_POINTS - 4 ? k + 4 : S_POINTS;
	double x = line->points[to][0] - line->points[from][0], y = line->points[to][1] - line->points[from][1];
	int32_t at = share < 0.5 ? k : k + 1;
	point[0] = line->points[at][0], point[1] = line->points[at][1];
	direction[0] = x / hypot(x, y), direction[1] = y / hypot(x, y);
}

static lm_mesh* mesh_s(const middle_line* line, const lm_host* host)
{
	lm_mesh* mesh = make_strip(S_SECTIONS, 0, 0, host);
	for (int32_t s = 0; mesh && s < S_SECTIONS; s++)
		for (int32_t k = 0; k < LAYERS; k++)
		{
			double point[2], way[2], off = S_WIDTH * ((double)k / (LAYERS - 1) - 0.5);
			along(line, (double)s / (S_SECTIONS - 1), point, way);
			double* x = mesh->positions + 3 * (s * LAYERS + k);
			x[0] = point[0] - off * way[1], x[1] = point[1] + off * way[0];
			x[1] = x[1] < 0.08 ? 0 : x[1]; // the sole
		}
	return mesh;
}

static double s_field(const double p[3], const void* context)
{
	const middle_line* line = context;
	double nearest = INFINITY;
	for (int32_t k = 0; k <= S_POINTS; k += 3)
		nearest = fmin(nearest, hypot(p[0] - line->points[k][0], p[1] - line->points[k][1]));
	double eye = hypot(fabs(p[0] - 0.02) - 0.09, p[1] - 0.91) - 0.045;
	double sole_centre[3] = { 0.02, 0.03, 0 }, sole_half[3] = { 0.23, 0.03, 1 };
	double letter = lm_field_join(nearest - S_WIDTH / 2, lm_field_box(p, sole_centre, sole_half, 0.01), 0.02);
	return fmax(letter, -eye);
}

static const double s_cage[] = { -0.42, -0.05, -0.14, -0.05, 0.14,  -0.05, 0.42,  -0.05, 0.42,  0.25, 0.42,  0.55,
	                             0.42,  1.05,  0,     1.05,  -0.42, 1.05,  -0.42, 0.75,  -0.42, 0.45, -0.42, 0.2 };

static bool make_s(make_output* output)
{
	static const char* const names[3] = { "letter-s.obj", "letter-s-cage.obj", "letter-s-surface.obj" };
	double low[2] = { -0.45, -0.05 }, high[2] = { 0.45, 1.05 };
	middle_line line;
	draw_s(&line);
	return write_stroke(output, names, mesh_s(&line, &output->host), lm_make_polygon(s_cage, 12, true, &output->host),
	                    lm_make_outline(s_field, &line, low, high, 0.0125, &output->host));
}

// ---- G: most of a ring about the origin, with a bar; it stands on a facet ----

enum
{
	G_SECTIONS = 17,
	G_CAGE = 8
};

static const double g_angles[G_SECTIONS] = { 35,  58,  80,  100, 120, 140, 160, 180, 200,
	                                         220, 240, 260, 280, 300, 320, 340, 360 };
#define G_OUTER 0.5
#define G_INNER 0.3

static lm_mesh* mesh_g(const lm_host* host)
{
	lm_mesh* mesh = make_strip(G_SECTIONS, 2, 2, host);
	for (int32_t s = 0; mesh && s < G_SECTIONS; s++)
		for (int32_t k = 0; k < LAYERS; k++)
		{
			double radius = G_OUTER + (G_INNER - G_OUTER) * k / (LAYERS - 1), angle = g_angles[s] * MAKE_PI / 180;
			double* x = mesh->positions + 3 * (s * LAYERS + k);
			x[0] = radius * cos(angle), x[1] = radius * sin(angle);
		}
	if (!mesh)
		return NULL;
	// the bar goes on inwards from the last quad of the ring
	int32_t low = (G_SECTIONS - 1) * LAYERS - 1, high = G_SECTIONS * LAYERS - 1, end = high + 1;
	double *a = mesh->positions + 3 * end, *b = a + 3;
	a[0] = b[0] = 0.08;
	a[1] = mesh->positions[3 * low + 1], b[1] = 0;
	int32_t list[6] = { low, high, end + 1, low, end + 1, end };
	for (int32_t e = 0; e < 6; e++)
		mesh->triangles[3 * (mesh->triangle_count - 2) + e] = list[e];
	return mesh;
}

static double g_field(const double p[3], const void* context)
{
	(void)context;
	double x = p[0], y = p[1], r = hypot(x, y), angle = atan2(y, x) * 180 / MAKE_PI;
	double ring = fmax(r - G_OUTER, G_INNER - r);
	double gap = angle > 0 && angle < 35 ? r * sin(fmin(angle, 35 - angle) * MAKE_PI / 180) : -1;
	double bar_centre[3] = { 0.2, -0.05, 0 }, bar_half[3] = { 0.12, 0.05, 1 };
	double letter = fmin(fmax(ring, gap), lm_field_box(p, bar_centre, bar_half, 0.012));
	double eye = hypot(fabs(x) - 0.09, y - 0.4) - 0.045;
	return fmax(letter, -eye);
}

static bool make_g(make_output* output)
{
	static const char* const names[3] = { "letter-g.obj", "letter-g-cage.obj", "letter-g-surface.obj" };
	double low[2] = { -0.55, -0.55 }, high[2] = { 0.55, 0.55 }, around[2 * G_CAGE];
	for (int32_t v = 0; v < G_CAGE; v++)
	{
		around[2 * v] = 0.58 * cos(2 * MAKE_PI * v / G_CAGE);
		around[2 * v + 1] = 0.58 * sin(2 * MAKE_PI * v / G_CAGE);
	}
	return write_stroke(output, names, mesh_g(&output->host), lm_make_polygon(around, G_CAGE, true, &output->host),
	                    lm_make_outline(g_field, NULL, low, high, 0.0125, &output->host));
}

bool lm_make_strokes(make_output* output)
{
	return make_s(output) && make_g(output);
}
