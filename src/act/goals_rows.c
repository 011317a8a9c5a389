// goals_rows.c: rows for common goals (Coros et al. 2012, Sec. 4.2 and 7; angular momentum is ours).
#include "act/body.h"
#include "math/svd.h"

#include <assert.h>
#include <math.h>

#define FLAT 1e-9 // extents below this part of the largest (squared: of the moments) are none

static lm_vec3 position(const lm_act* body, int32_t v)
{
	const double* x = body->x + (int64_t)v * body->dimension;
	return lm_v3(x[0], x[1], body->dimension == 3 ? x[2] : 0);
}

static void store(lm_vec3 a, int32_t at, double* coefficients)
{
	lm_v3_store(coefficients, at, a);
}

// Mean of the group, times sign, appended at `at`.
static int32_t append_mean(const lm_act* body, const int32_t* group, int32_t count, const double axis[3], double sign,
                           int32_t at, int32_t* vertices, double* coefficients)
{
	double mass = 0;
	for (int32_t k = 0; k < count; ++k)
		mass += body->masses[group[k]];
	for (int32_t k = 0; k < count; ++k, ++at)
	{
		vertices[at] = group[k];
		store(lm_scale(sign * body->masses[group[k]] / mass, lm_v3_at(axis, 0)), at, coefficients);
	}
	return at;
}

int32_t lm_act_row_center(const lm_act* body, const double axis[3], int32_t* vertices, double* coefficients)
{
	for (int32_t v = 0; v < body->vertex_count; ++v)
	{
		vertices[v] = v;
		store(lm_scale(body->masses[v] / body->mass, lm_v3_at(axis, 0)), v, coefficients);
	}
	return body->vertex_count;
}

int32_t lm_act_row_mean(const lm_act* body, const int32_t* group, int32_t count, const double axis[3],
                        int32_t* vertices, double* coefficients)
{
	return append_mean(body, group, count, axis, 1, 0, vertices, coefficients);
}

int32_t lm_act_row_between(const lm_act* body, const int32_t* from, int32_t from_count, const int32_t* to,
                           int32_t to_count, const double axis[3], int32_t* vertices, double* coefficients)
{
	assert(from_count + to_count <= body->vertex_count);
	int32_t at = append_mean(body, from, from_count, axis, -1, 0, vertices, coefficients);
	return append_mean(body, to, to_count, axis, 1, at, vertices, coefficients);
}

// Centre and moments A = sum m (X - C)(X - C)^T of the group's initial rest shape.
static lm_mat3 moments(const lm_act* body, const int32_t* group, int32_t count, lm_vec3* center)
{
	double mass = 0;
	lm_vec3 sum = lm_v3(0, 0, 0);
	for (int32_t k = 0; k < count; ++k)
	{
		mass += body->masses[group[k]];
		sum = lm_add_scaled(sum, body->masses[group[k]], lm_v3_at(body->mesh->positions, group[k]));
	}
	*center = lm_scale(mass > 0 ? 1 / mass : 0, sum);
	lm_mat3 A = { 0 };
	for (int32_t k = 0; k < count; ++k)
	{
		lm_vec3 arm = lm_sub(lm_v3_at(body->mesh->positions, group[k]), *center);
		lm_add_outer(&A, body->masses[group[k]], arm, arm);
	}
	return A;
}

// F = sum m x (X - C)^T A^+, so that axis . F material has the coefficients m ((X - C) . A^+ material) axis. They sum
// to zero: where the group is does not matter.
int32_t lm_act_row_orientation(const lm_act* body, const int32_t* group, int32_t count, const double axis[3],
                               const double material[3], int32_t* vertices, double* coefficients)
{
	lm_vec3 center, solved = lm_v3(0, 0, 0), direction = lm_v3_at(material, 0);
	lm_eigen eigen = lm_eigen3(moments(body, group, count, &center));
	double values[3] = { eigen.e.x, eigen.e.y, eigen.e.z };
	for (int i = 0; i < 3; ++i)
		if (values[i] > FLAT * values[0])
		{
			lm_vec3 u = lm_column(eigen.V, i);
			solved = lm_add_scaled(solved, lm_dot(u, direction) / values[i], u);
		}
	for (int32_t k = 0; k < count; ++k)
	{
		double share = lm_dot(lm_sub(lm_v3_at(body->mesh->positions, group[k]), center), solved);
		vertices[k] = group[k];
		store(lm_scale(body->masses[group[k]] * share, lm_v3_at(axis, 0)), k, coefficients);
	}
	return count;
}

// axis . sum m (x - c) x v = sum m (axis x (x - c)) . v
int32_t lm_act_row_spin(const lm_act* body, const double axis[3], int32_t* vertices, double* coefficients)
{
	double c[3];
	lm_act_center(body, c);
	for (int32_t v = 0; v < body->vertex_count; ++v)
	{
		lm_vec3 arm = lm_sub(position(body, v), lm_v3_at(c, 0));
		vertices[v] = v;
		store(lm_scale(body->masses[v], lm_cross(lm_v3_at(axis, 0), arm)), v, coefficients);
	}
	return body->vertex_count;
}
