// lattice.c: a simulation mesh around any surface: the wanted size or number of vertices, and the mesh of the grid's
// tetrahedra. What is kept is decided in lattice_grid.c.
#include "base/alloc.h"
#include "base/error.h"
#include "mesh/lattice_grid.h"

#include <assert.h>
#include <string.h>

enum
{
	most_vertices = 10000000,
	most_trials = 14,
	scan_widths = 10 // sizes tried on either side when the search along the slope fails
};

static const double close_enough = 0.04; // of the wanted number of vertices, at which the search ends
static const double tolerated = 0.1;     // beyond, sizes around the best are scanned

lm_lattice_settings lm_lattice_settings_default(void)
{
	return (lm_lattice_settings){ .size = 0, .vertices = 500, .inside = 0.5 };
}

// ---- the surface and the settings

lm_status lm_lattice_check_settings(const lm_lattice_settings* settings, lm_error* error)
{
	if (!(settings->size >= 0 && settings->size <= 1e30))
		return lm_fail(error, LM_BAD_INPUT,
		               "the lattice size %g is not a length; give metres above 0, or 0 to choose by "
		               "the number of vertices",
		               settings->size);
	if (settings->size == 0 && (settings->vertices < 8 || settings->vertices > most_vertices))
		return lm_fail(error, LM_BAD_INPUT, "a lattice of %d vertices cannot be made; give 8 to %d", settings->vertices,
		               most_vertices);
	if (!isfinite(settings->inside))
		return lm_fail(error, LM_BAD_INPUT,
		               "the winding number that counts as inside is not a finite number; 0.5 is "
		               "usual");
	return LM_OK;
}

// The box of the triangles, and that there is something to surround.
static lm_status measure_surface(const lm_mesh* mesh, lm_box* box, double* longest, lm_error* error)
{
	if (mesh->triangle_count == 0)
		return lm_fail(error, LM_BAD_INPUT,
		               mesh->tet_count > 0 ? "has tetrahedra already and no triangles: it can be simulated as it is"
		                                   : "the surface has no triangles, so there is nothing to make a lattice "
		                                     "around");
	*box = lm_box_empty();
	for (int64_t k = 0; k < 3 * (int64_t)mesh->triangle_count; ++k)
	{
		if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count)
			return lm_fail(error, LM_BAD_INPUT, "triangle %lld names vertex %d, but the surface has %d vertices",
			               (long long)(k / 3), mesh->triangles[k], mesh->vertex_count);
		lm_vec3 x = lm_v3_at(mesh->positions, mesh->triangles[k]);
		if (!(fabs(x.x) <= 1e30 && fabs(x.y) <= 1e30 && fabs(x.z) <= 1e30))
			return lm_fail(error, LM_BAD_INPUT,
			               "vertex %d of the surface is not finite; coordinates must be numbers up to "
			               "1e30",
			               mesh->triangles[k]);
		*box = lm_box_join(*box, (lm_box){ x, x });
	}
	lm_vec3 side = lm_sub(box->high, box->low);
	*longest = lm_larger(side.x, lm_larger(side.y, side.z));
	if (!(*longest > 1e-100))
		return lm_fail(error, LM_BAD_INPUT, "the surface is a single point; it needs some extent to get a lattice");
	return LM_OK;
}

// Vertices of the lattice must differ in double precision.
static lm_status check_distance(const lm_box* box, double h, lm_error* error)
{
	lm_vec3 far = lm_max3(lm_scale(-1, box->low), box->high);
	double coordinate = lm_larger(far.x, lm_larger(far.y, far.z));
	if (h > 1e-9 * coordinate)
		return LM_OK;
	return lm_fail(error, LM_BAD_INPUT,
	               "a lattice of size %g is too fine %g m from the origin; make it larger, or move the surface closer",
	               h, coordinate);
}

// Two digits, rounded up, for messages.
static double rounded_up(double x)
{
	double unit = pow(10, floor(log10(x)) - 1);
	return ceil(x / unit) * unit;
}

static lm_status too_fine(const lm_lattice_surface* surface, double h, lm_error* error)
{
	lm_vec3 side = lm_sub(surface->box.high, surface->box.low);
	double works = fmax(h, 1e-8 * (side.x + side.y + side.z));   // from where steps are few
	while (2 * lm_lattice_cells(surface, works) > most_vertices) // two vertices per cell at most: certain to work
		works *= 1.05;
	return lm_fail(error, LM_BAD_INPUT, "a lattice of size %g would have more than %d million vertices; use %g or more",
	               h, most_vertices / 1000000, rounded_up(works));
}

// ---- the size for a number of vertices

static double surface_area(const lm_mesh* mesh)
{
	double sum = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* c = mesh->triangles + 3 * (int64_t)t;
		lm_vec3 a = lm_v3_at(mesh->positions, c[0]), b = lm_v3_at(mesh->positions, c[1]);
		sum += 0.5 * lm_length(lm_cross(lm_sub(b, a), lm_sub(lm_v3_at(mesh->positions, c[2]), a)));
	}
	return sum;
}

// Negative when the surface faces inwards. Exact for closed surfaces, a fair guess for others.
static double enclosed_volume(const lm_lattice_surface* surface)
{
	const lm_mesh* mesh = surface->mesh;
	lm_vec3 origin = lm_lerp(surface->box.low, surface->box.high, 0.5);
	double sum = 0;
	for (int32_t t = 0; t < mesh->triangle_count; ++t)
	{
		const int32_t* c = mesh->triangles + 3 * (int64_t)t;
		lm_vec3 a = lm_sub(lm_v3_at(mesh->positions, c[0]), origin),
				b = lm_sub(lm_v3_at(mesh->positions, c[1]), origin);
		sum += lm_dot(a, lm_cross(b, lm_sub(lm_v3_at(mesh->positions, c[2]), origin))) / 6;
	}
	return sum;
}

// First guess. A lattice has 2 / h^3 vertices per volume, and reaches about 0.8 h beyond the surface:
// N(h) = 2 (V + 0.8 A h + 3 L h^2 + 2 h^3) / h^3, solved by bisection.
static double guess_size(const lm_lattice_surface* surface, double longest, double wanted)
{
	double area = surface_area(surface->mesh), volume = fabs(enclosed_volume(surface));
	double low = longest * 1e-6, high = longest * 10;
	for (int i = 0; i < 60; ++i)
	{
		double h = sqrt(low * high);
		double vertices = 2 * (volume / (h * h * h) + 0.8 * area / (h * h) + 3 * longest / h + 2);
		if (vertices > wanted)
			low = h;
		else
			high = h;
	}
	return sqrt(low * high);
}

typedef struct size_search
{
	const lm_lattice_surface* surface;
	const lm_host* host;
	double wanted;
	lm_lattice_fit best;
	double best_miss; // |log(vertices / wanted)|
	int trials;
} size_search;

// vertices: of a lattice of this size, INFINITY when too many to try.
static lm_status try_fit(size_search* search, lm_lattice_fit fit, double* vertices, lm_error* error)
{
	*vertices = INFINITY;
	if (!lm_progress(search->host, "lattice", fmin(0.9, (double)search->trials++ / most_trials)))
		return lm_fail(error, LM_CANCELLED, "cancelled while making the lattice");
	if (!(lm_lattice_cells(search->surface, fit.h) <= LM_LATTICE_MOST_CELLS))
		return LM_OK;
	lm_lattice_grid grid;
	lm_status status = lm_lattice_grid_create(search->surface, fit, search->host, &grid, error);
	if (status != LM_OK)
		return status;
	*vertices = (double)grid.vertices;
	lm_lattice_grid_release(&grid, search->host);
	double miss = fabs(log(*vertices / search->wanted));
	if (miss < search->best_miss && *vertices <= most_vertices) // more cannot be made
	{
		search->best_miss = miss;
		search->best = fit;
	}
	return LM_OK;
}

// log N against log h is nearly a line of slope -2 to -3: steps along it, kept between the sizes known to give too many
// and too few.
static lm_status follow_slope(size_search* search, double h, lm_error* error)
{
	double fine = 0, coarse = INFINITY, last_h = 0, last_n = 0, slope = -2.5;
	while (search->trials < most_trials && search->best_miss > close_enough)
	{
		double n;
		lm_status status = try_fit(search, (lm_lattice_fit){ .h = h }, &n, error);
		if (status != LM_OK)
			return status;
		if (n > search->wanted)
			fine = h;
		else
			coarse = h;
		if (last_h > 0 && isfinite(n) && isfinite(last_n) && n != last_n)
			slope = fmax(-3.5, fmin(-1, log(n / last_n) / log(h / last_h)));
		last_h = h;
		last_n = n;
		double next = isfinite(n) ? h * pow(search->wanted / n, 1 / slope) : 2 * h;
		if (!(next > fine * 1.0001 && next < coarse * 0.9999)) // beyond what is known: halve instead
			next = isfinite(coarse) && fine > 0 ? sqrt(fine * coarse) : fine > 0 ? 1.5 * fine : coarse / 1.5;
		h = next;
	}
	return LM_OK;
}

// Few vertices come in jumps, more so when surface and lattice are symmetric together: look at sizes around the best,
// with the surface moved off the symmetric places.
static lm_status scan_fits(size_search* search, lm_error* error)
{
	static const lm_vec3 shifts[5] = {
		{ 0, 0, 0 }, { 0.5, 0, 0 }, { 0.25, 0.25, 0 }, { 0.25, 0, 0 }, { 0.3, 0.2, 0.1 }
	};
	double middle = search->best.h;
	for (int width = 0; width <= scan_widths; ++width)
		for (int i = 0; i < 10; ++i)
		{
			double n, factor = pow(1.04, i < 5 ? width : -width);
			if (search->best_miss <= tolerated)
				return LM_OK;
			lm_status status = try_fit(search, (lm_lattice_fit){ middle * factor, shifts[i % 5] }, &n, error);
			if (status != LM_OK)
				return status;
		}
	return LM_OK;
}

static lm_status find_fit(const lm_lattice_surface* surface, double longest, int32_t vertices, const lm_host* host,
                          lm_lattice_fit* fit, lm_error* error)
{
	size_search search = { surface, host, vertices, .best_miss = INFINITY };
	lm_status status = follow_slope(&search, guess_size(surface, longest, vertices), error);
	if (status == LM_OK && search.best_miss > tolerated && search.best.h > 0)
		status = scan_fits(&search, error);
	if (status != LM_OK)
		return status;
	if (!(search.best.h > 0))
		return lm_fail(error, LM_BAD_INPUT,
		               "the surface is too thin and wide for a lattice of %d vertices; give a size instead", vertices);
	*fit = search.best;
	return LM_OK;
}

// ---- the mesh

typedef struct cell_key
{
	uint64_t key;
	int64_t cell;
} cell_key;

// The lowest 21 bits, two zeros between each.
static uint64_t spread_bits(uint64_t x)
{
	x &= 0x1fffff;
	x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
	x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
	x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
	x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
	return (x | x << 2) & UINT64_C(0x1249249249249249);
}

// By key, one byte at a time; the result is in `items` (eight passes: back and forth).
static void sort_keys(cell_key* items, cell_key* scratch, int64_t count)
{
	for (int shift = 0; shift < 64; shift += 8)
	{
		int64_t starts[257] = { 0 };
		for (int64_t i = 0; i < count; ++i)
			++starts[(items[i].key >> shift & 255) + 1];
		for (int k = 0; k < 256; ++k)
			starts[k + 1] += starts[k];
		for (int64_t i = 0; i < count; ++i)
			scratch[starts[items[i].key >> shift & 255]++] = items[i];
		cell_key* swap = items;
		items = scratch;
		scratch = swap;
	}
}

static bool has_content(const lm_lattice_grid* grid, int64_t cell)
{
	return grid->tets[cell] != 0 || (grid->flags[cell] & (LM_CELL_CORNER_USED | LM_CELL_CENTRE_USED));
}

// Cells with content along Morton's curve: neighbours in space are mostly neighbours in memory. NULL: out of memory.
static cell_key* ordered_cells(const lm_lattice_grid* grid, const lm_host* host, int64_t* count)
{
	*count = 0;
	for (int64_t cell = 0; cell < grid->cells; ++cell)
		*count += has_content(grid, cell);
	cell_key* keys = LM_NEW(host, *count, cell_key);
	cell_key* scratch = LM_NEW(host, *count, cell_key);
	if (keys != NULL && scratch != NULL)
	{
		int64_t next = 0;
		for (int64_t cell = 0; cell < grid->cells; ++cell)
			if (has_content(grid, cell))
			{
				int32_t place[3];
				lm_lattice_place(grid, cell, place);
				uint64_t key = spread_bits((uint64_t)place[0]) | spread_bits((uint64_t)place[1]) << 1 |
				               spread_bits((uint64_t)place[2]) << 2;
				keys[next++] = (cell_key){ key, cell };
			}
		sort_keys(keys, scratch, *count);
	}
	else
	{
		lm_free(host, keys);
		keys = NULL;
	}
	lm_free(host, scratch);
	return keys;
}

// Positions in order; first_vertex[cell]: number of its corner if used, else of its centre.
static void fill_vertices(const lm_lattice_grid* grid, const cell_key* order, int64_t count, int32_t* first_vertex,
                          lm_mesh* mesh)
{
	int32_t next = 0;
	for (int64_t i = 0; i < count; ++i)
	{
		int32_t place[3];
		int64_t cell = order[i].cell;
		lm_lattice_place(grid, cell, place);
		first_vertex[cell] = next;
		if (grid->flags[cell] & LM_CELL_CORNER_USED)
			lm_v3_store(mesh->positions, next++, lm_lattice_position(grid, place, false));
		if (grid->flags[cell] & LM_CELL_CENTRE_USED)
			lm_v3_store(mesh->positions, next++, lm_lattice_position(grid, place, true));
	}
	assert(next == mesh->vertex_count);
}

static void fill_tets(const lm_lattice_grid* grid, const cell_key* order, int64_t count, const int32_t* first_vertex,
                      lm_mesh* mesh)
{
	int32_t* tet = mesh->tets;
	for (int64_t i = 0; i < count; ++i)
		for (int t = 0; t < 12; ++t)
		{
			int64_t cell = order[i].cell;
			if (!(grid->tets[cell] >> t & 1))
				continue;
			lm_lattice_vertex v[4];
			lm_lattice_tet(grid, cell, t / 4, t % 4, v);
			for (int c = 0; c < 4; ++c)
			{
				bool behind_corner = v[c].centre && (grid->flags[v[c].cell] & LM_CELL_CORNER_USED);
				*tet++ = first_vertex[v[c].cell] + behind_corner;
			}
		}
	assert(tet == mesh->tets + 4 * (int64_t)mesh->tet_count);
}

static lm_mesh* mesh_of_grid(const lm_lattice_grid* grid, const lm_host* host)
{
	int64_t count;
	cell_key* order = ordered_cells(grid, host, &count);
	int32_t* first_vertex = LM_NEW(host, grid->cells, int32_t);
	lm_mesh* mesh = lm_mesh_create(host, (int32_t)grid->vertices, 0, (int32_t)grid->tet_count);
	if (order != NULL && first_vertex != NULL && mesh != NULL)
	{
		fill_vertices(grid, order, count, first_vertex, mesh);
		fill_tets(grid, order, count, first_vertex, mesh);
	}
	else
	{
		lm_mesh_destroy(mesh);
		mesh = NULL;
	}
	lm_free(host, order);
	lm_free(host, first_vertex);
	return mesh;
}

// ---- together

static lm_status create_of_fit(const lm_lattice_surface* surface, lm_lattice_fit fit, const lm_host* host,
                               lm_mesh** result, lm_error* error)
{
	lm_status status = check_distance(&surface->box, fit.h, error);
	if (status != LM_OK)
		return status;
	if (!(lm_lattice_cells(surface, fit.h) <= LM_LATTICE_MOST_CELLS))
		return too_fine(surface, fit.h, error);
	lm_lattice_grid grid;
	status = lm_lattice_grid_create(surface, fit, host, &grid, error);
	if (status != LM_OK)
		return status;
	if (grid.vertices > most_vertices)
		status = too_fine(surface, fit.h, error);
	lm_mesh* mesh = status == LM_OK ? mesh_of_grid(&grid, host) : NULL;
	lm_lattice_grid_release(&grid, host);
	if (status != LM_OK)
		return status;
	if (mesh == NULL)
		return lm_fail_memory(error);
	*result = mesh;
	return LM_OK;
}

lm_status lm_lattice_surface_open(const lm_mesh* mesh, double inside, const lm_host* host, lm_lattice_surface* result,
                                  lm_error* error)
{
	*result = (lm_lattice_surface){ .mesh = mesh, .inside = inside, .orientation = 1 };
	lm_status status = measure_surface(mesh, &result->box, &result->longest, error);
	if (status == LM_OK)
		status = lm_bvh_create(mesh->triangles, mesh->triangle_count, 3, mesh->positions, host, &result->bvh, error);
	if (status == LM_OK)
		status = lm_winding_create(&result->bvh, &result->winding, error);
	if (status != LM_OK)
		return status;
	if (enclosed_volume(result) < 0)
	{
		result->orientation = -1;
		lm_log(host, LM_LOG_WARNING, "the surface faces inwards; the lattice takes it as turned inside out");
	}
	return LM_OK;
}

void lm_lattice_surface_close(lm_lattice_surface* surface)
{
	lm_winding_release(&surface->winding);
	lm_bvh_release(&surface->bvh);
}

lm_status lm_lattice_create(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
                            lm_mesh** result, lm_error* error)
{
	assert(surface != NULL && settings != NULL && host != NULL && result != NULL);
	lm_status status = lm_lattice_check_settings(settings, error);
	if (status != LM_OK)
		return status;
	lm_lattice_surface seen;
	lm_lattice_fit fit = { .h = settings->size };
	status = lm_lattice_surface_open(surface, settings->inside, host, &seen, error);
	if (status == LM_OK && fit.h == 0)
		status = find_fit(&seen, seen.longest, settings->vertices, host, &fit, error);
	if (status == LM_OK)
		status = create_of_fit(&seen, fit, host, result, error);
	lm_lattice_surface_close(&seen);
	return status;
}
