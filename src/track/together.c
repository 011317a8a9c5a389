// together.c: cloths that touch each other, as one system.
//
// Layers of clothing push each other and are pushed back, so that a step has to be one minimisation over all of them:
//
//     E(x) = sum over cloths of (inertia + elasticity + damping) + friction + kappa sum b(D)     subject to   C x = b
//
// Elasticity and constraints are those of each cloth; contact joins them, and continuous collision detection sees all
// at once: the guarantee of one cloth is that of several. Their vertices lie one after another, then those of their
// obstacles, which touch their own cloth only; rows likewise. A cloth's state stays with the cloth: it is gathered
// before a solve and handed back after it, so that saving, loading and directing know nothing of all this.
#include "base/alloc.h"
#include "base/error.h"
#include "mesh/intersect.h"
#include "track/body.h"

#include <string.h>

static size_t bytes_of(int64_t points)
{
	return 3 * (size_t)points * sizeof(double);
}

// ---- creation ----------------------------------------------------------------------------------------------------

static lm_status list_obstacles(lm_track_together* t, lm_error* error)
{
	int32_t count = 0;
	for (int32_t m = 0; m < t->count; ++m)
		count += t->cloths[m]->obstacle_count;
	t->obstacle_starts = LM_NEW(&t->host, (int64_t)count + 1, int32_t);
	if (t->obstacle_starts == NULL)
		return lm_fail_memory(error);
	for (int32_t m = 0; m < t->count; ++m)
		for (int32_t i = 0; i < t->cloths[m]->obstacle_count; ++i)
			t->obstacle_starts[t->obstacle_bodies++] =
				t->first_obstacle[m] + t->cloths[m]->obstacles[i].first_vertex - t->cloths[m]->n;
	t->obstacle_starts[count] = t->first_obstacle[t->count];
	return LM_OK;
}

static lm_status allocate_members(lm_track_together* t, lm_track* const* cloths, lm_error* error)
{
	const lm_host* host = &t->host;
	t->cloths = lm_copy(host, cloths, (size_t)t->count, sizeof *cloths);
	t->first = LM_NEW(host, (int64_t)t->count + 1, int32_t);
	t->first_obstacle = LM_NEW(host, (int64_t)t->count + 1, int32_t);
	t->first_row = LM_NEW(host, (int64_t)t->count + 1, int32_t);
	t->row_versions = LM_NEW(host, t->count, int64_t);
	t->parts = LM_NEW(host, t->count, lm_track_part);
	if (t->cloths == NULL || t->first == NULL || t->first_obstacle == NULL || t->first_row == NULL ||
	    t->row_versions == NULL || t->parts == NULL)
		return lm_fail_memory(error);
	for (int32_t m = 0; m < t->count; ++m)
	{
		t->first[m + 1] = t->first[m] + cloths[m]->n;
		t->first_obstacle[m + 1] = t->first_obstacle[m] + cloths[m]->obstacle_vertices;
	}
	return list_obstacles(t, error);
}

lm_status lm_track_make_alone(lm_track* cloth, lm_error* error)
{
	cloth->alone = LM_NEW(&cloth->host, 1, lm_track_together);
	if (cloth->alone == NULL)
		return lm_fail_memory(error);
	cloth->alone->host = cloth->host, cloth->alone->count = 1;
	return allocate_members(cloth->alone, &cloth, error);
}

static lm_status allocate_points(lm_track_together* t, lm_error* error)
{
	const lm_host* host = &t->host;
	int64_t n = t->first[t->count], obstacles = t->first_obstacle[t->count];
	t->x = LM_NEW(host, 3 * (n + obstacles), double);
	t->y = LM_NEW(host, 3 * n, double);
	t->obstacles = LM_NEW(host, 3 * obstacles, double);
	t->masses = LM_NEW(host, n, double);
	t->frictions = LM_NEW(host, n, double);
	t->tangled = LM_NEW(host, n + obstacles, bool);
	if (t->tangled == NULL || t->x == NULL || t->y == NULL || t->obstacles == NULL || t->masses == NULL ||
	    t->frictions == NULL)
		return lm_fail_memory(error);
	for (int32_t m = 0; m < t->count; ++m)
		memcpy(t->masses + t->first[m], t->cloths[m]->masses, (size_t)t->cloths[m]->n * sizeof(double));
	return LM_OK;
}

// What a clearance is made of.
typedef struct shape
{
	double* rest;
	int32_t *bodies, *triangles;
	bool* apart;
	int64_t triangle_count;
} shape;

// Of a vertex of cloth m and its obstacles.
static int32_t place_of(const lm_track_together* t, int32_t m, int32_t v)
{
	int32_t n = t->cloths[m]->n;
	return v < n ? t->first[m] + v : t->first[t->count] + t->first_obstacle[m] + (v - n);
}

static void fill_shape(const lm_track_together* t, int32_t m, shape* s)
{
	const lm_track* cloth = t->cloths[m];
	int32_t all = cloth->n + cloth->obstacle_vertices;
	for (int32_t v = 0; v < all; ++v)
		s->bodies[place_of(t, m, v)] = v < cloth->n ? m : t->count + m;
	memcpy(s->rest + 3 * (int64_t)t->first[m], cloth->mesh->positions, bytes_of(cloth->n));
	for (int32_t i = 0; i < cloth->obstacle_count; ++i)
	{
		const lm_track_obstacle* obstacle = &cloth->obstacles[i];
		memcpy(s->rest + 3 * (int64_t)place_of(t, m, obstacle->first_vertex), obstacle->mesh->positions,
		       bytes_of(obstacle->mesh->vertex_count));
	}
	for (int64_t k = 0; k < 3 * (int64_t)cloth->triangle_count; ++k)
		s->triangles[3 * s->triangle_count + k] = place_of(t, m, cloth->triangles[k]);
	s->triangle_count += cloth->triangle_count;
}

// Bodies are the cloths, then the obstacles of each.
static void fill_apart(const lm_track_together* t, const bool* apart, bool* result)
{
	int32_t count = t->count;
	for (int32_t i = 0; i < 2 * count; ++i)
		for (int32_t j = 0; j < 2 * count; ++j)
		{
			bool cloths = i < count && j < count;
			bool* pair = &result[2 * (int64_t)count * i + j];
			if (cloths && i == j)
				*pair = !t->cloths[i]->settings.self_contact;
			else if (cloths)
				*pair = apart != NULL && (apart[(int64_t)count * i + j] || apart[(int64_t)count * j + i]);
			else
				*pair = i % count != j % count;
		}
}

static lm_status make_clearance(lm_track_together* t, const bool* apart, lm_error* error)
{
	const lm_host* host = &t->host;
	int64_t all = (int64_t)t->first[t->count] + t->first_obstacle[t->count], triangles = 0;
	for (int32_t m = 0; m < t->count; ++m)
		triangles += t->cloths[m]->triangle_count;
	shape s = { .rest = LM_NEW(host, 3 * all, double),
		        .bodies = LM_NEW(host, all, int32_t),
		        .triangles = LM_NEW(host, 3 * triangles, int32_t),
		        .apart = LM_NEW(host, 4 * (int64_t)t->count * t->count, bool) };
	lm_status status = LM_OK;
	if (s.rest == NULL || s.bodies == NULL || s.triangles == NULL || s.apart == NULL)
		status = lm_fail_memory(error);
	for (int32_t m = 0; status == LM_OK && m < t->count; ++m)
		fill_shape(t, m, &s);
	if (status == LM_OK)
	{
		fill_apart(t, apart, s.apart);
		lm_clearance_shape whole = { .vertex_count = (int32_t)all,
			                         .free = t->first[t->count],
			                         .rest = s.rest,
			                         .rests_apart = true,
			                         .triangle_count = (int32_t)triangles,
			                         .triangles = s.triangles,
			                         .body_count = 2 * t->count,
			                         .bodies = s.bodies,
			                         .apart = s.apart };
		status = lm_clearance_create(&whole, host, &t->clearance, error);
	}
	lm_free(host, s.rest), lm_free(host, s.bodies), lm_free(host, s.triangles), lm_free(host, s.apart);
	return status;
}

static lm_status check_between(const lm_track_together* t, const bool* apart, lm_error* error)
{
	for (int32_t i = 0; i < t->count; ++i)
		for (int32_t j = i + 1; j < t->count; ++j)
		{
			bool touch = apart == NULL || !(apart[(int64_t)t->count * i + j] || apart[(int64_t)t->count * j + i]);
			int64_t found = touch ? lm_track_intersections_between(t->cloths[i], t->cloths[j]) : 0;
			if (found < 0)
				return lm_fail_memory(error);
			if (found > 0)
				return lm_fail(error, LM_BAD_INPUT, "cloths %d and %d cross in %lld pairs of triangles", i, j,
				               (long long)found);
		}
	return LM_OK;
}

static lm_status check_size(lm_track* const* cloths, int32_t count, lm_error* error)
{
	int64_t vertices = 0, triangles = 0;
	for (int32_t m = 0; m < count; ++m)
	{
		vertices += (int64_t)cloths[m]->n + cloths[m]->obstacle_vertices;
		triangles += cloths[m]->triangle_count;
	}
	if (count < 1 || vertices > INT32_MAX / 4 || triangles > INT32_MAX / 4)
		return lm_fail(error, LM_BAD_INPUT, "%d cloths have %lld vertices together, which is %s", count,
		               (long long)vertices, count < 1 ? "too few" : "too many");
	return LM_OK;
}

lm_status lm_track_together_create(lm_track* const* cloths, int32_t count, const bool* apart, const lm_host* host,
                                   lm_track_together** together, lm_error* error)
{
	lm_status status = check_size(cloths, count, error);
	if (status != LM_OK)
		return status;
	lm_track_together* t = LM_NEW(host, 1, lm_track_together);
	if (t == NULL)
		return lm_fail_memory(error);
	t->host = *host, t->count = count;
	status = allocate_members(t, cloths, error);
	if (status == LM_OK)
		status = check_between(t, apart, error);
	if (status == LM_OK && count > 1)
		status = allocate_points(t, error);
	if (status == LM_OK && count > 1)
		status = make_clearance(t, apart, error);
	if (status == LM_OK)
		*together = t;
	else
		lm_track_together_destroy(t);
	return status;
}

static void release_rows(lm_track_together* t)
{
	lm_track_solver_destroy(t->solver), t->solver = NULL;
	lm_rows_release(&t->rows, &t->host);
	double** all[] = { &t->targets, &t->start_targets, &t->strengths, &t->multipliers };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&t->host, *all[i]), *all[i] = NULL;
}

void lm_track_together_destroy(lm_track_together* t)
{
	if (t == NULL)
		return;
	lm_host host = t->host;
	if (t->count > 1)
	{
		release_rows(t);
		lm_clearance_destroy(t->clearance);
		void* own[] = { t->x, t->y, t->obstacles, t->masses, t->frictions, t->tangled };
		for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
			lm_free(&host, own[i]);
	}
	void* all[] = {
		t->cloths, t->first, t->first_obstacle, t->first_row, t->row_versions, t->parts, t->obstacle_starts
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		lm_free(&host, all[i]);
	lm_free(&host, t);
}

int64_t lm_track_intersections_between(const lm_track* one, const lm_track* two)
{
	lm_bvh a = { 0 }, b = { 0 };
	lm_status status = lm_bvh_create(one->triangles, one->mesh->triangle_count, 3, one->x, &one->host, &a, NULL);
	if (status == LM_OK)
		status = lm_bvh_create(two->triangles, two->mesh->triangle_count, 3, two->x, &two->host, &b, NULL);
	int64_t count = status == LM_OK ? lm_meshes_count_intersections(&a, &b, NULL, 0) : -1;
	lm_bvh_release(&a), lm_bvh_release(&b);
	return count;
}

// ---- rows --------------------------------------------------------------------------------------------------------

static void attach_alone(lm_track_together* t)
{
	lm_track* cloth = t->cloths[0];
	t->first_row[1] = cloth->rows.count;
	t->clearance = cloth->clearance, t->solver = cloth->solver, t->rows = cloth->rows;
	t->targets = cloth->targets, t->start_targets = cloth->start_targets;
	t->strengths = cloth->strengths, t->multipliers = cloth->multipliers;
	t->x = cloth->x, t->y = cloth->y, t->obstacles = cloth->obstacle_targets, t->masses = cloth->masses;
}

static bool allocate_rows(lm_track_together* t, int64_t count, int64_t numbers)
{
	const lm_host* host = &t->host;
	t->rows = (lm_rows){ .count = (int32_t)count,
		                 .start = LM_NEW(host, count + 1, int64_t),
		                 .index = LM_NEW(host, numbers, int32_t),
		                 .value = LM_NEW(host, numbers, double) };
	t->targets = LM_NEW(host, 3 * count, double), t->start_targets = LM_NEW(host, 3 * count, double);
	t->strengths = LM_NEW(host, count, double), t->multipliers = LM_NEW(host, 3 * count, double);
	return t->rows.start != NULL && t->rows.index != NULL && t->rows.value != NULL && t->targets != NULL &&
	       t->start_targets != NULL && t->strengths != NULL && t->multipliers != NULL;
}

static lm_status join_rows(lm_track_together* t, lm_error* error)
{
	int64_t count = 0, numbers = 0;
	release_rows(t);
	for (int32_t m = 0; m < t->count; ++m)
	{
		const lm_rows* C = &t->cloths[m]->rows;
		count += C->count, numbers += C->start[C->count];
	}
	if (!allocate_rows(t, count, numbers))
		return lm_fail_memory(error);
	int64_t row = 0, at = 0;
	for (int32_t m = 0; m < t->count; ++m)
	{
		const lm_rows* C = &t->cloths[m]->rows;
		for (int32_t i = 0; i < C->count; ++i)
			t->rows.start[++row] = at + C->start[i + 1];
		for (int64_t k = 0; k < C->start[C->count]; ++k, ++at)
			t->rows.index[at] = t->first[m] + C->index[k], t->rows.value[at] = C->value[k];
		t->first_row[m + 1] = (int32_t)row;
		t->row_versions[m] = t->cloths[m]->row_version;
	}
	return lm_track_solver_create(t->first[t->count], t->first_obstacle[t->count], (int32_t)count, &t->host, &t->solver,
	                              error);
}

lm_status lm_track_together_attach(lm_track_together* t, lm_error* error)
{
	if (t->count == 1)
	{
		attach_alone(t);
		return LM_OK;
	}
	bool current = t->solver != NULL;
	for (int32_t m = 0; m < t->count; ++m)
		current = current && t->row_versions[m] == t->cloths[m]->row_version;
	lm_status status = current ? LM_OK : join_rows(t, error);
	if (status != LM_OK)
		release_rows(t);
	return status;
}

// ---- to and fro --------------------------------------------------------------------------------------------------

void lm_track_together_gather(lm_track_together* t)
{
	for (int32_t m = 0; m < t->count && t->count > 1; ++m)
	{
		const lm_track* cloth = t->cloths[m];
		int64_t first = t->first[m], obstacle = t->first_obstacle[m], row = t->first_row[m], n = cloth->n;
		memcpy(t->x + 3 * first, cloth->x, bytes_of(n)), memcpy(t->y + 3 * first, cloth->y, bytes_of(n));
		memcpy(t->x + 3 * (t->first[t->count] + obstacle), cloth->x + 3 * n, bytes_of(cloth->obstacle_vertices));
		memcpy(t->obstacles + 3 * obstacle, cloth->obstacle_targets, bytes_of(cloth->obstacle_vertices));
		memcpy(t->targets + 3 * row, cloth->targets, bytes_of(cloth->rows.count));
		memcpy(t->start_targets + 3 * row, cloth->start_targets, bytes_of(cloth->rows.count));
		memcpy(t->multipliers + 3 * row, cloth->multipliers, bytes_of(cloth->rows.count));
		memcpy(t->strengths + row, cloth->strengths, (size_t)cloth->rows.count * sizeof(double));
	}
}

void lm_track_together_let_through(lm_track_together* t)
{
	bool any = false;
	for (int32_t m = 0; m < t->count && t->count > 1; ++m)
	{
		const lm_track* cloth = t->cloths[m];
		for (int32_t v = 0; v < cloth->n + cloth->obstacle_vertices; ++v)
			t->tangled[place_of(t, m, v)] = cloth->tangle != NULL && cloth->tangle->marked[v];
		any = any || cloth->tangle != NULL;
	}
	if (any || t->lets_through) // else nothing has changed, and what was found serves on
		lm_clearance_let_through(t->clearance, any ? t->tangled : NULL);
	t->lets_through = any;
}

void lm_track_together_scatter(const lm_track_together* t)
{
	for (int32_t m = 0; m < t->count && t->count > 1; ++m)
	{
		lm_track* cloth = t->cloths[m];
		int64_t n = cloth->n;
		memcpy(cloth->x, t->x + 3 * (int64_t)t->first[m], bytes_of(n));
		memcpy(cloth->x + 3 * n, t->x + 3 * ((int64_t)t->first[t->count] + t->first_obstacle[m]),
		       bytes_of(cloth->obstacle_vertices));
		memcpy(cloth->multipliers, t->multipliers + 3 * (int64_t)t->first_row[m], bytes_of(cloth->rows.count));
	}
}
