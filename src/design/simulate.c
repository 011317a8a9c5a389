// simulate.c: see simulate.h. Minimised by L-BFGS in the metric of each body's own second derivative (descent.h); what
// bodies do to each other is learnt by its memory.
#include "design/simulate.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "math/svd.h"

#include <string.h>

// ---- memory -----------------------------------------------------------------------------------------------------

static void release_body(lm_design_sim_body* body, const lm_host* host)
{
	lm_free(host, body->M);
	lm_free(host, body->y); // the other arrays of the nodes lie behind it
	lm_free(host, body->slack);
	lm_free(host, body->obstacle_contacts);
	lm_free(host, body->rest);
	lm_design_band_release(&body->metric);
}

void lm_design_sim_destroy(lm_design_sim* sim)
{
	if (sim == NULL)
		return;
	const lm_host host = sim->host;
	for (int32_t b = 0; sim->bodies != NULL && b < sim->count; ++b)
		release_body(&sim->bodies[b], &host);
	lm_free(&host, sim->bodies);
	lm_free(&host, sim->x);
	lm_free(&host, sim->z);
	lm_free(&host, sim->work);
	lm_obstacles_release(&sim->obstacles);
	lm_free(&host, sim->contacts.touches);
	lm_free(&host, sim->contacts.node);
	lm_free(&host, sim->contacts.phi);
	lm_design_sim_coupling_release(sim);
	lm_free(&host, sim->friction_contacts);
	lm_free(&host, sim->carriers);
	lm_free(&host, sim->weights);
	lm_free(&host, sim);
}

// Weights of the energy that make the slowest vibration as fast as asked for.
static lm_status choose_stiffness(const lm_design_model* m, const lm_design_dynamics* d, const lm_host* host,
                                  lm_design_sim_body* body, lm_error* error)
{
	const lm_design_stiffness unit = { 1, 5 };
	double square = 0, wanted = 2 * LM_PI * d->frequency;
	lm_status status = lm_design_slowest(m, unit, host, &square, error);
	double scale = square > 0 ? wanted * wanted / square : wanted * wanted;
	body->strain = unit.strain * scale, body->volume = unit.volume * scale;
	body->damping = 2 * d->damping / wanted;
	body->friction = d->friction;
	return status;
}

static lm_status make_body(lm_design_sim* sim, int32_t b, const lm_design_dynamics* dynamics, lm_error* error)
{
	lm_design_sim_body* body = &sim->bodies[b];
	const lm_design_motion_body* shape = &sim->stage->bodies[b];
	const lm_design_model* m = shape->timeline.model;
	const lm_host* host = &sim->host;
	size_t n = (size_t)m->node_count, points = (size_t)shape->points->count;
	body->swing = pow(2 * LM_PI * dynamics[b].frequency, 2);
	body->M = LM_NEW(host, n * n, double);
	body->y = LM_NEW(host, 28 * n, double);
	body->slack = LM_NEW(host, 2 * points, double);
	body->obstacle_contacts = LM_NEW(host, LM_DESIGN_SIM_MOST_CONTACTS * points, lm_design_sim_obstacle_contact);
	body->rest = LM_NEW(host, m->point_count, lm_design_prestrain);
	if (body->M == NULL || body->y == NULL || body->slack == NULL || body->obstacle_contacts == NULL ||
	    body->rest == NULL || !lm_design_band_resize(&body->metric, host, 3 * m->node_count, 0, 1))
		return lm_fail_memory(error);
	double** parts[] = { &body->v, &body->before, &body->target, &body->push, &body->goal, &body->moved, &body->work };
	for (size_t k = 0; k < 7; ++k)
		*parts[k] = body->y + 3 * n * (k + 1);
	body->hold = body->y + 24 * n, body->touched = body->y + 25 * n;
	body->pair_slack = body->slack + points;
	memcpy(body->y, m->nodes, 3 * n * sizeof(double));
	lm_design_mass(m, body->M);
	body->mass = m->grid.material * pow(m->grid.h * m->size, 3);
	for (int32_t other = 0; other < b; ++other) // alike
		if (sim->stage->bodies[other].timeline.model == m && dynamics[other].frequency == dynamics[b].frequency)
		{
			const lm_design_sim_body* like = &sim->bodies[other];
			body->strain = like->strain, body->volume = like->volume;
			body->damping = like->damping / fmax(dynamics[other].damping, 1e-12) * dynamics[b].damping;
			body->friction = dynamics[b].friction;
			return LM_OK;
		}
	return choose_stiffness(m, &dynamics[b], host, body, error);
}

static lm_status fill(lm_design_sim* sim, const lm_design_dynamics* dynamics, lm_error* error)
{
	int64_t n = sim->stage->pairs->first[sim->count];
	double heaviest = 0;
	sim->bodies = LM_NEW(&sim->host, sim->count, lm_design_sim_body);
	sim->x = LM_NEW(&sim->host, n, double);
	sim->z = LM_NEW(&sim->host, n, double);
	sim->work = LM_NEW(&sim->host, lm_design_descent_work(n), double);
	bool placed = lm_obstacles_create(sim->stage->colliders, &sim->host, &sim->obstacles);
	if (sim->bodies == NULL || sim->x == NULL || sim->z == NULL || sim->work == NULL || !placed)
		return lm_fail_memory(error);
	lm_status status = LM_OK;
	for (int32_t b = 0; status == LM_OK && b < sim->count; ++b)
	{
		status = make_body(sim, b, dynamics, error);
		heaviest = fmax(heaviest, sim->bodies[b].mass);
	}
	for (int32_t b = 0; b < sim->count; ++b)
		sim->bodies[b].mass = fmax(sim->bodies[b].mass / heaviest, 1e-6);
	return status;
}

lm_status lm_design_sim_create(lm_design_motion* stage, const lm_design_dynamics* dynamics, const double gravity[3],
                               double start, const lm_host* host, lm_design_sim** result, lm_error* error)
{
	lm_design_sim* sim = LM_NEW(host, 1, lm_design_sim);
	if (sim == NULL)
		return lm_fail_memory(error);
	*sim = (lm_design_sim){
		.host = *host, .stage = stage, .count = stage->count, .gravity = lm_v3_at(gravity, 0), .start = start
	};
	lm_status status = fill(sim, dynamics, error);
	if (status != LM_OK)
	{
		lm_design_sim_destroy(sim);
		return status;
	}
	*result = sim;
	return LM_OK;
}

// ---- energy -----------------------------------------------------------------------------------------------------

static double unit_of(const lm_design_sim* sim, int32_t b)
{
	double size = sim->stage->bodies[b].size;
	return sim->bodies[b].mass * size * size;
}

static lm_design_stiffness stiffness_of(const lm_design_sim* sim, const lm_design_sim_body* body)
{
	double extra = fmax(body->damping - sim->h, 0) / sim->h;
	return (lm_design_stiffness){ body->strain * (1 + extra), body->volume };
}

// Mu = M u.
static void times_mass(int32_t n, const double* M, const double* u, double* Mu)
{
	for (int32_t i = 0; i < n; ++i)
	{
		const double* row = M + (size_t)i * (size_t)n;
		double sum[3] = { 0 };
		for (int32_t j = 0; j < n; ++j)
			for (int d = 0; d < 3; ++d)
				sum[d] += row[j] * u[3 * j + d];
		memcpy(Mu + 3 * (size_t)i, sum, sizeof sum);
	}
}

typedef struct job
{
	lm_design_sim* sim;
	const double* x;
	double* result; // gradient or direction
	bool failed;
} job;

// Few bodies are done before threads have been woken.
static int threads_of(const lm_design_sim* sim)
{
	return sim->n > 1500 ? sim->host.threads : 1;
}

static void evaluate_bodies(void* context, int64_t begin, int64_t end)
{
	const job* w = context;
	for (int64_t b = begin; b < end; ++b)
	{
		lm_design_sim_body* body = &w->sim->bodies[b];
		const lm_design_model* m = w->sim->stage->bodies[b].timeline.model;
		if (!body->free)
			continue;
		int32_t n = m->node_count;
		const double* x = w->x + body->offset;
		double *g = w->result + body->offset, unit = unit_of(w->sim, (int32_t)b);
		double inertia = unit / (w->sim->h * w->sim->h), energy = 0;
		for (int32_t i = 0; i < 3 * n; ++i)
			body->work[i] = x[i] - body->target[i];
		times_mass(n, body->M, body->work, body->moved);
		for (int32_t i = 0; i < 3 * n; ++i)
		{
			double off = x[i] - body->goal[i], pull = unit * body->hold[i / 3];
			energy += 0.5 * (inertia * body->work[i] * body->moved[i] + pull * off * off);
			g[i] = inertia * body->moved[i] + pull * off;
		}
		lm_design_stiffness s = stiffness_of(w->sim, body);
		energy += lm_design_elastic(m, s, x, unit, g);
		body->energy = energy + lm_design_prestrain_energy(m, s, body->rest, x, unit, g);
	}
}

static void show(lm_design_sim* sim, const double* x)
{
	for (int32_t b = 0; b < sim->count; ++b)
	{
		const double* y = sim->bodies[b].free ? x + sim->bodies[b].offset : sim->bodies[b].y;
		memcpy(sim->z + sim->stage->pairs->first[b], y, 3 * (size_t)sim->stage->bodies[b].node_count * sizeof(double));
	}
}

static double energy_at(void* context, const double* x, double* gradient)
{
	lm_design_sim* sim = context;
	job w = { sim, x, gradient, false };
	lm_parallel_for(threads_of(sim), sim->count, 1, evaluate_bodies, &w);
	double energy = 0;
	for (int32_t b = 0; b < sim->count; ++b)
		energy += sim->bodies[b].free ? sim->bodies[b].energy : 0;
	show(sim, x);
	return energy + lm_design_sim_contact_energy(sim, gradient);
}

static void refresh_bodies(void* context, int64_t begin, int64_t end)
{
	job* w = context;
	lm_design_sim* sim = w->sim;
	for (int64_t b = begin; b < end; ++b)
	{
		lm_design_sim_body* body = &sim->bodies[b];
		const lm_design_model* m = sim->stage->bodies[b].timeline.model;
		if (!body->free)
			continue;
		double unit = unit_of(sim, (int32_t)b), inertia = unit / (sim->h * sim->h);
		lm_design_band_clear(&body->metric);
		double* K = lm_design_band_panel(&body->metric, 0);
		int64_t stride = body->metric.stride;
		lm_design_elastic_hessian(m, stiffness_of(sim, body), w->x + body->offset, unit, true, &body->metric, 0);
		for (int32_t j = 0; j < m->node_count; ++j)
			for (int32_t i = j; i < m->node_count; ++i)
			{
				double value = inertia * body->M[(size_t)i * (size_t)m->node_count + (size_t)j];
				value += i == j ? unit * body->hold[i] : 0;
				for (int d = 0; d < 3; ++d)
					K[(3 * j + d) * stride + 3 * i + d] += value;
			}
		lm_design_sim_contact_metric(sim, (int32_t)b);
		if (!lm_design_band_factorize(&body->metric, 1e-9 * inertia))
			w->failed = true;
	}
}

static bool refresh(void* context, const double* x)
{
	job w = { context, x, NULL, false };
	lm_design_sim_coupling_gather(w.sim);
	lm_parallel_for(threads_of(w.sim), w.sim->count, 1, refresh_bodies, &w);
	return !w.failed && lm_design_sim_coupling_factorize(w.sim);
}

static void apply_bodies(void* context, int64_t begin, int64_t end)
{
	const job* w = context;
	for (int64_t b = begin; b < end; ++b)
		if (w->sim->bodies[b].free)
			lm_design_band_solve(&w->sim->bodies[b].metric, w->x + w->sim->bodies[b].offset,
			                     w->result + w->sim->bodies[b].offset);
}

static void apply(void* context, const double* gradient, double* d)
{
	job w = { context, gradient, d, false };
	lm_parallel_for(threads_of(w.sim), w.sim->count, 1, apply_bodies, &w);
	lm_design_sim_coupling_apply(w.sim, d);
}

// ---- steps ------------------------------------------------------------------------------------------------------

// The strains that cost least in this step: those of the shape, and where damping holds on to, of what was before.
static void choose_rest(const lm_design_sim* sim, int32_t b)
{
	lm_design_sim_body* body = &sim->bodies[b];
	const lm_design_model* m = sim->stage->bodies[b].timeline.model;
	double extra = fmax(body->damping - sim->h, 0) / sim->h;
	lm_design_prestrain_of(m, body->before, body->rest);
	for (int32_t p = 0; p < m->point_count; ++p)
	{
		lm_design_prestrain* rest = &body->rest[p];
		for (int k = 0; k < 6; ++k)
		{
			double own = body->shape != NULL ? body->shape[p].B[k] : 0;
			double moved = body->shape_moved != NULL ? body->shape_moved[p].B[k] : 0;
			rest->B[k] = (own + extra * (rest->B[k] + moved)) / (1 + extra);
		}
		rest->pull = body->shape != NULL ? body->shape[p].pull : 0;
	}
}

static lm_vec3 gravity_of(const lm_design_sim* sim, int32_t b)
{
	return lm_scale(1 / sim->stage->bodies[b].size, sim->gravity);
}

void lm_design_sim_release(lm_design_sim* sim, int32_t b, const double* y, const double* v, double h)
{
	lm_design_sim_body* body = &sim->bodies[b];
	size_t n = (size_t)sim->stage->bodies[b].node_count;
	lm_vec3 gravity = gravity_of(sim, b);
	body->free = true;
	memcpy(body->y, y, 3 * n * sizeof(double));
	for (size_t i = 0; i < n; ++i) // to the middle of the step that would have been before
		lm_v3_store(
			body->v, (int64_t)i,
			lm_add_scaled(lm_v3_at(v, (int64_t)i), -0.5 * h, lm_add(gravity, lm_v3_at(body->push, (int64_t)i))));
	memset(body->slack, 0, 2 * (size_t)sim->stage->bodies[b].points->count * sizeof(double));
}

void lm_design_sim_velocity(const lm_design_sim* sim, int32_t b, const double* middle_before, double* v)
{
	const lm_design_sim_body* body = &sim->bodies[b];
	for (int32_t i = 0; i < 3 * sim->stage->bodies[b].node_count; ++i)
		v[i] = body->v[i] + (middle_before != NULL ? 0.5 * (body->v[i] - middle_before[i]) : 0);
}

lm_vec3 lm_design_sim_spin_of(const lm_design_sim* sim, int32_t b, const double* y, const double* v, lm_vec3* center,
                              lm_mat3* inertia)
{
	const lm_design_sim_body* body = &sim->bodies[b];
	int32_t n = sim->stage->bodies[b].node_count;
	lm_vec3 c = { 0, 0, 0 }, L = { 0, 0, 0 };
	times_mass(n, body->M, y, body->work);
	for (int32_t i = 0; i < n; ++i)
		c = lm_add(c, lm_v3_at(body->work, i));
	lm_mat3 second = { 0 };
	for (int32_t i = 0; i < n; ++i) // sum M_ij y_i y_j^T - c c^T
		lm_add_outer(&second, 1, lm_v3_at(y, i), lm_v3_at(body->work, i));
	lm_add_outer(&second, -1, c, c);
	double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
	*inertia = (lm_mat3){ 0 };
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			inertia->m[i][j] = (i == j ? trace : 0) - 0.5 * (second.m[i][j] + second.m[j][i]);
	times_mass(n, body->M, v, body->work);
	for (int32_t i = 0; i < n; ++i)
		L = lm_add(L, lm_cross(lm_sub(lm_v3_at(y, i), c), lm_v3_at(body->work, i)));
	*center = c;
	return L;
}

// In free flight the centre of mass goes where it was aimed, whatever was left undone inside.
static void restore_center(lm_design_sim* sim, int32_t b)
{
	lm_design_sim_body* body = &sim->bodies[b];
	int32_t n = sim->stage->bodies[b].node_count;
	lm_vec3 off = { 0, 0, 0 };
	for (int32_t i = 0; i < 3 * n; ++i)
		body->moved[i] = body->target[i] - body->y[i];
	times_mass(n, body->M, body->moved, body->work);
	for (int32_t i = 0; i < n; ++i)
		off = lm_add(off, lm_v3_at(body->work, i));
	for (int32_t i = 0; i < n; ++i)
		lm_v3_store(body->y, i, lm_add(lm_v3_at(body->y, i), off));
}

lm_vec3 lm_design_sim_spin_by(lm_mat3 inertia, lm_vec3 momentum)
{
	lm_vec3 spin = { 0, 0, 0 };
	lm_eigen e = lm_eigen3(inertia);
	const double values[3] = { e.e.x, e.e.y, e.e.z };
	for (int d = 0; d < 3; ++d)
		if (values[d] > 1e-6)
			spin = lm_add_scaled(spin, lm_dot(lm_column(e.V, d), momentum) / values[d], lm_column(e.V, d));
	return spin;
}

// In free flight the spin is kept.
static void restore_spin(lm_design_sim* sim, int32_t b, lm_vec3 before)
{
	lm_design_sim_body* body = &sim->bodies[b];
	lm_vec3 c, spin;
	lm_mat3 inertia;
	lm_vec3 lost = lm_sub(before, lm_design_sim_spin_of(sim, b, body->y, body->v, &c, &inertia));
	spin = lm_design_sim_spin_by(inertia, lost);
	for (int32_t i = 0; i < sim->stage->bodies[b].node_count; ++i)
		lm_v3_store(body->v, i, lm_add(lm_v3_at(body->v, i), lm_cross(spin, lm_sub(lm_v3_at(body->y, i), c))));
}

static void begin_step(lm_design_sim* sim)
{
	sim->n = 0;
	for (int32_t b = 0; b < sim->count; ++b)
	{
		lm_design_sim_body* body = &sim->bodies[b];
		int32_t n = sim->stage->bodies[b].node_count;
		if (!body->free)
			continue;
		lm_vec3 gravity = gravity_of(sim, b);
		body->offset = sim->n;
		sim->n += 3 * (int64_t)n;
		memcpy(body->before, body->y, 3 * (size_t)n * sizeof(double));
		for (int32_t i = 0; i < n; ++i)
		{
			lm_vec3 on = lm_add_scaled(lm_v3_at(body->y, i), sim->h, lm_v3_at(body->v, i));
			lm_vec3 a = lm_add(lm_add(gravity, lm_v3_at(body->push, i)), lm_v3_at(body->touched, i));
			lm_v3_store(sim->x + body->offset, i, on);
			lm_v3_store(body->target, i, lm_add_scaled(on, sim->h * sim->h, a));
		}
		choose_rest(sim, b);
	}
	lm_obstacles_set_time(&sim->obstacles, sim->start + sim->time);
}

// Whether something leads it that its target does not know of, or only in part.
static bool is_led(const lm_design_sim* sim, int32_t b)
{
	double most = 0;
	for (int32_t i = 0; i < sim->stage->bodies[b].node_count; ++i)
		most = fmax(most, lm_length(lm_v3_at(sim->bodies[b].push, i)) + sim->bodies[b].hold[i]);
	return most > 0;
}

static bool is_touched(const lm_design_sim* sim, int32_t b)
{
	double most = 0;
	for (int32_t i = 0; i < sim->stage->bodies[b].node_count; ++i)
		most = fmax(most, lm_length(lm_v3_at(sim->bodies[b].touched, i)));
	return most > 0;
}

static void end_step(lm_design_sim* sim, int32_t b)
{
	lm_design_sim_body* body = &sim->bodies[b];
	int32_t n = sim->stage->bodies[b].node_count, points = sim->stage->bodies[b].points->count;
	lm_vec3 c;
	lm_mat3 inertia;
	lm_vec3 spin = lm_design_sim_spin_of(sim, b, body->before, body->v, &c, &inertia);
	bool alone = !body->touches && !is_led(sim, b);
	memcpy(body->y, sim->x + body->offset, 3 * (size_t)n * sizeof(double));
	if (alone)
		restore_center(sim, b);
	for (int32_t i = 0; i < 3 * n; ++i)
		body->v[i] = (body->y[i] - body->before[i]) / sim->h;
	if (alone && !is_touched(sim, b))
		restore_spin(sim, b, spin);
	for (int32_t p = 0; p < 2 * points; ++p) // within about a third of a second the margin is kept in full
		body->slack[p] *= exp(-sim->h / 0.3);
}

lm_status lm_design_sim_step(lm_design_sim* sim, double h, lm_error* error)
{
	sim->h = h;
	sim->time += h;
	begin_step(sim);
	double scale = 0;
	for (int32_t b = 0; b < sim->count; ++b)
		scale += sim->bodies[b].free ? unit_of(sim, b) : 0;
	if (sim->n == 0)
		return LM_OK;
	lm_design_descent_problem problem = {
		.context = sim, .n = sim->n, .energy = energy_at, .refresh = refresh, .apply = apply
	};
	lm_design_descent_settings settings = {
		.most_iterations = 40, .refresh = 3, .tolerance = 1e-5, .floor = 0.01 * scale
	};
	lm_design_descent_solve(&problem, &settings, sim->x, sim->work);
	bool kept = lm_design_sim_contact_keep(sim, h);
	for (int32_t b = 0; b < sim->count; ++b)
		if (sim->bodies[b].free)
			end_step(sim, b);
	return kept && !sim->failed ? LM_OK : lm_fail_memory(error);
}

double lm_design_sim_energy(const lm_design_sim* sim, int32_t b)
{
	const lm_design_sim_body* body = &sim->bodies[b];
	const lm_design_model* m = sim->stage->bodies[b].timeline.model;
	double energy = lm_design_elastic(m, (lm_design_stiffness){ body->strain, body->volume }, body->y, 1, NULL);
	lm_vec3 gravity = gravity_of(sim, b), c = { 0, 0, 0 };
	times_mass(m->node_count, body->M, body->v, body->work);
	for (int32_t i = 0; i < 3 * m->node_count; ++i)
		energy += 0.5 * body->work[i] * body->v[i];
	times_mass(m->node_count, body->M, body->y, body->work);
	for (int32_t i = 0; i < m->node_count; ++i)
		c = lm_add(c, lm_v3_at(body->work, i));
	return energy - lm_dot(gravity, c);
}
