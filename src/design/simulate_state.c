// simulate_state.c: the state of a simulation as bytes.
#include "base/alloc.h"
#include "base/error.h"
#include "design/simulate.h"

static void list_body(const lm_design_sim* sim, int32_t b, lm_bytes parts[4])
{
	const lm_design_sim_body* body = &sim->bodies[b];
	size_t n = 3 * (size_t)sim->stage->bodies[b].node_count, points = (size_t)sim->stage->bodies[b].points->count;
	parts[0] = lm_bools((bool*)&body->free, 1); // the list is also used for loading
	parts[1] = lm_doubles(body->y, n), parts[2] = lm_doubles(body->v, n);
	parts[3] = lm_doubles(body->slack, 2 * points);
}

void lm_design_sim_save(const lm_design_sim* sim, lm_blob* blob)
{
	const uint64_t counts[2] = { sim->friction_count, sim->carrier_count };
	lm_bytes parts[4];
	for (int32_t b = 0; b < sim->count; ++b)
	{
		list_body(sim, b, parts);
		lm_bytes_put(parts, 4, blob);
	}
	lm_blob_put(blob, counts, sizeof counts);
	for (size_t k = 0; k < sim->friction_count; ++k)
	{
		const lm_design_friction_contact* f = &sim->friction_contacts[k];
		const int32_t who[4] = { f->a, f->point, f->b, f->count };
		const double numbers[7] = {
			f->normal.x, f->normal.y, f->normal.z, f->start.x, f->start.y, f->start.z, f->force
		};
		lm_blob_put(blob, who, sizeof who);
		lm_blob_put(blob, numbers, sizeof numbers);
	}
	lm_blob_put(blob, sim->carriers, sim->carrier_count * sizeof *sim->carriers);
	lm_blob_put(blob, sim->weights, sim->carrier_count * sizeof *sim->weights);
}

// A contact whose places are there, and which has its carriers behind those of the contacts before; false: damaged.
static bool load_friction(lm_design_sim* sim, size_t carriers, lm_blob* blob, lm_design_friction_contact* f)
{
	int32_t who[4] = { 0 };
	double numbers[7] = { 0 };
	lm_blob_get(blob, who, sizeof who);
	lm_bytes_get((lm_bytes[]){ lm_doubles(numbers, 7) }, 1, blob);
	*f = (lm_design_friction_contact){ .a = who[0],
		                               .point = who[1],
		                               .b = who[2],
		                               .count = who[3],
		                               .first = sim->carrier_count,
		                               .normal = lm_v3_at(numbers, 0),
		                               .start = lm_v3_at(numbers, 1),
		                               .force = numbers[6] };
	bool good = !blob->failed && f->a >= 0 && f->a < sim->count && f->b >= -1 && f->b < sim->count && f->force >= 0;
	good = good && f->point >= 0 && f->point < sim->stage->bodies[f->a].points->count && f->count >= 0;
	good = good && (f->b >= 0 || f->count == 0) && (size_t)f->count <= carriers - sim->carrier_count;
	sim->carrier_count += good ? (size_t)f->count : 0;
	return good;
}

static bool load_carriers(lm_design_sim* sim, lm_blob* blob)
{
	size_t count = sim->carrier_count;
	const lm_bytes parts[2] = { lm_ints_in(sim->carriers, count, 0, INT32_MAX), lm_doubles(sim->weights, count) };
	lm_bytes_get(parts, 2, blob);
	bool good = !blob->failed;
	for (size_t k = 0; k < sim->friction_count && good; ++k)
	{
		const lm_design_friction_contact* f = &sim->friction_contacts[k];
		for (size_t e = f->first; e < f->first + (size_t)f->count; ++e)
			good = good && sim->carriers[e] < sim->stage->bodies[f->b].node_count;
	}
	return good;
}

lm_status lm_design_sim_load(lm_design_sim* sim, lm_blob* blob, lm_error* error)
{
	uint64_t counts[2] = { 0 };
	lm_bytes parts[4];
	for (int32_t b = 0; b < sim->count; ++b)
	{
		list_body(sim, b, parts);
		lm_bytes_get(parts, 4, blob);
	}
	lm_blob_get(blob, counts, sizeof counts);
	sim->friction_count = sim->carrier_count = 0;
	if (blob->failed || counts[0] > blob->size || counts[1] > blob->size) // each takes some bytes
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint's simulation is damaged");
	if (!lm_grow(&sim->host, (void**)&sim->friction_contacts, &sim->friction_capacity, counts[0],
	             sizeof *sim->friction_contacts) ||
	    !lm_grow(&sim->host, (void**)&sim->carriers, &sim->carrier_capacity, counts[1], sizeof *sim->carriers) ||
	    !lm_grow(&sim->host, (void**)&sim->weights, &sim->weight_capacity, counts[1], sizeof *sim->weights))
		return lm_fail_memory(error);
	bool good = true;
	for (uint64_t k = 0; k < counts[0] && good; ++k)
		good = load_friction(sim, counts[1], blob, &sim->friction_contacts[k]);
	sim->friction_count = good ? counts[0] : 0;
	if (!good || sim->carrier_count != counts[1] || !load_carriers(sim, blob))
	{
		sim->friction_count = sim->carrier_count = 0;
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint's simulation is damaged");
	}
	return LM_OK;
}
