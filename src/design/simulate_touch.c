// simulate_touch.c: what bodies of other engines, and hands, do to simulated bodies.
//
// A force and a torque accelerate the whole body as if it were rigid; a squeeze S deforms it by accelerations A d of
// what is at d from the centre of mass, A = S M^-1, M the second moments of mass (match/touched.c has the same). All
// are affine, so that the nodes carry them exactly, and no node is thrown however small its mass.
#include "design/simulate.h"

#include "math/svd.h"

#include <string.h>

#define LM_MOST_STRAIN 0.02 // by a squeeze
#define LM_FLAT 1e-3        // of the second moments: what is flatter is not squeezed

typedef struct affine
{
	lm_vec3 centre, along, spin;
	lm_mat3 A;
} affine;

// By loads on a body of mass 1, in own lengths.
static affine rigid_by(const lm_design_sim* sim, int32_t b, lm_vec3 force, lm_vec3 torque, lm_mat3* inertia)
{
	affine field = { .along = force };
	lm_design_sim_spin_of(sim, b, sim->bodies[b].y, sim->bodies[b].v, &field.centre, inertia);
	field.spin = lm_design_sim_spin_by(*inertia, torque);
	return field;
}

static lm_mat3 squeezed_by(const lm_design_sim* sim, int32_t b, lm_mat3 inertia, const double s[6], double unit)
{
	lm_mat3 none = { 0 }, second = { 0 }, inverse;
	double trace = (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]) / 2, most = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			second.m[i][j] = (i == j ? trace : 0) - inertia.m[i][j];
	lm_vec3 e = lm_eigen3(second).e;
	for (int k = 0; k < 6; ++k)
		most = fmax(most, fabs(s[k]) / unit);
	if (!(e.z > LM_FLAT * e.x) || !isfinite(most) || !lm_invert(second, &inverse))
		return none;
	double limit = LM_MOST_STRAIN * sim->bodies[b].swing, share = (most > limit ? limit / most : 1) / unit;
	lm_mat3 S = { { { s[0], s[3], s[4] }, { s[3], s[1], s[5] }, { s[4], s[5], s[2] } } };
	lm_mat3 A = lm_mul(S, inverse);
	for (int k = 0; k < 9; ++k)
		A.m[k / 3][k % 3] *= share;
	return A;
}

static void add_field(const lm_design_sim* sim, int32_t b, const affine* field, double* to)
{
	for (int32_t i = 0; i < sim->stage->bodies[b].node_count; ++i)
	{
		lm_vec3 d = lm_sub(lm_v3_at(sim->bodies[b].y, i), field->centre);
		lm_vec3 a = lm_add(lm_add(field->along, lm_cross(field->spin, d)), lm_mul_v(field->A, d));
		lm_v3_store(to, i, lm_add(lm_v3_at(to, i), a));
	}
}

static bool is_sound(const double* numbers, int count)
{
	bool sound = true;
	for (int k = 0; k < count; ++k)
		sound = sound && isfinite(numbers[k]);
	return sound;
}

void lm_design_sim_touch(lm_design_sim* sim, int32_t b, double mass, const double wrench[6], const double squeeze[6])
{
	double size = sim->stage->bodies[b].size, unit = mass * size * size;
	lm_mat3 inertia;
	if (!sim->bodies[b].free || !is_sound(wrench, 6))
		return;
	affine field =
		rigid_by(sim, b, lm_scale(size / unit, lm_v3_at(wrench, 0)), lm_scale(1 / unit, lm_v3_at(wrench, 1)), &inertia);
	field.A = squeezed_by(sim, b, inertia, squeeze, unit);
	add_field(sim, b, &field, sim->bodies[b].touched);
}

void lm_design_sim_leave(lm_design_sim* sim, int32_t b)
{
	memset(sim->bodies[b].touched, 0, 3 * (size_t)sim->stage->bodies[b].node_count * sizeof(double));
}

void lm_design_sim_let_go(lm_design_sim* sim, int32_t b)
{
	memset(sim->bodies[b].hold, 0, (size_t)sim->stage->bodies[b].node_count * sizeof(double));
}

lm_vec3 lm_design_sim_speed(const lm_design_sim* sim, int32_t b)
{
	const lm_design_sim_body* body = &sim->bodies[b];
	size_t n = (size_t)sim->stage->bodies[b].node_count;
	lm_vec3 sum = { 0, 0, 0 };
	for (size_t i = 0; i < n; ++i)
		for (size_t j = 0; j < n; ++j)
			sum = lm_add_scaled(sum, body->M[i * n + j], lm_v3_at(body->v, (int64_t)j));
	return sum;
}

void lm_design_sim_kick(lm_design_sim* sim, int32_t b, double mass, const double wrench[6])
{
	double size = sim->stage->bodies[b].size, unit = mass * size * size;
	lm_mat3 inertia;
	if (!sim->bodies[b].free || !is_sound(wrench, 6))
		return;
	affine field =
		rigid_by(sim, b, lm_scale(size / unit, lm_v3_at(wrench, 0)), lm_scale(1 / unit, lm_v3_at(wrench, 1)), &inertia);
	add_field(sim, b, &field, sim->bodies[b].v);
}

void lm_design_sim_hold(lm_design_sim* sim, int32_t b, double mass, const lm_design_rows* rows, int32_t row,
                        const double target[3], double stiffness)
{
	const lm_design_motion_body* shape = &sim->stage->bodies[b];
	lm_design_sim_body* body = &sim->bodies[b];
	lm_vec3 at = { 0, 0, 0 }, to = lm_scale(1 / shape->size, lm_sub(lm_v3_at(target, 0), shape->center));
	for (int64_t e = rows->start[row]; e < rows->start[row + 1]; ++e)
		at = lm_add_scaled(at, rows->phi[e], lm_v3_at(body->y, rows->node[e]));
	lm_vec3 way = lm_sub(to, at);
	for (int64_t e = rows->start[row]; e < rows->start[row + 1] && body->free; ++e)
	{
		int32_t i = rows->node[e];
		double own = stiffness / mass * fmax(rows->phi[e], 0), all = body->hold[i] + own;
		if (!(own > 0))
			continue;
		lm_vec3 goal = lm_add(lm_v3_at(body->y, i), way);
		lm_vec3 before = body->hold[i] > 0 ? lm_v3_at(body->goal, i) : goal;
		lm_v3_store(body->goal, i, lm_add_scaled(before, own / all, lm_sub(goal, before)));
		body->hold[i] = all;
	}
}
