// cage_bodies.h: bodies that cages are made around.
#ifndef LIMBER_TEST_CAGE_BODIES_H
#define LIMBER_TEST_CAGE_BODIES_H

#include "limber/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct body_shape
{
	const char* name;
	lm_cage_body body;
	double* positions;
	int32_t* elements;
} body_shape;

static inline void body_free(body_shape* shape)
{
	free(shape->positions);
	free(shape->elements);
}

static inline body_shape body_make(const char* name, int dimension, int vertices, int corners, int elements)
{
	body_shape s = { .name = name };
	s.positions = calloc((size_t)(vertices * dimension), sizeof(double));
	s.elements = calloc((size_t)(elements * corners) + 1, sizeof(int32_t));
	s.body = (lm_cage_body){ dimension, vertices, s.positions, corners, elements, s.elements };
	return s;
}

// Cells of a picture ('#': there; first row on top) as squares of two triangles, or cubes of six tetrahedra.
static inline body_shape body_of_picture(const char* name, int dimension, int columns, int rows, const char* picture)
{
	static const int kuhn[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
		                            { 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };
	int cells = 0, layers = dimension == 3 ? 2 : 1, per = dimension == 3 ? 6 : 2, used = 0;
	int* index = malloc(sizeof(int) * (size_t)(layers * (columns + 1) * (rows + 1)));
	for (int i = 0; i < columns * rows; ++i)
		cells += picture[i] == '#';
	for (int i = 0; i < layers * (columns + 1) * (rows + 1); ++i)
		index[i] = -1;
	body_shape s = body_make(name, dimension, layers * (columns + 1) * (rows + 1), dimension + 1, per * cells);
	int32_t* e = s.elements;
	for (int r = 0; r < rows; ++r)
		for (int c = 0; c < columns; ++c)
		{
			int v[8];
			if (picture[r * columns + c] != '#')
				continue;
			for (int corner = 0; corner < (dimension == 3 ? 8 : 4); ++corner)
			{
				int x = c + (corner & 1), y = rows - 1 - r + (corner >> 1 & 1), z = corner >> 2;
				int* slot = &index[x + (columns + 1) * (y + (rows + 1) * z)];
				if (*slot < 0)
				{
					*slot = used++;
					double* p = s.positions + dimension * *slot;
					p[0] = 0.1 * x, p[1] = 0.1 * y;
					if (dimension == 3)
						p[2] = 0.15 * z;
				}
				v[corner] = *slot;
			}
			if (dimension == 2)
			{
				int both[6] = { v[0], v[1], v[3], v[0], v[3], v[2] };
				for (int i = 0; i < 6; ++i)
					*e++ = both[i];
			}
			else
				for (int t = 0; t < 6; ++t)
					for (int i = 0; i < 4; ++i)
						*e++ = v[kuhn[t][i]];
		}
	s.body.vertex_count = used;
	free(index);
	return s;
}

static const char body_picture_i[] = "#######"
									 "#######"
									 "..###.."
									 "..###.."
									 "..###.."
									 "..###.."
									 "..###.."
									 "#######"
									 "#######";
static const char body_picture_c[] = "########"
									 "########"
									 "###....."
									 "##......"
									 "##......"
									 "##......"
									 "###....."
									 "########"
									 "########";
static const char body_picture_biped[] = "..######.."
										 "..######.."
										 "##########"
										 "##########"
										 "..######.."
										 "..######.."
										 "..##..##.."
										 "..##..##.."
										 "..##..##.."
										 "..##..##.."
										 ".###..###.";

static inline body_shape body_a(void)
{
	// A: two slanted bars and a cross bar, as triangles that overlap
	static const double corners[12][2] = { { 0, 0 },       { 0.18, 0 },    { 0.41, 1 },   { 0.59, 1 },
		                                   { 0.82, 0 },    { 1, 0 },       { 0.27, 0.3 }, { 0.73, 0.3 },
		                                   { 0.30, 0.42 }, { 0.70, 0.42 }, { 0.5, 0.86 }, { 0.5, 1 } };
	static const int32_t triangles[] = { 0, 1, 2, 1, 10, 2, 2, 10, 11, 3, 11, 10, 4, 5, 3, 4, 3, 10, 6, 7, 9, 6, 9, 8 };
	body_shape s = body_make("a", 2, 12, 3, 8);
	memcpy(s.positions, corners, sizeof corners);
	memcpy(s.elements, triangles, sizeof triangles);
	return s;
}

static inline body_shape body_disc(void)
{
	body_shape s = body_make("disc", 2, 31, 3, 30);
	for (int i = 0; i < 30; ++i)
	{
		s.positions[2 * i] = cos(M_PI * i / 15), s.positions[2 * i + 1] = sin(M_PI * i / 15);
		s.elements[3 * i] = 30, s.elements[3 * i + 1] = i, s.elements[3 * i + 2] = (i + 1) % 30;
	}
	return s;
}

// An open curve: a spiral.
static inline body_shape body_curve(void)
{
	body_shape s = body_make("curve", 2, 40, 2, 39);
	for (int i = 0; i < 40; ++i)
	{
		double t = 0.2 * i;
		s.positions[2 * i] = 0.15 * t * cos(t), s.positions[2 * i + 1] = 0.15 * t * sin(t);
		if (i < 39)
			s.elements[2 * i] = i, s.elements[2 * i + 1] = i + 1;
	}
	return s;
}

// A grid of rows x columns points on a map of the unit square into space, as triangles.
typedef void body_map(double u, double v, double* x);
static inline body_shape body_sheet(const char* name, int rows, int columns, bool wrap, body_map* map)
{
	int across = wrap ? columns - 1 : columns;
	body_shape s = body_make(name, 3, rows * across, 3, 2 * (rows - 1) * (columns - 1));
	for (int r = 0; r < rows; ++r)
		for (int c = 0; c < across; ++c)
			map((double)r / (rows - 1), (double)c / (columns - 1), s.positions + 3 * (r * across + c));
	for (int i = 0; i < (rows - 1) * (columns - 1); ++i)
	{
		int r = i / (columns - 1), c = i % (columns - 1), next = (c + 1) % across;
		int a = r * across + c, b = r * across + next, up = a + across, both = b + across;
		int32_t six[6] = { a, b, both, a, both, up };
		memcpy(s.elements + 6 * i, six, sizeof six);
	}
	return s;
}

static inline void body_map_card(double u, double v, double* x)
{
	x[0] = 0.7 * u, x[1] = v, x[2] = 0;
}

static inline void body_map_sphere(double u, double v, double* x)
{
	x[0] = sin(M_PI * u) * cos(2 * M_PI * v), x[2] = sin(M_PI * u) * sin(2 * M_PI * v), x[1] = cos(M_PI * u);
}

// Open above: wall and bottom of a cup with an inner and an outer side.
static inline void body_map_cup(double u, double v, double* x)
{
	static const double profile[6][2] = {
		{ 0, 0 }, { 0.3, 0 }, { 0.5, 0.9 }, { 0.42, 0.9 }, { 0.25, 0.1 }, { 0, 0.1 }
	};
	double at = 5 * u;
	int i = at >= 5 ? 4 : (int)at;
	double r = profile[i][0] + (at - i) * (profile[i + 1][0] - profile[i][0]);
	x[0] = r * cos(2 * M_PI * v), x[2] = r * sin(2 * M_PI * v);
	x[1] = profile[i][1] + (at - i) * (profile[i + 1][1] - profile[i][1]);
}

static inline void body_map_torus(double u, double v, double* x)
{
	double r = 1 + 0.25 * cos(2 * M_PI * u);
	x[0] = r * cos(2 * M_PI * v), x[1] = r * sin(2 * M_PI * v), x[2] = 0.25 * sin(2 * M_PI * u);
}

enum
{
	body_shape_count = 11
};

static inline body_shape body_shape_at(int i)
{
	switch (i)
	{
		case 0: return body_of_picture("i", 2, 7, 9, body_picture_i);
		case 1: return body_of_picture("c", 2, 8, 9, body_picture_c);
		case 2: return body_a();
		case 3: return body_disc();
		case 4: return body_curve();
		case 5: return body_of_picture("biped", 3, 10, 11, body_picture_biped);
		case 6: return body_sheet("card", 11, 8, false, body_map_card);
		case 7: return body_sheet("sphere", 9, 17, true, body_map_sphere);
		case 8: return body_sheet("cup", 21, 17, true, body_map_cup);
		case 9: return body_sheet("torus", 13, 25, true, body_map_torus);
		default: return body_of_picture("biped2d", 2, 10, 11, body_picture_biped);
	}
}

#endif
