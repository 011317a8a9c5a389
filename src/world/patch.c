// patch.c: what simulated vertices a hand takes hold of when it touches a place of the shown surface.
//
// Those that carry the place (rows of the binding of the triangle's corners), and all that are reached from them along
// edges of the mesh within `radius`, with weights that fall smoothly to 0 there: (1 - (d / radius)^2)^2. Along edges,
// so that the hand on one leg does not take hold of the other.
#include "base/arena.h"
#include "base/error.h"
#include "math/vec.h"
#include "mesh/topology.h"
#include "world/world.h"

#include <string.h>

// Adds what the three corners of the triangle are bound to.
static void add_carriers(const lm_world_display* display, const int32_t* corners, const double place[3],
                         const double* points, int32_t point_count, lm_vec3 at, double* weights)
{
	if (display->ribbon != NULL) // its vertices are no plain combination: the nearest point carries
	{
		int32_t nearest = 0;
		for (int32_t v = 1; v < point_count; ++v)
			if (lm_distance(lm_v3_at(points, v), at) < lm_distance(lm_v3_at(points, nearest), at))
				nearest = v;
		weights[nearest] = 1;
		return;
	}
	lm_binding_view view = lm_binding_get(display->binding);
	for (int c = 0; c < 3; ++c)
	{
		int32_t row = corners[c] % view.vertex_count; // the back of a plate is bound as its front
		for (int64_t k = view.starts[row]; k < view.starts[row + 1]; ++k)
			weights[view.points[k]] += place[c] * view.weights[k];
	}
}

// Vertices within the radius that can be reached from those with a weight. queue: room for all; returns their number.
static int32_t spread(const lm_adjacency* neighbours, const double* points, lm_vec3 at, double radius, double* weights,
                      bool* reached, int32_t* queue)
{
	int32_t count = 0;
	for (int32_t v = 0; v < neighbours->count; ++v)
		if (weights[v] != 0)
			reached[v] = true, queue[count++] = v;
	for (int32_t next = 0; next < count; ++next)
		for (int64_t k = neighbours->starts[queue[next]]; k < neighbours->starts[queue[next] + 1]; ++k)
		{
			int32_t v = neighbours->items[k];
			if (!reached[v] && lm_distance(lm_v3_at(points, v), at) < radius)
				reached[v] = true, queue[count++] = v;
		}
	for (int32_t i = 0; i < count; ++i)
	{
		double d = lm_distance(lm_v3_at(points, queue[i]), at) / radius;
		weights[queue[i]] = (weights[queue[i]] > 0 ? weights[queue[i]] : 0) + (d < 1 ? (1 - d * d) * (1 - d * d) : 0);
	}
	return count;
}

static lm_status gather(const double* weights, int32_t point_count, int32_t count, lm_arena* memory, lm_patch* patch,
                        lm_error* error)
{
	double sum = 0;
	patch->vertices = LM_TAKE(memory, count, int32_t);
	patch->weights = LM_TAKE(memory, count, double);
	if (patch->vertices == NULL || patch->weights == NULL)
		return lm_fail_memory(error);
	patch->count = 0;
	for (int32_t v = 0; v < point_count; ++v)
		if (weights[v] > 0)
		{
			patch->vertices[patch->count] = v;
			patch->weights[patch->count++] = weights[v];
			sum += weights[v];
		}
	for (int32_t k = 0; k < patch->count; ++k)
		patch->weights[k] /= sum;
	return patch->count > 0 ? LM_OK : lm_fail(error, LM_BAD_INPUT, "there is nothing to take hold of");
}

lm_status lm_world_find_patch(lm_world* world, int32_t object, int32_t triangle, const double place[3], double radius,
                              lm_arena* memory, lm_patch* patch, lm_error* error)
{
	lm_world_object* own = &world->objects[object];
	const lm_world_display* display = &world->displays[object];
	const lm_mesh* mesh = own->object->description->mesh;
	int32_t count = own->object->engine->facts(own->object).point_count;
	lm_world_update_display(world, object);
	own->object->engine->points(own->object, own->points);
	const int32_t* corners = display->mesh->triangles + 3 * (int64_t)triangle;
	lm_vec3 at = { 0 };
	for (int c = 0; c < 3; ++c)
		at = lm_add_scaled(at, place[c], lm_v3_at(display->mesh->positions, corners[c]));
	double* weights = LM_TAKE(memory, count, double);
	bool* reached = LM_TAKE(memory, count, bool);
	int32_t* queue = LM_TAKE(memory, count, int32_t);
	if (weights == NULL || reached == NULL || queue == NULL)
		return lm_fail_memory(error);
	memset(weights, 0, (size_t)count * sizeof *weights);
	memset(reached, 0, (size_t)count * sizeof *reached);
	add_carriers(display, corners, place, own->points, count, at, weights);
	lm_adjacency neighbours;
	lm_status status = lm_topology_neighbours(mesh, &world->host, &neighbours, error);
	if (status != LM_OK)
		return status;
	int32_t found =
		spread(&neighbours, own->points, at, radius > 0 ? radius : 0.1 * own->size, weights, reached, queue);
	lm_adjacency_release(&neighbours, &world->host);
	lm_v3_store(patch->place, 0, at);
	return gather(weights, count, found, memory, patch, error);
}
