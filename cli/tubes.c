// Lines and points as surfaces that can be drawn: tubes and octahedra.
#include "cli.h"

#include <math.h>
#include <string.h>

void lift_point(const lm_camera* camera, double by, const double from[3], double to[3])
{
	double away = 0;
	for (int c = 0; c < 3; ++c)
		away += (from[c] - camera->eye[c]) * (from[c] - camera->eye[c]);
	double share = fmin(by / fmax(sqrt(away), 1e-300), 0.5);
	for (int c = 0; c < 3; ++c)
		to[c] = from[c] + share * (camera->eye[c] - from[c]);
}

static void put_corners(const int32_t* corners, int32_t count, int32_t index, int32_t* to)
{
	for (int32_t k = 0; k < count; ++k)
		to[(int64_t)count * index + k] = 6 * index + corners[k];
}

// Corners 0 to 2 at its begin, 3 to 5 at its end.
static void put_ends(const double a[3], const double b[3], double radius, double* corners)
{
	double along[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, side[3] = { 0, 0, 0 }, other[3];
	int least = fabs(along[0]) < fabs(along[1]) ? 0 : 1;
	least = fabs(along[2]) < fabs(along[least]) ? 2 : least;
	double length = fmax(sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]), 1e-300);
	int j = (least + 1) % 3, k = (least + 2) % 3;
	double flat = fmax(hypot(along[j], along[k]), 1e-300);
	side[j] = -along[k] / flat, side[k] = along[j] / flat;
	for (int c = 0; c < 3; ++c)
		other[c] = (along[(c + 1) % 3] * side[(c + 2) % 3] - along[(c + 2) % 3] * side[(c + 1) % 3]) / length;
	for (int i = 0; i < 6; ++i)
		for (int c = 0; c < 3; ++c)
			corners[3 * i + c] =
				(i < 3 ? a : b)[c] + radius * (cos(2.0944 * (i % 3)) * side[c] + sin(2.0944 * (i % 3)) * other[c]);
}

void put_tube(const double a[3], const double b[3], double radius, int32_t index, double* positions, int32_t* triangles)
{
	static const int32_t sides[18] = { 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 2, 0, 3, 2, 3, 5 };
	put_ends(a, b, radius, positions + 18 * (int64_t)index);
	put_corners(sides, 18, index, triangles);
}

void put_mark(const double middle[3], double radius, int32_t index, double* positions, int32_t* triangles)
{
	static const int32_t faces[24] = { 0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5 };
	for (int k = 0; k < 6; ++k)
		for (int c = 0; c < 3; ++c)
			positions[18 * (int64_t)index + 3 * k + c] = middle[c] + (c == k / 2 ? (k % 2 == 0 ? radius : -radius) : 0);
	put_corners(faces, 24, index, triangles);
}
