// push.c: projected Gauss-Seidel over the meetings of bodies, first for positions, then for velocities.
//
// With w_i the weights (of b: negative), m_i the masses, p_a - p_b = sum w_i x_i and 1/M = sum w_i^2 / m_i:
//   positions:   n . (p_a - p_b) >= touching + keep     by x_i += (w_i / m_i) P n,  P = sum of steps, P >= 0
//   velocities:  n . (v_a - v_b) >= -e (approach before), by v_i += (w_i / m_i) J n,  J >= 0
//   friction:    |F| <= mu J against the sliding, F across n (Coulomb)
// Sums, not steps, are kept above zero, so that meetings that share particles do not push twice. All impulses of a
// meeting act at one point (or along one line), equal and opposite: linear and angular momentum stay. What friction
// does to velocities it does to the motion of this step too, or stacks would creep. Depth never becomes velocity.
#include "contact/push.h"

#define POSITION_SWEEPS 8
#define VELOCITY_SWEEPS 8
#define SHEET_ROUNDS 16 // more of the first, while something is on the wrong side of a sheet
// No more depth than this share of the edges is taken away in a step, and what is deeper does not rub: bodies that
// start inside each other come apart over some steps, neither torn nor locked.
#define WHOLE_DEPTH 0.25

typedef struct sides
{
	const lm_particles *a, *b;
} sides;

static sides sides_of(const lm_push* push, const lm_meeting* m)
{
	return (sides){ &push->particles[m->a], &push->particles[m->b] };
}

static void add_to(float* x, double s, lm_vec3 d)
{
	x[0] = (float)(x[0] + s * d.x), x[1] = (float)(x[1] + s * d.y), x[2] = (float)(x[2] + s * d.z);
}

// values_a, values_b: positions or velocities, changed by what the impulse does to velocities in one unit.
static void apply(const lm_meeting* m, sides s, float* values_a, float* values_b, lm_vec3 impulse)
{
	for (int i = 0; i < 2; ++i)
		add_to(values_a + 4 * (int64_t)m->on_a[i], m->weight_a[i] * s.a->inverse_mass[m->on_a[i]], impulse);
	for (int i = 0; i < 4; ++i)
	{
		double inverse_mass = s.b->inverse_mass[m->on_b[i]];
		add_to(values_b + 4 * (int64_t)m->on_b[i], -m->weight_b[i] * inverse_mass, impulse);
		if (m->lever != 0 && i < 3)
			add_to(values_b + 4 * (int64_t)m->on_b[i], m->lever * inverse_mass * lm_dot(m->gradient[i], impulse),
			       m->normal);
	}
}

static lm_vec3 difference(const lm_meeting* m, const float* values_a, const float* values_b)
{
	double d[3];
	for (int k = 0; k < 3; ++k)
	{
		d[k] = m->weight_a[0] * values_a[4 * (int64_t)m->on_a[0] + k] +
		       m->weight_a[1] * values_a[4 * (int64_t)m->on_a[1] + k];
		for (int i = 0; i < 4; ++i)
			d[k] -= m->weight_b[i] * values_b[4 * (int64_t)m->on_b[i] + k];
	}
	return lm_v3(d[0], d[1], d[2]);
}

// n . (p_a - p_b)
static double gap(const lm_meeting* m, sides s)
{
	lm_vec3 d = difference(m, s.a->x, s.b->x);
	lm_vec3 origins = { s.a->origin[0] - s.b->origin[0], s.a->origin[1] - s.b->origin[1],
		                s.a->origin[2] - s.b->origin[2] };
	return lm_dot(m->normal, lm_add(d, origins));
}

static double felt_mass(const lm_meeting* m, sides s)
{
	double inverse = 0;
	for (int i = 0; i < 2; ++i)
		inverse += m->weight_a[i] * m->weight_a[i] * s.a->inverse_mass[m->on_a[i]];
	for (int i = 0; i < 4; ++i)
		inverse += m->weight_b[i] * m->weight_b[i] * s.b->inverse_mass[m->on_b[i]];
	return inverse > 0 && isfinite(1 / inverse) ? 1 / inverse : 0;
}

static void start(const lm_push* push, const lm_meeting* m, lm_push_state* state)
{
	sides s = sides_of(push, m);
	double now = gap(m, s), wanted = m->touching + m->keep;
	double whole = WHOLE_DEPTH * fmin(push->bodies[m->a]->spacing, push->bodies[m->b]->spacing);
	if (push->bodies[m->b]->tet_count == 0)
		whole = INFINITY; // what is left on the wrong side of a sheet would belong there in the next step
	double apart = fmin(wanted, now + whole);
	double approach = -lm_dot(m->normal, difference(m, s.a->v, s.b->v));
	double restitution = fmax(s.a->restitution, s.b->restitution);
	*state = (lm_push_state){ .mass = felt_mass(m, s),
		                      .apart = apart,
		                      .bounce = approach > lm_contact_calm_speed(push->h) ? restitution * approach : 0,
		                      .friction = m->rubs && wanted - now <= whole ? sqrt(s.a->friction * s.b->friction) : 0 };
	if (!isfinite(now) || !isfinite(approach))
		state->mass = 0;
}

static void solve_position(const lm_push* push, const lm_meeting* m, lm_push_state* state)
{
	sides s = sides_of(push, m);
	double sum = fmax(0, state->push + state->mass * (state->apart - gap(m, s)));
	if (sum != state->push)
		apply(m, s, s.a->x, s.b->x, lm_scale(sum - state->push, m->normal));
	state->push = sum;
}

static void solve_velocity(const lm_push* push, const lm_meeting* m, lm_push_state* state)
{
	sides s = sides_of(push, m);
	double along = lm_dot(m->normal, difference(m, s.a->v, s.b->v));
	double sum = fmax(0, state->impulse + state->mass * (state->bounce - along));
	if (sum != state->impulse)
		apply(m, s, s.a->v, s.b->v, lm_scale(sum - state->impulse, m->normal));
	state->impulse = sum;
	double limit = state->friction * sum;
	if (!(limit > 0))
		return;
	lm_vec3 relative = difference(m, s.a->v, s.b->v);
	lm_vec3 sliding = lm_add_scaled(relative, -lm_dot(relative, m->normal), m->normal);
	lm_vec3 rub = lm_add_scaled(state->rub, -state->mass, sliding);
	double size = lm_length(rub);
	if (size > limit)
		rub = lm_scale(limit / size, rub);
	lm_vec3 change = lm_sub(rub, state->rub);
	state->rub = rub;
	apply(m, s, s.a->v, s.b->v, change);
	apply(m, s, s.a->x, s.b->x, lm_scale(push->h, change));
}

static void measure(const lm_push* push, const lm_meeting* m, double* deepest)
{
	double depth = m->touching - gap(m, sides_of(push, m));
	if (depth > deepest[m->a])
		deepest[m->a] = depth;
	if (depth > deepest[m->b])
		deepest[m->b] = depth;
}

// To and fro, so that neither end of the list is favoured; one after the other, so that the order is always the same.
static void sweep(const lm_push* push, int sweeps, void (*solve)(const lm_push*, const lm_meeting*, lm_push_state*))
{
	for (int round = 0; round < sweeps; ++round)
		for (int64_t k = 0; k < push->count; ++k)
		{
			int64_t i = round % 2 ? push->count - 1 - k : k;
			if (push->states[i].mass > 0)
				solve(push, &push->meetings[i], &push->states[i]);
		}
}

// Whether something is still on the wrong side of a sheet, where it would belong from the next step on.
static bool some_went_through(const lm_push* push)
{
	for (int64_t i = 0; i < push->count; ++i)
	{
		const lm_meeting* m = &push->meetings[i];
		if (push->bodies[m->b]->tet_count == 0 && push->states[i].mass > 0 && gap(m, sides_of(push, m)) <= 0)
			return true;
	}
	return false;
}

void lm_push_apart(const lm_push* push, double* deepest)
{
	for (int64_t i = 0; i < push->count; ++i)
		start(push, &push->meetings[i], &push->states[i]);
	sweep(push, POSITION_SWEEPS, solve_position);
	sweep(push, VELOCITY_SWEEPS, solve_velocity);
	for (int round = 0; round < SHEET_ROUNDS && some_went_through(push); ++round)
		sweep(push, POSITION_SWEEPS, solve_position);
	for (int64_t i = 0; deepest && i < push->count; ++i)
		measure(push, &push->meetings[i], deepest);
}
