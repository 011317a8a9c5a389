#include "track/reaction.h"

#include "contact/gap.h"
#include "math/svd.h"
#include "math/vec.h"
#include "track/body.h"
#include "track/reaction_parts.h"
#include "track/solver_parts.h"

#include <string.h>

void lm_track_give(lm_track* cloth, int32_t leader)
{
	cloth->gives = true, cloth->leader = leader;
}

static int32_t surface_count(const lm_track* cloth)
{
	return cloth->obstacle_count - cloth->collider_count;
}

const lm_track_given* lm_track_given_to(const lm_track* cloth, int32_t surface)
{
	return &cloth->given[surface];
}

void lm_track_forget_given(lm_track* cloth)
{
	memset(cloth->given, 0, ((size_t)surface_count(cloth) + 1) * sizeof *cloth->given);
}

// ---- what touches -------------------------------------------------------------------------------------------------

// A cloth of a system in an inner step. Partners: surfaces, then all else that touches it.
typedef struct giver
{
	const lm_track_together* t;
	const lm_track_problem* p;
	lm_track* cloth;
	int32_t m;
	lm_track_partner* partners; // [surface_count + 1]
} giver;

static bool is_own(const giver* g, int32_t v)
{
	return v >= g->t->first[g->m] && v < g->t->first[g->m + 1];
}

// The partner that a vertex of another body belongs to.
static int32_t partner_of(const giver* g, int32_t v)
{
	const lm_track* cloth = g->cloth;
	int32_t all = g->t->first[g->t->count];
	int32_t own = v - all - g->t->first_obstacle[g->m] + cloth->n; // as the cloth counts it
	for (int32_t k = 0; v >= all && k < surface_count(cloth); ++k)
	{
		const lm_track_obstacle* o = &cloth->obstacles[cloth->collider_count + k];
		if (own >= o->first_vertex && own < o->first_vertex + o->mesh->vertex_count)
			return k;
	}
	return surface_count(cloth);
}

static void add_moment(double moment[3][3], lm_vec3 p, lm_vec3 j)
{
	for (int a = 0; a < 3; ++a)
		for (int b = 0; b < 3; ++b)
			moment[a][b] += lm_v3_get(p, a) * lm_v3_get(j, b);
}

// What a pair with the gradient `slope` at its four vertices gives the partner; nothing if it is none with a partner.
static void give(const giver* g, const int32_t v[4], int split, const double slope[12])
{
	bool first = is_own(g, v[0]), last = is_own(g, v[3]);
	if (first == last)
		return;
	int begin = first ? split : 0, end = first ? 4 : split;
	int32_t k = partner_of(g, v[first ? 3 : 0]);
	lm_track_partner* partner = &g->partners[k];
	lm_vec3 sum = lm_v3(0, 0, 0);
	for (int i = begin; i < end; ++i)
	{
		lm_vec3 j = lm_scale(-g->p->h, lm_v3_at(slope, i)), p = lm_v3_at(g->t->x, v[i]);
		sum = lm_add(sum, j);
		add_moment(partner->moment, p, j);
	}
	partner->impulse = lm_add(partner->impulse, sum);
	double pressed = lm_length(sum);
	partner->pressed += pressed;
	for (int i = begin; i < end; ++i)
		partner->at = lm_add_scaled(partner->at, pressed / (end - begin), lm_v3_at(g->t->x, v[i]));
	for (int i = 0; i < 4 && pressed > 0; ++i)
		if (is_own(g, v[i]) && g->cloth->touching[v[i] - g->t->first[g->m]] != k + 1)
		{
			g->cloth->touching[v[i] - g->t->first[g->m]] = k + 1;
			partner->touching += g->p->masses[v[i]];
		}
}

static void give_pairs(const giver* g)
{
	const lm_track_problem* p = g->p;
	int32_t count = p->clearance != NULL ? lm_clearance_pair_count(p->clearance) : 0;
	for (int32_t i = 0; i < count; ++i)
	{
		const lm_close_pair* pair = &lm_clearance_pairs(p->clearance)[i];
		lm_vec3 at[4];
		for (int k = 0; k < 4; ++k)
			at[k] = lm_v3_at(g->t->x, pair->v[k]);
		double D = lm_barrier_gap(pair->kind, at).D, slope[12];
		if (!(D > 0 && D < lm_close_pair_reach(pair, p->reach)))
			continue;
		lm_barrier_pair barrier = { pair->kind, lm_close_pair_reach(pair, p->reach), pair->fade };
		lm_barrier_energy(&barrier, at, slope, NULL);
		for (int k = 0; k < 12; ++k)
			slope[k] *= p->barrier;
		give(g, pair->v, pair->kind == LM_BARRIER_EDGE_EDGE ? 2 : 1, slope);
	}
	const lm_track_solver* s = g->t->solver;
	for (int32_t i = 0; i < s->friction_count; ++i)
	{
		double slope[12];
		lm_track_friction_slope(&s->friction_pairs[i], g->t->x, s->start, p->slack, slope);
		give(g, s->friction_pairs[i].v, s->friction_pairs[i].kind == LM_BARRIER_EDGE_EDGE ? 2 : 1, slope);
	}
}

// ---- the balance --------------------------------------------------------------------------------------------------

typedef struct balance
{
	lm_vec3 impulse; // that the cloth has given to all that touches or holds it
	double moment[3][3];
	double most; // sum of magnitudes, and what holds it can give
	bool held;
} balance;

static balance balance_of(const giver* g)
{
	balance b = { 0 };
	int32_t first = g->t->first[g->m];
	for (int32_t v = 0; v < g->cloth->n; ++v)
	{
		lm_vec3 x = lm_v3_at(g->t->x, first + v), y = lm_v3_at(g->p->y, first + v);
		lm_vec3 j = lm_scale(g->p->masses[first + v] / g->p->h, lm_sub(y, x));
		b.impulse = lm_add(b.impulse, j), b.most += lm_length(j);
		add_moment(b.moment, x, j);
	}
	for (int32_t i = g->t->first_row[g->m]; i < g->t->first_row[g->m + 1]; ++i)
		if (g->p->strength[i] > 0)
		{
			b.held = true;
			b.most += g->p->h * fmin(g->p->strength[i], lm_length(lm_v3_at(g->t->multipliers, i)));
		}
	return b;
}

// What barrier and friction have wrong.
static void share_error(const giver* g, const balance* b)
{
	int32_t count = surface_count(g->cloth) + 1;
	lm_vec3 error = b->impulse;
	double pressed = 0;
	for (int32_t k = 0; k < count; ++k)
		error = lm_sub(error, g->partners[k].impulse), pressed += g->partners[k].pressed;
	for (int32_t k = 0; k < count && pressed > 0; ++k)
	{
		lm_track_partner* partner = &g->partners[k];
		if (!(partner->pressed > 0))
			continue;
		lm_vec3 j = lm_scale(partner->pressed / pressed, error);
		partner->impulse = lm_add(partner->impulse, j);
		add_moment(partner->moment, lm_scale(1 / partner->pressed, partner->at), j);
	}
}

// No surface gets more than the cloth can give.
static void limit(lm_track_partner* partner, double most)
{
	double size = lm_length(partner->impulse);
	if (!(size > most))
		return;
	partner->lost = size - most;
	partner->impulse = lm_scale(most / size, partner->impulse);
	for (int i = 0; i < 9; ++i)
		partner->moment[i / 3][i % 3] *= most / size;
}

// The leader gets what no other partner has got.
static void give_leader(const giver* g, const balance* b)
{
	int32_t count = surface_count(g->cloth) + 1, leader = g->cloth->leader;
	lm_track_partner rest = { .impulse = b->impulse, .touching = g->cloth->mass };
	memcpy(rest.moment, b->moment, sizeof rest.moment);
	for (int32_t k = 0; k < count; ++k)
	{
		if (k == leader && k < count - 1)
			continue;
		rest.impulse = lm_sub(rest.impulse, g->partners[k].impulse);
		for (int i = 0; i < 9; ++i)
			rest.moment[i / 3][i % 3] -= g->partners[k].moment[i / 3][i % 3];
	}
	limit(&rest, b->most);
	g->partners[leader] = rest; // of one that is not touched: in the place of all else, which takes nothing
}

static void hand_out(const giver* g, const balance* b)
{
	int32_t count = surface_count(g->cloth) + 1, leader = g->cloth->leader;
	if (leader == LM_TRACK_NO_LEADER && !b->held)
		share_error(g, b);
	for (int32_t k = 0; k < count; ++k)
		limit(&g->partners[k], b->most);
	if (leader != LM_TRACK_NO_LEADER)
		give_leader(g, b);
	for (int32_t k = 0; k < count; ++k)
	{
		const lm_track_partner* partner = &g->partners[k];
		lm_track_given* given = &g->cloth->given[k];
		for (int i = 0; i < 9; ++i)
			given->moment[i / 3][i % 3] += partner->moment[i / 3][i % 3];
		for (int i = 0; i < 3; ++i)
			given->impulse[i] += lm_v3_get(partner->impulse, i);
		given->touching = fmax(given->touching, partner->touching), given->lost += partner->lost;
	}
}

void lm_track_find_given(const lm_track_together* t, int32_t m, const lm_track_problem* problem)
{
	lm_track* cloth = t->cloths[m];
	if (!cloth->gives)
		return;
	giver g = { .t = t, .p = problem, .cloth = cloth, .m = m, .partners = cloth->partners };
	memset(g.partners, 0, ((size_t)surface_count(cloth) + 1) * sizeof *g.partners);
	memset(cloth->touching, 0, (size_t)cloth->n * sizeof *cloth->touching);
	give_pairs(&g);
	balance b = balance_of(&g);
	hand_out(&g, &b);
}

// ---- back again ---------------------------------------------------------------------------------------------------

static bool touches(const lm_track* cloth, int32_t surface, int32_t v)
{
	return surface == cloth->leader || cloth->touching[v] == surface + 1;
}

// Of what touches the surface.
typedef struct patch
{
	double mass;
	lm_vec3 middle;
	lm_mat3 inverse; // of the inertia about the middle
	bool turns;      // there is one
} patch;

static patch patch_at(const lm_track* cloth, int32_t surface)
{
	patch p = { 0 };
	lm_mat3 inertia = { 0 };
	for (int32_t v = 0; v < cloth->n; ++v)
		if (touches(cloth, surface, v))
			p.mass += cloth->masses[v], p.middle = lm_add_scaled(p.middle, cloth->masses[v], lm_v3_at(cloth->x, v));
	p.middle = p.mass > 0 ? lm_scale(1 / p.mass, p.middle) : p.middle;
	for (int32_t v = 0; v < cloth->n; ++v)
	{
		lm_vec3 d = lm_sub(lm_v3_at(cloth->x, v), p.middle);
		if (!touches(cloth, surface, v))
			continue;
		lm_add_outer(&inertia, -cloth->masses[v], d, d);
		for (int k = 0; k < 3; ++k)
			inertia.m[k][k] += cloth->masses[v] * lm_dot(d, d);
	}
	double trace = inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2];
	double small = 1e-6 * p.mass * cloth->mean_edge * cloth->mean_edge;
	p.turns = trace > small && lm_invert(inertia, &p.inverse) && lm_eigen3(inertia).e.z > 1e-3 * trace;
	return p;
}

void lm_track_take_back(lm_track* cloth, int32_t surface, double share, const double centre[3])
{
	lm_track_given* given = &cloth->given[surface];
	patch p = patch_at(cloth, surface);
	if (!(p.mass > 0 && share > 0))
		return;
	lm_vec3 j = lm_scale(share, lm_v3_at(given->impulse, 0)), c = lm_v3_at(centre, 0);
	double about[3][3]; // the body's centre
	for (int k = 0; k < 9; ++k)
		about[k / 3][k % 3] = given->moment[k / 3][k % 3] - centre[k / 3] * given->impulse[k % 3];
	lm_vec3 torque = lm_v3(about[1][2] - about[2][1], about[2][0] - about[0][2], about[0][1] - about[1][0]);
	torque = lm_sub(lm_scale(share, torque), lm_cross(lm_sub(p.middle, c), j)); // about the middle
	lm_vec3 spin = p.turns ? lm_mul_v(p.inverse, torque) : lm_v3(0, 0, 0);
	for (int32_t v = 0; v < cloth->n; ++v)
	{
		lm_vec3 d = lm_sub(lm_v3_at(cloth->x, v), p.middle);
		if (touches(cloth, surface, v))
			lm_v3_store(cloth->v, v, lm_add(lm_v3_at(cloth->v, v), lm_add_scaled(lm_cross(spin, d), 1 / p.mass, j)));
	}
	for (int k = 0; k < 9; ++k)
		given->moment[k / 3][k % 3] = (1 - share) * given->moment[k / 3][k % 3];
	for (int k = 0; k < 3; ++k)
		given->impulse[k] *= 1 - share;
	if (!p.turns) // the torque stays
		for (int k = 0; k < 9; ++k)
			given->moment[k / 3][k % 3] += share * about[k / 3][k % 3];
}
