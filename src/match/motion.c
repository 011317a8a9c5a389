// motion.c: the rigid motion of the body as a whole.
//
// Two uses. The look-ahead of the damping (oscillator.c) follows the velocity relative to this motion, so that a body
// that spins is not taken for one that deforms. And matching evaluated at the look-ahead x^ leaves angular momentum
// about x^ alone, but about x it leaks sum m (x - x^) x (pull): the spin that makes up for it is given back in the next
// step. So is what single precision leaks of linear momentum: small, but always to the same side as seen from the body.
// Both are summed over the steps, so that errors of the repair do not add up.
#include "match/body.h"
#include "math/quat.h"
#include "math/svd.h"

// I^-1 L where some direction may have no inertia: it does not spin.
static lm_vec3 spin_without_inertia(lm_mat3 inertia, lm_vec3 angular_momentum)
{
	lm_eigen axes = lm_eigen3(inertia);
	lm_vec3 along = lm_tmul_v(axes.V, angular_momentum);
	double floor = 1e-6 * axes.e.x; // a line has no inertia, and no spin, about itself
	lm_vec3 turn = { axes.e.x > 0 ? along.x / axes.e.x : 0, axes.e.y > floor ? along.y / axes.e.y : 0,
		             axes.e.z > floor ? along.z / axes.e.z : 0 };
	lm_vec3 spin = lm_mul_v(axes.V, turn);
	bool good = isfinite(spin.x) && isfinite(spin.y) && isfinite(spin.z);
	return good ? spin : lm_v3(0, 0, 0);
}

lm_vec3 lm_match_spin_of(lm_mat3 moment, lm_vec3 angular_momentum)
{
	double trace = moment.m[0][0] + moment.m[1][1] + moment.m[2][2];
	lm_mat3 inertia, inverse;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			inertia.m[i][j] = (i == j ? trace : 0) - moment.m[i][j];
	return lm_invert(inertia, &inverse) ? lm_mul_v(inverse, angular_momentum)
	                                    : spin_without_inertia(inertia, angular_momentum);
}

// Sums over the particles, positions relative to `about`.
typedef struct sums
{
	lm_vec3 about;
	lm_vec3 x, v, turning; // m x, m v, m x x v
	lm_mat3 moment;        // m x x^T
} sums;

static void set_motion(lm_match* body, const sums* sum)
{
	double mass = body->total_mass;
	lm_vec3 centre = lm_scale(1 / mass, sum->x);
	body->whole.spread = sum->moment;
	lm_add_outer(&body->whole.spread, -mass, centre, centre);
	body->whole.centre = lm_add(sum->about, centre);
	body->whole.velocity = lm_scale(1 / mass, sum->v);
	body->whole.spin = lm_match_spin_of(body->whole.spread, lm_sub(sum->turning, lm_cross(centre, sum->v)));
}

// What one step leaks is given back in the next, as well as the inertia is known; what that misses, in the one after.
// Where the inertia changes so fast that the error grows, nothing is given until the inertia has been measured again.
static void set_repair(lm_match* body, lm_vec3 pull, lm_vec3 leak)
{
	lm_match_motion* whole = &body->whole;
	double before = lm_length(whole->leaked_spin);
	whole->leaked = lm_add(whole->leaked, pull);
	whole->leaked_spin = lm_add(whole->leaked_spin, leak);
	whole->unsettled = !body->pass.measure && lm_length(whole->leaked_spin) > 2 * before;
	whole->repair = lm_scale(-1 / body->total_mass, whole->leaked);
	whole->repair_spin = lm_v3(0, 0, 0);
	if (whole->unsettled == 0)
		whole->repair_spin = lm_scale(-1, lm_match_spin_of(whole->spread, whole->leaked_spin));
}

void lm_match_measure_motion(lm_match* body)
{
	sums sum = { .about = lm_particle_at(body->x, 0) };
	for (int64_t i = 0; i < body->count; ++i)
	{
		lm_vec3 x = lm_sub(lm_particle_at(body->x, i), sum.about), v = lm_particle_at(body->v, i);
		double m = (double)body->mass[i];
		sum.x = lm_add_scaled(sum.x, m, x), sum.v = lm_add_scaled(sum.v, m, v);
		sum.turning = lm_add_scaled(sum.turning, m, lm_cross(x, v));
		lm_add_outer(&sum.moment, m, x, x);
	}
	set_motion(body, &sum);
	body->whole.leaked = body->whole.leaked_spin = lm_v3(0, 0, 0);
	set_repair(body, lm_v3(0, 0, 0), lm_v3(0, 0, 0));
}

void lm_match_sum_motion(lm_match* body, double h)
{
	double s[LM_MOTION] = { 0 };
	for (int32_t c = 0; c < body->chunks; ++c)
		for (int k = 0; k < LM_MOTION; ++k)
			s[k] += (double)body->motion[c * LM_MOTION + k];
	for (int k = 0; k < LM_MOTION; ++k)
		if (!isfinite(s[k]))
		{
			lm_match_measure_motion(body);
			return;
		}
	const float* c = body->pass.centre;
	sums sum = { .about = { (double)c[0], (double)c[1], (double)c[2] },
		         .x = lm_v3_at(s, 0),
		         .v = lm_v3_at(s, 1),
		         .turning = lm_v3_at(s, 2),
		         .moment = { { { s[15], s[18], s[19] }, { s[18], s[16], s[20] }, { s[19], s[20], s[17] } } } };
	if (body->pass.measure)
		set_motion(body, &sum);
	else
		body->whole.centre = lm_add_scaled(body->whole.centre, h, body->whole.velocity);
	set_repair(body, lm_v3_at(s, 3), lm_v3_at(s, 4));
}

// Moves the origin after the body when it has gone some lengths away. The shift is a multiple of a power of two near
// the size, so that taking it from the positions is exact: nothing is perturbed.
void lm_match_recentre(lm_match* body)
{
	double centre[3];
	lm_v3_store(centre, 0, body->whole.centre);
	double unit = exp2(ceil(log2(body->size)));
	float shift[3];
	bool far = false;
	for (int k = 0; k < 3; ++k)
	{
		shift[k] = fabs(centre[k]) > 4 * unit ? (float)(rint(centre[k] / unit) * unit) : 0;
		far = far || shift[k] != 0;
	}
	if (!far)
		return;
	for (int k = 0; k < 3; ++k)
	{
		body->origin[k] += (double)shift[k];
		centre[k] -= (double)shift[k];
	}
	body->whole.centre = lm_v3_at(centre, 0);
	for (int64_t i = 0; i < body->count; ++i)
		for (int k = 0; k < 3; ++k)
			body->x[lm_particle_place(i, k)] -= shift[k];
}

void lm_match_measure_rotation(lm_match* body)
{
	lm_vec3 about = body->whole.centre, x = { 0 }, X = { 0 };
	lm_mat3 moment = { 0 };
	double size = 0, mass = 0;
	for (int64_t i = 0; i < body->count; ++i)
	{
		const double* rest = body->rest_moment + 4 * i;
		lm_vec3 xi = lm_sub(lm_particle_at(body->x, i), about),
				Xi = lm_scale(1 / rest[3], lm_v3(rest[0], rest[1], rest[2]));
		double m = (double)body->mass[i];
		x = lm_add_scaled(x, m, xi), X = lm_add_scaled(X, m, Xi), mass += m;
		lm_add_outer(&moment, m, xi, Xi);
		size += m * (lm_dot(xi, xi) + lm_dot(Xi, Xi));
	}
	lm_add_outer(&moment, -1 / mass, x, X);
	// A small multiple of the last rotation decides about directions that the positions leave open.
	lm_quat last = { (double)body->body_rotation[0], (double)body->body_rotation[1], (double)body->body_rotation[2],
		             (double)body->body_rotation[3] };
	lm_mat3 R = lm_quat_matrix(last);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			moment.m[i][j] += 1e-6 * size * R.m[i][j];
	lm_quat q = lm_quat_from_matrix(lm_polar3(moment).R);
	body->body_rotation[0] = (float)q.w, body->body_rotation[1] = (float)q.x;
	body->body_rotation[2] = (float)q.y, body->body_rotation[3] = (float)q.z;
}
