#include "act/equation.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

// ---- one link

// Where vertex i of the link is in a vector; NULL when it is none of the system.
static inline double* at(const lm_act_link* link, int32_t i, double* vector)
{
	int side = i >= link->touch.own;
	if (link->body[side] < 0)
		return NULL;
	return vector + link->base[side] + (int64_t)link->touch.dimension * link->touch.vertex[i];
}

static lm_vec3 point(const lm_act_link* link, const double* y)
{
	const lm_spring_touch* t = &link->touch;
	const double* x[2];
	for (int side = 0; side < 2; ++side)
		x[side] = link->body[side] < 0 ? link->fixed[side] : y + link->base[side];
	return lm_touch_point(t, x[0], x[1]);
}

// q of a vector of changes: what is fixed does not change.
static lm_vec3 change(const lm_act_link* link, const double* x)
{
	const lm_spring_touch* t = &link->touch;
	double q[3] = { 0 };
	for (int32_t i = 0; i < t->count; ++i)
	{
		const double* from = at(link, i, (double*)x);
		if (from == NULL)
			continue;
		for (int k = 0; k < t->dimension; ++k)
			q[k] += t->weight[i] * from[k];
	}
	return lm_v3(q[0], q[1], q[2]);
}

static void add(const lm_act_link* link, double scale, lm_vec3 f, double* to)
{
	const lm_spring_touch* t = &link->touch;
	const double numbers[3] = { f.x, f.y, f.z };
	for (int32_t i = 0; i < t->count; ++i)
	{
		double* into = at(link, i, to);
		if (into == NULL)
			continue;
		for (int k = 0; k < t->dimension; ++k)
			into[k] += scale * t->weight[i] * numbers[k];
	}
}

// The stretch of friction: u, its smoothed length r.
static lm_vec3 stretch(const lm_spring* s, lm_vec3 q, double* r)
{
	lm_vec3 u = lm_sub(q, s->anchor);
	u = lm_add_scaled(u, -lm_dot(u, s->normal), s->normal);
	*r = sqrt(lm_dot(u, u) + s->slack * s->slack);
	return u;
}

// The energy of a spring at the distance d: the integral of N (springs.h) from d on.
static double spring_energy(const lm_spring* s, double d)
{
	double x = (s->smoothing - d) / s->smoothing, unit = s->stiffness * s->smoothing * s->smoothing;
	if (!(x > 0))
		return 0;
	if (x < 1)
		return unit * x * x * x * x * (0.25 - 0.1 * x);
	return 0.15 * unit - 0.5 * s->stiffness * d * (s->smoothing - d);
}

// ---- sums

double lm_act_links_energy(const lm_act_system* system, const double* y)
{
	double sum = 0;
	for (int64_t k = 0; k < system->link_count; ++k)
	{
		const lm_act_link* link = &system->links[k];
		const lm_spring* s = &link->touch.spring;
		lm_vec3 q = point(link, y);
		double r;
		stretch(s, q, &r);
		sum += spring_energy(s, lm_feature_distance(&s->feature, q, NULL, NULL));
		sum += s->friction * link->frozen * (r - s->slack);
	}
	return sum;
}

void lm_act_links_freeze(lm_act_system* system, const double* y)
{
	for (int64_t k = 0; k < system->link_count; ++k)
	{
		lm_act_link* link = &system->links[k];
		const lm_spring* s = &link->touch.spring;
		double d = lm_feature_distance(&s->feature, point(link, y), NULL, NULL);
		link->frozen = lm_spring_normal(s->stiffness, s->smoothing, d, NULL, NULL);
	}
}

// Adds what friction has with the frozen normal force beyond what it has with that of q.
static void lag_force(const lm_act_link* link, lm_vec3 q, lm_spring_force* force)
{
	const lm_spring* s = &link->touch.spring;
	double r;
	lm_vec3 u = stretch(s, q, &r);
	force->f = lm_add_scaled(force->f, -s->friction * (link->frozen - force->normal) / r, u);
}

void lm_act_links_add_gradient(const lm_act_system* system, const double* y, bool lagged, double* c)
{
	for (int64_t k = 0; k < system->link_count; ++k)
	{
		const lm_act_link* link = &system->links[k];
		lm_vec3 q = point(link, y);
		lm_spring_force force;
		lm_spring_evaluate_force(&link->touch.spring, q, &force);
		if (lagged)
			lag_force(link, q, &force);
		if (force.normal > 0 || (lagged && link->frozen > 0))
			add(link, -1, force.f, c);
	}
}

// ---- matrices

static void lag_matrix(lm_act_link* link, lm_vec3 q)
{
	const lm_spring* s = &link->touch.spring;
	double r;
	lm_vec3 u = stretch(s, q, &r);
	lm_mat3 P = lm_identity();
	lm_add_outer(&P, -1, s->normal, s->normal);
	lm_add_outer(&P, -1 / (r * r), u, u);
	double scale = s->friction * (link->frozen - link->force.normal) / r;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			link->force.A.m[i][j] += scale * P.m[i][j];
	link->force.U = lm_v3(0, 0, 0);
}

// Without the curvature of the feature, -N H.
static void make_convex(lm_act_link* link, lm_vec3 q)
{
	lm_mat3 H;
	lm_vec3 n;
	lm_feature_distance(&link->touch.spring.feature, q, &n, &H);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			link->force.A.m[i][j] += link->force.normal * H.m[i][j];
}

// The first unknown of vertex i of the link, or -1.
static int64_t unknown(const lm_act_link* link, int32_t i)
{
	int side = i >= link->touch.own;
	return link->body[side] < 0 ? -1 : link->base[side] + (int64_t)link->touch.dimension * link->touch.vertex[i];
}

// values += w_i w_j A for all pairs of vertices. A column of the pattern is looked through once for a block of it.
static void add_blocks(const lm_act_link* link, const lm_mat3* A, const lm_pattern* pattern, double* values)
{
	const lm_spring_touch* t = &link->touch;
	int d = t->dimension;
	for (int32_t i = 0; i < t->count; ++i)
		for (int32_t j = 0; j < t->count; ++j)
		{
			int64_t row = unknown(link, i), column = unknown(link, j);
			if (row < 0 || column < row)
				continue;
			double weight = t->weight[i] * t->weight[j];
			for (int b = 0; b < d; ++b)
			{
				int64_t place = lm_pattern_find(pattern, row, column + b); // the rows below it follow
				int last = row == column ? b : d - 1;
				for (int a = 0; a <= last && place >= 0; ++a)
					values[place + a] += weight * A->m[a][b];
			}
		}
}

void lm_act_links_assemble(lm_act_system* system, const double* y, bool lagged, bool convex)
{
	for (int64_t k = 0; k < system->link_count; ++k)
	{
		lm_act_link* link = &system->links[k];
		lm_vec3 q = point(link, y);
		lm_spring_evaluate(&link->touch.spring, q, &link->force);
		if (lagged)
			lag_matrix(link, q);
		if (convex)
			make_convex(link, q);
		link->assembled = link->force.A;
		if (link->force.normal > 0 || (lagged && link->frozen > 0))
			add_blocks(link, &link->force.A, system->pattern, system->values);
	}
}

void lm_act_links_refresh(lm_act_system* system, const double* y, bool lagged)
{
	for (int64_t k = 0; k < system->link_count; ++k)
	{
		lm_act_link* link = &system->links[k];
		lm_vec3 q = point(link, y);
		lm_spring_evaluate(&link->touch.spring, q, &link->force);
		if (lagged)
			lag_matrix(link, q);
	}
}

// Whether the matrix lacks something of the link.
static inline bool lacks(const lm_act_link* link)
{
	const lm_vec3 U = link->force.U;
	return U.x != 0 || U.y != 0 || U.z != 0 || memcmp(&link->force.A, &link->assembled, sizeof link->assembled) != 0;
}

void lm_act_links_multiply(const lm_act_system* system, const double* x, double* out)
{
	for (int64_t k = 0; k < system->link_count; ++k)
	{
		const lm_act_link* link = &system->links[k];
		if (!lacks(link))
			continue;
		lm_vec3 q = change(link, x);
		lm_vec3 f = lm_sub(lm_mul_v(link->force.A, q), lm_mul_v(link->assembled, q));
		add(link, 1, lm_add_scaled(f, lm_dot(link->force.V, q), link->force.U), out);
	}
}

bool lm_act_links_lack(const lm_act_system* system)
{
	for (int64_t k = 0; k < system->link_count; ++k)
		if (lacks(&system->links[k]))
			return true;
	return false;
}

void lm_act_links_add_second(const lm_act_system* system, const double* y, const double* lambda, double* values)
{
	for (int64_t k = 0; k < system->link_count; ++k)
	{
		const lm_act_link* link = &system->links[k];
		lm_mat3 S = lm_spring_second(&link->touch.spring, point(link, y), change(link, lambda));
		for (int i = 0; i < 9; ++i)
			S.m[i / 3][i % 3] = -S.m[i / 3][i % 3]; // c has -f
		add_blocks(link, &S, system->pattern, values);
	}
}
