// sample.c: where the nodes go and how far they reach (Sec. 4.2), and where energies are integrated.
//
// Nodes by farthest points within the material, the first at an end of it. A node in a voxel that holds a vertex of the
// surface lies on that vertex, so that thin parts have nodes on both sides.
//
// Departures. The paper has one radius for all, which thin limbs dictate. Here every voxel names the nearest nodes that
// it wants to see: at least LM_WANTED, more while they nearly lie in a plane; and the radius of a node is a little
// more than its distance to the farthest voxel that named it. With the radius given, nodes are added until every voxel
// sees its wanted ones within it.
//
// Energies are integrated not at the nodes, which makes the lowest modes up to twice too stiff, but at several times as
// many points, spread over the material by Lloyd's method with distances within it; each stands for its voxels.
#include "base/alloc.h"
#include "base/error.h"
#include "design/march.h"
#include "design/model.h"
#include "math/svd.h"

#include <string.h>

#define LM_WANTED 6       // nodes that a voxel wants to see, at least
#define LM_MOST_WANTED 14 // and at most
#define LM_SLACK 1.1
#define LM_FLATNESS 0.012 // smallest over largest variance of the positions of nodes that are not in a plane

typedef struct sampler
{
	lm_design_model* model;
	lm_design_march march;
	float* best;     // [material] to the nearest node
	int32_t* vertex; // [material] a vertex of the surface in it, or -1
	float* closer;   // [material] how many times closer nodes lie there, or NULL: 1
	size_t capacity; // nodes that there is room for
	size_t fields;   // of distances
	float** field;   // one per node
	int32_t* seed;   // slot of each node
} sampler;

static void find_vertices(sampler* s)
{
	const lm_design_model* m = s->model;
	for (int32_t i = 0; i < m->grid.material; ++i)
		s->vertex[i] = -1;
	for (int32_t v = 0; v < m->surface->vertex_count; ++v)
	{
		int32_t slot = lm_design_grid_slot_at(&m->grid, lm_v3_at(m->surface->positions, v));
		if (slot >= 0 && slot < m->grid.material && s->vertex[slot] < 0)
			s->vertex[slot] = v;
	}
}

static bool add_node(sampler* s, int32_t slot)
{
	lm_design_model* m = s->model;
	const lm_host* host = &m->host;
	size_t needed = (size_t)m->node_count + 1, room = s->capacity, coordinates = 3 * s->capacity, fields = s->fields;
	if (!lm_grow(host, (void**)&s->seed, &room, needed, sizeof *s->seed) ||
	    !lm_grow(host, (void**)&m->nodes, &coordinates, 3 * room, sizeof *m->nodes) ||
	    !lm_grow(host, (void**)&s->field, &fields, room, sizeof *s->field))
		return false;
	s->capacity = room, s->fields = fields;
	float* d = LM_NEW(host, m->grid.count, float);
	if (d == NULL)
		return false;
	lm_vec3 x =
		s->vertex[slot] >= 0 ? lm_v3_at(m->surface->positions, s->vertex[slot]) : lm_design_grid_center(&m->grid, slot);
	lm_design_march_from(&s->march, x, slot, d);
	s->seed[m->node_count] = slot;
	s->field[m->node_count] = d;
	lm_v3_store(m->nodes, m->node_count, x);
	m->node_count += 1;
	for (int32_t i = 0; i < m->grid.material; ++i)
		s->best[i] = d[i] < s->best[i] ? d[i] : s->best[i];
	return true;
}

// Nodes per volume as a distance: its cube root. That of a voxel is the largest of the vertices in it, and spreads to
// the voxels without any from their neighbours, layer by layer.
static bool spread_density(sampler* s, const double* density)
{
	const lm_design_model* m = s->model;
	const lm_design_grid* g = &m->grid;
	s->closer = LM_NEW(&m->host, g->material, float);
	int32_t *queue = LM_NEW(&m->host, g->material, int32_t), count = 0;
	bool room = s->closer != NULL && queue != NULL;
	for (int32_t v = 0; room && v < m->surface->vertex_count; ++v)
	{
		int32_t slot = lm_design_grid_slot_at(g, lm_v3_at(m->surface->positions, v));
		if (slot < 0 || slot >= g->material)
			continue;
		if (s->closer[slot] == 0)
			queue[count++] = slot;
		s->closer[slot] = fmaxf(s->closer[slot], (float)cbrt(density[v]));
	}
	for (int32_t k = 0; room && k < count; ++k)
		for (int side = 0; side < 6; ++side)
		{
			int32_t next = g->near[queue[k]][side];
			if (next < 0 || next >= g->material || s->closer[next] > 0)
				continue;
			s->closer[next] = s->closer[queue[k]];
			queue[count++] = next;
		}
	lm_free(&m->host, queue);
	return room;
}

static int32_t farthest(const sampler* s)
{
	int32_t far = 0;
	float most = -1;
	for (int32_t i = 0; i < s->model->grid.material; ++i)
	{
		float d = s->closer != NULL ? s->closer[i] * s->best[i] : s->best[i];
		if (d > most)
			most = d, far = i;
	}
	return far;
}

// From any voxel the farthest one is an end of the material.
static int32_t first_slot(sampler* s)
{
	for (int32_t i = 0; i < s->model->grid.material; ++i)
		s->best[i] = INFINITY;
	lm_design_march_improve(&s->march, 0, s->best);
	int32_t end = farthest(s);
	for (int32_t i = 0; i < s->model->grid.material; ++i)
		s->best[i] = INFINITY;
	return end;
}

static bool lie_in_a_plane(const lm_design_model* m, const int32_t* nodes, int count)
{
	lm_vec3 mean = { 0, 0, 0 };
	for (int n = 0; n < count; ++n)
		mean = lm_add_scaled(mean, 1.0 / count, lm_v3_at(m->nodes, nodes[n]));
	lm_mat3 spread = { 0 };
	for (int n = 0; n < count; ++n)
	{
		lm_vec3 r = lm_sub(lm_v3_at(m->nodes, nodes[n]), mean);
		lm_add_outer(&spread, 1, r, r);
	}
	lm_eigen e = lm_eigen3(spread);
	return !(e.e.z > LM_FLATNESS * e.e.x);
}

// The nodes nearest to a slot, in order. Returns how many were found.
static int nearest_nodes(const sampler* s, int32_t slot, int most, int32_t* nodes)
{
	int count = 0;
	for (int32_t i = 0; i < s->model->node_count; ++i)
	{
		float d = s->field[i][slot];
		if (count == most && s->field[nodes[most - 1]][slot] <= d)
			continue;
		int at = count < most ? count++ : most - 1;
		for (; at > 0 && s->field[nodes[at - 1]][slot] > d; --at)
			nodes[at] = nodes[at - 1];
		nodes[at] = i;
	}
	return count;
}

// How many of the nearest nodes a slot wants to see.
static int wanted(const sampler* s, const int32_t* nodes, int found, int least)
{
	int count = found < least ? found : least;
	while (count < found && lie_in_a_plane(s->model, nodes, count))
		++count;
	return count;
}

static bool choose_radii(sampler* s)
{
	lm_design_model* m = s->model;
	m->radii = LM_NEW(&m->host, m->node_count, double);
	if (m->radii == NULL)
		return false;
	double smallest = 4 * m->grid.h;
	for (int32_t i = 0; i < m->node_count; ++i)
		m->radii[i] = smallest;
	for (int32_t slot = 0; slot < m->grid.material; ++slot)
	{
		int32_t nodes[LM_MOST_WANTED];
		int count = wanted(s, nodes, nearest_nodes(s, slot, LM_MOST_WANTED, nodes), LM_WANTED);
		for (int n = 0; n < count; ++n)
			m->radii[nodes[n]] = fmax(m->radii[nodes[n]], LM_SLACK * (s->field[nodes[n]][slot] + m->grid.h));
	}
	return true;
}

// The slot that misses its four nodes within the radius by most, or -1.
static int32_t least_covered(const sampler* s, double radius)
{
	int32_t worst = -1;
	double worst_distance = radius;
	for (int32_t slot = 0; slot < s->model->grid.material; ++slot)
	{
		int32_t nodes[LM_MOST_WANTED];
		int found = nearest_nodes(s, slot, LM_MOST_WANTED, nodes), count = wanted(s, nodes, found, 4);
		double d = count >= 4 ? s->field[nodes[count - 1]][slot] : INFINITY;
		if (count == found && lie_in_a_plane(s->model, nodes, count) && s->best[slot] > 2 * s->model->grid.h)
			d = INFINITY;
		if (d > worst_distance && s->best[slot] > 0.5 * s->model->grid.h)
			worst_distance = d, worst = slot;
	}
	return worst;
}

// Whether so many nodes are too few for certain: all slots but those at a node need four, and a node serves no more
// slots than a ball of the radius holds.
static bool are_too_few(const lm_design_grid* grid, int32_t nodes, double radius)
{
	double reach = radius / grid->h + 1;
	return 4 * (grid->material - 8.0 * nodes) > nodes * 4 * LM_PI / 3 * reach * reach * reach;
}

static lm_status refuse(double radius, int32_t most, lm_error* error)
{
	return lm_fail(error, LM_BAD_INPUT, "radius %g asks for more than %d nodes; choose a larger one", radius, most);
}

static lm_status place(sampler* s, int32_t budget, double radius, lm_error* error)
{
	lm_design_model* m = s->model;
	const int32_t most = 1000;
	if (radius > 0 && are_too_few(&m->grid, most, radius)) // told before they are placed, which takes a while
		return refuse(radius * m->size, most, error);
	find_vertices(s);
	if (!add_node(s, first_slot(s)))
		return lm_fail_memory(error);
	while (m->node_count < (radius > 0 ? most : budget) && m->node_count < m->grid.material)
	{
		int32_t slot = farthest(s);
		if (radius > 0 && s->best[slot] < 0.7 * radius)
			slot = least_covered(s, radius);
		if (slot < 0)
			break;
		if (!add_node(s, slot))
			return lm_fail_memory(error);
		if (!lm_progress(&m->host, "placing nodes", radius > 0 ? 0.5 : (double)m->node_count / budget))
			return lm_fail(error, LM_CANCELLED, "cancelled while nodes were placed");
	}
	if (radius > 0 && m->node_count == most)
		return refuse(radius * m->size, most, error);
	return choose_radii(s) ? LM_OK : lm_fail_memory(error);
}

// From one field per node to one row per slot.
static bool keep_distances(sampler* s)
{
	lm_design_model* m = s->model;
	size_t n = (size_t)m->node_count;
	m->distance = LM_NEW(&m->host, (size_t)m->grid.count * n, float);
	if (m->distance == NULL)
		return false;
	for (int32_t from = 0; from < m->grid.count; from += 64)
		for (size_t i = 0; i < n; ++i)
			for (int32_t slot = from; slot < from + 64 && slot < m->grid.count; ++slot)
				m->distance[(size_t)slot * n + i] = s->field[i][slot];
	return true;
}

static lm_status sampler_create(lm_design_model* model, sampler* s, lm_error* error)
{
	*s = (sampler){ .model = model };
	lm_status status = lm_design_march_create(&model->grid, &s->march, error);
	s->best = LM_NEW(&model->host, model->grid.material, float);
	s->vertex = LM_NEW(&model->host, model->grid.material, int32_t);
	if (status == LM_OK && (s->best == NULL || s->vertex == NULL))
		status = lm_fail_memory(error);
	return status;
}

static void sampler_release(sampler* s)
{
	const lm_host* host = &s->model->host;
	lm_design_march_release(&s->march);
	for (int32_t i = 0; s->field != NULL && i < s->model->node_count; ++i)
		lm_free(host, s->field[i]);
	lm_free(host, s->field);
	lm_free(host, s->seed);
	lm_free(host, s->best);
	lm_free(host, s->vertex);
	lm_free(host, s->closer);
}

lm_status lm_design_place_nodes(lm_design_model* model, int32_t budget, double radius, const double* density,
                                lm_error* error)
{
	sampler s;
	lm_status status = sampler_create(model, &s, error);
	if (status == LM_OK && density != NULL && !spread_density(&s, density))
		status = lm_fail_memory(error);
	if (status == LM_OK)
		status = place(&s, budget, radius, error);
	if (status == LM_OK && !keep_distances(&s))
		status = lm_fail_memory(error);
	sampler_release(&s);
	if (status != LM_OK)
		return status;
	model->middle = lm_v3(0, 0, 0);
	for (int32_t i = 0; i < model->node_count; ++i)
		model->middle = lm_add_scaled(model->middle, 1.0 / model->node_count, lm_v3_at(model->nodes, i));
	return LM_OK;
}

// ---- points of integration --------------------------------------------------------------------------------------

typedef struct lloyd
{
	sampler base;
	int32_t count;
	int32_t* seed;   // slot of each point
	int32_t* label;  // [material] the point that a slot belongs to
	lm_vec3* sum;    // of the slots of each point
	int32_t* size;   // how many they are
	double* nearest; // of the slots of a point to its centre
} lloyd;

static void add_up(lloyd* l)
{
	const lm_design_grid* g = &l->base.model->grid;
	memset(l->sum, 0, (size_t)l->count * sizeof *l->sum);
	memset(l->size, 0, (size_t)l->count * sizeof *l->size);
	for (int32_t i = 0; i < g->material; ++i)
	{
		int32_t p = l->label[i];
		l->sum[p] = lm_add(l->sum[p], lm_design_grid_center(g, i));
		l->size[p] += 1;
	}
}

// Each point moves to the voxel of its own that is nearest to their centre.
static void move_to_centers(lloyd* l)
{
	const lm_design_grid* g = &l->base.model->grid;
	for (int32_t p = 0; p < l->count; ++p)
		l->nearest[p] = INFINITY;
	for (int32_t i = 0; i < g->material; ++i)
	{
		int32_t p = l->label[i];
		double d = lm_distance(lm_design_grid_center(g, i), lm_scale(1.0 / l->size[p], l->sum[p]));
		if (d < l->nearest[p])
			l->nearest[p] = d, l->seed[p] = i;
	}
}

static void spread_points(lloyd* l)
{
	sampler* s = &l->base;
	l->seed[0] = first_slot(s);
	for (int32_t p = 0; p < l->count; ++p)
	{
		l->seed[p] = p == 0 ? l->seed[0] : farthest(s);
		lm_design_march_improve(&s->march, l->seed[p], s->best);
	}
	for (int round = 0; round < 6; ++round)
	{
		lm_design_march_divide(&s->march, l->seed, l->count, s->best, l->label);
		add_up(l);
		move_to_centers(l);
	}
	lm_design_march_divide(&s->march, l->seed, l->count, s->best, l->label);
	add_up(l);
}

// From each point to the nearest that is left: neighbours share their nodes, and so stay in the cache.
static void put_in_order(lm_design_model* model)
{
	double *x = model->points, *volumes = model->volumes;
	for (int32_t p = 0; p + 1 < model->point_count; ++p)
	{
		int32_t next = p + 1;
		double least = INFINITY;
		for (int32_t q = p + 1; q < model->point_count; ++q)
		{
			lm_vec3 d = lm_sub(lm_v3_at(x, q), lm_v3_at(x, p));
			if (lm_dot(d, d) < least)
				least = lm_dot(d, d), next = q;
		}
		lm_vec3 moved = lm_v3_at(x, p + 1);
		double volume = volumes[p + 1];
		lm_v3_store(x, p + 1, lm_v3_at(x, next));
		lm_v3_store(x, next, moved);
		volumes[p + 1] = volumes[next], volumes[next] = volume;
	}
}

lm_status lm_design_place_points(lm_design_model* model, int32_t count, lm_error* error)
{
	const lm_host* host = &model->host;
	int32_t material = model->grid.material;
	lloyd l = { .count = count < material ? count : material };
	lm_status status = sampler_create(model, &l.base, error);
	l.seed = LM_NEW(host, l.count, int32_t);
	l.size = LM_NEW(host, l.count, int32_t);
	l.label = LM_NEW(host, material, int32_t);
	l.sum = LM_NEW(host, l.count, lm_vec3);
	l.nearest = LM_NEW(host, l.count, double);
	model->points = LM_NEW(host, 3 * (size_t)l.count, double);
	model->volumes = LM_NEW(host, l.count, double);
	if (status == LM_OK && !(l.seed && l.size && l.label && l.sum && l.nearest && model->points && model->volumes))
		status = lm_fail_memory(error);
	if (status == LM_OK)
	{
		spread_points(&l);
		model->point_count = l.count;
		for (int32_t p = 0; p < l.count; ++p)
		{
			lm_v3_store(model->points, p, lm_design_grid_center(&model->grid, l.seed[p]));
			model->volumes[p] = (double)l.size[p] / material;
		}
		put_in_order(model);
	}
	lm_design_march_release(&l.base.march);
	lm_free(host, l.base.best);
	lm_free(host, l.base.vertex);
	lm_free(host, l.seed);
	lm_free(host, l.size);
	lm_free(host, l.label);
	lm_free(host, l.sum);
	lm_free(host, l.nearest);
	return status;
}
