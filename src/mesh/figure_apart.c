// figure_apart.c: legs that touch, told by the walls between them.
//
// Where the inside goes on across the middle plane, one leg ends and the other begins if the surface has walls there:
// it is met near the plane in both senses, once out of one part and once into the other. A base has none.
#include "math/vec.h"
#include "mesh/figure.h"

#include <string.h>

static const double band = 0.03;       // of the height: walls are so near the middle
static const double mostly = 0.8;      // of a layer's columns across the middle
static const double highest_leg = 0.6; // of the height

enum
{
	ENTERS = 1,
	LEAVES = 2
};

typedef struct view
{
	const lm_voxels* v;
	int across; // axis of the surface that is z of the voxels; the other one of x and z is x
	double middle, band;
	int32_t layers;
	uint8_t* walls; // [n[0] x layers] how the surface is met near the middle
} view;

// Point i of a triangle in the axes of the voxels.
static lm_vec3 corner(const view* w, const lm_mesh* surface, int64_t t, int i)
{
	const double* p = surface->positions + 3 * (int64_t)surface->triangles[3 * t + i];
	return lm_v3(p[2 - w->across], p[1], p[w->across]);
}

static double turn(lm_vec3 a, lm_vec3 b, double x, double y)
{
	return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

// Rows of columns along z through the centres of cubes that a triangle can meet.
static void range_of(double low, double high, double origin, double h, int32_t count, int32_t range[2])
{
	range[0] = (int32_t)fmin(fmax(ceil((low - origin) / h - 0.5), 0), count);
	range[1] = (int32_t)fmin(fmax(floor((high - origin) / h - 0.5), -1), count - 1.0);
}

static void add_triangle(const view* w, lm_vec3 a, lm_vec3 b, lm_vec3 c)
{
	const lm_voxels* v = w->v;
	lm_vec3 low = lm_min3(a, lm_min3(b, c)), high = lm_max3(a, lm_max3(b, c));
	double area = turn(a, b, c.x, c.y);
	int32_t columns[2], rows[2];
	if (low.z > w->middle + w->band || high.z < w->middle - w->band || !(fabs(area) > 0))
		return;
	range_of(low.x, high.x, v->origin.x, v->h, v->n[0], columns);
	range_of(low.y, high.y, v->origin.y, v->h, w->layers, rows);
	for (int32_t j = rows[0]; j <= rows[1]; ++j)
		for (int32_t i = columns[0]; i <= columns[1]; ++i)
		{
			double x = v->origin.x + v->h * (i + 0.5), y = v->origin.y + v->h * (j + 0.5);
			double s = turn(b, c, x, y) / area, t = turn(c, a, x, y) / area, u = 1 - s - t;
			if (s < 0 || t < 0 || u < 0 || !(fabs(s * a.z + t * b.z + u * c.z - w->middle) < w->band))
				continue;
			w->walls[i + (int64_t)v->n[0] * j] |= area > 0 ? LEAVES : ENTERS;
		}
}

static bool inside_at(const lm_voxels* v, int32_t i, int32_t j, double z)
{
	int32_t k = (int32_t)fmin(fmax(floor((z - v->origin.z) / v->h), 0), v->n[2] - 1.0);
	return v->inside[lm_voxel_at(v->n, i, j, k)];
}

// Whether what goes on across the middle in this layer has walls there.
static bool has_walls(const view* w, int32_t j)
{
	int32_t across = 0, walled = 0;
	for (int32_t i = 0; i < w->v->n[0]; ++i)
		if (inside_at(w->v, i, j, w->middle - w->band) && inside_at(w->v, i, j, w->middle + w->band))
			across++, walled += w->walls[i + (int64_t)w->v->n[0] * j] == (ENTERS | LEAVES);
	return across > 0 && walled >= mostly * across;
}

int32_t lm_figure_walled_layers(const lm_mesh* surface, int across, const lm_voxels* voxels, double height,
                                double middle, uint8_t* room)
{
	view w = { .v = voxels, .across = across, .middle = middle, .band = fmax(band * height, voxels->h), .walls = room };
	w.layers = (int32_t)fmin(floor(highest_leg * height / voxels->h), voxels->n[1]);
	memset(room, 0, (size_t)voxels->n[0] * (size_t)(w.layers > 0 ? w.layers : 0));
	for (int64_t t = 0; t < surface->triangle_count; ++t)
		add_triangle(&w, corner(&w, surface, t, 0), corner(&w, surface, t, 1), corner(&w, surface, t, 2));
	int32_t walled = 0;
	while (walled < w.layers && has_walls(&w, walled))
		walled++;
	return walled;
}
