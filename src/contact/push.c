// push.c: projected Gauss-Seidel over the contacts of bodies, first for positions, then for velocities.
//
// With w_i the weights (of b: negative), m_i the masses, p_a - p_b = sum w_i x_i and 1/M = sum w_i^2 / m_i:
//   positions:   n . (p_a - p_b) >= touching + keep     by x_i += (w_i / m_i) P n,  P = sum of steps, P >= 0
//   velocities:  n . (v_a - v_b) >= -e (approach before), by v_i += (w_i / m_i) J n,  J >= 0
//   friction:    |F| <= mu J against the sliding, F across n (Coulomb)
// Sums, not steps, are kept above zero, so that contacts that share particles do not push twice. All impulses of a
// contact act at one point (or along one line), equal and opposite: linear and angular momentum stay. What friction
// does to velocities it does to the motion of this step too, or stacks would creep. Depth never becomes velocity.
#include "contact/push.h"

#define POSITION_SWEEPS 8
#define VELOCITY_SWEEPS 8
#define CALM 1e-4       // changes below this share of the edges end the sweeps
#define SHEET_ROUNDS 16 // more of the first, while something is on the wrong side of a sheet
// No more depth than this many edges is taken away in a step, and what is deeper gets no friction: bodies that
// start inside each other separate over some steps.
#define WHOLE_DEPTH 1.0

typedef struct sides
{
	const lm_particles *a, *b;
} sides;

static sides sides_of(const lm_push* push, const lm_body_contact* m)
{
	return (sides){ &push->particles[m->a], &push->particles[m->b] };
}

static void add_to(float* values, int32_t i, double s, lm_vec3 d)
{
	float *x = values + lm_particle_place(i, 0), *y = x + LM_PARTICLE_BLOCK, *z = y + LM_PARTICLE_BLOCK;
	*x = (float)(*x + s * d.x), *y = (float)(*y + s * d.y), *z = (float)(*z + s * d.z);
}

// values_a, values_b: positions or velocities, changed by what the impulse does to velocities in one unit.
static void apply(const lm_body_contact* m, const lm_push_state* state, float* values_a, float* values_b,
                  lm_vec3 impulse)
{
	add_to(values_a, m->on_a[0], state->share_a[0], impulse);
	if (state->share_a[1] != 0)
		add_to(values_a, m->on_a[1], state->share_a[1], impulse);
	for (int i = 0; i < 4; ++i)
		add_to(values_b, m->on_b[i], -state->share_b[i], impulse);
}

// The couple that friction at a distance lacks; see lm_body_contact.
static void apply_couple(const lm_body_contact* m, const float* inverse_mass, float* values_b, lm_vec3 impulse)
{
	for (int i = 0; i < 3; ++i)
		add_to(values_b, m->on_b[i], m->lever * inverse_mass[m->on_b[i]] * lm_dot(m->gradient[i], impulse), m->normal);
}

static lm_vec3 difference(const lm_body_contact* m, const float* values_a, const float* values_b)
{
	lm_vec3 d = lm_scale(m->weight_a[0], lm_particle_at(values_a, m->on_a[0]));
	if (m->weight_a[1] != 0)
		d = lm_add_scaled(d, m->weight_a[1], lm_particle_at(values_a, m->on_a[1]));
	for (int i = 0; i < 4; ++i)
		d = lm_add_scaled(d, -m->weight_b[i], lm_particle_at(values_b, m->on_b[i]));
	return d;
}

// n . (p_a - p_b)
static double gap(const lm_body_contact* m, const lm_push_state* state, sides s)
{
	return lm_dot(m->normal, lm_add(difference(m, s.a->x, s.b->x), state->origins));
}

static void set_shares(const lm_body_contact* m, sides s, lm_push_state* state)
{
	double inverse = 0;
	for (int i = 0; i < 2; ++i)
	{
		state->share_a[i] = m->weight_a[i] * s.a->inverse_mass[m->on_a[i]];
		inverse += m->weight_a[i] * state->share_a[i];
	}
	for (int i = 0; i < 4; ++i)
	{
		state->share_b[i] = m->weight_b[i] * s.b->inverse_mass[m->on_b[i]];
		inverse += m->weight_b[i] * state->share_b[i];
	}
	state->mass = inverse > 0 && isfinite(1 / inverse) ? 1 / inverse : 0;
}

static void start(const lm_push* push, const lm_body_contact* m, lm_push_state* state)
{
	sides s = sides_of(push, m);
	*state = (lm_push_state){ .origins = { s.a->origin[0] - s.b->origin[0], s.a->origin[1] - s.b->origin[1],
		                                   s.a->origin[2] - s.b->origin[2] } };
	set_shares(m, s, state);
	double now = gap(m, state, s), wanted = m->touching + m->keep;
	double whole = WHOLE_DEPTH * fmin(push->bodies[m->a]->spacing, push->bodies[m->b]->spacing);
	if (push->bodies[m->b]->tet_count == 0)
		whole = INFINITY; // what is left on the wrong side of a sheet would belong there in the next step
	state->apart = fmin(wanted, now + whole);
	double approach = -lm_dot(m->normal, difference(m, s.a->v, s.b->v));
	if (approach > lm_contact_calm_speed(fmax(s.a->gravity, s.b->gravity), push->h))
		state->bounce = fmax(s.a->restitution, s.b->restitution) * approach;
	if (m->has_friction && wanted - now <= whole)
		state->friction = sqrt(s.a->friction * s.b->friction);
	if (!isfinite(now) || !isfinite(approach))
		state->mass = 0;
}

// Each returns by how much it changed the distance or the relative velocity.
static double solve_position(const lm_push* push, const lm_body_contact* m, lm_push_state* state)
{
	sides s = sides_of(push, m);
	double sum = fmax(0, state->push + state->mass * (state->apart - gap(m, state, s))), change = sum - state->push;
	if (change == 0)
		return 0;
	apply(m, state, s.a->x, s.b->x, lm_scale(change, m->normal));
	state->push = sum;
	return fabs(change) / state->mass;
}

static double solve_friction(const lm_push* push, const lm_body_contact* m, lm_push_state* state, lm_vec3 relative)
{
	sides s = sides_of(push, m);
	lm_vec3 sliding = lm_add_scaled(relative, -lm_dot(relative, m->normal), m->normal);
	lm_vec3 tangential = lm_add_scaled(state->friction_impulse, -state->mass, sliding);
	double size = lm_length(tangential), limit = state->friction * state->impulse;
	if (size > limit)
		tangential = lm_scale(limit / size, tangential);
	lm_vec3 change = lm_sub(tangential, state->friction_impulse), moved = lm_scale(push->h, change);
	state->friction_impulse = tangential;
	apply(m, state, s.a->v, s.b->v, change);
	apply(m, state, s.a->x, s.b->x, moved);
	if (m->lever != 0)
	{
		apply_couple(m, s.b->inverse_mass, s.b->v, change);
		apply_couple(m, s.b->inverse_mass, s.b->x, moved);
	}
	return lm_length(change) / state->mass;
}

static double solve_velocity(const lm_push* push, const lm_body_contact* m, lm_push_state* state)
{
	sides s = sides_of(push, m);
	lm_vec3 relative = difference(m, s.a->v, s.b->v);
	double sum = fmax(0, state->impulse + state->mass * (state->bounce - lm_dot(m->normal, relative)));
	double change = sum - state->impulse;
	if (change != 0)
		apply(m, state, s.a->v, s.b->v, lm_scale(change, m->normal));
	state->impulse = sum;
	double changed = fabs(change) / state->mass;
	// the normal impulse does not change the sliding, which is across it
	return state->friction > 0 && sum > 0 ? fmax(changed, solve_friction(push, m, state, relative)) : changed;
}

static void measure(const lm_push* push, const lm_body_contact* m, const lm_push_state* state, double* deepest)
{
	double depth = m->touching - gap(m, state, sides_of(push, m));
	if (depth > deepest[m->a])
		deepest[m->a] = depth;
	if (depth > deepest[m->b])
		deepest[m->b] = depth;
}

typedef double solve_fn(const lm_push* push, const lm_body_contact* m, lm_push_state* state);

// Symmetric Gauss-Seidel: forwards and backwards, sequentially, so that the order is always the same.
// Ends early when nothing changes by more than `calm`.
static void sweep(const lm_push* push, int sweeps, solve_fn* solve, double calm)
{
	double changed = INFINITY;
	for (int round = 0; round < sweeps && changed > calm; ++round)
	{
		changed = 0;
		for (int64_t k = 0; k < push->count; ++k)
		{
			int64_t i = round % 2 ? push->count - 1 - k : k;
			if (push->states[i].mass > 0)
				changed = fmax(changed, solve(push, &push->contacts[i], &push->states[i]));
		}
	}
}

// Whether something is still on the wrong side of a sheet, where it would belong from the next step on.
static bool some_went_through(const lm_push* push)
{
	for (int64_t i = 0; i < push->count; ++i)
	{
		const lm_body_contact* m = &push->contacts[i];
		if (push->bodies[m->b]->tet_count == 0 && push->states[i].mass > 0 &&
		    gap(m, &push->states[i], sides_of(push, m)) <= 0)
			return true;
	}
	return false;
}

void lm_push_apart(const lm_push* push, double* deepest)
{
	double calm = INFINITY;
	for (int64_t i = 0; i < push->count; ++i)
	{
		start(push, &push->contacts[i], &push->states[i]);
		calm = fmin(calm, CALM * push->bodies[push->contacts[i].b]->spacing);
	}
	sweep(push, POSITION_SWEEPS, solve_position, calm);
	sweep(push, VELOCITY_SWEEPS, solve_velocity, calm / push->h);
	for (int round = 0; round < SHEET_ROUNDS && some_went_through(push); ++round)
		sweep(push, POSITION_SWEEPS, solve_position, calm);
	for (int64_t i = 0; deepest && i < push->count; ++i)
		measure(push, &push->contacts[i], &push->states[i], deepest);
}
