// Rows of the engine `design`: drag steps, surfaces, motions. Where libLBFGS is installed it minimises the same energy
// from the same start and is stopped when it is within 1 % of what we reached.
#include "objects/design/design.h"
#include "bench.h"
#include "design/motion_keys.h"
#include "design/pose.h"
#include "world/world.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct goal
{
	double (*energy)(void* context, const double* x, double* gradient);
	void* context;
	double enough; // stops at or below,
	double latest; // or at this time
	bool reached;
} goal;

#ifdef LIMBER_LBFGS
#include <lbfgs.h>

static lbfgsfloatval_t evaluate(void* data, const lbfgsfloatval_t* x, lbfgsfloatval_t* g, const int n,
                                const lbfgsfloatval_t step)
{
	(void)n, (void)step;
	const goal* to = data;
	return to->energy(to->context, x, g);
}

static int progress(void* data, const lbfgsfloatval_t* x, const lbfgsfloatval_t* g, const lbfgsfloatval_t value,
                    const lbfgsfloatval_t xnorm, const lbfgsfloatval_t gnorm, const lbfgsfloatval_t step, int n, int k,
                    int ls)
{
	(void)x, (void)g, (void)xnorm, (void)gnorm, (void)step, (void)n, (void)k, (void)ls;
	goal* to = data;
	to->reached = value <= to->enough;
	return to->reached || (to->latest > 0 && lm_clock_seconds() > to->latest);
}

// Seconds; x is improved until the energy is within 1 % of `best`, or 5000 iterations are used up.
static double lbfgs_until(goal* to, double best, int n, double* x)
{
	lbfgs_parameter_t parameters;
	lbfgs_parameter_init(&parameters);
	parameters.max_iterations = 5000;
	parameters.epsilon = 1e-12;
	to->enough = best + 0.01 * fabs(best);
	double begin = lm_clock_seconds();
	lbfgs(n, x, NULL, evaluate, progress, to, &parameters);
	return lm_clock_seconds() - begin;
}
#else
static double lbfgs_until(goal* to, double best, int n, double* x)
{
	(void)to, (void)best, (void)n, (void)x;
	return INFINITY; // nothing to compare with
}
#endif

// ---- drag steps -------------------------------------------------------------------------------------------------

enum
{
	EVENTS = 40, // the first warms up, and is not timed
	REPEATS = 12
};

typedef struct drag
{
	lm_design_model* model;
	lm_design_pose* pose;
	int32_t held[64], head;
	double targets[64 * 3], start[3];
	lm_design_pose_handle handles[2];
} drag;

static lm_mesh* read_asset(const char* name, lm_error* error)
{
	char path[1024];
	lm_host host = lm_host_default();
	lm_mesh* mesh = NULL;
	snprintf(path, sizeof path, LIMBER_SOURCE "/gallery/assets/%s", name);
	return lm_mesh_read(path, &host, &mesh, error) == LM_OK ? mesh : NULL;
}

// Nodes at the bottom are held, the highest is dragged.
static bool start_drag(const lm_mesh* mesh, int32_t nodes, drag* d, lm_error* error)
{
	lm_host host = lm_host_default();
	lm_design_model_def def = lm_design_model_def_default();
	lm_design_pose_settings settings = lm_design_pose_settings_default();
	def.surface = mesh, def.nodes = nodes;
	memset(d, 0, sizeof *d);
	if (lm_design_model_create(&def, &host, &d->model, error) != LM_OK ||
	    lm_design_pose_create(d->model, &settings, &host, &d->pose, error) != LM_OK)
		return false;
	const double* y = lm_design_pose_nodes(d->pose);
	int32_t count = 0;
	for (int32_t i = 0; i < nodes; ++i)
	{
		d->head = y[3 * i + 1] > y[3 * d->head + 1] ? i : d->head;
		if (y[3 * i + 1] < 0.1 && count < 64)
			memcpy(d->targets + 3 * count, y + 3 * i, 3 * sizeof(double)), d->held[count++] = i;
	}
	memcpy(d->start, y + 3 * d->head, sizeof d->start);
	d->handles[0] = (lm_design_pose_handle){ .count = count, .nodes = d->held, .targets = d->targets, .weight = 1 };
	d->handles[1] = (lm_design_pose_handle){ .count = 1, .nodes = &d->head, .targets = d->start, .weight = 1 };
	return lm_design_pose_set_handles(d->pose, d->handles, 2, error) == LM_OK;
}

static void target_of(const drag* d, int event, double target[3])
{
	double t = (double)event / EVENTS;
	target[0] = d->start[0] + 0.4 * sin(3 * t), target[1] = d->start[1] - 0.3 * t, target[2] = d->start[2] - 0.2 * t;
}

static double pose_energy(void* context, const double* x, double* gradient)
{
	return lm_design_pose_energy(context, x, gradient);
}

static bool run_drag(const bench* b, bench_row* row, lm_error* error)
{
	int32_t nodes = *(const int32_t*)b->data;
	lm_mesh* mesh = read_asset("dinosaur.ply", error);
	drag d;
	if (mesh == NULL || !start_drag(mesh, nodes, &d, error))
		return false;
	double energies[EVENTS], target[3], best = INFINITY, reference = INFINITY;
	for (int repeat = 0; repeat < REPEATS; ++repeat)
	{
		lm_design_pose_set_nodes(d.pose, NULL);
		double total = 0;
		for (int e = 0; e < EVENTS; ++e)
		{
			target_of(&d, e + 1, target);
			lm_design_pose_move_handle(d.pose, 1, target, NULL);
			double begin = lm_clock_seconds();
			energies[e] = lm_design_pose_step(d.pose).energy;
			total += e > 0 ? lm_clock_seconds() - begin : 0;
		}
		best = fmin(best, total / (EVENTS - 1));
		lm_design_pose_set_nodes(d.pose, NULL);
		goal to = { .energy = pose_energy, .context = d.pose };
		total = 0;
		for (int e = 0; e < EVENTS; ++e)
		{
			target_of(&d, e + 1, target);
			lm_design_pose_move_handle(d.pose, 1, target, NULL);
			memcpy(d.pose->anchor, d.pose->y, 3 * (size_t)nodes * sizeof(double));
			double seconds = lbfgs_until(&to, energies[e], 3 * nodes, d.pose->y);
			total += e > 0 ? seconds : 0;
		}
		reference = fmin(reference, total / (EVENTS - 1));
	}
	row->value = 1000 * best, row->unit = "ms per drag step";
	row->paper = nodes == 20 ? 4.6 : nodes == 50 ? 9.5 : nodes == 100 ? 15.2 : 31.6;
	if (isfinite(reference))
		row->reference_name = "libLBFGS, warm, to the same energy within 1 %", row->reference = 1000 * reference;
	snprintf(row->size, sizeof row->size, "%d nodes, a step per event", nodes);
	lm_design_pose_destroy(d.pose);
	lm_design_model_destroy(d.model);
	lm_mesh_destroy(mesh);
	return true;
}

// ---- surfaces ---------------------------------------------------------------------------------------------------

// A closed knotted tube with bumps, of about `count` vertices.
static lm_mesh* make_tube(int32_t count)
{
	int32_t around = (int32_t)sqrt(count / 12.0), along = count / around;
	lm_host host = lm_host_default();
	lm_mesh* mesh = lm_mesh_create(&host, around * along, 2 * around * along, 0);
	for (int32_t v = 0; mesh != NULL && v < around * along; ++v)
	{
		double u = 2 * 3.14159265358979323846 * (v / around) / along,
			   a = 2 * 3.14159265358979323846 * (v % around) / around;
		double r = 0.11 + 0.01 * sin(9 * u) * cos(3 * a), R = 0.35 + 0.1 * cos(2 * u);
		double* x = mesh->positions + 3 * (size_t)v;
		x[0] = (R + r * cos(a)) * cos(u), x[1] = 0.12 * sin(2 * u) + r * sin(a), x[2] = (R + r * cos(a)) * sin(u);
		int32_t s = v / around, t = v % around, s1 = (s + 1) % along, t1 = (t + 1) % around;
		int32_t quad[4] = { s * around + t, s * around + t1, s1 * around + t1, s1 * around + t };
		const int32_t corners[6] = { quad[0], quad[1], quad[2], quad[0], quad[2], quad[3] };
		memcpy(mesh->triangles + 6 * (size_t)v, corners, sizeof corners);
	}
	return mesh;
}

static lm_design_model* tube_model(const lm_mesh* mesh, int32_t nodes, int32_t per_vertex, lm_error* error)
{
	lm_host host = lm_host_default();
	lm_design_model_def def = lm_design_model_def_default();
	lm_design_model* model = NULL;
	def.surface = mesh, def.nodes = nodes, def.nodes_per_vertex = per_vertex;
	lm_design_model_create(&def, &host, &model, error);
	return model;
}

// What a drag of a large figure needs per event: a step of the pose, then all positions and normals.
static bool run_figure(const bench* b, bench_row* row, lm_error* error)
{
	const char* name = b->data;
	char make[1024];
	lm_mesh* mesh = read_asset(name, NULL);
	if (mesh == NULL) // large: made here, not kept in the repository
	{
		snprintf(make, sizeof make,
		         "'%s/limber-gallery-make' --large '" LIMBER_SOURCE "/gallery/assets/large' > /dev/null", LIMBER_BUILD);
		mesh = system(make) == 0 ? read_asset(name, error) : NULL;
	}
	drag d;
	if (mesh == NULL || !start_drag(mesh, 60, &d, error))
		return false;
	float *x = malloc(12 * (size_t)mesh->vertex_count), *n = malloc(12 * (size_t)mesh->vertex_count);
	double best = INFINITY, posing = INFINITY, target[3];
	for (int repeat = 0; x && n && repeat < 3; ++repeat)
	{
		double all = 0, steps = 0;
		lm_design_pose_set_nodes(d.pose, NULL);
		for (int e = 0; e < EVENTS; ++e)
		{
			target_of(&d, e + 1, target);
			double begin = lm_clock_seconds();
			lm_design_pose_move_handle(d.pose, 1, target, NULL);
			lm_design_pose_step(d.pose);
			steps += lm_clock_seconds() - begin;
			lm_design_surface_floats(d.model, lm_design_pose_nodes(d.pose), 1, x, n);
			all += lm_clock_seconds() - begin;
		}
		best = fmin(best, all / EVENTS), posing = fmin(posing, steps / EVENTS);
	}
	row->value = 1000 * best, row->unit = "ms per drag step";
	snprintf(row->size, sizeof row->size, "the dinosaur with %d vertices, 60 nodes: pose, positions and normals",
	         mesh->vertex_count);
	row->part_count = 1;
	row->parts[0].name = "pose", row->parts[0].value = 1000 * posing;
	free(x);
	free(n);
	lm_design_pose_destroy(d.pose);
	lm_design_model_destroy(d.model);
	lm_mesh_destroy(mesh);
	return true;
}

static bool run_surface(const bench* b, bench_row* row, lm_error* error)
{
	enum
	{
		NODES = 50,
		KEPT = 8
	};
	int32_t count = *(const int32_t*)b->data;
	lm_mesh* mesh = make_tube(count);
	lm_design_model* model = mesh != NULL ? tube_model(mesh, NODES, KEPT, error) : NULL;
	if (model == NULL)
		return false;
	double nodes[3 * NODES], best = INFINITY, off = 0;
	lm_design_model_nodes(model, nodes);
	for (int i = 0; i < NODES; ++i)
		nodes[3 * i + 1] += 0.3 * nodes[3 * i] * nodes[3 * i]; // bent
	float *x = malloc(12 * (size_t)mesh->vertex_count), *n = malloc(12 * (size_t)mesh->vertex_count);
	double* exact = malloc(24 * (size_t)mesh->vertex_count);
	for (int repeat = 0; x && n && exact && repeat < 12; ++repeat)
	{
		double begin = lm_clock_seconds();
		lm_design_surface_floats(model, nodes, 1, x, n);
		best = fmin(best, lm_clock_seconds() - begin);
	}
	lm_design_surface(model, nodes, 1, exact, NULL);
	for (int64_t k = 0; k < 3 * (int64_t)mesh->vertex_count; ++k)
		off = fmax(off, fabs(x[k] - exact[k]));
	row->value = 1000 * best, row->unit = "ms for positions and normals";
	row->paper = count == 100000 ? 4.6 : count == 250000 ? 52.2 : 94.8;
	snprintf(row->size, sizeof row->size, "%d vertices, %d nodes, %d per vertex: off by %.2g of the size when bent",
	         mesh->vertex_count, NODES, KEPT, off);
	free(x);
	free(n);
	free(exact);
	lm_design_model_destroy(model);
	lm_mesh_destroy(mesh);
	return true;
}

static bool run_prepare(const bench* b, bench_row* row, lm_error* error)
{
	(void)b;
	lm_mesh* mesh = make_tube(100000);
	double begin = lm_clock_seconds();
	lm_design_model* model = mesh != NULL ? tube_model(mesh, 60, 0, error) : NULL;
	row->value = lm_clock_seconds() - begin, row->unit = "s";
	if (model == NULL)
		return false;
	snprintf(row->size, sizeof row->size, "%d vertices, 60 nodes: making the model", mesh->vertex_count);
	lm_design_model_destroy(model);
	lm_mesh_destroy(mesh);
	return true;
}

// ---- motions of the gallery -------------------------------------------------------------------------------------

static double motion_energy(void* context, const double* x, double* gradient)
{
	return lm_design_motion_energy(context, x, gradient);
}

#ifdef LIMBER_LBFGS
// What a search came to and when, from iteration to iteration.
typedef struct mark
{
	double seconds, energy, weight;
	int64_t n;
} mark;

typedef struct trace
{
	const lm_design_descent_problem* problem; // at the moment
	size_t count, room;
	mark* marks;
	double seconds, energy; // in all
} trace;

static void add_mark(trace* t, double energy)
{
	const lm_design_motion* motion = t->problem->context;
	mark* more = t->count < t->room ? t->marks : realloc(t->marks, (2 * t->room + 64) * sizeof *t->marks);
	if (more == NULL)
		return;
	if (t->count == t->room)
		t->marks = more, t->room = 2 * t->room + 64;
	t->marks[t->count++] = (mark){ lm_clock_seconds(), energy, motion->obstacles, t->problem->n };
}

// Seconds less those that were spent after the last problem had come down to an energy.
static double seconds_to(const trace* t, double energy)
{
	size_t end = t->count, first = end;
	while (first > 0 && t->marks[first - 1].n == t->marks[end - 1].n &&
	       t->marks[first - 1].weight == t->marks[end - 1].weight)
		--first;
	while (first < end && t->marks[first].energy > energy)
		++first;
	return first < end ? t->seconds - (t->marks[end - 1].seconds - t->marks[first].seconds) : t->seconds;
}

static double traced_energy(void* context, const double* x, double* gradient)
{
	const trace* t = context;
	return t->problem->energy(t->problem->context, x, gradient);
}

static bool traced_refresh(void* context, const double* x)
{
	const trace* t = context;
	return t->problem->refresh(t->problem->context, x);
}

static void traced_apply(void* context, const double* gradient, double* d)
{
	const trace* t = context;
	t->problem->apply(t->problem->context, gradient, d);
}

static bool traced_go_on(void* context, double energy)
{
	add_mark(context, energy);
	return true;
}

static lm_design_descent_report by_ours(void* context, const lm_design_descent_problem* problem,
                                        const lm_design_descent_settings* settings, double* x, double* work)
{
	trace* t = context;
	lm_design_descent_problem traced = { t, problem->n, traced_energy, traced_refresh, traced_apply, traced_go_on };
	t->problem = problem;
	add_mark(t, INFINITY);
	lm_design_descent_report r = lm_design_descent_solve(&traced, settings, x, work);
	add_mark(t, r.energy);
	return r;
}

static int traced_progress(void* data, const lbfgsfloatval_t* x, const lbfgsfloatval_t* g, const lbfgsfloatval_t value,
                           const lbfgsfloatval_t xnorm, const lbfgsfloatval_t gnorm, const lbfgsfloatval_t step, int n,
                           int k, int ls)
{
	(void)x, (void)g, (void)xnorm, (void)gnorm, (void)step, (void)n, (void)k, (void)ls;
	const goal* to = data;
	add_mark(to->context, value);
	return 0;
}

// libLBFGS in place of our minimiser. It may take five times as many iterations before rotations are fitted anew, for
// it begins from nothing each time; and ends, as ours, when little is gained any more.
static lm_design_descent_report by_lbfgs(void* context, const lm_design_descent_problem* problem,
                                         const lm_design_descent_settings* settings, double* x, double* work)
{
	trace* t = context;
	(void)work;
	t->problem = problem;
	add_mark(t, INFINITY);
	lm_design_descent_report r = { 0 };
	goal to = { .energy = traced_energy, .context = t };
	lbfgs_parameter_t parameters;
	lbfgs_parameter_init(&parameters);
	parameters.max_iterations = 5 * settings->most_iterations;
	parameters.epsilon = 1e-12, parameters.past = 3, parameters.delta = settings->tolerance;
	int end = lbfgs((int)problem->n, x, &r.energy, evaluate, traced_progress, &to, &parameters);
	lm_design_motion_scatter(problem->context, x);
	r.converged = end != LBFGSERR_MAXIMUMITERATION;
	r.iterations = r.converged ? 0 : settings->most_iterations;
	add_mark(t, r.energy);
	return r;
}

typedef struct rival
{
	const lm_host* host;
	trace ours, other;
} rival;

static lm_status solve_with(const lm_design_motion_object* objects, int32_t count, const lm_colliders* colliders,
                            const lm_design_motion_settings* settings, bool other, rival* r, lm_error* error)
{
	lm_design_motion* motion = NULL;
	trace* t = other ? &r->other : &r->ours;
	lm_status status = lm_design_motion_create(objects, count, colliders, 0, settings, r->host, &motion, error);
	if (status != LM_OK)
		return status;
	motion->minimise = other ? by_lbfgs : by_ours;
	motion->minimiser = t;
	t->count = 0;
	status = lm_design_motion_solve(motion, error);
	t->seconds = motion->report.seconds, t->energy = motion->report.energy;
	lm_design_motion_destroy(motion);
	return status;
}

// The whole search, frames and all, with either minimiser; with libLBFGS to finer tolerances until it comes to our
// energy within 1 %, or a hundredth of ours has not been enough.
static lm_status let_both_solve(void* context, const lm_design_motion_settings* settings,
                                const lm_design_performance_object* made, int32_t count, const lm_colliders* colliders,
                                lm_error* error)
{
	rival* r = context;
	lm_design_motion_object* objects = calloc((size_t)count, sizeof *objects);
	lm_design_motion_settings own = *settings;
	for (int32_t i = 0; objects != NULL && i < count; ++i)
		objects[i] = made[i].motion;
	lm_status status =
		objects != NULL ? solve_with(objects, count, colliders, settings, false, r, error) : LM_NO_MEMORY;
	for (int attempt = 0; status == LM_OK && attempt < (count > 10 ? 1 : 3); ++attempt)
	{
		status = solve_with(objects, count, colliders, &own, true, r, error);
		own.tolerance *= 0.1;
		if (r->other.energy <= 1.01 * r->ours.energy)
			break;
	}
	free(objects);
	return status;
}

// Both are timed until their energies are within 1 % of the lower one, the check of the result included.
static void ask_rival(const lm_scene* scene, const lm_host* host, int repeats, bench_row* row, lm_error* error)
{
	lm_world* world = NULL;
	if (lm_world_create(scene, host, &world, error) != LM_OK)
		return;
	lm_object** objects = calloc((size_t)world->object_count, sizeof *objects);
	double ours = INFINITY, other = INFINITY, ratio = 0;
	for (int32_t i = 0; objects != NULL && i < world->object_count; ++i)
		objects[i] = world->objects[i].object;
	rival r = { .host = host };
	for (int repeat = 0; objects != NULL && repeat < repeats; ++repeat)
	{
		if (lm_design_objects_visit(objects, world->object_count, world->colliders, let_both_solve, &r, error) != LM_OK)
			break;
		double enough = 1.01 * fmin(r.ours.energy, r.other.energy);
		row->value = fmin(row->value, r.ours.seconds);
		ours = fmin(ours, seconds_to(&r.ours, enough)), other = fmin(other, seconds_to(&r.other, enough));
		ratio = r.other.energy / r.ours.energy;
	}
	size_t used = strlen(row->size);
	if (isfinite(other))
	{
		row->compared = ours, row->reference = other;
		row->reference_name = "the same search with libLBFGS as its minimiser, both to the same energy within 1 %";
		snprintf(row->size + used, sizeof row->size - used,
		         "; to within 1 %%: %.3g s; libLBFGS ends with %.3g times our energy", ours, ratio);
	}
	free(r.ours.marks);
	free(r.other.marks);
	free(objects);
	lm_world_destroy(world);
}
#endif

typedef struct scene_case
{
	const char* name;
	double paper;
	int threads;
	int repeats;  // of the whole scene
	int contests; // with libLBFGS
} scene_case;

static bool run_scene(const bench* b, bench_row* row, lm_error* error)
{
	const scene_case* what = b->data;
	char path[1024];
	lm_host host = lm_host_default();
	host.threads = what->threads;
	snprintf(path, sizeof path, LIMBER_SOURCE "/gallery/design/%s.json", what->name);
	lm_scene* scene = NULL;
	if (lm_scene_read(path, &host, &scene, NULL) != LM_OK)
		return false;
	double best = INFINITY, depth = 0, variables = 0, frames = 0;
	for (int repeat = 0; repeat < what->repeats; ++repeat)
	{
		lm_world* world = NULL;
		if (lm_world_create(scene, &host, &world, error) != LM_OK || lm_world_prepare(world, error) != LM_OK)
			return false;
		char* text = lm_world_statistics(world, 0);
		json_t *statistics = json_loads(text, 0, NULL), *object;
		size_t i;
		variables = frames = depth = 0;
		json_array_foreach(json_object_get(statistics, "objects"), i, object)
		{
			best = fmin(best, json_number_value(json_object_get(object, "solve_seconds")));
			variables += json_number_value(json_object_get(object, "variables"));
			frames += json_number_value(json_object_get(object, "frames_inserted"));
			depth = fmax(depth, json_number_value(json_object_get(object, "obstacle_depth")));
			depth = fmax(depth, json_number_value(json_object_get(object, "pair_depth")));
		}
		json_decref(statistics);
		lm_text_free(&host, text);
		lm_world_destroy(world);
	}
	row->value = best, row->unit = "s", row->paper = what->paper;
	snprintf(row->size, sizeof row->size, "%.0f variables, %.0f frames inserted, depth %.2g of the size", variables,
	         frames, depth);
#ifdef LIMBER_LBFGS
	if (what->contests > 0)
		ask_rival(scene, &host, what->contests, row, error);
#endif
	lm_scene_destroy(scene);
	return true;
}

// ---- a slalom with evenly spread frames, against libLBFGS --------------------------------------------------------

static bool start_slalom(const lm_design_model* model, const lm_colliders* posts, int32_t frames,
                         lm_design_motion** motion, lm_error* error)
{
	lm_host host = lm_host_default();
	double from[3 * 64], to[3 * 64];
	lm_design_model_nodes(model, from);
	memcpy(to, from, sizeof to);
	for (int32_t i = 0; i < model->node_count; ++i)
		from[3 * i + 2] -= 2.1, to[3 * i + 2] += 2.5;
	const lm_design_motion_key keys[2] = { { .positions = from }, { .time = 1, .positions = to } };
	lm_design_motion_object object = { .model = model, .keys = keys, .key_count = 2, .frames = frames };
	lm_design_motion_settings settings = lm_design_motion_settings_default();
	if (lm_design_motion_create(&object, 1, posts, 0, &settings, &host, motion, error) != LM_OK)
		return false;
	for (int32_t k = 1; k + 1 < frames; ++k)
		if (!lm_design_motion_insert(&(*motion)->bodies[0], (double)k / (frames - 1)))
			return false;
	return lm_design_motion_prepare_round(*motion, error) == LM_OK &&
	       lm_design_motion_find_paths(*motion, error) == LM_OK &&
	       lm_design_motion_prepare_round(*motion, error) == LM_OK;
}

static bool run_slalom(const bench* b, bench_row* row, lm_error* error)
{
	int32_t frames = *(const int32_t*)b->data;
	lm_mesh* mesh = read_asset("figure.ply", error);
	lm_design_model* model = mesh != NULL ? tube_model(mesh, 46, 0, error) : NULL;
	if (model == NULL)
		return false;
	lm_host host = lm_host_default();
	lm_collider_def defs[3];
	lm_placement_key keys[3] = { { 0, { 0.12, 0.6, -1 }, { 1, 0, 0, 0 } },
		                         { 0, { -0.15, 0.6, 0.2 }, { 1, 0, 0, 0 } },
		                         { 0, { 0.12, 0.6, 1.4 }, { 1, 0, 0, 0 } } };
	for (int k = 0; k < 3; ++k)
	{
		defs[k] = lm_collider_def_default();
		defs[k].shape = LM_SHAPE_CAPSULE, defs[k].radius = 0.16, defs[k].half_length = 0.7;
		defs[k].key_count = 1, defs[k].keys = &keys[k];
	}
	lm_colliders* posts;
	lm_design_motion* motion = NULL;
	if (lm_colliders_create(defs, 3, &host, &posts, error) != LM_OK ||
	    !start_slalom(model, posts, frames, &motion, error))
		return false;
	size_t bytes = (size_t)motion->n * sizeof(double);
	double *start = malloc(bytes), best = INFINITY, reference = INFINITY, energy = 0, other = 0;
	memcpy(start, motion->x, bytes);
	lm_design_descent_problem problem = { .context = motion,
		                                  .n = motion->n,
		                                  .energy = lm_design_motion_energy,
		                                  .refresh = lm_design_motion_refresh,
		                                  .apply = lm_design_motion_apply };
	lm_design_descent_settings settings = { .most_iterations = 200, .refresh = 12, .tolerance = 1e-3, .floor = 0.01 };
	for (int repeat = 0; repeat < 2; ++repeat)
	{
		memcpy(motion->x, start, bytes);
		double begin = lm_clock_seconds();
		energy = lm_design_descent_solve(&problem, &settings, motion->x, motion->work).energy;
		best = fmin(best, lm_clock_seconds() - begin);
		goal to = { .energy = motion_energy, .context = motion };
		memcpy(motion->x, start, bytes);
		reference = fmin(reference, lbfgs_until(&to, energy, (int)motion->n, motion->x));
		other = lm_design_motion_energy(motion, motion->x, motion->work);
	}
	row->value = best, row->unit = "s";
	if (isfinite(reference))
		row->reference_name = "libLBFGS, to the same energy within 1 % or 5000 iterations", row->reference = reference;
	snprintf(row->size, sizeof row->size, "%d frames, %lld variables; libLBFGS ends with %.3g times our energy", frames,
	         (long long)(3 * (int64_t)model->node_count * frames), other / energy);
	free(start);
	lm_design_motion_destroy(motion);
	lm_colliders_destroy(posts);
	lm_design_model_destroy(model);
	lm_mesh_destroy(mesh);
	return true;
}

static const int32_t drags[] = { 20, 50, 100, 200 }, surfaces[] = { 100000, 250000, 500000 }, slaloms[] = { 17, 65 };
static const scene_case bounce = { "bounce", 7.2, 1, 3, 12 }, dodge = { "dodge", 6.7, 1, 2, 4 };
static const scene_case six = { "six-keys", 8.0, 1, 3, 12 }, landing = { "landing", 2.3, 1, 3, 12 };
static const scene_case dive = { "dive", 6.1, 1, 1, 6 }, hundred = { "hundred", 1116, 1, 1, 1 };
static const scene_case hundred2 = { "hundred", 1116, 2, 1, 0 };

const bench lm_bench_design[] = {
	{ "design/pose-20", run_drag, &drags[0] },
	{ "design/pose-50", run_drag, &drags[1] },
	{ "design/pose-100", run_drag, &drags[2] },
	{ "design/pose-200", run_drag, &drags[3] },
	{ "design/surface-100k", run_surface, &surfaces[0] },
	{ "design/surface-250k", run_surface, &surfaces[1] },
	{ "design/surface-500k", run_surface, &surfaces[2] },
	{ "design/figure-100k", run_figure, "large/dinosaur-100k.ply" },
	{ "design/figure-500k", run_figure, "large/dinosaur-500k.ply" },
	{ "design/prepare-100k", run_prepare, NULL },
	{ "design/bounce", run_scene, &bounce },
	{ "design/dodge", run_scene, &dodge },
	{ "design/six-keys", run_scene, &six },
	{ "design/dive", run_scene, &dive },
	{ "design/landing", run_scene, &landing },
	{ "design/hundred", run_scene, &hundred },
	{ "design/hundred-2t", run_scene, &hundred2 },
	{ "design/slalom-17", run_slalom, &slaloms[0] },
	{ "design/long", run_slalom, &slaloms[1] },
	{ 0 },
};
