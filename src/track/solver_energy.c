// Energy and gradient of a step, and friction; see solver.h.
#include "base/alloc.h"
#include "base/error.h"
#include "contact/gap.h"
#include "math/vec.h"
#include "track/solver_parts.h"

#include <string.h>

// ---- friction ----------------------------------------------------------------------------------------------------

static void sliding(const lm_track_friction_pair* friction, const double* x, const double* start, double u[2])
{
	lm_vec3 moved = lm_v3(0, 0, 0);
	for (int i = 0; i < 4; ++i)
		moved =
			lm_add_scaled(moved, friction->c[i], lm_sub(lm_v3_at(x, friction->v[i]), lm_v3_at(start, friction->v[i])));
	for (int k = 0; k < 2; ++k)
		u[k] = friction->T[k][0] * moved.x + friction->T[k][1] * moved.y + friction->T[k][2] * moved.z;
}

static double friction_energy(const lm_track_friction_pair* friction, const double* x, const double* start,
                              double slack)
{
	double u[2];
	sliding(friction, x, start, u);
	return friction->force * (sqrt(u[0] * u[0] + u[1] * u[1] + slack * slack) - slack);
}

void lm_track_friction_slope(const lm_track_friction_pair* friction, const double* x, const double* start, double slack,
                             double slope[12])
{
	double u[2];
	sliding(friction, x, start, u);
	double scale = friction->force / sqrt(u[0] * u[0] + u[1] * u[1] + slack * slack);
	for (int i = 0; i < 12; ++i)
		slope[i] = scale * friction->c[i / 3] * (friction->T[0][i % 3] * u[0] + friction->T[1][i % 3] * u[1]);
}

static void add_friction_gradient(const lm_track_friction_pair* friction, const double* x, const double* start,
                                  double slack, double* g)
{
	double slope[12];
	lm_track_friction_slope(friction, x, start, slack, slope);
	for (int i = 0; i < 12; ++i)
		g[3 * (int64_t)friction->v[i / 3] + i % 3] += slope[i];
}

// mu F / s (I - u u^T / s^2) between the tangents, s = sqrt(|u|^2 + eps^2): positive semidefinite
void lm_track_friction_block(const lm_track_friction_pair* friction, const double* x, const double* start, double slack,
                             double P[3][3])
{
	double u[2];
	sliding(friction, x, start, u);
	double s2 = u[0] * u[0] + u[1] * u[1] + slack * slack, scale = friction->force / sqrt(s2);
	memset(P, 0, 9 * sizeof(double));
	for (int a = 0; a < 2; ++a)
		for (int b = 0; b < 2; ++b)
		{
			double k = scale * ((a == b) - u[a] * u[b] / s2);
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					P[i][j] += k * friction->T[a][i] * friction->T[b][j];
		}
}

void lm_track_friction_hessian(const lm_track_friction_pair* friction, const double* x, const double* start,
                               double slack, double H[144])
{
	double P[3][3];
	lm_track_friction_block(friction, x, start, slack, P);
	for (int i = 0; i < 12; ++i)
		for (int j = 0; j < 12; ++j)
			H[12 * i + j] += friction->c[i / 3] * friction->c[j / 3] * P[i % 3][j % 3];
}

// The first and the last vertex of a pair are of different sides; obstacles take the coefficient of what they touch.
static double friction_between(const lm_close_pair* pair, const lm_track_problem* p, int32_t n)
{
	if (p->frictions == NULL)
		return p->friction;
	int32_t one = pair->v[0] < n ? pair->v[0] : pair->v[3], two = pair->v[3] < n ? pair->v[3] : pair->v[0];
	return sqrt(p->frictions[one] * p->frictions[two]);
}

static lm_track_friction_pair friction_of(const lm_close_pair* pair, const lm_track_problem* p, int32_t n,
                                          const double* x)
{
	lm_vec3 at[4];
	for (int i = 0; i < 4; ++i)
		at[i] = lm_v3_at(x, pair->v[i]);
	lm_gap gap = lm_barrier_gap(pair->kind, at);
	double slope;
	lm_barrier_value(gap.D, lm_close_pair_reach(pair, p->reach), &slope, NULL);
	lm_track_friction_pair friction = { .kind = pair->kind,
		                                .force = -friction_between(pair, p, n) * p->barrier * slope };
	if (pair->kind == LM_BARRIER_EDGE_EDGE) // fades with the barrier
	{
		lm_vec3 across = lm_cross(lm_sub(at[1], at[0]), lm_sub(at[3], at[2]));
		double c = lm_dot(across, across);
		friction.force *= c < pair->fade ? c / pair->fade * (2 - c / pair->fade) : 1;
	}
	memcpy(friction.v, pair->v, sizeof friction.v);
	memcpy(friction.c, gap.c, sizeof friction.c);
	lm_vec3 normal = lm_normalize_or(gap.w, lm_v3(0, 1, 0));
	lm_vec3 side = fabs(normal.x) < 0.5 ? lm_v3(1, 0, 0) : lm_v3(0, 1, 0);
	lm_vec3 t = lm_normalize_or(lm_cross(normal, side), lm_v3(0, 0, 1)), s = lm_cross(normal, t);
	const double T[2][3] = { { t.x, t.y, t.z }, { s.x, s.y, s.z } };
	memcpy(friction.T, T, sizeof friction.T);
	return friction;
}

lm_status lm_track_find_friction_pairs(lm_track_solver* s, const lm_track_problem* p, const double* x, lm_error* error)
{
	s->friction_count = 0;
	if (p->clearance == NULL || !(p->friction > 0 || p->frictions != NULL))
		return LM_OK;
	int32_t count = lm_clearance_pair_count(p->clearance);
	if (count > s->friction_capacity)
	{
		lm_free(&s->host, s->friction_pairs);
		s->friction_capacity = count + count / 2;
		s->friction_pairs = LM_NEW(&s->host, s->friction_capacity, lm_track_friction_pair);
		if (s->friction_pairs == NULL)
		{
			s->friction_capacity = 0;
			return lm_fail_memory(error);
		}
	}
	const lm_close_pair* pairs = lm_clearance_pairs(p->clearance);
	for (int32_t i = 0; i < count; ++i)
	{
		lm_track_friction_pair friction = friction_of(&pairs[i], p, s->n, x);
		if (friction.force > 0)
			s->friction_pairs[s->friction_count++] = friction;
	}
	return LM_OK;
}

// ---- all of it ---------------------------------------------------------------------------------------------------

double lm_track_energy(const lm_track_solver* s, const lm_track_problem* p, const double* x, int threads)
{
	double sum = 0;
	for (int32_t v = 0; v < s->n; ++v)
	{
		lm_vec3 d = lm_sub(lm_v3_at(x, v), lm_v3_at(p->y, v));
		sum += p->masses[v] * lm_dot(d, d);
	}
	sum /= 2 * p->h * p->h;
	for (int32_t k = 0; k < p->part_count; ++k)
	{
		lm_cloth_law laws[2];
		int count = lm_track_laws(&p->parts[k], p->h, laws);
		sum += lm_cloth_energy(laws, count, x + 3 * (int64_t)p->parts[k].first, threads);
	}
	for (int32_t i = 0; i < s->friction_count; ++i)
		sum += friction_energy(&s->friction_pairs[i], x, s->start, p->slack);
	if (p->clearance != NULL)
		sum += lm_clearance_energy(p->clearance, x, p->reach, p->barrier, threads);
	return sum;
}

void lm_track_start_gradient(lm_track_solver* s, const lm_track_problem* p, const double* x)
{
	double* g = s->gradient;
	memset(g + 3 * (int64_t)s->n, 0, 3 * (size_t)s->obstacles * sizeof *g);
	for (int64_t i = 0; i < 3 * (int64_t)s->n; ++i)
		g[i] = p->masses[i / 3] / (p->h * p->h) * (x[i] - p->y[i]);
	for (int32_t i = 0; i < s->friction_count; ++i)
		add_friction_gradient(&s->friction_pairs[i], x, s->start, p->slack, g);
}
