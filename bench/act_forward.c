// act_forward.c: passive steps of the `act` engine: a soft block of 3,000 or 30,000 unknowns that has just hit the
// ground with an edge, one thread, until every force is balanced to 1e-10 of the weight. Every repeat does the same
// work: a step's time is the least of its repeats, the row is their mean.
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS 10
#define H 0.02

typedef struct forward_case
{
	int nx, ny, nz; // cubes
	int repeats;
} forward_case;

static const forward_case small_block = { 9, 9, 9, 5 };
static const forward_case large_block = { 20, 21, 21, 2 };

// A block of cubes of six tetrahedra each, about a metre in size.
static lm_mesh* make_block(const forward_case* what, const lm_host* host)
{
	const int n[3] = { what->nx, what->ny, what->nz };
	const int stride[3] = { 1, n[0] + 1, (n[0] + 1) * (n[1] + 1) };
	lm_mesh* mesh = lm_mesh_create(host, (n[0] + 1) * (n[1] + 1) * (n[2] + 1), 0, 6 * n[0] * n[1] * n[2]);
	for (int v = 0; mesh != NULL && v < mesh->vertex_count; ++v)
		for (int k = 0; k < 3; ++k)
			mesh->positions[3 * v + k] = (double)(v / stride[k] % (n[k] + 1)) / n[0];
	// the six orders of the axes along which one can walk from corner 000 to corner 111
	static const int walks[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
	for (int t = 0; mesh != NULL && t < mesh->tet_count; ++t)
	{
		int cube = t / 6, w = t % 6;
		int corner[4] = { cube % n[0] * stride[0] + cube / n[0] % n[1] * stride[1] + cube / n[0] / n[1] * stride[2] };
		for (int c = 0; c < 3; ++c)
			corner[c + 1] = corner[c] + stride[walks[w][c]];
		const int32_t tet[4] = { corner[0], corner[1], corner[w < 3 ? 2 : 3], corner[w < 3 ? 3 : 2] };
		memcpy(mesh->tets + 4 * t, tet, sizeof tet);
	}
	return mesh;
}

// Tilted by 0.1, 1 cm above the ground, falling at 2 m/s.
static lm_act* make_body(const forward_case* what, const lm_host* host, lm_error* error)
{
	lm_mesh* mesh = make_block(what, host);
	lm_act* body = NULL;
	lm_act_def def = lm_act_def_default();
	def.mesh = mesh;
	def.settings.contact_stiffness = 2e5 / (what->nx * what->nz); // the same for the whole face
	if (mesh != NULL && lm_act_create(&def, host, &body, error) == LM_OK)
	{
		double c = cos(0.1), s = sin(0.1), *x = mesh->positions;
		for (int32_t v = 0; v < mesh->vertex_count; ++v)
		{
			double a = x[3 * v], b = x[3 * v + 1];
			x[3 * v] = c * a - s * b, x[3 * v + 1] = s * a + c * b + 0.01;
		}
		lm_act_set_positions(body, x, NULL);
		for (int32_t v = 0; v < mesh->vertex_count; ++v)
			x[3 * v] = 0, x[3 * v + 1] = -2, x[3 * v + 2] = 0;
		lm_act_set_positions(body, NULL, x);
	}
	lm_mesh_destroy(mesh);
	return body;
}

// One repeat: best[k] becomes the least time of step k.
static bool repeat(const forward_case* what, bool first, double best[STEPS], int32_t* unknowns, lm_error* error)
{
	lm_host host = lm_host_default();
	lm_placement_key key = { .rotation = { 1, 0, 0, 0 } };
	lm_collider_def plane = lm_collider_def_default();
	plane.key_count = 1, plane.keys = &key;
	lm_colliders* ground = NULL;
	if (lm_colliders_create(&plane, 1, &host, &ground, error) != LM_OK)
		return false;
	lm_act* body = make_body(what, &host, error);
	bool good = body != NULL;
	for (int k = 0; k < STEPS && good; ++k)
	{
		double start = lm_clock_seconds();
		good = lm_act_step(&body, 1, H, ground, k * H, error) == LM_OK;
		double taken = lm_clock_seconds() - start;
		best[k] = first ? taken : fmin(best[k], taken);
	}
	if (good)
		*unknowns = 3 * lm_act_vertex_count(body);
	lm_act_destroy(body);
	lm_colliders_destroy(ground);
	return good;
}

static double mean(const double best[STEPS])
{
	double sum = 0;
	for (int k = 0; k < STEPS; ++k)
		sum += best[k];
	return 1e3 * sum / STEPS;
}

static bool run_forward(const bench* b, bench_row* row, lm_error* error)
{
	const forward_case* what = b->data;
	double best[STEPS], small[STEPS];
	int32_t unknowns = 0, few = 0;
	for (int k = 0; k < what->repeats; ++k)
		if (!repeat(what, k == 0, best, &unknowns, error) ||
		    (what != &small_block && !repeat(&small_block, k == 0, small, &few, error)))
			return false;
	row->value = mean(best);
	snprintf(row->size, sizeof row->size, "soft block on the ground, %d unknowns, h %g", unknowns, H);
	if (what != &small_block)
		row->exponent = log(row->value / mean(small)) / log((double)unknowns / few);
	return true;
}

const bench lm_bench_act_forward[] = { { "act/forward-3k", run_forward, &small_block },
	                                   { "act/forward-30k", run_forward, &large_block },
	                                   { 0 } };
