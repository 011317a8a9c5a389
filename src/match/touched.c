// touched.c: what bodies of other engines do to a body: a force F, a torque T about the centre of mass c, and a
// squeeze, the symmetric part S of the sum over the touches of (p - c) f^T, p where a touch is and f its force.
//
// The force and the torque accelerate the whole body as if it were rigid, so that no vertex, however light, is thrown.
// How touches deform the body is in S, the mean stress times the volume: it is given as accelerations A d of the
// vertices, d = x - c, with A = S M^-1, M = sum m d d^T, which have neither force nor torque (sum m d (A d)^T = S). A
// body of modulus rho w^2 s^2 (oscillator.c) answers by the strain S / (mass w^2 s^2): one that rests on a point below
// sags as much on the whole as one that stands on the ground. S is limited to strains of LM_MOST_STRAIN.
#include "match/body.h"
#include "match/state.h"
#include "math/svd.h"

#define LM_MOST_STRAIN 0.02
#define LM_FLAT 1e-3 // of the spread: what is flatter is not squeezed

static lm_match_touched touched_by(const lm_match* body, const double wrench[6], const double squeeze[6])
{
	lm_match_touched touched = { .on = wrench != NULL };
	for (int k = 0; k < 6 && touched.on; ++k)
		touched.on = isfinite(wrench[k]) && isfinite(squeeze[k]);
	if (!touched.on)
		return touched;
	touched.force = lm_v3_at(wrench, 0), touched.torque = lm_v3_at(wrench, 1);
	double most = 0;
	for (int k = 0; k < 6; ++k)
		most = fmax(most, fabs(squeeze[k]));
	double limit = LM_MOST_STRAIN * body->total_mass * lm_match_modulus(body), share = most > limit ? limit / most : 1;
	const double* s = squeeze;
	touched.squeeze = (lm_mat3){ { { share * s[0], share * s[3], share * s[4] },
		                           { share * s[3], share * s[1], share * s[5] },
		                           { share * s[4], share * s[5], share * s[2] } } };
	return touched;
}

void lm_match_set_touched(lm_match* body, const double wrench[6], const double squeeze[6])
{
	body->touched = touched_by(body, wrench, squeeze);
}

void lm_match_set_pushed(lm_match* body, const double wrench[6], const double squeeze[6])
{
	body->pushed = touched_by(body, wrench, squeeze);
}

// A
static lm_mat3 squeeze_field(const lm_match* body, const lm_match_touched* touched)
{
	lm_mat3 none = { 0 }, inverse;
	lm_vec3 e = lm_eigen3(body->whole.spread).e;
	if (!(e.z > LM_FLAT * e.x) || !lm_invert(body->whole.spread, &inverse))
		return none;
	return lm_mul(touched->squeeze, inverse);
}

static void apply(lm_match* body, const lm_match_touched* touched, double h)
{
	if (!touched->on)
		return;
	lm_vec3 centre = body->whole.centre, along = lm_scale(h / body->total_mass, touched->force);
	lm_vec3 spin = lm_scale(h, lm_match_spin_of(body->whole.spread, touched->torque));
	lm_mat3 A = squeeze_field(body, touched);
	for (int64_t i = 0; i < body->count; ++i)
	{
		lm_vec3 d = lm_sub(lm_particle_at(body->x, i), centre);
		lm_vec3 v = lm_add_scaled(lm_add(along, lm_cross(spin, d)), h, lm_mul_v(A, d));
		for (int k = 0; k < 3 && body->inverse_mass[i] > 0; ++k)
			body->v[lm_particle_place(i, k)] += (float)lm_v3_get(v, k);
	}
	body->whole.velocity = lm_add(body->whole.velocity, along);
	body->whole.spin = lm_add(body->whole.spin, spin);
	body->whole.unsettled = 1; // the motion of the whole is measured in this step
}

void lm_match_apply_touched(lm_match* body, double h)
{
	apply(body, &body->touched, h);
	apply(body, &body->pushed, h);
}

// ---- too much speed

typedef struct rigid
{
	lm_vec3 centre, velocity, spin; // centre relative to the origin
	double inner;                   // root mean square of the other velocities
} rigid;

// What a particle does besides the rigid motion.
static lm_vec3 inner_velocity(const lm_match* body, const rigid* r, int64_t i)
{
	lm_vec3 d = lm_sub(lm_particle_at(body->x, i), r->centre);
	return lm_sub(lm_sub(lm_particle_at(body->v, i), r->velocity), lm_cross(r->spin, d));
}

static rigid measure(const lm_match* body)
{
	rigid r = { 0 };
	lm_vec3 turning = { 0 };
	lm_mat3 spread = { 0 };
	for (int64_t i = 0; i < body->count; ++i)
	{
		double share = (double)body->mass[i] / body->total_mass;
		r.centre = lm_add_scaled(r.centre, share, lm_particle_at(body->x, i));
		r.velocity = lm_add_scaled(r.velocity, share, lm_particle_at(body->v, i));
	}
	for (int64_t i = 0; i < body->count; ++i)
	{
		lm_vec3 d = lm_sub(lm_particle_at(body->x, i), r.centre), v = lm_particle_at(body->v, i);
		turning = lm_add_scaled(turning, (double)body->mass[i], lm_cross(d, v));
		lm_add_outer(&spread, (double)body->mass[i], d, d);
	}
	r.spin = lm_match_spin_of(spread, turning);
	for (int64_t i = 0; i < body->count; ++i)
	{
		lm_vec3 v = inner_velocity(body, &r, i);
		r.inner += (double)body->mass[i] / body->total_mass * lm_dot(v, v);
	}
	r.inner = sqrt(r.inner);
	return r;
}

lm_match_speeds lm_match_measure_speeds(const lm_match* body, const double velocity[3])
{
	rigid r = measure(body);
	return (lm_match_speeds){ lm_distance(r.velocity, lm_v3_at(velocity, 0)), lm_length(r.spin), r.inner };
}

// What is to be added to a speed, as a share of it, so that it is not above `most`.
static double excess(double speed, double most)
{
	return speed > most ? most / speed - 1 : 0;
}

void lm_match_calm(lm_match* body, const double velocity[3], const lm_match_speeds* most)
{
	rigid r = measure(body);
	lm_vec3 relative = lm_sub(r.velocity, lm_v3_at(velocity, 0));
	double along = excess(lm_length(relative), most->centre), turn = excess(lm_length(r.spin), most->spin);
	double inner = excess(r.inner, most->inner);
	if (along == 0 && turn == 0 && inner == 0)
		return;
	lm_vec3 less = lm_scale(along, relative), slower = lm_scale(turn, r.spin);
	for (int64_t i = 0; i < body->count; ++i)
	{
		lm_vec3 v = lm_add(less, lm_cross(slower, lm_sub(lm_particle_at(body->x, i), r.centre)));
		v = lm_add_scaled(v, inner, inner_velocity(body, &r, i));
		for (int k = 0; k < 3 && body->inverse_mass[i] > 0; ++k)
			body->v[lm_particle_place(i, k)] += (float)lm_v3_get(v, k);
	}
	++body->report.calmed;
	lm_match_measure_motion(body);
}
