// What is matched: from functions and clusters to rows; see rows.h and clusters.h.
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "track/body.h"
#include "track/clusters.h"

#include <string.h>

static lm_status check_functions(const lm_track_functions* f, int32_t vertex_count, const char* mesh, lm_error* error)
{
	if (f->count < 0 || (f->count > 0 && (f->starts == NULL || f->vertices == NULL || f->values == NULL)))
		return lm_fail(error, LM_BAD_INPUT,
		               "there are %d regions on the %s, but no lists of their vertices and weights", f->count, mesh);
	for (int32_t i = 0; i < f->count; ++i)
		for (int64_t k = f->starts[i]; k < f->starts[i + 1]; ++k)
			if (f->vertices[k] < 0 || f->vertices[k] >= vertex_count || !isfinite(f->values[k]))
				return lm_fail(
					error, LM_BAD_INPUT,
					"region %d names vertex %d with the weight %g; the %s has %d vertices, and weights are numbers", i,
					f->vertices[k], f->values[k], mesh, vertex_count);
	return LM_OK;
}

static lm_status copy_functions(const lm_track_functions* f, int64_t more_rows, int64_t more_numbers,
                                const lm_host* host, lm_rows* rows, lm_error* error)
{
	int64_t numbers = f->count > 0 ? f->starts[f->count] : 0;
	rows->count = f->count;
	rows->start = LM_NEW(host, f->count + more_rows + 1, int64_t);
	rows->index = LM_NEW(host, numbers + more_numbers, int32_t);
	rows->value = LM_NEW(host, numbers + more_numbers, double);
	if (rows->start == NULL || rows->index == NULL || rows->value == NULL)
	{
		lm_rows_release(rows, host);
		return lm_fail_memory(error);
	}
	if (f->count > 0)
	{
		memcpy(rows->start, f->starts, ((size_t)f->count + 1) * sizeof *rows->start);
		memcpy(rows->index, f->vertices, (size_t)numbers * sizeof *rows->index);
		memcpy(rows->value, f->values, (size_t)numbers * sizeof *rows->value);
	}
	return LM_OK;
}

// ---- clusters ----------------------------------------------------------------------------------------------------

// Vertices that a function covers leave their cluster; clusters with less than three vertices left are dropped.
static int32_t leave_covered(const lm_rows* functions, int32_t vertex_count, int32_t count, int32_t* region,
                             int32_t* sizes)
{
	for (int64_t k = 0; functions->count > 0 && k < functions->start[functions->count]; ++k)
		if (functions->value[k] != 0)
			region[functions->index[k]] = -1;
	memset(sizes, 0, (size_t)count * sizeof *sizes);
	for (int32_t v = 0; v < vertex_count; ++v)
		if (region[v] >= 0)
			++sizes[region[v]];
	int32_t kept = 0;
	for (int32_t r = 0; r < count; ++r)
		sizes[r] = sizes[r] >= 3 || functions->count == 0 ? kept++ : -1;
	for (int32_t v = 0; v < vertex_count; ++v)
		region[v] = region[v] >= 0 ? sizes[region[v]] : -1;
	return kept;
}

// Appends one function per cluster; there is room.
static void append_regions(const int32_t* region, int32_t vertex_count, int32_t count, lm_rows* rows)
{
	for (int32_t r = 0; r < count; ++r)
	{
		int64_t at = rows->start[rows->count];
		for (int32_t v = 0; v < vertex_count; ++v)
			if (region[v] == r)
				rows->index[at] = v, rows->value[at++] = 1;
		rows->start[++rows->count] = at;
	}
}

static lm_status add_clusters(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	lm_clusters_settings settings = lm_clusters_settings_default();
	settings.regions = def->regions, settings.compact = def->compact, settings.density = def->density_of_regions;
	const double* still[1] = { cloth->mesh->positions };
	const double* const* frames = def->frame_count > 0 ? def->frames : still;
	int32_t count, *region = LM_NEW(&cloth->host, cloth->n, int32_t), *sizes = NULL;
	if (region == NULL)
		return lm_fail_memory(error);
	lm_status status =
		lm_clusters_find(frames, def->frame_count > 0 ? def->frame_count : 1, cloth->n, cloth->mesh->triangles,
	                     cloth->mesh->triangle_count, &settings, &cloth->host, region, &count, error);
	if (status == LM_OK)
	{
		sizes = LM_NEW(&cloth->host, count, int32_t);
		status = sizes != NULL ? LM_OK : lm_fail_memory(error);
	}
	if (status == LM_OK)
		append_regions(region, cloth->n, leave_covered(&cloth->functions, cloth->n, count, region, sizes),
		               &cloth->functions);
	lm_free(&cloth->host, region), lm_free(&cloth->host, sizes);
	return status;
}

// ---- points instead of averages ------------------------------------------------------------------------------------

// Each row becomes its vertex nearest to where the row's average is.
static void make_pointwise(lm_rows* rows, const double* X)
{
	int64_t at = 0;
	for (int32_t i = 0; i < rows->count; ++i)
	{
		int64_t begin = rows->start[i], end = rows->start[i + 1];
		lm_vec3 middle = lm_v3(0, 0, 0);
		for (int64_t k = begin; k < end; ++k)
			middle = lm_add_scaled(middle, rows->value[k], lm_v3_at(X, rows->index[k]));
		int32_t nearest = rows->index[begin];
		for (int64_t k = begin; k < end; ++k)
			if (lm_distance(lm_v3_at(X, rows->index[k]), middle) < lm_distance(lm_v3_at(X, nearest), middle))
				nearest = rows->index[k];
		rows->start[i] = at; // never behind what is still to be read
		rows->index[at] = nearest, rows->value[at++] = 1;
	}
	rows->start[rows->count] = at;
}

// ---- all together ------------------------------------------------------------------------------------------------

static lm_status average(const lm_track* cloth, const lm_rows* S, const lm_mesh* mesh, bool pointwise, lm_rows* C,
                         lm_error* error)
{
	lm_status status = lm_rows_average(S, mesh->positions, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
	                                   &cloth->host, C, error);
	if (status == LM_OK && pointwise)
		make_pointwise(C, mesh->positions);
	return status;
}

static lm_status check_def(const lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	const lm_mesh* guide = def->guide != NULL ? def->guide : def->mesh;
	bool own_functions = def->guide_functions.count > 0;
	if (def->regions < 0 || def->regions > 100000)
		return lm_fail(error, LM_BAD_INPUT, "there are %d clusters; there must be 0 to 100000", def->regions);
	for (int32_t k = 0; k < def->frame_count; ++k)
	{
		if (def->frames == NULL || def->frames[k] == NULL)
			return lm_fail(error, LM_BAD_INPUT, "frame %d of %d is missing", k, def->frame_count);
		lm_status status = lm_track_check_numbers(def->frames[k], guide->vertex_count, "a frame of the guide", error);
		if (status != LM_OK)
			return status;
	}
	if (own_functions && def->guide_functions.count != def->functions.count)
		return lm_fail(error, LM_BAD_INPUT, "the cloth has %d regions and the guide %d; each needs its counterpart",
		               def->functions.count, def->guide_functions.count);
	if (!own_functions && def->functions.count > 0 && guide->vertex_count != cloth->n)
		return lm_fail(error, LM_BAD_INPUT,
		               "the guide has %d vertices and the cloth %d: give the regions on the guide as well",
		               guide->vertex_count, cloth->n);
	if (def->regions > 0 && guide->vertex_count != cloth->n)
		return lm_fail(error, LM_BAD_INPUT,
		               "clustering needs a guide with the vertices of the cloth (%d); this one has %d", cloth->n,
		               guide->vertex_count);
	lm_status status = check_functions(&def->functions, cloth->n, "cloth", error);
	return status == LM_OK ? check_functions(&def->guide_functions, guide->vertex_count, "guide", error) : status;
}

lm_status lm_track_make_constraints(lm_track* cloth, const lm_track_def* def, lm_error* error)
{
	const lm_mesh* guide = def->guide != NULL ? def->guide : def->mesh;
	cloth->guide_vertex_count = guide->vertex_count;
	lm_status status = check_def(cloth, def, error);
	if (status == LM_OK)
		status = copy_functions(&def->functions, def->regions, def->regions > 0 ? cloth->n : 0, &cloth->host,
		                        &cloth->functions, error);
	if (status == LM_OK && def->regions > 0)
		status = add_clusters(cloth, def, error);
	if (status == LM_OK)
		status = average(cloth, &cloth->functions, cloth->mesh, def->pointwise, &cloth->averages, error);
	if (status == LM_OK)
		status = lm_rows_check_independent(&cloth->averages, cloth->n, &cloth->host, error);
	if (status == LM_OK && def->guide_functions.count > 0)
	{
		lm_rows S = { 0 };
		status = copy_functions(&def->guide_functions, 0, 0, &cloth->host, &S, error);
		if (status == LM_OK)
			status = average(cloth, &S, guide, def->pointwise, &cloth->guide_averages, error);
		lm_rows_release(&S, &cloth->host);
	}
	cloth->constraint_count = cloth->averages.count;
	cloth->shares = LM_NEW(&cloth->host, cloth->constraint_count, double);
	if (status == LM_OK && cloth->shares == NULL)
		status = lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < cloth->constraint_count; ++i)
		cloth->shares[i] = 1;
	return status;
}

// ---- with pins ---------------------------------------------------------------------------------------------------

static lm_status allocate_rows(lm_track* cloth, lm_rows* rows, lm_error* error)
{
	int64_t count = (int64_t)cloth->constraint_count + cloth->held_count;
	int64_t numbers = cloth->averages.start[cloth->constraint_count] + cloth->held_count;
	rows->start = LM_NEW(&cloth->host, count + 1, int64_t);
	rows->index = LM_NEW(&cloth->host, numbers, int32_t);
	rows->value = LM_NEW(&cloth->host, numbers, double);
	rows->count = (int32_t)count;
	if (rows->start != NULL && rows->index != NULL && rows->value != NULL)
		return LM_OK;
	lm_rows_release(rows, &cloth->host);
	return lm_fail_memory(error);
}

static void fill_rows(const lm_track* cloth, lm_rows* rows)
{
	const lm_rows* C = &cloth->averages;
	int64_t numbers = C->start[C->count];
	memcpy(rows->start, C->start, ((size_t)C->count + 1) * sizeof *rows->start);
	memcpy(rows->index, C->index, (size_t)numbers * sizeof *rows->index);
	memcpy(rows->value, C->value, (size_t)numbers * sizeof *rows->value);
	for (int32_t i = 0; i < cloth->held_count; ++i)
	{
		rows->index[numbers] = cloth->held[i].vertex, rows->value[numbers] = 1;
		rows->start[C->count + i + 1] = ++numbers;
	}
}

// Numbers that go with the rows, from `given` (or zeros): those of averages are kept, those of pins start at zero.
static double* row_numbers(const lm_track* cloth, int32_t rows, const double* given)
{
	double* numbers = LM_NEW(&cloth->host, 3 * (int64_t)rows, double);
	if (numbers != NULL && given != NULL)
		memcpy(numbers, given, 3 * (size_t)cloth->constraint_count * sizeof(double));
	return numbers;
}

lm_status lm_track_join_rows(lm_track* cloth, lm_error* error)
{
	if (cloth->rows_current)
		return LM_OK;
	const lm_host* host = &cloth->host;
	lm_rows rows = { 0 };
	lm_track_solver* solver = NULL;
	lm_status status = allocate_rows(cloth, &rows, error);
	if (status != LM_OK)
		return status;
	double** own[] = { &cloth->targets,          &cloth->multipliers,       &cloth->last_targets, &cloth->aims,
		               &cloth->kept_multipliers, &cloth->inner_multipliers, &cloth->start_targets };
	enum
	{
		LISTS = sizeof own / sizeof *own
	};
	double *lists[LISTS], *strengths = LM_NEW(host, rows.count, double);
	bool enough = strengths != NULL;
	for (int i = 0; i < LISTS; ++i)
	{
		lists[i] = row_numbers(cloth, rows.count, *own[i]);
		enough = enough && lists[i] != NULL;
	}
	status = enough ? lm_track_solver_create(cloth->n, cloth->obstacle_vertices, rows.count, host, &solver, error)
	                : lm_fail_memory(error);
	if (status != LM_OK)
	{
		lm_rows_release(&rows, host);
		for (int i = 0; i < LISTS; ++i)
			lm_free(host, lists[i]);
		lm_free(host, strengths);
		return status;
	}
	fill_rows(cloth, &rows);
	lm_rows_release(&cloth->rows, host);
	for (int i = 0; i < LISTS; ++i)
		lm_free(host, *own[i]), *own[i] = lists[i];
	lm_free(host, cloth->strengths);
	lm_track_solver_destroy(cloth->solver);
	cloth->rows = rows, cloth->solver = solver, cloth->strengths = strengths;
	cloth->rows_current = true;
	++cloth->row_version;
	return LM_OK;
}
