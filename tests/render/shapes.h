// shapes.h: small surfaces for the renderer's tests.
#ifndef LIMBER_TEST_SHAPES_H
#define LIMBER_TEST_SHAPES_H

#include "limber/render.h"

#include <math.h>
#include <string.h>

#define BALL_ROWS 24
#define BALL_COLUMNS 48

typedef struct ball_mesh
{
	double positions[3 * (BALL_ROWS + 1) * BALL_COLUMNS];
	int32_t triangles[6 * BALL_ROWS * BALL_COLUMNS];
} ball_mesh;

static inline lm_surface make_ball(ball_mesh* ball, double x, double y, double z, double radius, float r, float g,
                                   float b)
{
	const double pi = 3.14159265358979323846;
	int32_t count = 0;
	for (int i = 0; i <= BALL_ROWS; ++i)
		for (int j = 0; j < BALL_COLUMNS; ++j)
		{
			double* p = ball->positions + 3 * (i * BALL_COLUMNS + j);
			double theta = pi * i / BALL_ROWS, phi = 2 * pi * j / BALL_COLUMNS;
			p[0] = x + radius * sin(theta) * cos(phi);
			p[1] = y + radius * cos(theta);
			p[2] = z + radius * sin(theta) * sin(phi);
		}
	for (int i = 0; i < BALL_ROWS; ++i)
		for (int j = 0; j < BALL_COLUMNS; ++j)
		{
			int32_t a = i * BALL_COLUMNS + j, b1 = i * BALL_COLUMNS + (j + 1) % BALL_COLUMNS;
			int32_t quad[6] = { a, b1, b1 + BALL_COLUMNS, a, b1 + BALL_COLUMNS, a + BALL_COLUMNS };
			memcpy(ball->triangles + 6 * count++, quad, sizeof quad);
		}
	return (lm_surface){ .vertex_count = (BALL_ROWS + 1) * BALL_COLUMNS,
		                 .positions = ball->positions,
		                 .triangle_count = 2 * BALL_ROWS * BALL_COLUMNS,
		                 .triangles = ball->triangles,
		                 .color = { r, g, b } };
}

typedef struct floor_quad
{
	double positions[12];
	int32_t triangles[6];
} floor_quad;

static inline lm_surface make_floor(floor_quad* quad, double x, double z, double half)
{
	const double positions[12] = { x - half, 0, z - half, x - half, 0, z + half,
		                           x + half, 0, z + half, x + half, 0, z - half };
	const int32_t triangles[6] = { 0, 1, 2, 0, 2, 3 };
	memcpy(quad->positions, positions, sizeof positions);
	memcpy(quad->triangles, triangles, sizeof triangles);
	return (lm_surface){ .vertex_count = 4,
		                 .positions = quad->positions,
		                 .triangle_count = 2,
		                 .triangles = quad->triangles,
		                 .color = { 0.5f, 0.5f, 0.5f },
		                 .checker = true };
}

#endif
