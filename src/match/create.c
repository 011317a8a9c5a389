// create.c: from a definition to a body.
#include "base/error.h"
#include "base/machine.h"
#include "match/body.h"
#include "match/settings.h"

#include <math.h>
#include <string.h>

lm_match_def lm_match_def_default(void)
{
	lm_match_def def = { .locality = LM_MATCH_GLOBAL, .descriptor = LM_MATCH_POSE, .ring = 1, .density = 1000 };
	lm_table_defaults(&lm_match_settings_table, &def.settings);
	return def;
}

void lm_match_destroy(lm_match* body)
{
	if (body == NULL)
		return;
	if (body->next_rotation != body->rotation)
		lm_free(&body->host, body->next_rotation);
	void* const owned[] = { body->to_user,     body->to_inner,     body->starts,
		                    body->members,     body->mass,         body->rest_moment,
		                    body->particles,   body->shape,        body->x,
		                    body->v,           body->inverse_mass, body->rotation,
		                    body->handles,     body->handle_of,    body->region_group,
		                    body->examples,    body->at_rest,      body->region_gram,
		                    body->gram,        body->weights,      body->region_weights,
		                    body->dots,        body->group_dots,   body->weight_range,
		                    body->blend,       body->blend_last,

		                    body->runs,        body->run_starts,   body->fields,
		                    body->map_tiles,   body->waves,

		                    body->rest_centre, body->centres,      body->volume,
		                    body->turns,       body->maps,         body->dot_sums,
		                    body->motion,      body->lowest,       body->recovered,
		                    body->user_floats };
	lm_match_release_contact(body);
	lm_match_release_surface(body);
	lm_match_release_poses(body);
	lm_match_release_paper(body);
	lm_host host = body->host;
	for (size_t k = 0; k < sizeof owned / sizeof owned[0]; ++k)
		lm_free(&host, owned[k]);
	lm_free(&host, body);
}

// One line per array: its type is that of the pointer.
#define TAKE(pointer, items) (((pointer) = lm_alloc(host, (size_t)(items), sizeof *(pointer))) != NULL)

static bool allocate_particles(lm_match* body, size_t padded)
{
	const lm_host* host = &body->host;
	return TAKE(body->to_user, padded) && TAKE(body->to_inner, padded) && TAKE(body->starts, padded + 1) &&
	       TAKE(body->mass, padded) && TAKE(body->rest_moment, 4 * padded) &&
	       TAKE(body->particles, LM_PARTICLE_ROW * (padded + 1)) && TAKE(body->shape, LM_SHAPE_FIELDS * padded) &&
	       TAKE(body->rest_centre, 3 * padded) && TAKE(body->x, 3 * padded) && TAKE(body->v, 3 * padded) &&
	       TAKE(body->inverse_mass, padded) && TAKE(body->rotation, 4 * padded) &&
	       TAKE(body->turns, 3 * padded * (1 + (size_t)body->example_count)) && TAKE(body->handles, body->count) &&
	       TAKE(body->handle_of, body->count) && TAKE(body->centres, 3 * padded) && TAKE(body->volume, padded) &&
	       TAKE(body->motion, LM_MOTION * (size_t)body->chunks) && TAKE(body->lowest, body->chunks) &&
	       TAKE(body->recovered, body->chunks) && TAKE(body->fields, (size_t)body->chunks * LM_TILE) &&
	       TAKE(body->user_floats, 4 * padded);
}

static bool allocate_examples(lm_match* body, size_t padded)
{
	const lm_host* host = &body->host;
	size_t n = (size_t)body->example_count, rows = (size_t)body->rows;
	bool each = body->locality == LM_MATCH_EACH, whole = body->locality == LM_MATCH_GLOBAL;
	if (n == 0)
		return true;
	return TAKE(body->dot_sums, (size_t)body->chunks * n) && TAKE(body->at_rest, padded * n) &&
	       (whole ||
	        (TAKE(body->dots, padded * n) && TAKE(body->blend, padded * n) && TAKE(body->blend_last, padded * n))) &&
	       (each ? TAKE(body->region_weights, padded * n) && TAKE(body->region_gram, padded * (n * (n + 1) / 2)) &&
	                   TAKE(body->weight_range, 3 * (size_t)body->chunks)
	             : TAKE(body->gram, rows * n * n) && TAKE(body->weights, rows * n) && TAKE(body->group_dots, rows * n));
}

static lm_status allocate(lm_match* body, const lm_match_def* def, lm_error* error)
{
	body->count = def->mesh->vertex_count;
	body->blocks = (body->count + LM_LANES - 1) / LM_LANES;
	body->chunks = (body->count + LM_CHUNK - 1) / LM_CHUNK;
	body->threads = body->count >= 8 * LM_CHUNK ? body->host.threads : 1;
	body->example_count = def->example_count;
	body->locality = def->locality;
	body->descriptor = def->descriptor;
	body->rows = def->locality == LM_MATCH_GLOBAL   ? 1
	             : def->locality == LM_MATCH_GROUPS ? def->group_count
	                                                : body->count;
	size_t padded = (size_t)body->blocks * LM_LANES;
	if (!allocate_particles(body, padded) || !allocate_examples(body, padded))
		return lm_fail_memory(error);
	if (def->locality == LM_MATCH_GROUPS)
	{
		body->region_group = LM_NEW(&body->host, body->count, int32_t);
		if (body->region_group == NULL)
			return lm_fail_memory(error);
	}
	return LM_OK;
}

// The sets of the definition as lists; nothing is copied but the members.
static bool list_sets(const lm_match_def* def, const lm_host* host, lm_adjacency* sets)
{
	int64_t total = 0;
	for (int32_t s = 0; s < def->set_count; ++s)
		total += def->sets[s].count;
	*sets = (lm_adjacency){ def->set_count, LM_NEW(host, (size_t)def->set_count + 1, int64_t),
		                    LM_NEW(host, total, int32_t) };
	if (sets->starts == NULL || sets->items == NULL)
		return false;
	for (int32_t s = 0; s < def->set_count; ++s)
	{
		const lm_match_set* set = &def->sets[s];
		for (int32_t k = 0; k < set->count; ++k)
			sets->items[sets->starts[s] + k] = set->vertices[k];
		sets->starts[s + 1] = sets->starts[s] + set->count;
	}
	return true;
}

static lm_status find_regions(const lm_match_def* def, const lm_host* host, lm_adjacency* rings, lm_error* error)
{
	lm_status status = lm_topology_rings(def->mesh, def->ring, host, rings, error);
	if (status != LM_OK || def->set_count == 0)
		return status;
	lm_adjacency sets, joined = { 0 };
	status = list_sets(def, host, &sets) ? lm_topology_join(rings, &sets, host, &joined, error) : lm_fail_memory(error);
	lm_adjacency_release(&sets, host);
	lm_adjacency_release(rings, host);
	*rings = joined;
	return status;
}

// Order and regions.
static lm_status connect(lm_match* body, const lm_match_def* def, lm_error* error)
{
	const lm_host* host = &body->host;
	lm_adjacency rings = { 0 };
	lm_status status = find_regions(def, host, &rings, error);
	if (status == LM_OK)
		status = lm_match_choose_order(body, def->mesh->positions, &rings, error);
	if (status == LM_OK)
		status = lm_match_list_members(body, &rings, error);
	if (status == LM_OK)
		status = lm_match_build_runs(body, &rings, error);
	lm_adjacency_release(&rings, host);
	return status;
}

// Mass of the elements, shared among their corners. Caller's order.
static void add_element_masses(const lm_match_def* def, double* masses)
{
	const lm_mesh* mesh = def->mesh;
	for (int64_t e = 0; e < mesh->tet_count; ++e)
	{
		const int32_t* t = mesh->tets + 4 * e;
		lm_vec3 a = lm_v3_at(mesh->positions, t[0]), b = lm_sub(lm_v3_at(mesh->positions, t[1]), a);
		lm_vec3 c = lm_sub(lm_v3_at(mesh->positions, t[2]), a), d = lm_sub(lm_v3_at(mesh->positions, t[3]), a);
		for (int k = 0; k < 4; ++k)
			masses[t[k]] += def->density * fabs(lm_dot(lm_cross(b, c), d)) / 24;
	}
	for (int64_t e = 0; mesh->tet_count == 0 && e < mesh->triangle_count; ++e)
	{
		const int32_t* t = mesh->triangles + 3 * e;
		lm_vec3 a = lm_v3_at(mesh->positions, t[0]), b = lm_sub(lm_v3_at(mesh->positions, t[1]), a);
		lm_vec3 c = lm_sub(lm_v3_at(mesh->positions, t[2]), a), normal = lm_cross(b, c);
		for (int k = 0; k < 3; ++k)
			masses[t[k]] += def->density * sqrt(lm_dot(normal, normal)) / 6;
	}
}

static lm_status weigh(lm_match* body, const lm_match_def* def, lm_error* error)
{
	double* masses = LM_NEW(&body->host, body->count, double);
	if (masses == NULL)
		return lm_fail_memory(error);
	double total = 0;
	if (def->masses != NULL)
		memcpy(masses, def->masses, (size_t)body->count * sizeof(double));
	else
		add_element_masses(def, masses);
	for (int32_t i = 0; i < body->count; ++i)
		total += masses[i];
	// Vertices that belong to nothing, or to elements without volume, would be weightless.
	double least = 1e-6 * total / body->count;
	body->total_mass = 0;
	for (int32_t i = 0; i < body->count; ++i)
	{
		double mass = masses[body->to_user[i]];
		body->mass[i] = (float)(mass > least ? mass : least);
		body->inverse_mass[i] = 1 / body->mass[i];
		body->total_mass += (double)body->mass[i];
	}
	lm_free(&body->host, masses);
	if (!(total > 1e-30 && total < 1e30))
		return lm_fail(error, LM_BAD_INPUT, "the mesh has %s and so no mass; give it some, or masses of its vertices",
		               def->mesh->tet_count > 0 ? "no volume" : "no area");
	return LM_OK;
}

static void set_rest(lm_match* body, const lm_match_def* def)
{
	double mean_mass = body->total_mass / body->count;
	for (int32_t i = 0; i < body->count; ++i)
	{
		double effective = (double)body->mass[i] / lm_match_ring_size(body, i) / mean_mass;
		for (int k = 0; k < 3; ++k)
		{
			double X = def->mesh->positions[3 * (int64_t)body->to_user[i] + k] - body->rest_origin[k];
			body->rest_moment[4 * (int64_t)i + k] = effective * X;
		}
		body->rest_moment[4 * (int64_t)i + 3] = effective;
		body->handle_of[i] = -1;
	}
	for (int32_t r = 0; r < body->blocks * LM_LANES; ++r)
	{
		lm_match_rest_region rest = { .mass = 1, .missing = lm_identity(), .flat = true };
		if (r < body->count)
			rest = lm_match_measure_region(body, r);
		lm_match_fill_region(body, r, &rest);
	}
	lm_match_fill_fields(body);
	for (int32_t i = 0; body->region_group != NULL && i < body->count; ++i)
		body->region_group[i] = def->region_groups[body->to_user[i]];
}

void lm_match_place(lm_match* body, const double* positions)
{
	double low[3], high[3];
	lm_mesh_bounds(positions, body->count, low, high);
	for (int k = 0; k < 3; ++k)
		body->origin[k] = low[k] + (high[k] - low[k]) / 2;
	for (int64_t i = 0; i < body->count; ++i)
		for (int k = 0; k < 3; ++k)
			body->x[lm_particle_place(i, k)] = (float)(positions[3 * (int64_t)body->to_user[i] + k] - body->origin[k]);
}

void lm_match_reset_rotations(lm_match* body)
{
	lm_match_measure_rotation(body);
	for (int64_t b = 0; b < body->blocks; ++b)
		for (int k = 0; k < 4; ++k)
			for (int lane = 0; lane < LM_LANES; ++lane)
				body->rotation[(4 * b + k) * LM_LANES + lane] = body->body_rotation[k];
	lm_match_settle_rotations(body);
}

static lm_status measure_size(lm_match* body, const lm_match_def* def, lm_error* error)
{
	double low[3], high[3];
	lm_mesh_bounds(def->mesh->positions, body->count, low, high);
	for (int k = 0; k < 3; ++k)
	{
		body->rest_origin[k] = low[k] + (high[k] - low[k]) / 2;
		body->size = fmax(body->size, high[k] - low[k]);
	}
	if (!(body->size > 1e-9))
		return lm_fail(error, LM_BAD_INPUT, "the rest shape has no extent: all its vertices lie at one place");
	return LM_OK;
}

static lm_status build(lm_match* body, const lm_match_def* def, lm_error* error)
{
	lm_status status = allocate(body, def, error);
	if (status == LM_OK)
		status = measure_size(body, def, error);
	if (status == LM_OK)
		status = connect(body, def, error);
	if (status == LM_OK)
		status = lm_match_keep_mesh(body, def->mesh, error);
	if (status == LM_OK && def->contacts != NULL)
		status = lm_match_build_surface(body, def->contacts, error);
	if (status == LM_OK)
		status = weigh(body, def, error);
	if (status != LM_OK)
		return status;
	set_rest(body, def);
	lm_match_measure_thickness(body);
	lm_match_measure_stiffness(body, def->start != NULL ? def->start : def->mesh->positions, def->settings.gravity);
	if (def->method == LM_MATCH_PAPER)
		status = lm_match_build_paper(body, def->examples, error);
	else if (body->example_count > 0)
		status = lm_match_measure_examples(body, def->examples, error);
	if (status == LM_OK)
		status = lm_match_build_waves(body, error);
	if (status != LM_OK)
		return status;
	for (int k = 0; k < body->example_count; ++k)
		body->strengths[k] = 1;
	body->body_rotation[0] = 1;
	lm_match_set_positions(body, def->start != NULL ? def->start : def->mesh->positions, def->start_velocities);
	body->report = (lm_match_report){
		.region_count = body->count, .example_count = body->example_count, .weights_min = 1, .weights_sum_max = 1
	};
	return status;
}

lm_status lm_match_create(const lm_match_def* def, const lm_host* host, lm_match** body, lm_error* error)
{
	lm_status status = lm_match_check_def(def, error);
	if (status == LM_OK)
		status = lm_simd_check(host->simd, error);
	if (status != LM_OK)
		return status;
	lm_match* made = LM_NEW(host, 1, lm_match);
	if (made == NULL)
		return lm_fail_memory(error);
	made->host = *host;
	made->settings = def->settings;
	made->kernels = lm_match_find_kernels(host->simd);
	status = build(made, def, error);
	if (status == LM_OK)
		*body = made;
	else
		lm_match_destroy(made);
	return status;
}
