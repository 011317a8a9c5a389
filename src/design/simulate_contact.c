// simulate_contact.c: what bodies of simulate.h do to colliders and to each other. Points of the surfaces keep a
// margin:
//
//   E = m k P(depth),   P(d) = d^2 / 2, going on as a straight line beyond `deep`;
//
// k is so large that the weight of a body on one point presses it in by a 4000th of its size. Friction holds against
// what moved along the surface in the step, u, with the pressures of the step before:
//
//   E = mu m k P'(depth) f(|u|),   f(u) = u^2/e - u^3/(3 e^2) + e/3 below e = h 0.02 sizes/s, u above
//
// (M. Li et al., Incremental Potential Contact, 2020, Eq. 14, whose f is this one): within a step all of it is the
// slope of an energy, so that a step cannot gain any. Restitution of colliders is not used: bodies bounce by their own
// elasticity.
#include "base/alloc.h"
#include "base/error.h"
#include "design/simulate.h"

#include <string.h>

static const double deep = 0.05, stick = 0.02;

static double stiffness_of(const lm_design_sim* sim, int32_t b)
{
	return 4000 * fmax(lm_length(sim->gravity), 1) / sim->stage->bodies[b].size;
}

// P and its first two derivatives.
static void penalty(double depth, double P[3])
{
	bool beyond = depth > deep;
	P[0] = beyond ? deep * (depth - 0.5 * deep) : 0.5 * depth * depth;
	P[1] = beyond ? deep : depth;
	P[2] = beyond ? deep / depth : 1; // of the parabola that touches from above
}

static lm_vec3 point_at(const lm_design_rows* rows, int32_t p, const double* z)
{
	lm_vec3 x = { 0, 0, 0 };
	for (int64_t e = rows->start[p]; e < rows->start[p + 1]; ++e)
		x = lm_add_scaled(x, rows->phi[e], lm_v3_at(z, rows->node[e]));
	return x;
}

static const double* nodes_of(const lm_design_sim* sim, int32_t b)
{
	return sim->z + sim->stage->pairs->first[b];
}

// Which points of a body are nearer to which colliders than their margins.
static void find_brushes(const lm_design_sim* sim, int32_t b)
{
	const lm_design_motion_body* shape = &sim->stage->bodies[b];
	lm_design_sim_body* body = &sim->bodies[b];
	lm_design_motion_near near = { 0 };
	body->obstacle_contact_count = 0;
	if (sim->obstacles.count > 0)
		lm_design_motion_find_near(sim->stage, shape, sim->obstacles.items, nodes_of(sim, b), &near);
	for (int32_t p = 0; near.count > 0 && p < shape->points->count; ++p)
	{
		lm_vec3 world = lm_add_scaled(shape->center, shape->size, point_at(shape->points, p, nodes_of(sim, b)));
		int count = 0;
		for (int32_t k = 0; k < near.count && count < LM_DESIGN_SIM_MOST_CONTACTS; ++k)
		{
			int32_t c = near.collider[k];
			const lm_obstacle* obstacle = &sim->obstacles.items[c];
			lm_solid_distance d = lm_solid_query(&obstacle->solid, lm_placement_to_local(&obstacle->at, world),
			                                     LM_SIM_MARGIN * shape->size);
			double depth = LM_SIM_MARGIN - body->slack[p] - d.distance / shape->size;
			if (!d.found || depth <= 0)
				continue;
			body->obstacle_contacts[body->obstacle_contact_count++] =
				(lm_design_sim_obstacle_contact){ p, c, depth, lm_mul_v(obstacle->at.R, d.normal) };
			++count;
		}
	}
}

static void pull(const lm_design_sim* sim, int32_t b, double* gradient, const int32_t* node, const double* phi,
                 int64_t count, lm_vec3 force)
{
	double* g = gradient + sim->bodies[b].offset;
	for (int64_t e = 0; sim->bodies[b].free && e < count; ++e)
		lm_v3_store(g, node[e], lm_add_scaled(lm_v3_at(g, node[e]), phi[e], force));
}

static void pull_point(const lm_design_sim* sim, int32_t b, double* gradient, int32_t p, lm_vec3 force)
{
	const lm_design_rows* rows = sim->stage->bodies[b].points;
	int64_t first = rows->start[p];
	pull(sim, b, gradient, rows->node + first, rows->phi + first, rows->start[p + 1] - first, force);
}

// ---- pressure ---------------------------------------------------------------------------------------------------

static double collider_energy(const lm_design_sim* sim, int32_t b, double* gradient)
{
	const lm_design_sim_body* body = &sim->bodies[b];
	double size = sim->stage->bodies[b].size, k = stiffness_of(sim, b) * body->mass * size * size, energy = 0;
	find_brushes(sim, b);
	for (size_t t = 0; t < body->obstacle_contact_count; ++t)
	{
		double P[3];
		penalty(body->obstacle_contacts[t].depth, P);
		energy += k * P[0];
		pull_point(sim, b, gradient, body->obstacle_contacts[t].point,
		           lm_scale(-k * P[1], body->obstacle_contacts[t].normal));
	}
	return energy;
}

// Stiffness of a touch of two bodies, per metre^2.
static double pair_stiffness(const lm_design_sim* sim, const lm_design_pair_contact* t)
{
	double a = stiffness_of(sim, t->a) * sim->bodies[t->a].mass, b = stiffness_of(sim, t->b) * sim->bodies[t->b].mass;
	return fmin(a, b);
}

static bool is_of_free(const lm_design_sim* sim, const lm_design_pair_contact* t)
{
	return sim->bodies[t->a].free || sim->bodies[t->b].free;
}

static double depth_of(const lm_design_sim* sim, const lm_design_pair_contact* t)
{
	return t->depth - fmax(sim->bodies[t->a].pair_slack[t->point], 0);
}

static double pair_energy(lm_design_sim* sim, double* gradient)
{
	double energy = 0;
	if (sim->count < 2)
		return 0;
	if (!lm_design_find_pair_contacts(sim->stage, 0, sim->z, LM_SIM_MARGIN, &sim->contacts))
		sim->failed = true;
	for (size_t k = 0; k < sim->contacts.count; ++k)
	{
		const lm_design_pair_contact* t = &sim->contacts.touches[k];
		double size_a = sim->stage->bodies[t->a].size, size_b = sim->stage->bodies[t->b].size, P[3];
		if (!is_of_free(sim, t) || depth_of(sim, t) <= 0)
			continue;
		double stiff = pair_stiffness(sim, t) * size_b; // by lengths of b, and once more below
		penalty(depth_of(sim, t), P);
		energy += stiff * size_b * P[0];
		pull_point(sim, t->a, gradient, t->point, lm_scale(-stiff * size_a * P[1], t->normal));
		pull(sim, t->b, gradient, sim->contacts.node + t->first, sim->contacts.phi + t->first, t->count,
		     lm_scale(stiff * size_b * P[1], t->normal));
	}
	return energy;
}

// ---- friction ---------------------------------------------------------------------------------------------------

static lm_vec3 relative_place(const lm_design_sim* sim, const lm_design_friction_contact* r)
{
	const lm_design_motion_body* a = &sim->stage->bodies[r->a];
	lm_vec3 x = lm_add_scaled(a->center, a->size, point_at(a->points, r->point, nodes_of(sim, r->a)));
	if (r->b < 0)
		return x;
	const lm_design_motion_body* b = &sim->stage->bodies[r->b];
	lm_vec3 y = { 0, 0, 0 };
	for (size_t e = r->first; e < r->first + (size_t)r->count; ++e)
		y = lm_add_scaled(y, sim->weights[e], lm_v3_at(nodes_of(sim, r->b), sim->carriers[e]));
	return lm_sub(x, lm_add_scaled(b->center, b->size, y));
}

// What moved along the surface; f and f'/u of it.
static lm_vec3 slip(const lm_design_sim* sim, const lm_design_friction_contact* r, double* f, double* slope)
{
	lm_vec3 u = lm_sub(relative_place(sim, r), r->start);
	u = lm_add_scaled(u, -lm_dot(u, r->normal), r->normal);
	double e = sim->h * stick * sim->stage->bodies[r->a].size, length = lm_length(u);
	*f = length < e ? length * length * (1 - length / (3 * e)) / e + e / 3 : length;
	*slope = length < e ? (2 - length / e) / e : 1 / length;
	return u;
}

static double friction_energy(const lm_design_sim* sim, double* gradient)
{
	double energy = 0;
	for (size_t k = 0; k < sim->friction_count; ++k)
	{
		const lm_design_friction_contact* r = &sim->friction_contacts[k];
		double f, slope;
		lm_vec3 u = slip(sim, r, &f, &slope);
		energy += r->force * f;
		pull_point(sim, r->a, gradient, r->point, lm_scale(r->force * slope * sim->stage->bodies[r->a].size, u));
		if (r->b >= 0)
			pull(sim, r->b, gradient, sim->carriers + r->first, sim->weights + r->first, r->count,
			     lm_scale(-r->force * slope * sim->stage->bodies[r->b].size, u));
	}
	return energy;
}

double lm_design_sim_contact_energy(lm_design_sim* sim, double* gradient)
{
	double energy = 0;
	for (int32_t b = 0; b < sim->count; ++b)
		if (sim->bodies[b].free)
			energy += collider_energy(sim, b, gradient);
	energy += pair_energy(sim, gradient);
	return energy + friction_energy(sim, gradient);
}

// ---- second derivatives -----------------------------------------------------------------------------------------

// Adds weight A phi phi^T, A = along n n^T + across (I - n n^T), n a unit vector.
static void add_outer(lm_design_sim_body* body, const int32_t* node, const double* phi, int64_t count, lm_vec3 n,
                      double along, double across)
{
	double u[3] = { n.x, n.y, n.z }, A[3][3];
	int64_t stride = body->metric.stride;
	double* K = lm_design_band_panel(&body->metric, 0);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			A[i][j] = (along - across) * u[i] * u[j] + (i == j ? across : 0);
	for (int64_t b = 0; b < count; ++b)
		for (int64_t a = b; a < count; ++a)
		{
			double* at = K + 3 * (int64_t)node[b] * stride + 3 * (int64_t)node[a];
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					at[j * stride + i] += phi[a] * phi[b] * A[i][j];
		}
}

static void add_at_point(lm_design_sim* sim, int32_t b, int32_t p, lm_vec3 n, double along, double across)
{
	const lm_design_rows* rows = sim->stage->bodies[b].points;
	int64_t first = rows->start[p];
	add_outer(&sim->bodies[b], rows->node + first, rows->phi + first, rows->start[p + 1] - first, n, along, across);
}

// Those of the last evaluation.
static void add_colliders(lm_design_sim* sim, int32_t b)
{
	const lm_design_sim_body* body = &sim->bodies[b];
	double size = sim->stage->bodies[b].size, k = stiffness_of(sim, b) * body->mass * size * size;
	for (size_t t = 0; t < body->obstacle_contact_count; ++t)
	{
		double P[3];
		penalty(body->obstacle_contacts[t].depth, P);
		add_at_point(sim, b, body->obstacle_contacts[t].point, body->obstacle_contacts[t].normal, k * P[2], 0);
	}
}

double lm_design_sim_touch_stiffness(const lm_design_sim* sim, const lm_design_pair_contact* t)
{
	double P[3], depth = depth_of(sim, t);
	if (depth <= 0)
		return 0;
	penalty(depth, P);
	return pair_stiffness(sim, t) * P[2];
}

double lm_design_friction_stiffness(const lm_design_sim* sim, const lm_design_friction_contact* r)
{
	double f, slope;
	slip(sim, r, &f, &slope);
	return r->force * slope;
}

void lm_design_sim_contact_metric(lm_design_sim* sim, int32_t b)
{
	double size = sim->stage->bodies[b].size;
	add_colliders(sim, b);
	for (size_t k = 0; k < sim->contacts.count && sim->count > 1; ++k)
	{
		const lm_design_pair_contact* t = &sim->contacts.touches[k];
		bool both = sim->bodies[t->a].free && sim->bodies[t->b].free;
		if ((t->a != b && t->b != b) || (both && k < sim->coupling.touches))
			continue;
		double length = lm_length(t->normal), twice = both ? 2 : 1;
		double along = twice * lm_design_sim_touch_stiffness(sim, t) * size * size * length * length;
		lm_vec3 n = lm_scale(1 / fmax(length, 1e-12), t->normal);
		if (t->a == b)
			add_at_point(sim, b, t->point, n, along, 0);
		else
			add_outer(&sim->bodies[b], sim->contacts.node + t->first, sim->contacts.phi + t->first, t->count, n, along,
			          0);
	}
	for (size_t k = 0; k < sim->friction_count; ++k)
	{
		const lm_design_friction_contact* r = &sim->friction_contacts[k];
		if ((r->a != b && r->b != b) || r->coupled)
			continue;
		double across = lm_design_friction_stiffness(sim, r) * size * size;
		if (r->a == b)
			add_at_point(sim, b, r->point, r->normal, 0, across);
		else
			add_outer(&sim->bodies[b], sim->carriers + r->first, sim->weights + r->first, r->count, r->normal, 0,
			          across);
	}
}

// ---- after a step -----------------------------------------------------------------------------------------------

static bool add_rub(lm_design_sim* sim, lm_design_friction_contact friction_contact, const int32_t* node,
                    const double* phi)
{
	size_t needed = sim->carrier_count + (size_t)friction_contact.count;
	if (!lm_grow(&sim->host, (void**)&sim->friction_contacts, &sim->friction_capacity, sim->friction_count + 1,
	             sizeof friction_contact) ||
	    !lm_grow(&sim->host, (void**)&sim->carriers, &sim->carrier_capacity, needed, sizeof *node) ||
	    !lm_grow(&sim->host, (void**)&sim->weights, &sim->weight_capacity, needed, sizeof *phi))
		return false;
	friction_contact.first = sim->carrier_count;
	if (friction_contact.count > 0)
	{
		memcpy(sim->carriers + friction_contact.first, node, (size_t)friction_contact.count * sizeof *node);
		memcpy(sim->weights + friction_contact.first, phi, (size_t)friction_contact.count * sizeof *phi);
	}
	sim->carrier_count = needed;
	friction_contact.start = lm_add(friction_contact.start, relative_place(sim, &friction_contact));
	sim->friction_contacts[sim->friction_count++] = friction_contact;
	return true;
}

static bool keep_colliders(lm_design_sim* sim, int32_t b, double h)
{
	const lm_design_motion_body* shape = &sim->stage->bodies[b];
	lm_design_sim_body* body = &sim->bodies[b];
	double k = stiffness_of(sim, b) * body->mass * shape->size; // pressure by own depths
	find_brushes(sim, b);
	body->touches |= body->obstacle_contact_count > 0;
	for (size_t t = 0; t < body->obstacle_contact_count; ++t)
	{
		const lm_design_sim_obstacle_contact* obstacle_contact = &body->obstacle_contacts[t];
		double P[3], mu = sqrt(body->friction * sim->stage->colliders->items[obstacle_contact->collider].friction);
		lm_vec3 own = point_at(shape->points, obstacle_contact->point, nodes_of(sim, b));
		lm_vec3 world = lm_add_scaled(shape->center, shape->size, own);
		penalty(obstacle_contact->depth, P);
		lm_design_friction_contact friction_contact = {
			.a = b,
			.point = obstacle_contact->point,
			.b = -1,
			.normal = obstacle_contact->normal,
			.start = lm_scale(h, lm_obstacle_velocity(&sim->obstacles.items[obstacle_contact->collider], world)),
			.force = mu * k * P[1]
		};
		if (friction_contact.force > 0 && !add_rub(sim, friction_contact, NULL, NULL))
			return false;
	}
	return true;
}

static bool keep_pairs(lm_design_sim* sim)
{
	for (size_t k = 0; k < sim->contacts.count && sim->count > 1; ++k)
	{
		const lm_design_pair_contact* t = &sim->contacts.touches[k];
		double depth = depth_of(sim, t), P[3];
		if (!is_of_free(sim, t) || depth <= 0)
			continue;
		sim->bodies[t->a].touches = sim->bodies[t->b].touches = true;
		penalty(depth, P);
		double mu = sqrt(sim->bodies[t->a].friction * sim->bodies[t->b].friction);
		lm_design_friction_contact friction_contact = { .a = t->a,
			                                            .point = t->point,
			                                            .b = t->b,
			                                            .count = t->count,
			                                            .normal = lm_normalize_or(t->normal, lm_v3(0, 1, 0)),
			                                            .force = mu * pair_stiffness(sim, t) *
			                                                     sim->stage->bodies[t->b].size * P[1] };
		if (friction_contact.force > 0 &&
		    !add_rub(sim, friction_contact, sim->contacts.node + t->first, sim->contacts.phi + t->first))
			return false;
	}
	return true;
}

bool lm_design_sim_contact_keep(lm_design_sim* sim, double h)
{
	bool good = true;
	sim->friction_count = sim->carrier_count = 0;
	for (int32_t b = 0; b < sim->count; ++b)
		sim->bodies[b].touches = false;
	for (int32_t b = 0; good && b < sim->count; ++b)
		good = !sim->bodies[b].free || keep_colliders(sim, b, h);
	return good && keep_pairs(sim);
}

lm_status lm_design_sim_settle(lm_design_sim* sim, int32_t b, lm_error* error)
{
	for (int32_t other = 0; other < sim->count; ++other)
		memcpy(sim->z + sim->stage->pairs->first[other], sim->bodies[other].y,
		       3 * (size_t)sim->stage->bodies[other].node_count * sizeof(double));
	lm_obstacles_set_time(&sim->obstacles, sim->start + sim->time);
	find_brushes(sim, b);
	const lm_design_sim_body* body = &sim->bodies[b];
	for (size_t t = 0; t < body->obstacle_contact_count;)
	{
		int32_t p = body->obstacle_contacts[t].point;
		double deepest = 0;
		for (; t < body->obstacle_contact_count && body->obstacle_contacts[t].point == p; ++t)
			deepest = fmax(deepest, body->obstacle_contacts[t].depth);
		body->slack[p] += deepest;
	}
	if (sim->count < 2)
		return LM_OK;
	if (!lm_design_find_pair_contacts(sim->stage, 0, sim->z, LM_SIM_MARGIN, &sim->contacts))
		return lm_fail_memory(error);
	for (size_t k = 0; k < sim->contacts.count; ++k)
	{
		const lm_design_pair_contact* t = &sim->contacts.touches[k];
		double* slack = &sim->bodies[t->a].pair_slack[t->point];
		if (t->a == b || t->b == b)
			*slack = fmax(*slack, t->depth);
	}
	return LM_OK;
}
