// simulate_couple.c: the second derivative across bodies that touch. With A the blocks of the bodies and, for every
// contact of two free bodies, a column n (where it acts, on both) and a stiffness k,
//
//   (A + N K N^T)^-1 = A^-1 - Y S^-1 Y^T,   Y = A^-1 N,   S = K^-1 + N^T Y                         (Woodbury).
//
// Without it two bodies that are pressed together could only be moved apart or together by their own blocks, each of
// which believes that the other does not give way.
#include "base/alloc.h"
#include "design/simulate.h"

#include <string.h>

static lm_design_sim_column* add_column(lm_design_sim* sim, double k)
{
	lm_design_sim_coupling* c = &sim->coupling;
	if (c->count >= LM_DESIGN_SIM_MOST_COLUMNS || !(k > 0) ||
	    !lm_grow(&sim->host, (void**)&c->columns, &c->capacity, (size_t)c->count + 1, sizeof *c->columns))
		return NULL;
	lm_design_sim_column* column = &c->columns[c->count++];
	*column = (lm_design_sim_column){ .k = k };
	return column;
}

// Copies, for contacts are found anew before the metric is.
static bool set_side(lm_design_sim* sim, lm_design_sim_column* column, int side, int32_t body, const int32_t* node,
                     const double* phi, size_t count, lm_vec3 direction)
{
	lm_design_sim_coupling* c = &sim->coupling;
	size_t first = c->entry_count, needed = first + count;
	if (!lm_grow(&sim->host, (void**)&c->node, &c->node_capacity, needed, sizeof *node) ||
	    !lm_grow(&sim->host, (void**)&c->phi, &c->phi_capacity, needed, sizeof *phi))
		return false;
	memcpy(c->node + first, node, count * sizeof *node);
	memcpy(c->phi + first, phi, count * sizeof *phi);
	column->body[side] = body, column->first[side] = first, column->entries[side] = count;
	column->direction[side] = direction;
	c->entry_count = needed;
	return true;
}

// One column along each of the directions (metres); false when it does not fit.
static bool couple(lm_design_sim* sim, int32_t a, int32_t point, int32_t b, const int32_t* node, const double* phi,
                   int64_t count, lm_vec3 direction, double k)
{
	const lm_design_rows* rows = sim->stage->bodies[a].points;
	int64_t first = rows->start[point];
	lm_design_sim_column* column = add_column(sim, k);
	if (column == NULL)
		return false;
	if (set_side(sim, column, 0, a, rows->node + first, rows->phi + first, (size_t)(rows->start[point + 1] - first),
	             lm_scale(sim->stage->bodies[a].size, direction)) &&
	    set_side(sim, column, 1, b, node, phi, (size_t)count, lm_scale(-sim->stage->bodies[b].size, direction)))
		return true;
	sim->coupling.count -= 1;
	return false;
}

static void couple_rub(lm_design_sim* sim, lm_design_friction_contact* r, double stiffness)
{
	lm_vec3 n = r->normal, aside = fabs(n.x) < 0.6 ? lm_v3(1, 0, 0) : lm_v3(0, 1, 0);
	lm_vec3 s = lm_normalize_or(lm_cross(n, aside), lm_v3(0, 0, 1)), t = lm_cross(n, s);
	const int32_t* node = sim->carriers + r->first;
	const double* phi = sim->weights + r->first;
	r->coupled = sim->coupling.count + 2 <= LM_DESIGN_SIM_MOST_COLUMNS &&
	             couple(sim, r->a, r->point, r->b, node, phi, r->count, s, stiffness) &&
	             couple(sim, r->a, r->point, r->b, node, phi, r->count, t, stiffness);
}

void lm_design_sim_coupling_gather(lm_design_sim* sim)
{
	lm_design_sim_coupling* c = &sim->coupling;
	c->count = 0, c->entry_count = 0, c->touches = 0;
	for (size_t k = 0; k < sim->contacts.count && sim->count > 1; ++k, ++c->touches)
	{
		const lm_design_pair_contact* t = &sim->contacts.touches[k];
		double stiffness = lm_design_sim_touch_stiffness(sim, t);
		if (!sim->bodies[t->a].free || !sim->bodies[t->b].free || !(stiffness > 0))
			continue;
		if (!couple(sim, t->a, t->point, t->b, sim->contacts.node + t->first, sim->contacts.phi + t->first, t->count,
		            t->normal, stiffness))
			break;
	}
	for (size_t k = 0; k < sim->friction_count; ++k)
	{
		lm_design_friction_contact* r = &sim->friction_contacts[k];
		r->coupled = false;
		if (r->b >= 0 && sim->bodies[r->a].free && sim->bodies[r->b].free)
			couple_rub(sim, r, lm_design_friction_stiffness(sim, r));
	}
}

// The part of a column that acts on a body, as a vector over its unknowns; added to.
static void spread(const lm_design_sim_coupling* c, const lm_design_sim_column* column, int side, double* x)
{
	for (size_t e = column->first[side]; e < column->first[side] + column->entries[side]; ++e)
		lm_v3_store(x, c->node[e], lm_add_scaled(lm_v3_at(x, c->node[e]), c->phi[e], column->direction[side]));
}

static double dot(const lm_design_sim_coupling* c, const lm_design_sim_column* column, int side, const double* x)
{
	double sum = 0;
	for (size_t e = column->first[side]; e < column->first[side] + column->entries[side]; ++e)
		sum += c->phi[e] * lm_dot(column->direction[side], lm_v3_at(x, c->node[e]));
	return sum;
}

// Y of column k: two vectors, over the unknowns of its two bodies.
static double* solved(const lm_design_sim_coupling* c, int32_t k, int side)
{
	return c->Y + ((int64_t)2 * k + side) * c->longest;
}

bool lm_design_sim_coupling_factorize(lm_design_sim* sim)
{
	lm_design_sim_coupling* c = &sim->coupling;
	if (c->count == 0)
		return true;
	c->longest = 0;
	for (int32_t b = 0; b < sim->count; ++b)
		c->longest = fmax((double)c->longest, 3.0 * sim->stage->bodies[b].node_count);
	if (!lm_grow(&sim->host, (void**)&c->Y, &c->Y_capacity, (size_t)(2 * (c->count + 1) * c->longest),
	             sizeof(double)) ||
	    !lm_grow(&sim->host, (void**)&c->t, &c->t_capacity, (size_t)c->count, sizeof(double)) ||
	    !lm_design_band_resize(&c->S, &sim->host, c->count, 0, 1))
	{
		c->count = 0;
		sim->failed = true;
		return false;
	}
	double* scratch = solved(c, c->count, 0);
	for (int32_t k = 0; k < c->count; ++k)
		for (int side = 0; side < 2; ++side)
		{
			memset(scratch, 0, (size_t)c->longest * sizeof *scratch);
			spread(c, &c->columns[k], side, scratch);
			lm_design_band_solve(&sim->bodies[c->columns[k].body[side]].metric, scratch, solved(c, k, side));
		}
	lm_design_band_clear(&c->S);
	double* S = lm_design_band_panel(&c->S, 0);
	for (int32_t k = 0; k < c->count; ++k)
		for (int32_t l = k; l < c->count; ++l)
			for (int p = 0; p < 2; ++p)
				for (int q = 0; q < 2; ++q)
					if (c->columns[k].body[p] == c->columns[l].body[q])
						S[k * c->S.stride + l] += dot(c, &c->columns[l], q, solved(c, k, p));
	for (int32_t k = 0; k < c->count; ++k)
		S[k * c->S.stride + k] += 1 / c->columns[k].k;
	if (!lm_design_band_factorize(&c->S, 0))
		c->count = 0; // the blocks alone are a metric, too
	return true;
}

void lm_design_sim_coupling_apply(lm_design_sim* sim, double* d)
{
	lm_design_sim_coupling* c = &sim->coupling;
	if (c->count == 0)
		return;
	for (int32_t k = 0; k < c->count; ++k)
	{
		c->t[k] = 0;
		for (int side = 0; side < 2; ++side)
			c->t[k] += dot(c, &c->columns[k], side, d + sim->bodies[c->columns[k].body[side]].offset);
	}
	lm_design_band_solve(&c->S, c->t, c->t);
	for (int32_t k = 0; k < c->count; ++k)
		for (int side = 0; side < 2; ++side)
		{
			int32_t b = c->columns[k].body[side];
			double *to = d + sim->bodies[b].offset, *y = solved(c, k, side);
			for (int32_t i = 0; i < 3 * sim->stage->bodies[b].node_count; ++i)
				to[i] -= c->t[k] * y[i];
		}
}

void lm_design_sim_coupling_release(lm_design_sim* sim)
{
	lm_free(&sim->host, sim->coupling.columns);
	lm_free(&sim->host, sim->coupling.node);
	lm_free(&sim->host, sim->coupling.phi);
	lm_free(&sim->host, sim->coupling.Y);
	lm_free(&sim->host, sim->coupling.t);
	lm_design_band_release(&sim->coupling.S);
}
