// Contact and friction as c_i c_j P; see lean.h.
//
// A contact of energy b(D), D = |w|, w = sum c_i x_i, n = w / D has the gradient b' c_i n and, for fixed c, the part
// b'' n n^T of its Hessian, which is positive semidefinite: P = kappa m b'' n n^T, m the mollifier of nearly parallel
// edges. Friction is exact: P = mu F / s (I - u u^T / s^2) between the tangents.
#include "base/alloc.h"
#include "base/error.h"
#include "contact/gap.h"
#include "math/vec.h"
#include "track/lean.h"

#include <string.h>

static bool make_room(const lm_host* host, lm_track_lean* lean, int64_t needed)
{
	if (needed <= lean->contact_capacity)
		return true;
	lm_free(host, lean->contacts);
	lean->contact_capacity = needed + needed / 2 + 256;
	lean->contacts = LM_NEW(host, lean->contact_capacity, lm_lean_contact);
	if (lean->contacts == NULL)
		lean->contact_capacity = 0;
	return lean->contacts != NULL;
}

static void find_sides(lm_lean_contact* contact, lm_barrier_kind kind, int32_t n)
{
	contact->split = kind == LM_BARRIER_EDGE_EDGE ? 2 : 1;
	bool one = false, two = false;
	for (int i = 0; i < 4; ++i)
		if (contact->v[i] < n)
			*(i < contact->split ? &one : &two) = true;
	contact->coupled = one && two;
}

// False when it does not touch.
static bool touch(const lm_close_pair* pair, const lm_track_problem* p, const double* x, double* gradient,
                  lm_lean_contact* contact)
{
	lm_vec3 at[4];
	for (int k = 0; k < 4; ++k)
		at[k] = lm_v3_at(x, pair->v[k]);
	lm_gap gap = lm_barrier_gap(pair->kind, at);
	double reach = lm_close_pair_reach(pair, p->reach);
	if (!(gap.D > 0 && gap.D < reach))
		return false;
	double g[12], b1, b2, m = 1;
	lm_barrier_value(gap.D, reach, &b1, &b2);
	lm_vec3 n = lm_scale(1 / gap.D, gap.w);
	if (pair->kind == LM_BARRIER_EDGE_EDGE)
	{
		lm_vec3 cross = lm_cross(lm_sub(at[1], at[0]), lm_sub(at[3], at[2]));
		double c = lm_dot(cross, cross) / pair->fade;
		m = c < 1 ? c * (2 - c) : 1;
	}
	for (int k = 0; k < 12; ++k)
		g[k] = b1 * gap.c[k / 3] * lm_v3_get(n, k % 3);
	if (m < 1)
		lm_barrier_energy(&(lm_barrier_pair){ pair->kind, reach, pair->fade }, at, g, NULL);
	for (int k = 0; k < 12; ++k)
		gradient[3 * (int64_t)pair->v[k / 3] + k % 3] += p->barrier * g[k];
	memcpy(contact->v, pair->v, sizeof contact->v), memcpy(contact->c, gap.c, sizeof contact->c);
	for (int a = 0; a < 3; ++a)
		for (int b = 0; b < 3; ++b)
			contact->P[a][b] = p->barrier * m * b2 * lm_v3_get(n, a) * lm_v3_get(n, b);
	return true;
}

lm_status lm_lean_find_contacts(lm_track_solver* s, const lm_track_problem* p, const double* x, lm_error* error)
{
	lm_track_lean* lean = s->lean;
	int32_t count = p->clearance != NULL ? lm_clearance_pair_count(p->clearance) : 0;
	lean->contact_count = 0;
	if (!make_room(&s->host, lean, (int64_t)count + s->friction_count))
		return lm_fail_memory(error);
	for (int32_t i = 0; i < count; ++i)
	{
		const lm_close_pair* pair = &lm_clearance_pairs(p->clearance)[i];
		lm_lean_contact* contact = &lean->contacts[lean->contact_count];
		if (!touch(pair, p, x, s->gradient, contact))
			continue;
		find_sides(contact, pair->kind, s->n);
		++lean->contact_count;
	}
	for (int32_t i = 0; i < s->friction_count; ++i)
	{
		const lm_track_friction_pair* friction = &s->friction_pairs[i];
		lm_lean_contact* contact = &lean->contacts[lean->contact_count++];
		memcpy(contact->v, friction->v, sizeof contact->v), memcpy(contact->c, friction->c, sizeof contact->c);
		lm_track_friction_block(friction, x, s->start, p->slack, contact->P);
		find_sides(contact, friction->kind, s->n);
	}
	return LM_OK;
}

// ---- in the matrix -----------------------------------------------------------------------------------------------

static void add_block(const lm_track_lean* lean, int32_t row, int32_t column, double k, const double P[3][3])
{
	const lm_lean_block* block = lm_lean_find_block(lean, row, column);
	for (int b = 0; b < 3; ++b)
		for (int a = 0; a < (row == column ? b + 1 : 3); ++a) // of blocks on the diagonal the upper triangle
			lean->values[block->places[b] + a] += k * P[a][b];
}

void lm_lean_add_contacts(lm_track_solver* s)
{
	for (int64_t e = 0; e < s->lean->contact_count; ++e)
	{
		const lm_lean_contact* contact = &s->lean->contacts[e];
		for (int j = 0; j < 4; ++j)
			for (int i = 0; i < 4; ++i)
			{
				bool same_side = (i < contact->split) == (j < contact->split);
				int32_t row = contact->v[i], column = contact->v[j];
				double k = (contact->coupled ? 2 : 1) * contact->c[i] * contact->c[j];
				if (same_side && row <= column && column < s->n && k != 0)
					add_block(s->lean, row, column, k, contact->P);
			}
	}
}

// With a and b the motions of both sides, sum c_i x_i = a + b: the true matrix gives (P (a + b), P (a + b)), H (2 P a,
// 2 P b); the difference is (P (b - a), P (a - b)).
void lm_lean_add_coupling(const lm_track_solver* s, const double* x, double* y)
{
	for (int64_t e = 0; e < s->lean->contact_count; ++e)
	{
		const lm_lean_contact* contact = &s->lean->contacts[e];
		if (!contact->coupled)
			continue;
		double d[3] = { 0, 0, 0 }, f[3];
		for (int i = 0; i < 4; ++i)
			for (int a = 0; a < 3 && contact->v[i] < s->n; ++a)
				d[a] += (i < contact->split ? -1 : 1) * contact->c[i] * x[3 * (int64_t)contact->v[i] + a];
		for (int a = 0; a < 3; ++a)
			f[a] = contact->P[a][0] * d[0] + contact->P[a][1] * d[1] + contact->P[a][2] * d[2];
		for (int i = 0; i < 4; ++i)
			for (int a = 0; a < 3 && contact->v[i] < s->n; ++a)
				y[3 * (int64_t)contact->v[i] + a] += (i < contact->split ? 1 : -1) * contact->c[i] * f[a];
	}
}

// right_i -= c_i P sum over obstacle corners j of c_j d_j
void lm_lean_add_carrying(lm_track_run* r)
{
	const lm_track_solver* s = r->s;
	lm_track_set_obstacle_displacement(r);
	for (int64_t e = 0; e < s->lean->contact_count; ++e)
	{
		const lm_lean_contact* contact = &s->lean->contacts[e];
		double d[3] = { 0, 0, 0 };
		for (int j = 0; j < 4; ++j)
			for (int a = 0; a < 3 && contact->v[j] >= s->n; ++a)
				d[a] += contact->c[j] * s->displacement[3 * (int64_t)contact->v[j] + a];
		for (int i = 0; i < 4; ++i)
			for (int a = 0; a < 3 && contact->v[i] < s->n; ++a)
				s->right[3 * (int64_t)contact->v[i] + a] -=
					contact->c[i] * (contact->P[a][0] * d[0] + contact->P[a][1] * d[1] + contact->P[a][2] * d[2]);
	}
}
