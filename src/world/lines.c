// lines.c: what is simulated, as lines: the edges of the simulated mesh, and of the cage that changes a rest shape.
#include "base/alloc.h"
#include "base/error.h"
#include "limber/view.h"
#include "mesh/topology.h"
#include "world/world.h"

#include <string.h>

// The lines of a curve are there, those of triangles and tetrahedra are found.
static lm_status find_edges(const lm_mesh* mesh, const lm_host* host, lm_edges* edges, lm_error* error)
{
	if (mesh->tet_count == 0 && mesh->triangle_count == 0)
	{
		edges->pairs = lm_copy(host, mesh->edges, 2 * (size_t)mesh->edge_count, sizeof *mesh->edges);
		edges->count = edges->pairs != NULL ? mesh->edge_count : 0;
		return edges->pairs != NULL ? LM_OK : lm_fail_memory(error);
	}
	lm_adjacency neighbours;
	lm_status status = lm_topology_neighbours(mesh, host, &neighbours, error);
	if (status != LM_OK)
		return status;
	status = lm_topology_edges(&neighbours, host, &edges->pairs, &edges->count, error);
	lm_adjacency_release(&neighbours, host);
	return status;
}

// Cages in the plane are polygons: vertices in order, no lines.
static lm_status find_polygon(const lm_mesh* cage, const lm_host* host, lm_edges* edges, lm_error* error)
{
	int32_t n = cage->vertex_count;
	edges->pairs = LM_NEW(host, 2 * (size_t)n, int32_t);
	if (edges->pairs == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < n; ++v)
		edges->pairs[2 * v] = v, edges->pairs[2 * v + 1] = (v + 1) % n;
	edges->count = n;
	return LM_OK;
}

lm_status lm_world_lattice_edges(lm_world* world, int32_t object, const lm_edges** edges, lm_error* error)
{
	lm_world_object* own = &world->objects[object];
	lm_status status = LM_OK;
	if (own->lattice.pairs == NULL)
		status = find_edges(own->object->description->mesh, &world->host, &own->lattice, error);
	*edges = &own->lattice;
	return status;
}

static lm_status cage_edges(lm_world* world, int32_t object, const lm_mesh* cage, lm_error* error)
{
	lm_world_object* own = &world->objects[object];
	if (own->cage.pairs != NULL)
		return LM_OK;
	return cage->triangle_count > 0 ? find_edges(cage, &world->host, &own->cage, error)
	                                : find_polygon(cage, &world->host, &own->cage, error);
}

static lm_status draw(lm_arena* memory, const lm_edges* edges, const double* points, lm_world_lines_view* lines,
                      lm_error* error)
{
	double* ends = LM_TAKE(memory, 6 * (size_t)edges->count, double);
	if (ends == NULL)
		return lm_fail_memory(error);
	for (int64_t k = 0; k < 2 * (int64_t)edges->count; ++k)
		memcpy(ends + 3 * k, points + 3 * (int64_t)edges->pairs[k], 3 * sizeof *ends);
	*lines = (lm_world_lines_view){ edges->count, ends };
	return LM_OK;
}

static lm_status draw_cage(lm_world* world, int32_t object, const double* points, lm_world_lines_view* lines,
                           lm_error* error)
{
	const lm_object* own = world->objects[object].object;
	const lm_mesh* cage = own->engine->cage != NULL ? own->engine->cage(own, points, NULL, NULL) : NULL;
	if (cage == NULL)
	{
		*lines = (lm_world_lines_view){ 0, NULL };
		return LM_OK;
	}
	lm_arena* memory = &world->lines_memory;
	double* scratch = LM_TAKE(memory, 3 * (size_t)own->engine->facts(own).point_count, double);
	double* positions = LM_TAKE(memory, 3 * (size_t)cage->vertex_count, double);
	if (scratch == NULL || positions == NULL)
		return lm_fail_memory(error);
	lm_status status = cage_edges(world, object, cage, error);
	if (status != LM_OK)
		return status;
	own->engine->cage(own, points, scratch, positions);
	return draw(memory, &world->objects[object].cage, positions, lines, error);
}

lm_status lm_world_lines(lm_world* world, int32_t object, lm_world_line_kind kind, lm_world_lines_view* lines,
                         lm_error* error)
{
	lm_status status = lm_world_check_object(world, object, error);
	if (status != LM_OK)
		return status;
	if (kind != LM_LINES_LATTICE && kind != LM_LINES_CAGE)
		return lm_fail(error, LM_BAD_INPUT, "there are no lines %d: 0 is the lattice, 1 the cage", (int)kind);
	lm_arena_reset(&world->lines_memory);
	const double* points = lm_world_points(world, object);
	if (kind == LM_LINES_CAGE)
		return draw_cage(world, object, points, lines, error);
	const lm_edges* edges;
	status = lm_world_lattice_edges(world, object, &edges, error);
	return status == LM_OK ? draw(&world->lines_memory, edges, points, lines, error) : status;
}
